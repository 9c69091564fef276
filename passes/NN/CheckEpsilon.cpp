// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-check-epsilon: warns of small constants, and of bounds near 1, that their
// type cannot hold.
#include "passes/NN/Passes.h"

#include "dialects/NN/Constants.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/NN/FollowedType.h"
#include "llvm/ADT/StringSet.h"

namespace mpc::nn {
#define GEN_PASS_DEF_CHECKEPSILONPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

/// The one number of a constant, also through a cast; empty for any other
/// value.
static std::optional<APFloat> getConstant(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  return splatOf(cast ? cast.getInput() : value);
}

namespace {

struct CheckEpsilonPass
    : mpc::nn::impl::CheckEpsilonPassBase<CheckEpsilonPass> {
  using CheckEpsilonPassBase::CheckEpsilonPassBase;

  void runOnOperation() override {
    told_.clear();
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](Operation *op) { check(op); });
  }

private:
  void check(Operation *op) {
    // A cast does not tell how its result is used.
    if (!isa<CastOp>(op))
      for (Value operand : op->getOperands())
        if (std::optional<APFloat> constant = getConstant(operand))
          checkConstant(op, operand, *constant);
    if (auto epsilon = op->getAttrOfType<FloatAttr>("epsilon"))
      checkEpsilon(op, epsilon.getValue(), Float32Type::get(op->getContext()));
  }

  void checkEpsilon(Operation *op, const APFloat &value, FloatType type) {
    warn(op, "epsilon", value, lossIn(value, type), type, "takes it");
  }

  /// An op that keeps a number in f32 does not lose it, but the result may be
  /// rounded so that it makes no difference: 0 + 1e-8 is 0 in f16.
  void checkConstant(Operation *op, Value operand, const APFloat &constant) {
    auto rule = dyn_cast<PrecisionOpInterface>(op);
    bool isCarried = rule && rule.carriesNumbers() && rule.hasOwnType(operand);
    Value typed = isCarried ? op->getResult(0) : operand;
    auto type = dyn_cast<FloatType>(getElementTypeOrSelf(typed));
    if (!type)
      return;
    warn(op, "constant", constant, lossIn(constant, type), type,
         isCarried ? "rounds its result" : "takes it");
    if (rule && !rule.carriesNumbers())
      warn(op, "bound", constant, poleIn(constant, type), type, "takes it");
  }

  void warn(Operation *op, StringRef what, const APFloat &value, StringRef loss,
            FloatType type, StringRef use) {
    // An infinite number is a mask's, and is visible in the result.
    if (loss.empty() || loss == "infinite")
      return;
    std::string text;
    llvm::raw_string_ostream(text)
        << what << " " << textOf(value, 6) << " is " << loss << " in " << type
        << ", in which " << op->getName() << " " << use;
    if (!type.isF32())
      text += "; --keep-fp32 keeps nodes in f32";
    // The loss contains the model, so that both have the node.
    std::string key = text;
    llvm::raw_string_ostream(key) << op->getLoc();
    if (told_.insert(key).second)
      op->emitWarning(text);
  }

  llvm::StringSet<> told_;
};

} // namespace
