#include "simulator/replay/reasoning_watch.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>

using namespace agent_audit;
namespace sim = agent_audit::simulator;

namespace {

/// One conversation: what is asked, answered and billed.
class Conversation {
public:
    using Left = std::optional<sim::ReasoningWatch::Left>;

    Conversation& human(double tokens) { return came(sim::Role::user, tokens, true); }
    Conversation& result(double tokens) { return came(sim::Role::tool_result, tokens, false); }
    Left answer(std::uint64_t prompt, std::uint64_t reasoning, std::uint64_t other = 100) {
        sim::RecordedRequest request;
        request.prompt = prompt;
        request.billed.input = prompt;
        request.billed.output = reasoning + other;
        request.billed.reasoning = reasoning;
        const Left left = watch.on_request(request);
        came(sim::Role::assistant, 1e6, false);  // what its words weigh does not matter
        return left;
    }

    sim::ReasoningWatch watch;

private:
    Conversation& came(sim::Role role, double tokens, bool human) {
        auto message = std::make_shared<sim::Msg>();
        message->role = role;
        sim::Recorded recorded;
        recorded.message = std::move(message);
        recorded.place = place_++;
        recorded.human = human;
        watch.on_message(recorded, tokens);
        return *this;
    }
    std::uint32_t place_ = 0;
};

// A turn of two answers with 2,000 tokens of reasoning each, the first of which the second prompt shows: 2,100 + 500
// more.
void turn_of_two(Conversation& c, std::uint64_t prompt) {
    c.human(100);
    c.answer(prompt, 2'000);
    c.result(500);
    c.answer(prompt + 2'600, 2'000);
}

}  // namespace

TEST_SUITE("reasoning watch") {
    TEST_CASE("a prompt that falls by the reasoning of the turn before has lost it") {
        Conversation c;
        turn_of_two(c, 10'000);
        const auto left = c.human(100).answer(10'900, 0);  // 12,600 + 2,100 + 100 - 4,000, and a little
        REQUIRE(left);
        CHECK(left->before == 4);
        CHECK(left->prefix == 10'000);
    }

    TEST_CASE("a prompt that does not fall has kept it, until it does") {
        Conversation c;
        turn_of_two(c, 10'000);
        CHECK_FALSE(c.human(100).answer(14'800, 0));
        const auto left = c.human(100).answer(11'000, 0);
        REQUIRE(left);
        CHECK(left->before == 6);
        CHECK(left->prefix == 10'000);
    }

    TEST_CASE("under words too long to tell, what was seen last holds") {
        Conversation c;
        turn_of_two(c, 10'000);
        CHECK_FALSE(c.human(90'000).answer(104'700, 0));  // nothing was seen yet
        Conversation d;
        turn_of_two(d, 10'000);
        CHECK(d.human(100).answer(10'900, 2'000));
        CHECK(d.human(90'000).answer(103'000, 0));
    }

    TEST_CASE("reasoning that no later prompt has shown cannot leave") {
        Conversation c;
        c.human(100);
        c.answer(10'000, 2'000);
        c.result(500);
        c.answer(10'600, 2'000);
        CHECK_FALSE(c.human(100).answer(10'800, 0));
    }

    TEST_CASE("a prompt that falls by far more has lost something else") {
        Conversation c;
        turn_of_two(c, 50'000);
        CHECK_FALSE(c.human(100).answer(20'000, 0));
    }

    TEST_CASE("behind a compaction nothing is expected of the next prompt") {
        Conversation c;
        turn_of_two(c, 10'000);
        c.watch.restart();
        CHECK_FALSE(c.human(100).answer(10'900, 0));
    }

    TEST_CASE("where bills do not tell reasoning, none is looked for") {
        Conversation c;
        c.human(100);
        c.answer(10'000, 0);
        c.result(500);
        c.answer(10'600, 0);
        CHECK_FALSE(c.human(100).answer(6'800, 0));
    }
}
