// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writing, checking and joining the files of ranks.
#include "runtime/Train/CheckpointParts.h"

#include "runtime/Device/CPU/Memory.h"
#include "runtime/Support/CheckedSize.h"
#include "runtime/Support/Hash.h"
#include "runtime/Support/Text.h"
#include "runtime/Train/RankAgreement.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace mpc::rt {
namespace {

using Json = nlohmann::ordered_json;

// Fields of the manifest, beside those of the checkpoint: its tensors, and its
// files with their hashes.
constexpr std::string_view kTensors = "parts.tensors";
constexpr std::string_view kFiles = "parts.files";
/// A field of a part: the first element of each tensor that it has some of.
constexpr std::string_view kBegins = "parts.begins";
constexpr std::string_view kHash = "content_hash";

std::string partName(uint32_t rank, uint32_t ranks) {
  return fmt::format("part-{:05}-of-{:05}.safetensors", rank, ranks);
}

std::string inFolder(const std::string &folder, std::string_view name) {
  return fmt::format("{}/{}", folder, name);
}

/// A field, or the empty text.
std::string metadataField(const Metadata &metadata, std::string_view key) {
  auto it = metadata.find(key);
  return it == metadata.end() ? std::string() : it->second;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// What this rank writes of the state: its part of what is divided, and on rank
/// 0 the rest.
struct OwnState {
  std::vector<TensorView> tensors;
  Json begins = Json::object();
};

Result<OwnState> ownState(const Runner &runner, bool isFirst) {
  MPC_ASSIGN_OR_RETURN(std::vector<TensorView> all, runner.exportState());
  OwnState own;
  for (const TensorView &view : all) {
    const StateTensor &tensor = *runner.program().findState(view.desc.name);
    if (!runner.isDivided(tensor)) {
      if (isFirst)
        own.tensors.push_back(view);
      continue;
    }
    OwnPart part = runner.ownPart(tensor);
    size_t size = byteSize(view.desc.dtype);
    if (part.bytes.empty())
      continue;
    TensorDesc desc = {view.desc.name,
                       view.desc.dtype,
                       {static_cast<int64_t>(part.bytes.size() / size)}};
    own.begins[desc.name] = part.begin / size;
    own.tensors.push_back({std::move(desc), part.bytes.data()});
  }
  return own;
}

Status writePart(const Runner &runner, const std::string &path, bool isFirst,
                 const Io &io) {
  MPC_ASSIGN_OR_RETURN(OwnState own, ownState(runner, isFirst));
  SafetensorsWriteOptions options;
  options.metadata = {{std::string(kBegins), own.begins.dump()}};
  options.contentHash = true;
  return writeSafetensors(path, own.tensors, options, io);
}

Result<std::string> hashOf(const std::string &path) {
  MPC_ASSIGN_OR_RETURN(SafetensorsFile file, SafetensorsFile::open(path));
  return metadataField(file.metadata(), kHash);
}

/// The hash of each rank's part, in their order.
Result<std::vector<std::string>> gatherHashes(Ranks *ranks,
                                              const std::string &own) {
  if (!ranks)
    return std::vector{own};
  std::vector<char> digits(own.begin(), own.end());
  digits.resize(ContentHash::kDigits);
  MPC_ASSIGN_OR_RETURN(std::vector<char> all, ranks->gatherValues(digits));
  std::vector<std::string> hashes;
  for (uint32_t rank = 0; rank < ranks->size(); ++rank)
    hashes.emplace_back(all.data() + rank * ContentHash::kDigits,
                        ContentHash::kDigits);
  return hashes;
}

Status writeManifest(const Runner &runner, const std::string &folder,
                     Metadata metadata, const std::vector<std::string> &hashes,
                     const Io &io) {
  MPC_ASSIGN_OR_RETURN(std::vector<TensorView> all, runner.exportState());
  Json tensors = Json::array(), files = Json::array();
  for (const TensorView &view : all)
    tensors.push_back({{"name", view.desc.name},
                       {"dtype", safetensorsName(view.desc.dtype)},
                       {"shape", view.desc.shape}});
  for (uint32_t rank = 0; rank < hashes.size(); ++rank)
    files.push_back(
        {{"file", partName(rank, static_cast<uint32_t>(hashes.size()))},
         {"hash", hashes[rank]}});
  metadata[std::string(kTensors)] = tensors.dump();
  metadata[std::string(kFiles)] = files.dump();
  SafetensorsWriteOptions options{std::move(metadata), true};
  return writeSafetensors(inFolder(folder, kManifestFile), {}, options, io);
}

Status makeFolder(const std::string &path, const Io &io) {
  removeParts(path, io);
  if (::mkdir(path.c_str(), 0777) == 0)
    return {};
  return environmentError(fmt::format("{}: cannot create the folder: {}",
                                      escape(path), errnoMessage(errno)));
}

/// Makes a rename in the folder of `path` last.
Status syncFolderOf(const std::string &path, const Io &io) {
  std::string folder = std::filesystem::path(path).parent_path();
  int fd = io.open(folder.empty() ? "." : folder.c_str(),
                   O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (fd < 0 || io.fsync(fd) != 0) {
    int error = errno;
    if (fd >= 0)
      io.close(fd);
    return environmentError(fmt::format("{}: cannot sync its folder: {}",
                                        escape(path), errnoMessage(error)));
  }
  io.close(fd);
  return {};
}

Status renameFolder(const std::string &from, const std::string &to,
                    const Io &io) {
  if (io.rename(from.c_str(), to.c_str()) == 0)
    return {};
  return environmentError(fmt::format("{}: cannot rename the folder: {}",
                                      escape(from), errnoMessage(errno)));
}

/// Gives the finished folder its name. A former one of that name is kept until
/// then, and is back if that fails.
Status publish(const std::string &path, const Io &io) {
  std::string former = formerOf(path);
  std::error_code error;
  bool isThere = std::filesystem::exists(path, error);
  if (isThere) {
    // A process that ended in the middle of this function has left one.
    removeParts(former, io);
    MPC_RETURN_IF_ERROR(renameFolder(path, former, io));
  }
  Status renamed = renameFolder(unfinished(path), path, io);
  if (!renamed.ok()) {
    if (isThere)
      io.rename(former.c_str(), path.c_str());
    return renamed;
  }
  MPC_RETURN_IF_ERROR(syncFolderOf(path, io));
  removeParts(former, io);
  return {};
}

Status finish(const Runner &runner, const std::string &path,
              const Metadata &metadata, const std::vector<std::string> &hashes,
              const Io &io) {
  MPC_RETURN_IF_ERROR(
      writeManifest(runner, unfinished(path), metadata, hashes, io));
  return publish(path, io);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Json parseJson(const std::string &text) {
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

/// A tensor as the manifest describes it.
Result<TensorDesc> describedTensor(const Json &json) {
  bool isKnown = json.is_object() && json.contains("name") &&
                 json["name"].is_string() && json.contains("dtype") &&
                 json["dtype"].is_string() && json.contains("shape") &&
                 json["shape"].is_array();
  TensorDesc desc;
  if (isKnown) {
    desc.name = json["name"].get<std::string>();
    std::optional<DType> dtype =
        dtypeFromSafetensors(json["dtype"].get<std::string>());
    isKnown = dtype.has_value();
    desc.dtype = dtype.value_or(DType::F32);
    for (const Json &size : json["shape"]) {
      isKnown = isKnown && size.is_number_unsigned() &&
                size.get<uint64_t>() < uint64_t(1) << 62;
      if (isKnown)
        desc.shape.push_back(size.get<int64_t>());
    }
  }
  if (!isKnown || !checkedBytes(desc.shape, desc.dtype))
    return invalidInput("its list of tensors is damaged");
  return desc;
}

} // namespace

std::string unfinished(const std::string &path) { return path + ".tmp"; }
std::string formerOf(const std::string &path) { return path + ".former"; }

bool isInParts(const std::string &path) {
  std::error_code error;
  return std::filesystem::exists(inFolder(path, kManifestFile), error);
}

void removeParts(const std::string &path, const Io &io) {
  std::error_code error;
  // What is removed halfway is no checkpoint.
  io.unlink(inFolder(path, kManifestFile).c_str());
  std::filesystem::remove_all(path, error);
}

Status saveParts(Ranks *ranks, const Runner &runner, std::string path,
                 const Metadata &metadata, const Io &io) {
  bool isFirst = !ranks || ranks->isFirst();
  uint32_t rank = ranks ? ranks->rank() : 0, size = ranks ? ranks->size() : 1;
  if (ranks)
    MPC_RETURN_IF_ERROR(ranks->broadcast(path));
  std::string folder = unfinished(path);
  MPC_RETURN_IF_ERROR(
      agree(ranks, isFirst ? makeFolder(folder, io) : Status()));
  std::string own = inFolder(folder, partName(rank, size));
  Status written = writePart(runner, own, isFirst, io);
  Result<std::string> hash = written.ok() ? hashOf(own) : written;
  Status all = agree(ranks, hash.status());
  if (!all.ok()) {
    if (isFirst)
      removeParts(folder, io);
    return all;
  }
  MPC_ASSIGN_OR_RETURN(std::vector<std::string> hashes,
                       gatherHashes(ranks, *hash));
  return agree(ranks,
               isFirst ? finish(runner, path, metadata, hashes, io) : Status());
}

Result<CheckpointParts> CheckpointParts::open(std::string path, Check check) {
  CheckpointParts parts(std::move(path));
  std::string manifestPath = inFolder(parts.path_, kManifestFile);
  MPC_ASSIGN_OR_RETURN(SafetensorsFile manifest,
                       SafetensorsFile::open(manifestPath));
  MPC_RETURN_IF_ERROR(manifest.verifyContentHash());
  MPC_RETURN_IF_ERROR(
      parts.readManifest(manifest).withContext(escape(manifestPath)));
  Json files = parseJson(metadataField(manifest.metadata(), kFiles));
  if (!files.is_array() || files.empty())
    return invalidInput(escape(manifestPath) + ": names no file");
  for (const Json &file : files) {
    bool isKnown = file.is_object() && file.contains("file") &&
                   file["file"].is_string() && file.contains("hash") &&
                   file["hash"].is_string();
    std::string name = isKnown ? file["file"].get<std::string>() : "";
    if (name.empty() || name.find('/') != std::string::npos)
      return invalidInput(escape(manifestPath) +
                          ": its list of files is damaged");
    MPC_RETURN_IF_ERROR(
        parts.addPart(name, file["hash"].get<std::string>(), check));
  }
  MPC_RETURN_IF_ERROR(parts.checkWhole().withContext(escape(parts.path_)));
  return parts;
}

Status CheckpointParts::readManifest(const SafetensorsFile &manifest) {
  metadata_ = manifest.metadata();
  Json tensors = parseJson(metadataField(metadata_, kTensors));
  if (!tensors.is_array())
    return invalidInput("its list of tensors is damaged");
  for (const Json &json : tensors) {
    MPC_ASSIGN_OR_RETURN(TensorDesc desc, describedTensor(json));
    pieces_[desc.name];
    tensors_.push_back(std::move(desc));
  }
  for (std::string_view key : {kTensors, kFiles, kHash})
    if (auto it = metadata_.find(key); it != metadata_.end())
      metadata_.erase(it);
  return {};
}

/// Opens a part, whose hash must be that of the manifest.
Status CheckpointParts::addPart(const std::string &name,
                                const std::string &hash, Check check) {
  MPC_ASSIGN_OR_RETURN(SafetensorsFile file,
                       SafetensorsFile::open(inFolder(path_, name)));
  if (metadataField(file.metadata(), kHash) != hash)
    return invalidInput(escape(file.path()) +
                        ": is a part of another checkpoint");
  if (check == Check::Bytes)
    MPC_RETURN_IF_ERROR(file.verifyContentHash());
  Json begins = parseJson(metadataField(file.metadata(), kBegins));
  for (const TensorView &view : file.tensors()) {
    uint64_t begin = 0;
    if (begins.is_object() && begins.contains(view.desc.name) &&
        begins[view.desc.name].is_number_unsigned())
      begin = begins[view.desc.name].get<uint64_t>();
    const TensorDesc *known = find(view.desc.name);
    if (!known || known->dtype != view.desc.dtype || begin > uint64_t(1) << 56)
      return invalidInput(fmt::format("{}: tensor {} is not that of the "
                                      "manifest",
                                      escape(file.path()),
                                      quote(view.desc.name)));
    pieces_[view.desc.name].push_back(
        {begin * byteSize(view.desc.dtype),
         {static_cast<const std::byte *>(view.data),
          static_cast<size_t>(view.desc.numBytes())}});
  }
  files_.push_back(std::move(file));
  return {};
}

/// Whether the parts have each byte of each tensor once.
Status CheckpointParts::checkWhole() const {
  for (const TensorDesc &tensor : tensors_) {
    std::vector<Piece> pieces = pieces_.find(tensor.name)->second;
    std::ranges::sort(pieces, {}, &Piece::begin);
    uint64_t end = 0;
    bool isWhole = true;
    for (const Piece &piece : pieces) {
      isWhole &= piece.begin == end;
      end += piece.bytes.size();
    }
    if (!isWhole || end != static_cast<uint64_t>(tensor.numBytes()))
      return invalidInput(fmt::format("its parts do not make up tensor {}",
                                      quote(tensor.name)));
  }
  return {};
}

const TensorDesc *CheckpointParts::find(std::string_view name) const {
  auto found = std::ranges::find(tensors_, name, &TensorDesc::name);
  return found == tensors_.end() ? nullptr : &*found;
}

const void *CheckpointParts::wholeIn(const TensorDesc &tensor) const {
  const std::vector<Piece> &pieces = pieces_.find(tensor.name)->second;
  return pieces.size() == 1 ? pieces.front().bytes.data() : nullptr;
}

Status CheckpointParts::read(const TensorDesc &tensor, uint64_t begin,
                             std::span<std::byte> to) const {
  uint64_t end = begin + to.size(), copied = 0;
  for (const Piece &piece : pieces_.find(tensor.name)->second) {
    uint64_t first = std::max(begin, piece.begin);
    uint64_t last = std::min(end, piece.begin + piece.bytes.size());
    if (first >= last)
      continue;
    std::memcpy(to.data() + (first - begin),
                piece.bytes.data() + (first - piece.begin), last - first);
    copied += last - first;
  }
  if (copied == to.size())
    return {};
  return internalError(
      fmt::format("bytes {} to {} of a checkpoint's tensor {} are nowhere",
                  begin, end, quote(tensor.name)));
}

Status readOwnParts(const CheckpointParts &parts, Runner &runner) {
  for (const StateTensor &tensor : runner.program().state) {
    if (!isSaved(tensor.role) || !runner.isDivided(tensor))
      continue;
    const TensorDesc *found = parts.find(tensor.desc.name);
    if (!found || found->dtype != tensor.desc.dtype ||
        found->shape != tensor.desc.shape)
      continue; // The import says it.
    MPC_ASSIGN_OR_RETURN(OwnPart own, runner.editOwnPart(tensor));
    MPC_RETURN_IF_ERROR(parts.read(*found, own.begin, own.bytes));
  }
  return {};
}

/// Whether the runner divides a tensor of this name, type and shape.
static bool divides(Runner *runner, const TensorDesc &desc) {
  const StateTensor *own =
      runner ? runner->program().findState(desc.name) : nullptr;
  return own && runner->isDivided(*own) && own->desc.dtype == desc.dtype &&
         own->desc.shape == desc.shape;
}

Result<JoinedTensors> join(const CheckpointParts &parts, Runner *runner) {
  JoinedTensors joined;
  for (const TensorDesc &desc : parts.tensors()) {
    const void *data = parts.wholeIn(desc);
    if (divides(runner, desc)) {
      MPC_ASSIGN_OR_RETURN(std::span<std::byte> memory,
                           runner->editState(desc.name));
      data = memory.data();
    } else if (!data) {
      auto bytes = static_cast<uint64_t>(desc.numBytes());
      MPC_ASSIGN_OR_RETURN(HostBuffer buffer,
                           HostBuffer::allocate(bytes, quote(desc.name)));
      MPC_RETURN_IF_ERROR(parts.read(desc, 0, {buffer.data(), bytes}));
      data = buffer.data();
      joined.memory.push_back(std::move(buffer));
    }
    joined.views.push_back({desc, data});
  }
  if (runner)
    MPC_RETURN_IF_ERROR(readOwnParts(parts, *runner));
  return joined;
}

Status joinParts(const std::string &path, const std::string &file) {
  MPC_ASSIGN_OR_RETURN(
      CheckpointParts parts,
      CheckpointParts::open(path, CheckpointParts::Check::Bytes));
  MPC_ASSIGN_OR_RETURN(JoinedTensors joined, join(parts));
  return writeSafetensorsOutput(file, joined.views, {parts.metadata(), true});
}

} // namespace mpc::rt
