// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// An ONNX file as plain structs: what the bytes say, checked for form and
/// bounds, with tensor data left where it lies.
#ifndef MPC_LIB_IMPORT_ONNX_READ_ONNXMODEL_H
#define MPC_LIB_IMPORT_ONNX_READ_ONNXMODEL_H

#include "lib/Import/ModelStorage.h"
#include "lib/Import/Shape.h"
#include "runtime/Support/DType.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mpc::onnx {

/// TensorProto.DataType; the numbers are ONNX's.
enum class ElemType : int32_t {
  Undefined = 0,
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  UInt32 = 12,
  UInt64 = 13,
  Complex64 = 14,
  Complex128 = 15,
  BFloat16 = 16,
};

/// Whether ONNX has a type of that number; not all of them are named above.
bool isKnown(ElemType type);
/// "float", "int64", ... as ONNX writes it; "type 99" for one that it has not.
std::string toString(ElemType type);
/// Bytes of an element in raw data; 0 for a type that is not read.
size_t byteSize(ElemType type);
bool isFloat(ElemType type);
/// Our name for it, or nothing for one that we lack.
std::optional<rt::DType> dtypeOf(ElemType type);
/// The inverse.
ElemType elemTypeOf(rt::DType dtype);

/// A tensor's value. `bytes` are little-endian elements (a bool is a byte) and
/// belong to the model's storage.
struct Tensor {
  std::string name;
  ElemType type = ElemType::Undefined;
  llvm::SmallVector<int64_t, 4> shape;
  llvm::ArrayRef<char> bytes;
};

struct Graph;

struct Attribute {
  std::string name;
  /// In a function: the attribute of the call whose value this one has.
  std::string reference;
  /// AttributeProto.AttributeType; where the file does not say, that of the
  /// field that holds the value.
  int32_t type = 0;
  float f = 0.0f;
  int64_t i = 0;
  std::string s;
  std::optional<Tensor> t;
  std::shared_ptr<const Graph> g;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string> strings;
};

/// What PyTorch's exporter writes beside a node. The folder PyTorch/ alone
/// reads it.
struct ExporterNotes {
  /// pkg.torch.onnx.name_scopes: the module path in the exporter's words.
  std::string scopes;
  /// pkg.torch.onnx.class_hierarchy: the classes of those modules.
  std::string classes;
  /// The last line of pkg.torch.onnx.stack_trace: the code that made the call.
  std::string sourceLine;
  /// pkg.torch.onnx.fx_node: the call that the node comes from.
  std::string call;
  /// pkg.torch.onnx.stack_trace, where that is code which the exporter made
  /// itself.
  std::string madeIn;
  /// That it is code of the user's.
  bool hasSource = false;
};

/// What an op is told here beyond ONNX's attributes.
using Setting = std::variant<int64_t, double, std::string,
                             std::vector<std::optional<double>>>;

struct Node {
  std::string name;
  std::string opType;
  std::string domain;
  /// Tells functions of one name apart.
  std::string overload;
  /// Of a node that stood in a function: what that imports of its domain.
  std::optional<int64_t> opset;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<Attribute> attributes;
  ExporterNotes record;
  /// The form of Ops/Forms.h that the node is imported as, in place of its op;
  /// empty for the op itself.
  llvm::StringRef form = {};
  /// By their names in Ops/Forms.h.
  std::vector<std::pair<llvm::StringRef, Setting>> settings = {};
  /// The path of the module that the node is of; empty where nothing says it.
  std::string module = {};
  /// What the model calls the function that the node is of, as
  /// "pow.Tensor_Scalar"; empty where nothing says it.
  std::string calledAs = {};
  /// Why the node cannot be imported as what it is; empty where it can.
  std::string refusal = {};
  /// What to do where its op is not supported; empty where nothing is known.
  std::string remedy = {};
};

/// A dimension: a size, or a name for one that is open.
struct Dimension {
  std::optional<int64_t> size;
  std::string symbol;
};

/// "8x?xseq"; empty for rank 0.
std::string toString(llvm::ArrayRef<Dimension> shape);

struct ValueInfo {
  std::string name;
  ElemType type = ElemType::Undefined;
  bool isTensor = false;
  bool hasShape = false;
  llvm::SmallVector<Dimension, 4> shape;
  /// What PyTorch's exporter calls it: a user may give inputs other names.
  std::string originalName;
  /// What PyTorch's exporter says of an input or initializer: "PARAMETER", ...
  std::string inputKind;
  /// Whether a buffer is in the module's state_dict.
  bool isPersistent = true;
  /// pkg.onnxscript.optimizer.folded_from: the values that the exporter
  /// computed an initializer of, as "['a.weight', 'val_3']".
  std::string foldedFrom;
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<Tensor> initializers;
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;
  /// What the file says of values in between.
  std::vector<ValueInfo> values;
};

/// A local function: an op of a file's own, made of others.
struct Function {
  std::string domain;
  std::string name;
  std::string overload;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  /// What attributes are that a call leaves out.
  std::vector<Attribute> defaults;
  std::vector<std::pair<std::string, int64_t>> opsets;
  std::vector<Node> nodes;
};

struct Model {
  /// The file, as messages name it.
  std::string path;
  int64_t irVersion = 0;
  std::string producer;
  /// (domain, version); the domain of ONNX itself is "".
  std::vector<std::pair<std::string, int64_t>> opsets;
  /// Those of the file; once it is read, no node calls any of them.
  std::vector<Function> functions;
  Graph graph;
  ModelStorage storage;
  /// The whole file; the bytes belong to `storage`.
  llvm::ArrayRef<char> file;
};

/// Reads the file at `path` ("-" is stdin). External data is looked for in the
/// folder of `path` and mapped, not copied.
llvm::Expected<Model> readModel(llvm::StringRef path);

/// Reads a model from `buffer`; `path` is its name in messages, `folder` where
/// external data lies (empty: a file may not name any).
llvm::Expected<Model> readModel(std::unique_ptr<llvm::MemoryBuffer> buffer,
                                llvm::StringRef path, llvm::StringRef folder);

/// The same two without a look beyond the form of the file: nodes are those
/// that are written there, calls of functions among them.
llvm::Expected<Model> readModelAsWritten(llvm::StringRef path);
llvm::Expected<Model>
readModelAsWritten(std::unique_ptr<llvm::MemoryBuffer> buffer,
                   llvm::StringRef path, llvm::StringRef folder);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_READ_ONNXMODEL_H
