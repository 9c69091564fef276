// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merges and reorders the dimensions of an iteration space.
#include "dialects/Kernel/Space.h"

using namespace mlir;
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

void mpc::kernel::mergeAlways(Statement &statement, unsigned dim) {
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

void mpc::kernel::mergeDims(std::vector<Statement> &statements, unsigned from,
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

void mpc::kernel::permuteDims(Statement &statement, ArrayRef<unsigned> order) {
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

/// Merges neighbouring reduced dimensions. That, and the direction of vectors,
/// fixes the order of sums: both are functions of shape and axes alone, so that
/// what a reduction is fused with does not change its bits.
static void mergeReduced(Rows &rows) {
  for (unsigned inner = rows.followsReduced.size(); inner-- > 1;)
    if (rows.followsReduced[inner])
      for (Statement &statement : rows.statements)
        mergeAlways(statement, rows.numOuter + inner - 1);
}

void mpc::kernel::mergeRows(Rows &rows) {
  mergeReduced(rows);
  unsigned inner = rows.statements.front().numDims() - rows.numOuter;
  mergeDims(rows.statements, 0, rows.numOuter);
  rows.numOuter = rows.statements.front().numDims() - inner;
}
