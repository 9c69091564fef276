# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# LLVM and MLIR are found here and linked one way: the shared libraries. A
# static and a shared copy in one process would give every type two ids.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
separate_arguments(MPC_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")

# The one place that names LLVM's and MLIR's libraries.
function(mpc_link_llvm target)
  target_include_directories(${target} SYSTEM PUBLIC
    ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_include_directories(${target} PUBLIC ${PROJECT_BINARY_DIR})
  target_compile_definitions(${target} PUBLIC ${MPC_LLVM_DEFINITIONS})
  if(NOT LLVM_ENABLE_ASSERTIONS)
    target_compile_options(${target} PUBLIC
      "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Release>>>:SHELL:-include ${PROJECT_SOURCE_DIR}/cmake/LLVMStatistic.h>")
  endif()
  target_link_libraries(${target} PUBLIC MLIR LLVM)
  if(MPC_PRECOMPILED)
    mpc_compile_as_precompiled(${target})
    target_precompile_headers(${target} REUSE_FROM ${MPC_PRECOMPILED})
  endif()
endfunction()

# Headers are precompiled as -fPIC; an executable would be -fPIE.
function(mpc_compile_as_precompiled target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
endfunction()

# mpc_precompile(<target> <header>) parses <header> once for every target that
# is made in this folder and below from here on.
macro(mpc_precompile target header)
  set(MPC_PRECOMPILED)
  add_library(${target} OBJECT ${PROJECT_SOURCE_DIR}/cmake/Precompiled.cpp)
  mpc_target_defaults(${target})
  mpc_link_llvm(${target})
  mpc_compile_as_precompiled(${target})
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # The same headers give the same file, whenever they were checked out, so
    # that ccache finds what was compiled with it.
    target_compile_options(${target} PRIVATE
      "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  target_precompile_headers(${target} PRIVATE
    ${PROJECT_SOURCE_DIR}/cmake/${header})
  set(MPC_PRECOMPILED ${target})
endmacro()

if(MPC_PRECOMPILE_HEADERS AND MPC_PRECOMPILE_DIALECTS)
  mpc_precompile(MpcPrecompiledDialects PrecompiledDialects.h)
elseif(MPC_PRECOMPILE_HEADERS)
  mpc_precompile(MpcPrecompiled Precompiled.h)
endif()

# mpc_tablegen(<target> <td> [<output> <flags...>;]...) runs mlir-tblgen on <td>
# of the current folder; each OUT starts an output with its flags. Tables of
# records (-gen-searchable-tables) are llvm-tblgen's.
find_program(MPC_LLVM_TBLGEN llvm-tblgen REQUIRED
  HINTS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH)
set(LLVM_TABLEGEN_EXE ${MPC_LLVM_TBLGEN})
function(mpc_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(outputs)
  set(output "")
  set(flags)
  foreach(arg ${ARGN} OUT)
    if(arg STREQUAL "OUT")
      if(output)
        set(tool MLIR)
        if("-gen-searchable-tables" IN_LIST flags)
          set(tool LLVM)
        endif()
        tablegen(${tool} ${output} ${flags}
          EXTRA_INCLUDES ${PROJECT_SOURCE_DIR} ${MLIR_INCLUDE_DIRS})
      endif()
      set(output "")
      set(flags)
    elseif(NOT output)
      set(output ${arg})
    else()
      list(APPEND flags ${arg})
    endif()
  endforeach()
  add_public_tablegen_target(${target})
endfunction()

# mpc_add_compiler_library(<name> SOURCES ... [ALONE ...] [DEPENDS ...]
# [LINK ...])
# A library over MLIR. ALONE names sources of mpc_compile_together.
function(mpc_add_compiler_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ALONE;DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_ALONE})
  mpc_target_defaults(${name})
  mpc_compile_together(${name} ${ARG_ALONE})
  mpc_link_llvm(${name})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()
