// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ATen's pads.
#include "lib/Import/Exported/Call.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace mpc::exported {

namespace {

/// The pads of all axes, in front and behind; they are given from the last axis
/// on.
struct Pads {
  Shape low, high;
};

Expected<Pads> readPads(Call &call, const Operand &x, StringRef name) {
  MPC_TRY_ASSIGN(SmallVector<int64_t> given, call.integers(name));
  if (given.size() % 2 != 0 || given.size() > 2 * x.shape.size())
    return call.fail("argument '" + name + "' has " + Twine(given.size()) +
                     " numbers for a tensor of rank " + Twine(x.rank()));
  Pads pads{Shape(x.rank(), 0), Shape(x.rank(), 0)};
  for (size_t i = 0; i < given.size(); i += 2) {
    size_t axis = x.rank() - 1 - i / 2;
    pads.low[axis] = given[i];
    pads.high[axis] = given[i + 1];
    if (given[i] > INT32_MAX || given[i + 1] > INT32_MAX)
      return call.fail("the pads are too wide");
  }
  return pads;
}

/// A pad that is negative cuts.
Error padWithConstant(Call &call, double value) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(Pads pads, readPads(call, x, "pad"));
  Shape starts(x.rank(), 0), limits = x.shape;
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    starts[axis] = std::max<int64_t>(-pads.low[axis], 0);
    limits[axis] += std::min<int64_t>(pads.high[axis], 0);
    if (starts[axis] > limits[axis])
      return call.fail("the pads cut off more than there is");
    pads.low[axis] = std::max<int64_t>(pads.low[axis], 0);
    pads.high[axis] = std::max<int64_t>(pads.high[axis], 0);
  }
  TensorBuilder &b = call.build;
  x = b.slice(x, starts, limits, Shape(x.rank(), 1));
  call.result(b.pad(x, pads.low, pads.high, Shape(x.rank(), 0), value));
  return Error::success();
}

/// What a pad repeats of the operand.
enum class Mirror {
  Reflect,   ///< What lies behind the outermost element, in reverse.
  Replicate, ///< The outermost element.
  Circular,  ///< What lies at the other end.
};

/// The `count` elements in front of an axis, or behind it.
Operand repeated(TensorBuilder &b, const Operand &x, int64_t axis,
                 int64_t count, bool isFront, Mirror mirror) {
  int64_t size = x.shape[axis];
  switch (mirror) {
  case Mirror::Reflect: {
    int64_t first = isFront ? 1 : size - 1 - count;
    return b.reverse(b.sliceAxis(x, axis, first, first + count), {axis});
  }
  case Mirror::Replicate: {
    Shape shape = x.shape;
    shape[axis] = count;
    int64_t edge = isFront ? 0 : size - 1;
    return b.broadcastTo(b.sliceAxis(x, axis, edge, edge + 1), shape);
  }
  case Mirror::Circular: {
    int64_t first = isFront ? size - count : 0;
    return b.sliceAxis(x, axis, first, first + count);
  }
  }
  llvm_unreachable("a mirror has a name");
}

/// How many elements an axis has to repeat.
int64_t mostOf(int64_t size, Mirror mirror) {
  if (mirror == Mirror::Replicate)
    return size == 0 ? 0 : INT32_MAX;
  return mirror == Mirror::Reflect ? size - 1 : size;
}

Error padByMirror(Call &call, Mirror mirror, StringRef name) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(Pads pads, readPads(call, x, name));
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    int64_t low = pads.low[axis], high = pads.high[axis];
    int64_t most = std::max<int64_t>(0, mostOf(x.shape[axis], mirror));
    if (low < 0 || high < 0 || low > most || high > most)
      return call.fail("pads of " + Twine(low) + " and " + Twine(high) +
                       " do not repeat what an axis of " +
                       Twine(x.shape[axis]) + " elements has");
    if (low == 0 && high == 0)
      continue;
    TensorBuilder &b = call.build;
    std::vector<Operand> parts{x};
    if (low > 0)
      parts.insert(parts.begin(), repeated(b, x, axis, low, true, mirror));
    if (high > 0)
      parts.push_back(repeated(b, x, axis, high, false, mirror));
    x = b.concat(parts, axis);
  }
  call.result(x);
  return Error::success();
}

/// A mode by its word.
Error emitPad(Call &call) {
  MPC_TRY_ASSIGN(std::string mode, call.text("mode", "constant"));
  if (mode == "constant") {
    MPC_TRY_ASSIGN(double value, call.number("value", 0.0));
    return padWithConstant(call, value);
  }
  auto mirror = StringSwitch<std::optional<Mirror>>(mode)
                    .Case("reflect", Mirror::Reflect)
                    .Case("replicate", Mirror::Replicate)
                    .Case("circular", Mirror::Circular)
                    .Default(std::nullopt);
  if (!mirror)
    return call.fail("mode is '" + printable(mode) +
                     "', expected constant, reflect, replicate or circular");
  return padByMirror(call, *mirror, "pad");
}

template <Mirror mirror>
Error emitMirror(Call &call) {
  return padByMirror(call, mirror, "padding");
}

const OpRow kRows[] = {
    {"constant_pad_nd.default", emitPad},
    {"pad.default", emitPad},
    {"reflection_pad1d.default", emitMirror<Mirror::Reflect>},
    {"reflection_pad2d.default", emitMirror<Mirror::Reflect>},
    {"reflection_pad3d.default", emitMirror<Mirror::Reflect>},
    {"replication_pad1d.default", emitMirror<Mirror::Replicate>},
    {"replication_pad2d.default", emitMirror<Mirror::Replicate>},
    {"replication_pad3d.default", emitMirror<Mirror::Replicate>},
};

} // namespace

ArrayRef<OpRow> padRows() { return kRows; }

} // namespace mpc::exported
