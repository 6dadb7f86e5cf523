#include "support/session.hpp"

using agent_audit::ResultStatus;
using agent_audit::test::Session;

namespace {

constexpr const char* kRejected = "The patch was rejected: line 22 is not part of it.";
constexpr const char* kFails = "Applied, but 1 test fails: testEmptySack.";

void submit(Session& s, int number, const char* answer) {
    s.call("submit_patch", "patch " + std::to_string(number), answer);
}

}  // namespace

TEST_SUITE("loop/known-answers") {
    TEST_CASE(
        "a few commands for one host after the other bring an answer of each, for one host again and again they do "
        "not") {
        const auto findings = [](bool next) {
            Session s("loop/known-answers");
            for (int i = 0; i < 20; ++i) {
                const std::string mill = "ssh mill" + std::to_string(next ? 10 + i : 10);
                s.call("Bash", mill + " 'apt-get install -y stone | tail -1'", "Setting up stone (3.0.13-1) ...");
                s.call("Bash", mill + " stone --version", "Stone 3.0.13, built for mills of all kinds");
            }
            return s.end().size();
        };
        CHECK(findings(true) == 0);
        CHECK(findings(false) == 1);
    }

    TEST_CASE("a thing that a command names twice is another one when both names are") {
        const auto findings = [](bool both) {
            Session s("loop/known-answers");
            for (const char* mill : {"oat", "rye", "spelt", "barley", "millet", "corn", "wheat", "buckwheat"}) {
                const std::string name = mill;
                s.call("Bash",
                       "millctl import 'mill.b[" + name + "]' acme-" + (both ? name : "all" + name) + " | tail -1",
                       "your state, and will henceforth be managed by the mill.");
            }
            return s.end().size();
        };
        CHECK(findings(true) == 0);
    }

    TEST_CASE("one thing after the other that says no by a word and an exit code has answered") {
        constexpr std::string_view kVerbs[] = {"get", "list", "watch", "delete"},
                                   kThings[] = {"pods", "secrets", "nodes", "jobs"};
        const auto found = [&](std::string_view said) {
            Session s;
            for (const std::string_view verb : kVerbs) {
                for (const std::string_view thing : kThings)
                    s.fails("Bash", "kubectl auth can-i " + std::string(verb) + " " + std::string(thing), said);
            }
            return std::ranges::count_if(s.end(),
                                         [](const auto& f) { return f.severity != agent_audit::Severity::info; });
        };
        CHECK(found("Exit code 1\nno") == 0);
        CHECK(found("Exit code 1\nerror: You must be logged in to the server (Unauthorized)") > 0);
    }

    TEST_CASE("a shell that prints nothing where something must be printed is dead") {
        const auto found = [](std::string_view printed, const std::vector<std::string_view>& commands) {
            Session s("loop/known-answers");
            for (const std::string_view command : commands) s.call("Bash", command, printed);
            return s.end().size();
        };
        const std::vector<std::string_view> print{"pwd",   "ls -la", "whoami", "cd mill && date", "node --version",
                                                  "echo x"};
        CHECK(found("(no output)", print) == 1);
        CHECK(found("Process exited with code 0\nOutput:\n", print) == 1);
        CHECK(found("", print) == 0);  // nobody says that it printed none
        CHECK(found("Output: mill", {"pwd", "ls -la", "whoami"}) == 0);
        CHECK(found("(no output)", {"mkdir a", "ls", "cp a b", "touch c", "git add .", "ls src"}) == 0);
        CHECK(found("(no output)", {"pwd > a", "date | grep x", "echo $MILL", "id; clear", "ls -la >> b", "echo"}) ==
              0);
        CHECK(found("(no output)", {"pwd", "ls -la", "whoami", "git add .", "date"}) == 0);
    }

    TEST_CASE(
        "six responses with nothing but two known refusals are a warning that begins where the first of them stood") {
        Session s("loop/known-answers");
        s.call("read_file", "a.py", "text");
        submit(s, 0, kFails);
        submit(s, 1, kRejected);
        for (int i = 2; i < 8; ++i) submit(s, i, i % 3 == 0 ? kFails : kRejected);
        const auto found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].repeats == 6);
        CHECK(found[0].first_line == 5);
        CHECK(found[0].last_line == 18);
    }

    TEST_CASE("a draft that is handed in under a new number, and is rejected for the same reason, is no news") {
        Session s("loop/known-answers");
        for (int i = 0; i < 8; ++i) {
            const std::string id = std::string("4d1") + static_cast<char>('a' + i) + "07e" + std::to_string(i);
            s.call("submit_draft", "draft " + std::to_string(i), R"({"received":true,"draft_id":")" + id + "\"}");
            s.call("review_draft", id, "Rejected: the price is missing.");
        }
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("another agent that says that it has no access says no, in whatever words it is asked") {
        Session s("loop/known-answers");
        for (int i = 0; i < 8; ++i)
            s.call("delegate_work",
                   "Research the sales of boats, please, version " + std::string(1, static_cast<char>('a' + i)),
                   "I do not have access to a source with sales of boats. Give me one, and I will go on.");
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("a call that had another answer the last time is dealt anew; one that has the same has not") {
        const auto rounds = [](bool deals) {
            Session s("loop/known-answers");
            for (int i = 0; i < 24; ++i)
                s.call(
                    "sample_row", deals ? "{}" : "row " + std::to_string(i % 2),
                    "row of kind " + std::string(1, static_cast<char>('a' + i % 2)) + " with 4711 grains, see page 12");
            return s.end().size();
        };
        CHECK(rounds(true) == 0);
        CHECK(rounds(false) == 1);
    }

    TEST_CASE("five are not enough") {
        Session s("loop/known-answers");
        for (int i = 0; i < 6; ++i) submit(s, i, kRejected);
        CHECK(s.end().empty());
    }

    TEST_CASE("what a shell printed is the same in JSON: short words that find nothing, and words that refuse") {
        const std::string none = R"js({"exit_code": 0, "stdout": "Total: 0 (HIGH: 0, CRITICAL: 0)", "stderr": ""})js",
                          clean = R"js({"exit_code": 0, "stdout": "no leaks found", "stderr": ""})js",
                          refused = R"js({"exit_code": 0, "stdout": "error: the key expired", "stderr": ""})js";
        Session scans("loop/known-answers"), tries("loop/known-answers");
        for (int i = 0; i < 12; ++i) {
            const std::string mill = std::string(1, static_cast<char>('a' + i)) + "mill";
            scans.call("shell", "trivy image reg.test/" + mill + ":prod", none);
            scans.call("shell", "leaks -s repos/" + mill, clean);
            tries.call("shell", "leaks -s repos/mill --try " + std::to_string(i), refused);
        }
        CHECK(scans.end().empty());
        CHECK(tries.end().size() == 1);
    }

    TEST_CASE("one new answer starts the count again") {
        Session s("loop/known-answers");
        for (int i = 0; i < 10; ++i)
            submit(s, i, i == 5 ? "Applied; the test of the sluice fails now, and nothing else." : kRejected);
        CHECK(s.end().empty());
    }

    TEST_CASE(
        "a short answer with a number that nobody named is news, one that names what was asked is an acknowledgement") {
        Session finds("loop/known-answers");
        for (int i = 0; i < 24; ++i)
            finds.call("phone_book", "person " + std::to_string(i),
                       i % 3 == 2 ? "+49 151 77" + std::to_string(1000 + 7 * i) : "customer locked");
        CHECK(finds.end().empty());
        Session missing("loop/known-answers");
        for (int i = 0; i < 15; ++i)
            missing.call("crm_customer", "name " + std::string(1, static_cast<char>('a' + i)), "customer not found");
        CHECK(missing.end().empty());
        Session stuck("loop/known-answers");
        for (int i = 0; i < 24; ++i) {
            if (i % 3 == 2)
                stuck.call("note_order", "order " + std::to_string(i), "order " + std::to_string(i) + " noted");
            else
                stuck.call("ship_order", "try " + std::to_string(i), "refused: the warehouse is locked");
        }
        CHECK(stuck.end().size() == 1);
    }

    TEST_CASE("a change of a file opens what was known") {
        Session s("loop/known-answers");
        for (int i = 0; i < 9; ++i) {
            s.call("edit_file", "grind.py " + std::to_string(i), "edited");
            s.call("run_tests", "all",
                   "the whole suite ran: 12 passing, 0 failing, 0 pending; nothing else was said about it");
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("a batch that is acknowledged alike is work") {
        Session s("loop/known-answers");
        for (int i = 0; i < 20; ++i) submit(s, i, "accepted");
        CHECK(s.end().empty());
    }

    TEST_CASE("an acknowledgement that names its lack of errors is one, and a refusal is none") {
        const auto found = [](const char* answer) {
            Session s("loop/known-answers");
            for (int i = 0; i < 20; ++i) submit(s, i, answer);
            return s.end().size();
        };
        for (const char* answer :
             {R"({"content": [{"type": "text", "text": "Sent."}], "isError": false})", R"({"ok":true,"error":null})",
              "sent, errors=0", "0 errors", "errors 0, sent 1", "stored without error"}) {
            CAPTURE(answer);
            CHECK(found(answer) == 0);
        }
        for (const char* answer :
             {R"({"isError": true, "text": "no"})", "error: 10 fields are wrong", "10 errors in the form",
              "error 0x80 in the form", "errors 0.5 %", R"({"error":"no such field"})"}) {
            CAPTURE(answer);
            CHECK(found(answer) == 1);
        }
    }

    TEST_CASE("a refusal that is told as a success is the same one under another number") {
        const char* codes[] = {"F4R86YNEYU", "7LIZXMW1T9", "D39GFNFGJD", "K7QX2M9A4Z"};
        Session rejected("loop/known-answers"), paid("loop/known-answers");
        for (int i = 0; i < 12; ++i) {
            const std::string code = codes[i % 4];
            rejected.call("pay_out", "sum " + std::to_string(i), "Rejected: the account is closed. Reference " + code);
            paid.call("pay_out", "sum " + std::to_string(i), "Paid. Reference " + code + std::to_string(i));
        }
        CHECK(rejected.end().size() == 1);
        CHECK(paid.end().empty());
    }

    TEST_CASE("what is wrong with one thing after the other, and errors that are written down, are other answers") {
        Session sensors("loop/known-answers"), defects("loop/known-answers");
        for (int i = 10; i < 30; ++i) {
            const std::string number = std::to_string(i);
            sensors.call("check_sensor", "sensor " + number, "Sensor " + number + " failed its test");
            defects.call("report_defect", "crate", "Defect " + number + " recorded: error in the lid");
        }
        CHECK(sensors.end().empty());
        CHECK(defects.end().empty());
    }

    TEST_CASE("a figure that says that nothing came of it is an answer, one that moves is another") {
        Session nothing("loop/known-answers"), moves("loop/known-answers");
        for (int i = 0; i < 12; ++i) {
            const std::string took = R"(, "seconds": )" + std::to_string(i) + "}";
            nothing.call("fit", "alpha " + std::to_string(i), R"({"status": "ok", "rmse": NaN)" + took);
            moves.call("fit", "alpha " + std::to_string(i),
                       R"({"status": "ok", "rmse": )" + std::to_string(20 - i) + took);
        }
        CHECK(nothing.end().size() == 1);
        CHECK(moves.end().empty());
    }

    TEST_CASE("what is measured may be called an error, a count or a rate; a code is no measure") {
        const auto found = [](std::string_view key) {
            Session s("loop/known-answers");
            for (int i = 0; i < 12; ++i) {
                s.call("run_trial", "gain " + std::to_string(i),
                       R"({"gain": "as asked", ")" + std::string(key) + "\": " + std::to_string(900 - i * 7) + "}");
            }
            return s.end().size();
        };
        for (const std::string_view key : {"max_error_mm", "error_rate", "validation_errors", "failures", "failed"}) {
            CAPTURE(key);
            CHECK(found(key) == 0);
        }
        CHECK(found("error") == 1);
        CHECK(found("error_code") == 1);
    }

    TEST_CASE("a refusal after each plan that is taken is half of the steps, and counts") {
        Session s("loop/known-answers");
        for (int i = 0; i < 8; ++i)
            s.call("submit_plan", "plan " + std::to_string(i), "Plan taken")
                .call("run_plan", "try " + std::to_string(i + 10),
                      "Step 3 failed: account suspended (case 20" + std::to_string(i) + ")");
        CHECK(s.end().size() == 1);
    }

    const std::vector<std::string> kAsked{
        "Find out when the press was bought.", "When was the press bought? Look again.",
        "Please determine in which year the press was bought.", "Search the books: when was the press bought?",
        "The press: in which year was it bought?"};
    const std::vector<std::string> kInVain{"I could not find out when the press was bought.",
                                           "The year in which the press was bought could not be determined.",
                                           "There is no information on when the press was bought.",
                                           "I was unable to find the year in which the press was bought.",
                                           "Nothing was found about when the press was bought."};

    TEST_CASE("a helper that finds nothing in other words, asked in other words, is a warning from the fifth time on") {
        for (const std::size_t times : {4u, 5u}) {
            Session s("loop/known-answers");
            for (std::size_t i = 0; i < times; ++i) s.call("ask_archivist", kAsked[i], kInVain[i]);
            CHECK(s.end().size() == (times == 5 ? 1u : 0u));
        }
    }

    TEST_CASE("a helper that only promises, asked for one thing again and again, and for one thing after the other") {
        constexpr std::array<std::string_view, 3> kPromises{"I'm on it, I will get back to you.",
                                                            "Sure, I'll look it up and get back to you.",
                                                            "Working on it, I'll get back to you soon."};
        constexpr std::array<std::string_view, 3> kWeight{"What is the weight of the press?",
                                                          "Please send me the weight of the press.",
                                                          "I still need the weight of the press."};
        Session same("loop/known-answers"), each("loop/known-answers");
        for (std::size_t i = 0; i < 7; ++i) {
            same.call("ask_archivist", kWeight[i % 3], kPromises[i % 3]);
            each.call("ask_archivist", "Please translate chapter " + std::to_string(i) + " of the handbook.",
                      kPromises[0]);
        }
        CHECK(same.end().size() == 1);
        CHECK(each.end().empty());
    }

    TEST_CASE("that nothing is wrong is what a reviewer is asked for") {
        Session s("loop/known-answers");
        for (const std::string part : {"lexer", "parser", "linker", "loader", "printer", "reader", "writer"})
            s.call("ask_reviewer", "Review the " + part + " for holes.",
                   "I read the " + part + " and no security issues were found in it.");
        CHECK(s.end().empty());
    }

    TEST_CASE("that there are no matches is one of those words") {
        Session s("loop/known-answers");
        for (std::size_t i = 0; i < 6; ++i)
            s.call("ask_archivist", kAsked[i % kAsked.size()],
                   "No book appears to tell when the press was bought: no matches in any year.");
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("asked of one thing after the other it may find none of them") {
        Session things("loop/known-answers"), long_orders("loop/known-answers");
        for (const std::string thing : {"press", "mill", "pump", "cart", "ladder", "scale", "boiler", "crane"}) {
            things.call("ask_archivist", "Find out when the " + thing + " was bought.",
                        "I could not find out when the " + thing + " was bought.");
            long_orders.call(
                "ask_archivist",
                "You are a careful reader of old books, and say what you have found in one sentence without "
                "any guess of your own. Which year was it for the " +
                    thing + "?",
                "I could not find the year for the " + thing + ".");
        }
        CHECK(things.end().empty());
        CHECK(long_orders.end().empty());
    }

    TEST_CASE("ways between new deeds are work, and one thing after another that is not there is a warning at most") {
        Session blocks("loop/known-answers"), customers("loop/known-answers");
        for (int i = 0; i < 20; ++i) {
            blocks.call("pick_up", "block " + std::to_string(i), "success").call("walk_to", "bin", "success");
            blocks.call("release", "block " + std::to_string(i), "success").call("walk_to", "table", "success");
            customers.fails("get_customer", "customer " + std::string(1, static_cast<char>('a' + i)),
                            "Error: customer not found");
        }
        CHECK(blocks.end().empty());
        const auto& found = customers.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == agent_audit::Severity::warning);
    }

    TEST_CASE("an error that begins like none is an error") {
        Session s("loop/known-answers");
        for (int i = 0; i < 20; ++i) submit(s, i, "Error: 'NoneType' object is not iterable");
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("known answers of which none dominates are a walk over known ground") {
        Session s("loop/known-answers");
        for (int round = 0; round < 2; ++round) {
            for (int i = 0; i < 8; ++i)
                s.call("read_file", "file" + std::to_string(i), "text of file " + std::to_string(i));
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("a look at where one is between checks of one thing after another counts for nothing") {
        const auto rounds = [](std::string_view first, std::string_view second) {
            Session s("loop/known-answers");
            for (int i = 0; i < 14; ++i)
                s.call("Bash", first, "on main")
                    .call("Bash", second, "on main")
                    .call("Bash", "pytest tests/t" + std::to_string(i), "3 passed");
            return s.end().size();
        };
        CHECK(rounds("git status", "git log -1") == 0);
        CHECK(rounds("cat branch.txt", "cat head.txt") == 1);
    }

    TEST_CASE("refusals of one response count once") {
        Session s("loop/known-answers");
        s.respond();
        for (int i = 0; i < 9; ++i) s.open("submit_patch", "patch " + std::to_string(i));
        for (int i = 0; i < 9; ++i) s.answer(kRejected);
        CHECK(s.end().empty());
    }

    TEST_CASE("transient errors are waited out") {
        Session s("loop/known-answers");
        for (int i = 0; i < 9; ++i)
            s.fails("submit_patch", "patch " + std::to_string(i), "HTTP 503 service unavailable");
        CHECK(s.end().empty());
    }

    TEST_CASE("one answer from each of twelve hosts is a warning at most, from one host it is an error") {
        Session hosts("loop/known-answers"), one("loop/known-answers");
        for (int i = 0; i < 12; ++i) {
            hosts.fails("Bash", "ping -c1 10.0.0." + std::to_string(i),
                        "1 packets transmitted, 0 received, 100% packet loss");
            one.fails("Bash", "ping -c1 -s " + std::to_string(64 + i) + " barn",
                      "1 packets transmitted, 0 received, 100% packet loss");
        }
        const auto of_hosts = hosts.end(), of_one = one.end();
        REQUIRE(of_hosts.size() == 1);
        CHECK(of_hosts[0].severity == agent_audit::Severity::warning);
        REQUIRE(of_one.size() == 1);
        CHECK(of_one[0].severity == agent_audit::Severity::error);
    }

    TEST_CASE("one command for each item is a walk, whatever its length of answer") {
        constexpr std::string_view kItems[] = {"barn", "cellar", "dam",    "field", "garden", "house", "kiln",
                                               "loft", "mill",   "office", "pond",  "quay",   "road",  "shed"};
        const auto walk = [&](std::string_view before, std::string_view after, std::string_view answer,
                              bool fails = false) {
            Session s("loop/known-answers");
            for (const std::string_view item : kItems) {
                const std::string command = std::string(before) + std::string(item) + std::string(after);
                if (fails)
                    s.fails("Bash", command, answer);
                else
                    s.call("Bash", command, answer);
            }
            const auto& found = s.end();
            return found.empty() ? agent_audit::Severity::info : found[0].severity;
        };
        constexpr auto kNone = agent_audit::Severity::info;
        constexpr std::string_view kSummary =
            "summary of the whole manifest: 1 resource found in 1 file, valid 1, skipped 0, and nothing else";
        CHECK(walk("cargo test -q -p ", "",
                   "running 0 tests, test result ok: 0 passed, 0 failed, 0 ignored, 0 measured, 0 filtered out") ==
              kNone);
        CHECK(walk("kubeconform -summary manifests/", ".yaml", kSummary) == kNone);
        CHECK(walk("kubeconform -summary -kind ", "", kSummary) == kNone);
        CHECK(walk("helm lint charts/", "",
                   "1 chart(s) linted, 0 chart(s) failed, and what else there is to say about the chart") == kNone);
        CHECK(walk("pytest -q tests/test_", ".py",
                   "..........  [100%] 10 passed in all of the file, and nothing was skipped in it") == kNone);
        CHECK(walk("test -f plugins/", "/README.md", "Exit code 1", true) == kNone);
        CHECK(walk("python scripts/", ".py", "ModuleNotFoundError: No module named 'six', which the script needs",
                   true) == kNone);
        CHECK(walk("pytest -q tests/test_", ".py", "ModuleNotFoundError: No module named 'six', which the test needs",
                   true) == agent_audit::Severity::warning);
        CHECK(walk("./mill --", "", "error: unrecognised option; usage: mill [--help] FILE", true) ==
              agent_audit::Severity::warning);
        // A pattern said in other words asks for the same thing.
        CHECK(walk("./find_rows.sh 'stone|", "'", "error: the index is broken, no row can be read from it", true) ==
              agent_audit::Severity::error);
    }

    TEST_CASE("a command put in other words at one place after the other is no walk") {
        Session s("loop/known-answers");
        constexpr std::string_view kMills[] = {"water", "wind", "steam", "hand", "horse", "ox"},
                                   kGrains[] = {"rye", "oat", "spelt", "maize", "rice", "wheat"};
        for (int i = 0; i < 12; ++i) {
            const std::string command =
                "./grind " + std::string(kMills[i / 2]) + " " + std::string(kGrains[(i + 1) / 2 % 6]);
            s.fails("Bash", command, "error: the sluice is shut, nothing can be ground");
        }
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == agent_audit::Severity::error);
    }

    TEST_CASE("the same few commands in turn are no walk") {
        Session s("loop/known-answers");
        for (int i = 0; i < 24; ++i)
            s.fails("Bash",
                    std::string("./grind ") + (i % 3 == 0   ? "rye"
                                               : i % 3 == 1 ? "oat"
                                                            : "rice"),
                    "error: the sluice is shut");
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == agent_audit::Severity::error);
    }

    TEST_CASE("guess after guess that is only told to be wrong is a game, the same few again are none") {
        constexpr std::string_view kWords[] = {"a whisper", "the wind", "a ghost", "a flute", "a shadow", "a voice",
                                               "thunder",   "a kite",   "a bell",  "a drum",  "a horn",   "a mill"};
        const auto guess = [&](std::string_view rule, std::size_t words, std::string_view verdict) {
            Session s(rule);
            for (std::size_t i = 0; i < 12; ++i) s.call("submit_answer", kWords[i % words], verdict);
            return s.end().size();
        };
        CHECK(guess("loop/known-answers", 12, "Incorrect. Try again.") == 0);
        CHECK(guess("loop/stagnation", 12, "Incorrect. Try again.") == 0);
        CHECK(guess("loop/known-answers", 12, "rejected: line 22 was not changed") == 1);
        CHECK(guess("loop/known-answers", 3, "Incorrect. Try again.") == 1);
    }

    TEST_CASE("a page that refuses is the same one whatever number this visit was given") {
        const auto found = [](std::string_view said) {
            Session s("loop/known-answers");
            const std::vector<std::string> tries{"-sL", "-sL -A Mozilla", "-sL --compressed", "-s", "-sL -k"};
            for (std::size_t i = 0; i < 9; ++i)
                s.call("Bash",
                       "curl " + tries[i % tries.size()] + " https://mill.example/" + (i % 2 ? "guide" : "api") +
                           "/limits?x=" + std::to_string(i),
                       "<html><title>" + std::string(said) + "</title><p>Ray ID: 4bf92f3577b34da" + std::to_string(i) +
                           "</p></html>");
            return s.end().size();
        };
        CHECK(found("403 Forbidden") == 1);
        CHECK(found("Stones of the mill") == 0);
    }

    TEST_CASE("one commit after the other that is empty is skipped, one that is tried again is not") {
        const auto found = [](bool others) {
            Session s;
            for (const char* commit :
                 {"3f9a1c2", "b81e77d", "9284800", "9a8b7c6", "d4e5f60", "1b2c3d4", "e5f6a7b", "7c8d9e0"})
                s.fails("Bash", "git cherry-pick " + std::string(others ? commit : "3f9a1c2"),
                        "The previous cherry-pick is now empty, possibly due to conflict resolution.")
                    .call("Bash", "git cherry-pick --skip", "");
            return s.end().size();
        };
        CHECK(found(true) == 0);
        CHECK(found(false) == 1);
    }

    TEST_CASE("a short answer that says no is the same one whatever it is filed under, and where each call is a move") {
        const auto found = [](std::string_view tool, const auto& asked, const auto& answer) {
            Session s("loop/known-answers");
            for (int i = 0; i < 8; ++i) s.call(tool, asked(i), answer(i));
            return s.end().size();
        };
        constexpr std::string_view kSlots[] = {"May I ask again?", "Does this suit?",   "Can we take it?",
                                               "Try once more",    "Hope it works now", "A second request",
                                               "Please",           "A last try"};
        const auto slot = [&](int i) { return std::string(kSlots[i]); };
        const auto letters = [](int i) { return std::string(1, static_cast<char>('a' + i)); };
        CHECK(found("propose_slot", slot, [](int i) {
                  return "Declined by Noor (request #" + std::to_string(417 + 3 * i) + "): the mill is shut.";
              }) == 1);
        CHECK(found("request_approval", slot, [&](int i) {
                  return R"({"status":"open","note":"Noor is out of office","reminder_id":"4f0)" + letters(i) +
                         "c1d2\"}";
              }) == 1);
        // One way to write an address after the other; and eight names of which none is free.
        const auto refused = [&](int i) {
            return R"({"deliverable":false,"request_id":"9a)" + letters(i) + "c1d24e\"}";
        };
        CHECK(found(
                  "check_address", [&](int i) { return "Mill " + letters(i) + " 17"; }, refused) == 1);
        CHECK(found(
                  "check_address", [&](int i) { return letters(i) + letters(i); }, refused) == 0);
        const auto move = [&](int i) { return letters(i) + "2" + letters(7 - i) + "4"; };
        const auto in_check = [&](int i) { return "Illegal move: " + move(i) + ". Your king is in check."; };
        CHECK(found("make_move", move, in_check) == 1);
        CHECK(found("make_move", move, [&](int i) { return i % 3 == 0 ? "black replies " + move(i) : in_check(i); }) ==
              0);
    }

    TEST_CASE("who is told another price each time bargains") {
        const auto found = [](int step) {
            Session s("loop/known-answers");
            for (int i = 0; i < 9; ++i)
                s.call("send_offer", std::to_string(7000 + 100 * i),
                       "Noor: not enough, I want " + std::to_string(9900 - step * i) + ".");
            return s.end().size();
        };
        CHECK(found(50) == 0);
        CHECK(found(0) == 1);
    }

    TEST_CASE("rooms that are declined in turn for one reason, whatever the hour and the number it is filed under") {
        const auto found = [](std::string_view asked, bool answers) {
            Session s("loop/known-answers");
            s.human(asked);
            constexpr std::string_view kRooms[] = {"A1", "B2", "C3"};
            for (int i = 0; i < 12; ++i) {
                const std::string args = R"({"room":")" + std::string(kRooms[i % 3]) +
                                         R"(","start":"2026-03-05T10:00","len":)" + std::to_string(i % 2 ? 60 : 45) +
                                         "}";
                const std::string ref = R"(,"ref":"BR)" + std::to_string(4000 + 37 * i) + "\"}";
                s.call_json("book_room", kRooms[i % 3], args,
                            (answers ? R"({"status":"booked","until":"1)" + std::to_string(i) + ":00\""
                                     : std::string(R"({"status":"declined","reason":"closed after 18:00")")) +
                                ref);
            }
            const auto& all = s.end();
            return all.empty() ? agent_audit::Severity::info : all[0].severity;
        };
        for (const std::string_view asked :
             {"Book a room for tomorrow 10 am", "Buche einen Raum für 10 Uhr", "Réserve une salle pour 10 h demain"}) {
            CAPTURE(asked);
            CHECK(found(asked, false) == agent_audit::Severity::error);
            CHECK(found(asked, true) == agent_audit::Severity::info);
        }
        CHECK(found("Try to book a room 12 times", false) == agent_audit::Severity::info);
    }

    TEST_CASE("too little memory is one failure whatever the figures; with another setting it is another try") {
        const auto severity = [](bool same_command, std::string_view what) {
            Session s("loop/known-answers");
            for (int i = 0; i < 12; ++i) {
                const std::string n = std::to_string(17 * i + 5);
                const std::string size = same_command ? "64" : std::to_string(64 - 4 * i);
                s.call("Bash", "python3 grind.py --sacks " + size,
                       "Exit code 1\nsack " + n + " of 400\n" + std::string(what) + " (" + n + ".50 MiB wanted, " + n +
                           "1 MiB free)",
                       ResultStatus::error);
            }
            const auto& all = s.end();
            return all.empty() ? agent_audit::Severity::info : all[0].severity;
        };
        for (const std::string_view what :
             {"torch.OutOfMemoryError: CUDA out of memory", "OSError: [Errno 28] No space left on device",
              "FATAL ERROR: JavaScript heap out of memory"}) {
            CAPTURE(what);
            CHECK(severity(true, what) == agent_audit::Severity::error);
            CHECK(severity(false, what) == agent_audit::Severity::info);
        }
        CHECK(severity(true, "ValueError: the stone is at the wrong place") == agent_audit::Severity::info);
    }

    TEST_CASE("a page that answers none of many questions is asked in vain; other pages are other questions") {
        const auto findings = [](bool same_page, bool answers) {
            Session s("loop/known-answers");
            const char* asked[] = {"How many seats?", "seat count", "capacity", "seating",
                                   "audience",        "visitors",   "places"};
            for (int i = 0; i < 7; ++i) {
                const std::string url = "https://hall.example/" +
                                        std::string(same_page ? "about" : std::string(1, static_cast<char>('a' + i)));
                s.call_json("WebFetch", url, R"({"url":")" + url + R"(","prompt":")" + asked[i] + "\"}",
                            answers      ? "It was built in 19" + std::to_string(20 + i) + "."
                            : i % 2 == 0 ? "The page does not mention the number of seats."
                                         : "There is no information on the seat count on this page.");
            }
            return s.end().size();
        };
        CHECK(findings(true, false) == 1);
        CHECK(findings(false, false) == 0);
        CHECK(findings(true, true) == 0);
    }

    TEST_CASE("one fact that command after command runs into is one, whatever is tried in between") {
        const auto found = [](std::string_view said, bool helps) {
            Session s("loop/known-answers");
            const std::string no = "Exit code 1\n" + std::string(said);
            s.fails("Bash", "millctl up -d", no)
                .call("Bash", "sudo service mill start", "Starting mill: milld.")
                .fails("Bash", "millctl ps", no)
                .call("Bash", "ls -l /var/run", "total 0\nsrw-rw---- 1 root root 0 other.sock")
                .fails("Bash", "sudo millctl up -d", no)
                .call("Bash", "id", "uid=1000(noor) gid=1000(noor) groups=1000(noor),27(sudo)");
            if (helps) s.call("Bash", "millctl ps", "NAME   STATUS\nwheel  up 3 seconds");
            s.fails("Bash", "MILL_HOST=local millctl info", no)
                .call("Bash", "cat /etc/mill.conf", "[mill]\nwheels = 3\nstones = 7")
                .fails("Bash", "millctl up wheel", no);
            return s.end().size();
        };
        constexpr std::string_view kDaemon = "Cannot connect to the Docker daemon at unix:///var/run/mill.sock.";
        CHECK(found(kDaemon, false) == 1);
        CHECK(found(kDaemon, true) == 0);
        CHECK(found("error: the wheel 'rye' has no stone in it", false) == 0);  // of the work: more are wanted
    }

    TEST_CASE(
        "what is refused in JSON is refused, though the command that asked went well; of route after route it is not") {
        const auto found = [](const std::vector<std::string>& urls, std::string_view said) {
            Session s("loop/known-answers");
            for (std::size_t i = 0; i < urls.size(); ++i) {
                s.call("Bash", "curl -s " + urls[i], said);
                if (i == 3) s.call("Bash", "env | grep MILL", "MILL_KEY=4711\nMILL_HOST=mill.example");
            }
            return s.end().size();
        };
        constexpr std::string_view kKey = R"({"cod":401, "message": "Invalid API key. Please see the FAQ."})";
        const std::vector<std::string> tries{"'https://mill.example/v1/flour?kind=rye&key=$MILL_KEY'",
                                             "'https://mill.example/v1/flour?key=$MILL_KEY'",
                                             "-H 'X-Key: $MILL_KEY' https://mill.example/v1/flour",
                                             "-H \"Authorization: $MILL_KEY\" https://mill.example/v2/stones",
                                             "https://mill.example/v2/flour?token=$MILL_KEY",
                                             "-L 'http://mill.example/v1/flour?kind=oats' -u $MILL_KEY:",
                                             "https://mill.example/v1/me?key=$MILL_KEY"};
        CHECK(found(tries, kKey) == 1);
        CHECK(found(tries, R"({"cod":200, "message": "Mill Street 17 has three wheels and seven stones."})") == 0);
        std::vector<std::string> routes;
        for (const char* route : {"rye", "oats", "wheels", "stones", "sacks", "carts", "mules"})
            routes.push_back("localhost:3000/api/" + std::string(route));
        CHECK(found(routes, R"({"error": "unauthorized"})") == 0);
    }

    TEST_CASE("a service that turns down what it is given says nothing of the machine, one that is down does") {
        const auto found = [](std::string_view said) {
            Session s("loop/known-answers");
            for (int i = 0; i < 7; ++i) {
                s.call("Bash", "curl -s mill.example/v1/sacks -d '{\"qty\":" + std::to_string(-i) + "}'", said);
                s.call("Bash", "sed -n " + std::to_string(10 * i) + ",+9p sacks.py",
                       "def weigh_" + std::to_string(i) + "(sack):\n    return sack.weight * " + std::to_string(3 * i));
            }
            return s.end().size();
        };
        CHECK(found(R"({"status":401,"error":"the API key is not valid"})") == 1);
        CHECK(found(R"({"status":400,"error":"qty must be a positive whole number"})") == 0);
    }

    TEST_CASE("a try that is taken back each time starts over; conflicts that are solved go on") {
        const auto found = [](bool solves) {
            Session s("loop/known-answers");
            const std::vector<std::string> ways{"main", "-X ours main", "-X theirs main", "origin/main",
                                                "main --onto x"};
            for (std::size_t i = 0; i < ways.size(); ++i) {
                const std::string commit = "4f2a91" + std::to_string(i);
                s.fails("Bash", "git rebase " + ways[i],
                        "Exit code 1\nCONFLICT (content): Merge conflict in mill/wheel.c\nerror: could not apply " +
                            commit + "... turn it");
                if (solves)
                    s.call("Edit", "mill/wheel.c: turn " + commit, "done");
                else
                    s.call("Bash", "git rebase --abort", "");
            }
            return s.end().size();
        };
        CHECK(found(false) == 1);
        CHECK(found(true) == 0);
    }

    TEST_CASE("two tools that mend take turns, each with what the other one finds wrong") {
        const auto found = [](bool mends) {
            Session s("loop/known-answers");
            const std::string fix = mends ? " --fix" : "";
            for (int i = 0; i < 3; ++i) {
                const std::string flags = i == 0 ? "" : i == 1 ? " --cache" : " --cache --no-color";
                s.fails("Bash", "npx eslint" + fix + " src" + flags + " && npm run check:style",
                        "Exit code 1\n[warn] src/wheel.ts\n[warn] Code style issues found in the above file.");
                s.fails("Bash",
                        "npx prettier" + std::string(mends ? " --write" : "") + " src" + flags + " && npm run lint",
                        "Exit code 1\n/mill/src/wheel.ts\n 14:21  error  Strings must use singlequote  quotes");
            }
            return s.end().size();
        };
        CHECK(found(true) == 1);
        CHECK(found(false) == 0);
    }

    TEST_CASE("a file that is shown once more by another program says nothing new; another file does") {
        const auto found = [](bool same) {
            Session s("loop/known-answers");
            const std::vector<std::string> shows{"cat ",  "less ",    "head -50 ", "tail -n 40 ",
                                                 "more ", "strings ", "cat -s "};
            for (std::size_t i = 0; i < shows.size(); ++i) {
                const std::string file =
                    same ? "mill.log" : "mill" + std::string(1, static_cast<char>('a' + i)) + ".log";
                s.call("Bash", shows[i] + file, "wheel 1 turned\nwheel 2 turned\n... [output truncated: 812 lines]");
                if (i == 3) s.call("Bash", "wc -l mill.log", "812 mill.log");
            }
            return s.end().size();
        };
        CHECK(found(true) == 1);
        CHECK(found(false) == 0);
    }
}
