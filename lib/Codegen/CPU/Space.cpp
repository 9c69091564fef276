// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the dimension along which vectors run.
#include "lib/Codegen/CPU/Space.h"

#include "dialects/Kernel/KernelDialect.h"
#include "dialects/Kernel/Philox.h"
#include "dialects/Kernel/Space.h"
#include "lib/Codegen/CPU/Emitter.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

void mpc::cpu::moveDimLast(std::vector<Statement> &statements, unsigned dim) {
  for (Statement &statement : statements) {
    SmallVector<unsigned> order;
    for (unsigned old = 0; old < statement.numDims(); ++old)
      order.push_back(old == dim ? statement.numDims() - 1 : old - (old > dim));
    permuteDims(statement, order);
  }
}

// The approximate cycles of one vector access, relative to a contiguous one.
static double getCost(const Access &access, const Statement &statement,
                      unsigned dim, bool store) {
  switch (getAccessPattern(access.index, statement.numDims(), dim)) {
  case AccessPattern::Uniform:
    return 0.5;
  case AccessPattern::Contiguous:
    return 1;
  case AccessPattern::Scattered:
    return store ? 16 : 8;
  }
  return 0;
}

/// The cost of the accesses of `statement` to memory outside of the kernel.
static double getMemoryCost(const Statement &statement, unsigned dim) {
  double cost = 0;
  for (const Access &input : statement.inputs)
    if (isa<BlockArgument>(input.tensor))
      cost += getCost(input, statement, dim, /*store=*/false);
  for (auto [number, output] : llvm::enumerate(statement.outputs))
    if (llvm::any_of(statement.op->getResult(number).getUsers(),
                     llvm::IsaPred<ReturnOp>))
      cost += getCost(output, statement, dim, /*store=*/true);
  return cost;
}

unsigned mpc::cpu::chooseVectorDim(const std::vector<Statement> &statements,
                                   int64_t lanes,
                                   ArrayRef<unsigned> candidates) {
  ArrayRef<int64_t> extents = statements.front().extents;
  unsigned best = candidates.front();
  double bestCost = HUGE_VAL;
  for (unsigned dim : candidates) {
    double cost = 4;
    for (const Statement &statement : statements)
      cost += getMemoryCost(statement, dim);
    double vectors = llvm::divideCeil(extents[dim], lanes);
    cost *= vectors * lanes / extents[dim];
    if (cost < bestCost)
      std::tie(best, bestCost) = std::pair(dim, cost);
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// The most ops of all regions where blocks have a copy of them for each row.
static constexpr int64_t kMostRepeated = 12;

static bool goesAcross(const Access &input, unsigned numDims, unsigned dim) {
  Type element =
      cast<RankedTensorType>(input.tensor.getType()).getElementType();
  return isa<BlockArgument>(input.tensor) && !element.isInteger(1) &&
         getAccessPattern(input.index, numDims, dim) ==
             AccessPattern::Contiguous &&
         getAccessPattern(input.index, numDims, numDims - 1) ==
             AccessPattern::Scattered;
}

bool mpc::cpu::isTransposed(const Access &input, unsigned numDims) {
  return numDims >= 2 && goesAcross(input, numDims, numDims - 2);
}

/// Whether all that the statements store is contiguous along the last
/// dimension.
static bool storesAlongLast(const std::vector<Statement> &statements) {
  return llvm::all_of(statements, [](const Statement &statement) {
    return llvm::all_of(statement.outputs, [&](const Access &output) {
      return getAccessPattern(output.index, statement.numDims(),
                              statement.numDims() - 1) ==
             AccessPattern::Contiguous;
    });
  });
}

static int64_t countOps(const std::vector<Statement> &statements) {
  int64_t count = 0;
  for (const Statement &statement : statements)
    for (Operation &op : statement.generic().getBody()->without_terminator())
      count += isa<PhiloxOp>(op) ? kMostRepeated : 1;
  return count;
}

std::optional<unsigned>
mpc::cpu::findAcross(const std::vector<Statement> &statements) {
  ArrayRef<int64_t> extents = statements.front().extents;
  if (extents.size() < 2 || extents.back() < kBlockSide ||
      !storesAlongLast(statements) || countOps(statements) > kMostRepeated)
    return std::nullopt;
  for (const Statement &statement : statements)
    for (const Access &input : statement.inputs)
      for (unsigned dim = 0; dim + 1 < extents.size(); ++dim)
        if (extents[dim] >= kBlockSide &&
            goesAcross(input, extents.size(), dim))
          return dim;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Whether a region draws random numbers that follow from the position along
/// the last dimension.
static bool drawsAlongLast(const Statement &statement) {
  Block *body = statement.generic().getBody();
  unsigned last = statement.numDims() - 1;
  auto indices = body->getOps<linalg::IndexOp>();
  return !body->getOps<PhiloxOp>().empty() &&
         llvm::any_of(indices, [&](linalg::IndexOp index) {
           return statement.indices[index.getDim()].isFunctionOfDim(last);
         });
}

int64_t mpc::cpu::chooseStep(ArrayRef<Statement> statements, int64_t lanes) {
  bool hasRuns = !statements.front().extents.empty() &&
                 llvm::any_of(statements, drawsAlongLast);
  return hasRuns ? std::max(kRunLength, lanes) : lanes;
}
