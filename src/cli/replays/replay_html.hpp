#pragma once

#include "cli/replays/policy_replay.hpp"
#include "pipeline/watches/course_watch.hpp"

#include <agent_audit/pipeline/replay.hpp>
#include <agent_audit/report/renderer.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace agent_audit::cli {

/// The lengths of prompts under each context, for pictures of the first sessions of an input; in bounded memory.
class ReplayCourses final : public ReplayRows {
public:
    void on_row(std::size_t session, std::string_view context, const simulator::TurnRow& row) override;
    /// Nothing where no request was seen. What it was built from is gone then.
    std::optional<LaneCourse> take(std::size_t session, std::string_view context);

    static constexpr std::size_t kSessions = 12;

private:
    static constexpr std::size_t kPoints = 512;

    std::map<std::size_t, std::map<std::string, CourseRecorder, std::less<>>> courses_;
};

/// `replay --context … -f html`: a table of the contexts a session, and their courses side by side.
void write_replay_html(const ReplayOutcome& outcome, ReplayCourses& courses, const std::string& input,
                       const std::optional<RemoteUse>& summarizer, Redact redact, const ByteSink& out);

/// `replay --policy … -f html`: a table of the policies a session, one over all, and every decision.
void write_policy_html(const PolicyReplay& replay, Redact redact, const ByteSink& out);

}  // namespace agent_audit::cli
