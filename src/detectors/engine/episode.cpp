#include "detectors/engine/episodes.hpp"

#include "detectors/commands/failed_deeds.hpp"

#include <agent_audit/support/unescape.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kWords = 100;
constexpr double kDoubtful = 0.6;  // less than any policy wants before it stops a run

std::string decode(RawText text) {
    std::string out = text.form == TextForm::plain ? std::string(cut_utf8(text.bytes, text.bytes.size()))
                                                   : decode_json_string(without_torn_escape(text.bytes));
    // Copies are cut at a byte count: drop a torn last code point.
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0) == 0x80) out.pop_back();
    if (!out.empty() && static_cast<unsigned char>(out.back()) >= 0xC0) out.pop_back();
    return out;
}

std::string one_line(std::string_view text, std::size_t max) {
    const auto is_blank = [](char c) { return c == '\n' || c == '\r' || c == '\t' || c == ' '; };
    std::string out;
    for (auto at = text.begin(); out.size() <= max;) {
        const auto word = std::find_if_not(at, text.end(), is_blank);
        if (word == text.end()) break;
        at = std::find_if(word, text.end(), is_blank);
        if (!out.empty()) out += ' ';
        out.append(word, at);
    }
    if (out.size() > max) out = std::string(cut_utf8(out, max)) + "…";
    return out;
}

// A torn multi-byte sequence at the end of a raw copy is dropped only when it is torn.
std::string decode_copy(RawText text, std::size_t capacity) {
    if (text.bytes.size() < capacity) {
        return text.form == TextForm::plain ? std::string(text.bytes) : decode_json_string(text.bytes);
    }
    return decode(text);
}

// Our own hook, whose words begin so, refuses what goes in circles: to allow it would be no help. Claude Code puts the
// command of the hook in front of them.
bool refused_by_us(const Step& step) {
    const std::string words = outcome_words(step);
    return words.find("[agent-audit ") != words.npos || words.find("agent-audit hook ") != words.npos;
}

}  // namespace

FindingCall call_words(const StepText& text) {
    std::string argument = one_line(decode_copy(text.argument(), StepText::kArgument), StepText::kArgument);
    // What fills its room was cut, and whoever reads it must not take it for the whole.
    if (text.argument_size == StepText::kArgument && !argument.ends_with("\u2026")) argument += "\u2026";
    return {std::string(text.tool()), std::move(argument)};
}

std::string step_words(const Step& step) {
    std::string words(step.text.tool());
    if (words.empty()) words = "(unnamed tool)";
    const std::string argument = one_line(decode_copy(step.text.argument(), StepText::kArgument), kWords);
    if (!argument.empty()) words += " `" + argument + "`";
    return words;
}

std::string outcome_words(const Step& step) {
    if (step.opaque && step.text.outcome_size == 0) return "(no result recorded)";
    std::string words = one_line(decode_copy(step.text.outcome(), StepText::kOutcome), kWords);
    return words.empty() ? "(empty result)" : words;
}

std::string lines_words(std::uint64_t first, std::uint64_t last) {
    return first == last ? fmt::format("line {}", first) : fmt::format("lines {}-{}", first, last);
}

// The kept steps are large and overwritten by the next add(): they stay as they are.
void Episode::reset() {
    steps_ = copies_ = 0;
    errors_ = {};
    first_line_ = last_line_ = first_offset_ = end_offset_ = 0;
    head_.clear();
    calls_.clear();
    variety_.reset();
    has_waste_ = false;
    wasted_from_ordinal_ = wasted_steps_ = 0;
    spent_before_waste_ = wasted_ = {};
    wasted_response_ = 0;
    reset_line_ = 0;
}

void Episode::add(const Step& step) {
    if (steps_ == 0) {
        first_ = step;
        first_line_ = step.first_line();
        first_offset_ = step.call_at.offset;
    }
    ++steps_;
    copies_ += step.copies;
    if (step.failed) ++errors_[static_cast<std::size_t>(step.error)];
    first_line_ = std::min(first_line_, step.first_line());
    last_line_ = std::max(last_line_, step.last_line());
    first_offset_ = std::min(first_offset_, step.call_at.offset);
    end_offset_ = std::max(
        {end_offset_, step.call_at.offset + step.call_at.length, step.result_at.offset + step.result_at.length});
    if (head_.size() < kHead) {
        head_.reserve(kHead);
        head_.push_back(step);
    }
    remember_call(step);
    if (steps_ > kHead) see_variety(step);
    last_ = step;
    if (has_waste_ && step.ordinal >= wasted_from_ordinal_) waste(step);
}

void Episode::waste(const Step& step) {
    ++wasted_steps_;
    if (step.response == wasted_response_) return;
    wasted_response_ = step.response;
    wasted_ += minus(step.spent, step.spent_before);
}

// Between repeats that are no neighbours lies other work: what that cost was not wasted.
TokenCounts Episode::wasted_tokens() const { return contiguous() ? minus(last_.spent, spent_before_waste_) : wasted_; }

void Episode::remember_call(const Step& step) {
    if (calls_.size() >= kFindingCalls) return;
    if (std::ranges::find(calls_, step.call, &SeenCall::call) != calls_.end()) return;
    SeenCall& seen = calls_.emplace_back();
    seen.call = step.call;
    seen.text = step.text;
}

// Short rows, which are most, need no look.
void Episode::see_variety(const Step& step) {
    if (steps_ == kHead + 1) {
        for (const Step& early : head_) variety_.add(early);
    }
    variety_.add(step);
}

void Episode::add_range(const LaneTrack& lane, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t ordinal = from; ordinal <= to; ++ordinal) {
        if (const Step* kept = lane.step(ordinal)) add(*kept);
    }
}

void Episode::open_rounds(const LaneTrack& lane, const Step& step, std::uint64_t steps, std::uint32_t period) {
    const std::uint64_t start = step.ordinal + 1 - steps;
    if (const Step* second = lane.step(start + period)) waste_from(*second, lane.step(start + period - 1));
    add_range(lane, start, step.ordinal);
}

void Episode::waste_from(const Step& step, const Step* before) {
    has_waste_ = true;
    wasted_from_ordinal_ = step.ordinal;
    spent_before_waste_ = step.spent_before;
    const std::uint64_t line = before ? before->last_line() : (step.first_line() > 1 ? step.first_line() - 1 : 0);
    // A response that repeats its own call has no record between the rounds to go back to.
    reset_line_ = line < step.first_line() ? line : 0;
}

DraftFinding Episode::draft(const DetectorSpec& spec) const {
    DraftFinding draft;
    Finding& f = draft.finding;
    f.rule = spec.id;
    f.code = spec.code;
    f.confidence = spec.confidence;
    f.first_line = first_line_;
    f.last_line = last_line_;
    f.first_call_id = first_.call_id;
    f.first_seq = first_.call_at.seq;
    f.last_seq = std::max(last_.call_at.seq, last_.result_at.seq);
    f.first_step = first_.ordinal;
    f.last_step = last_.ordinal;
    f.first_offset = first_offset_;
    f.end_offset = end_offset_;
    f.contiguous = contiguous();
    f.wasted_steps = wasted_steps_;
    if (has_waste_ && last_.spent.total() > 0) f.wasted_tokens = wasted_tokens();
    if (reset_line_ > 0) f.reset_line = reset_line_;
    f.persisted_across_compaction = last_.compactions > first_.compactions;
    f.persisted_after_notice = last_.notices > first_.notices;

    const auto quote = [&f](const Step& step, std::string_view role, bool outcome) {
        f.evidence.push_back({step.call_at.line, step.call_at.seq, std::string(role), step_words(step)});
        if (outcome) f.evidence.push_back({step.result_at.line, step.result_at.seq, "result", outcome_words(step)});
    };
    for (std::size_t i = 0; i < head_.size(); ++i) {
        if (head_[i].ordinal == last_.ordinal) break;
        quote(head_[i], i == 0 ? "first" : "call", i == 0);
    }
    quote(last_, "last", true);
    for (const SeenCall& seen : calls_) f.calls.push_back(call_words(seen.text));
    draft.good_steps_at_end = last_.good_steps;
    draft.errors = errors_;
    draft.tool_class = last_.work_class;
    draft.by_command = last_.command_bytes > 0;
    if (last_.failed) draft.awaited = deeds_of(last_);
    return draft;
}

DraftFinding Episode::draft(const DetectorSpec& spec, Repetition what) const {
    // No other arguments help, and nobody is there to be asked.
    constexpr std::string_view kForbidden =
        "allow it in the agent's permissions, or say in the prompt what to use in its place";
    DraftFinding made = draft(spec);
    Finding& f = made.finding;
    f.severity = what.hard ? Severity::error : Severity::warning;
    if (what.doubtful) f.confidence = std::min(f.confidence, kDoubtful);
    f.period = what.period;
    f.repeats = what.repeats;
    f.pattern_key = what.pattern;
    f.round = std::move(what.round);
    f.message = fmt::format("{} ({})", what.message, lines_words(f.first_line, f.last_line));
    f.action = last_.error == ErrorClass::user_denied && !refused_by_us(last_) ? kForbidden : what.action;
    f.because = std::move(what.because);
    constexpr std::uint64_t kNotes = 4;  // steps to a note about them
    Variety few;
    if (steps_ <= kHead) std::ranges::for_each(head_, [&](const Step& step) { few.add(step); });
    const Variety& variety = steps_ <= kHead ? few : variety_;
    const bool looks = (last_.epoch - first_.epoch) * kNotes <= steps_;
    if (variety.each_another()) {
        made.rounds = looks ? Rounds::looks : Rounds::works;
    } else if (looks && variety.none_again()) {
        made.rounds = Rounds::apart;
    }
    return made;
}

}  // namespace agent_audit::detectors
