// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The op interfaces that all dialects share.
#include "dialects/Interfaces/OpInterfaces.h"

#include "llvm/Support/ErrorHandling.h"

#include "dialects/Interfaces/OpInterfaces.cpp.inc"

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
