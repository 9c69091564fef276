// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grouping of parameters, and the layout of all state.
#include "passes/AMP/SlabLayout.h"

#include "dialects/AMP/RandomState.h"
#include "dialects/Interfaces/Precision.h"
#include "dialects/Kernel/KernelDialect.h"
#include "passes/AMP/Passes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

/// 64 bytes in elements of 16 bits, the narrowest type of a slab.
static constexpr int64_t kAlignment = 32;

static Type elementTypeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

//===----------------------------------------------------------------------===//
// The state of one optimizer, the state of one group
//===----------------------------------------------------------------------===//

StringAttr OptimizerState::name() const {
  return SymbolTable::getSymbolName(trainer());
}

bool ParameterGroup::sharesSlabsWith(const ParameterGroup &other) const {
  return elementType == other.elementType && lowType == other.lowType &&
         gradientType == other.gradientType && decay == other.decay &&
         numbers == other.numbers && optimizer == other.optimizer &&
         assigned == other.assigned;
}

void ParameterGroup::place(int64_t numElements, int64_t alignment) {
  offsets.push_back(llvm::alignTo(end, alignment));
  end = offsets.back() + numElements;
  size = llvm::alignTo(end, kBlockSize);
}

int64_t ParameterGroup::partSize() const {
  return kernel::partOf(size, parts, kBlockSize);
}

SmallVector<int64_t> ParameterGroup::blocks() const {
  SmallVector<int64_t> counts;
  for (auto [index, offset] : llvm::enumerate(offsets)) {
    int64_t end = index + 1 == offsets.size() ? size : offsets[index + 1];
    counts.push_back((end - offset) / kBlockSize);
  }
  return counts;
}

//===----------------------------------------------------------------------===//
// What entries do with state
//===----------------------------------------------------------------------===//

SlabLayout::SlabLayout(Operation *op) : module_(cast<ModuleOp>(op)) {
  entries_ = llvm::filter_to_vector(module_.getOps<func::FuncOp>(), isEntry);
  valid_ = succeeded(findState()) && succeeded(checkSums());
  if (!valid_)
    return;
  group();
  place();
}

SlabLayout::Place SlabLayout::lookup(StringAttr parameter) {
  auto [group, offset] = places_.at(parameter);
  return {&groups_[group], offset};
}

SmallVector<ParameterGroup *>
SlabLayout::groupsOf(const OptimizerState &optimizer) {
  SmallVector<ParameterGroup *> found;
  for (ParameterGroup &group : groups_)
    if (group.optimizer == optimizer.name())
      found.push_back(&group);
  return found;
}

LogicalResult SlabLayout::findState() {
  alignment_ = kAlignment;
  for (auto op : module_.getOps<ScalerOp>())
    if (failed(addScaler(op)))
      return failure();
  for (auto op : module_.getOps<OptimizerInterface>())
    if (failed(addOptimizer(op)))
      return failure();
  for (func::FuncOp entry : entries_)
    findUses(entry);
  return success();
}

/// Records the parameters that `op` trains. Every step of an optimizer updates
/// the same parameters, and a parameter has one optimizer. Slots and groups
/// follow from that.
LogicalResult SlabLayout::addOptimizer(OptimizerInterface op) {
  OptimizerState &state = optimizers_[SymbolTable::getSymbolName(op)];
  state.op = op;
  for (auto [index, symbol] : llvm::enumerate(op.getTrains())) {
    auto [it, isNew] = trainers_.try_emplace(symbol, state.name(),
                                             static_cast<unsigned>(index));
    if (!isNew)
      return op.emitOpError()
             << "trains '" << cast<FlatSymbolRefAttr>(symbol).getValue()
             << "', which '" << it->second.first.getValue()
             << "' trains already";
  }
  return success();
}

void SlabLayout::findUses(func::FuncOp entry) {
  for (auto op : entry.getOps<GatherOp>())
    if (OptimizerState &state = optimizer(op.getType()); !state.gathered)
      state.gathered = op;
  for (auto op : entry.getOps<ApplyOp>()) {
    OptimizerState &state = optimizer(op.getGradients().getType());
    state.applies = true;
    state.parts = cast<GradientsType>(op.getGradients().getType()).getParts();
  }
  for (auto op : entry.getOps<AccumulateOp>()) {
    OptimizerState &state = optimizer(op.getGradients().getType());
    state.accumulates = true;
    state.pairsOf = op.getPairsOf().value_or(0);
  }
  for (auto op : entry.getOps<ExchangeOp>())
    optimizer(op.getInput().getType()).exchanges = true;
  for (auto op : entry.getOps<AssignOp>())
    assigned_.insert(op.getParameterAttr());
  // A transform of single tensors works on blocks, so that a block must hold
  // elements of one tensor only.
  for (auto op : entry.getOps<GradientTransformInterface>())
    if (op.needsTensors())
      alignment_ = kBlockSize;
  for (auto &[name, state] : optimizers_)
    if (state.applies && state.op.needsTensors())
      alignment_ = kBlockSize;
}

/// Checks that accumulated gradients are taken somewhere, and the reverse.
LogicalResult SlabLayout::checkSums() const {
  auto *self = const_cast<SlabLayout *>(this);
  for (func::FuncOp entry : self->entries_) {
    for (auto op : entry.getOps<TakeGradientsOp>())
      if (const OptimizerState &state = self->optimizer(op.getType());
          !state.accumulates)
        return op.emitOpError("takes gradients that nothing accumulates");
      else if (state.pairsOf != op.getPairsOf().value_or(0))
        return op.emitOpError("takes gradients that are summed otherwise: ")
               << "'pairs_of' differs from the amp.accumulate's";
    for (auto op : entry.getOps<AccumulateOp>())
      if (!self->optimizer(op.getGradients().getType()).applies)
        return op.emitOpError("adds up gradients that nothing applies");
  }
  return success();
}

LogicalResult SlabLayout::addScaler(ScalerOp op) {
  auto kind = rt::findPolicy(op.getPolicy().str());
  if (!kind)
    return op.emitOpError("has unknown policy '")
           << op.getPolicy() << "'; known are " << rt::knownPolicies();
  ScalerState &state = scalers_[op.getSymNameAttr()];
  state.op = op;
  state.policy = *kind;
  state.settings = rt::settingsOf(*kind);
  for (NamedAttribute entry : op.getSettings()) {
    auto setting =
        rt::findSetting(rt::policyInfo(*kind), entry.getName().str());
    if (!setting)
      return op.emitOpError("of policy '")
             << op.getPolicy() << "' has no setting '"
             << entry.getName().getValue() << "'";
    state.settings[*setting] =
        cast<FloatAttr>(entry.getValue()).getValueAsDouble();
  }
  rt::Status status = rt::validateSettings(*kind, state.settings);
  if (!status.ok())
    return op.emitOpError("cannot train: ") << status.message();
  return success();
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// The entries that decide about 16-bit copies. An evaluation beside a step
/// uses the step's copies and adds none of its own, because groups, and with
/// them the bits of norms, depend on the copies.
static SmallVector<func::FuncOp>
entriesThatAskForCopies(ArrayRef<func::FuncOp> entries) {
  if (llvm::all_of(entries, isEvaluation))
    return llvm::to_vector(entries);
  return llvm::filter_to_vector(
      entries, [](func::FuncOp entry) { return !isEvaluation(entry); });
}

/// The 16-bit type in which entries read each parameter, if any.
static DenseMap<StringAttr, Type> findLowTypes(ArrayRef<func::FuncOp> entries) {
  DenseMap<StringAttr, Type> types;
  for (func::FuncOp entry : entriesThatAskForCopies(entries))
    for (auto get : entry.getOps<nn::GetOp>())
      for (Operation *user : get->getUsers())
        if (auto cast = dyn_cast<nn::CastOp>(user);
            cast && isLowPrecision(elementTypeOf(cast.getOutput())))
          types.try_emplace(get.getParameterAttr().getAttr(),
                            elementTypeOf(cast.getOutput()));
  return types;
}

/// Fills in the properties of a parameter's group that follow from the
/// optimizer that trains it.
static void setTrainer(ParameterGroup &key, const OptimizerState &state,
                       Attribute symbol, unsigned index) {
  key.gradientType =
      state.gathered
          ? elementTypeOf(GatherOp(state.gathered).getGradients()[index])
          : Type(Float32Type::get(symbol.getContext()));
  ArrayAttr noDecay = state.trainer().getNoDecayAttr();
  key.decay = !noDecay || !llvm::is_contained(noDecay, symbol);
  for (auto [number, group] : llvm::enumerate(state.trainer().getAllGroups()))
    if (!group.getHyper().empty() &&
        llvm::is_contained(group.getTrains(), symbol))
      key.numbers = number + 1;
  key.optimizer = state.name();
  key.parts = state.parts;
}

/// Whether `get` is read in `lowType` alone, so that its 16-bit copy serves.
static bool isReadAsCopy(nn::GetOp get, Type lowType) {
  return llvm::all_of(get->getUsers(), [&](Operation *user) {
    auto cast = dyn_cast<nn::CastOp>(user);
    return cast && elementTypeOf(cast.getOutput()) == lowType;
  });
}

/// The parameters that `entries` read as they are.
static DenseSet<StringAttr>
findWholeReads(ArrayRef<func::FuncOp> entries,
               const DenseMap<StringAttr, Type> &lowTypes) {
  DenseSet<StringAttr> found;
  for (func::FuncOp entry : entries)
    for (auto get : entry.getOps<nn::GetOp>()) {
      StringAttr name = get.getParameterAttr().getAttr();
      if (!isReadAsCopy(get, lowTypes.lookup(name)))
        found.insert(name);
    }
  return found;
}

void SlabLayout::group() {
  DenseMap<StringAttr, Type> lowTypes = findLowTypes(entries_);
  for (auto parameter : module_.getOps<nn::ParameterOp>()) {
    StringAttr name = parameter.getSymNameAttr();
    auto symbol = FlatSymbolRefAttr::get(name);
    ParameterGroup key;
    key.elementType =
        cast<RankedTensorType>(parameter.getType()).getElementType();
    if (key.elementType.isF32())
      key.lowType = lowTypes.lookup(name);
    if (assigned_.contains(symbol))
      key.assigned = symbol;
    auto [trainer, index] = trainers_.lookup(symbol);
    if (trainer && optimizer(trainer).applies)
      setTrainer(key, optimizer(trainer), symbol, index);
    auto found = llvm::find_if(groups_, [&](const ParameterGroup &g) {
      return g.sharesSlabsWith(key);
    });
    if (found == groups_.end()) {
      groups_.push_back(key);
      found = std::prev(groups_.end());
    }
    found->parameters.push_back(parameter);
    found->order.push_back(index);
  }
  DenseSet<StringAttr> wholeReads = findWholeReads(entries_, lowTypes);
  for (ParameterGroup &group : groups_)
    group.dividesParameters =
        group.parts > 1 && group.lowType &&
        llvm::none_of(group.parameters, [&](nn::ParameterOp parameter) {
          return wholeReads.contains(parameter.getSymNameAttr());
        });
}

void SlabLayout::place() {
  for (auto [index, group] : llvm::enumerate(groups_))
    for (nn::ParameterOp parameter : group.parameters) {
      group.place(cast<RankedTensorType>(parameter.getType()).getNumElements(),
                  alignment_);
      places_[parameter.getSymNameAttr()] = {index, group.offsets.back()};
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

static SlabOp addGroupSlab(OpBuilder &b, ParameterGroup &group,
                           const Twine &symbol, Type elementType,
                           ArrayRef<Attribute> entries,
                           DenseF64ArrayAttr initial = {}) {
  return SlabOp::create(b, group.parameters.front().getLoc(), symbol.str(),
                        RankedTensorType::get({group.size}, elementType),
                        b.getArrayAttr(entries), initial);
}

/// Lets each rank have a part of `slab`.
static void divide(SlabOp slab, const ParameterGroup &group) {
  auto type = cast<RankedTensorType>(slab.getType());
  slab.setType(type.clone({group.partSize()}));
  slab.setParts(group.parts);
}

/// A slab of a group that holds, for each parameter, its tensor called `key`.
static SlabOp addPartSlab(OpBuilder &b, ParameterGroup &group,
                          const std::string &prefix, StringRef key,
                          Type elementType, rt::StateRole role,
                          DenseF64ArrayAttr initial = {}) {
  SmallVector<Attribute> entries;
  for (auto [parameter, offset] : llvm::zip(group.parameters, group.offsets)) {
    std::string name = (parameter.getSymName() + "/" + key).str();
    auto type = cast<RankedTensorType>(parameter.getType()).clone(elementType);
    entries.push_back(EntryAttr::get(b.getContext(), name, offset, type, role,
                                     parameter.getSymNameAttr(),
                                     b.getStringAttr(key)));
  }
  return addGroupSlab(b, group, prefix + key, elementType, entries, initial);
}

/// The role of a declared tensor in the step. A frozen parameter that the step
/// writes is not a weight but state of the step.
static rt::StateRole roleOf(nn::ParameterOp parameter, bool isWritten) {
  if (!isWritten || !parameter.getFrozen())
    return rt::StateRole::Parameter;
  if (getBatchesOf(parameter))
    return rt::StateRole::Gradient;
  return getPendingOf(parameter) ? rt::StateRole::Pending
                                 : rt::StateRole::Buffer;
}

/// The slab that holds the parameters of a group themselves.
static SlabOp addParameterSlab(OpBuilder &b, ParameterGroup &group,
                               const std::string &prefix) {
  SmallVector<Attribute> entries;
  for (auto [parameter, offset] : llvm::zip(group.parameters, group.offsets)) {
    rt::StateRole role = roleOf(parameter, group.assigned != nullptr);
    StringAttr owner, key;
    if (role == rt::StateRole::Pending) {
      owner = getPendingOf(parameter).getAttr();
      key = b.getStringAttr("pending");
    }
    if (role == rt::StateRole::Gradient) {
      owner = getBatchesOf(parameter).getAttr();
      key = b.getStringAttr("batches");
    }
    entries.push_back(EntryAttr::get(
        b.getContext(), parameter.getSymName(), offset,
        cast<RankedTensorType>(parameter.getType()), role, owner, key));
  }
  return addGroupSlab(b, group, prefix + "parameter", group.elementType,
                      entries);
}

void SlabLayout::addSlabs() {
  OpBuilder b = OpBuilder::atBlockBegin(module_.getBody());
  for (auto parameter : module_.getOps<nn::ParameterOp>())
    b.setInsertionPointAfter(parameter);
  for (auto [index, group] : llvm::enumerate(groups_)) {
    std::string prefix = "g" + std::to_string(index) + ".";
    group.slab = addParameterSlab(b, group, prefix);
    if (group.lowType)
      group.lowSlab = addPartSlab(b, group, prefix, nameOf(group.lowType),
                                  group.lowType, rt::StateRole::LowPrecision);
    if (group.isTrained())
      addGradientSlabs(b, group, prefix);
    if (group.parts > 1)
      llvm::for_each(group.slotSlabs,
                     [&](SlabOp slab) { divide(slab, group); });
    if (group.dividesParameters)
      divide(group.slab, group);
    if (group.dividesParameters && group.averageSlab)
      divide(group.averageSlab, group);
  }
  addScalarSlabs();
}

/// Adds the slabs that a trained group has beside its parameters: the sum of
/// its gradients and the slots of the optimizer.
void SlabLayout::addGradientSlabs(OpBuilder &b, ParameterGroup &group,
                                  const std::string &prefix) {
  const OptimizerState &state = optimizer(cast<StringAttr>(group.optimizer));
  if (state.accumulates)
    for (uint64_t part = 1; part <= std::max<uint64_t>(state.pairsOf, 1);
         part *= 2)
      group.gradientSlabs.push_back(addPartSlab(
          b, group, prefix,
          part == 1 ? "gradient" : "gradient." + std::to_string(part),
          b.getF32Type(), rt::StateRole::Gradient));
  addSlotSlabs(b, group, prefix);
  if (state.trainer().keepsAverage())
    group.averageSlab = addPartSlab(b, group, prefix, "ema", b.getF32Type(),
                                    rt::StateRole::Average);
}

void SlabLayout::addSlotSlabs(OpBuilder &b, ParameterGroup &group,
                              const std::string &prefix) {
  const OptimizerState &state = optimizer(cast<StringAttr>(group.optimizer));
  for (const SlotTensor &slot : state.trainer().getAllSlots())
    group.slotSlabs.push_back(addPartSlab(
        b, group, prefix, slot.name, slot.elementType, rt::StateRole::Slot,
        slot.initial ? b.getDenseF64ArrayAttr(*slot.initial)
                     : DenseF64ArrayAttr()));
}

namespace {

/// A number that a slab of scalars holds.
struct StateNumber {
  rt::StateRole role;
  /// The optimizer or scaler that owns the number; null if there is only one.
  StringAttr owner;
  StringRef key;
  double value;
};

} // namespace

/// "NAME." as the prefix of names that belong to one of several owners; empty
/// for a single owner.
static std::string prefixOf(StringAttr owner) {
  return owner ? owner.str() + "." : std::string();
}

/// A slab of f64 scalars, whose names begin with `prefix`.
static SlabOp addNumberSlab(OpBuilder &b, Location loc, const Twine &symbol,
                            const Twine &prefix,
                            ArrayRef<StateNumber> numbers) {
  SmallVector<Attribute> entries;
  SmallVector<double> initial;
  auto type = RankedTensorType::get({}, b.getF64Type());
  for (const StateNumber &number : numbers) {
    std::string name = (prefix + prefixOf(number.owner) + number.key).str();
    entries.push_back(EntryAttr::get(b.getContext(), name, initial.size(), type,
                                     number.role, number.owner,
                                     b.getStringAttr(number.key)));
    initial.push_back(number.value);
  }
  int64_t size = initial.size();
  return SlabOp::create(
      b, loc, symbol.str(), RankedTensorType::get({size}, b.getF64Type()),
      b.getArrayAttr(entries), b.getDenseF64ArrayAttr(initial));
}

/// The owner's name where a module has several of a kind, so that each has its
/// own names in the state; else null.
template <typename States>
static StringAttr ownerAmong(const States &states, StringAttr name) {
  return states.size() > 1 ? name : StringAttr();
}

/// ".NAME" as the suffix of the symbol of a slab that belongs to one of several
/// owners; empty for a single owner.
static std::string suffixOf(StringAttr owner) {
  return owner ? "." + owner.str() : std::string();
}

void SlabLayout::addHyperSlab(OpBuilder &b, Location loc) {
  SmallVector<StateNumber> numbers;
  auto add = [&](StringAttr name, const StateNumber &number) {
    hyperIndices_[name][number.key] = numbers.size();
    numbers.push_back(number);
  };
  for (auto &[name, state] : scalers_)
    for (size_t i = 0; i != rt::kNumSettings; ++i) {
      auto setting = static_cast<rt::Setting>(i);
      if (rt::policyInfo(state.policy).reads(setting))
        add(name, {rt::StateRole::Setting, ownerAmong(scalers_, name),
                   rt::settingKey(setting), state.settings[setting]});
    }
  for (auto &[name, state] : optimizers_)
    for (const NamedNumber &number : state.op.getAllHypers())
      add(name, {rt::StateRole::Hyperparameters, ownerAmong(optimizers_, name),
                 number.name, number.value});
  if (!numbers.empty())
    hyperSlab = addNumberSlab(b, loc, "state.hyperparameters",
                              StringRef(rt::kHyperPrefix), numbers);
}

/// Adds the counters of `state`, and in a window the counter of its batches.
void SlabLayout::addCounterSlabs(OpBuilder &b, OptimizerState &state) {
  StringAttr owner = ownerAmong(optimizers_, state.name());
  Location loc = state.op.getLoc();
  std::string prefix = std::string(rt::kOptimizerName) + ".";
  if (state.applies) {
    SmallVector<StateNumber> numbers;
    for (const NamedNumber &number : state.op.getScalarState())
      numbers.push_back(
          {rt::StateRole::Optimizer, owner, number.name, number.value});
    state.scalars = addNumberSlab(b, loc, "state.optimizer" + suffixOf(owner),
                                  prefix, numbers);
  }
  // A rank with one batch keeps the counter that one process has for the same
  // window, so that both have the same checkpoints.
  bool draws = state.trainer().getHyper().contains(kRandomSeed);
  if (state.pairsOf > 0 || state.exchanges || (state.accumulates && draws))
    state.batches = addNumberSlab(
        b, loc, "state.batches" + suffixOf(owner), prefix,
        StateNumber{rt::StateRole::Optimizer, owner, "batches", 0.0});
}

/// Adds the state vector of a loss scaler.
void SlabLayout::addScalerSlab(OpBuilder &b, ScalerState &state) {
  StringAttr owner = ownerAmong(scalers_, state.op.getSymNameAttr());
  std::string suffix = suffixOf(owner);
  auto type =
      RankedTensorType::get({int64_t(rt::kNumStateSlots)}, b.getF64Type());
  auto entry =
      EntryAttr::get(b.getContext(), std::string(rt::kScalerName) + suffix, 0,
                     type, rt::StateRole::LossScale, owner, StringAttr());
  state.slab = SlabOp::create(
      b, state.op.getLoc(), "state.loss_scale" + suffix, type,
      b.getArrayAttr(entry),
      b.getDenseF64ArrayAttr(rt::initialState(state.policy, state.settings)));
  state.slab.setWideScale(!rt::policyInfo(state.policy).scaleIsF32);
}

void SlabLayout::addScalarSlabs() {
  OpBuilder b = OpBuilder::atBlockBegin(module_.getBody());
  for (auto slab : module_.getOps<SlabOp>())
    b.setInsertionPointAfter(slab);
  addHyperSlab(b, module_.getLoc());
  for (auto &[name, state] : optimizers_)
    addCounterSlabs(b, state);
  for (auto &[name, state] : scalers_)
    addScalerSlab(b, state);
}
