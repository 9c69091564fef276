// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One conversion of everything that emitters use to the LLVM dialect.
#include "lib/Codegen/CPU/Lower.h"

#include "lib/Codegen/CPU/CPUDialect.h"
#include "lib/Codegen/CPU/Expand.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
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
    options.useBarePtrCallConv = true;
    LLVMTypeConverter converter(&getContext(), options);
    RewritePatternSet patterns(&getContext());
    SymbolTableCollection symbols;
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns, &symbols);
    populateMathToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns,
                                                   &symbols);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(getContext());
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
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
      if (function->hasAttr(mpc::cpu::CPUDialect::kKernelAttrName))
        wrap(function);
      else if (!function.isExternal())
        function.setLinkage(LLVM::Linkage::Internal);
  }

  static void wrap(LLVM::LLVMFuncOp inner);
};

} // namespace

void WrapPass::wrap(LLVM::LLVMFuncOp inner) {
  MLIRContext *context = inner.getContext();
  std::string name = inner.getName().str();
  inner.setName(name + ".chunks");
  inner.setLinkage(LLVM::Linkage::Internal);
  OpBuilder builder(inner);
  Location loc = inner.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type number = builder.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {pointer, number, number, pointer});
  auto outer = LLVM::LLVMFuncOp::create(builder, loc, name, type);
  Block *entry = outer.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  SmallVector<Value> arguments;
  unsigned buffers = inner.getNumArguments() - 3;
  for (unsigned buffer = 0; buffer < buffers; ++buffer) {
    Value slot = LLVM::GEPOp::create(builder, loc, pointer, pointer,
                                     entry->getArgument(0),
                                     ArrayRef<LLVM::GEPArg>(buffer));
    arguments.push_back(LLVM::LoadOp::create(builder, loc, pointer, slot));
  }
  for (unsigned rest = 1; rest < 4; ++rest)
    arguments.push_back(entry->getArgument(rest));
  LLVM::CallOp::create(builder, loc, inner, arguments);
  LLVM::ReturnOp::create(builder, loc, ValueRange{});
}

void mpc::cpu::buildLowerToLLVM(OpPassManager &manager) {
  manager.addPass(createExpandPass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(std::make_unique<ConvertPass>());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(std::make_unique<WrapPass>());
}
