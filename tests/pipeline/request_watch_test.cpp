// Which recorded usage is that of one request, with a prompt of that size.
#include "pipeline/watches/request_watch.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace agent_audit;

namespace {

/// A session that is told to a ledger and watched.
class Watched {
public:
    Watched& round() {
        tell(ToolCall{});
        tell(ToolResult{});
        return *this;
    }
    Watched& turn() {
        tell(TurnStart{});
        return *this;
    }
    Watched& says(Role role) {
        Message message;
        message.role = role;
        tell(message);
        return *this;
    }
    /// The prompt of the request that this usage begins; 0 = it begins none.
    std::uint64_t prompt_of(UsageMode mode, std::uint64_t input) {
        Usage usage;
        usage.mode = mode;
        usage.scope = mode == UsageMode::cumulative ? UsageScope::session : UsageScope::request;
        usage.tokens.input = input;
        const Event event = tell(usage);
        const RequestFigures* figures = watch_.on_usage(event, usage, ledger_);
        return figures ? figures->context : 0;
    }

private:
    Event tell(EventBody body) {
        EventHeader head;
        head.seq = head.where.line = ++line_;
        Event event{head, std::move(body)};
        ledger_.on_event(event);
        watch_.hear(event);
        return event;
    }

    TokenLedger ledger_;
    RequestWatch watch_{nullptr};
    std::uint64_t line_ = 0;
};

}  // namespace

TEST_SUITE("request watch") {
    TEST_CASE("running totals after each response are requests, the size of what was added") {
        Watched s;
        s.round();
        CHECK(s.prompt_of(UsageMode::cumulative, 1000) == 1000);
        s.round();
        CHECK(s.prompt_of(UsageMode::cumulative, 2200) == 1200);
    }

    TEST_CASE("one total at the end of a run is no prompt") {
        Watched s;
        for (int i = 0; i < 12; ++i) s.round();
        CHECK(s.prompt_of(UsageMode::cumulative, 122'612) == 0);
        s.round();
        CHECK(s.prompt_of(UsageMode::cumulative, 130'000) == 7388);
    }

    TEST_CASE("a run that went on behind one answer has no prompt of that size, one without calls has") {
        Watched s;
        s.says(Role::user).says(Role::assistant).round().says(Role::assistant);
        CHECK(s.prompt_of(UsageMode::cumulative, 13'201) == 0);
        s.says(Role::user).says(Role::assistant);
        CHECK(s.prompt_of(UsageMode::cumulative, 20'000) == 6799);
        // A stream may say where a turn begins and not with which words.
        s.turn().round().says(Role::assistant);
        CHECK(s.prompt_of(UsageMode::cumulative, 36'000) == 0);
        s.turn().says(Role::assistant);
        CHECK(s.prompt_of(UsageMode::cumulative, 44'000) == 8000);
    }

    TEST_CASE("what is told in the midst of a response, or before its calls are answered, is that of one request") {
        Watched s;
        for (const std::uint64_t total : {1000u, 2000u, 3000u}) {
            s.says(Role::assistant);
            CHECK(s.prompt_of(UsageMode::cumulative, total) == 1000);
            s.round();
        }
    }

    TEST_CASE("a window that is only usual gives way to one that a price file gives, a recorded one does not") {
        for (const bool recorded : {false, true}) {
            ModelTable models = ModelTable::shipped();
            PriceEntry entry;
            entry.model = "mine";
            entry.context_window = 50'000;
            models.overlay({&entry, 1});
            RequestWatch watch(&models);
            TokenLedger ledger;
            ContextChange change;
            change.window_tokens = 200'000;
            watch.on_change(change, recorded);
            Usage usage;
            usage.mode = UsageMode::add;
            usage.scope = UsageScope::request;
            usage.tokens.input = 10'000;
            usage.model = {"mine", TextForm::plain};
            Event event;
            event.head.seq = 1;
            event.body = usage;
            ledger.on_event(event);
            const RequestFigures* figures = watch.on_usage(event, usage, ledger);
            REQUIRE(figures != nullptr);
            CHECK(figures->window == (recorded ? 200'000 : 50'000));
        }
    }

    TEST_CASE("a window that a helper tells is its own, and none of the conversation's") {
        RequestWatch watch(nullptr);
        TokenLedger ledger;
        std::uint64_t line = 0;
        const auto window_of = [&](std::uint32_t lane, std::uint64_t told) {
            Usage usage;
            usage.scope = UsageScope::request;
            usage.tokens.input = 10'000;
            usage.window_tokens = told;
            Event event;
            event.head.seq = event.head.where.line = ++line;
            event.head.lane = lane;
            event.body = usage;
            ledger.on_event(event);
            const RequestFigures* figures = watch.on_usage(event, usage, ledger);
            REQUIRE(figures != nullptr);
            return figures->window;
        };
        CHECK(window_of(1, 60'000) == 60'000);
        CHECK(window_of(0, 0) == 0);
        CHECK(window_of(0, 200'000) == 200'000);
        CHECK(window_of(1, 60'000) == 60'000);
        CHECK(window_of(0, 0) == 200'000);
        CHECK(window_of(1, 0) == 200'000);
    }

    TEST_CASE("a model has its price, however many nobody knows came before it") {
        ModelTable models = ModelTable::shipped();
        PriceEntry entry;
        entry.model = "mine";
        entry.prices.input = entry.prices.output = 2'000'000;
        models.overlay({&entry, 1});
        RequestWatch watch(&models);
        TokenLedger ledger;
        std::uint64_t seq = 0;
        const auto request = [&](const std::string& model) {
            Usage usage;
            usage.mode = UsageMode::add;
            usage.scope = UsageScope::request;
            usage.tokens.input = 1000;
            usage.model = {model, TextForm::plain};
            Event event;
            event.head.seq = ++seq;
            event.body = usage;
            ledger.on_event(event);
            watch.on_usage(event, usage, ledger);
        };
        for (int session = 0; session < 40; ++session) {
            for (int i = 0; i < 200; ++i) request("unheard-of-" + std::to_string(session * 200 + i));
            watch.finish(ledger);
            ledger.finish();
        }
        request("mine");
        CHECK(watch.session_cost(ledger).has_value());
    }

    TEST_CASE("usage that is said to be a request's is that, whatever came before") {
        Watched s;
        for (int i = 0; i < 5; ++i) s.round();
        CHECK(s.prompt_of(UsageMode::add, 5000) == 5000);
    }
}
