#include "detectors/engine/stated_rules.hpp"

#include "detectors/engine/foreign_orders.hpp"
#include "detectors/engine/path_words.hpp"
#include "detectors/engine/phrases.hpp"
#include "detectors/engine/rule_forms.hpp"
#include "detectors/engine/rule_lists.hpp"
#include "detectors/engine/rule_object.hpp"
#include "detectors/engine/rule_places.hpp"
#include "detectors/engine/rule_subject.hpp"
#include "detectors/engine/stated_commands.hpp"
#include "detectors/engine/stated_tools.hpp"
#include "detectors/engine/unnamed_rules.hpp"
#include "support/phrase_set.hpp"

#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLongestRule = 400;   // a longer sentence is prose
constexpr std::size_t kMostSentence = 160;  // kept of it
constexpr std::size_t kMostTarget = 120;

// Prohibitions. What stands behind them up to the end of the clause is forbidden.
constexpr std::string_view kForbids[] = {"do not ",
                                         "don't ",
                                         "don’t ",
                                         "dont ",
                                         "never ",
                                         "must not ",
                                         "mustn't ",
                                         "mustn’t ",
                                         "may not ",
                                         "not allowed to ",
                                         "you shall not ",
                                         "should not ",
                                         "shouldn't ",
                                         "shouldn’t ",
                                         "不要",
                                         "禁止",
                                         "不得",
                                         "不能",
                                         "切勿",
                                         "不准",
                                         "不可以",
                                         "千万别",
                                         "请别",
                                         "不许",
                                         "请勿",
                                         "，别",
                                         ",别",
                                         " 别",
                                         "也别",
                                         "under no circumstances ",
                                         "do not, under any circumstances, ",
                                         "don't, under any circumstances, ",
                                         "don’t, under any circumstances, ",
                                         "never, under any circumstances, ",
                                         "never, ever, ",
                                         "never, ever ",
                                         "do not ever ",
                                         "don't ever ",
                                         "don’t ever ",
                                         "do not under any circumstances ",
                                         "let's not ",
                                         "let’s not ",
                                         "lets not ",
                                         "we won't ",
                                         "we won’t ",
                                         "we will not ",
                                         "are not to ",
                                         "is not to ",
                                         "'re not to ",
                                         "rather you didn't ",
                                         "rather you didn’t ",
                                         "rather you did not "};
// The same said without a verb of its own; what stands behind them is not to be changed.
constexpr std::string_view kKeepOff[] = {"avoid changes to ",      "avoid any changes to ",
                                         "avoid edits to ",        "without touching ",
                                         "without changing ",      "without modifying ",
                                         "without editing ",       "without altering ",
                                         "avoid touching ",        "avoid changing ",
                                         "avoid modifying ",       "avoid editing ",
                                         "refrain from changing ", "refrain from modifying ",
                                         "refrain from touching ", "refrain from editing ",
                                         "stay out of ",           "keep out of ",
                                         "stay away from ",        "hands off "};
// "leave src/api alone": what stands between.
constexpr std::string_view kLeave = "leave ";
constexpr std::string_view kAlone[] = {" alone",     " as is",     " as it is",  " as they are",
                                       " untouched", " unchanged", " unmodified"};
// "src/api must not be changed": behind the prohibition, and what stands before it is meant.
constexpr std::string_view kPassive[] = {"be changed",   "be modified", "be touched", "be edited",
                                         "be altered",   "be deleted",  "be removed", "be overwritten",
                                         "be rewritten", "be renamed",  "be moved",   "be updated"};
// "do not change anything outside src/parser": only what follows may be changed.
constexpr std::string_view kOutside[] = {" outside of ", " outside ",    " else than ", " other than ",
                                         " apart from ", " aside from ", " besides ",   " except for ",
                                         " except in ",  " except ",     " but "};
constexpr std::string_view kVerbsChange[] = {"change",
                                             "fix",
                                             "edit",
                                             "modify",
                                             "touch",
                                             "alter",
                                             "delete",
                                             "remove",
                                             "write",
                                             "create",
                                             "overwrite",
                                             "rename",
                                             "move",
                                             "update",
                                             "add",
                                             "rewrite",
                                             "新建",
                                             "创建",
                                             "新增",
                                             "添加",
                                             "修改",
                                             "改动",
                                             "改变",
                                             "更改",
                                             "变更",
                                             "改",
                                             "编辑",
                                             "删除",
                                             "触碰",
                                             "动",
                                             "碰",
                                             "写",
                                             "更新",
                                             "移动",
                                             "make any changes",
                                             "make changes",
                                             "make any change",
                                             "make any edits",
                                             "make edits",
                                             "mess with",
                                             "tamper with",
                                             "fiddle with",
                                             "tinker with"};
// What stays where it is may still be edited.
constexpr std::string_view kVerbsTake[] = {"delete", "remove", "rename", "move",  "删除",
                                           "删",     "移动",   "改名",   "重命名"};
constexpr std::string_view kOrChange[] = {"or change",  "or edit",  "or modify", "or touch", "or update",
                                          "or rewrite", "or alter", "或修改",    "或改"};
constexpr std::string_view kVerbsAccess[] = {"open", "read", "look", "access", "view", "print",
                                             "cat",  "读",   "查看", "打开",   "访问"};
constexpr std::string_view kVerbsRun[] = {"run",   "use",    "call",  "execute",    "invoke",     "install", "commit",
                                          "push",  "deploy", "merge", "force-push", "force push", "rebase",  "publish",
                                          "start", "amend",  "stash", "运行",       "使用",       "用",      "执行",
                                          "调用",  "提交",   "推送",  "强制推送",   "安装",       "部署"};
// A prohibition with a condition cannot be checked: "do not commit until the tests pass".
constexpr std::string_view kConditions[] = {
    " unless",      " until",       " without ",    " except",    " before ", " if ",   " when ", " besides ",
    " apart from ", " other than ", " yet another", " more than", " too ",    " again", " twice", " from scratch",
    "除非",         "之前",         "直到",         "如果",       "之外",     "以外"};
// Until the person speaks again.
constexpr std::string_view kForNow[] = {"for now", "for the moment", "at the moment", "right now", " yet",
                                        "暂时",    "先不要",         "先别",          "目前",      "hold off on "};
constexpr std::string_view kOnlyVerbs[] = {"only change ",
                                           "only edit ",
                                           "only modify ",
                                           "only touch ",
                                           "only update ",
                                           "only write to ",
                                           "change only ",
                                           "edit only ",
                                           "modify only ",
                                           "touch only ",
                                           "update only ",
                                           "be confined to ",
                                           "be limited to ",
                                           "be restricted to ",
                                           "only work in ",
                                           "work only in ",
                                           "stay in ",
                                           "stay inside ",
                                           "stay within ",
                                           "only fix ",
                                           "restrict yourself to ",
                                           "restrict your changes to ",
                                           "limit your changes to ",
                                           "limit all changes to ",
                                           "limit changes to ",
                                           "confine your changes to ",
                                           "keep your changes to ",
                                           "keep your changes in ",
                                           "keep all changes in ",
                                           "keep all changes inside ",
                                           "keep all changes within ",
                                           "keep all edits in ",
                                           "keep all edits inside ",
                                           "keep all edits within ",
                                           "keep your edits in ",
                                           "keep your edits inside ",
                                           "keep the changes in ",
                                           "keep the changes inside ",
                                           "keep the changes within ",
                                           "keep your changes within ",
                                           "keep changes within ",
                                           "stick to ",
                                           "limit yourself to ",
                                           "only allowed to edit ",
                                           "only allowed to change ",
                                           "only allowed to modify ",
                                           "only allowed to touch ",
                                           "restrict edits to ",
                                           "restrict your edits to ",
                                           "restrict changes to ",
                                           "restrict all changes to ",
                                           "limit edits to ",
                                           "limit your edits to ",
                                           "changes only in ",
                                           "only make changes in ",
                                           "only make changes to ",
                                           "只修改",
                                           "只改",
                                           "只能修改",
                                           "只能改",
                                           "只编辑",
                                           "只动",
                                           "只能动",
                                           "仅修改",
                                           "只更新",
                                           "只允许修改",
                                           "只需要修改",
                                           "只需修改",
                                           "只要改"};

// Behind these and a colon, what is numbered is to be chosen from.
constexpr std::string_view kOptions[] = {
    "possibilities",       "options",    "alternatives", "possible solutions", "possible fixes",
    "possible approaches", "approaches", "ideas",        "可能的方案",         "几种方案"};

// What programs print begins with these.
constexpr std::string_view kPrinted[] = {
    "error: ",  "Error: ",  "ERROR: ", "fatal: ", "remote: ", "hint: ", "npm ERR!", "npm error",
    "npm WARN", "npm warn", "[ERROR]", "[error]", "[WARN",    "E   ",   "panic: "};

// "[12:03:11] WARN …", "2026-11-27T12:03:11Z …", "12:03:11.400 …": a line of a log.
bool begins_with_time(std::string_view line) {
    constexpr std::string_view kTime = "dd:dd:dd", kDate = "dddd-dd-dd";
    const auto begins = [&](std::string_view form) {
        return line.size() > form.size() && std::ranges::equal(line.substr(0, form.size()), form, [](char c, char f) {
                   return f == 'd' ? c >= '0' && c <= '9' : c == f;
               });
    };
    while (line.starts_with('[') || line.starts_with('(')) line.remove_prefix(1);
    if (begins(kDate)) {
        line.remove_prefix(kDate.size());
        if (line.starts_with('T') || line.starts_with(' ')) line.remove_prefix(1);
    }
    return begins(kTime);
}

// "@max: please don't change utils.ts": somebody else's comment.
bool is_comment_of_other(std::string_view line) {
    for (const std::string_view mark : {"- ", "* "}) {
        if (line.starts_with(mark)) line.remove_prefix(mark.size());
    }
    if (!line.starts_with('@')) return false;
    const std::size_t end = line.find_first_of(" :");
    return end != line.npos && line[end] == ':';
}

// "Add to AGENTS.md: …", "write CONTRIBUTING.md with these rules: …": what stands behind the colon is to be written.
// Its place; npos = there is none.
std::size_t content_at(std::string_view line) {
    constexpr std::string_view kWrites[] = {"add ",          "write ",      "put ",           "append ",
                                            "include ",      "create ",     "insert ",        "please add ",
                                            "please write ", "please put ", "please append ", "please create ",
                                            "now add ",      "now write "},
                               kDocuments[] = {".md", ".mdc", ".txt", ".rst", ".adoc", ".cursorrules"};
    const std::string lower = lowered(line);
    if (!starts_with_any(lower, kWrites)) return line.npos;
    std::size_t colon = lower.find(": ");
    if (colon == lower.npos && lower.ends_with(':')) colon = lower.size() - 1;
    if (colon == lower.npos) return line.npos;
    const std::vector<std::string> named = paths_in(line.substr(0, colon), 4);
    const bool document = std::ranges::any_of(named, [&](const std::string& path) {
        return std::ranges::any_of(kDocuments, [&](std::string_view ending) { return path.ends_with(ending); });
    });
    return document ? colon + 1 : line.npos;
}

bool is_numbered(std::string_view line);

// The text without what is quoted, fenced, to be written or printed by a program: that is data.
std::string unfenced(std::string_view text) {
    std::string out;
    bool fenced = false;
    bool content = false;  // what is listed is to be written somewhere
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::string_view inner = trimmed(line);
        if (inner.starts_with("```") || inner.starts_with("~~~")) {
            fenced = !fenced;
            continue;
        }
        if (fenced || inner.starts_with('>') || inner.starts_with('|') || starts_with_any(inner, kPrinted) ||
            begins_with_time(inner) || is_comment_of_other(inner))
            continue;
        const bool item =
            inner.starts_with("- ") || inner.starts_with("* ") || inner.starts_with("• ") || is_numbered(inner);
        if (content && (item || inner.empty())) continue;
        // What is to be written ends with its sentence, or is the list below.
        const std::size_t written = content_at(inner);
        content = written == inner.size();
        std::string kept(inner.substr(0, written));
        if (written < inner.size()) kept.append(inner.substr(std::min(inner.find(". ", written), inner.size())));
        const std::string_view told = written == inner.npos ? line : std::string_view(kept);
        // What is set in bold says the same without.
        for (std::size_t at = 0; at < told.size();) {
            const std::size_t bold = std::min(told.find("**", at), told.size());
            out.append(told.substr(at, bold - at));
            at = bold == told.size() ? bold : bold + 2;
        }
        out.push_back('\n');
    }
    return out;
}

// "1. a", "2) b"
bool is_numbered(std::string_view line) {
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    return digits > 0 && digits < 3 && (line.substr(digits).starts_with(". ") || line.substr(digits).starts_with(") "));
}

// "Two possibilities come to mind: 1. …": what is weighed there is no rule yet. The text without such lists.
std::string without_options(std::string_view text) {
    static constexpr PhraseSet options(kOptions);
    std::string out;
    bool weighed = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        const std::string_view inner = trimmed(line);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (weighed && (inner.empty() || is_numbered(inner) || line.starts_with("  ") || line.starts_with('\t')))
            continue;
        weighed = inner.ends_with(':') && options.in(inner);
        const std::size_t colon = line.find(": 1");
        if (colon != line.npos && is_numbered(line.substr(colon + 2)) && options.in(line.substr(0, colon)))
            line = line.substr(0, colon);
        out.append(line).push_back('\n');
    }
    return out;
}

// From a place to the end of its clause: a comma followed by a new thought, a bracket, or the end.
std::string_view clause(std::string_view lower, std::size_t from) {
    std::size_t end = lower.size();
    for (const std::string_view stop :
         {std::string_view(", but"),     std::string_view(" but "),      std::string_view("; "),
          std::string_view(" - "),       std::string_view(" instead"),   std::string_view("，而"),
          std::string_view("，但"),      std::string_view(" because"),   std::string_view(" since "),
          std::string_view(", just "),   std::string_view(", only "),    std::string_view(", use "),
          std::string_view(", write "),  std::string_view(", put "),     std::string_view(", save "),
          std::string_view(", report "), std::string_view(", then "),    std::string_view(", run "),
          std::string_view(", call "),   std::string_view(", execute "), std::string_view(", do "),
          std::string_view(", try ")}) {
        end = std::min(end, lower.find(stop, from));
    }
    return lower.substr(from, std::min(end, lower.size()) - from);
}

enum class Verb : std::uint8_t { none, change, access, run };

std::string_view without_fillers(std::string_view rest) {
    for (const std::string_view filler : {"ever ", "even ", "you ", "u ", "dare ", "dare to ", "want you to ",
                                          "try to ", "attempt to ", "directly ", "manually "}) {
        if (rest.starts_with(filler)) rest.remove_prefix(filler.size());
    }
    return rest;
}

Verb verb_of(std::string_view clause_text) {
    const std::string_view rest = without_fillers(clause_text);
    if (begins_any_verb(rest, kVerbsChange)) return Verb::change;
    if (begins_any_verb(rest, kVerbsAccess)) return Verb::access;
    if (begins_any_verb(rest, kVerbsRun)) return Verb::run;
    return Verb::none;
}

// Where the rules of a sentence begin: "only edit " and the like first, then the prohibitions, in the order of their
// lists.
struct RulePhrase {
    std::size_t rank = 0;  // in kRulePhrases
    std::size_t at = 0;
};

constexpr std::size_t kOnlys = std::size(kOnlyVerbs);
constexpr std::size_t kKeepOffs = kOnlys + std::size(kForbids);  // rank of the first phrase without a verb
constexpr std::size_t kLeaves = kKeepOffs + std::size(kKeepOff);
constexpr auto kRulePhrases = [] {
    std::array<std::string_view, kLeaves + 1> all{};
    auto end = std::copy(std::begin(kOnlyVerbs), std::end(kOnlyVerbs), all.begin());
    end = std::copy(std::begin(kForbids), std::end(kForbids), end);
    end = std::copy(std::begin(kKeepOff), std::end(kKeepOff), end);
    *end = kLeave;
    return all;
}();

const auto& rule_phrases() {
    static constexpr PhraseSet phrases(kRulePhrases);
    return phrases;
}

std::vector<RulePhrase> rule_phrases_in(std::string_view sentence) {
    std::vector<RulePhrase> found;
    rule_phrases().any(sentence, [&](std::size_t at, std::string_view phrase) {
        const auto rank = static_cast<std::size_t>(std::ranges::find(kRulePhrases, phrase) - kRulePhrases.begin());
        if (std::ranges::find(found, rank, &RulePhrase::rank) == found.end()) found.push_back({rank, at});
        return false;
    });
    std::ranges::sort(found, {}, &RulePhrase::rank);
    return found;
}

// A quick look that settles most texts.
bool tells_rule(std::string_view text) {
    static constexpr PhraseSet marks([] {
        std::array<std::string_view, std::size(kRuleMarks) + std::size(kForeignMarks)> all{};
        std::ranges::copy(kForeignMarks, std::ranges::copy(kRuleMarks, all.begin()).out);
        return all;
    }());
    return rule_phrases().in(text) || marks.in(text);
}

// The text without the quotes that state a rule: somebody else's words. Names in quotes stay.
std::string unquoted(std::string text) {
    struct Marks {
        std::string_view open, close;
    };
    constexpr Marks kMarks[] = {{"\"", "\""}, {"“", "”"}, {"‘", "’"}, {"「", "」"},
                                {"『", "』"}, {"«", "»"}, {"'", "'"}};
    constexpr std::size_t kLongestQuote = 600;
    const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    for (const Marks& marks : kMarks) {
        const bool apostrophe = marks.close == "'" || marks.close == "’";
        for (std::size_t open = text.find(marks.open); open != text.npos; open = text.find(marks.open, open)) {
            const std::size_t from = open + marks.open.size();
            const bool opens = marks.open != "'" || open == 0 ||
                               std::string_view(" \n\t(:").find(text[open - 1]) != std::string_view::npos;
            std::size_t close = opens ? text.find(marks.close, from) : text.npos;
            // The apostrophe in "don't" closes nothing.
            while (apostrophe && close != text.npos && close + marks.close.size() < text.size() &&
                   letter(text[close + marks.close.size()]))
                close = text.find(marks.close, close + marks.close.size());
            const std::string_view inner =
                close == text.npos ? std::string_view{} : std::string_view(text).substr(from, close - from);
            if (close == text.npos || inner.size() > kLongestQuote || inner.find("\n\n") != inner.npos) {
                open = from;
            } else if (tells_rule(inner)) {
                text.replace(open, close + marks.close.size() - open, "…");
                open += std::string_view("…").size();
            } else {
                open = close + marks.close.size();
            }
        }
    }
    return text;
}

// "do not use web search": a name of two or three words that a tool may have.
void forbid_spelled_tool(std::string_view lower, std::vector<Constraint>& rules) {
    constexpr std::string_view kUses[] = {"use ", "call ", "invoke "}, kArticles[] = {"the ", "any ", "your "},
                               kTool[] = {" tool", " tools"};
    constexpr std::size_t kMostWords = 3;
    for (const std::string_view use : kUses) {
        if (!lower.starts_with(use)) continue;
        std::string_view name = lower.substr(use.size());
        for (const std::string_view article : kArticles) {
            if (name.starts_with(article)) name.remove_prefix(article.size());
        }
        name = trimmed(name.substr(0, name.find_first_of(",.;:!?(")));
        for (const std::string_view tool : kTool) {
            if (name.ends_with(tool)) name.remove_suffix(tool.size());
        }
        const auto words = static_cast<std::size_t>(std::ranges::count(name, ' ')) + 1;
        const bool plain = std::ranges::all_of(name, [](char c) { return c == ' ' || (c >= 'a' && c <= 'z'); });
        if (words < 2 || words > kMostWords || !plain) return;
        std::string target(name);
        std::ranges::replace(target, ' ', '_');
        rules.push_back(make_rule(Constraint::Kind::forbid_tool, std::move(target)));
    }
}

void forbid_commands(std::string_view said, std::string_view lower, std::vector<Constraint>& rules) {
    constexpr std::string_view kInstall[] = {"install", "安装"};
    for (const std::string_view install : kInstall) {
        if (lower.starts_with(install)) forbid_installing(lower.substr(install.size()), rules);
    }
    if (lower.starts_with("run ") || lower.starts_with("start ")) forbid_runs(lower.substr(lower.find(' ')), rules);
    for (std::string& command : ruled_out_commands(said, lower))
        rules.push_back(make_rule(Constraint::Kind::forbid_command, std::move(command)));
    for (std::string& tool : ruled_out_tools(said, lower))
        rules.push_back(make_rule(Constraint::Kind::forbid_tool, std::move(tool)));
    // A tool in backticks further on.
    const std::size_t ends = length_of_ban(lower);
    for (std::size_t open = said.find('`'); open < ends;) {
        const std::size_t close = said.find('`', open + 1);
        if (close == said.npos) break;
        const std::string_view word = said.substr(open + 1, close - open - 1);
        if (!word.empty() && word.size() <= kMostTarget && is_tool_name(word) && !looks_like_path(word) &&
            word[0] != '-')
            rules.push_back(make_rule(Constraint::Kind::forbid_tool, std::string(word)));
        open = said.find('`', close + 1);
    }
}

bool makes_files(std::string_view verb) {
    constexpr std::string_view kMakes[] = {"create", "add", "新建", "创建", "新增", "添加"};
    return std::ranges::find(kMakes, verb) != std::end(kMakes);
}

// "do not add files to src/": what is there may be changed.
bool adds_files(std::string_view lower) {
    constexpr std::string_view kWhere[] = {" to ", " in ", " into ", " under ", " inside ", " below "};
    const std::string_view verb = lower.substr(0, lower.find(' '));
    return makes_files(verb) && starts_with_any(files_to_add(lower.substr(verb.size())), kWhere);
}

// "npm or yarn", "sudo"
bool names_programs_only(std::string_view lower) {
    constexpr std::string_view kPrograms[] = {"npm",    "yarn", "pnpm", "bun",  "pip", "conda",
                                              "docker", "sudo", "curl", "wget", "npx"},
                               kJoints[] = {"or", "and", "nor"};
    constexpr std::string_view kMarks = " ,.!`";
    bool named = false;
    for (std::size_t begin = lower.find_first_not_of(kMarks), end = 0; begin < lower.size();
         begin = lower.find_first_not_of(kMarks, end)) {
        end = std::min(lower.find_first_of(kMarks, begin), lower.size());
        const std::string_view word = lower.substr(begin, end - begin);
        const bool program = std::ranges::find(kPrograms, word) != std::end(kPrograms);
        if (!program && std::ranges::find(kJoints, word) == std::end(kJoints)) return false;
        named = named || program;
    }
    return named;
}

// What a prohibition rules out; `said` is its clause, `lower` the same in lower case.
std::vector<Constraint> prohibitions(std::string_view said, std::string_view lower) {
    std::vector<Constraint> rules;
    forbid_pull_requests(without_fillers(lower), rules);
    forbid_kinds_of_work(without_fillers(lower), rules);
    if (!rules.empty()) return rules;
    const Verb verb = verb_of(lower);
    if (verb == Verb::change || verb == Verb::access) {
        const std::string_view object = object_of(said);
        std::vector<std::string> paths = forbidden_places(object, 8);
        // "Don't read the whole file big.json, use head"
        constexpr std::string_view kWholes[] = {" whole ", " entire ", " full ", " all of "};
        if (verb == Verb::access && contains_any(lower, kWholes)) return rules;
        if (!paths.empty() && names_less(without_fillers(lower), paths)) return rules;
        const bool takes_away = begins_any_verb(without_fillers(lower), kVerbsTake) && !contains_any(lower, kOrChange);
        const bool adds = adds_files(without_fillers(lower));
        for (std::string& path : paths) {
            rules.push_back(make_rule(Constraint::Kind::forbid_path, std::move(path)));
            rules.back().any_access = verb == Verb::access;
            rules.back().deletes = takes_away;
            rules.back().adds = adds;
        }
        if (rules.empty() && verb == Verb::change) {
            const std::string_view words = without_fillers(lower.substr(0, object.size()));
            for (const std::string_view known : kVerbsChange) {
                if (!begins_verb(words, known)) continue;
                forbid_unnamed(known, words.substr(known.size()), rules);
                if (known == "create") forbid_branches(words.substr(known.size()), rules);
                if (makes_files(known)) forbid_new_files(words.substr(known.size()), rules);
                if (known == "add" || known == "添加" || known == "新增")
                    forbid_installing(words.substr(known.size()), rules);
                break;
            }
        }
    }
    if (rules.empty()) forbid_commits(without_fillers(lower), rules);
    // "never git push", "never `terraform apply`": the command is the verb.
    constexpr std::string_view kCommands[] = {"`",     "git ",    "npm ",     "pip ",       "yarn ",
                                              "pnpm ", "docker ", "kubectl ", "terraform ", "cargo "};
    if (verb == Verb::none && rules.empty() && starts_with_any(without_fillers(lower), kCommands)) {
        const std::size_t skipped = lower.size() - without_fillers(lower).size();
        for (std::string& command : ruled_out_commands(said.substr(skipped), lower.substr(skipped)))
            rules.push_back(make_rule(Constraint::Kind::forbid_command, std::move(command)));
    }
    // "Never npm or yarn."
    if (verb == Verb::none && rules.empty() && names_programs_only(without_fillers(lower))) {
        const std::string use = "use " + std::string(without_fillers(lower));
        for (std::string& command : ruled_out_commands(use, use))
            rules.push_back(make_rule(Constraint::Kind::forbid_command, std::move(command)));
    }
    if (verb == Verb::run) {
        const std::size_t skipped = lower.size() - without_fillers(lower).size();
        forbid_commands(said.substr(skipped), lower.substr(skipped), rules);
        forbid_spelled_tool(lower.substr(skipped), rules);
    }
    return rules;
}

// "do not commit and do not push": one prohibition after the other.
std::vector<Constraint> all_prohibitions(std::string_view said, std::string_view lower) {
    constexpr std::string_view kAgain[] = {
        ", do not ",    ", don't ",   ", don’t ",    ", dont ",       ", never ",     " and do not ", " and don't ",
        " and don’t ",  " and dont ", " and never ", ", and do not ", ", and don't ", ", and don’t ", ", and dont ",
        ", and never ", "，不要",     "，也不要",    "，别",          "，也别",       "，禁止"};
    std::size_t end = lower.size(), next = lower.size();
    for (const std::string_view again : kAgain) {
        const std::size_t at = lower.find(again);
        if (at < end) {
            end = at;
            next = at + again.size();
        }
    }
    std::vector<Constraint> rules = prohibitions(said.substr(0, end), lower.substr(0, end));
    if (next == lower.size()) return rules;
    for (Constraint& c : all_prohibitions(said.substr(next), lower.substr(next))) rules.push_back(std::move(c));
    return rules;
}

// "… outside src/parser": nothing but what is named there. Says whether the sentence is of that kind.
bool keeps_inside(std::string_view said, std::string_view lower, std::vector<Constraint>& rules) {
    if (verb_of(lower) != Verb::change) return false;
    for (const std::string_view outside : kOutside) {
        const std::size_t at = lower.find(outside);
        if (at == lower.npos || !paths_in(said.substr(0, at), 1).empty()) continue;
        std::vector<std::string> paths = rule_places(said.substr(at + outside.size()), 8);
        // "do not touch anything, but do fix …" names no place; "outside the module" names none that is known.
        if (outside == " but " && paths.empty()) continue;
        for (std::string& path : paths) rules.push_back(make_rule(Constraint::Kind::only_path, std::move(path)));
        return true;
    }
    return false;
}

// What is named without a verb: "stay out of src/api", "src/api must not be changed".
std::vector<Constraint> kept_off(std::string_view said, std::string_view lower) {
    std::vector<Constraint> rules;
    const std::string_view object = object_of(said);
    for (std::string& path : forbidden_places(object, 8))
        rules.push_back(make_rule(Constraint::Kind::forbid_path, std::move(path)));
    if (rules.empty()) forbid_unnamed("change", trimmed(lower.substr(0, object.size())), rules);
    return rules;
}

std::vector<Constraint> left_alone(std::string_view said, std::string_view lower) {
    // "Leave a comment in a.py, as is customary"
    constexpr std::string_view kBehind[] = {" please",  " for ",  " and ", " or ",    " but ", " since ", " because ",
                                            " in this", " today", " pls",  " thanks", " -",    " –",      " —"};
    std::size_t end = lower.npos;
    for (const std::string_view alone : kAlone) {
        const std::size_t at = lower.find(alone);
        const std::string_view behind = at == lower.npos ? std::string_view{" "} : lower.substr(at + alone.size());
        if (behind.empty() || behind[0] != ' ' || starts_with_any(behind, kBehind)) end = std::min(end, at);
    }
    constexpr std::size_t kLongestName = 120;
    if (end == lower.npos || end > kLongestName) return {};
    return kept_off(said.substr(0, end), lower.substr(0, end));
}

// "I'd avoid touching it", "to avoid changing the API, …" and "the tool should stay out of /etc" ask the agent for
// nothing.
bool orders_to_avoid(std::string_view before) {
    constexpr std::string_view kThoughts[] = {"i'd", "i’d", "we'd", "we’d", "would", "will", "can", "could", "to"};
    before = trimmed(before);
    if (before.ends_with("try to") || before.ends_with("want you to")) return true;
    const auto ends_so = [&](std::string_view word) {
        return before.ends_with(word) &&
               (before.size() == word.size() || before[before.size() - word.size() - 1] == ' ');
    };
    return std::ranges::none_of(kThoughts, ends_so) && speaks_to_agent(before, "avoid ");
}

// What is allowed behind the last of the only places, with "and" before it: nothing more, the tests, or what has no
// name.
enum class Besides : std::uint8_t { nothing, tests, unnamed };
Besides besides(std::string_view lower, std::string_view last) {
    constexpr std::string_view kAnd[] = {" and ", ", and ", " plus ", " as well as ", " + ", " & "};
    constexpr std::string_view kWhose[] = {"its ",        "their ",         "the ",      "any ",
                                           "all ",        "corresponding ", "related ",  "matching ",
                                           "associated ", "relevant ",      "existing ", "own "};
    constexpr std::string_view kTests[] = {"tests", "test file", "unit test", "test case", "specs"};
    // "and run the tests" asks for no change; "and nothing else", "and leave the rest" allow none.
    constexpr std::string_view kOther[] = {"run ",  "nothing", "no ",   "not ",   "never ",   "leave ",
                                           "keep ", "do ",     "don",   "then ",  "make ",    "commit",
                                           "push",  "report ", "tell ", "check ", "explain ", "stop"};
    const std::size_t at = lower.rfind(lowered(last));
    if (at == lower.npos) return Besides::nothing;
    std::string_view rest = lower.substr(at + last.size());
    while (!rest.empty() && std::string_view("`'\"/").find(rest.front()) != std::string_view::npos)
        rest.remove_prefix(1);
    const auto joined = std::ranges::find_if(kAnd, [&](std::string_view word) { return rest.starts_with(word); });
    if (joined == std::end(kAnd)) return Besides::nothing;
    rest.remove_prefix(joined->size());
    if (rest.starts_with("the rest") || starts_with_any(rest, kOther)) return Besides::nothing;
    for (bool again = true; again;) {
        const auto whose = std::ranges::find_if(kWhose, [&](std::string_view word) { return rest.starts_with(word); });
        again = whose != std::end(kWhose);
        if (again) rest.remove_prefix(whose->size());
    }
    return starts_with_any(rest, kTests) ? Besides::tests : Besides::unnamed;
}

// "be changed", and nothing that says by whom or when.
bool ends_at_verb(std::string_view passive) {
    std::size_t end = 3;  // behind "be "
    while (end < passive.size() && std::isalpha(static_cast<unsigned char>(passive[end])) != 0) ++end;
    const std::string_view rest = trimmed(passive.substr(end));
    return rest.empty() || std::string_view(",.;:!)").find(rest[0]) != std::string_view::npos ||
           rest.starts_with("at all") || rest.starts_with("in any way") || rest.starts_with("under any");
}

// "core.py 不要动": in Chinese what is meant may stand in front.
bool says_behind(std::string_view before, std::string_view clause_text) {
    constexpr std::string_view kChanges[] = {"修改", "改动", "更改", "改变", "编辑", "删除",
                                             "移动", "改",   "动",   "碰",   "删"};
    const auto verb = std::ranges::find_if(kChanges, [&](std::string_view v) { return clause_text.starts_with(v); });
    if (verb == std::end(kChanges)) return false;
    const std::vector<std::string> places = forbidden_places(before, 8);
    if (places.empty() || names_less(before, places)) return false;
    const std::string_view rest = trimmed(clause_text.substr(verb->size()));
    constexpr std::string_view kEnds[] = {",", ".", "!", ";", ")", "，", "。", "！", "；", "）", "的", "它", "、"};
    return rest.empty() || starts_with_any(rest, kEnds);
}

// "All of web/ may be changed, api/ must not be touched": where the thought begins that the prohibition is about.
std::size_t subject_of_passive(std::string_view before) {
    constexpr std::string_view kCuts[] = {", ", " but ", " and "},
                               kVerbs[] = {" may ", " can ",  " is ",    " are ", " will ", " should ",
                                           " has ", " have ", " needs ", " was ", " were "};
    std::size_t begin = 0;
    for (const std::string_view cut : kCuts) {
        const std::size_t at = before.rfind(cut);
        if (at != before.npos && at + cut.size() > begin && contains_any(before.substr(0, at), kVerbs))
            begin = at + cut.size();
    }
    return begin;
}

std::vector<Constraint> rules_of(std::string_view sentence);

void append(std::vector<Constraint>& rules, std::vector<Constraint> more) {
    for (Constraint& c : more) rules.push_back(std::move(c));
}

// "Never push and don't touch a.py": what is ruled out before the phrase that was read first.
std::vector<Constraint> rules_before(std::string_view head) {
    constexpr std::string_view kJoints[] = {",", " and", " but", " also"};
    head = trimmed(head);
    for (const std::string_view joint : kJoints) {
        if (lowered(head).ends_with(joint)) head = trimmed(head.substr(0, head.size() - joint.size()));
    }
    return rules_of(head);
}

// "Do not commit, do not push": what is ruled out behind the end of a clause.
std::vector<Constraint> rules_behind(std::string_view rest) {
    constexpr std::string_view kGoesOn[] = {", do not ", ", but ", " but "};
    const std::string lower = lowered(rest);
    const auto joint = std::ranges::find_if(kGoesOn, [&](std::string_view word) { return lower.starts_with(word); });
    if (joint == std::end(kGoesOn)) return {};
    return rules_of(trimmed(rest.substr(joint->ends_with("but ") ? joint->size() : 1)));
}

// "Do not touch src/api/ except src/api/types.ts": what is named behind and lies in there is free. Other exceptions
// cannot be checked.
std::vector<Constraint> rules_but_for(std::string_view sentence, std::size_t from, std::string_view lower_clause) {
    constexpr std::string_view kExcepts[] = {
        " except ",      " (except ",    " other than ",  " (other than ",           " apart from ",
        " (apart from ", " aside from ", " (aside from ", " with the exception of ", " (with the exception of "};
    constexpr std::string_view kWhen[] = {" unless", " until", " if ", " when ", " before ", " where "};
    std::size_t at = lower_clause.size();
    for (const std::string_view word : kExcepts) at = std::min(at, lower_clause.find(word));
    if (at >= lower_clause.size() || contains_any(lower_clause, kWhen)) return {};
    const std::vector<std::string> allowed = paths_in(sentence.substr(from + at, lower_clause.size() - at), 8);
    std::string_view head = trimmed(sentence.substr(0, from + at));
    if (head.ends_with(',')) head.remove_suffix(1);
    if (allowed.empty()) return {};
    std::vector<Constraint> rules = rules_of(head);
    const auto lies_in_one = [&](const std::string& path) {
        return std::ranges::any_of(rules,
                                   [&](const Constraint& c) { return path != c.target && is_path_of(path, c.target); });
    };
    const auto is_named = [](const Constraint& c) {
        return c.kind == Constraint::Kind::forbid_path && c.which == Constraint::Which::named && !c.adds;
    };
    if (!std::ranges::all_of(rules, is_named) || !std::ranges::all_of(allowed, lies_in_one)) return {};
    for (Constraint& c : rules) c.allowed = allowed;
    return rules;
}

// "Only change a.py, don't touch b.py": where the ban behind the only places begins; b.py is none of them.
std::size_t end_of_only(std::string_view lower, std::size_t from) {
    constexpr std::string_view kBans[] = {", do not ",    ", don't ",    ", don’t ",    ", dont ",    ", never ",
                                          " and do not ", " and don't ", " and don’t ", " and dont ", " and never ",
                                          "，不要",       "，别",        "，也不要",    "，也别",     "，请勿",
                                          "，不得",       "，禁止"};
    constexpr std::string_view kAnd = " and ", kWide = "，";
    std::size_t end = lower.size();
    for (const std::string_view ban : kBans) {
        const std::size_t at = lower.find(ban, from);
        if (at < end) end = at + (ban.starts_with(kWide) ? kWide.size() : ban.starts_with(kAnd) ? kAnd.size() : 1);
    }
    return end;
}

// The rules of one sentence; the first phrase that makes one decides.
std::vector<Constraint> rules_of(std::string_view sentence) {
    std::vector<Constraint> rules;
    const std::vector<RulePhrase> phrases = rule_phrases_in(sentence);
    if (phrases.empty()) return rules;
    const std::string lower = lowered(sentence);
    for (const RulePhrase& phrase : phrases) {
        const std::string_view before = std::string_view(lower).substr(0, phrase.at);
        if (phrase.rank < kOnlys) {
            if (contains_any(lower, kConditions) || !speaks_to_agent(before, kRulePhrases[phrase.rank])) continue;
            // "You should not only change a.py but also b.py"
            constexpr std::string_view kNotOnly[] = {"not", "n't", "n’t", "dont", "不"};
            if (std::ranges::any_of(kNotOnly, [&](std::string_view word) { return trimmed(before).ends_with(word); }))
                continue;
            const std::string_view scope = std::string_view(lower).substr(phrase.at + kRulePhrases[phrase.rank].size());
            if (scope.starts_with("what ") || scope.starts_with("how "))
                return rules;  // "only edit what is needed in a.py"
            // "stick to the plan in docs/plan.md"
            const std::string_view first = trimmed(sentence.substr(sentence.size() - scope.size()));
            const bool of_work = kRulePhrases[phrase.rank] == "stick to " ||
                                 kRulePhrases[phrase.rank].starts_with("be ");  // "be limited to a minimum, edit a.py"
            if (of_work && !looks_like_path(first.substr(first.starts_with('`') ? 1 : 0, first.find_first_of(" `", 1))))
                continue;
            const std::size_t end = end_of_only(lower, phrase.at);
            std::vector<std::string> places = rule_places(clause(sentence.substr(0, end), phrase.at), 8);
            const Besides more = places.empty() ? Besides::nothing : besides(scope, places.back());
            if (more == Besides::unnamed) return rules;
            for (std::string& path : places) rules.push_back(make_rule(Constraint::Kind::only_path, std::move(path)));
            if (more == Besides::tests) {
                rules.push_back(make_rule(Constraint::Kind::only_path, "the tests"));
                rules.back().which = Constraint::Which::tests;
            }
            append(rules, rules_of(trimmed(sentence.substr(end))));
            return rules;
        }
        const std::size_t from = phrase.at + kRulePhrases[phrase.rank].size();
        const std::string_view lower_clause = clause(lower, from);
        if (std::vector<Constraint> limited = rules_but_for(sentence, from, lower_clause); !limited.empty())
            return limited;
        if (phrase.rank == kLeaves) {
            if (!contains_any(lower_clause, kConditions))
                rules = left_alone(sentence.substr(from, lower_clause.size()), lower_clause);
            return rules;
        }
        if (keeps_inside(sentence.substr(from), std::string_view(lower).substr(from), rules)) return rules;
        if (contains_any(std::string(" ").append(lower_clause), kConditions)) return rules;
        // "do not commit anything but the fix"
        constexpr std::string_view kButs[] = {"anything but ", "nothing but ", "any files but ", "any code but ",
                                              "anything, but only "};
        if (contains_any(std::string_view(lower).substr(from), kButs)) return rules;
        if (phrase.rank >= kKeepOffs) {
            // "Without changing the tests, nothing works": said first it may be the reason of something else. "I'd
            // avoid touching it" is a thought.
            const bool without = kRulePhrases[phrase.rank].starts_with("without ");
            if (without ? phrase.at == 0 : !orders_to_avoid(before)) return rules;
            if (names_less(std::string("change ").append(lower_clause), paths_in(lower_clause, 8))) return rules;
            return kept_off(sentence.substr(from, lower_clause.size()), lower_clause);
        }
        if (under_condition(before)) return rules;
        // "src/api.d.ts must not change."
        constexpr std::string_view kChange = "change";
        const std::string_view changes = trimmed(lower_clause);
        if (changes.starts_with(kChange) &&
            (changes.size() == kChange.size() ||
             std::string_view(",.;:!)").find(changes[kChange.size()]) != std::string_view::npos) &&
            !before.empty() && !paths_in(before, 1).empty()) {
            const std::size_t subject = subject_of_passive(before);
            return names_less(std::string("change ").append(before.substr(subject)),
                              paths_in(before.substr(subject), 8))
                       ? rules
                       : kept_off(sentence.substr(subject, phrase.at - subject), before.substr(subject));
        }
        if (begins_any_verb(lower_clause, kPassive)) {
            const std::size_t subject = subject_of_passive(before);
            // "The output of a.py must not be changed"
            if (names_less(std::string("change ").append(before.substr(subject)), paths_in(before.substr(subject), 8)))
                return rules;
            return ends_at_verb(lower_clause)
                       ? kept_off(sentence.substr(subject, phrase.at - subject), before.substr(subject))
                       : rules;
        }
        if (says_behind(before, lower_clause)) return kept_off(sentence.substr(0, phrase.at), before);
        // "core.py: do not edit!"
        if (trimmed(before).ends_with(':') && verb_of(lower_clause) == Verb::change && ends_at_verb(lower_clause))
            return kept_off(sentence.substr(0, phrase.at), before);
        if (!lower_clause.starts_with("want you to ") && !speaks_to_agent(before, kRulePhrases[phrase.rank]))
            return rules;
        if (std::ranges::any_of(phrases,
                                [&](const RulePhrase& other) { return other.rank >= kOnlys && other.at < phrase.at; }))
            rules = rules_before(sentence.substr(0, phrase.at));
        append(rules, all_prohibitions(sentence.substr(from, lower_clause.size()), lower_clause));
        append(rules, rules_behind(sentence.substr(from + lower_clause.size())));
        return rules;
    }
    return rules;
}

// "Why are we not allowed to touch a.py?", and not "can you fix it, but don't touch a.py?"
bool only_asks(std::string_view lower) {
    constexpr std::string_view kAsks[] = {"why ", "what ", "when ", "where ", "who ", "which ", "is ",   "are ",
                                          "am ",  "was ",  "were ", "does ",  "did ", "has ",   "have ", "not allowed"};
    return starts_with_any(lower, kAsks) || (lower.starts_with("how ") && !lower.starts_with("how about"));
}

// "Write notes to NOTES.md, but don't commit it": that file, and not the work.
bool speaks_of_new_file(std::string_view sentence, std::string_view last) {
    constexpr std::string_view kIts[] = {"commit it",   "commit them", "commit that file", "commit this file",
                                         "commit that", "push it",     "push them"};
    constexpr std::string_view kMakes[] = {"save", "write",    "put ",  "create", "store",
                                           "dump", "generate", "keep ", "log "};
    const std::string lower = lowered(sentence);
    std::size_t at = lower.size();
    for (const std::string_view its : kIts) at = std::min(at, lower.find(its));
    if (at >= lower.size()) return false;
    // Not "write the endpoint in api.py, but don't commit it yet".
    constexpr std::string_view kAside[] = {".md",   ".txt",   ".json", ".log",  ".csv",   ".env",        ".patch",
                                           ".diff", " notes", " plan", "_plan", " file ", " directory ", " folder "};
    const auto makes_aside = [&](std::string_view text) {
        return contains_any(text, kMakes) && contains_any(text, kAside);
    };
    return makes_aside(std::string_view(lower).substr(0, at)) || makes_aside(lowered(last) + " ");
}

}  // namespace

bool waits_for_review(std::string_view sentence) {
    constexpr std::string_view kWho[] = {"i want to ",   "i wanna ",     "i'll ",   "i’ll ",      "i will ",
                                         "i'd like to ", "i’d like to ", "let me ", "i need to ", "i have to "},
                               kReviews[] = {"review",      "look at",      "look over", "look it",
                                             "have a look", "take a look",  "check it",  "check the",
                                             "see it",      "see the diff", "read it",   "test it"};
    const std::string lower = lowered(sentence);
    return std::ranges::any_of(kWho, [&](std::string_view who) {
        const std::size_t at = lower.find(who);
        return at != lower.npos && starts_with_any(std::string_view(lower).substr(at + who.size()), kReviews);
    });
}

namespace {

// "Rules: no commits, config/prod.yml stays untouched, ask when unsure": each clause is one.
std::vector<Constraint> rules_of_list(std::string_view sentence, std::string& orders) {
    constexpr std::string_view kHeads[] = {
        "rules: ",        "rule: ",      "ground rules: ", "house rules: ", "the rules: ", "constraints: ",
        "restrictions: ", "important: ", "note: ",         "please note: ", "remember: "};
    constexpr std::string_view kOpens[] = {"unless", "if ", "until ", "except", "when "};
    std::vector<Constraint> rules;
    const std::string lower = lowered(sentence);
    const auto head = std::ranges::find_if(kHeads, [&](std::string_view h) { return lower.starts_with(h); });
    if (head == std::end(kHeads) || lower.find(", ") == lower.npos) return rules;
    for (std::size_t begin = head->size(), end = 0; begin < sentence.size(); begin = end + 2) {
        end = std::min(sentence.find(", ", begin), sentence.size());
        const std::string_view clause = trimmed(sentence.substr(begin, end - begin));
        if (starts_with_any(lowered(clause), kOpens)) return {};
        std::vector<Constraint> stated = rules_of(clause);
        if (stated.empty() && tells_rule(clause)) {
            const std::string order = plain_rule(clause, {});
            stated = rules_of(order);
            orders.append(order).push_back('\n');
        }
        append(rules, std::move(stated));
    }
    return rules;
}

}  // namespace

std::vector<Constraint> stated_rules(std::string_view said) {
    std::vector<Constraint> rules;
    // Most of what humans write rules out nothing: told at once, and without taking the text apart.
    if (!tells_rule(said)) return rules;
    const std::string text =
        unquoted(with_lists_joined(with_bans_spelled(without_options(unfenced(said)), tells_rule), tells_rule));
    std::string_view before;
    any_sentence(text, [&](std::string_view sentence) {
        for (const std::string_view mark : {"- ", "* ", "• ", "– "}) {
            if (sentence.starts_with(mark)) sentence = trimmed(sentence.substr(mark.size()));
        }
        const std::string_view last = std::exchange(before, sentence);
        if (sentence.size() > kLongestRule) return false;
        const bool asks =
            text.substr(static_cast<std::size_t>(sentence.data() - text.data()) + sentence.size()).starts_with('?');
        std::string order;
        std::vector<Constraint> stated = asks ? std::vector<Constraint>{} : rules_of_list(sentence, order);
        if (stated.empty()) stated = rules_of(sentence);
        if (asks && !stated.empty() && only_asks(lowered(sentence))) stated.clear();
        if (stated.empty() && tells_rule(sentence)) {
            // "Read-only investigation please: why is the queue growing?"
            const std::string_view told =
                asks ? sentence.substr(0, sentence.find(": ") == sentence.npos ? 0 : sentence.find(": ")) : sentence;
            if (!told.empty() && !tells_of_file_modes(sentence, text)) order = plain_rule(told, last);
            if (!asks && order.empty() && !last.empty() && trimmed(text).starts_with(last))
                order = nothing_beside(sentence, last);
            stated = rules_of(order);
            if (stated.empty() && !asks) {
                for (const std::string& english : orders_in_english(sentence)) {
                    append(stated, rules_of(english));
                    order.append(english).push_back('\n');
                }
            }
        }
        if (!stated.empty() && speaks_of_new_file(sentence, last))
            std::erase_if(stated,
                          [](const Constraint& c) { return c.target == "git commit" || c.target == "git push"; });
        const bool for_now = !stated.empty() && (contains_any(lowered(sentence), kForNow) ||
                                                 contains_any(order, kForNow) || waits_for_review(sentence));
        for (Constraint& c : stated) {
            c.for_now = for_now;
            c.sentence = std::string(cut_utf8(sentence, kMostSentence));
            c.cut = c.sentence.size() < sentence.size();
            rules.push_back(std::move(c));
        }
        return false;
    });
    return rules;
}

}  // namespace agent_audit::detectors
