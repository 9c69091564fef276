// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What was proven of a program's kernels, as JSON.
#ifndef MPC_BENCHMARKS_GPU_PROOF_H
#define MPC_BENCHMARKS_GPU_PROOF_H

#include "benchmarks/gpu/KernelValues.h"
#include "runtime/Device/CUDA/Driver.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace mpc::gpu {

class Proof {
public:
  uint64_t elements = 0; ///< Compared.
  std::string refusal;   ///< Why the text was compiled; empty where not.
  /// Nothing is done of kernels up to this one; empty: all are proven.
  std::string after;

  /// To be asked once of each kernel, in order.
  [[nodiscard]] bool isWanted(const rt::Launch &launch) {
    if (after.empty())
      return true;
    if (launch.symbol == after)
      after.clear();
    return false;
  }

  /// An element that differs.
  void add(const rt::Launch &launch, size_t argument, rt::DType type,
           const Difference &difference, const std::string &where) {
    failures_.push_back({{"kernel", launch.symbol},
                         {"work", workOf(launch).kind},
                         {"nodes", launch.sources},
                         {"where", where},
                         {"argument", argument},
                         {"type", std::string(rt::name(type))},
                         {"element", difference.element},
                         {"expected", difference.expected},
                         {"got", difference.got},
                         {"differing", difference.count}});
  }
  /// A kernel that could not be run, or that did what no kernel may.
  void add(const rt::Launch &launch, const rt::Status &status) {
    failures_.push_back({{"kernel", launch.symbol},
                         {"work", workOf(launch).kind},
                         {"nodes", launch.sources},
                         {"error", status.message()}});
    isLost_ = status.message().find(rt::cuda::kDeviceLost) != std::string::npos;
  }
  /// A kernel that nothing here says anything of.
  void skip(const rt::Launch &launch, const std::string &reason) {
    unproven_.push_back({{"kernel", launch.symbol},
                         {"work", workOf(launch).kind},
                         {"reason", reason}});
  }
  /// Counts a kernel.
  void finish(const rt::Launch &launch) { ++kernels_[workOf(launch).kind]; }

  [[nodiscard]] size_t failures() const { return failures_.size(); }
  /// A kernel ended what this process can run.
  [[nodiscard]] bool isLost() const { return isLost_; }
  [[nodiscard]] std::string json() const {
    nlohmann::json result = {
        {"kernels", kernels_},
        {"elements", elements},
        {"failures", failures_},
        {"unproven", unproven_},
        {"code", refusal.empty() ? "machine code" : "text"}};
    if (!refusal.empty())
      result["refusal"] = refusal;
    if (isLost_)
      result["stopped"] = true;
    return result.dump();
  }

private:
  std::map<std::string, uint64_t> kernels_; ///< By their work.
  nlohmann::json failures_ = nlohmann::json::array();
  nlohmann::json unproven_ = nlohmann::json::array();
  bool isLost_ = false;
};

} // namespace mpc::gpu

#endif // MPC_BENCHMARKS_GPU_PROOF_H
