// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks data, orders samples, and collects batches.
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

/// "f32[Nx3x32x32]": the input's type with N samples.
std::string wantedText(const TensorDesc &input) {
  std::string text = fmt::format("{}[N", name(input.dtype));
  for (size_t i = 1; i < input.shape.size(); ++i)
    text += fmt::format("x{}", input.shape[i]);
  return text + "]";
}

bool contains(std::span<const std::string> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Checks that every name of a shared tensor is an input's.
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

/// A number that no int64 holds becomes the largest one, which is out of any
/// range.
template <typename T>
int64_t integerAt(const void *data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(data) + index * sizeof(T),
              sizeof(T));
  return std::in_range<int64_t>(value) ? static_cast<int64_t>(value)
                                       : std::numeric_limits<int64_t>::max();
}

/// An element of an integer tensor.
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

/// The names of the inputs that have samples.
std::vector<std::string> sampledNames(std::span<const TensorDesc> inputs,
                                      std::span<const std::string> shared) {
  std::vector<std::string> names;
  for (const TensorDesc &desc : inputs)
    if (!contains(shared, desc.name))
      names.push_back(desc.name);
  return names;
}

/// A shared tensor may be in several files. All must have the same values.
Status checkEqual(const std::vector<DataPart> &parts) {
  const TensorDesc &desc = parts[0].tensor.desc();
  std::vector<std::byte> scratch, others;
  for (const DataPart &part : parts)
    if (&part != &parts[0] &&
        (part.tensor.desc().dtype != desc.dtype ||
         std::memcmp(part.tensor.all(others), parts[0].tensor.all(scratch),
                     desc.numBytes()) != 0))
      return invalidInput(fmt::format(
          "{}: tensor {} is shared by all batches, but differs in {}",
          escape(part.path), quote(desc.name), escape(parts[0].path)));
  return {};
}

/// Number of samples of all parts.
int64_t samplesOf(const std::vector<DataPart> &parts) {
  return parts.back().firstSample + parts.back().tensor.desc().shape[0];
}

} // namespace

std::string_view name(SampleOrder order) {
  return order == SampleOrder::Shuffle ? "shuffle" : "sequential";
}

std::string_view name(LastBatch lastBatch) {
  constexpr std::string_view kNames[] = {"drop", "wrap", "smaller"};
  return kNames[static_cast<size_t>(lastBatch)];
}

Result<DataLoader> DataLoader::open(const DataOptions &options,
                                    std::span<const TensorDesc> inputs) {
  MPC_ASSIGN_OR_RETURN(DataFiles files, DataFiles::open(options.files));
  return open(std::move(files), options, inputs);
}

Result<DataLoader> DataLoader::open(DataFiles files, const DataOptions &options,
                                    std::span<const TensorDesc> inputs) {
  DataLoader loader(std::move(files));
  loader.state_.seed = options.seed;
  loader.state_.order = options.order;
  loader.state_.lastBatch = options.lastBatch;
  if (inputs.empty())
    return invalidInput("the program takes no data: it has no input but lr");
  MPC_RETURN_IF_ERROR(checkShared(options.shared, inputs));
  MPC_RETURN_IF_ERROR(
      loader.files_.checkSamples(sampledNames(inputs, options.shared)));
  for (const TensorDesc &desc : inputs)
    MPC_RETURN_IF_ERROR(loader.addInput(desc, options));
  if (std::all_of(loader.inputs_.begin(), loader.inputs_.end(),
                  [](const Input &input) { return input.isShared; }))
    loader.state_.samples = loader.state_.batchSize = 1;
  else if (std::all_of(loader.inputs_.begin(), loader.inputs_.end(),
                       [](const Input &input) {
                         return input.isShared || input.rowElements == 0;
                       }))
    return invalidInput(
        fmt::format("{}: a sample has no elements", loader.files_.label()));
  loader.rows_ = loader.state_.batchSize;
  if (loader.batchesLeft() == 0)
    return invalidInput(fmt::format(
        "{}: holds {} samples, fewer than one batch of {}",
        loader.files_.label(), loader.state_.samples, loader.state_.batchSize));
  if (options.order == SampleOrder::Shuffle)
    loader.order_.resize(static_cast<size_t>(loader.state_.samples));
  loader.orderSamples();
  return loader;
}

Result<std::vector<DataPart>> DataLoader::findSource(const TensorDesc &desc,
                                                     bool isShared) const {
  MPC_ASSIGN_OR_RETURN(std::vector<DataPart> parts, files_.read(desc.name));
  for (const DataPart &part : parts) {
    const TensorDesc &found = part.tensor.desc();
    bool fits =
        isShared ? found.shape == desc.shape : sameSampleShape(found, desc);
    if (!fits || conversion(found.dtype, desc.dtype) == Conversion::None)
      return invalidInput(fmt::format(
          "{}: tensor {}: expected {}, found {}", escape(part.path),
          quote(desc.name), isShared ? toString(desc) : wantedText(desc),
          toString(found)));
  }
  if (isShared)
    MPC_RETURN_IF_ERROR(checkEqual(parts));
  return parts;
}

/// Checks that all inputs that are not shared have one batch size and one
/// number of samples.
Status DataLoader::checkSamples(const TensorDesc &desc,
                                const std::vector<DataPart> &source) {
  auto first = std::find_if(inputs_.begin(), inputs_.end(),
                            [](const Input &input) { return !input.isShared; });
  if (first == inputs_.end()) {
    state_.samples = samplesOf(source);
    state_.batchSize = desc.shape[0];
    return {};
  }
  if (desc.shape[0] != state_.batchSize)
    return invalidInput(
        fmt::format("inputs {} and {} have different first dimensions ({} and "
                    "{}); the first dimension is the batch, except for inputs "
                    "that --shared-input names",
                    quote(first->desc.name), quote(desc.name), state_.batchSize,
                    desc.shape[0]));
  if (samplesOf(source) != state_.samples)
    return invalidInput(fmt::format(
        "{}: tensors {} and {} have different numbers of samples ({} and "
        "{}); name a tensor that all samples share by --shared-input",
        files_.label(), quote(first->desc.name), quote(desc.name),
        state_.samples, samplesOf(source)));
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
  MPC_ASSIGN_OR_RETURN(std::vector<DataPart> source,
                       findSource(desc, isShared));
  if (!isShared)
    MPC_RETURN_IF_ERROR(checkSamples(desc, source));
  MPC_ASSIGN_OR_RETURN(
      HostBuffer buffer,
      HostBuffer::allocate(desc.numBytes(), "input " + quote(desc.name)));
  int64_t rows = isShared ? 1 : desc.shape[0];
  Input input{
      desc, std::move(source), std::move(buffer), desc.numElements() / rows,
      {},   isShared};
  for (const InputBound &bound : options.bounds)
    if (bound.name == desc.name && fits(bound, desc))
      input.bounds.push_back(bound);
  if (isShared)
    MPC_RETURN_IF_ERROR(fetch(input, 0, 0));
  inputs_.push_back(std::move(input));
  return {};
}

void DataLoader::orderSamples() {
  if (state_.order == SampleOrder::Sequential)
    return;
  // Each shuffle starts from the identity, so that an epoch's order follows
  // from the seed and the epoch alone.
  std::iota(order_.begin(), order_.end(), 0);
  Random random(state_.seed, static_cast<uint64_t>(state_.epoch));
  for (size_t i = order_.size(); i > 1; --i)
    std::swap(order_[i - 1], order_[random.below(i)]);
}

const DataPart &DataLoader::partOf(const Input &input, int64_t sample) {
  auto behind = std::upper_bound(
      input.parts.begin() + 1, input.parts.end(), sample,
      [](int64_t s, const DataPart &part) { return s < part.firstSample; });
  return *(behind - 1);
}

Status DataLoader::fetch(Input &input, int64_t sample, int64_t place) {
  const DataPart &part = partOf(input, sample);
  int64_t row = sample - part.firstSample;
  const std::byte *source = input.isShared ? part.tensor.all(scratch_)
                                           : part.tensor.row(row, scratch_);
  DType from = part.tensor.desc().dtype, to = input.desc.dtype;
  auto fault = [&](int64_t value, const std::string &what) {
    return invalidInput(fmt::format("{}: tensor {}, sample {}: {} {}",
                                    escape(part.path), quote(input.desc.name),
                                    row, value, what));
  };
  int64_t before = place * input.rowElements;
  for (const InputBound &bound : input.bounds)
    for (int64_t i = 0; !isFloat(from) && i < input.rowElements; ++i)
      if (int64_t value = integerAt(source, from, i);
          !bound.holds(value) && bound.isRead(input.desc.shape, before + i))
        return fault(value, fmt::format("is not in {} to {}", bound.lower,
                                        bound.upper - 1));
  auto misfit =
      convert(source, from,
              input.buffer.data() + static_cast<size_t>(before) * byteSize(to),
              to, input.rowElements);
  return misfit ? fault(integerAt(source, from, *misfit),
                        fmt::format("does not fit {}", name(to)))
                : Status();
}

int64_t DataLoader::batchesOf(int64_t samples) const {
  int64_t whole = samples / state_.batchSize;
  bool hasRest = samples % state_.batchSize != 0;
  return whole + (hasRest && state_.lastBatch != LastBatch::Drop ? 1 : 0);
}

int64_t DataLoader::restRows() const {
  return state_.lastBatch == LastBatch::Smaller
             ? state_.samples % state_.batchSize
             : 0;
}

TensorDesc DataLoader::inputOf(size_t input, int64_t rows) const {
  TensorDesc desc = inputs_[input].desc;
  if (!inputs_[input].isShared)
    desc.shape[0] = rows;
  return desc;
}

/// The rows of the next batch, which must exist.
int64_t DataLoader::nextRows() const {
  return state_.lastBatch == LastBatch::Smaller
             ? std::min(state_.batchSize, state_.samples - state_.position)
             : state_.batchSize;
}

int64_t DataLoader::batchesPerEpoch() const {
  return batchesOf(state_.samples);
}

int64_t DataLoader::batchesLeft() const {
  return batchesOf(state_.samples - state_.position);
}

int64_t DataLoader::sampleAt(int64_t place) const {
  place %= state_.samples;
  return order_.empty() ? place : order_[static_cast<size_t>(place)];
}

/// Begins the next epoch where this one has no batch left.
void DataLoader::beginEpoch() {
  if (batchesLeft() != 0)
    return;
  ++state_.epoch;
  state_.position = 0;
  orderSamples();
}

void DataLoader::advance() {
  state_.position =
      std::min(state_.position + state_.batchSize, state_.samples);
}

void DataLoader::skip(int64_t batches) {
  for (int64_t i = 0; i < batches; ++i) {
    beginEpoch();
    advance();
  }
}

Status DataLoader::next() {
  beginEpoch();
  rows_ = nextRows();
  for (Input &input : inputs_)
    for (int64_t b = 0; !input.isShared && b < rows_; ++b)
      MPC_RETURN_IF_ERROR(fetch(input, sampleAt(state_.position + b), b));
  advance();
  expectNext();
  return {};
}

void DataLoader::expectNext() const {
  if (batchesLeft() == 0)
    return; // The order of the next epoch is not known yet.
  for (const Input &input : inputs_)
    for (int64_t b = 0; !input.isShared && b < nextRows(); ++b) {
      int64_t sample = sampleAt(state_.position + b);
      const DataPart &part = partOf(input, sample);
      part.tensor.expectRow(sample - part.firstSample);
    }
}

Status DataLoader::restore(const LoaderState &state) {
  auto fault = [&](const char *what, auto then, auto now) {
    return invalidInput(fmt::format(
        "cannot continue with other data: {} was {}, now {}", what, then, now));
  };
  if (state.samples != state_.samples)
    return fault("the number of samples", state.samples, state_.samples);
  if (state.batchSize != state_.batchSize)
    return fault("--batch-size", state.batchSize, state_.batchSize);
  if (state.order != state_.order)
    return fault("--order", name(state.order), name(state_.order));
  if (state.lastBatch != state_.lastBatch)
    return fault("--last-batch", name(state.lastBatch), name(state_.lastBatch));
  if (state.seed != state_.seed && state.order == SampleOrder::Shuffle)
    return fault("--seed", state.seed, state_.seed);
  if (state.epoch < 0 || state.position < 0 ||
      state.position > state_.samples ||
      (state.position % state_.batchSize != 0 &&
       (state.position != state_.samples ||
        state.lastBatch == LastBatch::Drop)))
    return invalidInput(
        fmt::format("position {} of epoch {} is not a place in the data",
                    state.position, state.epoch));
  state_ = state;
  orderSamples();
  return {};
}

} // namespace mpc::rt
