# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates nn IR with NumPy: an independent reference of ops, for whole programs.

Reads the generic form (`mpc-opt --mlir-print-op-generic`). Floating point is computed in float64 and
rounded to the result's type, bf16 as float32.
"""
import itertools
import json
import math
import re
import struct

import numpy as np

DTYPES = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": np.float32,
    "i64": np.int64,
    "i32": np.int32,
    "i16": np.int16,
    "i8": np.int8,
    "ui8": np.uint8,
    "i1": np.bool_,
}
SAFETENSORS = {"F64": "f8", "F32": "f4", "F16": "f2", "I64": "i8", "I32": "i4", "BF16": "u2"}

OP = re.compile(r'^\s*(?:(%[\w]+)(?::(\d+))? = )?"(nn\.\w+|func\.return)"\((.*?)\)(?: <\{(.*)\}>)? : \((.*)\) -> (.*)$')


def read_safetensors(path):
    data = open(path, "rb").read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    base, result = 8 + length, {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        array = np.frombuffer(data[base + begin : base + end], "<" + SAFETENSORS[entry["dtype"]])
        if entry["dtype"] == "BF16":
            array = (array.astype(np.uint32) << 16).view(np.float32)
        result[name] = array.reshape(entry["shape"])
    return result


def parse_type(text):
    shape, element = re.match(r"tensor<((?:\d+x)*)(\w+)>", text.strip()).groups()
    return [int(size) for size in shape.split("x") if size], element


def parse_dense(text, shape, element):
    dtype = DTYPES[element]
    text = text.strip()
    if not text:
        return np.zeros(shape, dtype)
    hex_bytes = re.match(r'"0x([0-9A-F]*)"', text)
    if hex_bytes:
        raw = bytes.fromhex(hex_bytes[1])
        if element == "i1":
            bits = np.unpackbits(np.frombuffer(raw, np.uint8), bitorder="little")
            if math.prod(shape) == len(raw) and set(raw) <= {0, 1}:
                bits = np.frombuffer(raw, np.uint8)
            return bits[: math.prod(shape)].astype(bool).reshape(shape)
        if element == "bf16":
            return (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32).reshape(shape)
        return np.frombuffer(raw, np.dtype(dtype).newbyteorder("<")).reshape(shape).astype(dtype)

    def number(token):
        if token in ("true", "false"):
            return token == "true"
        if token.startswith("0x"):
            size, code = {"f64": (8, "<d"), "f32": (4, "<f"), "f16": (2, "<e"), "bf16": (2, None)}[element]
            raw = int(token, 16).to_bytes(size, "little")
            return struct.unpack("<f", b"\0\0" + raw)[0] if code is None else struct.unpack(code, raw)[0]
        return float(token) if element.startswith(("f", "bf")) else int(token)

    values = [number(token) for token in re.findall(r"true|false|0x[0-9A-F]+|-?\d[\d.eE+-]*", text)]
    if "[" not in text:
        return np.full(shape, values[0], dtype)
    return np.array(values, dtype).reshape(shape)


def parse_attributes(text):
    attributes = {}
    for name, numbers in re.findall(r"(\w+) = array<i64(?:: ([^>]*))?>", text):
        attributes[name] = [int(n) for n in numbers.split(",")] if numbers else []
    for name, number in re.findall(r"(\w+) = (-?[\d.eE+-]+|0x[0-9A-F]+) : [if]\d+", text):
        if number.startswith("0x"):
            attributes[name] = struct.unpack("<d", int(number, 16).to_bytes(8, "little"))[0]
        else:
            attributes[name] = float(number) if re.search("[.eE]", number) else int(number)
    for name in ("transpose_lhs", "transpose_rhs", "tanh"):
        attributes[name] = re.search(rf"\b{name}\b", text) is not None
    found = re.search(r"kind = (\d+) : i32|kind = #nn<\w* ?(\w+)>|kind = #nn\.\w+<(\w+)>", text)
    if found:
        attributes["kind"] = found[1] or found[2] or found[3]
    segments = re.search(r"operandSegmentSizes = array<i32: ([^>]*)>", text)
    if segments:
        attributes["segments"] = [int(n) for n in segments[1].split(",")]
    return attributes


def erf(x):
    return np.vectorize(math.erf, otypes=[np.float64])(x) if x.size else x


def gelu(a, x):
    if a["tanh"]:
        return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2
    return x * (1 + erf(x / math.sqrt(2))) / 2


UNARY = {
    "neg": np.negative,
    "abs": np.abs,
    "sign": np.sign,
    "relu": lambda x: np.where(np.isnan(x), x, np.maximum(x, 0)),
    "tanh": np.tanh,
    "sigmoid": lambda x: 0.5 * (1 + np.tanh(0.5 * x)),
    "erf": erf,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "exp": np.exp,
    "log": np.log,
    "softplus": lambda x: np.logaddexp(x, 0),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": lambda x: 1 / x,
}


def divide(a, b):
    if a.dtype.kind in "iu":
        return np.where(b == 0, 0, np.sign(a) * np.sign(b) * (abs(a) // np.maximum(abs(b), 1)))
    return a / b


BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": divide,
    "pow": np.power,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
COMPARE = [np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal]
COMPARE_NAMES = ["eq", "ne", "lt", "le", "gt", "ge"]


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def log_softmax(x, axis):
    shifted = x - x.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))


def pad(a, x, value=None):
    value = a["value"] if value is None else value
    for axis, (low, high, interior) in enumerate(zip(a["low"], a["high"], a.get("interior", [0] * x.ndim))):
        size = x.shape[axis]
        wide = np.full(x.shape[:axis] + (size + max(size - 1, 0) * interior,) + x.shape[axis + 1 :], value, x.dtype)
        wide[(slice(None),) * axis + (slice(None, None, interior + 1),)] = x
        wide = wide[(slice(None),) * axis + (slice(max(-low, 0), wide.shape[axis] - max(-high, 0)),)]
        widths = [(0, 0)] * x.ndim
        widths[axis] = (max(low, 0), max(high, 0))
        x = np.pad(wide, widths, constant_values=value)
    return x


def windows(x, kernel, strides, dilations, out):
    """Yields (place in the window, strided slice of x)."""
    for place in itertools.product(*(range(k) for k in kernel)):
        cut = tuple(
            slice(p * d, p * d + (o - 1) * s + 1, s) for p, d, o, s in zip(place, dilations, out, strides)
        )
        yield place, x[(slice(None), slice(None)) + cut]


def conv(a, x, w, bias, shape):
    groups, out = a["groups"], shape[2:]
    spatial = {"low": [0, 0] + a["low"], "high": [0, 0] + a["high"]}
    x = pad(spatial, x, 0.0)
    result = np.zeros(shape)
    per_in, per_out = x.shape[1] // groups, w.shape[0] // groups
    for place, part in windows(x, w.shape[2:], a["strides"], a["dilations"], out):
        for g in range(groups):
            channels = slice(g * per_out, (g + 1) * per_out)
            weight = w[(channels, slice(None)) + place]
            inputs = part[:, g * per_in : (g + 1) * per_in]
            result[:, channels] += np.einsum("nc...,oc->no...", inputs, weight)
    return result if bias is None else result + bias.reshape([1, -1] + [1] * len(out))


def max_pool(a, x, shape):
    spatial = {"low": [0, 0] + a["low"], "high": [0, 0] + a["high"]}
    x = pad(spatial, x, -np.inf)
    parts = [part for _, part in windows(x, a["window"], a["strides"], a["dilations"], shape[2:])]
    return np.stack(parts).max(0)


def gather(a, x, indices):
    axis, batch = a["axis"], a["batch_dims"]
    size = x.shape[axis]
    indices = np.clip(np.where(indices < 0, indices + size, indices), 0, size - 1)
    if batch == 0:
        return np.take(x, indices, axis)
    return np.stack([gather({"axis": axis - 1, "batch_dims": batch - 1}, p, i) for p, i in zip(x, indices)])


def cross_entropy(a, x, target):
    x = np.moveaxis(log_softmax(x, a["axis"]), a["axis"], -1).reshape(-1, x.shape[a["axis"]])
    target = target.reshape(-1)
    kept = target != a.get("ignore_index", np.iinfo(np.int64).min)
    picked = -x[np.arange(len(target)), np.where(kept, target, 0)]
    return picked[kept].mean()


def layer_norm(a, x, scale, bias):
    axes = tuple(range(a["axis"], x.ndim))
    centred = x - x.mean(axes, keepdims=True)
    y = centred / np.sqrt((centred**2).mean(axes, keepdims=True) + a["epsilon"])
    y = y if scale is None else y * scale
    return y if bias is None else y + bias


def rms_norm(a, x, scale):
    axes = tuple(range(a["axis"], x.ndim))
    y = x / np.sqrt((x**2).mean(axes, keepdims=True) + a["epsilon"])
    return y if scale is None else y * scale


def slice_op(a, x):
    return x[tuple(slice(*part) for part in zip(a["starts"], a["limits"], a["strides"]))]


def broadcast(a, x, shape):
    unit = [1] * len(shape)
    for axis, size in zip(a["axes"], x.shape):
        unit[axis] = size
    return np.broadcast_to(x.reshape(unit), shape)


def evaluate_op(op, a, v, shape, element):
    """The first result of one op, not yet rounded to its type."""
    if op in UNARY:
        return UNARY[op](v[0])
    if op in BINARY:
        return BINARY[op](v[0], v[1])
    if op == "compare":
        kind = a["kind"]
        index = int(kind) if kind.isdigit() else COMPARE_NAMES.index(kind)
        return COMPARE[index](v[0], v[1])
    if op in ("matmul", "linear"):
        lhs = np.swapaxes(v[0], -1, -2) if a["transpose_lhs"] else v[0]
        rhs = np.swapaxes(v[1], -1, -2) if a["transpose_rhs"] or op == "linear" else v[1]
        product = lhs @ rhs
        return product + v[2] if len(v) > 2 else product
    segments = a.get("segments", [])
    optional = lambda i: v[sum(segments[:i])] if segments[i] else None  # noqa: E731
    table = {
        "cast": lambda: v[0] if element != "i1" else v[0] != 0,
        "gelu": lambda: gelu(a, v[0]),
        "select": lambda: np.where(v[0], v[1], v[2]),
        "reshape": lambda: v[0].reshape(shape),
        "transpose": lambda: v[0].transpose(a["permutation"]),
        "broadcast": lambda: broadcast(a, v[0], shape),
        "slice": lambda: slice_op(a, v[0]),
        "pad": lambda: pad(a, v[0]),
        "concat": lambda: np.concatenate(v, a["axis"]),
        "reverse": lambda: np.flip(v[0], a["axes"]),
        "iota": lambda: broadcast({"axes": [a["axis"]]}, np.arange(shape[a["axis"]]), shape),
        "gather": lambda: gather(a, v[0], v[1]),
        "reduce_sum": lambda: v[0].sum(tuple(a["axes"])),
        "reduce_max": lambda: v[0].max(tuple(a["axes"])),
        "conv": lambda: conv(a, v[0], v[1], v[2] if len(v) > 2 else None, shape),
        "max_pool": lambda: max_pool(a, v[0], shape),
        "softmax": lambda: softmax(v[0], a["axis"]),
        "log_softmax": lambda: log_softmax(v[0], a["axis"]),
        "layer_norm": lambda: layer_norm(a, v[0], optional(1), optional(2)),
        "rms_norm": lambda: rms_norm(a, v[0], v[1] if len(v) > 1 else None),
        "cross_entropy": lambda: cross_entropy(a, v[0], v[1]),
    }
    return table[op]()


def evaluate(text, inputs, parameters):
    """The outputs of @model by name; `inputs` by name."""
    header = re.search(r'"func.func"\(\) <\{(.*?)sym_name = "model"', text)[1]
    arguments, results = (header.split("res_attrs") + [""])[:2]
    names = [re.findall(r'nn\.name = "([^"]*)"', part) for part in (arguments, results)]
    values = {f"%arg{i}": inputs[name] for i, name in enumerate(names[0])}
    for line in text.splitlines():
        match = OP.match(line)
        if not match:
            continue
        result, _, op, operands, attributes, _, types = match.groups()
        operands = [values[o.strip()] for o in operands.split(",") if o.strip()]
        if op == "func.return":
            return dict(zip(names[1], operands))
        op = op[3:]
        if op == "parameter":
            continue
        types = [parse_type(found) for found in re.findall(r"tensor<[^>]*>", types)]
        shape, element = types[0]
        if op == "split":
            ends = np.cumsum([size[parse_attributes(attributes)["axis"]] for size, _ in types])
            parts = np.split(operands[0], ends[:-1], parse_attributes(attributes)["axis"])
            values.update({f"{result}#{i}": part for i, part in enumerate(parts)})
            continue
        if op == "get":
            value = parameters[re.search(r'@(?:"([^"]*)"|([\w.$-]+))', attributes).group(0)[1:].strip('"')]
        elif op == "constant":
            dense = re.search(r"value = dense<(.*)> : tensor", attributes)[1]
            value = parse_dense(dense, shape, element)
        else:
            wide = [o.astype(np.float64) if o.dtype.kind == "f" else o for o in operands]
            with np.errstate(all="ignore"):
                value = evaluate_op(op, parse_attributes(attributes or ""), wide, shape, element)
                value = np.asarray(value).astype(DTYPES[element])
        assert list(value.shape) == shape, f"{op}: {value.shape} is not {shape}"
        values[result] = values[f"{result}#0"] = value
    raise ValueError("no return")
