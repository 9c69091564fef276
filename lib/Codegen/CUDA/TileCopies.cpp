// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the tiles of both factors come to shared memory: where a thread's
// elements are, and the copies or the registers that they pass through.
#include "lib/Codegen/CUDA/ScalarText.h"
#include "lib/Codegen/CUDA/TileEmitter.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// The offset of `flat`, an index over `index`: a sum of strides.
static std::string offsetOf(const StridedIndex &index,
                            const std::string &flat) {
  std::string text;
  int64_t below = 1;
  for (const StridedIndex::Part &part : llvm::reverse(index.parts)) {
    std::string place = flat;
    if (below > 1)
      place += formatv(" / {0}", below);
    if (&part != &index.parts.front())
      place += formatv(" % {0}", part.extent);
    below *= part.extent;
    std::string term = part.stride == 1
                           ? place
                           : formatv("({0}) * {1}", place, part.stride).str();
    text = text.empty() ? term : term + " + " + text;
  }
  return text;
}

/// The place of element (`outer`, `k`) of the block's batch.
static std::string placeOf(const Factor &factor, const std::string &outer,
                           const std::string &k) {
  SmallVector<std::string> terms = {offsetOf(factor.batch, "batch"),
                                    offsetOf(factor.outer, outer),
                                    offsetOf(factor.k, k)};
  if (factor.offset != 0)
    terms.push_back(std::to_string(factor.offset));
  llvm::erase(terms, "");
  return terms.empty() ? "0" : llvm::join(terms, " + ");
}

/// Emits where this thread begins in its tile. It advances by whole lines.
void TileEmitter::emitWalk(Side &side) {
  int64_t pieces = lineLength(side.factor) / side.factor.width;
  side.line = (side.tile + StringRef("Line")).str();
  side.at = (side.tile + StringRef("At")).str();
  text_.line("const int {0} = threadIdx.x / {1};", side.line, pieces);
  std::string at = formatv("threadIdx.x % {0}", pieces);
  if (side.factor.width > 1)
    at += formatv(" * {0}", side.factor.width);
  text_.line("const int {0} = {1};", side.at, at);
  if (side.factor.isCopied())
    return;
  side.held = (side.tile + StringRef("Held")).str();
  text_.line("{0} {1}[{2}];", storageOf(side), side.held,
             numPlaces(side.factor));
}

//===----------------------------------------------------------------------===//
// Copying tiles
//===----------------------------------------------------------------------===//

/// The type in which a thread holds a factor's elements at one place.
std::string TileEmitter::storageOf(const Side &side) {
  auto type = cast<RankedTensorType>(side.factor.tensor.getType());
  std::string element = getStorageText(type.getElementType());
  if (side.factor.width == 1)
    return element;
  return formatv("mpc_vector<{0}, {1}>", element, side.factor.width);
}

/// The condition that a place lies in the factor; empty where all places do.
std::string TileEmitter::isInside(const Side &side, const std::string &outer,
                                  const std::string &k) {
  std::string text;
  if (side.factor.numOuter % schedule_.side != 0)
    text = formatv("{0} < {1}", outer, side.factor.numOuter);
  if (side.factor.numK % schedule_.depth != 0)
    text += formatv("{0}{1} < {2}", text.empty() ? "" : " && ", k,
                    side.factor.numK);
  return text;
}

/// Loops over this thread's places in a tile; `body` gets the number of the
/// place, its position in the tile, and the condition `inside` where it depends
/// on the place.
void TileEmitter::forEach(
    const Side &side,
    llvm::function_ref<void(const std::string &, const std::string &,
                            const std::string &)>
        body) {
  const Factor &factor = side.factor;
  const std::string &type = text_.indexType();
  int64_t pieces = lineLength(factor) / factor.width;
  text_.line("#pragma unroll");
  std::string head =
      formatv("for (int i = 0; i < {0}; ++i)", numPlaces(factor));
  text_.block(head, [&] {
    text_.line("const int line = {0} + i * {1};", side.line,
               schedule_.threads / pieces);
    text_.line("const {0} outer = {1} + {2};", type, side.first,
               factor.hasLines ? "line" : side.at);
    text_.line("const {0} k = step * {1} + {2};", type, schedule_.depth,
               factor.hasLines ? side.at : "line");
    std::string inside = isInside(side, "outer", "k");
    if (!inside.empty())
      text_.line("const bool inside = {0};", inside);
    std::string where = formatv("{0} + line * {1} + {2}", side.tile,
                                factor.pitch(schedule_), side.at);
    body("i", where, inside.empty() ? "" : "inside");
  });
}

/// Starts to copy the tile, or loads it to registers.
void TileEmitter::fetch(const Side &side) {
  const Factor &factor = side.factor;
  std::string place = placeOf(factor, "outer", "k");
  std::string pointer = text_.pointer(factor.tensor, factor.width);
  forEach(side, [&](const std::string &i, const std::string &where,
                    const std::string &inside) {
    text_.line("const {0} place = {1};", text_.indexType(), place);
    if (factor.isCopied() && inside.empty())
      return text_.line(
          "mpc_copy_async16(mpc_shared_address({0}), {1} + place, 16);", where,
          pointer);
    if (factor.isCopied())
      return text_.line("mpc_copy_async16(mpc_shared_address({0}), {1} + "
                        "(inside ? place : 0), inside ? 16 : 0);",
                        where, pointer);
    std::string type = storageOf(side);
    std::string value =
        factor.width == 1
            ? formatv("{0}[place]", pointer).str()
            : formatv("{0}::load({1} + place)", type, pointer).str();
    if (!inside.empty())
      value = formatv("inside ? {0} : {1}{{}", value, type);
    text_.line("{0}[{1}] = {2};", side.held, i, value);
  });
}

/// The factor's value for an element in memory.
std::string TileEmitter::toProduct(const Side &side,
                                   const std::string &element) {
  return side.factor.isPlain
             ? element
             : text_.factor(contraction_, side.operand, element);
}

/// The factor's value for an element that waits in a register. Elements outside
/// must be set to zero, because a function of zero need not be zero.
std::string TileEmitter::toKept(const Side &side, const std::string &element,
                                const std::string &inside) {
  std::string value = toProduct(side, element);
  return inside.empty() || side.factor.isPlain
             ? value
             : "inside ? " + value + " : 0.0f";
}

/// Stores the vector of elements `held` at `where` in the tile.
void TileEmitter::keepVector(const Side &side, const std::string &held,
                             const std::string &where,
                             const std::string &inside) {
  int64_t width = side.factor.width;
  std::string type = formatv("mpc_vector<float, {0}>", width);
  text_.line("{0} made;", type);
  text_.line("#pragma unroll");
  text_.block(formatv("for (int lane = 0; lane < {0}; ++lane)", width), [&] {
    text_.line("made.at[lane] = {0};",
               toKept(side, held + ".at[lane]", inside));
  });
  text_.line("made.put({0});", where);
}

/// Stores elements that were loaded to registers in the tile.
void TileEmitter::keep(const Side &side) {
  if (side.factor.isCopied())
    return;
  forEach(side, [&](const std::string &i, const std::string &where,
                    const std::string &inside) {
    std::string held = side.held + "[" + i + "]";
    if (side.factor.width > 1)
      return keepVector(side, held, where, inside);
    text_.line("*({0}) = {1};", where, toKept(side, held, inside));
  });
}

void TileEmitter::emitTilePointers(const std::string &step, bool isConst) {
  text_.line("{0}{1} *rows = shared + {2} % {3} * {4};",
             isConst ? "const " : "", elementText(), step, schedule_.stages,
             stageElements());
  text_.line("{0}{1} *columns = rows + {2};", isConst ? "const " : "",
             elementText(), rows_.factor.tileElements(schedule_));
}

/// Emits the code that starts copying step `step` of k to its stage. Every call
/// makes one group of copies. An empty group completes at once.
void TileEmitter::emitFetch() {
  auto bring = [&] {
    if (rows_.factor.isCopied() || columns_.factor.isCopied())
      emitTilePointers("step", false);
    fetch(rows_);
    fetch(columns_);
  };
  text_.block(
      "auto fetch = [&](int step)",
      [&] {
        text_.block(formatv("if (step < {0})", numSteps()), bring);
        text_.line("mpc_copy_async_commit();");
      },
      "};");
}

/// Emits the code that stores the elements of step `step`, which wait in
/// registers, in its stage.
void TileEmitter::emitKeep() {
  auto bring = [&] {
    emitTilePointers("step", false);
    keep(rows_);
    keep(columns_);
  };
  text_.block(
      "auto keep = [&](int step)",
      [&] { text_.block(formatv("if (step < {0})", numSteps()), bring); },
      "};");
}
