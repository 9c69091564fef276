# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hooks of torch modules, which a compiled program would not call: they are refused by name."""
from __future__ import annotations

from typing import Any

from ._errors import UnsupportedError

_KINDS = {
    "_forward_hooks": "forward hook",
    "_forward_pre_hooks": "forward pre-hook",
    "_backward_hooks": "backward hook",
    "_backward_pre_hooks": "backward pre-hook",
}
# They compute a part of the model, which an export has (weight_norm, spectral_norm, recording of outputs).
_TRACED = ("torch.", "transformers.")


def _module_of(hook: Any) -> str:
    return getattr(hook, "__module__", None) or type(hook).__module__


def _name_of(hook: Any) -> str:
    return getattr(hook, "__qualname__", type(hook).__qualname__)


class Hooks:
    """The hooks of a module's parts."""

    def __init__(self, module: Any) -> None:
        self._lists = []
        for name, part in module.named_modules():
            for attribute, kind in _KINDS.items():
                # Those of the module itself that run around forward are called as ever.
                if name or "backward" in attribute:
                    self._lists.append((name, kind, getattr(part, attribute)))
        self._found = [hooks for _, _, hooks in self._lists]

    def check(self) -> None:
        """Raises where there is a hook that would not be called."""
        if not any(self._found):
            return
        for name, kind, hooks in self._lists:
            for hook in hooks.values():
                if not (kind.startswith("forward") and _module_of(hook).startswith(_TRACED)):
                    raise UnsupportedError(
                        f"{kind} {_name_of(hook)!r} of module {name or 'itself'!r}: a compiled program calls no hooks "
                        "inside of a module: remove it, or call the plain module where it is needed"
                    )
