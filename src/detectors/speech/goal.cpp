#include "detectors/speech/goal.hpp"

#include "detectors/speech/goal_terms.hpp"
#include "detectors/speech/ordered_work.hpp"
#include "detectors/speech/permission.hpp"
#include "detectors/speech/remarks.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <agent_audit/support/unescape.hpp>

#include <algorithm>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kMostText = 2'048;      // of a human message: what is longer is pasted
constexpr std::size_t kMostGoalText = 1'024;  // of a message, for its words

constexpr std::string_view kBroad[] = {"refactor",
                                       "rename",
                                       "migrat",
                                       "across",
                                       "everywhere",
                                       "all ",
                                       "every ",
                                       "codebase",
                                       "whole ",
                                       "entire ",
                                       "restructur",
                                       "clean up",
                                       "cleanup",
                                       "reorganiz",
                                       "upgrade",
                                       "convert",
                                       "callers",
                                       "call sites",
                                       "all uses",
                                       "usages",
                                       "wherever",
                                       "throughout",
                                       "everything that",
                                       "imports it",
                                       "depends on it",
                                       "depend on it",
                                       "the other modules",
                                       "the other packages",
                                       "other places",
                                       "the others",
                                       "other files",
                                       "what breaks",
                                       "whatever breaks",
                                       "that breaks",
                                       "what broke",
                                       "fix the errors",
                                       "fix all errors",
                                       "fix any errors",
                                       "fix the type errors",
                                       "compile again",
                                       "it compile",
                                       "build again",
                                       "update imports",
                                       "update the imports",
                                       "wire ",
                                       "find out",
                                       "as an example",
                                       "as example",
                                       "as a template",
                                       "as template",
                                       "as a reference",
                                       "as reference",
                                       "als vorlage",
                                       "als beispiel",
                                       "调用方",
                                       "调用处",
                                       "重构",
                                       "全部",
                                       "所有",
                                       "整个",
                                       "迁移",
                                       "重命名"};
constexpr std::string_view kNarrow[] = {"only ",   "just ", "small ",       "minimal", "one-line", "one line",
                                        "single ", "tiny ", "nothing else", "只",      "仅",       "小改"};
constexpr std::string_view kOneThing[] = {"only that ",
                                          "only this ",
                                          "just that bug",
                                          "just this bug",
                                          "just that one",
                                          "just this one",
                                          "nothing else",
                                          "that bug only",
                                          "this bug only",
                                          "and nothing more",
                                          "leave everything else",
                                          "nur diesen ",
                                          "nur dieses ",
                                          "nur diese ",
                                          "nur den einen",
                                          "sonst nichts",
                                          "nichts anderes",
                                          "uniquement ce ",
                                          "seulement ce ",
                                          "rien d'autre",
                                          "rien d’autre",
                                          "solo eso",
                                          "solo ese ",
                                          "nada más",
                                          "só isso",
                                          "apenas isso",
                                          "apenas esse ",
                                          "nada mais",
                                          "solo quello",
                                          "solo quel ",
                                          "nient'altro",
                                          "только это",
                                          "только эту ",
                                          "больше ничего",
                                          "только этот ",
                                          "只修这",
                                          "只改这",
                                          "只修复这",
                                          "其他都不要",
                                          "別のところは",
                                          "それだけ",
                                          "この問題だけ",
                                          "이것만"};
constexpr std::string_view kWantsCheck[] = {"until the test",
                                            "until test",
                                            "until all test",
                                            "tests pass",
                                            "tests are green",
                                            "test passes",
                                            "make sure the test",
                                            "make sure all test",
                                            "make sure it compiles",
                                            "make sure the build",
                                            "build is green",
                                            "build passes",
                                            "run the test",
                                            "verify with the test",
                                            "ci is green",
                                            "until it compiles",
                                            "until the build",
                                            "测试通过",
                                            "测试全部通过",
                                            "测试都通过",
                                            "测试必须通过",
                                            "通过所有测试",
                                            "跑通测试",
                                            "跑通所有",
                                            "测试跑通",
                                            "跑测试",
                                            "运行测试",
                                            "通过测试",
                                            "编译通过"};

// Short programs that any work uses: that a human names one says nothing about the work.
constexpr std::string_view kPlainPrograms[] = {"cd", "cp", "df", "du", "fd", "id", "jq", "ln", "ls",
                                               "mv", "ps", "rg", "rm", "sh", "tr", "vi", "wc"};

// The programs with names of two letters with which something in backticks begins: `bd create`.
void add_short_names(std::string_view text, WordSet& words) {
    for (std::size_t open = text.find('`'); open != text.npos; open = text.find('`', open + 1)) {
        const std::size_t close = text.find('`', open + 1);
        if (close == text.npos) return;
        const std::string_view named = text.substr(open + 1, close - open - 1);
        if (const std::string_view name = short_program(named); !name.empty() && words.size() < GoalModel::kMostWords)
            words.add(act_word(name));
        open = close;
    }
}

// `File "src/main.py", line 3`, "at run (src/main.ts:3:1)": where something failed.
bool is_of_trace(std::string_view line) {
    line = trimmed(line);
    return (line.starts_with("File \"") && line.find(", line ") != line.npos) ||
           (line.starts_with("at ") && line.find(':') != line.npos);
}

// Does a path stand there that the work is about? Not one in a traceback, nor one that is only to be looked at: "(see
// ci.yml)".
bool names_scope(std::string_view text) {
    constexpr std::string_view kLooks[] = {"see ", "siehe ", "cf. ", "voir "};
    constexpr std::size_t kMost = 32;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (is_of_trace(line)) continue;
        for (const std::string& path : paths_in(line, kMost)) {
            const std::size_t at = line.find(path);
            std::string before = lowered(line.substr(0, std::min(at, line.size())));
            while (before.ends_with('`') || before.ends_with('"') || before.ends_with('@')) before.pop_back();
            if (std::ranges::none_of(kLooks, [&](std::string_view look) { return before.ends_with(look); }))
                return true;
        }
    }
    return false;
}

}  // namespace

std::string_view short_program(std::string_view command) {
    const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
    if (command.size() < 2 || (command.size() > 2 && command[2] != ' ') || !letter(command[0]) || !letter(command[1]))
        return {};
    const std::string_view name = command.substr(0, 2);
    const bool plain = std::ranges::find(kPlainPrograms, name) != std::end(kPlainPrograms);
    return plain ? std::string_view{} : name;
}

std::string_view without_editor_context(std::string_view text) {
    if (!text.starts_with("# Context from my IDE setup")) return text;
    const std::size_t request = text.find("## My request");
    return request == text.npos ? text : text.substr(std::min(text.find('\n', request), text.size()));
}

HumanText human_text(RawText raw, std::uint64_t line) {
    HumanText human{decoded(raw, kMostText), line, false};
    human.text.erase(0, human.text.size() - without_editor_context(human.text).size());
    if (human.text.size() < 60) {
        ActWords words;
        add_words({human.text, TextForm::plain}, human.text.size(), words);
        human.bare = words.size() < 2;
    }
    return human;
}

void GoalModel::clear() {
    words_.clear();
    paths_.clear();
    constraints_.clear();
    said_.clear();
    line_ = 0;
    latest_.clear();
    latest_line_ = 0;
    messages_ = 0;
    only_greeted_ = false;
    manner_.clear();
    narrow_from_ = 0;
}

bool GoalModel::broad() const {
    static constexpr PhraseSet phrases(kBroad);
    if (phrases.said_in(manner_)) return true;
    return !narrow() && orders_elsewhere(manner_);
}
bool GoalModel::of_every_file() const { return works_in_every_file(manner_); }
bool GoalModel::placed() const { return works_in_files(manner_); }
// In a long brief such words are about something else.
bool GoalModel::narrow() const {
    static constexpr PhraseSet phrases(kNarrow);
    constexpr std::size_t kShort = 600;
    const std::string_view said = std::string_view(manner_).substr(narrow_from_);
    return said.size() <= kShort && phrases.said_in(said);
}
bool GoalModel::one_thing() const {
    static constexpr PhraseSet phrases(kOneThing);
    constexpr std::size_t kShort = 600;
    const std::string_view said = std::string_view(manner_).substr(narrow_from_);
    return said.size() <= kShort && phrases.said_in(said);
}
bool GoalModel::wants_check() const {
    static constexpr PhraseSet phrases(kWantsCheck);
    // "Don't run the tests", "I run the tests myself"
    constexpr std::string_view kNots[] = {" i ",      "i'll ", "i’ll ", "i will ", "i can ",   "don't ",
                                          "don’t ",   "dont ", "not ",  "never ",  "without ", "no need to ",
                                          "needn't ", "不要",  "别",    "不用",    "不必",     "无需"};
    constexpr std::size_t kLongest = 16;
    return phrases.any(manner_, [&](std::size_t at, std::string_view) {
        const std::string before =
            " " + lowered(std::string_view(manner_).substr(at - std::min(at, kLongest), std::min(at, kLongest)));
        return std::ranges::none_of(kNots, [&](std::string_view word) { return before.ends_with(word); });
    });
}

void GoalModel::take_words(std::string_view text) {
    // Word sets are small and fixed; a long message comes in pieces.
    constexpr std::size_t kPiece = 240;
    text = text.substr(0, kMostGoalText);
    add_short_names(text, words_);
    for (std::size_t at = 0; at < text.size() && words_.size() < kMostWords; at += kPiece) {
        std::size_t begin = at;
        while (begin > 0 && begin + 12 > at && !is_space(text[begin - 1])) --begin;
        ActWords words;
        add_words({text.substr(begin, kPiece + (at - begin)), TextForm::plain}, kPiece + 16, words);
        for (const std::uint32_t word : words.all()) {
            if (words_.size() < kMostWords) words_.add(word);
        }
    }
}

std::uint32_t GoalModel::hits(const ActWords& words) const {
    std::uint32_t n = 0;
    for (const std::uint32_t word : words.all()) n += has(word);
    return n;
}

void GoalModel::hear(const HumanText& human) {
    ruled_ = false;
    const bool first = !human.reason && (messages_ == 0 || only_greeted_);
    const bool command = is_command_word(human.text);
    if (!human.reason) ++messages_;
    if (first) only_greeted_ = command || is_greeting(human.text);
    if (command && !first) return;
    if (!human.reason && !command && !is_remark(human.text) && !goes_on(human.text)) {
        latest_ = shortened(trimmed(human.text));
        latest_line_ = human.line;
    }
    take_words(human.text);
    std::vector<std::string> named = paths_in(human.text, kMostPaths);
    if (human.bare && !first) {
        // "now fix all modules", "now do the app": few words, and the scope is open.
        if (orders_widely(human.text) || (named.empty() && goes_elsewhere(human.text))) paths_.clear();
        widen(std::move(named));  // "also update b.md": few words, and a file
        allow_named(human);
        return take_constraints(human);  // "and don't push": few words, and a rule
    }
    if (!names_scope(human.text)) named.clear();
    if (first || named.empty()) {
        paths_ = std::move(named);
    } else {
        widen(std::move(named));
    }
    // Few rules ask for the manner of a goal, and only when something is amiss.
    if (first) manner_.clear();
    if (manner_.size() < kMostText) manner_.append(human.text).push_back('\n');
    narrow_from_ = manner_.size() - std::min(manner_.size(), human.text.size() + 1);
    line_ = human.line;
    said_ = shortened(trimmed(human.text));
    if (!first) allow_named(human);
    take_constraints(human);
}

// Once the scope is open, a file named in passing does not close it.
void GoalModel::widen(std::vector<std::string> named) {
    if (paths_.empty()) return;
    for (std::string& path : named) {
        if (paths_.size() < kMostPaths && std::ranges::find(paths_, path) == paths_.end())
            paths_.push_back(std::move(path));
    }
}

void GoalModel::answered(std::string_view question, std::string_view answer) {
    std::erase_if(constraints_, [&](const Constraint& c) {
        // "What next?" - "Push it to origin"
        const bool command = c.kind == Constraint::Kind::forbid_command;
        return agrees_to(answer, question, c) || (command && heard(answer, c) == Heard::frees);
    });
}

// "Plan it first, don't write any code yet": until then. What a plan says of pushing nobody knows.
void GoalModel::plan_agreed() {
    std::erase_if(constraints_, [](const Constraint& c) {
        const bool all = c.which == Constraint::Which::all_files || c.which == Constraint::Which::code;
        return c.kind == Constraint::Kind::forbid_path && all && !c.adds && !c.deletes;
    });
}

// "ok, push it": what a human orders or allows is allowed again. Whoever only names it may have meant that.
void GoalModel::allow_named(const HumanText& human) {
    std::erase_if(constraints_, [&](Constraint& c) {
        const Heard what = c.for_now ? Heard::frees : heard(human.text, c);
        if (what == Heard::speaks_of) c.spoken_of = human.line;
        return what == Heard::frees;
    });
}

void GoalModel::add(Constraint constraint) {
    const auto same = [&](const Constraint& c) {
        return c.kind == constraint.kind && c.target == constraint.target && c.deletes == constraint.deletes &&
               c.adds == constraint.adds;
    };
    if (const auto known = std::ranges::find_if(constraints_, same); known != constraints_.end()) {
        known->spoken_of = 0;  // said again
        return;
    }
    if (constraint.target.empty() || constraints_.size() >= kMostConstraints) return;
    constraints_.push_back(std::move(constraint));
    ruled_ = true;
}

namespace {

// "Do not commit yet. Run the tests, then commit.": when that may be done is not known.
bool ordered_later(std::string_view text, const Constraint& c) {
    constexpr std::string_view kLater[] = {" then ", "first", "after", " later", "once "};
    if (waits_for_review(c.sentence)) return false;  // "I want to look at it first"
    if (contains_any(lowered(c.sentence), kLater)) return true;
    const std::size_t at = text.find(c.sentence);
    if (at == text.npos) return false;
    text.remove_prefix(at + c.sentence.size());
    if (any_sentence(text, [](std::string_view sentence) { return lowered(sentence).starts_with("then "); }))
        return true;
    return c.kind == Constraint::Kind::forbid_command ? heard(text, c) == Heard::frees : takes_back(text, c);
}

// "We don't use npm here, but the new tool needs it. Run npm install in tools/."
bool ordered_all_the_same(std::string_view text, const Constraint& c) {
    if (c.kind != Constraint::Kind::forbid_command) return false;
    constexpr std::string_view kRuns[] = {"run ", "use ", "execute ", "then run ", "please run "};
    const std::string target = lowered(c.target);
    const std::size_t at = text.find(c.sentence);
    return at != text.npos && any_sentence(text.substr(at + c.sentence.size()), [&](std::string_view sentence) {
               const std::string lower = lowered(sentence);
               return starts_with_any(lower, kRuns) && lower.find(target) != lower.npos &&
                      stated_rules(sentence).empty();
           });
}

// "Do not commit automatically. … Fix it and commit": what is only not to be done unasked is asked for.
bool asked_for(std::string_view text, const Constraint& c) {
    constexpr std::string_view kUnasked[] = {"automatically", "on your own", "by yourself", "unprompted", "proactively",
                                             "unasked",       "directly",    "right away",  "immediately"};
    if (c.kind != Constraint::Kind::forbid_command || !contains_any(lowered(c.sentence), kUnasked)) return false;
    const std::size_t at = text.find(c.sentence);
    return at != text.npos && heard(text.substr(at + c.sentence.size()), c) == Heard::frees;
}

// "Don't change a.py. EDIT: sorry, I meant b.py. a.py is where the bug is."
bool meant_otherwise(std::string_view text, const Constraint& c) {
    constexpr std::string_view kMeant[] = {
        "i meant", "edit:", "correction:", "scratch that", "wait, no", "just kidding"};
    const std::size_t at = text.find(c.sentence);
    if (at == text.npos) return false;
    const std::string_view rest = text.substr(at + c.sentence.size());
    return contains_any(lowered(rest), kMeant) && heard(rest, c) != Heard::nothing;
}

// "The docs say you must not edit schema.sql. That is outdated, add a column to it.": what others ruled out, and the
// human does not want to be held to.
bool relayed_and_overruled(std::string_view text, const Constraint& c) {
    constexpr std::string_view kSays[] = {" says",     " said",     " say ",      " say:",     " told me", " told us",
                                          " wrote",    " warns",    " insists",   " claims",   " thinks ", " asked me",
                                          " asked us", " wants us", " wanted us", " complains"};
    constexpr std::string_view kBut[] = {"but ",       "however",    "outdated", "obsolete",  "disagree",  "wrong",
                                         "nonsense",   "no longer",  "not true", "anyway",    "this time", "ignore",
                                         "forget",     " fine",      "lol",      "go ahead",  "talked to", "asked him",
                                         "asked her",  "asked them", "overrule", "exception", "any more",  "anymore",
                                         "these days", " we do ",    " old "};
    // What the human says, thinks and wants is their own.
    constexpr std::string_view kOwn[] = {"i", "we", "as"};
    const std::size_t at = text.find(c.sentence);
    if (at == text.npos) return false;
    // The one who says it may stand in the line before: "Jonas wrote:".
    std::size_t begin = at;
    while (begin > 0 && (text[begin - 1] == '\n' || text[begin - 1] == ' ' || text[begin - 1] == '-')) --begin;
    begin = begin > 0 && text[begin - 1] == ':' ? text.rfind('\n', begin - 1) + 1 : at;  // npos + 1 = 0
    const std::string said = lowered(text.substr(begin, at - begin + c.sentence.size()));
    const bool relayed = std::ranges::any_of(kSays, [&](std::string_view says) {
        const std::size_t found = said.find(says);
        if (found == said.npos) return false;
        const std::string_view who = trimmed(std::string_view(said).substr(0, found));
        return !who.empty() && std::ranges::none_of(kOwn, [&](std::string_view own) {
            return who.ends_with(own) && (who.size() == own.size() || who[who.size() - own.size() - 1] == ' ');
        });
    });
    if (!relayed) return false;
    const std::string_view rest = text.substr(at + c.sentence.size());
    return contains_any(said, kBut) || contains_any(lowered(rest), kBut) || heard(rest, c) == Heard::frees;
}

// "In the example app don't touch main.py. In the real app (src/main.py) add a flag.": the longer names of such a file
// in sentences that order something are other files.
void allow_longer_names(std::string_view text, Constraint& c) {
    if (c.kind != Constraint::Kind::forbid_path || c.which != Constraint::Which::named || c.target.starts_with('/'))
        return;
    constexpr std::string_view kIMean = "i mean ";  // "The main.py I mean is src/main.py"
    const std::string tail = "/" + c.target;
    if (text.find(tail) == text.npos) return;
    any_sentence(text, [&](std::string_view sentence) {
        if (sentence.find(tail) == sentence.npos) return false;
        const std::string lower = lowered(sentence);
        if (lower.find(kIMean) == lower.npos && !orders_anything(lower)) return false;
        for (std::string& path : paths_in(sentence, 8)) {
            if (path.ends_with(tail) && stated_rules(sentence).empty()) c.allowed.push_back(std::move(path));
        }
        return false;
    });
}

}  // namespace

void GoalModel::take_constraints(const HumanText& human) {
    for (Constraint& c : stated_rules(human.text)) {
        if (relayed_and_overruled(human.text, c) || asked_for(human.text, c) || meant_otherwise(human.text, c))
            continue;
        if (c.for_now && ordered_later(human.text, c)) continue;
        if (ordered_all_the_same(human.text, c)) continue;
        allow_longer_names(human.text, c);
        c.line = human.line;
        add(c);
        if (c.kind == Constraint::Kind::only_path) widen_only(human.text, c);
    }
}

// "Only touch server/. Also fix the typo in README.md."
void GoalModel::widen_only(std::string_view text, const Constraint& c) {
    const std::size_t at = text.find(c.sentence);
    if (at == text.npos) return;
    any_sentence(text.substr(at + c.sentence.size()), [&](std::string_view sentence) {
        if (!takes_back(sentence, c)) return false;
        for (std::string& path : paths_in(sentence, kMostPaths)) {
            Constraint more = c;
            more.target = std::move(path);
            add(std::move(more));
        }
        return false;
    });
}

void GoalModel::compacted(std::string_view summary) {
    if (summary.empty() || constraints_.empty()) return;
    const std::string lower = lowered(summary);
    for (Constraint& c : constraints_) {
        if (c.which != Constraint::Which::named || (c.kind == Constraint::Kind::forbid_tool && !c.onto.empty()))
            continue;  // said in too many ways to be missed
        std::string target = lowered(c.target);
        while (target.ends_with('/')) target.pop_back();
        c.lost = lower.find(target) == lower.npos;
    }
}

}  // namespace agent_audit::detectors
