// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The micro-kernel: a block of results in registers, one function a module.
#include "lib/Codegen/CPU/MicroKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mpc::cpu;

// Bare pointers need static shapes. The shape has no other meaning.
static MemRefType getOperandType(MLIRContext *context) {
  return MemRefType::get({int64_t(1) << 40}, Float32Type::get(context));
}

namespace {

/// Builds the function at the beginning of the module, where calls look for it,
/// before all kernels.
class MicroKernelBuilder {
public:
  MicroKernelBuilder(ModuleOp module, const MicroKernel &shape)
      : shape_(shape), builder_(OpBuilder::atBlockBegin(module.getBody())),
        loc_(module.getLoc()),
        vector_(VectorType::get({shape.lanes}, builder_.getF32Type())) {}

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
  SmallVector<Value> step(Value k, ValueRange sums);
  Value load(const MicroOperand &operand, int64_t place);
  void storeResult(ValueRange sums, const MicroOperand &init,
                   const MicroOperand &result);

  MicroKernel shape_;
  OpBuilder builder_;
  Location loc_;
  VectorType vector_;
  arith::IntegerOverflowFlags flags_ =
      arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
  Value a_, b_, bOffset_;
  SmallVector<Value> rowOffsets_;
};

} // namespace

SmallVector<Value> MicroKernelBuilder::zeros() {
  Value zero = arith::ConstantOp::create(builder_, loc_,
                                         DenseElementsAttr::get(vector_, 0.0f));
  return SmallVector<Value>(shape_.rows * shape_.columns / shape_.lanes, zero);
}

Value MicroKernelBuilder::load(const MicroOperand &operand, int64_t place) {
  return vector::LoadOp::create(builder_, loc_, vector_, operand.buffer,
                                add(operand.offset, constant(place)));
}

SmallVector<Value> MicroKernelBuilder::step(Value k, ValueRange sums) {
  SmallVector<Value> columns;
  Value first = add(mul(k, constant(shape_.columns)), bOffset_);
  for (int64_t column = 0; column < shape_.columns; column += shape_.lanes)
    columns.push_back(vector::LoadOp::create(builder_, loc_, vector_, b_,
                                             add(first, constant(column))));
  SmallVector<Value> next;
  for (Value rowOffset : rowOffsets_) {
    Value scalar =
        memref::LoadOp::create(builder_, loc_, a_, add(rowOffset, k));
    Value row = vector::BroadcastOp::create(builder_, loc_, vector_, scalar);
    for (Value column : columns) {
      Value sum = sums[next.size()];
      if (shape_.fused) {
        // vector.fma is not used, because it may round twice.
        next.push_back(math::FmaOp::create(builder_, loc_, row, column, sum));
        continue;
      }
      Value product = arith::MulFOp::create(builder_, loc_, row, column);
      next.push_back(arith::AddFOp::create(builder_, loc_, sum, product));
    }
  }
  return next;
}

void MicroKernelBuilder::storeResult(ValueRange sums, const MicroOperand &init,
                                     const MicroOperand &result) {
  for (auto [number, sum] : llvm::enumerate(sums)) {
    int64_t place = number * shape_.lanes;
    Value total = arith::AddFOp::create(builder_, loc_, load(init, place), sum);
    vector::StoreOp::create(builder_, loc_, total, result.buffer,
                            add(result.offset, constant(place)));
  }
}

func::FuncOp MicroKernelBuilder::build(StringRef name) {
  Type index = builder_.getIndexType();
  Type memory = getOperandType(builder_.getContext());
  auto function = func::FuncOp::create(
      builder_, loc_, name,
      builder_.getFunctionType({index, memory, index, index, memory, index,
                                memory, index, memory, index},
                               {}));
  function.setPrivate();
  Block *entry = function.addEntryBlock();
  builder_.setInsertionPointToStart(entry);
  Block::BlockArgListType arguments = entry->getArguments();
  a_ = arguments[1];
  b_ = arguments[4];
  bOffset_ = arguments[5];
  for (int64_t row = 0; row < shape_.rows; ++row)
    rowOffsets_.push_back(add(arguments[2], mul(arguments[3], constant(row))));
  auto loop = scf::ForOp::create(
      builder_, loc_, constant(0), arguments[0], constant(1), zeros(),
      [&](OpBuilder &nested, Location, Value k, ValueRange sums) {
        OpBuilder::InsertionGuard guard(builder_);
        builder_.setInsertionPointToEnd(nested.getInsertionBlock());
        scf::YieldOp::create(builder_, loc_, step(k, sums));
      });
  storeResult(loop.getResults(), {arguments[6], arguments[7]},
              {arguments[8], arguments[9]});
  func::ReturnOp::create(builder_, loc_);
  return function;
}

static func::FuncOp getMicroKernel(ModuleOp module, const MicroKernel &shape) {
  std::string name =
      llvm::formatv("mpc_gemm_{0}x{1}_{2}{3}", shape.rows, shape.columns,
                    shape.lanes, shape.fused ? "" : "_unfused");
  if (auto function = module.lookupSymbol<func::FuncOp>(name))
    return function;
  return MicroKernelBuilder(module, shape).build(name);
}

void mpc::cpu::emitMicroKernelCall(Emitter &emitter, const MicroKernel &shape,
                                   Value k, MicroOperand a, Value rowStride,
                                   MicroOperand b, MicroOperand init,
                                   MicroOperand result) {
  OpBuilder &builder = emitter.builder;
  auto module = emitter.kernel->getParentOfType<ModuleOp>();
  func::FuncOp function = getMicroKernel(module, shape);
  auto cast = [&](Value buffer) -> Value {
    MemRefType type = getOperandType(builder.getContext());
    return memref::ReinterpretCastOp::create(
        builder, emitter.loc, type, buffer, /*offset=*/int64_t(0),
        type.getShape(), ArrayRef<int64_t>{1});
  };
  func::CallOp::create(builder, emitter.loc, function,
                       ValueRange{k, cast(a.buffer), a.offset, rowStride,
                                  cast(b.buffer), b.offset, cast(init.buffer),
                                  init.offset, cast(result.buffer),
                                  result.offset});
}
