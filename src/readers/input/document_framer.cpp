#include "readers/input/document_framer.hpp"

#include <agent_audit/readers/reader.hpp>

#include <algorithm>

namespace agent_audit::readers {

DocumentFramer::Cut DocumentFramer::cut(std::string_view rest, bool whole) {
    if (!in_array_) return cut_frame(rest, whole);
    const ValueFramer::Cut cut = elements_.cut(rest, whole);
    switch (cut.step) {
        case ValueFramer::Step::skip: in_array_ = !elements_.closed(); return {Step::skip, cut.used};
        case ValueFramer::Step::record: return {Step::element, cut.used, cut.length, cut.unterminated};
        default: return whole ? finish(0, true) : Cut{Step::need_more};
    }
}

DocumentFramer::Cut DocumentFramer::cut_frame(std::string_view rest, bool whole) {
    std::size_t used = 0;
    const JsonExcerpt::Stop stop = frame_.walk(rest, used);
    if (stop == JsonExcerpt::Stop::end) return finish(used, false);
    if (stop == JsonExcerpt::Stop::array && std::ranges::find(arrays_, frame_.name()) != arrays_.end()) {
        frame_.leave_array();
        elements_ = ValueFramer::inside_array();
        in_array_ = true;
        if (has_head_) return {Step::skip, used};
        has_head_ = true;
        take_frame();
        return {Step::head, used};
    }
    if (used > 0) return {Step::skip, used};
    return whole ? finish(0, true) : Cut{Step::need_more};
}

DocumentFramer::Cut DocumentFramer::finish(std::size_t used, bool unterminated) {
    if (!has_head_) return {Step::no_array, used, 0, unterminated};
    take_frame();
    return {Step::tail, used, 0, unterminated};
}

void DocumentFramer::take_frame() {
    abridged_ = frame_.abridged();
    text_ = frame_.take(kRecordPadding);
    text_size_ = text_.size() - kRecordPadding;
}

}  // namespace agent_audit::readers
