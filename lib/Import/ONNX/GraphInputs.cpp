// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Resolves open dimensions of graph inputs.
#include "lib/Import/ONNX/GraphInputs.h"

#include "lib/Import/ImportError.h"
#include "lib/Import/ONNX/Ops/NodeImporter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace mpc::onnx {

char OpenDimension::ID = 0;

namespace {

using ShapeFlags = decltype(ModelOptions::inputShapes);

/// An input's shape, as far as it is known.
struct PartialShape {
  const ValueInfo *input;
  SmallVector<std::optional<int64_t>, 4> sizes;
};

std::string describe(const ValueInfo &input) {
  return "'" + printable(input.name) + "' " + toString(input.type) + "[" +
         toString(input.shape) + "]";
}

std::string listInputs(ArrayRef<const ValueInfo *> inputs) {
  return join(
      map_range(inputs,
                [](const ValueInfo *input) { return describe(*input); }),
      ", ");
}

class InputResolver {
public:
  InputResolver(const Model &model, ArrayRef<const ValueInfo *> inputs,
                const ModelOptions &options, StringMap<int64_t> &symbols)
      : model_(model), inputs_(inputs), options_(options), symbols_(symbols) {}

  Expected<std::vector<Shape>> run();
  /// The flags that fix open dimensions.
  Expected<ShapeFlags> propose(int64_t batch, int64_t size);

private:
  Error readAll();
  std::optional<int64_t> sizeOf(const PartialShape &shape, size_t axis) const;
  Error readFile();
  Error applyFlags();
  Error applyShape(PartialShape &shape, ArrayRef<int64_t> flag);
  Error applyBatch();
  Error bind(PartialShape &shape, size_t axis, int64_t size, StringRef flag);
  Error open(const PartialShape &shape, size_t axis) const;

  const Model &model_;
  ArrayRef<const ValueInfo *> inputs_;
  const ModelOptions &options_;
  StringMap<int64_t> &symbols_;
  std::vector<PartialShape> shapes_;
};

Error InputResolver::readAll() {
  MPC_TRY(readFile());
  MPC_TRY(applyFlags());
  return applyBatch();
}

std::optional<int64_t> InputResolver::sizeOf(const PartialShape &shape,
                                             size_t axis) const {
  if (shape.sizes[axis])
    return shape.sizes[axis];
  auto known = symbols_.find(shape.input->shape[axis].symbol);
  return known == symbols_.end() ? std::nullopt : std::optional(known->second);
}

Expected<ShapeFlags> InputResolver::propose(int64_t batch, int64_t size) {
  MPC_TRY(readAll());
  ShapeFlags flags;
  for (const PartialShape &shape : shapes_) {
    std::vector<int64_t> sizes;
    bool isOpen = false;
    for (size_t axis = 0; axis < shape.sizes.size(); ++axis) {
      std::optional<int64_t> known = sizeOf(shape, axis);
      isOpen |= !known;
      sizes.push_back(known.value_or(axis == 0 ? batch : size));
      if (!shape.input->hasShape || shape.input->shape[axis].symbol.empty())
        continue;
      symbols_.try_emplace(shape.input->shape[axis].symbol, sizes.back());
    }
    if (isOpen)
      flags.emplace_back(shape.input->name, std::move(sizes));
  }
  return flags;
}

Expected<std::vector<Shape>> InputResolver::run() {
  MPC_TRY(readAll());
  std::vector<Shape> result;
  for (const PartialShape &shape : shapes_) {
    Shape sizes;
    for (size_t axis = 0; axis < shape.sizes.size(); ++axis) {
      std::optional<int64_t> size = sizeOf(shape, axis);
      if (!size)
        return open(shape, axis);
      sizes.push_back(*size);
    }
    if (!countElements(sizes))
      return invalidModel(model_.path + ": input " + describe(*shape.input) +
                          " is negative or too large");
    result.push_back(std::move(sizes));
  }
  return result;
}

Error InputResolver::readFile() {
  for (const ValueInfo *input : inputs_) {
    if (!input->isTensor)
      return invalidModel(model_.path + ": input '" + printable(input->name) +
                          "' is not a tensor");
    PartialShape shape{input, {}};
    for (const Dimension &dimension : input->shape)
      shape.sizes.push_back(dimension.size);
    shapes_.push_back(std::move(shape));
  }
  return Error::success();
}

Error InputResolver::applyFlags() {
  StringSet<> seen;
  for (const auto &[name, flag] : options_.inputShapes) {
    auto found = find_if(shapes_, [&](const PartialShape &shape) {
      return shape.input->name == name;
    });
    if (found == shapes_.end())
      return usageFault("--input-shape=" + printable(name) +
                        "=...: the model has no such input; it has " +
                        listInputs(inputs_));
    if (!seen.insert(name).second)
      return usageFault("--input-shape gives '" + printable(name) +
                        "' a shape twice");
    MPC_TRY(applyShape(*found, flag));
  }
  for (const PartialShape &shape : shapes_)
    if (!shape.input->hasShape && !seen.contains(shape.input->name))
      return invalidModel(model_.path + ": input '" +
                          printable(shape.input->name) +
                          "' has no shape; give it one with --input-shape=" +
                          printable(shape.input->name) + "=...");
  return Error::success();
}

Error InputResolver::applyShape(PartialShape &shape, ArrayRef<int64_t> flag) {
  if (!shape.input->hasShape) {
    shape.sizes.assign(flag.begin(), flag.end());
    return Error::success();
  }
  if (flag.size() != shape.sizes.size())
    return usageFault("--input-shape=" + printable(shape.input->name) + "=" +
                      shapeText(flag) + " has rank " + Twine(flag.size()) +
                      ", the model's input is " + describe(*shape.input));
  for (auto [axis, size] : enumerate(flag))
    MPC_TRY(bind(shape, axis, size,
                 "--input-shape=" + printable(shape.input->name) + "=" +
                     shapeText(flag)));
  return Error::success();
}

Error InputResolver::bind(PartialShape &shape, size_t axis, int64_t size,
                          StringRef flag) {
  const Dimension &dimension = shape.input->shape[axis];
  if (dimension.size && *dimension.size != size)
    return usageFault(flag + ": dimension " + Twine(axis) + " of input " +
                      describe(*shape.input) + " is fixed");
  shape.sizes[axis] = size;
  if (dimension.symbol.empty())
    return Error::success();
  auto [known, isNew] = symbols_.try_emplace(dimension.symbol, size);
  if (!isNew && known->second != size)
    return usageFault(flag + ": dimension '" + printable(dimension.symbol) +
                      "' is " + Twine(known->second) +
                      " in another input, here " + Twine(size));
  return Error::success();
}

Error InputResolver::applyBatch() {
  if (!options_.batchSize)
    return Error::success();
  int64_t batch = *options_.batchSize;
  std::string flag = "--batch-size=" + std::to_string(batch);
  bool anyOpen = false;
  for (PartialShape &shape : shapes_) {
    if (shape.input->shape.empty() || shape.input->shape[0].size)
      continue;
    anyOpen = true;
    if (shape.sizes[0] && *shape.sizes[0] != batch)
      return usageFault(flag + ": --input-shape gives input '" +
                        printable(shape.input->name) + "' a batch of " +
                        Twine(*shape.sizes[0]));
    MPC_TRY(bind(shape, 0, batch, flag));
  }
  if (anyOpen)
    return Error::success();
  // Some inputs may have no batch. The others must agree.
  const ValueInfo *fixed = nullptr;
  for (const PartialShape &shape : shapes_) {
    if (shape.sizes.empty())
      continue;
    if (*shape.sizes[0] == batch)
      return Error::success();
    fixed = fixed ? fixed : shape.input;
  }
  return usageFault(
      flag + (fixed ? ": the model's batch is fixed, input " + describe(*fixed)
                    : ": no input has a batch dimension"));
}

Error InputResolver::open(const PartialShape &shape, size_t axis) const {
  const ValueInfo &input = *shape.input;
  std::string symbol = input.shape[axis].symbol.empty()
                           ? ""
                           : " ('" + printable(input.shape[axis].symbol) + "')";
  std::string message = (model_.path + ": dimension " + Twine(axis) + symbol +
                         " of input '" + printable(input.name) + "' is open")
                            .str();
  return make_error<OpenDimension>(std::move(message));
}

} // namespace

std::vector<const ValueInfo *> trueInputs(const Graph &graph) {
  StringSet<> initialized;
  for (const Tensor &tensor : graph.initializers)
    initialized.insert(tensor.name);
  std::vector<const ValueInfo *> inputs;
  for (const ValueInfo &input : graph.inputs)
    if (!initialized.contains(input.name))
      inputs.push_back(&input);
  return inputs;
}

Expected<std::vector<Shape>>
resolveInputShapes(const Model &model, ArrayRef<const ValueInfo *> inputs,
                   const ModelOptions &options, StringMap<int64_t> &symbols) {
  return InputResolver(model, inputs, options, symbols).run();
}

std::optional<ModelOptions> withSizes(const Model &model,
                                      const ModelOptions &options,
                                      int64_t batch, int64_t size) {
  StringMap<int64_t> symbols;
  std::vector<const ValueInfo *> inputs = trueInputs(model.graph);
  Expected<ShapeFlags> flags =
      InputResolver(model, inputs, options, symbols).propose(batch, size);
  if (!flags) {
    consumeError(flags.takeError());
    return std::nullopt;
  }
  ModelOptions result = options;
  append_range(result.inputShapes, *flags);
  return result;
}

} // namespace mpc::onnx
