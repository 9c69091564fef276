// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interfaces by which an op describes itself: its precision rule, its VJP,
// its kernel body.
#ifndef MPC_DIALECTS_INTERFACES_OPINTERFACES_TD
#define MPC_DIALECTS_INTERFACES_OPINTERFACES_TD

include "mlir/IR/OpBase.td"

def PrecisionOpInterface : OpInterface<"PrecisionOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    The op's rule for mixed precision, and the name by which other systems'
    rules know it. `nn-autocast` reads both; no pass holds a list of ops.
  }];
  let methods = [
    InterfaceMethod<"How autocast chooses the op's precision.",
      "::mpc::PrecisionRule", "getPrecisionRule", (ins)>,
    InterfaceMethod<[{
        The op's name in PyTorch's aten library, which is the key of the table
        of other systems' autocast rules. By default the op's own mnemonic.
      }],
      "::llvm::StringRef", "getReferenceOp", (ins), [{}],
      [{ return $_op->getName().stripDialect(); }]>,
    InterfaceMethod<[{
        Whether `value`, an operand or a result, has a type of its own, which
        no precision changes: statistics of f32 beside 16-bit activations. By
        default none has.
      }],
      "bool", "hasOwnType", (ins "::mlir::Value":$value), [{}],
      [{ return false; }]>,
    InterfaceMethod<[{
        Whether a number keeps f32 as an operand where the op runs in 16 bits:
        the op computes with all its digits and rounds once, at its result. By
        default it is rounded to the type of the op.
      }],
      "bool", "carriesNumbers", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
        Whether the result may be infinite in 16 bits where it is finite in f32
        and the operands are finite in both: products, quotients, powers and
        exponentials. By default it is not: what is added or moved is about as
        large as it was.
      }],
      "bool", "mayOverflow", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
        What becomes of an infinity in `operand`. By default it is passed on.
      }],
      "::mpc::InfinityFate", "getInfinityFate",
      (ins "::mlir::OpOperand &":$operand), [{}],
      [{ return ::mpc::InfinityFate::Passed; }]>,
  ];
}

def VJPOpInterface : OpInterface<"VJPOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    The vector-Jacobian product. It is built of ops that implement this
    interface again, so that gradients can be differentiated.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds the cotangents of the operands from those of the results.
        `cotangents` has one value for each result, null where nothing depends
        on it. Sets one entry of `operandCotangents` for each operand, null
        where there is no gradient (integers, or no path). A cotangent has its
        operand's type. Fails, with an error emitted, where the op has no
        gradient for its attributes.
      }],
      "::llvm::LogicalResult", "buildVJP",
      (ins "::mlir::OpBuilder &":$builder,
           "::llvm::ArrayRef<::mlir::Value>":$cotangents,
           "::llvm::MutableArrayRef<::mlir::Value>":$operandCotangents)>,
  ];
}

def KernelBodyOpInterface : OpInterface<"KernelBodyOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    How the op is computed: structured ops on tensors (`linalg.generic` and
    `linalg.fill`, and the kernel dialect's own bodies and views), in
    destination-passing form. Contractions and reductions accumulate in f32
    (f64 for f64) and round once.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds the body on `operands` (the op's own, possibly renamed) and
        returns one tensor for each result, of the result's type.
      }],
      "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>", "buildBody",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands)>,
  ];
}

def ScalarBodyOpInterface : OpInterface<"ScalarBodyOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    An elementwise op over operands of one shape. Its kernel body is one map
    whose region is `buildScalar`: computed in f32 (f64 for f64) and rounded
    once to the result's type.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds the result from one element of each operand. Floating operands
        arrive in the compute type, f32 or f64; a floating result is returned
        in it.
      }],
      "::mlir::Value", "buildScalar",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::ValueRange":$scalars)>,
  ];
}

def ContractionOpInterface : OpInterface<"ContractionOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    An op that sums products. The cost of its arithmetic depends on the type.
  }];
  let methods = [
    InterfaceMethod<"The number of multiply-adds.", "int64_t",
      "getMultiplyAdds", (ins)>,
  ];
}

def BiasOpInterface : OpInterface<"BiasOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    An op of one result that may add a vector to it along an axis, its operand
    `bias`, before it rounds.
  }];
  let methods = [
    InterfaceMethod<"The operand `bias`; empty if the op has none.",
      "::mlir::MutableOperandRange", "getBiasMutable", (ins),
      [{ return $_op.getBiasMutable(); }]>,
    InterfaceMethod<"The axis of the result that a bias runs along.",
      "int64_t", "getBiasAxis", (ins)>,
  ];
}

def IndexOpInterface : OpInterface<"IndexOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    An op some of whose operands are indices into another operand, such as row
    numbers or class labels. Indices that come from outside are checked against
    their range before they are used.
  }];
  let methods = [
    InterfaceMethod<[{
        The valid values of `operand`. `nullopt` means that it is not an index,
        or that a value out of range has a meaning of its own.
      }],
      "::std::optional<::mpc::IndexRange>", "getIndexRange",
      (ins "::mlir::OpOperand &":$operand)>,
  ];
}

def TrainingOpInterface : OpInterface<"TrainingOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    An op that computes differently in training and in evaluation, such as batch
    normalization.
  }];
  let methods = [
    InterfaceMethod<"Whether it computes as in training.", "bool",
      "isTrainingForm", (ins)>,
    InterfaceMethod<[{
        Replaces the op by the form that PyTorch trains, and returns that. An op
        that already has that form returns itself.
      }],
      "::mpc::TrainingOpInterface", "toTrainingForm",
      (ins "::mlir::OpBuilder &":$builder)>,
    InterfaceMethod<[{
        What the op keeps from step to step, such as statistics; empty for the
        form of an evaluation.
      }],
      "::llvm::SmallVector<::mpc::RunningState>", "getRunningState", (ins)>,
  ];
}

def StateOpInterface : OpInterface<"StateOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    An op that reads a piece of state, such as a parameter. Reports call its
    result by the name of the state, not by the node that reads it.
  }];
  let methods = [
    InterfaceMethod<"The symbol that is read.", "::llvm::StringRef",
      "getStateName", (ins)>,
  ];
}

// The trait of this name is defined in OpInterfaces.h.
def DataMovement : NativeOpTrait<"DataMovement"> {
  let cppNamespace = "::mpc";
}

class Precision<string rule>
    : ParamNativeOpTrait<"PrecisionIs", "::mpc::PrecisionRule::" # rule> {
  let cppNamespace = "::mpc";
}

// The op's name in aten, where it is not the mnemonic.
class Reference<string aten>
    : NativeOpTrait<"HasReferenceOp", [],
        "static ::llvm::StringRef getReferenceOp() { return \"" # aten # "\"; }"> {
  let cppNamespace = "::mpc";
}

// The op may produce an infinity in 16 bits although f32 would not.
def Overflows
    : NativeOpTrait<"MayOverflow", [],
        "static bool mayOverflow() { return true; }"> {
  let cppNamespace = "::mpc";
}

// What becomes of an infinity in any operand, for an op that does not pass it
// on.
class Infinity<string fate>
    : NativeOpTrait<"HasInfinityFate", [],
        "static ::mpc::InfinityFate getInfinityFate(::mlir::OpOperand &) "
        "{ return ::mpc::InfinityFate::" # fate # "; }"> {
  let cppNamespace = "::mpc";
}

// Every element of the result is from -1 to 1, also for an infinite operand.
def UnitRange : NativeOpTrait<"IsInUnitRange"> {
  let cppNamespace = "::mpc";
}
def InUnitRange : TraitList<[UnitRange, Infinity<"Ended">]>;

def Lower   : TraitList<[Precision<"Lower">, PrecisionOpInterface]>;
def KeepF32 : TraitList<[Precision<"KeepF32">, PrecisionOpInterface]>;
def Promote : TraitList<[Precision<"Promote">, PrecisionOpInterface]>;
def Infer   : TraitList<[Precision<"Infer">, PrecisionOpInterface]>;
def Clear   : TraitList<[Precision<"Clear">, PrecisionOpInterface]>;

def Contraction
    : TraitList<[DeclareOpInterfaceMethods<ContractionOpInterface>]>;
def Biased : TraitList<[DeclareOpInterfaceMethods<BiasOpInterface>]>;
def Indexing : TraitList<[DeclareOpInterfaceMethods<IndexOpInterface>]>;
def TrainingForm : TraitList<[DeclareOpInterfaceMethods<TrainingOpInterface>]>;
def Differentiable : TraitList<[DeclareOpInterfaceMethods<VJPOpInterface>]>;
def KernelBody : TraitList<[DeclareOpInterfaceMethods<KernelBodyOpInterface>]>;
def ScalarBody : TraitList<[DeclareOpInterfaceMethods<ScalarBodyOpInterface>]>;

#endif // MPC_DIALECTS_INTERFACES_OPINTERFACES_TD
