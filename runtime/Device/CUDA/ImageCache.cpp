// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The keys of images, and the files in which they are kept. A file has the
// digest of the image and then the image.
#include "runtime/Device/CUDA/ImageCache.h"

#include "runtime/Support/CacheFolder.h"
#include "runtime/Support/Hash.h"

#include <map>
#include <optional>

namespace mpc::rt::cuda {
namespace {

/// Adds parts with their lengths, so that different lists are never the same
/// bytes.
std::string digestOf(std::span<const std::string> parts) {
  ContentHash hash;
  for (const std::string &part : parts) {
    std::string size = std::to_string(part.size()) + ":";
    hash.update(size.data(), size.size());
    hash.update(part.data(), part.size());
  }
  return hash.digest();
}

std::string fileOf(const Nvrtc &nvrtc, const std::string &text, Target target) {
  std::vector<std::string> parts = Nvrtc::optionsFor(target);
  parts.push_back(nvrtc.identity());
  parts.push_back(text);
  return digestOf(parts) + std::string(CacheFolder::kImage);
}

std::optional<Image> find(const CacheFolder &cache, const std::string &name,
                          Target target) {
  std::optional<MappedFile> file = cache.find(name);
  if (!file || file->bytes().size() <= ContentHash::kDigits)
    return std::nullopt;
  const auto *data = reinterpret_cast<const char *>(file->bytes().data());
  std::string digest(data, ContentHash::kDigits);
  std::vector<char> bytes(data + ContentHash::kDigits,
                          data + file->bytes().size());
  if (ContentHash::of(bytes.data(), bytes.size()) != digest)
    return std::nullopt;
  return Image{target, std::move(bytes), ""};
}

void keep(const CacheFolder &cache, const std::string &name,
          const Image &image) {
  std::string content = ContentHash::of(image.bytes.data(), image.bytes.size());
  content.append(image.bytes.begin(), image.bytes.end());
  // A full disk is no reason to fail.
  (void)!cache.store(name, content).ok();
}

} // namespace

Result<std::vector<Image>> compileOnce(const Nvrtc &nvrtc,
                                       std::span<const Source> sources,
                                       Target target) {
  Result<CacheFolder> cache = CacheFolder::open();
  std::map<std::string, Image> images;
  std::vector<std::string> names, missing;
  std::vector<Source> compiled;
  for (const Source &source : sources) {
    const std::string &name =
        names.emplace_back(fileOf(nvrtc, source.text, target));
    if (!images.try_emplace(name).second)
      continue;
    if (auto image = cache.ok() ? find(*cache, name, target) : std::nullopt) {
      images[name] = *std::move(image);
      continue;
    }
    missing.push_back(name);
    compiled.push_back(source);
  }
  MPC_ASSIGN_OR_RETURN(std::vector<Image> made,
                       nvrtc.compileAll(compiled, target));
  for (size_t i = 0; i < made.size(); ++i) {
    if (cache.ok())
      keep(*cache, missing[i], made[i]);
    images[missing[i]] = std::move(made[i]);
    images[missing[i]].log.clear();
  }
  std::vector<Image> result;
  for (const std::string &name : names)
    result.push_back(images[name]);
  return result;
}

} // namespace mpc::rt::cuda
