# What an HTML report carries besides its data: our style and script, and the chart library with its licence. They are
# compiled into the program, so that a report needs nothing but itself. No source of others is kept in this repository:
# the library is Debian's libjs-dygraphs, or the files named by AGENT_AUDIT_CHART_JS, _CSS and _LICENCE.
option(AGENT_AUDIT_CHART "Charts in HTML reports that can be zoomed; OFF leaves the drawn ones" ON)

set(html_dir ${PROJECT_SOURCE_DIR}/src/report/html)
set(html_inputs STYLE=${html_dir}/report.css SCRIPT=${html_dir}/report.js)

if(AGENT_AUDIT_CHART)
  set(dygraphs_dirs /usr/share/javascript/dygraphs /usr/local/share/javascript/dygraphs)
  set(dygraphs_docs /usr/share/doc/libjs-dygraphs /usr/local/share/doc/dygraphs)
  find_file(AGENT_AUDIT_CHART_JS NAMES dygraph.min.js dygraph.js HINTS ${dygraphs_dirs} DOC "dygraphs 2.2, one file")
  find_file(AGENT_AUDIT_CHART_CSS NAMES dygraph.min.css dygraph.css HINTS ${dygraphs_dirs} DOC "its style sheet")
  find_file(AGENT_AUDIT_CHART_LICENCE NAMES copyright LICENSE.txt HINTS ${dygraphs_docs} NO_DEFAULT_PATH
            DOC "its licence, as text")
  foreach(part IN ITEMS JS CSS LICENCE)
    if(NOT EXISTS "${AGENT_AUDIT_CHART_${part}}")
      message(FATAL_ERROR "The chart library of HTML reports was not found. scripts/setup.sh installs it on Debian 12 "
                          "(libjs-dygraphs). Elsewhere name dygraphs 2.2 with AGENT_AUDIT_CHART_JS, AGENT_AUDIT_CHART_CSS "
                          "and AGENT_AUDIT_CHART_LICENCE, or build without it: -DAGENT_AUDIT_CHART=OFF. "
                          "Missing: AGENT_AUDIT_CHART_${part}")
    endif()
    list(APPEND html_inputs CHART_${part}=${AGENT_AUDIT_CHART_${part}})
  endforeach()
endif()

set(html_files ${html_inputs})
list(TRANSFORM html_files REPLACE "^[A-Z_]+=" "")
set(html_assets ${PROJECT_BINARY_DIR}/generated/html_assets.cpp)
add_custom_command(
  OUTPUT ${html_assets}
  COMMAND ${CMAKE_COMMAND} "-DINPUTS=${html_inputs}" -DOUT=${html_assets}
          -P ${CMAKE_CURRENT_LIST_DIR}/agent_audit_embed_html.cmake
  DEPENDS ${html_files} ${CMAKE_CURRENT_LIST_DIR}/agent_audit_embed_html.cmake
  COMMENT "Embedding what HTML reports carry"
  VERBATIM)
target_sources(agent_audit_core PRIVATE ${html_assets})
