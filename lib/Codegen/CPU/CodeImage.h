// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Links an object file to an image that runs wherever it is loaded.
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
  /// The code; it must be loaded at the start of a page.
  std::vector<std::byte> bytes;
  llvm::StringMap<uint64_t> offsets; ///< The offset of each function, by name.
};

/// A kernel that runs code shared with others, and the sizes that it passes to
/// it.
struct SharedKernel {
  llvm::StringRef name, code;
  llvm::ArrayRef<int64_t> sizes;
};

/// Links an ELF object that refers to no outside symbol. The object must
/// contain no address and no memory that it writes. Unwind tables are left out.
/// Each of `kernels` becomes a function that runs its code, a function of the
/// object, with the address of its sizes as the fifth argument.
llvm::Expected<CodeImage> linkImage(llvm::ArrayRef<char> object,
                                    llvm::ArrayRef<SharedKernel> kernels = {});

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_CODEIMAGE_H
