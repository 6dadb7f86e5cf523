#pragma once

#include "detectors/engine/episodes.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// Looks that go well and show the same after one change after the other, where the agent says that this is not what it
/// wants ("still the old title", "that did not help"), or they say so themselves: a formula that has no value, a plan
/// that is not carried out yet. Nobody need say it of a look at the very lines that were to be changed. What one works
/// on without an eye for it shows the same as well, and is no trouble.
class UnmovedLooks {
public:
    struct Row {
        int looks = 1;  // each after another change
        int said = 0;   // how often the agent said right behind one that it did not help, or the look did
        int own = 0;    // behind a change of the very file that is looked at
        Episode episode;
        TimeWindow time;
    };

    /// Nothing is open: a rule may sleep until something repeats.
    bool empty() const { return rows_.empty(); }

    /// A step that did well. `close` is given each row that is over.
    template <class Close>
    void looked(const Step& step, const LaneTrack& lane, const TimeWindow& fresh, Close&& close) {
        last_ = kNoRow;
        const auto known =
            std::ranges::find_if(rows_, [&](const Row& row) { return row.episode.last().call == step.call; });
        if (known != rows_.end() && known->episode.last().out != step.out) {
            close(*known);
            rows_.erase(known);
        } else if (known != rows_.end()) {
            grow(*known, step, lane);
            last_ = static_cast<std::size_t>(known - rows_.begin());
        } else if (lane.runs().any() && shows_something(step)) {
            begin(step, lane, fresh, close);
        }
    }

    /// A step of another kind: what is said behind it says nothing of a look.
    void went_on() { last_ = kNoRow; }

    void said(RawText text) {
        if (last_ >= rows_.size()) return;
        rows_[last_].said += says_it_did_not_help(text);
        last_ = kNoRow;
    }

    template <class Close>
    void end_all(Close&& close) {
        for (const Row& row : rows_) close(row);
        rows_.clear();
        last_ = kNoRow;
    }

private:
    static constexpr std::size_t kMost = 4, kNoRow = kMost;
    static constexpr std::uint64_t kBack = 32;  // steps

    // Where one is, and what was changed so far, is not what the changes are for.
    static bool shows_something(const Step& step) {
        constexpr std::string_view kOwn[] = {"git ", "ls ", "pwd", "ls"};
        const std::string_view command = step.text.argument().bytes;
        if (is_not_done(step)) return true;
        return step.command_bytes > 0 && step.tool_class != ToolClass::verify && step.tool_class != ToolClass::mutate &&
               !is_no_result(step.text.outcome()) && !starts_with_any(command, kOwn) &&
               command.find(" git ") == command.npos;
    }

    // A cell in which the value of a formula should stand; `terraform plan` behind `terraform apply`.
    static bool is_not_done(const Step& step) {
        constexpr std::uint32_t kLongest = 400;  // bytes
        constexpr std::string_view kNoValue[] = {"#N/A", "#REF!", "#VALUE!", "#NAME?", "#DIV/0!", "#ERROR!", "#NUM!"};
        constexpr std::string_view kPlans[] = {"terraform", "tofu", "terragrunt"};
        const std::string_view said = step.text.outcome().bytes, asked = step.text.argument().bytes;
        if (step.command_bytes == 0 && step.outcome_bytes <= kLongest && contains_any(said, kNoValue)) return true;
        return contains_any(asked, kPlans) && asked.find(" plan") != asked.npos && said.find("Plan: ") != said.npos &&
               said.find("Plan: 0 to add, 0 to change, 0 ") == said.npos;
    }

    template <class Close>
    void begin(const Step& step, const LaneTrack& lane, const TimeWindow& fresh, Close&& close) {
        for (std::uint64_t back = 1; back <= kBack && back < step.ordinal; ++back) {
            const Step* const before = lane.step(step.ordinal - back);
            if (!before) return;
            if (before->call != step.call) continue;
            if (before->out != step.out || before->epoch == step.epoch) return;
            if (rows_.size() == kMost) {
                close(rows_.front());
                rows_.erase(rows_.begin());
            }
            Row& row = rows_.emplace_back(Row{1, 0, 0, {}, fresh});
            row.time.add(*before);
            row.episode.add(*before);
            grow(row, step, lane);
            last_ = rows_.size() - 1;
            return;
        }
    }

    // `node server.js > srv.log`: what is printed there is new each time, whatever it says.
    static bool prints_into(std::string_view command, std::string_view path) {
        return trimmed(command.substr(0, std::min(command.find(path), command.size()))).ends_with('>');
    }

    // `grep -n pool app.yaml` behind `sed -i s/pool_size…/ app.yaml`, and `cat app.yaml` behind any change of it. The
    // first lines of a file, or how many it has, may well stay as they are.
    static bool shows_change(std::string_view look, std::string_view change, std::string_view path) {
        constexpr std::string_view kWhole[] = {"cat ", "bat ", "less "}, kSearches[] = {"grep ", "rg ", "ag ", "ack "};
        constexpr std::size_t kShortest = 3;  // bytes of a word that is looked for
        if (starts_with_any(look, kWhole)) return true;
        if (!starts_with_any(look, kSearches)) return false;
        for (std::string_view rest = look.substr(look.find(' ')); !rest.empty();) {
            rest.remove_prefix(std::min(rest.find_first_not_of(" '\"\\"), rest.size()));
            const std::string_view word = rest.substr(0, rest.find_first_of(" '\"\\"));
            rest.remove_prefix(word.size());
            if (word.size() >= kShortest && word[0] != '-' && word.find(path) == word.npos &&
                change.find(word) != change.npos)
                return true;
        }
        return false;
    }

    // What a command of another kind did to a file is not known, but that it was meant to do something to it.
    static bool changes_shown(const Step& change, const Step& look, const std::string& path) {
        const bool works = change.tool_class == ToolClass::mutate || change.tool_class == ToolClass::shell;
        const std::string_view on = change.text.argument().bytes;
        return works && !change.failed && !change.revisit && names_path(on, path) && !prints_into(on, path) &&
               shows_change(look.text.argument().bytes, on, path);
    }

    static bool looks_at_changed(const Step& step, const Step& last, const LaneTrack& lane) {
        constexpr std::size_t kPaths = 4;
        if (step.tool_class != ToolClass::search && step.tool_class != ToolClass::read) return false;
        const std::vector<std::string> paths = paths_in(step.text.argument().bytes, kPaths);
        for (std::uint64_t at = step.ordinal - 1; at > last.ordinal && !paths.empty(); --at) {
            const Step* const change = lane.step(at);
            if (!change) return false;
            if (std::ranges::any_of(paths, [&](const std::string& path) { return changes_shown(*change, step, path); }))
                return true;
        }
        return false;
    }

    static void grow(Row& row, const Step& step, const LaneTrack& lane) {
        const bool own = looks_at_changed(step, row.episode.last(), lane);
        if (own || step.epoch != row.episode.last().epoch) {
            row.own += own;
            if (++row.looks == 2) row.episode.waste_from(step, lane.step(step.ordinal - 1));
            row.time.add(step);
            row.said += is_not_done(step);
        }
        row.episode.add(step);
    }

    static bool says_it_did_not_help(RawText text) {
        constexpr std::size_t kLooked = 600;  // bytes
        constexpr std::string_view kVain[] = {"still not",        "still no ",    "still fail",    "still show",
                                              "still say",        "still wrong",  "still broken",  "still old",
                                              "still the ",       "still empty",  "still zero",    "still get",
                                              "still nothing",    "not help",     "n't help",      "not work",
                                              "n't work",         "no effect",    "same problem",  "same error",
                                              "same issue",       "not taking",   "that's not it", "trying again",
                                              "try again",        "another way",  "next idea",     "different approach",
                                              "another approach", "hilft nicht",  "half nicht",    "immer noch nicht",
                                              "wirkt nicht",      "toujours pas", "sigue sin ",    "no funciona"};
        constexpr std::string_view kFine[] = {"good", "great", "expected", "correct", "passes", "identical", "perfect"};
        return any_sentence(lowered(decoded(text, kLooked)), [&](std::string_view sentence) {
            return contains_any(sentence, kVain) && !contains_any(sentence, kFine);
        });
    }

    std::vector<Row> rows_;
    std::size_t last_ = kNoRow;  // the row of the look behind which nothing was done so far
};

}  // namespace agent_audit::detectors
