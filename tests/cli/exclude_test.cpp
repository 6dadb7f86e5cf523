#include "support/scratch.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

using agent_audit::test::Finished;
using agent_audit::test::holds;
using agent_audit::test::Scratch;

namespace {

/// Four sessions in folders, one of them below another.
constexpr const char* kFolders =
    "mkdir -p logs/old/deep; for f in a old/b old/deep/c; do cp clean.jsonl logs/$f.jsonl; done; "
    "cp exact-repeat.jsonl logs/bad.jsonl; ";

std::vector<std::string> inputs_of(const std::string& json) {
    std::vector<std::string> paths;
    const auto result = nlohmann::json::parse(json);
    for (const auto& input : result["inputs"]) paths.push_back(input["path"]);
    return paths;
}

using ReadPaths = std::vector<std::string>;

}  // namespace

TEST_SUITE("--exclude") {
    TEST_CASE("what matches below a folder is left out of a scan, wherever it is said") {
        const Scratch scratch;
        const ReadPaths left{"logs/a.jsonl", "logs/old/b.jsonl", "logs/old/deep/c.jsonl"};
        CHECK(inputs_of(scratch.run(std::string(kFolders) + "aa -f json --exclude 'bad*' logs").out) == left);
        CHECK(inputs_of(scratch.run("AGENT_AUDIT_EXCLUDE='bad*' aa -f json logs").out) == left);
        CHECK(inputs_of(scratch.run("echo 'exclude = [\"bad*\"]' > agent-audit.toml; aa -f json logs").out) == left);
        CHECK(scratch.status("aa config check") == 0);
        // What is typed stands in place of the file, as of every list.
        CHECK(inputs_of(scratch.run("aa -f json --exclude 'old/**' --exclude a.jsonl logs").out) ==
              ReadPaths{"logs/bad.jsonl"});
        CHECK(inputs_of(scratch.run("aa -f json logs/bad.jsonl").out) == ReadPaths{"logs/bad.jsonl"});
    }

    TEST_CASE("every command that looks into folders has it") {
        const Scratch scratch;
        const std::string folders = kFolders;
        CHECK(scratch.status(folders + "aa -q logs") == 1);
        CHECK(scratch.status("aa -q --exclude bad.jsonl logs") == 0);
        const Finished replayed = scratch.run("aa replay --policy strict -f json --exclude '{old,bad*}' logs");
        CHECK(inputs_of(replayed.out) == ReadPaths{"logs/a.jsonl"});
        CHECK(holds(scratch.run("aa replay --exclude x logs/a.jsonl").err, "--exclude needs --policy"));
        CHECK(scratch.run("aa convert --to chat --exclude '{old,bad*}' logs").out ==
              scratch.run("aa convert --to chat logs/a.jsonl").out);
        CHECK(holds(scratch.run("aa baseline create --exclude bad.jsonl logs").out, "0 findings"));
        const Finished watched =
            scratch.run("timeout -s INT 2 \"$program\" watch --from-start --exclude bad.jsonl logs");
        CHECK(holds(watched.out, "0 errors, 0 warnings, 0 notes in 3 files"));
    }

    TEST_CASE("sessions that --latest looks for are left out too") {
        const Scratch scratch;
        const std::string project = "home/.claude/projects/-p/";
        scratch.run("mkdir -p " + project + "; cp clean.jsonl " + project +
                    "a.jsonl; sleep 0.01; cp exact-repeat.jsonl " + project + "b.jsonl");
        CHECK(scratch.status("aa -q --latest") == 1);
        CHECK(scratch.status("aa -q --latest --exclude b.jsonl") == 0);
        CHECK(scratch.status("aa -q --latest --exclude '.*'") == 1);
    }

    TEST_CASE("a pattern that cannot be meant is wrong usage, and one that leaves nothing is told") {
        const Scratch scratch;
        for (const char* line : {"aa --exclude '[a' .", "aa convert --to chat --exclude '{a' .", "aa --exclude '!a' .",
                                 "aa replay --policy strict --exclude '[a' .", "AGENT_AUDIT_EXCLUDE='[a' aa ."}) {
            CAPTURE(line);
            const Finished done = scratch.run(line);
            CHECK(done.status == 2);
            CHECK(holds(done.err, "expected a pattern as in .gitignore"));
        }
        const Finished none = scratch.run("mkdir d; cp clean.jsonl d; aa -q --exclude '*' d");
        CHECK(none.status == 3);
        CHECK(holds(none.err, "nothing is left to read: exclude leaves out what was found (1 file)"));
        CHECK(scratch.status("echo 'exclude = \"[a\"' > agent-audit.toml; aa config check") == 2);
    }
}
