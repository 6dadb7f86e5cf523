#include "detectors/commands/tool_names.hpp"

#include "support/among.hpp"

#include <agent_audit/model/tool_name.hpp>
#include <agent_audit/support/snake_case.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string>

namespace agent_audit::detectors {
namespace {

struct NameRow {
    std::string_view name;
    ToolNameClass what;
};

constexpr ToolNameClass kRead{ToolClass::read, false, false, false};
constexpr ToolNameClass kSearch{ToolClass::search, false, false, false};
constexpr ToolNameClass kMutate{ToolClass::mutate, false, false, false};
constexpr ToolNameClass kVerify{ToolClass::verify, false, false, false};
constexpr ToolNameClass kShell{ToolClass::shell, true, false, false};
constexpr ToolNameClass kPoll{ToolClass::poll, false, false, false};
constexpr ToolNameClass kWait{ToolClass::wait, false, false, false};
constexpr ToolNameClass kNote{ToolClass::note, false, false, false};

// The tools of the agents we read. How the words of a name are joined does not count: what one agent calls powershell
// is PowerShell in another. Sorted so, each name once.
constexpr NameRow kNames[] = {
    {"apply_diff", kMutate},
    {"apply_patch", kMutate},
    {"ast_edit", kMutate},
    {"ast_grep", kSearch},
    {"attempt_completion", kNote},
    {"await", kWait},
    {"bash", kShell},
    {"bash_command", {ToolClass::shell, true, false, true}},
    {"bash_output", kPoll},
    {"brave_web_search", kSearch},
    {"cat", kRead},
    {"codebase_search", kSearch},
    {"code_search", kSearch},
    {"command_status", kPoll},
    {"container_exec", kShell},
    {"copy_path", kMutate},
    {"create", kMutate},
    {"create_directory", kMutate},
    {"create_file", kMutate},
    {"create_new_file", kMutate},
    {"delete_file", kMutate},
    {"delete_path", kMutate},
    {"diagnostics", kVerify},
    {"directory_tree", kRead},
    {"edit", kMutate},
    {"edit_existing_file", kMutate},
    {"edit_file", kMutate},
    {"editor", kMutate},
    {"enter_plan_mode", kNote},
    {"exec", kShell},
    {"exec_command", kShell},
    {"execute", kShell},
    {"execute_bash", kShell},
    {"execute_command", kShell},
    {"execute_pwsh", kShell},
    {"exit_plan_mode", kNote},
    {"fetch", kSearch},
    {"fetch_url", kSearch},
    {"fetch_web_content", kSearch},
    {"fetch_webpage", kSearch},
    {"file_editor", {ToolClass::mutate, false, true, false}},
    {"file_search", kSearch},
    {"find", kSearch},
    {"find_by_name", kSearch},
    {"finder", kSearch},
    {"find_file", kSearch},
    {"find_files", kSearch},
    {"find_path", kSearch},
    {"fs_append", kMutate},
    {"fs_read", kRead},
    {"fs_write", {ToolClass::mutate, false, true, false}},
    {"get_command_status", kPoll},
    {"get_diagnostics", kVerify},
    {"get_errors", kVerify},
    {"get_file_info", kRead},
    {"get_file_problems", kVerify},
    {"get_project_problems", kVerify},
    {"get_terminal_output", kPoll},
    {"glob", kSearch},
    {"google_web_search", kSearch},
    {"goto", kRead},
    {"grep", kSearch},
    {"grep_code", kSearch},
    {"grep_search", kSearch},
    {"insert", kMutate},
    {"insert_content", kMutate},
    {"insert_edit_into_file", kMutate},
    {"job_output", kPoll},
    {"list", kRead},
    {"list_code_definition_names", kRead},
    {"list_code_usages", kSearch},
    {"list_dir", kRead},
    {"list_directory", kRead},
    {"list_files", kRead},
    {"local_shell", kShell},
    {"local_shell_call", kShell},
    {"ls", kRead},
    {"lsp_diagnostics", kVerify},
    {"manage_todo_list", kNote},
    {"mark_task_complete", kNote},
    {"mcp_task_check", kPoll},
    {"monitor", kWait},
    {"move_file", kMutate},
    {"move_path", kMutate},
    {"multi_edit", kMutate},
    {"multi_replace_file_content", kMutate},
    {"multi_replace_string_in_file", kMutate},
    {"notebook_edit", kMutate},
    {"notebook_read", kRead},
    {"open", kRead},
    {"open_file", kRead},
    {"open_file_gen", kRead},
    {"patch", kMutate},
    {"power_shell", kShell},
    {"process", {ToolClass::other, false, true, false}},
    {"pwsh", kShell},
    {"read", kRead},
    {"read_bash", kPoll},
    {"read_file", kRead},
    {"read_files", kRead},
    {"read_lints", kRead},
    {"read_many_files", kRead},
    {"read_media_file", kRead},
    {"read_multiple_files", kRead},
    {"read_notifications", kPoll},
    {"read_powershell", kPoll},
    {"read_terminal", kPoll},
    {"read_text_file", kRead},
    {"read_url_content", kSearch},
    {"read_web_page", kSearch},
    {"rename_file", kMutate},
    {"replace", kMutate},
    {"replace_file_content", kMutate},
    {"replace_in_file", kMutate},
    {"replace_string_in_file", kMutate},
    {"report_intent", kNote},
    {"ripgrep", kSearch},
    {"run_command", kShell},
    {"run_commands", kShell},
    {"run_in_terminal", kShell},
    {"run_shell_command", kShell},
    {"run_terminal_cmd", kShell},
    {"run_test", kVerify},
    {"run_tests", kVerify},
    {"schedule_wakeup", kWait},
    {"scroll_down", kRead},
    {"scroll_up", kRead},
    {"search", kSearch},
    {"search_and_replace", kMutate},
    {"search_code", kSearch},
    {"search_dir", kSearch},
    {"search_file", kSearch},
    {"search_file_content", kSearch},
    {"search_files", kSearch},
    {"search_replace", kMutate},
    {"search_web", kSearch},
    {"semantic_search", kSearch},
    {"sequentialthinking", kNote},
    {"set_todo_list", kNote},
    {"shell", kShell},
    {"shell_command", kShell},
    {"single_find_and_replace", kMutate},
    {"sleep", kWait},
    {"str_replace", kMutate},
    {"str_replace_based_edit_tool", {ToolClass::mutate, false, true, false}},
    {"str_replace_editor", {ToolClass::mutate, false, true, false}},
    {"str_replace_file", kMutate},
    {"submit", kNote},
    {"submit_and_exit", kNote},
    {"symbol_search", kSearch},
    {"task_create", kNote},
    {"task_get", kPoll},
    {"task_list", kPoll},
    {"task_output", kPoll},
    {"task_tracker", kNote},
    {"task_update", kNote},
    {"tavily_search", kSearch},
    {"terminal", kShell},
    {"text_editor", {ToolClass::mutate, false, true, false}},
    {"think", kNote},
    {"thinking", kNote},
    {"todo", kNote},
    {"todo_read", kNote},
    {"todo_write", kNote},
    {"tool_search", kSearch},
    {"undo_edit", kMutate},
    {"unified_exec", kShell},
    {"update_plan", kNote},
    {"update_todo_list", kNote},
    {"update_todos", kNote},
    {"view", kRead},
    {"view_code_item", kRead},
    {"view_file", kRead},
    {"view_file_outline", kRead},
    {"wait", kWait},
    {"wait_agent", kWait},
    {"wait_for", kPoll},
    {"wait_for_agent", kPoll},
    {"wait_for_mcp_servers", kWait},
    {"web_extract", kSearch},
    {"web_fetch", kSearch},
    {"web_search", kSearch},
    {"web_search_exa", kSearch},
    {"write", kMutate},
    {"write_file", kMutate},
    {"write_new_file", kMutate},
    {"write_stdin", {ToolClass::shell, false, false, true}},
    {"write_todos", kNote},
    {"write_to_file", kMutate},
};
constexpr bool name_before(std::string_view a, std::string_view b) { return compare_names(a, b) < 0; }
static_assert(std::ranges::adjacent_find(kNames, [](const NameRow& a, const NameRow& b) {
                  return !name_before(a.name, b.name);
              }) == std::end(kNames));

// kubectl, run_dbt, aws_cli: what they are given is the command line of that program.
bool runs_program(std::string_view key) {
    constexpr std::array<std::string_view, 9> kPrograms{"aws",     "az", "dbt",       "gcloud", "helm",
                                                        "kubectl", "oc", "terraform", "tofu"};
    constexpr std::array<std::string_view, 5> kBefore{"run_", "execute_", "exec_", "call_", "invoke_"};
    constexpr std::array<std::string_view, 5> kBehind{"_cli", "_command", "_cmd", "_exec", "_run"};
    bool runs = key == "kubectl" || key == "helm" || key == "terraform" || key == "dbt";
    for (const std::string_view word : kBefore) {
        if (!key.starts_with(word)) continue;
        key.remove_prefix(word.size());
        runs = true;
    }
    for (const std::string_view word : kBehind) {
        if (!key.ends_with(word)) continue;
        key.remove_suffix(word.size());
        runs = true;
    }
    return runs && among(key, kPrograms);
}

// run_shell, bash_exec, execute_terminal_command: a name of nothing but a shell and that something is run in it.
bool runs_shell(std::string_view key) {
    constexpr std::array<std::string_view, 8> kShells{"shell", "bash", "zsh",     "powershell",
                                                      "pwsh",  "cmd",  "command", "terminal"};
    constexpr std::array<std::string_view, 5> kRuns{"run", "exec", "execute", "call", "invoke"};
    constexpr std::array<std::string_view, 8> kWhere{"in",     "on",      "the",       "local",
                                                     "remote", "sandbox", "container", "tool"};
    bool shell = false, runs = false;
    for (;;) {
        const std::string_view word = key.substr(0, key.find('_'));
        const bool is_shell = among(word, kShells), is_run = among(word, kRuns);
        if (!is_shell && !is_run && !among(word, kWhere)) return false;
        shell = shell || is_shell;
        runs = runs || is_run;
        if (word.size() == key.size()) return shell && runs;
        key.remove_prefix(word.size() + 1);
    }
}

}  // namespace

std::vector<std::string_view> known_tools() {
    std::vector<std::string_view> names;
    for (const NameRow& row : kNames) names.push_back(row.name);
    return names;
}

ToolNameClass classify_tool(std::string_view raw_name, const ToolClassOverlay& overlay) {
    if (!overlay.empty()) {
        // The whole name first: mcp__github__read may be said to be something else than every other read.
        for (const std::string_view wanted : {raw_name, bare_tool_name(raw_name)}) {
            const auto set = overlay.find(snake_case(wanted));
            if (set == overlay.end()) continue;
            return set->second == ToolClass::shell ? kShell : ToolNameClass{set->second, false, false, false};
        }
    }
    return classify_tool(raw_name);
}

ToolNameClass classify_tool(std::string_view raw_name) {
    const std::string_view bare = bare_tool_name(raw_name);
    const auto found = std::ranges::lower_bound(kNames, bare, name_before, &NameRow::name);
    if (found != std::end(kNames) && same_name(found->name, bare)) return found->what;
    // poll_queue, await_result: whatever is waited for.
    const std::string key = snake_case(bare);
    const std::string_view verb = std::string_view(key).substr(0, key.find('_'));
    if (verb == "poll" || verb == "await" || key.starts_with("wait_for_")) return kPoll;
    // wait_seconds, subagent_wait: a pause, in which others work; wait_and_click is more.
    constexpr std::array<std::string_view, 6> kThen{"_and_", "_then_", "click", "press", "type", "submit"};
    const auto does_more = [&](std::string_view part) { return key.find(part) != key.npos; };
    if ((verb == "wait" || key.ends_with("_wait")) && std::ranges::none_of(kThen, does_more)) return kWait;
    // read_process_output, get_task_output: what a program printed since.
    constexpr std::array<std::string_view, 9> kRunning{"process_", "background_", "terminal_", "shell_",  "task_",
                                                       "job_",     "command_",    "bash_",     "session_"};
    const auto names_program = [&](std::string_view part) { return key.find(part) != key.npos; };
    if (key.ends_with("_output") && std::ranges::any_of(kRunning, names_program) && !names_a_change(raw_name))
        return kPoll;
    // search_documents, query_db, issue_search; and not find_and_replace.
    constexpr std::array<std::string_view, 14> kLooks{"search", "find",       "lookup",    "query",    "suche",
                                                      "suchen", "buscar",     "busca",     "cercare",  "zoek",
                                                      "zoeken", "rechercher", "recherche", "pesquisar"};
    if (runs_program(key) || runs_shell(key)) return kShell;
    // retrieve_documents, kb_retriever; mcp__rag__query.
    constexpr std::array<std::string_view, 4> kRetrieves{"retrieve", "retriever", "retrieval", "recall"};
    constexpr std::array<std::string_view, 6> kStores{"rag", "kb", "knowledge", "vector", "docs", "memory"};
    const auto asks_store = [&] {
        if (key != "query") return false;
        const std::string whole = snake_case(raw_name);
        return std::ranges::any_of(kStores, [&](std::string_view store) {
            const std::size_t at = whole.find(store);
            return at != whole.npos && (at == 0 || whole[at - 1] == '_');
        });
    };
    if (among(verb, kRetrieves) || key.ends_with("_retriever") || key.ends_with("_retrieval") || asks_store())
        return kSearch;
    if (verb.size() == key.size()) return {};
    const std::string_view noun = std::string_view(key).substr(key.rfind('_') + 1);
    // crm_find_customer: behind the name of what it belongs to.
    const std::string_view rest = std::string_view(key).substr(verb.size() + 1);
    const std::string_view second = rest.substr(0, rest.find('_'));
    const bool looks = among(verb, kLooks) || noun == "search" || among(noun, std::span(kLooks).subspan(4)) ||
                       (second.size() < rest.size() && among(second, std::span(kLooks).first(4)));
    return looks && !names_a_change(raw_name) ? kSearch : ToolNameClass{};
}

bool asks_person(std::string_view tool) {
    const std::string key = snake_case(bare_tool_name(tool));
    for (const std::string_view part :
         {"ask_user", "ask_followup", "ask_follow_up", "ask_question", "ask_human", "request_user_input",
          "request_input", "get_user_input", "prompt_user", "user_question"}) {
        if (key.find(part) != key.npos) return true;
    }
    return key == "question" || key == "questions" || key == "ask" || key == "clarify" || key == "exit_plan_mode";
}

bool names_a_change(std::string_view raw_name) {
    constexpr std::array<std::string_view, 40> kVerbs{
        "add",    "apply",  "assign",  "book",    "cancel", "change", "clear",    "close",   "commit",  "create",
        "delete", "deploy", "disable", "edit",    "enable", "exec",   "execute",  "insert",  "install", "merge",
        "modify", "move",   "post",    "publish", "put",    "remove", "rename",   "replace", "restart", "run",
        "save",   "send",   "set",     "start",   "stop",   "submit", "transfer", "update",  "upload",  "write"};
    // Work of hands and feet, as in households and games. They count where they come first: get_drive_status drives
    // nothing.
    constexpr std::array<std::string_view, 44> kHandiwork{
        "attach",  "attack", "build", "buy",   "chop",  "clean",  "climb", "collect", "cook", "cool", "craft",
        "cut",     "dig",    "drive", "drop",  "enter", "equip",  "fill",  "give",    "go",   "grab", "harvest",
        "heat",    "jump",   "leave", "lock",  "mine",  "pick",   "place", "plant",   "pour", "pull", "push",
        "release", "sell",   "shoot", "slice", "take",  "toggle", "turn",  "unlock",  "use",  "wash", "water"};
    constexpr std::array<std::string_view, 5> kNoDeeds{"take_screenshot", "take_snapshot", "take_photo", "take_picture",
                                                       "use_mcp_tool"};
    const std::string name = snake_case(bare_tool_name(raw_name));
    if (among(std::string_view(name).substr(0, name.find('_')), kHandiwork)) return !among(name, kNoDeeds);
    for (std::string_view rest = name; !rest.empty();) {
        const std::string_view word = rest.substr(0, rest.find('_'));
        if (among(word, kVerbs)) return true;
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    return false;
}

}  // namespace agent_audit::detectors
