// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The nn dialect: the computations of a model.
#ifndef MPC_DIALECTS_NN_NNDIALECT_TD
#define MPC_DIALECTS_NN_NNDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def NN_Dialect : Dialect {
  let name = "nn";
  let cppNamespace = "::mpc::nn";
  let summary = "What a model computes: named tensor ops with value semantics";
  let description = [{
    Ops on ranked tensors of static shape. Every op is pure. Low precision is
    an element type, a change of precision is an `nn.cast`; broadcasting is an
    `nn.broadcast`, so that operands of elementwise ops have one shape.

    The signless integer types `i8` to `i64` are read as signed; `ui8` to
    `ui64` are unsigned. Signedness is part of the type, so that folds, casts,
    comparisons, quotients and files know it. Overflow wraps around. Kernels
    have signless integers only; their ops (`arith.divui`, `arith.divsi`) carry
    the signedness.

    Rounding: an op on `f16` or `bf16` computes in f32 and rounds once, to
    nearest even, at its result; contractions and reductions accumulate in
    f32. On `f64` everything is f64.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect",
    "::mpc::kernel::KernelDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

def NN_FloatTensor
    : Type<And<[RankedTensorOf<[F16, BF16, F32, F64]>.predicate,
                HasStaticShapePred]>,
           "static tensor of f16, bf16, f32 or f64", "::mlir::RankedTensorType">;
def NN_IntTensor
    : Type<And<[RankedTensorOf<[I<8>, I<16>, I<32>, I<64>, UI<8>, UI<16>,
                                UI<32>, UI<64>]>.predicate,
                HasStaticShapePred]>,
           "static tensor of integers", "::mlir::RankedTensorType">;
def NN_BoolTensor
    : Type<And<[RankedTensorOf<[I1]>.predicate, HasStaticShapePred]>,
           "static tensor of i1", "::mlir::RankedTensorType">;
def NN_NumberTensor
    : Type<Or<[NN_FloatTensor.predicate, NN_IntTensor.predicate]>,
           "static tensor of floats or integers", "::mlir::RankedTensorType">;
def NN_Tensor
    : Type<Or<[NN_NumberTensor.predicate, NN_BoolTensor.predicate]>,
           "static tensor of floats, integers or i1",
           "::mlir::RankedTensorType">;

#endif // MPC_DIALECTS_NN_NNDIALECT_TD
