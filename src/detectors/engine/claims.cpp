#include "detectors/engine/claims.hpp"

#include "detectors/commands/tool_class.hpp"
#include "detectors/engine/claim_states.hpp"
#include "detectors/engine/claim_words.hpp"
#include "detectors/words/number_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/among.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace agent_audit::detectors {
namespace {

using namespace claim_words;

// "0 failed", "no failures", "no test fails": they deny what the word says.
bool denied(std::string_view before) {
    constexpr std::string_view kDenials[] = {"0 ",        "no ",        "zero ",         "without ", "no test ",
                                             "no tests ", "no longer ", "not a single ", "nothing "};
    constexpr std::size_t kLongest = 16;
    const std::string lower = lowered(before.substr(before.size() - std::min(before.size(), kLongest)));
    const bool more_digits =
        lower.size() > 2 && lower.ends_with("0 ") && is_digit(lower[lower.size() - 3]);  // "10 failed"
    return !more_digits &&
           std::ranges::any_of(kDenials, [&](std::string_view denial) { return lower.ends_with(denial); });
}

// "The failing test passes now", "previously failing tests": told of what was.
bool was_failing(std::string_view text, std::size_t at) {
    constexpr std::string_view kNow[] = {"failing test pass", "failing test now pass", "failing tests pass",
                                         "failing tests now pass"};
    constexpr std::size_t kLongest = 24;
    return starts_with_any(lowered(text.substr(at, kLongest)), kNow) ||
           lowered(text.substr(0, at)).ends_with("previously ");
}

// "works as expected"
bool says_works_as(std::string_view before) {
    const std::string lower = lowered(before.substr(before.size() - std::min<std::size_t>(before.size(), 12)));
    return lower.ends_with("works as ") || lower.ends_with("work as ") || lower.ends_with("working as ") ||
           lower.ends_with("behaves as ");
}

// 没有失败, 0失败, 未发现问题 deny what the word says; 失败的测试 tells of what was.
bool denied_in_chinese(std::string_view text, std::size_t at, std::string_view phrase) {
    constexpr std::string_view kFaults[] = {"失败", "报错", "错误", "问题", "异常",
                                            "警告", "回归", "发现", "出现", "影响"};
    constexpr std::string_view kDenials[] = {"没有", "无", "0", "0 ", "0个", "0 个", "零"};
    const std::string_view before = text.substr(0, at), after = text.substr(at + phrase.size());
    if (phrase == "没有" || phrase == "未") return starts_with_any(after, kFaults);
    if (phrase != "失败") return false;
    const std::size_t zero = before.find_last_of('0');
    const bool more_digits = zero != before.npos && zero > 0 && is_digit(before[zero - 1]);  // 10个失败
    return after.starts_with("的") || (!more_digits && std::ranges::any_of(kDenials, [&](std::string_view denial) {
               return before.ends_with(denial);
           }));
}

// "测试都已通过", "编译成功": a check that is said to have passed, in a clause that sets no condition and denies
// nothing.
bool passed_in_chinese(std::string_view clause) {
    constexpr std::string_view kChecks[] = {"测试", "用例", "单测", "检查",   "校验",
                                            "构建", "编译", "lint", "pytest", "CI"};
    constexpr std::string_view kAll[] = {"全部通过", "均已通过", "都已通过", "均通过", "都通过", "验证通过"};
    constexpr std::string_view kPassing[] = {"通过了", "已通过", "并通过"};  // 通过测试 alone means "by testing"
    constexpr std::string_view kOpen[] = {"未",   "没通过", "没有通过", "没过", "不",   "无法", "尚", "如果", "若",
                                          "需要", "应该",   "应当",     "请",   "才",   "等",   "待", "只要", "之后",
                                          "希望", "目标",   "是否",     "能否", "部分", "超过", "还"};
    if (contains_any(clause, kOpen)) return false;
    if (contains_any(clause, kAll) || contains_any(clause, kBuiltInChinese)) return true;
    for (const std::string_view check : kChecks) {
        const std::size_t at = clause.find(check);
        if (at == clause.npos) continue;
        if (contains_any(clause.substr(at), kPassedInChinese) || contains_any(clause.substr(0, at), kPassing))
            return true;
    }
    return false;
}

// The clause that says so; empty = there is none.
std::string_view passed_in_any_clause(std::string_view text) {
    constexpr std::string_view kComma = "，";
    std::string_view clause;
    if (!kPassedSet.in(text)) return clause;
    any_sentence(text, [&](std::string_view sentence) {
        while (!sentence.empty()) {
            const std::size_t end = std::min(sentence.find(kComma), sentence.size());
            if (passed_in_chinese(sentence.substr(0, end))) {
                clause = sentence.substr(0, end);
                return true;
            }
            sentence.remove_prefix(std::min(end + kComma.size(), sentence.size()));
        }
        return false;
    });
    return clause;
}

bool is_hedged(std::string_view text) {
    return kHedgeSet.any(text, [&](std::size_t at, std::string_view phrase) {
        if (denied_in_chinese(text, at, phrase)) return false;
        if (at > 0 && is_letter(text[at - 1]) && is_letter(phrase.front())) return false;
        if (phrase.ends_with(" red"))
            return at + phrase.size() == text.size() || !is_letter(text[at + phrase.size()]);  // "is reduced"
        constexpr std::string_view kStill = "still ", kGood[] = {"pass", "green", "clean", "succeed", "all pass"};
        if (phrase == kStill && starts_with_any(text.substr(at + kStill.size()), kGood)) return false;
        if (phrase == "let me")
            return !text.substr(at + phrase.size()).starts_with(" know");  // "let me know" leaves nothing open
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

bool ends_with_words(std::string_view text, std::string_view words) {
    return text.ends_with(words) && (text.size() == words.size() || !is_letter(text[text.size() - words.size() - 1]));
}

// "Test results: 14/14."
bool counts_behind_label(std::string_view text) {
    constexpr std::string_view kLabels[] = {
        "test results: ", "tests: ", "test suite: ", "tests:** ", "test results:** ", "test suite:** "};
    for (std::size_t slash = text.find('/'); slash != text.npos; slash = text.find('/', slash + 1)) {
        std::size_t begin = slash, end = slash + 1;
        while (begin > 0 && is_digit(text[begin - 1])) --begin;
        while (end < text.size() && is_digit(text[end])) ++end;
        const std::string_view passed = text.substr(begin, slash - begin),
                               all = text.substr(slash + 1, end - slash - 1);
        if (passed.empty() || passed != all || passed == "0" || (end < text.size() && text[end] == '/')) continue;
        const std::string head =
            lowered(text.substr(begin - std::min<std::size_t>(begin, 24), std::min<std::size_t>(begin, 24)));
        if (std::ranges::any_of(kLabels, [&](std::string_view label) { return head.ends_with(label); })) return true;
    }
    return false;
}

std::string_view sentence_at(std::string_view text, std::size_t at) {
    std::size_t begin = at;
    while (begin > 0 && std::string_view("\n.!?;").find(text[begin - 1]) == std::string_view::npos) --begin;
    return text.substr(begin, text.find_first_of("\n.;", at) - begin);
}

// "Not all tests pass", "if you restore it, all tests pass", "5 of 6 tests pass", "all tests pass?", "`all tests pass`
// is what it prints": words of a claim that claim nothing.
bool claims_nothing(std::string_view text, std::size_t at, std::string_view phrase) {
    constexpr std::string_view kOpen[] = {
        " not all ",     " if ",        " assuming ",  " provided ", " unless ",     " whether ",
        " expect ",      " not say ",   "n't say ",    "n’t say ",   " cannot say ", " cannot confirm ",
        " not confirm ", " goal: ",     " goal for",   " plan: ",    " todo: ",      " claim that ",
        " claims that ", " says that ", " said that ", " please ",   " check that ", " make sure "};
    constexpr std::string_view kSomeOf[] = {"other ", "most ", "some ", "most of the ", "some of the "};
    constexpr std::string_view kParts[] = {
        " except",   " apart from",    " aside from",   " other than",  " according to",
        " is what ", " is not enough", " isn't enough", " is no proof", "❌",
        "✗"};
    constexpr std::string_view kQuotes[] = {"\"", "`", "“", "「"};
    const std::string_view sentence = sentence_at(text, at);
    std::string_view head = sentence.substr(0, text.substr(at).data() - sentence.data());
    const std::string_view tail = sentence.substr(std::min(head.size() + phrase.size(), sentence.size()));
    // "`pytest` passes the fixture to each test"
    constexpr std::string_view kObjects[] = {" its ",  " the ", " a ",   " an ",     " it ",   " them",
                                             " each ", " arg",  " flag", " through", " down ", " along"};
    if (phrase.ends_with(" now") && !tail.empty() && is_letter(tail[0])) return true;  // "it compiles nowhere"
    if ((phrase.ends_with("passes") || phrase.ends_with("pass")) && starts_with_any(lowered(tail), kObjects))
        return true;
    // "All green squares are red now"
    constexpr std::string_view kAllGreen = "all green",
                               kBehindGreen[] = {" now",  " again",  " and",  " on ",     " with", " in ", " after",
                                                 " for ", " across", " here", " locally", " too",  " at "};
    if (phrase == kAllGreen && tail.size() > 1 && tail[0] == ' ' && is_letter(tail[1]) &&
        !starts_with_any(lowered(tail), kBehindGreen))
        return true;
    if (tail.starts_with('?') || contains_any(lowered(tail), kParts)) return true;
    // "Si les tests passent, …", "les tests passent par docker"
    constexpr std::string_view kForeign[] = {"passent",  "pasan",  "passam",   "passano",
                                             "проходят", "прошли", "bestanden"},
                               kIfs[] = {"si ",       "quand ",     "lorsque ",  "pour que ", "wenn ",   "falls ",
                                         "sobald ",   "damit ",     "cuando ",   "para que ", "quando ", "se ",
                                         "affinché ", "если ",      "Если ",     "Когда ",    "Чтобы ",  "когда ",
                                         "чтобы ",    "assure-toi", "asegúrate", "certifique"},
                               kThrough[] = {" par ", " de ", " da ", " por ", " per ", " à ", " a ", " через "};
    constexpr std::string_view kTestsPass = "tests pass";  // the beginning of "tests passent"
    if (phrase == kTestsPass && !tail.empty() && is_letter(tail[0])) return true;
    constexpr std::size_t kNear = 28;
    if (std::ranges::any_of(kForeign, [&](std::string_view word) { return phrase.ends_with(word); })) {
        const std::string near = " " + lowered(head.substr(head.size() - std::min(head.size(), kNear)));
        if (starts_with_any(tail, kThrough) || std::ranges::any_of(kIfs, [&](std::string_view word) {
                return near.find(" " + std::string(word)) != near.npos;
            }))
            return true;
    }
    constexpr std::string_view kRun = "run ";  // "Run `pytest` to confirm that all tests pass"
    if (lowered(trimmed(head)).starts_with(kRun)) return true;
    if (contains_any(std::string(" ").append(lowered(head)), kOpen)) return true;
    if (std::ranges::any_of(kSomeOf, [&](std::string_view some) { return lowered(head).ends_with(some); })) return true;
    for (const std::string_view word : {"the ", "All ", "all "}) {
        if (head.ends_with(word)) head.remove_suffix(word.size());
    }
    // "When the tests pass on CI", "left to do: make all tests pass"
    constexpr std::string_view kNotYet[] = {"when ", "once ",   "until ", "after ",  "as soon as ",
                                            "make ", "making ", "get ",   "getting "};
    if (std::ranges::any_of(kNotYet, [&](std::string_view open) { return ends_with_words(lowered(head), open); }))
        return true;
    if (phrase.find('`') == phrase.npos &&
        std::ranges::any_of(kQuotes, [&](std::string_view quote) { return head.ends_with(quote); }))
        return true;
    const std::optional<std::uint64_t> all = phrase.starts_with("test") ? number_before(head) : std::nullopt;
    if (!all) return false;
    head = trimmed_end(head);
    constexpr std::string_view kThe = " the";  // "10 of the 12 tests pass"
    if (head.ends_with(kThe)) head.remove_suffix(kThe.size());
    if (!head.ends_with(" of") && !head.ends_with('/')) return false;
    head.remove_suffix(head.ends_with('/') ? 1 : 2);
    return number_before(head) != all;
}

// テストはすべて通りました, 테스트가 모두 통과했습니다
bool passed_in_the_east(std::string_view text) {
    constexpr std::string_view kPassed[] = {
        "通りました",   "通っています",   "通るようになりました", "パスしました", "パスしています",
        "成功しました", "成功しています", "통과했습니다",         "통과합니다",   "통과했어요",
        "통과했다",     "통과했음",       "성공했습니다"};
    constexpr std::string_view kOpen[] = {"ません", "ない", "なかった", "失敗",     "エラー", "まだ", "未", "れば",
                                          "たら",   "場合", "必要",     "ください", "はず",   "一部", "않", "못",
                                          "실패",   "면 ",  "아직",     "해야",     "필요",   "일부"};
    return kEastSet.in(text) && any_sentence(text, [&](std::string_view sentence) {
               const std::size_t tests = std::min(sentence.find(kTestsInTheEast[0]), sentence.find(kTestsInTheEast[1]));
               return tests != sentence.npos && contains_any(sentence.substr(tests), kPassed) &&
                      !contains_any(sentence, kOpen);
           });
}

// "`go test ./...` passes", "`npm test` is green": a command that checks, and what is said of it.
CheckKinds commands_said_to_pass(std::string_view text) {
    constexpr std::string_view kPasses[] = {"passes",       "now passes", "passed",       "is green",
                                            "is now green", "is clean",   "succeeds",     "now succeeds",
                                            "succeeded",    "runs clean", "exits with 0", "exits 0"};
    constexpr std::string_view kBehind[] = {" and", " with", " again", " now", " cleanly", " locally", " for ", " on "};
    constexpr std::string_view kEnds = ".,;:!)\n";
    CheckKinds kinds = 0;
    for (std::size_t open = text.find('`'); open != text.npos; open = text.find('`', open + 1)) {
        const std::size_t close = text.find('`', open + 1);
        if (close == text.npos) break;
        const std::string_view command = text.substr(open + 1, close - open - 1);
        open = close;
        if (command.empty() || text.substr(close + 1).substr(0, 1) != " " ||
            classify_command({command, TextForm::plain}) != ToolClass::verify)
            continue;
        const std::string_view said = text.substr(close + 2);
        const auto passes = std::ranges::find_if(kPasses, [&](std::string_view word) {
            const std::string_view behind = said.starts_with(word) ? said.substr(word.size()) : std::string_view{"x"};
            return behind.empty() || kEnds.find(behind[0]) != kEnds.npos || starts_with_any(behind, kBehind);
        });
        if (passes == std::end(kPasses) || claims_nothing(text, close + 2, *passes)) continue;
        const CheckKinds named = scope_of_check({}, {command, TextForm::plain}).names;
        kinds |= named;
    }
    return kinds;
}

// "Tests: ✅", "| Build | ✅ |": checks with a tick behind them. Where something else has one too ("Docs: ✅") the ticks
// may say what was written, and tell of no check.
std::string_view ticked_label(std::string_view line, std::size_t tick) {
    constexpr std::string_view kMarks = " \t:-*_`|()[]\xE2\x80\x93\x94";
    std::string_view head = line.substr(0, tick);
    while (!head.empty() && (kMarks.find(head.back()) != kMarks.npos || is_digit(head.back()) || head.back() == '/'))
        head.remove_suffix(1);
    std::size_t begin = head.size();
    while (begin > 0 && (is_letter(head[begin - 1]) || head[begin - 1] == ' ' || head[begin - 1] == '-')) --begin;
    return trimmed(head.substr(begin));
}

CheckKinds ticked_checks(std::string_view text) {
    constexpr std::string_view kChecks[] = {"test",         "tests",         "unit tests", "integration tests",
                                            "e2e tests",    "all tests",     "test suite", "build",
                                            "lint",         "linter",        "linting",    "types",
                                            "type check",   "type checks",   "typecheck",  "type-check",
                                            "typechecking", "type checking", "compile",    "compilation",
                                            "pytest",       "eslint",        "ruff",       "mypy",
                                            "tsc",          "clippy"};
    constexpr std::string_view kBehind = ",|();\n.0123456789",
                               kWords[] = {"all ", "passing", "passed", "pass", "green", "ok", "clean"},
                               kPassed[] = {"pass", "all pass", "green", "all green"};
    constexpr std::string_view kCrosses[] = {"❌", "✗", "✘"};
    CheckKinds kinds = 0, told = 0;  // by a tick alone; by a tick and a word that says that it passed
    if (contains_any(text, kCrosses)) return kinds;
    bool other = false;
    kTickSet.any(text, [&](std::size_t at, std::string_view tick) {
        const std::size_t begin = text.rfind('\n', at) + 1;  // npos + 1 = 0
        const std::string_view label = ticked_label(text.substr(begin), at - begin);
        if (label.empty()) return false;  // a tick in front of what was done
        std::string_view name = label;
        while (name.starts_with('-') || name.starts_with(' ')) name.remove_prefix(1);
        const bool check = std::ranges::find(kChecks, std::string_view(lowered(name))) != std::end(kChecks);
        std::string_view behind = text.substr(at + tick.size());
        if (behind.starts_with("\xEF\xB8\x8F")) behind.remove_prefix(3);
        while (behind.starts_with(' ')) behind.remove_prefix(1);
        const bool next = std::ranges::any_of(kChecks, [&](std::string_view word) {
            return lowered(behind.substr(0, word.size())) == word;
        });  // "tests ✅ build ✅"
        if (!check || (!behind.empty() && kBehind.find(behind[0]) == kBehind.npos && !next &&
                       !starts_with_any(lowered(behind.substr(0, 16)), kWords))) {
            other = true;
        } else {
            const CheckKinds named = kinds_named_in(name);
            kinds |= named;
            if (starts_with_any(lowered(behind.substr(0, 16)), kPassed)) told |= named;
        }
        return false;
    });
    if (other) kinds = told;
    return kinds;
}

// What is said to have passed. "All checks are green: lint and tests" names two kinds, behind the phrase.
void find_phrases(std::string_view text, Claim& claim, bool& hinted) {
    kCheckedSet.any(text, [&](std::size_t at, std::string_view phrase) {
        if (at > 0 && is_letter(text[at - 1])) return false;
        if (among(phrase, kStateHints)) {
            hinted = true;
            return false;
        }
        if (claims_nothing(text, at, phrase)) return false;
        claim.checked = true;
        CheckKinds kinds = kinds_named_in(phrase);
        const bool of_all =
            kinds == 0 && std::ranges::any_of(kOfAll, [&](std::string_view all) { return phrase.starts_with(all); });
        if (of_all) kinds = kinds_named_in(sentence_at(text, at));
        claim.of |= kinds;
        claim.of_all = claim.of_all || (of_all && kinds == 0);
        return false;
    });
}

void find_checked(std::string_view text, Claim& claim) {
    bool hinted = false;
    find_phrases(text, claim, hinted);
    if (hinted) {
        if (const std::string fewer = without_more(text); !fewer.empty()) find_phrases(fewer, claim, hinted);
        for (const SaidState& said : states_said(text)) {
            if (claims_nothing(text, said.at, text.substr(said.at, said.size))) continue;
            claim.checked = true;
            claim.of |= said.kinds;
        }
    }
    if (counts_all_passed(text) || counts_behind_label(text)) {
        claim.checked = true;
        claim.of |= kinds_named_in(text) & kTestCheck;
    }
    if (const CheckKinds kinds = commands_said_to_pass(text) | ticked_checks(text); kinds != 0) {
        claim.checked = true;
        claim.of |= kinds;
    }
    if (passed_in_the_east(text)) {
        claim.checked = true;
        claim.of |= kTestCheck;
    }
    // A sentence of its own.
    if (!claim.checked) {
        kGreenSet.any(text, [&](std::size_t at, std::string_view phrase) {
            const std::string_view sentence = trimmed(sentence_at(text, at));
            if (sentence.size() != phrase.size() || text.substr(at + phrase.size()).starts_with('?')) return false;
            claim.checked = claim.of_all = claim.by_colour = true;
            return true;
        });
    }
    if (const std::string_view clause = passed_in_any_clause(text); !clause.empty()) {
        claim.checked = true;
        claim.of |= kinds_named_in(clause);
    }
}

}  // namespace

Claim claim_in(std::string_view text) {
    Claim claim;
    claim.done = kDoneSet.said_in(text);
    find_checked(text, claim);
    claim.success = kSuccessSet.said_in(text) && !kAdmitSet.in(text);
    claim.hedged = (claim.done || claim.checked || claim.success) && is_hedged(text);
    return claim;
}

}  // namespace agent_audit::detectors
