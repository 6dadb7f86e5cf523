#include <agent_audit/config/baseline.hpp>
#include <agent_audit/config/saved_findings.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace agent_audit;

namespace {

std::string baseline_problem(std::string_view text) {
    const auto baseline = parse_baseline(text, "b.json");
    return baseline ? "no problem" : baseline.error().message;
}

std::string saved_problem(std::string_view text) {
    const auto saved = parse_saved_findings(text, "r.json");
    return saved ? "no problem" : saved.error().message;
}

constexpr std::string_view kFinding =
    R"({"rule":"loop/cycle","severity":"error","message":"m","path":"a.jsonl","session":0,"session_id":"s","span":{"first_line":3,"last_line":9},"fingerprints":{"agentAuditFinding/v1":"f1","agentAuditPattern/v1":"p1"}})";

}  // namespace

TEST_SUITE("baseline file") {
    TEST_CASE("what was written is read back, sorted") {
        Baseline baseline;
        baseline.entries.push_back({"loop/a", "p2", 2, "2026-03-04T09:00:01.000Z", "it \"is\" \\ so\n", {"f1", "f2"}});
        baseline.entries.push_back({"loop/a", "p1", 1, "", "", {}});
        const std::string text = baseline_text(baseline, "1.2.3");
        const auto read = parse_baseline(text, "b.json");
        REQUIRE(read.has_value());
        REQUIRE(read->entries.size() == 2);
        CHECK(read->entries[0].pattern == "p1");
        CHECK(read->entries[1].count == 2);
        CHECK(read->entries[1].reason == "it \"is\" \\ so\n");
        CHECK(read->entries[1].findings == std::vector<std::string>{"f1", "f2"});
        CHECK(read->find("loop/a", "p2")->first_seen == "2026-03-04T09:00:01.000Z");
        CHECK(read->find("loop/b", "p2") == nullptr);
    }

    TEST_CASE("an empty baseline is one") {
        const auto read = parse_baseline(baseline_text({}, "1"), "b.json");
        REQUIRE(read.has_value());
        CHECK(read->entries.empty());
    }

    TEST_CASE("a byte order mark in front is no part of it") {
        CHECK(parse_baseline("\xEF\xBB\xBF" + baseline_text({}, "1"), "b.json").has_value());
    }

    TEST_CASE("what is no baseline is refused by name") {
        CHECK(baseline_problem("[1,2").find("b.json:1: not JSON") == 0);
        CHECK(baseline_problem("{\n \"entries\": [\n  {,}\n ]\n}").find("b.json:3: not JSON") == 0);
        CHECK(baseline_problem("{}").find("b.json: not a baseline") == 0);
        CHECK(baseline_problem(R"({"schema":"agent-audit/baseline/2","entries":[]})") ==
              "b.json: written by another version of agent-audit: agent-audit/baseline/2, and this one reads "
              "agent-audit/baseline/1");
        CHECK(baseline_problem(R"({"schema":"agent-audit/result/1","entries":[]})").find("b.json: not a baseline") ==
              0);
        CHECK(baseline_problem(R"({"schema":"agent-audit/baseline/1"})") == "b.json: expected a list \"entries\"");
        CHECK(baseline_problem(R"({"schema":"agent-audit/baseline/1","entries":[{"rule":"a","fingerprint":"b"}]})") ==
              "b.json: entries[0]: expected rule, fingerprint and count");
        CHECK(baseline_problem(
                  R"({"schema":"agent-audit/baseline/1","entries":[{"rule":"a","fingerprint":"b","count":-1}]})")
                  .find("entries[0]") != std::string::npos);
        CHECK(
            baseline_problem(
                R"({"schema":"agent-audit/baseline/1","entries":[{"rule":"a","fingerprint":"b","count":1},{"rule":"a","fingerprint":"b","count":1}]})") ==
            "b.json: two entries for a with fingerprint b");
    }
}

TEST_SUITE("saved findings") {
    TEST_CASE("JSON and NDJSON say the same") {
        const std::string finding(kFinding);
        const std::string json =
            R"({"schema":"agent-audit/result/1","summary":{"rules":[{"rule":"loop/cycle","not_shown":2}]},"sessions":[{"index":0,"first_time":"T"}],"findings":[)" +
            finding + "]}";
        const std::string lines =
            "{\"kind\":\"run\",\"schema\":\"agent-audit/result/"
            "1\"}\n{\"kind\":\"session\",\"index\":0,\"first_time\":\"T\"}\n{\"kind\":\"finding\"," +
            finding.substr(1) +
            "\n{\"kind\":\"metric\",\"name\":\"rule\",\"rule\":\"loop/"
            "cycle\",\"not_shown\":2}\n{\"kind\":\"summary\"}\n";
        for (const std::string& text : {json, lines}) {
            CAPTURE(text);
            const auto saved = parse_saved_findings(text, "r");
            REQUIRE(saved.has_value());
            REQUIRE(saved->findings.size() == 1);
            const SavedFinding& f = saved->findings[0];
            CHECK(f.rule == "loop/cycle");
            CHECK(f.id == "f1");
            CHECK(f.pattern == "p1");
            CHECK(f.last_line == 9);
            CHECK(f.first_time == "T");
            CHECK_FALSE(f.silenced);
            CHECK(saved->rules == std::vector<std::string>{"loop/cycle"});
            CHECK(saved->not_shown == 2);
        }
    }

    TEST_CASE("what a run silenced is read as silenced") {
        std::string finding(kFinding);
        finding.insert(1, R"("baseline_state":"unchanged",)");
        std::string other(kFinding);
        other.insert(1, R"("suppressed":{"reason":"r"},)");
        const auto saved = parse_saved_findings(
            R"({"schema":"agent-audit/result/1","findings":[)" + finding + "," + other + "]}", "r");
        REQUIRE(saved.has_value());
        CHECK(saved->findings[0].silenced);
        CHECK(saved->findings[1].suppressed);
    }

    TEST_CASE("lines of several results in a row are those results") {
        const auto result = [](const std::string& time) {
            std::string finding(kFinding);
            finding.insert(1, R"("kind":"finding",)");
            return R"({"kind":"run","schema":"agent-audit/result/1"})"
                   "\n"
                   R"({"kind":"session","index":0,"first_time":")" +
                   time + "\"}\n" + finding +
                   "\n"
                   R"({"kind":"metric","name":"rule","rule":"loop/cycle"})"
                   "\n"
                   R"({"kind":"summary","sessions":1,"policy":"strict"})"
                   "\n";
        };
        const auto saved = parse_saved_findings(result("2026-03-04T09:00:01.000Z") + result(""), "r");
        REQUIRE(saved.has_value());
        REQUIRE(saved->findings.size() == 2);
        CHECK(saved->findings[0].first_time == "2026-03-04T09:00:01.000Z");
        CHECK(saved->findings[0].run != saved->findings[1].run);
        CHECK(saved->sessions == 2);
        CHECK(saved->policy == "strict");
        CHECK(saved->rules == std::vector<std::string>{"loop/cycle"});
        const std::string torn = R"({"kind":"run","schema":"agent-audit/result/1"})"
                                 "\n";
        CHECK(saved_problem(torn + result("")).find("cut off") != std::string::npos);
    }

    TEST_CASE("half a result is refused: its missing half would look like a cure") {
        CHECK(saved_problem("{\"kind\":\"run\",\"schema\":\"agent-audit/result/1\"}\n") ==
              "r.json: the result is cut off: its last line is no summary");
        CHECK(saved_problem(R"({"schema":"agent-audit/result/1","findings":[)").find("r.json:1: not JSON") == 0);
        CHECK(saved_problem(R"({"schema":"agent-audit/result/99","findings":[]})")
                  .find("r.json: written by another version of agent-audit: agent-audit/result/99") == 0);
        CHECK(saved_problem(R"({"schema":"agent-audit/result/1"})") == "r.json: expected a list \"findings\"");
        CHECK(saved_problem(R"({"schema":"agent-audit/result/1","findings":[{"rule":"x"}]})")
                  .find("r.json: findings[0]") == 0);
    }

    TEST_CASE("sessions and other files are no results") {
        CHECK(saved_problem("") == "r.json: not a result of scan -f json or -f ndjson");
        CHECK(saved_problem(R"({"type":"user","message":"agent-audit/result"})").find("not a result") !=
              std::string::npos);
        CHECK_FALSE(looks_like_result(R"([{"schema":"agent-audit/result/1"}])"));
    }
}
