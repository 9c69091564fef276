// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on the bits of elements.
#ifndef MPC_DIALECTS_NN_NNINTEGEROPS_TD
#define MPC_DIALECTS_NN_NNINTEGEROPS_TD

include "dialects/NN/NNElementwiseOps.td"

class NN_Bitwise<string mnemonic, string formula, list<Trait> traits = []>
    : NN_Elementwise<mnemonic, [SameOperandsAndResultType] # traits> {
  let summary = "Elementwise " # formula;
  let description = "Computes `" # formula # [{` of each pair of integers.
    Operands have one shape: broadcasting is `nn.broadcast`.
  }];
  let arguments = (ins NN_IntTensor:$lhs, NN_IntTensor:$rhs);
  let results = (outs NN_IntTensor:$output);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($output)";
}

def NN_BitAndOp : NN_Bitwise<"bit_and", "a & b", [Commutative]>;
def NN_BitOrOp  : NN_Bitwise<"bit_or", "a | b", [Commutative]>;
def NN_BitXorOp : NN_Bitwise<"bit_xor", "a ^ b", [Commutative]>;

class NN_Shift<string mnemonic, string formula> : NN_Bitwise<mnemonic, formula> {
  let description = "Computes `" # formula # [{` of each pair of integers. `b` is read
    as unsigned. If `b` is at least the number of bits of the type, the result is
    0, or -1 where a negative number is shifted right.
  }];
}

def NN_ShiftLeftOp  : NN_Shift<"shift_left", "a << b">;
def NN_ShiftRightOp : NN_Shift<"shift_right", "a >> b">;

def NN_BitcastOp : NN_Op<"bitcast", [
    Pure, SameOperandsAndResultShape, KernelBody, Differentiable]> {
  let summary = "Reinterpret the bits of each element as a type of the same "
      "width";
  let description = [{
    An `i1` counts as a byte, 0 or 1; a byte becomes the `i1` that is `!= 0`.
    The op has no gradient.

    ```mlir
    %b = nn.bitcast %x : tensor<4xf32> -> tensor<4xi32>
    ```
  }];
  let arguments = (ins NN_Tensor:$input);
  let results = (outs NN_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // MPC_DIALECTS_NN_NNINTEGEROPS_TD
