// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packs rows of a contraction's factor, with k contiguous.
#include "lib/Codegen/CPU/PackBlock.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mpc::cpu;

namespace {

/// Packs the rows of one block, in the way that suits the factor's layout.
class RowPacker {
public:
  RowPacker(Emitter &emitter, const Factor &factor, const FactorBlock &block,
            const PackDestination &destination, UnitShape unit)
      : emitter_(emitter), math_(emitter), reader_(emitter, factor, block),
        factor_(factor), block_(block), destination_(destination),
        lanes_(unit.lanes), depth_(unit.depth) {}

  void pack(Value padded);

private:
  void copyRows(Value from, Value to, Value kFrom, int64_t width,
                int64_t stride = 1);
  void gatherRows(Value from, Value to);
  void transposeRows();
  void zeroRows(Value padded);
  void endRows(Value padded);

  /// The place of element `k` of a packed row.
  Value rowPlace(Value row, Value k) {
    return math_.add(
        math_.add(destination_.offset, math_.mul(row, destination_.stride)), k);
  }
  using Body = llvm::function_ref<void(Value)>;
  void loop(Value from, Value to, int64_t step, Body body) {
    emitter_.emitLoop(from, to, step, body);
  }
  void store(Value value, Value place) {
    storePacked(emitter_, value, destination_, place);
  }

  Emitter &emitter_;
  IndexMath math_;
  FactorReader reader_;
  const Factor &factor_;
  const FactorBlock &block_;
  const PackDestination &destination_;
  int64_t lanes_, depth_;
};

} // namespace

/// Copies rows [from, to) from kFrom on: `width` contiguous elements at a time,
/// then one by one.
void RowPacker::copyRows(Value from, Value to, Value kFrom, int64_t width,
                         int64_t stride) {
  Value vectorEnd =
      math_.add(kFrom, math_.floor(math_.sub(block_.kCount, kFrom), width));
  loop(from, to, 1, [&](Value row) {
    Value source = reader_.outerAt(row);
    loop(kFrom, vectorEnd, width, [&](Value k) {
      store(reader_.load(math_.add(source, reader_.kAt(k)), width, stride),
            rowPlace(row, k));
    });
    // Runs of several dimensions leave no rest.
    if (width > 1 && factor_.k.parts.size() == 1)
      loop(vectorEnd, block_.kCount, 1, [&](Value k) {
        store(reader_.load(math_.add(source, reader_.kAt(k)), 1),
              rowPlace(row, k));
      });
  });
}

/// Packs a factor whose rows lie next to each other.
void RowPacker::transposeRows() {
  Value zero = math_.constant(0);
  Value kEnd = math_.floor(block_.kCount, 8);
  Value rowEnd = math_.floor(block_.count, 8);
  loop(zero, kEnd, 8, [&](Value k) {
    SmallVector<Value> places;
    for (int64_t number = 0; number < 8; ++number)
      places.push_back(reader_.kAt(math_.add(k, number)));
    loop(zero, rowEnd, 8, [&](Value row) {
      SmallVector<Value> rows =
          reader_.loadTransposed({reader_.outerAt(row)}, places);
      for (int64_t number = 0; number < 8; ++number)
        store(rows[number], rowPlace(math_.add(row, number), k));
    });
  });
  copyRows(zero, rowEnd, kEnd, 1);
  gatherRows(rowEnd, block_.count);
}

/// Packs rows whose elements are not contiguous.
void RowPacker::gatherRows(Value from, Value to) {
  Value zero = math_.constant(0);
  Value vectorEnd = math_.floor(block_.kCount, lanes_);
  loop(from, to, 1, [&](Value row) {
    Value source = reader_.outerAt(row);
    loop(zero, vectorEnd, lanes_, [&](Value k) {
      SmallVector<Value> places;
      for (int64_t number = 0; number < lanes_; ++number)
        places.push_back(math_.add(source, reader_.kAt(math_.add(k, number))));
      store(reader_.gather(places), rowPlace(row, k));
    });
    loop(vectorEnd, block_.kCount, 1, [&](Value k) {
      store(reader_.load(math_.add(source, reader_.kAt(k)), 1),
            rowPlace(row, k));
    });
  });
}

void RowPacker::zeroRows(Value padded) {
  Value zero = arith::ConstantOp::create(
      emitter_.builder, emitter_.loc,
      DenseElementsAttr::get(VectorType::get({8}, factor_.type), 0.0f));
  // The row stride leaves room for a whole last vector.
  loop(block_.count, padded, 1, [&](Value row) {
    loop(math_.constant(0), block_.kCount, 8,
         [&](Value k) { store(zero, rowPlace(row, k)); });
  });
}

/// Fills the last step of k with zeros.
void RowPacker::endRows(Value padded) {
  if (factor_.k.getSize() % depth_ == 0)
    return;
  Value zero =
      arith::ConstantOp::create(emitter_.builder, emitter_.loc,
                                emitter_.builder.getZeroAttr(factor_.type));
  loop(math_.constant(0), padded, 1,
       [&](Value row) { store(zero, rowPlace(row, block_.kCount)); });
}

void RowPacker::pack(Value padded) {
  endRows(padded);
  Value zero = math_.constant(0);
  bool outerRuns = factor_.outer.getRun(8, 1) == 8 &&
                   (factor_.outer.parts.size() == 1 || block_.unit % 8 == 0);
  for (int64_t stride : {1, 2}) {
    int64_t run = factor_.k.getRun(lanes_, stride);
    if (run >= 4 && (stride == 1 || !outerRuns)) {
      reader_.buildKTable(run);
      copyRows(zero, block_.count, zero, run, stride);
      return zeroRows(padded);
    }
  }
  reader_.buildKTable(1);
  if (outerRuns)
    transposeRows();
  else
    gatherRows(zero, block_.count);
  zeroRows(padded);
}

void mpc::cpu::emitPackRows(Emitter &emitter, const Factor &factor,
                            const FactorBlock &block,
                            const PackDestination &destination, Value padded,
                            UnitShape unit) {
  RowPacker(emitter, factor, block, destination, unit).pack(padded);
}
