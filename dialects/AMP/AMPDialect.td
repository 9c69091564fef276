// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The amp dialect: how one training step is made safe.
#ifndef MPC_DIALECTS_AMP_AMPDIALECT_TD
#define MPC_DIALECTS_AMP_AMPDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"

def AMP_Dialect : Dialect {
  let name = "amp";
  let cppNamespace = "::mpc::amp";
  let summary = "How a step is made safe: scale, unscale, check, clip, update";
  let description = [{
    Two levels. On the first, state has a name: `@scaler`, `@optimizer` and the
    parameters are symbols that ops read and write. `amp-build-step` makes it.
    All gradients of an optimizer are one value there, of a type of their own,
    from `amp.gather` to `amp.apply`. On the second, state is in slabs: every op
    is pure, and a function takes and yields whole slabs (`kernel.state`), which
    `amp.slab` lays out. `amp-lower-state` makes it.

    A function that is run from outside is an entry: `amp.entry` says what for.

    Scalars are computed in f64 and rounded to f32 where they meet tensors. A
    skipped step is data flow: the new state is selected from the old.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect",
    "::mpc::kernel::KernelDialect", "::mpc::nn::NNDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let discardableAttrs = (ins "::mpc::amp::EntryKindAttr":$entry,
                              "::mpc::amp::SiteAttr":$site,
                              "::mlir::FlatSymbolRefAttr":$pending_of,
                              "::mlir::FlatSymbolRefAttr":$batches_of);
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let useDefaultTypePrinterParser = 1;
}

def AMP_GradientsType : TypeDef<AMP_Dialect, "Gradients"> {
  let mnemonic = "gradients";
  let summary = "The gradients of all parameters that an optimizer trains";
  let description = [{
    One tensor of f32 for each, in the optimizer's order. `part of N` are those
    elements of them that one of N ranks updates: the state is divided by
    elements, and not by tensors.

    ```mlir
    !amp.gradients<@optimizer>
    !amp.gradients<@optimizer part of 4>
    ```
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$optimizer,
                        DefaultValuedParameter<"int64_t", "1">:$parts);
  let assemblyFormat = "`<` $optimizer (`part` `of` $parts^)? `>`";
  let builders = [TypeBuilderWithInferredContext<(ins
      "::mlir::FlatSymbolRefAttr":$optimizer,
      CArg<"int64_t", "1">:$parts), [{
    return $_get(optimizer.getContext(), optimizer, parts);
  }]>];
  let skipDefaultBuilders = 1;
  let genVerifyDecl = 1;
}

class AMP_ScalarOf<Type elementType, string description>
    : Type<And<[RankedTensorOf<[elementType]>.predicate, HasAnyRankOfPred<[0]>]>,
           description, "::mlir::RankedTensorType">;

def AMP_F32 : AMP_ScalarOf<F32, "tensor<f32>">,
              BuildableType<"::mlir::RankedTensorType::get(::llvm::ArrayRef<int64_t>(), $_builder.getF32Type())">;
def AMP_F64 : AMP_ScalarOf<F64, "tensor<f64>">,
              BuildableType<"::mlir::RankedTensorType::get(::llvm::ArrayRef<int64_t>(), $_builder.getF64Type())">;
def AMP_Flag : AMP_ScalarOf<I1, "tensor<i1>">,
               BuildableType<"::mlir::RankedTensorType::get(::llvm::ArrayRef<int64_t>(), $_builder.getI1Type())">;
def AMP_I32 : AMP_ScalarOf<I32, "tensor<i32>">,
              BuildableType<"::mlir::RankedTensorType::get(::llvm::ArrayRef<int64_t>(), $_builder.getI32Type())">;
def AMP_I64 : AMP_ScalarOf<I64, "tensor<i64>">,
              BuildableType<"::mlir::RankedTensorType::get(::llvm::ArrayRef<int64_t>(), $_builder.getI64Type())">;
def AMP_F32OrF64
    : Type<Or<[AMP_F32.predicate, AMP_F64.predicate]>,
           "tensor<f32> or tensor<f64>", "::mlir::RankedTensorType">;
def AMP_Gradient
    : Type<And<[RankedTensorOf<[F16, BF16, F32]>.predicate,
                HasStaticShapePred]>,
           "static tensor of f16, bf16 or f32", "::mlir::RankedTensorType">;
def AMP_F32Tensor
    : Type<And<[RankedTensorOf<[F32]>.predicate, HasStaticShapePred]>,
           "static tensor of f32", "::mlir::RankedTensorType">;

// What a step keeps: numbers, and counts.
def AMP_StateTensor
    : Type<And<[RankedTensorOf<[F32, I<32>, I<64>]>.predicate,
                HasStaticShapePred]>,
           "static tensor of f32, i32 or i64", "::mlir::RankedTensorType">;

def AMP_F64Vector : Type<And<[RankedTensorOf<[F64]>.predicate,
                             HasAnyRankOfPred<[1]>]>, "vector of f64",
                         "::mlir::RankedTensorType">;
def AMP_F32Vector : Type<And<[RankedTensorOf<[F32]>.predicate,
                             HasAnyRankOfPred<[1]>]>, "vector of f32",
                         "::mlir::RankedTensorType">;

// Symbols of parameters; empty by default.
def AMP_Parameters
    : TypedArrayAttrBase<FlatSymbolRefAttr, "symbols of parameters"> {
  let constBuilderCall = "$_builder.getArrayAttr($0)";
}

// Gradients of which a rank has all elements.
def AMP_WholeGradients
    : Type<And<[AMP_GradientsType.predicate,
                CPred<"::llvm::cast<::mpc::amp::GradientsType>($_self)"
                      ".getParts() == 1">]>,
           "all gradients of an optimizer, and no part of them",
           "::mpc::amp::GradientsType">;

// One gradient, or all gradients of an optimizer.
def AMP_AnyGradients : AnyTypeOf<[AMP_Gradient, AMP_GradientsType]>;
def AMP_AnyF32Gradients : AnyTypeOf<[AMP_F32Tensor, AMP_GradientsType]>;

// One value, or one for each of several tensors.
def AMP_F64Norms : Type<Or<[AMP_F64.predicate, AMP_F64Vector.predicate]>,
                        "tensor<f64> or vector of f64",
                        "::mlir::RankedTensorType">;
def AMP_F32Norms : Type<Or<[AMP_F32.predicate, AMP_F32Vector.predicate]>,
                        "tensor<f32> or vector of f32",
                        "::mlir::RankedTensorType">;

// The traits of these names are defined in AMPDialect.h.
def Recomputed : NativeOpTrait<"Recomputed"> {
  let cppNamespace = "::mpc::amp";
}
def WidensFirst : NativeOpTrait<"WidensFirst"> {
  let cppNamespace = "::mpc::amp";
}

// An op that names symbols, and verifies that each is of the expected kind.
def UsesSymbols
    : TraitList<[DeclareOpInterfaceMethods<SymbolUserOpInterface>]>;

def AMP_Count : ConfinedAttr<I64Attr, [IntPositive]>;

class AMP_Op<string mnemonic, list<Trait> traits = []>
    : Op<AMP_Dialect, mnemonic, traits>;

#endif // MPC_DIALECTS_AMP_AMPDIALECT_TD
