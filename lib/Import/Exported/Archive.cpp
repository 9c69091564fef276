// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens a .pt2 archive.
#include "lib/Import/Exported/Archive.h"

#include "lib/Import/Exported/ComplexNumbers.h"
#include "lib/Import/Exported/Json.h"
#include "runtime/Support/ZipFile.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace llvm;

namespace mpc::exported {

namespace {

Error errorOf(const rt::Status &status) {
  return status.code() == rt::StatusCode::Environment
             ? environmentFault(status.message())
             : invalidModel(status.message());
}

/// How a tensor lies in its storage, in elements.
struct Layout {
  rt::DType dtype;
  Shape sizes, strides;
  int64_t offset = 0;

  bool operator==(const Layout &other) const {
    return dtype == other.dtype && sizes == other.sizes &&
           strides == other.strides && offset == other.offset;
  }
  /// Whether elements follow each other in order, from the first byte on.
  [[nodiscard]] bool isContiguous() const {
    int64_t step = 1;
    for (size_t axis = sizes.size(); axis-- > 0; step *= sizes[axis])
      if (sizes[axis] != 1 && strides[axis] != step)
        return false;
    return offset == 0;
  }
  /// Of complex numbers as of pairs of parts; false where a place is beyond
  /// what memory can hold.
  [[nodiscard]] bool separateParts() {
    for (int64_t &stride : strides)
      if (__builtin_mul_overflow(stride, 2, &stride))
        return false;
    sizes.push_back(2);
    strides.push_back(1);
    return !__builtin_mul_overflow(offset, 2, &offset) &&
           countElements(sizes).has_value();
  }
  /// How many elements of the storage are reached; nothing where a place is
  /// negative or beyond what memory can hold.
  [[nodiscard]] std::optional<int64_t> extent() const {
    int64_t last = offset;
    for (auto [size, stride] : zip_equal(sizes, strides)) {
      if (size == 0)
        return 0;
      int64_t step = 0;
      if (stride < 0 || __builtin_mul_overflow(size - 1, stride, &step) ||
          __builtin_add_overflow(last, step, &last))
        return std::nullopt;
    }
    return offset < 0 || last == INT64_MAX ? std::nullopt
                                           : std::optional(last + 1);
  }
};

/// A value that was read, to be found by a further name of its storage.
struct Known {
  std::string member;
  Layout layout;
  ArrayRef<char> bytes;
};

class ArchiveReader {
public:
  explicit ArchiveReader(rt::ZipFile file) : file_(std::move(file)) {}

  Expected<Archive> read();

private:
  Expected<ArrayRef<char>> keep(const rt::ZipMember &member);
  const rt::ZipMember *find(StringRef ending) const;
  Error readValues(StringRef config, StringRef folder);
  Error readValue(StringRef name, const Json &entry, StringRef folder);
  Expected<ArrayRef<char>> bytesOf(const Layout &layout,
                                   const rt::ZipMember &member);

  rt::ZipFile file_;
  Archive archive_;
  std::vector<Known> known_;
};

Expected<Layout> readLayout(const Json &json) {
  MPC_TRY_ASSIGN(TensorMeta meta, readTensorMeta(json));
  std::optional<rt::DType> part = partTypeOfScalarType(meta.scalarType);
  if (!meta.dtype && !part)
    return invalidModel("has a type that mpc does not have (torch's number " +
                        Twine(meta.scalarType) + ")");
  Layout layout{part ? *part : *meta.dtype, meta.sizes, {}, 0};
  MPC_TRY(readEach(
      field(json, "strides"), "strides", [&](const Json &element) -> Error {
        MPC_TRY_ASSIGN(std::optional<int64_t> stride, readSize(element));
        layout.strides.push_back(stride.value_or(-1));
        return Error::success();
      }));
  MPC_TRY_ASSIGN(std::optional<int64_t> offset,
                 readSize(field(json, "storage_offset")));
  layout.offset = offset.value_or(-1);
  if (layout.strides.size() != layout.sizes.size())
    return malformed("a tensor has " + Twine(layout.sizes.size()) +
                     " sizes and " + Twine(layout.strides.size()) + " strides");
  if (part && !layout.separateParts())
    return malformed("a tensor lies further off than memory reaches");
  return layout;
}

/// The elements of a tensor whose storage has them in another order.
void gather(const Layout &layout, ArrayRef<char> storage,
            MutableArrayRef<char> into) {
  size_t width = rt::byteSize(layout.dtype);
  Shape place(layout.sizes.size(), 0);
  int64_t at = layout.offset;
  for (size_t done = 0; done < into.size(); done += width) {
    std::memcpy(into.data() + done, storage.data() + at * width, width);
    for (size_t axis = place.size(); axis-- > 0;) {
      at += layout.strides[axis];
      if (++place[axis] < layout.sizes[axis])
        break;
      at -= layout.strides[axis] * layout.sizes[axis];
      place[axis] = 0;
    }
  }
}

/// A member by what stands behind the folder that every archive has.
const rt::ZipMember *ArchiveReader::find(StringRef ending) const {
  for (const rt::ZipMember &member : file_.members())
    if (StringRef(member.name).split('/').second == ending)
      return &member;
  return nullptr;
}

Expected<ArrayRef<char>> ArchiveReader::keep(const rt::ZipMember &member) {
  rt::Result<rt::SharedBytes> bytes = file_.read(member);
  if (!bytes.ok())
    return errorOf(bytes.status());
  return archive_.storage.keep(*bytes);
}

Expected<ArrayRef<char>> ArchiveReader::bytesOf(const Layout &layout,
                                                const rt::ZipMember &member) {
  for (const Known &known : known_)
    if (known.member == member.name && known.layout == layout)
      return known.bytes;
  MPC_TRY_ASSIGN(ArrayRef<char> storage, keep(member));
  size_t width = rt::byteSize(layout.dtype);
  size_t elements = *countElements(layout.sizes);
  std::optional<int64_t> extent = layout.extent();
  if (!extent || size_t(*extent) > storage.size() / width)
    return malformed("'" + printable(member.name) + "' has " +
                     Twine(storage.size()) +
                     " bytes, which is less than its "
                     "tensor reaches");
  ArrayRef<char> bytes = storage.take_front(elements * width);
  if (!layout.isContiguous()) {
    MutableArrayRef<char> copy = archive_.storage.allocate(elements * width);
    gather(layout, storage, copy);
    bytes = copy;
  }
  known_.push_back({member.name, layout, bytes});
  return bytes;
}

Error ArchiveReader::readValue(StringRef name, const Json &entry,
                               StringRef folder) {
  const Json &pickled = field(entry, "use_pickle");
  if (pickled.is_boolean() && pickled.get<bool>())
    return invalidModel("is pickled, which mpc does not read: save the model "
                        "with plain tensors as its parameters");
  MPC_TRY_ASSIGN(std::string file, readText(entry, "path_name"));
  MPC_TRY_ASSIGN(Layout layout, readLayout(field(entry, "tensor_meta")));
  const rt::ZipMember *member = find((folder + file).str());
  if (!member)
    return malformed("there is no '" + printable((folder + file).str()) + "'");
  MPC_TRY_ASSIGN(ArrayRef<char> bytes, bytesOf(layout, *member));
  archive_.values.push_back(
      {{name.str(), layout.dtype,
        std::vector<int64_t>(layout.sizes.begin(), layout.sizes.end())},
       bytes});
  return Error::success();
}

Error ArchiveReader::readValues(StringRef config, StringRef folder) {
  const rt::ZipMember *member = find((folder + config).str());
  if (!member)
    return Error::success();
  MPC_TRY_ASSIGN(ArrayRef<char> text, keep(*member));
  MPC_TRY_ASSIGN(Json json, parseJson(StringRef(text.data(), text.size()),
                                      printable(member->name)));
  const Json &entries = field(json, "config");
  if (!entries.is_object())
    return malformed("'" + printable(member->name) + "' has no 'config'");
  for (const auto &[name, entry] : entries.items())
    if (Error error = readValue(name, entry, folder))
      return prefixed("tensor '" + printable(name) + "'", std::move(error));
  return Error::success();
}

Expected<Archive> ArchiveReader::read() {
  const rt::ZipMember *order = find("byteorder");
  if (order) {
    MPC_TRY_ASSIGN(ArrayRef<char> text, keep(*order));
    if (StringRef(text.data(), text.size()) != "little")
      return invalidModel("was written on a big-endian machine");
  }
  const rt::ZipMember *program = find("models/model.json");
  if (!program)
    return invalidModel(
        "has no models/model.json: it is not an archive of torch.export.save, "
        "or one of PyTorch before 2.9; save it again with a newer version");
  MPC_TRY_ASSIGN(ArrayRef<char> json, keep(*program));
  archive_.json.assign(json.data(), json.size());
  MPC_TRY(readValues("model_weights_config.json", "data/weights/"));
  MPC_TRY(readValues("model_constants_config.json", "data/constants/"));
  return std::move(archive_);
}

Expected<Archive> openArchive(StringRef path) {
  rt::Result<rt::MappedFile> mapped = rt::MappedFile::open(path.str());
  if (!mapped.ok())
    return errorOf(mapped.status());
  if (!rt::ZipFile::isZip(mapped->bytes()))
    return invalidModel("is not a zip archive, which torch.export.save writes");
  rt::Result<rt::ZipFile> file = rt::ZipFile::open(*std::move(mapped));
  if (!file.ok())
    return errorOf(file.status());
  return ArchiveReader(*std::move(file)).read();
}

} // namespace

/// The archive's reader names its file, as other readers do not.
Expected<Archive> readArchive(StringRef path) {
  Expected<Archive> archive = openArchive(path);
  if (archive)
    return archive;
  std::string text;
  ImportFault fault = takeError(archive.takeError(), text);
  bool names = StringRef(text).starts_with((path + ": ").str());
  return make_error<ImportError>(fault,
                                 names ? text : (path + ": " + text).str());
}

} // namespace mpc::exported
