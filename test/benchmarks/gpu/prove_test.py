#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves a small pack on the test driver, and pack and driver with a fault planted in them.

    python prove_test.py BUILD
"""
import json
import lzma
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve()
SCRIPTS = HERE.parents[3] / "benchmarks/gpu"
BUILD = pathlib.Path(sys.argv.pop()).resolve()

KERNELS = ("kernels optimizer-small-fp16", "kernels optimizer-ragged-fp16", "kernels optimizer-wide-fp16",
           "full size optimizer fp16")


def run(script, *arguments, **variables):
    return subprocess.run([sys.executable, "-B", script, *arguments], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env={**os.environ, "MPC_CACHE_DIR": "", **variables})


class Prove(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name) / "packed"
        packed = run(SCRIPTS / "pack.py", BUILD, cls.folder, "--small", "--models=optimizer", "--precisions=fp16",
                     "--trainings=digits-mlp:fp16", "--training-steps=1")
        assert packed.returncode == 0, packed.stdout

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def prove(self, *flags, folder=None, **variables):
        """Exit code, what was printed, and rows by their names."""
        out = pathlib.Path(self.scratch.name) / "proof.json"
        done = run((folder or self.folder) / "prove.py", f"--out={out}", *flags, **variables)
        report = json.loads(out.read_text())
        return done.returncode, done.stdout, {row["row"]: row for row in report["rows"]}

    def copy(self):
        folder = pathlib.Path(self.scratch.name) / self.id()
        return shutil.copytree(self.folder, folder)

    def kernel_of(self, program, text):
        """The kernel of a program that has `text` in its body."""
        listed = (self.folder / program).read_bytes().decode(errors="replace")
        bodies = re.findall(r"__launch_bounds__\(\d+, \d+\)\n(\w+)(\(.*?\n}\n)", listed, re.S)
        return next(name for name, body in bodies if text in body)

    def test_all_is_proven(self):
        code, text, rows = self.prove()
        self.assertEqual(code, 0, text)
        self.assertEqual(list(rows), ["device", *KERNELS[:3], "training digits-mlp fp16", "twice optimizer fp16", KERNELS[3]])
        for size, places in (("small", False), ("wide", True)):
            content = (self.folder / f"proofs/optimizer-{size}-fp16.mpc").read_bytes()
            self.assertEqual(b" = mpc_i64(blockIdx.x)" in content, places)
        for name in KERNELS:
            row = rows[name]
            self.assertLessEqual({"map", "rows", "contraction"}, set(row["kernels"]))
            self.assertGreater(row["elements"], 10000)
            self.assertEqual((row["code"], row["failures"]), ("machine code", []))
        self.assertIn("ok   kernels optimizer-small-fp16: 2 contraction", text)
        self.assertEqual(rows["device"]["what"], "13 tests")
        self.assertIn("width 16, 2 extra bits", rows["device"]["fitting_models"]["f16, spread 3"])
        self.assertTrue(all(check.startswith(("ok", " ")) for check in rows["training digits-mlp fp16"]["checks"]))

    def test_a_training_that_goes_elsewhere_is_told(self):
        folder = self.copy()
        path = folder / "trainings/digits-mlp.safetensors"
        content = bytearray(path.read_bytes())
        begin = 8 + int.from_bytes(content[:8], "little")
        place = begin + json.loads(content[8:begin])["loss.fp64"]["data_offsets"][0]
        loss = struct.unpack_from("<d", content, place)[0]
        struct.pack_into("<d", content, place, loss + 0.01)
        path.write_bytes(content)
        code, text, rows = self.prove("--only=training", folder=folder)
        self.assertEqual(code, 1, text)
        self.assertRegex(text, r"FAIL training digits-mlp fp16: FAIL loss until a skip: 0\.01, at most 0\.00018")

    def test_an_answer_of_the_device_test_that_differs_is_told(self):
        folder = self.copy()
        path = folder / "device/ShufflesAndMatricesAreTheEmulators-1"
        content = bytearray(path.read_bytes())
        content[8 + 4 * 5] ^= 1
        path.write_bytes(content)
        code, text, rows = self.prove("--only=device", folder=folder)
        self.assertEqual(code, 1, text)
        self.assertIn("Device.ShufflesAndMatricesAreTheEmulators ldmatrix: element 5 of 256 is", text)

    def test_a_wrong_kernel_is_named(self):
        for body in ("mpc_multiply_tiles", "mpc_f32_to_f16"):
            kernel = self.kernel_of("proofs/optimizer-small-fp16.mpc", body)
            code, text, rows = self.prove(f"--only={','.join(KERNELS)}", MPC_FAKE_CUDA=f"wrong={kernel}")
            self.assertEqual(code, 1, text)
            for row in rows.values():
                self.assertIn(kernel, {failure["kernel"] for failure in row["failures"]})
                first = next(failure for failure in row["failures"] if failure["kernel"] == kernel)
                self.assertGreater(first["differing"], 0)
                self.assertNotEqual(first["expected"], first["got"])
                self.assertRegex(text, rf"FAIL {row['row']}: .*\n(.*\n)* +{kernel}: element {first['element']} of ")

    def test_one_element_is_found(self):
        """The recorded answer of one element is another: the row has its place and both values."""
        folder = self.copy()
        answers = folder / "proofs/optimizer-small-fp16.answers.xz"
        content = bytearray(lzma.decompress(answers.read_bytes()))
        begin = 8 + int.from_bytes(content[:8], "little")
        header = json.loads(content[8:begin])
        name, tensor = next((name, tensor) for name, tensor in header.items()
                            if tensor["dtype"] == "F16" and tensor["shape"][0] > 300)
        content[begin + tensor["data_offsets"][0] + 2 * 300 + 1] ^= 0x80
        answers.write_bytes(lzma.compress(content))
        code, text, rows = self.prove("--only=kernels optimizer-small*", folder=folder)
        self.assertEqual((code, len(rows)), (1, 1), text)
        (failure,) = rows["kernels optimizer-small-fp16"]["failures"]
        kernel, round_, argument = name.split("/")
        self.assertEqual((failure["kernel"], failure["where"], str(failure["argument"])),
                         (kernel, f"round {round_}", argument))
        self.assertEqual((failure["element"], failure["differing"]), (300, 1))

    def test_a_kernel_that_loses_the_device_leaves_the_others_to_the_next_process(self):
        _, _, good = self.prove("--only=kernels optimizer-small")
        # Of a process with two kernels or more the second one's first run.
        code, text, rows = self.prove("--only=kernels optimizer-small", MPC_FAKE_CUDA="fail=cuLaunchKernel:5:700")
        self.assertEqual(code, 1, text)
        row, good = (found["kernels optimizer-small-fp16"] for found in (rows, good))
        self.assertEqual(row["kernels"], good["kernels"])
        self.assertEqual(len(row["failures"]), sum(good["kernels"].values()) // 2)
        self.assertTrue(all("CUDA_ERROR_ILLEGAL_ADDRESS" in failure["error"] for failure in row["failures"]))
        self.assertEqual(len({failure["kernel"] for failure in row["failures"]}), len(row["failures"]))

    def test_machine_code_that_is_refused_is_compiled_and_told(self):
        code, text, rows = self.prove("--only=kernels optimizer-small", MPC_FAKE_CUDA="fail=cuModuleLoadDataEx:1:209")
        self.assertEqual(code, 0, text)
        row = rows["kernels optimizer-small-fp16"]
        self.assertEqual(row["code"], "text")
        self.assertIn("CUDA_ERROR_NO_BINARY_FOR_GPU", row["refusal"])

    def test_what_there_is_no_time_for_is_an_error(self):
        code, text, rows = self.prove("--budget=1")
        self.assertEqual(code, 1, text)
        self.assertEqual({row["error"] for row in rows.values()}, {"no time left of 1 s"})

    def test_answers_of_another_program_are_no_proof(self):
        folder = self.copy()
        (folder / "proofs/optimizer-small-fp16.mpc").write_bytes(
            (folder / "proofs/optimizer-ragged-fp16.mpc").read_bytes())
        code, text, rows = self.prove("--only=kernels optimizer-small", folder=folder)
        self.assertEqual(code, 1, text)
        self.assertIn("there is no recorded answer of", text)

    def test_packed_programs_need_glibc_2_34_and_nothing_else(self):
        for program in sorted((self.folder / "bin").iterdir()):
            read = subprocess.run(["readelf", "-dV", program], text=True, check=True, stdout=subprocess.PIPE).stdout
            needed = set(re.findall(r"Shared library: \[(.*?)\.so", read))
            self.assertLessEqual(needed, {"libc", "libm", "libgcc_s", "libresolv", "ld-linux-x86-64"}, program)
            versions = [tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_([\d.]+)", read)]
            self.assertLessEqual(max(versions), (2, 34), program)


if __name__ == "__main__":
    unittest.main()
