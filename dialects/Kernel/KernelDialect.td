// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel dialect: how a step runs.
#ifndef MPC_DIALECTS_KERNEL_KERNELDIALECT_TD
#define MPC_DIALECTS_KERNEL_KERNELDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::mpc::kernel";
  let summary = "How a step runs: kernels, launches, memory";
  let description = [{
    A `kernel.func` holds structured ops (`linalg.generic`, `linalg.fill`)
    over a parallel domain and a schedule that fixes how it runs. A
    `kernel.launch` runs it in destination-passing form: on tensors before
    memory is planned, on views of the arena after.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
}

class Kernel_Attr<string attrName, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Kernel_Dialect, attrName, traits> {
  let mnemonic = attrMnemonic;
}

// Every schedule says into how many chunks the launch is cut. The number is a
// function of shapes only, so that results never depend on the threads.

def Kernel_LoopsAttr : Kernel_Attr<"Loops", "loops"> {
  let summary = "Scalar loops in the order written; any body";
  let parameters = (ins "int64_t":$chunks);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Kernel_MapAttr : Kernel_Attr<"Map", "map"> {
  let summary = "Elementwise over one index space, vectorized on its last axis";
  let parameters = (ins "int64_t":$chunks, "int64_t":$lanes);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Kernel_RowsAttr : Kernel_Attr<"Rows", "rows"> {
  let summary = "One row at a time, vectorized on the last axis summed over";
  let description = [{
    For bodies of maps and reductions over one space, whose reductions all go
    over the same `inner` axes, wherever those stand. A row is all elements
    that end in one sum.

    A reduction keeps `lanes` partial results, lane `l` over the elements `l`,
    `l + lanes`, ... of the row; they start from the neutral element, and are
    combined pairwise at the end: lane `l` with lane `l + lanes/2`, and so on;
    the first value (the fill) is combined with the result. Neighbouring inner
    axes count as one axis; over several that are no neighbours, the lanes
    start anew on each line of the last. So the order is a function of shape
    and axes, whatever else is in the kernel.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$inner, "int64_t":$lanes);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Kernel_ColumnsAttr : Kernel_Attr<"Columns", "columns"> {
  let summary = "A block of columns at a time, vectorized on an axis kept";
  let description = [{
    For the same bodies as `#kernel.rows`, where the last axis is kept or rows
    have fewer than 4 elements.
    Each lane sums its own column in index order, from the first value on: the
    bits are those of scalar loops.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$lanes);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Kernel_GemmAttr : Kernel_Attr<"Gemm", "gemm"> {
  let summary = "A contraction on packed blocks, then a map on its tiles";
  let description = [{
    One factor (`rows`: which) gives the rows of the micro-kernel, the other the
    columns; the result is computed in tiles of rows x columns, one a chunk, k
    in blocks. A micro-kernel keeps `micro` rows x columns in registers. The
    factor `packed`, if any, was packed by a kernel of its own; the rest is
    packed by the chunk. Every element is one chain of multiply-adds over k
    ascending, whatever the numbers here.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$lanes, "unsigned":$rows,
                        OptionalParameter<"std::optional<unsigned>">:$packed,
                        ArrayRefParameter<"int64_t">:$tile,
                        ArrayRefParameter<"int64_t">:$micro);
  let assemblyFormat = [{
    `<` `chunks` `=` $chunks `,` `lanes` `=` $lanes `,` `rows` `=` $rows `,`
    (`packed` `=` $packed^ `,`)? `tile` `=` `[` $tile `]` `,`
    `micro` `=` `[` $micro `]` `>`
  }];
  let extraClassDeclaration = [{
    int64_t getTileRows() const { return getTile()[0]; }
    int64_t getTileColumns() const { return getTile()[1]; }
    int64_t getKBlock() const { return getTile()[2]; }
    int64_t getMicroRows() const { return getMicro()[0]; }
    int64_t getMicroColumns() const { return getMicro()[1]; }
    /// Elements from one packed row to the next; a little more than a block,
    /// so that rows do not fall into the same cache set.
    int64_t getRowStride() const {
      return (getKBlock() + 7) / 8 * 8 + 8;
    }
    unsigned getColumns() const { return 1 - getRows(); }
    bool isPacked(unsigned operand) const {
      return getPacked() && *getPacked() == operand;
    }
  }];
}

def Kernel_PackAttr : Kernel_Attr<"Pack", "pack"> {
  let summary = "A contraction's factor, converted and packed";
  let description = [{
    The statement's dimensions are those of the batch (`batch` of them), of the
    rows or columns (`outer` of them) and of k. As rows the result is
    `[batch, k block, group of micro rows, row in group, k in block]`, with
    `block` as the third number of `#kernel.gemm`'s tile; as columns (`panel` > 0 of them a panel) it is
    `[batch, panel, k, column in panel]`. What has no source is zero. A chunk
    is one of `units` runs of `tile` rows or columns of one batch.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$lanes, "int64_t":$batch,
                        "int64_t":$outer, "int64_t":$tile, "int64_t":$block,
                        "int64_t":$panel);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // MPC_DIALECTS_KERNEL_KERNELDIALECT_TD
