// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The memory of a model's values.
#ifndef MPC_LIB_IMPORT_MODELSTORAGE_H
#define MPC_LIB_IMPORT_MODELSTORAGE_H

#include "runtime/Support/SharedBytes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace mpc {

/// Memory to which tensors point: the mapped file, mapped external files, and
/// copies of values that the file does not store as raw bytes.
class ModelStorage {
public:
  /// Bytes that live as long as the storage.
  llvm::MutableArrayRef<char> allocate(size_t size);
  llvm::ArrayRef<char> keep(std::unique_ptr<llvm::MemoryBuffer> buffer);
  /// Keeps the bytes of a file of the runtime.
  llvm::ArrayRef<char> keep(rt::SharedBytes bytes);
  /// The files of external data that were opened.
  std::vector<std::string> externalFiles;

private:
  std::deque<std::vector<char>> owned_;
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> mapped_;
  std::vector<rt::SharedBytes> shared_;
};

} // namespace mpc

#endif // MPC_LIB_IMPORT_MODELSTORAGE_H
