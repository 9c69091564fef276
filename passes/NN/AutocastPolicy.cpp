// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The built-in autocast policies, and how a policy is found.
#include "passes/NN/AutocastPolicy.h"

#include "dialects/NN/Annotations.h"
#include "dialects/NN/NNDialect.h"
#include "passes/NN/Passes.h"
#include "passes/NN/ReferenceRules.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace mpc;
using namespace mpc::nn;

//===----------------------------------------------------------------------===//
// Rules of the presets
//===----------------------------------------------------------------------===//

static const ReferenceRow *rowOf(PrecisionOpInterface op) {
  return findReferenceRow(op.getReferenceOp());
}

static StringRef mnemonic(PrecisionOpInterface op) {
  return op->getName().stripDialect();
}

/// The rule in the op's own TableGen entry.
static OpRule ownRule(PrecisionOpInterface op, mlir::Type) {
  PrecisionRule rule = op.getPrecisionRule();
  OpRule result{rule, rule == PrecisionRule::KeepF32, ""};
  result.why = (mnemonic(op) + " is " + stringifyPrecisionRule(rule) + ": " +
                describePrecisionRule(rule))
                   .str();
  return result;
}

static PrecisionRule torchRuleOf(StringRef cell) {
  return StringSwitch<PrecisionRule>(cell)
      .Case("lower_precision_fp", PrecisionRule::Lower)
      .Cases({"fp32", "fp32_set_opt_dtype", "fp32_append_dtype", "banned"},
             PrecisionRule::KeepF32)
      .Default(PrecisionRule::Promote);
}

/// The row of the call of which `op` is a part, where PyTorch computes the
/// whole call in f32. In other calls the parts decide.
static const ReferenceRow *wideCallOf(PrecisionOpInterface op,
                                      StringRef ReferenceRow::*column) {
  auto call = op->getAttrOfType<mlir::StringAttr>(kCallAttr);
  const ReferenceRow *row = call ? findReferenceRow(call.getValue()) : nullptr;
  bool isWide = row && torchRuleOf(row->*column) == PrecisionRule::KeepF32;
  return isWide ? row : nullptr;
}

/// The rule of PyTorch's entry `cell`. An op on no list runs in its operands'
/// type.
static OpRule torchRule(PrecisionOpInterface op, StringRef list,
                        StringRef ReferenceRow::*column) {
  const ReferenceRow *call = wideCallOf(op, column);
  const ReferenceRow *row = call ? call : rowOf(op);
  StringRef cell = row ? row->*column : "unlisted";
  if (cell.empty())
    cell = "unlisted";
  OpRule result;
  result.rule = torchRuleOf(cell);
  result.taints = result.rule == PrecisionRule::KeepF32;
  result.why = ((call ? call->aten : op.getReferenceOp()) +
                (cell == "unlisted"
                     ? " is on none of PyTorch's " + list +
                           " lists: it runs in the type of "
                           "its operands"
                     : " is '" + cell + "' on PyTorch's " + list + " lists"))
                   .str();
  return result;
}

static OpRule torchCudaRule(PrecisionOpInterface op, mlir::Type) {
  return torchRule(op, "CUDA", &ReferenceRow::torchCuda);
}
static OpRule torchCpuRule(PrecisionOpInterface op, mlir::Type) {
  return torchRule(op, "CPU", &ReferenceRow::torchCpu);
}

/// The rule of an op that is several ops in TensorFlow: our own rule, in
/// grappler's words.
static OpRule grapplerRuleOfComposite(PrecisionOpInterface op) {
  OpRule result = ownRule(op, {});
  if (result.rule == PrecisionRule::Promote)
    result.rule = PrecisionRule::Infer;
  result.why = ("TensorFlow has no op " + op.getReferenceOp() +
                "; like the ops that it is made of, " + mnemonic(op) + " is " +
                stringifyPrecisionRule(result.rule))
                   .str();
  return result;
}

static OpRule grapplerRule(PrecisionOpInterface op, mlir::Type low) {
  const ReferenceRow *row = rowOf(op);
  if (row && row->tfOp.empty())
    return grapplerRuleOfComposite(op);
  bool isF16 = low.isF16();
  StringRef cell = "unlisted";
  if (row)
    cell = isF16 ? row->grapplerF16 : row->grapplerBF16;
  OpRule result;
  result.rule = StringSwitch<PrecisionRule>(cell)
                    .Case("allow", PrecisionRule::Lower)
                    .Case("infer", PrecisionRule::Infer)
                    .Case("clear", PrecisionRule::Clear)
                    .Default(PrecisionRule::KeepF32);
  result.taints = cell == "deny";
  StringRef name = row ? row->tfOp : mnemonic(op);
  StringRef lists = isF16 ? "CUDA fp16" : "oneDNN bf16";
  result.why =
      (cell == "unlisted"
           ? name + " is on none of grappler's " + lists + " lists: left alone"
           : name + " is on grappler's " + cell + " list (" + lists + ")")
          .str();
  return result;
}

/// Whether the op computes a loss from the model's outputs, or is a loss.
static bool isLoss(PrecisionOpInterface op) {
  return op->hasAttr(kLossAttr) || op.getReferenceOp().contains("_loss");
}

static OpRule lowerAll(PrecisionOpInterface op, StringRef who) {
  return {PrecisionRule::Lower, false, (who + " lowers every op").str()};
}
static OpRule kerasRule(PrecisionOpInterface op, mlir::Type) {
  if (isLoss(op))
    return {
        PrecisionRule::KeepF32, true,
        "Keras computes losses in float32, which model outputs are cast to"};
  return lowerAll(op, "mixed_float16: a layer computes in its compute dtype;");
}
static OpRule o2Rule(PrecisionOpInterface op, mlir::Type) {
  if (isLoss(op))
    return {PrecisionRule::KeepF32, true,
            "O2 casts the model's outputs to f32: losses are computed in it"};
  if (op.getReferenceOp() == "batch_norm")
    return {PrecisionRule::KeepF32, true, "O2 keeps batch norm in f32"};
  return lowerAll(op, "O2");
}
static OpRule o3Rule(PrecisionOpInterface op, mlir::Type) {
  if (isLoss(op))
    return {PrecisionRule::KeepF32, true,
            "O3 casts the model's outputs to f32: losses are computed in it"};
  return lowerAll(op, "O3");
}

static constexpr AutocastPreset kPresets[] = {
    {.name = "mpc",
     .summary = "each op's own category",
     .ruleOf = ownRule,
     .isOwn = true,
     .numbers = Numbers::KeepRange},
    {.name = "torch-cuda",
     .summary = "PyTorch's lists for CUDA",
     .ruleOf = torchCudaRule,
     .runsAttention = true},
    {.name = "torch-cpu",
     .summary = "PyTorch's lists for the CPU",
     .ruleOf = torchCpuRule,
     .runsAttention = true},
    {.name = "grappler",
     .summary = "TensorFlow's graph rewrite: lists, taint and spread",
     .ruleOf = grapplerRule,
     .taint = true,
     .spread = true,
     .numbers = Numbers::Round},
    {.name = "keras",
     .summary = "all layers low, losses in f32 (mixed_float16)",
     .ruleOf = kerasRule,
     .numbers = Numbers::Round},
    {.name = "o1",
     .summary = "Apex O1: what PyTorch's lists for CUDA became",
     .ruleOf = torchCudaRule},
    {.name = "o2",
     .summary = "Apex O2: all low but batch norm and losses",
     .ruleOf = o2Rule},
    {.name = "o3", .summary = "Apex O3: all low but losses", .ruleOf = o3Rule},
};

ArrayRef<AutocastPreset> mpc::nn::autocastPresets() { return kPresets; }

const AutocastPreset *mpc::nn::findAutocastPreset(StringRef name) {
  const AutocastPreset *found = llvm::find_if(
      kPresets, [&](const AutocastPreset &p) { return p.name == name; });
  return found == std::end(kPresets) ? nullptr : found;
}

std::string mpc::nn::knownAutocastPresets() {
  return llvm::join(
      llvm::map_range(kPresets,
                      [](const AutocastPreset &preset) { return preset.name; }),
      ", ");
}

AutocastPolicy mpc::nn::makePolicy(const AutocastPreset &preset) {
  AutocastPolicy policy;
  policy.base = &preset;
  policy.taint = preset.taint;
  policy.spread = preset.spread;
  return policy;
}

//===----------------------------------------------------------------------===//
// Finding a policy
//===----------------------------------------------------------------------===//

using Kind = PolicyError::Kind;

static PolicyOrError failure(Kind kind, const Twine &message) {
  return {nullptr, {kind, message.str()}};
}

static PolicyOrError readPolicy(StringRef file, mlir::MLIRContext &context) {
  if (sys::fs::is_directory(file))
    return failure(Kind::File, file + ": is a folder, not a policy file");
  auto buffer = MemoryBuffer::getFileOrSTDIN(file, /*IsText=*/true);
  if (!buffer)
    return failure(Kind::File, file + ": " + buffer.getError().message());
  context.getOrLoadDialect<NNDialect>();
  Expected<AutocastPolicy> policy =
      parseAutocastPolicy((*buffer)->getBuffer(), file, context);
  if (!policy)
    return failure(Kind::Content, toString(policy.takeError()));
  policy->text = (*buffer)->getBuffer().str();
  return {std::make_shared<AutocastPolicy>(std::move(*policy)), {}};
}

PolicyOrError mpc::nn::loadAutocastPolicy(StringRef nameOrFile,
                                          mlir::MLIRContext &context) {
  StringRef name = nameOrFile;
  bool isPreset = name.consume_front(kPresetPrefix);
  const AutocastPreset *preset = findAutocastPreset(name);
  // A folder that has the name of a preset is not taken for a policy file.
  bool isFile = !isPreset && (nameOrFile == "-" || sys::fs::exists(nameOrFile));
  if (preset && sys::fs::is_directory(nameOrFile))
    isFile = false;
  if (preset && isFile)
    return failure(Kind::Usage, "'" + name +
                                    "' is a built-in policy and a file here; "
                                    "write " +
                                    kPresetPrefix + name + " or ./" + name);
  if (preset)
    return {std::make_shared<AutocastPolicy>(makePolicy(*preset)), {}};
  if (isFile)
    return readPolicy(nameOrFile, context);
  return failure(Kind::Usage, "'" + nameOrFile +
                                  "' is neither a file nor a built-in policy; "
                                  "built in are " +
                                  knownAutocastPresets());
}

LogicalResult
mpc::nn::loadIfMissing(std::shared_ptr<const AutocastPolicy> &policy,
                       StringRef nameOrFile, mlir::MLIRContext &context) {
  if (policy)
    return success();
  PolicyOrError found = loadAutocastPolicy(nameOrFile, context);
  if (!found.first)
    return emitError(mlir::UnknownLoc::get(&context), found.second.message);
  policy = found.first;
  return success();
}
