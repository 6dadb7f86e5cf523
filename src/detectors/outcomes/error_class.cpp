#include "detectors/outcomes/error_class.hpp"

#include "config/pattern.hpp"
#include "detectors/outcomes/error_phrases.hpp"
#include "detectors/outcomes/status_code.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>
#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kWindow = 256;       // bytes looked at on either end of a text
constexpr std::size_t kMaxPatterns = 256;  // of a user

// Bytes, not code points: recordings are cut anywhere.
re2::RE2::Options options() {
    re2::RE2::Options o(re2::RE2::Latin1);
    o.set_case_sensitive(false);
    o.set_log_errors(false);
    return o;
}

std::pair<std::string_view, std::string_view> windows(std::string_view text) {
    if (text.size() <= 2 * kWindow) return {text, {}};
    return {text.substr(0, kWindow), text.substr(text.size() - kWindow)};
}

/// A value that begins with = stands alone; any other is added.
bool replaces(std::string_view& value) {
    if (!value.starts_with('=')) return false;
    value.remove_prefix(1);
    return true;
}

Error wrong(const Setting& setting, std::string_view key, std::string_view why) {
    return {fmt::format("{}: {} = \"{}\": {}", setting.origin, key, setting.value, why)};
}

std::string fault(std::string_view pattern) {
    if (pattern.empty()) return "expected a regular expression (RE2)";
    if (const std::string_view why = backspace_fault(pattern); !why.empty()) return std::string(why);
    const re2::RE2 compiled(re2::StringPiece(pattern.data(), pattern.size()), options());
    if (!compiled.ok()) return "not a regular expression (RE2): " + compiled.error();
    const bool all = compiled.Match("", 0, 0, re2::RE2::UNANCHORED, nullptr, 0);
    return all ? "matches every text" : "";
}

std::optional<Error> set_codes(const Setting& setting, std::string_view key, ErrorClass error,
                               std::array<ErrorClass, 1000>& codes) {
    std::string_view list = setting.value;
    if (replaces(list)) std::ranges::replace(codes, error, ErrorClass::none);
    while (!list.empty()) {
        const std::string_view word = list.substr(0, list.find(','));
        list.remove_prefix(std::min(word.size() + 1, list.size()));
        unsigned code = 0;
        const auto [end, ec] = std::from_chars(word.data(), word.data() + word.size(), code);
        if (ec != std::errc{} || end != word.data() + word.size() || code < 100 || code > 999) {
            return wrong(setting, key, "expected codes from 100 to 999, comma separated");
        }
        codes[code] = error;
    }
    return std::nullopt;
}

}  // namespace

struct ErrorClassifier::Compiled {
    re2::RE2::Set set{options(), re2::RE2::UNANCHORED};
    std::vector<std::size_t> rows;  // of each pattern in the set
    bool usable = false;
};

/// What both ends of a text say together. A user's patterns win, then come our phrases; codes stand before the
/// persistent phrases, which are the most general.
struct ErrorClassifier::Verdict {
    std::size_t user_row = std::size(error_defaults());
    std::uint8_t rows = 0;
    ErrorClass coded = ErrorClass::none;

    ErrorClass error(Of what) const {
        const auto defaults = error_defaults();
        const bool in_vain = what == Of::red_check && (rows & kNamesTrouble) == 0;
        if (user_row < defaults.size()) return defaults[user_row].error;
        for (std::size_t row = 0; row < defaults.size(); ++row) {
            if (defaults[row].error == ErrorClass::persistent && coded != ErrorClass::none) return coded;
            if ((rows & (1u << row)) == 0) continue;
            return in_vain && defaults[row].error == ErrorClass::transient ? ErrorClass::persistent
                                                                           : defaults[row].error;
        }
        return coded == ErrorClass::none ? ErrorClass::unknown : coded;
    }
};

ErrorClassifier::ErrorClassifier() {
    for (std::size_t row = 0; row < error_defaults().size(); ++row) {
        default_rows_ = static_cast<std::uint8_t>(default_rows_ | (1u << row));
        for (const std::uint16_t code : error_defaults()[row].codes) codes_[code] = error_defaults()[row].error;
    }
}

ErrorClassifier::~ErrorClassifier() = default;

Result<std::shared_ptr<const ErrorClassifier>> ErrorClassifier::make(const Settings& settings) {
    auto made = std::make_shared<ErrorClassifier>();
    for (std::size_t row = 0; row < error_defaults().size(); ++row) {
        const ErrorDefaults& defaults = error_defaults()[row];
        const std::string key = fmt::format("errors.{}", defaults.key);
        for (const Setting& setting : settings.values(key)) {
            std::string_view pattern = setting.value;
            if (replaces(pattern)) {
                made->default_rows_ = static_cast<std::uint8_t>(made->default_rows_ & ~(1u << row));
                std::erase_if(made->patterns_, [&](const Pattern& p) { return p.row == row; });
                if (pattern.empty()) continue;
            }
            if (const std::string why = fault(pattern); !why.empty()) return wrong(setting, key, why);
            if (made->patterns_.size() == kMaxPatterns)
                return wrong(setting, key, fmt::format("more than {} patterns", kMaxPatterns));
            made->patterns_.push_back({row, std::string(pattern)});
        }
        const std::string codes_key = key + "-codes";
        for (const Setting& setting : settings.values(codes_key)) {
            if (auto problem = set_codes(setting, codes_key, defaults.error, made->codes_)) return *problem;
        }
    }
    return std::shared_ptr<const ErrorClassifier>(std::move(made));
}

const ErrorClassifier::Compiled& ErrorClassifier::compile() const {
    std::call_once(once_, [this] {
        auto made = std::make_unique<Compiled>();
        for (const Pattern& pattern : patterns_) {
            std::string ignored;
            if (made->set.Add(re2::StringPiece(pattern.text), &ignored) >= 0) made->rows.push_back(pattern.row);
        }
        made->usable = made->set.Compile();
        compiled_ = std::move(made);
    });
    return *compiled_;
}

void ErrorClassifier::consider(std::string_view window, Verdict& verdict) const {
    if (!patterns_.empty()) {
        const Compiled& compiled = compile();
        std::vector<int> matches;
        if (compiled.usable && compiled.set.Match(re2::StringPiece(window.data(), window.size()), &matches)) {
            for (const int index : matches) {
                verdict.user_row = std::min(verdict.user_row, compiled.rows[static_cast<std::size_t>(index)]);
            }
        }
    }
    verdict.rows = static_cast<std::uint8_t>(verdict.rows | (phrases_in(window) & (default_rows_ | kNamesTrouble)));
    for (std::size_t at = 0; verdict.coded == ErrorClass::none && at < window.size();) {
        verdict.coded = codes_[next_status_code(window, at)];
    }
}

ErrorClass ErrorClassifier::classify(RawText text, Of what) const {
    Verdict verdict;
    const auto [head, tail] = windows(text.bytes);
    consider(head, verdict);
    if (!tail.empty()) consider(tail, verdict);
    return verdict.error(what);
}

std::uint64_t ErrorClassifier::hash(RawText text) {
    const auto [head, tail] = windows(text.bytes);
    return stable_hash(tail, stable_hash(head));
}

}  // namespace agent_audit::detectors
