// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The function being built, memory, index arithmetic and loops.
#include "lib/Codegen/CPU/Emitter.h"

#include "lib/Codegen/CPU/CPUDialect.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;

Type mpc::cpu::getStorageType(Type type) {
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
}

int64_t mpc::cpu::getStorageBytes(Type type) {
  return getStorageType(type).getIntOrFloatBitWidth() / 8;
}

MemRefType mpc::cpu::getFlatType(RankedTensorType type) {
  return MemRefType::get({type.getNumElements()},
                         getStorageType(type.getElementType()));
}

Emitter::Emitter(OpBuilder &builder, kernel::FuncOp kernel)
    : builder(builder), loc(kernel.getLoc()), kernel(kernel) {
  SmallVector<Type> inputs;
  for (Type type : kernel.getArgumentTypes())
    inputs.push_back(getFlatType(cast<RankedTensorType>(type)));
  inputs.append({builder.getIndexType(), builder.getIndexType(),
                 MemRefType::get({0}, builder.getI8Type())});
  builder.setInsertionPoint(kernel);
  function = func::FuncOp::create(builder, loc, kernel.getName(),
                                  builder.getFunctionType(inputs, {}));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  for (auto [argument, buffer] :
       llvm::zip(kernel.getArguments(), entry->getArguments()))
    mapping.map(argument, buffer);
  begin = entry->getArgument(inputs.size() - 3);
  end = entry->getArgument(inputs.size() - 2);
  scratch_ = entry->getArguments().back();
  for (auto constant : kernel.getBody().getOps<arith::ConstantOp>())
    if (!isa<ShapedType>(constant.getType()))
      builder.clone(*constant, mapping);
}

void Emitter::finish(int64_t chunks, int64_t tile) {
  func::ReturnOp::create(builder, loc);
  scratch_.setType(MemRefType::get({scratchBytes_}, builder.getI8Type()));
  function.setType(builder.getFunctionType(
      function.getBody().front().getArgumentTypes(), {}));
  function->setAttr(mpc::kernel::KernelDialect::EmittedAttrHelper::getNameStr(),
                    KernelAttr::get(builder.getContext(), chunks, scratchBytes_,
                                    kernel.getSourcesAttr(), /*code=*/{},
                                    /*sizes=*/{}, tile));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value Emitter::allocate(int64_t count, Type elementType) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  int64_t offset = scratchBytes_;
  scratchBytes_ += llvm::alignTo(count * getStorageBytes(elementType), 64);
  return memref::ViewOp::create(
      builder, loc, MemRefType::get({count}, getStorageType(elementType)),
      scratch_, constantIndex(offset), ValueRange{});
}

Value Emitter::getBuffer(Value tensor) { return mapping.lookupOrNull(tensor); }

void Emitter::setBuffer(Value tensor, Value buffer) {
  mapping.map(tensor, buffer);
}

Value Emitter::getSplatValue(Value tensor) {
  if (Value scalar = kernel::getSplat(tensor))
    return mapping.lookup(scalar);
  auto constant = tensor.getDefiningOp<arith::ConstantOp>();
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                        : SplatElementsAttr();
  if (!splat)
    return {};
  return arith::ConstantOp::create(builder, loc,
                                   splat.getSplatValue<TypedAttr>());
}

Value Emitter::load(Value tensor, Value index) {
  Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
  Value buffer = getBuffer(tensor);
  if (!buffer) {
    if (Value splat = getSplatValue(tensor))
      return splat;
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  }
  Value value = memref::LoadOp::create(builder, loc, buffer, index);
  if (type == value.getType())
    return value;
  return arith::TruncIOp::create(builder, loc, type, value);
}

void Emitter::store(Value value, Value buffer, Value index) {
  Type type = cast<MemRefType>(buffer.getType()).getElementType();
  if (type != value.getType())
    value = arith::ExtUIOp::create(builder, loc, type, value);
  memref::StoreOp::create(builder, loc, value, buffer, index);
}

//===----------------------------------------------------------------------===//
// Index arithmetic and loops
//===----------------------------------------------------------------------===//

Value Emitter::constantIndex(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// Whether `expr` is a dimension, which is no less than 0, or quotients and
/// remainders of one.
static bool isPartOfPosition(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return isa<AffineDimExpr>(expr);
  auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return divisor && divisor.getValue() > 0 &&
         llvm::is_contained({AffineExprKind::FloorDiv, AffineExprKind::Mod},
                            expr.getKind()) &&
         isPartOfPosition(binary.getLHS());
}

/// The same without regard to negative numbers.
static Value evaluatePart(Emitter &emitter, AffineExpr expr, ValueRange dims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value whole = evaluatePart(emitter, binary.getLHS(), dims);
  Value divisor = emitter.constantIndex(
      cast<AffineConstantExpr>(binary.getRHS()).getValue());
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return arith::DivUIOp::create(emitter.builder, emitter.loc, whole, divisor);
  return arith::RemUIOp::create(emitter.builder, emitter.loc, whole, divisor);
}

Value Emitter::evaluate(AffineExpr expr, ValueRange dims) {
  SmallVector<Value> values(dims);
  DenseMap<AffineExpr, AffineExpr> parts;
  expr.walk([&](AffineExpr part) {
    if (!isa<AffineBinaryOpExpr>(part) || !isPartOfPosition(part))
      return;
    parts[part] = getAffineDimExpr(values.size(), part.getContext());
    values.push_back(evaluatePart(*this, part, dims));
  });
  if (!parts.empty())
    expr = expr.replace(parts);
  return affine::expandAffineExpr(builder, loc, expr, values, {});
}

SmallVector<Value> Emitter::delinearize(Value position,
                                        ArrayRef<int64_t> extents) {
  SmallVector<Value> result(extents.size());
  for (int dim = static_cast<int>(extents.size()) - 1; dim > 0; --dim) {
    Value extent = constantIndex(extents[dim]);
    result[dim] = arith::RemUIOp::create(builder, loc, position, extent);
    position = arith::DivUIOp::create(builder, loc, position, extent);
  }
  if (!result.empty())
    result[0] = position;
  return result;
}

Value Emitter::chunkStart(Value chunk, int64_t units, int64_t chunks) {
  Value scaled =
      arith::MulIOp::create(builder, loc, chunk, constantIndex(units));
  return arith::DivUIOp::create(builder, loc, scaled, constantIndex(chunks));
}

void Emitter::prefetch(Value buffer, Value place, Prefetch intent) {
  memref::PrefetchOp::create(builder, loc, buffer, place,
                             /*isWrite=*/intent == Prefetch::Write,
                             /*localityHint=*/3, /*isDataCache=*/true);
}

/// Of all CPUs of the supported levels.
static constexpr int64_t kLineBits = 512;

int64_t Emitter::countLineElements(Value buffer) {
  return kLineBits /
         cast<MemRefType>(buffer.getType()).getElementTypeBitWidth();
}

void Emitter::emitLoop(Value from, Value to, int64_t step, LoopBody body) {
  auto loop = scf::ForOp::create(builder, loc, from, to, constantIndex(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

SmallVector<Value> Emitter::emitCarryingLoop(std::pair<Value, Value> range,
                                             int64_t step, ValueRange values,
                                             CarryBody body) {
  auto loop = scf::ForOp::create(builder, loc, range.first, range.second,
                                 constantIndex(step), values);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  // A loop that yields no values has been created with its terminator.
  if (!values.empty())
    scf::YieldOp::create(builder, loc, next);
  return loop.getResults();
}

static void emitNestFrom(Emitter &emitter, ArrayRef<int64_t> extents,
                         SmallVectorImpl<Value> &dims, Emitter::NestBody body) {
  if (dims.size() == extents.size())
    return body(dims);
  Value zero = emitter.constantIndex(0);
  Value extent = emitter.constantIndex(extents[dims.size()]);
  emitter.emitLoop(zero, extent, 1, [&](Value dim) {
    dims.push_back(dim);
    emitNestFrom(emitter, extents, dims, body);
    dims.pop_back();
  });
}

void Emitter::emitNest(ArrayRef<int64_t> extents, NestBody body) {
  SmallVector<Value> dims;
  emitNestFrom(*this, extents, dims, body);
}
