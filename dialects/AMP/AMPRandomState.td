// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp.random_state. Its methods are in Ops/RandomState.cpp.
#ifndef MPC_DIALECTS_AMP_AMPRANDOMSTATE_TD
#define MPC_DIALECTS_AMP_AMPRANDOMSTATE_TD

include "dialects/AMP/AMPDialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def AMP_RandomStateOp : AMP_Op<"random_state", [
    MemoryEffects<[MemRead]>, UsesSymbols]> {
  let summary = "What the random numbers of a step are a function of";
  let description = [{
    The key is the optimizer's hyper-parameter `random_seed`, the step the
    number of steps that it has applied so far, and the batch the number of
    those that `amp.accumulate` has added up since. So a step that is skipped
    and run again, or resumed, draws the same numbers.

    ```mlir
    %key, %step, %batch = amp.random_state @optimizer
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$optimizer);
  let results = (outs AMP_I64:$key, AMP_I64:$step, AMP_I64:$batch);
  let assemblyFormat = "$optimizer attr-dict";
}

#endif // MPC_DIALECTS_AMP_AMPRANDOMSTATE_TD
