# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checkpoints and weights, converted. Files of torch are in pytorch/."""
import contextlib
import io
import json
import pathlib
import sys
import unittest
import zipfile

import numpy as np
import programs
from safetensors.numpy import load_file, save_file
from step_test import bits

import mpc_compiler
from mpc_compiler import InvalidInputError, UsageError, convert

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "e2e"))
import export_weights

# A tied weight, and a BatchNormalization with its statistics.
FLAGS = ("--precision=fp16", "--accumulate=2", "--ema=0.9", "--init-scale=64")
WEIGHTS = ["embed.weight", "norm.weight", "norm.bias"]


def tied():
    export_weights.make(programs.folder())
    return programs.folder() / "model.onnx"


def program():
    return programs.compiled(*FLAGS, model=tied)


def trained(steps=3):
    step = mpc_compiler.load(program())
    step.lr = 0.01
    data = load_file(programs.folder() / "data.safetensors")
    for i in range(2 * steps):
        half = slice(4 * (i % 2), 4 * (i % 2) + 4)
        step(data["ids"][half], data["target"][half])
    return step


def saved(name):
    """A step and the folder of its checkpoint."""
    step, folder = trained(), programs.folder() / name
    step.save_checkpoint(folder)
    return step, folder


def run(*words):
    """Exit code and what is said of the command line."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        code = convert.main([str(word) for word in words])
    return code, said.getvalue()


class Checkpoints(unittest.TestCase):
    def test_a_checkpoint_has_the_state_of_its_step(self):
        step, folder = saved("state")
        found, own = convert.state_of_checkpoint(folder), step.state_dict()
        del own["model"]["head.weight"]  # What only the program knows.
        for name in own["model"].keys() & {"norm.running_mean"}:
            self.assertTrue(np.any(own["model"][name]))
        for section in ("model", "scaler", "mpc"):
            self.assertEqual(bits(found[section]), bits(own[section]), section)
        self.assertEqual(bits(found["optimizer"]["state"]), bits(own["optimizer"]["state"]))
        group, own_group = (s["optimizer"]["param_groups"][0] for s in (found, own))
        self.assertEqual(sorted(group["params"]), sorted(own_group["params"]))
        for name in ("betas", "eps", "weight_decay", "ema_decay"):
            self.assertEqual(group[name], own_group[name], name)

    def test_numbers_of_groups_stay_beside_torchs(self):
        step = mpc_compiler.compile_step(programs.linear(), lr=0.1, group=["bias:lr=0.5,weight-decay=0.25"])
        step(*programs.batch(0))
        step.save_checkpoint(programs.folder() / "groups")
        found = convert.state_of_checkpoint(programs.folder() / "groups")
        for state in (found, step.state_dict()):
            self.assertEqual([name for name in state["optimizer"]["param_groups"][0] if "." in name], [])
            self.assertEqual(state["mpc"]["amp.hyper.group1.lr_factor"], 5.0)
        other = mpc_compiler.compile_step(programs.linear(), group=["bias:lr=1,weight-decay=0.5"])
        other.load_state_dict(found)
        self.assertEqual(other.hyper_parameters["group1.lr_factor"], 5.0)
        self.assertEqual(other.hyper_parameters["group1.weight_decay"], 0.25)

    def test_a_checkpoint_says_what_its_tensors_are(self):
        _, folder = saved("records")
        file = next(folder.glob("ckpt-*"))
        records = json.loads(convert.read_safetensors(file)[1]["state"])
        self.assertEqual(records["embed.weight"], {"role": "parameter"})
        self.assertEqual(records["norm.running_mean"], {"role": "buffer"})
        for name, role, owner, key in [
            ("embed.weight/exp_avg", "slot", "embed.weight", "exp_avg"),
            ("embed.weight/ema", "average", "embed.weight", "ema"),
            ("norm.running_mean/pending", "pending", "norm.running_mean", "pending"),
        ]:
            self.assertEqual(records[name], {"role": role, "owner": owner, "key": key})
        for name, role in [("beta1", "hyperparameters"), ("growth_interval", "setting")]:
            self.assertEqual(records[f"amp.hyper.{name}"], {"role": role, "key": name})
        self.assertEqual(records["amp.loss_scale"], {"role": "loss_scale"})
        self.assertEqual(records["amp.optimizer.step"], {"role": "optimizer", "key": "step"})

    def test_tensors_are_known_by_the_record_and_of_old_files_by_their_names(self):
        _, folder = saved("renamed")
        tensors, metadata = convert.read_safetensors(next(folder.glob("ckpt-*")))
        named = convert.state_of_checkpoint(folder)
        path = programs.folder() / "old.safetensors"
        save_file(dict(tensors), path, {k: v for k, v in metadata.items() if k != "state"})
        self.assertEqual(bits(convert.state_of_checkpoint(path)), bits(named))
        # A name that says nothing, and a record that does.
        records = json.loads(metadata["state"])
        for store in (tensors, records):
            store["s"] = store.pop("embed.weight/exp_avg")
        save_file(dict(tensors), path, {**metadata, "state": json.dumps(records)})
        self.assertEqual(bits(convert.state_of_checkpoint(path)), bits(named))
        records["s"]["owner"] = "embed.wait"
        save_file(dict(tensors), path, {**metadata, "state": json.dumps(records)})
        with self.assertRaisesRegex(
            InvalidInputError, "old.safetensors: field 'state' has, for tensor 's', the owner "
                               "'embed.wait', and the file has no such tensor"):
            convert.state_of_checkpoint(path)

    def test_there_and_back_is_the_same_bits(self):
        step, folder = saved("first")
        state = convert.state_of_checkpoint(folder)
        convert.save_checkpoint(programs.folder() / "second", program(), state)
        first, second = (
            convert.read_safetensors(next((programs.folder() / name).glob("ckpt-*")))[0]
            for name in ("first", "second"))
        self.assertEqual(bits(first), bits(second))
        self.assertIn("embed.weight/ema", first)

    def test_weights_go_to_a_file_that_trainings_begin_from(self):
        step, folder = saved("weights")
        path = programs.folder() / "weights.safetensors"
        self.assertEqual(run(folder, path, "--program", program()), (0, ""))
        written = load_file(path)
        self.assertEqual(sorted(written), sorted([
            *WEIGHTS, "head.weight", "norm.running_mean", "norm.running_var"]))
        self.assertEqual(bits(written["head.weight"]), bits(step.read_state("embed.weight")))
        other = mpc_compiler.load(program())
        other.load_state_dict(convert.state_of_checkpoint(path)["model"])
        self.assertEqual(bits(other.state_dict()["model"]), bits(step.state_dict()["model"]))

    def test_an_optimizer_is_numbered_in_the_order_of_a_module(self):
        state = trained().state_dict()["optimizer"]
        order = WEIGHTS[::-1]
        numbered = convert.number_parameters(state, order)
        self.assertEqual(bits(numbered["state"][2]), bits(state["state"]["embed.weight"]))
        group = numbered["param_groups"][0]
        self.assertEqual((group["params"], group["param_names"]), ([0, 1, 2], order))
        other = mpc_compiler.load(program())
        other.load_state_dict({"optimizer": numbered})
        self.assertEqual(bits(other.state_dict()["optimizer"]["state"]), bits(state["state"]))
        with self.assertRaisesRegex(InvalidInputError, "the module has no parameter norm.weight"):
            convert.number_parameters(state, ["embed.weight", "norm.bias"])

    def test_bfloat16_is_written_and_read(self):
        import ml_dtypes

        array = np.array([1.5, -2, 3e38], np.float32).astype(ml_dtypes.bfloat16)
        path = programs.folder() / "narrow.safetensors"
        convert.write_safetensors(path, {"w": array, "n": np.arange(3)})
        found, _ = convert.read_safetensors(path)
        self.assertEqual(bits(found), bits({"w": array, "n": np.arange(3)}))
        self.assertEqual(load_file(path)["n"].tolist(), [0, 1, 2])

    def test_what_is_wrong_is_said(self):
        _, folder = saved("wrong")
        none = programs.folder() / "none.safetensors"
        none.write_bytes(b"xxxx")
        for words, code, text in [
            ((folder, programs.folder() / "x.txt"), 2, "neither .safetensors, .pt"),
            ((folder, programs.folder() / "other"), 2, "a checkpoint is of a program: --program"),
            ((none, programs.folder() / "y.safetensors"), 1, "is not a safetensors file"),
            ((programs.folder() / "no", none), 1, "no"),
            ((folder, programs.folder() / "z.weights.h5"), 2, "--map"),
            ((folder, programs.folder() / "z.pt"), 2, "--like=FILE.pt, a state of that module"),
        ]:
            found, said = run(*words)
            self.assertEqual(found, code, said)
            self.assertIn(text, said)


class Keras(unittest.TestCase):
    NAMES = {"layers/embedding/vars/0": "embed.weight", "layers/norm/vars/0": "norm.weight",
             "layers/norm/vars/1": "norm.bias", "layers/norm/vars/2": "norm.running_mean",
             "layers/norm/vars/3": "norm.running_var", "layers/dense/vars/0": "kernel.T"}

    def write(self, path):
        """A file as Keras 3 lays it out; gives its variables."""
        import h5py

        random = np.random.default_rng(4)
        shapes = [(11, 6), (5,), (5,), (5,), (5,), (6, 3)]
        values = {name: random.standard_normal(shape).astype(np.float32)
                  for name, shape in zip(self.NAMES, shapes)}
        with h5py.File(path, "w") as file:
            for name, value in values.items():
                file[name] = value
        return values

    def test_weights_come_by_their_names(self):
        path = programs.folder() / "model.weights.h5"
        values = self.write(path)
        archive = programs.folder() / "model.keras"
        with zipfile.ZipFile(archive, "w") as file:
            file.write(path, "model.weights.h5")
        names = programs.folder() / "names.json"
        names.write_text(json.dumps(self.NAMES))
        for source in (path, archive):
            target = programs.folder() / "from_keras.safetensors"
            self.assertEqual(run(source, target, "--map", names), (0, ""))
            found = load_file(target)
            np.testing.assert_array_equal(found["kernel"], values["layers/dense/vars/0"].T)
            del found["kernel"]
            step = mpc_compiler.load(program())
            step.load_state_dict(found)
            for theirs, ours in self.NAMES.items():
                if ours != "kernel.T":
                    np.testing.assert_array_equal(step.read_state(ours), values[theirs])

    def test_weights_go_back_in_place(self):
        import h5py

        path = programs.folder() / "back.weights.h5"
        self.write(path)
        names = {theirs: ours for theirs, ours in self.NAMES.items() if ours != "kernel.T"}
        step, folder = saved("to_keras")
        convert.write_keras(path, convert.state_of_checkpoint(folder), names)
        with h5py.File(path) as file:
            for theirs, ours in names.items():
                np.testing.assert_array_equal(np.array(file[theirs]), step.read_state(ours))
        with self.assertRaisesRegex(InvalidInputError, r"vars/0 is \[6, 3\], norm.bias is \[5\]"):
            convert.write_keras(path, step.state_dict(), {"layers/dense/vars/0": "norm.bias"})

    def test_kernels_are_turned_on_their_way_back(self):
        """Keras' kernels are (inputs, outputs), also where they are square and a shape tells nothing."""
        import h5py

        path = programs.folder() / "turned.weights.h5"
        weight = np.arange(16, dtype=np.float32).reshape(4, 4)
        with h5py.File(path, "w") as file:
            file["dense/vars/0"] = np.zeros((4, 4), np.float32)
        convert.write_keras(path, {"model": {"kernel": weight}}, {"dense/vars/0": "kernel.T"})
        with h5py.File(path) as file:
            self.assertEqual(file["dense/vars/0"][1, 2], 9)  # Of input 1 for output 2: weight[2, 1].
            np.testing.assert_array_equal(np.array(file["dense/vars/0"]), weight.T)
        np.testing.assert_array_equal(
            convert.read_keras(path, {"dense/vars/0": "kernel.T"})["model"]["kernel"], weight)

    def test_a_variable_that_is_not_there_is_named(self):
        path = programs.folder() / "lacks.weights.h5"
        self.write(path)
        with self.assertRaisesRegex(InvalidInputError, "the file has no layers/x; it has layers/"):
            convert.read_keras(path, {"layers/x": "x"})


if __name__ == "__main__":
    unittest.main()
