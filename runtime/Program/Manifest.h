// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The JSON of a program file: what its sections are to the program. See
/// docs/program-file.md.
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

/// The names that a manifest has for them, and pages and messages too.
[[nodiscard]] std::string_view name(Space space);
[[nodiscard]] std::string_view name(EntryRole role);
[[nodiscard]] std::string_view name(InitialKind kind);
[[nodiscard]] std::string_view name(ModelMode mode);

/// The sections of a file of these programs, which are one program for several
/// targets, its manifest first; an error where they are not.
Result<std::vector<Section>>
encodeManifest(std::span<const std::shared_ptr<const Program>> programs);

/// The programs of a file, in its order. Every field's type, every index of a
/// section and every size of a constant is checked; where launches point to is
/// Runner::create's to check. `commands` are the kinds of launches that are
/// known.
Result<std::vector<std::shared_ptr<const Program>>>
parseManifest(const std::vector<Section> &sections,
              std::span<const CommandRow> commands = commandRows());

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_MANIFEST_H
