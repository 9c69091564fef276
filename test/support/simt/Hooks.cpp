// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of a module that is compiled once: what the compiler calls for each
// memory access of a kernel. Kernels are compiled with -fsanitize=thread, but
// linked with these functions instead of that sanitizer's.
#include "runtime/Support/Rounding.h"
#include "test/support/simt/Module.h"

#include <cmath>
#include <cstring>

#define MPC_HIDDEN __attribute__((visibility("hidden")))

static simt::Machine *machine = nullptr;

using simt::Access;

extern "C" {

MPC_HIDDEN simt::Position mpcSimtPosition;
MPC_HIDDEN simt::Machine *mpcSimtMachine() { return machine; }

MPC_HIDDEN float mpcSimtFma(float a, float b, float c) {
  return std::fma(a, b, c);
}
MPC_HIDDEN double mpcSimtFma64(double a, double b, double c) {
  return std::fma(a, b, c);
}
// The hardware's only NaN is the canonical one, without sign.
MPC_HIDDEN uint16_t mpcSimtRoundToF16(float x) {
  return x == x ? mpc::rt::roundToF16(x) : 0x7fff;
}
MPC_HIDDEN uint16_t mpcSimtRoundToBF16(float x) {
  return x == x ? mpc::rt::roundToBF16(x) : 0x7fff;
}
MPC_HIDDEN float mpcSimtValueOfF16(uint16_t x) {
  float value = mpc::rt::valueOfF16(x);
  return value == value ? value : __builtin_bit_cast(float, 0x7fffffffU);
}
MPC_HIDDEN uint32_t mpcSimtAtomicOr(uint32_t *at, uint32_t bits,
                                    const void *code) {
  machine->access(at, 4, Access::Atomic, code);
  uint32_t old = *at;
  *at = old | bits;
  return old;
}

#define MPC_ON_ACCESS(name, bytes, kind)                                       \
  MPC_HIDDEN void name(void *at) {                                             \
    machine->access(at, bytes, kind, __builtin_return_address(0));             \
  }
#define MPC_ON_SIZE(bytes)                                                     \
  MPC_ON_ACCESS(__tsan_read##bytes, bytes, Access::Read)                       \
  MPC_ON_ACCESS(__tsan_write##bytes, bytes, Access::Write)                     \
  MPC_ON_ACCESS(__tsan_unaligned_read##bytes, bytes, Access::Read)             \
  MPC_ON_ACCESS(__tsan_unaligned_write##bytes, bytes, Access::Write)
MPC_ON_SIZE(1)
MPC_ON_SIZE(2)
MPC_ON_SIZE(4)
MPC_ON_SIZE(8)
MPC_ON_SIZE(16)

MPC_HIDDEN void __tsan_read_range(void *at, size_t bytes) {
  machine->access(at, bytes, Access::Read, __builtin_return_address(0));
}
MPC_HIDDEN void __tsan_write_range(void *at, size_t bytes) {
  machine->access(at, bytes, Access::Write, __builtin_return_address(0));
}
MPC_HIDDEN void *__tsan_memcpy(void *to, const void *from, size_t bytes) {
  machine->access(from, bytes, Access::Read, __builtin_return_address(0));
  machine->access(to, bytes, Access::Write, __builtin_return_address(0));
  return std::memcpy(to, from, bytes);
}
MPC_HIDDEN void *__tsan_memmove(void *to, const void *from, size_t bytes) {
  machine->access(from, bytes, Access::Read, __builtin_return_address(0));
  machine->access(to, bytes, Access::Write, __builtin_return_address(0));
  return std::memmove(to, from, bytes);
}
MPC_HIDDEN void *__tsan_memset(void *to, int value, size_t bytes) {
  machine->access(to, bytes, Access::Write, __builtin_return_address(0));
  return std::memset(to, value, bytes);
}
MPC_HIDDEN void __tsan_vptr_read(void **) {}
MPC_HIDDEN void __tsan_vptr_update(void **, void *) {}
MPC_HIDDEN void __tsan_func_entry(void *) {}
MPC_HIDDEN void __tsan_func_exit() {}
MPC_HIDDEN void __tsan_init() {}

/// From the generated end of a module's text.
extern const simt::Kernel kSimtKernels[];
extern const size_t kSimtKernelCount;
extern const bool kSimtChecked;

// The linker defines these where a module has the section.
__attribute__((weak)) MPC_HIDDEN extern char __start_mpc_shared[];
__attribute__((weak)) MPC_HIDDEN extern char __stop_mpc_shared[];

__attribute__((visibility("default"))) simt::Module mpcSimtModule() {
  return {kSimtKernels,       kSimtKernelCount,  &machine,    &mpcSimtPosition,
          __start_mpc_shared, __stop_mpc_shared, kSimtChecked};
}

} // extern "C"
