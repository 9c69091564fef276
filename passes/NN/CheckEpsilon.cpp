// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-check-epsilon: warns of small constants that their type does not hold.
#include "passes/NN/Passes.h"

#include "dialects/NN/NNDialect.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"

namespace mpc::nn {
#define GEN_PASS_DEF_CHECKEPSILONPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc::nn;

/// What is left of `value` in `type` where that is too little: "0" or
/// "subnormal"; empty where it is held, or was never a number above 0.
static StringRef lossIn(const APFloat &value, FloatType type) {
  if (!value.isFiniteNonZero())
    return "";
  APFloat rounded = value;
  bool losesInfo = false;
  rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  if (rounded.isZero())
    return "0";
  return rounded.isDenormal() ? "subnormal" : "";
}

/// The one value of a constant, looked for behind a cast; empty for any other.
static std::optional<APFloat> getConstant(Value value) {
  if (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getInput();
  DenseFPElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<APFloat>();
}

namespace {

struct CheckEpsilonPass
    : mpc::nn::impl::CheckEpsilonPassBase<CheckEpsilonPass> {
  using CheckEpsilonPassBase::CheckEpsilonPassBase;

  void runOnOperation() override {
    told.clear();
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](Operation *op) { check(op); });
  }

private:
  void check(Operation *op) {
    // A cast says nothing of how its result is used.
    if (!isa<CastOp>(op))
      for (Value operand : op->getOperands())
        if (auto type = dyn_cast<FloatType>(getElementTypeOrSelf(operand)))
          if (std::optional<APFloat> constant = getConstant(operand))
            warn(op, "constant", *constant, type);
    if (auto epsilon = op->getAttrOfType<FloatAttr>("epsilon"))
      warn(op, "epsilon", epsilon.getValue(),
           Float32Type::get(op->getContext()));
  }

  void warn(Operation *op, StringRef what, const APFloat &value,
            FloatType type) {
    StringRef loss = lossIn(value, type);
    if (loss.empty())
      return;
    std::string text;
    llvm::raw_string_ostream(text)
        << what << " " << llvm::format("%g", value.convertToDouble()) << " is "
        << loss << " in " << type << ", in which " << op->getName()
        << " takes it";
    if (!type.isF32())
      text += "; --keep-fp32 keeps nodes in f32";
    // The loss is made of the model: both hold the node.
    std::string key = text;
    llvm::raw_string_ostream(key) << op->getLoc();
    if (told.insert(key).second)
      op->emitWarning(text);
  }

  llvm::StringSet<> told;
};

} // namespace
