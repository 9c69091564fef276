// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks through a program and the graphs in it.
#include "lib/Import/Exported/MissingOps.h"

#include "lib/Import/Exported/Regions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <map>

using namespace llvm;

namespace mpc::exported {

using Missing = std::map<std::string, std::vector<const Node *>>;

/// Whether the node computes nothing: a check that the exporter wrote down.
static bool isCheck(const Node &node) {
  constexpr StringLiteral kChecks[] = {
      "_assert_tensor_metadata.default", "_assert_scalar.default",
      "_assert_async.default", "_assert_async.msg"};
  return is_contained(kChecks, node.op());
}

bool isKnown(const Node &node, const OpTable &table) {
  return findRegion(node.target) || isCheck(node) || table.find(node.op());
}

using Names = llvm::StringSet<>;

static void insertNames(const Argument &argument, Names &names) {
  names.insert_range(argument.names);
  names.insert_range(argument.symbols);
}

static bool hasOne(const Argument &argument, const Names &names) {
  auto isOne = [&](const std::string &name) { return names.contains(name); };
  return any_of(argument.names, isOne) || any_of(argument.symbols, isOne);
}

/// The nodes whose results nothing reads but checks and one another. Regions
/// and what writes to a tensor are not among them.
static llvm::DenseSet<const Node *> findUnread(const Graph &graph) {
  Names read;
  for (const Argument &output : graph.outputs)
    insertNames(output, read);
  llvm::DenseSet<const Node *> unread;
  for (const Node &node : reverse(graph.nodes)) {
    auto isRead = [&](const Argument &result) { return hasOne(result, read); };
    if (isCheck(node) || (!findRegion(node.target) && !writtenTensor(node) &&
                          none_of(node.outputs, isRead))) {
      unread.insert(&node);
      continue;
    }
    for (const NamedArgument &input : node.inputs)
      insertNames(input.value, read);
  }
  return unread;
}

llvm::DenseSet<const Node *> findPassedOver(const Graph &graph,
                                            const OpTable &table) {
  llvm::DenseSet<const Node *> passed;
  Names lost;
  for (const Node &node : llvm::make_filter_range(
           graph.nodes, [unread = findUnread(graph)](const Node &node) {
             return unread.contains(&node);
           })) {
    bool readsLost = any_of(node.inputs, [&](const NamedArgument &input) {
      return hasOne(input.value, lost);
    });
    if (!isCheck(node) && !readsLost && isKnown(node, table))
      continue;
    passed.insert(&node);
    for (const Argument &result : node.outputs)
      insertNames(result, lost);
  }
  return passed;
}

/// The reader of the program bounds how deep graphs are nested.
static void collect(const Graph &graph, const OpTable &table,
                    Missing &missing) {
  llvm::DenseSet<const Node *> passed = findPassedOver(graph, table);
  for (const Node &node : graph.nodes) {
    for (const NamedArgument &input : node.inputs)
      if (input.value.graph)
        collect(*input.value.graph, table, missing);
    if (!passed.contains(&node) && !isKnown(node, table))
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
