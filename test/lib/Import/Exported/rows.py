# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates the recorded programs, and holds them against the rows of the importer.

    python rows.py PROGRAMS OPS FOLDER mpc-eval-cases

PROGRAMS is the folder that support/pytorch/programs.py writes for each version of PyTorch; OPS is what
mpc-import --list-exported-ops prints. Loss and gradients must be PyTorch's in float64, and each row
must have a case. A program whose module and weights are, byte for byte, those of another version's is
computed once.
"""
import json
import pathlib
import subprocess
import sys
import zipfile

TOLERANCE = ["--rtol=1e-4", "--atol=1e-5"]
# A step of bfloat16 is 2^-8 of a number.
LOW_TOLERANCE = ["--rtol=4e-2", "--atol=4e-2"]
# Some programs are steps: layers in train() use the statistics of the batch, and buffers are written. Sums of products
# that are rounded to bfloat16 have PyTorch's order of terms in PyTorch alone.
FLAGS = {
    "modules": ["--training", *TOLERANCE],
    "graphs": ["--training", *TOLERANCE],
    "autocast": ["--training", "--rtol=5e-2", "--atol=5e-2"],
}


def graph_module(path):
    with zipfile.ZipFile(path) as archive:
        name = next(name for name in archive.namelist() if name.endswith("models/model.json"))
        return json.loads(archive.read(name))["graph_module"]


def ops_of(module):
    """With and without the underscore of those that write in place."""
    for node in module["graph"]["nodes"]:
        op = node["target"].removeprefix("torch.ops.").removeprefix("aten.")
        name, _, overload = op.partition(".")
        yield op
        yield f"{name.removesuffix('_')}.{overload}"


def imported(path, folder):
    """The module and the weights, in which the file has its name alone."""
    module = folder.absolute() / f"{path.parent.name}-{path.stem}.mlir"
    subprocess.run(["mpc-import", path.name, "-o", module], cwd=path.parent, check=True)
    return module.read_bytes(), module.with_suffix(".safetensors").read_bytes()


def main():
    programs, listed, folder, cases = sys.argv[1:]
    programs, folder = pathlib.Path(programs), pathlib.Path(folder)
    lines, seen, computed = [], set(), set()
    files = sorted(programs.glob("*/*.pt2"))
    for path in files:
        module = graph_module(path)
        seen |= set(ops_of(module))
        read = imported(path, folder)
        if read in computed:
            continue
        computed.add(read)
        loss = module["signature"]["output_specs"][0]["user_output"]["arg"]["as_tensor"]["name"]
        answers = programs / f"{path.stem}.safetensors"
        report = folder / f"{path.parent.name}-{path.stem}.txt"
        flags = [f"--loss=output:{loss}", "--gradients", f"--inputs={answers}", f"--expect={answers}"]
        flags += LOW_TOLERANCE if path.stem.endswith("-bf16") else FLAGS.get(path.stem, TOLERANCE)
        lines.append((report, "\t".join([str(report), str(path), *flags])))
    done = subprocess.run([cases], input="\n".join(line for _, line in lines) + "\n", capture_output=True, text=True)
    faults = 0
    for (report, _), status in zip(lines, done.stdout.split()):
        text = report.read_text()
        if status != "0" or ", 0 differ, 0 of the reference not computed" not in text:
            faults += 1
            print(f"{report.name}: exit {status}")
            print("\n".join(line for line in text.splitlines() if not line.startswith("ok ")))
    rows = {line.removeprefix("aten.") for line in pathlib.Path(listed).read_text().split()}
    for row in sorted(rows - seen):
        faults += 1
        print(f"aten.{row}: no case in support/pytorch/programs.py")
    print(f"{len(files)} programs, {len(rows)} rows, {len(computed)} modules, {faults} faults")


if __name__ == "__main__":
    main()
