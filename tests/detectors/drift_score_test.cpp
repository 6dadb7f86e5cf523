// The drift score: what it knows besides the words of the goal.
#include "support/session.hpp"

#include <doctest/doctest.h>

#include <string>

using agent_audit::test::Session;

namespace {

constexpr const char* kNames[] = {"anchors", "bollards", "capstan", "davits",  "fenders",
                                  "gunwale", "halyard",  "jibs",    "keelson", "lanyard"};

constexpr const char* kHorses[] = {"bridle",    "cantle", "dapple", "farrier", "girth",
                                   "hackamore", "muzzle", "pommel", "stirrup", "withers"};

std::string at_sea(const char* name) { return "/srv/harbour/" + std::string(name) + "/" + name + "_locker.md"; }

void read(Session& s, const std::string& path) {
    s.call_json("Read", path, R"({"file_path":")" + path + "\"}", "rope at " + path);
}

// The last score of a session that writes ten files in one turn and reads ten after it: those, or others.
double score_after_reading(bool own) {
    Session s;
    s.human("Write a handbook for our sailing school, chapter after chapter, then send it to the printer.");
    s.respond();
    for (const char* name : kNames)
        s.open_json("Write", at_sea(name), R"({"file_path":")" + at_sea(name) + R"(","content":"rope"})");
    for (std::size_t i = 0; i < std::size(kNames); ++i) s.answer("File created successfully");
    for (std::size_t i = 0; i < std::size(kNames); ++i)
        read(s, own ? at_sea(kNames[i]) : std::string("/srv/stable/") + kHorses[i] + "/" + kHorses[i] + "_saddle.md");
    s.end();
    return s.drift().last;
}

double score_after_tickets(const char* goal, const char* program) {
    Session s;
    s.human(goal);
    for (const char* name : kNames)
        s.call("Bash", std::string(program) + " create --title '" + name + " locker leaks'",
               "created " + std::string(name));
    s.end();
    return s.drift().last;
}

}  // namespace

TEST_SUITE("drift score") {
    TEST_CASE("to read what the agent wrote itself does not raise it, to read anything else does") {
        const double own = score_after_reading(true), other = score_after_reading(false);
        CAPTURE(own);
        CAPTURE(other);
        CHECK(own < 0.1);
        CHECK(other > 0.3);
    }

    TEST_CASE("a command that the human named counts, however short its name is") {
        const char* kGoal = "Write down every problem of the boats with `bd create`, one ticket each.";
        const double named = score_after_tickets(kGoal, "bd"), other = score_after_tickets(kGoal, "zx");
        CAPTURE(named);
        CAPTURE(other);
        CHECK(named < other - 0.1);
        CHECK(score_after_tickets("Say what `ls` shows of every boat.", "ls") ==
              score_after_tickets("Say what LS shows of every boat.", "ls"));
    }
}
