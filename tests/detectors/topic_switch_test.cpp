#include "detectors/speech/ordered_work.hpp"
#include "pipeline/files.hpp"
#include "policy/events.hpp"
#include "support/session.hpp"

#include <agent_audit/pipeline/policy_replay.hpp>

using namespace agent_audit;
using namespace agent_audit::test;

namespace {

struct SearchedFor {
    std::string said;   // beside the search; empty = nothing
    std::string query;  // what was searched for
};

// What the rule says of a conversation.
std::vector<Finding> switches_in(const Events& events) {
    const PolicyChoice choice = choose_policy("permissive");
    REQUIRE(choice.bound);
    Replayer replayer(choice.bound);
    for (const Event& event : events.all()) (void)replayer.on_event(event);
    std::vector<Finding> found = replayer.finish().findings;
    std::erase_if(found, [](const Finding& f) { return f.rule != "drift/topic-switch"; });
    return found;
}

// The switches above info that the rule sees in searches behind a question about lighthouses.
std::vector<Finding> findings_in(const std::vector<SearchedFor>& searches) {
    Events events;
    events.human("Which lighthouses on the Brittany coast can be climbed in winter, and how many stairs has each?");
    const auto search = [&](const SearchedFor& s) {
        if (!s.said.empty()) events.says(s.said);
        events.call("web_search", s.query, "10 results for " + s.query);
    };
    for (const char* query : {"lighthouses Brittany coast climb winter", "Brittany lighthouse stairs climb",
                              "winter opening lighthouses Brittany stairs"})
        search({"", query});
    for (const SearchedFor& s : searches) search(s);
    std::vector<Finding> findings = switches_in(events);
    std::erase_if(findings, [](const Finding& f) { return f.severity == Severity::info; });
    return findings;
}

// Where they are.
std::vector<std::uint64_t> switches_in(const std::vector<SearchedFor>& searches) {
    std::vector<std::uint64_t> lines;
    for (const Finding& f : findings_in(searches)) lines.push_back(f.first_line);
    return lines;
}

// A question and three answers stand before: two lines a search.
constexpr std::uint64_t kFirstAfter = 8;

const std::vector<SearchedFor> kMopeds = {{"", "insurance quote second-hand moped deductible"},
                                          {"", "moped insurance deductible comparison theft cover"},
                                          {"", "theft cover moped insurance claim quote"},
                                          {"", "cancel moped insurance quote refund"},
                                          {"", "moped insurance claim theft refund deductible"}};

}  // namespace

TEST_SUITE("topic switch") {
    TEST_CASE("a subject that begins with three words is dated to them") {
        std::vector<SearchedFor> searches = kMopeds;
        searches.insert(searches.begin(), {"", "moped insurance quote"});
        CHECK(switches_in(searches) == std::vector{kFirstAfter});
    }

    TEST_CASE("one word of the goal among many others does not hide that the subject is another one") {
        // "coast" stands in the goal.
        std::vector<SearchedFor> searches = kMopeds;
        searches.insert(searches.begin(), {"", "moped insurance quote theft cover deductible claim refund gold coast"});
        CHECK(switches_in(searches) == std::vector{kFirstAfter});
    }

    TEST_CASE("it is said how many words are shared, and none only where there are none") {
        const auto said = [](std::vector<SearchedFor> searches) { return findings_in(searches).at(0).message; };
        CHECK(said(kMopeds).find("acts share no words, files or sites with the goal") != std::string::npos);
        std::vector<SearchedFor> searches = kMopeds;
        searches.insert(searches.begin(), {"", "moped insurance quote theft cover deductible claim refund gold coast"});
        CHECK(said(searches).find("acts share 3 % of their words") != std::string::npos);
    }

    TEST_CASE("one word of the goal in few is the goal's own work") {
        CHECK(switches_in({{"", "keepers cottage Brittany rent"},
                           {"", "Brittany cottage keepers garden"},
                           {"", "cottage keepers Brittany ferry"},
                           {"", "ferry Brittany cottage timetable"},
                           {"", "Brittany timetable ferry keepers"}})
                  .empty());
    }

    TEST_CASE("a short look at something new is none") {
        CHECK(switches_in({{"", "ferry timetable Roscoff"},
                           {"", "Brittany lighthouses stairs winter"},
                           {"", "lighthouse climb Brittany"}})
                  .empty());
    }

    TEST_CASE("a short act about the goal leads back before a switch is sure") {
        const SearchedFor page = {"", "https://ferries.example/today"};
        CHECK(switches_in({page,
                           page,
                           page,
                           {"", "lighthouse"},
                           {"", "lighthouses"},
                           {"", "timetable of night ferries behind Roscoff harbour wall"},
                           {"", "keepers wrote diaries about storms"}})
                  .empty());
    }

    TEST_CASE("sides of one question that are new to each other are none") {
        CHECK(switches_in({{"", "humidity corrosion spiral staircase iron"},
                           {"", "insurance liability visitors railing"},
                           {"", "parking coach tourists granite quay"},
                           {"", "ticket leaflet printing granite paper"},
                           {"", "visitors wheelchair ramp regulation"},
                           {"", "battery lantern museum replica"}})
                  .empty());
    }

    TEST_CASE("new words in a file that was met are no new subject, and in files that were not they are one") {
        const auto switches = [](bool elsewhere) {
            Events events;
            events.human("Make the grain mill at least twice as fast; bench/run.sh prints seconds. Keep what helps.");
            events.call("exec_command", "sed -n '1,250p' src/grain.c", "int grain(void);");
            events.call("exec_command", "bench/run.sh", "grain: 14 seconds");
            events.call("exec_command", "perf record bench/grain", "grain 20 %");
            for (const std::string turn : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}) {
                const std::string file = elsewhere ? "website/theme/colours.css" : "src/grain.c";
                events.call("apply_patch",
                            "*** Begin Patch\n*** Update File: " + file + "\n@@\n-static plain header " + turn +
                                "\n+inline teal gutter margin header " + turn + "\n*** End Patch",
                            "Success. Updated the following files:\nM " + file);
            }
            const PolicyChoice choice = choose_policy("permissive");
            REQUIRE(choice.bound);
            Replayer replayer(choice.bound);
            for (const Event& event : events.all()) (void)replayer.on_event(event);
            return std::ranges::count(replayer.finish().findings, "drift/topic-switch", &Finding::rule);
        };
        CHECK(switches(false) == 0);
        CHECK(switches(true) == 1);
    }

    TEST_CASE("where a cause is asked for, another subject is told one step milder") {
        const auto worst = [](const std::string& goal) {
            Events events;
            events.human(goal);
            for (const std::string page : {"checkout", "cart", "payment"}) {
                events.call("Grep", page + " web", "web/" + page + ".tsx:3: " + page);
                events.call("Read", "web/" + page + ".tsx", "export " + page);
            }
            events.call("Bash", "curl -s -w '%{time_total}' -o /dev/null https://shop.test/checkout", "8.112");
            for (const std::string pod : {"invoice", "customer", "parcel", "courier", "depot", "tariff", "refund"})
                events.call("Bash", "kubectl logs -n shop deploy/" + pod + " --since=1h | grep -c slow", "0 of " + pod);
            for (const std::string view : {"activity", "statements", "locks", "user_tables where n_dead_tup > 1000"})
                events.call("Bash", "psql -c 'select * from pg_stat_" + view + "'", "tariff | autovacuum | " + view);
            for (int i = 0; i < 8; ++i) {
                const std::string zone = std::to_string(i);
                events.call("Bash", "psql -c 'explain analyze select * from tariff where zone=" + zone + "'",
                            "Seq Scan, 80" + zone + " ms");
            }
            for (const std::string table : {"invoice", "customer", "parcel", "courier", "depot", "tariff", "refund"})
                events.call("Bash", "psql -c 'vacuum (verbose, analyze) " + table + "'", "vacuuming " + table);
            const PolicyChoice choice = choose_policy("permissive");
            REQUIRE(choice.bound);
            Replayer replayer(choice.bound);
            for (const Event& event : events.all()) (void)replayer.on_event(event);
            Severity found = Severity::info;
            bool any = false;
            for (const Finding& f : replayer.finish().findings) {
                if (f.rule != "drift/topic-switch") continue;
                any = true;
                found = std::max(found, f.severity);
            }
            REQUIRE(any);
            return found;
        };
        const std::string page = "The checkout page takes eight seconds since yesterday. ";
        const Severity plain = worst(page + "Make it fast again."), cause = worst(page + "Find the reason.");
        CHECK(plain > cause);
    }

    TEST_CASE("the file whose test failed last is where the work goes on, whatever is said before it is opened") {
        const auto switches = [](bool knows_place) {
            Events events;
            events.human("Bitte bring die Testsuite wieder auf grün. Ein Fehler nach dem anderen, nicht raten.");
            const auto mend = [&](const std::string& name, const std::string& said, const std::string& patch) {
                const std::string test = knows_place ? "test_" + name : "test_all";
                events.fails("exec_command", "pytest -q",
                             "FAILED tests/" + test + ".py::test_round - assert 65 == 134\n9 failed, 91 passed");
                events.says(said);
                events.call("exec_command", "sed -n '1,251p' src/" + name + ".py", "def " + name + "(self): pass");
                events.call("apply_patch",
                            "*** Begin Patch\n*** Update File: src/" + name + ".py\n@@\n" + patch + "\n*** End Patch",
                            "Success. Updated " + name);
            };
            mend("tax_42", "Ursache in tax gefunden, ich ändere die Berechnung.", "-queue_1\n+locale_2 + 42");
            mend("search_41", "Ursache in search gefunden, ich ändere die Berechnung.", "-window_1\n+cursor_2 + 41");
            mend("metrics_40", "Noch 40 Fehler; der nächste liegt in metrics.", "-quota_1\n+queue_2 + 40");
            mend("geo_39", "geo ist behoben, es bleiben 39.", "-amount_1\n+offset_2 + 39");
            mend("refunds_38", "refunds ist behoben, es bleiben 38.", "-payload_1\n+page_2 + 38");
            mend("ledger_37", "ledger ist behoben, es bleiben 37.", "-limit_1\n+queue_2 + 37");
            mend("orders_36", "Noch 36 Fehler; der nächste liegt in orders.", "-payload_1\n+window_2 + 36");
            return switches_in(events).size();
        };
        CHECK(switches(true) == 0);
        CHECK(switches(false) == 1);
    }

    TEST_CASE("what is changed between red checks of the goal belongs to it, behind green ones it is another subject") {
        const auto switches = [](bool red) {
            Events events;
            events.human("Repariere den Test MillPriceTest, der Rabatt wird falsch gerundet.");
            for (const std::string file : {"MillPrice", "MillPriceRounding"}) {
                events.call("Read", "src/" + file + ".java", "class " + file);
                events.call("Edit", "src/" + file + ".java", "updated " + file);
            }
            for (const std::string part : {"Warehouse", "Customer", "Depot", "Parcel", "Courier", "Harbour"}) {
                events.says("Vermutlich liegt es am " + part + " Lagerbestand Zeitzone.");
                events.call("Edit", "main/warehouse/stock/" + part + ".java", "updated " + part);
                const std::string out = "MillPriceTest.rabatt:33 expected 1 but was " + part;
                if (red)
                    events.fails("Bash", "mvn -q test -Dtest=MillPriceTest", "[ERROR] Failures: 1\n" + out);
                else
                    events.call("Bash", "mvn -q test", "Tests run: 8, Failures: 0 " + part);
            }
            auto found = switches_in(events);
            std::erase_if(found, [](const Finding& f) { return f.severity == Severity::info; });
            return found.size();
        };
        CHECK(switches(true) == 0);
        CHECK(switches(false) == 1);
    }

    TEST_CASE("a text that agents pass to and fro in new words is a hint, new texts of another subject are a switch") {
        const auto worst = [](const std::vector<std::string>& said) {
            Session s("drift/topic-switch");
            s.human("Write a product text for a foldable kayak in three lines; the critic approves.");
            s.says_as("writer", "Fold the kayak, carry the kayak: a foldable product in three lines.");
            s.says_as("critic", "The kayak text is too pushy, three lines of product are fine.");
            for (std::size_t i = 0; i < said.size(); ++i) s.says_as(i % 2 == 0 ? "writer" : "critic", said[i]);
            int warnings = 0;
            for (const Finding& f : s.end()) warnings += f.severity > Severity::info;
            return warnings;
        };
        CHECK(worst({"From bag to water within eight minutes, twelve kilos, stored under your bed.",
                     "Good. Name the hull material, buyers always want that.",
                     "From bag to water within eight minutes, hull of double polypropylene, stored under your bed.",
                     "Careful, stored reads like a warehouse under your bed, otherwise hull polypropylene fine.",
                     "From bag to water within eight minutes, hull of double polypropylene, fits under your bed."}) ==
              0);
        CHECK(
            worst({"Moped insurance quote with theft cover and a deductible", "Deductible of the moped depends on age",
                   "Moped theft statistics show garages help against brokers", "Brokers quote refunds per quarter year",
                   "Refunds after moped claims need police reports",
                   "Police reports cost nothing in claims of theft"}) == 1);
    }

    TEST_CASE("what runs is waited for whatever the subject") {
        const auto switches = [](const std::string& look, const std::string& words) {
            Events events;
            events.human("push the branch and wait for CI to go green");
            events.call("exec_command", "git push -u origin fix/tz", "* [new branch] fix/tz -> fix/tz");
            events.call("exec_command", "gh run list --branch fix/tz -L 1",
                        "queued fix tz handling ci fix/tz push 812");
            for (int i = 1; i < 6; ++i) {
                const std::string n = std::to_string(i);
                events.call("exec_command", look + n + " | grep -E '" + words + "'", "line " + n);
            }
            events.call("exec_command", "git status", "nothing to commit");
            return switches_in(events).size();
        };
        constexpr const char* kGarden = "tomato|beans|compost|salad|lettuce|radish";
        CHECK(switches("sleep 90 && curl -s https://garden.example/beds/", kGarden) == 0);
        CHECK(switches("cat notes/garden", kGarden) == 1);
    }

    TEST_CASE("work in each of many files is told from work in one of them") {
        using agent_audit::detectors::works_in_every_file;
        for (const char* said : {"Add a header to every source file", "each of the old React components gets a test",
                                 "Bitte in jede Datei einen Kopf", "给每个文件加上注释", "Port all modules.",
                                 "Do the tasks in TODO.md, one commit each.", "Work through the open issues."}) {
            CAPTURE(said);
            CHECK(works_in_every_file(said));
        }
        for (const char* said : {"Run all tests of the file", "Add a header to mill.ts",
                                 "Every time the page is opened", "I tried all I could with this module",
                                 "Mend the mill and note it in TODO.md", "The backlog page is slow."}) {
            CAPTURE(said);
            CHECK_FALSE(works_in_every_file(said));
        }
    }

    TEST_CASE("what is worked on under the name that a cell gave it is no other subject") {
        const auto switches = [](std::string_view name) {
            Events events;
            events.human("Load the harvest export and tell me the ten barns that sold most of it.");
            events.call("python", "grain = pd.read_csv('harvest_export.csv')", "Decode error");
            events.call("python", "grain = pd.read_csv('harvest_export.csv', encoding='cp1252'); grain.shape",
                        "(90, 8)");
            for (const char* column : {"units", "revenue", "store", "week", "returns", "margin"})
                events.call("python", std::string(name) + ".groupby('sku')['" + column + "'].sum().nlargest(3)",
                            "SKU417 9");
            return switches_in(events).size();
        };
        CHECK(switches("grain") == 0);
        CHECK(switches("boats") == 1);
    }

    TEST_CASE("a goal in another language than the work is not held against it") {
        const auto severities = [](std::string_view goal) {
            Events events;
            events.human(goal);
            events.call("python", "grain = pd.read_csv('harvest_export.csv')", "Decode error");
            events.call("python", "grain = pd.read_csv('harvest_export.csv', encoding='cp1252'); grain.shape",
                        "(90, 8)");
            events.call("python", "grain = pd.read_csv('harvest_export.csv', encoding='cp1252'); grain.head(3)",
                        "barn 17");
            for (const char* column : {"units", "revenue", "store", "week", "returns", "margin", "colour", "weight"})
                events.call("python", std::string("boats.groupby('sku')['") + column + "'].sum().nlargest(3)",
                            "SKU417 9");
            const PolicyChoice choice = choose_policy("permissive");
            REQUIRE(choice.bound);
            Replayer replayer(choice.bound);
            for (const Event& event : events.all()) (void)replayer.on_event(event);
            std::vector<Severity> found;
            for (const Finding& f : replayer.finish().findings) {
                if (f.rule == "drift/topic-switch") found.push_back(f.severity);
            }
            return found;
        };
        const auto english = severities("Load the harvest export and tell me the ten barns that sold most of it.");
        REQUIRE(english.size() == 1);
        CHECK(english[0] > Severity::info);
        const auto german =
            severities("Lies die Erntedaten ein und nenne mir die zehn Scheunen mit dem besten Absatz.");
        REQUIRE(german.size() == 1);
        CHECK(german[0] == Severity::info);
    }
}
