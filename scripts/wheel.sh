#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Packs compiler, runtime, tools and the Python package into one wheel, with LLVM
# and all else that they load, for machines where nothing of it is installed.
set -euo pipefail

usage() {
  cat <<'END'
usage: scripts/wheel.sh [--preset=NAME] [--build=FOLDER] [--python=PROGRAM]
                        [--level=N] [-o FOLDER]

  --preset=NAME     packs this build, which it completes: release (default), or
                    dev, with assertions
  --build=FOLDER    packs this build as it stands, and completes none
  --python=PROGRAM  the Python that the wheel is for (default: that of .venv). Of
                    3.12 or later the wheel serves all later ones too. pip fetches
                    what builds the modules for it
  --level=N         compression, from 1 (fast) to 9 (small); default: 6
  -o FOLDER         where the wheel goes (default: out/wheel)

Prints the wheel's path. `pip install` takes it on an x86-64 Linux with the glibc
of this machine or a later one.
END
}

readonly environment_error=3
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly root
readonly own_python=$root/.venv/bin/python

say() { printf 'wheel: %s\n' "$*" >&2; }
die() { say "error: $*"; exit "$environment_error"; }
wrong_usage() { say "error: $*"; usage >&2; exit 2; }

# Runs a command, and shows what it printed only if it fails.
quietly() {
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    return 1
  fi
}

read_arguments() {
  preset=release
  build=
  python=$own_python
  level=6
  out=$root/out/wheel
  while [[ $# -gt 0 ]]; do
    case $1 in
      --preset=release | --preset=dev) preset=${1#*=} ;;
      --preset=*) wrong_usage "no preset '${1#*=}' to pack; there are release and dev" ;;
      --build=?*) build=${1#*=} ;;
      --python=?*) python=${1#*=} ;;
      --level=[1-9]) level=${1#*=} ;;
      --level=*) wrong_usage "--level is a number from 1 to 9" ;;
      -o) [[ $# -gt 1 ]] || wrong_usage "-o needs a folder"; out=$2; shift ;;
      -h | --help) usage; exit 0 ;;
      *) wrong_usage "no argument '$1'" ;;
    esac
    shift
  done
}

find_build() {
  if [[ -z $build ]]; then
    "$root/scripts/setup.sh" --preset="$preset"
    build=$root/build
    [[ $preset == release ]] || build+=-$preset
  fi
  [[ -f $build/CMakeCache.txt ]] ||
    die "'$build' is no build: run scripts/setup.sh, or leave --build out"
  build=$(cd "$build" && pwd)
  [[ $(cached MPC_BUILD_COMPILER) == ON && $(cached CMAKE_CXX_FLAGS) != *fsanitize* ]] ||
    die "'$build' has no compiler, or sanitizers, which no Python can load: give" \
      "--build the folder of a release or a dev build"
  work=$build/wheel
  log=$work/wheel.log
  mkdir -p "$work"
}

# What the build's folder was configured with.
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

check_tools() {
  command -v "$python" >/dev/null ||
    die "no Python '$python': name one that is installed by --python"
  "$own_python" -c "import auditwheel, nanobind, scikit_build_core" 2>/dev/null ||
    die "no auditwheel, nanobind or scikit-build-core in .venv: run scripts/setup.sh" \
      "where packages can be had"
}

# The tools and libraries as an embedder gets them, without the build's paths.
install_build() {
  rm -rf "$work/mpc"
  quietly cmake --install "$build" --prefix "$work/mpc" --strip ||
    die "'$build' is not built to the end: run scripts/setup.sh"
  # They load this machine's MPI, which a wheel does not bring.
  rm -f "$work"/mpc/lib/mpc/mpc-mpi-*.so
}

# Files of others that something here loads, but for those that PEP 600 lets a
# wheel expect of every Linux.
find_foreign_libraries() {
  ldd "$work"/mpc/bin/* "$work"/mpc/lib/*.so "$work"/mpc/lib/mpc/*.so |
    awk '$2 == "=>" && $3 ~ "^/" { print $3 }' | grep -v "^$work/" |
    grep -vE '/lib(c|m|z|gcc_s|stdc\+\+)\.so' | sort -u
}

# Their terms, as Debian's packages have them. A package may list a file below
# /lib that lies below /usr/lib.
copy_licenses() {
  local library package
  rm -rf "$work/licenses"
  mkdir "$work/licenses"
  find_foreign_libraries >"$work/libraries"
  while read -r library; do
    library=$(realpath "$library")
    package=$(dpkg-query -S "*${library#/usr}" | sed -n '1s/:.*//p') ||
      die "no package has $library, so that its license is not known"
    cp "/usr/share/doc/$package/copyright" "$work/licenses/$package.txt"
  done <"$work/libraries"
}

# The package as a wheel whose libraries are still those of this machine.
make_wheel() {
  local define=--config-settings=cmake.define isolation=()
  [[ $python != "$own_python" ]] || isolation=(--no-build-isolation)
  rm -rf "$work/linked"
  quietly "$own_python" -m pip --python="$python" wheel "$root" --no-deps \
    "${isolation[@]}" --disable-pip-version-check --wheel-dir="$work/linked" \
    "--config-settings=build-dir=$work/{wheel_tag}" \
    "$define.CMAKE_PREFIX_PATH=$work/mpc" \
    "$define.CMAKE_CXX_COMPILER=$(cached CMAKE_CXX_COMPILER)" \
    "$define.CMAKE_CXX_COMPILER_LAUNCHER=$(cached CMAKE_CXX_COMPILER_LAUNCHER)" \
    "$define.MPC_WHEEL_PREFIX=$work/mpc" \
    "$define.MPC_WHEEL_LICENSES=$work/licenses" ||
    die "the modules could not be built for $python"
}

# The libraries go in, and the tag says which glibc all of it needs.
complete_wheel() {
  rm -rf "$work/complete"
  PATH=$root/.venv/bin:$PATH quietly "$own_python" -m auditwheel repair \
    --zip-compression-level="$level" --wheel-dir="$work/complete" \
    "$work"/linked/*.whl ||
    die "the libraries could not be put into the wheel"
  mkdir -p "$out"
  wheel=$(basename "$work"/complete/*.whl)
  mv "$work/complete/$wheel" "$out"
  wheel=$out/$wheel
}

report() {
  local sizes
  sizes=$("$own_python" - "$wheel" <<'END'
import os, sys, zipfile
unpacked = sum(file.file_size for file in zipfile.ZipFile(sys.argv[1]).infolist())
print(f"{os.path.getsize(sys.argv[1]) / 1e6:.0f} MB, installed {unpacked / 1e6:.0f} MB")
END
  )
  say "$sizes; install it by: pip install '$wheel'"
  say "and with what training a module of PyTorch needs by: pip install '${wheel}[torch]'"
  printf '%s\n' "$wheel"
}

read_arguments "$@"
find_build
check_tools
install_build
copy_licenses
make_wheel
complete_wheel
report
