// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The .npy format (NumPy's NEP 1): a magic, a version, and a literal of Python
// as its header: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
#include "runtime/Support/Npy.h"

#include "runtime/Support/CheckedSize.h"
#include "runtime/Support/ElementFormat.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace mpc::rt {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxRank = 64;

std::string_view textOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

Status damaged() { return invalidInput("header of the array is damaged"); }

/// The fields of a header, before they are checked.
struct RawHeader {
  std::optional<std::string> type; ///< "<f4"
  std::optional<bool> isColumnMajor;
  std::optional<std::vector<int64_t>> shape;
  bool isRecord = false; ///< Whether the type is a list of fields.
};

/// Reads the literal word by word.
class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<RawHeader> run() {
    if (!take('{'))
      return damaged();
    while (!take('}')) {
      std::optional<std::string> key = readString();
      if (!key || !take(':') || !readValue(*key))
        return damaged();
      if (header_.isRecord)
        return std::move(header_);
      if (!take(',') && !isNext('}'))
        return damaged();
    }
    return std::move(header_);
  }

private:
  void skipSpace() {
    while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_[0])))
      text_.remove_prefix(1);
  }
  bool isNext(char c) {
    skipSpace();
    return text_.starts_with(c);
  }
  bool take(char c) {
    bool found = isNext(c);
    text_.remove_prefix(found);
    return found;
  }
  bool takeWord(std::string_view word) {
    skipSpace();
    bool found = text_.starts_with(word);
    text_.remove_prefix(found ? word.size() : 0);
    return found;
  }

  std::optional<std::string> readString() {
    char quote = isNext('"') ? '"' : '\'';
    if (!take(quote))
      return std::nullopt;
    size_t end = text_.find(quote);
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string content(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return content;
  }

  bool readValue(std::string_view key) {
    if (key == "descr" && isNext('['))
      return header_.isRecord = true;
    if (key == "descr")
      return (header_.type = readString()).has_value();
    if (key == "fortran_order")
      return (header_.isColumnMajor = readBool()).has_value();
    return key == "shape" && (header_.shape = readShape()).has_value();
  }

  std::optional<bool> readBool() {
    if (takeWord("True"))
      return true;
    return takeWord("False") ? std::optional(false) : std::nullopt;
  }

  std::optional<std::vector<int64_t>> readShape() {
    std::vector<int64_t> shape;
    if (!take('('))
      return std::nullopt;
    while (!take(')')) {
      skipSpace();
      int64_t size = 0;
      auto [end, error] =
          std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (error != std::errc() || size < 0 || shape.size() == kMaxRank)
        return std::nullopt;
      text_.remove_prefix(static_cast<size_t>(end - text_.data()));
      takeWord("L"); // Python 2 wrote sizes with this suffix.
      shape.push_back(size);
      if (!take(',') && !isNext(')'))
        return std::nullopt;
    }
    return shape;
  }

  std::string_view text_;
  RawHeader header_;
};

std::optional<DType> dtypeOf(std::string_view code) {
  for (const ElementFormat &known : kElementFormats)
    if (!known.npyCode.empty() && known.npyCode == code)
      return known.dtype;
  return std::nullopt;
}

/// Reads the element type from a code like "<f4", and its byte order.
Status readType(std::string_view code, NpyHeader &header) {
  char order = code.empty() ? ' ' : code[0];
  if (order == '<' || order == '>' || order == '|' || order == '=')
    code.remove_prefix(1);
  if (code.starts_with('O'))
    return invalidInput("holds Python objects, which are not read; save "
                        "an array of numbers");
  std::optional<DType> dtype = dtypeOf(code);
  if (!dtype)
    return invalidInput(
        fmt::format("element type {} is not supported", quote(code)));
  header.dtype = *dtype;
  header.layout.isBigEndian = order == '>' && byteSize(*dtype) > 1;
  return {};
}

/// The text of the literal; also sets the header's size.
Result<std::string_view> findLiteral(std::span<const std::byte> start,
                                     NpyHeader &header) {
  std::string_view text = textOf(start);
  size_t fixed = kMagic.size() + 2;
  if (!isNpy(start) || text.size() < fixed + 4)
    return invalidInput("is not a NumPy array");
  int version = static_cast<unsigned char>(text[kMagic.size()]);
  if (version < 1 || version > 3)
    return invalidInput(fmt::format(
        "is an array of format {}; formats 1 to 3 are read", version));
  uint32_t length = 0;
  size_t lengthBytes = version == 1 ? 2 : 4;
  std::memcpy(&length, start.data() + fixed, lengthBytes);
  header.bytes = fixed + lengthBytes + length;
  if (header.bytes > std::min(start.size(), kMaxNpyHeader))
    return invalidInput(fmt::format("header of the array has {} bytes, of "
                                    "which {} are there",
                                    header.bytes, start.size()));
  return text.substr(fixed + lengthBytes, length);
}

} // namespace

bool isNpy(std::span<const std::byte> bytes) {
  return textOf(bytes).starts_with(kMagic);
}

Result<NpyHeader> readNpyHeader(std::span<const std::byte> start) {
  NpyHeader header;
  MPC_ASSIGN_OR_RETURN(std::string_view text, findLiteral(start, header));
  MPC_ASSIGN_OR_RETURN(RawHeader raw, Parser(text).run());
  if (raw.isRecord)
    return invalidInput("holds records, which are not read; save each of "
                        "their fields as an array");
  if (!raw.type || !raw.isColumnMajor || !raw.shape)
    return damaged();
  MPC_RETURN_IF_ERROR(readType(*raw.type, header));
  header.shape = *std::move(raw.shape);
  if (!checkedBytes(header.shape, header.dtype))
    return invalidInput("shape is too large");
  // With one dimension both orders are the same.
  header.layout.isColumnMajor = *raw.isColumnMajor && header.shape.size() > 1;
  return header;
}

} // namespace mpc::rt
