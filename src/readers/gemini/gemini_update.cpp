#include "readers/gemini/gemini_update.hpp"

#include "readers/gemini/gemini_line.hpp"
#include "readers/gemini/gemini_prompt.hpp"

#include <string>

namespace agent_audit::readers {

bool GeminiUpdate::look_through(json::object& object) {
    return each_field(object, [&](const char* key, json::value& v) {
        if (!key_is(key, "$set")) return true;
        return each_field(v, [&](const char* k, json::value& w) {
            if (!key_is(k, "messages")) return true;
            return each_element(w, [&](json::value& message) { return look_at(message); });
        });
    });
}

bool GeminiUpdate::look_at(json::value& message) {
    std::string_view id;
    bool setting = false;
    const bool good = each_field(message, [&](const char* key, json::value& v) {
        if (key_is(key, "id")) id = raw_string(v);
        if (begun_ || !key_is(key, "content")) return true;
        Content content;
        std::string joined;
        const bool whole = collect_gemini_content(v, content, joined);
        setting = content.text.bytes.starts_with(kGeminiSetting);
        return whole;
    });
    const IdHash hash = id_hash(id);
    const bool known = known_.has(hash) || (hash != 0 && hash == first_);
    if (known) last_ = id;
    if (!begun_ && !setting) {
        begun_ = true;
        replaces_ = !known;
    }
    return good;
}

}  // namespace agent_audit::readers
