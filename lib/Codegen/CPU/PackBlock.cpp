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
         const PackDestination &destination, int64_t lanes)
      : emitter_(emitter), builder_(emitter.builder), loc_(emitter.loc),
        math_(emitter), factor_(factor), block_(block),
        destination_(destination), lanes_(lanes) {}

  void packRows(Value padded);
  void packColumns(int64_t width, int64_t columns);

private:
  // The places of row or column `index` and of `k` in the factor, both relative
  // to the block. Their sum is the element's place.
  Value outerAt(Value index) {
    return math_.add(factor_.base,
                     math_.at(factor_.outer, math_.add(block_.first, index)));
  }
  Value kAt(Value k) {
    return kTable_ ? kFromTable(k)
                   : math_.at(factor_.k, math_.add(block_.kFirst, k));
  }
  void buildKTable(int64_t unit);
  Value kFromTable(Value k);
  /// `width` elements in f32, 1 or 2 apart; a scalar if `width` is 1.
  Value load(Value place, int64_t width, int64_t stride = 1);
  /// The elements at `places` in f32.
  Value gather(ArrayRef<Value> places);
  Value convert(Value element);
  void store(Value value, Value place);
  /// 8 vectors of 8: the elements at the given places, transposed.
  SmallVector<Value> loadTransposed(ArrayRef<Value> outer, ArrayRef<Value> k);

  using Body = llvm::function_ref<void(Value)>;
  void loop(Value from, Value to, int64_t step, Body body) {
    emitter_.emitLoop(from, to, step, body);
  }

  // Rows.
  Value rowPlace(Value row, Value k) {
    return math_.add(
        math_.add(destination_.offset, math_.mul(row, destination_.stride)), k);
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
  void transposeColumns(Value column, Value place, int64_t width);
  void gatherPanels(Value panels, int64_t width);
  void copyLastPanel(Value panel, int64_t width);
  Value panelPlace(Value panel) {
    return math_.add(destination_.offset,
                     math_.mul(panel, destination_.stride));
  }

  Emitter &emitter_;
  OpBuilder &builder_;
  Location loc_;
  IndexMath math_;
  const Factor &factor_;
  const FactorBlock &block_;
  const PackDestination &destination_;
  int64_t lanes_;
  /// The places of every `kUnit`-th k; null where they are easy to compute.
  Value kTable_;
  int64_t kUnit_ = 1;
};

} // namespace

// Computes the places of k once for all rows or panels. Where k is several
// dimensions, they take divisions.
void Packer::buildKTable(int64_t unit) {
  if (factor_.k.parts.size() <= 1)
    return;
  Value table = emitter_.allocate(llvm::divideCeil(block_.kMost, unit),
                                  builder_.getI64Type());
  loop(math_.constant(0), block_.kCount, unit, [&](Value k) {
    Value place = arith::IndexCastOp::create(builder_, loc_,
                                             builder_.getI64Type(), kAt(k));
    memref::StoreOp::create(builder_, loc_, place, table, math_.div(k, unit));
  });
  kTable_ = table;
  kUnit_ = unit;
}

Value Packer::kFromTable(Value k) {
  Value place =
      memref::LoadOp::create(builder_, loc_, kTable_, math_.div(k, kUnit_));
  return arith::IndexCastOp::create(builder_, loc_, builder_.getIndexType(),
                                    place);
}

// Clones the ops by which the region computes the factor, on scalars or
// vectors.
Value mpc::cpu::emitFactor(Emitter &emitter, Value factor,
                           BlockArgument argument, Value element) {
  IRMapping values = emitter.mapping;
  values.map(argument, element);
  auto vector = dyn_cast<VectorType>(element.getType());
  Lanes width =
      vector ? Lanes{vector.getDimSize(0), vector.getDimSize(0)} : Lanes{};
  for (Operation *op : mpc::kernel::getSlice(factor, argument.getOwner())) {
    SmallVector<Value> operands =
        llvm::map_to_vector(op->getOperands(), [&](Value value) {
          return emitter.broadcast(values.lookup(value), width);
        });
    Type type = op->getResult(0).getType();
    if (vector)
      type = vector.clone(type);
    OperationState state(op->getLoc(), op->getName().getIdentifier(), operands,
                         {type}, op->getAttrs());
    values.map(op->getResult(0), emitter.builder.create(state)->getResult(0));
  }
  return values.lookup(factor);
}

Value Packer::convert(Value element) {
  return emitFactor(emitter_, factor_.value, factor_.argument, element);
}

Value Packer::load(Value place, int64_t width, int64_t stride) {
  if (width == 1)
    return convert(
        memref::LoadOp::create(builder_, loc_, factor_.buffer, place));
  if (stride == 2) {
    // Takes the even elements of the first vector and the odd ones of the last,
    // so that nothing beyond the end is read.
    SmallVector<int64_t> mask;
    for (int64_t lane = 0; lane < width / 2; ++lane)
      mask.push_back(2 * lane);
    for (int64_t lane = 0; lane < width / 2; ++lane)
      mask.push_back(width + 2 * lane + 1);
    Value first = load(place, width);
    Value last = load(math_.add(place, width - 1), width);
    return vector::ShuffleOp::create(builder_, loc_, first, last, mask);
  }
  Type element = cast<MemRefType>(factor_.buffer.getType()).getElementType();
  return convert(vector::LoadOp::create(builder_, loc_,
                                        VectorType::get({width}, element),
                                        factor_.buffer, place));
}

Value Packer::gather(ArrayRef<Value> places) {
  SmallVector<Value> elements;
  for (Value place : places)
    elements.push_back(
        memref::LoadOp::create(builder_, loc_, factor_.buffer, place));
  auto type = VectorType::get({static_cast<int64_t>(elements.size())},
                              elements.front().getType());
  return convert(
      vector::FromElementsOp::create(builder_, loc_, type, elements));
}

void Packer::store(Value value, Value place) {
  if (isa<VectorType>(value.getType()))
    vector::StoreOp::create(builder_, loc_, value, destination_.buffer, place);
  else
    memref::StoreOp::create(builder_, loc_, value, destination_.buffer, place);
}

// Transposes by three rounds of shuffles that CPUs have: pairs, quads, halves.
SmallVector<Value> Packer::loadTransposed(ArrayRef<Value> outer,
                                          ArrayRef<Value> k) {
  // Elements are contiguous along the side that has a single place.
  SmallVector<Value> rows;
  for (unsigned number = 0; number < 8; ++number)
    rows.push_back(load(math_.add(outer[outer.size() == 1 ? 0 : number],
                                  k[k.size() == 1 ? 0 : number]),
                        8));
  auto shuffle = [&](Value a, Value b, ArrayRef<int64_t> mask) -> Value {
    return vector::ShuffleOp::create(builder_, loc_, a, b, mask);
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

// Copies rows [from, to) from kFrom on: `width` contiguous elements at a time,
// then one by one.
void Packer::copyRows(Value from, Value to, Value kFrom, int64_t width,
                      int64_t stride) {
  Value vectorEnd =
      math_.add(kFrom, math_.floor(math_.sub(block_.kCount, kFrom), width));
  loop(from, to, 1, [&](Value row) {
    Value source = outerAt(row);
    loop(kFrom, vectorEnd, width, [&](Value k) {
      store(load(math_.add(source, kAt(k)), width, stride), rowPlace(row, k));
    });
    // Runs of several dimensions leave no rest.
    if (width > 1 && factor_.k.parts.size() == 1)
      loop(vectorEnd, block_.kCount, 1, [&](Value k) {
        store(load(math_.add(source, kAt(k)), 1), rowPlace(row, k));
      });
  });
}

// Packs a factor whose rows lie next to each other.
void Packer::transposeRows() {
  Value zero = math_.constant(0);
  Value kEnd = math_.floor(block_.kCount, 8);
  Value rowEnd = math_.floor(block_.count, 8);
  loop(zero, kEnd, 8, [&](Value k) {
    SmallVector<Value> places;
    for (int64_t number = 0; number < 8; ++number)
      places.push_back(kAt(math_.add(k, number)));
    loop(zero, rowEnd, 8, [&](Value row) {
      SmallVector<Value> rows = loadTransposed({outerAt(row)}, places);
      for (int64_t number = 0; number < 8; ++number)
        store(rows[number], rowPlace(math_.add(row, number), k));
    });
  });
  copyRows(zero, rowEnd, kEnd, 1);
  gatherRows(rowEnd, block_.count);
}

// Packs rows whose elements are not contiguous.
void Packer::gatherRows(Value from, Value to) {
  Value zero = math_.constant(0);
  Value vectorEnd = math_.floor(block_.kCount, lanes_);
  loop(from, to, 1, [&](Value row) {
    Value source = outerAt(row);
    loop(zero, vectorEnd, lanes_, [&](Value k) {
      SmallVector<Value> places;
      for (int64_t number = 0; number < lanes_; ++number)
        places.push_back(math_.add(source, kAt(math_.add(k, number))));
      store(gather(places), rowPlace(row, k));
    });
    loop(vectorEnd, block_.kCount, 1, [&](Value k) {
      store(load(math_.add(source, kAt(k)), 1), rowPlace(row, k));
    });
  });
}

void Packer::zeroRows(Value padded) {
  Value zero = arith::ConstantOp::create(
      builder_, loc_,
      DenseElementsAttr::get(VectorType::get({8}, builder_.getF32Type()),
                             0.0f));
  // The row stride leaves room for a whole last vector.
  loop(block_.count, padded, 1, [&](Value row) {
    loop(math_.constant(0), block_.kCount, 8,
         [&](Value k) { store(zero, rowPlace(row, k)); });
  });
}

void Packer::packRows(Value padded) {
  Value zero = math_.constant(0);
  bool outerRuns = factor_.outer.getRun(8, 1) == 8 &&
                   (factor_.outer.parts.size() == 1 || block_.unit % 8 == 0);
  for (int64_t stride : {1, 2}) {
    int64_t run = factor_.k.getRun(lanes_, stride);
    if (run >= 4 && (stride == 1 || !outerRuns)) {
      buildKTable(run);
      copyRows(zero, block_.count, zero, run, stride);
      return zeroRows(padded);
    }
  }
  buildKTable(1);
  if (outerRuns)
    transposeRows();
  else
    gatherRows(zero, block_.count);
  zeroRows(padded);
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

// Packs columns that lie in runs. The places of a panel's runs are computed
// before the loop over k.
void Packer::copyPanels(Value panels, int64_t width, int64_t run,
                        int64_t stride) {
  loop(math_.constant(0), panels, 1, [&](Value panel) {
    Value column = math_.mul(panel, width);
    Value place = panelPlace(panel);
    SmallVector<Value> sources;
    for (int64_t number = 0; number < width; number += run)
      sources.push_back(outerAt(math_.add(column, number)));
    loop(math_.constant(0), block_.kCount, 1, [&](Value k) {
      Value kSource = kAt(k);
      Value row = math_.add(place, math_.mul(k, width));
      for (auto [number, source] : llvm::enumerate(sources))
        store(load(math_.add(source, kSource), run, stride),
              math_.add(row, number * run));
    });
  });
}

// Packs a factor in which all columns of a k are contiguous. Reads memory in
// order.
void Packer::copyPanelsByRow(Value panels, int64_t width) {
  loop(math_.constant(0), block_.kCount, 1, [&](Value k) {
    Value source = math_.add(outerAt(math_.constant(0)), kAt(k));
    Value row = math_.add(destination_.offset, math_.mul(k, width));
    loop(math_.constant(0), panels, 1, [&](Value panel) {
      Value from = math_.add(source, math_.mul(panel, width));
      Value to = math_.add(row, math_.mul(panel, destination_.stride));
      for (int64_t number = 0; number < width; number += lanes_)
        store(load(math_.add(from, number), lanes_), math_.add(to, number));
    });
  });
}

// Packs a factor whose k lie next to each other.
void Packer::transposePanels(Value panels, int64_t width) {
  loop(math_.constant(0), panels, 1, [&](Value panel) {
    Value place = panelPlace(panel);
    loop(math_.constant(0), math_.constant(width), 8, [&](Value first) {
      transposeColumns(math_.add(math_.mul(panel, width), first),
                       math_.add(place, first), width);
    });
  });
}

// Packs 8 columns from `column` on to `place`.
void Packer::transposeColumns(Value column, Value place, int64_t width) {
  SmallVector<Value> sources;
  for (int64_t number = 0; number < 8; ++number)
    sources.push_back(outerAt(math_.add(column, number)));
  auto rowAt = [&](Value k) { return math_.add(place, math_.mul(k, width)); };
  Value kEnd = math_.floor(block_.kCount, 8);
  loop(math_.constant(0), kEnd, 8, [&](Value k) {
    SmallVector<Value> rows = loadTransposed(sources, {kAt(k)});
    Value row = rowAt(k);
    for (int64_t number = 0; number < 8; ++number)
      store(rows[number], math_.add(row, number * width));
  });
  // Runs of several dimensions leave no rest.
  if (factor_.k.parts.size() > 1)
    return;
  loop(kEnd, block_.kCount, 1, [&](Value k) {
    Value row = rowAt(k), kSource = kAt(k);
    for (auto [number, source] : llvm::enumerate(sources))
      store(load(math_.add(source, kSource), 1), math_.add(row, number));
  });
}

// Packs columns whose elements are not contiguous.
void Packer::gatherPanels(Value panels, int64_t width) {
  loop(math_.constant(0), panels, 1, [&](Value panel) {
    Value place = panelPlace(panel);
    loop(math_.constant(0), math_.constant(width), lanes_, [&](Value first) {
      SmallVector<Value> sources;
      for (int64_t number = 0; number < lanes_; ++number)
        sources.push_back(outerAt(
            math_.add(math_.add(math_.mul(panel, width), first), number)));
      loop(math_.constant(0), block_.kCount, 1, [&](Value k) {
        Value kSource = kAt(k);
        SmallVector<Value> places;
        for (Value source : sources)
          places.push_back(math_.add(source, kSource));
        store(gather(places),
              math_.add(math_.add(place, math_.mul(k, width)), first));
      });
    });
  });
}

// Packs the panel that columns do not fill, with zeros for columns that do not
// exist.
void Packer::copyLastPanel(Value panel, int64_t width) {
  Value zero =
      arith::ConstantOp::create(builder_, loc_, builder_.getF32FloatAttr(0.0f));
  Value place = panelPlace(panel);
  Value first = math_.mul(panel, width);
  Value last = math_.sub(block_.count, math_.constant(1));
  loop(math_.constant(0), math_.constant(width), 1, [&](Value column) {
    Value index = math_.add(first, column);
    Value exists = arith::CmpIOp::create(
        builder_, loc_, arith::CmpIPredicate::ult, index, block_.count);
    Value source = outerAt(math_.min(index, last));
    loop(math_.constant(0), block_.kCount, 1, [&](Value k) {
      Value value = load(math_.add(source, kAt(k)), 1);
      value = arith::SelectOp::create(builder_, loc_, exists, value, zero);
      store(value, math_.add(place, math_.add(math_.mul(k, width), column)));
    });
  });
}

void Packer::packColumns(int64_t width, int64_t columns) {
  Value panels = math_.div(block_.count, width);
  int64_t run = factor_.outer.getRun(lanes_, 1);
  int64_t evenRun = factor_.outer.getRun(lanes_, 2);
  bool transposes = run < 4 && factor_.k.getRun(8, 1) == 8;
  // The last panel reads k one by one.
  buildKTable(transposes && columns % width == 0 ? 8 : 1);
  if (columns >= width) {
    if (run == lanes_ && factor_.outer.parts.size() == 1)
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
  // Only the last block has a panel that is not full.
  Value rest =
      arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::ne,
                            math_.rem(block_.count, width), math_.constant(0));
  auto ifOp = scf::IfOp::create(builder_, loc_, rest, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(ifOp.thenBlock());
  copyLastPanel(panels, width);
}

void mpc::cpu::emitPackRows(Emitter &emitter, const Factor &factor,
                            const FactorBlock &block,
                            const PackDestination &destination, Value padded,
                            int64_t lanes) {
  Packer(emitter, factor, block, destination, lanes).packRows(padded);
}

void mpc::cpu::emitPackColumns(Emitter &emitter, const Factor &factor,
                               const FactorBlock &block,
                               const PackDestination &destination,
                               int64_t width, int64_t columns, int64_t lanes) {
  Packer(emitter, factor, block, destination, lanes)
      .packColumns(width, columns);
}
