// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structured ops with several results.
#include "dialects/AMP/MapBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

SmallVector<Value> mpc::amp::buildMapInto(OpBuilder &builder, Location loc,
                                          ArrayRef<int64_t> shape,
                                          ValueRange inputs, ValueRange inits,
                                          ScalarsFn fn) {
  AffineMap identity = builder.getMultiDimIdentityMap(shape.size());
  AffineMap scalar = AffineMap::get(shape.size(), 0, builder.getContext());
  SmallVector<AffineMap> maps;
  for (Value input : inputs)
    maps.push_back(cast<RankedTensorType>(input.getType()).getRank() == 0
                       ? scalar
                       : identity);
  maps.append(inits.size(), identity);
  SmallVector<utils::IteratorType> iterators(shape.size(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, inits.getTypes(), inputs, inits, maps, iterators,
      [&](OpBuilder &b, Location l, ValueRange scalars) {
        ImplicitLocOpBuilder body(l, b);
        linalg::YieldOp::create(b, l, fn(body, scalars));
      });
  // Erases ops of the rule whose results nothing uses.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*generic.getBody())))
    if (isOpTriviallyDead(&op))
      op.erase();
  return llvm::to_vector_of<Value>(generic.getResults());
}

SmallVector<Value> mpc::amp::buildScalars(OpBuilder &builder, Location loc,
                                          ValueRange inputs,
                                          TypeRange elementTypes,
                                          ScalarsFn fn) {
  SmallVector<Value> inits;
  for (Type type : elementTypes)
    inits.push_back(
        tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>(), type));
  return buildMapInto(builder, loc, {}, inputs, inits, fn);
}
