# What a build of ours, and only of ours, defaults to. As a part of another project we leave its settings alone.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

# -O3 measures the same as -O2 here and is larger. Debug keeps asserts; at -O1 the tests run in a third of the time.
if(NOT AGENT_AUDIT_FLAGS_SET)
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG" CACHE STRING "Flags of Release builds" FORCE)
  if(CMAKE_CXX_FLAGS_DEBUG STREQUAL "-g" OR CMAKE_CXX_FLAGS_DEBUG STREQUAL "")
    set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g" CACHE STRING "Flags of Debug builds" FORCE)
  endif()
  set(AGENT_AUDIT_FLAGS_SET ON CACHE INTERNAL "the flags above were set once; later edits by hand stay")
endif()

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(AGENT_AUDIT_CCACHE ccache)
  mark_as_advanced(AGENT_AUDIT_CCACHE)
  if(AGENT_AUDIT_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${AGENT_AUDIT_CCACHE})
  endif()
endif()

# Only libraries that are used: each one loaded costs start-up time.
add_link_options(-Wl,--as-needed)
