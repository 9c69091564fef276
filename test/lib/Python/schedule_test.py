# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules, against rates that PyTorch gave (support/pytorch/schedules.py)."""
import json
import pathlib
import unittest

import numpy as np
import programs

import mpc_compiler

RECORDED = pathlib.Path(__file__).parents[2] / "Inputs/training/schedules.json"


class Schedules(unittest.TestCase):
    def test_rates_are_those_of_torch(self):
        recorded = json.loads(RECORDED.read_text())
        for case in recorded["cases"]:
            parameters = {flag.removeprefix("--lr-").replace("-", "_"): text for flag, text in case["flags"].items()}
            schedule = mpc_compiler.Schedule(
                case["schedule"], lr=recorded["lr"], total_steps=case["steps"], warmup_steps=case["warmup"],
                **parameters)
            rates = [schedule(case["warmup"] + i) for i in range(len(case["rates"]))]
            np.testing.assert_allclose(rates, case["rates"], rtol=4e-14, atol=1e-14, err_msg=str(case["flags"]))

    def test_values_of_python_are_taken(self):
        schedule = mpc_compiler.Schedule("points", lr=2, total_steps=9, points=[(1, 0.5), (3, 1.5)])
        self.assertEqual([schedule(i) for i in range(5)], [1, 1, 2, 3, 3])
        schedule = mpc_compiler.Schedule("one-cycle", lr=1, total_steps=9, three_phase=True, anneal="linear")
        self.assertAlmostEqual(schedule(0), 1 / 25)
        schedule = mpc_compiler.Schedule("multistep", lr=1, total_steps=9, milestones=[2, 4])
        self.assertEqual(schedule(2), 0.1)

    def test_a_step_moves_it(self):
        step = mpc_compiler.load(programs.compiled("--optimizer=sgd"))
        schedule = mpc_compiler.Schedule("multistep", lr=1, total_steps=9, milestones=[1, 2], gamma=0.5)
        handle = schedule.attach(step)
        rates = [step.lr]
        for _ in range(3):
            step(*programs.batch())
            rates.append(step.lr)
        self.assertEqual(rates, [1, 0.5, 0.25, 0.25])
        handle.remove()
        step.lr = 3
        step(*programs.batch())
        self.assertEqual(step.lr, 3)

    def test_what_is_wrong_is_said(self):
        for words, message in (
            ({"kind": "saw"}, "--lr-schedule: expected the name of a schedule, found 'saw'"),
            ({"gamma": 0.5}, "--lr-gamma does not apply to --lr-schedule=constant"),
            ({"kind": "step", "step_size": 0}, "--lr-step-size: expected a whole number of at least 1, found '0'"),
            ({"momentum": 1}, "'--lr-momentum' is not a flag of a learning rate"),
        ):
            with self.assertRaisesRegex(mpc_compiler.UsageError, message):
                mpc_compiler.Schedule(lr=1, total_steps=9, **words)


if __name__ == "__main__":
    unittest.main()
