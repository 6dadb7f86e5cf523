#include "readers/input/value_framer.hpp"

#include "readers/json/json_bytes.hpp"

#include <algorithm>

namespace agent_audit::readers {

ValueFramer::Cut ValueFramer::cut(std::string_view rest, bool whole) {
    if (inside_ == Inside::nothing) {
        const std::size_t used = separators(rest);
        if (used > 0 || rest.empty()) return {used > 0 ? Step::skip : Step::need_more, used};
        begin(rest[0]);
    }
    const std::size_t end = advance(rest.substr(scanned_));
    if (end != kNoEnd) {
        const std::size_t used = scanned_ + end;
        const std::size_t length = inside_ == Inside::garbage ? used - 1 : used;
        inside_ = Inside::nothing;
        return {Step::record, used, length};
    }
    scanned_ = rest.size();
    if (!whole) return {Step::need_more};
    // Garbage at the end is not something that is still being written.
    const bool unterminated = inside_ != Inside::garbage;
    inside_ = Inside::nothing;
    return {Step::record, rest.size(), rest.size(), unterminated};
}

std::size_t ValueFramer::skip(std::string_view piece) {
    const std::size_t end = advance(piece);
    if (end != kNoEnd) inside_ = Inside::nothing;
    return end;
}

std::size_t ValueFramer::separators(std::string_view rest) {
    std::size_t i = 0;
    for (; i < rest.size(); ++i) {
        const char c = rest[i];
        if (is_blank(c) || (in_array_ && c == ',')) continue;
        if (elements_ && c == '[' && !in_array_) {
            in_array_ = true;
        } else if (in_array_ && c == ']') {
            in_array_ = false;
            if (nested_) return i + 1;  // what follows belongs to the document around it
        } else {
            break;
        }
    }
    return i;
}

void ValueFramer::begin(char first) {
    scanned_ = depth_ = 0;
    in_string_ = escaped_ = false;
    if (first == '{' || first == '[' || (in_array_ && first == '"')) {
        inside_ = Inside::value;
    } else {
        inside_ = in_array_ && begins_json_value(first) ? Inside::scalar : Inside::garbage;
    }
}

std::size_t ValueFramer::advance(std::string_view text) {
    switch (inside_) {
        case Inside::value: return advance_value(text);
        case Inside::scalar: {
            const auto end = std::ranges::find_if(text, [](char c) { return is_blank(c) || c == ',' || c == ']'; });
            return end == text.end() ? kNoEnd : static_cast<std::size_t>(end - text.begin());
        }
        default: {
            // Within a document of one line the next newline is its end.
            const std::size_t end = nested_ ? text.find_first_of(",\n") : text.find('\n');
            return end == text.npos ? kNoEnd : end + 1;
        }
    }
}

std::size_t ValueFramer::advance_value(std::string_view text) {
    std::size_t i = 0;
    while (i < text.size()) {
        if (escaped_) {
            escaped_ = false;
            ++i;
            continue;
        }
        i = in_string_ ? find_quote_or_backslash(text, i) : find_structural(text, i);
        if (i == text.size()) break;
        const char c = text[i++];
        if (c == '\\') {
            escaped_ = true;
        } else if (c == '"') {
            in_string_ = !in_string_;
        } else {
            depth_ += c == '{' || c == '[' ? 1u : static_cast<std::size_t>(-1);
        }
        if (depth_ == 0 && !in_string_ && !escaped_) return i;
    }
    return kNoEnd;
}

}  // namespace agent_audit::readers
