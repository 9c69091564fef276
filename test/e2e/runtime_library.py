# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails where libmpc-runtime needs the compiler's libraries, or is not below 2.2 MB without its symbols."""
import pathlib
import shutil
import subprocess
import tempfile

tool = pathlib.Path(shutil.which("mpc-run")).resolve()
library = tool.parent.parent / "lib" / "libmpc-runtime.so"
needed = subprocess.run(
    ["llvm-readelf", "--needed-libs", library], check=True, capture_output=True, text=True
).stdout
assert "libc.so" in needed and "LLVM" not in needed and "MLIR" not in needed, needed
with tempfile.TemporaryDirectory() as folder:
    stripped = pathlib.Path(folder) / "stripped.so"
    subprocess.run(["llvm-strip", "-o", stripped, library], check=True)
    # Sanitizers make code three times as large.
    is_plain = b"__asan_init" not in library.read_bytes()
    assert not is_plain or stripped.stat().st_size < 2_200_000, stripped.stat().st_size
