# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How lit finds and runs the tests of mpc. `config` and `lit_config` are lit's.
import os
import resource
import subprocess
import sys

import lit.util

sys.path.append(os.path.join(config.mpc_source_dir, "test", "support"))
from processor_time import TimedShTest

config.name = "mpc"
config.test_format = TimedShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.join(config.mpc_source_dir, "test")
config.test_exec_root = os.path.join(config.mpc_binary_dir, "test")

# No process of a test needs so many seconds of a processor; that a machine is
# busy with other work takes none of them. What waits for ever takes none
# either: it is ended by the clock, where Python has psutil.
resource.setrlimit(resource.RLIMIT_CPU, (900, 960))
if lit.util.killProcessAndChildrenIsSupported()[0]:
    lit_config.maxIndividualTestTime = 2400

# Our tools and those of the tests first, then FileCheck, not and count of the
# LLVM that is linked.
config.environment["PATH"] = os.pathsep.join(
    [
        os.path.join(config.mpc_binary_dir, "bin"),
        os.path.join(config.mpc_binary_dir, "test", "bin"),
        config.llvm_tools_dir,
        os.environ.get("PATH", ""),
    ]
)
# What is kept of an earlier compilation would hide what this one does.
config.environment["MPC_CACHE_DIR"] = ""
# The cuBLASLt of this machine knows nothing of the test driver.
config.environment["MPC_CUBLASLT"] = "off"
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

venv_python = os.path.join(config.mpc_source_dir, ".venv", "bin", "python")
python = venv_python if os.path.exists(venv_python) else sys.executable
config.substitutions.append(("%python", f"'{python}'"))
config.substitutions.append(("%build", config.mpc_binary_dir))
config.substitutions.append(("%inputs", os.path.join(config.test_source_root, "Inputs")))


def python_has(module):
    probe = f"import importlib.util as u, sys; sys.exit(not u.find_spec('{module}'))"
    return subprocess.run([python, "-c", probe]).returncode == 0


# Without them many tests are left out, which must not pass for success.
for module in ("numpy", "onnx"):
    if python_has(module):
        config.available_features.add(f"python-{module}")
    elif os.environ.get("CI"):
        lit_config.fatal(f"CI is set, but {python} has no module '{module}'")
# What starts ranks. A test that starts several of them on few processors is no
# slower for it, and root may do it.
if os.path.exists(os.path.join(config.mpc_binary_dir, "lib", "mpc", "mpc-mpi-openmpi.so")):
    config.available_features.add("mpi")
elif os.environ.get("CI"):
    lit_config.fatal("CI is set, but there is no module for Open MPI")
if config.cuda:
    config.available_features.add("cuda")
# A program that is linked without them cannot load a library that has them.
if config.sanitizers:
    config.available_features.add("sanitizers")
