#include "readers/all.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/json_reader.hpp"
#include "readers/messages/pieces.hpp"

#include <algorithm>
#include <array>
#include <string>

// Session files of goose, and the rows of the database in which it keeps them now: one that tells of the session, then
// its messages. In a database more sessions follow.
//
//   {"working_dir":"…","description":"…","message_count":3,"total_tokens":900}
//   {"role":"assistant","created":1772445600,"content":[{"type":"text","text":"…"},{"type":"toolRequest","id":"c",
//    "toolCall":{"status":"success","value":{"name":"developer__shell","arguments":{…}}}}]}
//   {"role":"user","created":1772445601,"content":[{"type":"toolResponse","id":"c","toolResult":{"status":"success","value":[…]}}],
//    "metadata":{"userVisible":true,"agentVisible":true}}
//
// What goose run prints with --output-format stream-json are the same messages in pieces, those of one message with its
// id, and the end of the run:
//
//   {"type":"message","message":{"id":"m","role":"assistant","created":1772445600,"content":[{"type":"text","text":"…"}]}}
//   {"type":"complete","total_tokens":900,"input_tokens":800,"output_tokens":100}
//
// When goose compacts, the messages so far stay for the user's eyes and go from the agent's. Behind them come, for the
// agent's alone, a summary in the user's name and a few words in the assistant's; then a copy of the newest prompt.

namespace agent_audit::readers {
namespace {

struct Block {
    std::string_view type, id, name, status;
    RawText text, error;
    CallArgs args;
    Content value;
    std::uint64_t opaque_bytes = 0;
    bool is_error = false;
};

struct Line {
    std::string_view row, role, id, parent_id, model, working_dir, description;
    std::string_view event;  // of what is printed
    RawText error;
    Reused<Block> blocks;
    std::uint64_t input = 0, output = 0, read = 0, write = 0, all = 0;  // accumulated
    std::uint64_t total = 0;                                            // of the last request
    std::int64_t time_ms = kNoTime;
    std::uint64_t run_input = 0, run_output = 0;
    bool has_content = false, is_header = false, is_printed = false;
    bool user_sees = true, agent_sees = true;

    void clear() {
        auto keep = std::move(blocks);
        *this = Line{};
        blocks = std::move(keep);
        blocks.clear();
    }
};

class Goose final : public JsonReader {
public:
    void finish(EventSink& sink) override {
        set_sink(sink);
        tell_pieces();
        release();
    }

protected:
    LineFate read_object(json::object object) override {
        line_.clear();
        if (!read_fields<&Goose::collect>(object)) return LineFate::malformed_json;
        if (!line_.event.empty() && line_.role.empty()) return event();
        if (line_.is_header || line_.row == "goose.session") return header();
        if (line_.role.empty()) return LineFate::unknown_kind;
        if (!line_.has_content) return LineFate::missing_field;
        return message();
    }

private:
    bool collect(const char* key, json::value& v) {
        if (key_is(key, "role"))
            line_.role = raw_string(v);
        else if (key_is(key, "row"))
            line_.row = raw_string(v);
        else if (key_is(key, "type"))
            line_.event = raw_string(v);
        else if (key_is(key, "message") && is_object(v) && !line_.is_printed) {
            line_.is_printed = true;
            return each_field(v, [this](const char* k, json::value& w) { return collect(k, w); });
        } else if (key_is(key, "error"))
            line_.error = any_text(v);
        else if (key_is(key, "input_tokens"))
            line_.run_input = as_uint(v);
        else if (key_is(key, "output_tokens"))
            line_.run_output = as_uint(v);
        else if (key_is(key, "id"))
            line_.id = raw_string(v);
        else if (key_is(key, "parent_session_id"))
            line_.parent_id = raw_string(v);
        else if (key_is(key, "model_config"))
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "model_name")) line_.model = raw_string(w);
                return true;
            });
        else if (key_is(key, "created"))
            line_.time_ms = unix_time(v);
        else if (key_is(key, "working_dir")) {
            line_.is_header = true;
            line_.working_dir = raw_string(v);
        } else if (key_is(key, "accumulated_input_tokens"))
            line_.input = as_uint(v);
        else if (key_is(key, "accumulated_output_tokens"))
            line_.output = as_uint(v);
        else if (key_is(key, "accumulated_cache_read_tokens"))
            line_.read = as_uint(v);
        else if (key_is(key, "accumulated_cache_write_tokens"))
            line_.write = as_uint(v);
        else if (key_is(key, "accumulated_total_tokens"))
            line_.all = as_uint(v);
        else if (key_is(key, "total_tokens"))
            line_.total = as_uint(v);
        else if (key_is(key, "content")) {
            line_.has_content = is_array(v);
            return each_element(v, [this](json::value& block) { return collect_block(block); });
        } else if (key_is(key, "metadata"))
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "agentVisible"))
                    line_.agent_sees = w.raw_json_token()[0] != 'f';
                else if (key_is(k, "userVisible"))
                    line_.user_sees = w.raw_json_token()[0] != 'f';
                return true;
            });
        return true;
    }

    bool collect_block(json::value& v) {
        Block* block = is_object(v) ? line_.blocks.next() : nullptr;
        if (!block) return true;
        return each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "type"))
                block->type = raw_string(w);
            else if (key_is(key, "id"))
                block->id = raw_string(w);
            else if (key_is(key, "text") || key_is(key, "thinking") || key_is(key, "msg"))
                block->text = text_of(raw_string(w));
            else if (key_is(key, "signature") || key_is(key, "data"))
                block->opaque_bytes = raw_string(w).size();
            else if (key_is(key, "toolCall") || key_is(key, "toolResult"))
                return each_field(w, [&](const char* k, json::value& x) { return collect_outcome(k, x, *block); });
            return true;
        });
    }

    // Parts for the user alone are no part of what the model is given: tools often write one for each.
    static Content read_for_agent(json::value& v) {
        if (!is_array(v)) return read_content(v);
        Content seen;
        json::array array;
        std::string_view whole;
        if (v.get_array().get(array) || array.raw_json().get(whole) || array.reset().error()) return seen;
        seen.seen = true;
        std::size_t texts = 0;
        for (auto item : array) {
            json::value part;
            if (std::move(item).get(part)) break;
            RawText text;
            std::string_view type, audience;
            const bool read = each_field(part, [&](const char* key, json::value& w) {
                if (key_is(key, "type"))
                    type = raw_string(w);
                else if (key_is(key, "text"))
                    text = text_of(raw_string(w));
                else if (key_is(key, "annotations"))
                    return each_field(w, [&](const char* k, json::value& x) {
                        if (key_is(k, "audience") && is_array(x)) audience = raw_value(x);
                        return true;
                    });
                return true;
            });
            if (!read) break;
            if (!audience.empty() && audience.find("assistant") == audience.npos) continue;
            if (text.empty())
                seen.media += type == "image" || type == "audio";
            else
                seen.text = ++texts == 1 ? text : RawText{whole, TextForm::json_value};
        }
        return seen;
    }

    // {status, value, error} around a call, or around what it gave: parts, or {content, isError}.
    bool collect_outcome(const char* key, json::value& v, Block& block) {
        if (key_is(key, "status"))
            block.status = raw_string(v);
        else if (key_is(key, "error"))
            block.error = any_text(v);
        else if (key_is(key, "value") && is_array(v))
            block.value = read_for_agent(v);
        else if (key_is(key, "value"))
            return each_field(v, [&](const char* k, json::value& x) {
                if (key_is(k, "name"))
                    block.name = raw_string(x);
                else if (key_is(k, "arguments")) {
                    if (!is_null(x)) block.args = args_.digest_value({}, x);
                } else if (key_is(k, "content"))
                    block.value = read_for_agent(x);
                else if (key_is(k, "isError"))
                    block.is_error = is_true(x);
                return true;
            });
        return true;
    }

    // What is printed beside the messages. The totals are those of the session, whose earlier runs may be among them.
    LineFate event() {
        const std::string_view type = line_.event;
        if (type == "notification" || type == "model_change") return LineFate::ignored_kind;
        if (type != "complete" && type != "error") return LineFate::unknown_kind;
        tell_pieces();
        release();
        open();
        begin();
        if (type == "error") {
            emit(notice_of(NoticeLayer::provider, NoticeLevel::error, "error", line_.error));
            emit(TurnEnd{TurnStatus::failed, -1});
            return LineFate::understood;
        }
        Usage usage;
        usage.scope = UsageScope::session;
        usage.mode = UsageMode::cumulative;
        usage.tokens = {line_.run_input, 0, 0, line_.run_output, 0};
        if (usage.tokens.total() > 0) emit(usage);
        emit(TurnEnd{TurnStatus::completed, -1});
        return LineFate::understood;
    }

    void open() {
        if (std::exchange(open_, true)) return;
        new_head().time_ms = line_.time_ms;
        emit(SessionStart{});
    }

    LineFate header() {
        tell_pieces();
        release();
        new_head();
        SessionStart start;
        start.session_id = text_of(line_.id);
        start.parent_session_id = text_of(line_.parent_id);
        start.sub_agent = !line_.parent_id.empty();
        start.cwd = text_of(line_.working_dir);
        start.model = text_of(line_.model);
        start.resumed = open_ && id_hash(line_.id) == session_;
        if (!start.resumed) {
            turn_ = 0;
            prompt_ = 0;
        }
        session_ = id_hash(line_.id);
        open_ = true;
        emit(start);
        // Written anew with every save: the totals so far. The newest total alone is the size of the context.
        if (line_.input + line_.output > 0) {
            Usage usage;
            usage.scope = UsageScope::session;
            usage.mode = UsageMode::cumulative;
            usage.tokens = spent();
            if (line_.total > 0) usage.context_tokens = line_.total;
            emit(usage);
        }
        return LineFate::understood;
    }

    // The input includes what was cached. What only the total has is reasoning that a provider counts apart.
    TokenCounts spent() const {
        TokenCounts t;
        t.cache_read = std::min(line_.read, line_.input);
        t.cache_write = std::min(line_.write, line_.input - t.cache_read);
        t.input = line_.input - t.cache_read - t.cache_write;
        t.reasoning = line_.all > line_.input + line_.output ? line_.all - line_.input - line_.output : 0;
        t.output = line_.output + t.reasoning;
        return t;
    }

    LineFate message() {
        if (line_.role != "user" && line_.role != "assistant") return LineFate::unknown_kind;
        open();
        const bool model = line_.role == "assistant";
        if (model && is_piece()) return piece();
        tell_pieces();
        const bool unseen = !line_.user_sees && has_only_texts();
        if (unseen && model) return continuation();
        release();
        begin();
        if (unseen) {
            hold();
            return LineFate::understood;
        }
        if (model) respond();
        bool begun = false;
        for (const Block& block : line_.blocks) one_block(block, model, begun);
        copies_prompt_ = false;
        return LineFate::understood;
    }

    // Messages that are printed one after the other with the same id are one response.
    void respond() {
        const IdHash id = line_.is_printed ? id_hash(line_.id) : 0;
        if (id == 0 || id != printed_) ++responses_;
        printed_ = id;
        head().response = responses_ | std::uint64_t{1} << 63;
    }

    bool is_piece() const {
        if (!line_.is_printed || line_.id.empty() || line_.blocks.size() != 1) return false;
        const std::string_view type = line_.blocks.begin()->type;
        return type == "text" || type == "thinking" || type == "reasoning";
    }

    LineFate piece() {
        const Block& block = *line_.blocks.begin();
        const bool thought = block.type != "text";
        if (id_hash(line_.id) != printed_ || thought != pieces_are_thoughts_ || !pieces_.has_room_for(block.text))
            tell_pieces();
        if (pieces_.empty()) {
            release();
            begin();
            respond();
            pieces_.begin(head());
            pieces_are_thoughts_ = thought;
        }
        pieces_.add(block.text);
        copies_prompt_ = false;
        return LineFate::understood;
    }

    void tell_pieces() {
        if (pieces_.empty()) return;
        if (pieces_are_thoughts_)
            emit(Thinking{pieces_.text()}, pieces_.head());
        else
            emit(Message{Role::assistant, Origin::agent, pieces_.text(), 0}, pieces_.head());
        pieces_.clear();
    }

    void begin() {
        EventHeader& h = new_head(0, turn_);
        h.time_ms = line_.time_ms;
        h.record_id = line_.id;
        if (!line_.user_sees && !line_.agent_sees) h.flags |= kHidden;
    }

    void one_block(const Block& block, bool model, bool& begun) {
        const std::string_view type = block.type;
        if (type == "toolRequest" || type == "frontendToolRequest") return call(block);
        if (type == "toolResponse") return result(block);
        if (type == "thinking" || type == "redactedThinking" || type == "reasoning")
            return emit(Thinking{block.text, block.opaque_bytes});
        if (type == "summarizationRequested" || type == "contextLengthExceeded") return compaction(type, block);
        if (type == "systemNotification") {
            return emit(notice_of(NoticeLayer::harness, NoticeLevel::info, type, block.text));
        }
        if (block.text.empty()) return;
        if (model) return emit(Message{Role::assistant, Origin::agent, block.text, 0});
        const IdHash before = std::exchange(prompt_, id_hash(block.text.bytes));
        if (copies_prompt_ && before == prompt_) return emit(Message{Role::user, Origin::injected, block.text, 0});
        if (!std::exchange(begun, true)) {
            head().turn = ++turn_;
            emit(TurnStart{});
        }
        emit(Message{Role::user, Origin::human, block.text, 0});
    }

    // ---- what the user does not see ---------------------------------------------------------------------

    bool has_only_texts() const {
        return std::ranges::all_of(line_.blocks, [](const Block& b) { return b.type == "text" && !b.text.empty(); });
    }

    // A summary, or the prompt of which a copy comes behind one: the next message tells.
    void hold() {
        held_.clear();
        for (const Block& block : line_.blocks) {
            if (!held_.empty()) held_ += "\\n";
            held_ += block.text.bytes;
        }
        held_head_ = head();
        held_head_.record_id = {};
    }

    // The assistant's words behind a summary. A later compaction takes both from the agent's eyes too.
    LineFate continuation() {
        constexpr std::string_view kManual = "at the user's request";
        const auto manual = [kManual](const Block& b) { return b.text.bytes.find(kManual) != b.text.bytes.npos; };
        begin();
        if (!held_.empty()) {
            Compaction compaction;
            compaction.trigger =
                std::ranges::any_of(line_.blocks, manual) ? CompactionTrigger::manual : CompactionTrigger::automatic;
            compaction.keep = Keep::none;
            compaction.summary = text_of(held_);
            held_head_.flags &= static_cast<std::uint16_t>(~kHidden);
            emit(compaction, held_head_);
            held_.clear();
            copies_prompt_ = true;
            head().flags &= static_cast<std::uint16_t>(~kHidden);
        }
        head().flags |= kSynthetic;  // no response of the model
        for (const Block& block : line_.blocks) emit(Message{Role::assistant, Origin::injected, block.text, 0});
        return LineFate::understood;
    }

    // It was no summary: of a prompt that nobody sees the copy will count.
    void release() {
        if (held_.empty()) return;
        if ((held_head_.flags & kHidden) != 0) prompt_ = 0;
        emit(Message{Role::user, Origin::injected, text_of(held_), 0}, held_head_);
        held_.clear();
    }

    void call(const Block& block) {
        if (!block.name.empty()) return emit(call_of(block.id, block.name, block.args));
        // A request that could not be read: the model is told so, nothing is called.
        emit(notice_of(NoticeLayer::harness, NoticeLevel::warning, "toolRequest", block.error));
    }

    void result(const Block& block) {
        ToolResult result;
        result.call_id = text_of(block.id);
        result.text = block.error.empty() ? block.value.text : block.error;
        result.media_count = block.value.media;
        result.media_hash = block.value.media_hash;
        result.opaque = result.text.empty() && result.media_count > 0;
        constexpr std::size_t kBeginning = 80;  // a file may speak of it too
        const std::string_view said = result.text.bytes.substr(0, kBeginning);
        const bool refused = said.find("declined to run this tool") != said.npos;
        const bool failed = block.status == "error" || block.is_error;
        result.status = refused ? ResultStatus::denied : failed ? ResultStatus::error : ResultStatus::ok;
        emit(result);
    }

    void compaction(std::string_view type, const Block& block) {
        Compaction compaction;
        compaction.phase = CompactionPhase::begin;
        if (type == "contextLengthExceeded") compaction.trigger = CompactionTrigger::overflow;
        compaction.summary = block.text;
        emit(compaction);
    }

    Line line_;
    bool open_ = false;
    IdHash session_ = 0;
    IdHash prompt_ = 0;           // the newest words of the human
    bool copies_prompt_ = false;  // the context was compacted just now
    std::string held_;            // a text in the user's name that the user does not see
    Pieces pieces_;               // of a message that is being printed
    bool pieces_are_thoughts_ = false;
    IdHash printed_ = 0;  // the message of the last response, where it was printed
    EventHeader held_head_;
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0;
};

constexpr std::array<std::string_view, 6> kOwnBlocks{
    "\"toolRequest\"",           "\"toolResponse\"",           "\"toolConfirmationRequest\"",
    "\"contextLengthExceeded\"", "\"summarizationRequested\"", "\"systemNotification\""};

Score score(std::span<const ProbeRecord> sample, Framing) {
    Score best = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        if (r.text("row").starts_with("goose.")) return kCertain;
        // What goose exports has the same fields around the whole conversation, and is another format.
        const bool whole = r.has("role") || r.has("conversation") || r.has("messages");
        if (r.has("working_dir") && (r.has("message_count") || r.has("description")) && !whole) return kCertain;
        const ProbeRecord printed = r.child("message");
        if (r.text("type") == "message" && printed.has("created") && printed.has("content") && printed.has("role"))
            best = std::max(best, 95);
        if (r.text("type") == "notification" && r.has("extension_id")) best = std::max(best, 80);
        if (r.text("type") == "complete" && r.has("total_tokens")) best = std::max(best, 60);
        const auto content = r.raw("content");
        if (r.text("role").empty() || !r.has("created") || !content || !content->starts_with('[')) continue;
        const auto holds = [&content](std::string_view block) { return content->find(block) != content->npos; };
        if (std::ranges::any_of(kOwnBlocks, holds)) best = 95;
    }
    return best;
}

constexpr RecordKindDoc kKinds[] = {
    {"{working_dir, …}; row session", "SessionStart; Usage (totals)"},
    {"user, text", "TurnStart and Message (human)"},
    {"assistant, text, thinking", "Message, Thinking"},
    {"toolRequest", "ToolCall; Notice when it could not be read"},
    {"toolResponse", "ToolResult: status and isError"},
    {"summarizationRequested, contextLengthExceeded", "Compaction (begin)"},
    {"printed: message", "as above; pieces of one message are joined"},
    {"printed: complete, error", "Usage (totals), Notice, TurnEnd"},
    {"printed: notification, model_change", "ignored"},
    {"userVisible: false",
     "Compaction (user's text, the assistant's behind it); else injected, hidden where no one sees it"},
};

}  // namespace

ReaderSpec goose() {
    return {"goose",
            "goose",
            "session files before version 1.10, the SQLite database after, and what --output-format stream-json prints",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::timestamps |
                Signal::response_ids | Signal::reasoning | Signal::compaction,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<Goose>()); }};
}

}  // namespace agent_audit::readers
