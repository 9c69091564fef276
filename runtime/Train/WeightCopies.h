// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Watches the 16-bit copies of weights, with which models compute.
#ifndef MPC_RUNTIME_TRAIN_WEIGHTCOPIES_H
#define MPC_RUNTIME_TRAIN_WEIGHTCOPIES_H

#include "runtime/Runner/Runner.h"

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace mpc::rt {

/// Warns of weights beyond the range of their copies. Copies saturate, so that
/// the model computes with other numbers.
class SaturationWatch {
public:
  using Warning = std::function<void(std::string_view text)>;

  explicit SaturationWatch(Warning warn) : warn_(std::move(warn)) {}
  /// Warns of each such weight once. The copies must be up to date.
  void look(const Runner &runner);

private:
  Warning warn_;
  std::set<std::string> known_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_WEIGHTCOPIES_H
