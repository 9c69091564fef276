// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The layer between C and the runtime: failures become error handles,
/// exceptions stay inside, versioned structs are copied field by field.
#ifndef MPC_RUNTIME_CAPI_BOUNDARY_H
#define MPC_RUNTIME_CAPI_BOUNDARY_H

#include "mpc-c/Error.h"
#include "runtime/Support/FloatMode.h"
#include "runtime/Support/Status.h"

#include <cstddef>
#include <exception>
#include <new>

namespace mpc::rt {

/// An error for the caller; null for success.
[[nodiscard]] MpcError *toError(const Status &status) noexcept;
/// The status of an error, which is destroyed.
[[nodiscard]] inline Status takeError(MpcError *error) {
  if (!error)
    return {};
  Status status(static_cast<StatusCode>(mpcErrorGetCode(error)),
                mpcErrorGetMessage(error));
  mpcErrorDestroy(error);
  return status;
}
/// The error handle for exhausted memory, which needs no memory.
[[nodiscard]] MpcError *outOfMemory() noexcept;

/// Runs `body`, which returns a Status, in the default floating-point mode.
/// Threads that it starts inherit the mode.
template <typename Body>
MpcError *guarded(Body body) noexcept {
  DefaultFloatMode mode;
  try {
    return toError(body());
  } catch (const std::bad_alloc &) {
    return outOfMemory();
  } catch (const std::exception &error) {
    return toError(internalError(error.what()));
  } catch (...) {
    return toError(internalError("an exception of unknown type"));
  }
}

/// A usage error where a required pointer is NULL.
[[nodiscard]] Status needs(const char *what, const void *pointer);

/// Copies a caller's struct, whose size is in its first field, into one of
/// `size` bytes. Fields beyond the caller's struct keep their values.
Status takeStruct(const char *what, const void *given, void *known,
                  size_t size);
/// Copies a struct of `size` bytes to the caller's, whose first field has its
/// size.
Status fillStruct(const char *what, const void *known, size_t size,
                  void *given);

/// Copies a struct by its type. NULL keeps the defaults.
template <typename Struct>
Status takeOptions(const Struct *given, Struct &known) {
  return given ? takeStruct("options", given, &known, sizeof known) : Status();
}
template <typename Struct>
Status fillInfo(const char *what, const Struct &known, Struct *given) {
  return fillStruct(what, &known, sizeof known, given);
}

} // namespace mpc::rt

#endif // MPC_RUNTIME_CAPI_BOUNDARY_H
