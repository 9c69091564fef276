// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which type of MLIR each element type of the runtime is.
#include "dialects/Interfaces/ElementTypes.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace mpc {

Type typeOf(MLIRContext *context, rt::DType dtype) {
  switch (dtype) {
  case rt::DType::F64:
    return Float64Type::get(context);
  case rt::DType::F32:
    return Float32Type::get(context);
  case rt::DType::F16:
    return Float16Type::get(context);
  case rt::DType::BF16:
    return BFloat16Type::get(context);
  default:
    break;
  }
  auto width = static_cast<unsigned>(8 * rt::byteSize(dtype));
  if (dtype == rt::DType::Bool)
    width = 1;
  bool isSignless = dtype == rt::DType::Bool || rt::isSigned(dtype);
  return IntegerType::get(context, width,
                          isSignless ? IntegerType::Signless
                                     : IntegerType::Unsigned);
}

std::optional<rt::DType> dtypeOf(Type elementType) {
  // The last of the enum is U64.
  for (int i = 0; i <= static_cast<int>(rt::DType::U64); ++i)
    if (auto dtype = static_cast<rt::DType>(i);
        typeOf(elementType.getContext(), dtype) == elementType)
      return dtype;
  return std::nullopt;
}

} // namespace mpc
