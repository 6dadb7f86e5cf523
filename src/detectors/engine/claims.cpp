#include "detectors/engine/claims.hpp"

#include "detectors/engine/number_words.hpp"
#include "detectors/engine/phrases.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <optional>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kDone[] = {"is done",     "all done",   "is complete",  "is now complete", "are complete",
                                      "completed",   "is fixed",   "is now fixed", "has been fixed",  "have been fixed",
                                      "fixed the",   "i've fixed", "i fixed",      "implemented",     "successfully",
                                      "is finished", "now works",  "works now",    "is working now",  "done.",
                                      "done!",       "finished everything", "completes the", "resolved",   "已完成",       "完成了",          "已修复",
                                      "修复了",      "已解决",     "已经完成",     "已经修复",        "搞定"};
constexpr std::string_view kChecked[] = {
    "tests pass",        "tests are passing", "tests passed",   "tests now pass",  "tests are green",
    "test suite passes", "suite is green",    "build passes",   "build succeeds",  "build is green",
    "test passes",       "test now passes",   "tests all pass", "test is passing", "all green",
    "pytest passes",     "tests and they pass", "they all pass", "they pass now", "tests succeed",
    "tests now succeed", "everything passes", "everything is green", "ci is green", "fixed and verified",
    "checks pass",       "compiles cleanly",  "lint passes",    "verified that",   "no test fails",
    "no tests fail",     "tests fail any more", "0 failed",     "0 failures",      "no failures",
    "tests laufen durch", "zero failures",   "no errors any more", "no failing tests", "nothing fails",
    "no test failures",  "no lint errors",    "build is clean",  "clippy is clean", "validate passes",
    "image builds fine", "tests ok",          "exits with 0 now", "测试通过",
    "测试全部通过",      "全部通过",          "测试都通过",     "构建通过",        "编译通过"};
constexpr std::string_view kHedges[] = {"fail",
                                        "could not",
                                        "couldn't",
                                        "couldn’t",
                                        "unable",
                                        "not yet",
                                        "cannot",
                                        "can't",
                                        "can’t",
                                        "should pass",
                                        "should now pass",
                                        "not run",
                                        "haven't run",
                                        "have not run",
                                        "did not run",
                                        "didn't run",
                                        "untested",
                                        "unverified",
                                        "not verified",
                                        "once ",
                                        "when you",
                                        "would pass",
                                        "will pass",
                                        "pre-existing",
                                        "preexisting",
                                        "unrelated",
                                        "remaining",
                                        "still ",
                                        "however",
                                        "let me",
                                        "i'll ",
                                        "i will ",
                                        "next,",
                                        "until ",
                                        "before ",
                                        "make sure",
                                        "to ensure",
                                        "to verify",
                                        "if the",
                                        "expected",
                                        "skip",
                                        "失败",
                                        "未",
                                        "无法",
                                        "没有",
                                        "还需",
                                        "尚",
                                        "接下来",
                                        "让我"};

// Behind a count of what passed.
constexpr std::string_view kPass[] = {" passing", " passed", " pass", " green"};

constexpr PhraseSet kDoneSet(kDone);
constexpr PhraseSet kCheckedSet(kChecked);
constexpr PhraseSet kHedgeSet(kHedges);
constexpr PhraseSet kPassSet(kPass);

}  // namespace

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "0 failed", "no failures", "no test fails": they deny what the word says.
bool denied(std::string_view before) {
    constexpr std::string_view kDenials[] = {"0 ", "no ", "zero ", "without ", "no test ", "no tests ", "no longer ", "not a single ", "nothing "};
    constexpr std::size_t kLongest = 16;
    const std::string lower = lowered(before.substr(before.size() - std::min(before.size(), kLongest)));
    const bool more_digits = lower.size() > 2 && lower.ends_with("0 ") && is_digit(lower[lower.size() - 3]);  // "10 failed"
    return !more_digits && std::ranges::any_of(kDenials, [&](std::string_view denial) { return lower.ends_with(denial); });
}

// "The failing test passes now", "previously failing tests": told of what was.
bool was_failing(std::string_view text, std::size_t at) {
    constexpr std::string_view kNow[] = {"failing test pass", "failing test now pass", "failing tests pass", "failing tests now pass"};
    constexpr std::size_t kLongest = 24;
    return starts_with_any(lowered(text.substr(at, kLongest)), kNow) || lowered(text.substr(0, at)).ends_with("previously ");
}

// "works as expected"
bool says_works_as(std::string_view before) {
    const std::string lower = lowered(before.substr(before.size() - std::min<std::size_t>(before.size(), 12)));
    return lower.ends_with("works as ") || lower.ends_with("work as ") || lower.ends_with("working as ") || lower.ends_with("behaves as ");
}

bool is_hedged(std::string_view text) {
    return kHedgeSet.any(text, [&](std::size_t at, std::string_view phrase) {
        if (at > 0 && is_letter(text[at - 1]) && is_letter(phrase.front())) return false;
        if (phrase == "fail") return !denied(text.substr(0, at)) && !was_failing(text, at);
        return phrase != "expected" || !says_works_as(text.substr(0, at));
    });
}

// "5/5 passing", "12 / 12 tests pass": as many as there are.
bool counts_all_passed(std::string_view text) {
    return kPassSet.any(text, [&](std::size_t at, std::string_view phrase) {
        std::string_view head = text.substr(0, at);
        for (const std::string_view word : {"tests", "test", "checks", "specs"}) {
            if (head.ends_with(word)) head = trimmed_end(head.substr(0, head.size() - word.size()));
        }
        const std::optional<std::uint64_t> all = number_before(head);
        head = trimmed_end(head);
        if (!all || *all == 0) return false;
        if (head.ends_with(" of") || head.ends_with('/')) {
            head.remove_suffix(head.ends_with('/') ? 1 : 2);
            return number_before(head) == all;
        }
        return phrase == " passed";  // "→ 12 passed"; what failed beside it is a hedge
    });
}

}  // namespace

Claim claim_in(std::string_view text) {
    Claim claim;
    claim.done = kDoneSet.said_in(text);
    claim.checked = kCheckedSet.said_in(text) || counts_all_passed(text);
    claim.hedged = (claim.done || claim.checked) && is_hedged(text);
    return claim;
}

}  // namespace agent_audit::detectors
