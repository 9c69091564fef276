// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cpu-share-code: kernels that differ only in sizes share one code.
#include "dialects/Kernel/KernelDialect.h"
#include "lib/Codegen/CPU/CPUDialect.h"
#include "lib/Codegen/CPU/Passes.h"
#include "lib/Codegen/CPU/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

namespace mpc::cpu {
#define GEN_PASS_DEF_SHARECODEPASS
#include "lib/Codegen/CPU/Passes.h.inc"
} // namespace mpc::cpu

using namespace mlir;
using namespace mpc::cpu;

/// The value of a scalar constant; null for any other op. It is passed to the
/// code, or compared between kernels.
static Attribute numberOf(Operation *op) {
  auto constant = dyn_cast_or_null<arith::ConstantOp>(op);
  return constant && constant.getType().isIntOrIndexOrFloat()
             ? constant.getValue()
             : Attribute();
}

namespace {

/// The structure of a function apart from sizes, for comparing functions.
class Skeleton {
public:
  Skeleton(func::FuncOp kernel, const Sizes &sizes) : sizes_(sizes) {
    add(kernel.getBody());
  }

  std::vector<uintptr_t> take() { return std::move(words_); }

private:
  void add(const void *word) {
    words_.push_back(reinterpret_cast<uintptr_t>(word));
  }
  /// A memref counts by its elements: a function gets only its address.
  void add(Type type) {
    auto memory = dyn_cast<MemRefType>(type);
    bool isFlat =
        memory && memory.getRank() == 1 && memory.getLayout().isIdentity();
    words_.push_back(isFlat);
    add((isFlat ? memory.getElementType() : type).getAsOpaquePointer());
  }
  void add(Region &region) {
    words_.push_back(region.getBlocks().size());
    for (Block &block : region) {
      words_.push_back(block.getNumArguments());
      for (BlockArgument argument : block.getArguments()) {
        add(argument.getType());
        ids_.try_emplace(argument, ids_.size());
      }
      for (Operation &op : block)
        if (!numberOf(&op))
          add(op);
    }
  }
  void add(Operation &op) {
    add(op.getName().getAsOpaquePointer());
    add(op.getAttrDictionary().getAsOpaquePointer());
    words_.push_back(op.getNumOperands());
    for (OpOperand &operand : op.getOpOperands())
      add(operand);
    for (Value result : op.getResults()) {
      add(result.getType());
      ids_.try_emplace(result, ids_.size());
    }
    words_.push_back(op.getNumRegions());
    for (Region &region : op.getRegions())
      add(region);
  }
  void add(OpOperand &operand) {
    constexpr uintptr_t kSize = 0, kConstant = 1, kOther = 2;
    Attribute number = numberOf(operand.get().getDefiningOp());
    bool isSize = sizes_.isSize(operand);
    words_.push_back(isSize ? kSize : number ? kConstant : kOther);
    if (isSize)
      add(operand.get().getType());
    else if (number)
      add(number.getAsOpaquePointer());
    else
      words_.push_back(ids_.lookup(operand.get()));
  }

  const Sizes &sizes_;
  std::vector<uintptr_t> words_;
  DenseMap<Value, uintptr_t> ids_;
};

/// A kernel, and the sizes that would be passed to its code.
struct SizedKernel {
  func::FuncOp function;
  std::vector<int64_t> sizes;
};

/// Several kernels with one skeleton.
class Family {
public:
  explicit Family(ArrayRef<SizedKernel> kernels) : kernels_(kernels) {}

  void share(SymbolTable &symbols);

private:
  void numberParameters();
  func::FuncOp makeCode(SymbolTable &symbols);
  void readSizes(func::FuncOp code, const Sizes &sizes,
                 unsigned firstParameter);
  void runCode(const SizedKernel &kernel, func::FuncOp code);

  ArrayRef<SizedKernel> kernels_;
  /// The parameter of each size; empty where all kernels have the same size.
  std::vector<std::optional<size_t>> parameters_;
  std::vector<size_t> first_; ///< For each parameter a size that it stands for.
};

} // namespace

void Family::share(SymbolTable &symbols) {
  numberParameters();
  func::FuncOp code = makeCode(symbols);
  for (const SizedKernel &kernel : kernels_)
    runCode(kernel, code);
}

void Family::numberParameters() {
  std::map<std::pair<const void *, std::vector<int64_t>>, size_t> known;
  Sizes sizes(kernels_.front().function);
  for (size_t size = 0; size < kernels_.front().sizes.size(); ++size) {
    std::vector<int64_t> column;
    for (const SizedKernel &kernel : kernels_)
      column.push_back(kernel.sizes[size]);
    if (llvm::all_equal(column)) {
      parameters_.push_back(std::nullopt);
      continue;
    }
    Type type = sizes.all()[size].operand->get().getType();
    auto [it, isNew] = known.try_emplace(
        {type.getAsOpaquePointer(), std::move(column)}, first_.size());
    if (isNew)
      first_.push_back(size);
    parameters_.push_back(it->second);
  }
}

/// Replaces `op`, a quotient or a remainder, by a multiplication by
/// `reciprocal`.
static void multiply(Operation *op, Value reciprocal) {
  OpBuilder builder(op);
  Value dividend = op->getOperand(0);
  Value one = arith::ConstantIndexOp::create(builder, op->getLoc(), 1);
  Value next = arith::AddIOp::create(builder, op->getLoc(), dividend, one);
  Value result =
      arith::MulUIExtendedOp::create(builder, op->getLoc(), next, reciprocal)
          .getHigh();
  if (isa<arith::RemUIOp>(op)) {
    result =
        arith::MulIOp::create(builder, op->getLoc(), result, op->getOperand(1));
    result = arith::SubIOp::create(builder, op->getLoc(), dividend, result);
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// Makes `code`, a copy of the first kernel, read its sizes from parameters.
void Family::readSizes(func::FuncOp code, const Sizes &sizes,
                       unsigned firstParameter) {
  for (auto [size, parameter] : llvm::zip_equal(sizes.all(), parameters_)) {
    if (!parameter)
      continue;
    Value argument = code.getArgument(firstParameter + *parameter);
    if (size.isReciprocal)
      multiply(size.operand->getOwner(), argument);
    else
      size.operand->set(argument);
  }
}

/// Makes the shared code: the first kernel's, with its sizes as arguments after
/// the others.
func::FuncOp Family::makeCode(SymbolTable &symbols) {
  func::FuncOp first = kernels_.front().function;
  func::FuncOp code = first.clone();
  unsigned firstParameter = code.getNumArguments();
  MLIRContext *context = code.getContext();
  Sizes sizes(code);
  for (size_t size : first_)
    code.getBody().addArgument(sizes.all()[size].operand->get().getType(),
                               code.getLoc());
  readSizes(code, sizes, firstParameter);
  code.setFunctionType(
      FunctionType::get(context, code.getBody().getArgumentTypes(), {}));
  code.setName((code.getName() + "_code").str());
  code->removeAttr(mpc::kernel::KernelDialect::EmittedAttrHelper::getNameStr());
  code->removeAttr(mpc::kernel::KernelDialect::WorkAttrHelper::getNameStr());
  code->setAttr(CPUDialect::SharedAttrHelper::getNameStr(),
                UnitAttr::get(context));
  code.removeArgAttrsAttr();
  symbols.insert(code, Block::iterator(first));
  return code;
}

static std::vector<int64_t> numbersOf(const Sizes &sizes) {
  std::vector<int64_t> numbers;
  for (const Size &size : sizes.all())
    numbers.push_back(size.number());
  return numbers;
}

/// Leaves in the kernel only the sizes for its code.
void Family::runCode(const SizedKernel &kernel, func::FuncOp code) {
  func::FuncOp function = kernel.function;
  function.getBody().dropAllReferences();
  function.getBody().getBlocks().clear();
  function.setPrivate();
  SmallVector<int64_t> sizes;
  for (size_t size : first_)
    sizes.push_back(kernel.sizes[size]);
  MLIRContext *context = function.getContext();
  auto known = cast<KernelAttr>(mpc::kernel::getEmittedKernel(function));
  function->setAttr(
      mpc::kernel::KernelDialect::EmittedAttrHelper::getNameStr(),
      KernelAttr::get(context, known.getChunks(), known.getScratch(),
                      known.getSources(), FlatSymbolRefAttr::get(code),
                      DenseI64ArrayAttr::get(context, sizes), known.getTile()));
}

static size_t countOps(func::FuncOp function) {
  size_t count = 0;
  function.walk([&](Operation *) { ++count; });
  return count;
}

namespace {

struct ShareCodePass : mpc::cpu::impl::ShareCodePassBase<ShareCodePass> {
  using ShareCodePassBase::ShareCodePassBase;
  using Families =
      llvm::MapVector<std::vector<uintptr_t>, SmallVector<SizedKernel>,
                      std::map<std::vector<uintptr_t>, unsigned>>;

  void runOnOperation() override {
    Families families = findFamilies();
    size_t least = findLeast(families);
    SymbolTable symbols(getOperation());
    for (auto &[skeleton, kernels] : families) {
      bool isShared = kernels.size() >= least;
      numKernels += kernels.size();
      numCodes += isShared ? 1 : kernels.size();
      if (isShared)
        Family(kernels).share(symbols);
    }
  }

private:
  Families findFamilies() {
    Families families;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (mpc::kernel::getEmittedKernel(function)) {
        Sizes sizes(function);
        families[Skeleton(function, sizes).take()].push_back(
            {function, numbersOf(sizes)});
      }
    return families;
  }

  /// The least number of kernels that share code: fewer where there is much to
  /// compile.
  size_t findLeast(const Families &families) {
    size_t least = std::max(leastKernels.getValue(), 2U), ops = 0;
    for (const auto &[skeleton, kernels] : families) {
      size_t codes = kernels.size() >= least ? 1 : kernels.size();
      ops += codes * countOps(kernels.front().function);
    }
    return ops > smallOps ? 2 : least;
  }
};

} // namespace
