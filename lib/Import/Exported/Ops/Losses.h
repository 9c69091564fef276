// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What losses share.
#ifndef MPC_LIB_IMPORT_EXPORTED_OPS_LOSSES_H
#define MPC_LIB_IMPORT_EXPORTED_OPS_LOSSES_H

#include "lib/Import/Build/ClassLoss.h"
#include "lib/Import/Exported/Call.h"

namespace mpc::exported {

/// The argument `reduction`, which is one of torch's numbers.
llvm::Expected<Reduction> readReduction(Call &call);

} // namespace mpc::exported

#endif // MPC_LIB_IMPORT_EXPORTED_OPS_LOSSES_H
