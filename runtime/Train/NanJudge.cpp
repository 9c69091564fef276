// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the tensor at fault.
#include "runtime/Train/NanJudge.h"

#include "runtime/Support/ElementFormat.h"

#include <algorithm>
#include <cmath>

namespace mpc::rt {
namespace {

class Judge {
public:
  Judge(std::span<const ProbeSite> sites, std::span<const double> largest)
      : sites_(sites), largest_(largest) {}

  std::optional<NanFinding> run() {
    findBad();
    size_t first = firstBad([](const ProbeSite &) { return true; });
    if (first == sites_.size())
      return std::nullopt;
    NanFinding finding;
    finding.first = tensor(first);
    finding.site = first;
    for (int64_t input : sites_[first].inputs)
      finding.largestInput =
          std::max(finding.largestInput.value_or(0.0), largest_[input]);
    size_t gradient =
        firstBad([](const ProbeSite &site) { return !site.parameter.empty(); });
    if (gradient != sites_.size())
      finding.parameter = tensor(gradient);
    finding.guilty = findGuilty();
    return finding;
  }

private:
  [[nodiscard]] bool isFinite(size_t site) const {
    return std::isfinite(largest_[site]);
  }
  [[nodiscard]] bool is16Bit(size_t site) const {
    return elementFormatOf(sites_[site].desc.dtype).isLowPrecision();
  }
  [[nodiscard]] ProbedTensor tensor(size_t site) const {
    return {sites_[site], largest_[site]};
  }

  /// For each site, whether a path over sites that are not finite leads from it
  /// to a value that the step uses.
  [[nodiscard]] std::vector<bool> findLeading() const {
    std::vector<bool> leads(sites_.size());
    for (size_t i = sites_.size(); i-- > 0;) {
      leads[i] = !isFinite(i) && (leads[i] || sites_[i].isUsed);
      if (leads[i])
        for (int64_t input : sites_[i].inputs)
          leads[input] = true;
    }
    return leads;
  }

  /// For each site, whether it is infinite because of an infinite constant.
  [[nodiscard]] std::vector<bool> findMeant() const {
    std::vector<bool> meant(sites_.size());
    for (size_t i = 0; i < sites_.size(); ++i)
      meant[i] = std::isinf(largest_[i]) &&
                 (sites_[i].readsInfinity ||
                  std::ranges::any_of(sites_[i].inputs, [&](int64_t input) {
                    return meant[input];
                  }));
    return meant;
  }

  /// Finds the sites that should be finite and are not.
  void findBad() {
    std::vector<bool> leads = findLeading(), meant = findMeant();
    bool anyLeads = false, anyLeft = false;
    for (size_t i = 0; i < sites_.size(); ++i) {
      anyLeads |= leads[i];
      anyLeft |= leads[i] && !meant[i];
    }
    for (size_t i = 0; i < sites_.size(); ++i) {
      bool isFault = anyLeft    ? leads[i] && !meant[i]
                     : anyLeads ? leads[i]
                                : !meant[i];
      bad_.push_back(!isFinite(i) && isFault);
    }
  }

  /// The first bad site for which `isWanted` holds; the number of sites where
  /// there is none.
  size_t firstBad(auto &&isWanted) const {
    size_t i = 0;
    while (i < sites_.size() && !(bad_[i] && isWanted(sites_[i])))
      ++i;
    return i;
  }

  /// Adds the nodes whose values the 16-bit casts before `node` read. The
  /// gradient of `node` in f32 is cast to their type.
  void addProducers(const std::string &node,
                    std::vector<std::string> &names) const {
    for (const ProbeSite &site : sites_) {
      if (site.gradient || site.op != "nn.cast" || site.node != node)
        continue;
      for (int64_t input : site.inputs)
        if (is16Bit(input))
          names.push_back(sites_[input].node);
    }
  }

  /// The nodes of the first bad 16-bit tensor that was computed.
  [[nodiscard]] std::vector<std::string> findGuilty() const {
    std::vector<std::string> names;
    size_t first = 0;
    auto isComputed = [&](size_t i) {
      return bad_[i] && is16Bit(i) && sites_[i].op != "input" &&
             sites_[i].op != "nn.get";
    };
    while (first < sites_.size() && !isComputed(first))
      ++first;
    if (first == sites_.size())
      return names;
    const ProbeSite &site = sites_[first];
    names.push_back(site.node);
    if (site.gradient && site.op == "nn.cast")
      addProducers(site.node, names);
    std::erase(names, "");
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    return names;
  }

  std::span<const ProbeSite> sites_;
  std::span<const double> largest_;
  std::vector<bool> bad_;
};

} // namespace

std::optional<NanFinding> findFault(std::span<const ProbeSite> sites,
                                    std::span<const double> largest) {
  return Judge(sites, largest).run();
}

std::optional<NanFinding> findFaultOnRanks(std::span<const ProbeSite> sites,
                                           std::span<const double> largest,
                                           uint32_t ranks) {
  std::optional<NanFinding> first;
  std::vector<std::string> guilty;
  size_t count = largest.size() / ranks;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    std::optional<NanFinding> own =
        findFault(sites, largest.subspan(rank * count, count));
    if (!own)
      continue;
    guilty.insert(guilty.end(), own->guilty.begin(), own->guilty.end());
    own->rank = rank;
    if (!first || own->site < first->site)
      first = std::move(own);
  }
  if (first) {
    std::ranges::sort(guilty);
    guilty.erase(std::ranges::unique(guilty).begin(), guilty.end());
    first->guilty = std::move(guilty);
  }
  return first;
}

} // namespace mpc::rt
