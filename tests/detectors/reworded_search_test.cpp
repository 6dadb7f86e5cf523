#include "support/session.hpp"

#include <array>
#include <string>

using agent_audit::Finding;
using agent_audit::Severity;
using agent_audit::test::Session;

namespace {

constexpr const char* kQueries[] = {
    "harbour revenue report 2019", "2019 report harbour revenue", "revenue harbour 2019", "report 2019 revenue",
    "harbour report revenue",      "2019 harbour report",         "harbour 2019"};
constexpr const char* kAnswer = "A guide to the harbour. The budget of the city.";

void search(Session& s, int count, const char* tool = "web_search") {
    for (int i = 0; i < count; ++i) s.call(tool, kQueries[i % 7], kAnswer);
}

}  // namespace

TEST_SUITE("loop/reworded-search") {
    TEST_CASE("five searches that reword the first are a warning, and it begins with the first") {
        Session s("loop/reworded-search");
        s.call("read_file", "notes.md", "find the revenue");
        search(s, 6);
        const auto found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::warning);
        CHECK(found[0].repeats == 5);
        CHECK(found[0].first_line == 3);
        CHECK(found[0].last_line == 14);
    }

    TEST_CASE("four rewordings are a search that may still succeed") {
        Session s("loop/reworded-search");
        search(s, 5);
        CHECK(s.end().empty());
    }

    TEST_CASE("a query with a new word is another question, and the count starts again") {
        Session s("loop/reworded-search");
        search(s, 4);
        s.call("web_search", "minutes council pier", "Nothing on the pier.");
        search(s, 4);
        CHECK(s.end().empty());
    }

    TEST_CASE("an answer with new documents is progress, however the query was worded") {
        Session s("loop/reworded-search");
        const char* words[] = {"granite quay", "timber jetty", "copper wharf", "marble mole",
                               "cement berth", "gravel slip",  "basalt dock"};
        for (int i = 0; i < 7; ++i) s.call("web_search", kQueries[i], words[i]);
        CHECK(s.end().empty());
    }

    TEST_CASE(
        "a new word beside known ones that brings back what was known does not end the stretch, and does not count") {
        const auto searches = [](std::string_view answer) {
            Session s("loop/reworded-search");
            for (int i = 0; i < 6; ++i) {
                s.call("web_search", kQueries[i], kAnswer);
                if (i == 2 || i == 3)
                    s.call("web_search", i == 2 ? "harbour revenue table" : "harbour report council",
                           i == 2 ? kAnswer : answer);
            }
            return s.end();
        };
        const auto found = searches(kAnswer);
        REQUIRE(found.size() == 1);
        CHECK(found[0].repeats == 5);
        CHECK(found[0].first_line == 1);
        CHECK(searches("The council met at noon, and spoke of granite and timber.").empty());
    }

    TEST_CASE("characters of scripts without blanks are words of their own in a question, as they are or escaped") {
        constexpr const char* kAsked[] = {"灯塔设计者",     "谁设计了灯塔",     "灯塔的设计者是谁", "设计灯塔的人",
                                          "灯塔设计者是谁", "这座灯塔的设计者", "灯塔由谁设计",     "谁是灯塔设计者",
                                          "灯塔设计者",     "谁设计了灯塔"};
        constexpr const char* kEscaped[] = {R"(\u706f\u5854\u8bbe\u8ba1\u8005)",
                                            R"(\u8c01\u8bbe\u8ba1\u4e86\u706f\u5854)", R"(\u8bbe\u8ba1\u706f\u5854)",
                                            R"(\u706f\u5854\u8bbe\u8ba1)"};
        constexpr const char* kNews[] = {"春江潮水连海平", "海上明月共潮生", "滟滟随波千万里", "何处春江无月明",
                                         "江流宛转绕芳甸", "月照花林皆似霰", "空里流霜不觉飞", "汀上白沙看不见",
                                         "江天一色无纤尘", "皎皎空中孤月轮"};
        Session same("loop/reworded-search"), escaped("loop/reworded-search"), news("loop/reworded-search");
        for (int i = 0; i < 10; ++i) {
            same.call("web_search", kAsked[i], "港口指南、城市预算。");
            escaped.call("web_search", kEscaped[i % 4], R"(\u6e2f\u53e3\u6307\u5357\u3001\u57ce\u5e02)");
            news.call("web_search", kAsked[i], kNews[i]);
        }
        CHECK(same.end().size() == 1);
        CHECK(escaped.end().size() == 1);
        CHECK(news.end().empty());
    }

    TEST_CASE("searches of one response are one attempt") {
        Session s("loop/reworded-search");
        s.respond();
        for (const char* query : kQueries) s.open("web_search", query);
        for (int i = 0; i < 7; ++i) s.answer(kAnswer);
        CHECK(s.end().empty());
    }

    TEST_CASE(
        "small words make no new question, and the loop begins with the search that was put into other words first") {
        Session s("loop/reworded-search");
        s.call("read_file", "a", "b");
        for (const char* query :
             {"harbour revenue", "revenue of the harbour", "harbour revenue in yearly",
              "what was the yearly revenue of the harbour", "the revenue of a harbour, in yearly",
              "yearly of harbour revenue", "which revenue had the harbour in yearly", "harbour yearly revenue"}) {
            s.call("search", query, kAnswer);
        }
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].first_line == 3);
        CHECK(found[0].last_line == 18);
    }

    TEST_CASE("searches in files are not looked at") {
        Session s("loop/reworded-search");
        search(s, 7, "Grep");
        CHECK(s.end().empty());
    }

    TEST_CASE("other work that got somewhere ends the stretch") {
        Session s("loop/reworded-search");
        search(s, 4);
        s.call("read_file", "report.pdf", "12 million");
        search(s, 3);
        CHECK(s.end().empty());
    }

    TEST_CASE("a human who asks again has the right to the same searches") {
        Session s("loop/reworded-search");
        search(s, 4);
        s.human("Look again, please.");
        search(s, 4);
        CHECK(s.end().empty());
    }

    TEST_CASE("a graph that has its question rewritten and finds the same documents asks the same question") {
        const std::vector<std::string> questions{"capital of Burgundy in 1400",   "medieval seat of the dukes",
                                                 "which town held the treasury",  "Dijon or Beaune as residence",
                                                 "ducal palaces and their years", "where the parliament sat",
                                                 "history of the valois court"};
        const auto found = [&](std::string_view rewriter, bool alike) {
            Session s("loop/reworded-search");
            for (std::size_t i = 0; i + 1 < questions.size(); ++i) {
                const std::string of = alike ? "the river" : "river number " + questions[i] + " and its bridges";
                s.call(
                    "retrieve", questions[i],
                    R"([{"id":"doc-1","text":"Paris lies on )" + of + R"("},{"id":"doc-2","text":"Lyon is large"}])");
                s.call("grade_documents", questions[i], R"({"relevant":false,"round":)" + std::to_string(i) + "}");
                s.call(rewriter, questions[i], R"({"question":")" + questions[i + 1] + R"("})");
            }
            return s.end().size();
        };
        CHECK(found("rewrite_query", true) == 1);
        CHECK(found("transform_query", true) == 1);
        CHECK(found("rewrite_query", false) == 0);
        CHECK(found("next_question", true) == 0);  // a list of questions, and few documents
    }

    TEST_CASE("names of arguments are no words of the query, and escapes join none") {
        Session s("loop/reworded-search", {{"warn", "2"}});
        s.call_json("search", "", R"({"query_list":["harbour revenue","report 2019"]})", kAnswer);
        s.call_json("search", "", R"({\"query_list\":[\"report harbour\",\n\"2019\"]})", kAnswer);
        s.call_json("search", "", R"({"queries":["revenue 2019","harbour"]})", kAnswer);
        CHECK(s.end().size() == 1);
    }
}

TEST_SUITE("pages") {
    TEST_CASE(
        "the same documents in another order and with other scores are the same answer; another one among them is "
        "not") {
        const auto found = [](bool alike, std::string_view tool = "wikipedia",
                              std::string_view rule = "loop/known-answers") {
            Session s(rule);
            for (int i = 0; i < 8; ++i) {
                const std::string n = std::to_string(i);
                std::string answer = R"({"latency_ms":4)" + n + R"(,"results":[)";
                for (int k = 0; k < 3; ++k) {
                    const int doc = (i + k) % 3;
                    answer += std::string(k > 0 ? "," : "") + R"({"id":"barn-)" + std::to_string(doc) +
                              R"(","score":0.8)" + n + std::to_string(k) + R"(,"text":"Barn number )" +
                              std::to_string(doc) +
                              " stands by the river and is painted in the colour that its owner likes best; it was " +
                              "built of oak and holds hay, two carts and whatever else the winter asks for" +
                              (alike || k < 2 ? std::string() : " in year " + n) + R"("})";
                }
                s.call(tool, std::string(static_cast<std::size_t>(i + 3), static_cast<char>('a' + i)), answer + "]}");
            }
            return s.end().size();
        };
        CHECK(found(true) == 1);
        CHECK(found(true, "search_kb", "loop/stagnation") == 1);
        CHECK(found(false, "search_kb", "loop/stagnation") == 0);
        CHECK(found(false) == 0);
    }

    TEST_CASE("what documents count is no score, and of long ones the end may tell") {
        const std::string page =
            "The ledger of the mill by the river as the clerk wrote it down in the evening, when the stones stood "
            "still "
            "and the last cart was gone: ";
        std::string book = page;
        while (book.size() < (64u << 10)) book += "page " + std::to_string(book.size()) + " of the ledger; ";
        for (const bool is_long : {false, true}) {
            Session s("loop/known-answers");
            for (int i = 0; i < 8; ++i) {
                const std::string said = is_long ? book + "carts " : page + "open items ";
                s.call("retrieve_documents", std::string(static_cast<std::size_t>(i + 3), static_cast<char>('a' + i)),
                       said + std::to_string(90 - i) + ", and so on");
            }
            CHECK(s.end().empty());
        }
    }

    TEST_CASE("a click that leads to the same page under other advertisements is a repetition") {
        Session s("loop/exact-repeat");
        const char* page =
            "Forum of the millers. Threads about grain, stones, water and sacks. Latest post by Noor. Members online: ";
        for (const char* ad : {"buy boots", "cheap flights", "win a horse"})
            s.call("click", "Post reply", std::string(page) + ad);
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("a click that leads on is none") {
        Session s("loop/exact-repeat");
        for (const char* page : {"First page: quern rynd hopper spindle sluice damsel wallower tentering crown vat",
                                 "Second page: granite basalt marble timber cement gravel copper iron lead zinc",
                                 "Third page: rye barley oats wheat spelt millet maize rice sorghum emmer"}) {
            s.call("click", "Next", page);
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("a click that changes a number or a single word, or adds to the page, changes the page") {
        const std::string page =
            "Hotel of the millers. Choose rooms, breakfast and the day of your arrival. Monday Tuesday Friday Sunday ";
        const char* months[] = {"March", "April", "June", "July", "August", "October", "November"};
        Session calendar("loop/exact-repeat"), cart("loop/exact-repeat"), more("loop/exact-repeat");
        std::string list = page;
        for (int i = 0; i < 7; ++i) {
            calendar.call("click", "Next month", page + months[i]);
            cart.call("click", "plus", page + "Quantity: " + std::to_string(i));
            more.call("click", "Load more", list += " by " + std::string(months[i]));
        }
        CHECK(calendar.end().empty());
        CHECK(cart.end().empty());
        CHECK(more.end().empty());
    }

    TEST_CASE("pages of a few words are equal only byte by byte") {
        Session s("loop/exact-repeat");
        for (const char* page : {"Step one of nine", "Step two of nine", "Step six of nine"})
            s.call("click", "Continue", page);
        CHECK(s.end().empty());
    }

    TEST_CASE("the same documents for one question after the other are no answer, whatever its words; none at all is") {
        const auto findings = [](std::string_view said) {
            Session s("loop/reworded-search");
            for (const char* asked : {"rye quota", "mills abroad", "grain from another valley", "foreign stones",
                                      "overseas flour", "far sluices", "distant carts", "remote barns"})
                s.call("retrieve_documents", asked, said);
            return s.end().size();
        };
        CHECK(
            findings(
                R"([{"doc":"handbook","text":"The mill is open from nine."},{"doc":"keys","text":"Ask the clerk."},{"doc":"carts","text":"Book early."}])") ==
            1);
        CHECK(findings("No results found.") == 0);
    }

    TEST_CASE(
        "documents that were all known before are no answer to new words, the same words with other figures are") {
        constexpr std::array kOrders{"012", "130", "302", "210", "031", "123", "320", "201", "013"};
        constexpr std::array kTitles{"Mills of the river Stort; ", "Harlow (town) in an encyclopedia; ",
                                     "Watermill basics by the trust; ", "Heritage list of Essex; "};
        constexpr std::array kWords{"size", "diameter", "survey", "breastshot", "plan",
                                    "feet", "archive",  "report", "iron"};
        const auto titles = [&](std::string_view order) {
            std::string answer;
            for (const char c : order) answer += kTitles[static_cast<std::size_t>(c - '0')];
            return answer;
        };
        const auto found = [&](std::size_t searches, const auto& answer) {
            Session s("loop/reworded-search");
            for (std::size_t i = 0; i < searches; ++i)
                s.call("web_search", std::string("harlow wheel ") + kWords[i], answer(i));
            return s.end().size();
        };
        CHECK(found(9, [&](std::size_t i) { return titles(kOrders[i]); }) == 1);
        CHECK(found(8, [&](std::size_t i) { return titles(kOrders[i]); }) == 0);
        CHECK(found(9, [&](std::size_t i) { return titles(kOrders[i]) + (i == 5 ? "A miller writes home" : ""); }) ==
              0);
        CHECK(found(9, [&](std::size_t i) {
                  return "The wheel stands " + std::to_string(40 + i * i) + " metres above the sea, says the survey";
              }) == 0);
    }

    TEST_CASE("a page that was read off the screen is another one under another address") {
        const auto findings = [](bool leads_on) {
            Session s("loop/exact-repeat");
            for (int i = 0; i < 7; ++i) {
                const std::string at = leads_on ? std::to_string(i) : "0";
                s.call("click", "Next page",
                       "I clicked 'Next page'. Here is a screenshot of [Ledger](https://mill.example/" + at +
                           "). The viewport shows the whole page. Text was recognised: rye quota of barn " +
                           std::string(1, static_cast<char>('a' + i)));
            }
            return s.end().size();
        };
        CHECK(findings(true) == 0);
        CHECK(findings(false) == 1);
    }
}
