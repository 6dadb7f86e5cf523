#include <agent_audit/simulator/regret.hpp>
#include <agent_audit/support/hash.hpp>

#include "simulator/regret/identifier_hash.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace agent_audit;
using namespace agent_audit::simulator;

namespace {

std::vector<std::uint64_t> ids(std::string_view text, bool escaped = false) {
    std::vector<std::uint64_t> out;
    append_identifiers(out, text, escaped);
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}
bool has(std::string_view text, std::string_view identifier, bool escaped = false) {
    const auto found = ids(text, escaped);
    return std::ranges::find(found, identifier_hash(identifier)) != found.end();
}

// A conversation: every message is as large as its number times 100.
struct Talk {
    RegretTracker tracker;
    std::uint32_t next = 0;
    std::uint32_t turn = 1;

    std::uint32_t says(std::string_view text) {
        tracker.arrives(next, ids(text));
        return next++;
    }
    std::uint32_t person(std::string_view text) {
        tracker.instructs(next, text);
        return says(text);
    }
    std::uint32_t answer(std::string_view text, std::vector<CallFacts> calls = {}) {
        tracker.answers(turn, ids(text), calls);
        return says(text);
    }
    std::uint32_t result(std::string_view id, std::string_view text = "", std::uint64_t failure = 0) {
        tracker.result(next, turn, stable_hash(id), failure);
        return says(text);
    }
    std::vector<RegretRow> take() {
        return tracker.take([](std::uint32_t message) { return 100.0 * message; });
    }
};

CallFacts read(std::string_view id, std::uint64_t path, std::string_view arguments = "{}") {
    return {stable_hash(id), path * 1000 + arguments.size(), path, CallKind::read, line_range(arguments), arguments};
}
CallFacts write(std::string_view id, std::uint64_t path) {
    return {stable_hash(id), 77, path, CallKind::write, {}, "{}"};
}
CallFacts command(std::string_view id, std::string_view words) {
    return {stable_hash(id), stable_hash(words), 0, CallKind::command, {}, words};
}

}  // namespace

TEST_SUITE("identifiers") {
    TEST_CASE("numbers have four digits, words eight letters, hashes seven characters of both kinds") {
        CHECK(has("port 8080.", "8080"));
        CHECK(ids("port 808 and 12").empty());
        CHECK(has("the contexts", "contexts"));
        CHECK(ids("a context").empty());
        CHECK(has("commit 3fa4b2c,", "3fa4b2c"));
        CHECK(ids("commit 3fa4b2").empty());
        CHECK(has("call parse_usage_row()", "parse_usage_row"));
    }
    TEST_CASE("paths and file names count whole, and so do long words in them") {
        CHECK(has("see src/model/event.hpp.", "src/model/event.hpp"));
        CHECK(has("see src/calibration/x.c", "calibration"));
        CHECK(has("in main.cpp:", "main.cpp"));
        CHECK(has("/etc/passwd", "/etc/passwd"));
        CHECK(ids("1/2 of 3.14, e.g. x/y").empty());
    }
    TEST_CASE("in JSON the letter behind a backslash belongs to no word") {
        CHECK(has(R"(a\nidentical)", "identical", true));
        CHECK_FALSE(has(R"(a\nidentical)", "nidentical", true));
    }
    TEST_CASE("one text gives each identifier once") { CHECK(ids("identical identical identical").size() == 1); }
    TEST_CASE("a text with endless identifiers gives no more than the most") {
        std::string text;
        for (int i = 0; i < 50'000; ++i) text += std::to_string(100'000 + i) + " ";
        CHECK(ids(text).size() <= kMostIdentifiers);
    }
    TEST_CASE("an identifier of three messages is not rare any more") {
        IdentifierIndex index;
        for (std::uint32_t message = 0; message < 3; ++message) {
            index.add(5, message);
            index.add(5, message);
            REQUIRE(index.find(5) != nullptr);
            CHECK(index.find(5)->rare() == (message < 2));
        }
        CHECK(index.find(6) == nullptr);
        CHECK(index.size() == 1);
    }
    TEST_CASE("the index stays bounded") {
        IdentifierIndex index;
        for (std::uint64_t i = 1; i <= IdentifierIndex::kMost + 1000; ++i) index.add(i, 0);
        CHECK(index.size() == IdentifierIndex::kMost);
        CHECK(index.find(1) != nullptr);
        CHECK(index.find(IdentifierIndex::kMost + 1) == nullptr);
    }
}

TEST_SUITE("regret") {
    TEST_CASE("an identifier that only a removed message has is lost, once, with that message's tokens") {
        Talk talk;
        talk.says("hello");
        const auto removed = talk.says("the token is 8f3a9c21");
        talk.tracker.leaves(removed, 640);
        talk.answer("using 8f3a9c21 now");
        const auto rows = talk.take();
        REQUIRE(rows.size() == 1);
        CHECK(rows[0].kind == "used_lost");
        CHECK(rows[0].source_index == removed);
        CHECK(rows[0].tokens == 640);
        CHECK(talk.tracker.totals().lost_identifiers == 1);
        CHECK(talk.tracker.totals().first_loss_turn == 1);
        talk.answer("8f3a9c21 again");
        CHECK(talk.take().empty());
        CHECK(talk.tracker.totals().tokens == 640);
    }
    TEST_CASE("an identifier that is still to be seen somewhere is not lost") {
        Talk talk;
        const auto removed = talk.says("8f3a9c21");
        talk.says("8f3a9c21 too");
        talk.tracker.leaves(removed, 640);
        talk.answer("8f3a9c21");
        CHECK(talk.take().empty());
    }
    TEST_CASE("of two removed messages the smaller one counts") {
        Talk talk;
        const auto large = talk.says("8f3a9c21"), small = talk.says("8f3a9c21");
        talk.tracker.leaves(large, 640);
        talk.tracker.leaves(small, 30);
        talk.answer("8f3a9c21");
        const auto rows = talk.take();
        REQUIRE(rows.size() == 1);
        CHECK(rows[0].source_index == small);
        CHECK(rows[0].tokens == 30);
    }
    TEST_CASE("an identifier of three messages is common knowledge") {
        Talk talk;
        for (int i = 0; i < 3; ++i) talk.tracker.leaves(talk.says("8f3a9c21"), 10);
        talk.answer("8f3a9c21");
        CHECK(talk.take().empty());
    }
    TEST_CASE("a removed message is charged once, every identifier it takes along is counted") {
        Talk talk;
        talk.tracker.leaves(talk.says("8f3a9c21 and 77aa77bb"), 640);
        talk.answer("8f3a9c21");
        talk.answer("77aa77bb");
        CHECK(talk.take().size() == 1);
        CHECK(talk.tracker.totals().lost_identifiers == 2);
        CHECK(talk.tracker.totals().tokens == 640);
    }
    TEST_CASE("what a shortened message still shows is not lost") {
        Talk talk;
        const auto message = talk.says("8f3a9c21 … 77aa77bb");
        talk.tracker.leaves(message, 640, ids("8f3a9c21"));
        talk.answer("8f3a9c21");
        CHECK(talk.take().empty());
        talk.answer("77aa77bb");
        CHECK(talk.take().size() == 1);
    }
    TEST_CASE("what a shortened message showed is lost when the rest goes too") {
        Talk talk;
        const auto message = talk.says("8f3a9c21 … 77aa77bb");
        talk.tracker.leaves(message, 640, ids("8f3a9c21"));
        talk.tracker.leaves(message, 640);
        talk.answer("8f3a9c21");
        CHECK(talk.take().size() == 1);
    }
    TEST_CASE("what an answer says itself is to be seen in it from then on") {
        Talk talk;
        talk.answer("8f3a9c21");
        talk.answer("8f3a9c21");
        CHECK(talk.take().empty());
    }
    TEST_CASE("what a summary says is not lost while the summary stands") {
        for (const bool gone : {false, true}) {
            Talk talk;
            talk.tracker.leaves(talk.says("8f3a9c21"), 640);
            const auto summary = talk.tracker.summary_arrives(ids("it is 8f3a9c21"), "it is 8f3a9c21");
            if (gone) talk.tracker.summary_leaves(summary);
            talk.answer("8f3a9c21");
            CHECK(talk.take().size() == (gone ? 1 : 0));
        }
    }
    TEST_CASE("what returns is to be seen again") {
        Talk talk;
        const auto message = talk.says("8f3a9c21");
        talk.tracker.leaves(message, 640);
        talk.tracker.returns(message);
        talk.answer("8f3a9c21");
        CHECK(talk.take().empty());
    }

    TEST_CASE("reading a file again is regretted when the first result has left, with the new result's tokens") {
        for (const bool left : {false, true}) {
            Talk talk;
            talk.answer("", {read("a", 1)});
            const auto first = talk.result("a");
            if (left) talk.tracker.leaves(first, 500);
            talk.turn = 4;
            talk.answer("", {read("b", 1)});
            const auto second = talk.result("b");
            const auto rows = talk.take();
            REQUIRE(rows.size() == (left ? 1 : 0));
            if (!left) continue;
            CHECK(rows[0].kind == "reread");
            CHECK(rows[0].source_index == first);
            CHECK(rows[0].tokens == 100 * second);
            CHECK(talk.tracker.totals().rereads == 1);
            CHECK(talk.tracker.totals().first_loss_turn == 4);
        }
    }
    TEST_CASE("reading a file that was changed meanwhile is no regret") {
        for (const std::uint64_t changed : {1, 2}) {
            Talk talk;
            talk.answer("", {read("a", 1)});
            talk.tracker.leaves(talk.result("a"), 500);
            talk.answer("", {write("w", changed)});
            talk.result("w");
            talk.answer("", {read("b", 1)});
            talk.result("b");
            CHECK(talk.take().size() == (changed == 1 ? 0 : 1));
        }
    }
    TEST_CASE("ranges that touch do not overlap, ranges that share a line do") {
        for (const bool overlap : {false, true}) {
            Talk talk;
            talk.answer("", {read("a", 1, R"({"offset":0,"limit":100})")});
            talk.tracker.leaves(talk.result("a"), 500);
            talk.answer("", {read("b", 1, overlap ? R"({"offset":99,"limit":10})" : R"({"offset":100,"limit":10})")});
            talk.result("b");
            CHECK(talk.take().size() == (overlap ? 1 : 0));
        }
    }
    TEST_CASE("a command is asked again when nothing was changed since, and not when anything was") {
        for (const bool changed : {false, true}) {
            Talk talk;
            talk.answer("", {command("a", "git log")});
            talk.tracker.leaves(talk.result("a"), 500);
            if (changed) {
                talk.answer("", {write("w", 9)});
                talk.result("w");
            }
            talk.answer("", {command("b", "git log")});
            talk.result("b");
            CHECK(talk.take().size() == (changed ? 0 : 1));
        }
    }
    TEST_CASE("writing the same twice is no rereading") {
        Talk talk;
        talk.answer("", {write("a", 1)});
        talk.tracker.leaves(talk.result("a"), 500);
        talk.answer("", {write("b", 1)});
        talk.result("b");
        CHECK(talk.take().empty());
    }

    TEST_CASE("a failure is repeated when the first one has left and it fails the same way") {
        struct Example {
            bool left;
            std::uint64_t failure;
            std::size_t found;
        };
        for (const Example& e : {Example{true, 7, 1}, Example{false, 7, 0}, Example{true, 8, 0}, Example{true, 0, 0}}) {
            Talk talk;
            talk.answer("", {command("a", "make")});
            const auto first = talk.result("a", "", 7);
            if (e.left) talk.tracker.leaves(first, 500);
            talk.answer("", {command("b", "make")});
            const auto second = talk.result("b", "", e.failure);
            const auto rows = talk.take();
            REQUIRE(rows.size() == e.found);
            if (rows.empty()) continue;
            CHECK(rows[0].kind == "repeated_failure");
            CHECK(rows[0].tokens == 100 * second);
            CHECK(talk.tracker.totals().rereads == 0);
        }
    }

    TEST_CASE("a prohibition that has left is broken by a write to the path it names, not by reading it") {
        for (const bool breaks : {false, true}) {
            Talk talk;
            const auto said = talk.person("Please fix it. Never edit config/prod.yaml. Thanks");
            talk.tracker.leaves(said, 40);
            CallFacts call = breaks ? write("a", 3) : read("a", 3);
            call.arguments = R"({"path":"config/prod.yaml"})";
            talk.answer("", {call, call});
            const auto rows = talk.take();
            const auto lost = std::ranges::count(rows, "instruction_lost", &RegretRow::kind);
            CHECK(lost == (breaks ? 1 : 0));
            CHECK(talk.tracker.totals().lost_instructions == (breaks ? 1 : 0));
            CHECK(talk.tracker.totals().tokens == 0);
        }
    }
    TEST_CASE("a forbidden command is broken by running it; longer names are other names") {
        for (const auto& [words, found] :
             {std::pair{R"({"command":"git push origin"})", 1}, std::pair{R"({"command":"git pushall"})", 0}}) {
            Talk talk;
            talk.tracker.leaves(talk.person("do not run `git push`"), 40);
            talk.answer("", {command("a", words)});
            CHECK(talk.tracker.totals().lost_instructions == static_cast<std::uint64_t>(found));
        }
    }
    TEST_CASE("a prohibition is not lost while it or a summary that repeats it is to be seen") {
        for (const bool summarised : {false, true}) {
            Talk talk;
            const auto said = talk.person("不要 `git push`");
            if (summarised) {
                talk.tracker.leaves(said, 40);
                talk.tracker.summary_arrives({}, "user forbids `git push`");
            }
            talk.answer("", {command("a", R"({"command":"git push"})")});
            CHECK(talk.tracker.totals().lost_instructions == 0);
        }
    }
    TEST_CASE("a sentence that forbids nothing is no prohibition") {
        Talk talk;
        talk.tracker.leaves(talk.person("Edit config/prod.yaml; never mind the tests"), 40);
        CallFacts call = write("a", 3);
        call.arguments = R"({"path":"config/prod.yaml"})";
        talk.answer("", {call});
        CHECK(talk.tracker.totals().lost_instructions == 0);
    }

    TEST_CASE("nothing is regretted when nothing leaves, and removing more never regrets less") {
        for (unsigned seed = 1; seed <= 30; ++seed) {
            std::uint64_t before = 0;
            for (const unsigned share : {0U, 30U, 60U, 100U}) {
                std::mt19937 random(seed);
                Talk talk;
                for (int k = 0; k < 120; ++k) {
                    const std::string id = "call" + std::to_string(k), word = std::to_string(10'000 + random() % 200);
                    const std::uint64_t path = random() % 5 + 1;
                    const unsigned dice = random() % 100;
                    talk.answer(word, {random() % 6 == 0 ? write(id, path) : read(id, path)});
                    const auto message = talk.result(id, std::to_string(10'000 + random() % 200));
                    if (dice < share) talk.tracker.leaves(message, 10);
                }
                talk.take();
                const auto& totals = talk.tracker.totals();
                const std::uint64_t now = totals.lost_identifiers + totals.rereads;
                if (share == 0) CHECK(now == 0);
                CHECK(now >= before);
                before = now;
            }
        }
    }
}

TEST_SUITE("calls") {
    TEST_CASE("kinds of calls go by the tool's bare name") {
        CHECK(call_kind("Read") == CallKind::read);
        CHECK(call_kind("mcp__fs__read_file") == CallKind::read);
        CHECK(call_kind("apply_patch") == CallKind::write);
        CHECK(call_kind("Bash") == CallKind::command);
        CHECK(call_kind("PowerShell") == CallKind::command);
        CHECK(call_kind("RunCommand") == CallKind::command);
        CHECK(call_kind("readiness") == CallKind::other);
        CHECK(call_kind("") == CallKind::other);
    }
    TEST_CASE("a range without end reaches to the end") {
        CHECK(line_range("{}").from == 0);
        CHECK(line_range("{}").to == UINT64_MAX);
        CHECK(line_range(R"({"start_line":5,"end_line":9})").to == 10);
        CHECK(line_range(R"({"offset":"7"})").from == 7);
        CHECK(line_range(R"({"limit":18446744073709551615,"offset":9})").to == UINT64_MAX);
    }
}
