#include "support/scratch.hpp"

#include <doctest/doctest.h>

#include <string>

// What was saved and is shown again says what the scan itself said.

TEST_SUITE("a saved result") {
    TEST_CASE("the text of a saved result is the text of the scan, figure by figure") {
        const agent_audit::test::Scratch scratch;
        const auto shown = [&](const std::string& lines) {
            return scratch.run("T=$PWD\ncd \"$source_dir/testdata\"\n{ " + lines + "; } 2>&1").out;
        };
        for (const std::string session :
             {"drift/ok-long-hunt-for-one-bug.jsonl", "demo/stuck-session.jsonl", "drift"}) {
            CAPTURE(session);
            for (const std::string format : {"json", "ndjson"}) {
                const std::string scan = shown("aa scan -v -f text -o " + format + "=$T/r " + session + " --exit-zero");
                CHECK(scan == shown("aa scan -o " + format + "=$T/r " + session +
                                    " --exit-zero; aa report -v -f text --exit-zero $T/r"));
            }
        }
    }
}
