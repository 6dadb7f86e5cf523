#include "simulator/cache/observer.hpp"
#include "simulator/regret/observer.hpp"

#include <agent_audit/support/hash.hpp>

#include <doctest/doctest.h>

#include <deque>
#include <string>
#include <utility>

using namespace agent_audit;
using namespace agent_audit::simulator;

namespace {

// A session as the replay hands it to observers.
class Session {
public:
    explicit Session(RequestObserver& observer) : observer_(&observer) {
        model.id = "claude-sonnet-4-5";
        model.provider = "anthropic";
        model.prices = TokenPrices{3'000'000, 15'000'000, 300'000, 3'750'000, 6'000'000};
        moment.model = &model;
        moment.unseen_tokens = 2000;
    }

    const SourceMessage& message(Role role, std::string text, double tokens = 100) {
        Msg made;
        made.role = role;
        made.source_index = sources_.size();
        made.blocks.push_back(text_block(std::move(text)));
        return add(std::move(made), tokens);
    }
    const SourceMessage& calls(std::string id, std::string tool, std::string arguments, std::uint64_t subject) {
        Msg made;
        made.role = Role::assistant;
        made.source_index = sources_.size();
        Block block;
        block.kind = BlockKind::tool_call;
        block.id = std::move(id);
        block.name = std::move(tool);
        call_ = {stable_hash(block.id), stable_hash(arguments), subject,
                 call_kind(block.name), line_range(arguments),  {}};
        block.text = Text(std::move(arguments));
        made.blocks.push_back(std::move(block));
        return add(std::move(made), 20);
    }
    const SourceMessage& result(std::string id, std::string text, double tokens, bool error = false) {
        Msg made;
        made.role = Role::tool_result;
        made.source_index = sources_.size();
        made.call_id = std::move(id);
        call_.id = stable_hash(made.call_id);
        made.is_error = error;
        made.blocks.push_back(text_block(std::move(text)));
        return add(std::move(made), tokens);
    }
    void clears(const SourceMessage& source, bool for_now = false) {
        const std::size_t place = source.message->source_index;
        auto placeholder = std::make_shared<Msg>(*source.message);
        placeholder->blocks = {text_block("[cleared]")};
        const MsgPtr before = view_[place];
        observer_->on_leave({&source, before, placeholder, Action::clear, slots_[place].tokens, for_now});
        view_[place] = placeholder;
        pruned_.push_back({place, Action::clear, static_cast<std::uint64_t>(slots_[place].tokens), 5});
        slots_[place].hash = 1;
        slots_[place].tokens = 5;
        slots_[place].edited = true;
        unchanged_ = std::min(unchanged_, place);
    }
    TurnRow request() {
        TurnRow row;
        double tokens = moment.unseen_tokens;
        for (const Slot& slot : slots_) tokens += slot.tokens;
        row.tokens_after = static_cast<std::uint64_t>(tokens);
        row.pruned = std::exchange(pruned_, {});
        observer_->on_request({moment, view_, slots_, unchanged_}, row);
        unchanged_ = slots_.size();
        return row;
    }

    RequestMoment moment;
    ModelInfo model;

private:
    const SourceMessage& add(Msg made, double tokens) {
        SourceMessage& source = sources_.emplace_back();
        source.message = std::make_shared<const Msg>(std::move(made));
        source.place = static_cast<std::uint32_t>(source.message->source_index);
        source.hash = 100 + sources_.size();
        source.turn = 1;
        const bool calls = source.message->blocks[0].kind == BlockKind::tool_call;
        if (calls || source.message->role == Role::tool_result) source.calls = {call_};
        observer_->on_message(source);
        view_.push_back(source.message);
        slots_.push_back({&source, source.hash, tokens, false});
        return source;
    }

    RequestObserver* observer_;
    std::deque<SourceMessage> sources_;
    View view_;
    std::vector<Slot> slots_;
    std::vector<PrunedRow> pruned_;
    std::size_t unchanged_ = 0;
    CallFacts call_;  // made last
};

}  // namespace

TEST_SUITE("observers") {
    TEST_CASE("the cache reads what the request before sent, and the row says what it cost") {
        CacheObserver observer("none");
        Session session(observer);
        session.message(Role::user, "hello", 1000);
        const TurnRow first = session.request();
        REQUIRE(first.cache.has_value());
        CHECK(first.cache->write == 3000);
        session.message(Role::assistant, "yes", 10);
        session.message(Role::user, "more", 90);
        session.moment.output = 7;
        const TurnRow second = session.request();
        CHECK(second.cache->read == 3000);
        CHECK(second.cache->write == 100);
        CHECK(second.cache->miss_reason.empty());
        REQUIRE(second.cost.has_value());
        CHECK(second.cost->micro_dollars() == 900 + 375 + 105);
        PolicyOutcome outcome;
        observer.on_end(outcome);
        REQUIRE(outcome.cache.has_value());
        CHECK(outcome.cache->read == 3000);
        CHECK(outcome.cache->write == 3100);
        CHECK(outcome.cache->misses == 0);
        CHECK(outcome.cost->micro_dollars() == 3000 * 3.75 + 900 + 375 + 105);
        CHECK_FALSE(outcome.cache->recorded_deviation.has_value());
    }
    TEST_CASE("a bill for a shorter prompt than the model's minimum proves that such prompts are cached") {
        for (const bool shown : {false, true}) {
            CacheObserver observer("none");
            Session session(observer);
            session.moment.unseen_tokens = 600;
            session.message(Role::user, "hello", 100);
            session.moment.billed = shown;
            session.moment.recorded_write = 700;
            CHECK(session.request().cache->write == (shown ? 700u : 0u));
            session.moment.billed = false;
            session.message(Role::user, "more", 90);
            CHECK(session.request().cache->read == (shown ? 700u : 0u));
        }
    }
    TEST_CASE("clearing a result costs the prefix behind it") {
        CacheObserver observer("openclaw");
        Session session(observer);
        session.message(Role::user, "hello", 1000);
        const SourceMessage& result = session.result("a", "long", 5000);
        session.message(Role::user, "go", 50);
        session.request();
        session.clears(result);
        const TurnRow row = session.request();
        CHECK(row.cache->miss_reason == "edit");
        CHECK(row.cache->read == 2000);
        CHECK(row.cache->read + row.cache->write + row.cache->input == row.tokens_after);
    }
    TEST_CASE("an edit says what it costs at once, what it saves, and when it has paid off") {
        CacheObserver observer("openclaw");
        Session session(observer);
        session.message(Role::user, "hello", 1000);
        const SourceMessage& result = session.result("a", "long", 5000);
        session.message(Role::user, "go", 50);
        CHECK_FALSE(session.request().cache->edit.has_value());
        session.clears(result);
        const TurnRow row = session.request();
        REQUIRE(row.cache->edit.has_value());
        CHECK(row.cache->edit->position == 3000);
        CHECK(row.cache->edit->removed == 4995);
        CHECK(row.cache->edit->extra == Money(55ULL * 3'450'000));  // what stands behind it, written and not read
        CHECK(row.cache->edit->saved == Money(4995ULL * 300'000));
        CHECK(row.cache->edit->break_even == 1);
        PolicyOutcome early;
        CacheObserver(observer).on_end(early);
        CHECK(early.cache->edits == 1);
        CHECK(early.cache->paid_off == 0);
        CHECK_FALSE(session.request().cache->edit.has_value());
        PolicyOutcome outcome;
        observer.on_end(outcome);
        CHECK(outcome.cache->edits == 1);
        CHECK(outcome.cache->paid_off == 1);
        CHECK(outcome.cache->break_even == 1);
    }
    TEST_CASE("what is the same after an edit as before is no edit of the cached prompt") {
        CacheObserver observer("openclaw-2026.3");
        Session session(observer);
        session.message(Role::user, "hello", 1000);
        const SourceMessage& result = session.result("a", "long", 5000);
        session.message(Role::user, "go", 50);
        session.clears(result);
        session.request();
        session.clears(result);  // again, as policies do that forget what they did
        CHECK_FALSE(session.request().cache->edit.has_value());
    }
    TEST_CASE("where the record says that writes are for an hour, they are, and cost more") {
        CacheObserver observer("none");
        Session session(observer);
        session.message(Role::user, "hello", 1000);
        session.moment.billed = true;
        session.moment.recorded_write = session.moment.recorded_write_1h = 3000;
        session.moment.clock.now_ms = 1;
        session.request();
        session.message(Role::user, "more", 100);
        session.moment.recorded_read = 3000;
        session.moment.recorded_write = session.moment.recorded_write_1h = 100;
        session.moment.clock.now_ms = 30 * 60'000;
        const TurnRow row = session.request();
        CHECK(row.cache->read == 3000);
        CHECK(row.cost->micro_dollars() == 900 + 600);
    }
    TEST_CASE("without a price the cost is unknown, never 0") {
        CacheObserver observer("none");
        Session session(observer);
        session.model.prices.reset();
        session.message(Role::user, "hello");
        CHECK_FALSE(session.request().cost.has_value());
        PolicyOutcome outcome;
        observer.on_end(outcome);
        CHECK_FALSE(outcome.cost.has_value());
        CHECK(outcome.unpriced_requests == 1);
    }
    TEST_CASE("under the recorded history the deviation is against what was billed") {
        CacheObserver observer(kRecordedPolicy);
        Session session(observer);
        session.moment.billed = true;
        session.message(Role::user, "hello", 1000);
        session.moment.recorded_write = 4000;
        session.request();  // says 3000 where 4000 were billed: parts are taken in proportion
        session.message(Role::user, "more", 1000);
        session.moment.recorded_read = 4000;
        session.moment.recorded_write = 1000;
        session.request();  // 3000 of 4000 read: 3750 of 5000
        PolicyOutcome outcome;
        observer.on_end(outcome);
        CHECK(*outcome.cache->recorded_deviation == doctest::Approx(250.0 / 9000));
    }
    TEST_CASE("every context is held to what the record read, in its rows and in its sums") {
        for (const std::uint64_t read : {4000U, 3000U, 1000U, 0U}) {
            CAPTURE(read);
            CacheObserver observer("none");
            Session session(observer);
            session.moment.billed = true;
            session.message(Role::user, "hello", 2000);
            session.moment.recorded_write = 4000;
            session.request();
            session.moment.recorded_read = read;
            session.moment.recorded_write = 4000 - read;
            const TurnRow second = session.request();
            PolicyOutcome outcome;
            observer.on_end(outcome);
            CHECK(second.cache->read == read);
            CHECK(outcome.cache->read == read);
            CHECK(outcome.cache->write == 8000 - read);
            CHECK(outcome.cost->micro_dollars() == read * 3 / 10 + (8000 - read) * 15 / 4);
            CHECK(outcome.cache->recorded_misses == (read <= 2976 ? 1 : 0));  // 1,024 tokens are clearly less
            CHECK(second.cache->miss_reason == (read <= 2976 ? "unknown" : ""));
            CHECK_FALSE(outcome.cache->assumed);
            if (read == 4000) {
                CHECK_FALSE(outcome.cache->scaled_by.has_value());
            } else {
                CHECK(*outcome.cache->scaled_by == doctest::Approx(read / 4000.0));
            }
        }
    }
    TEST_CASE("a recording that never shows a cache holds nobody, and that is said") {
        CacheObserver observer("none");
        Session session(observer);
        session.moment.billed = true;
        session.message(Role::user, "hello", 2000);
        session.moment.recorded_input = 4000;
        session.request();
        session.request();
        PolicyOutcome outcome;
        observer.on_end(outcome);
        CHECK(outcome.cache->assumed);
        CHECK(outcome.cache->read == 4000);
        CHECK_FALSE(outcome.cache->scaled_by.has_value());
    }
    TEST_CASE("an edit at a request that found no cache costs nothing") {
        for (const std::uint64_t read : {9000U, 0U}) {
            CacheObserver observer("none");
            Session session(observer);
            session.moment.billed = true;
            session.calls("a", "read_file", "{}", 9);
            const SourceMessage& old = session.result("a", "content", 3000);
            session.message(Role::user, "next", 3980);
            session.moment.recorded_write = 9000;
            session.request();
            session.clears(old);
            session.moment.recorded_read = read;
            session.moment.recorded_write = 9000 - read;
            const TurnRow row = session.request();
            REQUIRE(row.cache->edit.has_value());
            CHECK((row.cache->edit->extra->parts() == 0) == (read == 0));
        }
    }
    TEST_CASE("a result that was cleared and is read again stands in the row of the request that sends it") {
        RegretObserver observer;
        Session session(observer);
        session.message(Role::user, "hello");
        session.calls("a", "read_file", R"({"path":"x.txt"})", 9);
        const SourceMessage& first = session.result("a", "content", 700);
        session.request();
        session.clears(first);
        CHECK(session.request().regret.empty());
        session.calls("b", "read_file", R"({"path":"x.txt"})", 9);
        session.result("b", "content", 650);
        const TurnRow row = session.request();
        REQUIRE(row.regret.size() == 1);
        CHECK(row.regret[0].kind == "reread");
        CHECK(row.regret[0].source_index == first.message->source_index);
        CHECK(row.regret[0].tokens == 650);
        PolicyOutcome outcome;
        observer.on_end(outcome);
        CHECK(outcome.regret->rereads == 1);
        CHECK(outcome.regret->tokens == 650);
        CHECK(outcome.regret->first_loss_turn == 1);
    }
    TEST_CASE("what is missing for one request only is missed by the answer to that request alone") {
        for (const bool asked_at_once : {true, false}) {
            RegretObserver observer;
            Session session(observer);
            const SourceMessage& known = session.message(Role::user, "the key is 8f3a9c21");
            session.clears(known, true);
            session.request();
            if (!asked_at_once) {
                session.message(Role::assistant, "well");
                observer.on_return(known);
                session.request();
            }
            session.message(Role::assistant, "with 8f3a9c21");
            session.request();
            PolicyOutcome outcome;
            observer.on_end(outcome);
            CHECK(outcome.regret->lost_identifiers == (asked_at_once ? 1 : 0));
        }
    }
    TEST_CASE("identifiers that come with a message are not looked for again") {
        RegretObserver observer;
        SourceMessage source;
        Msg made;
        made.role = Role::user;
        made.blocks.push_back(text_block("nothing here"));
        source.message = std::make_shared<const Msg>(made);
        source.identified = true;
        source.identifiers = {4711};
        observer.on_message(source);
        const MsgPtr as_sent = source.message;
        observer.on_leave({&source, as_sent, nullptr, Action::drop, 300, false});
        SourceMessage answer;
        made.role = Role::assistant;
        made.source_index = 1;
        answer.message = std::make_shared<const Msg>(made);
        answer.place = 1;
        answer.identified = true;
        answer.identifiers = {4711};
        observer.on_message(answer);
        PolicyOutcome outcome;
        observer.on_end(outcome);
        CHECK(outcome.regret->lost_identifiers == 1);
        CHECK(outcome.regret->tokens == 300);
    }
    TEST_CASE("a session without requests says nothing of a cache") {
        CacheObserver observer("none");
        PolicyOutcome outcome;
        observer.on_end(outcome);
        CHECK_FALSE(outcome.cache.has_value());
    }
}
