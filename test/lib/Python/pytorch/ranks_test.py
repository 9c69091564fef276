# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""step() on several ranks that torchrun starts, beside one process with the same batches.

    torchrun --nproc-per-node=2 ranks_test.py FOLDER  is their script
"""
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import mpc_compiler
from mpc_compiler import UsageError

try:
    import torch
    import torch.distributed as dist
    from torch.nn import functional as F
except ImportError:
    torch = None

STEPS, BATCHES = 6, 4


def make_mlp(seed):
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))


def train(ranks):
    """The losses, and the digest of the module's and the optimizer's state."""
    rank, size = (0, 1) if ranks is None else (ranks.rank, ranks.size)
    model = make_mlp(rank)  # Of other weights on other ranks: those of the first count.
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    options = {"sum_order": "pairs"} if ranks is None else {"ranks": ranks}
    step = mpc_compiler.step(model, optimizer, F.cross_entropy, precision="bf16", accumulate=BATCHES, **options)
    draw = torch.Generator().manual_seed(7)
    x = torch.randn(STEPS * BATCHES, 8, 16, generator=draw)
    y = torch.randint(0, 4, (STEPS * BATCHES, 8), generator=draw)
    losses = []
    own = BATCHES // size
    for number in range(STEPS):
        for i in range(own):
            at = number * BATCHES + rank * own + i
            step(x[at], target=y[at])
        losses.append(step.result.loss)
        scheduler.step()
    tensors = [*model.parameters(), *(v for state in optimizer.state.values() for v in state.values())]
    content = b"".join(t.detach().numpy().tobytes() for t in tensors)
    return f"{losses} {hashlib.sha256(content).hexdigest()}"


@unittest.skipUnless(torch, "torch is not installed")
class RanksTest(unittest.TestCase):
    def test_ranks_train_as_one_process(self):
        alone = train(None)
        for size in (2, 4):
            with tempfile.TemporaryDirectory() as folder:
                words = [sys.executable, "-m", "torch.distributed.run", f"--nproc-per-node={size}", "--master-port=0",
                         "--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0", __file__, folder]
                done = subprocess.run(words, capture_output=True, text=True, timeout=300)
                self.assertEqual(done.returncode, 0, done.stderr)
                told = [pathlib.Path(folder, str(rank)).read_text() for rank in range(size)]
            self.assertEqual(told, [alone] * size)

    def one(self):
        """A group of two of which only this one is there."""
        return mpc_compiler.ranks.Ranks.create(0, 2, lambda sends, receives: self.fail("nothing is to be sent"))

    def test_what_follows_from_the_ranks_is_refused(self):
        model = make_mlp(0)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        step = mpc_compiler.step(model, optimizer, F.cross_entropy, ranks=self.one(), num_ranks=3)
        with self.assertRaisesRegex(UsageError, "num_ranks= follows from ranks="):
            step(torch.zeros(2, 16), target=torch.zeros(2, dtype=torch.long))

    def test_an_optimizer_that_torch_runs_is_refused(self):
        model = make_mlp(0)
        optimizer = torch.optim.Adafactor(model.parameters(), lr=0.1)
        step = mpc_compiler.step(model, optimizer, F.cross_entropy, ranks=self.one())
        with self.assertRaisesRegex(UsageError, "ranks= wants an optimizer that is compiled, and torch runs this one"):
            step(torch.zeros(2, 16), target=torch.zeros(2, dtype=torch.long))

    def test_an_exchange_that_fails_names_what_it_said(self):
        def exchange(sends, receives):
            raise RuntimeError("the wire is cut")

        model = make_mlp(0)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        ranks = mpc_compiler.ranks.Ranks.create(0, 2, exchange)
        step = mpc_compiler.step(model, optimizer, F.cross_entropy, ranks=ranks)
        with self.assertRaisesRegex(mpc_compiler.PeerError, "the wire is cut"):
            step(torch.zeros(2, 16), target=torch.zeros(2, dtype=torch.long))

    def test_a_group_must_be_there(self):
        with self.assertRaisesRegex(UsageError, "torch.distributed is not initialized"):
            mpc_compiler.ranks.torch()


if __name__ == "__main__":
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    found = train(mpc_compiler.ranks.torch())
    pathlib.Path(sys.argv[1], os.environ["RANK"]).write_text(found)
    dist.destroy_process_group()
