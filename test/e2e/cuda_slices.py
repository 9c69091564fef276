# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Slices that begin at each element of 16 bytes, evaluated on the test driver.

    cuda_slices.py FOLDER f32|f16|large|columns

writes a model whose maps, rows, products and epilogues read contiguous slices
of an input and of a parameter, and compiles and runs it for a GPU. What it
gives is held against NumPy in float64. `large` is a slice of more than 1 MiB,
which is copied to where it can be read by 16 bytes at a time. `columns` are
columns of factors of f16, which a product reads where they are.
"""

import json
import pathlib
import subprocess
import sys

import numpy as np
from safetensors.numpy import load_file, save_file

ROWS, INNER, COLUMNS = 16, 32, 24
COUNT = ROWS * INNER


def places(dtype: str) -> range:
    return range(16 // np.dtype(dtype).itemsize)


def model(kind: str, dtype: str) -> str:
    """Outputs map.K, rows.K, product.K and sum.K of slices from element K on."""
    room = len(places(dtype))
    size, weights = COUNT + room, INNER * COLUMNS + room
    sums = ROWS * COLUMNS
    types = {
        "map": f"tensor<1x{COUNT}x{kind}>",
        "rows": f"tensor<{ROWS}x{INNER}xf32>",
        "product": f"tensor<{ROWS}x{COLUMNS}x{kind}>",
        "sum": f"tensor<{ROWS}x{COLUMNS}x{kind}>",
    }
    body, outputs = [], []

    def cut(result: str, source: str, size: int, at: int, count: int, shape: str) -> None:
        body.append(
            f"%{result}.flat = nn.slice {source} [0, {at}] to [1, {at + count}] by [1, 1] : "
            f"tensor<1x{size}x{kind}> -> tensor<1x{count}x{kind}>"
        )
        body.append(f"%{result} = nn.reshape %{result}.flat : tensor<1x{count}x{kind}> -> tensor<{shape}x{kind}>")

    for k in places(dtype):
        cut(f"x{k}", "%x16", size, k, COUNT, f"{ROWS}x{INNER}")
        cut(f"w{k}", "%w16", weights, k, INNER * COLUMNS, f"{INNER}x{COLUMNS}")
        cut(f"b{k}", "%x16", size, k, sums, f"{ROWS}x{COLUMNS}")
        rows = f"tensor<{ROWS}x{INNER}x{kind}>"
        product = types["product"]
        body += [
            f"%map{k} = nn.tanh %x{k}.flat : {types['map']}",
            f"%wide{k} = nn.cast %x{k} : {rows} -> {types['rows']}" if kind != "f32" else "",
            f"%rows{k} = nn.softmax %{'x' if kind == 'f32' else 'wide'}{k} axis(1) : {types['rows']}",
            f"%product{k} = nn.matmul %x{k}, %w{k} : {rows}, tensor<{INNER}x{COLUMNS}x{kind}> -> {product}",
            # Of other slices than the product above: that would be computed once.
            f"%other{k} = nn.matmul %x0, %w{k} : {rows}, tensor<{INNER}x{COLUMNS}x{kind}> -> {product}",
            f"%sum{k} = nn.add %other{k}, %b{k} : {product}",
        ]
        outputs += [(f"{name}{k}", type) for name, type in types.items()]
    results = ", ".join(f'{type} {{nn.name = "{name}"}}' for name, type in outputs)
    returned = ", ".join(f"%{name}" for name, _ in outputs)
    casts = [f"%x16 = nn.cast %x : tensor<1x{size}xf32> -> tensor<1x{size}x{kind}>",
             f"%w16 = nn.cast %w : tensor<1x{weights}xf32> -> tensor<1x{weights}x{kind}>"]
    if kind == "f32":
        body = [line.replace("%x16", "%x").replace("%w16", "%w") for line in body]
        casts = []
    text = "\n  ".join(line for line in casts + body if line)
    return f"""func.func @model(%x: tensor<1x{size}xf32> {{nn.name = "x"}}, %w: tensor<1x{weights}xf32> {{nn.name = "w"}}) -> ({results}) {{
  {text}
  return {returned} : {', '.join(type for _, type in outputs)}
}}
"""


def expected(dtype: str, x: np.ndarray, w: np.ndarray) -> dict[str, np.ndarray]:
    """The same in float64, of the numbers as they are once rounded to dtype."""
    x, w = (a.astype(dtype).astype(np.float64) for a in (x, w))
    first = x[0, :COUNT].reshape(ROWS, INNER)
    result = {}
    for k in places(dtype):
        flat = x[0, k : k + COUNT]
        square = flat.reshape(ROWS, INNER)
        weight = w[0, k : k + INNER * COLUMNS].reshape(INNER, COLUMNS)
        exponentials = np.exp(square - square.max(1, keepdims=True))
        product = (first @ weight).astype(dtype).astype(np.float64)
        result |= {
            f"map{k}": np.tanh(flat)[None],
            f"rows{k}": exponentials / exponentials.sum(1, keepdims=True),
            f"product{k}": square @ weight,
            f"sum{k}": product + flat[: ROWS * COLUMNS].reshape(ROWS, COLUMNS),
        }
    return result


LARGE = 270_000  # Elements: 1.03 MiB.


def large_model() -> str:
    return f"""func.func @model(%x: tensor<1x{LARGE + 1}xf32> {{nn.name = "x"}}) -> (tensor<1x{LARGE}xf32> {{nn.name = "y"}}) {{
  %0 = nn.slice %x [0, 1] to [1, {LARGE + 1}] by [1, 1] : tensor<1x{LARGE + 1}xf32> -> tensor<1x{LARGE}xf32>
  %1 = nn.tanh %0 : tensor<1x{LARGE}xf32>
  return %1 : tensor<1x{LARGE}xf32>
}}
"""


def run(folder: pathlib.Path) -> dict[str, np.ndarray]:
    """What model.mlir in the folder gives on the device of in.safetensors."""
    program, out = folder / "eval.mpc", folder / "out.safetensors"
    subprocess.run(["mpc-compile", folder / "model.mlir", "--target=cuda:sm_90", "--eval", "-o", program], check=True)
    subprocess.run(
        ["mpc-run", program, "--target=cuda", f"--inputs={folder / 'in.safetensors'}", f"--outputs={out}"],
        check=True,
    )
    return load_file(out)


def columns_model() -> str:
    return """func.func @model(%x: tensor<64x48xf32> {nn.name = "x"}, %w: tensor<32x96xf32> {nn.name = "w"}) -> (tensor<64x72xf16> {nn.name = "y"}) {
  %x16 = nn.cast %x : tensor<64x48xf32> -> tensor<64x48xf16>
  %w16 = nn.cast %w : tensor<32x96xf32> -> tensor<32x96xf16>
  %a = nn.slice %x16 [0, 8] to [64, 40] by [1, 1] : tensor<64x48xf16> -> tensor<64x32xf16>
  %b = nn.slice %w16 [0, 16] to [32, 88] by [1, 1] : tensor<32x96xf16> -> tensor<32x72xf16>
  %y = nn.matmul %a, %b : tensor<64x32xf16>, tensor<32x72xf16> -> tensor<64x72xf16>
  return %y : tensor<64x72xf16>
}
"""


def check_columns(folder: pathlib.Path) -> None:
    draw = np.random.default_rng(7)
    x, w = draw.normal(size=(64, 48)).astype(np.float32), draw.normal(size=(32, 96)).astype(np.float32)
    save_file({"x": x, "w": w}, folder / "in.safetensors")
    (folder / "model.mlir").write_text(columns_model())
    a, b = (each.astype(np.float16).astype(np.float64) for each in (x[:, 8:40], w[:, 16:88]))
    wanted = a @ b
    error = (np.abs(run(folder)["y"] - wanted) / np.maximum(np.abs(wanted), 1)).max()
    if not error <= 2**-10:
        sys.exit(f"off by {error:.2g}")
    print(f"ok a product of columns, worst {error:.2g}")


def check_large(folder: pathlib.Path) -> None:
    x = np.random.default_rng(5).normal(size=(1, LARGE + 1)).astype(np.float32)
    save_file({"x": x}, folder / "in.safetensors")
    (folder / "model.mlir").write_text(large_model())
    error = np.abs(run(folder)["y"] - np.tanh(x[:, 1:].astype(np.float64))).max()
    inspected = subprocess.run(
        ["mpc-inspect", folder / "eval.mpc", "--json"], check=True, capture_output=True, text=True
    ).stdout
    kinds = [launch["kind"] for launch in json.loads(inspected)["entries"][0]["launches"]]
    if not error <= 1e-6 or kinds != ["copy", "device_kernel"]:
        sys.exit(f"off by {error:.2g}; launches: {kinds}")
    print(f"ok {LARGE} elements of a copy, worst {error:.2g}")


def main() -> None:
    folder, kind = pathlib.Path(sys.argv[1]), sys.argv[2]
    if kind == "large":
        return check_large(folder)
    if kind == "columns":
        return check_columns(folder)
    dtype = {"f32": "float32", "f16": "float16"}[kind]
    room = len(places(dtype))
    draw = np.random.default_rng(11)
    x = draw.normal(size=(1, COUNT + room)).astype(np.float32)
    w = (draw.normal(size=(1, INNER * COLUMNS + room)) / 4).astype(np.float32)
    save_file({"x": x, "w": w}, folder / "in.safetensors")
    (folder / "model.mlir").write_text(model(kind, dtype))
    got = run(folder)
    # Of f16 one rounding of a result, and one more where a sum follows.
    tolerance = {"f32": 1e-6, "f16": 2**-10}[kind]
    worst = 0.0
    for name, want in expected(dtype, x, w).items():
        error = np.abs(got[name].astype(np.float64) - want).max() / np.abs(want).max()
        if not error <= tolerance:
            sys.exit(f"{name}: off by {error:.2g} of its largest")
        worst = max(worst, error)
    print(f"ok {len(got)} outputs of slices at {room} places, worst {worst:.2g}")


if __name__ == "__main__":
    main()
