#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds with the sanitizers of addresses and undefined behaviour, into
# build-asan/, runs the whole suite, then damages files of every kind.
set -euo pipefail

usage() {
  cat <<'END'
usage: scripts/sanitize.sh [--seconds=N] [--seed=N] [FLAG...]

  --seconds=N  how long files are damaged and read (default: 300); 0: not at all
  --seed=N     which damages (default: 1)
  FLAG         a further flag of ctest (-R REGEX)
END
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=300
seed=1
flags=()
for argument in "$@"; do
  case $argument in
    --seconds=*) seconds=${argument#*=} ;;
    --seed=*) seed=${argument#*=} ;;
    -h | --help) usage; exit 0 ;;
    *) flags+=("$argument") ;;
  esac
done

scripts/setup.sh --preset=asan
status=0
ctest --preset asan --parallel "$(nproc)" "${flags[@]}" || status=$?
if [[ $seconds != 0 ]]; then
  # Memory that a file asks for and the machine has not is refused, not a fault.
  ASAN_OPTIONS=allow_user_poisoning=0:detect_container_overflow=0:allocator_may_return_null=1 \
    .venv/bin/python -B test/damage.py build-asan/bin --seconds="$seconds" \
    --seed="$seed" --keep=build-asan/damage || status=$?
fi
exit "$status"
