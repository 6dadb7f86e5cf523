#include "readers/aider/aider_text.hpp"
#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using namespace agent_audit::readers::aider_text;
using test::read_text;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

test::Reading read(std::string_view name) {
    return read_text(readers::aider(), slurp(test::source_dir() / "testdata/readers/aider" / name));
}

}  // namespace

TEST_SUITE("aider") {
    TEST_CASE("a session becomes start, turn, answer, usage and its edit") {
        const auto seen = read("minimal.md");
        const Lines lines = seen.lines();
        REQUIRE(lines.size() == 7);
        CHECK(lines[0] == "SessionStart model=toy-model label=2026-03-02 09:00:00");
        CHECK(lines[2] == "Message user/human 'rename the toy'");
        CHECK(lines[4] == "Usage in=2400 write=0 read=0 out=120 model=toy-model cost=3400");
        CHECK(lines[5] == "ToolCall  edit 'toy.py'");
        CHECK(lines[6] == "ToolResult  ok");
        CHECK(seen.events.heads[0].where.line == 1);
        CHECK(seen.events.heads[0].time_ms == 1772442000000);
    }
    TEST_CASE("every session of a file is one, named after its time") {
        CHECK(read("full.md").those("SessionStart") == Lines{
                                                           "SessionStart model=toy-model label=2026-03-02 09:00:00",
                                                           "SessionStart model=toy-large label=2026-03-03 10:00:00",
                                                           "SessionStart label=2026-03-04 11:00:00",
                                                       });
    }
    TEST_CASE("lines of the human that follow each other are one message, commands are none") {
        CHECK(read("full.md").those("Message user/human") ==
              Lines{"Message user/human 'what does it do?'", "Message user/human 'make it sink\nbut slowly'",
                    "Message user/human 'once more'", "Message user/human 'and now?'", "Message user/human 'hello'"});
    }
    TEST_CASE("a reset is a compaction that keeps nothing, and the format is known to have them") {
        CHECK(read("reset.md").those("Compaction") == Lines{"Compaction reset"});
        CHECK(readers::aider().signals.has(Signal::compaction));
    }
    TEST_CASE("quotes and headings of the model are its own words") {
        CHECK(read("full.md").those("Message assistant/agent 'It floats") ==
              Lines{"Message assistant/agent 'It floats:\n\n#### Why\n\n> because it is light'"});
        CHECK(read("full.md").those("Thinking") == Lines{"Thinking 'It floats.'"});
    }
    TEST_CASE("a file that lost the blanks at its line ends is read as well") {
        const auto seen = read("trimmed.md");
        CHECK(seen.those("Message user") == Lines{"Message user/human 'hello'"});
        CHECK(seen.count("Usage") == 1);
    }
    TEST_CASE("what the program says in several lines is no answer of the model") {
        const std::string head = "# aider chat started at 2026-03-02 09:00:00\n\n";
        const auto git =
            read_text(readers::aider(), head +
                                            "#### /git status  \n> On branch duck\nchanged:\n\n\ttoy.py\n\n"
                                            "nothing added  \n\n#### clean?  \n\n> no\n\nIt is not.\n");
        CHECK(git.those("ToolResult  unknown 'On branch duck").size() == 1);
        CHECK(git.those("Message") ==
              Lines{"Message user/human 'clean?'", "Message assistant/agent '> no\n\nIt is not.'"});
        const std::string block = "```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n\n";
        const auto commit =
            read_text(readers::aider(), head + "#### paint it  \n\nDone.\n\ntoy.py\n" + block + "tub.py\n" + block +
                                            "> Tokens: 980 sent, 70 received.  \n"
                                            "> Applied edit to toy.py  \n"
                                            "> Commit 0a1b2c3 feat: paint\n\nRunning is easier now.  \n"
                                            "> Applied edit to tub.py  \n");
        CHECK(commit.those("Message assistant").size() == 1);
        CHECK(commit.those("ToolCall") == Lines{"ToolCall  edit 'toy.py'", "ToolCall  edit 'tub.py'"});
    }
    TEST_CASE("every block is an edit: applied, failed or unknown") {
        const auto seen = read("full.md");
        CHECK(seen.those("ToolCall  edit") == Lines{"ToolCall  edit 'src/toy.py'", "ToolCall  edit 'lib/tub.py'",
                                                    "ToolCall  edit 'lib/tub.py'", "ToolCall  edit 'lib/duck.py'",
                                                    "ToolCall  edit 'lib/unknown.py'", "ToolCall  edit 'lib/tub.py'",
                                                    "ToolCall  edit 'lib/tub.py'"});
        CHECK(seen.count("ToolCall") == seen.count("ToolResult"));
        CHECK(seen.those("ToolResult  error").size() == 2);
        // The same edit tried again is the same call; two edits of one file are not.
        REQUIRE(seen.events.digests.size() > 7);
        CHECK(seen.events.digests[1].canonical != seen.events.digests[2].canonical);
        CHECK(seen.events.digests[6].canonical == seen.events.digests[7].canonical);
    }
    TEST_CASE("commands are calls, of the human or of the model; a refused one was denied") {
        const auto seen = read("full.md");
        CHECK(seen.those("ToolCall  shell") == Lines{"ToolCall  shell 'npm test'", "ToolCall  shell 'npm test'"});
        CHECK(seen.those("ToolCall  run") == Lines{"ToolCall  run 'npm test' by-user", "ToolCall  run 'ls' by-user"});
        CHECK(seen.those("ToolResult  denied").size() == 1);
        CHECK(seen.those("ToolResult  unknown '2") == Lines{"ToolResult  unknown '2 passing'"});
        CHECK(seen.those("Compaction") == Lines{"Compaction reset"});
        CHECK(seen.lines().at(seen.lines().size() - 2) == "TurnEnd aborted");
    }
    TEST_CASE("whether an output was added to the chat is not that output") {
        const std::string head = "# aider chat started at 2026-03-02 09:00:00\n\n#### float  \n\nLet us see.\n\n";
        const auto seen =
            read_text(readers::aider(), head +
                                            "> ./tub --level  \n"
                                            "> Run shell command? (Y)es/(N)o/(D)on't ask again [Yes]: y  \n"
                                            "> Running ./tub --level  \n"
                                            "> Add 0.2k tokens of command output to the chat? (Y)es/(N)o [Yes]: y  \n"
                                            "> Added 12 lines of output to the chat.  \n"
                                            "> You can use /undo to undo and discard each aider commit.  \n\n"
                                            "#### <blank>  \n\n#### sink  \n\nDone.\n");
        CHECK(seen.those("ToolCall") == Lines{"ToolCall  shell './tub --level'"});
        CHECK(seen.those("ToolResult  unknown 'Add").empty());
        CHECK(seen.count("ToolResult") == 1);
        CHECK(seen.count("TurnStart") == 2);
    }
    TEST_CASE("a question behind a command counts once, repeated or not") {
        const std::string head = "# aider chat started at 2026-03-02 09:00:00\n\n";
        const auto once = read_text(readers::aider(), head + "#### /ask why?  \n\nBecause.\n");
        CHECK(once.those("Message") == Lines{"Message user/human 'why?'", "Message assistant/agent 'Because.'"});
        const auto twice = read_text(readers::aider(), head + "#### /ask why?  \n\n#### why?  \n\nBecause.\n");
        CHECK(twice.those("Message") == once.those("Message"));
        CHECK(twice.count("TurnStart") == 1);
    }
    TEST_CASE("the token line gives what stands in it, rounded as it is") {
        const auto spent = spent_in(
            "Tokens: 12k sent, 3.4k cache write, 8.1k cache hit, 980 received. Cost: $1.25 message, $2.00 session.");
        REQUIRE(spent);
        CHECK(spent->sent == 12000);
        CHECK(spent->cache_write == 3400);
        CHECK(spent->cache_hit == 8100);
        CHECK(spent->received == 980);
        CHECK(spent->usd == doctest::Approx(1.25));
        CHECK_FALSE(spent_in("Tokens: many sent"));
        CHECK_FALSE(spent_in("tokens: 1k sent"));
    }
    TEST_CASE("edits are found under their file's name, however it is dressed") {
        const auto edits = edits_in(
            "**`a/b.py`:**\n```python\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n\n# c.py\n```\nwhole\n```\n"
            "Run this:\n```bash\nls\n```\n```diff\n--- d.py\n+++ b/d.py\n-a\n+b\n```\n");
        REQUIRE(edits.size() == 3);
        CHECK(edits[0].path == "a/b.py");
        CHECK(edits[0].before == "x\n");
        CHECK(edits[0].after == "y\n");
        CHECK(edits[1].path == "c.py");
        CHECK(edits[1].kind == Edit::Kind::whole);
        CHECK(edits[2].path == "d.py");
        CHECK(edits[2].kind == Edit::Kind::patch);
        CHECK(same_file("src/a.py", "a.py"));
        CHECK_FALSE(same_file("src/ba.py", "a.py"));
        CHECK_FALSE(same_file("a.py", ""));
    }
    TEST_CASE("the name of the file may stand inside the fence") {
        const auto edits = edits_in(
            "```python\nsrc/a.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n\nAnd\n\n"
            "```\nb.py\n<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE\n```\n\n```bash\n./run.sh\nls\n```\n");
        REQUIRE(edits.size() == 2);
        CHECK(edits[0].path == "src/a.py");
        CHECK(edits[0].before == "x\n");
        CHECK(edits[1].path == "b.py");
        CHECK(edits[1].after == "new\n");
        CHECK(same_file("C:\\work\\toy.py", "toy.py"));
        CHECK_FALSE(same_file("C:\\work\\atoy.py", "toy.py"));
    }
    TEST_CASE("a patch with headlines is an edit a file, an unfinished one none") {
        const auto edits = edits_in(
            "*** Begin Patch\n*** Update File: a.py\n-x\n+y\n*** Add File: b.py\n+z\n*** End Patch\n*** Begin Patch\n"
            "*** Update File: c.py\n-x\n");
        REQUIRE(edits.size() == 2);
        CHECK(edits[0].path == "a.py");
        CHECK(edits[0].after == "-x\n+y\n");
        CHECK(edits[1].path == "b.py");
        CHECK(edits[1].kind == Edit::Kind::patch);
    }
    TEST_CASE("arguments are JSON whatever the text holds") {
        CHECK(arguments_of({Edit::Kind::replace, "a.py", "\"\\\t", "\n\x01", false}) ==
              R"({"path":"a.py","old_string":"\"\\\u0009","new_string":"\n\u0001"})");
    }
    TEST_CASE("a history is known by its first line or by what the program writes") {
        const auto score = [](std::string_view text) { return score_text(readers::aider(), text); };
        CHECK(score("\n# aider chat started at 2026-03-02 09:00:00\n") == kCertain);
        CHECK(score("> Tokens: 1k sent, 2 received.  \n\n#### hello  \n") == 80);
        CHECK(score("# Notes\n\n#### A heading\n\n> a quote\n") == 0);
        CHECK(score("{\"a\":1}\n") == 0);
    }
    TEST_CASE("what makes no sense is passed over, and an edit that never ends is none") {
        const auto seen = read("bad-cut.md");
        CHECK(seen.count("ToolCall") == seen.count("ToolResult"));
        CHECK(seen.count("Usage") == 0);
        CHECK(seen.those("Message user") == Lines{"Message user/human 'fix it'"});
    }
}
