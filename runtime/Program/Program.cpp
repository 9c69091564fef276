// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Look-ups in a Program.
#include "runtime/Program/Program.h"

#include "runtime/Program/StepNames.h"

#include <algorithm>
#include <utility>

namespace mpc::rt {

std::string nameOf(const Target &target) {
  if (const auto *cuda = std::get_if<CudaTarget>(&target))
    return "cuda:" + cuda->arch.name();
  return std::get<CpuTarget>(target).cpu;
}

/// The scalar of this name and type among `descs`.
static std::optional<size_t> findScalar(const std::vector<TensorDesc> &descs,
                                        std::string_view name, DType dtype) {
  for (size_t i = 0; i < descs.size(); ++i)
    if (descs[i].name == name && descs[i].dtype == dtype &&
        descs[i].shape.empty())
      return i;
  return std::nullopt;
}

bool Entry::takesRate() const {
  return std::any_of(inputs.begin(), inputs.end(), [](const TensorDesc &desc) {
    return desc.name == step::kLearningRate;
  });
}

std::optional<LateRate> Entry::lateRate() const {
  if (role != EntryRole::Step && role != EntryRole::Apply)
    return std::nullopt;
  auto rate = findScalar(inputs, step::kLearningRate, DType::F32);
  auto skipped = findScalar(outputs, step::kSkipped, DType::Bool);
  if (!skipped)
    skipped = findScalar(outputs, step::kFoundInf, DType::Bool);
  if (!rate || !skipped)
    return std::nullopt;
  return LateRate{*rate, *skipped};
}

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

const Entry *Program::measureEntry() const {
  const Entry *measure = findEntry(EntryRole::Measure);
  return measure ? measure : findEntry(EntryRole::Eval);
}

EntryRole entryRole(std::string_view name) {
  constexpr std::pair<std::string_view, EntryRole> kRoles[] = {
      {"init", EntryRole::Init},   {"eval", EntryRole::Eval},
      {"step", EntryRole::Step},   {"accumulate", EntryRole::Accumulate},
      {"apply", EntryRole::Apply}, {"measure", EntryRole::Measure}};
  for (auto [known, role] : kRoles)
    if (known == name)
      return role;
  return EntryRole::Other;
}

} // namespace mpc::rt
