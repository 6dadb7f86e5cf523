#include "pipeline/files.hpp"

#include <fmt/format.h>

using namespace agent_audit;
using namespace agent_audit::test;

namespace {

// A session of Claude Code: `shared` failing calls as every other one has them, and then `own` ones of its own.
struct ForkedSession {
    std::string id;
    int shared = 6;
    int own = 0;
    std::string goal = "build it";

    std::string text() const {
        std::string out = said("u0", goal);
        for (int i = 0; i < shared; ++i) out += call(fmt::format("01Shared{}", i + 1), "make");
        if (own > 0) out += said("u1" + id, "and now " + id);
        for (int i = 0; i < own; ++i) out += call(fmt::format("01{}Own{}", id, i + 1), "make check");
        return out;
    }

private:
    std::string said(const std::string& uuid, const std::string& words) const {
        return R"({"type":"user","uuid":")" + uuid + R"(","parentUuid":null,"sessionId":")" + id +
               R"(","message":{"role":"user","content":")" + words + "\"}}\n";
    }
    std::string call(const std::string& n, const std::string& command) const {
        return R"({"type":"assistant","uuid":"a)" + n + R"(","parentUuid":"u0","sessionId":")" + id +
               R"(","requestId":"req_)" + n + R"(","message":{"id":"msg_)" + n +
               R"(","role":"assistant","model":"claude-haiku-4-5","content":[{"type":"tool_use","id":"toolu_)" + n +
               R"(","name":"Bash","input":{"command":")" + command +
               R"("}}],"usage":{"input_tokens":300,"output_tokens":70}}})" + "\n" + R"({"type":"user","uuid":"b)" + n +
               R"(","parentUuid":"a)" + n + R"(","sessionId":")" + id +
               R"(","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_)" + n +
               R"(","is_error":true,"content":"no rule"}]}})" + "\n";
    }
};

SessionReport session_named(const Report& report, std::string_view id) {
    for (const SessionReport& session : report.sessions) {
        if (session.id == id) return session;
    }
    FAIL("no session " << id);
    return {};
}

std::size_t findings_of_session(const Report& report, std::string_view id) {
    return static_cast<std::size_t>(
        std::ranges::count_if(report.findings, [&](const Finding& f) { return report.sessions[f.session].id == id; }));
}

Report report_by(const std::vector<std::string>& inputs, unsigned jobs) {
    AuditPlan plan;
    plan.inputs = inputs;
    plan.jobs = jobs;
    return report_of(plan);
}

// A Codex rollout; `fork`: it opens with the history of its parent, all of it written within a second.
std::string forked_rollout(bool fork) {
    const auto line = [](int second, const std::string& type, const std::string& payload) {
        return fmt::format(R"({{"timestamp":"2026-02-01T10:{:02}:{:02}.000Z","type":"{}","payload":{}}})", second / 60,
                           second % 60, type, payload) +
               "\n";
    };
    const int begin = fork ? 600 : 0;
    std::string out = line(begin, "session_meta",
                           fork ? R"({"id":"01900000-2222-7111-8111-111111111111","forked_from_id":"p","cwd":"/x"})"
                                : R"({"id":"p","cwd":"/x"})");
    const auto turn = [&](int second, const std::string& words, const std::string& ids, int calls, int seconds_each) {
        out += line(second, "event_msg", R"({"type":"task_started"})");
        out += line(second, "response_item",
                    R"({"type":"message","role":"user","content":[{"type":"input_text","text":")" + words + "\"}]}");
        for (int i = 0; i < calls; ++i) {
            second += seconds_each;
            const std::string id = ids + std::to_string(i);
            out += line(second, "response_item",
                        R"({"type":"function_call","name":"shell","arguments":"{\"command\":[\"make\"]}","call_id":")" +
                            id + "\"}");
            out += line(second, "response_item",
                        R"({"type":"function_call_output","call_id":")" + id +
                            R"(","output":"{\"output\":\"no rule\",\"metadata\":{\"exit_code\":2}}"})");
        }
        out += line(second, "event_msg", R"({"type":"turn_aborted","reason":"interrupted"})");
    };
    turn(begin, "fix the build", "old", 6, fork ? 0 : 10);
    if (fork) turn(660, "now the pages", "own", 1, 5);
    return out;
}

}  // namespace

TEST_SUITE("history that sessions share") {
    TEST_CASE("calls, errors, turns and tools of a resumed session's history count once, whatever the order") {
        const Folder folder;
        const std::string parent = folder.write("parent.jsonl", ForkedSession{"parent-1"}.text()),
                          longer = folder.write("longer.jsonl", ForkedSession{"longer-1", 6, 4}.text()),
                          shorter = folder.write("shorter.jsonl", ForkedSession{"shorter-1", 6, 2}.text());
        const std::vector<std::string> orders[] = {{parent, longer, shorter}, {shorter, longer, parent}};
        for (const auto& inputs : orders) {
            for (const unsigned jobs : {1u, 4u}) {
                const Report report = report_by(inputs, jobs);
                CHECK(report.tokens.requests == 12);
                CHECK(report.counts.calls == 12);
                CHECK(report.counts.results == 12);
                CHECK(report.counts.paired == 12);
                CHECK(report.counts.errors == 12);
                CHECK(report.counts.steps == 12);
                CHECK(report.counts.responses == 12);
                CHECK(report.counts.turns == 3);
                CHECK(report.counts.human_messages == 3);
                REQUIRE(report.tools.size() == 1);
                CHECK(report.tools[0].calls == 12);
                CHECK(report.tools[0].failed() == 12);
                CHECK(session_named(report, "longer-1").counts.calls == 10);
                CHECK(session_named(report, "shorter-1").counts.calls == 2);
                CHECK(session_named(report, "shorter-1").counts.turns == 1);
                CHECK(session_named(report, "parent-1").counts.calls == 0);
                CHECK(session_named(report, "parent-1").tokens.copied_requests == 6);
                CHECK(json_of(report) == json_of(report_by(orders[0], 1)));
            }
        }
        CHECK(report_of({parent}).counts.calls == 6);
        CHECK(report_of({shorter}).counts.calls == 8);
    }

    TEST_CASE("turns, prompts and findings of such a history are told of the session in which it counts") {
        const Folder folder;
        const std::vector<std::string> inputs{folder.write("parent.jsonl", ForkedSession{"parent-1"}.text()),
                                              folder.write("longer.jsonl", ForkedSession{"longer-1", 6, 4}.text()),
                                              folder.write("shorter.jsonl", ForkedSession{"shorter-1", 6, 2}.text())};
        const Report report = report_of(inputs);
        const SessionReport parent = session_named(report, "parent-1"), longer = session_named(report, "longer-1"),
                            shorter = session_named(report, "shorter-1");
        CHECK(parent.tokens.top_turns.empty());
        CHECK(parent.context.lanes.empty());
        CHECK(parent.tokens.peak_context == 0);
        CHECK(longer.tokens.top_turns.size() == 2);
        REQUIRE(shorter.tokens.top_turns.size() == 1);
        CHECK(shorter.tokens.top_turns[0].requests == 2);
        CHECK(shorter.tokens.top_turns[0].cost.priced_requests == 2);
        REQUIRE(shorter.context.lanes.size() == 1);
        CHECK(shorter.context.lanes[0].requests == 2);
        CHECK(findings_of_session(report, "parent-1") == 0);
        CHECK(findings_of_session(report, "longer-1") == 2);
        CHECK(findings_of_session(report, "shorter-1") == 0);
        CHECK(findings_of(report_of({inputs[0]}), "loop/exact-repeat") == 1);
        CHECK(std::ranges::any_of(report.notes, [](const Note& note) {
            return note.text.starts_with("2 findings stand once more in history that sessions share");
        }));
    }

    TEST_CASE("requests of the same names after other words are another history") {
        const Folder folder;
        const Report report = report_of({folder.write("a.jsonl", ForkedSession{"one-1"}.text()),
                                         folder.write("b.jsonl", ForkedSession{"two-1", 6, 0, "test it"}.text())});
        CHECK(report.counts.calls == 12);
        CHECK(findings_of_session(report, "one-1") == 1);
        CHECK(findings_of_session(report, "two-1") == 1);
    }

    TEST_CASE("a second recording of the very same counts nothing, and its findings are listed") {
        const Folder folder;
        const Report report = report_of({folder.write("a.jsonl", ForkedSession{"one-1"}.text()),
                                         folder.write("b/a.jsonl", ForkedSession{"two-1"}.text())});
        CHECK(report.counts.calls == 6);
        CHECK(report.counts.turns == 1);
        CHECK(report.findings.size() == 2);
    }

    TEST_CASE("what a Codex fork copied counts in its parent, and nowhere where that is not read") {
        const Folder folder;
        const std::string parent = folder.write("rollout-p.jsonl", forked_rollout(false)),
                          fork = folder.write("rollout-f.jsonl", forked_rollout(true));
        for (const auto& inputs : {std::vector{parent, fork}, {fork, parent}}) {
            const Report both = report_of(inputs);
            CHECK(both.counts.calls == 7);
            CHECK(both.counts.results == 7);
            CHECK(both.counts.errors == 7);
            CHECK(both.counts.turns == 2);
            CHECK(both.counts.human_messages == 2);
            CHECK(both.counts.aborted_turns == 2);
            CHECK(both.counts.unanswered == 0);
            CHECK(both.counts.orphans == 0);
            REQUIRE(both.tools.size() == 1);
            CHECK(both.tools[0].calls == 7);
            CHECK(findings_of(both, "loop/exact-repeat") == 1);
        }
        CHECK(report_of({fork}).counts.calls == 1);
        CHECK(report_of({fork}).counts.events > report_of({parent}).counts.events);
    }

    TEST_CASE("what a session does behind history that is all shared is its own, though no request is recorded of it") {
        const Folder folder;
        const std::string more =
            R"({"type":"user","uuid":"u9","parentUuid":"u0","sessionId":"tail-1","message":{"role":"user","content":"go on"}})"
            "\n"
            R"({"type":"assistant","uuid":"a9","parentUuid":"u9","sessionId":"tail-1","message":{"role":"assistant","content":[{"type":"tool_use","id":"toolu_9","name":"Bash","input":{"command":"make all"}}]}})"
            "\n"
            R"({"type":"user","uuid":"b9","parentUuid":"a9","sessionId":"tail-1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_9","is_error":true,"content":"no rule"}]}})"
            "\n";
        const std::string longer = folder.write("longer.jsonl", ForkedSession{"longer-1", 6, 4}.text()),
                          tail = folder.write("tail.jsonl", ForkedSession{"tail-1"}.text() + more);
        for (const unsigned jobs : {1u, 4u}) {
            const Report report = report_by({longer, tail}, jobs);
            CHECK(report.counts.calls == 11);
            CHECK(session_named(report, "tail-1").counts.calls == 1);
            CHECK(session_named(report, "tail-1").counts.errors == 1);
            CHECK(session_named(report, "longer-1").counts.calls == 10);
        }
    }
}
