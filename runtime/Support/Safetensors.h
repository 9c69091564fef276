// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reading and writing of safetensors files: an 8-byte length, a JSON header,
/// and the tensors' bytes without holes.
#ifndef MPC_RUNTIME_SUPPORT_SAFETENSORS_H
#define MPC_RUNTIME_SUPPORT_SAFETENSORS_H

#include "runtime/Support/DType.h"
#include "runtime/Support/File.h"
#include "runtime/Support/Status.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// A tensor whose bytes belong to somebody else. They need not be aligned.
struct TensorView {
  TensorDesc desc;
  const void *data = nullptr;
};

using Metadata = std::map<std::string, std::string, std::less<>>;

/// A checked, mapped file. Views are valid while it lives.
class SafetensorsFile {
public:
  /// Errors name the file and, where there is one, the tensor. "-" is
  /// standard input.
  static Result<SafetensorsFile> open(std::string path);

  [[nodiscard]] const std::string &path() const { return file_.path(); }
  /// The tensors in the order of their bytes in the file.
  [[nodiscard]] const std::vector<TensorView> &tensors() const {
    return tensors_;
  }
  /// The tensor of that name; null where there is none.
  [[nodiscard]] const TensorView *find(std::string_view name) const;
  /// The file's `__metadata__`.
  [[nodiscard]] const Metadata &metadata() const { return metadata_; }
  /// "'x' f32[8x2], 'target' i64[8]", for messages.
  [[nodiscard]] std::string describe() const;

  /// Fails unless the file was written with `contentHash` and none of its bytes
  /// has changed.
  Status verifyContentHash() const;

private:
  explicit SafetensorsFile(MappedFile file) : file_(std::move(file)) {}

  MappedFile file_;
  std::vector<TensorView> tensors_;
  std::map<std::string, size_t, std::less<>> byName_;
  Metadata metadata_;
};

struct SafetensorsWriteOptions {
  Metadata metadata;
  /// Whether to add a hash of the whole file to its metadata, as
  /// "content_hash".
  bool contentHash = false;
};

/// Writes a file that mpc names itself, as an AtomicFile. Tensors are sorted by
/// element width, widest first, and then by name, so that all are aligned and
/// equal contents give equal files.
Status writeSafetensors(const std::string &path,
                        std::span<const TensorView> tensors,
                        const SafetensorsWriteOptions &options = {},
                        const Io &io = Io::system());

/// Writes to an output that the user named, as an OutputFile.
Status writeSafetensorsOutput(const std::string &path,
                              std::span<const TensorView> tensors,
                              const SafetensorsWriteOptions &options = {});

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_SAFETENSORS_H
