#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds what the lit tests cost against a ceiling.

    lit_times.py SOURCE BUILD

A test that needs more than some seconds of a processor says why, in a line `SLOW: reason`; and the
sum of all has a ceiling. Both are twice what a quiet machine of 2026 needs: a machine that is slower
or shares its cores with another thread is no fault. One that is slower still, by what a loop of Python
takes on it, is allowed as many times more. lit leaves the seconds (support/processor_time.py) in the
build folder. Exits with 77 where no test has run.
"""
import pathlib
import sys
import time

SECONDS_OF_A_TEST = 5
SECONDS_OF_ALL = 600
SLOWER_MACHINE = 2
# What loop() takes where all that is allowed is what it is.
SECONDS_OF_LOOP = 0.25
SUFFIXES = (".test", ".mlir")


def measured(source, build):
    """Seconds by test; what a test of before has left is passed over."""
    found = {}
    for kept in (build / "test").rglob("*.seconds"):
        name = kept.relative_to(build / "test").with_suffix("")
        if name.suffix in SUFFIXES and (source / "test" / name).exists():
            found[str(name)] = float(kept.read_text())
    return found


def loop():
    """Seconds of a processor, of work that no change of ours makes longer: the least of three."""
    taken = []
    for _ in range(3):
        before = time.process_time()
        total = 0
        for number in range(2_000_000):
            total = (total * 31 + number) & 0xFFFFFFFF
        taken.append(time.process_time() - before)
    return min(taken)


def slowness():
    """How many times longer than there a loop takes here; never less than once."""
    return max(1.0, loop() / SECONDS_OF_LOOP)


def gives_reason(test):
    return any(line.lstrip("/# ").startswith("SLOW: ") for line in test.read_text().splitlines())


def faults(source, seconds, slowness=1.0):
    found = []
    factor = SLOWER_MACHINE * slowness
    for name, spent in sorted(seconds.items()):
        if spent > SECONDS_OF_A_TEST * factor and not gives_reason(source / "test" / name):
            found.append(
                f"test/{name}: took {spent:.1f} s of a processor, allowed are {SECONDS_OF_A_TEST} on a quiet"
                " machine; make it faster, or say why it is not in a line 'SLOW: reason'"
            )
    total = sum(seconds.values())
    if total > SECONDS_OF_ALL * factor:
        found.append(f"all lit tests took {total:.0f} s of a processor, allowed are {SECONDS_OF_ALL}")
    return found


def main():
    source, build = map(pathlib.Path, sys.argv[1:])
    seconds = measured(source, build)
    if not seconds:
        print("no lit test has run here")
        return 77
    for name in sorted(seconds, key=seconds.get, reverse=True)[:10]:
        print(f"{seconds[name]:8.1f} s  test/{name}")
    print(f"{sum(seconds.values()):8.1f} s  {len(seconds)} tests")
    slower = slowness()
    print(f"a loop takes {slower:.2f} times what it may")
    found = faults(source, seconds, slower)
    print("\n".join(found))
    return len(found) > 0


if __name__ == "__main__":
    sys.exit(main())
