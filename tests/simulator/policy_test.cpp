#include "simulator/view.hpp"

#include <agent_audit/simulator/compaction.hpp>
#include <agent_audit/simulator/policy.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace sim = agent_audit::simulator;
using agent_audit::test::Talk;

namespace {

Talk busy() {
    Talk talk;
    talk.user("go");
    for (int i = 0; i < 6; ++i) {
        const std::string id = "c" + std::to_string(i);
        talk.calls(id).result(id, std::string(9'000, 'x'));
    }
    return talk.says("done");
}

}  // namespace

TEST_SUITE("policies") {
    TEST_CASE("the table is sorted by name and finds its own") {
        CHECK(std::ranges::is_sorted(sim::all_policies(), {}, &sim::Policy::name));
        for (const sim::Policy& policy : sim::all_policies()) CHECK(sim::find_policy(policy.name) == &policy);
        CHECK(sim::find_policy("nobody") == nullptr);
    }

    TEST_CASE("nothing is changed by the policy that sends everything") {
        const Talk talk = busy();
        sim::Memory memory;
        CHECK(sim::prepare_request(*sim::find_policy("none"), talk.view(), {1'000, 1e9, 1}, memory) == talk.view());
    }

    TEST_CASE("2026.3 prunes once for each time the cache expires, 2026.9 for good") {
        const Talk talk = busy();
        const sim::Moment expired{40'000, 1e9, 1}, soon_after{40'000, 1e9 + 1'000, 1}, fresh{40'000, 1e9 + 1'000, 1e9};
        const auto sends = [&](const char* name, sim::Memory& memory, const sim::Moment& moment) {
            return sim::prepare_request(*sim::find_policy(name), talk.view(), moment, memory);
        };
        sim::Memory old_memory, new_memory;
        CHECK(sends("openclaw-2026.3", old_memory, expired) != talk.view());
        CHECK(sends("openclaw-2026.3", old_memory, soon_after) == talk.view());
        const sim::View first = sends("openclaw", new_memory, expired);
        CHECK(first != talk.view());
        CHECK(sim::json_of(sends("openclaw", new_memory, fresh)).stringify() == sim::json_of(first).stringify());
    }

    TEST_CASE("the reserve of OpenClaw is at most a quarter of the window") {
        const auto* stage = sim::find_policy("openclaw")->find<sim::Summarise>();
        REQUIRE(stage);
        CHECK(sim::reserve_tokens(*stage, 200'000) == 20'000);
        CHECK(sim::reserve_tokens(*stage, 32'000) == 8'000);
        CHECK(sim::summary_due(*stage, 24'001, 32'000));
        CHECK_FALSE(sim::summary_due(*stage, 24'000, 32'000));
        CHECK(sim::summary_due(*sim::find_policy("gemini")->find<sim::Summarise>(), 500, 1'000));
    }

    TEST_CASE("Gemini's masks leave calls and words alone") {
        Talk talk;
        for (int i = 0; i < 60; ++i) {
            const std::string id = "c" + std::to_string(i);
            talk.user("go").calls(id).result(id, std::string(9'000, 'x'));
        }
        sim::Memory memory;
        const sim::View view =
            sim::prepare_request(*sim::find_policy("gemini"), talk.view(), {1'048'576, 0, 0}, memory);
        REQUIRE(view.size() == talk.view().size());
        CHECK(view[2] != talk.view()[2]);
        CHECK(view[0] == talk.view()[0]);
        CHECK(view[1] == talk.view()[1]);
        CHECK(view.back() == talk.view().back());
    }

    TEST_CASE("OpenClaw keeps by what a prompt weighs, whatever the provider counted") {
        const auto& stage = *sim::find_policy("openclaw")->find<sim::Summarise>();
        Talk talk;
        for (int i = 0; i < 20; ++i) {
            const std::string id = "c" + std::to_string(i);
            talk.user("go").calls(id).result(id, std::string(9'000, 'x'));
        }
        const auto kept_from = [&](double billed, double unseen, double window) {
            sim::ContextSize size;
            size.billed = billed;
            size.estimated = 45'000;
            size.unseen = unseen;
            const auto plan = sim::plan_compaction(stage, talk.view(), size, window);
            return plan ? plan->to : talk.view().size();
        };
        // A result counts a token for two of its characters and a fifth more: the fourth from the end reaches 20,000.
        CHECK(kept_from(100'000, 0, 128'000) == 51);
        CHECK(kept_from(400'000, 0, 128'000) == 51);
        CHECK(kept_from(100'000, 100'000, 128'000) == 58);  // 8,000 are left, and the summary needs most of them
        CHECK(kept_from(100'000, 105'000, 128'000) == 60);  // not even the last result fits
    }

    TEST_CASE("OpenClaw summarises the older part of a history apart when what stays leaves it little room") {
        const auto& stage = *sim::find_policy("openclaw")->find<sim::Summarise>();
        Talk talk;
        for (int i = 0; i < 40; ++i) talk.user(std::string(8'000, 'u')).says(std::string(8'000, 'a'));
        const auto calls = [&](double billed) {
            sim::ContextSize size;
            size.billed = billed;
            const auto plan = sim::plan_compaction(stage, talk.view(), size, 100'000);
            return plan ? plan->min_calls : 0;
        };
        CHECK(calls(160'000) == 4);  // two parts, one of both, and the turn that is cut
        CHECK(calls(260'000) > 4);
    }

    TEST_CASE("Gemini CLI splits the history at 70 % of it, and what is about to be sent is no part of that") {
        const auto& stage = *sim::find_policy("gemini")->find<sim::Summarise>();
        Talk talk;
        talk.user("one")
            .says(std::string(8'000, 'a'))
            .user("two")
            .says(std::string(1'000, 'b'))
            .user(std::string(40'000, 'n'));
        sim::ContextSize size;
        size.billed = 90'000;
        const auto plan = sim::plan_compaction(stage, talk.view(), size, 100'000);
        REQUIRE(plan);
        CHECK(plan->to == 2);
        Talk all;
        all.user("one").says(std::string(1'000, 'a')).user("two").says(std::string(8'000, 'b')).user("next");
        const auto whole = sim::plan_compaction(stage, all.view(), size, 100'000);
        REQUIRE(whole);
        CHECK(whole->to == 4);  // of what was said all goes, and what is said next stays
    }

    TEST_CASE("Gemini CLI shortens outputs to what is left of the window, and knows how long a summary may be") {
        const auto& stage = *sim::find_policy("gemini")->find<sim::Summarise>();
        Talk talk;
        talk.user("one").calls("a").result("a", std::string(300'000, 'x'));
        talk.user("two")
            .says("b")
            .user("three")
            .calls("b")
            .result("b", std::string(300'000, 'x'))
            .says("done")
            .user("four");
        sim::ContextSize size;
        const auto plan_at = [&](double billed) {
            size.billed = billed;
            return sim::plan_compaction(stage, talk.view(), size, 100'000);
        };
        const auto longest = [](const sim::CompactionPlan& plan) {
            return plan.edits.empty() ? 0 : agent_audit::test::text_of(plan.edits[0].message).size();
        };
        const auto roomy = plan_at(60'000), tight = plan_at(99'000);
        REQUIRE(roomy);
        REQUIRE(tight);
        CHECK(roomy->longest_summary);
        CHECK(*roomy->longest_summary < *tight->longest_summary);
        size.thrown_away = true;
        const auto again = plan_at(99'000);
        REQUIRE(again);
        CHECK_FALSE(again->asks_model);
        CHECK(again->to == 0);
        CHECK(longest(*again) > 4'000);
        CHECK(longest(*again) < 4'300);
        CHECK(longest(*plan_at(60'000)) > 40'000);
        const auto beyond = plan_at(150'000);
        REQUIRE(beyond);
        CHECK(longest(*beyond) < 1'000);
    }

    TEST_CASE("every stage has its own name") {
        std::vector<std::string_view> names;
        for (const sim::Policy& policy : sim::all_policies()) {
            for (const sim::Stage& stage : policy.stages) names.push_back(sim::stage_name(stage));
        }
        CHECK(std::ranges::find(names, "summarise") != names.end());
        CHECK(std::ranges::find(names, "") == names.end());
    }
}
