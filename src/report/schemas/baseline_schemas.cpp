#include "report/schemas/baseline_schemas.hpp"

namespace agent_audit::report {

std::string diff_schema() {
    return R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "agent-audit/diff/1",
  "title": "Result of agent-audit diff, --format json",
  "type": "object",
  "required": ["schema", "appeared", "changed", "gone", "unchanged"],
  "properties": {
    "schema": {"const": "agent-audit/diff/1"},
    "appeared": {"type": "array", "items": {"$ref": "#/$defs/finding"}},
    "changed": {"type": "array", "items": {"$ref": "#/$defs/finding"}, "description": "the same finding with another severity"},
    "gone": {"type": "array", "items": {"$ref": "#/$defs/finding"}},
    "unchanged": {"type": "integer", "minimum": 0, "description": "findings that stand in both"}
  },
  "$defs": {
    "severity": {"enum": ["info", "warning", "error"]},
    "finding": {
      "type": "object",
      "required": ["rule", "severity", "message", "path", "first_line", "last_line", "fingerprints"],
      "properties": {
        "rule": {"type": "string", "description": "group/name, as agent-audit rules lists it"},
        "severity": {"$ref": "#/$defs/severity"},
        "severity_before": {"$ref": "#/$defs/severity", "description": "in changed only"},
        "message": {"type": "string", "description": "what happened, in one sentence"},
        "path": {"type": "string", "description": "the input it is in"},
        "session_id": {"type": "string", "description": "of the session it is in"},
        "first_line": {"type": "integer", "minimum": 0, "description": "where it begins, from 1"},
        "last_line": {"type": "integer", "minimum": 0, "description": "where it ends, from 1"},
        "fingerprints": {
          "type": "object",
          "properties": {
            "agentAuditFinding/v1": {"type": "string", "description": "of this finding; it stays the same when a file that still grows is scanned again"},
            "agentAuditPattern/v1": {"type": "string", "description": "of its pattern, the same in every session and on every machine"}
          }
        }
      }
    }
  }
}
)json";
}

std::string watch_line_schema() {
    return R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "agent-audit/watch-ndjson/1",
  "title": "One line of agent-audit watch, --format ndjson",
  "type": "object",
  "required": ["kind"],
  "oneOf": [
    {
      "required": ["kind", "rule", "severity", "message", "path", "first_line", "last_line", "fingerprints"],
      "properties": {
        "kind": {"enum": ["found", "worse", "milder", "gone"], "description": "a finding, the same with another severity, or one that is over because the agent went on"},
        "rule": {"type": "string", "description": "group/name, as agent-audit rules lists it"},
        "severity": {"enum": ["info", "warning", "error"], "description": "as it stands now; of gone as it stood before"},
        "severity_before": {"enum": ["info", "warning", "error"], "description": "of worse and milder only"},
        "message": {"type": "string", "description": "what happened, in one sentence"},
        "path": {"type": "string", "description": "the input it is in"},
        "session_id": {"type": "string", "description": "of the session it is in"},
        "first_line": {"type": "integer", "minimum": 0, "description": "where it begins, from 1"},
        "last_line": {"type": "integer", "minimum": 0, "description": "where it ends so far, from 1"},
        "fingerprints": {
          "type": "object",
          "properties": {
            "agentAuditFinding/v1": {"type": "string", "description": "of this finding; it stays the same while the file grows"},
            "agentAuditPattern/v1": {"type": "string", "description": "of its pattern, the same in every session and on every machine"}
          }
        }
      }
    },
    {
      "required": ["kind", "files", "findings"],
      "properties": {
        "kind": {"const": "end", "description": "the last line"},
        "files": {"type": "integer", "minimum": 0, "description": "files with a session that were read"},
        "findings": {
          "type": "object",
          "description": "what stands at the end, by severity",
          "required": ["error", "warning", "info"],
          "properties": {
            "error": {"type": "integer", "minimum": 0},
            "warning": {"type": "integer", "minimum": 0},
            "info": {"type": "integer", "minimum": 0}
          }
        }
      }
    }
  ]
}
)json";
}

std::string baseline_schema() {
    return R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "agent-audit/baseline/1",
  "title": "Known findings, as agent-audit baseline writes them",
  "type": "object",
  "required": ["schema", "entries"],
  "properties": {
    "schema": {"const": "agent-audit/baseline/1"},
    "tool": {
      "type": "object",
      "required": ["name", "version"],
      "properties": {"name": {"const": "agent-audit"}, "version": {"type": "string"}}
    },
    "entries": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["rule", "fingerprint", "count"],
        "properties": {
          "rule": {"type": "string", "description": "group/name, as agent-audit rules lists it"},
          "fingerprint": {"type": "string", "description": "agentAuditPattern/v1"},
          "count": {"type": "integer", "minimum": 0, "description": "findings of this pattern that are known"},
          "severity": {"enum": ["error", "warning", "info"], "description": "of the worst of them: a finding that is worse counts as new; absent: however bad it is"},
          "policy": {"enum": ["balanced", "strict", "permissive"], "description": "that decided severity, balanced where it is absent; under another one severities are not compared"},
          "first_seen": {"type": "string", "description": "time of the earliest session with it"},
          "reason": {"type": "string", "description": "yours to write"},
          "findings": {
            "type": "array",
            "maxItems": 100,
            "items": {"type": "string"},
            "description": "agentAuditFinding/v1 of the known ones: when there are more than count, these are the old ones"
          }
        }
      }
    }
  }
}
)json";
}

}  // namespace agent_audit::report
