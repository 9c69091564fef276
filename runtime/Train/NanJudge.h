// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finds the faulty tensor of a step, from the magnitudes that a probe yields.
#ifndef MPC_RUNTIME_TRAIN_NANJUDGE_H
#define MPC_RUNTIME_TRAIN_NANJUDGE_H

#include "runtime/Program/ProbeSite.h"
#include "runtime/Train/NanReport.h"

#include <optional>
#include <span>

namespace mpc::rt {

/// The first site, in program order, that should be finite and is not.
/// `largest` has the largest magnitude of each site, NaN where the site has a
/// NaN. A value that a step computes and does not use, as the other side of a
/// select, may be anything. A value that is infinite because of an infinite
/// constant, as a mask before a softmax, is intended. If no bad site leads to a
/// value that the step uses, the first bad site not caused by such a constant
/// is at fault. If all sites that lead there come from such constants, these
/// are at fault. Empty where every tensor is as it should be.
[[nodiscard]] std::optional<NanFinding>
findFault(std::span<const ProbeSite> sites, std::span<const double> largest);

/// The same on `ranks` ranks, of which `largest` has the magnitudes one after
/// the other: the first site in program order that is at fault on any rank. The
/// guilty nodes are those of all ranks.
[[nodiscard]] std::optional<NanFinding>
findFaultOnRanks(std::span<const ProbeSite> sites,
                 std::span<const double> largest, uint32_t ranks);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_NANJUDGE_H
