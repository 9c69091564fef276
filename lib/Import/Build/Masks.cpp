// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the element of a source for each place where a mask is true.
#include "lib/Import/Build/Masks.h"

using namespace llvm;

namespace mpc::build {

namespace {

/// A mask over data that, along the last axes, selects all elements or none:
/// rows.
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

  Operand mask; ///< One element for each row.
  Shape row;
};

} // namespace

/// Whether one row is written to all rows of the mask: x[mask] = value.
static bool isRepeated(const Operand &source, ArrayRef<int64_t> row) {
  ArrayRef<int64_t> given = source.shape;
  while (!given.empty() && given.front() == 1)
    given = given.drop_front();
  return given.size() <= row.size() &&
         all_of(zip(given, row.take_back(given.size())), [](auto sizes) {
           auto [size, wanted] = sizes;
           return size == 1 || size == wanted;
         });
}

/// A row of `source` for each row of the mask: the first row goes to the first
/// that is true. Empty where the source does not consist of rows.
static std::optional<Operand> inOrder(TensorBuilder &b, const Operand &source,
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

Operand writtenToMask(TensorBuilder &b, const Operand &data,
                      const Operand &mask, const Operand &source,
                      bool repeats) {
  RowMask of(b, mask, data.shape);
  if (repeats && isRepeated(source, of.row))
    return b.broadcastTo(source, data.shape);
  if (auto rows = inOrder(b, source, of))
    return b.reshape(*rows, data.shape);
  return data;
}

} // namespace mpc::build
