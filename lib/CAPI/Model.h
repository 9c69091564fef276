// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A model of the C ABI: a file, bytes, a text, or a module under construction.
#ifndef MPC_LIB_CAPI_MODEL_H
#define MPC_LIB_CAPI_MODEL_H

#include "lib/Driver/ModelFile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mpc-c/Compiler.h"
#include "runtime/CAPI/Boundary.h"
#include "runtime/CAPI/Handles.h"

#include <atomic>
#include <locale.h>
#include <memory>
#include <string>
#include <vector>

namespace mpc::capi {

/// A module to which functions and ops are added.
class Builder {
public:
  explicit Builder(const std::string &name);

  rt::Status beginFunction(const std::string &name,
                           llvm::ArrayRef<const char *> names,
                           llvm::ArrayRef<const char *> types,
                           MpcValue *arguments);
  rt::Result<std::vector<MpcValue>> addOp(const MpcOp &op);
  rt::Status endFunction(llvm::ArrayRef<MpcValue> results,
                         llvm::ArrayRef<const char *> names);
  rt::Result<std::string> typeOf(MpcValue value) const;
  /// The module's text; an error while a function is open.
  rt::Result<std::string> text();

private:
  rt::Result<mlir::Value> valueOf(MpcValue value) const;
  rt::Result<mlir::Type> parseType(const char *text);
  rt::Status takeAttributes(const char *text, mlir::OperationState &state);
  rt::Status addTypes(const MpcOp &op, mlir::OperationState &state);
  MpcValue keep(mlir::Value value);

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::func::FuncOp function_; ///< The open function; null for none.
  /// The values of the open function. Their numbers continue those of earlier
  /// functions.
  std::vector<mlir::Value> values_;
  MpcValue first_ = 0;
};

/// A model, used by one thread at a time, which use() ensures.
class Model {
public:
  /// A model in a file, if `bytes` is null, or in memory.
  Model(std::string path, std::shared_ptr<ModelBytes> bytes)
      : path_(std::move(path)), bytes_(std::move(bytes)) {}
  /// A model under construction.
  explicit Model(const std::string &name)
      : path_(name), bytes_(std::make_shared<ModelBytes>()),
        builder_(std::make_unique<Builder>(name)) {}

  [[nodiscard]] const std::string &path() const { return path_; }
  /// The model to compile, as far as it was built; null for the file at path().
  rt::Result<std::shared_ptr<const ModelBytes>> bytes();
  rt::Status setValue(const std::string &name, const DLTensor *tensor);
  rt::Result<Builder *> builder();
  /// Keeps a text for the caller until the next call.
  const char *keepText(std::string text) {
    text_ = std::move(text);
    return text_.c_str();
  }

  template <typename Body>
  rt::Status use(Body body) {
    if (isInUse_.test_and_set(std::memory_order_acquire))
      return rt::usageError("the model is in use by another thread");
    struct Release {
      std::atomic_flag &flag;
      ~Release() { flag.clear(std::memory_order_release); }
    } release{isInUse_};
    return body();
  }

private:
  std::string path_;
  std::shared_ptr<ModelBytes> bytes_;
  std::unique_ptr<Builder> builder_;
  std::string text_;
  std::atomic_flag isInUse_ = {};
};

/// Sets the C locale for this thread during its lifetime, in which numbers in
/// files and flags have a point.
class PlainLocale {
public:
  PlainLocale()
      : plain_(::newlocale(LC_ALL_MASK, "C", nullptr)),
        before_(::uselocale(plain_)) {}
  ~PlainLocale() {
    ::uselocale(before_);
    if (plain_)
      ::freelocale(plain_);
  }
  PlainLocale(const PlainLocale &) = delete;
  PlainLocale &operator=(const PlainLocale &) = delete;

private:
  locale_t plain_, before_;
};

/// Runs `body` on the model of a handle.
template <typename Body>
MpcError *onModel(MpcModel *handle, Body body);

} // namespace mpc::capi

template <>
struct mpc::rt::HandleTraits<MpcModel> {
  using Object = mpc::capi::Model;
  static constexpr HandleKind kKind = HandleKind::Model;
  static constexpr const char *kName = "model";
};

template <typename Body>
MpcError *mpc::capi::onModel(MpcModel *handle, Body body) {
  return rt::guarded([&]() -> rt::Status {
    PlainLocale locale;
    MPC_ASSIGN_OR_RETURN(Model * model, rt::objectOf(handle));
    return model->use([&] { return body(*model); });
  });
}

#endif // MPC_LIB_CAPI_MODEL_H
