// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finds sizes for open dimensions by trying.
#include "lib/Import/ONNX/ProposedFlags.h"

#include "lib/Import/ONNX/GraphInputs.h"
#include "lib/Import/ONNX/Ops/NodeImporter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace mpc::onnx {

using InputShape = decltype(ModelOptions::inputShapes)::value_type;

/// Sizes that dimensions often have, followed by those of the model's own
/// tensors.
static SmallVector<int64_t> likelySizes(const Model &model) {
  llvm::SetVector<int64_t> sizes;
  for (int64_t size : {16, 224, 64, 32, 128, 256, 512, 8, 4, 2, 1})
    sizes.insert(size);
  for (const Tensor &tensor : model.graph.initializers)
    for (int64_t size : tensor.shape)
      if (size > 0 && size <= 4096)
        sizes.insert(size);
  return llvm::to_vector(sizes);
}

/// Whether only first dimensions are open in `flags`, and all have one size.
static bool areBatches(const Model &model, ArrayRef<InputShape> flags) {
  return all_of(trueInputs(model.graph), [&](const ValueInfo *input) {
    auto flag = find_if(
        flags, [&](const auto &flag) { return flag.first == input->name; });
    if (flag == flags.end())
      return true;
    return flag->second.front() == flags.front().second.front() &&
           all_of(drop_begin(input->shape),
                  [](const Dimension &dimension) { return dimension.size; });
  });
}

/// The flags that `proposed` adds to `given`: "--batch-size=8" where that is
/// enough, else an --input-shape for each input.
static std::string describeFlags(const Model &model, const ModelOptions &given,
                                 const ModelOptions &proposed) {
  auto flags =
      ArrayRef(proposed.inputShapes).drop_front(given.inputShapes.size());
  if (!given.batchSize && areBatches(model, flags))
    return "--batch-size=" + std::to_string(flags.front().second.front());
  return join(map_range(flags,
                        [](const auto &flag) {
                          return "--input-shape=" + printable(flag.first) +
                                 "=" + shapeText(flag.second);
                        }),
              " ");
}

std::string proposeFlags(const Model &model, const ModelOptions &options,
                         function_ref<bool(const ModelOptions &)> imports) {
  size_t trials =
      std::clamp<size_t>(20000 / (model.graph.nodes.size() + 1), 1, 32);
  for (int64_t batch : {8, 1})
    for (int64_t size : likelySizes(model)) {
      std::optional<ModelOptions> proposed =
          withSizes(model, options, batch, size);
      if (!proposed || trials-- == 0)
        return "";
      if (imports(*proposed))
        return describeFlags(model, options, *proposed);
    }
  return "";
}

} // namespace mpc::onnx
