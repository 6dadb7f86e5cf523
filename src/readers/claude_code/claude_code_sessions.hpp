#pragma once

#include "readers/claude_code/claude_code_line.hpp"

#include <agent_audit/model/event.hpp>
#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::readers {

/// The ids of sessions that the records of one session name: its own, and those it was resumed from.
class ClaudeCodeSessions {
public:
    bool has(std::string_view id) const { return std::ranges::find(seen_, id_hash(id)) != seen_.end(); }
    std::string_view newest() const { return newest_; }

    [[gnu::cold, gnu::noinline]] void add(std::string_view id) {
        if (id.empty()) return;
        newest_ = id;
        if (!has(id) && seen_.size() < kMost) seen_.push_back(id_hash(id));
    }

private:
    static constexpr std::size_t kMost = 256;
    std::string newest_;
    std::vector<IdHash> seen_;
};

/// A record that follows no other, of a session that was not met before: does the session before go on in it? So it
/// does behind a compaction, and where a hook was run because it was resumed.
inline bool claude_code_goes_on(const ClaudeCodeLine& line, std::string_view record) {
    return line.compact_summary || line.subtype.ends_with("compact_boundary") ||
           record.find("\"SessionStart:resume\"") != record.npos ||
           record.find("\"SessionStart:compact\"") != record.npos;
}

}  // namespace agent_audit::readers
