// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads JSON of exported programs, checked.
#include "lib/Import/Exported/Json.h"

using namespace llvm;

namespace mpc::exported {

/// Objects in objects. A graph in a graph takes ten of them.
constexpr size_t kDeepestNesting = 512;

/// Objects and lists within each other, without those within texts.
static size_t nestingOf(StringRef text) {
  size_t depth = 0, deepest = 0;
  bool inText = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inText) {
      i += c == '\\';
      inText = c != '"';
    } else if (c == '"') {
      inText = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

Expected<Json> parseJson(StringRef text, const Twine &path) {
  if (nestingOf(text) > kDeepestNesting)
    return invalidModel(path + " is nested more than " +
                        Twine(kDeepestNesting) + " deep");
  Json json = Json::parse(text.begin(), text.end(), /*cb=*/nullptr,
                          /*allow_exceptions=*/false);
  if (json.is_discarded())
    return invalidModel(path + " is not JSON");
  return json;
}

Error malformed(const Twine &what) {
  return invalidModel("the exported program is damaged: " + what);
}

const Json &field(const Json &json, const char *key) {
  static const Json none;
  if (!json.is_object())
    return none;
  auto it = json.find(key);
  return it == json.end() ? none : *it;
}

Expected<std::string> readText(const Json &json, const char *key) {
  const Json &value = field(json, key);
  if (!value.is_string())
    return malformed("expected a text in '" + Twine(key) + "'");
  return value.get<std::string>();
}

Expected<std::optional<int64_t>> readSize(const Json &json) {
  const Json &value = field(json, "as_int");
  if (value.is_number_integer())
    return std::optional(value.get<int64_t>());
  if (json.is_object() && !json.empty())
    return std::optional<int64_t>();
  return malformed("expected a size");
}

Expected<TensorMeta> readTensorMeta(const Json &json) {
  TensorMeta meta;
  const Json &dtype = field(json, "dtype");
  if (!dtype.is_number_integer())
    return malformed("a tensor has no 'dtype'");
  meta.scalarType = dtype.get<int64_t>();
  meta.dtype = dtypeOfScalarType(meta.scalarType);
  MPC_TRY(readEach(
      field(json, "sizes"), "sizes", [&](const Json &element) -> Error {
        MPC_TRY_ASSIGN(std::optional<int64_t> size, readSize(element));
        meta.hasSymbolicSize |= !size;
        meta.sizes.push_back(size.value_or(0));
        return Error::success();
      }));
  if (!countElements(meta.sizes))
    return malformed("a tensor is " + shapeText(meta.sizes) +
                     ", which is more than memory can hold");
  return meta;
}

} // namespace mpc::exported
