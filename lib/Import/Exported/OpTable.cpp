// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins the families.
#include "lib/Import/Exported/OpTable.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace mpc::exported {

OpTable::OpTable() {
  for (ArrayRef<OpRow> family :
       {elementwiseRows(), indexingRows(), lossRows(), movementRows(),
        normalizationRows(), productRows(), randomRows(), recurrentRows(),
        reductionRows(), windowRows()})
    for (const OpRow &row : family) {
      [[maybe_unused]] bool isNew = rows_.try_emplace(row.op, &row).second;
      assert(isNew && "an op has two rows");
    }
}

std::optional<std::string> withoutWriting(StringRef op) {
  auto [name, overload] = op.split('.');
  if (!name.consume_back("_") || name.ends_with("_"))
    return std::nullopt;
  return (name + "." + overload).str();
}

const OpRow *OpTable::find(StringRef op) const {
  if (const OpRow *row = rows_.lookup(op))
    return row;
  std::optional<std::string> plain = withoutWriting(op);
  return plain ? rows_.lookup(*plain) : nullptr;
}

std::vector<StringRef> OpTable::ops() const {
  std::vector<StringRef> names(rows_.keys().begin(), rows_.keys().end());
  sort(names);
  return names;
}

} // namespace mpc::exported
