// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares states, and moves entries to the place of their code in the linked
// program.
#include "runtime/Program/Link.h"

#include "runtime/Support/Hash.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace mpc::rt {
namespace {

/// An image starts at the beginning of a page.
constexpr uint64_t kPageBytes = 4096;

bool isSame(const TensorDesc &a, const TensorDesc &b) {
  return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape;
}

bool isSame(const std::vector<TensorDesc> &a,
            const std::vector<TensorDesc> &b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const TensorDesc &x, const TensorDesc &y) { return isSame(x, y); });
}

bool isSame(const SharedBytes &a, const SharedBytes &b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

std::string describe(const StateTensor &tensor) {
  return fmt::format("{} in slab {} at {}", toString(tensor.desc), tensor.slab,
                     tensor.offset);
}

/// How the state of `b` differs from that of `a`; empty where it does not.
std::string differenceOf(const Program &a, const Program &b) {
  for (const auto &[one, other] : {std::pair(&a, &b), std::pair(&b, &a)})
    for (const StateTensor &tensor : one->state)
      if (!other->findState(tensor.desc.name))
        return fmt::format("only one has {}", quote(tensor.desc.name));
  for (const StateTensor &x : a.state) {
    const StateTensor &y = *b.findState(x.desc.name);
    if (!isSame(x.desc, y.desc) || x.slab != y.slab || x.offset != y.offset)
      return fmt::format("{} is {}, and {}", quote(x.desc.name), describe(x),
                         describe(y));
    if (x.role != y.role || x.hasWideScale != y.hasWideScale ||
        x.owner != y.owner || x.key != y.key)
      return fmt::format("{} has another role", quote(x.desc.name));
  }
  if (a.slabs.size() != b.slabs.size())
    return fmt::format("it has {} slabs, and {}", a.slabs.size(),
                       b.slabs.size());
  for (size_t i = 0; i < a.slabs.size(); ++i)
    if (a.slabs[i].bytes != b.slabs[i].bytes ||
        a.slabs[i].parts != b.slabs[i].parts ||
        !isSame(a.slabs[i].initial, b.slabs[i].initial))
      return fmt::format("slab {} begins as another", quote(a.slabs[i].name));
  return "";
}

std::string describeShapes(const Program &program) {
  for (EntryRole role :
       {EntryRole::Step, EntryRole::Accumulate, EntryRole::Eval})
    if (const Entry *entry = program.findEntry(role))
      return describeData(*entry);
  return "no data";
}

class Linker {
public:
  explicit Linker(const Program &first)
      : program_(std::make_shared<Program>(first)) {
    program_->start = {};
    for (uint32_t i = 0; i < first.constants.size(); ++i)
      constants_.emplace(textOf(first.constants[i]), i);
  }

  Status add(const Program &other, size_t number);
  std::shared_ptr<Program> take() { return std::move(program_); }

private:
  static std::string_view textOf(const Constant &constant) {
    const auto *data = reinterpret_cast<const char *>(constant.bytes.data());
    return {data, constant.bytes.size()};
  }

  Status checkState(const Program &other) const;
  Status addBounds(const Program &other);
  Status addEntries(const Program &other, size_t number);
  Result<CodeShift> addCode(const Program &other);
  static Result<CodeShift> addImage(CpuTarget &target, const CpuTarget &other);
  void place(Entry &entry, const Program &other, const CodeShift &shift);
  uint32_t constant(const Constant &constant);

  std::shared_ptr<Program> program_;
  /// Constants by their bytes, which programs share.
  std::map<std::string_view, uint32_t> constants_;
};

/// The mode of its evaluation, where it has one.
static ModelMode modeOf(const Program &program) {
  for (const Entry &entry : program.entries)
    if (entry.mode != ModelMode::Either)
      return entry.mode;
  return ModelMode::Either;
}

Status Linker::checkState(const Program &other) const {
  if (nameOf(program_->target) != nameOf(other.target))
    return internalError(fmt::format("linking programs for {} and {}",
                                     nameOf(program_->target),
                                     nameOf(other.target)));
  std::string difference = differenceOf(*program_, other);
  if (difference.empty() && modeOf(*program_) == modeOf(other))
    return {};
  return invalidInput(fmt::format(
      "the steps for {} and for {} cannot be one program: {}",
      describeShapes(*program_), describeShapes(other),
      difference.empty() ? "they normalize by different statistics"
                         : "their states are not the same: " + difference));
}

/// The valid values that `program` states for input `name`.
static std::vector<InputBound> boundsOf(const Program &program,
                                        const std::string &name) {
  std::vector<InputBound> bounds;
  for (const InputBound &bound : program.bounds)
    if (bound.name == name)
      bounds.push_back(bound);
  return bounds;
}

Status Linker::addBounds(const Program &other) {
  std::set<std::string, std::less<>> names;
  for (const InputBound &bound : other.bounds)
    names.insert(bound.name);
  for (const std::string &name : names) {
    std::vector<InputBound> known = boundsOf(*program_, name);
    std::vector<InputBound> given = boundsOf(other, name);
    if (known.empty())
      program_->bounds.insert(program_->bounds.end(), given.begin(),
                              given.end());
    else if (known != given)
      return invalidInput(
          fmt::format("input {} holds {} to {}, and with another shape {} to "
                      "{}: one program cannot check both",
                      quote(name), known.front().lower, known.front().upper - 1,
                      given.front().lower, given.front().upper - 1));
  }
  return {};
}

/// Code from a file is verified here, because its hash does not cover the
/// linked image.
static Status checkHash(const CpuTarget &target) {
  const SharedBytes &image = target.image;
  if (target.imageHash.empty() ||
      ContentHash::of(image.data(), image.size()) == target.imageHash)
    return {};
  return invalidInput("the machine code is damaged: its hash does not match");
}

Result<CodeShift> Linker::addImage(CpuTarget &target, const CpuTarget &other) {
  MPC_RETURN_IF_ERROR(checkHash(target));
  MPC_RETURN_IF_ERROR(checkHash(other));
  std::vector<std::byte> image(target.image.view().begin(),
                               target.image.view().end());
  image.resize((image.size() + kPageBytes - 1) / kPageBytes * kPageBytes);
  CodeShift shift{image.size(), 0};
  image.insert(image.end(), other.image.view().begin(),
               other.image.view().end());
  target.image = SharedBytes::of(std::move(image));
  target.imageHash.clear();
  return shift;
}

Result<CodeShift> Linker::addCode(const Program &other) {
  if (auto *cpu = std::get_if<CpuTarget>(&program_->target))
    return addImage(*cpu, *other.cpu());
  auto &modules = std::get<CudaTarget>(program_->target).modules;
  CodeShift shift{0, static_cast<uint32_t>(modules.size())};
  const std::vector<DeviceModule> &more = other.cuda()->modules;
  modules.insert(modules.end(), more.begin(), more.end());
  return shift;
}

uint32_t Linker::constant(const Constant &constant) {
  auto [it, isNew] = constants_.try_emplace(
      textOf(constant), static_cast<uint32_t>(program_->constants.size()));
  if (isNew)
    program_->constants.push_back(constant);
  return it->second;
}

void Linker::place(Entry &entry, const Program &other, const CodeShift &shift) {
  for (Launch &launch : entry.launches) {
    if (auto moved = launch.command->shifted(shift))
      launch.command = std::move(moved);
    for (BufferRef &ref : launch.buffers)
      if (ref.space == Space::Constant)
        ref.index = constant(other.constants[ref.index]);
  }
}

/// Entries of the same role, inputs and outputs do the same on the same state:
/// the one that begins a run, and the one that ends a window. They are added
/// once.
Status Linker::addEntries(const Program &other, size_t number) {
  std::vector<Entry> added;
  for (const Entry &entry : other.entries)
    if (std::none_of(program_->entries.begin(), program_->entries.end(),
                     [&](const Entry &known) {
                       return known.role == entry.role &&
                              isSame(known.inputs, entry.inputs) &&
                              isSame(known.outputs, entry.outputs);
                     }))
      added.push_back(entry);
  if (added.empty())
    return invalidInput(
        fmt::format("two of the programs are for {}", describeShapes(other)));
  MPC_ASSIGN_OR_RETURN(CodeShift shift, addCode(other));
  for (Entry &entry : added) {
    entry.name = linkedName(entry.name, number);
    place(entry, other, shift);
    program_->entries.push_back(std::move(entry));
  }
  return {};
}

Status Linker::add(const Program &other, size_t number) {
  MPC_RETURN_IF_ERROR(checkState(other));
  MPC_RETURN_IF_ERROR(addBounds(other));
  MPC_RETURN_IF_ERROR(addEntries(other, number));
  std::vector<std::string> &warnings = program_->warnings;
  for (const std::string &warning : other.warnings)
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end())
      warnings.push_back(warning);
  return {};
}

} // namespace

std::string linkedName(std::string_view entry, size_t program) {
  return program == 0 ? std::string(entry)
                      : fmt::format("{}.{}", entry, program + 1);
}

Result<std::shared_ptr<Program>>
linkPrograms(std::span<const std::shared_ptr<Program>> programs) {
  if (programs.size() == 1)
    return programs.front();
  Linker linker(*programs.front());
  for (size_t i = 1; i < programs.size(); ++i)
    MPC_RETURN_IF_ERROR(linker.add(*programs[i], i));
  return linker.take();
}

} // namespace mpc::rt
