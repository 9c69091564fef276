// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merges and reorders the dimensions of an iteration space.
#include "lib/Codegen/CPU/Space.h"

#include "lib/Codegen/CPU/Emitter.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

/// Whether the region of `statement` asks for the position along `dim`.
static bool usesIndex(const Statement &statement, unsigned dim) {
  for (auto index : statement.generic().getBody()->getOps<linalg::IndexOp>())
    if (statement.indices[index.getDim()].isFunctionOfDim(dim))
      return true;
  return false;
}

/// Whether `access` walks dimensions `dim` and `dim + 1` as one.
static bool walksAsOne(const Access &access, const Statement &statement,
                       unsigned dim) {
  auto linear = getLinear(access.index, statement.numDims());
  if (!linear)
    return !access.index.isFunctionOfDim(dim) &&
           !access.index.isFunctionOfDim(dim + 1);
  return linear->strides[dim] ==
         linear->strides[dim + 1] * statement.extents[dim + 1];
}

static bool canMerge(const Statement &statement, unsigned dim) {
  auto fits = [&](const Access &access) {
    return walksAsOne(access, statement, dim);
  };
  return statement.reduced[dim] == statement.reduced[dim + 1] &&
         !usesIndex(statement, dim) && !usesIndex(statement, dim + 1) &&
         llvm::all_of(statement.inputs, fits) &&
         llvm::all_of(statement.outputs, fits);
}

/// Every expression of `statement` by `replace`.
static void rewriteIndices(Statement &statement,
                           llvm::function_ref<AffineExpr(AffineExpr)> replace) {
  for (Access &input : statement.inputs)
    input.index = replace(input.index);
  for (Access &output : statement.outputs)
    output.index = replace(output.index);
  for (AffineExpr &index : statement.indices)
    index = replace(index);
}

static void replaceDims(Statement &statement, ArrayRef<AffineExpr> dims,
                        unsigned numDims) {
  rewriteIndices(statement, [&](AffineExpr expr) {
    return simplifyAffineExpr(expr.replaceDims(dims), numDims, 0);
  });
}

void mpc::cpu::mergeAlways(Statement &statement, unsigned dim) {
  MLIRContext *context = statement.op->getContext();
  int64_t extent = statement.extents[dim + 1];
  SmallVector<AffineExpr> asOne, apart;
  for (unsigned old = 0; old < statement.numDims(); ++old)
    asOne.push_back(getAffineDimExpr(old - (old > dim), context));
  apart = asOne;
  // The inner stride is the merged one; the outer dimension adds nothing.
  asOne[dim] = getAffineConstantExpr(0, context);
  AffineExpr merged = getAffineDimExpr(dim, context);
  apart[dim] = merged.floorDiv(extent);
  apart[dim + 1] = merged % extent;
  unsigned numDims = statement.numDims();
  rewriteIndices(statement, [&](AffineExpr expr) {
    bool together = walksAsOne({{}, expr}, statement, dim);
    return simplifyAffineExpr(expr.replaceDims(together ? asOne : apart),
                              numDims - 1, 0);
  });
  statement.extents[dim + 1] *= statement.extents[dim];
  statement.extents.erase(statement.extents.begin() + dim);
  statement.reduced.erase(statement.reduced.begin() + dim);
}

void mpc::cpu::mergeDims(std::vector<Statement> &statements, unsigned from,
                         unsigned to) {
  for (unsigned dim = from; dim + 1 < to;) {
    bool all = llvm::all_of(statements, [&](const Statement &statement) {
      return statement.numDims() <= dim || canMerge(statement, dim);
    });
    if (!all) {
      ++dim;
      continue;
    }
    for (Statement &statement : statements)
      if (statement.numDims() > dim)
        mergeAlways(statement, dim);
    --to;
  }
}

void mpc::cpu::permuteDims(Statement &statement, ArrayRef<unsigned> order) {
  MLIRContext *context = statement.op->getContext();
  SmallVector<AffineExpr> dims;
  SmallVector<int64_t> extents(order.size());
  SmallVector<bool> reduced(order.size());
  for (auto [old, now] : llvm::enumerate(order)) {
    dims.push_back(getAffineDimExpr(now, context));
    extents[now] = statement.extents[old];
    reduced[now] = statement.reduced[old];
  }
  statement.extents = extents;
  statement.reduced = reduced;
  replaceDims(statement, dims, order.size());
}

void mpc::cpu::moveDimLast(std::vector<Statement> &statements, unsigned dim) {
  for (Statement &statement : statements) {
    SmallVector<unsigned> order;
    for (unsigned old = 0; old < statement.numDims(); ++old)
      order.push_back(old == dim ? statement.numDims() - 1 : old - (old > dim));
    permuteDims(statement, order);
  }
}

// Rough cycles of one vector access, next to a contiguous one.
static double getCost(const Access &access, const Statement &statement,
                      unsigned dim, bool store) {
  switch (getWalk(access.index, statement.numDims(), dim)) {
  case Walk::Uniform:
    return 0.5;
  case Walk::Contiguous:
    return 1;
  case Walk::Scattered:
    return store ? 16 : 8;
  }
  return 0;
}

/// Of what `statement` reads and writes outside of the kernel.
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
