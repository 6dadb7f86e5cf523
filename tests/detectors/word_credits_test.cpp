// What is known of the words of a session: the same that a plain table of all of them would say.
#include "detectors/words/word_credits.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using agent_audit::detectors::WordCredits;

namespace {

struct Known {
    std::uint32_t first_turn = 0;
    std::uint32_t credit = 0;
};

}  // namespace

TEST_CASE("a word is known once its turn was weighed, and keeps its best credit") {
    WordCredits credits;
    credits.raise(11, WordCredits::kGoal, 0);
    credits.begin_turn(1);
    CHECK(credits.meet(11).credit == WordCredits::kGoal);
    CHECK_FALSE(credits.meet(13).known);
    CHECK_FALSE(credits.meet(13).known);
    CHECK(credits.met() == 2);
    CHECK(credits.best_of_turn() == doctest::Approx(1.0 / 3));
    credits.raise_turn(90, 1);
    credits.begin_turn(2);
    CHECK(credits.met() == 0);
    CHECK(credits.meet(13).credit == 90);
    CHECK(credits.of(11) == WordCredits::kGoal);
    CHECK(credits.known_before(13, 2));
    CHECK_FALSE(credits.known_before(13, 1));
    credits.clear();
    CHECK(credits.size() == 0);
    CHECK_FALSE(credits.look(11).known);
}

TEST_CASE("words of a turn that nobody weighed stay unknown") {
    WordCredits credits;
    credits.begin_turn(1);
    for (std::uint32_t word = 1; word < 80; word += 2) credits.meet(word);
    credits.begin_turn(2);
    CHECK(credits.size() == 0);
    CHECK_FALSE(credits.look(5).known);
    CHECK_FALSE(credits.meet(5).known);
}

TEST_CASE("any session gives what a plain table would, while it grows and when it is full") {
    std::mt19937 random(20261123);
    WordCredits credits;
    for (int session = 0; session < 3; ++session) {
        std::map<std::uint32_t, Known> known;
        const std::uint32_t most = session == 1 ? 16'000 : 1'500;
        for (std::uint32_t turn = 1; turn <= 2'000; ++turn) {
            credits.begin_turn(turn);
            std::set<std::uint32_t> met;
            for (std::uint32_t n = random() % 70; n > 0; --n) {
                const std::uint32_t word = (random() % most) * 2'654'435'761U | 1;
                const auto found = known.find(word);
                const WordCredits::Look look = credits.meet(word);
                REQUIRE(look.known == (found != known.end()));
                if (look.known) {
                    REQUIRE(look.credit == found->second.credit);
                    REQUIRE(look.first_turn == found->second.first_turn);
                }
                if (met.size() < WordCredits::kMostOfTurn) met.insert(word);
            }
            if (turn % 7 == 0) continue;  // not weighed
            if (!credits.full()) REQUIRE(credits.met() == met.size());
            const auto credit = static_cast<std::uint8_t>(random() % 256);
            credits.raise_turn(credit, turn);
            for (const std::uint32_t word : met) {
                if (!known.contains(word) && known.size() == WordCredits::kMost) continue;
                Known& entry = known.try_emplace(word, Known{turn, 0}).first->second;
                entry.credit = std::max<std::uint32_t>(entry.credit, credit);
            }
            if (credits.full()) break;  // which words of this turn found room is the table's matter
            REQUIRE(credits.size() == known.size());
        }
        CHECK(credits.full() == (session == 1));
        credits.clear();
    }
}
