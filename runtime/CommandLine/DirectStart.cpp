// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds programs by the command line for which they were made.
#include "runtime/CommandLine/DirectStart.h"

#include "runtime/Device/CPU/CpuLevel.h"
#include "runtime/Program/ProgramCache.h"
#include "runtime/Support/File.h"
#include "runtime/Support/Hash.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sys/stat.h>

namespace mpc::rt {
namespace {

namespace fs = std::filesystem;

/// The resolution of files' times: their clock may be one kernel tick late.
constexpr std::chrono::milliseconds kTick(10);

/// The hash of a file; empty for a file that exists and cannot be read.
std::optional<std::string> hashOf(const std::string &path) {
  std::error_code error;
  if (!fs::exists(path, error) && !error)
    return "";
  Result<MappedFile> file = MappedFile::open(path);
  if (!file.ok())
    return std::nullopt;
  return ContentHash::of(file->bytes().data(), file->bytes().size());
}

bool isUnchanged(const SourceFile &file) {
  return hashOf(file.path) == file.hash;
}

/// Whether the file's content and name are older than `time`.
bool isOlder(const std::string &path, DirectStart::Time time) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return true;
  auto changed = std::chrono::seconds(info.st_ctim.tv_sec) +
                 std::chrono::nanoseconds(info.st_ctim.tv_nsec);
  return changed + kTick < time.time_since_epoch();
}

/// The file that a word names, directly or as a flag's value; or empty.
std::string fileOf(const std::string &word) {
  std::error_code error;
  for (size_t begin : {size_t(0), word.find('=') + 1})
    if (fs::is_regular_file(word.substr(begin), error))
      return word.substr(begin);
  return "";
}

/// Opens the cache, which is beside the programs that are found by their
/// content.
Result<ProgramCache> openCache() {
  std::string folder = CacheFolder::defaultPath();
  if (folder.empty())
    return ProgramCache::open("");
  MPC_ASSIGN_OR_RETURN(uint64_t limit, CacheFolder::defaultLimit());
  MPC_RETURN_IF_ERROR(ProgramCache::open(folder, limit).status());
  return ProgramCache::open(folder + "/direct", limit);
}

uint64_t valueBytes(const Program &program) {
  uint64_t bytes = 0;
  for (const InitialValue &value : program.initialValues)
    bytes += value.values.size();
  return bytes;
}

/// Adds a text with its length, so that different pairs of texts are never the
/// same bytes.
void add(ContentHash &hash, const std::string &text) {
  std::string framed = std::to_string(text.size()) + ":" + text;
  hash.update(framed.data(), framed.size());
}

std::string digestOf(const DirectKey &key) {
  std::error_code error;
  std::string folder = fs::current_path(error).string();
  std::optional<std::string> compiler = hashOf(key.compiler);
  if (error || key.words.empty() || !compiler || compiler->empty())
    return "";
  ContentHash hash;
  for (const std::string &part : {key.tool, *compiler, cpuIdentity(), folder})
    add(hash, part);
  for (const std::string &word : key.words)
    add(hash, word);
  return hash.digest();
}

} // namespace

std::vector<std::string> wordsOfProgram(const CLI::App &app, int argc,
                                        const char *const *argv) {
  std::vector<std::string> left = app.remaining(), words;
  auto next = left.begin();
  for (int i = 1; i < argc; ++i) {
    bool isLeft = next != left.end() && *next == argv[i];
    words.push_back(isLeft ? *next++ : "");
  }
  return next == left.end() ? words : std::vector<std::string>();
}

DirectStart::DirectStart(const DirectKey &key, Time begun)
    : digest_(digestOf(key)), words_(key.words), begun_(begun) {}

std::shared_ptr<Program> DirectStart::find() const {
  Result<ProgramCache> cache = openCache();
  if (digest_.empty() || !cache.ok())
    return nullptr;
  std::shared_ptr<Program> program = cache->find(digest_);
  if (!program || program->start.files.empty())
    return nullptr;
  const std::vector<SourceFile> &files = program->start.files;
  return std::all_of(files.begin(), files.end(), isUnchanged) ? program
                                                              : nullptr;
}

void DirectStart::store(const Program &program, StartRecord record) const {
  Result<ProgramCache> cache = openCache();
  if (digest_.empty() || !cache.ok() || valueBytes(program) > kMaxValueBytes)
    return;
  for (const std::string &word : words_)
    if (std::string path = fileOf(word); !path.empty())
      record.files.push_back({path, ""});
  for (SourceFile &file : record.files) {
    std::optional<std::string> hash = hashOf(file.path);
    if (!hash || !isOlder(file.path, begun_))
      return;
    file.hash = *hash;
  }
  auto kept = std::make_shared<Program>(program);
  kept->start = std::move(record);
  // A cache that cannot be written is reported where programs are kept by their
  // content.
  (void)cache->store(digest_, kept);
}

} // namespace mpc::rt
