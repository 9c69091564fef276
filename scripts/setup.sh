#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what is missing on a Debian 12 machine, then configures and builds
# into build/, or into the folder of another preset. Does nothing, and says
# nothing, when all is there. A folder that --demo began is one that a later run
# without it completes.
set -euo pipefail

usage() {
  cat <<'END'
usage: scripts/setup.sh [--preset=NAME] [--runtime-only] [--demo] [--docs] [--no-build]

  --preset=NAME   release, into build/ (default); dev, with assertions, into
                  build-dev/; asan, with sanitizers, into build-asan/
  --runtime-only  only what runs compiled programs: no LLVM, no MLIR, no Python
  --demo          only what scripts/demo.sh runs, and the text that it trains on
  --docs          also what scripts/docs.sh renders pages with
  --no-build      install and configure, but build nothing
END
}

readonly environment_error=3
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'setup: %s\n' "$*" >&2; }
die() { say "error: $*"; exit "$environment_error"; }

# Runs a command, and shows what it printed only if it fails.
quietly() {
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    return 1
  fi
}

read_arguments() {
  preset=release
  build_compiler=ON
  build=yes
  demo=no
  docs=no
  for argument in "$@"; do
    case $argument in
      --preset=release | --preset=dev | --preset=asan) preset=${argument#*=} ;;
      --runtime-only) build_compiler=OFF ;;
      --demo) demo=yes ;;
      --docs) docs=yes ;;
      --no-build) build=no ;;
      -h | --help) usage; exit 0 ;;
      *) usage >&2; exit 2 ;;
    esac
  done
  if [[ $build_compiler == OFF && $preset != release ]]; then
    say "error: --runtime-only and --preset exclude each other"
    usage >&2
    exit 2
  fi
  folder=build
  [[ $preset == release ]] || folder=build-$preset
  log=$folder/setup.log
}

# Debian's LLVM packages carry their version, so compiler and runtime may not
# be what `cc` is on this machine. MLIR's shared library needs no other -dev.
wanted_packages() {
  echo cmake ninja-build python3 libfmt-dev nlohmann-json3-dev libcli11-dev \
    libxxhash-dev libgtest-dev zlib1g-dev openmpi-bin libopenmpi-dev
  [[ $demo == no ]] || echo bible-kjv
  [[ $preset != asan ]] || echo libclang-rt-22-dev
  if [[ $build_compiler == ON ]]; then
    echo clang-22 clang-format-22 lld-22 llvm-22-dev llvm-22-tools libmlir-22-dev \
      mlir-22-tools libprotozero-dev libbenchmark-dev python3-venv python3-dev \
      python3-psutil
  elif ! command -v clang++-22 >/dev/null && ! command -v g++ >/dev/null; then
    echo g++
  fi
}

missing_packages() {
  local installed package
  installed=" $(dpkg-query -W -f '${Package}=${db:Status-Status} ' 2>/dev/null)"
  for package in $(wanted_packages); do
    [[ $installed == *" $package=installed "* ]] || echo "$package"
  done
}

as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif [[ -t 0 ]]; then
    sudo "$@"
  else
    sudo --non-interactive "$@"
  fi
}

apt() {
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -o DPkg::Lock::Timeout=300 "$@"
}

install_packages() {
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
    die "this is not Debian or a relative of it (no apt-get): install the" \
      "counterparts of these packages and build with cmake --preset $preset:" \
      "$(wanted_packages | tr '\n' ' ')"
  local missing
  mapfile -t missing < <(missing_packages)
  [[ ${#missing[@]} -gt 0 ]] || return 0
  [[ $(id -u) == 0 ]] || command -v sudo >/dev/null ||
    die "no permission to install packages (not root, no sudo); as root:" \
      "apt-get update && apt-get install ${missing[*]}"
  say "installing ${missing[*]}"
  quietly apt update || say "apt-get update failed; going on with the old index"
  quietly apt install --yes --no-install-recommends "${missing[@]}" ||
    die "could not install ${missing[*]} (needs Debian 12 and permission)"
}

# Installs a file of requirements into .venv unless the last one was the same.
install_requirements() {
  local stamp=.venv/$1
  cmp -s "scripts/$1" "$stamp" && return 0
  quietly .venv/bin/python -m pip install --quiet \
    --disable-pip-version-check --requirement "scripts/$1" || return 1
  cp "scripts/$1" "$stamp"
}

# The test of the wheel installs it where no network is.
download_numpy() {
  local numpy
  numpy=$(grep '^numpy==' scripts/requirements.txt)
  compgen -G ".venv/wheels/numpy-${numpy#*==}-*.whl" >/dev/null && return 0
  quietly .venv/bin/python -m pip download --quiet --disable-pip-version-check \
    --no-deps --only-binary=:all: --dest=.venv/wheels "$numpy"
}

make_venv() {
  if [[ ! -x .venv/bin/python ]]; then
    say "making the Python environment .venv"
    quietly python3 -m venv .venv || die "could not make .venv"
  fi
  install_requirements requirements.txt ||
    die "could not install scripts/requirements.txt into .venv"
  [[ $demo == yes ]] || install_requirements requirements-cuda.txt ||
    say "could not install scripts/requirements-cuda.txt: its tests are skipped"
  install_requirements requirements-python.txt ||
    say "could not install scripts/requirements-python.txt: no Python package"
  [[ $demo == yes ]] || download_numpy ||
    say "could not download NumPy's wheel: the test of mpc's wheel is skipped"
  [[ $docs == no ]] || install_requirements requirements-docs.txt ||
    die "could not install scripts/requirements-docs.txt into .venv"
}

configured() {
  [[ -f $folder/build.ninja ]] &&
    grep -qx "MPC_BUILD_COMPILER:BOOL=$build_compiler" "$folder/CMakeCache.txt"
}

# A folder that is configured already keeps the compiler that it has.
configure() {
  configured && return 0
  local flags=("-DMPC_BUILD_COMPILER=$build_compiler")
  if [[ ! -f $folder/CMakeCache.txt ]]; then
    if [[ $build_compiler == ON ]]; then
      flags+=("--preset=$preset")
    else
      flags+=(--preset=runtime-only)
    fi
    # What is built once is compiled together: see CMakeLists.txt.
    if [[ ${CI:-} == true && $build_compiler == ON ]]; then
      flags+=(-DMPC_COMPILE_TOGETHER=ON -DMPC_PRECOMPILE_DIALECTS=ON)
    fi
    if command -v ccache >/dev/null; then
      flags+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache
        -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    fi
  fi
  say "configuring $folder/"
  quietly cmake -S . -B "$folder" "${flags[@]}" || die "cmake failed"
}

build() {
  local plan steps targets=()
  [[ $demo == no ]] || targets=(mpc-train mpc-eval)
  plan=$(ninja -C "$folder" -n "${targets[@]}") ||
    die "$folder/ is damaged: remove it, run again"
  steps=$(grep -c '^\[' <<<"$plan") || return 0
  say "building $steps steps"
  if [[ -t 2 ]]; then
    ninja -C "$folder" "${targets[@]}" >&2
  else
    ninja -C "$folder" --quiet "${targets[@]}" >&2
  fi || { say "error: the build failed"; exit 1; }
}

main() {
  read_arguments "$@"
  mkdir -p "$folder"
  install_packages
  if [[ $build_compiler == ON ]]; then
    make_venv
  fi
  configure
  if [[ $build == yes ]]; then
    build
  fi
}

main "$@"
