# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The tools in a wheel, as scripts/wheel.sh makes it. They lie in the package,
# beside the modules that they load, and a script of each name runs it.
set(MPC_WHEEL_PREFIX "" CACHE PATH
  "Where the mpc is installed whose tools go into the wheel; empty: none do")
set(MPC_WHEEL_LICENSES "" CACHE PATH
  "Folder of the terms of what the wheel brings along; empty: it brings nothing")

if(MPC_WHEEL_PREFIX)
  install(DIRECTORY ${MPC_WHEEL_PREFIX}/bin
    DESTINATION mpc_compiler USE_SOURCE_PERMISSIONS)
  install(DIRECTORY ${MPC_WHEEL_PREFIX}/lib/mpc
    DESTINATION mpc_compiler/lib USE_SOURCE_PERMISSIONS)
  file(GLOB tools RELATIVE ${MPC_WHEEL_PREFIX}/bin ${MPC_WHEEL_PREFIX}/bin/*)
  foreach(tool ${tools})
    configure_file(tool.py.in ${CMAKE_CURRENT_BINARY_DIR}/scripts/${tool} @ONLY)
    install(PROGRAMS ${CMAKE_CURRENT_BINARY_DIR}/scripts/${tool}
      DESTINATION ${SKBUILD_SCRIPTS_DIR})
  endforeach()
endif()
if(MPC_WHEEL_LICENSES)
  install(DIRECTORY ${MPC_WHEEL_LICENSES}/
    DESTINATION ${SKBUILD_METADATA_DIR}/licenses)
endif()
