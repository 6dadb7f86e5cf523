#include "pipeline/inputs/unread_layout.hpp"

// By what their agents write into each file:
//
//   {"id":"ses_…","projectID":"…",…}, {"id":"msg_…","sessionID":"…",…}, {"id":"prt_…","messageID":"…",…}    opencode up
//   to 1.1
//   {"messages":["content='…' additional_kwargs={} response_metadata={} id='…'",…]}    messages of LangChain, written
//   with json.dumps(…, default=str): who says them stands nowhere

namespace agent_audit {
namespace {

bool is_opencode_piece(const ProbeRecord& r) {
    const std::string_view id = r.text("id");
    return (id.starts_with("ses_") && r.has("projectID")) || (id.starts_with("msg_") && r.has("sessionID")) ||
           (id.starts_with("prt_") && r.has("messageID"));
}

bool is_printed_langchain(std::string_view text) {
    constexpr std::size_t kLookAt = 64u << 10;  // of a message that may be long
    text = text.substr(0, kLookAt);
    for (const std::string_view begin : {"\"content='", "\"content=\\\"", "\"content=["}) {
        const std::size_t at = text.find(begin);
        if (at == text.npos) continue;
        for (const std::string_view field : {" additional_kwargs={", " tool_call_id='", " response_metadata={"}) {
            if (text.find(field, at) != text.npos) return true;
        }
    }
    return false;
}

}  // namespace

std::string_view unread_layout(std::string_view record) {
    const ProbeRecord first(record);
    if (is_opencode_piece(first))
        return "pieces of a session of opencode 1.1 or before, read with its file in storage/session/ where all lie "
               "together";
    if (is_printed_langchain(record))
        return "messages of LangChain as str() prints them, which leaves out who says them: write them with "
               "messages_to_dict() or dumpd(), and not with json.dumps(…, default=str)";
    return {};
}

}  // namespace agent_audit
