#include <agent_audit/pipeline/hook_guard.hpp>
#include <agent_audit/pipeline/policy_replay.hpp>

#include <doctest/doctest.h>

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <string>

using namespace agent_audit;

namespace {

// A log that grows by one record after the other, as a hook writes it.
class GrowingLog {
public:
    GrowingLog() {
        static int number = 0;
        path_ = (std::filesystem::temp_directory_path() /
                 ("agent-audit-hook-" + std::to_string(::getpid()) + "-" + std::to_string(++number) + ".jsonl"))
                    .string();
    }
    ~GrowingLog() { std::filesystem::remove(path_); }

    HookVerdict add(const std::string& fields, const std::string& frame = "") {
        std::ofstream(path_, std::ios::app)
            << R"({"agent_audit_hook":1,"client":"claude-code","time_ms":)" << (1790000000000 + 1000 * ++records_)
            << "," << frame << R"("payload":{"session_id":"s","cwd":"/w",)" << fields << "}}\n";
        HookGuardPlan plan{path_, policy_, {}};
        const auto verdict = judge_hook(plan);
        REQUIRE(verdict);
        return *verdict;
    }
    HookVerdict prompt(const std::string& text) {
        return add(R"("hook_event_name":"UserPromptSubmit","prompt":")" + text + "\"");
    }
    HookVerdict before(const std::string& id, const std::string& command) {
        return add(R"("hook_event_name":"PreToolUse",)" + call(id, command));
    }
    HookVerdict fails(const std::string& id, const std::string& command, const std::string& error) {
        return add(R"("hook_event_name":"PostToolUseFailure",)" + call(id, command) + R"(,"error":")" + error + "\"");
    }
    HookVerdict answers(const std::string& id, const std::string& command, const std::string& text) {
        return add(R"("hook_event_name":"PostToolUse",)" + call(id, command) + R"(,"tool_response":{"stdout":")" +
                   text + R"(","stderr":""})");
    }
    HookVerdict refused(const std::string& id, const std::string& command) {
        return add(R"("hook_event_name":"PreToolUse",)" + call(id, command), R"("refused":"[agent-audit x] No.",)");
    }
    void use(const std::string& policy) { policy_ = choose_policy(policy).bound; }
    const std::string& path() const { return path_; }

private:
    static std::string call(const std::string& id, const std::string& command) {
        return R"("tool_name":"Bash","tool_input":{"command":")" + command + R"("},"tool_use_id":")" + id + "\"";
    }

    std::string path_;
    std::shared_ptr<const BoundPolicy> policy_ = choose_policy("balanced").bound;
    int records_ = 0;
};

std::string number(int i) { return std::to_string(i); }

// The verdicts behind each of `rounds` failing calls.
std::vector<HookVerdict> fail_again(GrowingLog& log, int rounds, int from = 0) {
    std::vector<HookVerdict> out;
    for (int i = from; i < from + rounds; ++i) {
        log.before("c" + number(i), "make test");
        out.push_back(log.fails("c" + number(i), "make test", R"(Exit code 2\nFAIL weir)"));
    }
    return out;
}

using Kind = HookVerdict::Kind;

}  // namespace

TEST_SUITE("hook guard") {
    TEST_CASE("who goes in circles is told so, more strongly each time, and not behind every call") {
        GrowingLog log;
        log.prompt("make the test pass");
        const auto said = fail_again(log, 9);
        CHECK(said[0].kind == Kind::pass);
        CHECK(said[1].kind == Kind::pass);
        REQUIRE(said[2].kind == Kind::advise);
        CHECK(said[2].action == policy::Action::notify);
        CHECK(said[2].rule == "loop/exact-repeat");
        CHECK(said[2].message.starts_with("[agent-audit loop/exact-repeat] Bash was called 3 times in a row"));
        CHECK(said[2].message.find("(line") == std::string::npos);
        CHECK(said[4].action == policy::Action::stop);
        CHECK(said[4].message.find("tell the user") != std::string::npos);
        for (std::size_t i = 5; i < said.size(); ++i) CHECK(said[i].kind == Kind::pass);
    }

    TEST_CASE("a call that the policy had spoken of is refused, another one is not, and a person's word ends it") {
        GrowingLog log;
        log.prompt("make the test pass");
        fail_again(log, 4);
        const auto again = log.before("x1", "make test");
        REQUIRE(again.kind == Kind::refuse);
        CHECK(again.rule == "loop/exact-repeat");
        log.refused("x1", "make test");
        CHECK(log.before("x2", "cat weir.c").kind == Kind::pass);
        CHECK(log.answers("x2", "cat weir.c", "int weir;").kind == Kind::pass);
        CHECK(log.before("x3", "make test").kind == Kind::refuse);
        log.refused("x3", "make test");
        log.prompt("I have mended the rule; try again");
        CHECK(log.before("x4", "make test").kind == Kind::pass);
    }

    TEST_CASE("refusals of our own are no reason to ask for a permission") {
        GrowingLog log;
        log.prompt("make the test pass");
        fail_again(log, 4);
        std::string words;
        for (int i = 10; i < 16; ++i) {
            words += log.before("c" + number(i), "make test").message;
            log.refused("c" + number(i), "make test");
        }
        CHECK(words.find("permission") == std::string::npos);
    }

    TEST_CASE("work is left alone: new calls, new answers, one failure") {
        GrowingLog log;
        log.prompt("look around");
        for (int i = 0; i < 12; ++i) {
            CHECK(log.before("a" + number(i), "cat part" + number(i)).kind == Kind::pass);
            CHECK(log.answers("a" + number(i), "cat part" + number(i), "text " + number(i * 7)).kind == Kind::pass);
            CHECK(log.before("b" + number(i), "make status").kind == Kind::pass);
            CHECK(log.answers("b" + number(i), "make status", number(i) + " of 12 parts built").kind == Kind::pass);
        }
    }

    TEST_CASE("calls of one response are judged when all are answered, one that never is keeps nobody waiting") {
        GrowingLog log;
        log.prompt("make the test pass");
        log.before("denied", "rm -rf build");  // the person said no: nothing more is told of it
        const auto said = fail_again(log, 3);
        CHECK(said[2].kind == Kind::advise);
        GrowingLog twice;
        twice.prompt("make the test pass");
        for (int i = 0; i < 2; ++i) {
            twice.before("p" + number(i), "make test");
            twice.before("q" + number(i), "make lint");
            CHECK(twice.fails("p" + number(i), "make test", R"(Exit code 2\nFAIL weir)").kind == Kind::pass);
            CHECK(twice.answers("q" + number(i), "make lint", "12 files").kind == Kind::pass);
        }
    }

    TEST_CASE("without an event before calls the result alone tells") {
        GrowingLog log;
        std::vector<HookVerdict> said;
        for (int i = 0; i < 3; ++i)
            said.push_back(log.fails("c" + number(i), "make test", R"(Exit code 2\nFAIL weir)"));
        CHECK(said[2].kind == Kind::advise);
    }

    TEST_CASE("what a project lives with is no reason to speak, and a log that is not there an error") {
        GrowingLog log;
        HookGuardPlan plan{log.path() + ".none", choose_policy("balanced").bound, {}};
        CHECK_FALSE(judge_hook(plan));
        log.prompt("make the test pass");
        fail_again(log, 3);
        plan.log = log.path();
        REQUIRE(judge_hook(plan));
        CHECK(judge_hook(plan)->kind == Kind::advise);
        plan.project.ignore = {"loop"};
        plan.policy = choose_policy("balanced", plan.project).bound;
        CHECK(judge_hook(plan)->kind == Kind::pass);
    }
}
