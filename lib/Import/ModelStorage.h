// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The memory that a model's values lie in.
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

/// Memory that tensors point into: the mapped file, mapped external files, and
/// copies of what the file does not store as raw bytes.
class ModelStorage {
public:
  /// Bytes that live as long as the storage.
  llvm::MutableArrayRef<char> allocate(size_t size);
  llvm::ArrayRef<char> keep(std::unique_ptr<llvm::MemoryBuffer> buffer);
  /// The same of bytes that a file of the runtime has.
  llvm::ArrayRef<char> keep(rt::SharedBytes bytes);
  /// Files of external data that were opened.
  std::vector<std::string> externalFiles;

private:
  std::deque<std::vector<char>> owned_;
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> mapped_;
  std::vector<rt::SharedBytes> shared_;
};

} // namespace mpc

#endif // MPC_LIB_IMPORT_MODELSTORAGE_H
