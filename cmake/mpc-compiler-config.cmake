# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# find_package(mpc-compiler): mpc::runtime, and mpc::compiler where the compiler
# is installed too.
include(${CMAKE_CURRENT_LIST_DIR}/mpc-runtime-targets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/mpc-compiler-targets.cmake OPTIONAL)
