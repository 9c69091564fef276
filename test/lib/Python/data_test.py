# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches out of files, and what is trained and evaluated on them, beside mpc-train."""
import csv
import os
import subprocess
import unittest

import numpy as np
import programs

import mpc_compiler
from mpc_compiler import DataFiles, InvalidInputError, UsageError

SAMPLES, HELD = 45, 19
RECIPE = ("--precision=fp16", "--optimizer=sgd", "--momentum=0.9", "--growth-interval=3")


def samples(count, seed):
    random = np.random.default_rng(seed)
    x = random.standard_normal((count, programs.FEATURES)).astype(np.float32)
    return {"x": x, "target": random.integers(0, programs.CLASSES, count)}


def written():
    """Folder with the samples as two .npz, one of them packed, and with those that are held out."""
    folder = programs.folder() / "data"
    if not folder.exists():
        folder.mkdir()
        data = samples(SAMPLES, 5)
        part = lambda begin, end: {name: value[begin:end] for name, value in data.items()}
        np.savez(folder / "part-a.npz", **part(0, 20))
        np.savez_compressed(folder / "part-b.npz", **part(20, SAMPLES))
        np.savez(folder / "held.npz", **samples(HELD, 6))
    return folder


def tool(name, *words):
    command = [programs.BUILD / "bin" / name, *words]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "MPC_CACHE_DIR": ""})
    assert done.returncode == 0, done.stderr
    return done.stderr


def rows(path):
    with open(path) as file:
        return list(csv.DictReader(file))


def parts():
    return written() / "part-*.npz"


class Batches(unittest.TestCase):
    def test_they_are_the_samples_of_all_files_in_their_order(self):
        data, expected = DataFiles(parts(), batch_size=8, shuffle=False), samples(SAMPLES, 5)
        self.assertEqual((len(data), data.num_samples, data.batch_size), (5, SAMPLES, 8))
        self.assertEqual([info.name for info in data.tensors], ["x", "target"])
        batches = list(data)  # Each has arrays of its own.
        for name, value in expected.items():
            found = np.concatenate([batch[name] for batch in batches])
            np.testing.assert_array_equal(found, value[:40])
            self.assertEqual(found.dtype, value.dtype)
        wrapped = list(DataFiles(parts(), batch_size=8, shuffle=False, last_batch="wrap"))
        self.assertEqual(len(wrapped), 6)
        np.testing.assert_array_equal(wrapped[5]["x"], expected["x"][[40, 41, 42, 43, 44, 0, 1, 2]])

    def test_each_epoch_has_every_sample_once_in_an_order_of_its_own(self):
        x = samples(SAMPLES, 5)["x"]
        data = DataFiles(parts(), batch_size=9, seed=4, names=["x"])
        epochs = [np.concatenate([batch["x"] for batch in data]) for _ in range(2)]
        for epoch in epochs:
            np.testing.assert_array_equal(epoch[np.lexsort(epoch.T)], x[np.lexsort(x.T)])
        self.assertFalse(np.array_equal(epochs[0], epochs[1]))
        again = list(DataFiles(parts(), batch_size=9, seed=4, names=["x"]).batches(10))
        np.testing.assert_array_equal(np.concatenate([batch["x"] for batch in again]), np.concatenate(epochs))

    def test_an_iteration_goes_on_where_one_was_left(self):
        data, whole = (DataFiles(parts(), batch_size=8, seed=4) for _ in range(2))
        expected = list(whole.batches(7))
        next(iter(data))
        position = data.position
        self.assertEqual({**position, "seed": 4, "epoch": 0, "position": 8, "shuffled": 1, "wraps": 0}, position)
        rest = list(data)
        self.assertEqual(len(rest), 4)
        np.testing.assert_array_equal(rest[3]["x"], expected[4]["x"])
        np.testing.assert_array_equal(next(iter(data))["x"], expected[5]["x"])
        data.restore(position)
        data.restore(None)
        np.testing.assert_array_equal(next(iter(data))["x"], expected[1]["x"])

    def test_they_have_the_types_of_the_steps_inputs(self):
        step = mpc_compiler.load(programs.compiled(*RECIPE))
        data = samples(16, 7)
        path = programs.folder() / "narrow.npz"
        np.savez(path, x=np.asfortranarray(data["x"].astype(np.float16)), target=data["target"].astype(">i2"))
        batch = next(iter(DataFiles(path, step, shuffle=False)))
        self.assertEqual((batch["x"].dtype, batch["target"].dtype), (np.float32, np.int64))
        np.testing.assert_array_equal(batch["x"], data["x"][:8].astype(np.float16))
        np.testing.assert_array_equal(batch["target"], data["target"][:8])

    def test_an_array_has_the_name_that_is_given_and_may_be_shared(self):
        mask = np.arange(3.0)
        np.save(programs.folder() / "a.npy", np.arange(10))
        np.save(programs.folder() / "mask.npy", mask)
        files = [f"x={programs.folder() / 'a.npy'}", programs.folder() / "mask.npy"]
        batches = list(DataFiles(files, batch_size=5, shuffle=False, shared=["mask"]))
        self.assertEqual([list(batch["x"]) for batch in batches], [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]])
        for batch in batches:
            np.testing.assert_array_equal(batch["mask"], mask)

    def test_what_is_wrong_is_said(self):
        step = mpc_compiler.load(programs.compiled(*RECIPE))
        wrong = programs.folder() / "wrong.npz"
        np.savez(wrong, x=np.zeros((8, programs.FEATURES)), target=np.full(8, programs.CLASSES))
        with self.assertRaisesRegex(InvalidInputError, "wrong.npz: tensor 'target', sample [0-7]: 4 is not in 0 to 3"):
            next(iter(DataFiles(wrong, step)))
        for arguments, options, kind, message in (
            (("/none.npz",), {"batch_size": 1}, InvalidInputError, "/none.npz: cannot open"),
            ((parts(), step), {"batch_size": 4}, UsageError, "batch_size=4: the step's is 8"),
            ((parts(), step), {"names": ["x"]}, UsageError, "those of the step's inputs"),
            ((parts(),), {"batch_size": 4, "names": ["y"]}, InvalidInputError, "part-a.npz and 1 more: no tensor 'y'"),
            ((parts(),), {"batch_size": 4, "last_batch": "pad"}, UsageError, "last_batch is 'pad'; there are drop, wrap"),
            ((parts(),), {"batch_size": 46}, InvalidInputError, "holds 45 samples, fewer than one batch of 46"),
            (([],), {"batch_size": 1}, UsageError, "names no file"),
        ):
            with self.assertRaisesRegex(kind, message):
                DataFiles(*arguments, **options)
        with self.assertRaisesRegex(UsageError, "Give a step or a batch_size"):
            len(DataFiles(parts()))
        with self.assertRaisesRegex(InvalidInputError, "other data: the number of samples was 45, now 19"):
            DataFiles(written() / "held.npz", step).restore(DataFiles(parts(), step).position)

    def test_damaged_files_are_refused(self):
        whole = (written() / "part-b.npz").read_bytes()
        damaged = programs.folder() / "damaged.npz"
        for place in (0, len(whole) // 4, len(whole) // 2, len(whole) - 10):
            data = bytearray(whole)
            data[place] ^= 0x55
            damaged.write_bytes(data)
            with self.assertRaisesRegex(InvalidInputError, "damaged.npz: "):
                DataFiles(damaged, batch_size=4)
        damaged.write_bytes(whole[:-30])
        with self.assertRaisesRegex(InvalidInputError, "damaged.npz: "):
            DataFiles(damaged, batch_size=4)


class Trainings(unittest.TestCase):
    def train(self, *, epochs, last_batch):
        """The rows that mpc-train has, of a loop."""
        step = mpc_compiler.load(programs.compiled(*RECIPE, "--with-eval"), seed=3)
        step.lr = 0.1
        data = DataFiles(parts(), step, seed=3, last_batch=last_batch)
        held = DataFiles(written() / "held.npz")
        found = []
        for _ in range(epochs):
            for batch in data:
                result = step(**batch)
                row = {"loss": result.loss, "scale": result.scale, "grad_norm": result.grad_norm,
                       "good_steps": result.good_steps, "skipped": result.skipped}
                if (result.step + 1) % 4 == 0:
                    row.update({f"eval_{name}": value for name, value in step.evaluate_all(held).items()})
                found.append(row)
        return found

    def test_a_loop_is_mpc_train_to_the_bit(self):
        for last_batch, steps in (("drop", 15), ("wrap", 18)):
            metrics = programs.folder() / f"{last_batch}.csv"
            tool("mpc-train", programs.linear(), *RECIPE, "--cpu=x86-64-v3", f"--data={parts()}", "--epochs=3", "--seed=3",
                 "--lr=0.1", f"--last-batch={last_batch}", f"--eval-data={written() / 'held.npz'}", "--eval-every=4",
                 f"--metrics={metrics}")
            ours, theirs = self.train(epochs=3, last_batch=last_batch), rows(metrics)
            self.assertEqual((len(ours), len(theirs)), (steps, steps))
            evaluated = 0
            for row, expected in zip(ours, theirs):
                for name, value in row.items():
                    self.assertEqual(value, float(expected[name]), f"{name} of {expected}")
                evaluated += "eval_loss" in row
            self.assertEqual(evaluated, steps // 4)

    def test_a_smaller_last_batch_is_a_step_as_of_mpc_train(self):
        rest = SAMPLES % programs.BATCH
        metrics = programs.folder() / "smaller.csv"
        tool("mpc-train", programs.open_linear(), *RECIPE, "--cpu=x86-64-v3", f"--data={parts()}", "--epochs=3",
             "--seed=3", "--lr=0.1", "--last-batch=smaller", f"--batch-size={programs.BATCH}", f"--metrics={metrics}")
        sizes = f"--batch-size={programs.BATCH},{rest}"
        step = mpc_compiler.load(programs.compiled(*RECIPE, sizes, "--with-eval", model=programs.open_linear), seed=3)
        step.lr = 0.1
        data = DataFiles(parts(), step, seed=3, last_batch="smaller")
        self.assertEqual((len(data), data.batch_size, data.tensors[0].shape[0]), (6, programs.BATCH, programs.BATCH))
        found, counts = [], []
        for _ in range(3):
            for batch in data:
                counts.append(len(batch["x"]))
                found.append(step(**batch).loss)
                self.assertEqual(step.read_outputs()["loss"], np.float32(found[-1]))
                # Between steps an evaluation of the other size changes nothing.
                other = {name: value[: rest if counts[-1] == programs.BATCH else 1] for name, value in batch.items()}
                if len(other["x"]) == rest:
                    self.assertAlmostEqual(float(step.evaluate(**other)["loss"]), self.loss_of(step, other), delta=5e-3)
        self.assertEqual(counts, 3 * [*[programs.BATCH] * 5, rest])
        self.assertEqual(found, [float(row["loss"]) for row in rows(metrics)])
        self.assertEqual(data.position["wraps"], 2)
        self.assertEqual(DataFiles(parts(), step, batch_size=rest).batch_size, rest)
        with self.assertRaisesRegex(InvalidInputError, r"expected f32\[8x6\] or f32\[5x6\], found f32\[7x6\]"):
            step(np.zeros((7, programs.FEATURES), np.float32), np.zeros(7, np.int64))
        with self.assertRaisesRegex(UsageError, "last_batch is 'less'; there are drop, wrap, smaller"):
            DataFiles(parts(), step, last_batch="less")

    @staticmethod
    def loss_of(step, batch):
        """In float64, of the weights as they are."""
        w, b = (step.read_state(name).astype(np.float64) for name in ("fc.weight", "fc.bias"))
        logits = batch["x"].astype(np.float64) @ w.T + b
        logs = logits - np.log(np.exp(logits).sum(1, keepdims=True))
        return -logs[np.arange(len(logits)), batch["target"]].mean()

    def test_an_evaluation_is_the_formula_over_all_samples(self):
        step = mpc_compiler.load(programs.compiled("--precision=fp32", "--optimizer=sgd", "--with-eval"))
        weights, held = programs.weights(), samples(HELD, 6)
        logits = held["x"].astype(np.float64) @ weights["fc.weight"].T.astype(np.float64) + weights["fc.bias"]
        logs = logits - np.log(np.exp(logits).sum(1, keepdims=True))
        loss = -logs[np.arange(HELD), held["target"]].mean()
        files = DataFiles(written() / "held.npz", step)
        next(iter(files))
        position = files.position
        found = step.evaluate_all(files)
        self.assertAlmostEqual(found["loss"], loss, delta=1e-6)
        self.assertEqual(found["accuracy"], (logits.argmax(1) == held["target"]).mean())
        self.assertEqual(found, step.evaluate_all(**held))
        self.assertEqual(files.position, position)
        self.assertEqual(found, mpc_compiler.load(
            programs.compiled("--precision=fp32", "--optimizer=sgd", "--with-eval")).evaluate_all(files))
        with self.assertRaisesRegex(UsageError, "files name their own tensors"):
            step.evaluate_all(files, shared=["x"])
        with self.assertRaisesRegex(InvalidInputError, "no evaluation beside its step"):
            mpc_compiler.load(programs.compiled("--precision=fp32", "--optimizer=sgd")).evaluate_all(files)

    def test_mpc_run_goes_on_from_where_a_loop_was_saved(self):
        program, folder = programs.compiled(*RECIPE), programs.folder() / "resumed"
        step = mpc_compiler.load(program, seed=3)
        step.lr = 0.1
        data = DataFiles(parts(), step, seed=3, last_batch="wrap")
        for batch in data.batches(7):
            step(**batch)
        step.save_checkpoint(folder, data.position)
        del step  # Folders are locked while they are open.
        words = (program, f"--data={parts()}", "--seed=3", "--lr=0.1", "--last-batch=wrap", "--steps=16")
        tool("mpc-run", *words, "--resume", f"--checkpoint-dir={folder}", f"--metrics={programs.folder() / 'rest.csv'}")
        tool("mpc-run", *words, f"--metrics={programs.folder() / 'whole.csv'}")
        rest, whole = (rows(programs.folder() / f"{name}.csv") for name in ("rest", "whole"))
        self.assertEqual([row["loss"] for row in rest], [row["loss"] for row in whole[7:]])
        step = mpc_compiler.load(program, seed=3)
        again = DataFiles(parts(), step, seed=3, last_batch="wrap")
        again.restore(step.load_checkpoint(folder))
        self.assertEqual((again.position["epoch"], again.position["position"]), (2, 32))

    def test_a_resume_without_a_place_begins_the_data_anew(self):
        program, folder = programs.compiled(*RECIPE), programs.folder() / "placeless"
        step = mpc_compiler.load(program, seed=3)
        step.lr = 0.1
        step(*programs.batch())
        step.save_checkpoint(folder)
        losses = [step(**batch).loss for batch in DataFiles(parts(), step, seed=3)]
        del step
        said = tool("mpc-run", program, f"--data={parts()}", "--seed=3", "--lr=0.1", "--steps=6", "--resume",
                    f"--checkpoint-dir={folder}", f"--metrics={programs.folder() / 'anew.csv'}")
        self.assertRegex(
            said, "note: .*ckpt-00000001.safetensors: has no position in the data, which is read from its beginning"
        )
        self.assertEqual([float(row["loss"]) for row in rows(programs.folder() / "anew.csv")], losses)
        step = mpc_compiler.load(program)
        step.save_checkpoint(programs.folder() / "bare")
        data = DataFiles(parts(), step)
        data.restore(step.load_checkpoint(programs.folder() / "bare"))
        self.assertEqual(data.position["position"], 0)


if __name__ == "__main__":
    unittest.main()
