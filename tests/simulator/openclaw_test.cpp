#include "simulator/view.hpp"

#include <agent_audit/simulator/openclaw.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace oc = agent_audit::simulator::openclaw;
namespace sim = agent_audit::simulator;
using agent_audit::test::Talk;
using agent_audit::test::text_of;

namespace {

/// `results` calls with a result of `chars` characters each, then three answers.
Talk session(int results, std::size_t chars) {
    Talk talk;
    talk.user("go");
    for (int i = 0; i < results; ++i) {
        const std::string id = "c" + std::to_string(i);
        talk.calls(id).result(id, std::string(chars, 'x'));
    }
    return talk.says("a").says("b").says("c");
}

/// The window, in tokens, of which `view` with so many result characters takes just `share`.
double window_for(const Talk& talk, int results, std::size_t chars, double share) {
    // user 2, calls {"path":"/w"} 13 each, answers 1 each
    const double total = 2 + 13.0 * results + static_cast<double>(chars) * results + 3;
    CHECK(talk.view().size() == static_cast<std::size_t>(2 * results + 4));
    return total / share / 4;
}

}  // namespace

TEST_SUITE("OpenClaw") {
    TEST_CASE("the turn limit of 2026.9 drops turns in batches") {
        const auto kept_of = [](int users) {
            Talk talk;
            for (int i = 0; i < users; ++i) talk.user("u").says("a");
            return (talk.view().size() - oc::limit_history(talk.view(), 10).from) / 2;
        };
        CHECK(kept_of(15) == 15);
        CHECK(kept_of(16) == 10);
        CHECK(kept_of(17) == 11);
        CHECK(kept_of(21) == 15);
        CHECK(kept_of(22) == 10);
    }

    TEST_CASE("a leading summary survives the limit of 2026.9 but not that of 2026.3") {
        Talk talk;
        talk.add({{"role", "compactionSummary"}, {"summary", "S"}});
        for (int i = 0; i < 4; ++i) talk.user("u");
        CHECK(oc::limit_history(talk.view(), 1).prelude == 1);
        CHECK(oc::limit_history_2026_3(talk.view(), 1).prelude == 0);
        CHECK(oc::limit_history_2026_3(talk.view(), 1).from == 4);
    }

    TEST_CASE("exactly 30 % of the window prunes, and 4000 characters stay whole") {
        const Talk short_ones = session(2, 4'000), long_ones = session(2, 4'001);
        const double exactly = window_for(short_ones, 2, 4'000, 0.3);
        CHECK(oc::prune_2026_3(short_ones.view(), {}, exactly).empty());
        const auto edits = oc::prune_2026_3(long_ones.view(), {}, exactly);
        REQUIRE(edits.size() == 2);
        CHECK(text_of(edits[0].message)
                  .ends_with("\n\n[Tool result trimmed: kept first 1500 chars and last 1500 chars of 4001 chars.]"));
        CHECK(oc::prune_2026_3(long_ones.view(), {}, window_for(long_ones, 2, 4'001, 0.2999)).empty());
    }

    TEST_CASE("results are cleared from the oldest on until half the window is free") {
        const Talk talk = session(20, 3'000);
        const auto edits = oc::prune_2026_3(talk.view(), {}, window_for(talk, 20, 3'000, 0.6));
        REQUIRE(edits.size() == 4);
        CHECK(edits[0].index == 2);
        CHECK(edits[3].index == 8);
        CHECK(text_of(edits[0].message) == oc::kClearedPlaceholder);
    }

    TEST_CASE("2026.9 sends a pruned result the same way in later requests, before the cache expires again") {
        const Talk talk = session(2, 5'000);
        oc::Projections kept;
        const double window = window_for(talk, 2, 5'000, 0.4);
        CHECK(oc::prune(talk.view(), {}, window, {400'000, 1}, kept).pruned);
        const auto later = oc::prune(talk.view(), {}, window, {400'001, 400'000}, kept);
        CHECK_FALSE(later.pruned);
        REQUIRE(later.edits.size() == 2);
        oc::Projections nothing;
        CHECK(oc::prune(talk.view(), {}, window, {400'001, 400'000}, nothing).edits.empty());
    }

    TEST_CASE("a tool that is denied is never pruned, whoever allows it") {
        const oc::ToolFilter filter({"re*"}, {" READ_many "});
        CHECK(filter.allows(" Read "));
        CHECK_FALSE(filter.allows("read_many"));
        CHECK_FALSE(filter.allows("bash"));
        CHECK(oc::ToolFilter().allows("anything"));
    }

    TEST_CASE("what redacted thinking still says counts for 2026.9") {
        const auto pruned = [](std::size_t thinking) {
            Talk talk = session(1, 5'000);
            sim::JsValue::Array content{sim::JsValue::object(
                {{"type", "redacted_thinking"}, {"data", "R"}, {"thinking", std::string(thinking, 't')}})};
            talk.add({{"role", "assistant"}, {"content", std::move(content)}});
            oc::Projections projections;
            return oc::prune(talk.view(), {}, 5'000, {1e9, 1}, projections).pruned;  // 6000 characters begin it
        };
        CHECK_FALSE(pruned(500));
        CHECK(pruned(1'000));
    }

    TEST_CASE("a time to live is numbers with units, or a single number of minutes; all else is the default") {
        const auto ttl = [](const char* words) {
            return oc::prune_settings(sim::JsValue::object({{"ttl", words}})).ttl_ms / 1000;
        };
        CHECK(ttl("1h30m") == 5'400);
        CHECK(ttl(" 90S ") == 90);
        CHECK(ttl("2") == 120);
        CHECK(ttl("1.5h") == 5'400);
        for (const char* none : {"1h30", ".5h", "1e3ms", "5.", "5.m", "-5m", "5 m", "1.2.3m", ""}) {
            CAPTURE(none);
            CHECK(ttl(none) == 300);
        }
    }

    TEST_CASE("an emoji on the cut is split by 2026.3 and spared by 2026.9") {
        const std::string text = std::string(1'499, 'a') + "😀" + std::string(4'000, 'b');
        Talk talk;
        talk.user("go").calls("c").result("c", text).says("a").says("b").says("c");
        const auto old_way = oc::prune_2026_3(talk.view(), {}, 1'000);
        REQUIRE(old_way.size() == 1);
        CHECK(sim::json_of(*old_way[0].message).stringify().find("a\\ud83d\\n...") != std::string::npos);
        oc::Projections kept;
        const auto new_way = oc::prune(talk.view(), {}, 1'000, {400'000, 1}, kept);
        REQUIRE(new_way.edits.size() == 1);
        CHECK(text_of(new_way.edits[0].message).starts_with(std::string(1'499, 'a') + "\n...\n"));
    }

    TEST_CASE("2026.3 may exceed its limit to keep 2000 characters, 2026.9 never does") {
        const sim::Text text(std::string(10'000, 'x'));
        CHECK(oc::truncate_text_2026_3(text, 100, "S").size() == 2'001);
        CHECK(oc::truncate_text(text, 100, {}).size() == 100);
    }

    TEST_CASE("an end that tells the outcome is kept") {
        const sim::Text text(std::string(20'000, 'x') + "\nerror: no such file");
        CHECK(oc::truncate_text(text, 9'000, {}).find("error: no such file") != std::string::npos);
        CHECK(oc::truncate_text(sim::Text(std::string(20'000, 'x') + "\nterror"), 9'000, {}).find("terror") ==
              std::string::npos);
    }

    TEST_CASE("results that are too much together are cut from the oldest on, the newest batch last") {
        Talk talk;
        talk.user("go");
        for (const char* id : {"a", "b", "c"}) talk.calls(id).result(id, std::string(9'000, 'x'));
        oc::Projections kept;
        const auto plan = oc::fit_results(talk.view(), 4'000, kept, {10'000, 12'000, 0, true});
        CHECK(plan.pressure);
        REQUIRE(plan.edits.size() == 2);
        CHECK(plan.edits[1].index == 4);
    }

    TEST_CASE("an output that is saved in a file is named where it is cut, and kept by its name where it is cleared") {
        const sim::JsValue saved = sim::JsValue::object({{"fullOutputPath", "/logs/build \"1\".txt"}});
        const auto add = [](Talk& talk, const char* id, sim::JsValue details, const std::string& words) {
            talk.calls(id).add(
                {{"role", "toolResult"},
                 {"toolCallId", id},
                 {"content", sim::JsValue::Array{sim::JsValue::object({{"type", "text"}, {"text", words}})}},
                 {"details", std::move(details)}});
        };
        const std::string words(5'000, 'x'), footer = "\n[Full output: /logs/build \"1\".txt]";
        const auto shortened = [&](const sim::JsValue& details, const std::string& text, double each, double all) {
            Talk talk;
            add(talk.user("go"), "a", details, text);
            add(talk, "b", sim::JsValue(), words);
            const auto plan = oc::plan_result_budget(talk.view(), 32'000, {each, all, 0, false});
            REQUIRE_FALSE(plan.edits.empty());
            REQUIRE(plan.edits[0].index == 2);
            return agent_audit::test::text_of(plan.edits[0].message);
        };
        CHECK(shortened(saved, words + footer, 1'000, 9'000)
                  .ends_with("chars truncated; full output at /logs/build \"1\".txt]"));
        CHECK(shortened(saved, R"({"out":"Full output: /logs/build \"1\".txt"})" + words, 1'000, 9'000)
                  .ends_with("chars truncated; full output at /logs/build \"1\".txt]"));
        CHECK(shortened(saved, words, 1'000, 9'000).ends_with("rerun with narrower args if needed]"));
        CHECK(shortened(saved, words + footer, 5'500, 20) == R"([read /logs/build "1".txt])");

        const sim::JsValue part = *sim::JsValue::parse(
            R"({"spill":{"path":"/logs/p","truncated":true,"chars":700.5},"fullOutputPath":"/no"})");
        CHECK(shortened(part, words + "\nFull output: /logs/p", 1'000, 9'000)
                  .ends_with("chars truncated; partial output at /logs/p]"));
        CHECK(shortened(part, words + "\nFull output: /logs/p", 5'500, 20) == "[partial: /logs/p]");
    }

    TEST_CASE("a text in a block of type toolResult counts for 2026.9's limits, and for no others") {
        const std::string words(9'000, 'x');
        Talk talk;
        talk.user("go").calls("a").add(
            {{"role", "toolResult"},
             {"toolCallId", "a"},
             {"content", sim::JsValue::Array{sim::JsValue::object({{"type", "toolResult"}, {"text", words}})}}});
        const sim::MsgPtr& result = talk.view()[2];
        const auto cut = oc::truncate_result(result, 3'000, {});
        REQUIRE(cut != result);
        const sim::JsValue json = sim::json_of(*cut);
        const sim::JsValue& block = (*json["content"].array())[0];
        CHECK(*block["type"].string() == "toolResult");
        CHECK(block["text"].string()->size() <= 3'000);
        CHECK(oc::plan_result_budget(talk.view(), 32'000, {3'000, 0, 0, false}).oversized == 1);
        CHECK(oc::truncate_result_2026_3(result, 3'000, oc::kTruncationSuffix2026_3) == result);
        CHECK(oc::prune_size(result).chars == 0);
    }

    TEST_CASE("2026.3 clears a result whose content is a string, and does not trim it") {
        Talk talk;
        talk.user("go").calls("a").add(
            {{"role", "toolResult"}, {"toolCallId", "a"}, {"content", std::string(9'000, 'x')}});
        talk.calls("b").result("b", std::string(90'000, 'x')).says("1").says("2").says("3");
        oc::PruneSettings settings;
        settings.min_prunable = 0;
        const auto edits = oc::prune_2026_3(talk.view(), settings, 1'000);
        REQUIRE(edits.size() == 3);
        CHECK(edits[0].index == 4);
        CHECK(edits[0].action == sim::Action::trim);
        CHECK(edits[1].index == 2);
        CHECK(edits[1].action == sim::Action::clear);
    }

    TEST_CASE("2026.3 shortens results under the names that other programs give them") {
        Talk talk;
        talk.user("q").add({{"role", "tool"}, {"content", std::string(5'000, 'x')}});
        talk.add({{"type", "toolResult"}, {"content", std::string(5'000, 'y')}});
        const auto edits = oc::guard_context_2026_3(talk.view(), 4'000);
        REQUIRE(edits.size() == 2);
        CHECK(text_of(edits[0].message).starts_with("[compacted"));  // the oldest first, until the rest fits
        CHECK(text_of(edits[1].message).size() == 4'000);
    }

    TEST_CASE("2026.3 clears a result without any content by blocks, one without the field by a string") {
        Talk talk;
        talk.add({{"role", "toolResult"}, {"content", nullptr}, {"details", std::string(9'000, 'd')}});
        talk.add({{"role", "toolResult"}, {"details", std::string(9'000, 'd')}});
        const auto edits = oc::guard_context_2026_3(talk.view(), 1'000);
        REQUIRE(edits.size() == 2);
        CHECK(sim::json_of(*edits[0].message)["content"].array() != nullptr);
        CHECK(sim::json_of(*edits[1].message)["content"].string() != nullptr);
    }

    TEST_CASE("what is dropped to fit is told in the order of the view, what a repair made last") {
        Talk talk;
        talk.user("a").calls("lost").says("b").says("c");
        const auto pruned = oc::prune_to_share(talk.view(), 1'000, 0, 4, oc::Release::y2026_9);
        REQUIRE(pruned.dropped.size() == 4);
        for (std::size_t i = 0; i < 3; ++i) CHECK(pruned.dropped[i] == talk.view()[i]);
        CHECK(pruned.dropped[3]->role == sim::Role::tool_result);
    }

    TEST_CASE("a call without its result gets one that says so") {
        Talk talk;
        talk.user("go").calls("a").user("and?");
        for (const auto& repair : {oc::repair_pairs(talk.view()), oc::repair_pairs_2026_3(talk.view())}) {
            CHECK(repair.added == 1);
            REQUIRE(repair.view.size() == 4);
            CHECK(repair.view[2]->call_id == "a");
            CHECK(repair.view[2]->is_error);
        }
    }

    TEST_CASE("results of an aborted answer are orphans in 2026.3 and stay in 2026.9") {
        Talk talk;
        talk.calls("a", "read", "aborted").result("a", "1");
        CHECK(oc::repair_pairs_2026_3(talk.view()).dropped_orphans == 1);
        CHECK_FALSE(oc::repair_pairs(talk.view()).moved);
    }

    TEST_CASE("an id used by two turns keeps both results in 2026.9") {
        Talk talk;
        talk.calls("a").result("a", "1").calls("a").result("a", "2");
        CHECK_FALSE(oc::repair_pairs(talk.view()).moved);
        const auto old_way = oc::repair_pairs_2026_3(talk.view());
        CHECK(old_way.dropped_duplicates == 2);
        CHECK(old_way.view.size() == 3);
    }

    TEST_CASE("2026.9 never parts a call from its result, 2026.3 may") {
        Talk talk;
        talk.user(std::string(100, 'u')).calls("a").result("a", std::string(400, 'x')).user(std::string(100, 'u'));
        for (const oc::Range& range : oc::split_by_tokens(talk.view(), 2, oc::Release::y2026_9))
            CHECK(range.begin != 2);
        const auto parted = oc::split_by_tokens(talk.view(), 2, oc::Release::y2026_3);
        REQUIRE(parted.size() == 2);
        CHECK(parted[1].begin == 2);
    }

    TEST_CASE("a prompt is estimated of what other programs write as well") {
        const auto tokens = [](const char* message) {
            const auto json = sim::JsValue::parse(message);
            REQUIRE(json);
            const sim::View view{sim::message_of(std::make_shared<const sim::JsValue>(*json))};
            oc::PrecheckOptions options;
            options.window_tokens = 100'000;
            const auto empty = oc::precheck({}, options).prompt_tokens;
            return oc::precheck(view, options).prompt_tokens - empty;
        };
        const auto said = tokens(R"({"role":"user","content":"forty characters of a text are ten tokens"})");
        CHECK(tokens(R"({"role":"user","content":["forty characters of a text are ten tokens"]})") == said);
        CHECK(tokens(R"({"role":"user","content":{"a":"forty characters of a text are ten tokens"}})") > said);
        CHECK(tokens(R"({"role":"user","content":null})") > tokens(R"({"role":"user"})"));
        // a result takes a token for two characters
        CHECK(tokens(R"({"role":"tool","content":"forty characters of a text are ten tokens"})") > said + 10);
        CHECK(tokens(R"({"role":"tool","tool_name":"a_long_name","content":""})") >
              tokens(R"({"role":"tool","content":""})"));
        // calls beside the words of an answer
        CHECK(tokens(R"({"role":"assistant","content":"x","tool_calls":[{"name":"read","args":{"path":"/w"}}]})") >
              tokens(R"({"role":"assistant","content":"x"})"));
    }

    TEST_CASE("a prompt too large goes where its results allow") {
        const auto route = [](const Talk& talk) {
            return oc::precheck(talk.view(), {32'000, 20'000, 0, 0, {}, {}}).route;
        };
        CHECK(route(Talk().user("small")) == oc::Route::fits);
        CHECK(route(Talk().user(std::string(120'000, 'u'))) == oc::Route::compact_only);
        CHECK(route(Talk().user("go").calls("a").result("a", std::string(42'000, 'x'))) ==
              oc::Route::truncate_tool_results_only);
        CHECK(route(Talk().user(std::string(120'000, 'u')).calls("a").result("a", std::string(20'000, 'x'))) ==
              oc::Route::compact_then_truncate);
    }
}
