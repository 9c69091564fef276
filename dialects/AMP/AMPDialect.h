// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The amp dialect and its ops.
#ifndef MPC_DIALECTS_AMP_AMPDIALECT_H
#define MPC_DIALECTS_AMP_AMPDIALECT_H

#include "dialects/AMP/GradientGroup.h"
#include "dialects/AMP/OptimizerStep.h"
#include "dialects/Interfaces/OpInterfaces.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "runtime/Program/StateRole.h"

#include "dialects/AMP/AMPEntryKind.h.inc"
#include "dialects/AMP/AMPRecipeEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/AMP/AMPAttrs.h.inc"
// The dialect returns attributes by value, so it needs their definitions.
#include "dialects/AMP/AMPDialect.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/AMP/AMPTypes.h.inc"

#include "dialects/AMP/AMPInterfaces.h.inc"

namespace mpc::amp {

/// The op is elementwise on slabs, and cheap: amp-fuse-optimizer computes it
/// again for each op that reads it.
template <typename ConcreteType>
class Recomputed : public mlir::OpTrait::TraitBase<ConcreteType, Recomputed> {};

/// The op reads its first operand as f32, even where that operand has 16 bits.
template <typename ConcreteType>
class WidensFirst : public mlir::OpTrait::TraitBase<ConcreteType, WidensFirst> {
};

} // namespace mpc::amp

#define GET_OP_CLASSES
#include "dialects/AMP/AMPOps.h.inc"

namespace mpc::amp {

/// The buffer in which the changes of `parameter` wait until a window is
/// applied, by its `amp.pending_of`; null for any other parameter.
mlir::FlatSymbolRefAttr getPendingOf(mlir::Operation *parameter);
void setPendingOf(mlir::Operation *parameter, mlir::FlatSymbolRefAttr buffer);

/// The buffer to which the batches of a window, which `parameter` keeps one by
/// one, add something, by its `amp.batches_of`; null for any other parameter.
/// They are those of one rank.
mlir::FlatSymbolRefAttr getBatchesOf(mlir::Operation *parameter);
void setBatchesOf(mlir::Operation *parameter, mlir::FlatSymbolRefAttr buffer);

/// The purpose for which `function` is run, by its `amp.entry`; empty where it
/// is no entry.
std::optional<EntryKind> getEntryKind(mlir::Operation *function);
inline bool isEntry(mlir::Operation *function) {
  return getEntryKind(function).has_value();
}
void setEntryKind(mlir::Operation *function, EntryKind kind);
/// Whether the function is an entry that leaves the state unchanged: eval or
/// measure.
bool isEvaluation(mlir::Operation *function);

} // namespace mpc::amp

#endif // MPC_DIALECTS_AMP_AMPDIALECT_H
