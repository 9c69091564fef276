// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Forms that select by a mask, or write to where one is true.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// A mask over data, of which it has, at the last axes, all or nothing: rows.
struct RowMask {
  RowMask(TensorBuilder &b, const Operand &given, ArrayRef<int64_t> shape) {
    Shape aligned(shape.size() - given.shape.size(), 1);
    append_range(aligned, given.shape);
    size_t outer = shape.size();
    while (outer > 0 && aligned[outer - 1] == 1)
      --outer;
    row = Shape(shape.drop_front(outer));
    ArrayRef<int64_t> rows = shape.take_front(outer);
    mask = b.broadcastTo(b.reshape(given, ArrayRef(aligned).take_front(outer)),
                         rows);
    mask = b.reshape(mask, {countElements(rows).value_or(0)});
  }

  Operand mask; ///< One element a row.
  Shape row;
};

/// Whether one row is written to all that the mask has: x[mask] = value.
bool isRepeated(const NodeImporter &node, const Operand &source,
                ArrayRef<int64_t> row) {
  if (!node.isSet(setting::kRepeats))
    return false;
  ArrayRef<int64_t> given = source.shape;
  while (!given.empty() && given.front() == 1)
    given = given.drop_front();
  return given.size() <= row.size() &&
         all_of(zip(given, row.take_back(given.size())), [](auto sizes) {
           auto [size, wanted] = sizes;
           return size == 1 || size == wanted;
         });
}

/// A row of `source` for each of the mask: the first for the first that is
/// true. Nothing where the source would do for no row.
std::optional<Operand> inOrder(TensorBuilder &b, const Operand &source,
                               const RowMask &of) {
  int64_t elements = countElements(source.shape).value_or(0);
  int64_t inner = countElements(of.row).value_or(0);
  int64_t given = inner == 0 ? 0 : elements / inner;
  if (given == 0)
    return std::nullopt;
  Operand flat =
      b.sliceAxis(b.reshape(source, {elements}), 0, 0, given * inner);
  Operand counts = b.scan(Binary::Add, b.cast(of.mask, b.i64()), 0);
  return b.gather(b.reshape(flat, {given, inner}),
                  b.binary(Binary::Sub, counts, 1.0), 0);
}

/// Elements where the mask is true come from the source, in order, the others
/// from the data.
Error emitMaskWrite(NodeImporter &node) {
  MPC_TRY(node.requireSameType(2, 0));
  TensorBuilder &b = node.build;
  const Operand &data = node.in(0), &source = node.in(2);
  Operand mask = b.cast(node.in(1), b.i1());
  MPC_TRY_ASSIGN(Operand isWritten,
                 node.broadcastTo(mask, data.shape, "the mask"));
  RowMask of(b, mask, data.shape);
  Operand written = data;
  if (isRepeated(node, source, of.row))
    written = b.broadcastTo(source, data.shape);
  else if (auto rows = inOrder(b, source, of))
    written = b.reshape(*rows, data.shape);
  // index_put(accumulate=True).
  if (node.stringAttr("reduction", "none") == "add")
    written = b.binary(Binary::Add, data, written);
  node.result(0, b.select(isWritten, written, data));
  return Error::success();
}

/// The mask is one of the first axes.
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

const OpRule kForms[] = {
    {form::kMaskSelect, 1, 2, 3, 1, "", emitMaskSelection},
    {form::kMaskWrite, 11, 3, 3, 1, "", emitMaskWrite},
    {form::kMaskWrite, 16, 3, 3, 1, "reduction:s", emitMaskWrite},
};

} // namespace

ArrayRef<OpRule> maskForms() { return kForms; }

} // namespace mpc::onnx
