// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Imports the graphs of a program: names become operands, calls nn ops.
#ifndef MPC_LIB_IMPORT_EXPORTED_GRAPHIMPORTER_H
#define MPC_LIB_IMPORT_EXPORTED_GRAPHIMPORTER_H

#include "lib/Import/Exported/OpTable.h"

namespace mpc::exported {

class GraphImporter {
public:
  /// `path` is what messages call the program.
  GraphImporter(const OpTable &table, TensorBuilder &build,
                llvm::StringRef path)
      : build(build), table_(table), path_(path) {}

  TensorBuilder &build;

  /// An error names the node, and of graphs in graphs the innermost. The reader
  /// of the program has bounded how deep they are nested.
  llvm::Error importGraph(const Graph &graph, Scope &scope);

  /// Ops that are built from here on are the node's.
  void locate(const Node &node);

  /// Under torch.autocast an op computes in the type that its result declares,
  /// whatever the types of its operands are.
  void setAutocast(bool isOn) { isAutocast_ = isOn; }
  [[nodiscard]] bool isAutocast() const { return isAutocast_; }

private:
  llvm::Error importNode(const Node &node, const Graph &graph, Scope &scope);
  llvm::Error importCall(const Node &node, const Graph &graph, Scope &scope);
  llvm::Error emit(Call &call, const OpRow &row);
  llvm::Error chooseType(Call &call, const OpRow &row) const;
  llvm::Error at(const Node &node, llvm::Error error);

  const OpTable &table_;
  llvm::StringRef path_;
  bool isAutocast_ = false;
  bool isErrorPlaced_ = false;
};

/// The names of all results, in order; those of None are empty.
std::vector<std::string> resultNames(const Node &node);

/// Gives the results of a node their names. Each must be what the graph
/// declares; one without a value has no name.
llvm::Error define(const Node &node, const Graph &graph,
                   llvm::ArrayRef<Operand> results, Scope &scope);

} // namespace mpc::exported

#endif // MPC_LIB_IMPORT_EXPORTED_GRAPHIMPORTER_H
