# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parameter groups of an optimizer of torch, as groups of a program with rates and weight decays of their own."""
from __future__ import annotations

import dataclasses
import re
from typing import Any, Mapping, Sequence

import numpy as np


@dataclasses.dataclass(frozen=True)
class Partition:
    """Which of torch's groups have the same numbers, and what differs between them."""

    classes: tuple[int, ...] = ()  # Of each group; groups of one class are one of the program.
    rates: bool = False  # Whether learning rates differ.
    decays: bool = False  # Whether weight decays that are not 0 differ.

    @property
    def differ(self) -> bool:
        """Whether one set of numbers is not enough. Weight decay or none alone needs no groups."""
        return self.rates or self.decays


def _decay_of(group: Mapping[str, Any]) -> float:
    return float(group.get("weight_decay") or 0)


def _rates_of(group: Mapping[str, Any]) -> tuple[float, float]:
    """A schedule may start with one rate for all, as 0."""
    return float(group["lr"]), float(group.get("initial_lr", group["lr"]))


def partition(groups: Sequence[Mapping[str, Any]], before: Partition = Partition()) -> Partition:
    """That of the groups as they are. What differed `before` still does, so that a schedule under which numbers meet
    and part compiles nothing anew."""
    own = before if len(before.classes) == len(groups) else Partition((0,) * len(groups))
    classes: dict[Any, int] = {}
    found = tuple(classes.setdefault((old, _rates_of(group), _decay_of(group)), len(classes))
                  for old, group in zip(own.classes, groups))
    rates = {_rates_of(group) for group in groups}
    decays = {_decay_of(group) for group in groups} - {0.0}
    return Partition(found, own.rates or len(rates) > 1, own.decays or len(decays) > 1)


@dataclasses.dataclass
class Group:
    """A group of a program."""

    names: list[str]
    indices: list[int]  # Of torch's groups that have its numbers.

    @property
    def index(self) -> int:
        return self.indices[0]


def members(groups: Sequence[Mapping[str, Any]], parts: Partition, names: Mapping[int, str]) -> list[Group]:
    """The groups of a program, by the names of parameters."""
    if not parts.differ:
        return []
    found: dict[int, Group] = {}
    for index, (part, group) in enumerate(zip(parts.classes, groups)):
        own = [names[id(p)] for p in group["params"] if id(p) in names]
        if own:
            one = found.setdefault(part, Group([], []))
            one.names.extend(own)
            one.indices.append(index)
    return list(found.values())


def flag_of(group: Group, groups: Sequence[Mapping[str, Any]], parts: Partition, rate: float) -> str:
    """The value of --group."""
    torch_group = groups[group.index]
    numbers = [f"lr={rate!r}"] if parts.rates else []
    if "weight_decay" in torch_group:
        numbers.append(f"weight-decay={_decay_of(torch_group)!r}")
    return f"{pattern(group.names)}:{','.join(numbers)}"


def base_rate(groups: Sequence[Mapping[str, Any]], parts: Partition) -> float:
    """The rate of a step, of which those of groups are multiples: the largest, since others may be 0."""
    return max(float(group["lr"]) for group in groups) if parts.rates else float(groups[0]["lr"])


def factor(group: Mapping[str, Any], rate: float) -> float:
    """What a step multiplies `rate` by, which it has in f32, for the rate of a group."""
    single = float(np.float32(rate))
    return float(group["lr"]) / single if single else 0.0


def pattern(names: Sequence[str]) -> str:
    """A regular expression for names of torch alone. What several begin with is there once, since it may not be long."""
    return f"^{_alternatives([name.split('.') for name in names])}$"


def _alternatives(paths: list[list[str]]) -> str:
    rests: dict[str, list[list[str]]] = {}
    for first, *rest in paths:
        rests.setdefault(first, []).append(rest)
    texts = []
    for first, found in rests.items():
        deeper = [rest for rest in found if rest]
        tail = f"\\.{_alternatives(deeper)}" if deeper else ""
        texts.append(re.escape(first) + (f"(?:{tail})?" if tail and len(deeper) < len(found) else tail))
    return texts[0] if len(texts) == 1 else f"(?:{'|'.join(texts)})"
