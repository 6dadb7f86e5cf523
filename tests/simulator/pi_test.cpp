#include "simulator/view.hpp"

#include <agent_audit/simulator/pi.hpp>

#include <doctest/doctest.h>

#include <string>

namespace pi = agent_audit::simulator::pi;
namespace sim = agent_audit::simulator;
using agent_audit::test::Talk;
using pi::Release;

namespace {

pi::CutPoint cut(const Talk& talk, double keep, Release release) {
    const auto entries = pi::entries_of(talk.view());
    return pi::find_cut(entries, 0, entries.size(), keep, release);
}

sim::JsValue usage(double total) {
    return sim::JsValue::object(
        {{"input", total}, {"output", 0}, {"cacheRead", 0}, {"cacheWrite", 0}, {"totalTokens", total}});
}

Talk& answer(Talk& talk, double total, const char* stop) {
    return talk.add(
        {{"role", "assistant"}, {"content", sim::JsValue::Array{}}, {"usage", usage(total)}, {"stopReason", stop}});
}

}  // namespace

TEST_SUITE("pi") {
    TEST_CASE("a huge last result makes 0.73 keep everything, later releases the call with it") {
        Talk talk;
        talk.user("q").calls("a").result("a", "1").calls("b").result("b", std::string(10'000, 'x'));
        CHECK(cut(talk, 1'000, Release::v0_73).first_kept == 0);
        CHECK(cut(talk, 1'000, Release::v0_87).first_kept == 3);
        CHECK(cut(talk, 1'000, Release::openclaw_2026_9).first_kept == 3);
        CHECK(cut(talk, 1'000, Release::v0_87).split_turn);
    }

    TEST_CASE("a cut never falls on a result") {
        Talk talk;
        talk.user("q").calls("a").result("a", std::string(400, 'x')).says("done").user(std::string(200, 'u'));
        for (double keep = 1; keep < 300; ++keep) CHECK(cut(talk, keep, Release::v0_87).first_kept != 2);
    }

    TEST_CASE("a command of the person starts a turn since 0.87") {
        Talk talk;
        talk.user("q").says(std::string(4'000, 'x'));
        talk.add({{"role", "bashExecution"}, {"command", "ls"}, {"output", std::string(4'000, 'o')}});
        CHECK(cut(talk, 500, Release::v0_73).split_turn);
        CHECK_FALSE(cut(talk, 500, Release::v0_87).split_turn);
    }

    TEST_CASE("the context is the last usable usage and an estimate of what came after") {
        Talk talk;
        answer(talk.user("q"), 1'000, "stop");
        answer(talk.user(std::string(400, 'u')), 9'999, "aborted");
        const auto context = pi::context_tokens(talk.view(), Release::v0_87);
        CHECK(context.tokens == 1'100);
        CHECK(context.last_usage == 1);
        CHECK(pi::should_compact(1'101, 1'200, {true, 100, 0}, Release::v0_87));
        CHECK_FALSE(pi::should_compact(1'100, 1'200, {true, 100, 0}, Release::v0_87));
    }

    TEST_CASE("usage of nothing counts for 0.73 alone") {
        Talk talk;
        answer(talk.user(std::string(400, 'u')), 0, "stop");
        CHECK(pi::context_tokens(talk.view(), Release::v0_73).tokens == 0);
        CHECK(pi::context_tokens(talk.view(), Release::v0_87).tokens == 100);
    }

    TEST_CASE("a second compaction starts from what the first one kept and knows its files") {
        Talk before, after;
        before.user("old").says("older");
        after.calls("a").result("a", std::string(900, 'x')).user("new").says(std::string(900, 'y'));
        pi::Entries entries = pi::entries_of(before.view());
        pi::Entry compaction;
        compaction.kind = pi::Entry::Kind::compaction;
        compaction.id = "c";
        compaction.first_kept_id = "m1";
        compaction.read_files = {"/before"};
        compaction.message = Talk().add({{"role", "compactionSummary"}, {"summary", "S"}}).view()[0];
        entries.push_back(compaction);
        for (pi::Entry& entry : pi::entries_of(after.view())) {
            entry.id += "'";
            entries.push_back(entry);
        }
        const auto prepared = pi::prepare(entries, {true, 100, 200}, Release::v0_87);
        REQUIRE(prepared);
        CHECK(prepared->previous_summary == "S");
        REQUIRE(prepared->summarize.size() == 3);  // the kept answer, the call and its result
        CHECK(prepared->summarize[0] == before.view()[1]);
        CHECK(prepared->files.read == std::vector<std::string>{"/before", "/w"});
    }

    TEST_CASE("a file that was changed is not listed as read") {
        const auto lists = pi::file_lists({{"b", "a", "c"}, {"c"}, {"d"}});
        CHECK(lists.read == std::vector<std::string>{"a", "b"});
        CHECK(lists.modified == std::vector<std::string>{"c", "d"});
    }
}
