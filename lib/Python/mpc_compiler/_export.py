# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A torch module as an exported program that the compiler takes: torch.export's graph as JSON, values beside it."""
from __future__ import annotations

import contextlib
import copy
import dataclasses
import operator
import re
import sys
import warnings
from typing import Any, Callable, Iterator, Mapping

import torch  # type: ignore[import-not-found]
from torch.export.graph_signature import InputKind, OutputKind  # type: ignore[import-not-found]

from ._batch import Batch
from ._decompose import decompose_missing
from ._derivatives import set_variables
from ._errors import ExportError, UnsupportedError, UsageError
from ._in_place import drop_identities, written_buffers
from ._outputs import Outputs, find_loss
from ._traceable import traceable


@dataclasses.dataclass
class Exported:
    """An exported call of a module. Names of state are those of its state_dict()."""

    program: bytes  # As torch.export.save writes it.
    values: dict[str, Any]  # Of parameters, buffers and constants, until they are compiled.
    inputs: list[str]  # Of each tensor of the batch what the program calls it.
    loss: str
    outputs: list[str | int]  # Of each tensor of the output: a name, or the number of the batch's tensor.
    structure: Outputs
    trained: list[str]  # Parameters that the loss has a gradient of.
    wanted: list[int]  # Numbers of the batch's tensors that want a gradient, and have one.
    written: list[str]  # Buffers that the call writes.


@dataclasses.dataclass
class Request:
    """What is to be exported."""

    module: Any
    call: Callable[[Any, dict[str, Any]], Any]  # The plain forward, of a module and arguments by name.
    batch: Batch
    target: str  # The argument of the batch that is the loss's; empty for none.
    loss: Callable[..., Any] | None
    outputs: bool
    forward_gradient: tuple[str, ...] = ()
    evaluates: bool = False  # There is no loss, only what the module returns.


def bare(module: Any, kind: type, forward: Any = None) -> Any:
    """The same module as an object of `kind`, with another forward where one is given."""
    if forward is not None:
        kind = type(kind.__name__, (kind,), {"forward": forward, "__module__": kind.__module__})
    other = kind.__new__(kind)
    state = module.__dict__
    if forward is not None and "forward" in state:
        state = {name: value for name, value in state.items() if name != "forward"}
    object.__setattr__(other, "__dict__", state)
    return other


# --- torch.export ----------------------------------------------------------------------------------


def _place_of_user() -> str:
    """The line that calls, outside of torch: 'model.py:12'."""
    frame = sys._getframe(2)
    while frame.f_back and "/torch/" in frame.f_code.co_filename:
        frame = frame.f_back
    return f"{frame.f_code.co_filename.rsplit('/', 1)[-1]}:{frame.f_lineno}"


# Of libraries, whose backward is the gradient of their forward.
_RIGHT = (
    "transformers.models.bloom.modeling_bloom.GeLUFunction",
    "transformers.models.sew_d.modeling_sew_d.XDropout",
    "transformers.models.sew_d.modeling_sew_d.XSoftmax",
)


@contextlib.contextmanager
def _noted_functions(allowed: tuple[str, ...]) -> Iterator[None]:
    """Refuses an autograd.Function that is called meanwhile: an export has its forward alone."""
    original = torch.autograd.Function.__dict__["apply"]

    def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        own = not cls.__module__.startswith(("torch.", "mpc_compiler."))
        own = own and f"{cls.__module__}.{cls.__qualname__}" not in _RIGHT
        if own and cls.__name__ not in allowed:
            raise UnsupportedError(
                f"torch.autograd.Function {cls.__name__!r} ({_place_of_user()}) has a backward of its own, which an "
                f"export loses: write it with torch's ops, or wrap(..., forward_gradient=[{cls.__name__!r}]) where "
                "the gradient of its forward is right"
            )
        return original.__get__(None, cls)(*args, **kwargs)

    torch.autograd.Function.apply = classmethod(apply)
    try:
        yield
    finally:
        torch.autograd.Function.apply = original


@contextlib.contextmanager
def _ended_transforms() -> Iterator[None]:
    """Ends what an export that fails inside of torch.func leaves begun, and what would fail then."""
    functorch, forward_ad = torch._C._functorch, torch.autograd.forward_ad
    depth, level = functorch.get_dynamic_layer_stack_depth(), forward_ad._current_level
    try:
        yield
    except BaseException:
        functorch.pop_dynamic_layer_stack_and_undo_to_depth(depth)
        while forward_ad._current_level > level:
            forward_ad.exit_dual_level()
        raise


_OTHER_SHAPE = "Using a target size"


def _without_gpu_autocast() -> list[Any]:
    return [torch.autocast("cuda", enabled=False)] if torch.is_autocast_enabled("cuda") else []


def _run_export(module: Any, named: Mapping[str, Any], allowed: tuple[str, ...]) -> tuple[Any, list[str]]:
    """The program, and the buffers that its ops write beside those of its signature."""
    with contextlib.ExitStack() as stack:
        for one in (_ended_transforms(), warnings.catch_warnings(), _noted_functions(allowed), traceable(), torch.enable_grad(),
                    torch.autocast("cpu", enabled=False), *_without_gpu_autocast()):
            stack.enter_context(one)
        warnings.simplefilter("ignore", FutureWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", UserWarning)
        # A target of another shape is broadcast, which is hardly ever meant.
        warnings.filterwarnings("error", _OTHER_SHAPE, UserWarning)
        program = torch.export.export(module, (), dict(named), strict=False)
        _detach_results(program)
        set_variables(program)
        drop_identities(program)
        plain = decompose_missing(program)
        if plain is not program:
            return plain, []
        written = written_buffers(program)
        return (program.run_decompositions({}), []) if written is None else (program, written)


@dataclasses.dataclass
class _Trace:
    """What was traced."""

    program: Any
    written: list[str]
    structure: Outputs


def _trace(request: Request) -> _Trace:
    seen: list[Outputs] = []

    def forward(self: Any, **tensors: Any) -> Any:
        arguments = request.batch.rebuild(tensors.values())
        target = arguments.pop(request.target) if request.target else None
        output = request.call(self, arguments)
        if request.evaluates:
            seen.append(Outputs(output, None, True))
            return tuple(seen[-1].tensors)
        if request.loss is None:
            loss = find_loss(output, type(request.module).__name__)
        else:
            loss = _checked(request.loss(output, target))
        seen.append(Outputs(output, loss, request.outputs))
        return (loss, *seen[-1].tensors)

    names = request.batch.names()
    tensors = [tensor.detach().requires_grad_(tensor.requires_grad) for tensor in request.batch.tensors]
    tracer = bare(request.module, _plain_class(request.module), forward)
    try:
        program, written = _run_export(tracer, dict(zip(names, tensors)), request.forward_gradient)
    except UsageError:
        raise
    except UserWarning as warning:
        raise UsageError(_other_shape(str(warning))) from None
    except Exception as error:  # What torch raises here has no common class.
        raise ExportError(_first_line(error, type(request.module).__name__)) from error
    seen[-1].forget()
    return _Trace(program, written, seen[-1])


def _other_shape(warning: str) -> str:
    """Of torch's warning about sizes."""
    target, output = re.findall(r"torch\.Size\((\[.*?\])\)", warning)[:2]
    return (
        f"the loss has a target of {target} for an output of {output}, which torch would broadcast to each other: "
        "give it the output's shape, as target.unsqueeze(1) or output.squeeze(1)"
    )


def _checked(loss: Any) -> Any:
    if isinstance(loss, torch.Tensor) and loss.dim() == 0 and loss.is_floating_point():
        return loss
    from ._batch import describe

    raise UsageError(f"loss= gave {describe(loss)}: it must give a scalar of a floating type, as loss.mean()")


def _plain_class(module: Any) -> type:
    return getattr(type(module), "_mpc_plain", type(module))


# What torch says of a backward inside of forward, whose saved tensors it does not follow.
_BACKWARD_ERROR = "found a fake tensor in the exported program constant's list"
_BACKWARD_HINT = (
    "backward() inside of forward is not followed: take the gradient as torch.autograd.grad(output, input, "
    "create_graph=True). "
)


def _first_line(error: BaseException, module: str) -> str:
    """The user's own line first, torch's text behind it."""
    place, trace = "", error.__traceback__
    while trace:
        name = trace.tb_frame.f_code.co_filename
        if not any(part in name for part in ("/torch/", "/mpc_compiler/", "<")):
            place = f"{name.rsplit('/', 1)[-1]}:{trace.tb_lineno}: "
        trace = trace.tb_next
    hint = _BACKWARD_HINT if _BACKWARD_ERROR in str(error) else ""
    return f"{place}torch.export does not take {module}: {hint}{type(error).__name__}: {error}"


_OWN_FRAME = re.compile(r'  File "[^"]*/mpc_compiler/[^"]*", line .*\n(?:    .*\n?)*')


def _forget_own_lines(program: Any) -> None:
    """Leaves the user's lines in what messages know of a node's place."""
    for node in program.graph.nodes:
        trace = node.meta.get("stack_trace")
        if trace:
            node.meta["stack_trace"] = _OWN_FRAME.sub("", trace)


# --- The graph -------------------------------------------------------------------------------------


def _detach_results(program: Any) -> None:
    """Sets a detach at each result of a region under no_grad, of which nothing else is left later."""
    for graph_module in program.graph_module.modules():
        graph = getattr(graph_module, "graph", None)
        for node in list(graph.nodes) if graph is not None else ():
            if getattr(node.target, "_name", "") == "wrap_with_set_grad_enabled" and node.args[0] is False:
                for result in [user for user in node.users if user.target is operator.getitem]:
                    _detach(program, graph, result)


def _is_real_or_complex(value: Any) -> bool:
    """Whether it is a tensor that may have a gradient."""
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())


def _detach(program: Any, graph: Any, result: Any) -> None:
    value = result.meta.get("val")
    if not _is_real_or_complex(value):
        return
    with graph.inserting_after(result):
        detached = graph.call_function(torch.ops.aten.detach.default, (result,))
    detached.meta = copy.copy(result.meta)
    result.replace_all_uses_with(detached, delete_user_cb=lambda user: user is not detached)
    program.graph_signature.replace_all_uses(result.name, detached.name)


def _merge_tied(program: Any, same: Mapping[str, str]) -> None:
    """Lets all names of one parameter be its first: `same` has the others' with that."""
    graph, specs = program.graph, program.graph_signature.input_specs
    by_target = {spec.target: spec for spec in specs if spec.target is not None}
    nodes = {node.name: node for node in graph.nodes if node.op == "placeholder"}
    for other, first in same.items():
        if other in by_target and first in by_target and other != first:
            node = nodes[by_target[other].arg.name]
            node.replace_all_uses_with(nodes[by_target[first].arg.name])
            graph.erase_node(node)
            specs.remove(by_target[other])


def _tied_names(module: Any) -> dict[str, str]:
    """Further names of parameters and buffers that have one already."""
    first: dict[int, str] = {}
    same = {}
    for named in (module.named_parameters, module.named_buffers):
        for name, tensor in named(remove_duplicate=False):
            if first.setdefault(id(tensor), name) != name:
                same[name] = first[id(tensor)]
    return same


def _written_as_buffers(program: Any, module: Any) -> None:
    """Takes frozen parameters that forward writes, as those of a momentum encoder, for buffers."""
    signature = program.graph_signature
    frozen = {name for name, parameter in module.named_parameters(remove_duplicate=False) if not parameter.requires_grad}
    written = {spec.target for spec in signature.output_specs if spec.kind is OutputKind.PARAMETER_MUTATION} & frozen
    for spec in signature.input_specs:
        if spec.kind is InputKind.PARAMETER and spec.target in written:
            spec.kind, spec.persistent = InputKind.BUFFER, True
    for spec in signature.output_specs:
        if spec.kind is OutputKind.PARAMETER_MUTATION and spec.target in written:
            spec.kind = OutputKind.BUFFER_MUTATION


#: Ops that take of a tensor its sizes, type and place alone.
_LIKE = {"zeros_like", "ones_like", "full_like", "empty_like", "rand_like", "randn_like", "randint_like",
         "new_zeros", "new_ones", "new_full", "new_empty", "new_empty_strided"}


def _stops(node: Any) -> bool:
    """Whether no gradient flows through a node."""
    value = node.meta.get("val")
    is_number = isinstance(value, torch.Tensor) and not _is_real_or_complex(value)
    packet = getattr(node.target, "overloadpacket", None)
    name = "" if packet is None else packet.__name__
    return is_number or name in _LIKE or name in ("detach", "detach_")


def _reached(program: Any, name: str) -> set[str]:
    """The nodes that have a gradient of the node of that name."""
    nodes = {node.name: node for node in program.graph.nodes}
    seen: set[str] = set()
    stack = [nodes[name]]
    while stack:
        node = stack.pop()
        if node.name in seen or _stops(node):
            continue
        seen.add(node.name)
        stack.extend(node.all_input_nodes)
    return seen


# --- Serialized ------------------------------------------------------------------------------------


def _serialize(program: Any) -> bytes:
    """The JSON of torch's own serializer, without values, which it would copy."""
    from torch._export.serde import serialize as serde  # type: ignore[import-not-found]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            artifact = serde.serialize(
                program, serialize_state_dict=False, serialize_constants=False, serialize_example_inputs=False
            )
        except TypeError:  # A torch that always serializes all.
            artifact = serde.serialize(program)
    return artifact.exported_program


_STATE = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)


def _values(program: Any) -> dict[str, Any]:
    found = {}
    for spec in program.graph_signature.input_specs:
        if spec.kind in _STATE:
            source = program.state_dict if spec.target in program.state_dict else program.constants
            found[spec.target] = source[spec.target]
    return found


def _trained(program: Any, module: Any, reached: set[str]) -> list[str]:
    wanted = {name for name, parameter in module.named_parameters() if parameter.requires_grad}
    return [spec.target for spec in program.graph_signature.input_specs
            if spec.kind is InputKind.PARAMETER and spec.target in wanted and spec.arg.name in reached]


def export(request: Request) -> Exported:
    """Exports a call in training, as the modes of the module's parts are.

    The module's own ops stay one node each. Raises :class:`ExportError` for what torch.export does not take.
    """
    trace = _trace(request)
    program = trace.program
    _forget_own_lines(program)
    _merge_tied(program, _tied_names(request.module))
    _written_as_buffers(program, request.module)
    signature = program.graph_signature
    results = [spec.arg.name for spec in signature.output_specs if spec.kind is OutputKind.USER_OUTPUT]
    inputs = [spec.arg.name for spec in signature.input_specs if spec.kind is InputKind.USER_INPUT]
    loss = "" if request.evaluates else results.pop(0)
    reached = _reached(program, loss) if loss else set()
    written = trace.written + [spec.target for spec in signature.output_specs if spec.kind is OutputKind.BUFFER_MUTATION]
    return Exported(
        program=_serialize(program),
        values=_values(program),
        inputs=inputs,
        loss=loss,
        outputs=[inputs.index(name) if name in inputs else name for name in results],
        structure=trace.structure,
        trained=_trained(program, request.module, reached),
        wanted=[i for i, (tensor, name) in enumerate(zip(request.batch.tensors, inputs)) if tensor.requires_grad and name in reached],
        written=written,
    )
