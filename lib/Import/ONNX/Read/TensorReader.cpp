// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads tensors. A tensor has its data in one place, in the field of its type,
// in the amount that its shape needs.
#include "lib/Import/ONNX/Read/TensorReader.h"

#include "lib/Import/ImportError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <cstring>
#include <limits>

using namespace llvm;
using namespace mpc;
using namespace mpc::onnx;

namespace {

/// The fields of TensorProto that contain data.
enum DataField : uint32_t {
  FloatData = 4,
  Int32Data = 5,
  StringData = 6,
  Int64Data = 7,
  RawData = 9,
  DoubleData = 10,
  Uint64Data = 11,
  ExternalKeys = 13,
};

} // namespace

static std::string nameOf(uint32_t field) {
  return message::kTensor.find(field)->name;
}

std::pair<std::string, std::string> onnx::readStringPair(Message message) {
  std::pair<std::string, std::string> entry;
  while (message.next()) {
    if (message.field() == 1)
      entry.first = message.text();
    else if (message.field() == 2)
      entry.second = message.text();
    else
      message.skip();
  }
  return entry;
}

/// Reads a field that describes the tensor and is not its data.
static void readDescription(Message &message, RawTensor &raw) {
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
  case 8:
    raw.tensor.name = message.text();
    break;
  case 14:
    raw.location = message.integer();
    break;
  default:
    message.skip();
  }
}

/// Reads the integers of one field, of which a message may have several pieces.
static void readIntegers(Message &message, RawTensor &raw) {
  // After reading, the message no longer has the field's number.
  uint32_t field = message.field();
  size_t before = raw.integers.size();
  message.integers(raw.integers);
  if (raw.integers.size() != before && !is_contained(raw.held, field))
    raw.held.push_back(field);
}

/// Records which of the other fields have elements.
static void noteHeld(RawTensor &raw, bool hasStrings) {
  auto hold = [&](uint32_t field, bool present) {
    if (present)
      raw.held.push_back(field);
  };
  hold(FloatData, !raw.reals.empty());
  hold(DoubleData, !raw.doubles.empty());
  hold(StringData, hasStrings);
  hold(RawData, raw.raw && raw.raw->size() != 0);
  hold(ExternalKeys, !raw.externalKeys.empty());
}

RawTensor onnx::readRawTensor(Message message) {
  RawTensor raw;
  size_t strings = 0;
  while (message.next()) {
    switch (message.field()) {
    case FloatData:
      message.reals(raw.reals);
      break;
    case DoubleData:
      message.doubles(raw.doubles);
      break;
    case Int32Data:
    case Int64Data:
    case Uint64Data:
      readIntegers(message, raw);
      break;
    case StringData:
      ++strings;
      message.skip();
      break;
    case RawData:
      raw.raw = message.view();
      break;
    case ExternalKeys:
      raw.externalKeys.push_back(
          readStringPair(message.child(message::kStringPair)));
      break;
    default:
      readDescription(message, raw);
    }
  }
  noteHeld(raw, strings != 0);
  return raw;
}

/// The field with elements of `type` that are not raw.
static uint32_t fieldOf(ElemType type) {
  switch (type) {
  case ElemType::Float:
  case ElemType::Complex64:
    return FloatData;
  case ElemType::Double:
  case ElemType::Complex128:
    return DoubleData;
  case ElemType::Int64:
    return Int64Data;
  case ElemType::UInt32:
  case ElemType::UInt64:
    return Uint64Data;
  case ElemType::String:
    return StringData;
  default:
    return Int32Data;
  }
}

/// Checks that the data is in one place, and that the place is allowed.
static Error checkPlace(RawTensor &raw) {
  sort(raw.held);
  ElemType type = raw.tensor.type;
  if (raw.held.size() > 1)
    return invalidModel("has data in both " + nameOf(raw.held[0]) + " and " +
                        nameOf(raw.held[1]));
  if (raw.location != 0 && raw.location != 1)
    return invalidModel("data_location is " + Twine(raw.location) +
                        ", expected 0 (DEFAULT) or 1 (EXTERNAL)");
  if (raw.held.empty())
    return Error::success();
  uint32_t held = raw.held.front();
  if ((held == ExternalKeys) != (raw.location == 1))
    return invalidModel("data_location is " +
                        Twine(raw.location == 1 ? "EXTERNAL" : "DEFAULT") +
                        ", but the data is in " + nameOf(held));
  if (held == RawData && type == ElemType::String)
    return invalidModel("a tensor of strings has raw_data");
  if (held == RawData || held == ExternalKeys || held == fieldOf(type))
    return Error::success();
  return invalidModel("type " + toString(type) + " keeps its data in " +
                      nameOf(fieldOf(type)) + ", found " + nameOf(held));
}

static Error checkShape(const Tensor &tensor) {
  if (!countElements(tensor.shape))
    return invalidModel(
        "the shape [" +
        join(map_range(tensor.shape,
                       [](int64_t size) { return std::to_string(size); }),
             ", ") +
        "] is negative or too large");
  if (tensor.shape.size() > 64)
    return invalidModel("rank " + Twine(tensor.shape.size()) +
                        " is above the limit of 64");
  return Error::success();
}

/// The fields of external_data.
struct ExternalExtent {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
  std::string checksum;
};

static Expected<ExternalExtent> readExtent(const RawTensor &raw) {
  ExternalExtent extent;
  StringMap<bool> seen;
  for (const auto &[key, value] : raw.externalKeys) {
    if (!seen.try_emplace(key, true).second)
      return invalidModel("external_data gives '" + printable(key) + "' twice");
    uint64_t number = 0;
    bool isNumber = key == "offset" || key == "length";
    if (isNumber && StringRef(value).getAsInteger(10, number))
      return invalidModel("external data: " + key + " '" + printable(value) +
                          "' is not a number");
    if (key == "location")
      extent.location = value;
    else if (key == "offset")
      extent.offset = number;
    else if (key == "length")
      extent.length = number;
    else if (key == "checksum")
      extent.checksum = value;
  }
  return extent;
}

static Error findExternalData(RawTensor &raw, size_t size,
                              ExternalData &external) {
  Expected<ExternalExtent> extent = readExtent(raw);
  if (!extent)
    return extent.takeError();
  if (extent->length && *extent->length != size)
    return invalidModel("external data has length " + Twine(*extent->length) +
                        ", its shape and type need " + Twine(size));
  Expected<ArrayRef<char>> bytes =
      external.slice(extent->location, extent->offset, size);
  if (!bytes)
    return bytes.takeError();
  raw.tensor.bytes = *bytes;
  if (extent->checksum.empty())
    return Error::success();
  return external.checkDigest(extent->location, extent->checksum);
}

/// The valid integers of an element of `type`, in the form of int32_data.
static std::pair<int64_t, int64_t> rangeOf(ElemType type) {
  auto of = [](auto zero) -> std::pair<int64_t, int64_t> {
    using Limits = std::numeric_limits<decltype(zero)>;
    return {Limits::min(), Limits::max()};
  };
  switch (type) {
  case ElemType::Bool:
    return {0, 1};
  case ElemType::Int8:
    return of(int8_t());
  case ElemType::UInt8:
    return of(uint8_t());
  case ElemType::Int16:
    return of(int16_t());
  case ElemType::UInt16:
  case ElemType::Float16:
  case ElemType::BFloat16:
    return of(uint16_t());
  case ElemType::Int32:
    return of(int32_t());
  case ElemType::UInt32:
    return of(uint32_t());
  default:
    return of(int64_t());
  }
}

static Error checkRange(const RawTensor &raw) {
  ElemType type = raw.tensor.type;
  auto [least, most] = rangeOf(type);
  for (auto [index, value] : enumerate(raw.integers))
    if (value < least || value > most)
      return invalidModel("element " + Twine(index) + " of " +
                          nameOf(fieldOf(type)) + " is " + Twine(value) +
                          ", out of range for " + toString(type));
  return Error::success();
}

/// Writes `values` as little-endian elements of type T.
template <typename T>
static void pack(MutableArrayRef<char> out, const auto &values) {
  for (size_t i = 0; i < values.size(); ++i) {
    T value = static_cast<T>(values[i]);
    std::memcpy(out.data() + i * sizeof(T), &value, sizeof(T));
  }
}

static void packElements(MutableArrayRef<char> out, const RawTensor &raw) {
  if (raw.tensor.type == ElemType::Float)
    return pack<float>(out, raw.reals);
  if (raw.tensor.type == ElemType::Double)
    return pack<double>(out, raw.doubles);
  switch (byteSize(raw.tensor.type)) {
  case 1:
    return pack<int8_t>(out, raw.integers);
  case 2:
    return pack<int16_t>(out, raw.integers);
  case 4:
    return pack<int32_t>(out, raw.integers);
  default:
    return pack<int64_t>(out, raw.integers);
  }
}

static Error copyTypedData(RawTensor &raw, size_t count,
                           ModelStorage &storage) {
  Tensor &tensor = raw.tensor;
  size_t found = tensor.type == ElemType::Float    ? raw.reals.size()
                 : tensor.type == ElemType::Double ? raw.doubles.size()
                                                   : raw.integers.size();
  if (found != count)
    return invalidModel("the data has " + Twine(found) +
                        " elements, the shape needs " + Twine(count));
  MPC_TRY(checkRange(raw));
  MutableArrayRef<char> out = storage.allocate(count * byteSize(tensor.type));
  packElements(out, raw);
  tensor.bytes = out;
  return Error::success();
}

Error onnx::findData(RawTensor &raw, ModelStorage &storage,
                     ExternalData &external) {
  Tensor &tensor = raw.tensor;
  if (raw.segmented)
    return invalidModel("tensors in segments are not supported");
  if (tensor.type == ElemType::Undefined || !isKnown(tensor.type))
    return invalidModel("data_type is " +
                        Twine(static_cast<int32_t>(tensor.type)) +
                        ", which is not an element type of ONNX");
  MPC_TRY(checkShape(tensor));
  MPC_TRY(checkPlace(raw));
  // Strings and types below a byte are refused where they are used.
  size_t elementSize = byteSize(tensor.type);
  if (elementSize == 0)
    return Error::success();
  size_t count = static_cast<size_t>(*countElements(tensor.shape));
  size_t size = count * elementSize;
  if (raw.location == 1)
    return findExternalData(raw, size, external);
  if (!raw.raw)
    return copyTypedData(raw, count, storage);
  if (raw.raw->size() != size)
    return invalidModel("raw_data has " + Twine(raw.raw->size()) +
                        " bytes, its shape and type need " + Twine(size));
  tensor.bytes = ArrayRef<char>(raw.raw->data(), size);
  return Error::success();
}
