// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the multiply units of CPUs are, and what runs on them.
#include "lib/Codegen/CPU/Units.h"

#include "dialects/Interfaces/Precision.h"
#include "lib/Codegen/CPU/Depthwise.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

MultiplyUnit mpc::cpu::describeUnit(Unit unit, int64_t lanes) {
  switch (unit) {
  case Unit::FMA:
    return {"fma", Precision::FP32, /*rows=*/1,
            lanes, /*depth=*/1,     OperandLayout::Elements};
  case Unit::AVX512BF16:
    return {"vdpbf16ps", Precision::BF16, /*rows=*/1,
            lanes,       /*depth=*/2,     OperandLayout::Pairs};
  }
  llvm_unreachable("a unit without numbers");
}

int64_t mpc::cpu::getDepth(Unit unit) {
  return describeUnit(unit, /*lanes=*/16).depth;
}

/// The value in bf16 that the region widens to `factor`; null for any other.
static Value getNarrow(Value factor) {
  auto widened = factor.getDefiningOp<arith::ExtFOp>();
  return widened && widened.getIn().getType().isBF16() ? widened.getIn()
                                                       : Value();
}

StringRef GemmAttr::getUnitName() const {
  return getUnit() == Unit::FMA ? StringRef()
                                : describeUnit(getUnit(), getLanes()).name;
}

StringRef AttentionAttr::getUnitName() const {
  return getUnit() == Unit::FMA ? StringRef()
                                : describeUnit(getUnit(), getLanes()).name;
}

Unit mpc::cpu::chooseUnit(const Contraction &contraction, Unit bf16) {
  bool fits = bf16 != Unit::FMA && contraction.fused &&
              llvm::all_of(contraction.factors, getNarrow) &&
              contraction.sizes[Contraction::K] > 1 &&
              !matchDepthwise(contraction);
  return fits ? bf16 : Unit::FMA;
}

Value mpc::cpu::getFactor(const Contraction &contraction, unsigned operand,
                          Unit unit) {
  Value factor = contraction.factors[operand];
  return unit == Unit::FMA ? factor : getNarrow(factor);
}

FloatType mpc::cpu::getFactorType(MLIRContext *context, Unit unit) {
  if (describeUnit(unit, /*lanes=*/16).factors == Precision::BF16)
    return BFloat16Type::get(context);
  return Float32Type::get(context);
}
