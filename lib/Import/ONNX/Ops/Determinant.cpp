// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's Det.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/Build/Determinant.h"
#include "lib/Import/ImportError.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// The largest matrix. Each step takes some fifteen ops.
constexpr int64_t kLargestMatrix = 128;

Error emitDet(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  const Operand &input = node.in(0);
  int64_t size = input.rank() < 2 ? 0 : input.shape.back();
  if (size < 1 || input.shape[input.rank() - 2] != size ||
      size > kLargestMatrix)
    return node.fail("the input is " + shapeText(input.shape) +
                     ", expected square matrices of at most " +
                     Twine(kLargestMatrix) + " rows");
  node.result(0, determinant(node.build, input));
  return Error::success();
}

} // namespace

ArrayRef<OpRule> determinantRules() {
  static const OpRule rules[] = {
      {"Det", 11, 1, 1, 1, "", emitDet},
  };
  return rules;
}

} // namespace mpc::onnx
