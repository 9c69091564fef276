#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an exchange between ranks takes, by the messages and bytes of each.

    python cost.py tables                            the tables of docs/rationale/ranks-cost.md
    python cost.py measure [--build=DIR] [MODEL...]  the model's two numbers on this machine, and what they predict

A message takes `alpha` seconds, a byte `1 / bandwidth`. Ranks of a machine have links of their own, as GPUs have, and
one link each between machines. `measure` fits both numbers to programs of one parameter, by the collectives in the
profile of rank 0 (the least time of each, in which the others were there already), and predicts those of a model.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

BLOCK = 4096  # A part is whole blocks of so many elements.
HIDDEN = 2 / 3  # The share of a step that the backward pass takes, behind which gradients can move.


class Cluster:
    """GPUs with `inner` bytes/s within a machine of `width`, and `outer` between machines."""

    def __init__(self, ranks, width=8, inner=450e9, outer=50e9, alpha=5e-6):
        self.ranks, self.width, self.inner, self.outer, self.alpha = ranks, min(width, ranks), inner, outer, alpha

    def all_to_all(self, size, ranks, stride):
        """Each of `ranks`, that are `stride` apart, sends each other its part of `size` bytes."""
        near = min(ranks, max(1, self.width // stride))
        seconds = (near - 1) / ranks * size / self.inner
        return (ranks - 1) * self.alpha + max(seconds, (ranks - near) / ranks * size / self.outer)

    def exchange(self, sent, gathered):
        """All at once: an all-to-all of gradients, an all-gather of what is updated."""
        return self.all_to_all(sent, self.ranks, 1) + self.all_to_all(gathered, self.ranks, 1)

    def in_two_levels(self, sent, gathered, summed):
        """Within a machine first: neighbours, so that the tree of the sums is the same. Then the sums of the machine."""
        outer = self.ranks // self.width
        if outer == 1:
            return self.exchange(sent, gathered)
        across = sum(self.all_to_all(size / self.width, outer, self.width) for size in (summed, gathered))
        return across + sum(self.all_to_all(size, self.width, 1) for size in (sent, gathered))

    def rails(self):
        """What a library reaches that cuts its rings and trees into one for each link of a machine."""
        return self.inner if self.ranks <= self.width else min(self.inner, self.width * self.outer)

    def ring(self, size):
        link = self.rails()
        return 2 * (self.ranks - 1) * (self.alpha + size / self.ranks / link)

    def tree(self, size):
        link = self.rails()
        levels = max(1, (self.ranks - 1).bit_length())
        return 2 * levels * self.alpha + 2 * size / link


def ms(seconds):
    return f"{seconds * 1e3:.1f}" if seconds < 1 else f"{seconds * 1e3:.0f}"


def tables():
    sizes = {"124M": 124e6, "1.5B": 1.5e9, "7B": 7e9}
    print("| parameters | GPUs | exchange | in two levels | ring, f32 | tree, f32 | backward pass | batch, tokens |")
    print("|---|---|---|---|---|---|---|---|")
    for name, count in sizes.items():
        for ranks in (8, 64, 1024, 10000):
            cluster = Cluster(ranks)
            # 16-bit gradients of one batch, 16-bit copies back; the sums of a machine are f32.
            costs = [cluster.exchange(2 * count, 2 * count), cluster.in_two_levels(2 * count, 2 * count, 4 * count),
                     cluster.ring(4 * count), cluster.tree(4 * count)]
            tokens = 8192
            backward = HIDDEN * 6 * count * tokens / (0.4 * 989e12)
            print(f"| {name} | {ranks} | {' | '.join(map(ms, costs))} | {ms(backward)} | {tokens * ranks / 1e6:.2g}M |")
    print()
    print("| parameters | one rank | 8 | 64 | 1024 | 10000 | not divided |")
    print("|---|---|---|---|---|---|---|")
    for name, count in sizes.items():
        divided = [count * (2 + 12 / ranks) / 2**30 for ranks in (1, 8, 64, 1024, 10000)]
        print(f"| {name} | {' | '.join(f'{size:.2f}' for size in divided)} | {count * 14 / 2**30:.2f} |")


LINEAR = """
nn.parameter @w : tensor<{0}xf32> = #nn.init<zeros>
func.func @model(%x: tensor<1x{0}xf32> {{nn.name = "x"}}) -> (tensor<f32> {{nn.name = "loss"}}) {{
  %w = nn.get @w : tensor<{0}xf32>
  %r = nn.reshape %x : tensor<1x{0}xf32> -> tensor<{0}xf32>
  %p = nn.mul %r, %w : tensor<{0}xf32>
  %s = nn.reduce_sum %p axes [0] : tensor<{0}xf32> -> tensor<f32>
  return %s : tensor<f32>
}}
"""


class Measurement:
    def __init__(self, build, folder):
        self.bin, self.folder = pathlib.Path(build, "bin"), folder
        self.environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    def run(self, words):
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(done.stderr)

    def collectives(self, model, flags, data, ranks, steps=30):
        """For each collective of a step: the bytes that a rank sends, and its least time in seconds."""
        step, profile = f"{self.folder}/step.mpc", f"{self.folder}/profile.json"
        self.run([self.bin / "mpc-compile", model, *flags, f"--num-ranks={ranks}", f"--accumulate={ranks}",
                  "--sum-order=pairs", "--cpu=host", "-o", step])
        self.run(["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), self.bin / "mpc-run", step,
                  f"--data={data}", "--lr=0.001", f"--steps={steps}", "--threads=1", f"--profile={profile}"])
        found = []
        for launch in json.loads(pathlib.Path(profile).read_text())["launches"]:
            if launch["entry"] == "step" and launch["symbol"] in ("all_to_all", "all_gather"):
                size = max(launch["bytes_read"], launch["bytes_written"])
                found.append((size * (ranks - 1) / ranks, launch["least_ms"] / 1e3))
        return found

    def linear(self, elements, ranks):
        import numpy as np
        from safetensors.numpy import save_file

        model, data = f"{self.folder}/linear.mlir", f"{self.folder}/linear.safetensors"
        pathlib.Path(model).write_text(LINEAR.format(elements))
        save_file({"x": np.ones((2 * ranks, elements), np.float32)}, data)
        return self.collectives(model, ["--loss=output:loss", "--optimizer=sgd"], data, ranks)


def fit(samples):
    """alpha and the seconds of a byte, by least squares of the relative error."""
    import numpy as np

    a = np.array([[1 / t, b / t] for b, t in samples])
    return np.linalg.lstsq(a, np.ones(len(samples)), rcond=None)[0]


def measure(build, models):
    with tempfile.TemporaryDirectory() as folder:
        own = Measurement(build, folder)
        for ranks in (2, 4):
            samples = [s for elements in (1 << 14, 1 << 19, 1 << 22) for s in own.linear(elements, ranks)]
            alpha, beta = fit(samples)
            print(f"{ranks} ranks: a message {alpha / (ranks - 1) * 1e6:.0f} us, {1e-9 / beta:.2f} GB/s a rank", flush=True)
            for model, data in (word.split(",") for word in models):
                real = own.collectives(model, ["--precision=bf16", "--optimizer=adamw"], data, ranks, steps=12)
                predicted = sum(alpha + beta * b for b, _ in real)
                measured = sum(t for _, t in real)
                print(f"  {pathlib.Path(model).name}: {len(real)} collectives, {sum(b for b, _ in real) / 1e6:.1f} MB, "
                      f"predicted {predicted * 1e3:.2f} ms, measured {measured * 1e3:.2f}, {predicted / measured:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("tables", "measure"))
    parser.add_argument("models", nargs="*", metavar="MODEL,DATA", help="a model and its data, by measure")
    parser.add_argument("--build", default="build", help="where the tools are (default: build)")
    arguments = parser.parse_intermixed_args()
    if arguments.what == "tables":
        tables()
    else:
        measure(arguments.build, arguments.models)


if __name__ == "__main__":
    main()
