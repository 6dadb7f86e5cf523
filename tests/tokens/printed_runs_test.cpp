#include <agent_audit/tokens/ledger.hpp>
#include <agent_audit/tokens/prices.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>
#include <vector>

using namespace agent_audit;

namespace {

constexpr std::uint64_t kSession = 0x5e55;

/// What one recording of a session tells of its requests.
class Recording {
public:
    explicit Recording(bool printed, std::uint64_t key = kSession) : printed_(printed), key_(key) {}

    Recording& request(std::uint64_t id, TokenCounts tokens) { return usage(UsageMode::replace, id, tokens); }
    /// The recording knows which request the response answered, too.
    Recording& sent_as(std::uint64_t request) {
        request_ = request;
        return *this;
    }
    Recording& without_id(TokenCounts tokens) { return usage(UsageMode::add, 0, tokens); }
    /// What the next requests cost each, as the recording itself says.
    Recording& at(std::uint64_t microusd) {
        cost_ = microusd;
        return *this;
    }
    Recording& running(TokenCounts tokens) { return usage(UsageMode::cumulative, 0, tokens); }
    SessionUsage end() {
        SessionUsage usage = ledger_.finish();
        usage.printed = printed_;
        usage.session_key = key_;
        return usage;
    }

private:
    Recording& usage(UsageMode mode, std::uint64_t id, TokenCounts tokens) {
        Usage u;
        u.mode = mode;
        u.scope = mode == UsageMode::cumulative ? UsageScope::session : UsageScope::request;
        u.tokens = tokens;
        u.model = {"m", TextForm::plain};
        u.message_key = id;
        u.request_key = request_;
        if (cost_ > 0) u.cost_microusd = cost_;
        EventHeader head;
        head.seq = ++told_;
        ledger_.on_event({head, u});
        return *this;
    }

    TokenLedger ledger_;
    bool printed_;
    std::uint64_t key_, told_ = 0, cost_ = 0, request_ = 0;
};

struct Merged {
    TokenLedgerTotals run;
    std::vector<TokenLedgerTotals> sessions;
    std::uint64_t copies = 0;
};

Merged merged(const std::vector<SessionUsage>& sessions, const ModelTable* models = nullptr) {
    UsageMerger merger(models);
    for (const SessionUsage& session : sessions) merger.add(session);
    Merged out;
    for (const PackedTotals& bill : merger.finish()) {
        out.sessions.push_back(bill.unpack());
        add_totals(out.run, out.sessions.back());
    }
    out.copies = merger.printed_copies();
    return out;
}

// In the order given, and in the other.
template <class Check>
void either_way(std::vector<SessionUsage> sessions, const Check& check) {
    check(merged(sessions));
    std::ranges::reverse(sessions);
    check(merged(sessions));
}

}  // namespace

TEST_SUITE("runs that were printed") {
    TEST_CASE("of a session that is stored and printed the stored requests count, in either order") {
        const auto stored = Recording(false).request(1, {100, 0, 0, 20, 0}).request(2, {10, 0, 100, 30, 0}).end();
        // What the requests wrote is told in the end only, and given to the last of them.
        const auto printed = Recording(true).request(1, {100, 0, 0, 1, 0}).request(2, {10, 0, 100, 49, 0}).end();
        either_way({stored, printed}, [](const Merged& m) {
            CHECK(m.run.total == TokenCounts{110, 0, 100, 50, 0});
            CHECK(m.run.requests == 2);
            CHECK(m.copies == 1);
        });
        CHECK(merged({printed}).run.total == TokenCounts{110, 0, 100, 50, 0});
        CHECK(merged({printed}).copies == 0);
    }

    TEST_CASE("where less was stored than the runs printed in all, the rest is not lost") {
        const auto stored = Recording(false).request(1, {100, 0, 0, 1, 0}).request(2, {10, 0, 100, 2, 0}).end();
        const auto printed = Recording(true).request(1, {100, 0, 0, 1, 0}).request(2, {10, 0, 100, 49, 0}).end();
        either_way({stored, printed}, [](const Merged& m) {
            CHECK(m.run.total == TokenCounts{110, 0, 100, 50, 0});
            CHECK(m.run.requests == 2);
        });
    }

    TEST_CASE("the rest costs what was put out besides") {
        const auto entries = parse_price_file(R"({"models":{"m":{"input":2,"output":10}}})", "prices");
        REQUIRE(entries.has_value());
        ModelTable models;
        models.overlay(*entries);
        const auto stored = Recording(false).request(1, {1'000'000, 0, 0, 1, 0}).end();
        const auto printed = Recording(true).request(1, {1'000'000, 0, 0, 1'000'000, 0}).end();
        const Merged m = merged({stored, printed}, &models);
        CHECK(m.run.cost.micro_dollars() == 12'000'000);
        CHECK(m.run.cost.unpriced_requests == 0);
    }

    TEST_CASE("ids of requests that are stored and not printed keep nothing apart") {
        const auto stored = Recording(false).sent_as(5).request(1, {100, 0, 0, 1, 0}).end();
        const auto printed = Recording(true).request(1, {100, 0, 0, 1, 0}).request(9, {0, 0, 0, 69, 0}).end();
        either_way({stored, printed}, [](const Merged& m) { CHECK(m.run.total == TokenCounts{100, 0, 0, 70, 0}); });
        const auto other = Recording(false).request(1, {100, 0, 0, 1, 0}).end();
        either_way({stored, other}, [](const Merged& m) { CHECK(m.run.requests == 2); });
    }

    TEST_CASE("requests that were stored and not printed are no rest") {
        const auto stored = Recording(false).request(1, {100, 0, 0, 20, 0}).end();
        const auto helper = Recording(false).request(2, {70, 0, 0, 7, 0}).request(3, {80, 0, 0, 8, 0}).end();
        const auto printed = Recording(true).request(1, {100, 0, 0, 1, 0}).request(2, {150, 0, 0, 34, 0}).end();
        either_way({stored, helper, printed}, [](const Merged& m) {
            CHECK(m.run.total == TokenCounts{250, 0, 0, 35, 0});
        });
    }

    TEST_CASE("a run of which nothing was stored counts beside those whose requests were") {
        const auto stored = Recording(false).request(1, {100, 0, 0, 20, 0}).end();
        const auto printed = Recording(true).request(1, {100, 0, 0, 20, 0}).end();
        const auto compaction = Recording(true).request(9, {500, 0, 0, 30, 0}).end();
        either_way({stored, printed, compaction}, [](const Merged& m) {
            CHECK(m.run.total == TokenCounts{600, 0, 0, 50, 0});
            CHECK(m.run.requests == 2);
        });
    }

    TEST_CASE("where the two have no ids in common, the id of the session tells that they are one") {
        const auto stored = Recording(false).request(1, {100, 0, 0, 20, 0}).request(2, {110, 0, 0, 30, 0}).end();
        const auto printed = Recording(true).running({210, 0, 0, 50, 0}).end();
        either_way({stored, printed}, [](const Merged& m) {
            CHECK(m.run.total == TokenCounts{210, 0, 0, 50, 0});
            CHECK(m.run.requests == 2);
            CHECK(m.run.copied_requests == 1);
            CHECK(m.copies == 1);
        });
        const auto other = Recording(true, 0xabc).running({210, 0, 0, 50, 0}).end();
        either_way({stored, other}, [](const Merged& m) {
            CHECK(m.run.total == TokenCounts{420, 0, 0, 100, 0});
            CHECK(m.copies == 0);
        });
        const auto nameless = Recording(true, 0).running({210, 0, 0, 50, 0}).end();
        CHECK(merged({Recording(false, 0).request(1, {1, 0, 0, 1, 0}).end(), nameless}).run.requests == 2);
    }

    TEST_CASE("a stored session without figures takes none from the printed one") {
        const auto printed = Recording(true).running({210, 0, 0, 50, 0}).end();
        either_way({Recording(false).end(), printed}, [](const Merged& m) {
            CHECK(m.run.total == TokenCounts{210, 0, 0, 50, 0});
        });
    }

    TEST_CASE("requests without an id are copies where those with one are") {
        const auto stored = Recording(false, 1).request(1, {100, 0, 0, 20, 0}).request(2, {110, 0, 0, 30, 0}).end();
        const auto printed = Recording(true, 2).request(1, {100, 0, 0, 20, 0}).without_id({110, 0, 0, 30, 0}).end();
        either_way({stored, printed}, [](const Merged& m) {
            CHECK(m.run.total == TokenCounts{210, 0, 0, 50, 0});
            CHECK(m.run.requests == 2);
            CHECK(m.copies == 1);
        });
        CHECK(merged({printed}).run.requests == 2);
    }

    TEST_CASE("what both recordings say that it cost was paid once") {
        const TokenCounts first{100, 0, 0, 20, 0}, last{110, 0, 0, 30, 0};
        const auto stored = Recording(false, 1).at(10).request(1, first).at(20).request(2, last).end();
        const auto sharing = Recording(true, 2).at(10).request(1, first).at(20).without_id(last).end();
        const auto by_name = Recording(true, 1).at(10).without_id(first).at(20).without_id(last).end();
        for (const auto& printed : {sharing, by_name}) {
            either_way({stored, printed}, [](const Merged& m) {
                CHECK(m.run.total == TokenCounts{210, 0, 0, 50, 0});
                CHECK(m.run.cost_microusd == 30);
            });
        }
        // Nobody else says it.
        const auto without_cost = Recording(false, 1).request(1, first).request(2, last).end();
        either_way({without_cost, by_name}, [](const Merged& m) { CHECK(m.run.cost_microusd == 30); });
    }

    TEST_CASE("of runs that print running totals each counts what it added, and a copy nothing") {
        const auto first = Recording(true).running({100, 0, 0, 20, 0}).end();
        const auto second = Recording(true).running({250, 0, 0, 50, 0}).running({300, 0, 0, 60, 0}).end();
        either_way({first, second}, [](const Merged& m) {
            CHECK(m.run.total == TokenCounts{300, 0, 0, 60, 0});
            CHECK(m.copies == 0);
        });
        CHECK(merged({first, second}).sessions[1].total == TokenCounts{200, 0, 0, 40, 0});
        CHECK(merged({second, first, second}).run.total == TokenCounts{300, 0, 0, 60, 0});
        const auto other = Recording(true, 0xabc).running({250, 0, 0, 50, 0}).end();
        CHECK(merged({first, other}).run.total == TokenCounts{350, 0, 0, 70, 0});
    }

    TEST_CASE("running totals of recordings that are not printed are each their own") {
        const auto one = Recording(false).running({100, 0, 0, 20, 0}).end();
        CHECK(merged({one, one}).run.total == TokenCounts{200, 0, 0, 40, 0});
    }
}
