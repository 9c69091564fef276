# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The text in front of every kernel for a GPU, of its parts in their order:
# MPC_PRELUDE_TEXT, and MPC_PRELUDE as a file in the build folder.
set(MPC_PRELUDE ${PROJECT_BINARY_DIR}/Prelude.cuh)
set(MPC_PRELUDE_TEXT "")
foreach(part Instructions Scalars Groups Tiles Functions Random
    Matrices Scores Attention AttentionLoops)
  set(file ${PROJECT_SOURCE_DIR}/lib/Codegen/CUDA/Prelude/${part}.cuh)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY
    CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  string(APPEND MPC_PRELUDE_TEXT "${text}\n")
endforeach()
file(CONFIGURE OUTPUT ${MPC_PRELUDE} CONTENT "@MPC_PRELUDE_TEXT@" @ONLY)
