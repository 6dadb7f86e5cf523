#include "support/places.hpp"

namespace agent_audit::test {

std::string project_folder() { return AGENT_AUDIT_SOURCE_DIR; }
std::string program_file() { return AGENT_AUDIT_BIN; }

}  // namespace agent_audit::test
