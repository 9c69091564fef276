// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The precision rule of a whole nn.autocast region.
#ifndef MPC_DIALECTS_NN_REGIONRULE_H
#define MPC_DIALECTS_NN_REGIONRULE_H

#include "dialects/Interfaces/OpInterfaces.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace mpc::nn {

/// On an nn.autocast region and on a function of an op library: the name of the
/// PrecisionRule by which nn-autocast decides for each op inside.
inline constexpr llvm::StringLiteral kRegionRule = "nn.rule";

/// The rule of that name, as stringifyPrecisionRule spells it; empty where
/// there is none.
inline std::optional<PrecisionRule> precisionRuleOf(llvm::StringRef name) {
  for (PrecisionRule rule :
       {PrecisionRule::Lower, PrecisionRule::KeepF32, PrecisionRule::Promote,
        PrecisionRule::Infer, PrecisionRule::Clear})
    if (stringifyPrecisionRule(rule) == name)
      return rule;
  return std::nullopt;
}

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_REGIONRULE_H
