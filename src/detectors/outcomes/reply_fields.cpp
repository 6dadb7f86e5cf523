#include "detectors/outcomes/reply_fields.hpp"

#include "detectors/outcomes/retry_names.hpp"
#include "detectors/words/opaque_ids.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLongest = 4096;    // bytes
constexpr std::size_t kMostApart = 32;    // bytes by which such fields may make two answers differ in length
constexpr std::size_t kLongestName = 32;  // of a field
constexpr std::size_t kMostBetween = 8;   // bytes between a name and its value: \":  \"

// Without case, hyphens and underscores. Names of things that were made, or of moments that were asked for, are none.
constexpr std::string_view kFields[] = {"took",
                                        "tookms",
                                        "elapsed",
                                        "elapsedms",
                                        "elapseds",
                                        "elapsedsec",
                                        "elapsedtime",
                                        "elapsedseconds",
                                        "duration",
                                        "durationms",
                                        "durationseconds",
                                        "executiontime",
                                        "executiontimems",
                                        "evaltotaltime",
                                        "querytime",
                                        "querytimems",
                                        "responsetime",
                                        "responsetimems",
                                        "processingtime",
                                        "processingtimems",
                                        "requestid",
                                        "xrequestid",
                                        "reqid",
                                        "queryid",
                                        "screenshotid",
                                        "traceid",
                                        "xtraceid",
                                        "spanid",
                                        "correlationid",
                                        "xcorrelationid",
                                        "timestamp",
                                        "ts",
                                        "servertime",
                                        "executioncount",
                                        "nonce",
                                        "agentid",
                                        "totaltokens",
                                        "tooluses",
                                        "uptime",
                                        "uptimems",
                                        "uptimeseconds"};
// The same of where a page of a list stands.
constexpr std::string_view kPageFields[] = {
    "continuation", "continuationtoken", "currentpage",   "cursor",         "endcursor",    "next",     "nextcursor",
    "nextoffset",   "nextpage",          "nextpagetoken", "nexttoken",      "nexturl",      "offset",   "page",
    "pagenumber",   "pagetoken",         "prevcursor",    "previouscursor", "previouspage", "prevpage", "skip",
    "startcursor"};
// What is drawn at random for each visit, where it looks so: in the address that leads to a login, in a cookie.
constexpr std::string_view kDrawnFields[] = {"challenge", "challengeid", "codechallenge", "consentid", "csrf",
                                             "csrftoken", "jsessionid",  "phpsessid",     "req",       "session",
                                             "sessionid", "sid",         "state",         "xsrftoken"};
// How sure a reader is of what it read, and how well a text fits what was asked: figures that differ a little each
// time.
constexpr std::string_view kSurety[] = {"confidence", "avgconfidence", "meanconfidence", "ocrconfidence"};
constexpr std::string_view kFits[] = {"score", "similarity", "relevance", "relevancescore", "similarityscore"};
// What o'clock it is, and under which number it was answered, where the value is no more than that.
constexpr std::string_view kClocks[] = {"now", "currenttime", "servedat", "generatedat", "epoch"};
constexpr std::string_view kNumbers[] = {"trace", "span", "request"};
// What a machine has used up meanwhile, and the clock that ran: no more than that, where it is told in the same words
// that it got nowhere.
constexpr std::string_view kUsedUp[] = {"batt", "battery", "batterylevel", "batterypct", "batterypercent", "fuel"};
constexpr std::string_view kRunning[] = {"t", "time", "clock", "simtime", "tick", "ticks"};
constexpr std::string_view kNowhere[] = {"blocked", "stuck",    "slipped", "jammed",     "collision",
                                         "stalled", "obstacle", "missed",  "no contact", "not reached"};
constexpr PhraseSet kNowhereSet(kNowhere);
// One of these stands in an answer that has such a field.
constexpr std::string_view kTraces[] = {"took",      "elapsed",    "duration", "time",       "request",   "req_id",
                                        "req-id",    "reqid",      "\"req",    "trace",      "span",      "correlation",
                                        "execution", "nonce",      " over ",   "\"ts",       "agentid",   "agent_id",
                                        "state=",    "sid=",       "csrf",     "xsrf",       "challenge", "consent-id",
                                        "sessionid", "session_id", "session=", "confidence", "score",     "similarity",
                                        "relevance", "\"now",      "epoch",    "served",     "generated"};
constexpr PhraseSet kTraceSet(kTraces);

bool is_of_name(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; }
bool ends_value(char c) { return std::string_view(" \t\r\n\"'\\,:;=&(){}[]<>").find(c) != std::string_view::npos; }

std::size_t value_begin(std::string_view text, std::size_t at) {
    while (at > 0 && !ends_value(text[at - 1])) --at;
    return at;
}
std::size_t value_end(std::string_view text, std::size_t at) {
    while (at < text.size() && !ends_value(text[at])) ++at;
    return at;
}

// The name in front of a value, as it stands in the table; empty when there is none.
std::string name_before(std::string_view text, std::size_t value) {
    std::size_t end = value;
    bool marked = false;
    while (end > 0 && value - end < kMostBetween &&
           std::string_view(" \"'\\:=").find(text[end - 1]) != std::string_view::npos) {
        marked = marked || text[end - 1] == ':' || text[end - 1] == '=';
        --end;
    }
    std::string name;
    std::size_t begin = end;
    while (marked && begin > 0 && end - begin < kLongestName && is_of_name(text[begin - 1])) --begin;
    if (begin > 0 && begin < end && text[begin - 1] == '\\') ++begin;  // the letter of a line break
    for (const char c : text.substr(begin, end - begin)) {
        if (c != '_' && c != '-') name += is_letter(c) ? static_cast<char>(c | 0x20) : c;
    }
    return name;
}

// "x3" of "(x3 over 9m)"
bool counts_events(std::string_view text, std::size_t begin, std::size_t end) {
    const std::string_view count = text.substr(begin, end - begin);
    return begin > 0 && text[begin - 1] == '(' && count.size() > 1 && count[0] == 'x' &&
           std::ranges::all_of(count.substr(1), is_digit) && text.substr(end).starts_with(" over ");
}

// 1770000013
bool is_epoch(std::string_view value) {
    constexpr std::size_t kShortest = 10;
    return value.size() >= kShortest && value.front() == '1' && std::ranges::all_of(value, is_digit);
}

// 86908fc65b7af4df
bool is_drawn_hex(std::string_view value) {
    constexpr std::size_t kShortest = 8;
    return value.size() >= kShortest && std::ranges::all_of(value, is_hex);
}

// What was started anew since the answer before is news.
bool has_fallen(std::string_view before, std::string_view now) {
    double then = 0, later = 0;
    std::from_chars(before.data(), before.data() + before.size(), then);
    std::from_chars(now.data(), now.data() + now.size(), later);
    return later < then;
}

}  // namespace

namespace {

bool is_named(std::string_view name, std::span<const std::string_view> fields) {
    return std::ranges::find(fields, name) != fields.end();
}

// {"text": "…", "confidence": 0.45}, and not `score: 0.45` of a program.
bool is_quoted_field(std::string_view text, std::size_t value) {
    std::size_t at = value;
    while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == ':')) --at;
    return at > 0 && at < value && text[at - 1] == '"';
}

std::size_t count_of(std::string_view text, std::string_view words) {
    std::size_t count = 0;
    for (std::size_t at = text.find(words); at != text.npos; at = text.find(words, at + words.size())) ++count;
    return count;
}

// Are there words beside the figures in an answer? Of what has few the figure may be the answer.
bool has_words(std::string_view text, bool surety) {
    if (surety) {
        constexpr std::ptrdiff_t kLetters = 24;
        return std::ranges::count_if(text, is_letter) >= kLetters;
    }
    constexpr std::size_t kWords = 3;  // to each score
    std::size_t words = 1, scores = 0;
    for (std::size_t i = 1; i + 1 < text.size(); ++i)
        words += text[i] == ' ' && is_letter(text[i - 1]) && is_letter(text[i + 1]);
    for (const std::string_view name : {"core\"", "core\\", "imilarity\"", "imilarity\\", "elevance\"", "elevance\\"})
        scores += count_of(text, name);
    return words >= kWords * scores;
}

// Figures that only tremble beside a text that is the same.
class Trembling {
public:
    explicit Trembling(std::string_view text) : text_(text) {}

    bool is_all(std::size_t value, std::string_view name, std::string_view then, std::string_view later) {
        const bool surety = is_named(name, kSurety);
        if ((!surety && !is_named(name, kFits)) || !is_quoted_field(text_, value) || !are_close(then, later))
            return false;
        std::optional<bool>& known = surety ? beside_surety_ : beside_scores_;
        if (!known) known = has_words(text_, surety);
        return *known;
    }

private:
    static bool are_close(std::string_view then, std::string_view later) {
        constexpr double kTremble = 0.1;
        double a = 0, b = 0;
        const auto one = std::from_chars(then.data(), then.data() + then.size(), a);
        const auto other = std::from_chars(later.data(), later.data() + later.size(), b);
        if (one.ptr != then.data() + then.size() || other.ptr != later.data() + later.size()) return false;
        return std::abs(a - b) <= kTremble * std::max({1.0, std::abs(a), std::abs(b)});
    }

    std::string_view text_;
    std::optional<bool> beside_surety_, beside_scores_;  // asked once, where at all
};

// Of settled texts. `also`: names of fields that do not count either.
bool same_fields(std::string_view a, std::string_view b, std::span<const std::string_view> also) {
    std::size_t i = 0, j = 0;
    Trembling trembling(a);
    for (std::size_t done = 0;; done = i) {
        while (i < a.size() && j < b.size() && a[i] == b[j]) {
            ++i;
            ++j;
        }
        if (i == a.size() && j == b.size()) return true;
        const std::size_t from = value_begin(a, i);
        if (from < done) return false;  // the field ends in another way
        const std::size_t other = j - (i - from);
        const std::size_t end = value_end(a, from), other_end = value_end(b, other);
        if (end == i && other_end == j) return false;
        const bool events = counts_events(a, from, end) && counts_events(b, other, other_end);
        const std::string name = events ? std::string() : name_before(a, from);
        const std::string_view one = a.substr(from, end - from), another = b.substr(other, other_end - other);
        const bool drawn = (is_named(name, kDrawnFields) && is_opaque_id(one) && is_opaque_id(another)) ||
                           (is_named(name, kClocks) && is_epoch(one) && is_epoch(another)) ||
                           (is_named(name, kNumbers) && is_drawn_hex(one) && is_drawn_hex(another));
        if (!events && !drawn && !is_named(name, kFields) && !is_named(name, also) &&
            !trembling.is_all(from, name, one, another))
            return false;
        if (name.starts_with("uptime") && has_fallen(one, another)) return false;
        i = end;
        j = other_end;
    }
}

bool same_but_fields(std::string_view before, std::string_view now, std::span<const std::string_view> also) {
    return are_near_in_size(before, now) && same_fields(settled(before), settled(now), also);
}

}  // namespace

bool are_near_in_size(std::string_view before, std::string_view now) {
    const std::size_t apart = before.size() > now.size() ? before.size() - now.size() : now.size() - before.size();
    return before.size() <= kLongest && apart <= kMostApart;
}

bool same_but_reply_fields(std::string_view before, std::string_view now) {
    return kTraceSet.in(now) && same_but_fields(before, now, {});
}

bool same_but_moment(std::string_view before, std::string_view now) { return same_fields(before, now, {}); }

bool same_but_page_fields(std::string_view before, std::string_view now) {
    return same_but_fields(before, now, kPageFields);
}

bool ask_for_pages_of_one(std::string_view before, std::string_view now) {
    constexpr std::string_view kAlso[] = {"after", "startingafter", "start", "startat", "startindex", "index"};
    if (before == now) return false;
    return same_but_fields(before, now, kPageFields) || same_but_fields(before, now, kAlso);
}

std::string without_run_down(std::string_view answer) {
    constexpr std::size_t kLongestAnswer = 400;  // bytes
    std::string rest;
    if (answer.size() > kLongestAnswer || !kNowhereSet.in(answer)) return rest;
    bool any = false;
    for (std::size_t at = 0; at < answer.size();) {
        const std::size_t end = value_end(answer, at);
        const bool number = end > at && is_digit(answer[at]);
        const std::string name = number ? name_before(answer, at) : std::string();
        const bool hidden = number && (is_named(name, kUsedUp) || is_named(name, kRunning));
        any = any || hidden;
        rest += hidden ? std::string_view("#") : answer.substr(at, std::max<std::size_t>(end - at, 1));
        at = std::max(end, at + 1);
    }
    return any ? rest : std::string();
}

bool names_page(std::string_view argument) {
    const auto begins = [argument](std::string_view word) { return argument.starts_with(word); };
    switch (argument.empty() ? '\0' : argument.front()) {
        case 'a': return argument == "after";
        case 'c': return begins("cursor") || begins("continuation");
        case 'n': return begins("next");
        case 'o': return begins("offset");
        case 'p': return begins("page");
        case 's': return begins("skip") || begins("start");  // startAt, starting_after
        default: return false;
    }
}

bool asks_for_page(std::string_view arguments) {
    // Without the first letters, which may be small or not.
    constexpr std::string_view kWords[] = {"page",         "Page", "ursor",     "ffset",      "start",
                                           "continuation", "skip", "nextToken", "next_token", "after\""};
    return std::ranges::any_of(kWords,
                               [arguments](std::string_view word) { return arguments.find(word) != arguments.npos; });
}

}  // namespace agent_audit::detectors
