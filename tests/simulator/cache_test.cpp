#include <agent_audit/simulator/cache.hpp>

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>

using namespace agent_audit;
using namespace agent_audit::simulator;

namespace {

// A provider with marked prefixes: at least 100 tokens, 20 blocks of look-back, 300 s or 3600 s.
const CacheRules kMarked{true, 4, 20, 100, 1, 300, 3600};
// One that finds any common prefix from 1024 tokens on in steps of 128.
const CacheRules kCommon{false, 0, 0, 1024, 128, 600, 0};
// The same, but what is stored is billed.
const CacheRules kCommonBilled{true, 4, 0, 1024, 128, 1800, 0};

CacheMoment at(double seconds, std::uint64_t setting = 1, std::size_t fixed = 1, bool long_life = false) {
    CacheMoment moment;
    moment.now_ms = 1000 * seconds;
    moment.setting = setting;
    moment.fixed_places = fixed;
    moment.long_life = long_life;
    return moment;
}

PromptPrefixes prompt_of(std::initializer_list<std::uint64_t> tokens) {
    PromptPrefixes prompt;
    std::uint64_t hash = 0;
    for (const std::uint64_t t : tokens) prompt.push(++hash, t);
    return prompt;
}

void check(const CacheUse& use, std::uint64_t read, std::uint64_t write, std::uint64_t input, CacheMiss miss) {
    CHECK(use.read == read);
    CHECK(use.write == write);
    CHECK(use.input == input);
    CHECK(name(use.miss) == name(miss));
}

}  // namespace

TEST_SUITE("prompt cache") {
    TEST_CASE("what was sent before is read, what is new is written") {
        CacheModel model;
        PromptPrefixes prompt = prompt_of({100, 50});
        check(model.request(kMarked, prompt, at(0)), 0, 150, 0, CacheMiss::none);
        prompt.push(3, 30);
        check(model.request(kMarked, prompt, at(10)), 150, 30, 0, CacheMiss::none);
        check(model.request(kMarked, prompt, at(20)), 180, 0, 0, CacheMiss::none);
    }

    TEST_CASE("a prompt of exactly the minimum is cached, one token less is not") {
        CacheModel model;
        PromptPrefixes shorter = prompt_of({99});
        check(model.request(kMarked, shorter, at(0)), 0, 0, 99, CacheMiss::none);
        check(model.request(kMarked, shorter, at(1)), 0, 0, 99, CacheMiss::min_size);
        PromptPrefixes exact = prompt_of({100});
        CacheModel other;
        check(other.request(kMarked, exact, at(0)), 0, 100, 0, CacheMiss::none);
        check(other.request(kMarked, exact, at(1)), 100, 0, 0, CacheMiss::none);
    }

    TEST_CASE("a prompt that follows one below the minimum misses because of it") {
        CacheModel model;
        PromptPrefixes prompt = prompt_of({99});
        model.request(kMarked, prompt, at(0));
        prompt.push(2, 50);
        check(model.request(kMarked, prompt, at(1)), 0, 149, 0, CacheMiss::min_size);
    }

    TEST_CASE("an entry lives for exactly its time, and every hit renews it") {
        CacheModel model;
        PromptPrefixes prompt = prompt_of({200});
        model.request(kMarked, prompt, at(0));
        CHECK(model.request(kMarked, prompt, at(300)).read == 200);
        CHECK(model.request(kMarked, prompt, at(600)).read == 200);
        check(model.request(kMarked, prompt, at(900.001)), 0, 200, 0, CacheMiss::ttl);
    }

    TEST_CASE("the longer life is an hour") {
        CacheModel model;
        PromptPrefixes prompt = prompt_of({200});
        model.request(kMarked, prompt, at(0, 1, 1, true));
        CHECK(model.request(kMarked, prompt, at(3600, 1, 1, true)).read == 200);
        check(model.request(kMarked, prompt, at(7200.001, 1, 1, true)), 0, 200, 0, CacheMiss::ttl);
    }

    TEST_CASE("the life of an entry counts from the answer") {
        CacheModel model;
        PromptPrefixes prompt = prompt_of({200});
        CacheMoment slow = at(0);
        slow.answered_ms = 100'000;
        model.request(kMarked, prompt, slow);
        CHECK(model.request(kMarked, prompt, at(400)).read == 200);
    }

    TEST_CASE("a request without a time is one without a pause") {
        CacheModel model;
        PromptPrefixes prompt = prompt_of({200});
        model.request(kMarked, prompt, at(5000));
        CacheMoment timeless = at(0);
        timeless.now_ms.reset();
        CHECK(model.request(kMarked, prompt, timeless).read == 200);
    }

    TEST_CASE("twenty blocks back are looked at, twenty-one are not") {
        for (const std::uint32_t blocks : {20U, 21U}) {
            CAPTURE(blocks);
            CacheRules two_marks = kMarked;  // without one at the end of the request before
            two_marks.max_breakpoints = 2;
            CacheModel model;
            PromptPrefixes prompt = prompt_of({1000, 500});
            model.request(two_marks, prompt, at(0));
            prompt.push(9, 70, blocks);
            const CacheUse use = model.request(two_marks, prompt, at(1));
            if (blocks == 20) {
                check(use, 1500, 70, 0, CacheMiss::none);
            } else {
                check(use, 1000, 570, 0,
                      CacheMiss::lookback);  // the mark at the end of the system prompt is still found
            }
        }
    }

    TEST_CASE("a client with four marks finds the request before behind any number of blocks") {
        CacheModel model;
        PromptPrefixes prompt = prompt_of({1000, 500});
        model.request(kMarked, prompt, at(0));
        prompt.push(9, 70, 500);
        check(model.request(kMarked, prompt, at(1)), 1500, 70, 0, CacheMiss::none);
    }

    TEST_CASE("an edit cuts the prefix where it begins; the system prompt is still read") {
        CacheModel model;
        PromptPrefixes prompt = prompt_of({1000, 500, 400});
        model.request(kMarked, prompt, at(0));
        prompt.cut(2);
        prompt.push(77, 40);
        check(model.request(kMarked, prompt, at(1)), 1000, 540, 0, CacheMiss::edit);
    }

    TEST_CASE("an edit that is taken back finds the prefix from before the edit") {
        CacheModel model;
        PromptPrefixes prompt = prompt_of({1000, 500, 400});
        model.request(kMarked, prompt, at(0));
        prompt.cut(1);
        prompt.push(77, 40);
        prompt.push(3, 400);
        check(model.request(kMarked, prompt, at(1)), 1000, 440, 0, CacheMiss::edit);
        prompt.cut(1);
        prompt.push(2, 500);
        prompt.push(3, 400);
        prompt.push(4, 10);
        const CacheUse back = model.request(kMarked, prompt, at(2));
        CHECK(back.read == 1900);
        CHECK(back.write == 10);
    }

    TEST_CASE("another model reads nothing, the first one's entries stay") {
        CacheModel model;
        PromptPrefixes prompt = prompt_of({1000});
        model.request(kMarked, prompt, at(0, 1));
        check(model.request(kMarked, prompt, at(1, 2)), 0, 1000, 0, CacheMiss::model_change);
        CHECK(model.request(kMarked, prompt, at(2, 1)).read == 1000);
    }

    TEST_CASE("a long pause is the reason even when the prompt changed too") {
        CacheModel model;
        PromptPrefixes prompt = prompt_of({1000, 500});
        model.request(kMarked, prompt, at(0));
        prompt.cut(1);
        prompt.push(77, 40);
        check(model.request(kMarked, prompt, at(301)), 0, 1040, 0, CacheMiss::ttl);
    }

    TEST_CASE("a common prefix is read in whole steps above the minimum") {
        const std::map<std::uint64_t, std::uint64_t> expected{{1023, 0},    {1024, 1024}, {1151, 1024},
                                                              {1152, 1152}, {1279, 1152}, {1280, 1280}};
        for (const auto& example : expected) {
            const std::uint64_t tokens = example.first, read = example.second;
            CAPTURE(tokens);
            CacheModel model;
            PromptPrefixes prompt = prompt_of({tokens});
            model.request(kCommon, prompt, at(0));
            const CacheUse use = model.request(kCommon, prompt, at(1));
            CHECK(use.read == read);
            CHECK(use.write == 0);
            CHECK(use.input == tokens - read);
        }
    }

    TEST_CASE("storing a common prefix is billed where the provider does") {
        CacheModel model;
        PromptPrefixes prompt = prompt_of({1200});
        check(model.request(kCommonBilled, prompt, at(0)), 0, 1152, 48, CacheMiss::none);
        prompt.push(2, 200);
        check(model.request(kCommonBilled, prompt, at(1)), 1152, 128, 120, CacheMiss::none);
    }

    TEST_CASE("the common prefix ends at the edit, and is whole again when the edit is taken back") {
        CacheModel model;
        PromptPrefixes prompt = prompt_of({2048, 1024, 1024});
        model.request(kCommon, prompt, at(0));
        prompt.cut(1);
        prompt.push(77, 512);
        check(model.request(kCommon, prompt, at(1)), 2048, 0, 512, CacheMiss::edit);
        prompt.cut(1);
        prompt.push(2, 1024);
        prompt.push(3, 1024);
        CHECK(model.request(kCommon, prompt, at(2)).read == 4096);
    }

    TEST_CASE("a common prefix of an expired request is not read") {
        CacheModel model;
        PromptPrefixes prompt = prompt_of({2048});
        model.request(kCommon, prompt, at(0));
        CHECK(model.request(kCommon, prompt, at(600)).read == 2048);
        check(model.request(kCommon, prompt, at(1200.001)), 0, 0, 2048, CacheMiss::ttl);
    }

    TEST_CASE("parts add up to the prompt, and nothing is read that no live request had sent, whatever is done") {
        std::mt19937 random(5);
        const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
        for (const CacheRules& rules : {kMarked, kCommon, kCommonBilled}) {
            CacheModel model;
            PromptPrefixes prompt;
            std::map<std::uint64_t, double> sent;  // every prefix sent in a setting: when last
            double now = 0;
            std::uint64_t read_total = 0;
            for (int k = 0; k < 3000; ++k) {
                if (below(5) == 0) prompt.cut(below(static_cast<std::uint32_t>(prompt.size() + 1)));
                for (std::uint32_t i = below(4); i-- > 0;) prompt.push(below(3), below(900), 1 + below(8));
                if (prompt.size() == 0) prompt.push(0, 5);
                now += below(12) == 0 ? 100 + below(3000) : below(40);
                const std::uint64_t setting = below(30) == 0 ? 2 : 1;
                const CacheUse use = model.request(rules, prompt, at(now, setting, below(3)));
                REQUIRE(use.prompt() == prompt.tokens());
                std::uint64_t possible = 0;
                for (std::size_t p = 1; p <= prompt.size(); ++p) {
                    const auto found = sent.find(prompt.hash(p) * 3 + setting);
                    if (found != sent.end() && now - found->second <= rules.ttl_s) possible = prompt.tokens(p);
                }
                REQUIRE(use.read <= possible);
                if (use.miss == CacheMiss::none && k > 0 && rules.lookback_blocks > 0) {
                    REQUIRE(use.read > 0);
                }
                for (std::size_t p = 1; p <= prompt.size(); ++p) sent[prompt.hash(p) * 3 + setting] = now;
                read_total += use.read;
            }
            CHECK(read_total > 0);
        }
    }

    TEST_CASE("a longer life, a longer look-back and a smaller minimum never read less") {
        CacheRules more = kMarked;
        more.ttl_s = 900;
        more.lookback_blocks = 60;
        more.min_tokens = 10;
        for (unsigned seed = 1; seed <= 20; ++seed) {
            std::mt19937 random(seed);
            CacheModel strict, loose;
            PromptPrefixes a, b;
            double now = 0;
            for (int k = 0; k < 200; ++k) {
                const std::size_t cut = random() % 9 == 0 ? random() % (a.size() + 1) : a.size();
                a.cut(cut);
                b.cut(cut);
                for (std::size_t i = random() % 3 + 1; i-- > 0;) {
                    const std::uint64_t hash = random() % 3, tokens = random() % 300;
                    const auto blocks = static_cast<std::uint32_t>(1 + random() % 30);
                    a.push(hash, tokens, blocks);
                    b.push(hash, tokens, blocks);
                }
                now += random() % 10 == 0 ? random() % 1500 : random() % 30;
                REQUIRE(strict.request(kMarked, a, at(now)).read <= loose.request(more, b, at(now)).read);
            }
        }
    }

    TEST_CASE("a hundred thousand prefixes that never come back do not push out the one that does") {
        CacheModel model;
        PromptPrefixes prompt = prompt_of({1000});
        std::uint64_t missed = 0;
        for (int k = 0; k < 100'000; ++k) {
            prompt.cut(1);
            prompt.push(static_cast<std::uint64_t>(k) + 10, 10);
            if (model.request(kMarked, prompt, at(0)).read != 1000 && k > 0) ++missed;
        }
        CHECK(missed == 0);
    }
}

TEST_SUITE("cost of a prompt cache") {
    // USD per million tokens: 3 in, 15 out, 0.3 read, 3.75 write, 6 write for an hour
    const TokenPrices kPrices{3'000'000, 15'000'000, 300'000, 3'750'000, 6'000'000};

    TEST_CASE("a request costs what its parts cost") {
        ModelInfo model;
        model.prices = kPrices;
        const CacheUse use{10'000, 2'000, 30, CacheMiss::none};
        CHECK(cost(model, billed(use, 100))->micro_dollars() == 3'000 + 7'500 + 90 + 1'500);
        CHECK(cost(model, billed(use, 100, true))->micro_dollars() == 3'000 + 12'000 + 90 + 1'500);
    }

    TEST_CASE("an edit pays off after as many requests as its price takes") {
        // (100,000 - 20,000 - 30,000) · (3.75 - 0.3) = 172,500 now, 30,000 · 0.3 = 9,000 each time: 19.17
        const BreakEven even = break_even(kPrices, 100'000, 20'000, 30'000);
        CHECK(even.extra.micro_dollars() == 172'500);
        CHECK(even.saved.micro_dollars() == 9'000);
        CHECK(even.requests == 20);
        CHECK(break_even(kPrices, 100'000, 20'000, 30'000, true).requests == 32);  // 285,000 / 9,000
    }

    TEST_CASE("an edit at the end pays at once, one that removes nothing never") {
        CHECK(break_even(kPrices, 100, 60, 40).requests == 0);
        CHECK_FALSE(break_even(kPrices, 100, 60, 0).requests.has_value());
        CHECK(break_even(kPrices, 100, 500, 900).requests == 0);  // beyond the prompt there is nothing to write
    }

    TEST_CASE("exactly as many requests as the saving divides the price") {
        const TokenPrices prices{4, 0, 1, 3, 0};
        CHECK(break_even(prices, 30, 10, 10).requests == 2);  // 10 · 2 against 10 · 1
        CHECK(break_even(prices, 31, 10, 10).requests == 3);
    }

    TEST_CASE("agreement is the sum of differences over the sum of prompts") {
        CacheAgreement agreement;
        CHECK_FALSE(agreement.deviation().has_value());
        agreement.add(100, 50, 60);
        agreement.add(100, 50, 44);
        CHECK(agreement.deviation() == doctest::Approx(0.08));
        CHECK_FALSE(agreement.contradicts());  // not beyond 8 %
        agreement.add(100, 0, 100);
        CHECK(agreement.contradicts());
        CacheAgreement more;
        more.add(100, 90, 0);
        CHECK_FALSE(more.contradicts());
    }

    TEST_CASE(
        "a request is held to what the record read: as much of the fixed beginning, as large a share of the rest") {
        const CacheUse use{50'000, 20, 3, CacheMiss::edit};
        check(held_to(use, {400'000, 400'000, 10'000}, true), 50'000, 20, 3, CacheMiss::edit);
        check(held_to(use, {400'000, 500'000, 10'000}, true), 50'000, 20, 3, CacheMiss::edit);
        check(held_to(use, {400'000, 0, 10'000}, true), 0, 50'020, 3, CacheMiss::edit);
        check(held_to(use, {400'000, 0, 10'000}, false), 0, 20, 50'003, CacheMiss::edit);
        check(held_to(use, {400'000, 10'000, 10'000}, true), 10'000, 40'020, 3,
              CacheMiss::edit);  // all but the beginning
        check(held_to(use, {400'000, 205'000, 10'000}, true), 30'000, 20'020, 3, CacheMiss::edit);  // half of the rest
        check(held_to({5'000, 1, 0, CacheMiss::none}, {400'000, 205'000, 10'000}, true), 5'000, 1, 0, CacheMiss::none);
    }

    TEST_CASE("fitted requests keep their sum") {
        const CacheUse use{1'000'001, 20, 3, CacheMiss::edit};
        for (const std::uint64_t prompt : {0ULL, 1ULL, 7ULL, 1'000'024ULL, 99'999'999ULL}) {
            CHECK(fitted(use, prompt).prompt() == prompt);
        }
        check(fitted({50, 50, 0, CacheMiss::none}, 200), 100, 100, 0, CacheMiss::none);
        check(fitted({}, 9), 0, 0, 9, CacheMiss::none);
    }
}
