// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of tiles on Tensor Cores and by multiply-adds.
#include "lib/Codegen/CUDA/TileProducts.h"

#include "dialects/Interfaces/Precision.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::cuda;
using namespace mpc::kernel;
using llvm::formatv;

/// The number of larger tiles from which a result uses them: enough for a large
/// GPU.
static constexpr int64_t kManyTiles = 132;

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

/// The factor that gives the rows. The columns are neighbours of the result in
/// memory.
static unsigned getRows(const Contraction &contraction) {
  const Statement &statement = contraction.statement;
  Linear result = *getLinear(statement.outputs[0].index, statement.numDims());
  bool isFast =
      llvm::any_of(contraction.groups[Contraction::N],
                   [&](unsigned dim) { return result.strides[dim] == 1; });
  return isFast ? 0 : 1;
}

static int64_t countTiles(const Contraction &contraction, int64_t side) {
  return contraction.sizes[Contraction::Batch] *
         llvm::divideCeil(contraction.sizes[Contraction::M], side) *
         llvm::divideCeil(contraction.sizes[Contraction::N], side);
}

/// Whether most of a tile is filled.
static bool fillsTile(const Contraction &contraction, int64_t least) {
  int64_t m = contraction.sizes[Contraction::M];
  int64_t n = contraction.sizes[Contraction::N];
  return std::max(m, n) >= 16 && std::min(m, n) >= least &&
         contraction.sizes[Contraction::K] >= 16;
}

/// A schedule by tiles of `depth` steps of k, in `stages` places. Null where
/// the numbers are not valid, which is reported.
template <typename Schedule>
static ScheduleAttrInterface makeTiles(const Contraction &contraction,
                                       int64_t depth, int64_t stages) {
  int64_t side = countTiles(contraction, 128) >= kManyTiles ? 128 : 64;
  int64_t tile[] = {side, depth};
  FuncOp kernel = contraction.generic()->getParentOfType<FuncOp>();
  return Schedule::getChecked(
      [&] { return kernel.emitOpError(kTooLarge); }, kernel.getContext(),
      countTiles(contraction, side), side * 2, getRows(contraction),
      ArrayRef<int64_t>(tile), stages);
}

static std::string tileTypes(const TileSchedule &schedule,
                             const TileFactors &factors) {
  auto type = [&](const Factor &factor) {
    return formatv("mpc_tile<{0}, {1}>", factor.hasLines ? "true" : "false",
                   factor.pitch(schedule))
        .str();
  };
  return type(factors.rows) + ", " + type(factors.columns);
}

static bool isAnyScattered(const TileFactors &factors) {
  return factors.rows.isScattered() || factors.columns.isScattered();
}

namespace {

//===----------------------------------------------------------------------===//
// Tensor Cores: #cuda.mma
//===----------------------------------------------------------------------===//

class MatrixProducts : public TileProducts {
public:
  using TileProducts::TileProducts;

  /// Whether both factors are multiplied as they lie in memory. A sum shorter
  /// than one product of the unit is not worth it.
  bool fits(const Contraction &contraction) const override {
    for (unsigned operand = 0; operand < 2; ++operand) {
      std::optional<Factor> factor = getFactor(contraction, operand, unit());
      if (!factor || !factor->isPlain)
        return false;
    }
    return fillsTile(contraction, unit().columns);
  }

  ScheduleAttrInterface
  schedule(const Contraction &contraction) const override {
    return makeTiles<MmaAttr>(contraction, /*depth=*/32, /*stages=*/3);
  }

  const char *elementText() const override { return "mpc_u16"; }
  int64_t elementBytes() const override { return 2; }

  /// Two warps are on top of each other, with 32 columns each.
  void emitPlaces(KernelText &text,
                  const TileSchedule &schedule) const override {
    text.line("const int warpRow = mpc_warp() % 2 * {0};", schedule.side / 2);
    text.line("const int warpColumn = mpc_warp() / 2 * 32;");
  }

  void emitSums(KernelText &text, const TileSchedule &schedule) const override {
    text.line("float sums[{0}][4][4] = {{};", schedule.side / 32);
  }

  void emitMultiply(KernelText &text, const TileSchedule &schedule,
                    const TileFactors &factors) const override {
    text.line("mpc_multiply_tiles<{0}, {1}, {2}>(sums, rows, warpRow, "
              "columns, warpColumn);",
              tileTypes(schedule, factors),
              unit().factors == Precision::BF16 ? "true" : "false",
              schedule.depth);
  }

  std::string rowOfPart(const TileSchedule &schedule, const TileFactors &,
                        int64_t /*partRows*/) const override {
    return formatv("local / 16 * {0} + part * 16 + local % 16",
                   schedule.side / 2);
  }

  void emitPutSums(KernelText &text, const TileSchedule &, const TileFactors &,
                   int64_t /*partRows*/, int64_t pitch) const override {
    text.line("mpc_put_sums<{0}>(whole, sums[part], mpc_warp() % 2 * 16, "
              "warpColumn);",
              pitch);
  }

  /// Leaves registers for the factors' numbers and for waiting elements. Before
  /// sm_80 all copies pass through registers. The blocks that are excluded for
  /// that would have no shared memory there anyway.
  void leaveRegisters(KernelText &text, const TileSchedule &schedule,
                      const TileFactors &factors) const override {
    constexpr int64_t kWithoutCopies = 384;
    if (isAnyScattered(factors))
      text.setResidentThreads(schedule.threads);
    else if (TargetAttr::lookup(text.kernel).getArch() < 80)
      text.setResidentThreads(kWithoutCopies);
  }
};

//===----------------------------------------------------------------------===//
// Multiply-adds of f32: #cuda.simt
//===----------------------------------------------------------------------===//

class ElementProducts : public TileProducts {
public:
  using TileProducts::TileProducts;

  /// Any factor fits: it is computed on its way to the tile.
  bool fits(const Contraction &contraction) const override {
    return contraction.fused && fillsTile(contraction, /*least=*/4) &&
           getFactor(contraction, 0, unit()) &&
           getFactor(contraction, 1, unit());
  }

  ScheduleAttrInterface
  schedule(const Contraction &contraction) const override {
    return makeTiles<SimtAttr>(contraction, /*depth=*/16, /*stages=*/2);
  }

  const char *elementText() const override { return "float"; }
  int64_t elementBytes() const override { return 4; }

  /// The lanes of a warp are a grid of 4 by 8.
  void emitPlaces(KernelText &text,
                  const TileSchedule &schedule) const override {
    text.line("const int rowGroup = mpc_warp() % {0} * 4 + mpc_lane() / 8;",
              schedule.side / 32);
    text.line("const int columnGroup = mpc_warp() / {0} * 8 + mpc_lane() % 8;",
              schedule.side / 32);
  }

  void emitSums(KernelText &text, const TileSchedule &schedule) const override {
    text.line("float sums[8][{0}] = {{};", schedule.side / 16);
  }

  void emitMultiply(KernelText &text, const TileSchedule &schedule,
                    const TileFactors &factors) const override {
    text.line("mpc_multiply_f32_tiles<{0}, {1}, {2}>(sums, rows, "
              "rowGroup, columns, columnGroup);",
              tileTypes(schedule, factors), schedule.depth, schedule.side);
  }

  std::string rowOfPart(const TileSchedule &schedule,
                        const TileFactors &factors,
                        int64_t partRows) const override {
    return formatv("mpc_place_of<{0}, {1}>(local / {2}, part * {2} + local % "
                   "{2})",
                   factors.rows.hasLines ? "true" : "false", schedule.side / 8,
                   partRows * 8 / schedule.side);
  }

  void emitPutSums(KernelText &text, const TileSchedule &schedule,
                   const TileFactors &factors, int64_t partRows,
                   int64_t pitch) const override {
    text.line("mpc_put_f32_sums<{0}, {1}, {2}>(whole, sums + part * {1}, "
              "rowGroup, columnGroup);",
              pitch, partRows * 8 / schedule.side,
              factors.columns.hasLines ? "true" : "false");
  }

  /// Leaves registers for the factors' numbers and for waiting elements, for
  /// many places, or for places of 64 bits.
  void leaveRegisters(KernelText &text, const TileSchedule &schedule,
                      const TileFactors &factors) const override {
    bool isWide = text.indexType() != "int";
    if (factors.areHeld() || isWide || isAnyScattered(factors))
      text.setResidentThreads(schedule.threads);
  }
};

} // namespace

std::unique_ptr<TileProducts>
mpc::cuda::createTileProducts(const MultiplyUnit &unit) {
  switch (unit.layout) {
  case OperandLayout::Matrices:
    return std::make_unique<MatrixProducts>(unit);
  case OperandLayout::Elements:
    return std::make_unique<ElementProducts>(unit);
  case OperandLayout::Pairs:
    break;
  }
  llvm_unreachable("no GPU has a unit of that layout");
}

std::unique_ptr<TileProducts> mpc::cuda::findTileProducts(FuncOp kernel,
                                                          const Body &body) {
  Contraction contraction = *matchContraction(body.statements.front());
  auto layout = isa<MmaAttr>(kernel.getScheduleAttr())
                    ? OperandLayout::Matrices
                    : OperandLayout::Elements;
  for (const MultiplyUnit &unit :
       TargetAttr::lookup(kernel).getMultiplyUnits()) {
    auto takes = [&](unsigned operand) {
      std::optional<Factor> factor = getFactor(contraction, operand, unit);
      return factor && (layout == OperandLayout::Elements || factor->isPlain);
    };
    if (unit.layout == layout && takes(0) && takes(1))
      return createTileProducts(unit);
  }
  return nullptr;
}
