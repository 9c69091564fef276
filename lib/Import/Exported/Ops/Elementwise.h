// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How elementwise ops read their first operand.
#ifndef MPC_LIB_IMPORT_EXPORTED_OPS_ELEMENTWISE_H
#define MPC_LIB_IMPORT_EXPORTED_OPS_ELEMENTWISE_H

#include "lib/Import/Exported/Call.h"

namespace mpc::exported {

/// The operand `self`, in the type and shape of the result, which must be
/// floating.
llvm::Expected<Operand> floatOperand(Call &call);
/// The same of a result that must not be bool.
llvm::Expected<Operand> numberOperand(Call &call);

} // namespace mpc::exported

#endif // MPC_LIB_IMPORT_EXPORTED_OPS_ELEMENTWISE_H
