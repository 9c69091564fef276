# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Environments of Python with a wheel in them, made without a network."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
# What leads a process to files outside of its environment.
LEADS = ("LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV")


def run(*command, **options):
    """What it prints; a failure says all of it."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, (command, done.returncode, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout


class Environment:
    """A virtual environment in `folder`, of the interpreter `python`."""

    def __init__(self, folder, python=sys.executable):
        self.folder = folder
        run(python, "-m", "venv", "--without-pip", folder)
        self.site = next(folder.glob("lib/python*/site-packages"))

    def install(self, *packages, wheels=None):
        """Wheels, or names of such in the folder `wheels`."""
        found = [f"--find-links={wheels}"] if wheels else ["--no-deps"]
        run(sys.executable, "-m", "pip", "--python", self.folder / "bin/python", "install", "--quiet",
            "--disable-pip-version-check", "--no-compile", "--no-index", *found, *packages,
            env={name: value for name, value in os.environ.items() if name != "PIP_FIND_LINKS"})

    def run(self, name, *arguments):
        """A program of its bin, as a shell that activated it would."""
        clean = {key: value for key, value in os.environ.items() if key not in LEADS}
        clean |= {"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin", "MPC_CACHE_DIR": ""}
        return run(self.folder / "bin" / name, *arguments, cwd=self.folder, env=clean)
