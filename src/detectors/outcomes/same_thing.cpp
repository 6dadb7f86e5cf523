#include "detectors/outcomes/same_thing.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace agent_audit::detectors {
namespace {

// The text values of flat JSON, raw or once more in quotes ({\"id\":\"u7\"}), or the one text without quotes. What has
// more of them is too long to be only trimmings of one question.
class TextValues {
public:
    explicit TextValues(std::string_view arguments) {
        if (arguments.find_first_of("\"{") == arguments.npos && arguments.size() >= kShortest) add(arguments);
        for (std::size_t at = arguments.find('"'); at != arguments.npos; at = arguments.find('"', at)) {
            const std::size_t begin = at + 1, end = arguments.find('"', begin);
            if (end == arguments.npos) return;
            const std::string_view text = arguments.substr(begin, end - begin - (arguments[end - 1] == '\\' ? 1 : 0));
            const std::size_t next = arguments.find_first_not_of(' ', end + 1);
            if ((next == arguments.npos || arguments[next] != ':') && text.size() >= kShortest && !add(text)) return;
            at = end + 1;
        }
    }

    std::span<const std::string_view> all() const { return {values_.data(), overflowed_ ? 0 : count_}; }

private:
    static constexpr std::size_t kShortest = 2;  // bytes

    bool add(std::string_view text) {
        overflowed_ = count_ == values_.size();
        if (!overflowed_) values_[count_++] = text;
        return !overflowed_;
    }

    std::array<std::string_view, 8> values_{};
    std::size_t count_ = 0;
    bool overflowed_ = false;
};

// "depth": 2 and "depth": 3 ask for more or less of one thing; "room": 101 and "room": 102 are two.
bool is_trimming(std::string_view key) {
    constexpr std::string_view kTrimmings[] = {"limit", "depth",  "max",     "page", "count", "size",
                                               "top",   "offset", "timeout", "per_", "first", "last"};
    return std::ranges::any_of(kTrimmings, [key](std::string_view word) { return key.find(word) != key.npos; });
}

// The number behind `"key":`, empty where there is none.
std::string_view number_of(std::string_view arguments, std::string_view key) {
    for (std::size_t at = arguments.find(key); at != arguments.npos; at = arguments.find(key, at + 1)) {
        const std::size_t value = arguments.find_first_not_of("\\\": ", at + key.size());
        if (at == 0 || arguments[at - 1] != '"' || value == arguments.npos) continue;
        return arguments.substr(value, arguments.find_first_not_of("-.0123456789", value) - value);
    }
    return {};
}

// Does a key that is no trimming have another number in the other one?
bool differ_in_number(std::string_view one, std::string_view other) {
    for (std::size_t at = one.find('"'); at != one.npos; at = one.find('"', at + 1)) {
        const std::string_view key = one.substr(at + 1, one.find_first_of("\"\\", at + 1) - at - 1);
        if (key.empty() || is_trimming(key)) continue;
        const std::string_view here = number_of(one, key), there = number_of(other, key);
        if (!here.empty() && !there.empty() && here != there) return true;
    }
    return false;
}

}  // namespace

bool ask_of_same_thing(std::string_view one, std::string_view other) {
    if (differ_in_number(one, other)) return false;
    const TextValues a(one), b(other);
    const auto few = a.all().size() <= b.all().size() ? a.all() : b.all();
    const auto many = a.all().size() <= b.all().size() ? b.all() : a.all();
    return !few.empty() && std::ranges::all_of(few, [&](std::string_view value) {
        return std::ranges::any_of(many, [&](std::string_view held) {
            return held.find(value) != held.npos || value.find(held) != value.npos;
        });
    });
}

}  // namespace agent_audit::detectors
