// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocates memory. Errors have sizes and names.
#include "runtime/Device/CUDA/Memory.h"

#include "runtime/Support/Text.h"

#include <cstring>
#include <fmt/format.h>

namespace mpc::rt::cuda {
namespace {

/// "allocating 4.2 MiB for slab 'weights'; 1.0 GiB of 2.0 GiB are free".
std::string describeAllocation(const Context &context, uint64_t bytes,
                               std::string_view what) {
  std::string doing =
      fmt::format("allocating {} for {}", formatBytes(bytes), what);
  size_t free = 0, total = 0;
  if (context.table().cuMemGetInfo_v2(&free, &total) != code::kSuccess)
    return doing;
  return fmt::format("{} ({} of {} are free)", doing, formatBytes(free),
                     formatBytes(total));
}

} // namespace

Result<DeviceBuffer> DeviceBuffer::allocate(const ContextRef &context,
                                            uint64_t bytes,
                                            std::string_view what) {
  DevicePointer pointer = 0;
  if (bytes != 0)
    MPC_CUDA_RETURN_IF_REFUSED(*context, cuMemAlloc_v2, (&pointer, bytes),
                               describeAllocation(*context, bytes, what));
  return DeviceBuffer(Memory(context, pointer), bytes);
}

bool isDeviceMemory(const Context &context, DevicePointer pointer) {
  Current current(context);
  unsigned kind = 0;
  int device = -1;
  const DriverTable &table = context.table();
  return current.answer() == code::kSuccess &&
         table.cuPointerGetAttribute(&kind, PointerAttribute::MemoryType,
                                     pointer) == code::kSuccess &&
         kind == kMemoryOfDevice &&
         table.cuPointerGetAttribute(&device, PointerAttribute::DeviceOrdinal,
                                     pointer) == code::kSuccess &&
         device == context.info().ordinal;
}

Result<PinnedBuffer> PinnedBuffer::allocate(const ContextRef &context,
                                            uint64_t bytes,
                                            std::string_view what) {
  void *pointer = nullptr;
  if (bytes != 0) {
    MPC_CUDA_RETURN_IF_REFUSED(*context, cuMemHostAlloc, (&pointer, bytes, 0),
                               fmt::format("allocating {} of pinned memory for "
                                           "{}",
                                           formatBytes(bytes), what));
    std::memset(pointer, 0, bytes);
  }
  return PinnedBuffer(Memory(context, pointer), bytes);
}

} // namespace mpc::rt::cuda
