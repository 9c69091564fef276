// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums over the packed factors of a tile of #cpu.depthwise, channels in lanes.
#include "lib/Codegen/CPU/Chains.h"
#include "lib/Codegen/CPU/DepthwiseKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

using Values = SmallVector<Value>;

/// A vector of zeros.
static Value createZeros(const DepthwiseKernel &kernel) {
  OpBuilder &builder = kernel.emitter.builder;
  auto type = VectorType::get({kernel.lanes}, builder.getF32Type());
  return arith::ConstantOp::create(builder, kernel.emitter.loc,
                                   DenseElementsAttr::get(type, 0.0f));
}

void mpc::cpu::clearSums(const DepthwiseKernel &kernel) {
  const IndexMath &math = kernel.math;
  Value zeros = createZeros(kernel);
  kernel.emitter.emitLoop(
      math.constant(0),
      math.constant(kernel.layout.result().vectors * kernel.lanes),
      kernel.lanes, [&](Value place) {
        vector::StoreOp::create(kernel.emitter.builder, kernel.emitter.loc,
                                zeros, kernel.sums, place);
      });
}

namespace {

/// Sums of a tile. A block of results is in registers while the loops over K
/// run.
class TileSum {
public:
  TileSum(const DepthwiseKernel &kernel, const ChannelTile &tile)
      : emitter_(kernel.emitter), builder_(emitter_.builder),
        loc_(emitter_.loc), math_(kernel.math), kernel_(kernel), tile_(tile),
        contraction_(kernel.contraction), depthwise_(kernel.depthwise),
        schedule_(kernel.schedule), layout_(kernel.layout), own_(kernel.own),
        chains_(getChains(contraction_.getExtents(Contraction::K))) {}

  void sum(unsigned number, Values dims);

private:
  void sumBlock(ArrayRef<Value> dims);
  Values sumOver(unsigned number, std::array<Value, 2> places, Values sums);
  Values sumRange(unsigned number, std::pair<Value, Value> range,
                  std::array<Value, 2> places, Values sums);
  Values sumStep(std::array<Value, 2> places, ValueRange sums);
  Value addProduct(Value image, Value other, Value sum);
  Value placeOf(const Footprint &print, ArrayRef<Value> dims);
  /// For each result of a block the number of elements from the first result.
  SmallVector<int64_t> blockOffsets(const Footprint &print);

  Emitter &emitter_;
  OpBuilder &builder_;
  Location loc_;
  IndexMath math_;
  const DepthwiseKernel &kernel_;
  const ChannelTile &tile_;
  const Contraction &contraction_;
  const Depthwise &depthwise_;
  DepthwiseAttr schedule_;
  const DepthwiseLayout &layout_;
  ArrayRef<unsigned> own_;
  Chains chains_;
};

} // namespace

/// Loops over the result's indices in the tile from own dimension `number` on,
/// by blocks of the last two.
void TileSum::sum(unsigned number, Values dims) {
  if (number == 0)
    dims.assign(contraction_.statement.numDims(), math_.constant(0));
  if (number == own_.size())
    return sumBlock(dims);
  unsigned dim = own_[number];
  int64_t step = number + 1 == own_.size()   ? schedule_.getBlock()[1]
                 : number + 2 == own_.size() ? schedule_.getBlock()[0]
                                             : 1;
  auto body = [&](Value index) {
    dims[dim] = index;
    sum(number + 1, dims);
  };
  if (layout_.extent(dim) <= step)
    return body(math_.constant(0));
  emitter_.emitLoop(math_.constant(0), tile_.count(kernel_, dim), step, body);
}

Value TileSum::placeOf(const Footprint &print, ArrayRef<Value> dims) {
  Value place = math_.constant(print.offset * kernel_.lanes);
  for (auto [dim, stride] : llvm::enumerate(print.strides))
    if (stride != 0)
      place = math_.add(place, math_.mul(dims[dim], stride * kernel_.lanes));
  return place;
}

SmallVector<int64_t> TileSum::blockOffsets(const Footprint &print) {
  int64_t rowStride =
      own_.size() > 1 ? print.strides[own_[own_.size() - 2]] : 0;
  int64_t columnStride = print.strides[own_.back()];
  SmallVector<int64_t> offsets;
  for (int64_t row = 0; row < schedule_.getBlock()[0]; ++row)
    for (int64_t column = 0; column < schedule_.getBlock()[1]; ++column)
      offsets.push_back((row * rowStride + column * columnStride) *
                        kernel_.lanes);
  return offsets;
}

void TileSum::sumBlock(ArrayRef<Value> dims) {
  Value result = placeOf(layout_.result(), dims);
  Values sums;
  for (int64_t offset : blockOffsets(layout_.result()))
    sums.push_back(
        kernel_.sumsTiles
            ? kernel_.loadVector(kernel_.sums, math_.add(result, offset))
            : createZeros(kernel_));
  sums = sumOver(0,
                 {placeOf(layout_.factor(depthwise_.image), dims),
                  placeOf(layout_.factor(kernel_.other()), dims)},
                 sums);
  for (auto [sum, offset] : llvm::zip(sums, blockOffsets(layout_.result())))
    vector::StoreOp::create(builder_, loc_, sum, kernel_.sums,
                            math_.add(result, offset));
}

/// Loops over the dimensions of K from `number` on. `places` are the places in
/// the image and in the other factor.
SmallVector<Value> TileSum::sumOver(unsigned number,
                                    std::array<Value, 2> places, Values sums) {
  ArrayRef<unsigned> k = contraction_.groups[Contraction::K];
  if (number == k.size())
    return sumStep(places, sums);
  Value end = tile_.count(kernel_, k[number]);
  if (number != chains_.dim)
    return sumRange(number, {math_.constant(0), end}, places, sums);
  auto addChain = [&](Value first, ValueRange totals) {
    Value last = math_.min(math_.add(first, chains_.count), end);
    Values chain = sumRange(number, {first, last}, places,
                            Values(totals.size(), createZeros(kernel_)));
    Values next;
    for (auto [total, sum] : llvm::zip(totals, chain))
      next.push_back(arith::AddFOp::create(builder_, loc_, total, sum));
    return next;
  };
  if (layout_.extent(k[number]) <= chains_.count)
    return addChain(math_.constant(0), sums);
  return emitter_.emitCarryingLoop({math_.constant(0), end}, chains_.count,
                                   sums, addChain);
}

/// Loops over a range of dimension `number` of K, and over all dimensions after
/// it.
SmallVector<Value> TileSum::sumRange(unsigned number,
                                     std::pair<Value, Value> range,
                                     std::array<Value, 2> places, Values sums) {
  unsigned dim = contraction_.groups[Contraction::K][number];
  auto at = [&](Value place, unsigned operand, Value index) {
    int64_t stride = layout_.factor(operand).strides[dim] * kernel_.lanes;
    return math_.add(place, math_.mul(index, stride));
  };
  auto body = [&](Value index, ValueRange carried) {
    return sumOver(number + 1,
                   {at(places[0], depthwise_.image, index),
                    at(places[1], kernel_.other(), index)},
                   Values(carried));
  };
  if (layout_.extent(dim) == 1)
    return body(math_.constant(0), sums);
  return emitter_.emitCarryingLoop(range, 1, sums, body);
}

Value TileSum::addProduct(Value image, Value other, Value sum) {
  if (depthwise_.image == 1)
    std::swap(image, other);
  if (contraction_.fused)
    return math::FmaOp::create(builder_, loc_, image, other, sum);
  return arith::AddFOp::create(
      builder_, loc_, sum, arith::MulFOp::create(builder_, loc_, image, other));
}

SmallVector<Value> TileSum::sumStep(std::array<Value, 2> places,
                                    ValueRange sums) {
  Value factor = kernel_.loadVector(kernel_.packed[kernel_.other()], places[1]);
  Values next;
  for (auto [sum, offset] :
       llvm::zip(sums, blockOffsets(layout_.factor(depthwise_.image)))) {
    Value image = kernel_.loadVector(kernel_.packed[depthwise_.image],
                                     math_.add(places[0], offset));
    next.push_back(addProduct(image, factor, sum));
  }
  return next;
}

void mpc::cpu::sumTile(const DepthwiseKernel &kernel, const ChannelTile &tile) {
  TileSum(kernel, tile).sum(0, {});
}
