#pragma once

#include "detectors/engine/episodes.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// Looks that go well and show the same after one change after the other, where the agent says that this is not what it
/// wants ("still the old title", "that did not help"), or they say so themselves: a formula that has no value, a plan
/// that is not carried out yet. Nobody need say it of a look at the very lines that were to be changed, in whatever
/// words it is asked for, nor where one value after the other is put in the same place. What one works on without an
/// eye for it shows the same as well, and is no trouble.
class UnmovedLooks {
public:
    static constexpr std::size_t kPuts = 4;

    struct Row {
        int looks = 1;  // each after another change
        int said = 0;   // how often the agent said right behind one that it did not help, or the look did
        int own = 0;  // behind a change of the very file that is looked at, or of what the change before it had put in
        Episode episode;
        TimeWindow time;
        std::uint64_t call = 0;               // the first of them
        std::array<FileTouch, kPuts> puts{};  // the last edits before the last of them, each of another place
        std::size_t next_put = 0;
    };

    /// Nothing is open: a rule may sleep until something repeats.
    bool empty() const { return rows_.empty(); }

    /// A step that did well. `close` is given each row that is over.
    template <class Close>
    void looked(const Step& step, const LaneTrack& lane, const TimeWindow& fresh, Close&& close) {
        last_ = kNoRow;
        auto known = std::ranges::find(rows_, step.call, &Row::call);
        if (known != rows_.end() && !shows_as_much(known->episode.last(), step)) {
            close(*known);
            rows_.erase(known);
            return;
        }
        if (known == rows_.end())
            known = std::ranges::find_if(rows_, [&](const Row& row) { return shows_again(row.episode.last(), step); });
        if (known != rows_.end()) {
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
        if (is_not_done(step) || measures(step)) return true;
        return step.command_bytes > 0 && step.tool_class != ToolClass::verify && step.tool_class != ToolClass::mutate &&
               !is_no_result(step.text.outcome()) && !starts_with_any(command, kOwn) &&
               command.find(" git ") == command.npos;
    }

    static bool lacks_value(const Step& step) {
        constexpr std::uint32_t kLongest = 400;  // bytes
        constexpr std::string_view kNoValue[] = {"#N/A", "#REF!", "#VALUE!", "#NAME?", "#DIV/0!", "#ERROR!", "#NUM!"};
        return step.command_bytes == 0 && step.outcome_bytes <= kLongest &&
               contains_any(step.text.outcome().bytes, kNoValue);
    }

    // A cell in which the value of a formula should stand; `terraform plan` behind `terraform apply`.
    static bool is_not_done(const Step& step) {
        constexpr std::string_view kPlans[] = {"terraform", "tofu", "terragrunt"};
        const std::string_view said = step.text.outcome().bytes, asked = step.text.argument().bytes;
        if (lacks_value(step)) return true;
        return contains_any(asked, kPlans) && asked.find(" plan") != asked.npos && said.find("Plan: ") != said.npos &&
               said.find("Plan: 0 to add, 0 to change, 0 ") == said.npos;
    }

    // "offset: 6px", "contrast 2.1", "42 % covered", of a tool that is no command. A picture says more than its words.
    static bool measures(const Step& step) {
        constexpr std::uint32_t kLongest = 200;  // bytes
        constexpr std::string_view kUnits[] = {"px", "em", "rem", "pt", "%", " %", "ms", " ms", "fps", " fps", "dB"};
        if (step.command_bytes > 0 || step.pictured || step.outcome_bytes > kLongest || !only_looks(step.tool_class))
            return false;
        const std::string_view said = step.text.outcome().bytes;
        if (gives_number(said)) return true;
        for (std::size_t at = 0; at + 1 < said.size(); ++at) {
            if (said[at] >= '0' && said[at] <= '9' && starts_with_any(said.substr(at + 1), kUnits)) return true;
        }
        return false;
    }

    // "-13", "2.75", "Execution result: 13". A bare "42" may count rows that no edit was to change.
    static bool gives_number(std::string_view said) {
        constexpr std::string_view kResult = "esult: ";
        const std::size_t at = said.find(kResult);
        if (at != said.npos) said.remove_prefix(at + kResult.size());
        const bool is_signed = said.starts_with('-');
        if (is_signed) said.remove_prefix(1);
        const std::size_t end = std::min(said.find_first_not_of("0123456789."), said.size());
        const bool counts = at == said.npos && !is_signed && said.substr(0, end).find('.') == said.npos;
        return end > 0 && !counts && (end == said.size() || said[end] == '\n' || said[end] == '\\');
    }

    static bool only_looks(ToolClass kind) {
        return kind == ToolClass::other || kind == ToolClass::read || kind == ToolClass::search;
    }

    // "65:max_connections = 100" of `grep -n`, and the line alone of `grep` and `cat … | grep`.
    static std::string_view without_line_number(std::string_view said) {
        const std::size_t digits = said.find_first_not_of("0123456789");
        return digits > 0 && digits < said.size() && said[digits] == ':' ? said.substr(digits + 1) : said;
    }

    static std::string_view shown_lines(const Step& look) {
        return trimmed(without_line_number(look.text.outcome().bytes));
    }

    // Asked in other words, or for the same lines with their numbers.
    static bool shows_as_much(const Step& last, const Step& step) {
        return last.out == step.out || (last.call != step.call && shows_again(last, step));
    }

    static bool shows_again(const Step& last, const Step& step) {
        return shows_lines_again(last, step) || (step.tool == last.tool && lacks_value(last) && lacks_value(step) &&
                                                 first_word(last) == first_word(step));
    }

    static std::string_view first_word(const Step& look) {
        const std::string_view said = look.text.outcome().bytes;
        return said.substr(0, said.find_first_of("\n\\|,; "));
    }

    // Two looks at one file, in other words, that show the same few lines of it.
    static bool shows_lines_again(const Step& last, const Step& step) {
        constexpr std::size_t kShortest = 5;  // bytes
        const bool whole = std::max(last.outcome_bytes, step.outcome_bytes) <= StepText::kOutcome;
        if (!whole || last.command_bytes == 0 || step.command_bytes == 0) return false;
        if (!looks_at_lines(last) || !looks_at_lines(step) || shown_lines(step).size() < kShortest ||
            shown_lines(last) != shown_lines(step))
            return false;
        const std::vector<std::string> paths = looked_at(last);
        return !paths.empty() && names_path(step.text.argument().bytes, paths.front());
    }

    static bool looks_at_lines(const Step& step) {
        return step.tool_class == ToolClass::search || step.tool_class == ToolClass::read;
    }

    template <class Close>
    void begin(const Step& step, const LaneTrack& lane, const TimeWindow& fresh, Close&& close) {
        for (std::uint64_t back = 1; back <= kBack && back < step.ordinal; ++back) {
            const Step* const before = lane.step(step.ordinal - back);
            if (!before) return;
            if (before->call != step.call) continue;
            if (before->out != step.out ||
                (before->epoch == step.epoch && !lacks_value(step) && !looks_at_changed(step, *before, lane)))
                return;
            if (rows_.size() == kMost) {
                close(rows_.front());
                rows_.erase(rows_.begin());
            }
            Row& row = rows_.emplace_back(Row{.episode = {}, .time = fresh, .call = step.call});
            row.puts[0] = last_edit_before(*before, lane);
            row.time.add(*before);
            row.episode.add(*before);
            // In other words it was looked at in between as well.
            for (std::uint64_t at = before->ordinal + 1; at < step.ordinal; ++at) {
                const Step* const between = lane.step(at);
                if (between && !between->failed && shows_again(row.episode.last(), *between)) grow(row, *between, lane);
            }
            grow(row, step, lane);
            last_ = rows_.size() - 1;
            return;
        }
    }

    // `node server.js > srv.log`: what is printed there is new each time, whatever it says.
    static bool prints_into(std::string_view command, std::string_view path) {
        return trimmed(command.substr(0, std::min(command.find(path), command.size()))).ends_with('>');
    }

    // `grep -n pool app.yaml` behind `sed -i s/pool_size…/ app.yaml`, and `cat app.yaml` or its size behind any change
    // of it. The first lines of a file, or how many it has, may well stay as they are.
    static bool shows_change(std::string_view look, std::string_view change, std::string_view path) {
        constexpr std::string_view kWhole[] = {"cat ",   "bat ",    "less ",      "stat ",  "wc -c ",
                                               "du -b ", "md5sum ", "sha256sum ", "ls -l ", "cmp "};
        constexpr std::string_view kSearches[] = {"grep ", "rg ", "ag ", "ack "};
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

    // The paths of a command; of `stat -c %s out.png`, whose ending is none of a text, its last word.
    static std::vector<std::string> looked_at(const Step& look) {
        constexpr std::size_t kPaths = 4;
        const std::string_view command = look.text.argument().bytes;
        std::vector<std::string> paths = paths_in(command, kPaths);
        const std::string_view alone = trimmed(command.substr(0, command.find('|')));
        const std::string_view word = alone.substr(alone.rfind(' ') + 1);  // npos + 1 is 0
        if (paths.empty() && word.find('.') != word.npos) paths.emplace_back(word);
        return paths;
    }

    static bool looks_at_changed(const Step& step, const Step& last, const LaneTrack& lane) {
        if (step.tool_class != ToolClass::search && step.tool_class != ToolClass::read) return false;
        const std::vector<std::string> paths = looked_at(step);
        for (std::uint64_t at = step.ordinal - 1; at > last.ordinal && !paths.empty(); --at) {
            const Step* const change = lane.step(at);
            if (!change) return false;
            if (std::ranges::any_of(paths, [&](const std::string& path) { return changes_shown(*change, step, path); }))
                return true;
        }
        return false;
    }

    static FileTouch last_edit_before(const Step& look, const LaneTrack& lane) {
        constexpr std::uint64_t kNear = 3;  // steps
        for (std::uint64_t back = 1; back <= kNear && back < look.ordinal; ++back) {
            const Step* const step = lane.step(look.ordinal - back);
            if (step && edits_place(*step)) return step->touch;
        }
        return {};
    }

    static bool edits_place(const Step& step) {
        return step.tool_class == ToolClass::mutate && !step.failed && step.touch.file != 0 && !step.touch.whole_file;
    }

    // 8px, 12px, 10px: is what the edit before it had put in replaced by another try?
    static bool replaces(const FileTouch& put, const FileTouch& edit) {
        if (put.file != edit.file) return false;
        return (put.after != 0 && put.after == edit.before) || (put.added != 0 && put.added == edit.removed);
    }

    // True for another try at one of the last places. Where lines were only put beside it, it is written further.
    static bool put_in(Row& row, const FileTouch& edit) {
        const auto place = std::ranges::find_if(row.puts, [&](const FileTouch& put) { return replaces(put, edit); });
        const bool again = place != row.puts.end();
        (again ? *place : row.puts[++row.next_put % kPuts]) = edit;
        return again && edit.before_lines > 0;
    }

    static bool tries_again(Row& row, const Step& step, const LaneTrack& lane) {
        bool again = false;
        for (std::uint64_t at = row.episode.last().ordinal + 1; at < step.ordinal; ++at) {
            const Step* const edit = lane.step(at);
            if (!edit || !edits_place(*edit)) continue;
            again = put_in(row, edit->touch) || again;
        }
        return again;
    }

    // Another formula was set, by a tool of which nobody knows that it changes something.
    static bool acted_between(const Row& row, const Step& step, const LaneTrack& lane) {
        for (std::uint64_t at = row.episode.last().ordinal + 1; at < step.ordinal; ++at) {
            const Step* const act = lane.step(at);
            if (act && act->tool != step.tool && act->tool_class == ToolClass::other && !act->failed && !act->revisit)
                return true;
        }
        return false;
    }

    static void grow(Row& row, const Step& step, const LaneTrack& lane) {
        const bool again = tries_again(row, step, lane);
        const bool own = again || looks_at_changed(step, row.episode.last(), lane);
        if (own || step.epoch != row.episode.last().epoch || (lacks_value(step) && acted_between(row, step, lane))) {
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
