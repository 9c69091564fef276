// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The op interfaces that all dialects share.
#include "dialects/Interfaces/OpInterfaces.h"

#include "llvm/Support/ErrorHandling.h"

#include "dialects/Interfaces/OpInterfaces.cpp.inc"

bool mpc::hasOwnType(mlir::Operation *op, mlir::Value value) {
  auto rule = llvm::dyn_cast<PrecisionOpInterface>(op);
  return rule && rule.hasOwnType(value);
}

llvm::StringRef mpc::stringifyPrecisionRule(PrecisionRule rule) {
  switch (rule) {
  case PrecisionRule::Lower:
    return "lower";
  case PrecisionRule::KeepF32:
    return "keep-f32";
  case PrecisionRule::Promote:
    return "promote";
  case PrecisionRule::Infer:
    return "infer";
  case PrecisionRule::Clear:
    return "clear";
  }
  llvm_unreachable("unknown precision rule");
}

llvm::StringRef mpc::describePrecisionRule(PrecisionRule rule) {
  switch (rule) {
  case PrecisionRule::Lower:
    return "a contraction sums in f32 and gains most from 16-bit operands";
  case PrecisionRule::KeepF32:
    return "exponentials, norms, losses and sums overflow or lose digits in "
           "16 bits";
  case PrecisionRule::Promote:
    return "it runs in the widest type of its operands";
  case PrecisionRule::Infer:
    return "it stands both types and follows its operands";
  case PrecisionRule::Clear:
    return "it moves data and follows its operands";
  }
  llvm_unreachable("unknown precision rule");
}
