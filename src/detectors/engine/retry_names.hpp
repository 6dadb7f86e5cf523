#pragma once

#include <agent_audit/model/text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit::detectors {

/// Names failures that say the same as one before, but for what is no news.
///
/// A command that is run again at once: nothing happened in between, so whatever is counted, numbered or dated in what it
/// says does not matter: process ids, addresses, names of log files, request ids. A check that is run again after a
/// change: the lines moved, and its numbers count, for four failing tests are not five; but where in a file an error
/// stands, and how far a build came, does not matter. A failure that differs from the one before of its call in nothing
/// else gets that one's names.
class RetryNames {
public:
    struct Names {
        std::uint64_t out = 0;    ///< of the outcome
        std::uint64_t error = 0;  ///< of what went wrong
    };
    /// `ordinal`: of the call among those of its lane. `given`: the names it has so far.
    Names name(std::uint64_t call, std::uint64_t ordinal, bool check, RawText text, const Names& given);
    void clear();

private:
    // Most failures come once: what they say is kept, and looked at when the call fails again.
    struct Failure {
        std::uint64_t call = 0, ordinal = 0;
        std::string ends;  // of the text
        Names names;
    };
    std::array<Failure, 8> failures_;  // of calls that failed last
    std::size_t next_ = 0;
};

/// A text in which every word that has a digit is the same word. Of a `check` numbers of up to three digits
/// count: how many tests fail is news.
std::string masked(std::string_view text, bool check = false);

/// A text without its places: a.cpp:12:3, a.ts(12,3), "line 12", "12 |" before a quoted line; and without
/// shares and times, 41% and 0.49s.
std::string unplaced(std::string_view text);

}  // namespace agent_audit::detectors
