#include "detectors/outcomes/turn_count.hpp"

#include "support/session.hpp"

#include <doctest/doctest.h>

using agent_audit::detectors::without_turn_count;
using agent_audit::test::Session;

TEST_SUITE("turn count") {
    TEST_CASE("the number of a turn is left out where it stands for itself") {
        CHECK(without_turn_count("Yard\nDoors.\nMoves: 12") == "Yard\nDoors.\nMoves: ");
        CHECK(without_turn_count("step 17: at (3,4)") == "step : at (3,4)");
        CHECK(without_turn_count("Hall\\nTurn #5") == "Hall\\nTurn #");
        CHECK(without_turn_count("move 5\n[1 2] [3 _]") == "move \n[1 2] [3 _]");
        CHECK(without_turn_count("Hall   Score: 0   Moves: 7") == "Hall   Score: 0   Moves: ");
        CHECK(without_turn_count("[Turn 3/60] The mill.") == "[Turn /60] The mill.");
        for (const char* other : {"Step 120/1000", "Built. Step 3/12", "You have 12 moves", "step 3 of 12 is done",
                                  "steps taken today: 9", "sacks: 12", ""}) {
            CAPTURE(other);
            CHECK(without_turn_count(other).empty());
        }
    }

    TEST_CASE("there and back is a round whatever the turn; what is counted otherwise gets on") {
        const auto rounds = [](std::string_view counter) {
            Session s("loop/cycle");
            for (int i = 0; i < 12; ++i)
                s.call("walk_to", i % 2 == 0 ? "mill" : "yard",
                       std::string(i % 2 == 0 ? "The mill. It is dusty." : "The yard. Doors lead everywhere.") + "\n" +
                           std::string(counter) + std::to_string(i));
            return s.end().size();
        };
        CHECK(rounds("Moves: ") == 1);
        CHECK(rounds("Sacks: ") == 0);
    }
}
