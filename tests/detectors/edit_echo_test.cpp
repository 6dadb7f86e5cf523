#include "detectors/commands/edit_echo.hpp"

#include "detectors/outcomes/outcome.hpp"
#include "support/session.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace agent_audit;
using agent_audit::detectors::EditOrders;
using agent_audit::detectors::without_echo;
using agent_audit::test::Session;

namespace {

constexpr std::string_view kEditor = "str_replace_editor";

std::string order(const std::string& path, const std::string& old_text) {
    return R"({"command":"str_replace","path":")" + path + R"(","old_str":")" + old_text + R"(","new_str":"pass"})";
}

// What is left of an error when the old text was this one.
std::string left_of(const std::string& before, const std::string& old_text, const std::string& after) {
    return without_echo(before + old_text + after, order("/farm/barn.py", old_text), "/farm/barn.py");
}

std::size_t found(Session& s) { return s.end().size(); }

}  // namespace

TEST_SUITE("what an error repeats of the edit") {
    TEST_CASE("a value, a line or a long stretch gives way to a mark, the words around it stay") {
        const std::string told = left_of("no match for `", "grain = 3", "` in /farm/barn.py");
        CHECK(told == "no match for `\x03` in /farm/barn.py");
        CHECK(left_of("no match for `", "def fill(sack):\\n    return sack", "` in /farm/barn.py") == told);
        CHECK(left_of("String not found.\\nString: ", "def fill(sack):\\n    return sack\\n", "") ==
              "String not found.\\nString: \x03");
        for (const char* old_text : {"return sack", "    return sack", "\\treturn sack", "\\n  return sack"}) {
            CAPTURE(old_text);
            CHECK(left_of("String not found.\\nString: ", old_text, "</error>") ==
                  "String not found.\\nString: \x03</error>");
        }
        const std::string patch = R"({"patch":"*** Update File: barn.py\n@@\n def fill(sack):\n-    sack += 1\n }\n"})";
        CHECK(without_echo("expected lines are missing:\\ndef fill(sack):\\n    sack += 1\\n}", patch, {}) ==
              "expected lines are missing:\\n\x03");
    }

    TEST_CASE("names of files, single words and what the call did not say stay") {
        const auto same = [](std::string_view error, const std::string& args, std::string_view path) {
            return without_echo(error, args, path) == error;
        };
        CHECK(same("File /farm/barn.py not found", order("/farm/barn.py", "a b"), "/farm/barn.py"));
        CHECK(same("File /farm/old barn/the long one.py not found", order("/farm/old barn/the long one.py", "a b"),
                   "/farm/old barn/the long one.py"));
        CHECK(same("no match for `grain`", order("/farm/barn.py", "grain"), "/farm/barn.py"));
        CHECK(same("undefined name in line 3: sack = grain", order("/farm/barn.py", "x = 1"), "/farm/barn.py"));
        CHECK(same("", order("/farm/barn.py", "x = 1"), "/farm/barn.py"));
        CHECK(same("no match for `x = 1`", "", "/farm/barn.py"));
    }

    TEST_CASE("orders are kept until some more are given") {
        EditOrders orders;
        CHECK(orders.of(7).empty());
        for (std::uint64_t seq = 1; seq <= 20; ++seq)
            orders.keep(seq, {"order " + std::to_string(seq), TextForm::plain});
        CHECK(orders.of(20) == "order 20");
        CHECK(orders.of(1).empty());
    }

    TEST_CASE("refused edits that quote another old text each time fail alike") {
        Session s("loop/same-error");
        for (int i = 0; i < 6; ++i) {
            const std::string old_text = "sack" + std::string(1, static_cast<char>('a' + i)) + " = grain";
            s.call_json(
                kEditor, "/farm/barn.py", order("/farm/barn.py", old_text),
                "No replacement was performed, old_str `" + old_text + "` did not appear verbatim in /farm/barn.py.",
                ResultStatus::error);
        }
        const auto& told = s.end();
        REQUIRE(told.size() == 1);
        CHECK(told[0].severity == Severity::error);
        CHECK(told[0].repeats == 6);
    }

    TEST_CASE("edits that are refused for other reasons, or of files that are not there, do not") {
        Session reasons("loop/same-error"), files("loop/same-error");
        for (int i = 0; i < 6; ++i) {
            const std::string letter(1, static_cast<char>('a' + i));
            const std::string path = "/farm/" + letter + ".py";
            reasons.call_json(kEditor, "/farm/barn.py", order("/farm/barn.py", "x = grain"),
                              "`x = grain` breaks rule " + letter, ResultStatus::error);
            files.call_json(kEditor, path, order(path, "x = grain"), "The path " + path + " does not exist",
                            ResultStatus::error);
        }
        CHECK(found(reasons) == 0);
        CHECK(found(files) == 0);
    }
}

TEST_SUITE("loop/same-error of edits") {
    TEST_CASE("an editor that shows the file or inserts a line has not replaced anything") {
        Session shown("loop/same-error"), inserted("loop/same-error"), replaced("loop/same-error");
        const auto refused = [](Session& s, int i) {
            const std::string old_text = "sack = grain + " + std::to_string(i);
            s.call_json(kEditor, "/farm/barn.py", order("/farm/barn.py", old_text),
                        "old_str `" + old_text + "` did not appear", ResultStatus::error);
        };
        for (int i = 0; i < 5; ++i) {
            const std::string n = std::to_string(i);
            refused(shown, i);
            shown.call_json(kEditor, "/farm/barn.py",
                            R"({"command":"view","path":"/farm/barn.py","view_range":[)" + n + "," + n + "5]}",
                            "text " + n);
            refused(inserted, i);
            inserted.call_json(kEditor, "/farm/barn.py",
                               R"({"command":"insert","path":"/farm/barn.py","insert_line":)" + n +
                                   R"(,"new_str":"grain )" + n + "\"}",
                               "edited " + n);
            refused(replaced, i);
            replaced.call_json(kEditor, "/farm/barn.py", order("/farm/barn.py", "old " + n), "edited " + n);
        }
        CHECK(found(shown) == 1);
        CHECK(found(inserted) == 1);
        CHECK(found(replaced) == 0);
    }

    TEST_CASE("several edit tools that are refused alike on one file fail together") {
        const auto session = [](const char* second, int times, bool written) {
            Session s("loop/same-error");
            const auto edit = [&](std::string_view tool, const std::string& path, std::string_view answer,
                                  ResultStatus status) {
                s.call_json(tool, path,
                            R"({"file_path":")" + path + R"(","old_string":"x","new_string":")" +
                                std::to_string(s.line()) + "\"}",
                            answer, status);
            };
            constexpr std::string_view kUnread = "File has not been read yet. Read it first before writing to it.";
            for (int i = 0; i < times; ++i) {
                edit("Edit", "/farm/barn.py", kUnread, ResultStatus::error);
                edit("MultiEdit", second, kUnread, ResultStatus::error);
                if (written) edit("Write", "/farm/barn.py", "updated", ResultStatus::ok);
            }
            return s.end().size();
        };
        CHECK(session("/farm/barn.py", 2, false) == 1);
        CHECK(session("/farm/barn.py", 1, false) == 0);
        CHECK(session("/farm/barn.py", 4, true) == 0);
        CHECK(session("/farm/mill.py", 2, false) == 0);
    }
}
