// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface of ops that draw random numbers.
#ifndef MPC_DIALECTS_NN_NNRANDOMINTERFACE_TD
#define MPC_DIALECTS_NN_NNRANDOMINTERFACE_TD

include "mlir/IR/OpBase.td"

def NN_RandomInterface : OpInterface<"RandomInterface"> {
  let cppNamespace = "::mpc::nn";
  let description = [{
    An op that draws random numbers. They are a function of operands, so that
    whoever draws again, with the same operands, has the same numbers.
  }];
  let methods = [
    InterfaceMethod<[{
        The operands that numbers are a function of: key, counters of all
        streams and batch, or none, where they are not known yet.
      }],
      "::mlir::MutableOperandRange", "getKeyMutable", (ins)>,
    InterfaceMethod<"Which of the counters is the op's own.", "uint32_t",
      "getStream", (ins)>,
    InterfaceMethod<[{
        What the numbers would take if they were kept for the backward pass: a
        byte for each flag, else their own type.
      }],
      "int64_t", "getDrawnBytes", (ins)>,
    InterfaceMethod<[{
        Whether the op passes its input on where it has no key, as dropout does
        in an evaluation.
      }],
      "bool", "isTrainingOnly", (ins), [{}], [{ return false; }]>,
  ];
}

def Random : TraitList<[DeclareOpInterfaceMethods<NN_RandomInterface>]>;

#endif // MPC_DIALECTS_NN_NNRANDOMINTERFACE_TD
