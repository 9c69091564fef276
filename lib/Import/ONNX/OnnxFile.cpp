// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the reader and the writer that writers of files need.
#include "lib/Import/ONNX/OnnxFile.h"

#include "lib/Import/ONNX/ModelWriter.h"
#include "lib/Import/ONNX/Read/OnnxModel.h"

using namespace llvm;

namespace mpc {

OnnxFile::OnnxFile(onnx::Model model)
    : model_(std::make_unique<onnx::Model>(std::move(model))) {}
OnnxFile::OnnxFile(OnnxFile &&other) noexcept = default;
OnnxFile &OnnxFile::operator=(OnnxFile &&other) noexcept = default;
OnnxFile::~OnnxFile() = default;

Expected<OnnxFile> OnnxFile::open(StringRef path) {
  Expected<onnx::Model> model = onnx::readModelAsWritten(path);
  if (!model)
    return model.takeError();
  return OnnxFile(std::move(*model));
}

Expected<OnnxFile> OnnxFile::open(std::unique_ptr<MemoryBuffer> buffer,
                                  StringRef name) {
  Expected<onnx::Model> model =
      onnx::readModelAsWritten(std::move(buffer), name, "");
  if (!model)
    return model.takeError();
  return OnnxFile(std::move(*model));
}

Error OnnxFile::prepareToWrite() { return onnx::prepareToWrite(*model_); }

const std::string &OnnxFile::path() const { return model_->path; }

bool OnnxFile::hasExternalData() const {
  return !model_->storage.externalFiles.empty();
}

std::vector<OnnxFile::Initializer> OnnxFile::initializers() const {
  std::vector<Initializer> list;
  for (const onnx::Tensor &tensor : model_->graph.initializers)
    list.push_back({tensor.name,
                    onnx::dtypeOf(tensor.type),
                    onnx::toString(tensor.type),
                    {tensor.shape.begin(), tensor.shape.end()}});
  return list;
}

OnnxFile::Written OnnxFile::written(const StringMap<ArrayRef<char>> &values,
                                    StringRef dataFile) const {
  return onnx::writeModel(*model_, values, dataFile);
}

} // namespace mpc
