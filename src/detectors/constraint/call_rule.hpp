#pragma once

#include "detectors/commands/call_target.hpp"
#include "detectors/commands/constraints.hpp"
#include "detectors/commands/tool_class.hpp"
#include "detectors/engine/copyable.hpp"
#include "detectors/words/path_words.hpp"
#include "model/plain_name.hpp"

#include <agent_audit/detectors/detector.hpp>
#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/unescape.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_audit::detectors {

/// A call and what of it breaks a constraint: the entry of the list and the call's part.
struct Breach {
    std::string entry;    ///< of the forbidden list; empty = it is on no allowed list
    std::string subject;  ///< tool, path or command of the call
};

/// Watches calls for one of the lists of [constraints]. A call that a human refused, or that was cancelled, broke
/// nothing; one finding an entry, at the first call that broke it.
class CallRule : public Detector {
public:
    explicit CallRule(RunConstraints allowed) : allowed_(std::move(allowed)) {}

    void on_event(const Event& event, const TokenCounts&) override {
        if (const auto* call = std::get_if<ToolCall>(&event.body)) return on_call(event, *call);
        if (const auto* result = std::get_if<ToolResult>(&event.body); result && !waiting_.empty()) on_result(*result);
    }

    void finish(const LaneTrack*) override {
        for (Waiting& call : waiting_) keep(std::move(call));
        for (Case& one : cases_) report_case(one);
        for (; more_ > 0; --more_) report_more();
    }

protected:
    /// Nothing = the call is fine.
    virtual bool breaks(const CallTarget& call, Breach& breach) const = 0;
    virtual DetectorSpec spec() const = 0;
    virtual std::string_view key(bool forbidden) const = 0;

    RunConstraints allowed_;

private:
    static constexpr std::size_t kMostWaiting = 64;
    static constexpr std::size_t kMostCases = kMaxFindings;
    struct Waiting {
        IdHash id = 0;
        Place at;
        std::uint32_t lane = 0;
        std::string tool;
        Breach breach;
    };
    struct Case {
        Waiting first;
        std::uint64_t calls = 1;
        Place last;
        std::vector<Evidence> evidence;
    };

    void on_call(const Event& event, const ToolCall& call) {
        if (call.caller == Caller::user || (event.head.flags & (kCopied | kPartial)) != 0) return;
        const PlainName name(call.name);
        const ToolNameClass tool = call.script ? ToolNameClass{} : classify_tool(name.view());
        CallTarget target = target_of(name.text(), tool.runs_shell, classify_call(tool, call.primary, call.args),
                                      call.primary, call.args);
        Breach breach;
        if (!breaks(target, breach)) return;
        if (waiting_.size() >= kMostWaiting) {
            keep(std::move(waiting_.front()));
            waiting_.erase(waiting_.begin());
        }
        waiting_.push_back({call.call_id.empty() ? 0 : stable_hash(call.call_id.bytes) | 1,
                            {event.head.where.line, event.head.seq, event.head.where.offset, event.head.where.length},
                            event.head.lane,
                            std::string(cut_utf8(name.view(), 80)),
                            std::move(breach)});
    }

    void on_result(const ToolResult& result) {
        const IdHash id = result.call_id.empty() ? 0 : stable_hash(result.call_id.bytes) | 1;
        const auto call = std::ranges::find(waiting_, id, &Waiting::id);
        if (call == waiting_.end()) return;
        const bool ran = result.status != ResultStatus::denied && result.status != ResultStatus::cancelled;
        if (ran) keep(std::move(*call));
        waiting_.erase(call);
    }

    void keep(Waiting call) {
        const auto same = [&](const Case& one) {
            return one.first.lane == call.lane && one.first.breach.entry == call.breach.entry &&
                   (!call.breach.entry.empty() || one.first.breach.subject == call.breach.subject);
        };
        const auto known = std::ranges::find_if(cases_, same);
        const Evidence seen{call.at.line, call.at.seq, "call", std::string(cut_utf8(call.breach.subject, 120))};
        if (known != cases_.end()) {
            ++known->calls;
            known->last = call.at;
            if (known->evidence.size() < 4) known->evidence.push_back(seen);
        } else if (cases_.size() < kMostCases) {
            const Place at = call.at;
            cases_.push_back({std::move(call), 1, at, {seen}});
        } else {
            ++more_;
        }
    }

    void report_case(Case& one) {
        const DetectorSpec row = spec();
        const bool forbidden = !one.first.breach.entry.empty();
        DraftFinding draft;
        Finding& f = draft.finding;
        f.rule = row.id;
        f.code = row.code;
        f.severity = Severity::error;
        f.confidence = 1.0;
        f.lane = one.first.lane;
        f.first_line = one.first.at.line;
        f.last_line = std::max(one.last.line, f.first_line);
        f.first_seq = one.first.at.seq;
        f.last_seq = one.last.seq;
        f.first_offset = one.first.at.offset;
        f.end_offset = one.last.offset + one.last.length;
        f.first_call_id = one.first.id;
        f.repeats = one.calls;
        f.evidence = std::move(one.evidence);
        const std::string subject(cut_utf8(one.first.breach.subject, 80));
        f.message = forbidden
                        ? fmt::format("line {} uses {}, which {} rules out ({})", f.first_line, subject, key(true),
                                      one.first.breach.entry)
                        : fmt::format("line {} uses {}, which is not among {}", f.first_line, subject, key(false));
        if (one.calls > 1)
            f.message +=
                one.calls == 2 ? ", and 1 more call does" : fmt::format(", and {} more calls do", one.calls - 1);
        f.action = "undo it; take the permission away where the agent runs";
        f.pattern_key = stable_hash(one.first.breach.entry) | 1;
        f.because = {{"constraint", std::string(key(forbidden))},
                     {"entry", one.first.breach.entry},
                     {"calls", std::to_string(one.calls)}};
        report(std::move(draft));
    }

    // No room is left: it is only counted (Detector::beyond).
    void report_more() {
        DraftFinding draft;
        draft.finding.rule = spec().id;
        draft.finding.code = spec().code;
        draft.finding.severity = Severity::error;
        report(std::move(draft));
    }

    std::vector<Waiting> waiting_;
    std::vector<Case> cases_;
    std::uint64_t more_ = 0;  // calls that fit in none of them
};

/// The row of such a rule in the table of all rules. `Rule::wanted(constraints)`: one of its lists is set.
template <class Rule>
DetectorSpec call_rule(std::string_view id, std::string_view code, std::string_view summary, std::string_view doc) {
    return {id,
            code,
            summary,
            Severity::error,
            1.0,
            Stage::stable,
            Scope::session,
            0,
            signals(Signal::tool_calls),
            [] { return std::vector<ParamDoc>{}; },
            doc,
            [](const Settings& settings) -> Result<DetectorFactory> {
                auto allowed = constraints_of(settings);
                if (!allowed) return allowed.error();
                return DetectorFactory([a = *allowed]() -> std::unique_ptr<Detector> {
                    if (!Rule::wanted(a)) return nullptr;
                    return copyable<Rule>(a);
                });
            }};
}

}  // namespace agent_audit::detectors
