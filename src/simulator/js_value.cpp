#include <agent_audit/simulator/js_value.hpp>

#include <agent_audit/tokens/lengths.hpp>

#include "support/json_number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <unordered_map>

namespace agent_audit::simulator {
namespace {

using Array = JsValue::Array;
using Object = JsValue::Object;

constexpr std::uint64_t kNoIndex = std::numeric_limits<std::uint64_t>::max();

// A key JavaScript treats as an array index: such keys come first, in numeric order.
std::uint64_t index_of(std::string_view key) {
    if (key.empty() || key.size() > 10 || (key[0] == '0' && key.size() > 1)) return kNoIndex;
    std::uint64_t value = 0;
    for (const char c : key) {
        if (c < '0' || c > '9') return kNoIndex;
        value = value * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return value < 0xFFFFFFFF ? value : kNoIndex;
}

// A key that repeats keeps its first place and its last value.
void drop_repeats(Object& members) {
    if (members.size() < 2) return;
    std::unordered_map<std::string_view, std::size_t> place;
    place.reserve(members.size());
    bool repeats = false;
    for (std::size_t i = 0; i < members.size() && !repeats; ++i) repeats = !place.emplace(members[i].key, i).second;
    if (!repeats) return;
    place.clear();
    Object unique;
    unique.reserve(members.size());
    for (auto& member : members) {
        const auto [at, fresh] = place.emplace(member.key, unique.size());
        if (fresh) {
            unique.push_back({member.key, std::move(member.value)});
        } else {
            unique[at->second].value = std::move(member.value);
        }
    }
    members = std::move(unique);
}

void settle(Object& members) {
    drop_repeats(members);
    const auto is_index = [](const JsValue::Member& member) { return index_of(member.key) != kNoIndex; };
    if (std::none_of(members.begin(), members.end(), is_index)) return;
    std::stable_sort(members.begin(), members.end(),
                     [](const auto& a, const auto& b) { return index_of(a.key) < index_of(b.key); });
}

class Parser {
public:
    explicit Parser(std::string_view text) : p_(text.data()), end_(text.data() + text.size()) {}

    bool whole(JsValue& out) {
        const bool read = value(out, 0);
        blanks();
        return read && p_ == end_;
    }

private:
    void blanks() {
        while (p_ < end_ && (*p_ == ' ' || *p_ == '\n' || *p_ == '\r' || *p_ == '\t')) ++p_;
    }
    bool take(char c) {
        if (p_ == end_ || *p_ != c) return false;
        ++p_;
        return true;
    }
    bool word(std::string_view text, JsValue meaning, JsValue& out) {
        if (!std::string_view(p_, static_cast<std::size_t>(end_ - p_)).starts_with(text)) return false;
        p_ += text.size();
        out = std::move(meaning);
        return true;
    }

    bool value(JsValue& out, std::size_t depth) {
        blanks();
        if (p_ == end_ || depth > kMaxJsonDepth) return false;
        switch (*p_) {
            case '{': return object(out, depth);
            case '[': return array(out, depth);
            case '"': {
                std::string text;
                if (!string(text)) return false;
                out = std::move(text);
                return true;
            }
            case 't': return word("true", true, out);
            case 'f': return word("false", false, out);
            case 'n': return word("null", nullptr, out);
            default: return number(out);
        }
    }

    bool string(std::string& out) {
        if (!take('"')) return false;
        const char* const from = p_;
        while (p_ < end_ && *p_ != '"') p_ += *p_ == '\\' && end_ - p_ > 1 ? 2 : 1;
        if (p_ >= end_) return false;
        out = wtf8_of({{from, static_cast<std::size_t>(p_ - from)}, TextForm::json_string});
        ++p_;
        return true;
    }

    bool number(JsValue& out) {
        const char* const from = p_;
        const char* const after = json_number_end(from, end_);
        if (after == nullptr) return false;
        p_ = after;
        double read = 0;
        const auto [end, error] = std::from_chars(from, p_, read);
        // Too large or too small: strtod says infinity or the denormal JavaScript would take.
        if (error == std::errc::result_out_of_range) read = std::strtod(std::string(from, p_).c_str(), nullptr);
        out = read;
        return true;
    }

    bool array(JsValue& out, std::size_t depth) {
        ++p_;
        Array items;
        blanks();
        if (!take(']')) {
            do {
                if (!value(items.emplace_back(), depth + 1)) return false;
                blanks();
            } while (take(','));
            if (!take(']')) return false;
        }
        out = std::move(items);
        return true;
    }

    bool object(JsValue& out, std::size_t depth) {
        ++p_;
        Object members;
        blanks();
        if (!take('}')) {
            do {
                JsValue::Member member;
                blanks();
                if (!string(member.key)) return false;
                blanks();
                if (!take(':') || !value(member.value, depth + 1)) return false;
                members.push_back(std::move(member));
                blanks();
            } while (take(','));
            if (!take('}')) return false;
        }
        settle(members);
        out = std::move(members);
        return true;
    }

    const char* p_;
    const char* end_;
};

class Writer {
public:
    Writer(std::string& out, int indent) : out_(out), indent_(indent) {}

    void value(const JsValue& v, int level) {
        if (const auto* text = v.string()) return append_json_string(out_, *text);
        if (const auto* number = v.number()) {
            out_ += std::isfinite(*number) ? js_number(*number) : "null";
        } else if (const auto* truth = v.boolean()) {
            out_ += *truth ? "true" : "false";
        } else if (const auto* items = v.array()) {
            array(*items, level);
        } else if (const auto* members = v.members()) {
            object(*members, level);
        } else {
            out_ += "null";
        }
    }

private:
    void array(const Array& items, int level) {
        if (items.empty()) {
            out_ += "[]";
            return;
        }
        out_ += '[';
        bool first = true;
        for (const JsValue& item : items) {
            next(first, level + 1);
            value(item, level + 1);
        }
        close(first, ']', level);
    }

    void object(const Object& members, int level) {
        out_ += '{';
        bool first = true;
        for (const auto& member : members) {
            if (member.value.is_undefined()) continue;
            next(first, level + 1);
            append_json_string(out_, member.key);
            out_ += indent_ > 0 ? ": " : ":";
            value(member.value, level + 1);
        }
        close(first, '}', level);
    }

    void next(bool& first, int level) {
        if (!first) out_ += ',';
        first = false;
        line(level);
    }
    void close(bool empty, char bracket, int level) {
        if (!empty) line(level);
        out_ += bracket;
    }
    void line(int level) {
        if (indent_ == 0) return;
        out_ += '\n';
        out_.append(static_cast<std::size_t>(level * indent_), ' ');
    }

    std::string& out_;
    int indent_;
};

}  // namespace

JsValue::JsValue() = default;
JsValue::JsValue(const JsValue&) = default;
JsValue::JsValue(JsValue&&) noexcept = default;
JsValue& JsValue::operator=(const JsValue&) = default;
JsValue& JsValue::operator=(JsValue&&) noexcept = default;
JsValue::~JsValue() = default;
JsValue::JsValue(std::nullptr_t) : value_(nullptr) {}
JsValue::JsValue(bool value) : value_(value) {}
JsValue::JsValue(double value) : value_(value) {}
JsValue::JsValue(std::string value) : value_(std::move(value)) {}
JsValue::JsValue(Array value) : value_(std::move(value)) {}
JsValue::JsValue(Object value) : value_(std::move(value)) {}

JsValue JsValue::object(std::initializer_list<std::pair<std::string_view, JsValue>> members) {
    JsValue out{Object{}};
    for (const auto& [key, value] : members) out.set(key, value);
    return out;
}

std::optional<JsValue> JsValue::parse(std::string_view text) {
    JsValue out;
    if (!Parser(text).whole(out)) return std::nullopt;
    return out;
}

bool JsValue::truthy() const {
    if (const auto* truth = boolean()) return *truth;
    if (const auto* value = number()) return *value != 0 && !std::isnan(*value);
    if (const auto* text = string()) return !text->empty();
    return !is_nullish();
}

const JsValue* JsValue::find(std::string_view key) const {
    const auto* all = members();
    if (!all) return nullptr;
    for (const Member& member : *all) {
        if (member.key == key) return &member.value;
    }
    return nullptr;
}

const JsValue& JsValue::operator[](std::string_view key) const {
    static const JsValue undefined;
    const JsValue* found = find(key);
    return found ? *found : undefined;
}

void JsValue::set(std::string_view key, JsValue value) {
    auto* all = std::get_if<Object>(&value_);
    if (!all) return;
    const auto found = std::find_if(all->begin(), all->end(), [&](const Member& member) { return member.key == key; });
    if (found != all->end()) {
        found->value = std::move(value);
        return;
    }
    const std::uint64_t index = index_of(key);
    const auto place =
        index == kNoIndex ? all->end() : std::find_if(all->begin(), all->end(), [&](const Member& member) {
            return index_of(member.key) > index;
        });
    all->insert(place, {std::string(key), std::move(value)});
}

void JsValue::erase(std::string_view key) {
    if (auto* all = std::get_if<Object>(&value_)) {
        std::erase_if(*all, [&](const Member& member) { return member.key == key; });
    }
}

std::string JsValue::stringify(int indent) const {
    std::string out;
    Writer(out, indent).value(*this, 0);
    return out;
}

bool JsValue::same_as(const JsValue& other) const { return stringify() == other.stringify(); }

}  // namespace agent_audit::simulator
