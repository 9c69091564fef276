// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The ONNX file of a model once more, with trained weights in it.
#ifndef MPC_LIB_DRIVER_ONNXEXPORT_H
#define MPC_LIB_DRIVER_ONNXEXPORT_H

#include "lib/Driver/ModelFile.h"
#include "lib/Import/ONNX/OnnxFile.h"

#include <memory>
#include <span>
#include <string>

namespace mpc {

/// A model's file as it was read, to be written with other values. What it has
/// in other files is mapped until then.
class OnnxExport {
public:
  /// An error where the model is no ONNX file.
  static rt::Result<OnnxExport> open(const std::string &path);
  static rt::Result<OnnxExport> open(const ModelBytes &model,
                                     const std::string &name);

  /// Whether the file can be written to `path`, as far as that can be told.
  rt::Status checkPath(const std::string &path) const;
  /// Fails where a name is that of no initializer.
  rt::Status checkNames(llvm::ArrayRef<std::string> names) const;

  /// Writes the file to `path`, with `values` in the initializers of their
  /// names. A float becomes the initializer's type, to nearest; what is finite
  /// stays finite. Where the model has external data, all of it goes to the
  /// file `path`.data beside.
  rt::Status write(std::span<const rt::TensorView> values,
                   const std::string &path) const;

private:
  explicit OnnxExport(OnnxFile file) : file_(std::move(file)) {}
  static rt::Result<OnnxExport> prepared(llvm::Expected<OnnxFile> file,
                                         const std::string &name);

  OnnxFile file_;
};

/// The same of a model that may be bytes or, where these are null, a file.
rt::Status exportOnnx(const std::string &modelPath, const ModelBytes *bytes,
                      std::span<const rt::TensorView> values,
                      const std::string &path);

} // namespace mpc

#endif // MPC_LIB_DRIVER_ONNXEXPORT_H
