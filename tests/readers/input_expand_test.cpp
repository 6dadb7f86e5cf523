#include "readers/input/glob.hpp"
#include "readers/input/session_names.hpp"
#include "readers/input_support.hpp"
#include "readers/tar_writer.hpp"
#include "support/store_file.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

using namespace agent_audit;
using agent_audit::test::TempDir;
using Names = std::vector<std::string>;

namespace {

/// Paths below `dir`, without it.
Names names_in(const TempDir& dir, const InputList& list) {
    Names names;
    for (const InputPath& input : list.paths) names.push_back(input.path.substr(dir.str().size() + 1));
    return names;
}

Names expand(const TempDir& dir, const std::string& pattern = "") {
    return names_in(dir, expand_inputs({pattern.empty() ? dir.str() : dir / pattern}));
}

void make_link(const std::string& target, const std::string& path) {
    REQUIRE(::symlink(target.c_str(), path.c_str()) == 0);
}

}  // namespace

TEST_SUITE("input: what is read") {
    TEST_CASE("a directory gives its session files, sorted by bytes, with their sizes") {
        const TempDir dir;
        for (const char* name :
             {"b.jsonl", "a.json", "B.ndjson", "g.eval", "sub/c.traj", "sub/deep/d.jsonl.gz", "e.jsonl.zst",
              ".hidden/f.jsonl", "repo/.aider.chat.history.md", "README.md", "notes.txt", "jsonl"}) {
            dir.write(name, "12345");
        }
        const InputList list = expand_inputs({dir.str()});
        CHECK(names_in(dir, list) == Names{".hidden/f.jsonl", "B.ndjson", "a.json", "b.jsonl", "e.jsonl.zst", "g.eval",
                                           "repo/.aider.chat.history.md", "sub/c.traj", "sub/deep/d.jsonl.gz"});
        CHECK(list.problems.empty());
        for (const InputPath& input : list.paths) {
            CHECK(input.size == 5);
            CHECK_FALSE(input.named);
        }
    }

    TEST_CASE("copies of a session beside it are left out, archived sessions are not") {
        const TempDir dir;
        const std::string uuid = "01234567-89ab-cdef-0123-456789ABCDEF";
        for (const std::string& name :
             {std::string("s.jsonl"), std::string("s.jsonl.zst"), std::string("s.jsonl.gz"),
              std::string("alone.jsonl.zst"), "s.checkpoint." + uuid + ".jsonl",
              std::string("s.checkpoint.notes.jsonl"), std::string("s.jsonl.reset.2026-01-02"),
              std::string("s.jsonl.deleted.1700000000"), std::string("s.jsonl.bak-1"),
              std::string("s.trajectory.jsonl"), std::string("lost.trajectory.jsonl"),
              std::string("node_modules/p/package.json"), std::string(".git/x.json")}) {
            dir.write(name, "{}");
        }
        CHECK(expand(dir) == Names{"alone.jsonl.zst", "lost.trajectory.jsonl", "s.checkpoint.notes.jsonl", "s.jsonl",
                                   "s.jsonl.deleted.1700000000", "s.jsonl.reset.2026-01-02"});
    }

    TEST_CASE(
        "a list or a glob that names a copy and its session reads the session, and one that names the copy reads it") {
        const TempDir dir;
        for (const char* name : {"k/wire.jsonl", "k/context.jsonl", "l/context.jsonl", "s.jsonl", "s.jsonl.gz"})
            dir.write(name, "{}");
        CHECK(names_in(dir, expand_inputs({dir / "k/context.jsonl", dir / "k/wire.jsonl"})) == Names{"k/wire.jsonl"});
        CHECK(expand(dir, "*/*.jsonl") == Names{"k/wire.jsonl", "l/context.jsonl"});
        CHECK(expand(dir, "k/context.jsonl") == Names{"k/context.jsonl"});
        // Another folder's wire log is another session's.
        CHECK(names_in(dir, expand_inputs({dir / "l/context.jsonl", dir / "k/wire.jsonl"})) ==
              Names{"k/wire.jsonl", "l/context.jsonl"});
        CHECK(names_in(dir, expand_inputs({dir / "s.jsonl.gz", dir / "s.jsonl"})) == Names{"s.jsonl"});
    }

    TEST_CASE("what Cline showed of a task is left out beside what the model saw") {
        const TempDir dir;
        for (const char* name : {"a/api_conversation_history.json", "a/ui_messages.json", "b/ui_messages.json"})
            dir.write(name, "[]");
        CHECK(expand(dir) == Names{"a/api_conversation_history.json", "b/ui_messages.json"});
    }

    TEST_CASE("a trajectory that was made of an agent's own session is left out beside it") {
        const TempDir dir;
        for (const char* name :
             {"mini/trajectory.json", "mini/mini-swe-agent.trajectory.json", "claude/agent/trajectory.json",
              "claude/agent/sessions/projects/-app/a.jsonl", "hands/agent/trajectory.json",
              "hands/agent/openhands.trajectory.json", "hands/agent/sessions/a/events/0.json", "mine/sessions/a.jsonl",
              "mine/trajectory.json", "terminus/trajectory.json", "terminus/trajectory.cont-1.json"})
            dir.write(name, "{}");
        CHECK(expand(dir) == Names{"claude/agent/sessions/projects/-app/a.jsonl", "hands/agent/sessions/a/events",
                                   "mine/sessions/a.jsonl", "mine/trajectory.json",
                                   "mini/mini-swe-agent.trajectory.json", "terminus/trajectory.cont-1.json",
                                   "terminus/trajectory.json"});
        CHECK(expand(dir, "claude/agent/trajectory.json") == Names{"claude/agent/trajectory.json"});
    }

    TEST_CASE("what was chosen of several attempts is left out beside the attempts") {
        const TempDir dir;
        for (const char* name : {"a/output.jsonl", "a/output.critic_attempt_1.jsonl", "a/output.critic_attempt_2.jsonl",
                                 "b/output.jsonl", "b/output_errors.jsonl"})
            dir.write(name, "{}");
        CHECK(expand(dir) == Names{"a/output.critic_attempt_1.jsonl", "a/output.critic_attempt_2.jsonl",
                                   "b/output.jsonl", "b/output_errors.jsonl"});
        CHECK(expand(dir, "a/output.jsonl") == Names{"a/output.jsonl"});
    }

    TEST_CASE("transcripts of chats that a database keeps whole are left out") {
        const TempDir dir;
        const std::string a = "01234567-89ab-cdef-0123-456789abcdef", b = "11234567-89ab-cdef-0123-456789abcdef";
        const std::string transcript = "projects/p/agent-transcripts/" + a + "/" + a + ".jsonl";
        const std::string store = "chats/h/" + a + "/store.db";
        for (const std::string& name :
             {store, transcript, "projects/p/agent-transcripts/" + a + "/subagents/" + b + ".jsonl",
              "projects/p/notes/" + a + ".jsonl", "projects/p/agent-transcripts/" + b + "/" + b + ".jsonl"})
            dir.write(name, "{}");
        CHECK(expand(dir) == Names{store, "projects/p/agent-transcripts/" + a + "/subagents/" + b + ".jsonl",
                                   "projects/p/agent-transcripts/" + b + "/" + b + ".jsonl",
                                   "projects/p/notes/" + a + ".jsonl"});
        CHECK(expand(dir, transcript) == Names{transcript});
    }

    TEST_CASE("transcripts of chats that the editor's database holds as well are left out") {
        const TempDir dir;
        const std::string a = "01234567-89ab-cdef-0123-456789abcdef", b = "11234567-89ab-cdef-0123-456789abcdef";
        const auto transcript = [](const std::string& id) {
            return "home/.cursor/projects/p/agent-transcripts/" + id + "/" + id + ".jsonl";
        };
        const std::string store = "home/.config/Cursor/User/globalStorage/state.vscdb";
        for (const std::string& id : {a, b}) dir.write(transcript(id), "{}");
        dir.write(store, "");
        {
            test::StoreFile file(dir / store);
            file.run("CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)");
            for (const std::string& id : {a, b}) file.add("cursorDiskKV(key, value)", {"composerData:" + id, "{}"});
            file.add("cursorDiskKV(key, value)", {"bubbleId:" + a + ":1", "{}"});
        }
        // Of the other one the database knows nothing that was said.
        CHECK(expand(dir) == Names{store, transcript(b)});
        CHECK(expand(dir, transcript(a)) == Names{transcript(a)});
        const InputList both = expand_inputs({dir / store, dir / "home/.cursor"});
        CHECK(names_in(dir, both) == Names{store, transcript(b)});
    }

    TEST_CASE("requests that were kept beside the sessions they belong to are left out") {
        const TempDir dir;
        for (const char* name :
             {"run/agent/sessions/a/events/0.json", "run/agent/completions/m-1.json", "eval/output.jsonl",
              "eval/llm_completions/a/m-1.json", "alone/completions/m-1.json", "alone/llm_completions/m-1.json",
              "mine/sessions/a.jsonl", "mine/completions/m-1.json"})
            dir.write(name, "{}");
        CHECK(expand(dir) == Names{"alone/completions/m-1.json", "alone/llm_completions/m-1.json", "eval/output.jsonl",
                                   "mine/completions/m-1.json", "mine/sessions/a.jsonl",
                                   "run/agent/sessions/a/events"});
    }

    TEST_CASE("files with one event each are one input, their folder; its cached pages are left out") {
        const TempDir dir;
        const std::string uuid = "01234567-89ab-cdef-0123-456789abcdef";
        for (const std::string& name :
             {std::string("s/events/0.json"), std::string("s/events/12.json"), std::string("s/events/notes.json"),
              std::string("s/event_cache/0-25.json"), std::string("s/base_state.json"),
              std::string("z/base_state.json"), "v1/event-00000-" + uuid + ".json", "v1/event-00001-" + uuid + ".json",
              std::string("v1/event-7-of-may.json"), std::string("other/1.json")})
            dir.write(name, "1234");
        CHECK(expand(dir) == Names{"other/1.json", "s/events", "s/events/notes.json", "v1", "v1/event-7-of-may.json",
                                   "z/base_state.json"});
        const InputList list = expand_inputs({dir / "s/events"});
        REQUIRE(list.paths.size() == 2);
        CHECK(list.paths[0].size == 8);
        CHECK(list.paths[0].modified_ms != kNoTime);
        CHECK(expand(dir, "s/events/12.json") == Names{"s/events/12.json"});
    }

    TEST_CASE("messages that are files of their own are one input where they are an agent's") {
        const TempDir dir;
        for (const char* name :
             {"session_a/session.json", "session_a/agents/agent_x/agent.json",
              "session_a/agents/agent_x/messages/message_0.json", "session_a/agents/agent_x/messages/message_10.json",
              "session_a/agents/agent_x/messages/message_last.json", "mine/messages/message_1.json"})
            dir.write(name, "1234");
        CHECK(expand(dir) == Names{"mine/messages/message_1.json", "session_a/agents/agent_x/agent.json",
                                   "session_a/agents/agent_x/messages",
                                   "session_a/agents/agent_x/messages/message_last.json", "session_a/session.json"});
    }

    TEST_CASE("links to folders are not followed, and where nothing else is there it is said") {
        const TempDir dir;
        dir.write("real/a.jsonl", "{}");
        dir.write("links/notes.txt", "-");
        make_link("../real", dir / "links/away");
        const InputList list = expand_inputs({dir / "links"});
        CHECK(list.paths.empty());
        REQUIRE(list.problems.size() == 1);
        CHECK(list.problems[0].find("links to folders are not followed") != std::string::npos);
    }

    TEST_CASE("a glob tells of folders that are too deep, as a folder does") {
        const TempDir dir;
        std::string path = "d";
        for (int i = 0; i < 70; ++i) path += "/d";
        dir.write(path + "/a.jsonl", "{}");
        for (const std::string& named : {dir / "d", dir / "d/**/*.jsonl"}) {
            CAPTURE(named);
            const InputList list = expand_inputs({named});
            CHECK(list.paths.empty());
            REQUIRE(list.problems.size() == 1);
            CHECK(list.problems[0].find("levels deep: not read") != std::string::npos);
        }
    }

    TEST_CASE("a glob tells of folders that may not be read") {
        if (::geteuid() == 0) return;  // who may read everything
        const TempDir dir;
        dir.write("shut/a.jsonl", "{}");
        REQUIRE(::chmod((dir / "shut").c_str(), 0) == 0);
        const InputList list = expand_inputs({dir / "*/*.jsonl"});
        REQUIRE(::chmod((dir / "shut").c_str(), 0700) == 0);
        REQUIRE(list.problems.size() == 1);
        CHECK(list.problems[0].find("permission denied") != std::string::npos);
    }

    TEST_CASE("a named file is taken whatever it is called") {
        const TempDir dir;
        dir.write("notes.txt", "{}");
        const InputList list = expand_inputs({dir / "notes.txt", "-"});
        REQUIRE(list.paths.size() == 2);
        CHECK(list.paths[0].path == "-");
        CHECK(list.paths[1].path == dir / "notes.txt");
        CHECK(list.paths[1].named);
        CHECK(list.paths[1].size == 2);
    }

    TEST_CASE("naming a file in several ways reads it once") {
        const TempDir dir;
        dir.write("d/a.jsonl", "{}");
        const InputList list =
            expand_inputs({dir / "d", dir / "d/", dir / "d//a.jsonl", dir / "d/a.jsonl", dir / "d/*.jsonl"});
        CHECK(names_in(dir, list) == Names{"d/a.jsonl"});
        CHECK(list.paths[0].named);
    }

    TEST_CASE("links to files are read, but not beside the file itself; links to directories are not followed") {
        const TempDir dir;
        const TempDir elsewhere;
        dir.write("a.jsonl", "{}");
        elsewhere.write("out.jsonl", "{}");
        make_link("a.jsonl", dir / "latest.jsonl");
        make_link(elsewhere / "out.jsonl", dir / "x.jsonl");
        make_link(elsewhere / "out.jsonl", dir / "y.jsonl");
        make_link(elsewhere.str(), dir / "outside");
        make_link(".", dir / "circle");
        CHECK(expand(dir) == Names{"a.jsonl", "x.jsonl"});
        CHECK(expand(dir, "latest.jsonl") == Names{"latest.jsonl"});
        // A directory that the user named is entered even if it is a link.
        CHECK(expand(dir, "outside") == Names{"outside/out.jsonl"});
    }

    TEST_CASE("a file is one input however its path is spelled, and a hard link is another") {
        const TempDir dir;
        dir.write("a.jsonl", "{}");
        dir.write("sub/b.jsonl", "{}");
        const auto count = [](std::vector<std::string> inputs) { return expand_inputs(inputs).paths.size(); };
        CHECK(count({dir / "a.jsonl", dir / "sub/../a.jsonl"}) == 1);
        CHECK(count({dir / "sub/../a.jsonl", dir / "a.jsonl", dir / "sub/../sub/../a.jsonl"}) == 1);
        CHECK(count({dir.str(), dir / "sub/.."}) == 2);
        dir.write("sub/two.tar", agent_audit::test::tar_of(
                                     std::vector<agent_audit::test::TarItem>{{"x.jsonl", "{}"}, {"y.jsonl", "{}"}}));
        CHECK(count({dir / "sub/two.tar", dir / "sub/../sub/two.tar"}) == 2);
        std::filesystem::create_hard_link(dir / "a.jsonl", dir / "c.jsonl");
        CHECK(count({dir.str(), dir / "sub/.."}) == 3);
    }

    TEST_CASE("pipes inside a directory are passed over, a named one is not") {
        const TempDir dir;
        dir.write("a.jsonl", "{}");
        REQUIRE(::mkfifo((dir / "p.jsonl").c_str(), 0600) == 0);
        CHECK(expand(dir) == Names{"a.jsonl"});
        CHECK(expand(dir, "p.jsonl") == Names{"p.jsonl"});
    }

    TEST_CASE("every input that gives nothing is a problem with its name") {
        const TempDir dir;
        dir.write("empty/notes.txt", "");
        const InputList list = expand_inputs({dir / "missing", dir / "empty", dir / "no*match"});
        CHECK(list.paths.empty());
        REQUIRE(list.problems.size() == 3);
        CHECK(list.problems[0] == fmt::format("cannot open '{}': no such file or directory", dir / "missing"));
        CHECK(list.problems[1].starts_with(
            fmt::format("no session files below '{}' (looked for .jsonl, ", dir / "empty")));
        CHECK(list.problems[2] == fmt::format("nothing matches '{}'", dir / "no*match"));
        CHECK(expand_inputs({}).paths.empty());
        CHECK(expand_inputs({""}).problems.size() == 1);
    }

    TEST_CASE("a link that leads nowhere is a problem, and does not hide its neighbours") {
        const TempDir dir;
        dir.write("a.jsonl", "{}");
        make_link("nowhere", dir / "b.jsonl");
        const InputList list = expand_inputs({dir.str()});
        CHECK(names_in(dir, list) == Names{"a.jsonl"});
        REQUIRE(list.problems.size() == 1);
        CHECK(list.problems[0].find("b.jsonl") != std::string::npos);
    }

    TEST_CASE("directories nested without end are cut and reported") {
        const TempDir dir;
        std::string deep;
        for (int i = 0; i < 70; ++i) deep += "d/";
        dir.write("a.jsonl", "{}");
        dir.write(deep + "b.jsonl", "{}");
        const InputList list = expand_inputs({dir.str()});
        CHECK(names_in(dir, list) == Names{"a.jsonl"});
        REQUIRE(list.problems.size() == 1);
        CHECK(list.problems[0].find("nested more than 64 levels deep") != std::string::npos);
    }

    TEST_CASE("a directory without permission is a problem") {
        if (::geteuid() == 0) {
            MESSAGE("skipped: root may read everything");
            return;
        }
        const TempDir dir;
        dir.write("locked/a.jsonl", "{}");
        REQUIRE(::chmod((dir / "locked").c_str(), 0) == 0);
        const InputList list = expand_inputs({dir.str()});
        REQUIRE(::chmod((dir / "locked").c_str(), 0700) == 0);
        REQUIRE(list.problems.size() == 1);
        CHECK(list.problems[0].find("permission denied") != std::string::npos);
    }

    TEST_CASE("globs choose files of any name, and enter the directories they match") {
        const TempDir dir;
        for (const char* name : {"a1.jsonl", "a2.jsonl", "b.log", ".dot.jsonl", "p/x.jsonl", "p/q/y.jsonl",
                                 "p/.h/z.jsonl", "p/note.txt", "[odd].jsonl"}) {
            dir.write(name, "{}");
        }
        CHECK(expand(dir, "a?.jsonl") == Names{"a1.jsonl", "a2.jsonl"});
        CHECK(expand(dir, "a[2-9].jsonl") == Names{"a2.jsonl"});
        CHECK(expand(dir, "[!a]*") == Names{"[odd].jsonl", "b.log", "p/.h/z.jsonl", "p/q/y.jsonl", "p/x.jsonl"});
        CHECK(expand(dir, "*.log") == Names{"b.log"});
        CHECK(expand(dir, "**/*.jsonl") == Names{"[odd].jsonl", "a1.jsonl", "a2.jsonl", "p/q/y.jsonl", "p/x.jsonl"});
        CHECK(expand(dir, "p/**") == Names{"p/note.txt", "p/q/y.jsonl", "p/x.jsonl"});
        CHECK(expand(dir, "**/q/*") == Names{"p/q/y.jsonl"});
        CHECK(expand(dir, ".*.jsonl") == Names{".dot.jsonl"});
        CHECK(expand(dir, "*/*.txt") == Names{"p/note.txt"});
        // A file of that very name is not a pattern.
        CHECK(expand(dir, "[odd].jsonl") == Names{"[odd].jsonl"});
    }

    TEST_CASE("the order of the arguments changes nothing") {
        const TempDir dir;
        for (const char* name : {"a.jsonl", "b/c.jsonl", "b/d.jsonl"}) dir.write(name, "{}");
        std::vector<std::string> named{dir / "b", dir / "a.jsonl", dir / "nothing", dir / "b/d.jsonl", dir / "x*"};
        std::ranges::sort(named);
        const InputList expected = expand_inputs(named);
        while (std::ranges::next_permutation(named).found) {
            const InputList list = expand_inputs(named);
            REQUIRE(names_in(dir, list) == names_in(dir, expected));
            REQUIRE(list.problems == expected.problems);
            REQUIRE(list.paths.back().named == expected.paths.back().named);
        }
    }
}

TEST_SUITE("input: glob") {
    using readers::matches;

    TEST_CASE("stars, question marks and sets match as in a shell") {
        CHECK(matches("*", "abc"));
        CHECK(matches("a*c", "ac"));
        CHECK(matches("a*b*c", "a1b2b3c"));
        CHECK_FALSE(matches("a*b", "abc"));
        CHECK(matches("a?c", "abc"));
        CHECK_FALSE(matches("a?c", "ac"));
        CHECK(matches("[a-c]x", "bx"));
        CHECK_FALSE(matches("[!a-c]x", "bx"));
        CHECK(matches("[^a-c]x", "dx"));
        CHECK(matches("[]]", "]"));
        CHECK(matches("[a-]", "-"));
        CHECK(matches("[open", "[open"));
        CHECK_FALSE(matches("*", ".hidden"));
        CHECK(matches(".*", ".hidden"));
        CHECK(matches("", ""));
        CHECK_FALSE(matches("", "a"));
    }

    TEST_CASE("no pattern takes long to fail") {
        std::string pattern;
        for (int i = 0; i < 100; ++i) pattern += "a*";
        CHECK_FALSE(matches(pattern + "b", std::string(5000, 'a')));
    }
}
