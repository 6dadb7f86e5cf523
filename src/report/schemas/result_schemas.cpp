#include "report/schemas/result_schemas.hpp"

#include "report/json/json_resets.hpp"
#include "report/schemas/opening.hpp"
#include "report/schemas/result_schema_defs.hpp"

#include <agent_audit/model/ingest.hpp>

#include <string_view>

namespace agent_audit::report {
namespace {

// Within one schema number fields are only ever added, so readers must accept fields they do not know: no
// `additionalProperties` here. A test compares these texts with real output, field for field, the strict way.

// Bodies of the objects: `result` and `ndjson` differ only in how they put them together.
constexpr std::string_view kRunFields = R"json(
        "schema": {"const": "agent-audit/result/1"},
        "tool": {"$ref": "#/$defs/tool"})json";

constexpr std::string_view kSummaryFields = R"json(
        "policy": {"enum": ["permissive", "balanced", "strict"], "description": "what made a finding an error"},
        "min_severity": {"enum": ["warning", "error"], "description": "findings below it were left out; absent: none were"},
        "limits": {
          "type": "array",
          "description": "set for the sessions of the run (budget/limits); absent: none is",
          "items": {
            "type": "object",
            "required": ["limit", "most"],
            "properties": {
              "limit": {"type": "string", "description": "name of the parameter: tokens, window-share, ..."},
              "most": {"type": "number", "description": "a count, minutes, dollars or percent of the window"}
            }
          }
        },
        "inputs": {"$ref": "#/$defs/count"},
        "skipped_inputs": {"$ref": "#/$defs/count", "description": "files found in folders that are no session"},
        "filtered_inputs": {"$ref": "#/$defs/count", "description": "files left out by --since, --until, --project or --latest"},
        "sessions": {"$ref": "#/$defs/count"},
        "events": {"$ref": "#/$defs/count"},
        "steps": {"$ref": "#/$defs/count"},
        "findings": {
          "type": "object",
          "required": ["error", "warning", "info"],
          "properties": {
            "error": {"$ref": "#/$defs/count"},
            "warning": {"$ref": "#/$defs/count"},
            "info": {"$ref": "#/$defs/count"},
            "baselined": {"$ref": "#/$defs/count", "description": "in the baseline, in none of the above; 0 is left out"},
            "suppressed": {"$ref": "#/$defs/count", "description": "under a suppression, in none of the above; 0 is left out"}
          }
        },
        "baseline": {
          "type": "object",
          "description": "absent: no baseline was used",
          "required": ["source", "entries", "unchanged", "absent"],
          "properties": {
            "source": {"type": "string", "description": "the file of the baseline"},
            "entries": {"$ref": "#/$defs/count", "description": "patterns in the file"},
            "unchanged": {"$ref": "#/$defs/count", "description": "findings of this run that it covers"},
            "absent": {
              "type": "array",
              "description": "entries of rules that ran, of which nothing occurred",
              "items": {
                "type": "object",
                "required": ["rule", "fingerprint"],
                "properties": {"rule": {"type": "string"}, "fingerprint": {"type": "string"}}
              }
            }
          }
        },
        "counts": {"$ref": "#/$defs/counts"},
        "tools": {"type": "array", "items": {"$ref": "#/$defs/tool_stats"}},
        "tokens": {"$ref": "#/$defs/tokens"},
        "records": {"$ref": "#/$defs/records"},
        "bytes": {"$ref": "#/$defs/count", "description": "bytes read, after decompression"},
        "rules": {"type": "array", "items": {"$ref": "#/$defs/rule_run"}},
        "skipped_rules": {"type": "array", "items": {"type": "string"}, "description": "rules that did not run for any session"},
        "skipped": {"type": "array", "items": {"$ref": "#/$defs/skipped_rule"}, "description": "the same with reasons"},
        "peers": {"type": "array", "items": {"$ref": "#/$defs/peer_totals"}, "description": "with --as only"},
        "endpoints": {"type": "array", "items": {"$ref": "#/$defs/endpoint"}, "description": "asked in this run; absent: nothing was sent"})json";

constexpr std::string_view kInputFields = R"json(
        "path": {"type": "string", "description": "as named on the command line or found below it"},
        "format": {"type": "string", "description": "absent: not recognised"},
        "records": {"$ref": "#/$defs/records"},
        "bytes": {"$ref": "#/$defs/count"},
        "bad_records": {
          "type": "array",
          "items": {
            "type": "object",
            "required": ["line", "fate"],
            "properties": {
              "line": {"$ref": "#/$defs/line"},
              "fate": {"$ref": "#/$defs/fate"},
              "reason": {"type": "string", "description": "why the record was not read, or what of it was left out"}
            }
          }
        },
        "error": {"type": "string", "description": "why the input as a whole could not be read"},
        "still_growing": {"const": true},
        "counts_records": {"const": true, "description": "its lines are the numbers of records, and not those of the file: it is one JSON document or array, a database or a folder"})json";

constexpr std::string_view kSessionFields = R"json(
        "index": {"$ref": "#/$defs/count", "description": "what finding.session points at"},
        "input": {"$ref": "#/$defs/count", "description": "index of the input"},
        "path": {"type": "string", "description": "the input it stands in"},
        "id": {"type": "string", "description": "as recorded; absent: the recording has none"},
        "parent_id": {"type": "string", "description": "the session it was forked from or started by"},
        "label": {"type": "string", "description": "what tells sessions of one input apart where they have no id"},
        "format": {"type": "string", "description": "by its id in agent-audit formats"},
        "product_version": {"type": "string", "description": "of the program that recorded it"},
        "cwd": {"type": "string", "description": "the working directory when it began"},
        "model": {"type": "string", "description": "the one announced, if it answered or nothing tells who did; else the last one that answered"},
        "sub_agent": {"const": true},
        "housekeeping": {"const": true},
        "output_incomplete": {"const": true, "description": "fewer output tokens are recorded than what the model is shown to have written must have cost: output tokens and costs are too low"},
        "counts_records": {"const": true, "description": "as of its input: its lines are the numbers of records"},
        "first_line": {"$ref": "#/$defs/line"},
        "last_line": {"$ref": "#/$defs/line"},
        "first_time": {"$ref": "#/$defs/time"},
        "last_time": {"$ref": "#/$defs/time"},
        "counts": {"$ref": "#/$defs/counts"},
        "provider_errors": {"$ref": "#/$defs/provider_errors"},
        "tools": {"type": "array", "items": {"$ref": "#/$defs/tool_stats"}},
        "tokens": {"$ref": "#/$defs/tokens"},
        "context": {"$ref": "#/$defs/context"},
        "resets": {"type": "array", "items": {"$ref": "#/$defs/reset"}, "description": "by line, at most 5; absent: none pays"},
        "goal": {"$ref": "#/$defs/goal"},
        "activity": {"$ref": "#/$defs/activity"},
        "drift": {"$ref": "#/$defs/drift"},
        "similarity": {"type": "array", "items": {"$ref": "#/$defs/similarity"}, "description": "with --similarity, --word-vectors or --embeddings-url only"},
        "skipped_rules": {"type": "array", "items": {"$ref": "#/$defs/skipped_rule"}},
        "not_shown": {"type": "array", "items": {"$ref": "#/$defs/not_shown"}, "description": "findings beyond --max-findings, by rule; absent: all are listed"},
        "peers": {"type": "array", "items": {"$ref": "#/$defs/peer"}, "description": "with --as only"})json";

constexpr std::string_view kFindingFields = R"json(
        "id": {"type": "string", "description": "stable across re-scans of the growing file"},
        "rule": {"type": "string", "description": "group/name, as agent-audit rules lists it"},
        "code": {"type": "string", "description": "the rule's short name, AA and a number; it never changes"},
        "severity": {"$ref": "#/$defs/severity"},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1, "description": "how sure the rule is"},
        "message": {"type": "string", "description": "what happened, in one sentence"},
        "session": {"$ref": "#/$defs/count", "description": "index of the session"},
        "session_id": {"type": "string", "description": "of the session it is in; absent: that has no id"},
        "path": {"type": "string", "description": "the input it is in"},
        "lane": {"$ref": "#/$defs/count", "description": "0 = the main conversation"},
        "span": {
          "type": "object",
          "required": ["first_line", "last_line"],
          "properties": {
            "first_line": {"$ref": "#/$defs/count"},
            "last_line": {"$ref": "#/$defs/count"},
            "first_event": {"$ref": "#/$defs/count"},
            "last_event": {"$ref": "#/$defs/count"},
            "first_step": {"$ref": "#/$defs/line", "description": "ordinal of the step in its lane, from 1"},
            "last_step": {"$ref": "#/$defs/line"},
            "first_offset": {"$ref": "#/$defs/count", "description": "bytes from the start of the input"},
            "end_offset": {"$ref": "#/$defs/count"},
            "first_file_line": {"$ref": "#/$defs/line", "description": "of the file, where the input counts_records; absent: not known"},
            "last_file_line": {"$ref": "#/$defs/line"}
          }
        },
        "evidence": {
          "type": "array",
          "items": {
            "type": "object",
            "required": ["line", "event", "text"],
            "properties": {
              "line": {"$ref": "#/$defs/count"},
              "event": {"$ref": "#/$defs/count"},
              "role": {"type": "string", "description": "what the record is to the finding"},
              "text": {"type": "string", "description": "decoded, shortened, secrets taken out"}
            }
          }
        },
        "round": {"type": "array", "items": {"type": "string"}, "description": "one round of the pattern in words"},
        "period": {"$ref": "#/$defs/count", "description": "steps of one round"},
        "repeats": {"$ref": "#/$defs/count"},
        "recovered": {"const": true},
        "contiguous": {"const": false},
        "persisted_after_notice": {"const": true},
        "persisted_across_compaction": {"const": true},
        "wasted": {
          "type": "object",
          "properties": {
            "steps": {"$ref": "#/$defs/count"},
            "tokens": {"$ref": "#/$defs/tokens"},
            "cost_microusd": {"$ref": "#/$defs/count"}
          }
        },
        "because": {
          "type": "array",
          "items": {
            "type": "object",
            "required": ["name", "value"],
            "properties": {"name": {"type": "string"}, "value": {"type": "string"}}
          }
        },
        "action": {"type": "string", "description": "what would help, in one sentence"},
        "judge": {
          "type": "object",
          "description": "with --judge-url only: what a model says; its texts are as hostile as the transcript it read",
          "required": ["verdict", "severity_before", "reason"],
          "properties": {
            "verdict": {"enum": ["confirmed", "denied", "added", "unanswered"], "description":
              "denied: a warning became an info, an error stays; added: an info became a warning; unanswered: nothing changed"},
            "severity_before": {"$ref": "#/$defs/severity"},
            "reason": {"type": "string", "description": "in the judge's own words"},
            "suggestions": {"type": "array", "items": {"type": "string"}, "description": "of the judge: what could be changed"},
            "next_actions": {"type": "array", "items": {"type": "string"}, "description": "of the judge: what to do next"},
            "cached": {"const": true}
          }
        },
        "reset_line": {"$ref": "#/$defs/count", "description": "reset after this record, as far as this finding goes; 0: from the start. The resets of a session weigh all of it"},
        "also": {"type": "array", "items": {"type": "string"}, "description": "rules whose findings lie within this one and are told with it"},
        "baseline_state": {
          "enum": ["new", "unchanged"],
          "description": "with a baseline only. unchanged: known, and in no count and no exit code; new: not known, more than are known, or worse than what is known"
        },
        "suppressed": {
          "type": "object",
          "description": "lived with by configuration: in no count and no exit code",
          "required": ["reason"],
          "properties": {
            "reason": {"type": "string", "description": "why, as the settings say it"},
            "until": {"type": "string", "description": "last day on which it holds"},
            "origin": {"type": "string", "description": "file and line that say so"}
          }
        },
        "fingerprints": {
          "type": "object",
          "properties": {
            "agentAuditFinding/v1": {"type": "string", "description": "rule, session and first call: the same when the recording grows"},
            "agentAuditPattern/v1": {"type": "string", "description": "rule, actions and class of outcome: the same in any session"}
          }
        })json";

constexpr std::string_view kNoteFields = R"json(
        "severity": {"$ref": "#/$defs/severity"},
        "text": {"type": "string", "description": "one or more sentences"})json";

// A metric is one row about the whole run: what a rule found, or what a model cost.
constexpr std::string_view kMetricFields = R"json(
        "name": {"enum": ["rule", "model_tokens"], "description": "rule: what a rule found; model_tokens: what a model cost"},
        "rule": {"type": "string", "description": "the rule that found it; absent: the row is about a model"},
        "findings": {"$ref": "#/$defs/count"},
        "not_shown": {"$ref": "#/$defs/count"},
        "model": {"type": "string", "description": "absent: the recording does not say"},
        "input": {"$ref": "#/$defs/count"},
        "cache_write": {"$ref": "#/$defs/count"},
        "cache_read": {"$ref": "#/$defs/count"},
        "output": {"$ref": "#/$defs/count"},
        "reasoning": {"$ref": "#/$defs/count"},
        "cache_write_1h": {"$ref": "#/$defs/count"},
        "total": {"$ref": "#/$defs/count"},
        "requests": {"$ref": "#/$defs/count"},
        "micro_dollars": {"$ref": "#/$defs/count", "description": "by list price; absent: no request has a known price"},
        "unpriced_requests": {"$ref": "#/$defs/count", "description": "of models without a known price, or of which the prompt is not recorded: not in micro_dollars"})json";

struct Part {
    std::string_view kind;      // of an ndjson line, and name in $defs
    std::string_view list;      // the array of `result` it is an element of; empty = not a list
    std::string_view required;  // JSON strings
    std::string_view fields;
};

constexpr Part kParts[] = {
    {"run", "", R"("schema", "tool")", kRunFields},
    {"input", "inputs", R"("path", "records", "bytes")", kInputFields},
    {"session", "sessions", R"("index", "input", "counts", "tokens")", kSessionFields},
    {"finding", "findings", R"("rule", "severity", "confidence", "message", "session", "lane", "span", "evidence")",
     kFindingFields},
    {"metric", "", R"("name")", kMetricFields},
    {"note", "notes", R"("severity", "text")", kNoteFields},
    {"summary", "", R"("inputs", "sessions", "findings", "tokens", "records", "rules", "skipped_rules")",
     kSummaryFields},
};

std::string line_fates() {
    std::string fates;
    std::string counts = R"("total": {"$ref": "#/$defs/count"})";
    for (const LineFateInfo& fate : kLineFates) {
        const std::string word(fate.name);
        fates += (fates.empty() ? "\"" : ", \"") + word + "\"";
        counts +=
            ",\n        \"" + word + R"(": {"$ref": "#/$defs/count", "description": ")" + std::string(fate.doc) + "\"}";
    }
    return "\n    \"fate\": {\"enum\": [" + fates + "]},\n    \"records\": {\n      \"type\": \"object\",\n" +
           "      \"description\": \"every record has exactly one fate: they add up to total; 0 is left out\",\n" +
           "      \"required\": [\"total\"],\n      \"properties\": {\n        " + counts + "\n      }\n    }";
}

std::string object(const Part& part, bool with_kind) {
    const std::string kind(part.kind);
    std::string out = "{\n      \"type\": \"object\",\n      \"required\": [";
    out.append(with_kind ? "\"kind\", " : "").append(part.required).append("],\n      \"properties\": {");
    if (with_kind) out.append("\n        \"kind\": {\"const\": \"").append(kind).append("\"},");
    return out.append(part.fields).append("\n      }\n    }");
}

std::string defs(bool with_kind) {
    std::string out = "  \"$defs\": {";
    for (const std::string_view text : result_defs::kAll) out += text;
    out.append("\n").append(reset_schema()).append(",").append(line_fates());
    for (const Part& part : kParts) {
        out.append(",\n    \"").append(part.kind).append("\": ").append(object(part, with_kind));
    }
    return out.append("\n  }\n}\n");
}

}  // namespace

std::string result_schema() {
    std::string out = opening("agent-audit/result/1", "Result of agent-audit scan, --format json");
    out +=
        "  \"type\": \"object\",\n  \"required\": [\"schema\", \"tool\", \"summary\", \"inputs\", \"sessions\", "
        "\"findings\", \"notes\"],\n";
    out +=
        "  \"properties\": {\n    \"schema\": {\"const\": \"agent-audit/result/1\"},\n    \"tool\": {\"$ref\": "
        "\"#/$defs/tool\"},\n";
    out += "    \"summary\": {\"$ref\": \"#/$defs/summary\"}";
    for (const Part& part : kParts) {
        if (part.list.empty()) continue;
        out.append(",\n    \"").append(part.list).append("\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/");
        out.append(part.kind).append("\"}}");
    }
    return out + "\n  },\n" + defs(false);
}

std::string ndjson_schema() {
    std::string out = opening("agent-audit/result/1/line", "One line of agent-audit scan, --format ndjson");
    out += "  \"description\": \"the first line is of kind run, the last of kind summary\",\n  \"oneOf\": [";
    for (const Part& part : kParts) {
        out.append(&part == kParts ? "\n" : ",\n").append("    {\"$ref\": \"#/$defs/").append(part.kind).append("\"}");
    }
    return out + "\n  ],\n" + defs(true);
}

}  // namespace agent_audit::report
