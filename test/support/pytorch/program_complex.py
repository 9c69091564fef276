# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of programs.py: complex numbers, whose parts are parameters, and transforms of Fourier."""
import torch

from program_cases import case, ints, mask, t

A = torch.ops.aten
c = A.view_as_complex.default
parts = A.view_as_real.default
F = "complex_numbers"


def pairs(name, function, *shapes, more=()):
    """A function of complex tensors, and what else it reads."""
    count = len(shapes)
    case(F, name, lambda *x: parts(function(*map(c, x[:count]), *x[count:])), *(t(*shape, 2) for shape in shapes), *more)


def between():
    case(F, "complex", lambda x, y: parts(A.complex.default(x, y)), t(3, 4), t(3, 4))
    case(F, "polar", lambda x, y: parts(A.polar.default(x, y)), t(3, 4, low=0.3), t(3, 4))
    case(F, "real", lambda x: A.real.default(c(x)) * A.imag.default(c(x)), t(3, 2))
    case(F, "abs", lambda x: A.abs.default(c(x)), t(3, 4, 2))
    # At zero the gradient is zero.
    case(F, "abs", lambda x, y: A.abs.default(c(x)) * y, torch.tensor([[0.0, 0.0], [0.0, -2.0], [3.0, 4.0]]), t(3))
    case(F, "angle", lambda x: A.angle.default(c(x)), t(3, 4, 2))
    pairs("conj", lambda x: A.conj.default(x) * x, (3, 4))
    pairs("conj", lambda x: A.resolve_conj.default(A._conj.default(x)) * 2.5, (3, 4))


def arithmetic():
    rows = (3, 4)
    pairs("mul", A.mul.Tensor, rows, rows)
    pairs("mul", A.mul.Tensor, rows, (4,))
    pairs("mul", lambda x, y: x * y, rows, more=[t(*rows)])
    pairs("mul", lambda x, y: y * x, rows, more=[t(2, 3, 4)])
    pairs("mul", lambda x: x * (1.5 - 2j) * 0.5, rows)
    pairs("mul_", lambda x, y: A.mul_.Tensor(x * 2, y), rows, rows)
    case(F, "mul", lambda x: parts(x * 1j), t(3, 4))
    case(F, "add", lambda x, y: parts(x + 2j * y), t(3, 4), t(3, 4))
    pairs("add", lambda x, y: A.add.Tensor(x, y, alpha=3), rows, rows)
    pairs("add", lambda x, y: (1 + 2j) - x + y * 1j - 3, rows, more=[t(4)])
    pairs("sub", lambda x, y: y - x, rows, more=[t(*rows)])
    pairs("div", A.div.Tensor, rows, rows)
    pairs("div", lambda x, y: x / y / 3, rows, more=[t(*rows, low=0.5, high=2.0)])
    pairs("div", lambda x, y: y / x, rows, more=[t(*rows)])
    pairs("reciprocal", A.reciprocal.default, rows)
    # Integers and truths are values, too, and have no imaginary part.
    pairs("add", lambda x, i: x + i + (i > 1), rows, more=[ints([1, 2, 3, 4])])
    pairs("_to_copy", lambda x, i: x * torch.exp(1j * i.to(x.dtype)), rows, more=[ints([1, 2, 3, 4])])
    for exponent in (1, 2, 3):
        pairs("pow", lambda x, e=exponent: A.pow.Tensor_Scalar(x, e), rows)
    for op in (A.square, A.exp, A.neg, A.log, A.sqrt):
        pairs(op.__name__, op.default, rows)


def products():
    pairs("mm", A.mm.default, (3, 4), (4, 2))
    pairs("bmm", A.bmm.default, (2, 3, 4), (2, 4, 2))
    pairs("matmul", lambda x, y: x @ y, (2, 3, 4), (4, 2))
    pairs("matmul", lambda x, y: x @ y.to(x.dtype), (3, 4), more=[t(4, 2)])
    pairs("einsum", lambda x, y: torch.einsum("bixy,ioxy->boxy", x, y), (2, 3, 2, 2), (3, 4, 2, 2))
    pairs("einsum", lambda x: torch.einsum("ij->ji", x), (2, 3))
    pairs("linear", lambda x, w, b: A.linear.default(x, w, b), (2, 3), (4, 3), (4,))
    pairs("linear", lambda x, w: A.linear.default(x, w), (2, 2), (2, 2))
    pairs("outer", lambda x, y: A.outer.default(x, y), (3,), (2,))


def moved():
    pairs("cat", lambda x, y: torch.cat([x, y], 1)[:, 1:], (2, 3), (2, 2))
    pairs("stack", lambda x, y: torch.stack([x, y]).permute(1, 2, 0).flatten(1), (2, 3), (2, 3))
    pairs("sum", lambda x: x.sum(1, keepdim=True) * x.mean(0), (2, 3))
    pairs("cumsum", lambda x: x.cumsum(1).flip(0).roll(1, 1), (2, 3))
    pairs("where", lambda x, y, m: torch.where(m, x, y), (2, 3), (2, 3), more=[mask(2, 3)])
    pairs("where", lambda x, m: A.where.ScalarSelf(m, 2.0, x) * A.where.ScalarOther(m, x, 3.0), (2, 3), more=[mask(2, 3)])
    pairs("cat", lambda x, i: torch.cat([x, i.expand(2, 3)]), (2, 3), more=[ints([4, 5, 6])])
    pairs("masked_fill", lambda x, m: x.masked_fill(m, 2.0), (2, 3), more=[mask(2, 3)])
    pairs("index", lambda x, i: x[i].unsqueeze(1).expand(3, 2, 3), (2, 3), more=[ints([1, 0, 1])])
    pairs("pad", lambda x: torch.nn.functional.pad(x, (1, 2)), (2, 3))
    pairs("ones", lambda x: x + torch.ones(3, dtype=x.dtype) * torch.full((2, 1), 2.0, dtype=x.dtype), (2, 3))
    pairs("chunk", lambda x: x.chunk(2, 1)[1] * x.split([1, 3], 1)[0], (2, 4))
    pairs("no_grad", unless_recorded, (2, 4))

    def spread(x, y):
        result = torch.zeros(2, 5, dtype=x.dtype)
        result[:, :3] = x
        result[:, -1:] = y[:, None]
        result.mul_(x.sum())
        return result

    pairs("copy_", spread, (2, 3), more=[t(2)])


def unless_recorded(x):
    with torch.no_grad():
        factor = x * 2j
    return factor * x


def spectra():
    norms = (None, "ortho", "forward")
    for norm in norms:
        case(F, "fft_rfft", lambda x, n=norm: parts(A.fft_rfft.default(x, norm=n)), t(2, 7))
        pairs("fft_fft", lambda x, n=norm: A.fft_fft.default(x, norm=n), (2, 6))
        pairs("fft_ifft", lambda x, n=norm: A.fft_ifft.default(x, norm=n), (2, 5))
        case(F, "fft_irfft", lambda x, n=norm: A.fft_irfft.default(c(x), norm=n), t(2, 5, 2))
        case(F, "fft_rfft2", lambda x, n=norm: parts(A.fft_rfft2.default(x, norm=n)), t(2, 4, 6))
        case(F, "fft_irfft2", lambda x, n=norm: A.fft_irfft2.default(c(x), norm=n), t(2, 4, 4, 2))
    case(F, "fft_rfft", lambda x: parts(A.fft_rfft.default(x, 8, 0)), t(5, 3))
    case(F, "fft_rfft", lambda x: parts(A.fft_rfft.default(x, 4)), t(2, 7))
    case(F, "fft_irfft", lambda x: A.fft_irfft.default(c(x), 7, 0), t(4, 3, 2))
    case(F, "fft_irfft", lambda x: A.fft_irfft.default(c(x), 12), t(2, 4, 2))
    case(F, "fft_fft", lambda x: parts(A.fft_fft.default(x, None, -2)), t(2, 5, 3))
    pairs("fft_fft2", A.fft_fft2.default, (2, 3, 4))
    pairs("fft_ifft2", lambda x: A.fft_ifft2.default(x, [4, 4]), (2, 3, 5))
    case(F, "fft_fftn", lambda x: parts(A.fft_fftn.default(x)), t(2, 3, 4))
    pairs("fft_ifftn", lambda x: A.fft_ifftn.default(x, None, [0, 2]), (2, 3, 4))
    case(F, "fft_rfftn", lambda x: parts(A.fft_rfftn.default(x, [4, 6])), t(2, 3, 5))
    case(F, "fft_irfftn", lambda x: A.fft_irfftn.default(c(x), [3, 6], [0, 1], "ortho"), t(3, 4, 2, 2))
    for by in (0, 1, 2):
        case(F, "_fft_r2c", lambda x, n=by: parts(A._fft_r2c.default(x, [0, 1], n, True)), t(4, 6))
        case(F, "_fft_c2r", lambda x, n=by: A._fft_c2r.default(c(x), [0, 1], n, 6), t(4, 4, 2))
        pairs("_fft_c2c", lambda x, n=by: A._fft_c2c.default(x, [1], n, True), (2, 5))
        pairs("_fft_c2c", lambda x, n=by: A._fft_c2c.default(x, [0, 1], n, False), (2, 5))
    case(F, "_fft_r2c", lambda x: parts(A._fft_r2c.default(x, [1], 0, False)), t(4, 5))
    for normalized in (False, True):
        case(F, "stft", lambda x, w, n=normalized: parts(A.stft.default(x, 8, 3, 8, w, n, True, True)), t(2, 20), t(8))
    case(F, "stft", lambda x, w: parts(A.stft.default(x, 8, None, 5, w, False, False, True)), t(2, 20), t(5))


def complex_numbers():
    between()
    arithmetic()
    products()
    moved()
    spectra()
