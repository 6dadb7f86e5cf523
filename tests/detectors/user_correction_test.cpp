#include "pipeline/files.hpp"
#include "policy/events.hpp"

#include "detectors/speech/correction.hpp"

#include <agent_audit/pipeline/policy_replay.hpp>

using namespace agent_audit;
using namespace agent_audit::test;

namespace {

// What the rule says of a conversation.
std::vector<Finding> corrections_in(const Events& events) {
    const PolicyChoice choice = choose_policy("permissive");
    REQUIRE(choice.bound);
    Replayer replayer(choice.bound);
    for (const Event& event : events.all()) (void)replayer.on_event(event);
    std::vector<Finding> found = replayer.finish().findings;
    std::erase_if(found, [](const Finding& f) { return f.rule != "drift/user-correction"; });
    return found;
}

// What the rule says of a human's words behind some edits and, maybe, a claim about them.
std::vector<Finding> found_after(int calls, const std::string& claim, const std::string& words) {
    Events events;
    events.human("fix the parser in src/parser.cpp");
    for (int i = 0; i < calls; ++i)
        events.call("Edit", "src/lexer" + std::to_string(i) + ".cpp", "done " + std::to_string(i));
    if (!claim.empty()) events.says(claim);
    events.human(words);
    events.says("sorry");
    return corrections_in(events);
}

std::vector<Evidence> evidence_after(int calls, const std::string& words) {
    const auto found = found_after(calls, "", words);
    REQUIRE(found.size() == 1);
    return found[0].evidence;
}

}  // namespace

TEST_SUITE("user correction") {
    TEST_CASE(
        "undo, alone, behind a single call is one step back; behind more, or with a word about it, it is a "
        "correction") {
        for (const char* said : {"undo", "Undo.", "please undo", "revert!"}) CHECK(found_after(1, "", said).empty());
        CHECK(found_after(3, "", "undo").size() == 1);
        CHECK(found_after(1, "", "Undo that, it broke the parser.").size() == 1);
    }

    TEST_CASE("a few words that say how it is to look, behind a single call, are a direction") {
        const auto severity = [](int calls, const char* words) {
            const auto found = found_after(calls, "", words);
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        for (const char* said :
             {"no, 0.48", "no, use Inter", "nope, too old. something modern", "no, make it blue", "way too much"}) {
            CAPTURE(said);
            CHECK(severity(1, said) == Severity::info);
            CHECK(severity(3, said) == Severity::warning);
        }
        for (const char* said : {"no, I said 0.48", "no, wrong place", "no, not the lexer", "nein, das ist falsch",
                                 "nope, same as before", "no, still open"}) {
            CAPTURE(said);
            CHECK(severity(1, said) == Severity::warning);
        }
    }

    TEST_CASE("a look before the one change makes no large step of it") {
        const auto severity = [](int edits, const std::string& words) {
            Events events;
            events.human("sketch an endpoint for avatars in docs/api.md");
            events.call("Read", "docs/api.md", "## POST /users");
            for (int i = 0; i < edits; ++i)
                events.call("Edit", "docs/api" + std::to_string(i) + ".md", "done " + std::to_string(i));
            events.says("It takes multipart.");
            events.human(words);
            const auto found = corrections_in(events);
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        for (const char* said : {"no, PUT", "not that modern lol", "hmm no, multipart was better for the browser",
                                 "no, also empty ones"}) {
            CAPTURE(said);
            CHECK(severity(1, said) == Severity::info);
            CHECK(severity(2, said) == Severity::warning);
        }
        for (const char* said : {"not that file", "not that one!", "no, it was better before you touched it",
                                 "no, the block should stay as is"}) {
            CAPTURE(said);
            CHECK(severity(1, said) == Severity::warning);
        }
    }

    TEST_CASE("a fact that is disputed behind a look is a hint, work that is called wrong a correction") {
        const auto severity = [](bool edits, const std::string& words) {
            Events events;
            events.human("gcc is broken, my loop never ends");
            events.call("Read", "loop.c", "for (i = n - 1; i >= 0; i--)");
            if (edits) events.call("Edit", "loop.c", "done");
            events.says("The counter is unsigned.");
            events.human(words);
            const auto found = corrections_in(events);
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        for (const char* said : {"thats wrong, it's a compiler bug", "no, thats not it. the one with the lamp",
                                 "Nein, das ist falsch, es lief gestern.", "不对，是编译器的问题"}) {
            CAPTURE(said);
            CHECK(severity(false, said) == Severity::info);
            CHECK(severity(true, said) == Severity::warning);
        }
        CHECK(severity(false, "that's wrong, I asked for the other loop") == Severity::warning);
        CHECK(severity(false, "stop") == Severity::warning);
    }

    TEST_CASE("a turn that passes to the human, their own mistake and a taste are no corrections") {
        using detectors::Correction;
        for (const char* said : {"not like this is urgent, take your time", "this is not the right time for a refactor",
                                 "that's too much detail for the readme, shorten it",
                                 "I asked for review from Mia, wait for her", "no, actually you're right",
                                 "no no, tutto ok", "no, but good idea for later", "nope, not my area, ask Kim",
                                 "not there yet but close", "違います、私のミスでした", "停一下，我去开会"}) {
            CAPTURE(said);
            CHECK(detectors::correction_in(said, false) == Correction::none);
        }
        for (const char* said : {"not like this", "that's too much", "I asked for a footer", "no, you are wrong",
                                 "停一下", "not there, in the footer", "違います"}) {
            CAPTURE(said);
            CHECK(detectors::correction_in(said, false) == Correction::strong);
        }
    }

    TEST_CASE("what the human said stands in the evidence once, after short work and after long work") {
        for (const int calls : {2, 40}) {
            CAPTURE(calls);
            const auto evidence = evidence_after(calls, "No, that's wrong. I asked for the parser.");
            CHECK(std::ranges::count(evidence, "human", &Evidence::role) == 1);
        }
    }

    TEST_CASE("what is off, went too far or was not meant") {
        for (const std::string_view words :
             {"This is way off. I wanted the icon.", "ugh, this is completely off", "That's totally off!",
              "you went too far, I said icon only", "You just went overboard here.",
              "das war nicht gemeint, ich wollte nur das Icon", "Das war nicht das, was ich wollte.",
              "Das ist nicht, was ich wollte. Nur den Kopf bitte.", "Non è quello che volevo. Rimetti la tabella.",
              "You're going in circles.", "You made it worse.", "This is not what I expected from this PR."}) {
            CAPTURE(words);
            CHECK(detectors::correction_in(words, false) == detectors::Correction::strong);
        }
        for (const std::string_view words :
             {"The clock is completely off in the footer, can you look?", "It's completely off in Safari only.",
              "it's off by one, next task", "That's way off what they said, but I like it.",
              "Das ist nicht das, was ich wollte, sondern noch viel besser!", "undo my last commit please",
              "Revert my debug commit please.", "I told you the wrong number, it is 30.",
              "The customer wrote: that's not what I asked for. Can you draft a reply?",
              "And now for something completely different: the footer.", "are you kidding me, it works?!",
              "no es lo que quería el cliente al principio, pero ahora lo prefiere", "This is off now. Next: the fan.",
              "it's so off-brand, haha, but ok. Next the header", "is it way off?", "that's so far away",
              "went too far down the page with the scroll test, fine"}) {
            CAPTURE(words);
            CHECK(detectors::correction_in(words, false) == detectors::Correction::none);
        }
    }

    TEST_CASE("what somebody else is quoted to have said is about something else") {
        const auto is_strong = [](std::string_view words) {
            return detectors::correction_in(words, false) == detectors::Correction::strong;
        };
        CHECK_FALSE(is_strong("Write a polite answer. He also says 'that's not what I ordered' in the second mail."));
        CHECK_FALSE(is_strong("The mail said \"that is not what I wanted\", can you look what was shipped?"));
        CHECK(is_strong("Look again, that's not what I ordered."));
        CHECK(is_strong("I said the blue one. That's not what I wanted."));
    }

    TEST_CASE("words that are cut say so") {
        const auto evidence = evidence_after(2, "No, that's wrong. " + std::string(300, 'x'));
        REQUIRE_FALSE(evidence.empty());
        CHECK(evidence.back().role == "human");
        CHECK(evidence.back().text.ends_with("…"));
    }

    TEST_CASE("what was said to be mended and is not") {
        using detectors::Correction;
        CHECK(detectors::correction_in("still the same error, line 12", false) == Correction::persists);
        CHECK(detectors::correction_in("Hm, it's still failing for me.", false) == Correction::persists);
        CHECK(detectors::correction_in("Now fix the same error in src/lexer.cpp", false) == Correction::none);
        const auto refuted = found_after(3, "Fixed, all tests pass.", "still the same error");
        REQUIRE(refuted.size() == 1);
        CHECK(refuted[0].severity == Severity::info);
        CHECK(found_after(3, "The parser needs a closer look.", "still the same error").empty());
    }

    TEST_CASE("a doubt that is taken back before anything was changed is none") {
        const auto after = [](const std::string& tool, const std::string& words) {
            Events events;
            events.human("fix the parser in src/parser.cpp");
            events.call("Edit", "src/lexer.cpp", "done");
            events.says("Fixed, all tests pass.");
            events.human("Are you sure?");
            if (!tool.empty()) events.call(tool, "src/lexer.cpp", "seen");
            if (!words.empty()) events.human(words);
            events.says("fine");
            return corrections_in(events).size();
        };
        for (const char* words :
             {"ok now it works", "never mind, commit it", "Ah, my mistake.", "works now, thanks!", "可以了"}) {
            CAPTURE(words);
            CHECK(after("Read", words) == 0);
            CHECK(after("Edit", words) == 1);
        }
        for (const char* words : {"", "commit", "it works now?", "ok now it works, but the tests do not",
                                  "make sure it works", "it works like a stack: push it"}) {
            CAPTURE(words);
            CHECK(after("Read", words) == 1);
        }
    }

    TEST_CASE("the work that is disputed begins where a human ordered it") {
        const std::string wrong = "No, that's wrong. I asked for the parser.";
        // Two edits (lines 2 to 5), what the agent says of them, what the human says to that, a call, the correction.
        const auto onset = [](const std::string& claim, const std::string& between, const std::string& tool,
                              const std::string& words) {
            Events events;
            events.human("fix the parser in src/parser.cpp");
            events.call("Edit", "src/lexer.cpp", "done").call("Edit", "src/words.cpp", "done");
            if (!claim.empty()) events.says(claim);
            events.human(between);
            events.call(tool, "src/hooks.cpp", "seen");
            events.human(words);
            events.says("sorry");
            const std::vector<Finding> found = corrections_in(events);
            return found.empty() ? std::uint64_t{0} : found[0].first_line;
        };
        constexpr std::uint64_t kOfAll = 2, kBroken = 7, kAfterClaim = 8;  // the first line; of the last call
        for (const char* tool : {"Read", "Edit"}) {
            CAPTURE(tool);
            CHECK(onset("", "continue", tool, wrong) == kOfAll);
            CHECK(onset("Half of it is there.", "ok, go on", tool, wrong) == kOfAll);
            CHECK(onset("", "why are there two hooks?", tool, wrong) == kOfAll);  // in the middle of the work
            CHECK(onset("", "now fix the lexer", tool, wrong) == kBroken);
            CHECK(onset("Done. Shall I change the hooks as well?", "continue", tool, wrong) == kAfterClaim);
        }
        CHECK(onset("Done.", "why are there two hooks?", "Read", wrong) == kOfAll);
        CHECK(onset("Done.", "ok", "Read", wrong) == kOfAll);
        // What is changed behind a question answers it.
        CHECK(onset("Done.", "why are there two hooks?", "Edit", wrong) == kAfterClaim);
        CHECK(onset("Done.", "ok", "Edit", wrong) == kAfterClaim);
        CHECK(onset("", "why are there two hooks?", "Edit", "stop, I just asked a question") == kBroken);
    }

    TEST_CASE("a direction and nothing else steers, and what is said beside it corrects") {
        for (const char* words :
             {"no, lower", "No, a bit bigger.", "nope, darker", "hm, no, still a little less",
              "no, further to the left please", "No - even smaller", "no, un poco más abajo", "no, un po' più in basso",
              "no, back to 24", "No, back to 1.5 rem.", "nein, zurück auf 24 px"}) {
            CAPTURE(words);
            CHECK(detectors::correction_in(words, false) == detectors::Correction::weak);
            CHECK(found_after(2, "", words).empty());
        }
        for (const char* words : {"no, lower case was what I asked for", "no, I said lower", "No.", "no, 24",
                                  "no, back to 24 and leave the footer alone"}) {
            CAPTURE(words);
            CHECK(detectors::correction_in(words, false) == detectors::Correction::strong);
        }
    }

    TEST_CASE("who chooses one of several that were offered corrects nothing") {
        for (const char* words : {"no, the 4th was better. But afternoon?", "No, the second looked better",
                                  "nein, die dritte war besser", "non, la première était mieux"}) {
            CAPTURE(words);
            CHECK(detectors::correction_in(words, false) == detectors::Correction::none);
        }
        CHECK(detectors::correction_in("no, it was better before you came", false) == detectors::Correction::strong);
    }

    TEST_CASE("praise is none, whatever it is measured by") {
        using detectors::Correction;
        CHECK(detectors::correction_in("That's not what I expected, much better!", false) == Correction::none);
        CHECK(detectors::correction_in("That's not what I expected.", false) == Correction::strong);
        CHECK(detectors::correction_in("That's not what I expected from you.", false) == Correction::strong);
        CHECK(detectors::correction_in("That's not what I expected from the library, can you look at its source?",
                                       false) == Correction::none);
    }

    TEST_CASE("a correction is known in many words") {
        for (const char* words : {"You didn't follow my instructions",
                                  "Great, but I asked for a list",
                                  "that's not what I asked for",
                                  "no no no",
                                  "That's wrong. Undo that.",
                                  "hey, I never told you to touch the lexer",
                                  "roll back the last change",
                                  "you edited footer.css instead of header.css",
                                  "falsch, ich meinte den Parser",
                                  "No, I meant the lexer",
                                  "not like that, the lexer please",
                                  "That's the wrong file.",
                                  "you edited the wrong file",
                                  "please undo that",
                                  "roll that back please",
                                  "Wait, that's not right",
                                  "hmm no, the lexer",
                                  "you deleted my comments",
                                  "You changed the parser instead of the lexer.",
                                  "stop changing the parser",
                                  "STOP!",
                                  "Not the parser, the lexer.",
                                  "dont do that",
                                  "I just asked a question, don't edit",
                                  "why are you refactoring this?",
                                  "This was not asked for",
                                  "put it back",
                                  "不对，我说的是词法分析器",
                                  "这样不对",
                                  "停",
                                  "停，先别改了",
                                  "你改错文件了",
                                  "回滚",
                                  "请撤销",
                                  "没让你改这个",
                                  "等等，不对",
                                  "完全不对"}) {
            CAPTURE(words);
            CHECK(detectors::correction_in(words, false) == detectors::Correction::strong);
        }
    }

    TEST_CASE("the same in German, French, Spanish, Portuguese and Japanese") {
        using detectors::Correction;
        for (const char* words :
             {"Nein, ich meinte den Header.", "Das war falsch.", "das ist falsch, mach das rückgängig",
              "Falsche Datei!", "Mach das rückgängig", "So war das nicht gemeint", "Non, je voulais l'en-tête.",
              "Ce n'est pas ce que j'ai demandé", "Eso no es lo que pedí.", "Não, eu queria o cabeçalho",
              "違います、ヘッダーです", "元に戻してください"}) {
            CAPTURE(words);
            CHECK(detectors::correction_in(words, false) == Correction::strong);
        }
        for (const char* words :
             {"Nein danke, das passt so", "Nein, alles gut.",
              "Das war falsch konfiguriert bei mir, weiter mit dem Header", "Das ist falsch?", "Non-blocking IO bitte",
              "Non, c'est parfait", "Não precisa, obrigado", "違うファイルも同じように直して"}) {
            CAPTURE(words);
            CHECK(detectors::correction_in(words, false) == Correction::none);
        }
        CHECK(detectors::correction_in("Nein, ich meinte den Header.", true) == Correction::none);
    }

    TEST_CASE("blame in plain words, and work that the human took back") {
        using detectors::Correction;
        for (const char* words :
             {"you messed that up", "you messed it all up, try again", "You totally fucked the component up",
              "i undid your changes, try again", "I've reverted everything you did, start over",
              "I had to roll back what you did.", "you were not supposed to touch the lexer",
              "Stop! You changed the lexer.", "stop! i will not merge that",
              "are you fucking stupid? what about the header", "Are you kidding me?", "you screwed the layout"}) {
            CAPTURE(words);
            CHECK(detectors::correction_in(words, false) == Correction::strong);
        }
        for (const char* words :
             {"I reverted the release, look at the log", "I undid the last migration on staging, run it again",
              "are you blind to pictures or can you see this one", "are you kidding, I love it",
              "The layout is messed up on phones, fix it", "you messed around long enough with the logo, now the table",
              "I discarded the branch, make a new one", "are you able to fix it?"}) {
            CAPTURE(words);
            CHECK(detectors::correction_in(words, false) == Correction::none);
        }
    }

    TEST_CASE("what only begins like a correction is none") {
        for (const char* words : {"no problem",
                                  "No, gracias. Ahora el pie de página.",
                                  "No, grazie",
                                  "No, obrigado. Agora o rodapé.",
                                  "No, that works.",
                                  "nope, nothing else. thanks!",
                                  "no no, all good",
                                  "no I think that's enough for today",
                                  "Nope, works for me",
                                  "undo.ts has a lint error",
                                  "wrong.test.ts fails",
                                  "Could you roll back the last migration?",
                                  "I told you about the invoice",
                                  "perfect, exactly what I asked for",
                                  "That is what I asked for. Next the docs",
                                  "off topic: which model are you?",
                                  "I didn't ask before, but can you deploy?",
                                  "That's wrong in the docs too: fix them",
                                  "I said I'd send the logo, here it is",
                                  "no, that's it",
                                  "no, keep it as it is",
                                  "No. 5 on the list next please",
                                  "that's not a blocker",
                                  "That isn't a problem, go on.",
                                  "that's not urgent",
                                  "stop the server when done",
                                  "stop words should be filtered too",
                                  "Stop button: make it red",
                                  "wrong prices are shown in the cart, please look into that next",
                                  "Undo stack: 50 entries",
                                  "undo/redo would be nice as a next step",
                                  "I said yes, go on",
                                  "I asked Bob, he says it is fine",
                                  "I meant to thank you",
                                  "why did you choose a table? just curious",
                                  "wait for the deploy, then push",
                                  "Not the fastest, but fine",
                                  "Stop, wait for my review.",
                                  "stop. let me look at the diff first",
                                  "Stop. I'll test it first.",
                                  "Stop - thanks, that's enough for today",
                                  "停止按钮改成红色",
                                  "不对称的布局也可以",
                                  "撤销功能也加上吧",
                                  "错误提示改成红色",
                                  "不是问题",
                                  "停用旧接口"}) {
            CAPTURE(words);
            CHECK(detectors::correction_in(words, false) == detectors::Correction::none);
        }
    }

    TEST_CASE("too much is told in many words, and not of everything") {
        using detectors::Correction;
        for (const char* words :
             {"That's a bit too much.", "This is a bit too much", "that is a little too much!",
              "The harness is too much.", "The new test setup is a bit overkill.",
              "I see the plan. You are overengineering this.",
              "It is a good start but you are overengineering too early",
              "Looks good, but you're overcomplicating the parser.", "Ok. I think you're still over-engineering it",
              "it's not written well enough", "its not really user friendly", "that's not really what I meant",
              "아니 그게 아니라 파서를 고쳐줘", "다시 되돌려줘", "그거 말고 렉서", "잘못됐어"}) {
            CAPTURE(words);
            CHECK(detectors::correction_in(words, false) == Correction::strong);
        }
        for (const char* words :
             {"That's a bit too much for v1?", "Is that a bit too much?", "a bit too much for v1?",
              "That's a bit too much work to do by hand, script it",
              "The harness is too much for one person, so add a second one", "Are you overengineering this?",
              "Tell me if you are overengineering this.", "The reviewer wrote: \"ok. you are overengineering this\"",
              "> ok. You are overengineering this.", "Make sure that you are not overcomplicating it.",
              "it's not user friendly to ask for a token twice, so keep it in a file", "that's not really a problem",
              "Great work, I like it. You are overdoing nothing.", "그거 말고도 테스트를 추가해줘", "잘못됐어?"}) {
            CAPTURE(words);
            CHECK(detectors::correction_in(words, false) == Correction::none);
        }
        CHECK(detectors::declines("let's not make this change"));
        CHECK(detectors::declines("Lets not touch that"));
        CHECK_FALSE(detectors::declines("let's not worry about the docs, use the other table"));
        CHECK_FALSE(detectors::declines("let's make it smaller"));
    }

    TEST_CASE("a call that is refused with let's not") {
        const auto refused = [](const std::string& words) {
            Events events;
            events.human("fix the parser in src/parser.cpp").call("Edit", "src/lexer.cpp", "done");
            events.call("Edit", "src/words.cpp",
                        "The tool use was rejected. To tell you how to proceed, the user said:\n" + words,
                        ResultStatus::denied);
            events.human("now write the manual").says("fine");
            return corrections_in(events);
        };
        const auto found = refused("let's not make this change");
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::info);
        CHECK(refused("let's not worry about the tests, take the other table").empty());
        CHECK(found_after(2, "", "let's not make this change").empty());
    }

    TEST_CASE("the wrong place is blamed behind another sentence too") {
        using detectors::Correction;
        for (const char* words : {"again the footer... you keep editing the wrong file. I want the navbar",
                                  "The footer again. You edited the wrong file.", "hmm, not quite what I wanted",
                                  "you didnt do what i asked", "How often do I have to say it: navbar!",
                                  "How many times do I have to tell you?"}) {
            CAPTURE(words);
            CHECK(detectors::correction_in(words, false) == Correction::strong);
        }
        for (const char* words :
             {"not what I expected but better!", "The log says: you edited the wrong file",
              "Add a test. Did you edit the wrong file?", "The dialog shows \"oh. You edited the wrong file.\"",
              "How often do I have to rotate the keys?",
              "Users complain. You selected the wrong file is what they read."}) {
            CAPTURE(words);
            CHECK(detectors::correction_in(words, false) == Correction::none);
        }
    }

    TEST_CASE("who was wrong themselves, shrugs it off or says yes after all corrects nothing") {
        using detectors::Correction;
        for (const char* words :
             {"wrong branch! I was on main", "Wrong file, sorry I meant to open the other one here", "wrong, my bad",
              "that's wrong too, my fault, they wrote thursday", "it's wrong in Safari 14 but nobody uses that",
              "That's wrong on paper but it's fine for now", "Hmm no, actually yes, keep it",
              "no, actually that's fine"}) {
            CAPTURE(words);
            CHECK(detectors::correction_in(words, false) == Correction::none);
        }
        for (const char* words : {"wrong branch! I was talking about main", "Wrong file. I had asked for the lexer.",
                                  "it's wrong in Safari 14 but it was right before", "no, actually use the lexer",
                                  "That is the opposite of what I wanted", "that's wrong. But nobody noticed"}) {
            CAPTURE(words);
            CHECK(detectors::correction_in(words, false) == Correction::strong);
        }
        CHECK(detectors::correction_in("that's the opposite problem", false) == Correction::none);
    }

    TEST_CASE("a no to an offer is an answer") {
        for (const char* claim : {"The parser is fixed. If you want, I can also rename the lexer.",
                                  "Fixed. If you’d rather have it in one file, just say so.",
                                  "Done. I suggest that we rename the lexer next.",
                                  "The parser is fixed.\n\n1. keep the lexer\n2. rename it\n\nTell me which one.",
                                  "Fixed. Let me know if the lexer is to be renamed."}) {
            CAPTURE(claim);
            CHECK(found_after(2, claim, "no, keep the lexer").empty());
            CHECK(found_after(2, claim, "no, I asked for the parser").size() == 1);
        }
        CHECK(found_after(2, "The parser is fixed.", "no, the parser").size() == 1);
    }

    TEST_CASE("a no to a question is an answer") {
        CHECK(detectors::correction_in("no, the second one", true) == detectors::Correction::none);
        CHECK(detectors::correction_in("不是", true) == detectors::Correction::none);
        CHECK(detectors::correction_in("no, that's not what I asked for", true) == detectors::Correction::strong);
    }

    TEST_CASE("who wants something else after all corrects nobody") {
        using agent_audit::detectors::Correction;
        const auto said = [](std::string_view words) { return agent_audit::detectors::correction_in(words, false); };
        CHECK(said("No, the large one after all.") == Correction::none);
        CHECK(said("no, the previous one was better") == Correction::none);
        CHECK(said("Nein, die vorige war besser.") == Correction::none);
        CHECK(said("No, it was better before you touched it.") != Correction::none);
        CHECK(said("No, I changed my mind, the small one.") == Correction::none);
        CHECK(said("No, the large one.") == Correction::strong);
        CHECK(said("No, that is not what I asked for after all.") == Correction::strong);
    }
}
