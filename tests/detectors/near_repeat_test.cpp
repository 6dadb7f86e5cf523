#include "support/session.hpp"

#include <doctest/doctest.h>

using agent_audit::Severity;
using agent_audit::test::Session;

namespace {

const std::string kStuck = "the gate is stuck: the chain is off its wheel, and nobody lifts a gate without one";

std::string lift(int i) { return "./gate --lift " + std::to_string(10 + 3 * i); }

}  // namespace

TEST_SUITE("loop/near-repeat") {
    TEST_CASE("five calls that differ only in numbers are a warning, eight an error") {
        for (const auto& [times, findings, severity] :
             {std::tuple{4, 0u, Severity::info}, {5, 1u, Severity::warning}, {8, 1u, Severity::error}}) {
            Session s("loop/near-repeat");
            for (int i = 0; i < times; ++i) s.call("Bash", lift(i), kStuck);
            const auto& found = s.end();
            REQUIRE(found.size() == findings);
            if (findings == 0) continue;
            CHECK(found[0].severity == severity);
            CHECK(found[0].period == 1);
            CHECK(found[0].repeats == static_cast<std::uint64_t>(times));
            CHECK(found[0].first_line == 1);
        }
    }

    TEST_CASE("rounds of every period with changing numbers are found with that period") {
        for (int period = 1; period <= 32; ++period) {
            CAPTURE(period);
            Session s("loop/near-repeat");
            for (int round = 0; round < 8; ++round) {
                for (int i = 0; i < period; ++i) {
                    const std::string word(1 + static_cast<std::size_t>(i), 'a');
                    s.call("Bash", word + " " + std::to_string(round * 17), kStuck + word);
                }
            }
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            CHECK(found[0].period == static_cast<std::uint32_t>(period));
            CHECK(found[0].repeats == 8);
            CHECK(found[0].severity == Severity::error);
            CHECK(found[0].first_line == 1);
            CHECK(found[0].round.size() == static_cast<std::size_t>(period));
        }
    }

    TEST_CASE(
        "one day after the other of a path by date is asked for on purpose, one page after the other of a day is not") {
        const auto findings = [](const std::string& before, const std::string& behind) {
            Session s("loop/near-repeat");
            for (int i = 11; i < 22; ++i)
                s.call("fetch_url", "https://mill.example/" + before + std::to_string(i) + behind,
                       "Nothing was ground, sold or mended on this day.");
            return s.end().size();
        };
        CHECK(findings("diary/2025/01/", "") == 0);
        CHECK(findings("diary/2025/01/", "/") == 0);
        CHECK(findings("diary/2025/01/03?page=", "") == 1);
        CHECK(findings("diary/5025/01/", "") == 1);
    }

    TEST_CASE("words that differ are not numbers that differ") {
        Session s("loop/near-repeat");
        for (const char* word : {"a", "b", "c", "d", "e", "f", "g", "h", "i"})
            s.call("Bash", std::string("./gate ") + word, kStuck);
        CHECK(s.end().empty());
    }

    TEST_CASE("one other answer in between ends it") {
        Session s("loop/near-repeat");
        for (int i = 0; i < 9; ++i) s.call("Bash", lift(i), i == 4 ? "lifted" : kStuck);
        CHECK(s.end().empty());
    }

    TEST_CASE("successful changes and short acknowledgements of a batch are silent") {
        Session edits("loop/near-repeat");
        for (int i = 0; i < 20; ++i) edits.call("Edit", "page" + std::to_string(i), kStuck);
        CHECK(edits.end().empty());
        Session batch("loop/near-repeat");
        for (int i = 0; i < 20; ++i) batch.call("Bash", "./stamp " + std::to_string(i), "ok");
        CHECK(batch.end().empty());
        Session tasks("loop/near-repeat");
        for (int i = 0; i < 20; ++i)
            tasks.call("mcp__board__move", "card " + std::to_string(i),
                       kStuck.substr(0, 20) + " moved to the next column of the board, as it was asked for");
        CHECK(tasks.end().empty());
    }

    TEST_CASE("calls that are equal in every part are left to the exact rules") {
        Session s("loop/near-repeat");
        for (int i = 0; i < 12; ++i) s.call("Bash", "./gate --lift 3", kStuck);
        CHECK(s.end().empty());
    }

    TEST_CASE("equal main arguments say nothing about the other ones") {
        Session s("loop/near-repeat");
        for (int i = 0; i < 12; ++i)
            s.call_json("Grep", "grain", "grain in folder " + std::to_string(i), "no matches found");
        CHECK(s.end().empty());
    }

    TEST_CASE("an argument that is too long to be kept is not compared") {
        Session s("loop/near-repeat");
        for (int i = 0; i < 12; ++i) s.call("Bash", std::string(200, 'x') + std::to_string(i), kStuck);
        CHECK(s.end().empty());
    }

    TEST_CASE("searches in numbered places that find nothing are at most a warning") {
        Session s("loop/near-repeat");
        for (int i = 0; i < 12; ++i) s.call("Grep", "chapter" + std::to_string(i), "No matches found");
        CHECK(s.end().at(0).severity == Severity::warning);
    }

    TEST_CASE("transient errors need twice the counts") {
        Session s("loop/near-repeat");
        for (int i = 0; i < 9; ++i) s.fails("fetch", "page " + std::to_string(i), "HTTP 503 service unavailable");
        CHECK(s.end().empty());
    }

    TEST_CASE("tries that are spread over more time than asked for are silent") {
        for (const auto& [seconds, findings] : {std::pair{10, 1u}, {100, 0u}}) {
            Session s("loop/near-repeat", {{"within", "60"}});
            for (int i = 0; i < 7; ++i) s.at(1000 + i * seconds).call("Bash", lift(i), kStuck);
            CHECK(s.end().size() == findings);
        }
    }

    TEST_CASE("clicks a few pixels apart that show the same are one click, clicks on row after row are none") {
        const auto clicked = [](int apart) {
            Session s("loop/near-repeat");
            for (int i = 0; i < 9; ++i) {
                s.call("left_click", "[640, " + std::to_string(400 + i % 5 * apart) + "]", "done")
                    .call("read_page", "{}", "Rooms of the mill. Sold out.");
            }
            return s.end().size();
        };
        CHECK(clicked(1) == 1);
        CHECK(clicked(30) == 0);
        Session blind("loop/near-repeat");
        for (int i = 0; i < 20; ++i) blind.call("left_click", "[640, " + std::to_string(400 + i % 5) + "]", "done");
        CHECK(blind.end().empty());
    }

    TEST_CASE("page after page that is empty is found, users without orders are not") {
        Session pages("loop/near-repeat"), users("loop/near-repeat");
        for (int i = 5; i < 20; ++i) {
            pages.call("list_users", R"({"page": )" + std::to_string(i) + "}", R"({"users":[]})");
            users.call("list_orders", R"({"user_id": )" + std::to_string(i) + "}", R"({"orders":[]})");
        }
        const auto& found = pages.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::error);
        CHECK(found[0].repeats == 15);
        CHECK(users.end().empty());
    }

    TEST_CASE("one numbered file after the other that is well is a walk, and one number after the other is none") {
        const auto run = [](std::string_view before, std::string_view after, std::string_view answer,
                            bool fails = false) {
            Session s("loop/near-repeat");
            for (int i = 10; i < 22; ++i) {
                const std::string command = std::string(before) + std::to_string(i) + std::string(after);
                if (fails)
                    s.fails("Bash", command, answer);
                else
                    s.call("Bash", command, answer);
            }
            const auto& found = s.end();
            return found.empty() ? agent_audit::Severity::info : found[0].severity;
        };
        constexpr std::string_view kSummary =
            "summary of the whole manifest: 1 resource found in 1 file, valid 1, skipped 0, and nothing else";
        CHECK(run("kubeconform manifests/", ".yaml", kSummary) == agent_audit::Severity::info);
        CHECK(run("pytest -q -p seed", "",
                  "40 passed, and there is nothing else that has to be said about any of these tests") ==
              agent_audit::Severity::info);
        CHECK(run("kubeconform manifests/", ".yaml", "error: the schema can not be read", true) ==
              agent_audit::Severity::warning);
        CHECK(run("kubeconform --retries ", " all.yaml", kSummary) == agent_audit::Severity::error);
    }

    TEST_CASE("one day after the other is no number that is turned") {
        const auto asked = [](const std::string& before, const std::string& after) {
            Session s("loop/near-repeat");
            for (int i = 0; i < 8; ++i) s.call_json("find_trips", "SFO", before + std::to_string(i) + after, "[]");
            return s.end().size();
        };
        CHECK(asked(R"({"from": "SFO", "date": "2024-05-2)", "\"}") == 0);
        Session logs("loop/near-repeat"), shards("loop/near-repeat");
        for (int i = 0; i < 8; ++i) {
            logs.fails("Bash", "aws s3 ls s3://mill/app-2026-0" + std::to_string(i) + ".tar.gz", "");
            shards.fails("Bash", "aws s3 ls s3://mill/part-" + std::to_string(i) + ".tar.gz", "");
        }
        CHECK(logs.end().empty());
        CHECK(shards.end().size() == 1);
        CHECK(asked(R"({"from": "SFO", "since": "2024-05-20", "page": )", "}") == 1);
    }

    TEST_CASE("a check at one revision after the other looks for the one that broke it") {
        for (const std::string_view rule :
             {"loop/near-repeat", "loop/known-answers", "loop/same-error", "loop/error-streak"}) {
            Session s(rule);
            for (int i = 0; i < 12; ++i)
                s.fails("Bash", "git checkout -q v1." + std::to_string(30 - i) + " && pytest -q",
                        "1 failed, 17 passed");
            CAPTURE(rule);
            CHECK(s.end().empty());
        }
    }

    TEST_CASE("files and hosts with numbers in their names are other ones, and so are things that are not there") {
        using agent_audit::Severity;
        const auto run = [](std::string_view tool, std::string_view before, std::string_view after,
                            std::string_view answer, bool fails = false) {
            Session s("loop/near-repeat");
            for (int i = 0; i < 12; ++i) {
                const std::string argument = std::string(before) + std::to_string(i) + std::string(after);
                if (fails)
                    s.fails(tool, argument, answer);
                else
                    s.call(tool, argument, answer);
            }
            const auto& found = s.end();
            return found.empty() ? Severity::info : found[0].severity;
        };
        constexpr std::string_view kText =
            "MIT License, permission is hereby granted, free of charge, to any person obtaining a copy of this";
        CHECK(run("Read", "/yard/crates/crate", "/LICENSE", kText) == Severity::info);
        CHECK(run("Bash", "ssh crane", " cat /etc/motd", kText) == Severity::info);
        CHECK(run("Bash", "ssh crane", " chronyc tracking", "506 cannot talk to the daemon", true) ==
              Severity::warning);
        CHECK(run("Bash", "./moor try", "", "506 cannot talk to the daemon", true) == Severity::error);
        CHECK(run("get_berth", "berth ", "", "berth not found", true) == Severity::warning);
        CHECK(run("get_berth", "berth ", "", "the berth is not yours", true) == Severity::error);
        CHECK(run("delete_berth", "berth ", "", "berth not found", true) == Severity::error);
    }

    TEST_CASE("a server that is started on port after port is found where none answers, and is none where each does") {
        const auto found = [](bool answers) {
            Session s("loop/near-repeat");
            for (int port = 3000; port < 3007; ++port) {
                const std::string number = std::to_string(port);
                s.call("Bash", "PORT=" + number + " npm run dev &", "");
                if (answers)
                    s.call("Bash", "curl -s http://localhost:" + number, "200");
                else
                    s.fails("Bash", "curl -s http://localhost:" + number, "Exit code 7");
            }
            return s.end().size();
        };
        CHECK(found(false) == 1);
        CHECK(found(true) == 0);
        Session free("loop/near-repeat");  // each port is looked at before it is taken
        for (int port = 3000; port < 3007; ++port) {
            const std::string number = std::to_string(port);
            free.fails("Bash", "curl -s http://localhost:" + number, "Exit code 7");
            free.call("Bash", "PORT=" + number + " ./grind --detach", "grinder started");
        }
        CHECK(free.end().empty());
    }

    TEST_CASE("a number within a name is that of another field, not of a place a few pixels away") {
        const auto fill = [](const char* name, const char* vat) {
            Session s("loop/near-repeat");
            for (int i = 0; i < 12; ++i) {
                const std::string text = std::to_string(7919 * i);
                s.call("browser_navigate", "https://mill.example/sacks/new", "Page: New sack\n- textbox\n- textbox");
                s.call_json("browser_type", name,
                            std::string(R"({"ref":")") + name + R"(","text":"rye )" + text + "\"}", "ok");
                s.call_json("browser_type", vat, std::string(R"({"ref":")") + vat + R"(","text":"DE)" + text + "\"}",
                            "ok");
                s.call("browser_click", "e20", "Page: Sack saved\n- link back");
            }
            return s.end().size();
        };
        CHECK(fill("e12", "e15") == 0);
        CHECK(fill("field_12", "field_15") == 0);
    }

    TEST_CASE("clicks that are told by a list of coordinates are as near as their coordinates") {
        const auto clicks = [](int apart) {
            Session s("loop/near-repeat");
            for (int i = 0; i < 9; ++i) {
                const std::string place =
                    R"({"action":"left_click","coordinate":[)" + std::to_string(600 + i % 3 * apart) + ",400]}";
                s.call_json(
                    "computer", "left_click", place,
                    "the banner with the button Accept stands in front of the page, and nothing else can be reached");
            }
            return s.end().size();
        };
        CHECK(clicks(3) == 1);
        CHECK(clicks(40) == 0);
    }

    TEST_CASE("a screenshot now and then that shows what the click did is no step of its own") {
        const auto clicks = [](std::string_view shown) {
            Session s("loop/near-repeat");
            constexpr std::string_view kAsk =
                "a dialog 'Update the mill' covers the window, and all buttons below it are grey";
            for (int i = 0; i < 9; ++i) {
                const std::string place =
                    R"({"action":"left_click","coordinate":[)" + std::to_string(912 + i % 4) + ",147]}";
                s.call_json("computer", "left_click", place, kAsk);
                if (i == 1 || i == 4 || i == 5)
                    s.call_json("computer", "screenshot", R"({"action":"screenshot"})", shown);
            }
            return s.end().size();
        };
        CHECK(clicks("a dialog 'Update the mill' covers the window, and all buttons below it are grey") == 1);
        CHECK(clicks("the dialog closes, and the list of the sacks comes up below it, row by row") == 0);
    }

    TEST_CASE("runs from which nothing comes whatever their seed are a warning; results and starts are none") {
        const auto run = [](auto&& answer) {
            Session s("loop/near-repeat");
            for (int i = 0; i < 9; ++i) s.call("Bash", "python train.py --seed " + std::to_string(i), answer(i));
            const auto& found = s.end();
            return found.empty() ? Severity::info : found[0].severity;
        };
        CHECK(run([](int) { return "epoch 1 loss nan"; }) == Severity::warning);
        CHECK(run([](int) { return "mean reward 0.0"; }) == Severity::warning);
        CHECK(run([](int i) { return "epoch 1 loss 0." + std::to_string(40 + i); }) == Severity::info);
        CHECK(run([](int) { return "mean reward 500.0"; }) == Severity::info);
        CHECK(run([](int) { return "accuracy: 0,98"; }) == Severity::info);
        CHECK(run([](int) { return "accuracy: 0,00"; }) == Severity::warning);
        CHECK(run([](int) { return "loss: -nan"; }) == Severity::warning);
        CHECK(run([](int) { return "started"; }) == Severity::info);
    }

    TEST_CASE("that there is no solution with these numbers is an answer; that the solver died is none") {
        const auto findings = [](std::string_view said) {
            std::size_t found = 0;
            for (const char* rule :
                 {"loop/near-repeat", "loop/known-answers", "loop/same-error", "loop/error-streak"}) {
                Session s(rule);
                for (int i = 2; i < 14; ++i) s.fails("Bash", "./colour mills.col " + std::to_string(i), said);
                found += s.end().size();
            }
            return found;
        };
        CHECK(findings("UNSAT") == 0);
        CHECK(findings("Exit code 20\ns UNSATISFIABLE") == 0);
        CHECK(findings("Exit code 1\nmodel is infeasible") == 0);
        CHECK(findings("Exit code 1\ncolour: cannot read mills.col") > 0);
    }
}
