// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds roles, owners and keys from names: "fc.weight/momentum",
// "amp.hyper.beta1".
#include "runtime/Program/OldStateNames.h"

#include "runtime/LossScale/PolicyInfo.h"
#include "runtime/LossScale/ScalarState.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace mpc::rt {
namespace {

bool isSetting(std::string_view key) {
  for (size_t i = 0; i != kNumSettings; ++i)
    if (settingKey(static_cast<Setting>(i)) == key)
      return true;
  return false;
}

/// The part of `name` after `prefix`; empty where it has no such prefix.
std::optional<std::string_view> behind(std::string_view name,
                                       std::string_view prefix) {
  if (!name.starts_with(prefix))
    return std::nullopt;
  return name.substr(prefix.size());
}

/// The record of a number called "critic.beta1" or "beta1".
TensorRecord numberCalled(std::string_view name, StateRole role) {
  size_t dot = name.rfind('.');
  if (dot == std::string_view::npos)
    return {role, "", std::string(name)};
  return {role, std::string(name.substr(0, dot)),
          std::string(name.substr(dot + 1))};
}

std::optional<TensorRecord> recordOfNumber(std::string_view name) {
  if (auto number = behind(name, kHyperPrefix)) {
    TensorRecord record = numberCalled(*number, StateRole::Hyperparameters);
    if (isSetting(record.key))
      record.role = StateRole::Setting;
    return record;
  }
  if (auto scaler = behind(name, kScalerName);
      scaler && (scaler->empty() || scaler->front() == '.'))
    return TensorRecord{StateRole::LossScale,
                        std::string(scaler->substr(scaler->empty() ? 0 : 1))};
  if (auto number = behind(name, kOptimizerName);
      number && number->starts_with('.'))
    return numberCalled(number->substr(1), StateRole::Optimizer);
  return std::nullopt;
}

/// The record of a tensor that belongs to one of `names` and is named after it.
/// The average of a parameter may be in a file without the parameter.
std::optional<TensorRecord> recordOfPart(std::string_view name,
                                         const StateNames &names) {
  size_t slash = name.rfind('/');
  if (slash == std::string_view::npos)
    return std::nullopt;
  TensorRecord record{StateRole::Slot, std::string(name.substr(0, slash)),
                      std::string(name.substr(slash + 1))};
  if (record.key == "ema")
    record.role = StateRole::Average;
  else if (!names.contains(record.owner))
    return std::nullopt;
  if (record.key == "pending")
    record.role = StateRole::Pending;
  return record;
}

bool isStatistic(std::string_view name) {
  return name.ends_with("running_mean") || name.ends_with("running_var") ||
         name.ends_with("num_batches_tracked");
}

/// Tells buffers from parameters, among tensors without an owner.
void findBuffers(StateRecord &records) {
  StateNames trained;
  for (const auto &[name, record] : records)
    if (record.role == StateRole::Slot)
      trained.insert(record.owner);
  for (auto &[name, record] : records)
    if (record.role == StateRole::Parameter &&
        (trained.empty() ? isStatistic(name) : !trained.contains(name)))
      record.role = StateRole::Buffer;
}

} // namespace

StateRecord recordOfNames(const StateNames &names) {
  StateRecord records;
  for (const std::string &name : names) {
    std::optional<TensorRecord> record = recordOfNumber(name);
    if (!record)
      record = recordOfPart(name, names);
    records[name] = record.value_or(TensorRecord());
  }
  findBuffers(records);
  return records;
}

void completeOldState(std::vector<StateTensor> &state) {
  StateNames names;
  for (const StateTensor &tensor : state)
    names.insert(tensor.desc.name);
  for (StateTensor &tensor : state) {
    bool isNumber = tensor.role == StateRole::LossScale ||
                    tensor.role == StateRole::Optimizer ||
                    tensor.role == StateRole::Hyperparameters;
    std::optional<TensorRecord> record =
        isNumber ? recordOfNumber(tensor.desc.name)
                 : recordOfPart(tensor.desc.name, names);
    if (!record || tensor.role == StateRole::Parameter)
      continue;
    if (record->role == StateRole::Setting ||
        record->role == StateRole::Average ||
        record->role == StateRole::Pending)
      tensor.role = record->role;
    tensor.owner = record->owner;
    tensor.key = record->key;
  }
}

} // namespace mpc::rt
