#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sets up, then runs the whole test suite. Arguments go to ctest:
#   scripts/test.sh -R e2e
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/scripts/setup.sh"
exec ctest --test-dir "$root/build" --output-on-failure --parallel "$(nproc)" \
  --no-tests=error "$@"
