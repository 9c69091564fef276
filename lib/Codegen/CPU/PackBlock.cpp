// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores packed elements.
#include "lib/Codegen/CPU/PackBlock.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mpc::cpu;

void mpc::cpu::storePacked(Emitter &emitter, Value value,
                           const PackDestination &destination, Value place) {
  if (isa<VectorType>(value.getType()))
    vector::StoreOp::create(emitter.builder, emitter.loc, value,
                            destination.buffer, place);
  else
    memref::StoreOp::create(emitter.builder, emitter.loc, value,
                            destination.buffer, place);
}
