// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions of nn.autocast, and branches.
#include "lib/Import/Build/Regions.h"

#include "dialects/NN/FrozenNormalization.h"
#include "dialects/NN/NNDialect.h"

using namespace llvm;

namespace mpc::build {

AutocastRegion::AutocastRegion(TensorBuilder &build)
    : build_(build), outside_(build.builder().saveInsertionPoint()),
      body_(std::make_unique<mlir::Block>()) {
  build_.builder().setInsertionPointToEnd(body_.get());
}

AutocastRegion::~AutocastRegion() {
  if (body_)
    build_.builder().restoreInsertionPoint(outside_);
}

std::vector<Operand> AutocastRegion::close(ArrayRef<Operand> values,
                                           bool enabled, mlir::Type low) {
  mlir::OpBuilder &builder = build_.builder();
  SmallVector<mlir::Value> yielded;
  for (const Operand &value : values)
    if (!value.known)
      yielded.push_back(value.value);
  nn::YieldOp::create(builder, build_.location(), yielded);
  builder.restoreInsertionPoint(outside_);
  auto region = nn::AutocastOp::create(
      builder, build_.location(), mlir::ValueRange(yielded).getTypes(), enabled,
      low ? mlir::TypeAttr::get(low) : mlir::TypeAttr());
  region.getBody().push_back(body_.release());
  std::vector<Operand> results;
  unsigned next = 0;
  for (const Operand &value : values)
    results.push_back(value.known ? build_.constant(value.known)
                                  : build_.fromValue(region.getResult(next++)));
  return results;
}

/// Whether a step that runs `op` leaves something behind.
static bool leavesState(mlir::Operation &op, mlir::OpBuilder &builder) {
  if (!isa<mpc::TrainingOpInterface>(op) || op.hasAttr(nn::kFrozen))
    return false;
  auto copy = cast<mpc::TrainingOpInterface>(builder.clone(op));
  mpc::TrainingOpInterface trained = copy.toTrainingForm(builder);
  bool leaves = !trained.getRunningState().empty();
  trained->erase();
  return leaves;
}

Branch::Branch(TensorBuilder &build)
    : build_(build), block_(build.builder().getInsertionBlock()),
      before_(block_->empty() ? nullptr : &block_->back()) {}

bool Branch::keepsState() {
  auto first = before_ ? std::next(before_->getIterator()) : block_->begin();
  for (mlir::Operation &op : make_range(first, block_->end())) {
    auto result = op.walk([&](mlir::Operation *inner) {
      return leavesState(*inner, build_.builder())
                 ? mlir::WalkResult::interrupt()
                 : mlir::WalkResult::advance();
    });
    if (result.wasInterrupted())
      return true;
  }
  return false;
}

Operand choose(TensorBuilder &build, const Operand &condition,
               const Operand &onTrue, const Operand &onFalse) {
  Operand everywhere =
      build.broadcastTo(build.reshape(condition, {}), onTrue.shape);
  return build.select(everywhere, onTrue, onFalse);
}

} // namespace mpc::build
