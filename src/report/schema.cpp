#include "report/baseline_schemas.hpp"
#include "report/checkpoint_schemas.hpp"
#include "report/json_resets.hpp"
#include "report/listing_schemas.hpp"
#include "report/replay_schemas.hpp"

#include <agent_audit/report/schema.hpp>

#include "report/events_schema.hpp"

#include <agent_audit/model/ingest.hpp>

#include <algorithm>
#include <iterator>

namespace agent_audit {
namespace {

// Within one schema number fields are only ever added, so readers must accept fields they do not know: no
// `additionalProperties` here. A test compares these texts with real output, field for field, the strict way.

constexpr std::string_view kDefs = R"json(
    "count": {"type": "integer", "minimum": 0},
    "line": {"type": "integer", "minimum": 1, "description": "record number in the input, from 1"},
    "time": {"type": "string", "format": "date-time", "description": "RFC 3339, UTC, milliseconds"},
    "severity": {"enum": ["error", "warning", "info"]},
    "source": {"enum": ["none", "reported", "estimated"], "description": "where token figures come from"},
    "tool": {
      "type": "object",
      "required": ["name"],
      "properties": {"name": {"const": "agent-audit"}, "version": {"type": "string"}}
    },
    "tokens": {
      "type": "object",
      "description": "input, cache_write, cache_read and output do not overlap; reasoning is a part of output, cache_write_1h (bought for an hour) of cache_write",
      "properties": {
        "source": {"$ref": "#/$defs/source"},
        "input": {"$ref": "#/$defs/count"},
        "cache_write": {"$ref": "#/$defs/count"},
        "cache_read": {"$ref": "#/$defs/count"},
        "output": {"$ref": "#/$defs/count"},
        "reasoning": {"$ref": "#/$defs/count"},
        "cache_write_1h": {"$ref": "#/$defs/count"},
        "total": {"$ref": "#/$defs/count"},
        "requests": {"$ref": "#/$defs/count", "description": "each request is counted once in a run"},
        "copied_requests": {"$ref": "#/$defs/count", "description": "seen here, counted where they first stood"},
        "micro_dollars": {"$ref": "#/$defs/count", "description": "by list price; absent: no request has a known price"},
        "unpriced_requests": {"$ref": "#/$defs/count", "description": "of models without a known price, not in micro_dollars"},
        "cost_microusd": {"$ref": "#/$defs/count", "description": "as recorded by the producer"},
        "peak_context": {"$ref": "#/$defs/count", "description": "largest prompt of one request"},
        "peak_context_line": {"$ref": "#/$defs/line"},
        "window": {"$ref": "#/$defs/count"},
        "by_model": {"type": "array", "items": {"$ref": "#/$defs/model_tokens"}},
        "by_lane": {"type": "array", "items": {"$ref": "#/$defs/lane_tokens"}},
        "top_turns": {"type": "array", "items": {"$ref": "#/$defs/turn_tokens"}}
      }
    },
    "model_tokens": {
      "type": "object",
      "required": ["input", "cache_write", "cache_read", "output", "total", "requests"],
      "properties": {
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
        "unpriced_requests": {"$ref": "#/$defs/count", "description": "of models without a known price, not in micro_dollars"}
      }
    },
    "lane_tokens": {
      "type": "object",
      "required": ["lane", "total", "requests"],
      "properties": {
        "lane": {"$ref": "#/$defs/count", "description": "0 = the main conversation"},
        "label": {"type": "string", "description": "what the recording calls the sub-agent"},
        "input": {"$ref": "#/$defs/count"},
        "cache_write": {"$ref": "#/$defs/count"},
        "cache_read": {"$ref": "#/$defs/count"},
        "output": {"$ref": "#/$defs/count"},
        "reasoning": {"$ref": "#/$defs/count"},
        "cache_write_1h": {"$ref": "#/$defs/count"},
        "total": {"$ref": "#/$defs/count"},
        "requests": {"$ref": "#/$defs/count"},
        "micro_dollars": {"$ref": "#/$defs/count", "description": "by list price; absent: no request has a known price"},
        "unpriced_requests": {"$ref": "#/$defs/count", "description": "of models without a known price, not in micro_dollars"}
      }
    },
    "context": {
      "type": "object",
      "description": "how the conversations of a session used their windows; absent: no request is recorded",
      "required": ["lanes"],
      "properties": {
        "lanes": {"type": "array", "items": {"$ref": "#/$defs/lane_context"}, "description": "the fullest, by number"},
        "dearest_requests": {
          "type": "array",
          "description": "by list price, most first",
          "items": {
            "type": "object",
            "required": ["lane", "micro_dollars"],
            "properties": {
              "lane": {"$ref": "#/$defs/count"},
              "line": {"$ref": "#/$defs/line"},
              "prompt": {"$ref": "#/$defs/count"},
              "output": {"$ref": "#/$defs/count"},
              "micro_dollars": {"$ref": "#/$defs/count"}
            }
          }
        }
      }
    },
    "goal": {
      "type": "object",
      "description": "what the main conversation is for, as it was understood; absent: no human message says it",
      "required": ["messages"],
      "properties": {
        "text": {"type": "string", "description": "the beginning of the message that says it"},
        "line": {"$ref": "#/$defs/line", "description": "its record; absent: given for the run"},
        "given": {"const": true, "description": "by --goal or the configuration"},
        "messages": {"$ref": "#/$defs/count", "description": "human messages, a given goal included"},
        "latest": {"type": "string", "description": "the last message that asks for something (\"yes\" and \"go on\" do not), where it is another"},
        "latest_line": {"$ref": "#/$defs/line"},
        "paths": {"type": "array", "items": {"type": "string"}, "description": "files and directories in scope at the end; absent = the last message that gave work named none, and all are"},
        "limits": {
          "type": "array",
          "maxItems": 16,
          "items": {
            "type": "object",
            "required": ["of", "most", "used"],
            "properties": {
              "of": {"enum": ["turns", "tool-calls", "seconds"], "description": "turns are model responses"},
              "most": {"$ref": "#/$defs/count"},
              "used": {"$ref": "#/$defs/count", "description": "until the next human message, or the end"},
              "line": {"$ref": "#/$defs/line", "description": "where it was said"},
              "passed_line": {"$ref": "#/$defs/line", "description": "where it was passed; absent: it was kept"},
              "sentence": {"type": "string", "description": "the words that set it"}
            }
          }
        },
        "success": {
          "type": "array",
          "maxItems": 8,
          "description": "how a human will know that it is done",
          "items": {
            "type": "object",
            "required": ["measure"],
            "properties": {
              "measure": {"enum": ["tests", "build", "lint"], "description": "what has to succeed"},
              "line": {"$ref": "#/$defs/line"},
              "sentence": {"type": "string", "description": "the words that ask for it"}
            }
          }
        },
        "rules": {
          "type": "array",
          "maxItems": 32,
          "description": "what was ruled out, as far as a step can be held against it, and still was at the end",
          "items": {
            "type": "object",
            "required": ["kind"],
            "properties": {
              "kind": {"enum": ["forbid-path", "forbid-command", "forbid-tool", "only-path"], "description": "what is ruled out; only-path: the places that may be changed"},
              "target": {"type": "string", "description": "the path, command or tool it is about"},
              "line": {"$ref": "#/$defs/line"},
              "sentence": {"type": "string", "description": "the words that state it"}
            }
          }
        }
      }
    },
    "activity": {
      "type": "object",
      "description": "the main conversation as segments of one kind of work each; absent: nothing was done",
      "required": ["segments"],
      "properties": {
        "segments": {
          "type": "array",
          "maxItems": 256,
          "items": {
            "type": "object",
            "required": ["activity", "first_line", "last_line", "first_turn", "last_turn", "turns", "calls"],
            "properties": {
              "activity": {"enum": ["explore", "edit", "verify", "run", "deploy", "plan", "communicate"], "description": "the kind of work"},
              "first_line": {"$ref": "#/$defs/line"},
              "last_line": {"$ref": "#/$defs/line"},
              "first_turn": {"$ref": "#/$defs/count", "description": "model response of the main conversation, from 1"},
              "last_turn": {"$ref": "#/$defs/count"},
              "turns": {"$ref": "#/$defs/count", "description": "model responses; those that only wait count where they stand"},
              "calls": {"$ref": "#/$defs/count"}
            }
          }
        },
        "more": {"$ref": "#/$defs/count", "description": "segments beyond those that are kept"}
      }
    },
    "similarity": {
      "type": "object",
      "description": "similarity of the messages to the goal by one measure; evidence, never a finding of its own",
      "required": ["measure", "goal_line", "turns", "mean", "lowest", "lowest_line", "points"],
      "properties": {
        "measure": {"enum": ["tf-idf", "bm25", "char-ngrams", "word-vectors", "embeddings"], "description": "how nearness was measured; embeddings: by the endpoint that was named"},
        "source": {"type": "string", "description": "model, or file of vectors"},
        "goal_line": {"$ref": "#/$defs/line"},
        "turns": {"$ref": "#/$defs/count", "description": "messages that were compared"},
        "mean": {"type": "number", "description": "over the messages that were measured"},
        "lowest": {"type": "number", "description": "the least near message"},
        "lowest_line": {"$ref": "#/$defs/line"},
        "points": {
          "type": "array",
          "maxItems": 128,
          "description": "line and value; of a long session the lowest of each few neighbours",
          "items": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "number"}}
        },
        "drop": {
          "type": "object",
          "description": "where the similarity falls for good",
          "required": ["line", "before", "after", "weight"],
          "properties": {
            "line": {"$ref": "#/$defs/line"},
            "before": {"type": "number", "description": "mean before the fall"},
            "after": {"type": "number", "description": "mean behind it"},
            "weight": {"type": "number", "description": "the drop in units of the spread within both parts"}
          }
        }
      }
    },
    "drift": {
      "type": "object",
      "description": "how far the main conversation was from its goal; absent: no goal was recognised",
      "required": ["turns", "peak", "last", "points"],
      "properties": {
        "turns": {"$ref": "#/$defs/count", "description": "model responses of the main conversation that were scored"},
        "peak": {"type": "number", "minimum": 0, "maximum": 1, "description": "the highest score of a turn"},
        "last": {"type": "number", "minimum": 0, "maximum": 1, "description": "the score of the last turn"},
        "points": {
          "type": "array",
          "maxItems": 129,
          "description": "model response from 1, line and score; in a long session a point is the highest of several responses",
          "items": {"type": "array", "minItems": 3, "maxItems": 3, "items": {"type": "number"}}
        },
        "changes": {
          "type": "array",
          "description": "drift points: where a rule dates a departure",
          "items": {
            "type": "object",
            "required": ["line", "turn", "rule", "before", "after"],
            "properties": {
              "line": {"$ref": "#/$defs/line"},
              "turn": {"$ref": "#/$defs/count", "description": "model response, from 1"},
              "rule": {"type": "string", "description": "the rule that dates the change"},
              "before": {"type": "number", "description": "the score of the turn before"},
              "after": {"type": "number", "description": "highest score of the ten responses from there on"}
            }
          }
        },
        "reflections": {
          "type": "array",
          "description": "with --reflect only",
          "items": {
            "type": "object",
            "required": ["turn", "line", "score", "recent", "prompt"],
            "properties": {
              "turn": {"$ref": "#/$defs/count", "description": "model response, from 1"},
              "line": {"$ref": "#/$defs/line"},
              "score": {"type": "number", "description": "of this response"},
              "recent": {"type": "array", "items": {"type": "string"}, "description": "the last three responses, a line each"},
              "prompt": {"type": "string", "description": "what the agent would be asked to reflect on"}
            }
          }
        }
      }
    },
    "lane_context": {
      "type": "object",
      "description": "prompts of one conversation, in tokens as recorded; parts, tools, files and rereads are estimated",
      "required": ["lane", "requests", "first", "last", "peak", "grown", "parts", "prompt", "cache_read", "course"],
      "properties": {
        "lane": {"$ref": "#/$defs/count", "description": "0 = the main conversation"},
        "requests": {"$ref": "#/$defs/count"},
        "window": {"$ref": "#/$defs/count", "description": "absent: unknown"},
        "first": {"$ref": "#/$defs/count"},
        "last": {"$ref": "#/$defs/count"},
        "peak": {"$ref": "#/$defs/count", "description": "the longest prompt"},
        "peak_line": {"$ref": "#/$defs/line"},
        "grown": {"$ref": "#/$defs/count", "description": "by how much prompts were longer than the one before, added up"},
        "parts": {
          "type": "object",
          "description": "of the longest prompt; they add up to peak",
          "properties": {
            "system": {"$ref": "#/$defs/count", "description": "system messages, and what is not in the recording"},
            "user": {"$ref": "#/$defs/count", "description": "messages in the user's role: of humans, and what harness and hooks add"},
            "assistant": {"$ref": "#/$defs/count"},
            "reasoning": {"$ref": "#/$defs/count"},
            "arguments": {"$ref": "#/$defs/count", "description": "of tool calls"},
            "results": {"$ref": "#/$defs/count", "description": "of tool calls"},
            "images": {"$ref": "#/$defs/count"},
            "carried": {"$ref": "#/$defs/count", "description": "what a compaction left, or what was left when a prompt shrank without one"}
          }
        },
        "shrank_untold": {"const": true, "description": "what is carried was left by no compaction: a prompt was shorter, and nothing says why"},
        "tools": {"type": "array", "items": {"$ref": "#/$defs/context_user"}, "description": "results by tool, most first"},
        "files": {"type": "array", "items": {"$ref": "#/$defs/context_user"}, "description": "large results by file, most first"},
        "rereads": {"$ref": "#/$defs/count", "description": "results that the window held already, unchanged"},
        "reread_tokens": {"$ref": "#/$defs/count"},
        "compactions": {"$ref": "#/$defs/count"},
        "freed": {"$ref": "#/$defs/count", "description": "tokens that compactions took out, as far as it is known"},
        "prompt": {"$ref": "#/$defs/count", "description": "tokens of all prompts"},
        "cache_read": {"$ref": "#/$defs/count", "description": "of them, read from the prompt cache"},
        "cache_misses": {
          "type": "array",
          "description": "requests that sent again what the one before had put into the cache",
          "items": {
            "type": "object",
            "required": ["reason", "requests", "tokens"],
            "properties": {
              "reason": {"enum": ["pause", "model", "compaction", "edit", "history", "unknown"], "description": "why the prompt was not read from the cache"},
              "requests": {"$ref": "#/$defs/count"},
              "tokens": {"$ref": "#/$defs/count"}
            }
          }
        },
        "course": {
          "type": "array",
          "items": {"$ref": "#/$defs/count"},
          "description": "from the first request to the last, the longest prompt of equally many requests; at most 16"
        }
      }
    },
    "context_user": {
      "type": "object",
      "required": ["tokens", "results"],
      "properties": {
        "tool": {"type": "string", "description": "the tool that brought it in; absent: no result"},
        "file": {"type": "string", "description": "the file that it shows; absent: none, or unknown"},
        "tokens": {"$ref": "#/$defs/count"},
        "results": {"$ref": "#/$defs/count"}
      }
    },
    "endpoint": {
      "type": "object",
      "required": ["purpose", "endpoint", "model", "questions", "calls"],
      "properties": {
        "purpose": {"type": "string", "description": "what was asked of it"},
        "endpoint": {"type": "string", "description": "its address, without what is secret in it"},
        "model": {"type": "string", "description": "by the name that was asked for"},
        "questions": {"$ref": "#/$defs/count"},
        "calls": {"$ref": "#/$defs/count", "description": "requests sent, repeated ones included"},
        "cached": {"$ref": "#/$defs/count", "description": "answered from the cache"},
        "failed": {"$ref": "#/$defs/count", "description": "without a usable answer"},
        "not_asked": {"$ref": "#/$defs/count", "description": "the budget was spent, or the endpoint failed too often"},
        "prompt_tokens": {"$ref": "#/$defs/count"},
        "output_tokens": {"$ref": "#/$defs/count"},
        "cost_microusd": {"$ref": "#/$defs/count", "description": "absent: no price is known"},
        "problem": {"type": "string", "description": "the first one"}
      }
    },
    "turn_tokens": {
      "type": "object",
      "required": ["lane", "turn", "total", "requests"],
      "properties": {
        "lane": {"$ref": "#/$defs/count"},
        "turn": {"$ref": "#/$defs/count"},
        "first_line": {"$ref": "#/$defs/line"},
        "input": {"$ref": "#/$defs/count"},
        "cache_write": {"$ref": "#/$defs/count"},
        "cache_read": {"$ref": "#/$defs/count"},
        "output": {"$ref": "#/$defs/count"},
        "reasoning": {"$ref": "#/$defs/count"},
        "cache_write_1h": {"$ref": "#/$defs/count"},
        "total": {"$ref": "#/$defs/count"},
        "requests": {"$ref": "#/$defs/count"},
        "micro_dollars": {"$ref": "#/$defs/count", "description": "by list price; absent: no request has a known price"},
        "unpriced_requests": {"$ref": "#/$defs/count", "description": "of models without a known price, not in micro_dollars"}
      }
    },
    "counts": {
      "type": "object",
      "properties": {
        "events": {"$ref": "#/$defs/count"},
        "human_messages": {"$ref": "#/$defs/count"},
        "assistant_messages": {"$ref": "#/$defs/count"},
        "responses": {"$ref": "#/$defs/count", "description": "model responses"},
        "turns": {"$ref": "#/$defs/count", "description": "human turns"},
        "calls": {"$ref": "#/$defs/count"},
        "results": {"$ref": "#/$defs/count"},
        "paired": {"$ref": "#/$defs/count", "description": "calls whose result was found"},
        "unanswered": {"$ref": "#/$defs/count", "description": "calls left open"},
        "unanswered_at_end": {"$ref": "#/$defs/count", "description": "of these: the recording ends before their result"},
        "unanswered_stopped": {"$ref": "#/$defs/count", "description": "of these: the turn was broken off, or a human spoke first"},
        "unanswered_compacted": {"$ref": "#/$defs/count", "description": "of these: the context was compacted while they ran"},
        "orphans": {"$ref": "#/$defs/count", "description": "results whose call was never seen"},
        "errors": {"$ref": "#/$defs/count", "description": "failed results"},
        "denied": {"$ref": "#/$defs/count"},
        "steps": {"$ref": "#/$defs/count", "description": "tool calls, of equal parallel ones one; calls that only wait or take notes (a to-do list) are none, until the very same note comes a third time in a row"},
        "compactions": {"$ref": "#/$defs/count"},
        "rewinds": {"$ref": "#/$defs/count"},
        "aborted_turns": {"$ref": "#/$defs/count"},
        "provider_errors": {"$ref": "#/$defs/count"},
        "lanes": {"$ref": "#/$defs/count", "description": "conversations, sub-agents included"}
      }
    },
    "provider_errors": {
      "type": "object",
      "description": "requests that the provider refused or broke off; absent: none. Their number is counts.provider_errors",
      "required": ["kinds"],
      "properties": {
        "first_line": {"$ref": "#/$defs/line"},
        "last_line": {"$ref": "#/$defs/line"},
        "kinds": {
          "type": "array",
          "description": "most first, at most 8",
          "items": {
            "type": "object",
            "required": ["code", "count"],
            "properties": {
              "code": {"type": "string", "description": "a status (429), or the first words of what is recorded; empty: nothing is"},
              "count": {"$ref": "#/$defs/count"}
            }
          }
        },
        "other": {"$ref": "#/$defs/count", "description": "of other kinds"}
      }
    },
    "tool_stats": {
      "type": "object",
      "required": ["tool", "calls", "failures"],
      "description": "the 64 most called tools; all others together are (other)",
      "properties": {
        "tool": {"type": "string", "description": "by its name in the recording"},
        "calls": {"$ref": "#/$defs/count"},
        "failures": {"$ref": "#/$defs/count", "description": "failed and denied calls"},
        "failures_by_class": {
          "type": "object",
          "description": "they add up to failures; 0 is left out",
          "properties": {
            "transient": {"$ref": "#/$defs/count"},
            "persistent": {"$ref": "#/$defs/count"},
            "infrastructure": {"$ref": "#/$defs/count"},
            "user_denied": {"$ref": "#/$defs/count"},
            "unknown": {"$ref": "#/$defs/count"}
          }
        },
        "longest_failure_streak": {
          "$ref": "#/$defs/count",
          "description": "model responses in a row in which every call of the tool failed; denied calls are left out"
        }
      }
    },
    "rule_run": {
      "type": "object",
      "required": ["rule", "findings"],
      "properties": {
        "rule": {"type": "string", "description": "of the findings that are not listed"},
        "findings": {"$ref": "#/$defs/count"},
        "not_shown": {"$ref": "#/$defs/count", "description": "findings beyond --max-findings"}
      }
    },
    "not_shown": {
      "type": "object",
      "description": "findings of a rule in a session that are counted and not listed; 0 is left out",
      "required": ["rule"],
      "properties": {
        "rule": {"type": "string", "description": "of the rules that ran"},
        "error": {"$ref": "#/$defs/count"},
        "warning": {"$ref": "#/$defs/count"},
        "info": {"$ref": "#/$defs/count"}
      }
    },
    "peer_reaction": {
      "type": "object",
      "required": ["rule", "line", "event", "step", "lane"],
      "properties": {
        "rule": {"type": "string", "description": "which of the profile's rules, in a few words"},
        "line": {"$ref": "#/$defs/line"},
        "event": {"$ref": "#/$defs/count"},
        "step": {"$ref": "#/$defs/count", "description": "tool calls of the lane up to there"},
        "lane": {"$ref": "#/$defs/count", "description": "0 = the main conversation"}
      }
    },
    "peer": {
      "type": "object",
      "description": "what another agent's loop detector would have done (--as)",
      "required": ["profile", "verdict"],
      "properties": {
        "profile": {"type": "string", "description": "whose detectors these are"},
        "verdict": {"enum": ["right", "false_alarm", "missed", "silent_right"], "description": "by our findings"},
        "warned": {"$ref": "#/$defs/peer_reaction", "description": "the first one; absent: none"},
        "stopped": {"$ref": "#/$defs/peer_reaction", "description": "the first one; absent: none"}
      }
    },
    "peer_totals": {
      "type": "object",
      "required": ["profile", "sessions", "warned", "stopped", "right", "false_alarm", "missed", "silent_right"],
      "properties": {
        "profile": {"type": "string", "description": "whose detectors these are"},
        "sessions": {"$ref": "#/$defs/count"},
        "warned": {"$ref": "#/$defs/count"},
        "stopped": {"$ref": "#/$defs/count"},
        "right": {"$ref": "#/$defs/count"},
        "false_alarm": {"$ref": "#/$defs/count"},
        "missed": {"$ref": "#/$defs/count"},
        "silent_right": {"$ref": "#/$defs/count"}
      }
    },
    "skipped_rule": {
      "type": "object",
      "required": ["rule", "needs", "reason"],
      "properties": {
        "rule": {"type": "string", "description": "the rule that did not run"},
        "needs": {"type": "string", "description": "what is missing, comma separated: signals of the recording; price or window where a model is not known; limit where none is set"},
        "reason": {
          "enum": ["format", "session"],
          "description": "format: it never tells them; session: the format can, this session did not"
        },
        "sessions": {"$ref": "#/$defs/count", "description": "in a summary: how many sessions"}
      }
    },)json";

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
        "still_growing": {"const": true})json";

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
        "model": {"type": "string", "description": "the last one that answered"},
        "sub_agent": {"const": true},
        "housekeeping": {"const": true},
        "output_incomplete": {"const": true, "description": "fewer output tokens are recorded than what the model is shown to have written must have cost: output tokens and costs are too low"},
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
            "end_offset": {"$ref": "#/$defs/count"}
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
        "unpriced_requests": {"$ref": "#/$defs/count", "description": "of models without a known price, not in micro_dollars"})json";

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

std::string opening(std::string_view id, std::string_view title) {
    std::string out = "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"$id\": \"";
    return out.append(id).append("\",\n  \"title\": \"").append(title).append("\",\n");
}

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
    out.append(kDefs).append("\n").append(report::reset_schema()).append(",").append(line_fates());
    for (const Part& part : kParts) {
        out.append(",\n    \"").append(part.kind).append("\": ").append(object(part, with_kind));
    }
    return out.append("\n  }\n}\n");
}

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

constexpr SchemaSpec kSchemas[] = {
    {"result", "what --format json writes", result_schema},
    {"ndjson", "one line of what --format ndjson writes", ndjson_schema},
    {"discover", "what discover --format json writes", report::discover_schema},
    {"discover-ndjson", "one line of what discover --format ndjson writes", report::discover_line_schema},
    {"events", "one line of what convert --to events writes", report::events_schema},
    {"formats", "what formats --format json writes", report::formats_schema},
    {"doctor", "what doctor --format json writes", report::doctor_schema},
    {"diff", "what diff --format json writes", report::diff_schema},
    {"baseline", "the file that baseline create writes", report::baseline_schema},
    {"replay", "what replay --format json writes", report::replay_schema},
    {"replay-turns", "one line of what replay --turns writes", report::replay_turns_schema},
    {"policy-replay", "what replay --policy --format json writes", report::policy_replay_schema},
    {"policy-replay-ndjson", "one line of what replay --policy --format ndjson writes",
     report::policy_replay_line_schema},
    {"checkpoint", "what checkpoint write stores, one file each", report::checkpoint_schema},
    {"checkpoints", "what checkpoint list --format json writes", report::checkpoints_schema},
};

}  // namespace

std::span<const SchemaSpec> all_schemas() { return kSchemas; }

const SchemaSpec* find_schema(std::string_view name) {
    const auto* found = std::ranges::find(kSchemas, name, &SchemaSpec::name);
    return found == std::end(kSchemas) ? nullptr : found;
}

}  // namespace agent_audit
