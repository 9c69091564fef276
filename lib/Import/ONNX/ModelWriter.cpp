// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies protobuf fields of any kind, except those that contain or name data.
// The file was read before, so that its form is valid.
#include "lib/Import/ONNX/ModelWriter.h"

#include "lib/Import/ImportError.h"
#include "lib/Import/ONNX/PyTorch/ExporterRecord.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"

#include <cassert>

using namespace llvm;
using namespace mpc;
using namespace mpc::onnx;

namespace {

/// The messages on the path from a model to its tensors.
enum class Kind { Model, Graph, Function, Node, Attribute, Sparse, Tensor };

/// A field that contains one of these messages.
struct Child {
  Kind parent;
  uint32_t field;
  Kind kind;
};

constexpr Child kChildren[] = {
    {Kind::Model, 7, Kind::Graph},       {Kind::Model, 25, Kind::Function},
    {Kind::Graph, 1, Kind::Node},        {Kind::Graph, 5, Kind::Tensor},
    {Kind::Graph, 15, Kind::Sparse},     {Kind::Function, 7, Kind::Node},
    {Kind::Node, 5, Kind::Attribute},    {Kind::Attribute, 5, Kind::Tensor},
    {Kind::Attribute, 6, Kind::Graph},   {Kind::Attribute, 10, Kind::Tensor},
    {Kind::Attribute, 11, Kind::Graph},  {Kind::Attribute, 22, Kind::Sparse},
    {Kind::Attribute, 23, Kind::Sparse}, {Kind::Sparse, 1, Kind::Tensor},
    {Kind::Sparse, 2, Kind::Tensor}};

std::optional<Kind> childOf(Kind parent, uint32_t field) {
  for (const Child &child : kChildren)
    if (child.parent == parent && child.field == field)
      return child.kind;
  return std::nullopt;
}

enum TensorField : uint32_t {
  Dims = 1,
  DataType = 2,
  Name = 8,
  RawData = 9,
  DocString = 12,
  ExternalKeys = 13,
  DataLocation = 14,
  Metadata = 16,
};
constexpr uint32_t kInitializers = 5, kNodeInputs = 1;
constexpr uint32_t kVarint = 0, kFixed64 = 1, kBytes = 2;

struct Field {
  uint32_t number = 0;
  StringRef whole;   ///< The field with its key.
  StringRef content; ///< The bytes of the message.
};

uint64_t takeVarint(StringRef &bytes) {
  uint64_t value = 0;
  for (unsigned shift = 0; !bytes.empty() && shift < 64; shift += 7) {
    auto byte = static_cast<unsigned char>(bytes.front());
    bytes = bytes.drop_front();
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      break;
  }
  return value;
}

Field takeField(StringRef &bytes) {
  StringRef start = bytes;
  uint64_t key = takeVarint(bytes);
  Field field;
  field.number = static_cast<uint32_t>(key >> 3);
  uint32_t wire = key & 7;
  if (wire == kVarint)
    takeVarint(bytes);
  else if (wire == kBytes)
    field.content = bytes.take_front(takeVarint(bytes));
  size_t size = wire == kBytes     ? field.content.size()
                : wire == kVarint  ? 0
                : wire == kFixed64 ? 8
                                   : 4;
  bytes = bytes.drop_front(std::min(size, bytes.size()));
  field.whole = start.drop_back(bytes.size());
  return field;
}

void addVarint(uint64_t value, std::string &out) {
  for (; value >= 0x80; value >>= 7)
    out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

void addBytes(uint32_t field, StringRef content, std::string &out) {
  addVarint(field << 3 | kBytes, out);
  addVarint(content.size(), out);
  out += content;
}

void addInteger(uint32_t field, uint64_t value, std::string &out) {
  addVarint(field << 3 | kVarint, out);
  addVarint(value, out);
}

StringRef textOf(ArrayRef<char> bytes) { return {bytes.data(), bytes.size()}; }

/// The description in a tensor's own fields, and the place of its data in the
/// file.
struct Described {
  std::string kept; ///< The fields other than data.
  std::string name;
  bool isExternal = false;
};

Described describe(StringRef bytes) {
  Described tensor;
  while (!bytes.empty()) {
    Field field = takeField(bytes);
    if (field.number == Name)
      tensor.name = field.content.str();
    if (field.number == DataLocation)
      tensor.isExternal = field.whole.back() == 1;
    if (is_contained({Dims, DataType, Name, DocString, Metadata}, field.number))
      tensor.kept += field.whole;
  }
  return tensor;
}

/// The initializers of a model's graph by name.
StringMap<const Tensor *> initializersOf(const Model &model) {
  StringMap<const Tensor *> initializers;
  for (const Tensor &tensor : model.graph.initializers)
    initializers[tensor.name] = &tensor;
  return initializers;
}

/// Checks that all external data is available.
class Checker {
public:
  explicit Checker(const Model &model) : initializers_(initializersOf(model)) {}

  /// `isMain` says that the message is the model's main graph.
  Error check(Kind kind, StringRef bytes, bool isMain) {
    while (!bytes.empty()) {
      Field field = takeField(bytes);
      std::optional<Kind> child = childOf(kind, field.number);
      if (child && *child == Kind::Tensor)
        MPC_TRY(checkTensor(describe(field.content),
                            isMain && field.number == kInitializers));
      else if (child)
        MPC_TRY(check(*child, field.content,
                      kind == Kind::Model && *child == Kind::Graph));
    }
    return Error::success();
  }

private:
  Error checkTensor(const Described &tensor, bool isInitializer) {
    if (!tensor.isExternal)
      return Error::success();
    const Tensor *known =
        isInitializer ? initializers_.lookup(tensor.name) : nullptr;
    if (known && byteSize(known->type) != 0)
      return Error::success();
    return invalidModel(
        "tensor '" + printable(tensor.name) +
        "' has its data in another file, and is not an initializer of the "
        "graph of a type that is read: such a model cannot be written");
  }

  StringMap<const Tensor *> initializers_;
};

class Writer {
public:
  Writer(const Model &model, const StringMap<ArrayRef<char>> &values,
         StringRef dataFile)
      : model_(model), values_(values), dataFile_(dataFile),
        initializers_(initializersOf(model)) {}

  OnnxFile::Written run() {
    copy(Kind::Model, textOf(model_.file), /*isMain=*/false, result_.bytes);
    return std::move(result_);
  }

private:
  /// Copies a message; `isMain` says that it is the model's main graph.
  void copy(Kind kind, StringRef bytes, bool isMain, std::string &out) {
    const Node *node = model_.graph.nodes.data();
    while (!bytes.empty()) {
      Field field = takeField(bytes);
      std::optional<Kind> child = childOf(kind, field.number);
      if (!child) {
        out += field.whole;
        continue;
      }
      std::string content;
      if (*child == Kind::Tensor)
        copyTensor(field.content, isMain && field.number == kInitializers,
                   content);
      else if (isMain && *child == Kind::Node)
        copyNode(field.content, *node++, content);
      else
        copy(*child, field.content,
             kind == Kind::Model && *child == Kind::Graph, content);
      addBytes(field.number, content, out);
    }
    if (isMain)
      addSeparated(out);
  }

  /// Copies a node of the main graph, with the inputs that it has in `node`.
  void copyNode(StringRef bytes, const Node &node, std::string &out) {
    std::string inputs, before, rest;
    for (const std::string &input : node.inputs)
      addBytes(kNodeInputs, input, inputs);
    for (StringRef left = bytes; !left.empty();) {
      Field field = takeField(left);
      if (field.number == kNodeInputs)
        addBytes(kNodeInputs, field.content, before);
      else
        rest += field.whole;
    }
    std::string changed = inputs == before ? "" : inputs + rest;
    copy(Kind::Node, changed.empty() ? bytes : changed, /*isMain=*/false, out);
  }

  void copyTensor(StringRef bytes, bool isInitializer, std::string &out) {
    Described described = describe(bytes);
    const Tensor *tensor =
        isInitializer ? initializers_.lookup(described.name) : nullptr;
    bool isReplaced = tensor && values_.contains(tensor->name);
    if (!tensor || (!isReplaced && !described.isExternal)) {
      out += bytes;
    } else {
      out += described.kept;
      addData(*tensor, described.isExternal, out);
    }
    if (described.isExternal && tensor)
      externalSources_.insert(tensor->bytes.data());
    written_.insert(described.name);
  }

  /// Adds the tensor's new data, or its old data.
  void addData(const Tensor &tensor, bool isExternal, std::string &out) {
    auto value = values_.find(tensor.name);
    ArrayRef<char> data = value == values_.end() ? tensor.bytes : value->second;
    assert(data.size() == tensor.bytes.size() &&
           "a value is as long as what it replaces");
    if (!isExternal)
      return addBytes(RawData, textOf(data), out);
    addKey("location", dataFile_, out);
    addKey("offset", std::to_string(externalBytes_), out);
    addKey("length", std::to_string(data.size()), out);
    addInteger(DataLocation, 1, out);
    addExternal(data);
    static constexpr char kZeros[kAlignment] = {};
    addExternal(ArrayRef(kZeros).take_front(-externalBytes_ % kAlignment));
  }

  static void addKey(StringRef key, StringRef value, std::string &out) {
    std::string entry;
    addBytes(1, key, entry);
    addBytes(2, value, entry);
    addBytes(ExternalKeys, entry, out);
  }

  void addExternal(ArrayRef<char> data) {
    result_.external.push_back(data);
    externalBytes_ += data.size();
  }

  /// Adds the initializers that the file lacks, after its own.
  void addSeparated(std::string &out) {
    for (const Tensor &tensor : model_.graph.initializers) {
      if (written_.contains(tensor.name))
        continue;
      std::string content;
      for (int64_t size : tensor.shape)
        addInteger(Dims, static_cast<uint64_t>(size), content);
      addInteger(DataType, static_cast<uint64_t>(tensor.type), content);
      addBytes(Name, tensor.name, content);
      // The data is external if the data of the source tensor is.
      addData(tensor, externalSources_.contains(tensor.bytes.data()), content);
      addBytes(kInitializers, content, out);
    }
  }

  static constexpr size_t kAlignment = 64;

  const Model &model_;
  const StringMap<ArrayRef<char>> &values_;
  StringRef dataFile_;
  StringMap<const Tensor *> initializers_;
  OnnxFile::Written result_;
  /// The names of the file's tensors that were written.
  llvm::StringSet<> written_;
  SmallPtrSet<const char *, 16> externalSources_;
  size_t externalBytes_ = 0;
};

} // namespace

Error onnx::prepareToWrite(Model &model) {
  separateMerged(model.graph);
  return Checker(model).check(Kind::Model, textOf(model.file),
                              /*isMain=*/false);
}

OnnxFile::Written onnx::writeModel(const Model &model,
                                   const StringMap<ArrayRef<char>> &values,
                                   StringRef dataFile) {
  return Writer(model, values, dataFile).run();
}
