// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cuda dialect: schedules of kernels for NVIDIA GPUs.
#ifndef MPC_LIB_CODEGEN_CUDA_CUDADIALECT_TD
#define MPC_LIB_CODEGEN_CUDA_CUDADIALECT_TD

include "dialects/Kernel/ScheduleInterface.td"
include "dialects/Kernel/TargetInterface.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def CUDA_Dialect : Dialect {
  let name = "cuda";
  let cppNamespace = "::mpc::cuda";
  let summary = "How kernels run on NVIDIA GPUs";
  let description = [{
    Attributes only: the target of a module, and a schedule for each kind of
    `kernel.func`, which `kernel-schedule` chooses and `kernel-emit` carries out.
  }];
  let useDefaultAttributePrinterParser = 1;
  // The dialects that the target's passes create. Pipelines learn of them only
  // when they run.
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
    "::mpc::kernel::KernelDialect"
  ];
}

class CUDA_Attr<string attrName, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<CUDA_Dialect, attrName, traits> {
  let mnemonic = attrMnemonic;
}

// The chunks of a schedule are the blocks of its grid. A block has `threads`
// threads.
class CUDA_Schedule<string attrName, string attrMnemonic>
    : CUDA_Attr<attrName, attrMnemonic,
                [DeclareAttrInterfaceMethods<Kernel_ScheduleInterface,
                                             ["fits"]>]> {
  let genVerifyDecl = 1;
}

def CUDA_TargetAttr : CUDA_Attr<"Target", "target"> {
  let summary = "What schedules must know of a GPU";
  let description = [{
    Stands as `kernel.target` at a module, where `cuda-attach-target` puts it:
    90 for sm_90, and with `letter = "a"` sm_90a. `naive` is the reference for
    the others: no product runs on Tensor Cores, no access is wider than an
    element, no sum is split, one thread sums a whole column or has a row of
    attention, and a row that a warp would sum is a block's and the reverse. With `wide` places have 64 bits
    in every kernel, as they otherwise have for large tensors alone, so that
    such kernels can be tested. `memory` are the bytes that a step may keep
    beside its state; 0 means as few as possible. Unless `exact`, kernels whose
    results all have 16 bits, and attention on 16 bits, compute functions
    by the device's approximate instructions; else functions have the bits of
    the CPU's.

    ```mlir
    module attributes {kernel.target = #cuda.target<arch = 90>} {}
    ```
  }];
  let parameters = (ins "int64_t":$arch,
                        OptionalParameter<"::mlir::StringAttr">:$letter,
                        DefaultValuedParameter<"bool", "false">:$naive,
                        DefaultValuedParameter<"bool", "false">:$wide,
                        DefaultValuedParameter<"int64_t", "0">:$memory,
                        DefaultValuedParameter<"bool", "false">:$exact);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The target of the module around `op`, or of `op` itself. Without one it
    /// is sm_80, the first architecture that has all instructions.
    static TargetAttr lookup(::mlir::Operation *op);
    /// "sm_90a"
    std::string getArchName() const;
    /// The multiply units, the best first: Tensor Cores, then multiply-adds.
    ::llvm::SmallVector<kernel::MultiplyUnit> getMultiplyUnits() const;
  }];
}

def CUDA_MatrixAttr : CUDA_Attr<"Matrix", "matrix"> {
  let summary = "How a parameter of a kernel is a matrix of BLAS";
  let description = [{
    The matrix begins `offset` elements into parameter number `parameter`. Its
    columns are contiguous and `leading` elements apart, and those of a batch
    `batchStride`. If `transposed`, the product takes its transpose.
  }];
  let parameters = (ins "unsigned":$parameter, "int64_t":$offset,
                        "::mlir::Type":$type, "bool":$transposed,
                        "int64_t":$leading, "int64_t":$batchStride);
  let assemblyFormat = "`<` struct(params) `>`";
}

def CUDA_ProductAttr : CUDA_Attr<"Product", "product"> {
  let summary = "A kernel as a product that a library may compute in its place";
  let description = [{
    `d = a b + bias`, as cuBLASLt has it: `a` has `rows` rows and `depth`
    columns, `b` has `depth` rows and `columns` columns, and there are `batch`
    of each. `bias` is one column. With `input`, which becomes that sum, `d` is
    the GELU by tanh of it; or, of a `gradient`, `input` is what that GELU was
    of, and `d` the sum times its derivative there.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$depth,
                        "int64_t":$batch, "MatrixAttr":$a, "MatrixAttr":$b,
                        "MatrixAttr":$d,
                        OptionalParameter<"MatrixAttr">:$bias,
                        OptionalParameter<"MatrixAttr">:$input,
                        DefaultValuedParameter<"bool", "false">:$gradient);
  let assemblyFormat = "`<` struct(params) `>`";
}

def CUDA_KernelAttr
    : CUDA_Attr<"Kernel", "kernel",
                [Kernel_EmittedKernelInterface]> {
  let summary = "What a launch of an emitted function must know";
  let description = [{
    Stands as `kernel.emitted` at the declaration of the function. Blocks of the
    grid, threads of a block, bytes of dynamic shared memory, and the CUDA C++
    of the kernel, which stands behind the prelude; `sources` are those of the
    `kernel.func`. The rest is what `cuda-check-launches` checks launches
    against: the bytes of the widest access to each parameter, the parameters
    whose memory no result overlaps (`__restrict__`), threads that a
    multiprocessor is to hold, and bytes of static shared memory. A library may
    compute `product` in the kernel's place.
  }];
  let parameters = (ins "int64_t":$blocks, "int64_t":$threads,
                        "int64_t":$shared, "::mlir::StringAttr":$text,
                        "::mlir::DenseI64ArrayAttr":$accesses,
                        "::mlir::DenseI64ArrayAttr":$alone,
                        "int64_t":$resident,
                        DefaultValuedParameter<"int64_t", "0">:$fixed,
                        OptionalParameter<"::mlir::ArrayAttr">:$sources,
                        OptionalParameter<"ProductAttr">:$product);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    int64_t getChunks() const { return getBlocks(); }
  }];
}

def CUDA_LoopsAttr : CUDA_Schedule<"Loops", "loops"> {
  let summary = "One thread an element of the result; any body";
  let description = [{
    Each thread computes the elements of the parallel dimensions that are its
    own, and walks the reduced ones in the order written, from the first value
    on. A statement that does not write
    every element runs in one block, behind a copy of what it writes over.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$threads);
  let assemblyFormat = "`<` struct(params) `>`";
}

def CUDA_MapAttr : CUDA_Schedule<"Map", "map"> {
  let summary = "Elementwise over one index space";
  let description = [{
    A thread does `vector` neighbouring elements of the last axis, and moves
    what is contiguous with accesses of up to 16 bytes.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$threads,
                        "int64_t":$vector);
  let assemblyFormat = "`<` struct(params) `>`";
}

def CUDA_RowsAttr : CUDA_Schedule<"Rows", "rows"> {
  let summary = "One row at a time by a warp or a block";
  let description = [{
    `lanes` threads share a row: a warp's 32, or all `threads` of a block. The
    elements of the row are dealt out to them in runs of `vector` neighbours,
    lane `l` gets the runs `l`, `l + lanes`, ..., and moves each of what is
    contiguous with accesses of up to 16 bytes. Where an operand has not the
    alignment for these its elements are moved one by one, in the same runs.

    A reduction keeps a partial result for each lane over its elements, in
    order, from the neutral element on; if
    these are more than 32, sums and products of f32 are a cascade of chains.
    Those of a warp are combined by a tree over the distances 16, 8, 4, 2, 1;
    those of the warps in order; and the first value (the fill) with the
    result. So the order is a function of the row's length and axes alone, as
    `vector` is.

    Where the body has sums over runs of rows, `lanes` threads compute the rows
    of a run one after another, and have its sums in shared memory.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$threads,
                        "int64_t":$lanes, "int64_t":$vector);
  let assemblyFormat = "`<` struct(params) `>`";
}

def CUDA_ColumnsAttr : CUDA_Schedule<"Columns", "columns"> {
  let summary = "32 columns at a time by a block";
  let description = [{
    For the same bodies as `#cuda.rows`, where the last axis is kept or rows
    have fewer than 4 elements. A lane has a column of its own; warp `w` of
    the block's `threads / 32` combines the elements `w`, `w + warps`, ... of
    it, from the neutral element on, in chains as `#cuda.rows` has, and the
    warps' results are combined in order. The number of warps is a function of the column's length alone.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$threads);
  let assemblyFormat = "`<` struct(params) `>`";
}

def CUDA_ScatterAttr : CUDA_Schedule<"Scatter", "scatter"> {
  let summary = "Some rows of the result a block, in index order";
  let description = [{
    A block has `rows` rows of `columns` columns, at most 256, for itself, and an
    element of them is one thread's. The block looks at all indices, 256 at a
    time, and its threads join the updates of their elements in the order of the
    indices: the bits are those of a scalar loop.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$threads, "int64_t":$rows,
                        "int64_t":$columns);
  let assemblyFormat = "`<` struct(params) `>`";
}

def CUDA_DotAttr : CUDA_Schedule<"Dot", "dot"> {
  let summary = "A contraction, one thread an element, then a map on it";
  let description = [{
    Every element is one chain of multiply-adds over k ascending, however long;
    up to 191 of them the bits are those of `#cpu.gemm`, but for the sign of a
    zero.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$threads);
  let assemblyFormat = "`<` struct(params) `>`";
}

// A block computes one tile of `tile[0]` rows and columns of the result, with k
// in steps of `tile[1]`. Factor number `rows` gives the rows, the other factor
// the columns. Tiles of both are copied to one of `stages` places in shared
// memory while earlier ones are multiplied. No element depends on the tile in
// which it lies.
class CUDA_TileSchedule<string attrName, string attrMnemonic>
    : CUDA_Schedule<attrName, attrMnemonic> {
  let parameters = (ins "int64_t":$chunks, "int64_t":$threads,
                        "unsigned":$rows, ArrayRefParameter<"int64_t">:$tile,
                        "int64_t":$stages);
  let assemblyFormat = [{
    `<` `chunks` `=` $chunks `,` `threads` `=` $threads `,` `rows` `=` $rows
    `,` `tile` `=` `[` $tile `]` `,` `stages` `=` $stages `>`
  }];
}

def CUDA_SimtAttr : CUDA_TileSchedule<"Simt", "simt"> {
  let summary = "A contraction by f32 multiply-adds on tiles";
  let description = [{
    A block does a tile of the result, whose factors' tiles, as f32, stand in
    shared memory; a thread has 8 rows of 8 or 4 columns. Every element is one
    chain of multiply-adds over k ascending, from zero on: the bits are those of
    `#cuda.dot`, but for the sign of a sum that is zero.
  }];
}

def CUDA_MmaAttr : CUDA_TileSchedule<"Mma", "mma"> {
  let summary = "A contraction of 16-bit factors on Tensor Cores";
  let description = [{
    A block does a tile of the result, whose factors' tiles stand in shared
    memory. Every element is one chain of m16n8k16 products over k ascending,
    accumulated in f32; how such a product adds up its 16 terms is the
    hardware's.
  }];
}

def CUDA_AttentionAttr : CUDA_Schedule<"Attention", "attention"> {
  let summary = "Attention in blocks of queries and keys";
  let description = [{
    For `kernel.attention` and its gradient. A block has `tile[0]` queries, of
    which each warp has as many; it walks the keys that they see in steps of
    `tile[1]`, of which `stages` are in shared memory. Logits stay in registers,
    with the softmax of the keys so far. Of a gradient the first blocks have
    `tile[0]` keys and walk queries, for the gradients of keys and values; the
    others have queries. Where a row is too long for registers, several blocks
    have parts of the same rows.

    Products of 16 bits are chains of m16n8k16 over depth and then over keys;
    those of f32 chains of multiply-adds. The order of all sums follows from the
    tile and the sizes. Without stages a thread has a row for itself, by loops:
    the reference.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$threads,
                        ArrayRefParameter<"int64_t">:$tile, "int64_t":$stages);
  let assemblyFormat = [{
    `<` `chunks` `=` $chunks `,` `threads` `=` $threads `,` `tile` `=` `[` $tile
    `]` `,` `stages` `=` $stages `>`
  }];
  let extraClassDeclaration = [{
    /// Whether a thread has a row for itself.
    bool isByLoops() const { return getStages() == 0; }
  }];
}

#endif // MPC_LIB_CODEGEN_CUDA_CUDADIALECT_TD
