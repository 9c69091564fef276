// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choices of a recipe.
#ifndef MPC_DIALECTS_AMP_AMPRECIPEENUMS_TD
#define MPC_DIALECTS_AMP_AMPRECIPEENUMS_TD

include "mlir/IR/EnumAttr.td"

def AMP_ClipKind : I32EnumAttr<"ClipKind", "what clipping bounds", [
    I32EnumAttrCase<"GlobalNorm", 0, "global_norm">,
    I32EnumAttrCase<"Norm", 1, "norm">,
    I32EnumAttrCase<"Value", 2, "value">]> {
  let cppNamespace = "::mpc::amp";
}

#endif // MPC_DIALECTS_AMP_AMPRECIPEENUMS_TD
