# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Profiles of a step."""
import json
import pathlib
import tempfile
import unittest

import programs

import mpc_compiler
from mpc_compiler import EnvironmentFault, UsageError


class Profiles(unittest.TestCase):
    def setUp(self):
        self.step = mpc_compiler.load(programs.compiled("--precision=fp16", "--optimizer=sgd"))
        self.step.lr = 0.1

    def test_a_profile_holds_what_runs_inside_of_it(self):
        self.step(*programs.batch(0))
        with self.step.profile() as profile:
            for i in range(3):
                self.step(*programs.batch(i))
        self.step(*programs.batch(0))
        runs = {entry["name"]: entry["runs"] for entry in profile.data["entries"]}
        self.assertEqual(runs["step"], 3)
        self.assertTrue(str(profile).startswith("profile: "))
        self.assertIn("3 step of", str(profile))
        times = [launch["total_ms"] for launch in profile.launches]
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertLessEqual(sum(times), profile.data["wall_ms"])

    def test_what_follows_from_weights_is_computed_once_a_step(self):
        self.step._runner.edit_state("fc.weight")  # Whoever has it may change it at any time.
        with self.step.profile() as profile:
            for i in range(3):
                self.step(*programs.batch(i))
        runs = {entry["name"]: entry["runs"] for entry in profile.data["entries"]}
        self.assertEqual(runs, {"init": 3, "step": 3})

    def test_results_are_the_same_with_and_without(self):
        other = mpc_compiler.load(programs.compiled("--precision=fp16", "--optimizer=sgd"))
        other.lr = 0.1
        with self.step.profile():
            profiled = [self.step(*programs.batch(i)).loss for i in range(4)]
        self.assertEqual(profiled, [other(*programs.batch(i)).loss for i in range(4)])
        for name in self.step.state:
            self.assertEqual(self.step.read_state(name).tobytes(), other.read_state(name).tobytes(), name)

    def test_files_hold_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path, timeline = pathlib.Path(folder) / "profile.json", pathlib.Path(folder) / "timeline.json"
            with self.step.profile() as profile:
                self.step(*programs.batch(0))
            profile.save(path)
            profile.save_timeline(timeline)
            self.assertEqual(json.loads(path.read_text()), profile.data)
            events = json.loads(timeline.read_text())["traceEvents"]
            self.assertEqual(sum(event["name"] == "step" for event in events), 1)
            with self.assertRaisesRegex(EnvironmentFault, "no/timeline.json: .*No such file"):
                profile.save_timeline(pathlib.Path(folder) / "no/timeline.json")

    def test_it_can_be_asked_while_it_goes_on(self):
        with self.step.profile() as profile:
            self.assertEqual(str(profile), "profile: nothing has run\n")
            self.step(*programs.batch(0))
            self.assertIn("1 step of", str(profile))

    def test_one_that_has_not_begun_is_an_error(self):
        profile = self.step.profile()
        self.assertEqual(str(profile), "profile: nothing has run\n")
        with self.assertRaisesRegex(UsageError, "has not begun"):
            profile.data
        with self.assertRaisesRegex(UsageError, "no profile was started"):
            profile.save_timeline("/dev/null")


if __name__ == "__main__":
    unittest.main()
