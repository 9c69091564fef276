# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checkpoints of mpc, PyTorch and Keras into one another.

    python -m mpc_compiler.convert checkpoints/ckpt-00005000.safetensors run.pt --like module.pt
    python -m mpc_compiler.convert run.pt checkpoints/ --program step.mpc
    python -m mpc_compiler.convert run.pt weights.safetensors
    python -m mpc_compiler.convert model.weights.h5 weights.safetensors --map names.json
    python -m mpc_compiler.convert checkpoints/ckpt-00005000/ ckpt-00005000.safetensors

What a file is follows from its name: ``.safetensors`` is mpc's (a checkpoint, or weights alone, as
``--init`` takes them), a folder holds checkpoints, ``.pt`` and ``.pth`` are torch's, ``.h5`` and
``.keras`` are Keras'. Torch's has ``model``, ``optimizer`` and ``scaler``, each for
``load_state_dict`` of its object, and ``mpc`` for numbers that torch has not, so that a checkpoint
there and back is the same bits. Torch numbers an optimizer's parameters in the order of its module,
which a checkpoint does not have: ``--like`` is a file of ``torch.save(module.state_dict(), ...)``. A
folder of checkpoints is written by a program's own runner, so that its program is needed.

A folder with a manifest is one checkpoint in parts (``--checkpoint-parts``): as ``.safetensors`` it
is the file that a process alone would have written, byte for byte.

Names are those of ``state_dict()``; parameters that modules share are there under each name. Keras
has other names: ``--map`` is a JSON object from its path of a variable to ours.
"""
from __future__ import annotations

import argparse
import json
import mmap
import os
import pathlib
import re
import struct
import sys
import tempfile
import zipfile
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from ._arrays import _bfloat16, bfloat16_of
from ._errors import Error, InvalidInputError, UsageError
from . import _runtime, _state
from ._step import Step, load

State = dict[str, Any]

# --- safetensors -----------------------------------------------------------------------------------

_DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U8": "u1", "U16": "<u2", "U32": "<u4", "U64": "<u8", "BOOL": "?",
}  # fmt: skip


def _array_of(data: memoryview, entry: Mapping[str, Any], name: str) -> np.ndarray:
    begin, end = entry["data_offsets"]
    part = data[begin:end]
    if entry["dtype"] == "BF16":
        return bfloat16_of(np.frombuffer(part, "<u2").reshape(entry["shape"]))
    if entry["dtype"] not in _DTYPES:
        raise InvalidInputError(f"tensor {name!r} is of type {entry['dtype']}")
    return np.frombuffer(part, _DTYPES[entry["dtype"]]).reshape(entry["shape"])


def read_safetensors(path: str | os.PathLike) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Tensors by name, which lie in the mapped file, and the file's metadata."""
    with open(path, "rb") as file:
        try:
            view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            (length,) = struct.unpack_from("<Q", view)
            header = json.loads(bytes(view[8 : 8 + length]))
            metadata = header.pop("__metadata__", {})
            data = view[8 + length :]
            return {n: _array_of(data, entry, n) for n, entry in header.items()}, metadata
        except (ValueError, KeyError, TypeError, struct.error) as error:
            raise InvalidInputError(f"{path}: is not a safetensors file: {error}") from None


def write_safetensors(path: str | os.PathLike, tensors: Mapping[str, np.ndarray]) -> None:
    """Writes weights by name, as ``--init`` and ``Step.load_weights`` take them."""
    names = {np.dtype(code).str: name for name, code in _DTYPES.items()}
    header: dict[str, Any] = {}
    parts, end = [], 0
    # Widest elements first, so that all are aligned.
    for name in sorted(tensors, key=lambda n: (-tensors[n].dtype.itemsize, n)):
        array = np.ascontiguousarray(tensors[name])
        dtype = "BF16" if array.dtype.name == "bfloat16" else names.get(array.dtype.str)
        if dtype is None:
            raise InvalidInputError(f"tensor {name!r} is of type {array.dtype}")
        parts.append(array.tobytes())
        header[name] = {"dtype": dtype, "shape": list(tensors[name].shape),
                        "data_offsets": [end, end + len(parts[-1])]}  # fmt: skip
        end += len(parts[-1])
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    temporary = pathlib.Path(f"{path}.{os.getpid()}.tmp")
    temporary.write_bytes(b"".join([struct.pack("<Q", len(text)), text, *parts]))
    os.replace(temporary, path)


# --- mpc -------------------------------------------------------------------------------------------


def _newest(folder: pathlib.Path) -> pathlib.Path:
    files = sorted(folder.glob("ckpt-*.safetensors"))
    if not files:
        raise InvalidInputError(f"{folder}: holds no checkpoint")
    return files[-1]


def state_of_checkpoint(path: str | os.PathLike) -> State:
    """The state of a checkpoint, or of a file of weights, as ``Step.state_dict`` has it.

    Of a folder it is the newest checkpoint's. The program is not needed: a checkpoint says what
    each of its tensors is.
    """
    path = pathlib.Path(path)
    path = _newest(path) if path.is_dir() else path
    tensors, metadata = read_safetensors(path)
    if metadata.get("format") != "mpc-checkpoint":
        return {"model": dict(tensors)}
    return _sort(tensors, _runtime.read_records(os.fspath(path)), _flags_of(metadata))


def _flags_of(metadata: Mapping[str, str]) -> list[str]:
    """Flags of the optimizer that the recipe says, as nesterov of optimizer<sgd, nesterov>."""
    if "rule" in metadata:  # Before recipes were recorded.
        return json.loads(metadata["rule"]).get("--opt-arg", "").split()
    found = re.search(r"optimizer<([^>]*)>", metadata.get("recipe", ""))
    return [flag.strip() for flag in found[1].split(",")[1:]] if found else []


def _sort(
    tensors: Mapping[str, np.ndarray], records: Mapping[str, Any], flags: Sequence[str]
) -> State:
    """Tensors of a checkpoint by sections. `flags` are the optimizer's."""
    model, mpc = {}, {}
    slots: dict[str, dict[str, Any]] = {}
    for name, value in tensors.items():
        record = records[name]
        if record.role == _runtime.STATE_SLOT:
            slots.setdefault(record.owner, {})[record.key] = value
        elif record.role in (_runtime.STATE_PARAMETER, _runtime.STATE_BUFFER):
            model[name] = value
        else:
            mpc[name] = value
    numbers = _numbers_of(mpc, records, _runtime.STATE_OPTIMIZER)
    for entries in slots.values():
        entries.update({name: number for name, number in numbers.items() if _state.is_of_parameters(name)})
    # A checkpoint does not say which parameters are frozen: those without slots beside others'.
    trained = [n for n in model if records[n].role == _runtime.STATE_PARAMETER
               and (n in slots or not slots)]  # fmt: skip
    # Nor does it say which are in a group with numbers of its own, as group1.lr_factor: those stay among `mpc`.
    common = {name: value for name, value in mpc.items() if "." not in records[name].key}
    group = _group_of(_numbers_of(common, records, _runtime.STATE_HYPER_PARAMETER), flags, trained)
    optimizer = {"state": slots, "param_groups": [group]}
    scaler = _scaler_of(mpc, records)
    return {"model": model, "optimizer": optimizer, "scaler": scaler, "mpc": mpc}


def _numbers_of(
    mpc: Mapping[str, np.ndarray], records: Mapping[str, Any], role: int
) -> dict[str, float]:
    """The numbers of a role, as a user calls them."""
    return {_state.number_name(records[name]): float(value) for name, value in mpc.items()
            if records[name].role == role and value.shape == ()}  # fmt: skip


def _group_of(hyper: Mapping[str, float], flags: Sequence[str], names: list[str]) -> State:
    group: State = dict(hyper)
    _state.join_tuples(group)
    for flag in flags:
        group[flag] = True
    return {**group, "params": names}


def _scaler_of(mpc: Mapping[str, np.ndarray], records: Mapping[str, Any]) -> State:
    """GradScaler's numbers; scale and counter are the first two of a scaler's vector."""
    from ._scaler import _INTEGERS, _TORCH_NUMBERS

    settings = _numbers_of(mpc, records, _runtime.STATE_SETTING)
    vectors = [value for name, value in mpc.items()
               if records[name].role == _runtime.STATE_LOSS_SCALE and not records[name].owner]
    if not vectors or "init_scale" not in settings:
        return {}
    known = {**settings, "scale": float(vectors[0][0]), "counter": float(vectors[0][1])}
    found = {}
    for theirs, ours in _TORCH_NUMBERS.items():
        value = known.get(ours)
        if value is not None:
            found[theirs] = int(value) if theirs in _INTEGERS else value
    return found


# --- torch -----------------------------------------------------------------------------------------


def _torch() -> Any:
    try:
        import torch  # type: ignore[import-not-found]
    except ImportError:
        raise UsageError("files of torch need torch: pip install torch") from None
    return torch


def to_tensor(array: np.ndarray) -> Any:
    """A tensor of torch with a copy of the array."""
    torch = _torch()
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.uint16).copy()).view(torch.bfloat16)
    return torch.from_numpy(np.array(array))


def to_array(tensor: Any) -> np.ndarray:
    """An array with a copy of the tensor; bfloat16 is ml_dtypes', or float32 without that."""
    torch = _torch()
    tensor = tensor.detach().cpu()
    if tensor.dtype != torch.bfloat16:
        return np.array(tensor.numpy())
    if _bfloat16 is None:
        return tensor.float().numpy()
    return bfloat16_of(tensor.contiguous().view(torch.uint16).numpy()).copy()


def number_parameters(state: State, names: Sequence[str] | None = None) -> State:
    """An optimizer's state whose parameters are numbers, as torch has it.

    `names` are those of ``module.named_parameters()`` for an optimizer of a single group; without
    them the order is that of the state's groups. One without slots has no entry.
    """
    groups = state["param_groups"]
    if names is not None and len(groups) > 1:
        raise UsageError("the optimizer has several groups, which have an order of their own")
    order = [list(group["params"] if names is None else names) for group in groups]
    numbers = {name: i for i, name in enumerate(name for part in order for name in part)}
    unknown = sorted(state["state"].keys() - numbers.keys())
    if unknown:
        raise InvalidInputError(f"the module has no parameter {', '.join(unknown)}")
    return {
        "state": {numbers[name]: slots for name, slots in state["state"].items()},
        "param_groups": [{**group, "params": [numbers[name] for name in part], "param_names": part}
                         for group, part in zip(groups, order)],
    }  # fmt: skip


def to_torch(state: State, parameter_names: Sequence[str] | None = None) -> State:
    """What torch's module, optimizer and GradScaler load, of what ``Step.state_dict`` gives.

    ::

        state = convert.to_torch(step.state_dict(), [n for n, _ in module.named_parameters()])
        module.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        scaler.load_state_dict(state["scaler"])

    Torch's optimizers number their parameters, group by group: `parameter_names` says in which
    order. By default it is that of the optimizer that the step was compiled with; a step that was
    loaded has the order of its program, which need not be the module's.
    """
    found = dict(state)
    if "optimizer" in state:
        found["optimizer"] = number_parameters(state["optimizer"], parameter_names)
    return _map_leaves(found, lambda leaf: to_tensor(leaf) if _is_array(leaf) else leaf)


def from_torch(state: State) -> State:
    """The same the other way: tensors become arrays. ``Step.load_state_dict`` takes either."""
    return _map_leaves(state, lambda leaf: to_array(leaf) if hasattr(leaf, "detach") else leaf)


def _is_array(leaf: Any) -> bool:
    return isinstance(leaf, np.ndarray)


def _map_leaves(state: Any, function: Callable[[Any], Any]) -> Any:
    if isinstance(state, Mapping):
        return {key: _map_leaves(value, function) for key, value in state.items()}
    if isinstance(state, list):
        return [_map_leaves(value, function) for value in state]
    return function(state)


def read_torch(path: str | os.PathLike) -> State:
    """The state of a ``.pt`` file: of a module alone, or of module, optimizer and scaler."""
    state = from_torch(_torch().load(path, map_location="cpu", weights_only=True))
    return state if isinstance(state.get("model"), Mapping) else {"model": state}


def write_torch(
    path: str | os.PathLike, state: State, parameter_names: Sequence[str] | None = None
) -> None:
    """Writes what :func:`to_torch` makes of a state."""
    _torch().save(to_torch(state, parameter_names), path)


# --- Keras -----------------------------------------------------------------------------------------


def _h5py() -> Any:
    try:
        import h5py  # type: ignore[import-not-found]
    except ImportError:
        raise UsageError("weights of Keras need h5py: pip install h5py") from None
    return h5py


def read_keras(path: str | os.PathLike, names: Mapping[str, str] | None = None) -> State:
    """The variables of ``.weights.h5`` or ``.keras``, by their paths or as `names` calls them.

    A variable's path is that in the file, ``layers/dense/vars/0``. With `names` only those in it
    are taken. Kernels of Keras' Dense are [in, out], of torch's Linear [out, in]: a name of
    `names` that ends in ``.T`` is transposed.
    """
    h5py = _h5py()
    path = pathlib.Path(path)
    if path.suffix == ".keras":
        with zipfile.ZipFile(path) as archive, archive.open("model.weights.h5") as inner:
            return _keras_state(h5py.File(inner, "r"), names)
    with h5py.File(path, "r") as file:
        return _keras_state(file, names)


def _keras_state(file: Any, names: Mapping[str, str] | None) -> State:
    h5py = _h5py()
    found: dict[str, np.ndarray] = {}
    file.visititems(lambda name, item: found.update({name: np.array(item)})
                    if isinstance(item, h5py.Dataset) else None)  # fmt: skip
    if names is None:
        return {"model": found}
    missing = sorted(names.keys() - found.keys())
    if missing:
        raise InvalidInputError(f"the file has no {', '.join(missing)}; it has "
                                f"{', '.join(sorted(found))}")  # fmt: skip
    return {"model": {ours.removesuffix(".T"): _turned(found[theirs], ours)
                      for theirs, ours in names.items()}}  # fmt: skip


def _turned(array: np.ndarray, name: str) -> np.ndarray:
    return np.ascontiguousarray(array.T) if name.endswith(".T") else array


def write_keras(path: str | os.PathLike, state: State, names: Mapping[str, str] | None) -> None:
    """Writes variables into a ``.weights.h5`` that Keras has made of the same model.

    `names` goes from Keras' paths to ours, as in :func:`read_keras`; all that it names is
    replaced, all else stays as it is.
    """
    if names is None:
        raise UsageError("Keras has other names: a map from its paths to ours is needed (--map)")
    if pathlib.Path(path).suffix == ".keras":
        raise UsageError(f"{path}: write into the .weights.h5 of Model.save_weights")
    if not os.path.exists(path):
        raise UsageError(f"{path}: let Keras write it first (Model.save_weights)")
    with _h5py().File(path, "r+") as file:
        for theirs, ours in names.items():
            array = _turned(state["model"][ours.removesuffix(".T")], ours)
            if file[theirs].shape != array.shape:
                raise InvalidInputError(
                    f"{theirs} is {list(file[theirs].shape)}, {ours} is {list(array.shape)}"
                )
            file[theirs][...] = array


# --- Command line ----------------------------------------------------------------------------------


def _kind(path: pathlib.Path) -> str:
    kinds = {".pt": "torch", ".pth": "torch", ".h5": "keras", ".keras": "keras",
             ".safetensors": "safetensors"}  # fmt: skip
    if path.suffix in kinds:
        return kinds[path.suffix]
    if path.suffix == "" or path.is_dir():
        return "folder"
    raise UsageError(f"{path}: is neither .safetensors, .pt, .h5, .keras nor a folder")


def _is_in_parts(path: pathlib.Path) -> bool:
    """Whether it is a checkpoint that ranks wrote with --checkpoint-parts."""
    return (path / "manifest.safetensors").exists()


def _read(path: pathlib.Path, names: Mapping[str, str] | None) -> State:
    if _is_in_parts(path):
        with tempfile.TemporaryDirectory() as folder:
            joined = pathlib.Path(folder, "joined.safetensors")
            _runtime.join_checkpoint(str(path), str(joined))
            return state_of_checkpoint(joined)
    kind = _kind(path)
    if kind == "torch":
        return read_torch(path)
    if kind == "keras":
        return read_keras(path, names)
    return state_of_checkpoint(path)


def save_checkpoint(folder: str | os.PathLike, program: str | os.PathLike, state: State) -> Step:
    """Writes a state as a checkpoint that trainings of `program` resume from."""
    step = load(program)
    step.load_state_dict(state)
    step.save_checkpoint(folder)
    return step


def _order_like(path: str | None, state: State) -> list[str] | None:
    """The trained parameters in the order of a module's state."""
    if path is None or "optimizer" not in state:
        return None
    known = set(state["optimizer"]["param_groups"][0]["params"])
    return [name for name in read_torch(path)["model"] if name in known]


def _complete(state: State, program: str | os.PathLike) -> State:
    """With what only the program knows: shared parameters' names, and which are trained."""
    step = load(program)
    model = dict(state["model"])
    for name, parameter in step._program.tied().items():
        if parameter in model:
            model[name] = model[parameter]
    if "optimizer" in state:
        slots = state["optimizer"]["state"]
        names = [n for n in _state.parameter_names(step) if not slots or n in slots]
        state["optimizer"]["param_groups"][0]["params"] = names
    return {**state, "model": model}


def _write(path: pathlib.Path, state: State, arguments: argparse.Namespace,
           names: Mapping[str, str] | None) -> None:  # fmt: skip
    kind = _kind(path)
    if kind == "torch":
        if arguments.like is None and len(state.get("optimizer", {}).get("state", ())) > 1:
            raise UsageError(f"{path}: torch numbers an optimizer's parameters in the order of its "
                             "module, which a checkpoint does not have: --like=FILE.pt, a state of "
                             "that module")  # fmt: skip
        write_torch(path, state, _order_like(arguments.like, state))
    elif kind == "keras":
        write_keras(path, state, names)
    elif kind == "folder":
        if arguments.program is None:
            raise UsageError(f"{path}: a checkpoint is of a program: --program=STEP.mpc")
        save_checkpoint(path, arguments.program, state)
    else:
        write_safetensors(path, state["model"])


def convert(arguments: argparse.Namespace) -> None:
    if _is_in_parts(arguments.input) and _kind(arguments.output) == "safetensors":
        _runtime.join_checkpoint(str(arguments.input), str(arguments.output))
        return
    names = json.loads(arguments.map.read_text()) if arguments.map else None
    state = _read(arguments.input, names)
    if arguments.program and _kind(arguments.output) != "folder":
        state = _complete(state, arguments.program)
    _write(arguments.output, state, arguments, names)


def main(words: Sequence[str] | None = None) -> int:
    """``python -m mpc_compiler.convert``; exit codes are those of mpc's tools."""
    parser = argparse.ArgumentParser(
        prog="python -m mpc_compiler.convert", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("input", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--program", metavar="STEP.mpc", help="whose checkpoint it is; needed to write one")
    parser.add_argument("--map", type=pathlib.Path, metavar="NAMES.json",
                        help="Keras' paths of variables to our names")  # fmt: skip
    parser.add_argument("--like", metavar="FILE.pt",
                        help="a state of the module, whose order an optimizer's numbers follow; needed "
                        "to write the slots of one")
    try:
        convert(parser.parse_args(words))
    except (Error, OSError, json.JSONDecodeError) as error:
        print(f"mpc_compiler.convert: error: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
