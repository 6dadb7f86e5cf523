#include "readers/all.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/json_reader.hpp"
#include "readers/json/walk.hpp"

#include <agent_audit/model/event_words.hpp>
#include <agent_audit/support/json_text.hpp>
#include <agent_audit/support/unescape.hpp>

#include <array>
#include <charconv>

// Our own events, as `agent-audit convert --to events` writes them (src/convert/events.cpp):
//
//   {"agent_audit_events":1,"tool":{…}}
//   {"kind":"input","path":"…","format":"claude-code","signals":["tool_calls",…]}
//   {"kind":"tool_call","seq":4,"line":2,"offset":98,"call_id":"c1","name":"bash","args":{…},"digest":"9f…",…}
//   {"kind":"input_end","records":{…}}
//
// Places, digests and the bytes of texts are those of the first recording. Everything may be missing: other programs
// write events as well. What they leave out is what a reader would leave out, and a digest is then made here.

namespace agent_audit::readers {
namespace {

/// A text of an event: its value as it stands in the record, and how that is to be read.
struct TextField {
    std::string_view raw;  // with its quotes, where it is a string
    std::string_view form;
};

// A slot for each text field of any event. Fields of the same place never occur in one event.
enum Slot : std::size_t { kText, kName, kId, kArgs, kPrimary, kModel, kCwd, kOther, kMore, kLabel, kRecord, kSlots };

struct SlotName {
    std::string_view name;
    Slot slot;
};
constexpr std::array kSlotNames{
    SlotName{"text", kText},         SlotName{"summary", kText},
    SlotName{"name", kName},         SlotName{"speaker", kName},
    SlotName{"call_id", kId},        SlotName{"session_id", kId},
    SlotName{"agent_id", kId},       SlotName{"target_id", kId},
    SlotName{"keep_from", kId},      SlotName{"code", kId},
    SlotName{"args", kArgs},         SlotName{"ids", kArgs},
    SlotName{"primary", kPrimary},   SlotName{"agent_type", kPrimary},
    SlotName{"model", kModel},       SlotName{"cwd", kCwd},
    SlotName{"forked_from", kOther}, SlotName{"parent_session_id", kMore},
    SlotName{"label", kLabel},       SlotName{"product_version", kName},
    SlotName{"record_id", kRecord},  SlotName{"handle", kLabel},
};

// Numbers, by name.
enum Count : std::size_t {
    kLine,
    kOffset,
    kLength,
    kLane,
    kTurn,
    kMedia,
    kOpaqueBytes,
    kInput,
    kCacheWrite,
    kCacheRead,
    kOutput,
    kReasoning,
    kWindow,
    kSystemBytes,
    kParentLane,
    kKeepIndex,
    kCountOf,
    kCost,
    kContext,
    kBefore,
    kAfter,
    kCacheWrite1h,
    kCounts
};
constexpr std::array<std::string_view, kCounts> kCountNames{"line",           "offset",
                                                            "length",         "lane",
                                                            "turn",           "media_count",
                                                            "opaque_bytes",   "input",
                                                            "cache_write",    "cache_read",
                                                            "output",         "reasoning",
                                                            "window_tokens",  "system_prompt_bytes",
                                                            "parent_lane",    "keep_index",
                                                            "count",          "cost_microusd",
                                                            "context_tokens", "tokens_before",
                                                            "tokens_after",   "cache_write_1h"};

// Words of enumerations, by name.
enum Choice : std::size_t {
    kStatus,
    kRole,
    kOrigin,
    kPurpose,
    kCaller,
    kScope,
    kMode,
    kPhase,
    kHow,
    kTrigger,
    kKeep,
    kTarget,
    kLevel,
    kLayer,
    kRefuser,
    kChoices
};
constexpr std::array<std::string_view, kChoices> kChoiceNames{"status", "role",   "origin", "purpose", "caller",
                                                              "scope",  "mode",   "phase",  "how",     "trigger",
                                                              "keep",   "target", "level",  "layer",   "refused_by"};

struct Line {
    std::string_view kind;
    std::array<TextField, kSlots> texts;
    std::array<std::optional<std::uint64_t>, kCounts> counts;
    std::array<std::string_view, kChoices> choices;
    std::string_view digest, response, message_key, request_key, format, media_hash;
    std::int64_t time_ms = kNoTime, duration_ms = -1, retry_in_ms = -1;
    std::optional<int> exit_code;
    int attempt = 0;
    std::uint16_t flags = 0;
    std::optional<Signals> signals;
    bool opening = false, resumed = false, sub_agent = false, housekeeping = false, opaque = false, update = false,
         sidechain = false, script = false, media_stored = false, rest = false;
};

template <class T>
using Members = std::pair<std::string_view, T Line::*>;
constexpr std::array kSwitches{Members<bool>{"resumed", &Line::resumed},
                               Members<bool>{"sub_agent", &Line::sub_agent},
                               Members<bool>{"housekeeping", &Line::housekeeping},
                               Members<bool>{"opaque", &Line::opaque},
                               Members<bool>{"update", &Line::update},
                               Members<bool>{"sidechain", &Line::sidechain},
                               Members<bool>{"script", &Line::script},
                               Members<bool>{"media_stored", &Line::media_stored},
                               Members<bool>{"rest", &Line::rest}};
constexpr std::array kStrings{Members<std::string_view>{"digest", &Line::digest},
                              Members<std::string_view>{"response", &Line::response},
                              Members<std::string_view>{"message_key", &Line::message_key},
                              Members<std::string_view>{"request_key", &Line::request_key},
                              Members<std::string_view>{"format", &Line::format},
                              Members<std::string_view>{"media_hash", &Line::media_hash}};
constexpr std::array kTimes{Members<std::int64_t>{"time_ms", &Line::time_ms},
                            Members<std::int64_t>{"duration_ms", &Line::duration_ms},
                            Members<std::int64_t>{"retry_in_ms", &Line::retry_in_ms}};

template <std::size_t N>
std::size_t index_of(const std::array<std::string_view, N>& names, std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

std::uint64_t from_hex(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    return ec == std::errc{} && end == text.data() + text.size() ? value : 0;
}

constexpr Signals every_signal() {
    Signals all;
    for (const SignalInfo& signal : kSignals) all = all | signal.signal;
    return all;
}

class AgentAuditEvents final : public JsonReader {
public:
    void use(const CallIdentity& identity) override {
        JsonReader::use(identity);
        identity_given_ = true;
    }

    RelayedFormat relayed() const override { return relayed_; }

protected:
    LineFate read_object(json::object object) override {
        line_ = Line{};
        if (!read_fields(object, [this](const char* key, json::value& v) { return field(key_text(key), v); }))
            return LineFate::malformed_json;
        if (line_.opening || line_.kind == "input") {
            begin_input();
            return LineFate::understood;
        }
        if (line_.kind == "input_end") return LineFate::ignored_kind;
        if (line_.kind.empty()) return LineFate::missing_field;
        const std::size_t kind = index_of(kEventKinds, line_.kind);
        if (kind == kEventKinds.size()) return LineFate::unknown_kind;
        place();
        // Events of one input never go on a session of the one before.
        if (std::exchange(begins_input_, false) && (kind != 0 || line_.resumed)) emit(SessionStart{});
        return interpret(kind);
    }

private:
    // ---- collecting -------------------------------------------------------------------------------------------

    bool field(std::string_view key, json::value& v) {
        if (key == "kind") {
            line_.kind = raw_string(v);
            return true;
        }
        if (const std::size_t at = index_of(kCountNames, key); at < kCounts) {
            const char first = v.raw_json_token()[0];
            if (first >= '0' && first <= '9') line_.counts[at] = as_uint(v);
            return true;
        }
        if (const std::size_t at = index_of(kChoiceNames, key); at < kChoices) {
            line_.choices[at] = raw_string(v);
            return true;
        }
        return text_field(key, v) || other_field(key, v);
    }

    // False when it is none.
    bool text_field(std::string_view key, json::value& v) {
        constexpr std::string_view kForm = "_form";
        const bool is_form = key.ends_with(kForm);
        if (is_form) key.remove_suffix(kForm.size());
        const auto found = std::ranges::find(kSlotNames, key, &SlotName::name);
        if (found == kSlotNames.end()) return false;
        TextField& text = line_.texts[found->slot];
        if (is_form)
            text.form = raw_string(v);
        else if (!is_null(v))
            text.raw = is_string(v) ? token(v) : trim_blank(raw_value(v));
        return true;
    }

    bool other_field(std::string_view key, json::value& v) {
        for (const auto& [name, member] : kSwitches) {
            if (key == name) line_.*member = is_true(v);
        }
        for (const auto& [name, member] : kStrings) {
            if (key == name) line_.*member = raw_string(v);
        }
        for (const auto& [name, member] : kTimes) {
            if (key == name) line_.*member = as_int(v, line_.*member);
        }
        if (key == "attempt") line_.attempt = small_int(v).value_or(0);
        if (key == "exit_code") line_.exit_code = small_int(v);
        if (key == "agent_audit_events") line_.opening = true;
        if (key == "flags") return each_element(v, [this](json::value& w) { return take_flag(raw_string(w)); });
        if (key != "signals") return true;
        line_.signals.emplace();
        return each_element(v, [this](json::value& w) { return take_signal(raw_string(w)); });
    }

    bool take_flag(std::string_view name) {
        for (const auto& [flag, flag_word] : kFlagWords) {
            if (name == flag_word) line_.flags |= flag;
        }
        return true;
    }

    bool take_signal(std::string_view name) {
        for (const SignalInfo& signal : kSignals) {
            if (name == signal.name) line_.signals = *line_.signals | signal.signal;
        }
        return true;
    }

    // ---- values -----------------------------------------------------------------------------------------------

    std::uint64_t count(Count c) const { return line_.counts[c].value_or(0); }
    std::uint32_t small_count(Count c) const {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(count(c), UINT32_MAX));
    }

    template <class Enum>
    Enum choice(Choice c, Enum otherwise) const {
        return from_word<Enum>(line_.choices[c]).value_or(otherwise);
    }

    RawText text(Slot slot) {
        const auto [raw, form] = line_.texts[slot];
        if (raw.empty()) return {};
        if (raw.front() != '"') return {raw, form == "plain" ? TextForm::plain : TextForm::json_value};
        if (raw.size() < 2) return {};
        const std::string_view inside = raw.substr(1, raw.size() - 2);
        if (form.empty()) return text_of(inside);
        if (form == "json") return {raw, TextForm::json_value};
        std::string& decoded = decoded_[slot];
        if (form == "plain" || form == "json_text") {
            decoded = decode_json_string(inside);
            return {decoded, form == "plain" ? TextForm::plain : TextForm::json_value};
        }
        if (!form.ends_with("_base64") || !from_base64(inside, decoded)) return text_of(inside);
        return {decoded, form.starts_with("plain")  ? TextForm::plain
                         : form.starts_with("json") ? TextForm::json_value
                                                    : TextForm::json_string};
    }

    // ---- inputs -----------------------------------------------------------------------------------------------

    void begin_input() {
        begins_input_ = any_event_;
        const ReaderSpec* known = line_.format.empty() ? nullptr : find_reader(line_.format);
        if (known && known->relays) known = nullptr;
        relayed_.id = known ? known->id : std::string_view{};
        relayed_.signals = line_.signals ? *line_.signals : known ? known->signals : every_signal();
    }

    // Where the event stood in the first recording, as far as that is known.
    void place() {
        any_event_ = true;
        SourceSpan where = record().where;
        if (count(kLine) > 0) {
            where.line = count(kLine);
            where.offset = count(kOffset);
            where.length = small_count(kLength);
        }
        set_place(where);
        EventHeader& h = new_head(small_count(kLane), small_count(kTurn));
        h.time_ms = line_.time_ms;
        h.record_id = text(kRecord).bytes;
        h.response = from_hex(line_.response);
        h.flags = line_.flags;
    }

    // ---- events -----------------------------------------------------------------------------------------------

    LineFate interpret(std::size_t kind) {
        using Emit = void (AgentAuditEvents::*)();
        static constexpr std::array<Emit, kEventKinds.size()> kEmit{
            &AgentAuditEvents::session_start, &AgentAuditEvents::context_change, &AgentAuditEvents::lane_open,
            &AgentAuditEvents::lane_close,    &AgentAuditEvents::turn_start,     &AgentAuditEvents::turn_end,
            &AgentAuditEvents::message,       &AgentAuditEvents::thinking,       &AgentAuditEvents::tool_call,
            &AgentAuditEvents::tool_result,   &AgentAuditEvents::usage,          &AgentAuditEvents::compaction,
            &AgentAuditEvents::rewind,        &AgentAuditEvents::notice};
        (this->*kEmit[kind])();
        return LineFate::understood;
    }

    void session_start() {
        SessionStart b;
        b.session_id = text(kId);
        b.parent_session_id = text(kMore);
        b.forked_from = text(kOther);
        b.product_version = text(kName);
        b.cwd = text(kCwd);
        b.model = text(kModel);
        b.label = text(kLabel);
        b.resumed = line_.resumed;
        b.sub_agent = line_.sub_agent;
        b.housekeeping = line_.housekeeping;
        emit(b);
    }

    void context_change() {
        ContextChange b;
        b.model = text(kModel);
        b.cwd = text(kCwd);
        b.window_tokens = count(kWindow);
        b.system_prompt_bytes = count(kSystemBytes);
        emit(b);
    }

    void lane_open() {
        LaneOpen b;
        b.parent_lane = small_count(kParentLane);
        b.purpose = choice(kPurpose, LanePurpose::unknown);
        b.agent_id = text(kId);
        b.agent_type = text(kPrimary);
        emit(b);
    }
    void lane_close() { emit(LaneClose{}); }
    void turn_start() { emit(TurnStart{}); }
    void turn_end() { emit(TurnEnd{choice(kStatus, TurnStatus::unknown), line_.duration_ms}); }

    void message() {
        Message b;
        b.role = choice(kRole, Role::user);
        b.origin = choice(kOrigin, b.role == Role::assistant ? Origin::agent : Origin::injected);
        b.text = text(kText);
        b.media_count = small_count(kMedia);
        b.speaker = text(kName);
        emit(b);
    }

    void thinking() { emit(Thinking{text(kText), count(kOpaqueBytes)}); }

    void tool_call() {
        ToolCall b;
        b.call_id = text(kId);
        b.name = text(kName);
        b.args = text(kArgs);
        b.primary = text(kPrimary);
        b.caller = choice(kCaller, Caller::model);
        b.script = line_.script;
        b.digest = {from_hex(line_.digest), line_.opaque};
        // What the run says of calls counts for these as well, though they were told apart when they were first read.
        if (line_.digest.empty() || (identity_given_ && !b.args.empty())) digest_again(b);
        emit(b);
    }

    void digest_again(ToolCall& b) {
        const CallArgs args = digested(b.name.bytes, b.args);
        b.digest = {args.digest.canonical, args.digest.opaque || line_.opaque};
        if (b.primary.empty()) b.primary = args.primary;
    }

    CallArgs digested(std::string_view tool, RawText args) {
        if (args.empty()) return ArgsDigester::digest_none(tool);
        if (args.form == TextForm::json_string) return args_.digest_string(tool, args.bytes);
        if (!args.bytes.starts_with('{')) return args_.digest_text(tool, args);
        padded_.assign(args.bytes);
        padded_.resize(args.size() + simdjson::SIMDJSON_PADDING);
        json::document doc;
        json::object object;
        if (nested_parser(args.size()).iterate(padded_.data(), args.size(), padded_.size()).get(doc) ||
            doc.get_object().get(object)) {
            return args_.digest_text(tool, args);
        }
        return args_.digest_object(tool, object);
    }

    void tool_result() {
        ToolResult b;
        b.call_id = text(kId);
        b.name = text(kName);
        b.text = text(kText);
        b.status = choice(kStatus, ResultStatus::unknown);
        b.exit_code = line_.exit_code;
        b.media_count = small_count(kMedia);
        b.media_hash = from_hex(line_.media_hash);
        b.media_stored = line_.media_stored;
        b.opaque = line_.opaque;
        b.update = line_.update;
        b.refused_by = choice(kRefuser, Refuser::unknown);
        b.duration_ms = line_.duration_ms;
        b.handle = text(kLabel);
        emit(b);
    }

    void usage() {
        Usage b;
        b.scope = choice(kScope, UsageScope::request);
        b.mode = choice(kMode, UsageMode::add);
        b.tokens = {count(kInput),  count(kCacheWrite), count(kCacheRead),
                    count(kOutput), count(kReasoning),  count(kCacheWrite1h)};
        b.model = text(kModel);
        b.message_key = from_hex(line_.message_key);
        b.request_key = from_hex(line_.request_key);
        b.sidechain = line_.sidechain;
        b.rest = line_.rest;
        b.cost_microusd = line_.counts[kCost];
        b.context_tokens = line_.counts[kContext];
        b.window_tokens = count(kWindow);
        emit(b);
    }

    void compaction() {
        Compaction b;
        b.phase = choice(kPhase, CompactionPhase::end);
        b.kind = choice(kHow, CompactionKind::summary);
        b.trigger = choice(kTrigger, CompactionTrigger::unknown);
        b.tokens_before = line_.counts[kBefore];
        b.tokens_after = line_.counts[kAfter];
        b.summary = text(kText);
        b.keep = choice(kKeep, Keep::unknown);
        b.keep_from = text(kId);
        b.keep_index = count(kKeepIndex);
        b.ids = text(kArgs);
        emit(b);
    }

    void rewind() { emit(Rewind{choice(kTarget, RewindTarget::all), text(kId).bytes, count(kCountOf)}); }

    void notice() {
        Notice b;
        b.level = choice(kLevel, NoticeLevel::info);
        b.layer = choice(kLayer, NoticeLayer::reader);
        b.code = text(kId);
        b.text = text(kText);
        b.attempt = line_.attempt;
        b.retry_in_ms = line_.retry_in_ms;
        emit(b);
    }

    Line line_;
    RelayedFormat relayed_{{}, every_signal()};
    std::array<std::string, kSlots> decoded_;
    std::string padded_;
    bool identity_given_ = false, any_event_ = false, begins_input_ = false;
};

// Without the line that opens the file, two places of every event give it away: a piece of a stream is one, too.
Score score(std::span<const ProbeRecord> sample, Framing) {
    std::size_t events = 0;
    for (const ProbeRecord& r : sample) {
        if (r.has("agent_audit_events")) return kCertain;
        if (!r.has("seq") || !r.has("line")) continue;
        if (index_of(kEventKinds, r.text("kind")) < kEventKinds.size()) ++events;
    }
    return events * 2 > sample.size() ? 90 : 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"agent_audit_events", "opens the file"},
    {"input", "what the events after it were made from: its signals decide which rules run"},
    {"session_start, context_change, lane_open, lane_close, turn_start, turn_end, message, thinking, tool_call, "
     "tool_result, usage, compaction, rewind, notice",
     "the event of that name, at its place in the first recording"},
    {"input_end", "ignored"},
};

}  // namespace

ReaderSpec agent_audit_events() {
    return {"agent-audit-events",
            "agent-audit",
            "what agent-audit convert --to events writes",
            every_signal(),
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<AgentAuditEvents>()); },
            {},
            true};
}

}  // namespace agent_audit::readers
