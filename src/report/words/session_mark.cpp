#include "report/words/session_mark.hpp"

namespace agent_audit::report {

std::string session_mark(const SessionReport& session, std::size_t id_bytes) {
    if (!session.label.empty()) return session.label;
    if (!session.id.empty()) return session.id.substr(0, id_bytes);
    return ":" + std::to_string(session.first_line);
}

std::string marked(std::string file, const std::string& mark) {
    if (!mark.starts_with(':')) file += ' ';
    return file += mark;
}

}  // namespace agent_audit::report
