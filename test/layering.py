#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails on an #include that points against the layers.

    python layering.py ROOT

Prints `file:line: error: ...` for each one. The arrows are those of CONTRIBUTING.md.
"""
import pathlib
import re
import sys

EXECUTION = ["runtime", "include"]
# The types that elements have, in the runtime and in the compiler.
ELEMENT_TYPES = [f"runtime/Support/{name}.h" for name in ("DType", "ElementFormat", "FloatFormat")]
# A model whatever format it had, and the doors through which models come.
MODEL = [
    f"lib/Import/{name}.h"
    for name in ("Finish", "ImportError", "Model", "ModelStorage", "NoteList", "OpLibrary", "Shape")
]
DOORS = [
    *MODEL, "lib/Import/ONNX/OnnxImporter.h", "lib/Import/ONNX/OnnxFile.h",
    "lib/Import/Exported/ExportedImporter.h",
]
ONNX = "lib/Import/ONNX"
EXPORTED = "lib/Import/Exported"
CODEGEN = ["lib/Codegen", "dialects", *EXECUTION]
PASSES = ["passes", "dialects"]
DRIVER = ["lib/Driver", *DOORS, "lib/Codegen", *PASSES, *EXECUTION]

# The inside of lib/Driver/Request.h -> who may include it.
INSIDES = {
    "lib/Driver/Compile.h": ["lib/Driver/Compile.cpp", "lib/Driver/Request.cpp"],
    "lib/Driver/CompileCache.h": ["lib/Driver/CompileCache.cpp", "lib/Driver/Request.cpp"],
}

# Layer -> what it may include. A file belongs to the longest layer that its
# path starts with; what is allowed covers all below it.
ALLOWED = {
    "include": ["include"],
    "runtime": EXECUTION,
    "runtime/CommandLine": EXECUTION,
    "dialects": ["dialects", *ELEMENT_TYPES],
    "dialects/AMP": ["dialects", *ELEMENT_TYPES, "runtime/LossScale", "runtime/Program/StateRole.h"],
    "passes": PASSES,
    "passes/NN": [*PASSES, "runtime/Program/StepNames.h"],
    "passes/Kernel": ["passes/Kernel", "dialects"],
    "passes/AMP": [*PASSES, "runtime/LossScale", "runtime/Program/StateRole.h",
                   "runtime/Program/StepNames.h"],
    "lib/Import": [*MODEL, "dialects", *ELEMENT_TYPES, "runtime/Support/SharedBytes.h"],
    "lib/Import/Build": ["lib/Import/Build", *MODEL, "dialects", *ELEMENT_TYPES],
    ONNX: ["lib/Import", "dialects", *ELEMENT_TYPES],
    f"{ONNX}/Read": [f"{ONNX}/Read", *MODEL, *ELEMENT_TYPES],
    f"{ONNX}/Ops": [
        f"{ONNX}/Ops", f"{ONNX}/Read", f"{ONNX}/OnnxImporter.h", "lib/Import/Build", *MODEL, "dialects",
        *ELEMENT_TYPES,
    ],
    f"{ONNX}/PyTorch": [f"{ONNX}/PyTorch", f"{ONNX}/Ops", f"{ONNX}/Read", *MODEL, "dialects", *ELEMENT_TYPES],
    EXPORTED: [
        EXPORTED, "lib/Import/Build", *MODEL, "dialects", *ELEMENT_TYPES, "runtime/Support/ZipFile.h",
    ],
    "lib/Codegen": CODEGEN,
    "lib/Driver": DRIVER,
    "lib/Driver/Flags": DRIVER,
    "lib/CAPI": ["lib/CAPI", *DRIVER],
    "lib/Python": ["lib/Python", "include"],
    "tools": ["tools", "lib/CAPI", *DRIVER],
}

COMPILER = ["llvm/", "llvm-c/", "mlir/", "mlir-c/", "clang/"]
DEVICES = ["cuda", "nvrtc", "cublas", "nccl"]
# Types of a command line: only tools, what is made for them, and who is told
# in their words have these.
FLAGS = ["CLI/", "runtime/CommandLine/"]

# Layer -> prefixes of headers that it must do without.
FORBIDDEN = {
    "include": [*COMPILER, *DEVICES, *FLAGS],
    "runtime": [*COMPILER, *DEVICES, *FLAGS],
    "runtime/CommandLine": [*COMPILER, *DEVICES],
    "dialects": FLAGS,
    "dialects/AMP": FLAGS,
    "passes": FLAGS,
    "passes/AMP": FLAGS,
    "passes/NN": FLAGS,
    **{layer: FLAGS for layer in ALLOWED if layer.startswith("lib/Import")},
    "lib/Codegen": FLAGS,
    "lib/Driver": [*FLAGS, "lib/Driver/Flags/"],
    "lib/Driver/Flags": [],
    "lib/Python": FLAGS,
}

# Text for a device: NVRTC gets it without any folder of headers.
DEVICE_SUFFIXES = {".cu", ".cuh"}

SUFFIXES = {".h", ".cpp", ".c", ".td", ".inc", *DEVICE_SUFFIXES}
INCLUDE = re.compile(r'^\s*#?\s*include\s+["<]([^">]+)[">]')


def inside(path, folder):
    return path == folder or path.startswith(folder + "/")


def layer_of(path, layers):
    return max((layer for layer in layers if inside(path, layer)), key=len, default=None)


def target_of(root, source, included):
    """The included file's path from the root, or None where it is not ours."""
    beside = (root / source).parent / included
    if beside.exists():
        return beside.resolve().relative_to(root.resolve()).as_posix()
    if included.startswith(("mpc/", "mpc-c/")):
        return "include/" + included
    if any(inside(included, layer.split("/")[0]) for layer in ALLOWED):
        return included
    return None


def fault_of(root, source, included):
    """Why this include is wrong, or None."""
    if pathlib.PurePath(source).suffix in DEVICE_SUFFIXES:
        return f"device text must include nothing, not {included}"
    layer = layer_of(source, ALLOWED)
    target = target_of(root, source, included)
    if (target or included).startswith(tuple(FORBIDDEN.get(layer, []))):
        return f"{layer} must do without {target or included}"
    if target in INSIDES and source not in INSIDES[target]:
        return f"only {', '.join(INSIDES[target])} may include {target}"
    if target is not None and not any(inside(target, folder) for folder in ALLOWED[layer]):
        return f"{layer} must not include {target} (only {', '.join(ALLOWED[layer])})"
    return None


def faults(root):
    """`file:line: error: ...` for each include against the layers."""
    for top in sorted({layer.split("/")[0] for layer in ALLOWED}):
        for path in sorted((root / top).rglob("*")):
            source = path.relative_to(root).as_posix()
            if path.suffix not in SUFFIXES:
                continue
            if layer_of(source, ALLOWED) is None:
                yield f"{source}:1: error: no layer holds this file"
                continue
            for number, line in enumerate(path.read_text().splitlines(), start=1):
                match = INCLUDE.match(line)
                fault = match and fault_of(root, source, match.group(1))
                if fault:
                    yield f"{source}:{number}: error: {fault}"


def main():
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
