#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants single faults in the sources and asks the tests to find them.

    test/mutate.py --work=/tmp/mutants --count=100 --results=mutants.json

A mutant is one change in one line: another operator, constant, comparison or predicate, or a
statement left out. Each is planted into a tree of its own, --work: a worktree that is made of
the commit that is checked out, or what is there already, a copy with its build folder among
them. It is built once, by default with assertions, as scripts/test.sh builds. The area's tests
run in turn, the quickest first, and of each suite first those named after the source, until one
fails, or runs too long, which is said; of each only what it needs is built again, and it is left
out where the mutant makes the same programs. What no test finds survives, and is printed with its line. A mutant that does not
compile, or makes the same programs everywhere, does not count.

Which mutants there are, and their order, follows from --seed alone, so that a campaign stops
and goes on: what --results holds already is not run again. --list prints mutants and runs
nothing; --area limits them (--help lists them), --since to lines that are newer than a commit.
A survivor is either equivalent, which --judge=ID=REASON records, or a test is missing:

    test/mutate.py --results=mutants.json --judge=4c1f08a2='the divisor is never 0 here'

Meant to be run by hand, with `nice -n 19`: a mutant takes from seconds to some minutes.
"""
import argparse
import ast
import hashlib
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
LIT = "/usr/lib/llvm-22/bin/lit"
TEST_SUITE = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P|_SUITE)?\((\w+)", re.MULTILINE)


class Suite:
    """A program, those of its tests that stand in some sources, and the libraries that it loads; lit
    tests and the tools that they run; or the tests of the Python package in a folder, which a Python
    with PyTorch runs where MPC_TORCH_PYTHON names one."""

    def __init__(self, program=None, sources=None, lit=(), tools=(), python=""):
        self.program, self.sources, self.lit, self.python = program, sources, lit, python
        self.targets = [program, *tools] if program else list(tools)

    def gtest_filter(self, root):
        """What chooses the tests of the sources, of suites with parameters too."""
        if not self.sources:
            return "*"
        files = [file for pattern in self.sources.split() for file in (root / "test").glob(pattern)]
        names = {name for file in files for name in TEST_SUITE.findall(file.read_text())}
        return ":".join(f"{name}.*:*/{name}.*:{name}/*" for name in sorted(names))

    def nearest(self, root, source):
        """The lit tests with the source's name, as Autocast.cpp has autocast-bias.mlir."""
        stem = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", pathlib.Path(source).stem).lower()
        folders = [root / "test" / folder for folder in self.lit]
        named = (path for folder in folders for path in folder.rglob(f"{stem}*"))
        return sorted(
            str(path.relative_to(root / "test"))
            for path in named
            if path.suffix in (".mlir", ".test") and "Inputs" not in path.parts
        )

    def name(self):
        return self.sources or self.program or " ".join(self.lit) or f"python {self.python}"


class Area:
    """Sources, and the suites that cover them, in the order in which they run."""

    def __init__(self, sources, suites):
        self.sources, self.suites = sources, suites

    def targets(self):
        return [target for suite in self.suites for target in suite.targets]


def runtime_unit(sources, tools=()):
    return Suite("MpcRuntimeTest", sources, tools=tools)


def compiler_unit(sources):
    return Suite("MpcCompilerTest", sources)


def e2e(names):
    return [f"e2e/{name}.test" for name in names.split()]


VALUES = Suite(lit=["dialects/NN/values.test"], tools=["mpc-check-values"])
STEP_VALUES = Suite(lit=["dialects/AMP/values.test"], tools=["mpc-check-values"])
TRAIN = ["mpc-opt", "mpc-import", "mpc-eval", "mpc-train", "mpc-train-compiler.so", "mpc-scale"]
STEPS = [f"tools/mpc-scale-{name}.test" for name in ("bad-rules", "policies", "step", "rules")]
INJECTION = "tools/mpc-scale-injection.test"
RUNTIME = ["mpc-run", "mpc-compile", "mpc-inspect", *TRAIN]
STEP_RUNS = Suite(
    lit=e2e(
        "example-basic example-clipping example-accumulation example-multiple"
        " example-custom-optimizer example-gradient-transform"
        " example-gradient-penalty own-step-faults train-narrow-slots"
        " train-without-masters train-batch-norm eval-averages skipped-step"
        " optimizers-of-torch"
    ),
    tools=TRAIN,
)
CAPI = Suite("MpcCAPITest", tools=["libmpc-runtime.so"])
COMPILER_CAPI = Suite("MpcCompilerCAPITest", tools=["libmpc-compiler.so", "libmpc-runtime.so"])
PYTHON = Suite(tools=["_runtime", "_compiler", "mpc-compile"], python="lib/Python")
PYTORCH = Suite(tools=["_runtime", "_compiler", "mpc-compile"], python="lib/Python/pytorch")
# A GPU that is emulated.
CUDA = compiler_unit("lib/Driver/Cuda*Test.cpp")
CUDA_DRIVER = runtime_unit(
    " ".join(f"runtime/Device/CUDA/{name}Test.cpp" for name in ("Driver", "ImageCache", "Nvrtc", "Stream"))
)
DRIVER = compiler_unit("lib/Driver/CompilationTest.cpp lib/Driver/ProgramBuilderTest.cpp")
CUDA_RUNS = Suite(lit=e2e("cuda cuda-faults cuda-nan-report cuda-slices eval-cuda"), tools=RUNTIME)
AREAS = {
    "ops": Area(
        ["dialects/NN/Ops/*.cpp", "dialects/NN/Ops/*.h"],
        [
            VALUES,
            compiler_unit("dialects/**/*Test.cpp"),
            Suite(
                lit=["dialects/NN", "passes/NN", "passes/Kernel"],
                tools=["mpc-check-values", *TRAIN],
            ),
            Suite(lit=e2e("eval-fp32 eval-training-mode eval-low-precision"), tools=TRAIN),
        ],
    ),
    "nn": Area(
        ["dialects/NN/*.cpp", "dialects/NN/*.h", "dialects/Interfaces/*.cpp", "dialects/Interfaces/*.h"],
        [
            Suite(lit=["dialects"], tools=["mpc-check-values", *TRAIN]),
            compiler_unit("dialects/**/*Test.cpp"),
            Suite(lit=["passes/NN", "passes/AMP"], tools=["mpc-check-values", *TRAIN]),
            compiler_unit("lib/Import/**/*Test.cpp"),
            Suite(
                lit=["passes/Kernel", *e2e("losses class-weights class-axis eval-bce eval-numbers")],
                tools=TRAIN,
            ),
        ],
    ),
    "loss-scale": Area(
        ["runtime/LossScale/*.h", "runtime/LossScale/*.cpp"],
        [
            runtime_unit("runtime/LossScale/*Test.cpp"),
            runtime_unit("tools/mpc-scale/*Test.cpp"),
            Suite(lit=STEPS, tools=["mpc-scale"]),
            compiler_unit("passes/AMP/*Test.cpp"),
            Suite(lit=["tools/exit-codes.test", INJECTION], tools=TRAIN),
            Suite(lit=e2e("default-policy record resume-settings at-floor"), tools=TRAIN),
        ],
    ),
    "amp": Area(
        ["dialects/AMP/*.cpp", "dialects/AMP/*.h", "dialects/AMP/Ops/*.cpp", "dialects/AMP/Ops/*.h",
         "dialects/AMP/Rules/*.cpp", "dialects/AMP/Rules/*.h"],
        [
            STEP_VALUES,
            Suite(lit=["dialects/AMP", "passes/AMP"], tools=TRAIN),
            Suite(lit=STEPS, tools=["mpc-scale"]),
            compiler_unit("passes/AMP/*Test.cpp"),
            Suite(lit=[INJECTION], tools=["mpc-scale"]),
            STEP_RUNS,
        ],
    ),
    "step": Area(
        ["passes/AMP/*.cpp", "passes/AMP/*.h"],
        [
            Suite(lit=["passes/AMP"], tools=TRAIN),
            Suite(lit=STEPS, tools=["mpc-scale"]),
            compiler_unit("passes/AMP/*Test.cpp"),
            DRIVER,
            Suite(
                lit=e2e("nan-report count-underflow half-loss weight-cast no-gradient"),
                tools=TRAIN,
            ),
            Suite(lit=[INJECTION, "dialects/AMP"], tools=["mpc-check-values", *TRAIN]),
            STEP_RUNS,
        ],
    ),
    "passes": Area(
        ["passes/NN/*.cpp", "passes/NN/*.h", "passes/*.cpp", "passes/*.h"],
        [
            compiler_unit("passes/NN/*Test.cpp"),
            Suite(lit=["passes/NN"], tools=["mpc-check-values", *TRAIN]),
            Suite(
                lit=[
                    "passes/pipelines.mlir",
                    "passes/pipeline-order.mlir",
                    "passes/AMP",
                    "passes/Kernel",
                    "tools/exit-codes.test",
                ],
                tools=TRAIN,
            ),
            Suite(
                lit=e2e(
                    "explain output-dtype eval-numbers small-epsilon eval-bce"
                    " train-autocast-policy eval-modes own-step-faults nan-report evaluate-data"
                    " train-batch-norm eval-low-precision eval-training-mode example-basic losses"
                ),
                tools=RUNTIME,
            ),
        ],
    ),
    "codegen": Area(
        ["lib/Codegen/CPU/*.cpp", "lib/Codegen/CPU/*.h"],
        [
            VALUES,
            compiler_unit("lib/Codegen/CPU/*Test.cpp"),
            Suite(lit=["lib/Codegen", "passes/Kernel"], tools=TRAIN),
            Suite(
                lit=e2e(
                    "naive-bits max-pool-edges eval-fp32 eval-low-precision"
                    " train-without-masters train-digits-cnn eval-training-mode train-chargpt"
                ),
                tools=TRAIN,
            ),
        ],
    ),
    "support": Area(
        [
            f"runtime/{folder}/*.{suffix}"
            for folder in ("Program", "Support")
            for suffix in ("cpp", "h")
        ],
        [
            runtime_unit("runtime/Support/*Test.cpp"),
            runtime_unit("runtime/Program/*Test.cpp"),
            runtime_unit("runtime/Train/*Test.cpp"),
            CUDA_DRIVER,
            CAPI,
            DRIVER,
            Suite(
                lit=["tools/mpc-inspect.test", "tools/exit-codes.test", "tools/outputs.test"],
                tools=RUNTIME,
            ),
            Suite(
                lit=[
                    "tools/closed-pipe.test",
                    "tools/stdio.test",
                    *e2e("compile-and-run data-files eval-expect compile-cache cuda"),
                ],
                tools=RUNTIME,
            ),
        ],
    ),
    "runner": Area(
        [
            f"runtime/{folder}/*.{suffix}"
            for folder in ("Device/CPU", "Device/CUDA", "Profile", "Runner")
            for suffix in ("cpp", "h")
        ],
        [
            runtime_unit("runtime/Device/*Test.cpp"),
            runtime_unit("runtime/Runner/*Test.cpp"),
            runtime_unit("runtime/Profile/*Test.cpp"),
            CUDA_DRIVER,
            runtime_unit("runtime/Device/CUDA/KernelTest.cpp"),
            runtime_unit("runtime/Train/*Test.cpp"),
            CAPI,
            compiler_unit("lib/Codegen/CPU/*Test.cpp"),
            DRIVER,
            Suite(
                lit=["tools/small-cpu.test", *e2e("compile-and-run evaluate-data index-bounds cuda")],
                tools=["mpc-eval-on-small-cpu", *RUNTIME],
            ),
            CUDA,
            CUDA_RUNS,
        ],
    ),
    "ranks": Area(
        [f"runtime/Ranks/{folder}*.{suffix}" for folder in ("", "MPI/", "NCCL/") for suffix in ("cpp", "h")],
        [
            runtime_unit("runtime/Ranks/*Test.cpp"),
            Suite(
                lit=e2e("ranks-bits ranks-sums ranks-resume ranks-faults ranks-nccl ranks-nccl-faults"),
                tools=[*RUNTIME, "mpc-train"],
            ),
        ],
    ),
    "train": Area(
        [
            f"runtime/{folder}/*.{suffix}"
            for folder in ("CommandLine", "Train")
            for suffix in ("cpp", "h")
        ],
        [
            runtime_unit("runtime/Train/*Test.cpp"),
            runtime_unit("runtime/CommandLine/*Test.cpp"),
            CAPI,
            Suite(
                lit=["tools/help.test", "tools/exit-codes.test", "tools/outputs.test"],
                tools=RUNTIME,
            ),
            Suite(
                lit=e2e(
                    "nan-report export-weights record resume-rules resume-settings skipped-step"
                    " at-floor own-step-faults run-defaults schedules shared-input data-files"
                    " direct-start compile-and-run evaluate-data evaluate-program eval-averages"
                    " eval-expect eval-modes index-bounds kill-and-resume state-names"
                ),
                tools=RUNTIME,
            ),
            CUDA,
            CUDA_RUNS,
        ],
    ),
    "capi": Area(
        ["runtime/CAPI/*.cpp", "runtime/CAPI/*.h", "include/mpc-c/*.h", "include/mpc/*.h"],
        [
            CAPI,
            COMPILER_CAPI,
            PYTHON,
            Suite(
                lit=e2e("embed embed-linked embed-builder"),
                tools=["libmpc-compiler.so", "libmpc-runtime.so", *RUNTIME],
            ),
        ],
    ),
    "compiler-capi": Area(
        ["lib/CAPI/*.cpp", "lib/CAPI/*.h", "lib/Python/*.cpp", "lib/Python/*.h"],
        [
            COMPILER_CAPI,
            PYTHON,
            Suite(
                lit=e2e("embed-builder"),
                tools=["libmpc-compiler.so", "libmpc-runtime.so", *RUNTIME],
            ),
        ],
    ),
    "driver": Area(
        ["lib/Driver/*.cpp", "lib/Driver/*.h", "lib/Driver/Flags/*.cpp",
         "lib/Driver/Flags/*.h"],
        [
            DRIVER,
            Suite(lit=["lib/Driver", "tools/exit-codes.test", "tools/help.test"], tools=RUNTIME),
            COMPILER_CAPI,
            Suite(
                lit=e2e(
                    "compile-cache cache-keys class-weights explain compile-and-run nan-report"
                    " at-floor resume-rules train-autocast-policy output-dtype eval-modes losses"
                    " export-onnx eval-own-step evaluate-program code-counts"
                ),
                tools=RUNTIME,
            ),
            Suite(lit=["tools"], tools=["mpc-eval-on-small-cpu", *RUNTIME]),
            CUDA,
            CUDA_RUNS,
        ],
    ),
    "import": Area(
        ["lib/Import/**/*.cpp", "lib/Import/**/*.h"],
        [
            compiler_unit("lib/Import/**/*Test.cpp"),
            Suite(lit=["lib/Import"], tools=["mpc-eval-cases", "mpc-check-values", *TRAIN]),
            Suite(
                lit=["tools/mpc-import", "tools/exit-codes.test", *e2e("exporter-roles op-library")],
                tools=TRAIN,
            ),
            Suite(lit=e2e("export-onnx eval-fp32 zoo"), tools=RUNTIME),
        ],
    ),
    "kernel": Area(
        ["passes/Kernel/*.cpp", "passes/Kernel/*.h", "dialects/Kernel/*.cpp", "dialects/Kernel/*.h"],
        [
            Suite(lit=["passes/Kernel", "dialects/Kernel"], tools=["mpc-check-values", *TRAIN]),
            Suite(lit=["lib/Codegen"], tools=TRAIN),
            compiler_unit("lib/Codegen/CPU/*Test.cpp"),
            Suite(lit=e2e("naive-bits train-digits-mlp train-batch-norm skipped-step"), tools=TRAIN),
        ],
    ),
    "cuda": Area(
        ["lib/Codegen/CUDA/*.cpp", "lib/Codegen/CUDA/*.h", "lib/Codegen/CUDA/Prelude/*.cuh"],
        [
            Suite(lit=["lib/Codegen/CUDA"], tools=TRAIN),
            runtime_unit("runtime/Device/CUDA/KernelTest.cpp"),
            compiler_unit("lib/Codegen/CUDA/*Test.cpp"),
            CUDA,
            CUDA_RUNS,
        ],
    ),
    "python": Area(["lib/Python/mpc_compiler/*.py"], [PYTHON, PYTORCH]),
    "tools": Area(
        ["tools/mpc-*/*.cpp", "tools/mpc-*/*.h"],
        [
            runtime_unit("tools/mpc-scale/*Test.cpp", ["mpc-scale"]),
            Suite(lit=["tools"], tools=["mpc-eval-on-small-cpu", *RUNTIME]),
            Suite(
                lit=e2e(
                    "compile-and-run nan-report eval-expect eval-own-step evaluate-program record"
                    " at-floor export-onnx direct-start own-step-faults run-defaults explain"
                    " resume-rules eval-modes reference-inputs"
                ),
                tools=RUNTIME,
            ),
        ],
    ),
}

# Of Python, beside those that both have.
PYTHON_SWAPS = [
    (r" and ", [" or "]),
    (r" or ", [" and "]),
    (r" is None\b", [" is not None"]),
    (r" is not None\b", [" is None"]),
    (r"\bif (?!not )", ["if not "]),
    (r"\bif not ", ["if "]),
    (r"\bTrue\b", ["False"]),
    (r"\bFalse\b", ["True"]),
    (r"\bmax\(", ["min("]),
    (r"\bmin\(", ["max("]),
]

# What stands in C++ for an operation of the program that is compiled is a fault as good as an
# operator of C++: ops by name, comparisons by predicate.
SWAPS = [
    (r" \+ ", [" - "]),
    (r" - ", [" + "]),
    (r" \* ", [" / "]),
    (r" / ", [" * "]),
    (r" < ", [" <= "]),
    (r" <= ", [" < "]),
    (r" > ", [" >= "]),
    (r" >= ", [" > "]),
    (r" == ", [" != "]),
    (r" != ", [" == "]),
    (r" && ", [" || "]),
    (r" \|\| ", [" && "]),
    (r"\bif \(!", ["if ("]),
    (r"\bif \((?!!)(?=[\w(])(?!auto|[\w:]+ \w+ =)", ["if (!"]),
    (r"\btrue\b", ["false"]),
    (r"\bfalse\b", ["true"]),
    (r"\bAddFOp\b", ["SubFOp"]),
    (r"\bSubFOp\b", ["AddFOp"]),
    (r"\bMulFOp\b", ["DivFOp"]),
    (r"\bDivFOp\b", ["MulFOp"]),
    (r"\bAddIOp\b", ["SubIOp"]),
    (r"\bSubIOp\b", ["AddIOp"]),
    (r"\bMaximumFOp\b", ["MinimumFOp"]),
    (r"\bMinimumFOp\b", ["MaximumFOp"]),
    (r"\bg\.add\(", ["g.sub("]),
    (r"\bg\.sub\(", ["g.add("]),
    (r"\bg\.mul\(", ["g.div("]),
    (r"\bg\.div\(", ["g.mul("]),
    (r"\bg\.neg\(", ["("]),
    (r"CmpFPredicate::OGT", ["CmpFPredicate::OGE", "CmpFPredicate::OLT"]),
    (r"CmpFPredicate::OLT", ["CmpFPredicate::OLE"]),
    (r"CompareKind::GT\b", ["CompareKind::GE", "CompareKind::LT"]),
    (r"CompareKind::LT\b", ["CompareKind::LE"]),
    (r"CompareKind::EQ\b", ["CompareKind::NE"]),
    (r"CmpIPredicate::slt", ["CmpIPredicate::sle"]),
    (r"\bstd::max\b", ["std::min"]),
    (r"\bstd::min\b", ["std::max"]),
    (r"\+\+(?=\w)", ["--"]),
]
CONSTANT = re.compile(r"(?<![\w.\"])(\d+\.\d+(?:e[-+]?\d+)?|\d+)(?![\w.\"x])")
STATEMENT = re.compile(
    r"^\s+(?!return|using|case|default|break|continue|//|\}|[\w:<>*& ]+\s[*&]?\w+\s*(=|;|\())[\w.>-].*;\s*$"
)
SKIPPED = re.compile(
    r"^\s*(//|#|\*|using |static_assert|namespace |template)|assert\(|llvm_unreachable|emit\w*Error|<<|\""
)


class Mutant:
    def __init__(self, area, path, number, line, changed):
        self.area, self.path, self.number = area, path, number
        self.line, self.changed = line, changed
        text = f"{path}\0{line}\0{changed}\0{number}"
        self.id = hashlib.sha256(text.encode()).hexdigest()[:8]

    def describe(self):
        now = self.changed.strip() or "(left out)"
        return f"{self.id} {self.path}:{self.number}\n    - {self.line.strip()}\n    + {now}"

    def record(self, outcome, by, seconds):
        return {
            "area": self.area,
            "path": self.path,
            "line": self.number,
            "was": self.line.strip(),
            "is": self.changed.strip(),
            "outcome": outcome,
            "by": by,
            "seconds": round(seconds, 1),
        }


def other_constants(text):
    if "." in text:
        value = float(text)
        return ["2.0"] if value == 0 else [repr(value * 1.01), repr(value / 2)]
    return ["1"] if text == "0" else [str(int(text) + 1), str(int(text) - 1)]


def changes(line):
    """Every line that differs from `line` by one fault."""
    comment = re.search(r"//|/\*", line)
    if comment:
        code, rest = line[: comment.start()], line[comment.start() :]
        yield from (changed.rstrip("\n") + rest for changed in changes(code))
        return
    if SKIPPED.search(line):
        return
    for pattern, others in SWAPS:
        for match in re.finditer(pattern, line):
            for other in others:
                yield line[: match.start()] + other + line[match.end() :]
    for match in CONSTANT.finditer(line):
        for other in other_constants(match.group()):
            yield line[: match.start()] + other + line[match.end() :]
    # What is not the end of a longer statement; dropping a declaration would not compile.
    if STATEMENT.match(line) and line.count("(") == line.count(")"):
        yield "\n"


def python_changes(line):
    code, hash_sign, comment = line.partition("  # ")
    if re.match(r"\s*(#|@|import |from |raise |class |def )", code) or re.search(r'[rf]?"""|f"', code):
        return
    for pattern, others in PYTHON_SWAPS + SWAPS[:10]:
        for match in re.finditer(pattern, code):
            for other in others:
                yield code[: match.start()] + other + code[match.end() :] + hash_sign + comment
    for match in CONSTANT.finditer(code):
        for other in other_constants(match.group()):
            yield code[: match.start()] + other + code[match.end() :] + hash_sign + comment


def texts_of(source):
    """The lines of Python that are text: what docstrings and strings of several lines hold."""
    strings = (n for n in ast.walk(ast.parse(source)) if isinstance(n, (ast.Constant, ast.JoinedStr)))
    return {
        line
        for node in strings
        if node.end_lineno > node.lineno
        for line in range(node.lineno, node.end_lineno + 1)
    }


def comments_of(source):
    """The lines of C that a comment of several goes on in."""
    return {
        line
        for comment in re.finditer(r"/\*.*?\*/", source, re.DOTALL)
        for line in range(
            source.count("\n", 0, comment.start()) + 2, source.count("\n", 0, comment.end()) + 2
        )
    }


def mutants_of(area, root):
    for pattern in AREAS[area].sources:
        for path in sorted(root.glob(pattern)):
            text = path.read_text()
            is_python = path.suffix == ".py"
            skipped = texts_of(text) if is_python else comments_of(text)
            for number, line in enumerate(text.splitlines(keepends=True), 1):
                if number in skipped:
                    continue
                for changed in dict.fromkeys(python_changes(line) if is_python else changes(line)):
                    yield Mutant(area, str(path.relative_to(root)), number, line, changed)


def lines_since(root, revision):
    """Of each source, the lines that a commit did not have."""
    command = ["git", "-C", str(root), "diff", "-U0", "-M", "--no-color", "--no-ext-diff", revision]
    diff = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lines, path = {}, None
    for line in diff.splitlines():
        if line.startswith("+++ "):
            path = line.removeprefix("+++ b/")
        elif hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            lines.setdefault(path, set()).update(range(first, first + count))
    return lines


def choose(areas, seed, root, since=None):
    """All mutants; the areas in turn, each in an order of its own, so that every prefix is fair."""
    newer = lines_since(root, since) if since else None
    queues = []
    for area in areas:
        found = [
            mutant
            for mutant in mutants_of(area, root)
            if newer is None or mutant.number in newer.get(mutant.path, ())
        ]
        random.Random(f"{seed} {area}").shuffle(found)
        queues.append(found[::-1])
    while any(queues):
        for queue in queues:
            if queue:
                yield queue.pop()


class Workshop:
    """A tree in which a mutant is planted, built and tested; never the user's own."""

    def __init__(self, folder, jobs, timeout, preset="dev"):
        self.root, self.preset = folder, preset
        self.build = folder / ("build" if preset == "release" else f"build-{preset}")
        self.jobs, self.timeout = jobs, timeout
        self.found = {}

    def prepare(self, areas):
        if self.root == ROOT:
            sys.exit("mutate.py: --work is the tree of this script, whose changes would be lost")
        if not self.root.exists():
            self.git(ROOT, "worktree", "add", "--detach", str(self.root), "HEAD")
            if (ROOT / ".venv").exists():
                (self.root / ".venv").symlink_to((ROOT / ".venv").resolve())
        # Of a copy, git takes every file for another one until it has looked at it, and a checkout
        # would write it anew: all would be built again.
        self.git(self.root, "status")
        self.git(self.root, "checkout", "--", ".")
        if not (self.build / "build.ninja").exists():
            subprocess.run(
                [self.root / "scripts/setup.sh", f"--preset={self.preset}", "--no-build"],
                check=True,
                stdout=subprocess.DEVNULL,
            )
        targets = sorted({target for area in areas for target in AREAS[area].targets()})
        print(f"building {', '.join(targets)} in {self.build}", flush=True)
        if self.ninja(targets, None) != 0:
            sys.exit("mutate.py: the sources do not build without a mutant")
        self.original = {}
        for suite in (suite for area in areas for suite in AREAS[area].suites):
            self.original |= self.programs(suite)

    @staticmethod
    def git(where, *arguments):
        subprocess.run(["git", "-C", str(where), *arguments], check=True, stdout=subprocess.DEVNULL)

    def ninja(self, targets, timeout):
        return self.run(["ninja", "-C", str(self.build), f"-j{self.jobs}", *targets], timeout)

    def run(self, command, timeout):
        """The exit status; -1 where it ran too long, as a loop that a mutant never leaves."""
        process = subprocess.Popen(
            command,
            cwd=self.root,
            # What is kept of an earlier compilation would hide the mutant.
            env=os.environ | {"MPC_CACHE_DIR": ""},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return process.wait(timeout)
        except subprocess.TimeoutExpired:
            return -1
        finally:
            # What it has started, where it did not come to its end.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()

    def programs(self, suite):
        """The programs that a suite runs, by what is in them."""
        paths = [self.find(target) for target in suite.targets]
        if suite.python:
            paths += sorted((self.root / "lib/Python/mpc_compiler").glob("*.py"))
        return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}

    def find(self, target):
        """The file that is built; not what a test has copied or installed."""
        if target not in self.found:
            name = f"{target}.*so" if target.startswith("_") else target
            files = (p for p in self.build.rglob(name) if p.is_file() and "Output" not in p.parts)
            self.found[target] = next(files)
        return self.found[target]

    def commands(self, suite, source):
        """What runs the suite, the likeliest to fail in front."""
        if suite.program:
            program = next(p for p in self.programs(suite) if p.name == suite.program)
            chosen = f"--gtest_filter={suite.gtest_filter(self.root)}"
            return [[str(program), "--gtest_fail_fast", chosen]]
        if suite.python:
            return self.python_commands(suite, source)
        return [
            [
                LIT,
                f"-j{self.jobs}",
                "-q",
                "--order=lexical",
                "--max-failures=1",
                *(str(self.build / "test" / test) for test in tests),
            ]
            for tests in (suite.nearest(self.root, source), suite.lit)
            if tests
        ]

    def python_commands(self, suite, source):
        """The tests of a folder, in front those named after the source, as _wrap.py has wrap_test.py."""
        python = str(self.root / ".venv/bin/python")
        if suite is PYTORCH:
            python = os.environ.get("MPC_TORCH_PYTHON")
        if not python:
            return []
        folder = self.root / "test" / suite.python
        paths = [f"{self.build}/python", folder.parent, folder]
        variables = ["PYTHONPATH=" + ":".join(map(str, paths)), f"MPC_BUILD={self.build}"]
        tests = ["-m", "unittest", "discover", "-f", "-s", str(folder), "-p"]
        named = f"{pathlib.Path(source).stem.lstrip('_')}*_test.py"
        patterns = [named, "*_test.py"] if any(folder.glob(named)) else ["*_test.py"]
        return [["env", *variables, python, "-B", *tests, pattern] for pattern in patterns]

    def judge(self, mutant):
        """Outcome, and which test found it."""
        outcome = "same program"
        for suite in AREAS[mutant.area].suites:
            if self.ninja(suite.targets, None) != 0:
                return "does not compile", None
            programs = self.programs(suite)
            if all(self.original[path] == content for path, content in programs.items()):
                continue
            commands = self.commands(suite, mutant.path)
            for command in commands:
                status = self.run(command, self.timeout)
                if status != 0:
                    return "killed", suite.name() + (", by time" if status < 0 else "")
            outcome = "survived"
        return outcome, None

    def try_mutant(self, mutant):
        path = self.root / mutant.path
        original = path.read_text()
        lines = original.splitlines(keepends=True)
        if lines[mutant.number - 1] != mutant.line:
            return "is not there", None
        lines[mutant.number - 1] = mutant.changed
        try:
            path.write_text("".join(lines))
            return self.judge(mutant)
        finally:
            path.write_text(original)


class Results:
    """What has been run, in a file that every mutant is added to at once."""

    def __init__(self, path):
        self.path = path
        self.mutants = json.loads(path.read_text()) if path.exists() else {}

    def add(self, mutant, record):
        self.mutants[mutant] = record
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(self.mutants, indent=1, sort_keys=True) + "\n")
        part.replace(self.path)

    def counted(self):
        return [
            r for r in self.mutants.values() if r["outcome"] in ("killed", "survived", "equivalent")
        ]

    def survivors(self):
        return {i: r for i, r in self.mutants.items() if r["outcome"] == "survived"}

    def summary(self):
        outcomes = [r["outcome"] for r in self.mutants.values()]
        return (
            ", ".join(f"{outcomes.count(o)} {o}" for o in sorted(set(outcomes)))
            or "nothing run yet"
        )


def time_left(results, count):
    counted = results.counted()
    spent = sum(r["seconds"] for r in results.mutants.values())
    seconds = int(spent / max(len(counted), 1) * (count - len(counted)))
    return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d} left"


def campaign(workshop, results, mutants, count):
    for mutant in mutants:
        if len(results.counted()) >= count:
            return
        if mutant.id in results.mutants:
            continue
        start = time.monotonic()
        outcome, by = workshop.try_mutant(mutant)
        results.add(mutant.id, mutant.record(outcome, by, time.monotonic() - start))
        print(
            f"{len(results.counted())}/{count}  {outcome}{f' by {by}' if by else ''}  {time_left(results, count)}",
            flush=True,
        )
        if outcome == "survived":
            print(mutant.describe(), flush=True)


def judge(results, judgement):
    name, _, reason = judgement.partition("=")
    if name not in results.survivors():
        sys.exit(f"mutate.py: --judge: '{name}' is no survivor of {results.path}")
    results.add(name, {**results.mutants[name], "outcome": "equivalent", "by": reason})


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--area",
        action="append",
        choices=sorted(AREAS),
        help="which sources; may be given again (default: all)",
    )
    parser.add_argument(
        "--count",
        type=int,
        default=100,
        metavar="N",
        help="how many mutants that compile (default: 100)",
    )
    parser.add_argument("--seed", default="1", help="another seed, other mutants (default: 1)")
    parser.add_argument("--since", metavar="COMMIT", help="only lines that it did not have")
    parser.add_argument(
        "--work", type=pathlib.Path, metavar="DIR", help="where the tree is, or is made"
    )
    parser.add_argument(
        "--results",
        type=pathlib.Path,
        default=pathlib.Path("mutants.json"),
        metavar="FILE",
        help="what was run; read to go on, written after each (default: mutants.json)",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=2,
        metavar="N",
        help="parallel compilations and tests (default: 2)",
    )
    parser.add_argument(
        "--preset",
        default="dev",
        metavar="NAME",
        help="of scripts/setup.sh: how the sources are built (default: dev, with assertions)",
    )
    parser.add_argument(
        "--timeout",
        type=int,
        default=600,
        metavar="S",
        help="seconds for one step of tests (default: 600)",
    )
    parser.add_argument(
        "--suites",
        type=int,
        metavar="N",
        help="only the first, the quickest, of each area: a survivor may be found by the rest",
    )
    parser.add_argument("--list", action="store_true", help="print the mutants, run nothing")
    parser.add_argument(
        "--judge",
        action="append",
        default=[],
        metavar="ID=REASON",
        help="record why a survivor is equivalent",
    )
    return parser.parse_args()


def main():
    options = parse_arguments()
    areas = options.area or sorted(AREAS)
    results = Results(options.results)
    for judgement in options.judge:
        judge(results, judgement)
    if options.list:
        for _, mutant in zip(range(options.count), choose(areas, options.seed, ROOT, options.since)):
            print(mutant.describe())
        return 0
    if not options.judge:
        if not options.work:
            sys.exit("mutate.py: --work=DIR is required: sources are changed and built there")
        for area in areas:
            AREAS[area].suites = AREAS[area].suites[: options.suites]
        workshop = Workshop(options.work.resolve(), options.jobs, options.timeout, options.preset)
        workshop.prepare(areas)
        mutants = choose(areas, options.seed, workshop.root, options.since)
        campaign(workshop, results, mutants, options.count)
    print(results.summary())
    return 1 if results.survivors() else 0


if __name__ == "__main__":
    sys.exit(main())
