// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// An ONNX file once more, with other values in its initializers.
#ifndef MPC_LIB_IMPORT_ONNX_ONNXFILE_H
#define MPC_LIB_IMPORT_ONNX_ONNXFILE_H

#include "lib/Import/Model.h"
#include "llvm/ADT/StringMap.h"

namespace mpc {

namespace onnx {
struct Model;
} // namespace onnx

/// A file as it was read: nodes are those that are written there.
class OnnxFile {
public:
  /// Reads the file at `path`. Errors are ImportErrors, here and below.
  static llvm::Expected<OnnxFile> open(llvm::StringRef path);
  /// Reads what `buffer` holds, which messages call `name`.
  static llvm::Expected<OnnxFile>
  open(std::unique_ptr<llvm::MemoryBuffer> buffer, llvm::StringRef name);

  OnnxFile(OnnxFile &&other) noexcept;
  OnnxFile &operator=(OnnxFile &&other) noexcept;
  ~OnnxFile();

  /// Initializers that the exporter made one of several are several again,
  /// under the names that the import gives them. Fails where data in other
  /// files is not at hand.
  llvm::Error prepareToWrite();

  /// As messages name it.
  const std::string &path() const;
  bool hasExternalData() const;

  struct Initializer {
    std::string name;
    /// Nothing for a type that mpc does not have.
    std::optional<rt::DType> dtype;
    /// The type in the file's words.
    std::string elementType;
    std::vector<int64_t> shape;
  };
  std::vector<Initializer> initializers() const;

  struct Written {
    std::string bytes;
    /// The content of the file beside it, piece by piece; none where all data
    /// lies in the model. The pieces belong to the values and to the file.
    std::vector<llvm::ArrayRef<char>> external;
  };

  /// The file, field by field as it is. Replaced are the data of its graph's
  /// initializers that `values` names, by as many bytes of the same types, and
  /// where external data lies: all of it in `dataFile`.
  Written written(const llvm::StringMap<llvm::ArrayRef<char>> &values,
                  llvm::StringRef dataFile) const;

private:
  explicit OnnxFile(onnx::Model model);

  std::unique_ptr<onnx::Model> model_;
};

} // namespace mpc

#endif // MPC_LIB_IMPORT_ONNX_ONNXFILE_H
