# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Connectionist temporal classification by ops that torch.export takes, which refuses torch's own op.

A. Graves et al., "Connectionist Temporal Classification", ICML 2006: the forward variables alone; their gradient is the
compiler's.
"""
from __future__ import annotations

import functools
from typing import Any, Callable

import torch  # type: ignore[import-not-found]

from ._errors import UsageError

# The logarithm of what cannot be. It is finite, so that differences of two such are no NaN.
_IMPOSSIBLE = -1e30
_NONE, _MEAN = 0, 1  # torch's numbers of reductions.

# Results of masked_select() while a module is traced, their sources and masks: their sizes depend on data.
Selected = dict[int, tuple[Any, Any, Any]]


def masked_select(original: Callable[..., Any], selected: Selected) -> Callable[..., Any]:
    """torch's function, which lets ctc_loss() know where its results come from."""

    def select(input: Any, mask: Any, **out: Any) -> Any:
        result = original(input, mask, **out)
        selected[id(result)] = result, input, mask
        return result

    return select


def _lengths(given: Any, device: Any) -> Any:
    """Lengths as a vector: of a tensor, or numbers."""
    numbers = given if isinstance(given, torch.Tensor) else torch.tensor(given, dtype=torch.int64, device=device)
    return numbers.reshape(-1).to(torch.int64)


def _packed(source: Any, mask: Any) -> Any:
    """source.masked_select(mask), and then anything up to the size of both."""
    source, mask = (x.reshape(-1) for x in torch.broadcast_tensors(source, mask))
    count = mask.to(torch.int64).cumsum(0)
    # What is left out goes behind the last place.
    places = torch.where(mask, count - 1, source.shape[0])
    return torch.zeros_like(source).new_zeros(source.shape[0] + 1).scatter(0, places, source)[:-1]


def _rows(targets: Any, lengths: Any, longest: int) -> Any:
    """Targets that lie behind one another as [N, longest]."""
    starts = lengths.cumsum(0) - lengths
    places = starts.unsqueeze(1) + torch.arange(longest, device=targets.device)
    return targets[places.clamp(max=targets.shape[0] - 1)]


def _padded(targets: Any, given: Any, lengths: Any, batch: int, selected: Selected) -> Any:
    """Targets as [N, S], S of 1 or more."""
    if targets.dim() == 2:
        return targets if targets.shape[1] else torch.zeros_like(targets).new_zeros(batch, 1)
    _, source, mask = selected.get(id(targets), (None, None, None))
    longest = None if isinstance(given, torch.Tensor) else max(given, default=0)
    if source is not None:
        longest = source.shape[-1] if longest is None and source.dim() == 2 and source.shape[0] == batch else longest
        targets = _packed(source, mask)
    return _rows(targets, lengths, targets.shape[0] if longest is None else longest)


def _shifted(alpha: Any, by: int) -> Any:
    return torch.nn.functional.pad(alpha, (by, 0), value=_IMPOSSIBLE)[:, : alpha.shape[1]]


def _log_sum(terms: list[Any]) -> Any:
    most = functools.reduce(torch.maximum, terms).detach()
    return most + functools.reduce(torch.add, [torch.exp(term - most) for term in terms]).log()


def _forward_variables(scores: Any, may_skip: Any, lengths: Any) -> Any:
    """log p of all paths to each state [N, L] after a sequence's last step; `scores` is [T, N, L]."""
    from torch._higher_order_ops.scan import scan  # type: ignore[import-not-found]

    states = torch.arange(scores.shape[2], device=scores.device)
    # Without a step there is one way: to no label.
    none = torch.where(states == 0, 0.0, _IMPOSSIBLE)
    first = torch.where(lengths.unsqueeze(1) > 0, torch.where(states < 2, scores[0], _IMPOSSIBLE), none)
    if scores.shape[0] == 1:
        return first
    steps = torch.arange(1, scores.shape[0], device=scores.device)
    goes_on = (steps.unsqueeze(1) < lengths).unsqueeze(2).expand(-1, -1, scores.shape[2])

    def turn(alpha: Any, now: Any) -> tuple[Any, Any]:
        score, is_within = now
        skipped = torch.where(may_skip, _shifted(alpha, 2), _IMPOSSIBLE)
        moved = score + _log_sum([alpha, _shifted(alpha, 1), skipped])
        return torch.where(is_within, moved, alpha), alpha[:1, :1].clone()

    alpha, _ = scan(turn, first, (scores[1:], goes_on), dim=0)
    return alpha


def _losses(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int) -> Any:
    """-log p of each sequence's target, and where there is no way to it."""
    time, batch, _ = log_probs.shape
    blanks = torch.full_like(targets, blank)
    # What a row has behind its target may be no label.
    targets = torch.where(torch.arange(targets.shape[1], device=targets.device) < target_lengths.unsqueeze(1), targets, blanks)
    labels = torch.stack((blanks, targets), 2).reshape(batch, -1)
    labels = torch.cat((labels, blanks.new_full((batch, 1), blank)), 1)
    before = torch.nn.functional.pad(labels, (2, 0), value=blank)[:, : labels.shape[1]]
    may_skip = labels != before
    scores = log_probs.gather(2, labels.unsqueeze(0).expand(time, -1, -1)).clamp(min=_IMPOSSIBLE)
    alpha = _forward_variables(scores, may_skip, input_lengths)
    last = (2 * target_lengths).unsqueeze(1)
    ends = [alpha.gather(1, last), alpha.gather(1, (last - 1).clamp(min=0))]
    ends[1] = torch.where(last > 0, ends[1], _IMPOSSIBLE)
    return -_log_sum(ends).squeeze(1)


def _with_softmax_gradient(losses: Any, log_probs: Any, input_lengths: Any) -> Any:
    """Gives log_probs the gradient that torch's op has, which is that of a log_softmax's input."""
    steps = torch.arange(log_probs.shape[0], device=log_probs.device).unsqueeze(1)
    # Scores that are no logarithms of probabilities may be large.
    total = torch.where(steps < input_lengths, log_probs.clamp(max=80.0).exp().sum(2), 0.0).sum(0)
    return losses + (total - total.detach())


def _ctc_loss(
    selected: Selected, log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int, reduction: int,
    zero_infinity: bool,
) -> Any:
    is_batch = log_probs.dim() == 3
    if not is_batch:
        log_probs, targets = log_probs.unsqueeze(1), targets.reshape(1, -1)
    batch = log_probs.shape[1]
    of_inputs, of_targets = (_lengths(given, log_probs.device) for given in (input_lengths, target_lengths))
    if len(of_inputs) != batch or len(of_targets) != batch:
        raise UsageError(f"ctc_loss: {len(of_inputs)} and {len(of_targets)} lengths for a batch of {batch}")
    rows = _padded(targets.to(torch.int64), target_lengths, of_targets, batch, selected)
    wide = log_probs if log_probs.dtype == torch.float64 else log_probs.float()
    losses = _losses(wide, rows, of_inputs, of_targets, blank)
    is_possible = losses < -_IMPOSSIBLE / 10
    losses = _with_softmax_gradient(losses, wide, of_inputs)
    # A product with infinity has no finite gradient, as torch's, so that a scaler sees it.
    losses = torch.where(is_possible, losses, 0.0) if zero_infinity else losses * torch.where(is_possible, 1.0, torch.inf)
    if reduction == _NONE:
        return losses if is_batch else losses.squeeze(0)
    return (losses / of_targets.clamp(min=1)).mean() if reduction == _MEAN else losses.sum()


def ctc_loss(selected: Selected) -> Callable[..., Any]:
    """In the place of torch.ctc_loss. `selected` knows what masked_select() gave."""

    def loss(
        log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0, reduction: int = _MEAN,
        zero_infinity: bool = False,
    ) -> Any:
        return _ctc_loss(selected, log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)

    return loss
