# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The wheel of this build in an environment that has it and NumPy alone.

    MPC_BUILD=FOLDER python wheel_test.py

makes it by scripts/wheel.sh, in FOLDER/wheel/tested. NumPy comes from .venv/wheels, where scripts/setup.sh
has put it; without it or auditwheel the exit code is 77, and 1 under CI. train.py is what runs in the
environment.
"""
import csv
import importlib.util
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

import numpy as np
from bare import ROOT, Environment, run
from safetensors.numpy import load_file, save_file

sys.path.insert(0, str(ROOT / "test/Inputs"))
import training_data

BUILD = pathlib.Path(os.environ["MPC_BUILD"])
NUMPY = ROOT / ".venv/wheels"
SKIPPED = 77
STEPS = 10
# PEP 600 lets a wheel expect these of every Linux.
EXPECTED_OF_LINUX = re.compile(r"(lib(c|m|dl|rt|pthread|util|z|gcc_s|stdc\+\+)\.so\.[\d.]+|ld-linux-x86-64\.so\.2)$")
TOOLS = ["compile", "eval", "import", "inspect", "opt", "run", "scale", "train"]
FLAGS = ["--loss=cross_entropy", "--optimizer=sgd", "--lr=0.05", "--momentum=0.9"]


def make_wheel():
    folder = BUILD / "wheel/tested"
    shutil.rmtree(folder, ignore_errors=True)
    printed = run(ROOT / "scripts/wheel.sh", f"--build={BUILD}", "--level=1", "-o", folder)
    return pathlib.Path(printed.strip())


def put_inputs(folder):
    """Those of train.py and of the tools, under the names that they have there."""
    inputs = ROOT / "test/Inputs"
    for path in inputs.glob("workloads/digits-mlp*"):
        shutil.copy(path, folder)
    shutil.copy(inputs / "workloads/digits-mlp.onnx", folder / "mlp.onnx")
    shutil.copy(inputs / "exports/programs/2.15/modules.pt2", folder)
    shutil.copy(inputs / "exports/programs/modules.safetensors", folder)
    save_file(training_data.batches("digits-mlp", STEPS), folder / "data.safetensors")


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.wheel = make_wheel()
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.environment = Environment(pathlib.Path(scratch.name) / "venv")
        cls.environment.install(cls.wheel, wheels=NUMPY)
        cls.folder = pathlib.Path(scratch.name)
        put_inputs(cls.folder)
        cls.environment.run("mpc-compile", cls.folder / "mlp.onnx", *FLAGS, "-o", cls.folder / "step.mpc")
        cls.environment.run("python", pathlib.Path(__file__).with_name("train.py"), cls.folder)
        cls.result = np.load(cls.folder / "result.npz")
        cls.recorded = load_file(ROOT / "test/Inputs/training/digits-mlp.safetensors")["loss.fp64"][:STEPS]

    def expect_library(self, path):
        """Of the package or of the system's own."""
        path = pathlib.Path(path)
        inside = self.environment.site in pathlib.Path(os.path.normpath(path)).parents
        self.assertTrue(inside or EXPECTED_OF_LINUX.search(path.name), f"{path} is outside of {self.environment.site}")

    def metrics_of(self, name, *arguments):
        self.environment.run(name, *arguments, f"--data={self.folder / 'data.safetensors'}", "--order=sequential",
                             f"--steps={STEPS}", f"--metrics={self.folder / 'metrics.csv'}")
        with open(self.folder / "metrics.csv", newline="") as file:
            return [float(row["loss"]) for row in csv.DictReader(file)]

    def test_its_name_has_the_version_and_what_it_runs_on(self):
        version = re.search(r"project\(mpc VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        pattern = r"mpc_compiler-([\d.]+)-(cp\d+-(?:cp\d+|abi3))-manylinux_2_(\d+)_x86_64\.whl"
        found, python, glibc = re.fullmatch(pattern, self.wheel.name).groups()
        major, minor = sys.version_info[:2]
        self.assertEqual(found, version)
        self.assertEqual(python, "cp312-abi3" if minor >= 12 else f"cp{major}{minor}-cp{major}{minor}")
        self.assertLessEqual(int(glibc), int(os.confstr("CS_GNU_LIBC_VERSION").split(".")[1]))
        self.assertEqual(self.environment.run("mpc-train", "--version"), f"mpc-train {version}\n")

    def test_a_model_of_onnx_trains_as_pytorch_did(self):
        np.testing.assert_allclose(self.result["onnx"], self.recorded, rtol=0, atol=1e-5)

    def test_a_program_of_mpc_compile_is_loaded(self):
        np.testing.assert_allclose(self.result["program"], self.recorded, rtol=0, atol=1e-5)

    def test_an_exported_program_has_the_gradients_of_pytorch(self):
        expected = load_file(self.folder / "modules.safetensors")
        self.assertAlmostEqual(float(self.result["exported"]), float(expected["loss"][0]), delta=1e-5)
        names = [name for name in expected if name.startswith(("grad.", "stat."))]
        self.assertEqual(len(names), 8)
        for name in names:
            np.testing.assert_allclose(self.result[name], expected[name], rtol=0, atol=1e-5, err_msg=name)

    def test_the_process_that_trained_has_no_library_from_elsewhere(self):
        libraries = (self.folder / "libraries.txt").read_text().splitlines()
        for path in libraries:
            self.expect_library(path)
        names = " ".join(pathlib.Path(path).name for path in libraries)
        for part in ("libLLVM-", "libMLIR-", "libmpc-compiler", "libmpc-runtime", "libfmt-"):
            self.assertIn(part, names)

    def test_every_file_finds_its_libraries_in_the_package(self):
        package = self.environment.site / "mpc_compiler"
        files = [*package.rglob("*.so*"), *package.glob("bin/*"), *package.with_name("mpc_compiler.libs").iterdir()]
        self.assertGreater(len(files), 20)
        for line in run("ldd", *files).splitlines():
            self.assertNotIn("not found", line)
            if "=> /" in line:
                self.expect_library(line.split(" => ")[1].split(" (")[0])

    def test_what_it_brings_along_has_its_license(self):
        (described,) = self.environment.site.glob("mpc_compiler-*.dist-info")
        texts = {path.stem: path.read_text() for path in (described / "licenses").iterdir()}
        self.assertIn("Apache License", texts.pop("LICENSE"))
        libraries = {path.name.split("-")[0] for path in (described.parent / "mpc_compiler.libs").iterdir()}
        # One package may hold several libraries, as ICU's does.
        missing = [name for name in libraries
                   if not any(package.startswith(name.lower()[:6]) for package in texts)]
        self.assertEqual(missing, [])

    def test_types_are_there(self):
        package = self.environment.site / "mpc_compiler"
        self.assertTrue((package / "py.typed").exists())
        self.assertIn("def step(self) -> StepResult", (package / "_runtime.pyi").read_text())

    def test_every_tool_starts(self):
        for tool in TOOLS:
            self.assertIn(f"mpc-{tool}", self.environment.run(f"mpc-{tool}", "--help"))
        names = {path.name for path in (self.environment.folder / "bin").glob("mpc-*")}
        self.assertEqual(names, {f"mpc-{tool}" for tool in TOOLS})

    def test_mpc_import_reads_both_formats(self):
        for file, op in (("mlp.onnx", "nn.linear"), ("modules.pt2", "nn.cross_entropy")):
            self.assertIn(op, self.environment.run("mpc-import", self.folder / file))

    def test_mpc_train_loads_its_compiler(self):
        losses = self.metrics_of("mpc-train", self.folder / "mlp.onnx", *FLAGS)
        np.testing.assert_allclose(losses, self.recorded, rtol=0, atol=1e-5)

    def test_mpc_run_runs_a_program(self):
        losses = self.metrics_of("mpc-run", self.folder / "step.mpc")
        np.testing.assert_allclose(losses, self.recorded, rtol=0, atol=1e-5)


def main():
    if not list(NUMPY.glob("numpy-*.whl")) or not importlib.util.find_spec("auditwheel"):
        print(f"no auditwheel here, or no wheel of NumPy in {NUMPY}: scripts/setup.sh fetches both")
        return 1 if os.environ.get("CI") else SKIPPED
    result = unittest.TextTestRunner(verbosity=2).run(unittest.defaultTestLoader.loadTestsFromTestCase(Wheel))
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
