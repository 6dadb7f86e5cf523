#include "simulator/view.hpp"

#include <agent_audit/simulator/openclaw_summary.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

namespace oc = agent_audit::simulator::openclaw;
namespace sim = agent_audit::simulator;
using agent_audit::test::Talk;

namespace {

Talk& fails(Talk& talk, const std::string& id, std::string words, sim::JsValue details = {}) {
    const sim::JsValue block = sim::JsValue::object({{"type", "text"}, {"text", std::move(words)}});
    return talk.calls(id, "bash")
        .add({{"role", "toolResult"},
              {"toolCallId", id},
              {"toolName", "bash"},
              {"content", sim::JsValue::Array{block}},
              {"isError", true},
              {"details", std::move(details)}});
}

constexpr auto kNow = oc::Release::y2026_9;

/// Fails at the calls whose numbers are given, from 1 on.
struct Model {
    std::vector<int> failing;
    std::size_t largest = 1'000'000;
    int calls = 0;
    std::optional<std::string> operator()(const sim::View& chunk, const std::optional<std::string>& before) {
        ++calls;
        for (const int one : failing) {
            if (one == calls) return std::nullopt;
        }
        if (oc::view_tokens(chunk, kNow) > largest) return std::nullopt;
        return before.value_or("") + "[" + std::to_string(chunk.size()) + "]";
    }
};

std::optional<std::string> summarise(const Talk& talk, Model& model, oc::Release release, double chunk = 1e6) {
    oc::FallbackOptions options;
    options.window_tokens = 10'000;
    options.max_chunk_tokens = chunk;
    return oc::summarise_with_fallback(talk.view(), std::ref(model), options, release);
}

}  // namespace

TEST_SUITE("OpenClaw's summaries") {
    TEST_CASE("at most eight failures are listed, the first of each call, in one line of 240 characters") {
        Talk talk;
        for (int i = 0; i < 9; ++i) fails(talk, "c" + std::to_string(i), i == 0 ? "  no \n\n such\tfile " : "x");
        fails(talk, "c0", "again");
        const auto failures = oc::tool_failures(talk.view());
        REQUIRE(failures.size() == 9);
        CHECK(failures[0].summary == "no such file");
        const std::string section = oc::failures_section(failures);
        CHECK(section.starts_with("\n\n## Tool Failures\n- bash: no such file\n- bash: x"));
        CHECK(section.ends_with("\n- ...and 1 more"));
        CHECK(oc::failures_section({}).empty());
        Talk lengthy;
        fails(lengthy, "a", std::string(240, 'y'));
        fails(lengthy, "b", std::string(241, 'y'));
        CHECK(oc::tool_failures(lengthy.view())[0].summary == std::string(240, 'y'));
        CHECK(oc::tool_failures(lengthy.view())[1].summary == std::string(237, 'y') + "...");
    }

    TEST_CASE("what a failure's details say stands behind the tool; a failure without words says so") {
        Talk talk;
        fails(talk, "a", "", sim::JsValue::object({{"status", "timeout"}, {"exitCode", 124}}));
        fails(talk, "b", " ");
        CHECK(oc::failures_section(oc::tool_failures(talk.view())) ==
              "\n\n## Tool Failures\n- bash (status=timeout exitCode=124): failed\n- bash: failed (no output)");
    }

    TEST_CASE("a failure is told by its blocks, under the one name of its call, and 2026.3 cuts a character in two") {
        const auto told = [](const sim::JsValue& content, const char* id, oc::Release release = kNow) {
            Talk talk;
            talk.add(
                {{"role", "toolResult"}, {id, "a"}, {"toolName", "bash"}, {"content", content}, {"isError", true}});
            return oc::failures_section(oc::tool_failures(talk.view(), release));
        };
        CHECK(told("only words", "toolCallId").ends_with("- bash: failed (no output)"));
        CHECK(told("only words", "tool_call_id").empty());
        const sim::JsValue lengthy = sim::JsValue::Array{sim::JsValue::object(
            {{"type", "text"}, {"text", std::string(236, 'y') + "\U0001F600" + std::string(9, 'z')}})};
        CHECK(told(lengthy, "toolCallId").ends_with("y..."));
        CHECK(told(lengthy, "toolCallId", oc::Release::y2026_3).ends_with("y\xED\xA0\xBD..."));
    }

    TEST_CASE("2026.9 gives a list of files 900 characters, 2026.3 as many as it takes") {
        sim::pi::FileLists files;
        for (int i = 10; i < 60; ++i) files.read.push_back("/a/folder/with/files/" + std::to_string(i) + ".txt");
        files.modified = {"/m"};
        const std::string bounded = oc::files_section(files, kNow);
        CHECK(bounded.find(" more\n</read-files>") != std::string::npos);
        CHECK(bounded.find("\n\n<modified-files>\n/m\n</modified-files>") <= 902);
        CHECK(oc::files_section(files, oc::Release::y2026_3).find("/59.txt\n</read-files>") != std::string::npos);
        CHECK(oc::files_section({}, kNow).empty());
    }

    TEST_CASE("the last three turns are kept as text of 600 characters, an answer beside its results") {
        Talk talk;
        talk.user("one").says("old").user("two").calls("a").result("a", "out").user(std::string(601, 'u')).user("four");
        CHECK(oc::recent_turns_section(talk.view()) ==
              "\n\n## Recent turns preserved verbatim\n- User: two\n- Assistant: [non-text content: toolCall]\n"
              "- Tool result (read): out\n- User: " +
                  std::string(600, 'u') + "...\n- User: four");
        CHECK(oc::recent_turns_section({}).empty());
    }

    TEST_CASE("results are told in the order of their calls, those of no call in it not at all") {
        Talk talk;
        talk.result("a", "of an older call").user("go");
        talk.add({{"role", "assistant"},
                  {"content",
                   sim::JsValue::Array{sim::JsValue::object({{"type", "toolCall"}, {"id", "a"}, {"name", "read"}}),
                                       sim::JsValue::object({{"type", "toolCall"}, {"id", "b"}, {"name", "read"}})}}});
        talk.result("b", "second")
            .user("still there?")
            .result("a", "first")
            .result("a", "again")
            .result("c", "of nothing");
        CHECK(oc::recent_turns_section(talk.view()) ==
              "\n\n## Recent turns preserved verbatim\n- User: go\n- Assistant: [non-text content: toolCall x2]\n"
              "- Tool result (read): first\n- Tool result (read): second\n- User: still there?");
    }

    TEST_CASE("what a nested result says is part of a turn and of a request") {
        const auto block = [](const char* field) {
            return sim::JsValue::Array{sim::JsValue::object({{"type", "toolResult"}, {field, " shown "}})};
        };
        Talk text, content;
        text.add({{"role", "user"}, {"content", block("text")}});
        content.add({{"role", "user"}, {"content", block("content")}});
        CHECK(oc::recent_turns_section(text.view()).ends_with("- User: shown\n[non-text content: toolResult]"));
        CHECK(oc::latest_request(text.view()) == "shown");
        CHECK(oc::latest_request(content.view()) == "shown");
    }

    TEST_CASE("the latest request keeps 800 characters, head and tail") {
        Talk talk;
        talk.user(std::string(800, 'r')).says("a");
        CHECK(oc::latest_request(talk.view()) == std::string(800, 'r'));
        talk.user(std::string(400, 'h') + std::string(401, 't')).user("  ");
        const auto cut = oc::latest_request(talk.view());
        REQUIRE(cut);
        CHECK(cut->size() == 800);
        CHECK(cut->starts_with(std::string(379, 'h') + "\n[... latest user request truncated ...]\n"));
        CHECK(cut->ends_with(std::string(380, 't')));
        CHECK_FALSE(oc::latest_request({}));
    }

    TEST_CASE("a summary has 16,000 characters at most, and half of them for what the model wrote") {
        Talk talk;
        fails(talk, "a", "bad");
        const sim::pi::FileLists files{{"/r"}, {}};
        const std::string tail = "\n\n<read-files>\n/r\n</read-files>";
        const std::string fits = oc::assemble_summary("S", talk.view(), {}, files, kNow);
        CHECK(fits.starts_with("S\n\n## Recent turns preserved verbatim\n"));
        CHECK(fits.ends_with("\n\n## Tool Failures\n- bash: bad" + tail));
        const std::string full = oc::assemble_summary(std::string(20'000, 's'), talk.view(), {}, files, kNow);
        CHECK(full.size() == oc::kMaxSummaryChars);
        CHECK(full.find("s\n\n[Compaction summary truncated to fit budget]\n\n## Recent") != std::string::npos);
        CHECK(full.ends_with(tail));
        CHECK(oc::assemble_summary(std::string(20'000, 's'), talk.view(), {}, files, oc::Release::y2026_3).size() >
              20'000);
    }

    TEST_CASE("a suffix too long loses its beginning, whole turns at a time") {
        Talk talk;
        for (int i = 0; i < 6; ++i) talk.user(std::string(600, static_cast<char>('a' + i)));
        for (int i = 0; i < 30; ++i) talk.says(std::string(600, static_cast<char>('A' + i)));
        const std::string all = oc::assemble_summary(std::string(20'000, 's'), talk.view(), {}, {}, kNow);
        CHECK(all.size() <= oc::kMaxSummaryChars);
        CHECK(all.size() > 15'000);
    }

    TEST_CASE("each chunk has three tries and is given the summary so far") {
        Talk talk;
        talk.user("a").user("b");
        Model model{{1, 2}};
        CHECK(summarise(talk, model, kNow) == "[2]");
        CHECK(model.calls == 3);
        Model failing{{1, 2, 3}};
        CHECK_FALSE(summarise(talk, failing, kNow));
        CHECK(oc::summarise_with_fallback({}, std::ref(model), {}, kNow) == "No prior history.");
    }

    TEST_CASE("no summariser of 2026.9 sees its notes for one request") {
        Talk talk;
        talk.user("a")
            .add({{"role", "custom"}, {"customType", "openclaw.runtime-context"}, {"content", "now"}})
            .user("b");
        Model model, older;
        CHECK(summarise(talk, model, kNow) == "[2]");
        CHECK(summarise(talk, older, oc::Release::y2026_3) == "[3]");
    }

    TEST_CASE("messages too large for a summary are left out at the second level, and notes stand for them") {
        Talk talk;
        talk.user("a").user(std::string(30'000, 'x')).user("b");  // 7,500 tokens * 1.2 is more than half of 10,000
        for (const auto release : {kNow, oc::Release::y2026_3}) {
            Model model;
            model.largest = 5'000;
            CHECK(summarise(talk, model, release) == "[2]\n\n[Large user (~8K tokens) omitted from summary]");
        }
    }

    TEST_CASE("at the third level 2026.3 says that there is no summary, 2026.9 keeps the chunks that succeeded") {
        Talk talk;
        talk.user(std::string(4'000, 'a')).user(std::string(4'000, 'b')).user(std::string(4'000, 'c'));
        Model old_model;
        old_model.largest = 0;
        CHECK(summarise(talk, old_model, oc::Release::y2026_3) ==
              "Context contained 3 messages (0 oversized). Summary unavailable due to size limits.");
        Model model{{2, 3, 4}};
        const auto partial = summarise(talk, model, kNow, 1'300);
        REQUIRE(partial);
        CHECK(*partial ==
              "[1]\n\n[Partial summary: chunks 1-1 of 3 were summarized. Chunks 2-3 could not be processed.]");
    }
}
