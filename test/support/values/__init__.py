# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of every nn op, computed by formulas in float64."""
