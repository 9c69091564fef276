// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognizes contractions whose windows slide over an image.
#include "lib/Codegen/CPU/Windows.h"

#include "dialects/Kernel/Border.h"
#include "lib/Codegen/CPU/Chains.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

int64_t Windows::countLine() const {
  int64_t count = 1;
  for (const WindowAxis &axis : llvm::drop_begin(axes))
    count *= axis.position.extent;
  return count;
}

bool Windows::goAlong(BorderAttr border) const {
  llvm::SmallBitVector own(border.getLow().size());
  for (const WindowAxis &here : axes)
    if (here.axis)
      own.set(*here.axis);
  return llvm::all_of(llvm::seq<unsigned>(0, own.size()), [&](unsigned axis) {
    return own[axis] ||
           (border.getLow()[axis] == 0 && border.getHigh()[axis] == 0);
  });
}

int64_t Windows::countPositions() const {
  return first().position.extent * countLine();
}

namespace {

/// Reads the axes of a factor's tensor as images, channels, and axes along
/// which windows slide.
class Matcher {
public:
  Matcher(const Contraction &contraction, unsigned image)
      : contraction_(contraction), statement_(contraction.statement),
        windows_{image, {}, {}, 0, 0, {}, {}, 0, {}} {}

  std::optional<Windows> match();

private:
  bool matchAxis(const Linear &index, int64_t pitch);
  bool matchOwn(unsigned dim, const Linear &index, int64_t pitch);
  bool matchSum(unsigned dim, int64_t pitch, int64_t first);
  void findSource();
  void setBorders(MutableArrayRef<WindowAxis> axes, unsigned axis,
                  int64_t size);
  bool hasChannels() const;
  bool slides() const;
  bool hasOrder() const;
  WindowDim getDim(unsigned dim) const {
    return {dim, statement_.extents[dim]};
  }
  bool isIn(unsigned dim, Contraction::DimGroup group) const {
    return llvm::is_contained(contraction_.groups[group], dim);
  }

  const Contraction &contraction_;
  const Statement &statement_;
  Windows windows_;
  BorderAttr border_; ///< Null where nothing is known of it.
  llvm::SmallDenseMap<unsigned, int64_t> batchPitches_;
};

} // namespace

/// An axis with a single dimension that only the image and the result have: the
/// images, or positions of a window of one tap.
bool Matcher::matchOwn(unsigned dim, const Linear &index, int64_t pitch) {
  int64_t stride = index.strides[dim];
  if (dim !=
      contraction_.groups[Contraction::outerOf(windows_.image)].front()) {
    windows_.axes.push_back({getDim(dim), {}, index.offset, stride, 1, pitch});
    return true;
  }
  windows_.images = getDim(dim);
  windows_.imagePitch = stride * pitch;
  return true;
}

/// An axis with a single dimension that is summed over: the channels, or the
/// taps of a window that has one position.
bool Matcher::matchSum(unsigned dim, int64_t pitch, int64_t first) {
  if (dim == contraction_.groups[Contraction::K].back()) {
    if (windows_.channel.dim || first != 0)
      return false;
    windows_.channel = getDim(dim);
    windows_.channelPitch = pitch;
    return true;
  }
  windows_.axes.push_back({{}, getDim(dim), first, 1, 1, pitch});
  return true;
}

bool Matcher::matchAxis(const Linear &index, int64_t pitch) {
  SmallVector<unsigned> dims;
  for (auto [dim, stride] : llvm::enumerate(index.strides))
    if (stride != 0)
      dims.push_back(dim);
  auto own = Contraction::outerOf(windows_.image);
  if (dims.empty() || index.offset < 0 ||
      llvm::any_of(dims, [&](unsigned dim) { return index.strides[dim] < 0; }))
    return dims.empty();
  if (dims.size() == 1) {
    int64_t stride = index.strides[dims[0]];
    if (isIn(dims[0], Contraction::Batch)) {
      batchPitches_[dims[0]] = stride * pitch;
      return true;
    }
    if (isIn(dims[0], own))
      return matchOwn(dims[0], index, pitch);
    return stride == 1 && matchSum(dims[0], pitch, index.offset);
  }
  if (dims.size() != 2)
    return false;
  if (isIn(dims[1], own))
    std::swap(dims[0], dims[1]);
  if (!isIn(dims[0], own) || !isIn(dims[1], Contraction::K))
    return false;
  windows_.axes.push_back({getDim(dims[0]), getDim(dims[1]), index.offset,
                           index.strides[dims[0]], index.strides[dims[1]],
                           pitch});
  return true;
}

/// Whether channels, where there are any, are the last dimension of K.
bool Matcher::hasChannels() const {
  return windows_.channel.dim ||
         llvm::all_of(windows_.axes, [](const WindowAxis &axis) {
           return axis.position.dim || !axis.tap.dim;
         });
}

/// Whether the windows of neighbouring positions may share elements.
bool Matcher::slides() const {
  return llvm::any_of(windows_.axes, [](const WindowAxis &axis) {
    return axis.position.dim && axis.tap.dim;
  });
}

/// Whether images, positions and taps have the order of the axes.
bool Matcher::hasOrder() const {
  SmallVector<unsigned> own, sum;
  auto append = [](SmallVector<unsigned> &dims, const WindowDim &dim) {
    if (dim.dim)
      dims.push_back(*dim.dim);
  };
  append(own, windows_.images);
  for (const WindowAxis &axis : windows_.axes) {
    append(own, axis.position);
    append(sum, axis.tap);
  }
  append(sum, windows_.channel);
  return own == contraction_.groups[Contraction::outerOf(windows_.image)] &&
         sum == contraction_.groups[Contraction::K];
}

/// The memory of the factor: the tensor, and the border that it has around it.
void Matcher::findSource() {
  windows_.source = contraction_.getOperand(windows_.image).tensor;
  border_ = getInputBorder(contraction_.generic(),
                           contraction_.operands[windows_.image]);
  if (auto pad = windows_.source.getDefiningOp<PadOp>()) {
    windows_.source = pad.getSource();
    border_ = pad.getBorder();
  }
}

/// The borders of the axes of windows that axis `axis` of the tensor is.
void Matcher::setBorders(MutableArrayRef<WindowAxis> axes, unsigned axis,
                         int64_t size) {
  bool isPadded =
      windows_.source != contraction_.getOperand(windows_.image).tensor;
  for (WindowAxis &here : axes) {
    here.begin = border_ ? border_.getLow()[axis] : 0;
    here.end = border_ ? size - border_.getHigh()[axis] : size;
    here.memoryBegin = isPadded ? here.begin : 0;
    here.memoryEnd = isPadded ? here.end : size;
    here.axis = axis;
  }
}

std::optional<Windows> Matcher::match() {
  linalg::GenericOp op = contraction_.generic();
  unsigned operand = contraction_.operands[windows_.image];
  AffineMap map = op.getIndexingMapsArray()[operand].replaceDimsAndSymbols(
      statement_.indices, {}, statement_.numDims(), 0);
  findSource();
  auto type = cast<RankedTensorType>(
      contraction_.getOperand(windows_.image).tensor.getType());
  auto memory = cast<RankedTensorType>(windows_.source.getType());
  int64_t pitch = 1;
  for (int64_t axis = type.getRank() - 1; axis >= 0; --axis) {
    std::optional<Linear> index =
        getLinear(map.getResult(axis), statement_.numDims());
    size_t known = windows_.axes.size();
    if (!index || !matchAxis(*index, pitch))
      return std::nullopt;
    int64_t size = type.getDimSize(axis), inMemory = memory.getDimSize(axis);
    bool isWindow = windows_.axes.size() > known;
    if (size != inMemory && !isWindow)
      return std::nullopt;
    if (size != inMemory)
      windows_.origin -= border_.getLow()[axis] * pitch;
    // Positions of windows count from their first index on.
    if (!isWindow)
      windows_.origin += index->offset * pitch;
    setBorders(MutableArrayRef(windows_.axes).drop_front(known), axis, size);
    pitch *= inMemory;
  }
  std::reverse(windows_.axes.begin(), windows_.axes.end());
  if (!slides() || !hasChannels() || !hasOrder())
    return std::nullopt;
  for (unsigned dim : contraction_.groups[Contraction::Batch])
    windows_.batches.append(statement_.extents[dim], batchPitches_[dim]);
  // So that lines are not what micro-tiles go along.
  if (windows_.axes.size() == 1)
    windows_.axes.insert(windows_.axes.begin(), WindowAxis());
  return windows_;
}

std::optional<Windows> mpc::cpu::matchWindows(const Contraction &contraction) {
  for (unsigned image = 0; image < 2; ++image) {
    // A window of a single channel has no row to broadcast to columns.
    if (contraction.sizes[Contraction::outerOf(1 - image)] == 1)
      continue;
    if (std::optional<Windows> windows = Matcher(contraction, image).match())
      return windows;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The order of loops
//===----------------------------------------------------------------------===//

/// The dimensions of K in the order that Windows asks for, if `image` is the
/// factor over which they slide: those of its axes, and then the one that has
/// the first axis that is no window's.
static SmallVector<unsigned> getTapOrder(const Contraction &contraction,
                                         unsigned image) {
  const Statement &statement = contraction.statement;
  AffineMap map =
      contraction.generic()
          .getIndexingMapsArray()[contraction.operands[image]]
          .replaceDimsAndSymbols(statement.indices, {}, statement.numDims(), 0);
  SmallVector<unsigned> order;
  std::optional<unsigned> channel;
  for (AffineExpr index : map.getResults())
    for (unsigned dim : contraction.groups[Contraction::K]) {
      if (!index.isFunctionOfDim(dim))
        continue;
      if (!channel && isa<AffineDimExpr>(index))
        channel = dim;
      else
        order.push_back(dim);
    }
  if (channel)
    order.push_back(*channel);
  return order;
}

/// The loops of `op` with those of the dimensions `sums` in the places of its
/// reduction loops. Reduction loops of extent 1, which have no dimension, come
/// first.
static SmallVector<unsigned> getLoopOrder(const Contraction &contraction,
                                          ArrayRef<unsigned> sums) {
  linalg::GenericOp op = contraction.generic();
  const Statement &statement = contraction.statement;
  SmallVector<unsigned> reductions, others;
  op.getReductionDims(reductions);
  auto getDim = [&](unsigned loop) {
    return dyn_cast<AffineDimExpr>(statement.indices[loop]);
  };
  for (unsigned loop : reductions)
    if (!getDim(loop))
      others.push_back(loop);
  for (unsigned dim : sums)
    others.push_back(*llvm::find_if(reductions, [&](unsigned loop) {
      AffineDimExpr expr = getDim(loop);
      return expr && expr.getPosition() == dim;
    }));
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(op.getNumLoops()));
  for (auto [place, loop] : llvm::zip(reductions, others))
    order[place] = loop;
  return order;
}

/// Whether `op` is a contraction of windows.
static bool hasWindows(linalg::GenericOp op) {
  Statement statement = getStatement(op);
  std::optional<Contraction> contraction = matchContraction(statement);
  return contraction && matchWindows(*contraction);
}

void mpc::cpu::orderWindowLoops(linalg::GenericOp op) {
  Statement statement = getStatement(op);
  std::optional<Contraction> contraction = matchContraction(statement);
  if (!contraction || matchWindows(*contraction))
    return;
  IRRewriter rewriter(op.getContext());
  for (unsigned image = 0; image < 2; ++image) {
    SmallVector<unsigned> sums = getTapOrder(*contraction, image);
    if (sums.size() != contraction->groups[Contraction::K].size())
      continue;
    SmallVector<unsigned> order = getLoopOrder(*contraction, sums);
    if (failed(linalg::interchangeGenericOp(rewriter, op, order)) ||
        hasWindows(op))
      return;
    SmallVector<unsigned> back(order.size());
    for (auto [place, loop] : llvm::enumerate(order))
      back[loop] = place;
    (void)linalg::interchangeGenericOp(rewriter, op, back);
  }
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

/// The axis that has `dim` as its taps; as many as there are axes for channels.
static unsigned getAxisOf(const Windows &windows, unsigned dim) {
  return llvm::find_if(
             windows.axes,
             [&](const WindowAxis &axis) { return axis.tap.dim == dim; }) -
         windows.axes.begin();
}

/// Whether taps of the axes from `begin` to `end` are single ones.
static bool hasSingleTaps(const Windows &windows, unsigned begin,
                          unsigned end) {
  return llvm::all_of(llvm::seq(begin, end), [&](unsigned axis) {
    return windows.axes[axis].tap.extent == 1;
  });
}

/// The runs of a chain of `count` taps of `axis`.
static std::optional<WindowChains> getRuns(const Windows &windows,
                                           unsigned axis, int64_t count) {
  unsigned last = windows.axes.size() - 1;
  int64_t channels = windows.channel.extent, taps = windows.last().tap.extent;
  bool joins = windows.last().dilation == 1 || taps == 1;
  int64_t length = count * channels;
  if (axis == last)
    return joins ? WindowChains{length, axis, count, last, 1, length}
                 : WindowChains{length, axis, count, last, count, channels};
  length *= taps;
  if (!hasSingleTaps(windows, axis + 1, last))
    return std::nullopt;
  if (joins)
    return WindowChains{length, axis, count, axis, count, taps * channels};
  if (count > 1)
    return std::nullopt;
  return WindowChains{length, axis, count, last, taps, channels};
}

std::optional<WindowChains>
mpc::cpu::getWindowChains(const Contraction &contraction,
                          const Windows &windows, int64_t depth) {
  Chains cut = getChains(contraction.getExtents(Contraction::K));
  unsigned axis =
      getAxisOf(windows, contraction.groups[Contraction::K][cut.dim]);
  std::optional<WindowChains> chains =
      axis == windows.axes.size()
          ? WindowChains{cut.count, axis, cut.count, axis, 1, cut.count}
          : getRuns(windows, axis, cut.count);
  return chains && chains->run % depth == 0 ? chains : std::nullopt;
}

//===----------------------------------------------------------------------===//
// The copy
//===----------------------------------------------------------------------===//

/// Rows a multiple of so many bytes apart fall into few sets of the L1 cache.
static constexpr int64_t kSetPeriod = 512;
/// The bytes that move a row to other sets.
static constexpr int64_t kShift = 64;

/// `pitch` elements, or a few more where rows so far apart share sets.
static int64_t spread(int64_t pitch, int64_t bytes) {
  return pitch * bytes % kSetPeriod == 0 ? pitch + kShift / bytes : pitch;
}

WindowCopy mpc::cpu::getWindowCopy(const Windows &windows,
                                   const WindowChains &chains,
                                   CopyShape shape) {
  WindowCopy copy;
  unsigned rank = windows.axes.size();
  int64_t pitch = windows.channel.extent;
  // Neighbours are next to each other where a run has several.
  if (chains.axis == rank)
    pitch = spread(pitch, shape.bytes);
  for (unsigned axis = rank; axis-- > 0;) {
    const WindowAxis &here = windows.axes[axis];
    int64_t first = here.first;
    int64_t count = axis == 0
                        ? here.getReach(shape.lines, shape.taps)
                        : here.getReach(here.position.extent, here.tap.extent);
    if ((axis > 0 || shape.isWhole) && shape.leavesBorders) {
      int64_t end = std::min(first + count, here.end);
      first = std::max(first, here.begin);
      count = std::max<int64_t>(end - first, 1);
    }
    copy.counts.insert(copy.counts.begin(), count);
    copy.firsts.insert(copy.firsts.begin(), first);
    copy.pitches.insert(copy.pitches.begin(), pitch);
    pitch *= count;
  }
  copy.image = spread(pitch, shape.bytes);
  return copy;
}
