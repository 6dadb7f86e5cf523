#pragma once

#include <string>
#include <string_view>

namespace agent_audit::readers {

/// Runs that LangSmith's SDKs post as a form, put back together to the batch that older SDKs post as JSON.
struct PostedRuns {
    std::string batch;  ///< {"post":[…],"patch":[…]}; empty where the form has no run
    bool whole = true;  ///< false: a part of it cannot be read
};

/// Of the body of a request: multipart/form-data, whose boundary is its first line.
PostedRuns runs_of_form(std::string_view body);
/// Of its fields, as HAR has them instead: [{"name":"…","value":"…"}], with padding behind it.
PostedRuns runs_of_fields(std::string_view fields);

inline bool is_form(std::string_view body) { return body.starts_with("--") && body.find("form-data") != body.npos; }

}  // namespace agent_audit::readers
