# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds `mpc-scale step` against recorded optimizer steps.

    check_optimizer_cases.py MPC-SCALE FOLDER

Every CASE.json of FOLDER is run fused and unfused. Flags, scales and counters
must be exact, weights and slots within the file's tolerance in ulp of float32,
and both runs must print the same bytes. The unfused run gets the gradients by
value and from stdin. Then one expected weight of each case is
changed, and every case must fail.
"""
import json
import math
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from remembered import Answers

ANSWERS = Answers()


def ordinal(value):
    """Neighbouring float32 numbers have neighbouring ordinals."""
    bits = struct.unpack("<i", struct.pack("<f", value))[0]
    return bits if bits >= 0 else -(bits & 0x7FFFFFFF)


def number(value):
    return float(value) if isinstance(value, str) else value


def distance(ours, reference):
    ours, reference = number(ours), number(reference)
    if math.isnan(ours) or math.isnan(reference):
        return 0 if math.isnan(ours) and math.isnan(reference) else math.inf
    return abs(ordinal(ours) - ordinal(reference))


def flat(entry):
    values = entry["values"] if isinstance(entry, dict) else entry
    return values if isinstance(values, list) else [values]


def compare(name, ours, reference, ulp, faults):
    """`ulp` counts units of the tensor's largest element where it is negative:
    PyTorch's square root is not rounded correctly, and a difference of squares
    under it magnifies that."""
    reference = flat(reference)
    if ulp < 0:
        largest = max((abs(number(v)) for v in reference), default=0.0)
        unit = math.ulp(largest) * 2**29
        worst = max((abs(a - number(b)) / unit for a, b in zip(ours, reference)), default=0)
        if worst > -ulp:
            faults.append(f"{name}: {worst:.1f} units off, allowed {-ulp}")
        return
    if len(ours) != len(reference):
        faults.append(f"{name}: {len(ours)} values, expected {len(reference)}")
        return
    worst = max((distance(a, b) for a, b in zip(ours, reference)), default=0)
    if worst > ulp:
        faults.append(f"{name}: {worst} ulp off, allowed {ulp}")


def check_step(line, step, ulp, case_has_scaler, faults):
    expected = step["expected"]
    where = f"step {line['step']}"
    for ours, theirs in (
        ("found_inf", "found_inf"),
        ("applied", "applied"),
        ("scale", "scale_after"),
        ("counter", "counter_after"),
    ):
        if case_has_scaler and theirs in expected and line[ours] != expected[theirs]:
            faults.append(f"{where}: {ours} is {line[ours]}, expected {expected[theirs]}")
    for name, values in expected.get("params", {}).items():
        compare(f"{where}: {name}", line["params"][name], values, ulp, faults)
    for name, slots in (expected.get("optimizer_state") or {}).items():
        for slot, values in (slots or {}).items():
            if values is None:
                continue
            if slot not in line["slots"][name]:
                faults.append(f"{where}: {name} has no slot {slot}")
                continue
            compare(f"{where}: {name}/{slot}", line["slots"][name][slot], values, ulp, faults)


def without_bits(path):
    """The text of a case whose gradients are given by their values alone."""
    case = json.loads(path.read_text())
    for step in case["steps"]:
        for gradient in step["scaled_grads"].values():
            for entry in gradient if isinstance(gradient, list) else [gradient or {}]:
                entry.pop("bits", None)
    return json.dumps(case)


def run(tool, path, *flags, text=None):
    file = None if text else path
    done = ANSWERS.ask([tool, "step", path, *flags], file=file, text=text)
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def check(tool, path, plant):
    case = json.loads(path.read_text())
    if plant:
        values = next(iter(case["steps"][-1]["expected"]["params"].values()))
        flat(values)[0] = flat(values)[0] * 1.0001 + 1e-3
    faults = []
    fused, unfused = run(tool, path), run(tool, "-", "--unfused", text=without_bits(path))
    if fused != unfused:
        faults.append("fused and unfused differ")
    lines = [json.loads(line) for line in fused.splitlines()]
    if len(lines) != len(case["steps"]):
        faults.append(f"{len(lines)} lines for {len(case['steps'])} steps")
    ulp = case.get("tolerance", {}).get("ulp", 2)
    if case["optimizer"].get("centered"):
        ulp = -2 * ulp
    # Without a scaler the reference records no flags.
    has_scaler = case.get("scaler", {}).get("enabled", True)
    for line, step in zip(lines, case["steps"]):
        check_step(line, step, ulp, has_scaler, faults)
    return faults


def main():
    tool, paths = sys.argv[1], sorted(pathlib.Path(sys.argv[2]).glob("*.json"))
    bad, unseen = 0, []
    for path in paths:
        try:
            faults = check(tool, path, plant=False)
            if not check(tool, path, plant=True):
                unseen.append(path.stem)
        except RuntimeError as error:
            faults = [str(error)]
        bad += bool(faults)
        print(f"{'FAIL' if faults else 'ok  '} {path.stem}")
        for fault in faults[:6]:
            print(f"       {fault}")
    print(f"{len(paths) - bad} of {len(paths)} cases agree")
    print(f"of {len(paths)} planted errors {len(unseen)} are unseen", *unseen)
    sys.exit(1 if bad or unseen or not paths else 0)


if __name__ == "__main__":
    main()
