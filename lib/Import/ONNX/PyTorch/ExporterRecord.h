// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What PyTorch's exporter writes beside the graph: which values are parameters
/// and buffers, and of which call a node is part.
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_EXPORTERRECORD_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_EXPORTERRECORD_H

#include "lib/Import/ONNX/Read/OnnxModel.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace mpc::onnx {

/// The module path in "['', 'net', 'net.0', 'linear']": the part before the
/// last.
std::string modulePath(llvm::StringRef scopes);

/// The call that a node comes from, as "%linear : call_function[target=
/// torch.ops.aten.linear.default](args = (%x, %p_a_weight, %p_a_bias), ...)".
class OriginalCall {
public:
  explicit OriginalCall(const Node &node) : text_(node.record.call) {}

  /// "aten.linear.default"; empty where the file does not say.
  llvm::StringRef target() const;
  /// "x", "p_a_weight" and "p_a_bias": the values that the call names, as often
  /// as it does. They are parts of the node's own text.
  llvm::SmallVector<llvm::StringRef> values() const;
  /// "a_weight" and "a_bias": the names of parameters, as the exporter writes
  /// them in calls.
  llvm::SmallVector<llvm::StringRef> parameters() const;
  /// Argument `index`, or the one called `name`, as it is written; empty
  /// without it. Lists in front of it count as their parts.
  llvm::StringRef argument(size_t index, llvm::StringRef name) const;
  /// The argument without a keyword that is the last for 1, and so on.
  llvm::StringRef argumentFromEnd(size_t index) const;
  /// The first where it is an integer.
  std::optional<int64_t> integer(size_t index, llvm::StringRef name) const;
  /// The first where it is a number.
  std::optional<double> number(size_t index, llvm::StringRef name) const;
  /// The last argument without a keyword, where it is an integer.
  std::optional<int64_t> lastInteger() const;

private:
  llvm::StringRef text_;
};

/// `name` as calls write it.
std::string nameInCalls(llvm::StringRef name);

/// The kinds of a graph's initializers, by their names.
class ExporterRecord {
public:
  enum class Kind { Parameter, Buffer, PassingBuffer, Other };

  explicit ExporterRecord(const Graph &graph);

  /// The file says of some value what it is.
  bool exists() const { return !kinds_.empty(); }
  std::optional<Kind> kindOf(llvm::StringRef name) const;
  /// A call reads a parameter of that name.
  bool isCalled(llvm::StringRef name) const {
    return called_.contains(nameInCalls(name));
  }
  /// Parameters that calls read and that are no initializers. None where no
  /// call names an initializer: the file has been renamed.
  std::vector<std::string> missing(const Graph &graph) const;
  /// Values that initializers of floats were computed of and that the graph
  /// has no more: parameters, buffers, and results in between.
  std::vector<std::string> foldedAway(const Graph &graph) const;

private:
  /// By initializer, as the file writes the list.
  llvm::StringMap<std::string> foldedFrom_;
  llvm::StringMap<Kind> kinds_;
  /// Names in calls, each with the first node of such a call.
  std::map<std::string, const Node *> called_;
};

/// The exporter makes one initializer of those whose bytes are equal. Gives
/// each the initializer back that its call names.
void separateMerged(Graph &graph);

/// Removes nodes of `call` that nothing reads.
void removeUnread(Graph &graph, const std::string &call);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_EXPORTERRECORD_H
