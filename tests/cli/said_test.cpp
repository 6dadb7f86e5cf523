#include "support/scratch.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

// What a run could not do is said, and what was mistyped is met with the word that was meant.

using agent_audit::test::Finished;
using agent_audit::test::holds;
using agent_audit::test::Scratch;
using Json = nlohmann::json;

namespace {

// The session exact-repeat, of a model that nobody knows, without figures, without times.
constexpr const char* kMakeSessions =
    "sed 's/claude-sonnet-4-5/my-model/' exact-repeat.jsonl >unpriced.jsonl\n"
    "sed 's/\"cache_read_input_tokens\":/&999/' unpriced.jsonl >windowless.jsonl\n"  // longer than any usual window
    "sed 's/,\"usage\":{[^}]*}//' exact-repeat.jsonl >unbilled.jsonl\n"
    "sed 's/,\"timestamp\":\"[^\"]*\"//' exact-repeat.jsonl >timeless.jsonl\n"
    "aa convert --to chat exact-repeat.jsonl >stateless.jsonl 2>stateless.err\n";

}  // namespace

TEST_SUITE("a limit that cannot be measured") {
    TEST_CASE("is skipped with its reason and told in a warning, and is no passed test") {
        const Scratch scratch;
        REQUIRE(scratch.status(kMakeSessions) == 0);
        const struct {
            const char* limit;
            const char* session;
            const char* needs;
            const char* quiet;
            const char* warning;
        } cases[] = {
            {"budget/limits.max-cost=5", "unpriced.jsonl", "price", "no price known of some requests",
             "budget/limits: max-cost was not checked to the end in 1 session: the price of 14 requests is not known "
             "(--prices)"},
            {"budget/limits.window-share=80", "windowless.jsonl", "window", "no context window known of some",
             "budget/limits: window-share was not checked to the end in 1 session: the context window of 14 requests "
             "is not known (--prices)"},
            {"budget/limits.max-cost=5", "unbilled.jsonl", "token_usage", "no token_usage in the recording",
             "budget/limits: max-cost was not checked to the end in 1 session: no usage is recorded"},
            {"budget/limits.minutes=5", "timeless.jsonl", "timestamps", "no timestamps in the recording",
             "budget/limits: minutes was not checked to the end in 1 session: no times are recorded"},
            {"budget/limits.failed-calls-from=99", "stateless.jsonl", "result_status", "no result_status in the format",
             "budget/limits: failed-calls-from was not checked to the end in 1 session: how calls ended is told by "
             "their texts only"},
            {"budget/limits.denied-by-rule-from=99", "stateless.jsonl", "result_status", "no result_status in the",
             "budget/limits: denied-by-rule-from was not checked to the end in 1 session: how calls ended is told by "
             "their texts only"},
            {"constraints.max-cost=5", "unpriced.jsonl", "price", "no price known of some requests",
             "constraint/limit: max-cost was not checked to the end in 1 session: the price of 14 requests is not "
             "known (--prices)"},
            {"constraints.max-wall-time=5m", "timeless.jsonl", "timestamps", "no timestamps in the recording",
             "constraint/limit: max-wall-time was not checked to the end in 1 session: no times are recorded"},
        };
        for (const auto& one : cases) {
            CAPTURE(one.limit);
            CAPTURE(one.session);
            const std::string scan =
                std::string("aa --select budget/limits,constraint/limit --set ") + one.limit + " " + one.session;
            const Finished quiet = scratch.run(scan + " -q");
            CHECK(quiet.status == 0);
            CHECK(holds(quiet.out, std::string(" in 1 session: ") + one.quiet));
            CHECK(holds(quiet.err, one.warning));
            const Json result = Json::parse(scratch.run(scan + " -f json").out);
            CHECK(result.at("sessions").at(0).at("skipped_rules").at(0).at("needs") == one.needs);
            CHECK(result.at("notes").at(0).at("severity") == "warning");
            CHECK(result.at("notes").at(0).at("text") == one.warning);
            CHECK(holds(scratch.run(scan + " -f junit").out, "<skipped message="));
            CHECK(holds(scratch.run(scan + " -f tap").out, "# SKIP "));
            CHECK(holds(scratch.run(scan + " -f github").out,
                        std::string("::warning title=agent-audit::") + one.warning));
            CHECK(holds(scratch.run(scan + " -f compact").err, one.warning));
            CHECK(scratch.run(scan + " -v").out == scratch.run(scan + " -f json >r; aa report -v r").out);
        }
    }

    TEST_CASE("that was passed all the same, or could be measured, is not told") {
        const Scratch scratch;
        REQUIRE(scratch.status(kMakeSessions) == 0);
        const Finished passed = scratch.run(
            "cat exact-repeat.jsonl unpriced.jsonl >both.jsonl; aa -q --set budget/limits.max-cost=0.0001 --select "
            "budget both.jsonl");
        CHECK(passed.status == 1);
        CHECK(passed.err == "");
        const Finished measured = scratch.run(
            "aa -q --set budget/limits.max-cost=100 --set budget/limits.minutes=500 --select budget "
            "exact-repeat.jsonl");
        CHECK(measured.err == "");
        CHECK_FALSE(holds(measured.out, "skipped"));
    }
}

TEST_SUITE("a run without anything to watch for") {
    TEST_CASE("is not called clean, by no format, and says so on standard error") {
        const Scratch scratch;
        const Finished quiet = scratch.run("aa -q --select budget exact-repeat.jsonl");
        CHECK(quiet.status == 0);
        CHECK(holds(quiet.out, "! nothing was checked in 1 session"));
        CHECK_FALSE(holds(quiet.out, "clean"));
        CHECK(holds(quiet.err, "nothing was checked"));
        CHECK(holds(scratch.run("aa --select budget -f compact exact-repeat.jsonl").err, "nothing was checked"));
        CHECK(holds(scratch.run("aa --select budget -f github exact-repeat.jsonl").out,
                    "::warning title=agent-audit::nothing was checked"));
        CHECK(holds(scratch.run("aa --select budget -f junit exact-repeat.jsonl").out,
                    "<skipped message=\"no limit is set\""));
        CHECK(holds(scratch.run("aa --select budget -f tap exact-repeat.jsonl").out, "# SKIP no limit is set"));
        CHECK(holds(scratch.run("aa --select budget -f markdown exact-repeat.jsonl").out,
                    "Warning: nothing was checked"));
        CHECK(holds(scratch.run("aa -q --select budget,loop/monologue exact-repeat.jsonl").out, "clean"));
    }
}

TEST_SUITE("what is shown of a session") {
    TEST_CASE("the folder it began in is recorded text: secrets are taken out of it") {
        const Scratch scratch;
        const std::string secret = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
        const std::string make = "sed 's#/home/dev/shop\"#/home/dev/" + secret + "\"#' exact-repeat.jsonl >s.jsonl; ";
        CHECK_FALSE(holds(scratch.run(make + "aa -f json s.jsonl").out, secret));
        CHECK(holds(scratch.run(make + "aa -f json --redact none s.jsonl").out, secret));
        CHECK(holds(scratch.run("aa -f json exact-repeat.jsonl").out, "\"cwd\":\"~/shop\""));
    }

    TEST_CASE("an estimate beside recorded figures is marked in every table") {
        const Scratch scratch;
        REQUIRE(scratch.status(kMakeSessions) == 0);
        const std::string scan = "aa --exit-zero exact-repeat.jsonl unbilled.jsonl";
        const std::string text = scratch.run(scan).out;
        CHECK(holds(text, " ~"));
        CHECK(holds(text, "~ estimated, and not in the sum: 1 session"));
        CHECK(holds(scratch.run(scan + " -f markdown").out, "| about "));
        CHECK(holds(scratch.run(scan + " -f html").out, ">about "));
        CHECK_FALSE(holds(scratch.run("aa --exit-zero exact-repeat.jsonl clean.jsonl").out, "~"));
    }

    TEST_CASE("findings that are not listed are counted in the shortest text too") {
        const Scratch scratch;
        const Finished done = scratch.run(
            "cp exact-repeat.jsonl other.jsonl; sed -i s/3f2b/4f2b/g other.jsonl; aa -q --max-findings 1 "
            "exact-repeat.jsonl other.jsonl");
        CHECK(holds(done.err, "1 finding not listed in text (--max-findings)"));
    }

    TEST_CASE("a clock that runs back takes the same time in a limit, a replay and a report") {
        const Scratch scratch;
        const std::string make =
            "awk '{ sub(/T09:[0-9:.]*Z/, sprintf(\"T09:%02d:00.000Z\", 59 - NR)); print }' exact-repeat.jsonl "
            ">back.jsonl; ";
        const Finished done = scratch.run(make + "aa -q --set budget/limits.minutes=1 --select budget back.jsonl");
        CHECK(holds(done.out, "the session took "));
        CHECK(holds(scratch.run(make + "aa replay --policy balanced -f json back.jsonl").out, "\"wall_ms\":1620000"));
    }
}

TEST_SUITE("what was mistyped") {
    TEST_CASE("help of a command is that of the command, and of none it is an error") {
        const Scratch scratch;
        CHECK(scratch.run("aa help explain").out == scratch.run("aa explain --help").out);
        CHECK(scratch.run("aa help").out == scratch.run("aa --help").out);
        const Finished none = scratch.run("aa help scna");
        CHECK(none.status == 2);
        CHECK(holds(none.err, "'scna' is no command; did you mean scan?"));
    }

    TEST_CASE("a variable that is nearly one of ours is named, any other one is not") {
        const Scratch scratch;
        CHECK(holds(scratch.run("AGENT_AUDIT_FAILON=warning aa -q clean.jsonl").err,
                    "AGENT_AUDIT_FAILON sets nothing; did you mean AGENT_AUDIT_FAIL_ON?"));
        CHECK(holds(scratch.run("AGENT_AUDIT_FAILON=warning aa config show").err,
                    "AGENT_AUDIT_FAILON sets nothing; did you mean AGENT_AUDIT_FAIL_ON?"));
        CHECK(scratch
                  .run("AGENT_AUDIT_FAIL_ON=warning AGENT_AUDIT_BIN=x AGENT_AUDIT_VERSION=1.2 "
                       "AGENT_AUDIT_NOW=2026-01-01T00:00:00Z aa -q clean.jsonl")
                  .err == "");
    }

    TEST_CASE("levels and rules are suggested by their beginning, in any case, and for what looks alike") {
        const Scratch scratch;
        CHECK(holds(scratch.run("aa --fail-on=warn clean.jsonl").err, "did you mean warning?"));
        CHECK(holds(scratch.run("aa --fail-on=ERROR clean.jsonl").err, "did you mean error?"));
        CHECK(holds(scratch.run("aa --select lop/exact clean.jsonl").err, "did you mean 'loop/exact-repeat'?"));
        CHECK(holds(scratch.run("aa --ignore AA1O1 clean.jsonl").err, "did you mean 'AA101'?"));
        CHECK(holds(scratch.run("aa explain aa101").err, "did you mean loop/exact-repeat?"));
        CHECK(holds(scratch.run("aa explain LOOP/exact-repeat").err, "did you mean loop/exact-repeat?"));
        CHECK(holds(scratch.run("aa explain loop").err, "'loop' is a group of rules"));
        CHECK(scratch.run("aa explain loop/ping-pong").out == scratch.run("aa explain loop/cycle").out);
    }

    TEST_CASE("a saved result that is cut or of another version is not called foreign") {
        const Scratch scratch;
        CHECK(holds(scratch.run("aa -f json clean.jsonl | head -c 900 >r; aa report r").err,
                    "r: a result of agent-audit that is cut off at byte 900"));
        CHECK(holds(scratch.run("aa -f json clean.jsonl | sed s,result/1,result/2, >r; aa report r").err,
                    "written by another version of agent-audit: agent-audit/result/2"));
        const auto none = scratch.run("echo '{}' >r; aa report r");
        CHECK(none.status == 3);
        CHECK(holds(none.err, "r: not a result of scan -f json or -f ndjson"));
        CHECK_FALSE(holds(none.err, "no session was recognised"));
    }
}
