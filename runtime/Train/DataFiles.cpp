// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds files by the words of a command line, and tensors in files.
#include "runtime/Train/DataFiles.h"

#include "runtime/Support/Text.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <glob.h>
#include <set>

namespace mpc::rt {
namespace {

bool exists(const std::string &path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

/// A word's file, and the name for its array; the name may be empty.
struct NamedPath {
  std::string name, path;
};

/// A path may contain a "=", too.
NamedPath split(const std::string &word) {
  size_t place = word.find('=');
  if (place == std::string::npos || place == 0 || exists(word) ||
      word.find('/') < place)
    return {"", word};
  return {word.substr(0, place), word.substr(place + 1)};
}

/// The paths that match, in the order of their bytes.
Result<std::vector<std::string>> expand(const std::string &pattern) {
  if (exists(pattern) || pattern.find_first_of("*?[") == std::string::npos)
    return std::vector<std::string>{pattern};
  glob_t found = {};
  int code = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> paths(found.gl_pathv,
                                 found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (code == GLOB_NOSPACE)
    return environmentError("out of memory");
  if (paths.empty())
    return invalidInput(escape(pattern) + ": matches no file");
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool sameButSamples(const TensorDesc &a, const TensorDesc &b) {
  return a.shape.size() == b.shape.size() && !a.shape.empty() &&
         std::equal(a.shape.begin() + 1, a.shape.end(), b.shape.begin() + 1);
}

} // namespace

Result<DataFiles> DataFiles::open(std::span<const std::string> words) {
  DataFiles data;
  for (const std::string &word : words) {
    NamedPath named = split(word);
    MPC_ASSIGN_OR_RETURN(std::vector<std::string> paths, expand(named.path));
    for (const std::string &path : paths) {
      MPC_ASSIGN_OR_RETURN(TensorFile file, TensorFile::open(path, named.name));
      data.files_.push_back(std::move(file));
    }
  }
  if (data.files_.empty())
    return usageError("--data: names no file");
  return data;
}

std::vector<TensorDesc> DataFiles::tensors() const {
  std::vector<TensorDesc> tensors;
  std::set<std::string_view> known;
  for (const TensorFile &file : files_)
    for (const TensorFile::Item &item : file.items())
      if (known.insert(item.desc.name).second)
        tensors.push_back(item.desc);
  return tensors;
}

bool DataFiles::has(std::string_view name) const {
  return std::any_of(files_.begin(), files_.end(), [&](const TensorFile &file) {
    return file.find(name) != nullptr;
  });
}

std::optional<std::vector<int64_t>>
DataFiles::shapeOf(std::string_view name) const {
  const TensorDesc *first = nullptr;
  int64_t samples = 0;
  for (const TensorFile &file : files_) {
    const TensorFile::Item *item = file.find(name);
    if (!item)
      continue;
    if (!item->fault.empty() || (first && !sameButSamples(*first, item->desc)))
      return std::nullopt;
    first = &item->desc;
    if (!first->shape.empty() &&
        __builtin_add_overflow(samples, first->shape[0], &samples))
      return std::nullopt;
  }
  if (!first)
    return std::nullopt;
  std::vector<int64_t> shape = first->shape;
  if (!shape.empty())
    shape[0] = samples;
  return shape;
}

Result<std::vector<DataPart>> DataFiles::read(std::string_view name) const {
  std::vector<DataPart> parts;
  int64_t samples = 0;
  for (const TensorFile &file : files_) {
    const TensorFile::Item *item = file.find(name);
    if (!item)
      continue;
    MPC_ASSIGN_OR_RETURN(StoredTensor tensor, file.read(*item));
    parts.push_back({file.path(), std::move(tensor), samples});
    if (!item->desc.shape.empty() &&
        __builtin_add_overflow(samples, item->desc.shape[0], &samples))
      return invalidInput(label() + ": too many samples");
  }
  if (parts.empty())
    return invalidInput(
        fmt::format("{}: no tensor {}; {}", label(), quote(name), describe()));
  return parts;
}

Status DataFiles::checkSamples(std::span<const std::string> names) const {
  for (const TensorFile &file : files_) {
    const TensorDesc *first = nullptr;
    for (const std::string &name : names) {
      const TensorFile::Item *item = file.find(name);
      if (!item || item->desc.shape.empty())
        continue;
      if (first && first->shape[0] != item->desc.shape[0])
        return invalidInput(fmt::format(
            "{}: tensors {} and {} have different numbers of samples ({} and "
            "{}); name a tensor that all samples share by --shared-input",
            escape(file.path()), quote(first->name), quote(name),
            first->shape[0], item->desc.shape[0]));
      first = first ? first : &item->desc;
    }
  }
  return {};
}

std::string DataFiles::label() const {
  std::string first = escape(files_.front().path());
  return files_.size() == 1
             ? first
             : fmt::format("{} and {} more", first, files_.size() - 1);
}

std::string DataFiles::describe() const {
  if (files_.size() == 1)
    return "the file has " + files_.front().describe();
  std::set<std::string> sorted;
  for (const TensorFile &file : files_)
    for (const TensorFile::Item &item : file.items())
      sorted.insert(quote(item.desc.name));
  std::vector<std::string> names(sorted.begin(), sorted.end());
  return "the files have " + (names.empty() ? "no tensor" : joinSome(names));
}

} // namespace mpc::rt
