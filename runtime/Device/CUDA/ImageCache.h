// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Compilations by NVRTC that need not be done again.
#ifndef MPC_RUNTIME_DEVICE_CUDA_IMAGECACHE_H
#define MPC_RUNTIME_DEVICE_CUDA_IMAGECACHE_H

#include "runtime/Device/CUDA/Nvrtc.h"
#include "runtime/Support/Status.h"

#include <span>
#include <vector>

namespace mpc::rt::cuda {

/// The image of each source, in order: what the compile cache has of this text,
/// these options and this NVRTC, else what NVRTC makes of it, each text once
/// and several at a time, which is kept then. A cache that cannot be used, or a
/// file of it that is damaged or somebody else's, is as one that is empty. The
/// images' logs are empty.
Result<std::vector<Image>>
compileOnce(const Nvrtc &nvrtc, std::span<const Source> sources, Target target);

} // namespace mpc::rt::cuda

#endif // MPC_RUNTIME_DEVICE_CUDA_IMAGECACHE_H
