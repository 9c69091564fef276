// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows in CSV, their file, and the summary of a run.
#include "runtime/Train/Metrics.h"

#include "runtime/Support/File.h"
#include "runtime/Support/JsonNumber.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace mpc::rt {
namespace {

template <typename T>
bool readField(std::string_view field, T &out) {
  auto [end, error] =
      std::from_chars(field.data(), field.data() + field.size(), out);
  return error == std::errc() && end == field.data() + field.size();
}

/// Splits at commas.
std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos)
      return fields;
    line.remove_prefix(comma + 1);
  }
}

/// A field of text by RFC 4180, on one line.
std::string textField(const std::string &text) {
  std::string field = escape(text);
  if (field.find_first_of(",\"") == std::string::npos)
    return field;
  std::string quoted = "\"";
  for (char c : field)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

/// The number of columns that every file has.
constexpr size_t kNumColumns = 8;

/// The peak memory of this program. ru_maxrss would start with the peak of the
/// process that started it.
double peakRssMb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (double kib = 0; std::sscanf(line.c_str(), "VmHWM: %lf kB", &kib) == 1)
      return kib / 1024;
  return 0;
}

/// The bytes of `text` up to the row of `step`, with the header. The rows are
/// added to `kept`.
Result<size_t> keptBytes(std::string_view text, int64_t step,
                         std::string_view header,
                         std::vector<MetricsRow> &kept) {
  size_t headerEnd = text.find('\n');
  if (text.empty())
    return size_t(0);
  if (text.substr(0, headerEnd) != header)
    return invalidInput(fmt::format("expected the header '{}', found {}",
                                    header, quote(text.substr(0, headerEnd))));
  if (headerEnd == std::string_view::npos)
    return size_t(0);
  size_t position = headerEnd + 1;
  for (;;) {
    size_t end = text.find('\n', position);
    MetricsRow row;
    if (end == std::string_view::npos ||
        !parseCsv(text.substr(position, end - position), row) ||
        row.step >= step)
      return position;
    kept.push_back(row);
    position = end + 1;
  }
}

} // namespace

std::string metricsHeader(const std::vector<std::string> &others) {
  std::string header(kMetricsHeader);
  for (const std::string &name : others)
    header += "," + textField(name);
  return header;
}

std::string toCsv(const MetricsRow &row) {
  double stepMs = std::round(row.stepMs * 1e4) / 1e4;
  std::string line = fmt::format(
      "{},{},{},{},{},{},{},{}", row.step, shortestDecimal(row.loss),
      shortestDecimal(row.lr), shortestDecimal(row.scale),
      shortestDecimal(row.goodSteps), row.skipped ? 1 : 0,
      shortestDecimal(row.gradNorm), shortestDecimal(stepMs));
  for (std::optional<double> other : row.others)
    line += "," + (other ? shortestDecimal(*other) : "");
  return line;
}

bool parseCsv(std::string_view line, MetricsRow &row) {
  std::vector<std::string_view> fields = split(line);
  int skipped = 0;
  if (fields.size() < kNumColumns || !readField(fields[0], row.step) ||
      !readField(fields[1], row.loss) || !readField(fields[2], row.lr) ||
      !readField(fields[3], row.scale) ||
      !readField(fields[4], row.goodSteps) || !readField(fields[5], skipped) ||
      !readField(fields[6], row.gradNorm) || !readField(fields[7], row.stepMs))
    return false;
  row.skipped = skipped != 0;
  row.others.assign(fields.size() - kNumColumns, std::nullopt);
  for (size_t i = kNumColumns; i < fields.size(); ++i)
    if (!fields[i].empty() &&
        !readField(fields[i], row.others[i - kNumColumns].emplace()))
      return false;
  return true;
}

Result<MetricsWriter> MetricsWriter::create(const std::string &path,
                                            std::string_view header) {
  MPC_ASSIGN_OR_RETURN(OutputStream stream, OutputStream::open(path));
  MPC_RETURN_IF_ERROR(stream.append(std::string(header) + "\n"));
  return MetricsWriter(std::move(stream));
}

Result<MetricsWriter> MetricsWriter::resume(const std::string &path,
                                            int64_t step,
                                            std::vector<MetricsRow> &kept,
                                            std::string_view header) {
  MPC_ASSIGN_OR_RETURN(OutputPlace place, OutputPlace::find(path));
  if (!place.isFile() || ::access(path.c_str(), F_OK) != 0)
    return create(path, header);
  size_t bytes = 0;
  {
    MPC_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(path));
    std::string_view text(reinterpret_cast<const char *>(file.bytes().data()),
                          file.bytes().size());
    Result<size_t> result = keptBytes(text, step, header, kept);
    if (!result.ok())
      return result.status().withContext(escape(path));
    bytes = *result;
  }
  MPC_ASSIGN_OR_RETURN(OutputStream stream,
                       OutputStream::open(path, OutputStream::Begin::Continue));
  MPC_RETURN_IF_ERROR(stream.cut(bytes));
  if (bytes == 0)
    MPC_RETURN_IF_ERROR(stream.append(std::string(header) + "\n"));
  return MetricsWriter(std::move(stream));
}

Status MetricsWriter::append(const MetricsRow &row) {
  return stream_.append(toCsv(row) + "\n");
}

Status MetricsWriter::sync() { return stream_.sync(); }

void RunSummary::add(const MetricsRow &row) {
  if (stepMs_.empty())
    firstLoss_ = row.loss;
  lastLoss_ = row.loss;
  skipped_ += row.skipped;
  stepMs_.push_back(row.stepMs);
}

static void addEvaluation(const EvaluationSummary &evaluation,
                          nlohmann::ordered_json &json) {
  json["evaluations"] = evaluation.evaluations;
  for (const auto &[column, value] : evaluation.values)
    json[column] = jsonNumber(value);
  if (const auto &best = evaluation.best)
    json["best"] = {{"metric", best->metric},
                    {"value", jsonNumber(best->value)},
                    {"step", best->step}};
  json["stopped_early"] = evaluation.stoppedEarly;
}

std::string RunSummary::toJson() const {
  nlohmann::ordered_json json;
  json["step_ms_median"] = jsonNumber(quantile(stepMs_, 0.5));
  json["step_ms_p10"] = jsonNumber(quantile(stepMs_, 0.1));
  json["step_ms_p90"] = jsonNumber(quantile(stepMs_, 0.9));
  json["peak_rss_mb"] = jsonNumber(peakRssMb());
  json["slot_bytes"] = slotBytes;
  json["loss_first"] = stepMs_.empty() ? nullptr : jsonNumber(firstLoss_);
  json["loss_last"] = stepMs_.empty() ? nullptr : jsonNumber(lastLoss_);
  json["compile_s"] = jsonNumber(compileSeconds);
  auto &stages = json["compile_stages_s"] = nlohmann::ordered_json::object();
  for (const auto &[stage, seconds] : compileStages)
    stages[stage] = jsonNumber(seconds);
  json["steps"] = stepMs_.size();
  json["skipped"] = skipped_;
  json["applied"] = static_cast<int64_t>(stepMs_.size()) - skipped_;
  if (evaluation.evaluations > 0)
    addEvaluation(evaluation, json);
  return json.dump() + "\n";
}

double quantile(std::vector<double> values, double q) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  double place = q * static_cast<double>(values.size() - 1);
  auto low = static_cast<size_t>(place);
  size_t high = std::min(low + 1, values.size() - 1);
  return values[low] +
         (place - static_cast<double>(low)) * (values[high] - values[low]);
}

} // namespace mpc::rt
