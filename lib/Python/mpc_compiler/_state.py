# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The state of a training under the names that PyTorch has for it."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence

import numpy as np

from . import _runtime
from ._errors import InvalidInputError, UsageError

if TYPE_CHECKING:
    from ._step import Step

_SECTIONS = ("model", "optimizer", "scaler", "mpc")
# Numbers that torch keeps together: its name, and ours in their order.
_TUPLES = {
    "betas": ("beta1", "beta2"),
    "etas": ("etaminus", "etaplus"),
    "step_sizes": ("step_size_min", "step_size_max"),
}
# What torch's state starts with where that is not 0, and where it is the rate.
_FIRST = {"mu_product": 1.0, "mu": 1.0}
_FIRST_IS_RATE = frozenset(["step_size", "eta"])
# What torch's param_groups say that is no number of a step.
_TORCH_SWITCHES = frozenset(
    "params param_names maximize foreach capturable differentiable fused amsgrad nesterov centered "
    "decoupled_weight_decay".split()
)
# torch's learning rate where a scheduler has one, which is not a number of the rule.
_TORCH_SCHEDULE = frozenset(["initial_lr", "swap_lr"])


def _names_by_role(step: "Step", *roles: int) -> list[str]:
    return [name for name, info in step._state.items() if info.role in roles]


def number_name(info: Any) -> str:
    """What a user calls a number of the state: beta1, or critic.beta1 of one of several optimizers."""
    return f"{info.owner}.{info.key}" if info.owner else info.key


def _model_names(step: "Step") -> list[str]:
    """Parameters and buffers."""
    return _names_by_role(step, _runtime.STATE_PARAMETER, _runtime.STATE_BUFFER)


def parameter_names(step: "Step") -> list[str]:
    """The parameters, in the order of the program's state."""
    return _names_by_role(step, _runtime.STATE_PARAMETER)


def _slots(step: "Step") -> list[tuple[str, str, str]]:
    """State name, parameter and slot of each slot of an optimizer."""
    return [(name, info.owner, info.key) for name, info in step._state.items()
            if info.role == _runtime.STATE_SLOT]


def _read_all(step: "Step", names: Iterable[str]) -> dict[str, np.ndarray]:
    return {name: step.read_state(name) for name in names}


def model_tensors(step: "Step") -> list[tuple[str, np.ndarray, bool]]:
    """Parameters and buffers by their own names, and whether each is bfloat16 in 16-bit integers."""
    tensors = _read_all(step, _model_names(step)).items()
    return [(name, value.view(np.uint16), True) if value.dtype.name == "bfloat16" else (name, value, False)
            for name, value in tensors]


def model_state(step: "Step") -> dict[str, np.ndarray]:
    """Parameters and buffers by name; a shared parameter under each of its names."""
    state = _read_all(step, _model_names(step))
    for name, parameter in step._program.tied().items():
        state[name] = state[parameter]
    return state


def optimizer_state(step: "Step") -> dict[str, Any]:
    """Slots by parameter and name, and one group with the optimizer's numbers."""
    slots: dict[str, dict[str, Any]] = {}
    for name, parameter, slot in _slots(step):
        slots.setdefault(parameter, {})[slot] = step.read_state(name)
    scalars = {name: float(step.read_state(full)) for name, full in scalars_of_parameters(step).items()}
    for parameter, entries in slots.items():
        entries.update(scalars)
        if scalars.get("step") == 0.0:
            _start_at_rate(entries, _rate_of(step, parameter))
    return {"state": slots, "param_groups": _groups(step)}


def first_number(name: str, rate: float) -> float:
    """What torch's state starts with. A program takes the rate in its first step, whatever its state has until then."""
    return float(np.float32(rate)) if name in _FIRST_IS_RATE else _FIRST.get(name, 0.0)


def _rate_of(step: "Step", parameter: str) -> float | None:
    """The learning rate of a parameter's group; None where none is set yet."""
    for number, group in enumerate(getattr(step, "_groups", ()), 1):
        if parameter in group.names:
            return _own_numbers(step, f"group{number}.").get("lr", step.hyper_parameters.get("lr"))
    return step.hyper_parameters.get("lr")


def _start_at_rate(entries: dict[str, Any], rate: float | None) -> None:
    if rate is None:
        return
    for name in _FIRST_IS_RATE & entries.keys():
        entries[name] = np.full_like(entries[name], rate) if np.ndim(entries[name]) else rate


def is_of_parameters(number: str) -> bool:
    """Whether torch keeps the number of an optimizer's state for each parameter; a power follows from the steps."""
    return number != "applied" and "." not in number and not number.endswith("_power")


def scalars_of_parameters(step: "Step") -> dict[str, str]:
    """What the only optimizer keeps once, and torch for each parameter, as step: its number's name, and the state's."""
    return {number_name(info): name for name, info in step._state.items()
            if info.role == _runtime.STATE_OPTIMIZER and is_of_parameters(number_name(info))}


def _torch_groups(step: "Step") -> list[tuple[list[str], Any]]:
    """Each group of torch's optimizer that the step was compiled with, and its names."""
    optimizer, module = getattr(step, "_optimizer", None), getattr(step, "_module", None)
    names = {} if module is None else {id(parameter): name for name, parameter in module.named_parameters()}
    groups = [] if optimizer is None else optimizer.param_groups
    named = [([names.get(id(p)) for p in group["params"]] if names else group.get("param_names", []), group)
             for group in groups]
    if not all(len(found) == len(group["params"]) for found, group in named):
        return []  # Of a model in a file, whose names the optimizer does not know.
    return named


def _numbers_of_groups(step: "Step") -> dict[int, str]:
    """What the names of a group's numbers begin with, by the index of torch's group."""
    return {index: f"group{number}." for number, group in enumerate(getattr(step, "_groups", ()), 1)
            for index in group.indices}


def _own_numbers(step: "Step", prefix: str) -> dict[str, float]:
    """Those of a group of the program, under torch's names."""
    own, found = step.hyper_parameters, {}
    lr, factor, decay = (own.get(name) for name in ("lr", f"{prefix}lr_factor", f"{prefix}weight_decay"))
    if lr is not None and factor is not None:
        found["lr"] = lr * factor
    if decay is not None:
        found["weight_decay"] = decay
    return found


def _groups(step: "Step") -> list[dict[str, Any]]:
    """As torch's optimizer has them, whose order numbers the parameters; else one."""
    numbers = _numbers(step)
    found, prefixes = [], _numbers_of_groups(step)
    for index, (names, group) in enumerate(_torch_groups(step)):
        # Torch's load_state_dict takes a switch that is not there for one that is off.
        own = {name: group[name] for name in _TORCH_SWITCHES - {"params", "param_names"} if name in group}
        if "weight_decay" in numbers and not group.get("weight_decay"):
            own["weight_decay"] = 0.0
        if index in prefixes:
            own.update(_own_numbers(step, prefixes[index]))
        found.append({**numbers, **own, "params": names})
    return found or [{**numbers, "params": parameter_names(step)}]


def _numbers(step: "Step") -> dict[str, Any]:
    # Settings of a policy, and numbers of groups, as group1.lr_factor.
    others = {number_name(info) for info in step._state.values()
              if info.role == _runtime.STATE_SETTING or "." in info.key}
    numbers = {
        name: value
        for name, value in step.hyper_parameters.items()
        if value is not None and name not in others
    }
    join_tuples(numbers)
    return numbers


def join_tuples(numbers: dict[str, Any]) -> None:
    """Makes one of the numbers that torch keeps together."""
    for theirs, ours in _TUPLES.items():
        if all(name in numbers for name in ours):
            numbers[theirs] = tuple(numbers.pop(name) for name in ours)


def state_dict(step: "Step") -> dict[str, Any]:
    named = {*_model_names(step), *(name for name, _, _ in _slots(step))}
    rest = [name for name in step.state if name not in named]
    return {
        "model": model_state(step),
        "optimizer": optimizer_state(step),
        "scaler": step.scaler.state_dict(),
        "mpc": _read_all(step, rest),
    }


# --- Loading ---------------------------------------------------------------------------------------


def load_state_dict(
    step: "Step", state: Mapping[str, Any], strict: bool, names: Sequence[str] | None
) -> None:
    if not any(isinstance(state.get(section), Mapping) for section in _SECTIONS):
        state = {"model": state}
    unknown = state.keys() - set(_SECTIONS)
    if strict and unknown:
        raise UsageError(f"not sections of a state: {', '.join(sorted(map(str, unknown)))}")
    groups = state.get("optimizer", {}).get("param_groups", [])
    if names is None:
        names = _order_of_groups(step, groups)
    if names is None and len(groups) < 2 and "model" in state:
        names = _order_of(step, state["model"])
    # The exact numbers first: those that were changed under torch's names count.
    for name, value in state.get("mpc", {}).items():
        _write(step, name, value, strict)
    if "model" in state:
        _load_model(step, state["model"], strict)
    if "optimizer" in state:
        _load_optimizer(step, state["optimizer"], names, "mpc" in state)
    if state.get("scaler") and step.scaler.is_enabled():
        step.scaler.load_state_dict(state["scaler"])


def _write(step: "Step", name: str, value: Any, strict: bool) -> None:
    if name in step._state:
        step.write_state(name, value)
    elif strict:
        raise InvalidInputError(f"the program's state has no tensor {name!r}")


def _order_of(step: "Step", model: Mapping[str, Any]) -> list[str]:
    """The parameters in the order of a module, of whose names only the first of a tie counts."""
    known, tied = set(parameter_names(step)), step._program.tied()
    names = (tied.get(name, name) for name in model)
    return [name for name in dict.fromkeys(names) if name in known]


def _order_of_groups(step: "Step", groups: Sequence[Mapping[str, Any]]) -> list[str] | None:
    """That of the optimizer that the step was compiled with, where these are its groups."""
    own = [names for names, _ in _torch_groups(step)]
    if not own or [len(group["params"]) for group in groups] != [len(names) for names in own]:
        return None
    return [name for names in own for name in names]


def _load_model(step: "Step", model: Mapping[str, Any], strict: bool) -> None:
    tied = step._program.tied()
    wanted = set(_model_names(step))
    given = {tied.get(name, name): value for name, value in model.items()}
    # BatchNormalization counts its batches, which nothing reads.
    unknown = sorted(n for n in given.keys() - wanted if not n.endswith("num_batches_tracked"))
    missing = sorted(wanted - given.keys())
    if strict and (unknown or missing):
        parts = [f"it lacks {', '.join(missing)}"] if missing else []
        parts += [f"the program has no {', '.join(unknown)}"] if unknown else []
        raise InvalidInputError("the state of the model: " + "; ".join(parts))
    for name, value in given.items():
        if name in wanted:
            step.write_state(name, value)


def _named_slots(
    state: Mapping[Any, Any], groups: Sequence[Mapping[str, Any]], names: Sequence[str] | None
) -> dict[str, Mapping[str, Any]]:
    """Slots by a parameter's name, which torch gives as a number."""
    if all(isinstance(key, str) for key in state):
        return dict(state)
    listed = [name for group in groups for name in group.get("param_names", ())]
    numbers = [index for group in groups for index in group["params"]]
    if len(listed) == len(numbers):
        by_number = dict(zip(numbers, listed))
    elif names is not None and len(names) == len(numbers):
        by_number = dict(enumerate(names))
    else:
        raise UsageError(
            f"the optimizer's state numbers its {len(numbers)} parameters: parameter_names must "
            "say which they are, group by group, as [name for name, _ in module.named_parameters()] "
            "of a single one"
        )
    return {by_number[index]: slots for index, slots in state.items()}


def _load_optimizer(
    step: "Step", optimizer: Mapping[str, Any], names: Sequence[str] | None, exact: bool
) -> None:
    groups = optimizer.get("param_groups", [])
    slots = _named_slots(optimizer.get("state", {}), groups, names)
    _load_numbers(step, groups)
    for full, parameter, slot in _slots(step):
        if parameter in slots and slots[parameter].get(slot) is not None:
            step.write_state(full, slots[parameter][slot])
        elif slots:
            raise InvalidInputError(f"the optimizer's state lacks {slot!r} of {parameter!r}")
    # Torch's SGD counts nothing, but its slots are those of a later step than the first.
    numbers = {"step": 1.0, **_even_scalars(step, slots)}
    if slots and not exact:
        _load_scalars(step, numbers)


def _even_scalars(step: "Step", slots: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """What torch keeps for each parameter and a program once."""
    found = {}
    for name in scalars_of_parameters(step):
        values = {float(entry[name]) for entry in slots.values() if name in entry}
        if len(values) > 1:
            raise InvalidInputError(f"the optimizer's state has another {name!r} for other parameters")
        if values:
            found[name] = values.pop()
        elif slots and name != "step":
            raise InvalidInputError(f"the optimizer's state lacks {name!r}")
    return found


def _load_numbers(step: "Step", groups: Sequence[Mapping[str, Any]]) -> None:
    """Those of all groups, of which some may only be without weight decay."""
    for group in sorted(groups, key=lambda group: group.get("weight_decay") or 0)[-1:]:
        for name, value in group.items():
            if name in _TORCH_SWITCHES or name in _TORCH_SCHEDULE or value is None:
                continue
            pairs = zip(_TUPLES[name], value) if name in _TUPLES else [(name, value)]
            for ours, number in pairs:
                if ours in step._numbers:
                    step.set_hyper_parameter(ours, float(number))
    prefixes = _numbers_of_groups(step)
    if prefixes and max(prefixes) < len(groups) and "lr" in groups[0]:
        _load_groups(step, groups, prefixes)


def _load_groups(step: "Step", groups: Sequence[Mapping[str, Any]], prefixes: Mapping[int, str]) -> None:
    """Numbers that are there already stay as they are, to the bit."""
    step.set_hyper_parameter("lr", float(groups[0]["lr"]))
    rate = step.hyper_parameters["lr"]
    for index, prefix in prefixes.items():
        group, own = groups[index], _own_numbers(step, prefix)
        if own.get("lr", group["lr"]) != group["lr"] and rate:
            step.set_hyper_parameter(f"{prefix}lr_factor", float(group["lr"]) / rate)
        if own.get("weight_decay", group.get("weight_decay")) != group.get("weight_decay"):
            step.set_hyper_parameter(f"{prefix}weight_decay", float(group["weight_decay"]))


def _load_scalars(step: "Step", numbers: Mapping[str, float]) -> None:
    """The numbers that torch keeps for each parameter, by name."""
    names = scalars_of_parameters(step)
    for name, number in numbers.items():
        if name == "step":
            _load_count(step, number)
        else:
            step.write_state(names[name], np.float64(number))


def _load_count(step: "Step", count: float) -> None:
    """The steps, and the powers that follow, multiplied up as each step does."""
    bases = {f"{number_name(info)}_power": number_name(info) for info in step._state.values()
             if info.role == _runtime.STATE_HYPER_PARAMETER}
    for name in _names_by_role(step, _runtime.STATE_OPTIMIZER):
        info = step._state[name]
        if info.key == "step":
            step.write_state(name, np.float64(count))
        elif number_name(info) in bases:
            base, power = step._runner.read_number(bases[number_name(info)]), 1.0
            for _ in range(int(count)):
                power *= base
            step.write_state(name, np.float64(power))


# --- torch -----------------------------------------------------------------------------------------


def sync_to_module(step: "Step", module: Any) -> None:
    import torch  # type: ignore[import-not-found]

    from .convert import to_tensor

    own = module.state_dict()
    with torch.no_grad():
        for name, value in model_state(step).items():
            if name not in own:
                raise InvalidInputError(f"the module has no {name!r}")
            own[name].copy_(to_tensor(value))
