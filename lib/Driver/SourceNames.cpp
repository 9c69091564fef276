// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names nodes after the text from which they were parsed.
#include "lib/Driver/SourceNames.h"

#include "dialects/Interfaces/NodeNames.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mpc;

/// "h" for "%h"; empty where the result is numbered.
static StringRef resultName(const AsmParserState::OperationDefinition &op) {
  if (op.resultGroups.empty())
    return {};
  SMRange range = op.resultGroups.front().definition.loc;
  if (!range.isValid())
    return {};
  const char *begin = range.Start.getPointer();
  StringRef name(begin, range.End.getPointer() - begin);
  name.consume_front("%");
  return !name.empty() && llvm::isDigit(name.front()) ? StringRef() : name;
}

static std::string nameByPlace(Operation *op) {
  auto place = dyn_cast<FileLineColLoc>(op->getLoc());
  if (!place)
    return {};
  return (op->getName().stripDialect() + ":" + Twine(place.getLine())).str();
}

namespace {

struct Unnamed {
  Operation *op;
  func::FuncOp function;
  std::string name;
};

} // namespace

void mpc::nameNodes(ModuleOp module, const AsmParserState &text) {
  SmallVector<Unnamed> ops;
  // The model that has a node of each name, null where there are several. Ops
  // of a step itself are no nodes of a model: no flag names them.
  llvm::StringMap<func::FuncOp> owners;
  for (const AsmParserState::OperationDefinition &definition :
       text.getOpDefs()) {
    Operation *op = definition.op;
    auto function = op->getParentOfType<func::FuncOp>();
    if (!function || op->getNumResults() == 0)
      continue;
    StringRef name = getNodeName(op->getLoc());
    if (name.empty())
      ops.push_back({op, function, resultName(definition).str()});
    if (name.empty())
      name = ops.back().name;
    if (!function.isPrivate())
      continue;
    auto [owner, isNew] = owners.try_emplace(name, function);
    if (!isNew && owner->second != function)
      owner->second = {};
  }
  for (Unnamed &unnamed : ops) {
    std::string &name = unnamed.name;
    if (name.empty())
      name = nameByPlace(unnamed.op);
    else if (!owners.lookup(name) && unnamed.function.isPrivate())
      name = unnamed.function.getName().str() + "." + name;
    if (!name.empty())
      unnamed.op->setLoc(NameLoc::get(
          StringAttr::get(module.getContext(), name), unnamed.op->getLoc()));
  }
}
