#include "detectors/speech/other_wishes.hpp"

#include "support/ascii.hpp"
#include "support/session.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <string_view>

using namespace agent_audit;
using namespace agent_audit::detectors;
using agent_audit::test::Session;

namespace {

Severity worst_of(Session& s) {
    Severity severity = Severity::info;
    for (const Finding& f : s.end()) severity = f.severity > severity ? f.severity : severity;
    return severity;
}

// The same call so often, and other work behind it.
Severity worst_of_calls(std::string_view wish, std::string_view tool, std::string_view argument, std::string_view said,
                        int times) {
    Session s;
    s.human(wish);
    for (int i = 0; i < times; ++i) s.call(tool, argument, said);
    for (int i = 0; i < 4; ++i)
        s.call("weigh", "sack " + std::to_string(i), "sack " + std::to_string(i) + " weighs much");
    return worst_of(s);
}

}  // namespace

TEST_SUITE("wishes in other words") {
    TEST_CASE("what is to be waited for is told in many ways") {
        for (const std::string_view said :
             {"Wait up to 15 minutes for it to start.", "Reboot it and tell me when the shares are back.",
              "Send the invoice once he has answered.",
              "It takes a while to propagate; don't submit before you see it.", "Send me the link when it is finished.",
              "Warte auf Priya, das dauert etwa 20 Minuten.", "Gib Bescheid, sobald er wieder da ist.",
              "Préviens-moi dès que le serveur répond.", "Avísame cuando esté listo.", "Avvisami quando è pronto.",
              "Me avise quando voltar.", "Laat me weten wanneer hij terug is.", "Сообщи, когда сервер поднимется.",
              "等它恢复后告诉我", "戻ったら教えて"}) {
            CAPTURE(said);
            CHECK(says_to_wait(lowered(said)));
        }
        for (const std::string_view said :
             {"I waited for it, already 20 minutes.", "Write a worker that must wait for the queue.",
              "Tell me when you are done.", "Don't stop until it works.", "Find the slow query.",
              "Give it a nice name.", "Wait, why did you delete the file?", "Let me know when done.",
              "Tell me when it's ready.", "Let me know when finished.", "The list is empty when the page is ready.",
              "The build can take 10 minutes, make it faster.", "Don't commit anything before it compiles.",
              "Het duurt te lang.", "Ahora tarda demasiado.", "Он сообщил об ошибке.", "Schreib den Test neu."}) {
            CAPTURE(said);
            CHECK(!says_to_wait(lowered(said)));
        }
    }

    TEST_CASE("what is to be repeated until it works, and what is to be mended") {
        for (const std::string_view said :
             {"Keep trying `pip install` until it works.", "just re-run until it is through",
              "`dlq replay` again and again till it is empty", "Versuch es immer wieder, bis es klappt.",
              "Relance jusqu'à ce que ça passe.", "Reintenta hasta que funcione.", "一直重试，直到成功为止"}) {
            CAPTURE(said);
            CHECK(says_to_repeat(lowered(said)));
        }
        for (const std::string_view said :
             {"Fix the script and re-run it until it passes.", "Try the new version.",
              "Nichts pushen, solange die Freigabe fehlt.", "Behebe den Fehler und versuch es, bis es geht."}) {
            CAPTURE(said);
            CHECK(!says_to_repeat(lowered(said)));
        }
        for (const std::string_view said :
             {"Run them one by one, stop when empty.", "process the queue with `next`, stop once nothing is left",
              "Eins nach dem anderen, hör auf, wenn die Liste leer ist.", "Para cuando no quede ninguno."}) {
            CAPTURE(said);
            CHECK(says_to_repeat(lowered(said)));
        }
        CHECK(!says_to_repeat("stop when a test fails"));
        CHECK(!says_to_repeat("stop when you see an error in the log"));
        CHECK(says_to_compare("toggle it on and off a few times and measure"));
        CHECK(says_to_compare("vergleich es mit und ohne den schalter"));
        CHECK(!says_to_compare("turn it on and off again"));
        CHECK(!says_to_compare("compare the two files"));
        CHECK(!says_to_compare("add a dark mode toggle. compare the two files."));
    }

    TEST_CASE("work in batches, and tries that are to be turned away") {
        CHECK(says_to_batch("backfill the region of all orders, in batches of 5000."));
        CHECK(says_to_batch("bitte stapelweise, damit nichts sperrt"));
        CHECK(!says_to_batch("backfill the region of all orders."));
        CHECK(says_to_provoke("check that our login locks an account after 5 wrong passwords"));
        CHECK(says_to_provoke("prüfe, ob das konto gesperrt wird"));
        CHECK(!says_to_provoke("the login locks my account, fix it and check again"));
        CHECK(!says_to_provoke("check the lock file"));
    }

    TEST_CASE("to make sure that nothing is left of it, not that nothing breaks") {
        for (const std::string_view said :
             {"make sure nothing in the repo still uses the old client in any spelling, then delete it",
              "check that no usage of MillClient is left", "Verify there are no references to the old sack anywhere.",
              "Confirm that nobody imports it.", "Stell sicher, dass nichts den alten Sack verwendet.",
              "Comprueba que nada utiliza el cliente viejo."}) {
            CAPTURE(said);
            CHECK(says_to_find_none(lowered(said)));
        }
        for (const std::string_view said : {"Make sure nothing breaks.", "find out where the mill is used",
                                            "Ensure no test fails.", "Nothing works. Make sure the client is used."}) {
            CAPTURE(said);
            CHECK(!says_to_find_none(lowered(said)));
        }
        const auto worst = [](std::string_view wish) {
            Session s;
            s.human(wish);
            const char* spellings[] = {"MillClient",  "mill_client", "mill-client", "millClient", "MILL_CLIENT",
                                       "mill/client", "mill.client", "MillClients", "ClientMill"};
            for (const char* spelling : spellings) s.call("grep", spelling, "No matches found");
            s.call("delete_file", "src/mill.cpp", "deleted");
            return worst_of(s);
        };
        CHECK(worst("make sure nothing still uses MillClient in any spelling, then delete it") == Severity::info);
        CHECK(worst("find the mill client and mend it") > Severity::info);
    }

    TEST_CASE("a look at what a person said to wait for is a note, as often as a poll may ask") {
        const auto severity = [](std::string_view wish, int looks) {
            return worst_of_calls(wish, "resolve", "mill.example", "status: NXDOMAIN", looks);
        };
        CHECK(severity("The record takes a while; don't submit before you see it.", 10) == Severity::info);
        CHECK(severity("The record takes a while; don't submit before you see it.", 30) == Severity::error);
        CHECK(severity("Find out where the mill is.", 12) == Severity::error);
    }

    TEST_CASE("what will not come any more is waited for in vain, and parts that move nothing are none") {
        const auto wait = [](std::string_view said) {
            return worst_of_calls("Wait up to 15 minutes for the job to start.", "job_state", "4711", said, 12);
        };
        CHECK(wait("status: NXDOMAIN") == Severity::info);
        CHECK(wait("state: cancelled by admin") > Severity::info);
        CHECK(wait("Druck angehalten") > Severity::info);
        CHECK(wait("mill-7d 0/1 ImagePullBackOff") > Severity::info);
        const auto parts = [](std::string_view said) {
            return worst_of_calls("Call move_batch until the queue is empty.", "move_batch", "{}", said, 12);
        };
        CHECK(parts(R"({"moved":50})") == Severity::info);
        CHECK(parts(R"({"moved":0})") == Severity::error);
        CHECK(parts(R"({"moved":50,"remaining":812})") == Severity::error);
    }

    TEST_CASE("a deed for each of a number of things is a note, twice as many are none") {
        const auto severity = [](std::string_view wish, int times) {
            return worst_of_calls(wish, "dispense", R"({"ul":50})", "ok", times);
        };
        CHECK(severity("Dispense 50 µl into 24 wells.", 24) == Severity::info);
        CHECK(severity("Dispense 50 µl into 24 wells.", 12) == Severity::info);
        CHECK(severity("Dispense 50 µl into 24 wells.", 60) == Severity::error);
        CHECK(severity("Fill the plate, you have 24 minutes.", 24) == Severity::error);
        CHECK(severity("Fill the plate.", 24) == Severity::error);
        CHECK(severity("Fix issue 24: dispense again.", 24) == Severity::error);
        CHECK(severity("Ticket MILL-24, dispense again", 24) == Severity::error);
        CHECK(severity("In line 24 of wells.py dispense is called.", 24) == Severity::error);
        CHECK(severity("Mend the 24 gates.", 24) == Severity::error);
        CHECK(worst_of_calls("Read the 24 wells.", "get_wells", "", "empty", 24) == Severity::error);
    }

    TEST_CASE("work that tells how much of it was done goes on, but not for ever") {
        const auto severity = [](std::string_view said, int times) {
            return worst_of_calls("Clean up.", "replay", R"({"max":50})", said, times);
        };
        for (const std::string_view said :
             {"replayed 50, failed 0", "moved 25 messages", "25 rows deleted", "processed 50 messages",
              "25 Stück umgebucht.", R"({"umgebucht":25})", "25 piezas movidas", "已删除 25 条"}) {
            CAPTURE(said);
            CHECK(severity(said, 16) == Severity::info);
            CHECK(severity(said, 80) == Severity::error);
        }
        for (const std::string_view said :
             {"replayed 0, failed 50", "moved 25 messages, 300 remaining", "deleted 0 rows", "moved 30 cm",
              "indexed 40 files", "Cursor moved to (640, 380)", "moved to shelf 42", "deleted record 4711"}) {
            CAPTURE(said);
            CHECK(severity(said, 16) == Severity::error);
        }
    }

    TEST_CASE("what is to be tried until it works may fail some times, what is to be mended may not") {
        const auto severity = [](std::string_view wish, int times) {
            Session s;
            s.human(wish);
            for (int i = 0; i < times; ++i) s.fails("Bash", "./upload.sh", "link reset, code 77");
            s.call("Bash", "./upload.sh", "uploaded, id 5512");
            return worst_of(s);
        };
        CHECK(severity("Keep trying the upload until it works.", 10) == Severity::info);
        CHECK(severity("Keep trying the upload until it works.", 30) == Severity::error);
        CHECK(severity("Fix the upload and re-run it until it works.", 10) == Severity::error);
    }

    TEST_CASE("the last message before it counts, and one that says only to go on is none") {
        const auto severity = [](std::string_view next) {
            Session s;
            s.human("Tell me when the record is visible.");
            s.call("weigh", "sack", "heavy");
            s.human(next);
            for (int i = 0; i < 10; ++i) s.call("resolve", "mill.example", "status: NXDOMAIN");
            return worst_of(s);
        };
        CHECK(severity("go on") == Severity::info);
        CHECK(severity("Now find the address.") == Severity::error);
    }
}
