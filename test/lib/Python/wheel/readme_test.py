# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""README's PyTorch example where the wheel is installed beside PyTorch, and nothing was built.

    MPC_BUILD=FOLDER python readme_test.py

takes the wheel that wheel_test.py made, and PyTorch from MPC_TORCH_PYTHON or from this Python; exits with 77
where there is none.
"""
import os
import pathlib
import re
import sys
import tempfile
import unittest

from bare import ROOT, Environment, run

WHEELS = pathlib.Path(os.environ["MPC_BUILD"]) / "wheel/tested"
PYTHON = os.environ.get("MPC_TORCH_PYTHON") or sys.executable
SKIPPED = 77
FOLDERS = """
import pathlib, torch, onnx, onnxscript
print(*{str(pathlib.Path(module.__file__).parents[1]) for module in (torch, onnx, onnxscript)}, sep="\\n")
"""
# The example's lines in front of its loop, the loop, and the same training by PyTorch alone in f32.
PROGRAM = """
import copy, pathlib, torch
torch.manual_seed(1)
centres = torch.randn(10, 64)
targets = [torch.randint(0, 10, (32,)) for _ in range(60)]
batches = [(centres[target] + torch.randn(32, 64), target) for target in targets]
{head}
assert pathlib.Path({site!r}) in pathlib.Path(mpc_compiler.__file__).parents, mpc_compiler.__file__
reference = copy.deepcopy(module)
before = copy.deepcopy(module.state_dict())
{loop}
optimizer = torch.optim.AdamW(reference.parameters(), lr=1e-3)
for x, target in batches:
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(reference(x), target)
    loss.backward()
    optimizer.step()
for (name, weight), (_, expected) in zip(module.state_dict().items(), reference.state_dict().items()):
    print(name, float((weight - expected).norm() / (expected - before[name]).norm()))
"""


def example():
    """Its lines down to the loop, and from there."""
    text = (ROOT / "README.md").read_text()
    (block,) = [found for found in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "compile_step(" in found]
    head, loop = block.split("for x, target in batches:")
    return head, "for x, target in batches:" + loop


class Readme(unittest.TestCase):
    def test_its_example_trains_as_pytorch_does(self):
        (wheel,) = WHEELS.glob("*.whl")
        with tempfile.TemporaryDirectory() as scratch:
            environment = Environment(pathlib.Path(scratch) / "venv", PYTHON)
            environment.install(wheel)
            (environment.site / "torch.pth").write_text(run(PYTHON, "-c", FOLDERS))
            head, loop = example()
            text = PROGRAM.format(head=head, loop=loop, site=str(environment.site))
            moved = [line.split() for line in environment.run("python", "-c", text).splitlines()]
            self.assertEqual([name for name, _ in moved], ["0.weight", "0.bias", "2.weight", "2.bias"])
            # How far from PyTorch's weights, in parts of how far these have moved.
            for name, share in moved:
                self.assertLess(float(share), 0.01, name)


def main():
    try:
        run(PYTHON, "-c", FOLDERS)
    except AssertionError:
        print(f"no torch, onnx and onnxscript in {PYTHON}: MPC_TORCH_PYTHON may name a Python that has them")
        return SKIPPED
    result = unittest.TextTestRunner(verbosity=2).run(unittest.defaultTestLoader.loadTestsFromTestCase(Readme))
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
