// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Detects the features of the CPU.
#include "lib/Codegen/CPU/Processor.h"

#include "runtime/Device/CPU/CpuLevel.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include <mutex>

using namespace mpc::cpu;

// The CPU features that every kernel may use, and those that 16 lanes need in
// addition.
static constexpr const char *kLevel3[] = {
    "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt"};
static constexpr const char *kLevel4[] = {"avx512f", "avx512bw", "avx512cd",
                                          "avx512dq", "avx512vl"};
/// The CPU feature that Unit::AVX512BF16 needs in addition.
static constexpr const char *kBFloat16 = "avx512bf16";

static std::string listMissing(llvm::ArrayRef<const char *> wanted,
                               const llvm::StringMap<bool> &present) {
  std::string missing;
  for (const char *feature : wanted)
    if (!present.lookup(feature))
      missing += (missing.empty() ? "" : ", ") + std::string(feature);
  return missing;
}

static Processor getHost() {
  llvm::StringMap<bool> present = llvm::sys::getHostCPUFeatures();
  Processor processor;
  processor.name = llvm::sys::getHostCPUName().str();
  processor.lanes = listMissing(kLevel4, present).empty() ? 16 : 8;
  // Where it is slower than multiply-adds it is used by name alone.
  if (processor.lanes == 16 && present.lookup(kBFloat16) &&
      mpc::rt::hasFastBF16())
    processor.bf16 = Unit::AVX512BF16;
  llvm::SubtargetFeatures features;
  for (const auto &feature : present)
    features.AddFeature(feature.first(), feature.second);
  processor.features = features.getString();
  return processor;
}

/// Code for a level uses the instructions that the runtime asks for where it
/// loads the code, and no others of the processor that the level is named
/// after.
static Processor getLevel(const mpc::rt::CpuLevel &level) {
  Processor processor{"x86-64-v3", "", /*lanes=*/8};
  if (level.needs != mpc::rt::CpuNeeds::Level3)
    processor = {"x86-64-v4", "", /*lanes=*/16};
  if (level.needs == mpc::rt::CpuNeeds::Level4BF16) {
    processor.features = "+" + std::string(kBFloat16);
    processor.bf16 = Unit::AVX512BF16;
  }
  return processor;
}

llvm::Expected<Processor> mpc::cpu::getProcessor(llvm::StringRef name) {
  if (name == "host")
    return getHost();
  for (const mpc::rt::CpuLevel &level : mpc::rt::cpuLevels())
    if (level.name == std::string_view(name))
      return getLevel(level);
  return llvm::createStringError("unknown CPU '" + name + "': expected " +
                                 mpc::rt::listCpus());
}

Processor mpc::cpu::getScalar(const Processor &processor) {
  return {"x86-64-v3", "", processor.lanes, processor.bf16};
}

llvm::Error mpc::cpu::checkRunsHere(const Processor &processor) {
  llvm::StringMap<bool> present = llvm::sys::getHostCPUFeatures();
  std::string missing = listMissing(kLevel3, present);
  if (!missing.empty())
    return llvm::createStringError(
        "this CPU is below x86-64-v3, the least that mpc needs: it lacks " +
        missing);
  if (processor.lanes == 16)
    missing = listMissing(kLevel4, present);
  if (missing.empty() && processor.bf16 == Unit::AVX512BF16)
    missing = listMissing(kBFloat16, present);
  if (missing.empty())
    return llvm::Error::success();
  return llvm::createStringError("code for " + processor.name +
                                 " does not run on this CPU: it lacks " +
                                 missing);
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
mpc::cpu::createTargetMachine(const Processor &processor) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const llvm::Target *x86 = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!x86)
    return llvm::createStringError(error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(x86->createTargetMachine(
      triple, processor.name, processor.features, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (!machine)
    return llvm::createStringError("LLVM has no code generator for " +
                                   processor.name);
  return machine;
}
