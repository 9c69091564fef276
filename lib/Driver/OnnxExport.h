// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writes the ONNX file of a model again, with trained weights.
#ifndef MPC_LIB_DRIVER_ONNXEXPORT_H
#define MPC_LIB_DRIVER_ONNXEXPORT_H

#include "lib/Driver/ModelFile.h"
#include "lib/Import/ONNX/OnnxFile.h"

#include <memory>
#include <span>
#include <string>

namespace mpc {

/// A model's file as it was read, for writing with other values. Its external
/// data stays mapped until then.
class OnnxExport {
public:
  /// Opens the file; an error where it is no ONNX file.
  static rt::Result<OnnxExport> open(const std::string &path);
  static rt::Result<OnnxExport> open(const ModelBytes &model,
                                     const std::string &name);

  /// Whether the file can be written to `path`, as far as that is known
  /// beforehand.
  rt::Status checkPath(const std::string &path) const;
  /// Fails where a name is no initializer's.
  rt::Status checkNames(llvm::ArrayRef<std::string> names) const;

  /// Writes the file to `path`, with `values` in the initializers of their
  /// names. A float is rounded to nearest in the initializer's type, and a
  /// finite number stays finite. If the model has external data, all of it is
  /// written to the file `path`.data beside it.
  rt::Status write(std::span<const rt::TensorView> values,
                   const std::string &path) const;

private:
  explicit OnnxExport(OnnxFile file) : file_(std::move(file)) {}
  static rt::Result<OnnxExport> prepared(llvm::Expected<OnnxFile> file,
                                         const std::string &name);

  OnnxFile file_;
};

/// Writes a model that is in memory or, where `bytes` is null, in a file.
rt::Status exportOnnx(const std::string &modelPath, const ModelBytes *bytes,
                      std::span<const rt::TensorView> values,
                      const std::string &path);

} // namespace mpc

#endif // MPC_LIB_DRIVER_ONNXEXPORT_H
