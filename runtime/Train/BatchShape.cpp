// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares shapes of inputs with those of samples.
#include "runtime/Train/BatchShape.h"

#include "runtime/Program/StepNames.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mpc::rt {
namespace {

bool contains(const std::vector<std::string> &names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool isData(const TensorDesc &input) { return step::isData(input.name); }

/// Whether a batch of the input can consist of samples of this tensor.
bool fits(const TensorDesc &input, const std::vector<int64_t> &samples,
          const DataOptions &options) {
  if (contains(options.shared, input.name))
    return samples == input.shape;
  return !input.shape.empty() && samples.size() == input.shape.size() &&
         std::equal(samples.begin() + 1, samples.end(),
                    input.shape.begin() + 1) &&
         (options.batchSize == 0 || options.batchSize == input.shape[0]);
}

bool fits(const Entry &entry, const DataFiles &files,
          const DataOptions &options) {
  return std::all_of(entry.inputs.begin(), entry.inputs.end(),
                     [&](const TensorDesc &input) {
                       if (!isData(input))
                         return true;
                       auto samples = files.shapeOf(input.name);
                       return samples && fits(input, *samples, options);
                     });
}

/// The tensors that the entries take, as files have them: "x 100x3, target
/// 100".
std::string describeFiles(const Entry &entry, const DataFiles &files) {
  std::string text;
  for (const TensorDesc &input : entry.inputs)
    if (auto samples = files.shapeOf(input.name); samples && isData(input))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                          escape(input.name), fmt::join(*samples, "x"));
  return text.empty() ? "none of its inputs" : text;
}

} // namespace

Result<const Entry *> chooseByData(const std::vector<const Entry *> &entries,
                                   const DataFiles &files,
                                   const DataOptions &options) {
  for (const Entry *entry : entries)
    if (entries.size() == 1 || fits(*entry, files, options))
      return entry;
  std::string known = describeData(entries);
  DataOptions anySize = options;
  anySize.batchSize = 0;
  if (std::any_of(entries.begin(), entries.end(), [&](const Entry *entry) {
        return fits(*entry, files, anySize);
      }))
    return usageError(fmt::format("--batch-size={}: the program's batches are "
                                  "{}",
                                  options.batchSize, known));
  return invalidInput(fmt::format(
      "{}: the samples are not a batch of the program: found {}, expected "
      "batches of {}",
      files.label(), describeFiles(*entries.front(), files), known));
}

} // namespace mpc::rt
