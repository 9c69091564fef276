// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constructors of Status.
#include "runtime/Support/Status.h"

namespace mpc::rt {

Status Status::withContext(const std::string &context) const {
  if (ok() || message_.starts_with(context + ":"))
    return *this;
  return Status(code_, context + ": " + message_);
}

Status invalidInput(std::string message) {
  return Status(StatusCode::InvalidInput, std::move(message));
}
Status usageError(std::string message) {
  return Status(StatusCode::Usage, std::move(message));
}
Status environmentError(std::string message) {
  return Status(StatusCode::Environment, std::move(message));
}
Status diverged(std::string message) {
  return Status(StatusCode::Diverged, std::move(message));
}
Status internalError(std::string message) {
  return Status(StatusCode::Internal, std::move(message));
}

} // namespace mpc::rt
