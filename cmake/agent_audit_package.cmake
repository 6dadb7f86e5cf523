# cpack: the program alone, as a Debian package (cpack -G DEB) and as an archive (cpack -G TGZ; scripts/package.sh builds
# it with AGENT_AUDIT_BUNDLE). The library is for those who build, and comes with cmake --install.
set(AGENT_AUDIT_MAINTAINER "agent-audit maintainers <maintainers@agent-audit.invalid>" CACHE STRING "Who answers for packages made here")

set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_PACKAGE_NAME agent-audit)
set(CPACK_PACKAGE_VENDOR "agent-audit")
set(CPACK_PACKAGE_CONTACT "${AGENT_AUDIT_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "audit recorded LLM-agent sessions for loops, drift and waste")
set(CPACK_PACKAGE_DESCRIPTION
"agent-audit reads the sessions that coding agents record, offline, and says
where they went in circles, lost their goal or wasted their context: with
evidence, cost and what to do next, as text, JSON, SARIF, JUnit, HTML and more.
It gates CI runs, replays sessions under supervision policies and writes the
prompt with which a fresh session takes over.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/agent_audit_package_generator.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/agent_audit_package_files.cmake)
set(CPACK_ARCHIVE_FILE_NAME agent-audit-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "less")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libcurl4 | libcurl3-gnutls")
if(AGENT_AUDIT_HOMEPAGE)
  set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "${AGENT_AUDIT_HOMEPAGE}")
endif()
include(CPack)
