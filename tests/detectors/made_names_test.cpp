#include "detectors/outcomes/made_names.hpp"
#include "support/session.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>

using agent_audit::Severity;
using agent_audit::detectors::same_but_made_names;
using agent_audit::test::Session;

TEST_SUITE("names of what is made") {
    TEST_CASE("the name that a new thing got, and when, is no news") {
        const std::pair<std::string_view, std::string_view> same[] = {
            {R"({"id":"TCK-4410","state":"open"})", R"({"id":"TCK-4413","state":"open"})"},
            {R"({\"id\": 17, \"title\": \"Gate\"})", R"({\"id\": 18, \"title\": \"Gate\"})"},
            {R"({"number":9,"url":"https://git.example/quay/issues/9"})",
             R"({"number":10,"url":"https://git.example/quay/issues/10"})"},
            {"https://git.example/quay/issues/9\n", "https://git.example/quay/issues/12\n"},
            {"Created event ev_8f3a1c22d9", "Created event ev_0b77e1f4a2"},
            {"Created ticket #44.", "Created ticket #45."},
            {"Ticket 44 is open.", "Ticket 45 is open."},
            {R"({"message_id":"<9f3ab1c2@mx>","sent":"2026-05-04T09:00:00Z"})",
             R"({"message_id":"<77c01d4e@mx>","sent":"2026-05-04T09:01:10Z"})"},
        };
        for (const auto& pair : same) {
            CAPTURE(std::string(pair.first));
            CHECK(same_but_made_names(pair.first, pair.second));
        }
    }

    TEST_CASE("what is counted, measured or told of the thing is news") {
        const std::pair<std::string_view, std::string_view> other[] = {
            {R"({"id":"TCK-4410","state":"open"})", R"({"id":"TCK-4413","state":"merged"})"},
            {R"({"id":"TCK-4410"})", R"({"id":"REQ-4410"})"},
            {R"({"balance":40})", R"({"balance":50})"},
            {R"({"id":1,"rows":4})", R"({"id":2,"rows":5})"},
            {"inserted row 5", "inserted row 6"},
            {R"({"id":"TCK-4410"})", R"({"id":"TCK-4413","duplicate_of":"TCK-4410"})"},
            {"Created page Harbour", "Created page Meadows"},
            {"3 of 10 sent", "4 of 10 sent"},
        };
        for (const auto& pair : other) {
            CAPTURE(std::string(pair.first));
            CHECK_FALSE(same_but_made_names(pair.first, pair.second));
        }
    }

    TEST_CASE("text that ends anywhere is compared to its end and no further") {
        const std::string text = R"({\"id\":\"TCK-4410\",\"at\":\"2026-05-04T09:00:00Z\"}\\)";
        for (std::size_t n = 0; n <= text.size(); ++n) {
            CHECK(same_but_made_names(std::string_view(text).substr(0, n), std::string_view(text).substr(0, n)));
            same_but_made_names(text, std::string_view(text).substr(0, n));
        }
    }
}

TEST_SUITE("the same thing made again") {
    TEST_CASE("is a warning from the sixth on and an error from the twelfth, whatever it is called each time") {
        const auto severity = [](int times, std::string_view tool, std::string_view argument) {
            Session s;
            for (int i = 0; i < times; ++i)
                s.call(tool, argument, R"({"id":")" + std::to_string(4410 + 3 * i) + R"(","state":"open"})");
            const auto& found = s.end();
            if (found.empty()) return Severity::info;
            CHECK(found[0].rule == "loop/exact-repeat");
            CHECK(found.size() == 1);
            return found[0].severity;
        };
        const std::pair<std::string_view, std::string_view> made[] = {
            {"create_ticket", "Badge reader broken"},
            {"mcp__mail__send_email", "kate@farm.example"},
            {"calendar_create_event", "Review"},
            {"post_message", "#general"},
            {"Bash", "curl -sS -X POST https://desk.example/tickets -d '{\"title\":\"Gate\"}'"},
            {"Bash", "gh issue create --title Gate --body broken"}};
        for (const auto& call : made) {
            CAPTURE(std::string(call.first));
            CHECK(severity(5, call.first, call.second) == Severity::info);
            CHECK(severity(6, call.first, call.second) == Severity::warning);
            CHECK(severity(12, call.first, call.second) == Severity::error);
        }
        CHECK(severity(20, "get_post", "a") == Severity::info);  // another answer each time
        CHECK(severity(20, "list_orders", "a") == Severity::info);
        CHECK(severity(20, "Bash", "./next-job") == Severity::info);
    }

    TEST_CASE("is none where each is another one, is filled in before the next, or was asked for in that number") {
        const auto id = [](int i) { return R"({"id":"TCK-)" + std::to_string(4410 + i) + "\"}"; };
        Session others, filled, asked, counted;
        asked.human("Please make 12 blank tickets, we fill them in later.");
        for (int i = 0; i < 12; ++i) {
            others.call("create_ticket", "gate " + std::string(1, static_cast<char>('a' + i)), id(i));
            filled.call("create_ticket", "blank", id(i)).call("update_ticket", "TCK-" + std::to_string(4410 + i), "ok");
            asked.call("create_ticket", "blank", id(i));
            counted.call("add_funds", "10", R"({"balance":)" + std::to_string(10 * i) + "}");
        }
        CHECK(others.end().empty());
        CHECK(filled.end().empty());
        for (const auto& f : asked.end()) CHECK(f.severity == Severity::info);
        CHECK(counted.end().empty());
    }

    TEST_CASE("names that were given to a call are left out, counts stay") {
        using agent_audit::detectors::without_made_names;
        CHECK(without_made_names(R"({"reminder_id":"4f0ac1d2","left":12})") == R"({"reminder_id":"#","left":12})");
        CHECK(without_made_names("declined (request #417)") == "declined (request ##)");
        CHECK(without_made_names("trace: 9ae01c") == "trace: #");
        CHECK(without_made_names("3 of 12 sacks") == "3 of 12 sacks");
    }
}
