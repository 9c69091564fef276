# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package as `pip install .` makes it of a build, used from another folder."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import programs

ROOT = pathlib.Path(__file__).resolve().parents[3]
USE = """
import mpc_compiler, numpy
assert mpc_compiler.__file__.startswith({folder!r}), mpc_compiler.__file__
libraries = {{line.split()[-1] for line in open("/proc/self/maps") if "libmpc-runtime" in line}}
assert all(path.startswith({folder!r}) for path in libraries) and libraries, libraries
step = mpc_compiler.load({program!r})
step.lr = 0.1
x, target = numpy.ones((8, 6), "float32"), numpy.zeros(8, "int64")
losses = [step(x, target).loss for _ in range(20)]
assert losses[-1] < losses[0] / 2, losses
"""


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, (command, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout


class Installed(unittest.TestCase):
    def test_it_trains_without_the_build(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            run(sys.executable, "-m", "pip", "install", ROOT, "--quiet", "--no-deps",
                "--no-build-isolation", "--disable-pip-version-check",
                "--target", folder / "site", f"--config-settings=build-dir={folder / 'build'}",
                f"--config-settings=cmake.define.mpc-compiler_DIR={programs.BUILD}",
                f"--config-settings=cmake.define.CMAKE_CXX_COMPILER_LAUNCHER="
                f"{shutil.which('ccache') or ''}")
            package = folder / "site/mpc_compiler"
            names = {path.name for path in package.iterdir()}
            self.assertLessEqual({"py.typed", "_runtime.pyi", "_step.py"}, names)
            self.assertIn("def step(self) -> StepResult", (package / "_runtime.pyi").read_text())
            text = USE.format(folder=str(folder), program=str(programs.compiled()))
            run(sys.executable, "-c", text, cwd=folder,
                env={**os.environ, "PYTHONPATH": str(folder / "site")})


if __name__ == "__main__":
    unittest.main()
