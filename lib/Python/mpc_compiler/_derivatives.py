# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.autograd.grad() and torch.func inside of a forward: an export does not follow them. Here they are two ops.

``mpc_compiler::grad`` is the gradient, which the compiler makes of the ops that lead to it, and ``mpc_compiler::variable``
is a tensor of which a gradient is wanted. A gradient is a tensor like any other, which has one itself.
"""
from __future__ import annotations

import contextlib
import functools
import threading
import types
from typing import Any, Callable, Iterator, Sequence

import torch  # type: ignore[import-not-found]
from torch.utils import _pytree as pytree  # type: ignore[import-not-found]

from ._errors import UnsupportedError

# Rows or columns of a Jacobian: each is a gradient of its own.
_MOST_ROWS = 1024

# --- The ops ---------------------------------------------------------------------------------------

_LIBRARY = torch.library.Library("mpc_compiler", "DEF")
_LIBRARY.define("variable(Tensor self) -> Tensor")
_LIBRARY.define("grad(Tensor[] outputs, Tensor[] inputs, Tensor[] grad_outputs) -> Tensor[]")


@torch.library.register_fake("mpc_compiler::variable", lib=_LIBRARY)
def _(self: Any) -> Any:
    return torch.empty_like(self)


@torch.library.register_fake("mpc_compiler::grad", lib=_LIBRARY)
def _(outputs: Any, inputs: Any, grad_outputs: Any) -> Any:
    return [torch.empty_like(one) for one in inputs]


def _not_run(ctx: Any, *gradients: Any) -> Any:
    raise UnsupportedError("a gradient was asked of torch while a module is traced")


# Only so that autograd's graph leads through them.
torch.library.register_autograd("mpc_compiler::variable", _not_run, lib=_LIBRARY)
torch.library.register_autograd("mpc_compiler::grad", _not_run, lib=_LIBRARY)


# --- In torch.func.vmap() --------------------------------------------------------------------------

_functorch = torch._C._functorch


def _plain(value: Any) -> Any:
    """The tensor of all samples, where a function has one sample's; autograd knows that one."""
    while _functorch.is_functorch_wrapped_tensor(value):
        value = _functorch.get_unwrapped(value)
    return value


def _wants_gradient(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and _plain(value).requires_grad


@torch.library.register_vmap("mpc_compiler::variable", lib=_LIBRARY)
def _(info: Any, in_dims: Any, self: Any) -> Any:
    # What vmap() itself moves of a tensor that wants a gradient, a trace loses.
    return _own(self.movedim(in_dims[0], 0)), 0


@torch.library.register_vmap("mpc_compiler::grad", lib=_LIBRARY)
def _(info: Any, in_dims: Any, outputs: Any, inputs: Any, grad_outputs: Any) -> Any:
    """What one sample gives depends on what is that sample's: the gradient for all of them is that of all."""
    of_outputs, of_inputs, of_seeds = in_dims
    if None in of_inputs:
        raise UnsupportedError(
            "torch.func.vmap() around a gradient by a tensor that all samples share: each sample's own gradient of it is "
            "not compiled")
    seeds, taken = [], []
    for output, dim, seed, of_seed in zip(outputs, of_outputs, grad_outputs, of_seeds):
        if dim is None:
            continue  # It is the same for all samples: it depends on none.
        seed = seed.unsqueeze(dim).expand_as(output) if of_seed is None else seed.movedim(of_seed, dim)
        taken.append(output)
        seeds.append(seed)
    return torch.ops.mpc_compiler.grad(taken, inputs, seeds), list(of_inputs)


# --- torch.autograd.grad() -------------------------------------------------------------------------


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return (value,) if isinstance(value, torch.Tensor) else tuple(value)


def _edges(outputs: Sequence[Any]) -> Iterator[tuple[Any, int]]:
    """What the outputs depend on: functions of autograd's graph and the numbers of their results."""
    seen: set[tuple[Any, int]] = set()
    stack = [(one.grad_fn, one.output_nr) for one in map(_plain, outputs)]
    entered: set[Any] = set()
    while stack:
        edge = stack.pop()
        if edge[0] is None or edge in seen:
            continue
        seen.add(edge)
        yield edge
        if edge[0] not in entered:
            entered.add(edge[0])
            stack.extend(edge[0].next_functions)


def _used(outputs: Sequence[Any], inputs: Sequence[Any]) -> list[bool]:
    """Of each input whether the outputs depend on it."""
    edges = set(_edges(outputs))
    outputs, inputs = [*map(_plain, outputs)], [*map(_plain, inputs)]
    leaves = {id(function.variable) for function, _ in edges if hasattr(function, "variable")}
    itself = set(map(id, outputs))
    return [id(one) in leaves or id(one) in itself or (one.grad_fn, one.output_nr) in edges for one in inputs]


def _seeds(outputs: Sequence[Any], given: Any) -> list[Any]:
    seeds = [None] * len(outputs) if given is None else list(_as_tuple(given))
    if len(seeds) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(seeds)} gradients")
    for index, (output, seed) in enumerate(zip(outputs, seeds)):
        if seed is None and output.numel() != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if seed is not None and seed.shape != output.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[{index}] has a shape of {seed.shape} and output[{index}] has a shape "
                f"of {output.shape}.")
    return [torch.ones_like(output) if seed is None else seed.to(output.dtype) for output, seed in zip(outputs, seeds)]


def _check(outputs: Sequence[Any], inputs: Sequence[Any], is_batched: bool) -> None:
    if is_batched:
        raise UnsupportedError("torch.autograd.grad(is_grads_batched=True) is not compiled: call it once for each row")
    for index, output in enumerate(outputs):
        if not _wants_gradient(output):
            raise RuntimeError(f"element {index} of tensors does not require grad and does not have a grad_fn")
    if not all(map(_wants_gradient, inputs)):
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    if any(one.is_complex() for one in (*outputs, *inputs)):
        raise UnsupportedError("torch.autograd.grad() of complex numbers is not compiled: take their parts' gradients")


def gradients(
    outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: Any = None, create_graph: bool = False,
    only_inputs: bool = True, allow_unused: bool | None = None, is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """torch.autograd.grad(). As there: what is not used is an error, or None, or zero."""
    outputs, inputs = _as_tuple(outputs), _as_tuple(inputs)
    _check(outputs, inputs, is_grads_batched)
    used = _used(outputs, inputs)
    if not all(used) and not (allow_unused or materialize_grads):
        raise RuntimeError(
            "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if "
            "this is the desired behavior.")
    wanted = [one for one, is_used in zip(inputs, used) if is_used]
    seeds = _seeds(outputs, grad_outputs)
    found = iter(torch.ops.mpc_compiler.grad(list(outputs), wanted, seeds) if wanted else ())
    unused = torch.zeros_like if materialize_grads else lambda one: None
    results = [next(found) if is_used else unused(one) for one, is_used in zip(inputs, used)]
    return tuple(one if create_graph or one is None else one.detach() for one in results)


# --- torch.func ------------------------------------------------------------------------------------


def _variable(value: Any) -> Any:
    """A tensor like `value`, and no other one's, that a gradient is taken of; `value` where it can have none."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return value
    return _own(value)


def _own(value: Any) -> Any:
    own = torch.ops.mpc_compiler.variable(value)
    if not _wants_gradient(own):
        with torch._functorch.eager_transforms.enable_inplace_requires_grad(True):
            own.requires_grad_()
    return own


def _variables(tree: Any) -> Any:
    return pytree.tree_map(_variable, tree)


def _tensors(tree: Any) -> list[Any]:
    return [leaf for leaf in pytree.tree_leaves(tree) if _wants_gradient(leaf)]


def _like(tree: Any, values: Sequence[Any]) -> Any:
    """`tree` with other tensors in the place of those that have a gradient."""
    rest = iter(values)
    return pytree.tree_map(lambda leaf: next(rest) if _wants_gradient(leaf) else leaf, tree)


def _gradients(outputs: Sequence[Any], inputs: Sequence[Any], seeds: Any = None) -> tuple[Any, ...]:
    """Gradients that have one themselves; zero where nothing depends on an input."""
    taken = [index for index, output in enumerate(outputs) if _wants_gradient(output)]
    if not taken:
        return tuple(torch.zeros_like(one) for one in inputs)
    return gradients([outputs[index] for index in taken], inputs, seeds and [seeds[index] for index in taken],
                     create_graph=True, materialize_grads=True)


def _chosen(argnums: Any, args: Sequence[Any]) -> tuple[int, ...]:
    numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    return tuple(number % len(args) for number in numbers)


def _call(func: Callable[..., Any], args: Any, kwargs: Any, numbers: Sequence[int], has_aux: bool) -> Any:
    """What a function gives for variables in the place of some arguments: the variables, its value, and what is beside it."""
    args = list(args)
    for number in numbers:
        args[number] = _variables(args[number])
    value = func(*args, **kwargs)
    value, aux = value if has_aux else (value, None)
    return [args[number] for number in numbers], value, aux


def grad_and_value_of(func: Callable[..., Any], argnums: Any, has_aux: bool, *, value_too: bool) -> Callable[..., Any]:
    """torch.func.grad() and grad_and_value()."""

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        with torch.enable_grad():
            variables, value, aux = _call(func, args, kwargs, _chosen(argnums, args), has_aux)
            if not isinstance(value, torch.Tensor) or value.dim():
                raise RuntimeError("Expected f(*args) to return a scalar tensor: it is a gradient's value")
            found = _like(variables, _gradients([value], _tensors(variables)))
        found = found[0] if isinstance(argnums, int) else tuple(found)
        if value_too:
            return (found, (value, aux)) if has_aux else (found, value)
        return (found, aux) if has_aux else found

    return call


def vjp_of(func: Callable[..., Any], *primals: Any, has_aux: bool) -> Any:
    """torch.func.vjp()."""
    with torch.enable_grad():
        variables, value, aux = _call(func, primals, {}, range(len(primals)), has_aux)

    def product(*cotangents: Any, **_: Any) -> Any:
        seeds = cotangents[0] if len(cotangents) == 1 else cotangents
        with torch.enable_grad():
            found = _gradients(pytree.tree_leaves(value), _tensors(variables), pytree.tree_leaves(seeds))
        return tuple(_like(variables, found))

    return (value, product, aux) if has_aux else (value, product)


def _along(value: Any, variables: Any, tangents: Sequence[Any]) -> Any:
    """The derivative of `value` along `tangents`: that of a gradient by its seeds, in which it is linear."""
    outputs = pytree.tree_leaves(value)
    seeds = [_variable(torch.zeros_like(one)) for one in outputs]
    found = _gradients(outputs, _tensors(variables), seeds)
    return pytree.tree_unflatten(_gradients(found, seeds, tangents), pytree.tree_structure(value))


def jvp_of(func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool, has_aux: bool) -> Any:
    """torch.func.jvp()."""
    if pytree.tree_structure(primals) != pytree.tree_structure(tangents):
        raise RuntimeError("jvp(f, primals, tangents): expected primals and tangents to have the same structure")
    with torch.enable_grad():
        variables, value, aux = _call(func, primals, {}, range(len(primals)), has_aux)
        along = _along(value, variables, pytree.tree_leaves(tangents))
    return (value, along, aux) if has_aux else (value, along)


def _check_rows(count: int, what: str) -> None:
    if count > _MOST_ROWS:
        raise UnsupportedError(
            f"a Jacobian of {count} {what}, each of which is a gradient of its own: at most {_MOST_ROWS} are compiled")


def jacobian_by_rows(func: Callable[..., Any], argnums: Any, *, has_aux: bool, **_: Any) -> Callable[..., Any]:
    """torch.func.jacrev(), without its chunks: a gradient for each element of what the function gives."""

    def of(output: Any, variables: Any) -> Any:
        _check_rows(output.numel(), "numbers")
        tensors = _tensors(variables)
        rows = [_gradients([one], tensors) for one in output.reshape(-1).unbind()]
        return _like(variables, [torch.stack(row).reshape(output.shape + one.shape) for row, one in zip(zip(*rows), tensors)])

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        with torch.enable_grad():
            variables, value, aux = _call(func, args, kwargs, _chosen(argnums, args), has_aux)
            variables = variables[0] if isinstance(argnums, int) else tuple(variables)
            found = pytree.tree_map(lambda output: of(output, variables), value)
        return (found, aux) if has_aux else found

    return call


def jacobian_by_columns(func: Callable[..., Any], argnums: Any, has_aux: bool, *, randomness: str) -> Callable[..., Any]:
    """torch.func.jacfwd(): a derivative along each element of an argument."""

    def of(value: Any, variables: Any, at: int) -> Any:
        tensors = _tensors(variables)
        one = tensors[at]
        _check_rows(one.numel(), "arguments")
        units = torch.eye(one.numel(), dtype=one.dtype, device=one.device).reshape(-1, *one.shape).unbind()
        columns = [_along(value, variables, [unit if i == at else torch.zeros_like(t) for i, t in enumerate(tensors)])
                   for unit in units]
        return pytree.tree_map(lambda *parts: torch.stack(parts, -1).reshape(parts[0].shape + one.shape), *columns)

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        with torch.enable_grad():
            variables, value, aux = _call(func, args, kwargs, _chosen(argnums, args), has_aux)
            found = [of(value, variables, at) for at in range(len(_tensors(variables)))]
        # For each output a structure of the arguments.
        outputs, structure = pytree.tree_flatten(value)
        by_output = zip(*map(pytree.tree_leaves, found)) if outputs else ()
        made = [_like(variables[0] if isinstance(argnums, int) else tuple(variables), columns) for columns in by_output]
        result = pytree.tree_unflatten(made, structure)
        return (result, aux) if has_aux else result

    return call


# --- In the place of torch's -----------------------------------------------------------------------


class _Traced:
    """A function in the place of torch's, for the thread that traces; other threads meanwhile have torch's own."""

    thread: int | None = None

    def __init__(self, theirs: Any, ours: Callable[..., Any]) -> None:
        self._ours = ours
        self._theirs = types.FunctionType(theirs.__code__, theirs.__globals__, theirs.__name__, theirs.__defaults__)
        self._theirs.__kwdefaults__ = theirs.__kwdefaults__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        is_traced = _Traced.thread == threading.get_ident()
        return (self._ours if is_traced else self._theirs)(*args, **kwargs)


@contextlib.contextmanager
def traced_here() -> Iterator[None]:
    """Has this thread trace meanwhile."""
    _Traced.thread = threading.get_ident()
    try:
        yield
    finally:
        _Traced.thread = None


GRAD = _Traced(torch.autograd.grad, gradients)
FUNC_GRAD = _Traced(torch.func.grad, functools.partial(grad_and_value_of, value_too=False))
FUNC_GRAD_AND_VALUE = _Traced(torch.func.grad_and_value, functools.partial(grad_and_value_of, value_too=True))
FUNC_VJP = _Traced(torch.func.vjp, vjp_of)
FUNC_JVP = _Traced(torch.func.jvp, jvp_of)
FUNC_JACREV = _Traced(torch.func.jacrev, jacobian_by_rows)
FUNC_JACFWD = _Traced(torch.func.jacfwd, jacobian_by_columns)

# Users import torch's functions by name: it is the code of these that they have meanwhile, with torch's defaults.


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True, allow_unused=None,
         is_grads_batched=False, materialize_grads=False):  # type: ignore[no-untyped-def]
    from mpc_compiler import _derivatives
    return _derivatives.GRAD(
        outputs, inputs, grad_outputs, retain_graph, create_graph, only_inputs, allow_unused, is_grads_batched,
        materialize_grads)


def func_grad(func, argnums=0, has_aux=False):  # type: ignore[no-untyped-def]
    from mpc_compiler import _derivatives
    return _derivatives.FUNC_GRAD(func, argnums, has_aux)


def func_grad_and_value(func, argnums=0, has_aux=False):  # type: ignore[no-untyped-def]
    from mpc_compiler import _derivatives
    return _derivatives.FUNC_GRAD_AND_VALUE(func, argnums, has_aux)


def func_vjp(func, *primals, has_aux=False):  # type: ignore[no-untyped-def]
    from mpc_compiler import _derivatives
    return _derivatives.FUNC_VJP(func, *primals, has_aux=has_aux)


def func_jvp(func, primals, tangents, *, strict=False, has_aux=False):  # type: ignore[no-untyped-def]
    from mpc_compiler import _derivatives
    return _derivatives.FUNC_JVP(func, primals, tangents, strict=strict, has_aux=has_aux)


def func_jacrev(func, argnums=0, *, has_aux=False, chunk_size=None, _preallocate_and_copy=False):  # type: ignore[no-untyped-def]
    from mpc_compiler import _derivatives
    return _derivatives.FUNC_JACREV(
        func, argnums, has_aux=has_aux, chunk_size=chunk_size, _preallocate_and_copy=_preallocate_and_copy)


def func_jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):  # type: ignore[no-untyped-def]
    from mpc_compiler import _derivatives
    return _derivatives.FUNC_JACFWD(func, argnums, has_aux, randomness=randomness)


def replacements() -> list[tuple[Any, str, Any]]:
    """Owner, name and value of what is another one while a module is traced."""
    own = {torch.autograd.grad: grad, torch.func.grad: func_grad, torch.func.grad_and_value: func_grad_and_value,
           torch.func.vjp: func_vjp, torch.func.jvp: func_jvp, torch.func.jacrev: func_jacrev,
           torch.func.jacfwd: func_jacfwd}
    return [(theirs, "__code__", ours.__code__) for theirs, ours in own.items()]


# --- The graph -------------------------------------------------------------------------------------


def _is_grad(node: Any) -> bool:
    return node.target is torch.ops.mpc_compiler.grad.default


def _is_variable(node: Any) -> bool:
    return node.target is torch.ops.mpc_compiler.variable.default


def _callers(root: Any) -> dict[Any, tuple[Any, int]]:
    """Of each graph in the graph the node that runs it, and the place of its first argument there."""
    found = {}
    for module in root.modules():
        for node in getattr(module, "graph", None) and module.graph.nodes or ():
            for place, argument in enumerate(node.args):
                if getattr(argument, "op", "") == "get_attr" and hasattr(getattr(module, argument.target, None), "graph"):
                    found[getattr(module, argument.target).graph] = node, place + 1
    return found


def _origin(node: Any, callers: Any) -> Any:
    """The node that computes what a region around a gradient takes from outside."""
    while node.op == "placeholder" and node.graph in callers:
        caller, first = callers[node.graph]
        if "wrap_with" not in str(caller.target):
            raise UnsupportedError(
                "torch.autograd.grad() in a branch or a loop, of what is computed outside: compute its input there")
        placeholders = [one for one in node.graph.nodes if one.op == "placeholder"]
        node = caller.args[first + placeholders.index(node)]
    return node


def _insert_variable(program: Any, node: Any) -> None:
    behind = node
    if node.op == "placeholder":
        behind = [one for one in node.graph.nodes if one.op == "placeholder"][-1]
    with node.graph.inserting_after(behind):
        own = node.graph.call_function(torch.ops.mpc_compiler.variable.default, (node,))
    own.meta = {key: value for key, value in node.meta.items() if key in ("val", "stack_trace", "nn_module_stack", "torch_fn")}
    node.replace_all_uses_with(own, delete_user_cb=lambda user: user is not own)
    if node.op != "placeholder":
        program.graph_signature.replace_all_uses(node.name, own.name)


def set_variables(program: Any) -> None:
    """Has a variable behind each tensor that a gradient is taken of: for all that reads it."""
    callers = _callers(program.graph_module)
    wanted: dict[Any, None] = {}
    for module in program.graph_module.modules():
        for node in getattr(module, "graph", None) and module.graph.nodes or ():
            if _is_grad(node):
                wanted.update(dict.fromkeys(_origin(one, callers) for one in node.args[1]))
    for node in wanted:
        if not _is_variable(node):
            _insert_variable(program, node)
