// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One ONNX node during its import, and the table of the functions that import
/// nodes.
#ifndef MPC_LIB_IMPORT_ONNX_OPS_NODEIMPORTER_H
#define MPC_LIB_IMPORT_ONNX_OPS_NODEIMPORTER_H

#include "lib/Import/Build/TensorBuilder.h"
#include "lib/Import/ImportError.h"
#include "lib/Import/ONNX/Ops/Forms.h"
#include "lib/Import/ONNX/Read/OnnxModel.h"
#include "llvm/ADT/Twine.h"

#include <deque>
#include <limits>

namespace mpc::onnx {

using namespace build;

/// The nn type of an element; null for one that nn does not have.
mlir::Type elementType(mlir::MLIRContext *context, ElemType type);
/// The ONNX type for a type of nn or null.
ElemType elementTypeOf(mlir::Type type);
/// ONNX's name for a type of nn.
std::string toString(mlir::Type type);

/// A tensor of the file as a constant, or an error that names its type.
llvm::Expected<Operand> constantOf(TensorBuilder &build, const Tensor &tensor);

class NodeImporter;

/// Imports one node. The checks of the rule's row (inputs present, attributes
/// known and of their type) have passed.
using Emitter = llvm::Error (*)(NodeImporter &node);

/// The rule of a version of an op.
struct OpRule {
  llvm::StringRef opType;
  /// The first opset of this signature, which is valid up to the op's next row.
  int64_t since;
  unsigned minInputs;
  unsigned maxInputs;
  unsigned maxOutputs;
  /// "axis:i perm:is": the names and kinds (i f s t g is fs) of known
  /// attributes.
  llvm::StringRef attributes;
  Emitter emit;
  /// The domain; empty for ai.onnx.
  llvm::StringRef domain = {};
  /// Whether inputs may be sequences; else all are tensors.
  bool takesSequences = false;
  /// "starts! ends! axes": attributes that are inputs in later versions, in the
  /// order of those inputs, after this version's inputs. A ! marks required
  /// ones. Emitters see them as inputs.
  llvm::StringRef asInputs = {};
};

constexpr unsigned kUnlimited = ~0u;

/// The rules of a family of ops.
llvm::ArrayRef<OpRule> argMaxRules();
llvm::ArrayRef<OpRule> attentionRules();
llvm::ArrayRef<OpRule> bitRules();
llvm::ArrayRef<OpRule> constantRules();
llvm::ArrayRef<OpRule> controlRules();
llvm::ArrayRef<OpRule> convolutionRules();
llvm::ArrayRef<OpRule> cumulativeRules();
llvm::ArrayRef<OpRule> determinantRules();
llvm::ArrayRef<OpRule> einsumRules();
llvm::ArrayRef<OpRule> elementwiseRules();
llvm::ArrayRef<OpRule> fourierRules();
llvm::ArrayRef<OpRule> gridRules();
llvm::ArrayRef<OpRule> indexingRules();
llvm::ArrayRef<OpRule> linearAttentionRules();
llvm::ArrayRef<OpRule> lossRules();
llvm::ArrayRef<OpRule> matrixProductRules();
llvm::ArrayRef<OpRule> movementRules();
llvm::ArrayRef<OpRule> normalizationRules();
llvm::ArrayRef<OpRule> optimizerRules();
llvm::ArrayRef<OpRule> quantizationRules();
llvm::ArrayRef<OpRule> randomRules();
llvm::ArrayRef<OpRule> recurrentRules();
llvm::ArrayRef<OpRule> reductionRules();
llvm::ArrayRef<OpRule> resizeRules();
llvm::ArrayRef<OpRule> roiAlignRules();
llvm::ArrayRef<OpRule> rotaryEmbeddingRules();
llvm::ArrayRef<OpRule> scatterRules();
llvm::ArrayRef<OpRule> sequenceRules();
llvm::ArrayRef<OpRule> sortingRules();
llvm::ArrayRef<OpRule> timeStepRules();
llvm::ArrayRef<OpRule> windowRules();

/// The rules of forms, by their names in place of op types.
llvm::ArrayRef<OpRule> embeddingBagForms();
llvm::ArrayRef<OpRule> functionForms();
llvm::ArrayRef<OpRule> identityForms();
llvm::ArrayRef<OpRule> maskForms();
llvm::ArrayRef<OpRule> quantizationForms();
llvm::ArrayRef<OpRule> randomForms();

/// The value of an ONNX name: a tensor or a sequence of tensors.
struct Entry {
  Operand tensor;
  bool isSequence = false;
  std::vector<Operand> sequence;
};

/// Imports the nodes of a subgraph in place, with `arguments` as its inputs,
/// and returns its outputs. `place` is a prefix of its nodes' names.
using GraphInliner = llvm::function_ref<llvm::Expected<std::vector<Entry>>(
    const Graph &graph, llvm::ArrayRef<Entry> arguments,
    const std::string &place)>;

/// A node as emitters see it: its operands, attributes and results.
class NodeImporter {
public:
  NodeImporter(const Node &node, int64_t opset, llvm::StringRef path,
               TensorBuilder &build)
      : build(build), node_(node), opset_(opset), path_(path) {}

  /// Builds the node's ops.
  TensorBuilder &build;

  const Node &node() const { return node_; }
  int64_t opset() const { return opset_; }
  /// A setting of Ops/Forms.h; empty where the node does not have it as a T.
  template <typename T>
  std::optional<T> setting(llvm::StringRef name) const {
    for (const auto &[known, value] : node_.settings)
      if (known == name)
        if (const T *found = std::get_if<T>(&value))
          return *found;
    return std::nullopt;
  }
  /// Whether the node has the flag `name`.
  bool isSet(llvm::StringRef name) const {
    return setting<int64_t>(name).value_or(0) != 0;
  }

  size_t numInputs() const { return inputs_.size(); }
  bool has(size_t index) const;
  /// Input `index`, which must be a tensor.
  const Operand &in(size_t index) const;
  const Entry &entry(size_t index) const { return *inputs_[index]; }
  /// All inputs, for a row without optional ones.
  llvm::SmallVector<Operand> allInputs() const;
  /// The integers of input `index`, which must be known at compile time.
  llvm::Expected<llvm::SmallVector<int64_t>> ints(size_t index,
                                                  llvm::StringRef what) const;
  /// The integer of input `index`, which must be known at compile time.
  llvm::Expected<int64_t> integer(size_t index, llvm::StringRef what) const;

  const Attribute *attribute(llvm::StringRef name) const;
  int64_t intAttr(llvm::StringRef name, int64_t otherwise) const;
  double floatAttr(llvm::StringRef name, double otherwise) const;
  /// A finite float attribute from 0 to `most`.
  llvm::Expected<double>
  nonNegativeAttr(llvm::StringRef name, double otherwise,
                  double most = std::numeric_limits<float>::max()) const;
  llvm::StringRef stringAttr(llvm::StringRef name,
                             llvm::StringRef otherwise) const;
  std::optional<llvm::ArrayRef<int64_t>> intsAttr(llvm::StringRef name) const;
  /// The integers of attribute `name`: `count` numbers in [least, 2^31).
  /// Without the attribute each is `otherwise`.
  llvm::Expected<llvm::SmallVector<int64_t>> sizesAttr(llvm::StringRef name,
                                                       size_t count,
                                                       int64_t otherwise,
                                                       int64_t least) const;

  /// A tensor of an attribute.
  llvm::Expected<Operand> constantOf(const Tensor &tensor) const {
    return onnx::constantOf(build, tensor);
  }
  /// The numbers of an attribute as a constant: float or int64, a scalar or a
  /// vector.
  llvm::Expected<Operand> numbersOf(const Attribute &attribute) const;

  /// The element type that the integer `name` stands for, which nn must have.
  llvm::Expected<mlir::Type> elementTypeAttr(llvm::StringRef name) const;

  /// Whether the file names output `index`.
  bool wants(size_t index) const;
  size_t numOutputs() const { return node_.outputs.size(); }
  void result(size_t index, Operand operand);
  void result(size_t index, Entry entry);
  void resultSequence(std::vector<Operand> operands, size_t index = 0);

  /// Imports the graph in attribute `name` in place of the node. `part`
  /// distinguishes several copies of it in the names of nodes.
  llvm::Expected<std::vector<Entry>>
  inlineGraph(llvm::StringRef name, llvm::ArrayRef<Entry> arguments,
              const llvm::Twine &part = "") const;
  /// Fails where the graph in attribute `graph` has fewer than `expected`
  /// outputs; `found` is their number.
  llvm::Error checkResults(llvm::StringRef graph, size_t found,
                           size_t expected) const;

  /// "FILE: node 'n' (Op, opset 20): message".
  llvm::Error fail(const llvm::Twine &message) const;
  /// `error`, or the error in `value`, with the prefix of fail().
  llvm::Error placed(llvm::Error error) const;
  template <typename T>
  llvm::Expected<T> placed(llvm::Expected<T> value) const {
    if (!value)
      return placed(value.takeError());
    return value;
  }
  void note(const llvm::Twine &message);
  void warn(const llvm::Twine &message);

  /// `axis` as a number in [0, rank). A negative axis counts from the end.
  llvm::Expected<int64_t> axis(int64_t axis, int64_t rank) const;
  llvm::Expected<llvm::SmallVector<int64_t>> axes(llvm::ArrayRef<int64_t> axes,
                                                  int64_t rank) const;
  /// Fails where a tensor of `shape` is larger than memory can be.
  llvm::Error checkSize(llvm::ArrayRef<int64_t> shape) const;
  llvm::Error requireFloat(size_t index) const;
  /// Fails unless input `index` is a tensor of integers.
  llvm::Error requireIndices(size_t index) const;
  llvm::Error requireSameType(size_t index, size_t other) const;
  llvm::Error requireNumbers(size_t index) const;
  llvm::Error requireIntegers(size_t index) const;
  /// All inputs, broadcast to one shape. They must have one type.
  llvm::Expected<llvm::SmallVector<Operand>> unifiedInputs() const;
  /// Broadcasts operands to their common shape.
  llvm::Error unify(llvm::MutableArrayRef<Operand> operands) const;
  /// A constant of `values`; fails where the file's constants get too large.
  template <typename T>
  llvm::Expected<Operand> constant(mlir::Type type,
                                   llvm::ArrayRef<int64_t> shape,
                                   llvm::ArrayRef<T> values) const {
    return placed(build.fromValues(type, shape, values));
  }
  /// `operand`, broadcast by numpy's rule to exactly `shape`.
  llvm::Expected<Operand> broadcastTo(const Operand &operand,
                                      llvm::ArrayRef<int64_t> shape,
                                      llvm::StringRef what) const;

private:
  friend class GraphImporter;

  llvm::Error readAsInputs(const OpRule &rule);
  llvm::Expected<Operand> constantOf(const Attribute &attribute) const;

  const Node &node_;
  int64_t opset_;
  llvm::StringRef path_;
  /// The prefix of the node's name in a subgraph.
  std::string place_;
  GraphInliner inliner_;
  /// The inputs; null where an optional one is missing.
  llvm::SmallVector<const Entry *> inputs_;
  /// The inputs that the file has as attributes.
  std::deque<Entry> fromAttributes_;
  llvm::SmallVector<std::optional<Entry>> results_;
  std::vector<std::string> notes_;
  std::vector<std::string> warnings_;
};

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_OPS_NODEIMPORTER_H
