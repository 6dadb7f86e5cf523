#include "readers/traces/otel_span.hpp"

#include <agent_audit/support/unescape.hpp>

#include <string>

// MLflow writes its attributes as JSON in strings, whatever they are:
//
//   "mlflow.spanType":"\"CHAT_MODEL\"", "mlflow.spanInputs":"{\"messages\":[…]}", "mlflow.spanOutputs":"\"Two
//   metres.\"", "mlflow.chat.tokenUsage":"{\"input_tokens\":9,\"output_tokens\":2,\"total_tokens\":11}"

namespace agent_audit::readers {

OtelSpan::Value OtelSpan::unquoted(const Value& value) {
    constexpr std::string_view kQuote = "\\\"";
    if (value.form != TextForm::json_string || !value.text.starts_with(kQuote)) return value;
    std::string_view inner = texts_.emplace_back(decode_json_string(value.text));
    if (inner.size() < 2 || inner.back() != '"') return value;
    return {inner.substr(1, inner.size() - 2), TextForm::json_string};
}

// The same as an observation of Langfuse's, under other names.
void OtelSpan::mlflow(std::string_view key, const Value& value) {
    known_ |= key == "spanType" || key == "spanInputs";
    if (key == "spanType") {
        const std::string_view type = unquoted(value).text;
        langfuse_type_ = type == "CHAT_MODEL" || type == "LLM" ? "generation"
                         : type == "TOOL"                      ? "tool"
                         : type == "AGENT"                     ? "agent"
                                                               : "span";
    } else if (key == "spanInputs") {
        langfuse_input_ = unquoted(value);
    } else if (key == "spanOutputs") {
        langfuse_output_ = unquoted(value);
    } else if (key == "chat.tokenUsage") {
        langfuse_usage_ = value;
    } else if (key == "llm.model") {
        request_model_ = unquoted(value).text;
    }
}

}  // namespace agent_audit::readers
