#include "readers/all.hpp"
#include "readers/event_lines.hpp"
#include "readers/zip_writer.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

test::Reading read(std::string_view name) {
    return read_text(readers::inspect(), slurp(test::source_dir() / "testdata/readers/inspect" / name));
}

std::string log_of(std::string_view samples) {
    return R"({"version":2,"eval":{"task":"t","model":"m"},"samples":[)" + std::string(samples) + "]}";
}

}  // namespace

TEST_SUITE("inspect") {
    TEST_CASE("one sample is one session, named after task, sample and epoch") {
        const auto seen = read("full.json");
        CHECK(seen.those("SessionStart") ==
              Lines{R"(SessionStart id=sample-uuid-1 model=acme/large-2 label=repair fix \"quotes\" epoch 2)",
                    "SessionStart id=2 model=acme/large-2 label=repair 2 epoch 1"});
        CHECK(seen.fates == std::vector{LineFate::understood});
    }

    TEST_CASE("the archive and the document of the same samples tell the same") {
        const std::string sample = R"({"id":1,"epoch":1,"target":"","messages":[{"role":"user","content":"hi"},)"
                                   R"({"role":"assistant","content":"ho"}]})";
        const auto document = read_text(readers::inspect(), log_of(sample));
        const auto archive = read_text(
            readers::inspect(), test::zip_of({{"samples/1_epoch_1.json", sample},
                                              {"header.json", R"({"version":2,"eval":{"task":"t","model":"m"}})"}}));
        CHECK(document.lines() == archive.lines());
        CHECK(document.lines().size() == 5);
    }

    TEST_CASE("only what the sample asks is a human's") {
        const auto seen = read("full.json");
        CHECK(seen.those("Message user") == Lines{"Message user/human 'Repair the build, please.'",
                                                  "Message user/injected 'Please go on.'",
                                                  "Message user/human 'say hi'"});
        CHECK(seen.count("TurnStart") == 2);
    }

    TEST_CASE("results fail as their error says, and an approval that was withheld is a denial") {
        CHECK(read("full.json").those("ToolResult") == Lines{"ToolResult c1 error 'Command timed out'",
                                                             "ToolResult c2 ok 'a view' media=1",
                                                             "ToolResult c3 denied 'not allowed'"});
    }

    TEST_CASE("times and tokens come from the event of the message") {
        const auto seen = read("full.json");
        const auto at = std::find(seen.lines().begin(), seen.lines().end(), "ToolResult c1 error 'Command timed out'");
        REQUIRE(at != seen.lines().end());
        const auto& head = seen.events.heads[static_cast<std::size_t>(at - seen.lines().begin())];
        CHECK(head.time_ms == 1767323057000);
        CHECK(head.where.line == 4);
        // Cached tokens inside the input where the total says so, beside it where it does not; graders cost as well.
        CHECK(seen.those("Usage") == Lines{"Usage in=40 write=0 read=60 out=20 model=acme/large-2 cost=250000",
                                           "Usage in=10 write=10 read=20 out=5 model=acme/large-2",
                                           "Usage in=7 write=0 read=0 out=1 model=acme/grader-1",
                                           "Usage in=3 write=0 read=0 out=1 model=acme/large-2"});
    }

    TEST_CASE("a compaction stands before the answer that followed it") {
        const auto seen = read("full.json");
        const auto at = std::find(seen.lines().begin(), seen.lines().end(), "Compaction summary before=9000");
        REQUIRE(at != seen.lines().end());
        CHECK(*(at + 1) == "ToolCall c3 bash 'rm -r .'");
    }

    TEST_CASE("an attachment that is missing stands for itself") {
        const auto seen =
            read_text(readers::inspect(),
                      log_of(R"({"id":1,"epoch":1,"messages":[{"role":"user","content":"attachment://ff"}]})"));
        CHECK(seen.those("Message") == Lines{"Message user/human 'attachment://ff'"});
    }

    TEST_CASE("samples of a log that ends too early are read as far as they are whole") {
        const auto seen = read("bad-cut.json");
        CHECK(seen.fates == std::vector{LineFate::partial});
        CHECK(seen.count("SessionStart") == 1);
    }

    TEST_CASE("a log without samples is understood, a sample without messages is not") {
        CHECK(read_text(readers::inspect(), R"({"version":2,"status":"started","eval":{"task":"t"}})").fates ==
              std::vector{LineFate::understood});
        CHECK(read_text(readers::inspect(), R"({"id":1,"epoch":1,"messages":5})").fates ==
              std::vector{LineFate::missing_field});
        CHECK(read_text(readers::inspect(), R"({"x":1})").fates == std::vector{LineFate::unknown_kind});
    }

    TEST_CASE("a sample cut anywhere never gives more than the whole one, and nothing twice") {
        const std::string whole = slurp(test::source_dir() / "testdata/readers/inspect/minimal.json");
        const std::size_t events = read("minimal.json").lines().size();
        for (std::size_t size = 0; size < whole.size(); ++size) {
            CAPTURE(size);
            const auto seen = read_text(readers::inspect(), whole.substr(0, size));
            CHECK(seen.lines().size() <= events + 1);
            CHECK(seen.count("SessionStart") <= 1);
        }
    }
}
