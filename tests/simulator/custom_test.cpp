#include <agent_audit/simulator/custom.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace sim = agent_audit::simulator;

namespace {

std::string problem(const std::string& text) {
    const auto policy = sim::parse_custom_policy(text, "mine.toml");
    return policy ? "fine" : policy.error().message;
}

}  // namespace

TEST_SUITE("custom policies") {
    TEST_CASE("a file's stages come in their order with the parameters given") {
        const auto policy = sim::parse_custom_policy(R"(name = "mine"
[[stage]]
kind = "clear_results"
keep = 7
exclude = ["Plan*"]
[[stage]]
kind = "summarise"
like = "codex"
user_tokens = 5000
[[stage]]
kind = "overflow_recovery"
compactions = 2
)",
                                                     "mine.toml");
        REQUIRE(policy);
        CHECK(policy->name == "mine");
        REQUIRE(policy->stages.size() == 3);
        CHECK(std::get<sim::ClearResults>(policy->stages[0]).keep == 7);
        CHECK_FALSE(std::get<sim::ClearResults>(policy->stages[0]).tools.allows("planner"));
        const auto& summary = std::get<sim::Summarise>(policy->stages[1]);
        CHECK(summary.how == sim::Summarise::How::method);
        CHECK(std::get<sim::codex::Compaction>(summary.method).user_tokens == 5'000);
        CHECK(policy->policy().find<sim::OverflowRecovery>()->compactions == 2);
    }

    TEST_CASE("what a file may not say is named with its line and the nearest name") {
        CHECK(problem("nam = \"x\"\n[[stage]]\nkind = \"turn_limit\"\n") ==
              "mine.toml:1: unknown key \"nam\"; did you mean \"name\"?");
        CHECK(problem("[[stage]]\nkind = \"clear_result\"\n") ==
              "mine.toml:2: unknown stage \"clear_result\"; did you mean \"clear_results\"?");
        CHECK(problem("[[stage]]\nkind = \"turn_limit\"\n\nturn = 3\n") ==
              "mine.toml:4: unknown parameter of turn_limit \"turn\"; did you mean \"turns\"?");
        CHECK(problem("[[stage]]\nkind = \"summarise\"\nlike = \"codx\"\n") ==
              "mine.toml:3: unknown way to summarise \"codx\"; did you mean \"codex\"?");
    }

    TEST_CASE("a second way to summarise, which would never be asked, is named with the first") {
        CHECK(problem("[[stage]]\nkind = \"summarise\"\n[[stage]]\nkind = \"repair_pairs\"\n[[stage]]\nkind = "
                      "\"summarise\"\nlike = \"codex\"\n") ==
              "mine.toml:6: a policy has one summarise stage; its first is in line 2");
        CHECK(problem("[[stage]]\nkind = \"overflow_recovery\"\n[[stage]]\nkind = \"overflow_recovery\"\n") ==
              "mine.toml:4: a policy has one overflow_recovery stage; its first is in line 2");
        CHECK(problem("[[stage]]\nkind = \"clear_results\"\n[[stage]]\nkind = \"clear_results\"\n") == "fine");
    }

    TEST_CASE("values are checked for type and range") {
        CHECK(problem("[[stage]]\nkind = \"turn_limit\"\nturns = \"many\"\n") ==
              "mine.toml:3: turn_limit.turns: expected a whole number from 0 to 1000000000");
        for (const char* fraction : {"turn_limit\"\nturns", "clear_results\"\nkeep", "keep_recent\"\nmax_events",
                                     "overflow_recovery\"\ncompactions"}) {
            CHECK(problem(std::string("[[stage]]\nkind = \"") + fraction + " = 2.5\n")
                      .find(": expected a whole number from 0") != std::string::npos);
        }
        CHECK(problem("[[stage]]\nkind = \"summarise\"\nlike = \"roo\"\npercent = 87.5\n") == "fine");
        CHECK(problem("[[stage]]\nkind = \"turn_limit\"\nturns = -1\n").find("mine.toml:3:") == 0);
        CHECK(problem("[[stage]]\nkind = \"turn_limit\"\nturns = nan\n").find("mine.toml:3:") == 0);
        CHECK(problem("[[stage]]\nkind = \"turn_limit\"\nin_batches = 1\n") ==
              "mine.toml:3: turn_limit.in_batches: expected true or false");
        CHECK(problem("[[stage]]\nkind = \"clear_results\"\ntools = \"Read\"\n") ==
              "mine.toml:3: clear_results.tools: expected a list of texts");
        CHECK(problem("[[stage]]\nkind = \"overflow_recovery\"\ncompactions = 1.5\n").find("mine.toml:3:") == 0);
    }

    TEST_CASE("a file that is no policy says why") {
        CHECK(problem("") == "mine.toml: no [[stage]]: a policy needs at least one");
        CHECK(problem("[[stage]]\nkeep = 3\n").find("mine.toml:1: a stage needs a kind") == 0);
        CHECK(problem("stage = 3\n").find("mine.toml:1:") == 0);
        CHECK(problem("[[stage]\n").find("mine.toml:1: ") == 0);
        CHECK(problem("[[stage]]\nkind = {}\n").find("mine.toml:2: ") == 0);
    }

    TEST_CASE("every stage of every built-in policy is one that a file could name") {
        const auto docs = sim::stage_docs();
        for (const sim::Policy& policy : sim::all_policies()) {
            for (const sim::Stage& stage : policy.stages) {
                CAPTURE(policy.name);
                const sim::StageValues values = sim::values_of(stage);
                std::string kind = values.kind;
                if (kind == "summarise") {
                    REQUIRE_FALSE(values.values.empty());
                    kind += ", like = \"" + values.values[0].second + "\"";
                }
                CHECK(std::ranges::find(docs, kind, &sim::StageDoc::kind) != docs.end());
            }
        }
    }

    TEST_CASE("every policy and every stage is documented") {
        for (const sim::Policy& policy : sim::all_policies()) {
            CAPTURE(policy.name);
            CHECK(policy.doc.size() > 10);
            if (policy.name != "none") CHECK_FALSE(policy.source.empty());
        }
        for (const sim::StageDoc& stage : sim::stage_docs()) {
            CAPTURE(stage.kind);
            CHECK(stage.doc.size() > 10);
            for (const sim::StageParamDoc& param : stage.params) {
                CAPTURE(param.name);
                CHECK_FALSE(param.doc.empty());
                CHECK_FALSE(param.default_value.empty());
                CHECK(param.range.empty() == (param.type.find("number") == std::string::npos));
            }
        }
    }
}
