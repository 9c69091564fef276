#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains on GPUs of the test driver that the test NCCL connects, one for each process.

    python ranks_nccl.py bits INPUTS LIBRARIES FOLDER      the bytes of one process on such a GPU
    python ranks_nccl.py faults INPUTS LIBRARIES FOLDER    what ends, is missing, or is in the way
"""
import os
import pathlib
import signal
import subprocess
import sys
import time

from ranks import ENVIRONMENT, LAUNCHER, write_data


# A step of the emulator takes a second where others run beside it, and many under a sanitizer.
PATIENCE = 60 if "ASAN_OPTIONS" in os.environ else 10


class Gpus:
    """Processes as torchrun starts them, each with a GPU."""

    def __init__(self, libraries, folder):
        self.folder = folder
        self.libraries = libraries
        self.number = 0
        self.environment = dict(
            ENVIRONMENT,
            MPC_CUDA_DRIVER=f"{libraries}/libMpcFakeCuda.so",
            MPC_NVRTC=f"{libraries}/libMpcFakeNvrtc.so",
            MPC_NCCL=f"{libraries}/libMpcFakeNccl.so",
            MPC_SIMT_CHECKS="0",  # Some ten times as fast: of the kernels, "window" has the races and accesses checked.
        )

    def begin(self, count, flags, settings={}, tool="mpc-train", **environment):
        """`settings` has the faults of the test NCCL by rank."""
        self.number += 1
        place = f"--rendezvous={self.folder}/meet-{self.number}"
        if not any(flag.startswith("--rendezvous") for flag in flags):
            flags = [place, *flags]
        words = [tool, *flags, "--ranks=nccl", "--threads=1"]

        def start(rank):
            own = {"RANK": str(rank), "WORLD_SIZE": str(count), "LOCAL_WORLD_SIZE": str(count),
                   "LOCAL_RANK": str(rank), "MPC_FAKE_CUDA": f"devices={count}",
                   "MPC_FAKE_NCCL": settings.get(rank, "")}
            return subprocess.Popen(words, env={**self.environment, **own, **environment}, stderr=subprocess.PIPE,
                                    stdout=subprocess.PIPE, text=True)

        return [start(rank) for rank in range(count)]

    def end(self, begun):
        """The exit code and the errors of each."""
        said = [one.communicate(timeout=300)[1] for one in begun]
        return [(one.returncode, text) for one, text in zip(begun, said)]

    def run(self, *words, **options):
        return self.end(self.begin(*words, **options))


def bytes_of(folder):
    newest = max(pathlib.Path(folder).glob("ckpt-*.safetensors"))
    return newest.read_bytes()


def metrics_of(path):
    rows = [line.split(",") for line in open(path).read().split()]
    timed = rows[0].index("step_ms")
    return [row[:timed] + row[timed + 1:] for row in rows]


# Parts of its state are longer than the 16 MiB that a message has on the GPU at a time.
WIDE = """
nn.parameter @w : tensor<81920x64xf32> = #nn.init<uniform 0.1>
func.func @model(%x: tensor<8x64xf32> {nn.name = "x"}) -> (tensor<8x81920xf32> {nn.name = "y"}) {
  %w = nn.get @w : tensor<81920x64xf32>
  %y = nn.linear %x, %w : tensor<8x64xf32>, tensor<81920x64xf32> -> tensor<8x81920xf32>
  return %y : tensor<8x81920xf32>
}
"""


def compare(gpus, name, counts, flags, target="cuda", **options):
    # Alone, without a launcher, on such a GPU too.
    alone = f"{gpus.folder}/{name}-alone"
    outputs = lambda place: [f"--checkpoint-dir={place}", f"--metrics={place}.csv", f"--target={target}"]
    done = subprocess.run(["mpc-train", *flags, *outputs(alone), "--sum-order=pairs", "--threads=1"],
                          env=gpus.environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    for count in counts:
        place = f"{gpus.folder}/{name}-{count}"
        ended = gpus.run(count, [*flags, *outputs(place)], **options)
        assert all(code == 0 for code, _ in ended), ended
        assert bytes_of(place) == bytes_of(alone), f"{name}: other bytes on {count} GPUs"
        assert metrics_of(f"{place}.csv") == metrics_of(f"{alone}.csv"), f"{name}: other metrics on {count} GPUs"
    print(f"{name}: the same on {', '.join(map(str, counts))}")
    return metrics_of(f"{alone}.csv")


def bits(inputs, libraries, folder):
    gpus = Gpus(libraries, folder)
    model = [f"{inputs}/models/mlp.onnx", *write_data(folder)]
    base = [*model, "--steps=6", "--accumulate=4"]
    # In fp32 the emulator takes three times as long.
    compare(gpus, "window", [4], [*model, "--steps=2", "--accumulate=4", "--shard=off"], MPC_SIMT_CHECKS="1")
    rows = compare(gpus, "fp16", [4], [*base, "--precision=fp16", "--init-scale=2097152", "--max-scale=1e12",
                                       "--clip-global-norm=0.1"])
    skipped = [row[rows[0].index("skipped")] for row in rows[1:]]
    assert "1" in skipped and "0" in skipped, skipped
    # Slots, averages and f32 weights are divided; messages come late, and NCCL does not answer at once.
    divided = [*base, "--optimizer=adamw", "--ema=0.9", "--precision=bf16", f"--eval-data={folder}/data.safetensors",
               "--eval-every=3", "--keep-best=loss"]
    compare(gpus, "divided", [2], divided, settings={0: "late=20", 1: "slow=3"})
    parts = [*divided, f"--checkpoint-dir={folder}/parts"]
    begun = [*(flag for flag in parts if flag != "--steps=6"), "--steps=3", "--checkpoint-parts"]
    for flags in (begun, [*parts, "--resume"]):
        ended = gpus.run(2, [*flags, "--target=cuda"])
        assert all(code == 0 for code, _ in ended), ended
    assert bytes_of(f"{folder}/parts") == bytes_of(f"{folder}/divided-alone"), "other bytes after a resume"
    print("parts: resumed as if nothing had ended")
    compare(gpus, "thirds", [3], [*model, "--steps=2", "--accumulate=6", "--optimizer=adamw", "--slot-dtype=bf16"])
    wide = f"{folder}/wide.mlir"
    pathlib.Path(wide).write_text(WIDE)
    compare(gpus, "wide", [2], [wide, *model[1:], "--steps=2", "--accumulate=2", "--optimizer=adamw"], target="cpu")


def faults(inputs, libraries, folder):
    gpus = Gpus(libraries, folder)
    base = [f"{inputs}/models/mlp.onnx", *write_data(folder), "--accumulate=2", "--target=cuda"]
    long = [*base, "--steps=1000000", f"--metrics={folder}/long.csv"]

    def stop(event, flags):
        """What the other rank says when this happens to rank 1, and how soon."""
        metrics = pathlib.Path(f"{folder}/long.csv")
        metrics.unlink(missing_ok=True)
        begun = gpus.begin(2, [*long, *flags])
        while not metrics.exists() or len(metrics.read_text().split()) < 3:
            assert begun[0].poll() is None, begun[0].communicate()[1]
            time.sleep(0.1)
        begun[1].send_signal(event)
        sent = time.time()
        code, text = begun[0].wait(timeout=60 + 2 * PATIENCE), begun[0].communicate()[1]
        taken = time.time() - sent
        begun[1].kill()
        begun[1].communicate()
        assert code == 4, (code, text)
        return text, taken

    text, taken = stop(signal.SIGKILL, [])
    assert "rank 0: error: " in text and "remote process exited or there was a network error (6)" in text, text
    # Of the 600 seconds of --rank-patience.
    assert taken < 60, taken
    print("a rank that is killed: the others end")
    text, taken = stop(signal.SIGSTOP, [f"--rank-timeout={PATIENCE}", f"--rank-patience={PATIENCE}"])
    assert f"waited {PATIENCE}.0 s for another rank" in text and taken < 60 + PATIENCE, (text, taken)
    assert "rank 0: error: " in text, text
    print("a rank that is stopped: waited for, and then left")

    short = [*base, "--steps=4"]
    for what, setting, message in [
        ("an error in the midst", "error=5:2", "NCCL: unhandled system error (2)"),
        ("no communicator", "fail=ncclCommInitRankConfig:1:2", "ncclCommInitRankConfig: unhandled system error (2)"),
        ("a message that is refused", "fail=ncclSend:3:5", "ncclSend: error of the test NCCL (5)"),
        ("a group that is refused", "fail=ncclGroupEnd:2:2", "ncclGroupEnd: unhandled system error (2)"),
    ]:
        # Nobody waits for the rest of it, for which all would have 600 seconds.
        ended = gpus.run(2, [*short, f"--rank-timeout={PATIENCE}"], settings={1: setting})
        assert ended[1][0] == 4 and message in ended[1][1], ended
        assert ended[0][0] == 4, ended
        print(f"{what}: both end")

    def refused(code, message, flags=short, count=2, **environment):
        ended = gpus.run(count, flags, **environment)
        assert all(one == code and message in text for one, text in ended), ended

    refused(3, "no NCCL, by which ranks on GPUs reach each other", MPC_NCCL="/none")
    refused(3, "has no symbol 'ncclGetVersion': it is too old", MPC_NCCL=gpus.environment["MPC_CUDA_DRIVER"])
    refused(3, "rank 0 is number 3 of its machine, which has 1 GPUs", count=1, LOCAL_RANK="3", WORLD_SIZE="2")
    pathlib.Path(f"{folder}/taken").touch()
    refused(2, "is there already, of a training that goes on or that was killed", count=1, WORLD_SIZE="2",
            flags=[*short, f"--rendezvous={folder}/taken"])
    words = [*LAUNCHER, "-n", "2", "mpc-train", *short, "--threads=1"]
    done = subprocess.run(words, env=gpus.environment, capture_output=True, text=True, timeout=300)
    assert "ranks on GPUs reach each other by --ranks=nccl" in done.stderr, done.stderr
    done = subprocess.run([*words, "--ranks=nccl"], env=gpus.environment, capture_output=True, text=True, timeout=300)
    assert "--rendezvous=HOST:PORT, or a file that all ranks see" in done.stderr, done.stderr
    print("what is missing: said")


if __name__ == "__main__":
    name, *arguments = sys.argv[1:]
    pathlib.Path(arguments[-1]).mkdir(parents=True, exist_ok=True)
    {"bits": bits, "faults": faults}[name](*arguments)
