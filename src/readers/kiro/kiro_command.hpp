#pragma once

#include "readers/json/format_util.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

// How a command of Kiro ended, as it stands at the head of its result, in front of the output.

namespace agent_audit::readers {

struct KiroExit {
    std::optional<int> code;
    bool failed = false;
};

/// {"exit_status":"exit status: 1","stdout":"…"}, formerly {"exit_status":"1",…}, or a signal in words. Nothing where
/// there is no such field.
inline KiroExit kiro_exit(std::string_view json) {
    constexpr std::string_view kKey = "\"exit_status\"";
    constexpr std::size_t kHead = 64, kTail = 400;
    std::size_t at = json.substr(0, kHead).find(kKey);
    if (at == json.npos) {  // by name it comes first, but not every writer sorts its keys
        json.remove_prefix(json.size() - std::min(kTail, json.size()));
        at = json.rfind(kKey);
    }
    if (at == json.npos) return {};
    std::string_view said = json.substr(at + kKey.size());
    said.remove_prefix(std::min(said.find_first_not_of(" :\"\n\t"), said.size()));
    for (const std::string_view words : {"exit status: ", "exit code: "}) {
        if (said.starts_with(words)) said.remove_prefix(words.size());
    }
    const auto code = number_after(said.substr(0, 12), {});
    return {code, code ? *code != 0 : said.starts_with("signal")};
}

}  // namespace agent_audit::readers
