# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What wheel_test.py runs where the wheel and NumPy are installed, and nothing else.

    python train.py FOLDER

trains what lies in FOLDER (mlp.onnx, data.safetensors, modules.pt2, modules.safetensors, step.mpc),
and leaves there result.npz, and libraries.txt: the libraries that mpc_compiler brought into this process.
"""
import pathlib
import re
import sys
import sysconfig

import numpy as np


def libraries():
    """Those of the process but for Python's own modules."""
    maps = pathlib.Path("/proc/self/maps").read_text()
    found = set(re.findall(r" (/.*\.so[.\d]*)$", maps, re.MULTILINE))
    return {path for path in found if not path.startswith(sysconfig.get_config_var("DESTSHARED"))}


of_others = libraries()
import mpc_compiler


def losses_of(step, folder):
    data = mpc_compiler.DataFiles(folder / "data.safetensors", step, shuffle=False)
    return [step(**batch).loss for batch in data]


def main():
    folder = pathlib.Path(sys.argv[1])
    result = {}
    step = mpc_compiler.compile_step(folder / "mlp.onnx", "cross_entropy", "sgd", momentum=0.9, lr=0.05)
    result["onnx"] = losses_of(step, folder)
    result["program"] = losses_of(mpc_compiler.load(folder / "step.mpc"), folder)
    # The loss is in the program. With a rate of 1 a weight moves by its gradient.
    step = mpc_compiler.compile_step(folder / "modules.pt2", "output:cross_entropy_loss", "sgd", lr=1.0)
    before = {name: value.copy() for name, value in step.named_parameters()}
    batch = mpc_compiler.DataFiles(
        folder / "modules.safetensors", batch_size=6, shuffle=False, names=["x", "tokens", "target"])
    result["exported"] = step(**next(iter(batch))).loss
    result |= {f"grad.{name}": before[name] - value for name, value in step.named_parameters()}
    result |= {f"stat.{name}": step.read_state(name) for name in ("norm.running_mean", "norm.running_var", "norm.num_batches_tracked")}
    (folder / "libraries.txt").write_text("\n".join(sorted(libraries() - of_others)))
    np.savez(folder / "result.npz", **result)


if __name__ == "__main__":
    main()
