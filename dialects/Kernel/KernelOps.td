// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of the kernel dialect.
#ifndef MPC_DIALECTS_KERNEL_KERNELOPS_TD
#define MPC_DIALECTS_KERNEL_KERNELOPS_TD

include "dialects/Kernel/AttentionInterface.td"
include "dialects/Kernel/KernelDialect.td"
include "dialects/Kernel/ScheduleInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

class Kernel_Op<string mnemonic, list<Trait> traits = []>
    : Op<Kernel_Dialect, mnemonic, traits>;

def Kernel_FuncOp : Kernel_Op<"func", [
    FunctionOpInterface, IsolatedFromAbove, SingleBlock]> {
  let summary = "A kernel";
  let description = [{
    Arguments are the inputs, then one destination for each result, of its
    type. The body is `linalg.generic`, `linalg.fill`, `tensor.empty`,
    `arith.constant` and the structured ops of this dialect; a returned value is
    written to its destination. `sources` names the model's nodes that it came from; it and
    the name play no part in whether two kernels are equal.

    A kernel states two properties of its body, which the verifier proves, and
    one of its launches. Planners, schedules and emitters rely on them:

    - its **kind**, the word before the name: its structure, which is the same
      on every device. Without a word it is `loops`, which any body is except
      attention.
    - `kernel.may_alias` at an input: the results whose destination may be the
      same memory. Each element of the input is read only where, and no later
      than, that element of the result is written. The emitter of the kernel
      keeps to that.
    - `kernel.alignment` at an argument: a number of bytes that divides its
      address at every launch, a power of two. `kernel-plan-memory` states it
      for targets that ask, and launches are checked against it. Without it only
      the alignment of the elements is known. An emitter looks here before it
      makes a wider access.

    ```mlir
    kernel.func map @relu(%x: tensor<8xf32> {kernel.may_alias = array<i64: 0>},
                          %out: tensor<8xf32>) -> tensor<8xf32>
        attributes {schedule = #cpu.map<chunks = 1, lanes = 8>} {
      %0 = linalg.generic ... ins(%x) outs(%out) {...} -> tensor<8xf32>
      kernel.return %0 : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs,
                       DefaultValuedAttr<Kernel_KernelKindAttr,
                           "::mpc::kernel::KernelKind::Loops">:$kind,
                       OptionalAttr<Kernel_ScheduleInterface>:$schedule,
                       OptionalAttr<StrArrayAttr>:$sources);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    ::mlir::Region *getCallableRegion() { return &getBody(); }

    /// Inputs come first, and then one destination for each result.
    unsigned getNumInputs() { return getNumArguments() - getNumResults(); }
    ::mlir::BlockArgument getDestination(unsigned result) {
      return getArgument(getNumInputs() + result);
    }
    ReturnOp getReturn();

    /// Whether the destination of `result` may be the memory of `input`.
    bool mayAlias(unsigned input, unsigned result);

    /// Bytes that divide the address of `argument` at every launch.
    int64_t getAlignment(unsigned argument);
    void setAlignment(unsigned argument, int64_t bytes);
  }];
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type)>
  ];
}

def Kernel_ReturnOp : Kernel_Op<"return", [
    Pure, Terminator, ReturnLike, ParentOneOf<["FuncOp", "GroupOp"]>]> {
  let summary = "Results of a kernel or group";
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Kernel_GroupOp : Kernel_Op<"group", [
    SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Structured ops that run in one kernel";
  let description = [{
    What `kernel-fuse` decides: `kernel-outline` makes a kernel of each group,
    and of each structured op that is in no group.

    ```mlir
    %y = kernel.group -> tensor<8xf32> {
      %0 = linalg.generic ... ins(%x : tensor<8xf32>) ...
      %1 = linalg.generic ... ins(%0 : tensor<8xf32>) ...
      kernel.return %1 : tensor<8xf32>
    }
    ```
  }];
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`->` type($results)^)? attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Kernel_LaunchOp : Kernel_Op<"launch", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Run a kernel";
  let description = [{
    `outs` are the destinations. On tensors the launch yields the written
    values; on memrefs, after planning, it has no results and writes `outs`.

    ```mlir
    %y = kernel.launch @relu ins(%x : tensor<8xf32>)
                             outs(%d : tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel,
                       Variadic<AnyType>:$inputs, Variadic<AnyType>:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kernel `ins` `(` ($inputs^ `:` type($inputs))? `)`
    `outs` `(` ($outputs^ `:` type($outputs))? `)` attr-dict
    (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

def Kernel_RepeatOp : Kernel_Op<"repeat", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Run a function of launches several times";
  let description = [{
    Calls `body` `turns` times. It takes the `carried` values of the turn
    before, in the first turn `inits`, then one entry of each of `stacks`,
    and then `constants`, which are the same in all turns. It returns the
    carried values and one entry of each further result.

    A result has its entries along a new first axis. That of turn t is t, or
    counted from the end where the op is `reversed`, as it is for `stacks`. A
    carried result with two entries keeps only what the next turn reads: that
    of turn t is t modulo 2.

    After planning, `outs` are the results' memory, and last the memory that
    the body needs beside, of the size of its arena.

    ```mlir
    %h, %y = kernel.repeat @step turns(9) inits(%h0) stacks(%x) constants(%w)
        : (tensor<4xf32>, tensor<9x4xf32>, tensor<4xf32>)
        -> (tensor<2x4xf32>, tensor<9x4xf32>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$body, I64Attr:$turns,
                       UnitAttr:$reversed, Variadic<AnyType>:$inits,
                       Variadic<AnyType>:$stacks, Variadic<AnyType>:$constants,
                       Variadic<AnyMemRef>:$outs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $body `turns` `(` $turns `)` (`reversed` $reversed^)?
    (`inits` `(` $inits^ `)`)? (`stacks` `(` $stacks^ `)`)?
    (`constants` `(` $constants^ `)`)? (`outs` `(` $outs^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The number of results of which each turn reads what the last one wrote.
    unsigned getNumCarried() { return getInits().size(); }
    /// The number of the entry of a stack that turn `turn` reads or writes.
    int64_t getEntry(int64_t turn) {
      return getReversed() ? static_cast<int64_t>(getTurns()) - 1 - turn : turn;
    }
    /// The number of the entry that the last turn writes of result `number`.
    int64_t getLastEntry(unsigned number);
  }];
}

def Kernel_CollectiveKind
    : I32EnumAttr<"CollectiveKind", "What ranks give each other", [
    I32EnumAttrCase<"AllToAll", 0, "all_to_all">,
    I32EnumAttrCase<"AllGather", 1, "all_gather">,
    I32EnumAttrCase<"TakePart", 2, "take_part">]> {
  let cppNamespace = "::mpc::kernel";
}

def Kernel_CollectiveOp : Kernel_Op<"collective", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Move parts of tensors between the ranks of a training";
  let description = [{
    A tensor of n elements has a part for each rank, of `size` elements one
    after the other; the last parts are shorter, or empty, where n is not that
    much.

    - `all_to_all` sends each rank its part of `input`. The result has the parts
      that came, `size` elements for each rank. What lies behind a shorter part
      is not defined.
    - `all_gather` takes a rank's own part, of `size` elements, and yields the
      tensor.
    - `take_part` yields a rank's own part of a tensor that all have, of `size`
      elements. Nothing moves between ranks; what lies behind a shorter part is
      zero.

    There is a result for each input. They move together, with one wait for
    others. Bits move and nothing is computed, so that the order in which a
    library would add is no part of a result. All ranks run the same collectives
    in the same order. After planning, `out` is the memory of the results.

    ```mlir
    %parts = kernel.collective all_to_all ranks(4) %g
        : (tensor<12288xbf16>) -> tensor<16384xbf16>
    %w, %b = kernel.collective all_gather ranks(4) %own_w, %own_b
        : (tensor<4096xf32>, tensor<4096xf32>)
        -> (tensor<12288xf32>, tensor<8192xf32>)
    ```
  }];
  let arguments = (ins Kernel_CollectiveKind:$kind, I64Attr:$ranks,
                       Variadic<AnyType>:$inputs, Variadic<AnyMemRef>:$outs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kind `ranks` `(` $ranks `)` $inputs (`out` `(` $outs^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::TypeRange":$types, "CollectiveKind":$kind,
                   "int64_t":$ranks, "::mlir::ValueRange":$inputs)>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The elements of a part of tensor `index` that is not shorter.
    int64_t getPartSize(size_t index);
    /// The elements of tensor `index`, which has the parts.
    int64_t getWholeSize(size_t index);
  }];
}

def Kernel_ViewOp : Kernel_Op<"view", [Pure]> {
  let summary = "Part of a tensor, in order, under another shape; no copy";
  let description = [{
    The elements of `source` from flat position `offset` on, as many as the
    result has, under the result's shape. Integers may change their sign: `ui8`
    of a function's argument is `i8` to kernels.

    ```mlir
    %w = kernel.view %slab[4096] : tensor<65536xf32> -> tensor<10x64xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source,
                       DefaultValuedAttr<I64Attr, "0">:$offset);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `[` $offset `]` attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Kernel_PadOp : Kernel_Op<"pad", [NoMemoryEffect]> {
  let summary = "A tensor with zeros around it, which has no memory";
  let description = [{
    Stands in a kernel whose schedule copies what it reads of a tensor and can
    leave out the zeros of `border`.

    ```mlir
    %p = kernel.pad %x border <low = [0, 1], high = [0, 2]>
        : tensor<4x8xf32> -> tensor<4x11xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Kernel_BorderAttr:$border);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `border` $border attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Kernel_PackOp : Kernel_Op<"pack", [Pure]> {
  let summary = "Tensors laid into one flat range";
  let description = [{
    Part `i` lies, flat, at element `offsets[i]` of the result; what no part
    covers is zero. The planner gives each part its place in the result. A part
    is copied only if it has to lie elsewhere.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$parts,
                       DenseI64ArrayAttr:$offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $parts `at` $offsets attr-dict `:` type($parts) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Kernel_CombineKind : I32EnumAttr<"CombineKind", "How two numbers join", [
    I32EnumAttrCase<"Sum", 0, "sum">,
    I32EnumAttrCase<"Product", 1, "product">,
    I32EnumAttrCase<"Maximum", 2, "maximum">,
    I32EnumAttrCase<"Minimum", 3, "minimum">]> {
  let cppNamespace = "::mpc::kernel";
}

def Kernel_ScatterOp : Kernel_Op<"scatter", [
    Pure, AllTypesMatch<["init", "result"]>, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<TilingInterface,
        ["getLoopIteratorTypes", "getIterationDomain"]>]> {
  let summary = "Join slices with places given by index";
  let description = [{
    The body of `nn.scatter_add` and `nn.scatter_reduce`: joins each slice of
    `updates` with a slice of `init`, in index order, by a sum unless `by` says
    otherwise. Where either is NaN, the result is NaN. `updates` is
    `[outer, index, inner]`, `indices` is `[outer, index]` or `[index]` (the
    same for each `outer`), `init` is `[outer, size, inner]` of f32 or f64, or
    of the integer type of `updates`; integers are signed and wrap around. A
    negative index counts from the end; an index out of range is clamped. The
    loops are outer, inner, index: the last one joins.
  }];
  let arguments = (ins AnyRankedTensor:$updates, AnyRankedTensor:$indices,
                       AnyRankedTensor:$init,
                       DefaultValuedAttr<Kernel_CombineKind,
                                         "CombineKind::Sum">:$by);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    `ins` `(` $updates `,` $indices `:` type($updates) `,` type($indices) `)`
    `outs` `(` $init `:` type($init) `)` (`by` $by^)? attr-dict
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getInitMutable();
    }
  }];
  let hasVerifier = 1;
}

def Kernel_RankOp : Kernel_Op<"rank", [
    Pure, AllTypesMatch<["init", "result"]>, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<TilingInterface,
        ["getLoopIteratorTypes", "getIterationDomain"]>]> {
  let summary = "The rank of each key in its row";
  let description = [{
    The body of `nn.rank` for long rows: how many keys of the row come before
    the key when they are sorted. These are the smaller ones, as signed
    integers, and equal ones further in front. `keys` is `[row, key]`; `init`,
    whose elements are not read, is i64 of that shape. The loops are row and
    key: the last one sorts.
  }];
  let arguments = (ins AnyRankedTensor:$keys, AnyRankedTensor:$init);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    `ins` `(` $keys `:` type($keys) `)` `outs` `(` $init `:` type($init) `)`
    attr-dict
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getInitMutable();
    }
  }];
  let hasVerifier = 1;
}

def Kernel_CumsumOp : Kernel_Op<"cumsum", [
    Pure, AllTypesMatch<["input", "init", "result"]>,
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<TilingInterface,
        ["getLoopIteratorTypes", "getIterationDomain"]>]> {
  let summary = "The sum of all elements up to each one";
  let description = [{
    The body of `nn.cumsum`. `input` is `[outer, size, inner]`, of which lines
    along `size` are added up: in order or, if `reverse`, from the last element
    on. Elements of `init` are not read. Floats are added in f32 (f64 for f64),
    and each sum is rounded.

    The order is the same on every target of a kind. A line is cut into blocks
    of 16. In a block of neighbouring elements (`inner` is 1) each is added to
    the one 1 in front of it, each of these sums to the one 2 in front, then 4
    and 8; else a block is added up in order. What is in front of a block is
    added to each of its sums: the sum of the blocks in front in its 16 blocks,
    which are added up in order, from zero on, and to that the same of these
    runs of 16 x 16, and so on. The loops are outer, inner and size.
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$init,
                       UnitAttr:$reverse);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    `ins` `(` $input `:` type($input) `)` `outs` `(` $init `:` type($init) `)`
    (`reverse` $reverse^)? attr-dict
  }];
  let extraClassDeclaration = [{
    /// The elements of a block, and the parts of each longer run.
    static constexpr int64_t kBlock = 16;
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getInitMutable();
    }
  }];
  let hasVerifier = 1;
}

def Kernel_PhiloxOp : Kernel_Op<"philox", [Pure]> {
  let summary = "Four random words, of a counter and a key";
  let description = [{
    The block of Philox4x32-10 whose counter has the words `low`, `high`, `stream`
    and `step`, under the key of `key_low` and `key_high`. It stands in bodies,
    where emitters see by it that elements are random, and compute the blocks of
    several lanes at once (`buildPhilox`).

    ```mlir
    %w:4 = kernel.philox %low, %high, %stream, %step key %k0, %k1
    ```
  }];
  let arguments = (ins I32:$low, I32:$high, I32:$stream, I32:$step,
                       I32:$key_low, I32:$key_high);
  let results = (outs I32:$first, I32:$second, I32:$third, I32:$fourth);
  let assemblyFormat = [{
    $low `,` $high `,` $stream `,` $step `key` $key_low `,` $key_high attr-dict
  }];
}

class Kernel_Attention<string mnemonic> : Kernel_Op<mnemonic, [
    Pure, DestinationStyleOpInterface, Kernel_AttentionInterface,
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<TilingInterface,
        ["getLoopIteratorTypes", "getIterationDomain"]>]> {
  let hasVerifier = 1;
}

def Kernel_AttentionOp : Kernel_Attention<"attention"> {
  let summary = "Rows of queries that weigh values by softmax of scores";
  let description = [{
    The body of `nn.attention`. `sizes` are batch, heads, groups of heads,
    queries, keys, depth (of a query and a key) and width (of a value); head h
    reads group `h / (heads / groups)`. With logits

        x[i, j] = scale * sum_d query[i, d] key[j, d] (+ mask[i, j])

    (with `softcap(c)` of c tanh(y / c) in the place of the scaled product y)
    where a query sees a key, and -inf elsewhere, it yields
    `output[i, e] = sum_j softmax(x)[i, j] value[j, e]`,
    `row_max[i] = max_j x[i, j]` and
    `row_sum[i] = sum_j exp(x[i, j] - row_max[i])`. A query sees the keys that `mask`
    (i1) does not exclude, with `causal` those with j <= i, with `window` those
    with i - j < window. A row without keys gives 0, -inf and 0.

    With `dropout(p)` a weight softmax(x)[i, j] becomes 0, or 1 / (1 - p) times
    itself where u[i, j] < 1 - p. The numbers u are those of `nn.dropout` on a
    tensor [batch, head, i, j] (`Philox.h`). `random` are what they follow from,
    three scalars of i64: the key, the stream in the upper half of the step's
    counter, and the batch.

    `indexing_maps` has a map for each operand, also for each destination, from
    (batch, head, i, d), (batch, group, j, d), (batch, head, i, j) or
    (batch, head, i) to the tensor's indices: a sum of constants and products of
    a dimension by a constant. Those of destinations are permutations. So an
    operand is read where a packed product has written it.

    The loops are batch and head, and then queries, keys and depth.

    ```mlir
    %o, %m, %s = kernel.attention
        ins(%q, %k, %v : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>)
        outs(%0, %1, %2 : tensor<2x1x8x4xf32>, tensor<2x1x8xf32>, tensor<2x1x8xf32>)
        sizes [2, 1, 1, 8, 8, 4, 4] scale 5.0e-01 causal
        maps [#q, #q, #q, #id, #rows, #rows]
        -> tensor<2x1x8x4xf32>, tensor<2x1x8xf32>, tensor<2x1x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$query, AnyRankedTensor:$key,
                       AnyRankedTensor:$value,
                       Optional<AnyRankedTensor>:$mask,
                       Variadic<AnyRankedTensor>:$random,
                       AnyRankedTensor:$output_init,
                       AnyRankedTensor:$row_max_init,
                       AnyRankedTensor:$row_sum_init,
                       DenseI64ArrayAttr:$sizes, F64Attr:$scale,
                       OptionalAttr<F64Attr>:$softcap, UnitAttr:$causal,
                       OptionalAttr<I64Attr>:$window,
                       OptionalAttr<F64Attr>:$dropout,
                       AffineMapArrayAttr:$indexing_maps);
  let results = (outs AnyRankedTensor:$output, AnyRankedTensor:$row_max,
                      AnyRankedTensor:$row_sum);
  let assemblyFormat = [{
    `ins` `(` $query `,` $key `,` $value `:` type($query) `,` type($key) `,`
    type($value) `)` (`mask` `(` $mask^ `:` type($mask) `)`)?
    (`random` `(` $random^ `:` type($random) `)`)?
    `outs` `(` $output_init `,` $row_max_init `,` $row_sum_init `:`
    type($output_init) `,` type($row_max_init) `,` type($row_sum_init) `)`
    `sizes` $sizes `scale` $scale (`softcap` $softcap^)? (`causal` $causal^)?
    (`window` $window^)? (`dropout` $dropout^)? `maps` $indexing_maps attr-dict
    `->` type($output) `,` type($row_max) `,` type($row_sum)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return {*this, getOutputInitMutable().getOperandNumber(), 3u};
    }
  }];
}

def Kernel_AttentionGradientOp : Kernel_Attention<"attention_gradient"> {
  let summary = "The gradient of kernel.attention";
  let description = [{
    The body of `nn.attention_gradient`. With the logits x of
    `kernel.attention`, p = exp(x - row_max) / row_sum and
    ds = p (sum_e d_output value - delta), it yields
    d_query = scale ds key, d_key = scale ds^T query and
    d_value = p^T d_output; those of keys and values summed over the heads of a
    group. Dropout, drawn again, is done to p in d_value and to the sums of
    ds. Nothing of the size of the logits is in memory. Maps are as there.
  }];
  let arguments = (ins AnyRankedTensor:$query, AnyRankedTensor:$key,
                       AnyRankedTensor:$value,
                       Optional<AnyRankedTensor>:$mask,
                       AnyRankedTensor:$row_max, AnyRankedTensor:$row_sum,
                       AnyRankedTensor:$delta, AnyRankedTensor:$d_output,
                       Variadic<AnyRankedTensor>:$random,
                       AnyRankedTensor:$d_query_init,
                       AnyRankedTensor:$d_key_init,
                       AnyRankedTensor:$d_value_init,
                       DenseI64ArrayAttr:$sizes, F64Attr:$scale,
                       OptionalAttr<F64Attr>:$softcap, UnitAttr:$causal,
                       OptionalAttr<I64Attr>:$window,
                       OptionalAttr<F64Attr>:$dropout,
                       AffineMapArrayAttr:$indexing_maps);
  let results = (outs AnyRankedTensor:$d_query, AnyRankedTensor:$d_key,
                      AnyRankedTensor:$d_value);
  let assemblyFormat = [{
    `ins` `(` $query `,` $key `,` $value `,` $row_max `,` $row_sum `,` $delta
    `,` $d_output `:` type($query) `,` type($key) `,` type($value) `,`
    type($row_max) `,` type($row_sum) `,` type($delta) `,` type($d_output) `)`
    (`mask` `(` $mask^ `:` type($mask) `)`)?
    (`random` `(` $random^ `:` type($random) `)`)?
    `outs` `(` $d_query_init `,` $d_key_init `,` $d_value_init `:`
    type($d_query_init) `,` type($d_key_init) `,` type($d_value_init) `)`
    `sizes` $sizes `scale` $scale (`softcap` $softcap^)? (`causal` $causal^)?
    (`window` $window^)? (`dropout` $dropout^)? `maps` $indexing_maps attr-dict
    `->` type($d_query) `,` type($d_key) `,` type($d_value)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return {*this, getDQueryInitMutable().getOperandNumber(), 3u};
    }
  }];
}

#endif // MPC_DIALECTS_KERNEL_KERNELOPS_TD
