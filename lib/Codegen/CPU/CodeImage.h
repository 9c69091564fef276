// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// From an object file to an image that runs wherever it is loaded.
#ifndef MPC_LIB_CODEGEN_CPU_CODEIMAGE_H
#define MPC_LIB_CODEGEN_CPU_CODEIMAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mpc::cpu {

struct CodeImage {
  std::vector<std::byte> bytes;      ///< To begin at a page.
  llvm::StringMap<uint64_t> offsets; ///< Of functions, by name.
};

/// A kernel that runs the code of several, and what it tells it.
struct SharedKernel {
  llvm::StringRef name, code;
  llvm::ArrayRef<int64_t> sizes;
};

/// Links an ELF object that refers to nothing outside of itself. It must hold
/// no address and write to no memory of its own; unwind tables are left out.
/// Each of `kernels` becomes a function that runs its code, of the object, with
/// the address of its sizes as the fifth argument.
llvm::Expected<CodeImage> linkImage(llvm::ArrayRef<char> object,
                                    llvm::ArrayRef<SharedKernel> kernels = {});

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_CODEIMAGE_H
