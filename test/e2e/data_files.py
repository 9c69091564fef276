# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains on the same samples in every form that --data takes, and expects the same steps.

    python data_files.py DIR

The files are NumPy's own. The values are whole numbers, so that every type of theirs holds them.
"""
import csv
import os
import pathlib
import subprocess
import sys

import numpy as np
from safetensors.numpy import save_file

MODEL = """
nn.parameter @w : tensor<6x5xf32> = #nn.init<uniform 0.125>
func.func @model(%x: tensor<4x2x3xf32> {nn.name = "x"}) -> (tensor<4x5xf32> {nn.name = "logits"}) {
  %w = nn.get @w : tensor<6x5xf32>
  %f = nn.reshape %x : tensor<4x2x3xf32> -> tensor<4x6xf32>
  %y = nn.matmul %f, %w : tensor<4x6xf32>, tensor<6x5xf32> -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}
"""

root = pathlib.Path(sys.argv[1]).resolve()
os.chdir(root)
pathlib.Path("net.mlir").write_text(MODEL)
generator = np.random.default_rng(3)
x = generator.integers(-9, 9, (23, 2, 3)).astype(np.float32)
target = generator.integers(0, 5, 23)


def train(*flags, fails=False):
    """The rows of the metrics but for the times, or what was said."""
    command = ["mpc-train", "net.mlir", "--metrics=m.csv", "--seed=4", *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode != 0) == fails, (command, done.stderr)
    if fails:
        return done.returncode, done.stderr
    return [row[:-1] for row in csv.reader(open("m.csv"))]


save_file({"x": x, "target": target}, "all.safetensors")
np.savez("all.npz", x=x, target=target, notes=np.array([{"a": 1}], dtype=object))
np.savez_compressed("packed.npz", x=x.astype(">f8"), target=target.astype(np.uint8))
np.savez("turned.npz", x=np.asfortranarray(x.astype(np.int8)), target=target.astype(">i4"))
np.save("x.npy", x.astype(np.float16))
np.save("target.npy", target.astype(np.uint16))
np.save("labels.npy", target)
for part, rows in enumerate((slice(0, 7), slice(7, 8), slice(8, 23))):
    np.savez(f"part-{part}.npz", x=x[rows], target=target[rows])

for steps in (["--epochs=3"], ["--epochs=3", "--last-batch=wrap"], ["--steps=9", "--order=sequential"]):
    expected = train("--data=all.safetensors", *steps)
    assert len(expected) == {"--epochs=3": 1 + 3 * (5 + ("--last-batch=wrap" in steps))}.get(steps[0], 10), expected
    for data in (["all.npz"], ["packed.npz"], ["turned.npz"], ["x.npy", "target.npy"], ["x.npy", "target=labels.npy"],
                 ["part-?.npz"], ["part-0.npz", "part-1.npz", "part-2.npz"]):
        assert train(*(f"--data={word}" for word in data), *steps) == expected, (data, steps)

# A run goes on in other files with the same samples, and not with other ones.
whole = train("--data=all.npz", "--steps=12")
train("--data=part-*.npz", "--steps=7", "--checkpoint-dir=run")
assert train("--data=all.safetensors", "--steps=12", "--checkpoint-dir=run", "--resume") == whole
code, said = train("--data=part-0.npz", "--steps=13", "--checkpoint-dir=run", "--resume", fails=True)
assert code == 1 and "cannot continue with other data: the number of samples was 23, now 7" in said, said
code, said = train("--data=all.npz", "--last-batch=wrap", "--steps=13", "--checkpoint-dir=run", "--resume", fails=True)
assert code == 1 and "cannot continue with other data: --last-batch was drop, now wrap" in said, said
train("--data=all.npz", "--last-batch=wrap", "--steps=6", "--checkpoint-dir=wrapped")
expected = train("--data=all.npz", "--last-batch=wrap", "--steps=15")
assert train("--data=all.npz", "--last-batch=wrap", "--steps=15", "--checkpoint-dir=wrapped", "--resume") == expected

# Objects of Python, where they are asked for; and a damaged file.
np.savez("objects.npz", x=x, target=np.array([{}] * 23, dtype=object))
code, said = train("--data=objects.npz", fails=True)
assert code == 1 and "objects.npz: tensor 'target': holds Python objects" in said, said
damaged = bytearray(pathlib.Path("all.npz").read_bytes())
damaged[300] ^= 1
pathlib.Path("damaged.npz").write_bytes(damaged)
code, said = train("--data=damaged.npz", fails=True)
assert code == 1 and "damaged.npz: member 'x.npy': is damaged: its checksum does not match" in said, said
pathlib.Path("cut.npz").write_bytes(damaged[:-30])
code, said = train("--data=cut.npz", fails=True)
assert code == 1 and "cut.npz: has no directory at its end: the archive is cut off" in said, said
print("trained")
