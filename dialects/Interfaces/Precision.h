// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The precisions that a user may ask for, their names, and their element
/// types. No other file spells the names.
#ifndef MPC_DIALECTS_INTERFACES_PRECISION_H
#define MPC_DIALECTS_INTERFACES_PRECISION_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/CommandLine.h"

#include <optional>
#include <string>
#include <vector>

#include "dialects/Interfaces/PrecisionEnums.h.inc"

namespace mpc {

/// Reads "fp32", "bf16", "fp16", and "mixed", which means fp16.
std::optional<Precision> parsePrecision(llvm::StringRef name);

/// The names that `parsePrecision` reads, in the order in which users see them.
std::vector<std::string> precisionNames();

/// The element type: f32, bf16 or f16.
mlir::FloatType typeOf(Precision precision, mlir::MLIRContext *context);

/// True of f16, bf16 and f32, among which autocast chooses. Autocast never
/// touches f64 and integers.
bool isCastable(mlir::Type elementType);

/// True of the types below f32 that a model may compute in: f16 and bf16.
bool isLowPrecision(mlir::Type elementType);

} // namespace mpc

/// How an option of a pass is read.
template <>
class llvm::cl::parser<mpc::Precision>
    : public llvm::cl::basic_parser<mpc::Precision> {
public:
  using basic_parser::basic_parser;
  bool parse(Option &option, StringRef flag, StringRef text,
             mpc::Precision &value);
  void printOptionDiff(const Option &option, mpc::Precision value,
                       const OptionValue<mpc::Precision> &standard,
                       size_t globalWidth) const;
};

#endif // MPC_DIALECTS_INTERFACES_PRECISION_H
