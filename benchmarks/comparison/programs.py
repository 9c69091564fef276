# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our side's programs, as MLIR or as files of the tests."""
import re
import sys

from . import cases, convolutions

sys.path.insert(0, str(cases.ROOT / "benchmarks/gpu"))
import models  # noqa: E402
from models import shaped  # noqa: E402

KINDS = {"fp32": "f32", "bf16": "bf16", "fp16": "f16"}


def contraction(case, precision):
    """A product whose operands and result are of the precision's type."""
    kind = KINDS[precision]
    m, n, k, layout = (case[key] for key in ("m", "n", "k", "layout"))
    stored, a = shaped((k, m) if layout[0] == "t" else (m, k), kind), shaped((m, k), kind)
    b, c = shaped((n, k) if layout[1] == "t" else (k, n), kind), shaped((m, n), kind)
    left = f"  %left = nn.transpose %a [1, 0] : {stored} -> {a}\n" if layout[0] == "t" else ""
    right = "transpose_rhs " if layout[1] == "t" else ""
    return f"""func.func @model(%a: {stored} {{nn.name = "a"}}, %b: {b} {{nn.name = "b"}}) -> ({c} {{nn.name = "c"}}) {{
{left}  %c = nn.matmul {"%left" if left else "%a"}, %b {right}: {a}, {b} -> {c}
  return %c : {c}
}}
"""


def attention(case, precision):
    """Forward and backward. q, k and v are weights, so that what is read is their copy in the precision."""
    m = models.Module()
    shape = tuple(case["shape"])
    q, k, v = (m.parameter(name, shape, "zeros") for name in "qkv")
    scores = m.matmul(q, k, "transpose_rhs ")
    scores = m.same("mul", scores, m.number(shape[3] ** -0.5, scores[1]))
    if case["causal"]:
        mask, hidden = models.causal_mask(m, shape[2], scores[1]), m.number("0xFF800000", scores[1])
        types = f"{shaped(scores[1], 'i1')}, {shaped(scores[1])}"
        scores = m.op(f"nn.select {mask[0]}, {hidden[0]}, {scores[0]} : {types}", scores[1])
    result = m.matmul(m.same("softmax", scores, attributes="axis(3) "), v)
    body = "".join(f"  {line}\n" for line in m.lines)
    wide, given = shaped(shape), shaped(shape, KINDS[precision])
    names = ("o", "dq", "dk", "dv")
    results = ", ".join(f'{given} {{nn.name = "{name}"}}' for name in names)
    narrow = "".join(f"  %{name}_n = nn.cast %{name} : {wide} -> {given}\n" for name in names)
    return (
        "\n".join(m.parameters)
        + f"\nfunc.func private @attend() -> {wide} {{\n{body}  return {result[0]} : {wide}\n}}\n"
        + f'func.func @step(%g: {given} {{nn.name = "do"}}) -> ({results}) {{\n'
        + f"  %do = nn.cast %g : {given} -> {wide}\n"
        + f"  %o, %dq, %dk, %dv = nn.vjp @attend() seed(%do) wrt [@q, @k, @v] : (), ({wide}) -> {', '.join(4 * [wide])}\n"
        + narrow
        + f"  return {', '.join(f'%{name}_n' for name in names)} : {', '.join(4 * [given])}\n}}\n"
    )


def convolution(case, product, precision):
    """One of the three products of a convolution, and what it reads. All are of the precision's type."""
    x, w, y = (shaped(shape, KINDS[precision]) for shape in convolutions.shapes(case).values())
    stride, padding, groups = (case[key] for key in ("stride", "padding", "groups"))
    window = f"strides [{stride}, {stride}] low [{padding}, {padding}] high [{padding}, {padding}] dilations [1, 1]"
    head = "(%x: {x} {{nn.name = \"x\"}}, %w: {w} {{nn.name = \"w\"}}".format(x=x, w=w)
    conv = f"  %y = nn.conv %x, %w {window} groups({groups}) : {x}, {w} -> {y}\n"
    if product == "forward":
        return f'func.func @step{head}) -> ({y} {{nn.name = "result"}}) {{\n{conv}  return %y : {y}\n}}\n', ("x", "w")
    number, kind = (0, x) if product == "input" else (1, w)
    return (
        f"func.func private @convolve(%x: {x}, %w: {w}) -> {y} {{\n{conv}  return %y : {y}\n}}\n"
        f'func.func @step{head}, %seed: {y} {{nn.name = "y"}}) -> ({kind} {{nn.name = "result"}}) {{\n'
        f"  %r:2 = nn.vjp @convolve(%x, %w) seed(%seed) wrt [] args [{number}] : ({x}, {w}), ({y}) -> {y}, {kind}\n"
        f"  return %r#1 : {kind}\n}}\n"
    ), ("x", "w", "y")


def optimizer(case):
    """Unscale, check, clip, AdamW: gradients of f16 come in, and copies of f16 of the weights go out."""
    shapes = cases.gpt2_shapes(case)
    wide, narrow = [shaped(shape) for shape in shapes], [shaped(shape, "f16") for shape in shapes]
    count = range(len(shapes))
    trained = ", ".join(f"@w{i}" for i in count)
    lines = [f"nn.parameter @w{i} : {wide[i]} = #nn.init<normal {cases.WEIGHT}>" for i in count]
    lines += [
        f'amp.scaler @scaler policy("dynamic") settings {{init_scale = {cases.LOSS_SCALE}, growth_interval = 2000.0}}',
        'amp.optimizer @optimizer kind("adamw") hyper {beta1 = 0.9, beta2 = 0.95, weight_decay = 0.1, '
        f"clip_global_norm = 1.0}} trains [{trained}]",
    ]
    arguments = ", ".join(f'%g{i}: {narrow[i]} {{nn.name = "g{i}"}}' for i in count)
    results = ", ".join(f'{narrow[i]} {{nn.name = "h{i}"}}' for i in count)
    lines.append(f'func.func @step({arguments}, %lr: tensor<f32> {{nn.name = "lr"}}) -> ({results},')
    lines.append('    tensor<i1> {nn.name = "found_inf"}, tensor<f64> {nn.name = "grad_norm"}) {')
    lines += [f"  %f{i} = nn.cast %g{i} : {narrow[i]} -> {wide[i]}" for i in count]
    gathered = "!amp.gradients<@optimizer>"
    lines += [
        "  %scale = amp.get_scale @scaler : tensor<f32>",
        "  %inverse = amp.inverse_scale %scale : tensor<f32>",
        f"  %all = amp.gather {', '.join(f'%f{i}' for i in count)} : {', '.join(wide)} -> {gathered}",
        f"  %unscaled = amp.unscale %all by %inverse : {gathered}",
        f"  %found, %norm = amp.check %unscaled : {gathered}",
        '  %max = amp.get_hyper @optimizer "clip_global_norm" : tensor<f64>',
        "  %coefficient = amp.clip_coefficient %norm max(%max) : tensor<f64> -> tensor<f32>",
        f"  %clipped = amp.clip %unscaled by %coefficient : {gathered}",
        f"  amp.apply %clipped lr(%lr) skip(%found) : {gathered}",
        "  %good, %error = amp.update_scale @scaler found(%found)",
    ]
    lines += [f"  %w{i} = nn.get @w{i} : {wide[i]}\n  %h{i} = nn.cast %w{i} : {wide[i]} -> {narrow[i]}" for i in count]
    lines.append(f"  return {', '.join(f'%h{i}' for i in count)}, %found, %norm :")
    lines.append(f"      {', '.join(narrow)}, tensor<i1>, tensor<f64>\n}}")
    return "\n".join(lines) + "\n"


def type_of(tensor):
    """As MLIR writes it."""
    kinds = {"float32": "f32", "bfloat16": "bf16", "int64": "i64", "bool": "i1"}
    return shaped(tuple(tensor.shape), kinds[str(tensor.dtype).removeprefix("torch.")])


def with_gradients(model, called):
    """A step of an imported op: its result, and the gradients of its inputs by the cotangent `seed`."""
    inputs, result = [type_of(one) for one in called.inputs], type_of(called.result)
    gradients = [inputs[i] for i in called.wanted()]
    names = [f"%x{i}" for i in range(len(inputs))]
    arguments = [f'{name}: {kind} {{nn.name = "{name[1:]}"}}' for name, kind in zip(names, inputs)]
    arguments.append(f'%seed: {result} {{nn.name = "seed"}}')
    results = [f'{result} {{nn.name = "y"}}', *(f'{kind} {{nn.name = "d{i}"}}' for i, kind in enumerate(gradients))]
    values, kinds = ", ".join(f"%r#{i}" for i in range(len(results))), ", ".join([result, *gradients])
    opened = model.replace("func.func @model", "func.func private @model").strip().removesuffix("}")
    return (
        f"{opened}func.func @step({', '.join(arguments)}) -> ({', '.join(results)}) {{\n"
        f"  %r:{len(results)} = nn.vjp @model({', '.join(names)}) seed(%seed) wrt [] args {called.wanted()}\n"
        f"      : ({', '.join(inputs)}), ({result}) -> {kinds}\n  return {values} : {kinds}\n}}\n}}\n"
    )


def forward(model):
    """A step of an imported op: its result, as a training computes it."""
    return model.replace("func.func @model", "func.func @step")


def bound(model, called, has_gradients):
    """The inputs of an op's program by their names."""
    if has_gradients:
        return {f"x{i}": one for i, one in enumerate(called.inputs)} | {"seed": called.seed}
    head = model[model.index("@") :].split("->", 1)[0]
    return dict(zip(re.findall(r'nn.name = "(.*?)"', head), called.inputs))


def optimizer_flags(rule):
    flags = [f"--optimizer={rule['kind']}"]
    if "momentum" in rule:
        flags.append(f"--momentum={rule['momentum']}")
    if "betas" in rule:
        flags += [f"--beta1={rule['betas'][0]}", f"--beta2={rule['betas'][1]}", f"--eps={rule['eps']}"]
    if "weight_decay" in rule:
        flags.append(f"--weight-decay={rule['weight_decay']}")
    if "no_decay" in rule:
        flags.append(f"--no-decay={rule['no_decay']}")
    if "clip" in rule:
        flags.append(f"--clip-norm={rule['clip']}")
    return flags


def step(case):
    """The text of a step's model, or the path of one that the tests have; and the name of its input."""
    if case["model"] in ("mlp", "cnn"):
        return cases.INPUTS / f"workloads/digits-{case['model']}.onnx", "x"
    if case["model"] == "gpt":
        keys = ("batch", "length", "layers", "heads", "width")
        sizes = models.Sizes(vocabulary=cases.VOCABULARY, **{key: case[key] for key in keys})
        return models.gpt(sizes), "tokens"
    return models.resnet(models.Sizes(case["batch"], channels=case["channels"])), "x"
