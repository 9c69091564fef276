// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The tensors of several files. Tensors of the same name form one tensor.
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

/// A tensor of a file, and the position of its samples among those of its name.
struct DataPart {
  std::string path;
  StoredTensor tensor;
  int64_t firstSample = 0;
};

/// Files of samples. A word names one by its path, or by a pattern (as in a
/// shell: * ? [...]) all that match, in the order of their bytes, or as
/// NAME=FILE.npy an array with another name than its file.
class DataFiles {
public:
  static Result<DataFiles> open(std::span<const std::string> words);

  /// The tensors by name, in the order of the files, each with the type in the
  /// first file that has it.
  [[nodiscard]] std::vector<TensorDesc> tensors() const;
  /// Whether a file has it.
  [[nodiscard]] bool has(std::string_view name) const;
  /// Its shape with the samples of all files, without reading its content.
  /// Empty where no file has it, or where files have different shapes.
  [[nodiscard]] std::optional<std::vector<int64_t>>
  shapeOf(std::string_view name) const;
  /// The parts of a tensor, in the order of the files; at least one. Packed
  /// tensors are unpacked.
  Result<std::vector<DataPart>> read(std::string_view name) const;
  /// Fails where a file's tensors of these names have different numbers of
  /// samples: tensors of one sample would come from different samples.
  Status checkSamples(std::span<const std::string> names) const;

  /// The files for messages: "a.npz", "a.npz and 3 more".
  [[nodiscard]] std::string label() const;

private:
  DataFiles() = default;
  [[nodiscard]] std::string describe() const;

  std::vector<TensorFile> files_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_DATAFILES_H
