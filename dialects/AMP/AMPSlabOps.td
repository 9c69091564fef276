// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of the amp dialect on slabs. Methods of the optimizer's ops are in
// Ops/Update.cpp.
#ifndef MPC_DIALECTS_AMP_AMPSLABOPS_TD
#define MPC_DIALECTS_AMP_AMPSLABOPS_TD

include "dialects/AMP/AMPDialect.td"
include "dialects/AMP/AMPEntryKind.td"
include "dialects/Interfaces/OpInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def AMP_StateRole : AttrParameter<"::mpc::rt::StateRole", "role"> {
  let printer = "$_printer << ::mpc::rt::name($_self)";
}

def AMP_EntryAttr : AttrDef<AMP_Dialect, "Entry"> {
  let mnemonic = "entry";
  let summary = "A tensor of the state: its name and place in a slab";
  let description = [{
    `offset` counts elements. `role` is what the tensor is to the step, by the
    names that program files have for it too: `parameter` or `slot`, say.
    `owner` is the tensor that a slot, a copy, a gradient, an average or a
    pending sum belongs to; of a number and of a loss scaler it is the symbol of
    the optimizer or the scaler, where the module has several. `key` is what the
    tensor is called among those of its owner.

    ```mlir
    #amp.entry<"w/momentum", 0, tensor<4xf32>, slot of "w" as "momentum">
    ```
  }];
  let parameters = (ins StringRefParameter<"name">:$name, "int64_t":$offset,
                        "::mlir::RankedTensorType":$type,
                        AMP_StateRole:$role,
                        OptionalParameter<"::mlir::StringAttr">:$owner,
                        OptionalParameter<"::mlir::StringAttr">:$key);
  let assemblyFormat = [{
    `<` $name `,` $offset `,` $type `,` $role (`of` $owner^)? (`as` $key^)? `>`
  }];
  let genVerifyDecl = 1;
}

def AMP_EntryKindAttr : EnumAttr<AMP_Dialect, AMP_EntryKind, "entry_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

def AMP_SiteAttr : AttrDef<AMP_Dialect, "Site"> {
  let mnemonic = "site";
  let summary = "The value of a step that a probe reports";
  let description = [{
    Stands as `amp.site` at each result of a probed entry. A result's number is
    its site's number. `op` is the op that computes the value, or `input`.
    `node` is the model's node that the op belongs to; for state it is the
    symbol. `file` is the place where the node was read. `inputs` are the sites
    that the op reads. `parameter` is the parameter whose gradient the value is;
    null for other values. `gradient` marks a value of the backward pass. `used`
    marks a value that the step checks, returns or computes new state from.
    `infinite` marks a value computed from a constant with infinities.
  }];
  let parameters = (ins StringRefParameter<"op">:$op,
                        StringRefParameter<"node">:$node,
                        "::mlir::RankedTensorType":$type,
                        OptionalParameter<"::mlir::StringAttr">:$file,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$inputs,
                        OptionalParameter<"::mlir::StringAttr">:$parameter,
                        DefaultValuedParameter<"bool", "false">:$gradient,
                        DefaultValuedParameter<"bool", "false">:$used,
                        DefaultValuedParameter<"bool", "false">:$infinite);
  let assemblyFormat = "`<` struct(params) `>`";
}

def AMP_EntryArrayAttr
    : TypedArrayAttrBase<AMP_EntryAttr, "array of slab entries">;

def AMP_SlabOp : AMP_Op<"slab", [Symbol]> {
  let summary = "One contiguous range of the state";
  let description = [{
    Entries lie in order without overlap; what lies between them is zero. A
    function that takes the slab has an argument with `kernel.state = @name`,
    and one that changes it a result with the same attribute. `initial` holds
    the first values of the elements; a single value stands for all of them. A
    loss scaler with `wide_scale` has a scale of f64, which is not rounded to
    f32. Of a slab with `parts` each rank has one part, which is what a function
    takes; the entries lie in the parts of all ranks joined.

    ```mlir
    amp.slab @g0.parameter : tensor<4096xf32> entries [
        #amp.entry<"fc.weight", 0, tensor<10x64xf32>, parameter>]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<AnyRankedTensor>:$type,
                       AMP_EntryArrayAttr:$entries,
                       OptionalAttr<DenseF64ArrayAttr>:$initial,
                       UnitAttr:$wide_scale,
                       DefaultValuedAttr<AMP_Count, "1">:$parts);
  let assemblyFormat = [{
    $sym_name `:` $type (`parts` `(` $parts^ `)`)? `entries` $entries
    (`initial` $initial^)? (`wide_scale` $wide_scale^)? attr-dict
  }];
  let hasVerifier = 1;
}

def AMP_LoadOp : AMP_Op<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "A slab as it is at this point of an entry";
  let description = [{
    Exists only within `amp-lower-state`, which replaces it by an argument.
  }];
  let arguments = (ins FlatSymbolRefAttr:$slab);
  let results = (outs AnyRankedTensor:$value);
  let assemblyFormat = "$slab attr-dict `:` type($value)";
}

def AMP_StoreOp : AMP_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Set the value of a slab from this point of an entry on";
  let description = [{
    Exists only within `amp-lower-state`, which replaces it by a result.
  }];
  let arguments = (ins AnyRankedTensor:$value, FlatSymbolRefAttr:$slab);
  let assemblyFormat = "$value `to` $slab attr-dict `:` type($value)";
}

class AMP_BlockOp<string mnemonic, Type resultType>
    : AMP_Op<mnemonic, [Pure, KernelBody, WidensFirst]> {
  let arguments = (ins AMP_Gradient:$input);
  let results = (outs resultType:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

def AMP_SquareSumsOp : AMP_BlockOp<"square_sums", AMP_F64Vector> {
  let summary = "The sum of squares of each row, in f64";
  let description = [{
    A sum is finite if and only if every element of its row is: f32 squared is
    exact in f64, and no row is long enough to overflow it.

    ```mlir
    %s = amp.square_sums %g : tensor<3x4096xf16> -> tensor<3xf64>
    ```
  }];
}

def AMP_BlockMaxAbsOp : AMP_BlockOp<"block_max_abs", AMP_F32Vector> {
  let summary = "The largest absolute value of each row";
}

def AMP_CombineCheckOp : AMP_Op<"combine_check", [Pure, KernelBody]> {
  let summary = "The finite check and the norm from sums of squares";
  let description = [{
    Adds the sums in order, group after group.

    ```mlir
    %found, %norm = amp.combine_check %a, %b : tensor<3xf64>, tensor<1xf64>
    ```
  }];
  let arguments = (ins Variadic<AMP_F64Vector>:$sums);
  let results = (outs AMP_Flag:$found, AMP_F64:$norm);
  let assemblyFormat = "$sums attr-dict `:` type($sums)";
}

def AMP_SegmentNormsOp : AMP_Op<"segment_norms", [Pure, KernelBody]> {
  let summary = "The norm of each tensor from its blocks' sums of squares";
  let description = [{
    Tensor `i` is the next `blocks[i]` blocks; their sums are added in order.

    ```mlir
    %n = amp.segment_norms %sums blocks [3, 1] : tensor<4xf64> -> tensor<2xf64>
    ```
  }];
  let arguments = (ins AMP_F64Vector:$sums, DenseI64ArrayAttr:$blocks);
  let results = (outs AMP_F64Vector:$norms);
  let assemblyFormat = [{
    $sums `blocks` $blocks attr-dict `:` type($sums) `->` type($norms)
  }];
  let hasVerifier = 1;
}

def AMP_TrustRatioOp : AMP_Op<"trust_ratio", [
    Pure, KernelBody, AllTypesMatch<["parameter", "direction"]>,
    AllShapesMatch<["parameter", "ratio"]>]> {
  let summary = "LAMB's trust ratio of each tensor";
  let description = [{
    `parameter / direction`, rounded to f32; 1 where either norm is 0.
  }];
  let arguments = (ins AMP_F64Vector:$parameter, AMP_F64Vector:$direction);
  let results = (outs AMP_F32Vector:$ratio);
  let assemblyFormat = [{
    $parameter `,` $direction attr-dict `:` type($parameter) `->` type($ratio)
  }];
}

def AMP_LarcRateOp : AMP_Op<"larc_rate", [
    AttrSizedOperandSegments, Pure, KernelBody,
    AllTypesMatch<["parameter", "gradient"]>,
    AllShapesMatch<["parameter", "rate"]>]> {
  let summary = "LARC's rate of each tensor, from norms";
  let description = [{
    With `min_update`, as OpenSeq2Seq has it,
    `maximum(eta * parameter / (gradient + eps), min_update)`; with `lr` too
    `minimum(maximum(eta * parameter / (lr * (gradient + eps)), min_update), 1)`.

    With `weight_decay`, as NVIDIA Apex has it,
    `r = eta * parameter / (gradient + weight_decay * parameter + eps)`; with
    `lr` too `minimum(r / lr, 1)`; 1 where either norm is 0.

    Computed in f64 and rounded to f32. A NaN norm gives NaN.
  }];
  let arguments = (ins AMP_F64Vector:$parameter, AMP_F64Vector:$gradient,
                       AMP_F64:$eta, AMP_F64:$eps,
                       Optional<AMP_F64>:$min_update,
                       Optional<AMP_F64>:$weight_decay, Optional<AMP_F32>:$lr);
  let results = (outs AMP_F32Vector:$rate);
  let assemblyFormat = [{
    $parameter `,` $gradient `eta` `(` $eta `)` `eps` `(` $eps `)`
    (`min_update` `(` $min_update^ `)`)?
    (`weight_decay` `(` $weight_decay^ `)`)? (`lr` `(` $lr^ `)`)?
    attr-dict `:` type($parameter) `->` type($rate)
  }];
  let hasVerifier = 1;
}

def AMP_LarcDecayOp : AMP_Op<"larc_decay", [
    Pure, KernelBody, AllTypesMatch<["parameter", "gradient"]>,
    AllShapesMatch<["parameter", "decay"]>]> {
  let summary = "The weight decay that LARC takes in for each tensor";
  let description = [{
    `weight_decay`, rounded to f32; 0 where either norm is 0.
  }];
  let arguments = (ins AMP_F64Vector:$parameter, AMP_F64Vector:$gradient,
                       AMP_F64:$weight_decay);
  let results = (outs AMP_F32Vector:$decay);
  let assemblyFormat = [{
    $parameter `,` $gradient `weight_decay` `(` $weight_decay `)`
    attr-dict `:` type($parameter) `->` type($decay)
  }];
}

def AMP_AddPenaltyOp : AMP_Op<"add_penalty", [
    Pure, KernelBody, WidensFirst, Recomputed, AllShapesMatch<["gradient", "parameter", "output"]>]> {
  let summary = "Add the gradient of a penalty to a slab of gradients";
  let description = "Computes on slabs what `amp.regularize` computes.";
  let arguments = (ins AMP_Gradient:$gradient, AMP_Gradient:$parameter,
                       AMP_F64:$l1, AMP_F64:$l2);
  let results = (outs AMP_F32Tensor:$output);
  let assemblyFormat = [{
    $gradient `of` $parameter `l1` `(` $l1 `)` `l2` `(` $l2 `)` attr-dict
    `:` type($gradient) `,` type($parameter) `->` type($output)
  }];
}

def AMP_AverageWeightOp : AMP_Op<"average_weight", [Pure, KernelBody]> {
  let summary = "The weight of the new parameter in its average";
  let description = [{
    1 where `step`, the number of steps applied so far, is 0, else `1 - decay`.
  }];
  let arguments = (ins AMP_F64:$decay, AMP_F64:$step);
  let results = (outs AMP_F32:$weight);
  let assemblyFormat = "$decay `step` `(` $step `)` attr-dict";
}

def AMP_AverageOp : AMP_Op<"average", [
    Pure, KernelBody,
    AllShapesMatch<["parameter", "average"]>,
    AllTypesMatch<["average", "output"]>]> {
  let summary = "Update a slab of averages by the new parameters";
  let description = [{
    `average + weight * (parameter - average)`, the last product and sum in one
    rounding. Where `skip` is true, the average keeps its bits.
  }];
  let arguments = (ins AMP_Gradient:$parameter, AMP_F32:$weight,
                       AMP_F32Tensor:$average, Optional<AMP_Flag>:$skip);
  let results = (outs AMP_F32Tensor:$output);
  let assemblyFormat = [{
    $parameter `to` $average `weight` `(` $weight `)` (`skip` `(` $skip^ `)`)?
    attr-dict `:` type($parameter) `,` type($average)
  }];
}

def AMP_RoundingKeyOp : AMP_Op<"rounding_key", [Pure, KernelBody]> {
  let summary = "The key of the random bits of one step and slab";
  let description = [{
    A hash of the seed, the number of steps applied so far and `salt`, which
    tells slabs apart. `k` starts as `salt`; then `k = hash(hash(k) + word)` for
    the lower and the upper 32 bits of the seed, and for those of the step. Seed
    and step are whole numbers. Element `i` of the slab has the random number
    `r`, the upper half of `hash(key + i * 0x9e3779b9)`. In bf16 it adds `r` to
    the pattern of its f32 and keeps the upper half of the sum; in f16 it adds
    `r >> 3` to the pattern and keeps all but the lower 13 bits, and below
    2^-14, where f16 counts in units of 2^-24, it rounds up where
    `r < 2^16 * fraction`. In f16 a finite number stays finite; infinities and
    NaN stay as they are.
  }];
  let arguments = (ins AMP_F64:$seed, AMP_F64:$step, I32Attr:$salt);
  let results = (outs AMP_I32:$key);
  let assemblyFormat = "$seed `step` `(` $step `)` `salt` $salt attr-dict";
}

def AMP_ScaleSegmentsOp : AMP_Op<"scale_segments", [
    Pure, KernelBody, Recomputed, AllTypesMatch<["input", "output"]>]> {
  let summary = "Each tensor of a slab times its own factor";
  let description = [{
    Tensor `i` is the next `blocks[i]` rows.

    ```mlir
    %y = amp.scale_segments %x by %factors blocks [3, 1]
        : tensor<4x4096xf32>, tensor<2xf32>
    ```
  }];
  let arguments = (ins AMP_F32Tensor:$input, AMP_F32Vector:$factors,
                       DenseI64ArrayAttr:$blocks);
  let results = (outs AMP_F32Tensor:$output);
  let assemblyFormat = [{
    $input `by` $factors `blocks` $blocks attr-dict
    `:` type($input) `,` type($factors)
  }];
  let hasVerifier = 1;
}

def AMP_AddGradientOp : AMP_Op<"add_gradient", [
    Pure, KernelBody, WidensFirst, AllTypesMatch<["sum", "output"]>,
    AllShapesMatch<["gradient", "sum"]>]> {
  let summary = "Accumulated gradients and one more, in f32";
  let arguments = (ins AMP_Gradient:$gradient, AMP_F32Tensor:$sum);
  let results = (outs AMP_F32Tensor:$output);
  let assemblyFormat = [{
    $gradient `to` $sum attr-dict `:` type($gradient) `,` type($sum)
  }];
}

def AMP_AddPairsOp : AMP_Op<"add_pairs", [
    Pure, KernelBody, WidensFirst]> {
  let summary = "Accumulated gradients and one more, summed by pairs, in f32";
  let description = [{
    `parts` are sums of 1, 2, 4, ... neighbouring batches, of which `count`
    batches have been added so far. A bit of `count` says whether the part of
    that many batches is in use. The gradient is added to the parts in use from
    the first on, and the sum is the first part that is not in use:

    ```mlir
    %p:2 = amp.add_pairs %g count(%n) to %p0, %p1
        : tensor<4096xbf16>, tensor<4096xf32>, tensor<4096xf32>
        -> tensor<4096xf32>, tensor<4096xf32>
    ```

    This is a binary counter: after batch 3 (of 0, 1, ...) the part of 4 is
    (0 + 1) + (2 + 3).
  }];
  let arguments = (ins AMP_Gradient:$gradient, AMP_F64:$count,
                       Variadic<AMP_F32Tensor>:$parts);
  let results = (outs Variadic<AMP_F32Tensor>:$outputs);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $gradient `count` `(` $count `)` `to` $parts attr-dict
    `:` type($gradient) `,` type($parts) `->` type($outputs)
  }];
}

def AMP_DescendOp : AMP_Op<"descend", [
    AttrSizedOperandSegments, Pure, KernelBody]> {
  let summary = "Move a slab of parameters against a direction";
  let description = [{
    Yields `parameter - lr * direction` and, if `low` is given, a copy of that
    in the type of `low`. Where `skip` is true, both keep their old bits. A
    parameter of bf16 is rounded stochastically, by `key`. With `saturate` the
    copy is made as by `amp.saturate_cast`.
  }];
  let arguments = (ins AMP_F32Tensor:$direction, AMP_F32:$lr,
                       Optional<AMP_Flag>:$skip, Optional<AMP_I32>:$key,
                       AMP_Gradient:$parameter, Optional<AMP_Gradient>:$low,
                       UnitAttr:$saturate);
  let results = (outs Variadic<AMP_Gradient>:$outputs);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $parameter `by` $direction `lr` `(` $lr `)` (`skip` `(` $skip^ `)`)?
    (`key` `(` $key^ `)`)?
    (`low` `(` $low^ `)`)? (`saturate` $saturate^)? attr-dict `:` functional-type(operands, results)
  }];
}

def AMP_SaturateCastOp : AMP_Op<"saturate_cast", [
    Pure, KernelBody, AllShapesMatch<["input", "output"]>]> {
  let summary = "Cast weights to 16 bits so that finite ones stay finite";
  let description = [{
    Rounds to nearest even. A finite number beyond the range of the type becomes
    the nearest end of the range. Infinities and NaN stay.

    ```mlir
    %low = amp.saturate_cast %w : tensor<4096xf32> -> tensor<4096xf16>
    ```
  }];
  let arguments = (ins AMP_F32Tensor:$input);
  let results = (outs AMP_Gradient:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

def AMP_CombineMaxAbsOp : AMP_Op<"combine_max_abs", [Pure, KernelBody]> {
  let summary = "The largest of the blocks' largest absolute values";
  let arguments = (ins Variadic<AMP_F32Vector>:$parts);
  let results = (outs AMP_F32:$max);
  let assemblyFormat = "$parts attr-dict `:` type($parts)";
}

def AMP_PrepareOp : AMP_Op<"prepare", [
    AttrSizedOperandSegments, Pure, KernelBody]> {
  let summary = "The scalars of one optimizer step";
  let description = [{
    Takes the learning rate, the optimizer's scalar state and its
    hyper-parameters, in the order of Optimizers.h. Yields the state after the
    step (the old state where `skip` is true), then the f32 scalars that
    `amp.update` needs. With `counts_skips` the state advances where `skip` is
    true too; the number of steps applied, which does not, follows the state.
  }];
  let arguments = (ins StrAttr:$kind, StrArrayAttr:$flags, AMP_F32OrF64:$lr,
                       Optional<AMP_Flag>:$skip, Variadic<AMP_F64>:$state,
                       Variadic<AMP_F64>:$hyper, UnitAttr:$counts_skips);
  let results = (outs Variadic<AMP_F32OrF64>:$outputs);
  let assemblyFormat = [{
    $kind `flags` $flags `lr` `(` $lr `)` (`skip` `(` $skip^ `)`)?
    `state` `(` $state `)` `hyper` `(` $hyper `)`
    (`counts_skips` $counts_skips^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def AMP_UpdateOp : AMP_Op<"update", [
    AttrSizedOperandSegments, Pure, KernelBody, WidensFirst]> {
  let summary = "One optimizer step on a slab";
  let description = [{
    One map. It takes the gradient, the old parameter, the old slots and the
    scalars of `amp.prepare`. It yields the new parameter, the new slots and, if
    `low` is given, a copy of the parameter in the type of `low`. Where `skip`
    is true, all keep their old bits. `decay` is false for parameters without
    weight decay. An optimizer with a trust ratio yields the direction in place
    of the new parameter, and no copy. The rule computes in f32. A parameter of
    bf16 is rounded stochastically, by `key`; each 16-bit slot by its own key of
    `slot_keys`. With `saturate` the copy is made as by `amp.saturate_cast`.
  }];
  let arguments = (ins StrAttr:$kind, StrArrayAttr:$flags, BoolAttr:$decay,
                       AMP_Gradient:$gradient, Optional<AMP_Flag>:$skip,
                       Optional<AMP_I32>:$key, Variadic<AMP_I32>:$slot_keys,
                       Variadic<AMP_F32>:$scalars, AMP_Gradient:$parameter,
                       Variadic<AMP_Gradient>:$slots,
                       Optional<AMP_Gradient>:$low, UnitAttr:$saturate);
  let results = (outs Variadic<AMP_Gradient>:$outputs);
  let assemblyFormat = [{
    $kind `flags` $flags `decay` `(` $decay `)` `gradient` `(` $gradient `)`
    (`skip` `(` $skip^ `)`)? (`key` `(` $key^ `)`)?
    (`slot_keys` `(` $slot_keys^ `)`)?
    `scalars` `(` $scalars `)` `parameter` `(` $parameter `)` `slots` `(` $slots `)`
    (`low` `(` $low^ `)`)? (`saturate` $saturate^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // MPC_DIALECTS_AMP_AMPSLABOPS_TD
