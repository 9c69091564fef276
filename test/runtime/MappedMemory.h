// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How much of the files that this process maps is in its memory.
#ifndef MPC_TEST_RUNTIME_MAPPEDMEMORY_H
#define MPC_TEST_RUNTIME_MAPPEDMEMORY_H

#include <cstddef>
#include <fstream>
#include <unistd.h>

namespace mpc::rt {

/// The bytes of mapped files that are in this process's memory now.
inline size_t mappedInMemory() {
  size_t total = 0, resident = 0, ofFiles = 0;
  std::ifstream("/proc/self/statm") >> total >> resident >> ofFiles;
  return ofFiles * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

} // namespace mpc::rt

#endif // MPC_TEST_RUNTIME_MAPPEDMEMORY_H
