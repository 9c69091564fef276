# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One function per kind of target. Sources are listed, never globbed.

# Settings that every target of the project shares.
function(mpc_target_defaults target)
  target_include_directories(${target} PUBLIC
    ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter)
  if(MPC_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  # Arithmetic must not depend on what the host compiler contracts.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
endfunction()

# mpc_add_runtime_library(<name> SOURCES ... [LINK ...])
# A part of the runtime: no LLVM, no MLIR.
function(mpc_add_runtime_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  mpc_target_defaults(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# mpc_add_tool(<name> SOURCES ... [LINK ...] [LLVM])
# A command-line program; LLVM says that it links the compiler's libraries. It is
# installed with the compiler then, else with the runtime.
function(mpc_add_tool name)
  cmake_parse_arguments(ARG "LLVM" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  mpc_target_defaults(${name})
  set(component runtime)
  if(ARG_LLVM)
    mpc_link_llvm(${name})
    set(component compiler)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  install(TARGETS ${name} COMPONENT ${component})
endfunction()

# mpc_add_unittest(<name> SOURCES ... [LINK ...] [LLVM])
# A GoogleTest program, registered with ctest as one test.
function(mpc_add_unittest name)
  cmake_parse_arguments(ARG "LLVM" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  mpc_target_defaults(${name})
  if(ARG_LLVM)
    mpc_link_llvm(${name})
  endif()
  target_link_libraries(${name} PRIVATE GTest::gtest_main ${ARG_LINK})
  target_compile_definitions(${name} PRIVATE
    MPC_TEST_INPUTS="${PROJECT_SOURCE_DIR}/test/Inputs")
  add_test(NAME ${name} COMMAND ${name})
endfunction()
