# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.istft() while a module is traced: by the inverse transforms that the importer reads, and sums of what overlaps."""
from __future__ import annotations

from typing import Any

import torch  # type: ignore[import-not-found]
from torch.nn import functional as F  # type: ignore[import-not-found]

from ._errors import UnsupportedError


def _overlapped(frames: Any, hop: int) -> Any:
    """The sum of frames [batch, frames, size], of which each begins `hop` behind the one before."""
    batch, count, size = frames.shape
    parts = -(-size // hop)
    frames = F.pad(frames, (0, parts * hop - size)).reshape(batch, count, parts, hop)
    moved = [F.pad(frames[:, :, part], (0, 0, part, parts - 1 - part)) for part in range(parts)]
    return torch.stack(moved).sum(0).reshape(batch, -1)[:, : size + hop * (count - 1)]


def _window(given: Any, win_length: int | None, size: int, like: Any) -> Any:
    length = size if win_length is None else win_length
    window = torch.ones(length, dtype=like.dtype, device=like.device) if given is None else given
    if window.shape != (length,) or length > size:
        raise RuntimeError(f"istft(): expected a window of {length} numbers, at most {size}, got {list(window.shape)}")
    free = size - window.shape[0]
    return F.pad(window, (free // 2, free - free // 2)) if free else window


def istft(
    input: Any, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Any = None,
    center: bool = True, normalized: bool = False, onesided: bool | None = None, length: int | None = None,
    return_complex: bool = False,
) -> Any:
    """As torch's. Whether the windows leave a gap is data, which is not looked at: it gives NaN or infinity there."""
    if return_complex:
        raise UnsupportedError("torch.istft(return_complex=True) is not compiled: a signal of real numbers is")
    has_batch = input.dim() == 3
    spectra = (input if has_batch else input.unsqueeze(0)).transpose(1, 2)
    if spectra.shape[2] not in (n_fft, n_fft // 2 + 1):
        raise RuntimeError(f"istft(): {spectra.shape[2]} frequencies are no transform of n_fft={n_fft} numbers")
    if onesided is False or (onesided is None and spectra.shape[2] == n_fft):
        spectra = spectra[:, :, : n_fft // 2 + 1]
    frames = torch.fft.irfft(spectra, n_fft, 2, "ortho" if normalized else "backward")
    hop = n_fft // 4 if hop_length is None else hop_length
    window = _window(window, win_length, n_fft, frames)
    found = _overlapped(frames * window, hop)
    weights = _overlapped((window * window).expand(1, frames.shape[1], n_fft), hop)
    begin = n_fft // 2 if center else 0
    end = begin + length if length is not None else found.shape[1] - begin
    signal = found[:, begin:end] / weights[:, begin:end]
    signal = F.pad(signal, (0, max(end - found.shape[1], 0)))
    return signal if has_batch else signal.squeeze(0)
