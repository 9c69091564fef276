// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Keeps results of NVRTC, so that equal compilations are done once.
#ifndef MPC_RUNTIME_DEVICE_CUDA_IMAGECACHE_H
#define MPC_RUNTIME_DEVICE_CUDA_IMAGECACHE_H

#include "runtime/Device/CUDA/Nvrtc.h"
#include "runtime/Support/Status.h"

#include <span>
#include <vector>

namespace mpc::rt::cuda {

/// The image of each source, in order. An image is taken from the compile
/// cache, by the text, the options and the NVRTC, or else NVRTC compiles it,
/// each text once and several at a time, and it is kept. A cache that cannot be
/// used, a damaged file, and a file with another owner count as empty. The
/// images' logs are empty.
Result<std::vector<Image>>
compileOnce(const Nvrtc &nvrtc, std::span<const Source> sources, Target target);

} // namespace mpc::rt::cuda

#endif // MPC_RUNTIME_DEVICE_CUDA_IMAGECACHE_H
