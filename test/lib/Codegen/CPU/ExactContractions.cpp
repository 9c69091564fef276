// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions run and compared with the chains that they stand for.
#include "ExactContractions.h"
#include "gtest/gtest.h"
#include <cstring>
#include <vector>

using namespace mpc::test;

static uint16_t encode(float value, Format format) {
  return format == Format::F16 ? toHalf(value) : toBFloat(value);
}

Tensor::Tensor(size_t count, Format format, unsigned seed)
    : bytes(count * getBytes(format)), values(randoms(count, -2, 2, seed)) {
  for (size_t number = 0; number < count; ++number) {
    char *place = bytes.data() + number * getBytes(format);
    if (format == Format::F32) {
      std::memcpy(place, &values[number], 4);
      continue;
    }
    uint16_t bits = encode(values[number], format);
    values[number] = format == Format::F16 ? fromHalf(bits) : fromBFloat(bits);
    std::memcpy(place, &bits, 2);
  }
}

/// Whether element `number` of a tensor of `shape` is in its border.
static bool isInBorder(size_t number, const std::vector<int64_t> &shape,
                       const std::vector<int64_t> &border) {
  for (size_t axis = shape.size(); axis-- > 0;) {
    int64_t index = number % shape[axis];
    number /= shape[axis];
    if (axis < border.size() &&
        (index < border[axis] || index >= shape[axis] - border[axis]))
      return true;
  }
  return false;
}

void Tensor::clearBorder(const std::vector<int64_t> &shape,
                         const std::vector<int64_t> &border) {
  size_t size = bytes.size() / values.size();
  for (size_t number = 0; number < values.size(); ++number)
    if (isInBorder(number, shape, border)) {
      values[number] = 0;
      std::memset(bytes.data() + number * size, 0, size);
    }
}

std::vector<char> Tensor::getInside(const std::vector<int64_t> &shape,
                                    const std::vector<int64_t> &border) const {
  size_t size = bytes.size() / values.size();
  std::vector<char> inside;
  for (size_t number = 0; number < values.size(); ++number)
    if (!isInBorder(number, shape, border))
      inside.insert(inside.end(), bytes.begin() + number * size,
                    bytes.begin() + (number + 1) * size);
  return inside;
}

size_t mpc::test::countElements(const std::vector<int64_t> &shape) {
  size_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

std::vector<uint32_t> mpc::test::getBits(const std::vector<float> &values) {
  std::vector<uint32_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), values.size() * 4);
  return bits;
}

static std::string describe(const Loops &loops) {
  std::string text;
  for (int64_t extent : loops.extents)
    text += std::to_string(extent) + " ";
  return text + getText(loops, After::Nothing);
}

namespace {

/// How a contraction is run.
struct Setup {
  int64_t lanes;
  mpc::cpu::Unit bf16;
};

} // namespace

/// All setups that this machine can run. Scalar loops model each unit.
static std::vector<Setup> listSetups(const Loops &loops) {
  using mpc::cpu::Unit;
  std::vector<Setup> setups = {
      {8, Unit::FMA}, {0, Unit::FMA}, {kScalarLoops, Unit::FMA}};
  if (loops.aFormat != Format::BF16 && loops.bFormat != Format::BF16)
    return setups;
  setups.push_back({kScalarLoops, Unit::AVX512BF16});
  if (__builtin_cpu_supports("avx512bf16"))
    setups.push_back({0, Unit::AVX512BF16});
  return setups;
}

/// Random factors, with the borders that the loops state.
static std::pair<Tensor, Tensor> getFactors(const Loops &loops) {
  Tensor a(countElements(loops.getShape(loops.a)), loops.aFormat, 1);
  Tensor b(countElements(loops.getShape(loops.b)), loops.bFormat, 2);
  a.clearBorder(loops.getShape(loops.a), loops.aBorder);
  b.clearBorder(loops.getShape(loops.b), loops.bBorder);
  return {std::move(a), std::move(b)};
}

/// What a target whose unit for bf16 is `bf16` must compute. A contraction of
/// channels, one k or another type is multiplied by fused multiply-adds.
static Loops expectedOf(Loops loops, mpc::cpu::Unit bf16,
                        const std::string &schedule) {
  int64_t k = 1;
  for (size_t loop = 0; loop < loops.extents.size(); ++loop)
    k *= loops.kinds[loop] == 'r' ? loops.extents[loop] : 1;
  loops.pairs = bf16 != mpc::cpu::Unit::FMA && loops.fused && k > 1 &&
                loops.aFormat == Format::BF16 &&
                loops.bFormat == Format::BF16 && schedule != "#cpu.depthwise";
  return loops;
}

static void expectExact(const Loops &loops, const std::string &schedule,
                        Setup setup) {
  auto [a, b] = getFactors(loops);
  std::vector<uint32_t> want = getBits(
      evaluate(expectedOf(loops, setup.bf16, schedule), a.values, b.values));
  auto kernels = GemmKernels::compile(getText(loops, After::Nothing),
                                      setup.lanes, setup.bf16);
  ASSERT_TRUE(bool(kernels)) << llvm::toString(kernels.takeError());
  ASSERT_NE(kernels->schedule().find(setup.lanes == kScalarLoops ? "#cpu.loops"
                                                                 : schedule),
            std::string::npos)
      << describe(loops) << kernels->schedule();
  std::vector<char> aBytes = a.bytes, bBytes = b.bytes;
  if (loops.pads) {
    aBytes = a.getInside(loops.getShape(loops.a), loops.aBorder);
    bBytes = b.getInside(loops.getShape(loops.b), loops.bBorder);
  }
  GuardedMemory aCopy(aBytes.size(), getBytes(loops.aFormat));
  GuardedMemory bCopy(bBytes.size(), getBytes(loops.bFormat));
  std::memcpy(aCopy.data(), aBytes.data(), aBytes.size());
  std::memcpy(bCopy.data(), bBytes.data(), bBytes.size());
  for (int64_t pieces : {int64_t(1), int64_t(3), kernels->chunks()}) {
    std::vector<float> result(want.size(), 12345.0f);
    kernels->run({aCopy.data(), bCopy.data(), result.data()}, pieces);
    ASSERT_EQ(getBits(result), want)
        << describe(loops) << " lanes " << setup.lanes << " "
        << kernels->schedule();
  }
}

void mpc::test::expectExact(const Loops &loops, const std::string &schedule) {
  for (const Setup &setup : listSetups(loops)) {
    // Scalar loops have no copy to which they could add a border.
    if (loops.pads && setup.lanes == kScalarLoops)
      continue;
    ASSERT_NO_FATAL_FAILURE(::expectExact(loops, schedule, setup));
  }
}

void mpc::test::expectTruncated(const Loops &loops,
                                const std::string &schedule) {
  auto [a, b] = getFactors(loops);
  std::vector<uint16_t> want;
  for (float value : evaluate(loops, a.values, b.values))
    want.push_back(toHalf(value));
  for (int64_t lanes : {8, 0}) {
    auto kernels = GemmKernels::compile(getText(loops, After::Truncate), lanes);
    ASSERT_TRUE(bool(kernels)) << llvm::toString(kernels.takeError());
    ASSERT_NE(kernels->schedule().find(schedule), std::string::npos)
        << describe(loops) << kernels->schedule();
    std::vector<uint16_t> result(want.size(), 0x1234);
    kernels->run({a.data(), b.data(), result.data()});
    ASSERT_EQ(result, want) << describe(loops) << kernels->schedule();
  }
}

void mpc::test::expectEverything(const Loops &loops,
                                 const std::string &schedule) {
  std::vector<int64_t> shape = loops.getResultShape();
  size_t count = countElements(shape);
  auto [a, b] = getFactors(loops);
  Tensor bias(shape.back(), Format::F32, 3), residual(count, Format::F16, 4);
  std::vector<float> product = evaluate(loops, a.values, b.values);
  std::vector<uint16_t> want(count);
  std::vector<uint8_t> wantMask(count);
  for (size_t place = 0; place < count; ++place) {
    float sum = product[place] + bias.values[place % shape.back()];
    wantMask[place] = sum > 0;
    float value = (sum > 0 ? sum : 0.0f) + residual.values[place];
    // The same dimensions, the last outermost.
    size_t rest = place, reversed = 0, stride = count;
    for (size_t dim = shape.size(); dim-- > 0;) {
      stride /= shape[dim];
      reversed += rest % shape[dim] * stride;
      rest /= shape[dim];
    }
    want[reversed] = toHalf(value);
  }
  for (int64_t lanes : {8, 0}) {
    auto kernels =
        GemmKernels::compile(getText(loops, After::Everything), lanes);
    ASSERT_TRUE(bool(kernels)) << llvm::toString(kernels.takeError());
    ASSERT_NE(kernels->schedule().find(schedule), std::string::npos)
        << describe(loops) << kernels->schedule();
    std::vector<uint16_t> result(count, 0x1234);
    std::vector<uint8_t> mask(count, 7);
    kernels->run({a.data(), b.data(), bias.data(), residual.data(),
                  result.data(), mask.data()});
    ASSERT_EQ(result, want) << describe(loops) << kernels->schedule();
    ASSERT_EQ(mask, wantMask);
  }
}
