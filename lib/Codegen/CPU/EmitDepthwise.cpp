// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cpu.depthwise: a window over an image, with channels in lanes.
#include "lib/Codegen/CPU/DepthwiseEmitter.h"
#include "lib/Codegen/CPU/Emitters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;
using llvm::divideCeil;

using Values = SmallVector<Value>;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void DepthwiseEmitter::allocate() {
  Type f32 = builder_.getF32Type();
  for (unsigned operand = 0; operand < 2; ++operand)
    packed_[operand] =
        emitter_.allocate(layout_.factor(operand).vectors * lanes_, f32);
  sums_ = emitter_.allocate(layout_.result().vectors * lanes_, f32);
  // The distance is a little more than a line, so that lines do not fall into
  // the same cache set.
  pitch_ = layout_.result().vectors + 16;
  results_ = emitter_.allocate(pitch_ * lanes_, f32);
}

/// The number of indices of `dim` in the tile.
Value DepthwiseEmitter::count(unsigned dim) {
  return dim == tiled_[schedule_.getCut()]
             ? cutCount_
             : math_.constant(layout_.extent(dim));
}

void DepthwiseEmitter::setTile(ValueRange place) {
  starts_.assign(contraction_.statement.numDims(), math_.constant(0));
  starts_[depthwise_.channel] = channel_;
  for (auto [number, index] : llvm::enumerate(place))
    starts_[tiled_[number]] = index;
  unsigned dim = tiled_[schedule_.getCut()];
  int64_t extent = contraction_.statement.extents[dim];
  int64_t tile = schedule_.getTile();
  starts_[dim] = math_.mul(starts_[dim], tile);
  cutCount_ = math_.constant(tile);
  if (extent % tile != 0)
    cutCount_ =
        math_.min(cutCount_, math_.sub(math_.constant(extent), starts_[dim]));
}

void DepthwiseEmitter::emitUnit(Value unit) {
  SmallVector<int64_t> extents(1, divideCeil(channels_, lanes_));
  if (!sumsTiles_)
    llvm::append_range(extents, layout_.tiles());
  Values place = emitter_.delinearize(unit, extents);
  channel_ = math_.mul(place.front(), lanes_);
  if (sumsTiles_) {
    clearSums();
    emitTiles(0, {});
  } else {
    setTile(ArrayRef(place).drop_front());
    pack(0);
    pack(1);
    sumTile(0, {});
  }
  finish();
}

/// Sums over all tiles, in the order of K.
void DepthwiseEmitter::emitTiles(unsigned number, Values place) {
  SmallVector<int64_t> tiles = layout_.tiles();
  if (number == tiles.size()) {
    setTile(place);
    pack(0);
    pack(1);
    return sumTile(0, {});
  }
  emitter_.emitLoop(math_.constant(0), math_.constant(tiles[number]), 1,
                    [&](Value index) {
                      Values next = place;
                      next.push_back(index);
                      emitTiles(number + 1, next);
                    });
}

void DepthwiseEmitter::finish() {
  if (sumsTiles_)
    setTile(Values(layout_.tiles().size(), math_.constant(0)));
  transposeResult();
  Value lanes = math_.constant(lanes_);
  if (channels_ % lanes_ != 0)
    lanes = math_.min(lanes, math_.sub(math_.constant(channels_), channel_));
  emitter_.emitLoop(math_.constant(0), lanes, 1,
                    [&](Value lane) { emitMap(lane); });
}

void DepthwiseEmitter::emit() {
  allocate();
  int64_t units = countDepthwiseUnits(contraction_, depthwise_, schedule_);
  Value from =
      emitter_.chunkStart(emitter_.begin, units, schedule_.getChunks());
  Value to = emitter_.chunkStart(emitter_.end, units, schedule_.getChunks());
  emitter_.emitLoop(from, to, 1, [&](Value unit) { emitUnit(unit); });
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Value DepthwiseEmitter::createVector(float value) {
  return arith::ConstantOp::create(
      builder_, loc_,
      DenseElementsAttr::get(vectorOf(lanes_, builder_.getF32Type()), value));
}

void DepthwiseEmitter::clearSums() {
  Value zeros = createVector(0.0f);
  emitter_.emitLoop(
      math_.constant(0), math_.constant(layout_.result().vectors * lanes_),
      lanes_, [&](Value place) {
        vector::StoreOp::create(builder_, loc_, zeros, sums_, place);
      });
}

/// Loops over the result's indices in the tile from own dimension `number` on,
/// by blocks of the last two.
void DepthwiseEmitter::sumTile(unsigned number, Values dims) {
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
    sumTile(number + 1, dims);
  };
  if (layout_.extent(dim) <= step)
    return body(math_.constant(0));
  emitter_.emitLoop(math_.constant(0), count(dim), step, body);
}

Value DepthwiseEmitter::placeOf(const Footprint &print, ArrayRef<Value> dims) {
  Value place = math_.constant(print.offset * lanes_);
  for (auto [dim, stride] : llvm::enumerate(print.strides))
    if (stride != 0)
      place = math_.add(place, math_.mul(dims[dim], stride * lanes_));
  return place;
}

SmallVector<int64_t> DepthwiseEmitter::blockOffsets(const Footprint &print) {
  int64_t rowStride =
      own_.size() > 1 ? print.strides[own_[own_.size() - 2]] : 0;
  int64_t columnStride = print.strides[own_.back()];
  SmallVector<int64_t> offsets;
  for (int64_t row = 0; row < schedule_.getBlock()[0]; ++row)
    for (int64_t column = 0; column < schedule_.getBlock()[1]; ++column)
      offsets.push_back((row * rowStride + column * columnStride) * lanes_);
  return offsets;
}

void DepthwiseEmitter::sumBlock(ArrayRef<Value> dims) {
  Value result = placeOf(layout_.result(), dims);
  Values sums;
  for (int64_t offset : blockOffsets(layout_.result()))
    sums.push_back(sumsTiles_ ? loadVector(sums_, math_.add(result, offset))
                              : createVector(0.0f));
  sums = sumOver(0,
                 {placeOf(layout_.factor(depthwise_.image), dims),
                  placeOf(layout_.factor(other()), dims)},
                 sums);
  for (auto [sum, offset] : llvm::zip(sums, blockOffsets(layout_.result())))
    vector::StoreOp::create(builder_, loc_, sum, sums_,
                            math_.add(result, offset));
}

/// Loops over the dimensions of K from `number` on. `places` are the places in
/// the image and in the other factor.
SmallVector<Value> DepthwiseEmitter::sumOver(unsigned number,
                                             std::array<Value, 2> places,
                                             Values sums) {
  ArrayRef<unsigned> k = contraction_.groups[Contraction::K];
  if (number == k.size())
    return sumStep(places, sums);
  Value end = count(k[number]);
  if (number != chains_.dim)
    return sumRange(number, {math_.constant(0), end}, places, sums);
  auto addChain = [&](Value first, ValueRange totals) {
    Value last = math_.min(math_.add(first, chains_.count), end);
    Values chain = sumRange(number, {first, last}, places,
                            Values(totals.size(), createVector(0.0f)));
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
SmallVector<Value> DepthwiseEmitter::sumRange(unsigned number,
                                              std::pair<Value, Value> range,
                                              std::array<Value, 2> places,
                                              Values sums) {
  unsigned dim = contraction_.groups[Contraction::K][number];
  auto at = [&](Value place, unsigned operand, Value index) {
    int64_t stride = layout_.factor(operand).strides[dim] * lanes_;
    return math_.add(place, math_.mul(index, stride));
  };
  auto body = [&](Value index, ValueRange carried) {
    return sumOver(
        number + 1,
        {at(places[0], depthwise_.image, index), at(places[1], other(), index)},
        Values(carried));
  };
  if (layout_.extent(dim) == 1)
    return body(math_.constant(0), sums);
  return emitter_.emitCarryingLoop(range, 1, sums, body);
}

Value DepthwiseEmitter::addProduct(Value image, Value other, Value sum) {
  if (depthwise_.image == 1)
    std::swap(image, other);
  if (contraction_.fused)
    return math::FmaOp::create(builder_, loc_, image, other, sum);
  return arith::AddFOp::create(
      builder_, loc_, sum, arith::MulFOp::create(builder_, loc_, image, other));
}

SmallVector<Value> DepthwiseEmitter::sumStep(std::array<Value, 2> places,
                                             ValueRange sums) {
  Value factor = loadVector(packed_[other()], places[1]);
  Values next;
  for (auto [sum, offset] :
       llvm::zip(sums, blockOffsets(layout_.factor(depthwise_.image)))) {
    Value image =
        loadVector(packed_[depthwise_.image], math_.add(places[0], offset));
    next.push_back(addProduct(image, factor, sum));
  }
  return next;
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

void DepthwiseEmitter::transposeResult() {
  emitter_.emitLoop(
      math_.constant(0), math_.constant(layout_.result().vectors), 4,
      [&](Value position) {
        Values rows;
        for (int64_t row = 0; row < 4; ++row)
          rows.push_back(
              loadVector(sums_, math_.mul(math_.add(position, row), lanes_)));
        for (auto [row, value] : llvm::enumerate(transposeFours(rows)))
          for (int64_t first = 0; first < lanes_; first += 4) {
            Value four =
                shuffle(value, value,
                        llvm::to_vector(llvm::seq<int64_t>(first, first + 4)));
            vector::StoreOp::create(
                builder_, loc_, four, results_,
                math_.add(position, (first + row) * pitch_));
          }
      });
}

AffineExpr DepthwiseEmitter::getIndex(const Linear &linear) {
  MLIRContext *context = builder_.getContext();
  AffineExpr index = getAffineConstantExpr(linear.offset, context);
  for (auto [dim, stride] : llvm::enumerate(linear.strides))
    if (stride != 0)
      index = index + getAffineDimExpr(dim, context) * stride;
  return index;
}

/// Whether every access of the map walks the last two own dimensions as one.
bool DepthwiseEmitter::isPlane() {
  if (own_.size() < 2)
    return false;
  unsigned row = own_[own_.size() - 2], column = own_.back();
  int64_t width = layout_.extent(column);
  auto isOne = [&](const Linear &index) {
    return index.strides[row] == width * index.strides[column];
  };
  for (const EpilogueStep &step : epilogue_.steps)
    for (const LinearAccess &read : step.reads)
      if (read.tensor && emitter_.getBuffer(read.tensor) && !isOne(read.index))
        return false;
  const Linear inner = {layout_.result().strides, 0};
  return isOne(inner) && width == contraction_.statement.extents[column] &&
         llvm::all_of(epilogue_.stores, [&](const EpilogueStore &store) {
           return isOne(store.index);
         });
}

void DepthwiseEmitter::emitMap(Value lane) {
  emitMapLines(lane, 0,
               Values(contraction_.statement.numDims(), math_.constant(0)));
}

void DepthwiseEmitter::emitMapLines(Value lane, unsigned number, Values dims) {
  bool plane = isPlane();
  if (number + (plane ? 2 : 1) == own_.size())
    return emitMapLine(lane, dims, plane);
  emitter_.emitLoop(math_.constant(0), count(own_[number]), 1,
                    [&](Value index) {
                      dims[own_[number]] = index;
                      emitMapLines(lane, number + 1, dims);
                    });
}

/// Emits the map on a line, or on a plane as one line, at `dims` of the tile.
void DepthwiseEmitter::emitMapLine(Value lane, Values dims, bool isPlane) {
  unsigned column = own_.back();
  Value length = count(column);
  if (isPlane)
    length = math_.mul(count(own_[own_.size() - 2]), layout_.extent(column));
  Value line = math_.mul(lane, pitch_);
  for (auto [dim, stride] : llvm::enumerate(layout_.result().strides))
    if (stride != 0)
      line = math_.add(line, math_.mul(dims[dim], stride));
  for (auto [dim, start] : llvm::enumerate(starts_))
    dims[dim] = math_.add(dims[dim], start);
  dims[depthwise_.channel] = math_.add(channel_, lane);
  Value first = dims[column];
  auto emitAt = [&](Value position, Lanes lanes) {
    dims[column] = math_.add(first, position);
    emitMapAt(dims, math_.add(line, position), lanes);
  };
  Value vectors = math_.floor(length, lanes_);
  emitter_.emitLoop(math_.constant(0), vectors, lanes_, [&](Value position) {
    emitAt(position, {lanes_, lanes_});
  });
  std::optional<int64_t> known = getConstantIntValue(length);
  if (!known && layout_.extent(column) % lanes_ != 0)
    emitter_.emitLoop(vectors, length, 1,
                      [&](Value position) { emitAt(position, {}); });
  else if (known && *known % lanes_ != 0)
    emitAt(vectors, {lanes_, *known % lanes_});
}

/// Emits the map at the elements whose sums lie at `place`.
void DepthwiseEmitter::emitMapAt(ArrayRef<Value> dims, Value place,
                                 Lanes lanes) {
  DenseMap<Value, Value> values;
  values[contraction_.getResult()] =
      lanes.isScalar()
          ? memref::LoadOp::create(builder_, loc_, results_, place).getResult()
          : loadVector(results_, place);
  for (const EpilogueStep &step : epilogue_.steps) {
    Values arguments;
    for (const LinearAccess &read : step.reads) {
      Value computed = read.tensor ? values.lookup(read.tensor) : Value();
      if (read.tensor && !computed)
        computed =
            emitter_.loadLanes(getAccess(read), dims, own_.back(), lanes);
      arguments.push_back(computed);
    }
    linalg::GenericOp op = step.statement->generic();
    Values computed = emitter_.emitRegion(op, arguments, {}, lanes);
    for (auto [result, value] : llvm::zip(op->getResults(), computed))
      values[result] = value;
  }
  for (const EpilogueStore &store : epilogue_.stores)
    emitter_.storeLanes(values.lookup(store.value),
                        {store.destination, getIndex(store.index)}, dims,
                        own_.back(), lanes);
}

void mpc::cpu::emitDepthwise(Emitter &emitter, const Body &body,
                             DepthwiseAttr schedule) {
  Contraction contraction = *matchContraction(body.statements.front());
  Depthwise depthwise = *matchDepthwise(contraction);
  Epilogue epilogue = *matchEpilogue(emitter.kernel, body, contraction);
  DepthwiseEmitter(emitter, contraction, depthwise, epilogue, schedule).emit();
}
