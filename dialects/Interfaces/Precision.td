// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The precisions that a user may ask for.
#ifndef MPC_DIALECTS_INTERFACES_PRECISION_TD
#define MPC_DIALECTS_INTERFACES_PRECISION_TD

include "mlir/IR/EnumAttr.td"

def MPC_Precision : I32EnumAttr<"Precision", "what a user calls a precision", [
    I32EnumAttrCase<"FP32", 0, "fp32">, I32EnumAttrCase<"BF16", 1, "bf16">,
    I32EnumAttrCase<"FP16", 2, "fp16">]> {
  let cppNamespace = "::mpc";
}

#endif // MPC_DIALECTS_INTERFACES_PRECISION_TD
