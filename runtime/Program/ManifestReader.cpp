// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs from JSON and sections.
#include "runtime/Program/Commands.h"
#include "runtime/Program/FieldReader.h"
#include "runtime/Program/Manifest.h"
#include "runtime/Program/OldStateNames.h"
#include "runtime/Program/RecipeRecord.h"
#include "runtime/Support/CheckedSize.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

namespace mpc::rt {
namespace {

using Json = nlohmann::json;

/// Reads programs from fields and sections.
class ManifestReader : FieldReader {
public:
  ManifestReader(const std::vector<Section> &sections,
                 std::span<const CommandRow> commands)
      : sections_(sections), commands_(commands) {}

  Program common(const Json &json);
  void variant(const Json &json, Program &program);

  using FieldReader::status;

private:
  SharedBytes bytes(const Json &json, const char *key, SectionKind kind);
  /// Flags and their words.
  std::map<std::string, std::string, std::less<>> flags(const Json &json,
                                                        const char *key);

  TensorDesc tensor(const Json &json);
  Slab slab(const Json &json);
  StateTensor state(const Json &json);
  InitialValue initial(const Json &json);
  StepProtocol protocol(const Json &json);
  std::string rule(const Json &json);
  StartRecord start(const Json &json);
  Entry entry(const Json &json);
  InputBound bound(const Json &json, const std::vector<Entry> &entries);
  Constant constant(const Json &json);
  BufferRef buffer(const Json &json);
  std::shared_ptr<const Command> command(const Json &json);
  Launch launch(const Json &json);
  void cpuCode(const Json &json, Program &program);
  void cudaCode(const Json &json, Program &program);

  const std::vector<Section> &sections_;
  std::span<const CommandRow> commands_;
};

SharedBytes ManifestReader::bytes(const Json &json, const char *key,
                                  SectionKind kind) {
  uint64_t index = size(json, key);
  if (index < sections_.size() && sections_[index].kind == kind)
    return sections_[index].bytes;
  fail(key, "a section of that kind");
  return {};
}

std::map<std::string, std::string, std::less<>>
ManifestReader::flags(const Json &json, const char *key) {
  const Json &object = field(json, key);
  if (!object.is_object())
    fail(key, "an object of flags");
  std::map<std::string, std::string, std::less<>> words;
  if (object.is_object())
    for (const auto &[flag, word] : object.items())
      words[flag] = text(object, flag.c_str());
  return words;
}

TensorDesc ManifestReader::tensor(const Json &json) {
  TensorDesc desc;
  desc.name = text(json, "name");
  std::optional<DType> dtype = dtypeFromSafetensors(text(json, "dtype"));
  if (!dtype)
    fail("dtype", "an element type");
  desc.dtype = dtype.value_or(DType::F32);
  desc.shape = shape(json, "shape");
  if (!checkedBytes(desc.shape, desc.dtype)) {
    fail("shape", "that of a tensor that fits in memory");
    desc.shape.clear();
  }
  return desc;
}

Slab ManifestReader::slab(const Json &json) {
  Slab slab{text(json, "name"), size(json, "bytes")};
  if (json.contains("parts"))
    slab.parts = index(json, "parts");
  if (slab.parts == 0 || slab.bytes > UINT64_MAX / slab.parts)
    fail("parts", "a number of parts that memory can hold");
  if (json.contains("initial"))
    slab.initial = bytes(json, "initial", SectionKind::Data);
  return slab;
}

StateTensor ManifestReader::state(const Json &json) {
  StateTensor state;
  state.desc = tensor(json);
  state.role = word<StateRole>(json, "role");
  state.slab = index(json, "slab");
  state.offset = size(json, "offset");
  state.hasWideScale = json.contains("wide_scale");
  if (json.contains("owner"))
    state.owner = text(json, "owner");
  if (json.contains("key"))
    state.key = text(json, "key");
  return state;
}

InitialValue ManifestReader::initial(const Json &json) {
  InitialValue value;
  value.desc = tensor(json);
  value.kind = word<InitialKind>(json, "kind");
  value.argument = number(json, "argument");
  value.stream = size(json, "stream");
  if (value.kind != InitialKind::Values)
    return value;
  value.values = bytes(json, "values", SectionKind::Data);
  if (value.values.size() != value.desc.numBytes())
    fail("values", "a section of the tensor's size");
  return value;
}

StepProtocol ManifestReader::protocol(const Json &json) {
  StepProtocol protocol;
  protocol.accumulate = integer(json, "accumulate");
  if (protocol.accumulate < 1)
    fail("accumulate", "a number of batches");
  if (json.contains("ranks"))
    protocol.ranks = index(json, "ranks");
  if (protocol.ranks < 1)
    fail("ranks", "a number of processes");
  protocol.keepState = flag(json, "keep_state");
  protocol.floorName = text(json, "floor");
  if (json.contains("caller_updates"))
    each(json, "caller_updates", [&](const Json &item) {
      protocol.callerUpdates[text(item, "parameter")] = text(item, "gradient");
    });
  protocol.rule = rule(json);
  return protocol;
}

/// A file written before recipes were recorded has flags instead.
std::string ManifestReader::rule(const Json &json) {
  auto found = json.find("rule");
  if (found == json.end() || !found->is_object())
    return text(json, "rule");
  OldRule words = flags(json, "rule");
  return recordOfFlags(words);
}

StartRecord ManifestReader::start(const Json &json) {
  StartRecord start;
  each(json, "files", [&](const Json &item) {
    start.files.push_back({text(item, "path"), text(item, "hash")});
  });
  each(json, "given", [&](const Json &item) {
    start.given.push_back(
        {text(item, "flag"), text(item, "name"), number(item, "value")});
  });
  return start;
}

Entry ManifestReader::entry(const Json &json) {
  Entry entry;
  entry.name = text(json, "name");
  entry.role = word<EntryRole>(json, "role");
  // Files of the first builds of version 2 lack the mode.
  if (json.contains("mode"))
    entry.mode = word<ModelMode>(json, "mode");
  each(json, "inputs",
       [&](const Json &item) { entry.inputs.push_back(tensor(item)); });
  each(json, "outputs",
       [&](const Json &item) { entry.outputs.push_back(tensor(item)); });
  return entry;
}

InputBound ManifestReader::bound(const Json &json,
                                 const std::vector<Entry> &entries) {
  InputBound bound = {text(json, "name"), integer(json, "lower"),
                      integer(json, "upper")};
  if (json.contains("except"))
    bound.except = integer(json, "except");
  if (!json.contains("unread"))
    return bound;
  const Json &unread = field(json, "unread");
  bound.skipFirst = shape(unread, "first");
  bound.skipLast = shape(unread, "last");
  for (const Entry &entry : entries)
    for (const TensorDesc &input : entry.inputs)
      if (input.name == bound.name && !fits(bound, input))
        fail("unread", "a number for each axis of the input");
  return bound;
}

Program ManifestReader::common(const Json &json) {
  Program program;
  each(json, "slabs",
       [&](const Json &item) { program.slabs.push_back(slab(item)); });
  each(json, "state",
       [&](const Json &item) { program.state.push_back(state(item)); });
  if (std::all_of(program.state.begin(), program.state.end(),
                  [](const StateTensor &tensor) { return tensor.key.empty(); }))
    // Files of the first builds of version 2 lack owners and keys.
    completeOldState(program.state);
  each(json, "entries",
       [&](const Json &item) { program.entries.push_back(entry(item)); });
  each(json, "bounds", [&](const Json &item) {
    program.bounds.push_back(bound(item, program.entries));
  });
  each(json, "initial_values", [&](const Json &item) {
    program.initialValues.push_back(initial(item));
  });
  if (json.contains("tied"))
    each(json, "tied", [&](const Json &item) {
      program.tied[text(item, "name")] = text(item, "parameter");
    });
  program.protocol = protocol(field(json, "protocol"));
  if (json.contains("run"))
    program.runDefaults = flags(json, "run");
  program.recipe = text(json, "recipe");
  each(json, "warnings", [&](const Json &item) {
    if (!item.is_string())
      return fail("warnings", "a list of texts");
    program.warnings.push_back(item.get<std::string>());
  });
  if (json.contains("start"))
    program.start = start(field(json, "start"));
  return program;
}

Constant ManifestReader::constant(const Json &json) {
  Constant constant{text(json, "name"), bytes(json, "data", SectionKind::Data)};
  if (constant.bytes.size() != size(json, "bytes"))
    fail("data", "a section of the constant's size");
  return constant;
}

static bool isIndex(const Json &json) {
  return json.is_number_unsigned() &&
         json.get<uint64_t>() <= std::numeric_limits<uint32_t>::max();
}

/// ["arena", index, offset, bytes], and where it moves also stride and period.
BufferRef ManifestReader::buffer(const Json &json) {
  bool moves = json.is_array() && json.size() == 6;
  bool isBuffer = json.is_array() && (json.size() == 4 || moves) &&
                  json[0].is_string() && isIndex(json[1]) &&
                  json[2].is_number_unsigned() && json[3].is_number_unsigned();
  if (moves)
    isBuffer &= json[4].is_number_integer() && isIndex(json[5]);
  std::optional<Space> space;
  if (isBuffer)
    space = findName<Space>(json[0].get_ref<const std::string &>());
  if (!space) {
    fail("buffers", "a list of places in memory");
    return {};
  }
  BufferRef ref{*space, json[1].get<uint32_t>(), json[2].get<uint64_t>(),
                json[3].get<uint64_t>()};
  if (moves) {
    ref.stride = json[4].get<int64_t>();
    ref.period = json[5].get<uint32_t>();
  }
  return ref;
}

std::shared_ptr<const Command> ManifestReader::command(const Json &json) {
  std::string kind = text(json, "kind");
  for (const CommandRow &row : commands_)
    if (row.kind == kind)
      return row.read(json, *this);
  fail("kind", "the name of a known kind of launch");
  return nullptr;
}

Launch ManifestReader::launch(const Json &json) {
  Launch launch;
  launch.symbol = text(json, "symbol");
  launch.sources = text(json, "sources");
  launch.numRead = index(json, "reads");
  each(json, "buffers",
       [&](const Json &item) { launch.buffers.push_back(buffer(item)); });
  launch.command = command(json);
  return launch;
}

void ManifestReader::cpuCode(const Json &json, Program &program) {
  CpuTarget target{text(json, "cpu"), text(json, "machine")};
  target.image = bytes(json, "code", SectionKind::CpuCode);
  if (status().ok())
    target.imageHash = sections_[size(json, "code")].hash;
  program.target = std::move(target);
}

void ManifestReader::cudaCode(const Json &json, Program &program) {
  std::optional<CudaArch> arch = CudaArch::parse(text(json, "arch"));
  if (!arch)
    fail("arch", "an architecture, as \"90\" of sm_90");
  CudaTarget target{arch.value_or(CudaArch())};
  each(json, "modules", [&](const Json &item) {
    DeviceModule module;
    module.source = bytes(item, "source", SectionKind::DeviceSource);
    if (item.contains("code"))
      module.cubin = bytes(item, "code", SectionKind::DeviceCode);
    target.modules.push_back(std::move(module));
  });
  program.target = std::move(target);
}

void ManifestReader::variant(const Json &json, Program &program) {
  std::string target = text(json, "target");
  if (target == "cpu")
    cpuCode(json, program);
  else if (target == "cuda")
    cudaCode(json, program);
  else
    fail("target", "cpu or cuda");
  each(json, "constants",
       [&](const Json &item) { program.constants.push_back(constant(item)); });
  size_t count = 0;
  each(json, "entries", [&](const Json &item) {
    if (count == program.entries.size())
      return fail("entries", "as long as that of all targets");
    Entry &entry = program.entries[count++];
    entry.arenaBytes = size(item, "arena_bytes");
    each(item, "launches",
         [&](const Json &one) { entry.launches.push_back(launch(one)); });
    if (item.contains("loops"))
      each(item, "loops", [&](const Json &one) {
        entry.loops.push_back(
            {size(one, "first"), size(one, "count"), size(one, "turns")});
      });
  });
  if (count != program.entries.size())
    fail("entries", "as long as that of all targets");
}

/// The greatest depth of JSON. A manifest has eight levels. Deeper input is
/// dropped while it is parsed, so that no later code recurses into it.
constexpr int kMaxDepth = 16;

Json parseText(const SharedBytes &bytes) {
  const auto *begin = reinterpret_cast<const char *>(bytes.data());
  auto onEvent = [](int depth, Json::parse_event_t, Json &) {
    return depth <= kMaxDepth;
  };
  return Json::parse(begin, begin + bytes.size(), onEvent,
                     /*allow_exceptions=*/false);
}

Status checkSections(const std::vector<Section> &sections) {
  for (size_t i = 0; i < sections.size(); ++i)
    if ((sections[i].kind == SectionKind::Manifest) != (i == 0))
      return invalidInput("has no manifest as its first section, or several");
  return {};
}

} // namespace

Result<std::vector<std::shared_ptr<const Program>>>
parseManifest(const std::vector<Section> &sections,
              std::span<const CommandRow> commands) {
  MPC_RETURN_IF_ERROR(checkSections(sections));
  Json json = parseText(sections.front().bytes);
  if (!json.is_object())
    return invalidInput("manifest is not a JSON object");
  ManifestReader reader(sections, commands);
  Program common = reader.common(json);
  MPC_RETURN_IF_ERROR(reader.status());
  std::vector<std::shared_ptr<const Program>> programs;
  auto variants = json.find("variants");
  if (variants == json.end() || !variants->is_array() || variants->empty())
    return invalidInput("manifest: 'variants' is not a list of programs");
  for (const Json &variant : *variants) {
    auto program = std::make_shared<Program>(common);
    reader.variant(variant, *program);
    MPC_RETURN_IF_ERROR(reader.status());
    programs.push_back(std::move(program));
  }
  return programs;
}

} // namespace mpc::rt
