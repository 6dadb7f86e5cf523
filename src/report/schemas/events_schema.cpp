#include "report/schemas/events_schema.hpp"

#include <agent_audit/model/event_words.hpp>
#include <agent_audit/model/ingest.hpp>
#include <agent_audit/model/signals.hpp>

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace agent_audit::report {
namespace {

constexpr std::string_view kForms =
    R"json({"enum": ["plain", "json", "json_text", "string_base64", "json_base64", "plain_base64"], "description": "how the field of that name is to be read, see $defs/text"})json";

constexpr std::string_view kDefs = R"json(
    "count": {"type": "integer", "minimum": 0},
    "hash": {"type": "string", "description": "64 bits in hexadecimal; equal for what is equal"},
    "text": {"description": "text as it stands in the recording. A string without <field>_form is the inside of a JSON string there, escapes unchanged; any other value without one is that JSON value. <field>_form plain: the text itself was recorded (text, or JSON text that is written as a value here). json: a JSON value that is a string. json_text: this string is the text of a JSON value that cannot stand on one line. …_base64: the same three, for bytes that are not JSON or not UTF-8"},
    "flags": {"type": "array", "items": {"enum": [)json";

// One kind of line: the fields of its schema, put together.
class Fields {
public:
    Fields& any(std::string_view name, std::string_view schema) {
        out_ += fmt::format("{}\n        \"{}\": {}", out_.empty() ? "" : ",", name, schema);
        return *this;
    }
    Fields& ref(std::string_view name, std::string_view what) {
        return any(name, fmt::format(R"({{"$ref": "#/$defs/{}"}})", what));
    }
    Fields& count(std::string_view name) { return ref(name, "count"); }
    Fields& hash(std::string_view name) { return ref(name, "hash"); }
    Fields& integer(std::string_view name) { return any(name, R"({"type": "integer"})"); }
    Fields& flag(std::string_view name) { return any(name, R"({"const": true})"); }
    Fields& text(std::string_view name) {
        ref(name, "text");
        return any(fmt::format("{}_form", name), kForms);
    }
    Fields& sized_text(std::string_view name, std::string_view what) {
        text(name);
        return any(
            fmt::format("{}_bytes", name),
            fmt::format(R"json({{"type": "integer", "minimum": 0, "description": "bytes of the {} as recorded"}})json",
                        what));
    }
    template <class Enum>
    Fields& choice(std::string_view name) {
        std::string words;
        for (const std::string_view one : kWords<Enum>)
            words += fmt::format("{}\"{}\"", words.empty() ? "" : ", ", one);
        required_ += fmt::format(", \"{}\"", name);
        return any(name, fmt::format(R"({{"enum": [{}]}})", words));
    }
    Fields& required(std::string_view name) {
        required_ += fmt::format(", \"{}\"", name);
        return *this;
    }

    std::string object(std::string_view kind) const {
        return fmt::format(
            "\n    \"{0}\": {{\n      \"type\": \"object\",\n      \"required\": [\"kind\"{1}],\n      "
            "\"properties\": {{\n        \"kind\": {{\"const\": \"{0}\"}},{2}\n      }}\n    }}",
            kind, required_, out_);
    }

private:
    std::string out_, required_;
};

// What every event has.
Fields event() {
    Fields f;
    f.any("seq", R"({"type": "integer", "minimum": 1, "description": "position in the stream of its input"})")
        .any("line", R"({"type": "integer", "minimum": 1, "description": "record of the recording, from 1"})")
        .any(
            "offset",
            R"({"type": "integer", "minimum": 0, "description": "bytes from the start of the decompressed recording"})")
        .any("length", R"({"type": "integer", "minimum": 1, "description": "bytes of the record"})")
        .any("time_ms", R"({"type": "integer", "description": "milliseconds since 1970, UTC"})")
        .text("record_id")
        .any("response", R"({"$ref": "#/$defs/hash", "description": "of the model response this belongs to"})")
        .any(
            "lane",
            R"({"$ref": "#/$defs/count", "description": "absent: 0, the main conversation; each sub-agent has its own"})")
        .any("turn", R"({"$ref": "#/$defs/count", "description": "human turns of the lane so far"})")
        .ref("flags", "flags");
    return f.required("seq").required("line").required("offset");
}

Fields fields_of(std::string_view kind) {
    Fields f = event();
    if (kind == "session_start") {
        for (const auto* name :
             {"session_id", "parent_session_id", "forked_from", "product_version", "cwd", "model", "label"})
            f.text(name);
        for (const auto* name : {"resumed", "sub_agent", "housekeeping"}) f.flag(name);
    } else if (kind == "context_change") {
        f.text("model").text("cwd").count("window_tokens").count("system_prompt_bytes");
    } else if (kind == "lane_open") {
        f.count("parent_lane").choice<LanePurpose>("purpose").text("agent_id").text("agent_type");
    } else if (kind == "turn_end") {
        f.choice<TurnStatus>("status").integer("duration_ms");
    } else if (kind == "message") {
        f.choice<Role>("role").choice<Origin>("origin").sized_text("text", "text").count("media_count").text("speaker");
    } else if (kind == "thinking") {
        f.sized_text("text", "text")
            .any("opaque_bytes", R"({"$ref": "#/$defs/count", "description": "encrypted reasoning"})");
    } else if (kind == "tool_call") {
        f.text("call_id").text("name").sized_text("args", "arguments").text("primary");
        f.any(
            "digest",
            R"({"$ref": "#/$defs/hash", "description": "of tool and arguments, without key order, number spelling and volatile fields; absent where secrets were taken out"})");
        f.flag("opaque").choice<Caller>("caller").flag("script");
    } else if (kind == "tool_result") {
        f.text("call_id").text("name").choice<ResultStatus>("status").integer("exit_code").sized_text("text", "text");
        f.count("media_count").flag("media_stored").flag("opaque").flag("update").integer("duration_ms").text("handle");
        f.any("media_hash",
              R"({"$ref": "#/$defs/hash", "description": "of its pictures and files; the same is the same"})");
        f.any(
            "refused_by",
            R"({"enum": ["person", "rule"], "description": "of a denied call, where the recording has a field for it; a rule may be a hook, a mode or nobody to ask"})");
    } else if (kind == "usage") {
        f.choice<UsageScope>("scope").choice<UsageMode>("mode");
        for (const auto* name : {"input", "cache_write", "cache_read", "output"}) f.count(name).required(name);
        f.count("reasoning")
            .count("cache_write_1h")
            .text("model")
            .hash("message_key")
            .hash("request_key")
            .flag("sidechain")
            .flag("rest");
        f.count("cost_microusd").count("context_tokens").count("window_tokens");
    } else if (kind == "compaction") {
        f.choice<CompactionPhase>("phase").choice<CompactionKind>("how").choice<CompactionTrigger>("trigger");
        f.count("tokens_before").count("tokens_after").sized_text("summary", "summary").choice<Keep>("keep");
        f.text("keep_from").count("keep_index").text("ids");
    } else if (kind == "rewind") {
        f.choice<RewindTarget>("target").text("target_id").count("count");
    } else if (kind == "notice") {
        f.choice<NoticeLevel>("level")
            .choice<NoticeLayer>("layer")
            .text("code")
            .text("text")
            .integer("attempt")
            .integer("retry_in_ms");
    }
    return f;
}

std::string input_line() {
    std::string signals;
    for (const SignalInfo& s : kSignals) signals += fmt::format("{}\"{}\"", signals.empty() ? "" : ", ", s.name);
    Fields f;
    f.any("path", R"({"type": "string"})")
        .any("format", R"({"type": "string", "description": "of the recording the events were made from"})");
    f.any("signals", fmt::format(R"({{"type": "array", "items": {{"enum": [{}]}}}})", signals));
    return f.required("path").required("format").required("signals").object("input");
}

std::string input_end_line() {
    std::string fates = R"("total": {"$ref": "#/$defs/count"})";
    for (const LineFateInfo& fate : kLineFates)
        fates += fmt::format(R"(, "{}": {{"$ref": "#/$defs/count"}})", fate.name);
    Fields f;
    f.any("records", fmt::format(R"({{"type": "object", "required": ["total"], "properties": {{{}}}}})", fates));
    return f.required("records").object("input_end");
}

}  // namespace

std::string events_schema() {
    std::vector<std::string> objects{input_line(), input_end_line()};
    std::string choices = R"(
    {"$ref": "#/$defs/opening"},
    {"$ref": "#/$defs/input"},
    {"$ref": "#/$defs/input_end"})";
    for (const std::string_view kind : kEventKinds) {
        objects.push_back(fields_of(kind).object(kind));
        choices += fmt::format(",\n    {{\"$ref\": \"#/$defs/{}\"}}", kind);
    }
    std::string out = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "agent-audit/events/1/line",
  "title": "One line of agent-audit convert --to events",
  "description": "the first line is the opening; each input begins with a line of kind input and ends with one of kind input_end. Fields that are absent are unknown, empty, 0 or false",
  "oneOf": [)json";
    out += choices + "\n  ],\n  \"$defs\": {";
    out += kDefs;
    std::string flags;
    for (const auto& [flag, flag_word] : kFlagWords)
        flags += fmt::format("{}\"{}\"", flags.empty() ? "" : ", ", flag_word);
    out += flags + "]}},";
    out += R"json(
    "opening": {
      "type": "object",
      "required": ["agent_audit_events", "tool"],
      "properties": {
        "agent_audit_events": {"const": 1},
        "tool": {"type": "object", "required": ["name"], "properties": {"name": {"const": "agent-audit"}, "version": {"type": "string"}}}
      }
    })json";
    for (const std::string& object : objects) out += "," + object;
    return out + "\n  }\n}\n";
}

}  // namespace agent_audit::report
