// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State tensors: check of the layout, access by name, export and import.
#include "runtime/Runner/State.h"

#include "runtime/Support/CheckedSize.h"
#include "runtime/Support/Convert.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace mpc::rt {
namespace {

Status checkOwners(const Program &program,
                   const std::set<std::string_view> &names) {
  for (const StateTensor &tensor : program.state)
    if (hasOwner(tensor.role) && !names.contains(tensor.owner))
      return invalidInput(fmt::format("state tensor {} belongs to {}, which "
                                      "the program does not have",
                                      quote(tensor.desc.name),
                                      quote(tensor.owner)));
  return {};
}

Status checkLayout(const Program &program) {
  for (const Slab &slab : program.slabs)
    if (!slab.initial.empty() && slab.initial.size() != slab.bytes)
      return invalidInput(fmt::format("slab {}: its first content is {} bytes, "
                                      "expected {}",
                                      quote(slab.name), slab.initial.size(),
                                      slab.bytes));
  std::set<std::string_view> names;
  for (const StateTensor &tensor : program.state) {
    std::string who = "state tensor " + quote(tensor.desc.name);
    if (!names.insert(tensor.desc.name).second)
      return invalidInput(who + " appears twice in the program");
    std::optional<int64_t> bytes =
        checkedBytes(tensor.desc.shape, tensor.desc.dtype);
    uint64_t end = 0;
    if (!bytes || tensor.slab >= program.slabs.size() ||
        __builtin_add_overflow(tensor.offset, static_cast<uint64_t>(*bytes),
                               &end) ||
        end > program.slabs[tensor.slab].wholeBytes())
      return invalidInput(who + " does not lie in its slab");
    if (tensor.offset % byteSize(tensor.desc.dtype))
      return invalidInput(who + " is not aligned");
  }
  return checkOwners(program, names);
}

bool sameShape(const TensorDesc &a, const TensorDesc &b) {
  return a.shape == b.shape;
}

std::string listed(const char *what, const std::vector<std::string> &names) {
  if (names.empty())
    return "";
  return fmt::format("; {} {}: {}", names.size(), what, joinSome(names));
}

/// A tensor and its place in its slab, for messages.
std::string placeOf(const StateTensor &tensor) {
  return fmt::format("{} {} at {}", name(tensor.role), toString(tensor.desc),
                     tensor.offset);
}

bool liesAs(const StateTensor &a, const StateTensor &b) {
  return a.desc.dtype == b.desc.dtype && sameShape(a.desc, b.desc) &&
         a.offset == b.offset && a.role == b.role &&
         a.hasWideScale == b.hasWideScale;
}

std::vector<const StateTensor *> tensorsOf(const Program &program,
                                           uint32_t slab) {
  std::vector<const StateTensor *> tensors;
  for (const StateTensor &tensor : program.state)
    if (tensor.slab == slab && tensor.role != StateRole::Gradient)
      tensors.push_back(&tensor);
  return tensors;
}

Status differs(std::string_view tensor, const std::string &how) {
  return invalidInput(fmt::format(
      "the programs lay out {} differently, and cannot share a state: {}",
      quote(tensor), how));
}

/// Checks that `tensor` of one program has the same place in `slab` of the
/// other.
Status checkPlace(const StateTensor &tensor, const Program &other,
                  uint32_t slab) {
  const StateTensor *known = other.findState(tensor.desc.name);
  if (!known)
    return differs(tensor.desc.name, "only one has it");
  if (known->slab != slab)
    return differs(tensor.desc.name,
                   fmt::format("it lies in slab {}, and {}",
                               quote(other.slabs[slab].name),
                               quote(other.slabs[known->slab].name)));
  if (!liesAs(tensor, *known))
    return differs(
        tensor.desc.name,
        fmt::format("it is {}, and {}", placeOf(tensor), placeOf(*known)));
  return {};
}

/// The slab of `other` with the tensors of slab `index`; empty where it has
/// none of them.
Result<std::optional<uint32_t>> findSlab(const Program &program, uint32_t index,
                                         const Program &other) {
  std::optional<uint32_t> slab;
  std::vector<const StateTensor *> tensors = tensorsOf(program, index);
  for (const StateTensor *tensor : tensors)
    if (const StateTensor *known = other.findState(tensor->desc.name);
        known && !slab)
      slab = known->slab;
  if (!slab)
    return slab;
  for (const StateTensor *tensor : tensors)
    MPC_RETURN_IF_ERROR(checkPlace(*tensor, other, *slab));
  for (const StateTensor *tensor : tensorsOf(other, *slab))
    MPC_RETURN_IF_ERROR(checkPlace(*tensor, program, index));
  const Slab &own = program.slabs[index], &known = other.slabs[*slab];
  const std::string &first = tensors.front()->desc.name;
  if (own.parts != known.parts)
    return differs(first, fmt::format("its slab has {} parts, and {}",
                                      own.parts, known.parts));
  if (own.bytes != known.bytes)
    return differs(first, fmt::format("its slab has {} bytes, and {}",
                                      own.bytes, known.bytes));
  return slab;
}

} // namespace

Status State::allocate(const Slab &slab) {
  MPC_ASSIGN_OR_RETURN(HostBuffer buffer,
                       HostBuffer::allocate(slab.wholeBytes(),
                                            "state slab " + quote(slab.name)));
  for (uint32_t part = 0; part < slab.parts && !slab.initial.empty(); ++part)
    std::memcpy(buffer.data() + part * slab.bytes, slab.initial.data(),
                slab.bytes);
  slabs_.push_back(std::make_shared<HostBuffer>(std::move(buffer)));
  isShared_.push_back(false);
  return {};
}

Result<State> State::create(const Program &program) {
  MPC_RETURN_IF_ERROR(checkLayout(program));
  State state(program);
  for (const Slab &slab : program.slabs)
    MPC_RETURN_IF_ERROR(state.allocate(slab));
  return state;
}

Result<State> State::share(const Program &program, const State &other) {
  MPC_RETURN_IF_ERROR(checkLayout(program));
  State state(program);
  for (uint32_t i = 0; i < program.slabs.size(); ++i) {
    MPC_ASSIGN_OR_RETURN(std::optional<uint32_t> known,
                         findSlab(program, i, *other.program_));
    if (!known) {
      MPC_RETURN_IF_ERROR(state.allocate(program.slabs[i]));
      continue;
    }
    state.slabs_.push_back(other.slabs_[*known]);
    state.isShared_.push_back(true);
  }
  return state;
}

std::byte *State::part(uint32_t index, uint32_t rank) const {
  const Slab &slab = program_->slabs[index];
  return slabs_[index]->data() + (slab.parts == 1 ? 0 : rank * slab.bytes);
}

OwnPart State::ownPart(const StateTensor &tensor, uint32_t rank) const {
  const Slab &slab = program_->slabs[tensor.slab];
  std::span<std::byte> whole = bytes(tensor);
  if (slab.parts == 1)
    return {0, whole};
  uint64_t first = tensor.offset, last = first + whole.size();
  uint64_t begin = std::clamp(rank * slab.bytes, first, last) - first;
  uint64_t end = std::clamp((rank + 1) * slab.bytes, first, last) - first;
  return {begin, whole.subspan(begin, end - begin)};
}

bool State::isDivided() const {
  return std::any_of(program_->slabs.begin(), program_->slabs.end(),
                     [](const Slab &slab) { return slab.parts != 1; });
}

Status State::collect(Ranks &ranks) {
  return forEachDivided([&](const Slab &slab, HostBuffer &buffer) {
    return ranks.collect(buffer.data(),
                         {slab.parts, slab.wholeBytes(), slab.bytes});
  });
}

Status State::deal(Ranks &ranks) {
  return forEachDivided([&](const Slab &slab, HostBuffer &buffer) {
    return ranks.deal(buffer.data(),
                      {slab.parts, slab.wholeBytes(), slab.bytes});
  });
}

Status State::gather(const StateTensor &tensor, Ranks &ranks) {
  std::vector<OwnPart> parts;
  size_t longest = 0;
  for (uint32_t rank = 0; rank < ranks.size(); ++rank) {
    parts.push_back(ownPart(tensor, rank));
    longest = std::max(longest, parts.back().bytes.size());
  }
  // All give as many bytes as the longest part has.
  std::vector<std::byte> own(longest), all(longest * ranks.size());
  std::ranges::copy(parts[ranks.rank()].bytes, own.begin());
  MPC_RETURN_IF_ERROR(ranks.gather(own, all));
  for (uint32_t rank = 0; rank < ranks.size(); ++rank)
    std::ranges::copy(
        std::span(all).subspan(rank * longest, parts[rank].bytes.size()),
        parts[rank].bytes.begin());
  return {};
}

void State::keepOnly(uint32_t rank) {
  (void)forEachDivided([&](const Slab &slab, HostBuffer &buffer) -> Status {
    uint64_t begin = rank * slab.bytes, end = begin + slab.bytes;
    buffer.giveBack(0, begin);
    buffer.giveBack(end, slab.wholeBytes());
    return {};
  });
}

bool State::meets(const void *data, size_t bytes) const {
  return std::any_of(slabs_.begin(), slabs_.end(), [&](const auto &slab) {
    return meet(*slab, data, bytes);
  });
}

Result<TensorView> State::read(std::string_view name) const {
  const StateTensor *tensor = program_->findState(name);
  if (!tensor)
    return invalidInput(fmt::format("no state tensor {}", quote(name)));
  return TensorView{tensor->desc, bytes(*tensor).data()};
}

Status State::write(const TensorView &source) {
  const TensorDesc &from = source.desc;
  const StateTensor *tensor = program_->findState(from.name);
  if (!tensor)
    return invalidInput(fmt::format("no state tensor {}", quote(from.name)));
  const TensorDesc &to = tensor->desc;
  Conversion kind = conversion(from.dtype, to.dtype);
  bool rounds = kind == Conversion::Rounding && from.dtype == DType::F32 &&
                tensor->role == StateRole::Parameter;
  if (!sameShape(from, to) || (kind != Conversion::Exact && !rounds))
    return invalidInput(fmt::format("tensor {}: expected {}, found {}",
                                    quote(to.name), toString(to),
                                    toString(from)));
  // Exact and rounding conversions cannot fail.
  (void)convert(source.data, from.dtype, bytes(*tensor).data(), to.dtype,
                to.numElements());
  return {};
}

std::vector<TensorView> State::exportTensors() const {
  std::vector<TensorView> views;
  for (const StateTensor &tensor : program_->state)
    if (isSaved(tensor.role))
      views.push_back({tensor.desc, bytes(tensor).data()});
  return views;
}

Status State::importTensors(std::span<const TensorView> sources) {
  std::map<std::string_view, const TensorView *> byName;
  for (const TensorView &source : sources)
    byName[source.desc.name] = &source;
  std::vector<std::string> missing, different, extra;
  std::vector<std::pair<std::span<std::byte>, const void *>> copies;
  for (const StateTensor &tensor : program_->state) {
    if (!isSaved(tensor.role))
      continue;
    auto it = byName.find(tensor.desc.name);
    if (it == byName.end()) {
      missing.push_back(quote(tensor.desc.name));
      continue;
    }
    const TensorView &source = *it->second;
    byName.erase(it);
    if (!sameShape(source.desc, tensor.desc) ||
        source.desc.dtype != tensor.desc.dtype)
      different.push_back(
          fmt::format("{} (expected {}, found {})", quote(tensor.desc.name),
                      toString(tensor.desc), toString(source.desc)));
    copies.emplace_back(bytes(tensor), source.data);
  }
  for (const auto &[name, source] : byName)
    extra.push_back(quote(name));
  if (!missing.empty() || !extra.empty() || !different.empty())
    return invalidInput("does not fit this model and recipe" +
                        listed("missing", missing) + listed("extra", extra) +
                        listed("different", different));
  for (const auto &[target, source] : copies)
    if (!target.empty() && target.data() != source)
      std::memcpy(target.data(), source, target.size());
  return {};
}

} // namespace mpc::rt
