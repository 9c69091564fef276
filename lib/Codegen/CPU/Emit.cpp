// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits kernels by their schedules.
#include "lib/Codegen/CPU/Emitters.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

/// Emits the body. The kernel's verifier has checked that the kernel can run by
/// `schedule`, which belongs to the cpu dialect.
static void emitBody(Emitter &emitter, const Body &body, Attribute schedule) {
  TypeSwitch<Attribute>(schedule)
      .Case([&](LoopsAttr loops) { emitLoops(emitter, body, loops); })
      .Case([&](LanesAttr lanes) { emitLanes(emitter, body, lanes); })
      .Case([&](ScatterAttr scatter) {
        emitScatterBlocks(emitter, body, scatter);
      })
      .Case([&](GemmAttr gemm) { emitGemm(emitter, body, gemm); })
      .Case([&](DepthwiseAttr depthwise) {
        emitDepthwise(emitter, body, depthwise);
      })
      .Case([&](AttentionAttr attention) {
        emitAttention(emitter, body, attention);
      })
      .Case([&](PackAttr pack) { emitPack(emitter, body, pack); })
      .Case([&](MapAttr map) { emitMap(emitter, body, map); })
      .Case<RowsAttr, ColumnsAttr>([&](auto rows) {
        emitRows(emitter, body, rows.getChunks(), rows.getLanes());
      });
}

func::FuncOp mpc::cpu::emitKernel(FuncOp kernel) {
  OpBuilder builder(kernel.getContext());
  Emitter emitter(builder, kernel);
  ScheduleAttrInterface schedule = kernel.getScheduleAttr();
  emitBody(emitter, *getBody(kernel), schedule);
  auto gemm = dyn_cast<GemmAttr>(schedule);
  emitter.finish(schedule.getChunks(), gemm ? gemm.getPieces() : 1);
  kernel.erase();
  return emitter.function;
}
