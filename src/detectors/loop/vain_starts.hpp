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
                             starts_again(before->text.argument().bytes, start->text.argument().bytes) &&
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
               (step.background != 0 || leaves_behind(command) || command.starts_with("nohup "));
    }

    // "npm run dev > dev.log 2>&1 & sleep 8; tail -3 dev.log": an & that ends a command, at the end or within the line.
    static bool leaves_behind(std::string_view command) {
        for (std::size_t at = command.find('&'); at != command.npos; at = command.find('&', at + 1)) {
            const char before = at == 0 ? '&' : command[at - 1],
                       behind = at + 1 < command.size() ? command[at + 1] : ' ';
            if (before == ' ' && behind == ' ') return true;
            if (at + 1 == command.size() && before != '&') return true;
        }
        return false;
    }

    // The same on another port, or another command behind the end of the last one: "pkill -f mill; npx mill dev &".
    static bool starts_again(std::string_view last, std::string_view start) {
        constexpr std::string_view kKills[] = {"kill ", "killall ", "fuser -k "};
        return same_but_numbers(last, start) || contains_any(start, kKills);
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
