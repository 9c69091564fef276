// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expands flags with several values into flags with one value.
#include "lib/Driver/BatchShapes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace mpc;

/// The flag that gives one input its shape; it may be repeated.
static constexpr llvm::StringRef kInputShape = "--input-shape=";

namespace {

struct Values {
  std::string flag; ///< "--batch-size", "--input-shape=x".
  std::vector<std::string> words;
};

} // namespace

/// The name in NAME=DIMS, which may contain '='; the whole text where there is
/// no '='.
static llvm::StringRef inputOf(llvm::StringRef text) {
  return text.rsplit('=').first;
}

static std::vector<Values> valuesOf(const ImportFlags &flags,
                                    const std::vector<int64_t> &batchSizes) {
  std::vector<Values> values = {{"--batch-size", {}}};
  for (int64_t size : batchSizes)
    values[0].words.push_back(std::to_string(size));
  for (const std::string &text : flags.inputShapes) {
    std::string flag = (kInputShape + inputOf(text)).str();
    auto known = llvm::find_if(
        values, [&](const Values &one) { return one.flag == flag; });
    if (known == values.end())
      known = values.insert(values.end(), {flag, {}});
    known->words.push_back(text);
  }
  return values;
}

rt::Result<std::vector<ImportFlags>>
mpc::splitShapes(const ImportFlags &flags,
                 const std::vector<int64_t> &batchSizes) {
  std::vector<Values> values = valuesOf(flags, batchSizes);
  auto most = std::max_element(values.begin(), values.end(),
                               [](const Values &a, const Values &b) {
                                 return a.words.size() < b.words.size();
                               });
  size_t count = std::max<size_t>(most->words.size(), 1);
  for (const Values &one : values)
    if (one.words.size() > 1 && one.words.size() != count)
      return rt::usageError(one.flag + ": given " +
                            std::to_string(one.words.size()) + " times, and " +
                            most->flag + " " + std::to_string(count) +
                            ": shapes are made of the values of each in turn");
  std::vector<ImportFlags> shapes;
  std::vector<std::vector<std::string>> seen;
  for (size_t i = 0; i < count; ++i) {
    ImportFlags shape = flags;
    shape.inputShapes.clear();
    std::vector<std::string> words;
    for (const Values &one : values) {
      if (one.words.empty())
        continue;
      const std::string &word = one.words[one.words.size() == 1 ? 0 : i];
      words.push_back(word);
      if (&one != &values.front())
        shape.inputShapes.push_back(word);
    }
    if (!batchSizes.empty())
      shape.batchSize = batchSizes[batchSizes.size() == 1 ? 0 : i];
    if (llvm::is_contained(seen, words))
      return rt::usageError(
          most->flag + ": the same shape twice: " + llvm::join(words, ", "));
    seen.push_back(std::move(words));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

rt::Status mpc::checkReadAgain(const std::string &path, bool inMemory) {
  if (path != "-" || inMemory)
    return {};
  return rt::usageError("a model is read once for each shape of a batch, and "
                        "standard input only once: name a file");
}

ImportFlags mpc::withBatch(ImportFlags flags, int64_t batch, int64_t rows,
                           const std::vector<std::string> &shared) {
  flags.batchSize = rows;
  for (std::string &text : flags.inputShapes) {
    auto [name, dims] = llvm::StringRef(text).rsplit('=');
    auto [first, others] = dims.split('x');
    int64_t size = 0;
    if (first.getAsInteger(10, size) || size != batch ||
        llvm::is_contained(shared, name))
      continue;
    text =
        (name + "=" + llvm::Twine(rows) + (others.empty() ? "" : "x") + others)
            .str();
  }
  return flags;
}
