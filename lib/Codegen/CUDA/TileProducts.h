// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How a block multiplies its tiles by one multiply unit. All that differs
/// between units, in scheduling and in emission, is here.
#ifndef MPC_LIB_CODEGEN_CUDA_TILEPRODUCTS_H
#define MPC_LIB_CODEGEN_CUDA_TILEPRODUCTS_H

#include "lib/Codegen/CUDA/KernelText.h"
#include "lib/Codegen/CUDA/Tiles.h"

#include <memory>
#include <string>

namespace mpc::cuda {

/// The factors of a tile of the result.
struct TileFactors {
  const Factor &rows, &columns;
  /// Whether an element passes through registers on its way to the tiles.
  [[nodiscard]] bool areHeld() const {
    return !rows.isCopied() || !columns.isCopied();
  }
};

/// The products of one multiply unit. A thread's part of a tile is the same in
/// emitPlaces, emitSums, emitMultiply and emitPutSums. The text calls the tiles
/// `rows` and `columns`, and the memory of the block `shared`.
class TileProducts {
public:
  explicit TileProducts(const kernel::MultiplyUnit &unit) : unit_(unit) {}
  virtual ~TileProducts() = default;

  [[nodiscard]] const kernel::MultiplyUnit &unit() const { return unit_; }

  /// Whether the unit takes the factors of `contraction`, and pays there.
  [[nodiscard]] virtual bool
  fits(const kernel::Contraction &contraction) const = 0;
  /// The schedule of a contraction that fits; null, with an error at the
  /// kernel, where no grid has enough blocks for it.
  [[nodiscard]] virtual kernel::ScheduleAttrInterface
  schedule(const kernel::Contraction &contraction) const = 0;

  /// The type and the bytes of an element of a tile in shared memory.
  [[nodiscard]] virtual const char *elementText() const = 0;
  [[nodiscard]] virtual int64_t elementBytes() const = 0;

  /// Emits which part of the block's tile the thread computes.
  virtual void emitPlaces(KernelText &text,
                          const TileSchedule &schedule) const = 0;
  /// Declares the sums of that part, which are zero at first.
  virtual void emitSums(KernelText &text,
                        const TileSchedule &schedule) const = 0;
  /// Adds the products of one step of k to the sums.
  virtual void emitMultiply(KernelText &text, const TileSchedule &schedule,
                            const TileFactors &factors) const = 0;
  /// The row of the block's tile that is row `local` of part `part`. A part has
  /// `partRows` rows.
  [[nodiscard]] virtual std::string rowOfPart(const TileSchedule &schedule,
                                              const TileFactors &factors,
                                              int64_t partRows) const = 0;
  /// Writes part `part` of the sums to `whole`, in lines of `pitch` f32.
  virtual void emitPutSums(KernelText &text, const TileSchedule &schedule,
                           const TileFactors &factors, int64_t partRows,
                           int64_t pitch) const = 0;
  /// Leaves more registers for values beside the sums.
  virtual void leaveRegisters(KernelText &text, const TileSchedule &schedule,
                              const TileFactors &factors) const = 0;

private:
  kernel::MultiplyUnit unit_;
};

/// The products of a unit, by the layout of its operands.
std::unique_ptr<TileProducts>
createTileProducts(const kernel::MultiplyUnit &unit);

/// The products of `kernel`, which has a schedule of tiles; null where its
/// target has no unit of that kind for its factors.
std::unique_ptr<TileProducts> findTileProducts(kernel::FuncOp kernel,
                                               const kernel::Body &body);

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_TILEPRODUCTS_H
