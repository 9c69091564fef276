# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs mpc-train, mpc-eval and mpc-compile with a compile cache, and looks at what they keep and use.

    python compile_cache.py MODEL.onnx DIR
"""
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
from safetensors.numpy import save_file

model, root = sys.argv[1], pathlib.Path(sys.argv[2])
cache = root / "cache"
data = root / "data.safetensors"
generator = np.random.default_rng(7)
save_file(
    {
        "x": generator.normal(size=(96, 64)).astype(np.float32),
        "target": generator.integers(0, 10, 96),
    },
    str(data),
)


def environment(folder):
    return dict(os.environ, MPC_CACHE_DIR=str(folder))


def command(name, *flags):
    return (
        ["mpc-train", model, f"--data={data}", "--order=sequential", "--steps=3"]
        + [f"--checkpoint-dir={root / name}", *flags]
    )


def forget_commands():
    """What a program computes is looked at here, not by which command it was made (see direct_start.py)."""
    shutil.rmtree(cache / "direct", ignore_errors=True)


def train(name, *flags, folder=cache):
    """The state after three steps, and what was printed."""
    forget_commands()
    shutil.rmtree(root / name, ignore_errors=True)
    done = subprocess.run(command(name, *flags), env=environment(folder), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return (root / name / "ckpt-00000003.safetensors").read_bytes(), done.stderr


def entries():
    return sorted(path.name for path in cache.glob("*.mpc"))


# A second run has the bits of the first, and of one without a cache.
sgd, _ = train("sgd", "--optimizer=sgd")
(first,) = entries()
assert first.endswith(".mpc"), first
again, _ = train("again", "--optimizer=sgd")
assert again == sgd and entries() == [first]
assert train("none", "--optimizer=sgd", folder="")[0] == sgd

# What does not change the code has no entry of its own; what does has.
train("lr", "--optimizer=sgd", "--lr=0.5", "--seed=4")
assert entries() == [first]
# That it is not fused stands in no module, only among the flags.
train("unfused", "--optimizer=sgd", "--no-fuse")
(unfused,) = set(entries()) - {first}
(cache / unfused).unlink()
# A step with an evaluation beside it is another program, with the same state.
measured, _ = train("measured", "--optimizer=sgd", f"--eval-data={data}")
assert measured == sgd
(beside,) = set(entries()) - {first}
(cache / beside).unlink()
adam, _ = train("adam", "--optimizer=adam")
assert len(entries()) == 2
(second,) = set(entries()) - {first}
# An entry is used: that of another recipe in its place gives that one's state.
whole = (cache / first).read_bytes()
(cache / first).write_bytes((cache / second).read_bytes())
swapped, _ = train("swapped", "--optimizer=sgd")
assert b"exp_avg" in swapped and b"exp_avg" not in sgd
(cache / first).write_bytes(whole)

# A damaged one is not, and a whole one takes its place.
for broken in (whole[: len(whole) // 2], b"", whole[:-1] + bytes([whole[-1] ^ 1])):
    (cache / first).write_bytes(broken)
    assert train("mended", "--optimizer=sgd")[0] == sgd
    assert (cache / first).read_bytes() == whole

# One that others can write is not used, and is replaced.
os.chmod(cache / first, 0o666)
assert train("open", "--optimizer=sgd")[0] == sgd
assert os.stat(cache / first).st_mode & 0o022 == 0

# Eight processes at once end with one entry, and all with the same state.
(cache / first).unlink()
forget_commands()
running = [
    subprocess.Popen(command(f"p{i}", "--optimizer=sgd"), env=environment(cache), stderr=subprocess.DEVNULL)
    for i in range(8)
]
assert [process.wait() for process in running] == [0] * 8
assert len(list((cache / "direct").iterdir())) == 1
assert len(entries()) == 2 and (cache / first).read_bytes() == whole
assert {(root / f"p{i}" / "ckpt-00000003.safetensors").read_bytes() for i in range(8)} == {sgd}

# A folder of others is left alone, with a word.
strange = root / "strange"
strange.mkdir()
os.chmod(strange, 0o777)
state, said = train("strange-run", "--optimizer=sgd", folder=strange)
assert state == sgd and not list(strange.iterdir())
assert "warning: compile cache: " in said and "other users own it or can write to it" in said, said

# An evaluation is kept too, and so is what mpc-compile makes.
inputs = root / "inputs.safetensors"
save_file({"x": generator.normal(size=(8, 64)).astype(np.float32)}, str(inputs))
results = []
for name in ("one", "two"):
    output = root / f"{name}.safetensors"
    subprocess.run(
        ["mpc-eval", model, f"--inputs={inputs}", f"--outputs={output}", "--precision=bf16"],
        env=environment(cache),
        check=True,
    )
    results.append(output.read_bytes())
assert results[0] == results[1] and len(entries()) == 3
for name in ("a.mpc", "b.mpc"):
    subprocess.run(["mpc-compile", model, "-o", str(root / name)], env=environment(cache), check=True)
assert (root / "a.mpc").read_bytes() == (root / "b.mpc").read_bytes() and len(entries()) == 4
print("kept", len(entries()))
