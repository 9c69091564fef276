// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// An ONNX file as plain structs: the contents of the bytes, checked for form
/// and bounds. Tensor data stays in place.
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
/// ONNX's name: "float", "int64", ...; "type 99" for an unknown type.
std::string toString(ElemType type);
/// Bytes of an element in raw data; 0 for a type that is not read.
size_t byteSize(ElemType type);
bool isFloat(ElemType type);
/// The DType; empty for a type that mpc does not have.
std::optional<rt::DType> dtypeOf(ElemType type);
/// ONNX's type for a DType.
ElemType elemTypeOf(rt::DType dtype);

/// The value of a tensor. `bytes` are little-endian elements (a bool is a byte)
/// and belong to the model's storage.
struct Tensor {
  std::string name;
  ElemType type = ElemType::Undefined;
  llvm::SmallVector<int64_t, 4> shape;
  llvm::ArrayRef<char> bytes;
};

struct Graph;

struct Attribute {
  std::string name;
  /// In a function: the attribute of the call whose value is used here.
  std::string reference;
  /// AttributeProto.AttributeType. Where the file does not state it, it is the
  /// type of the field with the value.
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

/// The record that PyTorch's exporter writes beside a node. Only the folder
/// PyTorch/ reads it.
struct ExporterNotes {
  /// pkg.torch.onnx.name_scopes: the module path in the exporter's words.
  std::string scopes;
  /// pkg.torch.onnx.class_hierarchy: the classes of those modules.
  std::string classes;
  /// The last line of pkg.torch.onnx.stack_trace: the code that made the call.
  std::string sourceLine;
  /// pkg.torch.onnx.fx_node: the call from which the node comes.
  std::string call;
  /// pkg.torch.onnx.stack_trace, where it shows code that the exporter
  /// generated.
  std::string madeIn;
  /// Whether the stack trace shows code of the user's.
  bool hasSource = false;
};

/// A setting of an op in addition to ONNX's attributes.
using Setting = std::variant<int64_t, double, std::string,
                             std::vector<std::optional<double>>>;

struct Node {
  std::string name;
  std::string opType;
  std::string domain;
  /// Distinguishes functions of one name.
  std::string overload;
  /// For a node of a function: the version that the function imports of the
  /// node's domain.
  std::optional<int64_t> opset;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<Attribute> attributes;
  ExporterNotes record;
  /// The form of Ops/Forms.h as which the node is imported, in place of its op;
  /// empty for the op itself.
  llvm::StringRef form = {};
  /// The settings by their names in Ops/Forms.h.
  std::vector<std::pair<llvm::StringRef, Setting>> settings = {};
  /// The path of the module to which the node belongs; empty where it is not
  /// known.
  std::string module = {};
  /// The model's name for the function to which the node belongs, as
  /// "pow.Tensor_Scalar"; empty where it is not known.
  std::string calledAs = {};
  /// The reason why the node cannot be imported; empty where it can.
  std::string refusal = {};
  /// The remedy where its op is not supported; empty where none is known.
  std::string remedy = {};
};

/// A dimension: a size, or a name for an open one.
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
  /// The name by PyTorch's exporter. A user may give inputs other names.
  std::string originalName;
  /// The kind of an input or initializer by PyTorch's exporter: "PARAMETER",
  /// ...
  std::string inputKind;
  /// Whether a buffer is in the module's state_dict.
  bool isPersistent = true;
  /// pkg.onnxscript.optimizer.folded_from: the values from which the exporter
  /// computed an initializer, as "['a.weight', 'val_3']".
  std::string foldedFrom;
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<Tensor> initializers;
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;
  /// The declarations of intermediate values.
  std::vector<ValueInfo> values;
};

/// A local function: an op that a file defines by others.
struct Function {
  std::string domain;
  std::string name;
  std::string overload;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  /// The values of attributes that a call leaves out.
  std::vector<Attribute> defaults;
  std::vector<std::pair<std::string, int64_t>> opsets;
  std::vector<Node> nodes;
};

struct Model {
  /// The file's name in messages.
  std::string path;
  int64_t irVersion = 0;
  std::string producer;
  /// (domain, version); ONNX's own domain is "".
  std::vector<std::pair<std::string, int64_t>> opsets;
  /// The file's functions. After reading, no node calls any of them.
  std::vector<Function> functions;
  Graph graph;
  ModelStorage storage;
  /// The whole file; the bytes belong to `storage`.
  llvm::ArrayRef<char> file;
};

/// Reads the file at `path` ("-" is stdin). External data is searched in the
/// folder of `path`, and is mapped and not copied.
llvm::Expected<Model> readModel(llvm::StringRef path);

/// Reads a model from `buffer`. Messages call it `path`. `folder` has its
/// external data; with an empty folder a file may not name any.
llvm::Expected<Model> readModel(std::unique_ptr<llvm::MemoryBuffer> buffer,
                                llvm::StringRef path, llvm::StringRef folder);

/// Read a model and check only its form. The nodes are those in the file,
/// including calls of functions.
llvm::Expected<Model> readModelAsWritten(llvm::StringRef path);
llvm::Expected<Model>
readModelAsWritten(std::unique_ptr<llvm::MemoryBuffer> buffer,
                   llvm::StringRef path, llvm::StringRef folder);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_READ_ONNXMODEL_H
