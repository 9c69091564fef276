// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the padding of a contraction's image, and reads around it.
#include "lib/Codegen/CPU/Padding.h"

#include "dialects/Kernel/Border.h"
#include "lib/Codegen/CPU/Producers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

//===----------------------------------------------------------------------===//
// What a kernel pads
//===----------------------------------------------------------------------===//

namespace {

/// Whether the body of a loop is that of padding.
class PaddingMatcher {
public:
  PaddingMatcher(BorderAttr border, ShapedType source)
      : border_(border), source_(source) {}

  bool match(linalg::GenericOp op, Value argument) const;

private:
  std::optional<int64_t> getOffset(Value value, unsigned axis) const;
  bool isPlace(Value index, unsigned axis) const;
  bool isInside(Value condition) const;
  bool isInside(arith::CmpIOp compare, unsigned axis) const;

  BorderAttr border_;
  ShapedType source_;
};

} // namespace

/// The difference of `value` to the index of loop `axis`, if that is constant.
std::optional<int64_t> PaddingMatcher::getOffset(Value value,
                                                 unsigned axis) const {
  if (auto index = value.getDefiningOp<linalg::IndexOp>())
    return index.getDim() == axis ? std::optional<int64_t>(0) : std::nullopt;
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  std::optional<int64_t> first = getOffset(op->getOperand(0), axis);
  std::optional<int64_t> second = getConstantIntValue(op->getOperand(1));
  if (!first || !second)
    return std::nullopt;
  return isa<arith::AddIOp>(op) ? *first + *second : *first - *second;
}

/// Whether `index` is the place on `axis` of the source that lies at the loop's
/// place, brought back into the source where there is none.
bool PaddingMatcher::isPlace(Value index, unsigned axis) const {
  int64_t last = std::max<int64_t>(source_.getDimSize(axis) - 1, 0);
  while (auto *op = index.getDefiningOp()) {
    if (!isa<arith::MaxSIOp, arith::MinSIOp>(op))
      break;
    std::optional<int64_t> bound = getConstantIntValue(op->getOperand(1));
    if (!bound || (isa<arith::MaxSIOp>(op) ? *bound > 0 : *bound < last))
      return false;
    index = op->getOperand(0);
  }
  return getOffset(index, axis) == -border_.getLow()[axis];
}

/// Whether `compare` holds at all places of the source on `axis`.
bool PaddingMatcher::isInside(arith::CmpIOp compare, unsigned axis) const {
  std::optional<int64_t> offset = getOffset(compare.getLhs(), axis);
  std::optional<int64_t> bound = getConstantIntValue(compare.getRhs());
  if (!offset || !bound)
    return false;
  int64_t begin = border_.getLow()[axis] + *offset;
  int64_t last = begin + source_.getDimSize(axis) - 1;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::sge:
    return begin >= *bound;
  case arith::CmpIPredicate::sgt:
    return begin > *bound;
  case arith::CmpIPredicate::sle:
    return last <= *bound;
  case arith::CmpIPredicate::slt:
    return last < *bound;
  default:
    return false;
  }
}

/// Whether `condition` holds at all places of the source.
bool PaddingMatcher::isInside(Value condition) const {
  if (matchPattern(condition, m_One()))
    return true;
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return isInside(both.getLhs()) && isInside(both.getRhs());
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  return compare &&
         llvm::any_of(llvm::seq<unsigned>(0, source_.getRank()),
                      [&](unsigned axis) { return isInside(compare, axis); });
}

/// Whether `op` yields the elements of `argument`, and zeros around them.
bool PaddingMatcher::match(linalg::GenericOp op, Value argument) const {
  Value result = op.getBody()->getTerminator()->getOperand(0);
  auto choice = result.getDefiningOp<arith::SelectOp>();
  auto read = choice ? choice.getTrueValue().getDefiningOp<tensor::ExtractOp>()
                     : tensor::ExtractOp();
  if (!read || read.getTensor() != argument ||
      !matchPattern(choice.getFalseValue(), m_AnyZeroFloat()) ||
      !op.getIndexingMapsArray().back().isIdentity())
    return false;
  bool readsPlace =
      llvm::all_of(llvm::enumerate(read.getIndices()), [&](auto index) {
        return isPlace(index.value(), index.index());
      });
  return readsPlace && isInside(choice.getCondition());
}

BorderAttr mpc::cpu::getPadding(FuncOp kernel) {
  auto generics = kernel.getBody().getOps<linalg::GenericOp>();
  if (kernel.getNumInputs() != 1 || kernel.getNumResults() != 1 ||
      !llvm::hasSingleElement(generics))
    return {};
  linalg::GenericOp op = *generics.begin();
  BorderAttr border = getBorder(op);
  auto source = cast<ShapedType>(kernel.getArgumentTypes()[0]);
  if (!border ||
      static_cast<size_t>(source.getRank()) != border.getLow().size() ||
      !PaddingMatcher(border, source).match(op, kernel.getArgument(0)))
    return {};
  return border;
}

//===----------------------------------------------------------------------===//
// Windows without it
//===----------------------------------------------------------------------===//

/// The launch that has padded what `launch` takes as input `argument`, and the
/// border of zeros; null where it is no padding.
static std::pair<LaunchOp, BorderAttr>
findPadding(LaunchOp launch, unsigned argument, const SymbolTable &symbols) {
  LaunchOp pad = findProducer(launch, argument);
  auto kernel = pad ? symbols.lookup<FuncOp>(pad.getKernel()) : FuncOp();
  BorderAttr border = kernel ? getPadding(kernel) : BorderAttr();
  return {border ? pad : LaunchOp(), border};
}

void mpc::cpu::readUnpadded(FuncOp kernel, ArrayRef<LaunchOp> launches,
                            const SymbolTable &symbols,
                            llvm::function_ref<bool(BorderAttr)> canLeaveOut,
                            Value image) {
  auto argument = dyn_cast<BlockArgument>(image);
  if (!argument || argument.getArgNumber() >= kernel.getNumInputs() ||
      !argument.hasOneUse() || launches.empty())
    return;
  unsigned number = argument.getArgNumber();
  auto [first, border] = findPadding(launches.front(), number, symbols);
  if (!first || !canLeaveOut(border))
    return;
  Type source = first.getInputs()[0].getType();
  for (LaunchOp launch : launches) {
    auto [pad, other] = findPadding(launch, number, symbols);
    if (!pad || other != border || pad.getInputs()[0].getType() != source)
      return;
  }
  for (LaunchOp launch : launches) {
    LaunchOp pad = findPadding(launch, number, symbols).first;
    launch.getInputsMutable().slice(number, 1).assign(pad.getInputs()[0]);
  }
  (void)kernel.insertArgument(number, source, {}, argument.getLoc());
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  auto padded = PadOp::create(builder, kernel.getLoc(), argument.getType(),
                              kernel.getArgument(number), border);
  kernel.getArgument(number + 1).replaceAllUsesWith(padded);
  (void)kernel.eraseArgument(number + 1);
}
