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

/// What a section holds.
enum class SectionKind : uint32_t {
  Manifest = 1,     ///< JSON; exactly one, and the first.
  CpuCode = 2,      ///< A CodeImage.
  Data = 3,         ///< A constant, or first values of the state.
  DeviceCode = 4,   ///< Machine code of a device, as a cubin.
  DeviceSource = 5, ///< Its source, to be compiled where it is loaded.
};

struct Section {
  SectionKind kind = SectionKind::Data;
  SharedBytes bytes;
  std::string hash; ///< ContentHash of the bytes.
};

/// The version of the format that is written, and the oldest that is read.
inline constexpr uint32_t kContainerVersion = 2;
inline constexpr uint32_t kOldestContainerVersion = 2;
/// Sections begin at multiples of this, so that a constant can be read where it
/// is mapped.
inline constexpr uint64_t kSectionAlignment = 64;

/// The sections of a file. Every length, offset and hash has been checked, and
/// every byte of the file belongs to something that was.
Result<std::vector<Section>> parseContainer(const SharedBytes &file);

/// The file of these sections, whose hashes need not be set.
std::string encodeContainer(const std::vector<Section> &sections);

/// Hands that file to `append`, in order, without a copy of the sections; ends
/// with the first failure.
Status appendContainer(const std::vector<Section> &sections,
                       const std::function<Status(std::string_view)> &append);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_CONTAINER_H
