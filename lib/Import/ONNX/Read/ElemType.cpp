// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types, shapes in text, element counts and the memory of values.
#include "lib/Import/ONNX/Read/OnnxModel.h"

#include "lib/Import/ONNX/ImportError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace llvm;

namespace mpc::onnx {

/// By ONNX's number.
static constexpr const char *kTypeNames[] = {
    "undefined",      "float",        "uint8",          "int8",
    "uint16",         "int16",        "int32",          "int64",
    "string",         "bool",         "float16",        "double",
    "uint32",         "uint64",       "complex64",      "complex128",
    "bfloat16",       "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
    "float8e5m2fnuz", "uint4",        "int4",           "float4e2m1",
    "float8e8m0",     "uint2",        "int2",           "float6e2m3",
    "float6e3m2"};

bool isKnown(ElemType type) {
  auto number = static_cast<int32_t>(type);
  return number >= 0 && static_cast<size_t>(number) < std::size(kTypeNames);
}

std::string toString(ElemType type) {
  auto number = static_cast<int32_t>(type);
  return isKnown(type) ? kTypeNames[number] : "type " + std::to_string(number);
}

std::string toString(ArrayRef<Dimension> shape) {
  return join(map_range(shape,
                        [](const Dimension &dimension) {
                          return dimension.size
                                     ? std::to_string(*dimension.size)
                                 : dimension.symbol.empty()
                                     ? std::string("?")
                                     : printable(dimension.symbol);
                        }),
              "x");
}

size_t byteSize(ElemType type) {
  switch (type) {
  case ElemType::UInt8:
  case ElemType::Int8:
  case ElemType::Bool:
    return 1;
  case ElemType::UInt16:
  case ElemType::Int16:
  case ElemType::Float16:
  case ElemType::BFloat16:
    return 2;
  case ElemType::Float:
  case ElemType::Int32:
  case ElemType::UInt32:
    return 4;
  case ElemType::Int64:
  case ElemType::Double:
  case ElemType::UInt64:
    return 8;
  default:
    return 0;
  }
}

bool isFloat(ElemType type) {
  return type == ElemType::Float || type == ElemType::Float16 ||
         type == ElemType::BFloat16 || type == ElemType::Double;
}

bool isUnsigned(ElemType type) {
  return type == ElemType::UInt8 || type == ElemType::UInt16 ||
         type == ElemType::UInt32 || type == ElemType::UInt64;
}

std::optional<int64_t> countElements(ArrayRef<int64_t> shape) {
  // Elements of at most 8 bytes then have a size in bytes, too.
  constexpr int64_t kMost = int64_t(1) << 56;
  int64_t count = 1;
  bool empty = is_contained(shape, 0);
  for (int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    // Beside an empty axis the others keep within bounds, too.
    std::optional<int64_t> product =
        checkedMul<int64_t>(count, size == 0 ? 1 : size);
    if (!product || *product > kMost)
      return std::nullopt;
    count = *product;
  }
  return empty ? 0 : count;
}

MutableArrayRef<char> Storage::allocate(size_t size) {
  owned_.emplace_back(size);
  return owned_.back();
}

ArrayRef<char> Storage::keep(std::unique_ptr<MemoryBuffer> buffer) {
  ArrayRef<char> bytes(buffer->getBufferStart(), buffer->getBufferSize());
  mapped_.push_back(std::move(buffer));
  return bytes;
}

} // namespace mpc::onnx
