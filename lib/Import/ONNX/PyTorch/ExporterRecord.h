// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The record that PyTorch's exporter writes beside the graph: which values are
/// parameters and buffers, and to which call a node belongs.
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_EXPORTERRECORD_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_EXPORTERRECORD_H

#include "lib/Import/ONNX/Read/OnnxModel.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace mpc::onnx {

/// The module path in "['', 'net', 'net.0', 'linear']": the part before the
/// last one.
std::string modulePath(llvm::StringRef scopes);

/// The call from which a node was exported, as "%linear : call_function[target=
/// torch.ops.aten.linear.default](args = (%x, %p_a_weight, %p_a_bias), ...)".
class OriginalCall {
public:
  explicit OriginalCall(const Node &node) : text_(node.record.call) {}

  /// "aten.linear.default"; empty where the file does not say.
  llvm::StringRef target() const;
  /// "x", "p_a_weight" and "p_a_bias": the values that the call names, once for
  /// each use. They are parts of the node's own text.
  llvm::SmallVector<llvm::StringRef> values() const;
  /// "a_weight" and "a_bias": the names of parameters in the exporter's calls.
  llvm::SmallVector<llvm::StringRef> parameters() const;
  /// Argument `index`, or the one called `name`, as it is written; empty where
  /// it is missing. A list before it counts as its parts.
  llvm::StringRef argument(size_t index, llvm::StringRef name) const;
  /// The last argument without a keyword for 1, the one before it for 2, and so
  /// on.
  llvm::StringRef argumentFromEnd(size_t index) const;
  /// argument(), if it is an integer.
  std::optional<int64_t> integer(size_t index, llvm::StringRef name) const;
  /// argument(), if it is a number.
  std::optional<double> number(size_t index, llvm::StringRef name) const;
  /// The last argument without a keyword, if it is an integer.
  std::optional<int64_t> lastInteger() const;

private:
  llvm::StringRef text_;
};

/// The spelling of `name` in calls.
std::string nameInCalls(llvm::StringRef name);

/// The kinds of a graph's initializers, by their names.
class ExporterRecord {
public:
  enum class Kind { Parameter, Buffer, PassingBuffer, Other };

  explicit ExporterRecord(const Graph &graph);

  /// Whether the file records the kind of any value.
  bool exists() const { return !kinds_.empty(); }
  std::optional<Kind> kindOf(llvm::StringRef name) const;
  /// A call reads a parameter of that name.
  bool isCalled(llvm::StringRef name) const {
    return called_.contains(nameInCalls(name));
  }
  /// The parameters that calls read and that are no initializers. Empty where
  /// no call names an initializer: the file's values were then renamed.
  std::vector<std::string> missing(const Graph &graph) const;
  /// Values from which initializers of floats were computed, and that the graph
  /// no longer has: parameters, buffers, and intermediate results.
  std::vector<std::string> foldedAway(const Graph &graph) const;

private:
  /// The list of these values by initializer, as in the file.
  llvm::StringMap<std::string> foldedFrom_;
  llvm::StringMap<Kind> kinds_;
  /// The names in calls, each with the first node of such a call.
  std::map<std::string, const Node *> called_;
};

/// The exporter merges initializers with equal bytes. This function gives each
/// reader the initializer that its call names.
void separateMerged(Graph &graph);

/// Removes nodes of `call` without readers.
void removeUnread(Graph &graph, const std::string &call);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_EXPORTERRECORD_H
