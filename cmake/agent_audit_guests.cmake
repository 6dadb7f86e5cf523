# The libraries we build on, at Debian 12's versions. This file serves our own build and, installed next to
# agent_audit-config.cmake, every consumer of the static library: the two lists cannot drift apart.
#
# AGENT_AUDIT_SHARED_GUESTS=ON takes shared libraries throughout. The default takes the archives a system has: every
# shared library costs the program start-up time, and it is started often.
include(CMakeFindDependencyMacro)

# Target guest::<name> for a library that comes without a CMake package. With SHARED the archive will not do.
function(agent_audit_find_guest name header library)
  if(TARGET guest::${name})
    return()
  endif()
  # The two kinds have cache entries of their own, so that a change of mind is seen by an old build directory.
  set(found AGENT_AUDIT_${name}_ARCHIVE)
  set(names lib${library}.a ${library})
  if(AGENT_AUDIT_SHARED_GUESTS OR "SHARED" IN_LIST ARGN)
    set(found AGENT_AUDIT_${name}_SHARED)
    set(names ${library})
  endif()
  find_path(AGENT_AUDIT_${name}_INCLUDE_DIR NAMES ${header})
  find_library(${found} NAMES ${names})
  mark_as_advanced(AGENT_AUDIT_${name}_INCLUDE_DIR ${found})
  if(NOT AGENT_AUDIT_${name}_INCLUDE_DIR OR NOT ${found})
    return()
  endif()
  add_library(guest::${name} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(guest::${name} PROPERTIES
    IMPORTED_LOCATION "${${found}}"
    INTERFACE_INCLUDE_DIRECTORIES "${AGENT_AUDIT_${name}_INCLUDE_DIR}")
endfunction()

agent_audit_find_guest(zlib zlib.h z)
agent_audit_find_guest(zstd zstd.h zstd)
agent_audit_find_guest(xxhash xxhash.h xxhash SHARED)  # Debian's archive is built without the run-time dispatch
agent_audit_find_guest(re2 re2/re2.h re2)
agent_audit_find_guest(pugixml pugixml.hpp pugixml)

# SQLite's archive needs the mathematics and loader libraries of the system, which CMake's own module does not say.
agent_audit_find_guest(sqlite3 sqlite3.h sqlite3)
if(TARGET guest::sqlite3 AND NOT AGENT_AUDIT_SHARED_GUESTS)
  find_package(Threads QUIET)
  set_property(TARGET guest::sqlite3 APPEND PROPERTY INTERFACE_LINK_LIBRARIES m ${CMAKE_DL_LIBS} Threads::Threads)
endif()
