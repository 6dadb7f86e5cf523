#include "advice/prompt/next_step.hpp"

#include "advice/calls/checks.hpp"
#include "advice/calls/commands.hpp"
#include "advice/words/sentences.hpp"
#include "advice/words/text.hpp"

#include <agent_audit/advice/goal.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace agent_audit::advice::prompt {
namespace {

constexpr std::size_t kPlan = 12;

class NextStep {
public:
    NextStep(const Checkpoint& state, const Words& words) : state_(state), words_(words) {}

    Section write() const {
        const std::uint64_t begun = begun_line();
        Group now, older{"From before the latest request, and still open as far as the recording tells:", {}, 0};
        add_question(now);
        add_plan(now, older, begun);
        add_failing_checks(now, older, begun);
        add_unsent(now, begun);
        add_repeated_failure(now, begun);
        add_running(now);
        if (const std::uint64_t files = unchecked_files(begun); files > 0) now.items.push_back({unchecked(files), {}});
        add_answer(now, !older.items.empty() || state_.unsolved);
        Section out{"Next step", {}};
        out.groups.push_back(std::move(now));
        out.groups.push_back(std::move(older));
        out.groups.push_back(own_words());
        return out;
    }

private:
    void add_question(Group& now) const {
        if (!state_.question) return;
        now.items.push_back({fmt::format("- The agent asked, and nobody has answered yet: \"{}\" ({})",
                                         unmarked(words_.line_of(state_.question->text, 300)),
                                         words_.place(state_.question->turn, state_.question->line)),
                             {}});
    }

    void add_plan(Group& now, Group& older, std::uint64_t begun) const {
        for (std::size_t i = 0; i < std::min(state_.plan.size(), kPlan); ++i)
            (state_.plan[i].line >= begun ? now : older).items.push_back({plan_item(i), {}});
    }

    void add_failing_checks(Group& now, Group& older, std::uint64_t begun) const {
        constexpr std::size_t kFailing = 3;
        // Turns: what failed long before was mostly left on purpose, and stands in section 5.
        constexpr std::uint32_t kRecent = 3;
        for (const CheckRun& run : std::span(state_.failing).first(std::min(state_.failing.size(), kFailing))) {
            if (run.line >= begun) now.items.push_back({failing_check(run), {}});
            if (run.line < begun && run.turn + kRecent >= state_.turn) older.items.push_back({failing_check(run), {}});
        }
    }

    // What was to be pushed, published or sent, and was not.
    void add_unsent(Group& now, std::uint64_t begun) const {
        for (const Failure& f : state_.failures) {
            if (f.last_line < begun || f.unclear_since != 0 || !f.sends) continue;
            now.items.push_back(
                {words_.failure(f, fmt::format(" {} ({}): it is not done.",
                                               f.error == ErrorClass::user_denied ? "was refused" : "failed",
                                               words_.place(f.turn, f.last_line))),
                 {}});
        }
    }

    // Only where nothing else is known to be next.
    void add_repeated_failure(Group& now, std::uint64_t begun) const {
        const Failure* open = repeated_failure(begun);
        if (!open || !now.items.empty()) return;
        now.items.push_back(
            {words_.failure(*open,
                            fmt::format(" {} and has not worked since ({}): section 5 says what it printed.",
                                        words_.how_often(*open, false), words_.place(open->turn, open->last_line))),
             {}});
    }

    void add_running(Group& now) const {
        constexpr std::size_t kRunning = 3;
        for (const Quote& job : std::span(state_.running).first(std::min(state_.running.size(), kRunning))) {
            now.items.push_back({fmt::format("- {} was still running in the background as far as the recording tells "
                                             "({}): look before it is run again.",
                                             words_.span_of(job.text, 120), words_.place(job.turn, job.line)),
                                 {}});
        }
    }

    // `below`: something may be open of what stands below what is next now.
    void add_answer(Group& now, bool below) const {
        const std::uint64_t asked = asked_line();
        if (asked == 0) return;
        if (state_.answered_line == 0 && state_.ended_line == 0) {
            now.items.push_back({unanswered(asked), {}});
            return;
        }
        const std::uint64_t answer = std::max(state_.answered_line, state_.ended_line);
        const std::string_view rest = !now.items.empty()
                                          ? (answer < asked ? "." : "; whether the user is content is not known.")
                                      : below ? ". What may still be open stands below: ask the user how to go on."
                                              : ". Nothing is known to be open: ask the user how to go on.";
        now.items.push_back({answered(asked, answer).append(rest), {}});
    }

    std::string answered(std::uint64_t asked, std::uint64_t answer) const {
        if (answer < asked) {
            return fmt::format("- The user was content ({}) with what the agent had come to by {}", words_.line(asked),
                               words_.line(answer));
        }
        if (state_.answered_line > 0) {
            return fmt::format("- The agent answered what the user asked for last ({}) in {}", words_.line(asked),
                               words_.line(state_.answered_line));
        }
        return fmt::format("- The agent ended its work on what the user asked for last ({}) in {}", words_.line(asked),
                           words_.line(state_.ended_line));
    }

    // Where the user asked for what is to be done now.
    std::uint64_t asked_line() const {
        return state_.goal.from_program ? 0
               : state_.goal.remark     ? state_.goal.remark->line
               : state_.goal.latest     ? state_.goal.latest->line
                                        : state_.goal.first.line;
    }

    // Where the work on it begins: "go on" goes on with what stands before it.
    std::uint64_t begun_line() const {
        if (!state_.goal.remark || is_content(state_.goal.remark->text)) return asked_line();
        return state_.goal.latest ? state_.goal.latest->line : state_.goal.first.line;
    }

    std::string plan_item(std::size_t at) const {
        return fmt::format("- {}: \"{}\" ({})", at < state_.plan_active ? "in work" : "open",
                           unmarked(words_.line_of(state_.plan[at].text, 200)),
                           words_.place(state_.plan[at].turn, state_.plan[at].line));
    }

    // Files that were changed since, of which the check may say something.
    std::uint64_t changed_since(const CheckRun& run) const {
        return static_cast<std::uint64_t>(std::ranges::count_if(state_.modified, [&](const Change& c) {
            return c.last_line > run.line && !is_prose(c.path) && reaches_from(run.directory, c.path) &&
                   check_reaches(run.command, c.path);
        }));
    }

    std::string failing_check(const CheckRun& run) const {
        const std::uint64_t files = changed_since(run);
        const std::string what = files > 0 ? fmt::format("{} {} changed since, run it again",
                                                         words_.times(files, "file"), files == 1 ? "was" : "were")
                                           : std::string("mend that");
        const auto shown = std::span(state_.failures).first(std::min(state_.failures.size(), kFailures));
        const bool printed =
            std::ranges::any_of(shown, [&](const Failure& f) { return f.last_line == run.line && !f.output.empty(); });
        return fmt::format("- {} failed when it ran last ({}): {}{}.", words_.check_of(run.command, run.directory, 120),
                           words_.place(run.turn, run.line), what, printed ? "; section 5 says what it printed" : "");
    }

    // Of the latest request; where a check that failed speaks for the edits, mending that is what is next.
    std::uint64_t unchecked_files(std::uint64_t asked) const {
        std::uint64_t files = 0, last_line = 0;
        for (const Change& c : state_.unverified) {
            if (c.last_line < asked || c.fate != FileFate::edited || is_prose(c.path)) continue;
            ++files;
            last_line = std::max(last_line, c.last_line);
        }
        const bool judged =
            std::ranges::any_of(state_.failing, [&](const CheckRun& run) { return run.line > last_line; });
        return judged ? 0 : files;
    }

    std::string unchecked(std::uint64_t files) const {
        const bool all = files == state_.unverified.size();
        std::string out =
            fmt::format("- Check the edits of {} {} (section 3)", words_.times(files, "file"),
                        all ? "that nothing has verified" : "since the latest request, which nothing has verified");
        if (state_.last_check)
            out += fmt::format("; the last check was {} ({} at {})",
                               words_.check_of(state_.last_check->command, state_.last_check->directory, 120),
                               name(state_.last_check->end), words_.line(state_.last_check->line));
        return out + ".";
    }

    // The latest call that failed more than once since the user spoke, and never worked. Where files were changed or a
    // check passed behind it, the work has gone another way.
    const Failure* repeated_failure(std::uint64_t asked) const {
        std::uint64_t went_on = asked;
        for (const Change& c : state_.modified) went_on = std::max(went_on, c.last_line);
        if (state_.last_check && state_.last_check->end == CheckEnd::passed)
            went_on = std::max(went_on, state_.last_check->line);
        const Failure* latest = nullptr;
        for (const Failure& f : state_.failures) {
            if (f.count < 2 || f.last_line < went_on || f.unclear_since > 0) continue;
            if (!latest || f.last_line > latest->last_line) latest = &f;
        }
        return latest;
    }

    std::string unanswered(std::uint64_t asked) const {
        if (const auto& broken = state_.broken_off; broken && !broken->failed) {
            return fmt::format(
                "- The agent was interrupted ({}), and nobody has spoken since: what the user asked for last "
                "({}) is not answered. Ask the user how to go on.",
                words_.line(broken->line), words_.line(asked));
        }
        const std::string why =
            state_.broken_off ? fmt::format(", for the agent's turn failed ({})", words_.line(state_.broken_off->line))
                              : std::string();
        return fmt::format("- What the user asked for last ({}) is not answered{}: go on with it.", words_.line(asked),
                           why);
    }

    Group own_words() const {
        Group out{"In the agent's own words, which nobody has checked:", {}, 0};
        const auto add = [&](std::string_view what, const std::optional<Quote>& said) {
            if (said)
                out.items.push_back({fmt::format("- {}: \"{}\" ({})", what, unmarked(words_.line_of(said->text, 300)),
                                                 words_.place(said->turn, said->line)),
                                     {}});
        };
        add("it reported", state_.report);
        const auto same = [](const std::optional<Quote>& a, const std::optional<Quote>& b) {
            return a && b && a->text == b->text;
        };
        if (!same(state_.report, state_.unsolved)) add("it named as open", state_.unsolved);
        if (!same(state_.report, state_.next_step) && !same(state_.unsolved, state_.next_step))
            add("it was about to", state_.next_step);
        return out;
    }

    const Checkpoint& state_;
    const Words& words_;
};

}  // namespace

Section next_step(const Checkpoint& state, const Words& words) { return NextStep(state, words).write(); }

}  // namespace agent_audit::advice::prompt
