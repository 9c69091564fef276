// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The places of a kernel's text: positions in tensors, loops over them, and
// reads and writes of memory.
#include "lib/Codegen/CUDA/KernelText.h"

#include "lib/Codegen/CUDA/ScalarText.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mpc::cuda;
using llvm::formatv;
using mpc::kernel::Linear;

std::string KernelText::index(AffineExpr expr, ArrayRef<std::string> dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::to_string(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::string lhs = index(binary.getLHS(), dims);
  std::string rhs = index(binary.getRHS(), dims);
  auto inner = [](AffineExpr side, std::string text) {
    return side.getKind() == AffineExprKind::Add ? "(" + text + ")" : text;
  };
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + " + " + rhs;
  case AffineExprKind::Mul:
    return inner(binary.getLHS(), lhs) + " * " + inner(binary.getRHS(), rhs);
  case AffineExprKind::FloorDiv:
    return "(" + lhs + ") / " + rhs;
  case AffineExprKind::Mod:
    return "(" + lhs + ") % " + rhs;
  default:
    return "(" + lhs + " + " + rhs + " - 1) / " + rhs;
  }
}

std::string KernelText::index(const Linear &linear,
                              ArrayRef<std::string> dims) {
  MLIRContext *context = kernel.getContext();
  AffineExpr expr = getAffineConstantExpr(0, context);
  for (auto [dim, stride] : llvm::enumerate(linear.strides))
    expr = expr + getAffineDimExpr(dim, context) * stride;
  return index(expr + linear.offset, dims);
}

Texts KernelText::delinearize(const std::string &element,
                              ArrayRef<int64_t> extents) {
  Texts dims(extents.size());
  if (extents.size() == 1)
    dims[0] = element;
  int64_t below = 1;
  for (size_t dim = extents.size(); dim-- > 0 && extents.size() > 1;) {
    std::string text = element;
    if (below > 1)
      text += " / " + std::to_string(below);
    if (dim > 0)
      text += " % " + std::to_string(extents[dim]);
    dims[dim] = text;
    below *= extents[dim];
  }
  if (extents.size() > 1)
    for (std::string &dim : dims)
      dim = define(indexType_, "i", dim);
  return dims;
}

void KernelText::nest(ArrayRef<int64_t> extents,
                      llvm::function_ref<void(ArrayRef<std::string>)> body) {
  Texts names;
  std::function<void(ArrayRef<int64_t>)> loop = [&](ArrayRef<int64_t> rest) {
    if (rest.empty())
      return body(names);
    names.push_back(makeName("k"));
    std::string head = formatv("for ({0} {1} = 0; {1} < {2}; ++{1})",
                               indexType_, names.back(), rest.front());
    block(head, [&] { loop(rest.drop_front()); });
  };
  loop(extents);
}

std::string KernelText::pointer(Value tensor, int64_t count) {
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    int64_t &widest = accesses_[argument.getArgNumber()];
    widest = std::max(widest, getAccessBytes(tensor, count));
  }
  return pointers_.lookup(tensor);
}

void KernelText::declareShared(const std::string &type, const std::string &name,
                               int64_t count, int64_t elementBytes) {
  line("__shared__ {0} {1}[{2}];", type, name, count);
  staticShared_ += count * elementBytes;
}

/// The number that all elements of `tensor` equal; null if none is known.
static Attribute getSplatNumber(Value tensor) {
  if (Value filled = mpc::kernel::getSplat(tensor))
    if (auto constant = filled.getDefiningOp<arith::ConstantOp>())
      return constant.getValue();
  if (auto constant = tensor.getDefiningOp<arith::ConstantOp>())
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      return splat.getSplatValue<Attribute>();
  return {};
}

std::string KernelText::load(Value tensor, const std::string &index) {
  Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
  if (Attribute number = getSplatNumber(tensor))
    return getLiteral(number);
  // Such a tensor, as the window of a pooling, has an extent and no elements.
  if (kernel::isUndefined(tensor))
    return getTypeText(type) + "(0)";
  if (!pointers_.contains(tensor)) {
    kernel.emitOpError("reads a tensor that has no memory: ") << tensor;
    fail();
    return "0";
  }
  std::string element = pointers_[tensor] + "[" + index + "]";
  if (type.isInteger(1))
    element = "bool(" + element + ")";
  // An overwritten element must be read where the text reads it, and not later.
  return isStoredOver(tensor) ? define(getTypeText(type), "old", element)
                              : element;
}

/// Whether `tensor` may be the memory of a result.
bool KernelText::isStoredOver(Value tensor) const {
  kernel::FuncOp func = kernel;
  unsigned number = cast<BlockArgument>(tensor).getArgNumber();
  if (number >= func.getNumInputs())
    return true;
  for (unsigned result = 0; result < func.getNumResults(); ++result)
    if (func.mayAlias(number, result))
      return true;
  return false;
}

void KernelText::store(Value argument, const std::string &index,
                       const std::string &value) {
  line("{0}[{1}] = {2};", pointer(argument), index, value);
}

SmallVector<Value> KernelText::destinationsOf(Value value) const {
  SmallVector<Value> destinations;
  kernel::FuncOp func = kernel;
  for (auto [number, returned] : llvm::enumerate(func.getReturn().getValues()))
    if (returned == value)
      destinations.push_back(func.getDestination(number));
  return destinations;
}

bool KernelText::mayOverwrite(Value destination, Value tensor) const {
  kernel::FuncOp func = kernel;
  unsigned number = cast<BlockArgument>(tensor).getArgNumber();
  if (number >= func.getNumInputs())
    return tensor == destination;
  return func.mayAlias(number, cast<BlockArgument>(destination).getArgNumber() -
                                   func.getNumInputs());
}

bool KernelText::mayOverwriteInput(ArrayRef<Value> destinations) const {
  kernel::FuncOp func = kernel;
  auto inputs = func.getArguments().take_front(func.getNumInputs());
  return llvm::any_of(destinations, [&](Value destination) {
    return llvm::any_of(
        inputs, [&](Value input) { return mayOverwrite(destination, input); });
  });
}
