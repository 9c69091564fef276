// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of pointers and of versioned structs.
#include "runtime/CAPI/Boundary.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace mpc::rt {
namespace {

/// The value of the first field of every versioned struct: its size. A later
/// version of a struct is longer; the first version had all present fields.
Result<size_t> sizeOf(const char *what, const void *given, size_t known) {
  MPC_RETURN_IF_ERROR(needs(what, given));
  size_t size = 0;
  std::memcpy(&size, given, sizeof size);
  if (size <= sizeof size)
    return usageError(fmt::format("{}: structSize is {}, expected {}: set it "
                                  "to the struct's size",
                                  what, size, known));
  return size;
}

} // namespace

Status needs(const char *what, const void *pointer) {
  return pointer ? Status() : usageError(fmt::format("{} is NULL", what));
}

Status takeStruct(const char *what, const void *given, void *known,
                  size_t size) {
  MPC_ASSIGN_OR_RETURN(size_t givenSize, sizeOf(what, given, size));
  size_t common = std::min(size, givenSize);
  auto *bytes = static_cast<const char *>(given);
  if (std::any_of(bytes + common, bytes + givenSize,
                  [](char byte) { return byte != 0; }))
    return usageError(fmt::format(
        "{}: asks for something that only a newer version of this library has",
        what));
  std::memcpy(known, given, common);
  return {};
}

Status fillStruct(const char *what, const void *known, size_t size,
                  void *given) {
  MPC_ASSIGN_OR_RETURN(size_t givenSize, sizeOf(what, given, size));
  size_t common = std::min(size, givenSize);
  auto *bytes = static_cast<char *>(given);
  std::memcpy(bytes + sizeof(size_t),
              static_cast<const char *>(known) + sizeof(size_t),
              common - sizeof(size_t));
  std::memset(bytes + common, 0, givenSize - common);
  return {};
}

} // namespace mpc::rt
