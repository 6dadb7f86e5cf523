# install(): the program with its manual pages and shell completions (component program), and the library as a CMake
# package for find_package(agent_audit) (component development).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

option(AGENT_AUDIT_BUNDLE "Install the shared libraries beside the program, for an archive that is unpacked anywhere" OFF)
set(AGENT_AUDIT_BUNDLED "^lib(fmt|simdjson|xxhash)[.]so" CACHE INTERNAL "")

if(TARGET agent-audit)
  install(TARGETS agent-audit RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/agent-audit COMPONENT program)
  # A session to try it on.
  # The README and several messages name its pages.
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/agent-audit COMPONENT program FILES_MATCHING PATTERN "*.md")
  install(FILES testdata/demo/stuck-session.jsonl DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/agent-audit/examples COMPONENT program)

  # What the program writes about itself is written when it is installed, so that it cannot be older than the program.
  if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    message(STATUS "Cross compiling: manual pages and completions are not made; agent-audit man and completions print them")
  else()
    set(pages ${PROJECT_BINARY_DIR}/generated/share)
    install(CODE "
      set(agent_audit_command \"${CMAKE_CROSSCOMPILING_EMULATOR};$<TARGET_FILE:agent-audit>\")
      file(REMOVE_RECURSE \"${pages}\")
      file(MAKE_DIRECTORY \"${pages}/bash\" \"${pages}/zsh\" \"${pages}/fish\" \"${pages}/man\")
      function(agent_audit_writes file)
        execute_process(COMMAND \${agent_audit_command} \${ARGN} OUTPUT_FILE \"${pages}/\${file}\" RESULT_VARIABLE code)
        if(NOT code EQUAL 0)
          message(FATAL_ERROR \"agent-audit \${ARGN} ended with \${code}\")
        endif()
      endfunction()
      agent_audit_writes(bash/agent-audit completions bash)
      agent_audit_writes(zsh/_agent-audit completions zsh)
      agent_audit_writes(fish/agent-audit.fish completions fish)
      agent_audit_writes(copyright --licenses --no-pager)
      agent_audit_writes(written man --out \"${pages}/man\")
    " COMPONENT program)
    install(FILES ${pages}/bash/agent-audit DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
    install(FILES ${pages}/zsh/_agent-audit DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
    install(FILES ${pages}/fish/agent-audit.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
    install(FILES ${pages}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/agent-audit COMPONENT program)
    install(DIRECTORY ${pages}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  endif()

  # Libraries that other systems may not have in this version. libc and the C++ run time are everywhere.
  if(AGENT_AUDIT_BUNDLE)
    set_target_properties(agent-audit PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/agent-audit")
    install(CODE "
      file(GET_RUNTIME_DEPENDENCIES EXECUTABLES \"$<TARGET_FILE:agent-audit>\" RESOLVED_DEPENDENCIES_VAR found
           PRE_INCLUDE_REGEXES \"${AGENT_AUDIT_BUNDLED}\" PRE_EXCLUDE_REGEXES \".*\")
      foreach(library IN LISTS found)
        file(INSTALL \"\${library}\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/lib/agent-audit\" FOLLOW_SYMLINK_CHAIN)
      endforeach()
    " COMPONENT program)
  endif()
endif()

include(agent_audit_package)

get_property(fetched GLOBAL PROPERTY AGENT_AUDIT_FETCHED)
if(fetched)
  message(STATUS "Some libraries were fetched, so only the program can be installed, not the library")
  return()
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/agent_audit)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/agent_audit-config.cmake.in agent_audit-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(agent_audit-config-version.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS agent_audit_core EXPORT agent_audit ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY include/agent_audit DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN "*.hpp")
install(EXPORT agent_audit NAMESPACE agent_audit:: FILE agent_audit-targets.cmake DESTINATION ${package_dir} COMPONENT development)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/agent_audit-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/agent_audit-config-version.cmake
              ${CMAKE_CURRENT_LIST_DIR}/agent_audit_guests.cmake
        DESTINATION ${package_dir} COMPONENT development)
