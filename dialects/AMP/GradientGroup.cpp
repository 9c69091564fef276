// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The building blocks of the bodies of gradient transforms.
#include "dialects/AMP/GradientGroup.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/Kernel/KernelDialect.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

static RankedTensorType tensorTypeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Value mpc::amp::buildBlocks(OpBuilder &builder, Location loc, Value range) {
  int64_t count = tensorTypeOf(range).getNumElements() / kBlockSize;
  auto type = RankedTensorType::get({count, kBlockSize},
                                    tensorTypeOf(range).getElementType());
  return kernel::ViewOp::create(builder, loc, type, range, 0);
}

Value mpc::amp::buildRange(OpBuilder &builder, Location loc, Value blocks) {
  auto type = RankedTensorType::get({tensorTypeOf(blocks).getNumElements()},
                                    tensorTypeOf(blocks).getElementType());
  return kernel::ViewOp::create(builder, loc, type, blocks, 0);
}

Value mpc::amp::buildSquareSums(OpBuilder &builder, Location loc, Value range) {
  Value blocks = buildBlocks(builder, loc, range);
  auto type = RankedTensorType::get(tensorTypeOf(blocks).getDimSize(0),
                                    builder.getF64Type());
  return SquareSumsOp::create(builder, loc, type, blocks);
}

Value mpc::amp::buildNorms(OpBuilder &builder, Location loc, Value range,
                           ArrayRef<int64_t> blocks) {
  auto type = RankedTensorType::get(static_cast<int64_t>(blocks.size()),
                                    builder.getF64Type());
  return SegmentNormsOp::create(builder, loc, type,
                                buildSquareSums(builder, loc, range), blocks);
}

Value mpc::amp::buildScaled(OpBuilder &builder, Location loc, Value range,
                            Value factors, ArrayRef<int64_t> blocks) {
  Value rows = buildBlocks(builder, loc, range);
  return buildRange(
      builder, loc,
      ScaleSegmentsOp::create(builder, loc, rows, factors, blocks));
}

Value mpc::amp::buildOnRange(Operation *transform, OpBuilder &builder,
                             const GradientGroup &group) {
  Operation *clone = builder.clone(*transform);
  SmallVector<Value> operands = {group.gradients};
  llvm::append_range(operands, group.scalars);
  clone->setOperands(operands);
  clone->getResult(0).setType(group.gradients.getType());
  return clone->getResult(0);
}
