// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface of ops that draw random numbers.
#ifndef MPC_DIALECTS_NN_NNRANDOMINTERFACE_TD
#define MPC_DIALECTS_NN_NNRANDOMINTERFACE_TD

include "mlir/IR/CommonTypeConstraints.td"
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
      "::mlir::MutableOperandRange", "getRandomKeyMutable", (ins)>,
    InterfaceMethod<"Which of the counters is the op's own.", "uint32_t",
      "getStream", (ins)>,
    InterfaceMethod<[{
        What the numbers would take if they were kept for the backward pass: a
        byte for each flag, else their own type.
      }],
      "int64_t", "getDrawnBytes", (ins)>,
    InterfaceMethod<"Whether the op draws: attention without dropout does not.",
      "bool", "draws", (ins), [{}], [{ return true; }]>,
    InterfaceMethod<[{
        Whether the op passes its input on where it has no key, as dropout does
        in an evaluation.
      }],
      "bool", "isTrainingOnly", (ins), [{}], [{ return false; }]>,
  ];
}

def NN_Counts
    : Type<And<[RankedTensorOf<[I64]>.predicate, HasStaticShapePred,
                Or<[HasAnyRankOfPred<[0]>, HasAnyRankOfPred<[1]>]>]>,
           "tensor<i64> or vector of i64", "::mlir::RankedTensorType">;

def Random : TraitList<[DeclareOpInterfaceMethods<NN_RandomInterface>]>;

#endif // MPC_DIALECTS_NN_NNRANDOMINTERFACE_TD
