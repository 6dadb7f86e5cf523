#include "detectors/commands/file_touch.hpp"

#include "detectors/commands/text_change.hpp"

#include <agent_audit/support/hash.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

FileTouch touch(ToolClass tool_class, std::string_view args, TextForm form = TextForm::json_value) {
    return touch_of({}, tool_class, {args, form}, {});
}
FileTouch edit(std::string_view args) { return touch(ToolClass::mutate, args); }
FileTouch read(std::string_view args) { return touch(ToolClass::read, args); }

FileTouch shell(ToolClass tool_class, std::string_view command, TextForm form = TextForm::plain) {
    return touch_of({ToolClass::shell, true, false, false}, tool_class, {}, {command, form});
}
FileTouch shell_read(std::string_view command) { return shell(ToolClass::read, command); }

}  // namespace

TEST_SUITE("file touch: which file") {
    TEST_CASE("a path is the same file under whatever name the argument has and with ./ and // in it") {
        const std::uint64_t file = edit(R"({"file_path":"src/a.py","old_string":"x","new_string":"y"})").file;
        REQUIRE(file != 0);
        CHECK(edit(R"({"path":"./src//a.py","old_str":"x","new_str":"y"})").file == file);
        CHECK(edit(R"({ "newText" : "y", "oldText" : "x", "targetFile" : "src/./a.py" })").file == file);
        CHECK(edit(R"({"path":"src/b.py","old_str":"x","new_str":"y"})").file != file);
    }

    TEST_CASE("the same relative path in two working directories is two files") {
        const auto a = read(R"({"path":"a.py","workdir":"/one","limit":5})");
        const auto b = read(R"({"path":"a.py","workdir":"/two","limit":5})");
        CHECK(a.file != b.file);
        const auto c = read(R"({"path":"/a.py","workdir":"/one","limit":5})");
        REQUIRE(c.file != 0);
        CHECK(c.file == read(R"({"path":"/a.py","workdir":"/two","limit":5})").file);
    }

    TEST_CASE("several files in one call are no single file") {
        CHECK(read(R"({"files":[{"path":"a"},{"path":"b"}]})").file == 0);
        CHECK(read(R"({"files":[{"path":"a","line_ranges":["10-20"]}]})").first_line == 10);
    }

    TEST_CASE("a redacted path names no file") { CHECK(read(R"({"path":"/home/REDACTED.ts"})").file == 0); }

    TEST_CASE("only reads and mutations are looked at") {
        CHECK(touch(ToolClass::search, R"({"path":"a"})").file == 0);
        CHECK(touch(ToolClass::verify, R"({"path":"a"})").file == 0);
    }
}

TEST_SUITE("file touch: edits") {
    TEST_CASE("an edit and its inverse have before and after swapped, whatever the tool calls them") {
        const auto there = edit(R"({"file_path":"a","old_string":"x = 1","new_string":"x = 2"})");
        const auto back = edit(R"({"path":"a","new_str":"x = 1","old_str":"x = 2"})");
        CHECK(there.before == back.after);
        CHECK(there.after == back.before);
        CHECK(there.before != there.after);
        CHECK(there.pieces == 1);
    }

    TEST_CASE("lines that both texts share are not part of the change, and are its neighbours") {
        const auto t = edit(
            R"({"path":"a","old_string":"def grind():\n    x = 1\n    return flour","new_string":"def grind():\n    x = 2\n    y = 3\n    return flour"})");
        CHECK(t.before_lines == 1);
        CHECK(t.after_lines == 2);
        CHECK(t.above == stable_hash("def grind():"));
        CHECK(t.below == stable_hash("return flour"));
        CHECK(t.removed == stable_hash("    x = 1"));
        // The same change quoted with less around it.
        CHECK(edit(R"({"path":"a","old_string":"    x = 1","new_string":"    x = 9"})").removed == t.removed);
    }

    TEST_CASE("an insertion takes nothing away, wherever the quoted line stands") {
        for (const char* args : {R"({"path":"a","old_string":"first line","new_string":"first line\nsecond line"})",
                                 R"({"path":"a","old_string":"one\nthree","new_string":"one\ntwo\nthree"})",
                                 R"({"path":"a","insert_line":7,"new_str":"two"})"}) {
            CAPTURE(args);
            const auto t = edit(args);
            CHECK(t.before_lines == 0);
            CHECK(t.removed == 0);
            CHECK(t.after_lines == 1);
        }
        CHECK(edit(R"({"path":"a","insert_line":7,"new_str":"two"})").first_line == 8);
    }

    TEST_CASE("an escaped backslash before an n is no line end") {
        const auto t = edit(R"x({"path":"a","old_string":"print('\\n')","new_string":"print('\\n\\n')"})x");
        CHECK(t.before_lines == 1);
        CHECK(t.after_lines == 1);
    }

    TEST_CASE("a list of edits is one change in several places") {
        const auto t = edit(
            R"({"file_path":"a","edits":[{"old_string":"a","new_string":"b"},{"old_string":"c","new_string":"d"}]})");
        CHECK(t.pieces == 2);
        const auto one = edit(R"({"edits":[{"oldText":"a","newText":"b"}],"path":"a"})");
        CHECK(one.pieces == 1);
        CHECK(one.before == edit(R"({"path":"a","old_string":"a","new_string":"b"})").before);
    }

    TEST_CASE("replacing everywhere is not one place") {
        CHECK(edit(R"({"path":"a","old_string":"a","new_string":"b","replace_all":true})").pieces == 2);
        CHECK(edit(R"({"path":"a","old_string":"a","new_string":"b","replace_all":false})").pieces == 1);
    }

    TEST_CASE("a whole write is known by its content") {
        const auto a = edit(R"({"file_path":"a","content":"one\ntwo"})");
        CHECK(a.whole_file);
        CHECK(a.before == 0);
        CHECK(a.after == edit(R"({"path":"a","file_text":"one\ntwo"})").after);
        CHECK(a.after != edit(R"({"path":"a","file_text":"one\nthree"})").after);
    }

    TEST_CASE("text that was cut out of the recording is unknown") {
        const auto t = edit(R"({"path":"a","content":"[content elided]"})");
        CHECK(t.file != 0);
        CHECK(t.after == 0);
        CHECK(edit(R"({"path":"a","old_string":"[REDACTED]","new_string":"[REDACTED]"})").before == 0);
    }

    TEST_CASE("half an edit is an unknown change") {
        const auto t = edit(R"({"path":"a","oldText":"x"})");
        CHECK(t.file != 0);
        CHECK(t.after == 0);
        CHECK(t.pieces == 0);
    }

    TEST_CASE("a string with escaped quotes and braces ends where it ends") {
        const auto t = edit(R"({"content":"{\"path\":\"no\",\\","path":"yes"})");
        CHECK(t.file == file_hash("yes"));
    }

    TEST_CASE("what is not JSON to the end is read as far as it goes") {
        for (const char* args : {"{", "{\"", "{\"path", "{\"path\"", "{\"path\":", "{\"path\":\"a", "{\"path\":\"a\\",
                                 "[", "\"", "{]", "{\"a\":[[[[[[[[[[[["}) {
            CAPTURE(args);
            CHECK(edit(args).file == 0);
        }
        CHECK(edit(R"({"path":"a","x":)").file == file_hash("a"));
    }
}

TEST_SUITE("file touch: patches") {
    TEST_CASE("a patch in the argument text names its file, counts lines, and knows its neighbours") {
        const auto t = touch(ToolClass::mutate,
                             "*** Begin Patch\\n*** Update File: src/mill.py\\n@@ def grind():\\n     stones = 2\\n-   "
                             " return 4\\n+    return 5\\n+    # five\\n*** End Patch",
                             TextForm::json_string);
        CHECK(t.file == file_hash("src/mill.py"));
        CHECK(t.before_lines == 1);
        CHECK(t.after_lines == 2);
        CHECK(t.pieces == 1);
        CHECK(t.above == stable_hash("stones = 2"));
    }

    TEST_CASE("a patch and its inverse have before and after swapped") {
        const auto patch = [](std::string_view minus, std::string_view plus) {
            return touch(ToolClass::mutate,
                         "*** Begin Patch\n*** Update File: a\n@@\n ctx\n-" + std::string(minus) + "\n+" +
                             std::string(plus) + "\n*** End Patch\n",
                         TextForm::plain);
        };
        CHECK(patch("one", "two").before == patch("two", "one").after);
        CHECK(patch("one", "two").before != patch("two", "one").before);
    }

    TEST_CASE("a unified diff gives the line of the change") {
        const auto t = edit(
            R"({"patch":"--- a/mill.py\n+++ b/mill.py\n@@ -38,7 +40,7 @@ def grind():\n one\n two\n three\n-four\n+five\n six\n"})");
        CHECK(t.file == file_hash("mill.py"));
        CHECK(t.first_line == 43);
    }

    TEST_CASE("a patch of several files is no single file") {
        CHECK(touch(ToolClass::mutate,
                    "*** Begin Patch\n*** Update File: a\n@@\n-1\n+2\n*** Update File: b\n@@\n-1\n+2\n*** End Patch",
                    TextForm::plain)
                  .file == 0);
    }

    TEST_CASE("search and replace blocks are edits") {
        const auto t = edit(
            R"({"path":"a","diff":"<<<<<<< SEARCH\n:start_line:12\n-------\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE"})");
        CHECK(t.first_line == 12);
        CHECK(t.before_lines == 1);
        CHECK(t.pieces == 1);
    }

    TEST_CASE("an inline patch and a here-document of the shell change a file") {
        CHECK(shell(ToolClass::mutate,
                    "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a\n@@\n-1\n+2\n*** End Patch\nEOF")
                  .file == file_hash("a"));
        const auto t = shell(ToolClass::mutate, R"(cat > a.py <<'EOF'\nprint(1)\nEOF)", TextForm::json_string);
        CHECK(t.file == file_hash("a.py"));
        CHECK(t.whole_file);
        CHECK(t.after == shell(ToolClass::mutate, R"(cat <<'EOF' > a.py\nprint(1)\nEOF)", TextForm::json_string).after);
        CHECK(shell(ToolClass::mutate, "cat >> a.py <<'EOF'\nprint(1)\nEOF").file == 0);
    }
}

TEST_SUITE("file touch: reads") {
    TEST_CASE("line ranges come in many shapes") {
        for (const char* args :
             {R"({"path":"a","offset":11,"limit":10})", R"({"path":"a","start_line":11,"end_line":20})",
              R"({"path":"a","view_range":[11,20]})", R"({"path":"a","lines":"11-20"})",
              R"({"path":"a","offset":"11","limit":"10"})", R"({"path":"a","line_offset":11,"n_lines":10})",
              R"({"path":"a","start_line_one_indexed":11,"end_line_one_indexed_inclusive":20})"}) {
            CAPTURE(args);
            const auto t = read(args);
            CHECK(t.first_line == 11);
            CHECK(t.line_count == 10);
            CHECK_FALSE(t.whole_file);
        }
    }

    TEST_CASE("lines that stand behind the name of the file are no part of it") {
        const FileTouch named = read(R"({"path":"/src/a.ts","offset":10,"limit":11})");
        for (const char* args : {R"({"path":"/src/a.ts:10-20"})", R"({"file_path":"/src/a.ts:10+11"})",
                                 R"({"path":"C:\\src\\a.ts:10-20"})"}) {
            CAPTURE(args);
            const FileTouch part = read(args);
            CHECK(part.first_line == 10);
            CHECK(part.line_count == 11);
            CHECK_FALSE(part.whole_file);
        }
        CHECK(read(R"({"path":"/src/a.ts:10-20"})").file == named.file);
        CHECK(read(R"({"path":"/src/a.ts:7"})").line_count == 1);
        const FileTouch to_the_end = read(R"({"path":"/src/a.ts:10-"})");
        CHECK(to_the_end.first_line == 10);
        CHECK(to_the_end.line_count == 0);
        CHECK(read(R"({"path":"/src/a.ts:1-5,9-12"})").first_line == 0);
        CHECK_FALSE(read(R"({"path":"/src/a.ts:1-5,9-12"})").whole_file);
        CHECK(read(R"({"path":"/src/a.ts:1-5,9-12"})").file == named.file);
        CHECK(touch_of({}, ToolClass::read, {"/src/a.ts:10-20", TextForm::plain}, {}).file == named.file);
        // What is written is a file of that name.
        CHECK(edit(R"({"path":"/src/a.ts:10","old_string":"x","new_string":"y"})").file != named.file);
    }

    TEST_CASE("a read without a range is not looked at; one from the end has no known lines") {
        CHECK(read(R"({"path":"a"})").file == 0);
        CHECK(read(R"({"path":"a","view_range":[11,-1]})").line_count == 0);
        CHECK(read(R"({"path":"a","offset":-50})").first_line == 0);
    }

    TEST_CASE("a read to the end is as long as its answer") {
        auto t = read(R"({"path":"a","offset":100})");
        refine_touch(t, ToolClass::read, {"one\\ntwo\\nthree", TextForm::json_string});
        CHECK(t.line_count == 3);
    }

    TEST_CASE("pagers of the shell are ranged reads") {
        struct Case {
            const char* command;
            std::uint32_t first, count;
        };
        for (const Case& c : {Case{"sed -n 10,20p a", 10, 11},
                              {"sed -n '10,20p' a", 10, 11},
                              {"sed -n \"10,20p;21q\" a", 10, 11},
                              {"sed -n '5,$p' a", 5, 0},
                              {"sed -n 7p a", 7, 1},
                              {"head -n 50 a", 1, 50},
                              {"head -50 a", 1, 50},
                              {"head a", 1, 10},
                              {"tail -n +200 a", 200, 0},
                              {"cat a | head -30", 1, 30},
                              {"cat -n a | sed -n 10,20p", 10, 11},
                              {"nl -ba a | sed -n '10,20p'", 10, 11},
                              {"tail -n +200 a | head -n 20", 200, 20},
                              {"sed -n 10,400p a 2>/dev/null | head -5", 10, 5},
                              {"echo x && sed -n 10,20p a", 10, 11}}) {
            CAPTURE(c.command);
            const auto t = shell_read(c.command);
            CHECK(t.file == file_hash("a"));
            CHECK(t.first_line == c.first);
            CHECK(t.line_count == c.count);
        }
        CHECK(shell_read("cat a").file == 0);
        CHECK(shell_read("tail -n 50 a").first_line == 0);
        CHECK(shell_read("tail -n 50 a").file == file_hash("a"));
        CHECK(shell_read("cd x && head a").file != shell_read("cd y && head a").file);
        CHECK(shell(ToolClass::read, R"(sed -n \"10,20p\" a)", TextForm::json_string).first_line == 10);
    }

    TEST_CASE("what only a shell understands is nothing") {
        for (const char* command : {"cat a b", "cat *.py", "cat $F", "cat a && cat b", "sed -n '1,5p;9,12p' a | wc -l",
                                    "sed 's/a/b/' a", "cat \"a", "cat a > b", "cat <(ls)", "cat `ls`", "ls",
                                    "head -c 100 a", "tail -f a", "", "|", "cat a | sort", "sed -n 20,10p a"}) {
            CAPTURE(command);
            CHECK(shell_read(command).file == 0);
        }
    }
}

TEST_SUITE("file touch: answers") {
    TEST_CASE("a numbered snippet in the answer says where the change is") {
        auto t = edit(R"({"path":"a","old_string":"x","new_string":"y"})");
        refine_touch(
            t, ToolClass::mutate,
            {"Edited a, 3 failing before:\n    36\tone\n    37\ttwo\n    38\ty\n    39\tfour\n    40\tfive\nDone.",
             TextForm::plain});
        CHECK(t.first_line == 38);
    }

    TEST_CASE("a hunk header in the answer does too") {
        auto t = edit(R"({"path":"a","old_string":"x","new_string":"y"})");
        refine_touch(t, ToolClass::mutate, {"updated\\n@@ -10,3 +12,4 @@\\n+y", TextForm::json_string});
        CHECK(t.first_line == 12);
    }

    TEST_CASE("a single number in an answer is no line") {
        auto t = edit(R"({"path":"a","old_string":"x","new_string":"y"})");
        refine_touch(t, ToolClass::mutate, {"1: replaced\nnothing else", TextForm::plain});
        CHECK(t.first_line == 0);
    }
}
