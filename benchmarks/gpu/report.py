# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What prove.py and measure.py find, row by row: in a file after each, so that whatever ends them leaves what there was."""
import json
import os
import signal
import subprocess
import time

QUERIES = ("name", "driver_version", "clocks.sm", "clocks.mem", "clocks.max.sm", "power.draw", "power.limit",
           "temperature.gpu", "clocks_throttle_reasons.active", "memory.used", "memory.total")
# A process that is told to end may take so long; what runs at the end of the budget is told so long before.
GRACE = 5


class Failed(RuntimeError):
    """A row without a number."""


def clocks():
    """What the device's own tool tells, read only; empty where it is not found."""
    try:
        done = subprocess.run(
            ["nvidia-smi", f"--query-gpu={','.join(QUERIES)}", "--format=csv,noheader,nounits"], text=True, timeout=20,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    values = done.stdout.splitlines()[0].split(", ") if done.returncode == 0 and done.stdout else []
    return dict(zip(QUERIES, values))


def last_line(text):
    return (text.strip().splitlines() or ["it said nothing"])[-1]


class Report:
    """Rows of one command, which ends before its budget does."""

    def __init__(self, path, budget, facts):
        self.path, self.end = path, time.monotonic() + budget
        self.content = {"budget_s": budget, **facts, "before": clocks(), "rows": []}
        self.write()

    @property
    def rows(self):
        return self.content["rows"]

    @property
    def left(self):
        return self.end - GRACE - time.monotonic()

    def write(self):
        """A reader never finds half a file."""
        whole = self.path.with_name(self.path.name + ".part")
        whole.write_text(json.dumps(self.content, indent=1) + "\n")
        os.replace(whole, self.path)

    def begin(self, name, **facts):
        """A row that is an error until it has a number."""
        row = {"row": name, "error": "not begun", **facts}
        self.rows.append(row)
        return row

    def fill(self, row, work):
        """Gives `row` what `work` returns, or why it returned nothing. Facts that an error carries are kept too."""
        begin = time.monotonic()
        try:
            if self.left <= 0:
                raise Failed(f"no time left of {self.content['budget_s']:g} s")
            found = work()
            row.pop("error", None)
            row |= found
        except Failed as error:
            row |= {"error": str(error.args[0]), **(error.args[1] if len(error.args) > 1 else {})}
        row["seconds"] = row.get("seconds", 0) + time.monotonic() - begin
        row["clocks"] = clocks()
        self.write()
        return row

    def add(self, name, work, **facts):
        return self.fill(self.begin(name, **facts), work)

    def run(self, command, environment=None, limit=None):
        """Standard output of a process that had to succeed, at most until the budget's end."""
        code, out, err = self.call(command, environment, limit)
        if code != 0:
            raise Failed(last_line(err) if err.strip() else f"ended with {code}: {last_line(out)}")
        return out

    def call(self, command, environment=None, limit=None):
        """Exit code and both outputs of a process of its own group."""
        limit = min(self.left, limit or self.left)
        process = subprocess.Popen(
            [str(part) for part in command], env=environment, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True,
        )
        try:
            out, err = process.communicate(timeout=max(limit, 1))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise Failed(f"ran past {limit:.0f} s") from None
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        if process.returncode < 0:
            raise Failed(f"was ended by {signal.Signals(-process.returncode).name}: {last_line(err)}")
        return process.returncode, out, err

    def finish(self):
        """The exit code: rows without a number, or with an error of one of their rounds, are errors."""
        self.content["after"] = clocks()
        self.write()
        faulty = [row["row"] for row in self.rows if "error" in row or "errors" in row or row.get("failures")]
        print(f"{len(self.rows)} rows in {self.path}" + (f", of which {len(faulty)} are errors" if faulty else ""))
        return 1 if faulty else 0
