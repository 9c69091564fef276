// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A profile as a table and as JSON.
#include "runtime/Profile/Profile.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

namespace mpc::rt {
namespace {

using Json = nlohmann::ordered_json;

double percent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

double launchesMs(const Profile &profile) {
  double sum = 0;
  for (const EntryProfile &entry : profile.entries)
    sum += entry.launchesMs;
  return sum;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// The entries, and the time that is in no launch.
std::string describeRuns(const Profile &profile) {
  std::string runs;
  double inRuns = 0;
  for (const EntryProfile &entry : profile.entries) {
    runs += fmt::format("{}{} {} of {:.3f} ms", runs.empty() ? "" : ", ",
                        entry.runs, escape(entry.name),
                        entry.totalMs / static_cast<double>(entry.runs));
    inRuns += entry.totalMs;
  }
  double inLaunches = launchesMs(profile);
  return fmt::format(
      "profile: {} in {:.3f} s{}: launches {:.1f} %, between them {:.1f} %, "
      "between runs {:.1f} %\n",
      runs, profile.wallMs / 1e3,
      profile.workers > 0 ? fmt::format(" on {} threads", profile.workers) : "",
      percent(inLaunches, profile.wallMs),
      percent(inRuns - inLaunches, profile.wallMs),
      percent(profile.wallMs - inRuns, profile.wallMs));
}

std::string describePeaks(const MachinePeaks &peaks) {
  if (!peaks.isKnown())
    return "peaks: not measured on this device\n";
  std::string text = "peaks of this run:";
  for (const UnitPeak &unit : peaks.units)
    text += fmt::format(" {:.1f} GFLOP/s ({}),", unit.flops / 1e9, unit.unit);
  for (const MemoryPeak &peak : peaks.memory)
    text += fmt::format(" {:.1f} GB/s ({}),", peak.bytesPerSecond / 1e9,
                        formatBytes(peak.bytes));
  text.back() = '\n';
  return text;
}

/// A cell of a table that is empty for 0.
std::string cell(double value, const char *form) {
  return value > 0 ? fmt::format(fmt::runtime(form), value) : "";
}

/// `text`, in no more than `most` characters.
std::string shorten(const std::string &text, size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

constexpr std::string_view kHead = "    time  median ms      bytes  GFLOP/s    "
                                   " GB/s  of peak  busy  kind      "
                                   "   launch                         nodes\n";

std::string describeLaunch(const Profile &profile, const LaunchProfile &row) {
  return fmt::format(
      "{:6.1f} %  {:9.4f} {:>10} {:>8} {:>8} {:>8} {:>5}  {:12} {:30} {}\n",
      percent(row.totalMs, profile.wallMs), row.medianMs,
      formatBytes(row.bytes()), cell(row.gflops(), "{:.1f}"),
      cell(row.gigabytes(), "{:.1f}"), cell(row.ofCeiling() * 100, "{:.0f} %"),
      row.busy ? fmt::format("{:.0f} %", *row.busy * 100) : "",
      escape(row.kind),
      shorten(fmt::format("{}:{} {}", escape(row.entry), row.launch,
                          escape(row.symbol)),
              30),
      shorten(escape(row.nodes), 48));
}

/// The launches that the table leaves out, in a line.
std::string describeRest(const Profile &profile, size_t most) {
  if (profile.launches.size() <= most)
    return "";
  double sum = 0;
  for (size_t i = most; i < profile.launches.size(); ++i)
    sum += profile.launches[i].totalMs;
  return fmt::format("{:6.1f} %  {} further launches; --profile=FILE has all\n",
                     percent(sum, profile.wallMs),
                     profile.launches.size() - most);
}

/// The time by kind, the most first.
std::string describeKinds(const Profile &profile) {
  std::map<std::string, double> byKind;
  for (const LaunchProfile &row : profile.launches)
    byKind[row.kind] += row.totalMs;
  std::vector<std::pair<std::string, double>> kinds(byKind.begin(),
                                                    byKind.end());
  std::sort(kinds.begin(), kinds.end(), [](const auto &a, const auto &b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  std::string text = "by kind:";
  for (const auto &[kind, ms] : kinds)
    text +=
        fmt::format(" {} {:.1f} %,", escape(kind), percent(ms, profile.wallMs));
  text.back() = '\n';
  return text;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

Json toJson(const MachinePeaks &peaks) {
  if (!peaks.isKnown())
    return nullptr;
  Json units = Json::array(), memory = Json::array();
  for (const UnitPeak &unit : peaks.units)
    units.push_back({{"unit", unit.unit}, {"gflop_s", unit.flops / 1e9}});
  for (const MemoryPeak &peak : peaks.memory)
    memory.push_back(
        {{"bytes", peak.bytes}, {"gb_s", peak.bytesPerSecond / 1e9}});
  return {{"units", std::move(units)}, {"memory", std::move(memory)}};
}

Json toJson(const EntryProfile &entry) {
  return {{"name", entry.name},
          {"runs", entry.runs},
          {"total_ms", entry.totalMs},
          {"launches_ms", entry.launchesMs}};
}

/// Null where it is not known.
Json known(double value) { return value > 0 ? Json(value) : Json(nullptr); }

Json toJson(const Profile &profile, const LaunchProfile &row) {
  Json bound = row.isMemoryBound ? "memory" : "arithmetic";
  return {{"entry", row.entry},
          {"launch", row.launch},
          {"symbol", row.symbol},
          {"kind", row.kind},
          {"nodes", row.nodes},
          {"runs", row.runs},
          {"total_ms", row.totalMs},
          {"median_ms", row.medianMs},
          {"least_ms", row.leastMs},
          {"share", percent(row.totalMs, profile.wallMs) / 100},
          {"busy", row.busy ? Json(*row.busy) : Json(nullptr)},
          {"bytes_read", row.readBytes},
          {"bytes_written", row.writtenBytes},
          {"flops", row.flops},
          {"gflop_s", row.gflops()},
          {"gb_s", row.gigabytes()},
          {"ceiling_ms", known(row.ceilingMs)},
          {"of_ceiling", known(row.ofCeiling())},
          {"bound", row.ceilingMs > 0 ? bound : Json(nullptr)}};
}

} // namespace

std::string describeProfile(const Profile &profile, size_t mostLaunches) {
  if (profile.entries.empty())
    return "profile: nothing has run\n";
  std::string text = describeRuns(profile) + describePeaks(profile.peaks) +
                     describeKinds(profile) + std::string(kHead);
  size_t shown = std::min(mostLaunches, profile.launches.size());
  for (size_t i = 0; i < shown; ++i)
    text += describeLaunch(profile, profile.launches[i]);
  return text + describeRest(profile, mostLaunches);
}

std::string toJson(const Profile &profile) {
  Json entries = Json::array(), launches = Json::array();
  for (const EntryProfile &entry : profile.entries)
    entries.push_back(toJson(entry));
  for (const LaunchProfile &row : profile.launches)
    launches.push_back(toJson(profile, row));
  Json json = {
      {"schema", "mpc-profile/1"},     {"threads", profile.workers},
      {"wall_ms", profile.wallMs},     {"peaks", toJson(profile.peaks)},
      {"entries", std::move(entries)}, {"launches", std::move(launches)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace mpc::rt
