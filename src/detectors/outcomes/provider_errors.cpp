#include "detectors/outcomes/provider_errors.hpp"

#include "support/ascii.hpp"

#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLongestKind = 60;  // bytes
constexpr std::size_t kLongestText = 400;

std::string decoded(RawText raw) {
    if (raw.form == TextForm::plain) return std::string(cut_utf8(raw.bytes, kLongestText));
    return decode_json_string(without_torn_escape(raw.bytes.substr(0, kLongestText)), kLongestText);
}

// "429 {…}", "API Error: 529 {…}", "Error: 503 Service Unavailable".
std::string_view http_status(std::string_view text) {
    constexpr std::array<std::string_view, 4> kBefore{"API Error: ", "API Error (", "Error: ", "HTTP "};
    for (const std::string_view word : kBefore) {
        if (text.starts_with(word)) text.remove_prefix(word.size());
    }
    if (text.size() < 3 || text[0] < '4' || text[0] > '5' || !is_digit(text[1]) || !is_digit(text[2])) return {};
    if (text.size() > 3 && (is_digit(text[3]) || text[3] == '.')) return {};
    return text.substr(0, 3);
}

// What stands before the details, which differ from one error to the next.
std::string_view front(std::string_view text) {
    text = text.substr(0, text.find_first_of("\n{|"));
    for (const std::string_view end : {": ", ". ", "; "}) text = text.substr(0, text.find(end));
    while (!text.empty() && (text.back() == ' ' || text.back() == '.' || text.back() == ':')) text.remove_suffix(1);
    return cut_utf8(text, kLongestKind);
}

// Readers that find no better name give the word for any error.
bool says_nothing(std::string_view code) {
    return code.empty() || code == "unknown" || code == "error" || code == "failed" || code == "request-failed";
}

std::string kind_of(const Notice& notice) {
    std::string code = decoded(notice.code);
    if (!says_nothing(code)) return std::string(front(code));
    const std::string text = decoded(notice.text);
    if (const std::string_view status = http_status(text); !status.empty()) return std::string(status);
    const std::string_view words = front(text);
    return words.empty() ? code : std::string(words);
}

}  // namespace

void ProviderErrorCount::see(const Notice& notice, std::uint64_t line) {
    if (errors_.first_line == 0 || line < errors_.first_line) errors_.first_line = line;
    errors_.last_line = std::max(errors_.last_line, line);
    std::string kind = kind_of(notice);
    const auto known = std::ranges::find(errors_.kinds, kind, &ProviderErrors::Kind::code);
    if (known != errors_.kinds.end()) {
        ++known->count;
    } else if (errors_.kinds.size() < ProviderErrors::kKinds) {
        errors_.kinds.push_back({std::move(kind), 1});
    } else {
        ++errors_.other;
    }
}

ProviderErrors ProviderErrorCount::take() {
    std::ranges::stable_sort(errors_.kinds, std::greater<>{}, &ProviderErrors::Kind::count);
    return std::exchange(errors_, {});
}

}  // namespace agent_audit::detectors
