// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binds tensors to inputs and outputs, and checks that they may be bound.
#include "runtime/CAPI/Bindings.h"

#include "runtime/Program/StepNames.h"
#include "runtime/Support/Convert.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mpc::rt {
namespace {

const char *nameOf(Direction direction) {
  return direction == Direction::Input ? "input" : "output";
}

bool isNumber(const TensorDesc &desc) {
  return desc.shape.empty() && isFloat(desc.dtype);
}

bool meet(const void *a, size_t aBytes, const void *b, size_t bBytes) {
  auto aBegin = reinterpret_cast<uintptr_t>(a);
  auto bBegin = reinterpret_cast<uintptr_t>(b);
  return aBegin < bBegin + bBytes && bBegin < aBegin + aBytes;
}

/// Whether `name` is meant by the name `given`. A caller waits for each step,
/// so that a step has one rate, whatever the outcome of the step before.
bool isMeant(Direction direction, std::string_view given,
             std::string_view own) {
  bool isOtherRate = direction == Direction::Input &&
                     given == step::kLearningRate &&
                     own == step::kRateAfterSkip;
  return given == own || isOtherRate;
}

} // namespace

/// Calls `body` with each entry that has an input or output of this name.
void Bindings::visit(Direction direction, std::string_view name,
                     const Visit &body) const {
  for (EntryCall *call : calls_) {
    const Entry &entry = call->entry();
    const std::vector<TensorDesc> &tensors =
        direction == Direction::Input ? entry.inputs : entry.outputs;
    for (size_t i = 0; i < tensors.size(); ++i)
      if (isMeant(direction, name, tensors[i].name))
        body(*call, i, tensors[i]);
  }
}

Status Bindings::checkFits(Direction direction, const TensorDesc &given) const {
  std::vector<std::string> expected;
  bool fits = false;
  visit(
      direction, given.name, [&](EntryCall &, size_t, const TensorDesc &desc) {
        std::string text = toString(desc);
        if (std::find(expected.begin(), expected.end(), text) == expected.end())
          expected.push_back(std::move(text));
        fits |= desc.dtype == given.dtype && desc.shape == given.shape;
      });
  if (expected.empty())
    return invalidInput(fmt::format("the program has no {} {}",
                                    nameOf(direction), quote(given.name)));
  if (!fits)
    return invalidInput(fmt::format(
        "{} {}: expected {}, found {}", nameOf(direction), quote(given.name),
        fmt::join(expected, " or "), toString(given)));
  return {};
}

/// A run must not write to the memory of any other tensor.
Status Bindings::checkApart(Direction direction,
                            const CallerTensor &tensor) const {
  size_t bytes = tensor.desc.numBytes();
  if (bytes == 0)
    return {};
  std::string who =
      fmt::format("{} {}", nameOf(direction), quote(tensor.desc.name));
  if (runner_->ownsSome(tensor.data, bytes))
    return invalidInput(who + " lies in the runner's own memory");
  for (Direction other : {Direction::Input, Direction::Output}) {
    if (direction == Direction::Input && other == Direction::Input)
      continue;
    for (const auto &[name, bound] :
         other == Direction::Input ? inputs_ : outputs_)
      for (const Binding &one : bound)
        if ((other != direction || name != tensor.desc.name) &&
            meet(tensor.data, bytes, one.data, one.bytes))
          return invalidInput(fmt::format("{} overlaps the memory of {} {}",
                                          who, nameOf(other), quote(name)));
  }
  return {};
}

/// A run reads and writes memory of a CPU, and of the GPU that it runs on.
Status Bindings::checkMemory(const CallerTensor &tensor) const {
  if (!tensor.gpu)
    return {};
  if (*tensor.gpu != kDeviceNumber)
    return invalidInput(fmt::format("tensor {} lies on cuda:{}, and the "
                                    "program runs on cuda:{}",
                                    quote(tensor.desc.name), *tensor.gpu,
                                    kDeviceNumber));
  Status status = runner_->checkDeviceMemory(
      reinterpret_cast<DeviceAddress>(tensor.data), tensor.desc.numBytes());
  return status.withContext(fmt::format("tensor {}, which lies on cuda:{}",
                                        quote(tensor.desc.name), *tensor.gpu));
}

/// Lets calls find the tensor; one without memory ends the binding.
void Bindings::point(Direction direction, const CallerTensor &tensor) const {
  const TensorDesc &desc = tensor.desc;
  auto address = reinterpret_cast<DeviceAddress>(tensor.data);
  visit(direction, desc.name,
        [&](EntryCall &call, size_t index, const TensorDesc &own) {
          if (own.dtype != desc.dtype || own.shape != desc.shape)
            return;
          if (direction == Direction::Input && tensor.gpu)
            call.setDeviceInput(index, address);
          else if (direction == Direction::Input)
            call.setInput(index, tensor.data);
          else if (tensor.gpu)
            call.setDeviceOutput(index, address);
          else
            call.setOutput(index, tensor.data);
        });
}

Status Bindings::bind(Direction direction, const CallerTensor &tensor,
                      TensorOwner &owner) {
  MPC_RETURN_IF_ERROR(checkFits(direction, tensor.desc));
  MPC_RETURN_IF_ERROR(checkMemory(tensor));
  MPC_RETURN_IF_ERROR(checkApart(direction, tensor));
  // A tensor without elements may have no address, and nothing is read there.
  static std::byte empty;
  CallerTensor known = tensor;
  if (!known.data) {
    known.data = &empty;
    known.gpu.reset();
  }
  Binding binding{known.desc.shape, known.data, known.desc.numBytes(),
                  std::move(owner)};
  std::vector<Binding> &bound = boundAs(direction)[tensor.desc.name];
  auto earlier =
      std::find_if(bound.begin(), bound.end(), [&](const Binding &one) {
        return one.shape == binding.shape;
      });
  if (earlier == bound.end())
    bound.push_back(std::move(binding));
  else
    *earlier = std::move(binding);
  point(direction, known);
  if (direction == Direction::Input) {
    shapes_[tensor.desc.name] = tensor.desc.shape;
    numbers_.erase(tensor.desc.name);
  }
  return {};
}

Status Bindings::unbind(Direction direction, std::string_view name) {
  ByName &bound = boundAs(direction);
  auto it = bound.find(name);
  if (it == bound.end())
    return usageError(fmt::format("no memory is bound to {} {}",
                                  nameOf(direction), quote(name)));
  visit(direction, name,
        [&](EntryCall &call, size_t index, const TensorDesc &desc) {
          point(direction, {desc});
        });
  bound.erase(it);
  if (direction == Direction::Input)
    shapes_.erase(std::string(name));
  return {};
}

bool Bindings::hasNumber(std::string_view name) const {
  bool found = false;
  visit(Direction::Input, name,
        [&](EntryCall &, size_t, const TensorDesc &desc) {
          found |= isNumber(desc);
        });
  return found;
}

void Bindings::setNumber(std::string_view name, double value) {
  visit(
      Direction::Input, name, [&](EntryCall &, size_t, const TensorDesc &desc) {
        if (!isNumber(desc))
          return;
        auto it = numbers_.try_emplace(std::string(name)).first;
        Number &number = it->second;
        number.dtype = desc.dtype;
        (void)convert(&value, DType::F64, number.memory.data(), desc.dtype, 1);
        point(Direction::Input, {desc, number.memory.data()});
      });
  if (auto it = inputs_.find(name); it != inputs_.end())
    inputs_.erase(it);
}

std::optional<double> Bindings::number(std::string_view name) const {
  auto it = numbers_.find(name);
  if (it == numbers_.end())
    return std::nullopt;
  double value = 0;
  (void)convert(it->second.memory.data(), it->second.dtype, &value, DType::F64,
                1);
  return value;
}

} // namespace mpc::rt
