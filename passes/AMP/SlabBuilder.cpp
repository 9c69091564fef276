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
  auto type = cast<RankedTensorType>(SlabOp(group.lowSlab).getType());
  if (saturates)
    return SaturateCastOp::create(b_, loc_, type, parameters);
  return nn::CastOp::create(b_, loc_, type, parameters);
}

void SlabBuilder::storeParameters(ParameterGroup &group, Value parameters) {
  store(group.slab, parameters);
  if (group.lowSlab)
    store(group.lowSlab, copyOf(group, parameters));
}
