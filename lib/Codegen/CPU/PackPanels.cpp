// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packs panels of columns of a contraction's factor, with the columns of a k
// contiguous.
#include "lib/Codegen/CPU/PackBlock.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mpc::cpu;

namespace {

/// Packs the columns of one block, in the way that suits the factor's layout.
class PanelPacker {
public:
  PanelPacker(Emitter &emitter, const Factor &factor, const FactorBlock &block,
              const PackDestination &destination, PanelShape shape)
      : emitter_(emitter), builder_(emitter.builder), loc_(emitter.loc),
        math_(emitter), reader_(emitter, factor, block), factor_(factor),
        block_(block), destination_(destination), width_(shape.width),
        columns_(shape.columns), lanes_(shape.lanes) {}

  void pack();

private:
  void packWhole(Value panels, bool transposes);
  void copyPanels(Value panels, int64_t run, int64_t stride);
  void copyPanelsByRow(Value panels);
  void transposePanels(Value panels);
  void transposeColumns(Value column, Value place);
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

  Emitter &emitter_;
  OpBuilder &builder_;
  Location loc_;
  IndexMath math_;
  FactorReader reader_;
  const Factor &factor_;
  const FactorBlock &block_;
  const PackDestination &destination_;
  int64_t width_, columns_, lanes_;
};

} // namespace

/// Packs columns that lie in runs. The places of a panel's runs are computed
/// before the loop over k.
void PanelPacker::copyPanels(Value panels, int64_t run, int64_t stride) {
  loop(math_.constant(0), panels, 1, [&](Value panel) {
    Value column = math_.mul(panel, width_);
    Value place = panelPlace(panel);
    SmallVector<Value> sources;
    for (int64_t number = 0; number < width_; number += run)
      sources.push_back(reader_.outerAt(math_.add(column, number)));
    loop(math_.constant(0), block_.kCount, 1, [&](Value k) {
      Value kSource = reader_.kAt(k);
      Value row = math_.add(place, math_.mul(k, width_));
      for (auto [number, source] : llvm::enumerate(sources))
        store(reader_.load(math_.add(source, kSource), run, stride),
              math_.add(row, number * run));
    });
  });
}

/// Packs a factor in which all columns of a k are contiguous. Reads memory in
/// order.
void PanelPacker::copyPanelsByRow(Value panels) {
  loop(math_.constant(0), block_.kCount, 1, [&](Value k) {
    Value source =
        math_.add(reader_.outerAt(math_.constant(0)), reader_.kAt(k));
    Value row = math_.add(destination_.offset, math_.mul(k, width_));
    loop(math_.constant(0), panels, 1, [&](Value panel) {
      Value from = math_.add(source, math_.mul(panel, width_));
      Value to = math_.add(row, math_.mul(panel, destination_.stride));
      for (int64_t number = 0; number < width_; number += lanes_)
        store(reader_.load(math_.add(from, number), lanes_),
              math_.add(to, number));
    });
  });
}

/// Packs a factor whose k lie next to each other.
void PanelPacker::transposePanels(Value panels) {
  loop(math_.constant(0), panels, 1, [&](Value panel) {
    Value place = panelPlace(panel);
    loop(math_.constant(0), math_.constant(width_), 8, [&](Value first) {
      transposeColumns(math_.add(math_.mul(panel, width_), first),
                       math_.add(place, first));
    });
  });
}

/// Packs 8 columns from `column` on to `place`.
void PanelPacker::transposeColumns(Value column, Value place) {
  SmallVector<Value> sources;
  for (int64_t number = 0; number < 8; ++number)
    sources.push_back(reader_.outerAt(math_.add(column, number)));
  auto rowAt = [&](Value k) { return math_.add(place, math_.mul(k, width_)); };
  Value kEnd = math_.floor(block_.kCount, 8);
  loop(math_.constant(0), kEnd, 8, [&](Value k) {
    SmallVector<Value> rows = reader_.loadTransposed(sources, {reader_.kAt(k)});
    Value row = rowAt(k);
    for (int64_t number = 0; number < 8; ++number)
      store(rows[number], math_.add(row, number * width_));
  });
  // Runs of several dimensions leave no rest.
  if (factor_.k.parts.size() > 1)
    return;
  loop(kEnd, block_.kCount, 1, [&](Value k) {
    Value row = rowAt(k), kSource = reader_.kAt(k);
    for (auto [number, source] : llvm::enumerate(sources))
      store(reader_.load(math_.add(source, kSource), 1),
            math_.add(row, number));
  });
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
      loop(math_.constant(0), block_.kCount, 1, [&](Value k) {
        Value kSource = reader_.kAt(k);
        SmallVector<Value> places;
        for (Value source : sources)
          places.push_back(math_.add(source, kSource));
        store(reader_.gather(places),
              math_.add(math_.add(place, math_.mul(k, width_)), first));
      });
    });
  });
}

/// Packs the panel that columns do not fill, with zeros for columns that do not
/// exist.
void PanelPacker::copyLastPanel(Value panel) {
  Value zero =
      arith::ConstantOp::create(builder_, loc_, builder_.getF32FloatAttr(0.0f));
  Value place = panelPlace(panel);
  Value first = math_.mul(panel, width_);
  Value last = math_.sub(block_.count, math_.constant(1));
  loop(math_.constant(0), math_.constant(width_), 1, [&](Value column) {
    Value index = math_.add(first, column);
    Value exists = arith::CmpIOp::create(
        builder_, loc_, arith::CmpIPredicate::ult, index, block_.count);
    Value source = reader_.outerAt(math_.min(index, last));
    loop(math_.constant(0), block_.kCount, 1, [&](Value k) {
      Value value = reader_.load(math_.add(source, reader_.kAt(k)), 1);
      value = arith::SelectOp::create(builder_, loc_, exists, value, zero);
      store(value, math_.add(place, math_.add(math_.mul(k, width_), column)));
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
  else if (evenRun >= 4)
    copyPanels(panels, evenRun, 2);
  else
    gatherPanels(panels);
}

void PanelPacker::pack() {
  Value panels = math_.div(block_.count, width_);
  bool transposes =
      factor_.outer.getRun(lanes_, 1) < 4 && factor_.k.getRun(8, 1) == 8;
  // The last panel reads k one by one.
  reader_.buildKTable(transposes && columns_ % width_ == 0 ? 8 : 1);
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
