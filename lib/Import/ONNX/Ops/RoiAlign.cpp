// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's RoiAlign.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/Build/RoiAlign.h"
#include "lib/Import/ImportError.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

Expected<RoiAlignment> readAlignment(NodeImporter &node) {
  StringRef mode = node.stringAttr("mode", "avg");
  StringRef transformation =
      node.stringAttr("coordinate_transformation_mode", "half_pixel");
  int64_t samples = node.intAttr("sampling_ratio", 0);
  if (mode != "avg" || samples < 1 || samples > 64)
    return node.fail("mode '" + printable(mode) + "' with sampling_ratio " +
                     Twine(samples) +
                     " is not supported, expected avg with 1 to 64: 0 would "
                     "take a number that depends on the data");
  double scale = node.floatAttr("spatial_scale", 1.0);
  RoiAlignment how{transformation == "half_pixel",
                   {node.intAttr("output_height", 1), samples, scale},
                   {node.intAttr("output_width", 1), samples, scale}};
  for (const RoiAxis *axis : {&how.rows, &how.columns})
    if (axis->bins < 1 || axis->bins > 1 << 12)
      return node.fail("regions of " + Twine(axis->bins) +
                       " bins, expected 1 to 4096");
  return how;
}

Error checkInputs(NodeImporter &node) {
  for (size_t i : {0, 1})
    MPC_TRY(node.requireFloat(i));
  MPC_TRY(node.requireIndices(2));
  const Operand &x = node.in(0), &rois = node.in(1), &numbers = node.in(2);
  int64_t regions = rois.shape.empty() ? 0 : rois.shape[0];
  if (x.rank() != 4 || rois.shape != Shape{regions, 4} ||
      numbers.shape != Shape{regions} || is_contained(x.shape, 0))
    return node.fail("the images are " + shapeText(x.shape) + ", the regions " +
                     shapeText(rois.shape) + ", their images' numbers " +
                     shapeText(numbers.shape));
  if (numbers.known)
    for (int64_t number : nn::intsOf(numbers.known))
      if (number < 0 || number >= x.shape[0])
        return node.fail("a region is of image " + Twine(number) + " of " +
                         Twine(x.shape[0]));
  return Error::success();
}

Error emitRoiAlign(NodeImporter &node) {
  MPC_TRY_ASSIGN(RoiAlignment how, readAlignment(node));
  MPC_TRY(checkInputs(node));
  MPC_TRY_ASSIGN(Operand result,
                 node.placed(roiAligned(node.build, node.in(0), node.in(1),
                                        node.in(2), how)));
  node.result(0, result);
  return Error::success();
}

} // namespace

ArrayRef<OpRule> roiAlignRules() {
  static const OpRule rules[] = {
      {"RoiAlign", 16, 3, 3, 1,
       "coordinate_transformation_mode:s mode:s output_height:i output_width:i "
       "sampling_ratio:i spatial_scale:f",
       emitRoiAlign},
  };
  return rules;
}

} // namespace mpc::onnx
