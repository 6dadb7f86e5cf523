#include "detectors/outcomes/reply_fields.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "support/session.hpp"

using agent_audit::detectors::asks_for_page;
using agent_audit::detectors::same_but_page_fields;
using agent_audit::detectors::same_but_reply_fields;
using agent_audit::test::Session;

namespace {

struct Pair {
    std::string_view a, b;
};

}  // namespace

TEST_SUITE("fields that speak of the answer itself") {
    TEST_CASE(
        "one answer to questions in other words is one, whatever request and moment it tells; another count is not") {
        const auto found = [](bool alike) {
            Session s("loop/stagnation");
            for (int i = 0; i < 7; ++i) {
                const std::string n = std::to_string(i);
                s.call("query_barns", "state of barn doors by colour " + std::string(static_cast<std::size_t>(i), 'x'),
                       R"({"series":[],"doors":)" + (alike ? std::string("4") : n) + R"(,"request_id":"7f3)" + n +
                           R"(a9c","evalTotalTime":0.00)" + n + R"(,"at":"2026-03-01T10:0)" + n + R"(:00Z"})");
            }
            return s.end().size();
        };
        CHECK(found(true) == 1);
        CHECK(found(false) == 0);
    }

    TEST_CASE("that there is nothing of one thing after the other, at another moment each time, is an answer to each") {
        for (const std::string_view tool : {"query_alarms", "erp_find_payment"}) {
            Session s;
            s.human("Look whether anything is wrong.");
            int n = 0;
            for (const char* barn : {"elm", "oak", "lime", "yew", "fir", "ash", "box", "bay", "plum", "pear"})
                s.call(tool, std::string(R"({"barn":")") + barn + "-17\"}",
                       R"({"hits":[],"at":"2026-03-01T10:0)" + std::to_string(n++) + R"(:00Z"})");
            for (const auto& f : s.end()) CHECK(f.severity == agent_audit::Severity::info);
        }
    }

    TEST_CASE("things of a list that a person gave are asked for one by one, though each time the same is said") {
        Session s("loop/stagnation");
        s.human("Which of these parts have a page: bolt-17, nut-40, washer-8, clip-3, pin-91, hook-55, ring-20?");
        int n = 0;
        for (const char* part : {"bolt-17", "nut-40", "washer-8", "clip-3", "pin-91", "hook-55", "ring-20"})
            s.call("search_pages", part, R"({"pages":[],"request_id":"7f3)" + std::to_string(n++) + R"(a9c"})");
        for (const auto& f : s.end()) CHECK(f.severity == agent_audit::Severity::info);
    }

    TEST_CASE("how long it took, which request it was and when it was made make no other answer") {
        for (const Pair& p :
             {Pair{R"({"barns":["a"],"took_ms":12})", R"({"barns":["a"],"took_ms":7})"},
              Pair{R"({"state":"queued","elapsed_s":12})", R"({"state":"queued","elapsed_s":17})"},
              Pair{R"({"took": 0.125, "barns": []})", R"({"took": 12, "barns": []})"},
              Pair{R"({\"requestId\":\"7Fq2\",\"state\":\"shut\"})", R"({\"requestId\":\"kk01z\",\"state\":\"shut\"})"},
              Pair{R"({"state":"shut","timestamp":1763800000})", R"({"state":"shut","timestamp":1763800031})"},
              Pair{"200 OK\\nX-Request-Id: 4f2a\\nDate: Mon, 04 May 2026 09:10:22 GMT\\n\\nshut",
                   "200 OK\\nX-Request-Id: 77b0\\nDate: Mon, 04 May 2026 09:10:25 GMT\\n\\nshut"},
              Pair{R"({"ts":1777885200,"state":"shut"})", R"({"ts":1777885207,"state":"shut"})"},
              Pair{"no answer\\nagentId: 3f2a (to go on)\\ntotal_tokens: 91042\\ntool_uses: 9\\nduration_ms: 41022",
                   "no answer\\nagentId: 77b0 (to go on)\\ntotal_tokens: 8120\\ntool_uses: 31\\nduration_ms: 9021"},
              Pair{"no answer\\nagentId: 3f2a (to go on)", "no answer\\nagentId: 77b0 (to go on)"},
              Pair{R"({"execution_count": 9, "text": "41"})", R"({"execution_count": 10, "text": "41"})"},
              Pair{"Warning  Unschedulable  3m (x2 over 9m)  no room in the barn",
                   "Warning  Unschedulable  4m (x3 over 10m)  no room in the barn"},
              Pair{R"({"took_ms":3,"checked_at":"2026-05-04T09:10:22Z","trace-id":"ab"})",
                   R"({"took_ms":4,"checked_at":"2026-05-04T09:11:22Z","trace-id":"cd"})"}}) {
            CAPTURE(p.a);
            CHECK(same_but_reply_fields(p.a, p.b));
            CHECK(same_but_reply_fields(p.b, p.a));
        }
    }

    TEST_CASE("a service that goes on as it was says nothing new by its uptime, one that was started anew does") {
        constexpr std::string_view kEarly = R"({"state":"degraded","uptime":98.5})",
                                   kLate = R"({"state":"degraded","uptime":131})";
        CHECK(same_but_reply_fields(kEarly, kLate));
        CHECK_FALSE(same_but_reply_fields(kLate, kEarly));
        CHECK_FALSE(same_but_reply_fields(kEarly, R"({"state":"well","uptime":131})"));
    }

    TEST_CASE("what is drawn for each visit says nothing, what only has the same name does") {
        CHECK(same_but_reply_fields("https://barn.example/login?next=%2Fbills&state=9f3a61c02be7d845\nSign in",
                                    "https://barn.example/login?next=%2Fbills&state=27bd09e1c46fa053\nSign in"));
        CHECK(same_but_reply_fields("welcome back (sid=9f3a61c02be7d845)", "welcome back (sid=27bd09e1c46fa053)"));
        CHECK_FALSE(same_but_reply_fields("barn state=open", "barn state=shut"));
        CHECK_FALSE(
            same_but_reply_fields("/sacks?page=9f3a61c02be7d845&state=1", "/sacks?page=27bd09e1c46fa053&state=1"));
    }

    TEST_CASE("anything else does") {
        for (const Pair& p :
             {Pair{R"({"sacks":12,"took_ms":7})", R"({"sacks":11,"took_ms":7})"},
              Pair{R"({"took_ms":7,"sacks":12})", R"({"took_ms":8,"sacks":11})"},
              Pair{R"({"id":"a1"})", R"({"id":"a2"})"}, Pair{R"({"job_id":"a1"})", R"({"job_id":"a2"})"},
              Pair{R"({"next":"a1"})", R"({"next":"a2"})"}, Pair{R"({"took_ms":7})", R"({"took_ms":7,"more":true})"},
              Pair{"(x2 sacks)", "(x3 sacks)"}, Pair{"duration 12", "duration 13"}, Pair{"12", "13"}, Pair{"", "x"},
              Pair{"ts=1234567890,", "ts=1}"}, Pair{"took=1", "took=2345, x"}, Pair{"took=123456", "took=1 "}}) {
            CAPTURE(p.a);
            CHECK_FALSE(same_but_reply_fields(p.a, p.b));
            CHECK_FALSE(same_but_reply_fields(p.b, p.a));
        }
        CHECK_FALSE(same_but_reply_fields(std::string(5000, 'x') + "took_ms=1", std::string(5000, 'x') + "took_ms=2"));
    }

    TEST_CASE(
        "a call that is answered alike but for how long it took is repeated; one that comes to another page is not") {
        Session waits("loop/exact-repeat"), pages("loop/exact-repeat");
        for (int i = 0; i < 6; ++i) {
            const std::string took = R"("took_ms":)" + std::to_string(13 * i + 4) + "}";
            waits.call("find_barn", R"({"name":"north"})", R"({"hits":["barn 4"],)" + took);
            pages.call("find_barn", R"({"name":"north"})", R"({"hits":["barn )" + std::to_string(i) + "\"]," + took);
        }
        const auto& found = waits.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].repeats == 6);
        CHECK(pages.end().empty());
    }
}

TEST_SUITE("pages of a list") {
    TEST_CASE("a list that is asked for from where it was left is no search in other words") {
        const auto findings = [](std::string_view key) {
            Session s("loop/reworded-search");
            for (int i = 0; i < 12; ++i) {
                const std::string at = std::to_string(50 * i);
                s.call_json(
                    "mcp__jira__search", "project=BARN",
                    R"({"jql":"project=BARN",")" + std::string(key) + "\":" + at + "}",
                    R"({"issues":["BARN-)" + at + R"( to )" + std::to_string(50 * i + 49) + R"("],"total":600})");
            }
            return s.end().size();
        };
        CHECK(findings("startAt") == 0);
        CHECK(findings("start_index") == 0);
        CHECK(findings("page") == 0);
    }

    TEST_CASE("how sure a reader is trembles; what a score counts is news where there is little else") {
        const auto same = [](std::string_view before, std::string_view now) {
            return same_but_reply_fields(before, now) && same_but_reply_fields(now, before);
        };
        CHECK(same(R"({"text":"Invoice 2041, total not legible","confidence":0.4417})",
                   R"({"text":"Invoice 2041, total not legible","confidence":0.47})"));
        CHECK(same(R"({\"text\":\"Invoice 2041, total not legible\",\"confidence\":44.1})",
                   R"({\"text\":\"Invoice 2041, total not legible\",\"confidence\":47.3})"));
        CHECK(same(R"([{"text":"How to grind rye","score":0.61},{"text":"Oats and you","score":0.44}])",
                   R"([{"text":"How to grind rye","score":0.6},{"text":"Oats and you","score":0.4523}])"));
        CHECK_FALSE(same(R"({"text":"Invoice 2041, total not legible","confidence":0.44})",
                         R"({"text":"Invoice 2041, total not legible","confidence":0.81})"));
        CHECK_FALSE(same(R"({"text":"Invoice 2041, total 7","confidence":0.44})",
                         R"({"text":"Invoice 2041, total 9","confidence":0.44})"));
        CHECK_FALSE(same(R"({"confidence":0.61})", R"({"confidence":0.64})"));
        CHECK_FALSE(same(R"([{"name":"f1","score":0.61},{"name":"recall","score":0.7}])",
                         R"([{"name":"f1","score":0.63},{"name":"recall","score":0.7}])"));
        CHECK_FALSE(same("evaluated all of the dev set\nscore: 0.61", "evaluated all of the dev set\nscore: 0.63"));
    }

    TEST_CASE("where a page stands is no news when the same is on it") {
        CHECK(same_but_page_fields(R"({"items":["rye"],"next_cursor":"9f3a"})",
                                   R"({"items":["rye"],"next_cursor":"b1"})"));
        CHECK(same_but_page_fields(R"({\"page\":1,\"items\":[\"rye\"]})", R"({\"page\":2,\"items\":[\"rye\"]})"));
        CHECK_FALSE(same_but_page_fields(R"({"items":["rye"],"next_cursor":"9f3a"})",
                                         R"({"items":["oat"],"next_cursor":"b1"})"));
        CHECK_FALSE(same_but_page_fields(R"([{"name":"Market","start":9}])", R"([{"name":"Market","start":10}])"));
        CHECK_FALSE(same_but_reply_fields(R"({"items":["rye"],"page":1})", R"({"items":["rye"],"page":2})"));
        CHECK(asks_for_page(R"({"cursor":"9f3a","limit":4})"));
        CHECK(asks_for_page(R"({\"pageToken\":\"x\"})"));
        CHECK_FALSE(asks_for_page(R"({"day":"2026-05-04"})"));
        for (const char* name : {"page", "pageToken", "next_cursor", "cursor", "offset", "after", "skip"})
            CHECK(agent_audit::detectors::names_page(name));
        for (const char* name : {"", "path", "pattern", "query", "afternoon", "limit", "next"})
            CHECK(agent_audit::detectors::names_page(name) == (std::string_view(name) == "next"));
    }

    TEST_CASE("the first pages of one list after the other are no pages of one list") {
        Session s;
        for (int i = 1; i <= 12; ++i)
            s.call("list_fires", R"({"month":"2025-)" + std::to_string(100 + i).substr(1) + R"(","page":1})",
                   R"({"fires":[],"page":1})");
        CHECK(s.end().empty());
    }

    TEST_CASE("a list turned over page by page that stays the same is found, one that goes on is not") {
        const auto found = [](std::string_view field, bool same) {
            Session s;
            for (int i = 0; i < 11; ++i) {
                const auto place = [&](int n) {
                    return field == "cursor" ? "\"" + std::string(1, static_cast<char>('a' + n)) + "7" +
                                                   std::to_string(n * 37 % 10) + "\""
                                             : std::to_string(n);
                };
                const std::string args = "{\"" + std::string(field) + "\":" + place(i) + ",\"limit\":2}";
                s.call(std::string_view("list_sacks"), args,
                       "{\"items\":[\"sack " + std::to_string(same ? 1 : i) + "\"],\"next_" + std::string(field) +
                           "\":" + place(i + 1) + "}");
            }
            std::string rules;
            for (const auto& f : s.end()) rules += f.rule + (f.severity == agent_audit::Severity::error ? "!" : "?");
            return rules;
        };
        for (const std::string_view field : {"cursor", "page", "offset"}) {
            CAPTURE(std::string(field));
            CHECK(found(field, true) == "loop/stagnation!");
            CHECK(found(field, false).empty());
        }
    }

    TEST_CASE("what time it is and under which number an answer was given says nothing of it") {
        CHECK(same_but_reply_fields(R"({"state":"open","now":1770000000})", R"({"state":"open","now":1770000013})"));
        CHECK(same_but_reply_fields(R"({"state":"open","trace":"86908fc65b7af4df"})",
                                    R"({"state":"open","trace":"6e0f2c1e77268768"})"));
        CHECK_FALSE(same_but_reply_fields(R"({"state":"open","now":17})", R"({"state":"open","now":18})"));
        CHECK_FALSE(
            same_but_reply_fields(R"({"state":"open","trace":"north"})", R"({"state":"open","trace":"south"})"));
    }

    TEST_CASE("a machine that gets nowhere uses up its battery meanwhile; one that gets on tells where it is") {
        using agent_audit::detectors::without_run_down;
        CHECK(without_run_down("bumper front: blocked. pose x=0.75 batt=96%") ==
              without_run_down("bumper front: blocked. pose x=0.75 batt=95%"));
        CHECK(without_run_down(R"({"t": 12.4, "result": "slipped", "battery": 81.2})") ==
              without_run_down(R"({"t": 15.5, "result": "slipped", "battery": 80.9})"));
        CHECK(without_run_down("bumper front: blocked. pose x=0.75 batt=96%") !=
              without_run_down("bumper front: blocked. pose x=0.50 batt=96%"));
        CHECK(without_run_down("charging. batt=96%").empty());
    }
}
