#include "detectors/engine/excuses.hpp"

#include "detectors/commands/command_state.hpp"

#include "detectors/engine/ordered_calls.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/crashes.hpp"
#include "detectors/outcomes/outcome_words.hpp"
#include "detectors/speech/each_thing.hpp"
#include "detectors/speech/other_wishes.hpp"
#include "detectors/words/phrases.hpp"

#include <agent_audit/model/finding.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kStalledFix = "loop/stalled-fix";

std::uint64_t all_errors(const DraftFinding& draft) {
    return std::accumulate(draft.errors.begin(), draft.errors.end(), std::uint64_t{0});
}

// `rg -l moment src || echo unused`: what it prints where nothing is found.
bool says_own_word(const Finding& f) {
    constexpr std::string_view kElse = "|| echo ", kQuotes = "\"' ";
    if (f.calls.empty() || f.evidence.empty()) return false;
    const std::string_view command = f.calls.back().argument;
    const std::size_t at = command.rfind(kElse);
    if (at == command.npos) return false;
    std::string_view word = command.substr(at + kElse.size());
    while (!word.empty() && kQuotes.find(word.front()) != kQuotes.npos) word.remove_prefix(1);
    while (!word.empty() && kQuotes.find(word.back()) != kQuotes.npos) word.remove_suffix(1);
    return !word.empty() && trimmed(f.evidence.back().text) == word;
}

// Searches that differ, and find nothing. One that finds nothing also ends with an error.
bool finds_none_of_many(const DraftFinding& draft) {
    constexpr std::string_view kRule = "loop/stagnation", kFails = "loop/same-error", kNothing = "no_result",
                               kYes = "yes", kEmpty = "(empty result)";
    const Finding& f = draft.finding;
    if (f.rule == kFails)
        return draft.tool_class == ToolClass::search && f.calls.size() > 2 && !f.evidence.empty() &&
               (f.evidence.back().text == kEmpty || is_no_result({f.evidence.back().text, TextForm::plain}));
    return f.rule == kRule && (says_own_word(f) || std::ranges::any_of(f.because, [&](const auto& fact) {
                                   return fact.name == kNothing && fact.value == kYes;
                               }));
}

template <std::size_t N>
bool is_of_rule(const Finding& f, const std::string_view (&rules)[N]) {
    return std::ranges::find(rules, f.rule) != std::end(rules);
}

// How often the same is done, whatever else lies between.
constexpr std::string_view kSameAgain[] = {"loop/exact-repeat", "loop/known-answers",      "loop/revisit-ratio",
                                           "loop/near-repeat",  "loop/interleaved-repeat", "loop/stagnation"};
constexpr std::uint64_t kPatience = 24;  // looks that are an error of a poll

// A look whose answer is no state that is known to be one: whether a record can be resolved, who holds the lock,
// whether a process is still there.
bool looks_on(const DraftFinding& draft) {
    const Finding& f = draft.finding;
    return is_of_rule(f, kSameAgain) && f.calls.size() == 1 && f.repeats < kPatience &&
           (draft.by_command || draft.tool_class == ToolClass::other || draft.tool_class == ToolClass::shell) &&
           draft.tool_class != ToolClass::verify && draft.tool_class != ToolClass::mutate;
}

// As long as it is no error: who is to wait until something is there need not wait for ever, and not for what says that
// it failed.
bool waits_a_while(const DraftFinding& draft) {
    constexpr std::string_view kRule = "loop/poll-no-progress";
    const Finding& f = draft.finding;
    const std::uint64_t unreached = draft.errors[static_cast<std::size_t>(ErrorClass::transient)];
    // What refuses a connection is not up yet.
    const bool only_unreached = unreached > 0 && unreached == all_errors(draft);
    const bool waits =
        f.rule == kRule ? f.severity < Severity::error : looks_on(draft) && (only_unreached || all_errors(draft) == 0);
    return waits && (only_unreached || f.evidence.empty() ||
                     !(says_refusal(f.evidence.back().text) || says_given_up(f.evidence.back().text)));
}

// "Keep trying until it installs": as often as a poll may ask. A test that fails is to be mended, and who may not do
// something does not get to by trying.
bool tries_on(const DraftFinding& draft) {
    constexpr std::string_view kRules[] = {"loop/poll-no-progress", "loop/exact-repeat", "loop/failed-retry",
                                           "loop/same-error",       "loop/error-streak", "loop/interleaved-repeat",
                                           "loop/known-answers",    "loop/revisit-ratio"};
    constexpr std::uint64_t kLasting = 12;  // the same of an error that no wait helps against
    const Finding& f = draft.finding;
    const bool lasts = draft.errors[static_cast<std::size_t>(ErrorClass::persistent)] > 0;
    return is_of_rule(f, kRules) && f.calls.size() == 1 && f.repeats < (lasts ? kLasting : kPatience) &&
           draft.tool_class != ToolClass::verify &&
           draft.errors[static_cast<std::size_t>(ErrorClass::user_denied)] == 0;
}

// What does something, or may.
bool acts(const DraftFinding& draft) {
    return draft.tool_class == ToolClass::shell || draft.tool_class == ToolClass::mutate ||
           draft.tool_class == ToolClass::other;
}

// "POST /batch/next until nothing remains": each of the calls did its part of the work, and said so.
bool works_off(const DraftFinding& draft) {
    constexpr std::size_t kLongest = 200;  // bytes of a receipt
    constexpr std::uint64_t kMostParts = 200;
    constexpr std::string_view kRound = "loop/cycle";
    const Finding& f = draft.finding;
    if (!acts(draft) || f.repeats > kMostParts || all_errors(draft) > 0 || f.evidence.empty() ||
        (f.rule != kRound && !is_of_rule(f, kSameAgain)))
        return false;
    const std::string_view said = trimmed(f.evidence.back().text);
    return !said.empty() && said.size() <= kLongest && !says_refusal(said) && !says_absent(said) &&
           !moves_nothing(said) && !is_no_result({said, TextForm::plain});
}

// What the agent's own tools, network or rights are in the way of says nothing of the things that it was to look at.
bool is_hindered(const DraftFinding& draft) {
    constexpr ErrorClass kBars[] = {ErrorClass::infrastructure, ErrorClass::transient, ErrorClass::user_denied};
    const auto& evidence = draft.finding.evidence;
    // What a program dies of, when it is given one input after the other, is no want of the machine.
    if (!evidence.empty() && says_crash(evidence.back().text)) return false;
    // A probe that gets no answer has one: the thing is not up.
    if (draft.tool_class == ToolClass::poll && draft.errors[static_cast<std::size_t>(ErrorClass::user_denied)] == 0)
        return !evidence.empty() && says_no_program(evidence.back().text);
    return draft.tool_class == ToolClass::mutate ||
           std::ranges::any_of(kBars, [&](ErrorClass c) { return draft.errors[static_cast<std::size_t>(c)] > 0; }) ||
           (!evidence.empty() && says_no_program(evidence.back().text));
}

// A tool that is to read a secret is told so by the thing; a command may itself lack the right.
bool lacks_right(const DraftFinding& draft) {
    constexpr std::string_view kDenied = "ermission denied";
    const auto& evidence = draft.finding.evidence;
    if (evidence.empty()) return false;
    const std::string& said = evidence.back().text;
    return says_no_program(said) && (draft.by_command || said.find(kDenied) == said.npos);
}

// The same where all that is wanted is to be turned away: whatever is sent, and also by what does not answer.
bool is_kept_from_it(const DraftFinding& draft) {
    const bool edits = draft.tool_class == ToolClass::mutate && !draft.by_command &&
                       std::ranges::none_of(draft.finding.calls, [](const FindingCall& call) {
                           return call.argument.find("://") != call.argument.npos;
                       });
    return edits || draft.errors[static_cast<std::size_t>(ErrorClass::user_denied)] > 0 ||
           draft.errors[static_cast<std::size_t>(ErrorClass::infrastructure)] > 0 || lacks_right(draft);
}

// Rounds of a look and what else comes with it: what was seen may be written down each time.
bool is_round(const Finding& f) {
    constexpr std::string_view kRules[] = {"loop/cycle", "loop/interleaved-repeat", "loop/known-answers",
                                           "loop/revisit-ratio"};
    return is_of_rule(f, kRules);
}

// The last answer says that something is not there, which is an answer to who asks whether it is.
bool tells_absence(const Finding& f) { return !f.evidence.empty() && says_absent(f.evidence.back().text); }

// What a command printed, without the exit code that a runner put in front of it or behind it.
std::string_view without_code(std::string_view said) {
    constexpr std::string_view kCode = "xit code", kDigits = "0123456789";
    constexpr std::string_view kBehind[] = {"[The command completed with exit code ", "Command exited with code ",
                                            "exit code: ", "Exit Code: ", "(exit "};
    constexpr std::size_t kLongest = 64;  // bytes, with what else a runner says
    if (said.substr(std::min<std::size_t>(1, said.size()), kCode.size()) == kCode) {
        const std::size_t code = std::min(said.find_first_of(kDigits), said.size());
        return trimmed(said.substr(std::min(said.find_first_not_of(kDigits, code), said.size())));
    }
    for (const std::string_view words : kBehind) {
        const std::size_t at = said.rfind(words);
        if (at != said.npos && said.size() - at <= kLongest) return trimmed(said.substr(0, at));
    }
    return said;
}

// "fatal: …", "jq: error: …": a program complains.
bool is_complaint(std::string_view said) {
    const std::size_t end = said.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_");
    return end != 0 && end != said.npos && said.substr(end).starts_with(": ");
}

// `relation "uses" does not exist`, where all calls ask about uses.
bool quotes_what_all_name(std::string_view said, const std::vector<FindingCall>& calls) {
    constexpr std::string_view kQuotes = "\"'`";
    for (std::size_t at = said.find_first_of(kQuotes); at != said.npos; at = said.find_first_of(kQuotes, at + 1)) {
        const std::string_view name = said.substr(at + 1, said.find(said[at], at + 1) - at - 1);
        const auto names = [name](const FindingCall& call) { return call.argument.find(name) != call.argument.npos; };
        if (name.size() > 2 && std::ranges::all_of(calls, names)) return true;
    }
    return false;
}

// "inactive", "0", "1 sent, 0 received", "no checks reported": what a command says of a thing by an exit code and few
// words.
bool is_short_answer(std::string_view said) {
    constexpr std::ptrdiff_t kWords = 3;
    const bool none = said.starts_with("no ") || said.starts_with("No ") || said.find(" 0 ") != said.npos;
    return none || std::ranges::count(said, ' ') < kWords;
}

// A file that a listing told of and that cannot be read is looked for in the wrong place.
bool misses_file(const DraftFinding& draft, bool failed) {
    return failed && draft.tool_class == ToolClass::read &&
           std::ranges::none_of(draft.finding.calls,
                                [](const FindingCall& call) { return call.argument.find("://") != std::string::npos; });
}

// A benchmark that is run again measures again: that its figures are masked as times makes no loop of it.
bool only_measures(const DraftFinding& draft) {
    constexpr std::string_view kRules[] = {"loop/exact-repeat", "loop/cycle", "loop/poll-no-progress"};
    const Finding& f = draft.finding;
    const bool failed = all_errors(draft) > 0;
    return !failed && draft.by_command && is_of_rule(f, kRules) && !f.calls.empty() &&
           std::ranges::all_of(f.calls, [](const FindingCall& call) {
               return measures({call.argument, TextForm::plain});
           });
}

// What a thing of the list was asked is answered, or it is not there. A refusal of each of them in the same words has
// another cause, and what says of itself that it cannot do it is a program, not the thing.
bool is_answered(const DraftFinding& draft) {
    const bool command = draft.by_command;
    const Finding& f = draft.finding;
    const bool failed = all_errors(draft) > 0;
    if (f.evidence.empty() || misses_file(draft, failed)) return false;
    const std::string_view said = command ? without_code(f.evidence.back().text) : f.evidence.back().text;
    if (command && is_complaint(said)) return false;
    const RawText text{said, TextForm::plain};
    if (tells_absence(f) || says_missing(text)) return !quotes_what_all_name(said, f.calls);
    if (is_no_result(text)) return true;
    if (says_refusal(said)) return false;
    if (failed) return command && (is_short_answer(said) || says_crash(said));
    return command || said.find_first_of("{[") == 0;
}

// What differs in the calls of a tool may be another argument than the one that is compared. Not of searches that only
// reword.
bool looks_at_each(const DraftFinding& draft) {
    constexpr std::string_view kRewords = "loop/reworded-search";
    return draft.rounds == Rounds::looks ||
           (draft.rounds == Rounds::apart && !draft.by_command && draft.finding.rule != kRewords);
}

// One call that is told the same refusal as a success shows nothing of how often it works.
bool is_refused_each_time(const DraftFinding& draft) {
    constexpr std::string_view kRule = "loop/exact-repeat";
    const Finding& f = draft.finding;
    return f.rule == kRule && draft.tool_class != ToolClass::verify && !f.evidence.empty() &&
           says_refusal(f.evidence.back().text);
}

// Trials show how often a command works, so not all of them fail. Who is to watch something looks at it, as often as it
// takes.
bool is_wished_for(const DraftFinding& draft, AskedAgain again) {
    constexpr std::uint64_t kMostTrials = 50, kMostRounds = 24;  // "a few times" each way are no forty
    const bool checks = draft.tool_class == ToolClass::verify;
    const bool runs = checks || draft.tool_class == ToolClass::shell;
    const std::uint64_t failed = all_errors(draft);
    // Rounds of several steps count once as repeats, and each of their steps may fail.
    const std::uint64_t trials = draft.finding.repeats * std::max<std::uint64_t>(draft.finding.period, 1);
    switch (again) {
        case AskedAgain::no: return false;
        case AskedAgain::trials:
            return runs && draft.finding.repeats <= (is_round(draft.finding) ? kMostRounds : kMostTrials) &&
                   failed < trials && !is_refused_each_time(draft);
        case AskedAgain::watch:
            if (draft.tool_class == ToolClass::mutate) return failed == 0 && is_round(draft.finding);
            return !(checks && failed > 0);
        case AskedAgain::absence: return finds_none_of_many(draft);
        case AskedAgain::waiting: return waits_a_while(draft);
        case AskedAgain::until_done: return works_off(draft);
        // What a form or a service must refuse may be any text: it names no things.
        case AskedAgain::failures: return draft.rounds != Rounds::no && !is_kept_from_it(draft);
        case AskedAgain::red_tests: return checks && draft.rounds >= Rounds::looks && !is_hindered(draft);
        case AskedAgain::known_red: return checks && draft.finding.rule == kStalledFix;
        case AskedAgain::survey:
            return looks_at_each(draft) && !is_hindered(draft) && !(checks && failed > 0) &&
                   (draft.errors[static_cast<std::size_t>(ErrorClass::persistent)] == 0 || draft.listed ||
                    tells_absence(draft.finding));
    }
    return false;
}

// How often the whole of it came: these rules count each call that was answered as before, of whatever there are.
std::uint64_t rounds_of(const Finding& f) {
    constexpr std::string_view kRules[] = {"loop/known-answers", "loop/revisit-ratio"};
    const std::uint64_t calls = std::max<std::uint64_t>(f.calls.size(), 1);
    return is_of_rule(f, kRules) ? (f.repeats + calls - 1) / calls : f.repeats;
}

// "replayed 50, failed 0", nobody told how often: each of the calls did another part of the work. Work of which so many
// parts are done and that never ends is none.
bool works_in_parts(const DraftFinding& draft) {
    constexpr std::uint64_t kMostParts = 50;
    const Finding& f = draft.finding;
    return acts(draft) && is_of_rule(f, kSameAgain) && f.calls.size() == 1 && f.repeats <= kMostParts &&
           all_errors(draft) == 0 && !f.evidence.empty() &&
           did_a_part(f.calls.front().argument, f.evidence.back().text);
}

// Keys and clicks that say only that they were done, and led on: the date picker shows the month that was wanted.
bool led_on(const Finding& f) {
    constexpr std::string_view kFact = "screen_act";
    return f.recovered && f.severity < Severity::error &&
           std::ranges::any_of(f.because, [&](const Fact& fact) { return fact.name == kFact; });
}

// Settings that are changed to and fro, with nothing in between that fails.
bool compares(const DraftFinding& draft) {
    constexpr std::string_view kRules[] = {"loop/edit-oscillation", "loop/cycle", "loop/repeated-state",
                                           "loop/known-answers", "loop/revisit-ratio"};
    return is_of_rule(draft.finding, kRules) && all_errors(draft) == 0 && draft.finding.repeats < kPatience;
}

// So few tries of one kind as any lock or limit takes to be seen.
bool provokes(const DraftFinding& draft) {
    constexpr std::string_view kRules[] = {"loop/exact-repeat", "loop/same-error", "loop/known-answers"};
    const Finding& f = draft.finding;
    return is_of_rule(f, kRules) && f.repeats < kPatience && draft.tool_class != ToolClass::verify &&
           draft.tool_class != ToolClass::mutate;
}

// What the message wishes for in words that are looked for here only. Empty = nothing that would explain what was
// found.
std::string_view wish_in(RawText request, const DraftFinding& draft) {
    constexpr std::size_t kRead = 1024;  // bytes
    if (request.empty()) return {};
    const std::string words = lowered(decoded(request, kRead));
    if (is_wished_for(draft, AskedAgain::survey) && wants_each(words)) return "survey";
    if (finds_none_of_many(draft) && says_to_find_none(words)) return "absence";
    if (counts_off(draft, words)) return "number";
    if (waits_a_while(draft) && (says_to_wait(words) || says_to_repeat(words))) return "waiting";
    if ((tries_on(draft) || works_off(draft)) && says_to_repeat(words)) return "until_done";
    if (works_off(draft) && says_to_batch(words)) return "until_done";
    if (provokes(draft) && says_to_provoke(words)) return "failures";
    return compares(draft) && says_to_compare(words) ? "comparison" : std::string_view{};
}

void make_note(Finding& f, std::string_view name, std::string_view value) {
    f.severity = Severity::info;
    f.because.push_back({std::string(name), std::string(value)});
}

}  // namespace

void excuse(DraftFinding& draft, const LaneTrack::Asked& asked, RawText request) {
    Finding& f = draft.finding;
    // Nobody asks for one failure after so many changes: "start 8 workers" is another matter.
    const bool counted = asked.times != 0 && f.rule != kStalledFix;
    if (counted && rounds_of(f) <= std::uint64_t{asked.times} + 1 && may_carry_out(draft, asked.order)) {
        make_note(f, "times_asked_for", std::to_string(asked.times));
    } else if (asked.times == 0 && is_wished_for(draft, asked.again)) {
        constexpr std::array<std::string_view, 10> kWishes{"",          "trials",    "watching", "absence",
                                                           "waiting",   "failures",  "survey",   "red_tests",
                                                           "known_red", "until_done"};
        make_note(f, "asked_for", kWishes[static_cast<std::size_t>(asked.again)]);
    } else if (only_measures(draft)) {
        make_note(f, "measures", "yes");
    } else if (draft.listed && is_answered(draft) && is_wished_for(draft, AskedAgain::survey)) {
        make_note(f, "goes_through", "list");
    } else if (f.severity == Severity::info) {
        return;
    } else if (works_in_parts(draft)) {
        make_note(f, "works_in", "parts");
    } else if (led_on(f)) {
        make_note(f, "led_on", "yes");
    } else if (const std::string_view wish = wish_in(request, draft); !wish.empty()) {
        make_note(f, "asked_for", wish);
    }
}

}  // namespace agent_audit::detectors
