#include <agent_audit/tokens/prices.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace agent_audit;

namespace {

std::string found(const ModelTable& table, std::string_view model) {
    const ModelInfo* info = table.find(model);
    return info ? info->id : "unknown";
}

std::vector<PriceEntry> entries(std::string_view text) {
    auto parsed = parse_price_file(text, "prices.json");
    REQUIRE_MESSAGE(parsed.has_value(), (parsed ? "" : parsed.error().message));
    return *std::move(parsed);
}

std::string fault(std::string_view text) {
    const auto parsed = parse_price_file(text, "prices.json");
    return parsed ? "none" : parsed.error().message;
}

ModelTable made(std::string_view text) {
    ModelTable table;
    table.overlay(entries(text));
    return table;
}

std::uint64_t micro(const ModelTable& table, std::string_view model, const BilledTokens& tokens) {
    const ModelInfo* info = table.find(model);
    REQUIRE(info != nullptr);
    const auto money = cost(*info, tokens);
    REQUIRE(money.has_value());
    return money->micro_dollars();
}

}  // namespace

TEST_SUITE("tokens: prices") {
    TEST_CASE("each kind of token has its price") {
        const ModelTable table =
            made(R"({"models":{"m":{"input":3,"output":15,"cache_read":0.3,"cache_write":3.75,"cache_write_1h":6}}})");
        CHECK(micro(table, "m", {.input = 1'000'000}) == 3'000'000);
        CHECK(micro(table, "m", {.cache_read = 1'000'000}) == 300'000);
        CHECK(micro(table, "m", {.cache_write = 1000}) == 3750);
        CHECK(micro(table, "m", {.cache_write_1h = 1000}) == 6000);
        CHECK(micro(table, "m", {.output = 1}) == 15);
        CHECK(micro(table, "m", {1, 2, 3, 4, 5}) == 3 + 1 + 11 + 24 + 75);  // 113.85 rounded once
    }

    TEST_CASE("a cost is told by what it was paid for, and its parts add up") {
        const ModelTable table =
            made(R"({"models":{"m":{"input":3,"output":15,"cache_read":0.3,"cache_write":3.75,"cache_write_1h":6}}})");
        const BilledTokens tokens{1000, 2000, 3000, 4000, 5000};
        const auto parts = cost_parts(*table.find("m"), tokens);
        REQUIRE(parts);
        CHECK(parts->input.micro_dollars() == 3000);
        CHECK(parts->cache_read.micro_dollars() == 600);
        CHECK(parts->cache_write.micro_dollars() == 11'250 + 24'000);
        CHECK(parts->output.micro_dollars() == 75'000);
        CHECK(parts->sum() == *cost(*table.find("m"), tokens));
    }

    TEST_CASE("cache tokens without a price of their own cost as much as input") {
        const ModelTable table = made(R"({"models":{"m":{"input":2,"output":8}}})");
        CHECK(micro(table, "m", {.cache_read = 10, .cache_write = 10, .cache_write_1h = 10}) == 60);
        const ModelTable write = made(R"({"models":{"m":{"input":2,"output":8,"cache_write":3}}})");
        CHECK(micro(write, "m", {.cache_write_1h = 10}) == 30);
    }

    TEST_CASE("a tier applies to the whole request, from one token beyond its limit") {
        const ModelTable table = made(R"({"models":{"m":{"input":1,"output":10,"cache_read":0.1,"tiers":[
            {"input_tokens_above":400000,"input":4},{"input_tokens_above":200000,"input":2,"output":15,"cache_read":0.2}]}}})");
        CHECK(micro(table, "m", {.input = 200'000, .output = 10}) == 200'100);
        CHECK(micro(table, "m", {.input = 200'001, .output = 10}) == 400'152);
        CHECK(micro(table, "m", {.input = 1, .cache_read = 200'000}) == 40'002);  // the prompt counts, cached or not
        CHECK(micro(table, "m", {.input = 400'001, .output = 10}) == 1'600'104);  // what a tier leaves out stays
    }

    TEST_CASE("sums of many requests do not drift") {
        const ModelTable table = made(R"({"models":{"m":{"input":0.1,"output":0.3,"cache_read":0.0375}}})");
        Money sum;
        for (int i = 0; i < 1'000'000; ++i) sum += *cost(*table.find("m"), {.input = 1, .cache_read = 1, .output = 1});
        CHECK(sum.parts() == 437'500'000'000);
        CHECK(sum.micro_dollars() == 437'500);
        Money rest = sum;
        rest -= sum;
        CHECK(rest == Money{});
    }

    TEST_CASE("absurd counts saturate") {
        const ModelTable table = made(R"({"models":{"m":{"input":1000000,"output":1}}})");
        CHECK(cost(*table.find("m"), {.input = UINT64_MAX, .output = UINT64_MAX})->parts() == UINT64_MAX);
    }

    TEST_CASE("a model without a price costs an unknown amount, not nothing") {
        const ModelTable table = made(R"({"models":{"window-only":{"context_window":1000},"half":{"input":1}}})");
        CHECK(!cost(*table.find("window-only"), {.input = 1}));
        CHECK(!cost(*table.find("half"), {.input = 1}));
        const ModelTable shipped = ModelTable::shipped();
        for (const ModelInfo* info : shipped.all()) {
            CAPTURE(info->id);
            if (info->prices) CHECK(info->prices->input + info->prices->output > 0);
        }
    }

    TEST_CASE("ids are found without date, provider, region and deployment") {
        const ModelTable table = made(R"({"models":{
            "claude-opus-4-1":{"input":1,"output":1}, "claude-sonnet-4-20250514":{"input":1,"output":1},
            "claude-sonnet-4-20250301":{"input":1,"output":1}, "gpt-4o":{"input":1,"output":1},
            "gpt-4o-mini":{"input":1,"output":1}, "gpt-5":{"input":1,"output":1}, "vendor/own-7b":{"input":1,"output":1}}})");
        CHECK(found(table, "claude-opus-4-1") == "claude-opus-4-1");
        CHECK(found(table, "claude-opus-4-1-20250805") == "claude-opus-4-1");
        CHECK(found(table, "claude-opus-4-1@20250805") == "claude-opus-4-1");
        CHECK(found(table, "gpt-4o-2024-08-06") == "gpt-4o");
        CHECK(found(table, "anthropic/claude-opus-4-1") == "claude-opus-4-1");
        CHECK(found(table, "openrouter/anthropic/claude-opus-4-1:thinking") == "claude-opus-4-1");
        CHECK(found(table, "us.anthropic.claude-opus-4-1-20250805-v1:0") == "claude-opus-4-1");
        CHECK(found(table, "claude-opus-4-1[1m]") == "claude-opus-4-1");
        CHECK(found(table, "claude-sonnet-4") == "claude-sonnet-4-20250514");  // the newest of those dated
        CHECK(found(table, "claude-sonnet-4-20250301") == "claude-sonnet-4-20250301");
        CHECK(found(table, "own-7b") == "vendor/own-7b");
        const ModelTable versions = made(R"({"models":{
            "own":{"input":1,"output":1}, "own-v2":{"input":2,"output":2}, "other-v3":{"input":3,"output":3}}})");
        CHECK(found(versions, "vendor/own-v2") == "own-v2");
        CHECK(found(versions, "vendor/own-v2:free") == "own-v2");
        CHECK(found(versions, "vendor/other-v3:free") == "other-v3");
        CHECK(found(versions, "vendor/own-v1:0") == "own");
        CHECK(found(table, "vendor/own-7b") == "vendor/own-7b");
    }

    TEST_CASE("a version is the same with dots and with dashes, and a name in any case") {
        const ModelTable table = made(R"({"models":{
            "claude-opus-4-1":{"input":1,"output":1}, "claude-sonnet-4-20250514":{"input":1,"output":1},
            "claude-sonnet-4-5-20250929":{"input":1,"output":1}, "claude-3-5-sonnet-20240620":{"input":1,"output":1},
            "claude-3-5-sonnet-20241022":{"input":1,"output":1}, "gpt-5.2":{"input":1,"output":1},
            "Speedy-M2.7":{"input":1,"output":1}}})");
        CHECK(found(table, "claude-opus-4.1") == "claude-opus-4-1");
        CHECK(found(table, "anthropic/claude-opus-4.1") == "claude-opus-4-1");
        CHECK(found(table, "openrouter/anthropic/claude-opus-4.1:thinking") == "claude-opus-4-1");
        CHECK(found(table, "claude-opus-4.1-20250805") == "claude-opus-4-1");
        CHECK(found(table, "claude-opus-4.1-thought") == "claude-opus-4-1");
        CHECK(found(table, "claude-sonnet-4.5") == "claude-sonnet-4-5-20250929");
        CHECK(found(table, "claude-3.5-sonnet") == "claude-3-5-sonnet-20241022");
        CHECK(found(table, "claude-3.5-sonnet-20240620") == "claude-3-5-sonnet-20240620");
        CHECK(found(table, "gpt-5-2") == "gpt-5.2");
        CHECK(found(table, "vendor/speedy-m2.7") == "Speedy-M2.7");
        CHECK(found(table, "Claude Opus 4.1") == "unknown");
        for (const char* other : {"claude-opus-4.2", "claude-opus-4.10", "claude-opus-4.1.1", "claude-sonnet-4.6",
                                  "gpt-5.3", "gpt-52", "gpt-5.20", "speedy-m2.75", "claude-sonnet-4.20250514"}) {
            CAPTURE(other);
            CHECK(found(table, other) == "unknown");
        }
    }

    TEST_CASE("two models that differ in spelling alone are not taken for each other") {
        const ModelTable table = made(R"({"models":{"m-1-5":{"input":1,"output":1},"m-1.5":{"input":9,"output":9}}})");
        CHECK(found(table, "m-1-5") == "m-1-5");
        CHECK(found(table, "m-1.5") == "m-1.5");
        CHECK(found(table, "M-1.5") == "unknown");
        const ModelTable shipped = ModelTable::shipped();
        for (const ModelInfo* info : shipped.all()) CHECK(found(shipped, info->id) == info->id);
        CHECK(found(shipped, "claude-sonnet-4.6") == "claude-sonnet-4-6");
        CHECK(found(shipped, "anthropic/claude-opus-4.6") == "claude-opus-4-6");
    }

    TEST_CASE("the longest known beginning counts, but another version is another model") {
        const ModelTable table =
            made(R"({"models":{"gpt-4o":{"input":1,"output":1},"gpt-4o-mini":{"input":1,"output":1},
            "gpt-5":{"input":1,"output":1},"claude-opus-4":{"input":1,"output":1}}})");
        CHECK(found(table, "gpt-4o-mini-search") == "gpt-4o-mini");
        CHECK(found(table, "gpt-4o-audio") == "gpt-4o");
        CHECK(found(table, "gpt-5-codex-high") == "gpt-5");
        CHECK(found(table, "gpt-5-0901") == "gpt-5");
        CHECK(found(table, "gpt-5.9") == "unknown");
        CHECK(found(table, "claude-opus-4-9") == "unknown");
        CHECK(found(table, "gpt-4omni") == "unknown");
        CHECK(found(table, "gpt-5-mini") == "unknown");
        CHECK(found(table, "gpt-5-codex-mini") == "unknown");
        CHECK(found(table, "claude-opus-4-fast") == "unknown");
        CHECK(found(table, "gpt-5-prompt-test") == "gpt-5");
        CHECK(found(table, "gpt") == "unknown");
        CHECK(found(table, "") == "unknown");
        CHECK(found(table, "<synthetic>") == "unknown");
        CHECK(found(table, std::string(5000, '-')) == "unknown");
    }

    TEST_CASE("a price file changes what it names and nothing else") {
        ModelTable table = ModelTable::shipped();
        const ModelInfo before = *table.find("claude-opus-4-5");
        REQUIRE(before.prices);
        table.overlay(
            entries(R"({"models":{"claude-opus-4-5":{"output":99,"note":"ours"},"local":{"input":0,"output":0}}})"));
        const ModelInfo& after = *table.find("claude-opus-4-5");
        CHECK(after.prices->output == 99'000'000);
        CHECK(after.prices->input == before.prices->input);
        CHECK(after.context_window == before.context_window);
        CHECK(micro(table, "local", {.input = 5, .output = 5}) == 0);  // the user says that it is free
    }

    TEST_CASE("a price file that cannot be meant is refused with the place") {
        CHECK(fault("\xEF\xBB\xBF{\"models\":{}}") == "none");
        CHECK(fault("[").starts_with("prices.json:1: not JSON: "));
        CHECK(fault("{}") == "prices.json: expected an object \"models\" with an entry for each model");
        CHECK(fault(R"({"models":{"m":3}})") == "prices.json: models[\"m\"]: expected an object");
        for (const char* price : {"-1", "\"3\"", "1000001", "null"}) {
            CAPTURE(price);
            CHECK(fault(std::string(R"({"models":{"m":{"input":)") + price + "}}}") ==
                  "prices.json: models[\"m\"]: input: expected USD per million tokens, from 0 to 1000000");
        }
        CHECK(fault(R"({"models":{"m":{"context_window":-5}}})") ==
              "prices.json: models[\"m\"]: context_window: expected a number of tokens");
        CHECK(fault(R"({"models":{"m":{"inptu":30}}})") ==
              "prices.json: models[\"m\"]: unknown key \"inptu\"; did you mean input?");
        CHECK(fault(R"({"models":{"m":{"tiers":[{"input_tokens_above":1,"zzz":1}]}}})")
                  .starts_with("prices.json: models[\"m\"]: unknown key \"zzz\"; known: input, "));
        CHECK(fault(R"({"models":{"m":{"input":1,"src":["x"],"tiers_src":null,"cache_ttl_s":300}}})") == "none");
        CHECK(fault(R"({"models":{"m":{"tiers":[{"input":1}]}}})") ==
              "prices.json: models[\"m\"]: tiers: input_tokens_above is missing");
    }

    TEST_CASE("the shipped table has windows, prices and cache rules of the large providers") {
        const ModelTable table = ModelTable::shipped();
        CHECK(table.all().size() > 200);
        CHECK(ModelTable::shipped_date().size() == 10);
        // Retired, and met in recordings all the same.
        REQUIRE(table.find("gemini-3-pro-preview"));
        CHECK(table.find("gemini-3-pro-preview")->context_window == 1'048'576);
        for (const char* model : {"claude-sonnet-4-5-20250929", "gpt-5", "gemini-2.5-pro"}) {
            const ModelInfo* info = table.find(model);
            REQUIRE(info != nullptr);
            CHECK(info->prices.has_value());
            CHECK(info->context_window >= 200'000);
        }
        CHECK(cache_rules(*table.find("claude-sonnet-4-5")).breakpoints);
        CHECK(cache_rules(*table.find("claude-sonnet-4-5")).min_tokens == 1024);
        CHECK(cache_rules(*table.find("claude-opus-4-5")).min_tokens == 4096);
        CHECK(!cache_rules(*table.find("gpt-5")).breakpoints);
        CHECK(cache_rules(*table.find("gpt-5")).granularity == 128);
        CHECK(cache_rules(*table.find("deepseek-chat")).min_tokens == 64);
    }
}
