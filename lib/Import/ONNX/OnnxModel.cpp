// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reads ONNX's protobuf messages field by field. The nesting is that of the
/// functions here: sub-graphs are skipped, never entered.
#include "lib/Import/ONNX/OnnxModel.h"

#include "lib/Import/ONNX/ExternalData.h"
#include "lib/Import/ONNX/ImportError.h"
#include "lib/Import/ONNX/Message.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstring>

using namespace llvm;

namespace mpc::onnx {

namespace {

using protozero::data_view;

/// A TensorProto with its data not yet looked for.
struct RawTensor {
  Tensor tensor;
  std::optional<data_view> raw;
  std::vector<int64_t> integers;
  std::vector<float> reals;
  std::vector<double> doubles;
  size_t strings = 0;
  bool segmented = false;
  bool external = false;
  std::vector<std::pair<std::string, std::string>> externalKeys;
};

std::pair<std::string, std::string> readStringPair(data_view bytes) {
  Message message(bytes, "StringStringEntryProto");
  std::pair<std::string, std::string> entry;
  while (message.next()) {
    switch (message.field()) {
    case 1:
      entry.first = message.text();
      break;
    case 2:
      entry.second = message.text();
      break;
    default:
      message.skip();
    }
  }
  return entry;
}

RawTensor readRawTensor(data_view bytes) {
  Message message(bytes, "TensorProto");
  RawTensor raw;
  while (message.next()) {
    switch (message.field()) {
    case 1:
      message.integers(raw.tensor.shape);
      break;
    case 2:
      raw.tensor.type =
          static_cast<ElemType>(static_cast<int32_t>(message.integer()));
      break;
    case 3:
      raw.segmented = true;
      message.skip();
      break;
    case 4:
      message.reals(raw.reals);
      break;
    case 5:
    case 7:
    case 11:
      message.integers(raw.integers);
      break;
    case 6:
      ++raw.strings;
      message.skip();
      break;
    case 8:
      raw.tensor.name = message.text();
      break;
    case 9:
      raw.raw = message.view();
      break;
    case 10:
      message.doubles(raw.doubles);
      break;
    case 13:
      raw.externalKeys.push_back(readStringPair(message.view()));
      break;
    case 14:
      raw.external = message.integer() == 1;
      break;
    default:
      message.skip();
    }
  }
  return raw;
}

/// Reads one file; remembers what it is at, for messages.
class ModelReader {
public:
  ModelReader(Model &model, StringRef folder)
      : model_(model), externalData_(folder, model.storage) {}

  Error read(ArrayRef<char> bytes);

private:
  Error readModelMessage(data_view bytes);
  Error readGraph(data_view bytes);
  Expected<Node> readNode(data_view bytes, size_t index);
  Expected<Attribute> readAttribute(data_view bytes);
  Expected<ValueInfo> readValueInfo(data_view bytes);
  Expected<Tensor> readTensor(data_view bytes, const Twine &fallbackName);
  Error findData(RawTensor &raw);
  Error findExternalData(RawTensor &raw, size_t size);
  Error copyTypedData(RawTensor &raw, size_t count);

  Model &model_;
  ExternalData externalData_;
  bool hasGraph_ = false;
};

/// A model begins with a field's tag, text with a character.
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
    return readModelMessage(data_view(bytes.data(), bytes.size()));
  } catch (const WrongField &fault) {
    return invalidModel(model_.path +
                        ": not a well-formed ONNX file: " + fault.text);
  } catch (const protozero::end_of_buffer_exception &) {
    return invalidModel(model_.path + ": not a well-formed ONNX file: it ends "
                                      "in the middle of a field (cut off?)");
  } catch (const protozero::exception &fault) {
    return invalidModel(model_.path +
                        ": not a well-formed ONNX file: " + fault.what());
  }
}

Error ModelReader::readModelMessage(data_view bytes) {
  Message message(bytes, "ModelProto");
  while (message.next()) {
    switch (message.field()) {
    case 1:
      model_.irVersion = message.integer();
      break;
    case 2:
      model_.producer = message.text();
      break;
    case 7:
      if (hasGraph_)
        return invalidModel(model_.path + ": the file has two graphs");
      hasGraph_ = true;
      if (Error error = readGraph(message.view()))
        return error;
      break;
    case 8: {
      Message opset(message.view(), "OperatorSetIdProto");
      std::pair<std::string, int64_t> entry;
      while (opset.next()) {
        if (opset.field() == 1)
          entry.first = opset.text();
        else if (opset.field() == 2)
          entry.second = opset.integer();
        else
          opset.skip();
      }
      if (entry.first == "ai.onnx")
        entry.first.clear();
      model_.opsets.push_back(std::move(entry));
      break;
    }
    case 25:
      model_.hasFunctions = true;
      message.skip();
      break;
    default:
      message.skip();
    }
  }
  if (!hasGraph_)
    return invalidModel(model_.path + ": not an ONNX file: it has no graph");
  return Error::success();
}

Error ModelReader::readGraph(data_view bytes) {
  Message message(bytes, "GraphProto");
  Graph &graph = model_.graph;
  while (message.next()) {
    switch (message.field()) {
    case 1: {
      Expected<Node> node = readNode(message.view(), graph.nodes.size());
      if (!node)
        return node.takeError();
      graph.nodes.push_back(std::move(*node));
      break;
    }
    case 2:
      graph.name = message.text();
      break;
    case 5: {
      Expected<Tensor> tensor = readTensor(
          message.view(), "initializer " + Twine(graph.initializers.size()));
      if (!tensor)
        return tensor.takeError();
      if (tensor->name.empty())
        return invalidModel(model_.path + ": initializer " +
                            Twine(graph.initializers.size()) + " has no name");
      graph.initializers.push_back(std::move(*tensor));
      break;
    }
    case 11:
    case 12: {
      bool input = message.field() == 11;
      Expected<ValueInfo> info = readValueInfo(message.view());
      if (!info)
        return info.takeError();
      (input ? graph.inputs : graph.outputs).push_back(std::move(*info));
      break;
    }
    case 15:
      return invalidModel(model_.path +
                          ": sparse initializers are not supported");
    default:
      message.skip();
    }
  }
  return Error::success();
}

Expected<Node> ModelReader::readNode(data_view bytes, size_t index) {
  Message message(bytes, "NodeProto");
  Node node;
  // Attributes come before the name in many files: read them at the end.
  std::vector<data_view> attributes;
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
    case 5:
      attributes.push_back(message.view());
      break;
    case 7:
      node.domain = message.text();
      break;
    case 9: {
      auto [key, value] = readStringPair(message.view());
      if (key == "pkg.torch.onnx.name_scopes")
        node.scopes = std::move(value);
      break;
    }
    default:
      message.skip();
    }
  }
  if (node.domain == "ai.onnx")
    node.domain.clear();
  if (node.name.empty())
    node.name = node.outputs.empty() || node.outputs.front().empty()
                    ? node.opType + "_" + std::to_string(index)
                    : node.outputs.front();
  for (data_view bytes : attributes) {
    Expected<Attribute> attribute = readAttribute(bytes);
    if (!attribute) {
      std::string text;
      Fault fault = takeError(attribute.takeError(), text);
      return make_error<ImportError>(
          fault, model_.path + ": node '" + printable(node.name) + "' (" +
                     printable(node.opType) + "): " + text);
    }
    node.attributes.push_back(std::move(*attribute));
  }
  return node;
}

Expected<Attribute> ModelReader::readAttribute(data_view bytes) {
  Message message(bytes, "AttributeProto");
  Attribute attribute;
  std::optional<data_view> tensor;
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
      tensor = message.view();
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
    default:
      // Graphs, sparse tensors and types: an op that needs one is refused.
      message.skip();
    }
  }
  if (attribute.name.empty())
    return invalidModel("an attribute has no name");
  if (tensor) {
    Expected<Tensor> value =
        readTensor(*tensor, "attribute '" + Twine(attribute.name) + "'");
    if (!value)
      return value.takeError();
    attribute.t = std::move(*value);
  }
  return attribute;
}

Expected<ValueInfo> ModelReader::readValueInfo(data_view bytes) {
  Message message(bytes, "ValueInfoProto");
  ValueInfo info;
  std::optional<data_view> typeBytes;
  while (message.next()) {
    if (message.field() == 1)
      info.name = message.text();
    else if (message.field() == 2)
      typeBytes = message.view();
    else
      message.skip();
  }
  if (info.name.empty())
    return invalidModel(model_.path + ": a graph input or output has no name");
  if (!typeBytes)
    return info;
  Message type(*typeBytes, "TypeProto");
  while (type.next()) {
    if (type.field() != 1) {
      type.skip();
      continue;
    }
    info.isTensor = true;
    Message tensor(type.view(), "TypeProto.Tensor");
    while (tensor.next()) {
      if (tensor.field() == 1) {
        info.type =
            static_cast<ElemType>(static_cast<int32_t>(tensor.integer()));
        continue;
      }
      if (tensor.field() != 2) {
        tensor.skip();
        continue;
      }
      info.hasShape = true;
      Message shape(tensor.view(), "TensorShapeProto");
      while (shape.next()) {
        if (shape.field() != 1) {
          shape.skip();
          continue;
        }
        Message dimension(shape.view(), "TensorShapeProto.Dimension");
        Dimension entry;
        while (dimension.next()) {
          if (dimension.field() == 1)
            entry.size = dimension.integer();
          else if (dimension.field() == 2)
            entry.symbol = dimension.text();
          else
            dimension.skip();
        }
        // Some writers say "open" with -1.
        if (entry.size == -1)
          entry.size.reset();
        info.shape.push_back(std::move(entry));
      }
    }
  }
  return info;
}

Expected<Tensor> ModelReader::readTensor(data_view bytes,
                                         const Twine &fallbackName) {
  std::string fallback = fallbackName.str();
  RawTensor raw = readRawTensor(bytes);
  Error error = findData(raw);
  if (!error)
    return std::move(raw.tensor);
  std::string text;
  Fault fault = takeError(std::move(error), text);
  std::string name =
      raw.tensor.name.empty() ? fallback : "tensor '" + raw.tensor.name + "'";
  return make_error<ImportError>(fault, model_.path + ": " + printable(name) +
                                            ": " + text);
}

Error ModelReader::findData(RawTensor &raw) {
  Tensor &tensor = raw.tensor;
  if (raw.segmented)
    return invalidModel("tensors in segments are not supported");
  std::optional<int64_t> count = countElements(tensor.shape);
  if (!count)
    return invalidModel(
        "the shape [" +
        join(map_range(tensor.shape,
                       [](int64_t size) { return std::to_string(size); }),
             ", ") +
        "] is negative or too large");
  if (tensor.shape.size() > 64)
    return invalidModel("rank " + Twine(tensor.shape.size()) +
                        " is above the limit of 64");
  // Strings and the sub-byte types are refused where something uses them.
  size_t elementSize = byteSize(tensor.type);
  if (elementSize == 0)
    return Error::success();
  size_t size = static_cast<size_t>(*count) * elementSize;
  if (raw.external)
    return findExternalData(raw, size);
  if (!raw.raw)
    return copyTypedData(raw, static_cast<size_t>(*count));
  if (raw.raw->size() != size)
    return invalidModel("raw_data has " + Twine(raw.raw->size()) +
                        " bytes, its shape and type need " + Twine(size));
  tensor.bytes = ArrayRef<char>(raw.raw->data(), size);
  return Error::success();
}

Error ModelReader::findExternalData(RawTensor &raw, size_t size) {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
  for (const auto &[key, value] : raw.externalKeys) {
    uint64_t number = 0;
    bool isNumber = key == "offset" || key == "length";
    if (isNumber && StringRef(value).getAsInteger(10, number))
      return invalidModel("external data: " + key + " '" + printable(value) +
                          "' is not a number");
    if (key == "location")
      location = value;
    else if (key == "offset")
      offset = number;
    else if (key == "length")
      length = number;
  }
  if (length && *length != size)
    return invalidModel("external data has length " + Twine(*length) +
                        ", its shape and type need " + Twine(size));
  Expected<ArrayRef<char>> bytes = externalData_.slice(location, offset, size);
  if (!bytes)
    return bytes.takeError();
  raw.tensor.bytes = *bytes;
  return Error::success();
}

/// Writes `values` as little-endian elements of type T.
template <typename T>
void pack(MutableArrayRef<char> out, const auto &values) {
  for (size_t i = 0; i < values.size(); ++i) {
    T value = static_cast<T>(values[i]);
    std::memcpy(out.data() + i * sizeof(T), &value, sizeof(T));
  }
}

Error ModelReader::copyTypedData(RawTensor &raw, size_t count) {
  Tensor &tensor = raw.tensor;
  size_t found = tensor.type == ElemType::Float    ? raw.reals.size()
                 : tensor.type == ElemType::Double ? raw.doubles.size()
                                                   : raw.integers.size();
  if (found != count)
    return invalidModel("the data has " + Twine(found) +
                        " elements, the shape needs " + Twine(count));
  MutableArrayRef<char> out =
      model_.storage.allocate(count * byteSize(tensor.type));
  tensor.bytes = out;
  if (tensor.type == ElemType::Float)
    pack<float>(out, raw.reals);
  else if (tensor.type == ElemType::Double)
    pack<double>(out, raw.doubles);
  else if (tensor.type == ElemType::Bool)
    for (size_t i = 0; i < count; ++i)
      out[i] = raw.integers[i] != 0;
  else if (byteSize(tensor.type) == 1)
    pack<int8_t>(out, raw.integers);
  else if (byteSize(tensor.type) == 2)
    pack<int16_t>(out, raw.integers);
  else if (byteSize(tensor.type) == 4)
    pack<int32_t>(out, raw.integers);
  else
    pack<int64_t>(out, raw.integers);
  return Error::success();
}

} // namespace

Expected<Model> readModel(std::unique_ptr<MemoryBuffer> buffer, StringRef path,
                          StringRef folder) {
  Model model;
  model.path = path.str();
  ArrayRef<char> bytes = model.storage.keep(std::move(buffer));
  if (bytes.empty())
    return invalidModel(path + ": the file is empty");
  if (Error error = ModelReader(model, folder).read(bytes))
    return std::move(error);
  return model;
}

Expected<Model> readModel(StringRef path) {
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
  return readModel(std::move(*buffer), path, folder);
}

} // namespace mpc::onnx
