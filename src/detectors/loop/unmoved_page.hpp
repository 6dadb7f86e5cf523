#pragma once

#include "detectors/engine/episodes.hpp"
#include "detectors/outcomes/screen.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// Acts of any kind in a browser or on a screen behind each of which the same page stands: a dialog that stays, the
/// form to sign in behind every address, the end of a list. Another page in between, now and then, does not end a row,
/// nor does what is typed: a form may not show what is in it. Whatever is no work in the browser ends it.
class UnmovedPage {
public:
    struct Row {
        int responses = 0;  // behind which the page was the same again
        int first = 0;      // of them, clicks on what was not clicked before
        Episode episode;
        TimeWindow time;
    };

    explicit UnmovedPage(const TimeWindow& fresh) : fresh_(fresh), row_{0, 0, {}, fresh} {}

    /// A step with a known outcome. `close` is given the row that is over.
    template <class Close>
    void looked(const Step& step, const LaneTrack& lane, Close&& close) {
        if (step.tool_class == ToolClass::note || step.tool_class == ToolClass::poll ||
            step.tool_class == ToolClass::wait)
            return;
        if (step.tool_class != ToolClass::other || step.command_bytes > 0) {
            if (row_.responses > 0) end(close);
            return;
        }
        const bool page = !step.failed && step.outcome_bytes >= kPage;
        if (row_.responses == 0) {
            if (page) begin(step, lane);
            return;
        }
        if (!uses_screen(step)) return end(close);
        if (page && step.out == out_) return grow(step, lane);
        if (page && ++others_ * kOneIn > row_.responses + kOneIn) end(close);
    }

    /// The row was told of in other words.
    void told() { told_ = true; }

    template <class Close>
    void end(Close&& close) {
        if (row_.responses == 0) return;
        if (!told_ && row_.first * 2 <= row_.responses) close(row_);
        row_.episode.reset();
        row_ = {0, 0, {}, fresh_};
        clicked_.clear();
        others_ = 0;
        told_ = false;
    }

private:
    static constexpr std::uint32_t kPage = 60;  // bytes; what is shorter says only that it was done
    static constexpr int kOneIn = 3;            // times that the page is the same for each other page
    static constexpr std::size_t kClicked = 32;

    static bool uses_screen(const Step& step) {
        return screen_use(step.text.tool()) != ScreenUse::none || is_act(step);
    }

    // "The action was carried out successfully. Take a screenshot to see what came of it."
    static bool says_done(const Step& step) {
        constexpr std::string_view kDone[] = {"success", "completed", "executed", "performed", "carried out",
                                              "erfolg",  "exitos",    "réussi",   "成功",      "完了"};
        constexpr std::uint32_t kLongest = 240;  // bytes
        return step.outcome_bytes <= kLongest && contains_any(lowered(step.text.outcome().bytes), kDone);
    }

    enum class Kind : std::uint8_t { looks, types, clicks, other };

    static Kind kind_of(const Step& step) {
        constexpr std::string_view kLooks[] = {"snapshot", "screenshot", "state", "content", "read", "find"};
        constexpr std::string_view kTypes[] = {"type", "fill", "input", "select", "check", "upload", "hover", "drag"};
        const std::string deed = deed_of(step);
        if (contains_any(deed, kTypes)) return Kind::types;
        if (contains_any(deed, kLooks)) return Kind::looks;
        return deed.find("click") != deed.npos || deed.find("tap") != deed.npos ? Kind::clicks : Kind::other;
    }

    // The page right behind the one before, or behind one act more.
    void begin(const Step& step, const LaneTrack& lane) {
        constexpr std::uint64_t kBack = 3;
        for (std::uint64_t back = 1; back <= kBack && back < step.ordinal; ++back) {
            const Step* before = lane.step(step.ordinal - back);
            if (!before || before->ordinal < lane.segment_start()) return;
            if (before->out != step.out || before->failed) continue;
            if (!uses_screen(step) || !uses_screen(*before) || says_done(step)) return;
            out_ = step.out;
            row_.episode.reset();
            row_.episode.add(*before);
            clicked_.clear();
            remember(*before);
            return grow(step, lane);
        }
    }

    // Whether the step clicks on what was not clicked before; where one clicks by coordinates, they differ a little.
    bool remember(const Step& step) {
        if (kind_of(step) != Kind::clicks) return false;
        std::uint64_t target = 0;
        for (const char c : step.text.argument().bytes) {
            if (!is_digit(c)) target = mix_hash(target, static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
        }
        if (std::ranges::find(clicked_, target) != clicked_.end()) return false;
        if (clicked_.size() < kClicked) clicked_.push_back(target);
        return true;
    }

    void grow(const Step& step, const LaneTrack& lane) {
        const Kind kind = kind_of(step);
        if (kind == Kind::looks || kind == Kind::types || step.response == row_.episode.last().response) return;
        if (++row_.responses == 1) row_.episode.waste_from(step, lane.step(step.ordinal - 1));
        row_.first += remember(step);
        row_.episode.add(step);
        row_.time.add(step);
    }

    TimeWindow fresh_;
    Row row_;
    std::uint64_t out_ = 0;  // the page
    int others_ = 0;         // other pages in between
    bool told_ = false;
    std::vector<std::uint64_t> clicked_;
};

}  // namespace agent_audit::detectors
