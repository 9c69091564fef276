// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The emitter of #cuda.mma and #cuda.simt: contractions by tiles. The tiles of
/// both factors pass through shared memory in stages, 16 bytes at a time where
/// a factor's layout allows it, else element by element. Elements outside of a
/// factor are zero. The result passes through shared memory too, so that
/// threads store neighbours.
#ifndef MPC_LIB_CODEGEN_CUDA_TILEEMITTER_H
#define MPC_LIB_CODEGEN_CUDA_TILEEMITTER_H

#include "lib/Codegen/CUDA/EmitEpilogue.h"
#include "lib/Codegen/CUDA/TileProducts.h"

namespace mpc::cuda {

/// Writes one kernel.
class TileEmitter {
public:
  TileEmitter(KernelText &text, const kernel::Body &body,
              const TileSchedule &schedule, const TileProducts &products);
  void emit();
  int64_t sharedBytes() const;

private:
  /// A factor, and the names of its parts in the text.
  struct Side {
    Factor factor;
    unsigned operand;
    /// The first row or column of the block's tile in the factor.
    const char *first;
    const char *tile; ///< The tile in shared memory.
    /// This thread's first line in the tile, and its place in the line.
    std::string line{}, at{};
    /// The registers in which elements wait; empty for none.
    std::string held{};
  };

  void emitPlaces();
  void emitWalk(Side &side);
  void emitFetch();
  void emitKeep();
  void fetch(const Side &side);
  void keep(const Side &side);
  void keepVector(const Side &side, const std::string &held,
                  const std::string &where, const std::string &inside);
  void forEach(const Side &side,
               llvm::function_ref<void(const std::string &, const std::string &,
                                       const std::string &)>
                   body);
  std::string isInside(const Side &side, const std::string &outer,
                       const std::string &k);
  std::string toProduct(const Side &side, const std::string &element);
  std::string toKept(const Side &side, const std::string &element,
                     const std::string &inside);
  std::string storageOf(const Side &side);
  void emitTilePointers(const std::string &step, bool isConst);
  void emitProducts();
  void emitResults();
  void emitPart();
  void emitRun(const std::string &local, const std::string &at);
  Texts outerDims(const std::string &m);

  int64_t stageElements() const {
    return rows_.factor.tileElements(schedule_) +
           columns_.factor.tileElements(schedule_);
  }
  int64_t resultPitch() const;
  int64_t numSteps() const {
    return llvm::divideCeil(contraction_.sizes[kernel::Contraction::K],
                            schedule_.depth);
  }
  TileFactors factors() const { return {rows_.factor, columns_.factor}; }
  /// The number of places of a thread in a tile that is copied in pieces of the
  /// factor's width.
  int64_t numPlaces(const Factor &factor) const {
    return schedule_.side * schedule_.depth / factor.width / schedule_.threads;
  }
  int64_t lineLength(const Factor &factor) const {
    return factor.hasLines ? schedule_.depth : schedule_.side;
  }
  const char *elementText() const { return products_.elementText(); }
  kernel::Contraction::DimGroup columnGroup() const {
    return kernel::Contraction::outerOf(1 - schedule_.rows);
  }
  kernel::Contraction::DimGroup rowGroup() const {
    return kernel::Contraction::outerOf(schedule_.rows);
  }

  KernelText &text_;
  TileSchedule schedule_;
  const TileProducts &products_;
  kernel::Contraction contraction_;
  kernel::Epilogue epilogue_;
  Side rows_, columns_;
};

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_TILEEMITTER_H
