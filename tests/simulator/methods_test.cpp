#include "simulator/view.hpp"

#include <agent_audit/simulator/compaction.hpp>
#include <agent_audit/simulator/methods.hpp>
#include <agent_audit/simulator/policy.hpp>

#include <doctest/doctest.h>

#include <string>

namespace sim = agent_audit::simulator;
using agent_audit::test::Talk;
using agent_audit::test::text_of;
using sim::ContextSize;
using sim::Method;

namespace {

ContextSize billed(double tokens, double max_output = 0) {
    ContextSize size;
    size.billed = size.estimated = tokens;
    size.max_output = max_output;
    return size;
}

ContextSize refused() {
    ContextSize size;
    size.refused = true;
    return size;
}

Method method_of(const char* policy) { return sim::find_policy(policy)->find<sim::Summarise>()->method; }

bool due(const char* policy, double tokens, double window, double max_output = 0) {
    return sim::compaction_due(method_of(policy), billed(tokens, max_output), window);
}

/// `n` exchanges of a user's message, a call, its result and an answer.
Talk turns(int n, std::size_t result_chars = 10) {
    Talk talk;
    for (int i = 0; i < n; ++i) {
        const std::string id = "c" + std::to_string(i);
        talk.user("u" + std::to_string(i)).calls(id).result(id, std::string(result_chars, 'x')).says("a");
    }
    return talk;
}

/// Ten messages of which the third and the seventh are answers and the fifth is long, an answer, and what comes next.
Talk two_answers() {
    Talk talk;
    for (int i = 0; i < 10; ++i) i == 2 || i == 6 ? talk.says("a") : talk.user(i == 4 ? std::string(3'000, 'x') : "u");
    return talk.says("z").user("new");
}

}  // namespace

TEST_SUITE("compaction methods") {
    TEST_CASE("every policy that summarises by a method can say when and what") {
        const Talk talk = turns(80, 4'000);
        for (const sim::Policy& policy : sim::all_policies()) {
            const auto* stage = policy.find<sim::Summarise>();
            if (!stage || stage->how != sim::Summarise::How::method) continue;
            CAPTURE(policy.name);
            CHECK(sim::method_name(stage->method) != "");
            ContextSize full = billed(1e9);
            full.refused = true;
            full.view = &talk.view();
            CHECK(sim::compaction_due(stage->method, full, 200'000));
            ContextSize empty;
            const sim::View nothing;
            empty.view = &nothing;
            CHECK_FALSE(sim::compaction_due(stage->method, empty, 200'000));
            const auto plan = sim::plan_compaction(stage->method, talk.view(), full, 200'000);
            REQUIRE(plan);
            CHECK(plan->from < plan->to);
            CHECK(plan->to <= talk.view().size());
            CHECK_FALSE(sim::plan_compaction(stage->method, nothing, full, 200'000));
            if (plan->asks_model) CHECK(plan->max_summary_tokens > 0);
            for (const sim::MsgPtr& message : talk.view()) CHECK(sim::own_tokens(stage->method, *message) >= 0);
        }
    }

    TEST_CASE("the policies that can be asked for are all there") {
        for (const char* name : {"anthropic-compaction", "anthropic-context-editing", "claude-code", "cline", "codex",
                                 "gemini", "kimi", "langchain", "letta", "none", "openai-compaction", "openclaw",
                                 "openclaw-2026.3", "opencode", "openhands", "pi", "pi-0.73", "roo"}) {
            CAPTURE(name);
            CHECK(sim::find_policy(name));
        }
    }

    // --- Claude Code ------------------------------------------------------------------------------------------------

    TEST_CASE("Claude Code compacts 200,000 tokens at 167,000, warns at 160,000 and blocks at 177,000") {
        const auto lines = sim::claude_code::lines({}, 200'000, 32'000);
        CHECK(lines.effective == 180'000);
        CHECK(lines.compact == 167'000);
        CHECK(lines.warning == 160'000);
        CHECK(lines.blocking == 177'000);
        CHECK(sim::claude_code::lines({}, 200'000, 8'000).compact == 179'000);
        CHECK(due("claude-code", 167'000, 200'000));
        CHECK_FALSE(due("claude-code", 166'999, 200'000));
    }

    TEST_CASE("after three compactions for nothing Claude Code waits until no prompt is taken") {
        const auto due_after = [](std::size_t failures, double tokens) {
            ContextSize size = billed(tokens);
            size.failures = failures;
            return sim::compaction_due(method_of("claude-code"), size, 200'000);
        };
        CHECK(due_after(2, 167'000));
        CHECK_FALSE(due_after(3, 176'999));
        CHECK(due_after(3, 177'000));
    }

    TEST_CASE("a percentage only ever lowers Claude Code's threshold") {
        sim::claude_code::Compaction settings;
        settings.percent = 50;
        CHECK(sim::claude_code::lines(settings, 200'000, 0).compact == 90'000);
        settings.percent = 99;
        CHECK(sim::claude_code::lines(settings, 200'000, 0).compact == 167'000);
    }

    TEST_CASE("Claude Code attaches the five files read last, each once, cut to 5,000 tokens") {
        Talk talk;
        talk.user("go");
        for (int i = 0; i < 8; ++i) {
            const std::string id = "r" + std::to_string(i);
            talk.add({{"role", "assistant"},
                      {"content",
                       sim::JsValue::Array{sim::JsValue::object(
                           {{"type", "toolCall"},
                            {"id", id},
                            {"name", "Read"},
                            {"arguments", sim::JsValue::object({{"file_path", "/f" + std::to_string(i % 7)}})}})}}});
            talk.result(id, std::string(30'000, static_cast<char>('a' + i)), "Read");
        }
        const auto plan = sim::plan_compaction(method_of("claude-code"), talk.view(), billed(1e6), 200'000);
        REQUIRE(plan);
        CHECK(plan->to == talk.view().size());
        REQUIRE(plan->after.size() == 5);
        CHECK(text_of(plan->after[0]) == std::string(20'000, 'h'));  // the last read of /f0; its first is not attached
        CHECK(text_of(plan->after[4]) == std::string(20'000, 'd'));
    }

    TEST_CASE("Claude Code attaches what was read by whatever name the recorded agent has for that") {
        for (const char* tool : {"Read", "read_file", "mcp__files__read_file", "view"}) {
            CAPTURE(tool);
            const Talk talk = Talk().user("u").calls("c", tool).result("c", "words", tool).says("a");
            const auto plan = sim::plan_compaction(method_of("claude-code"), talk.view(), billed(1e6), 200'000);
            REQUIRE(plan);
            REQUIRE(plan->after.size() == 1);
            CHECK(text_of(plan->after[0]) == "words");
        }
        const Talk other = Talk().user("u").calls("c", "Bash").result("c", "words", "Bash").says("a");
        CHECK(sim::plan_compaction(method_of("claude-code"), other.view(), billed(1e6), 200'000)->after.empty());
    }

    // --- Codex ------------------------------------------------------------------------------------------------------

    TEST_CASE("Codex compacts at nine tenths of the window, equality included") {
        CHECK(due("codex", 90'000, 100'000));
        CHECK_FALSE(due("codex", 89'999, 100'000));
    }

    TEST_CASE("Codex looks before a turn begins: the message that opens it does not count, results do") {
        ContextSize size = billed(90'000);
        Talk talk;
        talk.user("u").calls("c").result("c", std::string(4'000, 'x'));
        size.view = &talk.view();
        CHECK(sim::compaction_due(method_of("codex"), size, 100'000));
        talk.user("v");
        CHECK_FALSE(sim::compaction_due(method_of("codex"), size, 100'000));
        size.billed += sim::own_tokens(method_of("codex"), *talk.view().back());
        CHECK(sim::compaction_due(method_of("codex"), size, 100'000));
    }

    TEST_CASE("Codex leaves out a text's middle on character boundaries and says how many tokens went") {
        CHECK(sim::codex::truncate_middle("12345678", 2) == "12345678");
        CHECK(sim::codex::truncate_middle("123456789", 2) == "1234…1 tokens truncated…6789");
        CHECK(sim::codex::truncate_middle(std::string(100, 'a'), 0) == "…25 tokens truncated…");
        // 2 + 2 bytes are allowed: é fits each side whole, 😀 would not.
        CHECK(sim::codex::truncate_middle("éxxxxé", 1) == "é…1 tokens truncated…é");
        CHECK(sim::codex::truncate_middle("😀xxxx😀", 1) == "…2 tokens truncated…");
        // Bytes that are no character are one each, or as many as could have begun one.
        CHECK(sim::codex::truncate_middle("\xE2\x82xxxxxxx\x82\x82", 1) == "\xE2\x82…2 tokens truncated…");
        CHECK(sim::codex::truncate_middle("\x82\x82\x82xxxxxx", 1) == "\x82\x82…2 tokens truncated…xx");
    }

    TEST_CASE("Codex keeps what the person wrote, from the newest on, up to 20,000 tokens") {
        Talk talk;
        talk.user(std::string(48'000, 'a'))
            .says("x")
            .user(std::string(40'000, 'b'))
            .calls("c")
            .result("c", "y")
            .user("z");
        const auto plan = sim::plan_compaction(method_of("codex"), talk.view(), billed(1e6), 200'000);
        REQUIRE(plan);
        CHECK(plan->to == 5);  // the new message is not yet in
        REQUIRE(plan->before.size() == 2);
        CHECK(plan->before[1] == talk.view()[2]);
        CHECK(text_of(plan->before[0]) ==
              std::string(20'000, 'a') + "…2000 tokens truncated…" + std::string(20'000, 'a'));
        CHECK(plan->after.empty());
    }

    TEST_CASE("Codex's own wrappers and earlier summaries do not survive a compaction") {
        Talk talk;
        talk.user("<environment_context>\n<cwd>/w</cwd>\n</environment_context>\n").user("real");
        talk.user("# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nDo.\n</INSTRUCTIONS>");
        talk.user("<skill>\n<name>n</name></skill>").user(" <subagent_notification>{}</subagent_notification>");
        const auto text = [](std::string words) {
            return sim::JsValue::object({{"type", "text"}, {"text", std::move(words)}});
        };
        talk.add(
            {{"role", "user"}, {"content", sim::JsValue::Array{text("and"), text("<turn_aborted>x</turn_aborted>")}}});
        talk.add({{"role", "compactionSummary"}, {"summary", "S"}});
        talk.says("done");
        const auto plan = sim::plan_compaction(method_of("codex"), talk.view(), billed(1e6), 200'000);
        REQUIRE(plan);
        REQUIRE(plan->before.size() == 1);
        CHECK(text_of(plan->before[0]) == "real");
    }

    TEST_CASE("what only begins as Codex's own is what the person wrote") {
        CHECK(sim::codex::is_wrapper("<SKILL>n</Skill>\n"));
        CHECK(sim::codex::is_wrapper(
            "# AGENTS.md instructions for /w\n<INSTRUCTIONS>\n</INSTRUCTIONS>\n<environment_context>"));
        CHECK_FALSE(sim::codex::is_wrapper("# AGENTS.md instructions are out of date: write them anew"));
        CHECK_FALSE(sim::codex::is_wrapper("<skill>"));
        Talk talk;
        talk.user("# AGENTS.md instructions are out of date: write them anew").says("done");
        const auto plan = sim::plan_compaction(method_of("codex"), talk.view(), billed(1e6), 200'000);
        REQUIRE(plan);
        CHECK(plan->before.size() == 1);
    }

    // --- opencode ---------------------------------------------------------------------------------------------------

    TEST_CASE("opencode's usable window is the input limit less the reserve, or the window less the longest answer") {
        sim::opencode::Compaction settings;
        CHECK(sim::opencode::usable(settings, 200'000, 8'000) == 192'000);
        CHECK(sim::opencode::usable(settings, 200'000, 64'000) == 168'000);  // answers of 32,000 at most
        settings.input_limit = 128'000;
        CHECK(sim::opencode::usable(settings, 200'000, 64'000) == 108'000);
        CHECK(sim::opencode::usable(settings, 200'000, 8'000) == 120'000);
        settings.reserved = 5'000;
        CHECK(sim::opencode::usable(settings, 200'000, 8'000) == 123'000);
        CHECK(due("opencode", 192'000, 200'000, 8'000));
        CHECK_FALSE(due("opencode", 191'999, 200'000, 8'000));
    }

    TEST_CASE("opencode does not look at what came after the last answer") {
        ContextSize size = billed(200'000, 8'000);
        size.trailing = 8'001;
        CHECK_FALSE(sim::compaction_due(method_of("opencode"), size, 200'000));
    }

    TEST_CASE("opencode's tail has a quarter of the usable window, between 2,000 and 8,000 tokens") {
        CHECK(sim::opencode::tail_budget({}, 4'000) == 2'000);
        CHECK(sim::opencode::tail_budget({}, 20'003) == 5'000);
        CHECK(sim::opencode::tail_budget({}, 100'000) == 8'000);
    }

    TEST_CASE("opencode keeps two turns that fit, and of one that does not the earliest end that does") {
        const Talk fits = turns(5);
        auto plan = sim::plan_compaction(method_of("opencode"), fits.view(), billed(1e6), 200'000);
        REQUIRE(plan);
        CHECK(plan->to == 12);
        CHECK_FALSE(plan->split_turn);
        Talk split;
        split.user("old").says("a").user("new").calls("a").result("a", std::string(40'000, 'x'));
        split.calls("b").result("b", std::string(20'000, 'x')).says("end");
        plan = sim::plan_compaction(method_of("opencode"), split.view(), billed(1e6), 200'000);
        REQUIRE(plan);
        CHECK(plan->to == 5);  // the call of b, never its result
        CHECK(plan->split_turn);
    }

    TEST_CASE("what stands before the first question is no turn for opencode, and a summary is no start") {
        Talk talk;
        talk.add({{"role", "compactionSummary"}, {"summary", "S"}}).says("on").says("and on").user("new").says("a");
        auto plan = sim::plan_compaction(method_of("opencode"), talk.view(), billed(1e6), 200'000);
        REQUIRE(plan);
        CHECK(plan->to == 3);
        CHECK(plan->min_saving == doctest::Approx(0.05));
        Talk one;  // all would be kept: everything goes
        one.add({{"role", "compactionSummary"}, {"summary", "S"}}).user("new").says("a");
        plan = sim::plan_compaction(method_of("opencode"), one.view(), billed(1e6), 200'000);
        REQUIRE(plan);
        CHECK(plan->to == 3);
    }

    TEST_CASE("opencode asks nothing again when only a summary stands before the question") {
        Talk talk;
        talk.add({{"role", "compactionSummary"}, {"summary", "S"}})
            .says("on")
            .user("the only one")
            .calls("a")
            .result("a", "x");
        const auto plan = sim::plan_compaction(method_of("opencode"), talk.view(), refused(), 200'000);
        REQUIRE(plan);
        CHECK(plan->to == talk.view().size());
        CHECK(plan->after.empty());
    }

    TEST_CASE("after an overflow opencode asks the last question again") {
        const Talk talk = turns(2);
        const auto plan = sim::plan_compaction(method_of("opencode"), talk.view(), refused(), 200'000);
        REQUIRE(plan);
        CHECK(plan->to == talk.view().size());
        REQUIRE(plan->after.size() == 1);
        CHECK(text_of(plan->after[0]) == "u1");
    }

    // --- Cline ------------------------------------------------------------------------------------------------------

    TEST_CASE("Cline summarises at nine tenths of the usable input, which is nine tenths of the window") {
        CHECK(due("cline", 81'000, 100'000));
        CHECK_FALSE(due("cline", 80'999, 100'000));
        sim::cline::Compaction settings;
        settings.input_limit = 50'000;
        CHECK(sim::cline::trigger(settings, 100'000) == 45'000);
    }

    TEST_CASE(
        "to Cline the system prompt and the tools are part of the request, and three characters of JSON are a token") {
        ContextSize size = billed(80'000);
        size.unseen = 1'000;
        CHECK(sim::compaction_due(method_of("cline"), size, 100'000));
        size.unseen = 999;
        CHECK_FALSE(sim::compaction_due(method_of("cline"), size, 100'000));
        Talk talk;
        talk.user(std::string(1'000, 'x'));  // {"role":"user","content":[{"type":"text","text":"…"}]}
        CHECK(sim::own_tokens(method_of("cline"), *talk.view()[0]) == 351);
    }

    TEST_CASE(
        "Cline keeps the newest 20,000 tokens and the last message of the person, and parts no call from its result") {
        const auto cut = [](const Talk& talk, double unseen = 0, double window = 200'000) {
            ContextSize size = billed(1e6);
            size.unseen = unseen;
            const auto plan = sim::plan_compaction(method_of("cline"), talk.view(), size, window);
            return plan ? plan->to : 0;
        };
        CHECK(cut(turns(4, 30'000)) == 9);   // a little over 10,000 tokens each; before the answer with the call
        CHECK(cut(turns(1, 200'000)) == 1);  // all of it one turn
        CHECK(cut(turns(3, 40)) == 0);       // everything fits
        CHECK(cut(turns(4, 30'000), 110'000) ==
              12);  // the request is to come down to 113,400, and little of it is room
        Talk asked = turns(4, 30'000);
        asked.user("and now?").calls("d").result("d", std::string(90'000, 'x')).says("done");
        CHECK(cut(asked) == 16);
        CHECK(sim::plan_compaction(method_of("cline"), asked.view(), billed(1e6), 200'000)->max_summary_tokens ==
              4'096);
    }

    TEST_CASE("Cline folds what was refused to half of it, however large the window") {
        Talk talk;
        talk.user("u");
        for (int i = 0; i < 8; ++i)
            talk.calls("c" + std::to_string(i)).result("c" + std::to_string(i), std::string(3'000, 'x'));
        const auto tokens = [](const sim::View& view) {
            double sum = 0;
            for (const sim::MsgPtr& message : view) sum += sim::own_tokens(method_of("cline"), *message);
            return sum;
        };
        const auto plan = sim::plan_compaction(method_of("cline"), talk.view(), refused(), 1e6);
        REQUIRE(plan);
        CHECK_FALSE(plan->asks_model);
        CHECK(tokens(plan->after) <= tokens(talk.view()) / 2);
        CHECK(tokens(plan->after) > tokens(talk.view()) / 3);
    }

    TEST_CASE("Cline does not summarise a summary alone") {
        Talk talk;
        talk.add({{"role", "compactionSummary"}, {"summary", "S"}}).user("go on").says(std::string(90'000, 'x'));
        CHECK_FALSE(sim::plan_compaction(method_of("cline"), talk.view(), billed(1e6), 200'000));
    }

    TEST_CASE("Cline folds to 0.7 of the trigger, after five exchanges to half of the input") {
        CHECK(sim::cline::fold_target({}, turns(1).view(), 100'000, 8'000) == 56'700);
        CHECK(sim::cline::fold_target({}, turns(3).view(), 100'000, 8'000) == 45'000);  // two answers a turn
        CHECK(sim::cline::fold_target({}, turns(3).view(), 100'000, 0) == 56'700);
        CHECK(sim::cline::fold_target({}, turns(3).view(), 100'000, 90'000) == 56'700);
    }

    TEST_CASE(
        "folding keeps what the person wrote, the end of the newest turn, and last answers of turns as far as they "
        "fit") {
        Talk talk;  // some 153 tokens a message
        talk.user(std::string(400, 'f')).calls("c").result("c", std::string(400, 'r')).says(std::string(400, 'a'));
        talk.user(std::string(400, 'm')).says(std::string(400, 'b')).user(std::string(400, 'l'));
        talk.says(std::string(400, 'y')).says(std::string(400, 'z'));
        CHECK(sim::cline::fold(talk.view(), 1e6, 1e6).size() == 7);  // the call and its result go
        const auto kept = [&](double target) {
            std::string letters;
            for (const auto& message : sim::cline::fold(talk.view(), target, 1e6)) {
                for (const sim::Block& block : message->blocks) letters += block.text.copy()[0];
            }
            return letters;
        };
        CHECK(kept(930) == "fmblyz");
        CHECK(kept(800) == "fmlyz");
        CHECK(kept(610) == "fmlz");
        CHECK(kept(500) == "fml");  // words beside each other become one message
        CHECK(sim::cline::fold(talk.view(), 500, 1e6).size() == 1);
    }

    TEST_CASE("folding cuts what is above the trigger, the newest first, but not what the person wrote last") {
        Talk talk;
        talk.user(std::string(4'000, 'f')).says("ok").user(std::string(400, 'l'));
        const sim::View cut = sim::cline::fold(talk.view(), 100, 500);
        REQUIRE(cut.size() == 1);
        REQUIRE(cut[0]->blocks.size() == 2);
        CHECK(text_of(cut[0]).ends_with(" chars]"));
        CHECK(text_of(cut[0]).size() == 750);  // half of 500 tokens
        CHECK(cut[0]->blocks[1].text.copy() == std::string(400, 'l'));
        CHECK(sim::cline::fold(Talk().user("u").view(), 1, 1).size() == 1);
        CHECK(sim::cline::fold(Talk().says("a").says("b").view(), 1, 1).size() ==
              2);  // nothing to keep is nothing to fold
    }

    TEST_CASE(
        "folding leaves calls that wait for results as they are, and drops the oldest when cutting is not enough") {
        Talk talk;
        talk.user("first");
        for (int i = 0; i < 40; ++i) talk.says(std::string(90, 'a')).user(std::string(90, 'm'));
        talk.user("last").calls("w");
        const sim::View folded = sim::cline::fold(talk.view(), 400, 400);
        CHECK(text_of(folded.front()) == "first");
        CHECK(folded.back()->role == sim::Role::user);  // the call does not fit beside what the person wrote
        double tokens = 0;
        for (const auto& message : folded) tokens += sim::own_tokens(method_of("cline"), *message);
        CHECK(tokens <= 400);
        Talk waiting;
        waiting.user("go").calls("w").user("and?");
        CHECK(sim::cline::fold(waiting.view(), 1e6, 1e6).size() == 1);
    }

    // --- Roo Code ---------------------------------------------------------------------------------------------------

    TEST_CASE("Roo condenses at its percentage, or above nine tenths of the window less the answer") {
        CHECK_FALSE(due("roo", 82'000, 100'000, 8'000));
        CHECK(due("roo", 82'001, 100'000, 8'000));
        CHECK(due("roo", 81'809, 100'000));  // 8,192 for an answer of unknown length
        CHECK_FALSE(due("roo", 81'808, 100'000));
        sim::roo::Compaction settings;
        CHECK(sim::roo::reserved(settings, 64'000, "", 200'000) == 40'000);  // a fifth of the window at most
        CHECK(sim::roo::reserved(settings, 64'000, "", 199'999) == 40'000);
        CHECK(sim::roo::reserved(settings, 64'000, "claude-sonnet-4-5", 200'000) == 8'192);
        CHECK(sim::roo::reserved(settings, 4'096, "claude-3-haiku", 200'000) == 4'096);
        CHECK(sim::roo::reserved(settings, 128'000, "GPT-5.1", 400'000) == 128'000);
        ContextSize claude = billed(171'809, 64'000);
        claude.model = "claude-sonnet-4-5";
        CHECK(sim::compaction_due(settings, claude, 200'000));
        claude.billed = 171'808;
        CHECK_FALSE(sim::compaction_due(settings, claude, 200'000));
        settings.percent = 50;
        CHECK(sim::compaction_due(settings, billed(50'000), 100'000));
        CHECK_FALSE(sim::compaction_due(settings, billed(49'999), 100'000));
    }

    TEST_CASE("Roo keeps the first message; a second attempt hides half of the rest, an even number") {
        Talk talk;
        for (int i = 0; i < 12; ++i) i % 2 ? talk.says("a") : talk.user("u");
        const auto first = sim::plan_compaction(method_of("roo"), talk.view(), refused(), 100'000);
        REQUIRE(first);
        CHECK(first->from == 1);
        CHECK(first->to == 12);
        const auto range = sim::roo::hidden(talk.view());  // floor(11 / 2) = 5, made even
        CHECK(range.begin == 1);
        CHECK(range.end == 5);
        ContextSize again = refused();
        again.attempt = 1;
        const auto second = sim::plan_compaction(method_of("roo"), talk.view(), again, 100'000);
        REQUIRE(second);
        CHECK_FALSE(second->asks_model);
        CHECK(second->to == 5);
    }

    TEST_CASE("to Roo the results of an answer are one message") {
        Talk talk;
        talk.user("u").calls("a").result("a", "1").result("b", "2").says("x").user("v").says("y").user("w");
        const auto range = sim::roo::hidden(talk.view());  // u, call, results, x, v, y, w: floor(6 / 2) = 3, made 2
        CHECK(range.begin == 1);
        CHECK(range.end == 4);
    }

    // --- OpenHands --------------------------------------------------------------------------------------------------

    TEST_CASE("OpenHands condenses above 240 events and keeps the first 2 and the newest 117") {
        Talk talk;  // the system prompt is the first event
        for (int i = 0; i < 239; ++i) talk.user("u");
        ContextSize size;
        size.view = &talk.view();
        CHECK_FALSE(sim::compaction_due(method_of("openhands"), size, 1e6));
        talk.user("u");
        CHECK(sim::compaction_due(method_of("openhands"), size, 1e6));
        const auto plan = sim::plan_compaction(method_of("openhands"), talk.view(), size, 1e6);
        REQUIRE(plan);
        CHECK(plan->from == 1);
        CHECK(plan->to == 123);
    }

    TEST_CASE("an overflow makes OpenHands keep half, never a result without its call") {
        const Talk talk = turns(10);  // 41 events: half is 20, less the first 2 and the summary 17
        const auto plan = sim::plan_compaction(method_of("openhands"), talk.view(), refused(), 1e6);
        REQUIRE(plan);
        CHECK(plan->from == 1);
        CHECK(plan->to == 23);
        sim::openhands::Condenser three;
        three.keep_first = 3;  // a result would be parted from its call
        CHECK(sim::plan_compaction(three, talk.view(), refused(), 1e6)->from == 3);
    }

    TEST_CASE("to OpenHands what Claude does on one thought is one, however long") {
        const auto answer = [](Talk& talk, int i, bool thinks) {
            const std::string id = std::to_string(i);
            sim::JsValue::Array blocks;
            if (thinks) blocks.push_back(sim::JsValue::object({{"type", "thinking"}, {"thinking", "so"}}));
            blocks.push_back(sim::JsValue::object({{"type", "toolCall"}, {"id", id}, {"name", "n"}}));
            talk.add({{"role", "assistant"}, {"content", std::move(blocks)}}).result(id, "x");
        };
        const auto plan_of = [&](int thought_every, std::string_view model) {
            Talk talk;
            talk.user("u");
            for (int i = 0; i < 20; ++i) answer(talk, i, i % thought_every == 0);
            ContextSize size = refused();
            size.model = model;
            return *sim::plan_compaction(method_of("openhands"), talk.view(), size, 1e6);
        };
        // 42 events: half is 21, less the first 2 and the summary 18
        CHECK(plan_of(20, "gpt-5").to == 23);
        CHECK(plan_of(1, "claude-sonnet-4-5").to == 23);
        CHECK(plan_of(8, "claude-sonnet-4-5").to == 33);
        CHECK(plan_of(20, "claude-sonnet-4-5").from == 1);
        CHECK(plan_of(20, "claude-sonnet-4-5").to == 41);
    }

    TEST_CASE("less than a tenth of progress is none, and on overflow everything goes") {
        Talk talk;
        talk.user("u").calls("a");
        for (int i = 0; i < 10; ++i) talk.result("a", "x");
        sim::openhands::Condenser settings;
        settings.max_events = 6;
        settings.keep_first = 3;
        ContextSize size;
        CHECK_FALSE(sim::plan_compaction(settings, talk.view(), size, 1e6));
        const auto hard = sim::plan_compaction(settings, talk.view(), refused(), 1e6);
        REQUIRE(hard);
        CHECK(hard->from == 0);
        CHECK(hard->to == 12);
    }

    TEST_CASE("of so few events that half of them leaves no tail OpenHands keeps none") {
        Talk talk;
        talk.user("a").user("b").user("c").user("d");  // 5 events with the system prompt: 5 / 2 - 2 - 1 is below 0
        const auto plan = sim::plan_compaction(method_of("openhands"), talk.view(), refused(), 1e6);
        REQUIRE(plan);
        CHECK(plan->from == 0);
        CHECK(plan->to == 4);
        sim::openhands::Condenser settings;
        settings.max_events = 3;
        CHECK_FALSE(sim::plan_compaction(settings, talk.view(), ContextSize(), 1e6));
    }

    TEST_CASE("an answer is one event for each of its calls") {
        CHECK(sim::openhands::events(turns(1).view()) == 4);
        const sim::JsValue call = sim::JsValue::object({{"type", "toolCall"}, {"id", "a"}, {"name", "n"}});
        Talk talk;
        talk.add({{"role", "assistant"}, {"content", sim::JsValue::Array{call, call, call}}});
        CHECK(sim::openhands::events(talk.view()) == 3);
    }

    TEST_CASE("OpenHands' forgetting condenser keeps 50 of 101 events and asks nobody") {
        Talk talk;
        for (int i = 0; i < 101; ++i) talk.user("u");
        const auto plan = sim::plan_compaction(method_of("openhands-amortized"), talk.view(), {}, 1e6);
        REQUIRE(plan);
        CHECK_FALSE(plan->asks_model);
        CHECK(plan->to - plan->from == 51);
    }

    TEST_CASE("the conversation window keeps the first message and half of the rest, from the next call on") {
        const Talk talk = turns(3);  // 12 messages: 11 after the first, of which 5 stay
        const auto plan = sim::plan_compaction(method_of("openhands-window"), talk.view(), refused(), 1e6);
        REQUIRE(plan);
        CHECK(plan->from == 1);
        CHECK(plan->to == 7);
    }

    // --- Kimi, LangChain, Letta -------------------------------------------------------------------------------------

    TEST_CASE("Kimi compacts at 85 % of the window or 50,000 tokens before its end, whichever is first") {
        CHECK(due("kimi", 850'000, 1'000'000));
        CHECK_FALSE(due("kimi", 849'999, 1'000'000));
        CHECK(due("kimi", 150'000, 200'000));
        CHECK_FALSE(due("kimi", 149'999, 200'000));
    }

    TEST_CASE("Kimi keeps the last two messages of the person and the model, with the results between them") {
        Talk talk;
        talk.user("u").says("a").user("v").calls("c").result("c", "x");
        const auto plan = sim::plan_compaction(method_of("kimi"), talk.view(), billed(1e6), 1e6);
        REQUIRE(plan);
        CHECK(plan->to == 2);
        CHECK_FALSE(sim::plan_compaction(method_of("kimi"), Talk().user("u").view(), billed(1e6), 1e6));
        CHECK_FALSE(sim::plan_compaction(method_of("kimi"), Talk().user("u").says("a").view(), billed(1e6), 1e6));
    }

    TEST_CASE("LangChain keeps 20 messages and moves the cut back until no call is parted from its result") {
        Talk talk;
        talk.user("u").user("v").user("w").calls("c").result("c", "x");
        for (int i = 0; i < 19; ++i) talk.user("n");
        REQUIRE(talk.view().size() == 24);  // the cut would fall on the result
        const auto plan = sim::plan_compaction(method_of("langchain"), talk.view(), billed(1e6), 1e6);
        REQUIRE(plan);
        CHECK(plan->to == 3);
        Talk few;
        for (int i = 0; i < 20; ++i) few.user("n");
        CHECK_FALSE(sim::plan_compaction(method_of("langchain"), few.view(), billed(1e6), 1e6));
    }

    TEST_CASE("LangChain rounds its share of the window down, and counts calls as Python writes them") {
        CHECK(due("langchain", 6'962, 8'191));
        CHECK_FALSE(due("langchain", 6'961, 8'191));
        const auto tokens = [](const Talk& talk) { return sim::own_tokens(method_of("langchain"), *talk.view()[0]); };
        CHECK(tokens(Talk().add({{"role", "system"}, {"content", "abc"}})) == 3 + 3);  // 9 characters
        CHECK(tokens(Talk().result("id", "abcd", "read")) == 4 + 3);                   // 14
        CHECK(tokens(Talk().calls("id", "read")) == 21 + 3);  // 9, [], the frame of 53, 4, 2 and {"path":"/w"}
    }

    TEST_CASE("LangChain looks five messages around a cut, and no further") {
        const auto cut_with = [](int between) {
            Talk talk;
            talk.user("u").calls("c");
            for (int i = 0; i < between; ++i) talk.user("n");
            talk.result("c", "x");
            return sim::langchain::safe_cut(talk.view(), 2 + static_cast<std::size_t>(between), 5);
        };
        CHECK(cut_with(4) == 1);
        CHECK(cut_with(5) == 7);
    }

    TEST_CASE("Letta compacts when an answer is there that fills the window, of GPT-5 nine tenths of it") {
        CHECK_FALSE(due("letta", 100'000, 100'000));
        CHECK(due("letta", 100'001, 100'000));
        ContextSize size = billed(100'001);
        size.trailing = 1;  // came after the answer
        CHECK_FALSE(sim::compaction_due(method_of("letta"), size, 100'000));
        const auto due_at = [](std::string_view model, double tokens) {
            ContextSize of_model = billed(tokens);
            of_model.model = model;
            return sim::compaction_due(method_of("letta"), of_model, 100'000);
        };
        CHECK(due_at("gpt-5", 90'001));
        CHECK(due_at("openai/GPT-5.2-codex", 90'001));
        CHECK_FALSE(due_at("gpt-5", 90'000));
        CHECK_FALSE(due_at("gpt-50", 90'001));
        CHECK_FALSE(due_at("my-gpt-5", 90'001));
    }

    TEST_CASE("Letta gives up 40 % by count, back to an answer, and more until 70 % of the window hold the rest") {
        const Talk talk = two_answers();
        // Eleven messages are there, and the system message: the fifth is no answer, the third of the view is.
        const auto fits = sim::plan_compaction(method_of("letta"), talk.view(), billed(1e6), 1e5);
        REQUIRE(fits);
        CHECK(fits->from == 0);
        CHECK(fits->to == 2);
        const auto more = sim::plan_compaction(method_of("letta"), talk.view(), billed(1e6), 1'000);
        REQUIRE(more);
        CHECK(more->to == 6);
    }

    TEST_CASE("Letta measures what stays in tokens that were billed, with what every prompt has") {
        const Talk talk = two_answers();
        ContextSize size = billed(1'000);
        size.unseen = 600;
        size.estimated = 0;
        for (const sim::MsgPtr& message : talk.view()) size.estimated += sim::own_tokens(method_of("letta"), *message);
        const auto kept_from = [&](double window) {
            const auto plan = sim::plan_compaction(method_of("letta"), talk.view(), size, window);
            return plan ? plan->to : 0;
        };
        CHECK(kept_from(1'500) == 2);  // below 1,000 of 1,050 tokens; of its own it would count more
        CHECK(kept_from(1'100) == 6);
    }

    TEST_CASE("Letta gives up everything where no answer stands far enough back") {
        const auto plan_for = [](const Talk& talk) {
            return sim::plan_compaction(method_of("letta"), talk.view(), billed(1e6), 1e5);
        };
        const auto late = plan_for(Talk().user("u").user("v").user("w").says("a").user("new"));
        REQUIRE(late);
        CHECK(late->from == 0);
        CHECK(late->to == 4);  // the answer is the last message; what the person says next is not yet there
        CHECK_FALSE(plan_for(Talk().user("u").user("v")));
    }

    TEST_CASE("Letta's buffer holds ten messages, then the newest three from a message of the person on") {
        Talk talk;
        for (int i = 0; i < 9; ++i) talk.user("u");
        ContextSize size;
        size.view = &talk.view();
        CHECK_FALSE(sim::compaction_due(method_of("letta-buffer"), size, 1e6));  // the system message is the tenth
        talk.says("a").user("v").says("b").user("w");
        CHECK(sim::compaction_due(method_of("letta-buffer"), size, 1e6));
        const auto plan = sim::plan_compaction(method_of("letta-buffer"), talk.view(), size, 1e6);
        REQUIRE(plan);
        CHECK(plan->to == 10);
        CHECK_FALSE(plan->asks_model);
    }

    TEST_CASE("Letta's buffer is looked at when a turn is over, and what the person says next is no part of it") {
        Talk talk;
        talk.user("u");
        for (int i = 0; i < 6; ++i) talk.calls("c" + std::to_string(i)).result("c" + std::to_string(i), "x");
        ContextSize size;
        size.view = &talk.view();
        CHECK_FALSE(
            sim::compaction_due(method_of("letta-buffer"), size, 1e6));  // nothing would be left of what is asked
        talk.user("v").says("a").says("b").user("w");
        CHECK(sim::compaction_due(method_of("letta-buffer"), size, 1e6));
        const auto plan = sim::plan_compaction(method_of("letta-buffer"), talk.view(), size, 1e6);
        REQUIRE(plan);
        CHECK(plan->to == 13);  // of the three newest the first is the person's: it stays, too
        Talk ten;               // with the system message; the eleventh is not yet in
        ten.user("u");
        for (int i = 0; i < 8; ++i) ten.says("a");
        ten.user("v");
        size.view = &ten.view();
        CHECK_FALSE(sim::compaction_due(method_of("letta-buffer"), size, 1e6));
    }

    // --- the providers ----------------------------------------------------------------------------------------------

    TEST_CASE("Anthropic compacts above 150,000 tokens, never below 50,000; its tool runner at 100,000") {
        CHECK_FALSE(due("anthropic-compaction", 150'000, 200'000));
        CHECK(due("anthropic-compaction", 150'001, 200'000));
        sim::provider::Compaction low;
        low.trigger_tokens = 10'000;
        CHECK_FALSE(sim::compaction_due(low, billed(50'000), 200'000));
        CHECK(sim::compaction_due(low, billed(50'001), 200'000));
        CHECK(due("anthropic-tool-runner", 100'000, 200'000));
        CHECK_FALSE(due("anthropic-tool-runner", 99'999, 200'000));
    }

    TEST_CASE("Anthropic's tool runner looks at what an answer was billed, and loses nothing that is said next") {
        ContextSize size = billed(120'000);
        size.trailing = 20'001;
        CHECK_FALSE(sim::compaction_due(method_of("anthropic-tool-runner"), size, 200'000));
        size.trailing = 20'000;
        CHECK(sim::compaction_due(method_of("anthropic-tool-runner"), size, 200'000));
        const Talk talk = turns(2).user("next");
        const auto runner = sim::plan_compaction(method_of("anthropic-tool-runner"), talk.view(), size, 200'000);
        REQUIRE(runner);
        CHECK(runner->to == 8);
        const auto provider = sim::plan_compaction(method_of("anthropic-compaction"), talk.view(), size, 200'000);
        REQUIRE(provider);
        CHECK(provider->to == 9);  // it is sent the question, and compacts before it answers
        CHECK_FALSE(sim::plan_compaction(method_of("anthropic-tool-runner"), Talk().user("u").view(), size, 200'000));
    }

    TEST_CASE("OpenAI's truncation drops from the beginning until the prompt fits, and no call without its result") {
        const Talk talk = turns(4, 4'000);
        double all = 0;
        for (const auto& message : talk.view()) all += sim::own_tokens(method_of("openai-truncation"), *message);
        CHECK_FALSE(due("openai-truncation", 1'000, 1'000));
        ContextSize size = billed(all);
        const auto plan = sim::plan_compaction(method_of("openai-truncation"), talk.view(), size, all - 30);
        REQUIRE(plan);
        CHECK(plan->from == 0);
        CHECK(plan->to == 3);
        CHECK_FALSE(plan->asks_model);
        CHECK_FALSE(sim::plan_compaction(method_of("openai-truncation"), talk.view(), size, all));
    }
}
