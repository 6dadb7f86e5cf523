#include "readers/input/json_excerpt.hpp"

#include "readers/json/json_bytes.hpp"

#include <algorithm>
#include <array>

namespace agent_audit::readers {
namespace {

std::size_t find_stop(std::string_view text, std::size_t from) {
    static constexpr auto kStops = [] {
        std::array<bool, 256> table{};
        for (const char c : {'{', '}', '[', ']', '"', ','}) table[static_cast<unsigned char>(c)] = true;
        return table;
    }();
    while (from < text.size() && !kStops[static_cast<unsigned char>(text[from])]) ++from;
    return from;
}

// The longest beginning of a string's inside that ends neither within an escape nor within a character.
std::size_t whole_characters(std::string_view inside) {
    constexpr std::size_t kPair = 12;  // \ud83d\ude00
    std::size_t end = inside.size();
    while (end > 0 && inside.substr(end > kPair ? end - kPair : 0, std::min(end, kPair)).find('\\') != inside.npos)
        --end;
    const auto byte = [&] { return static_cast<unsigned char>(inside[end - 1]); };
    for (int i = 0; i < 3 && end > 0 && (byte() & 0xC0u) == 0x80u; ++i) --end;
    if (end > 0 && byte() >= 0xC0u) --end;
    return end;
}

}  // namespace

JsonExcerpt::Stop JsonExcerpt::walk(std::string_view piece, std::size_t& used) {
    std::size_t i = 0;
    while (i < piece.size()) {
        if (in_string_) {
            const std::size_t from = i;
            if (escaped_) {
                escaped_ = false;
                ++i;
            }
            i = find_quote_or_backslash(piece, i);
            add_to_name(piece.substr(from, i - from));
            if (i < piece.size() && piece[i] == '\\') {
                escaped_ = true;
                ++i;
            }
            keep_of_string(piece.substr(from, i - from));
            if (i < piece.size() && !escaped_) {
                ++i;
                end_string();
            }
            continue;
        }
        const std::size_t stop = find_stop(piece, i);
        keep(piece.substr(i, stop - i));
        i = stop;
        if (i == piece.size()) break;
        const char c = piece[i++];
        if (c == '"') {
            keep("\"");
            in_string_ = true;
            string_start_ = out_.size();
            if (depth_ == 1) name_.clear();
            if (depth_ == 2) inner_name_.clear();
        } else if (c == ',') {
            if (depth_ == 1)
                end_field();
            else
                keep(",");
        } else if (c == '{' || c == '[') {
            const bool inner = in_inner_object();
            open(c);
            if (c == '[' && (depth_ == 2 || inner)) {
                array_ = inner ? name_ + "." + inner_name_ : name_;
                used = i;
                return Stop::array;
            }
        } else {
            close();
            if (depth_ == 0) {
                used = i;
                return Stop::end;
            }
        }
    }
    used = i;
    return Stop::none;
}

void JsonExcerpt::add_to_name(std::string_view bytes) {
    if (depth_ > 2 || (depth_ == 2 && !in_inner_object())) return;
    std::string& name = depth_ == 2 ? inner_name_ : name_;
    if (name.size() <= kLongestName) name += bytes.substr(0, kLongestName + 1 - name.size());
}

void JsonExcerpt::keep(std::string_view bytes) {
    if (!keeps() || depth_ > kDeepest) return;
    if (out_.size() - field_start_ + bytes.size() > limits_.field || out_.size() + bytes.size() > limits_.all) {
        return cut_field();
    }
    out_ += bytes;
}

void JsonExcerpt::keep_of_string(std::string_view bytes) {
    if (!keeps() || cut_string_) return;
    const std::size_t room = limits_.string - std::min(limits_.string, out_.size() - string_start_);
    if (bytes.size() <= room) return keep(bytes);
    keep(bytes.substr(0, room));
    if (!keeps() || depth_ > kDeepest) return;
    cut_string_ = abridged_ = true;
    out_.resize(string_start_ + whole_characters(std::string_view(out_).substr(string_start_)));
}

void JsonExcerpt::end_string() {
    in_string_ = cut_string_ = false;
    keep("\"");
}

void JsonExcerpt::open(char c) {
    ++depth_;
    if (depth_ > kDeepest) {
        if (depth_ == kDeepest + 1 && keeps()) cut_field();
        return;
    }
    openers_.push_back(c);
    keep({&c, 1});
    mark_safe();
}

void JsonExcerpt::close() {
    const bool remembered = depth_ <= kDeepest;
    if (remembered && !openers_.empty()) {
        // The brackets of a broken document may not match; those of the excerpt do.
        const char closer = openers_.back() == '{' ? '}' : ']';
        if (depth_ > 1) keep({&closer, 1});
        openers_.pop_back();
    }
    if (depth_ > 0) --depth_;
    if (remembered) mark_safe();
}

void JsonExcerpt::mark_safe() {
    if (!keeps()) return;
    safe_end_ = out_.size();
    safe_depth_ = depth_;
}

void JsonExcerpt::end_field() {
    if (!full_) {
        while (!out_.empty() && is_blank(out_.back())) out_.pop_back();
        if (!out_.empty() && out_.back() != '{' && out_.back() != ',') out_ += ',';
        full_ = out_.size() >= limits_.all;
    }
    cutting_ = false;
    field_start_ = safe_end_ = out_.size();
    safe_depth_ = 1;
}

void JsonExcerpt::cut_field() {
    abridged_ = true;
    close_field();
}

// Back to where brackets can be closed. A field of which nothing can be kept goes as a whole.
void JsonExcerpt::close_field() {
    cutting_ = true;
    out_.resize(safe_end_);
    for (std::size_t depth = safe_depth_; depth > 1; --depth) out_ += openers_[depth - 1] == '{' ? '}' : ']';
}

void JsonExcerpt::leave_array() {
    const bool inner = depth_ > 2;
    if (keeps()) {
        out_ += ']';
    } else if (!inner) {
        while (!out_.empty() && (is_blank(out_.back()) || out_.back() == ',')) out_.pop_back();
        if (out_.empty()) out_ = "{";
        if (out_.back() != '{') out_ += ',';
        out_ += '"';
        out_ += name_;
        out_ += "\":[]";
    }
    if (!openers_.empty()) openers_.pop_back();
    --depth_;
    if (!inner) cutting_ = false;
    mark_safe();
    if (inner && keeps()) close_field();
}

std::string JsonExcerpt::take(std::size_t padding) {
    if (depth_ > 0 && keeps()) cut_field();  // a field that is not over
    std::string text = std::move(out_);
    while (!text.empty() && (is_blank(text.back()) || text.back() == ',')) text.pop_back();
    if (text.empty()) text = "{";
    text += '}';
    text.resize(text.size() + padding);
    out_ = "{";
    full_ = abridged_ = false;
    cutting_ = depth_ > 1;  // the rest of an object whose array was handed out
    field_start_ = safe_end_ = out_.size();
    safe_depth_ = 1;
    return text;
}

}  // namespace agent_audit::readers
