#include "policy/supervisor.hpp"

#include "policy/back_off.hpp"
#include "policy/supervisor_words.hpp"

#include <fmt/format.h>

#include <algorithm>

// What the supervisor does about a pattern that a rule found, or about what another agent's detector says: the steps of
// the policy's ladder, and why the others were not taken.

namespace agent_audit::policy {
namespace {

constexpr std::uint32_t kInsists = 5;  // responses in a row with nothing but refused calls that count as one

// Places of a finding that a decision repeats.
constexpr std::size_t kEvidence = 4;

std::string sentence(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

}  // namespace

const Finding* Supervisor::worst(std::span<const Finding> open, const LaneState& l, Severity& severity) const {
    const Finding* found = nullptr;
    const std::string tool_name = tool_of(l.last);
    const ToolRules* own = rules_of(tool_name);
    for (const Finding& f : open) {
        const bool of_steps = f.last_step > 0;
        if (of_steps && own && !own->patterns) continue;
        if (f.recovered) continue;
        if (f.severity < Severity::warning) continue;
        if (!found || f.severity > severity) {
            found = &f;
            severity = f.severity;
        }
    }
    return found;
}

std::string Supervisor::why_not(Action action, const LaneState& l, const Finding& finding) const {
    switch (action) {
        case Action::back_off:
            return l.last.error == ErrorClass::transient ? "" : "nothing failed that goes away by itself";
        case Action::substitute_tool: {
            const ToolRules* own = rules_of(tool_of(l.last));
            return own && !own->substitute.empty()
                       ? ""
                       : fmt::format("the policy names no other tool for {}", tool_of(l.last));
        }
        case Action::open_breaker: return l.last.failed ? "" : "the tool does not fail";
        case Action::rollback:
            if (finding.reset_line) return "";
            return l.verified_line > 0 && l.verified_line < finding.first_line ? ""
                                                                               : "there is no record to go back to";
        default: return "";
    }
}

void Supervisor::fill_pattern(Decision& d, const LaneState& l, const Finding& finding, Severity severity) const {
    d.severity = severity;
    d.confidence = finding.confidence;
    d.rule = finding.rule;
    d.first_line = std::min(finding.first_line, finding.last_line);
    d.tool = finding.last_step > 0 ? tool_of(l.last) : std::string();
    d.reason = finding.message;
    d.advice = sentence(finding.action);
    // The first places and the last two: the call and its result.
    const std::size_t all = finding.evidence.size();
    for (std::size_t i = 0; i < all; ++i) {
        if (i + 2 >= all || i < kEvidence - 2) d.evidence.push_back(finding.evidence[i]);
    }
    const bool back = d.action == Action::rollback || d.action == Action::reset_context;
    if (back) {
        d.back_to_line = finding.reset_line                                      ? finding.reset_line
                         : l.verified_line > 0 && l.verified_line < d.first_line ? std::optional(l.verified_line)
                         : d.first_line > 1                                      ? std::optional(d.first_line - 1)
                                                                                 : std::nullopt;
    }
    std::string& say = d.message;
    say = tag(finding.rule);
    switch (d.action) {
        case Action::substitute_tool: {
            const ToolRules* own = rules_of(d.tool);
            d.substitute = own ? own->substitute : "";
            say += fmt::format("{}. Use {} instead of {}.", finding.message, d.substitute, d.tool);
            break;
        }
        case Action::back_off:
            d.delay_ms =
                std::max(delay_after(policy_.back_off, static_cast<int>(std::min<std::uint64_t>(finding.repeats, 64)),
                                     l.last.tool),
                         asked_ms(l, l.last.call));
            say += fmt::format("{}. Wait {:.0f} s before you try it again.", finding.message,
                               static_cast<double>(d.delay_ms) / 1000);
            break;
        case Action::open_breaker:
            d.delay_ms = policy_.breaker.open_ms;
            say += fmt::format("{}. {} is refused for {:.0f} s.", finding.message, d.tool,
                               static_cast<double>(d.delay_ms) / 1000);
            break;
        case Action::explore:
            say += fmt::format("{}. This way leads nowhere: list two ways you did not try, and take the better one.",
                               finding.message);
            break;
        case Action::rollback:
            say += fmt::format("{}. The conversation goes back to line {}; do not take the same way again.",
                               finding.message, *d.back_to_line);
            break;
        case Action::reset_context:
            say += fmt::format("{}. A fresh conversation begins with what is known{}.", finding.message,
                               d.back_to_line ? fmt::format(" up to line {}", *d.back_to_line) : "");
            break;
        case Action::ask_human: say += fmt::format("{}. A person has to say how to go on.", finding.message); break;
        case Action::stop: say += fmt::format("{}. The run is ended.", finding.message); break;
        default: say += fmt::format("{}. {}.", finding.message, sentence(finding.action));
    }
}

bool Supervisor::judge_pattern(LaneState& l, std::span<const Finding> open, const LaneTrack& track) {
    Severity severity = Severity::info;
    const Finding* finding = policy_.react_to_rules ? worst(open, l, severity) : nullptr;
    if (!finding) {
        const std::uint64_t good = track.good_steps() - std::min(track.good_steps(), l.good);
        l.ladder.calms(good, policy_.calm);
        return false;
    }
    // A pattern that rests is neither progress nor a reason to do more.
    const bool of_steps = finding->last_step > 0;
    if (of_steps && finding->last_step + l.steps_in_response < l.step + 1) return false;
    // Nor is one that a breaker keeps from going on: that was said when it opened. But who asks on and on is stuck.
    const bool only_refused = of_steps && l.refused_in_response > 0 && l.refused_in_response == l.steps_in_response;
    l.refused_responses = only_refused ? l.refused_responses + 1 : 0;
    if (only_refused && l.refused_responses % kInsists != 0) return false;
    l.ladder.persists(l.response);
    std::vector<Alternative> passed;
    std::size_t from = l.ladder.level();
    for (const Climbed& below : l.ladder.climbed()) {
        passed.push_back({below.action, fmt::format("tried at line {}, and the pattern went on", below.line)});
    }
    for (;; ++from) {
        const auto next = l.ladder.next(policy_, severity, finding->confidence, l.response, from);
        if (!next) return false;
        const Action action = policy_.ladder[*next];
        std::string reason = why_not(action, l, *finding);
        if (reason.empty()) break;
        passed.push_back({action, std::move(reason)});
    }
    const Action action = policy_.ladder[from];
    Decision d = draft(l, action, Trigger::pattern);
    d.rung = from + 1;
    fill_pattern(d, l, *finding, severity);
    for (std::size_t i = from + 1; i < policy_.ladder.size(); ++i) {
        const Rung& rung = policy_.rung(policy_.ladder[i]);
        const bool worse = severity < rung.on;
        const bool surer = finding->confidence < rung.confidence;
        passed.push_back({policy_.ladder[i],
                          worse ? fmt::format("held back: it is for patterns of severity {}", name(rung.on))
                          : surer
                              ? fmt::format("held back: it is for findings of confidence {} and more", rung.confidence)
                              : fmt::format("held back until the pattern goes on for {} more response{}", rung.persist,
                                            rung.persist == 1 ? "" : "s")});
    }
    d.alternatives = std::move(passed);
    if (action == Action::reflect) {
        d.reflection = policy_.reflection.on_pattern;
        d.message =
            reflection_prompt(l, track, d.reflection, finding->message + ". " + sentence(finding->action) + ".");
    }
    l.ladder.climb(from, action, d.line, l.response);
    decide(l, std::move(d));
    return true;
}

void Supervisor::on_peer(const PeerReaction& reaction, std::string_view profile, bool stopped) {
    if (policy_.ladder.empty()) return;
    LaneState& l = lane(reaction.lane);
    if (out_of_lane(l)) return;
    const std::size_t rung = stopped ? policy_.ladder.size() - 1 : 0;
    Decision d = draft(l, policy_.ladder[rung], Trigger::peer);
    d.rung = rung + 1;
    d.line = reaction.line;
    d.seq = reaction.seq;
    d.step = reaction.step;
    d.severity = stopped ? Severity::error : Severity::warning;
    d.rule = profile;
    d.reason = fmt::format("{}: {}", profile, reaction.rule);
    d.tool = tool_of(l.last);
    d.message =
        tag(profile) + fmt::format("{}.{}", reaction.rule, stopped ? " The run is ended." : " Change the approach.");
    for (std::size_t i = 0; i < policy_.ladder.size(); ++i) {
        if (i == rung) continue;
        d.alternatives.push_back({policy_.ladder[i], stopped ? fmt::format("{} stops the run here", profile)
                                                             : fmt::format("{} only warns here", profile)});
    }
    l.ladder.climb(rung, d.action, d.line, l.response);
    decide(l, std::move(d));
}

}  // namespace agent_audit::policy
