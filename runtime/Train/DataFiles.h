// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The tensors of several files, those of one name as one tensor.
#ifndef MPC_RUNTIME_TRAIN_DATAFILES_H
#define MPC_RUNTIME_TRAIN_DATAFILES_H

#include "runtime/Support/DType.h"
#include "runtime/Support/Status.h"
#include "runtime/Support/TensorFile.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// A tensor of a file, and where its samples are among those of its name.
struct DataPart {
  std::string path;
  StoredTensor tensor;
  int64_t firstSample = 0;
};

/// Files of samples. Each is named by its path, by a pattern (as a shell has
/// them: * ? [...]) for all paths that match, in the order of their bytes, or
/// as NAME=FILE.npy for an array that is to be called otherwise than its file.
class DataFiles {
public:
  static Result<DataFiles> open(std::span<const std::string> words);

  /// The tensors by their names, in the order of the files, each as the first
  /// file has it that it is in.
  [[nodiscard]] std::vector<TensorDesc> tensors() const;
  /// Whether a file has it.
  [[nodiscard]] bool has(std::string_view name) const;
  /// Its shape with the samples of all files, without a look at what it holds;
  /// nothing where no file has it, or files have it in different shapes.
  [[nodiscard]] std::optional<std::vector<int64_t>>
  shapeOf(std::string_view name) const;
  /// The parts of a tensor, in the order of the files. What is packed is
  /// unpacked. There is at least one.
  Result<std::vector<DataPart>> read(std::string_view name) const;
  /// Fails where a file's tensors of these names have different numbers of
  /// samples: a sample's tensors would come from different ones.
  Status checkSamples(std::span<const std::string> names) const;

  /// The first file, for messages about all: "a.npz", "a.npz and 3 more".
  [[nodiscard]] std::string label() const;

private:
  DataFiles() = default;
  [[nodiscard]] std::string describe() const;

  std::vector<TensorFile> files_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_DATAFILES_H
