# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of programs.py: gradients inside of a forward, as the package traces them (so it is on PYTHONPATH)."""
import contextlib

import torch

from program_cases import case, ints, mask, t

A = torch.ops.aten
F = "derivatives"


def by(value, x, seed=None):
    return torch.autograd.grad(value, x, torch.ones_like(value) if seed is None else seed, create_graph=True)[0]


def of(function):
    """The gradient of a function by each of its floating operands, and what is made of that."""
    def call(*tensors):
        value = function(*tensors)
        wanted = [x for x in tensors if x.is_floating_point()]
        found = torch.autograd.grad(value, wanted, torch.ones_like(value).cumsum(-1), create_graph=True)
        return torch.cat([(x * x).reshape(-1) for x in found])
    return call


def second(x):
    """By a value that is read in other places too."""
    y = x * 2
    return by(by((y * y.sin()).sum(), y), y) * y + x


def unused(x, y):
    found = torch.autograd.grad((x * x).sum(), [x, y], create_graph=True, allow_unused=True)
    return found[0] * y


def detached(x):
    return torch.autograd.grad((x ** 3).sum(), x)[0] * x


def derivatives():
    for op in "tanh sigmoid sin exp silu softplus erf relu mish".split():
        case(F, op, of(getattr(A, op).default), t(3, 4))
    for approximate in ("none", "tanh"):
        case(F, "gelu", of(lambda x, a=approximate: A.gelu.default(x, approximate=a)), t(3, 4))
    case(F, "div", of(A.div.Tensor), t(3, 4), t(4, low=0.5))
    case(F, "pow", of(lambda x: A.pow.Tensor_Scalar(x, 2.5)), t(3, 4, low=0.5))
    case(F, "linear", of(lambda x, w, b: A.linear.default(x, w, b).tanh()), t(3, 4), t(5, 4), t(5))
    case(F, "conv2d", of(lambda x, w, b: A.conv2d.default(x, w, b, [2, 1], [1]).sin()), t(2, 2, 5, 4), t(3, 2, 3, 3), t(3))
    case(F, "layer_norm", of(lambda x, w: A.layer_norm.default(x, [4], w).sin()), t(3, 4), t(4))
    case(F, "softmax", of(lambda x: A.softmax.int(x, -1).square()), t(3, 4))
    case(F, "embedding", of(lambda w, i: A.embedding.default(w, i).sin()), t(5, 3), ints([0, 4, 4]))
    case(F, "index_add", of(lambda x, y, i: A.index_add.default(x, 0, i, y).sin()), t(3, 4), t(2, 4), ints([2, 0]))
    case(F, "where", of(lambda x, y, m: A.where.self(m, x.sin(), x * y)), t(3, 4), t(4), mask(4))
    case(F, "norm", of(lambda x: A.linalg_vector_norm.default(x, 2, [1])), t(3, 4))
    # Of these the first derivative is a formula; here each step has its own.
    definite = lambda x: x @ x.mT + torch.eye(3, dtype=x.dtype)
    case(F, "erfinv", of(A.erfinv.default), t(3, 4, low=-0.9, high=0.9))
    case(F, "inv", of(lambda x: A.linalg_inv.default(definite(x))), t(2, 3, 3))
    case(F, "solve", of(lambda x, y: A.linalg_solve.default(definite(x), y)), t(3, 3), t(3, 2))
    case(F, "logdet", of(lambda x: A.slogdet.default(definite(x))[1]), t(2, 3, 3))
    case(F, "cholesky", of(lambda x: A.linalg_cholesky.default(definite(x))), t(3, 3))
    case(F, "second", second, t(3, 4))
    case(F, "unused", unused, t(3, 4), t(4))
    case(F, "detached", detached, t(3, 4))
    case(F, "third", lambda x: by(by(by(x.sin().exp().sum(), x).sum(), x).sum(), x), t(5))


@contextlib.contextmanager
def _traced():
    from mpc_compiler import _derivatives
    with contextlib.ExitStack() as stack:
        stack.enter_context(_derivatives.traced_here())
        for function, name, value in _derivatives.replacements():
            stack.callback(setattr, function, name, getattr(function, name))
            setattr(function, name, value)
        yield


def export(module, arguments):
    """As wrap() and step() have it."""
    from mpc_compiler import _derivatives
    with _traced():
        program = torch.export.export(module, arguments, strict=False)
    _derivatives.set_variables(program)
    return program
