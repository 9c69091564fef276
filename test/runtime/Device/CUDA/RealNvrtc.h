// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The real NVRTC for tests: that of .venv, else of the machine.
#ifndef MPC_TEST_RUNTIME_DEVICE_CUDA_REALNVRTC_H
#define MPC_TEST_RUNTIME_DEVICE_CUDA_REALNVRTC_H

#include "runtime/Device/CUDA/Nvrtc.h"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace mpc::rt::cuda::test {

/// `path` below the folder nvidia/cu13 of .venv, where wheels of CUDA 13 lie;
/// empty where it is not there.
inline std::string inWheels(const std::string &path) {
  std::error_code none;
  for (const auto &python :
       std::filesystem::directory_iterator(MPC_VENV "/lib", none)) {
    auto file = python.path() / "site-packages/nvidia/cu13" / path;
    if (std::filesystem::exists(file))
      return file;
  }
  return "";
}

inline Result<std::shared_ptr<const Nvrtc>> findNvrtc() {
  std::string wheel = inWheels("lib/libnvrtc.so.13");
  bool isNamed = std::getenv("MPC_NVRTC") != nullptr;
  return wheel.empty() || isNamed ? Nvrtc::open() : Nvrtc::open(wheel);
}

} // namespace mpc::rt::cuda::test

#endif // MPC_TEST_RUNTIME_DEVICE_CUDA_REALNVRTC_H
