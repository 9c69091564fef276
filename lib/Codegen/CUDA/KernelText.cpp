// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of one kernel.
#include "lib/Codegen/CUDA/KernelText.h"

#include "dialects/Interfaces/NodeNames.h"
#include "lib/Codegen/CUDA/CUDADialect.h"
#include "lib/Codegen/CUDA/ScalarText.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mpc::cuda;
using llvm::formatv;
using mpc::kernel::Linear;
using mpc::kernel::Statement;

std::string mpc::cuda::toIdentifier(StringRef name) {
  std::string result;
  for (char c : name) {
    if (llvm::isAlnum(c))
      result += c;
    else if (!result.empty() && result.back() != '_')
      result += '_';
  }
  while (!result.empty() && result.back() == '_')
    result.pop_back();
  if (result.empty())
    return "value";
  return llvm::isDigit(result.front()) ? "_" + result : result;
}

int64_t mpc::cuda::getAccessBytes(Value tensor, int64_t count) {
  constexpr int64_t kWidest = 16;
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  return std::min(kWidest, count * getStorageBytes(element));
}

bool mpc::cuda::isAligned(Value tensor, int64_t count) {
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument)
    return false;
  auto kernel = cast<kernel::FuncOp>(argument.getOwner()->getParentOp());
  return kernel.getAlignment(argument.getArgNumber()) %
             getAccessBytes(tensor, count) ==
         0;
}

/// Whether an int can count the elements of all tensors of `kernel`, and the
/// parallel iterations of its statements plus a block. The terms of a sum are
/// elements of a tensor.
static bool fitsInt(mpc::kernel::FuncOp kernel) {
  if (TargetAttr::lookup(kernel).getWide())
    return false;
  auto isSmall = [](int64_t count) { return count < (int64_t(1) << 30); };
  if (!llvm::all_of(kernel.getArgumentTypes(), [&](Type type) {
        return isSmall(cast<RankedTensorType>(type).getNumElements());
      }))
    return false;
  FailureOr<mpc::kernel::Body> body = mpc::kernel::getBody(kernel);
  return failed(body) ||
         llvm::all_of(body->statements, [&](const Statement &statement) {
           int64_t parallel = statement.numParallel();
           return isSmall(parallel) && isSmall(statement.numIterations() /
                                               std::max<int64_t>(parallel, 1));
         });
}

KernelText::KernelText(kernel::FuncOp kernel) : kernel(kernel) {
  indexType_ = fitsInt(kernel) ? "int" : "mpc_i64";
  for (BlockArgument argument : kernel.getArguments()) {
    bool isInput = argument.getArgNumber() < kernel.getNumInputs();
    pointers_[argument] = makeName(isInput ? "input" : "output");
    accesses_.push_back(getAccessBytes(argument, 1));
  }
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

void KernelText::addLine(const std::string &text) {
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  for (StringRef one : lines)
    body_ += indent_ + one.str() + "\n";
}

void KernelText::block(const std::string &head, llvm::function_ref<void()> body,
                       const char *end) {
  if (head.empty())
    return body();
  addLine(head + " {");
  indent_ += "  ";
  body();
  indent_.resize(indent_.size() - 2);
  addLine(end);
}

std::string KernelText::makeName(StringRef stem) {
  std::string name;
  do
    name = stem.str() + std::to_string(counts_[stem]++);
  while (!taken_.insert(name).second);
  return name;
}

std::string KernelText::define(const std::string &type, StringRef stem,
                               const std::string &expression) {
  std::string name = makeName(stem);
  line("const {0} {1} = {2};", type, name, expression);
  return name;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

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

bool KernelText::mayOverwriteInput(ArrayRef<Value> destinations) const {
  kernel::FuncOp func = kernel;
  for (Value destination : destinations)
    for (unsigned input = 0; input < func.getNumInputs(); ++input)
      if (func.mayAlias(input, cast<BlockArgument>(destination).getArgNumber() -
                                   func.getNumInputs()))
        return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

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
    text = spell(&op, llvm::map_to_vector(op.getOperands(), [&](Value value) {
      return valueOf(value);
    }));
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
  FailureOr<std::string> text = spell(combiner, {lhs, rhs});
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

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// A comment on the model's ops that the kernel computes.
std::string KernelText::comment() {
  std::string names, text;
  if (ArrayAttr sources = kernel.getSourcesAttr())
    names = llvm::join(
        llvm::map_range(sources.getAsRange<StringAttr>(),
                        [](StringAttr name) {
                          return llvm::StringRef(toIdentifier(name)).str();
                        }),
        ", ");
  if (names.empty())
    return "";
  std::string row = "//";
  for (StringRef word : llvm::split(names, ' ')) {
    if (row.size() + word.size() > 78) {
      text += row + "\n";
      row = "//";
    }
    row += " " + word.str();
  }
  return text + row + "\n";
}

SmallVector<int64_t> KernelText::argumentsAlone() {
  SmallVector<int64_t> alone;
  for (unsigned input = 0; input < kernel.getNumInputs(); ++input)
    if (llvm::none_of(llvm::seq(kernel.getNumResults()), [&](unsigned result) {
          return kernel.mayAlias(input, result);
        }))
      alone.push_back(input);
  return alone;
}

std::string KernelText::signature(int64_t threads) {
  // Without a number of blocks ptxas spills to make room for more of them.
  int64_t blocks = residentThreads(threads) / threads;
  std::string text =
      formatv("extern \"C\" __global__ void __launch_bounds__({0}, {1})\n{2}(",
              threads, blocks, kernel.getSymName());
  SmallVector<std::string> parameters;
  SmallVector<int64_t> alone = argumentsAlone();
  for (BlockArgument argument : kernel.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    unsigned number = argument.getArgNumber();
    bool isAlone = llvm::is_contained(alone, number);
    parameters.push_back(formatv(
        "{0}{1} *{2}{3}", number < kernel.getNumInputs() ? "const " : "",
        getStorageText(type.getElementType()), isAlone ? "__restrict__ " : "",
        pointers_[argument]));
  }
  return text + llvm::join(parameters, ",\n    ") + ")";
}

FailureOr<std::string> KernelText::finish(int64_t threads) {
  if (failed_)
    return failure();
  return comment() + signature(threads) + " {\n" + body_ + "}\n";
}
