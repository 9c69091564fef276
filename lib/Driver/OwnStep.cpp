// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of training steps that a module writes out.
#include "lib/Driver/OwnStep.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/Interfaces/ElementTypes.h"
#include "dialects/NN/EntryNames.h"
#include "dialects/NN/FunctionNames.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/LossScale/PolicyInfo.h"
#include "runtime/Program/StepNames.h"
#include "runtime/Support/Text.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mpc;
using mpc::amp::EntryKind;

static bool hasFunction(const ImportedModel &model, StringRef name) {
  return model.module.get().lookupSymbol<func::FuncOp>(name) != nullptr;
}

/// Whether the module of a file has the entry. Entries are found by names,
/// since amp-mark-entries has not run yet.
static bool hasEntry(const ImportedModel &model, amp::EntryKind kind) {
  return hasFunction(model, stringifyEntryKind(kind));
}

bool mpc::hasModel(const ImportedModel &model) {
  return hasFunction(model, nn::kModelFunction);
}

bool mpc::hasOwnStep(const ImportedModel &model) {
  return hasEntry(model, EntryKind::Step) || hasOwnWindow(model);
}

bool mpc::hasOwnEvaluation(const ImportedModel &model) {
  return hasEntry(model, EntryKind::Eval);
}

bool mpc::hasOwnWindow(const ImportedModel &model) {
  return hasEntry(model, EntryKind::Accumulate) &&
         hasEntry(model, EntryKind::Apply);
}

/// Whether the pipeline and the runner support values of the type.
static bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return false;
  return dtypeOf(tensor.getElementType()).has_value();
}

static LogicalResult checkResults(func::FuncOp entry) {
  llvm::StringMap<size_t> known;
  for (auto [index, type] : llvm::enumerate(entry.getResultTypes())) {
    if (!isStaticTensor(type))
      return entry.emitError("entry '")
             << entry.getName() << "': result " << index << " is " << type
             << ", expected a static tensor of f64, f32, f16, bf16 or integers";
    StringAttr name = nn::getResultName(entry, index);
    if (!name)
      continue;
    auto [other, isNew] = known.try_emplace(name.getValue(), index);
    if (!isNew)
      return entry.emitError("entry '")
             << entry.getName() << "': results " << other->second << " and "
             << index << " are both called '" << name.getValue() << "'";
  }
  return success();
}

static LogicalResult checkEntry(func::FuncOp entry) {
  if (!entry.getBody().hasOneBlock())
    return entry.emitError("entry '")
           << entry.getName()
           << "' must have one block: a step does not branch";
  for (auto [index, type] : llvm::enumerate(entry.getArgumentTypes())) {
    if (!isStaticTensor(type))
      return entry.emitError("entry '")
             << entry.getName() << "': argument " << index << " is " << type
             << ", expected a static tensor of f64, f32, f16, bf16 or integers";
    if (!nn::getArgumentName(entry, index))
      return entry.emitError("entry '")
             << entry.getName() << "': argument " << index
             << " has no name: give it the attribute nn.name";
  }
  return checkResults(entry);
}

void mpc::keepModelOnly(ModuleOp module) {
  llvm::SetVector<Operation *> kept;
  for (StringRef name : {nn::kModelFunction, nn::kLossFunction})
    if (auto function = module.lookupSymbol<func::FuncOp>(name))
      kept.insert(function);
  for (size_t next = 0; next < kept.size(); ++next)
    if (auto uses = SymbolTable::getSymbolUses(kept[next]))
      for (SymbolTable::SymbolUse use : *uses)
        if (auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
                module, use.getSymbolRef()))
          kept.insert(callee);
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (!kept.contains(function))
      function.erase();
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isa<amp::OptimizerInterface, amp::ScalerOp>(op))
      op.erase();
}

void mpc::nameResults(ModuleOp module) {
  Builder b(module.getContext());
  for (auto entry : module.getOps<func::FuncOp>())
    for (unsigned i = 0, e = entry.getNumResults(); i < e; ++i)
      if (entry.isPublic() && !nn::getResultName(entry, i))
        nn::setResultName(entry, i, b.getStringAttr("output" + Twine(i)));
}

LogicalResult mpc::checkEntries(ModuleOp module) {
  for (EntryKind kind :
       {EntryKind::Step, EntryKind::Accumulate, EntryKind::Apply})
    if (auto entry =
            module.lookupSymbol<func::FuncOp>(stringifyEntryKind(kind));
        entry && (entry.isDeclaration() || !entry.isPublic()))
      return entry.emitError("entry '")
             << entry.getName() << "' must be public and have a body";
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isDeclaration() &&
        failed(checkEntry(function)))
      return failure();
  return success();
}

/// The first result of that name among the entries; null where none has it. The
/// training loop searches in the same order.
static Value findResult(ImportedModel &model, StringRef name) {
  SmallVector<EntryKind> entries = {EntryKind::Apply, EntryKind::Accumulate};
  if (hasEntry(model, EntryKind::Step))
    entries = {EntryKind::Step};
  for (EntryKind kind : entries) {
    auto entry =
        model.module->lookupSymbol<func::FuncOp>(stringifyEntryKind(kind));
    if (!entry || entry.isDeclaration())
      continue;
    for (unsigned i = 0, e = entry.getNumResults(); i < e; ++i)
      if (StringAttr found = nn::getResultName(entry, i);
          found && found == name)
        return entry.getBody().front().getTerminator()->getOperand(i);
  }
  return {};
}

rt::Status mpc::checkTellsFinite(ImportedModel &model,
                                 const std::string &flag) {
  for (StringRef name :
       {rt::step::kFoundInf, rt::step::kSkipped, rt::step::kLoss})
    if (findResult(model, name))
      return {};
  return rt::usageError(flag + ": the step returns none of 'found_inf', "
                               "'skipped' and 'loss', which say whether it was "
                               "finite");
}

rt::Result<std::string> mpc::findFloor(ImportedModel &model,
                                       const std::string &flag) {
  if (!findResult(model, rt::step::kFoundInf) &&
      !findResult(model, rt::step::kSkipped))
    return rt::usageError(flag + ": the step returns neither 'found_inf' nor "
                                 "'skipped', which say that it was skipped");
  Value scale = findResult(model, rt::step::kScale);
  while (scale && scale.getDefiningOp<nn::CastOp>())
    scale = scale.getDefiningOp()->getOperand(0);
  auto get = scale ? scale.getDefiningOp<amp::GetScaleOp>() : amp::GetScaleOp();
  if (!get)
    return rt::usageError(flag + ": the step returns no 'scale' that it reads "
                                 "by amp.get_scale, and whose floor is meant");
  auto scaler = model.module->lookupSymbol<amp::ScalerOp>(get.getScaler());
  std::string policy = scaler ? scaler.getPolicy().str() : "";
  std::optional<rt::PolicyKind> kind = rt::findPolicy(policy);
  if (kind && !rt::policyInfo(*kind).reads(rt::Setting::MinScale))
    return rt::usageError(flag + ": the loss scale of policy '" + policy +
                          "' has no floor");
  auto scalers = model.module->getOps<amp::ScalerOp>();
  std::string name = rt::settingKey(rt::Setting::MinScale).data();
  return llvm::hasSingleElement(scalers) ? name
                                         : get.getScaler().str() + "." + name;
}
