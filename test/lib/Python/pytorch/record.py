# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records what PyTorch makes of modules, for recorded_test.py.

    MPC_TORCH_PYTHON -B record.py FOLDER       (with the package in PYTHONPATH)

Of each module NAME.onnx, as compile_step exports it, and NAME.safetensors: the batches, PyTorch's
losses and last state, and as metadata what compile_step asks the module, its loss, its optimizer
and its scaler.
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import onnx
import torch
import torch_modules_test as modules
from safetensors.torch import save_file

from mpc_compiler import _compile

STEPS = 10


def sequences(seed):
    return (modules.numbers(8, 7, 6, seed=seed),), modules.labels(8, seed=seed)


def tokens(seed):
    return (modules.labels(32, 11, seed).reshape(8, 4),), modules.labels(8, 11, seed=seed + 99)


def pairs(seed):
    inputs = modules.numbers(8, 6, seed=seed), modules.numbers(8, 4, seed=seed + 99)
    return inputs, modules.labels(8, seed=seed)


def overflowing(seed):
    (x,), target = modules.rows(seed)
    return (x * (1e30 if seed == 6 else 1),), target


def in_groups(module):
    module.stem.weight.requires_grad_(False)
    rest = [module.stem.bias, *module.norm.parameters(), module.head.bias]
    return torch.optim.AdamW([{"params": [module.head.weight], "weight_decay": 0.1},
                              {"params": rest, "weight_decay": 0.0}], lr=0.01)


def descent(**options):
    return lambda module: torch.optim.SGD(module.parameters(), 0.05, momentum=0.9, **options)


def adaptive(kind):
    return lambda module: kind(module.parameters(), 0.01)


# Module, optimizer, batches and label smoothing; the last in fp16 with a scaler.
CASES = {
    "convolutional": (modules.convolutional, descent(), modules.images, 0),
    "encoder": (modules.encoder, descent(nesterov=True), modules.sequences, 0.1),
    "recurrent": (modules.recurrent, adaptive(torch.optim.Adam), sequences, 0),
    "tied": (modules.tied, adaptive(torch.optim.AdamW), tokens, 0),
    "two_inputs": (modules.two_inputs, lambda m: torch.optim.RMSprop(m.parameters(), 0.001, alpha=0.9), pairs, 0),
    "grouped": (modules.grouped, in_groups, modules.rows, 0),
    "scaled": (modules.grouped, descent(), overflowing, 0),
}


def questions(module, optimizer, loss, scaler):
    """What compile_step asks, as JSON has it."""
    names = {id(p): name for name, p in module.named_parameters()}
    groups = [group | {"params": [names[id(p)] for p in group["params"]]} for group in optimizer.param_groups]
    attributes = ("reduction", "ignore_index", "weight", "label_smoothing")
    return {
        "torch": torch.__version__,
        "parameters": {name: p.requires_grad for name, p in module.named_parameters()},
        "optimizer": {"kind": type(optimizer).__name__, "groups": groups},
        "loss": {"kind": type(loss).__name__} | {name: getattr(loss, name) for name in attributes},
        "scaler": scaler and {"init_scale": scaler.get_scale(), "growth_factor": scaler.get_growth_factor(),
                              "backoff_factor": scaler.get_backoff_factor(),
                              "growth_interval": scaler.get_growth_interval()},
    }


def trained(module, optimizer, loss, scaler, batches):
    """Losses, and scales behind each step."""
    losses, scales = [], []
    for inputs, target in batches:
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.float16, enabled=scaler is not None):
            value = loss(module(*inputs), target)
        if scaler:
            scaler.scale(value).backward()
            scaler.step(optimizer)
            scaler.update()
            scales.append(scaler.get_scale())
        else:
            value.backward()
            optimizer.step()
        losses.append(value.item())
    return losses, scales


def without_places(graph):
    """The record of PyTorch's exporter without lines of sources, which are this machine's."""
    for node in graph.node:
        kept = [(entry.key, entry.value) for entry in node.metadata_props if "stack_trace" not in entry.key]
        del node.metadata_props[:]
        for key, value in kept:
            node.metadata_props.add(key=key, value=value)
        for attribute in node.attribute:
            without_places(attribute.g)


def record(folder, name):
    make, optimize, batch, smoothing = CASES[name]
    torch.manual_seed(0)
    module = make()
    optimizer, loss = optimize(module), torch.nn.CrossEntropyLoss(label_smoothing=smoothing)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12, growth_interval=3) if name == "scaled" else None
    batches = [batch(seed) for seed in range(STEPS)]
    model = onnx.load_from_string(_compile.export_onnx(module, batches[0][0]))
    for part in (model.graph, *model.functions):
        without_places(part)
    onnx.save(model, folder / f"{name}.onnx")
    asked = questions(module, optimizer, loss, scaler)
    losses, scales = trained(module, optimizer, loss, scaler, batches)
    tensors = {f"state.{key}": value.detach().clone() for key, value in module.state_dict().items()}
    for step, (inputs, target) in enumerate(batches):
        tensors |= {f"{step}.{place}": value for place, value in enumerate((*inputs, target))}
    tensors |= {"losses": torch.tensor(losses, dtype=torch.float64), "scales": torch.tensor(scales)}
    save_file(tensors, folder / f"{name}.safetensors", {"asked": json.dumps(asked)})


if __name__ == "__main__":
    for name in CASES:
        record(pathlib.Path(sys.argv[1]), name)
