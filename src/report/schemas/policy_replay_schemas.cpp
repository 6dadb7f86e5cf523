#include "report/json/json_resets.hpp"
#include "report/schemas/opening.hpp"
#include "report/schemas/replay_schemas.hpp"

#include <string_view>

namespace agent_audit::report {
namespace {

// The fields of one object, in the order in which they are written: shared by the document and its lines.
constexpr std::string_view kHead = R"json(
        "tool": {"type": "object", "required": ["name"], "properties": {"name": {"const": "agent-audit"}, "version": {"type": "string"}}},
        "teacher_forced": {"const": true, "description": "what the agent did after an intervention is what it did without one"},
        "policies": {
          "type": "array",
          "items": {
            "type": "object",
            "required": ["policy", "fail_on", "ladder"],
            "properties": {
              "policy": {"type": "string", "description": "by the name it was given"},
              "doc": {"type": "string", "description": "what it is for, in its own words"},
              "fail_on": {"enum": ["never", "stop", "unrecovered-error", "error", "warning", "intervention"], "description": "what ends the command with exit code 1"},
              "ladder": {"type": "array", "items": {"$ref": "#/$defs/action"}},
              "contact": {"type": "string", "description": "whom to tell, as the policy says"}
            }
          }
        })json";

constexpr std::string_view kInput = R"json(
        "path": {"type": "string", "description": "- is standard input"},
        "format": {"type": "string", "description": "absent: not recognised"},
        "problem": {"type": "string", "description": "why it could not be read, or not to its end"},
        "lost_records": {"type": "integer", "minimum": 1, "description": "could not be read"},
        "counts_records": {"const": true, "description": "its lines are the numbers of records, and not those of the file"})json";

constexpr std::string_view kSession = R"json(
        "path": {"type": "string", "description": "the input it stands in"},
        "format": {"type": "string", "description": "by its id in agent-audit formats"},
        "session": {"type": "string", "description": "absent: unknown"},
        "label": {"type": "string", "description": "what tells sessions of one input apart where they have no id"},
        "model": {"type": "string", "description": "absent: unknown"},
        "first_line": {"$ref": "#/$defs/count"},
        "last_line": {"$ref": "#/$defs/count"},
        "responses": {"$ref": "#/$defs/count"},
        "steps": {"$ref": "#/$defs/count", "description": "tool calls that the rules looked at"},
        "tokens": {"$ref": "#/$defs/count"},
        "tokens_source": {"enum": ["none", "reported", "estimated"], "description": "where token figures come from"},
        "micro_dollars": {"$ref": "#/$defs/count", "description": "by list price; absent: unknown"},
        "wall_ms": {"$ref": "#/$defs/count", "description": "absent: no times are recorded"})json";

constexpr std::string_view kFigures = R"json(
        "interventions": {"$ref": "#/$defs/count"},
        "right": {"$ref": "#/$defs/count", "description": "the pattern went on after it; of a stop or reset: more was wasted than done afterwards"},
        "late": {"$ref": "#/$defs/count", "description": "the pattern was over by itself"},
        "wrong": {"$ref": "#/$defs/count", "description": "no finding covers it; of a stop or reset: more was done afterwards than wasted"},
        "by_action": {"type": "object", "propertyNames": {"$ref": "#/$defs/action"}, "additionalProperties": {"$ref": "#/$defs/count"}})json";

constexpr std::string_view kRun = R"json(
        "policy": {"type": "string", "description": "by the name it was given"},
        "failed": {"type": "boolean", "description": "by the policy's fail-on: exit status 1"},
        "failed_because": {"type": "string", "description": "the decision or finding that fails the run; absent: none does"},
        "errors": {"$ref": "#/$defs/count", "description": "findings under the policy's thresholds"},
        "unrecovered_errors": {"$ref": "#/$defs/count"},
        "warnings": {"$ref": "#/$defs/count"},
        "suppressed": {"$ref": "#/$defs/count", "description": "findings that the project's settings suppress; absent: none"},
        "first_line": {"$ref": "#/$defs/count", "description": "of the first intervention"},
        "first_right_line": {"$ref": "#/$defs/count", "description": "of the first one that was right"},
        "stop_line": {"$ref": "#/$defs/count", "description": "last record before the run would have ended"},
        "waited_by_itself": {"$ref": "#/$defs/count", "description": "retries before which the agent had waited long enough"},
        "after": {"$ref": "#/$defs/after", "description": "of the stop, else of the first reset or rollback; absent: there was none"},
        "breakers": {
          "type": "array",
          "items": {
            "type": "object",
            "required": ["tool", "opened", "refused_calls"],
            "properties": {"tool": {"type": "string"}, "opened": {"$ref": "#/$defs/count"}, "refused_calls": {"$ref": "#/$defs/count"}}
          }
        },
        "checkpoints": {"type": "array", "items": {"$ref": "#/$defs/count"}, "description": "last lines"},
        "resets": {"type": "array", "items": {"$ref": "#/$defs/reset"}, "description": "by line, at most 5, from the findings under the policy's thresholds; absent: none pays"},
        "context": {
          "type": "object",
          "required": ["name", "peak_tokens", "mean_tokens", "compactions", "overflows"],
          "properties": {
            "name": {"type": "string", "description": "of the context policy that the policy names"},
            "peak_tokens": {"$ref": "#/$defs/count"},
            "mean_tokens": {"type": "number", "description": "of the prompts it would have sent"},
            "compactions": {"$ref": "#/$defs/count"},
            "overflows": {"$ref": "#/$defs/count"}
          }
        })json";

constexpr std::string_view kDecision = R"json(
        "action": {"$ref": "#/$defs/action"},
        "trigger": {"enum": ["pattern", "peer", "retries", "breaker", "limit", "context", "stagnation", "failure", "iterations", "interval", "similarity"], "description": "what set it off"},
        "rule": {"type": "string", "description": "the rule, the peer, or the limit"},
        "severity": {"enum": ["error", "warning", "info"], "description": "of the finding behind it; absent: there is none"},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1, "description": "how sure that finding is"},
        "line": {"$ref": "#/$defs/count", "description": "the last record before the intervention"},
        "known_line": {"$ref": "#/$defs/count", "description": "the record that showed that the response was over"},
        "lane": {"$ref": "#/$defs/count", "description": "0 = the main conversation"},
        "response": {"$ref": "#/$defs/count"},
        "step": {"$ref": "#/$defs/count"},
        "time": {"type": "string", "format": "date-time", "description": "when the record was written; absent: unknown"},
        "rung": {"$ref": "#/$defs/count", "description": "on the ladder, from 1; absent: not of the ladder"},
        "reason": {"type": "string", "description": "why, in one sentence"},
        "message": {"type": "string", "description": "what the model, or the person, would be told"},
        "pattern_line": {"$ref": "#/$defs/count", "description": "where the pattern begins"},
        "back_to_line": {"$ref": "#/$defs/count", "description": "the last record worth keeping"},
        "delay_ms": {"$ref": "#/$defs/count"},
        "tool": {"type": "string", "description": "the tool it is about; absent: none in particular"},
        "substitute": {"type": "string", "description": "the tool to use in its place"},
        "reflection": {"enum": ["none", "minimal", "standard", "deep", "critical"], "description": "how far the agent is asked to think back"},
        "tell_human": {"type": "boolean", "description": "whether a human is to be told"},
        "tokens_before": {"$ref": "#/$defs/count", "description": "billed in the session up to here"},
        "micro_dollars_before": {"$ref": "#/$defs/count"},
        "verdict": {"enum": ["none", "right", "late", "wrong"], "description": "once the whole recording is known"},
        "evidence": {
          "type": "array",
          "items": {
            "type": "object",
            "required": ["line", "role", "text"],
            "properties": {"line": {"$ref": "#/$defs/count"}, "role": {"type": "string"}, "text": {"type": "string"}}
          }
        },
        "alternatives": {
          "type": "array",
          "items": {
            "type": "object",
            "required": ["action", "why_not"],
            "properties": {"action": {"$ref": "#/$defs/action"}, "why_not": {"type": "string"}}
          }
        })json";

constexpr std::string_view kTotal = R"json(
        "policy": {"type": "string", "description": "by the name it was given"},
        "sessions": {"$ref": "#/$defs/count"},
        "intervened": {"$ref": "#/$defs/count", "description": "sessions"},
        "stopped": {"$ref": "#/$defs/count", "description": "sessions"},
        "failed": {"$ref": "#/$defs/count", "description": "sessions"},
        "stops_right": {"$ref": "#/$defs/count"},
        "stops_wrong": {"$ref": "#/$defs/count"},
        "after": {"$ref": "#/$defs/after"})json";

constexpr std::string_view kDefs = R"json(
    "count": {"type": "integer", "minimum": 0},
    "line": {"type": "integer", "minimum": 1},
    "source": {"enum": ["none", "reported", "estimated"], "description": "where token figures come from"},
    "action": {"enum": ["notify", "reflect", "back-off", "substitute-tool", "open-breaker", "explore", "rollback", "reset-context", "ask-human", "stop"]},
    "after": {
      "type": "object",
      "description": "wasted + useful = all; what is useful would have been lost",
      "required": ["steps", "wasted_steps", "useful_steps", "tokens", "wasted_tokens", "useful_tokens"],
      "properties": {
        "action": {"$ref": "#/$defs/action"},
        "line": {"$ref": "#/$defs/count"},
        "steps": {"$ref": "#/$defs/count"},
        "wasted_steps": {"$ref": "#/$defs/count"},
        "useful_steps": {"$ref": "#/$defs/count"},
        "tokens": {"$ref": "#/$defs/count"},
        "wasted_tokens": {"$ref": "#/$defs/count"},
        "useful_tokens": {"$ref": "#/$defs/count"},
        "micro_dollars": {"$ref": "#/$defs/count"},
        "wasted_micro_dollars": {"$ref": "#/$defs/count"},
        "wall_ms": {"$ref": "#/$defs/count"}
      }
    })json";

struct Part {
    std::string_view kind;
    std::string_view required;
    std::string_view fields;
    std::string_view more = {};
};

std::string object(const Part& part, std::string_view extra_required, std::string_view extra) {
    std::string out = "{\n      \"type\": \"object\",\n      \"required\": [";
    out.append(extra_required)
        .append(part.required)
        .append("],\n      \"properties\": {")
        .append(extra)
        .append(part.fields);
    if (!part.more.empty()) out.append(",").append(part.more);
    return out + "\n      }\n    }";
}

constexpr Part kParts[] = {
    {"run", R"("schema", "teacher_forced", "policies")", kHead},
    {"input", R"("path")", kInput},
    {"session", R"("path", "format", "responses", "steps", "tokens", "tokens_source")", kSession},
    {"decision",
     R"("action", "trigger", "severity", "line", "lane", "reason", "message", "verdict", "evidence", "alternatives")",
     kDecision},
    {"outcome", R"("policy", "failed", "errors", "unrecovered_errors", "warnings", "interventions", "checkpoints")",
     kRun, kFigures},
    {"total", R"("policy", "sessions", "intervened", "stopped", "failed")", kTotal, kFigures},
};

}  // namespace

std::string policy_replay_schema() {
    std::string out = opening("agent-audit/policy-replay/1", "Result of agent-audit replay --policy, --format json");
    out +=
        "  \"type\": \"object\",\n  \"required\": [\"schema\", \"policies\", \"inputs\", \"sessions\", \"totals\"],\n  "
        "\"properties\": {\n"
        "        \"schema\": {\"const\": \"agent-audit/policy-replay/1\"},";
    out.append(kHead).append(R"json(,
        "inputs": {"type": "array", "items": {"$ref": "#/$defs/input"}},
        "sessions": {"type": "array", "items": {"$ref": "#/$defs/session"}},
        "totals": {"type": "array", "items": {"$ref": "#/$defs/total"}, "description": "of each policy, in the order asked for"}
  },
  "$defs": {)json");
    out.append(kDefs).append(",").append(reset_schema());
    for (const Part& part : kParts) {
        std::string_view more;
        if (part.kind == "run") continue;
        if (part.kind == "session")
            more =
                "\n        \"runs\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/outcome\"}, "
                "\"description\": \"one a policy\"},";
        if (part.kind == "outcome")
            more =
                "\n        \"decisions\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/decision\"}},\n        "
                "\"decisions_not_listed\": {\"$ref\": \"#/$defs/count\"},";
        out.append(",\n    \"").append(part.kind).append("\": ").append(object(part, "", more));
    }
    return out + "\n  }\n}\n";
}

std::string policy_replay_line_schema() {
    std::string out =
        opening("agent-audit/policy-replay/1/line", "One line of agent-audit replay --policy, --format ndjson");
    out += "  \"oneOf\": [";
    for (const Part& part : kParts)
        out.append(&part == kParts ? "\n" : ",\n").append("    {\"$ref\": \"#/$defs/").append(part.kind).append("\"}");
    out.append("\n  ],\n  \"$defs\": {").append(kDefs).append(",").append(reset_schema());
    for (const Part& part : kParts) {
        std::string extra = "\n        \"kind\": {\"const\": \"";
        extra.append(part.kind).append("\"},");
        if (part.kind == "run") extra += "\n        \"schema\": {\"const\": \"agent-audit/policy-replay-ndjson/1\"},";
        if (part.kind == "session" || part.kind == "decision" || part.kind == "outcome") {
            extra += "\n        \"index\": {\"$ref\": \"#/$defs/count\", \"description\": \"of the session, from 0\"},";
        }
        if (part.kind == "decision") extra += "\n        \"policy\": {\"type\": \"string\"},";
        if (part.kind == "decision" || part.kind == "outcome") extra += "\n        \"path\": {\"type\": \"string\"},";
        out.append(",\n    \"").append(part.kind).append("\": ").append(object(part, "\"kind\", ", extra));
    }
    return out + "\n  }\n}\n";
}

}  // namespace agent_audit::report
