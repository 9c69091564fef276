// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ATen's pads.
#include "lib/Import/Exported/Call.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

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

/// The element of an axis of `size` that stands at `place`, which is below 0 in
/// front of it.
int64_t sourceOf(int64_t place, int64_t size, Mirror mirror) {
  switch (mirror) {
  case Mirror::Reflect:
    return place < 0 ? -place : place < size ? place : 2 * (size - 1) - place;
  case Mirror::Replicate:
    return std::clamp<int64_t>(place, 0, size - 1);
  case Mirror::Circular:
    return (place + size) % size;
  }
  llvm_unreachable("a mirror has a name");
}

/// The source of each element of a padded axis.
std::vector<int64_t> sourcesOf(int64_t size, int64_t low, int64_t high,
                               Mirror mirror) {
  std::vector<int64_t> sources;
  for (int64_t place : seq<int64_t>(-low, size + high))
    sources.push_back(sourceOf(place, size, mirror));
  return sources;
}

/// The axes from `first` on, read at their sources: at once where the table of
/// places is no longer than this, and else one by one.
constexpr int64_t kMostPadPlaces = 1 << 13;

Expected<Operand> readAtSources(TensorBuilder &b, Operand x, int64_t first,
                                ArrayRef<std::vector<int64_t>> sources) {
  Shape shape(ArrayRef(x.shape).take_front(first));
  std::vector<int64_t> places{0};
  for (auto [size, axis] :
       zip_equal(ArrayRef(x.shape).drop_front(first), sources)) {
    shape.push_back(axis.size());
    std::vector<int64_t> next;
    for (int64_t place : places)
      for (int64_t source : axis)
        next.push_back(place * size + source);
    places = std::move(next);
  }
  Shape flat(ArrayRef(x.shape).take_front(first));
  flat.push_back(*countElements(ArrayRef(x.shape).drop_front(first)));
  MPC_TRY_ASSIGN(Operand table, b.fromValues<int64_t>(
                                    b.i64(), {int64_t(places.size())}, places));
  return b.reshape(b.gather(b.reshape(x, flat), table, first), shape);
}

/// How many elements an axis has to repeat.
int64_t mostOf(int64_t size, Mirror mirror) {
  if (mirror == Mirror::Replicate)
    return size == 0 ? 0 : INT32_MAX;
  return mirror == Mirror::Reflect ? size - 1 : size;
}

Error checkMirror(Call &call, const Operand &x, const Pads &pads,
                  Mirror mirror) {
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    int64_t low = pads.low[axis], high = pads.high[axis];
    int64_t most = std::max<int64_t>(0, mostOf(x.shape[axis], mirror));
    if (low < 0 || high < 0 || low > most || high > most)
      return call.fail("pads of " + Twine(low) + " and " + Twine(high) +
                       " do not repeat what an axis of " +
                       Twine(x.shape[axis]) + " elements has");
  }
  return Error::success();
}

Error padByMirror(Call &call, Mirror mirror, StringRef name) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(Pads pads, readPads(call, x, name));
  MPC_TRY(checkMirror(call, x, pads, mirror));
  SmallVector<std::vector<int64_t>> sources;
  int64_t first = x.rank(), places = 1;
  for (int64_t axis : reverse(seq<int64_t>(0, x.rank()))) {
    int64_t low = pads.low[axis], high = pads.high[axis];
    sources.insert(sources.begin(),
                   sourcesOf(x.shape[axis], low, high, mirror));
    if (low > 0 || high > 0)
      first = axis;
  }
  for (int64_t axis : seq(first, x.rank()))
    places *= int64_t(sources[axis].size());
  TensorBuilder &b = call.build;
  if (places <= kMostPadPlaces && first < x.rank()) {
    MPC_TRY_ASSIGN(
        x, readAtSources(b, x, first, ArrayRef(sources).drop_front(first)));
  } else {
    for (int64_t axis : seq(first, x.rank())) {
      MPC_TRY_ASSIGN(Operand table,
                     b.fromValues<int64_t>(b.i64(),
                                           {int64_t(sources[axis].size())},
                                           sources[axis]));
      x = b.gather(x, table, axis);
    }
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

} // namespace

ArrayRef<OpRow> padRows() {
  static const OpRow rows[] = {
      {"constant_pad_nd.default", emitPad},
      {"pad.default", emitPad},
      {"reflection_pad1d.default", emitMirror<Mirror::Reflect>},
      {"reflection_pad2d.default", emitMirror<Mirror::Reflect>},
      {"reflection_pad3d.default", emitMirror<Mirror::Reflect>},
      {"replication_pad1d.default", emitMirror<Mirror::Replicate>},
      {"replication_pad2d.default", emitMirror<Mirror::Replicate>},
      {"replication_pad3d.default", emitMirror<Mirror::Replicate>},
  };
  return rows;
}

} // namespace mpc::exported
