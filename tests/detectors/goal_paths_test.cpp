#include "detectors/engine/goal.hpp"

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

    TEST_CASE("a message of few words that names a file widens the scope too") {
        CHECK(scope_after({"update guide.md in the docs", "also update setup.md please"}) == Paths{"guide.md", "setup.md"});
        CHECK(scope_after({"update guide.md in the docs", "ok, continue"}) == Paths{"guide.md"});
    }

    TEST_CASE("what stands in angle brackets is no file, unless it has folders") {
        CHECK(scope_after({"<uploaded_files>\n/work/app\n</uploaded_files>\nFix what <issue_text> says.</issue_text>"}) == Paths{"/work/app"});
        CHECK(scope_after({"run it as tool <filename.c> and then <br/> fix src/tool.c"}) == Paths{"src/tool.c"});
        CHECK(scope_after({"fix <src/tool.c>"}) == Paths{"src/tool.c"});
        CHECK(scope_after({"fix it where a<b.c is compared"}) == Paths{"b.c"});
    }

    TEST_CASE("work without a file opens the scope, and a file named in passing does not close it") {
        CHECK(scope_after({"update guide.md in the docs", "now make the importer resume broken downloads"}).empty());
        CHECK(scope_after({"make the importer resume broken downloads", "also update setup.md please"}).empty());
    }
}
