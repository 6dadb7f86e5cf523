#include "detectors/engine/goal.hpp"

#include "detectors/engine/phrase_set.hpp"
#include "detectors/engine/phrases.hpp"

#include "support/find_near.hpp"

#include <agent_audit/model/tool_name.hpp>
#include <agent_audit/support/snake_case.hpp>
#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kMostText = 2'048;      // of a human message: what is longer is pasted
constexpr std::size_t kMostGoalText = 1'024;  // of a message, for its words
constexpr std::size_t kMostSentence = 160;    // kept of a constraint
constexpr std::size_t kLongestRule = 400;     // a longer sentence is prose
constexpr std::size_t kMostTarget = 120;
constexpr std::size_t kMostCall = 4096;
constexpr std::size_t kMostPatchFiles = 16;

// ---- what was said -----------------------------------------------------------------------------------------------

constexpr std::string_view kBroad[] = {"refactor", "rename",    "migrat",  "across",  "everywhere", "all ",
                                       "every ",   "codebase",  "whole ",  "entire ", "restructur", "clean up",
                                       "cleanup",  "reorganiz", "upgrade", "convert", "重构",       "全部",
                                       "所有",     "整个",      "迁移",    "重命名"};
constexpr std::string_view kNarrow[] = {"only ",   "just ", "small ",       "minimal", "one-line", "one line",
                                        "single ", "tiny ", "nothing else", "只",      "仅",       "小改"};
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
                                            "跑测试",
                                            "运行测试",
                                            "通过测试",
                                            "编译通过"};

// Prohibitions. What stands behind them up to the end of the clause is forbidden.
constexpr std::string_view kForbids[] = {"do not ",        "don't ",      "don’t ",     "dont ",      "never ",
                                         "must not ",      "mustn't ",    "mustn’t ",   "may not ",   "not allowed to ",
                                         "you shall not ", "should not ", "shouldn't ", "shouldn’t ", "不要",
                                         "禁止",           "不得",        "不能",       "切勿",       "不准",
                                         "不可以",         "千万别",      "请别",       "不许",        "请勿",
                                         "，别",           ",别",         " 别",        "也别",        "under no circumstances "};
// The same said without a verb of its own; what stands behind them is not to be changed.
constexpr std::string_view kKeepOff[] = {"without touching ",   "without changing ",  "without modifying ", "without editing ",
                                         "without altering ",   "avoid touching ",    "avoid changing ",    "avoid modifying ",
                                         "avoid editing ",      "refrain from changing ", "refrain from modifying ",
                                         "refrain from touching ", "refrain from editing ", "stay out of ",  "keep out of ",
                                         "stay away from ",     "hands off "};
// "leave src/api alone": what stands between.
constexpr std::string_view kLeave = "leave ";
constexpr std::string_view kAlone[] = {" alone", " as is", " as it is", " as they are", " untouched", " unchanged", " unmodified"};
// "src/api must not be changed": behind the prohibition, and what stands before it is meant.
constexpr std::string_view kPassive[] = {"be changed",  "be modified", "be touched",    "be edited",   "be altered",
                                         "be deleted",  "be removed",  "be overwritten", "be rewritten", "be renamed",
                                         "be moved",    "be updated"};
// "do not change anything outside src/parser": only what follows may be changed.
constexpr std::string_view kOutside[] = {" outside of ", " outside ", " other than ", " apart from ", " besides ",
                                         " except for ", " except in ", " except ",   " but "};
constexpr std::string_view kVerbsChange[] = {"change", "edit",  "modify",  "touch",     "alter",  "delete",
                                             "remove", "write", "create",  "overwrite", "rename", "move",
                                             "update", "add",   "rewrite", "修改",      "改动",   "改",     "编辑",
                                             "删除",   "触碰",  "动",      "碰",        "写",     "更新",   "移动",
                                             "make any changes", "make changes", "make any change", "make any edits",
                                             "make edits"};
constexpr std::string_view kVerbsDelete[] = {"delete", "remove", "删除", "删"};
constexpr std::string_view kVerbsAdd[] = {"create", "add", "rename", "move", "移动"};  // say nothing about other changes
// What stands for every file, and for the tests, where nothing is named.
constexpr std::string_view kAnyFile[] = {"files", "file", "anything", "文件", "东西", "内容"};
constexpr std::string_view kAllFiles[] = {"files", "file", "code", "anything", "source code", "source files", "source file", "code files",
                                          "文件", "代码", "源代码", "源码", "东西", "内容"};
constexpr std::string_view kTests[] = {"tests", "test files", "test file", "test code", "test cases", "test case", "test suite",
                                       "unit tests", "tests folder", "tests directory", "test folder", "test directory",
                                       "测试文件", "测试代码", "测试用例", "测试"};
constexpr std::string_view kInstalled[] = {"anything", "packages", "package", "dependencies", "dependency", "libraries", "library", "software"};
constexpr std::string_view kInstallers[] = {"pip install", "pip3 install", "python -m pip install", "uv add", "poetry add", "npm install",
                                            "npm i", "yarn add", "pnpm add", "bun add", "cargo add", "go get", "gem install",
                                            "apt-get install", "apt install", "brew install"};
// Programs that are ruled out by their bare names.
constexpr std::string_view kUsedPrograms[] = {"sed", "awk", "perl", "grep", "curl", "wget", "sudo", "docker", "npm", "yarn",
                                              "pnpm", "pip", "rg", "xargs", "git", "kubectl", "brew", "conda"};
constexpr std::string_view kVerbsAccess[] = {"open", "read", "look", "access", "view", "print",
                                             "cat",  "读",   "查看", "打开",   "访问"};
constexpr std::string_view kVerbsRun[] = {"run",     "use",   "call",   "execute", "invoke",     "install",
                                          "commit",  "push",  "deploy", "merge",   "force-push", "rebase",
                                          "publish", "start", "运行",   "使用",    "用",         "执行",
                                          "调用",    "提交",  "推送",   "安装",    "部署"};
// A prohibition with a condition cannot be checked: "do not commit until the tests pass".
constexpr std::string_view kConditions[] = {" unless", " until", " without ",  " except", " before ", " if ",
                                            " when ",  " yet",   " more than", " too ",   " again",   " twice",
                                            "除非",    "之前",   "直到",       "如果",    "之外",     "以外"};
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
                                           "only work in ",
                                           "work only in ",
                                           "stay in ",
                                           "stay inside ",
                                           "stay within ",
                                           "only fix ",
                                           "restrict yourself to ",
                                           "restrict your changes to ",
                                           "limit your changes to ",
                                           "limit yourself to ",
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

// Commands that are named without backticks.
constexpr std::string_view kNamedCommands[] = {
    "git push",     "git commit",    "git rebase",  "git reset",   "git merge",    "git stash",    "git checkout",
    "git add",      "git tag",       "npm install", "npm publish", "npm audit",    "pip install",  "yarn add",
    "pnpm add",     "cargo publish", "apt-get",     "apt install", "docker",       "kubectl",      "terraform apply",
    "terraform",    "sudo",          "curl",        "wget",        "rm -rf",       "brew install", "brew",
    "make install", "helm",          "psql",        "ssh",         "npm run build"};
// One word of prose that means a command.
constexpr std::pair<std::string_view, std::string_view> kProse[] = {
    {"commit", "git commit"}, {"push", "git push"},   {"force-push", "git push"},
    {"rebase", "git rebase"}, {"提交", "git commit"}, {"推送", "git push"},
};

constexpr auto kPathChars = [] {
    std::array<bool, 256> chars{};
    for (const char c : std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./*@+~")) {
        chars[static_cast<unsigned char>(c)] = true;
    }
    return chars;
}();

bool is_path_char(char c) { return kPathChars[static_cast<unsigned char>(c)]; }

constexpr std::string_view kEndings[] = {
    "c",     "cc",   "cpp", "cs",   "css",   "csv",  "go",   "gradle", "h",      "hpp",   "html", "ini",
    "ipynb", "java", "js",  "json", "jsx",   "kt",   "lock", "lua",    "md",     "mjs",   "php",  "pl",
    "proto", "py",   "rb",  "rs",   "scala", "scss", "sh",   "sql",    "svelte", "swift", "tf",   "toml",
    "ts",    "tsx",  "txt", "vue",  "xml",   "yaml", "yml",  "env",    "cfg",    "conf",  "dart", "ex"};

bool has_ending(std::string_view word) {
    const std::size_t dot = word.rfind('.');
    if (dot == word.npos || dot + 1 >= word.size()) return false;
    const std::string_view ending = word.substr(dot + 1);
    if (word == ".env" || word.ends_with("/.env")) return true;
    return dot > 0 && std::ranges::find(kEndings, ending) != std::end(kEndings);
}

bool looks_like_path(std::string_view word) {
    if (word.size() < 3 || word.size() > kMostTarget || word.find_first_of("./") == word.npos) return false;
    if (word.find("//") != word.npos || word.find("..") != word.npos) return false;
    if (has_ending(word)) return true;
    const std::size_t slash = word.find('/');
    if (slash == word.npos) return false;
    // and/or, client/server, 3/4: prose. A trailing slash, a leading one or two slashes are none.
    if (word.ends_with('/')) return word.size() > 2;
    if (word.starts_with('/') || word.starts_with("~/")) return word.size() > 3;
    return word.find('/', slash + 1) != word.npos || word.starts_with("src/") || word.starts_with("lib/") ||
           word.starts_with("docs/") || word.starts_with("test");
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
    return text;
}

// Sentences end at a line's end, at 。！？；, and at . ! ? ; before a blank. The dot in src/a.py ends none.
template <class F>
void each_sentence(std::string_view text, F&& take) {
    std::size_t begin = 0;
    const auto cut = [&](std::size_t end, std::size_t next) {
        const std::string_view sentence = trimmed(text.substr(begin, end - begin));
        begin = next;
        if (!sentence.empty()) take(sentence);
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool at_end = i + 1 >= text.size();
        const auto byte = static_cast<unsigned char>(c);
        if (byte > '?' && byte < 0x80) continue;  // letters
        if (c == '\n') {
            cut(i, i + 1);
        } else if ((c == '.' || c == '!' || c == '?' || c == ';') &&
                   (at_end || text[i + 1] == ' ' || text[i + 1] == '\n')) {
            cut(i, i + 1);
        } else if (byte >= 0x80 && (text.substr(i).starts_with("。") || text.substr(i).starts_with("！") ||
                             text.substr(i).starts_with("？") || text.substr(i).starts_with("；"))) {
            cut(i, i + 3);
            i += 2;
        }
    }
    if (begin < text.size()) cut(text.size(), text.size());
}

// The text without what is quoted or fenced: that is data.
std::string unfenced(std::string_view text) {
    std::string out;
    bool fenced = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::string_view inner = trimmed(line);
        if (inner.starts_with("```") || inner.starts_with("~~~")) {
            fenced = !fenced;
            continue;
        }
        if (fenced || inner.starts_with('>') || inner.starts_with('|')) continue;
        out.append(line).push_back('\n');
    }
    return out;
}

// From a place to the end of its clause: a comma followed by a new thought, a bracket, or the end.
std::string_view clause(std::string_view lower, std::size_t from) {
    std::size_t end = lower.size();
    for (const std::string_view stop :
         {std::string_view(", but"), std::string_view(" but "), std::string_view("; "), std::string_view(" - "),
          std::string_view(" instead"), std::string_view("，而"), std::string_view("，但"),
          std::string_view(" because"), std::string_view(" since "), std::string_view(", just "),
          std::string_view(", only "), std::string_view(", use "), std::string_view(", write "), std::string_view(", put "),
          std::string_view(", save "), std::string_view(", report "), std::string_view(", then ")}) {
        end = std::min(end, lower.find(stop, from));
    }
    return lower.substr(from, std::min(end, lower.size()) - from);
}

enum class Verb : std::uint8_t { none, change, access, run };

// "use" is no "user": an English verb ends where its letters end. Its -s, -ing are not expected here.
bool begins_with(std::string_view text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    const bool ascii = static_cast<unsigned char>(word[0]) < 0x80;
    return !ascii || text.size() == word.size() || std::isalpha(static_cast<unsigned char>(text[word.size()])) == 0;
}

template <std::size_t N>
bool begins_with_any(std::string_view text, const std::string_view (&words)[N]) {
    return std::ranges::any_of(words, [&](std::string_view w) { return begins_with(text, w); });
}

std::string_view without_fillers(std::string_view rest) {
    for (const std::string_view filler :
         {"ever ", "even ", "you ", "try to ", "attempt to ", "directly ", "manually "}) {
        if (rest.starts_with(filler)) rest.remove_prefix(filler.size());
    }
    return rest;
}

Verb verb_of(std::string_view clause_text) {
    const std::string_view rest = without_fillers(clause_text);
    if (begins_with_any(rest, kVerbsChange)) return Verb::change;
    if (begins_with_any(rest, kVerbsAccess)) return Verb::access;
    if (begins_with_any(rest, kVerbsRun)) return Verb::run;
    return Verb::none;
}

// What stands in backticks.
std::vector<std::string> quoted(std::string_view text) {
    std::vector<std::string> out;
    for (std::size_t open = text.find('`'); open != text.npos && out.size() < 8;) {
        const std::size_t close = text.find('`', open + 1);
        if (close == text.npos) break;
        if (close > open + 1 && close - open <= kMostTarget) out.emplace_back(text.substr(open + 1, close - open - 1));
        open = text.find('`', close + 1);
    }
    return out;
}

bool is_command_start(std::string_view line, std::size_t at) {
    while (at > 0 && line[at - 1] == ' ') --at;
    if (at == 0) return true;
    const char before = line[at - 1];
    if (before == ';' || before == '|' || before == '&' || before == '\n' || before == '(') return true;
    const std::string_view head = line.substr(0, at);
    // What is quoted is text, unless a shell is told to run it.
    if (before == '\'' || before == '"') return head.substr(0, at - 1).ends_with("-c ") || head.substr(0, at - 1).ends_with("-lc ");
    return head.ends_with("sudo") || head.ends_with("time") || head.ends_with("env") || head.ends_with(" then") ||
           head.ends_with(" do");
}

bool ends_word(std::string_view line, std::size_t at) {
    if (at >= line.size()) return true;
    const char c = line[at];
    return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_' && c != '.';
}

// Does `word` stand in the line as a path: whole, or with directories before or below it?
bool names_path(std::string_view line, std::string_view target) {
    std::size_t begin = 0;
    while (begin < line.size()) {
        while (begin < line.size() && !is_path_char(line[begin])) ++begin;
        std::size_t end = begin;
        while (end < line.size() && is_path_char(line[end])) ++end;
        if (end > begin && path_matches(line.substr(begin, end - begin), target)) return true;
        begin = end;
    }
    return false;
}

bool star_matches(std::string_view name, std::string_view pattern) {
    std::size_t n = 0, p = 0, star = pattern.npos, mark = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            mark = n;
        } else if (p < pattern.size() && pattern[p] == name[n]) {
            ++p;
            ++n;
        } else if (star != pattern.npos) {
            p = star + 1;
            n = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

std::string decoded(RawText raw, std::size_t most) {
    if (raw.form == TextForm::plain) return std::string(cut_utf8(raw.bytes, most));
    return decode_json_string(raw.bytes.substr(0, most * 2), most);
}

// Scratch files are nobody's scope.
bool is_scratch(std::string_view path) {
    return path.starts_with("/tmp/") || path.starts_with("/var/") || path.starts_with("/dev/") ||
           path.starts_with("/private/");
}

// Where the rules of a sentence begin: "only edit " and the like first, then the prohibitions, in the order of their lists.
struct RulePhrase {
    std::size_t rank = 0;  // in kRulePhrases
    std::size_t at = 0;
};

constexpr std::size_t kOnlys = std::size(kOnlyVerbs);
constexpr std::size_t kKeepOffs = kOnlys + std::size(kForbids);      // rank of the first phrase without a verb
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

Constraint rule(Constraint::Kind kind, std::string target) {
    Constraint c;
    c.kind = kind;
    c.target = std::move(target);
    return c;
}

// A tool: a name in capitals (WebSearch) or with underscores, or the word before "tool". `lower` is what was said, in
// lower case.
void forbid_tools(std::string_view said, std::string_view lower, std::vector<Constraint>& rules) {
    const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    const auto hump = [](char before, char c) {
        return c == '_' || (std::isupper(static_cast<unsigned char>(c)) != 0 &&
                            std::islower(static_cast<unsigned char>(before)) != 0);
    };
    for (std::size_t begin = 0, end = 0; begin < said.size(); begin = end) {
        while (begin < said.size() && !letter(said[begin])) ++begin;
        bool inner = false;
        for (end = begin; end < said.size() && letter(said[end]); ++end)
            inner = inner || (end > begin && hump(said[end - 1], said[end]));
        const std::string_view after = lower.substr(std::min(end, lower.size()));
        const bool before_tool = after.starts_with(" tool") || after.starts_with("工具");
        if (end - begin >= 3 && (inner || before_tool))
            rules.push_back(rule(Constraint::Kind::forbid_tool, std::string(said.substr(begin, end - begin))));
    }
}

template <std::size_t N>
std::string_view without_any(std::string_view text, const std::string_view (&begins)[N]) {
    for (bool again = true; again;) {
        again = false;
        for (const std::string_view begin : begins) {
            if (!text.starts_with(begin)) continue;
            text.remove_prefix(begin.size());
            again = true;
        }
    }
    return text;
}

/// True when the object is one of the words and ends there: "any files", and not "any files of the app".
template <std::size_t N>
bool is_object(std::string_view object, const std::string_view (&words)[N]) {
    constexpr std::string_view kEnds[] = {" at all", " here", " or ", " and ", " in the repo", " in this repo", " of the project",
                                          " of the repo", " whatsoever", " please", "，", "、", "。", "！", "；", "）", "和", "以及", "目录"};
    return std::ranges::any_of(words, [&](std::string_view word) {
        if (!object.starts_with(word)) return false;
        const std::string_view rest = object.substr(word.size());
        if (rest.empty() || std::string_view(",.;:!?)(\"").find(rest[0]) != std::string_view::npos) return true;
        return std::ranges::any_of(kEnds, [&](std::string_view end) { return rest.starts_with(end); });
    });
}

/// Rules about what has no name: every file, the tests. `object` is in lower case; `verb` is what must not be done to it.
void forbid_unnamed(std::string_view verb, std::string_view object, std::vector<Constraint>& rules) {
    constexpr std::string_view kArticles[] = {" ", "to ", "in ", "any ", "of ", "the ", "my ", "our ", "these ", "those ", "this ",
                                              "任何", "所有", "我的", "现有的", "现有", "项目"};
    if (begins_with_any(verb, kVerbsAdd)) return;
    object = without_any(object, kArticles);
    Constraint made = rule(Constraint::Kind::forbid_path, {});
    made.deletes = begins_with_any(verb, kVerbsDelete);
    constexpr std::string_view kExisting = "existing ";
    if (object.starts_with(kExisting)) {
        made.existing = true;
        object.remove_prefix(kExisting.size());
    }
    const bool writes = verb.starts_with("write") || verb.starts_with("写");
    if (is_object(object, kTests) && !writes) {
        made.which = Constraint::Which::tests;
        made.target = "the tests";
        made.existing = true;
    } else if ((object.empty() && verb.starts_with("make ")) || is_object(object, kAllFiles)) {
        // "do not write files", "do not remove code": about some of the work, not about all files.
        const bool code = !is_object(object, kAnyFile) && !object.empty();
        if ((writes && !code) || (made.deletes && code)) return;
        made.which = code ? Constraint::Which::code : Constraint::Which::all_files;
        made.target = code ? "any code" : "any file";
        made.existing = made.existing || !(writes || code);  // a report that was not there before changes no file
    } else {
        return;
    }
    rules.push_back(std::move(made));
}

void forbid_installing(std::string_view object, std::vector<Constraint>& rules) {
    constexpr std::string_view kArticles[] = {" ", "any ", "new ", "additional ", "further ", "other ", "more ", "external ",
                                              "third-party ", "npm ", "python "};
    if (!is_object(without_any(object, kArticles), kInstalled)) return;
    for (const std::string_view command : kInstallers) rules.push_back(rule(Constraint::Kind::forbid_command, std::string(command)));
}

void forbid_commands(std::string_view said, std::string_view lower, std::vector<Constraint>& rules) {
    for (const std::string_view program : kUsedPrograms) {
        const std::string_view object = lower.starts_with("use ") ? lower.substr(4) : std::string_view{};
        if (object.starts_with(program) && (object.size() == program.size() || object[program.size()] == ' ' || object[program.size()] == ','))
            rules.push_back(rule(Constraint::Kind::forbid_command, std::string(program)));
    }
    if (lower.starts_with("install")) forbid_installing(lower.substr(7), rules);
    for (const std::string& word : quoted(said)) {
        const bool tool = word.find(' ') == word.npos &&
                          std::ranges::any_of(word, [](char c) { return c == '_' || (c >= 'A' && c <= 'Z'); });
        if (!looks_like_path(word))
            rules.push_back(rule(tool ? Constraint::Kind::forbid_tool : Constraint::Kind::forbid_command, word));
    }
    for (const std::string_view command : kNamedCommands) {
        if (lower.find(command) != lower.npos)
            rules.push_back(rule(Constraint::Kind::forbid_command, std::string(command)));
    }
    for (const auto& [word, command] : kProse) {
        if (lower.starts_with(word) || lower.find(std::string(" or ").append(word)) != lower.npos)
            rules.push_back(rule(Constraint::Kind::forbid_command, std::string(command)));
    }
}

// What a prohibition rules out; `said` is its clause, `lower` the same in lower case.
std::vector<Constraint> prohibitions(std::string_view said, std::string_view lower) {
    std::vector<Constraint> rules;
    const Verb verb = verb_of(lower);
    if (verb == Verb::change || verb == Verb::access) {
        for (std::string& path : paths_in(said, 8)) {
            rules.push_back(rule(Constraint::Kind::forbid_path, std::move(path)));
            rules.back().any_access = verb == Verb::access;
        }
        if (rules.empty() && verb == Verb::change) {
            const std::string_view words = without_fillers(lower);
            for (const std::string_view known : kVerbsChange) {
                if (!begins_with(words, known)) continue;
                forbid_unnamed(known, words.substr(known.size()), rules);
                if (known == "add") forbid_installing(words.substr(known.size()), rules);
                break;
            }
        }
    }
    if (verb == Verb::run) {
        forbid_commands(said, lower, rules);
        forbid_tools(said, lower, rules);
    }
    return rules;
}

// "… outside src/parser": nothing but what is named there. Says whether the sentence is of that kind.
bool keeps_inside(std::string_view said, std::string_view lower, std::vector<Constraint>& rules) {
    if (verb_of(lower) != Verb::change) return false;
    for (const std::string_view outside : kOutside) {
        const std::size_t at = lower.find(outside);
        if (at == lower.npos || !paths_in(said.substr(0, at), 1).empty()) continue;
        std::vector<std::string> paths = paths_in(said.substr(at + outside.size()), 8);
        // "do not touch anything, but do fix …" names no place; "outside the module" names none that is known.
        if (outside == " but " && paths.empty()) continue;
        for (std::string& path : paths) rules.push_back(rule(Constraint::Kind::only_path, std::move(path)));
        return true;
    }
    return false;
}

// What is named without a verb: "stay out of src/api", "src/api must not be changed".
std::vector<Constraint> kept_off(std::string_view said, std::string_view lower) {
    std::vector<Constraint> rules;
    for (std::string& path : paths_in(said, 8)) rules.push_back(rule(Constraint::Kind::forbid_path, std::move(path)));
    if (rules.empty()) forbid_unnamed("change", trimmed(lower), rules);
    return rules;
}

std::vector<Constraint> left_alone(std::string_view said, std::string_view lower) {
    std::size_t end = lower.npos;
    for (const std::string_view alone : kAlone) end = std::min(end, lower.find(alone));
    constexpr std::size_t kLongestName = 120;
    if (end == lower.npos || end > kLongestName) return {};
    return kept_off(said.substr(0, end), lower.substr(0, end));
}

// "be changed", and nothing that says by whom or when.
bool ends_at_verb(std::string_view passive) {
    std::size_t end = 3;  // behind "be "
    while (end < passive.size() && std::isalpha(static_cast<unsigned char>(passive[end])) != 0) ++end;
    const std::string_view rest = trimmed(passive.substr(end));
    return rest.empty() || std::string_view(",.;:!)").find(rest[0]) != std::string_view::npos ||
           rest.starts_with("at all") || rest.starts_with("in any way") || rest.starts_with("under any");
}

// Must, may and should have a subject; it is the agent that is meant when that is "you", or none.
bool told_to_agent(std::string_view before, std::string_view phrase) {
    const bool modal = phrase.starts_with("must") || phrase.starts_with("may") || phrase.starts_with("should") ||
                       phrase.starts_with("not allowed");
    before = trimmed(before);
    return !modal || before.empty() || before == "you" || before.ends_with(" you") || before.ends_with("you are") ||
           before.ends_with("you're") || before.ends_with(',') || before.ends_with(" and") || before.ends_with(" but");
}

// The rules of one sentence; the first phrase that makes one decides.
std::vector<Constraint> rules_of(std::string_view sentence) {
    std::vector<Constraint> rules;
    const std::vector<RulePhrase> phrases = rule_phrases_in(sentence);
    if (phrases.empty()) return rules;
    const std::string lower = lowered(sentence);
    for (const RulePhrase& phrase : phrases) {
        if (phrase.rank < kOnlys) {
            if (contains_any(lower, kConditions)) continue;
            for (std::string& path : paths_in(clause(sentence, phrase.at), 8))
                rules.push_back(rule(Constraint::Kind::only_path, std::move(path)));
            return rules;
        }
        const std::size_t from = phrase.at + kRulePhrases[phrase.rank].size();
        const std::string_view lower_clause = clause(lower, from);
        if (phrase.rank == kLeaves) {
            if (!contains_any(lower_clause, kConditions)) rules = left_alone(sentence.substr(from, lower_clause.size()), lower_clause);
            return rules;
        }
        if (keeps_inside(sentence.substr(from), std::string_view(lower).substr(from), rules)) return rules;
        if (contains_any(lower_clause, kConditions)) return rules;
        if (phrase.rank >= kKeepOffs) {
            // "Without changing the tests, nothing works": said first it may be the reason of something else.
            if (phrase.at == 0 && lower.starts_with("without ")) return rules;
            return kept_off(sentence.substr(from, lower_clause.size()), lower_clause);
        }
        const std::string_view before = std::string_view(lower).substr(0, phrase.at);
        if (begins_with_any(lower_clause, kPassive)) {
            return ends_at_verb(lower_clause) ? kept_off(sentence.substr(0, phrase.at), before) : rules;
        }
        // "Guests must not modify any files" is about the product.
        if (!told_to_agent(before, kRulePhrases[phrase.rank])) {
            rules = prohibitions(sentence.substr(from, lower_clause.size()), lower_clause);
            std::erase_if(rules, [](const Constraint& c) { return c.which != Constraint::Which::named; });
            return rules;
        }
        return prohibitions(sentence.substr(from, lower_clause.size()), lower_clause);
    }
    return rules;
}

}  // namespace

std::vector<std::string> paths_in(std::string_view text, std::size_t most) {
    std::vector<std::string> out;
    std::size_t from = 0;  // what stands before belongs to words that were looked at
    while (out.size() < most) {
        // Every path has a dot or a slash, and most words have none.
        const std::size_t mark = find_near(text, from, '.', '/');
        if (mark == text.npos) break;
        std::size_t begin = mark, end = mark + 1;
        while (begin > from && is_path_char(text[begin - 1])) --begin;
        while (end < text.size() && is_path_char(text[end])) ++end;
        // A URL is no file of the project: its scheme, and all up to the next blank.
        const bool scheme_before = begin == mark && mark > from + 1 && text[mark - 1] == ':' && is_path_char(text[mark - 2]);
        if ((scheme_before && text.substr(mark).starts_with("//")) || text.substr(end).starts_with("://")) {
            while (end < text.size() && std::isspace(static_cast<unsigned char>(text[end])) == 0) ++end;
            from = end;
            continue;
        }
        from = end;
        std::string_view word = text.substr(begin, end - begin);
        while (!word.empty() && (word.back() == '.' || word.back() == '-')) word.remove_suffix(1);
        if (word.starts_with("./")) word.remove_prefix(2);
        if (word.starts_with('@')) word.remove_prefix(1);
        if (looks_like_path(word) && std::ranges::find(out, word) == out.end()) out.emplace_back(word);
    }
    return out;
}

bool path_matches(std::string_view path, std::string_view target) {
    if (target.starts_with("./")) target.remove_prefix(2);
    if (path.starts_with("./")) path.remove_prefix(2);
    while (target.ends_with('/') || target.ends_with("/*") || target.ends_with("/**")) {
        target.remove_suffix(target.ends_with('/') ? 1 : target.ends_with("/**") ? 3 : 2);
    }
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    if (target.empty() || path.empty()) return false;
    if (target.find('*') != target.npos) {
        const std::string_view name = target.find('/') == target.npos ? path.substr(path.rfind('/') + 1) : path;
        return star_matches(name, target) || star_matches(path, std::string("*/").append(target));
    }
    for (std::size_t at = path.find(target); at != path.npos; at = path.find(target, at + 1)) {
        const bool begins = at == 0 || path[at - 1] == '/';
        const std::size_t end = at + target.size();
        if (begins && (end == path.size() || path[end] == '/')) return true;
    }
    return false;
}

bool runs_command(std::string_view line, std::string_view target) {
    target = trimmed(target);
    if (target.empty()) return false;
    for (std::size_t at = line.find(target); at != line.npos; at = line.find(target, at + 1)) {
        if (ends_word(line, at + target.size()) && is_command_start(line, at)) return true;
    }
    // git -C dir push
    if (!target.starts_with("git ")) return false;
    const std::string_view verb = target.substr(4);
    for (std::size_t at = line.find("git -C "); at != line.npos; at = line.find("git -C ", at + 1)) {
        const std::size_t dir = at + 7;
        const std::size_t blank = line.find(' ', dir);
        if (blank != line.npos && line.substr(blank + 1).starts_with(verb) && ends_word(line, blank + 1 + verb.size()))
            return is_command_start(line, at);
    }
    return false;
}

bool changes_path(std::string_view line, std::string_view target) {
    constexpr std::string_view kChangers[] = {
        "rm ",      "mv ",           "cp ",          "tee ",    "truncate ", "chmod ", "touch ", "sed -i", "perl -i",
        "perl -pi", "git checkout ", "git restore ", "git rm ", "git mv ",   "rmdir ", "mkdir ", "patch ", "unlink "};
    std::size_t begin = 0;
    while (begin < line.size()) {
        std::size_t end = begin;
        while (end < line.size() && line[end] != ';' && line[end] != '|' && line[end] != '&' && line[end] != '\n')
            ++end;
        std::string_view part = trimmed(line.substr(begin, end - begin));
        begin = end + 1;
        if (part.starts_with("sudo ")) part.remove_prefix(5);
        const bool changer = std::ranges::any_of(kChangers, [&](std::string_view c) { return part.starts_with(c); });
        if (part.starts_with("cp ")) part = part.substr(part.find_last_of(' ') + 1);  // only where it goes
        if (changer && names_path(part, target)) return true;
        for (std::size_t at = part.find('>'); at != part.npos; at = part.find('>', at + 1)) {
            if (at > 0 && (part[at - 1] == '-' || part[at - 1] == '=')) continue;
            std::string_view rest = trimmed(part.substr(at + 1));
            if (rest.starts_with('>')) rest = trimmed(rest.substr(1));
            if (names_path(rest.substr(0, rest.find(' ')), target)) return true;
        }
    }
    return false;
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
    messages_ = 0;
    manner_.clear();
    narrow_from_ = 0;
}

bool GoalModel::broad() const {
    static constexpr PhraseSet phrases(kBroad);
    return phrases.said_in(manner_);
}
// In a long brief such words are about something else.
bool GoalModel::narrow() const {
    static constexpr PhraseSet phrases(kNarrow);
    constexpr std::size_t kShort = 600;
    const std::string_view said = std::string_view(manner_).substr(narrow_from_);
    return said.size() <= kShort && phrases.said_in(said);
}
bool GoalModel::wants_check() const {
    static constexpr PhraseSet phrases(kWantsCheck);
    return phrases.in(manner_);
}

void GoalModel::take_words(std::string_view text) {
    // Word sets are small and fixed; a long message comes in pieces.
    constexpr std::size_t kPiece = 240;
    text = text.substr(0, kMostGoalText);
    for (std::size_t at = 0; at < text.size() && words_.size() < kMostWords; at += kPiece) {
        std::size_t begin = at;
        while (begin > 0 && begin + 12 > at && std::isspace(static_cast<unsigned char>(text[begin - 1])) == 0) --begin;
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
    const bool first = messages_ == 0;
    ++messages_;
    take_words(human.text);
    if (human.bare && !first) {
        allow_named(human.text);
        return take_constraints(human);  // "and don't push": few words, and a rule
    }
    std::vector<std::string> named = paths_in(human.text, kMostPaths);
    if (first || named.empty()) {
        paths_ = std::move(named);
    } else if (!paths_.empty()) {  // once the scope is open, a file named in passing does not close it
        for (std::string& path : named) {
            if (paths_.size() < kMostPaths && std::ranges::find(paths_, path) == paths_.end())
                paths_.push_back(std::move(path));
        }
    }
    // Few rules ask for the manner of a goal, and only when something is amiss.
    if (first) manner_.clear();
    if (manner_.size() < kMostText) manner_.append(human.text).push_back('\n');
    narrow_from_ = manner_.size() - std::min(manner_.size(), human.text.size() + 1);
    line_ = human.line;
    said_ = std::string(cut_utf8(trimmed(human.text), kMostSentence));
    if (!first) allow_named(human.text);
    take_constraints(human);
}

// "ok, push it": what a human names without forbidding it is allowed again.
void GoalModel::allow_named(std::string_view text) {
    if (constraints_.empty()) return;
    const std::string lower = lowered(text);
    std::erase_if(constraints_, [&](const Constraint& c) {
        std::string target = lowered(c.target);
        if (c.kind == Constraint::Kind::only_path) return !paths_in(text, 4).empty();
        // A review is over when the person speaks again; tests are free once they speak of them.
        if (c.which == Constraint::Which::all_files || c.which == Constraint::Which::code) return true;
        if (c.which == Constraint::Which::tests && (lower.find("test") != lower.npos || lower.find("测试") != lower.npos)) return true;
        if (lower.find(target) != lower.npos) return true;
        // 可以推送 takes back what forbade git push.
        for (const auto& [word, command] : kProse) {
            if (target == command && lower.find(word) != lower.npos) return true;
        }
        const std::size_t blank = target.rfind(' ');
        return c.kind == Constraint::Kind::forbid_command && blank != target.npos &&
               lower.find(target.substr(blank + 1)) != lower.npos;
    });
}

void GoalModel::add(Constraint constraint) {
    const auto same = [&](const Constraint& c) {
        return c.kind == constraint.kind && c.target == constraint.target && c.deletes == constraint.deletes;
    };
    if (constraint.target.empty() || constraints_.size() >= kMostConstraints || std::ranges::any_of(constraints_, same))
        return;
    constraints_.push_back(std::move(constraint));
}

void GoalModel::take_constraints(const HumanText& human) {
    // Most of what humans write rules out nothing: told at once, and without taking the text apart.
    if (!rule_phrases().in(human.text)) return;
    const std::string text = unfenced(human.text);
    each_sentence(text, [&](std::string_view sentence) {
        if (sentence.size() > kLongestRule) return;
        for (Constraint& c : rules_of(sentence)) {
            c.sentence = std::string(cut_utf8(sentence, kMostSentence));
            c.line = human.line;
            add(std::move(c));
        }
    });
}

void GoalModel::compacted(std::string_view summary) {
    if (summary.empty() || constraints_.empty()) return;
    const std::string lower = lowered(summary);
    for (Constraint& c : constraints_) {
        if (c.which != Constraint::Which::named) continue;  // said in too many ways to be missed
        std::string target = lowered(c.target);
        while (target.ends_with('/')) target.pop_back();
        c.lost = lower.find(target) == lower.npos;
    }
}

// "command": "create", of editors with one tool for all they do.
static bool says_create(std::string_view args) {
    bool found = false;
    each_pair_near(args, '"', 'c', [&](std::size_t at) { found |= args.substr(at).starts_with("\"create\""); });
    return found;
}

CallTarget target_of(RawText tool, bool runs_shell, ToolClass tool_class, RawText primary, RawText args) {
    CallTarget call;
    call.tool = snake_case(bare_tool_name(tool.bytes));
    call.full_tool = tool.bytes;
    call.tool_class = tool_class;
    std::string text = decoded(primary.empty() ? args : primary, kMostCall);
    const bool starred = find_pair_near(text, 0, '*', '*') != text.npos;  // most texts are no patches
    if (runs_shell) {
        call.command = text;
    } else if ((!starred || text.find("*** ") == text.npos) && (tool_class == ToolClass::mutate || tool_class == ToolClass::read)) {
        if (!text.empty() && text.size() < 512 && text.find('\n') == text.npos && text.front() != '{')
            call.paths.push_back(text);
    }
    call.creates = call.tool.starts_with("write") || call.tool.starts_with("create") || says_create(args.bytes.substr(0, kMostCall));
    if (!starred || text.find("*** Begin Patch") == text.npos) return call;
    call.creates = text.find("*** Update File: ") == text.npos && text.find("*** Delete File: ") == text.npos;
    for (const std::string_view mark : {"*** Update File: ", "*** Add File: ", "*** Delete File: "}) {
        for (std::size_t at = text.find(mark); at != text.npos && call.paths.size() < kMostPatchFiles;
             at = text.find(mark, at + 1)) {
            const std::size_t begin = at + mark.size();
            call.paths.push_back(text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin));
        }
    }
    call.tool_class = ToolClass::mutate;
    return call;
}

namespace {

// tests/x.py, pkg/x_test.go, a.spec.ts, FooTest.java
bool is_test_file(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    const std::string_view name = slash == path.npos ? path : path.substr(slash + 1);
    for (const std::string_view mark : {"_test.", ".test.", ".spec.", "_spec.", "Test.java", "Tests.java", "Test.kt", "Tests.cs"}) {
        if (name.find(mark) != name.npos) return true;
    }
    if (name.starts_with("test_") || name == "conftest.py") return true;
    const std::string folders = "/" + std::string(slash == path.npos ? std::string_view{} : path.substr(0, slash)) + "/";
    return std::ranges::any_of(std::array<std::string_view, 5>{"/test/", "/tests/", "/__tests__/", "/spec/", "/specs/"},
                               [&](std::string_view folder) { return folders.find(folder) != folders.npos; });
}

bool is_code_file(std::string_view path) {
    constexpr std::string_view kOther[] = {".md", ".txt", ".rst", ".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".env",
                                           ".lock", ".csv", ".log", ".xml", ".html", ".svg", ".patch", ".diff"};
    return std::ranges::none_of(kOther, [&](std::string_view ending) { return path.ends_with(ending); });
}

bool is_meant(Constraint::Which which, std::string_view path) {
    if (is_scratch(path)) return false;
    if (which == Constraint::Which::tests) return is_test_file(path);
    return which != Constraint::Which::code || is_code_file(path);
}

/// Commands that remove files, or change them where they are, without those about scratch files.
bool changes_in_place(std::string_view line, bool deletes, Constraint::Which which) {
    constexpr std::string_view kRemovers[] = {"rm ", "git rm ", "unlink ", "rmdir "};
    constexpr std::string_view kChangers[] = {"sed -i", "perl -i", "perl -pi", "patch "};
    for (std::size_t begin = 0, end = 0; begin < line.size(); begin = end + 1) {
        end = begin;
        while (end < line.size() && line[end] != ';' && line[end] != '|' && line[end] != '&' && line[end] != '\n') ++end;
        std::string_view part = trimmed(line.substr(begin, end - begin));
        if (part.starts_with("sudo ")) part.remove_prefix(5);
        const auto is = [&](std::string_view c) { return part.starts_with(c); };
        if (!std::ranges::any_of(kRemovers, is) && (deletes || !std::ranges::any_of(kChangers, is))) continue;
        // The last word is a file, whatever stands before it.
        const std::string_view last = part.substr(part.find_last_of(" \t") + 1);
        if (last.starts_with('-') || last.starts_with('$')) continue;
        if (is_meant(which, last)) return true;
    }
    return false;
}

bool breaks_unnamed(const Constraint& c, const CallTarget& call) {
    if (!call.command.empty()) return changes_in_place(call.command, c.deletes, c.which);
    if (c.deletes && call.tool.find("delete") == call.tool.npos && call.tool.find("remove") == call.tool.npos) return false;
    if (call.tool_class != ToolClass::mutate || (c.existing && call.creates)) return false;
    return std::ranges::any_of(call.paths, [&](const std::string& path) { return is_meant(c.which, path); });
}

/// Asking pip for what a project lists already installs nothing that is new.
bool installs_known(std::string_view command, std::string_view target) {
    if (!target.ends_with(" install") && target != "npm i") return false;
    const std::size_t at = command.find(target);
    if (at == command.npos) return false;
    const std::string_view rest = trimmed(command.substr(at + target.size()));
    return rest.empty() || rest.starts_with("-r") || rest.starts_with("-e") || rest.starts_with('.') || rest.starts_with("--requirement") ||
           rest.starts_with('&') || rest.starts_with(';') || rest.starts_with('|');
}

}  // namespace

const Constraint* broken_by(const std::vector<Constraint>& constraints, const CallTarget& call) {
    const bool changes = call.tool_class == ToolClass::mutate;
    const bool shell = !call.command.empty();
    bool scoped = false, inside = false;
    const Constraint* scope = nullptr;
    for (const Constraint& c : constraints) {
        switch (c.kind) {
            case Constraint::Kind::forbid_path:
                if (c.which != Constraint::Which::named) {
                    if (breaks_unnamed(c, call)) return &c;
                    break;
                }
                if (c.deletes && call.tool.find("delete") == call.tool.npos) break;
                if ((changes || c.any_access) && std::ranges::any_of(call.paths, [&](const std::string& path) {
                        return path_matches(path, c.target);
                    }))
                    return &c;
                if (shell && changes_path(call.command, c.target)) return &c;
                if (shell && c.any_access && names_path(call.command, c.target)) return &c;
                break;
            case Constraint::Kind::forbid_command:
                if (shell && runs_command(call.command, c.target) && !installs_known(call.command, c.target)) return &c;
                break;
            case Constraint::Kind::forbid_tool:
                if (snake_case(c.target) == call.tool) return &c;
                break;
            case Constraint::Kind::only_path:
                if (!changes || call.paths.empty()) break;
                scoped = true;
                if (!scope) scope = &c;
                inside =
                    inside || std::ranges::all_of(call.paths, [&](const std::string& path) {
                        return is_scratch(path) || path_matches(path, c.target) ||
                               std::ranges::any_of(constraints, [&](const Constraint& other) {
                                   return other.kind == Constraint::Kind::only_path && path_matches(path, other.target);
                               });
                    });
                break;
        }
    }
    return scoped && !inside ? scope : nullptr;
}

}  // namespace agent_audit::detectors
