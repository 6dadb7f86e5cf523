# The libraries we build on, at Debian 12's versions. This file serves our own build and, installed next to
# agent_audit-config.cmake, every consumer of the static library: the two lists cannot drift apart.
#
# AGENT_AUDIT_SHARED_GUESTS=ON takes shared libraries throughout. The default takes the archives a system has: every
# shared library costs the program start-up time, and it is started often.
include(CMakeFindDependencyMacro)

# Target guest::<name> for a library that comes without a CMake package.
function(agent_audit_find_guest name header library)
  if(TARGET guest::${name})
    return()
  endif()
  set(names lib${library}.a ${library})
  if(AGENT_AUDIT_SHARED_GUESTS)
    set(names ${library})
  endif()
  find_path(AGENT_AUDIT_${name}_INCLUDE_DIR NAMES ${header})
  find_library(AGENT_AUDIT_${name}_LIBRARY NAMES ${names})
  mark_as_advanced(AGENT_AUDIT_${name}_INCLUDE_DIR AGENT_AUDIT_${name}_LIBRARY)
  if(NOT AGENT_AUDIT_${name}_INCLUDE_DIR OR NOT AGENT_AUDIT_${name}_LIBRARY)
    return()
  endif()
  add_library(guest::${name} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(guest::${name} PROPERTIES
    IMPORTED_LOCATION "${AGENT_AUDIT_${name}_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${AGENT_AUDIT_${name}_INCLUDE_DIR}")
endfunction()

agent_audit_find_guest(zlib zlib.h z)
agent_audit_find_guest(zstd zstd.h zstd)
agent_audit_find_guest(xxhash xxhash.h xxhash)
agent_audit_find_guest(re2 re2/re2.h re2)
