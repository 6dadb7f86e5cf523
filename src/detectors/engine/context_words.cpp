#include "detectors/engine/context_words.hpp"

#include "detectors/engine/episodes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit::detectors {

std::string about_tokens(std::uint64_t tokens) {
    const auto scaled = [](double value, std::string_view unit) {
        return value < 100 ? fmt::format("{:.1f} {}", value, unit) : fmt::format("{:.0f} {}", value, unit);
    };
    if (tokens < 10'000) return grouped(tokens);
    if (tokens < 999'500) return scaled(static_cast<double>(tokens) / 1e3, "k");
    return scaled(static_cast<double>(tokens) / 1e6, "M");
}

std::string grouped(std::uint64_t value) {
    std::string digits = std::to_string(value);
    for (std::size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits;
}

void WindowEpisode::cover(std::uint64_t line, std::uint64_t seq, std::uint64_t offset, std::uint64_t end) {
    if (count_++ == 0) {
        first_line_ = last_line_ = line;
        first_seq_ = last_seq_ = seq;
        first_offset_ = offset;
        end_offset_ = end;
        return;
    }
    first_line_ = std::min(first_line_, line);
    last_line_ = std::max(last_line_, line);
    first_seq_ = std::min(first_seq_, seq);
    last_seq_ = std::max(last_seq_, seq);
    first_offset_ = std::min(first_offset_, offset);
    end_offset_ = std::max(end_offset_, end);
}

void WindowEpisode::add(const ContextRequest& request, std::string_view role, std::string text) {
    cover(request.where.line, request.seq, request.where.offset, request.where.offset + request.where.length);
    if (evidence_.size() < kEvidence)
        evidence_.push_back({request.where.line, request.seq, std::string(role), std::move(text)});
}

void WindowEpisode::add(const Step& step, std::string_view role) {
    if (count_ == 0) first_call_ = step.call_id;
    if (calls_.size() < kFindingCalls) calls_.push_back(call_words(step.text));
    cover(step.call_at.line, step.call_at.seq, step.call_at.offset,
          std::max(step.call_at.offset + step.call_at.length, step.result_at.offset + step.result_at.length));
    last_line_ = std::max(last_line_, step.last_line());
    last_seq_ = std::max(last_seq_, step.result_at.seq);
    if (evidence_.size() < kEvidence) {
        evidence_.push_back({step.call_at.line, step.call_at.seq, std::string(role), step_words(step)});
    }
}

DraftFinding WindowEpisode::draft(const DetectorSpec& spec) const {
    DraftFinding draft;
    Finding& f = draft.finding;
    f.rule = spec.id;
    f.code = spec.code;
    f.severity = Severity::info;
    f.confidence = spec.confidence;
    f.first_line = first_line_;
    f.last_line = last_line_;
    f.first_seq = first_seq_;
    f.last_seq = last_seq_;
    f.first_offset = first_offset_;
    f.end_offset = end_offset_;
    f.first_call_id = first_call_;
    f.repeats = count_;
    f.evidence = evidence_;
    f.calls = calls_;
    return draft;
}

}  // namespace agent_audit::detectors
