# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which exception an error of the C ABI becomes."""
import pathlib
import re
import unittest

import mpc_compiler
from mpc_compiler import _errors

HEADER = pathlib.Path(__file__).parents[3] / "include/mpc-c/Error.h"
KINDS = {
    "INVALID_INPUT": mpc_compiler.InvalidInputError,
    "USAGE": mpc_compiler.UsageError,
    "ENVIRONMENT": mpc_compiler.EnvironmentFault,
    "PEER": mpc_compiler.PeerError,
    "DIVERGED": mpc_compiler.DivergedError,
    "INTERNAL": mpc_compiler.InternalError,
}


class Errors(unittest.TestCase):
    def test_each_code_of_the_header_has_an_exception(self):
        codes = dict(re.findall(r"MPC_ERROR_(\w+) = (\d+)", HEADER.read_text()))
        self.assertEqual(set(codes) - {"NONE", "OK"}, set(KINDS))
        for name, kind in KINDS.items():
            error = _errors.of_code(int(codes[name]), "what failed")
            self.assertIs(type(error), kind, name)
            self.assertIsInstance(error, mpc_compiler.Error)
            self.assertEqual(str(error), "what failed")

    def test_a_code_of_a_later_library_is_an_error_too(self):
        self.assertIs(type(_errors.of_code(99, "new")), mpc_compiler.Error)


if __name__ == "__main__":
    unittest.main()
