// loop/stalled-fix where a person is the check: what counts as "it is as it was", and what does not.
#include "support/session.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

using agent_audit::Finding;
using agent_audit::Severity;
using agent_audit::test::Session;

namespace {

using Answers = std::vector<std::string_view>;

const Answers kAsBefore{"no it doesn't, the gate is still open", "still open", "Nope. Same as before.",
                        "doesn't work, it is still open"};

enum class Work { edits, looks, nothing };

// The agent works on the gate, says that it is done, and the person answers.
std::vector<Finding> found_behind(const Answers& answers, Work work = Work::edits) {
    Session s("loop/stalled-fix");
    s.human("The gate of the mill does not close when the miller leaves. Please fix that.");
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const std::string n = std::to_string(i);
        if (work == Work::edits) s.call("Edit", "gate.js: latch " + n, "done");
        if (work == Work::looks) s.call("Read", "gate.js from line " + n, "latch " + n);
        s.says("The gate closes now: latch " + n + " was what it lacked.").human(answers[i]);
    }
    return s.end();
}

std::optional<Severity> severity(const Answers& answers, Work work = Work::edits) {
    const std::vector<Finding> found = found_behind(answers, work);
    if (found.empty()) return std::nullopt;
    return found[0].severity;
}

Answers times(std::size_t count, std::string_view answer) { return Answers(count, answer); }

}  // namespace

TEST_SUITE("loop/stalled-fix: the person is the check") {
    TEST_CASE("four changes that did not help are a warning, eight an error") {
        const auto found = found_behind(kAsBefore);
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::warning);
        CHECK(found[0].repeats == 4);
        CHECK_FALSE(severity({kAsBefore.begin(), kAsBefore.begin() + 3}));
        CHECK(severity(times(8, "still not closing")) == Severity::error);
    }

    TEST_CASE("it is said in many ways and languages") {
        for (const std::string_view said : {"it does NOT close",
                                            "STILL not closed",
                                            "did nothing",
                                            "no change at all",
                                            "it is still at the top left",
                                            "doesnt work",
                                            "you did not fix it",
                                            "Thanks, but it still doesn't work",
                                            "same error after the restart",
                                            "next.js page still not working",
                                            "why is it still open?",
                                            "geht immer noch nicht",
                                            "toujours pas",
                                            "sigue sin cerrar",
                                            "não funciona",
                                            "ancora non si chiude",
                                            "всё ещё открыто",
                                            "还是不行",
                                            "まだ開いています",
                                            "여전히 열려 있어요"}) {
            CAPTURE(said);
            CHECK(severity(times(4, said)) == Severity::warning);
        }
    }

    TEST_CASE("what comes nearer, other wishes and praise are no such answers") {
        for (const std::string_view said : {"still a bit too low",
                                            "closer, but it still jams",
                                            "almost, the lower half is still open",
                                            "now the lamp please",
                                            "make sure it still works in the rain",
                                            "do the same thing for the barn",
                                            "great, thanks",
                                            "make it red",
                                            "nope, 0.48",
                                            "Same thing for the footer please",
                                            "Still need a title",
                                            "No, it should be bold",
                                            "Nein, lieber links",
                                            "Encore un bouton",
                                            "还是用第一版吧",
                                            "不行，先别提交",
                                            "まだテストは書かないで",
                                            "aún no hagas commit",
                                            "It doesn't need to be sorted",
                                            "Add a button that does nothing",
                                            "no changes to the door please"}) {
            CAPTURE(said);
            CHECK_FALSE(severity(times(6, said)));
        }
    }

    TEST_CASE("another answer in between starts anew, a question or a long report does not count") {
        Answers broken = kAsBefore;
        broken.insert(broken.begin() + 2, "yes, that is it. Now the lamp");
        CHECK_FALSE(severity(broken));
        Answers asked = kAsBefore;
        asked.insert(asked.begin() + 2, "is that the new latch?");
        CHECK(severity(asked) == Severity::warning);
        const std::string report = "still open. " + std::string(300, 'x');
        CHECK_FALSE(severity(times(6, report)));
    }

    TEST_CASE("nothing was tried where nothing was changed") {
        CHECK_FALSE(severity(times(6, "still open"), Work::looks));
        CHECK_FALSE(severity(times(6, "still open"), Work::nothing));
    }
}
