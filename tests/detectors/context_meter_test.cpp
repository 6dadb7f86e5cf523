#include "support/session.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <string>

using namespace agent_audit;
using agent_audit::test::Session;

namespace {

RequestFigures prompt(std::uint64_t tokens, std::uint64_t cached = 0) {
    RequestFigures f;
    f.tokens.cache_read = cached;
    f.tokens.cache_write = tokens - cached;
    f.context = tokens;
    f.window = 200'000;
    f.model = 1;
    f.cache_ttl_s = 300;
    return f;
}

std::string text(std::size_t bytes, char c = 'x') { return std::string(bytes, c); }

std::uint64_t part(const LaneContext& lane, ContextPart which) { return lane.parts[static_cast<std::size_t>(which)]; }
std::uint64_t missed(const LaneContext& lane, CacheMiss why) { return lane.misses[static_cast<std::size_t>(why)]; }

const LaneContext& only(Session& s) {
    s.end();
    REQUIRE(s.contexts().size() == 1);
    return s.contexts().front();
}

// Two requests with the same prefix, and something in between.
template <class F>
LaneContext between(RequestFigures second, F&& what) {
    Session s("budget/limits");
    s.at(0).human("go").respond().request(prompt(50'000));
    what(s);
    s.respond().request(second);
    return only(s);
}

}  // namespace

TEST_SUITE("context meter") {
    TEST_CASE("a session without recorded requests has no context") {
        Session s("budget/limits");
        s.human("go").call("Read", "a", text(9000));
        s.end();
        CHECK(s.contexts().empty());
    }

    TEST_CASE("the parts of the fullest prompt add up to it") {
        Session s("budget/limits");
        s.human(text(400)).says("reading").request(prompt(10'000));
        s.call("Read", "a.cpp", text(40'000)).says("next").request(prompt(20'000));
        s.call("Bash", "make", text(8000)).says("done").request(prompt(22'000));
        const LaneContext& lane = only(s);
        CHECK(lane.peak == 22'000);
        CHECK(std::accumulate(lane.parts.begin(), lane.parts.end(), std::uint64_t{0}) == 22'000);
        CHECK(part(lane, ContextPart::results) > 10'000);
        CHECK(part(lane, ContextPart::system) > 9000);
        CHECK(part(lane, ContextPart::carried) == 0);
    }

    TEST_CASE("an answer is no part of the prompt that it answers, and part of the next") {
        Session s("budget/limits");
        s.human(text(400)).says(text(9000, 'y')).request(prompt(110));
        const LaneContext& one = only(s);
        CHECK(part(one, ContextPart::assistant) == 0);
        CHECK(part(one, ContextPart::user) > 90);
        Session t("budget/limits");
        t.human(text(400)).says(text(9000, 'y')).request(prompt(110));
        t.human(text(400)).says(text(9000, 'z')).request(prompt(2600));
        const LaneContext& two = only(t);
        CHECK(part(two, ContextPart::assistant) > 2000);
        CHECK(part(two, ContextPart::assistant) < 2500);
    }

    TEST_CASE("what came behind the fullest prompt fills none of it") {
        Session s("budget/limits");
        s.human(text(400)).respond().request(prompt(110));
        s.call("Read", "a.cpp", text(9000)).says("done");
        const LaneContext& lane = only(s);
        CHECK(part(lane, ContextPart::results) == 0);
        CHECK(lane.tools.empty());
    }

    TEST_CASE("results are told by tool and by file, most first") {
        Session s("budget/limits");
        s.human("go").respond().request(prompt(10'000));
        s.call("Bash", "make", text(4000)).call("Read", "big.cpp", text(30'000)).call("Read", "small.cpp", text(6000));
        s.respond().request(prompt(20'000));
        const LaneContext& lane = only(s);
        REQUIRE(lane.tools.size() == 2);
        CHECK(lane.tools[0].name == "Read");
        CHECK(lane.tools[0].results == 2);
        REQUIRE(lane.files.size() == 2);
        CHECK(lane.files[0].name == "big.cpp");
        CHECK(lane.files[0].tokens > 4 * lane.files[1].tokens);
    }

    TEST_CASE("what the fullest prompt held is told though the window was emptied afterwards") {
        Session s("budget/limits");
        s.human("go").respond().request(prompt(10'000));
        s.call("Read", "big.cpp", text(30'000)).respond().request(prompt(20'000));
        s.compaction().call("Bash", "make", text(3000)).respond().request(prompt(12'000));
        const LaneContext& lane = only(s);
        REQUIRE(lane.files.size() == 1);
        CHECK(lane.files[0].name == "big.cpp");
        CHECK(lane.compactions == 1);
        CHECK(lane.freed == 8000);
    }

    TEST_CASE("a compaction of history that a fork took over empties the window and counts where it was made") {
        Session s("budget/limits");
        s.human("go").flagged(kCopied).call("Bash", "make", text(80'000)).compaction().flagged(0);
        s.call("Bash", "make", text(3000)).respond().request(prompt(12'000));
        const LaneContext& lane = only(s);
        CHECK(lane.compactions == 0);
        CHECK(s.counts().compactions == 0);
        CHECK(part(lane, ContextPart::results) < 4000);
    }

    TEST_CASE("a compaction that says what it freed is believed") {
        Session s("budget/limits");
        s.human("go").respond().request(prompt(50'000));
        Compaction compaction;
        compaction.tokens_before = 51'000;
        compaction.tokens_after = 11'000;
        s.emit(compaction).respond().request(prompt(12'000));
        CHECK(only(s).freed == 40'000);
    }

    TEST_CASE("after a compaction the fullest prompt names what was kept") {
        Session s("budget/limits");
        s.human("go").respond().request(prompt(10'000));
        s.call("Read", "a", text(20'000)).respond().request(prompt(15'000));
        s.compaction().respond().request(prompt(13'000));
        s.call("Read", "b", text(40'000)).respond().request(prompt(25'000));
        const LaneContext& lane = only(s);
        CHECK(lane.peak == 25'000);
        CHECK(part(lane, ContextPart::carried) > 2000);
        CHECK(part(lane, ContextPart::carried) < 4000);
    }

    // A recording that goes on from another one: the first prompt is nearly all unseen, the ones behind the compaction
    // are not.
    TEST_CASE("what nobody recorded is never more than the shortest prompt") {
        Session s("budget/limits");
        s.human("go").respond().request(prompt(140'000));
        s.call("Bash", "make", text(8000)).respond().request(prompt(143'000));
        Compaction compaction;
        compaction.keep = Keep::none;
        s.emit(compaction).respond().request(prompt(50'000));
        for (int i = 0; i < 8; ++i)
            s.call("Bash", "look " + std::to_string(i), text(50'000))
                .respond()
                .request(prompt(50'000 + (i + 1ul) * 13'000));
        const LaneContext& lane = only(s);
        CHECK(lane.peak == 154'000);
        CHECK(part(lane, ContextPart::system) <= 50'000);
        CHECK(part(lane, ContextPart::results) > 100'000);
    }

    TEST_CASE("a file that shrinks bit by bit does not keep more unseen than it sends") {
        Session s("budget/limits");
        s.human("go")
            .respond()
            .request(prompt(40'000))
            .respond()
            .request(prompt(32'000))
            .respond()
            .request(prompt(25'000));
        for (int i = 0; i < 4; ++i)
            s.call("Bash", "look " + std::to_string(i), text(20'000))
                .respond()
                .request(prompt(25'000 + (i + 1ul) * 6000));
        const LaneContext& lane = only(s);
        CHECK(lane.peak == 49'000);
        CHECK(part(lane, ContextPart::results) > 22'000);
    }

    TEST_CASE("a compaction that keeps messages is told before the last request of the old window") {
        Session s("budget/limits");
        s.human("go").respond().request(prompt(10'000));
        for (int i = 0; i < 5; ++i)
            s.call("Bash", "look " + std::to_string(i), text(20'000))
                .respond()
                .request(prompt(15'000 + 5000 * static_cast<std::uint64_t>(i)));
        Compaction compaction;
        compaction.keep = Keep::from_record;
        s.emit(compaction).respond().request(prompt(36'000, 35'000));
        s.call("Bash", "look again", text(4000)).respond().request(prompt(12'000));
        const LaneContext& lane = only(s);
        CHECK(lane.peak == 36'000);
        CHECK(part(lane, ContextPart::carried) == 0);
        CHECK(part(lane, ContextPart::results) > 20'000);
        CHECK(lane.freed == 24'000);
        CHECK(missed(lane, CacheMiss::compaction) == 1);
    }

    TEST_CASE("of a compacted window what came since the compaction is not forgotten with the rest") {
        Session s("budget/limits");
        s.human("go").respond().request(prompt(10'000));
        s.call("Read", "old.cpp", text(80'000)).respond().request(prompt(32'000));
        s.compaction().respond().request(prompt(32'500));
        s.call("Read", "new.cpp", text(40'000)).respond().request(prompt(22'000));
        for (int i = 0; i < 4; ++i)
            s.call("Bash", "look " + std::to_string(i), text(20'000))
                .respond()
                .request(prompt(22'000 + (i + 1ul) * 6000));
        const LaneContext& lane = only(s);
        CHECK(lane.peak == 46'000);
        REQUIRE(lane.files.size() == 1);
        CHECK(lane.files[0].name == "new.cpp");
        CHECK(lane.files[0].tokens > 6000);
        CHECK(lane.tools.size() == 2);
    }

    TEST_CASE("a prompt that shrank without a compaction is said to have") {
        for (const bool compacts : {false, true}) {
            CAPTURE(compacts);
            Session s("budget/limits");
            s.human("go").respond().request(prompt(10'000));
            s.call("Bash", "make", text(80'000)).respond().request(prompt(32'000));
            if (compacts) s.compaction();
            s.respond().request(prompt(20'000));
            s.call("Bash", "make more", text(80'000)).respond().request(prompt(42'000));
            const LaneContext& lane = only(s);
            CHECK(part(lane, ContextPart::carried) > 5000);
            CHECK(lane.shrank_untold == !compacts);
        }
    }

    TEST_CASE("a history that was thrown away leaves nothing and is no compaction") {
        Session s("budget/limits");
        s.human("go").respond().request(prompt(10'000));
        Compaction reset;
        reset.kind = CompactionKind::reset;
        reset.keep = Keep::none;
        s.emit(reset).human("again").respond().request(prompt(14'000));
        const LaneContext& lane = only(s);
        CHECK(lane.peak == 14'000);
        CHECK(part(lane, ContextPart::carried) == 0);
        CHECK(part(lane, ContextPart::system) > 13'000);
        CHECK(lane.compactions == 0);
    }

    TEST_CASE("files are told apart by all of their path, and named by its end") {
        const std::string root = "/home/noor/worktrees/" + std::string(120, 'w') + "/mill";
        Session s("budget/limits");
        s.human("go").respond().request(prompt(10'000));
        s.call("Read", root + "/src/stone.cpp", text(20'000)).call("Read", root + "/src/sack.cpp", text(10'000, 'y'));
        s.call("Read", root + "/src/stone.cpp", text(20'000, 'z')).respond().request(prompt(25'000));
        const LaneContext& lane = only(s);
        REQUIRE(lane.files.size() == 2);
        CHECK(lane.files[0].name == "\u2026/mill/src/stone.cpp");
        CHECK(lane.files[0].results == 2);
        CHECK(lane.files[1].name == "\u2026/mill/src/sack.cpp");
    }

    TEST_CASE("hidden and partial texts take no room") {
        Session s("budget/limits");
        s.human("go").respond().request(prompt(10'000));
        s.flagged(kHidden).injected(text(50'000)).flagged(kPartial).says(text(50'000)).flagged(0);
        s.call("Read", "a", text(4000)).respond().request(prompt(11'000));
        const LaneContext& lane = only(s);
        CHECK(part(lane, ContextPart::user) < 100);
        CHECK(part(lane, ContextPart::assistant) < 100);
        CHECK(part(lane, ContextPart::results) > 900);
    }

    TEST_CASE("the course has a bounded number of points, keeps the peak and ends with the last request") {
        Session s("budget/limits");
        s.human("go");
        for (std::uint64_t i = 1; i <= 5000; ++i) s.respond().request(prompt(i == 1234 ? 90'000 : 10'000 + i));
        const LaneContext& lane = only(s);
        CHECK(lane.course.size() <= LaneContext::kPoints);
        CHECK(lane.course.size() >= LaneContext::kPoints / 2);
        CHECK(lane.course.back() == 15'000);
        CHECK(std::ranges::max(lane.course) == 90'000);
    }

    TEST_CASE("the same content is counted as read again only while the window holds it") {
        Session s("budget/limits");
        s.human("go").respond().request(prompt(10'000));
        s.call("Read", "a", text(8000)).call("Read", "a", text(8000)).call("Read", "a", text(8000, 'y'));
        s.compaction().call("Read", "a", text(8000, 'y')).respond().request(prompt(12'000));
        CHECK(only(s).rereads == 1);
    }

    TEST_CASE("nothing is called unused before forty requests have gone by in the window") {
        for (const int requests : {40, 41}) {
            CAPTURE(requests);
            Session s("context/bloat");
            s.human("go").call("Read", "a", text(1000));
            for (int i = 0; i < requests; ++i) s.respond().request(prompt(150'000));
            CHECK(s.end().size() == (requests > 40 ? 1 : 0));
        }
    }

    TEST_CASE("lanes are told apart") {
        Session s("budget/limits");
        s.human("go").respond().request(prompt(10'000));
        s.in_lane(7).respond().request(prompt(3000)).in_lane(0).respond().request(prompt(11'000));
        s.end();
        REQUIRE(s.contexts().size() == 2);
        CHECK(s.contexts()[0].requests == 2);
        CHECK(s.contexts()[1].lane == 7);
        CHECK(s.contexts()[1].peak == 3000);
    }

    TEST_CASE("a lane that was given up and came back is one conversation") {
        Session s("budget/limits");
        for (std::uint32_t round = 0; round < 2; ++round) {
            for (std::uint32_t lane = 0; lane < 30; ++lane) {  // more than the engine keeps alive
                s.in_lane(lane).respond().request(prompt(10'000 + 1000 * round));
            }
        }
        s.end();
        REQUIRE(s.contexts().size() == 30);
        for (const LaneContext& lane : s.contexts()) {
            CHECK(lane.requests == 2);
            CHECK(lane.first == 10'000);
            CHECK(lane.last == 11'000);
            CHECK(lane.peak == 11'000);
            CHECK(lane.course.back() == 11'000);
        }
    }

    TEST_CASE("a request that reads what was cached is no miss") {
        const LaneContext lane = between(prompt(51'000, 50'000), [](Session& s) { s.at(3000); });
        CHECK(missed(lane, CacheMiss::pause) + missed(lane, CacheMiss::unknown) == 0);
    }

    TEST_CASE("where nothing tells why prompts were sent anew, nobody is told to change what may not be at fault") {
        Session s("context/cache-miss");
        s.at(0).human("go");
        for (int i = 0; i < 15; ++i) s.at(20 * i).respond().request(prompt(50'000));
        const auto& findings = s.end();
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].message.find("unknown 14 ") != std::string::npos);
        CHECK(findings[0].action.find("not in the recording") != std::string::npos);
    }

    TEST_CASE("a miss has its reason") {
        CHECK(missed(between(prompt(51'000), [](Session& s) { s.at(400); }), CacheMiss::pause) == 1);
        CHECK(missed(between(prompt(51'000), [](Session& s) { s.at(20); }), CacheMiss::unknown) == 1);
        CHECK(missed(between(prompt(51'000), [](Session& s) { s.at(20).emit(Rewind{}); }), CacheMiss::edit) == 1);
        CHECK(missed(between(prompt(51'000), [](Session& s) { s.at(400).emit(Rewind{}); }), CacheMiss::pause) == 1);
        CHECK(missed(between(prompt(51'000, 30'000), [](Session& s) { s.at(400).emit(Rewind{}); }), CacheMiss::edit) ==
              1);
        CHECK(missed(between(prompt(51'000, 12'000), [](Session& s) { s.at(20); }), CacheMiss::history) == 1);
        CHECK(missed(between(prompt(31'000), [](Session& s) { s.at(400).compaction(); }), CacheMiss::compaction) == 1);
        CHECK(missed(between(prompt(20'000), [](Session& s) { s.at(20); }), CacheMiss::edit) == 1);
        RequestFigures other = prompt(51'000);
        other.model = 2;
        CHECK(missed(between(other, [](Session& s) { s.at(20); }), CacheMiss::model) == 1);
    }

    TEST_CASE("only what could have been read was missed") {
        const LaneContext lane = between(prompt(80'000, 10'000), [](Session& s) { s.at(20); });
        CHECK(lane.missed_tokens[static_cast<std::size_t>(CacheMiss::history)] == 40'000);
        CHECK(lane.cache_read == 10'000);
        CHECK(lane.prompt == 130'000);
    }

    TEST_CASE("what was missed is told in dollars where prices are known, and one request is one") {
        for (const bool priced : {false, true}) {
            CAPTURE(priced);
            Session s("context/cache-miss", {{"tokens", "1000"}, {"share", "0"}});
            RequestFigures figures = prompt(50'000);
            if (priced) {
                figures.resend_price = 3'450'000;  // $3.45 a million
                figures.session_cost = Money(600'000'000'000);
            }
            s.at(0).human("go").respond().request(figures).at(20).respond().request(figures);
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            CHECK(found[0].message.starts_with(
                "1 request sent 50.0 k tokens again that were in the prompt cache before"));
            CHECK((found[0].message.find(
                       ", which cost $0.17 more than reading them, 29 % of the session's cost: unknown 1") !=
                   std::string::npos) == priced);
        }
    }

    TEST_CASE("a provider without a cache misses nothing") {
        RequestFigures plain = prompt(50'000);
        plain.tokens = {.input = 50'000};
        Session s("budget/limits");
        s.respond().request(plain).respond().request(plain);
        const LaneContext& lane = only(s);
        CHECK(std::accumulate(lane.misses.begin(), lane.misses.end(), std::uint64_t{0}) == 0);
    }

    TEST_CASE("a thousand files do not take more memory than a few") {
        Session s("budget/limits");
        s.human("go").respond().request(prompt(10'000));
        for (int i = 0; i < 1000; ++i)
            s.call("Read", "file" + std::to_string(i), text(2000 + static_cast<std::size_t>(i)));
        s.respond().request(prompt(150'000));
        CHECK(only(s).files.size() == LaneContext::kUsers);
    }
}
