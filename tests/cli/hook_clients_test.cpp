#include "support/places.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

// What agents do to their hooks: several of one session at once, responses whose calls were turned down, runs to be
// ended.

namespace {

namespace fs = std::filesystem;

struct HookAnswer {
    std::string out;
    int exit = -1;
};

bool says(const HookAnswer& answer, std::string_view text) { return answer.out.find(text) != std::string::npos; }

class HookedSession {
public:
    explicit HookedSession(std::string_view name) {
        home_ = fs::temp_directory_path() / fmt::format("agent-audit-hook-{}-{}", name, ::getpid());
        fs::create_directories(home_);
    }
    ~HookedSession() { fs::remove_all(home_); }
    HookedSession(const HookedSession&) = delete;
    HookedSession& operator=(const HookedSession&) = delete;

    // Both streams of the hook are read as one.
    HookAnswer hook(std::string_view event, std::string_view fields, std::string_view words = "") const {
        std::ofstream(home_ / "payload") << fmt::format(R"({{"session_id":"s","cwd":"{}","hook_event_name":"{}"{}{}}})",
                                                        home_.string(), event, fields.empty() ? "" : ",", fields);
        const std::string command = fmt::format(
            "cd '{0}' && HOME='{0}' XDG_STATE_HOME= {1} hook --client claude-code --time-limit 60000 {2} "
            "< payload 2>&1",
            home_.string(), agent_audit::test::program_file(), words);
        HookAnswer answer;
        std::FILE* pipe = ::popen(command.c_str(), "r");
        REQUIRE(pipe != nullptr);
        std::array<char, 4096> piece{};
        while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), pipe))
            answer.out.append(piece.data(), got);
        const int status = ::pclose(pipe);
        answer.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        return answer;
    }

private:
    fs::path home_;
};

std::string bash_call(int id, std::string_view command) {
    return fmt::format(R"("tool_name":"Bash","tool_input":{{"command":"{}"}},"tool_use_id":"c{}")", command, id);
}
std::string bash_failure(int id, std::string_view command, std::string_view error) {
    return bash_call(id, command) + fmt::format(R"(,"error":"Exit code 1\n{}","is_interrupt":false)", error);
}
std::string look(int id) {
    return fmt::format(R"("tool_name":"Read","tool_input":{{"file_path":"/w/{0}.txt"}},"tool_use_id":"r{0}",)"
                       R"("tool_response":{{"type":"text","file":{{"content":"page {0}"}}}})",
                       id);
}
std::string turned_down(int id) {
    return fmt::format(R"("tool_calls":[{{"tool_name":"Edit","tool_input":{{"file_path":"/w/a","old_string":"x"}},)"
                       R"("tool_use_id":"c{}","tool_response":"<tool_use_error>not found</tool_use_error>"}}])",
                       id);
}

}  // namespace

TEST_SUITE("cli: hooks of clients") {
    TEST_CASE("edits that Claude Code turns down again and again are advised behind their response") {
        const HookedSession session("edits");
        CHECK(session.hook("UserPromptSubmit", R"("prompt":"go")").exit == 0);
        for (int i = 0; i < 2; ++i) CHECK(session.hook("PostToolBatch", turned_down(i)).out.empty());
        const HookAnswer third = session.hook("PostToolBatch", turned_down(2));
        CHECK(third.exit == 0);
        CHECK(says(third,
                   R"({"hookSpecificOutput":{"hookEventName":"PostToolBatch","additionalContext":"[agent-audit )"));
        // A batch of calls that other events told of is no news.
        CHECK(session.hook("PostToolBatch", R"("tool_calls":[{"tool_name":"Bash","tool_response":"x"}])").out.empty());
    }

    TEST_CASE("a run of failing calls ends behind the response that goes on after all") {
        const HookedSession session("halt");
        session.hook("UserPromptSubmit", R"("prompt":"go")", "--mode halt");
        HookAnswer behind;
        int refused = 0, calls = 0;
        for (; calls < 10 && !says(behind, R"("continue":false)"); ++calls) {
            const bool ran = session.hook("PreToolUse", bash_call(calls, "make"), "--mode halt").exit == 0;
            refused += ran ? 0 : 1;
            if (ran) session.hook("PostToolUseFailure", bash_failure(calls, "make", "1 failing"), "--mode halt");
            behind = session.hook("PostToolBatch", R"("tool_calls":[])", "--mode halt");
            CHECK(behind.exit == 0);
        }
        CHECK(refused > 0);
        CHECK(calls < 10);
        CHECK(says(behind, R"("stopReason":"[agent-audit loop/exact-repeat])"));
        session.hook("UserPromptSubmit", R"("prompt":"go on")", "--mode halt");
        CHECK(session.hook("PostToolBatch", R"("tool_calls":[])", "--mode halt").out.empty());
    }

    TEST_CASE("many commands that fail each in its own way are no reason to speak of the shell") {
        const HookedSession session("breaker");
        session.hook("UserPromptSubmit", R"("prompt":"go")");
        constexpr std::array<std::array<std::string_view, 2>, 10> kTries{{{"cargo build", "linker cc is gone"},
                                                                          {"npm ci", "lock file is stale"},
                                                                          {"psql -l", "role ada has no password"},
                                                                          {"tar xf a.tar", "unexpected end of archive"},
                                                                          {"git pull", "branches have diverged"},
                                                                          {"cmake .", "no generator fits"},
                                                                          {"docker ps", "daemon sleeps"},
                                                                          {"java -jar m.jar", "class version too new"},
                                                                          {"ruby r.rb", "gem rye is missing"},
                                                                          {"go vet", "composite literal unkeyed"}}};
        for (int i = 0; i < 10; ++i) {
            const auto& [command, error] = kTries[static_cast<std::size_t>(i)];
            CHECK(session.hook("PreToolUse", bash_call(i, command), "--mode block").exit == 0);
            const HookAnswer behind =
                session.hook("PostToolUseFailure", bash_failure(i, command, error), "--mode block");
            CAPTURE(behind.out);
            CHECK(behind.out.empty());
            session.hook("PostToolUse", look(i));
        }
    }
}
