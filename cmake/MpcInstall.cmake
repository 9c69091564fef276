# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cmake --install` puts where beside the tools: the libraries and headers
# of the C ABI, and how CMake and pkg-config find them. Components: runtime, and
# compiler, which needs the other.
include(CMakePackageConfigHelpers)

install(TARGETS mpc-runtime EXPORT mpc-runtime
  LIBRARY COMPONENT runtime)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT runtime
  FILES_MATCHING PATTERN *.h)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/mpc-compiler)
install(EXPORT mpc-runtime FILE mpc-runtime-targets.cmake NAMESPACE mpc::
  DESTINATION ${package} COMPONENT runtime)
# What builds against this tree, as `pip install .` does, finds it as well.
export(EXPORT mpc-runtime FILE ${CMAKE_BINARY_DIR}/mpc-runtime-targets.cmake
  NAMESPACE mpc::)
if(TARGET mpc-compiler)
  install(TARGETS mpc-compiler EXPORT mpc-compiler LIBRARY COMPONENT compiler)
  install(EXPORT mpc-compiler FILE mpc-compiler-targets.cmake NAMESPACE mpc::
    DESTINATION ${package} COMPONENT compiler)
  export(EXPORT mpc-compiler FILE ${CMAKE_BINARY_DIR}/mpc-compiler-targets.cmake
    NAMESPACE mpc::)
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/mpc-compiler-config.cmake
  ${CMAKE_BINARY_DIR}/mpc-compiler-config.cmake COPYONLY)
install(FILES ${CMAKE_BINARY_DIR}/mpc-compiler-config.cmake
  DESTINATION ${package} COMPONENT runtime)
write_basic_package_version_file(
  ${CMAKE_BINARY_DIR}/mpc-compiler-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/mpc-compiler-config-version.cmake
  DESTINATION ${package} COMPONENT runtime)

# The prefix is where the file lies, so that a tree may be moved.
file(RELATIVE_PATH MPC_PREFIX_FROM_PKGCONFIG
  /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(part runtime compiler)
  if(TARGET mpc-${part})
    configure_file(${CMAKE_CURRENT_LIST_DIR}/mpc-${part}.pc.in
      ${CMAKE_BINARY_DIR}/mpc-${part}.pc @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/mpc-${part}.pc
      DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${part})
  endif()
endforeach()
