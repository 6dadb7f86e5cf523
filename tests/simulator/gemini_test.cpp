#include "simulator/view.hpp"

#include <agent_audit/simulator/gemini.hpp>

#include <doctest/doctest.h>

#include <string>

namespace gm = agent_audit::simulator::gemini;
namespace sim = agent_audit::simulator;
using agent_audit::test::Talk;

namespace {

std::string saved(const gm::Part&, std::size_t, std::size_t) { return "FILE"; }

gm::History history(const Talk& talk) {
    gm::History out;
    for (const auto& message : talk.view()) out.push_back(gm::content_of(*message));
    return out;
}

Talk outputs(int count, std::size_t chars) {
    Talk talk;
    talk.user("q");
    for (int i = 0; i < count; ++i) {
        const std::string id = "c" + std::to_string(i);
        talk.calls(id).result(id, std::string(chars, 'x'));
    }
    return talk.says("done");
}

}  // namespace

TEST_SUITE("Gemini CLI") {
    TEST_CASE("a message of another agent measures as its JSON would") {
        for (const auto& content : history(outputs(2, 50).user("é \"quoted\" 😀\n"))) {
            const sim::JsValue json = gm::json_of(*content);
            const auto again = gm::content_of(std::make_shared<const sim::JsValue>(json));
            CHECK(again->json_units == content->json_units);
            CHECK(gm::tokens({again}) == gm::tokens({content}));
        }
    }

    TEST_CASE("what another agent's shell said is masked as the shell's: its first and last lines stay") {
        std::string lines;
        for (int i = 0; i < 400; ++i) lines += "line " + std::to_string(i) + "\n";
        for (const char* tool : {"Bash", "exec_command", "mcp__box__bash", "grep"}) {
            Talk talk;
            talk.user("q").calls("a", tool).result("a", lines, tool).calls("b").result("b", "x").says("done");
            const gm::Masked masked = gm::mask(history(talk), {0, 0, true}, saved);
            REQUIRE(masked.count == 1);
            const bool by_lines =
                gm::json_of(*masked.history[2]).stringify().find("[381 lines omitted]") != std::string::npos;
            CHECK(by_lines == (std::string_view(tool) == "Bash" || std::string_view(tool) == "exec_command"));
        }
    }

    TEST_CASE("a history splits before a person's words, never before a response") {
        const Talk talk = outputs(4, 500);
        CHECK(gm::split_point(history(talk), 0.7) == talk.view().size());
        Talk open = outputs(4, 500);
        open.calls("last");
        CHECK(gm::split_point(history(open), 0.7) == 0);
    }

    TEST_CASE("the results of one answer are one message to what is measured for the split") {
        Talk talk;
        sim::JsValue::Array joined;  // the same as Gemini CLI has it
        const auto add = [&](std::size_t from) {
            for (std::size_t i = from; i < talk.view().size(); ++i) {
                sim::JsValue json = gm::json_of(*gm::content_of(*talk.view()[i]));
                if (i == from || talk.view()[i]->role != sim::Role::tool_result) {
                    joined.push_back(std::move(json));
                    continue;
                }
                sim::JsValue::Array parts = *joined.back()["parts"].array();
                parts.push_back((*json["parts"].array())[0]);
                joined.back().set("parts", std::move(parts));
            }
        };
        for (std::size_t turn = 0; turn < 6; ++turn) {
            talk.user(std::string(turn % 2 == 0 ? 40 : 300, 'u')).calls("a");
            add(talk.view().size() - 2);
            const std::size_t results = talk.view().size();
            for (std::size_t i = 0; i < 1 + turn * 3; ++i) talk.result("a", "x");
            add(results);
            talk.says("done");
            add(talk.view().size() - 1);
        }
        const gm::History own = history(talk), theirs = gm::history_of(std::make_shared<const sim::JsValue>(joined));
        for (double fraction = 0.02; fraction < 1; fraction += 0.02) {
            const std::size_t at = gm::split_point(own, fraction), there = gm::split_point(theirs, fraction);
            REQUIRE((at == own.size()) == (there == theirs.size()));
            if (at < own.size()) CHECK(gm::json_of(*own[at]).same_as(gm::json_of(*theirs[there])));
        }
    }

    TEST_CASE("outputs are masked only when enough of them are old") {
        const gm::History list = history(outputs(6, 4'000));
        CHECK(gm::mask(list, {2'000, 5'500, true}, saved).count == 0);
        const gm::Masked masked = gm::mask(list, {2'000, 3'000, true}, saved);
        CHECK(masked.count == 5);  // the one that crosses the line goes too
        CHECK(gm::tokens(masked.history) + masked.saved >= gm::tokens(list));
        CHECK(gm::mask(masked.history, {2'000, 0, true}, saved).count == 0);
    }

    TEST_CASE("a masked command keeps the sections of its output, whatever ends a line") {
        const auto masked_of = [](const std::string& response) {
            const auto json =
                sim::JsValue::parse(R"({"functionResponse":{"name":"run_shell_command","response":)" + response + "}}");
            REQUIRE(json);
            const auto masked = gm::masked(gm::part_of(std::make_shared<const sim::JsValue>(*json)), "FILE");
            REQUIRE(masked);
            const sim::JsValue out = gm::json_of(*masked);
            return *out["functionResponse"]["response"]["output"].string();
        };
        std::string lines;
        for (int i = 0; i < 200; ++i) lines += "row\\n";
        for (const char* end : {"\\n", "\\r", "\\u2028"}) {
            CAPTURE(end);
            const std::string text = masked_of(R"({"output":"Output: )" + lines + "last" + end + R"(Exit Code: 3"})");
            CHECK(text.find("last\nExit Code: 3") != text.npos);
        }
        // as a template writes them
        CHECK(masked_of(R"({"output":"Output: )" + lines + R"(","exitCode":[1,null,2],"error":{"why":"x"}})")
                  .find("[Exit Code: 1,,2]\n[Error: [object Object]]") != std::string::npos);
    }

    TEST_CASE("half the window starts a compression, one token less does not") {
        const gm::History list = history(outputs(3, 100).user("next").says("ok"));
        CHECK(gm::decide_compression(list, 524'287, {}, saved).status == gm::Status::noop);
        const auto decided = gm::decide_compression(list, 524'288, {}, saved);
        CHECK(decided.status == gm::Status::split);
        CHECK(gm::finish_compression(decided, "").status == gm::Status::failed_empty);
        CHECK(gm::finish_compression(decided, "S").status == gm::Status::compressed);
        CHECK(gm::finish_compression(decided, "S", 600'000).status == gm::Status::failed_inflated);
    }

    TEST_CASE("blanks around a summary do not count, and blanks alone are no summary") {
        const auto decided = gm::decide_compression(history(outputs(3, 100).user("next")), 524'288, {}, saved);
        CHECK(gm::finish_compression(decided, " \n\t").status == gm::Status::failed_empty);
        const auto bare = gm::finish_compression(decided, "what was done");
        const auto padded = gm::finish_compression(decided, "\n\n  what was done \n\n\n");
        CHECK(padded.status == gm::Status::compressed);
        CHECK(padded.new_tokens == bare.new_tokens);
    }

    TEST_CASE("an output over the budget keeps a fifth of its head") {
        CHECK(
            gm::truncate_output(std::string(3'000, 'x'), 1'000, "F")
                .starts_with("Output too large. Showing first 200 and last 800 characters. For full output see: F\n"));
        CHECK(gm::truncate_output("short", 1'000, "F") == "short");
    }

    TEST_CASE("a response without an answer stays as it is when outputs are cut to a budget") {
        const auto json = sim::JsValue::parse(
            R"([{"role":"user","parts":[{"functionResponse":{"name":"f"}}]},)"
            R"({"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"123456789"}}}]}])");
        REQUIRE(json);
        const gm::History list = gm::history_of(std::make_shared<const sim::JsValue>(*json));
        const gm::History cut = gm::truncate_to_budget(list, 4, saved, 1);
        CHECK(gm::json_of(*cut[0]).same_as(gm::json_of(*list[0])));
        CHECK_FALSE(gm::json_of(*cut[1]).same_as(gm::json_of(*list[1])));
    }

    TEST_CASE("room below nothing cuts from the other end, as JavaScript's slice does") {
        const std::string text = "abcdefghij";
        CHECK(gm::truncate_output(text, -10, "F") ==
              "Output too large. Showing first -2 and last -8 characters. For full output see: F\n"
              "abcdefgh\n\n... [20 characters omitted] ...\n\nij");
        CHECK(gm::truncate_output(text, 7.5, "F") ==
              "Output too large. Showing first 1 and last 6.5 characters. For full output see: F\n"
              "a\n\n... [2.5 characters omitted] ...\n\nefghij");
        CHECK(gm::truncate_output(text, 0, "F").ends_with("[10 characters omitted] ...\n\n" + text));
        CHECK(gm::truncate_output(text, 0.5, "F").ends_with("[9.5 characters omitted] ...\n\n" + text));
    }
}
