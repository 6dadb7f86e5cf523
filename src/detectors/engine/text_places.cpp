#include "detectors/engine/text_places.hpp"

#include "detectors/engine/lane_track.hpp"

#include <agent_audit/support/unescape.hpp>

#include <algorithm>

namespace agent_audit::detectors {

std::string plain_words(RawText text, std::size_t max) {
    constexpr std::size_t kEscapes = 6;  // bytes that one character takes when it is escaped
    const std::string_view raw = cut_utf8(text.bytes, max * kEscapes);
    const std::string decoded = text.form == TextForm::plain ? std::string(raw) : decode_json_string(raw);
    std::string out;
    bool blank = false;
    for (const char c : decoded) {
        const bool gap = c == '\n' || c == '\r' || c == '\t' || c == ' ';
        if (!gap && blank && !out.empty()) out += ' ';
        blank = gap;
        if (!gap) out += c;
    }
    if (out.size() > max) return std::string(cut_utf8(out, max)) + "…";
    return out;
}

void TextPlace::take(const AgentText& text, const LaneTrack& lane) {
    at = end = text.at;
    good_steps = lane.good_steps();
    spent = text.spent;
    compactions = text.compactions;
    notices = text.notices;
    time_ms = text.time_ms;
    form = text.text.form;
    head.assign(cut_utf8(text.text.bytes, kKept));
}

std::string TextPlace::words() const { return plain_words(text()); }

bool within(const TextPlace& first, const TextPlace& last, int within_s) {
    if (within_s <= 0 || first.time_ms == kNoTime || last.time_ms == kNoTime) return true;
    return last.time_ms - first.time_ms <= std::int64_t{within_s} * 1000;
}

DraftFinding draft_of_texts(const DetectorSpec& spec, const TextPlace& first, const TextPlace& last, bool waste) {
    DraftFinding draft;
    Finding& f = draft.finding;
    f.rule = spec.id;
    f.code = spec.code;
    f.confidence = spec.confidence;
    f.first_line = first.at.line;
    f.last_line = std::max(first.at.line, last.end.line);
    f.first_seq = first.at.seq;
    f.last_seq = last.end.seq;
    f.first_offset = first.at.offset;
    f.end_offset = std::max(first.at.offset + first.at.length, last.end.offset + last.end.length);
    f.persisted_across_compaction = last.compactions > first.compactions;
    f.persisted_after_notice = last.notices > first.notices;
    if (waste) {
        f.reset_line = first.at.line;
        if (last.spent.total() > first.spent.total()) f.wasted_tokens = minus(last.spent, first.spent);
    } else if (first.at.line > 1) {
        f.reset_line = first.at.line - 1;
    }
    f.evidence.push_back({first.at.line, first.at.seq, "first", first.words()});
    if (last.at.seq != first.at.seq) f.evidence.push_back({last.at.line, last.at.seq, "last", last.words()});
    draft.good_steps_at_end = last.good_steps;
    return draft;
}

}  // namespace agent_audit::detectors
