#include "readers/traces/observation.hpp"

#include "readers/json/format_util.hpp"

#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <utility>

namespace agent_audit::readers {
namespace {

std::string decoded(const TracePart& part) {
    return part.form == TextForm::json_string ? std::string(decode_json_string(part.text)) : part.text;
}

// Messages, an object around them, or the words of one.
void heard(const TracePart& part, std::vector<TraceMessage>& out, TraceExtras* extras) {
    const std::string text = decoded(part);
    const char first = text.empty() ? '\0' : text.front();
    if (first == '{') {
        bool around = false;
        each_field_in(text, [&](const char* key, json::value& v) {
            constexpr std::array<std::string_view, 6> kMessages{"messages", "contents", "choices",
                                                                "message",  "input",    "output"};
            if (!is_one_of(key_text(key), kMessages) || is_string(v)) return true;
            around = true;
            return collect_trace_messages(v, out, extras);
        });
        if (around) return;
    }
    if (first == '{' || first == '[') collect_trace_json(text, out, extras);
    if (!out.empty() || part.text.empty()) return;
    TracePart& words = out.emplace_back().add(TracePart::Kind::text);
    words.text = part.text;
    words.form = part.form;
}

// Its handler for LangChain writes the name of a tool in place of the role of what it gave.
void name_results(std::vector<TraceMessage>& messages) {
    std::vector<const TracePart*> open;
    for (TraceMessage& message : messages) {
        for (const TracePart& part : message.parts) {
            if (part.kind == TracePart::Kind::call) open.push_back(&part);
        }
        if (message.speaker.empty() || message.parts.size() != 1) continue;
        const auto call = std::ranges::find(open, message.speaker, &TracePart::name);
        TracePart& part = message.parts.front();
        if (call == open.end() || part.kind != TracePart::Kind::text) continue;
        part.kind = TracePart::Kind::result;
        part.id = (*call)->id;
        part.name = (*call)->name;
        open.erase(call);
    }
}

}  // namespace

double number_in(json::value& v) {
    const std::string text(is_string(v) ? raw_string(v).substr(0, 40) : token(v).substr(0, 40));
    return std::strtod(text.c_str(), nullptr);
}

void tell_observed_request(const TracePart& input, const TracePart& output, const TokenCounts& counted,
                           TraceSpan& span) {
    heard(input, span.input, nullptr);
    name_results(span.input);
    TraceExtras extras;
    std::vector<TraceMessage> answers;
    heard(output, answers, &extras);
    span.output = joined_answer(answers);
    span.response_id = extras.response_id;
    span.tokens = counted.total() > 0 ? counted : extras.tokens;
}

void tell_observed_tool(TracePart input, TracePart output, TraceSpan& span) {
    span.has_args = !input.text.empty();
    span.args = std::move(input);
    span.has_result = !output.text.empty();
    span.result = std::move(output);
    take_tool_message(span.result);
    span.call_id = span.result.id;
    span.failed |= span.result.failed;
}

}  // namespace agent_audit::readers
