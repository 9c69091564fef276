// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters, constants, casts and regions.
#ifndef MPC_DIALECTS_NN_NNSTRUCTUREOPS_TD
#define MPC_DIALECTS_NN_NNSTRUCTUREOPS_TD

include "dialects/NN/NNOpBase.td"

def NN_InitAttr : AttrDef<NN_Dialect, "Init"> {
  let mnemonic = "init";
  let summary = "How a parameter's first value is made";
  let description = [{
    `zeros`, `ones`, `uniform(b)` (within [-b, b)), `normal(s)` (mean 0,
    deviation s) or `external` (the value comes with the model's file, by the
    parameter's name). The value is initial state: it is not part of the
    compiled module.
  }];
  let parameters = (ins StringRefParameter<"kind">:$kind,
                        APFloatParameter<"bound or deviation">:$argument);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def NN_RangeAttr : AttrDef<NN_Dialect, "Range"> {
  let mnemonic = "range";
  let summary = "The integers that an input may hold";
  let description = [{
    The integers of [low, high) and, if given, `except`: a label that takes no
    part. Class labels and row numbers index memory, so values out of range must
    be found before they are used. Stands in the array `nn.ranges` of an
    argument, whose values have to lie in each range. Where only a part of the
    argument is read, the first and last elements along each axis that are not
    stand behind `unread`.

    ```mlir
    #nn.range<0, 50257, except = -100 unread first[0, 1] last[0, 0]>
    ```
  }];
  let parameters = (ins "int64_t":$low, "int64_t":$high,
                        OptionalParameter<"::std::optional<int64_t>">:$except,
                        OptionalArrayRefParameter<"int64_t">:$skipFirst,
                        OptionalArrayRefParameter<"int64_t">:$skipLast);
  let assemblyFormat = [{
    `<` $low `,` $high (`,` `except` `=` $except^)?
    (`unread` `first` `[` $skipFirst^ `]` `last` `[` $skipLast `]`)? `>`
  }];
  let genVerifyDecl = 1;
}

def NN_ParameterOp : NN_Op<"parameter", [Symbol]> {
  let summary = "A trainable tensor of the model";
  let description = [{
    Declares a parameter under the name that the model's file gives it. Ops read
    it by `nn.get`; a weight that is used twice is one parameter read twice. A
    parameter of integers is `frozen`: it is a buffer, such as a count of
    batches.

    ```mlir
    nn.parameter @fc.weight : tensor<10x64xf32> = #nn.init<uniform 0.125>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<NN_NumberTensor>:$type,
                       NN_InitAttr:$init, UnitAttr:$frozen);
  let hasVerifier = 1;
  let assemblyFormat = [{
    (`frozen` $frozen^)? $sym_name `:` $type `=` $init attr-dict
  }];
}

def NN_GetOp : NN_Op<"get", [
    MemoryEffects<[MemRead]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    Differentiable, StateOpInterface]> {
  let summary = "The value of a parameter";
  let description = [{
    Reads the parameter as it is at that point of the program: after what
    earlier ops of a step have written.

    ```mlir
    %w = nn.get @fc.weight : tensor<10x64xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$parameter);
  let results = (outs NN_NumberTensor:$output);
  let assemblyFormat = "$parameter `:` type($output) attr-dict";
  let extraClassDeclaration = [{
    ::llvm::StringRef getStateName() { return getParameter(); }
  }];
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
    A cast between floating types rounds once, to nearest even, without
    saturation: a number that is too large becomes infinite. Float to integer
    truncates towards zero; integer to float rounds to nearest even; to `i1` is
    `!= 0`.

    A cast of a wider type's exact image folds away: f16 to f32 to f16. A cast
    that may round never folds. Neither does a cast of a type to itself that is
    marked `nn.written`, such as a model's `x.float()`: `nn-autocast` takes it
    as the model's decision.

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

def NN_VariableOp : NN_Op<"variable", [
    SameOperandsAndResultType, Differentiable]> {
  let summary = "A value of which an nn.grad takes the gradient";
  let description = [{
    The operand, as a value that no other one is taken for: what reads the
    operand itself has no part in the gradient. It keeps the type in which it
    is written. Two of one operand stay two, so that the op is not pure.
    `nn-expand-grad` removes it.

    ```mlir
    %x = nn.variable %points : tensor<4x2xf32>
    ```
  }];
  let arguments = (ins NN_FloatTensor:$input);
  let results = (outs NN_FloatTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($output)";
}

def NN_GradOp : NN_Op<"grad", [AttrSizedOperandSegments]> {
  let summary = "Gradients of values with respect to values before them";
  let description = [{
    One gradient for each of `wrt`, of its type: the product of the `seeds`, one
    for each of `values` and in its type, with the Jacobian of what the block
    computes between them. Each of `wrt` is the result of an `nn.variable`; the
    gradient is zero where no value depends on it. It is itself a value that
    has a gradient. `nn-expand-grad` expands it.

    ```mlir
    %du = nn.grad(%u) seed(%ones) wrt(%x)
        : (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x2xf32>)
        -> tensor<4x2xf32>
    ```
  }];
  let arguments = (ins Variadic<NN_FloatTensor>:$values,
                       Variadic<NN_FloatTensor>:$seeds,
                       Variadic<NN_FloatTensor>:$wrt);
  let results = (outs Variadic<NN_FloatTensor>:$gradients);
  let assemblyFormat = [{
    `(` $values `)` `seed` `(` $seeds `)` `wrt` `(` $wrt `)` attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def NN_ScanOp : NN_Op<"scan", [
    Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>, KernelBody]> {
  let summary = "A loop of a known number of turns";
  let description = [{
    Calls `body` `turns` times. It takes the carried values, in the first turn
    `inits`, then what each of `stacks` has at the turn along its first axis,
    and then `constants`. It returns the carried values for the next turn, and
    what each further result has at that turn. A result that is carried is the
    value of the last turn or, with an axis more, that of each turn. A
    `reversed` loop goes through all first axes from their end.

    `nn-differentiate` makes a loop of its gradient, which runs the other way.

    ```mlir
    %h, %y = nn.scan @step turns(9) inits(%h0) stacks(%x) constants(%w)
        : (tensor<4xf32>, tensor<9x4xf32>, tensor<4xf32>)
        -> (tensor<4xf32>, tensor<9x4xf32>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$body, I64Attr:$turns,
                       UnitAttr:$reversed, Variadic<NN_Tensor>:$inits,
                       Variadic<NN_Tensor>:$stacks,
                       Variadic<NN_Tensor>:$constants);
  let results = (outs Variadic<NN_Tensor>:$outputs);
  let assemblyFormat = [{
    $body `turns` `(` $turns `)` (`reversed` $reversed^)?
    (`inits` `(` $inits^ `)`)? (`stacks` `(` $stacks^ `)`)?
    (`constants` `(` $constants^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getNumCarried() { return getInits().size(); }
    /// Whether result `number`, a carried one, has the value of each turn.
    bool keepsEachTurn(unsigned number) {
      auto rank = [](::mlir::Value value) {
        return ::llvm::cast<::mlir::RankedTensorType>(value.getType()).getRank();
      };
      return rank(getOutputs()[number]) > rank(getInits()[number]);
    }
  }];
}

#endif // MPC_DIALECTS_NN_NNSTRUCTUREOPS_TD
