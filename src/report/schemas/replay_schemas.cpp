#include "report/schemas/replay_schemas.hpp"

#include "report/schemas/opening.hpp"

#include <string_view>

namespace agent_audit::report {
namespace {

constexpr std::string_view kCount = R"({"type": "integer", "minimum": 0)";

struct Count {
    std::string_view name, description;
};

/// `"name": {a count}` for each, one line each.
std::string counts(std::string_view indent, std::initializer_list<Count> all) {
    std::string out;
    for (const Count& count : all) {
        if (!out.empty()) out += ",\n";
        out.append(indent).append("\"").append(count.name).append("\": ").append(kCount);
        out.append(", \"description\": \"").append(count.description).append("\"}");
    }
    return out;
}

// One recorded session, and what its figures rest on.
std::string session_definition() {
    std::string out = R"json(    "session": {
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
    out += counts("        ",
                  {{"requests", "model responses of the main conversation that a prompt was made for"},
                   {"messages", "of the main conversation, as the simulator sees them"},
                   {"turns", "of the person"},
                   {"other_lane_events", "of sub-agents; they have windows of their own and are not replayed"},
                   {"copied_answers",
                    "taken over from another session; they make the history longer and are no requests of this one"},
                   {"window_tokens", "the window that every context had"},
                   {"unseen_tokens",
                    "of each prompt that the recording does not show: system prompt and tools, for the most part; 0: "
                    "unknown or none"}});
    out += R"json(,
        "calibration": {
          "type": "object",
          "description": "what the weights of texts were learnt from",
          "required": ["billed_requests", "samples", "median_error"],
          "properties": {
            "median_error": {"type": "number", "minimum": 0, "description": "of the next prompt, as a share of it"},
)json";
    out += counts("            ", {{"billed_requests", "requests with a recorded prompt size"},
                                   {"samples", "of these, those that the weights of texts were learnt from"}});
    out += R"json(
          }
        },
        "recorded": {
          "type": "object",
          "description": "what the recording itself tells of its prompts",
          "required": ["compactions"],
          "properties": {
)json";
    out += counts("            ", {{"peak_tokens", "the largest billed prompt"},
                                   {"mean_tokens", "over all billed prompts"},
                                   {"compactions", "that the recording tells of"}});
    out += R"json(,
            "requests": {"type": "integer", "minimum": 1, "description":
              "that were billed, as a scan counts them: with sub-agents, and with what no single request tells"},
            "cost_microusd": {"type": "integer", "minimum": 0, "description":
              "list price of what they were billed, by the recorded reads and writes; absent: no price is known"},
            "replayed_cost_microusd": {"type": "integer", "minimum": 0, "description":
              "of this, what the requests that are replayed were billed (calibration.billed_requests)"}
          }
        },
        "summaries": {
          "type": "object",
          "description": "how long summaries are taken to be",
          "required": ["share", "fitted_from"],
          "properties": {
            "share": {"type": "number", "description": "tokens of a summary for each token it replaces"},
            "fitted_from": {"type": "integer", "minimum": 0, "description": "recorded compactions; 0: a default"}
          }
        },
        "contexts": {"type": "array", "items": {"$ref": "#/$defs/context"}, "description": "in the order asked for"}
      }
    },
)json";
    return out;
}

// What one way of keeping the context came to.
std::string context_definition() {
    std::string out = R"json(    "context": {
      "type": "object",
      "required": ["context", "requests", "peak_tokens", "mean_tokens", "compactions", "overflows", "cleared_results",
        "dropped_messages", "summary_tokens_in", "summary_tokens_out"],
      "properties": {
        "context": {"type": "string", "description": "a policy, or never-forget, hindsight, recorded"},
)json";
    out +=
        counts("        ",
               {{"requests", "prompts that were sent"},
                {"peak_tokens", "the largest prompt"},
                {"mean_tokens", "over all prompts"},
                {"compactions", "made before requests"},
                {"overflows", "requests whose prompt and answer exceed the window, with nothing left to try"},
                {"cleared_results", "tool results that were trimmed, cleared, truncated or masked, each counted once"},
                {"dropped_messages", "that left the view without a summary"},
                {"summary_tokens_in", "read by the calls that made the summaries"},
                {"summary_tokens_out", "written by them"},
                {"unpriced_requests", "of models without a known price; they are in no cost"}});
    out += R"json(,
        "cost_microusd": {"type": "integer", "minimum": 0, "description": "of the requests; absent: no price is known"},
        "summary_cost_microusd": {"type": "integer", "minimum": 0, "description":
          "of the calls that made the summaries, in addition to cost_microusd; absent: no price is known"},
        "cache": {
          "type": "object",
          "description": "how the prompts would be billed; absent: the provider is not known to have a cache",
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
                "count": {"type": "integer", "minimum": 1, "description": "requests with such a change"},
                "extra_microusd": {"type": "integer", "minimum": 0, "description": "paid at once; absent: no price is known"},
                "saved_microusd": {"type": "integer", "minimum": 0, "description": "by each later request, summed over the edits"},
                "break_even_requests": {"type": "integer", "minimum": 0, "description":
                  "later requests after which an average edit has paid off; absent: never, or unknown"},
                "paid_off": {"type": "integer", "minimum": 0, "description": "edits with enough requests after them"}
              }
            },
)json";
    out += counts("            ", {{"read", "tokens of prompts read from the cache"},
                                   {"write", "tokens of prompts written into it"},
                                   {"input", "tokens of prompts that were neither"},
                                   {"misses", "requests that read clearly less than the one before had left there"}});
    out += R"json(
          }
        },
        "regret": {
          "type": "object",
          "description": "what was needed again after it had left the view; absent: not looked for",
          "required": ["tokens", "rereads", "lost_identifiers", "repeated_failures", "lost_instructions"],
          "properties": {
)json";
    out += counts("            ",
                  {{"tokens", "of what was needed again after it had left the view"},
                   {"rereads", "the same content was fetched again"},
                   {"lost_identifiers", "names that answers used although what brought them in had left"},
                   {"repeated_failures", "calls that failed again although their first failure had been seen"},
                   {"lost_instructions", "rules of the person that a later step broke after they had left"},
                   {"first_loss_turn", "turn of the person in which something lost was first needed; absent: never"}});
    return out + R"json(
          }
        }
      }
    }
)json";
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
    "sessions": {"type": "array", "items": {"$ref": "#/$defs/session"}, "description": "in the order of the recording"}
  },
  "$defs": {
    "remote": {
      "type": "object",
      "required": ["purpose", "endpoint", "model", "questions", "calls"],
      "properties": {
        "purpose": {"type": "string", "description": "what was asked of it"},
        "endpoint": {"type": "string", "description": "its address, without what is secret in it"},
        "model": {"type": "string", "description": "by the name that was asked for"},
        "problem": {"type": "string", "description": "the first one"},
        "questions": {"type": "integer", "minimum": 0, "description": "summaries that were asked for"},
        "calls": {"type": "integer", "minimum": 0, "description": "requests sent, repeated ones included"},
        "cached": {"type": "integer", "minimum": 1, "description": "answered from the cache"},
        "failed": {"type": "integer", "minimum": 1, "description": "without a usable answer"},
        "not_asked": {"type": "integer", "minimum": 1, "description": "the budget was spent, or the endpoint failed too often"},
        "prompt_tokens": {"type": "integer", "minimum": 1, "description": "as the endpoint counts them"},
        "output_tokens": {"type": "integer", "minimum": 1, "description": "as the endpoint counts them"},
        "cost_microusd": {"type": "integer", "minimum": 0, "description": "absent: no price is known"}
      }
    },
)json";
    return out + session_definition() + context_definition() + R"json(  }
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
    "context": {"type": "string", "description": "a policy, or never-forget, hindsight, recorded"},
    "request": {"type": "integer", "minimum": 1, "description": "number in the session"},
    "turn": {"type": "integer", "minimum": 0, "description": "of the person; 0: before the first"},
    "line": {"type": "integer", "minimum": 1, "description": "where its answer begins"},
    "time_ms": {"type": "integer", "description": "when the prompt was complete; absent: unknown"},
    "tokens_recorded": {"type": "integer", "description": "the billed prompt; absent: not recorded"},
    "tokens_before": {"type": "integer", "minimum": 0, "description": "of the prompt, had nothing been done now"},
    "tokens_after": {"type": "integer", "minimum": 0, "description": "of the prompt as it is sent"},
    "ratio": {"type": "number", "minimum": 0, "description": "tokens_after as a share of the window"},
    "pruned": {
      "type": "array",
      "description": "messages that this request was the first to send otherwise than recorded",
      "items": {
        "type": "object",
        "required": ["message", "action", "tokens_before", "tokens_after"],
        "properties": {
          "message": {"type": "integer", "minimum": 0, "description": "position among the session's messages"},
          "action": {"enum": ["trim", "clear", "truncate", "drop", "summarise", "mask"], "description": "what was done to it"},
)json";
    out += counts("          ", {{"tokens_before", "of the message as it was recorded"},
                                 {"tokens_after", "of what was sent in its place"}});
    out += R"json(
        }
      }
    },
    "compactions": {
      "type": "array",
      "description": "made before this request, in their order",
      "items": {
        "type": "object",
        "required": ["tokens_in", "tokens_summary", "kept_from", "split_turn"],
        "properties": {
          "split_turn": {"type": "boolean", "description": "whether the cut is inside a turn"},
          "kept_from": {"type": "integer", "minimum": 0, "description": "position of the first message kept"},
)json";
    out += counts("          ", {{"tokens_in", "of what gave way"}, {"tokens_summary", "of what took its place"}});
    out += R"json(
        }
      }
    },
    "overflow": {"const": true, "description": "prompt and answer exceed the window, and nothing was left to try"},
    "cache": {
      "type": "object",
      "description": "how the prompt would be billed; absent: the provider is not known to have a cache",
      "required": ["read", "write", "input"],
      "properties": {
        "miss_reason": {"type": "string", "description": "why less was read than was there; absent: it was not less"},
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
    out += counts("        ", {{"read", "tokens of the prompt read from the cache"},
                               {"write", "tokens of it written into the cache"},
                               {"input", "tokens of it that were neither"}});
    return out + R"json(
      }
    },
    "cost_microusd": {"type": "integer", "minimum": 0, "description": "absent: no price is known"},
    "regret": {
      "type": "array",
      "description": "what the recorded answer needed and had left the view",
      "items": {
        "type": "object",
        "required": ["kind", "message", "tokens"],
        "properties": {
          "kind": {"enum": ["reread", "used_lost", "repeated_failure", "instruction_lost"], "description": "how it was needed again"},
          "message": {"type": "integer", "minimum": 0, "description": "what had left the view"},
          "tokens": {"type": "integer", "minimum": 0, "description": "of what had left"}
        }
      }
    }
  }
}
)json";
}

}  // namespace agent_audit::report
