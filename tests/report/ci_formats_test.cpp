#include "report/escape/markdown_text.hpp"
#include "report/escape/xml_text.hpp"
#include "report/exchange/uri_base.hpp"
#include "support/format_checkers.hpp"
#include "support/report_builder.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>

using namespace agent_audit;
using test::rendered;
using test::ReportBuilder;
using Json = nlohmann::json;

namespace {

constexpr RuleDoc kRules[] = {
    {"context/reread", "AA402", "reads again what is in the window", "## Page", Severity::info, 0.7},
    {"loop/cycle", "AA102", "goes round in a cycle", "## Page", Severity::error, 0.9},
    {"loop/exact-repeat", "AA101", "the same call again and again", "## Page", Severity::error, 0.95},
};
const RenderOptions kCiOptions{.tool_version = "9.9", .rules = kRules, .exit_code = 1};

Json sarif_run(const Report& report, const RenderOptions& options = kCiOptions) {
    return Json::parse(rendered(report, "sarif", options))["runs"][0];
}

// A finding about records 3 to 9 of a document.
Report in_document(std::optional<FileLines> lines) {
    ReportBuilder builder;
    builder.input("a.json").session("s");
    builder.report().inputs[0].counts_records = true;
    Finding& f = builder.finding(Severity::error, "loop/cycle", 3, 9);
    f.file_lines = lines;
    f.reset_line = 2;
    f.evidence.push_back({7, 12, "notice", "seen before"});
    return std::move(builder.report());
}

Report many(Severity severity, std::size_t n) {
    ReportBuilder builder;
    builder.input("a.jsonl").session("s");
    for (std::size_t i = 0; i < n; ++i) {
        Finding& f = builder.finding(severity, "loop/cycle", i + 1, i + 1);
        f.finding_fingerprint.clear();
        f.evidence.clear();
    }
    return std::move(builder.report());
}

}  // namespace

TEST_SUITE("sarif") {
    TEST_CASE("a result has its rule, place, steps, fingerprints and rank") {
        const Json run = sarif_run(test::full_report());
        const Json& result = run["results"][0];
        CHECK(result["ruleId"] == "loop/exact-repeat");
        CHECK(result["level"] == "error");
        CHECK(result["kind"] == "fail");
        CHECK(result["rank"] == 98);
        CHECK(result["partialFingerprints"]["agentAuditFinding/v1"] == std::string(32, 'a'));
        CHECK(result["partialFingerprints"]["agentAuditPattern/v1"] == std::string(32, 'b'));
        const Json& region = result["locations"][0]["physicalLocation"]["region"];
        CHECK(region["startLine"] == 3);
        CHECK(region["endLine"] == 9);
        CHECK(result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 2);
        const Json& steps = result["codeFlows"][0]["threadFlows"][0]["locations"];
        REQUIRE(steps.size() == 2);
        CHECK(steps[0]["executionOrder"] == 1);
        CHECK(steps[1]["importance"] == "essential");
        CHECK(result["properties"]["wastedCostMicrousd"] == 9'000);
    }

    TEST_CASE("the driver lists the rules that ran, with what is known of them") {
        const Json driver = sarif_run(test::full_report())["tool"]["driver"];
        CHECK(driver["semanticVersion"] == "9.9");
        REQUIRE(driver["rules"].size() == 2);
        const Json& rule = driver["rules"][1];
        CHECK(rule["id"] == "loop/exact-repeat");
        CHECK(rule["name"] == "LoopExactRepeat");
        CHECK(rule["shortDescription"]["text"] == "The same call again and again.");
        CHECK(rule["defaultConfiguration"]["level"] == "error");
        CHECK(rule["properties"]["precision"] == "very-high");
        CHECK(rule["properties"]["problem.severity"] == "error");
    }

    TEST_CASE("what only measures accuses nobody") {
        ReportBuilder builder;
        builder.input("a.jsonl").session("s");
        builder.finding(Severity::info, "context/reread");
        builder.finding(Severity::info, "loop/cycle");
        const Json run = sarif_run(builder.report());
        CHECK(run["results"][0]["kind"] == "informational");
        CHECK(run["results"][0]["level"] == "none");
        CHECK(run["results"][1]["kind"] == "fail");
        CHECK(run["results"][1]["level"] == "note");
    }

    TEST_CASE("what the baseline knows or was suppressed is there with its state, and nowhere else") {
        ReportBuilder builder;
        builder.input("a.jsonl").session("s");
        builder.finding(Severity::error, "loop/cycle").baseline = BaselineState::fresh;
        Report report = builder.report();
        report.silenced = {report.findings[0], report.findings[0]};
        report.silenced[0].baseline = BaselineState::unchanged;
        report.silenced[1].suppressed = SuppressedBy{"known to be slow", "", ""};
        report.baselined = report.suppressed = 1;
        const Json results = sarif_run(report)["results"];
        REQUIRE(results.size() == 3);
        CHECK(results[0]["baselineState"] == "new");
        CHECK(results[1]["baselineState"] == "unchanged");
        CHECK(results[2]["suppressions"][0]["justification"] == "known to be slow");
        CHECK(Json::parse(rendered(report, "gitlab", kCiOptions)).size() == 1);
        CHECK(test::read_github(rendered(report, "github", kCiOptions)).size() == 1);
        CHECK(rendered(report, "markdown", kCiOptions).find("not counted: 1 in the baseline, 1 suppressed") !=
              std::string::npos);
    }

    TEST_CASE(
        "what the baseline lists and nothing showed is a result that is absent, passes, and stands at the baseline") {
        ReportBuilder builder;
        builder.input("a.jsonl").session("s");
        builder.finding(Severity::error, "loop/cycle").baseline = BaselineState::fresh;
        Report report = builder.report();
        report.baseline = BaselineReport{"./ci/known.json", 2, 0, {{"loop/exact-repeat", std::string(32, 'c')}}};
        const Json run = sarif_run(report);
        REQUIRE(run["results"].size() == 2);
        const Json& gone = run["results"][1];
        CHECK(gone["baselineState"] == "absent");
        CHECK(gone["kind"] == "pass");
        CHECK(gone["level"] == "none");
        CHECK(run["tool"]["driver"]["rules"][gone["ruleIndex"].get<std::size_t>()]["id"] == "loop/exact-repeat");
        CHECK(gone["partialFingerprints"] == Json{{"agentAuditPattern/v1", std::string(32, 'c')}});
        CHECK(gone["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "ci/known.json");
        // Only SARIF has a word for it; elsewhere it would be a finding.
        CHECK(Json::parse(rendered(report, "gitlab", kCiOptions)).size() == 1);
        CHECK(test::read_csv(rendered(report, "csv", kCiOptions)).size() == 2);
        report.baseline->source = "/home/alice/known.json";
        CHECK(sarif_run(report)["results"][1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] ==
              "known.json");
    }

    TEST_CASE("CSV leaves a cell empty where nothing is known to have been wasted") {
        ReportBuilder builder;
        builder.input("a.jsonl").session("s");
        builder.finding(Severity::error, "loop/cycle").wasted_steps = 4;
        builder.finding(Severity::info, "drift/unverified-done").wasted_steps = 0;
        const auto rows = test::read_csv(rendered(builder.report(), "csv", kCiOptions));
        REQUIRE(rows.size() == 3);
        const auto column = static_cast<std::size_t>(std::ranges::find(rows[0], "wasted_steps") - rows[0].begin());
        CHECK(rows[1].at(column) == "4");
        CHECK(rows[2].at(column) == "");
    }

    TEST_CASE("absent results count towards what GitHub would take") {
        Report report = many(Severity::info, 24'999);
        report.baseline =
            BaselineReport{"known.json", 3, 0, {{"loop/cycle", "c"}, {"loop/cycle", "d"}, {"loop/cycle", "e"}}};
        const Json run = sarif_run(report);
        CHECK(run["results"].size() == 25'000);
        const std::string said = run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
        CHECK(said.starts_with("2 more results"));
    }

    TEST_CASE("suggested resets are a property of the run and no results") {
        const Json run = sarif_run(test::full_report());
        CHECK(run["results"].size() == 2);
        const Json& resets = run["properties"]["suggestedResets"];
        REQUIRE(resets.size() == 1);
        CHECK(resets[0]["line"] == 2);
        CHECK(resets[0]["uri"] == "logs/stuck.jsonl");
        CHECK(resets[0]["tokensAfter"] == 32'000);
        Report without = test::full_report();
        without.sessions.change(0, [](SessionReport& session) { session.resets.clear(); });
        CHECK_FALSE(sarif_run(without).contains("properties"));
    }

    TEST_CASE("bad records and inputs are notifications with their line") {
        const Json invocation = sarif_run(test::full_report())["invocations"][0];
        CHECK(invocation["executionSuccessful"] == false);
        CHECK(invocation["exitCode"] == 1);
        bool bad_line = false;
        for (const Json& n : invocation["toolExecutionNotifications"]) {
            if (n.value("descriptor", Json::object()).value("id", "") != "malformed_json") continue;
            bad_line = n["locations"][0]["physicalLocation"]["region"]["startLine"] == 4;
        }
        CHECK(bad_line);
    }

    TEST_CASE("what GitHub would not take is left out and said to be") {
        const Json run = sarif_run(many(Severity::info, 25'003));
        CHECK(run["results"].size() == 25'000);
        const std::string said = run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
        CHECK(said.starts_with("3 more results"));
    }

    TEST_CASE("a long row of steps keeps its head and its tail") {
        ReportBuilder builder;
        builder.input("a.jsonl").session("s");
        Finding& f = builder.finding(Severity::error, "loop/cycle");
        f.evidence.clear();
        for (std::uint64_t line = 1; line <= 250; ++line) f.evidence.push_back({line, line, "call", "x"});
        const Json steps = sarif_run(builder.report())["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
        REQUIRE(steps.size() == 100);
        CHECK(steps[0]["executionOrder"] == 1);
        CHECK(steps[49]["executionOrder"] == 50);
        CHECK(steps[50]["executionOrder"] == 201);
        CHECK(steps[99]["executionOrder"] == 250);
        CHECK(steps[99]["importance"] == "essential");
    }

    TEST_CASE("inputs are relative to few bases, and an absolute one is named only where that is allowed") {
        ReportBuilder builder;
        builder.input("./logs/a b.jsonl").session("1");
        builder.finding(Severity::error, "loop/cycle");
        builder.input("/srv/logs/x/c.jsonl").session("2");
        builder.input("/srv/logs/y/d.jsonl").session("3");
        const Json strict = sarif_run(builder.report(), {.redact = Redact::strict});
        CHECK(strict["artifacts"][0]["location"]["uri"] == "logs/a%20b.jsonl");
        CHECK(strict["artifacts"][0]["location"]["uriBaseId"] == "%SRCROOT%");
        CHECK(strict["artifacts"][2]["location"]["uri"] == "y/d.jsonl");
        CHECK(!strict["originalUriBaseIds"]["%INPUTROOT%"].contains("uri"));
        const Json open = sarif_run(builder.report(), {.redact = Redact::secrets});
        CHECK(open["originalUriBaseIds"]["%INPUTROOT%"]["uri"] == "file:///srv/logs/");
    }

    TEST_CASE("--category and the address of the project are named when they are known") {
        const Json run =
            sarif_run(test::full_report(), {.rules = kRules, .category = "nightly", .homepage = "https://x.example"});
        CHECK(run["automationDetails"]["id"] == "agent-audit/nightly/");
        CHECK(run["tool"]["driver"]["informationUri"] == "https://x.example");
        CHECK(run["tool"]["driver"]["rules"][0]["helpUri"] == "https://x.example/docs/reference/rules/loop-cycle.md");
        CHECK(sarif_run(test::full_report())["automationDetails"]["id"] == "agent-audit/sarif/");
    }
}

TEST_SUITE("junit") {
    TEST_CASE("a suggested reset is a property of its suite and fails nothing") {
        const Report with = test::full_report();
        Report without = with;
        without.sessions.change(0, [](SessionReport& session) { session.resets.clear(); });
        const std::string page = rendered(with, "junit", kCiOptions);
        CHECK(page.find("name=\"suggested_reset\" value=\"after line 2, where a check had passed") !=
              std::string::npos);
        pugi::xml_document a, b;
        test::load_xml(a, page);
        test::load_xml(b, rendered(without, "junit", kCiOptions));
        for (const char* count : {"tests", "failures", "errors"})
            CHECK(std::string(a.document_element().attribute(count).value()) ==
                  b.document_element().attribute(count).value());
    }

    TEST_CASE("what fails the run is a failure, what does not is told, and counts are right") {
        Report report = test::full_report();
        pugi::xml_document document;
        test::load_xml(document, rendered(report, "junit", kCiOptions));
        const auto suites = document.child("testsuites");
        CHECK(suites.attribute("tests").as_uint() == 4);  // 2 rules, 1 unreadable input, 1 missing one
        CHECK(suites.attribute("failures").as_uint() == 1);
        CHECK(suites.attribute("errors").as_uint() == 2);
        const auto test = document.select_node("//testcase[@name='loop/exact-repeat']").node();
        CHECK(std::string(test.attribute("classname").value()) == "agent-audit.loop");
        CHECK(test.attribute("line").as_uint() == 3);
        CHECK(std::string(test.child("failure").attribute("type").value()) == "loop/exact-repeat");
        CHECK(document.select_node("//testcase[@name='loop/cycle']/system-out").node());
        CHECK(!document.select_node("//testcase[@name='loop/cycle']/failure").node());
        RenderOptions strict = kCiOptions;
        strict.fail_on = Severity::warning;
        test::load_xml(document, rendered(report, "junit", strict));
        CHECK(document.child("testsuites").attribute("failures").as_uint() == 2);
        strict.fail_on.reset();
        test::load_xml(document, rendered(report, "junit", strict));
        CHECK(document.child("testsuites").attribute("failures").as_uint() == 0);
    }

    TEST_CASE("a rule that had nothing to look at is skipped, with the reason") {
        Report report = test::full_report();
        report.rules.insert(report.rules.begin(), {"budget/limits", 0, 0});
        pugi::xml_document document;
        test::load_xml(document, rendered(report, "junit", kCiOptions));
        const auto skipped = document.select_node("//testcase[@name='budget/limits']/skipped").node();
        CHECK(std::string(skipped.attribute("message").value()).find("token_usage") != std::string::npos);
        CHECK(document.child("testsuites").attribute("skipped").as_uint() == 1);
        const auto points = test::read_tap(rendered(report, "tap", kCiOptions));
        CHECK(points[0].skipped);
    }

    TEST_CASE("times of the recording are there only when asked for") {
        RenderOptions timed = kCiOptions;
        CHECK(rendered(test::full_report(), "junit", timed).find("timestamp") == std::string::npos);
        timed.with_timing = true;
        CHECK(rendered(test::full_report(), "junit", timed).find("timestamp=\"2026-02-02T02:40:00\"") !=
              std::string::npos);
        Report late = test::full_report();
        for (std::size_t i = 0; i < late.sessions.size(); ++i) {
            late.sessions.change(
                i, [](SessionReport& session) { session.first_time_ms = 253'402'300'800'000; });  // the year 10000
        }
        CHECK(rendered(late, "junit", timed).find("timestamp") == std::string::npos);
    }

    TEST_CASE("what XML cannot hold, and what hides text, becomes visible") {
        CHECK(report::xml_text("a\tb\nc\rd") == "a\tb\nc\rd");
        CHECK(report::xml_text(std::string("a\0b\x01\x1f", 5)) == "a\\x00b\\x01\\x1f");
        CHECK(report::xml_text("\uFFFE\uFFFF\xff") == "\\ufffe\\uffff\\xff");
        CHECK(report::xml_text("\u202E") == "\\u202e");
    }
}

namespace {

// Two sessions with an error each, of which one is listed.
Report cut_report() {
    ReportBuilder builder;
    builder.input("logs/a.jsonl").session("s-1");
    builder.finding(Severity::error, "loop/exact-repeat");
    builder.input("logs/b.jsonl").session("s-2");
    builder.change_last_session([&](SessionReport& s) { s.not_shown = {{"loop/exact-repeat", {0, 1, 2}}}; });
    Report& report = builder.report();
    report.rules = {{"loop/cycle", 0, 0}, {"loop/exact-repeat", 4, 3}};
    report.errors += 2;
    report.warnings += 1;
    return std::move(report);
}

}  // namespace

TEST_SUITE("findings that are not listed") {
    TEST_CASE("they fail the tests of their session, and are counted wherever there is a count") {
        const Report report = cut_report();
        const auto points = test::read_tap(rendered(report, "tap", kCiOptions));
        REQUIRE(points.size() == 4);
        CHECK(points[2].ok);
        CHECK_FALSE(points[3].ok);
        const std::string tap = rendered(report, "tap", kCiOptions);
        CHECK(tap.find("message: \"3 findings not listed (--max-findings)\"") != tap.npos);
        const std::string junit = rendered(report, "junit", kCiOptions);
        CHECK(junit.find("tests=\"4\" failures=\"2\"") != junit.npos);
        CHECK(junit.find("message=\"2 findings not listed (--max-findings)\"") != junit.npos);
        CHECK(junit.find("1 finding not listed (--max-findings)</system-out>") == junit.npos);
        CHECK(junit.find("<system-out>1 finding not listed (--max-findings)") != junit.npos);
        // A run that may not fail has no failing tests.
        RenderOptions never = kCiOptions;
        never.fail_on.reset();
        CHECK(rendered(report, "junit", never).find("failures=\"0\"") != std::string::npos);
        const auto seen = test::read_github(rendered(report, "github", kCiOptions));
        REQUIRE(seen.size() == 2);
        CHECK(seen[1].message == "3 more findings not shown here (2 errors, 1 warning, 0 notes)");
        CHECK(rendered(report, "markdown", kCiOptions).find("| logs/b.jsonl | 7 |  | 3 |") != std::string::npos);
        CHECK(rendered(report, "html", kCiOptions).find("Nothing was found in this session") == std::string::npos);
    }

    TEST_CASE("a page shows so many of a rule, the worst of them, and says how many more there are") {
        ReportBuilder builder;
        builder.input("a.jsonl").session("s");
        for (int i = 0; i < 4; ++i)
            builder
                .finding(i == 3 ? Severity::error : Severity::warning, "loop/cycle",
                         2 * static_cast<std::uint64_t>(i) + 2, 20)
                .finding_fingerprint += std::to_string(i);
        builder.finding(Severity::warning, "loop/exact-repeat");
        RenderOptions options = kCiOptions;
        options.max_findings = 2;
        options.verbosity = -1;
        const std::string text = rendered(builder.report(), "text", options);
        CHECK(text.find("2 more: loop/cycle 2 (--max-findings)") != text.npos);
        CHECK(text.find("a.jsonl:8-20") != text.npos);
        CHECK(text.find("a.jsonl:4-20") == text.npos);
        const std::string page = rendered(builder.report(), "markdown", options);
        CHECK(page.find("2 more findings not shown (--max-findings)") != page.npos);
        for (const char* format : {"csv", "html", "gitlab", "compact", "json", "sarif"}) {
            CAPTURE(format);
            CHECK(rendered(builder.report(), format, options).find("--max-findings") == std::string::npos);
        }
        CHECK(Json::parse(rendered(builder.report(), "gitlab", options)).size() == 5);
    }
}

TEST_SUITE("paths for services") {
    TEST_CASE("a path below the checkout is named from its root, wherever the step was started") {
        ReportBuilder builder;
        for (const char* path :
             {"logs/a.jsonl", "../top.jsonl", "/home/runner/checkout/r/logs/b.jsonl", "/srv/c.jsonl"})
            builder.input(path).session(path);
        for (std::uint32_t i = 0; i < 4; ++i) builder.finding(Severity::error, "loop/cycle").session = i;
        builder.report().baseline.emplace().source = "../.agent-audit-baseline.json";
        builder.report().baseline->absent = {{"loop/cycle", "0"}};
        const auto paths = [&](const RenderOptions& options) {
            std::vector<std::string> out;
            for (const Json& one : Json::parse(rendered(builder.report(), "gitlab", options)))
                out.push_back(one["location"]["path"]);
            return out;
        };
        RenderOptions options = kCiOptions;
        options.redact = Redact::strict;
        options.working_directory = "/home/runner/checkout/r/tools";
        CHECK(paths(options) ==
              std::vector<std::string>{"logs/a.jsonl", "../top.jsonl", "~/checkout/r/logs/b.jsonl", "/srv/c.jsonl"});
        options.checkout = "/home/runner/checkout/r";
        CHECK(paths(options) ==
              std::vector<std::string>{"tools/logs/a.jsonl", "top.jsonl", "logs/b.jsonl", "/srv/c.jsonl"});
        const std::string github = rendered(builder.report(), "github", options);
        for (const char* path : {"file=tools/logs/a.jsonl,", "file=top.jsonl,", "file=logs/b.jsonl,"})
            CHECK(github.find(path) != github.npos);
        CHECK(rendered(builder.report(), "junit", options).find("file=\"tools/logs/a.jsonl\"") != std::string::npos);
        CHECK(rendered(builder.report(), "markdown", options).find("At ` tools/logs/a.jsonl:") != std::string::npos);
        CHECK(rendered(builder.report(), "compact", options).starts_with("logs/a.jsonl:"));
        const Json run = sarif_run(builder.report(), options);
        CHECK(run["artifacts"][0]["location"]["uri"] == "tools/logs/a.jsonl");
        CHECK(run["originalUriBaseIds"]["%SRCROOT%"]["description"]["text"] == "The root of the repository.");
        CHECK(run["results"][4]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] ==
              ".agent-audit-baseline.json");
    }
}

TEST_SUITE("tap") {
    TEST_CASE("each session and rule is a test point, failing as the run does") {
        const auto points = test::read_tap(rendered(test::full_report(), "tap", kCiOptions));
        REQUIRE(points.size() == 4);
        CHECK(points[0].ok);  // a warning
        CHECK(!points[0].yaml.empty());
        CHECK(!points[1].ok);
        CHECK(points[1].description == "logs/stuck.jsonl: loop/exact-repeat");
        CHECK(!points[2].ok);  // an input that could not be read
    }

    TEST_CASE("a point that fails is headed by what made it fail") {
        ReportBuilder builder;
        builder.input("a.jsonl").session("s");
        builder.finding(Severity::warning, "loop/cycle", 2, 4).message = "came back 3 times";
        builder.finding(Severity::error, "loop/cycle", 6, 20).message = "came back 9 times";
        const std::string tap = rendered(builder.report(), "tap", kCiOptions);
        CHECK(tap.find("  message: \"came back 9 times") != tap.npos);
        CHECK(tap.find("  message: \"came back 9 times") < tap.find("came back 3 times"));
    }

    TEST_CASE("nothing audited is a plan of nothing") {
        CHECK(rendered({}, "tap", kCiOptions) == "TAP version 14\n1..0 # SKIP no session found\n");
    }
}

TEST_SUITE("github") {
    TEST_CASE("ten of a kind are shown, the worst first, and the rest is one notice") {
        const auto seen = test::read_github(rendered(many(Severity::error, 13), "github", kCiOptions));
        REQUIRE(seen.size() == 11);
        CHECK(seen[0].command == "error");
        CHECK(seen[10].command == "notice");
        CHECK(seen[10].message.starts_with("3 more findings"));
        const auto notices = test::read_github(rendered(many(Severity::info, 13), "github", kCiOptions));
        REQUIRE(notices.size() == 10);
        CHECK(notices[9].message.starts_with("4 more findings"));
        CHECK(test::read_github(rendered(many(Severity::info, 10), "github", kCiOptions)).size() == 10);
    }

    TEST_CASE("properties and messages are escaped as the runner unescapes them") {
        ReportBuilder builder;
        builder.input("logs/a,b:c%.jsonl").session("s");
        Finding& f = builder.finding(Severity::error, "loop/cycle");
        f.message = "50% of a, b: c";
        f.action = "stop";
        const std::string out = rendered(builder.report(), "github", kCiOptions);
        CHECK(out.find("file=logs/a%2Cb%3Ac%25.jsonl,line=3,endLine=9,") != std::string::npos);
        const auto seen = test::read_github(out);
        CHECK(seen[0].property("file") == "logs/a,b:c%.jsonl");
        CHECK(seen[0].message.starts_with("50% of a, b: c: Bash `npm test`"));
        CHECK(seen[0].message.ends_with("\nstop"));
    }

    TEST_CASE("an input that cannot be read is an error of the step") {
        Report report = test::full_report();
        report.problems = {"logs/gone.jsonl: no such file"};
        const auto seen = test::read_github(rendered(report, "github", kCiOptions));
        REQUIRE(!seen.empty());
        CHECK(seen[0].command == "error");
        CHECK(seen[0].message.starts_with("logs/gone.jsonl: no such file\nlogs/broken.bin: "));
    }

    TEST_CASE("standard input is no file to annotate") {
        ReportBuilder builder;
        builder.input("-").session("s");
        builder.finding(Severity::warning, "loop/cycle");
        const auto seen = test::read_github(rendered(builder.report(), "github", kCiOptions));
        CHECK(seen[0].command == "warning");
        CHECK(seen[0].property("file").empty());
    }
}

TEST_SUITE("gitlab and csv") {
    TEST_CASE("errors are major, or blockers when asked for, and paths have no ./") {
        ReportBuilder builder;
        builder.input("./logs/a.jsonl").session("s");
        builder.finding(Severity::error, "loop/cycle");
        Json entries = Json::parse(rendered(builder.report(), "gitlab", kCiOptions));
        CHECK(entries[0]["severity"] == "major");
        CHECK(entries[0]["fingerprint"] == std::string(32, 'a'));
        CHECK(entries[0]["location"]["path"] == "logs/a.jsonl");
        RenderOptions blocker = kCiOptions;
        blocker.gitlab_blocker = true;
        CHECK(Json::parse(rendered(builder.report(), "gitlab", blocker))[0]["severity"] == "blocker");
        CHECK(rendered({}, "gitlab", kCiOptions) == "[]\n");
    }

    TEST_CASE("findings without a fingerprint still have one each") {
        const Json entries = Json::parse(rendered(many(Severity::error, 5), "gitlab", kCiOptions));
        std::set<std::string> seen;
        for (const Json& entry : entries) seen.insert(entry["fingerprint"].get<std::string>());
        CHECK(seen.size() == 5);
    }

    TEST_CASE("a cell that would be a formula gets an apostrophe, and unknown is empty") {
        ReportBuilder builder;
        builder.input("a.jsonl").session("s");
        builder.finding(Severity::error, "loop/cycle").message = "=1+\"1\"";
        const auto rows = test::read_csv(rendered(builder.report(), "csv", kCiOptions));
        REQUIRE(rows.size() == 2);
        CHECK(rows[1][9] == "'=1+\"1\"");
        CHECK(rows[0][12] == "wasted_tokens");
        CHECK(rows[1][12].empty());
    }
}

TEST_SUITE("records of a document") {
    TEST_CASE("annotations stand at the lines of the file, and evidence says which record it is") {
        const Report report = in_document(FileLines{120, 131});
        const Json result = sarif_run(report)["results"][0];
        const Json& region = result["locations"][0]["physicalLocation"]["region"];
        CHECK(region["startLine"] == 120);
        CHECK(region["endLine"] == 131);
        const Json& step = result["codeFlows"][0]["threadFlows"][0]["locations"][0]["location"];
        CHECK(!step["physicalLocation"].contains("region"));
        CHECK(step["message"]["text"].get<std::string>().starts_with("record 3: call"));
        for (const Json& related : result["relatedLocations"]) CHECK(!related["physicalLocation"].contains("region"));
        CHECK(result["relatedLocations"][0]["message"]["text"].get<std::string>().find("after record 2") !=
              std::string::npos);

        const test::Annotation annotation = test::read_github(rendered(report, "github", kCiOptions))[0];
        CHECK(annotation.properties[1] == std::pair<std::string, std::string>("line", "120"));
        CHECK(annotation.properties[2] == std::pair<std::string, std::string>("endLine", "131"));
        const Json lines = Json::parse(rendered(report, "gitlab", kCiOptions))[0]["location"]["lines"];
        CHECK(lines == Json{{"begin", 120}, {"end", 131}});
        CHECK(rendered(report, "junit", kCiOptions).find("line=\"120\"") != std::string::npos);
        CHECK(rendered(report, "compact", kCiOptions).starts_with("a.json:120:1: error: "));
        const auto row = test::read_csv(rendered(report, "csv", kCiOptions)).at(1);
        CHECK(row.at(5) == "3");
        CHECK(row.at(row.size() - 3) == "0");  // its session
        CHECK(row.at(row.size() - 2) == "120");
        CHECK(row.back() == "131");
        CHECK(rendered(report, "tap", kCiOptions).find("a.json:120-131 (records 3-9)") != std::string::npos);
        const std::string text = rendered(report, "text", kCiOptions);
        CHECK(text.find("a.json:120-131 (records 3-9)") != std::string::npos);
        CHECK(text.find("record 9") != std::string::npos);
        CHECK(text.find("after record 2") != std::string::npos);
        CHECK(text.find("line 9") == std::string::npos);
    }

    TEST_CASE("of a file whose lines are not known none are named where a format lets one") {
        const Report report = in_document(std::nullopt);
        const Json result = sarif_run(report)["results"][0];
        CHECK(!result["locations"][0]["physicalLocation"].contains("region"));
        const test::Annotation annotation = test::read_github(rendered(report, "github", kCiOptions))[0];
        CHECK(annotation.properties[0].second == "a.json");
        CHECK(annotation.properties[1].first == "title");
        CHECK(rendered(report, "junit", kCiOptions).find(" line=") == std::string::npos);
        CHECK(Json::parse(rendered(report, "gitlab", kCiOptions))[0]["location"]["lines"]["begin"] == 1);
        CHECK(rendered(report, "tap", kCiOptions).find("a.json (records 3-9)") != std::string::npos);
    }

    TEST_CASE("where a record has a line of its own nobody needs to know that they are counted") {
        const Report report = in_document(FileLines{3, 9});
        CHECK(rendered(report, "compact", kCiOptions).find("records") == std::string::npos);
        CHECK(rendered(report, "text", kCiOptions).find("a.json:3-9\n") != std::string::npos);
    }
}

TEST_SUITE("markdown") {
    TEST_CASE("the reason of a reset is said in a sentence, be it a clause or a thing") {
        Report report = test::full_report();
        report.sessions.change(0, [](SessionReport& session) {
            session.resets.push_back(session.resets.front());
            session.resets.back().rule = "drift/user-correction";
        });
        const std::string page = rendered(report, "markdown", kCiOptions);
        CHECK(page.find("Because of going in circles") != page.npos);
        CHECK(page.find("Because a human said that the work went wrong") != page.npos);
    }

    TEST_CASE("a price that leaves requests out is marked as text marks it") {
        ReportBuilder builder;
        builder.input("a.jsonl").session("id", 4000);
        const auto line = [&](std::uint64_t priced, std::uint64_t unpriced) {
            builder.report().tokens.cost = {Money(399'070'000'000'000), priced, unpriced};
            return rendered(builder.report(), "markdown", kCiOptions);
        };
        CHECK(line(2, 0).find("$399.07 by list price.") != std::string::npos);
        CHECK(line(2, 610).find("$399.07+ by list price, the price of 610 requests is not known.") !=
              std::string::npos);
        CHECK(line(0, 610).find("in 2 requests, the price of 610 requests is not known.") != std::string::npos);
        CHECK(rendered(builder.report(), "text", kCiOptions).find("the price of 610 requests is not known") !=
              std::string::npos);
    }

    TEST_CASE("of more sessions than have room those with findings are listed, with their price where one is known") {
        ReportBuilder builder;
        for (int i = 0; i < 60; ++i)
            builder.input("s" + std::to_string(i) + ".jsonl").session("id" + std::to_string(i), 400);
        builder.finding(Severity::error, "loop/cycle");
        CHECK(rendered(builder.report(), "markdown", kCiOptions)
                  .find("| Session | Steps | Tokens | Findings |\n|---|---:|---:|---:|\n| s59.jsonl ") !=
              std::string::npos);
        builder.change_last_session([](SessionReport& session) {
            session.tokens.cost = {Money(399'070'000'000'000), 2, 0};
        });
        builder.report().tokens.cost = {Money(399'070'000'000'000), 2, 118};
        const std::string page = rendered(builder.report(), "markdown", kCiOptions);
        CHECK(page.find("| Session | Steps | Tokens | Cost | Findings |\n|---|---:|---:|---:|---:|\n| s59.jsonl ") !=
              page.npos);
        CHECK(page.find("| \\$399.07 | 1 |\n| s0.jsonl ") != page.npos);
        CHECK(page.find("10 more sessions not shown.") != page.npos);
        test::markdown_shape(page);
    }

    TEST_CASE("suggested resets stand behind the findings, the surest first, and the rest is counted") {
        ReportBuilder builder;
        for (int i = 0; i < 4; ++i) {
            builder.input("s" + std::to_string(i) + ".jsonl").session("id" + std::to_string(i));
            for (int n = 0; n < 3; ++n) {
                ResetSuggestion reset;
                reset.line = 1000 + static_cast<std::uint64_t>(10 * i + n);
                reset.confidence = 0.1 + 0.2 * i;
                builder.change_last_session([&](SessionReport& s) { s.resets.push_back(reset); });
            }
        }
        const std::string page = rendered(builder.report(), "markdown", kCiOptions);
        test::markdown_shape(page);
        const std::size_t surest = page.find("after line 1030"), least = page.find("after line 1000");
        REQUIRE(surest != std::string::npos);
        REQUIRE(least != std::string::npos);
        CHECK(surest < least);
        CHECK(page.find("and 2 more") != std::string::npos);
        CHECK(page.find("after line 1002") == std::string::npos);
        CHECK(rendered(many(Severity::error, 1), "markdown", kCiOptions).find("Suggested resets") == std::string::npos);
    }

    TEST_CASE("a limit on bytes holds with resets too") {
        Report report = test::full_report();
        for (const std::size_t most : {500u, 1'000u, 2'000u, 6'000u}) {
            RenderOptions limited = kCiOptions;
            limited.max_bytes = most;
            CHECK(rendered(report, "markdown", limited).size() <= std::max<std::size_t>(most, 800));
        }
    }

    TEST_CASE("a page with a limit ends at the border of a finding and says what is missing") {
        RenderOptions limited = kCiOptions;
        limited.max_bytes = 20'000;
        const std::string page = rendered(many(Severity::error, 500), "markdown", limited);
        CHECK(page.size() <= limited.max_bytes);
        CHECK(page.size() > 10'000);
        CHECK(page.find("more findings not shown") != std::string::npos);
        CHECK(page.find("### Inspected") != std::string::npos);
        test::markdown_shape(page);
    }

    TEST_CASE("a fence is longer than any the text has, and prose has no markup left") {
        CHECK(report::markdown_block("a\n````\nb").starts_with("`````text\n"));
        CHECK(report::markdown_code("a`b``c") == "``` a`b``c ```");
        CHECK(report::markdown_prose("[a](b) <i> *x* a|b") == "\\[a\\](b) &lt;i&gt; \\*x\\* a\\|b");
        CHECK(report::markdown_prose("1. a") == "1\\. a");
        CHECK(report::markdown_prose("# a") == "\\#\u200B a");
        CHECK(report::markdown_prose("plain words, 12 of them (1-2).") == "plain words, 12 of them (1-2).");
    }
}
