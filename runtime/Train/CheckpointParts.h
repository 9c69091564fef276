// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Checkpoints in parts: a folder with a file of each rank that wrote it, which
/// holds what that rank has of the state, and a manifest that names them all.
/// The folder appears under its name only once it is whole and on disk.
#ifndef MPC_RUNTIME_TRAIN_CHECKPOINTPARTS_H
#define MPC_RUNTIME_TRAIN_CHECKPOINTPARTS_H

#include "runtime/Device/CPU/Memory.h"
#include "runtime/Ranks/Ranks.h"
#include "runtime/Runner/Runner.h"
#include "runtime/Support/File.h"
#include "runtime/Support/Safetensors.h"
#include "runtime/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// The file that makes a folder of parts a checkpoint.
inline constexpr std::string_view kManifestFile = "manifest.safetensors";

/// Writes the state of all ranks, or of a process alone, to the folder `path`,
/// in place of a former one. All ranks must call it; `path` and `metadata`,
/// that of a checkpoint in one file, are those of rank 0. No rank believes that
/// it is saved unless all are done.
Status saveParts(Ranks *ranks, const Runner &runner, std::string path,
                 const Metadata &metadata, const Io &io = Io::system());

/// Whether `path` is a folder that was written so.
[[nodiscard]] bool isInParts(const std::string &path);
/// Removes such a folder, or what is left of one.
void removeParts(const std::string &path, const Io &io = Io::system());
/// The name under which a folder is written.
[[nodiscard]] std::string unfinished(const std::string &path);
/// The name that a former folder has while it is replaced.
[[nodiscard]] std::string formerOf(const std::string &path);

/// A checkpoint in parts, mapped.
class CheckpointParts {
public:
  /// Whether all bytes are compared with their hashes, or only the hashes with
  /// those of the manifest, where another rank has compared the rest.
  enum class Check : uint8_t { Bytes, Hashes };

  static Result<CheckpointParts> open(std::string path, Check check);

  /// The metadata of the checkpoint in one file.
  [[nodiscard]] const Metadata &metadata() const { return metadata_; }
  /// All tensors, whole.
  [[nodiscard]] const std::vector<TensorDesc> &tensors() const {
    return tensors_;
  }
  /// The tensor of that name; null where there is none.
  [[nodiscard]] const TensorDesc *find(std::string_view name) const;
  /// The tensor in the file where all of it lies in one; null elsewhere.
  [[nodiscard]] const void *wholeIn(const TensorDesc &tensor) const;
  /// Copies the bytes from `begin` on of a tensor of tensors().
  Status read(const TensorDesc &tensor, uint64_t begin,
              std::span<std::byte> to) const;

private:
  struct Piece {
    uint64_t begin; ///< Its first byte in the tensor.
    std::span<const std::byte> bytes;
  };

  explicit CheckpointParts(std::string path) : path_(std::move(path)) {}
  Status readManifest(const SafetensorsFile &manifest);
  Status addPart(const std::string &name, const std::string &hash, Check check);
  Status checkWhole() const;

  std::string path_;
  Metadata metadata_;
  std::vector<TensorDesc> tensors_;
  std::vector<SafetensorsFile> files_;
  std::map<std::string, std::vector<Piece>, std::less<>> pieces_;
};

/// Reads what this rank has of each tensor that the runner's state divides. All
/// such tensors must be there, and of the same shapes.
Status readOwnParts(const CheckpointParts &parts, Runner &runner);

/// Tensors of a checkpoint, with memory for those that lie in no single file.
struct JoinedTensors {
  std::vector<TensorView> views;
  std::vector<HostBuffer> memory;
};
/// All tensors. Those that the state of `runner` divides are its own memory,
/// into which its part is read.
Result<JoinedTensors> join(const CheckpointParts &parts,
                           Runner *runner = nullptr);

/// Writes a checkpoint in parts as one file: that which a process alone would
/// have written, byte for byte.
Status joinParts(const std::string &path, const std::string &file);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_CHECKPOINTPARTS_H
