// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts everything that emitters use to the LLVM dialect, in one conversion.
#include "lib/Codegen/CPU/Lower.h"

#include "lib/Codegen/CPU/Addresses.h"
#include "lib/Codegen/CPU/CPUDialect.h"
#include "lib/Codegen/CPU/Expand.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/X86Vector/Transforms.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;

namespace {

struct ConvertPass : PassWrapper<ConvertPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertPass)

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect>();
  }

  void runOnOperation() override {
    LowerToLLVMOptions options(&getContext());
    LLVMTypeConverter converter(&getContext(), options);
    RewritePatternSet patterns(&getContext());
    SymbolTableCollection symbols;
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns, &symbols);
    populateMathToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    populateX86VectorLegalizeForLLVMExportPatterns(converter, patterns);
    LLVMConversionTarget target(getContext());
    configureX86VectorLegalizeForExportTarget(target);
    // The conversion is never rolled back. Not recording how to do that halves
    // its time.
    ConversionConfig config;
    config.allowPatternRollback = false;
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns), config)))
      return signalPassFailure();
    carryBFloatAsBits();
    getOperation().walk(restoreBFloats);
  }

  /// Replaces bf16 by its bits. Arithmetic on bf16 has been expanded already;
  /// the remaining ops only move bits. Where the CPU has no instructions for
  /// bf16, LLVM moves it through f32 (in a phi, in a masked load), and calls a
  /// function to convert it back.
  void carryBFloatAsBits() {
    AttrTypeReplacer replacer;
    replacer.addReplacement([](BFloat16Type type) -> Type {
      return IntegerType::get(type.getContext(), 16);
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }
  static void restoreBFloats(LLVM::CallIntrinsicOp op);
};

} // namespace

/// Gives an instruction for bf16 its operands as bf16 again, and takes its
/// result so.
void ConvertPass::restoreBFloats(LLVM::CallIntrinsicOp op) {
  if (!op.getIntrin().starts_with("llvm.x86.avx512bf16."))
    return;
  OpBuilder builder(op);
  for (OpOperand &operand : op.getArgsMutable()) {
    auto type = dyn_cast<VectorType>(operand.get().getType());
    if (!type || !type.getElementType().isInteger(16))
      continue;
    Type factors = type.clone(builder.getBF16Type());
    operand.set(
        LLVM::BitcastOp::create(builder, op.getLoc(), factors, operand.get()));
  }
  auto type = dyn_cast<VectorType>(op.getResult(0).getType());
  if (!type || !type.getElementType().isInteger(16))
    return;
  op.getResult(0).setType(cast<VectorType>(type.clone(builder.getBF16Type())));
  builder.setInsertionPointAfter(op);
  auto bits =
      LLVM::BitcastOp::create(builder, op.getLoc(), type, op.getResult(0));
  op.getResult(0).replaceAllUsesExcept(bits, bits);
}

namespace {

/// Gives each kernel the runtime's ABI. Code that kernels of several sizes run
/// has a fifth argument, the address of the sizes.
struct WrapPass : PassWrapper<WrapPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WrapPass)

  void runOnOperation() override {
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<LLVM::LLVMFuncOp>()))
      if (isCode(function)) {
        if (!mpc::kernel::getEmittedKernel(function))
          outline(function);
        wrap(function);
      } else if (!function.isExternal())
        function.setLinkage(LLVM::Linkage::Internal);
  }

  /// Whether launches run the function.
  static bool isCode(LLVM::LLVMFuncOp function) {
    return mpc::kernel::getEmittedKernel(function) ||
           function->hasAttr(
               mpc::cpu::CPUDialect::SharedAttrHelper::getNameStr());
  }
  static void outline(LLVM::LLVMFuncOp code);
  static void wrap(LLVM::LLVMFuncOp kernel);

  /// The number of arguments after the buffers: first chunk, end, scratch
  /// memory.
  static constexpr unsigned kNumOthers = 3;
};

} // namespace

/// Replaces `count` arguments from `first` on by loads from the memory to which
/// a new argument in front of them points. Each takes 8 bytes.
static void load(Block &entry, unsigned first, unsigned count) {
  auto builder = OpBuilder::atBlockBegin(&entry);
  Location loc = entry.getParentOp()->getLoc();
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  BlockArgument list = entry.insertArgument(first, pointer, loc);
  for (unsigned number = 0; number < count; ++number) {
    BlockArgument argument = entry.getArgument(first + 1);
    Value slot = LLVM::GEPOp::create(builder, loc, pointer, pointer, list,
                                     ArrayRef<LLVM::GEPArg>(number));
    argument.replaceAllUsesWith(
        LLVM::LoadOp::create(builder, loc, argument.getType(), slot));
    entry.eraseArgument(first + 1);
  }
}

/// Leaves in `code` only a call of its body. With too few registers, a register
/// allocator reads an argument again from its place, but keeps loaded values in
/// registers that better values could use: see docs/rationale/kernel.md.
void WrapPass::outline(LLVM::LLVMFuncOp code) {
  OpBuilder builder(code);
  Location loc = code.getLoc();
  auto body = LLVM::LLVMFuncOp::create(
      builder, loc, (code.getName() + "_body").str(), code.getFunctionType());
  body.getBody().takeBody(code.getBody());
  Block *entry = code.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  LLVM::CallOp::create(builder, loc, body, entry->getArguments());
  LLVM::ReturnOp::create(builder, loc, ValueRange());
}

void WrapPass::wrap(LLVM::LLVMFuncOp kernel) {
  Block &entry = kernel.getBody().front();
  MLIRContext *context = kernel.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type number = IntegerType::get(context, 64);
  // The last argument that is memory is scratch memory. Sizes come after it.
  auto sizes = llvm::make_range(entry.args_rbegin(), entry.args_rend());
  unsigned numSizes = llvm::find_if(sizes,
                                    [&](BlockArgument argument) {
                                      return argument.getType() == pointer;
                                    }) -
                      sizes.begin();
  unsigned firstSize = entry.getNumArguments() - numSizes;
  SmallVector<Type> arguments = {pointer, number, number, pointer};
  if (numSizes > 0) {
    load(entry, firstSize, numSizes);
    arguments.push_back(pointer);
  }
  load(entry, 0, firstSize - kNumOthers);
  kernel.setFunctionType(
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), arguments));
  // The attributes of arguments describe buffers, which are no arguments any
  // more.
  kernel.removeArgAttrsAttr();
}

void mpc::cpu::buildLowerToLLVM(OpPassManager &manager) {
  manager.addPass(createExpandPass());
  manager.addPass(createAddressesPass());
  SCFToControlFlowPassOptions loops;
  loops.allowPatternRollback = false;
  manager.addPass(createSCFToControlFlowPass(loops));
  manager.addPass(std::make_unique<ConvertPass>());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(std::make_unique<WrapPass>());
}
