#include "report/escape/sanitize.hpp"

#include "report/escape/utf8.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace agent_audit::report;

TEST_SUITE("sanitize") {
    TEST_CASE("harmless text of any script stays as it is") {
        for (const char* text : {"plain", "caf\u00e9", "\u6F22\u5B57", "\U0001F469\u200D\U0001F680", "e\u0301"}) {
            CHECK(visible(text) == text);
        }
    }

    TEST_CASE("what moves the cursor, reorders or hides text becomes visible") {
        CHECK(visible("\x1b[2J") == "\\x1b[2J");
        CHECK(visible("a\nb\tc\r") == "a\\nb\\tc\\r");
        CHECK(visible("\u009b31m") == "\\u009b31m");
        CHECK(visible("\x7f") == "\\x7f");
        CHECK(visible("\u202a\u202e\u2066\u2069\u200f") == "\\u202a\\u202e\\u2066\\u2069\\u200f");
        CHECK(visible("\xEF\xBF\xBE \xEF\xBF\xBF \uFFFD") == "\\ufffe \\uffff \uFFFD");
        CHECK(visible("\U000E0041") == "\\U000e0041");
        CHECK(visible(std::string("\0", 1)) == "\\x00");
        CHECK(visible("\xff\xc3") == "\\xff\\xc3");
    }

    TEST_CASE("no random bytes get a control through") {
        std::mt19937 random(7);
        for (int round = 0; round < 2000; ++round) {
            std::string text;
            for (unsigned n = random() % 20; n > 0; --n) text += static_cast<char>(random());
            const std::string shown = visible(text);
            for (std::size_t pos = 0; pos < shown.size();) {
                const CodePoint c = decode_at(shown, pos);
                REQUIRE(c.valid);
                REQUIRE_FALSE(is_treacherous(c.value));
                pos += c.length;
            }
        }
    }

    TEST_CASE("a CI runner finds no command") {
        CHECK(without_ci_commands("::error::x") == ":\u200B:error::x");
        CHECK(without_ci_commands(" \t\u00A0\u3000::set-output") == " \t\u00A0\u3000:\u200B:set-output");
        CHECK(without_ci_commands("a ##[error]b ##[x]") == "a #\u200B#[error]b #\u200B#[x]");
        CHECK(without_ci_commands("###[error]") == "##\u200B#[error]");
        CHECK(without_ci_commands("x ##vso[task.setvariable variable=PATH]/evil ##teamcity[a]") ==
              "x #\u200B#vso[task.setvariable variable=PATH]/evil #\u200B#teamcity[a]");
        CHECK(without_ci_commands("## Heading [link] ##a b[c]") == "## Heading [link] ##a b[c]");
        CHECK(with_escaped_ci_commands("\"##vso[x] ##[y]\"") == "\"##vso\\u005bx] ##\\u005by]\"");
        CHECK(find_ci_command("a ###vso[") == 3);
        CHECK(find_ci_command("a ##vso") == std::string_view::npos);
        CHECK(before_unfinished_command("a ##vs") == 2);
        CHECK(before_unfinished_command("a #") == 2);
        CHECK(before_unfinished_command("##") == 0);
        for (const std::string_view text : {"abc", "a ## b", ""}) CHECK(before_unfinished_command(text) == text.size());
        CHECK(without_ci_commands("std::string a::b") == "std::string a::b");
    }

    TEST_CASE("columns are counted as a terminal shows them") {
        CHECK(column_width("abc") == 3);
        CHECK(column_width("\u6F22\u5B57") == 4);
        CHECK(column_width("e\u0301") == 1);
        CHECK(column_width("\U0001F600") == 2);
        CHECK(column_width("\u2192\u00B7\u2717") == 3);
        CHECK(column_width(U'\u200B') == 0);
    }
}
