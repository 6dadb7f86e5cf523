#include "profiles/arguments.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace agent_audit::profiles {
namespace {

namespace dom = simdjson::dom;

// Keeps values of different types apart.
enum Tag : std::uint64_t { kNull = 1, kTrue, kFalse, kNumber, kString, kArray, kObject };

struct Member {
    std::string_view key;
    std::uint64_t value = 0;
    std::size_t at = 0;
};

// The keys that JavaScript lists first, in numeric order: 0, 7, 42, but not 07 or 1.5.
std::optional<std::uint32_t> array_index(std::string_view key) {
    if (key.empty() || key.size() > 10 || (key[0] == '0' && key.size() > 1)) return std::nullopt;
    std::uint64_t n = 0;
    for (const char c : key) {
        if (c < '0' || c > '9') return std::nullopt;
        n = n * 10 + static_cast<std::uint64_t>(c - '0');
    }
    if (n >= 0xffffffffULL) return std::nullopt;
    return static_cast<std::uint32_t>(n);
}

// A key that comes twice keeps its first place and takes its last value.
void settle_duplicates(std::vector<Member>& members) {
    std::ranges::stable_sort(members, {}, &Member::key);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (kept > 0 && members[kept - 1].key == members[i].key) {
            members[kept - 1].value = members[i].value;
            continue;
        }
        members[kept++] = members[i];
    }
    members.resize(kept);
}

void in_own_order(std::vector<Member>& members) {
    std::ranges::sort(members, [](const Member& a, const Member& b) {
        const auto x = array_index(a.key);
        const auto y = array_index(b.key);
        if (x && y) return *x < *y;
        if (x || y) return x.has_value();
        return a.at < b.at;
    });
}

std::uint64_t hash_of(dom::element value, KeyOrder order);

std::uint64_t hash_of(dom::object object, KeyOrder order, bool without_nulls) {
    std::vector<Member> members;
    const KeyOrder inner = order == KeyOrder::shallow ? KeyOrder::own : order;
    for (const auto& [key, value] : object) {
        if (without_nulls && value.is_null()) continue;
        members.push_back({key, hash_of(value, inner), members.size()});
    }
    settle_duplicates(members);
    if (order == KeyOrder::own) in_own_order(members);
    std::uint64_t hash = kObject;
    for (const Member& m : members) hash = mix_hash(mix_hash(hash, stable_hash(m.key)), m.value);
    return hash;
}

// Numbers are equal by value, as in JavaScript and Python: 1, 1.0 and 1e0 are one.
std::uint64_t hash_of(double number) {
    if (number == 0) number = 0;  // -0 too
    return mix_hash(kNumber, std::bit_cast<std::uint64_t>(number));
}

// simdjson 3.0.1: value_unsafe() of a temporary dangles, so every value is taken into a variable first.
std::uint64_t hash_of(dom::element value, KeyOrder order) {
    bool flag = false;
    double number = 0;
    std::string_view text;
    dom::array items;
    dom::object object;
    if (value.is_null()) return kNull;
    if (value.get(flag) == simdjson::SUCCESS) return flag ? kTrue : kFalse;
    if (value.get(text) == simdjson::SUCCESS) return mix_hash(kString, stable_hash(text));
    if (value.get(number) == simdjson::SUCCESS) return hash_of(number);  // whole numbers too
    if (value.get(object) == simdjson::SUCCESS) return hash_of(object, order, false);
    if (value.get(items) != simdjson::SUCCESS) return 0;
    std::uint64_t hash = kArray;
    for (const dom::element item : items) hash = mix_hash(hash, hash_of(item, order));
    return hash;
}

std::string text_of_blocks(dom::array blocks) {
    std::string out;
    for (const dom::element block : blocks) {
        std::string_view text;
        if (block["text"].get(text) != simdjson::SUCCESS) continue;
        if (!out.empty()) out += '\n';
        out += text;
    }
    return out;
}

}  // namespace

std::string plain_text(RawText raw, dom::parser& parser) {
    if (raw.form == TextForm::plain) return std::string(raw.bytes);
    if (raw.form == TextForm::json_string) return decode_json_string(raw.bytes);
    dom::element value;
    if (parser.parse(raw.bytes.data(), raw.bytes.size()).get(value) != simdjson::SUCCESS) return std::string(raw.bytes);
    std::string_view text;
    dom::array blocks;
    if (value.get(text) == simdjson::SUCCESS) return std::string(text);
    if (value.get(blocks) == simdjson::SUCCESS) return text_of_blocks(blocks);
    return std::string(raw.bytes);
}

Arguments::Arguments(RawText raw, dom::parser& parser) : raw_(stable_hash(raw.bytes)) {
    std::string text = raw.form == TextForm::json_string ? decode_json_string(raw.bytes) : std::string(raw.bytes);
    if (text.empty()) text = "{}";
    parsed_ = parser.parse(text).get(root_) == simdjson::SUCCESS;
    std::string_view inner;
    if (parsed_ && root_.get(inner) == simdjson::SUCCESS) {  // an object that was recorded as a JSON string
        text = inner;
        parsed_ = parser.parse(text).get(root_) == simdjson::SUCCESS;
    }
}

std::uint64_t Arguments::hash(KeyOrder order) const {
    if (!parsed_) return raw_;
    dom::object object;
    return root_.get(object) == simdjson::SUCCESS ? hash_of(object, order, false) : hash_of(root_, order);
}

std::uint64_t Arguments::hash_without_nulls() const {
    dom::object object;
    if (!parsed_ || root_.get(object) != simdjson::SUCCESS) return hash(KeyOrder::sorted);
    return hash_of(object, KeyOrder::sorted, true);
}

std::optional<dom::element> Arguments::at(const char* key) const {
    dom::object object;
    dom::element value;
    if (!parsed_ || root_.get(object) != simdjson::SUCCESS) return std::nullopt;
    if (object[key].get(value) != simdjson::SUCCESS) return std::nullopt;
    return value;
}

std::optional<std::uint64_t> Arguments::object_hash(const char* key) const {
    const auto value = at(key);
    if (!value || !value->is_object()) return std::nullopt;
    return hash_of(*value, KeyOrder::sorted);
}

bool Arguments::has(const char* key) const { return at(key).has_value(); }

std::optional<std::string_view> Arguments::text(const char* key) const {
    const auto value = at(key);
    std::string_view text;
    if (!value || value->get(text) != simdjson::SUCCESS) return std::nullopt;
    return text;
}

std::optional<std::int64_t> Arguments::integer(const char* key) const {
    const auto value = at(key);
    std::int64_t number = 0;
    if (!value || value->get(number) != simdjson::SUCCESS) return std::nullopt;
    return number;
}

std::optional<bool> Arguments::flag(const char* key) const {
    const auto value = at(key);
    bool flag = false;
    if (!value || value->get(flag) != simdjson::SUCCESS) return std::nullopt;
    return flag;
}

std::uint64_t Arguments::value_hash(const char* key) const {
    const auto value = at(key);
    return value ? hash_of(*value, KeyOrder::sorted) | 1 : 0;
}

}  // namespace agent_audit::profiles
