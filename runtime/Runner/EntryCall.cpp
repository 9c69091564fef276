// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory and the addresses of an entry's tensors.
#include "runtime/Runner/EntryCall.h"

#include "runtime/Support/Convert.h"
#include "runtime/Support/Text.h"

#include <fmt/format.h>

namespace mpc::rt {

Result<std::byte *> EntryCall::allocate(const char *what,
                                        const TensorDesc &desc) {
  MPC_ASSIGN_OR_RETURN(
      HostBuffer buffer,
      HostBuffer::allocate(desc.numBytes(),
                           fmt::format("{} {}", what, quote(desc.name))));
  memory_.push_back(std::move(buffer));
  return memory_.back().data();
}

Result<EntryCall> EntryCall::create(Runner &runner, const Entry &entry) {
  EntryCall call(runner,
                 static_cast<size_t>(&entry - runner.program().entries.data()));
  for (const TensorDesc &output : entry.outputs) {
    MPC_ASSIGN_OR_RETURN(std::byte * data, call.allocate("output", output));
    call.outputs_.push_back(data);
  }
  call.inputs_.resize(entry.inputs.size());
  call.deviceInputs_.resize(entry.inputs.size());
  call.deviceOutputs_.resize(entry.outputs.size());
  return call;
}

Result<EntryCall> EntryCall::bind(Runner &runner, const Entry &entry,
                                  const Find &find) {
  MPC_ASSIGN_OR_RETURN(EntryCall call, create(runner, entry));
  for (size_t i = 0; i < entry.inputs.size(); ++i) {
    call.inputs_[i] = find(entry.inputs[i]);
    if (!call.inputs_[i])
      return internalError(fmt::format("entry {}: input {} is unknown",
                                       quote(entry.name),
                                       quote(entry.inputs[i].name)));
  }
  return call;
}

Result<EntryCall> EntryCall::fill(Runner &runner, const Entry &entry,
                                  const Fill &fill) {
  MPC_ASSIGN_OR_RETURN(EntryCall call, create(runner, entry));
  for (size_t i = 0; i < entry.inputs.size(); ++i) {
    MPC_ASSIGN_OR_RETURN(std::byte * data,
                         call.allocate("input", entry.inputs[i]));
    MPC_RETURN_IF_ERROR(fill(entry.inputs[i], data));
    call.inputs_[i] = data;
  }
  return call;
}

Result<EntryCall> EntryCall::fill(Runner &runner, std::string_view name,
                                  const Fill &fillInput) {
  const Entry *entry = runner.program().findEntry(name);
  if (!entry)
    return invalidInput("the program has no entry " + quote(name));
  return fill(runner, *entry, fillInput);
}

void EntryCall::setOutput(size_t output, void *data) {
  outputs_[output] = data ? data : memory_[output].data();
  deviceOutputs_[output] = 0;
}

void EntryCall::setDeviceInput(size_t input, DeviceAddress address) {
  inputs_[input] = nullptr;
  deviceInputs_[input] = address;
}

void EntryCall::setDeviceOutput(size_t output, DeviceAddress address) {
  bool isNumber = entry().outputs[output].numElements() == 1;
  outputs_[output] = isNumber ? memory_[output].data() : nullptr;
  deviceOutputs_[output] = address;
}

std::vector<TensorView> EntryCall::outputs() const {
  std::vector<TensorView> views;
  for (size_t i = 0; i < outputs_.size(); ++i)
    views.push_back({entry().outputs[i], outputs_[i]});
  return views;
}

std::optional<TensorView> EntryCall::output(std::string_view name) const {
  for (size_t i = 0; i < outputs_.size(); ++i)
    if (const TensorDesc &desc = entry().outputs[i]; desc.name == name)
      return TensorView{desc, outputs_[i]};
  return std::nullopt;
}

/// The value of the first of these tensors that has the name and one element.
static std::optional<double> scalarOf(std::string_view name,
                                      const std::vector<TensorDesc> &descs,
                                      const auto &memory) {
  for (size_t i = 0; i < descs.size(); ++i) {
    if (descs[i].name != name || descs[i].numElements() != 1 || !memory[i])
      continue;
    double value = 0;
    (void)convert(memory[i], descs[i].dtype, &value, DType::F64, 1);
    return value;
  }
  return std::nullopt;
}

std::optional<size_t> EntryCall::findScalar(std::string_view name) const {
  const std::vector<TensorDesc> &descs = entry().outputs;
  for (size_t i = 0; i < descs.size(); ++i)
    if (descs[i].name == name && descs[i].numElements() == 1)
      return i;
  return std::nullopt;
}

std::optional<double> EntryCall::scalar(std::string_view name) const {
  return scalarOf(name, entry().outputs, outputs_);
}

std::optional<double> EntryCall::number(std::string_view input) const {
  return scalarOf(input, entry().inputs, inputs_);
}

} // namespace mpc::rt
