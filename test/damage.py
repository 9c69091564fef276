#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages files of every kind that a tool reads, and lines of flags, and watches what the tool does.

    test/damage.py BIN [--seconds=300] [--seed=1] [--only=REGEX] [--keep=FOLDER]

BIN holds the tools, best of a build with sanitizers (scripts/sanitize.sh). A damaged file may be taken, or refused with
a message and a documented exit code. All else is a fault: a signal, a sanitizer's report, our own bug (70), a refusal
without a word, a tool that does not end. What caused a fault is kept in --keep, with the command that shows it.

Which damages there are, and their order, follows from --seed; how many are tried from --seconds and the machine.
"""
import argparse
import concurrent.futures
import dataclasses
import io
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
INPUTS = ROOT / "test/Inputs"
DOCUMENTED = (0, 1, 2, 3, 5)
REPORTS = re.compile(r"AddressSanitizer|LeakSanitizer|runtime error:|Assertion|PLEASE submit a bug report|Traceback")
LIMIT = 180  # Seconds, of a tool with sanitizers on a busy machine.
NUMBERS = ["0", "-1", "1", "255", "65536", "2147483648", "-9223372036854775808", "18446744073709551616", "1e400", "nan", "-inf", "0x7f"]


@dataclasses.dataclass
class Kind:
    """Files of one kind, and commands that read one; `{}` is the damaged file, `{step}` and others are made before."""

    name: str
    seeds: list
    commands: list
    damage: callable


# Each of these changes `data`, a bytearray, in one place.
def flip_bit(data, r):
    data[r.randrange(len(data))] ^= 1 << r.randrange(8)


def set_bytes(data, r):
    place = r.randrange(len(data))
    value = r.choice([b"\0", b"\xff", b"\x7f", b"\x80", b"\xff" * 4, b"\xff" * 8, b"\0" * 8, b"\xff\xff\xff\x7f"])
    data[place : place + len(value)] = value


def cut_off(data, r):
    del data[r.randrange(len(data)) :]


def take_out(data, r):
    place = r.randrange(len(data))
    del data[place : place + r.choice([1, 2, 8, 64, 1000])]


def put_in(data, r):
    place = r.randrange(len(data))
    data[place:place] = bytes(r.randrange(256) for _ in range(r.choice([1, 4, 50])))


def say_twice(data, r):
    place, size = r.randrange(len(data)), r.choice([1, 16, 300])
    data[place:place] = data[place : place + size]


def damage_bytes(data, r):
    """Most headers are at one end, so that half of the damage lies there."""
    data = bytearray(data)
    window = r.choice([len(data), len(data), min(len(data), 400)])
    front = r.random() < 0.7
    part = data[:window] if front else data[len(data) - window :]
    for _ in range(r.choice([1, 1, 1, 2, 5])):
        if part:
            r.choice([flip_bit, flip_bit, set_bytes, cut_off, take_out, put_in, say_twice])(part, r)
    return bytes(part + data[window:] if front else data[: len(data) - window] + part)


def change_number(text, r):
    found = list(re.finditer(r"-?\d+(\.\d+)?", text))
    if not found:
        return text
    one = r.choice(found)
    return text[: one.start()] + r.choice(NUMBERS) + text[one.end() :]


def change_word(text, r):
    """A word becomes another of the same text: types, ops, names and keys are exchanged."""
    found = list(re.finditer(r"[\w.]+", text))
    if len(found) < 2:
        return text
    one, other = r.sample(found, 2)
    return text[: one.start()] + other[0] + text[one.end() :]


def change_line(text, r):
    lines = text.splitlines(keepends=True)
    place = r.randrange(len(lines))
    lines[place : place + 1] = r.choice([[], [lines[place]] * 2, [r.choice(lines)]])
    return "".join(lines)


def change_sign(text, r):
    place = r.randrange(len(text))
    return text[:place] + r.choice(["", "(", ")", "<", ">", "[", "{", "}", '"', "%", ",", "\n", "x?x"]) + text[place + 1 :]


def damage_text(data, r):
    text = data.decode(errors="replace")
    for _ in range(r.choice([1, 1, 2, 4])):
        if text:
            text = r.choice([change_number, change_word, change_line, change_sign])(text, r)
    return text.encode()


def damage_archive(data, r):
    """The archive's bytes, or one of its texts with the checksum that belongs to it."""
    if r.random() < 0.3:
        return damage_bytes(data, r)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    texts = [name for name in members if name.endswith(".json")]
    name = r.choice(texts)
    members[name] = damage_text(members[name], r)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return written.getvalue()


def kinds(made):
    """The kinds; `made` is what the tools wrote."""
    models = [INPUTS / f"models/{name}.onnx" for name in ("mlp", "mlp_loss", "lenet", "unet_train")]
    models += [path for path in sorted((INPUTS / "exports").glob("*.onnx")) if path.stat().st_size < 100_000]
    ir = [path for path in sorted(ROOT.glob("examples/*.mlir")) + sorted(ROOT.glob("test/passes/**/*.mlir"))]
    run = "mpc-run {step} --steps=1 --lr=0.1 --threads=1"
    return [
        Kind("onnx", models, ["mpc-import {}", "mpc-compile {} --loss=mse -o {out}"], damage_bytes),
        Kind("exported", sorted((INPUTS / "exports/programs").glob("*/*.pt2")), ["mpc-import {}"], damage_archive),
        Kind("mlir", ir, ["mpc-opt {}", "mpc-opt {} --nn-autocast=precision=fp16", "mpc-compile {} -o {out}"], damage_text),
        Kind("program", [made["step"]], ["mpc-inspect {}", "mpc-run {} --steps=1 --lr=0.1 --threads=1 --data={data}"], damage_bytes),
        Kind("checkpoint", [made["checkpoint"]], [f"{run} --data={{data}} --init={{}}", f"{run} --data={{data}} --checkpoint-dir={{folder}} --resume"], damage_bytes),
        Kind("data", [made["data"]], [f"{run} --data={{}}"], damage_bytes),
        Kind("numpy", [made["npz"], made["npy"]], [f"{run} --data={{}}"], damage_bytes),
        Kind("trace", sorted((INPUTS / "loss_scale").glob("*/*.json")), ["mpc-scale replay {}", "mpc-scale step {}"], damage_text),
        Kind("flags", [made["flags"]], [f"mpc-train {INPUTS / 'models/mlp.onnx'} --data={{data}} --steps=1 --threads=1 @{{}}"], damage_text),
    ]


class Workshop:
    def __init__(self, bin, folder):
        self.bin, self.folder = pathlib.Path(bin).resolve(), pathlib.Path(folder)
        self.made = {}

    def run(self, command, **more):
        words = command.split() if isinstance(command, str) else command
        environment = {**os.environ, "MPC_CACHE_DIR": ""}
        return subprocess.run(
            [self.bin / words[0], *words[1:]], capture_output=True, stdin=subprocess.DEVNULL, env=environment, timeout=LIMIT, **more)

    def make(self):
        """A program, a checkpoint and data that nothing is wrong with."""
        import numpy as np
        from safetensors.numpy import save_file

        r = np.random.default_rng(7)
        tensors = {"x": r.normal(size=(96, 64)).astype(np.float32), "target": r.integers(0, 10, 96)}
        at = {name: self.folder / file for name, file in {
            "data": "data.safetensors", "npz": "data.npz", "npy": "x.npy", "step": "step.mpc", "flags": "flags.txt"}.items()}
        save_file(tensors, at["data"])
        np.savez_compressed(at["npz"], **tensors)
        np.save(at["npy"], tensors["x"])
        at["flags"].write_text(
            "--precision=fp16\n--optimizer=adamw\n--lr=0.001\n--beta2=0.95\n--weight-decay=0.1\n--clip-global-norm=1.0\n--accumulate=2\n"
            "--loss=cross_entropy\n--init-scale=1024\n--growth-interval=10\n--lr-schedule=cosine\n--seed=1\n--ema=0.9\n")
        model, run = INPUTS / "models/mlp.onnx", f"--data={at['data']} --lr=0.01 --steps=2 --checkpoint-dir={self.folder / 'checkpoints'}"
        for command in (f"mpc-compile {model} --precision=fp16 -o {at['step']}", f"mpc-run {at['step']} {run}"):
            done = self.run(command)
            if done.returncode:
                sys.exit(f"{command}: exit {done.returncode}\n{done.stderr.decode(errors='replace')}")
        at["checkpoint"] = next((self.folder / "checkpoints").glob("ckpt-*.safetensors"))
        self.made = at

    def words(self, command, file, scratch):
        """The command with its files; `@FILE` becomes the lines of the file, for a tool that reads none of such."""
        texts = {"out": scratch / "out.mpc", "folder": scratch / "folder", **self.made}
        words = [word.replace("{}", str(file)) for word in command.split()]
        words = [re.sub(r"\{(\w+)\}", lambda name: str(texts[name[1]]), word) for word in words]
        for index, word in enumerate(words):
            if word.startswith("@"):
                lines = pathlib.Path(word[1:]).read_text(errors="replace").replace("\0", "").split("\n")
                words[index : index + 1] = [line for line in lines if line]
        return words


def fault_of(done):
    """What is wrong with how a tool ended; empty where nothing is."""
    text = done.stderr.decode(errors="replace")
    report = REPORTS.search(text)
    if report:
        return report[0]
    if done.returncode not in DOCUMENTED:
        return f"exit {done.returncode}"
    return "refused without a word" if done.returncode and not text.strip() else ""


def attempt(workshop, kind, number, seed, keep):
    """Tries one damaged file: whether it was taken, and what is wrong."""
    r = random.Random(f"{seed} {kind.name} {number}")
    source, command = r.choice(kind.seeds), r.choice(kind.commands)
    with tempfile.TemporaryDirectory(dir=workshop.folder) as folder:
        scratch = pathlib.Path(folder)
        (scratch / "folder").mkdir()
        file = scratch / ("folder/" if "{folder}" in command else "") / source.name
        file.write_bytes(kind.damage(source.read_bytes(), r))
        words = workshop.words(command, file, scratch)
        try:
            done = workshop.run(words)
            fault, log = fault_of(done), done.stderr
        except subprocess.TimeoutExpired:
            fault, log, done = f"did not end in {LIMIT} s", b"", None
        if fault:
            place = keep / f"{kind.name}-{number}"
            place.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, place)
            (place / "command").write_text(" ".join(words) + "\n")
            (place / "stderr").write_bytes(log)
    return done is not None and done.returncode == 0, fault


def campaign(workshop, chosen, flags):
    """Tries the kinds by turns until the time is over; counts of taken, refused and faulty by kind."""
    counts = {kind.name: [0, 0, 0] for kind in chosen}
    end, number, pending = time.monotonic() + flags.seconds, 0, {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        while time.monotonic() < end or pending:
            while time.monotonic() < end and len(pending) < 2 * os.cpu_count():
                kind = chosen[number % len(chosen)]
                pending[pool.submit(attempt, workshop, kind, number, flags.seed, flags.keep)] = kind, number
                number += 1
            for job in concurrent.futures.wait(pending, return_when=concurrent.futures.FIRST_COMPLETED)[0]:
                kind, tried = pending.pop(job)
                taken, fault = job.result()
                counts[kind.name][2 if fault else 0 if taken else 1] += 1
                if fault:
                    print(f"{kind.name}-{tried}: {fault}", flush=True)
            if sys.stderr.isatty():
                print(f"\r{number} files, {max(0, end - time.monotonic()):.0f} s left ", end="", file=sys.stderr)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("damage"))
    flags = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        workshop = Workshop(flags.bin, folder)
        workshop.make()
        counts = campaign(workshop, [kind for kind in kinds(workshop.made) if re.search(flags.only, kind.name)], flags)
    for name, (taken, refused, faulty) in counts.items():
        print(f"{name}: {taken + refused + faulty} damaged, {taken} taken, {refused} refused, {faulty} faults")
    return 1 if any(count[2] for count in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
