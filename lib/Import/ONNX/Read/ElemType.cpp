// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of ONNX's element types, and open shapes as text.
#include "lib/Import/ONNX/Read/OnnxModel.h"

#include "lib/Import/ImportError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

struct TypeRow {
  const char *name;
  std::optional<rt::DType> dtype = std::nullopt;
};

/// The rows are in the order of ONNX's numbers.
constexpr TypeRow kTypes[] = {{"undefined"},
                              {"float", rt::DType::F32},
                              {"uint8", rt::DType::U8},
                              {"int8", rt::DType::I8},
                              {"uint16", rt::DType::U16},
                              {"int16", rt::DType::I16},
                              {"int32", rt::DType::I32},
                              {"int64", rt::DType::I64},
                              {"string"},
                              {"bool", rt::DType::Bool},
                              {"float16", rt::DType::F16},
                              {"double", rt::DType::F64},
                              {"uint32", rt::DType::U32},
                              {"uint64", rt::DType::U64},
                              {"complex64"},
                              {"complex128"},
                              {"bfloat16", rt::DType::BF16},
                              {"float8e4m3fn"},
                              {"float8e4m3fnuz"},
                              {"float8e5m2"},
                              {"float8e5m2fnuz"},
                              {"uint4"},
                              {"int4"},
                              {"float4e2m1"},
                              {"float8e8m0"},
                              {"uint2"},
                              {"int2"},
                              {"float6e2m3"},
                              {"float6e3m2"}};

} // namespace

bool isKnown(ElemType type) {
  auto number = static_cast<int32_t>(type);
  return number >= 0 && static_cast<size_t>(number) < std::size(kTypes);
}

std::string toString(ElemType type) {
  auto number = static_cast<int32_t>(type);
  return isKnown(type) ? kTypes[number].name : "type " + std::to_string(number);
}

std::optional<rt::DType> dtypeOf(ElemType type) {
  return isKnown(type) ? kTypes[static_cast<int32_t>(type)].dtype
                       : std::nullopt;
}

ElemType elemTypeOf(rt::DType dtype) {
  const auto *row = find_if(kTypes, [&](const TypeRow &candidate) {
    return candidate.dtype == dtype;
  });
  assert(row != std::end(kTypes) && "ONNX has every type of ours");
  return static_cast<ElemType>(row - kTypes);
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
  std::optional<rt::DType> dtype = dtypeOf(type);
  return dtype ? rt::byteSize(*dtype) : 0;
}

bool isFloat(ElemType type) {
  std::optional<rt::DType> dtype = dtypeOf(type);
  return dtype && rt::isFloat(*dtype);
}

} // namespace mpc::onnx
