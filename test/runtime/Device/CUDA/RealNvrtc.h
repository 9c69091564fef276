// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The real NVRTC for tests, and what reads its machine code: those of .venv,
/// else of the machine.
#ifndef MPC_TEST_RUNTIME_DEVICE_CUDA_REALNVRTC_H
#define MPC_TEST_RUNTIME_DEVICE_CUDA_REALNVRTC_H

#include "runtime/Device/CUDA/Nvrtc.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

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

inline std::string outputOf(const std::string &command) {
  std::string output;
  FILE *pipe = ::popen(command.c_str(), "r");
  if (!pipe)
    return output;
  std::array<char, 4096> part{};
  while (size_t count = std::fread(part.data(), 1, part.size(), pipe))
    output.append(part.data(), count);
  ::pclose(pipe);
  return output;
}

/// What it prints of a cubin; `tool` is that of the wheels, else of the PATH.
inline std::string inspect(const std::string &tool, const std::string &flags,
                           const Image &image) {
  std::string file = std::filesystem::temp_directory_path() /
                     ("mpc-sass-" + std::to_string(::getpid()) + ".cubin");
  std::ofstream(file, std::ios::binary)
      .write(image.bytes.data(),
             static_cast<std::streamsize>(image.bytes.size()));
  std::string wheel = inWheels("bin/" + tool);
  std::string output = outputOf("PATH=\"$PATH:/usr/local/cuda/bin\" " +
                                (wheel.empty() ? tool : "'" + wheel + "'") +
                                " " + flags + " '" + file + "' 2>/dev/null");
  std::filesystem::remove(file);
  return output;
}

/// The part of a disassembly that is `kernel`.
inline std::string sectionOf(const std::string &sass,
                             const std::string &kernel) {
  size_t begin = sass.find("\n.text." + kernel + ":");
  if (begin == std::string::npos)
    return "";
  return sass.substr(begin, sass.find("\n.text.", begin + 1) - begin);
}

} // namespace mpc::rt::cuda::test

/// Where a tool is missing its tests are skipped, but not under CI, which would
/// never learn that they stopped running.
#define MPC_REQUIRE(condition, reason)                                         \
  if (!(condition)) {                                                          \
    if (std::getenv("CI"))                                                     \
      FAIL() << (reason);                                                      \
    GTEST_SKIP() << (reason);                                                  \
  }

#endif // MPC_TEST_RUNTIME_DEVICE_CUDA_REALNVRTC_H
