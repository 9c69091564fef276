// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of precisions and their types.
#include "dialects/Interfaces/Precision.h"

#include "dialects/Interfaces/ElementTypes.h"

#include "dialects/Interfaces/PrecisionEnums.cpp.inc"

using namespace mlir;
using namespace mpc;

static constexpr llvm::StringLiteral kMixed = "mixed";

std::optional<Precision> mpc::parsePrecision(StringRef name) {
  return name == kMixed ? Precision::FP16 : symbolizePrecision(name);
}

std::vector<std::string> mpc::precisionNames() {
  std::vector<std::string> names;
  for (uint32_t i = 0; i <= getMaxEnumValForPrecision(); ++i)
    names.push_back(stringifyPrecision(static_cast<Precision>(i)).str());
  names.push_back(kMixed.str());
  return names;
}

FloatType mpc::typeOf(Precision precision, MLIRContext *context) {
  switch (precision) {
  case Precision::FP32:
    return Float32Type::get(context);
  case Precision::BF16:
    return BFloat16Type::get(context);
  case Precision::FP16:
    return Float16Type::get(context);
  }
  llvm_unreachable("unknown precision");
}

bool mpc::isLowPrecision(Type elementType) {
  const rt::ElementFormat *format = elementFormatOf(elementType);
  return format && format->isLowPrecision();
}

bool mpc::isCastable(Type elementType) {
  return elementType.isF32() || isLowPrecision(elementType);
}

bool llvm::cl::parser<Precision>::parse(Option &option, StringRef,
                                        StringRef text, Precision &value) {
  std::optional<Precision> parsed = parsePrecision(text);
  if (!parsed)
    return option.error("unknown precision '" + text +
                        "'; known are fp32, bf16, fp16 and mixed (fp16)");
  value = *parsed;
  return false;
}

void llvm::cl::parser<Precision>::printOptionDiff(
    const Option &option, Precision value, const OptionValue<Precision> &,
    size_t globalWidth) const {
  printOptionName(option, globalWidth);
  outs() << "= " << value << "\n";
}
