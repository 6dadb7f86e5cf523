#include "detectors/engine/read_lists.hpp"
#include "support/session.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using agent_audit::Finding;
using agent_audit::Severity;
using agent_audit::detectors::goes_through;
using agent_audit::test::Session;

namespace {

using Calls = std::vector<std::string_view>;

bool gone_through(const Calls& calls, std::string_view text, bool whole = true) {
    return goes_through(calls, calls.size(), text, whole);
}

constexpr std::string_view kTowns[] = {"bergen", "cadiz",   "dover", "faro",   "genoa", "izmir",
                                       "kiel",   "lorient", "malmo", "narvik", "porto", "riga"};

// What is asked for tells nothing of how it will be done.
Session handed_over() {
    Session s;
    s.human("On en est où ?");
    return s;
}

void list(Session& s, std::string_view tool = "Read", std::string_view from = "stations.txt") {
    std::string text;
    for (const std::string_view town : kTowns) text += std::string(town) + "-tide\n";
    s.call(tool, from, text);
}

bool alarms(Session& s) {
    const std::vector<Finding> found = s.end();
    return std::ranges::any_of(found, [](const Finding& f) { return f.severity > Severity::info; });
}

bool tells_list(Session& s) {
    const std::vector<Finding> found = s.end();
    return std::ranges::any_of(found, [](const Finding& f) {
        return f.severity == Severity::info && std::ranges::any_of(f.because, [](const agent_audit::Fact& fact) {
                   return fact.name == "goes_through" && fact.value == "list";
               });
    });
}

std::string station(std::string_view town) { return std::string(town) + "-tide"; }

}  // namespace

TEST_SUITE("lists that were read") {
    TEST_CASE("what is gone through in the order of a text, or entry by entry, stood in a list") {
        const Calls calls{"ping alder-1", "ping birch-7", "ping cedar-2", "ping dogwood-9", "ping elder-3"};
        CHECK(gone_through(calls, "alder-1\nbirch-7\ncedar-2\ndogwood-9\nelder-3\nfir-4\n"));
        CHECK(gone_through(calls, "we have alder-1, birch-7 and cedar-2, besides dogwood-9 (old) and elder-3"));
        CHECK(gone_through(calls, "fir-4\nelder-3\ndogwood-9\ncedar-2\nbirch-7\nalder-1\n"));
        CHECK(gone_through(calls, R"([{"id":"elder-3"},{"id":"birch-7"},{"id":"alder-1"},{"id":"dogwood-9"},)"
                                  R"({"id":"cedar-2"}])"));
        CHECK_FALSE(gone_through(calls, "some elder-3 of (birch-7) is = dogwood-9; but alder-1 + cedar-2"));
        CHECK_FALSE(gone_through(calls, "alder-1\nbirch-7\ncedar-2\n"));
        CHECK_FALSE(gone_through(calls, "alder-11\nbirch-71\ncedar-21\ndogwood-91\nelder-31\n"));
    }

    TEST_CASE("a list may spell less of a name than the call does") {
        CHECK(gone_through(
            {"cat src/docs/alder.md", "cat src/docs/birch.md", "cat src/docs/cedar.md", "cat src/docs/elder.md"},
            "alder.md\nbirch.md\ncedar.md\nelder.md\n"));
        CHECK(gone_through({"nc alder:9100", "nc birch:9100", "nc cedar:9100", "nc elder:9100"},
                           "alder\nbirch\ncedar\nelder\n"));
    }

    TEST_CASE("several questions may be asked of each thing") {
        const std::string_view text = "alder,DE\nbirch,DE\ncedar,FR\nelder,FR\n";
        CHECK(gone_through(
            {R"({"list":"eu","name":"alder"})", R"({"list":"un","name":"alder"})", R"({"list":"eu","name":"birch"})",
             R"({"list":"un","name":"birch"})", R"({"list":"eu","name":"cedar"})", R"({"list":"un","name":"cedar"})",
             R"({"list":"eu","name":"elder"})", R"({"list":"un","name":"elder"})"},
            text));
    }

    TEST_CASE("numbers that count on, flags and one thing in other words are no list") {
        const std::string_view lines = "1001\talpha\n1002\tbeta\n1003\tgamma\n1004\tdelta\n";
        CHECK_FALSE(gone_through({"get 1001", "get 1002", "get 1003", "get 1004"}, lines));
        CHECK_FALSE(
            gone_through({"run --fast", "run --slow", "run --safe", "run --loud"}, "--fast\n--slow\n--safe\n--loud\n"));
        CHECK_FALSE(gone_through({"find alder -a", "find alder -b", "find alder -c", "find alder -d"},
                                 "alder\nbirch\ncedar\nelder\n"));
    }

    TEST_CASE("a list with a line for each is over when it was gone through") {
        const Calls calls{"ping alder", "ping birch", "ping cedar", "ping elder"};
        const std::string_view text = "alder\nbirch\ncedar\nelder\n";
        CHECK(goes_through(calls, 5, text, true));
        CHECK_FALSE(goes_through(calls, 12, text, true));
        CHECK(goes_through(calls, 12, text, false));
    }

    TEST_CASE("of a text that was cut the last of a longer row is not expected") {
        const Calls calls{"ping alder", "ping birch", "ping cedar",  "ping elder",  "ping fir",
                          "ping hazel", "ping larch", "ping spruce", "ping zelkova"};
        const std::string_view text = "alder\nbirch\ncedar\nelder\nfir\nhazel\nlarch\nspruce\nteak";
        CHECK_FALSE(gone_through(calls, text));
        CHECK(gone_through(calls, text, false));
    }
}

TEST_SUITE("who goes through a list") {
    TEST_CASE("may hear the same of each thing, whatever words it was asked in") {
        Session s = handed_over();
        list(s);
        for (const std::string_view town : kTowns) s.call("search_tides", station(town), R"({"results": []})");
        CHECK(tells_list(s));
    }

    TEST_CASE("may find that none of them is there") {
        Session s = handed_over();
        list(s, "Bash", "cat stations.txt");
        for (const std::string_view town : kTowns)
            s.fails("Bash", "nc -z -w1 " + station(town) + " 9100", "Exit code 1");
        CHECK_FALSE(alarms(s));
    }

    TEST_CASE("makes up no names: what stands nowhere is a guess") {
        Session s = handed_over();
        list(s);
        for (const std::string_view town : kTowns)
            s.call("search_tides", "port-" + std::string(town), R"({"results": []})");
        CHECK(alarms(s));
    }

    TEST_CASE("has read it before: answers that name what was asked are none") {
        Session s = handed_over();
        for (const std::string_view town : kTowns) s.call("search_tides", station(town), R"({"results": []})");
        list(s);
        CHECK(alarms(s));
    }

    TEST_CASE("is stuck where a refusal of each has another cause") {
        for (const std::string_view said :
             {"401 Unauthorized: token expired", "schema version 7 is not supported", "relation \"tides\" is locked"}) {
            CAPTURE(said);
            Session s = handed_over();
            list(s);
            for (const std::string_view town : kTowns) s.fails("tide_lookup", station(town), said);
            CHECK(alarms(s));
        }
    }

    TEST_CASE("is stuck where what all of them need is not there") {
        Session s = handed_over();
        list(s);
        for (const std::string_view town : kTowns)
            s.fails("run_sql", "select x from tides where s = '" + station(town) + "'",
                    R"(ERROR: relation "tides" does not exist)");
        CHECK(alarms(s));
    }

    TEST_CASE("is stuck where a program complains") {
        Session s = handed_over();
        list(s);
        for (const std::string_view town : kTowns)
            s.fails("Bash", "tide " + station(town) + " --now", "Exit code 4\ntide: run `tide init` first");
        CHECK(alarms(s));
    }

    TEST_CASE("that the index has no such package is an answer for each of a list, that it cannot be reached is not") {
        const auto alarmed = [](std::string_view said) {
            Session s = handed_over();
            list(s, "Read", "packages.txt");
            for (const std::string_view town : kTowns)
                s.fails("Bash", "pip download --no-deps " + station(town),
                        "ERROR: " + std::string(said) + (said.ends_with(' ') ? station(town) : ""));
            return alarms(s);
        };
        CHECK(!alarmed("No matching distribution found for "));
        CHECK(alarmed("Could not install packages due to an OSError: [Errno 13] Permission denied: '/opt'"));
    }
}
