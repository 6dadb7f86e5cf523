#include <agent_audit/simulator/openclaw_summary.hpp>

#include <agent_audit/tokens/lengths.hpp>

#include "simulator/js_text.hpp"
#include "simulator/openclaw/pairing.hpp"
#include "simulator/openclaw/result.hpp"
#include "tokens/wtf8.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

namespace agent_audit::simulator::openclaw {
namespace {

constexpr std::size_t kMaxFailures = 8, kFailureChars = 240, kListChars = 900, kTurnChars = 600, kRequestChars = 800,
                      kSectionChars = kMaxSummaryChars / 2;
constexpr std::string_view kBodyCut = "\n\n[Compaction summary truncated to fit budget]";
constexpr std::string_view kSuffixCut = "\n\n[Earlier compaction context truncated to fit budget]\n\n";
constexpr std::string_view kTurnsHeading = "\n\n## Recent turns preserved verbatim\n";
constexpr std::string_view kTurnsCut = "[Earlier preserved messages truncated]\n";
constexpr std::string_view kRequestCut = "\n[... latest user request truncated ...]\n";

std::size_t units(std::string_view text) { return utf16_length(text); }

/// replace(/\s+/g, " ").trim()
std::string in_one_line(std::string_view text) {
    std::string out;
    bool gap = false;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view one = text.substr(at, tokens::decode_wtf8(text, at).length);
        at += one.size();
        if (js_trim(one).empty()) {
            gap = !out.empty();
            continue;
        }
        if (gap) out += ' ';
        gap = false;
        out += one;
    }
    return out;
}

/// The texts of a message, each on a line of its own; null for what says nothing.
template <class WordsOf>
std::string joined(const Msg& message, WordsOf&& words_of) {
    std::string out;
    bool first = true;
    for (const Block& block : message.blocks) {
        const std::optional<std::string> words = words_of(block);
        if (!words) continue;
        if (!first) out += '\n';
        first = false;
        out += *words;
    }
    return out;
}

std::optional<std::string> unless_empty(std::string words) {
    return words.empty() ? std::nullopt : std::optional(std::move(words));
}

/// What a failure said. A content that is no list of blocks is not looked at.
std::string failure_words(const Msg& message) {
    if (message.shape != ContentShape::blocks) return {};
    return joined(message, [](const Block& block) -> std::optional<std::string> {
        if (block.kind != BlockKind::text) return std::nullopt;
        return block.text.copy();
    });
}

/// What a message says, trimmed: whatever stands in a block's "text".
std::string spoken_words(const Msg& message) {
    return joined(message, [](const Block& block) {
        if (block.kind == BlockKind::text) return unless_empty(std::string(js_trim(block.text.copy())));
        const auto* words = block.json ? (*block.json)["text"].string() : nullptr;
        return unless_empty(words ? std::string(js_trim(*words)) : std::string());
    });
}

/// What the summariser would be shown of it.
std::string shown_words(const Msg& message) {
    return joined(message, [](const Block& block) {
        return unless_empty(block.kind == BlockKind::text ? block.text.copy()
                            : nested_result(block)        ? nested_text(block)
                                                          : std::string());
    });
}

std::string meta_of(const Msg& message) {
    if (!message.json) return {};
    const JsValue& details = (*message.json)["details"];
    std::string out;
    if (const auto* status = details["status"].string(); status && !status->empty()) out = "status=" + *status;
    if (const auto* code = details["exitCode"].number(); code && std::isfinite(*code)) {
        out += (out.empty() ? "exitCode=" : " exitCode=") + js_number(*code);
    }
    return out;
}

/// The call a failure belongs to; the other names under which a result may have its call are not looked at.
std::string failed_call(const Msg& message) {
    if (!message.json || message.claimed) return message.call_id;
    const auto* id = (*message.json)["toolCallId"].string();
    return id ? *id : std::string();
}

std::string tool_of(const Msg& message) { return js_trim(message.tool_name).empty() ? "tool" : message.tool_name; }

// --- lists of files -------------------------------------------------------------------------------------------------

std::string bounded_list(std::string_view tag, const std::vector<std::string>& files) {
    const std::string open = "<" + std::string(tag) + ">\n", close = "\n</" + std::string(tag) + ">";
    std::string lines;
    std::size_t used = open.size() + close.size();
    const auto more = [&](std::size_t count) { return "...and " + std::to_string(count) + " more\n"; };
    for (std::size_t i = 0; i < files.size(); ++i) {
        const std::size_t rest = files.size() - i - 1, line = units(files[i]) + 1;
        if (used + line + (rest > 0 ? more(rest).size() : 0) > kListChars) {
            if (used + more(files.size() - i).size() <= kListChars) lines += more(files.size() - i);
            break;
        }
        lines += files[i] + "\n";
        used += line;
    }
    while (!lines.empty() && lines.back() == '\n') lines.pop_back();
    return lines.empty() ? std::string() : open + lines + close;
}

std::string whole_list(std::string_view tag, const std::vector<std::string>& files) {
    std::string out;
    for (const std::string& file : files) out += (out.empty() ? "" : "\n") + file;
    return files.empty() ? out : "<" + std::string(tag) + ">\n" + out + "\n</" + std::string(tag) + ">";
}

// --- recent turns ---------------------------------------------------------------------------------------------------

/// "[non-text content: toolCall x2, image]" for what a text cannot show.
std::string other_content(const Msg& message) {
    if (message.shape == ContentShape::odd) return "[non-text content]";
    std::vector<std::pair<std::string, int>> kinds;
    for (const Block& block : message.blocks) {
        if (block.kind == BlockKind::text) continue;
        const auto* type = block.json ? (*block.json)["type"].string() : nullptr;
        const std::string name = type && !js_trim(*type).empty() ? *type : "unknown";
        const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const auto& one) { return one.first == name; });
        if (found == kinds.end()) {
            kinds.emplace_back(name, 1);
        } else {
            ++found->second;
        }
    }
    std::string out;
    for (const auto& [name, count] : kinds) {
        out += (out.empty() ? "" : ", ") + name + (count > 1 ? " x" + std::to_string(count) : "");
    }
    return out.empty() ? out : "[non-text content: " + out + "]";
}

std::string line_of(const Msg& message) {
    std::string label;
    if (message.role == Role::assistant) label = "Assistant";
    if (message.role == Role::user) label = "User";
    if (message.role == Role::tool_result) label = "Tool result (" + tool_of(message) + ")";
    std::string words = spoken_words(message);
    const std::string other = other_content(message);
    if (!other.empty()) words += (words.empty() ? "" : "\n") + other;
    if (label.empty() || words.empty()) return {};
    if (units(words) > kTurnChars) words = std::string(head_safe(words, kTurnChars)) + "...";
    return "- " + label + ": " + words;
}

/// Messages of the last turns. Where there are fewer turns, all that the person wrote, and the newest answers.
View last_turns(const View& view, std::size_t turns) {
    std::vector<std::size_t> talk, users;
    for (std::size_t i = 0; i < view.size(); ++i) {
        if (!view[i] || (view[i]->role != Role::user && view[i]->role != Role::assistant)) continue;
        talk.push_back(i);
        if (view[i]->role == Role::user) users.push_back(i);
    }
    std::vector<bool> kept(view.size());
    std::size_t count = 0;
    const auto keep = [&](std::size_t i) { count += !kept[i], kept[i] = true; };
    if (turns > 0 && users.size() >= turns) {
        for (const std::size_t i : talk) {
            if (i >= users[users.size() - turns]) keep(i);
        }
    } else if (turns > 0) {
        for (const std::size_t i : users) keep(i);
        for (std::size_t k = talk.size(); k-- > 0;) {
            keep(talk[k]);
            if (count >= turns * 2) break;
        }
    }
    // Results stand where they stand, before their calls or behind them, but not before the first that is kept.
    const auto first = static_cast<std::size_t>(std::find(kept.begin(), kept.end(), true) - kept.begin());
    std::unordered_set<std::string> ids;
    for (std::size_t i = first; i < view.size(); ++i) {
        if (!kept[i] || view[i]->role != Role::assistant) continue;
        for (const Block* call : calls_of(*view[i])) ids.insert(call->id);
    }
    View out;
    for (std::size_t i = first; i < view.size(); ++i) {
        if (!view[i]) continue;
        const bool result = view[i]->role == Role::tool_result && ids.contains(result_id(*view[i]));
        if (kept[i] || result) out.push_back(view[i]);
    }
    return out;
}

struct Section {
    std::string text;
    std::vector<std::size_t> starts;  ///< of its pieces, in units
};

/// An answer and the results of its calls, in the order of the calls, are one piece.
std::vector<std::string> pieces_of(const View& view) {
    std::vector<std::string> pieces;
    const std::vector<Answered> answered = answered_calls(view);
    auto frame = answered.begin();
    for (std::size_t i = 0; i < view.size(); ++i) {
        if (view[i]->role == Role::tool_result) continue;
        std::string piece = line_of(*view[i]);
        if (frame != answered.end() && frame->message == i) {
            for (const MsgPtr& result : (frame++)->results) {
                const std::string line = line_of(*result);
                if (!line.empty()) piece += (piece.empty() ? "" : "\n") + line;
            }
        }
        if (!piece.empty()) pieces.push_back(std::move(piece));
    }
    return pieces;
}

/// The oldest pieces give way.
Section turns_section(const View& view, std::size_t turns) {
    const std::vector<std::string> pieces = pieces_of(last_turns(view, turns));
    Section out;
    if (pieces.empty()) return out;
    std::size_t all = units(kTurnsHeading) + pieces.size() - 1, first = 0;
    for (const std::string& piece : pieces) all += units(piece);
    out.text = kTurnsHeading;
    if (all > kSectionChars) {
        out.text += kTurnsCut;
        std::size_t used = units(out.text);
        first = pieces.size();
        while (first > 0) {
            const std::size_t size = units(pieces[first - 1]) + (first < pieces.size() ? 1 : 0);
            if (used + size > kSectionChars) break;
            used += size;
            --first;
        }
    }
    for (std::size_t i = first; i < pieces.size(); ++i) {
        if (i > first) out.text += '\n';
        out.starts.push_back(units(out.text));
        out.text += pieces[i];
    }
    return out;
}

// --- the budget -----------------------------------------------------------------------------------------------------

std::string cap_body(std::string_view body, std::size_t most) {
    if (units(body) <= most) return std::string(body);
    if (most < kBodyCut.size()) return std::string(head_safe(body, most));
    return std::string(head_safe(body, most - kBodyCut.size())) + std::string(kBodyCut);
}

/// The end of what is appended; a cut inside the turns moves on to their next piece.
std::string cap_suffix(const std::string& suffix, const Section& turns, std::size_t most) {
    const std::size_t all = units(suffix);
    if (all <= most) return suffix;
    if (most == 0) return {};
    const bool marked = most >= kSuffixCut.size();
    const std::size_t tail = marked ? most - kSuffixCut.size() : most;
    std::size_t start = all - tail;
    const std::size_t turns_end = units(turns.text);
    if (start > 0 && start < turns_end) {
        const auto next = std::lower_bound(turns.starts.begin(), turns.starts.end(), start);
        start = next == turns.starts.end() ? turns_end : *next;
    }
    return (marked ? std::string(kSuffixCut) : std::string()) + std::string(tail_safe(suffix, all - start));
}

}  // namespace

std::vector<ToolFailure> tool_failures(const View& view, Release release) {
    std::vector<ToolFailure> out;
    std::unordered_set<std::string> seen;
    for (const MsgPtr& message : view) {
        if (!message || message->role != Role::tool_result || !message->is_error) continue;
        std::string call = failed_call(*message);
        if (call.empty() || !seen.insert(call).second) continue;
        ToolFailure failure{std::move(call), tool_of(*message), meta_of(*message),
                            in_one_line(failure_words(*message))};
        if (failure.summary.empty()) failure.summary = failure.meta.empty() ? "failed (no output)" : "failed";
        if (units(failure.summary) > kFailureChars) {
            const bool safe = release == Release::y2026_9;  // 2026.3 cuts through the two halves of a character
            failure.summary = (safe ? std::string(head_safe(failure.summary, kFailureChars - 3))
                                    : head_raw(failure.summary, kFailureChars - 3)) +
                              "...";
        }
        out.push_back(std::move(failure));
    }
    return out;
}

std::string failures_section(const std::vector<ToolFailure>& failures) {
    if (failures.empty()) return {};
    std::string out = "\n\n## Tool Failures";
    for (std::size_t i = 0; i < std::min(failures.size(), kMaxFailures); ++i) {
        const ToolFailure& one = failures[i];
        out += "\n- " + one.tool + (one.meta.empty() ? "" : " (" + one.meta + ")") + ": " + one.summary;
    }
    if (failures.size() > kMaxFailures) out += "\n- ...and " + std::to_string(failures.size() - kMaxFailures) + " more";
    return out;
}

std::string files_section(const pi::FileLists& files, Release release) {
    const auto list = release == Release::y2026_3 ? whole_list : bounded_list;
    std::string out;
    for (const std::string& section : {list("read-files", files.read), list("modified-files", files.modified)}) {
        if (!section.empty()) out += "\n\n" + section;
    }
    return out;
}

std::string recent_turns_section(const View& view, std::size_t turns) { return turns_section(view, turns).text; }

std::optional<std::string> latest_request(const View& view) {
    for (std::size_t i = view.size(); i-- > 0;) {
        if (!view[i] || view[i]->role != Role::user) continue;
        const std::string all = shown_words(*view[i]);
        const std::string_view words = js_trim(all);
        if (words.empty()) continue;
        if (units(words) <= kRequestChars) return std::string(words);
        const std::size_t room = kRequestChars - units(kRequestCut), head = room / 2;
        return std::string(head_safe(words, head)) + std::string(kRequestCut) +
               std::string(tail_safe(words, room - head));
    }
    return std::nullopt;
}

std::string assemble_summary(std::string_view written, const View& summarised, const View& turn_prefix,
                             const pi::FileLists& files, Release release) {
    View all = summarised;
    all.insert(all.end(), turn_prefix.begin(), turn_prefix.end());
    const std::string failures = failures_section(tool_failures(all, release)), lists = files_section(files, release);
    if (release == Release::y2026_3) return std::string(written) + failures + lists;
    const Section turns = turns_section(summarised, 3);
    const std::string suffix = turns.text + failures + lists;
    const std::size_t body = units(written), after = units(suffix);
    if (body + after <= kMaxSummaryChars) return std::string(written) + suffix;
    const std::size_t least = std::min(body, kMaxSummaryChars / 2);
    const std::size_t slot = std::min(body, std::max(least, kMaxSummaryChars - std::min(after, kMaxSummaryChars)));
    const std::string capped = cap_body(written, slot);
    return capped + cap_suffix(suffix, turns, kMaxSummaryChars - units(capped));
}

// --- when the model fails -------------------------------------------------------------------------------------------

namespace {

struct Chunked {
    std::optional<std::string> summary, partial;
};

/// What a summariser may see: 2026.9 keeps its own notes for one request from it.
View shown(View view, Release release) {
    if (release == Release::y2026_9) {
        std::erase_if(view, [](const MsgPtr& message) { return message && message->runtime_context; });
    }
    return view;
}

/// One call after the other, each with the summary so far.
Chunked in_chunks(const View& all, const Summariser& ask, const FallbackOptions& options, Release release) {
    const View view = shown(all, release);
    const std::vector<Range> chunks = chunk_by_tokens(view, options.max_chunk_tokens, release);
    std::optional<std::string> summary = options.previous;
    for (std::size_t c = 0; c < chunks.size(); ++c) {
        const View chunk(view.begin() + static_cast<std::ptrdiff_t>(chunks[c].begin),
                         view.begin() + static_cast<std::ptrdiff_t>(chunks[c].end));
        std::optional<std::string> next;
        for (int i = 0; i < options.tries && !next; ++i) next = ask(chunk, summary);
        if (next) {
            summary = std::move(next);
            continue;
        }
        Chunked out;
        if (c == 0 || !summary) return out;
        const std::string of = std::to_string(chunks.size());
        out.partial = *summary + "\n\n[Partial summary: chunks 1-" + std::to_string(c) + " of " + of +
                      " were summarized. Chunks " + std::to_string(c + 1) + "-" + of + " could not be processed.]";
        return out;
    }
    return {summary, std::nullopt};
}

}  // namespace

std::optional<std::string> summarise_with_fallback(const View& view, const Summariser& ask,
                                                   const FallbackOptions& options, Release release) {
    if (view.empty()) return options.previous.value_or("No prior history.");
    Chunked all = in_chunks(view, ask, options, release);
    if (all.summary) return all.summary;
    const Oversized left = leave_out_oversized(view, options.window_tokens, release);
    std::string notes;
    for (const std::string& note : left.notes) notes += (notes.empty() ? "\n\n" : "\n") + note;
    std::optional<std::string> partial = std::move(all.partial);
    const bool fewer = release == Release::y2026_3 || left.kept.size() != view.size();
    if (!left.kept.empty() && fewer) {
        View small;
        for (const std::size_t index : left.kept) small.push_back(view[index]);
        const Chunked again = in_chunks(small, ask, options, release);
        if (again.summary) return *again.summary + notes;
        if (again.partial) partial = *again.partial + notes;
    }
    if (release == Release::y2026_9) return partial;
    return "Context contained " + std::to_string(view.size()) + " messages (" + std::to_string(left.notes.size()) +
           " oversized). Summary unavailable due to size limits.";
}

}  // namespace agent_audit::simulator::openclaw
