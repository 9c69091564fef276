# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers of exported programs have the moments that PyTorch documents.

    python draws.py mpc-eval FOLDER
"""
import json
import pathlib
import subprocess
import sys

import numpy as np
from refusals import Program, X, archive, sub
from safetensors.numpy import load_file, save_file

COUNT = 1 << 16
# Five standard deviations of a mean of COUNT numbers with a deviation of 1.
NEAR = 5 / np.sqrt(COUNT)


def program():
    """What is drawn, and a dropout in train() and one in eval()."""
    made = Program()
    x = X(COUNT)
    made.tensor(x)
    drawn = {
        "uniform": made.call("rand_like.default", [x], self="x0"),
        "another": made.call("rand.default", [x], size=[COUNT]),
        "normal": made.call("randn_like.default", [x], self="x0"),
        "flipped": made.call("bernoulli.default", [x], self="x0"),
        "dropped": made.call("dropout.default", [x], input="x0", p=0.25, train=True),
        "kept": made.call("dropout.default", [x], input="x0", p=0.25, train=False),
    }
    drawn["coins"] = made.call("bernoulli_.float", [x], self=made.call("clone.default", [x], self="x0"), p=0.2)
    drawn["between"] = made.call("uniform_.default", [x], self=made.call("clone.default", [x], self="x0"), **{"from": -1.0}, to=3.0)
    drawn["shifted"] = made.call("normal_.default", [x], self=made.call("clone.default", [x], self="x0"), mean=2.0, std=0.5)
    rows = made.call("view.default", [X(256, 16, 16)], self="x0", size=[256, 16, 16])
    drawn["channels"] = made.call("feature_dropout.default", [X(256, 16, 16)], input=rows, p=0.25, train=True)
    # Every weight of 1 / 4 is dropped or doubled, and what they weigh is 1.
    heads = X(1, 1, COUNT // 4, 4)
    folded = made.call("view.default", [heads], self="x0", size=[1, 1, COUNT // 4, 4])
    zeros, ones = (made.call(op, [heads], self=folded) for op in ("zeros_like.default", "ones_like.default"))
    made.call("slice.Tensor", [X(1, 1, 4, 4)], self=zeros, dim=2, start=0, end=4)
    keys = made.outputs[0]
    values = made.call("slice.Tensor", [X(1, 1, 4, 4)], self=ones, dim=2, start=0, end=4)
    drawn["attended"] = made.call("scaled_dot_product_attention.default", [heads], query=folded, key=keys, value=values, dropout_p=0.5)
    numbers = X(COUNT, dtype="i64")
    for name, bounds in (("integers", {"low": -2, "high": 3}), ("from zero", {"high": 7})):
        op = "randint.low" if "low" in bounds else "randint.default"
        drawn[name] = made.call(op, [numbers], **bounds, size=[COUNT])
    drawn["order"] = made.call("randperm.default", [X(1000, dtype="i64")], n=1000)
    # Regions draw from streams of their own.
    for name in ("island", "other island"):
        body = sub([x], 1, ("dropout.default", x, {"input": "a", "p": 0.5, "train": True}))
        drawn[name] = made.call("torch.ops.higher_order.wrap_with_autocast", [x], a="'cpu'", b=None, c=False, d=False, e=body, f="x0")
    made.outputs = list(drawn.values())
    return made.json(), drawn


def evenly(found, low, high):
    """Whether each integer from `low` to before `high` is drawn as often as the others."""
    share = 1 / (high - low)
    values, counts = np.unique(found, return_counts=True)
    return np.array_equal(values, np.arange(low, high)) and np.all(np.abs(counts / COUNT - share) < 5 * np.sqrt(share / COUNT))


def faults(found, x):
    near = lambda value, wanted: abs(value - wanted) < NEAR
    dropped, channels = found["dropped"], found["channels"].reshape(256 * 16, 16)
    whole = (channels == 0).all(1) | (channels != 0).all(1)
    checks = {
        "uniform": (0 <= found["uniform"].min() and found["uniform"].max() < 1 and near(found["uniform"].mean(), 0.5)
                    and near(found["uniform"].std(), 12 ** -0.5)),
        "another stream": near(np.corrcoef(found["uniform"], found["another"])[0, 1], 0),
        "normal": near(found["normal"].mean(), 0) and near(found["normal"].std(), 1) and near((found["normal"] ** 3).mean() / 4, 0),
        "flipped": set(np.unique(found["flipped"])) == {0, 1} and near(found["flipped"].mean(), 0.3),
        "coins": set(np.unique(found["coins"])) == {0, 1} and near(found["coins"].mean(), 0.2),
        "between": (-1 <= found["between"].min() and found["between"].max() < 3
                    and near((found["between"].mean() + 1) / 4, 0.5) and near(found["between"].std() / 4, 12 ** -0.5)),
        "shifted": near(found["shifted"].mean(), 2) and near(found["shifted"].std(), 0.5),
        "integers": evenly(found["integers"], -2, 3) and evenly(found["from zero"], 0, 7),
        # Of an order that is random its correlation with 0, 1, ... has a deviation of 1 / sqrt(999).
        "order": (np.array_equal(np.sort(found["order"]), np.arange(1000))
                  and abs(np.corrcoef(found["order"], np.arange(1000))[0, 1]) < 5 / np.sqrt(999)),
        "dropped": near((dropped == 0).mean(), 0.25) and np.allclose(dropped[dropped != 0], x[0] / 0.75),
        "regions": near(np.corrcoef(found["island"], found["other island"])[0, 1], 0)
                   and near(np.corrcoef(found["island"], dropped)[0, 1], 0),
        "kept": np.array_equal(found["kept"], x),
        "attended": (set(np.unique(found["attended"])) == {0, 0.5, 1, 1.5, 2}
                     and abs(found["attended"][0, 0, :, 0].mean() - 1) < 5 * 0.5 / np.sqrt(COUNT // 4)),
        "channels": whole.all() and abs((channels[:, 0] == 0).mean() - 0.25) < 5 / np.sqrt(len(channels)),
    }
    return [name for name, holds in checks.items() if not holds]


def main():
    mpc_eval, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    text, drawn = program()
    archive(folder / "draws.pt2", {"models/model.json": json.dumps(text), "byteorder": "little"})
    x = np.full(COUNT, 0.3, np.float32)
    save_file({"x0": x}, folder / "in.safetensors")
    subprocess.run([mpc_eval, folder / "draws.pt2", f"--inputs={folder / 'in.safetensors'}", "--training", "--seed=3",
                    f"--outputs={folder / 'out.safetensors'}"], check=True)
    outputs = load_file(folder / "out.safetensors")
    found = faults({name: outputs[value] for name, value in drawn.items()}, x)
    print(f"{len(drawn)} outputs, {len(found)} faults {' '.join(found)}")


if __name__ == "__main__":
    main()
