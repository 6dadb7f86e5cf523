#include "readers/cline/cline_asked.hpp"

#include "readers/json/format_util.hpp"

// {"commands":["npm test",{"command":"git","args":["status"]}]}
// {"files":[{"path":"a.ts","start_line":1,"end_line":40}]}, {"file_paths":["a.ts"]}
// {"queries":["Basket"]}, {"requests":[{"url":"…","prompt":"…"}]}

namespace agent_audit::readers {
namespace {

bool lists_others(const char* key) {
    return key_is(key, "files") || key_is(key, "file_paths") || key_is(key, "queries") || key_is(key, "requests");
}

}  // namespace

RawText ClineAsked::of(std::string_view args) {
    script_.clear();
    other_ = {};
    others_ = 0;
    padded_ = args;
    padded_.append(kRecordPadding, ' ');
    json::document doc;
    json::object object;
    if (parser_.iterate(padded_.data(), args.size(), padded_.size()).get(doc) || doc.get_object().get(object))
        return {};
    const bool whole = each_field(object, [this](const char* key, json::value& v) {
        if (key_is(key, "commands")) return each_element(v, [this](json::value& w) { return add_command(w); });
        if (lists_others(key)) return each_element(v, [this](json::value& w) { return add_other(w); });
        return true;
    });
    if (!whole) return {};
    if (!script_.empty()) return text_of(script_);
    return others_ == 1 ? other_ : RawText{};
}

// Escapes are kept, so that joining keeps the form.
bool ClineAsked::add_command(json::value& v) {
    if (!script_.empty()) script_ += "\\n";
    if (is_string(v)) {
        script_ += raw_string(v);
        return true;
    }
    return each_field(v, [this](const char* key, json::value& w) {
        if (key_is(key, "command")) script_ += raw_string(w);
        if (!key_is(key, "args")) return true;
        return each_element(w, [this](json::value& word) {
            script_.append(" ").append(raw_string(word));
            return true;
        });
    });
}

bool ClineAsked::add_other(json::value& v) {
    ++others_;
    if (is_string(v)) {
        other_ = text_of(raw_string(v));
        return true;
    }
    return each_field(v, [this](const char* key, json::value& w) {
        if (key_is(key, "path") || key_is(key, "url")) other_ = text_of(raw_string(w));
        return true;
    });
}

}  // namespace agent_audit::readers
