// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checked access to JSON.
#include "runtime/Program/FieldReader.h"

#include "runtime/Support/Text.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace mpc::rt {

void FieldReader::fail(std::string_view key, std::string_view expected) {
  if (status_.ok())
    status_ = invalidInput(
        fmt::format("manifest: {} is not {}", quote(key), expected));
}

const nlohmann::json &FieldReader::field(const Json &json, const char *key) {
  static const Json kNull;
  auto it = json.find(key);
  return json.is_object() && it != json.end() ? *it : kNull;
}

std::string FieldReader::text(const Json &json, const char *key) {
  const Json &value = field(json, key);
  if (value.is_string())
    return value.get_ref<const std::string &>();
  fail(key, "a text");
  return "";
}

uint64_t FieldReader::size(const Json &json, const char *key) {
  const Json &value = field(json, key);
  if (value.is_number_unsigned())
    return value.get<uint64_t>();
  fail(key, "a whole number from 0 on");
  return 0;
}

uint32_t FieldReader::index(const Json &json, const char *key) {
  uint64_t value = size(json, key);
  if (value <= std::numeric_limits<uint32_t>::max())
    return static_cast<uint32_t>(value);
  fail(key, "an index");
  return 0;
}

int64_t FieldReader::integer(const Json &json, const char *key) {
  const Json &value = field(json, key);
  bool fits = value.is_number_integer() &&
              (!value.is_number_unsigned() ||
               value.get<uint64_t>() <= uint64_t(INT64_MAX));
  if (fits)
    return value.get<int64_t>();
  fail(key, "a whole number");
  return 0;
}

double FieldReader::number(const Json &json, const char *key) {
  const Json &value = field(json, key);
  if (value.is_number() && std::isfinite(value.get<double>()))
    return value.get<double>();
  fail(key, "a number");
  return 0;
}

bool FieldReader::flag(const Json &json, const char *key) {
  const Json &value = field(json, key);
  if (value.is_boolean())
    return value.get<bool>();
  fail(key, "true or false");
  return false;
}

std::vector<int64_t> FieldReader::shape(const Json &json, const char *key) {
  std::vector<int64_t> dims;
  each(json, key, [&](const Json &dim) {
    bool isSize =
        dim.is_number_unsigned() && dim.get<uint64_t>() <= uint64_t(INT64_MAX);
    if (!isSize)
      fail(key, "a list of sizes");
    dims.push_back(isSize ? dim.get<int64_t>() : 0);
  });
  return dims;
}

} // namespace mpc::rt
