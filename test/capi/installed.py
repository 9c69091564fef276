#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs the runtime into a folder and builds examples/embed against that alone.

    python installed.py --source=DIR --build=DIR --cmake=CMAKE --c=CC --cxx=CXX [--keep=DIR]

Once by find_package and once by pkg-config, of a tree that was moved after it was installed.
The programs must start, and say what is wrong with a file that is no program. --keep puts
them there (DIR/train-c, DIR/train-cpp), with the installed tree in DIR/installed.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def run(*command, **environment):
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def install(arguments, folder):
    first, moved = folder / "first", folder / "installed"
    run(arguments.cmake, "--install", arguments.build, "--component", "runtime", "--prefix", first)
    first.rename(moved)
    return moved


def build_by_cmake(arguments, prefix, folder):
    flags = os.environ.get("CFLAGS", "")
    configure = [arguments.cmake, "-G", "Ninja", "-S", arguments.source / "examples/embed"]
    configure += ["-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release"]
    configure += [f"-DCMAKE_C_COMPILER={arguments.c}", f"-DCMAKE_CXX_COMPILER={arguments.cxx}"]
    for language in ("C", "CXX"):
        configure.append(f"-DCMAKE_{language}_FLAGS=-Wall -Wextra -Werror {flags}")
    run(*configure)
    run(arguments.cmake, "--build", folder)
    return [folder / "train-c", folder / "train-cpp"]


def build_by_pkg_config(arguments, prefix, folder):
    pkg_config = shutil.which("pkg-config") or shutil.which("pkgconf")
    if not pkg_config:
        print("no pkg-config here: not tried")
        return []
    files = next(prefix.rglob("mpc-runtime.pc")).parent
    asked = [pkg_config, "--cflags", "--libs", "mpc-runtime"]
    flags = run(*asked, PKG_CONFIG_PATH=str(files)).split()
    program = folder / "by-pkg-config"
    source = arguments.source / "examples/embed/train.c"
    library = next(prefix.rglob("libmpc-runtime.so")).parent
    run(arguments.c, "-std=c11", source, "-o", program, *flags, f"-Wl,-rpath,{library}")
    return [program]


def check(program, folder):
    (folder / "none.mpc").write_text("x" * 100)
    command = [program, folder / "none.mpc", folder, "1", "0.1", folder / "run"]
    done = subprocess.run(command, capture_output=True, text=True)
    expected = "none.mpc: is not a program file: it does not begin as one"
    assert done.returncode == 1 and expected in done.stderr, (program, done)
    assert subprocess.run([program], capture_output=True).returncode == 2


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("source", "build", "keep"):
        parser.add_argument(f"--{name}", type=pathlib.Path)
    for name in ("cmake", "c", "cxx"):
        parser.add_argument(f"--{name}")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or pathlib.Path(scratch)
        prefix = install(arguments, folder)
        public = {path.name for path in prefix.rglob("*") if path.suffix == ".h"}
        ours = {path.name for path in (arguments.source / "include").rglob("*.h")}
        assert public == ours, public ^ ours
        programs = build_by_cmake(arguments, prefix, folder / "build")
        if not arguments.keep:
            programs += build_by_pkg_config(arguments, prefix, folder)
        for program in programs:
            check(program, pathlib.Path(scratch))
            if arguments.keep:
                shutil.copy(program, arguments.keep)
    print("built against the installed tree:", ", ".join(path.name for path in programs))


if __name__ == "__main__":
    sys.exit(main())
