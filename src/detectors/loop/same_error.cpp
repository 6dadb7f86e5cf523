#include "detectors/all.hpp"
#include "detectors/commands/idle_command.hpp"
#include "detectors/engine/deeds.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/engine/error_identity.hpp"
#include "detectors/loop/retried_deeds.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/crashes.hpp"
#include "detectors/outcomes/other_thing.hpp"
#include "detectors/words/phrases.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/same-error";

constexpr std::string_view kDoc = R"(## What it finds
One tool that fails with the same error in response after response, whatever the arguments: a tool that does not exist,
a file that must be read first, a key that is not accepted. What an error repeats of the text that an edit was to replace
does not make it another one, and the edit tools count together where they fail alike on one file: then it takes one response
more.
Where a tool other than a shell fails in one way and in another in turn, each counts for itself.
Which file a call was for that lacks an argument ("without value for required parameter 'content'"), and what is advised
then, makes no other error.
Which element of a screen a click or another act did not find makes no other error, nor does the query that PostgreSQL
quotes, nor the line of a program that was handed to Python as it was called (`python3 - <<EOF`), or written by the same
command under whatever name (`cat > try3.py <<EOF`). A file that may not be touched is one error whatever program tries (`tee`,
`sed -i`, `chmod`), and so is what a hook says of each message it is given, and a notebook of each cell.
So does a command that fails alike, whatever its switches, while other commands between its tries go well and change no file
(`terraform force-unlock`, and the state is locked again): twice as many are wanted then.
All tools of a server that is gone ("Connection closed") count together, which takes one response more.
One tool after the other that does not exist, each under a name that was made up, counts together; so do commands of whatever
program that find no network at all (`EAI_AGAIN`). A command that dies of too little memory or disk dies alike whatever the
figures; with another setting (the next batch size) it is another try.

## Why it matters
Changing the arguments does not help when the error is about something else. Such runs look busy and get nowhere.

## Example
```
mcp__search `login handler`   → 401 invalid api key
mcp__search `login function`  → 401 invalid api key
mcp__search `where is login`  → 401 invalid api key
```

## What is not flagged
- several failing calls of one response: they are one mistake
- a command that fails again after a file was really changed: that is a fix in progress. Not so one new script after
  the other, each of which dies of the same module that is not there; a test may be written before what it is for
- a look at another missing file after each change: they are being made one by one
- four other steps or more, some of which got somewhere, part what was a warning from what comes back then: three more failures are
  another finding
- fewer than twice as many failures of commands between which others that only read or search went well, and any number where that
  was so between most of them
- different errors; a success of the same tool in between. Of an editor with several commands only an edit that was made
  is one, and a line that was inserted is none where something was to be replaced
- fewer than twice as many answers that say of one thing after the other, each asked for once, that it is gone or closed (404, 403),
  unless they are variants of one name or pages of one site that lets nobody in
- as more than an info, one program that crashes on one input after the other, each given once
- one command for one thing after the other, each run once. Where the answer is always the same and says that a command, a module or a
  permission is missing, twice the counts are wanted; of checks twice the count for an error
- one command for place after place (a ping of each host), one look-up after the other for things that are not there, one guess
  after the other that is wrong, and a refusal of thing after thing, each looked at before (an order and the next), are a warning
  at most
- a tool that says no after each real change of a file (`submit_solution`), or the same of each new thing that was set before
  (`set_version`), is a warning at most, unless what it says is about credentials or missing things
- up to seven guesses at other places, each once, until the thing was found there, and as many tries at what is taken or full, each
  at another one, until one is free
- fewer failures of one and the same call than an error takes, when that call worked the next time: it was waited for
- what comes at last when the same is tried after a pause: one download after the other that is turned away twice
- rejections by a human and cascades of a failed sibling
- looks at something that is waited for (`sleep 5; curl …`): see loop/poll-no-progress
- errors of the class `transient` (timeouts, rate limits, HTTP 5xx; see `agent-audit explain settings`) below the
  higher counts
- as more than an info, one thing after the other of a list that was read before, or that a person gave, each asked for once in the
  list's order: an answer to each, or that it is not there, is what such a walk brings. Not where names were made up, the list
  was gone through already, or all of them fail of what has nothing to do with the thing
- as more than an info, one thing after the other where a person asked for that ("check each of these links"), or to see it
  refused or fail ("expect 401"; of tests alone "write the tests first"), unless what is wrong lies with the tools, the
  network or the rights

## What to do
Read the error once: it says what has to change. Often a credential, a missing read, a wrong tool name.

## When it is wrong
A tool that answers every miss with one constant error while the agent searches on purpose. Raise `warn` and `fail`,
or `--ignore loop/same-error`.
)";

struct Params {
    int warn = 3;
    int fail = 5;
    int transient_warn = 5;
    int transient_fail = 10;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, 1000,
                       "responses in which the tool fails with this error before a warning"},
    Param<Params, int>{"fail", &Params::fail, 2, 10'000, "the same before an error"},
    Param<Params, int>{"transient-warn", &Params::transient_warn, 2, 1000, "warn for transient errors"},
    Param<Params, int>{"transient-fail", &Params::transient_fail, 2, 10'000, "fail for transient errors"},
    within_param<Params>(),
};

class SameError final : public Detector {
public:
    explicit SameError(Params params) : params_(params) {}

    void on_step(const Step& step, const LaneTrack& lane) override {
        // Waiting until something answers is what poll-no-progress judges.
        if (step.opaque) return;
        if (step.tool_class == ToolClass::poll) return came(step);
        if (!step.failed) {
            if (!retried_.empty()) retried_.went_well(step, [this](const auto& row) { close(row); });
            return succeeded(step);
        }
        if (word_of_no(step) != WordOfNo::none) return;  // an answer; the same one again is loop/exact-repeat
        retried_.failed(step, TimeWindow(params_.warn, params_.within), [this](const auto& row) { close(row); });
        auto known =
            std::ranges::find_if(streaks_, [&](const Streak& s) { return s.tool == step.tool && !may_wait(s, step); });
        if (known == streaks_.end())
            known = std::ranges::find_if(streaks_, [&](const Streak& s) { return same_deed(s, step); });
        if (known == streaks_.end() && (lost_server(step) || is_unknown(step)))
            known = std::ranges::find_if(streaks_, [&](const Streak& s) { return s.key == step.error_key; });
        int before = 0;
        if (known != streaks_.end() && continues(*known, step)) {
            known->epoch = step.epoch;
            if (!is_back_after_work(*known, step)) return grow(*known, step, lane);
            before = known->before + known->responses;
        }
        if (known != streaks_.end()) end(known);
        if (streaks_.size() >= kMaxTools) end(streaks_.begin());
        Streak& streak = streaks_.emplace_back(params_);
        streak.tool = step.tool;
        streak.key = step.error_key;
        streak.epoch = step.epoch;
        streak.before = before;
        grow(streak, step, lane);
    }

    std::uint16_t wakes() const override { return streaks_.empty() && retried_.empty() ? kOnFailure : kEveryStep; }
    void on_segment_end(const LaneTrack&) override { close_all(); }
    void finish(const LaneTrack*) override { close_all(); }

private:
    static constexpr std::size_t kMaxTools = 32;

    struct Streak {
        explicit Streak(const Params& params) : time(params.warn, params.within) {}

        std::uint64_t tool = 0;
        std::uint64_t key = 0;
        std::uint32_t epoch = 0;
        int responses = 0;
        int before = 0;           // in earlier stretches of the same
        std::uint64_t apart = 0;  // at most, in steps
        bool joined = false;      // several edit tools
        bool one_call = true;     // the same every time
        bool worked = false;      // that call, when it was made once more: it was waited for
        bool found = false;       // another one of the same tool went well at last
        int reworked = 0;         // failures behind a real change that may have been the way out
        int others = 0;           // steps that were refused another thing than the one before, which says so of itself
        int things = 0;           // commands that are tried with another thing than the one before
        bool checks = false;      // among them
        int stretch = 0;          // responses since a command that only looks went well
        int longest = 0;          // of such stretches
        int looks = 0;            // their ends: between how many failures one looked
        int taken = 0;            // answers to something new that it is taken or full
        int walked = 0;           // steps that only ask the one before at another place, or for another thing
        int blind = 0;  // of the responses, those that say the same as the one before whatever was asked, and that
                        // something is missing or closed
        Episode episode;
        TimeWindow time;
    };

    static bool is_edit(const Step& step) { return step.tool_class == ToolClass::mutate && step.command_bytes == 0; }

    // A write that is refused at one place and at another in turn fails for each of the two. Of a shell another error
    // is another matter.
    static bool may_wait(const Streak& streak, const Step& step) {
        return step.command_bytes == 0 && streak.key != step.error_key;
    }

    // Write, Edit and MultiEdit of one file that are refused for one reason.
    static bool same_deed(const Streak& streak, const Step& step) {
        if (!is_edit(step) || step.touch.file == 0 || streak.key != step.error_key) return false;
        const Step& last = streak.episode.last();
        return is_edit(last) && last.touch.file == step.touch.file;
    }

    // All tools of a server that is gone fail alike: that says nothing of any of them.
    static bool lost_server(const Step& step) {
        constexpr std::string_view kGone[] = {"onnection closed", "Not connected", "ransport closed",
                                              "erver disconnected"};
        constexpr std::uint32_t kLongest = 160;  // bytes
        return step.command_bytes == 0 && step.tool_class != ToolClass::mutate && step.outcome_bytes <= kLongest &&
               contains_any(step.text.outcome().bytes, kGone);
    }

    // No tool has such a name, and the next one that is made up is as unknown.
    static bool is_unknown(const Step& step) {
        return step.command_bytes == 0 && says_no_tool(step.text.outcome()) &&
               step.text.outcome().bytes.find(step.text.tool()) != std::string_view::npos;
    }

    // An editor that shows a file, or inserts a line, has replaced nothing: what was refused is not yet done.
    static bool shows_the_way(const Step& failed, const Step& step) {
        if (!is_edit(failed)) return failed.tool == step.tool;
        if (!is_edit(step)) return false;
        if (failed.touch.file == 0 || step.touch.file == 0) return failed.tool == step.tool;
        if (inserts(step) && !inserts(failed)) return false;
        return failed.tool == step.tool || failed.touch.file == step.touch.file;
    }

    // Nothing stood where it was put.
    static bool inserts(const Step& step) { return step.touch.pieces == 1 && step.touch.before == stable_hash({}); }

    // To read something, or to look where one is, is no success of a command that does something.
    static bool only_looks(const Step& step) {
        return step.tool_class == ToolClass::read || step.tool_class == ToolClass::search;
    }

    // `ps aux`, `git status`, `pwd`; to go to a folder is more than that.
    static bool looks_round(const Step& step) {
        return step.tool_class == ToolClass::shell && asks_for_state(step.text.argument()) &&
               !only_prepares(step.text.argument());
    }

    // What failed is tried once more after a pause, and goes well.
    void came(const Step& step) {
        const auto waited = [&](const Streak& s) { return s.episode.last().call == step.call; };
        if (!step.failed && std::ranges::any_of(streaks_, waited)) succeeded(step);
    }

    void succeeded(const Step& step) {
        if (streaks_.empty()) return;
        const bool looks = step.command_bytes > 0 && (only_looks(step) || looks_round(step));
        const auto ended = [&](Streak& s) {
            if (!s.joined && s.tool != step.tool) return false;
            const Step& last = s.episode.last();
            if (looks && last.command_bytes > 0 && !only_looks(last) && !looks_round(last)) {
                s.looks += s.stretch > 0;
                s.stretch = 0;
                return false;
            }
            return shows_the_way(last, step);
        };
        for (auto s = std::ranges::find_if(streaks_, ended); s != streaks_.end();
             s = std::ranges::find_if(streaks_, ended)) {
            s->worked = s->one_call && s->episode.last().call == step.call;
            s->found = s->responses >= params_.warn && is_found(s->episode.last(), step);
            end(s);
        }
    }

    // A command that fails alike after a real change is a fix in progress, not a repeated mistake. Nor is a look at
    // another place after each change: that is how somebody makes what is missing, one file after the other.
    static bool continues(const Streak& streak, const Step& step) {
        if (streak.key != step.error_key) return false;
        if (streak.epoch == step.epoch) return true;
        if (wants_same_module(streak.episode.last(), step)) return true;
        const bool command = step.tool_class == ToolClass::shell || step.tool_class == ToolClass::verify;
        const bool looks = step.tool_class == ToolClass::read || step.tool_class == ToolClass::search;
        return !command && !(looks && step.call != streak.episode.last().call);
    }

    // It is not the program's own text that lacks something.
    static bool lacks_program(const Step& step) {
        constexpr std::string_view kNoProgram[] = {"command not found", "is not recognized as", "No module named",
                                                   "annot find module"};
        return step.command_bytes > 0 && contains_any(step.text.outcome().bytes, kNoProgram);
    }

    // The script that a command runs, as it is named there; a test is none.
    static std::string_view script_of(const Step& step) {
        constexpr std::string_view kEndings[] = {".py", ".js", ".mjs", ".cjs", ".ts"};
        constexpr std::string_view kBreaks = " \t\n\\\"'`;&|()<>";
        std::string_view rest = step.text.argument().bytes;
        while (!rest.empty()) {
            const std::string_view word = rest.substr(0, rest.find_first_of(kBreaks));
            rest.remove_prefix(std::min(word.size() + 1, rest.size()));
            if (std::ranges::none_of(kEndings, [word](std::string_view end) { return word.ends_with(end); })) continue;
            return word.find("test") == word.npos && word.find("spec") == word.npos ? word : std::string_view{};
        }
        return {};
    }

    // What the machine lacks for one script it lacks for the next one that was written since, too. Scripts that were
    // there are asked one by one whether they run, a test is written before what it is for, and one script that is run
    // in other ways after each change is being mended.
    static bool wants_same_module(const Step& failed, const Step& step) {
        if (step.epoch == failed.epoch || step.call == failed.call || step.command_bytes == 0) return false;
        if (!is_missing_module(step.error_key)) return false;
        const std::string_view script = script_of(step);
        return !script.empty() && script != script_of(failed);
    }

    // What was worth a word, and comes back after other work that got somewhere, is another stretch of the same: unless
    // such work lay between its failures before.
    bool is_back_after_work(const Streak& streak, const Step& step) const {
        constexpr std::uint64_t kWork = 4, kGood = 2;  // steps
        const Step& last = streak.episode.last();
        const std::uint64_t apart = step.ordinal - last.ordinal;
        return streak.responses >= params_.warn && apart > kWork && apart > 2 * streak.apart &&
               step.good_steps - last.good_steps >= kGood;
    }

    // The same question about another thing, or at another place, has an answer.
    static bool is_found(const Step& failed, const Step& step) {
        return step.call != failed.call && (step.command_bytes == 0 || elsewhere(step, failed) != Elsewhere::no);
    }

    // One host and the next; one customer and the next, and none of them is known.
    static bool walks(const Step& before, const Step& step) {
        const RawText said = step.text.outcome();
        if (step.command_bytes == 0 && step.call != before.call && says_wrong_guess(said)) return true;
        if (step.command_bytes == 0 && (step.call == before.call || does_something(step))) return false;
        return elsewhere(step, before) != Elsewhere::no || (step.command_bytes == 0 && says_missing(said));
    }

    // No such command, no module of that name, a wrong password: the same words, which know nothing of the thing that
    // was asked for. That a thing is not there is said of it, and of site after site each has an own door.
    static bool is_blind(const Step& before, const Step& step) {
        const bool wants = wants_same_module(before, step);  // and the traceback names the script, which is new
        const bool about_itself =
            wants || step.error == ErrorClass::persistent || step.error == ErrorClass::infrastructure;
        const bool checks = step.tool_class == ToolClass::verify && !wants;  // of one part after the other
        if (!about_itself || checks || (step.out != before.out && !wants) ||
            step.text.argument().bytes.find("://") != std::string_view::npos)
            return false;
        return wants || !says_missing(step.text.outcome()) || lacks_program(step);
    }

    // 404 of one site and of the next, 403 of one report and of another: each is closed or gone for itself. What is
    // said of a key, an account or the tool is not said of the thing, nor is what one site says of each of its pages.
    static bool refuses_another(const Step& before, const Step& step) {
        constexpr std::string_view kGone[] = {"404", "410", "not found", "Not Found", "does not exist", "o such file"};
        constexpr std::string_view kClosed[] = {"403", "orbidden"};
        constexpr std::string_view kOfAll[] = {
            "key",   "token", "redential",       "uth",     "login",     "uota",
            "limit", "proxy", "command not fou", " module", "egistered", "annot find"};
        const std::string_view one = before.text.argument().bytes, other = step.text.argument().bytes;
        const std::string_view said = step.text.outcome().bytes;
        const bool page = other.find("://") != other.npos;
        if (step.tool_class == ToolClass::mutate || (step.command_bytes > 0 && !page)) return false;
        const bool gone = contains_any(said, kGone);
        if ((!gone && !contains_any(said, kClosed)) || contains_any(said, kOfAll) || says_no_tool(step.text.outcome()))
            return false;
        return (page && !same_site(one, other)) || ((!page || gone) && name_unrelated_things(one, other));
    }

    // Order 17 was looked up and refused, then order 18: what is refused was another thing each time.
    static bool looked_at(const Step& before, const Step& step, const LaneTrack& lane) {
        const Step* look = lane.step(step.ordinal - 1);
        if (!look || look->failed || look->revisit || look->tool == step.tool || step.command_bytes > 0 ||
            step.touch.file != 0)
            return false;
        const std::string_view thing = step.text.argument().bytes;
        return !thing.empty() && thing == look->text.argument().bytes && thing != before.text.argument().bytes;
    }

    // The table at seven is taken; one asks for the one at eight.
    static bool says_taken(const Step& step) {
        constexpr std::string_view kTaken[] = {"sold out",   "taken",    "unavailable", "not available", "no availab",
                                               "booked",     "occupied", " full",       "\"full",        "no seats",
                                               "ausgebucht", "belegt",   "vergeben",    "est complet",   "agotad",
                                               "ocupad",     "esaurit",  "esgotad",     "満席",          "満室",
                                               "売り切れ",   "已满",     "售罄",        "占用",          "매진"};
        const bool hindered = step.error == ErrorClass::transient || step.error == ErrorClass::infrastructure;
        return step.command_bytes == 0 && step.tool_class == ToolClass::other && !hindered &&
               contains_any(step.text.outcome().bytes, kTaken);
    }

    // A tool that looks at what was changed and says no: submit_solution, run_script. Credentials and missing things
    // are no such verdict.
    static bool judges(const Step& step) {
        return step.tool_class == ToolClass::other && step.command_bytes == 0 && step.error == ErrorClass::unknown;
    }

    // set_version 1.59, build: "1.59 speaks another protocol"; set_version 1.58, build: the same of 1.58.
    static bool speaks_of_next_try(const Step& before, const Step& step, const LaneTrack& lane) {
        const Step* tried = lane.step(step.ordinal - 1);
        return step.call == before.call && step.out != before.out && tried && !tried->failed && !tried->revisit &&
               does_something(*tried);
    }

    static void grow(Streak& streak, const Step& step, const LaneTrack& lane) {
        if (streak.responses > 0) {
            streak.apart = std::max(streak.apart, step.ordinal - streak.episode.last().ordinal);
            const bool blind = is_blind(streak.episode.last(), step);
            streak.blind += blind && step.response != streak.episode.last().response;
            streak.walked +=
                !blind && (walks(streak.episode.last(), step) || looked_at(streak.episode.last(), step, lane));
            streak.taken += !step.revisit && step.call != streak.episode.last().call && says_taken(step);
            streak.others += step.response != streak.episode.last().response && !step.revisit &&
                             refuses_another(streak.episode.last(), step);
            const bool checks = step.tool_class == ToolClass::verify;
            const bool tries = checks || step.tool_class == ToolClass::shell || step.tool_class == ToolClass::read ||
                               step.tool_class == ToolClass::poll;
            const bool goes_on =
                tries && step.command_bytes > 0 && !step.revisit && streak.things + 1 == streak.responses;
            streak.things += goes_on && of_another_thing(step, streak.episode.last());
            streak.checks = streak.checks || checks;
            streak.joined = streak.joined || step.tool != streak.tool;
            streak.one_call = streak.one_call && step.call == streak.episode.last().call;
            streak.reworked += judges(step) && (step.epoch != streak.episode.last().epoch ||
                                                speaks_of_next_try(streak.episode.last(), step, lane));
        }
        const bool new_response = streak.responses == 0 || step.response != streak.episode.last().response;
        if (new_response) {
            streak.time.add(step);
            streak.longest = std::max(streak.longest, ++streak.stretch);
            if (++streak.responses == 2) streak.episode.waste_from(step, &streak.episode.last());
        }
        streak.episode.add(step);
    }

    void end(std::vector<Streak>::iterator streak) {
        close(*streak);
        streaks_.erase(streak);
    }

    void close_all() {
        for (Streak& streak : streaks_) close(streak);
        streaks_.clear();
        retried_.end_all([this](const auto& row) { close(row); });
    }

    // What was done in between may be a way out, and is tried on purpose: it takes as many failures as an error does,
    // and twice as many where the command worked at last.
    void close(const RetriedDeeds::Row& row) {
        const int warn = 2 * params_.warn, fail = 2 * params_.fail;
        if (!row.between || row.failures < (row.worked ? fail : warn) || !row.time.met()) return;
        const Episode& e = row.episode;
        const bool hard = row.failures >= fail;
        report(
            e.draft(loop_same_error(),
                    {.hard = hard,
                     .doubtful = !hard,
                     .repeats = static_cast<std::uint64_t>(row.failures),
                     .pattern = mix_hash(row.deed, row.key),
                     .round = {step_words(e.last())},
                     .message = fmt::format("a command with {} failed with the same error in {} responses, whatever "
                                            "was done in between",
                                            e.last().text.tool(), row.failures),
                     .action = "say what the error is about before the next try: what is done in between does not help",
                     .because = {{"responses_with_this_error", std::to_string(row.failures)},
                                 {"threshold", std::to_string(hard ? fail : warn)},
                                 {"error", outcome_words(e.last())}}}));
    }

    // An edit of what the file was thought to be: other arguments are what helps, once it was read.
    static bool knows_no_file(const Step& step) {
        constexpr std::string_view kStale[] = {"not found", "ould not find", "o replacement",  "ot match",
                                               "o match",   "not been read", "modified since", "to replace"};
        return step.tool_class == ToolClass::mutate && step.command_bytes == 0 &&
               contains_any(step.text.outcome().bytes, kStale);
    }

    void close(const Streak& streak) {
        if (streak.responses < params_.warn || !streak.time.met()) return;
        const bool each = streak.things + 1 == streak.responses, blind = streak.blind + 1 == streak.responses;
        if (each && !blind && !streak.checks) return;  // one thing after the other, each once
        const Episode& e = streak.episode;
        const bool transient = e.last().error == ErrorClass::transient;
        const int another_tool = streak.joined ? 1 : 0;  // was worth a try
        const bool others = streak.others + 1 == streak.responses;
        const int patience = each || others ? 2 : 1;
        const int warn = patience * (transient ? params_.transient_warn : params_.warn) + another_tool;
        const int fail = patience * (transient ? params_.transient_fail : params_.fail) + another_tool;
        if (each && !blind && streak.responses < fail) return;  // checks of part after part
        // Looks in between may be what the next try is made of: twice as many are wanted then. Who looks before most
        // tries is finding out.
        const bool explores = 2 * streak.looks > streak.responses;
        const int tries = std::max(streak.longest, explores ? 0 : streak.responses / 2);
        if (tries < warn || (streak.worked && tries + streak.before < fail)) return;
        // A few guesses where a thing may be, until it was found.
        constexpr int kGuesses = 8;
        const bool guesses = std::max(streak.walked, streak.taken) + 1 >= streak.responses;
        if (streak.found && streak.responses < kGuesses && guesses) return;
        const bool doubtful = std::max(streak.walked, streak.reworked) + 1 >= streak.responses;
        const bool hard = tries + streak.before >= fail && !doubtful;
        DraftFinding draft =
            e.draft(loop_same_error(), {.hard = hard,
                                        .doubtful = doubtful,
                                        .repeats = static_cast<std::uint64_t>(streak.responses),
                                        .pattern = mix_hash(e.last().tool, streak.key),
                                        .round = {step_words(e.last())},
                                        .message = fmt::format("{} failed with the same error in {} responses",
                                                               !streak.joined      ? e.last().text.tool()
                                                               : is_edit(e.last()) ? "edits of one file"
                                                                                   : "tools of one server",
                                                               streak.responses),
                                        .action = knows_no_file(e.last())
                                                      ? "read what stands in the file now, and edit that"
                                                      : "read the error once: other arguments will not make it go away",
                                        .because = {{"responses_with_this_error", std::to_string(streak.responses)},
                                                    {"threshold", std::to_string(hard ? fail : warn)},
                                                    {"error", outcome_words(e.last())}}});
        // A crash is said of what the program was given.
        if (each && says_crash(e.last().text.outcome().bytes)) draft.finding.severity = Severity::info;
        report(std::move(draft));
    }

    Params params_;
    std::vector<Streak> streaks_;
    RetriedDeeds retried_;
};

}  // namespace

DetectorSpec loop_same_error() {
    return {kId,
            "AA104",
            "one tool failing with one error, whatever the arguments",
            Severity::error,
            0.85,
            Stage::stable,
            Scope::lane,
            kSteps | kFiles,
            Signal::tool_calls | Signal::tool_results,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<SameError>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
