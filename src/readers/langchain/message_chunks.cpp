#include "readers/langchain/message_chunks.hpp"

#include "readers/json/ids.hpp"
#include "readers/json/walk.hpp"
#include "readers/langchain/graph_lanes.hpp"

#include <algorithm>
#include <utility>

namespace agent_audit::readers {
namespace {

/// A task, or one of the graphs that it runs.
bool is_within(std::string_view task, std::string_view outer) {
    return task.starts_with(outer) && (task.size() == outer.size() || task[outer.size()] == '|');
}

}  // namespace

bool StreamMetadata::collect(json::value& v) {
    return each_field(v, [this](const char* key, json::value& w) {
        if (key_is(key, "langgraph_step")) {
            step = as_uint(w);
            known = true;
        } else if (key_is(key, "langgraph_node")) {
            known = true;
        } else if (key_is(key, "langgraph_checkpoint_ns") || (key_is(key, "checkpoint_ns") && task.empty())) {
            task = raw_string(w);
            known = true;
        } else if (key_is(key, "thread_id")) {
            thread = raw_string(w);
        } else if (key_is(key, "ls_model_name")) {
            model = raw_string(w);
        } else if (key_is(key, "lc_agent_name")) {
            agent = raw_string(w);
        }
        return true;
    });
}

std::uint64_t OpenAnswers::key_of(std::string_view id, const StreamMetadata& beside) {
    if (!is_stand_in(id)) return id_hash(id);
    return mix_hash(mix_hash(stable_hash(beside.thread), stable_hash(beside.task)), beside.step);
}

OpenAnswer& OpenAnswers::open(std::uint64_t key, std::string_view id, const StreamMetadata& beside) {
    const auto known = std::ranges::find(open_, key, &OpenAnswer::key);
    if (known != open_.end()) return *known;
    OpenAnswer& answer = open_.emplace_back();
    answer.key = key;
    append(answer, answer.id, id);
    append(answer, answer.task, beside.task);
    append(answer, answer.thread, beside.thread);
    append(answer, answer.agent, beside.agent);
    append(answer, answer.model, beside.model);
    answer.step = beside.step;
    return answer;
}

void OpenAnswers::add(OpenAnswer& answer, const AnswerPiece& piece) {
    append(answer, answer.text, piece.text);
    add_blocks(answer, piece.blocks);
    append(answer, answer.thought, piece.thought);
    if (!piece.model.empty() && answer.model.empty()) append(answer, answer.model, piece.model);
    answer.tokens += piece.tokens;  // as the library adds them
}

// Some providers leave out the index: a piece with an id is then another call.
void OpenAnswers::add_call(OpenAnswer& answer, const CallPiece& piece) {
    const auto same = [&piece](const OpenAnswer::Call& call) {
        return piece.index.empty() ? piece.id.empty() || piece.id == call.id : piece.index == call.index;
    };
    const auto known = std::ranges::find_if(answer.calls.rbegin(), answer.calls.rend(), same);
    const bool is_new = known == answer.calls.rend();
    if (is_new && answer.calls.size() >= kMostCalls) return;
    OpenAnswer::Call& call = is_new ? answer.calls.emplace_back() : *known;
    if (is_new) append(answer, call.index, piece.index);
    if (call.id.empty()) append(answer, call.id, piece.id);
    if (call.name.empty()) append(answer, call.name, piece.name);
    append(answer, call.args, piece.args);
    call.is_json = piece.is_json;
}

// [{"type":"text","text":"…","index":0}], [{"type":"thinking","thinking":"…"}],
// [{"type":"reasoning","summary":[{"text":"…"}]}]
void OpenAnswers::add_blocks(OpenAnswer& answer, std::string_view blocks) {
    json::document doc;
    json::value all;
    if (blocks.empty() ||
        nested_parser(blocks.size())
            .iterate(blocks.data(), blocks.size(), blocks.size() + simdjson::SIMDJSON_PADDING)
            .get(doc) ||
        doc.get_value().get(all))
        return;
    each_element(all, [&](json::value& block) {
        if (is_string(block)) append(answer, answer.text, raw_string(block));
        return each_field(block, [&](const char* key, json::value& v) {
            if (key_is(key, "text"))
                append(answer, answer.text, raw_string(v));
            else if (key_is(key, "thinking") || key_is(key, "reasoning"))
                append(answer, answer.thought, raw_string(v));
            else if (key_is(key, "summary"))
                return each_element(v, [&](json::value& part) {
                    return each_field(part, [&](const char* k, json::value& w) {
                        if (key_is(k, "text")) append(answer, answer.thought, raw_string(w));
                        return true;
                    });
                });
            return true;
        });
    });
}

bool OpenAnswers::has(std::uint64_t key) const {
    return std::ranges::find(open_, key, &OpenAnswer::key) != open_.end();
}

std::optional<OpenAnswer> OpenAnswers::one() {
    return take([](const OpenAnswer&) { return true; });
}

std::optional<OpenAnswer> OpenAnswers::with_key(std::uint64_t key) {
    return take([key](const OpenAnswer& a) { return a.key == key; });
}

// A task may ask several models at once, so another answer of it ends none.
std::optional<OpenAnswer> OpenAnswers::ended_by(std::uint64_t key, const StreamMetadata& beside, bool whole,
                                                std::string_view call) {
    return take([&](const OpenAnswer& a) {
        if (a.key == key) return false;
        if (!call.empty() && std::ranges::find(a.calls, call, &OpenAnswer::Call::id) != a.calls.end()) return true;
        if (!beside.known || a.thread != beside.thread) return false;
        const bool later_step = a.step != beside.step && graph_of(a.task) == graph_of(beside.task);
        return later_step || (whole && is_within(a.task, beside.task));
    });
}

template <class Is>
std::optional<OpenAnswer> OpenAnswers::take(Is&& is) {
    const auto found = std::ranges::find_if(open_, is);
    if (found == open_.end()) return std::nullopt;
    OpenAnswer answer = std::move(*found);
    open_.erase(found);
    bytes_ -= answer.bytes;
    return answer;
}

void OpenAnswers::append(OpenAnswer& answer, std::string& to, std::string_view piece) {
    if (bytes_ + piece.size() > kMostBytes) return;
    bytes_ += piece.size();
    answer.bytes += piece.size();
    to += piece;
}

}  // namespace agent_audit::readers
