# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the node cases of the onnx package through mpc-eval and compares with the outputs that come with them.

    python node_suite.py MPC_EVAL_CASES [--only=REGEX] [--jobs=N] [--shrink] [--verbose]

A case passes, is refused (mpc-eval exits with 1 and a message), is wrong, or crashes. What is refused stands in
node_suite.txt with its reason, and that list may only shrink: a case that passes and is listed fails, as does one
that is refused and is not. A wrong result and a crash fail, listed or not. --shrink writes the list anew: without
what passes by now, with the messages of today; it adds no case.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import threading
import warnings

try:
    import ml_dtypes
    import numpy as np
    import onnx
    import onnx.numpy_helper
    from onnx.backend.test.loader import load_model_tests
except ImportError as missing:
    print(f"{missing}: skipped; scripts/setup.sh installs the package")
    # Skipped is 77; where everything has to be there, it is a failure.
    sys.exit(1 if os.environ.get("CI") else 77)

# The outputs that come with these are rounded to f16 at each step, and are off
# the float64 result by 4.9e-4, mpc-eval's by 4.0e-4: held to two units in the last place.
ROUNDED_AT_EACH_STEP = ("test_attention_4d_causal_fp16", "test_attention_4d_causal_fp16_expanded")

# Sums that cancel to nothing: held to a unit in the last place of the largest.
CANCELLING = re.compile(r"test_dft_inverse")

# Their outputs are NumPy's random numbers. Those of a ratio of 0 stay.
DRAWN_AT_RANDOM = re.compile(r"test_training_dropout(_default)?(_mask)?$")

LIST = pathlib.Path(__file__).with_suffix(".txt")

# What the dialects have no words for: out of scope.
NARROW_TYPES = ("FLOAT8", "FLOAT6", "FLOAT4", "INT4", "UINT4", "INT2", "UINT2")
OUT_OF_SCOPE = {
    "data-dependent shape": "Unique Compress",
    "quantization": "DynamicQuantizeLinear QLinearConv QLinearMatMul MatMulInteger "
    "ConvInteger",
    "random": "Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike",
    "sequences, optionals": "OptionalGetElement OptionalHasElement",
    "signal": "MelWeightMatrix",
    "strings": "StringNormalizer StringConcat StringSplit RegexFullMatch TfIdfVectorizer",
    "vision": "NonMaxSuppression RoiAlign MaxUnpool ImageDecoder",
}

SAFETENSORS = {
    "BOOL": np.bool_, "I8": np.int8, "U8": np.uint8, "I16": np.int16, "U16": np.uint16, "I32": np.int32,
    "U32": np.uint32, "I64": np.int64, "U64": np.uint64, "F16": np.float16, "BF16": ml_dtypes.bfloat16,
    "F32": np.float32, "F64": np.float64,
}  # fmt: skip
NAMES = {np.dtype(dtype): name for name, dtype in SAFETENSORS.items()}

Outcome = collections.namedtuple("Outcome", "kind text")


def in_scope(model):
    values = [*model.graph.input, *model.graph.output]
    if any(node.domain == "ai.onnx.ml" for node in model.graph.node):
        return False
    if any(value.type.WhichOneof("value") != "tensor_type" for value in values):
        return False
    types = [onnx.TensorProto.DataType.Name(value.type.tensor_type.elem_type) for value in values]
    if any(name.startswith((*NARROW_TYPES, "STRING", "COMPLEX")) for name in types):
        return False
    excluded = {op for ops in OUT_OF_SCOPE.values() for op in ops.split()}
    return not any(node.op_type in excluded for node in model.graph.node)


def as_array(value):
    return onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else np.asarray(value)


def write_safetensors(path, tensors):
    header, chunks, offset = {}, [], 0
    for name, array in tensors.items():
        data = np.ascontiguousarray(array).tobytes()
        header[name] = {
            "dtype": NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + len(data)],
        }
        chunks.append(data)
        offset += len(data)
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(chunks))


def read_safetensors(path):
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            array = np.frombuffer(data[begin:end], SAFETENSORS[entry["dtype"]])
            tensors[name] = array.reshape(entry["shape"])
    return tensors


def reason_of(stderr):
    """The message without what differs from run to run: the tool, the folder, the node's name."""
    lines = [line for line in stderr.splitlines() if "error:" in line] or ["no message"]
    text = lines[0].split("error: ", 1)[-1]
    text = re.sub(r"^/\S*/(?=in\.safetensors: )|^/\S*/model\.onnx: ", "", text)
    return re.sub(r"^node '.*?' \((\w+), opset \d+\): ", r"\1: ", text).strip()


def compare(expected, found, case):
    """What differs, by the rules of the package's own runner; empty where nothing does."""
    if found is None:
        return "is not among the outputs"
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return f"is {found.dtype}{list(found.shape)}, expected {expected.dtype}{list(expected.shape)}"
    rtol = max(case.rtol, 2**-9) if case.name in ROUNDED_AT_EACH_STEP else case.rtol
    if expected.dtype == ml_dtypes.bfloat16:
        # Two units in the last place.
        rtol = max(rtol, 2**-6)
        expected, found = expected.astype(np.float32), found.astype(np.float32)
    atol = float(np.spacing(np.abs(expected).max())) if CANCELLING.match(case.name) else case.atol
    if np.allclose(found, expected, rtol=rtol, atol=atol, equal_nan=True):
        return ""
    with np.errstate(all="ignore"):
        worst = np.nanmax(np.abs(found.astype(np.float64) - expected.astype(np.float64)))
    return f"differs by {worst} (rtol {rtol}, atol {atol})"


class Evaluators:
    """One mpc-eval-cases for each thread, which runs mpc-eval case after case."""

    def __init__(self, tool):
        self.tool, self.local, self.running = tool, threading.local(), []

    def run(self, stderr, *arguments):
        """The exit status, or minus the signal."""
        if not hasattr(self.local, "process"):
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            self.local.process = subprocess.Popen([self.tool], **pipes, text=True, bufsize=1)
            self.running.append(self.local.process)
        self.local.process.stdin.write("\t".join(map(str, [stderr, *arguments])) + "\n")
        return int(self.local.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.running:
            process.stdin.close()
            process.wait()


def run_case(case, evaluators, folder):
    work = pathlib.Path(folder, case.name)
    work.mkdir()
    (work / "model.onnx").write_bytes(case.model.SerializeToString())
    initialized = {tensor.name for tensor in case.model.graph.initializer}
    names = [value.name for value in case.model.graph.input if value.name not in initialized]
    inputs, outputs = case.data_sets[0]
    write_safetensors(work / "in.safetensors", dict(zip(names, map(as_array, inputs))))
    status = evaluators.run(
        work / "stderr", work / "model.onnx", "--threads=1",
        f"--inputs={work / 'in.safetensors'}", f"--outputs={work / 'out.safetensors'}",
    )  # fmt: skip
    stderr = (work / "stderr").read_text(errors="replace")
    if status == 1:
        return Outcome("refused", reason_of(stderr))
    if status != 0:
        return Outcome("crash", f"exit {status}: {stderr.strip()[:300]}")
    found = read_safetensors(work / "out.safetensors")
    for value, expected in zip(case.model.graph.output, outputs):
        difference = compare(as_array(expected), found.get(value.name), case)
        if difference:
            return Outcome("wrong", f"output '{value.name}' {difference}")
    return Outcome("passed", "")


def load_cases(pattern):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = load_model_tests(kind="node")
    judged = [case for case in cases if in_scope(case.model) and not DRAWN_AT_RANDOM.match(case.name)]
    return [case for case in judged if re.search(pattern, case.name)]


def read_list():
    lines = [line for line in LIST.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split(": ", 1) for line in lines)


def write_list(listed):
    head = [line for line in LIST.read_text().splitlines() if line.startswith("#")]
    LIST.write_text("\n".join(head + [f"{name}: {reason}" for name, reason in sorted(listed.items())]) + "\n")


def verdict(name, outcome, listed):
    """None where all is as it should be."""
    if outcome.kind in ("wrong", "crash"):
        return f"{outcome.kind}: {outcome.text}"
    if outcome.kind == "passed" and name in listed:
        return f"passes, but is listed in {LIST.name} (--shrink takes it out)"
    if outcome.kind == "refused" and name not in listed:
        return f"refused, and not listed in {LIST.name}: {outcome.text}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--shrink", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    flags = parser.parse_args()
    cases, listed = load_cases(flags.only), read_list()
    pool = concurrent.futures.ThreadPoolExecutor(flags.jobs)
    with tempfile.TemporaryDirectory() as folder, Evaluators(flags.tool) as evaluators, pool:
        outcomes = list(pool.map(lambda case: run_case(case, evaluators, folder), cases))
    results = {case.name: outcome for case, outcome in zip(cases, outcomes)}
    if flags.shrink:
        listed = {
            name: results[name].text if name in results else reason
            for name, reason in listed.items()
            if name not in results or results[name].kind == "refused"
        }
        write_list(listed)
    faults = {name: verdict(name, outcome, listed) for name, outcome in results.items()}
    faults |= {} if flags.only else {name: "is listed, but no case in scope" for name in listed if name not in results}
    for name, fault in faults.items():
        if fault or flags.verbose:
            print(f"{name}: {fault or ' '.join(results[name]).strip()}")
    failed = sum(fault is not None for fault in faults.values())
    refused = sum(outcome.kind == "refused" and name in listed for name, outcome in results.items())
    print(f"{sum(o.kind == 'passed' for o in outcomes)} passed, {failed} failed, {refused} listed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
