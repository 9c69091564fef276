# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps on several ranks that mpirun starts, beside one process with the same batches.

    mpirun -n 2 python ranks_test.py FOLDER NAME  is their script

Ranks with a GPU have that of the test driver, and the test NCCL.
"""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import mpc_compiler
import numpy as np
from mpc_compiler import UsageError

MODEL = pathlib.Path(__file__).resolve().parents[2] / "Inputs/models/mlp.onnx"

LIBRARIES = pathlib.Path(mpc_compiler.__file__).absolute().parents[2] / "lib"
GPUS = {"MPC_CUDA_DRIVER": str(LIBRARIES / "libMpcFakeCuda.so"), "MPC_NVRTC": str(LIBRARIES / "libMpcFakeNvrtc.so"),
        "MPC_NCCL": str(LIBRARIES / "libMpcFakeNccl.so"), "MPC_CUBLASLT": "off"}

STEPS, BATCHES = 10, 4


def batch(number):
    draw = np.random.default_rng(number)
    return draw.normal(size=(8, 64)).astype(np.float32), draw.integers(0, 10, 8)


def make(ranks, shard):
    options = {"shard": shard} if ranks is not None else {"sum_order": "pairs"}
    if "MPC_NCCL" in os.environ:
        options["cpu"] = "cuda:sm_90"
    # Ranks of other seeds: the state of the first counts.
    seed = 5 if ranks is None else 5 + ranks.rank
    step = mpc_compiler.compile_step(
        MODEL, loss="cross_entropy", optimizer="adamw", precision="fp16", lr=0.01, seed=seed,
        scaler={"policy": "dynamic", "init_scale": 2.0**20}, max_scale=1e12, accumulate=BATCHES, num_threads=1,
        ranks=ranks, **options)
    if ranks is not None:
        step.broadcast()
    return step


def join(folder):
    """The ranks that the environment says there are."""
    if "OMPI_COMM_WORLD_SIZE" in os.environ:
        return mpc_compiler.ranks.mpi(timeout=20)
    return mpc_compiler.ranks.nccl(device=0, rendezvous=f"{folder}/meet") if "WORLD_SIZE" in os.environ else None


def train(folder, name, shard="off"):
    """Losses, skips and the digest of the state after some steps, and after as many from a checkpoint."""
    ranks = join(folder)
    size = 1 if ranks is None else ranks.size
    first = 0 if ranks is None else ranks.rank
    step = make(ranks, shard)
    assert step.batches_per_step == BATCHES // size
    results = []
    for number in range(STEPS):
        if number == STEPS // 2:
            # A divided state in parts, which the same call loads.
            step.save_checkpoint(f"{folder}/{name}", parts=shard == "optimizer")
            assert first or pathlib.Path(f"{folder}/{name}/ckpt-{number:08}").is_dir() == (shard == "optimizer")
            del step
            step = make(ranks, shard)
            step.load_checkpoint(f"{folder}/{name}")
        for own in range(BATCHES // size):
            result = step(*batch(number * BATCHES + first * (BATCHES // size) + own))
        results.append([result.loss, result.skipped, result.scale])
    values = b"".join(np.ascontiguousarray(v).tobytes() for v in state_of(step))
    text = json.dumps([results, hashlib.sha256(values).hexdigest()])
    pathlib.Path(f"{folder}/{name}.{first}.json").write_text(text)


def state_of(step):
    state = step.state_dict()
    found = []

    def walk(value):
        if isinstance(value, dict):
            for key in sorted(value, key=str):
                walk(value[key])
        elif hasattr(value, "shape"):
            found.append(np.asarray(value))

    walk(state)
    return found


@unittest.skipUnless(shutil.which("mpirun.openmpi"), "no mpirun.openmpi here")
class RanksTest(unittest.TestCase):
    def run_on(self, size, folder, shard="off"):
        words = [sys.executable, "-B", __file__, folder, f"{size}-{shard}", shard]
        if size > 1:
            words = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-n", str(size), *words]
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [pathlib.Path(f"{folder}/{size}-{shard}.{rank}.json").read_text() for rank in range(size)]

    def test_ranks_train_as_one_process(self):
        with tempfile.TemporaryDirectory() as folder:
            (alone,) = self.run_on(1, folder)
            skips = {skipped for _, skipped, _ in json.loads(alone)[0]}
            self.assertEqual(skips, {False, True})
            for size, shard in ((2, "off"), (4, "off"), (4, "optimizer")):
                self.assertEqual(self.run_on(size, folder, shard), [alone] * size, shard)


@unittest.skipUnless(os.path.exists(GPUS["MPC_NCCL"]), "no test NCCL here")
class GpuRanksTest(unittest.TestCase):
    def run_on(self, size, folder, shard="off"):
        words = [sys.executable, "-B", __file__, folder, f"gpu-{size}-{shard}", shard]
        places = [{}] if size == 1 else [{"RANK": str(rank), "WORLD_SIZE": str(size)} for rank in range(size)]
        begun = [subprocess.Popen(words, env={**os.environ, **GPUS, **place}, stderr=subprocess.PIPE, text=True)
                 for place in places]
        for one in begun:
            said = one.communicate(timeout=300)[1]
            self.assertEqual(one.returncode, 0, said)
        return [pathlib.Path(f"{folder}/gpu-{size}-{shard}.{rank}.json").read_text() for rank in range(size)]

    def test_gpus_train_as_one(self):
        with tempfile.TemporaryDirectory() as folder:
            (alone,) = self.run_on(1, folder)
            self.assertEqual({skipped for _, skipped, _ in json.loads(alone)[0]}, {False, True})
            for shard in ("off", "optimizer"):
                self.assertEqual(self.run_on(2, folder, shard), [alone] * 2, shard)

    def test_what_nobody_says_is_named(self):
        variables = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "1", "RANK": "0", "WORLD_SIZE": "2"}
        with mock.patch.dict(os.environ, variables):
            with self.assertRaisesRegex(UsageError, "neither an argument nor LOCAL_RANK says it"):
                mpc_compiler.ranks.nccl()


class RefusalsTest(unittest.TestCase):
    def two(self):
        """A group of two of which only this one is there."""
        return mpc_compiler.ranks.Ranks.create(0, 2, lambda sends, receives: None)

    def test_no_launcher_no_ranks(self):
        with self.assertRaisesRegex(UsageError, "no launcher has started this process"):
            mpc_compiler.ranks.mpi()

    def test_a_program_is_for_its_number_of_ranks(self):
        step = mpc_compiler.compile_step(MODEL, loss="cross_entropy", ranks=self.two())
        self.assertEqual((step.ranks.rank, step.ranks.size, step.batches_per_step), (0, 2, 1))
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/step.mpc"
            mpc_compiler.compile_step(MODEL, loss="cross_entropy", save=path)
            with self.assertRaisesRegex(UsageError, "the program is for 1 ranks, and there are 2"):
                mpc_compiler.load(path, ranks=self.two())

    def test_what_follows_from_the_ranks_is_refused(self):
        with self.assertRaisesRegex(UsageError, "sum_order= follows from ranks="):
            mpc_compiler.compile_step(MODEL, loss="cross_entropy", ranks=self.two(), sum_order="batches")
        with self.assertRaisesRegex(UsageError, "2 ranks share the batches of a step"):
            mpc_compiler.compile_step(MODEL, loss="cross_entropy", ranks=self.two(), accumulate=3)


if __name__ == "__main__":
    train(*sys.argv[1:])
