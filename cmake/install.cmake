# cmake --install gives the program, the library, its headers, and a package that find_package(fovea) finds.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS fovea_library fovea_page fovea EXPORT fovea ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET fovea_program)
  install(TARGETS fovea_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET fovea_mpi)
  install(TARGETS fovea_mpi LIBRARY DESTINATION lib/fovea)
endif()
install(DIRECTORY fovea/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fovea FILES_MATCHING PATTERN "*.h" PATTERN "*.inc"
  PATTERN "nn/reference" EXCLUDE)
install(EXPORT fovea NAMESPACE fovea:: FILE targets.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/fovea)

# The package needs the same outside libraries: its config file looks for them just as this build did.
configure_package_config_file(cmake/config.cmake.in ${CMAKE_BINARY_DIR}/package/fovea-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/fovea)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/fovea-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/package/fovea-config.cmake ${CMAKE_BINARY_DIR}/package/fovea-config-version.cmake
  cmake/dependencies.cmake cmake/portable.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/fovea)
