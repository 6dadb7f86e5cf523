#include "readers/input_support.hpp"
#include "readers/tar_writer.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

using namespace agent_audit;
using agent_audit::test::TempDir;
using PathList = std::vector<std::string>;

namespace {

/// What is left of a list of paths that were found below a folder.
PathList left_of(const std::string& folder, const PathList& below, const std::string& pattern) {
    const std::vector<std::string> patterns{pattern};
    PathList left;
    for (const std::string& path : below) {
        const std::string whole = folder.empty() ? path : folder + "/" + path;
        const std::size_t length = folder.empty() ? 0 : folder.size() + 1;
        if (!is_left_out(whole, length, patterns)) left.push_back(path);
    }
    return left;
}

}  // namespace

TEST_SUITE("input: what is left out") {
    TEST_CASE("patterns mean what they mean in .gitignore") {
        const PathList all{"a.jsonl", "b.bak.jsonl", "sub/a.jsonl", "sub/deep/c.jsonl", "x/sub/d.jsonl", ".h/e.jsonl"};
        struct Case {
            const char* pattern;
            PathList left;
        };
        const Case cases[] = {
            {"*.bak.jsonl", {"a.jsonl", "sub/a.jsonl", "sub/deep/c.jsonl", "x/sub/d.jsonl", ".h/e.jsonl"}},
            {"a.jsonl", {"b.bak.jsonl", "sub/deep/c.jsonl", "x/sub/d.jsonl", ".h/e.jsonl"}},
            {"/a.jsonl", {"b.bak.jsonl", "sub/a.jsonl", "sub/deep/c.jsonl", "x/sub/d.jsonl", ".h/e.jsonl"}},
            {"sub", {"a.jsonl", "b.bak.jsonl", ".h/e.jsonl"}},
            {"sub/", {"a.jsonl", "b.bak.jsonl", ".h/e.jsonl"}},
            {"a.jsonl/", all},
            {"sub/**", {"a.jsonl", "b.bak.jsonl", "x/sub/d.jsonl", ".h/e.jsonl"}},
            {"./sub", {"a.jsonl", "b.bak.jsonl", "x/sub/d.jsonl", ".h/e.jsonl"}},
            {"sub/*.jsonl", {"a.jsonl", "b.bak.jsonl", "sub/deep/c.jsonl", "x/sub/d.jsonl", ".h/e.jsonl"}},
            {"**/sub/*.jsonl", {"a.jsonl", "b.bak.jsonl", "sub/deep/c.jsonl", ".h/e.jsonl"}},
            {"sub/**/c.jsonl", {"a.jsonl", "b.bak.jsonl", "sub/a.jsonl", "x/sub/d.jsonl", ".h/e.jsonl"}},
            {"sub/**/a.jsonl", {"a.jsonl", "b.bak.jsonl", "sub/deep/c.jsonl", "x/sub/d.jsonl", ".h/e.jsonl"}},
            {"{sub,x}/**", {"a.jsonl", "b.bak.jsonl", ".h/e.jsonl"}},
            {"{a,b{.bak,}}.jsonl", {"sub/deep/c.jsonl", "x/sub/d.jsonl", ".h/e.jsonl"}},
            {"[a-c].jsonl", {"b.bak.jsonl", "x/sub/d.jsonl", ".h/e.jsonl"}},
            {"[!a]*.jsonl", {"a.jsonl", "sub/a.jsonl"}},
            {".*", {"a.jsonl", "b.bak.jsonl", "sub/a.jsonl", "sub/deep/c.jsonl", "x/sub/d.jsonl"}},
            {"*", {}},
            {"**", {}},
            {"SUB", all},
            {"ub", all},
        };
        for (const Case& one : cases) {
            CAPTURE(one.pattern);
            CHECK(left_of("", all, one.pattern) == one.left);
            CHECK(left_of("/home/me/logs", all, one.pattern) == one.left);
            CHECK(exclusion_problem(one.pattern) == "");
        }
    }

    TEST_CASE("a path may be written as it is listed, and the folder that was asked for is never meant") {
        const PathList all{"a.jsonl", "old/b.jsonl"};
        CHECK(left_of("logs", all, "logs/old/**") == PathList{"a.jsonl"});
        CHECK(left_of("/home/me/.claude", all, "/home/me/.claude/old") == PathList{"a.jsonl"});
        CHECK(left_of("logs", all, "logs/*") == PathList{});
        CHECK(left_of("logs", all, "logs") == all);
        CHECK(left_of("/home/me/.claude", all, ".*") == all);
        CHECK(left_of("/home/me/.claude", all, "**/.claude/**") == all);
        CHECK(left_of("/home/me/logs", all, "home/**") == all);
        CHECK(left_of("logs/old", {"b.jsonl"}, "old/**") == PathList{"b.jsonl"});
    }

    TEST_CASE("only what was found is left out: what is named itself stays, however often it is found") {
        const TempDir dir;
        for (const char* name : {"d/a.jsonl", "d/b.jsonl", "d/sub/c.jsonl"}) dir.write(name, "1");
        const auto left = [&dir](std::vector<std::string> named, const std::string& pattern) {
            PathList names;
            for (int turn = 0; turn < 2; ++turn) {  // whatever order they are named in
                InputList list = expand_inputs(named);
                leave_out(list, std::vector<std::string>{pattern});
                PathList now;
                for (const InputPath& input : list.paths) now.push_back(input.path.substr(dir.str().size() + 1));
                CHECK((turn == 0 || names == now));
                names = std::move(now);
                std::ranges::reverse(named);
            }
            return names;
        };
        CHECK(left({dir / "d", dir / "d/b.jsonl"}, "*.jsonl") == PathList{"d/b.jsonl"});
        CHECK(left({dir / "d", dir / "d/sub"}, "sub/**") == PathList{"d/a.jsonl", "d/b.jsonl", "d/sub/c.jsonl"});
        CHECK(left({dir / "d/**"}, "sub") == PathList{"d/a.jsonl", "d/b.jsonl"});
        CHECK(left({dir / "d/*.jsonl"}, "b.*") == PathList{"d/a.jsonl"});
        CHECK(left({dir / "d/*.jsonl", dir / "d/b.jsonl"}, "b.*") == PathList{"d/a.jsonl", "d/b.jsonl"});
        InputList none = expand_inputs({dir / "d"});
        leave_out(none, std::vector<std::string>{"*"});
        CHECK(none.problems ==
              std::vector<std::string>{"nothing is left to read: exclude leaves out what was found (3 files)"});
    }

    TEST_CASE("an archive is a folder, and standard input is left out by nothing") {
        const TempDir dir;
        dir.write("t.tar", test::tar_of(std::vector<test::TarItem>{{"run/a.jsonl", "1"}, {"old/b.jsonl", "1"}}));
        InputList list = expand_inputs({dir / "t.tar", "-"});
        leave_out(list, std::vector<std::string>{"old/**", "-"});
        REQUIRE(list.paths.size() == 2);
        CHECK(list.paths[0].path == "-");
        CHECK(list.paths[1].path == dir / "t.tar/run/a.jsonl");
    }

    TEST_CASE("a pattern that cannot be meant says why") {
        CHECK(exclusion_problem("") != "");
        CHECK(exclusion_problem("/") != "");
        CHECK(exclusion_problem("!x") == "what matches is left out, without a ! before it");
        CHECK(exclusion_problem("[a") == "a [ is not closed");
        CHECK(exclusion_problem("x[z-a]") == "the range z-a is empty");
        CHECK(exclusion_problem("{a,b") == "a { is not closed");
        CHECK(exclusion_problem("a}") == "a } is not opened");
        CHECK(exclusion_problem("[{]") == "");
        CHECK(exclusion_problem("[]-]") == "");
        std::string braces;
        for (int i = 0; i < 30; ++i) braces += "{a,b}";
        CHECK(exclusion_problem(braces) == "its braces stand for too many patterns");
        // Nobody asked first: it matches nothing, or little, and does no harm.
        for (const std::string& pattern :
             {std::string(), std::string("/"), std::string("[a"), std::string("{a"), braces})
            CHECK(left_of("d", {"x/y.jsonl"}, pattern).size() == 1);
    }
}
