#include "detectors/outcomes/failure_text.hpp"

#include "support/session.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using agent_audit::test::Session;

namespace {

/// Of a text as it was said, or as a JSON string holds it.
std::string_view behind_notices(std::string_view said) {
    const bool escaped = said.find("\\n") != said.npos;
    return agent_audit::detectors::behind_notices(
        {said, escaped ? agent_audit::TextForm::json_string : agent_audit::TextForm::plain});
}

}  // namespace

TEST_SUITE("what a failing command said") {
    TEST_CASE("notices in front do not hide the line that names the error") {
        CHECK(behind_notices(
                  "npm warn config sack\n> mill@1 build\n\nGrinding ...\n[TypeError: grind is not a function]\n") ==
              "[TypeError: grind is not a function]\n");
        CHECK(behind_notices("Exit code 1\\nnpm warn config sack\\nno grain\\nat all") == "no grain\\nat all");
        CHECK(behind_notices("(node:7) Warning: old\nThe barn is shut") == "The barn is shut");
    }

    TEST_CASE("what begins with something else, or says nothing else, stays") {
        for (const char* said : {"Exit code 1\nno grain\nError: late", "> mill@1 build\nError: no grain",
                                 "npm warn config sack\n", "", "\n\n", "no grain\nnpm warn config"}) {
            CAPTURE(said);
            CHECK(behind_notices(said) == said);
        }
    }

    TEST_CASE("a megabyte of line breaks is looked at once") {
        for (const char* line : {"\n", "\\n", "> \n", "npm warn config sack\n"}) {
            CAPTURE(line);
            std::string said;
            while (said.size() < 4u << 20) said += line;
            CHECK(said.ends_with(behind_notices(said)));
        }
    }

    TEST_CASE("the evidence of a failing call says what was wrong") {
        Session s("loop/exact-repeat");
        for (int i = 0; i < 4; ++i)
            s.fails("Bash", "npm run grind",
                    "npm warn Unknown env config \"sack\". This will stop working in the next major version of "
                    "npm.\n[TypeError: grind is not a function]");
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].evidence.back().text == "[TypeError: grind is not a function]");
    }
}
