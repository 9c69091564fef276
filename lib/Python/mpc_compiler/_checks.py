# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches on data that only raise an error or tell something: a trace goes past them, as a program has no such branch."""
from __future__ import annotations

import ast
import dis
import functools
import linecache
import sys
import types
from typing import Any, Callable

from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode  # type: ignore[import-not-found]

_TELLING = frozenset(["warn", "warn_once", "warning", "warning_once", "warning_advice", "error", "info", "info_once", "debug", "print"])


def _only_tells(statement: ast.stmt) -> bool:
    """Whether a statement raises, or calls what prints or logs."""
    if isinstance(statement, ast.Raise):
        return True
    if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)):
        return False
    called = statement.value.func
    return getattr(called, "attr", getattr(called, "id", "")) in _TELLING


@functools.lru_cache(maxsize=64)
def _checks_of(file: str) -> list[tuple[ast.expr, bool]]:
    """The condition of each check in a file, and the value with which it passes."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return []
    found: list[tuple[ast.expr, bool]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            found.append((node.test, True))
        elif isinstance(node, ast.If) and not node.orelse and all(map(_only_tells, node.body)):
            found.append((node.test, False))
    return found


_Place = tuple[int, int]  # A line, from 1 on, and a column.


def _holds(node: ast.expr, place: _Place) -> bool:
    end = node.end_lineno or node.lineno, node.end_col_offset or 0
    return (node.lineno, node.col_offset) <= place < end


def _value_in(condition: ast.expr, wanted: bool, place: _Place) -> bool | None:
    """What the part at `place` must be, so that the condition is `wanted`; None where that depends on other parts."""
    if isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not):
        return _value_in(condition.operand, not wanted, place)
    if not isinstance(condition, ast.BoolOp):
        return wanted
    part = next((value for value in condition.values if _holds(value, place)), None)
    return None if part is None else _value_in(part, wanted, place)


def _place_in(frame: types.FrameType) -> _Place | None:
    """Of the expression whose truth a frame asks for; None where Python does not tell."""
    if sys.version_info < (3, 11):
        return None
    # A jump has the place of its statement; what it looks at comes from the instruction before it.
    before = [i for i in dis.get_instructions(frame.f_code) if i.offset < frame.f_lasti and i.opname != "EXTENDED_ARG"]
    positions = before[-1].positions if before else None
    if positions is None or positions.lineno is None or positions.col_offset is None:
        return None
    return positions.lineno, positions.col_offset


def passing_value(frame: types.FrameType) -> bool | None:
    """The truth value with which a check passes whose condition `frame` looks at; None where that is no such."""
    place = _place_in(frame)
    if place is None:
        return None
    for condition, wanted in _checks_of(frame.f_code.co_filename):
        if _holds(condition, place):
            return _value_in(condition, wanted, place)
    return None


def truth(original: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """In the place of Tensor.__bool__: a check passes."""

    def __bool__(self: Any) -> bool:
        value = passing_value(sys._getframe(1))
        return original(self) if value is None else value

    return __bool__


def truth_of_number(original: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """The same in the place of SymBool.__bool__, which asks first whether the value is known."""

    def __bool__(self: Any) -> bool:
        try:
            return original(self)
        except GuardOnDataDependentSymNode:
            value = passing_value(sys._getframe(1))
            if value is None:
                raise
            return value

    return __bool__
