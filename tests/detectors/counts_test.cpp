// What the engine counts of a session besides findings.
#include "support/session.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace agent_audit;
using agent_audit::test::Session;

namespace {

/// A command that the human runs, with its output.
void runs(Session& s, const std::string& id, ResultStatus status = ResultStatus::ok) {
    static constexpr std::string_view kCommand = "git pull";
    ToolCall call;
    call.caller = Caller::user;
    call.call_id = {id, TextForm::plain};
    call.name = {"bash", TextForm::plain};
    call.args = call.primary = {kCommand, TextForm::plain};
    s.emit(call).answer_id(id, "Already up to date.", status);
}

/// A program of the model's in a response of its own, the calls that it makes, and what it says.
struct Made {
    std::string command, output;
    ResultStatus status = ResultStatus::ok;
};
void script(Session& s, int number, const std::vector<Made>& made, ResultStatus status = ResultStatus::ok) {
    const std::string id = "script-" + std::to_string(number);
    const std::string text = "text(await run(" + std::to_string(number) + "))";
    ToolCall program;
    program.call_id = {id, TextForm::plain};
    program.name = {"exec", TextForm::plain};
    program.args = program.primary = {text, TextForm::plain};
    program.digest.canonical = stable_hash(text);
    program.script = true;
    s.respond().emit(program);
    for (std::size_t i = 0; i < made.size(); ++i) {
        const std::string inner = id + "-" + std::to_string(i);
        ToolCall call;
        call.caller = Caller::code;
        call.call_id = {inner, TextForm::plain};
        call.name = {"exec_command", TextForm::plain};
        call.args = call.primary = {made[i].command, TextForm::plain};
        call.digest.canonical = stable_hash(made[i].command);
        s.flagged(kHidden).emit(call).answer_id(inner, made[i].output, made[i].status).flagged(0);
    }
    s.answer_id(id, "said " + std::to_string(number), status);
}

Notice refused(std::string_view code, std::string_view text) {
    Notice notice;
    notice.level = NoticeLevel::error;
    notice.layer = NoticeLayer::provider;
    notice.code = {code, TextForm::plain};
    notice.text = {text, TextForm::plain};
    return notice;
}

}  // namespace

TEST_SUITE("counts of a session") {
    TEST_CASE(
        "a command that the human runs is a call and no response, before, between and behind those of the model") {
        Session s;
        runs(s, "own-1");
        s.human("go").says("I look.").call("Bash", "ls", "a");
        runs(s, "own-2", ResultStatus::error);
        s.human("and?").says("Done.");
        runs(s, "own-3");
        s.end();
        CHECK(s.counts().responses == 3);
        CHECK(s.counts().calls == 4);
        CHECK(s.counts().paired == 4);
        CHECK(s.counts().unanswered == 0);
        CHECK(s.counts().errors == 1);
        CHECK(s.counts().steps == 1);
    }

    TEST_CASE("the steps of a program are the calls it makes, however it is written") {
        Session s("loop/exact-repeat");
        s.human("go");
        for (int i = 0; i < 6; ++i) script(s, i, {{"npm test", "1 failed", ResultStatus::error}});
        const std::vector<Finding> findings = s.says("It still fails.").end();
        CHECK(s.counts().responses == 7);
        CHECK(s.counts().calls == 12);
        CHECK(s.counts().paired == 12);
        CHECK(s.counts().steps == 6);
        CHECK(s.counts().errors == 6);
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].repeats == 6);
    }

    TEST_CASE("a program that makes no call, or fails, is a step itself") {
        Session s;
        s.human("go");
        script(s, 1, {});
        script(s, 2, {{"ls", "a"}, {"cat a", "b"}}, ResultStatus::error);
        s.says("Done.").end();
        CHECK(s.counts().steps == 4);
        CHECK(s.counts().responses == 3);
    }

    TEST_CASE("limits on calls count a program once, whatever it calls") {
        const std::vector<Made> ten(10, {"ls", "a", ResultStatus::ok});
        const auto findings = [&](std::string_view rule, const char* key, const char* most) {
            Session s(rule, {{key, most}});
            s.human("go");
            for (int i = 0; i < 3; ++i) script(s, i, ten);
            return s.says("Done.").end().size();
        };
        CHECK(findings("budget/limits", "tool-calls", "3") == 0);
        CHECK(findings("budget/limits", "tool-calls", "2") == 1);
        CHECK(findings("constraint/limit", "constraints.max-tool-calls", "3") == 0);
        CHECK(findings("constraint/limit", "constraints.max-tool-calls", "2") == 1);
    }

    TEST_CASE("one program that asks the same thing a hundred times is no loop of the model") {
        Session s("loop/exact-repeat");
        s.human("go");
        script(s, 1, std::vector<Made>(100, {"curl -s localhost/health", "starting", ResultStatus::ok}));
        CHECK(s.says("It is up.").end().empty());
        CHECK(s.counts().steps == 1);
    }

    TEST_CASE("thousands of a human's commands are no response either, and one that was left open is counted") {
        Session s;
        for (int i = 0; i < 3000; ++i) runs(s, "own-" + std::to_string(i));
        ToolCall open;
        open.caller = Caller::user;
        open.call_id = {"last", TextForm::plain};
        s.emit(open).end();
        CHECK(s.counts().responses == 0);
        CHECK(s.counts().paired == 3000);
        CHECK(s.counts().unanswered == 1);
    }

    TEST_CASE("words that the program writes in the agent's name are no response") {
        Session s;
        s.flagged(kSynthetic).says("A new session begins.");
        s.flagged(0).human("go").says("I look.").call("Bash", "ls", "a").says("Done.");
        s.end();
        CHECK(s.counts().responses == 3);  // the call is one of its own
    }

    TEST_CASE("what a provider refused is counted by status, with its first and its last line") {
        Session s;
        s.human("go").emit(refused("429", "429 slow down"));
        s.emit(refused("", "API Error: 429 {\"type\":\"error\"}")).emit(refused("unknown", "429 usage limit reached"));
        s.says("Back.")
            .emit(refused("error", "LLM idle timeout (120s): no response from model"))
            .emit(refused("", "terminated"));
        s.human("4040 is no status").emit(refused("", "4040 bytes were sent"));
        s.end();
        const ProviderErrors& errors = s.provider_errors();
        CHECK(s.counts().provider_errors == 6);
        CHECK(errors.first_line == 2);
        CHECK(errors.last_line == 9);
        REQUIRE(errors.kinds.size() == 4);
        CHECK(errors.kinds[0].code == "429");
        CHECK(errors.kinds[0].count == 3);
        CHECK(errors.kinds[1].code == "LLM idle timeout (120s)");
        CHECK(errors.kinds[3].code == "4040 bytes were sent");
    }

    TEST_CASE("a thousand kinds of errors take no more room than eight, and information is no error") {
        Session s;
        for (int i = 0; i < 1000; ++i) {
            const std::string text = "broken at " + std::to_string(i) + std::string(500, 'x');
            s.emit(refused("", text));
        }
        Notice note = refused("", "No response requested.");
        note.level = NoticeLevel::info;
        s.emit(note).end();
        CHECK(s.counts().provider_errors == 1000);
        CHECK(s.provider_errors().kinds.size() == ProviderErrors::kKinds);
        CHECK(s.provider_errors().kinds[0].code.size() <= 60);
        CHECK(s.provider_errors().other == 1000 - ProviderErrors::kKinds);
    }
}
