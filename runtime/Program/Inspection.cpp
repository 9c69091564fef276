// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text, JSON and pictures of a program.
#include "runtime/Program/Inspection.h"

#include "runtime/Program/ArenaMap.h"
#include "runtime/Program/Commands.h"
#include "runtime/Program/Manifest.h"
#include "runtime/Program/MemoryClasses.h"
#include "runtime/Program/Sharing.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace mpc::rt {
namespace {

using Json = nlohmann::ordered_json;

uint64_t stateBytes(const Program &program) {
  uint64_t bytes = 0;
  for (const Slab &slab : program.slabs)
    bytes += slab.bytes;
  return bytes;
}

std::string placeOf(const BufferRef &ref) {
  std::string index =
      ref.space == Space::Arena ? "" : std::to_string(ref.index);
  std::string place =
      fmt::format("{}{}+{}:{}", name(ref.space), index, ref.offset, ref.bytes);
  if (ref.stride != 0)
    place += fmt::format("{:+}", ref.stride);
  if (ref.period != 0)
    place += fmt::format("%{}", ref.period);
  return place;
}

std::string describeLaunch(size_t index, const Launch &launch) {
  const Command &command = *launch.command;
  std::string text = fmt::format("    {:4} {:13} {}{}", index, command.kind(),
                                 escape(launch.symbol), command.describe());
  if (command.scratchBytes())
    text += ", scratch " + formatBytes(command.scratchBytes());
  text += ":";
  for (size_t i = 0; i < launch.buffers.size(); ++i)
    text += (i == launch.numRead ? " -> " : " ") + placeOf(launch.buffers[i]);
  if (!launch.sources.empty())
    text += "  [" + escape(launch.sources) + "]";
  return text + "\n";
}

std::string describeTensors(const char *what,
                            const std::vector<TensorDesc> &tensors) {
  std::string text;
  for (const TensorDesc &desc : tensors)
    text +=
        fmt::format("  {} {} {}\n", what, escape(desc.name), toString(desc));
  return text;
}

std::string describeMemory(const MemoryClasses &memory, const ArenaMap &map) {
  return fmt::format(
      "  memory: weights {}, copies of them {}, moments {}, other state {}; at "
      "launch {}, the fullest: activations and gradients {}, its operands and "
      "results {}; "
      "gaps {}; scratch of a worker {}\n",
      formatBytes(memory.weights), formatBytes(memory.weightCopies),
      formatBytes(memory.moments), formatBytes(memory.otherState), map.fullest,
      formatBytes(memory.activations), formatBytes(memory.operands),
      formatBytes(memory.gaps), formatBytes(memory.scratch));
}

/// The role and the data of an entry whose name is not its role, as where there
/// are entries for several shapes; else empty.
std::string describeRole(const Entry &entry) {
  std::string_view role = name(entry.role);
  return entry.name == role || entry.role == EntryRole::Other
             ? ""
             : fmt::format(" ({} for {})", role, describeData(entry));
}

std::string describeEntry(const Program &program, const Entry &entry) {
  ArenaMap map = mapArena(entry);
  std::string text = fmt::format(
      "\nentry {}{}: {} launches, arena {} (no plan needs less than {})\n",
      escape(entry.name), describeRole(entry), entry.launches.size(),
      formatBytes(entry.arenaBytes), formatBytes(map.lowerBound));
  text += describeMemory(classifyMemory(program, entry, map), map);
  text += describeTensors("input ", entry.inputs);
  text += describeTensors("output", entry.outputs);
  text += "  launches:\n";
  for (size_t i = 0; i < entry.launches.size(); ++i)
    text += describeLaunch(i, entry.launches[i]);
  for (const LaunchLoop &loop : entry.loops)
    text += fmt::format("  launches {}-{} run {} times\n", loop.first,
                        loop.first + loop.count - 1, loop.turns);
  text += "  arena, launches from-to at offset:bytes:\n";
  for (const ArenaValue &value : map.values)
    text += fmt::format("    {}-{} at {}:{}\n", value.first, value.last,
                        value.offset, value.bytes);
  return text;
}

/// Among how many ranks a tensor is divided; empty where each has all.
std::string partsOf(const Program &program, const StateTensor &tensor) {
  if (tensor.slab >= program.slabs.size())
    return "";
  uint32_t parts = program.slabs[tensor.slab].parts;
  return parts == 1 ? "" : fmt::format(", divided among {} ranks", parts);
}

std::string describeState(const Program &program) {
  std::string text =
      fmt::format("\nstate: {} in {} slabs\n", formatBytes(stateBytes(program)),
                  program.slabs.size());
  for (const StateTensor &tensor : program.state)
    text +=
        fmt::format("  {} {} {} in slab {} at {}{}\n", escape(tensor.desc.name),
                    toString(tensor.desc), name(tensor.role), tensor.slab,
                    tensor.offset, partsOf(program, tensor));
  return text;
}

Json toJson(const TensorDesc &desc);
Json toJson(const StateTensor &tensor);
Json toJson(const Launch &launch);
Json toJson(const LaunchLoop &loop);
Json toJson(const ArenaValue &value);
Json toJson(const KernelCode &kernel);

template <typename Items>
Json listOf(const Items &items) {
  Json list = Json::array();
  for (const auto &item : items)
    list.push_back(toJson(item));
  return list;
}

Json toJson(const TensorDesc &desc) {
  return {
      {"name", desc.name}, {"dtype", name(desc.dtype)}, {"shape", desc.shape}};
}

Json toJson(const BufferRef &ref) {
  Json json = {{"space", name(ref.space)},
               {"index", ref.index},
               {"offset", ref.offset},
               {"bytes", ref.bytes}};
  if (ref.stride != 0)
    json["stride"] = ref.stride;
  if (ref.period != 0)
    json["period"] = ref.period;
  return json;
}

Json toJson(const LaunchLoop &loop) {
  return {{"first", loop.first}, {"count", loop.count}, {"turns", loop.turns}};
}

/// The command's fields are those of a manifest.
Json toJson(const Launch &launch) {
  nlohmann::json fields = nlohmann::json::object();
  launch.command->write(fields);
  Json json = {{"kind", launch.command->kind()},
               {"symbol", launch.symbol},
               {"sources", launch.sources},
               {"reads", launch.numRead}};
  for (const auto &[key, value] : fields.items())
    json[key] = value;
  json["buffers"] = Json::array();
  for (const BufferRef &ref : launch.buffers)
    json["buffers"].push_back(toJson(ref));
  return json;
}

Json toJson(const ArenaValue &value) {
  return {{"first", value.first},
          {"last", value.last},
          {"offset", value.offset},
          {"bytes", value.bytes}};
}

Json toJson(const MemoryClasses &memory) {
  return {{"weights", memory.weights},
          {"weight_copies", memory.weightCopies},
          {"moments", memory.moments},
          {"other_state", memory.otherState},
          {"activations", memory.activations},
          {"operands", memory.operands},
          {"gaps", memory.gaps},
          {"scratch", memory.scratch}};
}

Json toJson(const Program &program, const Entry &entry) {
  ArenaMap map = mapArena(entry);
  return {{"name", entry.name},
          {"role", name(entry.role)},
          {"inputs", listOf(entry.inputs)},
          {"outputs", listOf(entry.outputs)},
          {"arena_bytes", entry.arenaBytes},
          {"arena_lower_bound", map.lowerBound},
          {"arena_fullest", map.fullest},
          {"memory", toJson(classifyMemory(program, entry, map))},
          {"arena", listOf(map.values)},
          {"launches", listOf(entry.launches)},
          {"loops", listOf(entry.loops)}};
}

/// A kernel's fields, without resources where they are not known.
Json toJson(const KernelCode &kernel) {
  Json json = {{"symbol", kernel.symbol},
               {"offset", kernel.offset},
               {"bytes", kernel.bytes},
               {"launches", kernel.launches}};
  if (kernel.resources) {
    const CubinKernel &code = *kernel.resources;
    json["registers"] = code.registers;
    json["shared_bytes"] = code.sharedBytes;
    json["local_bytes"] = code.localBytes;
    json["instructions"] = code.instructions;
    json["products"] = code.products;
    json["global_accesses"] = code.globalAccesses;
    json["shared_accesses"] = code.sharedAccesses;
    json["local_accesses"] = code.localAccesses;
  }
  return json;
}

Json toJson(const StateTensor &tensor) {
  Json json = toJson(tensor.desc);
  json["role"] = name(tensor.role);
  if (!tensor.owner.empty())
    json["owner"] = tensor.owner;
  json["slab"] = tensor.slab;
  json["offset"] = tensor.offset;
  return json;
}

} // namespace

/// Measures the distance from each kernel of a CPU to the next. Code that
/// kernels share lies among them, and counts for the kernel before it.
static void measureImage(std::vector<KernelCode> &kernels, uint64_t bytes) {
  for (size_t i = 0; i < kernels.size(); ++i) {
    uint64_t end = i + 1 < kernels.size() ? kernels[i + 1].offset : bytes;
    kernels[i].bytes = end - std::min(kernels[i].offset, end);
  }
}

/// Reads the resources of a GPU's kernels from its machine code.
static void readModules(const CudaTarget &target,
                        std::vector<KernelCode> &kernels) {
  for (size_t module = 0; module < target.modules.size(); ++module) {
    auto known = readCubin(target.modules[module].cubin.view());
    for (KernelCode &kernel : kernels)
      if (known.ok() && kernel.offset == module)
        if (auto it = known->find(kernel.symbol); it != known->end())
          kernel.resources = it->second;
  }
}

/// The place of a launch's code: an image has one kernel at an offset, a module
/// has many. Empty where it runs no kernel.
static std::optional<std::pair<uint64_t, std::string>>
codePlace(const Launch &launch) {
  if (const auto *kernel = launch.as<HostKernel>())
    return std::pair(kernel->place().codeOffset, std::string());
  if (const auto *kernel = launch.as<DeviceKernel>())
    return std::pair(uint64_t(kernel->module()), launch.symbol);
  return std::nullopt;
}

std::vector<KernelCode> listKernels(const Program &program) {
  std::map<std::pair<uint64_t, std::string>, KernelCode> byPlace;
  for (const Entry &entry : program.entries)
    for (const Launch &launch : entry.launches)
      if (auto place = codePlace(launch)) {
        KernelCode &kernel = byPlace[*place];
        kernel.symbol = launch.symbol;
        kernel.offset = place->first;
        ++kernel.launches;
      }
  std::vector<KernelCode> kernels;
  for (auto &[place, kernel] : byPlace)
    kernels.push_back(std::move(kernel));
  if (const CudaTarget *target = program.cuda())
    readModules(*target, kernels);
  else
    measureImage(kernels, program.cpu()->image.size());
  return kernels;
}

/// The size of a CPU's image; 0 for a GPU, whose code is in modules.
static uint64_t codeBytes(const Program &program) {
  return program.cpu() ? program.cpu()->image.size() : 0;
}

static std::string describeKernel(const Program &program,
                                  const KernelCode &kernel) {
  std::string text =
      fmt::format("  {} {}", escape(kernel.symbol), kernel.launches);
  if (!program.cuda())
    return text + fmt::format(" {}\n", kernel.bytes);
  if (!kernel.resources)
    return text + " no machine code to read\n";
  const CubinKernel &code = *kernel.resources;
  return text + fmt::format(" {} registers, {} bytes shared, {} bytes local, "
                            "{} instructions ({} products, {} global, {} "
                            "shared, {} local)\n",
                            code.registers, code.sharedBytes, code.localBytes,
                            code.instructions, code.products,
                            code.globalAccesses, code.sharedAccesses,
                            code.localAccesses);
}

std::string describeProgram(const Program &program) {
  std::vector<KernelCode> kernels = listKernels(program);
  std::string text = fmt::format(
      "code for {}: {}, {} kernels\nrecipe: {}\nsteps of {} batches\n",
      escape(nameOf(program.target)), formatBytes(codeBytes(program)),
      kernels.size(), program.recipe.empty() ? "none" : escape(program.recipe),
      program.protocol.accumulate);
  for (const auto &[flag, word] : program.runDefaults)
    text += fmt::format("run, unless it says otherwise: {}={}\n", escape(flag),
                        escape(word));
  for (const InputBound &bound : program.bounds)
    text +=
        fmt::format("input {} holds {} to {}{}{}\n", escape(bound.name),
                    bound.lower, bound.upper - 1,
                    bound.except ? fmt::format(" or {}", *bound.except) : "",
                    bound.skipFirst.empty() ? "" : " where it is read");
  text += describeState(program);
  for (const Entry &entry : program.entries)
    text += describeEntry(program, entry);
  text += program.cuda()
              ? "\nkernels, launches of each, what a thread and a block take:\n"
              : "\nkernels, launches of each, bytes to the next (shared code "
                "lies between them):\n";
  for (const KernelCode &kernel : kernels)
    text += describeKernel(program, kernel);
  return text;
}

std::string describeProgramAsJson(const Program &program) {
  Json entries = Json::array();
  for (const Entry &entry : program.entries)
    entries.push_back(toJson(program, entry));
  Json json = {{"cpu", nameOf(program.target)},
               {"recipe", program.recipe},
               {"rule", program.protocol.rule},
               {"run", program.runDefaults},
               {"accumulate", program.protocol.accumulate},
               {"code_bytes", codeBytes(program)},
               {"state_bytes", stateBytes(program)},
               {"state", listOf(program.state)},
               {"entries", std::move(entries)},
               {"kernels", listOf(listKernels(program))}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

namespace {

/// The launches of an entry on some threads, and their sums.
struct SharedEntry {
  SharedEntry(const Entry &entry, int threads)
      : entry(entry), threads(threads),
        launches(shareLaunches(entry, threads)) {
    for (const SharedLaunch &one : launches) {
      alone += one.alone;
      shared += one.shared;
      waits += one.waits ? one.turns : 0;
    }
  }
  /// The part of the threads' time that a launch takes.
  [[nodiscard]] double shareOf(const SharedLaunch &one) const {
    return shared == 0.0 ? 0.0 : one.shared / shared;
  }
  [[nodiscard]] double speedup() const {
    return shared == 0.0 ? 1.0 : alone / shared;
  }

  const Entry &entry;
  int threads;
  std::vector<SharedLaunch> launches;
  double alone = 0.0, shared = 0.0;
  uint64_t waits = 0;
};

std::string describeShared(const SharedEntry &shared, const SharedLaunch &one) {
  const Launch &launch = shared.entry.launches[one.number];
  std::string kind = workOf(launch).kind;
  return fmt::format(
      "  {:5.1f} %  {:6} {:7}  {:4.0f} %  {:9.2f} %  {:>10}  {:5}  {:12} {}:{} "
      "{}\n",
      100.0 * shared.shareOf(one), one.chunks, one.rounds,
      100.0 * one.busy(shared.threads), 100.0 / one.chunks,
      formatBytes(one.bytes), one.waits ? one.turns : 0,
      kind.empty() ? std::string(launch.command->kind()) : kind,
      escape(shared.entry.name), one.number, escape(launch.symbol));
}

/// The least part of the threads' time that a launch takes in the text.
constexpr double kLeastShare = 0.005;

std::string describeShared(const SharedEntry &shared) {
  std::string text = fmt::format(
      "\nentry {} on {} threads: {} launches, {} waits; by its chunks it is "
      "{:.1f} times as fast as on one\n"
      "    time  chunks  rounds    busy  of a chunk       bytes  waits  kind   "
      " "
      "     launch\n",
      escape(shared.entry.name), shared.threads, shared.launches.size(),
      shared.waits, shared.speedup());
  double rest = 0.0;
  size_t others = 0;
  for (const SharedLaunch &one : shared.launches) {
    if (shared.shareOf(one) >= kLeastShare) {
      text += describeShared(shared, one);
      continue;
    }
    rest += shared.shareOf(one);
    ++others;
  }
  if (others > 0)
    text += fmt::format("  {:5.1f} %  in {} other launches\n", 100.0 * rest,
                        others);
  return text;
}

Json toJson(const SharedEntry &shared) {
  Json launches = Json::array();
  for (const SharedLaunch &one : shared.launches) {
    const Launch &launch = shared.entry.launches[one.number];
    launches.push_back({{"launch", one.number},
                        {"symbol", launch.symbol},
                        {"kind", workOf(launch).kind},
                        {"nodes", launch.sources},
                        {"turns", one.turns},
                        {"chunks", one.chunks},
                        {"rounds", one.rounds},
                        {"waits", one.waits ? one.turns : 0},
                        {"bytes", one.bytes},
                        {"time", shared.shareOf(one)},
                        {"busy", one.busy(shared.threads)}});
  }
  return {{"name", shared.entry.name},
          {"speedup", shared.speedup()},
          {"waits", shared.waits},
          {"launches", std::move(launches)}};
}

} // namespace

std::string describeSharing(const Program &program, int threads) {
  std::string text = fmt::format(
      "Threads take chunks in turns, a round each. Launches are weighed by an "
      "assumed core:\n{:.0f} GFLOP/s in products, {:.0f} by a unit for 16 "
      "bits, "
      "{:.0f} elsewhere, {:.0f} GB/s.\n",
      kAssumedCore.products / 1e9, kAssumedCore.unitProducts / 1e9,
      kAssumedCore.operations / 1e9, kAssumedCore.bytes / 1e9);
  for (const Entry &entry : program.entries)
    text += describeShared(SharedEntry(entry, threads));
  return text;
}

std::string describeSharingAsJson(const Program &program, int threads) {
  Json entries = Json::array();
  for (const Entry &entry : program.entries)
    entries.push_back(toJson(SharedEntry(entry, threads)));
  Json json = {{"threads", threads}, {"entries", std::move(entries)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace mpc::rt
