// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-cast-outputs: casts the model's outputs to a type.
#include "passes/NN/Passes.h"

#include "dialects/Interfaces/Precision.h"
#include "dialects/NN/FunctionNames.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/TypeUtilities.h"

namespace mpc::nn {
#define GEN_PASS_DEF_CASTOUTPUTSPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

namespace {

struct CastOutputsPass : mpc::nn::impl::CastOutputsPassBase<CastOutputsPass> {
  using CastOutputsPassBase::CastOutputsPassBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> model = findModel();
    if (failed(model))
      return signalPassFailure();
    Operation *terminator = model->getBody().front().getTerminator();
    castOperands(terminator, typeOf(type, &getContext()));
    model->setFunctionType(FunctionType::get(&getContext(),
                                             model->getArgumentTypes(),
                                             terminator->getOperandTypes()));
  }

private:
  FailureOr<func::FuncOp> findModel() {
    auto model = getOperation().lookupSymbol<func::FuncOp>(kModelFunction);
    if (model && !model.isDeclaration() && model.getBody().hasOneBlock())
      return model;
    return getOperation().emitError("has no function @model of one block");
  }

  static void castOperands(Operation *terminator, Type type) {
    OpBuilder builder(terminator);
    for (OpOperand &operand : terminator->getOpOperands()) {
      auto tensor = mlir::cast<RankedTensorType>(operand.get().getType());
      Type element = tensor.getElementType();
      if (isCastable(element) && element != type)
        operand.set(CastOp::create(builder, operand.get().getLoc(),
                                   tensor.clone(type), operand.get()));
    }
  }
};

} // namespace
