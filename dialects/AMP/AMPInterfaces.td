// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes can ask of ops of the amp dialect.
#ifndef MPC_DIALECTS_AMP_AMPINTERFACES_TD
#define MPC_DIALECTS_AMP_AMPINTERFACES_TD

include "mlir/IR/OpBase.td"

def AMP_OptimizerInterface : OpInterface<"OptimizerInterface"> {
  let cppNamespace = "::mpc::amp";
  let description = [{
    A symbol that trains parameters. A new kind of optimizer implements this and
    nothing else: passes know optimizers by this interface alone.

    `amp-lower-state` lays out slots and scalar state. For an `amp.apply` it asks
    for `buildPrepare` once, and for `buildUpdate` of each range of parameters,
    and stores what they have changed.
  }];
  let methods = [
    InterfaceMethod<"Its name.", "::llvm::StringRef", "getSymName">,
    InterfaceMethod<"The parameters, in the order of their gradients.",
      "::mlir::ArrayAttr", "getTrains">,
    InterfaceMethod<"The parameters without weight decay; null means none.",
      "::mlir::ArrayAttr", "getNoDecayAttr">,
    InterfaceMethod<"The hyper-parameters that are given.",
      "::mlir::DictionaryAttr", "getHyper">,
    InterfaceMethod<[{
        All hyper-parameters with the values they start with: those that are
        given, then the defaults of the others.
      }],
      "::llvm::SmallVector<::mpc::amp::NamedNumber>", "getAllHypers">,
    InterfaceMethod<[{
        Parts of the parameters with numbers of their own. Those are among the
        hyper-parameters, by rt::groupKey.
      }],
      "::llvm::SmallVector<::mpc::amp::GroupAttr>", "getAllGroups", (ins), [{}],
      [{ return {}; }]>,
    InterfaceMethod<"The slots of each parameter.",
      "::llvm::SmallVector<::mpc::amp::SlotTensor>", "getAllSlots">,
    InterfaceMethod<[{
        The f64 numbers that all parameters share, with their first values.
      }],
      "::llvm::SmallVector<::mpc::amp::NamedNumber>", "getScalarState">,
    InterfaceMethod<[{
        Which number of the scalar state counts the steps that were applied.
      }],
      "int64_t", "getAppliedIndex">,
    InterfaceMethod<[{
        Whether it keeps an average of each parameter, by its hyper-parameter
        `ema_decay`.
      }],
      "bool", "keepsAverage", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
        Whether an update looks at tensors by themselves, as at their norms.
        Each is then whole blocks of kBlockSize elements.
      }],
      "bool", "needsTensors", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<"Advances `step.state` and fills in `step.scalars`.",
      "void", "buildPrepare",
      (ins "::mlir::OpBuilder &":$builder,
           "::mpc::amp::OptimizerStep &":$step)>,
    InterfaceMethod<[{
        Updates parameters, slots and copy in place of `range`. A step that is
        skipped leaves all of them, to the bit.
      }],
      "void", "buildUpdate",
      (ins "::mlir::OpBuilder &":$builder,
           "const ::mpc::amp::OptimizerStep &":$step,
           "::mpc::amp::ParameterRange &":$range)>,
  ];
}

def AMP_GradientTransformInterface : OpInterface<"GradientTransformInterface"> {
  let cppNamespace = "::mpc::amp";
  let description = [{
    Transforms gradients, its first operand, into gradients, its result. The
    operand is all gradients of an optimizer or, if the op can do that, one
    tensor. A new transform implements this and nothing else: passes know
    transforms by this interface alone.

    `amp-lower-state` takes gradients apart into groups, whose tensors lie in
    order in one flat range, and asks for the body of each. The body is built of
    pure ops that have kernel bodies.
  }];
  let methods = [
    InterfaceMethod<[{
        Whether it looks at tensors by themselves, as at their norms. Each is
        then whole blocks of kBlockSize elements.
      }],
      "bool", "needsTensors", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<"Whether it reads the parameters.",
      "bool", "needsParameters", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
        A number in the gradients' own unit, which has to be scaled where they
        are. Null means that the transform has no such number.
      }],
      "::mlir::Value", "getBound", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<[{
        Builds the transform of one group: flat, of f32. By default the op
        itself, on the flat range.
      }],
      "::mlir::Value", "buildGroup",
      (ins "::mlir::OpBuilder &":$builder,
           "const ::mpc::amp::GradientGroup &":$group), [{}], [{
        return buildOnRange($_op, builder, group);
      }]>,
  ];
}

#endif // MPC_DIALECTS_AMP_AMPINTERFACES_TD
