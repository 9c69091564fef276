// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX ops that write to places named by indices.
#include "lib/Import/ONNX/Ops/Places.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/ImportError.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// Whether each place gets the mean. The form without the data has a second
/// node, after one that writes zeros.
bool isMean(const NodeImporter &node, bool includesData) {
  bool preparesPlaces = !includesData && node.in(2).splatValue() == 0.0;
  return node.isSet(setting::kMean) && !preparesPlaces;
}

/// Combines slices of the data and of the updates as the node says.
Expected<Operand> joinedAt(NodeImporter &node, const Operand &data,
                           const Operand &updates, const Flattened &at) {
  TensorBuilder &b = node.build;
  bool includesData = !node.isSet(setting::kExcludesData);
  if (!data.isBool() && isMean(node, includesData))
    return meansAt(b, data, updates, at, includesData);
  StringRef reduction = node.stringAttr("reduction", "none");
  if (reduction == "none")
    return replaced(b, data, updates, at);
  if (data.isBool())
    return node.fail("reduction '" + printable(reduction) + "' of " +
                     toString(data.type) + " is not supported");
  if (auto kind = nn::symbolizeScatterKind(reduction))
    return b.fold(nn::ScatterReduceOp::create(b.builder(), b.location(), *kind,
                                              data.value, updates.value,
                                              at.places.value));
  if (reduction != "add")
    return node.fail("attribute 'reduction' is '" + printable(reduction) +
                     "', expected none, add, mul, max or min");
  Operand sums = sumsAt(b, b.wide(updates), at);
  return b.cast(b.binary(Binary::Add, b.wide(data), sums), data.type);
}

Error emitScatter(NodeImporter &node, const Flattened &at) {
  MPC_TRY(node.requireSameType(2, 0));
  const Operand &data = node.in(0), &updates = node.in(2);
  TensorBuilder &b = node.build;
  int64_t count = product(at.places.shape);
  if (product(updates.shape) != count * at.inner)
    return node.fail("the updates are " + shapeText(updates.shape) +
                     ", the indices name " + Twine(count) + " places of " +
                     Twine(at.inner) + " elements");
  bool isAssigned = node.stringAttr("reduction", "none") == "none" &&
                    !isMean(node, true) && !isMean(node, false);
  if (isAssigned)
    if (auto whole = assignedBox(b, data, updates, at)) {
      node.result(0, *whole);
      return Error::success();
    }
  Operand slices = b.reshape(data, {at.count, at.inner});
  Operand writes = b.reshape(updates, {count, at.inner});
  Flattened flat{b.reshape(at.places, {count}), at.count, at.inner, at.axes};
  MPC_TRY_ASSIGN(Operand joined, joinedAt(node, slices, writes, flat));
  node.result(0, b.reshape(joined, data.shape));
  return Error::success();
}

Error emitScatterElements(NodeImporter &node) {
  MPC_TRY(node.requireIndices(1));
  if (node.in(1).shape != node.in(2).shape)
    return node.fail("the indices are " + shapeText(node.in(1).shape) +
                     ", the updates " + shapeText(node.in(2).shape));
  if (product(node.in(1).shape) == 0) {
    node.result(0, node.in(0));
    return Error::success();
  }
  MPC_TRY_ASSIGN(Flattened at,
                 placesOfElements(node, node.in(0).shape, node.in(1)));
  return emitScatter(node, at);
}

Error emitScatterND(NodeImporter &node) {
  MPC_TRY(node.requireIndices(1));
  if (product(node.in(2).shape) == 0) {
    node.result(0, node.in(0));
    return Error::success();
  }
  MPC_TRY_ASSIGN(Flattened at,
                 placesOfRows(node, node.in(0).shape, node.in(1)));
  return emitScatter(node, at);
}

} // namespace

ArrayRef<OpRule> scatterRules() {
  static const OpRule rules[] = {
      {"Scatter", 9, 3, 3, 1, "axis:i", emitScatterElements},
      {"ScatterElements", 11, 3, 3, 1, "axis:i", emitScatterElements},
      {"ScatterElements", 16, 3, 3, 1, "axis:i reduction:s",
       emitScatterElements},
      {"ScatterND", 11, 3, 3, 1, "", emitScatterND},
      {"ScatterND", 16, 3, 3, 1, "reduction:s", emitScatterND},
  };
  return rules;
}

} // namespace mpc::onnx
