// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel of a program on small integers, each alone:
//
//     prove-kernels record STEP.mpc ANSWERS.safetensors
//     prove-kernels check STEP.mpc ANSWERS.safetensors [KERNEL]
//     prove-kernels compare STEP.mpc PLAIN.mpc [KERNEL]
//
// `record` writes what the kernels' text gives on the device at hand, which is
// the test driver; `check` holds the machine code on a GPU against it, bit for
// bit; `compare` holds it against another program of the same model, made with
// --naive, on the same GPU. Prints JSON: what was proven, and what differs. A
// kernel that loses the device ends the process; the next one goes on behind
// KERNEL.
#include "benchmarks/gpu/PlainLoops.h"
#include "benchmarks/gpu/Proof.h"
#include "runtime/Program/ProgramFile.h"
#include "runtime/Runner/CudaExecutor.h"
#include "runtime/Runner/ProgramChoice.h"
#include "runtime/Support/Safetensors.h"

#include <cstdio>
#include <cstring>
#include <deque>
#include <fmt/format.h>
#include <set>

using namespace mpc;
using namespace mpc::gpu;
using namespace mpc::rt;

//===----------------------------------------------------------------------===//
// Recorded answers
//===----------------------------------------------------------------------===//

namespace {

/// The emulator's answers: read, or collected to be written.
class Answers {
public:
  Status open(const std::string &path) {
    MPC_ASSIGN_OR_RETURN(file_, SafetensorsFile::open(path));
    return {};
  }
  void add(const std::string &name, DType type, std::vector<std::byte> bytes) {
    memory_.push_back(std::move(bytes));
    auto count = static_cast<int64_t>(memory_.back().size() / byteSize(type));
    tensors_.push_back({{name, type, {count}}, memory_.back().data()});
  }
  [[nodiscard]] Status write(const std::string &path) const {
    return writeSafetensors(path, tensors_);
  }
  /// Empty where there is none of the name and the size.
  [[nodiscard]] std::span<const std::byte> find(const std::string &name,
                                                size_t bytes) const {
    const TensorView *tensor = file_->find(name);
    if (!tensor || tensor->desc.numBytes() != bytes)
      return {};
    return {static_cast<const std::byte *>(tensor->data), bytes};
  }

private:
  std::optional<SafetensorsFile> file_;
  std::deque<std::vector<std::byte>> memory_;
  std::vector<TensorView> tensors_;
};

/// One kernel in one round.
struct Run {
  const Launch &launch;
  const Layout &layout;
  int round;
  [[nodiscard]] std::string nameOf(size_t argument) const {
    return fmt::format("{}/{}/{}", launch.symbol, round, argument);
  }
};

} // namespace

static Status runFilled(KernelBench &bench, const Run &run) {
  const std::vector<Argument> &arguments = run.layout.arguments.front();
  MPC_RETURN_IF_ERROR(bench.prepare(run.layout));
  // Results first: one may lie in the place of an operand.
  for (size_t i = arguments.size(); i-- > 0;)
    MPC_RETURN_IF_ERROR(
        bench.fill(run.layout, arguments[i],
                   fillingOf(bench.program(), arguments[i], i, run.round)));
  MPC_RETURN_IF_ERROR(bench.run(run.layout, run.launch, 0));
  return bench.checkGuards(run.layout);
}

static Status record(KernelBench &bench, const Run &run, Answers &answers) {
  MPC_RETURN_IF_ERROR(runFilled(bench, run));
  const std::vector<Argument> &arguments = run.layout.arguments.front();
  for (size_t i = run.launch.numRead; i < arguments.size(); ++i) {
    std::vector<std::byte> bytes(arguments[i].range.bytes);
    MPC_RETURN_IF_ERROR(bench.read(run.layout, arguments[i], 0, bytes));
    answers.add(run.nameOf(i), arguments[i].type, std::move(bytes));
  }
  return {};
}

static Status check(KernelBench &bench, const Run &run, const Answers &answers,
                    Proof &proof) {
  MPC_RETURN_IF_ERROR(runFilled(bench, run));
  const std::vector<Argument> &arguments = run.layout.arguments.front();
  for (size_t i = run.launch.numRead; i < arguments.size(); ++i) {
    std::vector<std::byte> bytes(arguments[i].range.bytes);
    MPC_RETURN_IF_ERROR(bench.read(run.layout, arguments[i], 0, bytes));
    std::span<const std::byte> expected =
        answers.find(run.nameOf(i), bytes.size());
    if (expected.empty() && !bytes.empty())
      return invalidInput("there is no recorded answer of " + run.nameOf(i));
    proof.elements += arguments[i].elements();
    if (auto found =
            findDifference(arguments[i].type, expected, bytes, Agreement::Bits))
      proof.add(run.launch, i, arguments[i].type, *found,
                fmt::format("round {}", run.round));
  }
  return {};
}

/// Twice, since what two runs do not agree on is a race.
static void checkTwice(KernelBench &bench, const Run &run,
                       const Answers &answers, Proof &proof) {
  if (proof.isLost())
    return;
  size_t before = proof.failures();
  for (int time = 0; time < 2 && proof.failures() == before; ++time)
    if (Status status = check(bench, run, answers, proof); !status.ok())
      proof.add(run.launch, status);
}

/// Every kernel, in both rounds.
static Status runAll(KernelBench &bench, Answers &answers, Proof *proof) {
  std::set<std::string> done;
  for (const Entry &entry : bench.program().entries)
    for (const Launch &launch : entry.launches) {
      if (!launch.as<DeviceKernel>() || !done.insert(launch.symbol).second ||
          (proof && !proof->isWanted(launch)))
        continue;
      MPC_ASSIGN_OR_RETURN(Layout layout, layOut(bench.program(), {&launch}));
      for (int round : {0, 1}) {
        Run run{launch, layout, round};
        if (proof)
          checkTwice(bench, run, answers, *proof);
        else
          MPC_RETURN_IF_ERROR(
              record(bench, run, answers).withContext(launch.symbol));
      }
      if (proof)
        proof->finish(launch);
      if (proof && proof->isLost())
        return {};
    }
  return {};
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

static Result<std::shared_ptr<const Program>>
readProgram(const char *path, const cuda::ContextRef &device) {
  MPC_ASSIGN_OR_RETURN(ProgramVariants programs, readProgramFile(path));
  return chooseCudaProgram(programs, device->info().capability.number());
}

static Status prove(const std::string &what, const char *step,
                    const char *other, Proof &proof) {
  MPC_ASSIGN_OR_RETURN(cuda::ContextRef device, openCuda());
  MPC_ASSIGN_OR_RETURN(auto program, readProgram(step, device));
  MPC_ASSIGN_OR_RETURN(
      KernelBench bench,
      KernelBench::open(device, program,
                        what == "record" ? Code::Text : Code::Machine));
  proof.refusal = bench.refusal();
  if (what == "compare") {
    MPC_ASSIGN_OR_RETURN(auto plain, readProgram(other, device));
    MPC_ASSIGN_OR_RETURN(KernelBench reference,
                         KernelBench::open(device, plain, Code::Machine));
    return comparePlain(bench, reference, proof);
  }
  Answers answers;
  if (what == "check") {
    MPC_RETURN_IF_ERROR(answers.open(other));
    return runAll(bench, answers, &proof);
  }
  MPC_RETURN_IF_ERROR(runAll(bench, answers, nullptr));
  return answers.write(other);
}

int main(int argc, char **argv) {
  std::string what = argc == 4 || argc == 5 ? argv[1] : "";
  if (what != "record" && what != "check" && what != "compare") {
    std::fprintf(stderr, "usage: prove-kernels record STEP.mpc ANSWERS\n"
                         "       prove-kernels check STEP.mpc ANSWERS "
                         "[KERNEL]\n"
                         "       prove-kernels compare STEP.mpc PLAIN.mpc "
                         "[KERNEL]\n");
    return static_cast<int>(StatusCode::Usage);
  }
  Proof proof;
  proof.after = argc == 5 ? argv[4] : "";
  Status status = prove(what, argv[2], argv[3], proof);
  if (!status.ok()) {
    std::fprintf(stderr, "prove-kernels: error: %s: %s\n", argv[2],
                 status.message().c_str());
    return static_cast<int>(status.code());
  }
  std::printf("%s\n", proof.json().c_str());
  return proof.failures() == 0 ? 0 : 1;
}
