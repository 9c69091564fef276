# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program is kept under changes wherever the program would: for every flag, and every fact
of the labels and of the machine that it is made for.

    python cache_keys.py DIR

Each flag of `mpc-train --help` is tried with values of its own; one that is new with values by its
type, and fails here by its name where those tell nothing. Two command lines whose programs differ
must lie under different keys, in the cache of compilations as in that of command lines.
"""
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import save_file

ROOT = pathlib.Path(sys.argv[1]).resolve()
FLAG = re.compile(r"^  (?:-\w, )?(--[a-z0-9-]+)(?:\[?=(\S+?)\]?)?(?:\s|$)", re.M)
BATCH, WIDTH, CLASSES = 8, 4, 3


# --- Models and data ---------------------------------------------------------------------------------


def weights(*shape):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


def save_model(name, nodes, batch=BATCH, more=(), domain="", shape=(CLASSES,)):
    """y [N, ...], mostly [N, CLASSES], of x [N, WIDTH]."""
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, WIDTH]), *more]
    initializers = {"w": weights(WIDTH, CLASSES), "b": weights(CLASSES), "mask": weights(1, CLASSES)}
    initializers |= {name: np.ones(CLASSES, np.float32) for name in ("gain", "mean", "variance")}
    initializers |= {"one": np.array([1]), "two": np.array([2])}
    graph = helper.make_graph(
        nodes, name, inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, [batch, *shape])],
        [numpy_helper.from_array(value, key) for key, value in initializers.items()])
    opsets = [helper.make_opsetid("", 18)] + ([helper.make_opsetid(domain, 1)] if domain else [])
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), ROOT / f"{name}.onnx")


def save_models():
    def layer(last, name="h"):
        return [helper.make_node("MatMul", ["x", "w"], ["p"], name="first"),
                helper.make_node("Mul", ["p", "mask"], ["q"], name="masked"),
                helper.make_node("Add", ["q", "b"], [name], name="bias"), *last]

    dropout = helper.make_node("Dropout", ["h", "ratio", "train"], ["y"], name="drop")
    half = helper.make_node("Constant", [], ["ratio"], value_float=0.5, name="half")
    true = helper.make_node(
        "Constant", [], ["train"], value=numpy_helper.from_array(np.array(True)), name="true")
    save_model("net", layer([half, true, dropout]))
    save_model("open", layer([], "y"), batch="N")
    save_model("number", layer([helper.make_node("ReduceSum", ["h", "axes"], ["s"], name="sum"),
                                helper.make_node("Add", ["h", "s"], ["y"], name="more")]), more=[helper.make_tensor_value_info("axes", TensorProto.INT64, [1])])
    save_model("offset", layer([helper.make_node("Add", ["h", "offset"], ["y"], name="more")]),
               more=[helper.make_tensor_value_info("offset", TensorProto.FLOAT, [BATCH, CLASSES])])
    save_model("custom", layer([helper.make_node("Twice", ["h"], ["y"], name="own", domain="my")]), domain="my")
    save_model("norm", layer([helper.make_node(
        "BatchNormalization", ["h", "gain", "b", "mean", "variance"], ["y"], name="norm")]))
    save_model("cube", layer([helper.make_node("Unsqueeze", ["h", "one"], ["rows"], name="rows"),
                              helper.make_node("Unsqueeze", ["h", "two"], ["columns"], name="columns"),
                              helper.make_node("Mul", ["rows", "columns"], ["y"], name="product")]),
               shape=(CLASSES, CLASSES))
    for name, op in (("added", "nn.add %x, %x"), ("squared", "nn.mul %x, %x")):
        (ROOT / f"{name}.mlir").write_text(
            f'func.func @twice(%x: tensor<{BATCH}x{CLASSES}xf32>) -> tensor<{BATCH}x{CLASSES}xf32> '
            f'attributes {{nn.op = "my::Twice", nn.rule = "own"}} {{\n  %y = {op} : tensor<{BATCH}x{CLASSES}xf32>\n'
            f"  return %y : tensor<{BATCH}x{CLASSES}xf32>\n}}\n")


def save_data(name, target, **others):
    save_file({"x": weights(len(target), WIDTH), "target": target, **others}, str(ROOT / f"{name}.safetensors"))


def save_all_data():
    labels = np.arange(BATCH) % CLASSES
    save_data("labels", labels)
    save_data("two", np.arange(2 * BATCH) % CLASSES)
    save_data("short", labels.astype(np.int32))
    save_data("column", labels.reshape(BATCH, 1))
    save_data("shares", np.full((BATCH, CLASSES), 1 / CLASSES, np.float32))
    save_data("twofold", np.full((BATCH, CLASSES), 1 / CLASSES))
    save_data("axis", labels, axes=np.array([1]))
    save_data("cube", np.zeros((BATCH, CLASSES), np.int64))
    save_data("offset", labels, offset=weights(BATCH, CLASSES))
    save_file({"w": weights(WIDTH, CLASSES)}, str(ROOT / "init.safetensors"))
    save_file({"c": np.array([1, 2, 1], np.float32)}, str(ROOT / "classes.safetensors"))
    (ROOT / "policy.txt").write_text("base mpc\ndeny op matmul\n")


# --- What is tried -----------------------------------------------------------------------------------

FP16 = ["--precision=fp16"]
SGD = ["--optimizer=sgd", "--momentum=0.5"]
LARC = ["--larc=clip"]
# The multiply unit of a CPU that need not be this one, by plain code.
UNIT = ["--precision=bf16", "--cpu=znver4", "--naive"]
MODEL = {
    "--batch-size": "open", "--input-shape": "open", "--input-value": "number", "--op-library": "custom",
    "--shared-input": "offset", "--class-axis": "cube", "--frozen-batch-norm": "norm",
    "--always-write-buffers": "norm",
}
DATA = {"--class-axis": "cube", "--shared-input": "offset", "--input-value": "axis", "--accumulate": "two", "--sum-order": "two"}
# What must be given for a flag to make sense.
CONTEXT = {
    "--autocast-policy": FP16, "--keep-fp32": FP16, "--lower": ["--precision=fp16", "--autocast-policy=o1"],
    "--cost-aware": FP16, "--weight-cast": FP16, "--strict-casts": FP16, "--count-underflow": FP16, "--math": UNIT,
    "--master-weights": ["--precision=bf16"], "--loss-delta": ["--loss=huber", "--data=shares.safetensors"],
    "--reduction": ["--loss=mse", "--data=shares.safetensors"], "--momentum": ["--optimizer=sgd"],
    "--nesterov": SGD, "--slot-dtype": SGD, "--no-decay": ["--weight-decay=0.5"],
    "--larc-eta": LARC, "--larc-min-update": LARC, "--larc-eps": LARC, "--clip-norm-order": ["--clip-global-norm=1"],
    "--eval-every": ["--eval-data=labels.safetensors"],
    "--stop-after": ["--eval-data=labels.safetensors", "--eval-every=1"],
    "--keep-best": ["--eval-data=labels.safetensors", "--checkpoint-dir=DIR"],
    "--eval-weights": ["--eval-data=labels.safetensors", "--ema=0.5"],
    "--lr-schedule": ["--warmup-steps=1"], "--checkpoint-every": ["--checkpoint-dir=DIR"],
    "--resume": ["--checkpoint-dir=DIR"], "--input-value": ["--shared-input=axes"], "--at-floor": FP16, "--replay": FP16, "--max-skips": FP16,
    "--always-write-buffers": FP16, "--sum-order": ["--accumulate=2"],
}
# Which policy knows a setting; of the others the default does.
POLICIES = {
    "--hysteresis": "megatron", "--consecutive-hysteresis": "deepspeed", "--raise-at-min-scale": "deepspeed",
    "--log-max": "logmax", "--scale-beta1": "lognormal", "--scale-beta2": "logmax",
    "--overflow-std-dev": "logmax",
}
VALUES = {
    "--eval-data": ["labels.safetensors"], "--keep-best": ["loss"],
    "--data": ["labels.safetensors", "shares.safetensors"], "--shared-input": ["offset"], "--init": ["init.safetensors"],
    "--batch-size": ["4", "8"], "--loss": ["cross_entropy", "nll"], "--reduction": ["mean", "sum"], "--class-weights": ["1,2,1", "classes.safetensors"],
    "--input-shape": ["x=8x4", "x=4x4"], "--input-value": ["axes=0", "axes=1"], "--op-library": ["added.mlir", "squared.mlir"],
    "--class-axis": ["1", "2"], "--input-gradient": ["x"], "--frozen-batch-norm": ["all"], "--parameter": ["mask"], "--buffer": ["b"], "--constant": ["b"], "--autocast-policy": ["torch-cuda", "policy.txt"],
    "--keep-fp32": ["matmul"], "--lower": ["add"], "--loss-scale": ["none", "torch", "keras", "deepspeed", "logmax"],
    "--growth-factor": ["4"], "--growth-interval": ["7"], "--init-scale": ["4096"], "--min-scale": ["2"], "--max-scale": ["131072"],
    "--consecutive-hysteresis": ["1"], "--raise-at-min-scale": ["0", "1"], "--log-max": ["14"], "--hysteresis": ["3"],
    "--max-skips": ["3"], "--optimizer": ["sgd", "adam", "adamw", "lamb"], "--opt-arg": ["amsgrad=true"],
    "--no-decay": ["b"], "--group": ["b:weight-decay=0.5", "b:lr=0.5"], "--freeze": ["b"], "--trainable": ["w"], "--cpu": ["host", "x86-64-v3"], "--memory-budget": ["1GB", "1.0"], "--target": ["cpu"],
}
# Of a policy that is only replayed; of steps that a launcher must start, which check_targets has.
LEFT_OUT = {"--num-ranks", "--shard", "--fp8-max", "--margin", "--amax-history-len", "--most-recent", "--help", "--version"}
# Of the recipe, and yet the program is the same.
SAME = {
    "--allow-lost-parameters": "permits only",
    "--no-grad": "of what an exporter's record leaves open, as recorded-modes.test has it",
    "--strict-casts": "casts are kept without it",
    "--at-floor": "of a run, which asks the compiler for more",
    "--export-onnx": "of a run, which asks the compiler for more",
    "--nan-report": "of a run, which asks the compiler for more",
    "--memory-budget": "memory-budget.test has a step that keeps to one; this one is too small",
    "--wide-places": "of a GPU, where check_targets has it",
    "--target": "the CPU is the only one that every machine has",
}


def flags_of(tool):
    text = subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout
    return dict(FLAG.findall(text))


def values_of(flag, kind):
    """The words that give a flag its values; by its type where the flag is not known here."""
    if flag in VALUES:
        return [f"{flag}={value}" for value in VALUES[flag]]
    if not kind or kind.startswith("FILE") and "[=" in flag:
        return [flag]
    if "|" in kind and kind.islower() or re.fullmatch(r"[\w|-]+", kind) and "|" in kind:
        return [f"{flag}={value}" for value in kind.split("|")]
    by_type = {"X": "0.25", "N": "2", "REGEX": "matmul", "DIR": "DIR"}
    return [f"{flag}={by_type.get(kind, 'out.' + kind.rpartition('.')[2])}"]


def words_of(flag, words):
    """The command line of a flag's words."""
    context = CONTEXT.get(flag, [])
    if flag in POLICIES:
        context = [*FP16, f"--loss-scale={POLICIES[flag]}"]
    elif flag.endswith("-scale") or flag.startswith(("--growth", "--backoff")):
        context = FP16
    line = [f"{MODEL.get(flag, 'net')}.onnx", *context, *words]
    if not any(word.startswith("--data=") for word in line):
        line.append(f"--data={DATA.get(flag, 'labels')}.safetensors")
    return line


# --- What is kept ------------------------------------------------------------------------------------

Kept = collections.namedtuple("Kept", "line code said programs")


def kept_by(place, tool, line):
    """What a command line leaves in caches of its own: of each, key and program."""
    folder = ROOT / f"run-{place}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    words = [word.replace("=DIR", f"={folder / 'dir'}").replace("=out.", f"={folder}/out.") for word in line]
    done = subprocess.run([tool, *words], cwd=ROOT, capture_output=True, text=True,
                          env=os.environ | {"MPC_CACHE_DIR": str(folder / "cache")})
    programs = {}
    for kind, path in (("compilations", "cache"), ("command lines", "cache/direct")):
        found = [(p.name, p.read_bytes()) for p in (folder / path).glob("*.mpc")]
        assert len(found) < 2, (line, found)
        programs[kind] = found[0] if found else None
    shutil.rmtree(folder)
    return Kept(line, done.returncode, done.stderr.strip(), programs)


def all_kept(tool, lines):
    """What each line leaves; a line that is there again is not run again."""
    different = dict.fromkeys(map(tuple, lines))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = pool.map(lambda item: kept_by(item[0], tool, item[1]), enumerate(different))
        kept = dict(zip(different, runs))
    return [kept[tuple(line)] for line in lines]


def collisions(runs):
    """Command lines whose programs differ and lie under one key."""
    first = {}
    for run in runs:
        for kind, entry in run.programs.items():
            if entry is None:
                continue
            key, program = entry
            other = first.setdefault((kind, key), (program, run.line))
            if other[0] != program:
                yield f"{kind}: {' '.join(other[1])} and {' '.join(run.line)} have one key and two programs"


# --- Tests -------------------------------------------------------------------------------------------


def check_flags():
    """What is wrong, how many flags were tried, and which of a run make no sense alone."""
    flags, of_a_run = flags_of("mpc-train"), set(flags_of("mpc-run"))
    lines = {}
    for flag, kind in flags.items():
        if flag not in LEFT_OUT:
            lines[flag] = [words_of(flag, words) for words in [[], *([w] for w in values_of(flag, kind))]]
    runs = iter(all_kept("mpc-train", [line for of_flag in lines.values() for line in of_flag]))
    faults, every, alone = [], [], []
    for flag, of_flag in lines.items():
        found = [next(runs) for _ in of_flag]
        # Without its flag a model may not be trained at all.
        wrong = [f"{flag}: {run.said}" for run in found[1:] if run.code != 0]
        if flag not in of_a_run or flag in VALUES:
            faults += wrong
        elif wrong:
            alone.append(flag)
        programs = {run.programs["compilations"] and run.programs["compilations"][1] for run in found if run.code == 0}
        if len(programs) < 2 and flag not in of_a_run and flag not in SAME:
            faults.append(f"{flag}: the same program with it and without: give it other values, or say why")
        every += found
    return faults + list(collisions(every)), len(lines) - len(alone), alone


def check_labels():
    """What of the labels decides; in one file after another, under one command line."""
    runs = []
    for loss in ("cross_entropy", "mse"):
        for name in ("labels", "two", "short", "column", "shares", "twofold"):
            shutil.copy(ROOT / f"{name}.safetensors", ROOT / "data.safetensors")
            runs.append(kept_by("labels", "mpc-train", ["net.onnx", "--data=data.safetensors", f"--loss={loss}"]))
    programs = {run.programs["compilations"][1] for run in runs if run.programs["compilations"]}
    assert len(programs) > 2, [run.said for run in runs]
    return list(collisions(runs))


def check_targets():
    """Each target that code is made for, one at a time."""
    targets = [["--cpu=x86-64-v3"], ["--cpu=x86-64-v4"], ["--cpu=host"], ["--cpu=x86-64-v3", "--naive"], ["--cpu=znver4"]]
    targets += [["--cpu=znver4", "--math=exact"]]
    targets += [[f"--target=cuda:sm_{arch}"] for arch in (80, 90, 100)]
    targets += [["--target=cuda:sm_90", "--wide-places"], ["--target=cuda:sm_90", "--math=exact"]]
    pairs = ["--accumulate=4", "--sum-order=pairs"]
    targets += [pairs, [*pairs, "--num-ranks=2"], [*pairs, "--num-ranks=4"], [*pairs, "--num-ranks=4", "--shard=off"]]
    runs = all_kept("mpc-compile", [["net.onnx", "-o", "out.mpc", *words] for words in targets])
    assert all(run.programs["compilations"] for run in runs), [run.said for run in runs]
    return list(collisions(runs))


def check_names():
    """Names of nodes, which reports quote, are no text that counts for nothing."""
    runs = []
    for name in ("first", "another"):
        model = onnx.load(ROOT / "net.onnx")
        next(node for node in model.graph.node if node.op_type == "MatMul").name = name
        onnx.save(model, ROOT / "named.onnx")
        runs.append(kept_by("names", "mpc-train", ["named.onnx", "--data=labels.safetensors"]))
    keys = {run.programs["compilations"][0] for run in runs}
    return [] if len(keys) == 2 else ["compilations: two names of a node have one key"]


save_models()
save_all_data()
found, tried, alone = check_flags()
found += check_labels() + check_targets() + check_names()
print("\n".join(found))
assert not found
print(f"flags {tried}; of a run, and refused without others: {' '.join(alone)}")
