# install(): the program, and the library as a CMake package for find_package(agent_audit).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(TARGET agent-audit)
  install(TARGETS agent-audit RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

get_property(fetched GLOBAL PROPERTY AGENT_AUDIT_FETCHED)
if(fetched)
  message(STATUS "Some libraries were fetched, so only the program can be installed, not the library")
  return()
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/agent_audit)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/agent_audit-config.cmake.in agent_audit-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(agent_audit-config-version.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS agent_audit_core EXPORT agent_audit ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/agent_audit DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(EXPORT agent_audit NAMESPACE agent_audit:: FILE agent_audit-targets.cmake DESTINATION ${package_dir})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/agent_audit-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/agent_audit-config-version.cmake
              ${CMAKE_CURRENT_LIST_DIR}/agent_audit_guests.cmake
        DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
