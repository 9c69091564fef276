// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares and hands out what all ranks must have.
#include "runtime/Train/RankAgreement.h"

#include "runtime/Support/Hash.h"
#include "runtime/Train/CheckpointParts.h"

#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mpc::rt {
namespace {

/// The ranks whose value differs from that of rank 0.
template <typename T>
std::vector<size_t> ranksThatDiffer(const std::vector<T> &values) {
  std::vector<size_t> ranks;
  for (size_t rank = 1; rank < values.size(); ++rank)
    if (values[rank] != values.front())
      ranks.push_back(rank);
  return ranks;
}

std::string listOf(const std::vector<size_t> &ranks) {
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s",
                     fmt::join(ranks, ", "));
}

/// Something that must be the same on all ranks, and the digest of its bytes.
struct Digested {
  std::string name;
  std::string digest;
};

/// The first of `things` that differs, and where: "the data of rank 2";
/// empty where none does.
Result<std::string> findDifference(Ranks &ranks,
                                   const std::vector<Digested> &things) {
  std::vector<char> own;
  for (const Digested &thing : things)
    own.insert(own.end(), thing.digest.begin(), thing.digest.end());
  MPC_ASSIGN_OR_RETURN(std::vector<char> all, ranks.gatherValues(own));
  for (size_t index = 0; index != things.size(); ++index) {
    std::vector<std::string> digests;
    for (size_t rank = 0; rank != ranks.size(); ++rank)
      digests.emplace_back(all.data() + rank * own.size() +
                               index * ContentHash::kDigits,
                           ContentHash::kDigits);
    std::vector<size_t> others = ranksThatDiffer(digests);
    if (!others.empty())
      return fmt::format("{} of {}", things[index].name, listOf(others));
  }
  return std::string();
}

/// Texts one after the other, each behind its length.
std::string join(const Metadata &fields) {
  std::string joined;
  for (const auto &[key, value] : fields)
    for (const std::string &text : {key, value})
      joined += std::to_string(text.size()) + ":" + text;
  return joined;
}

/// Takes the next text of those that were joined; empty where there is none.
std::string takeText(std::string_view &joined) {
  size_t length = 0;
  auto [end, error] =
      std::from_chars(joined.data(), joined.data() + joined.size(), length);
  size_t begin = static_cast<size_t>(end - joined.data()) + 1;
  if (error != std::errc() || begin > joined.size() ||
      length > joined.size() - begin) {
    joined = {};
    return "";
  }
  std::string text(joined.substr(begin, length));
  joined.remove_prefix(begin + length);
  return text;
}

Status sharePosition(Ranks &ranks, std::optional<TrainPosition> &position) {
  std::string joined;
  if (ranks.isFirst() && position)
    joined = join(toFields(*position));
  MPC_RETURN_IF_ERROR(ranks.broadcast(joined));
  if (ranks.isFirst() || joined.empty())
    return {};
  Metadata fields;
  for (std::string_view left = joined; !left.empty();) {
    std::string key = takeText(left);
    fields[key] = takeText(left);
  }
  MPC_ASSIGN_OR_RETURN(position, parsePosition(fields));
  return {};
}

bool isDivided(const Runner &runner, const TensorView &tensor) {
  return runner.isDivided(*runner.program().findState(tensor.desc.name));
}

/// The first tensor whose bytes differ, and where; empty for none.
Result<std::string> findStateDifference(Ranks &ranks, const Runner &runner) {
  MPC_ASSIGN_OR_RETURN(std::vector<TensorView> state, runner.exportState());
  std::vector<Digested> things;
  for (const TensorView &tensor : state)
    if (!isDivided(runner, tensor))
      things.push_back({fmt::format("'{}'", tensor.desc.name),
                        ContentHash::of(tensor.data, tensor.desc.numBytes())});
  return findDifference(ranks, things);
}

/// Reads this rank's part of a checkpoint that rank 0 has checked.
Status readOwn(const std::string &folder, Runner &runner) {
  MPC_ASSIGN_OR_RETURN(
      CheckpointParts parts,
      CheckpointParts::open(folder, CheckpointParts::Check::Hashes));
  return readOwnParts(parts, runner);
}

} // namespace

Status agree(Ranks *ranks, const Status &own) {
  // Nothing can be told to ranks that are lost; they find that out themselves.
  if (!ranks || own.code() == StatusCode::Peer)
    return own;
  MPC_ASSIGN_OR_RETURN(
      std::vector<int> codes,
      ranks->gatherValues(std::vector<int>{static_cast<int>(own.code())}));
  if (!own.ok())
    return own;
  std::vector<size_t> failed;
  for (size_t rank = 0; rank < codes.size(); ++rank)
    if (codes[rank] != 0)
      failed.push_back(rank);
  if (failed.empty())
    return {};
  return Status(StatusCode::Peer,
                fmt::format("{} cannot go on, and says why", listOf(failed)));
}

Status compareFacts(Ranks *ranks, const std::vector<SharedFact> &facts) {
  if (!ranks)
    return {};
  std::vector<Digested> things;
  for (const SharedFact &fact : facts)
    things.push_back(
        {fact.name, ContentHash::of(fact.text.data(), fact.text.size())});
  MPC_ASSIGN_OR_RETURN(std::string difference, findDifference(*ranks, things));
  if (difference.empty())
    return {};
  return usageError(difference + " differ from those of rank 0");
}

Status compareStates(Ranks *ranks, const Runner &runner) {
  if (!ranks)
    return {};
  MPC_ASSIGN_OR_RETURN(std::string difference,
                       findStateDifference(*ranks, runner));
  if (difference.empty())
    return {};
  return Status(StatusCode::Peer,
                difference + " differs from that of rank 0: memory or a "
                             "processor is at fault; --resume goes on from "
                             "the last checkpoint");
}

Status compareFirstStates(Ranks *ranks, const Runner &runner) {
  if (!ranks)
    return {};
  MPC_ASSIGN_OR_RETURN(std::string difference,
                       findStateDifference(*ranks, runner));
  if (difference.empty())
    return {};
  return usageError(difference +
                    " differs from that of rank 0: ranks begin "
                    "with one seed, or one gives its state to all");
}

Status shareStart(Ranks *ranks, Runner &runner,
                  std::optional<TrainPosition> &position, std::string parts) {
  if (!ranks)
    return {};
  MPC_RETURN_IF_ERROR(sharePosition(*ranks, position));
  MPC_RETURN_IF_ERROR(ranks->broadcast(parts));
  MPC_ASSIGN_OR_RETURN(std::vector<TensorView> state, runner.exportState());
  std::vector<TensorView> shared;
  std::vector<std::vector<std::byte>> memory;
  for (const TensorView &tensor : state) {
    if (isDivided(runner, tensor)) {
      shared.push_back(tensor); // It is dealt out below, where it lies.
      continue;
    }
    const auto *data = static_cast<const std::byte *>(tensor.data);
    std::vector<std::byte> &bytes =
        memory.emplace_back(data, data + tensor.desc.numBytes());
    MPC_RETURN_IF_ERROR(ranks->broadcast(std::span(bytes)));
    shared.push_back({tensor.desc, bytes.data()});
  }
  if (!ranks->isFirst())
    MPC_RETURN_IF_ERROR(runner.importState(shared));
  if (!runner.isDivided())
    return {};
  if (parts.empty())
    MPC_RETURN_IF_ERROR(runner.dealState());
  else
    MPC_RETURN_IF_ERROR(
        agree(ranks, ranks->isFirst() ? Status() : readOwn(parts, runner)));
  runner.keepOwnState();
  return runner.derive();
}

Status withWholeState(Runner &runner, const std::function<Status()> &use) {
  Ranks *ranks = runner.ranks();
  if (!ranks)
    return use();
  bool isDivided = runner.isDivided();
  if (isDivided)
    MPC_RETURN_IF_ERROR(runner.collectState());
  if (!ranks->isFirst())
    return {};
  Status status = use();
  if (isDivided)
    runner.keepOwnState();
  return status;
}

} // namespace mpc::rt
