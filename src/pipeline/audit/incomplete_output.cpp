#include "pipeline/audit/incomplete_output.hpp"

#include "detectors/engine/context_words.hpp"

#include <fmt/format.h>

namespace agent_audit {
namespace {

// Measured on some seventy recordings by fourteen clients: those with whole figures have 1 to 6, the others 12 to
// 4,000.
constexpr std::uint64_t kMostBytesPerToken = 10;
// A short text can be one long word or a line of dashes.
constexpr std::uint64_t kFewBytes = 4000;

}  // namespace

bool output_incomplete(const SessionUsage& usage) {
    return !usage.requests.empty() && usage.written_bytes >= kFewBytes &&
           usage.recorded_output < usage.written_bytes / kMostBytesPerToken;
}

void IncompleteOutputs::see(const SessionUsage& usage) {
    if (!output_incomplete(usage)) return;
    ++sessions_;
    output_tokens_ += usage.recorded_output;
    written_bytes_ += usage.written_bytes;
}

void IncompleteOutputs::add(const IncompleteOutputs& other) {
    sessions_ += other.sessions_;
    output_tokens_ += other.output_tokens_;
    written_bytes_ += other.written_bytes_;
}

void IncompleteOutputs::tell(std::vector<Note>& notes) const {
    if (sessions_ == 0) return;
    notes.push_back(
        {Severity::info, fmt::format("output tokens and costs of {} session{} are too low: {} tokens are recorded for "
                                     "{} bytes that the model wrote",
                                     detectors::grouped(sessions_), sessions_ == 1 ? "" : "s",
                                     detectors::grouped(output_tokens_), detectors::grouped(written_bytes_))});
}

}  // namespace agent_audit
