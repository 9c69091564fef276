// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reads ONNX's protobuf messages field by field. Recursion is limited to the
/// functions here, and for subgraphs by a depth.
#include "lib/Import/ONNX/Read/OnnxModel.h"

#include "lib/Import/ImportError.h"
#include "lib/Import/ONNX/Read/FunctionInliner.h"
#include "lib/Import/ONNX/Read/ModelChecks.h"
#include "lib/Import/ONNX/Read/TensorReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

using protozero::data_view;

/// Reads one file.
class ModelReader {
public:
  ModelReader(Model &model, StringRef folder)
      : model_(model), externalData_(folder, model.storage) {}

  Error read(ArrayRef<char> bytes);

private:
  Error readModelMessage(Message message);
  Error readGraph(Message message, Graph &graph);
  Error readSubgraph(Message message, Attribute &attribute);
  Error readFunction(Message message);
  Error readFunctionField(Message &message, Function &function);
  Error readInitializer(Message message, std::vector<Tensor> &initializers);
  Error refuseSparse(Message message);
  Expected<Node> readNode(Message message, size_t index);
  Error readAttributes(Message message, Node &node);
  Expected<Attribute> readAttribute(Message message);
  Error finishAttribute(const Message &message,
                        std::optional<RawTensor> &tensor, Attribute &attribute);
  Expected<ValueInfo> readValueInfo(Message message);
  Error finishTensor(RawTensor &raw, const Twine &fallbackName);
  Error inNode(const Node &node, Error error);

  Model &model_;
  ExternalData externalData_;
  bool hasGraph_ = false;
  bool isInFunction_ = false;
  /// The depth of graphs within graphs that are being read.
  unsigned depth_ = 0;
};

constexpr unsigned kDeepestGraph = 32;

/// Whether the bytes are text. A model begins with a field's tag, text with a
/// character.
static bool isText(ArrayRef<char> bytes) {
  return !bytes.empty() && llvm::all_of(bytes.take_front(64), [](char c) {
    return isPrint(c) || isSpace(c);
  });
}

Error ModelReader::read(ArrayRef<char> bytes) {
  if (isText(bytes))
    return invalidModel(model_.path + ": not a well-formed ONNX file: it is "
                                      "text; is it an .mlir file?");
  try {
    return readModelMessage(
        Message(data_view(bytes.data(), bytes.size()), message::kModel));
  } catch (const WrongField &fault) {
    return invalidModel(model_.path +
                        ": not a well-formed ONNX file: " + fault.text);
  }
}

static std::pair<std::string, int64_t> readOpset(Message message) {
  std::pair<std::string, int64_t> entry;
  while (message.next()) {
    if (message.field() == 1)
      entry.first = message.text();
    else if (message.field() == 2)
      entry.second = message.integer();
    else
      message.skip();
  }
  if (entry.first == "ai.onnx")
    entry.first.clear();
  return entry;
}

Error ModelReader::readModelMessage(Message message) {
  while (message.next()) {
    switch (message.field()) {
    case 1:
      model_.irVersion = message.integer();
      break;
    case 2:
      model_.producer = message.text();
      break;
    case 7:
      hasGraph_ = true;
      MPC_TRY(readGraph(message.child(message::kGraph), model_.graph));
      break;
    case 8:
      model_.opsets.push_back(readOpset(message.child(message::kOpset)));
      break;
    case 25:
      MPC_TRY(readFunction(message.child(message::kFunction)));
      break;
    default:
      message.skip();
    }
  }
  if (!hasGraph_)
    return invalidModel(model_.path + ": not an ONNX file: it has no graph");
  return Error::success();
}

/// Adds what was read to `list`.
template <typename T>
static Error append(std::vector<T> &list, Expected<T> read) {
  if (!read)
    return read.takeError();
  list.push_back(std::move(*read));
  return Error::success();
}

Error ModelReader::readGraph(Message message, Graph &graph) {
  while (message.next()) {
    Error error = Error::success();
    switch (message.field()) {
    case 1:
      error = append(graph.nodes, readNode(message.child(message::kNode),
                                           graph.nodes.size()));
      break;
    case 2:
      graph.name = message.text();
      break;
    case 5:
      error =
          readInitializer(message.child(message::kTensor), graph.initializers);
      break;
    case 11:
      error = append(graph.inputs,
                     readValueInfo(message.child(message::kValueInfo)));
      break;
    case 12:
      error = append(graph.outputs,
                     readValueInfo(message.child(message::kValueInfo)));
      break;
    case 13:
      error = append(graph.values,
                     readValueInfo(message.child(message::kValueInfo)));
      break;
    case 15:
      error = refuseSparse(message.child(message::kSparseTensor));
      break;
    default:
      message.skip();
    }
    if (error)
      return error;
  }
  return Error::success();
}

/// Reads a graph in an attribute, as the body of a loop.
Error ModelReader::readSubgraph(Message message, Attribute &attribute) {
  if (++depth_ > kDeepestGraph)
    return invalidModel("graphs are nested more than " + Twine(kDeepestGraph) +
                        " deep");
  llvm::scope_exit leave([&] { --depth_; });
  auto graph = std::make_shared<Graph>();
  MPC_TRY(readGraph(message, *graph));
  attribute.g = std::move(graph);
  return Error::success();
}

Error ModelReader::readFunctionField(Message &message, Function &function) {
  switch (message.field()) {
  case 1:
    function.name = message.text();
    break;
  case 4:
    function.inputs.push_back(message.text());
    break;
  case 5:
    function.outputs.push_back(message.text());
    break;
  case 7:
    return append(function.nodes, readNode(message.child(message::kNode),
                                           function.nodes.size()));
  case 9:
    function.opsets.push_back(readOpset(message.child(message::kOpset)));
    break;
  case 10:
    function.domain = message.text();
    break;
  case 11:
    if (Error error = append(function.defaults,
                             readAttribute(message.child(message::kAttribute))))
      return prefixed(model_.path + ": function '" + printable(function.name) +
                          "'",
                      std::move(error));
    break;
  case 13:
    function.overload = message.text();
    break;
  default:
    message.skip();
  }
  return Error::success();
}

Error ModelReader::readFunction(Message message) {
  Function function;
  isInFunction_ = true;
  llvm::scope_exit leave([&] { isInFunction_ = false; });
  while (message.next())
    MPC_TRY(readFunctionField(message, function));
  if (function.domain == "ai.onnx")
    function.domain.clear();
  model_.functions.push_back(std::move(function));
  return Error::success();
}

Error ModelReader::readInitializer(Message message,
                                   std::vector<Tensor> &initializers) {
  RawTensor raw = readRawTensor(message);
  if (raw.tensor.name.empty())
    return invalidModel(model_.path + ": initializer " +
                        Twine(initializers.size()) + " has no name");
  if (Error error = finishTensor(raw, ""))
    return prefixed(model_.path, std::move(error));
  initializers.push_back(std::move(raw.tensor));
  return Error::success();
}

Error ModelReader::refuseSparse(Message message) {
  std::string name;
  while (message.next()) {
    if (message.field() == 1)
      name = readRawTensor(message.child(message::kTensor)).tensor.name;
    else
      message.skip();
  }
  return invalidModel(model_.path + ": initializer '" + printable(name) +
                      "' is sparse; sparse initializers are not supported");
}

/// Reads what PyTorch's exporter records about a node.
static void readRecord(Message message, Node &node) {
  auto [key, value] = readStringPair(message);
  if (key == "pkg.torch.onnx.name_scopes")
    node.record.scopes = std::move(value);
  else if (key == "pkg.torch.onnx.fx_node")
    node.record.call = std::move(value);
  else if (key == "pkg.torch.onnx.class_hierarchy")
    node.record.classes = std::move(value);
  if (key != "pkg.torch.onnx.stack_trace")
    return;
  node.record.sourceLine = StringRef(value).rsplit('\n').second.trim().str();
  if (StringRef(value).starts_with("File \"<eval_with_key>"))
    node.record.madeIn = std::move(value);
  else
    node.record.hasSource = true;
}

/// The name for node number `index`, which has no name in the file.
static std::string nameAfterOutput(const Node &node, size_t index) {
  if (node.outputs.empty() || node.outputs.front().empty())
    return node.opType + "_" + std::to_string(index);
  return node.outputs.front();
}

Expected<Node> ModelReader::readNode(Message message, size_t index) {
  // In many files attributes come before the name. They are read after it.
  Message again = message;
  Node node;
  while (message.next()) {
    switch (message.field()) {
    case 1:
      node.inputs.push_back(message.text());
      break;
    case 2:
      node.outputs.push_back(message.text());
      break;
    case 3:
      node.name = message.text();
      break;
    case 4:
      node.opType = message.text();
      break;
    case 7:
      node.domain = message.text();
      break;
    case 8:
      node.overload = message.text();
      break;
    case 9:
      readRecord(message.child(message::kStringPair), node);
      break;
    default:
      message.skip();
    }
  }
  if (node.domain == "ai.onnx")
    node.domain.clear();
  if (node.name.empty())
    node.name = nameAfterOutput(node, index);
  MPC_TRY(readAttributes(again, node));
  return node;
}

Error ModelReader::readAttributes(Message message, Node &node) {
  while (message.next()) {
    if (message.field() != 5) {
      message.skip();
      continue;
    }
    Expected<Attribute> attribute =
        readAttribute(message.child(message::kAttribute));
    if (!attribute)
      return inNode(node, attribute.takeError());
    node.attributes.push_back(std::move(*attribute));
  }
  return Error::success();
}

/// Adds "FILE: node 'n' (Op): " in front of an error.
Error ModelReader::inNode(const Node &node, Error error) {
  return prefixed(model_.path + ": node '" + printable(node.name) + "' (" +
                      printable(node.opType) + ")",
                  std::move(error));
}

/// The field with the value of an attribute of some type.
struct AttributeKind {
  int32_t type;
  const char *name;
  uint32_t field;
};

static constexpr AttributeKind kAttributeKinds[] = {{1, "FLOAT", 2},
                                                    {2, "INT", 3},
                                                    {3, "STRING", 4},
                                                    {4, "TENSOR", 5},
                                                    {5, "GRAPH", 6},
                                                    {6, "FLOATS", 7},
                                                    {7, "INTS", 8},
                                                    {8, "STRINGS", 9},
                                                    {9, "TENSORS", 10},
                                                    {10, "GRAPHS", 11},
                                                    {11, "SPARSE_TENSOR", 22},
                                                    {12, "SPARSE_TENSORS", 23},
                                                    {13, "TYPE_PROTO", 14},
                                                    {14, "TYPE_PROTOS", 15}};

/// Checks that an attribute has one value, of its stated type; sets the type
/// where it is not stated.
static Error checkKind(Attribute &attribute, const Message &message) {
  std::string prefix = "attribute '" + printable(attribute.name) + "' ";
  const AttributeKind *held = nullptr;
  for (const AttributeKind &kind : kAttributeKinds) {
    if (message.count(kind.field) == 0)
      continue;
    if (held)
      return invalidModel(prefix + "holds both " + message.nameOf(held->field) +
                          " and " + message.nameOf(kind.field));
    held = &kind;
  }
  if (attribute.type == 0 && !held)
    return invalidModel(prefix + "has neither type nor value");
  if (attribute.type == 0)
    attribute.type = held->type;
  auto *said = find_if(kAttributeKinds, [&](const AttributeKind &kind) {
    return kind.type == attribute.type;
  });
  if (said == std::end(kAttributeKinds))
    return invalidModel(prefix + "has type " + Twine(attribute.type) +
                        ", which is not an attribute type of ONNX");
  if (held && held != said)
    return invalidModel(prefix + "is of type " + said->name + ", but holds " +
                        message.nameOf(held->field));
  return Error::success();
}

Expected<Attribute> ModelReader::readAttribute(Message message) {
  Attribute attribute;
  std::optional<RawTensor> tensor;
  while (message.next()) {
    switch (message.field()) {
    case 1:
      attribute.name = message.text();
      break;
    case 2:
      attribute.f = message.real();
      break;
    case 3:
      attribute.i = message.integer();
      break;
    case 4:
      attribute.s = message.text();
      break;
    case 5:
      tensor = readRawTensor(message.child(message::kTensor));
      break;
    case 6:
      MPC_TRY(readSubgraph(message.child(message::kGraph), attribute));
      break;
    case 7:
      message.reals(attribute.floats);
      break;
    case 8:
      message.integers(attribute.ints);
      break;
    case 9:
      attribute.strings.push_back(message.text());
      break;
    case 20:
      attribute.type = static_cast<int32_t>(message.integer());
      break;
    case 21:
      attribute.reference = message.text();
      break;
    default:
      // Sparse tensors and types are skipped. An op that needs one is refused.
      message.skip();
    }
  }
  MPC_TRY(finishAttribute(message, tensor, attribute));
  return attribute;
}

/// Checks an attribute that was read, of which `message` is at the end, and
/// keeps its tensor.
Error ModelReader::finishAttribute(const Message &message,
                                   std::optional<RawTensor> &tensor,
                                   Attribute &attribute) {
  if (attribute.name.empty())
    return invalidModel("an attribute has no name");
  bool isReference = message.count(21) != 0;
  if (isReference && !isInFunction_)
    return invalidModel("attribute '" + printable(attribute.name) +
                        "' refers to one of a function, and is in none");
  if (isReference)
    return Error::success();
  MPC_TRY(checkKind(attribute, message));
  if (!tensor)
    return Error::success();
  if (Error error =
          finishTensor(*tensor, "attribute '" + Twine(attribute.name) + "'"))
    return error;
  attribute.t = std::move(tensor->tensor);
  return Error::success();
}

static Dimension readDimension(Message message) {
  Dimension entry;
  while (message.next()) {
    if (message.field() == 1)
      entry.size = message.integer();
    else if (message.field() == 2)
      entry.symbol = message.text();
    else
      message.skip();
    if (entry.size && !entry.symbol.empty())
      message.fail("stands beside dim_value");
  }
  // Some writers use -1 for an open dimension.
  if (entry.size == -1)
    entry.size.reset();
  return entry;
}

static void readShape(Message message, ValueInfo &info) {
  info.hasShape = true;
  while (message.next()) {
    if (message.field() == 1)
      info.shape.push_back(readDimension(message.child(message::kDimension)));
    else
      message.skip();
  }
}

static void readTensorType(Message message, ValueInfo &info) {
  info.isTensor = true;
  while (message.next()) {
    if (message.field() == 1)
      info.type =
          static_cast<ElemType>(static_cast<int32_t>(message.integer()));
    else if (message.field() == 2)
      readShape(message.child(message::kShape), info);
    else
      message.skip();
  }
}

static void readType(Message message, ValueInfo &info) {
  bool isOther = false;
  while (message.next()) {
    if (message.field() == 1) {
      readTensorType(message.child(message::kTensorType), info);
    } else {
      isOther |= message.field() != 6;
      message.skip();
    }
    if (info.isTensor && isOther)
      message.fail("stands beside another type");
  }
}

static void readRecord(Message message, ValueInfo &info) {
  auto [key, value] = readStringPair(message);
  if (StringRef(key).ends_with("InputSpec.kind"))
    info.inputKind = std::move(value);
  else if (key == "pkg.torch.onnx.original_node_name")
    info.originalName = std::move(value);
  else if (StringRef(key).ends_with("InputSpec.persistent"))
    info.isPersistent = value != "False";
  else if (StringRef(key).ends_with("optimizer.folded_from"))
    info.foldedFrom = std::move(value);
}

Expected<ValueInfo> ModelReader::readValueInfo(Message message) {
  ValueInfo info;
  while (message.next()) {
    if (message.field() == 1)
      info.name = message.text();
    else if (message.field() == 2)
      readType(message.child(message::kType), info);
    else if (message.field() == 4)
      readRecord(message.child(message::kStringPair), info);
    else
      message.skip();
  }
  if (info.name.empty())
    return invalidModel(model_.path + ": a graph input or output has no name");
  return info;
}

/// Finds the tensor's data. Errors name the tensor.
Error ModelReader::finishTensor(RawTensor &raw, const Twine &fallbackName) {
  std::string name = raw.tensor.name.empty()
                         ? fallbackName.str()
                         : "tensor '" + raw.tensor.name + "'";
  Error error = findData(raw, model_.storage, externalData_);
  return error ? prefixed(printable(name), std::move(error)) : Error::success();
}

} // namespace

Expected<Model> readModelAsWritten(std::unique_ptr<MemoryBuffer> buffer,
                                   StringRef path, StringRef folder) {
  Model model;
  model.path = path.str();
  model.file = model.storage.keep(std::move(buffer));
  if (model.file.empty())
    return invalidModel(path + ": the file is empty");
  MPC_TRY(ModelReader(model, folder).read(model.file));
  return model;
}

/// Inlines functions, and checks the model.
static Expected<Model> resolved(Expected<Model> model) {
  if (!model)
    return model.takeError();
  MPC_TRY(inlineFunctions(*model));
  MPC_TRY(checkModel(*model));
  return model;
}

Expected<Model> readModel(std::unique_ptr<MemoryBuffer> buffer, StringRef path,
                          StringRef folder) {
  return resolved(readModelAsWritten(std::move(buffer), path, folder));
}

Expected<Model> readModelAsWritten(StringRef path) {
  auto buffer = path == "-"
                    ? MemoryBuffer::getSTDIN()
                    : MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    std::string text = (path + ": " + buffer.getError().message()).str();
    bool missing = buffer.getError() == std::errc::no_such_file_or_directory ||
                   buffer.getError() == std::errc::is_a_directory;
    return missing ? invalidModel(text) : environmentFault(text);
  }
  SmallString<128> folder(path == "-" ? StringRef("") : path);
  sys::path::remove_filename(folder);
  if (folder.empty() && path != "-")
    folder = ".";
  return readModelAsWritten(std::move(*buffer), path, folder);
}

Expected<Model> readModel(StringRef path) {
  return resolved(readModelAsWritten(path));
}

} // namespace mpc::onnx
