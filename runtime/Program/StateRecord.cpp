// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of a checkpoint's tensors: written, read and checked.
#include "runtime/Program/StateRecord.h"

#include "runtime/Program/OldStateNames.h"
#include "runtime/Support/Text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <string_view>

namespace mpc::rt {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kField = "state";

/// The error for a record that does not fit its file.
Status refuse(std::string_view fault) {
  return invalidInput(fmt::format("field '{}' {}; it must describe each tensor "
                                  "as mpc writes it: take another checkpoint",
                                  kField, fault));
}

Status refuseTensor(std::string_view name, std::string_view fault) {
  return refuse(fmt::format("has, for tensor {}, {}", quote(name), fault));
}

/// Reads a text of a row; a missing one is empty.
Status readText(const Json &row, const char *word, std::string_view tensor,
                std::string &text) {
  auto found = row.find(word);
  if (found == row.end())
    return {};
  if (!found->is_string())
    return refuseTensor(tensor, fmt::format("a {} that is not a text", word));
  text = found->get<std::string>();
  return {};
}

Result<TensorRecord> readRow(std::string_view name, const Json &row) {
  if (!row.is_object())
    return refuseTensor(name, "no role");
  std::string role;
  TensorRecord record;
  MPC_RETURN_IF_ERROR(readText(row, "role", name, role));
  MPC_RETURN_IF_ERROR(readText(row, "owner", name, record.owner));
  MPC_RETURN_IF_ERROR(readText(row, "key", name, record.key));
  std::optional<StateRole> known = findStateRole(role);
  if (!known)
    return refuseTensor(name, fmt::format("the unknown role {}; known are {}",
                                          quote(role),
                                          fmt::join(kStateRoleNames, ", ")));
  record.role = *known;
  return record;
}

Result<StateRecord> readRows(const std::string &text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return refuse("is not an object of tensors");
  StateRecord records;
  for (const auto &[name, row] : json.items()) {
    MPC_ASSIGN_OR_RETURN(records[name], readRow(name, row));
  }
  return records;
}

/// Compares a record with the tensors that it describes.
Status checkRecord(const StateRecord &records, const StateNames &names) {
  for (const std::string &name : names)
    if (!records.contains(name))
      return refuseTensor(name, "no role");
  for (const auto &[name, record] : records) {
    if (!names.contains(name))
      return refuseTensor(
          name, fmt::format("the role {}, and the file has no such tensor",
                            rt::name(record.role)));
    if (hasOwner(record.role) && !names.contains(record.owner))
      return refuseTensor(
          name, fmt::format("the owner {}, and the file has no such tensor",
                            quote(record.owner)));
  }
  return {};
}

} // namespace

StateRecord recordOf(const Program &program) {
  StateRecord records;
  for (const StateTensor &tensor : program.state)
    if (isSaved(tensor.role))
      records[tensor.desc.name] = {tensor.role, tensor.owner, tensor.key};
  return records;
}

Metadata toFields(const StateRecord &record) {
  Json json = Json::object();
  for (const auto &[name, tensor] : record) {
    Json &row = json[name];
    row["role"] = rt::name(tensor.role);
    if (!tensor.owner.empty())
      row["owner"] = tensor.owner;
    if (!tensor.key.empty())
      row["key"] = tensor.key;
  }
  return {{std::string(kField),
           json.dump(-1, ' ', false, Json::error_handler_t::replace)}};
}

Result<StateRecord> parseStateRecord(const Metadata &fields,
                                     std::span<const TensorView> tensors) {
  StateNames names;
  for (const TensorView &tensor : tensors)
    names.insert(tensor.desc.name);
  auto field = fields.find(kField);
  if (field == fields.end())
    return recordOfNames(names);
  MPC_ASSIGN_OR_RETURN(StateRecord records, readRows(field->second));
  MPC_RETURN_IF_ERROR(checkRecord(records, names));
  return records;
}

Result<StateRecord> readStateRecord(const SafetensorsFile &file) {
  Result<StateRecord> records =
      parseStateRecord(file.metadata(), file.tensors());
  if (!records.ok())
    return records.status().withContext(escape(file.path()));
  return records;
}

} // namespace mpc::rt
