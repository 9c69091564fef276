// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The emitter of #cpu.depthwise: tiles, and the memory that they read and
/// write.
#ifndef MPC_LIB_CODEGEN_CPU_DEPTHWISEEMITTER_H
#define MPC_LIB_CODEGEN_CPU_DEPTHWISEEMITTER_H

#include "lib/Codegen/CPU/Chains.h"
#include "lib/Codegen/CPU/Depthwise.h"
#include "lib/Codegen/CPU/Gemm.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mpc::cpu {

/// Emits one kernel. Each tile transposes its part of both factors into scratch
/// memory, where the channels of a vector lie next to each other. Windows then
/// need no borders, strides and dilations are distances, and a sum over
/// positions is a sum in each lane. The result is transposed back, and the map
/// on it follows.
class DepthwiseEmitter {
public:
  DepthwiseEmitter(Emitter &emitter, const kernel::Contraction &contraction,
                   const Depthwise &depthwise, const kernel::Epilogue &epilogue,
                   DepthwiseAttr schedule)
      : emitter_(emitter), builder_(emitter.builder), loc_(emitter.loc),
        math_(emitter), contraction_(contraction), depthwise_(depthwise),
        epilogue_(epilogue), schedule_(schedule), lanes_(schedule.getLanes()),
        layout_(contraction, depthwise, {schedule.getCut(), schedule.getTile()},
                schedule.getBlock()),
        own_(contraction.groups[depthwise.ownGroup()]),
        tiled_(contraction.groups[depthwise.tiledGroup(contraction)]),
        channels_(contraction.sizes[kernel::Contraction::Batch]),
        chains_(getChains(contraction.getExtents(kernel::Contraction::K))),
        sumsTiles_(depthwise.tiledGroup(contraction) ==
                   kernel::Contraction::K) {}

  void emit();

private:
  using Values = llvm::SmallVector<mlir::Value>;

  // Tiles.
  void allocate();
  void emitUnit(mlir::Value unit);
  void emitTiles(unsigned number, Values place);
  void setTile(mlir::ValueRange place);
  void finish();
  mlir::Value count(unsigned dim);
  unsigned other() const { return 1 - depthwise_.image; }

  // Factors.
  void pack(unsigned operand);
  void packOnes(unsigned operand, mlir::ArrayRef<mlir::Value> channels,
                mlir::Value source, mlir::Value target, mlir::Value length);
  void storePacked(unsigned operand, mlir::Value value, mlir::Value position);
  /// Elements of a factor that are contiguous both in the source and after
  /// packing: an axis and all axes after it.
  struct Run {
    unsigned axis;
    mlir::Value length;
    int64_t least; ///< Its length in the smallest tile.
  };
  Run getRun(unsigned operand);
  void packRun(unsigned operand, mlir::ArrayRef<mlir::Value> channels,
               mlir::Value source, mlir::Value target, const Run &run);
  void packLines(unsigned operand, mlir::ArrayRef<mlir::Value> channels,
                 mlir::Value source, mlir::Value target, unsigned axis,
                 const Run &run);
  Values getChannelPlaces(unsigned operand, mlir::Value base);
  mlir::Value axisSize(const FactorAxis &axis, int64_t most);
  int64_t leastSize(const FactorAxis &axis, int64_t most);
  mlir::Value axisFirst(const FactorAxis &axis);
  mlir::Value loadFours(unsigned operand, mlir::ArrayRef<mlir::Value> places);
  Values transposeFours(mlir::ArrayRef<mlir::Value> rows);

  // Sums.
  void clearSums();
  mlir::Value createVector(float value);
  void sumTile(unsigned number, Values dims);
  void sumBlock(mlir::ArrayRef<mlir::Value> dims);
  Values sumOver(unsigned number, std::array<mlir::Value, 2> places,
                 Values sums);
  Values sumRange(unsigned number, std::pair<mlir::Value, mlir::Value> range,
                  std::array<mlir::Value, 2> places, Values sums);
  Values sumStep(std::array<mlir::Value, 2> places, mlir::ValueRange sums);
  mlir::Value addProduct(mlir::Value image, mlir::Value other, mlir::Value sum);
  mlir::Value placeOf(const Footprint &print, mlir::ArrayRef<mlir::Value> dims);
  /// For each result of a block the number of vectors from the first result.
  llvm::SmallVector<int64_t> blockOffsets(const Footprint &print);

  // The result.
  void transposeResult();
  void emitMap(mlir::Value lane);
  void emitMapLines(mlir::Value lane, unsigned number, Values dims);
  void emitMapLine(mlir::Value lane, Values dims, bool isPlane);
  void emitMapAt(mlir::ArrayRef<mlir::Value> dims, mlir::Value place,
                 Lanes lanes);
  bool isPlane();
  mlir::AffineExpr getIndex(const kernel::Linear &linear);
  kernel::Access getAccess(const kernel::LinearAccess &read) {
    return {read.tensor, getIndex(read.index)};
  }

  mlir::VectorType vectorOf(int64_t width, mlir::Type element) {
    return mlir::VectorType::get({width}, element);
  }
  mlir::Value loadVector(mlir::Value buffer, mlir::Value place) {
    return mlir::vector::LoadOp::create(
        builder_, loc_, vectorOf(lanes_, builder_.getF32Type()), buffer, place);
  }
  mlir::Value shuffle(mlir::Value a, mlir::Value b,
                      mlir::ArrayRef<int64_t> mask) {
    return mlir::vector::ShuffleOp::create(builder_, loc_, a, b, mask);
  }

  Emitter &emitter_;
  mlir::OpBuilder &builder_;
  mlir::Location loc_;
  IndexMath math_;
  const kernel::Contraction &contraction_;
  const Depthwise &depthwise_;
  const kernel::Epilogue &epilogue_;
  DepthwiseAttr schedule_;
  int64_t lanes_;
  DepthwiseLayout layout_;
  mlir::ArrayRef<unsigned> own_, tiled_;
  int64_t channels_;
  Chains chains_;
  bool sumsTiles_; ///< Whether tiles divide the sum, and not the result.

  /// Scratch memory: a tile's factors and results, channels innermost; results,
  /// channels outermost, `pitch_` elements apart.
  std::array<mlir::Value, 2> packed_;
  mlir::Value sums_, results_;
  int64_t pitch_ = 0;

  /// Of the current unit and tile: the first channel, the first index of each
  /// dimension, and the number of indices of the cut dimension.
  mlir::Value channel_;
  Values starts_;
  mlir::Value cutCount_;
};

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_DEPTHWISEEMITTER_H
