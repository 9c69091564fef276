// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The micro-kernel: a block of results in registers, one function a module.
#include "lib/Codegen/CPU/MicroKernel.h"

#include "lib/Codegen/CPU/Units.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mpc::cpu;

// Bare pointers need static shapes. The shape has no other meaning.
static MemRefType getOperandType(Type element) {
  return MemRefType::get({int64_t(1) << 40}, element);
}

namespace {

/// Builds the function at the beginning of the module, where calls look for it,
/// before all kernels.
class MicroKernelBuilder {
public:
  MicroKernelBuilder(ModuleOp module, const MicroKernel &shape)
      : shape_(shape), builder_(OpBuilder::atBlockBegin(module.getBody())),
        loc_(module.getLoc()),
        vector_(VectorType::get({shape.lanes}, builder_.getF32Type())),
        factorType_(getFactorType(builder_.getContext(), shape.unit)),
        depth_(getDepth(shape.unit)) {}

  func::FuncOp build(StringRef name);

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder_, loc_, value);
  }
  Value add(Value a, Value b) {
    return arith::AddIOp::create(builder_, loc_, a, b, flags_);
  }
  Value mul(Value a, Value b) {
    return arith::MulIOp::create(builder_, loc_, a, b, flags_);
  }
  SmallVector<Value> zeros();
  SmallVector<Value> step(Value number, ValueRange sums);
  SmallVector<Value> sumSteps(Value steps, ValueRange sums);
  SmallVector<Value> sumRuns(Block::BlockArgListType arguments);
  void placeRows(Value first);
  Value broadcastRow(Value place);
  Value multiply(Value row, Value column, Value sum);
  Value load(const MicroOperand &operand, Value place);
  void storeResult(ValueRange sums, const MicroOperand &init,
                   const MicroOperand &result);
  int64_t vectors() const { return shape_.columns / shape_.lanes; }

  MicroKernel shape_;
  OpBuilder builder_;
  Location loc_;
  VectorType vector_;
  Type factorType_;
  int64_t depth_;
  arith::IntegerOverflowFlags flags_ =
      arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
  Value a_, b_, bOffset_;
  Value rowStride_;
  /// The distances of rows; null where they lie side by side.
  Value initStride_, resultStride_;
  SmallVector<Value> rowOffsets_;
};

} // namespace

SmallVector<Value> MicroKernelBuilder::zeros() {
  Value zero = arith::ConstantOp::create(builder_, loc_,
                                         DenseElementsAttr::get(vector_, 0.0f));
  return SmallVector<Value>(shape_.rows * shape_.columns / shape_.lanes, zero);
}

Value MicroKernelBuilder::load(const MicroOperand &operand, Value place) {
  return vector::LoadOp::create(builder_, loc_, vector_, operand.buffer,
                                add(operand.offset, place));
}

/// The elements of one row in one step of k, in all lanes.
Value MicroKernelBuilder::broadcastRow(Value place) {
  if (depth_ == 1) {
    Value scalar = memref::LoadOp::create(builder_, loc_, a_, place);
    return vector::BroadcastOp::create(builder_, loc_, vector_, scalar);
  }
  auto pair = VectorType::get({depth_}, factorType_);
  Type word = builder_.getI32Type();
  Value value = vector::LoadOp::create(builder_, loc_, pair, a_, place);
  value = vector::BitCastOp::create(builder_, loc_, VectorType::get({1}, word),
                                    value);
  value = vector::ExtractOp::create(builder_, loc_, value, int64_t(0));
  value = vector::BroadcastOp::create(
      builder_, loc_, VectorType::get({shape_.lanes}, word), value);
  return vector::BitCastOp::create(
      builder_, loc_, VectorType::get({shape_.lanes * depth_}, factorType_),
      value);
}

Value MicroKernelBuilder::multiply(Value row, Value column, Value sum) {
  // LLVM folds a broadcast from memory into the last operand only.
  if (shape_.unit == Unit::AVX512BF16)
    return x86vector::DotBF16Op::create(builder_, loc_, sum, column, row);
  // vector.fma is not used, because it may round twice.
  if (shape_.fused)
    return math::FmaOp::create(builder_, loc_, row, column, sum);
  Value product = arith::MulFOp::create(builder_, loc_, row, column);
  return arith::AddFOp::create(builder_, loc_, sum, product);
}

SmallVector<Value> MicroKernelBuilder::step(Value number, ValueRange sums) {
  SmallVector<Value> columns;
  Value first = add(mul(number, constant(shape_.columns * depth_)), bOffset_);
  int64_t width = shape_.lanes * depth_;
  for (int64_t place = 0; place < shape_.columns * depth_; place += width)
    columns.push_back(vector::LoadOp::create(
        builder_, loc_, VectorType::get({width}, factorType_), b_,
        add(first, constant(place))));
  int64_t distance = shape_.rowPanels ? shape_.rows * depth_ : depth_;
  Value k = distance == 1 ? number : mul(number, constant(distance));
  SmallVector<Value> next;
  for (Value rowOffset : rowOffsets_) {
    Value row = broadcastRow(add(rowOffset, k));
    for (Value column : columns)
      next.push_back(multiply(row, column, sums[next.size()]));
  }
  return next;
}

void MicroKernelBuilder::storeResult(ValueRange sums, const MicroOperand &init,
                                     const MicroOperand &result) {
  for (auto [number, sum] : llvm::enumerate(sums)) {
    auto place = [&, number = number](Value stride) {
      if (!stride)
        return constant(number * shape_.lanes);
      return add(mul(stride, constant(number / vectors())),
                 constant(number % vectors() * shape_.lanes));
    };
    Value total = arith::AddFOp::create(builder_, loc_,
                                        load(init, place(initStride_)), sum);
    vector::StoreOp::create(builder_, loc_, total, result.buffer,
                            add(result.offset, place(resultStride_)));
  }
}

/// Finds the rows of a run that begins at `first`.
void MicroKernelBuilder::placeRows(Value first) {
  rowOffsets_.clear();
  for (int64_t row = 0; row < shape_.rows; ++row)
    rowOffsets_.push_back(add(first, shape_.rowPanels
                                         ? constant(row * depth_)
                                         : mul(rowStride_, constant(row))));
}

/// Adds up `steps` steps of the unit.
SmallVector<Value> MicroKernelBuilder::sumSteps(Value steps, ValueRange sums) {
  auto loop = scf::ForOp::create(
      builder_, loc_, constant(0), steps, constant(1), sums,
      [&](OpBuilder &nested, Location, Value number, ValueRange sums) {
        OpBuilder::InsertionGuard guard(builder_);
        builder_.setInsertionPointToEnd(nested.getInsertionBlock());
        scf::YieldOp::create(builder_, loc_, step(number, sums));
      });
  return SmallVector<Value>(loop.getResults());
}

/// Adds up all runs.
SmallVector<Value>
MicroKernelBuilder::sumRuns(Block::BlockArgListType arguments) {
  auto loop = scf::ForOp::create(
      builder_, loc_, constant(0), arguments[10], constant(1), zeros(),
      [&](OpBuilder &nested, Location, Value run, ValueRange sums) {
        OpBuilder::InsertionGuard guard(builder_);
        builder_.setInsertionPointToEnd(nested.getInsertionBlock());
        placeRows(add(arguments[2], mul(run, arguments[11])));
        bOffset_ = add(arguments[5], mul(run, arguments[12]));
        scf::YieldOp::create(builder_, loc_, sumSteps(arguments[0], sums));
      });
  return SmallVector<Value>(loop.getResults());
}

func::FuncOp MicroKernelBuilder::build(StringRef name) {
  Type index = builder_.getIndexType();
  Type factor = getOperandType(factorType_);
  Type memory = getOperandType(builder_.getF32Type());
  SmallVector<Type> types = {index, factor, index, index,  factor,
                             index, memory, index, memory, index};
  if (shape_.hasRuns)
    types.append(5, index);
  auto function = func::FuncOp::create(builder_, loc_, name,
                                       builder_.getFunctionType(types, {}));
  function.setPrivate();
  Block *entry = function.addEntryBlock();
  builder_.setInsertionPointToStart(entry);
  Block::BlockArgListType arguments = entry->getArguments();
  a_ = arguments[1];
  rowStride_ = arguments[3];
  b_ = arguments[4];
  bOffset_ = arguments[5];
  SmallVector<Value> sums;
  if (shape_.hasRuns) {
    initStride_ = arguments[13];
    resultStride_ = arguments[14];
    sums = sumRuns(arguments);
  } else {
    placeRows(arguments[2]);
    sums = sumSteps(arguments[0], zeros());
  }
  storeResult(sums, {arguments[6], arguments[7]}, {arguments[8], arguments[9]});
  func::ReturnOp::create(builder_, loc_);
  return function;
}

static func::FuncOp getMicroKernel(ModuleOp module, const MicroKernel &shape) {
  std::string name =
      llvm::formatv("mpc_gemm_{0}x{1}_{2}{3}", shape.rows, shape.columns,
                    shape.lanes, shape.fused ? "" : "_unfused");
  if (shape.rowPanels)
    name += "_panels";
  if (shape.hasRuns)
    name += "_runs";
  if (shape.unit != Unit::FMA)
    name += ("_" + stringifyUnit(shape.unit)).str();
  if (auto function = module.lookupSymbol<func::FuncOp>(name))
    return function;
  return MicroKernelBuilder(module, shape).build(name);
}

static void emitCall(Emitter &emitter, const MicroKernel &shape, Value steps,
                     MicroOperand a, Value rowStride, MicroOperand b,
                     MicroOperand init, MicroOperand result, ValueRange more) {
  OpBuilder &builder = emitter.builder;
  auto module = emitter.kernel->getParentOfType<ModuleOp>();
  func::FuncOp function = getMicroKernel(module, shape);
  auto resize = [&](Value buffer) -> Value {
    MemRefType type =
        getOperandType(cast<MemRefType>(buffer.getType()).getElementType());
    return memref::ReinterpretCastOp::create(
        builder, emitter.loc, type, buffer, /*offset=*/int64_t(0),
        type.getShape(), ArrayRef<int64_t>{1});
  };
  SmallVector<Value> operands = {steps,
                                 resize(a.buffer),
                                 a.offset,
                                 rowStride,
                                 resize(b.buffer),
                                 b.offset,
                                 resize(init.buffer),
                                 init.offset,
                                 resize(result.buffer),
                                 result.offset};
  llvm::append_range(operands, more);
  func::CallOp::create(builder, emitter.loc, function, operands);
}

void mpc::cpu::emitMicroKernelCall(Emitter &emitter, const MicroKernel &shape,
                                   Value steps, MicroOperand a, Value rowStride,
                                   MicroOperand b, MicroOperand init,
                                   MicroOperand result) {
  emitCall(emitter, shape, steps, a, rowStride, b, init, result, {});
}

void mpc::cpu::emitMicroKernelCall(Emitter &emitter, const MicroKernel &shape,
                                   Value steps, MicroOperand a, Value rowStride,
                                   MicroOperand b, MicroOperand init,
                                   MicroOperand result, const MicroRuns &runs,
                                   Value initStride, Value resultStride) {
  emitCall(emitter, shape, steps, a, rowStride, b, init, result,
           {runs.count, runs.rowStride, runs.columnStride, initStride,
            resultStride});
}
