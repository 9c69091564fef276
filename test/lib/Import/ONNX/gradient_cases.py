# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The nodes whose gradients gradients.py holds against central differences."""
import dataclasses
import typing

import numpy as np
from onnx import TensorProto, helper

NEWEST = 28


@dataclasses.dataclass
class Case:
    name: str
    op: str
    #: From a generator to the inputs by name: floats are differentiated, other types are constants, None is left out.
    inputs: typing.Callable
    attributes: dict = dataclasses.field(default_factory=dict)
    #: Numbers of the outputs that are summed.
    outputs: tuple = (0,)
    #: Floating inputs that stay as they are.
    fixed: tuple = ()
    domain: str = ""
    opset: int = NEWEST

    @property
    def rounds_once(self):
        """Whether there is no rounding but the last: that of each contraction, and each step of a loop, stays."""
        return self.op not in ("Attention", "FlexAttention", "CausalConvWithState", "Loop", "Scan", "LSTM", "GRU", "RNN", "DFT", "STFT")


CASES = []


def case(name, op, inputs, outputs=(0,), fixed=(), domain="", **attributes):
    CASES.append(Case(name, op, inputs, attributes, outputs, fixed, domain))


def normal(**shapes):
    """Inputs of these shapes; an array stays as it is."""

    def draw(rng):
        return {
            name: rng.standard_normal(shape) if isinstance(shape, tuple) else shape for name, shape in shapes.items()
        }

    return draw


def ints(*values):
    return np.array(values, np.int64)


# Single positions
ROWS = ints([2, 0, 1], [0, 0, 2])
case("gather_elements", "GatherElements", normal(x=(4, 3), i=ROWS))
case("gather_elements columns", "GatherElements", normal(x=(2, 5), i=ints([4, 0], [-1, 4])), axis=1)
case("gather_nd", "GatherND", normal(x=(3, 4, 2), i=ints([2, 1], [0, 3], [2, 1])))
case("gather_nd batch", "GatherND", normal(x=(2, 4, 3), i=ints([[1], [1]], [[0], [3]])), batch_dims=1)
case("scatter_elements", "ScatterElements", normal(x=(4, 3), i=ints([2, 0, 1], [0, 1, 2]), u=(2, 3)))
case("scatter_nd", "ScatterND", normal(x=(4, 3), i=ints([2], [0]), u=(2, 3)))
for REDUCTION in ("add", "mul", "max", "min"):
    case(
        f"scatter_elements {REDUCTION}", "ScatterElements", normal(x=(4, 3), i=ROWS, u=(2, 3)), reduction=REDUCTION
    )
    case(
        f"scatter_nd {REDUCTION}", "ScatterND", normal(x=(4, 3), i=ints([2], [0], [2]), u=(3, 3)), reduction=REDUCTION
    )

# Scans, remainders
case("cumsum", "CumSum", normal(x=(3, 5), axis=np.array(1)))
case("cumsum exclusive reverse", "CumSum", normal(x=(3, 5), axis=np.array(0)), exclusive=1, reverse=1)
case("cumprod", "CumProd", normal(x=(3, 5), axis=np.array(1)))
case("cumprod exclusive", "CumProd", normal(x=(6,), axis=np.array(0)), exclusive=1)
case("mod", "Mod", normal(x=(3, 5), y=(3, 5)), fmod=1)

# Contractions
for EQUATION, LEFT, RIGHT in (
    ("ij,jk->ik", (3, 4), (4, 2)),
    ("bij,bkj->bik", (2, 3, 4), (2, 5, 4)),
    ("ij,ij->", (3, 4), (3, 4)),
    ("i,j->ij", (3,), (4,)),
    ("bhqd,bhkd->bhqk", (2, 2, 3, 4), (2, 2, 5, 4)),
):
    case(f"einsum {EQUATION}", "Einsum", normal(x=LEFT, y=RIGHT), equation=EQUATION)
case("einsum diagonal", "Einsum", normal(x=(3, 3)), equation="ii->i")
case("einsum ellipsis", "Einsum", normal(x=(2, 3, 4)), equation="...ij->...ji")
case(
    "convtranspose output_shape", "ConvTranspose", normal(x=(1, 2, 3, 3), w=(2, 2, 3, 3)), strides=[3, 2],
    output_shape=[10, 8],
)  # fmt: skip

# Attention
HEADS = {"q": (2, 4, 3, 6), "k": (2, 4, 5, 6), "v": (2, 4, 5, 4)}
SHARED = {"q": (2, 4, 3, 6), "k": (2, 2, 5, 6), "v": (2, 2, 5, 4)}
case("attention", "Attention", normal(**HEADS))
case("attention shared heads", "Attention", normal(**SHARED), is_causal=1)
case("attention mask", "Attention", normal(**HEADS, mask=(3, 5)))
case("attention bool mask", "Attention", normal(**HEADS, mask=np.array([[1, 0, 1, 0, 1], [0] * 5, [1] * 5], bool)))
case("attention cache", "Attention", normal(**HEADS, mask=None, pk=(2, 4, 2, 6), pv=(2, 4, 2, 4)), outputs=(0, 1, 2))
case("attention softcap window", "Attention", normal(**HEADS), softcap=2.0, left_window_size=2, right_window_size=1)
case("attention flat", "Attention", normal(q=(2, 3, 8), k=(2, 5, 4), v=(2, 5, 6)), q_num_heads=4, kv_num_heads=2)
case("swiglu", "SwiGLU", normal(x=(3, 4), y=(3, 4)), alpha=1.5)


def graph_of(*steps):
    """A graph of elementwise nodes of one input, for FlexAttention."""
    infos = [helper.make_tensor_value_info(name, TensorProto.DOUBLE, [2, 4, 3, 5]) for name in ("s", "r")]
    names = ["s"] + [f"s{i}" for i in range(1, len(steps))] + ["r"]
    nodes = [helper.make_node(op, [a], [b]) for op, a, b in zip(steps, names, names[1:])]
    return helper.make_graph(nodes, "mod", infos[:1], infos[1:])


case(
    "flexattention", "FlexAttention", normal(**SHARED), domain="ai.onnx.preview",
    score_mod=graph_of("Tanh", "Neg"), prob_mod=graph_of("Sin"),
)  # fmt: skip

# Sequences
TABLES = {"x": (2, 3, 4, 6), "cos": (2, 4, 3), "sin": (2, 4, 3)}
case("rotary", "RotaryEmbedding", normal(**TABLES))
case("rotary interleaved", "RotaryEmbedding", normal(**TABLES), interleaved=1)
case(
    "rotary positions", "RotaryEmbedding",
    normal(x=(2, 4, 18), cos=(9, 2), sin=(9, 2), i=ints([0, 1, 2, 3], [8, 2, 2, 0])), num_heads=3,
    rotary_embedding_dim=4,
)  # fmt: skip
QKV = {"q": (2, 3, 8), "k": (2, 3, 4), "v": (2, 3, 6)}
GROUPS = {"q_num_heads": 4, "kv_num_heads": 2}
case("linear_attention", "LinearAttention", normal(**QKV), outputs=(0, 1), update_rule="linear", **GROUPS)
case(
    "linear_attention gated", "LinearAttention", normal(**QKV, s=(2, 2, 2, 3), g=(2, 3, 4)), outputs=(0, 1),
    update_rule="gated", **GROUPS,
)  # fmt: skip
case(
    "linear_attention delta", "LinearAttention", normal(**QKV, s=None, g=None, b=(2, 3, 1)), update_rule="delta",
    **GROUPS,
)  # fmt: skip
case(
    "linear_attention gated_delta", "LinearAttention", normal(**QKV, s=(2, 2, 2, 3), g=(2, 3, 2), b=(2, 3, 2)),
    outputs=(0, 1), **GROUPS,
)  # fmt: skip
case(
    "causal_conv", "CausalConvWithState", normal(x=(2, 3, 5), w=(3, 1, 4), b=(3,), s=(2, 3, 3)), outputs=(0, 1),
    activation="silu",
)  # fmt: skip
case("tensor_scatter", "TensorScatter", normal(c=(2, 2, 5, 3), u=(2, 2, 2, 3), i=ints(1, 3)))
case(
    "tensor_scatter circular", "TensorScatter", normal(c=(2, 5, 3), u=(2, 2, 3), i=ints(4, 0)), mode="circular", axis=1
)
case("reverse_sequence", "ReverseSequence", normal(x=(4, 3, 2), n=ints(1, 4, 2)))
case("topk", "TopK", normal(x=(3, 7), k=ints(4)))
case("topk of blocks", "TopK", normal(x=(3, 40), k=ints(2)))
case("topk smallest", "TopK", normal(x=(5, 3), k=ints(2)), axis=0, largest=0)

# Windows and places
case("maxpool", "MaxPool", normal(x=(1, 2, 6, 6)), kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
case("averagepool", "AveragePool", normal(x=(1, 2, 6, 6)), kernel_shape=[3, 3], pads=[1, 0, 0, 1])
case("lppool", "LpPool", normal(x=(1, 2, 6, 6)), kernel_shape=[2, 2], p=2, pads=[1, 0, 0, 1])
case("lppool cubes", "LpPool", normal(x=(1, 2, 7)), kernel_shape=[3], p=3, strides=[2])
case("col2im", "Col2Im", normal(x=(2, 12, 4), image=ints(5, 4), block=ints(3, 2)), pads=[1, 0, 0, 1], strides=[2, 2])
case("lrn", "LRN", normal(x=(2, 5, 2, 2)), size=3, alpha=0.5, bias=1.5, beta=0.6)
case("lrn even", "LRN", normal(x=(2, 5, 4)), size=4, alpha=0.5)
case("mvn", "MeanVarianceNormalization", normal(x=(2, 3, 4, 2)))
case("center_crop_pad", "CenterCropPad", normal(x=(5, 4), s=ints(2, 7)))
case("det", "Det", normal(x=(2, 4, 4)))
for MODE in ("nearest", "linear", "cubic"):
    case(f"resize {MODE}", "Resize", normal(x=(1, 2, 4, 5), roi=None, s=None, n=ints(1, 2, 7, 3)), mode=MODE)
for MODE in ("linear", "cubic"):
    case(
        f"resize {MODE} antialias", "Resize", normal(x=(1, 2, 8, 9), roi=None, s=None, n=ints(1, 2, 5, 3)),
        mode=MODE, antialias=1,
    )  # fmt: skip
case(
    "resize crop", "Resize",
    normal(x=(1, 2, 8, 9), roi=np.array([0.2, -0.2, 0.7, 0.9], np.float32), s=None, n=ints(5, 6)),
    mode="linear", axes=[2, 3], coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=3.0,
)  # fmt: skip
for MODE in ("nearest", "linear", "cubic"):
    for PADDING in ("zeros", "border", "reflection"):
        case(
            f"grid_sample {MODE} {PADDING}", "GridSample", normal(x=(2, 3, 4, 5), g=(2, 3, 2, 2)),
            mode=MODE, padding_mode=PADDING, align_corners=int(PADDING == "border"),
        )  # fmt: skip
case("grid_sample volumes", "GridSample", normal(x=(1, 2, 3, 4, 5), g=(1, 2, 2, 2, 3)))
case(
    "deform_conv", "DeformConv",
    normal(x=(2, 4, 4, 5), w=(2, 2, 2, 3), o=(2, 24, 3, 3), b=(2,), m=(2, 12, 3, 3)), group=2, offset_group=2,
)  # fmt: skip
case("deform_conv volumes", "DeformConv", normal(x=(1, 1, 3, 4, 3), w=(1, 1, 2, 1, 2), o=(1, 12, 2, 4, 2)))
case("affine_grid", "AffineGrid", normal(theta=(2, 2, 3), n=ints(2, 1, 3, 4)))
case("affine_grid volumes", "AffineGrid", normal(theta=(2, 3, 4), n=ints(2, 1, 3, 4, 2)), align_corners=1)


def branch(op):
    """`op` of the state of a loop."""
    result = helper.make_tensor_value_info("r", TensorProto.DOUBLE, [3])
    return helper.make_graph([helper.make_node(op, ["v"], ["r"])], op, [], [result])


def loop_body(*more):
    """A step of a loop: the sine of the state, or what `more` makes of it; yields the exponential of that."""
    kinds = {"step": TensorProto.INT64, "go": TensorProto.BOOL}
    inputs = [helper.make_tensor_value_info(name, kind, []) for name, kind in kinds.items()]
    inputs.append(helper.make_tensor_value_info("v", TensorProto.DOUBLE, [3]))
    nodes = [helper.make_node("Identity", ["go"], ["on"]), *(more or [helper.make_node("Sin", ["v"], ["w"])])]
    nodes.append(helper.make_node("Exp", ["w"], ["e"]))
    outputs = [helper.make_tensor_value_info("on", TensorProto.BOOL, [])]
    outputs += [helper.make_tensor_value_info(name, TensorProto.DOUBLE, [3]) for name in "we"]
    return helper.make_graph(nodes, "body", inputs, outputs)


case("loop", "Loop", normal(m=np.array(3), go=None, v=(3,)), outputs=(0, 1), body=loop_body())
# The sine goes on or the hyperbolic tangent, by the sign of a sum that no compiler knows.
CHOICE = (
    helper.make_node("ReduceSum", ["v"], ["sum"], keepdims=0),
    helper.make_node("Sub", ["sum", "sum"], ["zero"]),
    helper.make_node("Greater", ["sum", "zero"], ["positive"]),
    helper.make_node("If", ["positive"], ["w"], then_branch=branch("Sin"), else_branch=branch("Tanh")),
)
case("choice", "Loop", normal(m=np.array(3), go=None, v=(3,)), outputs=(0, 1), body=loop_body(*CHOICE))

# Steps along an axis; many of them are a loop
def scan_body():
    """What goes on is tanh(s x), and a step gives its product with x."""
    nodes = [
        helper.make_node("Mul", ["s", "e"], ["p"]),
        helper.make_node("Tanh", ["p"], ["t"]),
        helper.make_node("Mul", ["t", "e"], ["y"]),
    ]
    given = [helper.make_tensor_value_info(name, TensorProto.DOUBLE, [3]) for name in ("s", "e")]
    made = [helper.make_tensor_value_info(name, TensorProto.DOUBLE, [3]) for name in ("t", "y")]
    return helper.make_graph(nodes, "step", given, made)


for count in (4, 10):
    case(f"scan of {count}", "Scan", normal(s=(3,), x=(count, 3)), outputs=(0, 1), num_scan_inputs=1, body=scan_body())
    axes = {"scan_input_axes": [1], "scan_input_directions": [1], "scan_output_axes": [-1], "scan_output_directions": [1]}
    case(f"scan back of {count}", "Scan", normal(s=(3,), x=(3, count)), outputs=(0, 1), num_scan_inputs=1, body=scan_body(), **axes)
    halfway = {"scan_input_directions": [1], "scan_output_axes": [1]}
    case(f"scan across of {count}", "Scan", normal(s=(3,), x=(count, 3)), outputs=(0, 1), num_scan_inputs=1, body=scan_body(), **halfway)

# Samples that end before others; of many steps they are a loop
for op, gates in {"LSTM": 4, "GRU": 3, "RNN": 1}.items():
    results = (0, 1, 2) if op == "LSTM" else (0, 1)
    for steps in (3, 10):
        layer = {"x": (steps, 3, 2), "w": (2, 2 * gates, 2), "r": (2, 2 * gates, 2), "b": (2, 4 * gates)}
        ends = {"n": np.array([steps, 0, steps - 1], np.int32), "h": (2, 3, 2)}
        ends |= {"c": (2, 3, 2), "p": (2, 6)} if op == "LSTM" else {}
        draw = normal(**layer, **ends)
        case(f"{op} of lengths, {steps} steps", op, draw, outputs=results, hidden_size=2, direction="bidirectional")

# Fourier transforms
case("dft", "DFT", normal(x=(2, 5, 2), n=None, axis=np.array(1)))
case("dft cut, inverse", "DFT", normal(x=(2, 6, 3, 2), n=np.array(4), axis=np.array(-3)), inverse=1)
case("dft to half", "DFT", normal(x=(2, 6, 1)), onesided=1)
case("dft from half", "DFT", normal(x=(3, 4, 2), n=np.array(7)), onesided=1, inverse=1)
case("stft", "STFT", normal(x=(2, 9, 1), step=np.array(2), window=(4,)))
