# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of torch that an export does not take, or takes as an op of its own, while a module is traced: by other ops."""
from __future__ import annotations

import contextlib
import threading
from typing import Any, Iterator

import torch  # type: ignore[import-not-found]
from torch.nn import functional as F  # type: ignore[import-not-found]

from . import _checks, _ctc, _derivatives, _fourier, _packed

_BATCH_NORM = torch.nn.modules.batchnorm._BatchNorm
# What torch has is the same for all threads: one traces at a time.
_LOCK = threading.RLock()


# --- BatchNorm with momentum=None ------------------------------------------------------------------


def _batch_norm_forward(original: Any) -> Any:
    """Of BatchNorm. With momentum=None torch computes the factor as a number of Python."""

    def forward(self: Any, input: Any) -> Any:
        if self.momentum is not None or not self.training or self.num_batches_tracked is None:
            return original(self, input)
        self._check_input_dim(input)
        unused = torch.zeros_like(self.running_mean), torch.ones_like(self.running_var)
        output = F.batch_norm(input, *unused, self.weight, self.bias, True, 0.0, self.eps)
        _average(self, input.detach().float())
        return output

    return forward


def _average(norm: Any, input: Any) -> None:
    """Moves the statistics to those of all batches."""
    norm.num_batches_tracked.add_(1)
    factor = 1.0 / norm.num_batches_tracked.to(torch.float32)
    dims = [i for i in range(input.dim()) if i != 1]
    norm.running_mean.copy_(norm.running_mean + factor * (input.mean(dims) - norm.running_mean))
    norm.running_var.copy_(norm.running_var + factor * (input.var(dims) - norm.running_var))


# --- embedding_bag ---------------------------------------------------------------------------------


def _embedding_bag(original: Any) -> Any:
    """Sums and means of rows, which the importer has no op for."""

    def embedding_bag(
        input: Any, weight: Any, offsets: Any = None, max_norm: Any = None, norm_type: float = 2,
        scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, per_sample_weights: Any = None,
        include_last_offset: bool = False, padding_idx: int | None = None,
    ) -> Any:
        if max_norm is not None or scale_grad_by_freq or mode not in ("sum", "mean"):
            return original(input, weight, offsets, max_norm, norm_type, scale_grad_by_freq, mode, sparse,
                            per_sample_weights, include_last_offset, padding_idx)
        kept = torch.ones_like(input, dtype=weight.dtype)
        if padding_idx is not None:
            kept = (input != padding_idx % len(weight)).to(weight.dtype)
        factor = kept if per_sample_weights is None else kept * per_sample_weights
        rows = F.embedding(input, weight) * factor.unsqueeze(-1)
        if input.dim() == 2:
            total, count = rows.sum(1), kept.sum(1)
        else:
            total, count = _by_bag(rows, kept, offsets[: len(offsets) - include_last_offset])
        return total if mode == "sum" else total / count.clamp(min=1).unsqueeze(1)

    return embedding_bag


def _by_bag(rows: Any, kept: Any, offsets: Any) -> tuple[Any, Any]:
    bags = (torch.arange(len(rows)).unsqueeze(1) >= offsets).sum(1) - 1
    total = torch.zeros(len(offsets), rows.shape[1], dtype=rows.dtype).index_add(0, bags, rows)
    return total, torch.zeros(len(offsets), dtype=kept.dtype).index_add(0, bags, kept)


# --- Cells of recurrent layers ---------------------------------------------------------------------


def _gru_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    of_input, of_state = F.linear(input, w_ih, b_ih).chunk(3, -1), F.linear(hx, w_hh, b_hh).chunk(3, -1)
    reset, update = (torch.sigmoid(of_input[i] + of_state[i]) for i in (0, 1))
    new = torch.tanh(of_input[2] + reset * of_state[2])
    return new + update * (hx - new)


def _lstm_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    state, cell = hx
    gates = F.linear(input, w_ih, b_ih) + F.linear(state, w_hh, b_hh)
    into, forget, new, out = gates.chunk(4, -1)
    cell = torch.sigmoid(forget) * cell + torch.sigmoid(into) * torch.tanh(new)
    return torch.sigmoid(out) * torch.tanh(cell), cell


def _rnn_cell(function: Any) -> Any:
    def cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
        return function(F.linear(input, w_ih, b_ih) + F.linear(hx, w_hh, b_hh))

    return cell


# --- Tensor.data -----------------------------------------------------------------------------------


def _data(original: Any) -> Any:
    """What a user reads as .data is the tensor without its gradient; an export takes it for a constant."""

    def read(self: Any) -> Any:
        return original.__get__(self) if type(self) is torch.nn.Parameter else self.detach()

    return property(read, original.__set__)


# --- Diagonals -------------------------------------------------------------------------------------


def _fill_diagonal(original: Any) -> Any:
    """By a mask; torch's own becomes a view by strides where writes are taken out of a program."""

    def fill_diagonal_(self: Any, fill_value: Any, wrap: bool = False) -> Any:
        if wrap or self.dim() != 2:
            return original(self, fill_value, wrap)
        return self.masked_fill_(torch.eye(*self.shape, dtype=torch.bool, device=self.device), fill_value)

    return fill_diagonal_


# --- Covariances -----------------------------------------------------------------------------------


def _cov(original: Any) -> Any:
    """Without weights, of which torch's own looks at the values."""

    def cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
        if fweights is not None or aweights is not None or input.dim() > 2:
            return original(input, correction=correction, fweights=fweights, aweights=aweights)
        rows = input.reshape(-1, input.shape[-1]) if input.dim() else input.reshape(1, 1)
        apart = rows - rows.mean(1, keepdim=True)
        found = apart @ apart.mT / max(rows.shape[1] - correction, 0)
        return found if input.dim() == 2 else found.squeeze()

    return cov


def _corrcoef(input: Any) -> Any:
    found = torch.cov(input)
    if found.dim() == 0:
        return found / found
    deviations = found.diagonal().sqrt()
    return (found / deviations.unsqueeze(1) / deviations).clamp(-1, 1)


def _replacements() -> list[tuple[Any, str, Any]]:
    selected: _ctc.Selected = {}
    rnn = torch.nn.utils.rnn
    return [
        *_derivatives.replacements(),
        (rnn.pack_padded_sequence, "__code__", _packed.pack_padded_sequence.__code__),
        (rnn.pad_packed_sequence, "__code__", _packed.pad_packed_sequence.__code__),
        *((layer, "forward", _packed.recurrent_forward(layer.forward)) for layer in (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN)),
        # Validation is branches on data; a distribution may have been told to validate.
        (torch.distributions.Distribution, "_validate_args", property(lambda self: False, lambda self, value: None)),
        (torch.Tensor, "__bool__", _checks.truth(torch.Tensor.__bool__)),
        (torch.SymBool, "__bool__", _checks.truth_of_number(torch.SymBool.__bool__)),
        (torch, "istft", _fourier.istft),
        (torch, "ctc_loss", _ctc.ctc_loss(selected)),
        (torch, "masked_select", _ctc.masked_select(torch.masked_select, selected)),
        (torch.Tensor, "masked_select", _ctc.masked_select(torch.Tensor.masked_select, selected)),
        (torch.Tensor, "fill_diagonal_", _fill_diagonal(torch.Tensor.fill_diagonal_)),
        (torch.Tensor, "data", _data(torch.Tensor.data)),
        (torch, "cov", _cov(torch.cov)),
        (torch.Tensor, "cov", _cov(torch.Tensor.cov)),
        (torch, "corrcoef", _corrcoef),
        (torch.Tensor, "corrcoef", _corrcoef),
        (_BATCH_NORM, "forward", _batch_norm_forward(_BATCH_NORM.forward)),
        (F, "embedding_bag", _embedding_bag(F.embedding_bag)),
        (torch._VF, "gru_cell", _gru_cell),
        (torch._VF, "lstm_cell", _lstm_cell),
        (torch._VF, "rnn_tanh_cell", _rnn_cell(torch.tanh)),
        (torch._VF, "rnn_relu_cell", _rnn_cell(torch.relu)),
    ]


@contextlib.contextmanager
def traceable() -> Iterator[None]:
    """Has these in the place of torch's meanwhile."""
    with _LOCK, contextlib.ExitStack() as stack:
        stack.enter_context(_derivatives.traced_here())
        for owner, name, value in _replacements():
            if isinstance(owner, type) and name not in vars(owner):
                stack.callback(delattr, owner, name)  # What a base class has is there again.
            else:
                stack.callback(setattr, owner, name, vars(owner).get(name, getattr(owner, name)))
            setattr(owner, name, value)
        yield
