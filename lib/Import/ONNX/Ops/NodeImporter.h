// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One ONNX node while it is imported, and the table that says which function
/// imports it.
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

/// The nn type of an element, or null for one that nn does not have.
mlir::Type elementType(mlir::MLIRContext *context, ElemType type);
/// The inverse, for the types of nn and null.
ElemType elementTypeOf(mlir::Type type);
/// A type of nn by ONNX's word for it.
std::string toString(mlir::Type type);

/// A file's tensor, or an error that names its type.
llvm::Expected<Operand> constantOf(TensorBuilder &build, const Tensor &tensor);

class NodeImporter;

/// Imports one node. What the rule's row says (inputs present, attributes known
/// and of their type) has been checked.
using Emitter = llvm::Error (*)(NodeImporter &node);

/// How a version of an op is imported.
struct OpRule {
  llvm::StringRef opType;
  /// First opset of this signature; it holds until the op's next row.
  int64_t since;
  unsigned minInputs;
  unsigned maxInputs;
  unsigned maxOutputs;
  /// "axis:i perm:is": names and kinds (i f s t g is fs) of known attributes.
  llvm::StringRef attributes;
  Emitter emit;
  /// "" is ai.onnx.
  llvm::StringRef domain = {};
  /// Inputs may be sequences; else they are tensors.
  bool takesSequences = false;
  /// "starts! ends! axes": attributes that later versions take as inputs, in
  /// their order behind the inputs of this one, and which must be there. To the
  /// emitter they are inputs.
  llvm::StringRef asInputs = {};
};

constexpr unsigned kUnlimited = ~0u;

/// The rules of one family of ops.
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

/// What an ONNX name stands for: a tensor or a sequence of tensors.
struct Entry {
  Operand tensor;
  bool isSequence = false;
  std::vector<Operand> sequence;
};

/// Imports the nodes of a subgraph, whose inputs are `arguments`, in place;
/// gives its outputs. `place` stands before the names of its nodes.
using GraphInliner = llvm::function_ref<llvm::Expected<std::vector<Entry>>(
    const Graph &graph, llvm::ArrayRef<Entry> arguments,
    const std::string &place)>;

/// A node's view of the graph: its operands, attributes and results.
class NodeImporter {
public:
  NodeImporter(const Node &node, int64_t opset, llvm::StringRef path,
               TensorBuilder &build)
      : build(build), node_(node), opset_(opset), path_(path) {}

  /// Where the node's ops go.
  TensorBuilder &build;

  const Node &node() const { return node_; }
  int64_t opset() const { return opset_; }
  /// A setting of Ops/Forms.h, where the node has it as a T.
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
  /// Input `index`, which is a tensor.
  const Operand &in(size_t index) const;
  const Entry &entry(size_t index) const { return *inputs_[index]; }
  /// All inputs; the row has no optional ones.
  llvm::SmallVector<Operand> allInputs() const;
  /// The integers of input `index`, which must be known now.
  llvm::Expected<llvm::SmallVector<int64_t>> ints(size_t index,
                                                  llvm::StringRef what) const;
  /// The one integer of input `index`, which must be known now.
  llvm::Expected<int64_t> integer(size_t index, llvm::StringRef what) const;

  const Attribute *attribute(llvm::StringRef name) const;
  int64_t intAttr(llvm::StringRef name, int64_t otherwise) const;
  double floatAttr(llvm::StringRef name, double otherwise) const;
  /// A finite float attribute of at least 0, and of at most `most`.
  llvm::Expected<double>
  nonNegativeAttr(llvm::StringRef name, double otherwise,
                  double most = std::numeric_limits<float>::max()) const;
  llvm::StringRef stringAttr(llvm::StringRef name,
                             llvm::StringRef otherwise) const;
  std::optional<llvm::ArrayRef<int64_t>> intsAttr(llvm::StringRef name) const;
  /// The integers of attribute `name`, each in [least, 2^31), `count` of them;
  /// without the attribute, `count` times `otherwise`.
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

  /// The type that the integer `name` stands for, which nn has.
  llvm::Expected<mlir::Type> elementTypeAttr(llvm::StringRef name) const;

  /// The file names output `index`.
  bool wants(size_t index) const;
  size_t numOutputs() const { return node_.outputs.size(); }
  void result(size_t index, Operand operand);
  void result(size_t index, Entry entry);
  void resultSequence(std::vector<Operand> operands, size_t index = 0);

  /// Imports the graph that is attribute `name` as if it stood here. `part`
  /// tells several copies of it apart in the names of its nodes.
  llvm::Expected<std::vector<Entry>>
  inlineGraph(llvm::StringRef name, llvm::ArrayRef<Entry> arguments,
              const llvm::Twine &part = "") const;
  /// Fails where the graph that is attribute `graph` has fewer than `expected`
  /// outputs; it has `found`.
  llvm::Error checkResults(llvm::StringRef graph, size_t found,
                           size_t expected) const;

  /// "FILE: node 'n' (Op, opset 20): message".
  llvm::Error fail(const llvm::Twine &message) const;
  /// `error`, or `value`'s, as fail() says it.
  llvm::Error placed(llvm::Error error) const;
  template <typename T>
  llvm::Expected<T> placed(llvm::Expected<T> value) const {
    if (!value)
      return placed(value.takeError());
    return value;
  }
  void note(const llvm::Twine &message);
  void warn(const llvm::Twine &message);

  /// `axis` within [0, rank), negative ones counted from the end.
  llvm::Expected<int64_t> axis(int64_t axis, int64_t rank) const;
  llvm::Expected<llvm::SmallVector<int64_t>> axes(llvm::ArrayRef<int64_t> axes,
                                                  int64_t rank) const;
  /// Fails where a tensor of `shape` is more than memory can hold.
  llvm::Error checkSize(llvm::ArrayRef<int64_t> shape) const;
  llvm::Error requireFloat(size_t index) const;
  /// Fails where input `index` is no tensor of integers.
  llvm::Error requireIndices(size_t index) const;
  llvm::Error requireSameType(size_t index, size_t other) const;
  llvm::Error requireNumbers(size_t index) const;
  llvm::Error requireIntegers(size_t index) const;
  /// All inputs, of one type, broadcast to one shape.
  llvm::Expected<llvm::SmallVector<Operand>> unifiedInputs() const;
  /// Broadcasts operands to their common shape.
  llvm::Error unify(llvm::MutableArrayRef<Operand> operands) const;
  /// A constant of `values`; fails where the file's constants get too many.
  template <typename T>
  llvm::Expected<Operand> constant(mlir::Type type,
                                   llvm::ArrayRef<int64_t> shape,
                                   llvm::ArrayRef<T> values) const {
    return placed(build.fromValues(type, shape, values));
  }
  /// `operand` as numpy broadcasts it to exactly `shape`.
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
  /// Before the node's name, where it stands in a subgraph.
  std::string place_;
  GraphInliner inliner_;
  /// Null where an optional input is left out.
  llvm::SmallVector<const Entry *> inputs_;
  /// Those that the file has as attributes.
  std::deque<Entry> fromAttributes_;
  llvm::SmallVector<std::optional<Entry>> results_;
  std::vector<std::string> notes_;
  std::vector<std::string> warnings_;
};

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_OPS_NODEIMPORTER_H
