// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cuts of a sum into chains.
#include "lib/Codegen/CPU/Chains.h"

#include "dialects/Kernel/Stages.h"

#include "lib/Codegen/CPU/Units.h"
#include "lib/Codegen/CPU/Windows.h"

using namespace mpc::cpu;
using namespace mpc::kernel;

/// The approximate length of a chain: the error of a sum of 4,608 is then a
/// fifth of the error of one chain, and the additions between chains cost next
/// to nothing.
static constexpr int64_t kLength = 128;
/// The greatest length up to which one chain is as good as two.
static constexpr int64_t kMost = kLength + kLength / 2;
/// A shorter chain is not worth the addition of its sum.
static constexpr int64_t kLeast = 16;

static int64_t getLargestDivisor(int64_t number, int64_t most) {
  int64_t divisor = std::min(number, most);
  while (number % divisor != 0)
    --divisor;
  return divisor;
}

static int64_t getProduct(llvm::ArrayRef<int64_t> extents) {
  int64_t product = 1;
  for (int64_t extent : extents)
    product *= extent;
  return product;
}

Chains mpc::cpu::getChains(llvm::ArrayRef<int64_t> extents) {
  unsigned dim = extents.size() - 1;
  int64_t inner = 1; // The number of iterations within one index of `dim`.
  while (dim > 0 && inner * extents[dim] <= kMost)
    inner *= extents[dim--];
  int64_t extent = extents[dim];
  if (inner * extent <= kMost)
    return {dim, extent};
  if (dim == 0)
    return {dim, std::max<int64_t>(kLength / inner, 1)};
  // Chains are equal parts of the loop, or the whole loop where it has no
  // suitable divisor.
  int64_t count = getLargestDivisor(extent, kMost / inner);
  return {dim, inner * count < kLeast ? extent : count};
}

static int64_t getLength(llvm::ArrayRef<int64_t> extents) {
  Chains chains = getChains(extents);
  return chains.count * getProduct(extents.drop_front(chains.dim + 1));
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// Whether each batch is a matrix times a vector.
static bool multipliesVectors(const Contraction &contraction) {
  return contraction.sizes[Contraction::Batch] > 1 &&
         (contraction.sizes[Contraction::M] == 1 ||
          contraction.sizes[Contraction::N] == 1);
}

int64_t mpc::cpu::getChainLength(const Contraction &contraction, Unit unit) {
  if (std::optional<Windows> windows = matchWindows(contraction))
    if (std::optional<WindowChains> chains =
            getWindowChains(contraction, *windows, getDepth(unit)))
      return chains->length;
  int64_t k = contraction.sizes[Contraction::K];
  llvm::SmallVector<int64_t> extents = {k};
  if (unit == Unit::FMA && multipliesVectors(contraction))
    extents = contraction.getExtents(Contraction::K);
  return std::min(k, getLength(extents));
}

//===----------------------------------------------------------------------===//
// Other reductions
//===----------------------------------------------------------------------===//

/// The extents of the reduction loops, neighbours merged.
static llvm::SmallVector<int64_t>
getReducedExtents(const Statement &statement) {
  llvm::SmallVector<int64_t> extents;
  for (unsigned dim = 0; dim < statement.numDims(); ++dim)
    if (statement.reduced[dim]) {
      if (dim > 0 && statement.reduced[dim - 1])
        extents.back() *= statement.extents[dim];
      else
        extents.push_back(statement.extents[dim]);
    }
  return extents;
}

bool mpc::cpu::isRowReduction(const Statement &statement) {
  if (!statement.generic() || statement.isParallel() || isInOrder(statement))
    return false;
  std::optional<Stages> stages = getStages({&statement});
  return stages && stages->has(StageKind::Reduction) &&
         !stages->goesByColumns();
}

/// The sum of a row by lanes, in the order of RowPlan.
static LongSum getRowSum(const Statement &statement, int64_t lanes) {
  LongSum sum{getReducedExtents(statement), {}, lanes, 0};
  int64_t &last = sum.extents.back();
  sum.length = last;
  last = std::max<int64_t>(sum.length / lanes, 1);
  if (hasChains(statement))
    sum.cuts = getCascade(sum.extents);
  last = sum.length / lanes;
  return sum;
}

LongSum mpc::cpu::getLongSum(const Statement &statement, Unit bf16,
                             int64_t lanes) {
  if (std::optional<Contraction> contraction = matchContraction(statement))
    return {
        {contraction->sizes[Contraction::K]},
        {{0, getChainLength(*contraction, chooseUnit(*contraction, bf16))}}};
  if (lanes > 1 && isRowReduction(statement))
    return getRowSum(statement, lanes);
  llvm::SmallVector<int64_t> extents = getReducedExtents(statement);
  if (!hasChains(statement))
    return {extents, {}};
  return {extents, getCascade(extents)};
}
