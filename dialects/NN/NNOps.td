// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of the nn dialect. One entry is an op's whole declaration; its
// methods are in Ops/<Family>.cpp. Normalization and losses are in
// NNNormalizationOps.td.
#ifndef MPC_DIALECTS_NN_NNOPS_TD
#define MPC_DIALECTS_NN_NNOPS_TD

include "dialects/Interfaces/OpInterfaces.td"
include "dialects/NN/NNDialect.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class NN_Op<string mnemonic, list<Trait> traits = []>
    : Op<NN_Dialect, mnemonic, traits>;

// An op that infers its result type from operands and attributes.
def InferType : TraitList<[InferTypeOpAdaptor]>;

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

def NN_InitAttr : AttrDef<NN_Dialect, "Init"> {
  let mnemonic = "init";
  let summary = "How a parameter's first value is made";
  let description = [{
    `zeros`, `ones`, `uniform(b)` (within [-b, b)), `normal(s)` (mean 0,
    deviation s) or `external` (the value comes with the model's file, by the
    parameter's name). The value is initial state: it is no part of the
    compiled module.
  }];
  let parameters = (ins StringRefParameter<"kind">:$kind,
                        APFloatParameter<"bound or deviation">:$argument);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def NN_ParameterOp : NN_Op<"parameter", [Symbol]> {
  let summary = "A trainable tensor of the model";
  let description = [{
    Declares a parameter under the name that the model's file gives it. Ops
    read it by `nn.get`; a weight that is used twice is one parameter read
    twice.

    ```mlir
    nn.parameter @fc.weight : tensor<10x64xf32> = #nn.init<uniform 0.125>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<NN_FloatTensor>:$type,
                       NN_InitAttr:$init, UnitAttr:$frozen);
  let assemblyFormat = [{
    (`frozen` $frozen^)? $sym_name `:` $type `=` $init attr-dict
  }];
}

def NN_GetOp : NN_Op<"get", [
    MemoryEffects<[MemRead]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    Differentiable]> {
  let summary = "The value of a parameter";
  let description = [{
    Reads the parameter as it is at that point of the program: after what
    earlier ops of a step have written.

    ```mlir
    %w = nn.get @fc.weight : tensor<10x64xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$parameter);
  let results = (outs NN_FloatTensor:$output);
  let assemblyFormat = "$parameter `:` type($output) attr-dict";
}

def NN_ConstantOp : NN_Op<"constant", [
    Pure, ConstantLike, AllTypesMatch<["value", "output"]>, Differentiable,
    KernelBody]> {
  let summary = "A tensor known at compile time";
  let description = [{
    ```mlir
    %c = nn.constant dense<0.5> : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs NN_Tensor:$output);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
}

def NN_CastOp : NN_Op<"cast", [
    Pure, SameOperandsAndResultShape, Differentiable, ScalarBody]> {
  let summary = "Change the element type";
  let description = [{
    Between floating types rounds once, to nearest even, without saturation:
    what is too large becomes infinite. Float to integer truncates towards
    zero; integer to float rounds to nearest even; to `i1` is `!= 0`.

    A cast of a wider type's exact image folds away: f16 to f32 to f16. A
    cast that may round never folds.

    ```mlir
    %y = nn.cast %x : tensor<4x8xf32> -> tensor<4x8xf16>
    ```
  }];
  let arguments = (ins NN_Tensor:$input);
  let results = (outs NN_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasFolder = 1;
}

def NN_AutocastOp : NN_Op<"autocast", [
    SingleBlockImplicitTerminator<"YieldOp">, NoRegionArguments]> {
  let summary = "A region with its own precision";
  let description = [{
    Inside, `nn-autocast` uses `dtype` as the low type (`enabled`), or leaves
    every op in the type it was written in (`disabled`: an fp32 island).
    Regions nest and the inner one wins. The pass inlines them.

    ```mlir
    %y = nn.autocast disabled -> tensor<4x8xf32> {
      %0 = nn.exp %x : tensor<4x8xf32>
      nn.yield %0 : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins BoolAttr:$enabled, OptionalAttr<TypeAttr>:$dtype);
  let results = (outs Variadic<NN_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def NN_YieldOp : NN_Op<"yield", [
    Pure, Terminator, ReturnLike, HasParent<"AutocastOp">]> {
  let summary = "Results of an autocast region";
  let arguments = (ins Variadic<NN_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), "/*nothing to yield*/">];
}

def NN_VJPOp : NN_Op<"vjp", [
    AttrSizedOperandSegments, MemoryEffects<[MemRead]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A function's results and its vector-Jacobian product";
  let description = [{
    Calls `callee` and yields its results, then one gradient for each
    parameter in `wrt` and each argument number in `args`, of the parameter's
    or argument's type: the product of the `seeds` (one for each floating
    result, in its type) with the Jacobian. `nn-differentiate` expands it,
    innermost first. Where nothing depends on a parameter its gradient is
    zero.

    ```mlir
    %loss, %dw = nn.vjp @loss(%x) seed(%s) wrt [@w]
        : (tensor<4xf32>), (tensor<f32>) -> tensor<f32>, tensor<4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<NN_Tensor>:$inputs,
                       Variadic<NN_FloatTensor>:$seeds,
                       FlatSymbolRefArrayAttr:$wrt,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$args);
  let results = (outs Variadic<NN_Tensor>:$outputs);
  let assemblyFormat = [{
    $callee `(` $inputs `)` `seed` `(` $seeds `)` `wrt` $wrt
    (`args` $args^)? attr-dict
    `:` custom<TypesInParens>(type($inputs)) `,`
    custom<TypesInParens>(type($seeds)) `->` type($outputs)
  }];
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

class NN_Elementwise<string mnemonic, list<Trait> traits = []>
    : NN_Op<mnemonic, traits # [Pure, ScalarBody, Differentiable]>;

class NN_Unary<string mnemonic, string formula, list<Trait> traits>
    : NN_Elementwise<mnemonic, [SameOperandsAndResultType] # traits> {
  let summary = "Elementwise " # formula;
  let description = "Computes `" # formula # [{` of each element, in f32 (f64
    for f64), rounded once. NaN gives NaN.
  }];
  let arguments = (ins NN_FloatTensor:$input);
  let results = (outs NN_FloatTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($output)";
}

def NN_NegOp        : NN_Unary<"neg", "-x", [Infer]>;
def NN_AbsOp        : NN_Unary<"abs", "|x|", [Infer]>;
def NN_SignOp       : NN_Unary<"sign", "sign(x), 0 at 0", [Infer]>;
def NN_ReluOp       : NN_Unary<"relu", "max(x, 0)", [Infer]>;
def NN_TanhOp       : NN_Unary<"tanh", "tanh(x)", [Infer]>;
def NN_SigmoidOp    : NN_Unary<"sigmoid", "1 / (1 + exp(-x))", [Infer]>;
def NN_ErfOp        : NN_Unary<"erf", "erf(x)", [Infer]>;
def NN_SqrtOp       : NN_Unary<"sqrt", "sqrt(x)", [Infer]>;
def NN_SinOp        : NN_Unary<"sin", "sin(x)", [Infer]>;
def NN_CosOp        : NN_Unary<"cos", "cos(x)", [Infer]>;
def NN_ExpOp        : NN_Unary<"exp", "exp(x)", [KeepF32]>;
def NN_LogOp        : NN_Unary<"log", "log(x)", [KeepF32]>;
def NN_SoftplusOp   : NN_Unary<"softplus", "log(1 + exp(x))", [KeepF32]>;
def NN_RsqrtOp      : NN_Unary<"rsqrt", "1 / sqrt(x)", [KeepF32]>;
def NN_ReciprocalOp : NN_Unary<"reciprocal", "1 / x", [KeepF32]>;

def NN_GeluOp : NN_Elementwise<"gelu", [SameOperandsAndResultType, Infer]> {
  let summary = "Gaussian error linear unit";
  let description = [{
    `x * (1 + erf(x / sqrt(2))) / 2`, or with `tanh` the approximation
    `x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))) / 2` (Hendrycks and
    Gimpel, 2016).

    ```mlir
    %y = nn.gelu %x tanh : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins NN_FloatTensor:$input, UnitAttr:$tanh);
  let results = (outs NN_FloatTensor:$output);
  let assemblyFormat = "$input (`tanh` $tanh^)? attr-dict `:` type($output)";
}

class NN_Binary<string mnemonic, string formula, list<Trait> traits>
    : NN_Elementwise<mnemonic, [SameOperandsAndResultType] # traits> {
  let summary = "Elementwise " # formula;
  let description = "Computes `" # formula # [{` of each pair of elements.
    Operands have one shape: broadcasting is `nn.broadcast`.
  }];
  let arguments = (ins NN_Tensor:$lhs, NN_Tensor:$rhs);
  let results = (outs NN_Tensor:$output);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($output)";
}

// Numbers of f32 may meet operands of 16 bits.
class NN_Arithmetic<string mnemonic, string formula, list<Trait> traits>
    : NN_Elementwise<mnemonic, [SameOperandsAndResultShape, InferType]
                                   # traits> {
  let summary = "Elementwise " # formula;
  let description = "Computes `" # formula # [{` of each pair of elements.
    Operands have one shape: broadcasting is `nn.broadcast`. They have one
    type, or one of them is of f32 beside one of 16 bits: a number that 16 bits
    would round. The result then has 16 bits, and is what is rounded.

    ```mlir
    %y = nn.mul %x, %c : tensor<4xf16>, tensor<4xf32> -> tensor<4xf16>
    ```
  }];
  let arguments = (ins NN_Tensor:$lhs, NN_Tensor:$rhs);
  let results = (outs NN_Tensor:$output);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:`
    custom<ArithmeticTypes>(type($lhs), type($rhs), type($output))
  }];
  let extraClassDeclaration = [{
    bool hasOwnType(::mlir::Value value) {
      return value.getType() != getOutput().getType();
    }
    bool carriesNumbers() { return true; }
  }];
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> loc,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &inferred) {
      return inferArithmetic(loc, adaptor.getLhs(), adaptor.getRhs(), inferred);
    }
  }];
}

def NN_AddOp : NN_Arithmetic<"add", "a + b", [Promote, Commutative]> {
  let hasCanonicalizer = 1;
}
def NN_SubOp : NN_Arithmetic<"sub", "a - b", [Promote]>;
def NN_MulOp : NN_Arithmetic<"mul", "a * b", [Promote, Commutative]>;
def NN_DivOp : NN_Arithmetic<"div", "a / b", [Promote]>;
def NN_PowOp : NN_Arithmetic<"pow", "a ^ b",
                             [KeepF32, Reference<"pow.Tensor_Tensor">]>;
def NN_MaximumOp : NN_Binary<"maximum", "max(a, b), NaN if either is",
                             [Promote, Commutative]>;
def NN_MinimumOp : NN_Binary<"minimum", "min(a, b), NaN if either is",
                             [Promote, Commutative]>;

def NN_CompareKind : I32EnumAttr<"CompareKind", "comparison", [
    I32EnumAttrCase<"EQ", 0, "eq">, I32EnumAttrCase<"NE", 1, "ne">,
    I32EnumAttrCase<"LT", 2, "lt">, I32EnumAttrCase<"LE", 3, "le">,
    I32EnumAttrCase<"GT", 4, "gt">, I32EnumAttrCase<"GE", 5, "ge">]> {
  let cppNamespace = "::mpc::nn";
}

def NN_CompareOp : NN_Elementwise<"compare", [
    SameTypeOperands, SameOperandsAndResultShape, Promote,
    Reference<"eq">]> {
  let summary = "Elementwise comparison";
  let description = [{
    A comparison with NaN is false, `ne` is true.

    ```mlir
    %m = nn.compare lt %a, %b : tensor<4xf32> -> tensor<4xi1>
    ```
  }];
  let arguments = (ins NN_CompareKind:$kind, NN_Tensor:$lhs, NN_Tensor:$rhs);
  let results = (outs NN_BoolTensor:$output);
  let assemblyFormat = [{
    $kind $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($output)
  }];
}

def NN_SelectOp : NN_Elementwise<"select", [
    AllTypesMatch<["onTrue", "onFalse", "output"]>,
    SameOperandsAndResultShape, Promote, Reference<"where">]> {
  let summary = "Elementwise choice";
  let description = [{
    ```mlir
    %y = nn.select %mask, %a, %b : tensor<4xf32>
    ```
  }];
  let arguments = (ins NN_BoolTensor:$condition, NN_Tensor:$onTrue,
                       NN_Tensor:$onFalse);
  let results = (outs NN_Tensor:$output);
  let assemblyFormat = [{
    $condition `,` $onTrue `,` $onFalse attr-dict
    `:` type($condition) `,` type($output)
  }];
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

class NN_Movement<string mnemonic, list<Trait> traits = []>
    : NN_Op<mnemonic, traits # [Pure, Clear, KernelBody, Differentiable]>;

def NN_ReshapeOp : NN_Movement<"reshape"> {
  let summary = "The same elements, in order, under another shape";
  let arguments = (ins NN_Tensor:$input);
  let results = (outs NN_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def NN_TransposeOp : NN_Movement<"transpose", [InferType]> {
  let summary = "Permute the axes";
  let description = [{
    Axis `i` of the result is axis `permutation[i]` of the input.

    ```mlir
    %y = nn.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins NN_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs NN_Tensor:$output);
  let assemblyFormat = [{
    $input $permutation attr-dict `:` type($input) `->` type($output)
  }];
  let hasFolder = 1;
}

def NN_BroadcastOp : NN_Movement<"broadcast", [Reference<"expand">]> {
  let summary = "Repeat a tensor along new or unit axes";
  let description = [{
    Axis `i` of the input becomes axis `axes[i]` of the result (ascending);
    an input axis of size 1 is repeated.

    ```mlir
    %y = nn.broadcast %b axes [1] : tensor<8xf32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins NN_Tensor:$input, DenseI64ArrayAttr:$axes);
  let results = (outs NN_Tensor:$output);
  let assemblyFormat = [{
    $input `axes` $axes attr-dict `:` type($input) `->` type($output)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def NN_SliceOp : NN_Movement<"slice", [InferType]> {
  let summary = "A strided box of a tensor";
  let description = [{
    Elements `starts`, `starts + strides`, ... below `limits` on each axis;
    strides are positive.
  }];
  let arguments = (ins NN_Tensor:$input, DenseI64ArrayAttr:$starts,
                       DenseI64ArrayAttr:$limits, DenseI64ArrayAttr:$strides);
  let results = (outs NN_Tensor:$output);
  let assemblyFormat = [{
    $input $starts `to` $limits `by` $strides attr-dict
    `:` type($input) `->` type($output)
  }];
}

def NN_PadOp : NN_Movement<"pad", [InferType]> {
  let summary = "Surround and spread a tensor with a constant";
  let description = [{
    Puts `interior` copies of `value` between neighbours, then `low` before
    and `high` after each axis. Negative `low` and `high` crop.
  }];
  let arguments = (ins NN_Tensor:$input, DenseI64ArrayAttr:$low,
                       DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$interior,
                       F64Attr:$value);
  let results = (outs NN_Tensor:$output);
  let assemblyFormat = [{
    $input `low` $low `high` $high `interior` $interior `value` $value
    attr-dict `:` type($input) `->` type($output)
  }];
}

def NN_ConcatOp : NN_Movement<"concat", [InferType, Reference<"cat">]> {
  let summary = "Join tensors along an axis";
  let arguments = (ins Variadic<NN_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs NN_Tensor:$output);
  let assemblyFormat = [{
    $inputs `axis` `(` $axis `)` attr-dict
    `:` type($inputs) `->` type($output)
  }];
}

def NN_SplitOp : NN_Movement<"split"> {
  let summary = "Cut a tensor into parts along an axis";
  let description = [{
    The parts follow one another along `axis` and cover it.

    ```mlir
    %q, %k = nn.split %x axis(1)
        : tensor<4x6xf32> -> tensor<4x3xf32>, tensor<4x3xf32>
    ```
  }];
  let arguments = (ins NN_Tensor:$input, I64Attr:$axis);
  let results = (outs Variadic<NN_Tensor>:$outputs);
  let assemblyFormat = [{
    $input `axis` `(` $axis `)` attr-dict `:` type($input) `->` type($outputs)
  }];
  let hasVerifier = 1;
}

def NN_ReverseOp : NN_Movement<"reverse", [
    SameOperandsAndResultType, Reference<"flip">]> {
  let summary = "Reverse the order along axes";
  let arguments = (ins NN_Tensor:$input, DenseI64ArrayAttr:$axes);
  let results = (outs NN_Tensor:$output);
  let assemblyFormat = "$input `axes` $axes attr-dict `:` type($output)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

def NN_IotaOp : NN_Op<"iota", [Pure, KernelBody, Differentiable]> {
  let summary = "The index along an axis";
  let arguments = (ins I64Attr:$axis);
  let results = (outs NN_IntTensor:$output);
  let assemblyFormat = "`axis` `(` $axis `)` attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def NN_GatherOp : NN_Op<"gather", [
    Pure, Clear, KernelBody, Differentiable, InferType,
    Reference<"index_select">]> {
  let summary = "Select slices along an axis by index";
  let description = [{
    With `b` = `batch_dims`, the first `b` axes of input and indices match and
    `output[p, i, q] = input[p, indices[p.., i], q]`, where `p` runs over the
    axes before `axis`, `i` over the remaining axes of `indices` and `q` over
    the axes behind. `b <= axis`. A negative index counts from the end; one
    that is out of range is clamped, never read.

    ```mlir
    %y = nn.gather %table, %ids axis(0)
        : tensor<63x128xf32>, tensor<12x64xi64> -> tensor<12x64x128xf32>
    ```
  }];
  let arguments = (ins NN_Tensor:$input, NN_IntTensor:$indices, I64Attr:$axis,
                       DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs NN_Tensor:$output);
  let assemblyFormat = [{
    $input `,` $indices `axis` `(` $axis `)` (`batch` `(` $batch_dims^ `)`)?
    attr-dict `:` type($input) `,` type($indices) `->` type($output)
  }];
}

def NN_ScatterAddOp : NN_Op<"scatter_add", [
    Pure, Promote, KernelBody, Differentiable]> {
  let summary = "Sum slices into places given by index";
  let description = [{
    The transpose of `nn.gather`: starts from zeros and adds each slice of
    `updates` to the place that gather would have read it from. Sums in f32,
    in index order, and rounds once.
  }];
  let arguments = (ins NN_FloatTensor:$updates, NN_IntTensor:$indices,
                       I64Attr:$axis,
                       DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs NN_FloatTensor:$output);
  let assemblyFormat = [{
    $updates `,` $indices `axis` `(` $axis `)` (`batch` `(` $batch_dims^ `)`)?
    attr-dict `:` type($updates) `,` type($indices) `->` type($output)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

class NN_Reduce<string mnemonic, string formula, list<Trait> traits>
    : NN_Op<mnemonic, traits # [Pure, KernelBody, Differentiable, InferType]> {
  let summary = formula # " over axes";
  let description = [{
    The axes are removed from the shape. Accumulates in f32 (f64 for f64) and
    rounds once.
  }];
  let arguments = (ins NN_FloatTensor:$input, DenseI64ArrayAttr:$axes);
  let results = (outs NN_FloatTensor:$output);
  let assemblyFormat = [{
    $input `axes` $axes attr-dict `:` type($input) `->` type($output)
  }];
}

def NN_ReduceSumOp : NN_Reduce<"reduce_sum", "Sum",
    [KeepF32, Reference<"sum.dim_IntList">]>;
def NN_ReduceMaxOp : NN_Reduce<"reduce_max", "Maximum",
    [Infer, Reference<"max">]>;

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

class NN_Contraction<string mnemonic, list<Trait> traits = []>
    : NN_Op<mnemonic, traits # [Pure, Lower, Contraction, KernelBody,
                                Differentiable, InferType]>;

def NN_MatmulOp : NN_Contraction<"matmul"> {
  let summary = "Batched matrix product";
  let description = [{
    `output[b.., m, n] = sum_k lhs[b.., m, k] * rhs[b.., k, n]`; with
    `transpose_lhs` (`transpose_rhs`) the operand is stored with its last two
    axes swapped. Batch axes are equal. Sums in f32, k ascending, adds
    `bias[n]` in f32, and rounds once.

    ```mlir
    %c = nn.matmul %a, %b transpose_rhs
        : tensor<4x8xf16>, tensor<6x8xf16> -> tensor<4x6xf16>
    ```
  }];
  let arguments = (ins NN_FloatTensor:$lhs, NN_FloatTensor:$rhs,
                       Optional<NN_FloatTensor>:$bias,
                       UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs);
  let results = (outs NN_FloatTensor:$output);
  let assemblyFormat = [{
    $lhs `,` $rhs (`transpose_lhs` $transpose_lhs^)?
    (`transpose_rhs` $transpose_rhs^)? (`bias` $bias^ `:` type($bias))? attr-dict
    `:` type($lhs) `,` type($rhs) `->` type($output)
  }];
  let hasCanonicalizer = 1;
}

def NN_LinearOp : NN_Contraction<"linear"> {
  let summary = "Fully connected layer";
  let description = [{
    `output[.., n] = sum_k input[.., k] * weight[n, k] + bias[n]`. The bias is
    added in f32 to the f32 sum; one rounding.
  }];
  let arguments = (ins NN_FloatTensor:$input, NN_FloatTensor:$weight,
                       Optional<NN_FloatTensor>:$bias);
  let results = (outs NN_FloatTensor:$output);
  let assemblyFormat = [{
    $input `,` $weight (`bias` $bias^ `:` type($bias))? attr-dict
    `:` type($input) `,` type($weight) `->` type($output)
  }];
}

def NN_ConvOp : NN_Contraction<"conv"> {
  let summary = "Convolution over any number of spatial axes";
  let description = [{
    Cross-correlation of `input[n, c, x..]` with `weight[o, c / groups, k..]`:
    `output[n, o, y..] = sum_{c, k} input[n, g(o) + c, y * strides +
    k * dilations - low] * weight[o, c, k] + bias[o]`. `low` and `high` are
    the zero padding before and after each spatial axis. One rounding.
  }];
  let arguments = (ins NN_FloatTensor:$input, NN_FloatTensor:$weight,
                       Optional<NN_FloatTensor>:$bias,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$low,
                       DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$dilations,
                       I64Attr:$groups);
  let results = (outs NN_FloatTensor:$output);
  let assemblyFormat = [{
    $input `,` $weight (`bias` $bias^ `:` type($bias))? `strides` $strides
    `low` $low `high` $high `dilations` $dilations `groups` `(` $groups `)`
    attr-dict `:` type($input) `,` type($weight) `->` type($output)
  }];
  let extraClassDeclaration = [{
    /// By the number of spatial axes.
    ::llvm::StringRef getReferenceOp();
  }];
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

def NN_MaxPoolOp : NN_Op<"max_pool", [
    Pure, Infer, KernelBody, Differentiable, InferType]> {
  let summary = "Maximum over sliding windows, and where it was";
  let description = [{
    Over the spatial axes of `input[n, c, x..]`. Padding counts as -inf.
    `indices` is the flat position, among the spatial axes of the unpadded
    input, of the window's first maximum; NaN counts as largest, and of
    several the last is named, as in PyTorch.
  }];
  let arguments = (ins NN_FloatTensor:$input, DenseI64ArrayAttr:$window,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$low,
                       DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$dilations);
  let results = (outs NN_FloatTensor:$output, NN_IntTensor:$indices);
  let assemblyFormat = [{
    $input `window` $window `strides` $strides `low` $low `high` $high
    `dilations` $dilations attr-dict
    `:` type($input) `->` type($output) `,` type($indices)
  }];
  let extraClassDeclaration = [{
    /// By the number of spatial axes.
    ::llvm::StringRef getReferenceOp();
  }];
}

include "dialects/NN/NNNormalizationOps.td"

#endif // MPC_DIALECTS_NN_NNOPS_TD
