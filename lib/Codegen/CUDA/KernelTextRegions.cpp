// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scalar ops of a kernel's text, which stand in regions of its body.
#include "lib/Codegen/CUDA/KernelText.h"

#include "dialects/Interfaces/NodeNames.h"
#include "lib/Codegen/CUDA/ScalarText.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mpc::cuda;
using llvm::formatv;
using mpc::kernel::Statement;

std::string KernelText::valueOf(Value value) {
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    return getLiteral(constant.getValue());
  return values_.lookup(value);
}

/// Clamps a computed position into the tensor. A select may discard the element
/// at a position outside, but that element must not be read.
std::string KernelText::extract(Operation *op) {
  auto read = cast<tensor::ExtractOp>(op);
  ArrayRef<int64_t> shape = read.getTensor().getType().getShape();
  std::string flat;
  for (auto [extent, place] : llvm::zip(shape, read.getIndices())) {
    if (extent == 1)
      continue;
    std::string at = formatv("mpc_clamp({0}, {1})", valueOf(place), extent);
    flat = flat.empty() ? at : formatv("({0}) * {1} + {2}", flat, extent, at);
  }
  return load(read.getTensor(), flat.empty() ? "0" : flat);
}

/// Whether `op` needs no name: it is a cast that only one op or one destination
/// reads.
static bool isExpression(Operation &op) {
  if (!isa<CastOpInterface>(op) || !op.getResult(0).hasOneUse())
    return false;
  OpOperand &use = *op.getResult(0).use_begin();
  if (use.getOwner() != op.getBlock()->getTerminator())
    return true;
  Value yielded = op.getParentOp()->getResult(use.getOperandNumber());
  return yielded.hasOneUse();
}

/// The operand or constant that equals `op`, as x for `x - 0`; null where the
/// op must be computed. A fold without results may have moved a constant to the
/// right operand, where the next fold finds it.
static OpFoldResult fold(Operation &op) {
  SmallVector<OpFoldResult> results;
  bool folded = succeeded(op.fold(results));
  if (folded && results.empty())
    folded = succeeded(op.fold(results));
  return folded && !results.empty() ? results.front() : OpFoldResult();
}

/// Writes `op`, whose operands are written already. Its result gets a name from
/// `stem`, or is an expression that is used once.
void KernelText::write(Operation &op, StringRef stem) {
  Value result = op.getResult(0);
  if (OpFoldResult known = fold(op)) {
    auto same = dyn_cast<Value>(known);
    values_[result] = same
                          ? valueOf(same)
                          : getLiteral(cast<TypedAttr>(cast<Attribute>(known)));
    return;
  }
  FailureOr<std::string> text;
  if (isa<tensor::ExtractOp>(op))
    text = extract(&op);
  else
    text =
        spell(&op,
              llvm::map_to_vector(op.getOperands(),
                                  [&](Value value) { return valueOf(value); }),
              isNear_);
  if (failed(text)) {
    fail();
    text = std::string("0");
  }
  values_[result] = isExpression(op)
                        ? *text
                        : define(getTypeText(result.getType()), stem, *text);
}

/// The stem of the name of an op's result: the op's name, without the letter of
/// its type.
static std::string stemOf(Operation &op) {
  StringRef name = op.getName().stripDialect();
  if (isa<arith::ArithDialect>(op.getDialect()) &&
      (name.ends_with("f") || name.ends_with("i")))
    name = name.drop_back();
  return name.str();
}

Texts KernelText::region(linalg::GenericOp op, ArrayRef<std::string> arguments,
                         ArrayRef<std::string> indices) {
  Block &block = *op.getBody();
  for (auto [argument, text] : llvm::zip(block.getArguments(), arguments))
    values_[argument] = text;
  Operation *yield = block.getTerminator();
  StringRef node = getNodeName(op.getLoc());
  std::string result = toIdentifier(
      node.rsplit('/').second.empty() ? node : node.rsplit('/').second);
  for (Operation &inner : block.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      values_[index.getResult()] = indices[index.getDim()];
    else if (!isa<arith::ConstantOp>(inner))
      write(inner, !node.empty() && llvm::is_contained(inner.getUsers(), yield)
                       ? result
                       : stemOf(inner));
  }
  return llvm::map_to_vector(yield->getOperands(),
                             [&](Value value) { return valueOf(value); });
}

Texts KernelText::region(const Statement &statement,
                         ArrayRef<std::string> arguments,
                         ArrayRef<std::string> dims) {
  Texts indices;
  for (AffineExpr expr : statement.indices)
    indices.push_back("mpc_i64(" + index(expr, dims) + ")");
  return region(statement.generic(), arguments, indices);
}

std::string KernelText::factor(const kernel::Contraction &contraction,
                               unsigned operand, const std::string &element) {
  Value factor = contraction.factors[operand];
  BlockArgument argument = contraction.getArgument(operand);
  values_[argument] = element;
  for (Operation *op : kernel::getSlice(factor, argument.getOwner()))
    if (!isa<arith::ConstantOp>(op))
      write(*op, stemOf(*op));
  return valueOf(factor);
}

std::string KernelText::join(Operation *combiner, const std::string &lhs,
                             const std::string &rhs) {
  if (isa<math::FmaOp>(combiner))
    return lhs + " + " + rhs;
  FailureOr<std::string> text = spell(combiner, {lhs, rhs}, isNear_);
  if (failed(text))
    fail();
  return text.value_or("0");
}

std::string KernelText::neutral(Operation *combiner) {
  Type type = combiner->getResult(0).getType();
  TypedAttr number = Builder(type.getContext()).getZeroAttr(type);
  if (!isa<math::FmaOp>(combiner))
    if (std::optional<TypedAttr> known = arith::getNeutralElement(combiner))
      number = *known;
  return getLiteral(number);
}
