#include "detectors/speech/asked_times.hpp"
#include "detectors/outcomes/known_red.hpp"
#include "detectors/speech/asked_again.hpp"
#include "detectors/speech/each_thing.hpp"
#include "detectors/speech/times_order.hpp"
#include "support/session.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using agent_audit::Severity;
using agent_audit::TextForm;
using agent_audit::detectors::asked_again;
using agent_audit::detectors::asked_times;
using agent_audit::detectors::AskedAgain;
using agent_audit::detectors::failed_tests;
using agent_audit::detectors::times_order;
using agent_audit::detectors::wants_each;
using agent_audit::test::Session;

TEST_SUITE("what a person asked for several times") {
    TEST_CASE("the number of times is read from digits and words, in English and Chinese") {
        CHECK(asked_times("Run the suite 10 times in a row.") == 10);
        CHECK(asked_times("run it ten times") == 10);
        CHECK(asked_times("Please repeat this 3 more times, then stop") == 3);
        CHECK(asked_times("a dozen times") == 12);
        CHECK(asked_times("把测试跑10次") == 10);
        CHECK(asked_times("运行五遍") == 5);
        CHECK(asked_times("run `make soak` 10x and tell me") == 10);
        CHECK(asked_times("say ten runs") == 10);
        CHECK(asked_times("Do 25 iterations, then stop.") == 25);
        CHECK(asked_times("Send 10 test events to the webhook.") == 10);
        CHECK(asked_times("Send 10 placeholder mails to the mill.") == 10);
        CHECK(asked_times("Do five patrol laps over the gates.") == 5);
        CHECK(asked_times("Hold three sparring rounds.") == 3);
        CHECK(asked_times("Walk 4 laps.") == 4);
        CHECK(asked_times("after five failed rounds") == 0);
        CHECK(asked_times("It may take 2 days.") == 0);
        CHECK(asked_times("Boot 64 bit images only.") == 0);
        CHECK(asked_times("Start 8 workers with the same settings.") == 8);
        CHECK(asked_times("bring up six servers, one by one") == 6);
        CHECK(asked_times("Please spawn five simulators") == 5);
        CHECK(asked_times("Aufgabe: starte 8 Worker") == 8);
        CHECK(asked_times("запусти 8 воркеров") == 8);
        CHECK(asked_times("Запусти 8 воркеров.") == 8);
        CHECK(asked_times("Please print 8 badges, all alike.") == 8);
        CHECK(asked_times("restart 8 workers") == 0);
        CHECK(asked_times("start the 8 workers in one go") == 0);
        CHECK(asked_times("please publish twenty messages") == 20);
        CHECK(asked_times("first 3 times, then twenty times") == 20);
    }

    TEST_CASE("the same is read in other languages") {
        for (const std::string_view said :
             {"Führe den Test zehnmal aus.", "Lass ihn 10 Mal laufen.", "Der Test ist wacklig, lass ihn 10-mal laufen",
              "Starte es zehn Mal", "Lance les tests dix fois.", "Exécute-le 10 fois de suite",
              "Ejecuta la prueba 10 veces", "vuelve a ejecutar la prueba diez veces", "Esegui il test dieci volte",
              "Rode o teste 10 vezes", "Voer de test tien keer uit", "Kör testet 10 gånger", "Uruchom test 10 razy",
              "Запусти тест 10 раз", "Запусти тест десять раз", "テストを10回実行して", "do 10 consecutive runs",
              "ten test runs, please"}) {
            CAPTURE(said);
            CHECK(asked_times(said) == 10);
        }
        for (const std::string_view said :
             {"Es ist schon 10 Mal gescheitert", "Der Test wurde 10 Mal gestartet", "Das ist 10-mal schneller",
              "zum 10. Mal", "ein paar Mal", "ein normales Maß", "10 malformed rows", "Les tests ont échoué 10 fois",
              "10 fois plus vite", "La prueba falló 10 veces", "es 10 veces más lento", "è già fallito 10 volte",
              "Стало быстрее в 10 раз", "тест упал 10 раз", "第10回の会議", "10回目のテスト", "10回失敗しました",
              "the six normal animals"}) {
            CAPTURE(said);
            CHECK(asked_times(said) == 0);
        }
    }

    TEST_CASE("escapes of the recording are read as what they stand for") {
        using agent_audit::RawText;
        using agent_audit::TextForm;
        CHECK(asked_times(RawText{"\\u628a\\u6d4b\\u8bd5\\u8dd110\\u6b21", TextForm::json_string}) == 10);
        CHECK(asked_times(RawText{"[{\"type\":\"text\",\"text\":\"\\u8fd0\\u884c\\u4e94\\u904d\"}]",
                                  TextForm::json_value}) == 5);
        CHECK(asked_times(RawText{"\\u628a10\\u6b21", TextForm::plain}) == 0);
        CHECK(asked_times(RawText{"run it ten times", TextForm::json_string}) == 10);
    }

    TEST_CASE("what happened so often is no wish, and other words are no number") {
        for (const std::string_view said :
             {"The job failed 5 times already", "it crashed ten times", "it ran 7 times", "many times",
              "New York Times", "v1.5 times", "response times of 10 ms", "10 timestamps", "失败了5次",
              "make it 10x faster", "it is 0x10 bytes", "the job failed 10 runs", "send the mail", "10 runsheets",
              "resend 5 mails", "post 10.5 to the account", ""}) {
            CAPTURE(said);
            CHECK(asked_times(said) == 0);
        }
        CHECK(asked_times("do it " + std::string(400, '9') + " times") == 0);
    }

    TEST_CASE("as many equal calls as were asked for are worth a note at most; one more would do, two are a loop") {
        const auto severity = [](int calls) {
            Session s("loop/exact-repeat");
            s.human("Run the harbour test six times to see whether it is flaky.");
            for (int i = 0; i < calls; ++i) s.call("Bash", "npm test", "10 passed");
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        CHECK(severity(6) == Severity::info);
        CHECK(severity(7) == Severity::info);
        CHECK(severity(8) == Severity::error);
    }

    TEST_CASE("what is ordered so often is told by its sentence; where times are counted, by all that is said") {
        const auto order = [](std::string_view said) {
            return times_order(agent_audit::RawText{said, agent_audit::TextForm::plain});
        };
        const auto workers = order("The mill is idle. Start 8 Workers.\nInstall nothing.");
        CHECK(workers.things);
        CHECK(workers.words == "start 8 workers\n");
        CHECK_FALSE(order("Run the suite 10 times. Mind the dust.").things);
        CHECK(order("Run the suite 10 times. Mind the dust.").words == "run the suite 10 times. mind the dust.");
        CHECK_FALSE(order("Start 8 workers and ping each 3 times").things);
        CHECK_FALSE(order("soak `make grind` 12x").things);
        CHECK_FALSE(order("Lass die Mühle zehnmal mahlen.").things);
        CHECK(order("Start 8 small workers.").things);
    }

    // Eight calls alike, which an order for eight or more might want.
    const auto heard = [](std::string_view said, std::string_view tool, std::string_view argument,
                          std::string_view answer, bool fails) {
        Session s("loop/exact-repeat");
        s.human(said);
        for (int i = 0; i < 8; ++i) fails ? s.fails(tool, argument, answer) : s.call(tool, argument, answer);
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        return found[0].severity;
    };

    TEST_CASE("a number of things excuses what makes them, and no other call") {
        constexpr std::string_view kWorkers = "Start 8 workers.", kMails = "Send 10 mails to the mill.";
        CHECK(heard(kWorkers, "start_worker", "default", "{\"id\": 4, \"state\": \"up\"}", false) == Severity::info);
        CHECK(heard(kWorkers, "Bash", "./grind --detach", "grinding: 4 sacks", false) == Severity::info);
        CHECK(heard(kWorkers, "Bash", "npm install", "npm error code ERESOLVE", true) == Severity::error);
        CHECK(heard(kWorkers, "Bash", "cd worker && npm ci", "npm error code ERESOLVE", true) == Severity::error);
        CHECK(heard(kWorkers, "Bash", "make grinder", "grinder.c:4: error: no quern", true) == Severity::error);
        CHECK(heard(kWorkers, "Bash", "npm test", "1 failing", true) == Severity::error);
        CHECK(heard(kMails, "Read", "config/mail.yml", "port: 25", false) == Severity::error);
        CHECK(heard(kMails, "list_members", "mill", "[{\"name\": \"Noor\"}]", false) == Severity::error);
        CHECK(heard(kMails, "Edit", "mail.py", "String to replace not found", true) == Severity::error);
    }

    TEST_CASE("what may carry out an order is excused when it fails, and when it only looks") {
        CHECK(heard("Send 10 events to the mill.", "Bash", "curl -sf http://localhost:9000/in", "curl: (22) 503",
                    true) == Severity::info);
        CHECK(heard("Make 9 wrong logins.", "login", "noor", "Error: invalid password", true) == Severity::info);
        CHECK(heard("Take 8 readings of the scale.", "get_weight", "scale 1", "{\"kg\": 12.004}", false) ==
              Severity::info);
        CHECK(heard("Run the suite 10 times.", "Bash", "npm test", "1 failing", true) == Severity::info);
        CHECK(heard("Do 8 runs of npm ci; is it flaky?", "Bash", "npm ci", "npm error code E503", true) ==
              Severity::info);
        CHECK(heard("Run the suite 10 times.", "Bash", "npm ci", "npm error code ERESOLVE", true) == Severity::error);
        CHECK(heard("Run the suite 10 times.", "Read", "mill/corn.yml", "port: 25", false) == Severity::error);
        CHECK(heard("Read mill/corn.yml 8 times.", "Read", "mill/corn.yml", "port: 25", false) == Severity::info);
    }

    TEST_CASE("a round of two calls comes as often as it was asked for, however its steps are counted") {
        const auto loud = [](std::string_view said) {
            Session s;
            s.human(said);
            for (int i = 0; i < 4; ++i) s.call("turn_stone", "north", "ok").call("read_dial", "north", "0");
            const auto& found = s.end();
            return std::ranges::count_if(found, [](const auto& f) { return f.severity != Severity::info; });
        };
        CHECK(loud("Turn the stone and read the dial four times.") == 0);
        CHECK(loud("Turn the stone and read the dial.") > 0);
        Session s;
        s.human("Start 6 grinders.");
        for (int i = 0; i < 6; ++i) s.call("bring_up", "default", "up").call("get_state", "mill", "grinding");
        for (const auto& found : s.end()) CHECK(found.severity == Severity::info);
    }

    TEST_CASE("a wish holds until the person speaks again") {
        Session s("loop/exact-repeat");
        s.human("Run it six times.");
        s.call("Bash", "npm test", "10 passed");
        s.human("Good. Now mend the parser.");
        for (int i = 0; i < 6; ++i) s.call("Bash", "npm test", "1 failing");
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::error);
    }

    TEST_CASE("that something is to be run or watched again and again is read without a number") {
        for (const std::string_view said :
             {"Is tests/sync_test.py flaky? Please check.", "The upload test fails now and then. Find out how often.",
              "Run the harbour test a few times.", "Start the app and then restart it several times",
              "It sometimes hangs at start; have a look", "There is an intermittent failure in the crane test.",
              "Run ./empty.sh again and again until the basin is dry.",
              "Start crane.py at 10:30 and v1.2 repeatedly, each for 1,000 crates"}) {
            CAPTURE(said);
            CHECK(asked_again(said) == AskedAgain::trials);
            CHECK(asked_again(agent_audit::RawText{said, agent_audit::TextForm::plain}) ==
                  AskedAgain::trials);  // as a session has it
        }
        for (const std::string_view said :
             {"Keep an eye on the queue.", "Please check the queue every minute and tell me when it is full",
              "Watch the lock gates for me", "Read the thermostat every 10 minutes until I come back",
              "Check the oven every seven minutes", "Keep refreshing the page until there are tickets.",
              "Start the job, and monitor it.", "Every 30 min ping me with a stretch reminder till 5pm",
              "every hour check the gate", "Every couple of minutes please look at the queue",
              "Erinnere mich alle 30 Minuten ans Trinken", "Rappelle-moi toutes les 20 minutes de boire",
              "Restore the backup. It takes an hour; look at the status from time to time."}) {
            CAPTURE(said);
            CHECK(asked_again(said) == AskedAgain::watch);
            CHECK(asked_again(agent_audit::RawText{said, agent_audit::TextForm::plain}) == AskedAgain::watch);
        }
        for (const std::string_view said :
             {"Check that none of these is used any more: mute, snooze", "Are there unused helpers in src?",
              "Make sure that none of the old routes is called.",
              "Make sure that none of the deprecated helpers of the mill is still called.",
              "We have removed it; make sure that no caller is left.", "Verify that no file still imports quern.",
              "Is fetchSack no longer used?", "请确认这些函数不再使用", "これらの関数がもう使われていないか確認して"}) {
            CAPTURE(said);
            CHECK(asked_again(said) == AskedAgain::absence);
            CHECK(asked_again(agent_audit::RawText{said, agent_audit::TextForm::plain}) == AskedAgain::absence);
        }
        for (const std::string_view said :
             {"Fix the login handler; also drop the unused import.", "Make sure that no test is left red.",
              "Make sure that no sack is lost in transit.", "None of the tests pass, please mend them.",
              "Quelle est la commande la plus utilisée ?"}) {
            CAPTURE(said);
            CHECK(asked_again(said) == AskedAgain::no);
        }
        for (const std::string_view said :
             {"Push it, then wait until Noor has approved it, and merge.", "Wait for the nightly build, then tag it.",
              "Bitte warte, bis der Deich fertig ist."}) {
            CAPTURE(said);
            CHECK(asked_again(said) == AskedAgain::waiting);
            CHECK(asked_again(agent_audit::RawText{said, agent_audit::TextForm::plain}) == AskedAgain::waiting);
        }
        for (const std::string_view said :
             {"Verify that all 60 pages refuse a visitor (expect 401).",
              "Call it with 50 wrong options; each must exit with 2.", "Write a test for each rule and see it fail."}) {
            CAPTURE(said);
            CHECK(asked_again(said) == AskedAgain::failures);
            CHECK(asked_again(agent_audit::RawText{said, agent_audit::TextForm::plain}) == AskedAgain::failures);
        }
        for (const std::string_view said :
             {"Check each of the 70 links in links.txt.", "Which of the names in names.txt are taken?",
              "Is any of these firms on the list?", "Ten crashes: is each of them the same bug?",
              "Verify that every lock gate answers.", "请逐个检查这些链接", "Prüfe alle Adressen in der Liste."}) {
            CAPTURE(said);
            CHECK(asked_again(said) == AskedAgain::survey);
            CHECK(asked_again(agent_audit::RawText{said, agent_audit::TextForm::plain}) == AskedAgain::survey);
        }
        for (const std::string_view said :
             {"Check that all tests pass.", "I already tried all the addresses and none answers. Mend the proxy.",
              "Don't wait for the nightly build.", "We tried each of them.", "The users wait for the page; mend it.",
              "Add a job that runs the suite every ten minutes.", "Run the import every hour by cron.",
              "Run ./empty.sh. It calls the pump again and again.", "Run ./empty.sh: we tried pump.py repeatedly"}) {
            CAPTURE(said);
            CHECK(asked_again(said) == AskedAgain::no);
        }
        for (const std::string_view said :
             {"Deploy once the build has finished.", "Espera a que termine el build y luego despliega.",
              "Attends que la compilation se termine.", "等待构建完成", "ビルドが終わるまで待ってからデプロイして"}) {
            CAPTURE(said);
            CHECK(asked_again(agent_audit::RawText{said, agent_audit::TextForm::plain}) == AskedAgain::waiting);
        }
        for (const std::string_view said :
             {"Harden the sack endpoint; test it with malformed bodies.",
              "Send the 20 broken sacks; each has to be refused.",
              "Rufe die zehn Türen auf, sie müssen abgelehnt werden.", "Try the ports, all of them have to time out.",
              "Negative test of the sandbox: read the secrets.", "Pen test on our own staging login: try the payloads.",
              "Go through the files and confirm that access is denied.",
              "Verify that the form rejects every bad address.", "Prüfe, dass der Endpunkt kaputte Säcke ablehnt.",
              "Verify the wall: from outside none of the mills may be reachable."}) {
            CAPTURE(said);
            CHECK(asked_again(agent_audit::RawText{said, agent_audit::TextForm::plain}) == AskedAgain::failures);
        }
        for (const std::string_view said :
             {"Check our ten mills for cracks, one by one.", "Find out which of these mills do not turn any more.",
              "Finde heraus, welche dieser Mühlen noch mahlen.", "Try the ten keys and see if any of them fits."}) {
            CAPTURE(said);
            CHECK(asked_again(agent_audit::RawText{said, agent_audit::TextForm::plain}) == AskedAgain::survey);
        }
        for (const std::string_view said :
             {"Call POST /sacks/next until the queue is empty.", "Run ./next.sh until nothing is left.",
              "Work through the backlog with the import tool until the remaining count is 0."}) {
            CAPTURE(said);
            CHECK(asked_again(agent_audit::RawText{said, agent_audit::TextForm::plain}) == AskedAgain::until_done);
        }
        for (const std::string_view said :
             {"The form crashes with invalid input, mend it.", "Once the data is clean, export it.",
              "The job runs until the queue is empty and then dies; mend it.", "Do not check the mills one by one.",
              "Move the views over one by one.", "Mend it and go on until the tests pass.",
              "Mend the login. Keep going until you are done.", "Please keep working until the task is finished.",
              "Use the browser tool until nothing fails.", "Work until 09:00 on the parser.",
              "Make sure the page can be reached and that no error is logged.",
              "Make the parser not crash with malformed input.", "Check why login refuses valid keys."}) {
            CAPTURE(said);
            CHECK(asked_again(agent_audit::RawText{said, agent_audit::TextForm::plain}) == AskedAgain::no);
        }
        CHECK(asked_again("Run the whole suite every ten minutes until six.") == AskedAgain::watch);
        for (const std::string_view said : {"这个测试偶尔会失败，请查原因", "このテストはたまに失敗します"}) {
            CAPTURE(said);
            CHECK(asked_again(agent_audit::RawText{said, agent_audit::TextForm::plain}) == AskedAgain::trials);
        }
        for (const std::string_view said : {"请盯着构建", "ビルドを監視してください"}) {
            CAPTURE(said);
            CHECK(asked_again(agent_audit::RawText{said, agent_audit::TextForm::plain}) == AskedAgain::watch);
        }
        for (const std::string_view said :
             {"Baue einen Dienst, der jede Minute läuft", "Le job surveille la file", "写一个每分钟运行的任务",
              "監視ツールを作って", "El bucle se repite varias veces"}) {
            CAPTURE(said);
            CHECK(asked_again(agent_audit::RawText{said, agent_audit::TextForm::plain}) == AskedAgain::no);
        }
        for (const std::string_view said :
             {"Add a job that checks the queue every minute.", "Write a monitor for the queue.",
              "I've told you several times to mend it.", "It is called multiple times for each row.",
              "Sometimes the page is blank. Mend it.", "Mend the test and go on until it is green",
              "The page is slow from time to time; check the log.", "Watch out for the old tests.",
              "Let me know as soon as you are done.", "Tell me the moment you have it.",
              "Mend it and let me know as soon as it's done", "Explain watch mode", "every day counts",
              "Every 5 minutes the app crashes", "Every hour a cron job shall check the gate",
              "Run the test every time you change something", ""}) {
            CAPTURE(said);
            CHECK(asked_again(said) == AskedAgain::no);
        }
        CHECK(asked_again(agent_audit::RawText{"Two things:\\n- is it flaky?\\n- why?",
                                               agent_audit::TextForm::json_string}) == AskedAgain::trials);
    }

    TEST_CASE("what is worked off in parts until nothing is left is no loop; what does nothing is") {
        const auto severity = [](std::string_view wish, std::string_view said) {
            Session s("loop/exact-repeat");
            s.human(wish);
            for (int i = 0; i < 12; ++i) s.call("Bash", "curl -s -X POST localhost:8000/sacks/next", said);
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        constexpr std::string_view kUntil = "Call POST /sacks/next until the queue is empty.",
                                   kWork = R"({"milled":500})";
        CHECK(severity(kUntil, kWork) == Severity::info);
        CHECK(severity("Mend the queue.", kWork) == Severity::error);
        CHECK(severity(kUntil, R"({"error":"the queue is locked"})") == Severity::error);
    }

    TEST_CASE("what a person waits for may refuse the connection until it is up") {
        const auto severity = [](std::string_view wish, std::string_view said) {
            Session s("loop/poll-no-progress");
            s.human(wish);
            for (int i = 0; i < 9; ++i) s.fails("Bash", "sleep 10; curl -sf localhost:8080/health", said);
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        constexpr std::string_view kRefused = "curl: (7) Failed to connect to localhost port 8080: Connection refused";
        CHECK(severity("Start the mill and wait until it is healthy.", kRefused) == Severity::info);
        CHECK(severity("Start the mill.", kRefused) == Severity::warning);
    }

    TEST_CASE("rounds that are counted off stay what was asked for, whatever else they look like") {
        const auto worst = [](std::string_view wish) {
            Session s;
            s.human(wish);
            const auto edit = [&](std::string_view from, std::string_view to) {
                s.call_json("Edit", "db/i.sql",
                            R"({"file_path":"db/i.sql","old_string":")" + std::string(from) + R"(","new_string":")" +
                                std::string(to) + R"("})",
                            "updated");
            };
            for (int i = 0; i < 3; ++i) {
                edit("create index", "-- create index");
                s.call("Bash", "./q.sh", "94.1 ms");
                edit("-- create index", "create index");
                s.call("Bash", "./q.sh", "10.5 ms");
            }
            Severity most = Severity::info;
            for (const auto& f : s.end()) most = std::max(most, f.severity);
            return most;
        };
        CHECK(worst("Measure with and without the index, three times each.") == Severity::info);
        CHECK(worst("Make the query faster.") == Severity::error);
    }

    TEST_CASE("runs that show how often something works are no loop, unless all of them fail or nobody asked") {
        const auto severity = [](std::string_view wish, int runs, bool fails, std::string_view tool = "Bash") {
            Session s("loop/exact-repeat");
            s.human(wish);
            for (int i = 0; i < runs; ++i) {
                if (fails)
                    s.fails(tool, "npm test", "1 failing");
                else
                    s.call(tool, "npm test", "10 passed");
            }
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        CHECK(severity("Is the harbour test flaky?", 20, false) == Severity::info);
        CHECK(severity("Is the harbour test flaky?", 60, false) == Severity::error);
        CHECK(severity("Der Test schlägt manchmal fehl, lass ihn so oft laufen, bis du es siehst.", 20, false) ==
              Severity::info);
        CHECK(severity("Ce test échoue de temps en temps. Relance-le.", 20, false) == Severity::info);
        CHECK(severity("请反复运行直到它失败为止。", 20, false) == Severity::info);
        CHECK(severity("Vigila las pruebas, cada dos minutos.", 20, false) == Severity::info);
        CHECK(severity("Schau alle 5 Minuten nach, ob die Tests laufen.", 20, false) == Severity::info);
        CHECK(severity("10分おきにテストを確認してください。", 20, false) == Severity::info);
        CHECK(severity("每隔五分钟看一下测试。", 20, false) == Severity::info);
        CHECK(severity("Schreib ein Skript, das alle 5 Minuten prüft, ob die Tests laufen.", 20, false) ==
              Severity::error);
        CHECK(severity("Prüf die Tests in alle 3 Ordnern.", 20, false) == Severity::error);
        CHECK(severity("每隔五分钟检查一次的定时脚本有问题，请修复。", 20, false) == Severity::error);
        CHECK(severity("10分おきに確認するスクリプトを書いて。", 20, false) == Severity::error);
        CHECK(severity("Mend the flaky harbour test.", 20, true) == Severity::error);
        CHECK(severity("Mend the harbour test.", 20, false) == Severity::error);
        CHECK(severity("Is the harbour test flaky?", 20, false, "Read") == Severity::error);
    }

    TEST_CASE("trials that come out in turn one way and the other are trials, though each round has a failure") {
        const auto severity = [](std::string_view wish) {
            Session s("loop/cycle");
            s.human(wish);
            for (int i = 0; i < 12; ++i) {
                if (i % 3 == 2)
                    s.call("Bash", "npm test", "10 passed");
                else
                    s.fails("Bash", "npm test", i % 3 == 0 ? "1 failing" : "2 failing");
            }
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        CHECK(severity("Is the harbour test flaky?") == Severity::info);
        CHECK(severity("Mend the harbour test.") == Severity::error);
    }

    TEST_CASE("who is to watch something looks at it as often as it takes") {
        const auto severity = [](std::string_view wish, std::string_view tool, std::string_view asked) {
            Session s;
            s.human(wish);
            for (int i = 0; i < 60; ++i) s.call(tool, asked, "12 jobs are waiting");
            Severity worst = Severity::info;
            for (const auto& finding : s.end()) {
                if (finding.rule.starts_with("loop/")) worst = std::max(worst, finding.severity);
            }
            return worst;
        };
        CHECK(severity("Look at the queue every minute.", "Bash", "sleep 60; redis-cli llen jobs") == Severity::info);
        CHECK(severity("Keep an eye on the queue.", "queue_length", "jobs") == Severity::info);
        CHECK(severity("Tell me as soon as the queue is empty.", "queue_length", "jobs") == Severity::info);
        CHECK(severity("Let me know the moment it is empty.", "queue_length", "jobs") == Severity::info);
        CHECK(severity("How long is the queue?", "queue_length", "jobs") == Severity::error);
    }

    TEST_CASE("who is to go through a list may get the same answer of each, unless the way to it is barred") {
        // 24 things, each asked for by `asks` with NAME in its place.
        const auto worst = [](std::string_view wish, std::string_view asks, std::string_view said, bool fails) {
            constexpr std::string_view kName = "NAME";
            Session s;
            s.human(wish);
            for (int i = 0; i < 24; ++i) {
                std::string asked(asks);
                const std::string name = std::string(1, static_cast<char>('a' + i)) + "mill" + std::to_string(i * 37);
                if (const std::size_t at = asked.find(kName); at != asked.npos) asked.replace(at, kName.size(), name);
                if (fails)
                    s.fails("gate", asked, said);
                else
                    s.call("gate", asked, said);
            }
            Severity found = Severity::info;
            for (const auto& finding : s.end()) found = std::max(found, finding.severity);
            return found;
        };
        const std::string_view list = "Check each of the gates in gates.txt.", plain = "Mend the gates.";
        const std::string_view refused = R"({"status": 401, "body": "unauthorized"})";
        CHECK(worst(list, "https://gates.test/NAME", "Request failed with status code 404", true) == Severity::info);
        CHECK(worst(plain, "https://gates.test/NAME", "Request failed with status code 404", true) != Severity::info);
        // The agent's own rights, or network, and one thing asked for in many ways.
        CHECK(worst(list, "https://gates.test/NAME", "401 Unauthorized: token expired", true) != Severity::info);
        CHECK(worst(list, "https://gates.test/NAME", "connect ECONNREFUSED 127.0.0.1:80", true) != Severity::info);
        CHECK(worst(list, "https://gates.test/one", refused, false) != Severity::info);
        // That it is refused was to be seen.
        const std::string_view closed = "Verify that all gates are closed to visitors (expect 401).";
        CHECK(worst(closed, "https://gates.test/NAME", refused, false) == Severity::info);
        CHECK(worst(plain, "https://gates.test/NAME", refused, false) != Severity::info);
    }

    TEST_CASE("that each of many things is to be looked at may be said in many ways") {
        for (const std::string_view said :
             {"i have these old vouchers, please try them all on my cart: a1, a7, b3",
              "check these 18 old links of ours.", "is the name free in all these registers? i need each one checked.",
              "look it up in the usual catalogues.",
              "book four seats; if they are taken, go to the next row until all four are free.",
              "probiere alle 14 gutscheine durch.", "vérifie chacun des moulins.", "prueba cada uno de los códigos.",
              "请检查每个链接", "is the new ca on all tills?", "ist die neue ca auf allen mühlen?"}) {
            CAPTURE(said);
            CHECK(wants_each(said));
        }
        for (const std::string_view said :
             {"fix each of these 3 mills.", "each request is tested by the mill such that it grinds.",
              "make each of the tests pass.", "we have checked all of them already; mend the last one.",
              "check that all 300 tests pass.", "the next one to mend is the sluice.", "put the new ca on all tills.",
              "are all tests green?", "the latest mill is each miller's own.", "do not try them all.", ""}) {
            CAPTURE(said);
            CHECK_FALSE(wants_each(said));
        }
    }

    TEST_CASE("what must be refused may be any text, and a right that a tool lacks is the refusal") {
        const auto severity = [](std::string_view wish, std::string_view tool, std::string_view said, bool again) {
            Session s("loop/known-answers");
            s.human(wish);
            for (const char* text : {"abc", "@", "a@b", "..@x", "x@.", "x@x", "<x>", "b@", "@@", "x y", "-@-", "a.b@"})
                s.fails(tool, again ? "abc" + std::string(text == std::string_view("@") ? "" : "x") : text, said);
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        constexpr std::string_view kWish = "Test that the form refuses bad addresses.",
                                   kSaid = "Error: invalid address";
        CHECK(severity(kWish, "browser_type", kSaid, false) == Severity::info);
        CHECK(severity("Fill in the form.", "browser_type", kSaid, false) == Severity::error);
        CHECK(severity(kWish, "browser_type", kSaid, true) == Severity::error);
        constexpr std::string_view kSandbox = "Negative test of the sandbox.", kDenied = "Error: permission denied";
        CHECK(severity(kSandbox, "open_vault", kDenied, false) == Severity::info);
        CHECK(severity(kSandbox, "Bash", kDenied, false) == Severity::error);
    }

    TEST_CASE("a wish of long ago holds for what was done then, however much was said since") {
        for (const int messages : {2, 12, 40}) {
            CAPTURE(messages);
            Session s("loop/exact-repeat");
            s.human("Is the harbour test flaky?");
            for (int i = 0; i < 9; ++i) s.call("Bash", "npm test", "10 passed");
            for (int i = 0; i < messages; ++i) s.human("Mend mill " + std::to_string(i)).call("Bash", "ls", "mill");
            for (int i = 0; i < 9; ++i) s.call("Bash", "npm test", "10 passed");
            const auto& found = s.end();
            REQUIRE(found.size() == 2);
            CHECK(found[0].severity == Severity::info);
            CHECK(found[1].severity == Severity::error);
        }
    }

    TEST_CASE("one of many things that is asked in a few ways is no survey") {
        const auto worst = [](bool others) {
            Session s("loop/same-error");
            s.human("Check each of the gates in gates.txt.");
            for (const std::string_view flag : {"-s", "-sv", "-sI", "-sk", "-sL"}) {
                const std::string gate = others ? std::string(flag.substr(1)) + "gate" : "rye";
                s.fails("Bash", "curl " + std::string(flag) + " https://gates.test/" + gate,
                        "curl: (47) Maximum (50) redirects followed");
            }
            Severity found = Severity::info;
            for (const auto& finding : s.end()) found = std::max(found, finding.severity);
            return found;
        };
        CHECK(worst(false) == Severity::warning);
        CHECK(worst(true) == Severity::info);
    }

    TEST_CASE("what is red already and is to be ignored is nobody's stalled fix") {
        const auto worst = [](std::string_view wish) {
            Session s("loop/stalled-fix");
            s.human(wish);
            for (int i = 0; i < 9; ++i) {
                s.call("Edit", "mill" + std::to_string(i) + ".cpp", "done");
                s.fails("Bash", "ctest", "FAIL exports_sacks: want 3, got 2\n1 of 40 failed");
            }
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        for (const std::string_view wish :
             {"Rename the helpers. exports_sacks is red on main already, that is not yours, ignore it.",
              "Ignore the failing export test, and rename the helpers.",
              "Benenne die Helfer um. Ein Test schlägt fehl, ignoriere ihn.",
              "Renomme les fonctions. Le test échoue sur main, ignore-le.",
              "Rename the helpers one by one (exports_sacks fails on main as well).",
              "Rename the helpers. One test (exports_sacks) is known to fail."}) {
            CAPTURE(wish);
            CHECK(asked_again(wish) == AskedAgain::known_red);
            CHECK(worst(wish) == Severity::info);
        }
        for (const std::string_view wish :
             {"Rename the helpers.", "The export test is red on main already, mend it.",
              "Tests that fail are ignored by the runner. Mend that.", "Do not ignore failing tests.",
              "Ignore the old docs. Then mend the failing test.",
              "The export test is broken, that is not your fault, but please fix it.",
              "Ignore my last message, the export test fails, mend it.",
              "Ignore the export test, it fails on main as well. Make the import test green.",
              "Not your average bug: the export test fails."}) {
            CAPTURE(wish);
            CHECK(asked_again(wish) == AskedAgain::no);
            CHECK(worst(wish) == Severity::error);
        }
    }

    TEST_CASE("who lets one test fail lets no other one") {
        // `before`: what is red before anything is changed; "" = nobody looked.
        const auto worst = [](std::string_view wish, const std::string& before, const std::string& red) {
            Session s("loop/stalled-fix");
            s.human(wish);
            if (!before.empty()) s.fails("Bash", "ctest", before);
            for (int i = 0; i < 9; ++i) {
                s.call("Edit", "mill" + std::to_string(i) + ".cpp", "done");
                s.fails("Bash", "ctest", red);
            }
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        const std::string kA = "FAIL exports_sacks: want 3, got 2\n1 of 40 failed",
                          kB = "FAIL counts_mice: want 3, got 2\n1 of 40 failed",
                          kBoth = "FAIL exports_sacks: want 3, got 2\nFAIL counts_mice: want 3, got 2\n2 of 40 failed",
                          kNameless = "mill: grinds slowly\n1 of 40 failed";
        constexpr std::string_view kNamed = "Rename the helpers. exports_sacks is red on main already, ignore it.",
                                   kUnnamed = "Rename the helpers. There is a red test on main, ignore that red test.",
                                   kOfFile = "Rename the helpers. export.test.ts fails on main already, ignore it.",
                                   kOfBranch = "Rename the helpers. One test fails on x86_64 as well, ignore it.";
        CHECK(worst(kNamed, "", kA) == Severity::info);
        CHECK(worst(kNamed, kA, kB) == Severity::error);
        CHECK(worst(kNamed, "", kBoth) == Severity::error);
        CHECK(worst(kNamed, "", kNameless) == Severity::info);
        CHECK(worst(kUnnamed, "", kB) == Severity::info);  // nobody knows which one is meant
        CHECK(worst(kUnnamed, kA, kA) == Severity::info);
        CHECK(worst(kUnnamed, kA, kBoth) == Severity::error);
        CHECK(worst(kOfFile, "", kB) == Severity::info);
        CHECK(worst(kOfBranch, "", kB) == Severity::info);
    }

    TEST_CASE("runners name the tests that failed each in their way") {
        using Names = std::vector<std::string_view>;
        const auto failed = [](std::string_view printed) { return failed_tests({printed, TextForm::plain}); };
        CHECK(failed("FAILED tests/mill.py::test_rye - assert 2 == 3") == Names{"tests/mill.py::test_rye"});
        CHECK(failed("--- FAIL: TestRye (0.02s)\nFAIL\nFAIL\tmill/rye\t0.1s") == Names{"TestRye"});
        CHECK(failed("FAIL src/rye.test.ts\n  \u25cf mill \u203a grinds rye") == Names{"mill \u203a grinds rye"});
        CHECK(failed("not ok 3 - grinds rye\nok 4 - grinds oats") == Names{"grinds rye"});
        CHECK(failed("test mill::rye ... FAILED\ntest mill::oats ... ok") == Names{"mill::rye"});
        CHECK(failed("FAIL: test_rye (mill.Rye)\nFAILED (failures=1)") == Names{"test_rye"});
        CHECK(failed("3 FAILED, 9 passed\nmill: grinds slowly").empty());
    }

    TEST_CASE(
        "who writes tests first wants no script to fail, and a number of things to start is none of tries to mend") {
        const auto worst = [](std::string_view wish, bool edits) {
            Session s;
            s.human(wish);
            for (int i = 0; i < 12; ++i) {
                const std::string name(1, static_cast<char>('a' + i));
                if (edits) {
                    s.call("Edit", "change " + std::to_string(i) + " of mill.py", "done");
                    s.fails("Bash", "pytest -q", "E  assert 3 == 4\n1 failed in 0.12s");
                } else {
                    s.fails("Bash", "python3 " + name + "mill.py",
                            "SyntaxError: invalid syntax\nwhile reading flour.py");
                }
            }
            Severity found = Severity::info;
            for (const auto& finding : s.end()) {
                if (finding.rule.starts_with("loop/")) found = std::max(found, finding.severity);
            }
            return found;
        };
        CHECK(asked_again("Write the tests first, then the mill.") == AskedAgain::red_tests);
        CHECK(worst("Write the tests first, then the mill.", false) > Severity::info);
        CHECK(worst("Start 14 workers.", true) > Severity::info);
    }

    TEST_CASE("tests that are written first fail alike, each for the first time; the same one again is a loop") {
        const auto worst = [](std::string_view wish, bool again) {
            Session s;
            s.human(wish);
            for (int i = 0; i < 24; ++i) {
                const std::string name =
                    "tests/test_" + std::string(1, static_cast<char>('a' + (again ? 0 : i))) + "mill.py";
                s.call("Write", name, "File created: " + name + std::to_string(i));
                s.fails("Bash", "pytest -q " + name, "ModuleNotFoundError: No module named 'mill'\n1 error");
            }
            Severity found = Severity::info;
            for (const auto& finding : s.end()) {
                if (finding.rule.starts_with("loop/")) found = std::max(found, finding.severity);
            }
            return found;
        };
        CHECK(worst("Write the tests first, one for each rule; see them fail.", false) == Severity::info);
        CHECK(worst("Write the tests first, one for each rule; see them fail.", true) == Severity::error);
    }

    TEST_CASE("who is to wait may look a dozen times, and not for ever; how long it may take is no number of calls") {
        const auto worst = [](std::string_view wish, int looks, std::string_view answer = "REVIEW_REQUIRED") {
            Session s("loop/poll-no-progress");
            s.human(wish);
            for (int i = 0; i < looks; ++i) s.call("Bash", "sleep 600; gh pr view 9 --json state", answer);
            Severity found = Severity::info;
            for (const auto& finding : s.end()) found = std::max(found, finding.severity);
            return found;
        };
        const std::string_view wish = "Push it, then wait until Noor approves it (it may take two hours), and merge.";
        CHECK(worst(wish, 12) == Severity::info);
        CHECK(worst("Push it and merge it.", 12) == Severity::warning);
        CHECK(worst(wish, 60) == Severity::error);
        // What it waits for will not come.
        constexpr std::string_view kDeploy = "Deploy the mill and wait until it is stable.";
        CHECK(worst(kDeploy, 12, R"({"running": 0, "failedTasks": 3, "state": "FAILED"})") == Severity::warning);
        CHECK(worst(kDeploy, 12, R"({"running": 0, "failed": 0, "state": "PENDING"})") == Severity::info);
    }

    TEST_CASE("who is to find nothing is not stuck when nothing is found, unless the same is looked for again") {
        const auto searched = [](std::string_view said, bool again) {
            constexpr std::string_view kNames[] = {"mute",     "snooze",    "inhibit",  "holdOff",
                                                   "blackout", "quietTime", "suppress", "pause"};
            Session s;
            s.human(said);
            for (const std::string_view name : kNames) s.call("Grep", again ? "mute" : name, "No matches found");
            const auto& found = s.end();
            return std::ranges::any_of(found, [](const auto& f) { return f.severity != agent_audit::Severity::info; });
        };
        CHECK_FALSE(searched("Check that none of these is used any more.", false));
        CHECK(searched("Mend the alerts.", false));
        CHECK(searched("Check that none of these is used any more.", true));
    }
}
