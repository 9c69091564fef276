// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Copies the part of images that a tile's windows read, channels innermost.
#ifndef MPC_LIB_CODEGEN_CPU_WINDOWPACKER_H
#define MPC_LIB_CODEGEN_CPU_WINDOWPACKER_H

#include "lib/Codegen/CPU/Emitter.h"
#include "lib/Codegen/CPU/WindowPlan.h"

namespace mpc::cpu {

/// What a block of a tile reads: some images, positions and taps of the first
/// axis, and all of the other axes.
struct WindowBlock {
  mlir::Value batch;
  mlir::Value image, images;
  mlir::Value line, lines;
  mlir::Value tap, taps;
};

/// Copies the part of the images that `block` reads to `copy`, in the layout of
/// getTileCopy(), in the type that the unit multiplies.
void emitWindowCopy(Emitter &emitter, const kernel::Contraction &contraction,
                    const Windows &windows, GemmAttr schedule,
                    const WindowBlock &block, mlir::Value copy);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_WINDOWPACKER_H
