// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole amp dialect, of which its page is made. C++ is made of each file
// that is named here by itself, so that a header has what it is for.
#ifndef MPC_DIALECTS_AMP_AMP_TD
#define MPC_DIALECTS_AMP_AMP_TD

include "dialects/AMP/AMPOps.td"
include "dialects/AMP/AMPRandomState.td"
include "dialects/AMP/AMPRecipe.td"

#endif // MPC_DIALECTS_AMP_AMP_TD
