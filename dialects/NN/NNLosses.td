// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The enums of losses. The losses themselves are in Losses.cpp.
#ifndef MPC_DIALECTS_NN_NNLOSSES_TD
#define MPC_DIALECTS_NN_NNLOSSES_TD

include "mlir/IR/EnumAttr.td"

def NN_LossReduction : I32EnumAttr<"LossReduction", "how losses become one", [
    I32EnumAttrCase<"Mean", 0, "mean">,
    I32EnumAttrCase<"Sum", 1, "sum">,
    I32EnumAttrCase<"BatchMean", 2, "batchmean">]> {
  let cppNamespace = "::mpc::nn";
}

#endif // MPC_DIALECTS_NN_NNLOSSES_TD
