// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of the data file, order of samples, and gathering of batches.
#include "runtime/Train/Data.h"

#include "runtime/Support/Random.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <utility>

namespace mpc::rt {
namespace {

/// "f32[Nx3x32x32]": the input with N samples.
std::string wantedText(const TensorDesc &input) {
  std::string text = fmt::format("{}[N", name(input.dtype));
  for (size_t i = 1; i < input.shape.size(); ++i)
    text += fmt::format("x{}", input.shape[i]);
  return text + "]";
}

bool contains(std::span<const std::string> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Every name that is to be shared is that of an input.
Status checkShared(std::span<const std::string> shared,
                   std::span<const TensorDesc> inputs) {
  std::vector<std::string> known;
  for (const TensorDesc &desc : inputs)
    known.push_back(desc.name);
  std::vector<std::string> quoted;
  for (const std::string &name : known)
    quoted.push_back(quote(name));
  for (const std::string &name : shared)
    if (!contains(known, name))
      return usageError(fmt::format("--shared-input={}: no input has that "
                                    "name; there are {}",
                                    escape(name), joinSome(quoted)));
  return {};
}

bool sameSampleShape(const TensorDesc &a, const TensorDesc &b) {
  return a.shape.size() == b.shape.size() &&
         std::equal(a.shape.begin() + 1, a.shape.end(), b.shape.begin() + 1);
}

/// What no int64 holds becomes the largest one, which is out of any range.
template <typename T>
int64_t integerAt(const void *data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(data) + index * sizeof(T),
              sizeof(T));
  return std::in_range<int64_t>(value) ? static_cast<int64_t>(value)
                                       : std::numeric_limits<int64_t>::max();
}

/// Element of an integer tensor.
int64_t integerAt(const void *data, DType dtype, int64_t index) {
  switch (dtype) {
  case DType::I64:
    return integerAt<int64_t>(data, index);
  case DType::I32:
    return integerAt<int32_t>(data, index);
  case DType::I16:
    return integerAt<int16_t>(data, index);
  case DType::I8:
    return integerAt<int8_t>(data, index);
  case DType::U64:
    return integerAt<uint64_t>(data, index);
  case DType::U32:
    return integerAt<uint32_t>(data, index);
  case DType::U16:
    return integerAt<uint16_t>(data, index);
  default:
    return integerAt<uint8_t>(data, index);
  }
}

} // namespace

Result<DataLoader> DataLoader::open(const DataOptions &options,
                                    std::span<const TensorDesc> inputs) {
  MPC_ASSIGN_OR_RETURN(SafetensorsFile file,
                       SafetensorsFile::open(options.path));
  DataLoader loader(std::move(file));
  loader.state_.seed = options.seed;
  loader.state_.order = options.order;
  if (inputs.empty())
    return invalidInput("the program takes no data: it has no input but lr");
  MPC_RETURN_IF_ERROR(checkShared(options.shared, inputs));
  for (const TensorDesc &desc : inputs)
    MPC_RETURN_IF_ERROR(loader.addInput(desc, options));
  if (std::all_of(loader.inputs_.begin(), loader.inputs_.end(),
                  [](const Input &input) { return input.isShared; }))
    loader.state_.samples = loader.state_.batchSize = 1;
  if (loader.state_.samples < loader.state_.batchSize)
    return invalidInput(fmt::format(
        "{}: holds {} samples, fewer than one batch of {}",
        escape(options.path), loader.state_.samples, loader.state_.batchSize));
  if (options.order == SampleOrder::Shuffle)
    loader.order_.resize(static_cast<size_t>(loader.state_.samples));
  loader.orderSamples();
  return loader;
}

Result<const TensorView *> DataLoader::findSource(const TensorDesc &desc,
                                                  bool isShared) const {
  std::string path = escape(file_.path());
  const TensorView *source = file_.find(desc.name);
  if (!source)
    return invalidInput(fmt::format("{}: no tensor {}; the file has {}", path,
                                    quote(desc.name), file_.describe()));
  bool fits = isShared ? source->desc.shape == desc.shape
                       : sameSampleShape(source->desc, desc);
  if (!fits || conversion(source->desc.dtype, desc.dtype) == Conversion::None)
    return invalidInput(fmt::format(
        "{}: tensor {}: expected {}, found {}", path, quote(desc.name),
        isShared ? toString(desc) : wantedText(desc), toString(source->desc)));
  return source;
}

/// All inputs that are not shared have one batch size and number of samples.
Status DataLoader::checkSamples(const TensorDesc &desc,
                                const TensorView &source) {
  auto first = std::find_if(inputs_.begin(), inputs_.end(),
                            [](const Input &input) { return !input.isShared; });
  if (first == inputs_.end()) {
    state_.samples = source.desc.shape[0];
    state_.batchSize = desc.shape[0];
    return {};
  }
  if (desc.shape[0] != state_.batchSize)
    return invalidInput(fmt::format(
        "inputs {} and {} have different first dimensions ({} and {}); the "
        "first dimension is the batch, but of those that --shared-input names",
        quote(first->desc.name), quote(desc.name), state_.batchSize,
        desc.shape[0]));
  if (source.desc.shape[0] != state_.samples)
    return invalidInput(fmt::format(
        "{}: tensors {} and {} have different numbers of samples ({} and {})",
        escape(file_.path()), quote(first->desc.name), quote(desc.name),
        state_.samples, source.desc.shape[0]));
  return {};
}

Status DataLoader::addInput(const TensorDesc &desc,
                            const DataOptions &options) {
  bool isShared = contains(options.shared, desc.name);
  if (!isShared && (desc.shape.empty() || desc.shape[0] <= 0))
    return invalidInput(fmt::format(
        "input {} is {}: its first dimension is not a batch; name it by "
        "--shared-input if all batches share it",
        quote(desc.name), toString(desc)));
  MPC_ASSIGN_OR_RETURN(const TensorView *source, findSource(desc, isShared));
  if (!isShared)
    MPC_RETURN_IF_ERROR(checkSamples(desc, *source));
  MPC_ASSIGN_OR_RETURN(
      HostBuffer buffer,
      HostBuffer::allocate(desc.numBytes(), "input " + quote(desc.name)));
  int64_t rows = isShared ? 1 : desc.shape[0];
  Input input{source, desc,  std::move(buffer), desc.numElements() / rows,
              {},     false, isShared};
  for (const InputBound &bound : options.bounds)
    if (bound.name == desc.name && !isFloat(source->desc.dtype)) {
      input.bound = bound;
      input.hasBound = true;
    }
  if (isShared)
    MPC_RETURN_IF_ERROR(fetchRow(input, 0, 0));
  inputs_.push_back(std::move(input));
  return {};
}

void DataLoader::orderSamples() {
  if (state_.order == SampleOrder::Sequential)
    return;
  // From the identity each time, so that an epoch's order follows from the
  // seed and the epoch alone.
  std::iota(order_.begin(), order_.end(), 0);
  Random random(state_.seed, static_cast<uint64_t>(state_.epoch));
  for (size_t i = order_.size(); i > 1; --i)
    std::swap(order_[i - 1], order_[random.below(i)]);
}

Status DataLoader::checkRow(const Input &input, int64_t sample,
                            int64_t row) const {
  if (!input.hasBound)
    return {};
  for (int64_t i = 0; i < input.rowElements; ++i) {
    int64_t value =
        integerAt(input.source->data, input.source->desc.dtype, row + i);
    if (!input.bound.holds(value))
      return invalidInput(
          fmt::format("{}: tensor {}, sample {}: {} is not in {} to {}",
                      escape(file_.path()), quote(input.desc.name), sample,
                      value, input.bound.lower, input.bound.upper - 1));
  }
  return {};
}

Status DataLoader::fetchRow(Input &input, int64_t row, int64_t place) {
  int64_t begin = row * input.rowElements;
  MPC_RETURN_IF_ERROR(checkRow(input, row, begin));
  DType from = input.source->desc.dtype, to = input.desc.dtype;
  auto misfit =
      convert(static_cast<const std::byte *>(input.source->data) +
                  static_cast<size_t>(begin) * byteSize(from),
              from,
              input.buffer.data() +
                  static_cast<size_t>(place * input.rowElements) * byteSize(to),
              to, input.rowElements);
  if (!misfit)
    return {};
  return invalidInput(fmt::format(
      "{}: tensor {}, sample {}: {} does not fit {}", escape(file_.path()),
      quote(input.desc.name), row,
      integerAt(input.source->data, from, begin + *misfit), name(to)));
}

Status DataLoader::next() {
  if (state_.position + state_.batchSize > state_.samples) {
    ++state_.epoch;
    state_.position = 0;
    orderSamples();
  }
  for (Input &input : inputs_) {
    if (input.isShared)
      continue;
    for (int64_t b = 0; b < state_.batchSize; ++b) {
      int64_t place = state_.position + b;
      MPC_RETURN_IF_ERROR(fetchRow(
          input, order_.empty() ? place : order_[static_cast<size_t>(place)],
          b));
    }
  }
  state_.position += state_.batchSize;
  return {};
}

Status DataLoader::restore(const LoaderState &state) {
  auto fault = [&](const char *what, auto then, auto now) {
    return invalidInput(fmt::format(
        "cannot continue with other data: {} was {}, now {}", what, then, now));
  };
  auto orderName = [](SampleOrder order) {
    return order == SampleOrder::Shuffle ? "shuffle" : "sequential";
  };
  if (state.samples != state_.samples)
    return fault("the number of samples", state.samples, state_.samples);
  if (state.batchSize != state_.batchSize)
    return fault("--batch-size", state.batchSize, state_.batchSize);
  if (state.order != state_.order)
    return fault("--order", orderName(state.order), orderName(state_.order));
  if (state.seed != state_.seed && state.order == SampleOrder::Shuffle)
    return fault("--seed", state.seed, state_.seed);
  if (state.epoch < 0 || state.position < 0 ||
      state.position > state_.samples || state.position % state_.batchSize != 0)
    return invalidInput(
        fmt::format("position {} of epoch {} is not a place in the data",
                    state.position, state.epoch));
  state_ = state;
  orderSamples();
  return {};
}

} // namespace mpc::rt
