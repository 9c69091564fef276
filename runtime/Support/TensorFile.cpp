// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of three formats, read in place if their layout is that of memory.
#include "runtime/Support/TensorFile.h"

#include "runtime/Support/CheckedSize.h"
#include "runtime/Support/Safetensors.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

namespace mpc::rt {
namespace {

constexpr std::string_view kArrayEnding = ".npy";

/// The size below which reading ahead is not worth it.
constexpr size_t kMinExpected = size_t(1) << 24;

/// The distance in bytes of neighbouring elements along each dimension, where
/// the first index runs fastest.
std::vector<size_t> columnStrides(const TensorDesc &desc) {
  std::vector<size_t> strides;
  size_t stride = byteSize(desc.dtype);
  for (int64_t size : desc.shape) {
    strides.push_back(stride);
    stride *= static_cast<size_t>(size);
  }
  return strides;
}

void reverseEach(std::byte *elements, size_t bytes, size_t elementBytes) {
  for (size_t i = 0; i < bytes; i += elementBytes)
    std::reverse(elements + i, elements + i + elementBytes);
}

std::string stemOf(const std::string &path) {
  return std::filesystem::path(path).stem().string();
}

} // namespace

int64_t StoredTensor::numRows() const {
  return desc_.shape.empty() ? 1 : desc_.shape[0];
}

const std::byte *StoredTensor::row(int64_t row,
                                   std::vector<std::byte> &scratch) const {
  size_t rowBytes = desc_.numBytes() / static_cast<size_t>(numRows());
  if (layout_.isNative())
    return bytes_.data() + static_cast<size_t>(row) * rowBytes;
  scratch.resize(rowBytes);
  gather(row, scratch.data());
  return scratch.data();
}

const std::byte *StoredTensor::all(std::vector<std::byte> &scratch) const {
  if (layout_.isNative())
    return bytes_.data();
  scratch.resize(desc_.numBytes());
  int64_t rows = desc_.numElements() == 0 ? 0 : numRows();
  for (int64_t row = 0; row < rows; ++row)
    gather(row, scratch.data() + static_cast<size_t>(row) * scratch.size() /
                                     static_cast<size_t>(rows));
  return scratch.data();
}

/// Copies a row whose elements are not contiguous, or whose bytes are in the
/// other order.
void StoredTensor::gather(int64_t row, std::byte *target) const {
  size_t element = byteSize(desc_.dtype);
  size_t rowBytes = desc_.numBytes() / static_cast<size_t>(numRows());
  if (!layout_.isColumnMajor) {
    std::memcpy(target, bytes_.data() + static_cast<size_t>(row) * rowBytes,
                rowBytes);
  } else {
    std::vector<size_t> strides = columnStrides(desc_);
    for (size_t i = 0; i < rowBytes / element; ++i) {
      size_t place = static_cast<size_t>(row) * element, rest = i;
      for (size_t d = desc_.shape.size(); --d > 0;) {
        auto size = static_cast<size_t>(desc_.shape[d]);
        place += rest % size * strides[d];
        rest /= size;
      }
      std::memcpy(target + i * element, bytes_.data() + place, element);
    }
  }
  if (layout_.isBigEndian)
    reverseEach(target, rowBytes, element);
}

void StoredTensor::expectRow(int64_t row) const {
  if (layout_.isColumnMajor || bytes_.size() < kMinExpected)
    return;
  static const size_t kPage = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  size_t rowBytes = desc_.numBytes() / static_cast<size_t>(numRows());
  auto begin = reinterpret_cast<uintptr_t>(bytes_.data()) +
               static_cast<size_t>(row) * rowBytes;
  uintptr_t page = begin / kPage * kPage;
  // Advice on memory that belongs to no file has no effect.
  (void)::posix_madvise(reinterpret_cast<void *>(page), begin - page + rowBytes,
                        POSIX_MADV_WILLNEED);
}

Result<TensorFile> TensorFile::open(const std::string &path,
                                    const std::string &name) {
  TensorFile file;
  file.path_ = path;
  MPC_ASSIGN_OR_RETURN(MappedFile mapped, MappedFile::open(path));
  if (isNpy(mapped.bytes())) {
    MPC_RETURN_IF_ERROR(
        file.readArray(std::move(mapped), name.empty() ? stemOf(path) : name)
            .withContext(escape(path)));
    return file;
  }
  if (!name.empty())
    return usageError(fmt::format("{}: is not a .npy file: its tensors have "
                                  "names already, and {} cannot name them all",
                                  escape(path), quote(name)));
  MPC_RETURN_IF_ERROR(ZipFile::isZip(mapped.bytes())
                          ? file.readArchive(std::move(mapped))
                          : file.readSafetensors(std::move(mapped)));
  return file;
}

Status TensorFile::readSafetensors(MappedFile mapped) {
  MPC_ASSIGN_OR_RETURN(SafetensorsFile opened, SafetensorsFile::open(path_));
  auto file = std::make_shared<const SafetensorsFile>(std::move(opened));
  for (const TensorView &view : file->tensors()) {
    Place place;
    place.bytes = {
        file,
        {static_cast<const std::byte *>(view.data), view.desc.numBytes()}};
    places_.push_back(std::move(place));
    items_.push_back({view.desc, ""});
  }
  return {};
}

void TensorFile::addArray(std::string name, const Result<NpyHeader> &header,
                          Place place) {
  Item item;
  item.desc.name = std::move(name);
  if (header.ok()) {
    item.desc.dtype = header->dtype;
    item.desc.shape = header->shape;
    place.layout = header->layout;
    place.headerBytes = header->bytes;
  } else {
    item.fault = header.status().message();
  }
  items_.push_back(std::move(item));
  places_.push_back(std::move(place));
}

Status TensorFile::readArray(MappedFile mapped, std::string name) {
  auto file = std::make_shared<const MappedFile>(std::move(mapped));
  Result<NpyHeader> header = readNpyHeader(file->bytes());
  if (!header.ok())
    return header.status();
  TensorDesc desc = {name, header->dtype, header->shape};
  size_t found = file->bytes().size() - header->bytes;
  if (found != desc.numBytes())
    return invalidInput(fmt::format("{} takes {} bytes, {} follow the header",
                                    toString(desc), desc.numBytes(), found));
  Place place;
  place.bytes = {file, file->bytes().subspan(header->bytes)};
  addArray(std::move(name), header, std::move(place));
  return {};
}

/// Reads an archive. Members that are no arrays are ignored.
Status TensorFile::readArchive(MappedFile mapped) {
  MPC_ASSIGN_OR_RETURN(zip_, ZipFile::open(std::move(mapped)));
  for (const ZipMember &member : zip_->members()) {
    std::string_view name = member.name;
    if (!name.ends_with(kArrayEnding))
      continue;
    name.remove_suffix(kArrayEnding.size());
    MPC_ASSIGN_OR_RETURN(std::vector<std::byte> start,
                         zip_->readStart(member, kMaxNpyHeader));
    Place place;
    place.member = member;
    addArray(std::string(name), readNpyHeader(start), std::move(place));
  }
  return {};
}

const TensorFile::Item *TensorFile::find(std::string_view name) const {
  auto it =
      std::find_if(items_.begin(), items_.end(),
                   [name](const Item &item) { return item.desc.name == name; });
  return it == items_.end() ? nullptr : &*it;
}

std::string TensorFile::describe() const {
  std::vector<std::string> texts;
  for (const Item &item : items_)
    texts.push_back(
        quote(item.desc.name) + " " +
        (item.fault.empty() ? toString(item.desc) : "(" + item.fault + ")"));
  return texts.empty() ? "no tensor" : joinSome(texts);
}

Result<StoredTensor> TensorFile::read(const Item &item) const {
  const Place &place = places_[static_cast<size_t>(&item - items_.data())];
  auto fault = [&](const std::string &what) {
    return invalidInput(fmt::format("{}: tensor {}: {}", escape(path_),
                                    quote(item.desc.name), what));
  };
  if (!item.fault.empty())
    return fault(item.fault);
  if (!place.member)
    return StoredTensor(item.desc, place.layout, place.bytes);
  size_t bytes = item.desc.numBytes();
  if (place.member->bytes - place.headerBytes != bytes)
    return fault(fmt::format("{} takes {} bytes, {} follow the header",
                             toString(item.desc), bytes,
                             place.member->bytes - place.headerBytes));
  MPC_ASSIGN_OR_RETURN(SharedBytes content, zip_->read(*place.member));
  return StoredTensor(item.desc, place.layout,
                      content.slice(place.headerBytes, bytes));
}

} // namespace mpc::rt
