// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cpu dialect: schedules of kernels for CPUs.
#ifndef MPC_LIB_CODEGEN_CPU_CPUDIALECT_TD
#define MPC_LIB_CODEGEN_CPU_CPUDIALECT_TD

include "dialects/Kernel/ScheduleInterface.td"
include "dialects/Kernel/TargetInterface.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def CPU_Dialect : Dialect {
  let name = "cpu";
  let cppNamespace = "::mpc::cpu";
  let summary = "How kernels run on CPUs";
  let description = [{
    Attributes only: the target of a module, and a schedule for each kind of
    `kernel.func`, which `kernel-schedule` chooses and `kernel-emit` carries out.
  }];
  let useDefaultAttributePrinterParser = 1;
  // Marks the code that kernels of several sizes run.
  let discardableAttrs = (ins "::mlir::UnitAttr":$shared);
  // The dialects that the target's passes create. Pipelines learn of them only
  // when they run.
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
    "::mlir::x86vector::X86VectorDialect",
    "::mpc::kernel::KernelDialect"
  ];
}

class CPU_Attr<string attrName, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<CPU_Dialect, attrName, traits> {
  let mnemonic = attrMnemonic;
}

// Schedules say for how many f32 `lanes` they are; `methods` are the interface
// methods that do not have the default body.
class CPU_Schedule<string attrName, string attrMnemonic,
                   list<string> methods = []>
    : CPU_Attr<attrName, attrMnemonic,
               [DeclareAttrInterfaceMethods<Kernel_ScheduleInterface,
                                            ["fits"] # methods>]> {
  let genVerifyDecl = 1;
}

def CPU_Unit : I32EnumAttr<"Unit", "What multiplies a contraction's factors", [
    I32EnumAttrCase<"FMA", 0, "fma">,
    I32EnumAttrCase<"AVX512BF16", 1, "avx512_bf16">]> {
  let description = [{
    - `fma`: a fused multiply-add of f32 for each k. Factors of 16 bits are
      widened while they are packed.
    - `avx512_bf16`: `vdpbf16ps`, which adds the products of two neighbouring k
      of bf16 to a sum in f32. Units.h says what it computes, to the bit.
  }];
  let cppNamespace = "::mpc::cpu";
  let genSpecializedAttr = 0;
}

def CPU_RowLayout : I32EnumAttr<"RowLayout", "Where a micro-kernel reads rows", [
    I32EnumAttrCase<"Packed", 0, "packed">,
    I32EnumAttrCase<"InPlace", 1, "in_place">,
    I32EnumAttrCase<"Panels", 2, "panels">,
    I32EnumAttrCase<"Windows", 3, "windows">]> {
  let description = [{
    - `packed`: from a copy, row by row.
    - `in_place`: from the factor itself, whose rows have neighbouring k.
    - `panels`: from a copy of panels of as many rows as the micro-kernel has,
      step of k by step of k.
    - `windows`: from a copy of the part of the images that a tile's windows
      read, channels innermost. Windows.h says which contractions have them.
  }];
  let cppNamespace = "::mpc::cpu";
  let genSpecializedAttr = 0;
}

def CPU_TargetAttr : CPU_Attr<"Target", "target"> {
  let summary = "What schedules must know of a CPU";
  let description = [{
    Stands as `kernel.target` at a module, where `cpu-attach-target` puts it.
    `lanes` are the f32 lanes of a vector register: 8 for AVX2, 16 for AVX-512.
    With `naive` every kernel runs by scalar loops, as the reference for the
    others. `bf16` is the unit that multiplies factors of bf16. Scalar loops
    compute what that unit computes, on any CPU. `memory` are the bytes that a
    step should keep beside its state, at the cost of computing values again;
    without it a step keeps what it needs later.

    Contractions and sums and products of f32 are cut into chains, by all
    schedules and in scalar loops alike, unless they are short or have
    `kernel.in_order`: about 128 products of a contraction are added up from
    zero on, in the order of the reduction loops, and so are the sums of these
    chains. Where windows slide over an image, `kernel-schedule` orders these
    loops: taps, and channels innermost. Other sums are cascades: chains of about 16 values, chains of 16 of
    these, and so on. Chains.h has the rule.

    ```mlir
    module attributes {kernel.target = #cpu.target<lanes = 8>} {}
    ```
  }];
  let parameters = (ins "int64_t":$lanes,
                        DefaultValuedParameter<"bool", "false">:$naive,
                        DefaultValuedParameter<"Unit", "Unit::FMA">:$bf16,
                        OptionalParameter<"std::optional<int64_t>">:$memory);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def CPU_KernelAttr : CPU_Attr<"Kernel", "kernel",
                              [Kernel_EmittedKernelInterface]> {
  let summary = "What a launch of an emitted function must know";
  let description = [{
    Stands as `kernel.emitted` at the function. `scratch` is the bytes of memory
    of its own that each worker needs; `sources` are those of the `kernel.func`;
    `tile` is how many neighbouring chunks are cheaper for one worker.
    A function without a body runs `code`, a public function of the module, with
    `sizes` as its further arguments.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$scratch,
                        OptionalParameter<"::mlir::ArrayAttr">:$sources,
                        OptionalParameter<"::mlir::FlatSymbolRefAttr">:$code,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$sizes,
                        DefaultValuedParameter<"int64_t", "1">:$tile);
  let assemblyFormat = "`<` struct(params) `>`";
}

def CPU_LoopsAttr : CPU_Schedule<"Loops", "loops", ["verifyKernel"]> {
  let summary = "Scalar loops in the order written; any body";
  let description = [{
    A contraction of bf16 is computed as the unit `bf16` would compute it, and
    the sum of a row in as many partial sums as `#cpu.rows` of `lanes` has.
  }];
  let parameters = (ins "int64_t":$chunks,
                        DefaultValuedParameter<"Unit", "Unit::FMA">:$bf16,
                        DefaultValuedParameter<"int64_t", "1">:$lanes);
  let assemblyFormat = "`<` struct(params) `>`";
}

def CPU_LanesAttr : CPU_Schedule<"Lanes", "lanes", ["verifyKernel"]> {
  let summary = "Loops of one statement, a vector of its results at a time";
  let description = [{
    For a reduction that is not a sum, such as a pool that also yields places,
    whose results and operands go along one axis together, or with every second
    operand left out. Each lane runs the loops of its own element in the order
    written: the bits are those of scalar loops.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$lanes);
  let assemblyFormat = "`<` struct(params) `>`";
}

def CPU_ScatterAttr : CPU_Schedule<"Scatter", "scatter", ["verifyKernel"]> {
  let summary = "A scatter, a block of rows and columns at a time";
  let description = [{
    A unit of work is `rows` neighbouring places, all of them without that
    number, and a `block` of neighbouring columns, of one outer slice. It goes
    through all indices in their order and joins those of its places, with
    vectors along the columns if a block has any: the bits are those of scalar
    loops.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$lanes, "int64_t":$block,
                        OptionalParameter<"std::optional<int64_t>">:$rows);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    /// The lanes of vectors along the columns; 1 for a block of fewer.
    int64_t getColumnLanes() const {
      return getBlock() < getLanes() ? 1 : getLanes();
    }
  }];
}

def CPU_MapAttr : CPU_Schedule<"Map", "map"> {
  let summary = "Elementwise over one index space, vectorized on its last axis";
  let parameters = (ins "int64_t":$chunks, "int64_t":$lanes);
  let assemblyFormat = "`<` struct(params) `>`";
}

def CPU_RowsAttr : CPU_Schedule<"Rows", "rows"> {
  let summary = "One row at a time, vectorized on the last axis summed over";
  let description = [{
    For bodies of maps and reductions over one space, whose reductions all go
    over the same axes, wherever those stand. A row is all elements that end in
    one sum.

    A reduction keeps `lanes` partial results, lane `l` over the elements `l`,
    `l + lanes`, ... of the row; they start from the neutral element, and are
    combined pairwise at the end: lane `l` with lane `l + lanes/2`, and so on;
    the first value (the fill) is combined with the result. A lane's elements
    are in chains if they are many. Neighbouring inner axes count as one axis;
    over several that are not neighbours, the lanes start anew on each line of
    the last. So the order is a function of shape and axes, whatever else is in
    the kernel.

    Where the body has partial sums over runs of rows, a worker computes a run,
    row by row, and adds each row's elements to those of the run.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$lanes);
  let assemblyFormat = "`<` struct(params) `>`";
}

def CPU_ColumnsAttr : CPU_Schedule<"Columns", "columns"> {
  let summary = "A block of columns at a time, vectorized on an axis kept";
  let description = [{
    For the same bodies as `#cpu.rows`, where the last axis is kept or rows
    have fewer than 4 elements.
    Each lane sums its own column in index order, from the first value on, or
    in chains: the bits are those of scalar loops.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$lanes);
  let assemblyFormat = "`<` struct(params) `>`";
}

def CPU_GemmAttr : CPU_Schedule<"Gemm", "gemm",
                                ["verifyKernel", "getUnitName"]> {
  let summary = "A contraction on packed blocks, then a map on its tiles";
  let description = [{
    One factor (`rows`: which) gives the rows of the micro-kernel, the other the
    columns; the result is computed in tiles of rows x columns, k in blocks. A
    micro-kernel keeps `micro` rows x columns in registers. The factor `packed`,
    if any, was packed by a kernel of its own; the rest is packed for a tile. A
    tile is cut into pieces, `row_pieces` x `column_pieces`, one a chunk. A
    worker computes neighbouring pieces as one where they are a rectangle, and
    so packs for all of them once. `row_layout` says where the micro-kernel finds the rows,
    and `unit` multiplies. With `windows` a tile is whole images, or whole lines
    of one, and a block of k is all of some taps of the first axis. Every element is a sum of chains of
    its steps over k ascending, whatever the numbers here; a block of k is whole
    chains.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$lanes, "unsigned":$rows,
                        OptionalParameter<"std::optional<unsigned>">:$packed,
                        ArrayRefParameter<"int64_t">:$tile,
                        ArrayRefParameter<"int64_t">:$micro,
                        DefaultValuedParameter<"int64_t", "1">:$row_pieces,
                        DefaultValuedParameter<"int64_t", "1">:$column_pieces,
                        DefaultValuedParameter<"Unit", "Unit::FMA">:$unit,
                        DefaultValuedParameter<
                            "RowLayout", "RowLayout::Packed">:$row_layout);
  let assemblyFormat = [{
    `<` `chunks` `=` $chunks `,` `lanes` `=` $lanes `,` `rows` `=` $rows `,`
    (`packed` `=` $packed^ `,`)? `tile` `=` `[` $tile `]` `,`
    `micro` `=` `[` $micro `]` (`,` struct($row_pieces,
    $column_pieces, $unit, $row_layout)^)? `>`
  }];
  let extraClassDeclaration = [{
    int64_t getTileRows() const { return getTile()[0]; }
    int64_t getTileColumns() const { return getTile()[1]; }
    int64_t getKBlock() const { return getTile()[2]; }
    int64_t getMicroRows() const { return getMicro()[0]; }
    int64_t getMicroColumns() const { return getMicro()[1]; }
    int64_t getPieces() const { return getRowPieces() * getColumnPieces(); }
    /// The number of elements from one packed row to the next. It is a little
    /// more than a block, so that rows do not fall into the same cache set.
    int64_t getRowStride() const {
      return (getKBlock() + 7) / 8 * 8 + 8;
    }
    unsigned getColumns() const { return 1 - getRows(); }
    /// Whether `operand` is packed in panels, in which a step of k has elements
    /// of `getPanelWidth(operand)` rows or columns.
    bool hasPanels(unsigned operand) const {
      return operand != getRows() || getRowLayout() == RowLayout::Panels;
    }
    int64_t getPanelWidth(unsigned operand) const {
      return getMicro()[operand == getRows() ? 0 : 1];
    }
    bool isPacked(unsigned operand) const {
      return getPacked() && *getPacked() == operand;
    }
  }];
}

def CPU_DepthwiseAttr : CPU_Schedule<"Depthwise", "depthwise",
                                     ["verifyKernel"]> {
  let summary = "A depthwise convolution or its gradient, channels in lanes";
  let description = [{
    A contraction in which a window slides over an image, each channel by
    itself. A vector has `lanes` channels; what a tile reads is transposed so
    that they lie next to each other, the result back again. A tile has one
    index of each tiled dimension (positions of the image: of the result, or
    summed over) before number `cut`, up to `tile` of that one, and all behind
    it; a tile of what is summed over is whole chains. `block` rows x columns of
    results are in registers while K is summed over. Every element is a sum of
    chains of multiply-adds over k ascending, whatever the numbers here.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$lanes, "int64_t":$cut,
                        "int64_t":$tile, ArrayRefParameter<"int64_t">:$block);
  let assemblyFormat = [{
    `<` `chunks` `=` $chunks `,` `lanes` `=` $lanes `,` `cut` `=` $cut `,`
    `tile` `=` $tile `,` `block` `=` `[` $block `]` `>`
  }];
}

def CPU_AttentionAttr : CPU_Schedule<"Attention", "attention",
                                     ["verifyKernel", "getUnitName"]> {
  let summary = "Attention in blocks of queries and keys";
  let description = [{
    For `kernel.attention` and its gradient. A chunk is a batch and a head, or a
    `pieces`-th part of its queries; for the gradient, a batch and a group of
    heads. Logits are computed in blocks of `block` queries x keys, which stay
    in scratch memory; a micro-kernel keeps `micro` rows x columns of a product
    in registers, and `unit` multiplies. Keys that no query of a block sees are
    left out.

    The order of all sums follows from these numbers, and the numbers from the
    sizes and the target. Products are sums of chains, as those of `#cpu.gemm`;
    those over queries or keys begin a chain with each block. The sum of a row's
    exponentials has a partial sum for each micro column, in which a block's are
    added up from zero on, and that to the sum so far; they are combined
    pairwise at the end. `scalar` carries out the same by scalar loops, as the
    reference.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$lanes, "int64_t":$pieces,
                        ArrayRefParameter<"int64_t">:$block,
                        ArrayRefParameter<"int64_t">:$micro,
                        DefaultValuedParameter<"Unit", "Unit::FMA">:$unit,
                        DefaultValuedParameter<"bool", "false">:$scalar);
  let assemblyFormat = [{
    `<` `chunks` `=` $chunks `,` `lanes` `=` $lanes `,` `pieces` `=` $pieces `,`
    `block` `=` `[` $block `]` `,` `micro` `=` `[` $micro `]`
    (`,` struct($unit, $scalar)^)? `>`
  }];
  let extraClassDeclaration = [{
    int64_t getQueryBlock() const { return getBlock()[0]; }
    int64_t getKeyBlock() const { return getBlock()[1]; }
    int64_t getMicroRows() const { return getMicro()[0]; }
    int64_t getMicroColumns() const { return getMicro()[1]; }
  }];
}

def CPU_PackAttr : CPU_Schedule<"Pack", "pack", ["verifyKernel"]> {
  let summary = "A contraction's factor, converted and packed";
  let description = [{
    The statement's dimensions are those of the batch (`batch` of them), of the
    rows or columns (`outer` of them) and of k. As rows the result is
    `[batch, k block, group of micro rows, row in group, k in block]`, with
    `block` as the third number of `#cpu.gemm`'s tile; in panels (of `panel` > 0 rows or columns) it is
    `[batch, panel, k, place in panel]`, or with a `depth` of 2
    `[batch, panel, pair of k, place in panel, k in pair]`. What has no source
    is zero. A chunk is `tile` rows or columns of one batch, of panels up to
    `run` of their k.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$lanes, "int64_t":$batch,
                        "int64_t":$outer, "int64_t":$tile, "int64_t":$block,
                        "int64_t":$panel,
                        DefaultValuedParameter<"int64_t", "1">:$depth,
                        DefaultValuedParameter<"int64_t", "INT64_MAX">:$run);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // MPC_LIB_CODEGEN_CPU_CPUDIALECT_TD
