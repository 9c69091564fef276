# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples for PyTorch, by their ordinary loops and compiled; and the README's, as they stand."""
import importlib.util
import pathlib
import re
import sys
import tempfile
import unittest

import mpc_compiler

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "examples/python"))
HAS_TORCH = importlib.util.find_spec("torch") is not None
HAS_TRANSFORMERS = importlib.util.find_spec("transformers") is not None


class Near(unittest.TestCase):
    def near(self, found, expected, tolerance):
        self.assertEqual(len(found), len(expected))
        for i, (a, b) in enumerate(zip(found, expected)):
            self.assertLess(abs(a - b), tolerance * max(1, abs(b)), f"at {i}: {a}, expected {b}")


class Examples(Near):
    def test_a_loss_of_ones_own(self):
        import custom_loss

        expected = custom_loss.train_with_torch(custom_loss.Autoencoder())
        found = custom_loss.train_with_mpc(custom_loss.Autoencoder())
        self.near(sum(found, ()), sum(expected, ()), 2e-4)
        self.assertLess(expected[-1][1], expected[0][1] / 5)

    def test_a_scheduler(self):
        import scheduler

        flat = lambda run: [n for loss, group in run for n in (loss, group["lr"], group["momentum"])]
        expected = flat(scheduler.train_with_torch(scheduler.make_model()))
        self.near(flat(scheduler.train_with_mpc(scheduler.make_model())), expected, 1e-4)
        self.assertLess(expected[-3], expected[0] / 5)

    def test_each_door_goes_on_with_what_another_has_saved(self):
        import resume

        with tempfile.TemporaryDirectory() as folder:
            expected = [resume.train(f"{folder}/torch.pt", "torch") for _ in range(3)]
            for doors in (("wrap", "step", "torch"), ("torch", "wrap", "step"), ("step", "torch", "wrap")):
                path = f"{folder}/{doors[0]}-first.pt"
                self.near([resume.train(path, door) for door in doors][-1], expected[-1], 1e-5)
        self.assertLess(expected[-1][-1], expected[0][0] / 5)

    def readme(self):
        """Its blocks of Python, as they stand."""
        return re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)

    def test_the_readme_shows_wrap_first_and_step_second(self):
        first, second, *_ = self.readme()
        self.assertIn("mpc_compiler.wrap(", first)
        self.assertIn("mpc_compiler.step(", second)

    def test_the_readmes_examples_train(self):
        for text in self.readme():
            names = {}
            exec(compile(f"import torch\ntorch.manual_seed(0)\n{text}", "README.md", "exec"), names)  # noqa: S102
            model = names["model"].eval()  # Ten classes: 2.3 is what it begins with.
            self.assertLess(names["criterion"](model(names["x"]), names["target"]).item(), 1.9, text)


class WithTransformers(Near):
    def test_bert_with_batches_of_dicts(self):
        import bert

        expected = bert.train(bert.make_model())
        self.near(bert.train(mpc_compiler.wrap(bert.make_model())), expected, 1e-4)
        self.assertLess(expected[-1], expected[0] / 5)


def load_tests(loader, tests, pattern):
    if HAS_TORCH and HAS_TRANSFORMERS:
        return tests
    print("no transformers here: the example of BERT is not tested")
    return loader.loadTestsFromTestCase(Examples) if HAS_TORCH else unittest.TestSuite()


if __name__ == "__main__":
    unittest.main()
