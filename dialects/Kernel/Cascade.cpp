// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the chains of a cascade end.
#include "dialects/Kernel/Cascade.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mpc::kernel;

/// The approximate length of a chain. It is PyTorch's length, so that errors
/// are alike.
static constexpr int64_t kLength = 16;
/// The greatest length up to which one chain is as good as two.
static constexpr int64_t kMost = kLength + kLength / 2 - 1;

/// The chains of the elements of loops with these `extents`.
static Chains getFirstChains(llvm::ArrayRef<int64_t> extents) {
  unsigned dim = extents.size() - 1;
  int64_t inner = 1; // The number of iterations within one index of `dim`.
  while (dim > 0 && inner * extents[dim] <= kMost)
    inner *= extents[dim--];
  if (inner * extents[dim] <= kMost)
    return {dim, extents[dim]};
  return {dim, std::max<int64_t>(kLength / inner, 1)};
}

llvm::SmallVector<Chains>
mpc::kernel::getCascade(llvm::ArrayRef<int64_t> extents) {
  // The loops over the sums that are left to be added. The innermost one goes
  // over chains.
  llvm::SmallVector<int64_t> left(extents);
  llvm::SmallVector<Chains> cuts;
  for (;;) {
    Chains chains = getFirstChains(left);
    if (chains.dim == 0 && chains.count == left[0])
      return cuts;
    left.truncate(chains.dim + 1);
    left.back() = llvm::divideCeil(left.back(), chains.count);
    if (!cuts.empty() && cuts.back().dim == chains.dim)
      chains.count *= cuts.back().count;
    cuts.push_back(chains);
  }
}

bool mpc::kernel::hasChains(const Statement &statement) {
  if (!statement.generic() || statement.isParallel() || isInOrder(statement))
    return false;
  for (unsigned output = 0; output < statement.outputs.size(); ++output) {
    mlir::Operation *combiner = getCombiner(statement, output);
    if (!llvm::isa_and_present<mlir::arith::AddFOp, mlir::arith::MulFOp,
                               mlir::math::FmaOp>(combiner) ||
        !combiner->getResult(0).getType().isF32())
      return false;
  }
  return true;
}
