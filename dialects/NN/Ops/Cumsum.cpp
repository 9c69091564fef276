// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn.cumsum: the sum of all elements up to each one.
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/BodyBuilder.h"
#include "dialects/NN/Constants.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

LogicalResult CumsumOp::verify() {
  int64_t rank = rankedType(getInput()).getRank();
  if (getAxis() >= 0 && static_cast<int64_t>(getAxis()) < rank)
    return success();
  return emitOpError("axis ")
         << getAxis() << " is not one of the input's " << rank << " axes";
}

/// The sizes in front of the axis, along it and behind it.
static SmallVector<int64_t> spaceOf(CumsumOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  int64_t axis = op.getAxis();
  return {computeProduct(shape.take_front(axis)), shape[axis],
          computeProduct(shape.drop_front(axis + 1))};
}

/// The sums of a constant's lines; `at` reads an element.
template <typename T>
static SmallVector<T> sumsOf(CumsumOp op, function_ref<T(int64_t)> at) {
  SmallVector<int64_t> space = spaceOf(op);
  int64_t size = space[1], inner = space[2];
  SmallVector<T> sums(space[0] * size * inner);
  for (int64_t line = 0; line < space[0] * inner; ++line) {
    T sum{};
    for (int64_t i = 0; i < size; ++i) {
      int64_t row = op.getReverse() ? size - 1 - i : i;
      int64_t place = (line / inner * size + row) * inner + line % inner;
      sums[place] = sum = sum + at(place);
    }
  }
  return sums;
}

OpFoldResult CumsumOp::fold(FoldAdaptor adaptor) {
  auto known = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  auto type = rankedType(getOutput());
  if (!known || type.getNumElements() > kMostFoldedReals)
    return {};
  if (isa<FloatType>(type.getElementType()))
    return constantOfReals(type, sumsOf<double>(*this, [&](int64_t i) {
                             return realAt(known, i);
                           }));
  // Unsigned, since sums wrap around.
  SmallVector<uint64_t> sums = sumsOf<uint64_t>(
      *this, [&](int64_t i) { return static_cast<uint64_t>(intAt(known, i)); });
  return constantOfInts(type, SmallVector<int64_t>(sums.begin(), sums.end()));
}

FailureOr<SmallVector<Value>> CumsumOp::buildBody(OpBuilder &b,
                                                  ValueRange operands) {
  Location loc = getLoc();
  auto type = rankedType(operands[0]);
  SmallVector<int64_t> space = spaceOf(*this);
  Value empty = tensor::EmptyOp::create(b, loc, space, type.getElementType());
  Value sums = kernel::CumsumOp::create(b, loc, empty.getType(),
                                        buildView(b, loc, operands[0], space),
                                        empty, getReverse());
  return SmallVector<Value>{buildView(b, loc, sums, type.getShape())};
}

// d_input[i] is the sum of d_output[j] for all j that have input[i] in them.
LogicalResult CumsumOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  dIn[0] = CumsumOp::create(b, getLoc(), dOut[0].getType(), dOut[0], getAxis(),
                            !getReverse());
  return success();
}
