#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds what nn-autocast decides against other systems' lists.

    python check_presets.py AutocastOps.csv dialects/NN autocast.md torch_cpu.csv published_lists.csv FOLDER

Every nn op with a row runs once on f32, on 16-bit and on f64 operands under each preset. Three
types of result tell three rules apart: low whatever comes in (lower), f32 whatever comes in
(keep-f32), and what comes in (promote, infer, clear). grappler's categories are also read from
the record that `explain` leaves, since infer and clear differ only in the company of others.
f64 stays f64. The table that the pass is built from is not what it is held against: torch-cuda and o1
are held against PyTorch's documentation, grappler against TensorFlow's header (published_lists.csv, in
their words, read by hand), torch-cpu against what PyTorch made of each op when it was asked
(torch_cpu.csv). The table in the documentation must say the same of each op as the one built in.
Prints one line for each difference, and exits 1 where there is one.
"""
import csv
import pathlib
import re
import subprocess
import sys

V, M, S, I = "tensor<4x$T>", "tensor<4x4x$T>", "tensor<$T>", "tensor<4xi64>"
X = "tensor<1x2x8x8x$T>"
UNARY = (
    "neg abs sign relu tanh sigmoid erf sqrt sin cos exp log softplus rsqrt reciprocal gelu "
    "floor ceil round tan asin acos sinh cosh softsign expm1 log1p"
).split()
# Ops that PyTorch has not been asked about. What compare compared in, its result does not say.
UNASKED = "compare floor ceil round tan asin acos sinh cosh softsign expm1 log1p leaky_relu elu dropout".split()
BINARY = "add sub mul div pow maximum minimum".split()

# nn op -> (name in the table, MLIR). PyTorch's cross_entropy_loss is on no CUDA list because it
# is made of log_softmax and nll_loss, which are. %v is a vector, %m a matrix, %x an image, %i labels.
SAMPLES = {op: (op, f"nn.{op} %v : {V}") for op in UNARY}
SAMPLES |= {op: (op, f"nn.{op} %v, %v : {V}") for op in BINARY}
# Of two values: a square has a rule of its own.
SAMPLES["mul"] = ("mul", f"nn.mul %v, %u : {V}")
SAMPLES |= {
    "pow": ("pow.Tensor_Tensor", f"nn.pow %v, %v : {V}"),
    "leaky_relu": ("leaky_relu", f"nn.leaky_relu %v alpha 0.1 : {V}"),
    "elu": ("elu", f"nn.elu %v alpha 1.0 scale 1.0 width 1.0 : {V}"),
    "dropout": ("dropout", f"nn.dropout %v ratio 0.5 stream 0 : {V}"),
    "compare": ("eq", f"nn.compare eq %v, %v : {V} -> tensor<4xi1>"),
    "select": ("where", f"nn.select %b, %v, %v : tensor<4xi1>, {V}"),
    "reshape": ("reshape", f"nn.reshape %m : {M} -> tensor<16x$T>"),
    "transpose": ("transpose", f"nn.transpose %m [1, 0] : {M} -> {M}"),
    "broadcast": ("expand", f"nn.broadcast %v axes [1] : {V} -> {M}"),
    "slice": ("slice", f"nn.slice %v [0] to [2] by [1] : {V} -> tensor<2x$T>"),
    "pad": ("pad", f"nn.pad %v low [1] high [1] interior [0] value 0.0 : {V} -> tensor<6x$T>"),
    "concat": ("cat", f"nn.concat %v, %v axis(0) : {V}, {V} -> tensor<8x$T>"),
    "split": ("split", f"nn.split %v axis(0) : {V} -> tensor<2x$T>, tensor<2x$T>"),
    "reverse": ("flip", f"nn.reverse %v axes [0] : {V}"),
    "gather": ("index_select", f"nn.gather %m, %i axis(0) : {M}, {I} -> {M}"),
    "scatter_add": ("scatter_add", f"nn.scatter_add %m, %i axis(0) : {M}, {I} -> {M}"),
    "cumsum": ("cumsum", f"nn.cumsum %v axis(0) : {V}"),
    "reduce_sum": ("sum.dim_IntList", f"nn.reduce_sum %v axes [0] : {V} -> {S}"),
    "reduce_max": ("max", f"nn.reduce_max %v axes [0] : {V} -> {S}"),
    "matmul": ("matmul", f"nn.matmul %m, %m : {M}, {M} -> {M}"),
    "linear": ("linear", f"nn.linear %m, %m : {M}, {M} -> {M}"),
    "conv": (
        "conv2d",
        f"nn.conv %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(1)"
        f" : {X}, tensor<3x2x1x1x$T> -> tensor<1x3x8x8x$T>",
    ),
    "max_pool": (
        "max_pool2d",
        f"nn.max_pool %x window [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1]"
        f" : {X} -> tensor<1x2x4x4x$T>, tensor<1x2x4x4xi64>",
    ),
    "softmax": ("softmax.int", f"nn.softmax %m axis(1) : {M}"),
    "log_softmax": ("log_softmax.int", f"nn.log_softmax %m axis(1) : {M}"),
    "layer_norm": ("layer_norm", f"nn.layer_norm %m axis(1) epsilon(1.0e-5) : {M}"),
    "rms_norm": ("rms_norm", f"nn.rms_norm %m axis(1) epsilon(1.0e-5) : {M}"),
    "batch_norm": (
        "batch_norm",
        f"nn.batch_norm %m, %v, %v, %v, %v axis(1) epsilon(1.0e-5) momentum(0.1) : ({M}, {V}, {V}, {V}, {V}) -> {M}",
    ),
    "cross_entropy": ("nll_loss", f"nn.cross_entropy %m, %i axis(1) : {M}, {I} -> {S}"),
}
# The own rule of each op, as docs/semantics/autocast.md and PyTorch's practice have it; all others: follow.
OWN = {op: "lower" for op in ("matmul", "linear", "conv")} | {
    op: "keep-f32"
    for op in (
        "exp log softplus rsqrt reciprocal pow cumsum reduce_sum softmax log_softmax layer_norm rms_norm cross_entropy "
        "tan asin acos sinh cosh expm1 log1p"
    ).split()
}
# Lists of "CUDA ops that can autocast to float16", "to float32", "that promote to the widest".
TORCH_CUDA = {"float16": "lower", "float32": "keep-f32", "widest": "follow", "none": "follow"}
TORCH_CPU = {"lower_precision_fp": "lower", "fp32": "keep-f32", "promote": "follow", "unlisted": "follow"}
# What grappler does with each list, and the rule that the record names.
GRAPPLER = {
    "allow": ("lower", "lower"),
    "deny": ("keep-f32", "keep-f32"),
    "infer": ("follow", "infer"),
    "clear": ("follow", "clear"),
    "none": ("keep-f32", "keep-f32"),
}


def function(name, sample, kind):
    """A function of one op on operands of type `kind`."""
    arguments = f"%v: {V}, %u: {V}, %m: {M}, %x: {X}, %w: tensor<3x2x1x1x$T>, %i: {I}, %b: tensor<4xi1>"
    results = ":2" if sample.count("->") and sample.rsplit("->", 1)[1].count("tensor") == 2 else ""
    text = f'func.func @f_{name}_{kind}({arguments}) {{\n  %r{results} = {sample} loc("{name}@{kind}")\n  return\n}}\n'
    return text.replace("$T", kind)


def decide(module, policy, precision):
    """What the pass makes of each function: {(op, operand type): (element type, recorded rule)}."""
    pipeline = f"builtin.module(nn-autocast{{precision={precision} policy={policy} explain=true}})"
    ran = subprocess.run(
        ["mpc-opt", module, f"--pass-pipeline={pipeline}", "--mlir-print-debuginfo", "--mlir-print-local-scope"],
        capture_output=True,
        text=True,
    )
    if ran.returncode != 0:
        sys.exit(f"mpc-opt failed: {ran.stderr[:2000]}")
    found = {}
    for line in ran.stdout.splitlines():
        place = re.search(r'\["(\w+)@(\w+)"\]', line)
        if place and "nn.cast" not in line:
            operands = line.split(" loc(")[0].split(" : ")[1].split("->")[0]
            kind = re.search(r"(?:x|<)(f64|f32|f16|bf16)>", operands)
            found[place.groups()] = (kind.group(1), re.search(r'rule = "([\w-]+)"', line).group(1))
    return found


def rule_of(low, found, op):
    kinds = (found[op, "f32"][0], found[op, low][0])
    return {(low, low): "lower", ("f32", "f32"): "keep-f32", ("f32", low): "follow"}.get(kinds, kinds)


def expected(policy, low, op, row, published):
    """The rule that the system gives, and the recorded one where it is checked."""
    if policy == "mpc":
        return OWN.get(op, "follow"), None
    if policy in ("torch-cuda", "o1"):
        return TORCH_CUDA[published["torch_cuda"]], None
    if policy == "torch-cpu":
        return TORCH_CPU[row["torch_cpu"] or "unlisted" if row else "unlisted"], None
    if policy in ("keras", "o2", "o3"):
        # Apex' keep_batchnorm_fp32, which o2 sets.
        kept = op == "cross_entropy" or (policy == "o2" and op == "batch_norm")
        return ("keep-f32" if kept else "lower"), None
    if not published["tf_op"]:  # No such op in TensorFlow: our own category.
        return OWN.get(op, "follow"), None
    return GRAPPLER[published["grappler_fp16" if low == "f16" else "grappler_bf16"]]


def read_recorded(path):
    """{(op, low, operand type): result type} of PyTorch's autocast on a CPU."""
    with open(path, newline="") as file:
        return {
            (row["op"], row["low"], kind): row[column]
            for row in csv.DictReader(file)
            for kind, column in (("f32", "f32"), (row["low"], "low_operands"), ("f64", "f64"))
        }


def differs_from_torch(asked, found, low):
    for (op, of, kind), result in asked.items():
        if of == low and op in SAMPLES and found[op, kind][0] != result:
            yield f"torch-cpu {low} {op} of {kind}: runs in {found[op, kind][0]}, PyTorch in {result}"


def missing_samples(table, dialect):
    """Ops that have a row under their own name but no sample here."""
    text = "".join(path.read_text() for path in pathlib.Path(dialect).glob("*.td"))
    mnemonics = set(re.findall(r'NN_\w+<"(\w+)"', text))
    assert set(OWN) <= mnemonics, f"{dialect} declares no {set(OWN) - mnemonics}"
    return sorted((mnemonics & set(table)) - set(SAMPLES))


def documented(op, aten, row):
    """The start of an op's line in the documentation, and its end."""
    if not row:
        return f"| {op} | - |", "| unlisted | unlisted | unlisted | unlisted |"
    keys = ("torch_cuda", "torch_cpu", "tf_grappler_cuda_fp16", "tf_grappler_onednn_bf16")
    return f"| {op} | {aten} |", "| " + " | ".join(row[key] or "own category" for key in keys) + " |"


def undocumented(table, docs):
    lines = pathlib.Path(docs).read_text().splitlines()
    for op, (aten, _) in SAMPLES.items():
        start, end = documented(op, aten, table.get(aten))
        if not any(line.startswith(start) and line.endswith(end) for line in lines):
            yield f"{docs}: no line '{start} ... {end}'"


def main():
    rows, dialect, docs, torch, lists, folder = sys.argv[1:]
    with open(rows, newline="") as file:
        table = {row["aten_op"]: row for row in csv.DictReader(file) if row["aten_op"]}
    with open(lists, newline="") as file:
        published = {row["op"]: row for row in csv.DictReader(file)}
    # grappler's lists alone: taint and spread look at neighbours.
    grappler = pathlib.Path(folder, "grappler.txt")
    grappler.write_text("base grappler\ntaint off\nspread off\n")
    faults = [f"{op}: has a row and no sample" for op in missing_samples(table, dialect)]
    faults += undocumented(table, docs)
    asked = read_recorded(torch)
    faults += [f"{lists}: no row for {op}" for op in SAMPLES if op not in published]
    unasked = [op for op in SAMPLES if (op, "f16", "f32") not in asked and op not in UNASKED]
    faults += [f"{torch}: no row for {op}" for op in unasked]
    checks = sum(op in SAMPLES for op, _, _ in asked)
    for low, precision in (("f16", "fp16"), ("bf16", "bf16")):
        module = pathlib.Path(folder, f"{low}.mlir")
        module.write_text("".join(function(op, s[1], k) for op, s in SAMPLES.items() for k in ("f32", low, "f64")))
        for policy in ("mpc", "torch-cuda", "torch-cpu", "o1", "o2", "o3", "keras", grappler):
            found = decide(module, policy, precision)
            name = "grappler" if policy == grappler else policy
            if name == "torch-cpu":
                faults += differs_from_torch(asked, found, low)
            faults += [f"{name} {low} {op}: f64 is cast" for op in SAMPLES if found[op, "f64"][0] != "f64"]
            for op, (aten, _) in SAMPLES.items():
                checks += 1
                rule, recorded = expected(name, low, op, table.get(aten), published[op])
                ours = rule_of(low, found, op)
                if ours != rule:
                    faults.append(f"{name} {low} {op}: runs as {ours}, expected {rule}")
                if recorded and found[op, "f32"][1] != recorded:
                    faults.append(f"{name} {low} {op}: is {found[op, 'f32'][1]}, expected {recorded}")
    print("\n".join(faults + [f"{checks} decisions, {len(faults)} differ from the lists"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
