// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits a kernel by the schedule that it carries.
#include "lib/Codegen/CPU/Emitters.h"
#include "lib/Codegen/CPU/Gemm.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

LogicalResult mpc::cpu::emitKernel(FuncOp kernel) {
  Attribute schedule = kernel.getScheduleAttr();
  if (!schedule)
    return kernel.emitOpError("has no schedule; run kernel-schedule first");
  FailureOr<Body> body = getBody(kernel);
  if (failed(body))
    return failure();
  OpBuilder builder(kernel.getContext());
  Emitter emitter(builder, kernel);
  int64_t chunks = 1;
  LogicalResult result =
      TypeSwitch<Attribute, LogicalResult>(schedule)
          .Case([&](LoopsAttr loops) {
            chunks = loops.getChunks();
            return emitLoops(emitter, *body, chunks);
          })
          .Case([&](GemmAttr gemm) {
            chunks = gemm.getChunks();
            return emitGemm(emitter, *body, gemm);
          })
          .Case([&](PackAttr pack) {
            chunks = pack.getChunks();
            return emitPack(emitter, *body, pack);
          })
          .Case([&](MapAttr map) {
            chunks = map.getChunks();
            return emitMap(emitter, *body, map);
          })
          .Case([&](RowsAttr rows) {
            chunks = rows.getChunks();
            return emitRows(emitter, *body, {chunks, rows.getLanes(), false});
          })
          .Case([&](ColumnsAttr columns) {
            chunks = columns.getChunks();
            return emitRows(emitter, *body, {chunks, columns.getLanes(), true});
          })
          .Default([&](Attribute) {
            return kernel.emitOpError("has a schedule that CPUs do not know: ")
                   << schedule;
          });
  if (failed(result)) {
    emitter.function.erase();
    return failure();
  }
  emitter.finish(chunks);
  kernel.erase();
  return success();
}
