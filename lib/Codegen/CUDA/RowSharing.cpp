// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which units and elements are a thread's, and how threads combine their
// partial results.
#include "lib/Codegen/CUDA/RowSharing.h"

using namespace mpc::cuda;

Sharing mpc::cuda::shareByWarp(KernelText &text, int64_t units,
                               int64_t threads) {
  Sharing sharing;
  std::string row = text.makeName("row"), lane = text.makeName("lane");
  int64_t rows = threads / 32;
  text.line("const {0} {1} = {0}(blockIdx.x) * {2} + mpc_warp();",
            text.indexType(), row, rows);
  text.line("const int {0} = mpc_lane();", lane);
  sharing.unit = row;
  if (units % rows != 0)
    sharing.guard = llvm::formatv("if ({0} < {1})", row, units);
  sharing.first = lane;
  sharing.step = 32;
  sharing.threads = threads;
  sharing.leader = lane + " == 0";
  sharing.reduce = "mpc_warp_combine({0}, {2})";
  sharing.partials = 0;
  sharing.sync = "mpc_sync_warp(MPC_FULL_WARP)";
  return sharing;
}

Sharing mpc::cuda::shareByBlock(KernelText &text, int64_t threads) {
  Sharing sharing;
  sharing.unit =
      text.define(text.indexType(), "row", text.indexType() + "(blockIdx.x)");
  sharing.first = text.define("int", "thread", "threadIdx.x");
  sharing.step = threads;
  sharing.threads = threads;
  sharing.leader = sharing.first + " == 0";
  sharing.reduce =
      "mpc_block_combine<" + std::to_string(threads / 32) + ">({0}, {1}, {2})";
  sharing.partials = threads / 32;
  sharing.sync = "mpc_sync_block()";
  return sharing;
}

Sharing mpc::cuda::shareColumns(KernelText &text, int64_t units,
                                int64_t threads) {
  Sharing sharing;
  std::string wanted =
      text.define(text.indexType(), "wanted",
                  text.indexType() + "(blockIdx.x) * 32 + mpc_lane()");
  sharing.unit = wanted;
  sharing.first = text.define("int", "warp", "mpc_warp()");
  sharing.step = threads / 32;
  sharing.threads = threads;
  sharing.leader = sharing.first + " == 0";
  if (units % 32 != 0) {
    sharing.unit = text.define(
        text.indexType(), "column",
        llvm::formatv("{0} < {1} ? {0} : {2}", wanted, units, units - 1));
    sharing.active = llvm::formatv("{0} < {1}", wanted, units);
    sharing.leader = sharing.active + " && " + sharing.leader;
  }
  sharing.reduce =
      "mpc_column_combine<" + std::to_string(threads / 32) + ">({0}, {1}, {2})";
  sharing.partials = threads == 32 ? 0 : threads;
  if (threads == 32)
    sharing.reduce = "{0}";
  sharing.sync = "mpc_sync_block()";
  return sharing;
}
