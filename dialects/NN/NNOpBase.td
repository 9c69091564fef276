// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Base classes and types for the entries of all families of nn ops.
#ifndef MPC_DIALECTS_NN_NNOPBASE_TD
#define MPC_DIALECTS_NN_NNOPBASE_TD

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

#endif // MPC_DIALECTS_NN_NNOPBASE_TD
