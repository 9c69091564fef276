// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A test double of cuBLASLt. It refuses what the real one refuses, and computes
// by plain loops when the test driver comes to the product in its stream.
#include "test/support/cublaslt/FakeCublasLt.h"

#include "runtime/Device/CUDA/CublasLt.h"
#include "runtime/Support/Rounding.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <type_traits>
#include <vector>

namespace mpc::rt::cuda {

// What the handles are.
struct BlasOpaque {};
struct BlasLayoutOpaque {
  BlasType type;
  int64_t rows, columns, leading;
  int32_t batch = 1;
  int64_t batchStride = 0;
};
struct BlasProductOpaque {
  int32_t transposeA = 0, transposeB = 0, epilogue = blas_epilogue::kNone;
  const char *bias = nullptr;
  char *aux = nullptr;
  int64_t auxLeading = 0, auxStride = 0;
};
struct BlasPreferenceOpaque {
  uint64_t workspace = 0;
  uint32_t reductions = 7;
  uint32_t alignments[4] = {256, 256, 256, 256};
};

namespace test {
namespace {

/// Marks an algorithm that this library gave out; the number follows.
constexpr uint64_t kAlgorithm = 0x6d70632d626c6173;

struct State final : FakeBlas {
  State() {
    const char *text = std::getenv("MPC_FAKE_CUBLASLT");
    set(text ? text : "");
  }
  ~State() {
    if (tells)
      std::fprintf(stderr, "test cuBLASLt: products by algorithm %d %d %d\n",
                   runs[0], runs[1], runs[2]);
  }
  static State &get() {
    static State state;
    return state;
  }
  void set(std::string settings) override;
  void reset() override;

  std::map<std::string, std::pair<int, BlasCode>> failures;
  size_t version = 130000;
  int algorithms = kFakeAlgorithms;
  bool isSlow = false, tells = false;
};

std::string take(std::string &text, char separator) {
  size_t end = std::min(text.find(separator), text.size());
  std::string part = text.substr(0, end);
  text.erase(0, end + 1);
  return part;
}

/// The injected failure of this use of a call.
BlasCode enter(const char *symbol) {
  auto found = State::get().failures.find(symbol);
  return found != State::get().failures.end() && --found->second.first == 0
             ? found->second.second
             : blas_code::kSuccess;
}

BlasCode refuse(const char *fault, BlasCode code = blas_code::kInvalidValue) {
  State::get().fault = fault;
  return code;
}

size_t bytesOf(BlasType type) { return type == BlasType::F32 ? 4 : 2; }

float load(BlasType type, const char *at) {
  if (type == BlasType::F32) {
    float value = 0;
    std::memcpy(&value, at, sizeof(value));
    return value;
  }
  uint16_t bits = 0;
  std::memcpy(&bits, at, sizeof(bits));
  return type == BlasType::F16 ? valueOfF16(bits) : valueOfBF16(bits);
}

void store(BlasType type, char *at, float value) {
  if (type == BlasType::F32) {
    std::memcpy(at, &value, sizeof(value));
    return;
  }
  uint16_t bits =
      type == BlasType::F16 ? roundToF16(value) : roundToBF16(value);
  std::memcpy(at, &bits, sizeof(bits));
}

/// The derivative of 0.5 x (1 + tanh(c (x + a x^3))) as a quotient of
/// differences.
float derivativeOfGelu(float x) {
  auto gelu = [](double at) {
    return 0.5 * at *
           (1 + std::tanh(0.7978845608028654 * (at + 0.044715 * at * at * at)));
  };
  constexpr double kStep = 1e-4;
  return static_cast<float>((gelu(x + kStep) - gelu(x - kStep)) / (2 * kStep));
}

/// One product, with all that its launch was given.
struct Product {
  BlasProductOpaque description;
  BlasLayoutOpaque a, b, d;
  const char *fromA, *fromB;
  char *to;
  int algorithm;

  /// A factor of one of the products, its `lines` lines of k one after the
  /// other; those are its columns where `hasColumns`.
  [[nodiscard]] static std::vector<double>
  linesOf(const BlasLayoutOpaque &layout, const char *from, bool hasColumns,
          int64_t batch) {
    int64_t lines = hasColumns ? layout.columns : layout.rows;
    int64_t depth = hasColumns ? layout.rows : layout.columns;
    std::vector<double> values;
    for (int64_t line = 0; line < lines; ++line)
      for (int64_t k = 0; k < depth; ++k) {
        int64_t element = batch * layout.batchStride +
                          (hasColumns ? line : k) * layout.leading +
                          (hasColumns ? k : line);
        values.push_back(
            load(layout.type,
                 from + element * static_cast<int64_t>(bytesOf(layout.type))));
      }
    return values;
  }

  void putElement(int64_t batch, int64_t row, int64_t column,
                  double sum) const {
    auto value = static_cast<float>(sum);
    auto size = static_cast<int64_t>(bytesOf(d.type));
    if (description.epilogue & blas_epilogue::kBias)
      value += load(d.type, description.bias + row * size);
    int64_t place = (batch * description.auxStride +
                     column * description.auxLeading + row) *
                    size;
    if (description.epilogue & blas_epilogue::kGeluGradient)
      value *= derivativeOfGelu(load(d.type, description.aux + place));
    else if (description.epilogue & blas_epilogue::kAux)
      store(d.type, description.aux + place, value);
    if (description.epilogue & blas_epilogue::kGelu)
      value = 0.5F * value *
              (1 + std::tanh(0.7978845608F *
                             (value + 0.044715F * value * value * value)));
    store(d.type,
          to + (batch * d.batchStride + column * d.leading + row) * size,
          value);
  }

  void compute() const {
    int64_t depth = description.transposeA ? a.rows : a.columns;
    for (int64_t batch = 0; batch < d.batch; ++batch) {
      auto left = linesOf(a, fromA, description.transposeA, batch);
      auto right = linesOf(b, fromB, !description.transposeB, batch);
      for (int64_t column = 0; column < d.columns; ++column)
        for (int64_t row = 0; row < d.rows; ++row)
          putElement(batch, row, column,
                     std::inner_product(left.data() + row * depth,
                                        left.data() + (row + 1) * depth,
                                        right.data() + column * depth, 0.0));
    }
    ++State::get().runs[static_cast<size_t>(algorithm)];
  }
};

/// Products live as long as the process, since a graph runs one many times.
Product *keep(const Product &product) {
  static std::mutex mutex;
  static auto &products = *new std::deque<Product>;
  std::lock_guard lock(mutex);
  return &products.emplace_back(product);
}

/// A function of the test driver; null where it is not the driver.
template <typename Function>
Function *findInDriver(const char *name) {
  const char *path = std::getenv("MPC_CUDA_DRIVER");
  void *driver = path ? ::dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
  return driver ? reinterpret_cast<Function *>(::dlsym(driver, name)) : nullptr;
}

/// Whether these bytes are memory of the device.
bool isOnDevice(const void *begin, size_t bytes) {
  auto *ask = findInDriver<DriverCode(void *, PointerAttribute, DevicePointer)>(
      "cuPointerGetAttribute");
  auto address = reinterpret_cast<uintptr_t>(begin);
  int type = 0;
  return bytes == 0 ||
         (ask &&
          ask(&type, PointerAttribute::MemoryType, address) == code::kSuccess &&
          ask(&type, PointerAttribute::MemoryType, address + bytes - 1) ==
              code::kSuccess);
}

/// What the library refuses about a product, whatever the addresses.
BlasCode check(const BlasProductOpaque &p, const BlasLayoutOpaque &a,
               const BlasLayoutOpaque &b, const BlasLayoutOpaque &d) {
  auto rows = [](const BlasLayoutOpaque &m, bool t) {
    return t ? m.columns : m.rows;
  };
  auto columns = [](const BlasLayoutOpaque &m, bool t) {
    return t ? m.rows : m.columns;
  };
  if (rows(a, p.transposeA) != d.rows ||
      columns(b, p.transposeB) != d.columns ||
      columns(a, p.transposeA) != rows(b, p.transposeB))
    return refuse("matrices that do not fit together");
  if (a.batch != d.batch || b.batch != d.batch)
    return refuse("batches of different sizes");
  if (a.type == BlasType::F32 || a.type != b.type ||
      (d.type != a.type && d.type != BlasType::F32))
    return refuse("types for which it has no product",
                  blas_code::kNotSupported);
  if ((p.epilogue & blas_epilogue::kBias) && !p.bias)
    return refuse("a bias without an address");
  if ((p.epilogue & blas_epilogue::kAux) &&
      (!p.aux || p.auxLeading < d.rows || p.auxLeading % 8 != 0))
    return refuse("an input of GELU without a place", blas_code::kNotSupported);
  return blas_code::kSuccess;
}

int numberOf(const BlasAlgorithm *algorithm) {
  bool isOurs = algorithm && algorithm->data[0] == kAlgorithm &&
                algorithm->data[1] < kFakeAlgorithms;
  return isOurs ? static_cast<int>(algorithm->data[1]) : -1;
}

/// The last algorithm needs a little memory.
size_t workspaceOf(int algorithm) {
  return algorithm == kFakeAlgorithms - 1 ? 256 : 0;
}

void State::set(std::string settings) {
  while (!settings.empty()) {
    std::string word = take(settings, ' ');
    std::string key = take(word, '=');
    if (key == "fail") {
      std::string symbol = take(word, ':');
      int use = std::stoi(take(word, ':'));
      failures[symbol] = {use, std::stoi(word)};
    } else if (key == "version") {
      version = std::stoul(word);
    } else if (key == "algorithms") {
      algorithms = std::stoi(word);
    } else if (key == "slow") {
      isSlow = true;
    } else if (key == "tell") {
      tells = true;
    } else {
      std::fprintf(stderr, "MPC_FAKE_CUBLASLT: no setting '%s'\n", key.c_str());
      std::abort();
    }
  }
}

void State::reset() {
  failures.clear();
  version = 130000;
  algorithms = kFakeAlgorithms;
  isSlow = tells = false;
  runs = {};
  questions = 0;
  fault.clear();
}

} // namespace
} // namespace test
} // namespace mpc::rt::cuda

using namespace mpc::rt::cuda;
using namespace mpc::rt::cuda::test;

#define MPC_ENTER(symbol)                                                      \
  if (BlasCode failed = enter(symbol))                                         \
    return failed;

extern "C" {

FakeBlas *mpcFakeCublasLt() { return &State::get(); }

size_t cublasLtGetVersion() { return State::get().version; }

const char *cublasLtGetStatusString(BlasCode code) {
  return code == blas_code::kNotSupported ? "CUBLAS_STATUS_NOT_SUPPORTED"
                                          : "CUBLAS_STATUS_OTHER";
}

BlasCode cublasLtCreate(BlasHandle *handle) {
  MPC_ENTER("cublasLtCreate")
  *handle = new BlasOpaque;
  return blas_code::kSuccess;
}

BlasCode cublasLtDestroy(BlasHandle handle) {
  delete handle;
  return blas_code::kSuccess;
}

BlasCode cublasLtMatmulDescCreate(BlasProductHandle *product, int computeType,
                                  BlasType scaleType) {
  MPC_ENTER("cublasLtMatmulDescCreate")
  if (computeType != kBlasComputeF32 || scaleType != BlasType::F32)
    return refuse("sums that are not f32", blas_code::kNotSupported);
  *product = new BlasProductOpaque;
  return blas_code::kSuccess;
}

BlasCode cublasLtMatmulDescDestroy(BlasProductHandle product) {
  delete product;
  return blas_code::kSuccess;
}

BlasCode cublasLtMatmulDescSetAttribute(BlasProductHandle product,
                                        BlasProductAttribute attribute,
                                        const void *value, size_t bytes) {
  MPC_ENTER("cublasLtMatmulDescSetAttribute")
  auto set = [&](auto &target) {
    if (bytes != sizeof(target))
      return refuse("an attribute of another size");
    std::memcpy(&target, value, bytes);
    return blas_code::kSuccess;
  };
  switch (attribute) {
  case BlasProductAttribute::TransposeA:
    return set(product->transposeA);
  case BlasProductAttribute::TransposeB:
    return set(product->transposeB);
  case BlasProductAttribute::Epilogue:
    return set(product->epilogue);
  case BlasProductAttribute::BiasPointer:
    return set(product->bias);
  case BlasProductAttribute::AuxPointer:
    return set(product->aux);
  case BlasProductAttribute::AuxLeading:
    return set(product->auxLeading);
  case BlasProductAttribute::AuxBatchStride:
    return set(product->auxStride);
  }
  return refuse("no such attribute");
}

BlasCode cublasLtMatrixLayoutCreate(BlasLayoutHandle *layout, BlasType type,
                                    uint64_t rows, uint64_t columns,
                                    int64_t leading) {
  MPC_ENTER("cublasLtMatrixLayoutCreate")
  if (leading < static_cast<int64_t>(rows))
    return refuse("columns that overlap");
  *layout = new BlasLayoutOpaque{type, static_cast<int64_t>(rows),
                                 static_cast<int64_t>(columns), leading};
  return blas_code::kSuccess;
}

BlasCode cublasLtMatrixLayoutDestroy(BlasLayoutHandle layout) {
  delete layout;
  return blas_code::kSuccess;
}

BlasCode cublasLtMatrixLayoutSetAttribute(BlasLayoutHandle layout,
                                          BlasLayoutAttribute attribute,
                                          const void *value, size_t bytes) {
  MPC_ENTER("cublasLtMatrixLayoutSetAttribute")
  bool isCount = attribute == BlasLayoutAttribute::BatchCount;
  void *target = isCount ? static_cast<void *>(&layout->batch)
                         : static_cast<void *>(&layout->batchStride);
  if (bytes != (isCount ? sizeof(int32_t) : sizeof(int64_t)))
    return refuse("an attribute of another size");
  std::memcpy(target, value, bytes);
  return blas_code::kSuccess;
}

BlasCode cublasLtMatmulPreferenceCreate(BlasPreferenceHandle *preference) {
  MPC_ENTER("cublasLtMatmulPreferenceCreate")
  *preference = new BlasPreferenceOpaque;
  return blas_code::kSuccess;
}

BlasCode cublasLtMatmulPreferenceDestroy(BlasPreferenceHandle preference) {
  delete preference;
  return blas_code::kSuccess;
}

BlasCode cublasLtMatmulPreferenceSetAttribute(BlasPreferenceHandle preference,
                                              BlasPreference attribute,
                                              const void *value, size_t bytes) {
  MPC_ENTER("cublasLtMatmulPreferenceSetAttribute")
  if (attribute == BlasPreference::WorkspaceBytes) {
    std::memcpy(&preference->workspace, value, sizeof(preference->workspace));
    return bytes == sizeof(uint64_t) ? blas_code::kSuccess
                                     : refuse("an attribute of another size");
  }
  uint32_t number = 0;
  if (bytes != sizeof(number))
    return refuse("an attribute of another size");
  std::memcpy(&number, value, bytes);
  if (attribute == BlasPreference::ReductionSchemes)
    preference->reductions = number;
  else
    preference->alignments[static_cast<int>(attribute) -
                           static_cast<int>(BlasPreference::AlignmentA)] =
        number;
  return blas_code::kSuccess;
}

BlasCode cublasLtMatmulAlgoGetHeuristic(BlasHandle, BlasProductHandle product,
                                        BlasLayoutHandle a, BlasLayoutHandle b,
                                        BlasLayoutHandle, BlasLayoutHandle d,
                                        BlasPreferenceHandle preference,
                                        int wanted, BlasHeuristic *results,
                                        int *count) {
  MPC_ENTER("cublasLtMatmulAlgoGetHeuristic")
  ++State::get().questions;
  *count = 0;
  if (BlasCode refused = check(*product, *a, *b, *d))
    return refused;
  if (preference->reductions & 4)
    return refuse("sums in parts of 16 bits are not wanted");
  for (int i = 0; i < std::min(wanted, State::get().algorithms); ++i) {
    if (workspaceOf(i) > preference->workspace)
      continue;
    BlasHeuristic &result = results[(*count)++];
    result = {};
    result.algorithm.data[0] = kAlgorithm;
    result.algorithm.data[1] = static_cast<uint64_t>(i);
    result.workspaceBytes = workspaceOf(i);
    result.state = blas_code::kSuccess;
  }
  return *count ? blas_code::kSuccess : blas_code::kNotSupported;
}

BlasCode cublasLtMatmulAlgoCheck(BlasHandle, BlasProductHandle product,
                                 BlasLayoutHandle a, BlasLayoutHandle b,
                                 BlasLayoutHandle, BlasLayoutHandle d,
                                 const BlasAlgorithm *algorithm,
                                 BlasHeuristic *result) {
  MPC_ENTER("cublasLtMatmulAlgoCheck")
  int number = numberOf(algorithm);
  if (number < 0)
    return refuse("an algorithm that is none");
  result->workspaceBytes = workspaceOf(number);
  return check(*product, *a, *b, *d);
}

BlasCode cublasLtMatmul(BlasHandle, BlasProductHandle product,
                        const void *alpha, const void *a,
                        BlasLayoutHandle layoutA, const void *b,
                        BlasLayoutHandle layoutB, const void *beta,
                        const void *c, BlasLayoutHandle, void *d,
                        BlasLayoutHandle layoutD,
                        const BlasAlgorithm *algorithm, void *workspace,
                        size_t workspaceBytes, StreamHandle stream) {
  MPC_ENTER("cublasLtMatmul")
  int number = numberOf(algorithm);
  if (number < 0 || c != d)
    return refuse("an algorithm that is none");
  if (*static_cast<const float *>(alpha) != 1 ||
      *static_cast<const float *>(beta) != 0)
    return refuse("factors that the test double does not know");
  if (workspaceOf(number) > workspaceBytes ||
      reinterpret_cast<uintptr_t>(workspace) % 256 != 0 ||
      !isOnDevice(workspace, workspaceBytes))
    return refuse("less memory than the algorithm needs");
  if (BlasCode refused = check(*product, *layoutA, *layoutB, *layoutD))
    return refused;
  auto *enqueue =
      findInDriver<DriverCode(StreamHandle, void (*)(void *), void *)>(
          "cuLaunchHostFunc");
  if (!enqueue)
    return blas_code::kNotInitialized;
  Product *kept = keep(
      {*product, *layoutA, *layoutB, *layoutD, static_cast<const char *>(a),
       static_cast<const char *>(b), static_cast<char *>(d), number});
  int steps = State::get().isSlow ? 3 : (number == 0 ? 2 : 1);
  auto compute = [](void *data) { static_cast<Product *>(data)->compute(); };
  for (int step = 1; step <= steps; ++step)
    if (enqueue(
            stream, step == steps ? +compute : [](void *) {}, kept) !=
        code::kSuccess)
      return blas_code::kExecutionFailed;
  return blas_code::kSuccess;
}

} // extern "C"

// Every symbol that the layer looks for, with the type that it expects.
#define MPC_SAME_TYPE(name, ...)                                               \
  static_assert(std::is_same_v<decltype(&name), decltype(BlasTable::name)>);
MPC_CUDA_BLAS_SYMBOLS(MPC_SAME_TYPE)
