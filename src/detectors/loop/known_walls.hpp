#pragma once

#include "detectors/commands/failed_deeds.hpp"
#include "detectors/engine/deeds.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/json_failure.hpp"
#include "detectors/outcomes/other_thing.hpp"
#include "detectors/outcomes/outcome.hpp"
#include "detectors/outcomes/retry_names.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/phrase_set.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// The same few failures of commands again and again among other steps, some of which say something new: a daemon that
/// does not run, whatever is done to start it; a push that is turned away, whatever is fetched. A file that is shown
/// once more in other words (`cat a.log`, `less a.log`) counts as well: it tells nothing either.
class KnownWalls {
public:
    struct Row {
        int failures = 0;            // responses that failed as one before
        int shown = 0;               // that showed a file as one before
        int reworded = 0;            // of these, by another call
        int deeds = 0;               // that did what was done before, and were answered alike
        int fresh = 0;               // steps in between that said something new
        int walked = 0;              // failures that the next thing met
        int blind = 0;               // failures that say something of the machine or the key
        int turned_down = 0;         // that say something of what was asked
        bool worked = false;         // what failed went well at last
        std::uint64_t kinds = 0;     // which of the remembered failures came again, one bit each
        std::uint64_t response = 0;  // the last that counts
        Episode episode;
        TimeWindow time;

        int known() const { return failures + shown + deeds; }
        /// More that is new than what is known: somebody gets somewhere.
        bool gets_somewhere() const { return fresh > (is_blind() ? 2 : 1) * known() + 1; }
        bool is_blind() const { return 2 * blind > failures && shown == 0; }
    };

    explicit KnownWalls(const TimeWindow& fresh) : row_{.episode = {}, .time = fresh} {}

    /// `known`: its tool has given this answer before. `close` is given each row that is over.
    template <class Close>
    void see(const Step& step, const LaneTrack& lane, bool known, Close&& close) {
        const bool open = next_ != 0 || row_.known() > 0;
        if (open && (step.compactions != compactions_ || (step.epoch != epoch_ && !takes_back(step)))) end(close);
        compactions_ = step.compactions;
        epoch_ = step.epoch;
        // Most steps do well and say something new, and nothing is open.
        const bool quiet = !step.failed && !known && row_.known() == 0;
        if (quiet && (step.command_bytes == 0 || !step.text.outcome().bytes.starts_with('{'))) return;
        look(step, lane, known, close);
    }

    template <class Close>
    void end(Close&& close) {
        if (next_ == 0 && row_.known() == 0) return;
        close_row(close);
        met_.fill({});
        tried_.fill(0);
        next_ = tries_ = 0;
    }

private:
    template <class Close>
    [[gnu::noinline]] void look(const Step& step, const LaneTrack& lane, bool known, Close&& close) {
        if (fails(step)) return failed(step, lane, close);
        if (step.failed) return;
        if (went_well_at_last(step)) {
            row_.worked = true;
            return end(close);
        }
        // The same look again is loop/revisit-ratio's own, as long as nothing else is known.
        if (known && (row_.known() > 0 || !step.revisit) && shows_again(step, lane)) {
            row_.reworded += !step.revisit;
            return grow(step, lane, row_.shown);
        }
        if (row_.known() == 0 || step.tool_class == ToolClass::poll) return;
        if (takes_back(step) || (step.revisit && is_done_again(step))) return grow(step, lane, row_.deeds);
        if (!known && tells_much(step)) freshen(close);
    }

    struct Failure {
        std::uint64_t key = 0, error = 0, ordinal = 0;
    };
    static constexpr std::size_t kMet = 8, kTried = 16;
    static constexpr std::uint32_t kShortest = 16;  // bytes of an answer that says what is wrong
    static constexpr std::uint32_t kText = 48;      // bytes that are worth a look

    // No such program, no daemon, no right, a key that is not valid: whatever the command wanted of it.
    static bool is_about_machine(const Step& step) {
        constexpr std::string_view kMachine[] = {"ermission denied", "uthenti",          "nvalid API key",
                                                 "nable to locate",  "ould not resolve", "ailure resolving"};
        return step.error == ErrorClass::infrastructure || lacks_program(step) ||
               (step.error == ErrorClass::persistent && contains_any(step.text.outcome().bytes, kMachine));
    }

    // `git rebase --abort`: whatever was known before holds again. `git checkout main` may as well go on to something
    // else, until it is done once more.
    static bool takes_back(const Step& step) {
        static constexpr std::string_view kUndoes[] = {" --abort",     "git checkout -- ", "git checkout .",
                                                       "git restore ", "git reset --hard", "git stash",
                                                       "git checkout "};
        constexpr std::size_t kSure = 6;
        static constexpr PhraseSet undoes(kUndoes);
        if (step.command_bytes == 0 || step.visits) return false;
        return undoes.any(step.text.argument().bytes, [&](std::size_t, std::string_view found) {
            return step.revisit || std::find(kUndoes, kUndoes + kSure, found) != kUndoes + kSure;
        });
    }

    // A service that was asked says in JSON that it does not answer, and whoever asked ends well.
    static bool is_refused(const Step& step) {
        const RawText said = step.text.outcome();
        return !step.failed && (step.tool_class == ToolClass::shell || step.tool_class == ToolClass::poll) &&
               said.bytes.starts_with('{') && reports_failure(said);
    }

    // "invalid API key", "service unavailable": whatever is asked. "qty must be positive" says something of the
    // question.
    static bool refuses_all(const Step& step) {
        constexpr std::size_t kLooked = 400;  // bytes
        constexpr std::string_view kWords[] = {"unavailable", "overloaded",  "uthor",       "uthent",     "api key",
                                               "api_key",     "apikey",      "token",       "forbidden",  "denied",
                                               "time out",    "timed out",   "timeout",     "credential", "quota",
                                               "rate limit",  "internal",    "connect",     "signature",  "expired",
                                               "licen",       "certificate", "not running", "maintenance"};
        constexpr std::string_view kCodes[] = {"401", "403", "429", "500", "502", "503", "504"};
        if (!is_refused(step)) return false;
        const std::string said = lowered(decoded(step.text.outcome(), kLooked));
        return contains_any(said, kWords) || contains_any(said, kCodes);
    }

    // `eslint --fix src && npm run format:check`: each of two tools puts right what the other one finds wrong.
    static bool mends(const Step& step) {
        static constexpr std::string_view kMenders[] = {"--fix",      "--write",    " -w ",   "--autocorrect",
                                                        "run format", "black ",     "isort ", "autopep8 ",
                                                        " fmt",       "ruff format"};
        constexpr std::size_t kFlags = 5;  // of them, those that stand for themselves
        static constexpr PhraseSet menders(kMenders);
        if (step.tool_class != ToolClass::verify) return false;
        const std::string_view command = step.text.argument().bytes;
        return menders.any(command, [&](std::size_t, std::string_view found) {
            const bool flag = std::find(kMenders, kMenders + kFlags, found) != kMenders + kFlags;
            return flag || command.find("--check") == command.npos;
        });
    }

    // What is looked for may be missing, and a check may fail, as often as anybody asks: that says something of the
    // place, or of the work. That the machine lacks the program which looks or checks does not, nor does a check that
    // was to mend what it finds.
    static bool fails(const Step& step) {
        if (step.command_bytes == 0 || step.outcome_bytes < kShortest) return false;
        if (!step.failed) return is_refused(step);
        if (step.error == ErrorClass::transient || step.error == ErrorClass::user_denied) return false;
        const bool works = step.tool_class == ToolClass::shell || step.tool_class == ToolClass::mutate;
        return word_of_no(step) == WordOfNo::none && (works || mends(step) || lacks_program(step)) &&
               !is_no_result(step.text.outcome());
    }

    static bool lacks_program(const Step& step) {
        static constexpr std::string_view kLacks[] = {"command not found", "is not recognized as", "No module named",
                                                      "annot connect to the"};
        static constexpr PhraseSet lacks(kLacks);
        return step.failed && lacks.in(step.text.outcome().bytes);
    }

    // Which commit it was is no part of why it could not be applied, nor is what git advises below.
    static std::uint64_t key_of(const Step& step) {
        constexpr std::string_view kHints[] = {"\nhint:", "\\nhint:"};
        std::string_view said = step.text.outcome().bytes;
        for (const std::string_view hint : kHints) said = said.substr(0, said.find(hint));
        return stable_hash(masked(without_line_ends(said))) | 1;
    }

    template <class Close>
    [[gnu::noinline]] void failed(const Step& step, const LaneTrack& lane, Close&& close) {
        const std::uint64_t key = key_of(step);
        remember_try(step);
        const auto known = std::ranges::find_if(met_, [&](const Failure& failure) {
            return failure.key == key || (step.error_key != 0 && failure.error == step.error_key);
        });
        if (known == met_.end()) {
            met_[next_++ % kMet] = {key, step.error_key, step.ordinal};
            if (row_.known() > 0) freshen(close);
            return;
        }
        const Step* const before = lane.step(known->ordinal);
        if (before && step.response == before->response) return;
        row_.walked += before && before->call != step.call && elsewhere(step, *before) != Elsewhere::no;
        row_.blind += is_about_machine(step) || refuses_all(step) || mends(step);
        row_.turned_down += is_refused(step) && !refuses_all(step);
        row_.kinds |= std::uint64_t{1} << (known - met_.begin());
        *known = {key, step.error_key, step.ordinal};
        if (row_.known() == 0 && before) row_.episode.add_range(lane, before->ordinal, before->ordinal);
        grow(step, lane, row_.failures);
    }

    void remember_try(const Step& step) {
        tried_[tries_++ % kTried] = step.call;
        constexpr std::string_view kNoProgram[] = {"command not found", "is not recognized as"};
        if (contains_any(step.text.outcome().bytes, kNoProgram))
            return;  // another program does not stand for the one that is not there
        if (const std::uint64_t deed = deeds_of(step)[0]; deed != 0) tried_[tries_++ % kTried] = deed;
    }

    // What failed, or the same deed with something else.
    bool went_well_at_last(const Step& step) const {
        if (row_.failures == 0 || step.command_bytes == 0 || takes_back(step)) return false;
        const std::uint64_t deed = deeds_of(step)[0];
        return std::ranges::any_of(
            tried_, [&](std::uint64_t tried) { return tried != 0 && (tried == step.call || tried == deed); });
    }

    // The very text, of the very file, whichever program shows it.
    [[gnu::noinline]] static bool shows_again(const Step& step, const LaneTrack& lane) {
        constexpr std::uint64_t kBack = 24;  // steps
        if (step.outcome_bytes < kText || (step.tool_class != ToolClass::read && step.tool_class != ToolClass::search))
            return false;
        for (std::uint64_t back = 1; back <= kBack && back < step.ordinal; ++back) {
            const Step* const before = lane.step(step.ordinal - back);
            if (!before) return false;
            if (before->out == step.out && !before->failed) return names_same_file(*before, step);
        }
        return false;
    }

    static bool names_same_file(const Step& a, const Step& b) {
        constexpr std::size_t kPaths = 4;
        if (a.call == b.call) return b.text.argument().bytes.find_first_of("/.") != std::string_view::npos;
        const std::vector<std::string> paths = paths_in(b.text.argument().bytes, kPaths);
        return !paths.empty() && std::ranges::all_of(paths, [&](const std::string& path) {
            return names_path(a.text.argument().bytes, path);
        });
    }

    // `git rebase --abort` behind each try.
    static bool is_done_again(const Step& step) {
        return (step.tool_class == ToolClass::mutate || step.tool_class == ToolClass::shell) && !is_look_round(step);
    }

    static bool tells_much(const Step& step) { return !is_no_result(step.text.outcome()) && !is_look_round(step); }

    void grow(const Step& step, const LaneTrack& lane, int& count) {
        const bool open = row_.episode.is_open();
        row_.episode.add_range(lane, open ? row_.episode.last().ordinal + 1 : step.ordinal, step.ordinal);
        if (row_.known() == 0) row_.episode.waste_from(step, lane.step(step.ordinal - 1));
        if (step.response == row_.response) return;
        row_.response = step.response;
        ++count;
        row_.time.add(step);
    }

    template <class Close>
    void freshen(Close&& close) {
        ++row_.fresh;
        if (row_.gets_somewhere()) close_row(close);
    }

    template <class Close>
    void close_row(Close&& close) {
        if (row_.known() > 0) close(row_);
        row_.failures = row_.shown = row_.reworded = row_.deeds = row_.fresh = row_.walked = row_.blind =
            row_.turned_down = 0;
        row_.worked = false;
        row_.kinds = row_.response = 0;
        row_.episode.reset();
        row_.time.reset();
    }

    Row row_;
    std::array<Failure, kMet> met_{};
    std::array<std::uint64_t, kTried> tried_{};  // calls and deeds that failed
    std::size_t next_ = 0, tries_ = 0;
    std::uint32_t compactions_ = 0, epoch_ = 0;
};

}  // namespace agent_audit::detectors
