#include "support/report_builder.hpp"

#include <agent_audit/model/session_list.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

using namespace agent_audit;

namespace {

constexpr std::uint64_t kHighest = std::numeric_limits<std::uint64_t>::max();

SessionReport packed_and_unpacked(const SessionReport& session) { return PackedSession(session).unpack(); }

}  // namespace

TEST_SUITE("list of sessions") {
    TEST_CASE("numbers of every length, times before 1970 and unknown ones, texts with any byte come back") {
        for (const std::uint64_t n :
             {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{127}, std::uint64_t{128}, std::uint64_t{16'383},
              std::uint64_t{16'384}, std::uint64_t{1} << 63, kHighest - 1, kHighest}) {
            SessionReport session;
            session.first_line = n;
            session.tokens.total.cache_read = n;
            session.tokens.cost.known = Money(n);
            session.context.lanes.resize(2);
            session.context.lanes[1].missed_tokens.back() = n;
            session.activity.more = n;
            const SessionReport again = packed_and_unpacked(session);
            CHECK(again.first_line == n);
            CHECK(again.tokens.total.cache_read == n);
            CHECK(again.tokens.cost.known == Money(n));
            CHECK(again.context.lanes.size() == 2);
            CHECK(again.context.lanes[1].missed_tokens.back() == n);
            CHECK(again.activity.more == n);
        }
        for (const std::int64_t time : {kNoTime, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1'770'000'000'123},
                                        std::numeric_limits<std::int64_t>::max()}) {
            SessionReport session;
            session.last_time_ms = time;
            CHECK(packed_and_unpacked(session).last_time_ms == time);
            CHECK(packed_and_unpacked(session).first_time_ms == kNoTime);
        }
        for (const std::string& text :
             {std::string(), std::string(1, '\0'), std::string("\xff\x80 a"), std::string(100'000, 'x')}) {
            SessionReport session;
            session.label = text;
            session.goal.paths = {text, "b", text};
            CHECK(packed_and_unpacked(session).label == text);
            CHECK(packed_and_unpacked(session).goal.paths == session.goal.paths);
        }
    }

    TEST_CASE("what is there and what is not are told apart, and fractions keep every bit") {
        SessionReport session;
        session.tokens.cost_microusd = 0;
        session.resets.resize(2);
        session.resets[1].saved_money = Money(5);
        session.resets[1].confidence = 0.1;
        session.peers = {{"goose", {}, PeerReaction{"same call", 7, 8, 9, 1}, PeerVerdict::false_alarm}};
        session.drift.points = {drift_point(1, 2, 1.0 / 3)};
        const SessionReport again = packed_and_unpacked(session);
        REQUIRE(again.tokens.cost_microusd.has_value());
        CHECK(*again.tokens.cost_microusd == 0);
        CHECK_FALSE(again.resets[0].saved_money.has_value());
        CHECK(again.resets[1].saved_money == Money(5));
        CHECK(again.resets[1].confidence == 0.1);
        CHECK_FALSE(again.peers[0].warned.has_value());
        REQUIRE(again.peers[0].stopped.has_value());
        CHECK(again.peers[0].stopped->lane == 1);
        CHECK(again.peers[0].verdict == PeerVerdict::false_alarm);
        CHECK(again.drift.points[0].score == 1.0 / 3);
    }

    TEST_CASE("a whole session packs as it did before, and the names of rules stay where they are") {
        const Report report = test::full_report();
        REQUIRE(report.sessions.size() > 0);
        const SessionReport session = report.sessions.front();
        CHECK(PackedSession(packed_and_unpacked(session)) == PackedSession(session));
        CHECK(session.skipped_rules.front().rule == "budget/limits");
        CHECK(packed_and_unpacked(session).skipped_rules == session.skipped_rules);
        SessionReport other = session;
        other.similarity.front().drop.weight += 1;  // the last field of the last part but three
        CHECK_FALSE(PackedSession(other) == PackedSession(session));
    }

    TEST_CASE("what a run sums up can be had alone, and tokens that are known later are put behind the rest") {
        const SessionReport session = test::full_report().sessions.front();
        PackedSession packed = PackedSession::before_billing(session);
        CHECK(packed.unpack().tokens.requests == 0);
        CHECK(packed.unpack().goal.text == session.goal.text);
        packed.bill(PackedTotals(session.tokens));
        CHECK(packed == PackedSession(session));
        CHECK(packed.unpack().tokens.requests == session.tokens.requests);
        CHECK(packed.id() == session.id);
        const SessionSummary summary = packed.summary();
        CHECK(summary.id == session.id);
        CHECK(summary.input == session.input);
        CHECK(summary.counts.calls == session.counts.calls);
        CHECK(summary.counts.lanes == session.counts.lanes);
        REQUIRE(summary.tools.size() == session.tools.size());
        CHECK(summary.tools.back().tool == session.tools.back().tool);
        CHECK(summary.skipped_rules == session.skipped_rules);
        CHECK(summary.peers.size() == session.peers.size());
    }

    TEST_CASE("a list hands out values, counts the sessions of an input and keeps what was changed") {
        SessionList list;
        for (const std::uint32_t input : {0U, 0U, 2U, 300U}) {
            SessionReport session;
            session.input = input;
            session.id = "s" + std::to_string(list.size());
            list.push_back(session);
        }
        CHECK(list.of_input(0) == 2);
        CHECK(list.of_input(1) == 0);
        CHECK(list.of_input(300) == 1);
        CHECK(list.input(3) == 300);
        list.change(2, [](SessionReport& session) { session.id = "changed"; });
        std::string ids;
        for (const SessionReport& session : list) ids += session.id + " ";
        CHECK(ids == "s0 s1 changed s3 ");
        CHECK(std::ranges::count_if(list, [](const SessionReport& session) { return session.input > 0; }) == 2);
        SessionList more;
        more.append(std::move(list));
        CHECK(more.size() == 4);
        CHECK(more.back().id == "s3");
    }
}
