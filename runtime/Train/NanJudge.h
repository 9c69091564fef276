// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which tensor of a step is at fault, by what a probe tells of all of them.
#ifndef MPC_RUNTIME_TRAIN_NANJUDGE_H
#define MPC_RUNTIME_TRAIN_NANJUDGE_H

#include "runtime/Program/ProbeSite.h"
#include "runtime/Train/NanReport.h"

#include <optional>
#include <span>

namespace mpc::rt {

/// The first site, in program order, that is not finite and should be.
/// `largest` has the largest magnitude of each site, NaN where it holds one.
/// What a step computes and does not use, as the other side of a select, may be
/// anything; what is infinite because of a constant that is, as a mask before a
/// softmax, is meant to be. Where nothing leads to what the step uses the first
/// that is not finite in a way of its own is at fault; where all that does
/// comes of such constants, they are. Empty where every tensor is as it should
/// be.
[[nodiscard]] std::optional<NanFinding>
findFault(std::span<const ProbeSite> sites, std::span<const double> largest);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_NANJUDGE_H
