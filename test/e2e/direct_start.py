# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts mpc-train again and again, and looks at whether it needs its compiler.

    python direct_start.py DIR

What a start without a cache does is what every other must do: same state, same words.
"""
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
from safetensors.numpy import save_file

MODEL = """
nn.parameter @w : tensor<64x10xf32> = #nn.init<uniform 0.125>
func.func @model(%x: tensor<32x64xf32> {nn.name = "x"}) -> (tensor<32x10xf32> {nn.name = "logits"}) {
  %w = nn.get @w : tensor<64x10xf32>
  %h = nn.matmul %x, %w : tensor<32x64xf32>, tensor<64x10xf32> -> tensor<32x10xf32>
  %y = nn.tanh %h : tensor<32x10xf32>
  return %y : tensor<32x10xf32>
}
"""

root = pathlib.Path(sys.argv[1]).resolve()
checkpoints = root / "checkpoints"
generator = np.random.default_rng(7)


def save_data(name, target):
    x = generator.normal(size=(96, 64)).astype(np.float32)
    save_file({"x": x, "target": target}, str(root / name))


def save_weights(name, values):
    save_file({"w": values.astype(np.float32)}, name)


def start(cache, words, resumes):
    """Whether LLVM was loaded, the state at the end, and what was said."""
    shutil.rmtree(checkpoints, ignore_errors=True)
    if resumes:
        shutil.copytree(resumes, checkpoints)
    for old in root.glob("loaded.*"):
        old.unlink()
    debug = {"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(root / "loaded"), "MPC_CACHE_DIR": str(cache)}
    done = subprocess.run(["mpc-train", *words], env=os.environ | debug, capture_output=True, text=True)
    (log,) = root.glob("loaded.*")
    states = sorted(checkpoints.glob("ckpt-*"))
    said = [line for line in done.stderr.splitlines() if line.startswith("mpc-train: ")]
    return "libLLVM" in log.read_text(), states[-1].read_bytes() if states else None, done.returncode, said


def check(words, *, compiles, resumes=None):
    """What a start with the cache says."""
    expected = start("", words, resumes)
    found = start(root / "cache", words, resumes)
    assert expected[0] and found[0] == compiles, (words, found)
    assert found[1:] == expected[1:], (words, found[2:], expected[2:])
    return found[3]


os.chdir(root)
pathlib.Path("net.mlir").write_text(MODEL)
save_data("data.safetensors", generator.integers(0, 10, 96))
words = ["net.mlir", "--data=data.safetensors", "--steps=3", "--optimizer=adam", "--precision=fp16"]
words += ["--keep-fp32=nowhere", f"--checkpoint-dir={checkpoints}"]
said = check(words, compiles=True)
assert "warning: --keep-fp32='nowhere' matches no node or op" in said[0], said
assert check(words, compiles=False) == said
shutil.copytree(checkpoints, root / "saved")

# How a program is run may be another, and how it is made not.
check([word.replace("steps=3", "steps=4") for word in words], compiles=False)
check([*words, "--no-fuse"], compiles=True)
# A word is what it is by its place.
check([*words, "--threads", "1", "--seed", "4"], compiles=True)
check([*words, "--seed", "4", "--threads", "1"], compiles=False)

# A program with an evaluation beside its step is another, of whatever file that is.
for name in ("held", "other"):
    save_data(f"{name}.safetensors", generator.integers(0, 10, 96))
check([*words, "--threads=1"], compiles=True)
check([*words, "--eval-data=held.safetensors"], compiles=True)
check([*words, "--eval-data=other.safetensors"], compiles=False)
check([*words, "--threads=2"], compiles=False)

# A resume is told which numbers were given.
other = [*words, "--beta1=0.5", "--steps=5", "--resume"]
other.remove("--steps=3")
note = check(other, compiles=True, resumes=root / "saved")
assert any("--beta1" in line for line in note), note
assert check(other, compiles=False, resumes=root / "saved") == note

# What asks the compiler for more, and what is wrong, goes to it.
for flag in ("--explain=explained.txt", "--nan-report", "--replay=1", "--at-floor=hold"):
    check([*words, flag], compiles=True)
    check([*words, flag], compiles=True)
for wrong in (["--help"], [*words, "--stepz=4"], [*words, "--threads=0"], ["net.mlir"]):
    check(wrong, compiles=True)

# Values beside the model where there were none, others, and a model that is another.
save_weights("net.safetensors", generator.normal(size=(64, 10)))
check(words, compiles=True)
check(words, compiles=False)
save_weights("net.safetensors", generator.normal(size=(64, 10)))
check(words, compiles=True)
check(words, compiles=False)
pathlib.Path("net.mlir").write_text(MODEL.replace("nn.tanh", "nn.sigmoid"))
check(words, compiles=True)
check(words, compiles=False)
# Labels of another shape.
save_data("data.safetensors", generator.normal(size=(96, 10)).astype(np.float32))
check([*words, "--loss=mse"], compiles=True)
check([*words, "--loss=mse"], compiles=False)
save_data("data.safetensors", generator.integers(0, 10, 96))
check(words, compiles=False)

# The same labels in files of another kind.
np.savez("data.npz", x=np.zeros((96, 64), np.float32), target=np.zeros(96, np.int64))
np.savez("more.npz", x=np.zeros((7, 64), np.float32), target=np.zeros(7, np.int64))
npz = [word.replace("data.safetensors", "data.npz") for word in words]
check([*npz, "--last-batch=wrap", "--lr-schedule=exponential", "--lr-gamma=0.9"], compiles=True)
check([*npz, "--last-batch=drop", "--lr-schedule=step", "--lr-step-size=2"], compiles=False)
check([*npz, "--data=more.npz", "--order=sequential"], compiles=True)
# A smaller last batch is another program, which hangs on how many samples there are.
check([*npz, "--last-batch=smaller", "--order=sequential"], compiles=True)
check([*npz, "--last-batch=smaller", "--order=shuffle"], compiles=False)
said = check([*npz, "--data=more.npz", "--last-batch=smaller"], compiles=True)
assert "--last-batch=smaller: --batch-size=7: the model is fixed to batches of 32" in said[-1], said

# The same words in another folder name other files.
os.mkdir("elsewhere")
for name in ("net.mlir", "net.safetensors", "data.safetensors"):
    shutil.copy(name, "elsewhere")
os.chdir("elsewhere")
# Also where these are the same; else folders would push each other out.
check(words, compiles=True)
check(words, compiles=False)
os.chdir(root)
check(words, compiles=False)
# And where they are others.
save_weights("elsewhere/net.safetensors", generator.normal(size=(64, 10)))
os.chdir("elsewhere")
check(words, compiles=True)
os.chdir(root)
check(words, compiles=False)

# A damaged program is made again.
for kept in (root / "cache" / "direct").iterdir():
    kept.write_bytes(kept.read_bytes()[:-1])
check(words, compiles=True)
check(words, compiles=False)
# A folder that others can write is not used.
os.chmod(root / "cache" / "direct", 0o777)
check(words, compiles=True)
check(words, compiles=True)
os.chmod(root / "cache" / "direct", 0o700)

# Why a training diverges is for the compiler to say, which is loaded then.
save_weights("huge.safetensors", np.full((64, 10), 1e30))
huge = [word.replace("steps=3", "steps=60") for word in words] + ["--init=huge.safetensors"]
huge += ["--weight-cast=round", "--init-scale=1", "--min-scale=1"]
assert "the first tensor that is not finite is" in check(huge, compiles=True)[-1]
assert list((root / "cache" / "direct").iterdir())
assert "the first tensor that is not finite is" in check(huge, compiles=True)[-1]
print("started")
