# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds ONNX ops that are compositions of nn ops, in f16 and bf16, against themselves in float64.

    python rounding.py MPC_EVAL_CASES [--only=REGEX] [--all]

A composition computes in f32 and rounds once: so its result is the float64 result of the same inputs, rounded. What
float64 gives is the node suite's to say. --all takes those in, too, that round after each of several contractions.
"""
import argparse
import concurrent.futures
import pathlib
import re
import sys
import tempfile

import ml_dtypes
import numpy as np
import onnx
from gradient_cases import CASES
from node_suite import Evaluators, read_safetensors, write_safetensors
from onnx import TensorProto, helper, numpy_helper

TYPES = {"f16": (TensorProto.FLOAT16, np.float16), "bf16": (TensorProto.BFLOAT16, ml_dtypes.bfloat16)}
# Of results whose f32 lies next to the middle of two numbers; in units of the last place.
MOST_ULPS = 0.52


def model_of(case, element):
    """The node twice: of the inputs in 16 bits, and of the same numbers in float64."""
    arrays = case.inputs(np.random.default_rng(5))
    nodes, constants, names = [], [], {"low": [], "wide": []}
    infos, feeds = [], {}
    for name, array in arrays.items():
        is_real = array is not None and array.dtype == np.float64
        for copy in names:
            names[copy].append("" if array is None else f"{name}_{copy}" if is_real else name)
        if is_real:
            infos.append(helper.make_tensor_value_info(f"{name}_low", element, array.shape))
            feeds[f"{name}_low"] = array.astype(next(d for e, d in TYPES.values() if e == element))
            nodes.append(helper.make_node("Cast", [f"{name}_low"], [f"{name}_wide"], to=TensorProto.DOUBLE))
        elif array is not None:
            constants.append(numpy_helper.from_array(array, name))
    outputs = []
    for copy, kind in (("low", element), ("wide", TensorProto.DOUBLE)):
        results = [f"{copy}{i}" if i in case.outputs else "" for i in range(max(case.outputs) + 1)]
        nodes.append(
            helper.make_node(case.op, names[copy], results, name=copy, domain=case.domain, **case.attributes)
        )
        outputs += [helper.make_tensor_value_info(result, kind, None) for result in results if result]
    graph = helper.make_graph(nodes, "g", infos, outputs, constants)
    opsets = [helper.make_opsetid("", case.opset)]
    if case.domain:
        opsets.append(helper.make_opsetid(case.domain, 1))
    return helper.make_model(graph, opset_imports=opsets), feeds


def ulps_off(found, wanted, dtype):
    """The largest error, in units of the last place of the rounded result."""
    info = ml_dtypes.finfo(dtype)
    exponents = np.floor(np.log2(np.maximum(np.abs(wanted), float(info.smallest_normal))))
    ulp = 2.0 ** (exponents - info.nmant)
    same = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    with np.errstate(invalid="ignore"):
        return float(np.where(same, 0.0, np.abs(found - wanted) / ulp).max(initial=0.0))


def check(case, kind, evaluators, folder):
    """What is wrong; empty where nothing is."""
    element, dtype = TYPES[kind]
    work = pathlib.Path(folder, re.sub(r"\W+", "_", case.name) + kind)
    work.mkdir()
    model, feeds = model_of(case, element)
    onnx.save(model, work / "model.onnx")
    write_safetensors(work / "in.safetensors", feeds)
    status = evaluators.run(
        work / "stderr", work / "model.onnx", "--threads=1",
        f"--inputs={work / 'in.safetensors'}", f"--outputs={work / 'out.safetensors'}",
    )  # fmt: skip
    if status != 0:
        return f"exit {status}: {(work / 'stderr').read_text(errors='replace').strip()[:400]}"
    found = read_safetensors(work / "out.safetensors")
    for number in case.outputs:
        low, wide = found[f"low{number}"], found[f"wide{number}"]
        if low.dtype != dtype:
            return f"is {low.dtype}"
        error = ulps_off(low.astype(np.float64), wide, dtype)
        if error > MOST_ULPS:
            return f"output {number} is off by {error} units in the last place"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--only", default="")
    parser.add_argument("--all", action="store_true")
    flags = parser.parse_args()
    cases = [case for case in CASES if re.search(flags.only, case.name) and (case.rounds_once or flags.all)]
    runs = [(case, kind) for case in cases for kind in TYPES]
    pool = concurrent.futures.ThreadPoolExecutor(2)
    with tempfile.TemporaryDirectory() as folder, Evaluators(flags.tool) as evaluators, pool:
        faults = list(pool.map(lambda run: check(*run, evaluators, folder), runs))
    for (case, kind), fault in zip(runs, faults):
        if fault:
            print(f"{case.name} {kind}: {fault}")
    wrong = sum(bool(fault) for fault in faults)
    print(f"{len(runs)} results in two types, {wrong} rounded more than once")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
