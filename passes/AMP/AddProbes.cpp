// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp-add-probes: makes entries yield the largest magnitude of each value.
#include "passes/AMP/Passes.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/Interfaces/NodeNames.h"
#include "dialects/NN/EntryNames.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <cmath>

namespace mpc::amp {
#define GEN_PASS_DEF_ADDPROBESPASS
#include "passes/AMP/Passes.h.inc"
} // namespace mpc::amp

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

/// The file that `loc` names; empty where it names none.
static std::string fileOf(Location loc) {
  std::string result;
  loc->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    // Locations made by the module itself have line 0.
    if (!file || file.getLine() == 0)
      return WalkResult::advance();
    result =
        (file.getFilename().getValue() + ":" + Twine(file.getLine())).str();
    return WalkResult::interrupt();
  });
  return result;
}

/// Whether `op` is a constant with infinities, or with numbers that become
/// infinite in f16, as the least f32 in masks.
static bool holdsInfinity(Operation *op) {
  DenseFPElementsAttr elements;
  if (auto constant = dyn_cast<nn::ConstantOp>(op))
    elements = dyn_cast<DenseFPElementsAttr>(constant.getValue());
  constexpr double kLargestF16 = 65504.0;
  return elements && llvm::any_of(elements, [](const APFloat &element) {
           return std::abs(element.convertToDouble()) > kLargestF16;
         });
}

namespace {

class ProbeWriter {
public:
  explicit ProbeWriter(func::FuncOp function)
      : function_(function), b_(function.getContext()) {}

  void run() {
    Block &body = function_.getBody().front();
    findGradients();
    findUsed();
    SmallVector<Operation *> ops;
    for (Operation &op : body.without_terminator())
      ops.push_back(&op);
    b_.setInsertionPointToStart(&body);
    for (BlockArgument argument : body.getArguments())
      add(argument, inputOrigin(argument));
    for (Operation *op : ops)
      addResults(op);
    finish();
  }

private:
  /// The description of a value, before a site for it exists.
  struct Origin {
    std::string op, node, file;
    SmallVector<int64_t> inputs;
    bool isGradient = false, readsInfinity = false;
  };
  /// One result of the entry that is being written: a probed tensor.
  struct Site {
    Value largest;
    SiteAttr attribute;
  };

  /// Finds the parameter of each gradient. A gradient is a value gathered for
  /// an optimizer, or one from which that value follows by casts and transforms
  /// alone.
  void findGradients() {
    for (auto gather : function_.getBody().front().getOps<GatherOp>())
      for (auto [gradient, symbol] :
           llvm::zip_equal(gather.getGradients(), trainedBy(gather.getType())))
        nameTransformed(gradient, cast<FlatSymbolRefAttr>(symbol).getAttr());
  }

  ArrayAttr trainedBy(GradientsType type) {
    return SymbolTable::lookupNearestSymbolFrom<OptimizerInterface>(
               function_, type.getOptimizer())
        .getTrains();
  }

  void nameTransformed(Value gradient, StringAttr parameter) {
    while (gradientNames_.try_emplace(gradient, parameter).second) {
      Operation *op = gradient.getDefiningOp();
      if (!isa_and_present<nn::CastOp, GradientTransformInterface>(op))
        return;
      gradient = op->getOperand(0);
    }
  }

  /// Finds the values that a step returns, checks, or updates its state with.
  void findUsed() {
    for (Operation &op : function_.getBody().front())
      if (isa<CheckOp, GatherOp>(op) || op.hasTrait<OpTrait::IsTerminator>() ||
          !isMemoryEffectFree(&op))
        used_.insert_range(op.getOperands());
  }

  static Origin inputOrigin(BlockArgument argument) {
    StringAttr name = nn::getArgumentName(argument);
    Origin origin;
    origin.op = "input";
    origin.node = name ? name.str() : "";
    return origin;
  }

  static StringRef nodeOf(Operation *op) {
    if (auto reader = dyn_cast<StateOpInterface>(op))
      return reader.getStateName();
    return getNodeName(op->getLoc());
  }

  Origin originOf(Operation *op) {
    Origin origin;
    origin.op = op->getName().getStringRef().str();
    origin.node = nodeOf(op).str();
    origin.file = fileOf(op->getLoc());
    origin.isGradient = isGradient(op->getLoc());
    for (Value operand : op->getOperands()) {
      llvm::append_range(origin.inputs, sitesOf_.lookup(operand));
      origin.readsInfinity |= infinities_.contains(operand);
    }
    return origin;
  }

  void addResults(Operation *op) {
    // Constants and settings are the author's choice, so that they need no
    // probe.
    if (op->hasTrait<OpTrait::ConstantLike>() || isa<GetHyperOp>(op)) {
      if (holdsInfinity(op))
        infinities_.insert_range(op->getResults());
      return;
    }
    b_.setInsertionPointAfter(op);
    for (Value result : op->getResults())
      if (auto type = dyn_cast<GradientsType>(result.getType()))
        addGradients(op, result, trainedBy(type));
      else
        add(result, originOf(op));
  }

  /// Adds a site for the gradient of each parameter. Gathered gradients have
  /// sites already, and a rank's part of them has no tensor of a parameter.
  void addGradients(Operation *op, Value gradients, ArrayAttr parameters) {
    if (isa<GatherOp>(op) ||
        cast<GradientsType>(gradients.getType()).getParts() != 1) {
      for (Value gradient : op->getOperands())
        llvm::append_range(sitesOf_[gradients], sitesOf_.lookup(gradient));
      return;
    }
    SmallVector<Type> types;
    for (auto symbol : parameters.getAsRange<FlatSymbolRefAttr>())
      types.push_back(cast<RankedTensorType>(
                          SymbolTable::lookupNearestSymbolFrom<nn::ParameterOp>(
                              function_, symbol)
                              .getType())
                          .clone(b_.getF32Type()));
    auto parts = SplitOp::create(b_, op->getLoc(), types, gradients);
    SmallVector<int64_t> sources = op->getNumOperands() == 0
                                       ? SmallVector<int64_t>()
                                       : sitesOf_.lookup(op->getOperand(0));
    SmallVector<int64_t> made;
    for (auto [index, part] : llvm::enumerate(parts.getGradients())) {
      gradientNames_[part] =
          cast<FlatSymbolRefAttr>(parameters[index]).getAttr();
      if (used_.contains(gradients))
        used_.insert(part);
      // Only the origin from which the parameter's gradient was computed.
      Origin origin = originOf(op);
      if (index < sources.size())
        origin.inputs = {sources[index]};
      made.push_back(sites_.size());
      add(part, origin);
    }
    sitesOf_[gradients] = made;
  }

  void add(Value value, const Origin &origin) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !isa<FloatType>(type.getElementType()) ||
        type.getNumElements() == 0)
      return;
    auto attribute = SiteAttr::get(
        b_.getContext(), origin.op, origin.node, type, textOf(origin.file),
        origin.inputs.empty() ? DenseI64ArrayAttr()
                              : b_.getDenseI64ArrayAttr(origin.inputs),
        gradientNames_.lookup(value), origin.isGradient, used_.contains(value),
        origin.readsInfinity);
    sitesOf_[value] = {static_cast<int64_t>(sites_.size())};
    sites_.push_back({largestOf(value, type), attribute});
  }

  StringAttr textOf(StringRef text) {
    return text.empty() ? StringAttr() : b_.getStringAttr(text);
  }

  /// The magnitude of an f64 tensor is taken in f64, since a finite f64 may
  /// exceed f32.
  Value largestOf(Value value, RankedTensorType type) {
    nn::GradientBuilder g(b_, value.getLoc());
    Value row = g.reshape(value, {1, type.getNumElements()});
    Type element = type.getElementType();
    auto result = RankedTensorType::get(
        {1}, element.isF64() ? element : Type(b_.getF32Type()));
    if (!element.isF64())
      return BlockMaxAbsOp::create(b_, g.loc, result, row);
    Value magnitudes = nn::AbsOp::create(b_, g.loc, row);
    return nn::ReduceMaxOp::create(b_, g.loc, result, magnitudes,
                                   ArrayRef<int64_t>{1});
  }

  void finish() {
    SmallVector<Value> values;
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> attributes;
    for (auto [index, site] : llvm::enumerate(sites_)) {
      values.push_back(site.largest);
      types.push_back(site.largest.getType());
      attributes.push_back(b_.getDictionaryAttr(
          {nn::nameAttribute(b_, "site" + Twine(index)),
           b_.getNamedAttr(AMPDialect::SiteAttrHelper::getNameStr(),
                           site.attribute)}));
    }
    function_.getBody().front().getTerminator()->setOperands(values);
    function_.removeResAttrsAttr();
    function_.setFunctionType(
        b_.getFunctionType(function_.getArgumentTypes(), types));
    function_.setAllResultAttrs(attributes);
  }

  func::FuncOp function_;
  OpBuilder b_;
  /// The parameter of each value that is a gradient.
  DenseMap<Value, StringAttr> gradientNames_;
  DenseSet<Value> used_;
  /// Constants with infinities on purpose, such as masks.
  DenseSet<Value> infinities_;
  /// The sites of each value: one for a tensor, and one a parameter for
  /// gradients.
  DenseMap<Value, SmallVector<int64_t>> sitesOf_;
  SmallVector<Site> sites_;
};

struct AddProbesPass : mpc::amp::impl::AddProbesPassBase<AddProbesPass> {
  using AddProbesPassBase::AddProbesPassBase;

  void runOnOperation() override {
    bool hasEntry = false;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (!isEntry(function))
        continue;
      hasEntry = true;
      ProbeWriter(function).run();
    }
    if (hasEntry)
      return;
    getOperation().emitError("has no entry: a function with amp.entry");
    signalPassFailure();
  }
};

} // namespace
