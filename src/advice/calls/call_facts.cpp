#include "advice/calls/call_facts.hpp"

#include "advice/calls/answers.hpp"
#include "advice/calls/commands.hpp"
#include "advice/words/text.hpp"
#include "detectors/commands/activity.hpp"
#include "detectors/commands/call_target.hpp"
#include "detectors/commands/tool_class.hpp"

#include <agent_audit/model/tool_name.hpp>
#include <agent_audit/simulator/js_value.hpp>
#include <agent_audit/simulator/session.hpp>
#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/snake_case.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace agent_audit::advice {
namespace {

using simulator::JsValue;

constexpr std::size_t kLongestArguments = 4u << 20;
constexpr std::size_t kMostItems = 64;
constexpr std::size_t kMostPaths = 32;
constexpr std::size_t kWordsChars = 160;
constexpr std::size_t kItemChars = 200;

// Arguments that name a file; compared without _, in lower case.
constexpr std::array<std::string_view, 13> kPathKeys{"absolutepath",
                                                     "file",
                                                     "filename",
                                                     "filepath",
                                                     "filepaths",
                                                     "files",
                                                     "notebookpath",
                                                     "path",
                                                     "paths",
                                                     "relativepath",
                                                     "relativeworkspacepath",
                                                     "targetfile",
                                                     "uri"};

bool names_file(std::string_view key) {
    return std::ranges::find(kPathKeys, std::string_view(plain_key(key))) != kPathKeys.end();
}

void add_path(const std::string& text, std::vector<std::string>& paths) {
    std::string path = one_line(clean(text), 300);
    if (path.starts_with("file://")) path.erase(0, 7);
    // https://…, agent://…: something else than a file.
    if (const std::size_t scheme = path.find("://"); scheme != path.npos && scheme < path.find('/')) return;
    if (path.empty() || paths.size() >= kMostPaths || std::ranges::find(paths, path) != paths.end()) return;
    paths.push_back(std::move(path));
}

void add_paths(const JsValue& value, int depth, bool named, std::vector<std::string>& paths) {
    if (named && value.string()) return add_path(*value.string(), paths);
    if (depth == 0) return;
    if (const auto* list = value.array()) {
        for (const JsValue& item : *list) add_paths(item, depth - 1, named, paths);
    } else if (const auto* members = value.members()) {
        for (const auto& [key, member] : *members) add_paths(member, depth - 1, names_file(key), paths);
    }
}

void add_patches(const JsValue& arguments, CommandEffects& effects) {
    for (const std::string_view key : {"input", "patch", "patchText", "patch_text", "diff"}) {
        if (const std::string* text = arguments[key].string()) add_patched_files(*text, effects);
    }
}

// Tools of code hosts: what others will see of them.
std::optional<DeedKind> deed_of_tool(std::string_view key) {
    constexpr std::pair<std::string_view, DeedKind> kDeeds[] = {{"create_pull_request", DeedKind::pull_request},
                                                                {"merge_pull_request", DeedKind::merged},
                                                                {"create_merge_request", DeedKind::pull_request},
                                                                {"create_issue", DeedKind::issue},
                                                                {"close_issue", DeedKind::issue},
                                                                {"push_files", DeedKind::pushed},
                                                                {"create_or_update_file", DeedKind::pushed},
                                                                {"create_release", DeedKind::released},
                                                                {"create_branch", DeedKind::branch},
                                                                {"create_repository", DeedKind::published}};
    for (const auto& [name, kind] : kDeeds) {
        if (key.ends_with(name)) return kind;
    }
    return std::nullopt;
}

PlanItem::State state_of(std::string_view word) {
    if (word == "completed" || word == "done" || word == "complete") return PlanItem::State::done;
    if (word == "cancelled" || word == "canceled" || word == "deleted") return PlanItem::State::dropped;
    return word == "in_progress" || word == "active" ? PlanItem::State::active : PlanItem::State::open;
}

std::string first_text(const JsValue& item, std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) {
        if (const std::string* text = item[key].string(); text && !text->empty())
            return one_line(clean(*text), kItemChars);
    }
    return {};
}

// Tools that take files away: what their paths say is not that these were changed.
void tell_fates(std::string_view key, const JsValue& arguments, CommandEffects& effects) {
    const bool deletes = key.starts_with("delete") || key.starts_with("remove");
    const bool moves = key.starts_with("move") || key.starts_with("rename");
    if (deletes) {
        effects.deleted.insert(effects.deleted.end(), effects.changed.begin(), effects.changed.end());
        effects.changed.clear();
    } else if (moves) {
        const std::string from =
            first_text(arguments, {"source", "source_path", "sourcePath", "from", "old_path", "oldPath", "path"});
        const std::string to = first_text(arguments, {"destination", "destination_path", "destinationPath", "to",
                                                      "new_path", "newPath", "new_name", "newName"});
        if (from.empty() || to.empty()) return;
        effects.moved.push_back({from, to});
        effects.changed.clear();
    }
}

PlanItem item_of(const JsValue& value) {
    PlanItem item;
    item.text = first_text(value, {"content", "step", "subject", "title", "description", "text", "task", "name"});
    item.state = state_of(first_text(value, {"status", "state"}));
    item.id = first_text(value, {"id", "taskId"});
    if (const bool* done = value["done"].boolean(); done && *done) item.state = PlanItem::State::done;
    return item;
}

// "- [ ] write tests", one a line.
PlanUpdate checklist(const std::string& text) {
    PlanUpdate update;
    const std::string plain = clean(text);
    for (std::string_view rest = plain; !rest.empty() && update.items.size() < kMostItems;) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const std::size_t box = line.find('[');
        if (box == line.npos || box + 3 >= line.size() || line[box + 2] != ']') continue;
        const char mark = line[box + 1];
        const auto state = mark == 'x' || mark == 'X'   ? PlanItem::State::done
                           : mark == '-' || mark == '~' ? PlanItem::State::active
                                                        : PlanItem::State::open;
        update.items.push_back({one_line(line.substr(box + 3), kItemChars), state, {}});
    }
    return update;
}

std::optional<PlanUpdate> plan_of(std::string_view tool, const JsValue& arguments) {
    if (tool == "task_create") return PlanUpdate{{item_of(arguments)}, false};
    if (tool == "task_update") {
        PlanUpdate update{{item_of(arguments)}, false};
        if (update.items[0].id.empty()) return std::nullopt;
        return update;
    }
    for (const std::string_view key : {"todos", "plan", "todoList", "todo_list", "items", "tasks"}) {
        const JsValue& value = arguments[key];
        if (const std::string* text = value.string(); text && text->find("- [") != text->npos) return checklist(*text);
        const auto* list = value.array();
        if (!list) continue;
        PlanUpdate update;
        for (const JsValue& entry : *list) {
            if (update.items.size() == kMostItems) break;
            PlanItem item = item_of(entry);
            if (!item.text.empty()) update.items.push_back(std::move(item));
        }
        return update;
    }
    return std::nullopt;
}

// Where a shell tool is told to run its command.
std::string directory_of(RawText arguments) {
    constexpr std::size_t kLongest = 64u << 10;
    if (arguments.bytes.find("dir") == arguments.bytes.npos) return {};
    const auto value = arguments_of(arguments, kLongest);
    return value ? first_text(*value, {"workdir", "working_directory", "dir_path", "directory"}) : std::string();
}

std::string listed(const std::vector<std::string>& paths) {
    std::string out;
    for (const std::string& path : paths) out += (out.empty() ? "" : ", ") + path;
    return out;
}

std::vector<std::string> named_in(const CommandEffects& effects) {
    std::vector<std::string> named = effects.changed;
    named.insert(named.end(), effects.deleted.begin(), effects.deleted.end());
    for (const CommandEffects::Move& move : effects.moved) named.push_back(move.from);
    return named;
}

// The words of the command line are the same for every patch and every text: what it is about are the files.
void aim_at_files(const std::string& command, CallFacts& facts) {
    const Written what = written_by(command);
    const std::vector<std::string> named =
        what == Written::nothing ? std::vector<std::string>() : named_in(facts.effects);
    if (named.empty()) return;
    facts.patches = what == Written::patch;
    if (facts.patches) facts.words = one_line("patch of " + listed(named), kWordsChars);
    facts.target = "edit of " + listed(named);
    facts.parts = {};
}

bool keeps_plan(std::string_view tool) {
    return tool.find("todo") != tool.npos || tool == "update_plan" || tool == "task_create" || tool == "task_update";
}

struct Filtered {
    const std::function<std::string(std::string_view)>& filter;
    std::string operator()(std::string text) const { return filter ? clean(filter(text)) : text; }
};

void tell_command(const std::string& command, const std::string& directory, CallFacts& facts) {
    facts.words = one_line(command, kWordsChars);
    facts.check = check_of(command, directory);
    facts.effects = effects_of(command, directory);
    facts.settled = settled_effects(command, directory);
    facts.target = facts.check.kind == CheckCommand::no ? command_target(command) : facts.check.words;
    facts.parts = command_parts(command);
    facts.whole = stable_hash(command) | 1;
    facts.prints_code = command.find("$?") != command.npos || command.find("PIPESTATUS") != command.npos ||
                        command.find("LASTEXITCODE") != command.npos;
    if (facts.check.kind == CheckCommand::no) aim_at_files(command, facts);
}

// What the name of a tool tells, and its main argument; `key` is the name in snake_case.
void tell_tool(const ToolCall& call, const std::string& name, const std::string& key, const Filtered& filtered,
               CallFacts& facts) {
    const bool says = !call.primary.empty() || call.args.size() <= 2;
    facts.words = one_line(filtered(words_of(says ? call.primary : call.args, 4096)), kWordsChars);
    if (facts.tool_class == ToolClass::verify) {
        facts.check.kind = CheckCommand::own;
        facts.check.words = facts.words.empty() ? facts.tool : facts.words;
    }
    facts.asks = detectors::asks_person(name);
    facts.offers_plan = offers_plan(name);
    facts.delegates = detectors::delegates(bare_tool_name(name));
    facts.target = facts.check.kind == CheckCommand::no ? masked(facts.words) : facts.check.words;
    if (const auto deed = deed_of_tool(key)) {
        facts.effects.done.push_back({*deed, one_line(facts.tool + " " + facts.words, 120)});
        facts.target = key;
    }
}

// Plans, and the files that a tool for files reads or changes.
void tell_arguments(const ToolCall& call, const std::string& key, const Filtered& filtered, CallFacts& facts) {
    // What lists a folder reads no file.
    const bool lists = key.starts_with("list") || key == "ls";
    const bool files = facts.tool_class == ToolClass::mutate || (facts.tool_class == ToolClass::read && !lists);
    if (!files && !keeps_plan(key)) return;
    const std::string text = simulator::words_of(call.args, simulator::WordsAs::arguments);
    const auto arguments = JsValue::parse(text);
    const bool whole = arguments && arguments->is_object();
    if (whole && keeps_plan(key)) facts.plan = plan_of(key, *arguments);
    if (!files) return;
    CommandEffects& effects = facts.effects;
    std::vector<std::string>& paths = facts.tool_class == ToolClass::mutate ? effects.changed : effects.read;
    if (whole) {
        add_paths(*arguments, 3, false, paths);
        add_patches(*arguments, effects);
        tell_fates(key, *arguments, effects);
    } else {
        add_patched_files(arguments && arguments->string() ? *arguments->string() : text, effects);
    }
    if (key.starts_with("write") || key.starts_with("create")) effects.created = effects.changed;
    for (std::string& path : effects.read) path.resize(detectors::without_lines(path).size());
    for (auto* list : {&effects.changed, &effects.created, &effects.read, &effects.deleted}) {
        for (std::string& path : *list) path = filtered(std::move(path));
    }
    for (CommandEffects::Move& move : effects.moved)
        move = {filtered(std::move(move.from)), filtered(std::move(move.to))};
    const std::vector<std::string> named = named_in(effects);
    const bool patch = !whole || facts.words.starts_with("*** Begin Patch");
    if (patch && !named.empty()) facts.words = one_line("patch of " + listed(named), kWordsChars);
    // An edit is about its file, whatever it puts there.
    if (facts.tool_class == ToolClass::mutate && !named.empty()) facts.target = "edit of " + listed(named);
}

}  // namespace

bool CallFacts::sends() const {
    return std::ranges::any_of(effects.done,
                               [](const CommandEffects::Done& done) { return done.kind != DeedKind::branch; });
}

CallFacts facts_of(const ToolCall& call, const std::function<std::string(std::string_view)>& filter) {
    const Filtered filtered{filter};
    CallFacts facts;
    const std::string name = words_of(call.name, 512);
    facts.tool = one_line(filtered(name), 60);
    const detectors::ToolNameClass what = call.script ? detectors::ToolNameClass{} : detectors::classify_tool(name);
    facts.shell = what.runs_shell;
    facts.tool_class = detectors::classify_call(what, call.primary, call.args);
    facts.looks = facts.tool_class == ToolClass::read || facts.tool_class == ToolClass::search;
    if (facts.shell) {
        const RawText& line = call.primary.empty() ? call.args : call.primary;
        tell_command(filtered(command_of(line)), filtered(directory_of(call.args)), facts);
        return facts;
    }
    const std::string key = snake_case(bare_tool_name(name));
    tell_tool(call, name, key, filtered, facts);
    if (call.args.size() <= kLongestArguments) tell_arguments(call, key, filtered, facts);
    return facts;
}

}  // namespace agent_audit::advice
