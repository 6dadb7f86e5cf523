#pragma once

#include "detectors/engine/episodes.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/other_thing.hpp"
#include "detectors/outcomes/outcome_words.hpp"

#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// Searches that find nothing, in whatever words, by whatever tools and commands: Grep, `rg`, `find`, `ls dir | grep`.
/// A row of commands goes on over a find now and then that leads nowhere; a change, a check or work of another kind
/// ends it. One tool that says the same each time is loop/stagnation's own.
class EmptySearches {
public:
    struct Row {
        int responses = 0;    // that found nothing
        int finds = 0;        // in between, and behind the last of them
        bool varied = false;  // by tool, or by how they say it
        Episode episode;
        TimeWindow time;
    };

    explicit EmptySearches(const TimeWindow& fresh) : fresh_(fresh), row_{0, 0, false, {}, fresh} {}

    /// A step with a known outcome. `close` is given the row that is over.
    template <class Close>
    void looked(const Step& step, const LaneTrack& lane, Close&& close) {
        if (step.tool_class == ToolClass::note) return;
        const bool looks = is_look(step);
        if (looks && finds_nothing(step)) {
            if (row_.responses > 0 && (epoch_ != step.epoch || !lane.step(last_))) end(close);
            return grow(step, lane);
        }
        if (row_.responses == 0 || (looks && was_not_made(step))) return;
        row_.finds += looks;
        if (!goes_on_over(step, looks)) end(close);
    }

    /// The row was told of in other words.
    void told() { told_ = true; }

    template <class Close>
    void end(Close&& close) {
        if (row_.responses == 0) return;
        if (!told_ && searches_ * 2 >= row_.responses) close(row_);
        row_.episode.reset();
        row_ = {0, 0, false, {}, fresh_};
        searches_ = 0;
        told_ = false;
    }

private:
    // What asks the web or documents is told of by its words (loop/reworded-search), and what asks for records by more
    // than one field looks each up.
    static bool is_look(const Step& step) {
        const bool looks = step.tool_class == ToolClass::search || step.tool_class == ToolClass::read;
        return looks && step.query.words == 0 && !step.text.argument().bytes.starts_with('{');
    }

    // `ls proto` finds nothing either where no such directory is; to read an empty file is no search.
    static bool finds_nothing(const Step& step) {
        constexpr std::uint32_t kLongest = 400, kShort = 120;  // bytes, with and without what a runner says of the call
        const bool reads = step.tool_class == ToolClass::read && step.command_bytes > 0;
        if (step.outcome_bytes > kLongest || (!reads && step.tool_class != ToolClass::search)) return false;
        const RawText said = step.text.outcome();
        const bool fields = said.bytes.starts_with('{') || said.bytes.starts_with('<');
        if (step.outcome_bytes > kShort && !fields && !step.failed) return false;
        return reads && step.failed ? says_no_such_place(said.bytes) : is_no_result(said);
    }
    static bool says_no_such_place(std::string_view said) { return said.find("o such file") != said.npos; }

    // `locate: command not found` says nothing of what it looks for.
    static bool was_not_made(const Step& step) {
        return step.failed || (step.command_bytes > 0 && says_no_program(step.text.outcome().bytes));
    }

    bool goes_on_over(const Step& step, bool looks) const {
        constexpr int kOneIn = 4, kAtOnce = 2;  // empty searches for each find, and how much sooner the first may come
        return looks && step.command_bytes > 0 && step.epoch == epoch_ &&
               row_.finds * kOneIn <= row_.responses + kAtOnce;
    }

    // Order 17 is not there, and neither is order 18.
    static bool counts_on(const Step& step, const Step& last) {
        return same_but_numbers(step.text.argument().bytes, last.text.argument().bytes);
    }

    // Of the first one, which is all that most rows have, only numbers are kept.
    void grow(const Step& step, const LaneTrack& lane) {
        const Step* const last = row_.responses == 0 ? nullptr : lane.step(last_);
        if (last && counts_on(step, *last)) return;
        const bool same_response = last && last->response == step.response;
        last_ = step.ordinal;
        epoch_ = step.epoch;
        if (last && row_.responses == 1 && !row_.episode.is_open()) row_.episode.add(*last);
        if (last) row_.episode.add(step);
        if (same_response) return;
        row_.varied |= last && (step.tool != last->tool || step.out != last->out);
        if (++row_.responses == 2) row_.episode.waste_from(step, lane.step(step.ordinal - 1));
        searches_ += step.tool_class == ToolClass::search;
        row_.time.add(step);
    }

    TimeWindow fresh_;
    Row row_;
    std::uint64_t last_ = 0;   // search that found nothing
    std::uint32_t epoch_ = 0;  // in which it was made
    int searches_ = 0;         // of the responses, those that did not only list a place
    bool told_ = false;
};

}  // namespace agent_audit::detectors
