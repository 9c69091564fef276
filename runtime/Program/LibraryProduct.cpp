// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fields of a product in a manifest, what may be wrong with them, and its
// launch.
#include "runtime/Program/LibraryProduct.h"

#include "runtime/Program/FieldReader.h"

#include <fmt/format.h>

namespace mpc::rt {
namespace {

using Json = nlohmann::json;

/// The library by which a product may be computed, in manifests and tables.
constexpr const char *kLibrary = "cuBLASLt";

Json toJson(const ProductPlace &place) {
  return {{"buffer", place.buffer}, {"offset", place.offset}};
}

Json toJson(const MatrixLayout &matrix, const ProductPlace &place) {
  Json json = toJson(place);
  json["dtype"] = safetensorsName(matrix.dtype);
  json["transposed"] = matrix.isTransposed;
  json["leading"] = matrix.leading;
  json["batch_stride"] = matrix.batchStride;
  return json;
}

ProductPlace readPlace(const Json &json, FieldReader &fields) {
  return {fields.index(json, "buffer"), fields.size(json, "offset")};
}

MatrixLayout readLayout(const Json &json, FieldReader &fields) {
  auto dtype = dtypeFromSafetensors(fields.text(json, "dtype"));
  if (!dtype)
    fields.fail("dtype", "an element type");
  return {dtype.value_or(DType::F32), fields.flag(json, "transposed"),
          fields.integer(json, "leading"),
          fields.integer(json, "batch_stride")};
}

std::shared_ptr<const Command> read(const Json &launch, FieldReader &fields) {
  auto kernel = std::dynamic_pointer_cast<const DeviceKernel>(
      DeviceKernel::kRow.read(launch, fields));
  const Json &json = FieldReader::field(launch, "product");
  MatrixProduct product{fields.integer(json, "rows"),
                        fields.integer(json, "columns"),
                        fields.integer(json, "depth"),
                        fields.integer(json, "batch"),
                        {},
                        {},
                        {}};
  ProductPlaces places;
  auto readMatrix = [&](const char *name, MatrixLayout &matrix,
                        ProductPlace &place) {
    const Json &field = FieldReader::field(json, name);
    matrix = readLayout(field, fields);
    place = readPlace(field, fields);
  };
  readMatrix("a", product.a, places.a);
  readMatrix("b", product.b, places.b);
  readMatrix("d", product.d, places.d);
  product.hasBias = json.contains("bias");
  if (product.hasBias)
    places.bias = readPlace(json["bias"], fields);
  if (json.contains("input")) {
    readMatrix("input", product.input.emplace(), places.input.emplace());
    product.isGradient = fields.flag(json, "gradient");
  }
  return std::make_shared<LibraryProduct>(*kernel, product, places,
                                          fields.size(json, "scratch_bytes"));
}

/// The bytes from the first element of a part to behind its last one; empty
/// where that is no number.
std::optional<uint64_t> bytesOf(const MatrixLayout &matrix, int64_t rows,
                                int64_t columns, int64_t batch) {
  if (matrix.isTransposed)
    std::swap(rows, columns);
  __int128 elements = static_cast<__int128>(batch - 1) * matrix.batchStride +
                      static_cast<__int128>(columns - 1) * matrix.leading +
                      rows;
  if (elements > INT64_MAX / 8)
    return std::nullopt;
  return static_cast<uint64_t>(elements) * byteSize(matrix.dtype);
}

std::string placeFault(const char *name, const ProductPlace &place,
                       std::optional<uint64_t> bytes, bool isWritten,
                       const Launch &launch) {
  if (place.buffer >= launch.buffers.size() ||
      (place.buffer >= launch.numRead) != isWritten)
    return fmt::format("its {} is not a buffer that it {}", name,
                       isWritten ? "writes" : "reads");
  const BufferRef &buffer = launch.buffers[place.buffer];
  if (isWritten && !LibraryProduct::mayWrite(buffer))
    return fmt::format("its {} is not in memory of a run", name);
  bool fits = bytes && place.offset <= buffer.bytes &&
              *bytes <= buffer.bytes - place.offset;
  return fits ? "" : fmt::format("its {} does not fit its buffer", name);
}

/// Whether the library has matrices of it.
bool isFactor(DType dtype) {
  return dtype == DType::F32 || dtype == DType::F16 || dtype == DType::BF16;
}

bool isMatrix(const MatrixLayout &matrix, int64_t rows, int64_t columns) {
  return isFactor(matrix.dtype) && matrix.batchStride >= 0 &&
         matrix.leading >= (matrix.isTransposed ? columns : rows);
}

std::string shapeFault(const MatrixProduct &p) {
  auto isSize = [](int64_t size) { return size >= 1 && size <= INT32_MAX; };
  bool isShape = isSize(p.rows) && isSize(p.columns) && isSize(p.depth) &&
                 isSize(p.batch) && isMatrix(p.a, p.rows, p.depth) &&
                 isMatrix(p.b, p.depth, p.columns) &&
                 isMatrix(p.d, p.rows, p.columns) && !p.d.isTransposed;
  if (p.input)
    isShape &= isMatrix(*p.input, p.rows, p.columns) &&
               !p.input->isTransposed && p.input->dtype == p.d.dtype;
  return isShape ? "" : "its matrices are not those of a product";
}

} // namespace

const CommandRow LibraryProduct::kRow = {"library_product", read};

LibraryProduct::LibraryProduct(const DeviceKernel &kernel,
                               const MatrixProduct &product,
                               const ProductPlaces &places,
                               uint64_t scratchBytes)
    : DeviceKernel(kernel.module(), kernel.grid(), kernel.parameters(),
                   kernel.work()),
      product_(product), places_(places), scratchBytes_(scratchBytes) {}

std::string LibraryProduct::describe() const {
  return fmt::format(
      "{}, or {}: {} x {} x {}{}", DeviceKernel::describe(), kLibrary,
      product_.rows, product_.columns, product_.depth,
      product_.batch == 1 ? "" : fmt::format(", {} times", product_.batch));
}

void LibraryProduct::write(nlohmann::json &fields) const {
  DeviceKernel::write(fields);
  fields["library"] = kLibrary;
  Json &json = fields["product"];
  json = {{"rows", product_.rows},
          {"columns", product_.columns},
          {"depth", product_.depth},
          {"batch", product_.batch},
          {"a", toJson(product_.a, places_.a)},
          {"b", toJson(product_.b, places_.b)},
          {"d", toJson(product_.d, places_.d)},
          {"scratch_bytes", scratchBytes_}};
  if (places_.bias)
    json["bias"] = toJson(*places_.bias);
  if (places_.input) {
    json["input"] = toJson(*product_.input, *places_.input);
    json["gradient"] = product_.isGradient;
  }
}

std::string LibraryProduct::fault(const Program &program,
                                  const Launch &launch) const {
  if (std::string fault = DeviceKernel::fault(program, launch); !fault.empty())
    return fault;
  if (std::string fault = shapeFault(product_); !fault.empty())
    return fault;
  const MatrixProduct &p = product_;
  auto bytes = [&](const MatrixLayout &matrix, int64_t rows, int64_t columns) {
    return bytesOf(matrix, rows, columns, p.batch);
  };
  std::string faults[] = {
      placeFault("a", places_.a, bytes(p.a, p.rows, p.depth), false, launch),
      placeFault("b", places_.b, bytes(p.b, p.depth, p.columns), false, launch),
      placeFault("d", places_.d, bytes(p.d, p.rows, p.columns), true, launch),
      places_.bias
          ? placeFault("bias", *places_.bias,
                       static_cast<uint64_t>(p.rows) * byteSize(p.d.dtype),
                       false, launch)
          : "",
      places_.input ? placeFault("input", *places_.input,
                                 bytes(*p.input, p.rows, p.columns),
                                 !p.isGradient, launch)
                    : ""};
  for (std::string &fault : faults)
    if (!fault.empty())
      return std::move(fault);
  return "";
}

std::shared_ptr<const Command>
LibraryProduct::shifted(const CodeShift &shift) const {
  auto kernel = std::dynamic_pointer_cast<const DeviceKernel>(
      DeviceKernel::shifted(shift));
  return std::make_shared<LibraryProduct>(*kernel, product_, places_,
                                          scratchBytes_);
}

static PlacedProduct placeProduct(const LibraryProduct &command,
                                  std::span<const DeviceAddress> buffers) {
  const ProductPlaces &places = command.places();
  auto address = [&](const ProductPlace &place) {
    return buffers[place.buffer] + place.offset;
  };
  PlacedProduct placed{command.product(), address(places.a), address(places.b),
                       address(places.d)};
  if (places.bias)
    placed.bias = address(*places.bias);
  if (places.input)
    placed.input = address(*places.input);
  placed.scratchBytes = command.scratchBytes();
  return placed;
}

Status LibraryProduct::choose(const Launch &launch,
                              std::span<const DeviceAddress> buffers,
                              DeviceMachine &machine) const {
  return machine.chooseProduct(placeProduct(*this, buffers), [&] {
    return DeviceKernel::record(launch, buffers, machine);
  });
}

Status LibraryProduct::record(const Launch &launch,
                              std::span<const DeviceAddress> buffers,
                              DeviceMachine &machine) const {
  return machine.launchProduct(placeProduct(*this, buffers), [&] {
    return DeviceKernel::record(launch, buffers, machine);
  });
}

} // namespace mpc::rt
