// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One conversion of everything that emitters use to the LLVM dialect.
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
    LLVMConversionTarget target(getContext());
    // The conversion is never rolled back, and not recording how halves its
    // time.
    ConversionConfig config;
    config.allowPatternRollback = false;
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns), config)))
      return signalPassFailure();
    carryBFloatAsBits();
  }

  /// Arithmetic on bf16 has been expanded, and what is left moves bits. LLVM
  /// moves a bf16 through f32 where the CPU has no instructions for it (in a
  /// phi, in a masked load), and calls a function to come back.
  void carryBFloatAsBits() {
    AttrTypeReplacer replacer;
    replacer.addReplacement([](BFloat16Type type) -> Type {
      return IntegerType::get(type.getContext(), 16);
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }
};

/// Gives each kernel the runtime's ABI.
struct WrapPass : PassWrapper<WrapPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WrapPass)

  void runOnOperation() override {
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<LLVM::LLVMFuncOp>()))
      if (mpc::kernel::getEmittedKernel(function))
        wrap(function);
      else if (!function.isExternal() &&
               !function->hasAttr(
                   mpc::cpu::CPUDialect::SharedAttrHelper::getNameStr()))
        function.setLinkage(LLVM::Linkage::Internal);
  }

  static void wrap(LLVM::LLVMFuncOp kernel);

  /// Arguments behind the buffers: first chunk, end, scratch memory.
  static constexpr unsigned kNumOthers = 3;
};

} // namespace

void WrapPass::wrap(LLVM::LLVMFuncOp kernel) {
  OpBuilder builder(kernel.getContext());
  Location loc = kernel.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type number = builder.getI64Type();
  Block &entry = kernel.getBody().front();
  builder.setInsertionPointToStart(&entry);
  unsigned buffers = entry.getNumArguments() - kNumOthers;
  BlockArgument list = entry.insertArgument(0u, pointer, loc);
  for (unsigned buffer = 0; buffer < buffers; ++buffer) {
    Value slot = LLVM::GEPOp::create(builder, loc, pointer, pointer, list,
                                     ArrayRef<LLVM::GEPArg>(buffer));
    entry.getArgument(1).replaceAllUsesWith(
        LLVM::LoadOp::create(builder, loc, pointer, slot));
    entry.eraseArgument(1);
  }
  kernel.setFunctionType(
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  {pointer, number, number, pointer}));
  // These attributes describe the buffers.
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
