#include "detectors/engine/claims.hpp"

#include "detectors/engine/goal.hpp"
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

// "no" only with what follows: "no problem" and "no need" are none.
constexpr std::string_view kStrongStarts[] = {"no, ",
                                              "no. ",
                                              "no! ",
                                              "no - ",
                                              "no — ",
                                              "no i ",
                                              "no that",
                                              "no don't",
                                              "no not",
                                              "no you",
                                              "no stop",
                                              "no it's not",
                                              "no it isn't",
                                              "nope",
                                              "stop.",
                                              "stop!",
                                              "stop,",
                                              "stop ",
                                              "stop\n",
                                              "wrong",
                                              "that's wrong",
                                              "that is wrong",
                                              "this is wrong",
                                              "not that",
                                              "that's not",
                                              "that’s not",
                                              "that is not",
                                              "this is not what",
                                              "this isn't what",
                                              "this isn’t what",
                                              "that isn't",
                                              "that isn’t",
                                              "not what i",
                                              "i asked",
                                              "i said",
                                              "i told you",
                                              "i didn't ask",
                                              "i didn’t ask",
                                              "i did not ask",
                                              "i never asked",
                                              "i meant",
                                              "you misunderstood",
                                              "you're off",
                                              "you are off",
                                              "undo",
                                              "revert",
                                              "wait, no",
                                              "wait no",
                                              "wtf",
                                              "what are you doing",
                                              "why are you ",
                                              "why did you ",
                                              "you shouldn't have",
                                              "you should not have",
                                              "you broke",
                                              "不对",
                                              "不是这",
                                              "不是让你",
                                              "不是叫你",
                                              "我说的是",
                                              "我要的是",
                                              "我让你",
                                              "我是让你",
                                              "我要你",
                                              "错了",
                                              "停下",
                                              "停止",
                                              "停一下",
                                              "停。",
                                              "停！",
                                              "停，",
                                              "撤销",
                                              "回退",
                                              "你理解错",
                                              "你搞错",
                                              "你弄错",
                                              "跑题",
                                              "别改",
                                              "别再",
                                              "谁让你",
                                              "为什么你",
                                              "你为什么"};
constexpr std::string_view kStrongInside[] = {"that's not what i",
                                              "that is not what i",
                                              "that’s not what i",
                                              "not what i asked",
                                              "not what i wanted",
                                              "not what i meant",
                                              "i asked for",
                                              "i asked you to",
                                              "i told you",
                                              "i did not ask",
                                              "i didn't ask",
                                              "i never asked",
                                              "you misunderstood",
                                              "you were supposed to",
                                              "went off track",
                                              "off topic",
                                              "off-topic",
                                              "you ignored",
                                              "why did you change",
                                              "why did you delete",
                                              "why did you remove",
                                              "why are you changing",
                                              "instead of what i",
                                              "stick to the",
                                              "stay on task",
                                              "不是我要的",
                                              "不是我想要的",
                                              "我没让你",
                                              "我没有让你",
                                              "我没叫你",
                                              "你跑题",
                                              "偏题",
                                              "不要再改",
                                              "不是我说的",
                                              "我要的不是"};
constexpr std::string_view kWeakInside[] = {
    "you forgot",        "you didn't",   "you didn’t",    "you did not", "doesn't work", "does not work", "didn't work", "it's broken",  "is wrong",
    "not correct",       "incorrect",    "you missed",    "go back to",  "还是不行",     "没用",
    "不起作用",          "你忘了",       "有问题"};
constexpr std::string_view kPersistsInside[] = {
    "still broken",        "still doesn't work",  "still not working",   "still doesn’t work", "still the same", "still fails",
    "still failing",       "still getting",       "still get the",       "still gives",        "still throws",   "still crashes",
    "still not fixed",     "still see the",       "still seeing",        "still happens",      "still wrong",    "same error again",
    "same problem again",  "same issue again",    "get the same",        "getting the same",   "gives the same", "isn't fixed",
    "is not fixed",        "isn’t fixed",         "wasn't fixed",        "not fixed yet",      "nothing changed", "还是一样",
    "同样的错误"};
// Said about what is there now, whatever it is compared with.
constexpr std::string_view kPraise[] = {"much better",  "even better", "better than", "i like it",   "i like this", "love it",
                                        "love this",    "works great", "great job",   "nicely done", "well done",   "looks great"};
constexpr std::string_view kDoubts[] = {
    "are you sure", "are u sure", "you sure?", "really?", "did you actually", "did you even", "did you really",
    "have you actually", "have you even", "did you test", "have you tested", "你确定", "确定吗", "真的吗", "真的修好",
    "你测试过", "你真的"};
// What looks like one and is none.
constexpr std::string_view kNoCorrection[] = {
    "no problem",      "no need",           "no worries",     "no, thanks",
    "no, thank",       "no thank",          "no, that's all", "no, that is all",
    "no that's all",   "no more ",          "nothing else",   "no, that's fine",
    "no, that’s fine", "no, it's fine",     "no, go ahead",   "no, that is fine",
    "no, all good",    "no, looks good",    "stop here",      "stop there",
    "stop the server", "stop the dev",      "stop the ",      "that's not a problem",
    "that's not bad",  "that's not needed", "not that i"};

// Behind a count of what passed.
constexpr std::string_view kPass[] = {" passing", " passed", " pass", " green"};

constexpr PhraseSet kDoneSet(kDone);
constexpr PhraseSet kCheckedSet(kChecked);
constexpr PhraseSet kHedgeSet(kHedges);
constexpr PhraseSet kPassSet(kPass);
constexpr PhraseSet kStrongSet(kStrongInside);
constexpr PhraseSet kWeakSet(kWeakInside);
constexpr PhraseSet kPersistsSet(kPersistsInside);
constexpr PhraseSet kPraiseSet(kPraise);

}  // namespace

namespace {

// "No, the old one looks great" takes nothing back.
bool begins_with_no(std::string_view lower) { return lower.starts_with("no,") || lower.starts_with("no.") || lower.starts_with("no "); }

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

Correction correction_in(std::string_view text, bool asked) {
    // The verdict stands in front; what follows is the new instruction, or a pasted log.
    constexpr std::size_t kVerdict = 240;
    while (!text.empty() && (text.front() == ' ' || text.front() == '\n' || text.front() == '\t'))
        text.remove_prefix(1);
    text = text.substr(0, kVerdict);
    const std::string lower = lowered(text);
    if (starts_with_any(lower, kNoCorrection)) return Correction::none;
    if (!begins_with_no(lower) && kPraiseSet.in(text)) return Correction::none;
    const bool inside = kStrongSet.in(text);
    if (asked && !inside && (lower.starts_with("no") || lower.starts_with("don't") || lower.starts_with("stop")))
        return Correction::none;
    if (lower == "no" || lower == "stop" || lower == "no\n" || lower == "stop\n" || lower == "停")
        return Correction::strong;
    if (inside || starts_with_any(lower, kStrongStarts)) return Correction::strong;
    if (kPersistsSet.in(text)) return Correction::persists;
    if (kWeakSet.in(text)) return Correction::weak;
    return starts_with_any(lower, kDoubts) ? Correction::doubt : Correction::none;
}

}  // namespace agent_audit::detectors
