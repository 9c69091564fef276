// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces memrefs, and the ops that read and write them, by addresses.
#include "lib/Codegen/CPU/Addresses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace {

/// Builds, in place of one op, an op that does the same with an address. The op
/// that made its memory may be replaced already, so that its operand may be a
/// pointer. The typed accessors, which cast the operand to a memref, may
/// therefore not be used.
class AddressBuilder {
public:
  explicit AddressBuilder(Operation *op) : builder_(op), loc_(op->getLoc()) {}

  /// The value that replaces `op`; null for a store, which has no result.
  Value replace(memref::LoadOp op) {
    return LLVM::LoadOp::create(
        builder_, loc_, op.getType(),
        placeOfOne(op.getMemrefMutable().get(), op.getIndices(), op.getType()));
  }
  Value replace(memref::StoreOp op) {
    Value value = op.getValueToStore();
    LLVM::StoreOp::create(builder_, loc_, value,
                          placeOfOne(op.getMemrefMutable().get(),
                                     op.getIndices(), value.getType()));
    return {};
  }
  Value replace(vector::LoadOp op) {
    return LLVM::LoadOp::create(
        builder_, loc_, op.getType(),
        placeOf(op.getBaseMutable().get(), op.getIndices(), op.getVectorType()),
        alignmentOf(op.getVectorType()));
  }
  Value replace(vector::StoreOp op) {
    LLVM::StoreOp::create(
        builder_, loc_, op.getValueToStore(),
        placeOf(op.getBaseMutable().get(), op.getIndices(), op.getVectorType()),
        alignmentOf(op.getVectorType()));
    return {};
  }
  Value replace(vector::MaskedLoadOp op) {
    return LLVM::MaskedLoadOp::create(
        builder_, loc_, op.getVectorType(),
        placeOf(op.getBaseMutable().get(), op.getIndices(), op.getVectorType()),
        op.getMask(), op.getPassThru(), alignmentOf(op.getVectorType()));
  }
  Value replace(vector::MaskedStoreOp op) {
    LLVM::MaskedStoreOp::create(
        builder_, loc_, op.getValueToStore(),
        placeOf(op.getBaseMutable().get(), op.getIndices(), op.getVectorType()),
        op.getMask(), alignmentOf(op.getVectorType()));
    return {};
  }
  /// While the operand is a memref, whose elements the indices count.
  Value replace(memref::PrefetchOp op) {
    Value place = placeOf(op.getMemrefMutable().get(), op.getIndices(),
                          op.getMemRefType().getElementType());
    LLVM::Prefetch::create(builder_, loc_, place, op.getIsWrite(),
                           op.getLocalityHint(), op.getIsDataCache());
    return {};
  }
  Value replace(memref::ViewOp op) {
    return placeOf(op.getSourceMutable().get(), op.getByteShift(),
                   builder_.getI8Type());
  }
  Value replace(memref::ReinterpretCastOp op) {
    return op.getSourceMutable().get();
  }

private:
  /// The address of an element that is accessed alone, and so lies inside of
  /// the memory.
  Value placeOfOne(Value base, ValueRange index, Type type) {
    return placeOf(base, index, type,
                   LLVM::GEPNoWrapFlags::inbounds | LLVM::GEPNoWrapFlags::nuw);
  }
  Value placeOf(Value base, ValueRange index, Type type,
                LLVM::GEPNoWrapFlags flags = LLVM::GEPNoWrapFlags::none) {
    Value at = arith::IndexCastOp::create(builder_, loc_, builder_.getI64Type(),
                                          index.front());
    return LLVM::GEPOp::create(
        builder_, loc_, LLVM::LLVMPointerType::get(builder_.getContext()),
        getElementTypeOrSelf(type), base, at, flags);
  }
  /// The alignment is one element's: vectors begin at any element.
  static unsigned alignmentOf(VectorType type) {
    return type.getElementTypeBitWidth() / 8;
  }

  OpBuilder builder_;
  Location loc_;
};

struct AddressesPass : PassWrapper<AddressesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AddressesPass)

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect>();
  }

  void runOnOperation() override {
    getOperation().walk([](memref::PrefetchOp op) { replace(op); });
    for (auto function : getOperation().getOps<func::FuncOp>())
      retype(function);
    getOperation().walk([](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case<memref::LoadOp, memref::StoreOp, memref::ViewOp,
                memref::ReinterpretCastOp, vector::LoadOp, vector::StoreOp,
                vector::MaskedLoadOp, vector::MaskedStoreOp>(
              [](auto access) { replace(access); });
    });
  }

private:
  static void retype(func::FuncOp function) {
    Type pointer = LLVM::LLVMPointerType::get(function.getContext());
    for (BlockArgument argument : function.getArguments())
      if (isa<MemRefType>(argument.getType()))
        argument.setType(pointer);
    function.setFunctionType(FunctionType::get(
        function.getContext(), function.getBody().getArgumentTypes(), {}));
  }

  template <typename Access>
  static void replace(Access op) {
    if (Value value = AddressBuilder(op).replace(op))
      op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }
};

} // namespace

std::unique_ptr<Pass> mpc::cpu::createAddressesPass() {
  return std::make_unique<AddressesPass>();
}
