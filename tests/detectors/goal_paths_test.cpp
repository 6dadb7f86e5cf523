#include "detectors/speech/goal.hpp"
#include "detectors/speech/goal_terms.hpp"
#include "detectors/speech/remarks.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

std::vector<std::string> scope_after(std::initializer_list<std::string_view> messages) {
    GoalModel goal;
    std::uint64_t line = 0;
    for (const std::string_view message : messages) goal.hear(human_text({message, TextForm::plain}, ++line));
    return goal.paths();
}

using Paths = std::vector<std::string>;

}  // namespace

TEST_SUITE("files of a goal") {
    TEST_CASE("files that later messages name are in scope as well") {
        CHECK(scope_after({"update guide.md in the docs", "and mention the proxy in setup.md, with an example"}) ==
              Paths{"guide.md", "setup.md"});
    }

    TEST_CASE("which message stated a rule, and which one spoke of it, is known where all stand in one record") {
        GoalModel goal;
        goal.hear(human_text({"Fix the barn. Don't change the tests.", TextForm::plain}, 1));
        CHECK(goal.ruled());
        REQUIRE(goal.constraints().size() == 1);
        CHECK(goal.constraints()[0].spoken_of == 0);
        goal.hear(human_text({"the tests are failing now", TextForm::plain}, 1));
        CHECK_FALSE(goal.ruled());
        CHECK(goal.constraints()[0].spoken_of == 1);
    }

    TEST_CASE("a message of few words that names a file widens the scope too") {
        CHECK(scope_after({"update guide.md in the docs", "also update setup.md please"}) ==
              Paths{"guide.md", "setup.md"});
        CHECK(scope_after({"update guide.md in the docs", "ok, continue"}) == Paths{"guide.md"});
    }

    TEST_CASE("what stands in angle brackets is no file, unless it has folders") {
        CHECK(
            scope_after({"<uploaded_files>\n/srv/app\n</uploaded_files>\nFix what <issue_text> says.</issue_text>"}) ==
            Paths{"/srv/app"});
        CHECK(scope_after({"run it as tool <filename.c> and then <br/> fix src/tool.c"}) == Paths{"src/tool.c"});
        CHECK(scope_after({"fix <src/tool.c>"}) == Paths{"src/tool.c"});
        CHECK(scope_after({"fix it where a<b.c is compared"}) == Paths{"b.c"});
    }

    TEST_CASE("a greeting is not what a session is for") {
        for (const std::string_view greeting : {"hi", "Hello!", "hola", "Hallo", "你好", "안녕", "하이", "good morning",
                                                "hey claude 👋", "Guten Morgen!"}) {
            CAPTURE(greeting);
            GoalModel goal;
            goal.hear(human_text({greeting, TextForm::plain}, 1));
            CHECK(goal.only_greeted());
            CHECK(goal.line() == 1);  // alone it is all there is
            goal.hear(human_text({"add a login page in site.html", TextForm::plain}, 2));
            CHECK_FALSE(goal.only_greeted());
            CHECK(goal.words_of_goal() == "add a login page in site.html");
            CHECK(goal.paths() == Paths{"site.html"});
            CHECK(goal.messages() == 2);
            GoalTerms terms;
            terms.hear(greeting, 1);
            terms.hear("add a login page", 2);
            terms.hear("with a captcha", 3);
            SessionGoal told;
            terms.tell(told);
            CHECK(told.text == "add a login page");
            CHECK(told.line == 2);
        }
        for (const std::string_view more : {"hi, add a login page", "hello world program please", "himmel", "good",
                                            "hey, jude.py fails", "你好世界"}) {
            CAPTURE(more);
            CHECK_FALSE(is_greeting(more));
        }
        CHECK_FALSE(is_greeting(""));
        CHECK_FALSE(is_greeting("!"));
    }

    TEST_CASE("what was cut of a request or a rule says so: a secret may go on behind the cut") {
        const std::string said =
            "do not change src/harbour.c " + std::string(70, 'x') + " " + std::string(70, 'y') + " z";
        GoalModel goal;
        goal.hear(human_text({said, TextForm::plain}, 1));
        CHECK(goal.words_of_goal().ends_with("\xE2\x80\xA6"));
        CHECK(goal.latest().ends_with("\xE2\x80\xA6"));
        REQUIRE_FALSE(goal.constraints().empty());
        CHECK(goal.constraints().front().told().ends_with("\xE2\x80\xA6"));
        GoalModel brief;
        brief.hear(human_text({"do not change src/harbour.c", TextForm::plain}, 1));
        REQUIRE_FALSE(brief.constraints().empty());
        CHECK(brief.constraints().front().told() == brief.constraints().front().sentence);
    }

    TEST_CASE("the latest request is the last message that asks for something") {
        GoalModel goal;
        goal.hear(human_text({"build the site for the harbour", TextForm::plain}, 1));
        goal.hear(human_text({"use the blue theme of the old harbour site", TextForm::plain}, 2));
        goal.hear(human_text({"how would we get that PAT?", TextForm::plain}, 3));
        CHECK(goal.latest() == "how would we get that PAT?");
        for (const std::string_view remark : {"yes", "ok, go on", "thanks!", "continue with that please"})
            goal.hear(human_text({remark, TextForm::plain}, 4));
        HumanText reason = human_text({"use the table of harbours instead of this", TextForm::plain}, 5);
        reason.reason = true;
        goal.hear(reason);
        CHECK(goal.latest_line() == 3);
        CHECK(goal.messages() == 7);  // without the reason of a refusal
    }

    TEST_CASE("work without a file opens the scope, and a file named in passing does not close it") {
        CHECK(scope_after({"update guide.md in the docs", "now make the importer resume broken downloads"}).empty());
        CHECK(scope_after({"make the importer resume broken downloads", "also update setup.md please"}).empty());
    }
}
