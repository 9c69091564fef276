// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the index constants of an emitted kernel that can be passed to its
// code.
#include "lib/Codegen/CPU/Sizes.h"

#include "dialects/Kernel/KernelDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;

std::optional<int64_t> mpc::cpu::numberOf(Value value) {
  APInt number;
  if (!value.getType().isIndex() ||
      !matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

/// The bits of a constant with which a kernel computes; empty for a computed
/// value.
static std::optional<int64_t> bitsOf(Value value) {
  FloatAttr number;
  if (matchPattern(value, m_Constant(&number)))
    return number.getValue().bitcastToAPInt().getZExtValue();
  return numberOf(value);
}

//===----------------------------------------------------------------------===//
// Divisors
//===----------------------------------------------------------------------===//

/// The reciprocal is less than 2^64 / divisor by e, where 0 < e <= 1. So the
/// product, over 2^64, is less than (x + 1) / divisor, which is at most one
/// more than the quotient. The product is smaller by at most (x + 1) / 2^64, at
/// most 1 / divisor: too little to fall below the quotient (Robison, 2005).
uint64_t mpc::cpu::reciprocalOf(uint64_t divisor) {
  return UINT64_MAX / divisor;
}

int64_t Size::number() const {
  int64_t number = *bitsOf(operand->get());
  return isReciprocal ? static_cast<int64_t>(reciprocalOf(number)) : number;
}

static bool isDivisor(OpOperand &operand) {
  return isa<arith::DivUIOp, arith::RemUIOp>(operand.getOwner()) &&
         operand.getOperandNumber() == 1;
}

/// An upper bound of `value`, as far as it is known.
uint64_t Sizes::mostOf(Value value) {
  auto [known, isNew] = most_.try_emplace(value, UINT64_MAX);
  if (!isNew)
    return known->second;
  uint64_t most = computeMost(value);
  return most_[value] = most;
}

uint64_t Sizes::computeMost(Value value) {
  if (std::optional<int64_t> number = numberOf(value))
    return *number < 0 ? UINT64_MAX : *number;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    // The range of chunks is an argument of the kernel.
    if (argument.getOwner() == &kernel_.getBody().front())
      return mpc::kernel::getEmittedKernel(kernel_).getChunks();
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar()
               ? mostOf(loop.getUpperBound())
               : UINT64_MAX;
  }
  return llvm::TypeSwitch<Operation *, uint64_t>(value.getDefiningOp())
      .Case([&](arith::AddIOp op) {
        return llvm::SaturatingAdd(mostOf(op.getLhs()), mostOf(op.getRhs()));
      })
      .Case([&](arith::MulIOp op) {
        return llvm::SaturatingMultiply(mostOf(op.getLhs()),
                                        mostOf(op.getRhs()));
      })
      .Case([&](arith::DivUIOp op) {
        uint64_t most = mostOf(op.getLhs());
        // A constant divisor of 0 stands in code that never runs.
        uint64_t divisor = numberOf(op.getRhs()).value_or(1);
        return most == UINT64_MAX || divisor == 0 ? most : most / divisor;
      })
      .Case<arith::RemUIOp, arith::MinUIOp>([&](auto op) {
        return std::min(mostOf(op.getLhs()), mostOf(op.getRhs()));
      })
      .Default(UINT64_MAX);
}

bool Sizes::hasReciprocal(OpOperand &operand) {
  int64_t divisor = *numberOf(operand.get());
  uint64_t most = mostOf(operand.getOwner()->getOperand(0));
  return divisor > 0 &&
         llvm::SaturatingMultiply<uint64_t>(
             llvm::SaturatingAdd<uint64_t>(most, 1), divisor) < UINT64_MAX;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Whether the op is a loop of one iteration. Such a loop vanishes where its
/// bounds are known. A loop that contains other loops may as well be kept as
/// one.
static bool isStraight(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return false;
  std::optional<APInt> turns = loop.getStaticTripCount();
  return turns && turns->isOne() && loop.getOps<scf::ForOp>().empty();
}

/// Multiplying 64-bit lanes takes shifts and additions for a known factor, and
/// a dozen AVX2 instructions for an unknown one.
static bool isFactorOfLanes(Operation *op) {
  return isa<vector::BroadcastOp>(op) &&
         llvm::any_of(op->getUsers(), llvm::IsaPred<arith::MulIOp>);
}

bool Sizes::mayBeTold(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (!operand.get().getType().isIndex())
    return bitsOf(operand.get()).has_value();
  return numberOf(operand.get()) && !isStraight(op) && !isFactorOfLanes(op) &&
         (!isDivisor(operand) || hasReciprocal(operand));
}

void Sizes::add(OpOperand &operand) {
  operands_.insert(&operand);
  if (!isDivisor(operand) || isa<arith::RemUIOp>(operand.getOwner()))
    sizes_.push_back({&operand, /*isReciprocal=*/false});
  if (isDivisor(operand))
    sizes_.push_back({&operand, /*isReciprocal=*/true});
}

Sizes::Sizes(func::FuncOp kernel) : kernel_(kernel) {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (mayBeTold(operand))
        add(operand);
  });
}
