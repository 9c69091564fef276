// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of other systems' autocast lists.
#include "passes/NN/ReferenceRules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

using namespace llvm;
using namespace mpc::nn;

static constexpr char kTable[] =
#include "passes/NN/AutocastOps.inc"
    ;

/// Only the last column, the note, may hold quotes or commas of its own.
static ReferenceRow parseRow(StringRef line) {
  SmallVector<StringRef, 8> cells;
  line.split(cells, ',', /*MaxSplit=*/6);
  cells.resize(6);
  return {cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]};
}

static std::vector<ReferenceRow> parseTable() {
  SmallVector<StringRef> lines;
  StringRef(kTable).split(lines, '\n', -1, /*KeepEmpty=*/false);
  std::vector<ReferenceRow> rows;
  for (StringRef line : ArrayRef(lines).drop_front())
    rows.push_back(parseRow(line.trim('\r')));
  return rows;
}

ArrayRef<ReferenceRow> mpc::nn::referenceRows() {
  static const std::vector<ReferenceRow> kRows = parseTable();
  return kRows;
}

const ReferenceRow *mpc::nn::findReferenceRow(StringRef aten) {
  if (aten.empty())
    return nullptr;
  const ReferenceRow *row = llvm::find_if(
      referenceRows(), [&](const ReferenceRow &r) { return r.aten == aten; });
  return row == referenceRows().end() ? nullptr : row;
}
