#include "support/scratch.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

using agent_audit::test::Finished;
using agent_audit::test::holds;
using agent_audit::test::Scratch;

TEST_SUITE("records and inputs that cannot be read") {
    TEST_CASE("replay and convert name every lost record with -v, and the first of them without") {
        const Scratch scratch;
        for (const char* command :
             {"aa replay --policy strict -q", "aa replay", "aa convert --to chat", "aa replay --turns"}) {
            CAPTURE(command);
            const Finished brief = scratch.run(std::string(command) + " malformed-line.jsonl");
            CHECK(holds(brief.err, "2 records could not be read"));
            CHECK(holds(brief.err, "(the first at malformed-line.jsonl:5: not JSON"));
            CHECK_FALSE(holds(brief.err, "\nmalformed-line.jsonl:"));
            const Finished full = scratch.run(std::string(command) + " -v malformed-line.jsonl");
            CHECK(holds(full.err, "\nmalformed-line.jsonl:5: not JSON"));
            CHECK(holds(full.err, "\nmalformed-line.jsonl:7: "));
        }
    }

    TEST_CASE("replay --strict-input ends with 3 where a scan does, wherever that is said") {
        const Scratch scratch;
        for (const char* command : {"aa replay --policy strict -q", "aa replay"}) {
            CAPTURE(command);
            CHECK(scratch.status(std::string(command) + " malformed-line.jsonl") == 0);
            const Finished strict = scratch.run(std::string(command) + " --strict-input malformed-line.jsonl");
            CHECK(strict.status == 3);
            CHECK(holds(strict.err, "could not be read, and --strict-input was given"));
            CHECK(scratch.status("AGENT_AUDIT_STRICT_INPUT=1 " + std::string(command) + " malformed-line.jsonl") == 3);
            CHECK(scratch.status(std::string(command) + " --strict-input clean.jsonl") == 0);
            // A last record that was cut is what an agent that goes on leaves, and is strict's affair.
            const std::string cut = "head -c -9 clean.jsonl > cut.jsonl; ";
            CHECK(scratch.status(cut + command + " cut.jsonl") == 0);
            CHECK(scratch.status(cut + command + " --strict-input cut.jsonl") == 3);
        }
        const std::string folder = "mkdir -p d; cp clean.jsonl d; : > d/empty.jsonl; ";
        CHECK(scratch.status(folder + "aa replay --policy strict -q d") == 0);
        CHECK(scratch.status("aa replay --policy strict -q --strict-input d") == 3);
        // A run that failed is told before what could not be read, but not to a strict gate.
        CHECK(scratch.status("aa replay --policy strict -q exact-repeat.jsonl malformed-line.jsonl") == 1);
        CHECK(scratch.status("aa replay --policy strict -q --strict-input exact-repeat.jsonl malformed-line.jsonl") ==
              3);
    }

    TEST_CASE("an input without a session is named in one form, and counts as a problem") {
        const Scratch scratch;
        const std::string made = R"(printf '{"resourceSpans":[]}' > none.json; )";
        for (const char* command : {"aa -q none.json", "aa replay none.json", "aa replay --policy strict none.json"}) {
            CAPTURE(command);
            const Finished seen = scratch.run(made + command);
            CAPTURE(seen.err);
            CHECK(seen.status == 3);
            CHECK(holds(seen.err, "none.json"));
        }
        CHECK(holds(scratch.run("aa -q none.json").out, "no session found; 1 input problem"));
        const Finished again =
            scratch.run("aa -f json -o clean.json clean.jsonl; COLUMNS=120 aa report clean.json gone.json");
        CHECK(again.status == 3);
        CHECK(holds(again.out, "; 1 input problem"));
        CHECK(holds(again.out, "unread    cannot open 'gone.json'"));
    }
}

TEST_SUITE("flags that do nothing") {
    TEST_CASE("what a variable of scan says holds in replay, as far as it has the flag") {
        const Scratch scratch;
        const std::string strict = "aa replay --policy strict exact-repeat.jsonl";
        CHECK(scratch.status(strict) == 1);
        CHECK(scratch.status("AGENT_AUDIT_EXIT_ZERO=1 " + strict) == 0);
        CHECK(scratch.status("AGENT_AUDIT_EXIT_ZERO=0 " + strict) == 1);
        CHECK(scratch.run("AGENT_AUDIT_QUIET=1 " + strict).out == scratch.run(strict + " -q").out);
        CHECK(scratch.run("AGENT_AUDIT_VERBOSE=1 " + strict).out == scratch.run(strict + " -v").out);
        // Without --policy they are meant for other runs.
        CHECK(scratch.status(
                  "AGENT_AUDIT_EXIT_ZERO=1 AGENT_AUDIT_JOBS=2 AGENT_AUDIT_EXCLUDE=x aa replay clean.jsonl") == 0);
        CHECK(holds(scratch.run("aa replay -j 3 clean.jsonl").err, "--jobs needs --policy"));
        CHECK(holds(scratch.run("aa replay --exit-zero clean.jsonl").err, "--exit-zero needs --policy"));
    }

    TEST_CASE("a flag of a format that is not written is told, and a variable is not") {
        const Scratch scratch;
        const Finished idle = scratch.run("aa -q --hash --gitlab-blocker --category x --with-timing clean.jsonl");
        CHECK(idle.status == 0);
        for (const char* words :
             {"--hash does nothing: it is for -f sarif", "--gitlab-blocker does nothing: it is for -f gitlab",
              "--category does nothing: it is for -f sarif", "--with-timing does nothing: it is for -f junit"})
            CHECK(holds(idle.err, words));
        CHECK(scratch.run("aa -q --hash -o sarif=x.sarif --with-timing -o junit=x.xml clean.jsonl").err == "");
        CHECK(scratch.run("AGENT_AUDIT_HASH=1 aa -q clean.jsonl").err == "");
    }

    TEST_CASE("help names the options that no variable stands for") {
        const Scratch scratch;
        CHECK(holds(scratch.run("COLUMNS=120 aa --help").out,
                    "Every option of scan but --files-from, --null, --judge-* and --embeddings-* can also be set in"));
    }
}

TEST_SUITE("compactions") {
    TEST_CASE("a recording that begins with the compaction of another one says so") {
        const Scratch scratch;
        const auto begun_with = [&scratch](const std::string& tokens) {
            return scratch
                .run(R"(printf '%s\n' '{"type":"system","subtype":"compact_boundary","uuid":"b0","parentUuid":null,)"
                     R"("sessionId":"3f2a0001-1111-4111-8111-000000000001","timestamp":"2026-03-04T08:00:00.000Z",)"
                     R"("compactMetadata":{"trigger":"auto","preTokens":)" +
                     tokens + R"(,"postTokens":900}}' > c.jsonl; cat clean.jsonl >> c.jsonl; COLUMNS=120 aa c.jsonl)")
                .out;
        };
        CHECK(holds(begun_with("980558"), "more than any prompt here held: of history that is not in this file"));
        CHECK(holds(begun_with("1400"), "compacted   once"));
        CHECK_FALSE(holds(begun_with("1400"), "is not in this file"));
    }
}
