#include "support/peer_session.hpp"

#include "profiles/arguments.hpp"
#include "profiles/rule.hpp"

#include <algorithm>
#include <set>

using namespace agent_audit;
using agent_audit::test::PeerSession;
using Steps = PeerSession::Steps;

namespace {

std::string repeated(std::string_view unit, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += unit;
    return out;
}

ToolCall call_of(std::string_view tool) {
    ToolCall call;
    call.name = {tool, TextForm::plain};
    call.args = {"{}", TextForm::json_value};
    return call;
}

}  // namespace

TEST_SUITE("profiles: the table") {
    TEST_CASE("profiles are sorted by name, each once, and each says what it does") {
        const auto all = all_profiles();
        CHECK(all.size() == 17);
        CHECK(std::ranges::is_sorted(all, {}, &ProfileSpec::name));
        std::set<std::string_view> names;
        for (const ProfileSpec& profile : all) {
            CAPTURE(profile.name);
            CHECK(names.insert(profile.name).second);
            CHECK(find_profile(profile.name) == &profile);
            CHECK_FALSE(profile.peer.empty());
            CHECK_FALSE(profile.rule.empty());
            CHECK_FALSE((profile.warns.empty() && profile.stops.empty()));
            CHECK(profile.make());
        }
        CHECK(find_profile("nobody") == nullptr);
    }

    TEST_CASE("every profile is silent when nothing is ever the same") {
        for (const ProfileSpec& profile : all_profiles()) {
            CAPTURE(profile.name);
            PeerSession s(profile.name);
            s.human();
            for (int i = 0; i < 40; ++i)
                s.call("tool" + std::to_string(i), "{\"n\":" + std::to_string(i) + "}", std::to_string(i));
            CHECK(s.steps() == Steps{0, 0});
        }
    }

    TEST_CASE("every profile bears calls without answers, answers without calls and broken arguments") {
        for (const ProfileSpec& profile : all_profiles()) {
            CAPTURE(profile.name);
            PeerSession s(profile.name);
            for (int i = 0; i < 3; ++i) s.respond().open("a", "{\"x\":[1,2").open("", "").open("b", "\"{}\"");
            ToolResult orphan;
            Compaction failed;
            failed.phase = CompactionPhase::failed;
            s.emit(orphan).emit(orphan).compaction().emit(failed);
            s.says("").thinks("\xff\xfe\xed\xa0\x80").says(std::string(20'000, '\n'));
            CHECK(s.end().profile == profile.name);
        }
    }

    TEST_CASE("a session begins with nothing remembered of the one before") {
        PeerSession s("roo");
        s.times(3, [](PeerSession& p, int) { p.call("read", "{}"); });
        CHECK(s.steps() == Steps{0, 0});
        s.call("read", "{}");
        CHECK(s.steps() == Steps{0, 0});
    }

    TEST_CASE("each lane is watched on its own, and the earliest reaction is told with its lane") {
        PeerSession s("roo");
        for (int i = 0; i < 3; ++i) s.in_lane(0).call("read", "{}").in_lane(7).call("read", "{}");
        s.in_lane(7).call("read", "{}").in_lane(0).call("read", "{}");
        const PeerOutcome outcome = s.end();
        REQUIRE(outcome.stopped);
        CHECK(outcome.stopped->lane == 7);
        CHECK(outcome.stopped->step == 4);
        CHECK(outcome.stopped->line == 13);
    }

    TEST_CASE("copied history, fragments and the user's own commands are not the agent's calls") {
        for (const int flags : {int{kCopied}, int{kPartial}}) {
            const ProfileSpec* roo = find_profile("roo");
            PeerWatch watch({&roo, 1});
            for (int i = 0; i < 5; ++i) {
                Event event;
                event.head.seq = static_cast<std::uint64_t>(i) + 1;
                event.head.flags = static_cast<std::uint16_t>(flags);
                event.body = call_of("read");
                watch.on_event(event);
            }
            CHECK_FALSE(watch.finish()[0].reaction());
        }
        PeerSession s("roo");
        for (int i = 0; i < 5; ++i) {
            ToolCall typed = call_of("bash");
            typed.caller = Caller::user;
            s.emit(typed);
        }
        CHECK(s.steps() == Steps{0, 0});
    }
}

TEST_SUITE("profiles: what makes two arguments the same") {
    using profiles::Arguments;
    using profiles::KeyOrder;

    std::uint64_t hash(std::string_view text, KeyOrder order, TextForm form = TextForm::json_value) {
        simdjson::dom::parser parser;
        return Arguments({text, form}, parser).hash(order);
    }

    TEST_CASE("own order tells orders apart, sorting does not, and shallow sorts only the outside") {
        const char* a = R"({"x":1,"y":{"p":1,"q":2}})";
        const char* b = R"({"y":{"p":1,"q":2},"x":1})";
        const char* c = R"({"y":{"q":2,"p":1},"x":1})";
        CHECK(hash(a, KeyOrder::own) != hash(b, KeyOrder::own));
        CHECK(hash(a, KeyOrder::sorted) == hash(b, KeyOrder::sorted));
        CHECK(hash(a, KeyOrder::sorted) == hash(c, KeyOrder::sorted));
        CHECK(hash(a, KeyOrder::shallow) == hash(b, KeyOrder::shallow));
        CHECK(hash(a, KeyOrder::shallow) != hash(c, KeyOrder::shallow));
    }

    TEST_CASE("values count as JavaScript reads them") {
        CHECK(hash("[1,2.0,-0]", KeyOrder::own) == hash("[1e0, 2, 0]", KeyOrder::own));
        CHECK(hash("[\"\\u0061\"]", KeyOrder::own) == hash("[\"a\"]", KeyOrder::own));
        CHECK(hash("[1]", KeyOrder::own) != hash("[\"1\"]", KeyOrder::own));
        CHECK(hash("[null]", KeyOrder::own) != hash("[false]", KeyOrder::own));
        CHECK(hash("{\"a\":1}", KeyOrder::own) != hash("[\"a\",1]", KeyOrder::own));
        // Array indices come first, and the last of two equal keys wins.
        CHECK(hash(R"({"b":1,"10":2,"9":3})", KeyOrder::own) == hash(R"({"9":3,"10":2,"b":1})", KeyOrder::own));
        CHECK(hash(R"({"b":1,"a":2,"b":3})", KeyOrder::own) == hash(R"({"b":3,"a":2})", KeyOrder::own));
        CHECK(hash(R"({"07":1,"7":2})", KeyOrder::own) != hash(R"({"07":2,"7":1})", KeyOrder::own));
    }

    TEST_CASE("arguments recorded as a JSON string are the object inside") {
        CHECK(hash(R"({\"a\":1})", KeyOrder::own, TextForm::json_string) == hash(R"({"a":1})", KeyOrder::own));
        CHECK(hash(R"("{\"a\":1}")", KeyOrder::own) == hash(R"({"a":1})", KeyOrder::own));
        CHECK(hash("", KeyOrder::own) == hash("{}", KeyOrder::own));
    }

    TEST_CASE("what is not JSON is equal to the same bytes only") {
        CHECK(hash("{oops", KeyOrder::own) == hash("{oops", KeyOrder::own));
        CHECK(hash("{oops", KeyOrder::own) != hash("{oops!", KeyOrder::own));
    }
}

TEST_SUITE("profile gemini-cli") {
    TEST_CASE("a sentence repeated 40 times in one message is a warning") {
        const auto outcome =
            PeerSession("gemini-cli").says(repeated("I will now look at the file once more. ", 40)).end();
        REQUIRE(outcome.warned);
        CHECK(outcome.warned->rule == "chanting");
        CHECK_FALSE(outcome.stopped);
    }

    TEST_CASE("a unit of 251 characters is too long for it, one of 250 is not") {
        std::string unit;
        for (int i = 0; unit.size() < 250; ++i) unit += std::to_string(i) + " and ";
        unit.resize(250);
        CHECK(PeerSession("gemini-cli").says(repeated(unit, 15)).end().warned);
        CHECK_FALSE(PeerSession("gemini-cli").says(repeated(unit + "x", 15)).end().warned);
    }

    TEST_CASE("an item list is no chant of its prefix, and repeats inside a fence do not count") {
        std::string list;
        for (int i = 0; i < 40; ++i)
            list += "Checked the module of the shop that is number " + std::to_string(i * 7919) +
                    " and it is fine so far. ";
        CHECK_FALSE(PeerSession("gemini-cli").says(list).end().warned);
        CHECK_FALSE(PeerSession("gemini-cli").says("```\n" + repeated("row row row ", 100)).end().warned);
    }

    TEST_CASE("a call clears what was said") {
        PeerSession s("gemini-cli");
        const std::string few = repeated("I will now look at the file once more. ", 7);
        s.says(few).call("read", "{}").says(few);
        CHECK_FALSE(s.end().warned);
        s.says(few).says(few);
        CHECK(s.end().warned);
    }

    TEST_CASE("what the user says clears the calls and the count of detections") {
        PeerSession s("gemini-cli");
        s.times(5, [](PeerSession& p, int) { p.call("a", "{}"); }).human().times(5, [](PeerSession& p, int) {
            p.call("a", "{}");
        });
        CHECK(s.steps() == Steps{5, 0});
    }
}

TEST_SUITE("profile qwen-code") {
    TEST_CASE("eight looks at git are too many, whatever they look like; a path makes it another command") {
        const char* looks[] = {"git status", "git diff HEAD~1 && git status", "git -C . --no-pager diff --stat",
                               "git ls-files"};
        PeerSession s("qwen-code");
        for (int i = 0; i < 8; ++i)
            s.call("run_shell_command", "{\"command\":\"" + std::string(looks[i % 4]) + "\"}", "x");
        CHECK(s.steps() == Steps{0, 8});
        for (int i = 0; i < 8; ++i)
            s.call("run_shell_command", i == 4 ? R"({"command":"git diff src"})" : R"({"command":"git diff main..x"})",
                   "x");
        CHECK(s.steps() == Steps{0, 0});
    }

    TEST_CASE("a task list may be asked as long as it changes") {
        PeerSession s("qwen-code+heuristics");
        for (int i = 0; i < 7; ++i) s.call("task_list", "{}", "board " + std::to_string(i));
        CHECK(s.steps() == Steps{0, 0});
        for (int i = 0; i < 7; ++i) s.call("task_list", "{}", "board");
        CHECK(s.steps() == Steps{0, 5});
    }

    TEST_CASE("the cap of a hundred calls stops only a turn in which one call came six times") {
        const auto turn = [](int every) {
            PeerSession s("qwen-code");
            for (int i = 0; i < 110; ++i)
                s.call("edit", i % every == 0 ? "{\"n\":-1}" : "{\"n\":" + std::to_string(i) + "}");
            return s.steps();
        };
        CHECK(turn(10) == Steps{0, 101});
        CHECK(turn(25) == Steps{0, 0});
    }

    TEST_CASE("reads at the start are exploration, after another tool they are counted") {
        PeerSession s("qwen-code+heuristics");
        const auto mixed = [](PeerSession& p, int i) {
            p.call(i % 2 ? "read_file" : "list_directory", "{\"n\":" + std::to_string(i) + "}");
        };
        CHECK(s.times(14, mixed).steps() == Steps{0, 0});
        CHECK(s.call("edit", "{}").times(14, mixed).steps() == Steps{0, 9});
    }

    TEST_CASE("heuristics hear reasoning: three equal thoughts, or a long block said over and over") {
        std::string block;
        for (int i = 0; block.size() < 600; ++i) block += "Thought " + std::to_string(i * 31) + " leads on. ";
        block.resize(600);
        CHECK(PeerSession("qwen-code+heuristics").thinks(repeated(block, 8)).end().stopped);
        CHECK_FALSE(PeerSession("qwen-code").thinks(repeated(block, 8)).end().stopped);
        const auto outcome = PeerSession("qwen-code+heuristics").thinks("Hm. ").thinks("hm.").thinks("HM.").end();
        REQUIRE(outcome.stopped);
        CHECK(outcome.stopped->line == 3);
    }
}

TEST_SUITE("profile openclaw") {
    TEST_CASE("a changed outcome begins the streak again, calls in between do not") {
        PeerSession s("openclaw");
        for (int i = 0; i < 24; ++i)
            s.call("read", "{}", i == 12 ? "new" : "same").call("ls" + std::to_string(i), "{}", "x");
        // 10 equal calls are in the window of 30 before the 11th: a warning that does not ask about outcomes.
        CHECK(s.steps() == Steps{21, 0});
    }

    TEST_CASE("a poll is warned about after ten, and stopped after twenty without progress") {
        PeerSession s("openclaw");
        s.times(25,
                [](PeerSession& p, int) { p.call("process", R"({"action":"poll","session":"a"})", "still running"); });
        CHECK(s.steps() == Steps{11, 21});
    }

    TEST_CASE("commands that fail alike add up although their arguments differ") {
        PeerSession s("openclaw");
        for (int i = 0; i < 24; ++i) {
            s.runs("make -j" + std::to_string(i),
                   "attempt " + std::to_string(i) + " failed after " + std::to_string(i) + " ms", 2);
        }
        CHECK(s.end().stopped->step == 21);
    }

    TEST_CASE("three equal steps right after a compaction are an abort, with another step among them they are not") {
        PeerSession s("openclaw");
        s.compaction().times(3, [](PeerSession& p, int) { p.call("a", "{}", "same"); });
        CHECK(s.steps() == Steps{0, 3});
        s.compaction().call("b", "{}").times(3, [](PeerSession& p, int) { p.call("a", "{}", "same"); });
        CHECK(s.steps() == Steps{0, 0});
    }

    TEST_CASE("the wrapper's changing ids are not a changed outcome") {
        PeerSession s("openclaw");
        for (int i = 0; i < 21; ++i) {
            const std::string id = "00000000000000" + std::to_string(10 + i);
            s.call("web_fetch", "{}",
                   "<<<EXTERNAL_UNTRUSTED_CONTENT id=\"" + id + "\">>>text<<<END_EXTERNAL_UNTRUSTED_CONTENT id=\"" +
                       id + "\">>>");
        }
        CHECK(s.steps() == Steps{11, 21});
    }
}

TEST_SUITE("profiles of single rules") {
    TEST_CASE("openhands: a user message in between clears everything") {
        PeerSession s("openhands");
        const auto again = [](PeerSession& p, int) { p.call("a", "{}", "same"); };
        CHECK(s.times(3, again).human().times(3, again).steps() == Steps{0, 0});
    }

    TEST_CASE("openhands: four tool errors on one call are the end, the third is a nudge") {
        PeerSession s("openhands");
        for (int i = 0; i < 5; ++i) s.fails("edit", "{}", "error number " + std::to_string(i));
        CHECK(s.steps() == Steps{3, 4});
    }

    TEST_CASE("openhands-v0: ten condensations in a row are a loop of their own") {
        PeerSession s("openhands-v0");
        s.times(9, [](PeerSession& p, int) { p.compaction(); }).call("a", "{}").times(9, [](PeerSession& p, int) {
            p.compaction();
        });
        CHECK_FALSE(s.end().stopped);
        CHECK(s.times(10, [](PeerSession& p, int) { p.compaction(); }).end().stopped);
    }

    TEST_CASE("opencode: only calls of the same message count, and text between them breaks the row") {
        PeerSession s("opencode");
        CHECK(s.respond().open("a", "{}").open("a", "{}").open("a", "{}").steps() == Steps{3, 0});
        CHECK(s.respond().open("a", "{}").open("a", "{}").adds("hm").open("a", "{}").steps() == Steps{0, 0});
        CHECK(s.respond().open("a", "{}").respond().open("a", "{}").respond().open("a", "{}").steps() == Steps{0, 0});
    }

    TEST_CASE("roo: scrolling does not count, and a refusal begins the count again") {
        PeerSession s("roo");
        s.times(9, [](PeerSession& p, int) { p.call("browser_action", R"({"action":"scroll_down"})"); });
        CHECK(s.steps() == Steps{0, 0});
    }

    TEST_CASE("crush: the outputs of a step count, and so do all calls of a response") {
        PeerSession s("crush");
        for (int i = 0; i < 20; ++i) s.call("a", "{}", std::to_string(i % 3));
        CHECK(s.steps() == Steps{0, 0});
        for (int i = 0; i < 12; ++i) s.respond().open("a", "{}").open("b", "{}").answer("x").answer("y");
        CHECK(s.steps() == Steps{0, 20});
    }

    TEST_CASE("goose: a write gives a path new reads") {
        PeerSession s("goose");
        const auto read = [](PeerSession& p, int i) {
            p.call("Read", "{\"file_path\":\"a\",\"offset\":" + std::to_string(i) + "}");
        };
        CHECK(s.times(5, read).call("Edit", R"({"file_path":"a"})").times(5, read).steps() == Steps{0, 0});
        CHECK(s.times(6, read).steps() == Steps{0, 6});
    }

    TEST_CASE("browser-use: a search is its words, and waiting does not count") {
        PeerSession s("browser-use");
        const char* queries[] = {"red shoes", "Shoes, red", "shoes red!"};
        for (int i = 0; i < 6; ++i)
            s.call("search", "{\"query\":\"" + std::string(queries[i % 3]) + "\",\"id\":" + std::to_string(i) + "}");
        CHECK(s.steps() == Steps{6, 0});
        CHECK(s.times(9, [](PeerSession& p, int) { p.call("wait", "{}"); }).steps() == Steps{0, 0});
    }

    TEST_CASE("cline: a turn with one good call is no mistake") {
        PeerSession s("cline");
        for (int i = 0; i < 9; ++i) {
            const std::string n = "{\"n\":" + std::to_string(i) + "}";
            s.respond().open("a", n).open("b", n).answer("error", ResultStatus::error).answer("ok");
        }
        CHECK(s.steps() == Steps{0, 0});
    }

    TEST_CASE("window-counter: three in ten, not three in eleven") {
        PeerSession s("window-counter");
        const auto other = [](PeerSession& p, int i) { p.call("b", "{\"n\":" + std::to_string(i) + "}"); };
        CHECK(s.call("a", "{}").times(4, other).call("a", "{}").times(3, other).call("a", "{}").steps() ==
              Steps{0, 10});
        CHECK(s.call("a", "{}").times(9, other).call("a", "{}").steps() == Steps{0, 0});
    }

    TEST_CASE("sequence-hash: a minute is the limit, where the log knows the time") {
        const auto twice = [](std::int64_t seconds) {
            PeerSession s("sequence-hash");
            for (int i = 0; i < 6; ++i)
                s.at(1000 + i * seconds).call("t" + std::to_string(i % 3), "{\"n\":" + std::to_string(i) + "}");
            return s.steps();
        };
        CHECK(twice(12) == Steps{0, 6});
        CHECK(twice(13) == Steps{0, 0});
    }

    TEST_CASE("same-type-3: small edits in one place stop it, far ones and large ones do not") {
        const auto edits = [](std::int64_t apart, int lines) {
            PeerSession s("same-type-3");
            for (int i = 0; i < 4; ++i) {
                const auto first = std::to_string(10 + i * apart);
                s.call("edit", "{\"path\":\"a\",\"start_line\":" + first + ",\"end_line\":" + first +
                                   ",\"content\":\"" + repeated("x\\n", lines) + "\"}");
                s.runs("make", "failed", 1);
            }
            return s.steps();
        };
        CHECK(edits(2, 1) == Steps{0, 5});
        CHECK(edits(40, 1) == Steps{0, 0});
        CHECK(edits(2, 9) == Steps{0, 0});
    }

    TEST_CASE("error-accumulation: one success is enough to go on") {
        PeerSession s("error-accumulation");
        const auto fail = [](PeerSession& p, int i) { p.fails("a", "{\"n\":" + std::to_string(i) + "}", "no"); };
        CHECK(s.times(4, fail).call("a", "{}").times(4, fail).steps() == Steps{0, 0});
        CHECK(s.times(5, fail).steps() == Steps{0, 5});
    }
}
