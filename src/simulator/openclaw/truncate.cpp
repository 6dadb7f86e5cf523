#include <agent_audit/simulator/openclaw.hpp>

#include "simulator/js_text.hpp"
#include "simulator/openclaw/reword.hpp"
#include "simulator/openclaw/spilled.hpp"
#include "simulator/weight.hpp"

#include <agent_audit/tokens/lengths.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace agent_audit::simulator::openclaw {
namespace {

constexpr std::string_view kMiddleOmitted = "\n\n⚠️ [... middle content omitted — showing head and tail ...]\n\n";
constexpr std::size_t kTailLooked = 2'000;

double weight(std::string_view words) { return static_cast<double>(weigh(words)); }
std::uint64_t floor_budget(double chars) { return whole(chars); }
std::uint64_t at_least_one(std::uint64_t cut) { return std::max<std::uint64_t>(1, cut); }

constexpr bool word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool has_word(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !word_char(text[at - 1])) && (end == text.size() || !word_char(text[end]))) return true;
    }
    return false;
}

/// Whether the end of an output says how it went.
bool tells_outcome(std::string_view text) {
    static constexpr std::array kWords{"error",   "exception",   "failed",   "fatal",     "traceback",
                                       "panic",   "stack trace", "errno",    "exit code", "total",
                                       "summary", "result",      "complete", "finished",  "done"};
    const std::string tail = js_lower(js_trim(tail_safe(text, kTailLooked)));
    return tail.ends_with('}') ||
           std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) { return has_word(tail, word); });
}

/// Drops what follows the last newline when little is lost by it.
Weighed end_at_line(const Weighed& head) {
    const std::size_t newline = head.words.rfind('\n');
    if (newline == head.words.npos) return head;
    const Weighed line = head.first(newline);
    return static_cast<double>(line.units) > static_cast<double>(head.units) * 0.8 ? line : head;
}

/// Drops what stands before the first newline when little is lost by it.
Weighed begin_at_line(const Weighed& tail) {
    const std::size_t newline = tail.words.find('\n');
    if (newline == tail.words.npos) return tail;
    const Weighed lines = tail.behind(newline + 1);
    const std::uint64_t lost = tail.units - lines.units - 1;  // besides the newline
    return static_cast<double>(lost) < static_cast<double>(tail.units) * 0.2 ? lines : tail;
}

/// Whether text before may be counted without what follows it: no half of a character begins that.
bool begins_anew(std::string_view text) {
    constexpr unsigned char kSurrogates = 0xED;
    if (text.empty()) return true;
    const auto first = static_cast<unsigned char>(text.front());
    return (first & 0xC0) != 0x80 && first != kSurrogates;
}

/// `kept` and a notice of how much is gone, within `max_chars` together.
std::string with_notice(Weighed kept, std::uint64_t all, double max_chars, const TruncateOptions& options) {
    for (;;) {
        const std::string suffix = options.words(all > kept.units ? all - kept.units : 1);
        const double notice = weight(suffix), room = max_chars - notice;
        if (room <= 0) return std::string(weighted_head(options.words(at_least_one(all)), floor_budget(max_chars)));
        const Weighed next = kept.front(floor_budget(room));
        std::string whole(next.words);
        append_wtf8(whole, suffix);
        const double together = begins_anew(suffix) ? static_cast<double>(next.weight) + notice : weight(whole);
        if (next.units == kept.units && together <= max_chars) return whole;
        if (next.units == 0 && kept.units == 0) return std::string(weighted_head(whole, floor_budget(max_chars)));
        kept = next;
    }
}

double effective_min_keep(double min_keep, double max_chars, const TruncateOptions& options) {
    const double floor = weight(options.words(1));
    return std::max(0.0, std::min(min_keep, std::max(0.0, max_chars - floor)));
}

}  // namespace

std::string default_suffix(std::uint64_t cut) {
    return "[... " + std::to_string(at_least_one(cut)) +
           " more characters truncated; rerun with narrower args if needed]";
}

double result_limit(double window_tokens) {
    double cap = 16'000;
    if (std::isfinite(window_tokens)) {
        const double tokens = std::floor(window_tokens);
        cap = tokens >= 200'000 ? 64'000 : tokens >= 100'000 ? 32'000 : 16'000;
    }
    return std::min(std::floor(window_tokens * 0.3) * 4, cap);
}

double aggregate_limit(double window_tokens, double per_result) {
    const double window = std::isfinite(window_tokens) ? std::max(1.0, std::floor(window_tokens)) : 1;
    return std::max(std::max(1.0, std::floor(per_result)) * 4, std::floor(window * 4 * 0.5));
}

std::string truncate_text(const Text& text, double max_chars, const TruncateOptions& options) {
    const double min_keep = effective_min_keep(options.min_keep, max_chars, options);
    if (static_cast<double>(text.units()) <= max_chars && static_cast<double>(text.weighted()) <= max_chars) {
        return text.copy();
    }
    std::string scratch;
    const std::string_view words = text.read(scratch);
    const std::uint64_t all = text.units();
    const std::uint64_t fits = weighted_front(words, floor_budget(max_chars)).units;
    const double budget = std::max(min_keep, max_chars - weight(options.words(at_least_one(all - fits))));

    if (budget > min_keep * 2 && tells_outcome(words)) {
        const double tail_budget = std::min(std::floor(budget * 0.3), 4'000.0);
        const double head_budget = budget - tail_budget - weight(kMiddleOmitted);
        if (head_budget > min_keep) {
            const Weighed head = end_at_line(weighted_front(words, floor_budget(head_budget)));
            const Weighed tail = begin_at_line(weighted_end(words, floor_budget(tail_budget)));
            if (head.units + tail.units < all) {
                std::string kept(head.words);
                kept += kMiddleOmitted;
                kept += tail.words;
                const Weighed middle = weighed(kMiddleOmitted);
                return with_notice(
                    {kept, head.units + middle.units + tail.units, head.weight + middle.weight + tail.weight}, all,
                    max_chars, options);
            }
        }
    }
    return with_notice(end_at_line(weighted_front(words, floor_budget(budget))), all, max_chars, options);
}

MsgPtr truncate_result(const MsgPtr& message, double max_chars, const TruncateOptions& options) {
    if (!message || message->shape != ContentShape::blocks) return message;
    const double min_keep = effective_min_keep(options.min_keep, max_chars, options);

    // Small blocks stay whole when that leaves room for the notices of the large ones; what is left is shared out by
    // size.
    double total = 0, small_chars = 0, small_notices = 0, notices = 0;
    const auto notice = [&](const Block& block) { return weight(options.words(at_least_one(block.text.units()))); };
    const auto small = [&](const Block& block) { return static_cast<double>(block.text.weighted()) <= min_keep; };
    for (const Block& block : message->blocks) {
        if (!is_result_text(block) || block.text.empty()) continue;
        const double chars = static_cast<double>(block.text.weighted());
        total += chars;
        notices += notice(block);
        if (small(block)) {
            small_chars += chars;
            small_notices += notice(block);
        }
    }
    if (total <= max_chars) return message;
    const bool keep_small = small_chars + (notices - small_notices) <= max_chars;
    const double preserved = keep_small ? small_chars : 0;
    const double remaining = std::max(0.0, max_chars - preserved);
    const double reducible = total - preserved;
    const double reducible_notices = keep_small ? notices - small_notices : notices;
    const double scale = reducible_notices > 0 ? std::min(1.0, remaining / reducible_notices) : 0;
    const double shared = std::max(0.0, remaining - reducible_notices);

    std::vector<Block> blocks = message->blocks;
    for (Block& block : blocks) {
        if (!is_result_text(block)) continue;
        const double chars = static_cast<double>(block.text.weighted());
        const bool whole = keep_small && !block.text.empty() && small(block);
        const double share = reducible > 0 ? chars / reducible : 0;
        const double own_notice = block.text.empty() ? 0 : notice(block) * scale;
        TruncateOptions own = options;
        own.min_keep = whole ? chars : std::floor(min_keep * share);
        block = reword(block, truncate_text(block.text, whole ? chars : std::floor(own_notice + shared * share), own));
    }
    return with_blocks(*message, std::move(blocks));
}

}  // namespace agent_audit::simulator::openclaw
