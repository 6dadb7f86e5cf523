#include "readers/json/json_util.hpp"

namespace agent_audit {

// Detection looks at a handful of records per file, so each probe owns its parser; the copy of a nested value
// is needed because simdjson wants padding behind it.
ProbeRecord::ProbeRecord(std::string_view text) : json_(text) {
    namespace ondemand = simdjson::ondemand;
    ondemand::parser& parser = readers::record_parser(text.size());
    ondemand::document doc;
    ondemand::object object;
    if (parser.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING).get(doc)) return;
    const auto start = text.find_first_not_of(" \t\r\n");
    if (start == text.npos || text[start] != '{' || doc.get_object().get(object)) return;
    for (auto item : object) {
        ondemand::field field;
        if (std::move(item).get(field)) {
            // A record cut at the end of a sample still shows its first keys.
            break;
        }
        const std::string_view key = readers::key_text(field.key().raw());
        ondemand::value value = std::move(field).value();
        const std::string_view raw = readers::raw_value(value);
        if (raw.empty()) break;  // broken: as above
        fields_.emplace_back(key, raw);
        keys_ |= bit_of(key);
    }
    object_ = !fields_.empty();
}

std::optional<std::string_view> ProbeRecord::raw(std::string_view key) const {
    if ((keys_ & bit_of(key)) == 0) return std::nullopt;
    for (const auto& [name, value] : fields_) {
        if (name == key) return value;
    }
    return std::nullopt;
}

std::string_view ProbeRecord::text(std::string_view key) const {
    const auto value = raw(key);
    if (!value || value->size() < 2 || value->front() != '"') return {};
    return value->substr(1, value->size() - 2);
}

ProbeRecord ProbeRecord::child(std::string_view key) const {
    const auto value = raw(key);
    return ProbeRecord(value ? *value : std::string_view{});
}

}  // namespace agent_audit
