#include "detectors/speech/courtesy.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using agent_audit::detectors::is_courtesy;

TEST_SUITE("courtesy") {
    TEST_CASE("thanks and good wishes in several languages, with names in them") {
        for (const char* said : {"Thank you, Bert!", "You too, Alice! Have a wonderful day ahead.",
                                 "Take care, talk soon!", "Danke, bis bald!", "Merci beaucoup, bonne journée!",
                                 "谢谢，再见！", "See you on Monday, Bert. Thanks!"}) {
            CAPTURE(said);
            CHECK(is_courtesy({said, TextForm::plain}));
        }
    }

    TEST_CASE("what says anything else is none") {
        for (const char* said :
             {"Thanks, the wheel has a crack on its lower side.", "谢谢。价格列有1个缺失值，已填补。",
              "commercial.html", "I look forward to it: 5 of the work is done and 3 to do", "Thanks, see src/mill.cpp",
              "The mill is repaired.", ""}) {
            CAPTURE(said);
            CHECK_FALSE(is_courtesy({said, TextForm::plain}));
        }
    }
}
