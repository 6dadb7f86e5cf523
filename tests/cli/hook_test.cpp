#include "support/scratch.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

using agent_audit::test::Finished;
using agent_audit::test::holds;
using agent_audit::test::Scratch;
using agent_audit::test::slurp;

namespace {

// Functions of the shell that play an agent: `before ID CMD`, `fails ID CMD`, each with the flags in $flags.
constexpr const char* kAgent = R"sh(
flags='--client claude-code'
hook() { aa hook --time-limit 20000 $flags; }
payload() { printf '{"session_id":"%s","cwd":"%s","hook_event_name":"%s"%s}' "${session:-s-1}" "$PWD" "$1" "$2"; }
call() { printf ',"tool_name":"Bash","tool_input":{"command":"%s"},"tool_use_id":"%s"' "$2" "$1"; }
prompt() { payload UserPromptSubmit ',"prompt":"make the test pass"' | hook; }
before() { payload PreToolUse "$(call "$1" "$2")" | hook; }
fails() { payload PostToolUseFailure "$(call "$1" "$2"),\"error\":\"Exit code 2\\nFAIL weir\"" | hook; }
again() { for i in $(seq "$1"); do before "c$i" 'make test' && fails "c$i" 'make test' || return $?; done; }
log="$HOME/.local/state/agent-audit/live/claude-code-s-1.jsonl"
)sh";

Finished agent(const Scratch& scratch, const std::string& lines) { return scratch.run(kAgent + lines); }

std::string file(const Scratch& scratch, const std::string& name) { return slurp(scratch / name); }

}  // namespace

TEST_SUITE("cli: hook") {
    TEST_CASE("advice is JSON that the agent hands on, and silence is silence") {
        const Scratch scratch;
        const Finished ran = agent(scratch, "prompt; again 3");
        CHECK(ran.status == 0);
        CHECK(ran.err.empty());
        const auto answer = nlohmann::json::parse(ran.out, nullptr, false);
        REQUIRE(answer.is_object());
        CHECK(answer["hookSpecificOutput"]["hookEventName"] == "PostToolUseFailure");
        CHECK(std::string(answer["hookSpecificOutput"]["additionalContext"])
                  .starts_with("[agent-audit loop/exact-repeat]"));
        CHECK(answer.size() == 1);
        CHECK(agent(scratch, "session=other; prompt; again 2").out.empty());
    }

    TEST_CASE("block refuses with exit code 2 and a line, halt ends a run, and each only when it was asked for") {
        const Scratch scratch;
        const Finished blocked = agent(scratch, "flags='--client claude-code --mode block'; prompt; again 9");
        CHECK(blocked.status == 2);
        CHECK(blocked.err.starts_with("[agent-audit loop/exact-repeat] "));
        CHECK(std::ranges::count(blocked.err, '\n') == 1);
        const Finished halted = agent(scratch, R"sh(session=h; flags='--client gemini --mode halt'
gemini() { printf '{"session_id":"h","hook_event_name":"%s","tool_name":"run_shell_command","tool_input":{"command":"make"}%s}' "$1" "$2" | hook; }
for i in 1 2 3 4 5 6; do gemini BeforeTool; gemini AfterTool ',"tool_response":{"llmContent":"no rule","error":{"message":"2"}}'; done)sh");
        CHECK(halted.status == 0);
        CHECK(holds(halted.out, R"("continue":false,"stopReason":"[agent-audit )"));
        CHECK(agent(scratch, "session=a; prompt; again 9").status == 0);
    }

    TEST_CASE("what is wrong on our side lets the agent go on: never 2, never a word on standard output") {
        const Scratch scratch;
        for (const char* lines :
             {"echo '{' | hook", "echo '[]' | hook", "echo | hook", "payload '' | hook",
              "head -c 9000000 /dev/zero | hook", "flags='--client nobody'; prompt", "flags='--mode loud'; prompt",
              "flags='--no-such-flag'; prompt", "flags='--policy nobody'; prompt; again 1",
              "flags='--time-limit 0'; prompt", "flags=surplus; prompt",
              "printf 'policy = 7\\n[nonsense\\n' > agent-audit.toml; again 1", "unset HOME; prompt",
              "mkdir -p \"${log%/*}\" && mkdir \"$log\"; prompt", "flags='--client auto'; prompt"}) {
            CAPTURE(lines);
            const Finished ran = agent(scratch, lines);
            CHECK(ran.status == 1);
            CHECK(ran.out.empty());
            CHECK(holds(ran.err, "agent-audit: "));
            std::filesystem::remove_all(scratch / "home");
            std::filesystem::create_directory(scratch / "home");
            std::filesystem::remove(scratch / "agent-audit.toml");
        }
        CHECK(agent(scratch, "payload OnFullMoon | hook").status == 0);  // a new event is none of ours
        CHECK(agent(scratch, "sleep 5 | aa hook --time-limit 50").status == 0);
    }

    TEST_CASE("what is remembered is the owner's, bounded, and forgotten after a week") {
        const Scratch scratch;
        const Finished ran = agent(scratch, R"sh(
mkdir -p "${log%/*}"; touch -d '8 days ago' "${log%/*}/codex-old.jsonl"; touch -d '6 days ago' "${log%/*}/codex-new.jsonl"
payload SessionStart ',"source":"startup"' | hook
ls "${log%/*}"; stat -c %a "$log"
long=$(head -c 20000 /dev/zero | tr '\0' x)
payload PostToolUse "$(call a 'cat big'),\"tool_response\":{\"stdout\":\"$long\",\"stderr\":\"\"}" | hook
wc -c < "$log"
for i in $(seq 9000); do printf '{"agent_audit_hook":1,"client":"claude-code","payload":{"session_id":"s-1","hook_event_name":"UserPromptSubmit","prompt":"number %s of the many"}}\n' "$i"; done >> "$log"
prompt; wc -c < "$log"; tail -n 1 "$log" | grep -c 'make the test pass'; head -n 1 "$log" | cut -c 1-20; stat -c %a "$log"
)sh");
        CHECK(ran.err.empty());
        CHECK(ran.out.starts_with("claude-code-s-1.jsonl\ncodex-new.jsonl\n600\n"));
        std::istringstream rest(ran.out.substr(ran.out.find("600\n") + 4));
        long once = 0, many = 0, last = 0;
        std::string first, mode;
        rest >> once >> many >> last >> first >> mode;
        CHECK(once < 9000);
        CHECK(many < 1 << 19);
        CHECK(many > 300'000);
        CHECK(last == 1);
        CHECK(first == R"({"agent_audit_hook":)");
        CHECK(mode == "600");
    }

    TEST_CASE("hooks of parallel calls do not lose each other's records") {
        const Scratch scratch;
        const Finished ran = agent(scratch, R"sh(
for i in $(seq 20); do before "p$i" "make part$i" & done; wait
grep -c . "$log"; aa scan -f json --exit-zero "$log" | grep -o '"records":{[^}]*}' | head -n 1)sh");
        CHECK(holds(ran.out, "20\n"));
        CHECK(ran.err.empty());
    }

    TEST_CASE("an id that is no file name leads nowhere else") {
        const Scratch scratch;
        agent(scratch, "session=../../../../etc/x; prompt; session=.; prompt; session='a b'; prompt");
        std::size_t logs = 0;
        for (const auto& found : std::filesystem::directory_iterator(scratch / "home/.local/state/agent-audit/live"))
            logs += found.path().filename().string().starts_with("claude-code-") ? 1 : 0;
        CHECK(logs == 3);
    }
}

TEST_SUITE("cli: init") {
    TEST_CASE("settings are made, kept to the byte around our hook, and as before without it") {
        const Scratch scratch;
        const std::string odd =
            "{\n    \"model\":   \"opus\",\n    \"hooks\": {\"Stop\": [ {\"hooks\": "
            "[{\"type\":\"command\",\"command\":\"say done\"}]} ]},\n"
            "    \"env\": { \"A\": \"\\u00e9 // no comment\" }\n}";
        const auto settings = scratch / "home/.claude/settings.json";
        std::filesystem::create_directories(settings.parent_path());
        std::ofstream(settings) << odd;
        std::filesystem::permissions(settings, std::filesystem::perms(0640));
        CHECK(scratch.run("aa init --client claude-code").status == 0);
        const std::string made = slurp(settings);
        const auto json = nlohmann::json::parse(made);
        CHECK(json["hooks"].size() == 8);
        CHECK(json["hooks"]["Stop"].size() == 2);
        CHECK(json["hooks"]["Stop"][0]["hooks"][0]["command"] == "say done");
        CHECK(json["hooks"]["PreToolUse"][0]["matcher"] == "*");
        CHECK(holds(std::string(json["hooks"]["PreToolUse"][0]["hooks"][0]["command"]), " hook --client claude-code"));
        CHECK(made.starts_with("{\n    \"model\":   \"opus\",\n    \"hooks\": {\"Stop\": [ {\"hooks\""));
        CHECK(made.ends_with("    \"env\": { \"A\": \"\\u00e9 // no comment\" }\n}"));
        CHECK(slurp(settings.string() + ".bak") == odd);
        CHECK(static_cast<unsigned>(std::filesystem::status(settings).permissions()) == 0640);
        const Finished twice = scratch.run("aa init --client claude-code");
        CHECK(holds(twice.err, "has this hook already"));
        CHECK(slurp(settings) == made);
        CHECK(scratch.run("aa init --client claude-code --mode block").status == 0);
        CHECK(nlohmann::json::parse(slurp(settings))["hooks"]["Stop"].size() == 2);
        CHECK(holds(slurp(settings), "--mode block"));
        CHECK(scratch.run("aa init --client claude-code --remove").status == 0);
        CHECK(slurp(settings) == odd);
        CHECK(holds(scratch.run("aa init --client claude-code --remove").err, "has no hook of agent-audit"));
        // The same under another name.
        CHECK(scratch.run("cp \"$program\" audit; ./audit init --client claude-code").status == 0);
        CHECK(holds(scratch.run("./audit init --client claude-code").err, "has this hook already"));
        CHECK(scratch.run("./audit init --client claude-code --remove").status == 0);
        CHECK(slurp(settings) == odd);
    }

    TEST_CASE("of settings that init made, nothing is left; those of the user are theirs, however empty") {
        const Scratch scratch;
        const std::string init = "aa init --client claude-code --scope project", settings = ".claude/settings.json";
        REQUIRE(scratch.status(init) == 0);
        const Finished removed = scratch.run(init + " --remove");
        CHECK(removed.status == 0);
        CHECK(removed.err == "Took the hook out of .claude/settings.json, and the file away: it held nothing else.\n");
        CHECK_FALSE(std::filesystem::exists(scratch / ".claude"));
        CHECK(holds(scratch.run(init + " --remove").err, "has no hook of agent-audit"));

        // Set twice, in two ways; and beside something else.
        REQUIRE(scratch.status(init + " && " + init + " --mode block") == 0);
        std::ofstream(scratch / ".claude/note.md") << "mine";
        CHECK(holds(scratch.run(init + " --remove --dry-run").out, "-   \"hooks\": {"));
        REQUIRE(scratch.status(init + " --remove") == 0);
        CHECK_FALSE(std::filesystem::exists(scratch / settings));
        CHECK_FALSE(std::filesystem::exists(scratch / (settings + ".bak")));
        CHECK(file(scratch, ".claude/note.md") == "mine");

        for (const char* own : {"{}", "{ }\n", "{\n}\n", "{\"hooks\": {\"Stop\": []}}", "{\"hooks\":{ },\"a\":1}"}) {
            CAPTURE(own);
            std::ofstream(scratch / settings) << own;
            CHECK(holds(scratch.run(init + " --remove").err, "has no hook of agent-audit"));
            REQUIRE(scratch.status(init + " && " + init + " --remove --mode halt") == 0);
            CHECK(file(scratch, settings) == own);
        }
        // What a person keeps beside them is theirs as well, and a link leads to a file of theirs.
        std::ofstream(scratch / (settings + ".bak")) << "{\"model\":\"mine\"}";
        std::filesystem::remove(scratch / settings);
        REQUIRE(scratch.status(init + " && " + init + " --remove") == 0);
        CHECK(file(scratch, settings + ".bak") == "{\"model\":\"mine\"}");
        std::filesystem::remove(scratch / (settings + ".bak"));
        std::filesystem::create_directories(scratch / "dot");
        std::filesystem::create_symlink("../dot/s.json", scratch / settings);
        REQUIRE(scratch.status("echo '{}' > dot/s.json && " + init + " && cp dot/s.json with && " + init +
                               " --remove") == 0);
        CHECK(holds(file(scratch, "with"), "agent-audit"));
        CHECK_FALSE(holds(file(scratch, "dot/s.json"), "agent-audit"));
        std::filesystem::remove(scratch / settings);

        // What was added meanwhile stays.
        std::ofstream(scratch / settings) << "{}";
        REQUIRE(scratch.status(init + " && sed -i 's/^{/{\"a\":1,/' " + settings + " && " + init + " --remove") == 0);
        CHECK(nlohmann::json::parse(file(scratch, settings)) == nlohmann::json{{"a", 1}});
    }

    TEST_CASE("each agent's own file, events and unit of time") {
        const Scratch scratch;
        const Finished ran = scratch.run(R"(
aa init --client gemini --scope project && aa init --client qwen --scope project --policy strict
CODEX_HOME=$PWD/c aa init --client codex --mode halt && aa init --client claude-code --scope local
aa init --client codex --scope local; echo $?)");
        CHECK(holds(ran.out, "2\n"));
        const auto gemini = nlohmann::json::parse(file(scratch, ".gemini/settings.json"));
        CHECK(gemini["hooks"]["AfterTool"][0]["hooks"][0]["timeout"] == 5000);
        CHECK(gemini["hooks"].size() == 5);
        CHECK(holds(file(scratch, ".qwen/settings.json"), "hook --client qwen --policy strict"));
        const auto codex = nlohmann::json::parse(file(scratch, "c/hooks.json"));
        CHECK(codex["hooks"]["PostToolUse"][0]["hooks"][0]["timeout"] == 5);
        CHECK_FALSE(codex["hooks"].contains("PostToolUseFailure"));
        CHECK(std::filesystem::exists(scratch / ".claude/settings.local.json"));
        CHECK(holds(ran.err, "/hooks"));
    }

    TEST_CASE("what is no JSON, or has no room for hooks, is left as it is") {
        const Scratch scratch;
        for (const char* text :
             {"{ // mine\n}", "[1]", "{\"hooks\":[]}", "{\"hooks\":{\"Stop\":7}}", "{\"a\":1", "\xef\xbb\xbf{}"}) {
            CAPTURE(text);
            std::filesystem::create_directories(scratch / ".claude");
            std::ofstream(scratch / ".claude/settings.json") << text;
            const Finished ran = scratch.run("aa init --client claude-code --scope project");
            CHECK(ran.status == 3);
            CHECK(holds(ran.err, "nothing was changed"));
            CHECK(file(scratch, ".claude/settings.json") == text);
        }
        for (const char* words : {"", "--client nobody", "--client gemini --scope moon", "--client gemini --mode loud",
                                  "--client gemini --policy nobody", "--client gemini more"}) {
            CAPTURE(words);
            CHECK(scratch.status(std::string("aa init ") + words) == 2);
        }
    }

    TEST_CASE("a dry run shows the lines and writes nothing; a program elsewhere is named by its path") {
        const Scratch scratch;
        std::filesystem::create_directories(scratch / ".gemini");
        std::ofstream(scratch / ".gemini/settings.json") << "{\n  \"theme\": \"dark\"\n}\n";
        const Finished dry = scratch.run("aa init --client gemini --scope project --dry-run");
        CHECK(holds(dry.out, "-   \"theme\": \"dark\"\n+   \"theme\": \"dark\",\n+   \"hooks\": {\n"));
        CHECK(file(scratch, ".gemini/settings.json") == "{\n  \"theme\": \"dark\"\n}\n");
        CHECK_FALSE(std::filesystem::exists(scratch / ".gemini/settings.json.bak"));
        const Finished there = scratch.run(R"(mkdir 'a b'; ln -s "$program" 'a b/agent-audit'
PATH="$PWD/a b:$PATH" aa init --client gemini --scope project; cat .gemini/settings.json)");
        CHECK(holds(there.out, "\"command\": \"agent-audit hook --client gemini\""));
    }
}
