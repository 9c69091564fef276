// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole nn dialect, for its documentation page. C++ is generated from each
// included file separately, so that a header contains only its own part.
#ifndef MPC_DIALECTS_NN_NN_TD
#define MPC_DIALECTS_NN_NN_TD

include "dialects/NN/NNOps.td"
include "dialects/NN/NNAttentionOps.td"
include "dialects/NN/NNRandomOps.td"

#endif // MPC_DIALECTS_NN_NN_TD
