// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code pages over POSIX: they are written first, and then made executable.
#include "runtime/Device/CPU/LoadedCode.h"

#include "runtime/Support/Hash.h"
#include "runtime/Support/Text.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>

namespace mpc::rt {

Result<LoadedCode> LoadedCode::load(std::span<const std::byte> image,
                                    std::string_view hash) {
  if (image.empty())
    return LoadedCode();
  void *data = ::mmap(nullptr, image.size(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED)
    return environmentError("cannot map memory for code: " +
                            errnoMessage(errno));
  LoadedCode code(data, image.size());
  std::memcpy(data, image.data(), image.size());
  if (!hash.empty() && ContentHash::of(data, image.size()) != hash)
    return invalidInput("the machine code is damaged: its hash does not match");
  if (::mprotect(data, image.size(), PROT_READ | PROT_EXEC) != 0)
    return environmentError(
        "this system does not allow compiled code to run: " +
        errnoMessage(errno));
  __builtin___clear_cache(static_cast<char *>(data),
                          static_cast<char *>(data) + image.size());
  return code;
}

LoadedCode::~LoadedCode() {
  if (data_)
    ::munmap(data_, bytes_);
}

} // namespace mpc::rt
