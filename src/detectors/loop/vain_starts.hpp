#pragma once

#include "detectors/engine/episodes.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/other_thing.hpp"
#include "detectors/words/phrases.hpp"

#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// A server that is started again and again, on the next port if need be, and never answers. One that answered at last
/// had only to come up.
class VainStarts {
public:
    struct Row {
        int starts = 1;           // each with a probe behind it that got no answer
        std::uint64_t start = 0;  // the last of them
        Episode episode;          // the probes
        TimeWindow time;
    };

    explicit VainStarts(const TimeWindow& fresh) : fresh_(fresh), row_{1, 0, {}, fresh} {}

    /// A step that failed. `close` is given the row that is over.
    template <class Close>
    void failed(const Step& step, const LaneTrack& lane, Close&& close) {
        if (!probes_here(step)) return;
        const std::uint64_t last = row_.start == 0 ? 0 : row_.episode.last().ordinal;
        const Step* const start = start_behind(last, step, lane);
        if (!start) return;  // it is waited for
        const Step* const before = row_.start == 0 ? nullptr : lane.step(row_.start);
        const bool goes_on = before && start->tool == before->tool &&
                             same_but_numbers(start->text.argument().bytes, before->text.argument().bytes) &&
                             !answered_between(last, step, lane);
        if (!goes_on) {
            end(close);
            row_ = {1, start->ordinal, {}, fresh_};
        } else {
            if (++row_.starts == 2) row_.episode.waste_from(step, lane.step(step.ordinal - 1));
            row_.start = start->ordinal;
        }
        row_.time.add(step);
        row_.episode.add(step);
    }

    template <class Close>
    void end(Close&& close) {
        if (row_.start != 0) close(row_);
        row_.start = 0;
        row_.episode.reset();
    }

private:
    static constexpr std::uint64_t kNear = 6;  // steps: from a start to its probe, and from there to the next start

    // `curl localhost:3000`: does what was started here answer?
    static bool probes_here(const Step& step) {
        constexpr std::string_view kHere[] = {"localhost", "127.0.0.1", "0.0.0.0"};
        constexpr std::string_view kProbes[] = {"curl ", "wget ", "nc ", "http "};
        const std::string_view command = step.text.argument().bytes;
        return step.command_bytes > 0 && contains_any(command, kHere) && contains_any(command, kProbes);
    }

    static bool goes_on_behind(const Step& step) {
        const std::string_view command = trimmed(step.text.argument().bytes);
        return step.command_bytes > 0 && !step.failed &&
               (step.background != 0 || command.ends_with('&') || command.starts_with("nohup "));
    }

    // What was started since the last probe; null = nothing.
    static const Step* start_behind(std::uint64_t last, const Step& probe, const LaneTrack& lane) {
        for (std::uint64_t back = 1; back <= kNear && back < probe.ordinal && probe.ordinal - back > last; ++back) {
            const Step* const step = lane.step(probe.ordinal - back);
            if (step && goes_on_behind(*step)) return step;
        }
        return nullptr;
    }

    static bool answered_between(std::uint64_t from, const Step& to, const LaneTrack& lane) {
        if (to.ordinal - from > 2 * kNear) return true;  // nobody knows
        for (std::uint64_t at = from + 1; at < to.ordinal; ++at) {
            const Step* const step = lane.step(at);
            if (!step || (!step->failed && !goes_on_behind(*step) && probes_here(*step))) return true;
        }
        return false;
    }

    TimeWindow fresh_;
    Row row_;
};

}  // namespace agent_audit::detectors
