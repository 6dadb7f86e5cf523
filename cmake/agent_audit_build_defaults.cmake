# Headers that most files read, compiled once for `target`: a third of the time of a build from nothing, half of that of
# the tests. What a file then forgets to include itself is found by the preset `gcc`, which does without.
option(AGENT_AUDIT_PCH "Common headers are read precompiled" ${PROJECT_IS_TOP_LEVEL})
function(agent_audit_precompile target)
  if(NOT AGENT_AUDIT_PCH)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <cstdint> <functional> <map> <memory> <optional> <span>
    <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h> ${ARGN})
  # What ccache asks of a compiler whose results it is to keep.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>
                                           $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()

# What a build of ours, and only of ours, defaults to. As a part of another project we leave its settings alone.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

# -O3 measures the same as -O2 here and is larger. Debug keeps asserts; at -O1 the tests run in a third of the time. Lines
# are enough to read a trace: descriptions of variables, which -O1 hides from debuggers anyway, cost g++ a third of a
# build. For a debugger: -D CMAKE_CXX_FLAGS_DEBUG="-O0 -g3".
if(NOT AGENT_AUDIT_FLAGS_SET)
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG" CACHE STRING "Flags of Release builds" FORCE)
  if(CMAKE_CXX_FLAGS_DEBUG STREQUAL "-g" OR CMAKE_CXX_FLAGS_DEBUG STREQUAL "")
    set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1" CACHE STRING "Flags of Debug builds" FORCE)
  endif()
  set(AGENT_AUDIT_FLAGS_SET ON CACHE INTERNAL "the flags above were set once; later edits by hand stay")
endif()

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(AGENT_AUDIT_CCACHE ccache)
  mark_as_advanced(AGENT_AUDIT_CCACHE)
  if(AGENT_AUDIT_CCACHE)
    # Precompiled headers are hashed by their content, and no file asks for the time of day. Which headers a file read is
    # told by the compiler's own list: to preprocess it first, to know, is a tenth of the time of a build from nothing.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1
                                    ${AGENT_AUDIT_CCACHE})
  endif()
endif()

# Only libraries that are used: each one loaded costs start-up time.
add_link_options(-Wl,--as-needed)
# Tables of addresses are moved to where the program lies by a list of bits instead of 24 bytes an address: half a megabyte
# that need not be read at the start. Sanitized programs lie at one place (and lld 14 does not know the list).
include(CheckLinkerFlag)
check_linker_flag(CXX "LINKER:-z,pack-relative-relocs" AGENT_AUDIT_PACKS_RELOCATIONS)
if(AGENT_AUDIT_PACKS_RELOCATIONS AND NOT AGENT_AUDIT_SANITIZE)
  add_link_options("LINKER:-z,pack-relative-relocs")
endif()
