#include "pipeline/files.hpp"

#include <agent_audit/detectors/detector.hpp>
#include <agent_audit/readers/reader.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <sstream>

using namespace agent_audit;
using test::Folder;
using Json = nlohmann::json;

namespace {

constexpr std::string_view kNoResults =
    "{\"role\":\"user\",\"content\":\"go\"}\n"
    "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"1\",\"function\":{\"name\":\"ls\",\"arguments\":\"{}\"}}]}\n"
    "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"2\",\"function\":{\"name\":\"ls\",\"arguments\":\"{}\"}}]}\n"
    "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"3\",\"function\":{\"name\":\"ls\",\"arguments\":\"{}\"}}]}\n";

std::string written_as(const Report& report, std::string_view format, RenderOptions options = {}) {
    std::string out;
    find_renderer(format)->render(report, options, [&out](std::string_view piece) {
        out += piece;
        return true;
    });
    return out;
}

std::optional<SkippedRule> skipped(const SessionReport& session, std::string_view rule) {
    const auto found = std::ranges::find(session.skipped_rules, rule, &SkippedRule::rule);
    return found == session.skipped_rules.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

TEST_SUITE("skipped rules") {
    TEST_CASE("what a format never tells skips the rules that need it, by reason of the format") {
        const Report report = test::report_of({(test::project() / "testdata/readers/cline-ui/minimal.json").string()});
        REQUIRE(report.sessions.size() == 1);
        const std::optional<SkippedRule> rule = skipped(report.sessions[0], "loop/exact-repeat");
        REQUIRE(rule);
        CHECK(rule->reason == SkipReason::format);
        CHECK(rule->missing == signals(Signal::tool_results));
        CHECK_FALSE(skipped(report.sessions[0], "loop/monologue"));
    }

    TEST_CASE("what a session did not tell though its format can is a reason of its own") {
        const Folder folder;
        const Report report = test::report_of({folder.write("s.jsonl", kNoResults)});
        REQUIRE(report.sessions.size() == 1);
        const std::optional<SkippedRule> rule = skipped(report.sessions[0], "loop/exact-repeat");
        REQUIRE(rule);
        CHECK(rule->reason == SkipReason::session);
        CHECK(rule->missing == signals(Signal::tool_results));
        CHECK_FALSE(skipped(report.sessions[0], "loop/self-appending"));
    }

    TEST_CASE("a session that ended within its only call, or made none, tells all it can") {
        const Folder folder;
        const std::string one(kNoResults.substr(0, kNoResults.find("{\"role\":\"assistant\"", 40)));
        for (const std::string& text : {one, std::string("{\"role\":\"user\",\"content\":\"hi\"}\n"
                                                         "{\"role\":\"assistant\",\"content\":\"hello\"}\n")}) {
            const Report report = test::report_of({folder.write("s.jsonl", text)});
            REQUIRE(report.sessions.size() == 1);
            const std::optional<SkippedRule> rule = skipped(report.sessions[0], "loop/exact-repeat");
            CHECK((!rule || rule->reason == SkipReason::format));
        }
    }

    TEST_CASE("a rule is skipped or it finds something, never both, and none that was left out is skipped") {
        for (const auto& file : test::recordings(test::project() / "testdata/readers")) {
            if (file.filename().string().starts_with("bad-")) continue;
            CAPTURE(file.string());
            AuditPlan plan;
            plan.inputs = {file.string()};
            plan.ignore = {"loop/cycle"};
            const Report report = test::report_of(plan);
            for (const SessionReport& session : report.sessions) {
                CHECK_FALSE(skipped(session, "loop/cycle"));
                for (const SkippedRule& rule : session.skipped_rules) {
                    CHECK(find_detector(rule.rule));
                    CHECK(rule.missing.bits != 0);
                }
            }
            for (const Finding& finding : report.findings) {
                CHECK_FALSE(skipped(report.sessions[finding.session], finding.rule));
            }
        }
    }

    TEST_CASE("every form of the report names them with the reason") {
        const Folder folder;
        AuditPlan plan;
        plan.inputs = {folder.write("s.jsonl", kNoResults)};
        plan.select = {"loop/exact-repeat", "loop/post-compaction-loop"};
        const Report report = test::report_of(plan);
        for (const int verbosity : {-1, 0, 1}) {
            const std::string text = written_as(report, "text", {.width = 0, .verbosity = verbosity});
            CAPTURE(text);
            CHECK(text.find("loop/exact-repeat in 1 session: no tool_results in the recording") != text.npos);
            CHECK(text.find("loop/post-compaction-loop in 1 session: no compaction in the format") != text.npos);
        }
        const Json result = Json::parse(written_as(report, "json"));
        const Json expected = Json::parse(
            R"([{"rule":"loop/exact-repeat","needs":"tool_results","reason":"session","sessions":1},
                {"rule":"loop/post-compaction-loop","needs":"compaction","reason":"format","sessions":1}])");
        CHECK(result["summary"]["skipped"] == expected);
        CHECK(result["sessions"][0]["skipped_rules"].size() == 2);
        std::istringstream lines(written_as(report, "ndjson"));
        std::size_t named = 0;
        for (std::string line; std::getline(lines, line);) {
            const Json json = Json::parse(line);
            if (json["kind"] == "session") named += json["skipped_rules"].size();
            if (json["kind"] == "summary") CHECK(json["skipped"] == expected);
        }
        CHECK(named == 2);
    }
}
