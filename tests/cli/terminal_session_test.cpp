#include "support/scratch.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

using agent_audit::test::Finished;
using agent_audit::test::holds;
using agent_audit::test::Scratch;
using agent_audit::test::slurp;

namespace {

// The widest line in columns; symbols of ours take one each.
std::size_t widest(const std::string& screen) {
    std::istringstream lines(screen);
    std::string line;
    std::size_t most = 0;
    while (std::getline(lines, line)) {
        std::size_t columns = 0;
        for (const char c : line) columns += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
        most = std::max(most, columns);
    }
    return most;
}

}  // namespace

TEST_SUITE("a terminal") {
    TEST_CASE("shows progress while it lasts, colour, and a report that fits 40 columns") {
        const Scratch scratch;
        const Finished recorded = scratch.run("sh \"$source_dir/scripts/record-terminal.sh\" \"$program\" screens");
        if (recorded.status == 77) {
            MESSAGE("skipped: no tmux here");
            return;
        }
        CAPTURE(recorded.err);
        REQUIRE(recorded.status == 0);
        const auto screen = [&](const std::string& name) { return slurp(scratch / ("screens/" + name + ".txt")); };
        CHECK(holds(screen("progress"), "agent-audit: reading 1 input: "));
        CHECK(!holds(screen("done"), "reading 1 input: "));
        CHECK(holds(screen("done"), "the end\n"));
        CHECK(holds(screen("scan-80"), "loop/"));
        CHECK(holds(screen("color"), "\x1B[1m"));
        CHECK(!holds(screen("scan-80"), "\x1B["));
        // Lines that are meant to be copied may be wider than the page; tmux would break them, the report does not.
        CHECK(widest(screen("scan-40")) <= 40);
        CHECK(widest(screen("doctor-40")) <= 40);
        CHECK(holds(screen("explain-80"), "loop/exact-repeat"));
    }
}
