// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of #cuda.mma and #cuda.simt: the place of a block, its products, and
// its results.
#include "lib/Codegen/CUDA/Emitters.h"
#include "lib/Codegen/CUDA/TileEmitter.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;
using llvm::formatv;

/// The number of rows of a result tile that are in shared memory at a time.
static constexpr int64_t kPartRows = 32;
/// The additional length of the result's lines, in f32, by which the rows that
/// a warp writes lie in different banks.
static constexpr int64_t kResultPadding = 8;

TileEmitter::TileEmitter(KernelText &text, const Body &body,
                         const TileSchedule &schedule,
                         const TileProducts &products)
    : text_(text), schedule_(schedule), products_(products),
      contraction_(*matchContraction(body.statements.front())),
      epilogue_(getEpilogue(text.kernel, body)),
      rows_{*getFactor(contraction_, schedule.rows, products.unit()),
            schedule.rows, "row", "rows"},
      columns_{*getFactor(contraction_, 1 - schedule.rows, products.unit()),
               1 - schedule.rows, "column", "columns"} {}

int64_t TileEmitter::sharedBytes() const {
  int64_t stages = stageElements() * schedule_.stages * schedule_.elementBytes;
  int64_t result = kPartRows * resultPitch() * sizeof(float);
  return std::max(stages, result);
}

int64_t TileEmitter::resultPitch() const {
  return schedule_.side + kResultPadding;
}

/// Emits which tile of the result the block computes, and which part of it the
/// thread does.
void TileEmitter::emitPlaces() {
  const std::string &type = text_.indexType();
  int64_t side = schedule_.side;
  int64_t across = llvm::divideCeil(columns_.factor.numOuter, side);
  int64_t down = llvm::divideCeil(rows_.factor.numOuter, side);
  text_.line("const {0} tile = {0}(blockIdx.x);", type);
  if (contraction_.sizes[Contraction::Batch] > 1)
    text_.line("const {0} batch = tile / {1};", type, across * down);
  text_.line("const {0} row = tile / {1} % {2} * {3};", type, across, down,
             side);
  text_.line("const {0} column = tile % {1} * {2};", type, across, side);
  products_.emitPlaces(text_, schedule_);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Emits the loop over k. A stage is filled again one step after it was read,
/// after a barrier that all threads have passed by then. Elements that wait in
/// registers arrive while the products of a step are computed.
void TileEmitter::emitProducts() {
  int64_t stages = schedule_.stages;
  products_.emitSums(text_, schedule_);
  for (int64_t stage = 0; stage + 1 < stages; ++stage) {
    text_.line("fetch({0});", stage);
    if (factors().areHeld())
      text_.line("keep({0});", stage);
  }
  text_.block(formatv("for (int step = 0; step < {0}; ++step)", numSteps()),
              [&] {
                text_.line("mpc_copy_async_wait<{0}>();", stages - 2);
                text_.line("mpc_sync_block();");
                text_.line("fetch(step + {0});", stages - 1);
                emitTilePointers("step", true);
                products_.emitMultiply(text_, schedule_, factors());
                if (factors().areHeld())
                  text_.line("keep(step + {0});", stages - 1);
              });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The dimensions of the batch and of row `m`; those of columns are empty.
Texts TileEmitter::outerDims(const std::string &m) {
  Texts dims(contraction_.statement.numDims());
  auto set = [&](Contraction::DimGroup group, const std::string &flat) {
    ArrayRef<unsigned> list = contraction_.groups[group];
    SmallVector<int64_t> extents = llvm::map_to_vector(list, [&](unsigned dim) {
      return contraction_.statement.extents[dim];
    });
    for (auto [dim, place] : llvm::zip(list, text_.delinearize(flat, extents)))
      dims[dim] = place;
  };
  set(Contraction::Batch, "batch");
  set(rowGroup(), m);
  return dims;
}

/// Emits the columns from `at` on of row `local` of the part.
void TileEmitter::emitRun(const std::string &local, const std::string &at) {
  const std::string &type = text_.indexType();
  int64_t count = getRunLength(contraction_, epilogue_, columnGroup());
  text_.line("const {0} m = row + {1};", type,
             products_.rowOfPart(schedule_, factors(), kPartRows));
  text_.line("const {0} n = column + {1};", type, at);
  SmallVector<std::string> guards;
  if (rows_.factor.numOuter % schedule_.side != 0)
    guards.push_back(formatv("m < {0}", rows_.factor.numOuter));
  if (columns_.factor.numOuter % schedule_.side != 0)
    guards.push_back(formatv("n < {0}", columns_.factor.numOuter));
  std::string guard =
      guards.empty() ? "" : "if (" + llvm::join(guards, " && ") + ")";
  text_.block(guard, [&] {
    Texts dims = outerDims("m");
    std::string vector = formatv("mpc_vector<float, {0}>", count);
    std::string sums = text_.define(vector, "sum",
                                    formatv("{0}::get(whole + {1} * {2} + {3})",
                                            vector, local, resultPitch(), at));
    emitEpilogue(text_, contraction_, epilogue_,
                 ResultRun{columnGroup(), count, "n", dims}, sums);
  });
}

/// Emits 32 rows of the result: to shared memory, and from there, in runs, to
/// the result.
void TileEmitter::emitPart() {
  int64_t side = schedule_.side;
  text_.line("mpc_sync_block();");
  products_.emitPutSums(text_, schedule_, factors(), kPartRows, resultPitch());
  text_.line("mpc_sync_block();");
  int64_t count = getRunLength(contraction_, epilogue_, columnGroup());
  int64_t runs = side / count;
  text_.line("#pragma unroll 1");
  text_.block(
      formatv("for (int local = threadIdx.x / {0}; local < {1}; local += {2})",
              runs, kPartRows, schedule_.threads / runs),
      [&] {
        std::string at = formatv("threadIdx.x % {0}", runs);
        text_.line("const int at = {0}{1};", at,
                   count > 1 ? formatv(" * {0}", count).str() : "");
        emitRun("local", "at");
      });
}

void TileEmitter::emitResults() {
  text_.line(products_.elementBytes() == sizeof(float)
                 ? "float *whole = shared;"
                 : "float *whole = reinterpret_cast<float *>(shared);");
  text_.line("#pragma unroll");
  text_.block(formatv("for (int part = 0; part < {0}; ++part)",
                      schedule_.side / kPartRows),
              [&] { emitPart(); });
}

void TileEmitter::emit() {
  products_.leaveRegisters(text_, schedule_, factors());
  text_.line("MPC_DYNAMIC_SHARED({0}, shared);", elementText());
  emitPlaces();
  emitWalk(rows_);
  emitWalk(columns_);
  emitFetch();
  if (factors().areHeld())
    emitKeep();
  emitProducts();
  emitResults();
}

void mpc::cuda::emitTiles(KernelText &text, const Body &body,
                          const TileSchedule &schedule,
                          const TileProducts &products) {
  TileEmitter(text, body, schedule, products).emit();
}

int64_t mpc::cuda::getSharedBytes(FuncOp kernel, const Body &body,
                                  const TileSchedule &schedule,
                                  const TileProducts &products) {
  KernelText unused(kernel);
  return TileEmitter(unused, body, schedule, products).sharedBytes();
}
