# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that PyTorch has trained once (pytorch/record.py), trained again without it.

What compile_step asks a module, its loss, optimizer and scaler is recorded too, and so is the
file that PyTorch's exporter makes of it: stand-ins of their names answer.
"""
import json
import pathlib
import unittest
from unittest import mock

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file

import mpc_compiler
from mpc_compiler import _compile

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "Inputs/torch_modules"


class Parameter:
    def __init__(self, requires_grad):
        self.requires_grad = requires_grad


class Module:
    def __init__(self, parameters):
        self.parameters = {name: Parameter(trains) for name, trains in parameters.items()}

    def named_parameters(self):
        return self.parameters.items()

    def state_dict(self):
        return self.parameters


class Scaler:
    def __init__(self, settings):
        for name, value in settings.items():
            setattr(self, "get_scale" if name == "init_scale" else f"get_{name}", lambda value=value: value)

    def is_enabled(self):
        return True


def stand_in(kind, **attributes):
    """Something whose type has the name of torch's."""
    return type(kind, (), attributes)()


class Recorded(unittest.TestCase):
    def step_of(self, name, inputs):
        with safe_open(FOLDER / f"{name}.safetensors", "np") as file:
            asked = json.loads(file.metadata()["asked"])
        module = Module(asked["parameters"])
        groups = [group | {"params": [module.parameters[n] for n in group["params"]]}
                  for group in asked["optimizer"]["groups"]]
        loss = stand_in(asked["loss"].pop("kind"), **asked["loss"])
        model = (FOLDER / f"{name}.onnx").read_bytes()
        with mock.patch.object(_compile, "export_onnx", lambda *_: model):
            return mpc_compiler.compile_step(
                module, loss, stand_in(asked["optimizer"]["kind"], param_groups=groups),
                precision="fp16" if asked["scaler"] else "fp32",
                scaler=Scaler(asked["scaler"]) if asked["scaler"] else None, example_inputs=inputs)

    def train(self, name, *, loss_atol=2e-5, rtol=1e-3, atol=2e-5):
        """Compares losses, scales and at the end all weights and statistics."""
        recorded = load_file(FOLDER / f"{name}.safetensors")
        losses, scales = recorded["losses"], recorded["scales"]
        batches = [[recorded[key] for key in sorted(recorded) if key.startswith(f"{i}.")] for i in range(len(losses))]
        step = self.step_of(name, batches[0][:-1])
        for i, batch in enumerate(batches):
            result = step(*batch)
            if np.isfinite(losses[i]):
                self.assertAlmostEqual(result.loss, losses[i], delta=loss_atol, msg=f"step {i}")
            if len(scales):
                self.assertEqual(step.scaler.get_scale(), scales[i])
                self.assertEqual(result.skipped, not np.isfinite(losses[i]))
        expected = {key[6:]: value for key, value in recorded.items()
                    if key.startswith("state.") and not key.endswith("num_batches_tracked")}
        state = step.state_dict()["model"]
        self.assertEqual(set(expected), set(state))
        for key, value in expected.items():
            np.testing.assert_allclose(np.asarray(state[key], np.float32), value, rtol=rtol, atol=atol, err_msg=key)
        return step, recorded

    def test_a_convolutional_network_with_batch_norm(self):
        self.train("convolutional", rtol=2e-3, atol=1e-4)

    def test_a_transformer_encoder(self):
        self.train("encoder")

    def test_an_lstm_of_two_layers(self):
        self.train("recurrent")

    def test_an_embedding_that_is_the_head_too(self):
        self.train("tied", rtol=5e-3, atol=2e-4)

    def test_two_inputs(self):
        self.train("two_inputs", atol=1e-4)

    def test_groups_with_and_without_decay_and_a_frozen_layer(self):
        step, recorded = self.train("grouped", atol=1e-4)
        np.testing.assert_array_equal(step.read_state("stem.weight"), recorded["state.stem.weight"])

    def test_fp16_with_a_scaler(self):
        self.train("scaled", loss_atol=5e-3, rtol=0.05, atol=0.01)


if __name__ == "__main__":
    unittest.main()
