// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that read and write slabs.
#include "passes/AMP/SlabBuilder.h"

#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/Gradient.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

Value SlabBuilder::load(SlabOp slab) {
  return LoadOp::create(b_, loc_, slab.getType(), slab.getSymName());
}

void SlabBuilder::store(SlabOp slab, Value value) {
  StoreOp::create(b_, loc_, value, slab.getSymName());
}

Value SlabBuilder::view(Value slab, int64_t offset, RankedTensorType type) {
  return kernel::ViewOp::create(b_, loc_, type, slab, offset);
}

Value SlabBuilder::loadPart(const ParameterGroup &group, SlabOp slab) {
  Value loaded = load(slab);
  if (group.parts == 1 || slab.getParts() > 1)
    return loaded;
  auto type = cast<RankedTensorType>(loaded.getType());
  return kernel::CollectiveOp::create(
             b_, loc_, TypeRange(type.clone({group.partSize()})),
             kernel::CollectiveKind::TakePart, group.parts, loaded)
      .getResult(0);
}

SmallVector<Value> SlabBuilder::gather(ArrayRef<Part> parts, int64_t ranks) {
  SmallVector<Value> inputs;
  SmallVector<Type> types;
  for (const Part &part : parts) {
    inputs.push_back(part.own);
    types.push_back(
        cast<RankedTensorType>(part.own.getType()).clone({part.elements}));
  }
  if (parts.empty())
    return {};
  auto op = kernel::CollectiveOp::create(
      b_, loc_, types, kernel::CollectiveKind::AllGather, ranks, inputs);
  return llvm::to_vector_of<Value>(op.getResults());
}

Value SlabBuilder::element(SlabOp slab, int64_t index) {
  return view(load(slab), index, RankedTensorType::get({}, b_.getF64Type()));
}

void SlabBuilder::storeElements(SlabOp slab, ValueRange elements) {
  auto offsets = llvm::to_vector(llvm::seq<int64_t>(0, elements.size()));
  store(slab,
        kernel::PackOp::create(b_, loc_, slab.getType(), elements, offsets));
}

Value SlabBuilder::number(StringAttr owner, StringRef name) {
  return element(layout.hyperSlab, layout.hyperIndex(owner, name));
}

Value SlabBuilder::pack(const ParameterGroup &group, SmallVector<Value> parts) {
  Type type = getElementTypeOrSelf(parts.front());
  if (!llvm::all_of(parts, [&](Value part) {
        return getElementTypeOrSelf(part) == type;
      })) {
    type = b_.getF32Type();
    for (Value &part : parts)
      part = nn::GradientBuilder(b_, loc_).cast(part, type);
  }
  return kernel::PackOp::create(b_, loc_,
                                RankedTensorType::get({group.size}, type),
                                parts, group.offsets);
}

Value SlabBuilder::copyOf(const ParameterGroup &group, Value parameters) {
  auto type = cast<RankedTensorType>(parameters.getType()).clone(group.lowType);
  if (saturates)
    return SaturateCastOp::create(b_, loc_, type, parameters);
  return nn::CastOp::create(b_, loc_, type, parameters);
}

Value SlabBuilder::makeCopies(const ParameterGroup &group) {
  Value copies = copyOf(group, load(group.slab));
  return group.dividesParameters ? gather(group, copies) : copies;
}

void SlabBuilder::storeParameters(ParameterGroup &group, Value parameters) {
  store(group.slab, parameters);
  if (group.lowSlab)
    store(group.lowSlab, copyOf(group, parameters));
}
