// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which initializers are parameters: one table of rules, the first that
/// matches decides.
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_INITIALIZERROLES_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_INITIALIZERROLES_H

#include "lib/Import/Model.h"
#include "lib/Import/ONNX/PyTorch/ExporterRecord.h"
#include "llvm/ADT/StringMap.h"

namespace mpc::onnx {

/// Who reads and who makes each name of a graph, and what its exporter says.
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
  /// The further names that parameter `name` has in the model: that of each
  /// other module that reads it as its own.
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

/// Puts what `flags` say over what the table says. Fails where a flag names no
/// initializer, or trains what is no float.
llvm::Error overrideRoles(const Model &model, const RoleFlags &flags,
                          std::vector<InitializerRole> &roles);

/// What the exporter took from a model that is to be trained: weights without
/// names, normalizations multiplied into convolutions, parameters that are
/// gone. One line for each kind of loss.
std::vector<std::string> findLosses(const Graph &graph, const GraphUses &uses);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_INITIALIZERROLES_H
