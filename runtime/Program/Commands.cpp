// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fields of each kind of command in a manifest, and its execution on each
// machine.
#include "runtime/Program/Commands.h"

#include "runtime/Program/FieldReader.h"
#include "runtime/Program/LibraryProduct.h"
#include "runtime/Program/Program.h"

#include <array>
#include <cstring>
#include <fmt/format.h>

namespace mpc::rt {
namespace {

using Json = nlohmann::json;

/// Copies and fills are divided into pieces of this many bytes for the workers.
constexpr uint64_t kPiece = uint64_t(1) << 20;

KernelWork readWork(const Json &launch, FieldReader &fields) {
  return {fields.text(launch, "work"), fields.size(launch, "flops"),
          launch.contains("unit") ? fields.text(launch, "unit") : ""};
}

std::string wrongBuffers(size_t expected, const Launch &launch) {
  return launch.buffers.size() == expected
             ? ""
             : fmt::format("expected {} buffers, found {}", expected,
                           launch.buffers.size());
}

struct PieceCall {
  char *target;
  const char *source; ///< The source; null to fill with zeros.
  uint64_t bytes;
};

void runPieces(void *context, int, int64_t begin, int64_t end) {
  auto &call = *static_cast<PieceCall *>(context);
  uint64_t from = static_cast<uint64_t>(begin) * kPiece;
  uint64_t to = std::min(static_cast<uint64_t>(end) * kPiece, call.bytes);
  if (call.source)
    std::memcpy(call.target + from, call.source + from, to - from);
  else
    std::memset(call.target + from, 0, to - from);
}

void sharePieces(PieceCall call, HostMachine &machine) {
  machine.share(static_cast<int64_t>((call.bytes + kPiece - 1) / kPiece),
                runPieces, &call);
}

} // namespace

std::span<const CommandRow> commandRows() {
  static const std::array kRows = {HostKernel::kRow,     DeviceKernel::kRow,
                                   LibraryProduct::kRow, Copy::kRow,
                                   Fill::kRow,           Collective::kRow};
  return kRows;
}

Status Command::run(const Launch & /*launch*/, void *const * /*buffers*/,
                    HostMachine & /*machine*/) const {
  return internalError(fmt::format("a CPU cannot run a {}", kind()));
}

Status Command::prepare(const Launch & /*launch*/,
                        DeviceMachine & /*machine*/) const {
  return {};
}

Status Command::choose(const Launch & /*launch*/,
                       std::span<const DeviceAddress> /*buffers*/,
                       DeviceMachine & /*machine*/) const {
  return {};
}

Status Command::record(const Launch & /*launch*/,
                       std::span<const DeviceAddress> /*buffers*/,
                       DeviceMachine & /*machine*/) const {
  return internalError(fmt::format("a GPU cannot run a {}", kind()));
}

void Kernel::write(nlohmann::json &fields) const {
  fields["work"] = work_.kind;
  fields["flops"] = work_.flops;
  if (!work_.unit.empty())
    fields["unit"] = work_.unit;
}

KernelWork workOf(const Launch &launch) {
  const auto *kernel = launch.as<Kernel>();
  return kernel ? kernel->work() : KernelWork();
}

//===----------------------------------------------------------------------===//
// HostKernel
//===----------------------------------------------------------------------===//

const CommandRow HostKernel::kRow = {
    "host_kernel",
    [](const Json &launch,
       FieldReader &fields) -> std::shared_ptr<const Command> {
      Place place{fields.size(launch, "code_offset"),
                  fields.integer(launch, "chunks"),
                  fields.size(launch, "scratch_bytes"),
                  launch.contains("tile") ? fields.integer(launch, "tile") : 1};
      return std::make_shared<HostKernel>(place, readWork(launch, fields));
    }};

void HostKernel::write(nlohmann::json &fields) const {
  Kernel::write(fields);
  fields["code_offset"] = place_.codeOffset;
  fields["chunks"] = place_.chunks;
  fields["scratch_bytes"] = place_.scratchBytes;
  if (place_.tile != 1)
    fields["tile"] = place_.tile;
}

std::string HostKernel::describe() const {
  std::string tiles =
      place_.tile == 1 ? "" : fmt::format(" ({} a tile)", place_.tile);
  return fmt::format(", {} chunks{}", place_.chunks, tiles);
}

std::string HostKernel::fault(const Program &program,
                              const Launch & /*launch*/) const {
  if (!program.cpu())
    return "a kernel of a CPU in a program for " + nameOf(program.target);
  if (place_.codeOffset >= program.cpu()->image.size())
    return "its code lies outside the image";
  if (place_.chunks < 0)
    return "number of chunks is negative";
  bool isPart =
      1 <= place_.tile && place_.tile <= std::max<int64_t>(place_.chunks, 1);
  return isPart ? "" : "a tile is no part of the chunks";
}

std::shared_ptr<const Command>
HostKernel::shifted(const CodeShift &shift) const {
  Place place = place_;
  place.codeOffset += shift.imageBytes;
  return std::make_shared<HostKernel>(place, work());
}

Status HostKernel::run(const Launch & /*launch*/, void *const *buffers,
                       HostMachine &machine) const {
  struct Call {
    KernelFunction function;
    void *const *buffers;
    HostMachine &machine;
  } call{machine.code(place_.codeOffset), buffers, machine};
  machine.share(
      {place_.chunks, place_.tile},
      [](void *context, int worker, int64_t begin, int64_t end) {
        auto &kernel = *static_cast<Call *>(context);
        kernel.function(kernel.buffers, begin, end,
                        kernel.machine.scratch(worker));
      },
      &call);
  return {};
}

//===----------------------------------------------------------------------===//
// DeviceKernel
//===----------------------------------------------------------------------===//

std::vector<KernelParameter> pointerParameters(size_t buffers) {
  std::vector<KernelParameter> parameters;
  for (size_t i = 0; i < buffers; ++i)
    parameters.emplace_back(PointerParameter{static_cast<uint32_t>(i)});
  return parameters;
}

static Json toJson(const PointerParameter &pointer) {
  return {{"buffer", pointer.buffer}};
}

static Json toJson(const ScalarParameter &scalar) {
  return {{"bits", scalar.bits}, {"bytes", scalar.bytes}};
}

static KernelParameter readParameter(const Json &json, FieldReader &fields) {
  if (json.contains("buffer"))
    return PointerParameter{fields.index(json, "buffer")};
  return ScalarParameter{fields.size(json, "bits"),
                         fields.index(json, "bytes")};
}

const CommandRow DeviceKernel::kRow = {
    "device_kernel",
    [](const Json &launch,
       FieldReader &fields) -> std::shared_ptr<const Command> {
      Grid grid{fields.integer(launch, "blocks"),
                fields.index(launch, "threads"),
                fields.index(launch, "shared_bytes")};
      std::vector<KernelParameter> parameters;
      fields.each(launch, "parameters", [&](const Json &item) {
        parameters.push_back(readParameter(item, fields));
      });
      return std::make_shared<DeviceKernel>(fields.index(launch, "module"),
                                            grid, std::move(parameters),
                                            readWork(launch, fields));
    }};

void DeviceKernel::write(nlohmann::json &fields) const {
  Kernel::write(fields);
  fields["module"] = module_;
  fields["blocks"] = grid_.blocks;
  fields["threads"] = grid_.threads;
  fields["shared_bytes"] = grid_.sharedBytes;
  Json &parameters = fields["parameters"] = Json::array();
  for (const KernelParameter &parameter : parameters_)
    parameters.push_back(
        std::visit([](const auto &one) { return toJson(one); }, parameter));
}

std::string DeviceKernel::describe() const {
  return fmt::format(", {} blocks of {}", grid_.blocks, grid_.threads);
}

static std::string parameterFault(const PointerParameter &pointer,
                                  const Launch &launch) {
  return pointer.buffer < launch.buffers.size()
             ? ""
             : "a parameter is not one of its buffers";
}

static std::string parameterFault(const ScalarParameter &scalar,
                                  const Launch & /*launch*/) {
  bool isSize = scalar.bytes == 1 || scalar.bytes == 2 || scalar.bytes == 4 ||
                scalar.bytes == 8;
  return isSize ? "" : fmt::format("a parameter has {} bytes", scalar.bytes);
}

std::string DeviceKernel::fault(const Program &program,
                                const Launch &launch) const {
  if (!program.cuda())
    return "a kernel of a GPU in a program for " + nameOf(program.target);
  if (module_ >= program.cuda()->modules.size())
    return "its module is not in the program";
  if (grid_.threads == 0 || grid_.threads > 1024 || grid_.blocks < 1 ||
      grid_.blocks > INT32_MAX)
    return fmt::format("{} blocks of {} threads are not a grid", grid_.blocks,
                       grid_.threads);
  for (const KernelParameter &parameter : parameters_) {
    std::string fault =
        std::visit([&](const auto &one) { return parameterFault(one, launch); },
                   parameter);
    if (!fault.empty())
      return fault;
  }
  return "";
}

std::shared_ptr<const Command>
DeviceKernel::shifted(const CodeShift &shift) const {
  return std::make_shared<DeviceKernel>(module_ + shift.modules, grid_,
                                        parameters_, work());
}

Status DeviceKernel::prepare(const Launch &launch,
                             DeviceMachine &machine) const {
  return machine.prepareKernel(module_, launch.symbol, grid_);
}

Status DeviceKernel::record(const Launch &launch,
                            std::span<const DeviceAddress> buffers,
                            DeviceMachine &machine) const {
  // A parameter's value must not move while more are added, because its address
  // is passed.
  std::vector<uint64_t> values(parameters_.size());
  std::vector<void *> arguments;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const auto *pointer = std::get_if<PointerParameter>(&parameters_[i]);
    values[i] = pointer ? buffers[pointer->buffer]
                        : std::get<ScalarParameter>(parameters_[i]).bits;
    arguments.push_back(&values[i]);
  }
  return machine.launchKernel(module_, launch.symbol, grid_, arguments);
}

//===----------------------------------------------------------------------===//
// Copy
//===----------------------------------------------------------------------===//

const CommandRow Copy::kRow = {
    "copy", [](const Json &, FieldReader &) -> std::shared_ptr<const Command> {
      return std::make_shared<Copy>();
    }};

std::string Copy::fault(const Program & /*program*/,
                        const Launch &launch) const {
  if (std::string fault = wrongBuffers(2, launch); !fault.empty())
    return fault;
  return launch.buffers[0].bytes == launch.buffers[1].bytes
             ? ""
             : fmt::format("copies {} bytes to {}", launch.buffers[0].bytes,
                           launch.buffers[1].bytes);
}

Status Copy::run(const Launch &launch, void *const *buffers,
                 HostMachine &machine) const {
  sharePieces({static_cast<char *>(buffers[1]),
               static_cast<const char *>(buffers[0]), launch.buffers[0].bytes},
              machine);
  return {};
}

Status Copy::record(const Launch &launch,
                    std::span<const DeviceAddress> buffers,
                    DeviceMachine &machine) const {
  return machine.copy(buffers[1], buffers[0], launch.buffers[0].bytes);
}

//===----------------------------------------------------------------------===//
// Fill
//===----------------------------------------------------------------------===//

const CommandRow Fill::kRow = {
    "fill", [](const Json &, FieldReader &) -> std::shared_ptr<const Command> {
      return std::make_shared<Fill>();
    }};

std::string Fill::fault(const Program & /*program*/,
                        const Launch &launch) const {
  return wrongBuffers(1, launch);
}

Status Fill::run(const Launch &launch, void *const *buffers,
                 HostMachine &machine) const {
  sharePieces(
      {static_cast<char *>(buffers[0]), nullptr, launch.buffers[0].bytes},
      machine);
  return {};
}

Status Fill::record(const Launch &launch,
                    std::span<const DeviceAddress> buffers,
                    DeviceMachine &machine) const {
  return machine.clear(buffers[0], launch.buffers[0].bytes);
}

//===----------------------------------------------------------------------===//
// Collective
//===----------------------------------------------------------------------===//

/// The sizes of a field: a list, or the one size of a single tensor.
static std::vector<uint64_t> sizesOf(const nlohmann::json &launch,
                                     const char *key, FieldReader &fields) {
  std::vector<uint64_t> sizes;
  if (!FieldReader::field(launch, key).is_array())
    return {fields.size(launch, key)};
  for (int64_t size : fields.shape(launch, key))
    sizes.push_back(static_cast<uint64_t>(size));
  return sizes;
}

const CommandRow Collective::kRow = {
    "collective",
    [](const Json &launch,
       FieldReader &fields) -> std::shared_ptr<const Command> {
      uint32_t ranks = fields.index(launch, "ranks");
      std::vector<uint64_t> whole = sizesOf(launch, "whole_bytes", fields);
      std::vector<uint64_t> part = sizesOf(launch, "part_bytes", fields);
      if (whole.size() != part.size() || whole.empty())
        fields.fail("part_bytes", "a size for each tensor");
      std::vector<Parts> parts;
      for (size_t i = 0; i < std::min(whole.size(), part.size()); ++i)
        parts.push_back({ranks, whole[i], part[i]});
      return std::make_shared<Collective>(
          fields.word<CollectiveKind>(launch, "collective"), std::move(parts));
    }};

void Collective::write(nlohmann::json &fields) const {
  fields["collective"] = nameOf(collective_);
  fields["ranks"] = ranks();
  for (const Parts &parts : parts_) {
    fields["whole_bytes"].push_back(parts.wholeBytes);
    fields["part_bytes"].push_back(parts.partBytes);
  }
}

std::string Collective::describe() const {
  std::string text = fmt::format(", {} ranks", ranks());
  for (const Parts &parts : parts_)
    text += fmt::format(", {} bytes in parts of {}", parts.wholeBytes,
                        parts.partBytes);
  return text;
}

/// How many bytes a collective reads and writes.
static std::pair<uint64_t, uint64_t> bytesOf(CollectiveKind kind,
                                             const Parts &parts) {
  switch (kind) {
  case CollectiveKind::AllToAll:
    return {parts.wholeBytes, parts.ranks * parts.partBytes};
  case CollectiveKind::AllGather:
    return {parts.partBytes, parts.wholeBytes};
  case CollectiveKind::TakePart:
    return {parts.wholeBytes, parts.partBytes};
  }
  return {};
}

/// What is wrong with the shape of a tensor, whose buffers these are.
static std::string partsFault(CollectiveKind kind, const Parts &parts,
                              const BufferRef &from, const BufferRef &to) {
  // Parts are compared by a division, since a product may not fit.
  uint64_t needed = parts.wholeBytes / parts.ranks +
                    (parts.wholeBytes % parts.ranks != 0 ? 1 : 0);
  if (parts.partBytes < needed || parts.partBytes > UINT64_MAX / parts.ranks)
    return fmt::format("{} parts of {} bytes do not hold {}", parts.ranks,
                       parts.partBytes, parts.wholeBytes);
  auto [read, written] = bytesOf(kind, parts);
  if (from.bytes == read && to.bytes == written)
    return "";
  return fmt::format("moves {} bytes to {}, expected {} to {}", from.bytes,
                     to.bytes, read, written);
}

std::string Collective::fault(const Program &program,
                              const Launch &launch) const {
  if (std::string fault = wrongBuffers(2 * parts_.size(), launch);
      !fault.empty())
    return fault;
  if (ranks() == 0)
    return "it is among 0 ranks";
  for (size_t i = 0; i < parts_.size(); ++i)
    if (std::string fault =
            partsFault(collective_, parts_[i], launch.buffers[i],
                       launch.buffers[parts_.size() + i]);
        !fault.empty())
      return fault;
  return "";
}

Status wrongNumberOfRanks(uint32_t ranks, uint32_t size) {
  return usageError(
      fmt::format("the program is for {} ranks, and there {}", ranks,
                  size == 1 ? "is one" : fmt::format("are {}", size)));
}

/// Copies the own part of a tensor, and zeroes what lies behind a shorter one.
static void takePart(const MovedTensor &tensor, uint32_t rank) {
  const Parts &parts = tensor.parts;
  std::memcpy(tensor.to, tensor.from + parts.begin(rank), parts.size(rank));
  std::memset(tensor.to + parts.size(rank), 0,
              parts.partBytes - parts.size(rank));
}

Status Collective::checkRanks(const Ranks *ranks) const {
  uint32_t size = ranks ? ranks->size() : 1;
  bool needsOthers = collective_ != CollectiveKind::TakePart;
  return size != this->ranks() || (needsOthers && !ranks)
             ? wrongNumberOfRanks(this->ranks(), size)
             : Status();
}

/// What lies where: `address` gives the place of a buffer.
std::vector<MovedTensor>
Collective::tensorsAt(const std::function<std::byte *(size_t)> &address) const {
  std::vector<MovedTensor> tensors;
  for (size_t i = 0; i < parts_.size(); ++i)
    tensors.push_back({address(i), address(parts_.size() + i), parts_[i]});
  return tensors;
}

Status Collective::run(const Launch & /*launch*/, void *const *buffers,
                       HostMachine &machine) const {
  Ranks *ranks = machine.ranks();
  MPC_RETURN_IF_ERROR(checkRanks(ranks));
  std::vector<MovedTensor> tensors =
      tensorsAt([&](size_t i) { return static_cast<std::byte *>(buffers[i]); });
  if (collective_ == CollectiveKind::TakePart) {
    for (const MovedTensor &tensor : tensors)
      takePart(tensor, ranks ? ranks->rank() : 0);
    return {};
  }
  return collective_ == CollectiveKind::AllToAll ? ranks->allToAll(tensors)
                                                 : ranks->allGather(tensors);
}

static DeviceAddress deviceAddress(const std::byte *place) {
  return reinterpret_cast<uintptr_t>(place);
}

/// As takePart(), on a GPU.
static Status recordTakePart(const MovedTensor &tensor, uint32_t rank,
                             DeviceMachine &machine) {
  const Parts &parts = tensor.parts;
  uint64_t own = parts.size(rank);
  if (own != 0)
    MPC_RETURN_IF_ERROR(
        machine.copy(deviceAddress(tensor.to),
                     deviceAddress(tensor.from + parts.begin(rank)), own));
  return own == parts.partBytes ? Status()
                                : machine.clear(deviceAddress(tensor.to + own),
                                                parts.partBytes - own);
}

Status Collective::record(const Launch & /*launch*/,
                          std::span<const DeviceAddress> buffers,
                          DeviceMachine &machine) const {
  Ranks *ranks = machine.ranks();
  MPC_RETURN_IF_ERROR(checkRanks(ranks));
  std::vector<MovedTensor> tensors = tensorsAt([&](size_t i) {
    return reinterpret_cast<std::byte *>(static_cast<uintptr_t>(buffers[i]));
  });
  if (collective_ == CollectiveKind::TakePart) {
    for (const MovedTensor &tensor : tensors)
      MPC_RETURN_IF_ERROR(
          recordTakePart(tensor, ranks ? ranks->rank() : 0, machine));
    return {};
  }
  Exchange messages = collective_ == CollectiveKind::AllToAll
                          ? ranks->planAllToAll(tensors)
                          : ranks->planAllGather(tensors);
  for (const OwnCopy &copy : messages.copies)
    MPC_RETURN_IF_ERROR(machine.copy(deviceAddress(copy.to),
                                     deviceAddress(copy.from), copy.bytes));
  return machine.exchange(messages);
}

} // namespace mpc::rt
