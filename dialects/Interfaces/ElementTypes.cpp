// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The type of MLIR for each element format.
#include "dialects/Interfaces/ElementTypes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace mpc {

namespace {

/// A floating type of MLIR.
struct FloatRow {
  const rt::FloatFormat *format;
  TypeID id;
  Type (*get)(MLIRContext *context);
};

} // namespace

template <typename T>
static FloatRow rowOf(const rt::FloatFormat &format) {
  return {&format, TypeID::get<T>(),
          [](MLIRContext *context) -> Type { return T::get(context); }};
}

static ArrayRef<FloatRow> floatRows() {
  static const FloatRow kRows[] = {
      rowOf<Float64Type>(rt::kFormatF64),
      rowOf<Float32Type>(rt::kFormatF32),
      rowOf<Float16Type>(rt::kFormatF16),
      rowOf<BFloat16Type>(rt::kFormatBF16),
      rowOf<Float8E4M3FNType>(rt::kFormatE4M3FN),
      rowOf<Float8E5M2Type>(rt::kFormatE5M2),
  };
  return kRows;
}

/// The width in bits of an integer of the format in MLIR.
static unsigned widthOf(const rt::ElementFormat &format) {
  return format.kind == rt::NumberKind::Bool ? 1 : format.bits;
}

static bool isUnsigned(const rt::ElementFormat &format) {
  return format.kind == rt::NumberKind::Unsigned;
}

Type typeOf(MLIRContext *context, const rt::ElementFormat &format) {
  if (!format.format)
    return IntegerType::get(context, widthOf(format),
                            isUnsigned(format) ? IntegerType::Unsigned
                                               : IntegerType::Signless);
  const FloatRow *row = llvm::find_if(floatRows(), [&](const FloatRow &known) {
    return known.format == format.format;
  });
  assert(row != floatRows().end() && "MLIR has every float of the table");
  return row->get(context);
}

Type typeOf(MLIRContext *context, rt::DType dtype) {
  return typeOf(context, rt::elementFormatOf(dtype));
}

static bool isOf(Type type, const rt::ElementFormat &format) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return !format.format && integer.getWidth() == widthOf(format) &&
           !integer.isSigned() && integer.isUnsigned() == isUnsigned(format);
  return llvm::any_of(floatRows(), [&](const FloatRow &row) {
    return row.format == format.format && row.id == type.getTypeID();
  });
}

const rt::ElementFormat *elementFormatOf(Type elementType) {
  const auto *found =
      llvm::find_if(rt::kElementFormats, [&](const rt::ElementFormat &format) {
        return isOf(elementType, format);
      });
  return found == rt::kElementFormats.end() ? nullptr : found;
}

std::optional<rt::DType> dtypeOf(Type elementType) {
  const rt::ElementFormat *format = elementFormatOf(elementType);
  return format ? format->dtype : std::nullopt;
}

} // namespace mpc
