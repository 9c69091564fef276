# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges the programs of examples/ by the same steps in float64 NumPy.

    python examples.py PROGRAM.mlir PRECISION FOLDER [--like=NAME] [--lr=X] [--flag=FLAG]

Trains in FOLDER for a few steps. One batch holds an infinite sample, so that its step is skipped
in every precision. The reference (of another example: --like) has its gradients written out by
hand, those of a penalty are central differences. The trajectory of the loss scale and the skips
must be equal; losses, norms and weights are compared within TOLERANCE, of the weights relative to how
far each has moved. An operation in f16 rounds by 2^-11, in bf16 by 2^-8; the rest is what a few
operations in a row make of it. In f32 the second differences have an error of their own, 1e-5.
"""
import argparse
import csv
import os
import subprocess
import pathlib
import sys

import numpy as np
from safetensors.numpy import load_file, save_file

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import reference as rules

TOLERANCE = {"fp32": 2e-5, "fp16": 0.02, "bf16": 0.15}
STEPS, BATCH, LR = 6, 16, 0.05
HALF_MAX = 65504.0


def batches(reference):
    """Inputs by name for all steps."""
    rng = np.random.default_rng(7)
    rows = STEPS * BATCH * reference.window
    data = {"x": rng.normal(size=(rows, 8)).astype(np.float32), "target": rng.integers(0, 4, rows)}
    for name, width in reference.inputs.items():
        data[name] = rng.normal(size=(rows, width)).astype(np.float32)
    reference.plant(data)
    return data


def weights(reference):
    rng = np.random.default_rng(3)
    first = {key: rng.uniform(-0.35, 0.35, shape) for key, shape in reference.weights.items()}
    return {key: (value * reference.gains.get(key, 1)).astype(np.float32) for key, value in first.items()}


# --- the model: two layers and a cross entropy -------------------------------------------------


def loss_and_gradients(w, batch):
    x, target = batch["x"], batch["target"]
    rows = np.arange(len(x))
    h = np.tanh(x @ w["w1"].T + w["b1"])
    logits = h @ w["w2"].T + w["b2"]
    logits = logits - logits.max(axis=1, keepdims=True)
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    loss = -np.log(p[rows, target]).mean()
    p[rows, target] -= 1
    d = p / len(x)
    da = (d @ w["w2"]) * (1 - h * h)
    return loss, {"w1": da.T @ x, "b1": da.sum(0), "w2": d.T @ h, "b2": d.sum(0)}


def central_differences(function, w, h=1e-5):
    gradients = {}
    for key in w:
        gradients[key] = np.zeros_like(w[key])
        for index in np.ndindex(w[key].shape):
            values = []
            for sign in (1, -1):
                moved = {k: v.copy() for k, v in w.items()}
                moved[key][index] += sign * h
                values.append(function(moved))
            gradients[key][index] = (values[0] - values[1]) / (2 * h)
    return gradients


# --- what each example does -------------------------------------------------------------------


class Scaler:
    """PyTorch's rule, with the cap of `dynamic`."""

    def __init__(self, scale=65536.0, growth=2.0, backoff=0.5, interval=2000):
        self.scale, self.good = scale, 0
        settings = {"init_scale": scale, "growth_factor": growth, "backoff_factor": backoff}
        self.rule = rules.torch(settings | {"growth_interval": interval}, cap=2.0**24)
        next(self.rule)

    def update(self, found):
        self.scale, self.good = self.rule.send(found)


class Reference:
    """One loss, one optimizer, one scaler; an example overrides what it does differently."""

    window, attempts, flags = 1, 1, []  # Batches and attempts a step; flags of mpc-train.
    weights = {"w1": (16, 8), "b1": (16,), "w2": (4, 16), "b2": (4,)}
    gains = {}  # Of the first weights.
    inputs = {}  # Widths of those beside x and target.

    def __init__(self, precision):
        self.precision, self.optimizer, self.scaler = precision, rules.Sgd(LR, momentum=0.9), Scaler()

    def plant(self, data):
        """An infinite sample in the third step."""
        data["x"][2 * BATCH * self.window + 3, 1] = np.inf

    def gradients(self, w, batch):
        return loss_and_gradients(w, batch)

    def transform(self, gradients):
        return gradients

    def norm(self, gradients):
        return rules.global_norm(gradients)

    def found(self, gradients, scale):
        """Whether a gradient is not finite, or too large for f16: then by far."""
        largest = max(np.abs(g).max() for g in gradients.values())
        if not np.isfinite(largest):
            return True
        if self.precision != "fp16":
            return False
        assert not HALF_MAX / 2 < largest * scale < HALF_MAX * 2, "an overflow that rounding decides"
        return largest * scale > HALF_MAX

    def step(self, w, window):
        parts = [self.gradients(w, batch) for batch in window]
        gradients = {k: np.mean([part[1][k] for part in parts], axis=0) for k in parts[0][1]}
        for _ in range(self.attempts):
            scale = self.scaler.scale
            found = self.found(gradients, scale)
            self.scaler.update(found)
            if not found:
                self.optimizer.step(w, self.transform(gradients))
                break
        row = {"scale": scale, "skipped": found, "grad_norm": self.norm(gradients), "good_steps": self.scaler.good}
        if parts[0][0] is not None:
            row["loss"] = np.mean([part[0] for part in parts])
        return row

    def state(self):
        """Scales at the end, by their place in the checkpoint."""
        return {"amp.loss_scale": self.scaler.scale}


class Clipping(Reference):
    def __init__(self, precision):
        super().__init__(precision)
        self.optimizer = rules.AdamW(LR, decay=0.01)

    def transform(self, gradients):
        return rules.clip(gradients, 0.1)


class ClipScaled(Clipping):
    def __init__(self, precision):
        super().__init__(precision)
        self.optimizer = rules.Sgd(LR, momentum=0.9)


class Accumulation(Reference):
    window, flags = 4, ["--accumulate=4"]

    def __init__(self, precision):
        super().__init__(precision)
        self.optimizer = rules.AdamW(LR, decay=0.01)


class Penalty(Reference):
    def gradients(self, w, batch):
        def penalized(moved):
            loss, gradients = loss_and_gradients(moved, batch)
            return loss + rules.global_norm(gradients)

        return penalized(w), central_differences(penalized, w)


class PenaltyUnscaled(Penalty):
    def __init__(self, precision):
        super().__init__(precision)
        self.scaler = Scaler(1024.0)


class SwitchedOff(Reference):
    def __init__(self, precision):
        super().__init__(precision)
        self.scaler = Scaler(1.0)

    def plant(self, data):
        """An infinite sample in the last step, which is applied like any other."""
        data["x"][(STEPS - 1) * BATCH + 3, 1] = np.inf

    def found(self, gradients, scale):
        return False

    def step(self, w, window):
        row = super().step(w, window)
        del row["good_steps"]  # Nothing counts them.
        return row


class Transform(Reference):
    def norm(self, gradients):
        return rules.global_norm(self.transform(gradients))

    def transform(self, gradients):
        return {
            k: g - g.mean(axis=1, keepdims=True) if g.ndim == 2 else 2 * g for k, g in gradients.items()
        }


def nets_and_gradients(w, batch, factors):
    """The cross entropy of a sum of two nets, with factors; and its gradients."""
    hidden = {p: np.tanh(batch[x] @ w[f"{p}.w1"].T) for p, x in (("a", "x"), ("b", "z")) if p in factors}
    logits = sum(factor * hidden[p] @ w[f"{p}.w2"].T for p, factor in factors.items())
    logits = logits - logits.max(axis=1, keepdims=True)
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    rows = np.arange(BATCH)
    loss = -np.log(p[rows, batch["target"]]).mean()
    p[rows, batch["target"]] -= 1
    gradients = {}
    for net, x in (("a", "x"), ("b", "z")):
        if net in factors:
            d = factors[net] * p / BATCH
            da = (d @ w[f"{net}.w2"]) * (1 - hidden[net] ** 2)
            gradients |= {f"{net}.w1": da.T @ batch[x], f"{net}.w2": d.T @ hidden[net]}
    return loss, gradients


class Multiple(Reference):
    weights = {"a.w1": (16, 8), "a.w2": (4, 16), "b.w1": (16, 8), "b.w2": (4, 16)}
    gains = {"b.w1": 3e-4}
    inputs = {"z": 8}

    def __init__(self, precision):
        super().__init__(precision)
        self.optimizers, self.scaler = {"a": rules.Sgd(LR, momentum=0.9), "b": rules.AdamW(LR, decay=0.01)}, Scaler(4096.0)

    def plant(self, data):
        """The second net overflows in the first step, in f16; the first in the third, both in the fifth."""
        data["z"][:BATCH] *= 1e3
        data["x"][2 * BATCH + 3, 1] = data["x"][4 * BATCH + 3, 1] = data["z"][4 * BATCH + 7, 2] = np.inf

    def step(self, w, window):
        loss, gradients = nets_and_gradients(w, window[0], {"a": 2, "b": 3})
        _, others = nets_and_gradients(w, window[0], {"a": 3, "b": -5})
        gradients = {k: g + others[k] for k, g in gradients.items()}
        parts = {net: {k: g for k, g in gradients.items() if k.startswith(net)} for net in "ab"}
        scale = self.scaler.scale
        found = {net: self.found(part, scale) for net, part in parts.items()}
        self.skips = getattr(self, "skips", []) + ["".join(net for net in "ab" if found[net])]
        for net, part in parts.items():
            if not found[net]:
                self.optimizers[net].step(w, part)
        self.scaler.update(any(found.values()))
        value = rules.global_norm(gradients) if not any(found.values()) else np.nan
        row = {"loss": loss, "scale": scale, "skipped": any(found.values()), "grad_norm": value}
        return row | {"good_steps": self.scaler.good}

    def state(self):
        assert self.skips == ["b" if self.precision == "fp16" else "", "", "a", "", "ab", ""], self.skips
        return super().state() | {
            f"amp.optimizer.{name}.step": sum(net not in skip for skip in self.skips)
            for name, net in (("first", "a"), ("second", "b"))
        }


class PerLossScale(Multiple):
    gains = {}

    def __init__(self, precision):
        super().__init__(precision)
        self.scalers = {"a": Scaler(), "b": Scaler(1024.0)}

    def plant(self, data):
        """The second loss alone is not finite in the third step."""
        data["z"][2 * BATCH + 3, 1] = np.inf

    def step(self, w, window):
        rows = {}
        for net, scaler in self.scalers.items():
            loss, gradients = nets_and_gradients(w, window[0], {net: 1})
            scale, found = scaler.scale, self.found(gradients, scaler.scale)
            if not found:
                self.optimizers[net].step(w, gradients)
            scaler.update(found)
            row = {"loss": loss, "scale": scale, "skipped": found, "grad_norm": rules.global_norm(gradients)}
            rows[net] = row | {"good_steps": scaler.good}
        return rows["a"]

    def state(self):
        assert self.scalers["b"].scale == 512.0
        return {f"amp.loss_scale.for_{net}": scaler.scale for net, scaler in self.scalers.items()}


class SeveralOutputs(Reference):
    inputs = {"d_features": 16, "d_logits": 4}

    def plant(self, data):
        super().plant(data)
        for name in self.inputs:
            data[name] /= 256

    def gradients(self, w, batch):
        h = np.tanh(batch["x"] @ w["w1"].T + w["b1"])
        d = batch["d_logits"]
        da = (batch["d_features"] + d @ w["w2"]) * (1 - h * h)
        return None, {"w1": da.T @ batch["x"], "b1": da.sum(0), "w2": d.T @ h, "b2": d.sum(0)}


class Replay(Reference):
    attempts = 3

    def __init__(self, precision):
        super().__init__(precision)
        self.scaler = Scaler(2.0**24, growth=1024.0, backoff=1 / 1024, interval=3)

    def plant(self, data):
        pass


class BasicReplay(Reference):
    attempts, flags = 3, ["--replay=2"]


class Closure(Reference):
    """L-BFGS that remembers one pair, with backtracking."""

    weights = {"w": (4, 8)}

    def loss(self, w, batch):
        logits = batch["x"] @ w.T
        logits = logits - logits.max(axis=1, keepdims=True)
        p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        rows = np.arange(BATCH)
        loss = -np.log(p[rows, batch["target"]]).mean()
        p[rows, batch["target"]] -= 1
        return loss, p.T @ batch["x"] / BATCH

    def direction(self, g):
        if not hasattr(self, "last"):
            return g, LR
        s, y = self.move, g - self.last
        if (y * s).sum() <= 0:
            return g, LR
        # The inverse Hessian (Nocedal and Wright, 6.17), from gamma I and one pair.
        rho, n = 1 / (y * s).sum(), g.size
        v = np.eye(n) - rho * np.outer(y, s)
        inverse = v.T @ ((y * s).sum() / (y * y).sum() * np.eye(n)) @ v + rho * np.outer(s, s)
        return (inverse @ g.ravel()).reshape(g.shape), 1.0

    def step(self, w, window):
        loss, g = self.loss(w["w"], window[0])
        scale, found = self.scaler.scale, self.found({"w": g}, self.scaler.scale)
        self.scaler.update(found)
        if not found:
            d, t = self.direction(g)
            for _ in range(2):
                if self.loss(w["w"] - t * d, window[0])[0] <= loss - 1e-4 * t * (g * d).sum():
                    break
                t /= 2
            self.move, self.last = -t * d, g
            w["w"] = w["w"] - t * d
        row = {"loss": loss, "scale": scale, "skipped": found, "grad_norm": rules.global_norm({"w": g})}
        return row | {"good_steps": self.scaler.good}


class Adversarial(Reference):
    weights = {"generator": (8, 4), "critic": (1, 8)}
    inputs = {"z": 4}

    def __init__(self, precision):
        super().__init__(precision)
        self.for_critic, self.scaler = rules.Sgd(LR), Scaler(1024.0)

    def judge(self, w, sample, label):
        """The loss, its gradient by the critic, and by the sample."""
        error = sample @ w["critic"].T - label
        return (error**2).mean(), 2 * error.T @ sample / BATCH, 2 * error @ w["critic"] / BATCH

    def step(self, w, window):
        x, z = window[0]["x"], window[0]["z"]
        fake = np.tanh(z @ w["generator"].T)
        scale = self.scaler.scale
        critic = {"critic": self.judge(w, x, 1)[1] + self.judge(w, fake, 0)[1]}
        bad = self.found(critic, scale)
        if not bad:
            self.for_critic.step(w, critic)
        loss, _, d = self.judge(w, fake, 1)
        generator = {"generator": (d * (1 - fake**2)).T @ z}
        assert not self.found(generator, scale)
        self.optimizer.step(w, generator)
        self.scaler.update(bad)
        row = {"loss": loss, "scale": scale, "skipped": bad, "grad_norm": rules.global_norm(generator)}
        return row | {"good_steps": self.scaler.good}


class AtOnce(Adversarial):
    """As if both players moved at the same time."""

    def step(self, w, window):
        before = dict(w)
        row = super().step(before, window)
        fake = np.tanh(window[0]["z"] @ w["generator"].T)
        _, _, d = self.judge(w, fake, 1)
        w["generator"] = w["generator"] - LR * (d * (1 - fake**2)).T @ window[0]["z"]
        w["critic"] = before["critic"]
        return row


class CustomOptimizer(Reference):
    def __init__(self, precision):
        super().__init__(precision)
        self.optimizer = rules.AdaBelief(LR, betas=(0.9, 0.99), epsilon=1e-4)


REFERENCES = {
    "basic": Reference,
    "clipping": Clipping,
    "clip-scaled": ClipScaled,
    "accumulation": Accumulation,
    "gradient-penalty": Penalty,
    "gradient-penalty-unscaled": PenaltyUnscaled,
    "gradient-transform": Transform,
    "switched-off": SwitchedOff,
    "multiple": Multiple,
    "per-loss-scale": PerLossScale,
    "several-outputs": SeveralOutputs,
    "replay": Replay,
    "closure": Closure,
    "adversarial": Adversarial,
    "at-once": AtOnce,
    "basic-replay": BasicReplay,
    "custom-optimizer": CustomOptimizer,
}


# --- comparison -------------------------------------------------------------------------------


class Judge:
    def __init__(self):
        self.failed = False

    def exact(self, what, ours, expected):
        self.report(what, ours == expected, f"{ours}, expected {expected}")

    def within(self, what, ours, expected, bound):
        ours, expected = np.asarray(ours, np.float64), np.asarray(expected, np.float64)
        same = (ours == expected) | (np.isnan(ours) & np.isnan(expected))
        error = np.where(same, 0, np.abs(ours - expected)).max()
        self.report(what, error <= bound, f"error {error:.3g}, bound {bound:.3g}")

    def report(self, what, passed, text):
        self.failed |= not passed
        print("ok  " if passed else "FAIL", f"{what}: {text}")


def window_of(data, step, size):
    """The batches of one step, in float64."""
    at = step * size * BATCH
    rows = {k: v[at : at + size * BATCH] for k, v in data.items()}
    rows = {k: v.astype(np.float64) if v.dtype == np.float32 else v for k, v in rows.items()}
    return [{k: v[i * BATCH : (i + 1) * BATCH] for k, v in rows.items()} for i in range(size)]


def compare_row(judge, step, ours, expected, tolerance):
    for key, value in expected.items():
        if key in ("scale", "good_steps", "skipped"):
            judge.exact(f"step {step} {key}", float(ours[key]), float(value))
        elif np.isfinite(value):
            judge.within(f"step {step} {key}", float(ours[key]), value, tolerance * max(value, 1e-3))
        else:
            judge.exact(f"step {step} {key} is finite", np.isfinite(float(ours[key])), False)


def compare(reference, data, first, metrics, checkpoint):
    judge, tolerance = Judge(), TOLERANCE[reference.precision]
    w = {k: v.astype(np.float64) for k, v in first.items()}
    ours = list(csv.DictReader(open(metrics)))
    judge.exact("rows", len(ours), STEPS)
    for step, row in enumerate(ours):
        with np.errstate(all="ignore"):
            expected = reference.step(w, window_of(data, step, reference.window))
        compare_row(judge, step, row, expected, tolerance)
    state = load_file(checkpoint)
    for key, value in reference.state().items():
        judge.exact(key, state[key].flat[0], value)
    for key, value in w.items():
        moved = np.nanmax(np.abs(value - first[key]))
        judge.within(f"weight {key}, moved {moved:.3g}", state[key], value, tolerance * moved)
    return judge.failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("precision", choices=TOLERANCE)
    parser.add_argument("folder")
    parser.add_argument("--like", help="the reference (default: the program's own)")
    parser.add_argument("--lr", default=LR, help="the program's; the reference has its own")
    parser.add_argument("--flag", action="append", default=[], help="of mpc-train, beside the usual ones")
    arguments = parser.parse_args()
    name = os.path.splitext(os.path.basename(arguments.program))[0]
    own = REFERENCES[name](arguments.precision)
    reference = REFERENCES[arguments.like or name](arguments.precision)
    os.makedirs(arguments.folder)
    at = lambda file: os.path.join(arguments.folder, file)
    first, data = weights(own), batches(own)
    save_file(first, at("init.safetensors"))
    save_file(data, at("data.safetensors"))
    command = ["mpc-train", arguments.program, f"--precision={arguments.precision}"]
    command += [f"--init={at('init.safetensors')}", f"--data={at('data.safetensors')}", "--order=sequential"]
    command += [f"--steps={STEPS}", f"--lr={arguments.lr}", f"--metrics={at('metrics.csv')}"]
    command += [f"--checkpoint-dir={at('run')}"] + (reference.flags or own.flags) + arguments.flag
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"mpc-train: exit {done.returncode}\n{done.stderr}")
    checkpoint = at(f"run/ckpt-{STEPS:08}.safetensors")
    sys.exit(compare(reference, data, first, at("metrics.csv"), checkpoint))


if __name__ == "__main__":
    main()
