// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loading what the test NVRTC made.
#include "test/support/cuda/FakeImage.h"
#include "test/support/cuda/FakeState.h"

#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace mpc::rt::cuda::test {
namespace {

/// Where the loaded segments of the object at `base` lie.
std::vector<simt::Range> segmentsOf(void *library) {
  link_map *map = nullptr;
  std::vector<simt::Range> segments;
  if (::dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
    return segments;
  auto search = std::make_pair(map->l_addr, &segments);
  ::dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *context) {
        auto &[base, found] = *static_cast<decltype(search) *>(context);
        for (int i = 0; info->dlpi_addr == base && i < info->dlpi_phnum; ++i)
          if (info->dlpi_phdr[i].p_type == PT_LOAD)
            found->push_back({base + info->dlpi_phdr[i].p_vaddr,
                              info->dlpi_phdr[i].p_memsz});
        return 0;
      },
      &search);
  return segments;
}

} // namespace

FakeModule::~FakeModule() {
  if (library)
    ::dlclose(library);
  if (file >= 0)
    ::close(file);
}

DriverCode FakeState::load(FakeModule &module, const void *image) const {
  FakeImageHeader header;
  std::memcpy(&header, image, sizeof header);
  if (header.magic != kFakeImageMagic)
    return code::kInvalidImage;
  int own = machine.major * 10 + machine.minor;
  bool runs = header.isPtx
                  ? header.arch <= own
                  : header.arch / 10 == machine.major && header.arch <= own;
  if (!runs)
    return code::kNoBinaryForGpu;
  // The file stays open while the module lives: the loader knows objects by
  // their path, and the path holds the number of the file.
  module.file = ::memfd_create("mpc-simt-module", MFD_CLOEXEC);
  const auto *bytes = static_cast<const char *>(image) + sizeof header;
  if (module.file < 0 || ::write(module.file, bytes, header.bytes) !=
                             static_cast<ssize_t>(header.bytes))
    return code::kOutOfMemory;
  // Of this process by number, so that a tool that it starts finds it too.
  std::string path = fmt::format("/proc/{}/fd/{}", ::getpid(), module.file);
  module.library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  auto *describe = module.library
                       ? reinterpret_cast<simt::Module (*)()>(
                             ::dlsym(module.library, simt::kModuleSymbol))
                       : nullptr;
  if (!describe)
    return code::kInvalidImage;
  module.module = describe();
  module.arch = header.arch;
  module.image = segmentsOf(module.library);
  return code::kSuccess;
}

} // namespace mpc::rt::cuda::test
