// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merges and reorders the dimensions of an iteration space.
#include "dialects/Kernel/Space.h"

#include "llvm/ADT/BitVector.h"

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

/// Replaces every index expression of `statement` by the result of `replace`.
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

/// Each dimension in terms of the joined ones, for an operand that walks these
/// as one: the last of a run has the stride, the others add nothing.
static SmallVector<AffineExpr> walkedAsOne(const Statement &statement,
                                           const llvm::BitVector &joins) {
  MLIRContext *context = statement.op->getContext();
  SmallVector<AffineExpr> dims;
  unsigned joined = 0;
  for (unsigned dim = 0; dim < statement.numDims(); ++dim)
    dims.push_back(joins[dim] ? getAffineConstantExpr(0, context)
                              : getAffineDimExpr(joined++, context));
  return dims;
}

/// Each dimension in terms of the joined ones, for all other operands: a
/// quotient or a remainder of the position in its run.
static SmallVector<AffineExpr> walkedApart(const Statement &statement,
                                           const llvm::BitVector &joins) {
  unsigned numDims = statement.numDims(), joined = numDims - joins.count();
  SmallVector<AffineExpr> dims(numDims);
  int64_t inner = 1;
  for (unsigned dim = numDims; dim-- > 0;) {
    if (joins[dim]) {
      inner *= statement.extents[dim + 1];
    } else {
      inner = 1;
      --joined;
    }
    AffineExpr run = getAffineDimExpr(joined, statement.op->getContext());
    bool isFirst = dim == 0 || !joins[dim - 1];
    AffineExpr quotient = run.floorDiv(inner);
    dims[dim] = isFirst ? quotient : quotient % statement.extents[dim];
  }
  return dims;
}

/// Joins dimension d with d + 1 where `joins` says so, whether or not the
/// operands walk them as one.
static void join(Statement &statement, const llvm::BitVector &joins) {
  unsigned numDims = statement.numDims(), numJoined = numDims - joins.count();
  SmallVector<AffineExpr> asOne = walkedAsOne(statement, joins);
  SmallVector<AffineExpr> apart = walkedApart(statement, joins);
  rewriteIndices(statement, [&](AffineExpr expr) {
    bool together = llvm::all_of(joins.set_bits(), [&](unsigned dim) {
      return walksAsOne({{}, expr}, statement, dim);
    });
    // A sum stays one, in the order of dimensions.
    if (together && getLinear(expr, numDims))
      return expr.replaceDims(asOne);
    return simplifyAffineExpr(expr.replaceDims(together ? asOne : apart),
                              numJoined, 0);
  });
  for (unsigned dim = numDims; dim-- > 0;)
    if (joins[dim]) {
      statement.extents[dim + 1] *= statement.extents[dim];
      statement.extents.erase(statement.extents.begin() + dim);
      statement.reduced.erase(statement.reduced.begin() + dim);
    }
}

void mpc::kernel::mergeAlways(Statement &statement, unsigned dim) {
  llvm::BitVector joins(statement.numDims());
  joins.set(dim);
  join(statement, joins);
}

void mpc::kernel::mergeDims(std::vector<Statement> &statements, unsigned from,
                            unsigned to) {
  // Whether two dimensions can be merged does not depend on other merges.
  llvm::BitVector joins(to);
  for (unsigned dim = from; dim + 1 < to; ++dim)
    joins[dim] = llvm::all_of(statements, [&](const Statement &statement) {
      return statement.numDims() <= dim || canMerge(statement, dim);
    });
  for (Statement &statement : statements) {
    llvm::BitVector own = joins;
    own.resize(statement.numDims());
    if (own.any())
      join(statement, own);
  }
}

void mpc::kernel::permuteDims(Statement &statement, ArrayRef<unsigned> order) {
  if (llvm::is_sorted(order))
    return;
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
