// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks through a program and the graphs in it.
#include "lib/Import/Exported/MissingOps.h"

#include "lib/Import/Exported/Regions.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace llvm;

namespace mpc::exported {

using Missing = std::map<std::string, std::vector<const Node *>>;

bool isCheck(const Node &node) {
  constexpr StringLiteral kChecks[] = {"_assert_tensor_metadata.default",
                                       "_assert_scalar.default",
                                       "_assert_async.msg"};
  return is_contained(kChecks, node.op());
}

/// The reader of the program bounds how deep graphs are nested.
static void collect(const Graph &graph, const OpTable &table,
                    Missing &missing) {
  for (const Node &node : graph.nodes) {
    for (const NamedArgument &input : node.inputs)
      if (input.value.graph)
        collect(*input.value.graph, table, missing);
    if (!findRegion(node.target) && !isCheck(node) && !table.find(node.op()))
      missing[node.op().str()].push_back(&node);
  }
}

/// "op (3x, first in module 'encoder', train.py:7)"
static std::string describe(StringRef op, ArrayRef<const Node *> nodes) {
  const Node &first = *nodes.front();
  std::string text = printable(op) + " (" + std::to_string(nodes.size()) + "x";
  if (!first.module.empty())
    text += ", first in module '" + printable(first.module) + "'";
  if (!first.source.empty())
    text += ", " + printable(first.source);
  return text + ")";
}

Error refuseMissingOps(const Program &program, const OpTable &table) {
  Missing missing;
  collect(program.graph, table, missing);
  if (missing.empty())
    return Error::success();
  std::string text;
  for (const auto &[op, nodes] : missing)
    text += (text.empty() ? "" : "; ") + describe(op, nodes);
  return invalidModel(program.path + ": ops that are not supported: " + text +
                      "; mpc-import --list-exported-ops prints those that are");
}

} // namespace mpc::exported
