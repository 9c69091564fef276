# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command from a process that has touched a GiB, and checks the peak_rss_mb it prints."""
import json
import subprocess
import sys

PARENT_MIB = 1024
ballast = bytearray(b"\1") * (PARENT_MIB << 20)
output = subprocess.run(sys.argv[1:], capture_output=True, text=True, check=True).stdout
peak = json.loads(output.splitlines()[-1])["peak_rss_mb"]
# A tenth of a GiB of code, state and compiler; what the parent has is no part of it.
assert 10 < peak < PARENT_MIB / 2, peak
print(f"peak of its own: {len(ballast) >> 20} MiB of the parent do not count")
