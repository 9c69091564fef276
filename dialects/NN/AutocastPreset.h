// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How recipes, options and records name the built-in autocast policies.
#ifndef MPC_DIALECTS_NN_AUTOCASTPRESET_H
#define MPC_DIALECTS_NN_AUTOCASTPRESET_H

#include "llvm/ADT/StringRef.h"

namespace mpc::nn {

/// The prefix of a preset's name. A policy without it is a file.
inline constexpr llvm::StringLiteral kPresetPrefix = "preset:";

/// The policy that holds where none is named.
inline constexpr llvm::StringLiteral kDefaultAutocast = "preset:mpc";

/// `policy` without the prefix of presets.
inline llvm::StringRef withoutPresetPrefix(llvm::StringRef policy) {
  policy.consume_front(kPresetPrefix);
  return policy;
}

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_AUTOCASTPRESET_H
