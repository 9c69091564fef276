// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writes an ONNX file again with other values in its initializers.
#ifndef MPC_LIB_IMPORT_ONNX_ONNXFILE_H
#define MPC_LIB_IMPORT_ONNX_ONNXFILE_H

#include "lib/Import/Model.h"
#include "llvm/ADT/StringMap.h"

namespace mpc {

namespace onnx {
struct Model;
} // namespace onnx

/// A file as it was read, with the nodes that are written in it.
class OnnxFile {
public:
  /// Reads the file at `path`. Errors are ImportErrors, here and below.
  static llvm::Expected<OnnxFile> open(llvm::StringRef path);
  /// Reads the bytes in `buffer`, which messages call `name`.
  static llvm::Expected<OnnxFile>
  open(std::unique_ptr<llvm::MemoryBuffer> buffer, llvm::StringRef name);

  OnnxFile(OnnxFile &&other) noexcept;
  OnnxFile &operator=(OnnxFile &&other) noexcept;
  ~OnnxFile();

  /// Splits initializers that the exporter has merged, under the names that the
  /// import gives them. Fails where data in other files is missing.
  llvm::Error prepareToWrite();

  /// The name in messages.
  const std::string &path() const;
  bool hasExternalData() const;

  struct Initializer {
    std::string name;
    /// Empty for a type that mpc does not have.
    std::optional<rt::DType> dtype;
    /// The type in the file's words.
    std::string elementType;
    std::vector<int64_t> shape;
  };
  std::vector<Initializer> initializers() const;

  struct Written {
    std::string bytes;
    /// The content of the file beside it, piece by piece; empty where all data
    /// is in the model. The pieces belong to the values and to the file.
    std::vector<llvm::ArrayRef<char>> external;
  };

  /// The file, copied field by field. Two things are replaced: the data of
  /// initializers of the main graph that `values` names, by as many bytes of
  /// the same types; and the place of external data, all of which goes to
  /// `dataFile`.
  Written written(const llvm::StringMap<llvm::ArrayRef<char>> &values,
                  llvm::StringRef dataFile) const;

private:
  explicit OnnxFile(onnx::Model model);

  std::unique_ptr<onnx::Model> model_;
};

} // namespace mpc

#endif // MPC_LIB_IMPORT_ONNX_ONNXFILE_H
