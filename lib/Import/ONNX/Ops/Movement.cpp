// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX ops that move elements without computing.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/ImportError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

Error emitReshape(NodeImporter &node) {
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(auto sizes, node.ints(1, "the shape"));
  bool allowZero = node.intAttr("allowzero", 0) != 0;
  int64_t total = *countElements(input.shape);
  std::optional<size_t> open;
  Shape shape;
  for (auto [axis, size] : enumerate(sizes)) {
    if (size == -1 && open)
      return node.fail("the shape " + shapeText(sizes) + " has two -1");
    if (size == -1)
      open = axis;
    if (size == 0 && !allowZero && static_cast<int64_t>(axis) >= input.rank())
      return node.fail("the shape copies axis " + Twine(axis) +
                       " of an input of rank " + Twine(input.rank()));
    shape.push_back(size == -1                ? 1
                    : size == 0 && !allowZero ? input.shape[axis]
                                              : size);
  }
  std::optional<int64_t> known = countElements(shape);
  bool divides = known && (*known == 0 ? total == 0 : total % *known == 0);
  if (open && divides && *known != 0)
    shape[*open] = total / *known;
  if (!divides || countElements(shape) != total)
    return node.fail("cannot reshape " + shapeText(input.shape) + " to " +
                     shapeText(sizes));
  MPC_TRY(node.checkSize(shape));
  node.result(0, node.build.reshape(input, shape));
  return Error::success();
}

Error emitFlatten(NodeImporter &node) {
  const Operand &input = node.in(0);
  int64_t axis = node.intAttr("axis", 1);
  if (axis < -input.rank() || axis > input.rank())
    return node.fail("axis " + Twine(axis) + " is out of range for rank " +
                     Twine(input.rank()));
  if (axis < 0)
    axis += input.rank();
  // countElements() succeeds for parts of a shape for which it succeeds.
  ArrayRef<int64_t> shape = input.shape;
  Shape flat{*countElements(shape.take_front(axis)),
             *countElements(shape.drop_front(axis))};
  node.result(0, node.build.reshape(input, flat));
  return Error::success();
}

Error emitSqueeze(NodeImporter &node) {
  const Operand &input = node.in(0);
  bool mayStay = node.isSet(setting::kKeepsLongAxes);
  SmallVector<int64_t> gone;
  if (node.has(1)) {
    MPC_TRY_ASSIGN(auto given, node.ints(1, "the axes"));
    MPC_TRY_ASSIGN(gone, node.axes(given, input.rank()));
  } else {
    for (auto [axis, size] : enumerate(input.shape))
      if (size == 1)
        gone.push_back(static_cast<int64_t>(axis));
  }
  Shape shape;
  for (auto [axis, size] : enumerate(input.shape)) {
    bool stays = mayStay && size != 1;
    if (stays || !is_contained(gone, static_cast<int64_t>(axis))) {
      shape.push_back(size);
      continue;
    }
    if (size != 1)
      return node.fail("axis " + Twine(axis) + " of " + shapeText(input.shape) +
                       " has not size 1");
  }
  node.result(0, node.build.reshape(input, shape));
  return Error::success();
}

Error emitUnsqueeze(NodeImporter &node) {
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(auto given, node.ints(1, "the axes"));
  int64_t rank = input.rank() + static_cast<int64_t>(given.size());
  if (rank > 64)
    return node.fail("rank " + Twine(rank) + " is above the limit of 64");
  MPC_TRY_ASSIGN(auto added, node.axes(given, rank));
  Shape shape;
  auto next = input.shape.begin();
  for (int64_t axis = 0; axis < rank; ++axis)
    shape.push_back(is_contained(added, axis) ? 1 : *next++);
  node.result(0, node.build.reshape(input, shape));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Permutations, repetitions
//===----------------------------------------------------------------------===//

Error emitTranspose(NodeImporter &node) {
  const Operand &input = node.in(0);
  SmallVector<int64_t> permutation;
  if (auto given = node.intsAttr("perm")) {
    MPC_TRY_ASSIGN(permutation, node.axes(*given, input.rank()));
  } else {
    permutation = to_vector(reverse(seq<int64_t>(0, input.rank())));
  }
  if (static_cast<int64_t>(permutation.size()) != input.rank())
    return node.fail("attribute 'perm' has " + Twine(permutation.size()) +
                     " axes, the input has rank " + Twine(input.rank()));
  node.result(0, node.build.transpose(input, permutation));
  return Error::success();
}

Error emitExpand(NodeImporter &node) {
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(auto sizes, node.ints(1, "the shape"));
  MPC_TRY(node.checkSize(sizes));
  std::optional<Shape> shape = broadcastShape(input.shape, sizes);
  if (!shape)
    return node.fail("cannot expand " + shapeText(input.shape) + " to " +
                     shapeText(sizes));
  MPC_TRY(node.checkSize(*shape));
  node.result(0, node.build.broadcastTo(input, *shape));
  return Error::success();
}

Error emitTile(NodeImporter &node) {
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(auto repeats, node.ints(1, "the repeats"));
  if (static_cast<int64_t>(repeats.size()) != input.rank())
    return node.fail("has " + Twine(repeats.size()) +
                     " repeats for an input of rank " + Twine(input.rank()));
  MPC_TRY(node.checkSize(repeats));
  // Axis i becomes the two axes (repeat, size), which are joined at the end.
  Shape split, tiled;
  SmallVector<int64_t> axes;
  for (auto [axis, size] : enumerate(input.shape)) {
    if (repeats[axis] != 1)
      split.push_back(repeats[axis]);
    axes.push_back(static_cast<int64_t>(split.size()));
    split.push_back(size);
  }
  MPC_TRY(node.checkSize(split));
  for (auto [axis, size] : enumerate(input.shape))
    tiled.push_back(size * repeats[axis]);
  Operand wide = node.build.broadcast(input, split, axes);
  node.result(0, node.build.reshape(wide, tiled));
  return Error::success();
}

/// Moves blocks of channels to places, or back, with the axes in DCR or CRD
/// order.
Error emitDepthToSpace(NodeImporter &node) {
  const Operand &input = node.in(0);
  int64_t block = node.intAttr("blocksize", 0);
  StringRef mode = node.stringAttr("mode", "DCR");
  if (input.rank() != 4 || block < 1 || block > (1 << 20) ||
      input.shape[1] % (block * block) != 0)
    return node.fail("blocksize " + Twine(block) + " does not fit " +
                     shapeText(input.shape));
  if (mode != "DCR" && mode != "CRD")
    return node.fail("attribute 'mode' is '" + printable(mode) + "'");
  int64_t n = input.shape[0], h = input.shape[2], w = input.shape[3];
  int64_t depth = input.shape[1] / (block * block);
  TensorBuilder &b = node.build;
  Operand moved =
      mode == "DCR"
          ? b.transpose(b.reshape(input, {n, block, block, depth, h, w}),
                        {0, 3, 4, 1, 5, 2})
          : b.transpose(b.reshape(input, {n, depth, block, block, h, w}),
                        {0, 1, 4, 2, 5, 3});
  node.result(0, b.reshape(moved, {n, depth, h * block, w * block}));
  return Error::success();
}

Error emitSpaceToDepth(NodeImporter &node) {
  const Operand &input = node.in(0);
  int64_t block = node.intAttr("blocksize", 0);
  if (input.rank() != 4 || block < 1 || input.shape[2] % block != 0 ||
      input.shape[3] % block != 0)
    return node.fail("blocksize " + Twine(block) + " does not fit " +
                     shapeText(input.shape));
  StringRef mode = node.stringAttr("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    return node.fail("attribute 'mode' is '" + printable(mode) + "'");
  int64_t n = input.shape[0], c = input.shape[1];
  int64_t h = input.shape[2] / block, w = input.shape[3] / block;
  TensorBuilder &b = node.build;
  Operand blocks = b.reshape(input, {n, c, h, block, w, block});
  Operand moved = mode == "DCR" ? b.transpose(blocks, {0, 3, 5, 1, 2, 4})
                                : b.transpose(blocks, {0, 1, 3, 5, 2, 4});
  node.result(0, b.reshape(moved, {n, c * block * block, h, w}));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// One axis of ONNX's Slice: the elements that it takes, and whether backwards.
struct AxisSlice {
  int64_t start, limit, stride;
  bool backwards;
};

AxisSlice readAxisSlice(int64_t size, int64_t start, int64_t end,
                        int64_t step) {
  // A step longer than the axis has the same effect as one of its length.
  // Clamping keeps sums small.
  step = std::clamp(step, -size - 1, size + 1);
  start = start < 0 ? start + size : start;
  end = end < 0 ? end + size : end;
  if (step > 0) {
    start = std::clamp<int64_t>(start, 0, size);
    end = std::clamp<int64_t>(end, start, size);
    return {start, end, step, false};
  }
  start = std::clamp<int64_t>(start, -1, size - 1);
  end = std::clamp<int64_t>(end, -1, start);
  return {size - 1 - start, size - 1 - end, -step, true};
}

Error emitSlice(NodeImporter &node) {
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(auto starts, node.ints(1, "the starts"));
  MPC_TRY_ASSIGN(auto ends, node.ints(2, "the ends"));
  SmallVector<int64_t> steps(starts.size(), 1);
  auto axes = to_vector(seq<int64_t>(0, starts.size()));
  if (node.has(3)) {
    MPC_TRY_ASSIGN(auto given, node.ints(3, "the axes"));
    MPC_TRY_ASSIGN(axes, node.axes(given, input.rank()));
  }
  if (node.has(4)) {
    MPC_TRY_ASSIGN(steps, node.ints(4, "the steps"));
  }
  size_t count = starts.size();
  if (ends.size() != count || axes.size() != count || steps.size() != count ||
      static_cast<int64_t>(count) > input.rank())
    return node.fail("has " + Twine(count) + " starts, " + Twine(ends.size()) +
                     " ends, " + Twine(axes.size()) + " axes and " +
                     Twine(steps.size()) + " steps for rank " +
                     Twine(input.rank()));
  SmallVector<int64_t> from(input.rank(), 0), strides(input.rank(), 1);
  SmallVector<int64_t> to(ArrayRef<int64_t>(input.shape)), backwards;
  for (size_t i = 0; i < count; ++i) {
    if (steps[i] == 0)
      return node.fail("a step is 0");
    int64_t axis = axes[i];
    AxisSlice part =
        readAxisSlice(input.shape[axis], starts[i], ends[i], steps[i]);
    from[axis] = part.start;
    to[axis] = part.limit;
    strides[axis] = part.stride;
    if (part.backwards)
      backwards.push_back(axis);
  }
  Operand source =
      backwards.empty() ? input : node.build.reverse(input, backwards);
  node.result(0, node.build.slice(source, from, to, strides));
  return Error::success();
}

/// The parts of Split and SplitToSequence. The sizes were checked.
Error splitInto(NodeImporter &node, int64_t axis, ArrayRef<int64_t> sizes,
                function_ref<void(size_t, Operand)> result) {
  const Operand &input = node.in(0);
  int64_t sum = 0;
  for (int64_t size : sizes) {
    if (size < 0 || size > input.shape[axis] - sum)
      return node.fail("the parts " + shapeText(sizes) + " do not sum to " +
                       Twine(input.shape[axis]));
    sum += size;
  }
  if (sum != input.shape[axis])
    return node.fail("the parts " + shapeText(sizes) + " do not sum to " +
                     Twine(input.shape[axis]));
  for (auto [index, part] : enumerate(node.build.split(input, axis, sizes)))
    result(index, std::move(part));
  return Error::success();
}

/// Parts of `part` elements; the last one may be smaller.
SmallVector<int64_t> chunks(int64_t size, int64_t part) {
  SmallVector<int64_t> sizes;
  for (int64_t left = size; left > 0; left -= part)
    sizes.push_back(std::min(left, part));
  return sizes;
}

Error emitSplit(NodeImporter &node) {
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(int64_t axis,
                 node.axis(node.intAttr("axis", 0), input.rank()));
  int64_t outputs = static_cast<int64_t>(node.numOutputs());
  if (node.intAttr("num_outputs", outputs) != outputs)
    return node.fail("attribute 'num_outputs' is " +
                     Twine(node.intAttr("num_outputs", 0)) + ", the node has " +
                     Twine(outputs) + " outputs");
  SmallVector<int64_t> sizes;
  if (node.has(1)) {
    MPC_TRY_ASSIGN(sizes, node.ints(1, "the sizes"));
  } else {
    int64_t size = input.shape[axis];
    if (!node.attribute("num_outputs") && size % outputs != 0)
      return node.fail("axis " + Twine(axis) + " of " + shapeText(input.shape) +
                       " does not split into " + Twine(outputs) +
                       " equal parts");
    sizes = chunks(size, std::max<int64_t>((size + outputs - 1) / outputs, 1));
    sizes.resize(outputs, 0);
  }
  if (static_cast<int64_t>(sizes.size()) != outputs)
    return node.fail("has " + Twine(sizes.size()) + " sizes for " +
                     Twine(outputs) + " outputs");
  return splitInto(node, axis, sizes, [&](size_t index, Operand part) {
    node.result(index, std::move(part));
  });
}

Error emitSplitToSequence(NodeImporter &node) {
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(int64_t axis,
                 node.axis(node.intAttr("axis", 0), input.rank()));
  if (input.shape[axis] > 65536)
    return node.fail("splits " + Twine(input.shape[axis]) + " elements");
  bool squeeze = !node.has(1) && node.intAttr("keepdims", 1) == 0;
  SmallVector<int64_t> sizes = chunks(input.shape[axis], 1);
  if (node.has(1)) {
    MPC_TRY_ASSIGN(sizes, node.ints(1, "the sizes"));
    if (node.in(1).rank() == 0) {
      if (sizes[0] < 1)
        return node.fail("the part has size " + Twine(sizes[0]));
      sizes = chunks(input.shape[axis], sizes[0]);
    }
  }
  Shape without(input.shape);
  without.erase(without.begin() + axis);
  std::vector<Operand> parts;
  MPC_TRY(splitInto(node, axis, sizes, [&](size_t, Operand part) {
    parts.push_back(squeeze ? node.build.reshape(part, without)
                            : std::move(part));
  }));
  node.resultSequence(std::move(parts));
  return Error::success();
}

Error emitConcat(NodeImporter &node) {
  SmallVector<Operand> inputs = node.allInputs();
  if (!node.attribute("axis"))
    return node.fail("attribute 'axis' is missing");
  MPC_TRY_ASSIGN(int64_t axis,
                 node.axis(node.intAttr("axis", 0), inputs[0].rank()));
  Shape shape = inputs[0].shape;
  for (size_t i = 1; i < inputs.size(); ++i) {
    MPC_TRY(node.requireSameType(i, 0));
    Shape other = inputs[i].shape;
    if (other.size() == shape.size()) {
      shape[axis] += other[axis];
      other[axis] = shape[axis];
    }
    if (other != shape)
      return node.fail("cannot join " + shapeText(inputs[0].shape) + " and " +
                       shapeText(inputs[i].shape) + " along axis " +
                       Twine(axis));
    MPC_TRY(node.checkSize(shape));
  }
  node.result(0, node.build.concat(inputs, axis));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

/// The source of element `index` (from -low on) of a padded axis.
int64_t sourceOf(int64_t index, int64_t size, StringRef mode) {
  if (mode == "edge")
    return std::clamp<int64_t>(index, 0, size - 1);
  if (mode == "wrap")
    return ((index % size) + size) % size;
  int64_t period = std::max<int64_t>(2 * (size - 1), 1);
  int64_t place = ((index % period) + period) % period;
  return place < size ? place : period - place;
}

/// The sources of the elements of an axis of `size` that is padded by `low` and
/// `high`. Cropped elements are not repeated at the other end, as in PyTorch
/// and ONNX Runtime.
SmallVector<int64_t> sourcesOf(int64_t size, int64_t low, int64_t high,
                               StringRef mode) {
  bool cropsFirst = mode == "wrap";
  int64_t first = cropsFirst ? std::max<int64_t>(-low, 0) : 0;
  int64_t last = size + (cropsFirst ? std::min<int64_t>(high, 0) : 0);
  SmallVector<int64_t> sources;
  for (int64_t i = -low; i < size + high; ++i)
    sources.push_back(first + sourceOf(i - first, last - first, mode));
  return sources;
}

/// Pads by repeating elements, axis by axis.
Error padFromInput(NodeImporter &node, StringRef mode, ArrayRef<int64_t> low,
                   ArrayRef<int64_t> high) {
  Operand result = node.in(0);
  for (int64_t axis = 0; axis < result.rank(); ++axis) {
    int64_t size = result.shape[axis];
    if (low[axis] == 0 && high[axis] == 0)
      continue;
    int64_t kept = size;
    if (mode == "wrap")
      kept +=
          std::min<int64_t>(low[axis], 0) + std::min<int64_t>(high[axis], 0);
    if (kept == 0 || size + low[axis] + high[axis] > 65536)
      return node.fail("axis " + Twine(axis) + " of " +
                       shapeText(result.shape) +
                       " cannot be padded from its elements");
    SmallVector<int64_t> sources = sourcesOf(size, low[axis], high[axis], mode);
    Shape shape = result.shape;
    shape[axis] = static_cast<int64_t>(sources.size());
    MPC_TRY(node.checkSize(shape));
    result = node.build.gather(result, node.build.ints(sources), axis);
  }
  node.result(0, result);
  return Error::success();
}

/// The elements that a Pad adds before and behind each axis. A negative number
/// crops.
struct Pads {
  SmallVector<int64_t> low, high;
};

Expected<Pads> readPads(NodeImporter &node) {
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(auto numbers, node.ints(1, "the pads"));
  auto axes = to_vector(seq<int64_t>(0, input.rank()));
  if (node.has(3)) {
    MPC_TRY_ASSIGN(auto given, node.ints(3, "the axes"));
    MPC_TRY_ASSIGN(axes, node.axes(given, input.rank()));
  }
  if (numbers.size() != 2 * axes.size())
    return node.fail("has " + Twine(numbers.size()) + " pads for " +
                     Twine(axes.size()) + " axes");
  Pads pads{SmallVector<int64_t>(input.rank(), 0),
            SmallVector<int64_t>(input.rank(), 0)};
  for (auto [index, axis] : enumerate(axes)) {
    pads.low[axis] = numbers[index];
    pads.high[axis] = numbers[axes.size() + index];
  }
  return pads;
}

/// Checks that cropped elements exist, and that padded axes have a size.
Error checkPads(const NodeImporter &node, const Pads &pads) {
  constexpr int64_t kMost = int64_t(1) << 40;
  Shape shape = node.in(0).shape;
  for (auto [axis, size, low, high] : enumerate(shape, pads.low, pads.high)) {
    if (std::min(low, high) < -kMost || std::max(low, high) > kMost)
      return node.fail("a pad is out of range");
    if (std::min<int64_t>(low, 0) + std::min<int64_t>(high, 0) + size < 0)
      return node.fail("the pads crop more than axis " + Twine(axis) + " has");
    size += low + high;
  }
  return node.checkSize(shape);
}

Error emitPad(NodeImporter &node) {
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(Pads pads, readPads(node));
  MPC_TRY(checkPads(node, pads));
  StringRef mode = node.stringAttr("mode", "constant");
  if (mode == "edge" || mode == "wrap" || mode == "reflect")
    return padFromInput(node, mode, pads.low, pads.high);
  if (mode != "constant")
    return node.fail("attribute 'mode' is '" + printable(mode) + "'");
  double value = 0.0;
  if (node.has(2)) {
    if (!node.in(2).known || countElements(node.in(2).shape) != 1)
      return node.fail("the value of the padding must be one known number");
    value = nn::realAt(node.in(2).known, 0);
  }
  SmallVector<int64_t> interior(input.rank(), 0);
  node.result(0, node.build.pad(input, pads.low, pads.high, interior, value));
  return Error::success();
}

/// Crops and pads each axis to a size. The middle stays in the middle.
Error emitCenterCropPad(NodeImporter &node) {
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(auto sizes, node.ints(1, "the shape"));
  auto axes = to_vector(seq<int64_t>(0, input.rank()));
  if (auto given = node.intsAttr("axes")) {
    MPC_TRY_ASSIGN(axes, node.axes(*given, input.rank()));
  }
  if (sizes.size() != axes.size())
    return node.fail("has " + Twine(sizes.size()) + " sizes for " +
                     Twine(axes.size()) + " axes");
  Shape shape = input.shape;
  SmallVector<int64_t> low(input.rank(), 0), high(low), none(low);
  for (auto [axis, size] : zip_equal(axes, sizes)) {
    shape[axis] = size;
    // For an odd difference the end gets one more.
    int64_t missing = size - input.shape[axis];
    low[axis] = missing / 2;
    high[axis] = missing - low[axis];
  }
  MPC_TRY(node.checkSize(shape));
  node.result(0, node.build.pad(input, low, high, none, 0.0));
  return Error::success();
}

} // namespace

ArrayRef<OpRule> movementRules() {
  static const OpRule rules[] = {
      {"CenterCropPad", 18, 2, 2, 1, "axes:is", emitCenterCropPad},
      {"Concat", 4, 1, kUnlimited, 1, "axis:i", emitConcat},
      {"DepthToSpace", 1, 1, 1, 1, "blocksize:i", emitDepthToSpace},
      {"DepthToSpace", 11, 1, 1, 1, "blocksize:i mode:s", emitDepthToSpace},
      {"Expand", 8, 2, 2, 1, "", emitExpand},
      {"Flatten", 1, 1, 1, 1, "axis:i", emitFlatten},
      {"Pad", 2, 1, 1, 1, "mode:s pads:is value:f", emitPad, "", false,
       "pads! value"},
      {"Pad", 11, 2, 3, 1, "mode:s", emitPad},
      {"Pad", 18, 2, 4, 1, "mode:s", emitPad},
      {"Reshape", 5, 2, 2, 1, "", emitReshape},
      {"Reshape", 14, 2, 2, 1, "allowzero:i", emitReshape},
      {"Slice", 1, 1, 1, 1, "axes:is ends:is starts:is", emitSlice, "", false,
       "starts! ends! axes"},
      {"Slice", 10, 3, 5, 1, "", emitSlice},
      {"SpaceToDepth", 1, 1, 1, 1, "blocksize:i", emitSpaceToDepth},
      {"SpaceToDepth", 28, 1, 1, 1, "blocksize:i mode:s", emitSpaceToDepth},
      {"Split", 2, 1, 1, kUnlimited, "axis:i split:is", emitSplit, "", false,
       "split"},
      {"Split", 13, 1, 2, kUnlimited, "axis:i", emitSplit},
      {"Split", 18, 1, 2, kUnlimited, "axis:i num_outputs:i", emitSplit},
      {"SplitToSequence", 11, 1, 2, 1, "axis:i keepdims:i",
       emitSplitToSequence},
      {"Squeeze", 1, 1, 1, 1, "axes:is", emitSqueeze, "", false, "axes"},
      {"Squeeze", 13, 1, 2, 1, "", emitSqueeze},
      {"Tile", 6, 2, 2, 1, "", emitTile},
      {"Transpose", 1, 1, 1, 1, "perm:is", emitTranspose},
      {"Unsqueeze", 1, 1, 1, 1, "axes:is", emitUnsqueeze, "", false, "axes!"},
      {"Unsqueeze", 13, 2, 2, 1, "", emitUnsqueeze},
  };
  return rules;
}

} // namespace mpc::onnx
