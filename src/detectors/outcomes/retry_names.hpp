#pragma once

#include <agent_audit/model/text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// Names failures that say the same as one before, but for what is no news.
///
/// A check that is run again before anything was done: whatever is numbered or dated in what it says does not matter,
/// be it process ids, addresses, seeds, names of log files, request ids. Of any other command only when it is run again
/// at once, for it may be what moves things on: shares and sizes count as well. A check that is run again after a
/// change: where in a file an error stands does not matter as far as edits can have moved it, nor how far a build came,
/// nor in which order tests that run at once were done.
/// The building of an image counts as a check there; of any other command only the lines of programs do not matter, nor
/// what a traceback or a compiler quotes of a program whose error stands where it stood. Of a check nor does what the
/// last edit has put into a file for something else: that the test now waits for ".pay" as it did for "#pay". A failure
/// that differs from the one before of its call in nothing else gets its names.
class RetryNames {
public:
    struct Names {
        std::uint64_t out = 0;    ///< of the outcome
        std::uint64_t error = 0;  ///< of what went wrong
    };
    struct Run {
        std::uint64_t call = 0;
        std::uint64_t ordinal = 0;  ///< of the call among those of its lane
        std::uint64_t deeds = 0;    ///< of its lane before the call: steps that may have changed something
        std::uint64_t moved = 0;    ///< lines by which these can have moved what stands below them, added up
        bool check = false;
        std::string_view edit = {};  ///< arguments of the last edit of a part of a file; empty = none, or not known
    };
    /// `given`: the names it has so far.
    Names name(const Run& run, RawText text, const Names& given);
    /// The same of a program that could not be read (unparsed_place.hpp): the names that it had first at that place.
    Names name_at(std::uint64_t place, const Names& given);
    void clear();

private:
    // Most failures come once: what they say is kept, and looked at when the call fails again.
    struct Failure {
        Run run;
        std::string ends;    // of the text
        std::string masked;  // the same, masked; empty = not yet
        Names names;
    };
    static constexpr std::size_t kKinds = 3;  // of failures of one call: it may go back and forth between them

    struct Kinds {
        std::array<Failure*, kKinds> of{};
        std::size_t count = 0;

        void add(Failure& failure) {
            if (count < kKinds) of[count++] = &failure;
        }
        Failure** begin() { return of.data(); }
        Failure** end() { return of.data() + count; }
        Failure* find(const Run& run, RawText now, std::string& masked_now);
    };
    static bool says_the_same(Failure& known, const Run& run, RawText now, std::string& masked_now);

    struct Unread {
        std::uint64_t place = 0;
        Names names;
    };

    std::array<Failure, 8> failures_;  // of calls that failed last
    std::size_t next_ = 0;
    std::array<Unread, 4> unread_{};  // places where programs could not be read last
    std::size_t next_unread_ = 0;
};

/// A text without the ids of requests and traces that are named as such in it. Empty = there are none.
std::string without_request_ids(std::string_view text);

/// A text with one mark for each of its volatile parts.
std::string settled(std::string_view text);

/// A text in which all words that name a run and not what came of it are the same word: ids, hashes, seeds, times.
/// Counts stay: how many tests fail, and how many rows are left, is news. Of a `check` shares, fractions and places go
/// too.
std::string masked(std::string_view text, bool check = false);

enum class PlacesOf : std::uint8_t { all, programs };

/// A text without its places: a.cpp:12:3, a.ts(12,3), "line 12", "12 |" before a quoted line; without shares and times,
/// 41% and 0.49s; and without the seed or the thread of the run. Of `programs` only the places in files of source code
/// go. `lines`: gets the numbers of the lines that were named, in their order.
std::string unplaced(std::string_view text, PlacesOf of = PlacesOf::all, std::vector<std::uint32_t>* lines = nullptr);

}  // namespace agent_audit::detectors
