// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cpu.depthwise: a window over an image, with channels in lanes.
//
// Each tile transposes its part of both factors into scratch memory, where the
// channels of a vector lie next to each other. Windows then need no borders,
// strides and dilations are distances, and a sum over positions is a sum in
// each lane. The result is transposed back, and the map on it follows.
#include "lib/Codegen/CPU/DepthwiseKernel.h"
#include "lib/Codegen/CPU/DepthwisePlan.h"
#include "lib/Codegen/CPU/Emitters.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

using Values = SmallVector<Value>;

DepthwiseKernel::DepthwiseKernel(Emitter &emitter,
                                 const Contraction &contraction,
                                 const Depthwise &depthwise,
                                 const Epilogue &epilogue,
                                 DepthwiseAttr schedule)
    : emitter(emitter), math(emitter), contraction(contraction),
      depthwise(depthwise), epilogue(epilogue), schedule(schedule),
      lanes(schedule.getLanes()),
      layout(contraction, depthwise, {schedule.getCut(), schedule.getTile()},
             schedule.getBlock()),
      own(contraction.groups[depthwise.ownGroup()]),
      tiled(contraction.groups[depthwise.tiledGroup(contraction)]),
      channels(contraction.sizes[Contraction::Batch]),
      sumsTiles(depthwise.tiledGroup(contraction) == Contraction::K) {
  Type f32 = emitter.builder.getF32Type();
  for (unsigned operand = 0; operand < 2; ++operand)
    packed[operand] =
        emitter.allocate(layout.factor(operand).vectors * lanes, f32);
  sums = emitter.allocate(layout.result().vectors * lanes, f32);
  // The distance is a little more than a line, so that lines do not fall into
  // the same cache set.
  pitch = layout.result().vectors + 16;
  results = emitter.allocate(pitch * lanes, f32);
}

Value DepthwiseKernel::loadVector(Value buffer, Value place) const {
  auto type = VectorType::get({lanes}, emitter.builder.getF32Type());
  return vector::LoadOp::create(emitter.builder, emitter.loc, type, buffer,
                                place);
}

ChannelTile::ChannelTile(const DepthwiseKernel &kernel, Value channel,
                         ValueRange place)
    : channel(channel) {
  const IndexMath &math = kernel.math;
  const Statement &statement = kernel.contraction.statement;
  starts.assign(statement.numDims(), math.constant(0));
  starts[kernel.depthwise.channel] = channel;
  for (auto [number, index] : llvm::enumerate(place))
    starts[kernel.tiled[number]] = index;
  unsigned dim = kernel.cut();
  int64_t extent = statement.extents[dim];
  int64_t tile = kernel.schedule.getTile();
  starts[dim] = math.mul(starts[dim], tile);
  cutCount = math.constant(tile);
  if (extent % tile != 0)
    cutCount = math.min(cutCount, math.sub(math.constant(extent), starts[dim]));
}

Value ChannelTile::count(const DepthwiseKernel &kernel, unsigned dim) const {
  return dim == kernel.cut() ? cutCount
                             : kernel.math.constant(kernel.layout.extent(dim));
}

static ChannelTile computeTile(const DepthwiseKernel &kernel, Value channel,
                               ValueRange place) {
  ChannelTile tile(kernel, channel, place);
  packChannels(kernel, tile, 0);
  packChannels(kernel, tile, 1);
  sumTile(kernel, tile);
  return tile;
}

/// Sums over all tiles, in the order of K.
static void sumTiles(const DepthwiseKernel &kernel, Value channel,
                     unsigned number, Values place) {
  const IndexMath &math = kernel.math;
  SmallVector<int64_t> tiles = kernel.layout.tiles();
  if (number == tiles.size()) {
    computeTile(kernel, channel, place);
    return;
  }
  kernel.emitter.emitLoop(math.constant(0), math.constant(tiles[number]), 1,
                          [&](Value index) {
                            Values next = place;
                            next.push_back(index);
                            sumTiles(kernel, channel, number + 1, next);
                          });
}

/// Emits a unit whose sum is cut into tiles.
static void emitSum(const DepthwiseKernel &kernel, Value channel) {
  clearSums(kernel);
  sumTiles(kernel, channel, 0, {});
  Values origin(kernel.layout.tiles().size(), kernel.math.constant(0));
  finishTile(kernel, ChannelTile(kernel, channel, origin));
}

static void emitUnit(const DepthwiseKernel &kernel, Value unit) {
  SmallVector<int64_t> extents(1,
                               llvm::divideCeil(kernel.channels, kernel.lanes));
  if (!kernel.sumsTiles)
    llvm::append_range(extents, kernel.layout.tiles());
  Values place = kernel.emitter.delinearize(unit, extents);
  Value channel = kernel.math.mul(place.front(), kernel.lanes);
  if (kernel.sumsTiles)
    return emitSum(kernel, channel);
  finishTile(kernel,
             computeTile(kernel, channel, ArrayRef(place).drop_front()));
}

void mpc::cpu::emitDepthwise(Emitter &emitter, const Body &body,
                             DepthwiseAttr schedule) {
  Contraction contraction = *matchContraction(body.statements.front());
  Depthwise depthwise = *matchDepthwise(contraction);
  Epilogue epilogue = getEpilogue(emitter.kernel, body);
  DepthwiseKernel kernel(emitter, contraction, depthwise, epilogue, schedule);
  int64_t units = countDepthwiseUnits(contraction, depthwise, schedule);
  Value from = emitter.chunkStart(emitter.begin, units, schedule.getChunks());
  Value to = emitter.chunkStart(emitter.end, units, schedule.getChunks());
  emitter.emitLoop(from, to, 1, [&](Value unit) { emitUnit(kernel, unit); });
}
