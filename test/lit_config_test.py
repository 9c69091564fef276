# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs lit on a project whose Python has no modules: in CI that fails, elsewhere it is allowed.

    python lit_config_test.py LIT
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SITE = """\
config.mpc_source_dir = {root!r}
config.mpc_binary_dir = {root!r}
config.llvm_tools_dir = ""
config.cuda = False
config.sanitizers = False
lit_config.load_config(config, {config!r})
"""


def make_project(root):
    """One test that passes, one that needs onnx, and a Python that finds no module."""
    python = root / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    tests = root / "test"
    tests.mkdir()
    (tests / "a.test").write_text("RUN: true\n")
    (tests / "b.test").write_text("REQUIRES: python-onnx\nRUN: false\n")
    config = tests / "lit.cfg.py"
    ours = pathlib.Path(__file__).parent
    shutil.copy(ours / "lit.cfg.py", config)
    shutil.copytree(ours / "support", tests / "support", ignore=shutil.ignore_patterns("*.cpp", "*.h"))
    (tests / "lit.site.cfg.py").write_text(SITE.format(root=str(root), config=str(config)))


def run(lit, root, **variables):
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    command = [lit, "-v", str(root / "test")]
    done = subprocess.run(command, env=environment | variables, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def main():
    lit = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        make_project(root)
        status, text = run(lit, root)
        assert status == 0 and "Unsupported: 1" in text, text
        status, text = run(lit, root, CI="1")
        assert status != 0, text
        expected = f"CI is set, but {root}/.venv/bin/python has no module 'numpy'"
        assert expected in text, text


main()
