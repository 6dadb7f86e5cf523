#include "readers/messages/text_call_args.hpp"

#include "readers/json/walk.hpp"

namespace agent_audit::readers {

ToolCall TextCallArgs::call_of(const TextCall& found, ArgsDigester& digester) {
    ToolCall call;
    call.name = plain(found.tool);
    call.primary = plain(found.args);
    if (found.json && read_json(found, digester, call)) return call;
    call.digest = digester.digest_text(found.tool, plain(found.args)).digest;
    return call;
}

bool TextCallArgs::open(json::value& whole) {
    const std::size_t size = padded_.size() - simdjson::SIMDJSON_PADDING;
    return !parser_.iterate(padded_.data(), size, padded_.size()).get(document_) && !document_.get_value().get(whole);
}

bool TextCallArgs::read_json(const TextCall& found, ArgsDigester& digester, ToolCall& call) {
    padded_.assign(found.args);
    padded_.resize(found.args.size() + simdjson::SIMDJSON_PADDING);
    json::value whole;
    if (!open(whole)) return false;
    CallArgs args;
    if (found.form != TextCall::Form::tagged) {
        args = digester.digest_value(found.tool, whole);
    } else if (!read_tagged(whole, digester, call, args)) {
        return false;
    }
    call.digest = args.digest;
    call.primary = args.primary.empty() ? args.raw : args.primary;
    return true;
}

// Tagged calls name the tool inside, before or behind its arguments.
bool TextCallArgs::read_tagged(json::value& whole, ArgsDigester& digester, ToolCall& call, CallArgs& args) {
    std::string_view name;
    const bool good = each_field(whole, [&name](const char* key, json::value& v) {
        if (key_is(key, "name")) name = raw_string(v);
        return true;
    });
    if (!good || name.empty() || !open(whole)) return false;
    call.name = text_of(name);
    args = ArgsDigester::digest_none(name);
    return each_field(whole, [&](const char* key, json::value& v) {
        if ((key_is(key, "arguments") || key_is(key, "parameters")) && is_object(v))
            args = digester.digest_value(name, v);
        return true;
    });
}

}  // namespace agent_audit::readers
