// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The map on the results of a contraction of windows.
#include "lib/Codegen/CPU/EmitEpilogue.h"
#include "lib/Codegen/CPU/Transpose.h"
#include "lib/Codegen/CPU/WindowKernel.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

namespace {

/// Emits the map on a panel of results.
class ResultEmitter {
public:
  ResultEmitter(const WindowKernel &kernel, const WindowPart &part, Value place)
      : kernel_(kernel), part_(part), emitter_(kernel.emitter),
        builder_(emitter_.builder), loc_(emitter_.loc), math_(kernel.math),
        place_(place) {}

  void emit(Value panel);

private:
  bool joinsImages() const;
  void emitGroup(Value panel, Value image, Value position, Value count);
  Value resultRow(Value image, Value position);
  void loop(Value to, int64_t step, llvm::function_ref<void(Value)> body) {
    emitter_.emitLoop(math_.constant(0), to, step, body);
  }

  const WindowKernel &kernel_;
  const WindowPart &part_;
  Emitter &emitter_;
  OpBuilder &builder_;
  Location loc_;
  IndexMath math_;
  Value place_; ///< The place of the panel's results.
};

} // namespace

/// The row of a panel's results for a position of an image of the tile.
Value ResultEmitter::resultRow(Value image, Value position) {
  Value row = math_.mul(image, kernel_.imageRows());
  if (kernel_.lineRows() == kernel_.lineWidth())
    return math_.add(row, position);
  row = math_.add(row, math_.mul(math_.div(position, kernel_.lineWidth()),
                                 kernel_.lineRows()));
  return math_.add(row, math_.rem(position, kernel_.lineWidth()));
}

/// Whether the positions of an image and those of the next one are neighbours
/// in every result, as the taps of neighbouring channels are in the gradient of
/// a weight.
bool ResultEmitter::joinsImages() const {
  auto group = Contraction::outerOf(kernel_.schedule.getRows());
  return kernel_.tile.pieceLines == kernel_.windows.first().position.extent &&
         llvm::all_of(kernel_.epilogue.stores, [&](const EpilogueStore &store) {
           return kernel_.contraction
                      .getStridedIndex(store.index.strides, group)
                      .parts.size() == 1;
         });
}

/// Computes the map on a panel, some positions at a time: of an image, or of
/// all.
void ResultEmitter::emit(Value panel) {
  Value count = math_.mul(part_.lines, kernel_.windows.countLine());
  bool joins = joinsImages();
  if (joins)
    count = math_.mul(part_.images, kernel_.windows.countPositions());
  loop(joins ? math_.constant(1) : part_.images, 1, [&](Value image) {
    loop(count, kernel_.schedule.getLanes(),
         [&](Value position) { emitGroup(panel, image, position, count); });
  });
}

/// Transposes the results of some positions, from `position` on, so that they
/// are columns, and computes the map on them.
void ResultEmitter::emitGroup(Value panel, Value image, Value position,
                              Value count) {
  int64_t lanes = kernel_.schedule.getLanes();
  Value last = math_.sub(count, math_.constant(1));
  auto eights = VectorType::get({8}, builder_.getF32Type());
  for (int64_t first = 0; first < lanes; first += 8) {
    SmallVector<Value> rows;
    for (int64_t number = first; number < first + 8; ++number) {
      Value place = math_.min(math_.add(position, number), last);
      Value row =
          joinsImages()
              ? resultRow(math_.div(place, kernel_.windows.countPositions()),
                          math_.rem(place, kernel_.windows.countPositions()))
              : resultRow(image, place);
      rows.push_back(math_.add(place_, math_.mul(row, kernel_.columns)));
    }
    for (int64_t column = 0; column < kernel_.columns; column += 8) {
      SmallVector<Value> block =
          llvm::map_to_vector(rows, [&](Value row) -> Value {
            return vector::LoadOp::create(builder_, loc_, eights,
                                          kernel_.results,
                                          math_.add(row, column));
          });
      for (auto [number, value] :
           llvm::enumerate(transposeEights(emitter_, block)))
        vector::StoreOp::create(
            builder_, loc_, value, kernel_.transposed,
            math_.constant((column + number) * lanes + first));
    }
  }
  int64_t positions = kernel_.windows.countPositions();
  Value column = math_.mul(math_.add(part_.image, image), positions);
  column = math_.add(
      column,
      math_.add(math_.mul(part_.line, kernel_.windows.countLine()), position));
  Value row = math_.mul(panel, kernel_.columns);
  ResultTile tile = {
      part_.batch, math_.add(part_.column, row),
      math_.min(math_.constant(kernel_.columns), math_.sub(part_.columns, row)),
      column, math_.min(math_.constant(lanes), math_.sub(count, position))};
  int64_t lines = std::gcd(kernel_.tile.lines, kernel_.tile.pieceLines);
  int64_t granule = std::gcd(lines * kernel_.windows.countLine(), positions);
  if (joinsImages())
    granule = std::gcd(kernel_.tile.images * positions,
                       kernel_.windows.images.extent * positions);
  emitEpilogue(
      emitter_, kernel_.contraction, kernel_.epilogue,
      {lanes, lanes, kernel_.schedule.getColumns(), granule, positions},
      {tile, kernel_.transposed, math_.constant(0), math_.constant(0)});
}

void mpc::cpu::emitWindowResults(const WindowKernel &kernel,
                                 const WindowPart &part, Value panel,
                                 Value place) {
  ResultEmitter(kernel, part, place).emit(panel);
}
