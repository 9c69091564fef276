// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the chains of a sum end.
#include "lib/Codegen/CPU/Chains.h"

#include "dialects/Kernel/Classify.h"

using namespace mpc::cpu;
using namespace mpc::kernel;

/// About how long a chain is: the error of a sum of 4,608 is then a fifth of
/// what one chain has, and the additions between chains cost next to nothing.
static constexpr int64_t kLength = 128;
/// Up to here one chain is as good as two.
static constexpr int64_t kMost = kLength + kLength / 2 - 1;
/// A chain of fewer is not worth its addition.
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
  int64_t inner = 1; // The iterations of one index of `dim`.
  while (dim > 0 && inner * extents[dim] <= kMost)
    inner *= extents[dim--];
  int64_t extent = extents[dim];
  if (inner * extent <= kMost)
    return {dim, extent};
  if (dim == 0)
    return {dim, std::max<int64_t>(kLength / inner, 1)};
  // Equal parts, or all of it where there are no good ones.
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

int64_t mpc::cpu::getChainLength(const Contraction &contraction) {
  int64_t k = contraction.sizes[Contraction::K];
  llvm::SmallVector<int64_t> extents = {k};
  if (multipliesVectors(contraction))
    extents = contraction.getExtents(Contraction::K);
  return std::min(k, getLength(extents));
}

//===----------------------------------------------------------------------===//
// Other reductions
//===----------------------------------------------------------------------===//

/// Of the reduction loops, those next to each other as one.
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

LongSum mpc::cpu::getLongSum(const Statement &statement) {
  if (std::optional<Contraction> contraction = matchContraction(statement))
    return {{contraction->sizes[Contraction::K]},
            {{0, getChainLength(*contraction)}}};
  llvm::SmallVector<int64_t> extents = getReducedExtents(statement);
  if (!hasChains(statement))
    return {extents, {}};
  return {extents, getCascade(extents)};
}
