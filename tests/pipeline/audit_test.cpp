#include "pipeline/audit/session_audit.hpp"
#include "pipeline/files.hpp"

#include <agent_audit/readers/input.hpp>

#include <sys/stat.h>

#include <cmath>
#include <regex>
#include <thread>

using namespace agent_audit;
using namespace agent_audit::test;

namespace {

fs::path detector_data(const std::string& name) { return project() / "testdata/detectors" / name; }
const std::string& stuck() {
    static const std::string path = detector_data("loop-exact-repeat/fires.jsonl").string();
    return path;
}
// A person's request and `calls` equal calls with equal answers, so often; each round is a finding of its own.
std::string rounds_of_calls(int rounds, int calls) {
    std::string text;
    int id = 0;
    for (int round = 0; round < rounds; ++round) {
        text += R"({"role":"user","content":"round )" + std::to_string(round) + "\"}\n";
        for (int i = 0; i < calls; ++i) {
            const std::string call = std::to_string(++id);
            text += R"({"role":"assistant","content":null,"tool_calls":[{"id":"c)" + call +
                    R"(","type":"function","function":{"name":"bash","arguments":"{\"command\":\"make check\"}"}}]})" +
                    "\n";
            text += R"({"role":"tool","tool_call_id":"c)" + call + R"(","content":"1 test failed"})" + "\n";
        }
    }
    return text;
}

// A person's request at GitHub Copilot CLI and `calls` equal calls that fail the same way, each in another shell.
std::string calls_in_shells(int calls) {
    std::string text =
        R"({"type":"session.start","data":{"sessionId":"c","copilotVersion":"1.0.64"},"id":"a","timestamp":"2026-03-02T09:00:00.000Z","parentId":null}
{"type":"user.message","data":{"content":"make it build"},"id":"b","timestamp":"2026-03-02T09:00:01.000Z","parentId":"a"}
)";
    for (int i = 0; i < calls; ++i) {
        const std::string id = std::to_string(i);
        text += R"({"type":"assistant.message","data":{"messageId":"m)" + id +
                R"(","content":"","toolRequests":[{"toolCallId":"c)" + id +
                R"(","name":"bash","arguments":{"command":"make all"}}]},"id":"d)" + id +
                R"(","timestamp":"2026-03-02T09:01:00.000Z","parentId":"b"})" + "\n";
        text += R"({"type":"tool.execution_complete","data":{"toolCallId":"c)" + id +
                R"(","success":true,"result":{"content":"mill.c:4: no such gear\n<shellId: )" + std::to_string(40 + i) +
                R"( completed with exit code 2>"}},"id":"e)" + id +
                R"(","timestamp":"2026-03-02T09:01:01.000Z","parentId":"b"})" + "\n";
    }
    return text;
}

std::string minimal() { return content(project() / "testdata/readers/claude-code/minimal.jsonl"); }

std::string problem(const AuditPlan& plan) {
    const auto report = audit(plan);
    REQUIRE_FALSE(report.has_value());
    return report.error().message;
}

bool mentions(const std::string& text, std::string_view word) { return text.find(word) != text.npos; }

}  // namespace

TEST_SUITE("pipeline") {
    TEST_CASE("a finding of a document knows the lines of the file between which its records stand") {
        std::string calls = rounds_of_calls(1, 8);
        std::string document = "{\n  \"messages\": [\n";
        std::uint64_t records = 0;
        for (std::size_t at = 0, end = 0; (end = calls.find('\n', at)) != calls.npos; at = end + 1, ++records)
            document += (records == 0 ? "\n\n" : ",\n\n") + calls.substr(at, end - at);
        document += "\n  ]\n}\n";
        const Folder folder;
        const auto line_of = [](std::uint64_t record) { return 5 + 2 * (record - 1); };
        const Report report = report_of({folder.write("run.json", document)});
        REQUIRE(report.inputs.size() == 1);
        CHECK(report.inputs[0].counts_records);
        CHECK(report.sessions[0].counts_records);
        REQUIRE(findings_of(report, "loop/exact-repeat") == 1);
        const Finding& f = report.findings[0];
        CHECK(f.first_line == 2);
        REQUIRE(f.file_lines);
        CHECK(f.file_lines->first == line_of(f.first_line));
        CHECK(f.file_lines->last == line_of(f.last_line));
        CHECK(mentions(f.message, "records 2-" + std::to_string(f.last_line)));
        CHECK_FALSE(mentions(f.message, "lines "));

        for (const std::string before : {"\xef\xbb\xbf", " ", "\n\n", "\xef\xbb\xbf\n"}) {
            const Report marked = report_of({folder.write("marked.json", before + document)});
            REQUIRE(findings_of(marked, "loop/exact-repeat") == 1);
            const Finding& same = marked.findings[0];
            CHECK(same.message == f.message);
            CHECK(same.first_line == f.first_line);
            CHECK(same.first_offset == f.first_offset + before.size());
            const auto lines = static_cast<std::uint64_t>(std::ranges::count(before, '\n'));
            REQUIRE(same.file_lines);
            CHECK(same.file_lines->first == f.file_lines->first + lines);
            CHECK(same.file_lines->last == f.file_lines->last + lines);
        }

        const Report array = report_of({folder.write(
            "array.json", document.substr(document.find('[')).substr(0, document.rfind('}') - document.find('[')))});
        REQUIRE(findings_of(array, "loop/exact-repeat") == 1);
        REQUIRE(array.findings[0].file_lines);
        CHECK(array.findings[0].file_lines->first == line_of(2) - 1);
        CHECK(array.findings[0].file_lines->last == line_of(array.findings[0].last_line) - 1);

        const Report log = report_of({folder.write("run.jsonl", calls)});
        CHECK_FALSE(log.inputs[0].counts_records);
        CHECK_FALSE(log.sessions[0].counts_records);
        REQUIRE(findings_of(log, "loop/exact-repeat") == 1);
        CHECK_FALSE(log.findings[0].file_lines);
        CHECK(mentions(log.findings[0].message, "lines 2-"));
    }

    TEST_CASE("equal commands that fail in another shell each time are a repetition, and failures") {
        const Folder folder;
        const Report report = report_of({folder.write("events.jsonl", calls_in_shells(8))});
        CHECK(findings_of(report, "loop/exact-repeat") == 1);
        REQUIRE(report.sessions.size() == 1);
        CHECK(report.sessions[0].counts.errors == 8);
        CHECK(findings_of(report_of({folder.write("two.jsonl", calls_in_shells(2))}), "loop/exact-repeat") == 0);
    }

    TEST_CASE("the report is the same for one, two and eight jobs, and whatever the order of inputs") {
        AuditPlan plan;
        plan.inputs = {(project() / "testdata/readers").string(), (project() / "testdata/detectors").string(),
                       (project() / "testdata/demo").string()};
        plan.jobs = 1;
        const Report report = report_of(plan);
        CHECK(report.inputs.size() > 30);
        CHECK(report.findings.size() > 5);
        const std::string first = json_of(report);
        for (const unsigned jobs : {2u, 8u, 0u}) {
            CAPTURE(jobs);
            plan.jobs = jobs;
            CHECK(json_of(report_of(plan)) == first);
        }
        std::ranges::reverse(plan.inputs);
        CHECK(json_of(report_of(plan)) == first);
    }

    TEST_CASE("a writer that pauses at any place changes nothing") {
        Folder folder;
        const std::string text = content(stuck());
        Report whole = report_of({stuck()});
        whole.inputs[0].path = "x";
        const std::string fifo = folder / "pipe";
        REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
        for (std::size_t cut = 1; cut < text.size(); cut += text.size() / 7) {
            std::thread writer([&] {
                std::ofstream out(fifo, std::ios::binary);
                out << text.substr(0, cut) << std::flush;
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
                out << text.substr(cut);
            });
            Report parts = report_of({fifo});
            writer.join();
            parts.inputs.at(0).path = "x";
            CAPTURE(cut);
            CHECK(json_of(parts) == json_of(whole));
        }
    }

    TEST_CASE("a figure out of its range is an error, and not a scan that finds nothing") {
        AuditPlan plan;
        plan.inputs = {stuck()};
        for (const double confidence : {7.0, -0.1, std::nan("")}) {
            plan.min_confidence = confidence;
            CHECK(problem(plan).starts_with("min_confidence = "));
        }
        plan.min_confidence = 1;
        plan.max_line_bytes = 0;
        CHECK(problem(plan) == "max_line_bytes = 0: no record would be read");
    }

    TEST_CASE("an unknown rule, parameter or format is an error with the nearest name") {
        AuditPlan plan;
        plan.inputs = {stuck()};
        plan.select = {"loop/exact-repaet"};
        CHECK(problem(plan) == "unknown rule 'loop/exact-repaet'; did you mean 'loop/exact-repeat'?");
        plan.select = {};
        plan.ignore = {"zzzzzz"};
        CHECK(problem(plan) == "unknown rule 'zzzzzz'");
        plan.ignore = {};
        plan.settings.set("loop/cycle.poll-wran", {"3", "flag --set"});
        CHECK(mentions(problem(plan), "poll-wran"));
        CHECK(mentions(problem(plan), "'poll-warn'"));
        CHECK(problem(plan).starts_with("flag --set: "));
        plan.settings = {};
        plan.settings.set("loop/cylce.warn", {"3", "flag --set"});
        CHECK(mentions(problem(plan), "did you mean 'loop/cycle'?"));
        plan.settings = {};
        for (const char* group : {"loop", "loop/", "all"}) {
            plan.settings = {};
            plan.settings.set(std::string(group) + ".warn", {"3", "flag --set"});
            CHECK(mentions(problem(plan), "' is a group, not a rule"));
        }
        plan.settings = {};
        plan.settings.set("loop/cycle.warn", {"many", "flag --set"});
        CHECK(mentions(problem(plan), "\"many\""));
        plan.settings = {};
        plan.input_format = "claude-cod";
        CHECK(mentions(problem(plan), "did you mean 'claude-code'?"));
        plan.input_format = "qqqqqqqqqq";
        CHECK(mentions(problem(plan), "agent-audit formats"));
    }

    TEST_CASE("a bad parameter is an error even where its rule is off") {
        AuditPlan plan;
        plan.inputs = {stuck()};
        plan.select = {"loop/cycle"};
        plan.settings.set("loop/exact-repeat.warn", {"0", "flag --set"});
        CHECK(mentions(problem(plan), "loop/exact-repeat.warn"));
    }

    TEST_CASE("rules are selected by id, code, group or all, and ignored alike") {
        AuditPlan plan;
        plan.inputs = {stuck()};
        for (const char* selector : {"loop/exact-repeat", "AA101", "loop", "loop/", "all"}) {
            CAPTURE(std::string(selector));
            plan.ignore = {};
            plan.select = {selector};
            CHECK(findings_of(report_of(plan), "loop/exact-repeat") == 1);
            plan.select = {};
            if (selector == std::string("all")) continue;  // nothing would be left
            plan.ignore = {selector};
            CHECK(findings_of(report_of(plan), "loop/exact-repeat") == 0);
        }
        plan.ignore = {};
        plan.select = {"budget"};
        const Report report = report_of(plan);
        CHECK(report.findings.empty());
        REQUIRE(report.rules.size() == 1);
        CHECK(report.rules[0].id == "budget/limits");
    }

    TEST_CASE("findings below the wanted severity or confidence are left out") {
        AuditPlan plan;
        plan.inputs = {stuck()};
        plan.select = {"loop/exact-repeat"};
        plan.settings.set("loop/exact-repeat.fail", {"100", "test"});
        CHECK(report_of(plan).warnings == 1);
        plan.min_severity = Severity::error;
        CHECK(report_of(plan).findings.empty());
        plan.min_severity = Severity::info;
        plan.min_confidence = 0.99;
        CHECK(report_of(plan).findings.empty());
    }

    TEST_CASE("findings beyond the maximum of a rule are counted and noted, not shown") {
        AuditPlan plan;
        Folder folder;
        for (const char* name : {"a", "b", "c"})
            plan.inputs.push_back(folder.write(std::string(name) + ".jsonl", content(stuck())));
        plan.select = {"loop/exact-repeat"};
        plan.max_findings_per_rule = 2;
        const Report report = report_of(plan);
        CHECK(report.findings.size() == 2);
        CHECK(report.errors == 3);
        REQUIRE(report.rules.size() == 1);
        CHECK(report.rules[0].findings == 3);
        CHECK(report.rules[0].not_shown == 1);
        CHECK(std::ranges::any_of(report.notes, [](const Note& n) { return mentions(n.text, "1 more"); }));
    }

    TEST_CASE("of more findings than are shown the most severe are, and all of them count") {
        const Folder folder;
        AuditPlan plan;
        for (const char* name : {"a", "b", "c"})
            plan.inputs.push_back(folder.write(std::string(name) + ".jsonl", rounds_of_calls(1, 3)));
        plan.inputs.push_back(folder.write("d.jsonl", rounds_of_calls(1, 12)));
        plan.select = {"loop/exact-repeat"};
        const Report all = report_of(plan);
        REQUIRE(all.errors == 1);
        REQUIRE(all.warnings == 3);
        for (const std::uint64_t most : {1u, 2u, 3u}) {
            CAPTURE(most);
            plan.max_findings_per_rule = most;
            const Report report = report_of(plan);
            CHECK(report.errors == 1);
            CHECK(report.warnings == 3);
            REQUIRE(report.findings.size() == most);
            CHECK(report.findings.back().severity == Severity::error);
            CHECK(std::ranges::is_sorted(report.findings, {}, &Finding::session));
            CHECK(report.findings.front().session == (most == 1 ? 3u : 0u));
            CHECK(report.rules[0].not_shown == 4 - most);
            // What is not listed is counted where it was found.
            std::uint64_t warnings = 0, errors = 0;
            for (const SessionReport& session : report.sessions) {
                for (const NotShown& rule : session.not_shown) {
                    CHECK(rule.rule == "loop/exact-repeat");
                    warnings += rule.by_severity[1];
                    errors += rule.by_severity[2];
                }
            }
            CHECK(errors == 0);
            CHECK(warnings == 4 - most);
        }
        CHECK(
            std::ranges::all_of(all.sessions, [](const SessionReport& session) { return session.not_shown.empty(); }));
    }

    TEST_CASE("an empty file in a folder is a problem only where that was asked for") {
        Folder folder;
        const std::string one = folder.write("logs/a.jsonl", content(stuck()));
        folder.write("logs/empty.jsonl", "");
        AuditPlan plan;
        plan.inputs = {std::filesystem::path(one).parent_path().string()};
        CHECK(std::ranges::none_of(report_of(plan).inputs, [](const InputReport& in) { return in.error.has_value(); }));
        plan.empty_is_a_problem = true;
        const Report report = report_of(plan);
        CHECK(std::ranges::count_if(report.inputs, [](const InputReport& in) { return in.error.has_value(); }) == 1);
        CHECK(report.sessions.size() == 1);
    }

    TEST_CASE("of more findings than a conversation has room for the most severe are kept") {
        const Folder folder;
        AuditPlan plan;
        plan.inputs = {folder.write("many.jsonl", rounds_of_calls(1'003, 3) + rounds_of_calls(2, 12))};
        plan.select = {"loop/exact-repeat"};
        plan.max_findings_per_rule = 5'000;
        const Report report = report_of(plan);
        CHECK(report.findings.size() == 1'000);
        CHECK(report.errors == 2);
        CHECK(report.warnings == 998);
        CHECK(std::ranges::is_sorted(report.findings, {}, &Finding::first_line));
    }

    TEST_CASE("findings that a conversation has no room for are counted and noted, once a rule") {
        const Folder folder;
        AuditPlan plan;
        plan.inputs = {folder.write("many.jsonl", rounds_of_calls(1'003, 5))};
        plan.select = {"loop/exact-repeat"};
        plan.max_findings_per_rule = 10;
        const Report report = report_of(plan);
        REQUIRE(report.rules.size() == 1);
        CHECK(report.rules[0].findings == 1'000);
        std::vector<std::string> said;
        for (const Note& note : report.notes) said.push_back(note.text);
        CHECK(said ==
              std::vector<std::string>{
                  "loop/exact-repeat: 990 more findings not shown (--max-findings)",
                  "3 further findings of loop/exact-repeat are not listed: a conversation keeps 1000 of a rule"});
        for (const std::string_view format : {"text", "json", "ndjson", "sarif", "html"}) {
            CAPTURE(format);
            std::string out;
            find_renderer(format)->render(report, {}, [&out](std::string_view piece) { return out += piece, true; });
            CHECK(mentions(out, "3 further findings of loop/exact-repeat"));
        }
    }

    TEST_CASE("who raises a warn count above its fail count is told that errors go with it") {
        AuditPlan plan;
        plan.inputs = {stuck()};
        plan.select = {"loop/exact-repeat"};
        const auto told = [&] {
            std::string out;
            for (const Note& note : report_of(plan).notes) {
                if (note.severity == Severity::warning) out += note.text + "\n";
            }
            return out;
        };
        CHECK(told().empty());
        plan.settings.set("loop/exact-repeat.warn", {"20", "test"});
        CHECK(told() ==
              "loop/exact-repeat: warn = 20 is above fail = 5: below 20 it says nothing, not even an error; set fail "
              "too\n");
        plan.policy = Policy::strict;  // takes the warn count for the fail count
        CHECK(told().empty());
        plan.policy = Policy::balanced;
        plan.settings.set("loop/exact-repeat.fail", {"20", "test"});
        CHECK(told().empty());
        plan.settings.set("loop/exact-repeat.per-tool.Bash.warn", {"30", "test"});
        CHECK(told() ==
              "loop/exact-repeat: warn = 30 is above fail = 20 for Bash: below 30 it says nothing, not even an error; "
              "set fail too\n");
    }

    TEST_CASE("the policy says what it makes of a repetition that the agent got out of") {
        const auto severities = [](const char* scenario, Policy policy) {
            AuditPlan plan;
            plan.inputs = {(project() / "testdata/scenarios" / scenario).string()};
            plan.policy = policy;
            const Report report = report_of(plan);
            REQUIRE(std::ranges::any_of(report.findings, &Finding::recovered));
            return std::pair(report.errors > 0, report.warnings > 0);
        };
        // It cost more than ten steps.
        CHECK(severities("loop-key-order.jsonl", Policy::balanced) == std::pair(true, false));
        CHECK(severities("loop-key-order.jsonl", Policy::permissive) == std::pair(false, true));
        CHECK(severities("warn-browser-test-run-again.jsonl", Policy::balanced) == std::pair(false, true));
        CHECK(severities("warn-browser-test-run-again.jsonl", Policy::strict) == std::pair(true, false));
    }

    TEST_CASE("a rule whose counts contradict each other and that does not run is not talked about") {
        AuditPlan plan;
        plan.inputs = {stuck()};
        plan.select = {"loop/cycle"};
        plan.settings.set("loop/exact-repeat.warn", {"20", "test"});
        CHECK(report_of(plan).notes.empty());
        plan.settings.set("loop/cycle.min-repeats", {"9", "test"});  // moves both
        CHECK(report_of(plan).notes.empty());
    }

    TEST_CASE("limits that are set are part of the report, and none that are not or whose rule is off") {
        AuditPlan plan;
        plan.inputs = {stuck()};
        plan.settings.set("budget/limits.tokens", {"5000", "test"});
        plan.settings.set("budget/limits.max-cost", {"2.5", "test"});
        plan.settings.set("budget/limits.turns", {"0", "test"});
        CHECK(report_of(plan).limits == std::vector<RunLimit>{{"tokens", 5000}, {"max-cost", 2.5}});
        plan.ignore = {"budget/limits"};
        CHECK(report_of(plan).limits.empty());
    }

    TEST_CASE("files of a folder whose layout is known and not read are one note a layout") {
        Folder folder;
        folder.write("part/msg_1/prt_1.json", R"({"id":"prt_1","messageID":"msg_1"})");
        folder.write("message/ses_1/msg_1.json", R"({"id":"msg_1","sessionID":"ses_1"})");
        folder.write("other.json", R"({"alpha":1})");
        const Report report = report_of({folder.str()});
        CHECK(report.skipped_inputs == 3);
        REQUIRE(report.notes.size() == 1);
        CHECK(report.notes[0].text.starts_with("2 other files: pieces of a session of opencode 1.1 or before"));
    }

    TEST_CASE("bad files do not hide the others") {
        Folder folder;
        const std::string binary = folder.write("binary.jsonl", std::string("\x7F"
                                                                            "ELF\0\0\0\1\2\3",
                                                                            10));
        const std::string empty = folder.write("empty.jsonl", "");
        const std::string prose = folder.write("prose.jsonl", "Dear diary,\ntoday nothing happened.\n");
        const std::string other = folder.write("other.jsonl", "{\"alpha\":1}\n{\"beta\":2}\n");
        const Report report = report_of({binary, empty, prose, other, stuck(), folder / "missing.jsonl"});
        CHECK(findings_of(report, "loop/exact-repeat") == 1);
        CHECK(report.sessions.size() == 1);
        REQUIRE(report.inputs.size() == 5);
        std::size_t failed = 0;
        for (const InputReport& input : report.inputs) {
            failed += input.error.has_value();
            CAPTURE(input.path);
            CHECK(input.error.has_value() == input.format.empty());
            if (input.path == binary) CHECK(mentions(input.error.value_or(""), "binary"));
            if (input.path == empty) CHECK(mentions(input.error.value_or(""), "empty"));
            if (input.path == other) CHECK(mentions(input.error.value_or(""), "no known session format"));
        }
        CHECK(failed == 4);
        REQUIRE(report.problems.size() == 1);
        CHECK(mentions(report.problems[0], "missing.jsonl"));
    }

    TEST_CASE("in a folder, what is no session is skipped and counted, not an error") {
        Folder folder;
        folder.write("s/a.jsonl", content(stuck()));
        folder.write("s/prices.json", "{\"apple\":1}");
        folder.write("s/deep/empty.jsonl", "");
        folder.write("s/notes.txt", "not looked at");
        const Report report = report_of({folder / "s"});
        CHECK(report.sessions.size() == 1);
        CHECK(report.skipped_inputs == 2);
        CHECK(report.problems.empty());
        CHECK(std::ranges::none_of(report.inputs, [](const InputReport& i) { return i.error.has_value(); }));
    }

    TEST_CASE("in a folder, what cannot be read is told, whatever it may be") {
        Folder folder;
        folder.write("s/a.jsonl", minimal());
        const std::string cut = folder.write("s/cut.jsonl.zst", std::string("\x28\xb5\x2f\xfd\x04\x00", 6));
        const Report report = report_of({folder / "s"});
        CHECK(report.sessions.size() == 1);
        CHECK(report.skipped_inputs == 0);
        for (const InputReport& input : report.inputs) {
            CAPTURE(input.path);
            CHECK(input.error.has_value() == (input.path == cut));
        }
    }

    TEST_CASE("an input of which no record was understood has no session") {
        Folder folder;
        const std::string good = folder.write("s/a.jsonl", minimal());
        for (const std::string other : {"gemini-cli", "kimi-cli", "kimi-code", "qwen-code", "codex"}) {
            CAPTURE(other);
            const Report named = report_of({good}, other);
            CHECK(named.sessions.empty());
            CHECK(mentions(named.inputs.at(0).error.value_or(""), "none of its records is one of " + other));
            CHECK(named.ingest.records() > 0);
            const Report found = report_of({folder / "s"}, other);
            CHECK(found.sessions.empty());
            CHECK(found.skipped_inputs == 1);
            CHECK(found.ingest.records() == 0);
        }
    }

    TEST_CASE("a name of a tool that is too long is cut between two characters") {
        Folder folder;
        std::string name, text = rounds_of_calls(1, 12);
        for (int i = 0; i < 30; ++i) name += "\xe6\xbc\xa2";
        for (std::size_t at = text.find("\"bash\""); at != text.npos; at = text.find("\"bash\"", at + 1))
            text.replace(at + 1, 4, name);
        const Report report = report_of({folder.write("a.jsonl", text)});
        REQUIRE(report.findings.size() == 1);
        CHECK(mentions(report.findings[0].message, name.substr(0, 60) + "…"));
        CHECK_FALSE(mentions(report.findings[0].message, name.substr(0, 61)));
    }

    TEST_CASE("several sessions in one file are several sessions of the report, each with its own lines and tokens") {
        const Report report = report_of({(project() / "testdata/readers/chat-completions/sessions.jsonl").string()});
        REQUIRE(report.sessions.size() == 2);
        CHECK(report.sessions[0].input == 0);
        CHECK(report.sessions[1].input == 0);
        CHECK(report.sessions[0].last_line < report.sessions[1].first_line);
        SessionCounts sum;
        for (const SessionReport& s : report.sessions) sum.events += s.counts.events;
        CHECK(report.counts.events == sum.events);
    }

    TEST_CASE(
        "findings in history that sessions share are called so, and of one that went on in the fork only that is "
        "listed") {
        Folder folder;
        const auto session = [](const std::string& id, const std::string& own, int calls) {
            std::string text = R"({"type":"user","uuid":"u0","parentUuid":null,"sessionId":")" + id +
                               R"(","message":{"role":"user","content":"build it"}})" + "\n";
            for (int i = 0; i < calls; ++i) {
                const std::string n = (i < 6 ? "" : own) + std::to_string(i);
                text +=
                    R"({"type":"assistant","uuid":"a)" + n + R"(","parentUuid":"u0","sessionId":")" + id +
                    R"(","requestId":"r)" + n + R"(","message":{"id":"m)" + n +
                    R"(","role":"assistant","model":"claude-haiku-4-5","content":[{"type":"tool_use","id":"t)" + n +
                    R"(","name":"Bash","input":{"command":"make"}}],"usage":{"input_tokens":3,"output_tokens":7}}})" +
                    "\n";
                text += R"({"type":"user","uuid":"b)" + n + R"(","parentUuid":"u0","sessionId":")" + id +
                        R"(","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t)" + n +
                        R"(","is_error":true,"content":"no rule"}]}})" + "\n";
            }
            return text;
        };
        const auto told = [](const Report& report) {
            return std::ranges::count_if(
                report.notes, [](const Note& note) { return mentions(note.text, "in history that sessions share"); });
        };
        const std::string first = folder.write("a.jsonl", session("a", "", 6)),
                          fork = folder.write("b.jsonl", session("b", "", 6));
        const Report alone = report_of({first});
        REQUIRE(alone.findings.size() == 1);
        CHECK(told(alone) == 0);
        for (const auto& inputs : {std::vector{first, fork}, {fork, first}}) {
            const Report both = report_of(inputs);
            CHECK(both.findings.size() == 2);
            CHECK(told(both) == 1);
        }
        const Report longer = report_of({first, folder.write("c.jsonl", session("c", "c", 9))});
        REQUIRE(longer.findings.size() == 1);
        CHECK(longer.findings[0].repeats == 9);
        CHECK(told(longer) == 1);
        const std::string other =
            std::regex_replace(session("d", "", 6), std::regex("\"(id|requestId)\":\"[rm]"), "\"$1\":\"x");
        const Report unrelated = report_of({first, folder.write("d.jsonl", other)});
        CHECK(told(unrelated) == 0);
    }

    TEST_CASE("output that a client recorded too early is called incomplete, and none that can be whole") {
        Folder folder;
        const auto response = [](std::size_t bytes, int output) {
            return R"({"type":"assistant","uuid":"a1","parentUuid":null,"sessionId":"s1","requestId":"r1","message":{"id":"m1","role":"assistant","model":"claude-haiku-4-5","content":[{"type":"text","text":")" +
                   std::string(bytes, 'x') + R"("}],"usage":{"input_tokens":3,"output_tokens":)" +
                   std::to_string(output) + "}}}\n";
        };
        const auto told = [](const Report& report) {
            return std::ranges::count_if(report.notes,
                                         [](const Note& note) { return mentions(note.text, "are too low"); });
        };
        const Report stub = report_of({folder.write("stub.jsonl", response(5000, 2))});
        CHECK(stub.sessions[0].output_incomplete);
        REQUIRE(told(stub) == 1);
        CHECK(stub.notes.back().severity == Severity::info);
        CHECK(stub.notes.back().text ==
              "output tokens and costs of 1 session are too low: 2 tokens are recorded for 5,000 bytes that the model "
              "wrote");
        for (const auto& [bytes, output] : {std::pair(5000, 500), {3999, 2}, {4000, 400}}) {
            const Report sound =
                report_of({folder.write("sound.jsonl", response(static_cast<std::size_t>(bytes), output))});
            CHECK_FALSE(sound.sessions[0].output_incomplete);
            CHECK(told(sound) == 0);
        }
    }

    TEST_CASE("copies of a sub-agent's messages are left out when its own file is read as well") {
        Folder folder;
        const std::string main =
            folder.write("main.jsonl", content(project() / "testdata/readers/claude-code/full.jsonl"));
        const Report alone = report_of({main});
        const std::string agent = folder.write(
            "agent-a7.jsonl",
            R"({"type":"user","uuid":"pa1","parentUuid":null,"isSidechain":true,"agentId":"a7","sessionId":"c1a0-full","message":{"role":"user","content":"Find the stones"}})"
            "\n"
            R"({"type":"assistant","uuid":"pa2","parentUuid":"pa1","isSidechain":true,"agentId":"a7","sessionId":"c1a0-full","requestId":"req_s","message":{"id":"msg_s","role":"assistant","model":"claude-haiku-4-5","content":[{"type":"tool_use","id":"ts1","name":"Grep","input":{"pattern":"stone"}}],"usage":{"input_tokens":3,"output_tokens":7}}})"
            "\n"
            R"({"type":"user","uuid":"pa3","parentUuid":"pa2","isSidechain":true,"agentId":"a7","sessionId":"c1a0-full","message":{"role":"user","content":[{"tool_use_id":"ts1","type":"tool_result","content":"stone.js"}]}})"
            "\n");
        const Report both = report_of({main, agent});
        REQUIRE(both.sessions.size() == 2);
        CHECK(both.counts.calls == alone.counts.calls);
        CHECK(both.tokens.total == alone.tokens.total);
        const auto& agent_session = both.sessions[both.sessions[0].sub_agent ? 0 : 1];
        CHECK(agent_session.sub_agent);
        CHECK(agent_session.counts.calls == 1);
        CHECK(agent_session.parent_id == "c1a0-full");
    }

    TEST_CASE("a sub-agent's own file is read whatever record opens it") {
        Folder folder;
        const std::string said =
            R"({"type":"assistant","uuid":"pa2","parentUuid":"pa1","isSidechain":true,"agentId":"a7","sessionId":"s1","requestId":"req_s","message":{"id":"msg_s","role":"assistant","model":"claude-haiku-4-5","content":[{"type":"tool_use","id":"ts1","name":"Grep","input":{"pattern":"stone"}}],"usage":{"input_tokens":3,"output_tokens":7}}})"
            "\n";
        for (
            const char* first :
            {R"({"type":"queue-operation","operation":"enqueue","sessionId":"s1"})",
             R"({"type":"user","uuid":"pa1","parentUuid":null,"isSidechain":true,"sessionId":"s1","message":{"role":"user","content":"Find the stones"}})"}) {
            const Report report = report_of({folder.write("agent-a7.jsonl", first + ("\n" + said))});
            CHECK(report.tokens.total == TokenCounts{3, 0, 0, 7});
            CHECK(report.counts.calls == 1);
        }
    }

    TEST_CASE("history copied into a resumed file is billed once") {
        Folder folder;
        const std::string once = minimal();
        const Report single = report_of({folder.write("a.jsonl", once)});
        const Report twice = report_of({folder.write("a.jsonl", once), folder.write("b.jsonl", once)});
        CHECK(single.tokens.total.total() > 0);
        CHECK(twice.tokens.total == single.tokens.total);
        CHECK(twice.tokens.copied_requests == single.tokens.requests);
    }

    TEST_CASE("a housekeeping agent's session has no findings") {
        Folder folder;
        std::string text = content(stuck());
        for (std::size_t at = 0; (at = text.find("\"isSidechain\": false", at)) != text.npos;) {
            text.replace(at, 20, "\"isSidechain\":true,\"agentId\":\"acompact-1\"");
        }
        const Report report = report_of({folder.write("agent-acompact-1.jsonl", text)});
        REQUIRE(report.sessions.size() == 1);
        CHECK(report.sessions[0].housekeeping);
        CHECK(report.findings.empty());
    }

    TEST_CASE("a finding is the same finding when its file has grown, and in another place") {
        Folder folder;
        const Report before = report_of({stuck()});
        const Report after = report_of({folder.write("moved.jsonl", content(stuck()) + minimal())});
        REQUIRE(before.findings.size() == 1);
        REQUIRE(after.findings.size() == 1);
        CHECK(before.findings[0].finding_fingerprint == after.findings[0].finding_fingerprint);
        CHECK(before.findings[0].pattern_fingerprint == after.findings[0].pattern_fingerprint);
        CHECK(before.findings[0].finding_fingerprint.size() == 32);
    }

    TEST_CASE("sessions without an id are told apart by how they begin, and by their number") {
        const Folder folder;
        const std::string one = R"({"role":"user","content":"first task"})"
                                "\n" +
                                rounds_of_calls(1, 12);
        const std::string other = R"({"role":"user","content":"other task"})"
                                  "\n" +
                                  rounds_of_calls(1, 12);
        const auto fingerprint = [&](const char* file, const std::string& text) {
            const Report report = report_of({folder.write(file, text)});
            REQUIRE(report.findings.size() == 1);
            REQUIRE(report.sessions[0].id.empty());
            return report.findings[0].finding_fingerprint;
        };
        CHECK(fingerprint("a.jsonl", one) != fingerprint("b.jsonl", other));
        CHECK(SessionOpening().name(1) != SessionOpening().name(2));
        CHECK(fingerprint("a.jsonl", one) == fingerprint("c.jsonl", one + R"({"role":"user","content":"go on"})"
                                                                          "\n"));
    }

    TEST_CASE("a finding says what its rounds cost, where requests have a price") {
        const Folder folder;
        const auto cost = [&](const std::string& model) {
            std::string text = content(stuck());
            constexpr std::string_view kKey = "\"model\": \"";
            for (std::size_t at = 0; (at = text.find(kKey, at)) != text.npos;) {
                at += kKey.size();
                text.replace(at, text.find('"', at) - at, model);
            }
            const Report report = report_of({folder.write("priced.jsonl", text)});
            REQUIRE(report.findings.size() == 1);
            REQUIRE(report.findings[0].wasted_tokens);
            return report.findings[0].wasted_cost_microusd;
        };
        CHECK(cost("claude-sonnet-4-5-20250929").value_or(0) > 0);
        CHECK_FALSE(cost("model-of-nobody"));
    }

    TEST_CASE("a forced format reads what detection would not") {
        Folder folder;
        const std::string odd = folder.write("odd.jsonl", "{\"alpha\":1}\n");
        const Report report = report_of({odd}, "claude-code");
        CHECK(report.inputs.at(0).format == "claude-code");
        CHECK(report.ingest[LineFate::missing_field] == 1);
        CHECK(report_of({folder.write("half.jsonl", "{\"alpha\":1}\n" + minimal())}, "claude-code").sessions.size() ==
              1);
        CHECK(report_of({folder.write("empty.jsonl", "")}, "claude-code").inputs.at(0).error == "empty input");
    }
}
