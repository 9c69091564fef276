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
  let summary = "Rows of the trailing `inner` axes: reductions end in their row";
  let description = [{
    A reduction keeps `lanes` partial results, lane `l` over the elements `l`,
    `l + lanes`, ... of the row, and combines them pairwise: lane `l` with
    lane `l + lanes/2`, and so on.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$inner, "int64_t":$lanes);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Kernel_ColumnsAttr : Kernel_Attr<"Columns", "columns"> {
  let summary = "Reductions over leading axes, vectorized on the last axis";
  let description = [{
    Each lane sums its own column in index order.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$lanes);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Kernel_GemmAttr : Kernel_Attr<"Gemm", "gemm"> {
  let summary = "A contraction on packed panels, then a map on its tiles";
  let description = [{
    `tile` rows of the result a chunk, micro-tiles of `mr` x `nr`. Every
    element is one chain of fused multiply-adds over k ascending.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$tile, "int64_t":$mr,
                        "int64_t":$nr);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // MPC_DIALECTS_KERNEL_KERNELDIALECT_TD
