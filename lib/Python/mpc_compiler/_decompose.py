# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that the importer does not read, said by PyTorch in ops that it does."""
from __future__ import annotations

from typing import Any, Callable

import torch  # type: ignore[import-not-found]

from . import _compiler

# A decomposition may have ops that want one themselves.
_ROUNDS = 8


def _is_op(node: Any) -> bool:
    return isinstance(node.target, torch._ops.OpOverload)


def _is_check(node: Any) -> bool:
    """Whether an op gives nothing: it can only fail."""
    return _is_op(node) and not node.target._schema.returns


def _missing_of(graph: Any, found: dict[Any, None]) -> None:
    """Adds the ops of a graph that the importer does not read; what checks alone read, it passes over."""
    needed: set[Any] = set()
    for node in reversed(graph.nodes):
        is_missing = _is_op(node) and not _compiler.Model.reads_exported_op(f"torch.ops.{node.target}")
        if _is_check(node) or (is_missing and node not in needed):
            continue
        needed.update(node.all_input_nodes)
        if is_missing:
            found[node.target] = None


def _missing(program: Any) -> list[Any]:
    found: dict[Any, None] = {}
    for module in program.graph_module.modules():
        if hasattr(module, "graph"):
            _missing_of(module.graph, found)
    return list(found)


def _decomposition_of(op: Any) -> Callable[..., Any] | None:
    """What PyTorch has in the op's place: of export, of its compiler, or the op's own composition."""
    exported = torch.export.default_decompositions()
    if op in exported:
        return exported[op]
    known = torch._decomp.decomposition_table.get(op)
    if known is not None:
        return known
    return op.decompose if op._can_decompose() else None


def _without(program: Any, ops: list[Any], named: list[Any]) -> Any:
    """The program with others in the place of `ops`, of those that are `named`; None where they come to further such ops."""
    kept = [op for op in named if op not in ops]
    result, missing = program, ops
    for _ in range(_ROUNDS):
        table = {op: how for op in missing if (how := _decomposition_of(op)) is not None}
        if not table:
            break
        try:
            result = result.run_decompositions(table)
        except Exception:  # What torch raises here has no common class.
            return None
        missing = [op for op in _missing(result) if op not in kept]
    return result if set(missing) <= set(named) else None


def decompose_missing(program: Any) -> Any:
    """The program without those ops, as far as PyTorch has other ones for them; the same where it has none of them.

    What is left is refused by the importer, which names the user's ops and lines: an op that comes to another one that is
    not read either stays as it is.
    """
    named = _missing(program)
    result = _without(program, named, named)
    if result is None:
        sound = [op for op in named if _without(program, [op], named) is not None]
        result = _without(program, sound, named)
    return program if result is None else result
