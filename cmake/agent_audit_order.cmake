# The functions that runs need, recorded by scripts/make-order.sh, lie side by side in a release build: a scan then has three
# megabytes of the program in memory fewer. Linkers that do not know such scripts leave the order as it is, and a function
# that is named and no longer there is passed over.
include(CheckLinkerFlag)
set(order ${CMAKE_CURRENT_LIST_DIR}/release_order.ld)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND EXISTS ${order})
  check_linker_flag(CXX "LINKER:-T,${order}" AGENT_AUDIT_ORDERS_FUNCTIONS)
  if(AGENT_AUDIT_ORDERS_FUNCTIONS)
    target_link_options(agent-audit PRIVATE "LINKER:-T,${order}")
    set_property(TARGET agent-audit APPEND PROPERTY LINK_DEPENDS ${order})
  endif()
endif()
