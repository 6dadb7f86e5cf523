#include "readers/messages/qwen_deferred.hpp"
#include "readers/json/walk.hpp"

namespace agent_audit::readers {

std::optional<QwenDeferred> qwen_deferred(const CallArgs& args, ArgsDigester& digester, bool named) {
    const std::string_view raw = args.raw.bytes;
    if (args.raw.form != TextForm::json_value || !raw.starts_with('{') || args.digest.opaque) return std::nullopt;
    json::document doc;
    json::object object;
    if (nested_parser(raw.size()).iterate(raw.data(), raw.size(), raw.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
        doc.get_object().get(object))
        return std::nullopt;
    std::string_view name;
    std::size_t fields = 0;
    bool given = false;
    const bool whole = each_field(object, [&](const char* key, json::value& v) {
        ++fields;
        if (key_is(key, "name"))
            name = raw_string(v);
        else if (key_is(key, "arguments"))
            given = is_object(v);
        return true;
    });
    if (!whole || fields != 2 || name.empty() || !given || object.reset().error()) return std::nullopt;
    QwenDeferred meant{name, {}};
    const bool again = each_field(object, [&](const char* key, json::value& v) {
        if (key_is(key, "arguments")) meant.args = digester.digest_value(named ? name : std::string_view{}, v);
        return true;
    });
    if (!again || meant.args.digest.opaque) return std::nullopt;
    return meant;
}

}  // namespace agent_audit::readers
