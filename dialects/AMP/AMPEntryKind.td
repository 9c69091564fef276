// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The purposes of a program's entries.
#ifndef MPC_DIALECTS_AMP_AMPENTRYKIND_TD
#define MPC_DIALECTS_AMP_AMPENTRYKIND_TD

include "mlir/IR/EnumAttr.td"

def AMP_EntryKind : I32EnumAttr<"EntryKind", "What an entry is for", [
    I32EnumAttrCase<"Other", 0, "other">,
    I32EnumAttrCase<"Init", 1, "init">,
    I32EnumAttrCase<"Eval", 2, "eval">,
    I32EnumAttrCase<"Step", 3, "step">,
    I32EnumAttrCase<"Accumulate", 4, "accumulate">,
    I32EnumAttrCase<"Apply", 5, "apply">,
    I32EnumAttrCase<"Measure", 6, "measure">]> {
  let cppNamespace = "::mpc::amp";
  let genSpecializedAttr = 0;
}

#endif // MPC_DIALECTS_AMP_AMPENTRYKIND_TD
