# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of torch that an export does not take, or takes as an op of its own, while a module is traced: by other ops."""
from __future__ import annotations

import contextlib
from typing import Any, Iterator

import torch  # type: ignore[import-not-found]
from torch.nn import functional as F  # type: ignore[import-not-found]

_BATCH_NORM = torch.nn.modules.batchnorm._BatchNorm


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


@contextlib.contextmanager
def traceable() -> Iterator[None]:
    forward, bag = _BATCH_NORM.forward, F.embedding_bag
    _BATCH_NORM.forward, F.embedding_bag = _batch_norm_forward(forward), _embedding_bag(bag)
    try:
        yield
    finally:
        _BATCH_NORM.forward, F.embedding_bag = forward, bag
