// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds metrics among outputs, and sums them up.
#include "runtime/Runner/MetricSums.h"

#include "runtime/Program/StepNames.h"
#include "runtime/Support/Convert.h"

#include <algorithm>
#include <cmath>

namespace mpc::rt {
namespace {

/// The metric to which an output called `name` belongs.
std::string_view stemOf(std::string_view name) {
  for (std::string_view suffix : {step::kSumSuffix, step::kCountSuffix})
    if (name.ends_with(suffix))
      return name.substr(0, name.size() - suffix.size());
  return name;
}

bool has(const std::vector<TensorDesc> &outputs, const std::string &name) {
  return std::any_of(
      outputs.begin(), outputs.end(),
      [&](const TensorDesc &output) { return output.name == name; });
}

/// Whether the output is one value for each row of a batch of `rows`.
bool isPerRow(const TensorDesc &output, int64_t rows) {
  return rows > 1 && !output.shape.empty() && output.shape[0] == rows &&
         output.numElements() == rows;
}

double sumOfRows(const TensorView &values, int64_t rows) {
  std::vector<double> wide(static_cast<size_t>(values.desc.numElements()));
  (void)convert(values.data, values.desc.dtype, wide.data(), DType::F64,
                values.desc.numElements());
  double sum = 0;
  for (int64_t i = 0; i < rows; ++i)
    sum += wide[static_cast<size_t>(i)];
  return sum;
}

} // namespace

bool takesRows(const Entry &entry) {
  return std::any_of(
      entry.inputs.begin(), entry.inputs.end(),
      [](const TensorDesc &input) { return input.name == step::kCountedRows; });
}

MetricSums::MetricSums(const Entry &entry, int64_t batchSize)
    : batchSize_(batchSize) {
  bool hasPairs = takesRows(entry);
  for (const TensorDesc &output : entry.outputs) {
    std::string name(hasPairs ? stemOf(output.name) : output.name);
    if (std::find(names_.begin(), names_.end(), name) != names_.end())
      continue;
    std::string sum = name + std::string(step::kSumSuffix);
    std::string count = name + std::string(step::kCountSuffix);
    Metric metric = {Kind::PerBatch, output.name, ""};
    if (hasPairs && has(entry.outputs, sum))
      metric = {has(entry.outputs, count) ? Kind::Quotient : Kind::Sum, sum,
                count};
    else if (isPerRow(output, batchSize))
      metric.kind = Kind::PerRow;
    else if (output.numElements() != 1)
      continue;
    names_.push_back(std::move(name));
    metrics_.push_back(std::move(metric));
  }
}

std::vector<std::string> MetricSums::byBatch() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < names_.size(); ++i)
    if (metrics_[i].kind == Kind::PerBatch)
      names.push_back(names_[i]);
  return names;
}

void MetricSums::reset() {
  for (Metric &metric : metrics_)
    metric.total = {};
}

std::vector<MetricSums::Part> MetricSums::partsOf(const EntryCall &call,
                                                  int64_t rows) const {
  std::vector<Part> parts;
  for (const Metric &metric : metrics_)
    parts.push_back(partOf(metric, call, rows));
  return parts;
}

void MetricSums::add(std::span<const Part> parts) {
  for (size_t i = 0; i < metrics_.size(); ++i) {
    metrics_[i].total.sum += parts[i].sum;
    metrics_[i].total.divisor += parts[i].divisor;
  }
}

MetricSums::Part MetricSums::partOf(const Metric &metric, const EntryCall &call,
                                    int64_t rows) const {
  auto scalar = [&](const std::string &name) {
    return call.scalar(name).value_or(0);
  };
  switch (metric.kind) {
  case Kind::Quotient:
    return {scalar(metric.output), scalar(metric.count)};
  case Kind::Sum:
    return {scalar(metric.output), 0};
  case Kind::PerRow:
    return {sumOfRows(*call.output(metric.output), rows),
            static_cast<double>(rows)};
  case Kind::PerBatch:
    return rows < batchSize_ ? Part() : Part{scalar(metric.output), 1};
  }
  return {};
}

std::vector<double> MetricSums::values() const {
  std::vector<double> values;
  for (size_t i = 0; i < metrics_.size(); ++i) {
    const Metric &metric = metrics_[i];
    bool isSum = metric.kind == Kind::Sum;
    double mean =
        isSum ? metric.total.sum : metric.total.sum / metric.total.divisor;
    bool isPerplexity =
        metric.kind == Kind::Quotient && names_[i] == step::kPerplexity;
    values.push_back(isPerplexity ? std::exp(mean) : mean);
  }
  return values;
}

} // namespace mpc::rt
