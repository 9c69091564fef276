# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models of the families that users have, held against float64, and trained in three precisions.

    python zoo.py eval MPC_EVAL_CASES [--only=REGEX] [--plant]   losses and gradients against zoo.json
    python zoo.py train [--only=REGEX] [--plant]                 20 steps of mpc-train
    python zoo.py refuse                                         what PyTorch's default export takes from three
    python zoo.py make FOLDER                                    the files
    python zoo.py write                                          zoo.json anew

test/support/zoo builds the models in the form in which PyTorch exports them, with training=True in training form. The
reference is onnx.reference.ReferenceEvaluator on the model in float64: the loss, and for each parameter its central
difference along one random direction, which no error of a gradient escapes. zoo.json keeps these numbers; `eval`
computes one of each model again, so that they cannot go stale. --plant turns the directions by a percent, or trains
16 bits at a tenth of the rate, which every model must notice.
"""
import argparse
import concurrent.futures
import dataclasses
import functools
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import typing
import warnings

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / folder) for folder in ("support", "support/zoo", "lib/Import/ONNX")]
import images
import philox
import sequences
from graph import Graph
from node_suite import Evaluators, read_safetensors, write_safetensors

REFERENCES = HERE / "Inputs" / "zoo.json"
LARGEST = 200_000  # Bytes of a file.
STEP = 2e-7  # Small enough that few pass a kink of Relu or MaxPool, large enough for float64.
# Of the gradient's norm, and of the loss.
TOLERANCE = 1e-5
STEPS, SEED = 20, 7
# The least part of fp32's fall that 16 bits fall, and of its first loss that fp32 falls.
LEAST_PART, LEAST_FALL = 0.8, 0.02


@dataclasses.dataclass
class Case:
    build: typing.Callable
    loss: str = "cross_entropy"
    training: bool = False
    vocabulary: int = 20  # Integers of inputs are below.
    classes: int = 0  # Those of labels, where the last axis is not theirs.
    shared: tuple = ()  # Inputs without a sample axis.
    lr: float = 3e-3

    def model(self):
        graph = Graph(1, self.training)
        self.build(graph)
        return graph.model()


CASES = {build.__name__: Case(build) for build in (
    images.lenet, images.resnet, images.mobilenet_v3, images.efficientnet, images.convnext, images.densenet,
    images.inception, images.shufflenet, images.video, images.spatial_transformer, sequences.mlp, sequences.gpt,
    sequences.llama, sequences.t5, sequences.vit, sequences.swin, sequences.mixer, sequences.lstm, sequences.gru,
    sequences.experts,
)}  # fmt: skip
CASES |= {
    "bert": Case(sequences.bert, vocabulary=2),
    "unet": Case(images.unet, classes=3),
    "deeplab": Case(images.deeplab, classes=3),
    "wavenet": Case(sequences.wavenet, classes=5),
    "autoencoder": Case(images.autoencoder, "mse"),
    "diffusion_unet": Case(images.diffusion_unet, "mse"),
    "recommender": Case(sequences.recommender, "bce", vocabulary=12),
    "graph_network": Case(sequences.graph_network, vocabulary=8, shared=("source", "target_node")),
    "resnet_training": Case(images.resnet, training=True),
    "efficientnet_training": Case(images.efficientnet, training=True),
    "mlp_training": Case(sequences.mlp, training=True),
    "gpt_training": Case(sequences.gpt, training=True),
    "bert_training": Case(sequences.bert, vocabulary=2, training=True),
}


def shape_of(value):
    return [dimension.dim_value for dimension in value.type.tensor_type.shape.dim]


def data_of(case, model):
    """One batch, with its target."""
    rng, data = np.random.default_rng(5), {}
    for value in model.graph.input:
        shape = shape_of(value)
        if value.type.tensor_type.elem_type == TensorProto.FLOAT:
            data[value.name] = rng.standard_normal(shape).astype(np.float32)
        else:
            data[value.name] = rng.integers(0, case.vocabulary, shape)
    shape = shape_of(model.graph.output[0])
    if case.loss == "cross_entropy":
        labels = [shape[0], *shape[2:]] if case.classes else shape[:-1]
        data["target"] = rng.integers(0, case.classes or shape[-1], labels)
    else:
        data["target"] = rng.uniform(size=shape).astype(np.float32)
    return data


# --- float64 ------------------------------------------------------------------------------------


def widen(tensor):
    array = numpy_helper.to_array(tensor)
    return numpy_helper.from_array(array.astype(np.float64) if array.dtype == np.float32 else array, tensor.name)


def in_float64(model):
    """The model with double in place of float everywhere."""
    wide = onnx.ModelProto()
    wide.CopyFrom(model)
    graph = wide.graph
    del graph.value_info[:]
    for value in [*graph.input, *graph.output]:
        if value.type.tensor_type.elem_type == TensorProto.FLOAT:
            value.type.tensor_type.elem_type = TensorProto.DOUBLE
    for tensor in graph.initializer:
        tensor.CopyFrom(widen(tensor))
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.name == "value":
                attribute.t.CopyFrom(widen(attribute.t))
            if attribute.name == "to" and attribute.i == TensorProto.FLOAT:
                attribute.i = TensorProto.DOUBLE
    return wide


class LayerNormalization(OpRun):
    """The package's computes in float32."""

    op_domain = ""

    def _run(self, x, scale, bias, axis=None, epsilon=None, stash_type=None):
        mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return ((x - mean) / np.sqrt(variance + epsilon) * scale + bias,)


class Gelu(OpRun):
    """So does the package's."""

    op_domain = ""

    def _run(self, x, approximate=None):
        if approximate == "tanh":
            return (x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),)
        return (x / 2 * (1 + np.vectorize(math.erf)(x / np.sqrt(2))),)


class AffineGrid(OpRun):
    """So does the package's."""

    op_domain = ""

    def _run(self, theta, size, align_corners=None):
        height, width = size[2:]
        centers = [(2 * np.arange(count) + 1) / count - 1 for count in (width, height)]
        x, y = np.meshgrid(*centers)
        points = np.stack([x, y, np.ones_like(x)], -1)
        return (np.einsum("hwi,nji->nhwj", points, theta),)


class GridSample(OpRun):
    """So does the package's; bilinear, zero outside."""

    op_domain = ""

    def _run(self, x, grid, align_corners=None, mode=None, padding_mode=None):
        height, width = x.shape[2:]
        column, row = (((grid[..., i] + 1) * size - 1) / 2 for i, size in ((0, width), (1, height)))
        padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
        sample = np.arange(len(x))[:, None, None]
        total = 0
        for down, right in np.ndindex(2, 2):
            r, c = np.floor(row).astype(int) + down, np.floor(column).astype(int) + right
            weight = (1 - abs(row - r)) * (1 - abs(column - c))
            values = padded[sample, :, np.clip(r + 1, 0, height + 1), np.clip(c + 1, 0, width + 1)]
            total = total + weight[:, None] * values.transpose(0, 3, 1, 2)
        return (total,)


def dropout_op(streams):
    """Dropout by mpc's random numbers; `streams` numbers the nodes that draw by their outputs."""

    class Dropout(OpRun):
        op_domain = ""

        def _run(self, x, ratio, training, seed=None):
            stream = streams[self.onnx_node.output[0]]
            return (x * philox.dropout_factor(x.shape, np.float32(ratio), SEED, 0, 0, stream),)

    return Dropout


class Reference:
    """The loss in float64, as a function of the parameters."""

    def __init__(self, case, model, data):
        self.case, wide = case, in_float64(model)
        self.parameters = {
            value.name: numpy_helper.to_array(tensor)
            for value in model.graph.value_info
            if any(entry.value == "PARAMETER" for entry in value.metadata_props)
            for tensor in wide.graph.initializer
            if tensor.name == value.name
        }
        # As inputs, so that they can move.
        for name, array in self.parameters.items():
            wide.graph.input.append(helper.make_tensor_value_info(name, TensorProto.DOUBLE, array.shape))
        kept = [tensor for tensor in wide.graph.initializer if tensor.name not in self.parameters]
        del wide.graph.initializer[:]
        wide.graph.initializer.extend(kept)
        drawing = [node.output[0] for node in model.graph.node if node.op_type == "Dropout"]
        streams = {name: index for index, name in enumerate(drawing)}
        ops = [AffineGrid, Gelu, GridSample, LayerNormalization, dropout_op(streams)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.evaluator = ReferenceEvaluator(wide, new_ops=ops)
        self.target = data["target"].astype(np.float64) if case.loss != "cross_entropy" else data["target"]
        self.inputs = {
            name: array.astype(np.float64) if array.dtype == np.float32 else array
            for name, array in data.items()
            if name != "target"
        }

    def loss(self, **moved):
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            y = self.evaluator.run(None, self.inputs | self.parameters | moved)[0]
        assert y.dtype == np.float64
        if self.case.loss == "mse":
            return np.mean((y - self.target) ** 2)
        if self.case.loss == "bce":
            return np.mean(np.logaddexp(0, y) - self.target * y)
        axis = 1 if self.case.classes else -1
        y = y - y.max(axis, keepdims=True)
        logarithms = y - np.log(np.exp(y).sum(axis, keepdims=True))
        return -np.take_along_axis(logarithms, np.expand_dims(self.target, axis), axis).mean()

    def difference(self, name, direction):
        """The fourth-order central difference along `direction`."""
        at = lambda step: self.loss(**{name: self.parameters[name] + step * STEP * direction})
        return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * STEP)


def direction_of(name, shape):
    seed = int.from_bytes(name.encode()[-8:].ljust(8, b"."), "little")
    return np.random.default_rng(seed).standard_normal(shape)


@functools.cache
def reference(name):
    case = CASES[name]
    model = case.model()
    return Reference(case, model, data_of(case, model))


def references_of(name):
    made = reference(name)
    directions = {key: direction_of(key, array.shape) for key, array in made.parameters.items()}
    differences = {key: made.difference(key, direction) for key, direction in directions.items()}
    return {"loss": made.loss(), "directions": differences}


def write():
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        found = dict(zip(CASES, pool.map(references_of, CASES)))
    REFERENCES.write_text(json.dumps(found, indent=0) + "\n")


# --- files --------------------------------------------------------------------------------------


def make(name, folder):
    case = CASES[name]
    model = case.model()
    assert model.ByteSize() < LARGEST, name
    onnx.save(model, folder / f"{name}.onnx")
    write_safetensors(folder / f"{name}.safetensors", data_of(case, model))


# --- losses and gradients -----------------------------------------------------------------------


def is_stale(name, wanted):
    """Whether the file has another number than the reference, of one parameter."""
    made = reference(name)
    key = sorted(made.parameters)[len(name) % len(made.parameters)]
    found = made.difference(key, direction_of(key, made.parameters[key].shape))
    return abs(found - wanted["directions"][key]) > 1e-7 * (1 + abs(found))


def faults_of(found, wanted, planted):
    if abs(found["loss"] - wanted["loss"]) > TOLERANCE * abs(wanted["loss"]):
        yield f"loss {found['loss']}, expected {wanted['loss']}"
    for key, slope in wanted["directions"].items():
        gradient = found[f"grad.{key}"].astype(np.float64)
        direction = direction_of(key, gradient.shape) * (1.01 if planted else 1)
        error = abs(np.vdot(gradient, direction) - slope)
        # A direction is as long as the gradient has elements; most are across it. What is zero in exact arithmetic,
        # as of a bias before a normalization, is a rounding of the largest.
        scale = np.linalg.norm(gradient) + 1e-2 * max(abs(s) for s in wanted["directions"].values())
        if error > TOLERANCE * scale:
            yield f"gradient of {key} {np.vdot(gradient, direction)}, expected {slope}"


def evaluate(name, evaluators, folder, planted):
    """What is wrong."""
    case, wanted = CASES[name], json.loads(REFERENCES.read_text())[name]
    make(name, folder)
    status = evaluators.run(
        folder / f"{name}.stderr", folder / f"{name}.onnx", "--threads=1", f"--loss={case.loss}", "--gradients",
        f"--inputs={folder / name}.safetensors", f"--outputs={folder / name}.out.safetensors",
        *(["--training", f"--seed={SEED}"] if case.training else []),
    )  # fmt: skip
    if status != 0:
        return [f"exit {status}: {(folder / f'{name}.stderr').read_text().strip()[:400]}"]
    faults = list(faults_of(read_safetensors(folder / f"{name}.out.safetensors"), wanted, planted))
    return faults + (["zoo.json is stale: python zoo.py write"] if is_stale(name, wanted) else [])


def evaluate_all(names, tool, planted):
    pool = concurrent.futures.ThreadPoolExecutor(2)
    with tempfile.TemporaryDirectory() as folder, Evaluators(tool) as evaluators, pool:
        run = lambda name: evaluate(name, evaluators, pathlib.Path(folder), planted)
        return dict(zip(names, pool.map(run, names)))


# --- training -----------------------------------------------------------------------------------


def losses_of(name, folder, precision, factor=1.0):
    case = CASES[name]
    model = onnx.load(folder / f"{name}.onnx")
    batch = shape_of(model.graph.output[0])[0]
    command = [
        "mpc-train", folder / f"{name}.onnx", f"--data={folder / name}.safetensors", f"--loss={case.loss}",
        "--optimizer=adamw", f"--lr={case.lr * factor}", f"--batch-size={batch}", f"--steps={STEPS}",
        f"--precision={precision}", "--threads=1", "--json", "--order=sequential", f"--seed={SEED}", "--no-dropout",
        *(f"--shared-input={shared}" for shared in case.shared),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{precision}: exit {done.returncode}: {done.stderr.strip()[:400]}")
    summary = json.loads(done.stdout.splitlines()[-1])
    return summary["loss_first"], summary["loss_last"]


def train(name, folder, planted):
    make(name, folder)
    faults = []
    try:
        first, last = losses_of(name, folder, "fp32")
        if first - last < LEAST_FALL * first:
            faults.append(f"fp32 falls from {first} to {last} alone")
        for precision in ("bf16", "fp16"):
            low_first, low_last = losses_of(name, folder, precision, 0.1 if planted else 1.0)
            if low_first - low_last < LEAST_PART * (first - last):
                faults.append(f"{precision} falls from {low_first} to {low_last}, fp32 from {first} to {last}")
    except RuntimeError as error:
        faults.append(str(error))
    return faults


def train_all(names, planted):
    pool = concurrent.futures.ThreadPoolExecutor(2)
    # Training is the same in both forms.
    names = [name for name in names if not CASES[name].training]
    with tempfile.TemporaryDirectory() as folder, pool:
        return dict(zip(names, pool.map(lambda name: train(name, pathlib.Path(folder), planted), names)))


# --- default exports ----------------------------------------------------------------------------


def without_record(model, *names):
    for value in model.graph.value_info:
        if value.name in names:
            del value.metadata_props[:]


def normalizations_folded(model):
    """Each BatchNormalization becomes a part of the convolution before it."""
    makers = {node.output[0]: node for node in model.graph.node if node.op_type == "Conv"}
    folded = [node for node in model.graph.node if node.op_type == "BatchNormalization"]
    for node in folded:
        conv = makers[node.input[0]]
        bias = next(tensor for tensor in model.graph.initializer if tensor.name == node.input[2])
        added = onnx.TensorProto()
        added.CopyFrom(bias)
        added.name = f"{conv.input[1]}_bias"
        model.graph.initializer.append(added)
        conv.input.append(added.name)
        conv.output[0] = node.output[0]
        without_record(model, conv.input[1])
        model.graph.node.remove(node)


def weights_transposed(model):
    """The transpose of each weight is computed, and has no name that the module knows."""
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    for number, node in enumerate([n for n in model.graph.node if n.op_type == "Transpose" and n.input[0] in tensors]):
        array = numpy_helper.to_array(tensors[node.input[0]]).T
        model.graph.initializer.append(numpy_helper.from_array(array, f"val_w{number}"))
        for reader in model.graph.node:
            reader.input[:] = [f"val_w{number}" if name == node.output[0] else name for name in reader.input]
        model.graph.node.remove(node)


def biases_dropped(model):
    """What is zero is left out; the record of the call still names it."""
    for number, node in enumerate(n for n in model.graph.node if n.op_type == "Gemm" and len(n.input) == 3):
        names = [name.replace(".", "_") for name in node.input[1:]]
        arguments = f"args = (%x, %p_{names[0]}, %p_{names[1]}), kwargs = {{}}"
        call = f"%linear_{number} : call_function[target=torch.ops.aten.linear.default]({arguments})"
        node.metadata_props.add(key="pkg.torch.onnx.fx_node", value=call)
        bias = node.input.pop()
        for field in (model.graph.initializer, model.graph.value_info):
            for entry in [entry for entry in field if entry.name == bias]:
                field.remove(entry)


DEFAULT_EXPORTS = {
    "resnet": (normalizations_folded, "those of a normalization multiplied in"),
    "mixer": (weights_transposed, "weights have lost their names"),
    "lenet": (biases_dropped, "parameters are gone"),
}


def refuse(name, folder):
    spoil, reason = DEFAULT_EXPORTS[name]
    make(name, folder)
    model = onnx.load(folder / f"{name}.onnx")
    spoil(model)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, folder / f"{name}.onnx")
    command = [
        "mpc-train", folder / f"{name}.onnx", f"--data={folder / name}.safetensors", "--loss=cross_entropy",
        "--optimizer=sgd", "--lr=0.01", "--steps=1", f"--batch-size={shape_of(model.graph.output[0])[0]}",
    ]  # fmt: skip
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    faults = []
    if refused.returncode != 1 or reason not in refused.stderr or refused.stderr.count("optimize=False") != 1:
        faults.append(f"expected a refusal: {reason}; exit {refused.returncode}: {refused.stderr.strip()[:400]}")
    allowed = subprocess.run([*command, "--allow-lost-parameters"], capture_output=True, text=True, check=False)
    if allowed.returncode != 0:
        faults.append(f"with --allow-lost-parameters exit {allowed.returncode}: {allowed.stderr.strip()[:400]}")
    return faults


def refuse_all():
    with tempfile.TemporaryDirectory() as folder:
        return {name: refuse(name, pathlib.Path(folder)) for name in DEFAULT_EXPORTS}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=["eval", "train", "refuse", "make", "write"])
    parser.add_argument("place", nargs="?")
    parser.add_argument("--only", default="")
    parser.add_argument("--plant", action="store_true")
    flags = parser.parse_args()
    names = [name for name in CASES if re.search(flags.only, name)]
    if flags.command == "write":
        return write()
    if flags.command == "make":
        return [make(name, pathlib.Path(flags.place)) for name in names] and 0
    if flags.command == "eval":
        found = evaluate_all(names, flags.place, flags.plant)
    elif flags.command == "refuse":
        found = refuse_all()
    else:
        found = train_all(names, flags.plant)
    for name, faults in found.items():
        for fault in faults:
            print(f"{name}: {fault}")
    wrong = sum(bool(faults) for faults in found.values())
    print(f"{len(found)} models, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
