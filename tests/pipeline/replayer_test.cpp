#include "pipeline/files.hpp"
#include "policy/events.hpp"
#include "support/sanitized.hpp"

#include <agent_audit/pipeline/policy_replay.hpp>

using namespace agent_audit;
using namespace agent_audit::test;
using policy::Action;
using policy::Decision;
using policy::Trigger;

namespace {

std::shared_ptr<const BoundPolicy> bound(const std::string& name) {
    PolicyChoice choice = choose_policy(name);
    for (const std::string& problem : choice.problems) MESSAGE(problem);
    REQUIRE(choice.bound);
    return choice.bound;
}

std::shared_ptr<const BoundPolicy> written(const std::string& text) {
    const Folder folder;
    return bound(folder.write("p.toml", "version = 1\n" + text));
}

SupervisedRun run(const std::shared_ptr<const BoundPolicy>& policy, const Events& events) {
    Replayer replayer(policy);
    for (const Event& event : events.all()) (void)replayer.on_event(event);
    return replayer.finish();
}

std::vector<Action> actions(const SupervisedRun& run) {
    std::vector<Action> out;
    for (const Decision& d : run.decisions) out.push_back(d.action);
    return out;
}

Events stuck(int times) {
    Events events;
    events.human("make the tests pass");
    events.call("Read", "a.ts", "export const a = 1");
    for (int i = 0; i < times; ++i) events.usage(1000, 10).call("Bash", "make test", "2 tests failed");
    events.says("I give up");
    return events;
}

/// Tokens of the responses of a recording, as a timeline shows them.
std::vector<std::uint64_t> billed(const std::string& path, const std::string& policy = "permissive") {
    PolicyReplayPlan plan;
    plan.inputs = {path};
    plan.policies = {bound(policy)};
    plan.keep_turns = true;
    plan.jobs = 1;
    const auto replay = replay_policies(plan);
    REQUIRE(replay);
    REQUIRE(replay->sessions.size() == 1);
    std::vector<std::uint64_t> out;
    for (const RunTurn& turn : replay->sessions[0].runs[0].turns) out.push_back(turn.tokens);
    return out;
}

/// What two replays of one run must agree about.
std::string line_of(const Decision& d) {
    return std::string(policy::name(d.action)) + " " + std::string(policy::name(d.trigger)) + " " + d.rule + " line " +
           std::to_string(d.line) + " lane " + std::to_string(d.lane) + " response " + std::to_string(d.response) +
           ": " + d.reason;
}

/// All that was known then: the words for the model, what was spent, evidence, alternatives.
std::string all_of(const Decision& d) {
    std::string out = line_of(d) + "\n" + d.message + "\nspent " + std::to_string(d.spent.total()) + " back to " +
                      std::to_string(d.back_to_line.value_or(0)) + " wait " + std::to_string(d.delay_ms);
    for (const Evidence& e : d.evidence) out += "\n" + std::to_string(e.line) + " " + e.role + ": " + e.text;
    for (const policy::Alternative& a : d.alternatives)
        out += "\nnot " + std::string(policy::name(a.action)) + ": " + a.why_not;
    return out;
}

using Policies = std::vector<std::shared_ptr<const BoundPolicy>>;

/// By policy, all sessions of the file one after the other.
std::vector<std::vector<std::string>> decisions_in(const std::string& path, const Policies& policies) {
    PolicyReplayPlan plan;
    plan.inputs = {path};
    plan.policies = policies;
    plan.jobs = 1;
    const auto replay = replay_policies(plan);
    REQUIRE(replay);
    std::vector<std::vector<std::string>> out(policies.size());
    for (const ReplayedSession& session : replay->sessions) {
        for (std::size_t i = 0; i < policies.size(); ++i) {
            for (const Decision& d : session.runs[i].decisions) out[i].push_back(all_of(d));
        }
    }
    return out;
}

struct Compared {
    std::size_t files = 0, cuts = 0, decisions = 0;
};

/// Cuts the recording behind some of its lines: what is decided about the cut one is how the whole one begins.
void check_prefixes(const fs::path& file, const Policies& policies, int cuts, Compared& compared) {
    const std::string whole = content(file);
    std::vector<std::size_t> ends;
    // A record of a Markdown history is many lines: it ends where somebody else speaks.
    const bool by_headings = file.extension() == ".md";
    for (std::size_t at = whole.find('\n'); at != whole.npos; at = whole.find('\n', at + 1)) {
        if (!by_headings || whole.compare(at + 1, 5, "#### ") == 0) ends.push_back(at + 1);
    }
    const Folder folder;
    const std::string name = file.filename().string();
    const auto all = decisions_in(folder.write(name, whole), policies);
    const std::size_t step = std::max<std::size_t>(1, ends.size() / static_cast<std::size_t>(cuts + 1));
    ++compared.files;
    for (std::size_t line = step; line < ends.size(); line += step) {
        const auto part = decisions_in(folder.write(name, whole.substr(0, ends[line - 1])), policies);
        CAPTURE(file.string());
        CAPTURE(line);
        ++compared.cuts;
        for (std::size_t p = 0; p < policies.size(); ++p) {
            CAPTURE(policies[p]->policy.name);
            REQUIRE(part[p].size() <= all[p].size());
            compared.decisions += part[p].size();
            for (std::size_t i = 0; i < part[p].size(); ++i) CHECK(part[p][i] == all[p][i]);
        }
    }
}

/// Every file below `folder` of a format whose records end with lines.
std::vector<fs::path> linewise_files(const fs::path& folder) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const auto kind = entry.path().extension();
        if (entry.is_regular_file() && (kind == ".jsonl" || kind == ".md")) found.push_back(entry.path());
    }
    std::ranges::sort(found);
    return found;
}

}  // namespace

TEST_SUITE("replayer") {
    TEST_CASE("where records are counted, decisions say so, and leave alone what they quote") {
        std::string document = R"({"messages":[{"role":"user","content":"mend:\n- line 3: a typo"})";
        for (const char* id : {"a", "b", "c", "d", "e", "f"}) {
            document += std::string(R"(,{"role":"assistant","tool_calls":[{"id":")") + id +
                        R"(","type":"function","function":{"name":"bash","arguments":"{\"command\":\"make\"}"}}]})" +
                        R"(,{"role":"tool","tool_call_id":")" + id + R"(","content":"error at line 12"})";
        }
        const Folder folder;
        PolicyReplayPlan plan;
        plan.inputs = {folder.write("run.json", document + "]}")};
        plan.policies = {bound("strict")};
        const auto replay = replay_policies(plan);
        REQUIRE(replay);
        REQUIRE(replay->sessions.size() == 1);
        const SupervisedRun& run = replay->sessions[0].runs[0];
        REQUIRE(run.decisions.size() == 2);
        const Decision &reflect = run.decisions[0], &stop = run.decisions[1];
        const auto says = [](const std::string& text, std::string_view words) {
            return text.find(words) != std::string::npos;
        };
        CHECK(says(reflect.reason, "(records 2-7)"));
        CHECK(says(reflect.message, "Goal: mend:\n- line 3: a typo\n"));
        CHECK(says(reflect.message, "\n- record 2: bash `make` -> error at line 12\n"));
        CHECK(says(reflect.message, "Why now: bash was called"));
        CHECK_FALSE(says(reflect.message, "lines "));
        CHECK(says(stop.message, "(records 2-9)"));
        REQUIRE_FALSE(stop.alternatives.empty());
        CHECK(stop.alternatives[0].why_not == "tried at record 7, and the pattern went on");
        CHECK(says(run.failed_because, "(records 2-"));
    }

    TEST_CASE("a stuck run is made to think and stopped by strict, each after the response before") {
        const SupervisedRun out = run(bound("strict"), stuck(12));
        CHECK(actions(out) == std::vector{Action::reflect, Action::stop});
        CHECK(out.decisions[0].rule == "loop/exact-repeat");
        CHECK(out.decisions[1].line > out.decisions[0].line);
        CHECK(out.failed);
        REQUIRE(out.decisions[1].alternatives.size() == 1);
        CHECK(out.decisions[1].alternatives[0].why_not.find("tried at line") == 0);
    }

    TEST_CASE(
        "balanced tells the model and goes back before it stops, and stops a warning that goes on after all that") {
        const SupervisedRun out = run(bound("balanced"), stuck(12));
        CHECK(actions(out) == std::vector{Action::notify, Action::rollback, Action::stop});
        CHECK(out.decisions[2].step == 6);
        CHECK(run(bound("balanced"), stuck(4)).decisions.size() == 2);
    }

    TEST_CASE("a finding that is not sure enough leads to a reflection and to no stop") {
        Events events;
        events.human("make the tests pass");
        events.call("Read", "a.ts", "one\ntwo\nthree");
        const auto policy = written("extends = \"strict\"\n[rung.stop]\nconfidence = 0.96\n");
        for (int i = 0; i < 12; ++i) events.call("Bash", "make test", "2 tests failed");
        CHECK(actions(run(policy, events)) == std::vector{Action::reflect});
    }

    TEST_CASE("where a fresh session would have paid is said with what it saves") {
        Events events;
        events.human("make the tests pass");
        for (int i = 0; i < 10; ++i)
            events.call("Read", "f" + std::to_string(i), std::string(9000, 'x') + std::to_string(i));
        for (int i = 0; i < 20; ++i) events.call("Bash", "make test", "2 tests failed");
        events.says("I give up");
        const SupervisedRun out = run(bound("strict"), events);
        REQUIRE(out.resets.size() == 1);
        const ResetSuggestion& reset = out.resets[0];
        CHECK(reset.rule == "loop/exact-repeat");
        CHECK(reset.tokens_after < reset.tokens_before);
        CHECK(reset.saving_per_turn() == reset.tokens_before - reset.tokens_after);
        CHECK(reset.break_even_turns >= 1);
        CHECK(reset.confidence > 0.5);
        CHECK(run(bound("strict"), stuck(2)).resets.empty());
    }

    TEST_CASE("what a project lives with leads to nothing, and is counted") {
        ProjectSettings project;
        project.suppressions.push_back({"loop/exact-repeat", {}, "known", {}, "agent-audit.toml:1"});
        const Folder folder;
        std::string recording = R"({"role":"user","content":"make the tests pass"})"
                                "\n";
        for (int i = 0; i < 12; ++i) {
            const std::string id = "c" + std::to_string(i);
            recording += R"({"role":"assistant","tool_calls":[{"id":")" + id +
                         R"(","type":"function","function":{"name":"run_tests","arguments":"{}"}}]})"
                         "\n";
            recording += R"({"role":"tool","tool_call_id":")" + id +
                         R"(","content":"2 tests found"})"
                         "\n";
        }
        const std::string path = folder.write("s.jsonl", recording);
        for (const bool suppressed : {false, true}) {
            PolicyReplayPlan plan;
            plan.inputs = {path};
            if (suppressed) plan.project = project;
            plan.policies = {bound("strict")};
            const auto replay = replay_policies(plan);
            REQUIRE(replay);
            REQUIRE(replay->sessions.size() == 1);
            const SupervisedRun& run = replay->sessions[0].runs[0];
            CHECK(run.decisions.empty() == suppressed);
            CHECK(run.failed == !suppressed);
            CHECK(run.lived_with == (suppressed ? 1u : 0u));
        }
    }

    TEST_CASE("a project's rules hold where the policy says nothing, and the policy wins where it does") {
        const Events events = stuck(5);
        ProjectSettings project;
        project.settings.set("loop/exact-repeat.warn", {"9", "agent-audit.toml:2"});
        project.settings.set("loop/exact-repeat.fail", {"9", "agent-audit.toml:3"});
        project.ignore = {"loop/known-answers", "loop/interleaved-repeat", "loop/same-error"};
        const auto under = [&](const std::string& text) {
            const Folder folder;
            PolicyChoice choice = choose_policy(folder.write("p.toml", "version = 1\n" + text), project);
            for (const std::string& problem : choice.problems) MESSAGE(problem);
            REQUIRE(choice.bound);
            return run(choice.bound, events).decisions.size();
        };
        CHECK(under("extends = \"strict\"\n") == 0);
        CHECK(under("extends = \"strict\"\n[rules.\"loop/exact-repeat\"]\nwarn = 3\nfail = 3\n") > 0);
        ProjectSettings wrong;
        wrong.settings.set("loop/exact-repeat.warm", {"9", "agent-audit.toml:2"});
        const PolicyChoice refused = choose_policy("strict", wrong);
        CHECK_FALSE(refused.bound);
        REQUIRE(refused.problems.size() == 1);
        CHECK(refused.problems[0].starts_with("agent-audit.toml:2:"));
    }

    TEST_CASE("a tool with parameters of its own in the project's settings is judged by them alone") {
        ProjectSettings project;
        project.settings.set("loop/exact-repeat.per-tool.Bash.warn", {"8", "agent-audit.toml:2"});
        project.settings.set("loop/exact-repeat.per-tool.Bash.fail", {"8", "agent-audit.toml:3"});
        project.ignore = {"loop/known-answers", "loop/interleaved-repeat", "loop/same-error"};
        const PolicyChoice choice = choose_policy("strict", project);
        REQUIRE(choice.bound);
        CHECK(run(choice.bound, stuck(7)).decisions.empty());
        const SupervisedRun out = run(choice.bound, stuck(12));
        REQUIRE_FALSE(out.decisions.empty());
        CHECK(out.decisions[0].step == 9);
    }

    TEST_CASE("a healthy run is left alone by every built-in policy that does not work by the clock") {
        Events events;
        events.human("add a feature");
        for (int i = 0; i < 32; ++i) {
            const std::string file = "f" + std::to_string(i) + ".ts";
            events.call("Read", file, "text of " + file)
                .call("Edit", file, "done: " + file)
                .call("Bash", "make check " + file, "ok " + file);
        }
        for (const char* name : {"permissive", "balanced", "strict", "gemini-cli", "openclaw", "openhands"}) {
            CAPTURE(std::string(name));
            const SupervisedRun out = run(bound(name), events);
            CHECK(out.decisions.empty());
            CHECK_FALSE(out.failed);
        }
    }

    TEST_CASE("what comes after a stop is wasted or useful, and both add up") {
        Events events = stuck(12);
        for (int i = 0; i < 5; ++i)
            events.usage(1000, 10).call("Edit", "g" + std::to_string(i), "done " + std::to_string(i));
        const SupervisedRun out = run(bound("strict"), events);
        REQUIRE(out.cut);
        CHECK(out.decisions[*out.cut].action == Action::stop);
        CHECK(out.after.steps == out.after.wasted_steps + out.after.useful_steps);
        CHECK(out.after.tokens == out.after.wasted_tokens + out.after.useful_tokens);
        CHECK(out.after.useful_steps == 5);
        CHECK(out.after.wasted_steps == 12 - 4);
    }

    TEST_CASE("a response without a call is worth what the calls before it were") {
        Events stays = stuck(12);  // ends with words and no call
        stays.says("I have tried everything").usage(7000, 0).says("so I stop here");
        const SupervisedRun lost = run(bound("strict"), stays);
        CHECK(lost.after.useful_tokens == 0);
        CHECK(lost.after.wasted_tokens == lost.after.tokens);
        Events leaves = stuck(12);
        leaves.call("Edit", "g", "done").says("that was it").usage(7000, 0).says("all is well");
        const SupervisedRun found = run(bound("strict"), leaves);
        CHECK(found.after.useful_tokens == 7000);
        CHECK(found.after.useful_steps == 1);
    }

    TEST_CASE(
        "an intervention stands behind all records of its response, whether that called something or only spoke") {
        Events speaks;
        speaks.human("make the tests pass").call("Read", "a.ts", "export const a = 1");
        for (int i = 0; i < 8; ++i) speaks.says("I will read the file and mend what is wrong with it.");
        const SupervisedRun out = run(bound("strict"), speaks);
        REQUIRE(actions(out) == std::vector{Action::reflect, Action::stop});
        CHECK(out.decisions[0].line == 6);
        CHECK(out.decisions[1].line == 7);
        CHECK(out.verdicts == std::vector{DecisionVerdict::right, DecisionVerdict::right});
        const auto each = written("[reflection]\nevery-turns = 1\n");
        const Folder folder;
        for (const auto& [first, second] : {std::pair{"a", "b"}, {"b", "a"}}) {
            const auto call = [](const std::string& id) {
                return R"({"id":")" + id +
                       R"(","type":"function","function":{"name":"read_file","arguments":"{\"path\":\")" + id +
                       R"(\"}"}})";
            };
            const auto result = [](const std::string& id) {
                return R"({"role":"tool","tool_call_id":")" + id + R"(","content":"text of )" + id + "\"}\n";
            };
            const std::string path =
                folder.write("s.jsonl", R"({"role":"user","content":"read them"})"
                                        "\n"
                                        R"({"role":"assistant","tool_calls":[)" +
                                            call("a") + "," + call("b") + "]}\n" + result(first) + result(second) +
                                            R"({"role":"assistant","content":"done"})"
                                            "\n");
            PolicyReplayPlan plan;
            plan.inputs = {path};
            plan.policies = {each};
            const auto replay = replay_policies(plan);
            REQUIRE(replay);
            REQUIRE(replay->sessions.size() == 1);
            REQUIRE_FALSE(replay->sessions[0].runs[0].decisions.empty());
            CHECK(replay->sessions[0].runs[0].decisions[0].line == 4);
        }
    }

    TEST_CASE("a response that began only after a peer's stop would not have been made") {
        const auto policy = written("react-to-rules = false\nfollow = [\"openhands\"]\nladder = [\"stop\"]\n");
        const SupervisedRun out = run(policy, stuck(12));  // it looks before each request, and stops at four alike
        REQUIRE(out.cut);
        CHECK(out.decisions[*out.cut].step == 5);
        CHECK(out.after.steps == 12 - 4);
        CHECK(out.after.tokens == (12 - 4) * 1010);
    }

    TEST_CASE("a stop counts up to the next word of a person, and a run can be stopped again") {
        Events events = stuck(9);
        events.human("leave that, and write the page");
        for (int i = 0; i < 20; ++i) events.call("Edit", "page" + std::to_string(i), "done " + std::to_string(i));
        const SupervisedRun once = run(bound("strict"), events);
        REQUIRE(once.cut);
        CHECK(once.after.useful_steps == 0);
        CHECK(once.after.wasted_steps == 5);
        CHECK(once.verdicts[*once.cut] == DecisionVerdict::right);
        events.human("now make the tests pass");
        for (int i = 0; i < 8; ++i) events.call("Bash", "make test", "3 tests failed");
        events.says("I give up");
        const SupervisedRun twice = run(bound("strict"), events);
        CHECK(std::ranges::count(twice.decisions, Action::stop, &Decision::action) == 2);
        CHECK(twice.after.wasted_steps == 5 + 4);
    }

    TEST_CASE("each response is billed its own request, where its figures stand on each of its records") {
        // Claude Code: every record of a response repeats its figures, and the earlier ones are of the stream.
        const auto record = [](int n, const std::string& id, int output, const std::string& block) {
            return R"({"type":"assistant","isSidechain":false,"sessionId":"s","version":"2.1.37","uuid":"u)" +
                   std::to_string(n) + R"(","timestamp":"2026-04-02T09:14:0)" + std::to_string(n) +
                   R"(.000Z","message":{"model":"claude-sonnet-4-5","id":")" + id +
                   R"(","type":"message","role":"assistant","content":[)" + block + R"(],"usage":{"input_tokens":)" +
                   std::to_string(100 * n) + R"(,"output_tokens":)" + std::to_string(output) + "}}}\n";
        };
        const auto call = [](const std::string& id) {
            return R"({"type":"tool_use","id":"t)" + id + R"(","name":"Read","input":{"file_path":"f)" + id + R"("}})";
        };
        const auto result = [](const std::string& id) {
            return R"({"type":"user","isSidechain":false,"sessionId":"s","version":"2.1.37","uuid":"r)" + id +
                   R"(","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t)" + id +
                   R"(","content":"text )" + id + "\"}]}}\n";
        };
        const std::string human =
            R"({"type":"user","isSidechain":false,"sessionId":"s","version":"2.1.37","uuid":"h","message":{"role":"user","content":"read them"}})"
            "\n";
        const std::string text = R"({"type":"text","text":"one moment"})";
        const Folder folder;
        const std::string path = folder.write(
            "s.jsonl", human + record(1, "msg_1", 1, text) + record(1, "msg_1", 9, call("1")) + result("1") +
                           record(2, "msg_2", 9, call("2")) + result("2") + record(3, "msg_3", 2, text) +
                           record(3, "msg_3", 7, call("3")) + result("3") + record(4, "msg_4", 5, text));
        CHECK(billed(path) == std::vector<std::uint64_t>{109, 209, 307, 405});
    }

    TEST_CASE("each response is billed its own request, where its figures come with it") {
        const auto line = [](int n, const std::string& content, int input) {
            return R"({"type":"message","id":"a)" + std::to_string(n) +
                   R"(","parentId":null,"timestamp":"2026-04-24T20:34:0)" + std::to_string(n) +
                   R"(.000Z","message":{"role":"assistant","content":[)" + content +
                   R"(],"api":"anthropic-messages","provider":"anthropic","model":"m","usage":{"input":)" +
                   std::to_string(input) + R"(,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":)" +
                   std::to_string(input + 1) + "}}}\n";
        };
        const auto call = [](const std::string& id) {
            return R"({"type":"toolCall","id":"c)" + id + R"(","name":"read","arguments":{"path":"f)" + id + "\"}}";
        };
        const auto result = [](const std::string& id) {
            return R"({"type":"message","id":"r)" + id +
                   R"(","parentId":null,"timestamp":"2026-04-24T20:34:09.000Z","message":{"role":"toolResult","toolCallId":"c)" +
                   id + R"(","toolName":"read","content":[{"type":"text","text":"x)" + id +
                   R"("}],"isError":false}})"
                   "\n";
        };
        const std::string head =
            R"({"type":"session","version":3,"id":"5d0c4a7e-2f61-4b8e-9a33-8c1f0be27d10","timestamp":"2026-04-24T20:34:00.000Z","cwd":"/home/kim"})"
            "\n"
            R"({"type":"message","id":"u","parentId":null,"timestamp":"2026-04-24T20:34:00.000Z","message":{"role":"user","content":"read them"}})"
            "\n";
        const Folder folder;
        const std::string path =
            folder.write("s.jsonl", head + line(1, call("1"), 99) + result("1") + line(2, call("2"), 199) +
                                        result("2") + line(3, R"({"type":"text","text":"done"})", 299));
        CHECK(billed(path) == std::vector<std::uint64_t>{100, 200, 300});
    }

    TEST_CASE(
        "each response is billed its own request, where figures stand behind its results or before its first word") {
        const auto figures = [](int total) {
            return R"({"timestamp":"2026-01-01T00:00:00.000Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":)" +
                   std::to_string(total) +
                   R"(,"cached_input_tokens":0,"output_tokens":0,"reasoning_output_tokens":0,"total_tokens":)" +
                   std::to_string(total) + "}}}}\n";
        };
        const auto item = [](const std::string& payload) {
            return R"({"timestamp":"2026-01-01T00:00:00.000Z","type":"response_item","payload":)" + payload + "}\n";
        };
        const auto call = [&](const std::string& id) {
            return item(R"({"type":"function_call","name":"shell","arguments":"{\"command\":[\"cat\",\"f)" + id +
                        R"(\"]}","call_id":"c)" + id + "\"}");
        };
        const auto result = [&](const std::string& id) {
            return item(R"({"type":"function_call_output","call_id":"c)" + id + R"(","output":"x)" + id + "\"}");
        };
        const std::string head =
            R"({"timestamp":"2026-01-01T00:00:00.000Z","type":"session_meta","payload":{"id":"5d0c4a7e-2f61-4b8e-9a33-8c1f0be27d10","cwd":"/home/kim","cli_version":"0.40.0"}})"
            "\n" +
            item(R"({"type":"message","role":"user","content":[{"type":"input_text","text":"read them"}]})");
        const std::string last =
            item(R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]})");
        const Folder folder;
        const std::vector<std::uint64_t> wanted{100, 200, 300};
        CHECK(billed(folder.write("behind.jsonl", head + call("1") + result("1") + figures(100) + call("2") +
                                                      result("2") + figures(300) + last + figures(600))) == wanted);
        CHECK(billed(folder.write("before.jsonl", head + figures(100) + call("1") + result("1") + figures(300) +
                                                      call("2") + result("2") + figures(600) + last)) == wanted);
    }

    TEST_CASE("what a stop saves is every request after it, the one that showed the stop included") {
        PolicyReplayPlan plan;
        plan.inputs = {(project() / "testdata/demo/stuck-session.jsonl").string()};
        plan.policies = {bound("strict")};
        const auto replay = replay_policies(plan);
        REQUIRE(replay);
        const SupervisedRun& out = replay->sessions.at(0).runs.at(0);
        REQUIRE(out.cut);
        CHECK(out.decisions[*out.cut].line == 35);
        CHECK(out.after.tokens == 15'649 + 15'805 + 15'941 + 16'095 + 16'231 + 16'367);
        CHECK(out.after.wasted_tokens == out.after.tokens);  // the last words are about five calls that led nowhere
        CHECK(out.after.wall_ms == 32'980);
    }

    TEST_CASE("a stop before real progress counts against the policy") {
        Events events = stuck(6);
        for (int i = 0; i < 30; ++i) events.call("Edit", "g" + std::to_string(i), "done " + std::to_string(i));
        const SupervisedRun out = run(bound("strict"), events);
        REQUIRE(out.cut);
        CHECK(out.verdicts[*out.cut] == DecisionVerdict::wrong);
    }

    TEST_CASE("a run that found its own way out does not fail by unrecovered errors") {
        Events events = stuck(8);
        for (int i = 0; i < 10; ++i) events.call("Edit", "g" + std::to_string(i), "done " + std::to_string(i));
        CHECK_FALSE(run(bound("strict"), events).failed);
        CHECK(run(bound("strict"), stuck(8)).failed);
        CHECK(run(written("extends = \"strict\"\nfail-on = \"error\"\n"), events).failed);
        CHECK_FALSE(run(written("extends = \"strict\"\nfail-on = \"never\"\n"), stuck(8)).failed);
    }

    TEST_CASE("a host that says when a response is over gets the same decisions, and sooner") {
        const Events events = stuck(9);
        const auto policy = bound("strict");
        Replayer live(policy);
        std::vector<std::string> told;
        std::uint64_t known = 0;
        for (const Event& event : events.all()) {
            for (const Decision& d : live.on_event(event)) told.push_back(line_of(d));
            if (!std::holds_alternative<ToolResult>(event.body)) continue;
            for (const Decision& d : live.before_request()) {
                told.push_back(line_of(d));
                CHECK(d.known_line == d.line);
                ++known;
            }
        }
        CHECK(known == 2);
        std::vector<std::string> replayed;
        for (const Decision& d : run(policy, events).decisions) replayed.push_back(line_of(d));
        CHECK(told == replayed);
        CHECK(live.stopped());
    }

    TEST_CASE("finishing decides nothing: a run that ends with its fifth repeat is judged by its verdict") {
        Events events;
        events.human("go on");
        for (int i = 0; i < 3; ++i) events.call("Bash", "make test", "2 tests failed");
        const SupervisedRun out = run(bound("strict"), events);
        CHECK(out.decisions.empty());
        CHECK(out.failed);
    }

    TEST_CASE("a person who speaks puts the ladder back to its foot") {
        Events events;
        events.human("make it work");
        for (int round = 0; round < 3; ++round) {
            for (int i = 0; i < 4; ++i) events.call("Bash", "make test", "2 tests failed");
            events.human("try that again");
        }
        const SupervisedRun out =
            run(written("ladder = [\"notify\", \"stop\"]\npatience = \"strict\"\n[escalation]\npersist = 2\n"), events);
        CHECK(actions(out) == std::vector{Action::notify, Action::notify, Action::notify});
    }

    TEST_CASE("retries wait, longer each time, unless the recording shows that the agent waited") {
        const auto policy = written("[back-off]\nretries = 3\nbase-ms = 2000\njitter = 0.0\n");
        Events hasty;
        hasty.human("fetch it");
        for (int i = 0; i < 4; ++i) hasty.at(100 + i).fails("Fetch", "http://x", "HTTP 503 Service Unavailable");
        const SupervisedRun told = run(policy, hasty);
        REQUIRE(told.decisions.size() == 3);
        CHECK(told.decisions[0].action == Action::back_off);
        CHECK(told.decisions[0].delay_ms == 1000);
        CHECK(told.decisions[1].delay_ms == 3000);
        Events patient;
        patient.human("fetch it");
        for (int i = 0; i < 4; ++i) patient.at(100 + i * 60).fails("Fetch", "http://x", "HTTP 503 Service Unavailable");
        const SupervisedRun waited = run(policy, patient);
        CHECK(waited.decisions.empty());
        CHECK(waited.waited == 3);
    }

    TEST_CASE("who refuses may ask for a longer wait, which counts beyond the cap, and for each call by itself") {
        const auto policy = written("[back-off]\nretries = 3\nbase-ms = 2000\ncap-ms = 5000\njitter = 0.0\n");
        Events hasty;
        hasty.human("fetch it");
        for (int i = 0; i < 2; ++i)
            hasty.at(100 + 10 * i).fails("Fetch", "http://x", "HTTP 429 Too Many Requests\nRetry-After: 30");
        for (int i = 0; i < 2; ++i) hasty.at(200 + 10 * i).fails("Fetch", "http://y", "HTTP 429 Too Many Requests");
        const SupervisedRun told = run(policy, hasty);
        REQUIRE(told.decisions.size() == 1);
        CHECK(told.decisions[0].action == Action::back_off);
        CHECK(told.decisions[0].delay_ms == 20'000);
        CHECK(told.decisions[0].reason.find("the answer asks for 30.0 s") != std::string::npos);
        CHECK(told.waited == 1);
    }

    TEST_CASE("a call that used up its retries is told to take another way, once") {
        Events events;
        events.human("fetch it");
        for (int i = 0; i < 7; ++i) events.at(100 + i * 600).fails("Fetch", "http://x", "HTTP 503 Service Unavailable");
        const SupervisedRun out = run(written("[back-off]\nretries = 3\n"), events);
        REQUIRE(out.decisions.size() == 1);
        CHECK(out.decisions[0].action == Action::explore);
        CHECK(out.decisions[0].trigger == Trigger::retries);
    }

    TEST_CASE("recorded clocks that run backwards neither hide a wait nor close a breaker") {
        Events events;
        events.human("fetch it");
        std::int64_t time = 10'000;
        for (int i = 0; i < 9; ++i)
            events.at(time -= 100)
                .fails("Fetch", "page " + std::to_string(i), "error: no such page " + std::to_string(i));
        const SupervisedRun out = run(written("[breaker]\nfailures = 3\nopen-ms = 30000\n"), events);
        REQUIRE(out.breakers.size() == 1);
        CHECK(out.breakers[0].opened == 1);
        CHECK(out.breakers[0].refused == 6);
    }

    TEST_CASE("a breaker without recorded times goes by calls") {
        Events events;
        events.human("fetch it");
        for (int i = 0; i < 9; ++i)
            events.fails("Fetch", "page " + std::to_string(i), "error: no such page " + std::to_string(i));
        const SupervisedRun out = run(written("[breaker]\nfailures = 3\nopen-ms = 3000\nstep-ms = 1000\n"), events);
        REQUIRE(out.breakers.size() == 1);
        CHECK(out.breakers[0].opened > 1);
    }

    TEST_CASE("a tool whose repetition is allowed leads to nothing, one with a substitute is replaced") {
        CHECK(run(written("extends = \"strict\"\n[per-tool.Bash]\npatterns = false\n"), stuck(12)).decisions.empty());
        const SupervisedRun out = run(written("extends = \"strict\"\nladder = [\"substitute-tool\", "
                                              "\"stop\"]\n[rung.substitute-tool]\non = \"warning\"\n"
                                              "[per-tool.Bash]\nsubstitute = \"Grep\"\n"),
                                      stuck(12));
        REQUIRE_FALSE(out.decisions.empty());
        CHECK(out.decisions[0].substitute == "Grep");
    }

    TEST_CASE("thresholds of one tool hold for that tool only") {
        const auto policy = written(
            "extends = \"strict\"\nselect = [\"loop/exact-repeat\"]\n[rules.\"loop/exact-repeat\".per-tool.Bash]\nwarn "
            "= 9\nfail = 9\n");
        const SupervisedRun bash = run(policy, stuck(20));
        REQUIRE_FALSE(bash.decisions.empty());
        CHECK(bash.decisions[0].response > 9);
        Events other;
        other.human("look");
        for (int i = 0; i < 12; ++i) other.call("Read", "a.ts", "export const a = 1");
        const SupervisedRun read = run(policy, other);
        REQUIRE_FALSE(read.decisions.empty());
        CHECK(read.decisions[0].response < 6);
        // Neither does the run fail by what is within them.
        const auto patient = written(
            "select = [\"loop/exact-repeat\"]\n[rules.\"loop/exact-repeat\".per-tool.Bash]\nwarn = 30\nfail = 40\n");
        CHECK_FALSE(run(patient, stuck(20)).failed);
        CHECK(run(patient, other).failed);
        CHECK(run(patient, stuck(45)).failed);
    }

    TEST_CASE("limits end a run, and are told before") {
        Events events;
        events.human("go");
        for (int i = 0; i < 30; ++i) events.call("Read", "f" + std::to_string(i), "text " + std::to_string(i));
        const SupervisedRun out = run(written("[limits]\ncalls = 10\nwarn-at = 0.8\n"), events);
        REQUIRE(out.decisions.size() == 2);
        CHECK(out.decisions[0].action == Action::notify);
        CHECK(out.decisions[1].action == Action::stop);
        CHECK(out.decisions[1].step == 10);
        CHECK(out.verdicts[1] == DecisionVerdict::wrong);
    }

    TEST_CASE("a run fails by a sub-agent's stop, and it is not said that the run ended") {
        const auto policy = written("extends = \"strict\"\nfail-on = \"stop\"\n");
        Events events;
        events.human("make the tests pass").call("Read", "a.ts", "text").in_lane(1).human("run them");
        for (int i = 0; i < 8; ++i) events.call("Bash", "make test", "2 tests failed");
        events.in_lane(0).says("done");
        const SupervisedRun out = run(policy, events);
        CHECK(out.failed);
        CHECK(out.failed_because == "the policy ends a sub-agent's conversation");
        CHECK(run(policy, stuck(8)).failed_because == "the policy ends the run");
    }

    TEST_CASE("a limit that a sub-agent reaches ends the run, and not the sub-agent only") {
        Events events;
        events.human("go");
        events.call("Read", "a.ts", "text").in_lane(1).human("look around");
        for (int i = 0; i < 6; ++i) events.call("Read", "f" + std::to_string(i), "text " + std::to_string(i));
        events.in_lane(0);
        for (int i = 0; i < 6; ++i) events.call("Read", "g" + std::to_string(i), "words " + std::to_string(i));
        Replayer replayer(written("[limits]\ncalls = 5\n"));
        for (const Event& event : events.all()) (void)replayer.on_event(event);
        CHECK(replayer.stopped());
        const SupervisedRun out = replayer.finish();
        REQUIRE(out.decisions.size() == 1);
        CHECK(out.decisions[0].action == Action::stop);
        CHECK(out.decisions[0].lane == 1);
        CHECK(out.cut == 0);
        CHECK(out.after.steps >= 7);  // two of the sub-agent, and what the main conversation did then
    }

    TEST_CASE("a breaker that the ladder opened is tried again, and a failure opens it again") {
        Events events;
        events.human("go");
        for (int i = 0; i < 9; ++i) events.at(100 + 2 * i).fails("Bash", "make", "error: no rule");
        const SupervisedRun out = run(written("extends = \"strict\"\nladder = [\"open-breaker\"]\n[rung.open-breaker]\n"
                                              "on = \"warning\"\n[breaker]\nfailures = 0\nopen-ms = 1000\n"),
                                      events);
        REQUIRE(out.breakers.size() == 1);
        CHECK(std::ranges::any_of(out.decisions, [](const Decision& d) {
            return d.reason.find("failed again after it had been refused") != std::string::npos;
        }));
    }

    TEST_CASE("what an open breaker refuses makes no more of it: the ladder waits until calls are let through") {
        const auto run_of = [](std::string_view open_ms, int calls = 7) {
            Events events;
            events.human("deploy it");
            for (int i = 0; i < calls; ++i) events.at(100 + 5 * i).fails("deploy", "{}", "no such cluster");
            events.at(100 + 5 * calls).says("I give up");
            return run(
                written("extends = \"strict\"\n[breaker]\nfailures = 3\nopen-ms = " + std::string(open_ms) + "\n"),
                events);
        };
        // Refused to the end: one word, and no stop behind it.
        const SupervisedRun refused = run_of("600000");
        REQUIRE(refused.decisions.size() >= 1);
        CHECK(refused.decisions.back().line <= refused.decisions.front().line + 1);
        CHECK(std::ranges::none_of(refused.decisions, [](const Decision& d) { return d.action == Action::stop; }));
        // Who asks on and on for what is refused is stuck as well.
        CHECK(run_of("600000", 40).decisions.back().action == Action::stop);
        // Let through now and then, and no better: the ladder is climbed with those calls.
        const SupervisedRun tried = run_of("12000", 12);
        REQUIRE_FALSE(tried.decisions.empty());
        CHECK(tried.decisions.back().action == Action::stop);
    }

    TEST_CASE("a check that finds something new is no failure of the tool that ran it") {
        const auto reds = [](bool same) {
            Events events;
            events.human("make the tests pass");
            for (int i = 0; i < 8; ++i) {
                if (!same) events.call("Edit", "f" + std::to_string(i), "done " + std::to_string(i));
                events.fails("run_tests", "all", same ? "cannot start" : "expected " + std::string(i + 1u, 'x'));
            }
            return events;
        };
        const auto opened = [&](const std::string& policy, bool same) {
            return run(written("react-to-rules = false\n" + policy), reds(same)).breakers.size();
        };
        CHECK(opened("[breaker]\nfailures = 3\n", false) == 0);
        CHECK(opened("[breaker]\nfailures = 3\n", true) == 1);
        CHECK(opened("[per-tool.run_tests]\nbreaker-failures = 3\n", false) == 1);
    }

    TEST_CASE("a share of a limit is reached with the call that makes it") {
        Events events;
        events.human("go");
        for (int i = 0; i < 70; ++i) events.call("Read", "f" + std::to_string(i), "text " + std::to_string(i));
        const SupervisedRun out =
            run(written("react-to-rules = false\n[limits]\ncalls = 100\nwarn-at = 0.55\n"), events);
        REQUIRE(out.decisions.size() == 1);
        CHECK(out.decisions[0].step == 55);
        CHECK(out.decisions[0].reason == "the run used 55 % of its 100 calls");
    }

    TEST_CASE("a breaker counts no guesses where a thing may be, and does count one that is made again") {
        const auto opened = [](bool again, bool acts) {
            Events events;
            events.human("go");
            for (int i = 0; i < 6; ++i)
                events.fails(acts ? "delete_page" : "fetch", "https://mill.example/" + std::to_string(again ? 0 : i),
                             "Error: page not found");
            events.says("I give up");
            return run(written("[breaker]\nfailures = 5\n"), events).breakers.size();
        };
        CHECK(opened(false, false) == 0);
        CHECK(opened(true, false) == 1);
        CHECK(opened(false, true) == 1);
    }

    TEST_CASE("a breaker for one tool needs none for the others") {
        Events events;
        events.human("go");
        for (int i = 0; i < 4; ++i) events.fails("Bash", "make " + std::to_string(i), "error " + std::to_string(i));
        for (int i = 0; i < 4; ++i) events.fails("Read", "f" + std::to_string(i), "no such file");
        events.says("I give up");
        const SupervisedRun out = run(written("[per-tool.Bash]\nbreaker-failures = 2\n"), events);
        REQUIRE(out.decisions.size() == 1);
        CHECK(out.decisions[0].action == Action::open_breaker);
        CHECK(out.decisions[0].tool == "Bash");
        CHECK(out.decisions[0].step == 2);
        REQUIRE(out.breakers.size() == 1);
        CHECK(out.breakers[0].refused == 2);
    }

    TEST_CASE("a breaker that a single failure opens again does not say that there were several") {
        Events events;
        events.human("go");
        for (int i = 0; i < 5; ++i) events.fails("Bash", "./deploy " + std::to_string(i), "error " + std::to_string(i));
        events.says("I give up");
        const SupervisedRun out = run(written("[breaker]\nfailures = 2\nopen-ms = 2000\n"), events);
        REQUIRE(out.decisions.size() == 2);
        CHECK(out.decisions[0].reason == "Bash failed 2 times in a row");
        CHECK(out.decisions[1].reason == "Bash failed again after it had been refused");
        CHECK(out.decisions[1].message.find("in a row") == std::string::npos);
    }

    TEST_CASE("drift-guard begins a fresh context when nothing new is tried") {
        Events events;
        events.human("go");
        for (int i = 0; i < 8; ++i) events.call("Bash", "make", "out " + std::to_string(i));
        const SupervisedRun out = run(bound("drift-guard"), events);
        const auto stagnant = std::ranges::count(out.decisions, Trigger::stagnation, &Decision::trigger);
        CHECK(stagnant == 1);
    }

    TEST_CASE("nothing new for one prompt and nothing new for the next are said once each") {
        Events events;
        for (const std::string prompt : {"go", "no, go on"}) {
            events.human(prompt);
            for (int i = 0; i < 8; ++i) events.call("Bash", "make", prompt + " out " + std::to_string(i));
        }
        const SupervisedRun out = run(bound("drift-guard"), events);
        CHECK(std::ranges::count(out.decisions, Trigger::stagnation, &Decision::trigger) == 2);
    }

    TEST_CASE("reflection shows the goal and as much of the past as its level allows") {
        Events events;
        events.human("make the tests pass");
        events.call("Read", "a.ts", "text").fails("Bash", "make test", "error: 2 tests failed");
        events.says("hmm");
        const SupervisedRun out = run(bound("reflective"), events);
        REQUIRE_FALSE(out.decisions.empty());
        const Decision& d = out.decisions[0];
        CHECK(d.action == Action::reflect);
        CHECK(d.reflection == policy::ReflectionLevel::critical);
        CHECK(d.message.find("make the tests pass") != std::string::npos);
        CHECK(d.message.find("Bash") != std::string::npos);
    }

    TEST_CASE("reflection names the goal that holds then: what a person asked for last") {
        Events events;
        events.human("write the changelog of the release");
        events.call("Read", "a.md", "text");
        events.human("Now forget the changelog. Make the parser test pass");
        events.call("Read", "a.ts", "text");
        events.human("go on");
        for (int i = 0; i < 6; ++i) events.call("Bash", "make test", "2 tests failed");
        events.human("and write the page about it");
        const SupervisedRun out = run(bound("strict"), events);
        REQUIRE_FALSE(out.decisions.empty());
        REQUIRE(out.decisions[0].action == Action::reflect);
        CHECK(out.decisions[0].message.find("Make the parser test pass") != std::string::npos);
        CHECK(out.decisions[0].message.find("changelog of the release") == std::string::npos);
        CHECK(out.decisions[0].message.find("the page about it") == std::string::npos);
    }

    TEST_CASE("memory is bounded: decisions beyond the limit are counted and not kept") {
        Events events;
        events.human("go");
        for (int i = 0; i < 2500; ++i) events.fails("Bash", "try " + std::to_string(i), "error " + std::to_string(i));
        const SupervisedRun out = run(bound("reflective"), events);
        CHECK(out.decisions.size() <= 2000);
        CHECK(out.not_kept > 0);
    }

    TEST_CASE("a recording cut behind any line gives the first decisions of the whole one") {
        Policies all;
        for (const policy::BuiltIn& one : policy::built_in_policies()) all.push_back(bound(std::string(one.name)));
        Compared compared;
        check_prefixes(project() / "testdata/demo/stuck-session.jsonl", all, agent_audit::test::rounds(40), compared);
        for (const fs::path& file : some_of(recordings(project() / "testdata/scenarios")))
            check_prefixes(file, all, agent_audit::test::rounds(5), compared);
        CHECK(compared.decisions > (agent_audit::test::is_sanitized() ? 40 : 1000));
    }

    TEST_CASE("a cut real recording gives the first decisions of the whole one") {
        const fs::path corpus = project() / "../shared/corpus";
        if (!fs::exists(corpus)) {
            MESSAGE("skipped: ../shared/corpus is not there");
            return;
        }
        const Policies policies{bound("strict"), bound("balanced"), bound("reflective"), bound("escape"),
                                bound("drift-guard")};
        Compared compared;
        for (const fs::path& file : some_of(linewise_files(corpus))) {
            // Long ones at fewer places: the whole corpus in reasonable time.
            check_prefixes(file, policies, agent_audit::test::rounds(fs::file_size(file) < 400'000 ? 8 : 2), compared);
        }
        MESSAGE(std::to_string(compared.files)
                << " recordings, " << compared.cuts << " cuts, " << compared.decisions << " decisions compared");
        CHECK(compared.cuts > (agent_audit::test::is_sanitized() ? 10 : 100));
    }

    TEST_CASE("the outcome does not depend on the number of threads") {
        std::vector<std::string> one;
        for (const unsigned jobs : {1u, 2u, 7u}) {
            PolicyReplayPlan plan;
            plan.inputs = {(project() / "testdata/scenarios").string()};
            plan.policies = {bound("strict"), bound("reflective")};
            plan.jobs = jobs;
            const auto replay = replay_policies(plan);
            REQUIRE(replay);
            std::vector<std::string> all;
            for (const ReplayedSession& session : replay->sessions) {
                for (const SupervisedRun& r : session.runs) {
                    for (const Decision& d : r.decisions)
                        all.push_back(std::to_string(session.input) + r.policy + line_of(d) + d.message);
                }
            }
            CHECK_FALSE(all.empty());
            if (one.empty()) one = all;
            CHECK(all == one);
        }
    }
}
