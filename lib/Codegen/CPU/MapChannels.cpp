// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The map on the sums of a tile of #cpu.depthwise, with each channel's results
// in a line.
#include "lib/Codegen/CPU/DepthwiseKernel.h"
#include "lib/Codegen/CPU/EmitEpilogue.h"
#include "lib/Codegen/CPU/Transpose.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

using Values = SmallVector<Value>;

namespace {

class TileMap {
public:
  TileMap(const DepthwiseKernel &kernel, const ChannelTile &tile)
      : emitter_(kernel.emitter), builder_(emitter_.builder),
        loc_(emitter_.loc), math_(kernel.math), kernel_(kernel), tile_(tile),
        contraction_(kernel.contraction), depthwise_(kernel.depthwise),
        epilogue_(kernel.epilogue), layout_(kernel.layout), own_(kernel.own),
        lanes_(kernel.lanes) {}

  void emit();

private:
  void transposeResult();
  void emitMap(Value lane);
  void emitMapLines(Value lane, unsigned number, Values dims);
  void emitMapLine(Value lane, Values dims, bool isPlane);
  void emitMapAt(ArrayRef<Value> dims, Value place, Lanes lanes);
  bool isPlane();
  AffineExpr getIndex(const Linear &linear);

  Emitter &emitter_;
  OpBuilder &builder_;
  Location loc_;
  IndexMath math_;
  const DepthwiseKernel &kernel_;
  const ChannelTile &tile_;
  const Contraction &contraction_;
  const Depthwise &depthwise_;
  const Epilogue &epilogue_;
  const DepthwiseLayout &layout_;
  ArrayRef<unsigned> own_;
  int64_t lanes_;
};

} // namespace

void TileMap::transposeResult() {
  emitter_.emitLoop(
      math_.constant(0), math_.constant(layout_.result().vectors), 4,
      [&](Value position) {
        Values rows;
        for (int64_t row = 0; row < 4; ++row)
          rows.push_back(kernel_.loadVector(
              kernel_.sums, math_.mul(math_.add(position, row), lanes_)));
        for (auto [row, value] :
             llvm::enumerate(transposeFours(emitter_, rows, lanes_)))
          for (int64_t first = 0; first < lanes_; first += 4) {
            Value four = createShuffle(
                emitter_, value, value,
                llvm::to_vector(llvm::seq<int64_t>(first, first + 4)));
            vector::StoreOp::create(
                builder_, loc_, four, kernel_.results,
                math_.add(position, (first + row) * kernel_.pitch));
          }
      });
}

AffineExpr TileMap::getIndex(const Linear &linear) {
  MLIRContext *context = builder_.getContext();
  AffineExpr index = getAffineConstantExpr(linear.offset, context);
  for (auto [dim, stride] : llvm::enumerate(linear.strides))
    if (stride != 0)
      index = index + getAffineDimExpr(dim, context) * stride;
  return index;
}

/// Whether every access of the map walks the last two own dimensions as one.
bool TileMap::isPlane() {
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

void TileMap::emitMap(Value lane) {
  emitMapLines(lane, 0,
               Values(contraction_.statement.numDims(), math_.constant(0)));
}

void TileMap::emitMapLines(Value lane, unsigned number, Values dims) {
  bool plane = isPlane();
  if (number + (plane ? 2 : 1) == own_.size())
    return emitMapLine(lane, dims, plane);
  emitter_.emitLoop(math_.constant(0), tile_.count(kernel_, own_[number]), 1,
                    [&](Value index) {
                      dims[own_[number]] = index;
                      emitMapLines(lane, number + 1, dims);
                    });
}

/// Emits the map on a line, or on a plane as one line, at `dims` of the tile.
void TileMap::emitMapLine(Value lane, Values dims, bool isPlane) {
  unsigned column = own_.back();
  Value length = tile_.count(kernel_, column);
  if (isPlane)
    length = math_.mul(tile_.count(kernel_, own_[own_.size() - 2]),
                       layout_.extent(column));
  Value line = math_.mul(lane, kernel_.pitch);
  for (auto [dim, stride] : llvm::enumerate(layout_.result().strides))
    if (stride != 0)
      line = math_.add(line, math_.mul(dims[dim], stride));
  for (auto [dim, start] : llvm::enumerate(tile_.starts))
    dims[dim] = math_.add(dims[dim], start);
  dims[depthwise_.channel] = math_.add(tile_.channel, lane);
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
void TileMap::emitMapAt(ArrayRef<Value> dims, Value place, Lanes lanes) {
  EpilogueValues values;
  values[contraction_.getResult()] =
      lanes.isScalar()
          ? memref::LoadOp::create(builder_, loc_, kernel_.results, place)
                .getResult()
          : kernel_.loadVector(kernel_.results, place);
  auto load = [&](size_t step, size_t input) {
    const LinearAccess &read = epilogue_.steps[step].reads[input];
    return emitter_.loadLanes({read.tensor, getIndex(read.index)}, dims,
                              own_.back(), lanes);
  };
  emitSteps(emitter_, epilogue_, lanes, load, values);
  for (const EpilogueStore &store : epilogue_.stores)
    emitter_.storeLanes(values.lookup(store.value),
                        {store.destination, getIndex(store.index)}, dims,
                        own_.back(), lanes);
}

/// Emits the map on each channel of the vector that exists.
void TileMap::emit() {
  transposeResult();
  Value lanes = math_.constant(lanes_);
  if (kernel_.channels % lanes_ != 0)
    lanes = math_.min(
        lanes, math_.sub(math_.constant(kernel_.channels), tile_.channel));
  emitter_.emitLoop(math_.constant(0), lanes, 1,
                    [&](Value lane) { emitMap(lane); });
}

void mpc::cpu::finishTile(const DepthwiseKernel &kernel,
                          const ChannelTile &tile) {
  TileMap(kernel, tile).emit();
}
