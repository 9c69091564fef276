// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of attention's products on the micro-kernel.
#include "lib/Codegen/CPU/AttentionBlocks.h"

#include "lib/Codegen/CPU/Chains.h"
#include "lib/Codegen/CPU/LaneMath.h"
#include "lib/Codegen/CPU/PackBlock.h"
#include "lib/Codegen/CPU/Units.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;
using llvm::alignTo;
using llvm::divideCeil;

AttentionBlocks::AttentionBlocks(Emitter &emitter, AttentionOpInterface op,
                                 AttentionAttr schedule)
    : emitter_(emitter), builder_(emitter.builder), loc_(emitter.loc),
      math_(emitter), op_(op), schedule_(schedule),
      factorType_(getFactorType(builder_.getContext(), schedule.getUnit())),
      depth_(getDepth(schedule.getUnit())) {
  Tiles zeros = allocateTiles(microRows(), microColumns());
  emitZeros(zeros, microColumns());
  zeros_ = zeros.buffer;
}

//===----------------------------------------------------------------------===//
// Scratch memory
//===----------------------------------------------------------------------===//

PackedRows AttentionBlocks::allocateRows(int64_t rows, int64_t k) {
  // A little more than a row, so that rows do not fall into one cache set.
  int64_t stride = alignTo(k, 8) + 8;
  Value buffer =
      emitter_.allocate(alignTo(rows, microRows()) * stride, factorType_);
  return {buffer, stride, microRows() * stride};
}

PackedRows AttentionBlocks::allocateRowPanels(int64_t rows, int64_t k) {
  // Packing in panels copies whole vectors of 8.
  if (microRows() % 8 != 0)
    return allocateRows(rows, k);
  int64_t stride = alignTo(k, depth_) * microRows();
  Value buffer =
      emitter_.allocate(divideCeil(rows, microRows()) * stride, factorType_);
  return {buffer, 0, stride, /*panels=*/true};
}

PackedPanels AttentionBlocks::allocatePanels(int64_t columns, int64_t k) {
  int64_t stride = alignTo(k, depth_) * microColumns();
  Value buffer = emitter_.allocate(divideCeil(columns, microColumns()) * stride,
                                   factorType_);
  return {buffer, stride};
}

Tiles AttentionBlocks::allocateTiles(int64_t rows, int64_t columns) {
  int64_t stride = alignTo(rows, microRows()) * microColumns();
  Value buffer = emitter_.allocate(divideCeil(columns, microColumns()) * stride,
                                   builder_.getF32Type());
  return {buffer, stride};
}

void AttentionBlocks::emitZeros(const Tiles &tiles, int64_t columns) {
  int64_t lanes = schedule_.getLanes();
  Value zero = LaneMath(emitter_, {lanes, lanes}).constant(0.0f);
  Value end =
      math_.constant(divideCeil(columns, microColumns()) * tiles.stride);
  emitter_.emitLoop(math_.constant(0), end, lanes, [&](Value place) {
    vector::StoreOp::create(builder_, loc_, zero, tiles.buffer, place);
  });
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

Factor AttentionBlocks::getFactor(OpOperand &operand, Value batch, Value head,
                                  bool alongRows) {
  AttentionSizes sizes = mpc::kernel::getSizes(op_);
  bool isQuery = &operand == &op_.getQueryMutable();
  bool isKey = &operand == &op_.getKeyMutable();
  bool isValue = &operand == &op_.getValueMutable();
  Linear linear = getPlace(op_, operand);
  Value base = math_.constant(linear.offset);
  base = math_.add(base, math_.mul(batch, linear.strides[0]));
  base = math_.add(base, math_.mul(head, linear.strides[1]));
  StridedIndex rows, elements;
  rows.parts.push_back(
      {isKey || isValue ? sizes.keys : sizes.queries, linear.strides[2]});
  elements.parts.push_back(
      {isQuery || isKey ? sizes.depth : sizes.width, linear.strides[3]});
  auto convert = [this](Value value) {
    auto vector = dyn_cast<VectorType>(value.getType());
    int64_t width = vector ? vector.getDimSize(0) : 0;
    return LaneMath(emitter_, {width, width}).convert(value, factorType_);
  };
  Value buffer = emitter_.getBuffer(operand.get());
  if (alongRows)
    return {factorType_, convert, buffer, base, elements, rows};
  return {factorType_, convert, buffer, base, rows, elements};
}

Factor AttentionBlocks::getTransposed(const PackedRows &block, int64_t rows,
                                      int64_t columns) {
  StridedIndex column, row;
  column.parts.push_back({columns, 1});
  row.parts.push_back({rows, block.rowStride});
  return {factorType_,  [](Value value) { return value; },
          block.buffer, math_.constant(0),
          column,       row};
}

void AttentionBlocks::packRows(const PackedRows &to, const Factor &factor,
                               Value first, Value count) {
  int64_t k = factor.k.getSize();
  Value padded = math_.mul(math_.ceilDiv(count, microRows()), microRows());
  emitPackRows(
      emitter_, factor,
      {first, count, math_.constant(0), math_.constant(k), /*unit=*/1, k},
      {to.buffer, math_.constant(0), to.rowStride}, padded,
      {schedule_.getLanes(), depth_});
}

void AttentionBlocks::packPanels(const PackedPanels &to, const Factor &factor,
                                 const Part &part) {
  emitPackColumns(
      emitter_, factor,
      {part.first, part.count, part.kFirst, part.kCount,
       /*unit=*/microColumns(), factor.k.getSize()},
      {to.buffer, math_.constant(0), to.stride},
      {microColumns(), factor.outer.getSize(), {schedule_.getLanes(), depth_}});
}

void AttentionBlocks::packTransposed(const PackedRows &to, const Factor &factor,
                                     Value columns, Value k) {
  FactorBlock block = {math_.constant(0), columns,
                       math_.constant(0), k,
                       /*unit=*/8,        factor.k.getSize()};
  if (!to.panels) {
    Value padded = math_.mul(math_.ceilDiv(columns, microRows()), microRows());
    return emitPackRows(emitter_, factor, block,
                        {to.buffer, math_.constant(0), to.rowStride}, padded,
                        {schedule_.getLanes(), depth_});
  }
  emitPackColumns(emitter_, factor, block,
                  {to.buffer, math_.constant(0), to.groupStride},
                  {microRows(), factor.outer.getSize(), {8, depth_}});
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Adds the products of `length` k from `from` on to a micro-tile, or (not
/// `adds`) writes them.
void AttentionBlocks::emitChain(const BlockProduct &product, const Chain &chain,
                                bool adds) {
  int64_t mr = microRows(), nr = microColumns();
  MicroKernel shape = {mr,
                       nr,
                       schedule_.getLanes(),
                       /*fused=*/true,
                       schedule_.getUnit(),
                       product.rows.panels};
  auto [group, panel, from, length] = chain;
  Value row = math_.add(math_.mul(group, product.rows.groupStride),
                        math_.mul(from, product.rows.panels ? mr : 1));
  if (product.rows.offset)
    row = math_.add(row, product.rows.offset);
  Value k = product.firstK ? math_.add(product.firstK, from) : from;
  Value columns = panel;
  if (product.firstColumn)
    columns = math_.add(panel, math_.div(product.firstColumn, nr));
  Value column =
      math_.add(math_.mul(columns, product.columns.stride), math_.mul(k, nr));
  Value place = math_.add(math_.mul(panel, product.result.stride),
                          math_.mul(group, mr * nr));
  if (product.firstRow)
    place = math_.add(place, math_.mul(product.firstRow, nr));
  MicroOperand result = {product.result.buffer, place};
  emitMicroKernelCall(
      emitter_, shape, math_.ceilDiv(length, depth_),
      {product.rows.buffer, row}, math_.constant(product.rows.rowStride),
      {product.columns.buffer, column},
      adds ? result : MicroOperand{zeros_, math_.constant(0)}, result);
}

void AttentionBlocks::emitGroup(const BlockProduct &product, Value panel,
                                Value group) {
  ValueRangePair range = {math_.constant(0), product.k};
  if (product.range)
    range = product.range(group);
  auto [first, end] = range;
  int64_t chain = getChains({product.mostK}).count;
  if (chain >= product.mostK)
    return emitChain(product, {group, panel, first, math_.sub(end, first)},
                     product.adds);
  auto emitFrom = [&](Value from, bool adds) {
    Value length = math_.min(math_.constant(chain), math_.sub(end, from));
    emitChain(product, {group, panel, from, length}, adds);
  };
  emitFrom(math_.constant(0), product.adds);
  emitter_.emitLoop(math_.constant(chain), end, chain,
                    [&](Value from) { emitFrom(from, /*adds=*/true); });
}

void AttentionBlocks::emitProduct(const BlockProduct &product) {
  emitter_.emitLoop(math_.constant(0), product.panels, 1, [&](Value panel) {
    Value first =
        product.firstGroup ? product.firstGroup(panel) : math_.constant(0);
    emitter_.emitLoop(first, product.groups, 1,
                      [&](Value group) { emitGroup(product, panel, group); });
  });
}
