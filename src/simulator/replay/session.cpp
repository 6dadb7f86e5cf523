#include "support/saturate.hpp"

#include <agent_audit/simulator/session.hpp>

#include <agent_audit/simulator/identifiers.hpp>
#include <agent_audit/support/hash.hpp>
#include <agent_audit/tokens/lengths.hpp>

#include <algorithm>
#include <utility>

namespace agent_audit::simulator {
namespace {

constexpr std::uint16_t kNotSent = kPartial | kHidden | kStale;
constexpr std::size_t kMaxOpenCalls = 4096, kMaxModels = 256, kMaxSteps = 1u << 20;

FeatureCounts counts_of(const TextFeatures& features) {
    FeatureCounts out{};
    std::ranges::transform(features.hundredths, out.begin(), saturated);
    return out;
}

IdHash hash_of(std::string_view id) { return id.empty() ? 0 : stable_hash(id); }

/// What is enciphered has a length, and no words that anybody reads.
class Enciphered final : public TextSource {
public:
    std::string_view read(std::uint64_t, std::uint64_t, std::size_t, std::string&) const override { return {}; }
};

Text enciphered(std::uint64_t bytes) {
    static const auto source = std::make_shared<const Enciphered>();
    const std::uint32_t length = saturated(bytes);
    return Text(source, 0, length, {length, length, length, length, length, length});
}

/// As long as JSON.stringify writes it, and a text as long as it is.
std::uint64_t details_units(RawText details) {
    std::string_view json = details.bytes;
    if (!json.starts_with('"')) return utf16_length(json);
    json.remove_prefix(1);
    return utf16_length(words_of({json.substr(0, json.rfind('"')), TextForm::json_string}, WordsAs::text));
}

std::string short_string(RawText raw) {
    constexpr std::size_t kLongest = 1024;
    return words_of({raw.bytes.substr(0, kLongest), raw.form}, WordsAs::text);
}

}  // namespace

SessionMessages::SessionMessages(WordKeeper& words, SessionSink& sink, std::uint32_t lane)
    : words_(words), sink_(sink), lane_(lane) {}

void SessionMessages::on_event(const Event& event) {
    if (event.head.lane != lane_) {
        ++other_lanes_;
        return;
    }
    std::visit([&](const auto& body) { on(event, body); }, event.body);
}

void SessionMessages::finish() { flush_answer(); }

// ---- parts of messages -------------------------------------------------------------------------------------------

SessionMessages::Draft SessionMessages::draft(const Event& event, simulator::Role role) {
    Draft out;
    out.message.role = role;
    out.message.shape = ContentShape::blocks;
    if (keep_words_ && role == simulator::Role::assistant) out.message.blocks.reserve(2);  // words and a call
    if (event.head.time_ms != kNoTime) out.facts.time_ms = static_cast<double>(event.head.time_ms);
    out.message.time_ms = out.facts.time_ms;
    out.facts.turn = event.head.turn;
    out.facts.line = event.head.where.line;
    out.facts.record = hash_of(event.head.record_id);
    out.facts.hash = static_cast<std::uint64_t>(role);
    if (!spare_.empty()) {
        out.facts.identifiers = std::move(spare_.back());
        spare_.pop_back();
    }
    return out;
}

void SessionMessages::add_text(Draft& draft, BlockKind kind, RawText raw, WordsAs as, const TextTally& counted) {
    if (raw.empty()) return;
    ++draft.facts.blocks;
    draft.facts.hash = mix_hash(draft.facts.hash, stable_hash(raw.bytes, static_cast<std::uint64_t>(kind)));
    if (!keep_words_) return;
    Block block;
    block.kind = kind;
    block.has_text = true;
    block.text = words_.keep(raw, as, counted);
    draft.message.blocks.push_back(std::move(block));
    note_identifiers(draft, raw.bytes);
}

void SessionMessages::note_identifiers(Draft& draft, std::string_view raw) const {
    if (collect_identifiers_) append_identifiers(draft.facts.identifiers, raw, true);
}

/// The signature of a thought, or the thought itself where nobody can read it: it is sent back, and agents count it.
void SessionMessages::add_signature(Draft& draft, const Thinking& thinking) const {
    if (thinking.opaque_bytes == 0 || !keep_words_) return;
    std::vector<Block>& blocks = draft.message.blocks;
    if (thinking.text.empty()) {
        Block block;
        block.kind = BlockKind::thinking;
        block.has_text = true;
        blocks.push_back(std::move(block));
    }
    blocks.back().signature = enciphered(thinking.opaque_bytes);
}

void SessionMessages::add_images(Draft& draft, std::uint32_t count) {
    if (count == 0) return;
    constexpr std::uint32_t kMost = 1000;
    draft.facts.blocks += std::min(count, kMost);
    draft.features.count(Feature::images, count);
    draft.facts.hash = mix_hash(draft.facts.hash, count);
    if (!keep_words_) return;
    Block image;
    image.kind = BlockKind::image;
    draft.message.blocks.insert(draft.message.blocks.end(), std::min(count, kMost), image);
}

void SessionMessages::use_model(RawText model) {
    if (model.empty()) return;
    std::string name = short_string(model);
    if (name == model_) return;
    if (models_.size() == kMaxModels) return;
    model_ = models_.emplace_back(std::move(name));
}

// ---- answers -----------------------------------------------------------------------------------------------------

// The model begins to answer: everything handed on so far is its prompt.
void SessionMessages::begin_answer(const Event& event) {
    const bool same = response_ != 0 ? event.head.response == response_ : answering_;
    const bool unknown = event.head.response == 0 && answering_;
    answering_ = true;
    if (answer_ && (same || unknown)) return;
    flush_answer();
    response_ = event.head.response;
    answer_ = draft(event, simulator::Role::assistant);
    copied_answer_ = (event.head.flags & kCopied) != 0;
    request_ = {};
    request_.line = event.head.where.line;
    request_.turn = event.head.turn;
    request_.now_ms = answer_->facts.time_ms.value_or(0);
    request_.restart = std::exchange(restart_, false);
    request_.model = model_;
    request_.window_tokens = window_;
    request_.window_usual = window_usual_;
    request_.system_bytes = system_bytes_;
    ++unbilled_;
}

void SessionMessages::flush_answer() {
    if (answer_) {
        if (copied_answer_) {
            ++copied_;
        } else {
            sink_.on_request(request_);
        }
        if (request_.prompt > 0) {
            Usage usage;
            usage.input = static_cast<double>(request_.billed.input);
            usage.output = static_cast<double>(request_.billed.output);
            usage.cache_read = static_cast<double>(request_.billed.cache_read);
            usage.cache_write = static_cast<double>(request_.billed.cache_write);
            answer_->message.usage = usage;
        }
        // Where the bill says how much of the answer was reasoning, nothing has to be guessed from what is enciphered.
        if (request_.billed.reasoning > 0) {
            answer_->features.hundredths[static_cast<std::size_t>(Feature::reasoning)] = 0;
            answer_->features.count(Feature::reasoning, kReasoningPerToken * request_.billed.reasoning);
        }
        const bool called = !answer_->facts.calls.empty();
        StopReason& stop = answer_->message.stop;
        if (stop == StopReason::none) stop = called ? StopReason::tool_use : StopReason::stop;
        hand_on(*answer_);
        answer_.reset();
    }
    handed_on_.swap(after_);
    for (Step& step : handed_on_) std::visit([&](auto& one) { hand_on(one); }, step);
    handed_on_.clear();
}

void SessionMessages::queue(Step step) {
    if (after_.size() >= kMaxSteps) flush_answer();
    if (answer_) {
        after_.push_back(std::move(step));
    } else {
        std::visit([&](auto& one) { hand_on(one); }, step);
    }
}

MsgPtr SessionMessages::finished(Draft& draft) {
    if (keep_words_) {
        draft.message.source_index = messages_.size();
        return std::make_shared<const Msg>(std::move(draft.message));
    }
    const auto known = std::ranges::find(blank_, draft.message.role, [](const MsgPtr& one) { return one->role; });
    if (known != blank_.end()) return *known;
    Msg blank;
    blank.role = draft.message.role;
    return blank_.emplace_back(std::make_shared<const Msg>(std::move(blank)));
}

void SessionMessages::hand_on(Draft& draft) {
    const std::size_t place = messages_.size();
    MsgPtr message = finished(draft);
    Recorded& kept = messages_.emplace_back(std::move(draft.facts));
    kept.place = static_cast<std::uint32_t>(place);
    kept.features = counts_of(draft.features);
    kept.message = std::move(message);
    live_.push_back(place);
    new_identifiers_.keep(kept.identifiers);
    kept.identified = collect_identifiers_;
    kept.before = collect_identifiers_ ? &identifiers_ : nullptr;
    rare_.clear();
    if (kept.message->role == simulator::Role::assistant) identifiers_.find_rare(kept.identifiers, rare_);
    kept.rare = rare_;
    sink_.on_message(kept, draft.recorded_only);
    kept.rare = {};
    if (!draft.recorded_only) {
        identifiers_.add(kept.identifiers, static_cast<std::uint32_t>(place));
    }
    kept.before = nullptr;
    if (let_go_) {
        kept.message.reset();
        std::vector<CallFacts>().swap(kept.calls);
    }
    kept.identifiers.clear();
    spare_.push_back(std::exchange(kept.identifiers, {}));
    kept.identified = false;
}

const std::size_t* SessionMessages::place_of_record(IdHash record) {
    for (; looked_up_ < messages_.size(); ++looked_up_) {
        if (messages_[looked_up_].record != 0) place_of_record_[messages_[looked_up_].record] = looked_up_;
    }
    return record == 0 ? nullptr : place_of_record_.find(record);
}

void SessionMessages::hand_on(Shrunk& shrunk) {
    RecordedCompaction& facts = shrunk.facts;
    facts.kept_from = messages_.size();
    if (facts.keep == Keep::from_record) {
        if (const std::size_t* at = place_of_record(shrunk.keep_record)) facts.kept_from = *at;
    } else if (facts.keep == Keep::from_index && shrunk.keep_index < live_.size()) {
        facts.kept_from = live_[shrunk.keep_index];
    }
    sink_.on_compaction(facts);
}

std::size_t SessionMessages::first_gone(const Undo& undo) {
    const std::size_t none = messages_.size();
    const bool by_record =
        undo.rewind.target == RewindTarget::to_record || undo.rewind.target == RewindTarget::before_record;
    const std::size_t* const place = by_record ? place_of_record(undo.record) : nullptr;
    switch (undo.rewind.target) {
        case RewindTarget::all: return 0;
        case RewindTarget::to_record: return place ? *place + 1 : none;
        case RewindTarget::before_record: return place ? *place : none;
        case RewindTarget::last_events: {
            const std::size_t gone = std::min<std::uint64_t>(undo.rewind.count, live_.size());
            return gone == 0 ? none : live_[live_.size() - gone];
        }
        case RewindTarget::last_turns: break;
    }
    std::uint64_t left = undo.rewind.count;
    std::size_t from = none;
    for (std::size_t i = live_.size(); i-- > 0 && left > 0;) {
        if (!messages_[live_[i]].human) continue;
        from = live_[i];
        --left;
    }
    return from;
}

void SessionMessages::hand_on(Undo& undo) {
    const std::size_t from = first_gone(undo);
    if (from >= messages_.size()) return;
    live_.erase(std::ranges::lower_bound(live_, from), live_.end());
    sink_.on_rewind(from);
}

// ---- events ------------------------------------------------------------------------------------------------------

void SessionMessages::on(const Event&, const SessionStart& start) { use_model(start.model); }

// A turn that ends while the model answers breaks the answer off: its calls, if there are any, have no results.
void SessionMessages::on(const Event&, const TurnEnd& end) {
    if (!answer_ || !answering_) return;
    if (end.status == TurnStatus::aborted) answer_->message.stop = StopReason::aborted;
    if (end.status == TurnStatus::failed) answer_->message.stop = StopReason::error;
}

void SessionMessages::on(const Event& event, const ContextChange& change) {
    if (!change.model.empty()) {
        const std::string_view before = model_;
        use_model(change.model);
        restart_ = restart_ || (!before.empty() && before != model_);
    }
    if (change.window_tokens > 0) {
        window_ = change.window_tokens;
        window_usual_ = (event.head.flags & kSynthetic) != 0;
    }
    if (change.system_prompt_bytes > 0) system_bytes_ = change.system_prompt_bytes;
}

void SessionMessages::on(const Event& event, const Message& message) {
    if ((event.head.flags & kNotSent) != 0) return;
    const bool by_tool = (event.head.flags & kSynthetic) != 0;
    const TextTally counted = tally(message.text);
    if (message.role == agent_audit::Role::assistant && by_tool) {  // no request, but a part of later prompts
        answering_ = false;
        Draft made = draft(event, simulator::Role::assistant);
        add_text(made, BlockKind::text, message.text, WordsAs::content, counted);
        made.message.stop = StopReason::stop;
        counted.add_to(made.features);
        made.features.count(Feature::messages);
        queue(std::move(made));
        return;
    }
    if (message.role == agent_audit::Role::assistant) {
        begin_answer(event);
        add_text(*answer_, BlockKind::text, message.text, WordsAs::content, counted);
        add_images(*answer_, message.media_count);
        counted.add_to(answer_->features);
        answer_->features.count(Feature::messages);
        return;
    }
    answering_ = false;
    const bool system = message.role == agent_audit::Role::system;
    Draft made = draft(event, system ? simulator::Role::system : simulator::Role::user);
    made.facts.human = message.origin == Origin::human || message.origin == Origin::queued;
    made.message.injected = by_tool && !system;
    made.recorded_only = message.origin == Origin::summary;
    made.facts.may_prohibit = made.facts.human && collect_identifiers_ && may_prohibit(message.text.bytes);
    add_text(made, BlockKind::text, message.text, WordsAs::content, counted);
    add_images(made, message.media_count);
    if (message.media_count == 0 && made.message.blocks.size() == 1) made.message.shape = ContentShape::text;
    counted.add_to(made.features);
    made.features.count(Feature::messages);
    queue(std::move(made));
}

void SessionMessages::on(const Event& event, const Thinking& thinking) {
    if ((event.head.flags & kNotSent) != 0) return;
    begin_answer(event);
    const TextTally counted = tally(thinking.text);
    add_text(*answer_, BlockKind::thinking, thinking.text, WordsAs::text, counted);
    add_signature(*answer_, thinking);
    answer_->features.count(Feature::reasoning, counted.tokens() + thinking.opaque_bytes / 4);
}

void SessionMessages::on(const Event& event, const ToolCall& call) {
    if ((event.head.flags & kNotSent) != 0) return;
    if (call.caller != Caller::model && !answer_) return;
    if (call.caller != Caller::user) begin_answer(event);  // what a human runs stands with the answer before
    const TextTally counted = tally(call.args);
    Call open{short_string(call.call_id), short_string(call.name), {}};
    Draft& answer = *answer_;
    ++answer.facts.blocks;
    answer.facts.hash = mix_hash(answer.facts.hash, stable_hash(call.args.bytes, stable_hash(open.name)));
    counted.add_to(answer.features);
    answer.features.count(Feature::calls);
    if (keep_words_) {
        Block block;
        block.kind = BlockKind::tool_call;
        block.pi_call = true;
        block.args = call.args.empty() ? ArgsState::absent : ArgsState::present;
        if (!call.args.empty()) block.text = words_.keep(call.args, WordsAs::arguments, counted);
        block.id = open.id;
        block.name = open.name;
        note_identifiers(answer, call.args.bytes);
        open.facts = facts_of(call, open, block.text);
        answer.facts.calls.push_back(open.facts);
        answer.message.blocks.push_back(std::move(block));
    }
    open_calls_.push_back(std::move(open));
    if (open_calls_.size() > kMaxOpenCalls) open_calls_.pop_front();
}

CallKind SessionMessages::kind_of(const std::string& tool) {
    constexpr std::size_t kMost = 16;
    const auto known = std::ranges::find(kinds_, tool, &std::pair<std::string, CallKind>::first);
    if (known != kinds_.end()) return known->second;
    const CallKind kind = call_kind(tool);
    if (kinds_.size() < kMost) kinds_.emplace_back(tool, kind);
    return kind;
}

CallFacts SessionMessages::facts_of(const ToolCall& call, const Call& names, const Text& arguments) {
    CallFacts facts;
    facts.id = stable_hash(names.id);
    facts.digest = call.digest.opaque ? 0 : call.digest.canonical;
    facts.subject = hash_of(call.primary.bytes);
    if (!collect_identifiers_) return facts;  // nobody asks what it does
    facts.kind = kind_of(names.name);
    std::string scratch;
    if (facts.kind == CallKind::read) facts.range = line_range(arguments.read(scratch));
    return facts;
}

SessionMessages::Call SessionMessages::take_call(RawText id) {
    Call found;
    found.id = short_string(id);
    auto at = open_calls_.begin();
    if (!found.id.empty()) {
        const auto newest = std::ranges::find(open_calls_.rbegin(), open_calls_.rend(), found.id, &Call::id);
        if (newest == open_calls_.rend()) return found;
        at = newest.base() - 1;
    }
    if (at == open_calls_.end()) return found;
    found = std::move(*at);
    open_calls_.erase(at);
    return found;
}

void SessionMessages::on(const Event& event, const ToolResult& result) {
    if ((event.head.flags & kNotSent) != 0 || result.update) return;
    answering_ = false;
    Draft made = draft(event, simulator::Role::tool_result);
    Call call = take_call(result.call_id);
    if (call.name.empty()) call.name = short_string(result.name);
    made.facts.hash = mix_hash(made.facts.hash, stable_hash(call.name));
    if (keep_words_) {
        call.facts.id = stable_hash(call.id);
        made.facts.calls.push_back(call.facts);
        made.message.call_id = std::move(call.id);
        made.message.tool_name = std::move(call.name);
        made.message.tool_name_recorded = true;
        if (!result.details.empty()) made.message.details_units = details_units(result.details);
        made.message.is_error = result.status == ResultStatus::error || result.status == ResultStatus::denied;
    }
    const TextTally counted = tally(result.text);
    add_text(made, BlockKind::text, result.text, WordsAs::content, counted);
    add_images(made, result.media_count);
    counted.add_to(made.features);
    queue(std::move(made));
}

namespace {

/// No request has more: such a figure is a mistake, and its sums would wrap. A scan counts so, too.
TokenCounts within_reason(const TokenCounts& t) {
    return {saturated(t.input),  saturated(t.cache_write), saturated(t.cache_read),
            saturated(t.output), saturated(t.reasoning),   saturated(t.cache_write_1h)};
}

}  // namespace

void SessionMessages::on(const Event& event, const agent_audit::Usage& usage) {
    TokenCounts billed = within_reason(usage.tokens);
    std::uint64_t prompt = billed.prompt();
    if (usage.mode == UsageMode::cumulative) {
        const bool reset = usage.tokens.total() < cumulative_.total();
        if (!reset) billed = within_reason(minus(usage.tokens, cumulative_));
        prompt = billed.prompt();
        cumulative_ = usage.tokens;
        // Several answers in one difference: no single prompt can be told, unless the size of the context is.
        if (prompt > 0 && usage.context_tokens) {
            prompt = saturated(*usage.context_tokens);
        } else if (unbilled_ > 1) {
            prompt = 0;
        }
    } else if (usage.scope != UsageScope::request) {
        return;
    }
    if ((event.head.flags & (kCopied | kStale)) != 0) prompt = 0;
    const bool of_open =
        answer_ && (unbilled_ > 0 || answering_ || (response_ != 0 && event.head.response == response_));
    if (prompt > 0 && !of_open) begin_answer(event);
    unbilled_ = 0;
    if (usage.window_tokens > 0) {
        window_ = usage.window_tokens;
        window_usual_ = false;
    }
    if (prompt == 0) return;
    request_.window_tokens = window_;
    request_.window_usual = window_usual_;
    if (!usage.model.empty()) {
        const std::string_view before = model_;
        use_model(usage.model);
        request_.restart = request_.restart || (!before.empty() && before != model_);
        request_.model = model_;
    }
    if (prompt < request_.prompt) return;
    request_.prompt = prompt;
    request_.billed = billed;
}

void SessionMessages::on(const Event&, const Compaction& compaction) {
    if (compaction.phase != CompactionPhase::end) return;
    Shrunk shrunk;
    shrunk.facts.kind = compaction.kind;
    shrunk.facts.keep = compaction.keep;
    shrunk.facts.tokens_before = compaction.tokens_before.value_or(0);
    shrunk.facts.tokens_after = compaction.tokens_after.value_or(0);
    shrunk.keep_record = hash_of(compaction.keep_from.bytes);
    shrunk.keep_index = compaction.keep_index;
    TextFeatures features;
    features.add(compaction.summary);
    if (!compaction.summary.empty()) features.count(Feature::messages);
    shrunk.facts.summary = counts_of(features);
    if (compaction.kind == CompactionKind::clear_tool_results && !compaction.ids.empty()) {
        const auto ids = JsValue::parse(words_of(compaction.ids, WordsAs::text));
        if (ids && ids->array()) {
            for (const JsValue& id : *ids->array()) {
                if (id.string()) shrunk.facts.cleared.push_back(*id.string());
            }
        }
    }
    queue(std::move(shrunk));
}

void SessionMessages::on(const Event& event, const Rewind& rewind) {
    (void)event;
    answering_ = false;
    Undo undo{rewind, hash_of(rewind.record_id)};
    undo.rewind.record_id = {};
    flush_answer();  // the answer is among what may be taken back
    queue(undo);
}

}  // namespace agent_audit::simulator
