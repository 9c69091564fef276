// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packs blocks of a contraction's factors, converting on the way.
#include "lib/Codegen/CPU/Gemm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

namespace {

/// Loads, converts and stores elements of one factor.
class Packer {
public:
  Packer(Emitter &emitter, const Factor &factor, const FactorBlock &block,
         const Target &target, int64_t lanes)
      : emitter(emitter), builder(emitter.builder), loc(emitter.loc),
        math(emitter), factor(factor), block(block), target(target),
        lanes(lanes) {}

  void packRows(Value padded);
  void packColumns(int64_t width, int64_t columns);

private:
  // Places in the factor of row or column `index` and of `k`, both relative to
  // the block; their sum is the element's.
  Value outerAt(Value index) {
    return math.add(factor.base,
                    math.at(factor.outer, math.add(block.first, index)));
  }
  Value kAt(Value k) {
    return kTable ? kFromTable(k)
                  : math.at(factor.k, math.add(block.kFirst, k));
  }
  void buildKTable(int64_t unit);
  Value kFromTable(Value k);
  /// `width` elements in f32, 1 or 2 apart; a scalar if `width` is 1.
  Value load(Value place, int64_t width, int64_t stride = 1);
  /// The elements at `places` in f32.
  Value gather(ArrayRef<Value> places);
  Value convert(Value element);
  void store(Value value, Value place);
  /// 8 vectors of 8: the elements `places` point at, transposed.
  SmallVector<Value> loadTransposed(ArrayRef<Value> outer, ArrayRef<Value> k);

  using Body = llvm::function_ref<void(Value)>;
  void loop(Value from, Value to, int64_t step, Body body) {
    emitter.emitLoop(from, to, step, body);
  }

  // Rows.
  Value rowPlace(Value row, Value k) {
    return math.add(math.add(target.offset, math.mul(row, target.stride)), k);
  }
  void copyRows(Value from, Value to, Value kFrom, int64_t width,
                int64_t stride = 1);
  void gatherRows(Value from, Value to);
  void transposeRows();
  void zeroRows(Value padded);

  // Columns.
  void copyPanels(Value panels, int64_t width, int64_t run, int64_t stride);
  void copyPanelsByRow(Value panels, int64_t width);
  void transposePanels(Value panels, int64_t width);
  void gatherPanels(Value panels, int64_t width);
  void copyLastPanel(Value panel, int64_t width);
  Value panelPlace(Value panel) {
    return math.add(target.offset, math.mul(panel, target.stride));
  }

  Emitter &emitter;
  OpBuilder &builder;
  Location loc;
  IndexMath math;
  const Factor &factor;
  const FactorBlock &block;
  const Target &target;
  int64_t lanes;
  /// Where the k lie that are multiples of `kUnit`; null if that is easy.
  Value kTable;
  int64_t kUnit = 1;
};

} // namespace

// Where k is several dimensions its places take divisions; all rows or panels
// share them.
void Packer::buildKTable(int64_t unit) {
  if (factor.k.parts.size() <= 1)
    return;
  Value table = emitter.allocate(llvm::divideCeil(block.kMost, unit),
                                 builder.getI64Type());
  loop(math.constant(0), block.kCount, unit, [&](Value k) {
    Value place =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), kAt(k));
    memref::StoreOp::create(builder, loc, place, table, math.div(k, unit));
  });
  kTable = table;
  kUnit = unit;
}

Value Packer::kFromTable(Value k) {
  Value place =
      memref::LoadOp::create(builder, loc, kTable, math.div(k, kUnit));
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    place);
}

// Clones what the region computes from the factor, on scalars or vectors.
Value Packer::convert(Value element) {
  Value result = factor.value;
  IRMapping values = emitter.mapping;
  values.map(factor.argument, element);
  auto vector = dyn_cast<VectorType>(element.getType());
  Lanes width =
      vector ? Lanes{vector.getDimSize(0), vector.getDimSize(0)} : Lanes{};
  for (Operation *op :
       mpc::kernel::getSlice(result, factor.argument.getOwner())) {
    SmallVector<Value> operands =
        llvm::map_to_vector(op->getOperands(), [&](Value value) {
          return emitter.broadcast(values.lookup(value), width);
        });
    Type type = op->getResult(0).getType();
    if (vector)
      type = vector.clone(type);
    OperationState state(op->getLoc(), op->getName().getIdentifier(), operands,
                         {type}, op->getAttrs());
    values.map(op->getResult(0), builder.create(state)->getResult(0));
  }
  return values.lookup(result);
}

Value Packer::load(Value place, int64_t width, int64_t stride) {
  if (width == 1)
    return convert(memref::LoadOp::create(builder, loc, factor.buffer, place));
  if (stride == 2) {
    // The even ones of the first elements, the odd ones of the last: nothing
    // beyond is read.
    SmallVector<int64_t> mask;
    for (int64_t lane = 0; lane < width / 2; ++lane)
      mask.push_back(2 * lane);
    for (int64_t lane = 0; lane < width / 2; ++lane)
      mask.push_back(width + 2 * lane + 1);
    Value first = load(place, width);
    Value last = load(math.add(place, width - 1), width);
    return vector::ShuffleOp::create(builder, loc, first, last, mask);
  }
  Type element = cast<MemRefType>(factor.buffer.getType()).getElementType();
  return convert(vector::LoadOp::create(
      builder, loc, VectorType::get({width}, element), factor.buffer, place));
}

Value Packer::gather(ArrayRef<Value> places) {
  SmallVector<Value> elements;
  for (Value place : places)
    elements.push_back(
        memref::LoadOp::create(builder, loc, factor.buffer, place));
  auto type = VectorType::get({static_cast<int64_t>(elements.size())},
                              elements.front().getType());
  return convert(vector::FromElementsOp::create(builder, loc, type, elements));
}

void Packer::store(Value value, Value place) {
  if (isa<VectorType>(value.getType()))
    vector::StoreOp::create(builder, loc, value, target.buffer, place);
  else
    memref::StoreOp::create(builder, loc, value, target.buffer, place);
}

// Three rounds of shuffles that CPUs have: pairs, quads, halves.
SmallVector<Value> Packer::loadTransposed(ArrayRef<Value> outer,
                                          ArrayRef<Value> k) {
  // The side with one place is where elements are contiguous.
  SmallVector<Value> rows;
  for (unsigned number = 0; number < 8; ++number)
    rows.push_back(load(math.add(outer[outer.size() == 1 ? 0 : number],
                                 k[k.size() == 1 ? 0 : number]),
                        8));
  auto shuffle = [&](Value a, Value b, ArrayRef<int64_t> mask) -> Value {
    return vector::ShuffleOp::create(builder, loc, a, b, mask);
  };
  SmallVector<Value> pairs, quads, result(8);
  for (unsigned row = 0; row < 8; row += 2) {
    pairs.push_back(
        shuffle(rows[row], rows[row + 1], {0, 8, 1, 9, 4, 12, 5, 13}));
    pairs.push_back(
        shuffle(rows[row], rows[row + 1], {2, 10, 3, 11, 6, 14, 7, 15}));
  }
  for (unsigned half = 0; half < 8; half += 4)
    for (unsigned number = 0; number < 2; ++number) {
      Value a = pairs[half + number], b = pairs[half + 2 + number];
      quads.push_back(shuffle(a, b, {0, 1, 8, 9, 4, 5, 12, 13}));
      quads.push_back(shuffle(a, b, {2, 3, 10, 11, 6, 7, 14, 15}));
    }
  for (unsigned number = 0; number < 4; ++number) {
    Value a = quads[number], b = quads[number + 4];
    result[number] = shuffle(a, b, {0, 1, 2, 3, 8, 9, 10, 11});
    result[number + 4] = shuffle(a, b, {4, 5, 6, 7, 12, 13, 14, 15});
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

// Rows [from, to), k from kFrom on: `width` contiguous elements at a time, then
// one by one.
void Packer::copyRows(Value from, Value to, Value kFrom, int64_t width,
                      int64_t stride) {
  Value vectorEnd =
      math.add(kFrom, math.floor(math.sub(block.kCount, kFrom), width));
  loop(from, to, 1, [&](Value row) {
    Value source = outerAt(row);
    loop(kFrom, vectorEnd, width, [&](Value k) {
      store(load(math.add(source, kAt(k)), width, stride), rowPlace(row, k));
    });
    // Runs of several dimensions come out even.
    if (width > 1 && factor.k.parts.size() == 1)
      loop(vectorEnd, block.kCount, 1, [&](Value k) {
        store(load(math.add(source, kAt(k)), 1), rowPlace(row, k));
      });
  });
}

// For a factor whose rows lie next to each other.
void Packer::transposeRows() {
  Value zero = math.constant(0);
  Value kEnd = math.floor(block.kCount, 8);
  Value rowEnd = math.floor(block.count, 8);
  loop(zero, kEnd, 8, [&](Value k) {
    SmallVector<Value> places;
    for (int64_t number = 0; number < 8; ++number)
      places.push_back(kAt(math.add(k, number)));
    loop(zero, rowEnd, 8, [&](Value row) {
      SmallVector<Value> rows = loadTransposed({outerAt(row)}, places);
      for (int64_t number = 0; number < 8; ++number)
        store(rows[number], rowPlace(math.add(row, number), k));
    });
  });
  copyRows(zero, rowEnd, kEnd, 1);
  gatherRows(rowEnd, block.count);
}

// Rows whose elements lie anywhere.
void Packer::gatherRows(Value from, Value to) {
  Value zero = math.constant(0);
  Value vectorEnd = math.floor(block.kCount, lanes);
  loop(from, to, 1, [&](Value row) {
    Value source = outerAt(row);
    loop(zero, vectorEnd, lanes, [&](Value k) {
      SmallVector<Value> places;
      for (int64_t number = 0; number < lanes; ++number)
        places.push_back(math.add(source, kAt(math.add(k, number))));
      store(gather(places), rowPlace(row, k));
    });
    loop(vectorEnd, block.kCount, 1, [&](Value k) {
      store(load(math.add(source, kAt(k)), 1), rowPlace(row, k));
    });
  });
}

void Packer::zeroRows(Value padded) {
  Value zero = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(VectorType::get({8}, builder.getF32Type()), 0.0f));
  // The stride leaves room for the last vector.
  loop(block.count, padded, 1, [&](Value row) {
    loop(math.constant(0), block.kCount, 8,
         [&](Value k) { store(zero, rowPlace(row, k)); });
  });
}

void Packer::packRows(Value padded) {
  Value zero = math.constant(0);
  bool outerRuns = factor.outer.getRun(8, 1) == 8 &&
                   (factor.outer.parts.size() == 1 || block.unit % 8 == 0);
  for (int64_t stride : {1, 2}) {
    int64_t run = factor.k.getRun(lanes, stride);
    if (run >= 4 && (stride == 1 || !outerRuns)) {
      buildKTable(run);
      copyRows(zero, block.count, zero, run, stride);
      return zeroRows(padded);
    }
  }
  buildKTable(1);
  if (outerRuns)
    transposeRows();
  else
    gatherRows(zero, block.count);
  zeroRows(padded);
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

// Columns that lie in runs: the places of a panel's runs, then over k.
void Packer::copyPanels(Value panels, int64_t width, int64_t run,
                        int64_t stride) {
  loop(math.constant(0), panels, 1, [&](Value panel) {
    Value column = math.mul(panel, width);
    Value place = panelPlace(panel);
    SmallVector<Value> sources;
    for (int64_t number = 0; number < width; number += run)
      sources.push_back(outerAt(math.add(column, number)));
    loop(math.constant(0), block.kCount, 1, [&](Value k) {
      Value kSource = kAt(k);
      Value row = math.add(place, math.mul(k, width));
      for (auto [number, source] : llvm::enumerate(sources))
        store(load(math.add(source, kSource), run, stride),
              math.add(row, number * run));
    });
  });
}

// All columns of a k lie next to each other: reads memory in order.
void Packer::copyPanelsByRow(Value panels, int64_t width) {
  loop(math.constant(0), block.kCount, 1, [&](Value k) {
    Value source = math.add(outerAt(math.constant(0)), kAt(k));
    Value row = math.add(target.offset, math.mul(k, width));
    loop(math.constant(0), panels, 1, [&](Value panel) {
      Value from = math.add(source, math.mul(panel, width));
      Value to = math.add(row, math.mul(panel, target.stride));
      for (int64_t number = 0; number < width; number += lanes)
        store(load(math.add(from, number), lanes), math.add(to, number));
    });
  });
}

// For a factor whose k lie next to each other.
void Packer::transposePanels(Value panels, int64_t width) {
  Value kEnd = math.floor(block.kCount, 8);
  loop(math.constant(0), panels, 1, [&](Value panel) {
    Value place = panelPlace(panel);
    for (int64_t first = 0; first < width; first += 8) {
      SmallVector<Value> sources;
      for (int64_t number = 0; number < 8; ++number)
        sources.push_back(
            outerAt(math.add(math.mul(panel, width), first + number)));
      loop(math.constant(0), kEnd, 8, [&](Value k) {
        SmallVector<Value> rows = loadTransposed(sources, {kAt(k)});
        Value row = math.add(math.add(place, math.mul(k, width)), first);
        for (int64_t number = 0; number < 8; ++number)
          store(rows[number], math.add(row, number * width));
      });
      // Runs of several dimensions come out even.
      if (factor.k.parts.size() > 1)
        continue;
      loop(kEnd, block.kCount, 1, [&](Value k) {
        Value row = math.add(math.add(place, math.mul(k, width)), first);
        Value kSource = kAt(k);
        for (auto [number, source] : llvm::enumerate(sources))
          store(load(math.add(source, kSource), 1), math.add(row, number));
      });
    }
  });
}

// Columns that lie anywhere.
void Packer::gatherPanels(Value panels, int64_t width) {
  loop(math.constant(0), panels, 1, [&](Value panel) {
    Value place = panelPlace(panel);
    for (int64_t first = 0; first < width; first += lanes) {
      SmallVector<Value> sources;
      for (int64_t number = 0; number < lanes; ++number)
        sources.push_back(
            outerAt(math.add(math.mul(panel, width), first + number)));
      loop(math.constant(0), block.kCount, 1, [&](Value k) {
        Value kSource = kAt(k);
        SmallVector<Value> places;
        for (Value source : sources)
          places.push_back(math.add(source, kSource));
        store(gather(places),
              math.add(math.add(place, math.mul(k, width)), first));
      });
    }
  });
}

// The panel that columns do not fill: zero where there is none.
void Packer::copyLastPanel(Value panel, int64_t width) {
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0.0f));
  Value place = panelPlace(panel);
  Value first = math.mul(panel, width);
  Value last = math.sub(block.count, math.constant(1));
  loop(math.constant(0), math.constant(width), 1, [&](Value column) {
    Value index = math.add(first, column);
    Value exists = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, index, block.count);
    Value source = outerAt(math.min(index, last));
    loop(math.constant(0), block.kCount, 1, [&](Value k) {
      Value value = load(math.add(source, kAt(k)), 1);
      value = arith::SelectOp::create(builder, loc, exists, value, zero);
      store(value, math.add(place, math.add(math.mul(k, width), column)));
    });
  });
}

void Packer::packColumns(int64_t width, int64_t columns) {
  Value panels = math.div(block.count, width);
  int64_t run = factor.outer.getRun(lanes, 1);
  int64_t evenRun = factor.outer.getRun(lanes, 2);
  bool transposes = run < 4 && factor.k.getRun(8, 1) == 8;
  // The last panel takes k one by one.
  buildKTable(transposes && columns % width == 0 ? 8 : 1);
  if (columns >= width) {
    if (run == lanes && factor.outer.parts.size() == 1)
      copyPanelsByRow(panels, width);
    else if (run >= 4)
      copyPanels(panels, width, run, 1);
    else if (transposes)
      transposePanels(panels, width);
    else if (evenRun >= 4)
      copyPanels(panels, width, evenRun, 2);
    else
      gatherPanels(panels, width);
  }
  if (columns % width == 0)
    return;
  // Only the last block has a last panel.
  Value rest =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                            math.rem(block.count, width), math.constant(0));
  auto ifOp = scf::IfOp::create(builder, loc, rest, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(ifOp.thenBlock());
  copyLastPanel(panels, width);
}

void mpc::cpu::emitPackRows(Emitter &emitter, const Factor &factor,
                            const FactorBlock &block, const Target &target,
                            Value padded, int64_t lanes) {
  Packer(emitter, factor, block, target, lanes).packRows(padded);
}

void mpc::cpu::emitPackColumns(Emitter &emitter, const Factor &factor,
                               const FactorBlock &block, const Target &target,
                               int64_t width, int64_t columns, int64_t lanes) {
  Packer(emitter, factor, block, target, lanes).packColumns(width, columns);
}
