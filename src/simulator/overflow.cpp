#include <agent_audit/simulator/overflow.hpp>

#include "simulator/js_text.hpp"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <initializer_list>
#include <span>
#include <string>

namespace agent_audit::simulator::overflow {
namespace {

struct Replaced {
    std::string_view what, by;
};

/// JavaScript's dot stops at four ends of a line, RE2's at one; RE2 takes U+017F for an s and U+212A for a k, which
/// JavaScript does not; and of the blanks that are JavaScript's \s, RE2 knows those of ASCII but one. A form feed
/// stands for the others: it is no space, but a blank.
std::string as_javascript_reads(std::string_view text) {
    static constexpr std::array kReplaced = std::to_array<Replaced>({
        {"\r", "\n"},     {"\u2028", "\n"}, {"\u2029", "\n"}, {"\u017F", "\uFFFD"}, {"\u212A", "\uFFFD"},
        {"\v", "\f"},     {"\u00A0", "\f"}, {"\u1680", "\f"}, {"\u2000", "\f"},     {"\u2001", "\f"},
        {"\u2002", "\f"}, {"\u2003", "\f"}, {"\u2004", "\f"}, {"\u2005", "\f"},     {"\u2006", "\f"},
        {"\u2007", "\f"}, {"\u2008", "\f"}, {"\u2009", "\f"}, {"\u200A", "\f"},     {"\u202F", "\f"},
        {"\u205F", "\f"}, {"\u3000", "\f"}, {"\uFEFF", "\f"},
    });
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        if (text[0] >= ' ' && text[0] <= '~') {
            out += text[0];
            text.remove_prefix(1);
            continue;
        }
        const auto one = std::find_if(kReplaced.begin(), kReplaced.end(),
                                      [&](const Replaced& known) { return text.starts_with(known.what); });
        const bool known = one != kReplaced.end();
        out += known ? one->by : text.substr(0, 1);
        text.remove_prefix(known ? one->what.size() : 1);
    }
    return out;
}

/// An expression that reads a message as it is, with JavaScript's blanks for \s.
std::string with_blanks(std::string pattern) {
    constexpr std::string_view kBlank =
        R"([\s\v\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}])";
    for (std::size_t at = pattern.find(R"(\s)"); at != pattern.npos; at = pattern.find(R"(\s)", at + kBlank.size()))
        pattern.replace(at, 2, kBlank);
    return pattern;
}

/// Any of several expressions, without regard to case.
class AnyOf {
public:
    explicit AnyOf(std::initializer_list<std::string_view> patterns) : set_(options(), RE2::UNANCHORED) {
        for (const std::string_view pattern : patterns) set_.Add({pattern.data(), pattern.size()}, nullptr);
        set_.Compile();
    }
    bool in(std::string_view text) const {
        const bool plain = std::none_of(text.begin(), text.end(), [](char c) {
            return c == '\r' || c == '\v' || static_cast<unsigned char>(c) >= 0x80;
        });
        if (plain) return set_.Match({text.data(), text.size()}, nullptr);
        return set_.Match(as_javascript_reads(text), nullptr);
    }

private:
    static RE2::Options options() {
        RE2::Options options;
        options.set_case_sensitive(false);
        options.set_log_errors(false);
        return options;
    }
    RE2::Set set_;
};

// "(?s:.)" is any character, newlines too; a plain dot stops at a newline, in JavaScript as here.
const AnyOf& pi_patterns() {
    static const AnyOf patterns{
        R"(prompt (?:is )?too long)",
        R"(request_too_large)",
        R"(input is too long for requested model)",
        R"(exceeds the context window)",
        R"(exceeds (?:the )?(?:model'?s )?maximum context length(?: of [0-9,]+ tokens?|\s*\([0-9,]+\)))",
        R"(input token count.*exceeds the maximum)",
        R"(maximum prompt length is [0-9]+)",
        R"(reduce the length of the messages)",
        R"(maximum context length is [0-9]+ tokens)",
        R"(exceeds (?:the )?maximum allowed input length of [0-9,]+ tokens?)",
        R"(input \([0-9]+ tokens\) is longer than the model'?s context length \([0-9]+ tokens\))",
        R"(exceeds the limit of [0-9]+)",
        R"(exceeds the available context size)",
        R"(greater than the context length)",
        R"(context window exceeds limit)",
        R"(exceeded model token limit)",
        R"(too large for model with [0-9]+ maximum context length)",
        R"(prompt has [0-9,]+ tokens?, but the configured context size is [0-9,]+ tokens?)",
        R"(model_context_window_exceeded)",
        R"(prompt too long; exceeded (?:max )?context length)",
        R"(range of input length should be)",
        R"(context[_ ]length[_ ]exceeded)",
        R"(too many tokens)",
        R"(token limit exceeded)",
    };
    return patterns;
}

const AnyOf& pi_exceptions() {
    static const AnyOf patterns{R"(^(?:Throttling error|Service unavailable):)", R"(rate limit)",
                                R"(too many requests)"};
    return patterns;
}

const AnyOf& bodyless() {
    static const AnyOf patterns{R"(^4(?:00|13)\s*(?:status code)?\s*\(no body\))"};
    return patterns;
}

// What OpenClaw is sure of.
const AnyOf& explicit_patterns() {
    static const AnyOf patterns{
        R"(request_too_large)",
        R"(context_overflow)",
        R"(prompt has [0-9,]+ tokens?, but the configured context size is [0-9,]+ tokens?)",
        R"(invalid_argument(?s:.)*maximum number of tokens)",
        R"(request exceeds the maximum size)",
        R"(context length exceeded)",
        R"(maximum context length)",
        R"(prompt (?:is )?too long)",
        R"(exceeds model context window)",
        R"(model token limit)",
        R"(input exceeds(?s:.)*maximum number of tokens)",
        R"(context window(?s:.)*ran out of (?:room|space))",
        R"(ran out of (?:room|space)(?s:.)*context window)",
        R"(request size exceeds(?s:.)*context window)",
        R"(context overflow:)",
        R"(exceed context limit)",
        R"(exceeds the model'?s maximum context)",
        R"(max_tokens(?s:.)*exceed(?s:.)*context)",
        R"(input length(?s:.)*exceed(?s:.)*context)",
        R"(input \([0-9,]+\s*tokens?\) is longer than (?:the )?model'?s context length)",
        R"(413(?s:.)*too large)",
        R"(context_window_exceeded)",
        R"(input length [0-9,]+\s+tokens? exceeds the model limit)",
        R"(上下文过长|上下文超出|上下文长度超|超出最大上下文|请压缩上下文)",
    };
    return patterns;
}

// Looser wordings, which count only in a message that speaks of a size and of its being exceeded.
const AnyOf& fallback_patterns() {
    static const AnyOf patterns{
        R"(\binput token count exceeds the maximum number of input tokens\b)",
        R"(\binput is too long for this model\b)",
        R"(\binput exceeds the maximum number of tokens\b)",
        R"(\bollama error:\s*context length exceeded(?:,\s*too many tokens)?\b)",
        R"(\btotal tokens?.*exceeds? (?:the )?(?:model(?:'s)? )?(?:max|maximum|limit))",
        R"(\b(?:(?:request|prompt) \([0-9][0-9,]*\s*tokens?\) exceeds (?:the )?available context size|context size has been exceeded)\b)",
        R"(\binput (?:is )?too long for (?:the )?model\b)",
    };
    return patterns;
}

const AnyOf& size_words() {
    static const AnyOf patterns{R"(\b(?:context|window|prompt|token|tokens|input|request|model)\b)"};
    return patterns;
}
const AnyOf& excess_words() {
    static const AnyOf patterns{R"(\b(?:too\s+(?:large|long|many)|exceed(?:s|ed|ing)?|overflow|limit|maximum|max)\b)"};
    return patterns;
}

const AnyOf& hints() {
    static const AnyOf patterns{
        R"(context.*overflow)",
        R"(context window.*(?:too (?:large|long)|exceed|over|limit|max|requested|sent|tokens))",
        R"(prompt.*(?:too (?:large|long)|exceed|over|limit|max))",
        R"((?:request|input).*(?:context|window|length|token).*(?:too (?:large|long)|exceed|over|limit|max))",
    };
    return patterns;
}

const AnyOf& per_minute() {
    static const AnyOf patterns{R"(\btpm\b|tokens per minute)"};
    return patterns;
}
const AnyOf& rate_hints() {
    static const AnyOf patterns{
        R"(rate limit|too many requests|requests per (?:minute|hour|day)|quota|throttl|429\b|tokens per day)"};
    return patterns;
}
const AnyOf& window_too_small() {
    static const AnyOf patterns{R"(context window.*(?:too small|minimum is))"};
    return patterns;
}

// Read on the trimmed, lower-cased message.
const AnyOf& rate_limits() {
    static const AnyOf patterns{
        R"(rate[_ ]limit|too many requests)",
        R"(^\s*429\b)",
        R"(\b(?:https?|status(?:[ _-]?code)?|response(?:[ _-]?code)?|http(?:[ _-]?status)?)\b[\s:=#"'(]{0,6}429\b)",
        R"(["'](?:status|code)["']\s*:\s*429\b)",
        R"(\b429\b[\s:)\].,-]*(?:rate[_ -]?limit(?:ed|ing)?|too many requests|resource has been exhausted|quota(?:\s+(?:exceeded|exhausted|depleted|reached))?)\b)",
        R"(too many (?:concurrent )?requests)",
        R"(\bthrottl(?:ing_?exception|ing|ed)\b)",
        R"(\bconcurrency limit\b.*\b(?:breached|reached)\b)",
        R"(model_cooldown)",
        R"(exceeded your current quota)",
        R"(\bresource[_ -]?exhausted\b)",
        R"(\bquota[_ -]?exceeded\b)",
        R"(usage limit)",
        R"(\btpm\b)",
        R"(tokens per (?:minute|day))",
        R"(请求过于频繁|调用频率|频率限制|配额不足|配额已用尽|额度不足|额度已用尽)",
    };
    return patterns;
}

const AnyOf& billing() {
    static const AnyOf patterns{
        R"(["']?(?:status|code)["']?\s*[:=]\s*402\b|\bhttp\s*402\b|\berror(?:\s+code)?\s*[:=]?\s*402\b|^\s*402\s+payment)",
        R"(payment required|insufficient credits|available balance|out of budget|credit balance|plans & billing)",
        R"(used\s+all\s+available\s+credits)",
        R"(spend(?:ing)?\s+limit)",
        R"(insufficient[_ ](?:quota|balance))",
        R"(\b(?:go|free)usagelimiterror\b)",
        R"(\binsufficient\s+\w+\s+balance\b)",
        R"(insufficient usd or diem balance)",
        R"(requires?\s+more\s+credits)",
        R"(out of extra usage|draw from your extra usage|extra usage is required)",
        R"(余额不足|欠费)",
        R"("code"\s*:\s*"invalidsubscription")",
        R"(\bdoes not have a valid coding\s*plan subscription\b)",
        R"("code"\s*:\s*1311\b)",
        R"(\bcurrent\s+subscription\s+plan\b.*\b(?:does\s+not|doesn't|not)\b.*\binclude\s+access\b)",
        R"(\bmodel\b.*\bnot\s+available\b.*\bcurrent\s+plan\b)",
    };
    return patterns;
}

const AnyOf& billing_head() {
    static const AnyOf patterns{
        R"(^(?:error[:\s-]+)?billing(?:\s+error)?(?:[:\s-]+|$))",
        R"(^(?:error[:\s-]+)?(?:credit balance|insufficient credits?|payment required|http\s*402\b))",
    };
    return patterns;
}

bool holds_any(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(),
                       [text](std::string_view word) { return text.find(word) != text.npos; });
}

// "received 402", but not "received 402 records".
bool received_402(const std::string& lower) {
    static const RE2 pattern(with_blanks(R"(\b(?:got|returned|received)\s+(?:a\s+)?402\b(\s+records\b)?)"));
    re2::StringPiece rest(lower), records;
    while (RE2::FindAndConsume(&rest, pattern, &records)) {
        if (records.empty()) return true;
    }
    return false;
}

bool speaks_of_billing(std::string_view message, const std::string& lower) {
    if (lower.empty()) return false;
    static const RE2 heading(with_blanks(R"((?:^|\n)##\s+\S)"));
    re2::StringPiece rest(message.data(), message.size());
    int headings = 0;
    while (RE2::FindAndConsume(&rest, heading)) ++headings;
    if (headings > 1) return false;  // a document, not an error
    if (billing().in(lower) || received_402(lower)) return true;
    return billing_head().in(message) &&
           holds_any(lower, {"upgrade", "credits", "payment", "purchase", "subscription", "plan"});
}

bool demands_reasoning(const std::string& lower) {
    return holds_any(lower, {"reasoning is mandatory", "reasoning is required", "requires reasoning"}) ||
           (holds_any(lower, {"reasoning"}) && holds_any(lower, {"cannot be disabled"}));
}

double stated(std::string digits) {
    std::erase(digits, ',');
    return digits.empty() ? 0 : std::strtod(digits.c_str(), nullptr);
}

/// A rate limit that no waiting helps: one request alone asks for more than a minute may have.
bool larger_than_a_minute(std::string_view message) {
    static const RE2 sizes(
        with_blanks(R"((?i)(?:\btpm\b|tokens per minute)[^.\n]*?\blimit\s+([0-9,]+)[^.\n]*?\brequested\s+([0-9,]+))"));
    std::string limit, requested;
    if (!RE2::PartialMatch(re2::StringPiece(message.data(), message.size()), sizes, &limit, &requested)) return false;
    return stated(limit) > 0 && stated(requested) > stated(limit);
}

bool openclaw_tables(std::string_view message, const std::string& lower) {
    if (per_minute().in(message) && !larger_than_a_minute(message)) return false;
    if (demands_reasoning(lower)) return false;
    if (explicit_patterns().in(message)) return true;
    const bool candidate = !rate_limits().in(lower) && size_words().in(message) && excess_words().in(message);
    return candidate && fallback_patterns().in(message);
}

}  // namespace

bool pi_error(std::string_view message, std::string_view provider) {
    if (message.empty() || pi_exceptions().in(message)) return false;
    return pi_patterns().in(message) || (provider == "cerebras" && bodyless().in(message));
}

bool openclaw_error(std::string_view message) {
    if (message.empty()) return false;
    const std::string lower = js_lower(js_trim(message));
    if (larger_than_a_minute(message)) return openclaw_tables(message, lower);
    if (per_minute().in(message) || demands_reasoning(lower) || speaks_of_billing(message, lower)) return false;
    if (window_too_small().in(message) || rate_limits().in(lower)) return false;
    if (openclaw_tables(message, lower)) return true;
    if (lower.find("prompt template") != lower.npos || rate_hints().in(message)) return false;
    return hints().in(message);
}

bool any_error(std::string_view message) {
    static const AnyOf exceptions{R"(rate limit|too many requests|429|\btpm\b|throttl|prompt template|overloaded)"};
    static const AnyOf more{R"(maximum context length)", R"(exceed context limit)", R"(上下文.*超)"};
    return !exceptions.in(message) && (pi_patterns().in(message) || more.in(message));
}

bool silent(const Usage& usage, StopReason stop, double window_tokens) {
    if (!(window_tokens > 0)) return false;
    const double input = usage.input + usage.cache_read;
    if (stop == StopReason::stop && input > window_tokens) return true;
    return stop == StopReason::length && usage.output == 0 && input >= window_tokens * 0.99;
}

}  // namespace agent_audit::simulator::overflow
