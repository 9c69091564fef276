#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs the runtime into a folder and builds examples/embed against that alone.

    python installed.py --build=DIR [--keep=DIR] [--compiler]

Once by find_package and once by pkg-config, of a tree that was moved after it was installed.
The programs must start, and say what is wrong with a file that is no program. --keep puts
them there (DIR/train-c, DIR/train-cpp), with the installed tree in DIR/installed. --compiler also
installs libmpc-compiler, and builds what links it (DIR/build-cpp).
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def run(*command, **environment):
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def settings_of(build):
    """What the build was configured with."""
    lines = (build / "CMakeCache.txt").read_text().splitlines()
    pairs = (line.partition("=") for line in lines if ":" in line.partition("=")[0])
    return {name.partition(":")[0]: value for name, _, value in pairs}


def install(build, settings, folder, components):
    first, moved = folder / "first", folder / "installed"
    for component in components:
        command = [settings["CMAKE_COMMAND"], "--install", build, "--component", component]
        run(*command, "--prefix", first)
    first.rename(moved)
    return moved


def build_by_cmake(settings, prefix, folder):
    configure = [settings["CMAKE_COMMAND"], "-G", "Ninja", "-S", SOURCE / "examples/embed"]
    configure += ["-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release"]
    for language in ("C", "CXX"):
        configure.append(f"-DCMAKE_{language}_COMPILER={settings[f'CMAKE_{language}_COMPILER']}")
        flags = settings.get(f"CMAKE_{language}_FLAGS", "")
        configure.append(f"-DCMAKE_{language}_FLAGS=-Wall -Wextra -Werror {flags}")
    run(*configure)
    run(settings["CMAKE_COMMAND"], "--build", folder)
    names = ["train-c", "train-cpp", "build-cpp"]
    return [folder / name for name in names if (folder / name).exists()]


def build_by_pkg_config(settings, prefix, folder):
    pkg_config = shutil.which("pkg-config") or shutil.which("pkgconf")
    if not pkg_config:
        print("no pkg-config here: not tried")
        return []
    files = next(prefix.rglob("mpc-runtime.pc")).parent
    asked = [pkg_config, "--cflags", "--libs", "mpc-runtime"]
    flags = run(*asked, PKG_CONFIG_PATH=str(files)).split()
    program, source = folder / "by-pkg-config", SOURCE / "examples/embed/train.c"
    library = next(prefix.rglob("libmpc-runtime.so")).parent
    compiler = [settings["CMAKE_C_COMPILER"], *settings.get("CMAKE_C_FLAGS", "").split()]
    run(*compiler, "-std=c11", source, "-o", program, *flags, f"-Wl,-rpath,{library}")
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
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--compiler", action="store_true")
    arguments = parser.parse_args()
    settings = settings_of(arguments.build)
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or pathlib.Path(scratch)
        components = ["runtime", *(["compiler"] if arguments.compiler else [])]
        prefix = install(arguments.build, settings, folder, components)
        public = {path.name for path in prefix.rglob("*.h")}
        ours = {path.name for path in (SOURCE / "include").rglob("*.h")}
        assert public == ours, public ^ ours
        programs = build_by_cmake(settings, prefix, folder / "build")
        if not arguments.keep:
            programs += build_by_pkg_config(settings, prefix, folder)
        assert any(path.name == "build-cpp" for path in programs) == arguments.compiler, programs
        for program in programs:
            if program.name != "build-cpp":
                check(program, pathlib.Path(scratch))
            if arguments.keep:
                shutil.copy(program, arguments.keep)
    print("built against the installed tree:", ", ".join(path.name for path in programs))


if __name__ == "__main__":
    sys.exit(main())
