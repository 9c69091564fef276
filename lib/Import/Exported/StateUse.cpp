// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows writes to the tensors that they reach.
#include "lib/Import/Exported/StateUse.h"

#include "lib/Import/Exported/GraphImporter.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace mpc::exported {

namespace {

/// Arguments that hold running statistics, which the step updates.
constexpr StringLiteral kStatistics[] = {"running_mean", "running_var"};

/// What each name of a graph may show elements of: an input of the program.
using Roots = StringMap<std::string>;

class UseFinder {
public:
  explicit UseFinder(const OpTable &table) : table_(table) {}

  StateUse found;

  void visit(const Graph &graph, Roots &roots);

private:
  void visitGraphsOf(const Node &node, Roots &roots);
  void visitStatistics(const Node &node, const Roots &roots);
  void visitCall(const Node &node, Roots &roots);

  const OpTable &table_;
};

/// Of the argument that a result may show.
std::string rootOf(const Node &node, const Roots &roots) {
  for (const NamedArgument &input : node.inputs)
    if (input.value.kind == Argument::Kind::Tensor)
      return roots.lookup(input.value.names.front());
  return {};
}

void UseFinder::visitStatistics(const Node &node, const Roots &roots) {
  for (const NamedArgument &input : node.inputs) {
    if (!is_contained(kStatistics, input.name) || input.value.names.empty())
      continue;
    std::string root = roots.lookup(input.value.names.front());
    if (!root.empty())
      found.statistics.insert(root);
  }
}

void UseFinder::visitCall(const Node &node, Roots &roots) {
  const OpRow *row = table_.find(node.op());
  std::optional<StringRef> target = writtenTensor(node);
  std::string root = target ? roots.lookup(*target) : rootOf(node, roots);
  if (root.empty() || (!target && (!row || row->sharing == Sharing::Nothing)))
    return;
  if (target)
    found.written.insert(root);
  for (const std::string &name : resultNames(node))
    roots[name] = root;
}

/// The inputs of each graph are, from the last on, the last tensors of the
/// node.
void UseFinder::visitGraphsOf(const Node &node, Roots &roots) {
  std::vector<std::string> tensors;
  for (const NamedArgument &input : node.inputs)
    append_range(tensors, input.value.names);
  for (const NamedArgument &input : node.inputs) {
    const Graph *graph = input.value.graph.get();
    if (!graph || graph->inputs.size() > tensors.size())
      continue;
    Roots inner;
    for (auto [place, argument] :
         zip(graph->inputs, ArrayRef(tensors).take_back(graph->inputs.size())))
      for (const std::string &name : place.names)
        inner[name] = roots.lookup(argument);
    visit(*graph, inner);
    for (auto [name, output] : zip(resultNames(node), graph->outputs))
      for (const std::string &inside : output.names)
        roots[name] = inner.lookup(inside);
  }
}

void UseFinder::visit(const Graph &graph, Roots &roots) {
  for (const Node &node : graph.nodes) {
    visitGraphsOf(node, roots);
    visitStatistics(node, roots);
    visitCall(node, roots);
  }
}

} // namespace

StateUse findStateUse(const Graph &graph, const OpTable &table) {
  Roots roots;
  for (const Argument &input : graph.inputs)
    for (const std::string &name : input.names)
      roots[name] = name;
  UseFinder finder(table);
  finder.visit(graph, roots);
  return std::move(finder.found);
}

} // namespace mpc::exported
