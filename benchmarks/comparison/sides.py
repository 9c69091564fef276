# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The processes of the sides, as the script that asks them sees them."""
import json
import os
import pathlib
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
TICKS = os.sysconf("SC_CLK_TCK")


def machine_seconds():
    """Seconds of processors that were not idle, since the machine started."""
    fields = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    return (sum(map(int, fields)) - int(fields[3]) - int(fields[4])) / TICKS


def process_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15])) / TICKS


class Gone(RuntimeError):
    """A side's process has ended."""


class Worker:
    def __init__(self, side, python, threads, environment):
        command = [python, "-B", HERE / "worker.py", side, f"--threads={threads}"]
        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, **environment},
        )
        self.facts = self.read()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise Gone(f"its process ended with {self.process.wait()}")
        return json.loads(line)

    def ask(self, **request):
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Gone(f"its process ended with {self.process.wait()}") from None
        return self.read()

    def measure(self, mode, seconds):
        """The times of a slice, and how many processors others used meanwhile."""
        begin, machine, own = time.perf_counter(), machine_seconds(), process_seconds(self.process.pid)
        answer = self.ask(do="go", mode=mode, seconds=seconds)
        wall = time.perf_counter() - begin
        others = machine_seconds() - machine - (process_seconds(self.process.pid) - own)
        return answer, max(0.0, others / wall)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Sides:
    """Workers, started when they are first asked."""

    def __init__(self, pythons, threads, environments, tell):
        self.pythons, self.threads, self.environments, self.tell = pythons, threads, environments, tell
        self.workers, self.absent = {}, set()

    def find(self, side):
        """The side's worker; None where its library is not installed."""
        if side in self.absent:
            return None
        if side not in self.workers:
            worker = Worker(side, self.pythons[side], self.threads, self.environments.get(side, {}))
            if worker.facts["event"] == "absent":
                worker.end()
                self.absent.add(side)
                self.tell({"kind": "absent", "side": side, "why": worker.facts["why"]})
                return None
            self.workers[side] = worker
            self.tell({"kind": "side", "side": side, "version": worker.facts["version"]})
        return self.workers[side]

    def forget(self, side):
        """Of a process that has ended: the next case starts another."""
        self.workers.pop(side, None)

    def close_calls(self):
        for side, worker in list(self.workers.items()):
            try:
                worker.ask(do="close")
            except Gone:
                self.forget(side)

    def end(self):
        for worker in self.workers.values():
            worker.end()
