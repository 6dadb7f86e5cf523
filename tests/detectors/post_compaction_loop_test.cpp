#include "support/session.hpp"

#include <doctest/doctest.h>

using agent_audit::Severity;
using agent_audit::test::Session;

namespace {

Session& attempts(Session& s, int count) {
    for (int i = 0; i < count; ++i)
        s.fails("Bash", "make part" + std::to_string(i), "no rule for part" + std::to_string(i));
    return s;
}
Session& reads(Session& s, int count) {
    for (int i = 0; i < count; ++i) s.call("Read", "part" + std::to_string(i), "text " + std::to_string(i));
    return s;
}

}  // namespace

TEST_SUITE("loop/post-compaction-loop") {
    TEST_CASE("three failed attempts made again after a compaction are a warning, six an error") {
        for (const auto& [count, findings, severity] :
             {std::tuple{2, 0u, Severity::info}, {3, 1u, Severity::warning}, {6, 1u, Severity::error}}) {
            Session s("loop/post-compaction-loop");
            attempts(attempts(s, count).compaction(), count);
            const auto& found = s.end();
            REQUIRE(found.size() == findings);
            if (findings == 0) continue;
            CHECK(found[0].severity == severity);
            CHECK(found[0].persisted_across_compaction);
            CHECK(found[0].first_line == 1);
            CHECK(found[0].wasted_steps == static_cast<std::uint64_t>(count));
        }
    }

    TEST_CASE("one call three times over right after a compaction is a warning") {
        Session s("loop/post-compaction-loop");
        reads(s, 2).compaction();
        for (int i = 0; i < 3; ++i) s.call("Bash", "./next", "stand still");
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("files that are read once more are not a loop, twice more they are") {
        Session once("loop/post-compaction-loop");
        reads(reads(once, 8).compaction(), 8);
        CHECK(once.end().empty());
        Session twice("loop/post-compaction-loop");
        reads(reads(reads(twice, 8).compaction(), 8).compaction(), 8);
        CHECK(twice.end().size() == 1);
    }

    TEST_CASE(
        "an edit that replaces what it replaced before found that in another place; one that fails again did not") {
        const auto findings = [](agent_audit::ResultStatus status) {
            Session s("loop/post-compaction-loop");
            const auto correct = [&] {
                for (const std::string word : {"mi1l", "fl0ur", "gra1n", "whee1", "s4ck"})
                    s.call_json("Edit", "chronicle.txt",
                                R"({"file_path":"chronicle.txt","old_string":")" + word + R"(","new_string":"x)" +
                                    word + R"("})",
                                "done", status);
            };
            correct();
            s.compaction();
            correct();
            return s.end().size();
        };
        CHECK(findings(agent_audit::ResultStatus::ok) == 0);
        CHECK(findings(agent_audit::ResultStatus::error) == 1);
    }

    TEST_CASE("an attempt made again after a real change is a new attempt") {
        Session s("loop/post-compaction-loop");
        attempts(s, 6).compaction().call("Edit", "Makefile", "done");
        attempts(s, 6);
        CHECK(s.end().empty());
    }

    TEST_CASE("without a compaction in between nothing is said") {
        Session s("loop/post-compaction-loop");
        attempts(attempts(s, 6), 6);
        CHECK(s.end().empty());
    }

    TEST_CASE("repeats long after the compaction have another reason") {
        Session s("loop/post-compaction-loop");
        attempts(s, 6).compaction();
        for (int i = 0; i < 30; ++i) s.call("Read", "new" + std::to_string(i), std::to_string(i));
        attempts(s, 6);
        CHECK(s.end().empty());
    }

    TEST_CASE("the last response before a compaction counts as before it") {
        Session s("loop/post-compaction-loop");
        attempts(attempts(s, 3).compaction(), 3);
        CHECK(s.end().at(0).repeats == 3);
    }

    TEST_CASE("attempts that are spread over more time than asked for are silent") {
        for (const auto& [seconds, findings] : {std::pair{10, 1u}, {100, 0u}}) {
            Session s("loop/post-compaction-loop", {{"within", "60"}});
            attempts(s, 3).compaction();
            for (int i = 0; i < 3; ++i)
                s.at(1000 + i * seconds)
                    .fails("Bash", "make part" + std::to_string(i), "no rule for part" + std::to_string(i));
            CHECK(s.end().size() == findings);
        }
    }
}
