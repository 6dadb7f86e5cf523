#include "readers/all.hpp"
#include "readers/json/array_record.hpp"
#include "readers/json/format_util.hpp"
#include "readers/messages/printed_run.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

// What ChatGPT hands out when somebody asks for their data: conversations.json, an array of conversations, or one of
// them.
//
//   [{"title":"…","create_time":1.5,"conversation_id":"…","current_node":"d","mapping":{
//     "a":{"id":"a","parent":null,"children":["b"],"message":null},
//     "b":{"id":"b","parent":"a","children":["c"],"message":{"author":{"role":"user"},"create_time":2.5,
//       "content":{"content_type":"text","parts":["…"]},"recipient":"all","metadata":{}}},
//     "c":{…"message":{"author":{"role":"assistant"},"recipient":"python","content":{"content_type":"code","text":"…"},
//       "metadata":{"model_slug":"…"}}},
//     "d":{…"message":{"author":{"role":"tool","name":"python"},"content":{"content_type":"execution_output",
//       "text":"…"},"metadata":{"aggregate_result":{"in_kernel_exception":null}}}}}}]
//
// The messages are a tree: where somebody asked again, or had an answer made again, a node has several children. They
// are told in the order of their times, and a branch begins with a Rewind. Nothing says what a request took.

namespace agent_audit::readers {
namespace {

struct Node {
    IdHash id = 0, parent = 0;
    std::string_view name, parent_name, message;  // the JSON of the message
    double time = 0;
    double begins = 0;  // when what hangs on it begins; without a message its own time says nothing
    std::vector<std::size_t> children;
    std::size_t above = 0;
    std::string_view told;  // the name of what was last told on the way to it, and with it
    bool hangs = false;     // on another node of the conversation, `above`
};

struct Spoken {
    std::string_view role, tool, recipient, kind, model;
    std::vector<RawText> parts;
    RawText text;
    std::uint32_t media = 0;
    double time = 0;
    bool hidden = false, failed = false;
};

// Seconds of a calendar.
bool has_date(double seconds) { return seconds > 0 && seconds < 1e11; }

class ChatGpt final : public PrintedReader {
protected:
    LineFate read_object(json::object object) override {
        nodes_.clear();
        session_ = PrintedLine{};
        bool tree = false;
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            if (key_is(key, "conversation_id") || (key_is(key, "id") && session_.session_id.empty()))
                session_.session_id = raw_string(v);
            else if (key_is(key, "create_time"))
                session_.time_ms = unix_time(v);
            else if (key_is(key, "default_model_slug"))
                session_.model = raw_string(v);
            else if (key_is(key, "mapping"))
                return (tree = is_object(v)) && collect_tree(v);
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (!tree) return LineFate::unknown_kind;
        run_ = PrintedRun{};
        open_calls_.clear();
        told_model_ = session_.model;
        return tell_tree();
    }

    LineFate read_array(json::array array) override {
        return read_each(array, [this](json::object object) {
            args_.clear();
            return read_object(object);
        });
    }

private:
    // ---- collecting -------------------------------------------------------------------------------------

    bool collect_tree(json::value& v) {
        return each_field(v, [this](const char*, json::value& node) { return !is_object(node) || collect_node(node); });
    }

    bool collect_node(json::value& v) {
        Node node;
        const bool whole = each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "id"))
                node.name = raw_string(w);
            else if (key_is(key, "parent") && is_string(w))
                node.parent_name = raw_string(w);
            else if (key_is(key, "message") && is_object(w))
                node.message = raw_value(w);
            return true;
        });
        node.id = id_hash(node.name);
        node.parent = id_hash(node.parent_name);
        if (whole && node.id != 0) nodes_.push_back(std::move(node));
        return whole;
    }

    // What stands in the record is followed by what the parser wants to see behind it.
    template <class Take>
    bool within(std::string_view raw, Take&& take) {
        json::document doc;
        json::value value;
        return !raw.empty() &&
               !parser_.iterate(raw.data(), raw.size(), raw.size() + simdjson::SIMDJSON_PADDING).get(doc) &&
               !doc.get_value().get(value) && take(value);
    }

    bool collect_message(std::string_view raw) {
        spoken_ = Spoken{};
        return within(raw, [this](json::value& message) {
            return each_field(message, [this](const char* key, json::value& v) {
                if (key_is(key, "author")) return collect_author(v);
                if (key_is(key, "content")) return collect_content(v);
                if (key_is(key, "metadata")) return collect_metadata(v);
                if (key_is(key, "recipient"))
                    spoken_.recipient = raw_string(v);
                else if (key_is(key, "create_time"))
                    spoken_.time = number_or(v, 0);
                return true;
            });
        });
    }

    bool collect_author(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "role"))
                spoken_.role = raw_string(w);
            else if (key_is(key, "name") && is_string(w))
                spoken_.tool = raw_string(w);
            return true;
        });
    }

    bool collect_content(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "content_type"))
                spoken_.kind = raw_string(w);
            else if (key_is(key, "parts"))
                return each_element(w, [this](json::value& part) { return collect_part(part); });
            else if (key_is(key, "thoughts"))
                return each_element(w, [this](json::value& part) { return collect_part(part); });
            else if ((key_is(key, "text") || key_is(key, "result") || key_is(key, "content")) && is_string(w))
                spoken_.parts.push_back(text_of(raw_string(w)));
            return true;
        });
    }

    // A text, or an object with one ("content" of a thought, "text" of what was said aloud); the others are media.
    bool collect_part(json::value& v) {
        if (is_string(v)) {
            spoken_.parts.push_back(text_of(raw_string(v)));
            return true;
        }
        RawText text;
        const bool whole = each_field(v, [&text](const char* key, json::value& w) {
            if ((key_is(key, "content") || key_is(key, "text")) && is_string(w)) text = text_of(raw_string(w));
            return true;
        });
        if (!text.empty())
            spoken_.parts.push_back(text);
        else if (spoken_.kind != "thoughts")
            ++spoken_.media;
        return whole;
    }

    bool collect_metadata(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "model_slug") && is_string(w))
                spoken_.model = raw_string(w);
            else if (key_is(key, "is_user_system_message") || key_is(key, "is_visually_hidden_from_conversation"))
                spoken_.hidden |= is_true(w);
            else if (key_is(key, "aggregate_result") && is_object(w))
                return each_field(w, [this](const char* k, json::value& x) {
                    if (key_is(k, "in_kernel_exception") || key_is(k, "system_exception"))
                        spoken_.failed |= !is_null(x);
                    return true;
                });
            return true;
        });
    }

    // ---- the tree ---------------------------------------------------------------------------------------

    void link_nodes() {
        places_.clear();
        for (std::size_t at = 0; at < nodes_.size(); ++at) places_.emplace(nodes_[at].id, at);
        for (std::size_t at = 0; at < nodes_.size(); ++at) {
            Node& node = nodes_[at];
            if (collect_message(node.message)) node.time = spoken_.time;
            const auto parent = places_.find(node.parent);
            node.hangs = parent != places_.end() && parent->second != at;
            if (!node.hangs) continue;
            node.above = parent->second;
            nodes_[node.above].children.push_back(at);
        }
        time_branches();
        for (Node& node : nodes_)
            std::ranges::stable_sort(node.children, {}, [this](std::size_t child) { return nodes_[child].begins; });
    }

    // Of a node without a message, the first time below it. What comes first goes up first, as far as nobody was: so a
    // node is passed once, whatever tree it is.
    void time_branches() {
        std::vector<std::size_t> timed;
        for (std::size_t at = 0; at < nodes_.size(); ++at) {
            nodes_[at].begins = nodes_[at].time;
            if (nodes_[at].time > 0) timed.push_back(at);
        }
        std::ranges::stable_sort(timed, {}, [this](std::size_t at) { return nodes_[at].time; });
        for (std::size_t at : timed) {
            const double time = nodes_[at].time;
            while (nodes_[at].hangs && nodes_[nodes_[at].above].begins <= 0) {
                at = nodes_[at].above;
                nodes_[at].begins = time;
            }
        }
    }

    LineFate tell_tree() {
        link_nodes();
        bool told = false, broken = false;
        std::size_t visited = 0, unseen = 0, last = nodes_.size();  // the node visited before
        std::vector<std::size_t> ahead;
        for (std::size_t at = nodes_.size(); at > 0; --at) {
            if (!nodes_[at - 1].hangs) ahead.push_back(at - 1);
            unseen += !nodes_[at - 1].message.empty();
        }
        while (!ahead.empty()) {
            const std::size_t at = ahead.back();
            ahead.pop_back();
            Node& node = nodes_[at];
            for (std::size_t i = node.children.size(); i > 0; --i) ahead.push_back(node.children[i - 1]);
            if (node.hangs) node.told = nodes_[node.above].told;
            if (told && node.hangs && last != node.above) go_back_to(node);
            last = at;
            place_message(++visited);
            if (node.message.empty()) continue;
            --unseen;
            const bool whole = collect_message(node.message);
            broken |= !whole;
            if (!whole || spoken_.role.empty()) continue;
            if (tell(node)) node.told = node.name;
            told = true;
        }
        set_place(record().where);
        if (!told) return broken ? LineFate::malformed_json : LineFate::missing_field;
        // Messages that hang on each other in a ring hang on no conversation.
        return broken || unseen > 0 ? LineFate::partial : LineFate::understood;
    }

    // In a file with one conversation the messages are counted, as records of a log are.
    void place_message(std::size_t number) {
        SourceSpan place = record().where;
        if (place.line != 1 || place.offset != 0 || !record().counted) return;
        place.line = number;
        set_place(place);
    }

    // To what it hangs on, or to the last thing above that was told: the messages an export begins with are empty.
    void go_back_to(const Node& node) {
        open_calls_.clear();
        run_.end_response();
        PrintedLine line = session_;
        if (has_date(node.begins)) line.time_ms = static_cast<std::int64_t>(node.begins * 1000);
        begin(line);
        emit(Rewind{node.told.empty() ? RewindTarget::all : RewindTarget::to_record, node.told, 0});
    }

    // ---- telling ----------------------------------------------------------------------------------------

    /// False: there was nothing to tell.
    bool tell(const Node& node) {
        PrintedLine line = session_;
        if (has_date(spoken_.time)) line.time_ms = static_cast<std::int64_t>(spoken_.time * 1000);
        begin(line).record_id = node.name;
        const std::uint64_t before = emitted();
        join_parts();
        if (spoken_.role == "assistant")
            answer(node);
        else if (spoken_.role == "tool")
            result();
        else
            prompt();
        return emitted() > before;
    }

    void prompt() {
        const bool human = spoken_.role == "user" && !spoken_.hidden && spoken_.kind != "user_editable_context";
        open_calls_.clear();
        if (human) return begin_turn(spoken_.text, spoken_.media);
        if (spoken_.text.empty()) return;
        emit(Message{spoken_.role == "user" ? Role::user : Role::system, Origin::injected, spoken_.text, 0});
    }

    void join_parts() {
        if (spoken_.parts.size() <= 1) {
            if (!spoken_.parts.empty()) spoken_.text = spoken_.parts.front();
            return;
        }
        joined_.clear();
        for (const RawText& part : spoken_.parts) joined_.append(joined_.empty() ? "" : "\\n").append(part.bytes);
        spoken_.text = text_of(joined_);
    }

    void answer(const Node& node) {
        tell_model(spoken_.model);
        head().response = run_.respond();
        const bool calls = !spoken_.recipient.empty() && spoken_.recipient != "all";
        heard_ |= !calls;
        if (calls)
            call(node);
        else if (spoken_.kind == "thoughts")
            emit(Thinking{spoken_.text, 0});
        else if (spoken_.kind != "reasoning_recap" && spoken_.kind != "model_editable_context" && !spoken_.text.empty())
            emit(Message{Role::assistant, Origin::agent, spoken_.text, spoken_.media});
        head().response = 0;
    }

    void tell_model(std::string_view model) {
        if (model.empty() || model == told_model_) return;
        told_model_ = model;
        ContextChange change;
        change.model = text_of(model);
        emit(change);
    }

    void call(const Node& node) {
        // What the model calls one after the other it calls at once; older calls get no result any more.
        if (heard_ || open_calls_.size() >= kMostOpen) open_calls_.clear();
        heard_ = false;
        open_calls_.push_back({std::string(node.name), std::string(spoken_.recipient)});
        const std::string_view words = spoken_.text.bytes;
        emit(call_of(open_calls_.back().id, spoken_.recipient,
                     words.starts_with('{') ? args_.digest_string({}, words) : args_.digest_text({}, spoken_.text)));
    }

    struct OpenCall {
        std::string id, tool;
    };

    // Results name no call: it is the first of their tool, or the first of all.
    std::vector<OpenCall>::iterator call_answered() {
        // file_search tells of a call of file_search.msearch.
        const auto named = std::ranges::find_if(open_calls_, [tool = spoken_.tool](const OpenCall& call) {
            const std::string_view called = call.tool;
            return called.starts_with(tool) && (called.size() == tool.size() || called[tool.size()] == '.');
        });
        return named != open_calls_.end() ? named : open_calls_.begin();
    }

    // A tool may say more than one thing of a call, and something without having been called: only the first is a
    // result.
    void result() {
        run_.end_response();
        heard_ = true;
        if (open_calls_.empty()) {
            if (!spoken_.text.empty()) emit(Message{Role::user, Origin::injected, spoken_.text, spoken_.media});
            return;
        }
        const auto call = call_answered();
        ToolResult result;
        result.call_id = text_of(call->id);
        result.name = text_of(spoken_.tool);
        result.text = spoken_.text;
        result.media_count = spoken_.media;
        const bool failed = spoken_.failed || spoken_.kind == "system_error";
        if (failed)
            result.status = ResultStatus::error;
        else if (spoken_.kind == "execution_output")
            result.status = ResultStatus::ok;
        emit(result);
        open_calls_.erase(call);
    }

    static constexpr std::size_t kMostOpen = 256;  // models call a few tools at once

    PrintedLine session_;
    std::vector<Node> nodes_;
    std::unordered_map<IdHash, std::size_t> places_;
    Spoken spoken_;
    std::string joined_;
    std::vector<OpenCall> open_calls_;
    bool heard_ = false;  // something was said since the last call
    std::string_view told_model_;
    json::parser parser_;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& record : sample) {
        const auto inner = first_of(record);
        const ProbeRecord& r = inner ? *inner : record;
        const auto mapping = r.raw("mapping");
        if (mapping && mapping->starts_with('{') && (r.has("current_node") || r.has("conversation_id")))
            return kCertain;
    }
    return 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"{conversation_id, mapping}",
     "one session a record; its messages in the order of the tree, branches behind a Rewind"},
    {"user", "TurnStart and Message (human); hidden: Message (injected)"},
    {"assistant", "Message, Thinking (thoughts), or with a recipient ToolCall"},
    {"tool", "ToolResult of the call before it; without one Message (injected)"},
    {"system", "Message (system)"},
};

}  // namespace

ReaderSpec chatgpt() {
    return {"chatgpt",
            "ChatGPT",
            "conversations.json of the data that ChatGPT exports",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::timestamps |
                Signal::response_ids | Signal::reasoning,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<ChatGpt>()); }};
}

}  // namespace agent_audit::readers
