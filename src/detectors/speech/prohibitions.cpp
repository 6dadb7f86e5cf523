#include "detectors/speech/prohibitions.hpp"

#include "detectors/speech/merges.hpp"
#include "detectors/speech/rule_beside.hpp"
#include "detectors/speech/rule_object.hpp"
#include "detectors/speech/rule_places.hpp"
#include "detectors/speech/rule_subject.hpp"
#include "detectors/speech/sentence_parts.hpp"
#include "detectors/speech/stated_commands.hpp"
#include "detectors/speech/stated_tools.hpp"
#include "detectors/speech/unnamed_rules.hpp"
#include "detectors/speech/word_rules.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/among.hpp"

#include <algorithm>
#include <utility>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kMostTarget = 120;

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

std::string_view without_fillers(std::string_view rest) {
    for (const std::string_view filler :
         {"may you ", "should you ", "ever ", "even ", "you ", "u ", "dare ", "dare to ", "want you to ", "try to ",
          "attempt to ", "directly ", "manually ", "再"}) {
        if (rest.starts_with(filler)) rest.remove_prefix(filler.size());
    }
    return rest;
}

// "do not use web search": a name of two or three words that a tool may have.
void forbid_spelled_tool(std::string_view lower, std::vector<Constraint>& rules) {
    constexpr std::string_view kUses[] = {"use ", "call ", "invoke "}, kArticles[] = {"the ", "any ", "your "},
                               kTool[] = {" tool", " tools"};
    constexpr std::size_t kMostWords = 3;
    for (const std::string_view use : kUses) {
        if (!lower.starts_with(use)) continue;
        std::string_view name = lower.substr(use.size());
        const std::string_view whole = name;
        for (const std::string_view article : kArticles) {
            if (name.starts_with(article)) name.remove_prefix(article.size());
        }
        const bool article = name.size() < whole.size();
        name = trimmed(name.substr(0, name.find_first_of(",.;:!?(")));
        if (among(name.substr(0, name.find(' ')), kPrograms)) return;  // "docker here" is no name
        bool said_tool = false;
        for (const std::string_view tool : kTool) {
            if (!name.ends_with(tool)) continue;
            name.remove_suffix(tool.size());
            said_tool = true;
        }
        // "Don't call the production API" is about a service.
        if (article && !said_tool && use != kUses[0]) return;
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
    if (rules.empty()) forbid_merges(without_fillers(lower), rules);
    if (rules.empty()) forbid_data_changes(without_fillers(lower), rules);
    if (rules.empty()) forbid_recipient(said.substr(lower.size() - without_fillers(lower).size()), rules);
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
        // "Don't rewrite src/a.py, a small fix is enough": of an edit nobody knows whether it is one.
        constexpr std::string_view kRewrite = "rewrite";
        if (!paths.empty() && begins_verb(without_fillers(lower), kRewrite) && !contains_any(lower, kOrChange))
            return rules;
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
    if (rules.empty()) forbid_skipping_hooks(without_fillers(lower), rules);
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
        forbid_shipping(lower.substr(skipped), rules);
    }
    if (rules.empty()) forbid_named_deeds(without_fillers(lower), rules);
    return rules;
}

}  // namespace

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
          std::string_view(", try "),    std::string_view(" :)"),        std::string_view(" ;)"),
          std::string_view(" :-)"),      std::string_view(" ;-)")}) {
        end = std::min(end, lower.find(stop, from));
    }
    return lower.substr(from, std::min(end, lower.size()) - from);
}

Verb verb_of(std::string_view clause_text) {
    const std::string_view rest = without_fillers(clause_text);
    if (begins_any_verb(rest, kVerbsChange)) return Verb::change;
    if (begins_any_verb(rest, kVerbsAccess)) return Verb::access;
    if (begins_any_verb(rest, kVerbsRun)) return Verb::run;
    return Verb::none;
}

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

bool keeps_inside(std::string_view said, std::string_view lower, std::vector<Constraint>& rules) {
    if (verb_of(lower) != Verb::change) return false;
    for (const std::string_view outside : kOutside) {
        const std::size_t at = lower.find(outside);
        if (at == lower.npos || !paths_in(said.substr(0, at), 1).empty()) continue;
        std::vector<std::string> paths = rule_places(said.substr(at + outside.size()), 8);
        // "do not touch anything, but do fix …" names no place; "outside the module" names none that is known.
        if (outside == " but " && paths.empty()) continue;
        Beside beside = beside_places(lower.substr(at + outside.size()), paths);
        if (beside.unnamed) return true;
        for (std::string& path : paths) rules.push_back(make_rule(Constraint::Kind::only_path, std::move(path)));
        append(rules, std::move(beside.rules));
        return true;
    }
    return false;
}

std::vector<Constraint> kept_off(std::string_view said, std::string_view lower) {
    std::vector<Constraint> rules;
    const std::string_view object = object_of(said);
    for (std::string& path : forbidden_places(object, 8))
        rules.push_back(make_rule(Constraint::Kind::forbid_path, std::move(path)));
    if (rules.empty()) forbid_unnamed("change", trimmed(lower.substr(0, object.size())), rules);
    return rules;
}

}  // namespace agent_audit::detectors
