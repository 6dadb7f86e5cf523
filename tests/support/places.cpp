#include "support/places.hpp"

namespace agent_audit::test {

const char* project_folder() { return AGENT_AUDIT_SOURCE_DIR; }
const char* program_file() { return AGENT_AUDIT_BIN; }

}  // namespace agent_audit::test
