#pragma once

#include "detectors/engine/episodes.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_audit::detectors {

/// Looks in several forms at one thing that does not move: a log that ends with the same line however much of it is
/// read, a port that nobody answers at whichever way it is asked, a job that is looked at plainly and in detail. One
/// form alone is loop/poll-no-progress' own.
class DeadWaits {
public:
    struct Row {
        int looks = 0;  // the first, and each that told nothing new
        Episode episode;
        TimeWindow time;
    };

    explicit DeadWaits(const TimeWindow& fresh) : fresh_(fresh), row_{0, {}, fresh} {}

    /// Of one look alone nothing can be told.
    bool is_open() const { return row_.looks > 1 || row_.episode.is_open(); }

    /// A step with a known outcome. `close` is given the row that is over, and whether what was waited for came.
    template <class Close>
    void looked(const Step& step, const LaneTrack& lane, Close&& close) {
        if (step.tool_class == ToolClass::note || step.tool_class == ToolClass::wait) return;
        if (step.tool_class != ToolClass::poll) return end(close, false);
        if (step.work_class == ToolClass::wait) return;
        if (row_.looks == 0 || (row_.looks == 1 && !open(step, lane))) return begin(step);
        switch (judge(step)) {
            case News::none: return grow(step, lane);
            case News::apart: return;
            case News::moved: end(close, true); return begin(step);
            case News::elsewhere: end(close, false); return begin(step);
        }
    }

    /// The row was told of in other words.
    void told() { told_ = true; }

    template <class Close>
    void end(Close&& close, bool came) {
        if (row_.looks == 0) return;
        if (!told_ && varied_) close(row_, came);
        row_.episode.reset();
        row_ = {0, {}, fresh_};
        calls_.clear();
        lines_.clear();
        apart_ = 0;
        told_ = varied_ = false;
    }

private:
    enum class News : std::uint8_t { none, apart, moved, elsewhere };
    static constexpr std::size_t kLines = 16, kCalls = 8;
    static constexpr int kOneIn = 3;  // looks for each of which nobody knows what it says of it

    News judge(const Step& step) {
        const Step& first = row_.episode.first();
        if (step.epoch != first.epoch || step.tool == 0) return News::elsewhere;
        const bool command = step.command_bytes > 0;
        if (command != (first.command_bytes > 0)) return News::elsewhere;
        const bool of_same =
            command ? share_place(step, first) : step.text.argument().bytes == first.text.argument().bytes;
        const bool known_call = std::ranges::find(calls_, step.call) != calls_.end();
        if (!of_same || (!command && !known_call)) {
            if (of_same) remember_call(step);
            const bool alone = row_.looks == 1 && !of_same;
            return alone || ++apart_ * kOneIn > row_.looks + kOneIn ? News::elsewhere : News::apart;
        }
        if (gets_no_answer(step)) return News::none;
        if (!command) return step.revisit ? News::none : News::moved;
        return !step.failed && ends_as_before(step) ? News::none : News::moved;
    }

    // `curl -s localhost:3000`, and nothing; or what the command says in its place: `|| echo down`.
    static bool gets_no_answer(const Step& step) {
        constexpr std::string_view kProbes[] = {"curl ", "wget ", "nc "}, kElse = "|| echo ";
        const std::string_view command = step.text.argument().bytes, said = trimmed(step.text.outcome().bytes);
        if (step.command_bytes == 0 || !contains_any(command, kProbes)) return false;
        if (step.failed)
            return step.error == ErrorClass::transient || said == "000" || is_no_result(step.text.outcome());
        const std::size_t other = command.find(kElse);
        return other != command.npos && !said.empty() && command.substr(other + kElse.size()).starts_with(said);
    }

    // The name of a file, or the number of a port, that both commands name.
    static bool share_place(const Step& a, const Step& b) {
        bool shared = false;
        each_place(a.text.argument().bytes, [&](std::string_view one) {
            each_place(b.text.argument().bytes, [&](std::string_view other) { shared = shared || one == other; });
        });
        return shared;
    }
    template <class Take>
    static void each_place(std::string_view command, Take&& take) {
        constexpr std::size_t kShortest = 4;  // bytes
        const auto in_name = [](char c) { return is_alnum(c) || c == '_' || c == '.' || c == '-'; };
        for (std::size_t at = 0; at < command.size();) {
            std::size_t end = at;
            while (end < command.size() && in_name(command[end])) ++end;
            const std::string_view word = command.substr(at, end - at);
            const bool port = at > 0 && command[at - 1] == ':' && std::ranges::all_of(word, is_digit);
            const bool file = word.find('.') != word.npos && std::ranges::any_of(word, is_letter);
            if (word.size() >= kShortest && (port || file)) take(word);
            at = end + 1;
        }
    }

    // The last two lines of an answer that was kept whole; a time that `date` put behind them is none of it.
    static std::array<std::string_view, 2> last_lines(const Step& step) {
        std::array<std::string_view, 2> lines{};
        std::string_view rest = step.text.outcome().bytes;
        if (step.outcome_bytes > StepText::kOutcome) return lines;
        for (std::size_t i = 0; i < lines.size() && !rest.empty();) {
            while (rest.ends_with('\n') || rest.ends_with("\\n")) rest.remove_suffix(rest.ends_with('\n') ? 1 : 2);
            const std::size_t plain = rest.rfind('\n'), escaped = rest.rfind("\\n");
            const std::size_t begin = plain != rest.npos ? plain + 1 : escaped != rest.npos ? escaped + 2 : 0;
            const std::string_view line = rest.substr(begin);
            const bool dated = i == 0 && is_time(line) && step.text.argument().bytes.find("date") != line.npos;
            if (!dated) lines[i++] = line;
            rest = rest.substr(0, begin);
        }
        return lines;
    }
    static bool is_time(std::string_view line) {
        const std::size_t colon = line.find(':');
        return colon != line.npos && colon > 0 && colon + 3 < line.size() && is_digit(line[colon - 1]) &&
               is_digit(line[colon + 1]) && line[colon + 3] == ':';
    }

    bool ends_as_before(const Step& step) const {
        const std::string_view last = last_lines(step)[0];
        return !last.empty() && std::ranges::find(lines_, stable_hash(last)) != lines_.end();
    }

    void remember_call(const Step& step) {
        if (std::ranges::find(calls_, step.call) == calls_.end() && calls_.size() < kCalls) calls_.push_back(step.call);
    }

    void remember(const Step& step) {
        remember_call(step);
        if (step.command_bytes == 0 || step.failed) return;
        for (const std::string_view line : last_lines(step)) {
            if (!line.empty() && lines_.size() < kLines) lines_.push_back(stable_hash(line));
        }
    }

    // Every look that is the first comes here: only its number is kept.
    void begin(const Step& step) {
        row_.looks = 1;
        first_ = step.ordinal;
    }

    // The second look, behind the first one or a pause. False when work of another kind lies between.
    bool open(const Step& step, const LaneTrack& lane) {
        if (row_.episode.is_open()) return true;
        const Step* const first = lane.step(first_);
        const Step* const between = step.ordinal == first_ + 2 ? lane.step(first_ + 1) : nullptr;
        const bool paused =
            between && (between->tool_class == ToolClass::wait || between->tool_class == ToolClass::note);
        if (!first || (step.ordinal != first_ + 1 && !paused)) return false;
        row_.episode.add(*first);
        row_.time.add(*first);
        remember(*first);
        return true;
    }

    void grow(const Step& step, const LaneTrack& lane) {
        varied_ = varied_ || step.call != row_.episode.first().call;
        if (step.response == row_.episode.last().response) return;
        if (++row_.looks == 2) row_.episode.waste_from(step, lane.step(step.ordinal - 1));
        row_.episode.add(step);
        row_.time.add(step);
        remember(step);
    }

    TimeWindow fresh_;
    Row row_;
    std::uint64_t first_ = 0;                   // look
    std::vector<std::uint64_t> calls_, lines_;  // that were made, and that answers ended with
    int apart_ = 0;                             // looks of that kind
    bool told_ = false, varied_ = false;
};

}  // namespace agent_audit::detectors
