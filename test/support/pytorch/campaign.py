# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports the models of models.py from PyTorch in every form, and holds mpc's training of them against PyTorch's.

    python campaign.py export FOLDER [--only=REGEX] [--forms=a,b]   files and references; needs PyTorch
    python campaign.py run FOLDER [--bin=build/bin] [--only=REGEX] [--forms=a,b] [--precisions=a,b]
    python campaign.py report FOLDER                                the table of what was run

By hand, and no part of the tests: it needs torch, torchvision, timm, transformers, x-transformers, einops, onnxscript and safetensors.
Each model and form is one line of FOLDER/results.jsonl. What is wrong is said there:
  lost      a parameter of the module that is neither trained nor named in an error
  loss, gradient   farther from PyTorch in float64 than twice what PyTorch's own float32 is at most, or than 1e-5, where
            float32 is the worst of runs whose weights differ by a rounding: it decides on which side of a ReLU a zero falls
  train     a precision that fails, is not finite, or falls short of PyTorch's fall in fp32 by more than a quarter of it
"""

import argparse
import contextlib
import json
import multiprocessing.pool
import pathlib
import re
import subprocess
import sys
import traceback
import warnings

import numpy as np

#: What each form says to the exporter, and the mode of the module.
FORMS = {
    "eval": ({"dynamo": True, "optimize": False}, False),
    "train": ({"dynamo": True, "optimize": False}, True),
    "default": ({"dynamo": True}, False),
    "default_train": ({"dynamo": True}, True),
    "script": ({"dynamo": False}, False),
    "script_train": ({"dynamo": False, "do_constant_folding": False}, True),
}
PRECISIONS = "fp32", "bf16", "fp16"
STEPS, SECONDS = 20, 240
NUDGES = 8
TOLERANCE = 1e-5
#: What draws in spite of --no-dropout. Uniform numbers are of dropout and drop path, which it leaves out.
RANDOM = re.compile("RandomNormal|Multinomial")


# --- PyTorch ------------------------------------------------------------------------------------


def target_of(case, y):
    import torch

    if case.loss == "output":
        return {}
    if case.loss != "cross_entropy":
        return {"target": torch.rand(y.shape)}
    classes_first = y.dim() == 4
    labels = (y.shape[0], *y.shape[2:]) if classes_first else y.shape[:-1]
    return {"target": torch.randint(0, y.shape[1 if classes_first else -1], labels)}


def loss_of(case, y, target):
    import torch.nn.functional as F

    if case.loss == "output":
        return y
    if case.loss == "mse":
        return F.mse_loss(y, target["target"].to(y.dtype))
    return F.cross_entropy(
        y if y.dim() in (2, 4) else y.flatten(0, -2), target["target"] if y.dim() == 4 else target["target"].flatten()
    )


@contextlib.contextmanager
def without_dropout():
    """A module in training form whose dropout and drop path do nothing."""
    import torch
    import torch.nn.functional as F

    attention = F.scaled_dot_product_attention
    kept = {name: getattr(F, name) for name in ("dropout", "dropout2d", "alpha_dropout")}
    draw = torch.Tensor.bernoulli_
    for name in kept:
        setattr(F, name, lambda x, *_, **__: x)

    def without(query, key, value, attn_mask=None, dropout_p=0.0, *rest, **more):
        return attention(query, key, value, attn_mask, 0.0, *rest, **more)

    F.scaled_dot_product_attention = without
    torch.Tensor.bernoulli_ = lambda self, p=0.5, **_: self.fill_(p)
    try:
        yield
    finally:
        for name, function in kept.items():
            setattr(F, name, function)
        F.scaled_dot_product_attention, torch.Tensor.bernoulli_ = attention, draw


def set_mode(model, training):
    """As mpc trains: normalizations use the batch's statistics whatever the mode of the export."""
    import torch

    model.train(training)
    for module in model.modules():
        if isinstance(module, torch.nn.modules.batchnorm._BatchNorm):
            module.train()
    return model


def copy_of(case, model):
    """A new one with the same state: not every module can be copied."""
    made = case.make()
    made.load_state_dict(model.state_dict())
    return made.train(model.training)


def nudge(model, seed):
    """Moves each weight to one of the two float32 beside it, or leaves it."""
    import torch

    draw = torch.Generator().manual_seed(seed)
    for parameter in model.parameters():
        if parameter.is_floating_point():
            ahead = torch.randint(-1, 2, parameter.shape, generator=draw) * torch.inf
            parameter.data = torch.where(ahead.isnan(), parameter.data, parameter.data.nextafter(ahead))


def gradients(case, model, training, inputs, target, dtype, seed=None):
    import torch

    model = set_mode(copy_of(case, model).to(dtype), training)
    if seed is not None:
        nudge(model, seed)
    inputs = [x.to(dtype) if x.is_floating_point() else x for x in inputs.values()]
    torch.set_default_dtype(dtype)
    try:
        with without_dropout():
            loss = loss_of(case, model(*inputs), target)
            loss.backward()
    finally:
        torch.set_default_dtype(torch.float32)
    found = {n: p.grad for n, p in model.named_parameters() if p.requires_grad}
    return loss.item(), {n: np.zeros(0) if g is None else g.double().numpy() for n, g in found.items()}


def train_losses(case, model, training, inputs, target):
    import torch

    model = set_mode(copy_of(case, model), training)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=case.lr)
    losses = []
    with without_dropout():
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss = loss_of(case, model(*inputs.values()), target)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses


def float32_of(case, model, training, inputs, target, loss, wanted):
    """How far PyTorch's float32 is from float64: the loss that is farthest, and each gradient's largest error."""
    import torch

    losses, errors = [], {}
    for seed in (None, *range(NUDGES)):
        single, found = gradients(case, model, training, inputs, target, torch.float32, seed)
        losses.append(single)
        for name, error in error_of(found, wanted).items():
            errors[name] = max(error, errors.get(name, 0))
    return max(losses, key=lambda single: abs(single - loss)), errors


def error_of(found, wanted):
    """Of each gradient, beside its own size and a hundredth of the largest one's."""
    largest = max((np.linalg.norm(g) for g in wanted.values()), default=0)
    return {
        name: float(np.linalg.norm(found[name] - g) / (np.linalg.norm(g) + 1e-2 * largest + 1e-30))
        for name, g in wanted.items()
        if name in found and found[name].shape == g.shape
    }


def export_one(name, forms, folder):
    import torch
    from safetensors.torch import save_file

    import models

    torch.set_num_threads(1)
    case = models.CASES[name]
    torch.manual_seed(0)
    model, inputs = case.make(), case.inputs()
    for parameter in model.parameters():  # Zeros hide errors, and equal tensors may be merged.
        if parameter.requires_grad and parameter.numel() > 1:
            parameter.data.add_(torch.randn_like(parameter) * 0.02)
    model.eval()
    target = target_of(case, model(*inputs.values()))
    place = folder / name
    place.mkdir(exist_ok=True, parents=True)
    data = {k: v.contiguous() for k, v in {**inputs, **target}.items()}
    save_file(data, place / "data.safetensors")
    for mode in {FORMS[form][1] for form in forms}:
        loss, wanted = gradients(case, model, mode, inputs, target, torch.float64)
        loss32, errors = float32_of(case, model, mode, inputs, target, loss, wanted)
        np.savez(place / f"gradients.{mode}.npz", **wanted)
        aliases = {}
        for alias, parameter in model.named_parameters(remove_duplicate=False):
            aliases.setdefault(id(parameter), []).append(alias)
        reference = {
            "loss": loss, "loss32": loss32, "errors": errors, "aliases": list(aliases.values()),
            "losses": train_losses(case, model, mode, inputs, target), "loss_name": case.loss, "lr": case.lr,
            "shared": case.shared, "batch": next((len(v) for k, v in inputs.items() if k not in case.shared), None),
            "trained": sum(p.numel() for p in model.parameters() if p.requires_grad),
            # A parameter that nothing reads has no gradient, and no place in the file.
            "read": [n for n, g in wanted.items() if np.any(g)],
        }  # fmt: skip
        (place / f"reference.{mode}.json").write_text(json.dumps(reference))
    for form in forms:
        arguments, mode = FORMS[form]
        path = place / f"{form}.onnx"
        (place / f"{form}.failed").unlink(missing_ok=True)
        try:
            model.train(mode)
            torch.onnx.export(
                copy_of(case, model), tuple(inputs.values()), str(path), input_names=list(inputs), output_names=["output_value"],
                **arguments, **({} if arguments["dynamo"] else {"training": getattr(torch.onnx.TrainingMode, "TRAINING" if mode else "EVAL")}),
            )  # fmt: skip
        except Exception as error:  # The exporter's own limits are counted, and are not ours.
            (place / f"{form}.failed").write_text(f"{type(error).__name__}: {str(error)[:300]}")


def exported(arguments):
    name, forms, folder = arguments
    with (
        open(folder / f"{name}.log", "w", encoding="utf-8") as log,
        contextlib.redirect_stdout(log),
        contextlib.redirect_stderr(log),
    ):
        warnings.simplefilter("ignore")
        try:
            export_one(name, forms, folder)
        except Exception:
            traceback.print_exc()
            return f"{name}: failed, see {name}.log"
    return name


# --- mpc ----------------------------------------------------------------------------------------


def call(*command):
    try:
        done = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return 124, "", f"above {SECONDS} s"
    return done.returncode, done.stdout, done.stderr


def errors_of(text):
    lines = [line for line in text.splitlines() if "error:" in line] or text.splitlines()[-1:]
    return " | ".join(lines)[:600]


def compare(place, form, mode, tool, reference, flags):
    from safetensors.numpy import load_file

    out = place / f"{form}.out.safetensors"
    status, _, text = call(
        tool, place / f"{form}.onnx", f"--inputs={place}/data.safetensors", f"--outputs={out}", "--gradients", "--training",
        "--no-dropout", "--threads=1", *flags,
    )  # fmt: skip
    if status != 0:
        return [f"eval {status}: {errors_of(text)}"]
    found = load_file(out)
    out.unlink()
    loss = abs(float(found["loss"]) - reference["loss"]) / (abs(reference["loss"]) + 1e-30)
    own = abs(reference["loss32"] - reference["loss"]) / (abs(reference["loss"]) + 1e-30)
    faults = [f"loss off by {loss:.1e}, PyTorch by {own:.1e}"] if loss > max(2 * own, TOLERANCE) else []
    wanted = dict(np.load(place / f"gradients.{mode}.npz"))
    ours = {}
    for names in reference["aliases"]:
        known = [n for n in names if f"grad.{n}" in found]
        for n in names:
            if known:
                ours[n] = found[f"grad.{known[0]}"].astype(np.float64)
    missing = [n for n, g in wanted.items() if g.size and n not in ours and np.any(g)]
    if missing:
        faults.append(f"lost: no gradient of {', '.join(missing[:6])} and {max(0, len(missing) - 6)} more")
    most = max(reference["errors"].values(), default=0)
    for n, error in error_of(ours, {n: g for n, g in wanted.items() if g.size}).items():
        if error > max(2 * most, TOLERANCE):
            faults.append(f"gradient of {n} off by {error:.1e}, PyTorch by {reference['errors'].get(n, 0):.1e}")
    return faults[:8]


def train(place, form, tool, reference, flags, precision, drawn):
    from safetensors.numpy import load_file

    weights, metrics = place / f"{form}.weights.safetensors", place / f"{form}.{precision}.csv"
    status, _, text = call(
        tool, place / f"{form}.onnx", f"--data={place}/data.safetensors", f"--lr={reference['lr']}", "--optimizer=adamw",
        *([f"--batch-size={reference['batch']}"] if reference["batch"] else []), f"--steps={STEPS}",
        f"--precision={precision}", "--threads=1", "--no-dropout",
        # A model at its first step may have gradients of 1e4, and ten steps are few to find a scale in.
        *(["--init-scale=16"] if precision == "fp16" else []),
        "--order=sequential", f"--metrics={metrics}", f"--export-weights={weights}", *flags,
        *(f"--shared-input={name}" for name in reference["shared"]),
    )  # fmt: skip
    if status != 0:
        return [f"train {precision} {status}: {errors_of(text)}"]
    faults = []
    if FORMS[form][0]["dynamo"]:
        kept = load_file(weights)
        lost = [
            names[0] for names in reference["aliases"] if {*names} & {*reference["read"]} and not {*names} & {*kept}
        ]
        if lost:
            faults.append(f"lost: not in the exported weights: {', '.join(lost[:6])} and {max(0, len(lost) - 6)} more")
    elif (elements := sum(v.size for v in load_file(weights).values())) < reference["trained"]:
        faults.append(f"lost: {reference['trained'] - elements} of {reference['trained']} elements are not trained")
    weights.unlink()
    rows = [row.split(",") for row in metrics.read_text().splitlines()]
    losses = [float(row[1]) for row in rows[1:] if row[rows[0].index("skipped")] == "0"]
    if not losses:
        return faults + [f"train {precision}: every step is skipped"]
    fall, wanted = losses[0] - losses[-1], reference["losses"][0] - reference["losses"][-1]
    # Where PyTorch's own gradient is off by a hundredth, ten steps are a matter of luck.
    is_held = not drawn and max(reference["errors"].values()) < 1e-2
    if not np.all(np.isfinite(losses)) or fall < wanted - 0.25 * abs(wanted) and is_held:
        faults.append(
            f"train {precision}: {losses[0]:.5g} to {losses[-1]:.5g}, PyTorch in fp32 {reference['losses'][0]:.5g} to {reference['losses'][-1]:.5g}"
        )
    return faults


def run_one(arguments):
    import onnx

    name, form, folder, tools, precisions = arguments
    place, mode = folder / name, FORMS[form][1]
    result = {"model": name, "form": form, "faults": [], "exported": not (place / f"{form}.failed").exists()}
    if not result["exported"] or not (place / f"{form}.onnx").exists():
        return result | {"exported": False}
    reference = json.loads((place / f"reference.{mode}.json").read_text())
    graph = onnx.load(place / f"{form}.onnx", load_external_data=False).graph
    loss = f"--loss={reference['loss_name']}".replace("=output", f"=output:{graph.output[0].name}")
    drawn = any(RANDOM.search(node.op_type) for node in graph.node)
    if form != "script" and not drawn:
        result["faults"] += compare(place, form, mode, tools / "mpc-eval", reference, [loss])
    for precision in precisions:
        faults = train(place, form, tools / "mpc-train", reference, [loss], precision, drawn)
        result["faults"] += faults
        if any("exported for inference" in fault for fault in faults):
            return result | {"refused": True, "faults": []}
        if any(re.match(r"train \w+ \d", fault) for fault in faults):
            break
    return result


def report(folder):
    latest = {}
    for line in (folder / "results.jsonl").read_text().splitlines():
        result = json.loads(line)
        latest[result["model"], result["form"]] = result
    for form in FORMS:
        mine = [result for (_, f), result in latest.items() if f == form]
        made = [result for result in mine if result["exported"]]
        refused = sum(bool(result.get("refused")) for result in made)
        lost = sum(any("lost" in fault for fault in result["faults"]) for result in made)
        wrong = sum(bool(result["faults"]) for result in made)
        if mine:
            print(
                f"{form}: {len(mine)} models, {len(made)} exported, {refused} refused, {wrong} at fault, {lost} lose parameters"
            )
    for result in latest.values():
        for fault in result["faults"]:
            print(f"  {result['model']} {result['form']}: {fault}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=("export", "run", "report"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/bin"))
    parser.add_argument("--only", default="")
    parser.add_argument("--forms", default=",".join(FORMS))
    parser.add_argument("--precisions", default=",".join(PRECISIONS))
    parser.add_argument("--jobs", type=int, default=2)
    flags = parser.parse_args()
    flags.folder.mkdir(exist_ok=True, parents=True)
    if flags.command == "report":
        return report(flags.folder)
    import models

    names = [name for name in models.CASES if re.search(flags.only, name)]
    forms = flags.forms.split(",")
    if flags.command == "export":
        with multiprocessing.Pool(flags.jobs, maxtasksperchild=16) as pool:
            for line in pool.imap_unordered(exported, [(name, forms, flags.folder) for name in names]):
                print(line, flush=True)
        return
    jobs = [(name, form, flags.folder, flags.bin, flags.precisions.split(",")) for form in forms for name in names]
    with (
        open(flags.folder / "results.jsonl", "a", encoding="utf-8") as results,
        multiprocessing.pool.ThreadPool(flags.jobs) as pool,
    ):
        for result in pool.imap_unordered(run_one, jobs):
            print(json.dumps(result), file=results, flush=True)
            if result["faults"]:
                print(result["model"], result["form"], *result["faults"], sep="\n    ", flush=True)
    report(flags.folder)


if __name__ == "__main__":
    sys.exit(main())
