# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command whose standard output nobody reads, and says how it ended.

    python closed_pipe.py COMMAND...
"""
import os
import signal
import subprocess
import sys

reader, writer = os.pipe()
os.close(reader)
# Python itself ignores the signal, which a child would inherit.
default = {"preexec_fn": lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL)}
done = subprocess.run(sys.argv[1:], stdout=writer, stderr=subprocess.PIPE, text=True, **default)
print(f"exit {done.returncode}\n{done.stderr}")
