# generated/plugin_texts.cpp: the files that agent-audit init gives to agents which load plugins instead of calling programs
# (src/cli/hooks/plugins). They are compiled in, so that the program needs nothing but itself.
set(plugins_dir ${PROJECT_SOURCE_DIR}/src/cli/hooks/plugins)
set(plugins_code "")
foreach(plugin IN ITEMS ask.js opencode.js pi.js openclaw.js openclaw.plugin.json openclaw.package.json)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${plugins_dir}/${plugin})
  agent_audit_bytes(bytes ${plugins_dir}/${plugin})
  string(MAKE_C_IDENTIFIER ${plugin} name)
  string(APPEND plugins_code "
std::string_view ${name}() {
    static constexpr unsigned char kBytes[] = {
${bytes}};
    return {reinterpret_cast<const char*>(kBytes), sizeof kBytes};
}
")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/plugin_texts.cpp @ONLY CONTENT
"// Written by agent_audit_plugins.cmake.
#include \"cli/hooks/plugin_texts.hpp\"

namespace agent_audit::cli::plugin_texts {
@plugins_code@
}  // namespace agent_audit::cli::plugin_texts
")
target_sources(agent-audit PRIVATE ${PROJECT_BINARY_DIR}/generated/plugin_texts.cpp)
