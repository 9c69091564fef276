// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of shapes, and their text.
#include "lib/Import/Shape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace llvm;

namespace mpc {

std::optional<int64_t> countElements(ArrayRef<int64_t> shape) {
  // The most elements. Elements of at most 8 bytes then have a size in bytes,
  // too.
  constexpr int64_t kMost = int64_t(1) << 56;
  int64_t count = 1;
  bool empty = is_contained(shape, 0);
  for (int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    // The other axes of an empty tensor must be within bounds, too.
    std::optional<int64_t> product =
        checkedMul<int64_t>(count, size == 0 ? 1 : size);
    if (!product || *product > kMost)
      return std::nullopt;
    count = *product;
  }
  return empty ? 0 : count;
}

std::string shapeText(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  return join(
      map_range(shape, [](int64_t size) { return std::to_string(size); }), "x");
}

} // namespace mpc
