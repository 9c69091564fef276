# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of programs.py: special functions, norms, and fake quantization."""
import math

import torch

from program_cases import case, ints, t

A = torch.ops.aten
NAN, INF = math.nan, math.inf


def special():
    f = "special"
    for op in (A.hypot, A.fmax, A.fmin):
        case(f, op.__name__, op.default, t(2, 3, 4), t(3, 1))
    case(f, "hypot", lambda x, y: A.hypot.default(x * 1e25, y * 1e25) * 1e-25, t(4), t(4))
    case(f, "fmax", lambda x, y: A.fmax.default(x, y) * y.nan_to_num(0.5), torch.tensor([NAN, 1.0, 2.0, -1.5]),
         torch.tensor([0.5, NAN, 2.0, -1.0]))
    case(f, "fmin", lambda x, y: A.fmin.default(x, y) * y.nan_to_num(0.5), torch.tensor([NAN, 1.0, 2.0, -1.5]),
         torch.tensor([0.5, NAN, 2.0, -1.0]))
    case(f, "fmax", lambda x, i: A.fmax.default(i, ints([2, 1, 4])) * x, t(3), ints([1, 5, 4]))
    for op in (A.sign, A.floor, A.ceil, A.round, A.trunc):
        case(f, op.__name__, lambda x, i, g=op.default: g(i) * x, t(3), ints([2, -3, 0]))
    case(f, "copysign", A.copysign.Tensor, t(3, 4), t(4))
    case(f, "copysign", lambda x: A.copysign.Tensor(x, torch.tensor([0.0, -0.0, -INF])), t(3))
    case(f, "copysign", lambda x: A.copysign.Scalar(x, -0.5), t(3, 4))
    case(f, "erfinv", A.erfinv.default, t(5, 8, low=-0.999, high=0.999))
    case(f, "erfinv", A.erfinv.default, torch.tensor([1e-30, -1e-3, 0.0]))
    case(f, "erfinv near 1", A.erfinv.default, torch.tensor([0.99999, -0.9999999]))
    case(f, "digamma", A.digamma.default, t(5, 8, low=-3.6, high=12.0))
    case(f, "digamma", A.digamma.default, t(4, low=20.0, high=4000.0))
    case(f, "signbit", lambda x: A.signbit.default(x) * x, t(3, 4))
    case(f, "special_erfcx", A.special_erfcx.default, t(3, 4))
    case(f, "special_log_ndtr", A.special_log_ndtr.default, t(3, 4, low=-9.0, high=5.0))
    case(f, "rrelu", lambda x: A.rrelu.default(x, 0.1, 0.4, False), t(3, 4))
    case(f, "rrelu", lambda x: A.rrelu.default(x, 0.25, 0.25, True), t(3, 4))
    for order in (3, 0.5, INF, -INF):
        case(f, "linalg_vector_norm", lambda x, p=order: A.linalg_vector_norm.default(x, p, [1]), t(3, 4))
    case(f, "linalg_vector_norm", lambda x: A.linalg_vector_norm.default(x * 1.0, 0.0, None) * x.sum(), torch.tensor([[0.0, 1.0], [-2.0, 0.5]]))
    case(f, "linalg_vector_norm", lambda x: A.linalg_vector_norm.default(x, 3.0, [1]), torch.tensor([[0.0, 1.0], [0.0, 0.0]]))
    case(f, "pdist", A.pdist.default, t(4, 3))
    case(f, "pdist", lambda x: A.pdist.default(x, 1.0), t(4, 3))
    case(f, "cdist", lambda x, y: A.cdist.default(x, y, 3.0), t(3, 4), t(5, 4))
    case(f, "logcumsumexp", lambda x: A.logcumsumexp.default(x, 1), t(3, 7))
    case(f, "logcumsumexp", lambda x: A.logcumsumexp.default(x, -2), t(5, 2, low=-90.0, high=90.0))
    case(f, "logcumsumexp", lambda x: A.logcumsumexp.default(torch.cat([torch.tensor([-INF]), x]), 0)[1:], t(4))
    both = lambda found: found[0] * (found[1] + 1)
    for op in (A.cummax, A.cummin):
        case(f, op.__name__, lambda x, g=op.default: both(g(x, 1)), t(3, 9))
        case(f, op.__name__, lambda x, g=op.default: both(g(x, 0)), torch.tensor([[1.0, 3.0], [1.0, -2.0], [0.5, 3.0], [2.0, 3.0]]))
        case(f, op.__name__, lambda x, i, g=op.default: both(g(i, -1)) * x, t(2, 5), ints([[3, -1, 3, 7, 7], [-5, -5, 2, -9, 0]]))


def quantization():
    f = "quantization"
    per_tensor, per_channel = A.fake_quantize_per_tensor_affine, A.fake_quantize_per_channel_affine
    # Behind a sine, so that the gradient is not one number.
    case(f, "fake_quantize_per_tensor_affine", lambda x: per_tensor.default(x, 0.13, 0, -128, 127).sin(), t(3, 4))
    case(f, "fake_quantize_per_tensor_affine", lambda x: per_tensor.default(x, 0.13, 3, -8, 7).sin(), t(3, 4))
    case(f, "fake_quantize_per_tensor_affine", lambda x, s, z: per_tensor.tensor_qparams(x, s.detach().float(), z.int(), 0, 15).sin(),
         t(3, 4), torch.tensor([0.25]), ints([7]))
    case(f, "fake_quantize_per_channel_affine", lambda x, s, z: per_channel.default(x, s.detach().float(), z.int(), 1, -8, 7).sin(),
         t(3, 4), torch.tensor([0.5, 0.25, 1.0, 0.125]), ints([0, 1, -1, 0]))
