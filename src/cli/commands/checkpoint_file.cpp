#include "cli/commands/checkpoint_file.hpp"

#include "cli/output.hpp"

#include <agent_audit/pipeline/text_tokens.hpp>
#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <tuple>

namespace agent_audit::cli {
namespace {

namespace fs = std::filesystem;
using advice::Change;
using advice::Checkpoint;
using advice::CheckpointReason;
using advice::Quote;
using report::JsonWriter;

constexpr std::string_view kSchema = "agent-audit/checkpoint/1";
constexpr std::uint64_t kLongestFile = 4u << 20;
constexpr std::size_t kMostFiles = 100'000;

// ---- writing -----------------------------------------------------------------------------------------------------

void write(JsonWriter& json, const Quote& q) {
    json.begin_object();
    json.text("text", q.text);
    json.number("line", q.line);
    json.known_number("turn", q.turn);
    json.end_object();
}

void write(JsonWriter& json, const Change& c) {
    json.begin_object();
    json.text("path", c.path);
    json.number("edits", c.edits);
    json.number("first_line", c.first_line);
    json.number("last_line", c.last_line);
    json.known_number("turn", c.turn);
    json.known_text("check", c.check);
    if (c.approved) json.flag("approved", true);
    json.known_number("check_line", c.check_line);
    json.end_object();
}

void write(JsonWriter& json, const advice::Failure& f) {
    json.begin_object();
    json.text("tool", f.tool);
    json.known_text("call", f.call);
    json.text("error_class", name(f.error));
    json.number("count", f.count);
    json.number("first_line", f.first_line);
    json.number("last_line", f.last_line);
    json.known_number("turn", f.turn);
    json.known_text("tool_output", f.output);
    json.end_object();
}

void write(JsonWriter& json, const advice::Repetition& r) {
    json.begin_object();
    json.text("tool", r.tool);
    json.known_text("call", r.call);
    json.number("count", r.count);
    json.number("first_line", r.first_line);
    json.number("last_line", r.last_line);
    json.known_number("turn", r.turn);
    json.end_object();
}

void write(JsonWriter& json, const advice::FileRead& r) {
    json.begin_object();
    json.text("path", r.path);
    json.number("reads", r.reads);
    json.number("line", r.line);
    json.known_number("turn", r.turn);
    json.end_object();
}

void write(JsonWriter& json, const advice::CheckRun& c) {
    json.begin_object();
    json.text("command", c.command);
    json.text("end", name(c.end));
    json.number("line", c.line);
    json.known_number("turn", c.turn);
    json.end_object();
}

template <class T>
void write(JsonWriter& json, std::string_view field, const std::optional<T>& value) {
    if (!value) return;
    json.key(field);
    write(json, *value);
}

template <class T>
void write(JsonWriter& json, std::string_view field, const std::vector<T>& list) {
    json.key(field).begin_array();
    for (const T& entry : list) write(json, entry);
    json.end_array();
    json.newline();
}

// ---- reading -----------------------------------------------------------------------------------------------------

using Json = nlohmann::json;

const Json* member(const Json& object, const char* key) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
}
void read(const Json& object, const char* key, std::string& out) {
    if (const Json* value = member(object, key); value && value->is_string()) out = value->get_ref<const std::string&>();
}
template <class Number>
void read(const Json& object, const char* key, Number& out) {
    if (const Json* value = member(object, key); value && value->is_number_unsigned()) out = static_cast<Number>(value->get<std::uint64_t>());
}
void read(const Json& object, const char* key, bool& out) {
    if (const Json* value = member(object, key); value && value->is_boolean()) out = value->get<bool>();
}

void read(const Json& from, Quote& q) {
    read(from, "text", q.text);
    read(from, "line", q.line);
    read(from, "turn", q.turn);
}
void read(const Json& from, Change& c) {
    read(from, "path", c.path);
    read(from, "edits", c.edits);
    read(from, "first_line", c.first_line);
    read(from, "last_line", c.last_line);
    read(from, "turn", c.turn);
    read(from, "check", c.check);
    read(from, "approved", c.approved);
    read(from, "check_line", c.check_line);
}
void read(const Json& from, advice::Failure& f) {
    read(from, "tool", f.tool);
    read(from, "call", f.call);
    std::string error;
    read(from, "error_class", error);
    for (std::size_t i = 0; i < kErrorClassCount; ++i) {
        if (error == name(static_cast<ErrorClass>(i))) f.error = static_cast<ErrorClass>(i);
    }
    read(from, "count", f.count);
    read(from, "first_line", f.first_line);
    read(from, "last_line", f.last_line);
    read(from, "turn", f.turn);
    read(from, "tool_output", f.output);
}
void read(const Json& from, advice::Repetition& r) {
    read(from, "tool", r.tool);
    read(from, "call", r.call);
    read(from, "count", r.count);
    read(from, "first_line", r.first_line);
    read(from, "last_line", r.last_line);
    read(from, "turn", r.turn);
}
void read(const Json& from, advice::FileRead& r) {
    read(from, "path", r.path);
    read(from, "reads", r.reads);
    read(from, "line", r.line);
    read(from, "turn", r.turn);
}
void read(const Json& from, advice::CheckRun& c) {
    read(from, "command", c.command);
    std::string end;
    read(from, "end", end);
    for (const auto known : {advice::CheckEnd::passed, advice::CheckEnd::failed}) {
        if (end == name(known)) c.end = known;
    }
    read(from, "line", c.line);
    read(from, "turn", c.turn);
}
template <class T>
void read(const Json& object, const char* key, std::optional<T>& out) {
    if (const Json* value = member(object, key); value && value->is_object()) read(*value, out.emplace());
}
template <class T>
void read(const Json& object, const char* key, std::vector<T>& out) {
    const Json* list = member(object, key);
    if (!list || !list->is_array()) return;
    for (const Json& entry : *list) read(entry, out.emplace_back());
}

void read_state(const Json& from, Checkpoint& c) {
    read(from, "risk", c.risk);
    read(from, "session", c.session);
    read(from, "model", c.model);
    read(from, "cwd", c.cwd);
    read(from, "line", c.line);
    read(from, "turn", c.turn);
    read(from, "responses", c.responses);
    read(from, "compactions", c.compactions);
    read(from, "time_ms", c.time_ms);
    read(from, "open_calls", c.open_calls);
    if (const Json* goal = member(from, "goal")) {
        if (const Json* first = member(*goal, "first")) read(*first, c.goal.first);
        read(*goal, "latest", c.goal.latest);
        read(*goal, "remark", c.goal.remark);
    }
    read(from, "constraints", c.constraints);
    read(from, "verified", c.verified);
    read(from, "unverified", c.unverified);
    read(from, "commits", c.commits);
    read(from, "last_check", c.last_check);
    read(from, "decisions", c.decisions);
    read(from, "failures", c.failures);
    read(from, "repetitions", c.repetitions);
    read(from, "modified", c.modified);
    read(from, "read", c.read);
    read(from, "plan", c.plan);
    read(from, "next_step", c.next_step);
}

std::string json_text(const std::function<void(JsonWriter&)>& fill) {
    std::string out;
    const ByteSink sink = [&out](std::string_view bytes) {
        out += bytes;
        return true;
    };
    JsonWriter json(sink);
    fill(json);
    json.flush();
    return out;
}

}  // namespace

void write_checkpoint(JsonWriter& json, const Checkpoint& c) {
    json.begin_object();
    json.text("schema", kSchema);
    json.text("reason", name(c.reason));
    json.known_text("risk", c.risk);
    json.known_text("session", c.session);
    json.known_text("model", c.model);
    json.known_text("cwd", c.cwd);
    json.number("line", c.line);
    json.known_number("turn", c.turn);
    json.number("responses", c.responses);
    json.known_number("compactions", c.compactions);
    if (c.time_ms > 0) json.number("time_ms", static_cast<std::uint64_t>(c.time_ms));
    json.known_number("open_calls", c.open_calls);
    json.newline();
    json.key("goal").begin_object();
    if (!c.goal.first.text.empty()) {
        json.key("first");
        write(json, c.goal.first);
    }
    write(json, "latest", c.goal.latest);
    write(json, "remark", c.goal.remark);
    json.end_object();
    json.newline();
    write(json, "constraints", c.constraints);
    write(json, "verified", c.verified);
    write(json, "unverified", c.unverified);
    write(json, "commits", c.commits);
    write(json, "last_check", c.last_check);
    write(json, "decisions", c.decisions);
    write(json, "failures", c.failures);
    write(json, "repetitions", c.repetitions);
    write(json, "modified", c.modified);
    write(json, "read", c.read);
    write(json, "plan", c.plan);
    write(json, "next_step", c.next_step);
    json.end_object();
    json.newline();
}

std::string checkpoint_json(const Checkpoint& c) {
    return json_text([&](JsonWriter& json) { write_checkpoint(json, c); });
}

std::optional<Checkpoint> read_checkpoint(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    std::string schema, reason;
    if (!json.is_object()) return std::nullopt;
    read(json, "schema", schema);
    if (schema != kSchema) return std::nullopt;
    Checkpoint out;
    read(json, "reason", reason);
    for (const auto known : {CheckpointReason::asked, CheckpointReason::interval, CheckpointReason::risk, CheckpointReason::compaction}) {
        if (reason == name(known)) out.reason = known;
    }
    read_state(json, out);
    return out;
}

std::string checkpoint_id(const Checkpoint& c) {
    constexpr std::size_t kLongest = 60;
    std::string name;
    bool exact = c.session.size() <= kLongest;
    for (const char ch : std::string_view(c.session).substr(0, kLongest)) {
        const bool plain = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '-' || ch == '_';
        exact = exact && plain;
        name += plain ? ch : '-';
    }
    if (name.empty()) name = "session";
    if (!exact) name += "-" + fingerprint_hex(c.session).substr(0, 8);
    return fmt::format("{}-L{:06}", name, c.line);
}

std::optional<Error> CheckpointFolder::create() const {
    std::error_code problem;
    if (fs::is_directory(path_, problem)) return std::nullopt;
    if (fs::create_directories(path_, problem)) {
        fs::permissions(path_, fs::perms::owner_all, problem);
        return std::nullopt;
    }
    return Error{path_ + ": cannot make this folder" + (problem ? ": " + problem.message() : "")};
}

std::optional<Error> CheckpointFolder::store(const Checkpoint& c) const {
    auto file = Output::to_file((fs::path(path_) / (checkpoint_id(c) + ".json")).string());
    if (!file) return file.error();
    file.value().write(checkpoint_json(c));
    return file.value().finish();
}

Result<CheckpointFolder::Listing> CheckpointFolder::list() const {
    std::error_code problem;
    fs::directory_iterator folder(path_, problem);
    if (problem) return Error{path_ + ": " + problem.message()};
    std::vector<fs::path> names;
    for (; folder != fs::directory_iterator() && names.size() < kMostFiles; folder.increment(problem)) {
        if (problem) return Error{path_ + ": " + problem.message()};
        std::error_code ignored;
        if (folder->path().extension() == ".json" && folder->is_regular_file(ignored)) names.push_back(folder->path());
    }
    std::ranges::sort(names);
    Listing out;
    for (const fs::path& name : names) {
        const auto text = read_file(name.string(), kLongestFile);
        auto checkpoint = text ? read_checkpoint(*text) : std::nullopt;
        if (checkpoint) {
            out.stored.push_back({name.stem().string(), std::move(*checkpoint)});
        } else {
            out.foreign.push_back(name.filename().string());
        }
    }
    std::ranges::stable_sort(out.stored, {}, [](const Stored& s) { return std::tuple(std::cref(s.checkpoint.session).get(), s.checkpoint.line); });
    return out;
}

std::optional<PromptForm> prompt_form(std::string_view word) {
    if (word == "markdown") return PromptForm::markdown;
    if (word == "chat") return PromptForm::chat;
    if (word == "anthropic") return PromptForm::anthropic;
    return std::nullopt;
}

std::string written_prompt(const advice::ResetPrompt& prompt, PromptForm form) {
    if (form == PromptForm::markdown) return prompt.system + "\n\n" + prompt.markdown;
    return json_text([&](JsonWriter& json) {
        json.begin_object();
        if (form == PromptForm::anthropic) json.text("system", prompt.system);
        json.key("messages").begin_array();
        if (form == PromptForm::chat) {
            json.begin_object();
            json.text("role", "system");
            json.text("content", prompt.system);
            json.end_object();
        }
        json.begin_object();
        json.text("role", "user");
        if (form == PromptForm::chat) {
            json.text("content", prompt.markdown);
        } else {
            json.key("content").begin_array();
            json.begin_object();
            json.text("type", "text");
            json.text("text", prompt.markdown);
            json.end_object();
            json.end_array();
        }
        json.end_object();
        json.end_array();
        json.end_object();
        json.newline();
    });
}

}  // namespace agent_audit::cli
