// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts values to the types of a file's initializers.
#include "lib/Driver/OnnxExport.h"

#include "lib/Driver/ImportStatus.h"
#include "runtime/Support/Convert.h"
#include "runtime/Support/Output.h"
#include "runtime/Support/Text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <deque>
#include <map>

using namespace llvm;

namespace mpc {
namespace {

/// Converts `count` floats to another float type. Finite numbers stay finite.
void saturate(const void *source, rt::DType from, char *target, rt::DType to,
              int64_t count) {
  double largest = rt::formatOf(to)->largest();
  for (int64_t i = 0; i < count; ++i) {
    double value = 0;
    (void)rt::convert(static_cast<const char *>(source) +
                          static_cast<size_t>(i) * rt::byteSize(from),
                      from, &value, rt::DType::F64, 1);
    if (std::isfinite(value))
      value = std::clamp(value, -largest, largest);
    (void)rt::convert(&value, rt::DType::F64,
                      target + static_cast<size_t>(i) * rt::byteSize(to), to,
                      1);
  }
}

/// Values in the types that the file has.
class Values {
public:
  rt::Status add(const OnnxFile::Initializer &tensor,
                 const rt::TensorView &view) {
    std::optional<rt::DType> dtype = tensor.dtype;
    bool becomes =
        dtype && (view.desc.dtype == *dtype ||
                  (rt::isFloat(view.desc.dtype) && rt::isFloat(*dtype)));
    if (!becomes || view.desc.shape != tensor.shape)
      return rt::invalidInput(
          "the value of initializer " + rt::quote(tensor.name) + " is " +
          rt::toString(view.desc) + ", the file has " +
          (dtype ? rt::toString({tensor.name, *dtype, tensor.shape})
                 : tensor.elementType));
    bytes_[tensor.name] = inType(view, *dtype);
    return {};
  }

  const StringMap<ArrayRef<char>> &bytes() const { return bytes_; }

private:
  ArrayRef<char> inType(const rt::TensorView &view, rt::DType dtype) {
    size_t size = view.desc.numElements() * rt::byteSize(dtype);
    if (view.desc.dtype == dtype)
      return {static_cast<const char *>(view.data), size};
    std::vector<char> &bytes = converted_.emplace_back(size);
    saturate(view.data, view.desc.dtype, bytes.data(), dtype,
             view.desc.numElements());
    return bytes;
  }

  StringMap<ArrayRef<char>> bytes_;
  std::deque<std::vector<char>> converted_;
};

rt::Status writePieces(const std::string &path,
                       ArrayRef<ArrayRef<char>> pieces) {
  uint64_t size = 0;
  for (ArrayRef<char> piece : pieces)
    size += piece.size();
  MPC_ASSIGN_OR_RETURN(rt::OutputFile file, rt::OutputFile::create(path, size));
  for (ArrayRef<char> piece : pieces)
    MPC_RETURN_IF_ERROR(file.append({piece.data(), piece.size()}));
  return file.commit();
}

} // namespace

rt::Result<OnnxExport> OnnxExport::open(const std::string &path) {
  if (!StringRef(path).ends_with(".onnx"))
    return rt::usageError(rt::quote(path) +
                          " is not an .onnx file; only such a file can be "
                          "written with new weights");
  return prepared(OnnxFile::open(path), path);
}

rt::Result<OnnxExport> OnnxExport::open(const ModelBytes &model,
                                        const std::string &name) {
  if (model.format != ModelBytes::Format::Onnx)
    return rt::usageError(rt::quote(name) +
                          " is not an .onnx file; only such a file can be "
                          "written with new weights");
  auto buffer = MemoryBuffer::getMemBufferCopy(model.bytes, name);
  return prepared(OnnxFile::open(std::move(buffer), name), name);
}

rt::Result<OnnxExport> OnnxExport::prepared(Expected<OnnxFile> file,
                                            const std::string &name) {
  if (!file)
    return statusOf(file.takeError());
  if (Error error = file->prepareToWrite())
    return statusOf(std::move(error)).withContext(name);
  return OnnxExport(std::move(*file));
}

rt::Status OnnxExport::checkPath(const std::string &path) const {
  MPC_RETURN_IF_ERROR(rt::checkOutput(path));
  if (!file_.hasExternalData())
    return {};
  MPC_ASSIGN_OR_RETURN(rt::OutputPlace place, rt::OutputPlace::find(path));
  if (!place.isFile())
    return rt::usageError(rt::escape(path) +
                          ": the model has external data, which needs a file "
                          "beside it");
  return rt::checkOutput(path + ".data");
}

rt::Status OnnxExport::checkNames(ArrayRef<std::string> names) const {
  std::vector<std::string> missing;
  std::vector<OnnxFile::Initializer> initializers = file_.initializers();
  for (const std::string &name : names)
    if (none_of(initializers, [&](const OnnxFile::Initializer &tensor) {
          return tensor.name == name;
        }))
      missing.push_back(rt::quote(name));
  if (missing.empty())
    return {};
  return rt::invalidInput(file_.path() + ": the graph has no initializer " +
                          rt::joinSome(missing) +
                          ", so that the file cannot hold all that is trained; "
                          "--export-weights can");
}

rt::Status OnnxExport::write(std::span<const rt::TensorView> values,
                             const std::string &path) const {
  MPC_RETURN_IF_ERROR(checkPath(path));
  std::map<std::string_view, const rt::TensorView *> byName;
  std::vector<std::string> names;
  for (const rt::TensorView &view : values) {
    byName[view.desc.name] = &view;
    names.push_back(view.desc.name);
  }
  MPC_RETURN_IF_ERROR(checkNames(names));
  Values converted;
  for (const OnnxFile::Initializer &tensor : file_.initializers())
    if (auto found = byName.find(tensor.name); found != byName.end())
      MPC_RETURN_IF_ERROR(
          converted.add(tensor, *found->second).withContext(file_.path()));
  OnnxFile::Written written = file_.written(
      converted.bytes(), (sys::path::filename(path) + ".data").str());
  // The model is written last, when the files that it names exist.
  if (!written.external.empty())
    MPC_RETURN_IF_ERROR(writePieces(path + ".data", written.external));
  return rt::writeOutput(path, written.bytes);
}

rt::Status exportOnnx(const std::string &modelPath, const ModelBytes *bytes,
                      std::span<const rt::TensorView> values,
                      const std::string &path) {
  MPC_ASSIGN_OR_RETURN(OnnxExport model,
                       bytes ? OnnxExport::open(*bytes, modelPath)
                             : OnnxExport::open(modelPath));
  return model.write(values, path);
}

} // namespace mpc
