#include "support/session.hpp"

#include <doctest/doctest.h>

#include <string>

using agent_audit::Severity;
using agent_audit::test::Session;

namespace {

std::string message_of(std::string_view rule, std::string_view file) {
    Session s("drift/instruction-violated");
    s.human(rule);
    s.call("Edit", file, "The file has been updated.");
    s.says("Done.");
    const auto& found = s.end();
    return found.size() == 1 ? found[0].message : std::to_string(found.size()) + " findings";
}

}  // namespace

TEST_SUITE("drift/instruction-violated") {
    TEST_CASE("the file that broke a rule is named, and the rule's own words where they are others") {
        CHECK(message_of("Do not touch src/api/.", "src/api/client.cpp") ==
              "line 2 changes src/api/client.cpp; changing src/api/ was ruled out by a human at line 1");
        CHECK(message_of("Do not touch main.py.", "main.py") ==
              "line 2 changes main.py, ruled out by a human at line 1");
        CHECK(message_of("Do not change the tests.", "tests/test_barn.py") ==
              "line 2 changes tests/test_barn.py; changing the tests was ruled out by a human at line 1");
        CHECK(message_of("Only edit src/barn.py.", "src/grain.py") ==
              "line 2 changes src/grain.py, outside of src/barn.py, the only place allowed by a human at line 1");
        CHECK(message_of("Only edit src/barn.py and src/hay.py.", "src/grain.py") ==
              "line 2 changes src/grain.py, outside of src/barn.py and src/hay.py, the only places allowed by a human "
              "at line 1");
    }

    TEST_CASE("what is named as an exception within a folder may be changed, the rest of it may not") {
        const auto found = [](std::string_view rule, std::string_view file, std::string_view command = {}) {
            Session s("drift/instruction-violated");
            s.human(rule);
            if (command.empty())
                s.call("Edit", file, "The file has been updated.");
            else
                s.call("Bash", command, "");
            s.says("Done.");
            return s.end().size();
        };
        for (const char* rule : {"Fix the barn. Don't touch anything in src/api/ except src/api/types.ts.",
                                 "Do not change files under src/api/ other than src/api/types.ts.",
                                 "Never edit files in src/api/, with the exception of src/api/types.ts.",
                                 "Leave src/api/ alone (apart from src/api/types.ts).",
                                 "Please don't modify src/api/ except for src/api/types.ts, thanks"}) {
            CAPTURE(rule);
            CHECK(found(rule, "/p/src/api/types.ts") == 0);
            CHECK(found(rule, "/p/src/api/client.ts") == 1);
            CHECK(found(rule, "/p/src/barn.ts") == 0);
            CHECK(found(rule, "", "sed -i s/a/b/ src/api/types.ts") == 0);
            CHECK(found(rule, "", "sed -i s/a/b/ src/api/client.ts") == 1);
        }
        // What is not within the folder, has no name or stands under a condition is no exception that can be checked.
        for (const char* rule :
             {"Don't touch src/api/ except where src/api/types.ts needs it.",
              "Don't touch src/api/ except for the types.", "Do not change src/api/ except lib/types.ts.",
              "Don't touch src/api/ except src/api/types.ts if the build breaks."}) {
            CAPTURE(rule);
            CHECK(found(rule, "/p/src/api/client.ts") == 0);
        }
        CHECK(found("Do not change anything except src/barn.ts.", "/p/src/barn.ts") == 0);
        CHECK(found("Do not change anything except src/barn.ts.", "/p/src/api/client.ts") == 1);
    }

    TEST_CASE("a file that is named by its way from the work folder is no other that only ends so") {
        const auto found = [&](auto&& work, std::string_view folder = "/home/noor/mill") {
            Session s("drift/instruction-violated");
            if (!folder.empty()) s.in_folder(folder);
            s.human("Make the page faster. Leave lib/core.js alone.");
            work(s);
            s.says("Done.");
            return s.end().size();
        };
        const auto look = [](Session& s) { s.call("Read", "/home/noor/mill/lib/core.js", "export {}"); };
        const auto edit = [](Session& s, std::string_view file) { s.call("Edit", file, "The file has been updated."); };
        constexpr std::string_view kOther = "/home/noor/mill/packages/web/lib/core.js";
        CHECK(found([&](Session& s) { look(s), edit(s, kOther); }) == 0);
        CHECK(found([&](Session& s) { look(s), edit(s, "/home/noor/mill/lib/core.js"); }) == 1);
        CHECK(found([&](Session& s) { look(s), s.call("Bash", "sed -i s/a/b/ packages/web/lib/core.js", ""); }) == 0);
        CHECK(found([&](Session& s) { look(s), s.call("Bash", "sed -i s/a/b/ lib/core.js", ""); }) == 1);
        CHECK(found([&](Session& s) { look(s), s.call("Bash", "cd packages/web && rm lib/core.js", ""); }) == 0);
        CHECK(found([&](Session& s) { look(s), s.call("Bash", "cd lib && rm core.js", ""); }) == 1);
        CHECK(found([&](Session& s) { look(s), s.call("Bash", "cd /home/noor/mill && rm lib/core.js", ""); }) == 1);
        CHECK(found([&](Session& s) { s.call("Bash", "git ls-files", "lib/core.js"), edit(s, kOther); }) == 0);
        // Where nothing of that name was met there, or the folder is not known, the end of a path may be what was
        // meant.
        CHECK(found([&](Session& s) { edit(s, kOther); }) == 1);
        CHECK(found([&](Session& s) { look(s), edit(s, kOther); }, "") == 1);
    }

    TEST_CASE("a merge counts for the branch that an earlier call went to") {
        const auto found = [](std::string_view branch) {
            Session s("drift/instruction-violated");
            s.human("Finish the tariff. Do not merge into main.");
            s.call("Bash", "git checkout " + std::string(branch), "Switched to branch");
            s.call("Bash", "git merge tariff", "Merge made by the 'ort' strategy.");
            s.says("Done.");
            return s.end().size();
        };
        CHECK(found("main") == 1);
        CHECK(found("staging") == 0);
    }

    TEST_CASE("what the agent made since the rule was said is its own to change and to take away") {
        const auto found_after = [](std::string_view rule, auto&& work) {
            Session s("drift/instruction-violated");
            s.human(rule);
            work(s);
            s.says("Done.");
            const auto& found = s.end();
            return found.empty() ? std::string() : found[0].message;
        };
        constexpr std::string_view kTests = "Add tests for the barn. Don't modify the existing tests.",
                                   kFiles = "Fix the barn. Do not delete any files.";
        constexpr std::string_view kUpdated = "The file has been updated.",
                                   kMade = "File created successfully at: tests/test_new.py";
        CHECK(found_after(kTests, [&](Session& s) {
                  s.call("Write", "/p/tests/test_new.py", kMade);
                  s.call("Edit", "/p/tests/test_new.py", kUpdated);
                  s.call("Write", "/p/tests/test_new.py", kUpdated);
                  s.call("Bash", "rm tests/test_new.py", "");
              }) == "");
        CHECK(found_after(kTests, [&](Session& s) {
                  s.call("Bash", "cat > tests/test_new.py <<'EOF'\nassert True\nEOF", "");
                  s.call("Edit", "/p/tests/test_new.py", kUpdated);
              }) == "");
        CHECK(found_after(kTests, [&](Session& s) { s.call("Write", "/p/tests/test_old.py", kUpdated); }) ==
              "line 2 changes /p/tests/test_old.py; changing the tests was ruled out by a human at line 1");
        CHECK(found_after("Write tests for the barn.", [&](Session& s) {
                  s.call("Write", "/p/tests/test_new.py", kMade);
                  s.human("Good. Now make them pass, but don't touch the tests.");
                  s.call("Edit", "/p/tests/test_new.py", kUpdated);
              }) != "");
        CHECK(found_after(kFiles, [&](Session& s) {
                  s.call("Write", "/p/debug_barn.py", "File created successfully at: debug_barn.py");
                  s.call("Bash", "rm -f debug_barn.py", "");
              }) == "");
        CHECK(found_after(kFiles, [&](Session& s) {
                  s.call("Write", "/p/debug_barn.py", "File created successfully at: debug_barn.py");
                  s.call("Bash", "rm -f src/barn.py debug_barn.py", "");
              }) == "line 4 deletes a file; deleting any file was ruled out by a human at line 1");
        CHECK(found_after("Fix the barn. Do not delete or skip any tests.", [](Session& s) {
                  s.call("Bash", "rm tests/test_barn.py", "");
              }) == "line 2 deletes a test; deleting the tests was ruled out by a human at line 1");
    }

    TEST_CASE("where no new files are wanted, one that was made is found, and one that was there is not") {
        const auto found_after = [](std::string_view rule, std::string_view file, std::string_view outcome) {
            Session s("drift/instruction-violated");
            s.human(rule);
            s.call("Write", file, outcome);
            s.says("Done.");
            const auto& found = s.end();
            return found.empty() ? std::string() : found[0].message;
        };
        constexpr std::string_view kMade = "File created successfully at: src/hay.py",
                                   kUpdated = "The file has been updated.";
        for (const std::string_view rule :
             {"Fix the barn, do not create new files.", "Don't create any additional files pls",
              "No new files. Extend src/barn.py.", "Don't add new files!", "不要新建文件"}) {
            CAPTURE(rule);
            CHECK(found_after(rule, "src/hay.py", kMade) ==
                  "line 2 makes src/hay.py; making new files was ruled out by a human at line 1");
            CHECK(found_after(rule, "src/hay.py", kUpdated) == "");
            CHECK(found_after(rule, "src/hay.py", "ok") == "");
            CHECK(found_after(rule, "/tmp/hay.py", kMade) == "");
        }
        CHECK(found_after("Never add files to src/.", "src/hay.py", kMade) ==
              "line 2 makes src/hay.py; making files in src/ was ruled out by a human at line 1");
        CHECK(found_after("Never add files to src/.", "lib/hay.py", kMade) == "");
        for (const std::string_view rule :
             {"Put it into src/hay.py. Do not create other files.", "Do not create new files unless needed.",
              "Do not create new files for each helper.", "Do not create files bigger than 300 lines.",
              "The exporter must not create new files."}) {
            CAPTURE(rule);
            CHECK(found_after(rule, "src/hay.py", kMade) == "");
        }
        Session patched("drift/instruction-violated");
        patched.human("Fix the barn. Do not create new files.");
        patched.call(
            "apply_patch",
            "*** Begin Patch\n*** Update File: src/barn.py\n@@\n-a\n+b\n*** Add File: src/hay.py\n+a\n*** End Patch",
            "Success. Updated the following files:\nA src/hay.py\nM src/barn.py");
        CHECK(patched.end().size() == 1);
        Session edited("drift/instruction-violated");
        edited.human("Fix the barn. Never add files to src/.");
        edited.call("Edit", "src/barn.py", kUpdated);
        CHECK(edited.end().empty());
    }

    TEST_CASE("the copy of a file for tests is another file, below the folder of the session") {
        const auto found = [](std::string_view folder, std::string_view tool, std::string_view what) {
            Session s("drift/instruction-violated");
            s.in_folder(folder);
            s.human("Fix the barn. Don't touch src/hay.py.");
            s.call(tool, what, "The file has been updated.");
            s.says("Done.");
            return s.end().size();
        };
        CHECK(found("/home/ada/mill", "Edit", "/home/ada/mill/tests/src/hay.py") == 0);
        CHECK(found("/home/ada/mill", "Edit", "tests/fixtures/src/hay.py") == 0);
        CHECK(found("/home/ada/mill", "Bash", "sed -i s/a/b/ tests/src/hay.py") == 0);
        CHECK(found("/home/ada/mill", "Edit", "/home/ada/mill/src/hay.py") == 1);
        CHECK(found("/home/ada/mill", "Edit", "/home/ada/mill/backend/src/hay.py") == 1);
        CHECK(found("/home/ada/mill", "Bash", "sed -i s/a/b/ src/hay.py") == 1);
        CHECK(found("/home/ada/tests", "Edit", "/home/ada/tests/src/hay.py") == 1);
    }

    TEST_CASE("a package that the human named may be installed") {
        struct Named {
            std::string_view rule, later, command;
            std::size_t findings;
        };
        for (const Named& c :
             {Named{"Fix the parser. No new dependencies.", "", "npm install zod", 1},
              Named{"Fix the parser. No new dependencies.", "hm ok use zod for that", "npm install zod@3 --save", 0},
              Named{"Use express for the routes, and don't add any other dependencies.", "", "npm install express", 0},
              Named{"Use express for the routes, and don't add any other dependencies.", "", "npm install express cors",
                    1},
              Named{"Fix the parser. No new dependencies.", "now make it faster", "npm install zod", 1}}) {
            CAPTURE(c.command);
            CAPTURE(c.later);
            Session s("drift/instruction-violated");
            s.human(c.rule);
            if (!c.later.empty()) s.call("Read", "src/parser.ts", "x").says("I have read it.").human(c.later);
            s.call("Bash", c.command, "added 1 package");
            s.says("Done.");
            CHECK(s.end().size() == c.findings);
        }
    }

    TEST_CASE("a yes to the agent's question lifts the rule it asked about") {
        for (const bool asks : {true, false}) {
            Session s("drift/instruction-violated");
            s.human("Fix the barn. Do not edit core.py.");
            s.call("Read", "core.py", "barn = None");
            s.says(asks ? "The bug is in core.py. May I change it?" : "The bug is somewhere else.");
            s.human("ok do it");
            s.call("Edit", "core.py", "The file has been updated.");
            CHECK(s.end().size() == (asks ? 0 : 1));
        }
    }

    TEST_CASE("fine, to what the agent says it needs, lifts the rule; to what it left alone it does not") {
        for (const bool needs : {true, false}) {
            Session s("drift/instruction-violated");
            s.human("Fix the login. Don't touch src/auth.py.");
            s.call("Edit", "src/login.py", "done");
            s.says(needs ? "Most of it works. The rest needs a change in src/auth.py."
                         : "It works. I did not need to change src/auth.py.");
            s.human("fine");
            s.call("Edit", "src/auth.py", "done");
            CHECK(s.end().empty() == needs);
        }
    }

    TEST_CASE("an answer to a question that was asked with a tool lifts a rule as well") {
        for (const std::string_view answer : {"Yes", "No"}) {
            Session s("drift/instruction-violated");
            s.human("Fix the barn. Do not push.");
            s.call("AskUserQuestion", R"({"questions":[{"question":"Shall I push the branch now?"}]})",
                   "User has answered your questions: \"Shall I push the branch now?\"=\"" + std::string(answer) +
                       "\". You can now continue.");
            s.call("Bash", "git push", "ok");
            CHECK(s.end().size() == (answer == "Yes" ? 0 : 1));
        }
    }

    TEST_CASE("so does an answer that orders it, and no other one") {
        for (const std::string_view answer : {"Push it to origin", "Keep it local"}) {
            Session s("drift/instruction-violated");
            s.human("Fix the barn and commit. Do not push.");
            s.call("AskUserQuestion", R"({"questions":[{"question":"The commit is ready. What next?"}]})",
                   "User has answered your questions: \"The commit is ready. What next?\"=\"" + std::string(answer) +
                       "\". You can now continue.");
            s.call("Bash", "git push", "ok");
            CHECK(s.end().size() == (answer == "Keep it local" ? 1 : 0));
        }
    }

    TEST_CASE("where a later message speaks of it and may have meant to allow it, the finding is a warning") {
        const auto severity = [](std::string_view said) {
            Session s("drift/instruction-violated");
            s.human("Fix the barn. Don't change the tests.");
            s.call("Read", "barn.py", "barn = None");
            s.human(said);
            s.call("Edit", "tests/test_barn.py", "The file has been updated.");
            s.says("Done.");
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        CHECK(severity("the tests are failing now") == Severity::warning);
        CHECK(severity("go on with the barn") == Severity::error);
        CHECK(severity("remember: the tests are not to be changed") == Severity::error);
    }

    TEST_CASE("the only places for changes are held against shell commands as well") {
        const auto held = [](std::string_view rule, std::string_view command, bool works = true) {
            Session s("drift/instruction-violated");
            s.human(rule);
            if (works)
                s.call("Bash", command, "ok");
            else
                s.fails("Bash", command, "No such file or directory");
            s.says("Done.");
            const auto& found = s.end();
            return found.empty() ? std::string() : found[0].message;
        };
        const std::string_view rule = "Change README.md and nothing else.";
        CHECK(held(rule, "rm docs/barn.md") ==
              "line 2 changes docs/barn.md, outside of README.md, the only place allowed by a human at line 1");
        CHECK(held(rule, "sed -i s/a/b/ README.md docs/barn.md") ==
              "line 2 changes docs/barn.md, outside of README.md, the only place allowed by a human at line 1");
        for (const char* fine : {"sed -i s/a/b/ README.md", "cd /farm && sed -i s/a/b/ ./README.md", "rm -rf build",
                                 "npm test > barn.log; rm barn.log", "cat docs/barn.md", "git checkout docs/barn.md"}) {
            CAPTURE(fine);
            CHECK(held(rule, fine).empty());
        }
        CHECK(held(rule, "rm docs/barn.md", false).empty());
        // In which folder the command ran is not known.
        CHECK(held("Only edit files in src/hens/.", "sed -i s/a/b/ barn.ts").empty());
        CHECK(held("Only edit files in src/hens/.", "cd /farm/src/hens && sed -i s/a/b/ barn.ts").empty());
        CHECK_FALSE(held("Only edit files in src/hens/.", "cd /farm/src && sed -i s/a/b/ barn.ts").empty());
    }
}
