// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models over C: their sources, and the values of their parameters.
#include "lib/CAPI/Model.h"

#include "lib/Driver/OnnxExport.h"
#include "lib/Import/Exported/ExportedImporter.h"
#include "runtime/CAPI/CallerTensor.h"
#include "runtime/Support/Text.h"

#include <cstring>

using namespace mpc;
using namespace mpc::capi;
using rt::guarded;
using rt::needs;

namespace {

rt::Result<ModelBytes::Value> valueOf(const std::string &name,
                                      const DLTensor &tensor) {
  MPC_ASSIGN_OR_RETURN(rt::CallerTensor host, rt::hostTensor(name, &tensor));
  ModelBytes::Value value{host.desc, {}};
  if (value.desc.numBytes() != 0)
    value.bytes.assign(static_cast<const char *>(host.data),
                       value.desc.numBytes());
  return value;
}

rt::Status give(std::shared_ptr<Model> model, MpcModel **out) {
  return rt::giveHandle(std::move(model), out);
}

} // namespace

rt::Result<std::shared_ptr<const ModelBytes>> Model::bytes() {
  if (builder_) {
    MPC_ASSIGN_OR_RETURN(bytes_->bytes, builder_->text());
  }
  return std::shared_ptr<const ModelBytes>(bytes_);
}

rt::Status Model::setValue(const std::string &name, const DLTensor *tensor) {
  if (!bytes_ || bytes_->format == ModelBytes::Format::Onnx)
    return rt::usageError("the values of this model are those of its file; "
                          "write to the state of a runner instead");
  MPC_ASSIGN_OR_RETURN(ModelBytes::Value value, ::valueOf(name, *tensor));
  // The buffers and constants of an exported program may have any type.
  bool isText = bytes_->format == ModelBytes::Format::Mlir;
  if (isText && !rt::isFloat(value.desc.dtype))
    return rt::invalidInput("tensor " + rt::quote(name) +
                            " has elements that are not floating-point "
                            "numbers, as those of a parameter must be");
  auto isOld = [&](const ModelBytes::Value &old) {
    return old.desc.name == name;
  };
  llvm::erase_if(bytes_->values, isOld);
  bytes_->values.push_back(std::move(value));
  return {};
}

rt::Result<Builder *> Model::builder() {
  if (builder_)
    return builder_.get();
  return rt::usageError(
      "the model is not under construction: mpcModelCreate begins one");
}

const char *mpcCompilerVersion(void) { return MPC_VERSION; }

MpcError *mpcModelLoad(const char *path, MpcModel **model) {
  return guarded([&]() -> rt::Status {
    MPC_RETURN_IF_ERROR(needs("path", path));
    MPC_RETURN_IF_ERROR(needs("model", model));
    // "-" is a file here, since standard input belongs to the host program.
    std::string file = std::strcmp(path, "-") == 0 ? "./-" : path;
    return give(std::make_shared<Model>(file, nullptr), model);
  });
}

MpcError *mpcModelLoadOnnx(const void *bytes, size_t size, const char *name,
                           MpcModel **model) {
  return guarded([&]() -> rt::Status {
    MPC_RETURN_IF_ERROR(needs("bytes", bytes));
    MPC_RETURN_IF_ERROR(needs("name", name));
    MPC_RETURN_IF_ERROR(needs("model", model));
    auto copy = std::make_shared<ModelBytes>();
    copy->format = ModelBytes::Format::Onnx;
    copy->bytes.assign(static_cast<const char *>(bytes), size);
    return give(std::make_shared<Model>(name, std::move(copy)), model);
  });
}

MpcError *mpcModelLoadExported(const void *json, size_t size, const char *name,
                               MpcModel **model) {
  return guarded([&]() -> rt::Status {
    MPC_RETURN_IF_ERROR(needs("json", json));
    MPC_RETURN_IF_ERROR(needs("name", name));
    MPC_RETURN_IF_ERROR(needs("model", model));
    auto copy = std::make_shared<ModelBytes>();
    copy->format = ModelBytes::Format::Exported;
    copy->bytes.assign(static_cast<const char *>(json), size);
    return give(std::make_shared<Model>(name, std::move(copy)), model);
  });
}

MpcError *mpcModelReadsExportedOp(const char *target, int *reads) {
  return guarded([&]() -> rt::Status {
    MPC_RETURN_IF_ERROR(needs("target", target));
    MPC_RETURN_IF_ERROR(needs("reads", reads));
    *reads = readsExportedOp(target);
    return {};
  });
}

MpcError *mpcModelParse(const char *text, const char *name, MpcModel **model) {
  return guarded([&]() -> rt::Status {
    MPC_RETURN_IF_ERROR(needs("text", text));
    MPC_RETURN_IF_ERROR(needs("name", name));
    MPC_RETURN_IF_ERROR(needs("model", model));
    auto copy = std::make_shared<ModelBytes>();
    copy->bytes = text;
    return give(std::make_shared<Model>(name, std::move(copy)), model);
  });
}

MpcError *mpcModelCreate(const char *name, MpcModel **model) {
  return guarded([&]() -> rt::Status {
    MPC_RETURN_IF_ERROR(needs("name", name));
    MPC_RETURN_IF_ERROR(needs("model", model));
    return give(std::make_shared<Model>(name), model);
  });
}

void mpcModelDestroy(MpcModel *model) {
  (void)rt::removeHandle(rt::HandleKind::Model, model);
}

MpcError *mpcModelSetValue(MpcModel *model, const char *parameter,
                           const DLTensor *value) {
  return onModel(model, [&](Model &known) -> rt::Status {
    MPC_RETURN_IF_ERROR(needs("parameter", parameter));
    MPC_RETURN_IF_ERROR(needs("value", value));
    return known.setValue(parameter, value);
  });
}

MpcError *mpcModelGetText(MpcModel *model, const char **text) {
  return onModel(model, [&](Model &known) -> rt::Status {
    MPC_RETURN_IF_ERROR(needs("text", text));
    MPC_ASSIGN_OR_RETURN(std::shared_ptr<const ModelBytes> bytes,
                         known.bytes());
    if (!bytes || bytes->format != ModelBytes::Format::Mlir)
      return rt::usageError("the model has no text: it is not MLIR's");
    *text = known.keepText(bytes->bytes);
    return {};
  });
}

MpcError *mpcModelWriteOnnx(MpcModel *model, size_t numValues,
                            const char *const *names,
                            const DLTensor *const *values, const char *path) {
  return onModel(model, [&](Model &known) -> rt::Status {
    MPC_RETURN_IF_ERROR(needs("path", path));
    std::vector<rt::TensorView> views;
    for (size_t i = 0; i < numValues; ++i) {
      MPC_RETURN_IF_ERROR(needs("names", names ? names[i] : nullptr));
      MPC_RETURN_IF_ERROR(needs("values", values ? values[i] : nullptr));
      MPC_ASSIGN_OR_RETURN(rt::CallerTensor host,
                           rt::hostTensor(names[i], values[i]));
      views.push_back(host.view());
    }
    MPC_ASSIGN_OR_RETURN(std::shared_ptr<const ModelBytes> bytes,
                         known.bytes());
    return exportOnnx(known.path(), bytes.get(), views, path);
  });
}
