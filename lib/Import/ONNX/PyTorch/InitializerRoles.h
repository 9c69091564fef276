// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Decides which initializers are parameters, by one table of rules: the first
/// that matches decides.
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_INITIALIZERROLES_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_INITIALIZERROLES_H

#include "lib/Import/Model.h"
#include "lib/Import/ONNX/PyTorch/ExporterRecord.h"
#include "llvm/ADT/StringMap.h"

namespace mpc::onnx {

/// The readers and the maker of each name in a graph, and the exporter's
/// record.
class GraphUses {
public:
  struct Use {
    const Node *node;
    size_t input;
  };

  explicit GraphUses(const Graph &graph);

  llvm::ArrayRef<Use> usesOf(llvm::StringRef name) const;
  const Node *producerOf(llvm::StringRef name) const;
  bool isOutput(llvm::StringRef name) const;
  const ExporterRecord &record() const { return record_; }
  /// The modules whose nodes read `name`; a node's name where it has no module.
  std::vector<std::string> readersOf(llvm::StringRef name) const;
  /// The further names of parameter `name` in the model: one for each other
  /// module that reads it as its own.
  std::vector<std::string> otherNamesOf(llvm::StringRef name) const;

private:
  void add(const Graph &graph);

  ExporterRecord record_;
  llvm::StringMap<std::vector<Use>> uses_;
  llvm::StringMap<const Node *> producers_;
  llvm::StringMap<bool> outputs_;
};

struct Role {
  RoleKind kind;
  /// The rule in words.
  llvm::StringRef rule;
};

/// The role of `tensor` by the table.
Role roleOf(const Tensor &tensor, const GraphUses &uses);

/// The roles of a file's initializers by the table, in the file's order.
std::vector<InitializerRole> listInitializers(const Model &model,
                                              const GraphUses &uses);

/// Replaces roles of the table by those of `flags`. Fails where a flag names no
/// initializer, or makes a parameter of a tensor that is no float.
llvm::Error overrideRoles(const Model &model, const RoleFlags &flags,
                          std::vector<InitializerRole> &roles);

/// The losses for a training that the exporter caused: weights without names,
/// normalizations multiplied into convolutions, parameters that are missing.
/// One line for each kind of loss.
std::vector<std::string> findLosses(const Graph &graph, const GraphUses &uses);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_INITIALIZERROLES_H
