#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using Lines = std::vector<std::string>;

namespace {

std::string llama_file(std::string_view name) {
    return test::slurp(test::source_dir() / "testdata/readers/llama-index" / name);
}

}  // namespace

TEST_SUITE("llama-index") {
    TEST_CASE("messages one a line are a session; a call that is told twice is one") {
        const auto seen = read_text(readers::llama_index(), llama_file("minimal.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "Message system/injected 'You sort books.'",
                                  "TurnStart",
                                  "Message user/human 'Where is the atlas?' media=1",
                                  "Thinking 'Ask the index.'",
                                  "ToolCall c1 look_up 'atlas'",
                                  "ToolResult c1 unknown 'shelf 4'",
                                  "Message assistant/agent 'On shelf 4.'",
                              });
    }

    TEST_CASE("a chat store holds a session for each of its keys") {
        const auto seen = read_text(readers::llama_index(), llama_file("full.json"));
        CHECK(seen.those("SessionStart") == Lines{"SessionStart id=ada", "SessionStart id=bob"});
        CHECK(seen.those("Tool") == Lines{"ToolCall c1 sort 'year'", "ToolCall c2 sort 'title'",
                                          "ToolResult c1 unknown 'Error: no years'", "ToolResult c2 unknown 'sorted'"});
        CHECK(seen.those("Message") == Lines{"Message user/human 'Sort them'", "Message assistant/agent 'By title.'",
                                             "Message user/human 'Hello'"});
    }

    TEST_CASE("records without what they need are counted, and messages of others are none of it") {
        const auto seen = read_text(readers::llama_index(), llama_file("bad-fields.jsonl"));
        CHECK(seen.fates == std::vector{LineFate::understood, LineFate::understood, LineFate::missing_field,
                                        LineFate::unknown_kind, LineFate::missing_field, LineFate::unknown_kind,
                                        LineFate::malformed_json});
        for (const std::string_view name : {"minimal.jsonl", "full.json", "document.json"})
            CHECK(score_text(readers::llama_index(), llama_file(name)) == 93);
        for (const std::string_view other :
             {R"({"type":"human","content":"x","additional_kwargs":{}})", R"({"role":"user","content":"x"})",
              R"({"role":"user","type":"chat_message","contents":[],"additional_properties":{}})",
              R"({"store":{"a":[]},"class_name":"Shop"})"})
            CHECK(score_text(readers::llama_index(), other) == 0);
    }
}
