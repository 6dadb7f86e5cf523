#include "readers/traces/otel_event.hpp"

#include "readers/traces/trace_messages.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <string>

namespace agent_audit::readers {
namespace {

using Kind = TraceSpan::Kind;

constexpr std::array<std::string_view, 4> kAgents{"claude_code.", "codex.", "gemini_cli.", "qwen-code."};

class Fields {
public:
    explicit Fields(std::span<const OtelField> all) : all_(all) {}

    /// The first of the names that is there.
    std::string_view text(std::initializer_list<std::string_view> names) const {
        for (const std::string_view name : names) {
            const auto found = std::ranges::find(all_, name, &OtelField::name);
            if (found != all_.end()) return found->text;
        }
        return {};
    }
    std::uint64_t number(std::initializer_list<std::string_view> names) const {
        const std::string_view digits = text(names);
        std::uint64_t n = 0;
        const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), n);
        return result.ec == std::errc{} ? n : 0;
    }
    double decimal(std::string_view name) const {
        return std::strtod(std::string(text({name}).substr(0, 40)).c_str(), nullptr);
    }

private:
    std::span<const OtelField> all_;
};

/// Where nobody allowed it, something else stands in the place of what was said: it still is a turn.
void prompt(const Fields& fields, TraceSpan& span) {
    const std::string_view words = fields.text({"prompt"});
    const bool told = !words.empty() && words != "<REDACTED>" && words != "[REDACTED]";
    TracePart& part = span.input.emplace_back().add(TracePart::Kind::text);
    part.id = span.id;  // the same words said again are another prompt
    part.untold = !told;
    if (told) part.text = words;
    span.begin_ns = span.end_ns;
}

void request(const Fields& fields, bool cache_apart, TraceSpan& span) {
    span.model = fields.text({"model"});
    span.response_id = fields.text({"request_id", "response.id"});
    const std::uint64_t input = fields.number({"input_tokens", "input_token_count"});
    const std::uint64_t read = fields.number({"cache_read_tokens", "cached_token_count", "cached_content_token_count"});
    const std::uint64_t write = fields.number({"cache_creation_tokens", "cache_write_token_count"});
    const std::uint64_t thoughts = fields.number({"thoughts_token_count"});  // beside the output, elsewhere within it
    const std::uint64_t output = fields.number({"output_tokens", "output_token_count"}) + thoughts;
    const bool inside = !cache_apart && read <= input && write <= input - read;
    span.tokens = {inside ? input - read - write : input, write, read, output,
                   std::min(thoughts + fields.number({"reasoning_token_count"}), output)};
    span.cost_microusd = microusd(fields.decimal("cost_usd"));
}

void failure(const Fields& fields, TraceSpan& span) {
    span.failed = true;
    span.model = fields.text({"model"});
    span.error_code = fields.text({"status_code", "http.response.status_code", "error.type", "error_type"});
    span.error = fields.text({"error", "error.message", "error_message"});
}

void tool(const Fields& fields, TraceSpan& span) {
    span.name = fields.text({"tool_name", "function_name"});
    span.call_id = fields.text({"tool_use_id", "call_id"});
    span.args.text = fields.text({"tool_input", "arguments", "function_args", "tool_parameters"});
    take_field(span.args, "full_command");
    span.has_args = !span.args.text.empty();
    span.result.text = fields.text({"output"});
    span.has_result = !span.result.text.empty();
    const std::string_view success = fields.text({"success"});
    span.failed = success == "false";
    span.open = success.empty();
    if (span.failed) span.error = fields.text({"error", "error.message", "error_message", "error_type"});
}

}  // namespace

bool is_agent_event(std::string_view name) {
    return std::ranges::any_of(kAgents, [name](std::string_view agent) { return name.starts_with(agent); });
}

bool read_agent_event(std::string_view name, std::span<const OtelField> all, std::int64_t time_ns, std::string_view id,
                      TraceSpan& span) {
    const Fields fields(all);
    const bool claude = name.starts_with(kAgents[0]);
    const std::string_view what = name.substr(name.find('.') + 1);
    span.trace = span.conversation = fields.text({"session.id", "conversation.id", "session_id"});
    span.id = id;
    span.version = fields.text({"app.version"});
    span.end_ns = time_ns;
    const auto took = static_cast<std::int64_t>(std::min<std::uint64_t>(fields.number({"duration_ms"}), 1u << 30));
    span.begin_ns = std::max<std::int64_t>(time_ns - took * 1'000'000, 0);
    span.kind = Kind::request;
    if (what == "user_prompt") {
        prompt(fields, span);
    } else if (what == "api_error" || (what == "api_request" && !fields.text({"error.message"}).empty())) {
        failure(fields, span);
    } else if ((claude && what == "api_request") || what == "api_response" ||
               fields.text({"event.kind"}) == "response.completed") {
        request(fields, claude, span);
    } else if (what == "tool_result" || what == "tool_call") {
        span.kind = Kind::tool;
        tool(fields, span);
        return !span.name.empty();
    } else {
        return false;
    }
    return true;
}

}  // namespace agent_audit::readers
