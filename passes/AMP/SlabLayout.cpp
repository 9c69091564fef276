// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grouping of parameters, and the places of all state.
#include "passes/AMP/SlabLayout.h"

#include "runtime/LossScale/PolicyInfo.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

/// 64 bytes of the narrowest type that a slab may have.
static constexpr int64_t kAlignment = 32;

static Type elementTypeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

static bool isLow(Type elementType) {
  return elementType.isF16() || elementType.isBF16();
}

bool mpc::amp::takesAllGradients(Operation *op) {
  return isa<ClipEachOp, LarcOp, RegularizeOp>(op);
}

GradientChain mpc::amp::getGradientChain(Value gradient) {
  GradientChain chain;
  while (Operation *op = gradient.getDefiningOp()) {
    unsigned operand = 0;
    if (isa<UnscaleOp, ClipOp, ClampOp>(op)) {
      chain.maps.push_back(op);
    } else if (takesAllGradients(op)) {
      chain.maps.push_back(op);
      operand = cast<OpResult>(gradient).getResultNumber();
    } else if (auto cast = dyn_cast<nn::CastOp>(op);
               !cast || !isLow(elementTypeOf(cast.getInput()))) {
      break;
    }
    gradient = op->getOperand(operand);
  }
  std::reverse(chain.maps.begin(), chain.maps.end());
  chain.raw = gradient;
  return chain;
}

SmallVector<int64_t> ParameterGroup::blocks() const {
  SmallVector<int64_t> counts;
  for (auto [index, offset] : llvm::enumerate(offsets)) {
    int64_t end = index + 1 == offsets.size() ? size : offsets[index + 1];
    counts.push_back((end - offset) / kBlockSize);
  }
  return counts;
}

FailureOr<SlabLayout> SlabLayout::build(ModuleOp module,
                                        ArrayRef<func::FuncOp> entries) {
  SlabLayout layout;
  if (failed(layout.findState(module, entries)))
    return failure();
  layout.group(module, entries);
  layout.place();
  layout.addSlabs(module);
  if (failed(layout.addScalarSlabs(module)))
    return failure();
  return layout;
}

SlabLayout::Place SlabLayout::lookup(StringAttr parameter) {
  auto [group, offset] = places.at(parameter);
  return {&groups[group], offset};
}

LogicalResult SlabLayout::findState(ModuleOp module,
                                    ArrayRef<func::FuncOp> entries) {
  for (auto op : module.getOps<ScalerOp>()) {
    if (scaler)
      return op.emitOpError("is a second scaler; a module has one");
    scaler = op;
  }
  for (auto op : module.getOps<OptimizerOp>()) {
    if (optimizer)
      return op.emitOpError("is a second optimizer; a module has one");
    optimizer = op;
  }
  alignment = kAlignment;
  for (func::FuncOp entry : entries) {
    for (auto op : entry.getOps<ApplyOp>()) {
      if (apply)
        return op.emitOpError("is a second step of the optimizer; a module "
                              "has one");
      apply = op;
    }
    for (auto op : entry.getOps<AccumulateOp>()) {
      if (accumulate)
        return op.emitOpError("is a second accumulation; a module has one");
      accumulate = op;
    }
    if (!entry.getOps<ClipEachOp>().empty() || !entry.getOps<LarcOp>().empty())
      alignment = kBlockSize;
  }
  // What is done by tensor is done by blocks of one tensor.
  if (optimizer && findOptimizer(optimizer.getKind())->trustRatio)
    alignment = kBlockSize;
  if (accumulate &&
      (!apply || accumulate.getParameters() != apply.getParameters()))
    return accumulate.emitOpError("must take the parameters that amp.apply "
                                  "takes");
  return success();
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// The 16-bit type in which entries read each parameter, if any.
static DenseMap<StringAttr, Type> findLowTypes(ArrayRef<func::FuncOp> entries) {
  DenseMap<StringAttr, Type> types;
  for (func::FuncOp entry : entries)
    for (auto get : entry.getOps<nn::GetOp>())
      for (Operation *user : get->getUsers())
        if (auto cast = dyn_cast<nn::CastOp>(user);
            cast && isLow(elementTypeOf(cast.getOutput())))
          types.try_emplace(get.getParameterAttr().getAttr(),
                            elementTypeOf(cast.getOutput()));
  return types;
}

void SlabLayout::group(ModuleOp module, ArrayRef<func::FuncOp> entries) {
  DenseMap<StringAttr, Type> lowTypes = findLowTypes(entries);
  DenseMap<Attribute, unsigned> gradients;
  DenseSet<Attribute> noDecay;
  if (apply) {
    for (auto [index, symbol] : llvm::enumerate(apply.getParameters()))
      gradients[symbol] = index;
    if (ArrayAttr symbols = apply.getNoDecayAttr())
      noDecay.insert(symbols.begin(), symbols.end());
  }
  for (auto parameter : module.getOps<nn::ParameterOp>()) {
    StringAttr name = parameter.getSymNameAttr();
    auto symbol = FlatSymbolRefAttr::get(name);
    ParameterGroup key;
    key.elementType =
        cast<RankedTensorType>(parameter.getType()).getElementType();
    if (key.elementType.isF32())
      key.lowType = lowTypes.lookup(name);
    auto gradient = gradients.find(symbol);
    if (gradient != gradients.end()) {
      Value value = accumulate ? accumulate.getGradients()[gradient->second]
                               : apply.getGradients()[gradient->second];
      key.gradientType = elementTypeOf(getGradientChain(value).raw);
      key.decay = !noDecay.contains(symbol);
    }
    auto same = [&](const ParameterGroup &g) {
      return g.elementType == key.elementType && g.lowType == key.lowType &&
             g.gradientType == key.gradientType && g.decay == key.decay;
    };
    auto found = llvm::find_if(groups, same);
    if (found == groups.end()) {
      groups.push_back(key);
      found = std::prev(groups.end());
    }
    found->parameters.push_back(parameter);
    found->order.push_back(gradient == gradients.end() ? 0 : gradient->second);
  }
}

void SlabLayout::place() {
  for (auto [index, group] : llvm::enumerate(groups)) {
    int64_t end = 0;
    for (nn::ParameterOp parameter : group.parameters) {
      int64_t offset = llvm::alignTo(end, alignment);
      group.offsets.push_back(offset);
      places[parameter.getSymNameAttr()] = {index, offset};
      end =
          offset + cast<RankedTensorType>(parameter.getType()).getNumElements();
    }
    group.size = llvm::alignTo(end, kBlockSize);
  }
}

//===----------------------------------------------------------------------===//
// Slabs
//===----------------------------------------------------------------------===//

static std::string nameOf(Type elementType) {
  std::string name;
  llvm::raw_string_ostream(name) << elementType;
  return name;
}

/// One slab of a group; its entries are named after their parameters.
static SlabOp addGroupSlab(OpBuilder &b, ParameterGroup &group,
                           const Twine &symbol, Type elementType,
                           StringRef suffix, StringRef role,
                           DenseF64ArrayAttr initial = {}) {
  SmallVector<Attribute> entries;
  for (auto [parameter, offset] : llvm::zip(group.parameters, group.offsets)) {
    std::string name = parameter.getSymName().str() + suffix.str();
    auto type = cast<RankedTensorType>(parameter.getType()).clone(elementType);
    entries.push_back(EntryAttr::get(b.getContext(), name, offset, type, role));
  }
  return SlabOp::create(b, group.parameters.front().getLoc(), symbol.str(),
                        RankedTensorType::get({group.size}, elementType),
                        b.getArrayAttr(entries), initial);
}

static double hyperOf(OptimizerOp optimizer, StringRef name) {
  return optimizer.getHyper().getAs<FloatAttr>(name).getValueAsDouble();
}

void SlabLayout::addSlabs(ModuleOp module) {
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  for (auto parameter : module.getOps<nn::ParameterOp>())
    b.setInsertionPointAfter(parameter);
  for (auto [index, group] : llvm::enumerate(groups)) {
    std::string prefix = "g" + std::to_string(index) + ".";
    group.slab = addGroupSlab(b, group, prefix + "parameter", group.elementType,
                              "", "parameter");
    if (group.lowType) {
      std::string low = nameOf(group.lowType);
      group.lowSlab = addGroupSlab(b, group, prefix + low, group.lowType,
                                   "/" + low, "low_precision");
    }
    if (!group.isTrained())
      continue;
    if (accumulate)
      group.gradientSlab =
          addGroupSlab(b, group, prefix + "gradient", b.getF32Type(),
                       "/gradient", "gradient");
    const Optimizer &rule = *findOptimizer(optimizer.getKind());
    for (const OptimizerSlot &slot :
         rule.slotsFor(Flags(optimizer.getFlags()))) {
      DenseF64ArrayAttr initial;
      if (!slot.initial.empty())
        initial = b.getDenseF64ArrayAttr(hyperOf(optimizer, slot.initial));
      group.slotSlabs.push_back(
          addGroupSlab(b, group, prefix + slot.name, b.getF32Type(),
                       ("/" + slot.name).str(), "slot", initial));
    }
    if (optimizer.getHyper().contains("ema_decay"))
      group.averageSlab = addGroupSlab(b, group, prefix + "ema", b.getF32Type(),
                                       "/ema", "slot");
  }
}

/// A slab of f64 scalars.
static SlabOp addNumberSlab(OpBuilder &b, Location loc, StringRef symbol,
                            StringRef prefix, StringRef role,
                            ArrayRef<NamedNumber> numbers) {
  SmallVector<Attribute> entries;
  SmallVector<double> initial;
  auto type = RankedTensorType::get({}, b.getF64Type());
  for (const NamedNumber &number : numbers) {
    entries.push_back(EntryAttr::get(b.getContext(),
                                     (prefix + number.name).str(),
                                     initial.size(), type, role));
    initial.push_back(number.value);
  }
  int64_t size = initial.size();
  return SlabOp::create(
      b, loc, symbol, RankedTensorType::get({size}, b.getF64Type()),
      b.getArrayAttr(entries), b.getDenseF64ArrayAttr(initial));
}

LogicalResult SlabLayout::addScalarSlabs(ModuleOp module) {
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  for (auto slab : module.getOps<SlabOp>())
    b.setInsertionPointAfter(slab);
  SmallVector<NamedNumber> hypers;
  for (Operation *op : {scaler ? scaler.getOperation() : nullptr,
                        optimizer ? optimizer.getOperation() : nullptr}) {
    if (!op)
      continue;
    auto values = op == scaler ? scaler.getSettings() : optimizer.getHyper();
    for (NamedAttribute entry : values) {
      StringRef name = entry.getName().getValue();
      hyperIndices[name] = hypers.size();
      hypers.push_back(
          {name, cast<FloatAttr>(entry.getValue()).getValueAsDouble()});
    }
  }
  if (!hypers.empty())
    hyperSlab = addNumberSlab(b, module.getLoc(), "state.hyperparameters",
                              "amp.hyper.", "hyperparameters", hypers);
  if (apply) {
    for (const NamedNumber &hyper : findOptimizer(optimizer.getKind())->hypers)
      if (!optimizer.getHyper().contains(hyper.name))
        return apply.emitOpError("needs hyper-parameter '")
               << hyper.name << "' of optimizer '" << optimizer.getSymName()
               << "'";
    optimizerSlab =
        addNumberSlab(b, apply.getLoc(), "state.optimizer", "amp.optimizer.",
                      "optimizer", findOptimizer(optimizer.getKind())->state);
  }
  if (!scaler)
    return success();
  auto kind = rt::findPolicy(scaler.getPolicy().str());
  if (!kind)
    return scaler.emitOpError("has unknown policy '")
           << scaler.getPolicy() << "'; known are " << rt::knownPolicies();
  rt::Settings settings = rt::settingsOf(*kind);
  for (NamedAttribute entry : scaler.getSettings()) {
    auto setting =
        rt::findSetting(rt::policyInfo(*kind), entry.getName().str());
    if (!setting)
      return scaler.emitOpError("of policy '")
             << scaler.getPolicy() << "' has no setting '"
             << entry.getName().getValue() << "'";
    settings[*setting] = cast<FloatAttr>(entry.getValue()).getValueAsDouble();
  }
  auto type =
      RankedTensorType::get({int64_t(rt::kNumStateSlots)}, b.getF64Type());
  auto entry =
      EntryAttr::get(b.getContext(), "amp.loss_scale", 0, type, "loss_scale");
  scaleSlab = SlabOp::create(
      b, scaler.getLoc(), "state.loss_scale", type, b.getArrayAttr(entry),
      b.getDenseF64ArrayAttr(rt::initialState(*kind, settings)));
  return success();
}
