// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types, element counts and the memory of values.
#include "lib/Import/ONNX/OnnxModel.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace llvm;

namespace mpc::onnx {

std::string toString(ElemType type) {
  switch (type) {
  case ElemType::Undefined:
    return "undefined";
  case ElemType::Float:
    return "float";
  case ElemType::UInt8:
    return "uint8";
  case ElemType::Int8:
    return "int8";
  case ElemType::UInt16:
    return "uint16";
  case ElemType::Int16:
    return "int16";
  case ElemType::Int32:
    return "int32";
  case ElemType::Int64:
    return "int64";
  case ElemType::String:
    return "string";
  case ElemType::Bool:
    return "bool";
  case ElemType::Float16:
    return "float16";
  case ElemType::Double:
    return "double";
  case ElemType::UInt32:
    return "uint32";
  case ElemType::UInt64:
    return "uint64";
  case ElemType::BFloat16:
    return "bfloat16";
  }
  return "type " + std::to_string(static_cast<int32_t>(type));
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

std::optional<int64_t> countElements(ArrayRef<int64_t> shape) {
  // Elements of at most 8 bytes then have a size in bytes, too.
  constexpr int64_t most = int64_t(1) << 56;
  int64_t count = 1;
  bool empty = is_contained(shape, 0);
  for (int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    // Beside an empty axis the others keep within bounds, too.
    std::optional<int64_t> product =
        checkedMul<int64_t>(count, size == 0 ? 1 : size);
    if (!product || *product > most)
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
