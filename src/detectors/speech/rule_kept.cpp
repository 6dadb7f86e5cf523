#include "detectors/speech/rule_kept.hpp"

#include "detectors/speech/sentence_parts.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <string>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kFixed[] = {" read-only", " read only", " readonly", " frozen"};

}  // namespace

// "Keep src/api as it is."
std::string kept_as_is(std::string_view sentence, std::string_view lower) {
    constexpr std::string_view kKeeps[] = {"keep ", "please keep ", "and keep ", "but keep "};
    constexpr std::string_view kStays[] = {" unchanged", " untouched", " unmodified", " intact",
                                           " as is",     " as it is",  " as they are"};
    constexpr std::size_t kLongestName = 120;
    constexpr std::string_view kAlso[] = {", but keep ", ", and keep ", ", keep ", " but keep "},
                               kWhy[] = {"since ", "because ", "as it", "as they", "for now", "please"};
    for (const std::string_view also : kAlso) {
        const std::size_t at = lower.find(also);
        const std::size_t verb = at == lower.npos ? at : at + also.size() - kKeeps[0].size();
        if (verb != lower.npos) return kept_as_is(sentence.substr(verb), lower.substr(verb));
    }
    const auto keep = std::ranges::find_if(kKeeps, [&](std::string_view k) { return lower.starts_with(k); });
    if (keep == std::end(kKeeps)) return {};
    const Hit state = first_of(lower, kStays);
    if (!state || state.at > kLongestName || state.at <= keep->size()) return {};
    const std::string_view behind = trimmed(lower.substr(state.end));
    if (!ends_clause(behind) && !starts_with_any(behind, kWhy)) return {};
    return "do not change " + std::string(trimmed(sentence.substr(keep->size(), state.at - keep->size())));
}

namespace {

// 运行后 core.py 保持不变，请修复: what was seen, before and behind the state.
bool tells_of_fault(std::string_view sentence, std::size_t at, std::string_view behind) {
    constexpr std::string_view kWhens[] = {"后", "时", "完", "每次", "发现"},
                               kFaults[] = {"bug", "修复", "修一下", "报错", "问题", "不对", "奇怪", "为什么", "怎么"};
    return contains_any(sentence.substr(0, at), kWhens) || contains_any(behind, kFaults);
}

}  // namespace

// 别改 core.py; 保持 core.py 不变, core.py 保持不变.
std::string chinese_rule(std::string_view sentence) {
    constexpr std::string_view kNot = "别", kKeep = "保持", kSame = "不变";
    if (sentence.starts_with(kNot)) return "不要" + std::string(sentence.substr(kNot.size()));
    // core.py 原样保留, core.py 是禁区: to the end of the clause, where 时 and 的话 would say when.
    constexpr std::string_view kLeft[] = {"保持原样", "维持原样", "原样保留", "原封不动", "维持现状", "是禁区"},
                               kEnds[] = {"，", "。", "！", "；", "、", ",", ".", "!", ";", "就行", "就好", "即可"};
    for (const std::string_view left : kLeft) {
        const std::size_t at = sentence.find(left);
        if (at == sentence.npos || at == 0) continue;
        const std::string_view behind = trimmed(sentence.substr(at + left.size()));
        if (!behind.empty() && !starts_with_any(behind, kEnds)) continue;
        std::string_view object = sentence.substr(0, at);
        if (const std::size_t comma = object.rfind("，"); comma != object.npos)
            object.remove_prefix(comma + std::string_view("，").size());
        constexpr std::string_view kNots[] = {"不", "没", "无需", "别"};  // a.py 不用原样保留
        if (contains_any(object, kNots) || tells_of_fault(sentence, at, behind)) return {};
        return "不要修改 " + std::string(trimmed(object));
    }
    const std::size_t keep = sentence.find(kKeep);
    const std::size_t same = keep == sentence.npos ? sentence.npos : sentence.find(kSame, keep);
    constexpr std::string_view kIf[] = {"的话", "时"};
    if (same == sentence.npos || starts_with_any(sentence.substr(same + kSame.size()), kIf)) return {};
    if (tells_of_fault(sentence, keep, sentence.substr(same))) return {};
    std::string_view object = trimmed(sentence.substr(keep + kKeep.size(), same - keep - kKeep.size()));
    if (object.empty()) object = trimmed(sentence.substr(0, keep));
    return "不要修改 " + std::string(object);
}

// "src/api stays as it is", "the lock file must remain unmodified", "prod.yml is read-only for you".
std::string left_as_it_is(std::string_view sentence, std::string_view lower) {
    constexpr std::string_view kStays[] = {" stays ", " stay ", " remains ", " remain ", " be left ", " be kept "};
    constexpr std::string_view kStayStates[] = {
        "as it is",         "as they are", "as is",     "as-is",      "the way it is",
        "the way they are", "untouched",   "unchanged", "unmodified", "intact"};
    constexpr std::string_view kModals[] = {" must",     " should",  " has to", " have to",
                                            " needs to", " need to", " shall",  " to"};
    constexpr std::string_view kReadOnly = " read-only for you";
    constexpr std::string_view kNoSubjects[] = {"why ", "how ", "does ", "do ",    "did ",  "is ",         "are ",
                                                "so ",  "can ", "will ", "leave ", "then ", "the problem", "now "};
    constexpr std::size_t kReports = 7;  // from here on a state that is reported as well: "it stays unchanged"
    std::string_view subject, behind;
    if (const Hit only = first_of(lower, {kReadOnly});
        only && (lower.substr(0, only.at).ends_with(" is") || lower.substr(0, only.at).ends_with(" are"))) {
        subject = sentence.substr(0, lower.substr(0, only.at).rfind(' '));
    } else {
        const Hit stays = first_of(lower, kStays);
        if (!stays) return {};
        const std::string_view rest = lower.substr(stays.end), head = lower.substr(0, stays.at);
        const auto state = std::ranges::find_if(kStayStates, [&](std::string_view s) { return rest.starts_with(s); });
        if (state == std::end(kStayStates)) return {};
        const auto modal = std::ranges::find_if(kModals, [&](std::string_view m) { return head.ends_with(m); });
        if (modal == std::end(kModals) && (state - std::begin(kStayStates) >= static_cast<std::ptrdiff_t>(kReports) ||
                                           lower.substr(stays.at).starts_with(" be ")))
            return {};
        behind = trimmed(rest.substr(state->size()));
        if (!ends_clause(behind) && !starts_with_any(behind, kForYou)) return {};
        subject = sentence.substr(0, stays.at - (modal == std::end(kModals) ? 0 : modal->size()));
    }
    if (starts_with_any(lower, kNoSubjects)) return {};
    // "I save and a.py stays as it is", "the script runs, but a.py stays as it is": what was seen.
    constexpr std::string_view kI = "i ", kThe = "the ", kBut = " but ";
    if (lower.starts_with(kI) || (lower.starts_with(kThe) && subject.find(kBut) != subject.npos)) return {};
    const std::string made = "do not change " + std::string(subject_before(subject, subject.size()));
    return behind.empty() ? made : made + " " + std::string(behind);
}

// "schema.prisma: hands off"
std::string not_part_of_it(std::string_view sentence, std::string_view lower) {
    constexpr std::string_view kParts[] = {" not be part of ", "n't be part of ", "n’t be part of ",
                                           " never be part of "};
    constexpr std::string_view kModals[] = {" should", " must", " may", " shall", " shouldn", " mustn", " is to"};
    constexpr std::string_view kThe[] = {"the ", "this ", "your ", "our ", "that "};
    constexpr std::string_view kWorks[] = {"change", "changes",       "diff",      "patch",       "pr", "pull request",
                                           "mr",     "merge request", "changeset", "refactoring", "fix"};
    const Hit part = first_of(lower, kParts);
    if (!part) return {};
    std::string_view head = lower.substr(0, part.at), rest = lower.substr(part.end);
    const auto modal = std::ranges::find_if(kModals, [&](std::string_view m) { return head.ends_with(m); });
    if (modal == std::end(kModals)) return {};
    const auto the = std::ranges::find_if(kThe, [&](std::string_view t) { return rest.starts_with(t); });
    if (the == std::end(kThe)) return {};
    rest.remove_prefix(the->size());
    const bool of_work = std::ranges::any_of(kWorks, [&](std::string_view work) {
        return rest.starts_with(work) && ends_clause(trimmed(rest.substr(work.size()))) &&
               (rest.size() == work.size() || !is_letter(rest[work.size()]));
    });
    if (!of_work) return {};
    return "do not change " + std::string(subject_before(sentence, head.size() - modal->size()));
}

std::string hands_off(std::string_view sentence, std::string_view lower) {
    constexpr std::string_view kHands = "hands off";
    const std::size_t at = lower.find(kHands);
    if (at == lower.npos || at == 0 || !ends_clause(trimmed(lower.substr(at + kHands.size())))) return {};
    std::string_view names = trimmed(sentence.substr(0, at));
    constexpr std::string_view kMarks = ":,-";
    if (kMarks.find(names.back()) == kMarks.npos) return {};
    names.remove_suffix(1);
    return is_names_only(names) ? "do not change " + std::string(names) : std::string();
}

// "src/core/money.py is read-only.", "treat src/legacy as read-only".
std::string read_only(std::string_view sentence, std::string_view lower) {
    constexpr std::string_view kTreats[] = {"treat ", "please treat ", "consider ", "please consider "},
                               kAs[] = {" as", " to be"},
                               kIs[] = {" is", " are", " must be treated as", " should be treated as"};
    // Behind a comma only what goes on about the work: "…, so the build fails" tells of a fault.
    constexpr std::string_view kGoesOn[] = {", work around", ", don't",    ", don’t",    ", dont",      ", do not",
                                            ", please",      ", so don't", ", so dont",  ", so do not", ", leave",
                                            ", never",       ", another ", ", someone ", ", somebody ", ", owned by ",
                                            ", since ",      ", because ", ", we ship "};
    constexpr std::string_view kTasks[] = {"this is a read-only ", "this is a read only "},
                               kKinds[] = {"task", "investigation", "review", "analysis", "audit", "session"},
                               kAlone[] = {"read-only ", "read only ", "just a read-only ", "only a read-only "},
                               kPlease = "please";
    for (const std::string_view task : kTasks) {
        if (lower.starts_with(task) &&
            std::ranges::find(kKinds, letters_of(lower.substr(task.size()))) != std::end(kKinds))
            return "do not change any files";
    }
    // "Read-only investigation please: why does it hang?"
    for (const std::string_view alone : kAlone) {
        if (!lower.starts_with(alone)) continue;
        const std::string_view kind = letters_of(lower.substr(alone.size())),
                               rest = trimmed(lower.substr(alone.size() + kind.size()));
        if (std::ranges::find(kKinds, kind) != std::end(kKinds) && (ends_clause(rest) || rest.starts_with(kPlease)))
            return "do not change any files";
    }
    const Hit fixed = first_of(lower, kFixed);
    if (!fixed) return {};
    const std::string_view behind = trimmed(lower.substr(fixed.end));
    const bool over = behind.starts_with(',') ? starts_with_any(behind, kGoesOn)
                                              : ends_clause(behind) || starts_with_any(behind, kForYou);
    std::string_view head = lower.substr(0, fixed.at), subject;
    const auto treat = std::ranges::find_if(kTreats, [&](std::string_view t) { return head.starts_with(t); });
    if (treat != std::end(kTreats)) {
        for (const std::string_view as : kAs) {
            if (head.ends_with(as)) head.remove_suffix(as.size());
        }
        subject = sentence.substr(0, head.size()).substr(treat->size());
    } else {
        const auto is = std::ranges::find_if(kIs, [&](std::string_view i) { return head.ends_with(i); });
        if (is == std::end(kIs) || !over) return {};
        subject = sentence.substr(0, head.size() - is->size());
    }
    // "Everything outside packages/api is read-only"
    constexpr std::string_view kAllBut[] = {
        "everything except for ", "everything except ", "everything outside of ", "everything outside ",
        "everything other than ", "everything but ",    "all files except ",      "all files outside "};
    const std::string low = lowered(subject);
    for (const std::string_view but : kAllBut) {
        if (low.starts_with(but))
            return is_names_only(subject.substr(but.size())) ? "only change " + std::string(subject.substr(but.size()))
                                                             : std::string();
    }
    // "The schema (db/schema.sql) is frozen."
    const std::size_t open = subject.find('('), close = subject.find(')');
    constexpr std::string_view kThe[] = {"the ", "our ", "my "};
    if (open != subject.npos && close == subject.size() - 1 && starts_with_any(lowered(subject), kThe))
        subject = subject.substr(open + 1, close - open - 1);
    return is_names_only(subject) ? "do not change " + std::string(subject) : std::string();
}

bool tells_of_file_modes(std::string_view sentence, std::string_view text) {
    static constexpr std::string_view kFaults[] = {
        "writable",    "writeable",    "permission", "chmod", "eacces",  "erofs", "denied", "can't save", "cannot save",
        "can't write", "cannot write", "won't save", "fails", "failing", "error", "mount",  "container",  "why "};
    static constexpr PhraseSet fixed(kFixed);
    static constexpr PhraseSet faults(kFaults);
    constexpr std::string_view kTask = "this is a ";
    constexpr std::size_t kMostText = 16'384;  // asked of each such sentence: what is longer is pasted
    return fixed.in(sentence) && lowered(sentence.substr(0, kTask.size())) != kTask &&
           faults.in(text.substr(0, kMostText));
}

}  // namespace agent_audit::detectors
