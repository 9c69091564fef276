#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Renders all pages as a site to browse, out/docs/index.html: the written ones,
# and those that are made of TableGen, of --help and of the tools' tables.
set -euo pipefail

usage() {
  cat <<'END'
usage: scripts/docs.sh [--preset=NAME]

  --preset=NAME  asks the tools of this build: release (default), dev or asan
END
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=release
for argument in "$@"; do
  case $argument in
    --preset=release | --preset=dev | --preset=asan) preset=${argument#*=} ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done
build=build
[[ $preset == release ]] || build=build-$preset

scripts/setup.sh --preset="$preset" --docs
python3 scripts/generate_docs.py --build="$build"
python3 -B test/doc_links.py . docs/generated
.venv/bin/python -m sphinx -q -W --keep-going -c docs . out/docs
printf 'docs: out/docs/index.html\n' >&2
