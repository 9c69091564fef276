// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares and hands out what all ranks must have.
#include "runtime/Train/RankAgreement.h"

#include "runtime/Support/Hash.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

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

/// The digest of a text, as a value of fixed size.
std::vector<char> digestOf(const std::string &text) {
  std::string digest = ContentHash::of(text.data(), text.size());
  return {digest.begin(), digest.end()};
}

Status sharePosition(Ranks &ranks, std::optional<TrainPosition> &position) {
  std::string text;
  if (ranks.isFirst() && position)
    text = nlohmann::json(toFields(*position)).dump();
  MPC_RETURN_IF_ERROR(ranks.broadcast(text));
  if (ranks.isFirst() || text.empty())
    return {};
  auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object())
    return internalError("rank 0 sent a position that cannot be read");
  Metadata fields;
  for (const auto &[key, value] : json.items())
    fields[key] = value.get<std::string>();
  MPC_ASSIGN_OR_RETURN(position, parsePosition(fields));
  return {};
}

} // namespace

Status agree(Ranks *ranks, const Status &own) {
  if (!ranks)
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
  std::string differing;
  for (const SharedFact &fact : facts) {
    MPC_ASSIGN_OR_RETURN(std::vector<char> all,
                         ranks->gatherValues(digestOf(fact.text)));
    std::vector<std::string> digests;
    for (size_t rank = 0; rank < ranks->size(); ++rank)
      digests.emplace_back(all.data() + rank * ContentHash::kDigits,
                           ContentHash::kDigits);
    std::vector<size_t> others = ranksThatDiffer(digests);
    if (!others.empty() && differing.empty())
      differing = fmt::format("{} of {} differ from those of rank 0", fact.name,
                              listOf(others));
  }
  return differing.empty() ? Status() : usageError(differing);
}

Status shareStart(Ranks *ranks, Runner &runner,
                  std::optional<TrainPosition> &position) {
  if (!ranks)
    return {};
  MPC_RETURN_IF_ERROR(sharePosition(*ranks, position));
  MPC_ASSIGN_OR_RETURN(std::vector<TensorView> state, runner.exportState());
  std::vector<TensorView> shared;
  std::vector<std::vector<std::byte>> memory;
  for (const TensorView &tensor : state) {
    const auto *data = static_cast<const std::byte *>(tensor.data);
    std::vector<std::byte> &bytes =
        memory.emplace_back(data, data + tensor.desc.numBytes());
    MPC_RETURN_IF_ERROR(ranks->broadcast(std::span(bytes)));
    shared.push_back({tensor.desc, bytes.data()});
  }
  return ranks->isFirst() ? Status() : runner.importState(shared);
}

} // namespace mpc::rt
