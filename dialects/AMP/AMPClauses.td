// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of clauses: everything that a user may decide about a training,
// each thing once. Its rows become the arguments and the text of amp.recipe
// (AMPRecipe.td), the tables of dialects/AMP/Clauses.cpp, by which clauses are
// parsed, printed, checked and recorded, and the flags of all tools
// (lib/Driver/ClauseFlags.cpp), which C and Python accept too.
#ifndef MPC_DIALECTS_AMP_AMPCLAUSES_TD
#define MPC_DIALECTS_AMP_AMPCLAUSES_TD

include "dialects/AMP/AMPClauseAttrs.td"
include "dialects/AMP/AMPRecipeEnums.td"
include "dialects/Interfaces/Precision.td"
include "dialects/NN/NNLosses.td"
include "llvm/TableGen/SearchableTable.td"
include "mlir/IR/OpBase.td"

//===----------------------------------------------------------------------===//
// What a row says
//===----------------------------------------------------------------------===//

// How a value is written: a ValueKind of dialects/AMP/Clauses.cpp; and what its
// flag takes: a type of lib/Driver/ClauseFlags.h.
class AMP_Kind<string kindName, string type> {
  string name = kindName;
  string flagType = type;
}
def AMP_Unit : AMP_Kind<"kUnit", "Switch">;
def AMP_Number : AMP_Kind<"kNumber", "Number">;
def AMP_Integer : AMP_Kind<"kInteger", "Integer">;
def AMP_Word : AMP_Kind<"kWord", "Word">;
def AMP_Text : AMP_Kind<"kText", "Word">;
def AMP_Texts : AMP_Kind<"kTexts", "Words">;
def AMP_Numbers : AMP_Kind<"kNumbers", "Own">;
def AMP_Integers : AMP_Kind<"kIntegers", "Own">;
def AMP_Groups : AMP_Kind<"kGroups", "Words">;
def AMP_FloatType : AMP_Kind<"kFloatType", "Word">;
def AMP_PrecisionName : AMP_Kind<"kPrecision", "Word">;

class AMP_Entry {
  string section = ""; // amp::Section: rows that tools offer together.
  string clause = "";
  string key = "";
  AMP_Kind kind = AMP_Unit;
  string range = "Any"; // amp::NumberRange: which numbers the value may be.
  string words = "";    // The words it may be: "f64|torch"; empty for any.
  string means = ""; // The value's description in the reference of amp.recipe.
  // The value whose text is left out when clauses are printed.
  string default = "";
  // How much of the value is in a checkpoint's record: Whole; OnOff, for a
  // number that is state; Nothing.
  string record = "Whole";
  // Whether the record has the value also where it is the default.
  bit isAlwaysRecorded = 0;
}

// A clause without fields. `attribute` is how amp.recipe keeps it.
class AMP_Clause<string name, Attr type, AMP_Kind valueKind, string text>
    : AMP_Entry {
  let clause = name;
  let kind = valueKind;
  let means = text;
  Attr attribute = type;
}

// A field of a clause with several fields.
class AMP_Field<string name, string fieldName, AMP_Kind valueKind, string text>
    : AMP_Entry {
  let clause = name;
  let key = fieldName;
  let kind = valueKind;
  let means = text;
}

// The flag that sets the row's clause or field.
class AMP_Flag<string name, string typeName, string text> {
  string flag = name;
  string type = typeName;
  string group = "Optimizer";
  // A C++ expression that yields the help text.
  code help = "\"" # text # "\"";
  string flagType = ""; // The type of the flag, where it is not the kind's.
  // The function of lib/Driver/ClauseFlags.cpp that reads the flag; empty where
  // the kind's function does.
  string read = "";
  // The number of the state that the flag sets, by the runner's name for it;
  // empty for none.
  string state = "";
}

// A flag for a field that only the optimizer or the policy defines.
class AMP_FlagAlone<string name, string typeName, string text>
    : AMP_Entry, AMP_Flag<name, typeName, text>;

class AMP_UnitClause<string name, string text>
    : AMP_Clause<name, UnitAttr, AMP_Unit, text>;
class AMP_NumberClause<string name, string text>
    : AMP_Clause<name, DefaultValuedOptionalAttr<F64Attr, "0.0">, AMP_Number,
                 text> {
  let default = "0.0";
}
class AMP_TextsClause<string name, string text>
    : AMP_Clause<name, DefaultValuedOptionalAttr<StrArrayAttr, "{}">, AMP_Texts,
                 text> {
  let default = "[]";
}
class AMP_TypeClause<string name, string text>
    : AMP_Clause<name, OptionalAttr<TypeAttr>, AMP_FloatType, text>;
class AMP_FieldsClause<string name, AttrDef type, string text>
    : AMP_Clause<name, OptionalAttr<type>,
                 AMP_Kind<"kFieldsOf<" # type.cppClassName # ">", "Own">, text>;

//===----------------------------------------------------------------------===//
// The table, in the order in which clauses are printed and --help lists flags
//===----------------------------------------------------------------------===//

defset list<AMP_Entry> AMP_Entries = {

let section = "Loss" in {
def : AMP_FieldsClause<"loss", AMP_LossAttr,
    "the loss; without it the module has its own `@loss`">;
def : AMP_Field<"loss", "name", AMP_Word,
        "a loss of `dialects/NN/Losses.cpp`, which says what it takes">,
      AMP_Flag<"--loss", "LOSS", ""> {
  let group = "Input";
  let help = [{lossHelp()}];
  let flagType = "Word";
  let read = "readLoss";
}
def : AMP_Field<"loss", "of", AMP_Text,
    "the model's output that the loss is taken of">;
def : AMP_Field<"loss", "reduction", AMP_Word, "mean, sum or batchmean">,
      AMP_Flag<"--reduction", "mean|sum|batchmean", ""> {
  let group = "Input";
  let words = "mean|sum|batchmean";
  let default = "mean";
  let help = [{"How the losses of a batch become one; batchmean is for " +
    nn::lossesWith(nn::LossParameter::BatchMean) + " (default: mean)"}];
}
def : AMP_Field<"loss", "ignore_index", AMP_Integer,
        "the label that takes no part">,
      AMP_Flag<"--ignore-index", "N", ""> {
  let group = "Input";
  let help = [{"The label that takes no part in " +
    nn::lossesWith(nn::LossParameter::IgnoreIndex) + " (default: -100)"}];
}
def : AMP_Field<"loss", "class_weights", AMP_Numbers, "one for each class">,
      AMP_Flag<"--class-weights", "X,X,...|FILE.safetensors", ""> {
  let group = "Input";
  let range = "NonNegative";
  let help = [{"Weights of the classes in " +
    nn::lossesWith(nn::LossParameter::ClassWeights) +
    ", or a file with one vector of them; the mean is over the weights of the "
    "labels (default: all 1)"}];
}
def : AMP_Field<"loss", "label_smoothing", AMP_Number,
        "the share of a label that is spread over all classes">,
      AMP_Flag<"--label-smoothing", "X", ""> {
  let group = "Input";
  let range = "Share";
  let default = "0.0";
  let help = [{"The share of a label in " +
    nn::lossesWith(nn::LossParameter::LabelSmoothing) +
    " that all classes have (default: 0)"}];
}
def : AMP_Field<"loss", "delta", AMP_Number,
        "where the loss changes from a square to a line">,
      AMP_Flag<"--loss-delta", "X", ""> {
  let group = "Input";
  let range = "NonNegative";
  let default = "1.0";
  let help = [{"Where " + nn::lossesWith(nn::LossParameter::Delta) +
    " go over from a square to a line; PyTorch's beta of smooth_l1 "
    "(default: 1)"}];
}
def : AMP_Field<"loss", "class_axis", AMP_Integer,
        "the axis of the classes; a negative one counts from the end">,
      AMP_Flag<"--class-axis", "N", ""> {
  let group = "Input";
  let help = [{"Where the output has its classes in " +
    nn::lossesWith(nn::LossParameter::ClassAxis) +
    ", from the end where N is negative (default: of three axes axis 1 or the "
    "last, whichever the labels fit; else axis 1)"}];
}
def : AMP_Clause<"target", OptionalAttr<I64ArrayAttr>, AMP_Integers,
    "shape of one batch of `target`, by which the class axis is found"> {
  let record = "Nothing";
}
} // section Loss

let section = "Mode" in
def : AMP_UnitClause<"no_dropout", "leave dropout out, as an evaluation does">,
      AMP_Flag<"--no-dropout", "", "Leave dropout out, as an evaluation does"> {
  let group = "Input";
}

let section = "Precision" in {
def : AMP_Clause<"precision",
        DefaultValuedAttr<MPC_Precision, "::mpc::Precision::FP32">,
        AMP_PrecisionName, "fp32, bf16 or fp16 (default: fp32)">,
      AMP_Flag<"--precision", "fp32|bf16|fp16|mixed",
        "Type of contractions and what they feed; mixed is fp16 "
        "(default: fp32)"> {
  let group = "Precision";
  let words = type;
  let default = "fp32";
  let isAlwaysRecorded = 1;
}
def : AMP_Clause<"autocast",
        DefaultValuedOptionalAttr<StrAttr, "::mpc::nn::kDefaultAutocast">,
        AMP_Text, "the autocast policy (default: preset:mpc)">,
      AMP_Flag<"--autocast-policy", "NAME|FILE", ""> {
  let group = "Precision";
  let default = "\"preset:mpc\"";
  let isAlwaysRecorded = 1;
  let help = [{"What runs in the low type: " + nn::knownAutocastPresets() +
    ", or a file of rules (default: mpc)"}];
}
def : AMP_Clause<"rules", OptionalAttr<StrAttr>, AMP_Text,
    "what the policy's file says, where it is one"> {
  let record = "Nothing";
}
def : AMP_TextsClause<"keep_fp32", "patterns of nodes and ops that stay in f32">,
      AMP_Flag<"--keep-fp32", "REGEX",
        "Nodes and ops, by name, that stay in f32"> {
  let group = "Precision";
}
def : AMP_TextsClause<"lower",
        "patterns of nodes and ops that run in the low type">,
      AMP_Flag<"--lower", "REGEX",
        "Nodes and ops, by name, that run in the low type"> {
  let group = "Precision";
}
def : AMP_Clause<"outputs", OptionalAttr<MPC_Precision>, AMP_PrecisionName,
        "what the model's outputs are cast to, before the loss">,
      AMP_Flag<"--output-dtype", "fp32|bf16|fp16",
        "Type that the model's outputs are cast to, before a loss is computed "
        "from them (default: as the model declares)"> {
  let group = "Precision";
  let words = type;
}
def : AMP_UnitClause<"cost_aware",
        "leave an op in f32 whose casts cost more than it saves">,
      AMP_Flag<"--cost-aware", "",
        "Leave a contraction in f32 where its casts cost more than the low "
        "type saves, as in small models"> {
  let group = "Precision";
}
def : AMP_UnitClause<"round_weights",
        "weights beyond the low type's range are copied as infinity, not as "
        "its largest number">,
      AMP_Flag<"--weight-cast", "saturate|round",
        "What a weight beyond the low type's range (65504 in fp16) is "
        "computed as: saturate, the type's largest number; round, infinity "
        "(default: saturate)"> {
  let group = "Precision";
  let words = type;
  let flagType = "Word";
  let read = "readWeightCast";
}
} // section Precision

let section = "Training" in {
def : AMP_FieldsClause<"loss_scale", AMP_LossScaleAttr,
        "the loss scale's policy (default: none)"> {
  let default = "<none>";
  let isAlwaysRecorded = 1;
}
def : AMP_Field<"loss_scale", "name", AMP_Word,
        "the policy; all other fields are its settings">,
      AMP_Flag<"--loss-scale", "POLICY", ""> {
  let group = "LossScaling";
  let read = "readPolicy";
  let help = [{"Policy: " + rt::knownPolicies() +
    " (default: dynamic for fp16, else none)"}];
}
// A flag for each setting of any policy, from the runtime's table.
def : AMP_FlagAlone<"settings", "X", ""> {
  let group = "LossScaling";
  let clause = "loss_scale";
  let flagType = "Settings";
}
def : AMP_UnitClause<"count_underflow",
        "yield how many elements of gradients have underflowed">,
      AMP_Flag<"--count-underflow", "",
        "Count the elements of 16-bit gradients that are zero or subnormal: "
        "the column underflow of --metrics"> {
  let group = "LossScaling";
  let record = "Nothing";
}
def : AMP_UnitClause<"step_outputs", "a step yields the model's outputs, too">,
      AMP_Flag<"--step-outputs", "",
        "A step also yields what the model returns beside the loss, as "
        "output.NAME"> {
  let group = "Input";
  let record = "Nothing";
}
def : AMP_TextsClause<"input_gradients",
        "inputs of the model whose gradients a step yields, too">,
      AMP_Flag<"--input-gradient", "NAME",
        "An input whose gradient, unscaled, a step yields as input_grad.NAME"> {
  let group = "Input";
  let record = "Nothing";
}
def : AMP_UnitClause<"always_write_buffers",
        "a skipped step writes running statistics, too">,
      AMP_Flag<"--always-write-buffers", "",
        "A skipped step writes running statistics too, as each forward pass "
        "of PyTorch does"> {
  let group = "LossScaling";
}

def : AMP_FieldsClause<"optimizer", AMP_OptimizerAttr,
        "the optimizer (default: adamw)"> {
  let default = "<adamw>";
  let isAlwaysRecorded = 1;
}
def : AMP_Field<"optimizer", "name", AMP_Word,
        "its rule; all other fields are the rule's hyper-parameters and "
        "flags; with `callback` the step ends in unscaled gradients, and its "
        "caller updates the parameters">,
      AMP_Flag<"--optimizer", "NAME", ""> {
  let read = "readOptimizer";
  let help = [{amp::knownOptimizers() + " (default: adamw)"}];
}
class AMP_Hyper<string name, string flagName, string text, string numbers>
    : AMP_FlagAlone<flagName, "X", text> {
  let clause = "optimizer";
  let key = name;
  let kind = AMP_Number;
  let range = numbers;
  let state = name;
}
def : AMP_Hyper<"momentum", "--momentum",
    "Momentum of sgd and rmsprop (default: 0)", "Unit">;
def : AMP_FlagAlone<"--nesterov", "", "Nesterov's momentum"> {
  let clause = "optimizer";
  let key = "nesterov";
}
def : AMP_Hyper<"beta1", "--beta1",
    "Decay of the first moment (default: 0.9)", "Unit">;
def : AMP_Hyper<"beta2", "--beta2",
    "Decay of the second moment (default: 0.999)", "Unit">;
def : AMP_Hyper<"eps", "--eps",
    "Added to the denominator (default: the optimizer's)", "NonNegative">;
def : AMP_Hyper<"weight_decay", "--weight-decay",
    "Weight decay (default: the optimizer's; adamw 0.01)", "NonNegative">;
def : AMP_FlagAlone<"--opt-arg", "NAME=VALUE",
    "A further argument of the optimizer, as amsgrad=true"> {
  let clause = "optimizer";
  let flagType = "Words";
  let read = "readOptimizerArguments";
}

def : AMP_TextsClause<"no_decay",
        "patterns of parameters without weight decay">,
      AMP_Flag<"--no-decay", "REGEX",
        "Parameters, by name, without weight decay">;
// A list of groups, each with fields of its own. The first whose pattern
// matches a parameter has it.
def : AMP_Clause<"groups", DefaultValuedOptionalAttr<AMP_GroupArrayAttr, "{}">,
        AMP_Groups, "parameters with numbers of their own, by patterns">,
      AMP_Flag<"--group", "REGEX:lr=X,weight-decay=X",
        "Parameters, by name, with a learning rate or a weight decay of their "
        "own; of several groups the first that matches counts. Schedules, and "
        "another --lr of mpc-run, move their rates as much as --lr's"> {
  let default = "[]";
  let read = "readGroups";
}
def : AMP_Field<"groups", "name", AMP_Text, "the pattern of a group">;
class AMP_GroupNumber<string name, string text>
    : AMP_Field<"groups", name, AMP_Number, text> {
  let range = "NonNegative";
  let record = "OnOff";
}
def : AMP_GroupNumber<"lr_factor",
    "the group's learning rate, as a multiple of the step's">;
def : AMP_GroupNumber<"weight_decay", "the group's weight decay">;
def : AMP_Field<"groups", "no_decay", AMP_Unit,
    "the group has no weight decay, as those of `no_decay`">;
def : AMP_TextsClause<"freeze", "patterns of parameters that are not trained">,
      AMP_Flag<"--freeze", "REGEX", "Parameters that are not trained">;
def : AMP_TextsClause<"trainable",
        "patterns of the only parameters that are trained">,
      AMP_Flag<"--trainable", "REGEX", "The only parameters that are trained">;
def : AMP_Clause<"accumulate", DefaultValuedOptionalAttr<I64Attr, "1">,
        AMP_Integer, "batches a step (default: 1)">,
      AMP_Flag<"--accumulate", "N",
        "Batches whose gradients make one step (default: 1)"> {
  let default = "1";
  let range = "Counting";
  let isAlwaysRecorded = 1;
}
def : AMP_UnitClause<"pairwise",
        "the gradients of a step's batches are summed by pairs of neighbours, "
        "and not one after the other">,
      AMP_Flag<"--sum-order", "batches|pairs",
        "How the gradients of the batches of --accumulate are summed: batches, "
        "one after the other, as PyTorch does; pairs, by pairs of neighbours, "
        "to the same bits for any number of ranks (default: batches; under a "
        "launcher as mpirun pairs)"> {
  let words = type;
  let flagType = "Word";
  let read = "readSumOrder";
}
// How many processes train is no part of what they compute.
def : AMP_Clause<"ranks", DefaultValuedOptionalAttr<I64Attr, "1">, AMP_Integer,
        "processes that share the batches of a step (default: 1)">,
      AMP_Flag<"--num-ranks", "N",
        "Processes that share the batches of --accumulate, each with a power "
        "of two of them (default: those of the launcher, as of mpirun)"> {
  let default = "1";
  let range = "Counting";
  let record = "Nothing";
}
def : AMP_UnitClause<"replicated",
        "each of several processes has the whole state of the optimizer, and "
        "not a part of it">,
      AMP_Flag<"--shard", "optimizer|off",
        "What of the state is divided among processes: optimizer, each has a "
        "part of the optimizer's slots, and of the f32 weights whose 16-bit "
        "copies are read; off, nothing (default: optimizer)"> {
  let words = type;
  let flagType = "Word";
  let read = "readShard";
  let record = "Nothing";
}

def : AMP_FieldsClause<"clip", AMP_ClipAttr,
    "bounds gradients, by one of three numbers">;
class AMP_Bound<string name, string flagName, string number, string text,
                string help>
    : AMP_Field<"clip", name, AMP_Number, text>,
      AMP_Flag<flagName, "X", help> {
  let range = "Positive";
  let record = "OnOff";
  let state = number;
}
def : AMP_Bound<"global", "--clip-global-norm", "clip_global_norm",
    "largest norm of all gradients together",
    "Largest norm of all gradients together">;
def : AMP_Bound<"norm", "--clip-norm", "clip_norm",
    "largest norm of each gradient", "Largest norm of each gradient">;
def : AMP_Bound<"value", "--clip-value", "clip_value",
    "largest absolute value of an element", "Largest absolute value of an "
        "element">;
def : AMP_Field<"clip", "order", AMP_Word,
        "torch: the norm of all is summed as PyTorch does on a CPU">,
      AMP_Flag<"--clip-norm-order", "f64|torch",
        "How the norm of --clip-global-norm is summed: f64; torch, in f32 as "
        "PyTorch does on a CPU, to the bit (default: f64)"> {
  let words = type;
  let default = "f64";
  let read = "readOrder";
}
def : AMP_Field<"clip", "scaled", AMP_Unit, "clips as if before unscaling">;

def : AMP_FieldsClause<"larc", AMP_LarcAttr,
    "layer-wise rates, in place of clipping; numbers that are left out are "
    "those of the rule's system">;
def : AMP_Field<"larc", "name", AMP_Word,
        "clip, scale, apex_clip or apex_scale">,
      AMP_Flag<"--larc", "clip|scale|apex-clip|apex-scale",
        "Layer-wise rates from the norms of weights and gradients: clip, at "
        "most 1, or scale, as in OpenSeq2Seq; with apex- as in NVIDIA Apex, "
        "which adds weight decay and leaves a gradient alone where a norm is "
        "0 (default: none)"> {
  let words = type;
}
class AMP_LarcNumber<string name, string flagName, string text, string help>
    : AMP_Field<"larc", name, AMP_Number, text>,
      AMP_Flag<flagName, "X", help> {
  let range = "NonNegative";
  let record = "Nothing";
  let state = "larc_" # name;
}
def : AMP_LarcNumber<"eta", "--larc-eta", "the trust coefficient",
    "LARC's trust coefficient (default: 0.001, Apex' 0.02)">;
def : AMP_LarcNumber<"min_update", "--larc-min-update",
    "the least rate; Apex has none",
    "LARC's least rate; Apex has none (default: 1e-7)">;
def : AMP_LarcNumber<"eps", "--larc-eps", "added to the norm it divides by",
    "Added to the norm that LARC divides by (default: 1e-7, Apex' 1e-8)">;

class AMP_Penalty<string name, string text, string help>
    : AMP_NumberClause<name, text>, AMP_Flag<"--" # name, "X", help> {
  let range = "NonNegative";
  let record = "OnOff";
  let state = name;
}
def : AMP_Penalty<"l1", "a penalty, added to the gradients (default: 0)",
    "Penalty X * sum |w| on the f32 weights, except those of --no-decay "
    "(default: 0)">;
def : AMP_Penalty<"l2", "a penalty, added to the gradients (default: 0)",
    "Penalty X * sum w^2 on the f32 weights, except those of --no-decay "
    "(default: 0)">;
def : AMP_NumberClause<"ema",
        "decay of an average of the parameters (default: 0, none)">,
      AMP_Flag<"--ema", "X",
        "Also keep an average of the weights, with this decay; checkpoints "
        "have it as NAME/ema"> {
  let range = "Unit";
  let record = "OnOff";
  let state = "ema_decay";
}
def : AMP_UnitClause<"no_masters", "parameters are kept in bf16 alone">,
      AMP_Flag<"--master-weights", "on|off",
        "off: weights in bf16 only, rounded stochastically by --seed; for "
        "--precision=bf16 (default: on)"> {
  let group = "Precision";
  let words = type;
  let flagType = "Word";
  let read = "readMasters";
}
def : AMP_TypeClause<"slots",
        "type of the optimizer's slots: f32, bf16, f16 (default: f32)">,
      AMP_Flag<"--slot-dtype", "f32|bf16|f16",
        "Type of the optimizer's slots. The rule computes in f32, and rounds "
        "them stochastically, by --seed. f16 is only for rules that do not "
        "divide by them, as sgd (default: f32)"> {
  let words = type;
  let default = "f32";
  let isAlwaysRecorded = 1;
}

// Clauses that no checkpoint records. Only recorded cases of optimizers set the
// last three.
let record = "Nothing" in {
def : AMP_Clause<"seed", DefaultValuedOptionalAttr<I64Attr, "0">, AMP_Integer,
    "seed of dropout and of stochastic rounding, below 2^53"> {
  let default = "0";
  let range = "Seed";
}
def : AMP_TypeClause<"gradients",
    "the scaled gradients are inputs of this type, instead of from `@loss`">;
def : AMP_TextsClause<"no_gradient",
    "patterns of parameters without such an input">;
def : AMP_TextsClause<"gradient_sets",
    "patterns; the gradients of each are there or missing together, as an "
    "input `present.INDEX` says">;
}
} // section Training

} // defset AMP_Entries

//===----------------------------------------------------------------------===//
// The table's rows as lists
//===----------------------------------------------------------------------===//

class AMP_AsClause<AMP_Entry e> {
  list<AMP_Clause> rows =
      !if(!isa<AMP_Clause>(e), [!cast<AMP_Clause>(e)], []<AMP_Clause>);
}
defvar AMP_ClauseList = !foldl([]<AMP_Clause>, AMP_Entries, rows, row,
                               !listconcat(rows, AMP_AsClause<row>.rows));
// The rows that describe a clause or a field. The others describe only a flag.
defvar AMP_ValueList = !filter(row, AMP_Entries, !ne(row.means, ""));
defvar AMP_FlagList = !filter(row, AMP_Entries, !isa<AMP_Flag>(row));

class AMP_Quoted<string text> {
  code literal = "R\"(" # text # ")\"";
}

class AMP_ValueRow<int i, AMP_Entry row> {
  bits<16> order = i;
  code section = "Section::" # row.section;
  string clause = row.clause;
  string key = row.key;
  code kind = "&" # row.kind.name;
  code range = "NumberRange::" # row.range;
  string words = row.words;
  code standard = AMP_Quoted<row.default>.literal;
  code record = "Record::" # row.record;
  bit isAlwaysRecorded = row.isAlwaysRecorded;
}
foreach i = !range(AMP_ValueList) in def : AMP_ValueRow<i, AMP_ValueList[i]>;

def ValueTable : GenericTable {
  let FilterClass = "AMP_ValueRow";
  let CppTypeName = "ValueRow";
  let Fields = ["order", "section", "clause", "key", "kind", "range", "words",
                "standard", "record", "isAlwaysRecorded"];
  string TypeOf_section = "code";
  string TypeOf_kind = "code";
  string TypeOf_range = "code";
  string TypeOf_standard = "code";
  string TypeOf_record = "code";
}

class AMP_FlagRow<int i, AMP_Entry row> {
  defvar source = !cast<AMP_Flag>(row);
  bits<16> order = i;
  code section = "Section::" # row.section;
  string clause = row.clause;
  string key = row.key;
  string flag = source.flag;
  string type = source.type;
  code group = "FlagGroup::" # source.group;
  code help = "[] { return std::string(" # source.help # "); }";
  code kind = "FlagKind::" # !if(!empty(source.flagType), row.kind.flagType,
                                 source.flagType);
  code range = "NumberRange::" # row.range;
  string words = row.words;
  code read = !if(!empty(source.read), "nullptr", "&" # source.read);
  string state = source.state;
}
foreach i = !range(AMP_FlagList) in def : AMP_FlagRow<i, AMP_FlagList[i]>;

def FlagTable : GenericTable {
  let FilterClass = "AMP_FlagRow";
  let CppTypeName = "FlagRow";
  let Fields = ["order", "section", "clause", "key", "flag", "type", "group",
                "help", "kind", "range", "words", "read", "state"];
  string TypeOf_section = "code";
  string TypeOf_group = "code";
  string TypeOf_help = "code";
  string TypeOf_kind = "code";
  string TypeOf_range = "code";
  string TypeOf_read = "code";
}

#endif // MPC_DIALECTS_AMP_AMPCLAUSES_TD
