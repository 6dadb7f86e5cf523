#include <agent_audit/simulator/js_value.hpp>
#include <agent_audit/simulator/session.hpp>

#include <agent_audit/tokens/lengths.hpp>

namespace agent_audit::simulator {
namespace {

// The texts of content blocks. Nothing when there is no text among them: then the JSON is all there is to say.
std::string joined_texts(std::string_view json) {
    const auto value = JsValue::parse(json);
    std::string out;
    if (!value) return out;
    if (const auto* text = value->string()) return *text;
    const auto add = [&out](const JsValue& block) {
        const std::string* text = block.string() ? block.string() : block["text"].string();
        if (!text) return;
        if (!out.empty()) out += '\n';
        out += *text;
    };
    if (!value->array()) {
        add(*value);
        return out;
    }
    for (const JsValue& block : *value->array()) add(block);
    return out;
}

}  // namespace

std::string words_of(RawText raw, WordsAs as) {
    if (as == WordsAs::content && raw.form == TextForm::json_value) {
        if (std::string texts = joined_texts(raw.bytes); !texts.empty()) return texts;
    }
    if (as == WordsAs::arguments) {
        const std::string decoded = raw.form == TextForm::json_string ? wtf8_of(raw) : std::string();
        const std::string_view json = raw.form == TextForm::json_string ? std::string_view(decoded) : raw.bytes;
        if (auto written = json_stringify(json)) return std::move(*written);
    }
    return wtf8_of(raw);
}

Text WordsInMemory::keep(RawText raw, WordsAs as, const TextTally&) { return Text(words_of(raw, as)); }

}  // namespace agent_audit::simulator
