// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Forms that select by a mask, or write to places where a mask is true.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/Build/Masks.h"
#include "lib/Import/ImportError.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// Takes elements from the source, in order, where the mask is true, and from
/// the data elsewhere.
Error emitMaskWrite(NodeImporter &node) {
  MPC_TRY(node.requireSameType(2, 0));
  TensorBuilder &b = node.build;
  const Operand &data = node.in(0), &source = node.in(2);
  Operand mask = b.cast(node.in(1), b.i1());
  MPC_TRY_ASSIGN(Operand isWritten,
                 node.broadcastTo(mask, data.shape, "the mask"));
  Operand written =
      writtenToMask(b, data, mask, source, node.isSet(setting::kRepeats));
  // This is index_put(accumulate=True).
  if (node.stringAttr("reduction", "none") == "add")
    written = b.binary(Binary::Add, data, written);
  node.result(0, b.select(isWritten, written, data));
  return Error::success();
}

/// The mask is over the first axes.
Error emitMaskSelection(NodeImporter &node) {
  TensorBuilder &b = node.build;
  Operand mask = b.cast(node.in(0), b.i1()), value = node.in(1);
  const Shape shape = node.has(2) ? node.in(2).shape : value.shape;
  Shape aligned = mask.shape;
  aligned.resize(std::max(aligned.size(), shape.size()), 1);
  MPC_TRY_ASSIGN(mask,
                 node.broadcastTo(b.reshape(mask, aligned), shape, "the mask"));
  MPC_TRY_ASSIGN(value, node.broadcastTo(value, shape, "what is written"));
  Operand otherwise = b.splatLike(value, 1);
  if (node.has(2)) {
    MPC_TRY(node.requireSameType(2, 1));
    otherwise = node.in(2);
  }
  node.result(0, b.select(mask, value, otherwise));
  return Error::success();
}

} // namespace

ArrayRef<OpRule> maskForms() {
  static const OpRule forms[] = {
      {form::kMaskSelect, 1, 2, 3, 1, "", emitMaskSelection},
      {form::kMaskWrite, 11, 3, 3, 1, "", emitMaskWrite},
      {form::kMaskWrite, 16, 3, 3, 1, "reduction:s", emitMaskWrite},
  };
  return forms;
}

} // namespace mpc::onnx
