#include "support/session.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <utility>

using agent_audit::test::Session;

namespace {

using Items = std::initializer_list<std::pair<std::string, std::string>>;  // state and text

void plan(Session& s, const Items& items) {
    std::string args = R"({"todos":[)";
    for (const auto& [state, text] : items) {
        if (args.back() == '}') args += ',';
        args += R"({"content":")" + text + R"(","status":")" + state + R"("})";
    }
    s.call_json("TodoWrite", "", args + "]}", "Todos have been modified");
}

const Items kThree{{"in_progress", "add the column"}, {"pending", "migrate old rows"}, {"pending", "update the docs"}};

}  // namespace

TEST_SUITE("drift/abandoned-plan") {
    TEST_CASE("items that vanish from the next plan are found, also where each has few words that tell") {
        Session s("drift/abandoned-plan");
        s.human("Add the column, migrate old rows and update the docs.");
        plan(s, kThree);
        s.call("Edit", "models.py", "done");
        plan(s, {{"completed", "add the column"}, {"in_progress", "tune the cache"}});
        s.call("Edit", "cache.py", "done");
        s.says("All done.");
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].message.find("2 items of the plan vanished") == 0);
    }

    TEST_CASE(
        "a plan that is ticked off and then cut has lost its items; what was worked on before both is none of them") {
        const auto found = [](const char* file) {
            Session s("drift/abandoned-plan");
            s.human("Add the column, migrate old rows and update the docs.");
            plan(s, kThree);
            s.call("Edit", file, "done");
            plan(
                s,
                {{"completed", "add the column"}, {"in_progress", "migrate old rows"}, {"pending", "update the docs"}});
            plan(s, {{"completed", "add the column"}, {"in_progress", "tune the cache"}});
            s.call("Edit", "cache.py", "done").says("All done.");
            return s.end().size();
        };
        CHECK(found("models.py") == 1);
        CHECK(found("migrate/rows/update_docs.py") == 0);
    }

    TEST_CASE("an end that is announced in another language is one, and an open item that is named is none") {
        const auto found = [](std::string_view end) {
            Session s("drift/abandoned-plan");
            s.human("Füge die Spalte hinzu, zieh alte Zeilen um und passe die Doku an.");
            plan(s, kThree);
            s.call("Edit", "models.py", "done").call("Bash", "pytest -q", "5 passed");
            s.says(end);
            return s.end().size();
        };
        CHECK(found("Fertig! Alles ist umgesetzt.") == 1);
        CHECK(found("Tout est terminé.") == 1);
        CHECK(found("Die Spalte ist da, die Doku ist noch offen.") == 0);
        CHECK(found("Alles ist umgesetzt, nur die Doku fehlt.") == 0);
    }

    TEST_CASE("items that are left out of the last version are found when the end is announced") {
        struct Ending {
            Items last;
            const char* words;
            std::size_t findings;
        };
        const Items shorter{{"completed", "add the column"}};
        const Items other{{"completed", "write the release notes"}};
        for (const Ending& c : {Ending{shorter, "All done.", 1},
                                Ending{shorter, "The column is there; the rows and the docs are still to do.", 0},
                                Ending{other, "All done.", 0},
                                Ending{{{"completed", "add the column"},
                                        {"completed", "migrate old rows"},
                                        {"completed", "update the docs"}},
                                       "All done.",
                                       0}}) {
            CAPTURE(c.words);
            Session s("drift/abandoned-plan");
            s.human("Add the column, migrate old rows and update the docs.");
            plan(s, kThree);
            s.call("Edit", "models.py", "done").call("Edit", "schema.py", "done");
            plan(s, c.last);
            s.says(c.words);
            CHECK(s.end().size() == c.findings);
        }
    }

    TEST_CASE("items that were worked on, or are still in the plan, are not") {
        Session worked("drift/abandoned-plan");
        worked.human("Add the column, migrate old rows and update the docs.");
        plan(worked, kThree);
        worked.call("Edit", "models.py", "done");
        worked.call("Bash", "python migrate.py --rows old", "400 rows");
        worked.call("Edit", "docs/schema.md", "done");
        plan(worked, {{"completed", "add the column"}, {"in_progress", "tune the cache"}});
        worked.says("All done.");
        CHECK(worked.end().empty());
        Session kept("drift/abandoned-plan");
        kept.human("Add the column, migrate old rows and update the docs.");
        plan(kept, kThree);
        kept.call("Edit", "models.py", "done");
        plan(kept, {{"completed", "add the column"},
                    {"pending", "migrate old rows"},
                    {"pending", "update the docs"},
                    {"in_progress", "tune the cache"}});
        kept.says("Shall I go on?");
        CHECK(kept.end().empty());
    }

    TEST_CASE("open items when all is said to be done, also right behind the plan that names them") {
        for (const bool edits : {false, true}) {
            CAPTURE(edits);
            Session s("drift/abandoned-plan");
            s.human("Add the column, migrate old rows and update the docs.");
            plan(s, kThree);
            s.call("Edit", "models.py", "done").call("Read", "models.py", "class Model");
            plan(s, {{"completed", "add the column"}, {"pending", "migrate old rows"}, {"pending", "update the docs"}});
            if (edits) s.call("Edit", "cache.py", "done").call("Edit", "cache2.py", "done");
            s.says("All items of the plan are done. The feature is complete.");
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            CHECK(found[0].repeats == 1);
            CHECK(found[0].message.find("are open and untouched") != std::string::npos);
        }
    }

    TEST_CASE("work before the plan was written anew counts as work") {
        Session s("drift/abandoned-plan");
        s.human("Add the column, migrate old rows and update the docs.");
        plan(s, kThree);
        s.call("Bash", "python migrate.py --rows old", "400 rows")
            .call("Edit", "docs/schema.md", "done")
            .call("Edit", "models.py column", "done");
        plan(s, {{"completed", "add the column"}, {"pending", "migrate old rows"}, {"pending", "update the docs"}});
        s.says("All done. The feature is complete.");
        CHECK(s.end().empty());
    }

    TEST_CASE("a plan that is refined before any work, and items that are said not to be needed") {
        Session refined("drift/abandoned-plan");
        refined.human("Add an archive page.");
        plan(refined, {{"pending", "Implement backend"}, {"pending", "Implement frontend"}});
        plan(refined, {{"in_progress", "Add model"}, {"pending", "Add endpoint"}, {"pending", "Add button"}});
        refined.call("Edit", "models.py", "done");
        refined.says("Shall I go on?");
        CHECK(refined.end().empty());
        Session off("drift/abandoned-plan");
        off.human("Add the column, migrate old rows and update the docs.");
        plan(off, kThree);
        off.call("Edit", "models.py", "done");
        off.says("There are no old rows to migrate, and the docs need no update: neither is needed.");
        plan(off, {{"completed", "add the column"}, {"in_progress", "tune the cache"}});
        off.call("Edit", "cache.py", "done");
        off.says("All done.");
        CHECK(off.end().empty());
    }
}
