# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps that are loaded and run from Python."""
import io
import re
import subprocess
import threading
import unittest
import warnings

import numpy as np
import programs

import mpc_compiler
from mpc_compiler import InvalidInputError, UsageError, convert

SGD = ("--optimizer=sgd", "--momentum=0.9")
FP16 = ("--precision=fp16", *SGD, "--growth-interval=3", "--init-scale=1024")
BF16 = ("--precision=bf16", "--master-weights=off", *SGD)
ADAMW = ("--optimizer=adamw",)
NADAM = ("--optimizer=nadam", "--opt-arg=momentum_decay=0.1")
RADAM = ("--optimizer=radam", "--beta2=0.9")
RPROP = ("--optimizer=rprop", "--opt-arg=etaplus=1.5")
ASGD = ("--optimizer=asgd", "--opt-arg=t0=2")
# What each rule keeps, by torch's names.
STATES = {
    ADAMW: {"step", "exp_avg", "exp_avg_sq"},
    NADAM: {"step", "mu_product", "exp_avg", "exp_avg_sq"},
    ASGD: {"step", "eta", "mu", "ax"},
    RPROP: {"step", "prev", "step_size"},
    RADAM: {"step", "exp_avg", "exp_avg_sq"},
}


def loaded(*flags, **options):
    step = mpc_compiler.load(programs.compiled(*flags), **options)
    step.lr = 0.1
    return step


def bits(state):
    """All arrays of a nested state as bytes, by their places."""
    if isinstance(state, dict):
        return {f"{k}/{n}": b for k, v in state.items() for n, b in bits(v).items()}
    if isinstance(state, np.ndarray):
        return {"": state.tobytes()}
    return {"": repr(state)}


def gradient_of_input(weight, bias, x, target):
    """That of the linear model's loss, in float64."""
    logits = x.astype(np.float64) @ weight.T + bias
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    p[np.arange(len(x)), target] -= 1
    return p @ weight / len(x)


def cross_entropy_gradients(weight, bias, x, target):
    """Loss and gradients of the linear model, in float64."""
    logits = x.astype(np.float64) @ weight.T + bias
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    rows = np.arange(len(x))
    loss = -np.log(p[rows, target]).mean()
    p[rows, target] -= 1
    p /= len(x)
    return loss, p.T @ x.astype(np.float64), p.sum(axis=0)


class Numbers(unittest.TestCase):
    def test_three_steps_are_the_formula_of_sgd_with_momentum(self):
        step = loaded(*SGD)
        w, b = (value.astype(np.float64) for value in programs.weights().values())
        dw, db = 0.0, 0.0
        for i in range(3):
            x, target = programs.batch(i)
            result = step(x, target)
            loss, gw, gb = cross_entropy_gradients(w, b, x, target)
            dw, db = (gw, gb) if i == 0 else (0.9 * dw + gw, 0.9 * db + gb)
            w, b = w - 0.1 * dw, b - 0.1 * db
            self.assertAlmostEqual(result.loss, loss, delta=1e-6)
            self.assertEqual((result.step, result.skipped), (i, False))
        views = dict(step.named_parameters())
        np.testing.assert_allclose(views["fc.weight"], w, rtol=0, atol=1e-6)
        np.testing.assert_allclose(views["fc.bias"], b, rtol=0, atol=1e-6)

    def test_a_window_of_two_batches_is_a_step_on_their_mean(self):
        step = loaded(*SGD, "--accumulate=2")
        batches = [programs.batch(i) for i in range(2)]
        self.assertIsNone(step(*batches[0]))
        result = step(*batches[1])
        w, b = (value.astype(np.float64) for value in programs.weights().values())
        means = [np.mean(pair, axis=0) for pair in zip(
            *(cross_entropy_gradients(w, b, *one)[1:] for one in batches))]
        losses = [cross_entropy_gradients(w, b, *one)[0] for one in batches]
        self.assertAlmostEqual(result.loss, np.mean(losses), delta=1e-6)
        np.testing.assert_allclose(step.read_state("fc.weight"), w - 0.1 * means[0], atol=1e-6)
        self.assertAlmostEqual(step.accumulate(*batches[0]), cross_entropy_gradients(
            *(step.read_state(n).astype(np.float64) for n in ("fc.weight", "fc.bias")),
            *batches[0])[0], delta=1e-6)
        with self.assertRaisesRegex(UsageError, "1 of its 2 batches"):
            step.apply()

    def test_gradients_of_inputs_are_unscaled(self):
        x, target = programs.batch()
        wanted = gradient_of_input(*(value.astype(np.float64) for value in programs.weights().values()), x, target)
        for flags, tolerance in ((SGD, 1e-6), (FP16, 2e-3), (BF16, 2e-2), (("--optimizer=callback",), 1e-6)):
            step = loaded(*flags, "--input-gradient=x")
            if "--optimizer=callback" in flags:
                step.set_optimizer(lambda update: None)
            step(x, target)
            found = step.read_outputs()["input_grad.x"]
            np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * np.abs(wanted).max())
        frozen = loaded("--freeze=.*", "--input-gradient=x")
        frozen(x, target)
        np.testing.assert_allclose(frozen.read_outputs()["input_grad.x"], wanted, rtol=0, atol=1e-6)

    def test_an_evaluation_gives_its_outputs(self):
        evaluation = mpc_compiler.load(programs.compiled("--eval"))
        x, _ = programs.batch()
        outputs = evaluation.evaluate(x)
        w, b = programs.weights().values()
        self.assertEqual(list(outputs), ["logits"])
        np.testing.assert_allclose(outputs["logits"], x @ w.T + b, atol=1e-6)

    def test_weights_of_bfloat16_come_and_go_without_a_loss(self):
        step = loaded(*BF16)
        step(*programs.batch())
        weight = step.read_state("fc.weight")
        self.assertEqual(weight.dtype.name, "bfloat16")
        other = loaded(*BF16)
        other.write_state("fc.weight", weight)
        self.assertEqual(other.read_state("fc.weight").tobytes(), weight.tobytes())
        other.write_state("fc.weight", weight.astype(np.float32))
        self.assertEqual(other.read_state("fc.weight").tobytes(), weight.tobytes())


class Tensors(unittest.TestCase):
    def setUp(self):
        self.x, self.target = programs.batch()
        self.loss = loaded(*SGD)(self.x, self.target).loss

    def test_anything_with_dlpack_is_taken(self):
        class Foreign:
            def __init__(self, array):
                self._array = array

            def __dlpack__(self, **arguments):
                return self._array.__dlpack__(**arguments)

            def __dlpack_device__(self):
                return self._array.__dlpack_device__()

        step = loaded(*SGD)
        self.assertEqual(step(Foreign(self.x), Foreign(self.target)).loss, self.loss)

    def test_names_lists_gaps_and_read_only_arrays_are_taken(self):
        self.assertEqual(loaded(*SGD)(target=self.target, x=self.x).loss, self.loss)
        self.assertEqual(loaded(*SGD)(self.x.tolist(), self.target.tolist()).loss, self.loss)
        wide = np.repeat(self.x, 2, axis=1)[:, ::2]
        self.assertFalse(wide.flags.c_contiguous)
        self.assertEqual(loaded(*SGD)(wide, self.target).loss, self.loss)
        self.x.flags.writeable = False
        self.assertEqual(loaded(*SGD)(self.x, self.target).loss, self.loss)

    def test_an_array_is_read_where_it_lies(self):
        step, x = loaded(*SGD), np.zeros_like(self.x)
        step(x, self.target)
        x[:] = self.x
        fresh = loaded(*SGD)
        fresh(np.zeros_like(self.x), self.target)
        # `x` is bound still: its new numbers are what is read.
        self.assertEqual(step().loss, fresh(self.x, self.target).loss)

    def test_what_is_wrong_with_a_tensor_is_said(self):
        step = loaded(*SGD)
        for x, words in [
            (self.x[:3], r"'x'.*3.*8"),
            (self.x.astype(np.float64), r"'x'.*(F64|f64|float64).*"),
            (object(), "input 'x' is a object, expected float32.8, 6. in the memory of a CPU"),
        ]:
            with self.assertRaisesRegex((InvalidInputError, TypeError), words):
                step(x, self.target)
        with self.assertRaisesRegex(UsageError, "3 tensors for 2 inputs: x, target"):
            step(self.x, self.target, self.x)
        with self.assertRaisesRegex(UsageError, "not an input, or given twice: x, y"):
            step(self.x, x=self.x, y=self.x)
        with self.assertRaisesRegex(InvalidInputError, "'target', element 2: 4 is not in 0 to 3"):
            step(self.x, [0, 1, 4, 0, 0, 0, 0, 0])
        self.assertEqual(step(self.x, self.target).loss, self.loss)

    def test_other_threads_run_while_a_step_does(self):
        steps = [loaded(*SGD, num_threads=1) for _ in range(4)]
        work = lambda step: [step(self.x, self.target) for _ in range(50)]
        threads = [threading.Thread(target=work, args=(step,)) for step in steps]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        states = {step.read_state("fc.weight").tobytes() for step in steps}
        self.assertEqual(len(states), 1)


class HyperParameters(unittest.TestCase):
    def test_they_are_attributes(self):
        step = loaded(*ADAMW, "--beta1=0.8", "--clip-global-norm=2")
        self.assertEqual((step.beta1, step.clip_global_norm), (0.8, 2.0))
        step.beta2 = 0.95
        self.assertEqual(step.hyper_parameters["beta2"], 0.95)
        self.assertIn("beta2", dir(step))
        with self.assertRaisesRegex(AttributeError, "no hyper-parameter 'betta1'; there are beta1"):
            step.betta1 = 1
        with self.assertRaisesRegex(AttributeError, "hyper-parameter 'momentum'"):
            step.momentum
        with self.assertRaisesRegex(InvalidInputError, "nan"):
            step.lr = float("nan")

    def test_the_first_step_needs_a_learning_rate(self):
        step = mpc_compiler.load(programs.compiled(*SGD))
        self.assertIsNone(step.hyper_parameters["lr"])
        with self.assertRaisesRegex(UsageError, "input 'lr' is not bound"):
            step(*programs.batch())

    def test_a_rate_of_zero_leaves_the_weights(self):
        step = loaded(*SGD)
        step.lr = 0
        step(*programs.batch())
        np.testing.assert_array_equal(
            step.read_state("fc.weight"), programs.weights()["fc.weight"])


class LossScale(unittest.TestCase):
    def test_it_grows_and_backs_off_by_the_policy(self):
        step = loaded(*FP16)
        x, target = programs.batch()
        scales = []
        for i in range(8):
            result = step(x * (np.inf if i == 4 else 1), target)
            self.assertEqual((result.skipped, result.found_inf), (i == 4, i == 4))
            scales.append((result.scale, step.scaler.dynamic_counter))
        # Of PyTorch's rule: doubled after three good steps, halved on an inf.
        self.assertEqual(scales, [
            (1024, 1), (1024, 2), (1024, 0), (2048, 1), (2048, 0), (1024, 1), (1024, 2), (1024, 0)])
        self.assertEqual(step.progress, (8, 7, 0))

    def test_it_has_the_names_of_keras_and_pytorch(self):
        scaler = loaded(*FP16).scaler
        self.assertTrue(scaler.is_enabled() and scaler.dynamic)
        self.assertEqual((scaler.scale, scaler.get_scale(), scaler.dynamic_counter), (1024, 1024, 0))
        self.assertEqual(scaler.state_dict(), {
            "scale": 1024.0, "growth_factor": 2.0, "backoff_factor": 0.5, "growth_interval": 3,
            "_growth_tracker": 0})
        scaler.set_growth_interval(7)
        scaler.growth_factor = 4
        scaler.scale = 256
        self.assertEqual((scaler.get_growth_interval(), scaler.growth_factor, scaler.scale),
                         (7, 4, 256))
        with self.assertRaisesRegex(AttributeError, "'dynamic_counter' cannot be set"):
            scaler.dynamic_counter = 1

    def test_a_state_that_is_not_whole_is_refused(self):
        """Features: L8."""
        scaler = loaded(*FP16).scaler
        whole = {**scaler.state_dict(), "scale": 256.0, "_growth_tracker": 2}
        with self.assertRaisesRegex(UsageError, "the state lacks _growth_tracker, backoff_factor, "
                                    "growth_factor, growth_interval, scale of the program's loss scaler"):
            scaler.load_state_dict({})
        for name in whole:
            part = {key: value for key, value in whole.items() if key != name}
            with self.assertRaisesRegex(UsageError, f"the state lacks {name} of"):
                scaler.load_state_dict(part)
        self.assertEqual((scaler.scale, scaler.dynamic_counter), (1024, 0))
        scaler.load_state_dict(whole)
        self.assertEqual((scaler.scale, scaler.dynamic_counter), (256, 2))
        loaded(*SGD).scaler.load_state_dict({})  # As of a GradScaler that is not enabled.

    def test_an_update_with_a_number_replaces_the_last(self):
        step = loaded(*FP16)
        for _ in range(3):
            step(*programs.batch())
        self.assertEqual((step.scaler.scale, step.scaler.dynamic_counter), (2048, 0))
        step.scaler.update(512.0)
        self.assertEqual((step.scaler.scale, step.scaler.dynamic_counter), (512, 2))
        step.scaler.update()
        self.assertEqual(step.scaler.scale, 512)

    def test_a_program_without_one_says_so(self):
        scaler = loaded(*SGD).scaler
        self.assertFalse(scaler.is_enabled() or scaler.dynamic)
        self.assertEqual((scaler.get_scale(), scaler.state_dict()), (1.0, {}))
        with self.assertRaisesRegex(UsageError, "no loss scaler"):
            scaler.scale


    def test_all_settings_of_policies_are_known(self):
        from mpc_compiler._runtime import LOSS_SCALE_SETTINGS

        text = subprocess.run([programs.BUILD / "bin/mpc-compile", "--help"], check=True,
                              capture_output=True, text=True).stdout
        group = text.partition("Loss scaling:")[2].partition("\n\n")[0]
        flags = set(re.findall(r"^ +--([a-z0-9-]+)=X", group, re.MULTILINE))
        self.assertEqual(flags, {name.replace("_", "-") for name in LOSS_SCALE_SETTINGS})


class State(unittest.TestCase):
    def trained(self, flags, steps):
        step = loaded(*flags)
        for i in range(steps):
            step(*programs.batch(i))
        return step

    def test_it_goes_on_from_a_state_with_the_same_bits(self):
        for flags in (FP16, BF16, (*ADAMW, "--precision=fp16", "--ema=0.9")):
            first = self.trained(flags, 5)
            other = loaded(*flags, seed=0)
            other.load_state_dict(first.state_dict())
            self.assertEqual(bits(other.state_dict()), bits(first.state_dict()), flags)
            for i in range(5, 8):
                first(*programs.batch(i))
                other(*programs.batch(i))
            self.assertEqual(bits(other.state_dict()), bits(first.state_dict()), flags)

    def test_a_state_without_our_own_numbers_is_as_exact(self):
        # What torch saves has no powers of beta: they follow from its steps.
        for flags, names in STATES.items():
            first, other = self.trained(flags, 5), loaded(*flags)
            state = first.state_dict()
            self.assertEqual(set(state["optimizer"]["state"]["fc.bias"]), names)
            del state["mpc"]
            other.load_state_dict(state)
            for step in (first, other):
                step(*programs.batch(9))
            for section in ("model", "optimizer"):
                self.assertEqual(bits(other.state_dict()[section]), bits(first.state_dict()[section]), flags)

    def test_sizes_that_start_at_the_rate_are_there_before_the_first_step(self):
        state = loaded(*RPROP).state_dict()["optimizer"]["state"]["fc.weight"]
        self.assertEqual(state["step_size"].tolist(), np.full((4, 6), 0.1, np.float32).tolist())
        self.assertEqual((state["step"], state["prev"].any()), (0.0, False))
        state = loaded(*ASGD).state_dict()["optimizer"]["state"]["fc.weight"]
        self.assertEqual((state["step"], state["eta"], state["mu"]), (0.0, np.float32(0.1), 1.0))

    def test_numbers_of_each_parameter_are_there_and_are_one_number(self):
        for name, value, error in (("mu_product", None, "lacks 'mu_product'"),
                                   ("mu_product", 0.5, "has another 'mu_product' for other parameters"),
                                   ("step", 7.0, "has another 'step' for other parameters")):
            state = self.trained(NADAM, 2).state_dict()["optimizer"]
            for slots in list(state["state"].values())[: 1 if value else 2]:
                slots.update({name: value}) if value else slots.pop(name)
            with self.assertRaisesRegex(mpc_compiler.InvalidInputError, error):
                loaded(*NADAM).load_state_dict({"optimizer": state})

    def test_it_has_the_names_of_torch(self):
        state = self.trained(ADAMW, 2).state_dict()
        self.assertEqual(list(state["model"]), ["fc.weight", "fc.bias"])
        slots = state["optimizer"]["state"]["fc.weight"]
        self.assertEqual(set(slots), {"exp_avg", "exp_avg_sq", "step"})
        self.assertEqual((slots["step"], slots["exp_avg"].shape), (2.0, (4, 6)))
        group = state["optimizer"]["param_groups"][0]
        self.assertEqual(group["betas"], (0.9, 0.999))
        self.assertEqual(group["params"], ["fc.weight", "fc.bias"])

    def test_an_optimizer_whose_parameters_are_numbers_follows_the_model(self):
        state = self.trained(ADAMW, 2).state_dict()
        slots = state["optimizer"]["state"]
        group = {**state["optimizer"]["param_groups"][0], "params": [0, 1]}
        numbered = {"state": {0: slots["fc.bias"], 1: slots["fc.weight"]}, "param_groups": [group]}
        model = {name: state["model"][name] for name in ("fc.bias", "fc.weight")}
        other = loaded(*ADAMW)
        other.load_state_dict({"model": model, "optimizer": numbered})
        self.assertEqual(bits(other.state_dict()["optimizer"]["state"]), bits(slots))
        with self.assertRaisesRegex(UsageError, "parameter_names must"):
            loaded(*ADAMW).load_state_dict({"optimizer": numbered})

    def test_the_momentum_of_a_state_that_counts_no_steps_goes_on(self):
        flags = SGD  # It has momentum.
        first, other = self.trained(flags, 3), loaded(*flags)
        state = first.state_dict()
        del state["mpc"]  # As torch's SGD has it.
        for slots in state["optimizer"]["state"].values():
            del slots["step"]
        other.load_state_dict(state)
        for step in (first, other):
            step(*programs.batch(9))
        self.assertEqual(bits(other.state_dict()["model"]), bits(first.state_dict()["model"]))

    def test_groups_are_those_of_the_optimizer_that_was_compiled(self):
        class Weight:
            pass

        class Like:  # A module or an optimizer of torch.
            pass

        weight, bias, module, optimizer = Weight(), Weight(), Like(), Like()
        module.named_parameters = lambda: [("fc.weight", weight), ("fc.bias", bias)]
        optimizer.param_groups = [{"params": [bias], "weight_decay": 0.0},
                                  {"params": [weight], "weight_decay": 0.1}]
        flags = (*ADAMW, "--weight-decay=0.1", "--no-decay=bias")
        step = self.trained(flags, 2)
        step._module, step._optimizer = module, optimizer
        state = step.state_dict()
        found = [(g["params"], g["weight_decay"]) for g in state["optimizer"]["param_groups"]]
        self.assertEqual(found, [(["fc.bias"], 0.0), (["fc.weight"], 0.1)])
        numbered = convert.number_parameters(state["optimizer"])
        self.assertEqual([g["params"] for g in numbered["param_groups"]], [[0], [1]])
        self.assertEqual(numbered["state"][0]["exp_avg"].shape, (4,))
        for group in numbered["param_groups"]:
            del group["param_names"]  # Older torch has none.
        other = loaded(*flags)
        model = {"model": state["model"], "optimizer": numbered}
        with self.assertRaisesRegex(UsageError, "parameter_names must say which they are, group"):
            other.load_state_dict(model)
        other._module, other._optimizer = module, optimizer
        other.load_state_dict(model)
        self.assertEqual(other.weight_decay, 0.1)
        for one in (step, other):
            one(*programs.batch(9))
        self.assertEqual(bits(other.state_dict()["model"]), bits(step.state_dict()["model"]))
        with self.assertRaisesRegex(UsageError, "several groups"):
            convert.number_parameters(state["optimizer"], ["fc.weight", "fc.bias"])

    def test_names_that_do_not_fit_are_errors(self):
        step, model = loaded(*SGD), programs.weights()
        with self.assertRaisesRegex(InvalidInputError, "it lacks fc.bias; .* no fc.basis"):
            step.load_state_dict({"fc.weight": model["fc.weight"], "fc.basis": model["fc.bias"]})
        step.load_state_dict({"fc.weight": model["fc.weight"] + 1}, strict=False)
        np.testing.assert_array_equal(step.read_state("fc.weight"), model["fc.weight"] + 1)
        with self.assertRaisesRegex(InvalidInputError, "fc.weight"):
            step.load_state_dict({**model, "fc.weight": model["fc.weight"][:2]})

    def test_checkpoints_go_on_with_the_same_bits(self):
        folder = programs.folder() / "checkpoints"
        first = self.trained(FP16, 4)
        first.save_checkpoint(folder, {"epoch": 2, "batch_size": 8})
        del first._checkpoints[str(folder)]  # Its lock.
        other = loaded(*FP16)
        position = other.load_checkpoint(folder)
        self.assertEqual((position["epoch"], position["batch_size"]), (2, 8))
        self.assertEqual(other.progress, first.progress)
        for step in (first, other):
            step(*programs.batch(9))
        self.assertEqual(bits(other.state_dict()), bits(first.state_dict()))
        self.assertIsNone(loaded(*FP16).load_checkpoint(programs.folder() / "empty"))

    def test_views_are_read_only_and_outlive_the_step(self):
        step = loaded(*SGD)
        view = dict(step.named_parameters())["fc.weight"]
        step(*programs.batch())
        expected = step.read_state("fc.weight")
        del step
        np.testing.assert_array_equal(view, expected)
        self.assertFalse(view.flags.writeable)


class Averages(unittest.TestCase):
    def test_they_are_evaluated_in_the_place_of_the_weights(self):
        held = dict(zip(("x", "target"), programs.batch(9)))
        for flags in (("--precision=fp32", *SGD), FP16, BF16):
            flags = (*flags, "--ema=0.8", "--with-eval")
            step, plain = loaded(*flags), loaded(*flags)
            for i in range(4):
                with step.averaged_weights() as same:
                    self.assertIs(same, step)
                    found = step.evaluate_all(**held)
                    kept = "/ema" if i else ""  # The first step begins the averages.
                    w, b = (step.read_state(name + kept).astype(np.float64) for name in programs.weights())
                    np.testing.assert_allclose(step.read_state("fc.weight"), w, rtol=2**-8)
                loss = cross_entropy_gradients(w, b, held["x"], held["target"])[0]
                self.assertAlmostEqual(found["loss"], loss, delta={"--precision=fp32": 1e-6}.get(flags[0], 2e-2))
                self.assertNotEqual(found, step.evaluate_all(**held) if i > 1 else None)
                for one in (step, plain):
                    one(*programs.batch(i))
            self.assertEqual(bits(step.state_dict()), bits(plain.state_dict()))

    def test_meanwhile_nothing_is_trained_or_kept(self):
        step = loaded(*SGD, "--ema=0.8")
        step(*programs.batch())
        before = bits(step.state_dict())
        for what, call in (
            ("step", lambda: step(*programs.batch())),
            ("checkpoint", lambda: step.save_checkpoint(programs.folder() / "averaged")),
            ("other state", lambda: step.load_state_dict({})),
            ("other weights", lambda: step.load_weights("/none")),
            ("other averages", lambda: step.averaged_weights().__enter__()),
        ):
            with self.assertRaisesRegex(UsageError, f"in the place of the weights: no {what} until that ends"):
                with step.averaged_weights():
                    call()
        self.assertEqual(bits(step.state_dict()), before)
        with self.assertRaisesRegex(UsageError, "keeps no averages of its weights: compile it with ema=DECAY"):
            with loaded(*SGD).averaged_weights():
                pass


class Around(unittest.TestCase):
    def test_errors_are_one_family(self):
        with self.assertRaisesRegex(mpc_compiler.Error, "none.mpc"):
            mpc_compiler.load(programs.folder() / "none.mpc")
        with self.assertRaises(ValueError) as caught:
            mpc_compiler.load(b"x" * 100)
        self.assertIsInstance(caught.exception, InvalidInputError)
        with self.assertRaisesRegex(mpc_compiler.Error, "x86-64-v9"):
            mpc_compiler.load(programs.compiled(*SGD), cpu="x86-64-v9")

    def test_bytes_are_loaded_as_the_file_is(self):
        step = mpc_compiler.load(programs.compiled(*SGD).read_bytes())
        self.assertEqual([info.name for info in step.inputs], ["x", "target"])
        self.assertEqual(step.inputs[0].shape, [8, 6])
        self.assertIn("optimizer", step.recipe)

    def test_hooks_are_called_until_they_are_removed(self):
        step, seen = loaded(*SGD), []
        handle = step.register_step_hook(lambda of, result: seen.append((of, result.step)))
        step(*programs.batch())
        handle.remove()
        handle.remove()
        step(*programs.batch())
        self.assertEqual(seen, [(step, 0)])

    def test_the_bar_is_ten_lines_where_there_is_no_terminal(self):
        step, file = loaded(*FP16), io.StringIO()
        step.register_step_hook(mpc_compiler.ProgressBar(20, file=file))
        for _ in range(20):
            step(*programs.batch())
        lines = file.getvalue().splitlines()
        self.assertEqual(len(lines), 10)
        self.assertRegex(lines[0], r"^step 2/20  loss [\d.]+  scale 1024  [\d.e+]+ steps/s$")

    def test_weights_of_a_file_that_do_not_fit_are_warned_of(self):
        from safetensors.numpy import save_file

        path = programs.folder() / "some.safetensors"
        save_file({"fc.weight": programs.weights(5)["fc.weight"]}, path)
        step = loaded(*SGD)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            step.load_weights(path)
        self.assertRegex(str(caught[0].message), "lacks parameters: 'fc.bias'")
        self.assertIs(caught[0].category, mpc_compiler.MpcWarning)
        np.testing.assert_array_equal(
            step.read_state("fc.weight"), programs.weights(5)["fc.weight"])


if __name__ == "__main__":
    unittest.main()
