// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that compute each element from elements at the same place.
#ifndef MPC_DIALECTS_NN_NNELEMENTWISEOPS_TD
#define MPC_DIALECTS_NN_NNELEMENTWISEOPS_TD

include "dialects/NN/NNOpBase.td"

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
def NN_SignOp       : NN_Unary<"sign", "sign(x), 0 at 0",
                               [Infer, InUnitRange]>;
def NN_ReluOp       : NN_Unary<"relu", "max(x, 0)", [Infer]>;
def NN_TanhOp       : NN_Unary<"tanh", "tanh(x)", [Infer, InUnitRange]>;
def NN_SigmoidOp    : NN_Unary<"sigmoid", "1 / (1 + exp(-x))",
                               [Infer, InUnitRange]>;
def NN_ErfOp        : NN_Unary<"erf", "erf(x)", [Infer, InUnitRange]>;
def NN_SqrtOp       : NN_Unary<"sqrt", "sqrt(x)", [Infer]>;
def NN_SinOp        : NN_Unary<"sin", "sin(x)", [Infer, InUnitRange]>;
def NN_CosOp        : NN_Unary<"cos", "cos(x)", [Infer, InUnitRange]>;
def NN_FloorOp      : NN_Unary<"floor", "floor(x)", [Infer]>;
def NN_CeilOp       : NN_Unary<"ceil", "ceil(x)", [Infer]>;
def NN_RoundOp      : NN_Unary<"round",
                               "x to the nearest integer, ties to even",
                               [Infer]>;
def NN_TanOp        : NN_Unary<"tan", "tan(x)", [KeepF32, Overflows]>;
def NN_AsinOp       : NN_Unary<"asin", "asin(x)", [KeepF32]>;
def NN_AcosOp       : NN_Unary<"acos", "acos(x)", [KeepF32]>;
def NN_AtanOp       : NN_Unary<"atan", "atan(x)", [Infer, Infinity<"Ended">]>;
def NN_SinhOp       : NN_Unary<"sinh", "sinh(x)", [KeepF32, Overflows]>;
def NN_CoshOp       : NN_Unary<"cosh", "cosh(x)", [KeepF32, Overflows]>;
def NN_AsinhOp      : NN_Unary<"asinh", "asinh(x)", [Infer]>;
def NN_AcoshOp      : NN_Unary<"acosh", "acosh(x)", [Infer]>;
def NN_AtanhOp      : NN_Unary<"atanh", "atanh(x)", [Infer]>;
def NN_MishOp       : NN_Unary<"mish", "x * tanh(log(1 + exp(x)))", [Infer]>;
def NN_SoftsignOp   : NN_Unary<"softsign", "x / (1 + |x|)",
                               [Infer, InUnitRange]>;
def NN_HardSwishOp  : NN_Unary<"hard_swish", "x * max(0, min(1, x / 6 + 1/2))",
                               [Infer]>;
def NN_ExpOp        : NN_Unary<"exp", "exp(x)", [KeepF32, Overflows]>;
def NN_Expm1Op      : NN_Unary<"expm1", "exp(x) - 1", [KeepF32, Overflows]>;
def NN_LogOp        : NN_Unary<"log", "log(x)", [KeepF32]>;
def NN_Log1pOp      : NN_Unary<"log1p", "log(1 + x)", [KeepF32]>;
def NN_SoftplusOp   : NN_Unary<"softplus", "log(1 + exp(x))", [KeepF32]>;
def NN_RsqrtOp      : NN_Unary<"rsqrt", "1 / sqrt(x)",
                               [KeepF32, Overflows, Infinity<"Hidden">]>;
def NN_ReciprocalOp : NN_Unary<"reciprocal", "1 / x",
                               [KeepF32, Overflows, Infinity<"Hidden">]>;

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

// A function with settings, which are constant f64 numbers.
class NN_Activation<string mnemonic, string formula, dag settings,
                    string format, list<Trait> traits = []>
    : NN_Elementwise<mnemonic, [SameOperandsAndResultType, Infer] # traits> {
  let summary = "Elementwise " # formula;
  let description = "Computes `" # formula # [{` of each element, in f32 (f64
    for f64), rounded once. NaN gives NaN.
  }];
  let arguments = !con((ins NN_FloatTensor:$input), settings);
  let results = (outs NN_FloatTensor:$output);
  let assemblyFormat = "$input " # format # " attr-dict `:` type($output)";
}

def NN_LeakyReluOp : NN_Activation<"leaky_relu", "x if x > 0, else alpha * x",
    (ins F64Attr:$alpha), "`alpha` $alpha">;
def NN_EluOp : NN_Activation<"elu",
    "scale * (x if x > 0, else alpha * (exp(x / width) - 1))",
    (ins F64Attr:$alpha, F64Attr:$scale, F64Attr:$width),
    "`alpha` $alpha `scale` $scale `width` $width">;
def NN_HardSigmoidOp : NN_Activation<"hard_sigmoid",
    "max(0, min(1, alpha * x + beta))",
    (ins F64Attr:$alpha, F64Attr:$beta), "`alpha` $alpha `beta` $beta",
    [InUnitRange]>;
def NN_SwishOp : NN_Activation<"swish", "x / (1 + exp(-alpha * x))",
    (ins F64Attr:$alpha), "`alpha` $alpha", [Reference<"silu">]>;

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

// Operands of f32 may be combined with operands of 16 bits.
class NN_Arithmetic<string mnemonic, string formula, list<Trait> traits>
    : NN_Elementwise<mnemonic, [SameOperandsAndResultShape, InferType]
                                   # traits> {
  let summary = "Elementwise " # formula;
  let description = "Computes `" # formula # [{` of each pair of elements.
    Operands have one shape: broadcasting is `nn.broadcast`. They have one type,
    or one has 16 bits and the other, a number that 16 bits would round, is f32.
    The result then has 16 bits, and it alone is rounded.

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
  code common = [{
    bool hasOwnType(::mlir::Value value) {
      return value.getType() != getOutput().getType();
    }
    bool carriesNumbers() { return true; }
  }];
  let extraClassDeclaration = common;
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
def NN_MulOp : NN_Arithmetic<"mul", "a * b", [Promote, Commutative]> {
  let extraClassDeclaration = common # [{
    /// A square stays in f32, as a power does: 256 squared exceeds f16.
    ::mpc::PrecisionRule getPrecisionRule();
    /// A factor of at most 1 causes no overflow.
    bool mayOverflow();
  }];
}
def NN_DivOp : NN_Arithmetic<"div", "a / b", [Promote]> {
  let extraClassDeclaration = common # [{
    /// A divisor of at least 1 causes no overflow.
    bool mayOverflow();
    ::mpc::InfinityFate getInfinityFate(::mlir::OpOperand &operand);
  }];
}
def NN_PowOp : NN_Arithmetic<"pow", "a ^ b",
                             [KeepF32, Reference<"pow.Tensor_Tensor">,
                              Overflows, Infinity<"Hidden">]>;

// An extremum with a number that 16 bits hold, as a bound, is right for an
// infinite operand too.
class NN_Extremum<string mnemonic, string formula>
    : NN_Binary<mnemonic, formula, [Promote, Commutative]> {
  let extraClassDeclaration = [{
    ::mpc::InfinityFate getInfinityFate(::mlir::OpOperand &operand);
  }];
}
def NN_MaximumOp : NN_Extremum<"maximum", "max(a, b), NaN if either is">;
def NN_MinimumOp : NN_Extremum<"minimum", "min(a, b), NaN if either is">;

def NN_RemOp : NN_Binary<"rem", "a - trunc(a / b) * b, of the sign of a",
                         [Promote, Infinity<"Ended">]> {
  let description = [{
    The remainder of a division that truncates, as C's `fmod` and `%`. Of
    integers it is `a` where `b` is 0.
  }];
}

def NN_CompareKind : I32EnumAttr<"CompareKind", "comparison", [
    I32EnumAttrCase<"EQ", 0, "eq">, I32EnumAttrCase<"NE", 1, "ne">,
    I32EnumAttrCase<"LT", 2, "lt">, I32EnumAttrCase<"LE", 3, "le">,
    I32EnumAttrCase<"GT", 4, "gt">, I32EnumAttrCase<"GE", 5, "ge">]> {
  let cppNamespace = "::mpc::nn";
}

def NN_CompareOp : NN_Elementwise<"compare", [
    SameTypeOperands, SameOperandsAndResultShape, Promote,
    Reference<"eq">, Infinity<"Ended">]> {
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
    SameOperandsAndResultShape, Promote, Reference<"where">,
    Infinity<"Hidden">]> {
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
  let hasFolder = 1;
}

#endif // MPC_DIALECTS_NN_NNELEMENTWISEOPS_TD
