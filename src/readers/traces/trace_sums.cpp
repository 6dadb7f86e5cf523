#include "readers/traces/trace_reader.hpp"

namespace agent_audit::readers {

// A span around the requests of a run is none itself, and knows what they leave out: the model, the messages as they
// were before the first of them, and, it or the agent's span around it, why one failed. An agent has one run; others
// that stand in it, such as those that find a title, are on their own.
void TraceReader::settle_sums(Trace& trace) {
    const std::size_t none = trace.spans.size();
    std::unordered_map<std::size_t, std::size_t> first_inside, first_run;
    const auto around = [&trace, none](const TraceSpan& s) {
        const auto found =
            s.parent.empty() || s.parent == s.id ? trace.by_id.end() : trace.by_id.find(stable_hash(s.parent));
        return found == trace.by_id.end() ? none : found->second;
    };
    const auto note_first = [&trace](auto& firsts, std::size_t outer, std::size_t inner) {
        const auto [first, is_first] = firsts.try_emplace(outer, inner);
        const auto begin = [&trace](std::size_t i) { return trace.spans[i].span.begin_ns; };
        if (!is_first && begin(inner) < begin(first->second)) first->second = inner;
    };
    for (std::size_t i = 0; i < none; ++i) {
        TraceSpan& s = trace.spans[i].span;
        const std::size_t outer = s.kind == TraceSpan::Kind::request ? around(s) : none;
        if (outer == none) continue;
        if (s.sums) {
            note_first(first_run, outer, i);
            continue;
        }
        const TraceSpan& whole = trace.spans[outer].span;
        if (!whole.sums) continue;
        note_first(first_inside, outer, i);
        if (s.model.empty()) s.model = whole.model;
        if (!s.failed || !s.error.empty()) continue;
        const std::size_t agent = around(whole);
        const TraceSpan& why = whole.error.empty() && agent != none ? trace.spans[agent].span : whole;
        s.error = why.error;
        if (s.error_code.empty()) s.error_code = why.error_code;
    }
    for (std::size_t i = 0; i < none; ++i) {
        TraceSpan& s = trace.spans[i].span;
        if (!s.sums) continue;
        const auto run = first_run.find(around(s));
        const bool aside = run != first_run.end() && run->second != i;
        const auto request = first_inside.find(i);
        const bool nothing = s.end_ns == 0 && s.output.parts.empty() && s.tokens.total() == 0;
        if (request == first_inside.end() && !(aside && nothing)) continue;
        s.kind = aside ? TraceSpan::Kind::agent : TraceSpan::Kind::other;
        if (request != first_inside.end() && !trace.spans[i].input.empty())
            trace.spans[request->second].input = trace.spans[i].input;
    }
}

// Functions that are traced without a kind are helpers, or the tools that a model called. Pages of an API come newest
// first, so which ones is known when all are there.
void TraceReader::settle_names(Trace& trace) {
    std::unordered_set<std::string_view> called;
    for (const Held& held : trace.spans) {
        for (const TracePart& part : held.span.output.parts) {
            if (part.kind == TracePart::Kind::call) called.insert(part.name);
        }
    }
    for (Held& held : trace.spans) {
        TraceSpan& s = held.span;
        if (s.by_name && s.kind == TraceSpan::Kind::other && called.contains(s.name)) s.kind = TraceSpan::Kind::tool;
    }
}

}  // namespace agent_audit::readers
