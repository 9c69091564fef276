#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures a small pack on the test driver: that the way is whole, not how fast anything is. Then sides, memory and
processes that fail.

    python measure_test.py BUILD
"""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

HERE = pathlib.Path(__file__).resolve()
SCRIPTS = HERE.parents[3] / "benchmarks/gpu"
BUILD = pathlib.Path(sys.argv.pop()).resolve()
STEP = "step optimizer fp16"
# What stands in for a Python that has PyTorch.
PEER = """#!/bin/sh
echo '{"ms": 5.0, "torch": "2.13.0", "cublas_f16_tflop_s": {"128": 700.0}}'
"""

sys.path.insert(0, str(SCRIPTS))

import batches  # noqa: E402
import measure  # noqa: E402
import models  # noqa: E402
import packed  # noqa: E402
import prove  # noqa: E402


def run(script, *arguments, **variables):
    return subprocess.run([sys.executable, "-B", script, *arguments], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env={**os.environ, "MPC_CACHE_DIR": "", **variables})


class Measure(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.scratch.name)
        packed = run(SCRIPTS / "pack.py", BUILD, cls.root / "packed", "--small", "--models=optimizer",
                     "--precisions=fp16", "--parts=steps")
        assert packed.returncode == 0, packed.stdout

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def write_program(self, path, text):
        path.write_text(text)
        path.chmod(0o755)
        return path

    def measure(self, *flags, folder=None, peer=PEER, **variables):
        """Exit code, what was printed, and rows by their names."""
        python = self.write_program(self.root / "python", peer)
        out = self.root / f"{self.id()}.json"
        done = run((folder or self.root / "packed") / "measure.py", f"--out={out}", f"--python={python}", "--steps=2",
                   *flags, **variables)
        report = json.loads(out.read_text())
        self.assertEqual(report["test_driver"], True)
        return done.returncode, done.stdout, {row["row"]: row for row in report["rows"]}

    def replace(self, program, text):
        """A pack in which a program is a script; {program} in it is the program itself, {root} a folder."""
        folder = shutil.copytree(self.root / "packed", self.root / self.id())
        own = folder / "bin" / program
        own.rename(own.with_suffix(".own"))
        self.write_program(own, text.format(program=own.with_suffix(".own"), root=folder))
        return folder

    def test_everything_has_a_number(self):
        code, text, rows = self.measure()
        self.assertEqual(code, 0, text)
        self.assertIn("no GPU: this is the test driver, and its times mean nothing", text)
        limits = [name for name in rows if name.startswith("limits")]
        self.assertEqual(len(limits), 15)
        for name in limits:
            numbers = re.findall(r": (\d[^,}]*)", json.dumps(rows[name]["found"]))
            self.assertTrue(numbers and all(float(number) > 0 for number in numbers), name)
        self.assertEqual(rows["limits wgmma"]["found"].keys(), {"wgmma_tflop_s"})
        for side in ("ours", "torch default", "torch reduce-overhead"):
            self.assertEqual(len(rows[f"{STEP} {side}"]["rounds_ms"]), 2)
            self.assertGreater(rows[f"{STEP} {side}"]["ms"], 0)
        self.assertEqual(rows[f"{STEP} torch default"]["torch"], "2.13.0")
        self.assertRegex(text, rf"{STEP} torch default: 5\.000 ms  0\.\d\d times ours")
        self.expect_kernels(rows["kernels optimizer fp16"])

    def expect_kernels(self, row):
        """The test driver's clock moves on by the same at each launch and event; cuBLAS' rate is that of products."""
        classes = {part["class"]: part for part in row["classes"]}
        self.assertLessEqual({"optimizer", "products, others", "rows"}, set(classes))
        each = {launch["ms"] for launch in row["largest"]}
        self.assertEqual(len(each), 1)
        self.assertAlmostEqual(row["ms"], row["launches"] * each.pop(), 5)
        self.assertAlmostEqual(sum(part["ms"] for part in row["classes"]), row["ms"], 5)
        self.assertEqual(len(row["largest"]), min(10, row["launches"]))
        self.assertTrue(all(0 < launch["floor_ms"] < 1 for launch in row["largest"]))

    def test_a_peer_that_dies_leaves_our_row(self):
        for peer, error in (("#!/bin/sh\nkill -9 $$\n", "was ended by SIGKILL"),
                            ("#!/bin/sh\necho 'CUDA out of memory' >&2; exit 1\n", "CUDA out of memory"),
                            ("#!/bin/sh\necho hello\n", "the peer printed no JSON: hello")):
            code, text, rows = self.measure(f"--only={STEP}", "--rounds=1", peer=peer)
            self.assertEqual(code, 1, text)
            self.assertIn(error, rows[f"{STEP} torch default"]["error"])
            self.assertGreater(rows[f"{STEP} ours"]["ms"], 0)
            self.assertIn(f"FAIL {STEP} torch default: {error}", text)

    def test_memory_that_is_short_in_round_2_leaves_round_1(self):
        folder = self.replace("mpc-run", """#!/bin/sh
if [ -e {root}/again ]; then export MPC_FAKE_CUDA=memory=1000; fi
touch {root}/again
exec {program} "$@"
""")
        code, text, rows = self.measure(f"--only={STEP}", folder=folder)
        self.assertEqual(code, 1, text)
        ours = rows[f"{STEP} ours"]
        self.assertNotIn("error", ours)
        self.assertEqual(len(ours["rounds_ms"]), 1)
        self.assertRegex(ours["errors"][0], r"^round 2: mpc-run: error: .*CUDA_ERROR_OUT_OF_MEMORY")
        self.assertEqual(rows[f"{STEP} torch default"]["rounds_ms"], [5.0, 5.0])

    def test_what_is_killed_after_two_rows_leaves_two_rows(self):
        folder = self.replace("device-limits", """#!/bin/sh
if [ "$1" = launch ]; then kill -9 $PPID; fi
exec {program} "$@"
""")
        code, text, rows = self.measure(folder=folder)
        self.assertEqual(code, -9, text)
        self.assertEqual(list(rows), ["limits device", "limits copy"])
        self.assertGreater(rows["limits copy"]["found"]["copy_gb_s"], 0)

    def test_the_budget_ends_what_runs_past_it(self):
        folder = self.replace("device-limits", "#!/bin/sh\n[ $1 = copy ] && exec sleep 600\nexec {program} \"$@\"\n")
        code, text, rows = self.measure("--only=limits", "--budget=8", folder=folder)
        self.assertEqual(code, 1, text)
        self.assertRegex(rows["limits copy"]["error"], r"ran past \d s")
        self.assertEqual(rows["limits products"]["error"], "no time left of 8 s")
        self.assertLess(sum(row["seconds"] for row in rows.values()), 8)
        self.assertIn("found", rows["limits device"])

    def test_only_what_is_asked_for_runs(self):
        _, _, rows = self.measure(f"--only={STEP},limits launch,kernels", "--no-peer", "--rounds=1")
        self.assertEqual(list(rows), ["limits launch", f"{STEP} ours", "kernels optimizer fp16"])
        done = run(self.root / "packed/measure.py", f"--out={self.root}/none.json", "--only=nothing")
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]),
                         (1, "measure.py: error: no row is called nothing"))

    def test_a_program_that_is_damaged_is_told_with_the_others(self):
        folder = shutil.copytree(self.root / "packed", self.root / self.id())
        program = folder / "steps/optimizer-fp16.mpc"
        program.write_bytes(program.read_bytes()[:1000])
        code, text, rows = self.measure(f"--only={STEP} ours,limits device", folder=folder)
        self.assertEqual(code, 1, text)
        self.assertIn(f"FAIL {STEP} ours: mpc-run: error: ", text)
        self.assertIn("found", rows["limits device"])

    def test_machine_code_of_a_newer_nvrtc_is_not_packed(self):
        done = run(SCRIPTS / "pack.py", BUILD, self.root / "newer", "--models=optimizer", "--driver=12.4")
        self.assertEqual(done.returncode, 1)
        self.assertIn("NVRTC 13.0 is newer than a driver of CUDA 12.4", done.stdout)


class Readme(unittest.TestCase):
    def test_rows_that_its_commands_name_are_there(self):
        steps = [{"model": model, "precision": precision} for model in models.SIZES for precision in ("bf16", "fp16")]
        proofs = [{"name": f"{model}-small-bf16"} for model in models.SIZES]
        content = {"arch": "sm_90", "steps": steps, "proofs": proofs, "device": ["a"],
                   "trainings": [{"name": "chargpt fp32"}]}
        pack = types.SimpleNamespace(content=content, environment={}, folder=pathlib.Path())
        arguments = types.SimpleNamespace(limits=None, no_peer=False)
        measurer = measure.Measurer(pack, None, arguments)
        names = [name for name, _ in prove.rows_of(prove.Prover(pack, None))]
        names += [f"limits {name}" for name in measure.LIMITS]
        names += [name for step in steps for name, _ in measurer.sides(step)]
        names += [f"kernels {step['model']} {step['precision']}" for step in steps]
        wanted = re.findall(r'--only="?([^"`]+)"?', (SCRIPTS / "README.md").read_text())
        self.assertGreater(len(wanted), 5)
        for pattern in ",".join(wanted).split(","):
            self.assertTrue(any(packed.is_wanted(name, [pattern]) for name in names), pattern)


class Batches(unittest.TestCase):
    def test_tokens_have_the_frequencies_of_a_text(self):
        sizes = models.sizes("gpt2")
        tokens = batches.draw_batch(sizes)["tokens"][2]
        self.assertEqual(len(tokens), 65536)
        self.assertTrue(all(0 <= token < sizes.vocabulary for token in tokens))
        counts = sorted(collections.Counter(tokens).values(), reverse=True)
        # Of English in GPT-2's tokens the first is 3 to 4 percent, and a tenth of all is made by six to eight.
        self.assertTrue(0.02 < counts[0] / 65536 < 0.04, counts[0])
        self.assertTrue(0.12 < sum(counts[:10]) / 65536 < 0.18, counts[:10])
        # Uniform ones would be of 36,500 kinds.
        self.assertLess(len(counts), 20000)


if __name__ == "__main__":
    unittest.main()
