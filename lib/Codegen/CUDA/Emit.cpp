// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits kernels by their schedules; and cuda-print-text.
#include "lib/Codegen/CUDA/Passes.h"

#include "dialects/Kernel/Philox.h"
#include "lib/Codegen/CUDA/AttentionPlan.h"
#include "lib/Codegen/CUDA/Emitters.h"
#include "lib/Codegen/CUDA/LibraryProduct.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mpc::cuda {
#define GEN_PASS_DEF_PRINTTEXTPASS
#include "lib/Codegen/CUDA/Passes.h.inc"
} // namespace mpc::cuda

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;

namespace {

/// The size of a block.
struct BlockShape {
  int64_t threads;
  int64_t shared = 0; ///< Bytes of dynamic shared memory.
};

} // namespace

/// Writes the body.
static FailureOr<BlockShape> emitBody(KernelText &text, const Body &body,
                                      ScheduleAttrInterface schedule) {
  return TypeSwitch<Attribute, FailureOr<BlockShape>>(schedule)
      .Case([&](LoopsAttr loops) -> FailureOr<BlockShape> {
        if (failed(emitLoops(text, body, loops)))
          return failure();
        return BlockShape{loops.getThreads()};
      })
      .Case([&](DotAttr dot) {
        emitDot(text, body, dot);
        return BlockShape{dot.getThreads()};
      })
      .Case<MmaAttr, SimtAttr>([&](auto tiles) -> FailureOr<BlockShape> {
        std::unique_ptr<TileProducts> products =
            findTileProducts(text.kernel, body);
        if (!products)
          return text.kernel.emitOpError(
              "has factors that no multiply unit of the target takes");
        TileSchedule tiled(tiles, products->elementBytes());
        emitTiles(text, body, tiled, *products);
        return BlockShape{tiled.threads,
                          getSharedBytes(text.kernel, body, tiled, *products)};
      })
      .Case([&](AttentionAttr attention) -> FailureOr<BlockShape> {
        if (failed(emitAttention(text, body, attention)))
          return failure();
        return BlockShape{attention.getThreads(),
                          getSharedBytes(body, attention)};
      })
      .Case([&](ScatterAttr scatter) {
        emitScatter(text, body, scatter);
        return BlockShape{scatter.getThreads()};
      })
      .Case([&](MapAttr map) {
        emitMap(text, body, map);
        return BlockShape{map.getThreads()};
      })
      .Case([&](RowsAttr rows) -> FailureOr<BlockShape> {
        if (failed(emitRows(text, body, rows)))
          return failure();
        return BlockShape{rows.getThreads()};
      })
      .Case([&](ColumnsAttr columns) {
        emitColumns(text, body, columns);
        return BlockShape{columns.getThreads()};
      })
      .Default([](Attribute) { return failure(); });
}

FailureOr<KernelAttr> mpc::cuda::writeKernel(FuncOp kernel) {
  expandPhilox(kernel);
  ScheduleAttrInterface schedule = kernel.getScheduleAttr();
  KernelText text(kernel);
  Body body = *getBody(kernel);
  ProductAttr product = findLibraryProduct(kernel, body);
  FailureOr<BlockShape> shape = emitBody(text, body, schedule);
  if (failed(shape))
    return failure();
  FailureOr<std::string> written = text.finish(shape->threads);
  if (failed(written))
    return failure();
  Builder builder(kernel.getContext());
  return KernelAttr::get(
      builder.getContext(), schedule.getChunks(), shape->threads, shape->shared,
      builder.getStringAttr(*written),
      builder.getDenseI64ArrayAttr(text.accesses()),
      builder.getDenseI64ArrayAttr(text.argumentsAlone()),
      text.residentThreads(shape->threads), text.staticSharedBytes(),
      kernel.getSourcesAttr(), product);
}

FailureOr<func::FuncOp> mpc::cuda::emitKernel(FuncOp kernel) {
  FailureOr<KernelAttr> written = writeKernel(kernel);
  if (failed(written))
    return failure();
  OpBuilder builder(kernel);
  auto declaration = func::FuncOp::create(
      builder, kernel.getLoc(), kernel.getSymName(),
      builder.getFunctionType(kernel.getArgumentTypes(), {}));
  declaration.setPrivate();
  declaration->setAttr(KernelDialect::EmittedAttrHelper::getNameStr(),
                       *written);
  kernel.erase();
  return declaration;
}

namespace {

struct PrintTextPass : mpc::cuda::impl::PrintTextPassBase<PrintTextPass> {
  using PrintTextPassBase::PrintTextPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (auto kernel =
              dyn_cast_or_null<KernelAttr>(getEmittedKernel(function)))
        llvm::outs() << kernel.getText().getValue() << "\n";
  }
};

} // namespace
