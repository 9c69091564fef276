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
