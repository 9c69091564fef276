// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Error handles.
#include "mpc-c/Error.h"

#include "runtime/CAPI/Boundary.h"
#include "runtime/CAPI/Handles.h"

using namespace mpc::rt;

namespace {

/// A handle that no table contains: its slot index is beyond all slots.
MpcError *const kOutOfMemory = reinterpret_cast<MpcError *>(
    ~uintptr_t(0xf) | uintptr_t(HandleKind::Error));

const Status *find(const MpcError *error) {
  return static_cast<const Status *>(findHandle(HandleKind::Error, error));
}

} // namespace

MpcError *mpc::rt::outOfMemory() noexcept { return kOutOfMemory; }

MpcError *mpc::rt::toError(const Status &status) noexcept {
  if (status.ok())
    return nullptr;
  try {
    void *handle =
        insertHandle(HandleKind::Error, std::make_shared<Status>(status));
    return handle ? static_cast<MpcError *>(handle) : kOutOfMemory;
  } catch (...) {
    return kOutOfMemory;
  }
}

MpcError *mpcErrorCreate(MpcErrorCode code, const char *message) {
  auto status = static_cast<StatusCode>(code);
  if (code == MPC_ERROR_NONE)
    status = StatusCode::Internal;
  try {
    return toError(Status(status, message ? message : ""));
  } catch (...) {
    return kOutOfMemory;
  }
}

MpcErrorCode mpcErrorGetCode(const MpcError *error) {
  if (!error)
    return MPC_ERROR_NONE;
  if (error == kOutOfMemory)
    return MPC_ERROR_ENVIRONMENT;
  const Status *status = find(error);
  return status ? static_cast<MpcErrorCode>(status->code()) : MPC_ERROR_USAGE;
}

const char *mpcErrorGetMessage(const MpcError *error) {
  if (!error)
    return "";
  if (error == kOutOfMemory)
    return "out of memory";
  const Status *status = find(error);
  return status ? status->message().c_str()
                : "the handle of an error is invalid, or was destroyed";
}

void mpcErrorDestroy(MpcError *error) {
  (void)removeHandle(HandleKind::Error, error);
}
