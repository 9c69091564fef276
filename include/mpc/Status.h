// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Errors of the C ABI as C++ values. Nothing here throws; C++17.
#ifndef MPC_STATUS_H
#define MPC_STATUS_H

#include "mpc-c/Error.h"

#include <cassert>
#include <memory>
#include <optional>
#include <utility>

namespace mpc {

/// Success, or the reason why a call failed.
class [[nodiscard]] Status {
public:
  Status() = default;
  /// Takes ownership of the error; null is success.
  explicit Status(MpcError *error) : error_(error) {}

  bool ok() const { return !error_; }
  MpcErrorCode code() const { return mpcErrorGetCode(error_.get()); }
  /// The message; it is valid while this object lives.
  const char *message() const { return mpcErrorGetMessage(error_.get()); }
  /// The error, which the caller then owns; null for success.
  MpcError *release() { return error_.release(); }

private:
  struct Destroy {
    void operator()(MpcError *error) const { mpcErrorDestroy(error); }
  };
  std::unique_ptr<MpcError, Destroy> error_;
};

/// A value, or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Expected {
public:
  Expected(T value) : value_(std::move(value)) {}
  /// `status` must be an error.
  Expected(Status status) : status_(std::move(status)) {
    assert(!status_.ok() && "success has a value");
  }

  bool ok() const { return value_.has_value(); }
  const Status &status() const & { return status_; }
  Status &&status() && { return std::move(status_); }
  T &operator*() & { return *value_; }
  const T &operator*() const & { return *value_; }
  T &&operator*() && { return *std::move(value_); }
  T *operator->() { return &*value_; }
  const T *operator->() const { return &*value_; }

private:
  std::optional<T> value_;
  Status status_;
};

} // namespace mpc

#endif // MPC_STATUS_H
