#include <agent_audit/tokens/ledger.hpp>

#include "model/plain_name.hpp"
#include "support/saturate.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/unescape.hpp>
#include <agent_audit/tokens/estimate.hpp>

#include <algorithm>
#include <type_traits>

namespace agent_audit {
namespace {

// Those that may be the dearest, once models have their prices.
constexpr std::size_t kDearTurns = 8;
constexpr std::size_t kMaxModels = 256;
constexpr std::size_t kLongestName = 200;  // bytes kept of a model's
constexpr std::size_t kMaxLanes = 4096;
constexpr std::uint16_t kNoModel = 0xffff;
constexpr std::size_t kNoRequest = ~std::size_t{0};
// A repeated id never has more than one other id in between (149,000 real records); eight leave room.
constexpr std::size_t kReplaceWindow = 8;
static_assert(kReplaceWindow <= RequestList::kOpen);
// Texts that wait to be estimated, in bytes.
constexpr std::size_t kMaxWaiting = 64u << 10;

void set_counts(RequestRecord& r, const TokenCounts& t) {
    r.input = saturated(t.input);
    r.cache_write = saturated(t.cache_write);
    r.cache_read = saturated(t.cache_read);
    r.output = saturated(t.output);
    r.reasoning = saturated(t.reasoning);
    r.cache_write_1h = saturated(t.cache_write_1h);
}

// What tokens cost at most models, in tenths of an input token (Anthropic's list: a write to the cache 1.25 and for an
// hour 2, a read 0.1, output 5).
std::uint64_t usual_price(const TokenCounts& t) {
    constexpr std::uint64_t kInput = 10, kWrite = 12, kWriteForHour = 20, kRead = 1, kOutput = 50;
    const std::uint64_t for_hour = std::min(t.cache_write_1h, t.cache_write);
    return t.input * kInput + (t.cache_write - for_hour) * kWrite + for_hour * kWriteForHour + t.cache_read * kRead +
           t.output * kOutput;
}

// Adds a turn to those with the largest measure, largest first; of equals the earlier.
template <class Measure>
void insert(std::vector<SessionUsage::Turn>& top, const SessionUsage::Turn& turn, Measure measure) {
    const auto size = [measure](const TurnTokens& t) { return measure(t.tokens); };
    top.insert(std::ranges::upper_bound(top, size(turn), std::greater<>{}, size), turn);
}

// The kinds of event that tell a setting are the first ones.
constexpr std::size_t kLastSetting = 2;
static_assert(std::is_same_v<std::variant_alternative_t<0, EventBody>, SessionStart> &&
              std::is_same_v<std::variant_alternative_t<1, EventBody>, ContextChange> &&
              std::is_same_v<std::variant_alternative_t<kLastSetting, EventBody>, LaneOpen>);

// What was heard, and then this. Words of programs and of the model do not count: the first differ in copies.
std::uint64_t heard_with(std::uint64_t heard, const Message& message) {
    constexpr std::size_t kBegin = 64;  // bytes
    const bool asks = message.role == Role::user && message.origin <= Origin::agent;
    if (!asks) return heard;
    return mix_hash(mix_hash(heard, message.text.size()), stable_hash(message.text.bytes.substr(0, kBegin)));
}

// Texts of the model that are looked at, and how far, for characters that are written as \u04ff: their bytes say little
// of their tokens. Who writes so does so throughout.
constexpr unsigned kLookAt = 32;
constexpr std::size_t kLookInto = 256;

}  // namespace

struct TokenLedger::Impl {
    // A text that was met before any figure. Most sessions record figures, and then nobody asks for its estimate.
    struct Waiting {
        std::uint32_t lane;
        bool output;
        TextForm form;
        std::uint32_t begin, size;  // in waiting_text
    };

    struct Lane {
        TokenCounts spent;
        std::uint16_t model = kNoModel;  // told last, by a setting or by a request
        SessionUsage::Turn turn;         // of the turn being read
    };

    SessionUsage usage;
    std::vector<SessionUsage::Turn> dear_turns;  // none of the largest, but maybe dearer
    std::vector<Lane> lanes{1};
    TokenCounts session;
    TokenCounts cumulative;  // last running totals of the session
    std::uint64_t cumulative_cost = 0;
    std::string last_name;  // of a model, as it was recorded,
    TextForm last_form = TextForm::plain;
    std::uint16_t last_model = 0;  // and its number
    std::vector<Waiting> waiting;
    std::string waiting_text;
    bool recorded = false;
    std::uint64_t heard = 0;  // what was said, called and answered so far
    unsigned looked_at = 0;
    bool spelled_out = false;

    Lane& lane(std::uint32_t number) {
        const std::size_t at = std::min<std::size_t>(number, kMaxLanes);
        if (lanes.size() <= at) lanes.resize(at + 1);
        return lanes[at];
    }

    // Most requests are of the model of the request before.
    std::uint16_t model(RawText raw) {
        if (!usage.models.empty() && raw.form == last_form && raw.bytes == last_name) return last_model;
        last_model = find_model(raw);
        last_form = raw.form;
        last_name.assign(raw.bytes.substr(0, kLongestName));
        return last_model;
    }

    std::uint16_t find_model(RawText raw) {
        const PlainName plain(raw);
        const std::string_view name = plain.view();
        for (std::size_t i = 0; i < usage.models.size(); ++i) {
            if (usage.models[i] == name) return static_cast<std::uint16_t>(i);
        }
        if (usage.models.size() < kMaxModels) usage.models.emplace_back(cut_utf8(name, kLongestName));
        return static_cast<std::uint16_t>(usage.models.size() - 1);
    }

    // A record that names no model was billed for the one its lane is known to talk to, or else the main conversation.
    std::uint16_t model_of(const Lane& l) {
        if (l.model != kNoModel) return l.model;
        if (lanes.front().model != kNoModel) return lanes.front().model;
        return usage.models.empty() ? model({}) : std::uint16_t{0};
    }

    // Some programs name the model at the end only. When a session names one and no other, all its requests were its.
    void name_requests() {
        const auto unnamed = std::ranges::find(usage.models, std::string());
        if (unnamed == usage.models.end() || usage.models.size() != 2) return;
        const auto nameless = static_cast<std::uint32_t>(unnamed - usage.models.begin());
        usage.requests.rename_model(nameless, 1 - nameless);
    }

    void tell_model(std::uint32_t lane_number, RawText name) {
        if (!name.empty()) lane(lane_number).model = model(name);
    }

    // What is told before or between the requests.
    void on_setting(const Event& event) {
        if (const auto* start = std::get_if<SessionStart>(&event.body))
            return tell_model(event.head.lane, start->model);
        if (const auto* change = std::get_if<ContextChange>(&event.body))
            return tell_model(event.head.lane, change->model);
        const auto* open = std::get_if<LaneOpen>(&event.body);
        if (!open || usage.lanes.size() >= kMaxLanes) return;
        usage.lanes.push_back({event.head.lane, std::string(cut_utf8(open->agent_id.bytes, 100)), {}, 0});
    }

    // ---- recorded usage ---------------------------------------------------------------------------------

    void on_usage(const Event& event, const Usage& u) {
        Lane& l = lane(event.head.lane);
        if (!u.model.empty()) l.model = model(u.model);
        if (u.window_tokens > 0 && event.head.lane == 0) usage.window_tokens = u.window_tokens;
        if (u.scope == UsageScope::request || u.tokens.total() > 0) note_context(event, u);
        if (!recorded && u.tokens.total() > 0) begin_recorded();
        const std::size_t request = count(event, u);
        if (u.rest && usage.told_models.size() < kMaxLanes)
            usage.told_models.push_back({usage.models[model_of(l)], usage.requests.size()});
        if (u.cost_microusd && request != kNoRequest) {
            pay(request, *u.cost_microusd);
        } else if (u.cost_microusd) {
            add_cost(*u.cost_microusd, u.mode);
        }
    }

    // The number of the request that the figures are about.
    std::size_t count(const Event& event, const Usage& u) {
        switch (u.mode) {
            case UsageMode::add: return u.tokens.total() > 0 ? add_request(event, u, u.tokens) : kNoRequest;
            case UsageMode::replace: return replace(event, u);
            case UsageMode::cumulative: difference(event, u); break;
        }
        return kNoRequest;
    }

    // Estimates made before the first recorded figure are dropped: the figures include those texts.
    void begin_recorded() {
        recorded = true;
        session = {};
        for (Lane& l : lanes) l.spent = {};
    }

    void add_cost(std::uint64_t microusd, UsageMode mode) {
        std::uint64_t more = microusd;
        if (mode == UsageMode::cumulative) {  // a running total; a smaller one began anew
            more = microusd >= cumulative_cost ? microusd - cumulative_cost : microusd;
            cumulative_cost = microusd;
        }
        usage.cost_microusd = usage.cost_microusd.value_or(0) + more;
    }

    // A response that is recorded several times was paid once.
    void pay(std::size_t request, std::uint64_t microusd) {
        if (usage.paid.size() <= request) usage.paid.resize(request + 1);
        std::uint32_t& paid = usage.paid[request];
        const std::uint32_t most = std::max(paid, saturated(microusd));
        usage.cost_microusd = usage.cost_microusd.value_or(0) + (most - paid);
        paid = most;
    }

    void note_context(const Event& event, const Usage& u) {
        if (event.head.lane != 0 || (event.head.flags & kCopied) != 0) return;
        // Sums of a session are no prompt that was ever sent.
        const bool prompt = u.scope == UsageScope::request && u.mode != UsageMode::cumulative;
        const std::uint64_t context = u.context_tokens ? *u.context_tokens : prompt ? u.tokens.prompt() : 0;
        if (context > usage.peak_context) {
            usage.peak_context = context;
            usage.peak_context_line = event.head.where.line;
        }
    }

    std::size_t add_request(const Event& event, const Usage& u, const TokenCounts& tokens) {
        Lane& l = lane(event.head.lane);
        if (usage.requests.size() % SessionUsage::kBegunEvery == 0) usage.begun.push_back(event.head.seq);
        RequestRecord r;
        r.message_key = u.message_key;
        r.request_key = folded_request_key(u.request_key);
        r.lane = event.head.lane;
        r.model = model_of(l);
        r.sidechain = u.sidechain;
        set_counts(r, tokens);
        usage.requests.push_back(r);
        usage.heard.push_back(static_cast<std::uint32_t>(heard ^ heard >> 32));
        spend(event, l, r.counts(), 1);
        return usage.requests.size() - 1;
    }

    void spend(const Event& event, Lane& l, const TokenCounts& tokens, std::uint64_t requests) {
        l.spent += tokens;
        session += tokens;
        if ((event.head.flags & kCopied) != 0) return;  // a turn of another session's
        if (l.turn.turn != event.head.turn || l.turn.requests == 0) {
            keep_turn(l.turn);
            l.turn = {{event.head.lane, event.head.turn, event.head.where.line, {}, 0}, usage.requests.size() - 1, 0};
        }
        l.turn.end = usage.requests.size();
        l.turn.tokens += tokens;
        l.turn.requests += requests;
    }

    void keep_turn(const SessionUsage::Turn& turn) {
        if (turn.requests == 0) return;
        auto& top = usage.top_turns;
        const auto sum = [](const TokenCounts& t) { return t.total(); };
        if (top.size() < SessionUsage::kTopTurns) return insert(top, turn, sum);
        SessionUsage::Turn smaller = turn;
        if (turn.tokens.total() > top.back().tokens.total()) {
            smaller = top.back();
            top.pop_back();
            insert(top, turn, sum);
        }
        if (dear_turns.size() == kDearTurns) {
            if (usual_price(smaller.tokens) <= usual_price(dear_turns.back().tokens)) return;
            dear_turns.pop_back();
        }
        insert(dear_turns, smaller, usual_price);
    }

    // The same response again: the record with the larger sum counts, the smaller ones were written while it streamed.
    std::size_t replace(const Event& event, const Usage& u) {
        if (u.message_key != 0) {
            RequestList& all = usage.requests;
            const std::uint32_t request_key = folded_request_key(u.request_key);
            const std::size_t window = std::min(all.size(), kReplaceWindow);
            for (std::size_t back = 0; back < window; ++back) {
                RequestRecord& known = all.recent(back);
                if (known.message_key != u.message_key || known.request_key != request_key) continue;
                if (u.tokens.total() > known.sum()) {
                    const TokenCounts before = known.counts();
                    set_counts(known, u.tokens);
                    Lane& l = lane(known.lane);
                    change(l.spent, before, known.counts());
                    change(session, before, known.counts());
                    change(l.turn.tokens, before, known.counts());
                }
                return all.size() - 1 - back;
            }
        }
        return u.tokens.total() > 0 ? add_request(event, u, u.tokens) : kNoRequest;
    }

    static void change(TokenCounts& sum, const TokenCounts& before, const TokenCounts& after) {
        sum = minus(sum, before);
        sum += after;
    }

    void difference(const Event& event, const Usage& u) {
        if (u.tokens.total() == 0) return;
        const bool reset = u.tokens.total() < cumulative.total();
        const TokenCounts delta = reset ? u.tokens : minus(u.tokens, cumulative);
        cumulative = u.tokens;
        // Totals of replayed history are the base of later differences, not this session's spending.
        if ((event.head.flags & kCopied) != 0 || delta.total() == 0) return;
        add_request(event, u, delta);
    }

    // ---- estimates --------------------------------------------------------------------------------------

    bool look(RawText text) {
        ++looked_at;
        return text.form != TextForm::plain && text.bytes.substr(0, kLookInto).find("\\u") != std::string_view::npos;
    }

    void on_text(const Event& event, RawText text, bool output) {
        if (text.empty() || (event.head.flags & (kCopied | kHidden)) != 0) return;
        if (output) {
            usage.written_bytes += text.size();
            if (looked_at < kLookAt) spelled_out |= look(text);
        }
        if (recorded) return;
        if (text.size() > kMaxWaiting) return count_estimate(event.head.lane, text, output);
        if (waiting_text.size() + text.size() > kMaxWaiting) catch_up();
        waiting.push_back({event.head.lane, output, text.form, saturated(waiting_text.size()), saturated(text.size())});
        waiting_text += text.bytes;
    }

    // Somebody asks: estimates what waits. Once figures are recorded it is no part of the sums.
    void catch_up() {
        for (const Waiting& w : waiting)
            count_estimate(w.lane, {std::string_view(waiting_text).substr(w.begin, w.size), w.form}, w.output);
        waiting.clear();
        waiting_text.clear();
    }

    void count_estimate(std::uint32_t lane_number, RawText text, bool output) {
        TokenCounts tokens;
        (output ? tokens.output : tokens.input) = estimate_tokens(text);
        usage.estimated += tokens;
        if (recorded) return;
        session += tokens;
        lane(lane_number).spent += tokens;
    }
};

TokenLedger::TokenLedger() : impl_(std::make_unique<Impl>()) {}
TokenLedger::~TokenLedger() = default;

void TokenLedger::on_event(const Event& event) {
    Impl& s = *impl_;
    if (const auto* usage = std::get_if<Usage>(&event.body)) return s.on_usage(event, *usage);
    // One comparison for all three: most events are neither, and there are many.
    if (event.body.index() <= kLastSetting) return s.on_setting(event);
    if (const auto* result = std::get_if<ToolResult>(&event.body)) {
        s.heard = mix_hash(s.heard, result->text.size());
        s.on_text(event, result->text, false);
    } else if (const auto* call = std::get_if<ToolCall>(&event.body)) {
        s.heard = mix_hash(s.heard, call->digest.canonical);
        s.on_text(event, call->args, true);
    } else if (const auto* message = std::get_if<Message>(&event.body)) {
        s.heard = heard_with(s.heard, *message);
        s.on_text(event, message->text, message->role == Role::assistant);
    } else if (const auto* thinking = std::get_if<Thinking>(&event.body)) {
        s.on_text(event, thinking->text, true);
    }
}

const TokenCounts& TokenLedger::lane_spent(std::uint32_t lane) const {
    if (!impl_->recorded) impl_->catch_up();
    return impl_->lane(lane).spent;
}

const TokenCounts& TokenLedger::session_spent() const {
    if (!impl_->recorded) impl_->catch_up();
    return impl_->session;
}

const RequestRecord* TokenLedger::newest_request() const {
    return impl_->usage.requests.empty() ? nullptr : &impl_->usage.requests.recent(0);
}
std::size_t TokenLedger::requests() const { return impl_->usage.requests.size(); }
const std::string& TokenLedger::model(std::uint32_t index) const { return impl_->usage.models[index]; }
std::uint64_t TokenLedger::window_tokens() const { return impl_->usage.window_tokens; }

SessionUsage TokenLedger::finish() {
    for (const auto& l : impl_->lanes) impl_->keep_turn(l.turn);
    if (impl_->usage.requests.empty()) impl_->catch_up();
    impl_->name_requests();
    SessionUsage usage = std::move(impl_->usage);
    usage.top_turns.insert(usage.top_turns.end(), impl_->dear_turns.begin(), impl_->dear_turns.end());
    if (impl_->recorded) usage.recorded_output = impl_->session.output;
    if (impl_->spelled_out) usage.written_bytes = 0;
    usage.running_total = impl_->cumulative;
    *impl_ = Impl{};
    return usage;
}

}  // namespace agent_audit
