#pragma once

#include <string_view>

/// Texts of the $defs that the schemas of results share, each with a comma at its end; only result_schemas.cpp puts
/// them together.
namespace agent_audit::report::result_defs {

/// Scalars, and the tokens of sessions, models and lanes.
inline constexpr std::string_view kTokenDefs = R"json(
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
        "copied_requests": {"$ref": "#/$defs/count", "description": "seen here, counted in another session that has them too: the one in the largest file"},
        "micro_dollars": {"$ref": "#/$defs/count", "description": "by list price; absent: no request has a known price"},
        "unpriced_requests": {"$ref": "#/$defs/count", "description": "of models without a known price, or of which the prompt is not recorded: not in micro_dollars"},
        "cost_parts": {"$ref": "#/$defs/cost_parts", "description": "what micro_dollars was paid for; absent where that is"},
        "cost_microusd": {"$ref": "#/$defs/count", "description": "as recorded by the producer"},
        "peak_context": {"$ref": "#/$defs/count", "description": "largest prompt of one request of the main conversation; context.lanes has those of sub-agents"},
        "peak_context_line": {"$ref": "#/$defs/line"},
        "window": {"$ref": "#/$defs/count"},
        "by_model": {"type": "array", "items": {"$ref": "#/$defs/model_tokens"}},
        "by_lane": {"type": "array", "items": {"$ref": "#/$defs/lane_tokens"}},
        "top_turns": {"type": "array", "items": {"$ref": "#/$defs/turn_tokens"}, "description": "at most five; those with the most tokens unless turns_by_cost"},
        "turns_by_cost": {"type": "boolean", "description": "top_turns are the dearest, by list price; absent: not all turns could be priced"}
      }
    },
    "cost_parts": {
      "type": "object",
      "description": "micro-dollars by list price, rounded one by one: their sum may differ from the total by two",
      "required": ["input", "cache_write", "cache_read", "output"],
      "properties": {
        "input": {"$ref": "#/$defs/count"},
        "cache_write": {"$ref": "#/$defs/count"},
        "cache_read": {"$ref": "#/$defs/count"},
        "output": {"$ref": "#/$defs/count", "description": "reasoning included"}
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
    },)json";

/// How a session used the windows of its conversations.
inline constexpr std::string_view kContextDefs = R"json(
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
    },)json";

/// What the session was for, what was done, and how far that lay from each other.
inline constexpr std::string_view kMeaningDefs = R"json(
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
    },)json";

/// One conversation: its window, who filled it, its dearest turns.
inline constexpr std::string_view kLaneDefs = R"json(
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
    },)json";

/// What was counted, which rules ran, what other agents would have done.
inline constexpr std::string_view kRunDefs = R"json(
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

inline constexpr std::string_view kAll[] = {kTokenDefs, kContextDefs, kMeaningDefs, kLaneDefs, kRunDefs};

}  // namespace agent_audit::report::result_defs
