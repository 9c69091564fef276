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

# mpc_compile_together(<target> [<source>...]) compiles the target's sources some
# at a time where MPC_COMPILE_TOGETHER says so: what they include is parsed and
# instantiated once for all. The named ones stay alone: names of theirs have
# another meaning in other files, or they use other namespaces.
function(mpc_compile_together target)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${MPC_COMPILE_TOGETHER}
    UNITY_BUILD_BATCH_SIZE 6)
  set_source_files_properties(${ARGN} PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# mpc_add_runtime_library(<name> SOURCES ... [ALONE ...] [LINK ...])
# A part of the runtime: no LLVM, no MLIR. ALONE names sources of
# mpc_compile_together.
function(mpc_add_runtime_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ALONE;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_ALONE})
  mpc_target_defaults(${name})
  mpc_compile_together(${name} ${ARG_ALONE})
  # A linker that leaves out what nothing reaches can do so function by function,
  # however many sources were compiled at a time.
  target_compile_options(${name} PRIVATE -ffunction-sections -fdata-sections)
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# mpc_add_tool(<name> SOURCES ... [LINK ...] [MODULE <module>] [LLVM])
# A command-line program; LLVM says that it links the compiler's libraries, and
# MODULE names one of mpc_add_compiler_module, which it loads. It is installed
# with the compiler then, else with the runtime.
function(mpc_add_tool name)
  cmake_parse_arguments(ARG "LLVM" "MODULE" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  mpc_target_defaults(${name})
  set(component runtime)
  if(ARG_LLVM)
    mpc_link_llvm(${name})
    # Where this LLVM is: its libraries need not be in the loader's folders.
    set_target_properties(${name} PROPERTIES INSTALL_RPATH "${LLVM_LIBRARY_DIR}")
  endif()
  if(ARG_MODULE)
    add_dependencies(${name} ${ARG_MODULE})
    target_link_libraries(${name} PRIVATE ${CMAKE_DL_LIBS})
  endif()
  if(ARG_LLVM OR ARG_MODULE)
    set(component compiler)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  install(TARGETS ${name} COMPONENT ${component})
endfunction()

# mpc_add_compiler_module(<name> EXPORTS ... SOURCES ... [LINK ...])
# The part of a tool that has LLVM, which is loaded where the tool needs it, and
# of which only these functions are seen. It lies in lib/mpc, beside bin.
function(mpc_add_compiler_module name)
  cmake_parse_arguments(ARG "" "" "EXPORTS;SOURCES;LINK" ${ARGN})
  add_library(${name} MODULE ${ARG_SOURCES})
  mpc_target_defaults(${name})
  mpc_link_llvm(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  set(exports ${CMAKE_CURRENT_BINARY_DIR}/${name}.map)
  list(JOIN ARG_EXPORTS "; " global)
  file(CONFIGURE OUTPUT ${exports}
    CONTENT "{ global: @global@; local: *; };\n" @ONLY)
  target_link_options(${name} PRIVATE LINKER:--version-script=${exports})
  set_target_properties(${name} PROPERTIES
    PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/mpc
    # Where this LLVM is: its libraries need not be in the loader's folders.
    INSTALL_RPATH "${LLVM_LIBRARY_DIR}")
  install(TARGETS ${name} LIBRARY DESTINATION lib/mpc COMPONENT compiler)
endfunction()

# mpc_add_unittest(<name> [LLVM] [SHARDS <count>] [SOURCES ...] [LINK ...])
# A GoogleTest program, registered with ctest as one test, or as `count` tests
# that share its cases among them. Most tests belong to one of the two programs
# of test/CMakeLists.txt, to which mpc_add_unittest_sources adds a folder's.
function(mpc_add_unittest name)
  cmake_parse_arguments(ARG "LLVM" "SHARDS" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  mpc_target_defaults(${name})
  if(ARG_LLVM)
    mpc_link_llvm(${name})
  endif()
  target_link_libraries(${name} PRIVATE GTest::gtest_main ${ARG_LINK})
  target_compile_definitions(${name} PRIVATE
    MPC_TEST_INPUTS="${PROJECT_SOURCE_DIR}/test/Inputs")
  if(NOT ARG_SHARDS)
    add_test(NAME ${name} COMMAND ${name})
    return()
  endif()
  foreach(shard RANGE 1 ${ARG_SHARDS})
    math(EXPR index "${shard} - 1")
    add_test(NAME ${name}-${shard} COMMAND ${name})
    set_tests_properties(${name}-${shard} PROPERTIES ENVIRONMENT
      "GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()

# mpc_use_nvrtc(<test>)
# Tells a test where NVRTC's own parts are. The sanitizers load libraries in the
# program's name, so that NVRTC does not find what lies beside it.
function(mpc_use_nvrtc test)
  file(GLOB folders ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/*/lib)
  list(JOIN folders ":" path)
  if(folders AND CMAKE_CXX_FLAGS MATCHES "fsanitize")
    set_tests_properties(${test} PROPERTIES ENVIRONMENT "LD_LIBRARY_PATH=${path}")
  endif()
endfunction()

# mpc_add_unittest_sources(<program> SOURCES ... [LINK ...])
# What a folder adds to a program of mpc_add_unittest.
function(mpc_add_unittest_sources program)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  target_sources(${program} PRIVATE ${ARG_SOURCES})
  target_link_libraries(${program} PRIVATE ${ARG_LINK})
endfunction()
