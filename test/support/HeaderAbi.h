// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Types as the binary interface of a C library sees them, to compare our
/// declarations with those of its header.
#ifndef MPC_TEST_SUPPORT_HEADERABI_H
#define MPC_TEST_SUPPORT_HEADERABI_H

#include <type_traits>

namespace mpc::rt::test {

/// What a parameter is to the binary interface: pointers are alike, and an
/// enumeration is an int.
template <typename T>
struct Abi {
  using type = T;
};
template <typename T>
  requires std::is_enum_v<T>
struct Abi<T> {
  using type = int;
};
template <typename T>
struct Abi<T *> {
  using type = void *;
};
template <typename R, typename... P>
struct Abi<R (*)(P...)> {
  using type =
      typename Abi<R>::type (*)(typename Abi<std::remove_cv_t<P>>::type...);
};
template <typename A, typename B>
constexpr bool kSameAbi =
    std::is_same_v<typename Abi<A>::type, typename Abi<B>::type>;

} // namespace mpc::rt::test

#endif // MPC_TEST_SUPPORT_HEADERABI_H
