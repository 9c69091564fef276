// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The safetensors format. Files are not trusted: sizes are checked before use,
// and the tensors must cover the data exactly.
#include "runtime/Support/Safetensors.h"

#include "runtime/Support/CheckedSize.h"
#include "runtime/Support/Hash.h"
#include "runtime/Support/Output.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

namespace mpc::rt {
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little,
              "safetensors is little-endian and mapped as it is");

constexpr uint64_t kMaxHeaderBytes = 100'000'000;
constexpr size_t kLengthBytes = 8;
constexpr std::string_view kMetadataKey = "__metadata__";
constexpr std::string_view kHashKey = "content_hash";
/// The beginning of a hashed file's header; the digits follow.
constexpr std::string_view kHashedPrefix =
    "{\"__metadata__\":{\"content_hash\":\"";

struct RawTensor {
  TensorView view;
  uint64_t begin = 0;
  uint64_t end = 0;
};

/// Parses the header's JSON. The format has three levels. Deeper input is
/// dropped while it is parsed, so that no later code recurses into it.
Result<Json> parseHeader(std::string_view text) {
  std::set<std::string> seenNames, seenFields;
  Status fault;
  auto onEvent = [&](int depth, Json::parse_event_t event, Json &parsed) {
    if (depth > 3 && event != Json::parse_event_t::value) {
      fault = invalidInput("header is nested too deep");
      return false;
    }
    if (event == Json::parse_event_t::object_start && depth == 1)
      seenFields.clear();
    if (event != Json::parse_event_t::key)
      return true;
    const auto &key = parsed.get_ref<const std::string &>();
    auto &seen = depth == 1 ? seenNames : seenFields;
    if (fault.ok() && !seen.insert(key).second)
      fault = invalidInput(quote(key) + " appears twice in the header");
    return true;
  };
  Json json = Json::parse(text.begin(), text.end(), onEvent,
                          /*allow_exceptions=*/false);
  if (!fault.ok())
    return fault;
  if (json.is_discarded() || !json.is_object())
    return invalidInput("header is not a JSON object");
  return json;
}

/// Reads an integer without sign, exponent or fraction that fits an int64.
bool readUnsigned(const Json &json, int64_t &out) {
  if (!json.is_number_unsigned())
    return false;
  auto value = json.get<uint64_t>();
  if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return false;
  out = static_cast<int64_t>(value);
  return true;
}

bool readUnsignedArray(const Json &json, std::vector<int64_t> &out) {
  if (!json.is_array())
    return false;
  for (const Json &element : json)
    if (!readUnsigned(element, out.emplace_back()))
      return false;
  return true;
}

/// Reads one entry of the header, independent of the others.
Result<RawTensor> readTensor(const std::string &name, const Json &json,
                             uint64_t dataBytes) {
  auto fault = [&](const std::string &what) {
    return invalidInput(fmt::format("tensor {}: {}", quote(name), what));
  };
  if (!json.is_object() || json.size() != 3 || !json.contains("dtype") ||
      !json.contains("shape") || !json.contains("data_offsets"))
    return fault("needs exactly dtype, shape and data_offsets");
  if (!json["dtype"].is_string())
    return fault("dtype is not a string");
  RawTensor tensor;
  TensorDesc &desc = tensor.view.desc;
  desc.name = name;
  const auto &typeName = json["dtype"].get_ref<const std::string &>();
  std::optional<DType> dtype = dtypeFromSafetensors(typeName);
  if (!dtype)
    return fault(
        fmt::format("element type {} is not supported", quote(typeName)));
  desc.dtype = *dtype;
  if (!readUnsignedArray(json["shape"], desc.shape))
    return fault("shape is not a list of sizes");
  std::vector<int64_t> offsets;
  if (!readUnsignedArray(json["data_offsets"], offsets) || offsets.size() != 2)
    return fault("data_offsets are not two offsets");
  tensor.begin = static_cast<uint64_t>(offsets[0]);
  tensor.end = static_cast<uint64_t>(offsets[1]);
  if (tensor.begin > tensor.end || tensor.end > dataBytes)
    return fault(fmt::format("bytes {} to {} do not lie in the file's {}",
                             tensor.begin, tensor.end, dataBytes));
  std::optional<int64_t> bytes = checkedBytes(desc.shape, desc.dtype);
  if (!bytes)
    return fault("shape is too large");
  if (static_cast<uint64_t>(*bytes) != tensor.end - tensor.begin)
    return fault(fmt::format("{} takes {} bytes, data_offsets give {}",
                             toString(desc), *bytes,
                             tensor.end - tensor.begin));
  return tensor;
}

/// Checks that the tensors cover every byte of the data once.
Status checkTiling(const std::vector<RawTensor> &sorted, uint64_t dataBytes) {
  uint64_t position = 0;
  for (const RawTensor &tensor : sorted) {
    if (tensor.begin != position)
      return invalidInput(fmt::format(
          "tensor {}: {} at byte {} of the data, expected {}",
          quote(tensor.view.desc.name),
          tensor.begin < position ? "overlaps the one before" : "leaves a hole",
          tensor.begin, position));
    position = tensor.end;
  }
  if (position != dataBytes)
    return invalidInput(
        fmt::format("{} bytes follow the last tensor", dataBytes - position));
  return {};
}

Result<Metadata> readMetadata(const Json &json) {
  if (!json.is_object())
    return invalidInput("__metadata__ is not an object");
  Metadata metadata;
  for (const auto &[key, value] : json.items()) {
    if (!value.is_string())
      return invalidInput("__metadata__ of " + quote(key) + " is not a string");
    metadata[key] = value.get_ref<const std::string &>();
  }
  return metadata;
}

struct Header {
  std::vector<RawTensor> tensors;
  Metadata metadata;
};

Result<Header> readHeader(std::string_view text, uint64_t dataBytes) {
  if (text.empty() || text[0] != '{')
    return invalidInput("header does not begin with '{'");
  MPC_ASSIGN_OR_RETURN(Json json, parseHeader(text));
  Header header;
  for (const auto &[name, value] : json.items()) {
    if (name == kMetadataKey) {
      MPC_ASSIGN_OR_RETURN(header.metadata, readMetadata(value));
      continue;
    }
    MPC_ASSIGN_OR_RETURN(RawTensor tensor, readTensor(name, value, dataBytes));
    header.tensors.push_back(std::move(tensor));
  }
  std::sort(header.tensors.begin(), header.tensors.end(),
            [](const RawTensor &a, const RawTensor &b) {
              return std::tie(a.begin, a.end, a.view.desc.name) <
                     std::tie(b.begin, b.end, b.view.desc.name);
            });
  MPC_RETURN_IF_ERROR(checkTiling(header.tensors, dataBytes));
  return header;
}

/// The text of the header, or the fault of its length.
Result<std::string_view> headerText(std::span<const std::byte> bytes) {
  uint64_t length = 0;
  if (bytes.size() < kLengthBytes)
    return invalidInput(fmt::format(
        "is too short for a safetensors file ({} bytes)", bytes.size()));
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kMaxHeaderBytes)
    return invalidInput(
        fmt::format("header of {} bytes is over the limit of {}; is this a "
                    "safetensors file?",
                    length, kMaxHeaderBytes));
  if (length > bytes.size() - kLengthBytes)
    return invalidInput(fmt::format("header of {} bytes, but only {} follow",
                                    length, bytes.size() - kLengthBytes));
  return std::string_view(reinterpret_cast<const char *>(bytes.data()) +
                              kLengthBytes,
                          static_cast<size_t>(length));
}

/// The header of a file with `sorted` in this order.
std::string makeHeader(const std::vector<const TensorView *> &sorted,
                       const SafetensorsWriteOptions &options) {
  std::string text = "{";
  auto quoted = [](const std::string &name) {
    return Json(name).dump(-1, ' ', true, Json::error_handler_t::replace);
  };
  std::vector<std::string> items;
  if (options.contentHash)
    items.push_back(fmt::format("\"{}\":\"{}\"", kHashKey,
                                std::string(ContentHash::kDigits, '0')));
  for (const auto &[key, value] : options.metadata)
    items.push_back(quoted(key) + ":" + quoted(value));
  if (!items.empty())
    text += fmt::format("\"{}\":{{{}}},", kMetadataKey, fmt::join(items, ","));
  uint64_t offset = 0;
  for (const TensorView *view : sorted) {
    uint64_t end = offset + view->desc.numBytes();
    text += fmt::format(
        "{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}},",
        quoted(view->desc.name), safetensorsName(view->desc.dtype),
        fmt::join(view->desc.shape, ","), offset, end);
    offset = end;
  }
  if (text.back() == ',')
    text.pop_back();
  text += '}';
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

std::string_view lengthText(const uint64_t &length) {
  return {reinterpret_cast<const char *>(&length), kLengthBytes};
}

Status checkWritable(std::span<const TensorView> tensors) {
  std::set<std::string_view> names;
  for (const TensorView &view : tensors) {
    const TensorDesc &desc = view.desc;
    if (!checkedBytes(desc.shape, desc.dtype))
      return internalError(
          fmt::format("tensor {}: shape is too large", quote(desc.name)));
    if (desc.name == kMetadataKey || !names.insert(desc.name).second)
      return internalError(
          fmt::format("tensor {}: name is taken", quote(desc.name)));
  }
  return {};
}

} // namespace

Result<SafetensorsFile> SafetensorsFile::open(std::string path) {
  MPC_ASSIGN_OR_RETURN(MappedFile mapped,
                       path == "-" ? MappedFile::readStandardInput()
                                   : MappedFile::open(std::move(path)));
  SafetensorsFile file(std::move(mapped));
  std::string context = escape(file.path());
  std::span<const std::byte> bytes = file.file_.bytes();
  Result<std::string_view> text = headerText(bytes);
  if (!text.ok())
    return text.status().withContext(context);
  std::span<const std::byte> data =
      bytes.subspan(kLengthBytes + (*text).size());
  Result<Header> header = readHeader(*text, data.size());
  if (!header.ok())
    return header.status().withContext(context);
  file.metadata_ = std::move(header->metadata);
  for (RawTensor &tensor : header->tensors) {
    tensor.view.data = data.data() + tensor.begin;
    file.byName_[tensor.view.desc.name] = file.tensors_.size();
    file.tensors_.push_back(std::move(tensor.view));
  }
  return file;
}

const TensorView *SafetensorsFile::find(std::string_view name) const {
  auto it = byName_.find(name);
  return it == byName_.end() ? nullptr : &tensors_[it->second];
}

std::string SafetensorsFile::describe() const {
  std::vector<std::string> items;
  for (const TensorView &view : tensors_)
    items.push_back(quote(view.desc.name) + " " + toString(view.desc));
  return items.empty() ? "no tensor" : joinSome(items);
}

Status SafetensorsFile::verifyContentHash() const {
  std::span<const std::byte> bytes = file_.bytes();
  const char *text = reinterpret_cast<const char *>(bytes.data());
  std::string_view all(text, bytes.size());
  size_t digits = kLengthBytes + kHashedPrefix.size();
  if (all.size() < digits + ContentHash::kDigits ||
      all.substr(kLengthBytes, kHashedPrefix.size()) != kHashedPrefix)
    return invalidInput(escape(path()) + ": has no content hash");
  ContentHash hash;
  std::string zeros(ContentHash::kDigits, '0');
  hash.update(text, digits);
  hash.update(zeros.data(), zeros.size());
  size_t rest = digits + ContentHash::kDigits;
  hash.update(text + rest, all.size() - rest);
  if (all.substr(digits, ContentHash::kDigits) != hash.digest())
    return invalidInput(escape(path()) +
                        ": is damaged: content does not match its hash");
  return {};
}

namespace {

/// The content of a file, in order. It points into itself and into the tensors.
struct FileImage {
  std::string length, header;
  std::vector<std::string_view> data;
  uint64_t bytes = 0;
};

Result<FileImage> makeImage(std::span<const TensorView> tensors,
                            const SafetensorsWriteOptions &options) {
  MPC_RETURN_IF_ERROR(checkWritable(tensors));
  std::vector<const TensorView *> sorted;
  for (const TensorView &view : tensors)
    sorted.push_back(&view);
  std::sort(sorted.begin(), sorted.end(),
            [](const TensorView *a, const TensorView *b) {
              size_t wa = byteSize(a->desc.dtype), wb = byteSize(b->desc.dtype);
              return wa != wb ? wa > wb : a->desc.name < b->desc.name;
            });
  FileImage image;
  image.header = makeHeader(sorted, options);
  if (image.header.size() > kMaxHeaderBytes)
    return invalidInput("names take over 100 MB");
  uint64_t length = image.header.size();
  image.length = lengthText(length);
  image.bytes = kLengthBytes + length;
  for (const TensorView *view : sorted) {
    image.data.emplace_back(static_cast<const char *>(view->data),
                            view->desc.numBytes());
    image.bytes += view->desc.numBytes();
  }
  return image;
}

/// Writes the hash of everything to the header. The hash field counts as zeros.
void addContentHash(FileImage &image) {
  ContentHash hash;
  hash.update(image.length.data(), image.length.size());
  hash.update(image.header.data(), image.header.size());
  for (std::string_view piece : image.data)
    hash.update(piece.data(), piece.size());
  image.header.replace(kHashedPrefix.size(), ContentHash::kDigits,
                       hash.digest());
}

template <typename File>
Status writeImage(File &file, const FileImage &image) {
  MPC_RETURN_IF_ERROR(file.append(image.length));
  MPC_RETURN_IF_ERROR(file.append(image.header));
  for (std::string_view piece : image.data)
    MPC_RETURN_IF_ERROR(file.append(piece));
  return file.commit();
}

template <typename File, typename... Args>
Status writeAs(const std::string &path, std::span<const TensorView> tensors,
               const SafetensorsWriteOptions &options, const Args &...args) {
  Result<FileImage> image = makeImage(tensors, options);
  if (!image.ok())
    return image.status().withContext(escape(path));
  if (options.contentHash)
    addContentHash(*image);
  MPC_ASSIGN_OR_RETURN(File file, File::create(path, image->bytes, args...));
  return writeImage(file, *image);
}

} // namespace

Status writeSafetensors(const std::string &path,
                        std::span<const TensorView> tensors,
                        const SafetensorsWriteOptions &options, const Io &io) {
  return writeAs<AtomicFile>(path, tensors, options, io);
}

Status writeSafetensorsOutput(const std::string &path,
                              std::span<const TensorView> tensors,
                              const SafetensorsWriteOptions &options) {
  return writeAs<OutputFile>(path, tensors, options);
}

} // namespace mpc::rt
