// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the forward and the backward op of attention have in common.
#ifndef MPC_DIALECTS_KERNEL_ATTENTIONINTERFACE_TD
#define MPC_DIALECTS_KERNEL_ATTENTIONINTERFACE_TD

include "mlir/IR/OpBase.td"

def Kernel_AttentionInterface : OpInterface<"AttentionOpInterface"> {
  let cppNamespace = "::mpc::kernel";
  let description = [{
    `kernel.attention` and its gradient: rows of queries that weigh keys. Both
    compute the same logits, from the same operands and attributes.
  }];
  let methods = [
    InterfaceMethod<"Extents, in the order of AttentionSizes.",
      "::llvm::ArrayRef<int64_t>", "getSizes", (ins)>,
    InterfaceMethod<"One map for each operand.",
      "::mlir::ArrayAttr", "getIndexingMaps", (ins)>,
    InterfaceMethod<"Replaces the maps.",
      "void", "setIndexingMapsAttr", (ins "::mlir::ArrayAttr":$maps)>,
    InterfaceMethod<"What scores are multiplied by.",
      "::llvm::APFloat", "getScale", (ins)>,
    InterfaceMethod<"The bound of scaled scores, or none.",
      "::std::optional<::llvm::APFloat>", "getSoftcap", (ins)>,
    InterfaceMethod<"Whether query i sees the keys j <= i alone.",
      "bool", "getCausal", (ins)>,
    InterfaceMethod<"Where given, a query sees keys with i - j < window alone.",
      "::std::optional<uint64_t>", "getWindow", (ins)>,
    InterfaceMethod<"[batch, head, query, depth].",
      "::mlir::OpOperand &", "getQueryMutable", (ins)>,
    InterfaceMethod<"[batch, group, key, depth].",
      "::mlir::OpOperand &", "getKeyMutable", (ins)>,
    InterfaceMethod<"[batch, group, key, width].",
      "::mlir::OpOperand &", "getValueMutable", (ins)>,
    InterfaceMethod<"[batch, head, query, key], or empty.",
      "::mlir::MutableOperandRange", "getMaskMutable", (ins)>,
    InterfaceMethod<"The ratio of weights that are dropped, or none.",
      "::std::optional<::llvm::APFloat>", "getDropout", (ins)>,
    InterfaceMethod<"What dropout draws by: key, counter, batch; or empty.",
      "::mlir::MutableOperandRange", "getRandomMutable", (ins)>,
  ];
}

#endif // MPC_DIALECTS_KERNEL_ATTENTIONINTERFACE_TD
