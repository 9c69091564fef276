# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps that are compiled from Python.

What torch's losses, optimizers and scalers are told of is tested on stand-ins with their names and
attributes, so that it is tested without torch too; pytorch/ has the real ones, and recorded_test.py what they came to.
"""
import json
import re
import subprocess
import tempfile
import unittest

import numpy as np
import onnx
import programs
from step_test import bits, cross_entropy_gradients

import mpc_compiler
from mpc_compiler import UsageError, _compile

TEXT = """
nn.parameter @w : tensor<4x6xf32> = #nn.init<zeros>
func.func @model(%x: tensor<8x6xf32> {nn.name = "x"}) -> (tensor<8x4xf32> {nn.name = "y"}) {
  %w = nn.get @w : tensor<4x6xf32>
  %y = nn.linear %x, %w : tensor<8x6xf32>, tensor<4x6xf32> -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
"""


SCORES = """
nn.parameter @w : tensor<{shape}xf32> = #nn.init<zeros>
func.func @model(%x: tensor<{shape}xf32> {{nn.name = "x"}}) -> (tensor<{shape}xf32> {{nn.name = "y"}}) {{
  %w = nn.get @w : tensor<{shape}xf32>
  %y = nn.add %x, %w : tensor<{shape}xf32>
  return %y : tensor<{shape}xf32>
}}
"""


class CrossEntropyLoss:
    reduction, ignore_index, label_smoothing = "mean", -100, 0.1
    weight = np.array([1.0, 2.0, 0.5, 1.0])


def smoothed_loss(logits, labels):
    """What torch's documentation says of CrossEntropyLoss(), a place at a time, in float64."""
    rows = np.moveaxis(logits.astype(np.float64), min(1, logits.ndim - 1), -1).reshape(-1, 4)
    weights, smoothing = CrossEntropyLoss.weight, CrossEntropyLoss.label_smoothing
    loss = weight = 0.0
    for row, label in zip(rows, labels.ravel()):
        logs = weights * (row - np.log(np.exp(row).sum()))
        loss -= (1 - smoothing) * logs[label] + smoothing / 4 * logs.sum()
        weight += weights[label]
    return loss / weight


class BCEWithLogitsLoss:
    reduction, weight, pos_weight = "mean", None, np.ones(3)


class KLDivLoss:
    reduction, log_target = "batchmean", True


class AdamW:
    def __init__(self, *groups):
        common = {"lr": 0.01, "betas": (0.8, 0.99), "eps": 1e-6, "amsgrad": True}
        self.param_groups = [{**common, **group} for group in groups]


class GradScaler:
    def is_enabled(self):
        return True

    def get_scale(self):
        return 512.0

    def get_growth_factor(self):
        return 4.0

    def get_backoff_factor(self):
        return 0.25

    def get_growth_interval(self):
        return 7


class Module:
    """Two parameters, as torch's modules name them."""

    def __init__(self):
        self.parameters = {"fc.weight": object(), "fc.bias": object()}

    def state_dict(self):
        return self.parameters

    def named_parameters(self):
        return self.parameters.items()


class Compiled(unittest.TestCase):
    def expect_steps(self, step):
        """Three steps of SGD, by the formula."""
        w, b = (value.astype(np.float64) for value in programs.weights().values())
        for i in range(3):
            x, target = programs.batch(i)
            loss, dw, db = cross_entropy_gradients(w, b, x, target)
            self.assertAlmostEqual(step(x, target).loss, loss, delta=1e-6)
            w, b = w - 0.1 * dw, b - 0.1 * db
        np.testing.assert_allclose(step.read_state("fc.weight"), w, atol=1e-6)

    def test_a_file_its_bytes_and_a_model_of_onnx_are_the_same(self):
        path = programs.linear()
        for model in (path, str(path), path.read_bytes(), onnx.load(path)):
            step = mpc_compiler.compile_step(model, "cross_entropy", "sgd", lr=0.1)
            self.expect_steps(step)

    def test_text_of_mlir_is_compiled(self):
        step = mpc_compiler.compile_step(TEXT, "mse", "sgd", lr=0.5)
        x, target = programs.batch()[0], np.ones((8, 4), np.float32)
        self.assertEqual(step(x, target).loss, 1.0)
        gradient = -2 / 32 * target.T.astype(np.float64) @ x
        np.testing.assert_allclose(step.read_state("w"), -0.5 * gradient, atol=1e-7)

    def test_arguments_are_the_flags_of_the_tool(self):
        step = mpc_compiler.compile_step(
            programs.linear(), "cross_entropy", "sgd", precision="fp16",
            scaler={"policy": "dynamic", "init_scale": 256, "growth_interval": 2},
            momentum=0.75, clip_global_norm=3.0, no_decay=["bias"], weight_decay=0.01, lr=0.1)
        self.assertEqual((step.momentum, step.clip_global_norm, step.lr),
                         (0.75, 3.0, np.float32(0.1)))
        self.assertEqual((step.scaler.scale, step.scaler.growth_interval), (256, 2))
        self.assertIn('no_decay(["bias"])', step.recipe.replace("^", ""))

    def test_each_argument_is_listed_with_what_it_does(self):
        text = subprocess.run([programs.BUILD / "bin/mpc-compile", "--help"], check=True,
                              capture_output=True, text=True).stdout
        flags = set(re.findall(r"^  (?:-\w,)?--([a-z0-9-]+)", text, re.MULTILINE))
        own = {"help", "version", "emit", "header", "output", "list-losses", "list-optimizers"}
        options = mpc_compiler.options()
        self.assertEqual(set(options), {flag.replace("-", "_") for flag in flags - own})
        self.assertEqual(options["clip_norm"], "X: Largest norm of each gradient")
        self.assertEqual(options["nesterov"], "Nesterov's momentum")

    def test_what_is_saved_is_what_is_compiled(self):
        path = programs.folder() / "saved.mpc"
        first = mpc_compiler.compile_step(programs.linear(), optimizer="sgd", lr=0.1, save=path)
        second = mpc_compiler.load(path)
        second.lr = 0.1
        for step in (first, second):
            step(*programs.batch())
        self.assertEqual(bits(first.state_dict()), bits(second.state_dict()))

    def test_a_program_brings_its_rate_along(self):
        path = programs.folder() / "rate.mpc"
        step = mpc_compiler.compile_step(programs.linear(), optimizer="sgd", lr=0.25, save=path)
        self.assertEqual((step.lr, mpc_compiler.load(path).lr), (0.25, 0.25))
        with self.assertWarnsRegex(mpc_compiler.MpcWarning, "--lr-schedule: applies where mpc-run"):
            mpc_compiler.compile_step(programs.linear(), lr=0.25, lr_schedule="cosine")

    def test_a_flag_that_nobody_knows_proposes_another(self):
        with self.assertRaisesRegex(UsageError, "did you mean --momentum"):
            mpc_compiler.compile_step(programs.linear(), momentun=0.5)

    def test_the_model_comes_back_with_its_trained_weights(self):
        path, out = programs.linear(), programs.folder() / "trained.onnx"
        for model in (path, path.read_bytes()):
            step = mpc_compiler.compile_step(model, optimizer="sgd", lr=0.5)
            step(*programs.batch())
            step.export_onnx(out)
            onnx.checker.check_model(out, full_check=True)
            trained = {t.name: onnx.numpy_helper.to_array(t) for t in onnx.load(out).graph.initializer}
            self.assertEqual(set(trained), set(programs.weights()))
            for name, value in trained.items():
                np.testing.assert_array_equal(value, step.read_state(name))
                self.assertFalse(np.array_equal(value, programs.weights()[name]))
        # A program that was loaded is told which model it is of.
        loaded = mpc_compiler.load(programs.compiled("--optimizer=sgd"))
        with self.assertRaisesRegex(UsageError, "a program does not contain its model: name the file"):
            loaded.export_onnx(out)
        loaded.export_onnx(out, path)
        self.assertEqual(onnx.load(out).graph.initializer[0].raw_data, programs.weights()["fc.weight"].tobytes())

    def test_what_no_onnx_file_can_hold_is_refused(self):
        out = programs.folder() / "none.onnx"
        step = mpc_compiler.compile_step(TEXT, loss="mse")
        with self.assertRaisesRegex(UsageError, "'model.mlir' is not an .onnx file; only such a file can be written"):
            step.export_onnx(out)
        with self.assertRaisesRegex(
                mpc_compiler.InvalidInputError,
                "linear.onnx: the graph has no initializer 'w', so that the file cannot hold all that is trained; "):
            step.export_onnx(out, programs.linear())
        other = programs.save("other", [onnx.helper.make_node("Gemm", ["x", "w"], ["y"])],
                              {"w": np.zeros((6, 4), np.float32)}, [("y", onnx.TensorProto.FLOAT, (8, 4))])
        with self.assertRaisesRegex(
                mpc_compiler.InvalidInputError,
                r"other.onnx: the value of initializer 'w' is f32\[4x6\], the file has f32\[6x4\]"):
            step.export_onnx(out, other)
        self.assertFalse(out.exists())

    def test_all_samples_are_evaluated_each_once(self):
        step = mpc_compiler.compile_step(
            programs.linear(), "cross_entropy", "sgd", lr=0.1, with_eval=True)
        plain = mpc_compiler.compile_step(programs.linear(), "cross_entropy", "sgd", lr=0.1)
        x, target = (np.concatenate(parts)[:19] for parts in zip(*map(programs.batch, range(3))))
        for i in range(3):
            w, b = (step.read_state(n).astype(np.float64) for n in ("fc.weight", "fc.bias"))
            logits = x @ w.T + b
            logs = logits - np.log(np.exp(logits).sum(1, keepdims=True))
            loss = -logs[np.arange(19), target].mean()
            for found in (step.evaluate_all(x, target), step.evaluate_all(target=target, x=x)):
                self.assertEqual(sorted(found), ["accuracy", "loss", "perplexity"])
                self.assertAlmostEqual(found["loss"], loss, delta=1e-6)
                self.assertEqual(found["accuracy"], (logits.argmax(1) == target).mean())
                self.assertAlmostEqual(found["perplexity"], np.exp(loss), delta=1e-5)
            step(*programs.batch(i))
            plain(*programs.batch(i))
        self.assertEqual(bits(step.state_dict()), bits(plain.state_dict()))
        self.assertEqual(list(step.evaluate(*programs.batch())), ["logits", "loss"])
        with self.assertRaisesRegex(UsageError, "compile it with with_eval=True"):
            plain.evaluate_all(x, target)
        with self.assertRaisesRegex(UsageError, "one tensor for each of x, target"):
            step.evaluate_all(x)
        with self.assertRaisesRegex(UsageError, "different numbers of samples"):
            step.evaluate_all(x[1:], target)

    def test_warnings_of_the_compilation_are_warnings(self):
        with self.assertWarnsRegex(mpc_compiler.MpcWarning, "'nothing'"):
            mpc_compiler.compile_step(programs.linear(), no_decay="nothing")

    def test_what_is_wrong_is_said(self):
        model = programs.linear()
        for arguments, words in [
            ({"precision": "fp17"}, "--precision"),
            ({"optimizer": "sdg"}, "--optimizer='sdg'"),
            ({"momentun": 0.9}, "--momentun"),
            ({"scaler": 65536.0}, "float is neither a policy, a dict nor a GradScaler"),
            ({"loss": object()}, "object is not a loss that mpc knows"),
        ]:
            with self.assertRaisesRegex(UsageError, words):
                mpc_compiler.compile_step(model, **arguments)
        with self.assertRaisesRegex(UsageError, "a torch module needs example_inputs"):
            mpc_compiler.compile_step(Module())
        with self.assertRaisesRegex(mpc_compiler.InvalidInputError, "none.onnx"):
            mpc_compiler.compile_step("/none.onnx")
        with self.assertRaisesRegex(UsageError, "the step was not compiled of a module"):
            mpc_compiler.compile_step(model).sync_to_module()

    def test_precisions_are_explained(self):
        text = mpc_compiler.explain(programs.linear(), precision="bf16")
        self.assertRegex(text, r"bf16  'logits' \(linear\)")
        data = json.loads(mpc_compiler.explain(programs.linear(), format="json"))
        self.assertEqual(data["precision"], "fp16")
        with self.assertRaisesRegex(UsageError, "format is 'xml'; there are text, json, html"):
            mpc_compiler.explain(programs.linear(), format="xml")


class TorchArguments(unittest.TestCase):
    def flags(self, **arguments):
        defaults = {"model": "x", "loss": None, "optimizer": None, "precision": "fp32",
                    "scaler": None, "options": {}}
        return _compile._recipe(**{**defaults, **arguments})

    def test_a_loss_brings_its_numbers(self):
        self.assertEqual(self.flags(loss=CrossEntropyLoss()), [
            "--precision=fp32", "--loss=cross_entropy", "--reduction=mean", "--ignore-index=-100",
            "--class-weights=1.0,2.0,0.5,1.0", "--label-smoothing=0.1", "--class-axis=1"])
        step = mpc_compiler.compile_step(programs.linear(), CrossEntropyLoss(), "sgd", lr=0.1)
        self.assertIn("label_smoothing = 0.1", step.recipe)
        with self.assertRaisesRegex(UsageError, "with weights"):
            self.flags(loss=BCEWithLogitsLoss())
        with self.assertRaisesRegex(UsageError, "log_target"):
            self.flags(loss=KLDivLoss())

    def test_losses_have_their_classes_on_axis_1(self):
        """Where language models have them last, and where shapes do not tell."""
        for shape in ((4,), (2, 4), (2, 4, 3), (2, 4, 4), (2, 4, 4, 4)):
            random = np.random.default_rng(3)
            logits = random.standard_normal(shape).astype(np.float32)
            labels = np.array(random.integers(0, 4, shape[:1] + shape[2:] if shape[1:] else ()))
            text = SCORES.format(shape="x".join(map(str, shape)))
            step = mpc_compiler.compile_step(text, CrossEntropyLoss(), "sgd", lr=0.1)
            self.assertAlmostEqual(step(logits, labels).loss, smoothed_loss(logits, labels), delta=1e-6)
        self.assertNotIn("--class-axis=1", self.flags(loss="cross_entropy"))

    def test_an_optimizer_brings_its_numbers(self):
        module = Module()
        weight, bias = module.parameters.values()
        optimizer = AdamW({"params": [weight], "weight_decay": 0.1},
                          {"params": [bias], "weight_decay": 0})
        flags = self.flags(model=module, optimizer=optimizer)
        self.assertEqual(flags[1:], [
            "--optimizer=adamw", "--beta1=0.8", "--beta2=0.99", "--eps=1e-06",
            "--weight-decay=0.1", "--opt-arg=amsgrad=true", "--no-decay=^fc\\.bias$"])
        step = mpc_compiler.compile_step(programs.linear(), optimizer=AdamW({"params": []}))
        self.assertEqual((step.lr, step.beta1, step.eps), (np.float32(0.01), 0.8, 1e-6))
        slots = {name.rsplit("/")[-1] for name in step.state if "/" in name}
        self.assertEqual(slots, {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"})
        # Zero is said too: adamw's own default is 0.01.
        none = AdamW({"params": [weight, bias], "weight_decay": 0})
        self.assertIn("--weight-decay=0.0", self.flags(model=module, optimizer=none))

    def test_groups_may_differ_in_rates_and_weight_decays_alone(self):
        module = Module()
        weight, bias = module.parameters.values()

        def flags(first, second, **options):
            return self.flags(model=module, optimizer=AdamW(
                {"params": [weight], **first}, {"params": [bias], **second}), **options)

        def groups(*arguments, **options):
            return [flag for flag in flags(*arguments, **options) if flag.startswith(("--group", "--no-decay"))]

        for key, value in {"eps": 1e-3, "betas": (0.5, 0.9)}.items():
            with self.assertRaisesRegex(UsageError, f"differ in '{key}'"):
                flags({}, {key: value})
        self.assertEqual(groups({}, {"lr": 1.0}), ["--group=^fc\\.weight$:lr=0.01", "--group=^fc\\.bias$:lr=1.0"])
        self.assertEqual(groups({"weight_decay": 0.1}, {"weight_decay": 0.2}),
                         ["--group=^fc\\.weight$:weight-decay=0.1", "--group=^fc\\.bias$:weight-decay=0.2"])
        self.assertEqual(groups({"weight_decay": 0.1}, {"weight_decay": 0, "lr": 0.5}),
                         ["--group=^fc\\.weight$:lr=0.01,weight-decay=0.1", "--group=^fc\\.bias$:lr=0.5,weight-decay=0.0"])
        with self.assertRaisesRegex(UsageError, "group= says what the optimizer's param_groups say"):
            flags({}, {"lr": 1.0}, options={"group": "bias:lr=1"})
        same = flags({"weight_decay": 0.1}, {"weight_decay": 0.1, "fused": True})
        self.assertFalse([flag for flag in same if "no-decay" in flag])

    def test_a_groups_rate_is_kept_as_a_multiple_of_lr(self):
        with tempfile.TemporaryDirectory() as folder:
            step = mpc_compiler.compile_step(
                programs.linear(), optimizer="sgd", lr=0.1, group=["bias:lr=0.5,weight-decay=0.25"], save=f"{folder}/step.mpc")
            for one in (step, mpc_compiler.load(f"{folder}/step.mpc")):
                self.assertEqual(one.hyper_parameters["group1.lr_factor"], 5.0)
                self.assertEqual(one.hyper_parameters["group1.weight_decay"], 0.25)
                one.set_hyper_parameter("group1.lr_factor", 2.0)
                self.assertEqual(one.hyper_parameters["group1.lr_factor"], 2.0)

    def test_what_the_optimizer_does_not_have_is_frozen(self):
        module = Module()
        weight, bias = module.parameters.values()
        optimizer = AdamW({"params": [weight]})
        self.assertIn("--freeze=^fc\\.bias$", self.flags(model=module, optimizer=optimizer))
        with self.assertRaisesRegex(UsageError, "another module"):
            self.flags(model=module, optimizer=AdamW({"params": [weight, object()]}))
        both = self.flags(model=module, optimizer=AdamW({"params": [weight, bias]}))
        self.assertFalse([flag for flag in both if "freeze" in flag])

    def test_a_scaler_brings_its_numbers(self):
        step = mpc_compiler.compile_step(
            programs.linear(), optimizer="sgd", precision="torch.float16", scaler=GradScaler())
        self.assertEqual(step.scaler.state_dict(), {
            "scale": 512.0, "growth_factor": 4.0, "backoff_factor": 0.25, "growth_interval": 7,
            "_growth_tracker": 0})
        self.assertIn("loss_scale<torch, ", step.recipe)


if __name__ == "__main__":
    unittest.main()
