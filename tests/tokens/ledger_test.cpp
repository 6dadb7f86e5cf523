#include <agent_audit/tokens/estimate.hpp>
#include <agent_audit/tokens/ledger.hpp>
#include <agent_audit/tokens/prices.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace agent_audit;

namespace {

/// Usage as it comes, in a session of the ledger's.
class Bill {
public:
    Bill& in_lane(std::uint32_t lane) {
        head_.lane = lane;
        return *this;
    }
    Bill& turn(std::uint32_t turn) {
        head_.turn = turn;
        return *this;
    }
    Bill& flags(std::uint16_t flags) {
        head_.flags = flags;
        return *this;
    }
    Bill& usage(UsageMode mode, TokenCounts tokens, std::uint64_t message = 0, std::uint64_t request = 0,
                std::string_view model = "m", bool sidechain = false, std::optional<std::uint64_t> cost = {}) {
        Usage u;
        u.mode = mode;
        u.scope = mode == UsageMode::cumulative ? UsageScope::session : UsageScope::request;
        u.tokens = tokens;
        u.model = {model, TextForm::plain};
        u.message_key = message;
        u.request_key = request;
        u.sidechain = sidechain;
        u.cost_microusd = cost;
        return emit(u);
    }
    Bill& add(TokenCounts tokens) { return usage(UsageMode::add, tokens); }
    Bill& replace(std::uint64_t message, TokenCounts tokens) {
        return usage(UsageMode::replace, tokens, message, message);
    }
    Bill& running(TokenCounts tokens) { return usage(UsageMode::cumulative, tokens); }
    Bill& says(Role role, std::string_view text) {
        return emit(Message{role, Origin::agent, {text, TextForm::plain}, 0});
    }

    Bill& emit(EventBody body) {
        head_.where.line = ++line_;
        head_.seq = line_;
        ledger_.on_event({head_, std::move(body)});
        return *this;
    }

    const TokenCounts& spent() const { return ledger_.session_spent(); }
    const TokenCounts& spent(std::uint32_t lane) const { return ledger_.lane_spent(lane); }
    SessionUsage end() { return ledger_.finish(); }

private:
    TokenLedger ledger_;
    EventHeader head_;
    std::uint64_t line_ = 0;
};

TokenCounts sum_of(const SessionUsage& usage) {
    TokenCounts sum;
    for (const RequestRecord& r : usage.requests) sum += r.counts();
    return sum;
}

/// Several sessions merged in the order given.
std::vector<TokenLedgerTotals> merged(const std::vector<SessionUsage>& sessions, const ModelTable* models = nullptr) {
    UsageMerger merger(models);
    for (std::size_t i = 0; i < sessions.size(); ++i) CHECK(merger.add(sessions[i]) == i);
    std::vector<TokenLedgerTotals> totals;
    for (const PackedTotals& session : merger.finish()) totals.push_back(session.unpack());
    return totals;
}
TokenLedgerTotals run_total(const std::vector<SessionUsage>& sessions) {
    TokenLedgerTotals sum;
    for (const TokenLedgerTotals& t : merged(sessions)) add_totals(sum, t);
    return sum;
}
SessionUsage one(std::uint64_t message, std::uint64_t request, TokenCounts tokens, bool sidechain = false,
                 std::string_view model = "m") {
    return Bill().usage(UsageMode::replace, tokens, message, request, model, sidechain).end();
}

}  // namespace

TEST_SUITE("token ledger") {
    TEST_CASE("requests that are written once are added up") {
        Bill bill;
        bill.add({10, 20, 30, 5, 1}).add({1, 2, 3, 4, 0});
        CHECK(bill.spent() == TokenCounts{11, 22, 33, 9, 1});
        const auto usage = bill.end();
        CHECK(usage.requests.size() == 2);
        CHECK(sum_of(usage) == TokenCounts{11, 22, 33, 9, 1});
    }

    TEST_CASE("what was written for an hour has its own price, and is never more than what was written") {
        const BilledTokens mixed =
            billed(TokenCounts{.input = 1, .cache_write = 90, .cache_read = 5, .output = 2, .cache_write_1h = 70});
        CHECK(mixed.cache_write == 20);
        CHECK(mixed.cache_write_1h == 70);
        CHECK(mixed.prompt() == 96);
        const BilledTokens odd = billed(TokenCounts{.cache_write = 10, .cache_write_1h = 70});
        CHECK(odd.cache_write == 0);
        CHECK(odd.cache_write_1h == 10);
        CHECK(one(1, 1, TokenCounts{.cache_write = 90, .cache_write_1h = 70}).requests[0].counts().cache_write_1h ==
              70);
    }

    TEST_CASE("usage repeated on the lines of one message counts once, with the final figure") {
        Bill bill;
        bill.replace(7, {6, 100, 2000, 1, 0}).replace(7, {6, 100, 2000, 1, 0}).replace(7, {6, 100, 2000, 80, 0});
        CHECK(bill.spent() == TokenCounts{6, 100, 2000, 80, 0});
        CHECK(bill.end().requests.size() == 1);
    }

    TEST_CASE("a placeholder that comes late does not take the final figure away") {
        CHECK(sum_of(Bill().replace(7, {6, 0, 0, 80, 0}).replace(7, {6, 0, 0, 1, 0}).end()).output == 80);
    }

    TEST_CASE("the same message under another request id is another request") {
        Bill bill;
        bill.usage(UsageMode::replace, {1, 0, 0, 1, 0}, 7, 1).usage(UsageMode::replace, {1, 0, 0, 1, 0}, 7, 2);
        CHECK(bill.end().requests.size() == 2);
    }

    TEST_CASE("without a message id nothing is ever merged") {
        CHECK(Bill().replace(0, {1, 0, 0, 1, 0}).replace(0, {1, 0, 0, 1, 0}).end().requests.size() == 2);
    }

    TEST_CASE("running totals count by their differences") {
        Bill bill;
        bill.running({100, 0, 50, 10, 2}).running({100, 0, 50, 10, 2}).running({180, 0, 90, 25, 5});
        CHECK(bill.spent() == TokenCounts{180, 0, 90, 25, 5});
        CHECK(bill.end().requests.size() == 2);
    }

    TEST_CASE("running totals that begin anew are counted from their new beginning") {
        CHECK(sum_of(Bill().running({100, 0, 0, 10, 0}).running({30, 0, 0, 5, 0}).running({40, 0, 0, 6, 0}).end()) ==
              TokenCounts{140, 0, 0, 16, 0});
    }

    TEST_CASE("running totals of copied history are the base, not spending") {
        CHECK(sum_of(Bill().flags(kCopied).running({100, 0, 0, 10, 0}).flags(0).running({130, 0, 0, 12, 0}).end()) ==
              TokenCounts{30, 0, 0, 2, 0});
    }

    TEST_CASE("token figures beyond 32 bits saturate instead of wrapping") {
        const auto usage = Bill().add({1ull << 40, 0, 0, 1, 0}).end();
        CHECK(usage.requests[0].input == 4294967295u);
        CHECK(usage.requests[0].output == 1);
    }

    TEST_CASE("sums per lane and per turn equal the total") {
        Bill bill;
        bill.turn(1)
            .replace(1, {10, 0, 0, 1, 0})
            .replace(1, {10, 0, 0, 9, 0})
            .in_lane(1)
            .turn(0)
            .replace(2, {20, 0, 0, 2, 0});
        bill.in_lane(0).turn(2).replace(3, {30, 0, 0, 3, 0}).in_lane(2).turn(0).add({5, 5, 5, 5, 0});
        TokenCounts lanes = bill.spent(0);
        lanes += bill.spent(1);
        lanes += bill.spent(2);
        CHECK(lanes == bill.spent());
        const auto usage = bill.end();
        TokenCounts turns;
        for (const TurnTokens& t : usage.top_turns) turns += t.tokens;
        REQUIRE(usage.top_turns.size() == 4);
        CHECK(turns == sum_of(usage));
        const TokenLedgerTotals totals = merged({usage}).front();
        CHECK(totals.total == sum_of(usage));
        CHECK(totals.by_lane.size() == 3);
    }

    TEST_CASE("only the five largest turns are told, largest first") {
        Bill bill;
        for (std::uint32_t t = 1; t <= 20; ++t) bill.turn(t).add({(t * 7) % 20 + 1, 0, 0, 0, 0});
        const TokenLedgerTotals totals = merged({bill.end()}).front();
        REQUIRE(totals.top_turns.size() == 5);
        for (std::size_t i = 0; i < 5; ++i) CHECK(totals.top_turns[i].tokens.input == 20 - i);
    }

    TEST_CASE("the dearest turns are told, where all have a price") {
        const auto entries = parse_price_file(
            R"({"models":{"m":{"input":2,"output":10,"cache_read":0.2,"cache_write":2.5}}})", "prices");
        REQUIRE(entries.has_value());
        ModelTable models;
        models.overlay(*entries);
        const auto told = [&](std::string_view last_model) {
            Bill bill;
            // Six long turns that read the cache, and before them two short ones that write to it and answer at length.
            bill.turn(1).usage(UsageMode::add, {1, 0, 0, 9'000, 0}, 1, 1, "m");
            bill.turn(2).usage(UsageMode::add, {0, 40'000, 0, 0, 0}, 2, 1, "m");
            for (std::uint32_t t = 3; t <= 8; ++t)
                bill.turn(t).usage(UsageMode::add, {0, 0, 100'000 + 100 * t, 0, 0}, t, 1, t == 8 ? last_model : "m");
            return merged({bill.end()}, &models).front();
        };
        const auto turns = [](const TokenLedgerTotals& t) {
            std::vector<std::uint32_t> numbers;
            for (const TurnTokens& turn : t.top_turns) numbers.push_back(turn.turn);
            return numbers;
        };
        const TokenLedgerTotals priced = told("m");
        CHECK(priced.turns_by_cost);
        CHECK(turns(priced) == std::vector<std::uint32_t>{2, 1, 8, 7, 6});
        const TokenLedgerTotals partly = told("nobody knows it");
        CHECK(!partly.turns_by_cost);
        CHECK(turns(partly) == std::vector<std::uint32_t>{8, 7, 6, 5, 4});
    }

    TEST_CASE(
        "figures that name no model belong to the one told last for their lane, or else for the main conversation") {
        const auto unnamed = [](Bill& bill) { bill.usage(UsageMode::add, {1, 0, 0, 1, 0}, 0, 0, ""); };
        const auto starts = [](std::string_view model) {
            SessionStart start;
            start.model = {model, TextForm::plain};
            return start;
        };
        const auto changes = [](std::string_view model) {
            ContextChange change;
            change.model = {model, TextForm::plain};
            return change;
        };
        Bill bill;
        unnamed(bill.emit(starts("first")));
        unnamed(bill.emit(changes("second")).emit(changes("")));
        unnamed(bill.in_lane(1));
        unnamed(bill.emit(changes("third")));
        unnamed(bill.in_lane(0));
        unnamed(bill.usage(UsageMode::add, {1, 0, 0, 1, 0}, 0, 0, "fourth"));
        const SessionUsage usage = bill.end();
        std::vector<std::string> models;
        for (const RequestRecord& r : usage.requests) models.push_back(usage.models.at(r.model));
        CHECK(models == std::vector<std::string>{"first", "second", "second", "third", "second", "fourth", "fourth"});
        Bill untold;
        unnamed(untold);
        CHECK(untold.end().models == std::vector<std::string>{""});
    }

    TEST_CASE("a model that is named at the end only was asked all along, unless there are several") {
        Bill one;
        one.usage(UsageMode::add, {1, 0, 0, 1, 0}, 0, 0, "").usage(UsageMode::replace, {2, 0, 0, 1, 0}, 7, 0, "");
        one.usage(UsageMode::replace, {9, 0, 0, 1, 0}, 7, 0, "told late");
        const SessionUsage usage = one.end();
        for (const RequestRecord& r : usage.requests) CHECK(usage.models.at(r.model) == "told late");
        Bill two;
        two.usage(UsageMode::add, {1, 0, 0, 1, 0}, 0, 0, "");
        two.usage(UsageMode::add, {1, 0, 0, 1, 0}, 0, 0, "a").usage(UsageMode::add, {1, 0, 0, 1, 0}, 0, 0, "b");
        const SessionUsage several = two.end();
        CHECK(several.models.at(several.requests[0].model).empty());
    }

    TEST_CASE("a sum over a session is no prompt") {
        Usage rest;
        rest.scope = UsageScope::session;
        rest.tokens = {1000, 0, 0, 5, 0};
        CHECK(Bill().add({10, 0, 0, 1, 0}).emit(rest).end().peak_context == 10);
    }

    TEST_CASE("the largest prompt of the main conversation is the peak, with its line") {
        Bill bill;
        bill.add({10, 20, 30, 500, 0})
            .add({100, 0, 0, 1, 0})
            .in_lane(1)
            .add({900, 0, 0, 0, 0})
            .in_lane(0)
            .add({50, 0, 0, 1, 0});
        const auto usage = bill.end();
        CHECK(usage.peak_context == 100);
        CHECK(usage.peak_context_line == 2);
    }

    TEST_CASE("the cost of requests is added up") {
        Bill bill;
        bill.usage(UsageMode::add, {1, 0, 0, 0, 0}, 0, 0, "m", false, 300)
            .usage(UsageMode::add, {1, 0, 0, 0, 0}, 0, 0, "m", false, 200);
        CHECK(bill.end().cost_microusd == 500);
        CHECK_FALSE(Bill().add({1, 0, 0, 0, 0}).end().cost_microusd);
    }

    TEST_CASE("answers whose prompts are told together, at the end, are paid for; without those they have no price") {
        const auto entries = parse_price_file(R"({"models":{"m":{"input":1,"output":10,"cache_read":0.1}}})", "prices");
        REQUIRE(entries.has_value());
        ModelTable models;
        models.overlay(*entries);
        const auto told = [&](bool rest) {
            Bill bill;
            bill.replace(1, {0, 0, 0, 1'000, 0}).replace(2, {0, 0, 0, 1'000, 0});
            Usage whole;
            whole.mode = UsageMode::replace;
            whole.scope = UsageScope::session;
            whole.tokens = {500'000, 0, 100'000, 1'000, 0};
            whole.model = {"m", TextForm::plain};
            whole.message_key = whole.request_key = 2;
            whole.rest = rest;
            bill.emit(whole);
            return merged({bill.end()}, &models).front();
        };
        const TokenLedgerTotals all = told(true);
        CHECK(all.cost.unpriced_requests == 0);
        CHECK(all.cost.micro_dollars() == 500'000 + 10'000 + 2 * 10'000);
        REQUIRE(all.by_model.size() == 1);
        CHECK(all.by_model[0].cost.micro_dollars() == all.cost.micro_dollars());
        const TokenLedgerTotals one = told(false);
        CHECK(one.cost.unpriced_requests == 1);
        CHECK(one.cost.micro_dollars() == 500'000 + 10'000 + 10'000);
    }

    TEST_CASE("what was recorded as paid counts in the sum, also of sessions whose tokens are estimated") {
        TokenLedgerTotals reported, estimated;
        reported.source = TokensSource::reported;
        reported.total = {100, 0, 0, 10, 0};
        reported.cost_microusd = 5;
        estimated.source = TokensSource::estimated;
        estimated.total = {70, 0, 0, 7, 0};
        estimated.cost_microusd = 3;
        for (const bool first : {true, false}) {
            TokenLedgerTotals sum;
            add_totals(sum, first ? reported : estimated);
            add_totals(sum, first ? estimated : reported);
            CHECK(sum.total == reported.total);
            CHECK(sum.cost_microusd == 8);
        }
    }

    TEST_CASE("texts are estimated while nothing is recorded, written by the model as output, all else as input") {
        Bill bill;
        bill.says(Role::user, "a question of some length").says(Role::assistant, "an answer");
        const std::uint64_t in = estimate_tokens({"a question of some length", TextForm::plain});
        const std::uint64_t out = estimate_tokens({"an answer", TextForm::plain});
        CHECK(bill.spent() == TokenCounts{in, 0, 0, out, 0});
        const auto usage = bill.end();
        CHECK(usage.requests.empty());
        const auto totals = merged({usage})[0];
        CHECK(totals.source == TokensSource::estimated);
        CHECK(totals.total == TokenCounts{in, 0, 0, out, 0});
    }

    TEST_CASE("the first recorded figure replaces all estimates") {
        Bill bill;
        bill.says(Role::user, "a question")
            .add({5, 0, 0, 2, 0})
            .says(Role::assistant, "a long answer that is already billed");
        CHECK(bill.spent() == TokenCounts{5, 0, 0, 2, 0});
        CHECK(merged({bill.end()})[0].source == TokensSource::reported);
    }

    TEST_CASE("figures of nothing are no record: texts before and after them are estimated") {
        Bill bill;
        bill.says(Role::user, "a question").usage(UsageMode::replace, {}, 1, 1).says(Role::user, "another one");
        const std::uint64_t both =
            estimate_tokens({"a question", TextForm::plain}) + estimate_tokens({"another one", TextForm::plain});
        CHECK(bill.spent().input == both);
        const auto totals = merged({bill.end()})[0];
        CHECK(totals.source == TokensSource::estimated);
        CHECK(totals.total.input == both);
    }

    TEST_CASE("texts are estimated alike however many and long they are, and whenever the sum is asked for") {
        const std::string long_text(200'000, 'x'), text(999, 'y');
        for (const bool ask : {false, true}) {
            Bill bill;
            for (int i = 0; i < 300; ++i) {
                bill.says(Role::user, text);
                if (ask) bill.spent();
            }
            bill.says(Role::user, long_text).says(Role::user, text);
            const std::uint64_t expected =
                301 * estimate_tokens({text, TextForm::plain}) + estimate_tokens({long_text, TextForm::plain});
            CHECK(bill.spent().input == expected);
            CHECK(bill.spent(0).input == expected);
            CHECK(bill.end().estimated.input == expected);
        }
    }

    TEST_CASE("a response that is recorded again was paid once") {
        Bill bill;
        bill.usage(UsageMode::replace, {10, 0, 0, 1, 0}, 7, 1, "m", false, 100);
        bill.usage(UsageMode::replace, {10, 0, 0, 80, 0}, 7, 1, "m", false, 500);
        bill.usage(UsageMode::replace, {10, 0, 0, 80, 0}, 7, 1, "m", false, 500);
        bill.usage(UsageMode::replace, {1, 0, 0, 1, 0}, 8, 1, "m", false, 30);
        CHECK(bill.end().cost_microusd == 530);
    }

    TEST_CASE("copied and hidden texts are not estimated") {
        CHECK(Bill()
                  .flags(kCopied)
                  .says(Role::user, "history")
                  .flags(kHidden)
                  .says(Role::user, "unseen")
                  .spent()
                  .total() == 0);
    }

    TEST_CASE("what the model wrote is measured beside what is recorded of it") {
        const std::string spelled = R"(\u043c\u0438\u0440)";
        Bill bill;
        bill.says(Role::assistant, "four").says(Role::user, "not mine").add({.input = 7, .output = 3});
        ToolCall call;
        call.args = {"{}", TextForm::json_value};
        ToolResult result;
        result.text = {"nor this", TextForm::plain};
        bill.emit(call).emit(Thinking{{"hm", TextForm::plain}}).emit(result);
        bill.flags(kCopied).says(Role::assistant, "of another session");
        const SessionUsage usage = bill.end();
        CHECK(usage.written_bytes == 8);
        CHECK(usage.recorded_output == 3);
        Bill by_number;
        by_number.says(Role::assistant, "four")
            .emit(Message{Role::assistant, Origin::agent, {spelled, TextForm::json_string}, 0});
        CHECK(by_number.end().written_bytes == 0);
    }

    TEST_CASE("an empty session has no tokens and says so") {
        CHECK(merged({Bill().end()})[0].source == TokensSource::none);
    }

    TEST_CASE("the ledger starts afresh with the next session") {
        TokenLedger ledger;
        Usage u;
        u.tokens = {5, 0, 0, 5, 0};
        ledger.on_event({{}, u});
        CHECK(ledger.finish().requests.size() == 1);
        CHECK(ledger.session_spent().total() == 0);
        CHECK(ledger.finish().requests.empty());
    }
}

TEST_SUITE("usage over several files") {
    TEST_CASE("a request copied into another file counts where it first stood") {
        const auto t = merged({one(7, 1, {10, 0, 0, 5, 0}), one(7, 1, {10, 0, 0, 5, 0})});
        CHECK(t[0].total.total() == 15);
        CHECK(t[1].total.total() == 0);
        CHECK(t[1].copied_requests == 1);
        CHECK(t[1].requests == 0);
        CHECK(t[1].source == TokensSource::reported);
    }

    TEST_CASE("the larger copy counts, whichever file comes first") {
        const SessionUsage partial = one(7, 1, {10, 0, 0, 1, 0});
        const SessionUsage whole = one(7, 1, {10, 0, 0, 80, 0});
        CHECK(run_total({partial, whole}).total == TokenCounts{10, 0, 0, 80, 0});
        CHECK(run_total({whole, partial}).total == TokenCounts{10, 0, 0, 80, 0});
        const auto t = merged({partial, whole});
        CHECK(t[0].requests == 0);
        CHECK(t[0].total.total() == 0);
        CHECK(t[1].requests == 1);
    }

    TEST_CASE("what was paid for a request counts once, where the request counts") {
        const auto paid = [](TokenCounts tokens, std::uint64_t cost, std::uint64_t more = 0) {
            Bill bill;
            bill.usage(UsageMode::add, tokens, 7, 1, "m", false, cost);
            if (more > 0) bill.usage(UsageMode::add, {3, 0, 0, 1, 0}, 9, 1, "m", false, more);
            return bill.end();
        };
        const auto same = merged({paid({10, 0, 0, 5, 0}, 500), paid({10, 0, 0, 5, 0}, 500, 40)});
        CHECK(same[0].cost_microusd == 500);
        CHECK(same[1].cost_microusd == 40);
        // The better copy has the request, and its cost with it.
        const auto better = merged({paid({10, 0, 0, 1, 0}, 100, 40), paid({10, 0, 0, 80, 0}, 500)});
        CHECK(better[0].cost_microusd == 40);
        CHECK(better[1].cost_microusd == 500);
        // A copy without a cost takes none away.
        for (const auto& files : {std::vector{paid({10, 0, 0, 5, 0}, 500), one(7, 1, {10, 0, 0, 80, 0})},
                                  std::vector{one(7, 1, {10, 0, 0, 80, 0}), paid({10, 0, 0, 5, 0}, 500)}}) {
            CHECK(run_total(files).cost_microusd == 500);
        }
    }

    TEST_CASE("what is paid for a session, and not for a request, is nobody's copy") {
        const auto session = [] {
            return Bill()
                .usage(UsageMode::add, {10, 0, 0, 5, 0}, 7, 1)
                .usage(UsageMode::cumulative, {}, 0, 0, "m", false, 900)
                .end();
        };
        const auto t = merged({session(), session()});
        CHECK(t[1].copied_requests == 1);
        CHECK(t[0].cost_microusd == 900);
        CHECK(t[1].cost_microusd == 900);
    }

    TEST_CASE("what was written for an hour moves along with the request to the better copy") {
        const SessionUsage partial = one(7, 1, {10, 400, 0, 1, 0, 400});
        const SessionUsage whole = one(7, 1, {10, 400, 0, 80, 0, 400});
        for (const auto& files : {std::vector{partial, whole}, std::vector{whole, partial}}) {
            CHECK(run_total(files).total == TokenCounts{10, 400, 0, 80, 0, 400});
        }
        CHECK(merged({partial, whole})[0].total == TokenCounts{});
    }

    TEST_CASE("a better copy under another name of the model is taken from the name it was counted for") {
        const auto t =
            run_total({one(7, 1, {10, 0, 0, 1, 0}, false, "m-1"), one(7, 1, {10, 0, 0, 80, 0}, false, "m-1-dated")});
        REQUIRE(t.by_model.size() == 1);
        CHECK(t.by_model[0].model == "m-1-dated");
        CHECK(t.by_model[0].tokens == t.total);
    }

    TEST_CASE(
        "a sub-agent's copy gives way to the main conversation's, even with another request id and larger figures") {
        const SessionUsage main = one(7, 1, {10, 0, 0, 5, 0});
        const SessionUsage side = one(7, 2, {10, 0, 0, 50, 0}, true);
        CHECK(run_total({main, side}).total == TokenCounts{10, 0, 0, 5, 0});
        CHECK(run_total({side, main}).total == TokenCounts{10, 0, 0, 5, 0});
    }

    TEST_CASE("two main conversations with one message id and different request ids are two requests") {
        CHECK(run_total({one(7, 1, {1, 0, 0, 0, 0}), one(7, 2, {1, 0, 0, 0, 0})}).requests == 2);
    }

    TEST_CASE("requests without a message id are never copies") {
        CHECK(run_total({one(0, 1, {1, 0, 0, 0, 0}), one(0, 1, {1, 0, 0, 0, 0})}).requests == 2);
    }

    TEST_CASE("totals do not depend on the order of the files") {
        std::vector<SessionUsage> files;
        std::uint64_t state = 12345;
        const auto next = [&state](std::uint64_t below) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            return (state >> 33) % below;
        };
        for (int f = 0; f < 6; ++f) {
            Bill bill;
            for (int i = 0; i < 60; ++i) {
                const std::uint64_t message = next(40) * 2 + 1;
                const bool side = message % 6 == 1;
                bill.in_lane(static_cast<std::uint32_t>(next(3)));
                // Request id and model hang on the message, the figure grows while it streams.
                bill.usage(UsageMode::replace, {message, 0, 0, next(50), 0}, message, message + 1,
                           message % 4 == 1 ? "a" : "b", side);
            }
            files.push_back(bill.end());
        }
        const auto entries = parse_price_file(R"({"models":{"a":{"input":2,"output":10}}})", "prices");
        REQUIRE(entries.has_value());
        ModelTable models;
        models.overlay(*entries);
        std::vector<std::size_t> order{0, 1, 2, 3, 4, 5};
        const TokenLedgerTotals first = run_total(files);
        CHECK(first.total.total() > 0);
        int permutations = 0;
        do {
            std::vector<SessionUsage> shuffled;
            for (const std::size_t i : order) shuffled.push_back(files[i]);
            const TokenLedgerTotals total = run_total(shuffled);
            CHECK(total.total == first.total);
            CHECK(total.requests == first.requests);
            CHECK(total.copied_requests == first.copied_requests);
            REQUIRE(total.by_model.size() == first.by_model.size());
            for (std::size_t i = 0; i < total.by_model.size(); ++i)
                CHECK(total.by_model[i].tokens == first.by_model[i].tokens);
            for (const TokenLedgerTotals& t : merged(shuffled, &models)) {
                TokenCounts by_model;
                TokenCounts lanes;
                for (const ModelTokens& m : t.by_model) by_model += m.tokens;
                RequestCost cost;
                for (const LaneTokens& l : t.by_lane) {
                    lanes += l.tokens;
                    cost += l.cost;
                }
                CHECK(by_model == t.total);
                CHECK(lanes == t.total);
                CHECK(cost.known == t.cost.known);
                CHECK(cost.priced_requests + cost.unpriced_requests == t.requests);
            }
        } while (++permutations < 60 && std::next_permutation(order.begin(), order.end()));
    }

    TEST_CASE("estimates and recorded figures are never added up") {
        const SessionUsage recorded = one(7, 1, {10, 0, 0, 5, 0});
        const SessionUsage estimated = Bill().says(Role::user, "words without a bill").end();
        CHECK(run_total({recorded, estimated}).total == TokenCounts{10, 0, 0, 5, 0});
        CHECK(run_total({estimated, recorded}).total == TokenCounts{10, 0, 0, 5, 0});
        CHECK(run_total({estimated, recorded}).source == TokensSource::reported);
        CHECK(run_total({estimated, estimated}).source == TokensSource::estimated);
    }

    TEST_CASE("lanes keep the names their agents gave them") {
        Bill bill;
        LaneOpen open;
        open.agent_id = {"a7f3", TextForm::plain};
        bill.in_lane(2).emit(open).add({1, 0, 0, 0, 0});
        const auto t = merged({bill.end()});
        REQUIRE(t[0].by_lane.size() == 1);
        CHECK(t[0].by_lane[0].label == "a7f3");
        CHECK(t[0].by_lane[0].lane == 2);
    }

    TEST_CASE("a running total of cost is not added to the one before") {
        Bill bill;
        bill.usage(UsageMode::cumulative, {}, 0, 0, "", false, 1000)
            .usage(UsageMode::cumulative, {}, 0, 0, "", false, 3000);
        CHECK(bill.end().cost_microusd == 3000);
    }

    TEST_CASE("a copy's running total of cost is paid once, where the copy goes on with the total of its original") {
        const auto entries = parse_price_file(R"({"models":{"m":{"input":2,"output":10}}})", "prices");
        REQUIRE(entries.has_value());
        ModelTable models;
        models.overlay(*entries);
        // A request costs 200 micro-dollars, 20 more were spent by helpers.
        const auto session = [](std::uint64_t from, std::uint64_t to, std::uint64_t cost) {
            Bill bill;
            for (std::uint64_t key = from; key <= to; ++key)
                bill.usage(UsageMode::replace, {100, 0, 0, 0, 0}, key, 1, "m");
            if (cost > 0) bill.usage(UsageMode::cumulative, {}, 0, 0, "", false, cost);
            return bill.end();
        };
        const auto paid = [&models](const std::vector<SessionUsage>& sessions) {
            TokenLedgerTotals sum;
            for (const TokenLedgerTotals& t : merged(sessions, &models)) add_totals(sum, t);
            return sum.cost_microusd.value_or(0);
        };
        const SessionUsage original = session(1, 3, 620), fork = session(1, 4, 820);
        CHECK(paid({original, fork}) == 840);  // what helpers took is part of both totals
        CHECK(paid({fork, original}) == 840);
        CHECK(merged({original, fork}, &models)[1].cost_microusd == 220);
        // It began to count when it went on; its original does not say what it cost; nothing is copied.
        CHECK(paid({original, session(1, 4, 200)}) == 820);
        CHECK(paid({session(1, 3, 0), fork}) == 820);
        CHECK(paid({original, session(5, 5, 200)}) == 820);
    }

    TEST_CASE("a repeat that stands in another lane corrects the lane that was billed") {
        Bill bill;
        bill.in_lane(0).replace(7, {10, 0, 0, 1, 0}).in_lane(1).replace(7, {10, 0, 0, 80, 0});
        CHECK(bill.spent(0) == TokenCounts{10, 0, 0, 80, 0});
        CHECK(bill.spent(1).total() == 0);
    }

    TEST_CASE("a turn costs what its requests do, copies of other sessions' among them") {
        const auto entries = parse_price_file(R"({"models":{"m":{"input":2,"output":10}}})", "prices");
        REQUIRE(entries.has_value());
        ModelTable models;
        models.overlay(*entries);
        const auto session = [](std::uint64_t first) {
            Bill bill;
            bill.turn(1).usage(UsageMode::replace, {100, 0, 0, 1, 0}, first, 1, "m");
            bill.in_lane(1).usage(UsageMode::replace, {7, 0, 0, 0, 0}, first + 1, 1, "m");
            bill.in_lane(0).usage(UsageMode::replace, {50, 0, 0, 0, 0}, first + 2, 1, "m");
            bill.turn(2).usage(UsageMode::replace, {5, 0, 0, 0, 0}, first + 3, 1, "nobody knows it");
            return bill.end();
        };
        const auto totals = merged({session(1), session(1)}, &models);
        for (const TokenLedgerTotals& t : totals) {
            REQUIRE(t.top_turns.size() == 3);
            CHECK(t.top_turns[0].cost.micro_dollars() == 310);
            CHECK(t.top_turns[0].cost.priced_requests == 2);
            CHECK(t.top_turns[1].lane == 1);
            CHECK(t.top_turns[1].cost.micro_dollars() == 14);
            CHECK(!t.top_turns[2].cost.micro_dollars());
            CHECK(t.top_turns[2].cost.unpriced_requests == 1);
        }
    }

    TEST_CASE("a request is priced where it counts, and taken out where it was") {
        const auto entries = parse_price_file(R"({"models":{"m":{"input":2,"output":10}}})", "prices");
        REQUIRE(entries.has_value());
        ModelTable models;
        models.overlay(*entries);
        CHECK(merged({one(1, 1, {100, 0, 0, 1, 0})}, &models).front().cost.micro_dollars() == 210);
        // The complete copy stands in another session: it counts there, with its price.
        const auto totals = merged({one(1, 1, {100, 0, 0, 1, 0}), one(1, 1, {100, 0, 0, 50, 0}),
                                    one(2, 1, {100, 0, 0, 1, 0}, false, "nobody knows it")},
                                   &models);
        CHECK(totals[0].cost.priced_requests == 0);
        CHECK(!totals[0].cost.micro_dollars());
        CHECK(totals[0].cost_parts == CostParts{});
        CHECK(totals[1].cost.micro_dollars() == 700);
        CHECK(totals[1].cost_parts.input.micro_dollars() == 200);
        CHECK(totals[1].cost_parts.output.micro_dollars() == 500);
        CHECK(totals[1].by_model.front().cost.micro_dollars() == 700);
        CHECK(totals[1].by_lane.front().cost.micro_dollars() == 700);
        CHECK(!totals[0].by_lane.front().cost.micro_dollars());
        CHECK(!totals[2].cost.micro_dollars());
        CHECK(totals[2].cost.unpriced_requests == 1);
        TokenLedgerTotals sum;
        for (const TokenLedgerTotals& t : totals) add_totals(sum, t);
        CHECK(sum.cost.micro_dollars() == 700);
        CHECK(sum.cost.unpriced_requests == 1);
        CHECK(sum.cost_parts == totals[1].cost_parts);
    }
}
