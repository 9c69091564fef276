// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The only code that opens files which a model names.
#ifndef MPC_LIB_IMPORT_ONNX_READ_EXTERNALDATA_H
#define MPC_LIB_IMPORT_ONNX_READ_EXTERNALDATA_H

#include "lib/Import/ONNX/Read/OnnxModel.h"
#include "llvm/ADT/StringMap.h"

namespace mpc::onnx {

/// Maps the external data files of one model. A location is a relative path
/// below the model's folder. Every component of it is opened without following
/// links, so that the checked file is the one that is read.
class ExternalData {
public:
  /// With an empty `folder` every location is refused.
  ExternalData(llvm::StringRef folder, ModelStorage &storage)
      : folder_(folder), storage_(storage) {}

  /// `length` bytes at `offset` of the file at `location`; without a length,
  /// all bytes from `offset` on.
  llvm::Expected<llvm::ArrayRef<char>> slice(llvm::StringRef location,
                                             uint64_t offset,
                                             std::optional<uint64_t> length);

  /// Fails unless `digest`, in hexadecimal, is the SHA-1 of the whole file at
  /// `location`.
  llvm::Error checkDigest(llvm::StringRef location, llvm::StringRef digest);

private:
  llvm::Expected<llvm::ArrayRef<char>> file(llvm::StringRef location);

  std::string folder_;
  ModelStorage &storage_;
  llvm::StringMap<llvm::ArrayRef<char>> files_;
  /// The SHA-1 of files for which it was computed.
  llvm::StringMap<std::string> digests_;
};

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_READ_EXTERNALDATA_H
