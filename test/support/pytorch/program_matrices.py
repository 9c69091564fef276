# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of programs.py: inverses, determinants, systems and factors of matrices."""
import torch

from program_cases import case, t

A = torch.ops.aten


def identity(x):
    return torch.eye(x.shape[-1], dtype=x.dtype)


def definite(x):
    return x @ x.transpose(-1, -2) + identity(x)


def well(x):
    """Triangles of these have no small diagonal."""
    return x * 0.3 + 2 * identity(x)


def triangle(x, upper):
    """PyTorch's gradients of what takes a factor read the other triangle too."""
    return well(x).triu() if upper else well(x).tril()


def matrices():
    f = "matrices"
    # Up to eight steps are copies of one, more are a loop.
    for shape in ((3, 3), (2, 4, 4), (10, 10)):
        size = shape[-1]
        for op in (A.linalg_inv, A.inverse, A.det, A.linalg_det):
            case(f, op.__name__, lambda x, g=op.default: g(x * 0.5 + identity(x)), t(*shape))
        for op in (A.slogdet, A.linalg_slogdet):
            case(f, op.__name__, lambda x, g=op.default: g(x)[0] * x.sum() + g(x)[1], t(*shape))
        case(f, "logdet", lambda x: A.logdet.default(definite(x)), t(*shape))
        case(f, "linalg_inv_ex", lambda x: A.linalg_inv_ex.default(x * 0.5 + identity(x))[0], t(*shape))
        for upper in (False, True):
            case(f, "linalg_cholesky", lambda x, u=upper: A.linalg_cholesky.default(definite(x), upper=u), t(*shape))
            case(f, "linalg_solve_triangular", lambda x, y, u=upper: A.linalg_solve_triangular.default(well(x), y, upper=u),
                 t(*shape), t(*shape[:-1], 2))
            case(f, "cholesky_inverse", lambda x, u=upper: A.cholesky_inverse.default(triangle(x, u), u), t(*shape))
        case(f, "linalg_solve", lambda x, y: A.linalg_solve.default(x * 0.5 + identity(x), y), t(*shape), t(size, 2))
        case(f, "linalg_solve", lambda x, y: A.linalg_solve.default(x * 0.5 + identity(x), y), t(*shape), t(*shape[:-1]))
        case(f, "linalg_solve", lambda x, y: A.linalg_solve.default(x * 0.5 + identity(x), y, left=False), t(*shape), t(3, size))
    for op in (A.matrix_exp, A.linalg_matrix_exp):
        case(f, op.__name__, op.default, t(3, 3))
        case(f, op.__name__, lambda x, g=op.default: g(x * 3), t(2, 4, 4))
    case(f, "addbmm", A.addbmm.default, t(3, 4), t(2, 3, 5), t(2, 5, 4))
    case(f, "addbmm", lambda x, y, z: A.addbmm.default(x, y, z, beta=0.5, alpha=2), t(3, 4), t(2, 3, 5), t(2, 5, 4))
    case(f, "outer", lambda x, y: A.outer.default(x, y.double()), t(3), t(4))
    # The other triangle is not read.
    case(f, "linalg_cholesky", lambda x, y: A.linalg_cholesky.default(definite(x) + y.triu(1)), t(3, 3), t(3, 3))
    case(f, "linalg_cholesky", lambda x, y: A.linalg_cholesky.default(definite(x) + y.tril(-1), upper=True), t(3, 3), t(3, 3))
    case(f, "linalg_cholesky_ex", lambda x: A.linalg_cholesky_ex.default(definite(x))[0], t(3, 3))
    case(f, "cholesky_solve", lambda x, y: A.cholesky_solve.default(y, triangle(x, False)), t(3, 3), t(3, 2))
    case(f, "cholesky_solve", lambda x, y: A.cholesky_solve.default(y, triangle(x, True), True), t(2, 4, 4), t(2, 4, 1))
    case(f, "linalg_solve_triangular", lambda x, y: A.linalg_solve_triangular.default(x, y, upper=True, unitriangular=True),
         t(2, 4, 4), t(4, 3))
    case(f, "linalg_solve_triangular", lambda x, y: A.linalg_solve_triangular.default(well(x), y, upper=False, left=False),
         t(4, 4), t(3, 2, 4))
    case(f, "cholesky_inverse", lambda x, y: A.cholesky_inverse.default(triangle(x, False) + (y - y.detach())), t(3, 3), t(3, 3))
    case(f, "linalg_solve_ex", lambda x, y: A.linalg_solve_ex.default(x * 0.5 + identity(x), y)[0], t(3, 3), t(3, 2))
    case(f, "linalg_inv", A.linalg_inv.default, torch.tensor([[0.0, 2.0, 1.0], [3.0, 0.0, 1.0], [1.0, 1.0, 0.0]]))
    case(f, "linalg_inv", A.linalg_inv.default, torch.tensor([[2.5]]))
