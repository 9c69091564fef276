// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Look-ups in a Program.
#include "runtime/Program/Program.h"

#include <algorithm>
#include <utility>

namespace mpc::rt {

const Entry *Program::findEntry(std::string_view name) const {
  auto it = std::find_if(entries.begin(), entries.end(),
                         [&](const Entry &e) { return e.name == name; });
  return it == entries.end() ? nullptr : &*it;
}

const StateTensor *Program::findState(std::string_view name) const {
  auto it =
      std::find_if(state.begin(), state.end(), [&](const StateTensor &tensor) {
        return tensor.desc.name == name;
      });
  return it == state.end() ? nullptr : &*it;
}

const Entry *Program::findEntry(EntryRole role) const {
  auto it = std::find_if(entries.begin(), entries.end(),
                         [&](const Entry &e) { return e.role == role; });
  return it == entries.end() ? nullptr : &*it;
}

std::vector<const Entry *> Program::stepEntries(int64_t batches) const {
  const Entry *step = findEntry(EntryRole::Step);
  const Entry *first = findEntry(EntryRole::Accumulate);
  const Entry *last = findEntry(EntryRole::Apply);
  if (first && last && (batches > 1 || !step))
    return {first, last};
  if (step && batches == 1)
    return {step};
  return {};
}

std::vector<const Entry *> Program::evalEntries() const {
  if (const Entry *eval = findEntry(EntryRole::Eval))
    return {eval};
  return stepEntries(1);
}

EntryRole entryRole(std::string_view name) {
  constexpr std::pair<std::string_view, EntryRole> kRoles[] = {
      {"init", EntryRole::Init},
      {"eval", EntryRole::Eval},
      {"step", EntryRole::Step},
      {"accumulate", EntryRole::Accumulate},
      {"apply", EntryRole::Apply}};
  for (auto [known, role] : kRoles)
    if (known == name)
      return role;
  return EntryRole::Other;
}

} // namespace mpc::rt
