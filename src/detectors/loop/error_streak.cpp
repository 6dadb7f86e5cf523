#include "detectors/all.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/other_thing.hpp"
#include "detectors/outcomes/outcome_words.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/error-streak";

constexpr std::string_view kDoc = R"(## What it finds
Response after response in which every call failed, whatever the tools and the errors.

## Why it matters
Eight failing responses in a row mean that the agent does not understand its environment: wrong machine, wrong
directory, missing permissions. Each try costs a request with the whole context.

## Example
```
Bash `yarn build` → command not found · Read `/app/x` → no such file · Bash `apt install …` → permission denied · …
```

## What is not flagged
- a single success ends the streak
- several failing calls of one response count once
- one command for one thing after the other (each host, each script), each tried once; of checks fewer than an error takes. Of
  numbered things (`crashes/id_000041`) each may fail in its own way
- checks that are each run for the first time and fail in another way each are a warning at most: how the parts do may be what was
  asked
- as more than an info, one call that is broken off further on each time, by the share or the bytes that it tells
- waiting: polls that fail until something is up or done
- rejections by a human and cascades of a failed sibling
- as more than an info, one thing after the other of a list that was read before, or that a person gave, each asked for once in the
  list's order: an answer to each, or that it is not there, is what such a walk brings. Not where names were made up, the list
  was gone through already, or all of them fail of what has nothing to do with the thing
- as more than an info, one thing after the other where a person asked for that ("check each of these links"), or to see it
  refused or fail ("expect 401"; of tests alone "write the tests first"), unless what is wrong lies with the tools, the
  network or the rights

## What to do
Stop and state what is known about the environment; start again with that in the first message.

## When it is wrong
Probing what exists on purpose. Raise `warn` and `fail`, or `--ignore loop/error-streak`.
)";

struct Params {
    int warn = 8;
    int fail = 15;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, 1000, "failing responses in a row before a warning"},
    Param<Params, int>{"fail", &Params::fail, 2, 10'000, "failing responses in a row before an error"},
    within_param<Params>(),
};

class ErrorStreak final : public Detector {
public:
    explicit ErrorStreak(Params params) : params_(params), time_(params.warn, params.within) {}

    void on_step(const Step& step, const LaneTrack&) override {
        // Whether the whole response failed is known only at its end.
        if (step.failed && current_.size() < kMaxSteps) current_.push_back(step);
    }

    void on_response(const ResponseEnd& response, const LaneTrack&) override {
        if (response.calls == 0) return;
        // Not yet is no error: asked once more, it neither counts nor ends the streak. One port after the other is no
        // waiting.
        const auto waits = [](const Step& step) { return step.tool_class == ToolClass::poll && step.call_run > 1; };
        // How another revision fails is what was asked; "no" is an answer.
        const auto tells = [&](const Step& step) {
            const WordOfNo word = waits(step) || step.visits ? WordOfNo::no : word_of_no(step);
            return word == WordOfNo::no || word == WordOfNo::verdict;
        };
        if (response.failed == response.calls && !current_.empty() && std::ranges::all_of(current_, tells))
            return current_.clear();
        if (response.failed == response.calls) {
            ++responses_;
            if (responses_ == 2 && !current_.empty()) episode_.waste_from(current_.front(), &episode_.last());
            if (!current_.empty()) time_.add(current_.front());
            if (responses_ > 1 && things_ + 2 == responses_ && asks_of_another(response.calls)) ++things_;
            surveyed_ += responses_ > 1 && fails_in_another_way(response.calls);
            further_ += responses_ > 1 && comes_further(response.calls);
            for (const Step& step : current_) {
                checks_ = checks_ || step.tool_class == ToolClass::verify;
                episode_.add(step);
            }
        } else if (responses_ > 0) {
            close();
        }
        current_.clear();
    }

    std::uint16_t wakes() const override { return kOnFailure; }
    void on_segment_end(const LaneTrack&) override { close(); }
    void finish(const LaneTrack*) override { close(); }

private:
    static constexpr std::size_t kMaxSteps = 64;

    bool asks_of_another(std::uint32_t calls) const {
        if (calls != 1 || current_.empty() || !episode_.is_open()) return false;
        const Step& step = current_.front();
        // A rule that forbids a tool says nothing of the things that it was to be used for.
        const bool tries = step.tool_class != ToolClass::search && step.error != ErrorClass::user_denied;
        return tries && step.command_bytes > 0 && !step.revisit && of_another_thing(step, episode_.last()) &&
               (fail_alike(step, episode_.last()) || is_next(step, episode_.last()));
    }

    // Of one numbered thing after the other each may fail in its own way, unless what is wrong lies around them.
    static bool is_next(const Step& step, const Step& last) {
        const std::string_view now = step.text.argument().bytes, before = last.text.argument().bytes;
        const bool of_its_own = step.error == ErrorClass::unknown && last.error == ErrorClass::unknown;
        return of_its_own && same_but_numbers(now, before) && (now.size() > before.size() || now > before);
    }

    // Another check than before, and another failure.
    bool fails_in_another_way(std::uint32_t calls) const {
        if (calls != 1 || current_.empty() || !episode_.is_open()) return false;
        const Step &step = current_.front(), &last = episode_.last();
        return step.tool_class == ToolClass::verify && !step.revisit && step.call != last.call &&
               step.error_key != last.error_key && !fail_alike(step, last);
    }

    // The same again, which was broken off later: a download that goes on where it stopped.
    bool comes_further(std::uint32_t calls) const {
        if (calls != 1 || current_.empty() || !episode_.is_open()) return false;
        const Step &step = current_.front(), &last = episode_.last();
        return step.call == last.call && came_further(last.text.outcome().bytes, step.text.outcome().bytes);
    }

    void close() {
        // One thing after the other is tried on purpose. What checks say of very many files may be why all of them
        // fail.
        const bool each = things_ + 1 == responses_ && !(checks_ && responses_ >= params_.fail);
        if (responses_ >= params_.warn && !each && episode_.is_open() && time_.met()) {
            const bool hard = responses_ >= params_.fail && surveyed_ + 1 < responses_;
            DraftFinding draft =
                episode_.draft(loop_error_streak(),
                               {.hard = hard,
                                .repeats = static_cast<std::uint64_t>(responses_),
                                .pattern = 1,
                                .message = fmt::format("{} responses in a row in which every call failed", responses_),
                                .action = "stop and find out what is wrong with the environment before the next call",
                                .because = {{"failing_responses_in_a_row", std::to_string(responses_)},
                                            {"threshold", std::to_string(hard ? params_.fail : params_.warn)},
                                            {"last_error", outcome_words(episode_.last())}}});
            if (further_ + 1 == responses_) {
                draft.finding.severity = Severity::info;
                draft.finding.because.push_back({"came_further", "each time"});
            }
            report(std::move(draft));
        }
        episode_.reset();
        time_.reset();
        responses_ = things_ = surveyed_ = further_ = 0;
        checks_ = false;
    }

    Params params_;
    Episode episode_;
    TimeWindow time_;
    std::vector<Step> current_;
    int responses_ = 0;
    bool checks_ = false;  // among the failures
    int things_ = 0;       // responses that ask the same of another thing than the one before
    int surveyed_ = 0;     // responses with another check than the one before, which failed in another way
    int further_ = 0;      // responses with the call of the one before, which came further than it
};

}  // namespace

DetectorSpec loop_error_streak() {
    return {kId,
            "AA105",
            "response after response in which every call failed",
            Severity::error,
            0.6,
            Stage::stable,
            Scope::lane,
            kSteps | kResponses,
            Signal::tool_calls | Signal::tool_results,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<ErrorStreak>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
