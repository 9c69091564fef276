# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exported programs with a case for each row of the importer, and PyTorch's losses and gradients.

    PYTHONPATH=build/python python programs.py FOLDER        (a Python with torch, numpy and safetensors)

writes FOLDER/<family>.pt2, as torch.export.save does, and FOLDER/<family>.safetensors, which holds the
inputs, the loss and the gradients that PyTorch computes in float64. A case is a call of one op; what it
reads are parameters, so that each operand has a gradient of its own. Paths of the machine that exports
are taken out of the programs, and the sample inputs, which nobody reads. With --bf16 there is of each family a
<family>-bf16 too, whose parameters are rounded to bfloat16, with the gradients of float64 at the rounded values.
"""
import argparse
import io
import pathlib
import re
import warnings
import zipfile

import numpy as np
import torch
from safetensors.numpy import save_file
from safetensors.torch import save_file as save_tensors
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

from program_cases import CASES, case, ints, mask, t
from program_complex import complex_numbers
from program_derivatives import derivatives, export
from program_functions import quantization, special
from program_matrices import matrices
from program_places import places

A = torch.ops.aten


@torch.library.custom_op("transformers::grouped_mm_fallback", mutates_args=(), schema="(Tensor input, Tensor weight, Tensor offs) -> Tensor")
def experts_of(input, weight, offs):
    """The op of transformers by its name and schema, which programs that call it hold."""
    result = input.new_zeros(input.shape[0], weight.shape[2])
    start = 0
    for matrix, end in zip(weight, offs.tolist()):
        result[start:end] = input[start:end] @ matrix
        start = end
    return result


@experts_of.register_fake
def _(input, weight, offs):
    return input.new_empty(input.shape[0], weight.shape[2])


def experts_gradient(context, gradient):
    rows, matrices, ends = context.saved_tensors
    found = torch.zeros_like(rows), torch.zeros_like(matrices)
    start = 0
    for group, end in enumerate(ends.tolist()):
        found[0][start:end] = gradient[start:end] @ matrices[group].T
        found[1][group] = rows[start:end].T @ gradient[start:end]
        start = end
    return *found, None


experts_of.register_autograd(experts_gradient, setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs))

# Ops and families that PyTorch has not in bfloat16 on a CPU, and what reads elements that a rounding decides.
WITHOUT_BF16 = ("avg_pool3d", "grid_sampler", "erfinv near 1", "matrices", "complex_numbers", "derivatives")


def elementwise():
    f = "elementwise"
    for op in ("abs sigmoid tanh sin cos exp expm1 erf neg relu silu mish hardswish hardsigmoid gelu softplus"
               " log_sigmoid atan asinh sinh cosh selu elu relu6 square clone contiguous").split():
        case(f, op, getattr(A, op).default, t(3, 4))
    for op in "floor ceil round sign".split():
        case(f, op, lambda x, g=getattr(A, op).default: g(x) * x, t(3, 4))
    for op in "sqrt rsqrt log log1p reciprocal".split():
        case(f, op, getattr(A, op).default, t(3, 4, low=0.3, high=3.0))
    for op in "asin acos atanh tan".split():
        case(f, op, getattr(A, op).default, t(3, 4, low=-0.9, high=0.9))
    case(f, "acosh", A.acosh.default, t(3, 4, low=1.2, high=4.0))
    case(f, "gelu", lambda x: A.gelu.default(x, approximate="tanh"), t(3, 4))
    case(f, "elu", lambda x: A.elu.default(x, 0.7, 1.3, 0.9), t(3, 4))
    case(f, "softplus", lambda x: A.softplus.default(x, 2.0), t(3, 4))
    case(f, "leaky_relu", lambda x: A.leaky_relu.default(x, 0.2), t(3, 4))
    case(f, "leaky_relu", A.leaky_relu.default, t(3, 4))
    case(f, "hardtanh", A.hardtanh.default, t(3, 4))
    case(f, "hardtanh", lambda x: A.hardtanh.default(x, -0.5, 1.1), t(3, 4))
    case(f, "prelu", A.prelu.default, t(2, 3, 4), t(3))
    case(f, "prelu", A.prelu.default, t(5), t(1))
    case(f, "detach", lambda x: A.detach.default(x) * x, t(3))
    case(f, "relu_", lambda x: A.relu_.default(x * 2), t(3, 4))
    case(f, "add_", lambda x, y: A.add_.Tensor(x * 2, y), t(3, 4), t(4))
    for op in "add sub mul div maximum minimum max min".split():
        overload = {"maximum": "default", "minimum": "default", "max": "other", "min": "other"}.get(op, "Tensor")
        call = getattr(getattr(A, op), overload)
        case(f, op, call, t(2, 3, 4), t(3, 1, low=0.5))
        case(f, op, call, t(4), t(3, 4, low=0.5))
    for op in "add sub mul div".split():
        case(f, op, lambda x, g=getattr(A, op).Scalar: g(x, 1.5), t(3, 4))
    for op in "multiply subtract divide true_divide".split():
        case(f, op, getattr(A, op).Tensor, t(3, 4), t(4, low=0.5))
    case(f, "multiply_", lambda x, y: A.multiply_.Tensor(x * 2, y), t(3, 4), t(4))
    case(f, "negative", A.negative.default, t(3, 4))
    case(f, "add", lambda x, y: A.add.Tensor(x, y, alpha=0.5), t(3), t(3))
    case(f, "sub", lambda x, y: A.sub.Tensor(x, y, alpha=2), t(3), t(3))
    case(f, "rsub", lambda x: A.rsub.Scalar(x, 2.0, 0.5), t(3))
    case(f, "rsub", lambda x, y: A.rsub.Tensor(x, y), t(3), t(3))
    for mode in (None, "floor", "trunc"):
        case(f, "div", lambda x, y, m=mode: A.div.Tensor_mode(x, y, rounding_mode=m) * x, t(3, 4), t(3, 4, low=0.5))
        case(f, "div", lambda x, m=mode: A.div.Scalar_mode(x, 0.7, rounding_mode=m) * x, t(3, 4))
    case(f, "floor_divide", lambda x, i: A.floor_divide.default(i, ints([2, -3, 2, -3])) * x, t(4), ints([5, 5, -5, -5]))
    case(f, "floor_divide", lambda x, i: A.floor_divide.Scalar(i, 2) * x, t(4), ints([5, 4, -5, -4]))
    case(f, "remainder", lambda x: A.remainder.Scalar(x, 0.7), t(3, 4))
    case(f, "remainder", lambda x, y: A.remainder.Tensor(x, y.detach()), t(3, 4), t(4, low=0.6))
    for exponent in (2, 3, 0.5, -1.5, 2.5):
        case(f, "pow", lambda x, p=exponent: A.pow.Tensor_Scalar(x, p), t(3, 4, low=0.3))
    case(f, "pow", A.pow.Tensor_Tensor, t(3, 4, low=0.3), t(4))
    case(f, "pow", lambda x: A.pow.Scalar(1.7, x), t(3))
    case(f, "atan2", A.atan2.default, t(3, 4), t(3, 4))
    for op in "eq ne lt le gt ge".split():
        case(f, op, lambda x, y, g=getattr(A, op).Tensor: A.where.self(g(x, y), x, y), t(3, 4), t(4))
        case(f, op, lambda x, g=getattr(A, op).Scalar: A.where.self(g(x, 0.0), x, x * 3), t(3, 4))
        case(f, op, lambda x, i, g=getattr(A, op).Scalar: A.where.self(g(i, 1.5), x, x * 3), t(4), ints([0, 1, 2, 3]))
    case(f, "where", lambda x, c: A.where.ScalarOther(c, x, 0.5), t(3, 4), mask(4))
    case(f, "where", lambda x, c: A.where.ScalarSelf(c, 0.5, x), t(3, 4), mask(4))
    case(f, "where", lambda x, c: A.where.Scalar(c, 0.5, 1.5) * x, t(3, 4), mask(4))
    for op in "logical_and logical_or logical_xor".split():
        case(f, op, lambda x, a, b, g=getattr(A, op).default: A.where.self(g(a, b), x, -x), t(6), mask(6), mask(6))
    for op in "bitwise_and bitwise_or bitwise_xor __and__ __or__ __xor__".split():
        g = getattr(A, op).Tensor
        case(f, op, lambda x, a, b, g=g: A.where.self(g(a, b), x, -x), t(6), mask(6), mask(6))
        case(f, op, lambda x, a, b, g=g: g(a, b) * x, t(3), ints([5, 6, 7]), ints([3, 12, 5]))
    case(f, "logical_not", lambda x, a: A.where.self(A.logical_not.default(a), x, -x), t(6), mask(6))
    case(f, "bitwise_not", lambda x, a: A.where.self(A.bitwise_not.default(a), x, -x), t(6), mask(6))
    case(f, "bitwise_not", lambda x, a: A.bitwise_not.default(a) * x, t(3), ints([5, 6, 7]))
    case(f, "isnan", lambda x: A.where.self(A.isnan.default(x), -x, x), t(3))
    case(f, "masked_fill", lambda x, c: A.masked_fill.Scalar(x, c, 0.3), t(3, 4), mask(3, 4))
    case(f, "masked_fill", lambda x, c, v: A.masked_fill.Tensor(x, c, v), t(3, 4), mask(4), t())
    for op, arguments in (("clamp", (-1.1, 0.9)), ("clamp", (-1.1, None)), ("clip", (None, 0.9)),
                          ("clamp_min", (-0.4,)), ("clamp_max", (0.4,))):
        case(f, op, lambda x, g=getattr(A, op).default, a=arguments: g(x, *a), t(3, 4))
    case(f, "clamp", A.clamp.Tensor, t(3, 4), t(4, low=-2, high=-1), t(4, low=1, high=2))
    case(f, "lerp", A.lerp.Tensor, t(3), t(3), t(3))
    case(f, "lerp", lambda x, y: A.lerp.Scalar(x, y, 0.3), t(3), t(3))
    case(f, "addcmul", lambda x, y, z: A.addcmul.default(x, y, z, value=0.5), t(3), t(3), t(3))
    case(f, "addcdiv", lambda x, y, z: A.addcdiv.default(x, y, z, value=0.5), t(3), t(3), t(3, low=0.5))
    case(f, "_to_copy", lambda x: A._to_copy.default(x, dtype=torch.float64).to(torch.float32), t(3))
    case(f, "to", lambda x: A.to.dtype(x, torch.float64).sin().to(torch.float32), t(3))
    case(f, "type_as", lambda x, y: A.type_as.default(x, y) * y, t(3), t(3))
    case(f, "to", lambda x, y: A.to.other(x, y) * y, t(3), t(3))
    case(f, "to", lambda x: A.to.device(x, torch.device("cpu"), torch.float32) * 2, t(3))
    case(f, "to", lambda x: A.to.dtype_layout(x, dtype=torch.float64).sin().to(torch.float32), t(3))
    for op in "erfc exp2 sinc celu".split():
        case(f, op, getattr(A, op).default, t(3, 4))
    case(f, "celu", lambda x: A.celu.default(x, 0.7), t(3, 4))
    for op in "log2 log10".split():
        case(f, op, getattr(A, op).default, t(3, 4, low=0.3, high=3.0))
    case(f, "trunc", lambda x: A.trunc.default(x) * x, t(3, 4))
    for op in "isinf isfinite".split():
        case(f, op, lambda x, g=getattr(A, op).default: A.where.self(g(x / x.round()), x, x * 3), t(3, 4))
    case(f, "glu", A.glu.default, t(3, 4))
    case(f, "glu", lambda x: A.glu.default(x, 0), t(4, 3))
    case(f, "threshold", lambda x: A.threshold.default(x, 0.1, -0.7), t(3, 4))
    for op in "hardshrink softshrink".split():
        case(f, op, lambda x, g=getattr(A, op).default: g(x, 0.8), t(3, 4))
    case(f, "logit", A.logit.default, t(3, 4, low=0.1, high=0.9))
    case(f, "logit", lambda x: A.logit.default(x, 0.2), t(3, 4, low=0.1, high=0.9))
    case(f, "nan_to_num", lambda x: A.nan_to_num.default(x / x.round(), 0.5, 2.0, -3.0), t(3, 4))
    case(f, "nan_to_num", lambda x: A.nan_to_num.default(x / x.round(), 0.5, None, None).clamp(-9, 9), t(3, 4))
    case(f, "logaddexp", A.logaddexp.default, t(3, 4), t(4))
    case(f, "xlogy", A.xlogy.Tensor, t(3, 4), t(4, low=0.5, high=3.0))
    case(f, "fmod", lambda x: A.fmod.Scalar(x, 0.7), t(3, 4))
    case(f, "fmod", lambda x, y: A.fmod.Tensor(x, y.detach()), t(3, 4), t(4, low=0.6))
    for op in "bitwise_and bitwise_or bitwise_xor".split():
        case(f, op, lambda x, i, g=getattr(A, op).Scalar: g(i, 6) * x, t(3), ints([5, 6, 7]))
    case(f, "lift_fresh_copy", lambda x: A.lift_fresh_copy.default(x), t(3))


def rearrangement():
    f = "rearrangement"
    case(f, "movedim", lambda x: A.movedim.int(x, 0, -1), t(2, 3, 4))
    case(f, "movedim", lambda x: A.movedim.intlist(x, [0, 2], [1, 0]), t(2, 3, 4, 2))
    case(f, "swapaxes", lambda x: A.swapaxes.default(x, 0, -1), t(2, 3, 4))
    case(f, "swapdims", lambda x: A.swapdims.default(x, 1, 0), t(2, 3, 4))
    case(f, "tile", lambda x: A.tile.default(x, [2]), t(3, 4))
    case(f, "tile", lambda x: A.tile.default(x, [2, 1, 3]), t(3, 4))
    case(f, "repeat_interleave", lambda x: A.repeat_interleave.self_int(x, 2), t(3, 4))
    case(f, "repeat_interleave", lambda x: A.repeat_interleave.self_int(x, 3, -2), t(2, 3, 4))
    for arguments in ((), (1,), (-2, 2, 0), (5,)):
        case(f, "diagonal", lambda x, a=arguments: A.diagonal.default(x, *a), t(3, 4, 2))
    for arguments in ((1, 2, 1), (-1, 3, 2), (0, 2, 3)):
        case(f, "unfold", lambda x, a=arguments: A.unfold.default(x, *a), t(3, 4, 7))
    case(f, "pixel_shuffle", lambda x: A.pixel_shuffle.default(x, 2), t(2, 8, 3, 2))
    case(f, "pixel_unshuffle", lambda x: A.pixel_unshuffle.default(x, 2), t(2, 2, 4, 6))
    case(f, "channel_shuffle", lambda x: A.channel_shuffle.default(x, 2), t(2, 6, 3))
    grid = lambda r: r[0] * r[1]
    case(f, "meshgrid", lambda x, y: grid(A.meshgrid.default([x, y])), t(3), t(4))
    for indexing in ("ij", "xy"):
        case(f, "meshgrid", lambda x, y, i=indexing: grid(A.meshgrid.indexing([x, y], indexing=i)), t(3), t(4))
    case(f, "eye", lambda x: A.eye.default(3) * x, t(3, 3))
    case(f, "eye", lambda x: A.eye.m(3, 4) * x, t(3, 4))
    case(f, "select_scatter", lambda x, y: A.select_scatter.default(x, y, 1, -2), t(3, 4), t(3))
    case(f, "empty", lambda x: A.fill.Scalar(A.empty.memory_format([3]), 2.5) * x, t(3))
    case(f, "new_empty", lambda x: A.fill.Scalar(A.new_empty.default(x, [3]), 2.5) * x, t(3))


def pads():
    f = "pads"
    for axes, shape in ((1, (2, 5)), (2, (2, 5, 4)), (3, (2, 4, 5, 4))):
        sizes = [1, 2, 3, 0, 1, 1][:2 * axes]
        for op in ("reflection_pad", "replication_pad"):
            case(f, op, lambda x, g=getattr(A, f"{op}{axes}d").default, s=sizes: g(x, s), t(*shape))
    for mode in ("reflect", "replicate", "circular"):
        case(f, "pad", lambda x, m=mode: A.pad.default(x, [1, 2, 0, 3], m), t(1, 2, 5, 4))


def sorting():
    f = "sorting"
    both = lambda r: r[0] * (r[1] + 1)
    case(f, "topk", lambda x: both(A.topk.default(x, 2)), t(3, 5))
    case(f, "topk", lambda x: both(A.topk.default(x, 3, 0, False)), t(4, 3))
    case(f, "sort", lambda x: both(A.sort.default(x)), t(3, 5))
    case(f, "sort", lambda x: both(A.sort.stable(x, stable=True, dim=0, descending=True)), t(4, 3))
    case(f, "argsort", lambda x: (A.argsort.default(x, -1, True) + 1) * x, t(3, 5))
    case(f, "argsort", lambda x: (A.argsort.stable(x, stable=True) + 1) * x, t(3, 5))


def writes():
    f = "writes"
    rows = lambda: ints([[3, 0, 1], [1, 2, 0]])
    case(f, "scatter", lambda x, y, i: A.scatter.src(x, 1, i, y), t(3, 4), t(2, 3), rows())
    case(f, "scatter", lambda x, i: A.scatter.value(x, 0, i, 0.5), t(4, 3), rows())
    case(f, "scatter_add", lambda x, y, i: A.scatter_add.default(x, 1, i, y), t(3, 4), t(2, 3), ints([[3, 0, 3], [1, 1, -2]]).abs())
    for word in ("sum", "prod", "mean", "amax", "amin"):
        case(f, "scatter_reduce", lambda x, y, i, w=word: A.scatter_reduce.two(x, 1, i, y, w), t(3, 4, low=0.5), t(2, 3, low=0.5), ints([[3, 0, 3], [1, 1, 2]]))
    case(f, "scatter_reduce", lambda x, y, i: A.scatter_reduce.two(x, 1, i, y, "mean", include_self=False), t(3, 4), t(2, 3), ints([[3, 0, 3], [1, 1, 2]]))
    case(f, "index_put", lambda x, y, i: A.index_put.default(x, [i], y), t(5, 3), t(2, 3), ints([4, -5]))
    case(f, "index_put", lambda x, y, i: A.index_put.default(x, [i], y, True), t(5, 3), t(3), ints([4, 0, 4]))
    case(f, "index_put", lambda x, y, i, j: A.index_put.default(x, [None, i, j], y), t(2, 3, 4, 2), t(2, 2, 1, 1), ints([[2], [0]]), ints([3]))
    case(f, "index_put", lambda x, c: A.index_put.default(x, [c], torch.tensor(0.5, dtype=x.dtype)), t(3, 4), mask(3, 4))
    case(f, "index_put_", lambda x, y, i: A.index_put_.default(x * 2, [i], y), t(5, 3), t(2, 3), ints([4, 0]))
    case(f, "index_add", lambda x, y, i: A.index_add.default(x, 1, i, y, alpha=0.5), t(2, 4), t(2, 3), ints([3, 0, 3]))
    case(f, "index_copy", lambda x, y, i: A.index_copy.default(x, 1, i, y), t(2, 4), t(2, 2), ints([3, 0]))
    case(f, "index_fill", lambda x, i: A.index_fill.int_Scalar(x, 0, i, 0.5), t(4, 2), ints([3, 0]))


def distances():
    f = "distances"
    signs = lambda *shape: torch.where(mask(*shape), 1.0, -1.0)
    case(f, "cosine_similarity", lambda x, y: A.cosine_similarity.default(x, y, -1), t(3, 4), t(4))
    for p in (1.0, 2.0):
        case(f, "pairwise_distance", lambda x, y, p=p: A.pairwise_distance.default(x, y, p, 1e-3, True), t(3, 4), t(3, 4))
    for join in (0, 1, 2):
        case(f, "cosine_embedding", lambda x, y, s, r=join: A.cosine_embedding_loss.default(x, y, s.detach(), 0.1, r), t(5, 4), t(5, 4), signs(5))
        case(f, "margin_ranking", lambda x, y, s, r=join: A.margin_ranking_loss.default(x, y, s.detach(), 0.3, r), t(5), t(5), signs(5))
        case(f, "hinge_embedding", lambda x, s, r=join: A.hinge_embedding_loss.default(x, s.detach(), 0.3, r), t(5), signs(5))
        case(f, "soft_margin", lambda x, s, r=join: A.soft_margin_loss.default(x, s.detach(), r), t(5), signs(5))
        case(f, "triplet", lambda a, p, n, r=join: A.triplet_margin_loss.default(a, p, n, 1.5, 2.0, 1e-3, bool(r), r), t(5, 4), t(5, 4), t(5, 4))
        case(f, "poisson", lambda x, y, r=join: A.poisson_nll_loss.default(x, y, True, False, 1e-8, r), t(5), t(5, low=0.5))
        case(f, "poisson", lambda x, y, r=join: A.poisson_nll_loss.default(x, y.detach(), False, True, 1e-3, r), t(5, low=0.3), t(5, low=0.3, high=4.0))


def through_a_slice(x, y):
    """Writes through views: a part, and a row of what other sizes show."""
    x = x * 2
    A.copy_.default(A.slice.Tensor(x, 1, 1, 3), y)
    A.fill_.Scalar(A.select.int(A.view.default(x, [2, 6]), 0, 1), 0.5)
    return x


def movement():
    f = "movement"
    case(f, "view", lambda x: A.view.default(x, [6, 2]), t(3, 4))
    case(f, "reshape_as", lambda x, y: A.reshape_as.default(x, y) * y, t(3, 4), t(6, 2))
    case(f, "view_as", lambda x, y: A.view_as.default(x, y) * y, t(3, 4), t(6, 2))
    case(f, "reshape", lambda x: A.reshape.default(x, [-1, 2]), t(3, 4))
    case(f, "_unsafe_view", lambda x: A._unsafe_view.default(x, [6, 2]), t(3, 4))
    case(f, "flatten", lambda x: A.flatten.using_ints(x, 1), t(2, 3, 4))
    case(f, "unflatten", lambda x: A.unflatten.int(x, 1, [3, 4]), t(2, 12))
    case(f, "unsqueeze", lambda x: A.unsqueeze.default(x, -1), t(3, 4))
    case(f, "squeeze", lambda x: A.squeeze.default(x), t(3, 1, 4))
    case(f, "squeeze", lambda x: A.squeeze.dim(x, 1), t(3, 1, 4))
    case(f, "squeeze", lambda x: A.squeeze.dims(x, [1, 2]), t(3, 1, 1, 4))
    case(f, "expand", lambda x: A.expand.default(x, [2, 3, 4]), t(3, 1))
    case(f, "expand_as", lambda x, y: A.expand_as.default(x, y) * y, t(3, 1), t(2, 3, 4))
    case(f, "permute", lambda x: A.permute.default(x, [2, 0, -2]), t(2, 3, 4))
    case(f, "transpose", lambda x: A.transpose.int(x, 0, -1), t(2, 3, 4))
    case(f, "t", A.t.default, t(3, 4))
    case(f, "numpy_T", A.numpy_T.default, t(3, 4))
    case(f, "mT", A.mT.default, t(2, 3, 4))
    case(f, "matrix_H", A.matrix_H.default, t(3, 4))
    case(f, "adjoint", A.adjoint.default, t(2, 3, 4))
    for arguments in ((1, 1, 3), (0, -2, 2**62), (1, 0, 4, 2), (-1, 3, 1)):
        case(f, "slice", lambda x, a=arguments: A.slice.Tensor(x, *a), t(3, 4))
    case(f, "narrow", lambda x: A.narrow.default(x, 1, 1, 2), t(3, 4))
    case(f, "select", lambda x: A.select.int(x, 1, -2), t(3, 4))
    case(f, "unbind", lambda x: A.unbind.int(x, 1)[2], t(2, 3, 4))
    case(f, "split", lambda x: A.split.Tensor(x, 2, 1)[2], t(2, 5))
    case(f, "split_with_sizes", lambda x: A.split_with_sizes.default(x, [1, 3, 1], -1)[1], t(2, 5))
    case(f, "chunk", lambda x: A.chunk.default(x, 2, 1)[1], t(2, 5))
    case(f, "alias", lambda x: A.alias.default(x) * 2, t(3))
    case(f, "broadcast_tensors", lambda x, y: (lambda r: r[0] * r[1])(A.broadcast_tensors.default([x, y])), t(3, 1), t(2, 1, 4))
    case(f, "zero_", lambda x: A.zero_.default(x * 2) + x, t(3))
    case(f, "copy_", through_a_slice, t(3, 4), t(3, 2))
    for op in ("cat", "concat"):
        case(f, op, lambda x, y, g=getattr(A, op).default: g([x, y], 1), t(2, 3), t(2, 1))
    case(f, "stack", lambda x, y: A.stack.default([x, y], -1), t(2, 3), t(2, 3))
    case(f, "flip", lambda x: A.flip.default(x, [0, -1]), t(2, 3, 4))
    case(f, "roll", lambda x: A.roll.default(x, [1, -1], [0, 1]), t(3, 4))
    case(f, "roll", lambda x: A.roll.default(x, [5]), t(3, 4))
    case(f, "repeat", lambda x: A.repeat.default(x, [2, 1, 3]), t(3, 4))
    case(f, "pad", lambda x: A.pad.default(x, [1, -1, 2, 0], "constant", 0.5), t(3, 4))
    case(f, "constant_pad_nd", lambda x: A.constant_pad_nd.default(x, [1, 2]), t(3, 4))
    for diagonal in (-1, 0, 1):
        case(f, "tril", lambda x, d=diagonal: A.tril.default(x, d), t(2, 3, 4))
        case(f, "triu", lambda x, d=diagonal: A.triu.default(x, d), t(2, 4, 3))
    case(f, "slice_scatter", lambda x, y: A.slice_scatter.default(x, y, 1, 1, 3), t(3, 4), t(3, 2))
    for op, arguments in (("zeros_like", ()), ("ones_like", ()), ("full_like", (1.5,))):
        case(f, op, lambda x, g=getattr(A, op).default, a=arguments: g(x, *a) + x, t(3))
    case(f, "empty_like", lambda x: A.fill.Scalar(A.empty_like.default(x), 2.5) * x, t(3))
    case(f, "fill", lambda x, v: A.fill.Tensor(x, v) * x, t(3), t())
    for op, arguments in (("new_zeros", ([3],)), ("new_ones", ([3],)), ("new_full", ([3], 1.5))):
        case(f, op, lambda x, g=getattr(A, op).default, a=arguments: g(x, *a) + x, t(3))
    for op, arguments in (("zeros", ([3],)), ("ones", ([3],)), ("full", ([3], 1.5)), ("scalar_tensor", (1.5,))):
        case(f, op, lambda x, g=getattr(A, op).default, a=arguments: g(*a) + x, t(3))
    case(f, "arange", lambda x: A.arange.default(4) * x, t(4))
    case(f, "arange", lambda x: A.arange.start(2, 6) * x, t(4))
    case(f, "arange", lambda x: A.arange.start_step(1, 9, 2) * x, t(4))


def products():
    f = "products"
    case(f, "linear", A.linear.default, t(2, 3, 4), t(5, 4), t(5))
    case(f, "linear", A.linear.default, t(4), t(5, 4))
    for shapes in (((3, 4), (4, 5)), ((2, 3, 4), (4, 5)), ((2, 1, 3, 4), (3, 4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,))):
        case(f, "matmul", A.matmul.default, *(t(*shape) for shape in shapes))
    case(f, "mm", A.mm.default, t(3, 4), t(4, 5))
    case(f, "bmm", A.bmm.default, t(2, 3, 4), t(2, 4, 5))
    case(f, "mv", A.mv.default, t(3, 4), t(4))
    case(f, "dot", A.dot.default, t(4), t(4))
    case(f, "outer", A.outer.default, t(3), t(4))
    case(f, "einsum", lambda x, y: A.einsum.default("b h i d, b h j d -> b h i j", [x, y]), t(2, 2, 3, 4), t(2, 2, 5, 4))
    case(f, "einsum", lambda x, y, z: A.einsum.default("ij,jk,kl->il", [x, y, z]), t(2, 3), t(3, 4), t(4, 2))
    case(f, "vdot", A.vdot.default, t(4), t(4))
    case(f, "addmm", lambda c, x, y: A.addmm.default(c, x, y, beta=0.5, alpha=2), t(5), t(3, 4), t(4, 5))
    case(f, "baddbmm", A.baddbmm.default, t(2, 3, 5), t(2, 3, 4), t(2, 4, 5))
    case(f, "conv1d", lambda x, w, b: A.conv1d.default(x, w, b, [2], [1], [2], 2), t(2, 4, 9), t(6, 2, 3), t(6))
    case(f, "conv1d", lambda x, w: A.conv1d.padding(x, w, None, [1], "same", [2]), t(2, 4, 9), t(3, 4, 4))
    case(f, "conv2d", lambda x, w, b: A.conv2d.default(x, w, b, [2, 1], [1, 0]), t(2, 3, 6, 5), t(4, 3, 3, 2), t(4))
    case(f, "conv2d", A.conv2d.default, t(3, 6, 5), t(4, 3, 3, 2))
    case(f, "conv2d", lambda x, w: A.conv2d.padding(x, w, None, [1, 1], "same"), t(2, 3, 6, 5), t(4, 3, 3, 2))
    case(f, "conv2d", lambda x, w: A.conv2d.padding(x, w, None, [2, 1], "valid"), t(2, 3, 6, 5), t(4, 3, 3, 2))
    case(f, "conv3d", A.conv3d.default, t(1, 2, 3, 4, 3), t(2, 2, 2, 2, 2))
    case(f, "convolution", lambda x, w, b: A.convolution.default(x, w, b, [1], [1], [1], False, [0], 1), t(2, 3, 7), t(4, 3, 3), t(4))
    case(f, "conv_transpose1d", lambda x, w, b: A.conv_transpose1d.default(x, w, b, [2], [1], [1], 2, [1]), t(2, 4, 5), t(4, 3, 3), t(6))
    case(f, "conv_transpose2d", lambda x, w: A.conv_transpose2d.input(x, w, None, [2, 1], [1, 0]), t(2, 4, 5, 3), t(4, 3, 3, 2))
    case(f, "conv_transpose3d", A.conv_transpose3d.input, t(1, 2, 2, 3, 2), t(2, 2, 2, 2, 2))
    attention = A.scaled_dot_product_attention.default
    heads = lambda count=2, steps=5: t(2, count, steps, 4)
    case(f, "attention", attention, heads(), heads(steps=3), heads(steps=3))
    case(f, "attention", lambda q, k, v: attention(q, k, v, is_causal=True, scale=0.3), heads(), heads(), heads())
    case(f, "attention", attention, heads(), heads(), heads(), t(5, 5))
    case(f, "attention", lambda q, k, v, m: attention(q, k, v, m), heads(), heads(), heads(), torch.ones(2, 1, 5, 5).tril() > 0)
    case(f, "attention", lambda q, k, v: attention(q, k, v, enable_gqa=True), heads(4), heads(), heads())
    case(f, "attention", attention, t(2, 5, 4), t(2, 5, 4), t(2, 5, 4))


def normalization():
    f = "normalization"
    for op in ("softmax", "log_softmax"):
        case(f, op, lambda x, g=getattr(A, op).int: g(x, 1), t(2, 3, 4))
    for op in ("_softmax", "_log_softmax"):
        case(f, op, lambda x, g=getattr(A, op).default: g(x, -1, False), t(2, 3))
    case(f, "layer_norm", lambda x, w, b: A.layer_norm.default(x, [3, 4], w, b), t(2, 3, 4), t(3, 4), t(3, 4))
    case(f, "layer_norm", lambda x: A.layer_norm.default(x, [4], None, None, 1e-3), t(2, 3, 4))
    case(f, "rms_norm", lambda x, w: A.rms_norm.default(x, [4], w), t(2, 3, 4), t(4))
    case(f, "rms_norm", lambda x: A.rms_norm.default(x, [3, 4], None, 1e-3), t(2, 3, 4))
    case(f, "group_norm", lambda x, w, b: A.group_norm.default(x, 2, w, b), t(2, 4, 3), t(4), t(4))
    case(f, "instance_norm", lambda x, w, b: A.instance_norm.default(x, w, b, None, None, True, 0.1, 1e-5, False), t(2, 4, 3), t(4), t(4))
    case(f, "batch_norm", lambda x, w, b, m, v: A.batch_norm.default(x, w, b, m.detach(), v.detach(), False, 0.1, 1e-5, False),
         t(3, 4, 5), t(4), t(4), t(4), t(4, low=0.5))
    case(f, "batch_norm", lambda x, w, b, m, v: A._native_batch_norm_legit_functional.default(x, w, b, m.detach(), v.detach(), False, 0.1, 1e-5)[0],
         t(3, 4, 5), t(4), t(4), t(4), t(4, low=0.5))
    case(f, "batch_norm", lambda x, w, b, m, v: A._native_batch_norm_legit_no_training.default(x, w, b, m.detach(), v.detach(), 0.1, 1e-5)[0],
         t(3, 4, 5), t(4), t(4), t(4), t(4, low=0.5))
    case(f, "layer_norm", lambda x, w, b: A.native_layer_norm.default(x, [4], w, b, 1e-5)[0], t(2, 3, 4), t(4), t(4))
    case(f, "group_norm", lambda x, w, b: A.native_group_norm.default(x, w, b, 2, 4, 3, 2, 1e-5)[0], t(2, 4, 3), t(4), t(4))


def reduction():
    f = "reduction"
    for op, overload in (("sum", "dim_IntList"), ("mean", "dim"), ("amax", "default"), ("amin", "default"), ("logsumexp", "default")):
        for keep in (False, True):
            case(f, op, lambda x, g=getattr(getattr(A, op), overload), k=keep: g(x, [0, -1], k), t(2, 3, 4))
    for op in "sum mean max min prod".split():
        case(f, op, getattr(A, op).default, t(3, 4))
    for op in "max min".split():
        case(f, op, lambda x, g=getattr(A, op).dim: (lambda r: r[0] * (r[1] + 1))(g(x, 1)), t(3, 4))
    for op in "argmax argmin".split():
        case(f, op, lambda x, g=getattr(A, op).default: (g(x, 1, True) + 1) * x, t(3, 4))
        case(f, op, lambda x, g=getattr(A, op).default: (g(x) + 1) * x, t(3, 4))
    for op in "argmax argmin".split():
        case(f, op, lambda x, i, g=getattr(A, op).default: (g(i, 1) + 1) * x, t(3), ints([[5, 2, 9], [1, 3, 0], [7, 8, 2]]))
    for op in "var std".split():
        case(f, op, getattr(A, op).default, t(3, 4))
        case(f, op, lambda x, g=getattr(A, op).dim: g(x, [1], False, True), t(3, 4))
        case(f, op, lambda x, g=getattr(A, op).correction: g(x, [1], correction=1), t(3, 4))
    for op in "var std".split():
        case(f, f"{op}_mean", lambda x, g=getattr(A, f"{op}_mean").correction: sum(g(x, [0, -1], correction=1)), t(3, 4, 2))
    case(f, "prod", lambda x: A.prod.dim_int(x, 1, True), t(3, 4))
    case(f, "count_nonzero", lambda x: A.count_nonzero.default(x.round()) * x, t(3, 4))
    case(f, "count_nonzero", lambda x: A.count_nonzero.dim_IntList(x.round(), [1]) * x[:, 0], t(3, 4))
    for op in "all any".split():
        case(f, op, lambda x, c, g=getattr(A, op).dims: A.where.self(g(c, [0, 2]), x, -x), t(3), mask(2, 3, 4))
    case(f, "norm", lambda x: A.linalg_vector_norm.default(x, 2, [1]), t(3, 4))
    case(f, "norm", lambda x: A.linalg_vector_norm.default(x, 1), t(3, 4))
    case(f, "norm", lambda x: A.linalg_vector_norm.default(x, float("inf"), [0]), t(3, 4))
    case(f, "norm", lambda x: A.norm.ScalarOpt_dim(x, 2, [1], True), t(3, 4))
    case(f, "cumsum", lambda x: A.cumsum.default(x, 1), t(3, 4))
    case(f, "cumprod", lambda x: A.cumprod.default(x, 0), t(3, 4))
    case(f, "diff", A.diff.default, t(3, 4))
    case(f, "diff", lambda x, a, b: A.diff.default(x, 2, 0, a, b), t(3, 4), t(2, 4), t(1, 4))
    case(f, "diff", lambda x, c: A.where.self(A.diff.default(c), x, -x), t(5), mask(6))
    for op in "all any".split():
        case(f, op, lambda x, c, g=getattr(A, op).default: A.where.self(g(c), x, -x), t(3), mask(3))
        case(f, op, lambda x, c, g=getattr(A, op).dim: A.where.self(g(c, 1), x, -x), t(3), mask(3, 4))


def indexing():
    f = "indexing"
    case(f, "embedding", A.embedding.default, t(5, 3), ints([[0, 4], [2, 2]]))
    case(f, "embedding", lambda w, i: A.embedding.default(w, i, 2), t(5, 3), ints([[0, 4], [2, 2]]))
    case(f, "index_select", lambda x, i: A.index_select.default(x, 1, i), t(3, 4), ints([3, 0, 3]))
    case(f, "gather", lambda x, i: A.gather.default(x, 1, i), t(3, 4), ints([[3, 0], [1, 1]]))
    case(f, "gather", lambda x, i: A.gather.default(x, 0, i), t(3, 4), ints([[2, 0, 1, 0]]))
    case(f, "index", lambda x, i: A.index.Tensor(x, [i]), t(3, 4), ints([2, 0, -1]))
    case(f, "index", lambda x, i, j: A.index.Tensor(x, [i, j]), t(3, 4, 2), ints([[2], [0]]), ints([3, -1]))
    case(f, "index", lambda x, i: A.index.Tensor(x, [None, i]), t(3, 4), ints([3, 1]))
    case(f, "one_hot", lambda x, i: A.one_hot.default(i, 4) * x, t(3, 4), ints([2, 0, 3]))


def losses():
    f = "losses"
    x, y, p = lambda: t(4, 3), lambda: t(4, 3), lambda: t(4, 3, low=0.1, high=0.9)
    for join in (0, 1, 2):
        for op, target in (("mse_loss", y), ("l1_loss", y), ("smooth_l1_loss", y), ("huber_loss", y), ("kl_div", p)):
            case(f, op, lambda a, b, g=getattr(A, op).default, r=join: g(a, b, r), x(), target())
        case(f, "bce", lambda a, b, w, r=join: A.binary_cross_entropy.default(a, b, w.detach(), r), p(), p(), t(3, low=0.5))
        case(f, "bce", lambda a, b, w, v, r=join: A.binary_cross_entropy_with_logits.default(a, b, w.detach(), v.detach(), r), x(), p(), t(3, low=0.5), t(3, low=0.5))
        case(f, "ce", lambda a, i, r=join: A.cross_entropy_loss.default(a, i, None, r), x(), ints([0, 2, 1, 2]))
        case(f, "ce", lambda a, i, w, r=join: A.cross_entropy_loss.default(a, i, w.detach(), r, 1, 0.2), x(), ints([0, 2, 1, 2]), t(3, low=0.5))
        case(f, "nll", lambda a, i, r=join: A.nll_loss_nd.default(a, i, None, r, -100), x(), ints([0, 2, -100, 2]))
    case(f, "kl_div", lambda a, b: A.kl_div.default(a, b, 1, log_target=True), x(), y())
    case(f, "smooth_l1_loss", lambda a, b: A.smooth_l1_loss.default(a, b, 1, 0.5), x(), y())
    case(f, "huber_loss", lambda a, b: A.huber_loss.default(a, b, 1, 0.5), x(), y())
    case(f, "ce", A.cross_entropy_loss.default, t(2, 3, 4), ints([[0, 1, 2, 0], [2, 2, 1, 0]]))
    case(f, "ce", A.cross_entropy_loss.default, x(), ints([0, -100, 1, 2]))
    case(f, "ce", lambda a, b: A.cross_entropy_loss.default(a, b, None, 1, -100, 0.1), x(), p())
    case(f, "ce", A.cross_entropy_loss.default, t(3), ints(1))
    case(f, "nll", lambda a, i: A.nll_loss.default(a, i), x(), ints([0, 2, 1, 2]))
    case(f, "nll", lambda a, i: A.nll_loss2d.default(a, i), t(2, 3, 2, 2), ints([[[0, 1], [2, 0]], [[2, 2], [1, 0]]]))


def windows():
    f = "windows"
    sizes = {1: (2, 3, 8), 2: (2, 3, 8, 7), 3: (1, 2, 5, 4, 6)}
    for axes, shape in sizes.items():
        for name, settings in (("max_pool", ([2] * axes,)), ("max_pool", ([3] * axes, [2] * axes, [1] * axes)),
                               ("max_pool", ([3] * axes, [2] * axes, [1] * axes, [1] * axes, True)),
                               ("avg_pool", ([2] * axes,)), ("avg_pool", ([3] * axes, [2] * axes, [1] * axes)),
                               ("avg_pool", ([3] * axes, [2] * axes, [1] * axes, False, False)),
                               ("adaptive_avg_pool", ([3] * axes,)), ("adaptive_avg_pool", ([1] * axes,))):
            op = getattr(A, f"{name}{axes}d").default
            case(f, f"{name}{axes}d", lambda x, g=op, s=settings: g(x, *s), t(*shape))
    case(f, "max_pool2d", lambda x: A.max_pool2d_with_indices.default(x, [2, 2])[0], t(1, 2, 4, 6))
    case(f, "max_pool3d", lambda x: A.max_pool3d_with_indices.default(x, [2, 2, 2])[0], t(1, 1, 4, 4, 2))
    case(f, "adaptive_avg_pool2d", lambda x: A._adaptive_avg_pool2d.default(x, [2, 3]), t(1, 2, 5, 4))
    case(f, "adaptive_avg_pool3d", lambda x: A._adaptive_avg_pool3d.default(x, [2, 3, 1]), t(1, 1, 5, 4, 3))
    case(f, "im2col", lambda x: A.im2col.default(x, [2, 3], [1, 2], [1, 0], [2, 1]), t(2, 2, 5, 6))
    case(f, "upsample", lambda x: A.upsample_nearest3d.vec(x, [4, 3, 5], None), t(1, 1, 2, 3, 4))
    for corners in (False, True):
        case(f, "upsample", lambda x, c=corners: A.upsample_trilinear3d.vec(x, [4, 3, 5], c, None), t(1, 1, 2, 3, 4))
        case(f, "upsample", lambda x, c=corners: A.upsample_bicubic2d.vec(x, [5, 8], c, None), t(1, 2, 3, 4))
        for mode in (0, 1, 2):
            case(f, "grid_sampler", lambda x, g, m=mode, c=corners: A.grid_sampler.default(x, g * 0.97, m, m, c), t(2, 2, 4, 5), t(2, 3, 2, 2, low=-1.1, high=1.1))
    case(f, "grid_sampler", lambda x, g: A.grid_sampler_2d.default(x, g * 0.97, 0, 0, False), t(2, 2, 4, 5), t(2, 3, 2, 2, low=-1.1, high=1.1))
    case(f, "upsample", lambda x: A.upsample_nearest2d.vec(x, None, [2.0, 2.0]), t(1, 2, 3, 4))
    case(f, "upsample", lambda x: A.upsample_nearest1d.vec(x, [7], None), t(1, 2, 4))
    for corners in (False, True):
        case(f, "upsample", lambda x, c=corners: A.upsample_bilinear2d.vec(x, [5, 8], c, None), t(1, 2, 3, 4))
        case(f, "upsample", lambda x, c=corners: A.upsample_linear1d.vec(x, None, c, [2.0]), t(1, 2, 4))


def pools():
    """Windows of one size, and of several."""
    for axes, shape in {1: (2, 3, 8), 2: (2, 3, 8, 7), 3: (1, 2, 5, 4, 6)}.items():
        op = getattr(A, f"adaptive_max_pool{axes}d").default
        for wanted in (3, 2, 1):
            case("pools", f"adaptive_max_pool{axes}d", lambda x, g=op, s=[wanted] * axes: g(x, s)[0], t(*shape))
    case("pools", "adaptive_max_pool2d", lambda x: A.adaptive_max_pool2d.default(x, [5, 4])[0], t(2, 8, 7))
    case("pools", "adaptive_max_pool2d", lambda x: A.adaptive_max_pool2d.default(x, [2, 7])[0], t(1, 2, 6, 7))


def bilinear():
    case("bilinear", "bilinear", A.bilinear.default, t(2, 3), t(2, 4), t(5, 3, 4), t(5))
    case("bilinear", "bilinear", A.bilinear.default, t(2, 2, 3), t(2, 2, 4), t(5, 3, 4))


def lines():
    """Long lines: 16 bits would lose products that are rounded several times, and tables of places would be long."""
    case("lines", "cumprod", lambda x: A.cumprod.default(x, 1), t(2, 300, low=0.98, high=1.025))
    case("lines", "cumsum", lambda x: A.cumsum.default(x, 1), t(2, 300))
    case("lines", "reflection_pad2d", lambda x: A.reflection_pad2d.default(x, [3, 2, 1, 1]), t(1, 2, 4100))


def recurrent():
    f = "recurrent"
    for gates, op, states in ((4, "lstm", 2), (3, "gru", 1), (1, "rnn_tanh", 1), (1, "rnn_relu", 1)):
        for layers, both, first, biased in ((1, False, False, True), (2, True, True, True), (1, False, True, False)):
            directions = 2 if both else 1
            weights = []
            for layer in range(layers):
                for _ in range(directions):
                    inner = 3 if layer == 0 else 4 * directions
                    weights += [t(gates * 4, inner) / 3, t(gates * 4, 4) / 3]
                    weights += [t(gates * 4), t(gates * 4)] if biased else []
            hx = [t(layers * directions, 2, 4) for _ in range(states)]
            x = t(2, 5, 3) if first else t(5, 2, 3)

            def call(x, *rest, g=getattr(A, op).input, s=states, a=(biased, layers, 0.0, False, both, first)):
                hx, weights = list(rest[:s]), list(rest[s:])
                out = g(x, hx if s == 2 else hx[0], weights, *a)
                return sum((o * o).sum() for o in out)

            case(f, op, call, x, *hx, *weights)


def chance():
    f = "chance"
    case(f, "dropout", lambda x: A.dropout.default(x, 0.5, False), t(3, 4))
    case(f, "feature_dropout", lambda x: A.feature_dropout.default(x, 0.5, False), t(3, 4))
    case(f, "dropout", lambda x: A.native_dropout.default(x, 0.5, False)[0], t(3, 4))
    for op in "rand_like randn_like bernoulli".split():
        case(f, op, lambda x, g=getattr(A, op).default: g(x) * 0 + x, t(3, 4, low=0.1, high=0.9))
    for op in "bernoulli_ uniform_ normal_".split():
        g = A.bernoulli_.float if op == "bernoulli_" else getattr(A, op).default
        case(f, op, lambda x, g=g: g(torch.empty_like(x.detach())) * 0 + x, t(3, 4))
    case(f, "bernoulli", lambda x: A.bernoulli.p(x.detach(), 0.3) * 0 + x, t(3, 4))
    for op in "rand randn".split():
        case(f, op, lambda x, g=getattr(A, op).default: g([3, 4]) * 0 + x, t(3, 4))


class Family(torch.nn.Module):
    """The sum of all cases' results, each element by a factor of its own."""

    def __init__(self, cases):
        super().__init__()
        self.calls = [(f"{index:03}_{op}", call, len(tensors)) for index, (op, call, tensors) in enumerate(cases)]
        for (name, _, _), (_, _, tensors) in zip(self.calls, cases):
            for index, tensor in enumerate(tensors):
                if tensor.is_floating_point():
                    self.register_parameter(f"{name}_{index}", torch.nn.Parameter(tensor))
                else:
                    self.register_buffer(f"{name}_{index}", tensor)

    def forward(self, scale):
        total = 0.0
        for name, call, count in self.calls:
            result = call(*(getattr(self, f"{name}_{index}") for index in range(count)))
            result = result.to(self.dtype) if result.dtype != self.dtype else result
            factors = torch.linspace(0.5, 1.5, result.numel(), dtype=self.dtype).reshape(result.shape)
            total = total + (result * factors).sum()
        return total * scale

    @property
    def dtype(self):
        return next(self.parameters()).dtype


class Modules(torch.nn.Module):
    """What modules and contexts decide: layers in train() and eval(), a tied weight, no_grad(), a buffer
    that no state_dict() has, a row without gradient, writes through a slice."""

    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(7, 4, padding_idx=2)
        self.norm = torch.nn.BatchNorm1d(4)
        self.frozen = torch.nn.BatchNorm1d(4).eval()
        self.drop = torch.nn.Dropout(0.5).eval()
        self.head = torch.nn.Linear(4, 7, bias=False)
        self.register_buffer("scale", torch.tensor([0.5, 1.0, 1.5, 2.0]), persistent=False)
        with torch.no_grad():
            for index, tensor in enumerate((self.table.weight, self.norm.weight, self.norm.bias, self.frozen.weight,
                                            self.frozen.running_mean, self.frozen.running_var)):
                tensor.copy_(t(*tensor.shape, low=0.5 if index == 5 else -2.0, seed=[100 + index]))
        self.head.weight = self.table.weight

    def forward(self, x, tokens, target):
        h = self.drop(self.frozen(self.norm(self.table(tokens) + x)))
        with torch.no_grad():
            centre = h.mean(0)
        h = (h - centre) * self.scale
        moved = h * 2
        moved[:, 1:3] = h[:, :2]
        return torch.nn.functional.cross_entropy(self.head(moved), target)

    @staticmethod
    def batch():
        return {"x": t(6, 4, seed=[200]), "tokens": ints([0, 1, 2, 3, 6, 2]), "target": ints([1, 0, 5, 6, 2, 3])}


class Graphs(torch.nn.Module):
    """Graphs in the graph: branches by a number of the batch, loops, a scan, no_grad() that writes buffers. With
    `plain` the same by Python, which needs no compiler."""

    def __init__(self, plain=False):
        super().__init__()
        self.plain = plain
        self.one, self.two = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
        self.weight = torch.nn.Parameter(t(3, 3, seed=[300]))
        self.register_buffer("average", t(3, seed=[301]))
        self.register_buffer("codes", t(2, 3, seed=[302]))
        self.register_buffer("seen", torch.tensor(4))
        with torch.no_grad():
            for index, parameter in enumerate(self.parameters()):
                parameter.copy_(t(*parameter.shape, seed=[310 + index]))

    def branches(self, x, flag):
        positive, negative = lambda x: (self.one(x).sin(), x * 2), lambda x: (self.two(x), -x)
        taken = torch.cond(flag.sum() > 0, positive, negative, (x,)) if not self.plain else (
            positive(x) if flag.sum() > 0 else negative(x))
        return taken[0] + taken[1]

    def steps(self, x):
        body = lambda step, a: (step + 1, torch.tanh(a) * 1.5)
        state = (torch.tensor(0), x)
        if not self.plain:
            return while_loop(lambda step, a: step < 3, body, state)[1]
        for _ in range(3):
            state = body(*state)
        return state[1]

    def scanned(self, x):
        def combine(state, part):
            state = torch.tanh(state @ self.weight + part)
            return state, state * 2 + 0
        state, outputs = torch.zeros(4, 3, dtype=x.dtype), []
        if not self.plain:
            state, all_outputs = scan(combine, state, x, dim=0)
            return (all_outputs * all_outputs).sum() + state.sum()
        for part in x:
            state, output = combine(state, part)
            outputs.append(output)
        return (torch.stack(outputs) ** 2).sum() + state.sum()

    def forward(self, x, flag):
        h = self.steps(self.branches(x, flag))
        with torch.no_grad():
            self.average.mul_(0.75).add_(h.mean(0), alpha=0.25)
            self.codes[1:] += self.average
            self.seen += 1
        return (h * self.average).sum() + self.scanned(torch.stack([h, h * 2, h - 1])) + (self.codes * self.weight[:2]).sum()

    @staticmethod
    def batch():
        return {"x": t(4, 3, seed=[320]), "flag": t(2, low=-0.5, high=2.0, seed=[321])}


class Autocast(torch.nn.Module):
    """Layers under torch.autocast, an island in it, one for a device that the tensors are not on, and after it a
    difference that shows whether products were rounded."""

    def __init__(self):
        super().__init__()
        self.one, self.norm = torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8)
        self.layer, self.two = torch.nn.LayerNorm(8), torch.nn.Linear(8, 3)
        with torch.no_grad():
            for index, parameter in enumerate(self.parameters()):
                parameter.copy_(t(*parameter.shape, seed=[400 + index]))

    def forward(self, x, target):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            h = self.layer(self.norm(self.one(x)).relu())
            y = self.two(h)
            with torch.autocast("cpu", enabled=False):
                y = (y.float() * 1.001).softmax(-1)
            z = torch.nn.functional.cross_entropy(y, target)
        with torch.autocast("cuda", dtype=torch.float16):
            exact = self.one(x)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            rounded = self.one(x)
        return z + ((exact - rounded.float()) * 100).square().mean()

    @staticmethod
    def batch():
        return {"x": t(6, 4, seed=[420]), "target": ints([0, 2, 1, 1, 0, 2])}


def save_model(folder, name, exported, reference, kept):
    """With the buffers `kept` as a step leaves them."""
    batch = type(exported).batch()
    save(torch.export.export(exported, tuple(batch.values()), strict=False), folder / f"{name}.pt2")
    dtype = next(reference.parameters()).dtype
    loss = reference(*(value.to(dtype) if value.is_floating_point() else value for value in batch.values()))
    loss.backward()
    found = {name: value.numpy() for name, value in batch.items()}
    found["loss"] = loss.detach().numpy().astype(np.float32)
    for parameter, value in reference.named_parameters():
        gradient = torch.zeros_like(value) if value.grad is None else value.grad
        found[f"grad.{parameter}"] = gradient.numpy().astype(np.float32)
    for buffer in kept:
        value = reference.get_buffer(buffer).numpy()
        found[f"stat.{buffer}"] = value.astype(np.float32) if value.dtype.kind == "f" else value
    save_file({key: np.ascontiguousarray(value) for key, value in found.items()}, folder / f"{name}.safetensors")


def save_models(folder):
    save_model(folder, "modules", Modules(), Modules().double(),
               ["norm.running_mean", "norm.running_var", "norm.num_batches_tracked"])
    save_model(folder, "graphs", Graphs(), Graphs(plain=True).double(), ["average", "codes", "seen"])
    save_model(folder, "autocast", Autocast(), Autocast(), ["norm.running_mean", "norm.running_var"])


def without_paths(text):
    """File "/home/me/venv/lib/python3/site-packages/torch/nn.py" keeps what stands behind "lib/"."""
    def shorter(match):
        path = match.group(1)
        at = path.find("site-packages/")
        return 'File \\"' + ("lib/" + path[at:] if at >= 0 else pathlib.PurePath(path).name) + '\\"'
    return re.sub(r'File \\"([^"\\]*)\\"', shorter, text)


def save(program, path):
    archive = io.BytesIO()
    torch.export.save(program, archive)
    with zipfile.ZipFile(archive) as written, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as kept:
        for name in written.namelist():
            if "sample_inputs" in name or "serialization_id" in name:
                continue
            content = written.read(name)
            if name.endswith("models/model.json"):
                content = without_paths(content.decode()).encode()
            kept.writestr(zipfile.ZipInfo("program/" + name.split("/", 1)[1]), content, zipfile.ZIP_DEFLATED)


def answers(cases, dtype):
    """Loss and gradients in float64, of parameters of `dtype`."""
    module = Family(cases).to(dtype).double()
    loss = module(torch.tensor(1.0, dtype=torch.float64))
    loss.backward()
    found = {"loss": loss.detach().numpy().astype(np.float64)}
    for name, parameter in module.named_parameters():
        if parameter.grad is not None:
            found[f"grad.{name}"] = parameter.grad.numpy().astype(np.float64)
    return found


def save_family(folder, name, cases, dtype):
    scale = torch.tensor(1.0, dtype=dtype)
    save(export(Family(cases).to(dtype), (scale,)), folder / f"{name}.pt2")
    found = {key: torch.tensor(value, dtype=torch.float32) for key, value in answers(cases, dtype).items()}
    save_tensors({**found, "scale": scale}, folder / f"{name}.safetensors")


def moments():
    f = "moments"
    for op in "var std".split():
        g = getattr(A, f"{op}_mean")
        case(f, f"{op}_mean", lambda x, g=g: sum(g.default(x, False)), t(3, 4))
        case(f, f"{op}_mean", lambda x, g=g: sum(g.dim(x, [1], True, True)), t(3, 4))
    case(f, "weight_norm", lambda v, g: A._weight_norm.default(v, g), t(3, 4, 2), t(3, 1, 1))
    case(f, "weight_norm", lambda v, g: A._weight_norm.default(v, g, 1), t(3, 4, 2), t(1, 4, 1))
    case(f, "weight_norm", lambda v, g: A._weight_norm_interface.default(v, g, 0)[0], t(3, 4), t(3, 1))
    case(f, "batch_norm", lambda x, w, b: A.batch_norm.default(x, w, b, None, None, True, 0.1, 1e-5, False), t(3, 4, 5), t(4), t(4, low=1.0))
    case(f, "batch_norm", lambda x: A._native_batch_norm_legit.no_stats(x, None, None, True, 0.1, 1e-3)[0] * x, t(5, 4))


def spread():
    """Transposed convolutions: strides that leave outputs without a tap, dilations that share a factor with the stride,
    outputs that are no multiple of it."""
    f = "spread"
    one, two, three = A.conv_transpose1d.default, A.conv_transpose2d.input, A.conv_transpose3d.input
    case(f, "conv_transpose2d", lambda x, w, b: two(x, w, b, [2], [1], [1]), t(2, 3, 4, 5), t(3, 2, 3, 3), t(2))
    case(f, "conv_transpose2d", lambda x, w, b: two(x, w, b, [2]), t(2, 3, 3, 4), t(3, 4, 2, 2), t(4))
    case(f, "conv_transpose2d", lambda x, w, b: two(x, w, b, [2], [1]), t(1, 4, 3, 5), t(4, 2, 4, 4), t(2))
    case(f, "conv_transpose2d", lambda x, w, b: two(x, w, b, [3, 2], [1, 0], [2, 1], 2), t(2, 4, 3, 2), t(4, 1, 2, 3), t(2))
    case(f, "conv_transpose2d", lambda x, w: two(x, w, None, [3, 3], [0, 0], [1, 1]), t(1, 2, 3, 3), t(2, 3, 1, 2))
    case(f, "conv_transpose2d", lambda x, w, b: two(x, w, b, [2], [0], [1]), t(1, 2, 3, 3), t(2, 3, 1, 1), t(3))
    case(f, "conv_transpose2d", lambda x, w, b: two(x, w, b, [4, 3], [1, 2]), t(1, 2, 3, 3), t(2, 3, 4, 5), t(3))
    case(f, "conv_transpose1d", lambda x, w, b: one(x, w, b, [4], [3], [1], 1, [2]), t(2, 3, 5), t(3, 2, 5), t(2))
    case(f, "conv_transpose1d", lambda x, w, b: one(x, w, b, [3], [2], [2], 3, [3]), t(2, 3, 4), t(3, 1, 4), t(3))
    case(f, "conv_transpose1d", lambda x, w, b: one(x, w, b, [10], [1]), t(1, 2, 4), t(2, 3, 12), t(3))
    case(f, "conv_transpose3d", lambda x, w, b: three(x, w, b, [2], [1], [1]), t(1, 2, 2, 3, 2), t(2, 2, 3, 3, 3), t(2))


def grouped(x, matrices, ends):
    """PyTorch 2.13 has it in bfloat16 alone."""
    return A._grouped_mm.default(x, matrices, ends) if x.dtype == torch.bfloat16 else experts_of(x, matrices, ends)


def experts():
    """Products of rows with the matrix of their group; groups without rows, rows without a group."""
    f = "experts"
    ends = lambda *values: torch.tensor(values, dtype=torch.int32)
    case(f, "experts", experts_of, t(9, 3), t(4, 3, 5), ends(2, 2, 7, 9))
    case(f, "experts", lambda x, w, e: experts_of(x, w.transpose(1, 2), e), t(40, 8), t(3, 4, 8), ends(3, 30, 40))
    case(f, "experts", experts_of, t(9, 3), t(4, 3, 5), ints([0, 4, 4, 6]))
    case(f, "experts", experts_of, t(3, 2), t(5, 2, 4), ends(0, 0, 1, 1, 3))
    case(f, "experts", experts_of, t(140, 2), t(2, 2, 3), ends(139, 140))
    case(f, "experts", experts_of, t(70, 2), t(1, 2, 3), ends(70))
    case(f, "grouped_mm", grouped, t(12, 8), t(3, 8, 8), ends(5, 5, 12))
    numbers = lambda: torch.tensor([2.0, -1.0, 0.0, 0.5, 3.5, 2.0, 1.9, -3.0, 2.5, 3.0])
    case(f, "histc", lambda y, x: A.histc.default(x, 4, -1, 3) * y, t(4), numbers())
    case(f, "histc", lambda y, x: A.histc.default(x, 6) * y, t(6), numbers().reshape(2, 5))
    case(f, "histc", lambda y, x: A.histc.default(x, 3) * y, t(3), torch.full((4,), 2.0))


def bounded(x, numbers):
    """What a check alone reads is no part of the program."""
    assert numbers.max().item() <= 8
    return x * 2


def further():
    f = "further"
    case(f, "broadcast_to", lambda x, y: A.broadcast_to.default(x, [2, 3, 4]) * y, t(3, 1), t(2, 3, 4))
    case(f, "ravel", A.ravel.default, t(3, 4))
    case(f, "linalg_norm", lambda x: A.linalg_norm.default(x), t(3, 4))
    case(f, "linalg_norm", lambda x: A.linalg_norm.default(x, None, [0, 1], True), t(3, 4))
    case(f, "linalg_norm", lambda x: A.linalg_norm.default(x, 1, [-1]), t(3, 4))
    case(f, "linalg_norm", lambda x: A.linalg_norm.default(x, 2, [0], True), t(3, 4))
    case(f, "logaddexp2", A.logaddexp2.default, t(3, 4), t(3, 4))
    case(f, "lgamma", A.lgamma.default, t(5, 8, low=-3.6, high=12.0))
    case(f, "lgamma", A.lgamma.default, t(4, low=20.0, high=4000.0))
    case(f, "cdist", A.cdist.default, t(3, 4), t(5, 4))
    case(f, "cdist", lambda x, y: A.cdist.default(x, y, 1.0), t(2, 3, 4), t(1, 5, 4))
    both = lambda r: r[0] * (r[1] + 1)
    case(f, "median", lambda x: both(A.median.dim(x, 1)), t(3, 5))
    case(f, "median", lambda x: both(A.median.dim(x, 0, True)), t(4, 3))
    case(f, "median", A.median.default, t(3, 4))
    case(f, "kthvalue", lambda x: both(A.kthvalue.default(x, 2)), t(3, 5))
    edges, found = torch.tensor([-1.0, 0.0, 0.0, 1.5]), torch.tensor([[-2.0, -1.0, 0.0], [1.0, 1.5, 9.0]])
    for right in (False, True):
        case(f, "searchsorted", lambda y, e, v, r=right: y * A.searchsorted.Tensor(e, v, right=r), t(2, 3), edges, found)
    case(f, "searchsorted", lambda y, e, v: y * A.searchsorted.Tensor(e, v, side="right"), t(2, 3), torch.stack([edges, edges + 1]), found)
    case(f, "randperm", lambda x: x * (A.randperm.default(1) + 1), t(3))
    case(f, "randperm", lambda x: x * A.randperm.default(7).sort()[0], t(7))
    for op in (A.randint.default, A.randint.low):
        bounds = (1,) if op == A.randint.default else (3, 4)
        case(f, "randint", lambda x, g=op, b=bounds: x * (g(*b, [3, 4]) + 1), t(3, 4))


def checks():
    f = "checks"
    if torch.__version__ < "2.15":
        return  # PyTorch 2.13 does not export these.
    case(f, "assert", bounded, t(3), ints([1, 7, 3]))
    odds = lambda x, y: torch.distributions.Bernoulli(logits=x).log_prob((y > 0).to(x.dtype))
    case(f, "is_all_true", odds, t(3, 4), mask(3, 4).float())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--bf16", action="store_true", help="the families in bfloat16 too")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    for family in (elementwise, movement, products, normalization, reduction, indexing, losses, windows, recurrent, chance,
                   rearrangement, pads, sorting, writes, distances, moments, pools, bilinear, lines, spread, experts, further, special, places,
                   matrices, quantization, checks, complex_numbers, derivatives):
        family()
    for family, cases in CASES.items():
        save_family(arguments.folder, family, cases, torch.float32)
        if arguments.bf16 and family not in WITHOUT_BF16:
            cases = [case for case in cases if case[0] not in WITHOUT_BF16]
            save_family(arguments.folder, f"{family}-bf16", cases, torch.bfloat16)
        print(family, len(cases), flush=True)
    save_models(arguments.folder)


if __name__ == "__main__":
    main()
