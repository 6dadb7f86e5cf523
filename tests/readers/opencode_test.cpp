#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace agent_audit;
using test::read_text;

namespace {

std::string opencode_step(
    std::string_view tokens,
    std::string_view message = R"("id":"msg_a","time":{"created":1772445600200,"completed":1772445609000})",
    std::string_view model = "toy") {
    return fmt::format(
        R"({{"row":"opencode.message","role":"assistant","modelID":"{}",{}}})"
        "\n"
        R"({{"row":"opencode.part","type":"step-finish","tokens":{{"input":100,{},"cache":{{"read":40,"write":0}}}}}})"
        "\n",
        model, message, tokens);
}

Usage opencode_usage(const std::string& text, std::string_view version = "1.1.9") {
    const auto seen =
        read_text(readers::opencode(), fmt::format(R"({{"row":"opencode.session","id":"ses_1","version":"{}"}})"
                                                   "\n",
                                                   version) +
                                           text);
    REQUIRE(seen.events.usages.size() == 1);
    return seen.events.usages.front();
}

}  // namespace

TEST_SUITE("opencode") {
    TEST_CASE("the total tells whether reasoning is inside the output or beside it") {
        CHECK(opencode_usage(opencode_step(R"("output":30,"reasoning":20,"total":170)")).tokens ==
              TokenCounts{100, 0, 40, 30, 20});
        CHECK(opencode_usage(opencode_step(R"("output":30,"reasoning":20,"total":190)")).tokens ==
              TokenCounts{100, 0, 40, 50, 20});
        CHECK(opencode_usage(opencode_step(R"("output":0,"reasoning":20,"total":160)")).tokens ==
              TokenCounts{100, 0, 40, 20, 20});
    }

    TEST_CASE("without a total reasoning is inside the output in old versions, but for providers that count it apart") {
        const std::string_view inside = R"("output":30,"reasoning":20)", apart = R"("output":10,"reasoning":20)";
        CHECK(opencode_usage(opencode_step(inside)).tokens == TokenCounts{100, 0, 40, 30, 20});
        CHECK(opencode_usage(opencode_step(apart)).tokens == TokenCounts{100, 0, 40, 30, 20});
        CHECK(opencode_usage(opencode_step(inside), "1.2.0").tokens == TokenCounts{100, 0, 40, 50, 20});
        CHECK(opencode_usage(opencode_step(inside), "").tokens == TokenCounts{100, 0, 40, 50, 20});
        constexpr std::string_view kIds = R"("id":"msg_a")";
        CHECK(opencode_usage(opencode_step(inside, kIds, "gemini-3-pro")).tokens == TokenCounts{100, 0, 40, 50, 20});
        CHECK(opencode_usage(opencode_step(inside, kIds, "grok-5")).tokens == TokenCounts{100, 0, 40, 50, 20});
    }

    TEST_CASE("a fork's copy of a request has other ids and is the same request") {
        const std::string_view tokens = R"("output":30,"reasoning":0)";
        const Usage first = opencode_usage(opencode_step(tokens));
        CHECK(first.message_key != 0);
        const auto key = [&](std::string_view message, std::string_view t, std::string_view model = "toy") {
            return opencode_usage(opencode_step(t, message, model)).message_key;
        };
        CHECK(key(R"("id":"msg_b","time":{"created":1772445600200,"completed":1772445609000})", tokens) ==
              first.message_key);
        CHECK(key(R"("id":"msg_b","time":{"created":1772445600201,"completed":1772445609000})", tokens) !=
              first.message_key);
        CHECK(key(R"("id":"msg_b","time":{"created":1772445600200,"completed":1772445609000})",
                  R"("output":31,"reasoning":0)") != first.message_key);
        CHECK(key(R"("id":"msg_b","time":{"created":1772445600200,"completed":1772445609000})", tokens, "other") !=
              first.message_key);
        CHECK(key(R"("id":"short")", tokens) == 0);
        CHECK(key(R"("id":"msg_0123456789abcdef")", tokens) != 0);
    }

    TEST_CASE("messages of an export are responses of their own, even where their ids were taken out") {
        const auto answers = [](std::string_view first, std::string_view second) {
            const auto message = [](std::string_view id) {
                return fmt::format(
                    R"({{"info":{{"id":"{}","role":"assistant"}},"parts":[{{"id":"p","type":"text","text":"a"}},)"
                    R"({{"id":"q","type":"text","text":"b"}}]}})",
                    id);
            };
            const auto seen = read_text(
                readers::opencode(),
                fmt::format(R"({{"info":{{"id":"ses_1"}},"messages":[{},{}]}})", message(first), message(second)));
            std::vector<std::uint64_t> out;
            for (const auto& head : seen.events.heads)
                if (head.response != 0) out.push_back(head.response);
            return out;
        };
        for (const std::string_view second : {"gone", "msg_b"}) {
            const auto said = answers("gone", second);
            REQUIRE(said.size() == 4);
            CHECK(said[0] == said[1]);
            CHECK(said[1] != said[2]);
            CHECK(said[2] == said[3]);
        }
    }

    TEST_CASE("a command that a sub-agent carries out begins a turn of the human's") {
        const auto turns = [](std::string_view role, std::string_view part) {
            return read_text(
                readers::opencode(),
                fmt::format(
                    R"({{"info":{{"id":"ses_1"}},"messages":[{{"info":{{"id":"m","role":"{}"}},"parts":[{}]}}]}})",
                    role, part));
        };
        const std::string_view run = R"({"type":"subtask","agent":"build","command":"check","prompt":"Check it."})";
        CHECK(turns("user", run).count("TurnStart") == 1);
        CHECK(turns("user", run).count("Message") == 0);
        CHECK(turns("user", fmt::format(R"({},{{"type":"text","text":"and the docs"}})", run)).count("TurnStart") == 1);
        CHECK(turns("user", R"({"type":"subtask","agent":"build","prompt":"Check it."})").count("TurnStart") == 0);
        CHECK(turns("assistant", run).count("TurnStart") == 0);
    }
}
