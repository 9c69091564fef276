// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Checked access to the fields of a manifest's objects. A manifest is not
/// trusted: a field of an unexpected type or range is an error that names it.
#ifndef MPC_RUNTIME_PROGRAM_FIELDREADER_H
#define MPC_RUNTIME_PROGRAM_FIELDREADER_H

#include "runtime/Program/ManifestNames.h"
#include "runtime/Support/Status.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// The enumerator with that name in a manifest; empty where there is none.
template <typename Enum>
std::optional<Enum> findName(std::string_view text) {
  const auto &names = EnumNames<Enum>::kNames;
  auto it = std::find(names.begin(), names.end(), text);
  if (it == names.end())
    return std::nullopt;
  return static_cast<Enum>(it - names.begin());
}

/// Reads fields and remembers the first error. Fields that are read after an
/// error are zero or empty.
class FieldReader {
public:
  using Json = nlohmann::json;

  [[nodiscard]] const Status &status() const { return status_; }
  /// Reports that the field `key` is not as expected.
  void fail(std::string_view key, std::string_view expected);

  /// The field, or null where `json` has no field of the name.
  static const Json &field(const Json &json, const char *key);
  std::string text(const Json &json, const char *key);
  uint64_t size(const Json &json, const char *key);
  uint32_t index(const Json &json, const char *key);
  int64_t integer(const Json &json, const char *key);
  double number(const Json &json, const char *key);
  bool flag(const Json &json, const char *key);
  std::vector<int64_t> shape(const Json &json, const char *key);
  /// Reads a word of an enumeration.
  template <typename Enum>
  Enum word(const Json &json, const char *key) {
    if (std::optional<Enum> value = findName<Enum>(text(json, key)))
      return *value;
    fail(key, "one of the words known for it");
    return Enum();
  }
  /// Calls `read` on each element of a list.
  void each(const Json &json, const char *key, auto &&read) {
    const Json &list = field(json, key);
    if (!list.is_array())
      return fail(key, "a list");
    for (const Json &element : list)
      read(element);
  }

private:
  Status status_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_FIELDREADER_H
