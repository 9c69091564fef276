// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records of precision decisions in locations.
#include "passes/NN/PrecisionRecord.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mpc::nn;

void mpc::nn::setPrecisionRecord(Operation *op, const PrecisionRecord &record) {
  MLIRContext *context = op->getContext();
  Builder b(context);
  NamedAttribute entries[] = {
      {b.getStringAttr("rule"), b.getStringAttr(record.rule)},
      {b.getStringAttr("source"), b.getStringAttr(record.source)},
      {b.getStringAttr("type"), b.getStringAttr(record.type)},
      {b.getStringAttr("why"), b.getStringAttr(record.why)}};
  op->setLoc(FusedLoc::get({op->getLoc()},
                           DictionaryAttr::get(context, entries), context));
}

std::optional<PrecisionRecord> mpc::nn::getPrecisionRecord(Operation *op) {
  auto fused = dyn_cast<FusedLoc>(op->getLoc());
  auto entries =
      fused ? dyn_cast_or_null<DictionaryAttr>(fused.getMetadata()) : nullptr;
  if (!entries)
    return std::nullopt;
  auto text = [&](StringRef name) {
    auto attribute = entries.getAs<StringAttr>(name);
    return attribute ? attribute.getValue() : StringRef();
  };
  return PrecisionRecord{text("rule"), text("source"), text("type"),
                         text("why")};
}
