#include "detectors/outcomes/screen_refs.hpp"

#include "support/session.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace agent_audit;
using namespace agent_audit::detectors;
using agent_audit::test::Session;

namespace {

// Clicks on `element`, whose number is another one each time, and what the page shows then.
std::string click(const std::string& element, int round) {
    return R"({"element": ")" + element + R"(", "ref": "s)" + std::to_string(round) + R"(e54"})";
}

std::string page(const std::string& heading, int round) {
    return "- heading \"" + heading + "\" [ref=s" + std::to_string(round) + "e2]\n- button \"Next month\" [ref=s" +
           std::to_string(round) + "e54]";
}

}  // namespace

TEST_SUITE("numbers of elements on a page") {
    TEST_CASE("they go from a page, and nothing else does") {
        CHECK(without_element_refs("button \"Save\" [ref=e12]\n- text: [ref=e3]") ==
              "button \"Save\" [ref=]\n- text: [ref=]");
        for (const char* text : {"no such number", "[ref=main]", "[ref=9f2c1d7e0a4b5c6d7e8f]", "[ref=", "ref=e12"}) {
            CAPTURE(text);
            const std::string left = without_element_refs(text);
            CHECK((left.empty() || left == text));
        }
    }

    TEST_CASE("so does what the address of the page asks for, in its head alone") {
        CHECK(without_element_refs("Page URL: https://farm.example/login?next=/barn\n- text: [ref=e3]") ==
              "Page URL: https://farm.example/login\n- text: [ref=]");
        CHECK(without_element_refs(R"(Page URL: https://farm.example/#hay\n- link: /rye?page=2)") ==
              R"(Page URL: https://farm.example/\n- link: /rye?page=2)");
        CHECK(without_element_refs("Page URL: https://farm.example/login\n- link: /rye?page=2").empty());
    }

    TEST_CASE("so do numbers that begin a line, and what a tool says of the deed before it shows the page") {
        const std::string shown = "Page: Farm\n[] button \"Save\"\n[] link \"Barn\" and then some more hay";
        CHECK(without_element_refs(
                  "Clicked. Page: Farm\n[12] button \"Save\"\n[14] link \"Barn\" and then some more hay") == shown);
        CHECK(without_element_refs("Page: Farm\n[2] button \"Save\"\n[3] link \"Barn\" and then some more hay") ==
              shown);
        CHECK(without_element_refs("Clicked. Saved.").empty());
        CHECK(without_element_refs("See note [12] below, and room [7] Barn").empty());
        CHECK(without_element_refs("URL: https://farm.example/login?next=/rye\nSign in") ==
              "URL: https://farm.example/login\nSign in");
        CHECK(without_element_refs("The feed URL: https://farm.example/feed?page=2").empty());
    }

    TEST_CASE("they go from arguments that also name the element in words") {
        CHECK(without_ref_argument(R"({"element":"Save","ref":"e12"})") == R"({"element":"Save","ref":""})");
        CHECK(without_ref_argument(R"({\"element\": \"Save\", \"ref\": \"e12\"})") ==
              R"({\"element\": \"Save\", \"ref\": \"\"})");
        CHECK(without_ref_argument(R"({"ref":"e12"})").empty());
        CHECK(without_ref_argument(R"({"element":"Save","ref":"main branch"})").empty());
        CHECK(without_ref_argument(R"({"element":"Save","target":"e12"})").empty());
    }

    TEST_CASE("a click that leaves the page as it was is the same click, whatever its number") {
        Session s("loop/exact-repeat");
        for (int i = 0; i < 6; ++i) s.call_json("browser_click", "Next month", click("Next month", i), page("May", i));
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::error);
    }

    TEST_CASE("a page that moves on, and one element after the other, are no loop") {
        Session s("loop/exact-repeat");
        const char* months[] = {"May", "June", "July", "August", "September", "October"};
        for (int i = 0; i < 6; ++i)
            s.call_json("browser_click", "Next month", click("Next month", i), page(months[i], i));
        for (int i = 0; i < 6; ++i) s.call_json("browser_click", months[i], click(months[i], i), page("May", i));
        CHECK(s.end().empty());
    }

    TEST_CASE("a page that takes the reader for a machine is the same page under each number that it draws") {
        const auto found = [](const std::string& words) {
            Session s("loop/cycle");
            for (int i = 0; i < 5; ++i) {
                s.call_json("browser_click", "Checkbox", click("Checkbox", i), "clicked");
                s.call("browser_snapshot", "{}",
                       "- heading \"Just a moment\" [ref=e" + std::to_string(9 + i) +
                           "]\n- text: This page looks at where you come from before it lets you see what you came "
                           "for\n- text: " +
                           words + "\n- text: Ray ID 8f3c1e7a" + std::to_string(10 + i) + "b5d2f" +
                           std::to_string(40 + i));
            }
            return s.end().size();
        };
        CHECK(found("Verify you are human") == 1);
        CHECK(found("Here is your new key") == 0);
    }

    TEST_CASE("elements that are numbered in front of their tag are, too") {
        CHECK(without_element_refs("[12]<button>Next</button>\n[7]<td>14 May</td>") ==
              "[]<button>Next</button>\n[]<td>14 May</td>");
        CHECK(without_element_refs("see [12] and <b>[x]<i>").empty());
        const auto pages = [](bool moves) {
            Session s("loop/cycle");
            for (int i = 0; i < 8; ++i)
                s.call("click", i % 2 == 0 ? "next" : "back",
                       "[" + std::to_string(20 + 7 * i) + "]<h1>" + (i % 2 == 0 ? "May" : "July") +
                           (moves ? std::to_string(1900 + i) : "") + "</h1>\n[" + std::to_string(90 - i) +
                           "]<td>1</td>");
            return s.end().size();
        };
        CHECK(pages(false) == 1);
        CHECK(pages(true) == 0);
    }
}
