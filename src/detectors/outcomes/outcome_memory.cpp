#include "detectors/outcomes/outcome_memory.hpp"

#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/check_lines.hpp"
#include "detectors/outcomes/made_names.hpp"
#include "detectors/outcomes/outcome.hpp"
#include "detectors/outcomes/outcome_words.hpp"
#include "detectors/outcomes/reply_fields.hpp"
#include "detectors/outcomes/retry_names.hpp"
#include "detectors/outcomes/run_names.hpp"
#include "detectors/words/opaque_ids.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kSlots = 4096;
constexpr std::uint64_t kFailedSeed = 0x6661696c6564ULL;

// "[took 0.4s at 2026-05-04T09:00:00Z]" in a last line of its own is what a runner says of the call, and no part of
// what was read.
std::string_view without_footer(std::string_view text) {
    constexpr std::size_t kLongest = 160;  // bytes
    constexpr std::string_view kTimed[] = {"took ", "elapsed", "duration", "finished in ", "completed in "};
    const std::string_view rest = without_line_ends(text);
    if (!rest.ends_with(']')) return rest.ends_with('>') ? without_reminder(text) : text;
    const std::string_view end = rest.substr(rest.size() - std::min(rest.size(), kLongest));
    const std::size_t open = end.rfind('[');
    if (open == end.npos || open == 0) return text;
    const std::string_view said = end.substr(open);
    std::string_view before = rest.substr(0, rest.size() - said.size());
    if (!before.ends_with('\n') && !before.ends_with("\\n")) return text;
    if (std::ranges::none_of(kTimed, [said](std::string_view word) { return said.find(word) != said.npos; }))
        return text;
    before.remove_suffix(before.ends_with('\n') ? 1 : 2);
    return before;
}

// Without volatile parts.
std::uint64_t clean_name(RawText text, bool failed) {
    const std::string rest = without_run_down(text.bytes);
    if (!rest.empty()) text.bytes = rest;
    return digest_outcome(text, failed).hash | 1;
}

}  // namespace

OutcomeMemory::First* OutcomeMemory::find(std::uint64_t call) {
    // A linear walk over hashes that lie 40 bytes apart would be felt; the hint table makes a miss one load.
    if (slots_.empty() || slots_[call >> 8 & (kSlots - 1)] == 0) return nullptr;
    for (First& first : calls_) {
        if (first.call == call) return &first;
    }
    return nullptr;
}

// Part of name(), which every step goes through: a call of its own would be felt.
[[gnu::always_inline]] inline void OutcomeMemory::remember(const First& first, std::string_view text) {
    if (slots_.empty()) slots_.resize(kSlots);
    First* slot = nullptr;
    if (calls_.size() < kCalls) {
        slot = &calls_.emplace_back();
    } else {
        slot = &calls_[next_ % kCalls];
        --slots_[slot->call >> 8 & (kSlots - 1)];
    }
    ++next_;
    *slot = first;
    ++slots_[first.call >> 8 & (kSlots - 1)];
    if (first.clean != 0) return;  // a long text: looked at already
    // Texts lie in one piece: at the end of the ring the rest is left unused.
    if (room_ < text_bytes_) texts_.reset(new char[room_ = text_bytes_]);
    std::size_t at = static_cast<std::size_t>(text_end_ % text_bytes_);
    if (at + text.size() > text_bytes_) {
        text_end_ += text_bytes_ - at;
        at = 0;
    }
    if (!text.empty()) std::memcpy(texts_.get() + at, text.data(), text.size());
    slot->text_at = text_end_;
    slot->text_size = static_cast<std::uint32_t>(text.size());
    text_end_ += text.size();
}

void OutcomeMemory::clear() {
    // Few calls, many slots: undoing what was set is cheaper than filling the table.
    for (const First& first : calls_) slots_[first.call >> 8 & (kSlots - 1)] = 0;
    calls_.clear();
    next_ = 0;
    asked_.fill({});
    next_asked_ = 0;
    text_end_ = 0;
}

void OutcomeMemory::restart(std::size_t text_bytes) {
    clear();
    text_bytes_ = text_bytes;
}

std::string_view OutcomeMemory::text_of(const First& first) const {
    const bool kept = first.text_size > 0 && text_end_ - first.text_at <= text_bytes_;
    return kept ? std::string_view(texts_.get() + first.text_at % text_bytes_, first.text_size) : std::string_view{};
}

std::uint64_t OutcomeMemory::clean_of_first(First& first, TextForm form) {
    const bool kept = first.clean == 0 && text_end_ - first.text_at <= text_bytes_;
    if (kept) first.clean = clean_name({without_reminder(text_of(first)), form}, first.failed);
    return first.clean;
}

std::uint64_t OutcomeMemory::name(std::uint64_t call, RawText text, bool failed, bool verbatim) {
    text.bytes = without_cell_number(text.bytes);
    const std::uint64_t bytes = stable_hash(text.bytes, failed ? kFailedSeed : 0);
    if (verbatim && !failed) {
        const std::string_view read = without_footer(text.bytes);
        return read.size() == text.size() ? bytes : stable_hash(read);
    }
    First* known = find(call);
    if (!known) {
        First first;
        first.call = call;
        first.bytes = bytes;
        first.failed = failed;
        if (text.size() > kLongestText)
            first.clean = digest_outcome({without_reminder(text.bytes), text.form}, failed).hash | 1;
        remember(first, text.bytes);
        return bytes;
    }
    if (known->bytes == bytes) return known->bytes;
    // Looked for only where two answers differ: most do not.
    text.bytes = without_reminder(text.bytes);
    // Figures that were asked for, and another thing to which something was done, are answers.
    const std::string_view first = without_reminder(text_of(*known));
    const bool kept = !first.empty() && known->failed == failed;
    if (kept && (differs_in_measure(first, text.bytes) || (!failed && differs_in_deed(first, text.bytes))))
        return bytes;
    const std::uint64_t clean = clean_name(text, failed);
    const bool same = clean == clean_of_first(*known, text.form) ||
                      (kept && (failed || says_refusal(text.bytes)) && same_but_ids(first, text.bytes)) ||
                      (kept && same_but_stash(first, text.bytes)) ||
                      (kept && same_but_reply_fields(first, text.bytes)) ||
                      (kept && same_but_run_names(first, text.bytes));
    return same ? known->bytes : clean;
}

std::uint64_t OutcomeMemory::name_of_made(std::uint64_t call, RawText text) {
    const First* known = find(call);
    if (!known || known->failed) return 0;
    const std::string_view first = text_of(*known);
    return !first.empty() && same_but_made_names(first, text.bytes) ? known->bytes : 0;
}

std::uint64_t OutcomeMemory::name_of_passed(std::uint64_t call, RawText text, std::uint64_t name) {
    const First* known = find(call);
    if (!known || known->failed || known->bytes == name) return name;
    const std::string_view first = text_of(*known);
    if (first.empty() || differs_in_measure(first, text.bytes)) return name;
    return same_in_any_order({first, text.form}, text, Rerun::passed) ? known->bytes : name;
}

std::uint64_t OutcomeMemory::name_of_like(std::uint64_t tool, std::uint64_t call, RawText text, std::uint64_t name) {
    std::string said;
    for (Asked& asked : asked_) {
        if (asked.tool != tool || asked.call == call || asked.at >= calls_.size()) continue;
        const First& known = calls_[asked.at];
        if (known.call != asked.call || known.bytes != asked.answer || known.failed) continue;
        if (known.bytes == name) return name;
        const std::string_view first = text_of(known);
        if (first.empty() || !are_near_in_size(first, text.bytes)) continue;
        if (said.empty()) said = settled(text.bytes);
        if (asked.settled.empty()) asked.settled = settled(first);
        if (!same_but_moment(asked.settled, said) && !(says_refusal(text.bytes) && same_but_ids(first, text.bytes)))
            continue;
        if (!differs_in_measure(first, text.bytes) && !differs_in_deed(first, text.bytes)) return known.bytes;
    }
    // The call that was remembered last is this one when it is made for the first time.
    const std::size_t at = (next_ + kCalls - 1) % kCalls;
    if (at < calls_.size() && calls_[at].call == call && calls_[at].bytes == name)
        asked_[next_asked_++ % asked_.size()] = {tool, call, name, at, std::move(said)};
    return name;
}

bool OutcomeMemory::is_page_of(std::uint64_t call, RawText text) {
    const First* known = find(call);
    if (!known || known->failed) return false;
    const std::string_view first = text_of(*known);
    return !first.empty() && same_but_page_fields(first, text.bytes);
}

}  // namespace agent_audit::detectors
