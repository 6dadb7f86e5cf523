#include "detectors/speech/unnamed_rules.hpp"

#include "detectors/speech/sentence_parts.hpp"
#include "detectors/words/phrases.hpp"
#include "detectors/words/shipping_words.hpp"
#include "support/among.hpp"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kVerbsDelete[] = {"delete", "remove", "删除", "删"};
constexpr std::string_view kVerbsAdd[] = {"create", "add",  "rename", "move", "移动",
                                          "新建",   "创建", "新增",   "添加"};  // say nothing about other changes
// What stands for every file, and for the tests, where nothing is named.
constexpr std::string_view kAnyFile[] = {"files", "file", "anything", "文件", "东西", "内容"};
constexpr std::string_view kAllFiles[] = {"files",        "file",        "code",       "anything", "source code",
                                          "source files", "source file", "code files", "文件",     "代码",
                                          "源代码",       "源码",        "东西",       "内容"};
constexpr std::string_view kTests[] = {"tests",        "test files",      "test file",   "test code",
                                       "test cases",   "test case",       "test suite",  "unit tests",
                                       "tests folder", "tests directory", "test folder", "test directory",
                                       "测试文件",     "测试代码",        "测试用例",    "测试"};
// Files that are known by half a name.
constexpr std::pair<std::string_view, std::string_view> kNamedFiles[] = {
    {"readme", "README*"},          {"changelog", "CHANGELOG*"},    {"license", "LICENSE*"},  {"makefile", "Makefile"},
    {"dockerfile", "Dockerfile"},   {"gemfile", "Gemfile*"},        {"rakefile", "Rakefile"}, {"procfile", "Procfile"},
    {"jenkinsfile", "Jenkinsfile"}, {"vagrantfile", "Vagrantfile"}, {"podfile", "Podfile*"},  {"pipfile", "Pipfile*"},
    {"justfile", "*ustfile"},       {"codeowners", "CODEOWNERS"}};
constexpr std::string_view kBranches[] = {"branches", "branch"};
constexpr std::string_view kBranchMakers[] = {"git checkout -b", "git checkout -B", "git switch -c",
                                              "git switch --create"};
constexpr std::string_view kMakesCommits[] = {
    "create commits",       "create a commit",        "create any commits", "make git commits", "create git commits",
    "make any git commits", "create any git commits", "make commits",       "make a commit",    "make any commits"};
constexpr std::string_view kInstalled[] = {"anything", "packages", "package", "dependencies", "dependency", "libraries",
                                           "library",  "software", "deps",    "依赖",         "依赖包",     "第三方库"};
constexpr std::string_view kInstallers[] = {"pip install", "pip3 install",    "python -m pip install",
                                            "uv add",      "poetry add",      "npm install",
                                            "npm i",       "yarn add",        "pnpm add",
                                            "bun add",     "cargo add",       "go get",
                                            "gem install", "apt-get install", "apt install",
                                            "brew install"};

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
    constexpr std::string_view kEnds[] = {" at all",
                                          " here",
                                          " or ",
                                          " and ",
                                          " in the repo",
                                          " in this repo",
                                          " of the project",
                                          " of the repo",
                                          " whatsoever",
                                          " please",
                                          " pls",
                                          " plz",
                                          " thanks",
                                          " thx",
                                          " yet",
                                          " for now",
                                          " for the moment",
                                          " at the moment",
                                          " right now",
                                          " —",
                                          " –",
                                          " - ",
                                          " (",
                                          "，",
                                          "、",
                                          "。",
                                          "！",
                                          "；",
                                          "）",
                                          "和",
                                          "以及",
                                          "目录"};
    return std::ranges::any_of(words, [&](std::string_view word) {
        if (!object.starts_with(word)) return false;
        const std::string_view rest = object.substr(word.size());
        if (rest.empty() || std::string_view(",.;:!?)(\"").find(rest[0]) != std::string_view::npos) return true;
        return std::ranges::any_of(kEnds, [&](std::string_view end) { return rest.starts_with(end); });
    });
}

constexpr std::string_view kBeforeNew[] = {
    " ",        "any ",    "a ",    "an ",  "new ", "additional ", "further ", "other ", "more ", "extra ",
    "another ", "source ", "code ", "任何", "新的", "新",          "其他",     "额外的", "多余的"};
constexpr std::string_view kFiles[] = {"files", "file", "文件"};

constexpr std::string_view kTestRunners[] = {
    "npm test", "npm run test",       "yarn test",   "pnpm test",      "bun test",
    "pytest",   "python -m unittest", "go test",     "cargo test",     "make test",
    "ctest",    "mvn test",           "gradle test", "./gradlew test", "dotnet test"};
constexpr std::string_view kServers[] = {"npm run dev",
                                         "npm start",
                                         "npm run start",
                                         "npm run serve",
                                         "yarn dev",
                                         "yarn start",
                                         "pnpm dev",
                                         "pnpm start",
                                         "bun dev",
                                         "python manage.py runserver",
                                         "python3 manage.py runserver",
                                         "./manage.py runserver",
                                         "flask run",
                                         "uvicorn",
                                         "gunicorn",
                                         "vite",
                                         "next dev",
                                         "rails server",
                                         "bin/rails server",
                                         "php artisan serve",
                                         "nodemon"};

template <std::size_t N>
void forbid_all(const std::string_view (&commands)[N], std::vector<Constraint>& rules) {
    for (const std::string_view command : commands)
        rules.push_back(make_rule(Constraint::Kind::forbid_command, std::string(command)));
}

// Scripts, and what is run by another program.
constexpr std::string_view kDeployScripts[] = {"./deploy.sh", "bash deploy.sh", "./scripts/deploy.sh",
                                               "bash scripts/deploy.sh", "npx wrangler deploy"};

// What brings up a cluster may bring up one that runs here.
bool deploys_for_sure(const ShippingCommand& command) {
    constexpr std::string_view kClusters[] = {"kubectl", "helm", "terraform", "tofu", "pulumi", "ansible"};
    return command.how == Shipping::deploy && !starts_with_any(command.words, kClusters);
}

bool is_deploy(std::string_view command) {
    const auto is_row = [&](const ShippingCommand& row) { return row.words == command && deploys_for_sure(row); };
    return std::ranges::any_of(kShippingCommands, is_row) || among(command, kDeployScripts);
}

bool is_publish(std::string_view command) {
    return std::ranges::any_of(kShippingCommands, [&](const ShippingCommand& row) {
        return row.words == command && row.how == Shipping::publish;
    });
}

// What tools do that are called for what they do: restart_service, cancel_order. And what such tools are called where a
// person only says "anything".
struct Deed {
    std::string_view verb;
    std::span<const std::string_view> tools;
};
constexpr std::string_view kRestarts[] = {"restart_service",   "restart_deployment", "restart_server",
                                          "restart_container", "restart_pod",        "restart_app"};
constexpr std::string_view kReboots[] = {"reboot_server", "reboot_instance", "reboot_host"};
constexpr std::string_view kCancels[] = {"cancel_order",        "cancel_booking", "cancel_reservation",
                                         "cancel_subscription", "cancel_meeting", "cancel_event"};
constexpr std::string_view kRefunds[] = {"issue_refund", "refund_order", "process_refund", "create_refund",
                                         "refund_payment"};
constexpr std::string_view kBooks[] = {"book_flight", "book_hotel", "book_reservation", "book_appointment",
                                       "create_booking"};
constexpr std::string_view kBuys[] = {"place_order", "buy_product", "checkout_cart", "purchase_item", "create_order"};
constexpr std::string_view kPays[] = {"make_payment", "pay_invoice", "send_payment", "transfer_money"};
constexpr Deed kDeedsOfTools[] = {
    {"restart", kRestarts}, {"reboot", kReboots}, {"cancel", kCancels}, {"refund", kRefunds}, {"book", kBooks},
    {"buy", kBuys},         {"order", kBuys},     {"purchase", kBuys},  {"pay", kPays},       {"issue", {}},
    {"delete", {}},         {"archive", {}},      {"close", {}},        {"approve", {}},      {"charge", {}},
    {"transfer", {}},       {"suspend", {}},      {"deactivate", {}},   {"escalate", {}},     {"reset", {}},
    {"terminate", {}}};

// What is set by tools of any of these names.
constexpr std::string_view kChangers[] = {"change", "set",   "update", "modify",     "adjust",
                                          "edit",   "alter", "raise",  "reconfigure"};
// What an agent keeps for itself, or changes by other tools.
constexpr std::string_view kOwnThings[] = {"plan",  "plans", "todo",   "todos", "task", "tasks", "goal",
                                           "goals", "file",  "files",  "code",  "test", "tests", "notebook",
                                           "cell",  "cells", "memory", "notes", "text", "state", "content"};
// One thing under several names.
constexpr std::string_view kMails[] = {"mail",    "mails",   "email",    "emails", "e-mail",
                                       "e-mails", "message", "messages", "letter", "letters"};
constexpr std::string_view kMailRemovers[] = {
    "delete_mail",         "delete_email",        "delete_message", "delete_thread",  "trash_mail",
    "trash_email",         "trash_thread",        "trash_message",  "delete_mails",   "delete_emails",
    "delete_messages",     "gmail_delete_email",  "remove_email",   "remove_message", "delete_letter",
    "gmail_trash_message", "gmail_delete_message"};

// "the order" → order, when nothing follows: "the order without asking" may be cancelled after all.
std::string_view last_noun(std::string_view object) {
    constexpr std::string_view kWhose[] = {" ", "any ", "the ", "my ", "our ", "this ", "that ", "a ", "an "};
    constexpr std::string_view kLater[] = {" again", " anymore", " any more", " now", " either"};
    object = trimmed(without_any(object, kWhose));
    while (!object.empty() && std::string_view(".!;)").find(object.back()) != std::string_view::npos)
        object.remove_suffix(1);
    for (const std::string_view later : kLater) {
        if (object.ends_with(later)) object.remove_suffix(later.size());
    }
    const bool plain = std::ranges::all_of(object, [](char c) { return c >= 'a' && c <= 'z'; });
    return plain ? object : std::string_view{};
}

// "Do not change the temperature": set_temperature. What it is to be later is told in as many words, so it holds until
// the person speaks again.
void forbid_setting(std::string_view object, std::vector<Constraint>& rules) {
    constexpr std::size_t kShortest = 4;
    const std::string_view noun = last_noun(object);
    // What is spoken of as many may be anything: colours, them, settings.
    const bool own = std::ranges::find(kOwnThings, noun) != std::end(kOwnThings);
    if (noun.size() < kShortest || own || noun.ends_with('s') || noun == "them" || noun == "this" || noun == "that")
        return;
    for (const std::string_view verb : kChangers) {
        rules.push_back(make_rule(Constraint::Kind::forbid_tool, std::string(verb).append("_").append(noun)));
        rules.back().for_now = true;
    }
}

void forbid_deeds(std::initializer_list<std::string_view> commands, std::initializer_list<std::string_view> tools,
                  std::vector<Constraint>& rules) {
    for (const std::string_view command : commands)
        rules.push_back(make_rule(Constraint::Kind::forbid_command, std::string(command)));
    for (const std::string_view tool : tools)
        rules.push_back(make_rule(Constraint::Kind::forbid_tool, std::string(tool)));
}

}  // namespace

std::string_view file_known_as(std::string_view object) {
    for (const auto& [name, target] : kNamedFiles) {
        const std::string_view names[] = {name};
        std::string_view rest = object;
        if (rest.starts_with(name) && rest.substr(name.size()).starts_with(" file"))
            rest.remove_suffix(rest.size() - name.size());
        if (is_object(rest, names)) return target;
    }
    return {};
}

void forbid_unnamed(std::string_view verb, std::string_view object, std::vector<Constraint>& rules) {
    constexpr std::string_view kArticles[] =
        {" ",      "to ",      "in ",         "any ",       "of ",       "the ", "my ",    "our ",
         "these ", "those ",   "this ",       "任何",       "所有",      "我的", "现有的", "现有",
         "项目",   "or skip ", "or disable ", "or weaken ", "or ignore "};  // "do not delete or skip any tests"
    // "do not edit this file": one of which nobody here knows which it is.
    constexpr std::string_view kThisOne[] = {" this file", " that file", " this code", " that code"};
    if (begins_any_verb(verb, kVerbsAdd) || starts_with_any(object, kThisOne)) return;
    constexpr std::string_view kAnyTest[] = {" any test", " a single test"}, kATest[] = {"test"};
    const bool any_test = starts_with_any(object, kAnyTest);
    object = without_any(object, kArticles);
    Constraint made = make_rule(Constraint::Kind::forbid_path, {});
    made.deletes = begins_any_verb(verb, kVerbsDelete);
    constexpr std::string_view kExisting = "existing ";
    if (object.starts_with(kExisting)) {
        made.existing = true;
        object.remove_prefix(kExisting.size());
    }
    // Those that were run are not to be changed; a new one is none of them.
    constexpr std::string_view kMigrations[] = {"migrations",         "migration files",     "old migrations",
                                                "applied migrations", "previous migrations", "past migrations"},
                               kFolders[] = {"migrations/", "migrate/"};
    if (is_object(object, kMigrations)) {
        made.existing = true;
        for (const std::string_view folder : kFolders) {
            made.target = folder;
            rules.push_back(made);
        }
        return;
    }
    const bool writes = verb.starts_with("write") || verb.starts_with("写");
    if (const std::string_view file = file_known_as(object); !file.empty()) {
        made.target = file;
        made.existing = false;
        rules.push_back(std::move(made));
        return;
    }
    if ((is_object(object, kTests) || (any_test && is_object(object.substr(object.find("test")), kATest))) && !writes) {
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

void forbid_new_files(std::string_view object, std::vector<Constraint>& rules) {
    if (!is_object(without_any(object, kBeforeNew), kFiles)) return;
    Constraint made = make_rule(Constraint::Kind::forbid_path, "new files");
    made.which = Constraint::Which::all_files;
    made.adds = true;
    rules.push_back(std::move(made));
}

std::string_view files_to_add(std::string_view object) {
    object = without_any(object, kBeforeNew);
    const auto files = std::ranges::find_if(kFiles, [&](std::string_view word) { return object.starts_with(word); });
    return files == std::end(kFiles) ? std::string_view{} : object.substr(files->size());
}

void forbid_installing(std::string_view object, std::vector<Constraint>& rules) {
    constexpr std::string_view kArticles[] = {" ",     "any ",      "new ",         "additional ", "further ", "other ",
                                              "more ", "external ", "third-party ", "npm ",        "python ",  "任何",
                                              "新的",  "新",        "其他",         "额外的"};
    if (!is_object(without_any(object, kArticles), kInstalled)) return;
    for (const std::string_view command : kInstallers) {
        rules.push_back(make_rule(Constraint::Kind::forbid_command, std::string(command)));
        rules.back().existing = true;
    }
}

void forbid_branches(std::string_view object, std::vector<Constraint>& rules) {
    constexpr std::string_view kArticles[] = {" ",        "any ",   "new ",  "a ",        "another ", "additional ",
                                              "further ", "other ", "more ", "separate ", "git "};
    if (!is_object(without_any(object, kArticles), kBranches)) return;
    for (const std::string_view command : kBranchMakers)
        rules.push_back(make_rule(Constraint::Kind::forbid_command, std::string(command)));
}

void forbid_runs(std::string_view object, std::vector<Constraint>& rules) {
    constexpr std::string_view kArticles[] = {" ",   "any ", "the ",         "our ",  "database ",
                                              "db ", "dev ", "development ", "local "};
    constexpr std::string_view kSuites[] = {"tests", "test suite"}, kMigrations[] = {"migrations", "migration"},
                               kAServer[] = {"server", "servers"};
    object = without_any(object, kArticles);
    if (is_object(object, kSuites)) forbid_all(kTestRunners, rules);
    if (is_object(object, kMigrations)) forbid_all(kMigrators, rules);
    if (is_object(object, kAServer)) forbid_all(kServers, rules);
}

void forbid_skipping_hooks(std::string_view clause, std::vector<Constraint>& rules) {
    constexpr std::string_view kSkips[] = {"bypass ", "skip ",       "circumvent ", "disable ", "work around ",
                                           "avoid ",  "get around ", "go around ",  "override "},
                               kHooks[] = {"hook", "pre-commit", "--no-verify", "commit check"},
                               kTold[] = {"git commit --no-verify", "git commit -n", "git push --no-verify"};
    if (starts_with_any(clause, kSkips) && contains_any(clause, kHooks)) forbid_all(kTold, rules);
}

namespace {

// "the nginx service" → nginx; services are restarted by commands too.
std::string_view service_of(std::string_view object) {
    constexpr std::string_view kKinds[] = {" service", " server", " container", " daemon", " process"};
    constexpr std::string_view kWhose[] = {" ", "any ", "the ", "my ", "our ", "this ", "that "};
    object = trimmed(without_any(object, kWhose));
    object = object.substr(0, object.find_first_of(".,;!?)("));
    for (const std::string_view kind : kKinds) {
        if (object.ends_with(kind)) object.remove_suffix(kind.size());
    }
    const bool name = std::ranges::all_of(
        object, [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '_'; });
    return name ? object : std::string_view{};
}

// "It" may be anything that was spoken of, and "the app" more than one program.
void forbid_restarts(std::string_view object, std::vector<Constraint>& rules) {
    constexpr std::string_view kRestarters[] = {"systemctl restart",      "docker restart",
                                                "docker compose restart", "docker-compose restart",
                                                "supervisorctl restart",  "pm2 restart"};
    constexpr std::string_view kAll[] = {"anything",    "services",     "servers",
                                         "any service", "any services", "any server"},
                               kVague[] = {"it",          "this",   "that",    "them",     "server", "service",  "app",
                                           "application", "system", "machine", "computer", "host",   "database", "db"};
    const std::string_view service = service_of(object);
    const bool all = is_object(without_any(object, kBeforeNew), kAll) || is_object(object, kAll);
    if (!all && (service.empty() || std::ranges::find(kVague, service) != std::end(kVague))) return;
    for (const std::string_view restarter : kRestarters) {
        std::string command(restarter);
        if (!all) command.append(" ").append(service);
        rules.push_back(make_rule(Constraint::Kind::forbid_command, std::move(command)));
    }
    if (!all)
        rules.push_back(make_rule(Constraint::Kind::forbid_command, "service " + std::string(service) + " restart"));
}

// "Deploy", "publish it yet": with nothing behind that narrows it.
bool rules_out_all(std::string_view clause, std::string_view verb) {
    constexpr std::string_view kWhat[] = {"anything", "it",       "this", "that", "the app", "the service",
                                          "the code", "the site", "code", "yet",  "changes", "the changes"},
                               kOr = "or ";
    if (!begins_verb(clause, verb)) return false;
    std::string_view rest = trimmed(clause.substr(verb.size()));
    for (const std::string_view what : kWhat) {
        if (begins_verb(rest, what)) rest = trimmed(rest.substr(what.size()));
    }
    if (rest.starts_with(kOr)) {  // "deploy or push", and not "deploy or push to production"
        rest.remove_prefix(kOr.size());
        rest = trimmed(rest.substr(letters_of(rest).size()));
    }
    return closes(rest);
}

}  // namespace

bool is_about_shipping(const Constraint& rule) {
    return rule.kind == Constraint::Kind::forbid_command && (is_deploy(rule.target) || is_publish(rule.target));
}

void forbid_shipping(std::string_view clause, std::vector<Constraint>& rules) {
    const bool deploys = rules_out_all(clause, "deploy"), publishes = rules_out_all(clause, "publish");
    for (const ShippingCommand& row : kShippingCommands) {
        if ((deploys && deploys_for_sure(row)) || (publishes && row.how == Shipping::publish))
            rules.push_back(make_rule(Constraint::Kind::forbid_command, std::string(row.words)));
    }
    if (deploys) forbid_all(kDeployScripts, rules);
}

void forbid_named_deeds(std::string_view clause, std::vector<Constraint>& rules) {
    constexpr std::string_view kThings[] = {"anything", "it", "them", "this", "that"};
    const std::string_view verb = clause.substr(0, clause.find(' '));
    constexpr std::string_view kSets[] = {"change", "set", "modify", "adjust", "alter", "update"};
    if (std::ranges::find(kSets, verb) != std::end(kSets)) return forbid_setting(clause.substr(verb.size()), rules);
    const auto deed = std::ranges::find(kDeedsOfTools, verb, &Deed::verb);
    if (deed == std::end(kDeedsOfTools)) return;
    std::string_view object = trimmed(clause.substr(verb.size()));
    // "restart or change anything"
    constexpr std::string_view kOr = "or ";
    if (object.starts_with(kOr)) object = trimmed(object.substr(std::min(object.find(' ', kOr.size()), object.size())));
    const auto forbid = [&](std::string tool) {
        rules.push_back(make_rule(Constraint::Kind::forbid_tool, std::move(tool)));
    };
    constexpr std::string_view kRestart = "restart";
    if (verb == kRestart) forbid_restarts(object, rules);
    if (is_object(object, kThings)) {
        for (const std::string_view tool : deed->tools) forbid(std::string(tool));
        return;
    }
    const std::string_view noun = last_noun(object);
    if (noun.size() < 3) return;
    constexpr std::string_view kDelete = "delete";
    if (verb == kDelete && std::ranges::find(kMails, noun) != std::end(kMails)) {
        for (const std::string_view remover : kMailRemovers) forbid(std::string(remover));
        return;
    }
    const std::string tool = std::string(verb).append("_").append(noun);
    forbid(tool);
    forbid(noun.ends_with('s') ? tool.substr(0, tool.size() - 1) : tool + "s");
}

std::string_view known_as(std::string_view command) {
    const auto is_deed = [command](const Deed& deed) {
        return command.starts_with(deed.verb) && command.substr(deed.verb.size()).starts_with('_');
    };
    if (const auto deed = std::ranges::find_if(kDeedsOfTools, is_deed); deed != std::end(kDeedsOfTools))
        return deed->verb;
    constexpr std::string_view kDelete = "delete";
    if (std::ranges::find(kMailRemovers, command) != std::end(kMailRemovers)) return kDelete;
    constexpr std::string_view kSearchers[] = {"websearch", "web_search", "google_web_search"},
                               kDelegators[] = {"task", "agent", "spawn_agent"};
    if (std::ranges::find(kSearchers, command) != std::end(kSearchers)) return "search";
    if (std::ranges::find(kDelegators, command) != std::end(kDelegators)) return "subagent";
    constexpr std::string_view kMergers[] = {"git merge into", "gh pr merge", "glab mr merge", "merge_"};
    if (starts_with_any(command, kMergers)) return "merge";
    constexpr std::string_view kMail[] = {"send_", "_send", "reply_"};
    if (command.find(' ') == command.npos && contains_any(command, kMail)) return "send";
    if (std::ranges::find(kMigrators, command) != std::end(kMigrators)) return "migrat";
    if (std::ranges::find(kServers, command) != std::end(kServers)) return "server";
    if (is_deploy(command)) return "deploy";
    return command.find("test") != command.npos ? "test" : std::string_view{};
}

void forbid_kinds_of_work(std::string_view clause, std::vector<Constraint>& rules) {
    constexpr std::string_view kSearches[] = {"search the web",   "search the internet", "search online",
                                              "browse the web",   "browse the internet", "use the web",
                                              "use the internet", "go online",           "access the internet"},
                               kWebTools[] = {"WebSearch", "web_search", "google_web_search"};
    constexpr std::string_view kDelegates[] = {"spawn ",  "use ",         "launch ", "start ",
                                               "create ", "delegate to ", "run "},
                               kAny[] = {"any ", "new ", "more "},
                               kAgents[] = {"subagents", "sub-agents", "sub agents"},
                               kAgentTools[] = {"Task", "Agent", "spawn_agent"};
    constexpr std::string_view kImplements[] = {"implement anything", "start implementing", "start coding",
                                                "implement any code", "code anything",      "start the implementation"};
    const auto forbid_tools = [&](auto& tools) {
        for (const std::string_view tool : tools)
            rules.push_back(make_rule(Constraint::Kind::forbid_tool, std::string(tool)));
    };
    if (is_object(clause, kSearches)) forbid_tools(kWebTools);
    // "Draft a reply, but don't send it"
    constexpr std::string_view kSend = "send ",
                               kLetters[] = {"it",      "them",     "anything",    "mails",       "mail",
                                             "emails",  "email",    "e-mails",     "e-mail",      "messages",
                                             "message", "letter",   "letters",     "reply",       "replies",
                                             "draft",   "drafts",   "newsletter",  "invitations", "invitation",
                                             "it out",  "them out", "anything out"},
                               kWhose[] = {"any ", "the ", "that ", "this ", "your ", "my ", "out ", "a "},
                               kMailTools[] = {"send_email",  "send_mail",          "send_draft",  "send_gmail",
                                               "send_emails", "gmail_send_email",   "gmail_send",  "gmail_send_draft",
                                               "email_send",  "outlook_send_email", "mail_send",   "send_reply",
                                               "reply_email", "send_gmail_message", "send_letter", "send_newsletter"};
    if (clause.starts_with(kSend) && is_object(without_any(clause.substr(kSend.size()), kWhose), kLetters))
        forbid_tools(kMailTools);
    const auto delegate =
        std::ranges::find_if(kDelegates, [&](std::string_view verb) { return clause.starts_with(verb); });
    if (delegate != std::end(kDelegates) && is_object(without_any(clause.substr(delegate->size()), kAny), kAgents))
        forbid_tools(kAgentTools);
    // "Analyze the bug, don't fix it yet": until then; a script that shows the bug is no repair.
    constexpr std::string_view kRepairs[] = {"fix it",       "fix them",     "fix this", "fix that",
                                             "fix anything", "implement it", "code it",  "change it"},
                               kNotYet[] = {" yet", " for now", " at this point"};
    const auto repair =
        std::ranges::find_if(kRepairs, [&](std::string_view words) { return clause.starts_with(words); });
    const bool later = repair != std::end(kRepairs) && starts_with_any(clause.substr(repair->size()), kNotYet);
    if (!later && !is_object(clause, kImplements)) return;
    rules.push_back(make_rule(Constraint::Kind::forbid_path, "any code"));
    rules.back().which = Constraint::Which::code;
    rules.back().existing = later;
    rules.back().for_now = true;  // until the plan is agreed on
}

void forbid_commits(std::string_view clause, std::vector<Constraint>& rules) {
    if (is_object(clause, kMakesCommits)) rules.push_back(make_rule(Constraint::Kind::forbid_command, "git commit"));
}

void forbid_merged_requests(std::vector<Constraint>& rules) {
    forbid_deeds({"gh pr merge", "glab mr merge"}, {"merge_pull_request", "merge_merge_request"}, rules);
}

void forbid_pull_requests(std::string_view clause, std::vector<Constraint>& rules) {
    constexpr std::string_view kMakes[] = {"open", "create", "make", "raise", "submit", "file"};
    constexpr std::string_view kMerges[] = {"merge"};
    constexpr std::string_view kArticles[] = {" ",     "a ",   "an ",      "any ",   "the ", "this ",
                                              "that ", "new ", "another ", "draft ", "my ",  "your "};
    constexpr std::string_view kRequests[] = {
        "pull requests", "pull request", "merge requests", "merge request", "prs", "pr", "mrs", "mr"};
    const bool makes = begins_any_verb(clause, kMakes), merges = begins_any_verb(clause, kMerges);
    if ((!makes && !merges) || !is_object(without_any(clause.substr(clause.find(' ') + 1), kArticles), kRequests))
        return;
    if (!makes) return forbid_merged_requests(rules);
    forbid_deeds({"gh pr create", "glab mr create"}, {"create_pull_request", "create_merge_request"}, rules);
}

}  // namespace agent_audit::detectors
