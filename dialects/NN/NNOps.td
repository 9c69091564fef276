// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of the nn dialect, one file for each family. The random ops are
// apart, in NNRandomOps.td, and attention in NNAttentionOps.td. An entry is an op's whole declaration; its methods
// are in Ops/<Family>.cpp.
#ifndef MPC_DIALECTS_NN_NNOPS_TD
#define MPC_DIALECTS_NN_NNOPS_TD

include "dialects/NN/NNStructureOps.td"
include "dialects/NN/NNElementwiseOps.td"
include "dialects/NN/NNIntegerOps.td"
include "dialects/NN/NNMovementOps.td"
include "dialects/NN/NNIndexingOps.td"
include "dialects/NN/NNReductionOps.td"
include "dialects/NN/NNContractionOps.td"
include "dialects/NN/NNWindowOps.td"
include "dialects/NN/NNNormalizationOps.td"

#endif // MPC_DIALECTS_NN_NNOPS_TD
