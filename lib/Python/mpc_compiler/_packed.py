# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packed sequences while a module is traced: padded ones with their lengths, since an export does not take the packing."""
from __future__ import annotations

from typing import Any, Callable

import torch  # type: ignore[import-not-found]
from torch.nn import functional as F  # type: ignore[import-not-found]

from ._errors import UnsupportedError, UsageError


class Packed:
    """In the place of torch's PackedSequence: steps [T, N, ...], and the length of each sequence."""

    def __init__(self, steps: Any, lengths: Any, longest: int | None) -> None:
        self.steps, self.lengths = steps, lengths
        self.longest = longest  # The greatest length; None where it depends on data.

    def __getattr__(self, name: str) -> Any:
        raise UnsupportedError(
            f".{name} of a packed sequence: its size depends on data; read what pad_packed_sequence() gives")


def _pack(input: Any, lengths: Any, batch_first: bool) -> Packed:
    steps = input.transpose(0, 1) if batch_first else input
    if isinstance(lengths, torch.Tensor):
        return Packed(steps, lengths.to(device=steps.device, dtype=torch.int64), None)
    longest = max(lengths)
    return Packed(steps[:longest], torch.tensor(lengths, dtype=torch.int64, device=steps.device), longest)


def _pad(sequence: Packed, batch_first: bool, padding_value: float, total_length: int | None) -> tuple[Any, Any]:
    steps, longest = sequence.steps, sequence.longest
    if longest is None and total_length is None:
        raise UnsupportedError(
            "pad_packed_sequence() of lengths in a tensor: the size of its result depends on data; give it "
            "total_length=, which is that of what was packed")
    if longest is not None and total_length is not None and total_length < longest:
        raise UsageError(f"pad_packed_sequence(): total_length={total_length} for a sequence of {longest} steps")
    if total_length is not None:  # A pad below 0 leaves the last steps out.
        steps = F.pad(steps, [0, 0] * (steps.dim() - 1) + [0, total_length - steps.shape[0]])
    steps = torch.where(_is_within(steps, sequence.lengths), steps, padding_value)
    return steps.transpose(0, 1) if batch_first else steps, sequence.lengths


def _is_within(steps: Any, lengths: Any) -> Any:
    """Where a step [T, N, 1] belongs to its sequence."""
    numbers = torch.arange(steps.shape[0], device=steps.device)
    return (numbers.unsqueeze(1) < lengths).reshape(*steps.shape[:2], *[1] * (steps.dim() - 2))


def _reversed(steps: Any, lengths: Any) -> Any:
    """Each sequence from its end; behind it anything."""
    numbers = torch.arange(steps.shape[0], device=steps.device).unsqueeze(1)
    places = (lengths - 1 - numbers).clamp(min=0)
    return steps.gather(0, places.unsqueeze(2).expand_as(steps))


# Users import these two by name: it is their code that torch's functions have meanwhile, with torch's defaults.


def pack_padded_sequence(input: Any, lengths: Any, batch_first: Any, enforce_sorted: Any) -> Any:
    from mpc_compiler import _packed

    return _packed._pack(input, lengths, batch_first)


def pad_packed_sequence(sequence: Any, batch_first: Any, padding_value: Any, total_length: Any) -> Any:
    from mpc_compiler import _packed

    return _packed._pad(sequence, batch_first, padding_value, total_length)


# --- Layers ----------------------------------------------------------------------------------------


def _lstm(of_input: Any, of_state: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
    into, forget, new, out = (of_input + of_state).chunk(4, -1)
    cell = torch.sigmoid(forget) * state[1] + torch.sigmoid(into) * torch.tanh(new)
    return torch.sigmoid(out) * torch.tanh(cell), cell


def _gru(of_input: Any, of_state: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
    (reset, update, new), (reset_h, update_h, new_h) = of_input.chunk(3, -1), of_state.chunk(3, -1)
    reset, update = torch.sigmoid(reset + reset_h), torch.sigmoid(update + update_h)
    new = torch.tanh(new + reset * new_h)
    return (new + update * (state[0] - new),)


def _tanh(of_input: Any, of_state: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
    return (torch.tanh(of_input + of_state),)


def _relu(of_input: Any, of_state: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
    return (torch.relu(of_input + of_state),)


_CELLS = {"LSTM": _lstm, "GRU": _gru, "RNN_TANH": _tanh, "RNN_RELU": _relu}


def _run(
    cell: Callable[..., tuple[Any, ...]], steps: Any, lengths: Any, weights: dict[str, Any], first: tuple[Any, ...],
) -> tuple[Any, tuple[Any, ...]]:
    """One direction of a layer: the outputs of all steps, and the state behind each sequence's last."""
    from torch._higher_order_ops.scan import scan  # type: ignore[import-not-found]

    of_input = F.linear(steps, weights["w_ih"], weights.get("b_ih"))
    goes_on = _is_within(steps, lengths).expand(-1, -1, first[0].shape[1])
    weight, bias = weights["w_hh"], weights.get("b_hh")

    def turn(state: tuple[Any, ...], now: tuple[Any, Any]) -> tuple[tuple[Any, ...], Any]:
        product, is_within = now
        moved = cell(product, F.linear(state[0], weight, bias), state)
        kept = tuple(torch.where(is_within, new, old) for new, old in zip(moved, state))
        return kept, kept[0].clone()

    state, outputs = scan(turn, first, (of_input, goes_on), dim=0)
    return outputs, state


def _weights_of(layer: Any, number: int, suffix: str) -> dict[str, Any]:
    names = {"w_ih": "weight_ih", "w_hh": "weight_hh", **({"b_ih": "bias_ih", "b_hh": "bias_hh"} if layer.bias else {})}
    return {short: getattr(layer, f"{name}_l{number}{suffix}") for short, name in names.items()}


def _run_layer(layer: Any, packed: Packed, state: Any) -> tuple[Packed, Any]:
    if getattr(layer, "proj_size", 0):
        raise UnsupportedError("an LSTM with proj_size= of a packed sequence is not supported")
    steps, lengths = packed.steps, packed.lengths
    suffixes = ("", "_reverse") if layer.bidirectional else ("",)
    shape = layer.num_layers * len(suffixes), steps.shape[1], layer.hidden_size
    is_lstm = layer.mode == "LSTM"
    if state is None:
        state = tuple(steps.new_zeros(shape) for _ in range(1 + is_lstm))
    state = state if isinstance(state, tuple) else (state,)
    last = []
    for number in range(layer.num_layers):
        outputs = []
        for suffix in suffixes:
            # A scan wants what it begins with in the order of what follows.
            first = tuple(part[len(last)].clone(memory_format=torch.contiguous_format) for part in state)
            given = _reversed(steps, lengths) if suffix else steps
            found, ends = _run(_CELLS[layer.mode], given, lengths, _weights_of(layer, number, suffix), first)
            outputs.append(_reversed(found, lengths) if suffix else found)
            last.append(ends)
        steps = torch.cat(outputs, -1)
        if number < layer.num_layers - 1:
            steps = F.dropout(steps, layer.dropout, layer.training)
    ends = tuple(torch.stack(part) for part in zip(*last))
    return Packed(steps, lengths, packed.longest), ends if is_lstm else ends[0]


def recurrent_forward(original: Callable[..., Any]) -> Callable[..., Any]:
    """The forward of a recurrent layer, for packed sequences too."""

    def forward(self: Any, input: Any, hx: Any = None) -> Any:
        return _run_layer(self, input, hx) if isinstance(input, Packed) else original(self, input, hx)

    return forward
