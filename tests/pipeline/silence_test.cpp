#include "pipeline/files.hpp"
#include "pipeline/settings/plan.hpp"
#include "pipeline/settings/suppression_match.hpp"

#include <functional>

using namespace agent_audit;
using namespace agent_audit::test;

// A match names only what it asks for.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace {

// A Claude Code session. Each part is a tool, its main argument and how often it gives the same answer.
struct Part {
    std::string tool, field, argument, answer;
    int times = 6;
};

std::string session_of(const std::vector<Part>& parts, const std::string& id = "s",
                       const std::string& cwd = "/home/dev/shop") {
    std::string out = R"({"type":"user","uuid":"u0","cwd":")" + cwd + R"(","sessionId":")" + id +
                      R"(","message":{"role":"user","content":"go on"}})" + "\n";
    int n = 0;
    for (const Part& part : parts) {
        for (int i = 0; i < part.times; ++i, ++n) {
            const std::string no = std::to_string(n);
            out += R"({"type":"assistant","uuid":"a)" + no + R"(","sessionId":")" + id + R"(","message":{"id":"m)" +
                   no + R"(","role":"assistant","model":"m","content":[{"type":"tool_use","id":")" + id + "-t" + no +
                   R"(","name":")" + part.tool + R"(","input":{")" + part.field + R"(":")" + part.argument +
                   R"("}}]}})" + "\n";
            out += R"({"type":"user","uuid":"r)" + no + R"(","sessionId":")" + id +
                   R"(","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":")" + id + "-t" + no +
                   R"(","content":")" + part.answer + R"("}]}})" + "\n";
        }
        // A human speaks: what follows is another story.
        out += R"({"type":"user","uuid":"h)" + std::to_string(n) + R"(","sessionId":")" + id +
               R"(","message":{"role":"user","content":"next"}})" + "\n";
    }
    return out;
}

const Part kLook{"Bash", "command", "git status --short", "nothing"};
const Part kQuery{"mcp__gdb__next", "count", "1", "main.c:12"};

Report audited(const std::string& text, const std::function<void(AuditPlan&)>& change = {}) {
    const Folder folder;
    AuditPlan plan;
    plan.inputs = {folder.write("logs/one.jsonl", text)};
    plan.select = {"loop/exact-repeat"};
    if (change) change(plan);
    return report_of(plan);
}

Suppression suppression(FindingMatch match, std::string rule = "loop/exact-repeat") {
    return {std::move(rule), std::move(match), "known", std::nullopt, "agent-audit.toml:3"};
}

Report with(FindingMatch match, const std::vector<Part>& parts = {kLook, kQuery}) {
    return audited(session_of(parts, "abc-1"),
                   [&](AuditPlan& plan) { plan.suppressions = {suppression(std::move(match))}; });
}

std::string problem_of(const std::function<void(AuditPlan&)>& change) {
    AuditPlan plan;
    plan.inputs = {"nowhere"};
    change(plan);
    const auto report = audit(plan);
    return report ? "no problem" : report.error().message;
}

void set(AuditPlan& plan, std::string key, std::string value) {
    plan.settings.set(std::move(key), {std::move(value), "agent-audit.toml:7"});
}

Baseline baseline_of(const Report& report) {
    Baseline out;
    out.source = "b.json";
    for (const Finding& f : report.findings) {
        auto known = std::ranges::find_if(
            out.entries, [&](const auto& e) { return e.rule == f.rule && e.pattern == f.pattern_fingerprint; });
        if (known == out.entries.end())
            known = out.entries.insert(out.entries.end(), {f.rule, f.pattern_fingerprint, 0, "", "", {}});
        ++known->count;
        known->findings.push_back(f.finding_fingerprint);
    }
    return out;
}

}  // namespace

TEST_SUITE("suppressions") {
    TEST_CASE("a suppressed finding is listed with its reason and counts for nothing") {
        const Report report = with({.tool = "Bash"});
        REQUIRE(report.findings.size() == 1);
        CHECK(report.findings[0].calls.at(0).tool == "mcp__gdb__next");
        REQUIRE(report.silenced.size() == 1);
        CHECK(report.silenced[0].suppressed->reason == "known");
        CHECK(report.silenced[0].suppressed->origin == "agent-audit.toml:3");
        CHECK(report.suppressed == 1);
        CHECK(report.errors + report.warnings + report.infos == 1);
        CHECK(report.notes.empty());
    }

    TEST_CASE("each condition is asked of the finding, and all of them must hold") {
        CHECK(with({.tool = "mcp__gdb__next"}).suppressed == 1);
        CHECK(with({.tool = "next"}).suppressed == 1);
        CHECK(with({.tool = "mcp__gdb__*"}).suppressed == 1);
        CHECK(with({.tool = "gdb"}).suppressed == 0);
        CHECK(with({.command = "^git status"}).suppressed == 1);
        CHECK(with({.command = "^status"}).suppressed == 0);
        CHECK(with({.tool = "Bash", .command = "^git (status|log)"}).suppressed == 1);
        CHECK(with({.tool = "mcp__gdb__next", .command = "^git"}).suppressed == 0);
        CHECK(with({.path = "**/logs/*.jsonl"}).suppressed == 2);
        CHECK(with({.path = "one.jsonl"}).suppressed == 2);
        CHECK(with({.path = "logs/*.jsonl"}).suppressed == 0);
        CHECK(with({.project = "/home/dev"}).suppressed == 2);
        CHECK(with({.project = "shop"}).suppressed == 2);
        CHECK(with({.project = "/home/de"}).suppressed == 0);
        CHECK(with({.session = "abc-*"}).suppressed == 2);
        CHECK(with({.session = "abc"}).suppressed == 0);
        CHECK(with({}).suppressed == 2);
    }

    TEST_CASE("a path holds from the folder of the file too, however the input was named") {
        const Folder folder;
        const std::filesystem::path file = folder.write("sub/logs/one.jsonl", session_of({kLook}));
        const std::string root = file.parent_path().parent_path().parent_path().string();
        const auto suppressed = [&](const std::string& input, const char* glob) {
            AuditPlan plan;
            plan.inputs = {input};
            plan.select = {"loop/exact-repeat"};
            Suppression one = suppression({.path = glob});
            one.folder = root;
            plan.suppressions = {one};
            return report_of(plan).suppressed;
        };
        for (const std::string& input :
             {file.string(), root + "/sub/../sub/logs/one.jsonl", std::filesystem::relative(file).string()}) {
            CAPTURE(input);
            CHECK(suppressed(input, "sub/logs/*.jsonl") == 1);
            CHECK(suppressed(input, "./sub/**") == 1);
            CHECK(suppressed(input, (root + "/*/logs/*").c_str()) == 1);
            CHECK(suppressed(input, "logs/*.jsonl") == 0);
            CHECK(suppressed(input, "other/logs/*.jsonl") == 0);
        }
    }

    TEST_CASE("a suppression of another rule silences nothing, one of its group does") {
        const auto of = [](const char* rule) {
            return audited(session_of({kLook}), [&](AuditPlan& plan) { plan.suppressions = {suppression({}, rule)}; })
                .suppressed;
        };
        CHECK(of("loop/cycle") == 0);
        CHECK(of("loop") == 1);
        CHECK(of("AA101") == 1);
    }

    TEST_CASE("the last day of a suppression still holds, the day after does not and is said") {
        const auto on = [](std::int64_t today) {
            return audited(session_of({kLook}), [&](AuditPlan& plan) {
                Suppression one = suppression({});
                one.until_days = 20'000;
                plan.suppressions = {one};
                plan.today_days = today;
            });
        };
        CHECK(on(20'000).suppressed == 1);
        CHECK(on(20'000).silenced[0].suppressed->until == "2024-10-04");
        const Report after = on(20'001);
        CHECK(after.suppressed == 0);
        CHECK(after.findings.size() == 1);
        REQUIRE(after.notes.size() == 1);
        CHECK(after.notes[0].severity == Severity::info);
        CHECK(after.notes[0].text ==
              "agent-audit.toml:3: the suppression of loop/exact-repeat ended on 2024-10-04 (known)");
    }

    TEST_CASE("an unused suppression is said, unless nothing it is about was looked at") {
        const auto notes = [](FindingMatch match, std::string rule) {
            return audited(
                       session_of({kLook}),
                       [&](AuditPlan& plan) { plan.suppressions = {suppression(std::move(match), std::move(rule))}; })
                .notes;
        };
        REQUIRE(notes({.tool = "Edit"}, "loop/exact-repeat").size() == 1);
        CHECK(notes({.tool = "Edit"}, "loop/exact-repeat")[0].text ==
              "agent-audit.toml:3: the suppression of loop/exact-repeat silences nothing (known)");
        CHECK(notes({}, "loop/cycle").empty());  // did not run
        CHECK(notes({.session = "another"}, "loop/exact-repeat").empty());
    }

    TEST_CASE("an unknown rule and a broken expression are errors with their origin") {
        CHECK(problem_of([](AuditPlan& plan) { plan.suppressions = {suppression({}, "loop/exact-repaet")}; }) ==
              "agent-audit.toml:3: unknown rule 'loop/exact-repaet'; did you mean 'loop/exact-repeat'?");
        CHECK(problem_of([](AuditPlan& plan) {
                  plan.suppressions = {suppression({.command = "("})};
              }).find("agent-audit.toml:3: command = \"(\": not a regular expression") == 0);
        // "^npm\b" in the double quotes of TOML.
        CHECK(problem_of([](AuditPlan& plan) {
                  plan.suppressions = {suppression({.command = "^npm\b"})};
              }).find("has a backspace in it, which is what \\b is in double quotes") != std::string::npos);
    }

    TEST_CASE("globs over paths cross folders only where they say so") {
        CHECK(path_matches("*.jsonl", "a/b/c.jsonl"));
        CHECK(path_matches("a/*/c.jsonl", "a/b/c.jsonl"));
        CHECK_FALSE(path_matches("a/*.jsonl", "a/b/c.jsonl"));
        CHECK(path_matches("a/**", "a/b/c.jsonl"));
        CHECK(path_matches("**/c.jsonl", "./a/b/c.jsonl"));
        CHECK(path_matches("/a/**/c.jsonl", "/a/c.jsonl"));
        CHECK_FALSE(path_matches("/a/**", "a/c.jsonl"));
        CHECK_FALSE(path_matches("a/b", "a/b/c"));
    }
}

TEST_SUITE("baseline") {
    TEST_CASE("what is in the baseline is listed as unchanged and counts for nothing") {
        const std::string text = session_of({kLook, kQuery});
        const Baseline baseline = baseline_of(audited(text));
        const Report report = audited(text, [&](AuditPlan& plan) { plan.baseline = baseline; });
        CHECK(report.findings.empty());
        CHECK(report.errors + report.warnings == 0);
        REQUIRE(report.silenced.size() == 2);
        CHECK(report.silenced[0].baseline == BaselineState::unchanged);
        CHECK(report.baselined == 2);
        CHECK(report.baseline->unchanged == 2);
        CHECK(report.baseline->absent.empty());
    }

    TEST_CASE("a session that grows stays silent, a new occurrence beyond the count does not") {
        const Baseline baseline = baseline_of(audited(session_of({kLook})));
        Part longer = kLook;
        longer.times = 12;
        const Report grown = audited(session_of({longer}), [&](AuditPlan& plan) { plan.baseline = baseline; });
        CHECK(grown.findings.empty());
        const Report again = audited(session_of({longer, kLook}), [&](AuditPlan& plan) { plan.baseline = baseline; });
        REQUIRE(again.findings.size() == 1);
        CHECK(again.findings[0].baseline == BaselineState::fresh);
        // The one that was there is the known one, and the new one comes after it.
        CHECK(again.silenced.at(0).first_line < again.findings[0].first_line);
    }

    TEST_CASE("a finding that is worse than all that were recorded counts, unless nobody recorded how bad they were") {
        Part young = kLook;
        young.times = 3;
        const Report warned = audited(session_of({young}));
        REQUIRE(warned.warnings == 1);
        Baseline baseline = baseline_of(warned);
        const auto under = [&](const Part& part, const std::string& id, Policy policy = Policy::balanced) {
            return audited(session_of({part}, id), [&](AuditPlan& plan) {
                plan.baseline = baseline;
                plan.policy = policy;
            });
        };
        CHECK(under(kLook, "s").errors == 0);
        baseline.entries.at(0).severity = "warning";
        baseline.entries.at(0).policy = "balanced";
        for (const char* id : {"s", "another"}) {
            CAPTURE(id);
            const Report grown = under(kLook, id);
            CHECK(grown.errors == 1);
            CHECK(grown.baselined == 0);
            CHECK(grown.findings.at(0).baseline == BaselineState::fresh);
            CHECK(grown.baseline->absent.empty());
        }
        CHECK(under(young, "s").baselined == 1);
        // Another policy is another measure: it says nothing about what the agent did.
        CHECK(under(young, "s", Policy::strict).errors == 0);
        CHECK(under(kLook, "s", Policy::strict).errors == 0);
        const Report set_to_error = audited(session_of({young}), [&](AuditPlan& plan) {
            plan.baseline = baseline;
            set(plan, "loop/exact-repeat.severity", "error");
        });
        CHECK(set_to_error.errors == 0);
    }

    TEST_CASE("of more findings than the count, those the baseline names are the old ones, wherever they stand") {
        const Folder folder;
        AuditPlan plan;
        plan.select = {"loop/exact-repeat"};
        plan.inputs = {folder.write("b.jsonl", session_of({kLook}, "old"))};
        const Baseline baseline = baseline_of(report_of(plan));
        plan.inputs.push_back(folder.write("a.jsonl", session_of({kLook}, "new")));
        plan.baseline = baseline;
        const Report report = report_of(plan);
        REQUIRE(report.findings.size() == 1);
        CHECK(report.sessions[report.findings[0].session].id == "new");
    }

    TEST_CASE("without names the first ones in the report use up the count") {
        const std::string text = session_of({kLook, kLook});
        Baseline baseline = baseline_of(audited(session_of({kLook}, "elsewhere")));
        const Report report = audited(text, [&](AuditPlan& plan) { plan.baseline = baseline; });
        CHECK(report.baselined == 1);
        REQUIRE(report.findings.size() == 1);
        CHECK(report.findings[0].first_line > report.silenced.at(0).first_line);
    }

    TEST_CASE("a pattern is the same in another session, at another line, on another day") {
        const Report one = audited(session_of({kLook}, "one", "/home/a"));
        const Report two = audited(session_of({kQuery, kLook}, "two", "/srv/b"));
        REQUIRE(two.findings.size() == 2);
        CHECK(one.findings.at(0).pattern_fingerprint == two.findings[1].pattern_fingerprint);
        CHECK(one.findings[0].finding_fingerprint != two.findings[1].finding_fingerprint);
        CHECK(two.findings[0].pattern_fingerprint != two.findings[1].pattern_fingerprint);
    }

    TEST_CASE("a finding is the same when lines come before it") {
        const std::string text = session_of({kLook});
        const std::string shifted = "\n\n{\"type\":\"queue-operation\",\"sessionId\":\"s\"}\n" + text;
        const Report one = audited(text), two = audited(shifted);
        REQUIRE(two.findings.size() == 1);
        CHECK(one.findings.at(0).first_line != two.findings[0].first_line);
        CHECK(one.findings[0].finding_fingerprint == two.findings[0].finding_fingerprint);
    }

    TEST_CASE("what no longer occurs is absent, if its rule ran") {
        Baseline baseline = baseline_of(audited(session_of({kLook, kQuery})));
        baseline.entries.push_back({"loop/cycle", "0", 1, "", "", {}});
        const Report report = audited(session_of({kLook}), [&](AuditPlan& plan) { plan.baseline = baseline; });
        REQUIRE(report.baseline->absent.size() == 1);
        CHECK(report.baseline->absent[0].rule == "loop/exact-repeat");
        CHECK(report.baseline->entries == 3);
    }

    TEST_CASE("what is left out or suppressed still occurs") {
        const std::string text = session_of({kLook});
        const Baseline baseline = baseline_of(audited(text));
        const Report left_out = audited(text, [&](AuditPlan& plan) {
            plan.baseline = baseline;
            plan.min_confidence = 1;
        });
        CHECK(left_out.baselined == 0);
        CHECK(left_out.baseline->absent.empty());
        const Report suppressed = audited(text, [&](AuditPlan& plan) {
            plan.baseline = baseline;
            plan.suppressions = {suppression({})};
        });
        CHECK(suppressed.suppressed == 1);
        CHECK(suppressed.baseline->absent.empty());
    }

    TEST_CASE("a suppressed finding uses up nothing of the baseline") {
        const std::string text = session_of({kLook, kLook});
        Baseline baseline = baseline_of(audited(text));
        REQUIRE(baseline.entries.at(0).count == 2);
        const Report report = audited(text, [&](AuditPlan& plan) {
            plan.baseline = baseline;
            plan.suppressions = {suppression({})};
        });
        CHECK(report.suppressed == 2);
        CHECK(report.baselined == 0);
    }
}

TEST_SUITE("rules by configuration") {
    TEST_CASE("a severity that is set is the severity of all findings of the rule") {
        const auto severity = [](const char* word) {
            return audited(session_of({kLook}),
                           [&](AuditPlan& plan) { set(plan, "loop/exact-repeat.severity", word); });
        };
        CHECK(severity("info").findings.at(0).severity == Severity::info);
        CHECK(severity("warning").warnings == 1);
        const Report off = audited(session_of({kLook}), [&](AuditPlan& plan) {
            plan.select = {"loop"};
            set(plan, "loop/exact-repeat.severity", "off");
        });
        CHECK(off.findings.empty());
        CHECK(std::ranges::find(off.rules, "loop/exact-repeat", &RuleRun::id) == off.rules.end());
    }

    TEST_CASE("a run in which no rule is left is an error and not a clean result") {
        const auto problem = [](std::vector<std::string> select, std::vector<std::string> ignore, bool off = false) {
            return problem_of([&](AuditPlan& plan) {
                plan.select = std::move(select);
                plan.ignore = std::move(ignore);
                if (off) set(plan, "loop/cycle.severity", "off");
            });
        };
        CHECK(problem({"AA101"}, {"loop/exact-repeat"}) ==
              "no rule is left to run (--select AA101, --ignore loop/exact-repeat)");
        CHECK(problem({}, {"all"}) == "no rule is left to run (--ignore all)");
        CHECK(problem({"loop/cycle"}, {}, true) == "no rule is left to run (--select loop/cycle, severity = \"off\")");
        CHECK(problem({"drift"}, {"loop"}) == "no problem");
        // There is a rule, and it has nothing to watch: that may be meant, and is said.
        const auto nothing = [](const Note& note) { return note.text.starts_with("nothing was checked"); };
        CHECK(std::ranges::any_of(
            audited(session_of({kLook}), [](AuditPlan& plan) { plan.select = {"budget/limits"}; }).notes, nothing));
        CHECK(std::ranges::none_of(audited(session_of({kLook})).notes, nothing));
    }

    TEST_CASE("a tool may have its own threshold, and the others keep theirs") {
        const auto tools = [](const char* key, const char* value) {
            const Report report = audited(session_of({kLook, kQuery}), [&](AuditPlan& plan) { set(plan, key, value); });
            std::string out;
            for (const Finding& f : report.findings) out += f.calls.at(0).tool + " ";
            return out;
        };
        CHECK(tools("loop/exact-repeat.per-tool.Bash.warn", "10") == "mcp__gdb__next ");
        CHECK(tools("loop/exact-repeat.per-tool.next.warn", "10") == "Bash ");
        CHECK(tools("loop/exact-repeat.per-tool.Edit.warn", "10") == "Bash mcp__gdb__next ");
        CHECK(tools("loop/exact-repeat.per-tool.Bash.min-repeats", "7") == "mcp__gdb__next ");
        CHECK(tools("loop/exact-repeat.warn", "10") == "");
        const Report report = audited(session_of({kLook, kQuery}), [&](AuditPlan& plan) {
            set(plan, "loop/exact-repeat.warn", "10");
            set(plan, "loop/exact-repeat.per-tool.Bash.warn", "3");
        });
        REQUIRE(report.findings.size() == 1);
        CHECK(report.findings[0].calls.at(0).tool == "Bash");
        CHECK(report.rules.size() == 1);  // one rule, however many tools have their own numbers
    }

    TEST_CASE("min-repeats moves the error too when it lies beyond it") {
        const auto severity = [](const char* n) {
            const Report report = audited(session_of({{"Bash", "command", "git status", "nothing", 7}}),
                                          [&](AuditPlan& plan) { set(plan, "loop/exact-repeat.min-repeats", n); });
            return report.findings.empty() ? "none" : name(report.findings[0].severity);
        };
        CHECK(severity("4") == "error");
        CHECK(severity("7") == "error");
        CHECK(severity("8") == "none");
    }

    TEST_CASE("what names no parameter is an error with its origin") {
        CHECK(problem_of([](AuditPlan& plan) { set(plan, "loop/exact-repeat.per-tool.Bash.wran", "3"); }) ==
              "agent-audit.toml:7: unknown parameter of loop/exact-repeat 'wran'; did you mean 'warn'?");
        CHECK(problem_of([](AuditPlan& plan) { set(plan, "loop/exact-repeat.severity", "eror"); }) ==
              "agent-audit.toml:7: loop/exact-repeat.severity = \"eror\": expected error, warning, info or off; did "
              "you mean error?");
        CHECK(problem_of([](AuditPlan& plan) {
                  set(plan, "budget/limits.per-tool.Bash.tokens", "3");
              }).find("whole sessions") != std::string::npos);
        CHECK(problem_of([](AuditPlan& plan) {
                  set(plan, "loop/exact-repeat.per-tool.Bash.warn", "0");
              }).find("agent-audit.toml:7: ") == 0);
    }

    TEST_CASE("a command that is said to be polling may give the same answer more often") {
        const auto found = [](const char* command) {
            return audited(session_of({kLook}),
                           [&](AuditPlan& plan) {
                               plan.tool_classes = {{"Bash", command, "polling", "agent-audit.toml:9"}};
                           })
                .findings.size();
        };
        CHECK(found("^git status\\b") == 0);
        CHECK(found("^git log\\b") == 1);
        CHECK(audited(session_of({kQuery}), [](AuditPlan& plan) {
                  plan.tool_classes = {{"next", "", "poll", "agent-audit.toml:9"}};
              }).findings.empty());
        CHECK(problem_of([](AuditPlan& plan) {
                  plan.tool_classes = {{"Bash", "(", "poll", "agent-audit.toml:9"}};
              }).find("agent-audit.toml:9: command") == 0);
        CHECK(problem_of([](AuditPlan& plan) {
                  plan.tool_classes = {{"Bash", "a", "pol", "agent-audit.toml:9"}};
              }).find("agent-audit.toml:9: class = \"pol\"") == 0);
    }
}
