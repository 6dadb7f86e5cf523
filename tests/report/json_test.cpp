#include "support/report_builder.hpp"
#include "support/schema_validator.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

using namespace agent_audit;
using Json = nlohmann::json;
using test::rendered;
using test::ReportBuilder;
using Validator = test::SchemaValidator;

namespace {

constexpr RenderOptions kJsonOptions{.tool_version = "9.9"};

std::vector<Json> lines_of(const std::string& out) {
    std::vector<Json> lines;
    std::istringstream in(out);
    for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
    return lines;
}

}  // namespace

TEST_SUITE("json report") {
    TEST_CASE("the result is what its schema says, field for field") {
        const Json result = Json::parse(rendered(test::full_report(), "json", kJsonOptions));
        CHECK(Validator("result").errors(result) == std::vector<std::string>{});
    }

    TEST_CASE("the schema is strict enough to notice a wrong result") {
        Json result = Json::parse(rendered(test::full_report(), "json", kJsonOptions));
        result["findings"][0]["severity"] = "terrible";
        result["sessions"][0]["tokens"]["input"] = -1;
        result["notes"][0]["surprise"] = 1;
        result["summary"].erase("findings");
        CHECK(Validator("result").errors(result).size() == 4);
    }

    TEST_CASE("every line of ndjson is of one kind, run first and summary last") {
        const std::vector<Json> lines = lines_of(rendered(test::full_report(), "ndjson", kJsonOptions));
        Validator validator("ndjson");
        for (const Json& line : lines) CHECK(validator.errors(line) == std::vector<std::string>{});
        CHECK(lines.front()["kind"] == "run");
        CHECK(lines.back()["kind"] == "summary");
        for (const char* kind : {"input", "session", "finding", "metric", "note"}) {
            CAPTURE(kind);
            CHECK(std::any_of(lines.begin(), lines.end(), [&](const Json& line) { return line["kind"] == kind; }));
        }
    }

    TEST_CASE("an empty report is a valid result") {
        CHECK(Validator("result").errors(Json::parse(rendered({}, "json", kJsonOptions))) ==
              std::vector<std::string>{});
        CHECK(lines_of(rendered({}, "ndjson", kJsonOptions)).size() == 2);
    }

    TEST_CASE("what is unknown is absent, not zero") {
        ReportBuilder builder;
        builder.input("a.jsonl").session("s");
        const Json session = Json::parse(rendered(builder.report(), "json", kJsonOptions))["sessions"][0];
        CHECK(session["tokens"] == Json{{"source", "none"}});
        for (const char* field : {"first_time", "model", "cwd", "parent_id", "sub_agent"}) {
            CAPTURE(field);
            CHECK_FALSE(session.contains(field));
        }
    }

    TEST_CASE("tools are listed with failures by class, and classes that did not occur are left out") {
        Report report = test::full_report();
        report.tools[0].failures = {0, 0, 3, 0, 1, 0};
        report.policy = Policy::strict;
        const Json summary = Json::parse(rendered(report, "json", kJsonOptions))["summary"];
        CHECK(summary["policy"] == "strict");
        CHECK(summary["tools"][0] == Json{{"tool", "Bash"},
                                          {"calls", 5},
                                          {"failures", 4},
                                          {"failures_by_class", {{"persistent", 3}, {"user_denied", 1}}},
                                          {"longest_failure_streak", 2}});
        CHECK(summary["tools"][1] == Json{{"tool", "Read"}, {"calls", 2}, {"failures", 0}});
    }

    TEST_CASE("times are RFC 3339 in UTC and money is whole micro-dollars") {
        const Json result = Json::parse(rendered(test::full_report(), "json", kJsonOptions));
        CHECK(result["sessions"][0]["first_time"] == "2026-02-02T02:40:00.123Z");
        CHECK(result["summary"]["tokens"]["cost_microusd"] == 3'200'000);
        CHECK(result["findings"][0]["wasted"]["cost_microusd"] == 9'000);
    }

    TEST_CASE("record fates add up to the total and zeros are left out") {
        const Json result = Json::parse(rendered(test::full_report(), "json", kJsonOptions));
        const Json& records = result["summary"]["records"];
        std::uint64_t sum = 0;
        for (const auto& [fate, n] : records.items()) sum += fate == "total" ? 0 : n.get<std::uint64_t>();
        CHECK(sum == records["total"]);
        CHECK_FALSE(records.contains("too_long"));
    }

    TEST_CASE("evidence is redacted, and the home directory is not named") {
        Report report = test::full_report();
        report.findings[0].evidence[0].text = "export GITHUB_TOKEN=ghp_" + std::string(36, 'x');
        const std::string out = rendered(report, "json", kJsonOptions);
        CHECK(out.find("ghp_xxx") == out.npos);
        CHECK(Json::parse(out)["sessions"][0]["cwd"] == "~/project");
    }

    TEST_CASE("what a recording calls itself and its models is redacted as well") {
        const std::string token = "ghp_" + std::string(36, 'x');
        Report report = test::full_report();
        SessionReport session = report.sessions[0];
        session.id = session.model = session.parent_id = session.product_version = "s-" + token;
        session.tokens.by_model = {{"m-" + token, {}, 1, {}}};
        test::put(report, 0, session);
        for (const char* format : {"json", "ndjson"}) {
            const std::string out = rendered(report, format, kJsonOptions);
            CHECK(out.find(token) == out.npos);
            CHECK(out.find("\"s-[redacted github token]\"") != out.npos);
        }
    }

    TEST_CASE("hostile text neither breaks the JSON nor reaches a terminal raw") {
        Report report = test::full_report();
        report.findings[0].message =
            std::string("a\0b", 3) + "\x1b[31m \xff \xed\xa0\x80 \u2028 \u202E \"\\\n##[error]x";
        const std::string out = rendered(report, "json", {.guard_ci = true});
        CHECK(out.find('\x1b') == out.npos);
        CHECK(out.find("##[") == out.npos);
        const std::string message = Json::parse(out)["findings"][0]["message"];
        CHECK(message.starts_with(std::string("a\0b\x1b[31m \uFFFD", 12)));
        CHECK(message.ends_with("\u2028 \u202E \"\\\n##[error]x"));
    }

    TEST_CASE("large reports come in pieces and a refusing sink ends the work") {
        ReportBuilder builder;
        for (int i = 0; i < 2000; ++i) builder.input("s" + std::to_string(i)).session("id", 1000);
        for (const char* format : {"json", "ndjson"}) {
            CAPTURE(format);
            std::size_t largest = 0, pieces = 0;
            find_renderer(format)->render(builder.report(), kJsonOptions, [&](std::string_view piece) {
                largest = std::max(largest, piece.size());
                ++pieces;
                return true;
            });
            CHECK(largest < 128u << 10);
            CHECK(pieces > 10);
            pieces = 0;
            find_renderer(format)->render(builder.report(), kJsonOptions,
                                          [&](std::string_view) { return ++pieces < 2; });
            CHECK(pieces == 2);
        }
    }
}
