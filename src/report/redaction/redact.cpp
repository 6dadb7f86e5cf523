#include "report/redaction/redact.hpp"

#include "report/redaction/redact_kinds.hpp"
#include "report/redaction/redact_rules.hpp"
#include "report/redaction/secret_values.hpp"
#include "support/ascii.hpp"
#include "support/find_near.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <iterator>

namespace agent_audit::report {
namespace {

// Where a value is given to the name that goes on at `at`, or may be: at the sign for it. Else npos. What may stand
// between them is looked at only as far as it takes to say no: words in prose and paths ("token") are many, and the
// expressions for them are large.
std::size_t sign_behind_name(std::string_view text, std::size_t at) {
    constexpr std::string_view kNameBytes = "_.-";
    constexpr std::size_t kLongestName = 64;  // each mark in a longer one would look at all of it again
    const auto skip = [&](auto&& belongs) {
        while (at < text.size() && belongs(text[at])) ++at;
    };
    const std::size_t begin = at;
    skip([&](char c) {
        const bool letter = lower(c) >= 'a' && lower(c) <= 'z', digit = c >= '0' && c <= '9';
        return at <= begin + kLongestName && (letter || digit || kNameBytes.find(c) != kNameBytes.npos);
    });
    if (at > begin + kLongestName) return text.size();  // nobody knows
    const std::size_t name_end = at;
    skip([](char c) { return c == '\\'; });
    const bool quote = at < text.size() && (text[at] == '"' || text[at] == '\'');
    if (at > name_end && !quote) return name_end;  // may be a colour
    at += quote;
    skip([](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); });
    return at < text.size() && std::string_view(":=\x1B\\^").find(text[at]) != std::string_view::npos ? at : text.npos;
}

// May the word behind this sign look random (is_password)? One without a digit is long then: "token.cpp:12" may, and
// "token.cpp: error" may not. Behind a colour, or the letters of a quoted text (b"…"), it may.
bool may_look_random(std::string_view text, std::size_t sign) {
    constexpr std::string_view kSigns = ":=> \t\r\n\v\f\"'`\\", kEnds = " \t\r\n\v\f\"'`\\,;&|<>(){}[]";
    constexpr std::size_t kLong = 16;  // with signs in front it has 24 bytes; too few of them differ if these are fewer
    const std::size_t begin = std::min(text.find_first_not_of(kSigns, sign), text.size());
    const std::string_view word = text.substr(begin, text.find_first_of(kEnds, begin) - begin);
    return word.size() < 3 || word.size() >= kLong || text[begin] < ' ' || text[begin] == '^' ||
           word.find_first_of("0123456789") != word.npos;
}

bool is_quote_or_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == '"' || c == '\'' || c == '\\'; }

// Without blanks, quotes and backslashes at its end.
std::string_view without_tail(std::string_view text) {
    while (!text.empty() && is_quote_or_blank(text.back())) text.remove_suffix(1);
    return text;
}

template <std::size_t N>
bool ends_in_word(std::string_view text, const std::array<std::string_view, N>& words) {
    constexpr std::size_t kLongest = 8;
    std::string end(text.substr(text.size() - std::min(text.size(), kLongest)));
    std::ranges::transform(end, end.begin(), lower);
    return std::ranges::any_of(words, [&](std::string_view word) { return end.ends_with(word); });
}

// Is a secret given a value behind this text, which ends before the : or =? The last one of an address follows its
// user.
bool names_secret(std::string_view text) {
    constexpr std::array<std::string_view, 5> kNames{"key", "token", "secret", "password", "passwd"};
    constexpr std::size_t kLongestUser = 256;
    const std::string_view user = text.substr(text.size() - std::min(text.size(), kLongestUser));
    return ends_in_word(without_tail(text), kNames) || user.find("://") != user.npos;
}

// May what is cut off at `at` be half a secret? It begins like one, or follows what secrets follow. Long texts are cut
// often, and hardly ever within a secret.
bool may_be_half_a_secret(std::string_view text, std::size_t at) {
    constexpr std::size_t kLongest = 256;
    constexpr std::string_view kTokenMarks = "._~+/%=!-";
    constexpr std::array<std::string_view, 3> kWords{"bearer", "basic", "password"};
    std::size_t begin = at;
    const auto is_token = [&](char c) {
        return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') ||
               kTokenMarks.find(c) != kTokenMarks.npos;
    };
    while (begin > 0 && is_token(text[begin - 1])) --begin;
    if (at - begin > kLongest) return true;
    const std::string_view token = text.substr(begin, at - begin);
    for (const std::string_view beginning : kBeginnings) {
        if (token.find(beginning) != token.npos) return true;
    }
    for (std::size_t equals = token.find('='); equals != token.npos; equals = token.find('=', equals + 1)) {
        if (names_secret(text.substr(0, begin + equals))) return true;
    }
    const std::string_view before = without_tail(text.substr(0, begin));
    if (before.ends_with(':') || before.ends_with('=')) return names_secret(before.substr(0, before.size() - 1));
    return ends_in_word(before, kWords);
}

constexpr std::size_t kLongestCommand = 2'048;

// Does an option follow soon? Programs are named far more often than they are called with one.
bool has_an_option(std::string_view text) {
    text = text.substr(0, kLongestCommand);
    for (std::size_t at = text.find('-'); at != text.npos; at = text.find('-', at + 1)) {
        if (at > 0 && is_quote_or_blank(text[at - 1])) return true;
    }
    return false;
}

// Does a pipe stand in the command that ends here?
bool is_handed_something(std::string_view before) {
    return before.substr(before.size() - std::min(before.size(), kLongestCommand)).find('|') != before.npos;
}

// A rule whose mark stands in the text from `begin` to `end`: is its expression to be asked? They are large, so most
// words that only look like a name or a half are told by less.
bool is_called(const RedactRule& rule, std::string_view text, std::size_t begin, std::size_t end) {
    constexpr std::size_t kNearQuote = 64;
    switch (rule.call) {
        case RedactRule::Call::value: return sign_behind_name(text, end) != text.npos;
        case RedactRule::Call::word: {
            const std::size_t sign = sign_behind_name(text, end);
            return sign != text.npos && may_look_random(text, sign);
        }
        case RedactRule::Call::cut: return may_be_half_a_secret(text, begin);
        case RedactRule::Call::option: return has_an_option(text.substr(end));
        case RedactRule::Call::quoted: return text.substr(end, kNearQuote).find('\'') != text.npos;
        case RedactRule::Call::piped: return is_handed_something(text.substr(0, begin));
        default: return true;
    }
}

using RuleSet = std::bitset<std::size(kRedactRules)>;

// The rules of which a mark stands in the text: reports pay for redaction only where there is something to redact.
RuleSet rules_called_for(std::string_view text, bool strict) {
    RuleSet rules;
    kRedactMarkSet.any(text, [&](std::size_t at, std::string_view phrase) {
        const std::size_t number =
            kRedactMarks.rule_at[static_cast<std::size_t>(phrase.data() - kRedactMarks.bytes.data())];
        if (rules[number]) return false;
        const RedactRule& rule = kRedactRules[number];
        // Every path below a home has a mark of a strict rule.
        if ((strict || !rule.strict) && is_called(rule, text, at, at + phrase.size())) rules.set(number);
        return false;
    });
    if (strict && find_near(text, 0, '@') != text.npos) rules.set(kMailRule);
    return rules;
}

std::string any_beginning() {
    std::string out = "(?:";
    for (const std::string_view beginning : kBeginnings) {
        if (out.back() != ':') out += '|';
        out += re2::RE2::QuoteMeta({beginning.data(), beginning.size()});
    }
    return out + ")";
}

// The expression with its shorthands written out.
std::string written_out(std::string_view expression) {
    const std::string escape = std::string(kColour).append(kEscape);
    const std::pair<std::string_view, std::string> shorthands[] = {
        {"\\<", "(?:\\b|_|" + escape + ")"},
        {"\\~", "(?:" + escape + ")"},
        {"\\_", "(?:\\s|" + std::string(kColour) + ")*"},
        {"\\#", any_beginning()},
        {"\\;", R"((?:[^\r\n;|&]|[;|&][^\s;|&]|\\\r?\n)*?\s)"},
        {"\\@",
         R"((?:\\*"([^"\\\r\n$<{][^"\\\r\n]*)\\*"|'([^'\r\n$<{][^'\r\n]*)'|\\*["']?([^\s"'\\$<{|;&-][^\s"'\\|;&]*)))"},
    };
    std::string out(expression);
    for (const auto& [shorthand, meaning] : shorthands) {
        for (std::size_t at = out.find(shorthand); at != out.npos; at = out.find(shorthand, at + meaning.size())) {
            out.replace(at, shorthand.size(), meaning);
        }
    }
    return out;
}

bool weighs(RedactRule::Weigh weigh, std::string_view match, std::string_view value) {
    if (weigh == RedactRule::Weigh::no) return true;
    if (weigh == RedactRule::Weigh::login) return is_login(value);
    return is_password(match, value);
}

constexpr int kMaxGroups = 3;

// The group that takes part in the match; without one, the match.
re2::StringPiece the_secret(const re2::StringPiece* found, int groups) {
    for (int group = groups - 1; group > 0; --group) {
        if (found[group].data() != nullptr) return found[group];
    }
    return found[0];
}

}  // namespace

std::vector<RedactKind> redact_kinds() {
    std::vector<RedactKind> kinds;
    for (const RedactRule& rule : kRedactRules)
        kinds.push_back({rule.name, rule.marks, rule.strict, rule.weigh != RedactRule::Weigh::no});
    return kinds;
}

Redactor::Redactor(Redact level) : level_(level) {}
Redactor::~Redactor() = default;

const re2::RE2& Redactor::compiled(std::size_t rule) {
    if (!rules_[rule]) {
        re2::RE2::Options options(re2::RE2::Latin1);
        options.set_log_errors(false);
        rules_[rule] = std::make_unique<re2::RE2>(written_out(kRedactRules[rule].expression), options);
    }
    return *rules_[rule];
}

void Redactor::apply(std::size_t index, std::string& text) {
    const RedactRule& rule = kRedactRules[index];
    const re2::RE2& expression = compiled(index);
    const std::string mark = "[redacted " + std::string(rule.name) + "]";
    if (!expression.ok()) {
        text = "[withheld: the redaction rule for a " + std::string(rule.name) + " is broken]";
        return;
    }
    const int groups = 1 + std::min(kMaxGroups, expression.NumberOfCapturingGroups());
    std::string out;
    re2::StringPiece found[1 + kMaxGroups];
    std::size_t pos = 0;
    std::size_t copied = 0;
    while (pos <= text.size() && expression.Match(text, pos, text.size(), re2::RE2::UNANCHORED, found, groups)) {
        const re2::StringPiece secret = the_secret(found, groups);
        const auto start = static_cast<std::size_t>(secret.data() - text.data());
        pos = start + std::max<std::size_t>(secret.size(), 1);
        const std::string_view value(secret.data(), secret.size());
        const std::string_view match(found[0].data(), found[0].size());
        if (value.starts_with("[redacted")) continue;
        if (!weighs(rule.weigh, match, value)) continue;
        out.append(text, copied, start - copied).append(mark);
        copied = start + secret.size();
    }
    if (copied == 0) return;
    out.append(text, copied);
    text = std::move(out);
}

std::string_view Redactor::shown_text(std::string_view raw) {
    if (level_ == Redact::none) return raw;
    const RuleSet called = rules_called_for(raw, level_ == Redact::strict);
    if (called.none()) return at_home(raw);
    redacted_ = raw;
    for (std::size_t rule = 0; rule < called.size(); ++rule) {
        if (called[rule]) apply(rule, redacted_);
    }
    return at_home(redacted_);
}

std::string Redactor::word(std::string_view raw, std::string_view said) {
    std::string shown = text(raw);
    if (level_ == Redact::none) return shown;
    const bool taken_out = said.find(raw) != said.npos && text(said).find(shown) == std::string::npos;
    return taken_out || is_key_like_a_path(raw) ? "[redacted secret]" : shown;
}

}  // namespace agent_audit::report
