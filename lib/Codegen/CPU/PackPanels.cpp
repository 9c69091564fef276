// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packs panels of columns of a contraction's factor, with the columns of a step
// of k contiguous.
#include "lib/Codegen/CPU/PackBlock.h"
#include "lib/Codegen/CPU/Transpose.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mpc::cpu;
using mpc::kernel::StridedIndex;

namespace {

/// Packs the columns of one block, in the way that suits the factor's layout.
class PanelPacker {
public:
  PanelPacker(Emitter &emitter, const Factor &factor, const FactorBlock &block,
              const PackDestination &destination, PanelShape shape)
      : emitter_(emitter), builder_(emitter.builder), loc_(emitter.loc),
        math_(emitter), reader_(emitter, factor, block), factor_(factor),
        block_(block), destination_(destination), width_(shape.width),
        columns_(shape.columns), lanes_(shape.unit.lanes),
        depth_(shape.unit.depth) {}

  void pack();

private:
  void packWhole(Value panels, bool transposes);
  void copyPanels(Value panels, int64_t run, int64_t stride);
  void copyPanelsByRow(Value panels);
  void transposePanels(Value panels);
  void transposeColumns(Value column, Value place);
  void transposeTaps(Value panels);
  void transposeEightTaps(ArrayRef<Value> columns, Value firstTap, Value tap,
                          Value channel, Value place);
  void gatherPanels(Value panels);
  void copyLastPanel(Value panel);

  Value panelPlace(Value panel) {
    return math_.add(destination_.offset,
                     math_.mul(panel, destination_.stride));
  }
  using Body = llvm::function_ref<void(Value)>;
  void loop(Value from, Value to, int64_t step, Body body) {
    emitter_.emitLoop(from, to, step, body);
  }
  void store(Value value, Value place) {
    storePacked(emitter_, value, destination_, place);
  }

  /// The neighbouring k of a step of the unit; null for one beyond the last k.
  using Step = ArrayRef<Value>;
  /// Reads elements of one k, whose place is given.
  using Read = llvm::function_ref<Value(Value)>;
  void loopSteps(Value from, llvm::function_ref<void(Value, Step)> body);
  SmallVector<Value> findPlaces(Step step);
  Value readStep(Step places, Read read);
  Value interleave(ArrayRef<Value> rows);
  /// The place in a panel of a step that begins with `k`.
  Value stepPlace(Value panel, Value k) {
    return math_.add(panel, math_.mul(k, width_));
  }

  Emitter &emitter_;
  OpBuilder &builder_;
  Location loc_;
  IndexMath math_;
  FactorReader reader_;
  const Factor &factor_;
  const FactorBlock &block_;
  const PackDestination &destination_;
  int64_t width_, columns_, lanes_, depth_;
};

} // namespace

//===----------------------------------------------------------------------===//
// Steps of the unit
//===----------------------------------------------------------------------===//

/// Calls `body` with the first k and all k of each step from `from` on.
void PanelPacker::loopSteps(Value from,
                            llvm::function_ref<void(Value, Step)> body) {
  Value whole = math_.floor(block_.kCount, depth_);
  loop(from, whole, depth_, [&](Value k) {
    SmallVector<Value> step = {k};
    for (int64_t next = 1; next < depth_; ++next)
      step.push_back(math_.add(k, next));
    body(k, step);
  });
  if (factor_.k.getSize() % depth_ == 0)
    return;
  // A step has at most two k.
  loop(whole, block_.kCount, depth_, [&](Value k) { body(k, {k, Value()}); });
}

SmallVector<Value> PanelPacker::findPlaces(Step step) {
  return llvm::map_to_vector(
      step, [&](Value k) { return k ? reader_.kAt(k) : Value(); });
}

/// The elements that `read` reads at each of `places`, as the unit reads them.
Value PanelPacker::readStep(Step places, Read read) {
  SmallVector<Value> rows;
  for (Value place : places)
    rows.push_back(place ? read(place)
                         : arith::ConstantOp::create(
                               builder_, loc_,
                               builder_.getZeroAttr(rows.front().getType())));
  return interleave(rows);
}

/// Vectors or scalars with the elements of each column next to each other.
Value PanelPacker::interleave(ArrayRef<Value> rows) {
  if (rows.size() == 1)
    return rows.front();
  auto type = dyn_cast<VectorType>(rows.front().getType());
  if (!type)
    return vector::FromElementsOp::create(
        builder_, loc_,
        VectorType::get({static_cast<int64_t>(rows.size())},
                        rows.front().getType()),
        rows);
  SmallVector<int64_t> mask;
  for (int64_t column = 0; column < type.getDimSize(0); ++column)
    for (size_t row = 0; row < rows.size(); ++row)
      mask.push_back(row * type.getDimSize(0) + column);
  return createShuffle(emitter_, rows[0], rows[1], mask);
}

//===----------------------------------------------------------------------===//
// Layouts of the factor
//===----------------------------------------------------------------------===//

/// Packs columns that lie in runs. The places of a panel's runs are computed
/// before the loop over k.
void PanelPacker::copyPanels(Value panels, int64_t run, int64_t stride) {
  loop(math_.constant(0), panels, 1, [&](Value panel) {
    Value column = math_.mul(panel, width_);
    Value place = panelPlace(panel);
    SmallVector<Value> sources;
    for (int64_t number = 0; number < width_; number += run)
      sources.push_back(reader_.outerAt(math_.add(column, number)));
    loopSteps(math_.constant(0), [&](Value k, Step step) {
      SmallVector<Value> places = findPlaces(step);
      Value to = stepPlace(place, k);
      for (auto [number, source] : llvm::enumerate(sources)) {
        auto read = [&, source = source](Value kPlace) {
          return reader_.load(math_.add(source, kPlace), run, stride);
        };
        store(readStep(places, read), math_.add(to, number * run * depth_));
      }
    });
  });
}

/// Packs a factor in which all columns of a k are contiguous. Reads memory in
/// order.
void PanelPacker::copyPanelsByRow(Value panels) {
  Value start = reader_.outerAt(math_.constant(0));
  loopSteps(math_.constant(0), [&](Value k, Step step) {
    SmallVector<Value> sources;
    for (Value place : findPlaces(step))
      sources.push_back(place ? math_.add(start, place) : Value());
    Value row = stepPlace(destination_.offset, k);
    loop(math_.constant(0), panels, 1, [&](Value panel) {
      Value column = math_.mul(panel, width_);
      Value to = math_.add(row, math_.mul(panel, destination_.stride));
      for (int64_t number = 0; number < width_; number += lanes_) {
        auto read = [&](Value source) {
          return reader_.load(math_.add(math_.add(source, column), number),
                              lanes_);
        };
        store(readStep(sources, read), math_.add(to, number * depth_));
      }
    });
  });
}

/// Packs a factor whose k lie next to each other.
void PanelPacker::transposePanels(Value panels) {
  loop(math_.constant(0), panels, 1, [&](Value panel) {
    Value place = panelPlace(panel);
    loop(math_.constant(0), math_.constant(width_), 8, [&](Value first) {
      transposeColumns(math_.add(math_.mul(panel, width_), first),
                       math_.add(place, math_.mul(first, depth_)));
    });
  });
}

/// Packs 8 columns from `column` on to `place`.
void PanelPacker::transposeColumns(Value column, Value place) {
  SmallVector<Value> sources;
  for (int64_t number = 0; number < 8; ++number)
    sources.push_back(reader_.outerAt(math_.add(column, number)));
  Value kEnd = math_.floor(block_.kCount, 8 * depth_);
  loop(math_.constant(0), kEnd, 8 * depth_, [&](Value k) {
    SmallVector<Value> rows =
        reader_.loadTransposed(sources, {reader_.kAt(k)}, depth_);
    Value row = stepPlace(place, k);
    for (int64_t number = 0; number < 8; ++number)
      store(rows[number], math_.add(row, number * width_ * depth_));
  });
  // Runs of several dimensions leave no rest.
  if (factor_.k.parts.size() > 1)
    return;
  loopSteps(kEnd, [&](Value k, Step step) {
    SmallVector<Value> places = findPlaces(step);
    Value row = stepPlace(place, k);
    for (auto [number, source] : llvm::enumerate(sources)) {
      auto read = [&, source = source](Value kPlace) {
        return reader_.load(math_.add(source, kPlace), 1);
      };
      store(readStep(places, read), math_.add(row, number * depth_));
    }
  });
}

bool mpc::cpu::hasTaps(const StridedIndex &k, int64_t depth, int64_t kMost) {
  ArrayRef<StridedIndex::Part> parts = k.parts;
  if (parts.size() != 2 || std::abs(parts[0].stride) != 1 ||
      parts[0].extent < 16 || parts[1].extent % depth != 0)
    return false;
  // The last 8 taps of a block may overlap those before them.
  auto isBlock = [&](int64_t count) {
    return count % parts[1].extent == 0 &&
           count / parts[1].extent >= kLeastTaps;
  };
  int64_t last = k.getSize() % kMost;
  return isBlock(kMost) && (last == 0 || isBlock(last));
}

/// Packs a factor that has taps, 8 of 8 columns at a time. The last 8 may
/// overlap those before them.
void PanelPacker::transposeTaps(Value panels) {
  int64_t channels = factor_.k.parts[1].extent;
  Value firstTap = math_.div(block_.kFirst, channels);
  Value lastTaps =
      math_.sub(math_.div(block_.kCount, channels), math_.constant(kLeastTaps));
  Value taps = math_.add(lastTaps, kLeastTaps);
  loop(math_.constant(0), panels, 1, [&](Value panel) {
    loop(math_.constant(0), math_.constant(channels), depth_,
         [&](Value channel) {
           loop(math_.constant(0), math_.constant(width_), 8, [&](Value first) {
             SmallVector<Value> columns;
             for (int64_t number = 0; number < 8; ++number)
               columns.push_back(reader_.outerAt(math_.add(
                   math_.add(math_.mul(panel, width_), first), number)));
             Value place =
                 math_.add(panelPlace(panel), math_.mul(first, depth_));
             loop(math_.constant(0), taps, 8, [&](Value tap) {
               transposeEightTaps(columns, firstTap, math_.min(tap, lastTaps),
                                  channel, place);
             });
           });
         });
  });
}

/// Packs taps of a step of channels, from the block's number `tap` on, whose
/// first one is `firstTap`.
void PanelPacker::transposeEightTaps(ArrayRef<Value> columns, Value firstTap,
                                     Value tap, Value channel, Value place) {
  const StridedIndex::Part &taps = factor_.k.parts[0];
  const StridedIndex::Part &channels = factor_.k.parts[1];
  bool isReversed = taps.stride < 0;
  Value source = math_.add(firstTap, tap);
  Value lowest =
      math_.mul(isReversed ? math_.add(source, 7) : source, taps.stride);
  SmallVector<SmallVector<Value>> rows;
  for (int64_t number = 0; number < depth_; ++number)
    rows.push_back(reader_.loadTransposed(
        columns, {math_.add(lowest, math_.mul(math_.add(channel, number),
                                              channels.stride))}));
  for (int64_t number = 0; number < 8; ++number) {
    Value k = math_.mul(math_.add(tap, isReversed ? 7 - number : number),
                        channels.extent);
    SmallVector<Value> step = llvm::map_to_vector(
        rows, [&](ArrayRef<Value> row) { return row[number]; });
    store(interleave(step), stepPlace(place, math_.add(k, channel)));
  }
}

/// Packs columns whose elements are not contiguous.
void PanelPacker::gatherPanels(Value panels) {
  loop(math_.constant(0), panels, 1, [&](Value panel) {
    Value place = panelPlace(panel);
    loop(math_.constant(0), math_.constant(width_), lanes_, [&](Value first) {
      SmallVector<Value> sources;
      for (int64_t number = 0; number < lanes_; ++number)
        sources.push_back(reader_.outerAt(
            math_.add(math_.add(math_.mul(panel, width_), first), number)));
      auto read = [&](Value kPlace) {
        SmallVector<Value> places;
        for (Value source : sources)
          places.push_back(math_.add(source, kPlace));
        return reader_.gather(places);
      };
      loopSteps(math_.constant(0), [&](Value k, Step step) {
        store(readStep(findPlaces(step), read),
              math_.add(stepPlace(place, k), math_.mul(first, depth_)));
      });
    });
  });
}

/// Packs the panel that columns do not fill, with zeros for columns that do not
/// exist.
void PanelPacker::copyLastPanel(Value panel) {
  Value zero = arith::ConstantOp::create(builder_, loc_,
                                         builder_.getZeroAttr(factor_.type));
  Value place = panelPlace(panel);
  Value first = math_.mul(panel, width_);
  Value last = math_.sub(block_.count, math_.constant(1));
  loop(math_.constant(0), math_.constant(width_), 1, [&](Value column) {
    Value index = math_.add(first, column);
    Value exists = arith::CmpIOp::create(
        builder_, loc_, arith::CmpIPredicate::ult, index, block_.count);
    Value source = reader_.outerAt(math_.min(index, last));
    auto read = [&](Value kPlace) -> Value {
      Value value = reader_.load(math_.add(source, kPlace), 1);
      return arith::SelectOp::create(builder_, loc_, exists, value, zero);
    };
    loopSteps(math_.constant(0), [&](Value k, Step step) {
      store(readStep(findPlaces(step), read),
            math_.add(stepPlace(place, k), math_.mul(column, depth_)));
    });
  });
}

/// Packs the panels that columns fill.
void PanelPacker::packWhole(Value panels, bool transposes) {
  int64_t run = factor_.outer.getRun(lanes_, 1);
  int64_t evenRun = factor_.outer.getRun(lanes_, 2);
  if (run == lanes_ && factor_.outer.parts.size() == 1)
    copyPanelsByRow(panels);
  else if (run >= 4)
    copyPanels(panels, run, 1);
  else if (transposes)
    transposePanels(panels);
  else if (hasTaps(factor_.k, depth_, block_.kMost))
    transposeTaps(panels);
  else if (evenRun >= 4)
    copyPanels(panels, evenRun, 2);
  else
    gatherPanels(panels);
}

void PanelPacker::pack() {
  Value panels = math_.div(block_.count, width_);
  bool transposes = factor_.outer.getRun(lanes_, 1) < 4 &&
                    factor_.k.getRun(8 * depth_, 1) == 8 * depth_;
  // The last panel reads k one by one.
  reader_.buildKTable(transposes && columns_ % width_ == 0 ? 8 * depth_ : 1);
  if (columns_ >= width_)
    packWhole(panels, transposes);
  if (columns_ % width_ == 0)
    return;
  // Only the last block has a panel that is not full.
  Value rest =
      arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::ne,
                            math_.rem(block_.count, width_), math_.constant(0));
  auto ifOp = scf::IfOp::create(builder_, loc_, rest, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(ifOp.thenBlock());
  copyLastPanel(panels);
}

void mpc::cpu::emitPackColumns(Emitter &emitter, const Factor &factor,
                               const FactorBlock &block,
                               const PackDestination &destination,
                               PanelShape shape) {
  PanelPacker(emitter, factor, block, destination, shape).pack();
}
