# clang makes the faster program here (about a fifth, on the parsing code), g++ builds it just as well.
# A compiler named by the user, with CXX or CMAKE_CXX_COMPILER, always wins.
if(NOT DEFINED CMAKE_CXX_COMPILER AND "$ENV{CXX}" STREQUAL "")
  find_program(AGENT_AUDIT_CLANG clang++)
  if(AGENT_AUDIT_CLANG)
    set(CMAKE_CXX_COMPILER ${AGENT_AUDIT_CLANG})
  endif()
endif()
