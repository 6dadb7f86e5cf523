# Read by cpack for each kind of package. An archive is unpacked anywhere, so its folders begin with the program's name.
if(CPACK_GENERATOR MATCHES "TGZ|ZIP|TXZ")
  set(CPACK_PACKAGING_INSTALL_PREFIX "/")
  set(CPACK_INCLUDE_TOPLEVEL_DIRECTORY ON)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
