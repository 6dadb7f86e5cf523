# AGENT_AUDIT_FETCH_DEPS with a library that is not there and no address for it: the message names the variable.
file(REMOVE_RECURSE ${SCRATCH})
foreach(given IN ITEMS "" "-DAGENT_AUDIT_FETCH_FMT_URL=file:///nowhere/fmt.tar.gz")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${SCRATCH} -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${CXX}
            -D AGENT_AUDIT_FETCH_DEPS=ON -D CMAKE_DISABLE_FIND_PACKAGE_fmt=ON ${given}
    RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  set(missing AGENT_AUDIT_FETCH_FMT_URL)
  if(given)
    set(missing AGENT_AUDIT_FETCH_FMT_HASH)
  endif()
  # CMake wraps its messages, so look for the words that cannot be broken.
  if(code EQUAL 0 OR NOT out MATCHES "set[ \n]+${missing}:")
    message(FATAL_ERROR "expected an error that asks for ${missing}, got ${code}:\n${out}")
  endif()
endforeach()
