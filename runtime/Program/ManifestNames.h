// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Names of enumerators in a manifest, in the order of the enumerators.
#ifndef MPC_RUNTIME_PROGRAM_MANIFESTNAMES_H
#define MPC_RUNTIME_PROGRAM_MANIFESTNAMES_H

#include "runtime/Program/Commands.h"
#include "runtime/Program/Program.h"

#include <array>
#include <string_view>

namespace mpc::rt {

template <typename Enum>
struct EnumNames;

template <>
struct EnumNames<Space> {
  static constexpr std::array<std::string_view, 5> kNames = {
      "arena", "state", "constant", "input", "output"};
};
template <>
struct EnumNames<EntryRole> {
  static constexpr std::array<std::string_view, 7> kNames = {
      "other", "init", "eval", "step", "accumulate", "apply", "measure"};
};
template <>
struct EnumNames<CollectiveKind> {
  static constexpr std::array<std::string_view, 3> kNames = {
      "all_to_all", "all_gather", "take_part"};
};
template <>
struct EnumNames<StateRole> {
  static constexpr auto &kNames = kStateRoleNames;
};
template <>
struct EnumNames<InitialKind> {
  static constexpr std::array<std::string_view, 7> kNames = {
      "zeros", "ones", "uniform", "normal", "values", "external", "seed"};
};
template <>
struct EnumNames<ModelMode> {
  static constexpr std::array<std::string_view, 3> kNames = {
      "either", "inference", "training"};
};

template <typename Enum>
constexpr std::string_view nameOf(Enum value) {
  return EnumNames<Enum>::kNames[static_cast<size_t>(value)];
}

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_MANIFESTNAMES_H
