#pragma once

#include <agent_audit/model/session_report.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit::report {

/// How the line numbers of a session are called: "line 9", and "record 9" where records are counted.
class LineWords {
public:
    explicit LineWords(bool counts_records = false) : noun_(counts_records ? "record" : "line") {}
    explicit LineWords(const SessionReport& session) : LineWords(session.counts_records) {}

    std::string_view noun() const { return noun_; }
    /// "line 1209".
    std::string one(std::uint64_t line) const;
    /// "line 1,209", for prose.
    std::string grouped(std::uint64_t line) const;
    /// "line 9" or "lines 3-9".
    std::string span(std::uint64_t first, std::uint64_t last) const;

private:
    std::string_view noun_;
};

}  // namespace agent_audit::report
