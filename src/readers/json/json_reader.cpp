#include "readers/json/json_reader.hpp"
#include "readers/json/json_repair.hpp"

#include <agent_audit/support/unescape.hpp>

namespace agent_audit::readers {
namespace {

bool only_blank(std::string_view text) {
    for (const char c : text) {
        if (static_cast<unsigned char>(c) > ' ') return false;
    }
    return true;
}

// Where the object that begins the text ends, or npos. simdjson looks at a whole line before it hands out the first
// document of it; this finds the document that another writer's torn line follows.
std::size_t object_end(std::string_view text) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == text.npos || text[start] != '{') return text.npos;
    std::size_t depth = 0;
    bool in_string = false;
    for (std::size_t i = start; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\') ++i;
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            return i + 1;
        }
    }
    return text.npos;
}

// A record of several documents gets one fate: what was understood counts more than what was ignored.
LineFate join(LineFate first, LineFate second) {
    if (second == LineFate::malformed_json) return first == LineFate::malformed_json ? first : LineFate::partial;
    if (first == LineFate::understood || second == LineFate::understood) return LineFate::understood;
    return first;
}

}  // namespace

LineFate JsonReader::read(const Record& record, EventSink& sink) {
    record_ = &record;
    sink_ = &sink;
    place_ = record.where;
    base_ = record.text.data();
    repairable_ = false;
    args_.clear();
    new_head();  // views of the record before this one are gone
    if (const auto fate = quick_fate(record)) return *fate;
    const std::uint64_t before = emitted();
    const std::string_view text = record.part == RecordPart::head ? keep_head(record.text) : record.text;
    LineFate fate = read_documents(text);
    // Read once more is told once more: only a record that gave nothing may be.
    const auto lost = [&] { return fate == LineFate::malformed_json && !told_since(before); };
    if (repairable_ && lost()) {
        repaired_ = repaired_copy(text);
        if (record.part == RecordPart::head) head_text_.swap(repaired_);
        std::string& repaired = record.part == RecordPart::head ? head_text_ : repaired_;
        base_ = repaired.data();
        args_.clear();
        new_head();
        fate = read_documents({repaired.data(), text.size()});
        if (fate == LineFate::understood) fate = LineFate::repaired;
    }
    if (record.part != RecordPart::head && lost()) {
        base_ = text.data();
        fate = read_first_document(text);
    }
    if (record.part == RecordPart::whole && lost()) fate = read_torn(text);
    // The last line may still be growing: its parse error is not the producer's.
    if (fate == LineFate::malformed_json && record.last_unterminated) return LineFate::cut_at_end;
    const bool told = fate == LineFate::malformed_json && record.part != RecordPart::head && !lost();
    return told ? LineFate::partial : fate;
}

// That a session begins is told with whatever record comes first, and says nothing of that record.
bool JsonReader::told_since(std::uint64_t before) const {
    return next_seq_ > before + 1 || (next_seq_ > before && !std::holds_alternative<SessionStart>(out_.body));
}

std::optional<LineFate> JsonReader::quick_fate(const Record& record) {
    if (!record.facts || record.facts->controls > 0) return std::nullopt;
    const auto [controls, begin, end] = *record.facts;
    if (end > begin && !simdjson::validate_utf8(record.text.data() + begin, end - begin)) return std::nullopt;
    quick::Walk walk(record.text, scans_);
    if (const auto fate = read_quickly(walk); fate && *fate != LineFate::malformed_json) return fate;
    args_.clear();
    new_head();
    return std::nullopt;
}

// What the elements of a document belong to is read before them and needed with each.
std::string_view JsonReader::keep_head(std::string_view text) {
    head_text_.assign(text);
    head_text_.resize(text.size() + kRecordPadding);
    base_ = head_text_.data();
    return {head_text_.data(), text.size()};
}

LineFate JsonReader::read_part(json::object part) {
    return record_->part == RecordPart::element ? read_object(part) : LineFate::ignored_kind;
}

LineFate JsonReader::read_part_array(json::array part) { return read_array(part); }

// The whole line made no sense; perhaps its first document does.
LineFate JsonReader::read_first_document(std::string_view text) {
    const std::size_t end = object_end(text);
    if (end == text.npos || end == text.size()) return LineFate::malformed_json;
    args_.clear();
    new_head();
    const LineFate first = read_documents(text.substr(0, end));
    return first == LineFate::malformed_json ? first : join(first, read_documents(text.substr(end)));
}

LineFate JsonReader::read_documents(std::string_view text) {
    LineFate fate = LineFate::blank;
    const bool whole = record_->part == RecordPart::whole;
    // Two writers without a newline between them are seen in real logs; a thousand are an attack on our time.
    for (int documents = 0; documents < 1000; ++documents) {
        json::document doc;
        document_ = &doc;
        const auto error = record_parser(text.size())
                               .iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING)
                               .get(doc);
        if (error) {
            repairable_ = error == simdjson::UTF8_ERROR || error == simdjson::UNESCAPED_CHARS;
            return documents == 0 ? LineFate::malformed_json : join(fate, LineFate::malformed_json);
        }
        json::object object;
        json::array array;
        LineFate one = LineFate::malformed_json;
        const auto start = text.find_first_not_of(" \t\r\n");
        if (start != text.npos && text[start] == '[') {
            one = doc.get_array().get(array) ? LineFate::malformed_json
                  : whole                    ? read_array(array)
                                             : read_part_array(array);
        } else if (!doc.get_object().get(object)) {
            one = whole ? read_object(object) : read_part(object);
        }
        fate = documents == 0 ? one : join(fate, one);
        if (one == LineFate::malformed_json) return fate;
        if (at_end(doc)) return fate;
        const char* rest = nullptr;
        if (doc.current_location().get(rest) || rest <= text.data() || rest >= text.data() + text.size()) return fate;
        text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
        if (only_blank(text)) return fate;
    }
    return join(fate, LineFate::malformed_json);
}

LineFate JsonReader::read_array(json::array array) {
    std::string_view raw;  // read to its end, so that what follows it is seen
    return array.raw_json().get(raw) ? LineFate::malformed_json : LineFate::unknown_kind;
}

// What a reader says of itself.
void JsonReader::heed(const Notice& notice, const EventHeader& head) {
    if (notice.layer != NoticeLayer::reader || notice.level == NoticeLevel::info) return;
    const bool escaped = notice.text.form == TextForm::json_string;
    omit(head.where.line, escaped ? decode_json_string(notice.text.bytes) : std::string(notice.text.bytes));
}

EventHeader& JsonReader::new_head(std::uint32_t lane, std::uint32_t turn) {
    head_ = EventHeader{};
    head_.where = place_;
    head_.lane = lane;
    head_.turn = turn;
    return head_;
}

std::int64_t JsonReader::time_of(std::string_view raw) {
    constexpr std::size_t kFull = 24;  // 2026-02-12T03:04:42.563Z
    if (raw.size() != kFull || raw[16] != ':' || raw[19] != '.' || raw[23] != 'Z') return time_ms(raw);
    std::int64_t ms = 0;
    for (const std::size_t at : {std::size_t{17}, std::size_t{18}, std::size_t{20}, std::size_t{21}, std::size_t{22}}) {
        const unsigned digit = static_cast<unsigned char>(raw[at]) - '0';
        if (digit > 9) return time_ms(raw);
        ms = ms * 10 + digit;
    }
    if (raw.substr(0, minute_.size()) != std::string_view(minute_.data(), minute_.size())) {
        const std::int64_t full = time_ms(raw);
        if (full == kNoTime) return full;
        std::memcpy(minute_.data(), raw.data(), minute_.size());
        minute_ms_ = full - ms;
    }
    return minute_ms_ + ms;
}

}  // namespace agent_audit::readers
