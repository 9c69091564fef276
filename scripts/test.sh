#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sets up with assertions on, into build-dev/, then runs the whole test suite.
# Arguments go to ctest:
#   scripts/test.sh -R e2e
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/setup.sh --preset=dev
exec ctest --preset dev --parallel "$(nproc)" "$@"
