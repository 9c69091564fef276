// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a recipe chooses among.
#ifndef MPC_DIALECTS_AMP_AMPRECIPEENUMS_TD
#define MPC_DIALECTS_AMP_AMPRECIPEENUMS_TD

include "mlir/IR/EnumAttr.td"

def AMP_LossKind : I32EnumAttr<"LossKind", "what a loss is taken of", [
    I32EnumAttrCase<"CrossEntropy", 0, "cross_entropy">,
    I32EnumAttrCase<"MSE", 1, "mse">,
    I32EnumAttrCase<"Output", 2, "output">,
    I32EnumAttrCase<"BCE", 3, "bce">,
    I32EnumAttrCase<"L1", 4, "l1">,
    I32EnumAttrCase<"Huber", 5, "huber">,
    I32EnumAttrCase<"SmoothL1", 6, "smooth_l1">,
    I32EnumAttrCase<"NLL", 7, "nll">,
    I32EnumAttrCase<"KL", 8, "kl">]> {
  let cppNamespace = "::mpc::amp";
}

def AMP_Reduction : I32EnumAttr<"Reduction", "how losses become one", [
    I32EnumAttrCase<"Mean", 0, "mean">,
    I32EnumAttrCase<"Sum", 1, "sum">,
    I32EnumAttrCase<"BatchMean", 2, "batchmean">]> {
  let cppNamespace = "::mpc::amp";
}

def AMP_ClipKind : I32EnumAttr<"ClipKind", "what clipping bounds", [
    I32EnumAttrCase<"GlobalNorm", 0, "global_norm">,
    I32EnumAttrCase<"Norm", 1, "norm">,
    I32EnumAttrCase<"Value", 2, "value">]> {
  let cppNamespace = "::mpc::amp";
}

def AMP_LarcKind : I32EnumAttr<"LarcKind", "a rule of layer-wise rates", [
    I32EnumAttrCase<"Clip", 0, "clip">,
    I32EnumAttrCase<"Scale", 1, "scale">,
    I32EnumAttrCase<"ApexClip", 2, "apex_clip">,
    I32EnumAttrCase<"ApexScale", 3, "apex_scale">]> {
  let cppNamespace = "::mpc::amp";
}

#endif // MPC_DIALECTS_AMP_AMPRECIPEENUMS_TD
