#include "detectors/speech/follow_up.hpp"

#include <doctest/doctest.h>

using namespace agent_audit::detectors;

TEST_SUITE("follow up") {
    TEST_CASE("go on with it begins no work of its own") {
        for (const char* words : {"continue", "Continue.", "ok, go on", "please keep going", "Continue please!",
                                  "yes continue", "继续", "继续吧。", "resume"}) {
            CAPTURE(words);
            CHECK(follow_up_of(words) == FollowUp::goes_on);
        }
    }

    TEST_CASE("ok and a plain question order nothing") {
        for (const char* words : {"ok", "Okay.", "thanks!", "好的", "why are there two handlers?",
                                  "What does the second hook do?", "is the queue bounded?", "where is the port set?"}) {
            CAPTURE(words);
            CHECK(follow_up_of(words) == FollowUp::aside);
        }
    }

    TEST_CASE("what wants something done is an order") {
        for (const char* words :
             {"", "continue with the lexer", "ok, now the lexer", "go on vacation mode", "can you check the lexer?",
              "why doesn't it work?", "why doesn’t it work?", "why doesnt it work?", "what about the docs?",
              "did you run the tests?", "Which port is it? It should be 8080", "what is this? remove it",
              "should we split it?", "commit", "why is the header missing?", "Look at a.py. What is it?"}) {
            CAPTURE(words);
            CHECK(follow_up_of(words) == FollowUp::order);
        }
    }
}
