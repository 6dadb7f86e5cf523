#include "readers/messages/tool_output.hpp"

#include "readers/json/format_util.hpp"
#include "readers/json/walk.hpp"

namespace agent_audit::readers {
namespace {

struct Fields {
    std::size_t count = 0;  // that say something
    RawText words;          // of the one among them
    bool has_words = false;
};

bool read_output(json::value& v, ToolOutput& out, int depth);

bool is_beside_the_words(const char* key) {
    return key_is(key, "_meta") || key_is(key, "meta") || key_is(key, "structuredContent");
}

// Under such a name stands what was returned, once more with names of its own where another layer wrapped it.
bool read_wrapped(json::value& v, ToolOutput& out, Fields& fields, int depth) {
    fields.has_words = true;
    if (is_object(v) && depth == 0) {
        const bool whole = read_output(v, out, depth + 1);
        fields.words = out.text;
        return whole;
    }
    fields.words = any_text(v);
    return true;
}

bool read_field(const char* key, json::value& v, ToolOutput& out, Fields& fields, int depth) {
    if (is_null(v) || is_beside_the_words(key)) return true;
    if (key_is(key, "isError")) {
        out.status = is_true(v) ? ResultStatus::error : ResultStatus::ok;
        return true;
    }
    ++fields.count;
    if (key_is(key, "error")) {
        if (is_object(v) || !raw_string(v).empty()) out.status = ResultStatus::error;
        fields.words = any_text(v);
        fields.has_words = true;
    } else if (key_is(key, "status")) {
        if (raw_string(v) == "error") out.status = ResultStatus::error;
    } else if (key_is(key, "success")) {
        if (v.raw_json_token()[0] == 'f') out.status = ResultStatus::error;
    } else if (key_is(key, "exit_code") || key_is(key, "exitCode") || key_is(key, "returncode")) {
        out.exit_code = small_int(v);
    } else if (key_is(key, "content") && is_array(v)) {
        const Content content = read_content(v);
        fields.words = content.text;
        fields.has_words = true;
        out.media = content.media;
    } else if (key_is(key, "result") || key_is(key, "output")) {
        return read_wrapped(v, out, fields, depth);
    }
    return true;
}

bool read_output(json::value& v, ToolOutput& out, int depth) {
    if (!is_object(v)) {
        out.text = any_text(v);
        return true;
    }
    Fields fields;
    json::object object;
    std::string_view raw;
    // All of it first: once a field turned out broken nothing may be read again.
    if (v.get_object().get(object) || object.raw_json().get(raw) || object.reset().error()) return false;
    if (!each_field(object, [&](const char* key, json::value& w) { return read_field(key, w, out, fields, depth); }))
        return false;
    out.text = fields.words;
    if (fields.count == 0 || (fields.count == 1 && fields.has_words)) return true;
    out.text = {raw, TextForm::json_value};
    return true;
}

}  // namespace

bool read_tool_output(json::value& v, ToolOutput& out) { return read_output(v, out, 0); }

}  // namespace agent_audit::readers
