# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every output flag of a tool, given each kind of place that is no plain file.

    python check_outputs.py TOOL INPUTS FOLDER

A FIFO, a device and an open descriptor are written to and stay what they are; of a symbolic
link the target is replaced, with nothing left beside it. The flags of Output and Debugging that
take a file are those of --help: one that is missing here is a failure.
"""
import json
import os
import pathlib
import re
import stat
import subprocess
import sys
import threading

import numpy as np
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save_file

TOOL, INPUTS, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
NULL = os.makedev(1, 3)  # A node of that number is made in FOLDER, where that is allowed.


def is_tensors(text):
    return len(load_tensors(text)) > 0


def is_lines(text):
    return len([json.loads(line) for line in text.splitlines()]) > 0


def starts(prefix):
    return lambda text: text.startswith(prefix.encode())


def contains(part):
    return lambda text: part.encode() in text


MODELS, TRACE = INPUTS / "models", INPUTS / "loss_scale/traces/torch_interval_2.json"
PROFILES = {"--profile": contains('"launches"'), "--timeline": contains('"traceEvents"')}
# The command, and what each of its flags must write. Descriptors are tried with the flags that
# write once and with those that write as they go alike.
TOOLS = {
    "mpc-import": (["mpc-import", MODELS / "mlp.onnx"], {"--output": contains("func.func @model")}),
    "mpc-opt": (["mpc-opt", FOLDER / "in.mlir"], {"-o": contains("@f()")}),
    "mpc-eval": (
        ["mpc-eval", MODELS / "mlp.onnx", f"--inputs={MODELS / 'mlp.safetensors'}"],
        {"--outputs": is_tensors, "--explain": starts("precision of @")},
    ),
    "mpc-compile": (
        ["mpc-compile", MODELS / "mlp.onnx", "--precision=fp16"],
        {"--output": contains("MPC\r\n")},
    ),
    "mpc-compile-obj": (
        ["mpc-compile", MODELS / "mlp.onnx", "--emit=obj", f"--output={FOLDER / 'step.o'}"],
        {"--header": contains("step_load(MpcProgram **program)")},
    ),
    "mpc-inspect": (["mpc-inspect", FOLDER / "step.mpc"], {"--svg": starts("<svg")}),
    "mpc-run": (
        ["mpc-run", FOLDER / "step.mpc", f"--data={FOLDER / 'data.safetensors'}", "--steps=3"],
        {"--metrics": starts("step,loss,lr,scale"), "--plot": starts("<svg"),
         "--record": contains("mpc-loss-scale-trace/1"), "--export-weights": is_tensors, **PROFILES},
    ),
    "mpc-scale": (["mpc-scale", "replay", TRACE], {"--plot": starts("<svg")}),
    "mpc-train": (
        ["mpc-train", MODELS / "mlp.onnx", f"--data={FOLDER / 'data.safetensors'}", "--steps=3",
         "--precision=fp16", "--loss-scale=torch", "--init-scale=1e37"],
        {"--metrics": starts("step,loss,lr,scale"), "--plot": starts("<svg"),
         "--explain": starts("precision of @"), "--nan-report": is_lines,
         "--record": contains("mpc-loss-scale-trace/1"), "--export-weights": is_tensors,
         "--export-onnx": contains("Gemm"), **PROFILES},
    ),
}  # fmt: skip
# Of these the tool reads, or makes a folder with files of its own.
NO_OUTPUT_FILE = {"--expect", "--tensorboard", "--checkpoint-dir", "--extract"}
# Flags that a step's program refuses, which is no evaluation; and those of the other command.
REFUSED = {
    "mpc-run": {"--outputs"}, "mpc-compile": {"--header"}, "mpc-compile-obj": {"--output"},
}  # fmt: skip


def flags_of_help(command):
    """Flags that take a file or a folder, in the groups that outputs stand in."""
    text = subprocess.run([*command, "--help"], capture_output=True, text=True, check=True).stdout
    flags, group = set(), ""
    for line in text.splitlines():
        group = line[:-1] if re.fullmatch(r"[A-Z][\w ]*:", line) else group
        match = re.match(r"  (?:-\w, )?(--[\w-]+)\[?=(FILE|DIR)", line)
        if match and group in ("Output", "Debugging"):
            flags.add(match[1])
    return flags


def run(command, places, **kwargs):
    """Runs the tool on {flag: path}."""
    flags = [part for flag, path in places.items()
             for part in ([flag, str(path)] if flag == "-o" else [f"{flag}={path}"])]  # fmt: skip
    result = subprocess.run([*map(str, command), *flags], capture_output=True, timeout=60, **kwargs)
    assert result.returncode == 0, (result.args, result.returncode, result.stderr.decode())


def check_texts(kind, texts, wanted):
    for flag, text in texts.items():
        assert wanted[flag](text), f"{TOOL} {flag}: {kind} got {text[:80]!r}"


def try_fifos(command, wanted):
    places = {flag: FOLDER / f"fifo{flag}" for flag in wanted}
    texts = {}

    def read(flag):
        texts[flag] = places[flag].read_bytes()

    for path in places.values():
        os.mkfifo(path)
    readers = [threading.Thread(target=read, args=[flag], daemon=True) for flag in wanted]
    for reader in readers:
        reader.start()
    run(command, places)
    for reader in readers:
        reader.join(timeout=20)
    for flag, path in places.items():
        assert stat.S_ISFIFO(path.lstat().st_mode), f"{TOOL} {flag}: the FIFO is gone"
        assert flag in texts, f"{TOOL} {flag}: nothing came through the FIFO"
    check_texts("a FIFO", texts, wanted)


def try_links(command, wanted):
    places = {}
    for flag in wanted:
        target = FOLDER / f"target{flag}"
        target.mkdir()
        (target / "out").write_text("old")
        places[flag] = FOLDER / f"link{flag}"
        places[flag].symlink_to(f"target{flag}/out")
    run(command, places)
    for flag, path in places.items():
        assert path.is_symlink(), f"{TOOL} {flag}: the link is gone"
        assert os.listdir(FOLDER / f"target{flag}") == ["out"], f"{TOOL} {flag}: something is left"
    check_texts("a link", {flag: path.read_bytes() for flag, path in places.items()}, wanted)


def try_descriptors(command, wanted):
    """One flag at a time at /dev/fd/N, a file in which something stands already."""
    for flag in wanted:
        path = FOLDER / f"descriptor{flag}"
        with open(path, "wb", buffering=0) as file:
            file.write(b"before\n")
            run(command, {flag: f"/dev/fd/{file.fileno()}"}, pass_fds=[file.fileno()])
            file.write(b"\nafter")
        text = path.read_bytes()
        begin, end = b"before\n", b"\nafter"
        assert text.startswith(begin) and text.endswith(end), f"{TOOL} {flag}: {text[:40]!r}"
        check_texts("a descriptor", {flag: text[len(begin) : -len(end)]}, wanted)


def may_make_devices():
    try:
        os.mknod(FOLDER / "node", stat.S_IFCHR | 0o600, NULL)
        os.close(os.open(FOLDER / "node", os.O_WRONLY))
    except OSError:
        return False
    return True


def try_devices(command, wanted):
    places = {flag: FOLDER / f"node{flag}" for flag in wanted}
    for path in places.values():
        os.mknod(path, stat.S_IFCHR | 0o600, NULL)
    before = set(os.listdir(FOLDER))
    run(command, places)
    for flag, path in places.items():
        info = path.lstat()
        assert stat.S_ISCHR(info.st_mode) and info.st_rdev == NULL, f"{TOOL} {flag}: no device now"
    assert set(os.listdir(FOLDER)) == before, f"{TOOL}: something is left beside the device"


def main():
    command, wanted = TOOLS[TOOL]
    FOLDER.mkdir()
    (FOLDER / "in.mlir").write_text("func.func private @f()\n")
    rng = np.random.default_rng(7)
    save_file(
        {"x": rng.normal(size=(96, 64)).astype(np.float32), "target": rng.integers(0, 10, 96)},
        FOLDER / "data.safetensors",
    )
    if FOLDER / "step.mpc" in command:
        compiled = [*TOOLS["mpc-compile"][0], f"--output={FOLDER / 'step.mpc'}"]
        subprocess.run(compiled, check=True, stderr=subprocess.DEVNULL)
    if TOOL != "mpc-opt":  # Its --help is upstream's, which knows no groups.
        missing = flags_of_help(command[: 2 if TOOL == "mpc-scale" else 1])
        missing -= set(wanted) | NO_OUTPUT_FILE | REFUSED.get(TOOL, set())
        assert not missing, f"{TOOL}: no test of {missing}"
    try_fifos(command, wanted)
    try_links(command, wanted)
    try_descriptors(command, wanted)
    devices = may_make_devices()
    if devices:
        try_devices(command, wanted)
    untried = "" if devices else ", devices untried"
    print(f"{TOOL}: {' '.join(wanted)} write to what is there{untried}")


main()
