// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs as JSON and sections.
#include "runtime/Program/Manifest.h"
#include "runtime/Program/ManifestNames.h"
#include "runtime/Support/Hash.h"
#include "runtime/Support/Text.h"

#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace mpc::rt {

std::string_view name(Space space) { return nameOf(space); }
std::string_view name(EntryRole role) { return nameOf(role); }
std::string_view name(InitialKind kind) { return nameOf(kind); }
std::string_view name(ModelMode mode) { return nameOf(mode); }

namespace {

using Json = nlohmann::json;

/// Writes one program after another into sections that they share.
class ManifestWriter {
public:
  /// The fields that are the same for every target.
  Json common(const Program &program);
  /// The fields of one target.
  Json variant(const Program &program);

  /// The sections. The first one is reserved for the manifest.
  std::vector<Section> takeSections() { return std::move(sections_); }

private:
  /// The section with these bytes. Equal bytes share a section.
  size_t add(SectionKind kind, const SharedBytes &bytes);
  Json tensor(const TensorDesc &desc);
  Json slab(const Slab &slab);
  Json state(const StateTensor &tensor);
  Json initial(const InitialValue &value);
  Json code(const CpuTarget &target);
  Json code(const CudaTarget &target);

  std::vector<Section> sections_{1};
  std::map<std::pair<SectionKind, std::string>, size_t> known_;
};

size_t ManifestWriter::add(SectionKind kind, const SharedBytes &bytes) {
  std::string hash = ContentHash::of(bytes.data(), bytes.size());
  auto [it, isNew] = known_.try_emplace({kind, hash}, sections_.size());
  if (isNew)
    sections_.push_back({kind, bytes, hash});
  return it->second;
}

Json ManifestWriter::tensor(const TensorDesc &desc) {
  return {{"name", desc.name},
          {"dtype", safetensorsName(desc.dtype)},
          {"shape", desc.shape}};
}

Json ManifestWriter::slab(const Slab &slab) {
  Json json = {{"name", slab.name}, {"bytes", slab.bytes}};
  if (slab.parts != 1)
    json["parts"] = slab.parts;
  if (!slab.initial.empty())
    json["initial"] = add(SectionKind::Data, slab.initial);
  return json;
}

Json ManifestWriter::state(const StateTensor &state) {
  Json json = tensor(state.desc);
  json["role"] = nameOf(state.role);
  json["slab"] = state.slab;
  json["offset"] = state.offset;
  if (state.hasWideScale)
    json["wide_scale"] = true;
  if (!state.owner.empty())
    json["owner"] = state.owner;
  if (!state.key.empty())
    json["key"] = state.key;
  return json;
}

Json ManifestWriter::initial(const InitialValue &value) {
  Json json = tensor(value.desc);
  json["kind"] = nameOf(value.kind);
  json["argument"] = value.argument;
  json["stream"] = value.stream;
  if (value.kind == InitialKind::Values)
    json["values"] = add(SectionKind::Data, value.values);
  return json;
}

Json listOf(const auto &items, auto &&toJson) {
  Json list = Json::array();
  for (const auto &item : items)
    list.push_back(toJson(item));
  return list;
}

Json protocolOf(const StepProtocol &protocol) {
  Json json = {{"accumulate", protocol.accumulate},
               {"keep_state", protocol.keepState},
               {"floor", protocol.floorName},
               {"rule", protocol.rule}};
  if (protocol.ranks != 1)
    json["ranks"] = protocol.ranks;
  for (const auto &[parameter, gradient] : protocol.callerUpdates)
    json["caller_updates"].push_back(
        Json{{"parameter", parameter}, {"gradient", gradient}});
  return json;
}

Json startOf(const StartRecord &start) {
  return {{"files", listOf(start.files,
                           [](const SourceFile &file) {
                             return Json{{"path", file.path},
                                         {"hash", file.hash}};
                           })},
          {"given", listOf(start.given, [](const GivenNumber &number) {
             return Json{{"flag", number.flag},
                         {"name", number.name},
                         {"value", number.value}};
           })}};
}

Json ManifestWriter::common(const Program &program) {
  auto toTensor = [&](const TensorDesc &desc) { return tensor(desc); };
  Json json;
  json["slabs"] =
      listOf(program.slabs, [&](const Slab &item) { return slab(item); });
  json["state"] = listOf(program.state,
                         [&](const StateTensor &item) { return state(item); });
  json["entries"] = listOf(program.entries, [&](const Entry &entry) {
    return Json{{"name", entry.name},
                {"role", nameOf(entry.role)},
                {"mode", nameOf(entry.mode)},
                {"inputs", listOf(entry.inputs, toTensor)},
                {"outputs", listOf(entry.outputs, toTensor)}};
  });
  json["bounds"] = listOf(program.bounds, [](const InputBound &bound) {
    Json json = {
        {"name", bound.name}, {"lower", bound.lower}, {"upper", bound.upper}};
    if (bound.except)
      json["except"] = *bound.except;
    if (!bound.skipFirst.empty())
      json["unread"] = {{"first", bound.skipFirst}, {"last", bound.skipLast}};
    return json;
  });
  json["initial_values"] =
      listOf(program.initialValues,
             [&](const InitialValue &value) { return initial(value); });
  for (const auto &[name, parameter] : program.tied)
    json["tied"].push_back(Json{{"name", name}, {"parameter", parameter}});
  json["protocol"] = protocolOf(program.protocol);
  if (!program.runDefaults.empty())
    json["run"] = program.runDefaults;
  json["recipe"] = program.recipe;
  json["warnings"] = program.warnings;
  if (!program.start.files.empty())
    json["start"] = startOf(program.start);
  return json;
}

Json launchOf(const Launch &launch) {
  Json json = {{"kind", launch.command->kind()},
               {"symbol", launch.symbol},
               {"sources", launch.sources},
               {"reads", launch.numRead}};
  json["buffers"] = listOf(launch.buffers, [](const BufferRef &ref) {
    Json place = {nameOf(ref.space), ref.index, ref.offset, ref.bytes};
    if (ref.stride != 0) {
      place.push_back(ref.stride);
      place.push_back(ref.period);
    }
    return place;
  });
  launch.command->write(json);
  return json;
}

Json ManifestWriter::code(const CpuTarget &target) {
  return {{"target", "cpu"},
          {"cpu", target.cpu},
          {"machine", target.machine},
          {"code", add(SectionKind::CpuCode, target.image)}};
}

Json ManifestWriter::code(const CudaTarget &target) {
  Json json = {{"target", "cuda"}, {"arch", target.arch.text()}};
  json["modules"] = listOf(target.modules, [&](const DeviceModule &module) {
    Json item = {{"source", add(SectionKind::DeviceSource, module.source)}};
    if (!module.cubin.empty())
      item["code"] = add(SectionKind::DeviceCode, module.cubin);
    return item;
  });
  return json;
}

Json ManifestWriter::variant(const Program &program) {
  Json json = std::visit([&](const auto &target) { return code(target); },
                         program.target);
  json["constants"] = listOf(program.constants, [&](const Constant &constant) {
    return Json{{"name", constant.name},
                {"bytes", constant.bytes.size()},
                {"data", add(SectionKind::Data, constant.bytes)}};
  });
  json["entries"] = listOf(program.entries, [&](const Entry &entry) {
    Json item = {{"arena_bytes", entry.arenaBytes},
                 {"launches", listOf(entry.launches, launchOf)}};
    if (!entry.loops.empty())
      item["loops"] = listOf(entry.loops, [](const LaunchLoop &loop) {
        return Json{{"first", loop.first},
                    {"count", loop.count},
                    {"turns", loop.turns}};
      });
    return item;
  });
  return json;
}

/// The field in which two manifests differ; empty for none.
std::string differenceOf(const Json &one, const Json &other) {
  for (const auto &[key, value] : one.items())
    if (!other.contains(key) || other[key] != value)
      return key;
  return "";
}

} // namespace

Result<std::vector<Section>>
encodeManifest(std::span<const std::shared_ptr<const Program>> programs) {
  ManifestWriter writer;
  Json json;
  Json variants = Json::array();
  for (const auto &program : programs) {
    Json common = writer.common(*program);
    if (json.is_null())
      json = common;
    if (std::string field = differenceOf(json, common); !field.empty())
      return internalError(fmt::format("the program for {} differs in its {}",
                                       quote(nameOf(program->target)), field));
    variants.push_back(writer.variant(*program));
  }
  json["variants"] = std::move(variants);
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  // JSON cannot represent text that is not UTF-8, nor NaN.
  if (Json::parse(text, nullptr, /*allow_exceptions=*/false) != json)
    return invalidInput("the program cannot be written to a file: a name is "
                        "not UTF-8, or a number is not finite");
  std::vector<Section> sections = writer.takeSections();
  sections.front() = {
      SectionKind::Manifest,
      SharedBytes::of(std::vector<char>(text.begin(), text.end())), ""};
  return sections;
}

} // namespace mpc::rt
