#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants includes in a scratch tree and looks at what layering.py says."""
import pathlib
import tempfile
import unittest

import layering


class Layering(unittest.TestCase):
    def faults(self, suffix=".h", **files):
        """Faults of a tree of {path: text}; `__` in a keyword stands for `/`."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in files.items():
                path = root / (name.replace("__", "/") + suffix)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return list(layering.faults(root))

    def test_arrows_along_the_layers_pass(self):
        self.assertEqual(
            [],
            self.faults(
                tools__x__Main='#include "lib/Driver/Request.h"\n#include "mpc-c/Error.h"\n',
                lib__Driver__Compile='#include "passes/Pipelines.h"\n#include "runtime/Program/Program.h"\n',
                passes__AMP__Step='#include "runtime/LossScale/Policy.h"\n#include "mlir/IR/Builders.h"\n',
                runtime__Program__Program='#include "Neighbour.h"\n#include <vector>\n',
                runtime__Program__Neighbour="",
            ),
        )

    def test_an_arrow_against_the_layers_is_named_with_its_place(self):
        self.assertEqual(
            [
                "dialects/NN/Op.h:2: error: dialects must not include passes/NN/Passes.h (only dialects, "
                "runtime/Support/DType.h, runtime/Support/ElementFormat.h, runtime/Support/FloatFormat.h)"
            ],
            self.faults(dialects__NN__Op='// A comment.\n#include "passes/NN/Passes.h"\n'),
        )

    def test_a_relative_path_does_not_hide_an_arrow(self):
        found = self.faults(
            runtime__Program__Program='#include "../../passes/Pipelines.h"\n',
            passes__Pipelines="",
        )
        self.assertEqual(1, len(found))
        self.assertIn("runtime must not include passes/Pipelines.h", found[0])

    def test_a_command_line_is_of_tools_and_what_is_made_for_them(self):
        self.assertEqual(
            [],
            self.faults(
                tools__x__Main='#include <CLI/CLI.hpp>\n#include "runtime/CommandLine/Tool.h"\n',
                runtime__CommandLine__Tool='#include <CLI/CLI.hpp>\n#include "runtime/Train/Loop.h"\n',
            ),
        )
        self.assertEqual(
            ["lib/Driver/Recipe.h:1: error: lib/Driver must do without CLI/CLI.hpp"],
            self.faults(lib__Driver__Recipe="#include <CLI/CLI.hpp>\n"),
        )
        self.assertEqual(
            ["runtime/Train/Loop.h:1: error: runtime must do without runtime/CommandLine/Tool.h"],
            self.faults(
                runtime__Train__Loop='#include "../CommandLine/Tool.h"\n', runtime__CommandLine__Tool=""
            ),
        )

    def test_passes_know_no_target(self):
        self.assertFalse(self.faults(passes__Kernel__Fuse='#include "dialects/Kernel/Body.h"\n'))
        for file in ("passes__Kernel__Fuse", "passes__NN__Recompute", "passes__Pipelines"):
            self.assertTrue(self.faults(**{file: '#include "lib/Codegen/CPU/Processor.h"\n'}))

    def test_the_inside_of_a_request_is_its_own(self):
        for header in ("Compile", "CompileCache"):
            text = f'#include "lib/Driver/{header}.h"\n'
            self.assertFalse(self.faults(suffix=".cpp", lib__Driver__Request=text))
            found = self.faults(suffix=".cpp", tools__x__Main=text, lib__Driver__Explain=text)
            self.assertEqual(2, len(found))
            self.assertIn(f"may include lib/Driver/{header}.h", found[0])

    def test_a_model_and_its_compositions_know_no_format(self):
        self.assertFalse(self.faults(lib__Driver__Load='#include "lib/Import/ONNX/OnnxImporter.h"\n'))
        self.assertFalse(self.faults(lib__Import__ONNX__Ops__Pow='#include "lib/Import/Build/Powers.h"\n'))
        inside = '#include "lib/Import/ONNX/Read/OnnxModel.h"\n'
        for file in ("lib__Driver__Load", "lib__Import__Model", "lib__Import__Build__Einsum"):
            self.assertTrue(self.faults(**{file: inside}))

    def test_no_op_of_onnx_asks_who_wrote_the_file(self):
        record = '#include "lib/Import/ONNX/PyTorch/ExporterRecord.h"\n'
        self.assertTrue(self.faults(lib__Import__ONNX__Ops__Pow=record))
        self.assertTrue(self.faults(lib__Import__ONNX__Read__OnnxModel=record))

    def test_only_the_loss_scale_of_the_runtime_is_open_to_amp_passes(self):
        self.assertTrue(self.faults(passes__AMP__Step='#include "runtime/Program/Program.h"\n'))
        self.assertTrue(self.faults(passes__NN__Cast='#include "runtime/LossScale/Policy.h"\n'))

    def test_tablegen_includes_count(self):
        self.assertTrue(self.faults(dialects__NN__Ops='include "passes/NN/Passes.td"\n'))

    def test_the_runtime_does_without_llvm(self):
        self.assertTrue(self.faults(runtime__Program__Program="#include <llvm/ADT/StringRef.h>\n"))

    def test_public_headers_do_without_cuda(self):
        self.assertTrue(self.faults(include__mpc__Program="#include <cuda_runtime.h>\n"))

    def test_the_runtime_does_without_cuda(self):
        self.assertTrue(self.faults(runtime__Device__CUDA__Driver="#include <cuda.h>\n"))

    def test_device_text_includes_nothing(self):
        self.assertEqual(
            ["lib/Codegen/CUDA/Prelude.cuh:1: error: device text must include nothing, not cuda_fp16.h"],
            self.faults(suffix=".cuh", lib__Codegen__CUDA__Prelude="#include <cuda_fp16.h>\n"),
        )

    def test_a_file_of_no_layer_is_named(self):
        self.assertEqual(["lib/Misc/X.h:1: error: no layer holds this file"], self.faults(lib__Misc__X=""))


if __name__ == "__main__":
    unittest.main()
