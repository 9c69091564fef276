// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Look-ups in a Program.
#include "runtime/Program/Program.h"

#include "runtime/Program/StepNames.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace mpc::rt {

std::string nameOf(const Target &target) {
  if (const auto *cuda = std::get_if<CudaTarget>(&target))
    return "cuda:" + cuda->arch.name();
  return std::get<CpuTarget>(target).cpu;
}

std::string numberName(std::string_view owner, std::string_view key) {
  return owner.empty() ? std::string(key) : fmt::format("{}.{}", owner, key);
}

bool Entry::choosesRate() const {
  return std::any_of(inputs.begin(), inputs.end(), [](const TensorDesc &desc) {
    return desc.name == step::kRateAfterSkip;
  });
}

bool Entry::takes(const TensorShapes &shapes) const {
  return std::all_of(inputs.begin(), inputs.end(), [&](const TensorDesc &desc) {
    auto it = shapes.find(desc.name);
    return it == shapes.end() || it->second == desc.shape;
  });
}

TensorShapes Entry::dataShapes() const {
  TensorShapes shapes;
  for (const TensorDesc &desc : inputs)
    if (step::isData(desc.name))
      shapes[desc.name] = desc.shape;
  return shapes;
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

const Entry *Program::findEntry(EntryRole role,
                                const TensorShapes &shapes) const {
  auto it = std::find_if(entries.begin(), entries.end(), [&](const Entry &e) {
    return e.role == role && e.takes(shapes);
  });
  return it == entries.end() ? nullptr : &*it;
}

std::vector<const Entry *> Program::findEntries(EntryRole role) const {
  std::vector<const Entry *> found;
  for (const Entry &entry : entries)
    if (entry.role == role)
      found.push_back(&entry);
  return found;
}

std::vector<const Entry *>
Program::stepEntries(int64_t batches, const TensorShapes &shapes) const {
  const Entry *step = findEntry(EntryRole::Step, shapes);
  const Entry *first = findEntry(EntryRole::Accumulate, shapes);
  const Entry *last = findEntry(EntryRole::Apply, shapes);
  if (first && last && (batches > 1 || !step))
    return {first, last};
  if (step && batches == 1)
    return {step};
  return {};
}

std::vector<const Entry *> Program::batchEntries(int64_t batches) const {
  std::vector<const Entry *> entries = stepEntries(batches);
  return entries.empty() ? entries : findEntries(entries.front()->role);
}

std::vector<const Entry *>
Program::evalEntries(const TensorShapes &shapes) const {
  if (findEntry(EntryRole::Eval)) {
    const Entry *eval = findEntry(EntryRole::Eval, shapes);
    return eval ? std::vector{eval} : std::vector<const Entry *>();
  }
  return stepEntries(1, shapes);
}

EntryRole Program::measureRole() const {
  return findEntry(EntryRole::Measure) ? EntryRole::Measure : EntryRole::Eval;
}

const Entry *Program::measureEntry(const TensorShapes &shapes) const {
  return findEntry(measureRole(), shapes);
}

std::string describeData(const Entry &entry) {
  std::string text;
  for (const TensorDesc &desc : entry.inputs)
    if (step::isData(desc.name))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                          escape(desc.name), toString(desc));
  return text;
}

std::string describeData(const std::vector<const Entry *> &entries) {
  std::string text;
  for (const Entry *entry : entries)
    text += (text.empty() ? "" : " or ") + describeData(*entry);
  return text;
}

bool InputBound::isRead(std::span<const int64_t> shape, int64_t element) const {
  for (size_t axis = skipFirst.size(); axis-- > 0; element /= shape[axis]) {
    int64_t place = element % shape[axis];
    if (place < skipFirst[axis] || place >= shape[axis] - skipLast[axis])
      return false;
  }
  return true;
}

bool fits(const InputBound &bound, const TensorDesc &input) {
  return bound.skipFirst.size() == bound.skipLast.size() &&
         (bound.skipFirst.empty() ||
          bound.skipFirst.size() == input.shape.size());
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
