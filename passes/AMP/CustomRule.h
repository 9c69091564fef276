// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Optimizers whose rule is a function of the module.
#ifndef MPC_PASSES_AMP_CUSTOMRULE_H
#define MPC_PASSES_AMP_CUSTOMRULE_H

#include "dialects/AMP/AMPDialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace mpc::amp {

/// Writes the rule of `optimizer` for whole slabs, one element after another:
/// `elements` has its parameters, gradients and slots by name, `scalars` what
/// is one number for all. Returns the rule's results by name; where the step
/// of `apply` is skipped they are the old values.
llvm::MapVector<llvm::StringRef, mlir::Value>
emitCustomRule(mlir::OpBuilder &builder, ApplyOp apply,
               CustomOptimizerOp optimizer,
               const llvm::StringMap<mlir::Value> &elements,
               const llvm::StringMap<mlir::Value> &scalars);

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_CUSTOMRULE_H
