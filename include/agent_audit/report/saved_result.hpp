#pragma once

#include <agent_audit/model/report.hpp>
#include <agent_audit/support/result.hpp>

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace agent_audit {

/// Results that were saved with `-f json` or `-f ndjson`, as one report: rendered as JSON again, a single one gives
/// the bytes it was read from. What an older or newer version wrote is read as far as its fields are known; saved
/// results are as little trusted as sessions.
class SavedResults {
public:
    /// Adds one result, or several whose lines of ndjson follow one another as `cat` leaves them; several are put
    /// behind one another and their totals added up. The error says what the text is not; nothing of it is added then.
    /// A result that breaks off is added with a line in Report::problems.
    std::optional<Error> add(std::string_view text);

    /// Of the sessions that were added last, how many another result has as well: they count twice.
    std::size_t sessions_again() const { return sessions_again_; }

    /// Keeps findings at least this bad and this sure.
    void filter(Severity min_severity, double min_confidence);

    /// Puts a line in front of Report::problems, unless a result has it there.
    void add_problem(std::string problem);

    /// Valid as long as this object lives.
    const Report& report() const { return report_; }

private:
    friend class ResultReader;

    std::string_view read_lines(std::string_view lines);
    bool read_object(std::string_view object);
    void append(SavedResults&& next);
    void take(SavedResults&& next);
    void drop_below(Severity min_severity, NotShown& entry);
    std::string_view kept(std::string_view rule);

    Report report_;
    std::set<std::string> names_;     // what SkippedRule::rule points at
    std::set<std::string> sessions_;  // by what tells them apart
    std::size_t sessions_again_ = 0;
    bool any_ = false;
};

}  // namespace agent_audit
