# AGENT_AUDIT_FETCH_DEPS=ON: what the system does not have is fetched as source and built with us, for systems whose
# packages are missing or too old. No address is built in: who fetches says from where, and pins the content.
#
#   -DAGENT_AUDIT_FETCH_FMT_URL=… -DAGENT_AUDIT_FETCH_FMT_HASH=SHA256=…
include(FetchContent)

# agent_audit_fetch(<NAME> TARGET <target we link> FROM <target of the project>… [SUBDIR <dir>])
# FROM lists the names the target goes by in the project's own build; the first that exists is taken.
function(agent_audit_fetch name)
  cmake_parse_arguments(arg "" "TARGET;SUBDIR" "FROM" ${ARGN})
  if(TARGET ${arg_TARGET})
    return()
  endif()
  foreach(part IN ITEMS URL HASH)
    if(NOT AGENT_AUDIT_FETCH_${name}_${part})
      message(FATAL_ERROR "${arg_TARGET} is not installed here. Install it, or set AGENT_AUDIT_FETCH_${name}_${part}: "
                          "with AGENT_AUDIT_FETCH_DEPS it is then fetched from AGENT_AUDIT_FETCH_${name}_URL and checked "
                          "against AGENT_AUDIT_FETCH_${name}_HASH (for example SHA256=…).")
    endif()
  endforeach()
  set(FETCHCONTENT_QUIET OFF)
  set(BUILD_SHARED_LIBS OFF)
  set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)
  FetchContent_Declare(${name} URL ${AGENT_AUDIT_FETCH_${name}_URL} URL_HASH ${AGENT_AUDIT_FETCH_${name}_HASH}
                       SOURCE_SUBDIR ${arg_SUBDIR})
  FetchContent_MakeAvailable(${name})
  foreach(candidate IN LISTS arg_FROM)
    if(TARGET ${candidate})
      # Some name their headers' directory only for their own build; the source root is right for all of these.
      string(TOLOWER ${name} lower)
      add_library(agent_audit_fetched_${lower} INTERFACE)
      target_link_libraries(agent_audit_fetched_${lower} INTERFACE ${candidate})
      target_include_directories(agent_audit_fetched_${lower} SYSTEM INTERFACE
        ${${lower}_SOURCE_DIR} ${${lower}_BINARY_DIR} ${${lower}_SOURCE_DIR}/lib)
      if(NOT TARGET ${arg_TARGET})
        add_library(${arg_TARGET} ALIAS agent_audit_fetched_${lower})
      endif()
      set_property(GLOBAL PROPERTY AGENT_AUDIT_FETCHED ON)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "what AGENT_AUDIT_FETCH_${name}_URL names builds none of: ${arg_FROM}")
endfunction()
