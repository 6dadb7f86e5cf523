#include "detectors/engine/outcome_words.hpp"

#include "support/phrase_set.hpp"

#include <algorithm>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLooked = 2048;  // bytes: a longer answer has more to say than a figure
constexpr std::string_view kMeasures[] = {"lag ",      "lag:",    "eta ",     "eta:",     "remaining", "time left",  "s left",    "min left", "minutes left", "latency", "p95",
                                          "p99",       "p50",     "oldest",   "watermark", "ns/op",    "ms/op",      "us/op",     "must be below", "must be under",
                                          "limit is ", "over budget", "latest backup", "last backup", "next run", "next invoice", "slower than", "faster than"};
constexpr std::string_view kDeeds[] = {"deleted",  "removed", "created", "archived", "killed", "processed", "closed", "merged", "sent", "moved", "published",
                                       "approved", "assigned", "stopped", "started", "imported", "migrated", "released", "unread"};
constexpr std::string_view kRefusals[] = {"error", "fail", "denied", "unauthorized", "forbidden", "refused", "rejected", "invalid", "not found", "timeout", "timed out",
                                          "cannot", "could not", "couldn't", "unable", "exception", "no such", "does not", "wrong", "bad request"};

constexpr PhraseSet kMeasureSet(kMeasures);
constexpr PhraseSet kRefusalSet(kRefusals);

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

bool tells_measure(std::string_view answer) { return answer.size() <= kLooked && kMeasureSet.said_in(answer); }

bool tells_deed(std::string_view answer) {
    constexpr std::size_t kShort = 200;
    if (answer.size() > kShort) return false;
    constexpr std::size_t kFirstWords = 48;
    std::string_view front = answer.substr(0, kFirstWords);
    for (std::size_t begin = 0; begin < front.size();) {
        while (begin < front.size() && !is_letter(front[begin])) ++begin;
        std::size_t end = begin;
        while (end < front.size() && is_letter(front[end])) ++end;
        const std::string_view word = front.substr(begin, end - begin);
        const auto same = [&](std::string_view deed) {
            return deed.size() == word.size() && std::ranges::equal(deed, word, [](char a, char b) { return a == (b | 0x20); });
        };
        if (!word.empty() && std::ranges::any_of(kDeeds, same)) return !tells_refusal(answer);
        begin = end;
    }
    return false;
}

bool tells_refusal(std::string_view answer) { return kRefusalSet.said_in(answer); }

}  // namespace agent_audit::detectors
