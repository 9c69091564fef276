// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole amp dialect, for its documentation page. C++ is generated from each
// included file separately, so that a header contains only its own part.
#ifndef MPC_DIALECTS_AMP_AMP_TD
#define MPC_DIALECTS_AMP_AMP_TD

include "dialects/AMP/AMPOps.td"
include "dialects/AMP/AMPRandomState.td"
include "dialects/AMP/AMPRecipe.td"

#endif // MPC_DIALECTS_AMP_AMP_TD
