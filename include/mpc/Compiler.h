// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Models in C++: built op by op, and compiled to programs. Over
/// mpc-c/Compiler.h, which says what each call does; link mpc::compiler.
///
///     auto model = mpc::Model::load("model.onnx");
///     auto program = model->compile({"--precision=fp16", "--optimizer=sgd"});
#ifndef MPC_COMPILER_H
#define MPC_COMPILER_H

#include "mpc-c/Compiler.h"
#include "mpc/Runtime.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mpc {

/// A name and a type in MLIR's syntax: {"x", "tensor<8x6xf32>"}.
struct Argument {
  std::string name, type;
};

/// A value, and the name by which a function returns it.
struct NamedResult {
  std::string name;
  MpcValue value;
};

/// A model, used by one thread at a time.
class Model {
public:
  static Expected<Model> load(const std::string &path) {
    return made(
        [&](MpcModel **out) { return mpcModelLoad(path.c_str(), out); });
  }
  static Expected<Model> loadOnnx(const void *bytes, size_t size,
                                  const std::string &name) {
    return made([&](MpcModel **out) {
      return mpcModelLoadOnnx(bytes, size, name.c_str(), out);
    });
  }
  static Expected<Model> loadExported(const void *json, size_t size,
                                      const std::string &name) {
    return made([&](MpcModel **out) {
      return mpcModelLoadExported(json, size, name.c_str(), out);
    });
  }
  static Expected<Model> parse(const std::string &text,
                               const std::string &name) {
    return made([&](MpcModel **out) {
      return mpcModelParse(text.c_str(), name.c_str(), out);
    });
  }
  /// An empty model, to be built.
  static Expected<Model> create(const std::string &name) {
    return made(
        [&](MpcModel **out) { return mpcModelCreate(name.c_str(), out); });
  }

  MpcModel *get() const { return model_.get(); }

  Status setValue(const std::string &parameter, const Tensor &value) {
    return Status(mpcModelSetValue(get(), parameter.c_str(), value.get()));
  }

  /// Begins a function and returns its arguments.
  Expected<std::vector<MpcValue>>
  beginFunction(const std::string &name,
                const std::vector<Argument> &arguments) {
    std::vector<const char *> names, types;
    for (const Argument &argument : arguments) {
      names.push_back(argument.name.c_str());
      types.push_back(argument.type.c_str());
    }
    std::vector<MpcValue> values(arguments.size());
    Status status(mpcModelBeginFunction(get(), name.c_str(), names.size(),
                                        names.data(), types.data(),
                                        values.data()));
    if (!status.ok())
      return Expected<std::vector<MpcValue>>(std::move(status));
    return Expected<std::vector<MpcValue>>(std::move(values));
  }

  /// Adds an op and returns its results. `resultTypes` is empty where the op
  /// infers them.
  Expected<std::vector<MpcValue>>
  addOp(const std::string &name, const std::vector<MpcValue> &operands = {},
        const std::string &attributes = "",
        const std::vector<std::string> &resultTypes = {}) {
    std::vector<const char *> types;
    for (const std::string &type : resultTypes)
      types.push_back(type.c_str());
    auto op = sized<MpcOp>();
    op.name = name.c_str();
    op.operands = operands.data();
    op.numOperands = operands.size();
    op.attributes = attributes.empty() ? nullptr : attributes.c_str();
    op.resultTypes = types.data();
    op.numResultTypes = types.size();
    std::vector<MpcValue> results(kMaxResults);
    size_t numResults = 0;
    Status status(
        mpcModelAddOp(get(), &op, results.data(), results.size(), &numResults));
    if (!status.ok())
      return Expected<std::vector<MpcValue>>(std::move(status));
    results.resize(numResults < kMaxResults ? numResults : kMaxResults);
    return Expected<std::vector<MpcValue>>(std::move(results));
  }

  Status endFunction(const std::vector<NamedResult> &results) {
    std::vector<const char *> names;
    std::vector<MpcValue> values;
    for (const NamedResult &result : results) {
      names.push_back(result.name.c_str());
      values.push_back(result.value);
    }
    return Status(
        mpcModelEndFunction(get(), values.size(), values.data(), names.data()));
  }

  Expected<std::string> text() {
    const char *text = "";
    if (Status status(mpcModelGetText(get(), &text)); !status.ok())
      return Expected<std::string>(std::move(status));
    return Expected<std::string>(std::string(text));
  }
  Expected<std::string> typeOf(MpcValue value) {
    const char *type = "";
    if (Status status(mpcModelGetType(get(), value, &type)); !status.ok())
      return Expected<std::string>(std::move(status));
    return Expected<std::string>(std::string(type));
  }

  /// Whether loadExported() reads nodes of that target.
  static Expected<bool> readsExportedOp(const std::string &target) {
    int reads = 0;
    Status status(mpcModelReadsExportedOp(target.c_str(), &reads));
    if (!status.ok())
      return Expected<bool>(std::move(status));
    return Expected<bool>(reads != 0);
  }

  /// All flags that compile() takes.
  static Expected<std::vector<MpcFlagInfo>> flags() {
    size_t count = 0;
    Status status(mpcCompileCountFlags(&count));
    std::vector<MpcFlagInfo> all(status.ok() ? count : 0);
    for (size_t i = 0; i < all.size() && status.ok(); ++i) {
      all[i].structSize = sizeof(MpcFlagInfo);
      status = Status(mpcCompileGetFlag(i, &all[i]));
    }
    if (!status.ok())
      return Expected<std::vector<MpcFlagInfo>>(std::move(status));
    return Expected<std::vector<MpcFlagInfo>>(std::move(all));
  }

  /// `flags` are those of mpc-compile; `log` may be empty.
  Expected<Program> compile(const std::vector<std::string> &flags,
                            const LogFunction &log = {}) {
    std::vector<const char *> texts = textsOf(flags);
    MpcCompileOptions options = optionsOf(log);
    MpcProgram *program = nullptr;
    Status status(
        mpcCompile(get(), texts.data(), texts.size(), &options, &program));
    if (!status.ok())
      return Expected<Program>(std::move(status));
    return Expected<Program>(Program(program));
  }
  Status compileFile(const std::vector<std::string> &flags,
                     const std::string &path, const LogFunction &log = {}) {
    std::vector<const char *> texts = textsOf(flags);
    MpcCompileOptions options = optionsOf(log);
    return Status(mpcCompileFile(get(), texts.data(), texts.size(), &options,
                                 path.c_str()));
  }
  Expected<std::string> explain(const std::vector<std::string> &flags,
                                MpcExplainFormat format = MPC_EXPLAIN_TEXT) {
    std::vector<const char *> texts = textsOf(flags);
    const char *text = "";
    Status status(
        mpcModelExplain(get(), texts.data(), texts.size(), format, &text));
    if (!status.ok())
      return Expected<std::string>(std::move(status));
    return Expected<std::string>(std::string(text));
  }

  /// Writes the model's ONNX file with these values, by the names of
  /// initializers.
  Status
  writeOnnx(const std::vector<std::pair<std::string, const DLTensor *>> &values,
            const std::string &path) {
    std::vector<const char *> names;
    std::vector<const DLTensor *> tensors;
    for (const auto &[name, tensor] : values) {
      names.push_back(name.c_str());
      tensors.push_back(tensor);
    }
    return Status(mpcModelWriteOnnx(get(), values.size(), names.data(),
                                    tensors.data(), path.c_str()));
  }

private:
  /// Only an op that splits a tensor finely could have more results.
  static constexpr size_t kMaxResults = 1024;

  explicit Model(MpcModel *model) : model_(model) {}

  template <typename Make>
  static Expected<Model> made(Make make) {
    MpcModel *model = nullptr;
    if (Status status(make(&model)); !status.ok())
      return Expected<Model>(std::move(status));
    return Expected<Model>(Model(model));
  }
  static std::vector<const char *>
  textsOf(const std::vector<std::string> &flags) {
    std::vector<const char *> texts;
    for (const std::string &flag : flags)
      texts.push_back(flag.c_str());
    return texts;
  }
  static MpcCompileOptions optionsOf(const LogFunction &log) {
    auto options = sized<MpcCompileOptions>();
    options.log = log ? detail::callLog : nullptr;
    options.logContext = const_cast<LogFunction *>(&log);
    return options;
  }

  std::unique_ptr<MpcModel, detail::Destroy<mpcModelDestroy>> model_;
};

} // namespace mpc

#endif // MPC_COMPILER_H
