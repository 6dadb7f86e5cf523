#include "report/replay_schemas.hpp"

#include <string_view>

namespace agent_audit::report {
namespace {

constexpr std::string_view kCount = R"({"type": "integer", "minimum": 0})";

std::string opening(std::string_view id, std::string_view title) {
    std::string out = "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"$id\": \"";
    return out.append(id).append("\",\n  \"title\": \"").append(title).append("\",\n");
}

/// `"name": {a count}` for each, one line each.
std::string counts(std::string_view indent, std::initializer_list<std::string_view> names) {
    std::string out;
    for (const std::string_view name : names) {
        if (!out.empty()) out += ",\n";
        out.append(indent).append("\"").append(name).append("\": ").append(kCount);
    }
    return out;
}

}  // namespace

std::string replay_schema() {
    std::string out = opening("agent-audit/replay/1", "Result of agent-audit replay, --format json");
    out += R"json(  "type": "object",
  "required": ["schema", "format", "teacher_forced", "sessions"],
  "properties": {
    "schema": {"const": "agent-audit/replay/1"},
    "format": {"type": "string", "description": "format of the recording; empty: it could not be read"},
    "teacher_forced": {"const": true, "description": "the recorded answers follow whatever was sent"},
    "lost_records": {"type": "integer", "minimum": 1, "description": "could not be read"},
    "problem": {"type": "string", "description": "why reading ended early"},
    "summarizer": {"$ref": "#/$defs/remote", "description": "who was asked for summaries; absent: nobody, they are words taken from the history"},
    "sessions": {"type": "array", "items": {"$ref": "#/$defs/session"}}
  },
  "$defs": {
    "remote": {
      "type": "object",
      "required": ["purpose", "endpoint", "model", "questions", "calls"],
      "properties": {
        "purpose": {"type": "string"},
        "endpoint": {"type": "string"},
        "model": {"type": "string"},
        "problem": {"type": "string", "description": "the first one"},
        "questions": {"type": "integer", "minimum": 0},
        "calls": {"type": "integer", "minimum": 0, "description": "requests sent, repeated ones included"},
        "cached": {"type": "integer", "minimum": 1, "description": "answered from the cache"},
        "failed": {"type": "integer", "minimum": 1, "description": "without a usable answer"},
        "not_asked": {"type": "integer", "minimum": 1, "description": "the budget was spent, or the endpoint failed too often"},
        "prompt_tokens": {"type": "integer", "minimum": 1},
        "output_tokens": {"type": "integer", "minimum": 1},
        "cost_microusd": {"type": "integer", "minimum": 0, "description": "absent: no price is known"}
      }
    },
    "session": {
      "type": "object",
      "required": ["requests", "messages", "turns", "window_tokens", "window_source", "priced", "unseen_tokens", "contexts"],
      "properties": {
        "session": {"type": "string", "description": "absent: unknown"},
        "label": {"type": "string", "description": "what else tells sessions of one input apart"},
        "first_line": {"type": "integer", "minimum": 1, "description": "where it begins"},
        "window_source": {"enum": ["given", "recorded", "model", "usual", "assumed"], "description":
          "usual: that of the recorded agent's version, which the recording does not say"},
        "model": {"type": "string", "description": "of the last request; absent: unknown"},
        "priced": {"type": "boolean", "description": "whether any request has a known price"},
        "unpriced_requests": {"type": "integer", "minimum": 1, "description": "they are in no cost"},
        "reasoning_left": {"type": "integer", "minimum": 1, "description":
          "requests at which the provider had left out more of the reasoning of earlier turns, as its bills tell; under every context"},
)json";
    out += counts("        ", {"requests", "messages", "turns", "other_lane_events", "copied_answers", "window_tokens",
                               "unseen_tokens"});
    out += R"json(,
        "calibration": {
          "type": "object",
          "required": ["billed_requests", "samples", "median_error"],
          "properties": {
            "median_error": {"type": "number", "minimum": 0, "description": "of the next prompt, as a share of it"},
)json";
    out += counts("            ", {"billed_requests", "samples"});
    out += R"json(
          }
        },
        "recorded": {
          "type": "object",
          "required": ["compactions"],
          "properties": {
)json";
    out += counts("            ", {"peak_tokens", "mean_tokens", "compactions"});
    out += R"json(,
            "cost_microusd": {"type": "integer", "minimum": 0, "description":
              "list price of what was billed, by the recorded reads and writes; absent: no price is known"}
          }
        },
        "summaries": {
          "type": "object",
          "required": ["share", "fitted_from"],
          "properties": {
            "share": {"type": "number", "description": "tokens of a summary for each token it replaces"},
            "fitted_from": {"type": "integer", "minimum": 0, "description": "recorded compactions; 0: a default"}
          }
        },
        "contexts": {"type": "array", "items": {"$ref": "#/$defs/context"}, "description": "in the order asked for"}
      }
    },
    "context": {
      "type": "object",
      "required": ["context", "requests", "peak_tokens", "mean_tokens", "compactions", "overflows", "cleared_results",
        "dropped_messages", "summary_tokens_in", "summary_tokens_out"],
      "properties": {
        "context": {"type": "string", "description": "a policy, or never-forget, hindsight, recorded"},
)json";
    out += counts("        ", {"requests", "peak_tokens", "mean_tokens", "compactions", "overflows", "cleared_results",
                               "dropped_messages", "summary_tokens_in", "summary_tokens_out", "unpriced_requests"});
    out += R"json(,
        "cost_microusd": {"type": "integer", "minimum": 0, "description": "of the requests; absent: no price is known"},
        "summary_cost_microusd": {"type": "integer", "minimum": 0, "description":
          "of the calls that made the summaries, in addition to cost_microusd; absent: no price is known"},
        "cache": {
          "type": "object",
          "required": ["read", "write", "input", "misses"],
          "properties": {
            "recorded_deviation": {"type": "number", "minimum": 0, "description":
              "of the context recorded: how far the reads of the cache model alone are off the recorded ones, as a share of the prompts"},
            "recorded_misses": {"type": "integer", "minimum": 1, "description":
              "requests at which the recording read clearly less than times and sizes let expect; every context is taken to have missed as much there"},
            "scaled_by": {"type": "number", "minimum": 0, "maximum": 1, "description":
              "what is left of the reads that the cache model alone expects, because the recording read less; absent: all of them"},
            "assumed": {"const": true, "description": "the recording shows no use of a cache: reads are those that the cache model expects"},
            "edits": {
              "type": "object",
              "description": "requests that changed what the one before had sent, so that the rest is paid for anew",
              "required": ["count"],
              "properties": {
                "count": {"type": "integer", "minimum": 1},
                "extra_microusd": {"type": "integer", "minimum": 0, "description": "paid at once; absent: no price is known"},
                "saved_microusd": {"type": "integer", "minimum": 0, "description": "by each later request, summed over the edits"},
                "break_even_requests": {"type": "integer", "minimum": 0, "description":
                  "later requests after which an average edit has paid off; absent: never, or unknown"},
                "paid_off": {"type": "integer", "minimum": 0, "description": "edits with enough requests after them"}
              }
            },
)json";
    out += counts("            ", {"read", "write", "input", "misses"});
    out += R"json(
          }
        },
        "regret": {
          "type": "object",
          "required": ["tokens", "rereads", "lost_identifiers", "repeated_failures", "lost_instructions"],
          "properties": {
)json";
    out += counts("            ", {"tokens", "rereads", "lost_identifiers", "repeated_failures", "lost_instructions",
                                   "first_loss_turn"});
    return out + R"json(
          }
        }
      }
    }
  }
}
)json";
}

std::string replay_turns_schema() {
    std::string out = opening("agent-audit/replay/1/turn", "One line of agent-audit replay, --turns");
    out += R"json(  "type": "object",
  "required": ["kind", "session", "context", "request", "turn", "tokens_before", "tokens_after", "ratio"],
  "properties": {
    "kind": {"const": "turn"},
    "session": {"type": "integer", "minimum": 0, "description": "position in the recording"},
    "context": {"type": "string"},
    "request": {"type": "integer", "minimum": 1},
    "turn": {"type": "integer", "minimum": 0, "description": "of the person; 0: before the first"},
    "line": {"type": "integer", "minimum": 1, "description": "where its answer begins"},
    "time_ms": {"type": "integer", "description": "when the prompt was complete; absent: unknown"},
    "tokens_recorded": {"type": "integer", "description": "the billed prompt; absent: not recorded"},
    "tokens_before": {"type": "integer", "minimum": 0, "description": "of the prompt, had nothing been done now"},
    "tokens_after": {"type": "integer", "minimum": 0, "description": "of the prompt as it is sent"},
    "ratio": {"type": "number", "minimum": 0, "description": "tokens_after as a share of the window"},
    "pruned": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["message", "action", "tokens_before", "tokens_after"],
        "properties": {
          "message": {"type": "integer", "minimum": 0, "description": "position among the session's messages"},
          "action": {"enum": ["trim", "clear", "truncate", "drop", "summarise", "mask"]},
)json";
    out += counts("          ", {"tokens_before", "tokens_after"});
    out += R"json(
        }
      }
    },
    "compactions": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["tokens_in", "tokens_summary", "kept_from", "split_turn"],
        "properties": {
          "split_turn": {"type": "boolean"},
          "kept_from": {"type": "integer", "minimum": 0, "description": "position of the first message kept"},
)json";
    out += counts("          ", {"tokens_in", "tokens_summary"});
    out += R"json(
        }
      }
    },
    "overflow": {"const": true, "description": "prompt and answer exceed the window, and nothing was left to try"},
    "cache": {
      "type": "object",
      "required": ["read", "write", "input"],
      "properties": {
        "miss_reason": {"type": "string"},
        "edit": {
          "type": "object",
          "description": "what the request before had sent was changed",
          "required": ["position", "removed"],
          "properties": {
            "position": {"type": "integer", "minimum": 0, "description": "tokens of the prefix that stayed"},
            "removed": {"type": "integer", "minimum": 0, "description": "tokens taken out"},
            "extra_microusd": {"type": "integer", "minimum": 0, "description": "paid now; absent: no price is known"},
            "saved_microusd": {"type": "integer", "minimum": 0, "description": "by every later request"},
            "break_even_requests": {"type": "integer", "minimum": 0, "description":
              "after so many later requests it has paid off; absent: never, or unknown"}
          }
        },
)json";
    out += counts("        ", {"read", "write", "input"});
    return out + R"json(
      }
    },
    "cost_microusd": {"type": "integer", "minimum": 0, "description": "absent: no price is known"},
    "regret": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["kind", "message", "tokens"],
        "properties": {
          "kind": {"enum": ["reread", "used_lost", "repeated_failure", "instruction_lost"]},
          "message": {"type": "integer", "minimum": 0, "description": "what had left the view"},
          "tokens": {"type": "integer", "minimum": 0}
        }
      }
    }
  }
}
)json";
}

}  // namespace agent_audit::report
