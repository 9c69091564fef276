# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(f, backend="mpc"): graphs of Dynamo that compute a loss run as a wrapped module does."""
from __future__ import annotations

import re
import warnings
import weakref
from typing import Any, Callable, Mapping, Sequence

import torch  # type: ignore[import-not-found]

from ._errors import MpcWarning, UsageError
from ._wrap import wrap

_TAKEN = ("precision", "seed", "num_threads", "shapes", "forward_gradient")
_said: set[str] = set()


def _say(reason: str) -> None:
    if reason not in _said:
        _said.add(reason)
        warnings.warn(f"torch.compile(backend='mpc'): a graph runs by torch: {reason}", MpcWarning, stacklevel=2)


# --- The graph -------------------------------------------------------------------------------------


def _name_of(node: Any) -> str:
    """What the user calls an input of a graph: 'model.head.weight'."""
    source = getattr(node, "_dynamo_source", None)
    text = getattr(source, "name", "")
    text = text() if callable(text) else text
    parts = [quoted or plain for quoted, plain in re.findall(r"\[['\"]?([^'\"\]]+)['\"]?\]|\.(\w+)", text)]
    return ".".join(part for part in parts if part not in ("_modules", "_parameters", "_buffers")) or node.name


def _is_state(example: Any) -> bool:
    """Whether an input is a parameter or a buffer of a module."""
    is_static = getattr(example, "_dynamo_static_input_type", None) is not None
    return isinstance(example, torch.nn.Parameter) or (is_static and isinstance(example, torch.Tensor))


def _outputs(graph: Any) -> list[Any]:
    node = next(node for node in graph.nodes if node.op == "output")
    return list(node.args[0])


def _wants_gradient(output: Any) -> bool:
    value = output.meta.get("example_value") if isinstance(output, torch.fx.Node) else None
    return isinstance(value, torch.Tensor) and value.requires_grad


def _loss_of(graph: Any) -> int:
    """Which output is the loss; raises UsageError where there is none."""
    found = [i for i, output in enumerate(_outputs(graph)) if _wants_gradient(output)]
    if not found:
        raise UsageError("none of its results has a gradient")
    if len(found) > 1:
        raise UsageError(
            f"{len(found)} of its results have a gradient: compile a function that gives the loss alone, with other "
            "results detached"
        )
    value = _outputs(graph)[found[0]].meta["example_value"]
    if value.dim() or not value.is_floating_point():
        raise UsageError(
            f"its result with a gradient is {value.dtype} of {value.dim()} dimensions, not a scalar: compile a "
            "function that has the loss in it"
        )
    return found[0]


class _Part(torch.nn.Module):
    """A module that a name goes through."""


def _register(root: Any, name: str, tensor: Any) -> None:
    *path, key = name.split(".")
    for part in path:
        if not isinstance(getattr(root, part, None), _Part):
            root.add_module(part if not hasattr(root, part) else f"{part}_", _Part())
        root = getattr(root, part if isinstance(getattr(root, part), _Part) else f"{part}_")
    while hasattr(root, key):
        key += "_"
    if isinstance(tensor, torch.nn.Parameter):
        root.register_parameter(key, tensor)
    else:
        root.register_buffer(key, tensor)


class Graph(torch.nn.Module):
    """A graph of Dynamo as a module: parameters and buffers are its own, the others are its arguments."""

    def __init__(self, graph_module: Any, names: Sequence[str], state: Mapping[int, Any], loss: int) -> None:
        super().__init__()
        self._run, self._loss = graph_module.forward, loss
        self._places, self._count = sorted(state), len(names)
        for place in self._places:
            _register(self, names[place], state[place])
        by_id = {id(t): key for named in (self.named_parameters, self.named_buffers)
                 for key, t in named(remove_duplicate=False)}
        self._names = [by_id[id(state[place])] for place in self._places]

    def _tensor(self, name: str) -> Any:
        path, _, key = name.rpartition(".")
        return getattr(self.get_submodule(path), key)

    def forward(self, *inputs: Any) -> Any:
        own = {place: self._tensor(name) for place, name in zip(self._places, self._names)}
        rest = iter(inputs)
        outputs = self._run(*[own[i] if i in own else next(rest) for i in range(self._count)])
        others = [output for i, output in enumerate(outputs) if i != self._loss]
        return {"loss": outputs[self._loss], "others": others}


# --- The backend -----------------------------------------------------------------------------------


class _Compiled:
    """What Dynamo calls in a graph's place."""

    def __init__(self, graph_module: Any, names: Sequence[str], places: Sequence[int], loss: int,
                 options: Mapping[str, Any]) -> None:
        self._graph_module, self._names, self._places, self._loss = graph_module, names, places, loss
        self._options = dict(options)
        self._modules: dict[tuple[int, ...], Any] = {}

    def __call__(self, *inputs: Any) -> Any:
        state = [inputs[place] for place in self._places]
        key = tuple(map(id, state))
        module = self._modules.get(key)
        if module is None:
            module = self._modules[key] = self._wrapped(dict(zip(self._places, state)))
        taken = set(self._places)
        found = module(*[value for i, value in enumerate(inputs) if i not in taken])
        results = [value.detach() if isinstance(value, torch.Tensor) else value for value in found["others"]]
        results.insert(self._loss, found["loss"])
        return tuple(results)

    def _wrapped(self, state: Mapping[int, Any]) -> Any:
        """One function may run with several modules of a class: each has programs of its own."""
        given = {name: self._options[name] for name in _TAKEN if name in self._options}
        flags = {name: value for name, value in self._options.items() if name not in given}
        graph = Graph(self._graph_module, self._names, state, self._loss)
        wrapped = wrap(graph, options=flags, on_unsupported="torch", **given)
        _share_memory(wrapped, [t for t in state.values() if isinstance(t, torch.nn.Parameter)])
        return wrapped


# Graphs of one module (another batch size, another function) keep its parameters in one memory.
_first_of: weakref.WeakValueDictionary = weakref.WeakValueDictionary()


def _share_memory(wrapped: Any, parameters: Sequence[Any]) -> None:
    control = wrapped._mpc_control
    first = _first_of.setdefault(tuple(sorted(map(id, parameters))), control)
    control.share_homes(first)


def compile_graph(
    graph_module: Any, example_inputs: Sequence[Any], *, options: Mapping[str, Any] | None = None, mode: Any = None
) -> Callable[..., Any]:
    """The backend: gives what runs a graph of Dynamo.

    A graph whose only result with a gradient is a scalar is compiled, forward and backward, as
    :func:`mpc_compiler.wrap` does it; any other runs by torch, which is said once. `options` of ``torch.compile`` are
    ``precision``, ``seed``, ``num_threads``, ``shapes``, ``forward_gradient``, and flags of the compiler.
    """
    graph = graph_module.graph
    nodes = [node for node in graph.nodes if node.op == "placeholder"]
    try:
        loss = _loss_of(graph)
        places = [i for i, example in enumerate(example_inputs) if _is_state(example)]
    except UsageError as error:
        _say(str(error))
        return graph_module.forward
    return _Compiled(graph_module, [_name_of(node) for node in nodes], places, loss, options or {})
