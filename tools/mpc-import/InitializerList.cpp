// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Prints a table of a file's initializers.
#include "tools/mpc-import/InitializerList.h"

#include "runtime/Support/Text.h"

#include <algorithm>
#include <array>

namespace mpc {

static std::string shapeOf(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i == 0 ? "" : "x") + std::to_string(shape[i]);
  return text + "]";
}

/// "; tied: embed, head" where several modules read it.
static std::string tiesOf(const InitializerRole &initializer) {
  std::string text;
  if (initializer.readers.size() > 1)
    for (const std::string &reader : initializer.readers)
      text += (text.empty() ? "; tied: " : ", ") + rt::escape(reader);
  return text;
}

std::string listInitializers(const std::vector<InitializerRole> &initializers) {
  std::vector<std::array<std::string, 5>> rows;
  std::array<size_t, 5> widths{};
  for (const InitializerRole &initializer : initializers) {
    rows.push_back({rt::escape(initializer.name), shapeOf(initializer.shape),
                    initializer.elementType, toString(initializer.kind).str(),
                    initializer.rule + tiesOf(initializer)});
    for (size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], rows.back()[i].size());
  }
  std::string text;
  for (const auto &row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i)
      text += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    text += row.back() + "\n";
  }
  return text;
}

} // namespace mpc
