#include "simulator/view.hpp"

#include <agent_audit/simulator/compaction.hpp>
#include <agent_audit/simulator/policy.hpp>

#include <doctest/doctest.h>

#include <string>

namespace sim = agent_audit::simulator;
using agent_audit::test::Talk;
using agent_audit::test::text_of;

namespace {

/// `n` results of so many tokens of four characters.
Talk results(int n, std::size_t tokens, const char* tool = "Read") {
    Talk talk;
    talk.user("go");
    for (int i = 0; i < n; ++i) {
        const std::string id = "c" + std::to_string(i);
        talk.calls(id, tool).result(id, std::string(tokens * 4, 'x'), tool);
    }
    return talk;
}

std::size_t edits_of(const sim::Stage& stage, const sim::View& view, const sim::Moment& moment = {}) {
    sim::Memory memory;
    return sim::run_stage(stage, view, moment, memory).edits.size();
}

sim::Moment holding(double tokens) {
    sim::Moment moment{200'000, 1e9, 1e9};
    moment.context_tokens = tokens;
    return moment;
}

template <class T>
T stage_of(const char* policy) {
    return *sim::find_policy(policy)->find<T>();
}

}  // namespace

TEST_SUITE("context stages") {
    TEST_CASE("Anthropic clears above 100,000 tokens all but the last three results, oldest first") {
        const auto stage = stage_of<sim::ClearResults>("anthropic-context-editing");
        const Talk talk = results(5, 100);
        CHECK(edits_of(stage, talk.view(), holding(100'000)) == 0);
        sim::Memory memory;
        const auto done = sim::run_stage(stage, talk.view(), holding(100'001), memory);
        REQUIRE(done.edits.size() == 2);
        CHECK(done.edits[0].index == 2);
        CHECK(done.edits[1].index == 4);
        CHECK(done.edits[0].action == sim::Action::clear);
    }

    TEST_CASE("nothing is cleared when less than the least would go; equality is enough") {
        sim::ClearResults stage;
        stage.min_cleared = 200;
        CHECK(edits_of(stage, results(5, 100).view()) == 2);
        stage.min_cleared = 201;
        CHECK(edits_of(stage, results(5, 100).view()) == 0);
    }

    TEST_CASE("a number of tool uses is a trigger of its own") {
        sim::ClearResults stage;
        stage.trigger_tokens = 1e9;
        stage.trigger_uses = 5;
        CHECK(edits_of(stage, results(5, 1).view()) == 0);
        CHECK(edits_of(stage, results(6, 1).view()) == 3);
    }

    TEST_CASE("tools left alone count among those that stay only where every tool counts") {
        sim::ClearResults stage;
        stage.keep = 1;
        stage.tools = sim::openclaw::ToolFilter({}, {"bash"});
        Talk talk = results(2, 10);
        talk.calls("b", "Bash").result("b", "x", "Bash");
        CHECK(edits_of(stage, talk.view()) == 1);
        stage.count_all = true;
        CHECK(edits_of(stage, talk.view()) == 2);
    }

    TEST_CASE("arguments are cleared with the result when asked for") {
        sim::ClearResults stage;
        stage.keep = 0;
        stage.clear_inputs = true;
        sim::Memory memory;
        sim::View view = results(1, 10).view();
        sim::apply_edits(sim::run_stage(stage, view, {}, memory).edits, view);
        CHECK(view[1]->blocks[0].text.copy() == "{}");
        CHECK(view[1]->blocks[0].id == "c0");
        CHECK(text_of(view[2]) == stage.placeholder);
    }

    TEST_CASE("what was cleared stays cleared, whether the view is handed back edited or as recorded") {
        sim::ClearResults stage;
        stage.keep = 1;
        Talk talk = results(3, 10);
        for (const bool persists : {false, true}) {
            sim::Memory memory;
            sim::View view = talk.view();
            CHECK(sim::run_stage(stage, view, {}, memory).edits.size() == 2);
            if (persists) sim::apply_edits(memory.progress[0].edits, view);
            view.push_back(talk.view()[1]);
            const auto again = sim::run_stage(stage, view, {}, memory);
            CHECK(again.edits.size() == (persists ? 0 : 2));
        }
    }

    TEST_CASE("a view that was rebuilt is read from its start") {
        sim::ClearResults stage;
        stage.keep = 1;
        sim::Memory memory;
        CHECK(sim::run_stage(stage, results(3, 10).view(), {}, memory).edits.size() == 2);
        CHECK(sim::run_stage(stage, results(2, 10).view(), {}, memory).edits.size() == 1);
    }

    TEST_CASE("Claude Code clears after an idle hour and keeps five results of its tools") {
        const auto stage = stage_of<sim::ClearResults>("claude-code");
        const Talk talk = results(8, 10);
        const double hour = 3'600'000;
        CHECK(edits_of(stage, talk.view(), {200'000, 1e9 + hour, 1e9}) == 3);
        CHECK(edits_of(stage, talk.view(), {200'000, 1e9 + hour - 1, 1e9}) == 0);
        CHECK(edits_of(stage, talk.view(), {200'000, 1e9, 0}) == 0);  // no request was ever made
        CHECK(edits_of(stage, results(8, 10, "Task").view(), {200'000, 1e9 + hour, 1e9}) == 0);
    }

    TEST_CASE("to Claude Code a shell is a shell by whatever name the recorded agent has it, but no server's") {
        const auto stage = stage_of<sim::ClearResults>("claude-code");
        const double hour = 3'600'000;
        for (const char* name :
             {"Read", "read_file", "exec_command", "run_shell_command", "apply_patch", "search_file_content"}) {
            CHECK(edits_of(stage, results(8, 10, name).view(), {200'000, 1e9 + hour, 1e9}) == 3);
        }
        for (const char* name : {"mcp__files__read_file", "update_plan", "Task", "TodoWrite"}) {
            CHECK(edits_of(stage, results(8, 10, name).view(), {200'000, 1e9 + hour, 1e9}) == 0);
        }
    }

    TEST_CASE("older Claude Code clears above the warning line, over 40,000 tokens of results, for 20,000 at least") {
        const auto stage = stage_of<sim::ClearResults>("claude-code-2.0");
        CHECK(edits_of(stage, results(5, 10'001).view(), holding(160'000)) == 2);
        CHECK(edits_of(stage, results(5, 10'001).view(), holding(159'999)) == 0);
        CHECK(edits_of(stage, results(4, 10'000).view(), holding(170'000)) == 0);  // exactly 40,000
        CHECK(edits_of(stage, results(4, 10'001).view(), holding(170'000)) == 0);  // would free half of 20,000
        CHECK(edits_of(stage, results(5, 10'000).view(), holding(170'000)) == 2);  // exactly 20,000
    }

    TEST_CASE(
        "LangChain clears by the characters of its messages, whatever was billed, and not by the system prompt's") {
        auto stage = stage_of<sim::ClearResults>("langchain");
        CHECK(stage.trigger_tokens == 100'000);
        Talk talk = results(4, 1'000);
        double tokens = 0;
        for (const sim::MsgPtr& message : talk.view())
            tokens += sim::own_tokens(sim::Method(sim::langchain::Compaction{}), *message);
        stage.trigger_tokens = tokens;
        talk.add({{"role", "system"}, {"content", std::string(400, 's')}});
        CHECK(edits_of(stage, talk.view(), holding(1e6)) == 0);
        stage.trigger_tokens = tokens - 1;
        CHECK(edits_of(stage, talk.view(), holding(10)) == 1);
    }

    TEST_CASE(
        "LangChain leaves a result alone that the nearest answer did not ask for, and counts it among those that "
        "stay") {
        auto stage = stage_of<sim::ClearResults>("langchain");
        stage.trigger_tokens = 1;
        stage.keep = 1;
        Talk talk;
        talk.user("u")
            .calls("a")
            .result("b", "x")
            .calls("c")
            .result("c", "x")
            .says("s")
            .result("a", "late")
            .calls("d")
            .result("d", "x");
        sim::Memory memory;
        const auto done = sim::run_stage(stage, talk.view(), {}, memory);
        REQUIRE(done.edits.size() == 1);
        CHECK(done.edits[0].index == 4);
        stage.by_characters = false;
        CHECK(edits_of(stage, talk.view(), holding(10)) == 3);
    }

    TEST_CASE("a client goes by what is left of the context, a provider that is sent all of it by the whole") {
        sim::Moment moment = holding(170'000);
        moment.edited_tokens = 120'000;  // it has cleared before
        CHECK(edits_of(stage_of<sim::ClearResults>("claude-code-2.0"), results(5, 10'001).view(), moment) == 0);
        moment.edited_tokens = 90'000;
        CHECK(edits_of(stage_of<sim::ClearResults>("anthropic-context-editing"), results(8, 10).view(), moment) > 0);
        sim::ClearResults mine;
        mine.trigger_tokens = 100'000;
        CHECK(edits_of(mine, results(8, 10).view(), moment) == 0);
        moment.edited_tokens = 100'001;
        CHECK(edits_of(mine, results(8, 10).view(), moment) == 5);
    }

    TEST_CASE("opencode protects two turns and 40,000 tokens, and clears what is over 20,000 before them") {
        const auto stage = stage_of<sim::ClearBeyond>("opencode-prune");
        const auto with_turns = [](int n, std::size_t tokens) {
            return results(n, tokens).user("a").says("b").user("c").says("d").user("under way");
        };
        CHECK(edits_of(stage, with_turns(6, 10'000).view()) == 0);  // 40,000 stay, exactly 20,000 are old
        CHECK(edits_of(stage, with_turns(7, 10'000).view()) == 3);
        CHECK(edits_of(stage, results(9, 10'000).view()) == 0);  // all of one turn
        CHECK(edits_of(stage, results(9, 10'000).user("a").says("b").user("under way").view()) == 0);
        CHECK(edits_of(stage, results(9, 10'000, "skill").user("a").user("c").user("d").view()) == 0);
        CHECK(edits_of(stage_of<sim::ClearBeyond>("opencode"), with_turns(7, 10'000).view()) == 0);
    }

    TEST_CASE("opencode looks no further than a summary") {
        const auto stage = stage_of<sim::ClearBeyond>("opencode-prune");
        Talk talk = results(9, 10'000);
        talk.add({{"role", "compactionSummary"}, {"summary", "S"}}).user("a").user("c").user("d");
        CHECK(edits_of(stage, talk.view()) == 0);
    }

    TEST_CASE("Codex cuts a result above 12,000 tokens of four bytes when it comes in") {
        const sim::TruncateMiddle stage;
        CHECK(edits_of(stage, results(1, 12'000).view()) == 0);
        sim::Memory memory;
        const Talk talk = results(1, 12'001);
        const auto done = sim::run_stage(stage, talk.view(), {}, memory);
        REQUIRE(done.edits.size() == 1);
        CHECK(text_of(done.edits[0].message) ==
              std::string(24'000, 'x') + "…1 tokens truncated…" + std::string(24'000, 'x'));
    }

    TEST_CASE("Codex leaves out texts that come when nothing is left for them, empty ones too, and says how many") {
        const auto text = [](std::string words) {
            return sim::JsValue::object({{"type", "text"}, {"text", std::move(words)}});
        };
        sim::TruncateMiddle stage;
        stage.tokens = 10;
        stage.serialisation = 1;
        Talk talk;
        talk.add({{"role", "toolResult"},
                  {"toolCallId", "c"},
                  {"content", sim::JsValue::Array{text(std::string(40, 'x')), text(""), text("y")}}});
        sim::Memory memory;
        const auto done = sim::run_stage(stage, talk.view(), {}, memory);
        REQUIRE(done.edits.size() == 1);
        REQUIRE(done.edits[0].message->blocks.size() == 2);
        CHECK(done.edits[0].message->blocks[1].text.copy() == "[omitted 2 text items ...]");
    }

    TEST_CASE("OpenHands masks results before the newest 100 messages, of a browser all pages but one") {
        Talk talk = results(60, 1);
        CHECK(edits_of(sim::MaskEvents{}, talk.view()) == 10);
        CHECK(edits_of(stage_of<sim::MaskEvents>("openhands-browser"), talk.view()) == 0);
        CHECK(edits_of(stage_of<sim::MaskEvents>("openhands-browser"), results(3, 1, "browse_url").view()) == 2);
    }

    TEST_CASE("OpenHands' recent events are the first message and the newest nine, no result without its call") {
        const sim::KeepRecent stage;
        sim::Memory memory;
        const auto done = sim::run_stage(stage, results(20, 1).view(), {}, memory);
        CHECK(done.dropped_from == 1);
        CHECK(done.dropped_to == 33);  // 41 messages: 32 is a result
        CHECK(sim::run_stage(stage, results(4, 1).says("x").view(), {}, memory).dropped_to == 0);
    }

    TEST_CASE("thinking stays in the newest turn that has any") {
        const auto think = [](Talk& talk) {
            talk.add({{"role", "assistant"},
                      {"content", sim::JsValue::Array{sim::JsValue::object({{"type", "thinking"}, {"thinking", "hm"}}),
                                                      sim::JsValue::object({{"type", "text"}, {"text", "so"}})}}});
        };
        Talk talk;
        talk.user("a");
        think(talk);
        talk.user("b");
        think(talk);
        think(talk);
        talk.user("c").says("plain");
        sim::Memory memory;
        const auto done = sim::run_stage(sim::DropThinking{}, talk.view(), {}, memory);
        REQUIRE(done.edits.size() == 1);
        CHECK(done.edits[0].index == 1);
        CHECK(done.edits[0].message->blocks.size() == 1);
        CHECK(edits_of(sim::DropThinking{0}, talk.view()) == 3);
    }

    TEST_CASE("a stage reads each message of a growing view once") {
        // Were a view read anew with each message, this would take minutes.
        const Talk talk = results(20'000, 1);
        sim::Memory memory;
        sim::ClearResults stage;
        stage.trigger_tokens = 1e12;
        sim::View view;
        for (const sim::MsgPtr& message : talk.view()) {
            view.push_back(message);
            CHECK(sim::run_stage(stage, view, {}, memory).edits.empty());
        }
        CHECK(memory.progress[0].results.size() == 20'000);
    }
    TEST_CASE("results that Gemini CLI is about to send, all that came at once, are neither masked nor counted") {
        Talk talk;
        talk.user("go").calls("old").result("old", std::string(8'000, 'o')).says("now both");
        talk.calls("a").result("a", std::string(8'000, 'a')).result("b", std::string(8'000, 'b'));
        sim::MaskResults stage;
        stage.settings.protect_tokens = 2'500;
        stage.settings.min_prunable_tokens = 100;
        sim::Memory memory;
        CHECK(sim::run_stage(stage, talk.view(), {}, memory).edits.empty());  // the old one is what is protected
        talk.says("done").user("go on");
        const sim::Edits edits = sim::run_stage(stage, talk.view(), {}, memory).edits;
        REQUIRE(edits.size() == 2);
        CHECK(edits[0].index == 2);
        CHECK(edits[1].index == 5);
    }

    TEST_CASE(
        "what is said to stand in the view as it was read is not compared again, and that is said anew each time") {
        const Talk talk = results(3, 2'000);
        sim::View view = talk.view();
        const sim::Stage stage = sim::MaskResults();
        sim::Memory memory;
        sim::run_stage(stage, view, {}, memory);
        const sim::MsgPtr read = memory.outputs.seen.at(0);
        view[0] = sim::with_text(*view[0], "another");
        memory.outputs.same = view.size();
        sim::run_stage(stage, view, {}, memory);
        CHECK(memory.outputs.seen.at(0) == read);
        sim::run_stage(stage, view, {}, memory);
        CHECK(memory.outputs.seen.at(0) == view[0]);
    }

    TEST_CASE("outputs masked while a view grows are those that are masked when all of it is read at once") {
        Talk talk;
        talk.user("go");
        for (int i = 0; i < 90; ++i) {
            const std::string id = "c" + std::to_string(i);
            // A third of them is so short that its mask would be no shorter.
            const std::size_t chars = i % 3 == 0 ? 580 : 700 + static_cast<std::size_t>(i) * 40;
            talk.calls(id).result(id, std::string(chars, 'x'));
        }
        sim::MaskResults stage;
        stage.settings.protect_tokens = 5'000;
        stage.settings.min_prunable_tokens = 3'000;
        sim::Memory memory;
        sim::View view;
        std::size_t masked = 0;
        for (const sim::MsgPtr& message : talk.view()) {
            view.push_back(message);
            // What was read is another message now: the view is read anew.
            if (view.size() == 120) view[100] = sim::with_text(*view[100], std::string(3'000, 'y'));
            sim::Memory nothing;
            const sim::Edits at_once = sim::run_stage(stage, view, {}, nothing).edits;
            const sim::Edits edits = sim::run_stage(stage, view, {}, memory).edits;
            CAPTURE(view.size());
            REQUIRE(edits.size() == at_once.size());
            for (std::size_t k = 0; k < edits.size(); ++k) {
                CHECK(edits[k].index == at_once[k].index);
                CHECK(text_of(edits[k].message) == text_of(at_once[k].message));
            }
            masked += edits.size();
            sim::apply_edits(edits, view);
        }
        CHECK(masked > 30);
        CHECK(masked < 70);
    }
}
