// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a body as a DAG of maps and reductions over one space.
#include "dialects/Kernel/Rows.h"

#include "dialects/Kernel/Classify.h"
#include "dialects/Kernel/Space.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mpc::kernel;

static bool isAssociative(Operation *op) {
  return isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::AddIOp, arith::MulIOp,
             arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op);
}

Operation *mpc::kernel::getCombiner(const Statement &statement,
                                    unsigned output) {
  linalg::GenericOp op = statement.generic();
  BlockArgument sum = op.getMatchingBlockArgument(op.getDpsInitOperand(output));
  Operation *combiner =
      op.getBody()->getTerminator()->getOperand(output).getDefiningOp();
  if (!combiner || !sum.hasOneUse() || *sum.user_begin() != combiner ||
      !combiner->getResult(0).hasOneUse())
    return nullptr;
  if (isa<math::FmaOp>(combiner))
    return combiner->getOperand(2) == sum ? combiner : nullptr;
  return isAssociative(combiner) ? combiner : nullptr;
}

// Rows of fewer elements than this leave most lanes of a vector empty.
static constexpr int64_t kLeastRow = 4;

static bool goesByColumns(const Rows &rows) {
  ArrayRef<int64_t> extents = rows.statements.front().extents;
  int64_t elements = 1;
  for (int64_t extent : extents.drop_front(rows.numOuter))
    elements *= extent;
  return rows.numOuter != 0 && (!rows.lastIsReduced || elements < kLeastRow);
}

namespace {

class RowsReader {
public:
  RowsReader(FuncOp kernel, const Body &body) : kernel_(kernel), body_(body) {}
  std::optional<Rows> read();

private:
  bool findSpace();
  bool place(const Statement &statement);
  bool checkReads(const Statement &statement, Role role);
  bool isForwarded(const Access &read, Role role);
  Statement reorder(const Statement &statement, ArrayRef<unsigned> dims) const;

  FuncOp kernel_;
  const Body &body_;
  Rows rows_;
  const Statement *space_ = nullptr; ///< A reduction over the whole space.
  SmallVector<unsigned> outer_, inner_;
};

} // namespace

/// Takes the space of the first reduction as the shared one.
bool RowsReader::findSpace() {
  for (const Statement &statement : body_.statements) {
    if (!statement.generic())
      return false;
    if (!space_ && !statement.isParallel())
      space_ = &statement;
  }
  if (!space_)
    return false;
  for (auto [dim, reduced] : llvm::enumerate(space_->reduced))
    (reduced ? inner_ : outer_).push_back(dim);
  for (unsigned dim : inner_)
    rows_.followsReduced.push_back(dim != 0 && space_->reduced[dim - 1]);
  rows_.lastIsReduced = space_->reduced.back();
  rows_.numOuter = outer_.size();
  return true;
}

/// Expresses `statement` in the shared space: its dimension d becomes dims[d].
Statement RowsReader::reorder(const Statement &statement,
                              ArrayRef<unsigned> dims) const {
  MLIRContext *context = statement.op->getContext();
  Statement result = statement;
  unsigned count = outer_.size() + inner_.size();
  result.extents.clear();
  for (unsigned dim : outer_)
    result.extents.push_back(space_->extents[dim]);
  for (unsigned dim : inner_)
    result.extents.push_back(space_->extents[dim]);
  result.reduced.assign(count, false);
  SmallVector<AffineExpr> exprs;
  for (auto [old, now] : llvm::enumerate(dims)) {
    exprs.push_back(getAffineDimExpr(now, context));
    result.reduced[now] = statement.reduced[old];
  }
  auto replace = [&](AffineExpr &expr) {
    expr = simplifyAffineExpr(expr.replaceDims(exprs), count, 0);
  };
  for (Access &input : result.inputs)
    replace(input.index);
  for (Access &output : result.outputs)
    replace(output.index);
  for (AffineExpr &index : result.indices)
    replace(index);
  return result;
}

/// Decides the role and the dimensions of `statement`.
bool RowsReader::place(const Statement &statement) {
  SmallVector<unsigned> dims(statement.numDims());
  SmallVector<int64_t> rowExtents;
  for (unsigned dim : outer_)
    rowExtents.push_back(space_->extents[dim]);
  Role role = Role::Map;
  if (statement.extents == space_->extents) {
    if (!statement.isParallel() && statement.reduced != space_->reduced)
      return false;
    role = statement.isParallel() ? Role::Map : Role::Reduce;
    for (auto [position, dim] : llvm::enumerate(outer_))
      dims[dim] = position;
    for (auto [position, dim] : llvm::enumerate(inner_))
      dims[dim] = outer_.size() + position;
  } else if (statement.extents == rowExtents && statement.isParallel()) {
    role = Role::Row;
    for (unsigned dim = 0; dim < dims.size(); ++dim)
      dims[dim] = dim;
  } else {
    return false;
  }
  rows_.statements.push_back(reorder(statement, dims));
  rows_.roles.push_back(role);
  return checkReads(rows_.statements.back(), role);
}

/// A read of an earlier statement's value must be the element of the same
/// iteration, or the value of the same row.
bool RowsReader::isForwarded(const Access &read, Role role) {
  std::optional<Producer> producer = getProducer(read.tensor, body_);
  if (!producer)
    return true;
  if (producer->statement >= rows_.statements.size())
    return false;
  if (role == Role::Row && rows_.roles[producer->statement] == Role::Map)
    return false;
  return rows_.statements[producer->statement]
             .outputs[producer->output]
             .index == read.index;
}

bool RowsReader::checkReads(const Statement &statement, Role role) {
  for (const Access &input : statement.inputs)
    if (!isForwarded(input, role))
      return false;
  for (auto [number, output] : llvm::enumerate(statement.outputs)) {
    if (role == Role::Reduce && !getCombiner(statement, number))
      return false;
    // The first value of a sum belongs to the row.
    Role reader = role == Role::Reduce ? Role::Row : role;
    if (statement.readsOutput(number) && !isForwarded(output, reader))
      return false;
  }
  return true;
}

std::optional<Rows> RowsReader::read() {
  if (!findSpace() || !extractsInputsOnly(kernel_, body_) ||
      !writesDestinations(kernel_, body_))
    return std::nullopt;
  for (const Statement &statement : body_.statements)
    if (!place(statement))
      return std::nullopt;
  rows_.byColumns = goesByColumns(rows_);
  return std::move(rows_);
}

std::optional<Rows> mpc::kernel::getRows(FuncOp kernel, const Body &body) {
  return RowsReader(kernel, body).read();
}

/// Merges neighbouring reduced dimensions. Merging and the direction of vectors
/// fix the order of sums. Both follow from shape and axes alone, so that fusing
/// does not change the bits of a reduction.
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
