// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Errors as values for the runtime: a Status, and a Result that holds a value
/// or a Status. Nothing here throws.
#ifndef MPC_RUNTIME_SUPPORT_STATUS_H
#define MPC_RUNTIME_SUPPORT_STATUS_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace mpc::rt {

/// The kind of fault that a Status reports. The value is the exit code of the
/// command-line tools.
enum class StatusCode : int {
  Ok = 0,
  InvalidInput = 1, ///< A file, tensor or model is wrong.
  Usage = 2,        ///< A flag or a combination of flags is wrong.
  Environment = 3,  ///< Disk, memory, device or permission failed.
  Peer = 4,         ///< Another rank failed.
  Diverged = 5,     ///< Training diverged.
  Internal = 70,    ///< A bug of mpc.
};

/// Success, or a code with a message in the user's names.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(StatusCode code, std::string message)
      : code_(code), message_(std::move(message)) {
    assert(code != StatusCode::Ok && "a failure needs a code");
  }

  [[nodiscard]] bool ok() const { return code_ == StatusCode::Ok; }
  [[nodiscard]] StatusCode code() const { return code_; }
  [[nodiscard]] const std::string &message() const { return message_; }

  /// The same fault with "context: " in front of its message. A context is
  /// added once.
  [[nodiscard]] Status withContext(const std::string &context) const;

private:
  StatusCode code_ = StatusCode::Ok;
  std::string message_;
};

[[nodiscard]] Status invalidInput(std::string message);
[[nodiscard]] Status usageError(std::string message);
[[nodiscard]] Status environmentError(std::string message);
[[nodiscard]] Status diverged(std::string message);
[[nodiscard]] Status internalError(std::string message);

/// A value, or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(std::move(status)) {
    assert(!status_.ok() && "a result without a value needs a failure");
  }

  [[nodiscard]] bool ok() const { return value_.has_value(); }
  [[nodiscard]] const Status &status() const { return status_; }
  T &operator*() & { return *value_; }
  const T &operator*() const & { return *value_; }
  T &&operator*() && { return std::move(*value_); }
  T *operator->() { return &*value_; }
  const T *operator->() const { return &*value_; }

private:
  std::optional<T> value_;
  Status status_;
};

} // namespace mpc::rt

/// Returns from the enclosing function with the Status of `expr` if it failed.
#define MPC_RETURN_IF_ERROR(expr)                                              \
  do {                                                                         \
    if (::mpc::rt::Status mpcStatus = (expr); !mpcStatus.ok())                 \
      return mpcStatus;                                                        \
  } while (false)

#define MPC_CONCAT_IMPL(a, b) a##b
#define MPC_CONCAT(a, b) MPC_CONCAT_IMPL(a, b)

/// Declares `decl` from the Result `expr`, or returns its Status.
#define MPC_ASSIGN_OR_RETURN(decl, expr)                                       \
  MPC_ASSIGN_OR_RETURN_IMPL(MPC_CONCAT(mpcResult, __LINE__), decl, expr)
#define MPC_ASSIGN_OR_RETURN_IMPL(result, decl, expr)                          \
  auto result = (expr);                                                        \
  if (!result.ok())                                                            \
    return result.status();                                                    \
  decl = *std::move(result)

#endif // MPC_RUNTIME_SUPPORT_STATUS_H
