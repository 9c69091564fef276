# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the two checkpoints around a step, bit for bit.

    python check_skip.py skipped|applied BEFORE.safetensors AFTER.safetensors

A skipped step changes the loss scale's state and nothing else; an applied one changes
every other tensor of more than one element, and what the optimizer counts.
"""
import sys

from safetensors.numpy import load_file

SCALER = "amp.loss_scale"

kind, before, after = sys.argv[1], load_file(sys.argv[2]), load_file(sys.argv[3])
assert before.keys() == after.keys(), before.keys() ^ after.keys()
changed = {name for name in before if before[name].tobytes() != after[name].tobytes()}
state = {name for name, value in before.items() if value.size > 1 or name.startswith("amp.optimizer.")}
expected = {SCALER} if kind == "skipped" else state
wrong = sorted(changed ^ expected)
if wrong:
    raise SystemExit(f"{kind}: {len(wrong)} tensors are not as expected: {', '.join(wrong[:5])}")
print(f"{kind}: {len(state - changed)} tensors of state kept, {len(changed)} changed")
