#pragma once

#include "readers/json/format_util.hpp"

#include <optional>
#include <string_view>

// The fields of a session, a message and its parts, as opencode writes them in exports, rows and printed lines alike.

namespace agent_audit::readers {

/// What a message or a step of it took, as the provider or the program counts it.
struct OpencodeTokens {
    std::uint64_t input = 0, output = 0, reasoning = 0, read = 0, write = 0, total = 0;
    bool seen = false;
    /// Cached tokens stand beside the input. Reasoning stands beside the output in newer versions, and in older ones as
    /// the provider has it: mostly inside. The total tells, where there is one.
    TokenCounts counts(bool apart) const {
        const std::uint64_t without = input + write + read + output;
        const std::uint64_t beside = total == 0        ? (apart || reasoning > output ? reasoning : 0)
                                     : total > without ? std::min(reasoning, total - without)
                                                       : 0;
        return {input, write, read, output + beside, std::min(reasoning, output + beside)};
    }
};

/// A session or a message: what is said of it as a whole.
struct OpencodeInfo {
    std::string_view id, parent, directory, version, role, model, error;
    RawText error_text;
    OpencodeTokens tokens;
    double cost = 0;
    std::int64_t time_ms = kNoTime, completed_ms = kNoTime;
    bool is_summary = false;
};

/// A part of a message: what was said, a call with what it gave, the end of a step.
struct OpencodePart {
    std::string_view id, message_id, type, call_id, tool, status, command;
    CallArgs args;
    RawText text, output, error;
    std::optional<int> exit_code;
    OpencodeTokens tokens;
    double cost = 0;
    std::uint64_t attempt = 0;
    std::int64_t begun_ms = kNoTime, ended_ms = kNoTime;
    std::uint32_t media = 0;       ///< that a call gave beside its text
    std::uint64_t media_hash = 0;  ///< ToolResult::media_hash
    bool synthetic = false, ignored = false, automatic = false;
    bool compacted = false;     ///< has the model go on after a compaction
    bool no_exit_code = false;  ///< of a command that did not end by itself
};

/// What a row of version 2 has beside that.
struct OpencodeEntry {
    std::string_view type, status, reason, outcome;
    RawText text, summary, output;
    CallArgs command;
    std::optional<int> exit_code;
    std::uint32_t files = 0;
};

/// Collects the fields. All functions take one field, or the value of one, and are false for broken JSON.
class OpencodeCollector {
public:
    OpencodeCollector(OpencodeInfo& info, OpencodeEntry& entry, Reused<OpencodePart>& parts, ArgsDigester& args)
        : info_(info), entry_(entry), parts_(parts), args_(args) {}

    bool collect_info(const char* key, json::value& v);
    bool collect_part(const char* key, json::value& v, OpencodePart& part);
    /// All parts of a message.
    bool collect_parts(json::value& v);
    /// Of a row of version 2, which may hold the parts as well.
    bool collect_entry(const char* key, json::value& v);
    /// A text, {name, data: {message}}, or {type, message}. The name goes where `name` says, if anywhere.
    static bool collect_error(json::value& v, std::string_view* name, RawText& text);

private:
    using CollectField = bool (OpencodeCollector::*)(const char*, json::value&, OpencodePart&);

    bool collect_list(json::value& v, CollectField collect);
    bool collect_content(const char* key, json::value& v, OpencodePart& part);
    bool collect_state(const char* key, json::value& v, OpencodePart& part);
    static bool collect_attachments(json::value& v, OpencodePart& part);

    OpencodeInfo& info_;
    OpencodeEntry& entry_;
    Reused<OpencodePart>& parts_;
    ArgsDigester& args_;
};

}  // namespace agent_audit::readers
