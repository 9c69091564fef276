// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// nn.attention and its gradient. They have a header of their own, since few
/// files need them.
#ifndef MPC_DIALECTS_NN_ATTENTION_H
#define MPC_DIALECTS_NN_ATTENTION_H

#include "dialects/NN/Random.h"

#define GET_OP_CLASSES
#include "dialects/NN/NNAttentionOps.h.inc"

#endif // MPC_DIALECTS_NN_ATTENTION_H
