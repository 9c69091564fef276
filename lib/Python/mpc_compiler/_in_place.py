# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a graph of torch.export writes. Most of it the importer reads as it is, so that no graph without writes is traced."""
from __future__ import annotations

import operator
from typing import Any

from torch.export.graph_signature import InputKind  # type: ignore[import-not-found]

# Their results share elements with nothing.
_FRESH = frozenset(
    "add sub mul div linear matmul mm bmm addmm conv1d conv2d conv3d conv_transpose2d batch_norm layer_norm group_norm "
    "relu relu6 silu gelu elu leaky_relu hardswish hardsigmoid hardtanh sigmoid tanh softmax exp clamp max_pool2d "
    "avg_pool2d adaptive_avg_pool2d zeros ones zeros_like ones_like full".split())
_DROPOUTS = "dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"
_STATISTICS = 3, 4  # Of batch_norm's arguments.
_IS_TRAINING = 5


def _op(node: Any) -> str:
    """'relu_' of torch.ops.aten.relu_.default; empty for what is no op, as a region with a graph of its own."""
    schema = getattr(node.target, "_schema", None)
    return "" if schema is None else schema.name.removeprefix("aten::")


def drop_identities(program: Any) -> None:
    """Has the operand in the place of a dropout in eval(), which is the same tensor: their schemas do not say so.

    What is written through one of them was lost by the run_decompositions() of PyTorch 2.13.
    """
    graph = program.graph
    for node in list(graph.nodes):
        is_dropout = node.op == "call_function" and _op(node) in _DROPOUTS and node.args[-1] is False
        if is_dropout and not any(user.op == "output" for user in node.users):
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)


class _Writes:
    """The writes of one graph."""

    def __init__(self, program: Any) -> None:
        self.buffers: list[str] = []
        self._state = {spec.arg.name: spec.target for spec in program.graph_signature.input_specs
                       if spec.kind is InputKind.BUFFER}

    def takes(self, node: Any) -> bool:
        """Whether the importer reads what a node writes as torch means it."""
        op = _op(node)
        if op == "batch_norm":
            return not node.args[_IS_TRAINING] or all([self._writes_buffer(node, node.args[i]) for i in _STATISTICS])
        if op == "instance_norm" or not op:
            return False  # The first writes statistics, which its schema does not say.
        if not node.target._schema.is_mutable:
            return True
        is_in_place = op.endswith("_") and not op.endswith("__")
        return is_in_place and bool(node.args) and self._is_last_use(node, node.args[0])

    def _is_last_use(self, node: Any, written: Any) -> bool:
        """Whether nothing else reads the elements that a node writes by another name."""
        if written.op == "placeholder":
            return self._writes_buffer(node, written)
        return set(written.users) == {node} and _op(written).removesuffix("_") in _FRESH

    def _writes_buffer(self, node: Any, buffer: Any) -> bool:
        if buffer is None:
            return True
        if buffer.op != "placeholder" or buffer.name not in self._state or set(buffer.users) != {node}:
            return False
        self.buffers.append(self._state[buffer.name])
        return not node.users or _op(node) == "batch_norm"


def written_buffers(program: Any) -> list[str] | None:
    """The buffers that a graph writes where the importer reads it as it is; None where its writes must go first."""
    writes = _Writes(program)
    for node in program.graph.nodes:
        if node.op == "call_function" and node.target is not operator.getitem and not writes.takes(node):
            return None
    return writes.buffers
