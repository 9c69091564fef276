// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles the text of a kernel and runs it on arrays.
#include "test/lib/Codegen/CPU/Harness.h"

#include "dialects/Kernel/Contract.h"
#include "lib/Codegen/CPU/Passes.h"
#include "lib/Driver/Dialects.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Kernel/Passes.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

using namespace mpc;
using namespace mpc::test;

static std::unique_ptr<mlir::MLIRContext> makeContext() {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  auto context = std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

static llvm::Expected<cpu::CompiledKernels> compile(mlir::MLIRContext &context,
                                                    const std::string &text,
                                                    Config config,
                                                    std::string &schedule) {
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    message += d.str();
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return llvm::createStringError(message);
  // What kernel-outline says of its kernels.
  for (auto func : module->getOps<kernel::FuncOp>())
    if (!func.getSchedule() && failed(kernel::stateContract(func)))
      return llvm::createStringError(message);
  mlir::PassManager schedules(&context), emission(&context);
  cpu::AttachTargetPassOptions attach;
  attach.lanes = config.lanes;
  attach.naive = config.naive;
  attach.bf16 = config.bf16;
  schedules.addPass(cpu::createAttachTargetPass(attach));
  schedules.addPass(kernel::createSchedulePass());
  emission.addPass(kernel::createEmitPass());
  emission.addPass(cpu::createShareCodePass());
  if (failed(schedules.run(*module)))
    return llvm::createStringError(message);
  llvm::raw_string_ostream stream(schedule);
  for (auto func : module->getOps<kernel::FuncOp>())
    stream << func.getScheduleAttr();
  if (failed(emission.run(*module)))
    return llvm::createStringError(message);
  // 8 lanes run on any CPU that mpc runs on: what a host knows besides, as
  // instructions for bf16, must not hide what those lack.
  auto target = cpu::getProcessor(config.lanes == 8 ? "x86-64-v3" : "host");
  if (!target)
    return target.takeError();
  auto kernels = cpu::compileKernels(*module, *target);
  if (!kernels && !message.empty())
    return llvm::joinErrors(llvm::createStringError(message),
                            kernels.takeError());
  return kernels;
}

Kernels::Kernels(const std::string &text, Config config) : config_(config) {
  auto context = makeContext();
  auto result = compile(*context, text, config, scheduleText_);
  if (result)
    compiled_ = std::move(*result);
  else
    ADD_FAILURE() << llvm::toString(result.takeError());
}

std::string mpc::test::compileError(const std::string &text) {
  auto context = makeContext();
  std::string schedule;
  auto result = compile(*context, text, {}, schedule);
  return result ? std::string() : llvm::toString(result.takeError());
}

GuardedMemory::GuardedMemory(uint64_t bytes, uint64_t alignment) {
  uint64_t page = ::sysconf(_SC_PAGESIZE);
  uint64_t size = llvm::alignTo(bytes, alignment);
  bytes_ = llvm::alignTo(size, page) + page;
  base_ = static_cast<char *>(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  EXPECT_NE(base_, MAP_FAILED);
  char *end = base_ + bytes_ - page;
  EXPECT_EQ(::mprotect(end, page, PROT_NONE), 0);
  data_ = end - size;
  // NaN of every float type: a kernel must not read what it has not written,
  // not even to multiply by zero.
  std::memset(data_, 0xff, size);
}

GuardedMemory::~GuardedMemory() { ::munmap(base_, bytes_); }

void Kernels::run(std::vector<void *> buffers, const std::string &name) const {
  auto found = compiled_.kernels.find(name);
  ASSERT_NE(found, compiled_.kernels.end()) << "no kernel " << name;
  const cpu::CompiledKernel &kernel = found->second;
  GuardedMemory scratch(kernel.scratchBytes);
  for (int64_t piece = 0; piece < config_.pieces; ++piece)
    kernel.function(buffers.data(), piece * kernel.chunks / config_.pieces,
                    (piece + 1) * kernel.chunks / config_.pieces,
                    scratch.data());
}

int64_t Kernels::chunks(const std::string &name) const {
  return compiled_.kernels.lookup(name).chunks;
}

static Buffers runOn(const Kernels &kernels, Buffers buffers) {
  std::vector<void *> pointers;
  for (std::vector<uint8_t> &buffer : buffers)
    pointers.push_back(buffer.data());
  kernels.run(pointers);
  return buffers;
}

Buffers mpc::test::runAllWays(const std::string &text, const Buffers &buffers,
                              const std::string &schedule) {
  Config config;
  config.naive = true;
  Buffers want = runOn(Kernels(text, config), buffers);
  config.naive = false;
  auto host = cpu::getProcessor("host");
  for (config.lanes = 8; config.lanes <= host->lanes; config.lanes *= 2)
    for (config.pieces = 1; config.pieces <= 3; ++config.pieces) {
      Kernels kernels(text, config);
      EXPECT_EQ(kernels.schedule().substr(0, schedule.size()), schedule);
      EXPECT_EQ(runOn(kernels, buffers), want)
          << config.lanes << " lanes, " << config.pieces << " pieces";
    }
  return want;
}

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

// 16-bit formats by their definition: sign, exponent, mantissa.
static float decode(uint16_t bits, int mantissaBits, int bias) {
  int mantissa = bits & ((1 << mantissaBits) - 1);
  int exponent = (bits & 0x7fff) >> mantissaBits;
  int top = (0x7fff >> mantissaBits);
  double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == top)
    return mantissa ? std::numeric_limits<float>::quiet_NaN()
                    : sign * std::numeric_limits<float>::infinity();
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - bias - mantissaBits);
  return sign * std::ldexp(mantissa + (1 << mantissaBits),
                           exponent - bias - mantissaBits);
}

// Round to nearest even of an exact value, by scaling to an integer.
static uint16_t encode(double value, int mantissaBits, int bias) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  uint16_t infinity = 0x7fff >> mantissaBits << mantissaBits;
  if (std::isnan(value))
    return infinity | 1 << (mantissaBits - 1);
  value = std::fabs(value);
  int exponent = value == 0 ? 1 - bias : std::ilogb(value);
  exponent = std::max(exponent, 1 - bias);
  if (exponent > bias)
    return sign | infinity;
  double scaled = std::nearbyint(std::ldexp(value, mantissaBits - exponent));
  int64_t bits = static_cast<int64_t>(scaled) +
                 (static_cast<int64_t>(exponent + bias - 1) << mantissaBits);
  return sign | static_cast<uint16_t>(std::min<int64_t>(bits, infinity));
}

float mpc::test::fromHalf(uint16_t bits) { return decode(bits, 10, 15); }
float mpc::test::fromBFloat(uint16_t bits) { return decode(bits, 7, 127); }
uint16_t mpc::test::toHalf(double value) { return encode(value, 10, 15); }
uint16_t mpc::test::toBFloat(double value) { return encode(value, 7, 127); }

template <typename T>
double mpc::test::ulps(T value, double exact) {
  if (std::isnan(exact) || std::isnan(value))
    return std::isnan(exact) && std::isnan(value) ? 0 : HUGE_VAL;
  T rounded = static_cast<T>(exact);
  if (std::isinf(rounded) || std::isinf(value))
    return rounded == value ? 0 : HUGE_VAL;
  T above =
      std::nextafter(std::fabs(rounded), std::numeric_limits<T>::infinity());
  double unit = std::isinf(above)
                    ? static_cast<double>(std::fabs(rounded)) -
                          std::nextafter(std::fabs(rounded), T(0))
                    : static_cast<double>(above) - std::fabs(rounded);
  return std::fabs(static_cast<double>(value) - exact) / unit;
}

template double mpc::test::ulps<float>(float, double);
template double mpc::test::ulps<double>(double, double);
