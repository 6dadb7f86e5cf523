#include "report/text/layout.hpp"

#include "report/words/human.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace agent_audit;
using namespace agent_audit::report;

using Lines = std::vector<std::string>;

TEST_SUITE("layout") {
    TEST_CASE("text breaks at blanks and long words break anywhere") {
        CHECK(wrap("one two three", 8) == Lines{"one two", "three"});
        CHECK(wrap("abcdefghij", 4) == Lines{"abcd", "efgh", "ij"});
        CHECK(wrap("", 4) == Lines{""});
        CHECK(wrap("one two three", 0) == Lines{"one two three"});
    }

    TEST_CASE("a figure stays with its unit") {
        CHECK(wrap("tool results 54 %, text", 15) == std::vector<std::string>{"tool results", "54 %, text"});
        CHECK(wrap("(it took 12.6 M tokens)", 14) == std::vector<std::string>{"(it took", "12.6 M tokens)"});
        CHECK(wrap("the file has 40.9 kB", 18) == std::vector<std::string>{"the file has", "40.9 kB"});
        CHECK(wrap("there are 2 k and a", 11) == std::vector<std::string>{"there are", "2 k and a"});
        CHECK(wrap("we saw all 3 Makefiles", 13) == std::vector<std::string>{"we saw all 3", "Makefiles"});
        CHECK(wrap("12345678 %", 9) == std::vector<std::string>{"12345678", "%"});
    }

    TEST_CASE("a column that keeps its end is cut in front and not wrapped") {
        for (const bool keeps_end : {false, true}) {
            std::string out;
            const ByteSink sink = [&](std::string_view bytes) {
                out += bytes;
                return true;
            };
            const RenderOptions options{.width = 20, .unicode = false};
            Page page(options, sink);
            Table table({{"name", 0, false, keeps_end}, {"n"}});
            table.row({"abcdefghijklmnopqrstuvwxyz", "7"});
            table.draw(page, 2);
            page.flush();
            CAPTURE(out);
            CHECK((out.find("  ..nopqrstuvwxyz  7\n") != out.npos) == keeps_end);
            CHECK(std::count(out.begin(), out.end(), '\n') == (keeps_end ? 2 : 3));
        }
    }

    TEST_CASE("a column goes before a name in the first one is broken that is not very long") {
        const auto drawn = [](const std::string& name) {
            std::string out;
            const ByteSink sink = [&](std::string_view bytes) {
                out += bytes;
                return true;
            };
            const RenderOptions options{.width = 36};
            Page page(options, sink);
            Table table({{"name", 0, false}, {"kept"}, {"may go", 1}});
            table.row({name, "7", "8"});
            table.draw(page, 0);
            page.flush();
            return out;
        };
        const std::string fits(25, 'a'), longer(33, 'a');
        CHECK(drawn(fits) == "name" + std::string(23, ' ') + "kept\n" + fits + "     7\n");
        CHECK(drawn(longer).find("may go") != std::string::npos);
        CHECK(drawn("two words of the same length").find("may go") != std::string::npos);
    }

    TEST_CASE("no row of a table ends in blanks") {
        std::string out;
        const RenderOptions options{.width = 60};
        const ByteSink sink = [&out](std::string_view bytes) {
            out += bytes;
            return true;
        };
        Page page(options, sink);
        Table table({{"name", 0, false}, {"taken", 0, false}, {"cost"}});
        table.row({"a", "interval", "$1.00"});
        table.row({"b", "asked", ""});
        table.draw(page, 2);
        page.flush();
        CHECK(out.find(" \n") == std::string::npos);
        CHECK(out.find("  b     asked\n") != std::string::npos);
    }

    TEST_CASE("a name stays in one piece, and loses its beginning where a line is too short for it") {
        std::string out;
        const ByteSink sink = [&](std::string_view bytes) {
            out += bytes;
            return true;
        };
        const RenderOptions options{.width = 20};
        const std::string name = "logs/a-long-name-of-a-recording.jsonl";
        {
            Page page(options, sink);
            page.heading({{name}, {"pi session 1"}});
            page.labelled_name(2, 4, "bad", "", name + ":7", " cut: half a line");
            page.labelled_name(2, 4, "turn", "9 tokens, ", name, ", sub-agent 2");
            page.labelled_name(2, 4, "turn", "9, ", "a.b", "");
        }
        CHECK(out == name + "\n  pi session 1\n  bad   \u2026" + name.substr(name.size() - 17) +
                         ":7\n        cut: half a\n        line\n  turn  9 tokens,\n        \u2026" +
                         name.substr(name.size() - 19) + "\n        sub-agent 2\n  turn  9, a.b\n");
    }

    TEST_CASE("wide characters are never cut in half") {
        CHECK(wrap("\u6F22\u5B57\u6F22", 3) == Lines{"\u6F22", "\u5B57", "\u6F22"});
        CHECK(wrap("\u6F22", 1) == Lines{"\u6F22"});  // progress even where nothing fits
    }

    TEST_CASE("numbers are written for people") {
        CHECK(thousands(0) == "0");
        CHECK(thousands(999) == "999");
        CHECK(thousands(1'204'331) == "1,204,331");
        CHECK(short_count(9'999) == "9,999");
        CHECK(short_count(812'345) == "812 k");
        CHECK(short_count(999'999) == "1.0 M");
        CHECK(short_count(4'100'000) == "4.1 M");
        CHECK(byte_size(1) == "1 byte");
        CHECK(byte_size(1'200'000) == "1.2 MB");
        CHECK(money(3'200'000) == "$3.20");
        CHECK(money(1'234'567'890'000) == "$1,234,567.89");
        CHECK(money(4'200) == "$0.0042");
        CHECK(duration_words(119'999) == "119 s");
        CHECK(duration_words(120'000) == "2 min");
        CHECK(duration_words(109'860'000) == "30 h 31 min");
        CHECK(duration_words(200'000'000) == "2 days");
        CHECK(percent(0) == "0 %");
        CHECK(percent(0.001) == "<1 %");
        CHECK(percent(0.005) == "1 %");
        CHECK(money(50) == "$0.0001");
        CHECK(money(49) == "<$0.0001");
        CHECK(count_of(1, "session") == "1 session");
        CHECK(count_of(2000, "entry", "entries") == "2,000 entries");
        CHECK(percent(0.999) == "99 %");
        CHECK(percent(1.0) == "100 %");
    }
}
