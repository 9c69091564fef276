// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The JSON manifest of a program file, which describes the program in terms of
/// the file's sections. See docs/program-file.md.
#ifndef MPC_RUNTIME_PROGRAM_MANIFEST_H
#define MPC_RUNTIME_PROGRAM_MANIFEST_H

#include "runtime/Program/Commands.h"
#include "runtime/Program/Container.h"
#include "runtime/Program/Program.h"
#include "runtime/Support/Status.h"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// The names of these in manifests, pages and messages.
[[nodiscard]] std::string_view name(Space space);
[[nodiscard]] std::string_view name(EntryRole role);
[[nodiscard]] std::string_view name(InitialKind kind);
[[nodiscard]] std::string_view name(ModelMode mode);

/// The sections of a file with these programs, which must be one program for
/// several targets. The manifest is the first section.
Result<std::vector<Section>>
encodeManifest(std::span<const std::shared_ptr<const Program>> programs);

/// The programs of a file, in its order. The type of every field, every index
/// of a section and the size of every constant are checked. Runner::create
/// checks where launches point. `commands` are the known kinds of launches.
Result<std::vector<std::shared_ptr<const Program>>>
parseManifest(const std::vector<Section> &sections,
              std::span<const CommandRow> commands = commandRows());

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_MANIFEST_H
