#pragma once

#include "detectors/engine/episodes.hpp"
#include "detectors/loop/edited_files.hpp"
#include "detectors/outcomes/other_thing.hpp"
#include "detectors/outcomes/shown_error.hpp"
#include "detectors/speech/wants_looks.hpp"
#include "detectors/words/phrases.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace agent_audit::detectors {

/// Errors that looks show after one change after the other: in the console below a page, at the end of a log, of a pod.
class ShownErrors {
public:
    struct Row {
        std::uint64_t tool = 0, key = 0;
        int looks = 1;   // each after another change
        int starts = 0;  // of them, those of a program that was started anew
        EditedFiles files;
        Episode episode;
        TimeWindow time;
        std::uint64_t clean = 0;  // the change after which another look showed none
        EditedFiles sheets{};     // of style, which make no script throw
        bool for_looks = false;   // a person wants the page to look otherwise
        bool for_fault = false;   // a person tells of something that does not work
        bool beside = true;       // each look shows a script's error and a page that is there all the same

        bool are_pending() const { return key == shown_key(kPodsPending); }
        bool shown_in(std::uint64_t epoch) const { return episode.last().epoch == epoch; }
        // Commands name pods and files, which have other names after a change.
        bool shows_the_same(const Step& step) const {
            return step.command_bytes > 0 || elsewhere(episode.last(), step) == Elsewhere::no;
        }
        // Not where the work is about something else, and the page is no worse for the error.
        bool is_worked_on() const {
            return (!(beside && for_looks) && files.reworks()) || ((!beside || for_fault) && sheets.reworks());
        }
    };

    /// Nothing is open: a rule may sleep.
    bool empty() const { return rows_.empty(); }

    void edited(std::uint64_t file, bool style_sheet) {
        for (Row& row : rows_) (style_sheet ? row.sheets : row.files).edited(file);
    }

    /// `close` is given each row that is over. One error after the other is progress, and so is a look without one.
    template <class Close>
    void looked(const Step& step, const LaneTrack& lane, const TimeWindow& fresh, Close&& close) {
        end([&](const Row& row) { return row.clean != 0 && row.clean != step.epoch && !row.shown_in(row.clean); },
            close);
        if (!shows_error(step.error_key)) return looked_well(step, close);
        if (step.error_key == kPodsPending)
            end([&](const Row& row) { return row.are_pending() && came_up_between(row.episode.last(), step, lane); },
                close);
        const auto known = std::ranges::find_if(rows_, [&](const Row& row) {
            return row.tool == step.tool && row.key == shown_key(step.error_key) && row.shows_the_same(step);
        });
        if (known == rows_.end()) {
            end([&](const Row& row) { return !row.shown_in(step.epoch); }, close);
            if (rows_.size() >= kMost) return;
            Row& row = rows_.emplace_back(Row{step.tool, shown_key(step.error_key), 1, 0, {}, {}, fresh});
            row.beside = stands_beside_page(step.error_key);
            row.for_looks = row.beside && wants_better_looks(lane.request());
            row.for_fault = row.beside && tells_of_fault(lane.request());
            row.time.add(step);
            return row.episode.add(step);
        }
        known->beside = known->beside && stands_beside_page(step.error_key);
        const bool anew = was_started_anew(known->episode.last(), step, lane);
        if (anew) ++known->starts;
        if (anew || step.epoch != known->episode.last().epoch) {
            if (++known->looks == 2) known->episode.waste_from(step, lane.step(step.ordinal - 1));
            known->time.add(step);
        }
        known->episode.add(step);
    }

    template <class Close>
    void end_all(Close&& close) {
        end([](const Row&) { return true; }, close);
    }

private:
    static constexpr std::size_t kMost = 8;

    // A look without an error: it is gone. Where the one names another program or page instead, it says so of this one
    // only if it shows no more before the next change.
    template <class Close>
    void looked_well(const Step& step, Close&& close) {
        const auto gone = [&](const Row& row) {
            return row.tool == step.tool && elsewhere(row.episode.last(), step) == Elsewhere::no;
        };
        end(gone, close);
        for (Row& row : rows_) {
            if (row.tool == step.tool && !row.shown_in(step.epoch)) row.clean = step.epoch;
        }
    }

    // Was a pod deleted, a container removed, a server killed or a service restarted between two looks at it? One
    // command may do both: `pkill shopd; …; tail shopd.log`. A server that was started may write another log each time.
    static bool was_started_anew(const Step& before, const Step& look, const LaneTrack& lane) {
        const std::string_view command = look.text.argument().bytes;
        const bool same = look_at_same(before.text.argument().bytes, command);
        if (look.ordinal == before.ordinal || look.command_bytes == 0) return false;
        if (same && starts_anew(command)) return true;
        const std::string_view log = same ? std::string_view{} : log_in(command);
        for (std::uint64_t at = before.ordinal + 1; at < look.ordinal; ++at) {
            const Step* step = lane.step(at);
            if (!step || step->failed || step->command_bytes == 0) continue;
            const std::string_view start = step->text.argument().bytes;
            const bool of_this = same || (!log.empty() && start.find(log) != start.npos);
            if (of_this && starts_anew(start)) return true;
        }
        return false;
    }

    // "sleep 20; kubectl get pods -l app=mill" and "kubectl get pods": of a line that does more, the look at the pods.
    static bool look_at_same(std::string_view one, std::string_view other) {
        constexpr std::string_view kPods = "kubectl get pod";
        if (look_at_one(one, other)) return true;
        const std::size_t at = one.rfind(kPods), also_at = other.rfind(kPods);
        if (at == one.npos || also_at == other.npos) return false;
        one.remove_prefix(at);
        other.remove_prefix(also_at);
        return one.starts_with(other) || other.starts_with(one) || look_at_one(one, other);
    }

    // It had only to be waited for, and another start is about something else.
    static bool came_up_between(const Step& before, const Step& look, const LaneTrack& lane) {
        constexpr std::string_view kUp[] = {" Running ", " Completed ", "successfully rolled out", "condition met"};
        for (std::uint64_t at = before.ordinal + 1; at < look.ordinal; ++at) {
            const Step* const step = lane.step(at);
            if (step && !step->failed && contains_any(step->text.outcome().bytes, kUp)) return true;
        }
        return false;
    }

    template <class Is, class Close>
    void end(Is&& is, Close&& close) {
        std::erase_if(rows_, [&](const Row& row) {
            if (!is(row)) return false;
            close(row);
            return true;
        });
    }

    std::vector<Row> rows_;
};

}  // namespace agent_audit::detectors
