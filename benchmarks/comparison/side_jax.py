# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""jax: a whole step in one jit with donated state, written as in its documentation, with no library beside it."""
import itertools
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

from . import cases  # noqa: E402

TYPES = {"fp32": jnp.float32, "bf16": jnp.bfloat16, "fp16": jnp.float16}
STEP_PRECISIONS = {
    "fp32": "f32",
    "bf16": "weights cast to bf16, f32 loss, norms and softmax, f32 masters and moments",
    "fp16": "weights cast to f16, f32 loss, norms and softmax, f32 masters and moments, loss scale 2^15",
}
SCALE = 2.0**15
LAYERS = [(f"layer{stage}.{part}", 2 ** (stage - 1), 2 if part == 0 and stage > 1 else 1)
          for stage in range(1, 5) for part in range(2)]


# --- models ---------------------------------------------------------------------------------------


class Weights:
    """Weights by name, drawn as PyTorch's modules draw theirs."""

    def __init__(self):
        self.draw, self.all = np.random.default_rng(6), {}

    def linear(self, name, outputs, inputs, bias=True):
        bound = inputs**-0.5
        self.all[name + ".weight"] = self.draw.uniform(-bound, bound, (outputs, inputs)).astype(np.float32)
        if bias:
            self.all[name + ".bias"] = self.draw.uniform(-bound, bound, outputs).astype(np.float32)

    def conv(self, name, outputs, inputs, size, bias=False):
        bound = (inputs * size * size) ** -0.5
        self.all[name + ".weight"] = self.draw.uniform(-bound, bound, (outputs, inputs, size, size)).astype(np.float32)
        if bias:
            self.all[name + ".bias"] = np.zeros(outputs, np.float32)

    def norm(self, name, size, bias=True):
        self.all[name + ".weight"] = np.ones(size, np.float32)
        if bias:
            self.all[name + ".bias"] = np.zeros(size, np.float32)


def mlp_weights(w, case):
    for name, outputs, inputs in (("0", 512, 64), ("1", 512, 512), ("2", 10, 512)):
        w.linear(name, outputs, inputs)


def cnn_weights(w, case):
    w.conv("c1", 32, 1, 3, bias=True)
    w.conv("c2", 64, 32, 3, bias=True)
    w.linear("f1", 128, 1024)
    w.linear("f2", 10, 128)


def gpt_weights(w, case):
    width = case["width"]
    w.all["wte"] = (0.02 * w.draw.standard_normal((cases.VOCABULARY, width))).astype(np.float32)
    w.all["wpe"] = (0.02 * w.draw.standard_normal((case["length"], width))).astype(np.float32)
    for layer in range(case["layers"]):
        for name, outputs, inputs in (("qkv", 3, 1), ("proj", 1, 1), ("fc", 4, 1), ("out", 1, 4)):
            w.linear(f"{layer}.{name}", outputs * width, inputs * width, bias=False)
        for name in ("ln1", "ln2"):
            w.norm(f"{layer}.{name}", width, bias=False)
    w.norm("lnf", width, bias=False)


def resnet_weights(w, case):
    first = channels = case["channels"]
    w.conv("conv", first, 3, 3)
    w.norm("bn", first)
    for name, scale, stride in LAYERS:
        filters = scale * first
        for part, inputs in (("1", channels), ("2", filters)):
            w.conv(f"{name}.conv{part}", filters, inputs, 3)
            w.norm(f"{name}.bn{part}", filters)
        if stride != 1:
            w.conv(f"{name}.down", filters, channels, 1)
            w.norm(f"{name}.dbn", filters)
        channels = filters
    w.linear("fc", 10, channels)


def linear(p, name, x):
    y = x @ p[name + ".weight"].T
    return y + p[name + ".bias"] if name + ".bias" in p else y


def layer_norm(p, name, x):
    wide = x.astype(jnp.float32)
    mean, variance = wide.mean(-1, keepdims=True), wide.var(-1, keepdims=True)
    return ((wide - mean) * jax.lax.rsqrt(variance + 1e-5) * p[name + ".weight"]).astype(x.dtype)


def conv(p, name, x, stride=1, pad=1):
    return jax.lax.conv_general_dilated(
        x, p[name + ".weight"], (stride, stride), [(pad, pad)] * 2, dimension_numbers=("NCHW", "OIHW", "NCHW"))


def batch_norm(p, name, x):
    wide = x.astype(jnp.float32)
    mean, variance = wide.mean((0, 2, 3), keepdims=True), wide.var((0, 2, 3), keepdims=True)
    scale, bias = (p[f"{name}.{part}"][None, :, None, None] for part in ("weight", "bias"))
    return ((wide - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias).astype(x.dtype)


def mlp(p, case, x):
    return linear(p, "2", jax.nn.relu(linear(p, "1", jax.nn.relu(linear(p, "0", x)))))


def cnn(p, case, x):
    for name in ("c1", "c2"):
        x = jax.nn.relu(conv(p, name, x) + p[name + ".bias"][None, :, None, None])
    low = np.array(-np.inf, x.dtype)
    x = jax.lax.reduce_window(x, low, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID").reshape(x.shape[0], -1)
    return linear(p, "f2", jax.nn.relu(linear(p, "f1", x)))


def attend(q, k, v, causal):
    """jax's own where it has one: not for f16 on a CPU."""
    if q.dtype != jnp.float16:
        return jax.nn.dot_product_attention(q, k, v, is_causal=causal)
    scores = jnp.einsum("bthd,bshd->bhts", q, k).astype(jnp.float32) * q.shape[-1] ** -0.5
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -jnp.inf)
    return jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(scores, -1).astype(q.dtype), v)


def mixed(p, case, layer, x):
    batch, length, width = x.shape
    parts = linear(p, f"{layer}.qkv", x).reshape(batch, length, 3, case["heads"], width // case["heads"])
    y = attend(parts[:, :, 0], parts[:, :, 1], parts[:, :, 2], causal=True)
    return linear(p, f"{layer}.proj", y.reshape(x.shape))


def gpt(p, case, tokens):
    x = p["wte"][tokens] + p["wpe"]
    for layer in range(case["layers"]):
        x = x + mixed(p, case, layer, layer_norm(p, f"{layer}.ln1", x))
        inner = jax.nn.gelu(linear(p, f"{layer}.fc", layer_norm(p, f"{layer}.ln2", x)), approximate=False)
        x = x + linear(p, f"{layer}.out", inner)
    return (layer_norm(p, "lnf", x) @ p["wte"].T).reshape(-1, cases.VOCABULARY)


def resnet(p, case, x):
    x = jax.nn.relu(batch_norm(p, "bn", conv(p, "conv", x)))
    for name, _, stride in LAYERS:
        y = jax.nn.relu(batch_norm(p, f"{name}.bn1", conv(p, f"{name}.conv1", x, stride)))
        y = batch_norm(p, f"{name}.bn2", conv(p, f"{name}.conv2", y))
        if stride != 1:
            x = batch_norm(p, f"{name}.dbn", conv(p, f"{name}.down", x, stride, 0))
        x = jax.nn.relu(x + y)
    return linear(p, "fc", x.mean((2, 3)))


MODELS = {"mlp": (mlp_weights, mlp), "cnn": (cnn_weights, cnn), "gpt": (gpt_weights, gpt),
          "resnet": (resnet_weights, resnet)}


# --- optimizers -----------------------------------------------------------------------------------


def global_norm(gradients):
    return jnp.sqrt(sum(jnp.vdot(g, g) for g in jax.tree.leaves(gradients)))


def clip(gradients, most):
    norm = global_norm(gradients)
    return jax.tree.map(lambda g: g * jnp.minimum(1.0, most / (norm + 1e-6)), gradients), norm


def first_moments(rule, weights):
    zeros = jax.tree.map(jnp.zeros_like, weights)
    return {"m": zeros} if rule["kind"] == "sgd" else {"m": zeros, "v": jax.tree.map(jnp.copy, zeros), "t": jnp.zeros(())}


def update(rule, weights, moments, gradients):
    if rule["kind"] == "sgd":
        m = jax.tree.map(lambda m, g: rule["momentum"] * m + g, moments["m"], gradients)
        return jax.tree.map(lambda w, m: w - rule["lr"] * m, weights, m), {"m": m}
    if "clip" in rule:
        gradients, _ = clip(gradients, rule["clip"])
    (b1, b2), t = rule["betas"], moments["t"] + 1
    m = jax.tree.map(lambda m, g: b1 * m + (1 - b1) * g, moments["m"], gradients)
    v = jax.tree.map(lambda v, g: b2 * v + (1 - b2) * g * g, moments["v"], gradients)

    def apply(w, m, v):
        decay = rule.get("weight_decay", 0.0) if w.ndim > 1 else 0.0
        step = m / (1 - b1**t) / (jnp.sqrt(v / (1 - b2**t)) + rule["eps"])
        return w * (1 - rule["lr"] * decay) - rule["lr"] * step

    return jax.tree.map(apply, weights, m, v), {"m": m, "v": v, "t": t}


def keep_if(is_finite, new, old):
    return jax.tree.map(lambda a, b: jnp.where(is_finite, a, b), new, old)


# --- cases ----------------------------------------------------------------------------------------


class Step:
    def __init__(self, case, precision):
        self.precision = STEP_PRECISIONS[precision]
        draw, model = MODELS[case["model"]]
        weights = Weights()
        draw(weights, case)
        self.weights = {name: jnp.asarray(value) for name, value in weights.all.items()}
        self.moments = first_moments(case["optimizer"], self.weights)
        low, scale, rule = TYPES[precision], SCALE if precision == "fp16" else 1.0, case["optimizer"]

        def loss(weights, x, target):
            x = x if x.dtype == jnp.int64 or x.dtype == jnp.int32 else x.astype(low)
            logits = model({name: w.astype(low) for name, w in weights.items()}, case, x).astype(jnp.float32)
            found = jnp.take_along_axis(jax.nn.log_softmax(logits, -1), target[:, None], -1)
            return -found.mean() * scale

        def step(weights, moments, x, target):
            value, gradients = jax.value_and_grad(loss)(weights, x, target)
            if precision != "fp16":
                return *update(rule, weights, moments, gradients), value
            gradients = jax.tree.map(lambda g: g / scale, gradients)
            is_finite = jnp.isfinite(global_norm(gradients))
            new = update(rule, weights, moments, gradients)
            return *keep_if(is_finite, new, (weights, moments)), value / scale

        self.step = jax.jit(step, donate_argnums=(0, 1))
        self.batches = itertools.cycle([(x, target.reshape(-1)) for x, target in cases.batches(case)])
        self.first = None

    def run(self):
        self.weights, self.moments, loss = self.step(self.weights, self.moments, *next(self.batches))
        value = float(jax.block_until_ready((self.weights, loss))[1])
        self.first = value if self.first is None else self.first

    def check(self):
        return self.first


class Contraction:
    def __init__(self, case, precision):
        self.precision = f"{precision} in and out"
        self.operands = [jnp.asarray(array, TYPES[precision]) for array in cases.operands(case)]
        left, right = (turned == "t" for turned in case["layout"])
        self.call = jax.jit(lambda a, b: (a.T if left else a) @ (b.T if right else b))

    def run(self):
        self.result = jax.block_until_ready(self.call(*self.operands))

    def check(self):
        return cases.size_of(self.result)


class Attention:
    def __init__(self, case, precision):
        self.precision = f"{precision} in and out, f32 softmax"
        # Batch, length, heads, size is jax's order.
        arrays = [jnp.asarray(array.transpose(0, 2, 1, 3), TYPES[precision]) for array in cases.attention_inputs(case)]

        def both(q, k, v, gradient):
            result, backward = jax.vjp(lambda *x: attend(*x, case["causal"]), q, k, v)
            return result, backward(gradient)

        self.arrays, self.call = arrays, jax.jit(both)

    def run(self):
        self.result, self.gradients = jax.block_until_ready(self.call(*self.arrays))

    def check(self):
        return cases.size_of(self.gradients[1])


class Optimizer:
    RULE = {"kind": "adamw", "lr": 1e-4, "betas": (0.9, 0.95), "eps": 1e-8, "weight_decay": 0.1}

    def __init__(self, case):
        self.precision = "f16 gradients and copies, f32 weights and moments"
        self.weights = [jnp.asarray(array) for array in cases.gpt2_numbers(case, cases.WEIGHT, 4)]
        self.moments = first_moments(self.RULE, self.weights)
        self.gradients = [jnp.asarray(array, jnp.float16) for array in cases.gpt2_numbers(case, cases.GRADIENT, 5)]

        def step(weights, moments, gradients):
            gradients, norm = clip([g.astype(jnp.float32) / cases.LOSS_SCALE for g in gradients], 1.0)
            new = update(self.RULE, weights, moments, gradients)
            weights, moments = keep_if(jnp.isfinite(norm), new, (weights, moments))
            return weights, moments, [w.astype(jnp.float16) for w in weights], norm

        self.step = jax.jit(step, donate_argnums=(0, 1))

    def run(self):
        self.copies = None
        done = jax.block_until_ready(self.step(self.weights, self.moments, self.gradients))
        self.weights, self.moments, self.copies, self.norm = done

    def check(self):
        return float(self.norm)


class Side:
    def __init__(self, threads):
        self.version = f"jax {jax.__version__}"

    def close(self):
        jax.clear_caches()

    def make(self, case, mode):
        if case["kind"] == "optimizer":
            return Optimizer(case)
        return {"step": Step, "contraction": Contraction, "attention": Attention}[case["kind"]](case, mode)
