#include "advice/books/response_count.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace agent_audit;
using namespace agent_audit::advice;

namespace {

Event of_lane(EventBody body, IdHash response, std::uint32_t lane = 0) {
    Event event;
    event.head.response = response;
    event.head.lane = lane;
    event.body = std::move(body);
    return event;
}

Event call(IdHash response = 0, std::uint32_t lane = 0) { return of_lane(ToolCall{}, response, lane); }
Event says(IdHash response = 0) { return of_lane(Message{Role::assistant, Origin::agent, {}, 0}, response); }
Event human() { return of_lane(Message{Role::user, Origin::human, {}, 0}, 0); }

}  // namespace

TEST_SUITE("response count") {
    TEST_CASE("without ids a response ends where results come") {
        ResponseCount responses;
        responses.see(says());
        responses.see(call());
        CHECK(responses.count() == 1);
        responses.result_seen();
        CHECK(responses.begins(call()));
        responses.see(call());
        CHECK(responses.count() == 2);
        responses.see(human());
        responses.see(says());
        CHECK(responses.count() == 3);
    }

    TEST_CASE("parallel calls of one id are of one response, with results between them too") {
        ResponseCount responses;
        responses.see(call(7));
        responses.result_seen();
        CHECK_FALSE(responses.begins(call(7)));
        responses.see(call(7));
        CHECK(responses.count() == 1);
        CHECK(responses.begins(call(8)));
        responses.see(call(8));
        CHECK(responses.count() == 2);
    }

    TEST_CASE("a command that a human runs is no response") {
        ResponseCount responses;
        responses.see(says());
        ToolCall own;
        own.caller = Caller::user;
        responses.see(of_lane(own, 0));
        responses.result_seen();
        CHECK(responses.count() == 1);
        responses.see(human());
        responses.see(of_lane(own, 0));
        CHECK(responses.count() == 1);
        responses.see(says());
        CHECK(responses.count() == 2);
    }

    TEST_CASE("sub-agents and figures without a response begin none") {
        ResponseCount responses;
        responses.see(call(0, 3));
        responses.see(of_lane(Usage{}, 0));
        CHECK(responses.count() == 0);
        responses.see(of_lane(Usage{}, 9));
        responses.see(says(9));
        CHECK(responses.count() == 1);
    }
}
