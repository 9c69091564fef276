// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's Einsum.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/Build/Einsum.h"
#include "lib/Import/ImportError.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

Error emitEinsum(NodeImporter &node) {
  std::string equation = node.stringAttr("equation", "").str();
  llvm::erase(equation, ' ');
  Einsum einsum(node.build, equation);
  MPC_TRY(node.placed(einsum.checkCount(node.numInputs())));
  for (size_t index = 0; index < node.numInputs(); ++index) {
    MPC_TRY(node.requireFloat(index));
    MPC_TRY(node.requireSameType(index, 0));
    MPC_TRY(node.placed(einsum.add(node.in(index))));
  }
  MPC_TRY_ASSIGN(Operand result, node.placed(einsum.result()));
  MPC_TRY(node.checkSize(result.shape));
  node.result(0, result);
  return Error::success();
}

} // namespace

ArrayRef<OpRule> einsumRules() {
  static const OpRule rules[] = {
      {"Einsum", 12, 1, kUnlimited, 1, "equation:s", emitEinsum},
  };
  return rules;
}

} // namespace mpc::onnx
