#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/compare.py, our side alone at tiny sizes: its rows, what was computed, and its page.

    compare_test.py BUILD
"""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
from comparison import cases, convolutions, page  # noqa: E402

BUILD = None
WANTED = ["step digits-mlp", "contraction deepbench 2048x64x2048 tn", "contraction deepbench 2048x7133x2048 nt",
          "convolution resnet18-cifar 32x64x32x32 to 128 by 3x3 / 2", "depthwise efficientnet-b0 8x144x56x56 by 5x5 / 2",
          "attention 4x12x512x64 causal", "optimizer gpt2-124M"]
CONVOLUTIONS, ATTENTION, OPTIMIZER = WANTED[3:5], WANTED[5], WANTED[6]


def case_of(name):
    return next(case for case in cases.all_cases(small=True) if case["name"] == name)


def product(case):
    a, b = (array.astype(np.float64) for array in cases.operands(case))
    return (a.T if case["layout"][0] == "t" else a) @ (b.T if case["layout"][1] == "t" else b)


def convolution(case):
    """The products of a convolution in float64, tap by tap."""
    x, w, seed = convolutions.operands(case).values()
    x, w, seed = (array.astype(np.float64) for array in (x, w, seed))
    padding, stride, taps, last = (case[key] for key in ("padding", "stride", "taps", "pixels"))
    groups, inputs = case["groups"], case["inputs"] // case["groups"]
    padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    w = w.reshape(groups, -1, inputs, taps, taps)
    seed = seed.reshape(len(x), groups, w.shape[1], *seed.shape[2:])
    y, d_padded, dw = np.zeros(seed.shape), np.zeros(padded.shape), np.zeros(w.shape)
    for i, j in np.ndindex(taps, taps):
        places = (..., slice(i, i + stride * (seed.shape[3] - 1) + 1, stride), slice(j, j + stride * (seed.shape[4] - 1) + 1, stride))
        seen = padded[places].reshape(len(x), groups, inputs, *seed.shape[3:])
        y += np.einsum("ngcyx,goc->ngoyx", seen, w[..., i, j])
        d_padded[places] += np.einsum("ngoyx,goc->ngcyx", seed, w[..., i, j]).reshape(padded[places].shape)
        dw[..., i, j] = np.einsum("ngcyx,ngoyx->goc", seen, seed)
    return {"forward": y, "input": d_padded[..., padding : padding + last, padding : padding + last], "weight": dw}


def key_gradient(case):
    """dk of softmax(q k^T / sqrt(d)) v in float64, by the chain rule."""
    q, k, v, gradient = (array.astype(np.float64) for array in cases.attention_inputs(case))
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    scores[..., ~np.tri(q.shape[2], dtype=bool)] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    d_weights = gradient @ v.swapaxes(-1, -2)
    d_scores = weights * (d_weights - (d_weights * weights).sum(-1, keepdims=True))
    return d_scores.swapaxes(-1, -2) @ q / math.sqrt(q.shape[-1])


def gradient_norm(case):
    numbers = (array.astype(np.float16).astype(np.float64) / cases.LOSS_SCALE
               for array in cases.gpt2_numbers(case, cases.GRADIENT, 5))
    return math.sqrt(sum((array**2).sum() for array in numbers))


class CompareTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out, cls.page = cls.files("first")
        # The Python of the tests has no torch, so that its side is absent.
        only = ",".join([*(f"{name} ours" for name in WANTED), "optimizer gpt2-124M torch fused fp16"])
        cls.done = cls.compare("first", "--build", BUILD, "--small", "--rounds=1", "--slice=0.01", f"--only={only}",
                               f"--torch-python={sys.executable}")
        cls.rows = [json.loads(line) for line in cls.out.read_text().splitlines()]
        cls.slices = [row for row in cls.rows if row["kind"] == "slice"]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def files(cls, name):
        """The rows and the page of a run."""
        return [pathlib.Path(cls.folder.name) / f"{name}.{kind}" for kind in ("jsonl", "md")]

    @classmethod
    def compare(cls, name, *flags):
        out, page_path = cls.files(name)
        command = [sys.executable, "-B", ROOT / "benchmarks/compare.py", f"--out={out}", f"--page={page_path}", *flags]
        # The package comes from --build, not from the shell that runs the tests.
        env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, env=env)

    def test_each_row_is_measured_once(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        found = [(row["case"], row["side"], row["mode"]) for row in self.slices]
        modes = cases.MODES["ours"]
        self.assertEqual(found, [(name, "ours", mode) for name in WANTED for mode in modes[name.split()[0]]])
        for row in self.slices:
            self.assertGreater(row["least_ms"], 0)
            self.assertGreaterEqual(row["median_ms"], row["least_ms"])
            self.assertGreaterEqual(row["calls"], 1)
            self.assertTrue(row["agrees"], row)

    def test_what_is_computed_is_right(self):
        expected = {name: cases.size_of(product(case_of(name))) for name in WANTED if name.startswith("contraction")}
        expected[ATTENTION] = cases.size_of(key_gradient(case_of(ATTENTION)))
        expected[OPTIMIZER] = gradient_norm(case_of(OPTIMIZER))
        # bf16 has 8 bits: of a mean over many elements far less than 2^-8 is left.
        for row in self.slices:
            if row["case"] in expected:
                self.assertAlmostEqual(row["check"] / expected[row["case"]], 1, delta=4e-3, msg=row)
        for name in CONVOLUTIONS:
            products = convolution(case_of(name))
            for row in (row for row in self.slices if row["case"] == name):
                size = cases.size_of(products[row["mode"].split()[0]])
                self.assertAlmostEqual(row["check"] / size, 1, delta=4e-3, msg=row)
        # Before any update a model guesses among ten digits.
        losses = [row["check"] for row in self.slices if row["case"].startswith("step")]
        self.assertTrue(all(abs(loss - math.log(10)) < 0.1 for loss in losses), losses)

    def test_a_side_that_is_not_installed_is_named(self):
        self.assertIn({"kind": "absent", "side": "torch", "why": "No module named 'torch'"}, self.rows)
        self.assertIn("Not installed: torch (No module named 'torch').", self.page.read_text())

    def test_the_page_has_a_section_of_each_cpu(self):
        text = self.page.read_text()
        rows = json.loads(json.dumps(self.rows))
        rows[0]["cpu"] = "another"
        page.update(self.page, page.Results(rows))
        page.update(self.page, page.Results(self.rows))
        both = self.page.read_text()
        self.assertEqual(both.count("<!-- begin "), 2)
        self.assertTrue(both.startswith(text.rstrip("\n")))
        for name in WANTED:
            self.assertEqual(both.count("| " + name.split(" ", 1)[1] + " |"), 2, name)

    def test_a_part_has_a_section_beside_the_others(self):
        path = pathlib.Path(self.folder.name) / "parts.md"
        results = page.Results(self.rows)
        page.update(path, results)
        for _ in range(2):
            page.update(path, results, "models")
        titles = [line for line in path.read_text().splitlines() if line.startswith("## ")]
        self.assertEqual(titles, [f"## {results.run['cpu']}", f"## {results.run['cpu']}: models"])

    def test_ratios_are_theirs_by_ours(self):
        def row(side, mode, number, median):
            return {"kind": "slice", "case": "step x", "side": side, "mode": mode, "round": number, "median_ms": median,
                    "least_ms": median / 2, "calls": 1, "others": 0, "flops": 0, "precision": mode, "agrees": side == "ours"}

        rows = [row("ours", "fp32", 0, 1), row("torch", "eager fp32", 0, 8), *(row("ours", "bf16", i, ms)
                for i, ms in enumerate((2, 100, 4))), row("jax", "fp32", 0, 6)]
        results = page.Results([{"kind": "run"}, *rows])
        self.assertEqual(results.median("step x", "ours", "bf16"), 4)
        self.assertEqual(page.ratios_of(results, "step x", "step"), {"best other / our best 16 bits": 1.5})
        self.assertEqual(page.table(results, "step")[2:], [
            "| x | 1.00 (0.50) | 4.00 (1.00) | 8.00 (4.00) (!) | 6.00 (3.00) (!) | 1.50 |"])

    def test_slices_that_others_disturbed_are_left_out(self):
        rows = [{"others": others} for others in (0.0, 1.5, 0.9)]
        self.assertEqual(page.undisturbed(rows), rows[:1])
        # With one in four there is too little left.
        self.assertEqual(page.undisturbed([*rows, {"others": 0.3}]), [*rows, {"others": 0.3}])

    def test_a_geometric_mean_leaves_out_what_is_missing(self):
        self.assertAlmostEqual(page.geometric_mean([2, None, 8]), 4)
        self.assertIsNone(page.geometric_mean([None]))

    def test_list_has_the_names_that_only_takes(self):
        listed = self.compare("list", "--list", "--only=contraction deepbench * ours bf16").stdout.splitlines()
        self.assertEqual(len(listed), 13)
        every = self.compare("list", "--list").stdout.splitlines()
        self.assertEqual(len(every), len(set(every)))
        self.assertTrue(set(listed) < set(every))

    def test_nothing_begins_after_the_budget(self):
        done = self.compare("budget", "--build", BUILD, "--small", "--budget=0", "--only=optimizer gpt2-124M ours")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Not measured: ours fp16, in optimizer gpt2-124M: after 0 s.", done.stdout)

    def test_a_fault_of_a_side_is_told(self):
        done = self.compare("fault", "--build", self.folder.name, "--small", "--only=contraction deepbench 35x* ours fp16")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Not installed: ours (No module named 'mpc_compiler').", done.stdout)


if __name__ == "__main__":
    BUILD = sys.argv.pop(1)
    unittest.main()
