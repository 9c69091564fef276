# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers that are functions of Python's."""
import gc
import unittest
import weakref

import numpy as np
import programs
from step_test import cross_entropy_gradients

import mpc_compiler
from mpc_compiler import UsageError

NAMES = ("fc.weight", "fc.bias")


class Momentum:
    """SGD with momentum, as PyTorch has it."""

    def __init__(self, momentum=0.9):
        self.momentum, self.buffers, self.seen = momentum, {}, []

    def __call__(self, update):
        self.seen.append((update.step, update.applied, update.found_inf))
        if update.skipped:
            return
        for name, parameter in update.parameters.items():
            buffer = self.buffers.setdefault(name, np.zeros_like(parameter))
            buffer *= np.float32(self.momentum)
            buffer += update.gradients[name]
            parameter -= np.float32(update.lr) * buffer


def reference(batches, momentum=0.9, lr=0.1):
    """The weights after all batches in float64; None for a batch that is skipped."""
    w = [programs.weights()[name].astype(np.float64) for name in NAMES]
    buffers = [np.zeros_like(value) for value in w]
    for batch in batches:
        if batch is not None:
            _, *gradients = cross_entropy_gradients(*w, *batch)
            buffers = [momentum * b + g for b, g in zip(buffers, gradients)]
            w = [value - lr * buffer for value, buffer in zip(w, buffers)]
    return w


def compiled(optimizer, **options):
    return mpc_compiler.compile_step(
        programs.linear(), "cross_entropy", optimizer, lr=0.1, **options)


def overflowing(batch):
    x, target = batch
    return np.where(np.arange(x.size).reshape(x.shape) == 3, np.float32(np.inf), x), target


class Callback(unittest.TestCase):
    def expect(self, step, weights, tolerance):
        for name, value in zip(NAMES, weights):
            np.testing.assert_allclose(step.read_state(name), value, rtol=0, atol=tolerance)

    def test_it_is_the_optimizer_that_it_writes(self):
        batches = [programs.batch(i) for i in range(10)]
        step, known = compiled(Momentum()), compiled("sgd", momentum=0.9)
        for batch in batches:
            self.assertAlmostEqual(step(*batch).loss, known(*batch).loss, delta=1e-6)
        self.expect(step, reference(batches), 1e-6)

    def test_skipped_steps_move_the_scale_alone(self):
        for precision, tolerance in (("fp32", 1e-6), ("fp16", 5e-3)):
            batches = [programs.batch(i) for i in range(6)]
            optimizer = Momentum()
            step = compiled(optimizer, precision=precision,
                            scaler={"policy": "torch", "init_scale": 1024})
            for i, batch in enumerate(batches):
                result = step(*(overflowing(batch) if i == 2 else batch))
                self.assertEqual(result.skipped, i == 2)
            self.assertEqual(step.scaler.scale, 512)
            self.assertEqual([seen[0] for seen in optimizer.seen], [0, 1, 3, 4, 5])
            self.expect(step, reference([*batches[:2], None, *batches[3:]]), tolerance)

    def test_it_may_be_called_in_skipped_steps(self):
        optimizer = Momentum()
        step = compiled(optimizer, scaler={"policy": "torch", "init_scale": 1024})
        step.set_optimizer(optimizer, on_skipped=True)
        step(*overflowing(programs.batch()))
        step(*programs.batch())
        self.assertEqual(optimizer.seen, [(0, 0, True), (1, 0, False)])

    def test_a_window_is_one_update_by_the_mean(self):
        optimizer, batches = Momentum(), [programs.batch(i) for i in range(2)]
        step = compiled(optimizer, accumulate=2)
        self.assertIsNone(step(*batches[0]))
        self.assertEqual(optimizer.seen, [])
        step(*batches[1])
        whole = tuple(np.concatenate(parts) for parts in zip(*batches))
        self.expect(step, reference([whole]), 1e-6)

    def test_gradients_are_clipped_where_the_step_is_told_to(self):
        norms = []

        def look(update):
            norms.append((update.grad_norm, float(np.sqrt(sum(
                np.square(g, dtype=np.float64).sum() for g in update.gradients.values())))))

        compiled(look, clip_global_norm=0.01)(*programs.batch())
        ((whole, clipped),) = norms
        self.assertGreater(whole, 0.1)
        self.assertAlmostEqual(clipped, 0.01, delta=1e-6)

    def test_what_it_raises_comes_out_of_the_step(self):
        class Mine(Exception):
            pass

        def fail(update):
            raise Mine("not today")

        step = compiled(fail)
        with self.assertRaisesRegex(Mine, "not today"):
            step(*programs.batch())
        # The step is done, and the next one's optimizer counts.
        step.set_optimizer(Momentum())
        self.assertEqual(step(*programs.batch()).step, 1)

    def test_its_step_is_in_use_meanwhile(self):
        def use(update):
            step.read_state("fc.bias")

        step = compiled(use)
        with self.assertRaisesRegex(UsageError, "the runner is in use"):
            step(*programs.batch())

    def test_arrays_are_the_same_in_each_step_and_outlive_it(self):
        kept = []
        step = compiled(lambda update: kept.append(update.parameters["fc.weight"]))
        step(*programs.batch())
        step(*programs.batch())
        self.assertIs(kept[0], kept[1])
        expected = step.read_state("fc.weight")
        del step
        gc.collect()
        np.testing.assert_array_equal(kept[0], expected)

    def test_an_optimizer_that_knows_its_step_is_collected(self):
        class Knows:
            def __call__(self, update):
                pass

        optimizer = Knows()
        optimizer.step = compiled(optimizer)
        optimizer.step(*programs.batch())
        gone = weakref.ref(optimizer)
        del optimizer
        gc.collect()
        self.assertIsNone(gone())

    def test_a_program_that_needs_one_says_so(self):
        step = mpc_compiler.load(programs.compiled("--optimizer=callback"))
        step.lr = 0.1
        with self.assertRaisesRegex(UsageError, r"^the program's optimizer is a callback: "):
            step(*programs.batch())
        step.set_optimizer(Momentum(0.0))
        step(*programs.batch())
        self.expect(step, reference([programs.batch()], momentum=0), 1e-6)
        step.set_optimizer(None)
        with self.assertRaises(UsageError):
            step(*programs.batch())
        with self.assertRaisesRegex(UsageError, "updates its parameters itself"):
            compiled("sgd").set_optimizer(Momentum())


if __name__ == "__main__":
    unittest.main()
