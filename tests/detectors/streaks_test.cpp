#include "detectors/commands/tool_words.hpp"
#include "support/session.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>

using agent_audit::ResultStatus;
using agent_audit::Severity;
using agent_audit::detectors::begins_with_failure;
using agent_audit::test::Session;

TEST_SUITE("loop/same-error") {
    TEST_CASE("a call lacks the same argument, whatever it is for and whatever is advised; another one is news") {
        const auto after = [](const std::array<std::string_view, 4>& lacks) {
            Session s("loop/same-error");
            for (std::size_t i = 0; i < lacks.size(); ++i)
                s.fails("write_to_file", "docs/mill" + std::to_string(i) + ".md",
                        "No value for required parameter '" + std::string(lacks[i]) + "' of mill" + std::to_string(i) +
                            (i % 2 == 0 ? ".md. Retrying..." : ".md. Suggestion: write it in smaller parts."));
            return s.end().size();
        };
        CHECK(after({"content", "content", "content", "content"}) == 1);
        CHECK(after({"content", "mode", "encoding", "owner"}) == 0);
    }

    TEST_CASE("who edits what does not stand in the file is told to read it, and nobody else") {
        const auto action = [](const char* tool, const char* error) {
            Session s("loop/same-error");
            for (int i = 0; i < 5; ++i) s.fails(tool, "sack of corn " + std::to_string(i), error);
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            return found[0].action;
        };
        CHECK(action("Edit", "String to replace not found in file.").starts_with("read what stands in the file"));
        CHECK(action("Edit", "Parameter `old_str` is required").starts_with("read the error"));
        CHECK(action("search_kb", "401 invalid api key").starts_with("read the error"));
    }

    TEST_CASE("what a validation quotes of the input makes no other error of it, what it wants does") {
        const auto found = [](bool one_field) {
            Session s("loop/same-error");
            for (int i = 0; i < 6; ++i) {
                constexpr std::string_view kGrains[] = {"rye", "oat", "corn", "millet", "spelt", "barley"};
                const std::string n(kGrains[i]), field = one_field ? "weight" : "weight of " + n;
                s.fails("set_weight", R"({"weight":"heavy)" + n + "\"}",
                        "1 validation error for set_weight\n" + field +
                            "\n  Input should be a valid integer [type=int_parsing, input_value='heavy" + n +
                            std::string(static_cast<std::size_t>(i), '!') + "', input_type=str]");
            }
            return s.end().size();
        };
        CHECK(found(true) == 1);
        CHECK(found(false) == 0);
    }

    TEST_CASE("one thing after the other that is gone or closed wants twice as many; guesses at one do not") {
        using Rows = std::vector<std::string_view>;
        const auto found = [](std::string_view tool, const Rows& things, std::string_view error) {
            Session s("loop/same-error");
            for (const std::string_view thing : things) s.fails(tool, thing, error);
            return s.end().size();
        };
        constexpr std::string_view kGone = "Request failed with status code 404",
                                   kClosed = "Request failed with status code 403";
        const Rows sites{"https://mill.example/price", "https://corn.example/shop", "https://quern.example/list"};
        CHECK(found("WebFetch", sites, kGone) == 0);
        CHECK(found("WebFetch", sites, kClosed) == 0);
        CHECK(found("get_report", {"sacks", "querns", "mice"}, "403 Forbidden") == 0);
        CHECK(found("get_report", {"sacks", "querns", "mice", "corn", "dust", "rats"}, "403 Forbidden") == 1);
        CHECK(found("get_report", {"sacks", "querns", "mice"}, "401 invalid api key") == 1);
        CHECK(found("WebFetch", {"https://mill.example/a", "https://mill.example/b", "https://mill.example/c"},
                    kClosed) == 1);
        CHECK(found("WebFetch",
                    {"https://mill.example/price.pdf", "https://mill.example/Price.pdf",
                     "https://mill.example/price-list.pdf"},
                    kGone) == 1);
        CHECK(found("WebFetch",
                    {"https://mill.example/price", "https://mill.test/price", "https://the-mill.example/price"},
                    kGone) == 1);
        CHECK(found("get_report", {"sacks 2026-04", "sacks 04-2026", "sacks of april"}, "403 Forbidden") == 1);
    }

    TEST_CASE("Gradle fails alike whatever it is told to build; that another task failed is another failure") {
        constexpr std::array kTasks{"build", "clean build", "build", "assemble", "clean build", "build"};
        for (const bool alike : {true, false}) {
            Session s("loop/same-error");
            for (std::size_t i = 0; i < kTasks.size(); ++i) {
                const std::string n = std::to_string(i + 1);
                s.fails("Bash", std::string("./gradlew ") + kTasks[i],
                        "Starting a Gradle Daemon, " + n + " busy Daemons could not be reused\n\n* What went wrong:\n" +
                            (alike ? "Build failed with an exception: the daemon crashed"
                                   : "Task :mill" + std::string(i, 'l') + ":jar failed") +
                            "\n\n* Try:\n> Run with --info.\n\nBUILD FAILED in " + n + "m " + n + "s");
            }
            CHECK(s.end().size() == (alike ? 1u : 0u));
        }
    }

    TEST_CASE(
        "a shell that cannot read a command fails alike in whichever line of it, a script in its own lines does not") {
        const auto found = [](std::string_view shell, std::string_view complaint) {
            Session s("loop/same-error");
            for (int i = 3; i < 8; ++i) {
                const std::string n = std::to_string(i);
                s.fails("Bash", "python3 -c 'print(sacks(" + n + "))",
                        std::string(shell) + ": line " + n + ": " + std::string(complaint));
            }
            return s.end().size();
        };
        constexpr std::string_view kOpen = "unexpected EOF while looking for matching `''";
        CHECK(found("/bin/bash: -c", kOpen) == 1);
        CHECK(found("bash: eval", kOpen) == 1);
        CHECK(found("sh", "Syntax error: Unterminated quoted string") == 1);
        CHECK(found("./mill.sh", kOpen) == 0);
        CHECK(found("/bin/bash", "grind: command stopped") == 0);
        Session others("loop/same-error");
        for (const std::string_view token : {"`('", "`)'", "`;;'", "`fi'"})
            others.fails("Bash", std::string("echo ") + std::string(token),
                         "bash: -c: line 1: syntax error near unexpected token " + std::string(token));
        CHECK(others.end().empty());
    }

    TEST_CASE("a command that fails alike whatever is done in between is stuck, one that works at last was not") {
        enum class Kind : std::uint8_t { stuck, edits, modules, works, others };
        const auto found = [](Kind kind, int rounds) {
            constexpr std::array<std::string_view, 10> kThings{"barn", "mill", "quay", "farm", "shed",
                                                               "well", "yard", "dock", "lock", "pier"};
            Session s("loop/same-error");
            for (int i = 0; i < rounds; ++i) {
                const std::string n = std::to_string(4711 + 13 * i), thing(kThings[static_cast<std::size_t>(i)]);
                const std::string stack = kind == Kind::modules ? "cd " + thing + " && " : "";
                const std::string why = kind == Kind::others ? "no such region: " + thing : "the state is locked";
                s.fails("Bash", stack + "terraform apply" + (i % 2 == 0 ? "" : " -no-color"),
                        "Error: Error acquiring the lock of the state, " + why + ", for which see the manual. " +
                            std::string(60, '-') + " Lock: 9d791938-d211-241e-99f5-b7415" + n + "107, ci@runner-" + n);
                s.call("Bash", "terraform force-unlock -force 9d791938-" + n, "unlocked");
                if (kind == Kind::edits) s.call("Edit", "change " + n, "done");
            }
            if (kind == Kind::works) s.call("Bash", "terraform apply", "Apply complete!");
            const auto& all = s.end();
            return all.empty() ? Severity::info : all[0].severity;
        };
        CHECK(found(Kind::stuck, 5) == Severity::info);
        CHECK(found(Kind::stuck, 6) == Severity::warning);
        CHECK(found(Kind::stuck, 10) == Severity::error);
        CHECK(found(Kind::works, 9) == Severity::info);
        CHECK(found(Kind::edits, 9) == Severity::info);
        CHECK(found(Kind::modules, 9) == Severity::info);
        CHECK(found(Kind::others, 9) == Severity::info);
    }

    TEST_CASE("what may not be touched may not be touched in any way; of another file it may be asked") {
        for (const bool one : {true, false}) {
            Session s("loop/same-error");
            int n = 0;
            const auto path = [&] {
                return "/etc/mill/" + std::string(one ? "grind" : "bin" + std::to_string(++n)) + ".conf";
            };
            std::string p = path();
            s.fails("Bash", "echo 'limit=5' >> " + p, "bash: line 1: " + p + ": Permission denied");
            p = path();
            s.fails("Bash", "sed -i 's/4/5/' " + p,
                    "sed: couldn't open temporary file /etc/mill/sedXk2: Permission denied");
            p = path();
            s.fails("Bash", "cp /home/noor/new.conf " + p,
                    "cp: cannot create regular file '" + p + "': Permission denied");
            p = path();
            s.fails("Bash", "chmod u+w " + p, "chmod: changing permissions of '" + p + "': Operation not permitted");
            CHECK(s.end().size() == (one ? 1u : 0u));
        }
    }

    TEST_CASE("a hook says the same of each message that it is given, and something else is another error") {
        for (const bool alike : {true, false}) {
            Session s("loop/same-error");
            for (const std::string message : {"feat: add a sieve", "fix: the sieve is finer", "chore: sieve and sacks"})
                s.fails("Bash", "git commit -m \"" + message + "\"",
                        "[FAILED] commitlint\ninput: " + message + "\n" +
                            (alike ? std::string("footer must name a ticket [ticket-required]")
                                   : "subject is " + std::to_string(message.size()) + "th of its kind") +
                            "\nhook failed (code 1), nothing was committed");
            CHECK(s.end().size() == (alike ? 1u : 0u));
        }
    }

    TEST_CASE("a notebook in which a name is missing fails alike whatever the cell asks of it") {
        const std::array kCells{"df.head()", "df['sacks'].sum()", "print(df.describe())"};
        for (const bool alike : {true, false}) {
            Session s("loop/same-error");
            for (std::size_t i = 0; i < kCells.size(); ++i)
                s.fails("mcp__notebook__run", kCells[i],
                        "Traceback (most recent call last):\n  Cell In[" + std::to_string(i + 4) +
                            "], line 1\n----> 1 " + kCells[i] + "\nNameError: name '" + (alike ? "df" : kCells[i]) +
                            "' is not defined");
            CHECK(s.end().size() == (alike ? 1u : 0u));
        }
    }

    TEST_CASE("an answer that repeats its argument all the way costs no more than its length") {
        // Taken out of it place by place it would take minutes.
        Session s("loop/exact-repeat");
        for (int i = 0; i < 6; ++i) {
            std::string said = "Error: timeout ";
            while (said.size() < 1'000'000) said += "#rye";
            s.fails("browser_click", "#rye", said);
        }
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("logs that end alike are one error only where they name the same file, symbol or test above") {
        constexpr std::string_view kTests[] = {"adds_sacks", "weighs_rye", "opens_gate", "pays_miller", "counts_mice"};
        constexpr std::string_view kFiles[] = {"cart", "user", "gate", "till", "barn"};
        const auto found = [&](bool alike, bool indented, std::string_view head = "Run mill build") {
            Session s("loop/same-error");
            for (std::size_t i = 0; i < 5; ++i) {
                const std::size_t of = alike ? 0 : i;
                std::string log = std::string(head) + "\nadded 812 packages in " + std::to_string(9 + i) + "s\n";
                for (std::size_t part = 0; part < 14 + i; ++part)
                    log += "grinding part" + std::to_string(part) + " (" + std::to_string(i * 37 + part) + " ms)\n";
                if (indented)
                    log += "Error: AccessDenied\n\n  with mill." + std::string(kTests[of]) + ",\n";
                else
                    log +=
                        "src/" + std::string(kFiles[of]) + ".ts(1" + std::to_string(i) + ",3): error TS2304: no name\n";
                log += "npm error code 2\nError: Process completed with exit code 2.\nCleaning up\nJob finished\nBye";
                s.fails("run_pipeline", "run " + std::to_string(i), log);
                s.call("Edit", "src/mill.ts", "done " + std::to_string(i));
            }
            return s.end().size();
        };
        CHECK(found(true, false) == 1);
        CHECK(found(false, false) == 0);
        CHECK(found(true, true) == 1);
        CHECK(found(false, true) == 0);
        CHECK(found(true, false, "Error: the workflow failed, its log:") == 1);
        CHECK(found(false, false, "Error: the workflow failed, its log:") == 0);
    }

    TEST_CASE("a log says at its end what went wrong, not in the lines with which all begin") {
        constexpr std::array kErrors{"KeyError: 'net'", "ValueError: bad date", "RuntimeError: no rows",
                                     "OSError: gone", "TypeError: none"};
        const auto found = [&](bool alike) {
            Session s("loop/same-error");
            for (std::size_t i = 0; i < kErrors.size(); ++i) {
                std::string log = "[2026-03-01T10:0" + std::to_string(i) + ":00Z] INFO - Starting task load of sales\n";
                for (int line = 0; line < 8; ++line)
                    log += "[2026-03-01T10:00:0" + std::to_string(line) + "Z] INFO - read part " +
                           std::to_string(line) + " of the sales of the day before\n";
                log += "Traceback (most recent call last):\n  File \"load.py\", line 8, in run\n";
                log += std::string(kErrors[alike ? 0 : i]) + "\n[2026-03-01T10:00:09Z] INFO - Task exited with code 1";
                s.fails("get_task_log", "run " + std::to_string(i), log);
            }
            return s.end().size();
        };
        CHECK(found(true) == 1);
        CHECK(found(false) == 0);
    }

    TEST_CASE("the number of a request in an error makes no other error, that of a thing that is not there does") {
        const auto found = [](const std::string& before, const std::string& behind) {
            Session s("loop/same-error");
            for (int i = 0; i < 4; ++i)
                s.fails("create_page", "page " + std::to_string(i),
                        before + "4d1" + static_cast<char>('a' + i) + "07e" + std::to_string(i) + behind);
            return s.end().size();
        };
        CHECK(found("Invalid arguments: spaceId is required (req ", ")") == 1);
        CHECK(found("Invalid arguments: spaceId is required by page ", "") == 0);
    }

    TEST_CASE("one tool failing alike in three responses is a warning, in five an error, whatever the arguments") {
        Session three("loop/same-error");
        for (int i = 0; i < 3; ++i)
            three.fails("mcp__find__lookup", "query " + std::to_string(i), "401 invalid api key");
        CHECK(three.end().at(0).severity == Severity::warning);
        Session five("loop/same-error");
        for (int i = 0; i < 5; ++i)
            five.fails("mcp__find__lookup", "query " + std::to_string(i), "401 invalid api key");
        CHECK(five.end().at(0).severity == Severity::error);
    }

    TEST_CASE(
        "a call that works after it failed a few times was waited for; another call that works instead shows that it "
        "was not") {
        const auto findings = [](int failures, std::string_view then, bool same = true) {
            Session s("loop/same-error");
            for (int i = 0; i < failures; ++i)
                s.fails("Bash", same ? "app status" : "app status " + std::to_string(i), "the app has no pulse")
                    .call("Bash", "sleep 2", "");
            return s.call("Bash", then, "the app is well").end().size();
        };
        CHECK(findings(3, "app status") == 0);
        CHECK(findings(4, "app status") == 0);
        CHECK(findings(5, "app status") == 1);
        CHECK(findings(3, "app list") == 1);
        CHECK(findings(3, "app status 2", false) == 1);
    }

    TEST_CASE("a tool that says no after each change is a warning at most, one that lacks a key is an error") {
        const auto severity = [](std::string_view verdict, bool changes) {
            Session s("loop/same-error");
            for (int i = 0; i < 7; ++i) {
                if (changes) s.call("Write", "quay.py, try " + std::to_string(i), "written");
                s.fails("submit_solution", "quay.py", verdict);
            }
            return s.end().at(0).severity;
        };
        CHECK(severity("rejected at the third case", true) == Severity::warning);
        CHECK(severity("rejected at the third case", false) == Severity::error);
        CHECK(severity("401 invalid api key", true) == Severity::error);
    }

    TEST_CASE(
        "what a tool says of one new version after the other is a warning at most, what it says whatever was set is an "
        "error") {
        const auto severity = [](bool of_version, bool sets) {
            Session s("loop/same-error");
            for (int i = 0; i < 7; ++i) {
                const std::string version = "1." + std::to_string(50 + i);
                if (sets) s.call("set_version", "crane " + version, "ok");
                s.fails("build_app", "quay",
                        of_version ? "crane " + version + " speaks another protocol"
                                   : std::string("the quay speaks another protocol"));
            }
            return s.end().at(0).severity;
        };
        CHECK(severity(true, true) == Severity::warning);
        CHECK(severity(false, true) == Severity::error);
        CHECK(severity(true, false) == Severity::error);
    }

    TEST_CASE("one wrong guess after the other is a warning at most") {
        Session guesses("loop/same-error"), again("loop/same-error");
        for (int i = 0; i < 8; ++i) {
            guesses.fails("submit_flag", std::string(1, static_cast<char>('a' + i)), "Wrong flag!");
            again.fails("submit_flag", "a", "Wrong flag!");
        }
        CHECK(guesses.end().at(0).severity == Severity::warning);
        CHECK(again.end().at(0).severity == Severity::error);
    }

    TEST_CASE("what is taken is tried at another slot until one is free; the same slot, or none at last, is a loop") {
        const auto found = [](bool others, bool free) {
            Session s("loop/same-error");
            for (int i = 0; i < 6; ++i) {
                const std::string at = others ? std::to_string(17 + i) : "17";
                s.fails("reserve", R"({"mill":"m1","time":")" + at + "\"}", R"({"ok":false,"reason":"fully booked"})");
            }
            if (free) s.call("reserve", R"({"mill":"m1","time":"23"})", R"({"ok":true})");
            return s.end().size();
        };
        CHECK(found(true, true) == 0);
        CHECK(found(true, false) == 1);
        CHECK(found(false, true) == 1);
    }

    TEST_CASE("a crash is said of the input, each of which is given once") {
        const auto found = [](bool inputs) {
            Session s("loop/same-error");
            for (int i = 1; i < 7; ++i)
                s.fails("Bash", "./mill grind crashes/c0" + std::to_string(inputs ? i : 1) + ".bin",
                        "Exit code 139\nSegmentation fault (core dumped)");
            return std::ranges::count_if(s.end(), [](const auto& f) { return f.severity > Severity::info; });
        };
        CHECK(found(true) == 0);
        CHECK(found(false) == 1);
    }

    TEST_CASE("a wait of a tool that works a computer is a look at the screen, and no repeat") {
        const auto found = [](std::string_view rule, int times) {
            Session s(rule);
            for (int i = 0; i < times; ++i) s.call_json("computer", "wait", R"({"action":"wait"})", "screenshot");
            return s.end().size();
        };
        CHECK(found("loop/exact-repeat", 24) == 0);
        CHECK(found("loop/poll-no-progress", 7) == 0);
        CHECK(found("loop/poll-no-progress", 24) == 1);
    }

    TEST_CASE("one command that fails alike for place after place is a warning at most") {
        Session hosts("loop/same-error"), one("loop/same-error");
        for (int i = 0; i < 8; ++i) {
            hosts.fails("Bash", "ping -c1 10.0.0." + std::to_string(i), "1 packets transmitted, 0 received");
            one.fails("Bash", "ping -c" + std::to_string(1 + i) + " barn", "1 packets transmitted, 0 received");
        }
        const auto of_hosts = hosts.end(), of_one = one.end();
        REQUIRE(of_hosts.size() == 1);
        CHECK(of_hosts[0].severity == Severity::warning);
        REQUIRE(of_one.size() == 1);
        CHECK(of_one[0].severity == Severity::error);
    }

    TEST_CASE(
        "one look-up after the other for things that are not there is a warning at most, one order after the other is "
        "not") {
        Session asks("loop/same-error"), acts("loop/same-error"), sites("loop/same-error");
        for (int i = 0; i < 8; ++i) {
            const std::string n = std::to_string(i);
            asks.fails("get_customer", "customer " + n, "Error: customer not found");
            acts.fails("cancel_order", "order " + n, "Error: order not found");
            sites.fails("visit_page", "https://shop" + n + ".example/x", "403 Forbidden");
        }
        CHECK(asks.end().at(0).severity == Severity::warning);
        CHECK(acts.end().at(0).severity == Severity::error);
        CHECK(sites.end().at(0).severity == Severity::warning);
    }

    TEST_CASE(
        "thing after thing that is looked at and then refused is a warning at most, one thing that is looked at again "
        "is not") {
        Session orders("loop/same-error"), order("loop/same-error");
        for (int i = 0; i < 8; ++i) {
            const std::string number = "#" + std::to_string(17 + i);
            orders.call("find_order", number, "sacks for barn " + number)
                .fails("cancel_order", number, "only pending orders can be cancelled");
            order.call("find_order", "#17", "sacks")
                .call_json("cancel_order", "#17", R"({"reason":")" + number + "\"}",
                           "only pending orders can be cancelled", ResultStatus::error);
        }
        for (const auto& [s, severity] : {std::pair{&orders, Severity::warning}, {&order, Severity::error}}) {
            const auto& found = s->end();
            REQUIRE(found.size() == 1);
            CHECK(found[0].severity == severity);
        }
    }

    TEST_CASE("tools that say in words that they failed have failed, also where the flag for errors is unset") {
        const auto found = [](std::string_view tool, const std::string& answer) {
            Session s("loop/same-error");
            for (int i = 0; i < 6; ++i) s.call(tool, "try " + std::to_string(i), answer);
            return s.end().size();
        };
        for (const char* answer : {"Error: the barn is shut",
                                   "ValueError: bad sack",
                                   "sqlite3.OperationalError: no such column: sacks",
                                   "MCP error -32602: Invalid arguments",
                                   "403 Forbidden",
                                   "HTTP 413: Payload Too Large",
                                   "Failed to open the barn",
                                   "Error executing tool grind: no grain",
                                   "Execution failed: no grain",
                                   "执行失败:磨坊关闭",
                                   "Fehler: die Scheune ist zu",
                                   "Erreur : la grange est vide",
                                   "EACCES: permission denied, open '/mill/sacks'",
                                   "[Errno 13] Permission denied: '/mill/sacks'",
                                   "EISDIR: illegal operation on a directory, read",
                                   "Ошибка: мельница закрыта",
                                   "エラー：水門が閉まっています",
                                   "---------------------------\nKeyError    Traceback (most recent call last)",
                                   R"({"statusCode":422,"message":"no grain"})",
                                   "Tool grind does not exist. Available tools: sift"}) {
            CAPTURE(std::string(answer));
            CHECK(found("grind", answer) == 1);
        }
        CHECK(begins_with_failure(
            {R"([{"type":"text","text":"Error: the barn is shut"}])", agent_audit::TextForm::json_value}));
        CHECK(begins_with_failure({R"("Error: the barn is shut")", agent_audit::TextForm::json_value}));
        CHECK(begins_with_failure(
            {"The result of executing that last command is:\n Command grind returned: Error: no grain",
             agent_audit::TextForm::plain}));
        CHECK(begins_with_failure({"Command grind returned: Error: no grain", agent_audit::TextForm::plain}));
        CHECK_FALSE(
            begins_with_failure({"Command grind returned: flour. Error: a novel", agent_audit::TextForm::plain}));
        for (const char* answer :
             {"ESSAY: on mills", "Errors: none", "404 sacks", "Failed sacks: 0", "The Error: a novel", "403",
              R"({"status":200,"message":"ok"})", R"({"code":422})"}) {
            CAPTURE(answer);
            CHECK(found("grind", answer) == 0);
        }
        CHECK(found("get_last_log_line", "Error: the barn is shut") == 0);
        CHECK(found("Bash", "Error: the barn is shut") == 0);
        CHECK(found("get_sack", "Error: sack not found") == 0);
        CHECK(found("Bash", "EACCES: permission denied, open '/mill/sacks'") == 0);
        CHECK(found("cancel_sack", "Error: sack not found") == 1);
    }

    TEST_CASE("what is missing whatever is asked for is no property of thing after thing") {
        const auto found = [](std::string_view command, std::string_view error, int things) {
            constexpr std::string_view kThings[] = {"barn",  "cellar", "dam",  "field", "garden",
                                                    "house", "kiln",   "loft", "mill",  "nook"};
            Session s("loop/same-error");
            for (int i = 0; i < things; ++i) s.fails("Bash", std::string(command) + std::string(kThings[i]), error);
            return s.end();
        };
        for (const char* error : {"bash: grind: command not found",
                                  "psql: error: FATAL:  password authentication failed for user \"miller\"",
                                  "Error: Cannot find module 'sieve'"}) {
            CAPTURE(error);
            CHECK(found("grind ", error, 5).empty());
            CHECK(found("grind ", error, 6).at(0).severity == Severity::warning);
            CHECK(found("grind ", error, 10).at(0).severity == Severity::error);
        }
        CHECK(found("aws s3 ls s3://", "An error occurred (NoSuchBucket): The specified bucket does not exist", 10)
                  .empty());
        CHECK(found("grind ", "", 10).empty());
        const auto tests = found("npx jest src/", "Error: Cannot find module 'sieve'", 10);
        CHECK(tests.at(0).severity == Severity::warning);
        CHECK(tests.at(0).confidence < 0.75);
    }

    TEST_CASE(
        "checks of one part after the other that fail alike are a warning at most, and only where they are many") {
        constexpr std::string_view kParts[] = {"barn", "cellar", "dam",  "field", "garden", "house",
                                               "kiln", "loft",   "mill", "nook",  "oven"};
        const auto found = [&](std::string_view rule, int parts) {
            Session s(rule);
            for (int i = 0; i < parts; ++i)
                s.fails("Bash", "npm test -w packages/" + std::string(kParts[i]), "npm error Missing script: \"test\"");
            return s.end();
        };
        CHECK(found("loop/same-error", 9).empty());
        REQUIRE(found("loop/same-error", 11).size() == 1);
        CHECK(found("loop/same-error", 11)[0].severity == Severity::warning);
        CHECK(found("loop/known-answers", 9).empty());
        CHECK(found("loop/known-answers", 11).size() == 1);
        CHECK(found("loop/error-streak", 11).empty());
    }

    TEST_CASE("a warning that may well be meant is less certain than one that stops a run") {
        Session hosts("loop/same-error"), one("loop/same-error");
        for (int i = 0; i < 8; ++i) {
            hosts.fails("Bash", "ping -c1 10.0.0." + std::to_string(i), "1 packets transmitted, 0 received");
            one.fails("Bash", "ping -c" + std::to_string(1 + i) + " barn", "1 packets transmitted, 0 received");
        }
        CHECK(hosts.end().at(0).confidence < 0.75);
        CHECK(one.end().at(0).confidence > 0.8);
    }

    TEST_CASE("one command that fails alike for one thing after the other is tried on purpose") {
        const auto tries = [](std::string_view before, std::string_view after) {
            Session s("loop/same-error");
            for (const char* name : {"barn", "cellar", "dam", "field", "garden", "house"})
                s.fails("Bash", std::string(before) + name + std::string(after), "");
            return s.end().size();
        };
        CHECK(tries("aws s3 ls s3://", "") == 0);
        CHECK(tries("pytest -q tests/test_", ".py") == 1);
        CHECK(tries("./grind --", "") == 1);
        Session back("loop/same-error");
        for (int i = 0; i < 6; ++i)
            back.fails("Bash", std::string("aws s3 ls s3://") + (i % 2 == 0 ? "barn" : "dam"), "");
        CHECK(back.end().size() == 1);
    }

    TEST_CASE("an error that comes back after other work is another stretch of it, and an error of the second") {
        const auto stretches = [](int work, int second) {
            Session s("loop/same-error");
            for (int i = 0; i < 3; ++i) s.fails("grind", "try " + std::to_string(i), "error: the barn is shut");
            for (int i = 0; i < work; ++i) s.call("read_file", "file" + std::to_string(i), "text " + std::to_string(i));
            for (int i = 0; i < second; ++i) s.fails("grind", "again " + std::to_string(i), "error: the barn is shut");
            return s.end();
        };
        const auto parted = stretches(4, 3);
        REQUIRE(parted.size() == 2);
        CHECK(parted[0].severity == Severity::warning);
        CHECK(parted[0].last_line == 6);
        CHECK(parted[1].severity == Severity::error);
        CHECK(parted[1].first_line == 15);
        CHECK(stretches(3, 3).size() == 1);
        CHECK(stretches(4, 2).size() == 1);
        Session spread("loop/same-error");
        for (int i = 0; i < 6; ++i) {
            spread.fails("grind", "try " + std::to_string(i), "error: the barn is shut");
            for (int j = 0; j < 5; ++j)
                spread.call("read_file", "file" + std::to_string(i * 5 + j), "text " + std::to_string(i * 5 + j));
        }
        CHECK(spread.end().size() == 1);
    }

    TEST_CASE("an error that names another request each time is the same") {
        Session s("loop/same-error");
        for (const char* id : {"4bf92f3577b34da6", "a3ce929d0e0e4736", "00f067aa0ba902b7", "9a1c3e5f7b2d4f60"})
            s.fails("grind", id, std::string("no grain, request ") + id);
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("a command that would have changed files fails like any other command") {
        constexpr const char* kPushes[] = {"git push", "git pull --rebase && git push", "git push -u origin main"};
        Session s("loop/same-error");
        for (int i = 0; i < 6; ++i)
            s.fails("Bash", kPushes[i % 3], "error: 3 reviews are missing\nerror: failed to push some refs");
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].repeats == 6);
        CHECK(found[0].severity == Severity::error);
    }

    TEST_CASE(
        "a refusal of a reading tool that counts something else each time is the same; what a command prints is not") {
        Session tool("loop/same-error"), command("loop/same-error");
        for (int i = 0; i < 6; ++i) {
            const std::string n = std::to_string(31'000 + 77 * i);
            tool.fails("Read", "data.json from " + n,
                       "File content (" + n + " tokens) exceeds maximum allowed tokens (25000)");
            command.fails("Bash", "cat data.json | head -" + n, "cut at byte " + n + " of 99999");
        }
        CHECK(tool.end().size() == 1);
        CHECK(command.end().empty());
    }

    TEST_CASE("eight failures in one response are one mistake") {
        Session s("loop/same-error");
        s.respond();
        for (int i = 0; i < 8; ++i) s.open("Edit", "file" + std::to_string(i));
        for (int i = 0; i < 8; ++i) s.answer("file has not been read", ResultStatus::error);
        CHECK(s.end().empty());
    }

    TEST_CASE("other tools in between do not reset, a success of the same tool does") {
        Session s("loop/same-error");
        for (int i = 0; i < 3; ++i)
            s.fails("Edit", "f" + std::to_string(i), "no match")
                .call("Read", "f" + std::to_string(i), "x" + std::to_string(i));
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK_FALSE(found[0].contiguous);
        Session t("loop/same-error");
        for (int i = 0; i < 4; ++i)
            t.fails("Edit", "f" + std::to_string(i), "no match")
                .call("Edit", "g" + std::to_string(i), "ok" + std::to_string(i));
        CHECK(t.end().empty());
    }

    TEST_CASE("a test that fails alike after each real edit is a fix in progress") {
        Session s("loop/same-error");
        for (int i = 0; i < 6; ++i)
            s.call("Edit", "change " + std::to_string(i), "done").fails("Bash", "npm test", "1 failing");
        CHECK(s.end().empty());
    }

    TEST_CASE(
        "a tool that is refused at two places in turn fails alike at each, a shell that meets two errors does not") {
        Session two("loop/same-error"), shell("loop/same-error"), tamed("loop/same-error");
        for (int i = 0; i < 10; ++i) {
            const std::string place = i % 2 == 0 ? "/etc/mill.conf" : "/opt/mill.conf";
            two.fails("Write", place, "EACCES: permission denied, open '" + place + "'");
            shell.fails("Bash", "sh grind.sh " + std::to_string(i), i % 2 == 0 ? "the barn is shut" : "no oats");
            tamed.fails("Write", place, "EACCES: permission denied, open '" + place + "'");
            if (i % 4 == 3) tamed.call("Write", "/home/noor/mill" + std::to_string(i) + ".conf", "done");
        }
        const auto& found = two.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::error);
        CHECK(shell.end().empty());
        CHECK(tamed.end().empty());
    }

    TEST_CASE("commands that only look do not end what fails around them, and want twice as many failures") {
        const auto worst = [](int times, const std::string& between, int each = 2) {
            Session s("loop/same-error");
            for (int i = 0; i < times; ++i) {
                const std::string n = std::to_string(i);
                if (i % each == 0) s.call("Bash", between + n, "text " + n);
                s.fails("Bash", "grind --stones " + n + " --fine", "error: the mill race is frozen");
            }
            const auto& found = s.end();
            return found.empty() ? Severity::info : found[0].severity;
        };
        CHECK(worst(5, "cat notes") == Severity::info);
        CHECK(worst(6, "cat notes") == Severity::warning);
        CHECK(worst(10, "grep -rn race src") == Severity::error);
        CHECK(worst(10, "grep -rn race src", 1) == Severity::info);
        CHECK(worst(10, "sh deploy.sh ") == Severity::info);
        CHECK(worst(6, "ps -p ") == Severity::warning);
        CHECK(worst(6, "git status mill") == Severity::warning);
        CHECK(worst(10, "ps -p ", 1) == Severity::info);
        CHECK(worst(10, "cd mill") == Severity::info);
    }

    TEST_CASE("an answer in JSON that reports a failure is one, though no flag says so") {
        Session five("loop/same-error");
        for (int i = 0; i < 5; ++i)
            five.call("mcp__crm__lookup", "query " + std::to_string(i), R"({"error": "unauthorized"})");
        CHECK(five.end().at(0).severity == Severity::error);
        Session read("loop/same-error");
        for (int i = 0; i < 5; ++i)
            read.call("Read", "answer" + std::to_string(i) + ".json", R"({"error": "unauthorized"})");
        CHECK(read.end().empty());
        Session printed("loop/same-error");
        for (int i = 0; i < 5; ++i)
            printed.call("Bash", "curl -s localhost/" + std::to_string(i), R"({"error": "unauthorized"})");
        CHECK(printed.end().empty());
    }

    TEST_CASE("errors that differ in what they say are different errors") {
        Session s("loop/same-error");
        for (const char* error : {"no such file", "permission denied", "is a directory", "not found", "bad argument"})
            s.fails("lookup", "x", error);
        CHECK(s.end().empty());
    }
}

TEST_SUITE("loop/error-streak") {
    TEST_CASE("of one numbered thing after the other each may fail in its own way, of one tried again it may not") {
        const auto findings = [](bool next) {
            Session s("loop/error-streak");
            for (int i = 0; i < 9; ++i)
                s.fails("Bash", "./mill crashes/id_00" + std::to_string(next ? 40 + i : 40 + i % 2),
                        "overflow in " + std::string(static_cast<std::size_t>(3 + i), static_cast<char>('a' + i)));
            return s.end().size();
        };
        CHECK(findings(true) == 0);
        CHECK(findings(false) == 1);
    }

    TEST_CASE("eight failing responses in a row with different errors are a warning") {
        Session s("loop/error-streak");
        for (int i = 0; i < 8; ++i)
            s.fails("tool" + std::to_string(i), "x", "error kind " + std::string(1, static_cast<char>('a' + i)));
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::warning);
        CHECK(found[0].wasted_steps == 7);
    }

    TEST_CASE("one call that comes further each time it is broken off is a note, another way it is not") {
        const auto severity = [](int step) {
            Session s("loop/error-streak");
            for (int i = 0; i < 9; ++i)
                s.fails("Bash", "rsync --partial mirror::mill /srv",
                        std::to_string(50 + i * step) + "%  connection closed, try " + std::to_string(i));
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        CHECK(severity(4) == Severity::info);
        CHECK(severity(0) == Severity::warning);
        CHECK(severity(-4) == Severity::warning);
    }

    TEST_CASE("a single success in between ends the streak") {
        Session s("loop/error-streak");
        for (int i = 0; i < 14; ++i) {
            if (i == 7) s.call("Read", "a", "fine");
            s.fails("tool" + std::to_string(i), "x", "error");
        }
        CHECK(s.end().empty());
    }

    TEST_CASE(
        "one command for each of many things is tried on purpose, a check or the same thing in other words is not") {
        constexpr std::string_view kNames[] = {"barn",  "cellar", "dam",  "field", "garden",
                                               "house", "kiln",   "loft", "mill"};
        const auto streak = [&](std::string_view before, std::string_view after) {
            Session s("loop/error-streak");
            for (const std::string_view name : kNames)
                s.fails("Bash", std::string(before) + std::string(name) + std::string(after),
                        "ModuleNotFoundError: No module named 'six'");
            return s.end().size();
        };
        CHECK(streak("python scripts/", ".py") == 0);
        CHECK(streak("ssh -o ConnectTimeout=3 ", ".lab uptime") == 0);
        CHECK(streak("pytest -q tests/test_", ".py") == 1);
        Session named("loop/error-streak"), other("loop/error-streak");
        for (const std::string_view word : kNames) {
            const std::string name(word);
            named.fails("Bash", "ssh " + name + ".lab uptime",
                        "ssh: connect to host " + name + ".lab port 22: Connection timed out");
            other.fails("Bash", "sh " + name + ".sh", "trouble with the " + name.substr(1) + " of the mill");
        }
        CHECK(named.end().empty());
        CHECK(other.end().size() == 1);
        Session twice("loop/error-streak");
        for (int i = 0; i < 10; ++i)
            twice.fails("Bash", std::string("ssh ") + (i % 2 == 0 ? "barn" : "dam") + " uptime",
                        "ssh: connection refused");
        CHECK(twice.end().size() == 1);
        CHECK(streak("./run --", "") == 1);
        CHECK(streak("cd ", "/app && python report.py") == 1);
    }

    TEST_CASE("checks that each fail in another way are a warning at most, those that fail alike an error") {
        constexpr std::string_view kParts[] = {"barn", "cellar",  "dam",  "field",  "garden", "house", "kiln",  "loft",
                                               "mill", "orchard", "pond", "quarry", "roof",   "stall", "tower", "well"};
        const auto worst = [&](bool alike) {
            Session s("loop/error-streak");
            for (const std::string_view part : kParts) {
                const std::string name(part);
                s.fails("Bash", "npx vitest run src/" + name + ".test.ts",
                        alike ? "Error: no mill is running" : "AssertionError: the " + name.substr(1) + " is shut");
            }
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        CHECK(worst(false) == Severity::warning);
        CHECK(worst(true) == Severity::error);
    }

    TEST_CASE("a response in which one of two calls succeeded does not count as failing") {
        Session s("loop/error-streak");
        for (int i = 0; i < 10; ++i) {
            s.respond().open("a", std::to_string(i)).open("b", std::to_string(i));
            s.answer("bad", ResultStatus::error).answer("good " + std::to_string(i));
        }
        CHECK(s.end().empty());
    }
}

TEST_SUITE("refusals by a rule") {
    TEST_CASE("one rule that refuses a command in every spelling is one error, whatever of it the answer repeats") {
        Session s("loop/same-error");
        for (const char* command : {"git push", "git push origin main", "git push -f", "git -C . push", "env git push"})
            s.call("Bash", command, "Permission to use Bash with command " + std::string(command) + " has been denied.",
                   ResultStatus::denied);
        CHECK(s.end().size() == 1);
        Session apart("loop/same-error");
        for (const char* reason : {"read the file first", "no secrets here", "too long a line", "run the tests before"})
            apart.call("Write", "a.py", "PreToolUse:Write hook error: " + std::string(reason), ResultStatus::denied);
        CHECK(apart.end().empty());
    }
}

TEST_SUITE("loop/poll-no-progress") {
    TEST_CASE("seven equal answers are silent, eight a warning, 24 an error") {
        for (const auto& [times, findings, severity] :
             {std::tuple{7, 0u, Severity::info}, {8, 1u, Severity::warning}, {24, 1u, Severity::error}}) {
            Session s("loop/poll-no-progress");
            for (int i = 0; i < times; ++i) s.call("BashOutput", "job", "still running");
            const auto& found = s.end();
            REQUIRE(found.size() == findings);
            if (findings > 0) CHECK(found[0].severity == severity);
        }
    }

    TEST_CASE(
        "programs that ask whether something is up are polls: seven tries are waiting, nine alike are worth a word") {
        const auto findings = [](int times, std::string_view look) {
            Session s;
            for (int i = 0; i < times; ++i) s.fails("Bash", look, "it does not answer");
            return s.end();
        };
        for (const std::string_view look :
             {"pg_isready -h db", "docker compose exec -T db pg_isready", "mysqladmin -h db ping",
              "redis-cli -p 6380 ping", "nc -z localhost 5432", "nc -vz -w1 db 5432",
              "curl -fsS http://localhost:8080/healthz", "curl -sf 'http://db:9200/_cluster/health'",
              "wget -qO- http://app/ready/", "etcdctl endpoint health", "rabbitmq-diagnostics -q ping",
              "grpc_health_probe -addr=:5000"}) {
            CAPTURE(look);
            CHECK(findings(7, look).empty());
            const auto late = findings(9, look);
            REQUIRE(late.size() == 1);
            CHECK(late[0].rule == "loop/poll-no-progress");
        }
        for (const std::string_view other :
             {"curl -X POST http://localhost:8080/ping", "curl -d x=1 http://localhost:8080/health",
              "curl http://localhost:8080/healthy-food", "curl http://localhost:8080/orders", "nc localhost 5432",
              "redis-cli get ping-count", "mysqladmin create barn"}) {
            CAPTURE(other);
            CHECK(findings(5, other).size() == 1);
        }
    }

    TEST_CASE("waiting that fails is no streak of errors, and does not end one") {
        const auto streaks = [](int polls, int errors) {
            Session s("loop/error-streak");
            for (int i = 0; i < errors / 2; ++i)
                s.fails("Bash", "./try " + std::to_string(i), "error " + std::to_string(i));
            for (int i = 0; i < polls; ++i)
                s.fails("Bash", "gh pr checks 77", std::to_string(9 - i) + " checks pending");
            for (int i = errors / 2; i < errors; ++i)
                s.fails("Bash", "./try " + std::to_string(i), "error " + std::to_string(i));
            return s.end().size();
        };
        CHECK(streaks(12, 0) == 0);
        CHECK(streaks(6, 6) == 0);
        CHECK(streaks(2, 8) == 1);
        Session ports("loop/error-streak");
        for (int i = 0; i < 9; ++i)
            ports.fails("Bash", "curl http://localhost:" + std::to_string(3000 + i) + "/health",
                        "curl: (7) no server at port " + std::to_string(3000 + i));
        CHECK(ports.end().size() == 1);
    }

    TEST_CASE("a pause and a look in one command is a poll however often it fails") {
        const auto findings = [](int times, std::string_view look) {
            Session s;
            for (int i = 0; i < times; ++i) s.fails("Bash", look, "psql: server is starting up");
            return s.end();
        };
        CHECK(findings(6, "sleep 5; pg_isready").empty());
        CHECK(findings(6, "psql -c 'select 1'").size() == 1);
        const auto late = findings(9, "sleep 5; pg_isready");
        REQUIRE(late.size() == 1);
        CHECK(late[0].rule == "loop/poll-no-progress");
    }

    TEST_CASE("looks after pauses that grow by half and more are backing off, however many there are") {
        const auto findings = [](double factor, bool timed, std::string_view said, bool failed) {
            Session s("loop/poll-no-progress");
            double pause = 10;
            std::int64_t now = 1000;
            for (int i = 0; i < 11; ++i) {
                const auto seconds = static_cast<std::int64_t>(pause);
                now += seconds;
                if (timed) s.at(now);
                const std::string look = "sleep " + std::to_string(seconds) + "; curl -s https://depot/jobs/9";
                s.call("Bash", look, said, failed ? ResultStatus::error : ResultStatus::ok);
                pause *= factor;
            }
            return s.end().size();
        };
        constexpr std::string_view kBusy = "HTTP 503 Service Unavailable";
        for (const bool timed : {true, false}) {
            CAPTURE(timed);
            CHECK(findings(2, timed, kBusy, true) == 0);
            CHECK(findings(2, timed, R"({"state":"pending"})", false) == 0);
            CHECK(findings(1, timed, kBusy, true) == 1);
            CHECK(findings(1.2, timed, kBusy, true) == 1);
            // No wait mends these.
            CHECK(findings(2, timed, "HTTP 403 Forbidden", true) == 1);
            CHECK(findings(2, timed, "error: no such cluster", true) == 1);
        }
    }

    TEST_CASE("pauses that grow and then stay as they are count from there on") {
        Session s("loop/poll-no-progress");
        std::int64_t now = 1000;
        for (int i = 0; i < 4; ++i) s.at(now += 10 << i).call("BashOutput", "job", "still running");
        for (int i = 0; i < 8; ++i) s.at(now += 80).call("BashOutput", "job", "still running");
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("how long a wait may last makes no other wait of it") {
        const auto findings = [](std::string_view who) {
            Session s("loop/poll-no-progress");
            for (int i = 0; i < 40; ++i) {
                const std::string args = "{\"ids\":[\"" + (who.empty() ? "a" + std::to_string(i) : std::string(who)) +
                                         "\"],\"timeout_ms\":" + std::to_string(10'000 + 500 * i) + "}";
                s.call_json("wait_agent", "", args, R"({"status":{},"timed_out":true})");
            }
            return s.end().size();
        };
        CHECK(findings("a1") == 1);
        CHECK(findings("") == 0);
    }

    TEST_CASE("how long the pause before a look is makes no other look of it") {
        constexpr const char* kPauses[] = {"sleep 30 && ", "sleep 60 && ", "sleep 2m && ", "sleep 1.5 && "};
        constexpr const char* kWindows[] = {"Start-Sleep -Seconds 30; ", "Start-Sleep 45; ", "Start-Sleep -s 60; "};
        Session same("loop/poll-no-progress"), others("loop/poll-no-progress"), behind("loop/poll-no-progress"),
            windows("loop/poll-no-progress");
        for (int i = 0; i < 12; ++i) {
            behind.call("Bash", std::string("cd /mill && ") + kPauses[i % 4] + "gh run view 7", "in_progress");
            windows.call("powershell", std::string(kWindows[i % 3]) + "gh run view 7", "in_progress");
            same.call("Bash", std::string(kPauses[i % 4]) + "gh run view 7", "in_progress");
            others.call("Bash", std::string(kPauses[i % 4]) + "gh run view " + std::to_string(i), "in_progress");
        }
        const auto& found = same.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].repeats == 12);
        CHECK(behind.end().size() == 1);
        CHECK(windows.end().size() == 1);
        CHECK(others.end().empty());
    }

    TEST_CASE("any change in the answer starts the count again") {
        Session s("loop/poll-no-progress");
        for (int i = 0; i < 40; ++i)
            s.call("BashOutput", "job", i % 5 == 0 ? "line " + std::to_string(i) : "still running");
        CHECK(s.end().empty());
    }

    TEST_CASE("waits for a sub-agent are pauses, but not when dozens of them end alike") {
        const auto severity = [](int waits, std::string_view tool, std::string_view ends) {
            Session s;
            for (int i = 0; i < waits; ++i) s.call(tool, "agent 3", ends);
            const auto& found = s.end();
            if (found.empty()) return Severity::info;
            CHECK(found[0].rule == "loop/poll-no-progress");
            return found[0].severity;
        };
        for (const std::string_view tool : {"wait_agent", "wait", "monitor"}) {
            CAPTURE(tool);
            CHECK(severity(31, tool, "timed out, agent 3 is running") == Severity::info);
            CHECK(severity(32, tool, "timed out, agent 3 is running") == Severity::warning);
            CHECK(severity(48, tool, "timed out, agent 3 is running") == Severity::error);
        }
    }

    TEST_CASE("waits of hours are healthy when what they end with changes, or something is done between them") {
        Session moves, works, others;
        for (int i = 0; i < 60; ++i) {
            moves.call("wait_agent", "agent 3", "timed out; last: read part " + std::to_string(i / 10));
            works.call("wait_agent", "agent 3", "timed out");
            if (i % 12 == 11) works.call("Read", "notes/" + std::to_string(i), "note " + std::to_string(i));
            others.call("wait_agent", "agent " + std::to_string(i / 12), "timed out");
        }
        CHECK(moves.end().empty());
        CHECK(works.end().empty());
        CHECK(others.end().empty());
    }

    TEST_CASE("a pause and a look in one command is a poll, not an exact repeat") {
        Session s;
        for (int i = 0; i < 7; ++i) s.call("Bash", "sleep 30 && gh run view 7", "in_progress");
        CHECK(s.end().empty());
    }
}

TEST_SUITE("episodes") {
    TEST_CASE("a failing call repeated is one finding that names the looser rules") {
        Session s;
        for (int i = 0; i < 16; ++i) s.fails("Bash", "npm test", "1 failing");
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].rule == "loop/exact-repeat");
        CHECK(found[0].also == std::vector<std::string>{"loop/known-answers", "loop/same-error", "loop/error-streak",
                                                        "loop/revisit-ratio"});
    }

    TEST_CASE("two loops far apart stay two findings") {
        Session s("loop/exact-repeat");
        for (int i = 0; i < 5; ++i) s.call("Read", "a", "same");
        for (int i = 0; i < 5; ++i) s.call("Read", "b", "other");
        CHECK(s.end().size() == 2);
    }
}

TEST_SUITE("pairing") {
    TEST_CASE("a late result is paired, a stranger's is an orphan, a second one is neither") {
        Session s;
        s.respond().open("Task", "long").unanswered().call("Read", "a", "x");
        s.answer_id("call-1", "finally").answer_id("call-1", "again").answer_id("stranger", "what?");
        s.end();
        CHECK(s.counts().calls == 2);
        CHECK(s.counts().paired == 2);
        CHECK(s.counts().unanswered == 0);
        CHECK(s.counts().orphans == 1);
        CHECK(s.counts().errors == 0);
    }

    TEST_CASE("a failure counts although its call was never seen") {
        Session s;
        s.answer_id("stranger", "no", ResultStatus::error).answer_id("another", "no", ResultStatus::denied);
        s.end();
        CHECK(s.counts().orphans == 2);
        CHECK(s.counts().errors == 1);
        CHECK(s.counts().denied == 1);
    }

    TEST_CASE("results without ids answer the open calls in order") {
        Session s("loop/exact-repeat");
        for (int i = 0; i < 3; ++i) s.respond().open("Read", "a").answer_id("", "same").unanswered();
        CHECK(s.end().size() == 1);
        CHECK(s.counts().paired == 3);
    }
}

TEST_SUITE("budget/limits") {
    TEST_CASE("a limit that is crossed is an error at the line of the crossing") {
        Session s("budget/limits", {{"tool-calls", "3"}});
        for (int i = 0; i < 5; ++i) s.call("Read", std::to_string(i), "x");
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::error);
        CHECK(found[0].first_line == 7);
    }

    TEST_CASE("without limits nothing is too much") {
        Session s("budget/limits");
        for (int i = 0; i < 500; ++i) s.call("Read", std::to_string(i), "x");
        CHECK(s.end().empty());
    }
}

TEST_SUITE("searches that find nothing") {
    TEST_CASE("grep that ends with 1 and says nothing has not failed") {
        Session s("loop/same-error");
        for (int i = 0; i < 6; ++i) s.fails("Bash", "grep -rn word" + std::to_string(i) + " src", "Exit code 1");
        CHECK(s.end().empty());
        CHECK(s.counts().errors == 0);
    }

    TEST_CASE("grep that ends with 2 has failed, and so has another program that ends with 1") {
        Session grep("loop/same-error");
        for (int i = 0; i < 6; ++i)
            grep.fails("Bash", "grep -rn word" + std::to_string(i) + " src",
                       "Exit code 2\ngrep: src: No such file or directory");
        CHECK(grep.end().size() == 1);
        Session make("loop/same-error");
        for (int i = 0; i < 6; ++i) make.fails("Bash", "make target -j" + std::to_string(i), "Exit code 1");
        CHECK(make.end().size() == 1);
    }

    TEST_CASE("what comes after a pause has come, of one thing after the other") {
        const auto found = [](bool comes) {
            Session s("loop/same-error");
            for (const char* sack : {"1", "2", "3", "4", "5", "6"}) {
                const std::string fetch = "curl -fsSLO https://mill.example/v" + std::string(sack) + ".tgz";
                for (int i = 0; i < 2; ++i)
                    s.fails("Bash", fetch, "curl: (22) The requested URL returned error: 429")
                        .call("Bash", "sleep 20", "(no output)");
                if (comes) s.call("Bash", fetch, "(no output)");
            }
            return s.end().size();
        };
        CHECK(found(true) == 0);
        CHECK(found(false) == 1);
    }

    TEST_CASE("all tools of a server that is gone fail alike, tools that lack a thing fail each for itself") {
        const auto found = [](std::string_view error) {
            Session s("loop/same-error");
            for (const char* tool :
                 {"get_file", "get_node", "get_styles", "list_files", "get_image", "whoami", "get_notes"})
                s.fails("mcp__figma__" + std::string(tool), R"({"file":"mill"})", error);
            return s.end().size();
        };
        CHECK(found("MCP error -32000: Connection closed") == 1);
        CHECK(found("MCP error -32602: unknown file") == 0);
    }

    TEST_CASE("one made-up tool after the other fails alike, and so does all that needs a network that is not there") {
        Session tools("loop/same-error"), offline("loop/same-error"), hosts("loop/same-error");
        for (const char* tool : {"save_docx", "docx_write", "make_document", "export_docx", "file_write"})
            tools.fails(tool, R"({"path":"barn.docx"})",
                        "Error: tool '" + std::string(tool) + "' does not exist. Available: compose, list_barns");
        CHECK(tools.end().size() == 1);
        for (const char* program :
             {"npm ci", "yarn install", "pnpm i", "npm install", "npm i --prefer-offline", "bun i"})
            offline.fails("Bash", program, std::string(program) + ": getaddrinfo EAI_AGAIN of " + program);
        CHECK(offline.end().size() == 1);
        for (const char* host : {"oats", "rye", "wheat", "bran", "corn", "malt"})
            hosts.fails("Bash", "probe " + std::string(host), "curl: could not resolve host: " + std::string(host));
        CHECK(hosts.end().empty());
    }
}
