# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One side in a process of its own, which waits while it is not asked.

    python worker.py (ours|torch|jax) --threads=N

Each line of standard input is a request, each of standard output its answer, in JSON: `open` a case in a mode, `go` on for
some seconds, `close`. A library that is not installed is told, and is no error.
"""
import argparse
import importlib
import json
import os
import pathlib
import sys
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

# A call that takes longer, the first apart, is not repeated: compare.py takes its time as it was.
LONG_SECONDS = 10.0
# Calls before any counts: a first one compiles, clocks rise, pages come.
WARM_UP = 2


class Worker:
    def __init__(self, side):
        self.side, self.open_calls = side, {}

    def open(self, request):
        """Makes a call ready, by some first ones; the answer has what it computed."""
        call = self.side.make(request["case"], request["mode"])
        call.run()
        check, seconds = call.check(), 0.0
        for _ in range(WARM_UP):
            if seconds < LONG_SECONDS:
                begin = time.perf_counter()
                call.run()
                seconds = time.perf_counter() - begin
        self.open_calls[request["mode"]] = call
        return {"event": "ready", "precision": call.precision, "check": check, "last_ms": 1e3 * seconds,
                "is_long": seconds >= LONG_SECONDS, "facts": getattr(call, "facts", {})}

    def go(self, request):
        run = self.open_calls[request["mode"]].run
        end = time.perf_counter() + request["seconds"]
        times = []
        while not times or (time.perf_counter() < end and len(times) < 2000):
            begin = time.perf_counter()
            run()
            times.append(1e3 * (time.perf_counter() - begin))
        return {"event": "times", "ms": times}

    def close(self, _):
        self.open_calls.clear()
        self.side.close()
        return {"event": "closed"}

    def answer(self, request):
        try:
            return getattr(self, request["do"])(request)
        except Exception as error:
            traceback.print_exc()
            return {"event": "failed", "why": f"{type(error).__name__}: {error}".splitlines()[0]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("side", choices=("ours", "torch", "jax"))
    parser.add_argument("--threads", type=int, required=True)
    arguments = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: arguments.threads])
    # What libraries print is no answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def tell(answer):
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    try:
        side = importlib.import_module(f"comparison.side_{arguments.side}").Side(arguments.threads)
    except ImportError as error:
        return tell({"event": "absent", "why": str(error)})
    tell({"event": "started", "version": side.version})
    worker = Worker(side)
    for line in sys.stdin:
        tell(worker.answer(json.loads(line)))


if __name__ == "__main__":
    main()
