// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The outer form of a program file: a header, a table, and sections of bytes,
/// each with its hash. See docs/program-file.md.
#ifndef MPC_RUNTIME_PROGRAM_CONTAINER_H
#define MPC_RUNTIME_PROGRAM_CONTAINER_H

#include "runtime/Support/SharedBytes.h"
#include "runtime/Support/Status.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// The content of a section.
enum class SectionKind : uint32_t {
  Manifest = 1,   ///< JSON; there is exactly one, and it is the first.
  CpuCode = 2,    ///< A CodeImage.
  Data = 3,       ///< A constant, or first values of the state.
  DeviceCode = 4, ///< Machine code of a device, as a cubin.
  /// Source code for a device, which is compiled where it is loaded.
  DeviceSource = 5,
};

struct Section {
  SectionKind kind = SectionKind::Data;
  SharedBytes bytes;
  std::string hash; ///< ContentHash of the bytes.
};

/// The version of the format that is written, and the oldest that is read.
inline constexpr uint32_t kContainerVersion = 2;
inline constexpr uint32_t kOldestContainerVersion = 2;
/// The alignment of sections, by which a mapped constant can be used in place.
inline constexpr uint64_t kSectionAlignment = 64;

/// The sections of a file. Every length, offset and hash has been checked, and
/// every byte of the file belongs to a checked part.
Result<std::vector<Section>> parseContainer(const SharedBytes &file);

/// The bytes of a file with these sections, whose hashes need not be set.
std::string encodeContainer(const std::vector<Section> &sections);

/// Passes that file to `append`, in order, without copying the sections; ends
/// at the first failure.
Status appendContainer(const std::vector<Section> &sections,
                       const std::function<Status(std::string_view)> &append);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_CONTAINER_H
