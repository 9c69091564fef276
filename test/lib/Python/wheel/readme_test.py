# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""README's PyTorch examples where the wheel is installed beside PyTorch, and nothing was built.

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
FOLDER = "import pathlib, torch; print(pathlib.Path(torch.__file__).parents[1])"
# Each example trains ten classes, of which a model that has learned nothing has a loss of 2.3.
PROGRAM = """
import pathlib, torch, mpc_compiler
assert pathlib.Path({site!r}) in pathlib.Path(mpc_compiler.__file__).parents, mpc_compiler.__file__
for text in {examples!r}:
    torch.manual_seed(0)
    names = {{}}
    exec(text, names)
    model = names["model"].eval()
    print(float(names["criterion"](model(names["x"]), names["target"])))
"""


def examples():
    """Its blocks of Python that train, as they stand."""
    text = (ROOT / "README.md").read_text()
    return [block for block in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S) if "mpc_compiler" in block]


class Readme(unittest.TestCase):
    def test_its_examples_train(self):
        (wheel,) = WHEELS.glob("*.whl")
        with tempfile.TemporaryDirectory() as scratch:
            environment = Environment(pathlib.Path(scratch) / "venv", PYTHON)
            environment.install(wheel)
            (environment.site / "torch.pth").write_text(run(PYTHON, "-c", FOLDER))
            text = PROGRAM.format(site=str(environment.site), examples=examples())
            losses = [float(line) for line in environment.run("python", "-c", text).splitlines()]
            self.assertEqual(len(losses), 2)
            for loss in losses:
                self.assertLess(loss, 1.9)


def main():
    try:
        run(PYTHON, "-c", FOLDER)
    except AssertionError:
        print(f"no torch in {PYTHON}: MPC_TORCH_PYTHON may name a Python that has it")
        return SKIPPED
    result = unittest.TextTestRunner(verbosity=2).run(unittest.defaultTestLoader.loadTestsFromTestCase(Readme))
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
