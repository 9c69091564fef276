// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Numbers in JSON, which has no infinities.
#ifndef MPC_RUNTIME_SUPPORT_JSONNUMBER_H
#define MPC_RUNTIME_SUPPORT_JSONNUMBER_H

#include "runtime/Support/Text.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace mpc::rt {

/// The number; its text where it is infinite or NaN.
inline nlohmann::ordered_json jsonNumber(double value) {
  if (std::isfinite(value))
    return value;
  return shortestDecimal(value);
}

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_JSONNUMBER_H
