// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The patterns of amp-lower-state.
#ifndef MPC_PASSES_AMP_STATEPATTERNS_H
#define MPC_PASSES_AMP_STATEPATTERNS_H

#include "mlir/Transforms/DialectConversion.h"
#include "passes/AMP/SlabBuilder.h"

namespace mpc::amp {

/// The context that all patterns share.
struct StateContext {
  SlabLayout &layout;
  bool saturates; ///< Whether weight copies of finite parameters stay finite.
};

/// Converts an op that names state to ops on slabs. All gradients of an
/// optimizer become one flat f32 tensor for each of its groups, in their order.
template <typename OpT>
class StatePattern : public mlir::OpConversionPattern<OpT> {
public:
  StatePattern(const mlir::TypeConverter &types, mlir::MLIRContext *context,
               const StateContext &state)
      : mlir::OpConversionPattern<OpT>(types, context), state_(state) {}

protected:
  SlabBuilder slabs(OpT op, mlir::OpBuilder &builder) const {
    return {state_.layout, state_.saturates, builder, op.getLoc()};
  }
  SlabLayout &layout() const { return state_.layout; }

private:
  const StateContext &state_;
};

/// The one value of an optional operand; null where it is missing.
inline mlir::Value valueOf(mlir::ValueRange operand) {
  return operand.empty() ? mlir::Value() : operand.front();
}

/// Adds patterns for ops that read state, and for loss scalers.
void addScalarPatterns(mlir::RewritePatternSet &patterns,
                       const mlir::TypeConverter &types,
                       const StateContext &state);
/// Adds patterns for ops on gradients.
void addGradientPatterns(mlir::RewritePatternSet &patterns,
                         const mlir::TypeConverter &types,
                         const StateContext &state);
/// Adds patterns for ops that change parameters.
void addUpdatePatterns(mlir::RewritePatternSet &patterns,
                       const mlir::TypeConverter &types,
                       const StateContext &state);

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_STATEPATTERNS_H
