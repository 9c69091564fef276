# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling a model, or a PyTorch module, to a step."""
from __future__ import annotations

import os
import warnings
from typing import Any, Mapping, Sequence

from . import _groups, _state
from ._errors import MpcWarning, UsageError
from ._step import Step
from .ranks import flags_of

_FORMATS = {"text": 0, "json": 1, "html": 2}

# torch's losses: ours, and the flag of each of its numbers.
_LABELS = {"ignore_index": "ignore_index", "weight": "class_weights"}
_TORCH_LOSSES = {
    "CrossEntropyLoss": ("cross_entropy", {**_LABELS, "label_smoothing": "label_smoothing"}),
    "NLLLoss": ("nll", _LABELS),
    "MSELoss": ("mse", {}),
    "L1Loss": ("l1", {}),
    "HuberLoss": ("huber", {"delta": "loss_delta"}),
    "SmoothL1Loss": ("smooth_l1", {"beta": "loss_delta"}),
    "BCEWithLogitsLoss": ("bce", {}),
    "KLDivLoss": ("kl", {}),
}
# What torch's losses have and ours do not, and what then helps.
_FOREIGN = {
    "BCEWithLogitsLoss": (("weight", "pos_weight"), "with weights is not a loss that mpc knows"),
    "KLDivLoss": (("log_target",), "with log_target is not a loss that mpc knows: give exp(target)"),
}


# What may differ between parameter groups of torch: whose they are, and how torch computes.
_FREE_IN_GROUPS = {"params", "param_names", "foreach", "fused", "capturable", "differentiable",
                   "initial_lr", "swap_lr", "max_lr", "min_lr"}

# What only some rules of torch have: the compiler's --opt-arg.
_RULE_NUMBERS = ("alpha", "lr_decay", "dampening", "initial_accumulator_value", "rho", "momentum_decay",
                 "lambd", "t0")
_RULE_SWITCHES = ("centered", "amsgrad", "maximize")


def _compiler() -> Any:
    try:
        from . import _compiler
    except ImportError as error:
        raise UsageError(
            f"this installation has no compiler ({error}): load() runs what mpc-compile has written"
        ) from None
    return _compiler


# --- Flags -----------------------------------------------------------------------------------------


def _flag(name: str, value: Any) -> list[str]:
    """The flags of mpc-compile for one argument: nesterov=True, no_decay=["bias"], beta1=0.9."""
    flag = "--" + name.replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if name == "class_weights":
        return [f"{flag}={','.join(repr(float(number)) for number in value)}"]
    if isinstance(value, (list, tuple)):
        return [text for item in value for text in _flag(name, item)]
    if isinstance(value, Mapping):
        return [f"{flag}={key}={_number(item)}" for key, item in value.items()]
    return [f"{flag}={_number(value)}"]


def _number(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(float(value)) if isinstance(value, float) else str(value)


def options() -> dict[str, str]:
    """What :func:`compile_step` takes as keywords beside its own, each with what it does.

    They are the flags of ``mpc-compile``, with underscores: ``options()["clip_norm"]`` is
    ``"X: Largest norm of each gradient"``.
    """
    return {
        name.removeprefix("--").replace("-", "_"): f"{takes}: {text}" if takes else text
        for name, takes, text, _ in _compiler().flags()
        if name.startswith("--")
    }


def _flags(options: Mapping[str, Any]) -> list[str]:
    return [text for name, value in options.items() for text in _flag(name, value)]


def _loss_options(loss: Any) -> dict[str, Any]:
    """Of a name, or of a loss module of torch."""
    if isinstance(loss, str):
        return {"loss": loss}
    name = type(loss).__name__
    if name not in _TORCH_LOSSES:
        raise UsageError(
            f"{name} is not a loss that mpc knows; let the module return its loss and "
            "say loss='output:NAME'"
        )
    attributes, words = _FOREIGN.get(name, ((), ""))
    given = [getattr(loss, attribute) for attribute in attributes]
    if any(value is not None and value is not False for value in given):
        raise UsageError(f"{name} {words}")
    kind, numbers = _TORCH_LOSSES[name]
    options: dict[str, Any] = {"loss": kind, "reduction": loss.reduction}
    for attribute, flag in numbers.items():
        options[flag] = _loss_number(getattr(loss, attribute))
    if numbers.keys() >= _LABELS.keys():
        options["class_axis"] = 1  # Whatever the shapes: torch's losses have classes nowhere else.
    return options


def _loss_number(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def _adam_options(group: Mapping[str, Any]) -> dict[str, Any]:
    beta1, beta2 = group["betas"]
    options = {"beta1": float(beta1), "beta2": float(beta2)}
    return {**options, "eps": group["eps"]} if "eps" in group else options


def _torch_optimizer_options(optimizer: Any, names: Mapping[int, str], has_groups: bool) -> dict[str, Any]:
    """Of an optimizer of torch, whose groups may differ in having weight decay or none; with `has_groups`, flags of
    their own say their rates and weight decays."""
    kind = type(optimizer).__name__.lower()
    groups = optimizer.param_groups
    first = max(groups, key=lambda group: group.get("weight_decay", 0))
    if "decoupled_weight_decay" in first and kind in ("adam", "adamw"):
        kind = "adamw" if first["decoupled_weight_decay"] else "adam"
    options: dict[str, Any] = {"optimizer": kind}
    if "betas" in first:
        options.update(_adam_options(first))
    elif "eps" in first:
        options["eps"] = float(first["eps"])
    # Also where it is 0, which is not the default of each rule.
    if "weight_decay" in first:
        options["weight_decay"] = float(first["weight_decay"])
    if first.get("momentum"):
        options["momentum"] = float(first["momentum"])
    if first.get("nesterov"):
        options["nesterov"] = True
    extra: dict[str, Any] = {name: float(first[name]) for name in _RULE_NUMBERS if name in first}
    for name in ("etas", "step_sizes"):
        extra.update(zip(_state._TUPLES[name], map(float, first.get(name, ()))))
    extra.update({name: True for name in _RULE_SWITCHES if first.get(name)})
    if kind not in ("adam", "adamw") and first.get("decoupled_weight_decay"):
        extra["decoupled_weight_decay"] = True
    if extra:
        options["opt_arg"] = extra
    _check_groups(groups, first, {"lr", "weight_decay"} if has_groups else set())
    if first.get("weight_decay") and not has_groups:
        plain = [g for g in groups if not g["weight_decay"]]
        options["no_decay"] = [_pattern(name) for g in plain for name in _names_in_group(g, names)]
    return options


def _groups_of(optimizer: Any, names: Mapping[int, str]) -> tuple[list[_groups.Group], _groups.Partition]:
    """The groups of a program that have numbers of their own."""
    groups = optimizer.param_groups
    parts = _groups.partition(groups)
    if not parts.differ:
        return [], parts
    own = {id(p): name for group in groups for p, name in zip(group["params"], _names_in_group(group, names))}
    return _groups.members(groups, parts, own), parts


def _optimizer_options(optimizer: Any, names: Mapping[int, str], lr: float | None) -> dict[str, Any]:
    """Of an optimizer of torch and its groups. Another rate than the first group's moves those of all."""
    groups = optimizer.param_groups
    found, parts = _groups_of(optimizer, names)
    rate = float(groups[0]["lr"])
    scale = 1.0 if lr is None or not rate else lr / rate
    own = [_groups.flag_of(one, groups, parts, float(groups[one.index]["lr"]) * scale) for one in found]
    return {**_torch_optimizer_options(optimizer, names, parts.differ), "group": own}


def _names_in_group(group: Mapping[str, Any], names: Mapping[int, str]) -> list[str]:
    """The model's names of a group's parameters: by the module, or as the optimizer was given them."""
    found = [names.get(id(parameter)) for parameter in group["params"]]
    given = group.get("param_names", found)
    known = [name if name is not None else other for name, other in zip(found, given)]
    if None in known:
        raise UsageError(
            "the model is a file, and the optimizer has groups with numbers of their own of parameters whose names are not "
            "known: give it named ones, as {'params': [(name, p) for name, p in module.named_parameters() if p.dim() < 2], "
            "'weight_decay': 0}, or give compile_step() the module"
        )
    return [name for name in known if name is not None]


def _check_groups(groups: Sequence[Mapping[str, Any]], first: Mapping[str, Any], free: set[str]) -> None:
    """Parameter groups may differ in having weight decay or none, and in the numbers of `free`; mpc has the rest once."""
    for group in groups:
        for key, value in first.items():
            own = group[key]
            is_none = key == "weight_decay" and not own
            if key not in _FREE_IN_GROUPS | free and not is_none and own != value:
                raise UsageError(
                    f"the optimizer's groups differ in {key!r} ({value} and {own}): mpc has one "
                    "for all parameters; only learning rates and weight decays may differ"
                )


def _pattern(name: str) -> str:
    """A regular expression for one name of torch: letters, digits, dots and underscores."""
    return "^" + name.replace(".", "\\.") + "$"


def _frozen(module: Any, optimizer: Any) -> list[str]:
    """Parameters of a torch module that take no gradient, or that its optimizer does not have."""
    groups = getattr(optimizer, "param_groups", None)
    trained = None if groups is None else {id(p) for group in groups for p in group["params"]}
    own = {id(parameter) for _, parameter in module.named_parameters()}
    if trained is not None and not trained <= own:
        raise UsageError("the optimizer has parameters of another module than the one compiled")
    return [name for name, parameter in module.named_parameters()
            if not getattr(parameter, "requires_grad", True)
            or (trained is not None and id(parameter) not in trained)]


def _scaler_options(scaler: Any) -> dict[str, Any]:
    """Of a policy's name, of a dict with its settings, or of a GradScaler of torch."""
    if scaler is None:
        return {}
    if isinstance(scaler, str):
        return {"loss_scale": scaler}
    if isinstance(scaler, Mapping):
        settings = dict(scaler)
        return {"loss_scale": settings.pop("policy", "dynamic"), **settings}
    if not hasattr(scaler, "get_growth_factor"):
        raise UsageError(f"{type(scaler).__name__} is neither a policy, a dict nor a GradScaler")
    if not scaler.is_enabled():
        return {"loss_scale": "none"}
    return {
        "loss_scale": "torch",
        "init_scale": float(scaler.get_scale()),
        "growth_factor": float(scaler.get_growth_factor()),
        "backoff_factor": float(scaler.get_backoff_factor()),
        "growth_interval": int(scaler.get_growth_interval()),
    }


def _precision_name(precision: Any) -> str:
    """'fp16', or what torch calls it."""
    text = str(precision).removeprefix("torch.")
    return {"float32": "fp32", "float16": "fp16", "half": "fp16", "bfloat16": "bf16"}.get(text, text)


# --- Models ----------------------------------------------------------------------------------------


def _is_module(model: Any) -> bool:
    return hasattr(model, "state_dict") and hasattr(model, "named_parameters")


def _frozen_statistics(module: Any) -> list[str]:
    """The normalizations of a module in training if all of them are in ``eval()``."""
    parts = {name: part for name, part in module.named_modules() if getattr(part, "running_mean", None) is not None}
    return [] if any(part.training for part in parts.values()) else list(parts)


def export_onnx(module: Any, example_inputs: Sequence[Any]) -> bytes:
    """A torch module as an ONNX file that keeps what is to be trained.

    That is without the exporter's optimizations, which fold BatchNormalization into convolutions
    and untie tied weights. The module is exported as it is in training. Its modes are left as they
    are. A BatchNormalization that is frozen by ``eval()`` stays so beside one that trains; where
    all are frozen, they train all the same, as a warning says.

    Args:
        module: a ``torch.nn.Module``.
        example_inputs: one batch of its inputs; shapes and types are those of each batch.
    """
    import torch  # type: ignore[import-not-found]

    modes = [(part, part.training) for part in module.modules()]
    if not module.training:
        module.train()
    elif frozen := _frozen_statistics(module):
        warnings.warn(
            f"{', '.join(frozen)}: in eval() although the module trains, which in the exported file "
            "looks as a module in eval(): the step uses and updates the statistics of each batch there too",
            MpcWarning, stacklevel=4)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Exporting a model while it is in training mode")
            program = torch.onnx.export(
                module, tuple(example_inputs), dynamo=True, optimize=False, verbose=False
            )
    finally:
        for part, is_training in modes:
            part.training = is_training
    # Weights lie inside, up to the 2 GiB that ONNX allows.
    return program.model_proto.SerializeToString()


def _model_of(model: Any, example_inputs: Sequence[Any] | None) -> Any:
    """A model of the compiler: of a module, a file, bytes of ONNX or MLIR's text."""
    compiler = _compiler()
    if _is_module(model):
        if example_inputs is None:
            raise UsageError("a torch module needs example_inputs: a batch, for its shapes")
        name = type(model).__name__
        return compiler.Model.load_onnx(export_onnx(model, example_inputs), name)
    if isinstance(model, (bytes, bytearray)):
        return compiler.Model.load_onnx(bytes(model), "model.onnx")
    if isinstance(model, str) and "\n" in model:
        return compiler.Model.parse(model, "model.mlir")
    if hasattr(model, "SerializeToString"):  # An onnx.ModelProto.
        return compiler.Model.load_onnx(model.SerializeToString(), "model.onnx")
    return compiler.Model.load(os.fspath(model))


def model_of(model: Any) -> Any:
    """A model of the compiler, of a file, bytes of ONNX or an ``onnx.ModelProto``."""
    return _model_of(model, None)


def _names_of(model: Any) -> dict[int, str]:
    """The names of a module's parameters; none of a model in a file."""
    return {id(parameter): name for name, parameter in model.named_parameters()} if _is_module(model) else {}


def _recipe(model: Any, loss: Any, optimizer: Any, precision: Any, scaler: Any,
            options: Mapping[str, Any], lr: float | None = None) -> list[str]:
    names = _names_of(model)
    merged: dict[str, Any] = {"precision": _precision_name(precision)}
    if _is_module(model):
        merged["freeze"] = [_pattern(name) for name in _frozen(model, optimizer)]
    if loss is not None:
        merged.update(_loss_options(loss))
    if hasattr(optimizer, "param_groups"):
        if "group" in options:
            raise UsageError("group= says what the optimizer's param_groups say")
        merged.update(_optimizer_options(optimizer, names, lr))
    elif optimizer is not None:
        merged["optimizer"] = "callback" if callable(optimizer) else optimizer
    merged.update(_scaler_options(scaler))
    merged.update(options)
    return _flags(merged)


def _tell(messages: Sequence[tuple[int, str]]) -> None:
    for _, text in messages:
        warnings.warn(text, MpcWarning, stacklevel=3)


def compile_step(
    model: Any,
    loss: Any = None,
    optimizer: Any = "adamw",
    *,
    precision: Any = "fp32",
    scaler: Any = None,
    lr: float | None = None,
    example_inputs: Sequence[Any] | None = None,
    num_threads: int = 0,
    seed: int = 0,
    save: str | os.PathLike | None = None,
    ranks: Any = None,
    **options: Any,
) -> Step:
    """Compiles forward, backward, loss scaling and optimizer of a model into one step.

    ::

        step = mpc_compiler.compile_step(
            "model.onnx", loss="cross_entropy", optimizer="adamw", precision="fp16", lr=1e-3)
        for x, target in batches:
            result = step(x, target)

    Args:
        model: a ``torch.nn.Module`` (then `example_inputs` too), the path of an ONNX or MLIR file,
            an ``onnx.ModelProto`` or its bytes, or MLIR's text of several lines.
        loss: ``"cross_entropy"``, ``"mse"``, ...: of the model's output and ``target``;
            ``"output:NAME"`` where the model returns its loss; or a loss module of torch.
        optimizer: its name, or an optimizer of torch, whose numbers are taken over. Parameters of
            a module that it does not have, or that take no gradient, are frozen. Or a function
            that updates the parameters itself: see :meth:`Step.set_optimizer`.
        precision: ``"fp32"``, ``"bf16"``, ``"fp16"`` or torch's types.
        scaler: a loss-scale policy (``"dynamic"``, ``"torch"``, ``"keras"``, ...), a dict with its
            settings (``{"policy": "dynamic", "init_scale": 1024}``), or a ``GradScaler`` of torch.
        lr: the learning rate, which may be set later; an optimizer of torch brings its own, which is its first
            group's. Rates of other groups move as much as it does.
        example_inputs: one batch of a module's inputs, for their shapes and types.
        num_threads: in all; 0 for one for each CPU.
        seed: of initial weights that are drawn, of random rounding and dropout.
        save: also write the program to this file, with the learning rate as its default.
        ranks: the processes that share the batches of ``accumulate=``, by default one of each: see
            :mod:`mpc_compiler.ranks`.
        **options: any other flag of ``mpc-compile``: ``momentum=0.9``, ``clip_global_norm=1.0``,
            ``accumulate=4``, ``no_decay=["bias"]``, ``keep_fp32=["head"]``, ``nesterov=True``.
            :func:`options` has all of them, with what each does.
    """
    if ranks is not None:
        options = {**options, **flags_of(ranks, options.get("accumulate"), options)}
    flags = _recipe(model, loss, optimizer, precision, scaler, options, lr)
    source = _model_of(model, example_inputs)
    if hasattr(optimizer, "param_groups") and lr is None:
        lr = optimizer.param_groups[0]["lr"]
    with_rate = flags + _flag("lr", lr if lr is None else float(lr))
    has_groups = any(flag.startswith("--group=") for flag in flags)
    program, messages = source.compile(with_rate if has_groups else flags)
    _tell(messages)
    if save is not None:
        source.compile_file(with_rate, os.fspath(save))
    step = Step(program, num_threads=num_threads, seed=seed, ranks=ranks)
    step._module = model if _is_module(model) else None
    step._source = source
    if hasattr(optimizer, "param_groups"):
        step._optimizer = optimizer
        step._groups = _groups_of(optimizer, _names_of(model))[0]
    elif callable(optimizer):
        step.set_optimizer(optimizer)
    if lr is not None:
        step.lr = float(lr)
    return step


def explain(
    model: Any,
    *,
    precision: Any = "fp16",
    loss: Any = None,
    format: str = "text",
    example_inputs: Sequence[Any] | None = None,
    **options: Any,
) -> str:
    """Says which op of a model computes in which precision, by which rule, and what casts cost.

    Args:
        model, loss, precision, example_inputs: as of :func:`compile_step`.
        format: ``"text"``, ``"json"`` or ``"html"``.
    """
    if format not in _FORMATS:
        raise UsageError(f"format is {format!r}; there are {', '.join(_FORMATS)}")
    flags = _recipe(model, loss, None, precision, None, options)
    return _model_of(model, example_inputs).explain(flags, _FORMATS[format])
