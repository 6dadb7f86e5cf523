// The published designs that the built-in policies follow, number by number: each is in the policy, and does what it
// says.
#include "pipeline/files.hpp"
#include "policy/events.hpp"

#include <agent_audit/pipeline/policy_replay.hpp>

using namespace agent_audit;
using namespace agent_audit::test;
using policy::Action;
using policy::Decision;
using policy::ReflectionLevel;
using policy::Trigger;

namespace {

std::shared_ptr<const BoundPolicy> preset(const std::string& name) {
    PolicyChoice choice = choose_policy(name);
    REQUIRE(choice.bound);
    return choice.bound;
}

SupervisedRun run(const std::string& policy, const Events& events) {
    Replayer replayer(preset(policy));
    for (const Event& event : events.all()) (void)replayer.on_event(event);
    return replayer.finish();
}

const Decision* first(const SupervisedRun& run, Trigger trigger, Action action) {
    const auto at = std::ranges::find_if(run.decisions,
                                         [&](const Decision& d) { return d.trigger == trigger && d.action == action; });
    return at == run.decisions.end() ? nullptr : &*at;
}

std::string number(int i) { return std::to_string(i); }

/// A healthy call that is like no other.
void work(Events& events, int i) { events.call("Read", "f" + number(i) + ".ts", "text of file " + number(i)); }

}  // namespace

TEST_SUITE("presets") {
    TEST_CASE("gemini-cli: a prompt has 100 turns, and the next prompt has them again") {
        CHECK(preset("gemini-cli")->policy.limits.responses_per_prompt == 100);
        Events events;
        events.human("read everything");
        for (int i = 0; i < 99; ++i) work(events, i);
        events.human("and the rest");
        for (int i = 0; i < 100; ++i) work(events, 200 + i);
        events.says("done");
        const SupervisedRun out = run("gemini-cli", events);
        REQUIRE(out.decisions.size() == 1);
        CHECK(out.decisions[0].action == Action::stop);
        CHECK(out.decisions[0].rule == "responses-per-prompt");
        CHECK(out.decisions[0].response == 199);
        CHECK(out.failed);
    }

    TEST_CASE("gemini-cli: the fifth equal call is told, and not the fourth") {
        for (const int times : {4, 6}) {
            Events events;
            events.human("go");
            for (int i = 0; i < times; ++i) events.call("Bash", "make", "failed " + number(i));
            events.says("hm");
            CHECK(run("gemini-cli", events).decisions.empty() == (times == 4));
        }
    }

    TEST_CASE("openhands: 500 iterations end the run") {
        CHECK(preset("openhands")->policy.limits.responses == 500);
        Events events;
        events.human("go");
        for (int i = 0; i < 510; ++i) work(events, i);
        const SupervisedRun out = run("openhands", events);
        REQUIRE(out.decisions.size() == 1);
        CHECK(out.decisions[0].action == Action::stop);
        CHECK(out.decisions[0].response == 500);
    }

    TEST_CASE("openclaw: ten equal calls warn, twenty equal answers end the run") {
        const auto stuck = [](int times) {
            Events events;
            events.human("go");
            for (int i = 0; i < times; ++i) events.call("read", "notes.md", "the same text");
            events.says("hm");
            return run("openclaw", events);
        };
        CHECK(stuck(10).decisions.empty());
        const SupervisedRun warned = stuck(12);
        REQUIRE(warned.decisions.size() == 1);
        CHECK(warned.decisions[0].action == Action::notify);
        const SupervisedRun stopped = stuck(24);
        REQUIRE(stopped.decisions.size() == 2);
        CHECK(stopped.decisions[1].action == Action::stop);
    }

    TEST_CASE("reflective: the depths are 0, 0, 2, 5 and 10 KB") {
        CHECK(policy::memory_bytes(ReflectionLevel::none) == 0);
        CHECK(policy::memory_bytes(ReflectionLevel::minimal) == 0);
        CHECK(policy::memory_bytes(ReflectionLevel::standard) == 2 * 1024);
        CHECK(policy::memory_bytes(ReflectionLevel::deep) == 5 * 1024);
        CHECK(policy::memory_bytes(ReflectionLevel::critical) == 10 * 1024);
    }

    TEST_CASE("reflective: critical on a failure, standard on a spin and after five responses") {
        const policy::Reflection rules = preset("reflective")->policy.reflection;
        CHECK(rules.on_failure == ReflectionLevel::critical);
        CHECK(rules.on_pattern == ReflectionLevel::standard);
        CHECK(rules.on_iterations == ReflectionLevel::standard);
        CHECK(rules.iterations == 5);
        Events healthy;
        healthy.human("go");
        for (int i = 0; i < 6; ++i) work(healthy, i);
        const SupervisedRun after_five = run("reflective", healthy);
        REQUIRE(after_five.decisions.size() == 1);
        CHECK(after_five.decisions[0].trigger == Trigger::iterations);
        CHECK(after_five.decisions[0].response == 5);
        CHECK(after_five.decisions[0].reflection == ReflectionLevel::standard);
        Events failing;
        failing.human("go").fails("Bash", "make", "error: no rule").says("hm");
        const SupervisedRun failed = run("reflective", failing);
        REQUIRE_FALSE(failed.decisions.empty());
        CHECK(failed.decisions[0].trigger == Trigger::failure);
        CHECK(failed.decisions[0].reflection == ReflectionLevel::critical);
        Events spinning;
        spinning.human("go");
        for (int i = 0; i < 4; ++i) spinning.call("Read", "a.ts", "the same text");
        const SupervisedRun spun = run("reflective", spinning);
        REQUIRE_FALSE(spun.decisions.empty());
        CHECK(spun.decisions[0].trigger == Trigger::pattern);
        CHECK(spun.decisions[0].reflection == ReflectionLevel::standard);
    }

    TEST_CASE("reflective: a deeper reflection shows more of the past, and never more than its level has") {
        const auto prompt = [](const std::string& level) {
            const Folder folder;
            const std::string file =
                folder.write("p.toml", "version = 1\n[reflection]\nevery-turns = 1\non-interval = \"" + level + "\"\n");
            Events events;
            events.human("go");
            for (int i = 0; i < 3; ++i)
                events.call("Read", std::string(90, 'a') + number(i), std::string(90, 'b') + number(i));
            events.says("done");
            const SupervisedRun out = run(file, events);
            REQUIRE(out.decisions.size() >= 3);
            return out.decisions[2].message;
        };
        CHECK(prompt("minimal").find("Recent calls") == std::string::npos);
        CHECK(prompt("none").find("Recent calls") == std::string::npos);
        CHECK(prompt("standard").find("Recent calls") != std::string::npos);
        CHECK(prompt("critical").size() >= prompt("standard").size());
    }

    TEST_CASE("escape: three calls that come back within a minute are a loop, two or a later return are none") {
        const auto rounds = [](int length, int seconds) {
            Events events;
            events.human("go");
            int time = 1000;
            for (int i = 0; i < 2 * length; ++i, time += seconds) {
                events.at(time).call("tool" + number(i % length), "argument " + number(i), "answer " + number(i));
            }
            events.says("hm");
            return run("escape", events);
        };
        const SupervisedRun quick = rounds(3, 5);
        REQUIRE(quick.decisions.size() == 1);
        CHECK(quick.decisions[0].action == Action::explore);
        CHECK(quick.decisions[0].trigger == Trigger::peer);
        CHECK(rounds(2, 5).decisions.empty());
        CHECK(rounds(3, 13).decisions.empty());
        // The history has 100 calls: 50 that come back are the longest loop it can hold.
        CHECK(rounds(50, 0).decisions.size() == 1);
        CHECK(rounds(51, 0).decisions.empty());
    }

    TEST_CASE("escape: three retries of an error that goes away, and none of another") {
        CHECK(preset("escape")->policy.back_off.retries == 3);
        const auto tries = [](int times, std::string_view error) {
            Events events;
            events.human("fetch it");
            // Another tool in between: the breaker counts failures in a row.
            for (int i = 0; i < times; ++i) events.at(100 + i * 600).fails("Fetch", "http://x", error);
            return run("escape", events);
        };
        CHECK(first(tries(4, "HTTP 503 Service Unavailable"), Trigger::retries, Action::explore) == nullptr);
        CHECK(first(tries(5, "HTTP 503 Service Unavailable"), Trigger::retries, Action::explore) != nullptr);
        CHECK(first(tries(5, "error: no such page"), Trigger::retries, Action::explore) == nullptr);
    }

    TEST_CASE("escape: the breaker opens with the fifth failure, for 30 seconds") {
        const policy::BreakerRules rules = preset("escape")->policy.breaker;
        CHECK(rules.failures == 5);
        CHECK(rules.open_ms == 30'000);
        const auto refused = [](int failures, int wait) {
            Events events;
            events.human("fetch it");
            for (int i = 0; i < failures; ++i)
                events.at(100 + i).fails("Fetch", "page " + number(i), "error: no such page " + number(i));
            events.at(100 + failures - 1 + wait).call("Fetch", "page", "here it is");
            const SupervisedRun out = run("escape", events);
            return out.breakers.empty() ? std::uint64_t{99} : out.breakers[0].refused;
        };
        CHECK(refused(4, 1) == 99);
        CHECK(refused(5, 29) == 1);
        CHECK(refused(5, 31) == 0);
        CHECK(refused(5, 35) == 0);
        CHECK(refused(5, 30) == 0);
    }

    TEST_CASE("drift-guard: every published number is in the policy") {
        const policy::RunPolicy p = preset("drift-guard")->policy;
        CHECK(p.reflection.every_turns == 5);
        CHECK(p.checkpoint_turns == 5);
        CHECK(p.similarity.below == doctest::Approx(0.3));
        CHECK(p.similarity.window == 5);
        CHECK(p.limits.calls == 50);
        CHECK(p.limits.characters == 1'000'000);
        CHECK(p.limits.minutes == 60);
        CHECK(p.stagnation.distinct == 2);
        CHECK(p.stagnation.window == 5);
        CHECK(p.context.characters == 100'000);
        CHECK(p.context.share == doctest::Approx(0.7));
    }

    TEST_CASE("drift-guard: reflection and checkpoint every five responses") {
        Events events;
        events.human("go");
        for (int i = 0; i < 16; ++i) work(events, i);
        const SupervisedRun out = run("drift-guard", events);
        std::vector<std::uint64_t> at;
        for (const Decision& d : out.decisions) {
            CHECK(d.trigger == Trigger::interval);
            at.push_back(d.response);
        }
        CHECK(at == std::vector<std::uint64_t>{5, 10, 15});
        CHECK(out.checkpoints.size() == 3);
    }

    TEST_CASE(
        "drift-guard: fewer than 0.3 words of the goal for each action, over five responses, make the model think "
        "once") {
        const auto away = [](const std::vector<std::string>& commands) {
            Events events;
            events.human("Translate the brochure about lighthouses into Portuguese");
            for (const std::string& command : commands) events.call("Bash", command, "answer to " + command);
            events.says("hm");
            const SupervisedRun out = run("drift-guard", events);
            std::vector<std::uint64_t> at;
            for (const Decision& d : out.decisions) {
                if (d.trigger != Trigger::similarity) continue;
                CHECK(d.action == Action::reflect);
                at.push_back(d.response);
            }
            return at;
        };
        const std::string near = "translate lighthouses brochure", far1 = "benchmark quicksort",
                          far2 = "profile mergesort", far3 = "measure heapsort", far4 = "compile shellsort",
                          far5 = "inspect bubblesort";
        // Two of ten actions with a word of the goal are 0.2 a turn; two in five are 0.4.
        CHECK(away({far1, far2, far3, far4, far5, far1 + " again", far2 + " again"}) == std::vector<std::uint64_t>{5});
        CHECK(away({far1, far2, far3, far4}).empty());
        CHECK(away({near, far1, far2, far3, far4}).empty());
        CHECK(away({near, far1, far2, far3, far4, far5}) == std::vector<std::uint64_t>{6});
        // Back at the goal and away again: told again.
        CHECK(away({far1, far2, far3, far4, far5, near, far1 + " x", far2 + " x", far3 + " x", far4 + " x",
                    far5 + " x"}) == std::vector<std::uint64_t>{5, 11});
    }

    TEST_CASE("drift-guard: words of the goal count anew when a human speaks") {
        Events events;
        events.human("Translate the brochure about lighthouses into Portuguese");
        for (int i = 0; i < 3; ++i) events.call("Bash", "benchmark quicksort" + number(i), "ok " + number(i));
        events.human("please benchmark the sorting, too");
        for (int i = 0; i < 4; ++i) events.call("Bash", "benchmark quicksort" + number(i + 10), "ok " + number(i + 10));
        events.says("hm");
        CHECK(first(run("drift-guard", events), Trigger::similarity, Action::reflect) == nullptr);
    }

    TEST_CASE("drift-guard: 50 calls, a million characters or an hour end the run") {
        Events calls;
        calls.human("go");
        for (int i = 0; i < 60; ++i) work(calls, i);
        const SupervisedRun many = run("drift-guard", calls);
        const Decision* stop = first(many, Trigger::limit, Action::stop);
        REQUIRE(stop);
        CHECK(stop->rule == "calls");
        CHECK(stop->step == 50);

        Events characters;
        characters.human("go");
        for (int i = 0; i < 12; ++i) characters.call("Read", "f" + number(i), number(i) + std::string(99'000, 'x'));
        const SupervisedRun bytes = run("drift-guard", characters);
        stop = first(bytes, Trigger::limit, Action::stop);
        REQUIRE(stop);
        CHECK(stop->rule == "characters");
        CHECK(stop->response == 11);

        for (const int seconds : {290, 320}) {
            Events time;
            time.at(0).human("go");
            for (int i = 1; i <= 12; ++i) {
                time.at(i * seconds);
                work(time, i);
            }
            time.says("done");
            const SupervisedRun out = run("drift-guard", time);
            stop = first(out, Trigger::limit, Action::stop);
            CHECK((stop != nullptr) == (seconds == 320));
            if (stop) CHECK(stop->rule == "minutes");
        }
    }

    TEST_CASE("drift-guard: fewer than two different of the last five calls begin a fresh context") {
        const auto resets = [](int different) {
            Events events;
            events.human("go");
            for (int i = 0; i < 5; ++i) events.call("Bash", "make " + number(i % different), "out " + number(i));
            events.says("hm");
            return first(run("drift-guard", events), Trigger::stagnation, Action::reset_context) != nullptr;
        };
        CHECK(resets(1));
        CHECK_FALSE(resets(2));
    }

    TEST_CASE("drift-guard: more than 100,000 characters begin a fresh context, and count anew") {
        const auto resets = [](std::size_t characters) {
            Events events;
            events.human("go");
            for (int i = 0; i < 4; ++i) events.call("Read", "f", number(i) + std::string(characters - 1, 'x'));
            events.says("done");
            const SupervisedRun out = run("drift-guard", events);
            return std::ranges::count(out.decisions, Trigger::context, &Decision::trigger);
        };
        CHECK(resets(24'990) == 0);
        CHECK(resets(25'010) == 1);
        CHECK(resets(50'010) == 2);
    }
}
