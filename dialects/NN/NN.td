// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole nn dialect, of which its page is made. C++ is made of each file
// that is named here by itself, so that a header has what it is for.
#ifndef MPC_DIALECTS_NN_NN_TD
#define MPC_DIALECTS_NN_NN_TD

include "dialects/NN/NNOps.td"
include "dialects/NN/NNRandomOps.td"

#endif // MPC_DIALECTS_NN_NN_TD
