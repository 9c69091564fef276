# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of PyTorch's modules against PyTorch itself; skipped where torch is not there."""
import pathlib
import sys
import unittest

import numpy as np
import programs

import mpc_compiler
from mpc_compiler import convert

try:
    import torch
except ImportError:
    torch = None


def make_module():
    torch.manual_seed(0)
    # In front of a BatchNorm a bias has a gradient of 0, of which Adam would take the rounding.
    return torch.nn.Sequential(
        torch.nn.Linear(6, 16, bias=False), torch.nn.BatchNorm1d(16), torch.nn.Tanh(), torch.nn.Linear(16, 4))


def batches(count):
    return [tuple(map(torch.from_numpy, programs.batch(i))) for i in range(count)]


@unittest.skipIf(torch is None, "torch is not installed")
class Torch(unittest.TestCase):
    def trained(self, count=10):
        """A module that torch trains, and a step that mpc trains of the same."""
        module, loss = make_module(), torch.nn.CrossEntropyLoss()
        optimizer = torch.optim.AdamW(module.parameters(), lr=0.01)
        other = make_module()
        step = mpc_compiler.compile_step(
            other, loss, torch.optim.AdamW(other.parameters(), lr=0.01),
            example_inputs=(batches(1)[0][0],))
        for x, target in batches(count):
            optimizer.zero_grad()
            value = loss(module(x), target)
            value.backward()
            optimizer.step()
            self.assertAlmostEqual(step(x, target).loss, value.item(), delta=1e-5)
        return module, optimizer, step

    def compiled(self, module):
        return mpc_compiler.compile_step(
            module, torch.nn.CrossEntropyLoss(), torch.optim.SGD(module.parameters(), lr=0.01),
            example_inputs=(batches(1)[0][0],))

    def test_losses_weights_and_statistics_are_those_of_torch(self):
        module, _, step = self.trained()
        step.sync_to_module()
        for name, value in module.state_dict().items():
            if not name.endswith("num_batches_tracked"):
                np.testing.assert_allclose(
                    step.read_state(name), value.numpy(), rtol=1e-4, atol=1e-5)

    def test_only_what_torch_would_train_is_trained(self):
        modules = [make_module(), make_module()]
        for module in modules:
            module[0].weight.requires_grad_(False)
        module, other = modules
        # The last layer's weight is not given to the optimizer.
        trained = [module[1].weight, module[1].bias, module[3].bias]
        optimizer = torch.optim.SGD(trained, lr=0.1)
        step = mpc_compiler.compile_step(
            other, torch.nn.CrossEntropyLoss(),
            torch.optim.SGD([other[1].weight, other[1].bias, other[3].bias], lr=0.1),
            example_inputs=(batches(1)[0][0],))
        for x, target in batches(5):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(module(x), target).backward()
            optimizer.step()
            step(x, target)
        for name, value in module.named_parameters():
            np.testing.assert_allclose(
                step.read_state(name), value.detach().numpy(), rtol=1e-4, atol=1e-5)
        initial = make_module()
        for name in ("0.weight", "3.weight"):
            np.testing.assert_array_equal(
                step.read_state(name), initial.get_parameter(name).detach().numpy())

    def test_a_normalization_that_is_frozen_is_told_of(self):
        module = make_module()
        module[1].eval()
        with self.assertWarnsRegex(mpc_compiler.MpcWarning, r"^1: in eval\(\) although the module"):
            self.compiled(module)
        self.assertEqual([part.training for part in module.modules()], [True, True, False, True, True])

    def test_a_module_in_eval_is_trained_and_stays_in_eval(self):
        module = make_module().eval()
        step = self.compiled(module)
        self.assertFalse(any(part.training for part in module.modules()))
        x, target = batches(1)[0]
        expected = torch.nn.functional.cross_entropy(make_module().train()(x), target).item()
        self.assertAlmostEqual(step(x, target).loss, expected, delta=1e-5)

    def test_a_checkpoint_goes_to_torch_and_back_with_the_same_bits(self):
        _, _, step = self.trained()
        path = programs.folder() / "run.pt"
        convert.write_torch(path, step.state_dict())
        state = convert.read_torch(path)
        for name, value in step.state_dict()["model"].items():
            self.assertEqual(state["model"][name].tobytes(), value.tobytes())
        module = make_module()
        module.load_state_dict(torch.load(path)["model"], strict=False)
        optimizer = torch.optim.AdamW(module.parameters())
        optimizer.load_state_dict(torch.load(path)["optimizer"])
        self.assertEqual(optimizer.param_groups[0]["lr"], step.lr)

    def test_the_example_has_the_same_loss_curve(self):
        sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "examples/python"))
        import train

        theirs, ours = train.train_with_torch(100), train.train_with_mpc(100)
        self.assertLess(theirs[-1], theirs[0] / 2)
        np.testing.assert_allclose(ours, theirs, atol=1e-4)

    def test_a_training_of_torch_goes_on_here(self):
        module, optimizer, _ = self.trained()
        step = mpc_compiler.compile_step(
            module, torch.nn.CrossEntropyLoss(), optimizer, example_inputs=(batches(1)[0][0],))
        step.load_state_dict({"optimizer": optimizer.state_dict()},
                             parameter_names=[n for n, _ in module.named_parameters()])
        for x, target in batches(5):
            optimizer.zero_grad()
            value = torch.nn.CrossEntropyLoss()(module(x), target)
            value.backward()
            optimizer.step()
            self.assertAlmostEqual(step(x, target).loss, value.item(), delta=1e-5)


if __name__ == "__main__":
    unittest.main()
