#include "cli/commands/checkpoint_file.hpp"

#include <nlohmann/json.hpp>

#include <concepts>
#include <type_traits>

namespace agent_audit::cli {
namespace {

using advice::Change;
using advice::Checkpoint;
using advice::Quote;
using report::JsonWriter;
using Json = nlohmann::json;

constexpr std::string_view kSchema = "agent-audit/checkpoint/1";
constexpr std::size_t kReasons = 4, kCheckEnds = 3, kFates = 3;

// ---- the fields, once for both directions ------------------------------------------------------------------------
//
// `see` writes them or reads them. value: always there; known: left out when empty, 0 or false; word: the name of an
// enumerator; some: an object that may be missing.

template <class T, class Of>
concept Some = std::same_as<std::remove_const_t<T>, Of>;

template <class See, Some<Quote> T>
void fields(See& see, T& q) {
    see.value("text", q.text);
    see.value("line", q.line);
    see.known("turn", q.turn);
}

template <class See, Some<Change> T>
void fields(See& see, T& c) {
    see.value("path", c.path);
    see.word("fate", c.fate, kFates);
    see.known("moved_to", c.moved_to);
    see.value("edits", c.edits);
    see.value("first_line", c.first_line);
    see.value("last_line", c.last_line);
    see.known("turn", c.turn);
    see.known("check", c.check);
    see.known("approved", c.approved);
    see.known("check_line", c.check_line);
    see.known("check_directory", c.check_directory);
}

template <class See, Some<advice::Failure> T>
void fields(See& see, T& f) {
    see.value("tool", f.tool);
    see.known("call", f.call);
    see.word("error_class", f.error, kErrorClassCount);
    see.value("count", f.count);
    see.known("calls", f.calls);
    see.value("first_line", f.first_line);
    see.value("last_line", f.last_line);
    see.known("turn", f.turn);
    see.known("unclear_since", f.unclear_since);
    see.known("works_since", f.works_since);
    see.known("tool_output", f.output);
    see.known("sends", f.sends);
}

template <class See, Some<advice::Repetition> T>
void fields(See& see, T& r) {
    see.value("tool", r.tool);
    see.known("call", r.call);
    see.value("count", r.count);
    see.value("first_line", r.first_line);
    see.value("last_line", r.last_line);
    see.known("turn", r.turn);
}

template <class See, Some<advice::FileRead> T>
void fields(See& see, T& r) {
    see.value("path", r.path);
    see.value("reads", r.reads);
    see.value("line", r.line);
    see.known("turn", r.turn);
    see.known("unsure_since", r.unsure_since);
}

template <class See, Some<advice::CheckRun> T>
void fields(See& see, T& c) {
    see.value("command", c.command);
    see.word("end", c.end, kCheckEnds);
    see.value("line", c.line);
    see.known("turn", c.turn);
    see.known("directory", c.directory);
}

template <class See, Some<advice::Answer> T>
void fields(See& see, T& a) {
    see.known("question", a.question);
    see.known("answer", a.answer);
    see.known("refused", a.refused);
    see.known("asks_back", a.asks_back);
    see.value("line", a.line);
    see.known("turn", a.turn);
}

template <class See, Some<advice::BrokenOff> T>
void fields(See& see, T& b) {
    see.value("line", b.line);
    see.known("turn", b.turn);
    see.known("failed", b.failed);
}

template <class See, Some<advice::Deed> T>
void fields(See& see, T& d) {
    see.word("kind", d.kind, advice::kDeedKinds);
    see.value("words", d.words);
    see.value("line", d.line);
    see.known("turn", d.turn);
    see.known("tool_output", d.output);
}

template <class See, Some<advice::Goal> T>
void fields(See& see, T& g) {
    see.some("summary", g.summary);
    see.known("from_program", g.from_program);
    see.some("first", g.first);
    see.list("between", g.between);
    see.known("left_out", g.left_out);
    see.some("latest", g.latest);
    see.some("remark", g.remark);
}

template <class See, Some<Checkpoint> T>
void fields(See& see, T& c) {
    see.word("reason", c.reason, kReasons);
    see.known("risk", c.risk);
    see.known("session", c.session);
    see.known("model", c.model);
    see.known("cwd", c.cwd);
    see.value("line", c.line);
    see.known("turn", c.turn);
    see.value("responses", c.responses);
    see.known("compactions", c.compactions);
    see.known("time_ms", c.time_ms);
    see.known("open_calls", c.open_calls);
    see.part("goal", c.goal);
    see.list("constraints", c.constraints);
    see.list("verified", c.verified);
    see.list("unverified", c.unverified);
    see.list("commits", c.commits);
    see.list("deeds", c.deeds);
    see.some("last_check", c.last_check);
    see.list("failing", c.failing);
    see.list("running", c.running);
    see.list("answers", c.answers);
    see.list("decisions", c.decisions);
    see.list("failures", c.failures);
    see.list("mended", c.mended);
    see.list("reported", c.reported);
    see.list("repetitions", c.repetitions);
    see.list("modified", c.modified);
    see.list("read", c.read);
    see.list("plan", c.plan);
    see.known("plan_active", c.plan_active);
    see.some("next_step", c.next_step);
    see.some("question", c.question);
    see.some("report", c.report);
    see.some("unsolved", c.unsolved);
    see.known("answered_line", c.answered_line);
    see.known("ended_line", c.ended_line);
    see.some("broken_off", c.broken_off);
}

// ---- the two directions ------------------------------------------------------------------------------------------

class Writing {
public:
    explicit Writing(JsonWriter& json) : json_(json) {}

    void value(std::string_view key, const std::string& text) { json_.text(key, text); }
    void value(std::string_view key, std::uint64_t number) { json_.number(key, number); }
    void known(std::string_view key, const std::string& text) { json_.known_text(key, text); }
    void known(std::string_view key, bool flag) {
        if (flag) json_.flag(key, true);
    }
    template <std::integral Number>
    void known(std::string_view key, Number number) {
        if (number > 0) json_.number(key, static_cast<std::uint64_t>(number));
    }
    template <class E>
    void word(std::string_view key, E value, std::size_t) {
        json_.text(key, name(value));
    }
    void some(std::string_view key, const Quote& quote) {
        if (!quote.text.empty()) object(key, quote);
    }
    template <class T>
    void some(std::string_view key, const std::optional<T>& value) {
        if (value) object(key, *value);
    }
    template <class T>
    void part(std::string_view key, const T& value) {
        json_.newline();
        object(key, value);
        json_.newline();
    }
    template <class T>
    void list(std::string_view key, const std::vector<T>& entries) {
        json_.key(key).begin_array();
        for (const T& entry : entries) object(entry);
        json_.end_array();
        json_.newline();
    }

private:
    template <class T>
    void object(std::string_view key, const T& value) {
        json_.key(key);
        object(value);
    }
    template <class T>
    void object(const T& value) {
        json_.begin_object();
        fields(*this, value);
        json_.end_object();
    }

    JsonWriter& json_;
};

// Whatever is missing or of another kind stays as it was.
class Reading {
public:
    explicit Reading(const Json& from) : from_(from) {}

    void value(const char* key, std::string& out) {
        if (const Json* value = member(key); value && value->is_string()) out = value->get_ref<const std::string&>();
    }
    template <std::integral Number>
    void value(const char* key, Number& out) {
        if (const Json* value = member(key); value && value->is_number_unsigned())
            out = static_cast<Number>(value->get<std::uint64_t>());
    }
    void known(const char* key, std::string& out) { value(key, out); }
    void known(const char* key, bool& out) {
        if (const Json* value = member(key); value && value->is_boolean()) out = value->get<bool>();
    }
    template <std::integral Number>
    void known(const char* key, Number& out) {
        value(key, out);
    }
    template <class E>
    void word(const char* key, E& out, std::size_t count) {
        std::string said;
        value(key, said);
        for (std::size_t i = 0; i < count; ++i) {
            if (said == name(static_cast<E>(i))) out = static_cast<E>(i);
        }
    }
    template <class T>
    void some(const char* key, std::optional<T>& out) {
        if (const Json* value = member(key); value && value->is_object()) read(*value, out.emplace());
    }
    template <class T>
    void some(const char* key, T& out) {
        part(key, out);
    }
    template <class T>
    void part(const char* key, T& out) {
        if (const Json* value = member(key)) read(*value, out);
    }
    template <class T>
    void list(const char* key, std::vector<T>& out) {
        const Json* entries = member(key);
        if (!entries || !entries->is_array()) return;
        for (const Json& entry : *entries) read(entry, out.emplace_back());
    }

private:
    const Json* member(const char* key) const {
        if (!from_.is_object()) return nullptr;
        const auto found = from_.find(key);
        return found == from_.end() ? nullptr : &*found;
    }
    template <class T>
    static void read(const Json& from, T& out) {
        Reading inner(from);
        fields(inner, out);
    }

    const Json& from_;
};

}  // namespace

void write_checkpoint(JsonWriter& json, const Checkpoint& checkpoint) {
    Writing writing(json);
    json.begin_object();
    json.text("schema", kSchema);
    fields(writing, checkpoint);
    json.end_object();
    json.newline();
}

std::optional<Checkpoint> read_checkpoint(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) return std::nullopt;
    Reading reading(json);
    std::string schema;
    reading.value("schema", schema);
    if (schema != kSchema) return std::nullopt;
    Checkpoint out;
    fields(reading, out);
    return out;
}

}  // namespace agent_audit::cli
