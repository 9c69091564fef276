# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills trainings at random moments and holds what they resume to against an unbroken run.

    python kill_campaign.py KILLS [--seed=N] [--steps=N] -- mpc-train MODEL FLAG...

The command gets --steps, --metrics, --checkpoint-dir, --checkpoint-every=1 and --resume
here. A run is killed with SIGKILL at a moment drawn uniformly over the time that a whole
run takes, resumed, killed again, and so on; a run that ends counts, and a new one starts.
How long a run takes is learnt on the way, since a machine gets busy and idle again.
Each has to end with the checkpoint and the metrics of the unbroken run, bit for bit.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile
import time


class Campaign:
    def __init__(self, command, steps, scratch):
        self.command = command
        self.steps = steps
        self.scratch = scratch
        self.kills = self.ends = 0
        self.between_steps = self.within_writes = 0
        self.longest = 0.0  # Seconds of a whole run, as far as known.

    def start(self, name):
        folder = self.scratch / name
        return subprocess.Popen(
            [
                *self.command,
                f"--steps={self.steps}",
                f"--metrics={folder}.csv",
                f"--checkpoint-dir={folder}",
                "--checkpoint-every=1",
                "--resume",
            ],
            stdout=subprocess.DEVNULL,
            stderr=(self.scratch / "stderr").open("w"),
        )

    def finish(self, process):
        if process.wait() != 0:
            raise SystemExit(f"exit {process.returncode}: {(self.scratch / 'stderr').read_text()}")

    def result(self, name):
        """Bytes of the last checkpoint, and the metrics without the times."""
        rows = (self.scratch / f"{name}.csv").read_text().splitlines()
        weights = self.scratch / name / f"ckpt-{self.steps:08}.safetensors"
        return weights.read_bytes(), [row.rpartition(",")[0] for row in rows]

    def run_broken(self, name, wanted_kills, generator):
        """One training that is killed until it ends, or has been killed often enough."""
        while True:
            process, begin = self.start(name), time.monotonic()
            if self.kills >= wanted_kills:
                break
            try:
                process.wait(generator.uniform(0.0, self.longest))
                self.longest = max(self.longest / 2, time.monotonic() - begin)
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                self.kills += 1
                if not self.look_at(name):
                    self.longest *= 1.3
        self.finish(process)
        self.ends += 1

    def look_at(self, name):
        """Counts kills that left checkpoints, or a half-written one, behind. True for the former."""
        folder = self.scratch / name
        files = [file.name for file in folder.iterdir()] if folder.exists() else []
        whole = [file for file in files if file.startswith("ckpt-") and file.endswith(".safetensors")]
        self.between_steps += bool(whole)
        self.within_writes += any("tmp" in file for file in files)
        return bool(whole)

    def remove(self, name):
        for file in (self.scratch / name).iterdir():
            file.unlink()
        (self.scratch / name).rmdir()
        (self.scratch / f"{name}.csv").unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kills", type=int)
    parser.add_argument("--seed", type=int, default=1, help="default: 1")
    parser.add_argument("--steps", type=int, default=20, help="of each training (default: 20)")
    parser.add_argument("command", nargs="+", help="after --: mpc-train with its model, data and recipe")
    arguments = parser.parse_args()
    generator = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as scratch:
        campaign = Campaign(arguments.command, arguments.steps, pathlib.Path(scratch))
        begin = time.monotonic()
        campaign.finish(campaign.start("unbroken"))
        campaign.longest = time.monotonic() - begin
        unbroken = campaign.result("unbroken")
        while campaign.kills < arguments.kills:
            name = f"broken-{campaign.ends}"
            campaign.run_broken(name, arguments.kills, generator)
            if campaign.result(name) != unbroken:
                raise SystemExit(f"after {campaign.kills} kills: the resumed run ended elsewhere")
            campaign.remove(name)
    print(f"{campaign.kills} kills: {campaign.between_steps} after a checkpoint, {campaign.within_writes} within one")
    print(f"{campaign.ends} trainings ended as the unbroken one")


if __name__ == "__main__":
    sys.exit(main())
