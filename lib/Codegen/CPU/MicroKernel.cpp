// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The micro-kernel: a block of results in registers, one function a module.
#include "lib/Codegen/CPU/Gemm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mpc::cpu;

// Bare pointers need static shapes; the shape plays no other part.
static MemRefType getOperandType(MLIRContext *context) {
  return MemRefType::get({int64_t(1) << 40}, Float32Type::get(context));
}

namespace {

/// Builds the function.
class MicroKernelBuilder {
public:
  MicroKernelBuilder(ModuleOp module, const MicroKernel &shape)
      : shape(shape), builder(OpBuilder::atBlockEnd(module.getBody())),
        loc(module.getLoc()),
        vector(VectorType::get({shape.lanes}, builder.getF32Type())) {}

  func::FuncOp build(StringRef name);

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b, flags);
  }
  Value mul(Value a, Value b) {
    return arith::MulIOp::create(builder, loc, a, b, flags);
  }
  SmallVector<Value> loadInit(Value buffer, Value offset);
  SmallVector<Value> step(Value k, ValueRange sums);
  void storeResult(ValueRange sums, Value buffer, Value offset);

  MicroKernel shape;
  OpBuilder builder;
  Location loc;
  VectorType vector;
  arith::IntegerOverflowFlags flags =
      arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
  Value a, b, bOffset;
  SmallVector<Value> rowOffsets;
};

} // namespace

SmallVector<Value> MicroKernelBuilder::loadInit(Value buffer, Value offset) {
  SmallVector<Value> sums;
  for (int64_t place = 0; place < shape.rows * shape.columns;
       place += shape.lanes)
    sums.push_back(vector::LoadOp::create(builder, loc, vector, buffer,
                                          add(offset, constant(place))));
  return sums;
}

SmallVector<Value> MicroKernelBuilder::step(Value k, ValueRange sums) {
  SmallVector<Value> columns;
  Value first = add(mul(k, constant(shape.columns)), bOffset);
  for (int64_t column = 0; column < shape.columns; column += shape.lanes)
    columns.push_back(vector::LoadOp::create(builder, loc, vector, b,
                                             add(first, constant(column))));
  SmallVector<Value> next;
  for (Value rowOffset : rowOffsets) {
    Value scalar = memref::LoadOp::create(builder, loc, a, add(rowOffset, k));
    Value row = vector::BroadcastOp::create(builder, loc, vector, scalar);
    for (Value column : columns) {
      Value sum = sums[next.size()];
      if (shape.fused) {
        // Not vector.fma: that one leaves it open whether it rounds once.
        next.push_back(math::FmaOp::create(builder, loc, row, column, sum));
        continue;
      }
      Value product = arith::MulFOp::create(builder, loc, row, column);
      next.push_back(arith::AddFOp::create(builder, loc, sum, product));
    }
  }
  return next;
}

void MicroKernelBuilder::storeResult(ValueRange sums, Value buffer,
                                     Value offset) {
  for (auto [number, sum] : llvm::enumerate(sums))
    vector::StoreOp::create(builder, loc, sum, buffer,
                            add(offset, constant(number * shape.lanes)));
}

func::FuncOp MicroKernelBuilder::build(StringRef name) {
  Type index = builder.getIndexType();
  Type memory = getOperandType(builder.getContext());
  auto function = func::FuncOp::create(
      builder, loc, name,
      builder.getFunctionType({index, memory, index, index, memory, index,
                               memory, index, memory, index},
                              {}));
  function.setPrivate();
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  Block::BlockArgListType arguments = entry->getArguments();
  a = arguments[1];
  b = arguments[4];
  bOffset = arguments[5];
  for (int64_t row = 0; row < shape.rows; ++row)
    rowOffsets.push_back(add(arguments[2], mul(arguments[3], constant(row))));
  SmallVector<Value> init = loadInit(arguments[6], arguments[7]);
  auto loop = scf::ForOp::create(
      builder, loc, constant(0), arguments[0], constant(1), init,
      [&](OpBuilder &nested, Location, Value k, ValueRange sums) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToEnd(nested.getInsertionBlock());
        scf::YieldOp::create(builder, loc, step(k, sums));
      });
  storeResult(loop.getResults(), arguments[8], arguments[9]);
  func::ReturnOp::create(builder, loc);
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
