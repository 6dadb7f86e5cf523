#include "detectors/words/opaque_ids.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "support/session.hpp"

using agent_audit::detectors::same_but_ids;
using agent_audit::test::Session;

namespace {

struct Pair {
    std::string_view a, b;
};

}  // namespace

TEST_SUITE("answers that differ by ids alone") {
    TEST_CASE("ids, times since 1970, ports and threads make no difference") {
        for (const Pair& p :
             {Pair{"HTTP 401 wrong client, trace 4bf92f3577b34da6", "HTTP 401 wrong client, trace a3ce929d0e0e4736"},
              Pair{R"({"error":"wrong client name","request_id":"req_011CWk9dP2"})",
                   R"({"error":"wrong client name","request_id":"req_011CWq7aB5"})"},
              Pair{"the barn is shut (ULID 01HV3XJ8K2M4N6P8Q0R2S4T6V8)",
                   "the barn is shut (ULID 01HV3XJ9A1B3C5D7E9F1G3H5J7)"},
              Pair{"shut since 1763800000.125 by the miller", "shut since 1763800031.7 by the miller"},
              Pair{"dial tcp 127.0.0.1:53412: connection refused by the barn",
                   "dial tcp 127.0.0.1:8081: connection refused by the barn"},
              Pair{"no barn for you in [Thread-12]", "no barn for you in [Thread-7]"},
              Pair{"the barn fell down in goroutine 17", "the barn fell down in goroutine 4"},
              Pair{"same old words", "same old words"}}) {
            CAPTURE(p.a);
            CHECK(same_but_ids(p.a, p.b));
            CHECK(same_but_ids(p.b, p.a));
        }
    }

    TEST_CASE("anything else does, and so does an id that is the whole answer") {
        for (const Pair& p :
             {Pair{"12 sacks of grain left", "11 sacks of grain left"}, Pair{"4bf92f3577b34da6", "a3ce929d0e0e4736"},
              Pair{"d41d8cd98f00b204  barn.txt", "9e107d9d372bb682  barn.txt"},
              Pair{"barn on port 8080 is shut", "barn on port 8081 is shut"},
              Pair{"the grain barn is shut", "the grain barn is open"},
              Pair{"the grain barn is shut", "the grain barn is shut."},
              Pair{"step test_parser_2_of_12 of the barn", "step test_parser_3_of_12 of the barn"}, Pair{"", "x"},
              Pair{"the barn stands at commit 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
                   "the barn stands at commit de9f2c7fd25e1b3afad3e85a0bd17d9b100db4b3"}}) {
            CAPTURE(p.a);
            CHECK_FALSE(same_but_ids(p.a, p.b));
            CHECK_FALSE(same_but_ids(p.b, p.a));
        }
        const std::string longest(5000, 'x');
        CHECK_FALSE(same_but_ids(longest + " one two four a1b2c3d4e5f6", longest + " one two four a1b2c3d4e5f7"));
    }

    TEST_CASE("the number of a notebook's cell is not part of its value") {
        Session counted("loop/exact-repeat"), other("loop/exact-repeat");
        for (int i = 3; i < 9; ++i) {
            counted.call("execute_cell", "sacks.sum()", "Out[" + std::to_string(i) + "]: 41");
            other.call("execute_cell", "sacks.sum()", "Out[3]: " + std::to_string(i));
        }
        CHECK(counted.end().size() == 1);
        CHECK(other.end().empty());
    }

    TEST_CASE("a call whose refusals carry another trace each time is repeated") {
        constexpr std::string_view kTraces[] = {"4bf92f3577b34da6", "a3ce929d0e0e4736", "00f067aa0ba902b7",
                                                "9a1c3e5f7b2d4f60", "5e6f7a8b9c0d1e2f", "1c2d3e4f5a6b7c8d"};
        Session s("loop/exact-repeat");
        for (const std::string_view trace : kTraces)
            s.call("get_client", R"({"name":"Mara"})",
                   "HTTP 401 unauthorized, trace " + std::string(trace) + ", wrong client");
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].repeats == 6);
    }

    TEST_CASE("under which case an answer was filed is no part of it, which case was looked at is") {
        using agent_audit::detectors::same_but_ids;
        CHECK(same_but_ids("Refund denied by the mill. Case 48213.", "Refund denied by the mill. Case 59071."));
        CHECK(same_but_ids("The form was not sent (Ref 3FA9C1).", "The form was not sent (Ref 71B0D4)."));
        CHECK_FALSE(same_but_ids("The form failed on case 12.", "The form failed on case 13."));
        CHECK_FALSE(same_but_ids("The mill has sold sack 48213.", "The mill has sold sack 59071."));
    }

    TEST_CASE("a command under another number of a trace or with another file under /tmp is the same call") {
        for (const auto& [a, b, same] :
             {std::tuple{"TRACE_ID=b4d98ebd make", "TRACE_ID=9dd1d460 make", true},
              {"curl -H 'X-Request-Id: b4d98ebd' h", "curl -H 'X-Request-Id: 9dd1d460' h", true},
              {"make > /tmp/c-d1fa0141.log; tail /tmp/c-d1fa0141.log",
               "make > /tmp/c-312f12fa.log; tail /tmp/c-312f12fa.log", true},
              {"make > /tmp/c-d1fa0141.log; tail /tmp/c-d1fa0142.log",
               "make > /tmp/c-312f12fa.log; tail /tmp/c-312f12f9.log", false},
              {"git show b4d98ebd", "git show 9dd1d460", false},
              {"TRACE_ID=b4d98ebd make", "TRACE_ID=b4d98ebd;make", false},
              {"make > /tmp/b4d98ebd.log", "make > /tmp/b4d98ebd/log", false},
              {"cat /tmp/c-d1fa0141.log", "cat /tmp/c-312f12fa.log", false},
              {"BARN=rye make", "BARN=oat make", false}}) {
            CHECK(agent_audit::detectors::same_but_drawn_names(a, b) == same);
        }
        const auto found = [](std::string_view before, std::string_view behind) {
            Session s("loop/exact-repeat");
            for (int i = 0; i < 6; ++i)
                s.call("Bash", std::string(before) + "4d98ebf" + std::to_string(i) + std::string(behind),
                       "probe: no upstream configured");
            return s.end().size();
        };
        CHECK(found("TRACE_ID=", " node probe.js") == 1);
        CHECK(found("probe --commit ", "") == 0);
    }
}
