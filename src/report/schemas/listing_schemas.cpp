#include "report/schemas/listing_schemas.hpp"

#include "report/schemas/opening.hpp"

#include <agent_audit/model/signals.hpp>

#include <string_view>

namespace agent_audit::report {
namespace {

// Objects of `discover`: the document and the lines differ only in how they put them together.
constexpr std::string_view kRun = R"json("schema": {"const": "agent-audit/discover/1"},
        "tool": {
          "type": "object",
          "required": ["name"],
          "properties": {"name": {"const": "agent-audit"}, "version": {"type": "string"}}
        })json";

constexpr std::string_view kSession =
    R"json("agent": {"type": "string", "description": "whose session, as --agent takes it"},
        "format": {"type": "string", "description": "absent: cannot be read yet"},
        "readable": {"type": "boolean", "description": "whether agent-audit has a reader for it"},
        "type": {
          "enum": ["session", "sub_agent", "store", "folder"],
          "description": "a file; a file of a sub-agent; a database of sessions; a folder with one record a file"
        },
        "path": {"type": "string", "description": "of the file, or of the database that holds it"},
        "size": {"type": "integer", "minimum": 0, "description": "bytes on disk; absent for a folder"},
        "modified": {"type": "string", "format": "date-time", "description": "when it was last written: RFC 3339, UTC"},
        "id": {"type": "string", "description": "the session's own; absent: its first records do not tell"},
        "project": {"type": "string", "description": "working directory; absent: its first records do not tell"},
        "sub_agents": {"type": "array", "items": {"type": "string"}, "description": "paths of its sub-agents' files"})json";

constexpr std::string_view kNote = R"json("severity": {"enum": ["error", "warning", "info"]},
        "text": {"type": "string", "description": "one or more sentences"})json";

constexpr std::string_view kSummary =
    R"json("found": {"type": "integer", "minimum": 0, "description": "sessions that are meant, listed or not"},
        "listed": {"type": "integer", "minimum": 0, "description": "sessions in the list"},
        "sub_agents": {"type": "integer", "minimum": 0, "description": "files of sub-agents, of whatever time"},
        "agents": {
          "type": "array",
          "items": {
            "type": "object",
            "required": ["agent", "sessions", "bytes"],
            "properties": {
              "agent": {"type": "string", "description": "by its id in agent-audit formats"},
              "sessions": {"type": "integer", "minimum": 0, "description": "found for this agent"},
              "bytes": {"type": "integer", "minimum": 0, "description": "that they take on disk"}
            }
          }
        })json";

struct Part {
    std::string_view kind;
    std::string_view required;
    std::string_view fields;
};

constexpr Part kParts[] = {
    {"run", R"("schema", "tool")", kRun},
    {"session", R"("agent", "readable", "type", "path", "modified")", kSession},
    {"note", R"("severity", "text")", kNote},
    {"summary", R"("found", "listed", "sub_agents", "agents")", kSummary},
};

std::string defs(bool with_kind) {
    std::string out = "  \"$defs\": {";
    for (const Part& part : kParts) {
        out.append(&part == kParts ? "\n" : ",\n").append("    \"").append(part.kind);
        out.append("\": {\n      \"type\": \"object\",\n      \"required\": [");
        out.append(with_kind ? "\"kind\", " : "").append(part.required).append("],\n      \"properties\": {\n        ");
        if (with_kind) out.append("\"kind\": {\"const\": \"").append(part.kind).append("\"},\n        ");
        out.append(part.fields).append("\n      }\n    }");
    }
    return out.append("\n  }\n}\n");
}

std::string signal_names() {
    std::string names;
    for (const SignalInfo& signal : kSignals) {
        names.append(names.empty() ? "\"" : ", \"").append(signal.name).append("\"");
    }
    return names;
}

}  // namespace

std::string discover_schema() {
    std::string out = opening("agent-audit/discover/1", "Result of agent-audit discover, --format json");
    out += R"json(  "type": "object",
  "required": ["schema", "tool", "summary", "sessions", "notes"],
  "properties": {
        )json";
    out.append(kRun);
    out += R"json(,
        "summary": {"$ref": "#/$defs/summary"},
        "sessions": {"type": "array", "items": {"$ref": "#/$defs/session"}, "description": "last written first"},
        "notes": {"type": "array", "items": {"$ref": "#/$defs/note"}, "description": "what could not be looked at"}
  },
)json";
    return out + defs(false);
}

std::string discover_line_schema() {
    std::string out = opening("agent-audit/discover/1/line", "One line of agent-audit discover, --format ndjson");
    out += "  \"description\": \"the first line is of kind run, the last of kind summary\",\n  \"oneOf\": [";
    for (const Part& part : kParts) {
        out.append(&part == kParts ? "\n" : ",\n").append("    {\"$ref\": \"#/$defs/").append(part.kind).append("\"}");
    }
    return out + "\n  ],\n" + defs(true);
}

std::string formats_schema() {
    std::string out = opening("agent-audit/formats/1", "Result of agent-audit formats, --format json");
    out += R"json(  "type": "object",
  "required": ["schema", "formats"],
  "properties": {
    "schema": {"const": "agent-audit/formats/1"},
    "formats": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["format", "product", "summary", "signals", "records"],
        "properties": {
          "format": {"type": "string", "description": "value of --input-format"},
          "product": {"type": "string", "description": "the program that writes it"},
          "summary": {"type": "string", "description": "what it holds, in one sentence"},
          "signals": {"type": "array", "description": "what the format can tell", "items": {"enum": [)json";
    out += signal_names();
    out += R"json(]}},
          "records": {
            "type": "array",
            "items": {
              "type": "object",
              "required": ["kind", "event"],
              "properties": {
                "kind": {"type": "string", "description": "the record as the format calls it"},
                "event": {"type": "string", "description": "what it becomes"}
              }
            }
          }
        }
      }
    }
  }
}
)json";
    return out;
}

std::string doctor_schema() {
    std::string out = opening("agent-audit/doctor/1", "Result of agent-audit doctor, --format json");
    return out + R"json(  "type": "object",
  "required": ["schema", "version", "checks", "ok", "warn", "fail"],
  "properties": {
    "schema": {"const": "agent-audit/doctor/1"},
    "version": {"type": "string", "description": "of this program"},
    "checks": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["check", "status", "text"],
        "properties": {
          "check": {"type": "string", "description": "what was looked at; names stay, new ones may come"},
          "status": {"enum": ["ok", "warn", "fail"], "description": "fail: something that was asked for does not work"},
          "text": {"type": "string", "description": "what was found, for people"},
          "remedy": {"type": "string", "description": "what to do; absent where the status is ok"}
        }
      }
    },
    "ok": {"type": "integer", "minimum": 0, "description": "checks of this status"},
    "warn": {"type": "integer", "minimum": 0, "description": "checks with status warn"},
    "fail": {"type": "integer", "minimum": 0, "description": "more than none: exit code 1"}
  }
}
)json";
}

}  // namespace agent_audit::report
