#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults of ranks in numbers that a suite has no time for; by hand.

    python ranks_campaign.py infinities INPUTS FOLDER [STEPS]      an infinite input of each rank in each step
    python ranks_campaign.py moments INPUTS FOLDER [COUNT [SEED]]  ranks that die or stop at random moments

infinities: on 4 ranks with one batch each, and with two; the step is skipped by all, the scale is halved, the bytes are those of
one process, and the states of all ranks are compared after each step. moments: survivors end with 4, within the deadline and half a
second, and name the rank but where MPI itself starts or ends; one that stops for a second goes on; the last checkpoint resumes on 1, 2 or 4 ranks to the bytes of a run
that nothing has disturbed.
"""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
from safetensors.numpy import save_file

import ranks

DEADLINE = 2.0
STEPS = 200


def infinities(inputs, folder, steps=20):
    steps = int(steps)
    draw = np.random.default_rng(3)
    x, target = draw.normal(size=(8 * 8 * steps, 64)).astype(np.float32), draw.integers(0, 10, 8 * 8 * steps)
    path = f"{folder}/data.safetensors"
    flags = [f"{inputs}/models/mlp.onnx", f"--data={path}", "--lr=0.01", "--seed=5", "--order=sequential", f"--steps={steps}",
             "--precision=fp16", "--optimizer=adamw", "--init-scale=1024", "--check-ranks=1"]
    for batches in (4, 8):
        held = 0
        for step in range(steps):
            for rank in range(4):
                value = random.choice([np.inf, -np.inf, np.nan])
                bad = x.copy()
                bad[8 * (batches * step + rank * batches // 4 + random.randrange(batches // 4)), random.randrange(64)] = value
                save_file({"x": bad, "target": target}, path)
                own = [*flags, f"--accumulate={batches}"]
                for count in (4, 0):
                    shutil.rmtree(f"{folder}/on-{count}", ignore_errors=True)
                found = [ranks.train(f"{folder}/on-{count}", count, own) for count in (4, 0)]
                assert found[0] == found[1], f"rank {rank}, step {step}: other bytes"
                rows = [dict(zip(found[0][1][0], row)) for row in found[0][1][1:]]
                skipped = [row["skipped"] == "1" for row in rows]
                assert skipped == [i == step for i in range(steps)], (rank, step, skipped)
                scales = [float(row["scale"]) for row in rows]
                assert scales == [1024.0] * (step + 1) + [512.0] * (steps - step - 1), (rank, step, scales)
                held += 1
        print(f"{batches} batches a step: {held} of {4 * steps} skipped by all, with the bytes of one process", flush=True)


def start(flags, folder):
    """Four ranks, each of which leaves its exit code in a file."""
    shell = " ".join(["mpc-train", *flags, "--threads=1"]) + f"; echo $? > {folder}/code.$OMPI_COMM_WORLD_RANK"
    words = [*ranks.LAUNCHER, "--enable-recovery", "-n", "4", "sh", "-c", shell]
    return subprocess.Popen(words, env=ranks.ENVIRONMENT, stderr=open(f"{folder}/text", "w"), stdout=subprocess.DEVNULL)


def processes(launcher):
    """The process of each rank, in their order: those of the launcher's shells."""
    found = []
    for _, shell in sorted(ranks.children(launcher).items()):
        try:
            own = pathlib.Path(f"/proc/{shell}/task/{shell}/children").read_text().split()
        except OSError:
            return []
        if not own:
            return []
        found.append(int(own[0]))
    return found


def codes(folder):
    return {int(path.suffix[1:]): path.read_text().strip() for path in pathlib.Path(folder).glob("code.*") if path.read_text()}


def one_moment(flags, folder, draw, whole):
    """What was done, and at which part of a run."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    launcher = start([*flags, f"--checkpoint-dir={folder}/checkpoints", "--checkpoint-every=5"], folder)
    rank, kind = draw.randrange(4), draw.choice(["killed", "stopped", "stopped for 1 s"])
    while len(processes(launcher)) < 4:
        time.sleep(0.01)
    time.sleep(draw.uniform(0.0, 2.5))
    pids = processes(launcher)
    if len(pids) < 4:
        return "over"
    os.kill(pids[rank], signal.SIGKILL if kind == "killed" else signal.SIGSTOP)
    begun = time.time()
    if kind == "stopped for 1 s":
        time.sleep(1)
        os.kill(pids[rank], signal.SIGCONT)
        launcher.wait(timeout=120)
        assert codes(folder) == dict.fromkeys(range(4), "0"), (kind, rank, codes(folder), open(f"{folder}/text").read())
    else:
        others = set(range(4)) - {rank}
        while not others <= codes(folder).keys():
            assert time.time() - begun < 30, f"{kind} {rank}: {open(f'{folder}/text').read()}"
            time.sleep(0.01)
        taken = time.time() - begun
        text = open(f"{folder}/text").read()
        if kind == "stopped":
            os.kill(pids[rank], signal.SIGKILL)
        launcher.wait(timeout=60)
        found = codes(folder)
        if all(found[other] == "0" for other in others):
            return "over"
        assert all(found[other] == "4" for other in others), (kind, rank, found, text)
        assert f"rank {rank} does not answer" in text or "another rank is missing" in text, (kind, rank, text)
        assert taken < DEADLINE + 0.5, (kind, rank, taken)
    count = draw.choice([1, 2, 4])
    resumed = ranks.train(f"{folder}/checkpoints", count, [*flags, "--resume"])
    assert resumed[0] == whole, f"{kind} {rank}: resumed on {count} ranks to other bytes"
    return kind


def moments(inputs, folder, count=80, seed=1):
    draw = random.Random(int(seed))
    flags = [f"{inputs}/models/mlp.onnx", *ranks.write_data(folder), "--accumulate=4", f"--steps={STEPS}", "--precision=bf16", "--optimizer=adamw", "--ema=0.9",
             f"--rank-timeout={DEADLINE}"]
    whole = ranks.train(f"{folder}/whole", 4, flags)[0]
    done = {}
    while sum(done.values()) < int(count):
        kind = one_moment(flags, f"{folder}/one", draw, whole)
        if kind != "over":
            done[kind] = done.get(kind, 0) + 1
    print(f"{sum(done.values())} moments: {done}")


if __name__ == "__main__":
    name, inputs, folder, *more = sys.argv[1:]
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    random.seed(1)
    {"infinities": infinities, "moments": moments}[name](inputs, folder, *more)
