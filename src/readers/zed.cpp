#include "readers/all.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"

#include <array>

// Threads of Zed's agent panel, one a row of its database, there compressed.
//
//   {"row":"zed.thread","thread_id":"…","title":"…","version":"0.3.0","model":{"provider":"…","model":"…"},"messages":[
//     {"User":{"id":"…","content":[{"Text":"…"}]}},
//     {"Agent":{"content":[{"Text":"…"},{"ToolUse":{"id":"c","name":"terminal","input":{…}}}],
//               "tool_results":{"c":{"tool_use_id":"c","is_error":false,"content":[{"Text":"…"}]}}}}]}
//
// Before 0.3.0: {"role":"assistant","segments":[{"type":"text","text":"…"}],"tool_uses":[…],"tool_results":[…]}

namespace agent_audit::readers {
namespace {

constexpr std::array<std::string_view, 3> kRefused{"Permission to run tool denied", "Tool use denied",
                                                   "Command cancelled: user denied"};
constexpr std::array<std::string_view, 2> kCut{"Tool canceled", "The user stopped this command."};

struct Piece {
    enum class Kind : std::uint8_t { text, thinking, mention, media, call, result } kind = Kind::text;
    std::string_view id, name;
    RawText text;
    CallArgs args;
    std::uint64_t opaque_bytes = 0;
    std::uint32_t media = 0;
    bool is_error = false;
};

class Zed final : public DocumentReader {
public:
    Zed() : DocumentReader("messages") {}

protected:
    LineFate read_object(json::object object) override {
        std::string_view row, id, parent, model, version;
        TokenCounts tokens;
        bool has_messages = false;
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            if (key_is(key, "row"))
                row = raw_string(v);
            else if (key_is(key, "thread_id"))
                id = raw_string(v);
            else if (key_is(key, "parent_id"))
                parent = raw_string(v);
            else if (key_is(key, "version"))
                version = raw_string(v);
            else if (key_is(key, "messages"))
                has_messages = is_array(v);
            else if (key_is(key, "subagent_context"))
                return each_field(v, [&](const char* k, json::value& w) {
                    if (key_is(k, "parent_thread_id") && parent.empty()) parent = raw_string(w);
                    return true;
                });
            else if (key_is(key, "cumulative_token_usage"))
                return collect_tokens(v, tokens);
            else if (key_is(key, "model"))
                return each_field(v, [&](const char* k, json::value& w) {
                    if (key_is(k, "model")) model = raw_string(w);
                    return true;
                });
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (row != "zed.thread") return LineFate::unknown_kind;
        if (!has_messages) return LineFate::missing_field;
        turn_ = 0;
        new_head();
        SessionStart start;
        start.session_id = text_of(id);
        start.parent_session_id = text_of(parent);
        start.sub_agent = !parent.empty();
        start.model = text_of(model);
        start.product_version = text_of(version);
        emit(start);
        const LineFate fate = stream_records(object);
        if (tokens.total() > 0) {
            new_head(0, turn_);
            Usage usage;
            usage.scope = UsageScope::session;
            usage.mode = UsageMode::cumulative;
            usage.tokens = tokens;
            emit(usage);
        }
        return fate == LineFate::malformed_json ? LineFate::partial : fate;  // the session has begun
    }

    // The human had it go on, without words of their own.
    bool read_word(json::value& element) override {
        if (raw_string(element) != "Resume") return false;
        new_head(0, turn_);
        emit(Message{Role::user, Origin::injected, plain("Continue where you left off"), 0});
        return true;
    }

    LineFate read_element(json::object element) override {
        pieces_.clear();
        role_ = {};
        bool compacted = false;
        RawText summary;
        const bool whole = read_fields(element, [&](const char* key, json::value& v) {
            if (key_is(key, "Compaction")) {
                compacted = true;
                return collect_summary(v, summary);
            }
            if (key_is(key, "User") || key_is(key, "Agent")) {
                role_ = key_is(key, "User") ? "user" : "assistant";
                return each_field(v, [this](const char* k, json::value& w) { return collect(k, w); });
            }
            if (key_is(key, "role")) role_ = raw_string(v);
            return collect(key, v);
        });
        if (!whole) return LineFate::malformed_json;
        if (compacted) return compaction(summary);
        if (role_.empty()) return LineFate::missing_field;
        if (role_ != "user" && role_ != "assistant" && role_ != "system") return LineFate::unknown_kind;
        new_head(0, turn_);
        if (role_ == "assistant") head().response = ++responses_ | std::uint64_t{1} << 63;
        bool begun = false;
        for (const Piece& piece : pieces_) one_piece(piece, begun);
        for (const Piece& piece : pieces_) {  // wherever they stand: behind the calls
            if (piece.kind == Piece::Kind::result) result(piece);
        }
        return LineFate::understood;
    }

private:
    static bool collect_tokens(json::value& v, TokenCounts& tokens) {
        return each_field(v, [&tokens](const char* key, json::value& n) {
            if (key_is(key, "input_tokens"))
                tokens.input = as_uint(n);
            else if (key_is(key, "output_tokens"))
                tokens.output = as_uint(n);
            else if (key_is(key, "cache_creation_input_tokens"))
                tokens.cache_write = as_uint(n);
            else if (key_is(key, "cache_read_input_tokens"))
                tokens.cache_read = as_uint(n);
            return true;
        });
    }

    // {"Summary":"…"}, or {"ProviderNative":{…}}, which only the provider can read.
    static bool collect_summary(json::value& v, RawText& summary) {
        return each_field(v, [&summary](const char* kind, json::value& w) {
            if (key_is(kind, "Summary")) summary = text_of(raw_string(w));
            return true;
        });
    }

    LineFate compaction(RawText summary) {
        new_head(0, turn_);
        Compaction compaction;
        compaction.summary = summary;
        emit(compaction);
        return LineFate::understood;
    }

    bool collect(const char* key, json::value& v) {
        if (key_is(key, "content"))
            return each_element(v, [this](json::value& part) {
                return each_field(part, [this](const char* kind, json::value& w) { return collect_content(kind, w); });
            });
        if (key_is(key, "segments"))
            return each_element(v, [this](json::value& segment) { return collect_segment(segment); });
        if (key_is(key, "tool_uses")) return each_element(v, [this](json::value& use) { return collect_call(use); });
        if (!key_is(key, "tool_results")) return true;
        if (is_array(v)) return each_element(v, [this](json::value& result) { return collect_result(result); });
        return each_field(v, [this](const char*, json::value& result) { return collect_result(result); });
    }

    bool collect_content(const char* kind, json::value& v) {
        if (key_is(kind, "ToolUse")) return collect_call(v);
        const bool text = key_is(kind, "Text"), thinking = key_is(kind, "Thinking");
        const bool redacted = key_is(kind, "RedactedThinking"), mention = key_is(kind, "Mention");
        if (!text && !thinking && !redacted && !mention && !key_is(kind, "Image")) return true;
        Piece* piece = pieces_.next();
        if (!piece) return true;
        piece->kind = text                   ? Piece::Kind::text
                      : thinking || redacted ? Piece::Kind::thinking
                      : mention              ? Piece::Kind::mention
                                             : Piece::Kind::media;
        if (redacted)
            piece->opaque_bytes = raw_string(v).size();
        else if (is_string(v))
            piece->text = text_of(raw_string(v));
        return each_field(v, [piece](const char* key, json::value& w) {
            if (key_is(key, "text") || (key_is(key, "content") && piece->kind == Piece::Kind::mention))
                piece->text = text_of(raw_string(w));
            if (key_is(key, "signature")) piece->opaque_bytes = raw_string(w).size();
            return true;
        });
    }

    bool collect_segment(json::value& v) {
        Piece* piece = is_object(v) ? pieces_.next() : nullptr;
        return !piece || each_field(v, [piece](const char* key, json::value& w) {
            if (key_is(key, "type"))
                piece->kind = raw_string(w) == "text" ? Piece::Kind::text : Piece::Kind::thinking;
            else if (key_is(key, "text"))
                piece->text = text_of(raw_string(w));
            else if (key_is(key, "signature") || key_is(key, "data"))
                piece->opaque_bytes = raw_string(w).size();
            return true;
        });
    }

    bool collect_call(json::value& v) {
        Piece* piece = is_object(v) ? pieces_.next() : nullptr;
        if (!piece) return true;
        piece->kind = Piece::Kind::call;
        return each_field(v, [piece, this](const char* key, json::value& w) {
            if (key_is(key, "id"))
                piece->id = raw_string(w);
            else if (key_is(key, "name"))
                piece->name = raw_string(w);
            else if (key_is(key, "input") && !is_null(w))
                return collect_input(w, piece->args);
            return true;
        });
    }

    // Arguments as they are, or since tools may take plain text {"type":"json","value":{…}} or {"type":"text",…}.
    bool collect_input(json::value& v, CallArgs& args) {
        if (!is_object(v)) {
            args = args_.digest_value({}, v);
            return true;
        }
        json::object object;
        if (v.get_object().get(object)) return false;
        std::string_view kind;
        int fields = 0;
        bool other = false;  // it is no frame: arguments of their own
        const bool whole = each_field(object, [&](const char* key, json::value& w) {
            const bool named = fields == 0 ? key_is(key, "type") : fields == 1 && key_is(key, "value");
            if (named && fields == 0 && is_string(w))
                kind = raw_string(w);
            else if (named && kind == "json")
                args = args_.digest_value({}, w);
            else if (named && kind == "text" && is_string(w))
                args = args_.digest_text({}, text_of(raw_string(w)));
            else
                return !(other = true);
            ++fields;
            return true;
        });
        if (!whole && !other) return false;
        if (fields == 2 && !other) return true;
        if (object.reset().error()) return false;
        args = args_.digest_object({}, object);
        return true;
    }

    bool collect_result(json::value& v) {
        Piece* piece = is_object(v) ? pieces_.next() : nullptr;
        if (!piece) return true;
        piece->kind = Piece::Kind::result;
        return each_field(v, [piece](const char* key, json::value& w) {
            if (key_is(key, "tool_use_id"))
                piece->id = raw_string(w);
            else if (key_is(key, "is_error"))
                piece->is_error = is_true(w);
            else if (key_is(key, "content"))
                return collect_result_content(w, *piece);
            return true;
        });
    }

    // A string, {"Text":"…"}, or a list of these; several texts are taken as they stand.
    static bool collect_result_content(json::value& v, Piece& piece) {
        if (!is_array(v)) return collect_result_part(v, piece);
        json::array parts;
        std::string_view all;
        if (v.get_array().get(parts) || parts.raw_json().get(all) || parts.reset().error()) return false;
        std::size_t texts = 0;
        for (auto item : parts) {
            json::value part;
            Piece one;
            if (std::move(item).get(part) || !collect_result_part(part, one)) return false;
            piece.media += one.media;
            if (!one.text.empty() && ++texts == 1) piece.text = one.text;
        }
        if (texts > 1) piece.text = {all, TextForm::json_value};
        return true;
    }

    static bool collect_result_part(json::value& v, Piece& piece) {
        if (is_string(v)) piece.text = text_of(raw_string(v));
        return each_field(v, [&piece](const char* key, json::value& w) {
            if (key_is(key, "Text") || key_is(key, "text")) piece.text = any_text(w);
            if (key_is(key, "Image") || key_is(key, "image")) ++piece.media;
            return true;
        });
    }

    void one_piece(const Piece& piece, bool& begun) {
        switch (piece.kind) {
            case Piece::Kind::thinking: return emit(Thinking{piece.text, piece.opaque_bytes});
            case Piece::Kind::mention:  // what the file or page said that the human pointed at
                if (!piece.text.empty()) emit(Message{Role::user, Origin::injected, piece.text, 0});
                return;
            case Piece::Kind::media: return emit(Message{Role::user, Origin::injected, {}, 1});
            case Piece::Kind::call:
                if (!piece.name.empty()) emit(call_of(piece.id, piece.name, piece.args));
                return;
            case Piece::Kind::result: return;
            case Piece::Kind::text: break;
        }
        if (piece.text.empty()) return;
        if (role_ == "assistant") return emit(Message{Role::assistant, Origin::agent, piece.text, 0});
        if (role_ == "system") return emit(Message{Role::system, Origin::injected, piece.text, 0});
        if (!std::exchange(begun, true)) {
            head().turn = ++turn_;
            emit(TurnStart{});
        }
        emit(Message{Role::user, Origin::human, piece.text, 0});
    }

    void result(const Piece& piece) {
        ToolResult result;
        result.call_id = text_of(piece.id);
        result.text = piece.text;
        result.media_count = piece.media;
        result.opaque = piece.text.empty() && piece.media > 0;
        result.exit_code = exit_code_of(piece.text.bytes);
        result.status = status_of(piece, result.exit_code);
        emit(result);
    }

    // What became of a command stands before its output: Command \"…\" failed with exit code 1.
    static std::optional<int> exit_code_of(std::string_view text) {
        constexpr std::string_view kSaid = "failed with exit code ";
        if (!text.starts_with("Command ")) return std::nullopt;
        const std::size_t at = text.find(kSaid);
        return at == text.npos ? std::nullopt : number_after(text.substr(at, kSaid.size() + 9), kSaid);
    }

    static ResultStatus status_of(const Piece& piece, std::optional<int> exit_code) {
        const std::string_view text = piece.text.bytes;
        if (starts_with_one_of(text, kRefused)) return ResultStatus::denied;
        if (starts_with_one_of(text, kCut)) return ResultStatus::cancelled;
        const bool ended_badly = exit_code.value_or(0) != 0 || text.starts_with("Command terminated unexpectedly") ||
                                 (text.starts_with(R"(Command \")") && text.find(R"(\" timed out.)") != text.npos);
        return piece.is_error || ended_badly ? ResultStatus::error : ResultStatus::ok;
    }

    Reused<Piece> pieces_;
    std::string_view role_;
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    return std::ranges::any_of(sample, [](const ProbeRecord& r) { return r.text("row").starts_with("zed."); })
               ? kCertain
               : 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"row thread", "SessionStart and the messages; Usage (totals)"},
    {"User", "TurnStart and Message (human)"},
    {"Agent", "Message, Thinking, ToolCall and ToolResult"},
    {"Compaction", "Compaction"},
    {"Resume", "Message (injected)"},
    {"role, segments, tool_uses, tool_results", "the same, as older versions wrote it"},
};

}  // namespace

ReaderSpec zed() {
    return {"zed",
            "Zed",
            "threads of its agent panel in its SQLite database",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::response_ids | Signal::reasoning | Signal::compaction,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<Zed>()); }};
}

}  // namespace agent_audit::readers
