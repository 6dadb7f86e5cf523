#include "support/report_builder.hpp"
#include "support/sanitized.hpp"

#include <agent_audit/config/saved_findings.hpp>
#include <agent_audit/report/saved_result.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace agent_audit;
using test::rendered;

namespace {

constexpr RenderOptions kSavedOptions{.tool_version = "9.9"};

Report full() {
    Report report = test::full_report();
    SessionReport s = report.sessions.front();
    LaneContext lane;
    lane.lane = 1;
    lane.requests = 3;
    lane.window = 200'000;
    lane.first = 10;
    lane.last = lane.peak = 99;
    lane.peak_line = 7;
    lane.grown = 89;
    for (std::size_t i = 0; i < kContextParts; ++i) lane.parts[i] = i;
    lane.shrank_untold = true;
    lane.tools = {{"Bash", 50, 2}};
    lane.files = {{"src/a.cpp", 40, 1}};
    lane.rereads = 1;
    lane.reread_tokens = 20;
    lane.compactions = 2;
    lane.freed = 30;
    lane.prompt = 300;
    lane.cache_read = 100;
    lane.misses[2] = 1;
    lane.missed_tokens[2] = 9;
    lane.course = {10, 99};
    s.context.lanes = {lane};
    s.provider_errors = {7, 9, {{"429", 3}, {"", 1}}, 2};
    s.context.dearest = {{1, 7, TokenCounts{.input = 90, .output = 5}, Money(12'000'000)}};
    for (ModelTokens& model : report.tokens.by_model) model.cost = {Money(5'000'000), 1, 1};
    report.tokens.cost = s.tokens.cost = {Money(5'000'000), 1, 1};
    report.tokens.cost_parts = s.tokens.cost_parts = {Money(1'000'000), Money(2'000'000), {}, Money(2'000'000)};
    report.filtered_inputs = 3;
    report.silenced = {report.findings[0], report.findings[1]};
    report.silenced[0].baseline = BaselineState::unchanged;
    report.silenced[1].suppressed = SuppressedBy{"known", "2027-01-31", "agent-audit.toml:3"};
    report.findings[0].baseline = BaselineState::fresh;
    report.findings[1].judgement = Judgement{JudgeVerdict::denied, Severity::warning, "no", {"a"}, {"b", "c"}, true};
    report.inputs[0].counts_records = true;
    report.findings[0].file_lines = FileLines{120, 131};
    report.baselined = report.suppressed = 1;
    report.baseline = BaselineReport{"base.json", 3, 1, {{"loop/cycle", "0123"}}};
    report.remotes = {{"judge", "http://localhost", "m", 3, 2, 1, 1, 1, 10, 20, Money(5'000'000), "slow"}};
    ResetSuggestion reset;
    reset.trigger = ResetTrigger::thrash;
    reset.rule = "loop/cycle";
    reset.line = 4;
    reset.verified = true;
    reset.turn = 2;
    reset.first_line = 5;
    reset.known_line = 9;
    reset.tokens_before = 900;
    reset.tokens_after = 100;
    reset.source = TokensSource::reported;
    reset.break_even_turns = 3;
    reset.saved_money = Money(7'000'000);
    reset.confidence = 0.5;
    s.resets = {reset};
    s.tokens.total.cache_write_1h = 7;
    test::put(report, 0, s);
    report.policy = Policy::strict;
    return report;
}

std::string json_of(const SavedResults& saved) { return rendered(saved.report(), "json", kSavedOptions); }

}  // namespace

TEST_SUITE("saved results") {
    TEST_CASE("a result that was read and is written again has the same bytes, from either form") {
        for (const Report& report : {full(), test::full_report(), Report{}}) {
            const std::string json = rendered(report, "json", kSavedOptions);
            SavedResults from_json;
            CHECK(!from_json.add(json));
            CHECK(json_of(from_json) == json);
            SavedResults from_lines;
            CHECK(!from_lines.add(rendered(report, "ndjson", kSavedOptions)));
            CHECK(json_of(from_lines) == json);
        }
    }

    TEST_CASE("as many rules of a goal as a session keeps are read again") {
        Report report = test::full_report();
        report.sessions.change(0, [](SessionReport& session) {
            session.goal.messages = 1;
            session.goal.line = 2;
            session.goal.text = "Mind the others";
            session.goal.rules.clear();
            for (std::size_t i = 0; i < SessionGoal::kMostRules; ++i) {
                session.goal.rules.push_back(
                    {StatedRule::Kind::forbid_path, "src/" + std::to_string(i) + ".c", 2, "Do not touch these"});
            }
        });
        const std::string json = rendered(report, "json", kSavedOptions);
        SavedResults saved;
        CHECK(!saved.add(json));
        CHECK(json_of(saved) == json);
    }

    TEST_CASE("the form does not matter, only what is in it") {
        const std::string json = rendered(full(), "json", kSavedOptions);
        for (const int indent : {-1, 2}) {
            SavedResults saved;
            CHECK(!saved.add("\n  " + nlohmann::json::parse(json).dump(indent)));
            CHECK(json_of(saved) == json);
        }
    }

    TEST_CASE("several results are one, with their sums") {
        const std::string json = rendered(full(), "json", kSavedOptions);
        SavedResults saved;
        CHECK(!saved.add(json));
        CHECK(!saved.add(rendered(full(), "ndjson", kSavedOptions)));
        const Report once = full();
        const Report& twice = saved.report();
        CHECK(twice.inputs.size() == 2 * once.inputs.size());
        CHECK(twice.sessions.size() == 2 * once.sessions.size());
        CHECK(twice.findings.size() == 2 * once.findings.size());
        CHECK(twice.errors == 2 * once.errors);
        CHECK(twice.tokens.total.total() == 2 * once.tokens.total.total());
        CHECK(twice.tokens.by_model.size() == once.tokens.by_model.size());
        CHECK(twice.rules.size() == once.rules.size());
        CHECK(twice.rules.front().findings == 2 * once.rules.front().findings);
        CHECK(twice.ingest.records() == 2 * once.ingest.records());
        CHECK(twice.findings.back().session == once.findings.back().session + once.sessions.size());
        CHECK(twice.sessions.back().input == once.sessions.back().input + once.inputs.size());
    }

    TEST_CASE("results whose lines follow one another in one text are as good as those in two") {
        const std::string lines = rendered(full(), "ndjson", kSavedOptions);
        SavedResults apart, together;
        CHECK(!apart.add(lines));
        CHECK(!apart.add(lines));
        CHECK(!together.add(lines + lines));
        CHECK(json_of(together) == json_of(apart));
        CHECK(together.sessions_again() == apart.sessions_again());
        SavedResults torn;  // the first of them
        CHECK(!torn.add(lines.substr(0, lines.rfind("{\"kind\":\"summary\"")) + lines));
        CHECK(torn.report().findings.size() == apart.report().findings.size());
        CHECK(torn.report().problems.size() == apart.report().problems.size() + 1);
    }

    TEST_CASE("a byte order mark in front, as a shell redirects output, is no part of a result") {
        for (const char* format : {"json", "ndjson"}) {
            CAPTURE(format);
            const std::string text = rendered(full(), format, kSavedOptions);
            SavedResults plain, marked;
            CHECK(!plain.add(text));
            CHECK(!marked.add("\xEF\xBB\xBF" + text));
            CHECK(json_of(marked) == json_of(plain));
            CHECK(looks_like_result("\xEF\xBB\xBF" + text));
            const auto findings = parse_saved_findings("\xEF\xBB\xBF" + text, "r.json");
            REQUIRE(findings.has_value());
            CHECK(findings->findings.size() == parse_saved_findings(text, "r.json")->findings.size());
        }
    }

    TEST_CASE("what is no result is refused, and adds nothing") {
        for (const char* text : {"", "  ", "{}", "[]", "nonsense", "{\"schema\":\"agent-audit/replay/1\"}", "\xff\xfe",
                                 "{\"kind\":\"run\",\"schema\":\"other\"}\n", "[[[[[[[[[[[[[[[[[["}) {
            CAPTURE(text);
            SavedResults saved;
            CHECK(saved.add(text).has_value());
            CHECK(saved.report().sessions.empty());
            CHECK(saved.report().problems.empty());
        }
    }

    TEST_CASE("lines that break off are said to, and what came before is kept") {
        const std::string lines = rendered(full(), "ndjson", kSavedOptions);
        SavedResults saved;
        CHECK(!saved.add(std::string_view(lines).substr(0, lines.rfind("{\"kind\":\"summary\"") - 30)));
        CHECK(saved.report().findings.size() == full().findings.size());
        REQUIRE(saved.report().problems.size() == 2);
        CHECK(saved.report().problems.back().find("breaks off") != std::string::npos);
    }

    TEST_CASE("fields of the wrong type are no trouble, in any format") {
        const std::string json = rendered(full(), "json", kSavedOptions);
        const nlohmann::json good = nlohmann::json::parse(json);
        for (const nlohmann::json& odd :
             {nlohmann::json(nullptr), nlohmann::json(-5), nlohmann::json("x"), nlohmann::json::array({1, nullptr}),
              nlohmann::json::object(), nlohmann::json(1e300), nlohmann::json(4'294'967'295u)}) {
            const nlohmann::json flat = good.flatten();
            std::size_t n = 0;
            for (const auto& item : flat.items()) {
                const std::string pointer = item.key();
                if (++n % 7 != 0 || !agent_audit::test::looked_at(n / 7) || pointer == "/schema") continue;
                nlohmann::json bad = good;
                bad[nlohmann::json::json_pointer(pointer)] = odd;
                SavedResults saved;
                (void)saved.add(bad.dump());
                for (const RendererSpec& format : all_renderers()) rendered(saved.report(), format.id, kSavedOptions);
            }
        }
    }

    TEST_CASE("a filter takes out what is not bad or sure enough, and counts again") {
        SavedResults saved;
        REQUIRE(!saved.add(rendered(full(), "json", kSavedOptions)));
        saved.filter(Severity::error, 0);
        CHECK(saved.report().findings.size() == 1);
        CHECK(saved.report().warnings == 0);
        saved.filter(Severity::info, 0.99);
        CHECK(saved.report().findings.empty());
        CHECK(saved.report().errors == 0);
    }
}
