#include "pipeline/inputs/unread_layout.hpp"

// By what their agents write into each file:
//
//   {"id":"ses_…","projectID":"…",…}, {"id":"msg_…","sessionID":"…",…}, {"id":"prt_…","messageID":"…",…}    opencode up
//   to 1.1

namespace agent_audit {
namespace {

bool is_opencode_piece(const ProbeRecord& r) {
    const std::string_view id = r.text("id");
    return (id.starts_with("ses_") && r.has("projectID")) || (id.starts_with("msg_") && r.has("sessionID")) ||
           (id.starts_with("prt_") && r.has("messageID"));
}

}  // namespace

std::string_view unread_layout(const ProbeRecord& first) {
    if (is_opencode_piece(first))
        return "pieces of a session of opencode 1.1 or before, read with its file in storage/session/ where all lie "
               "together";
    return {};
}

}  // namespace agent_audit
