#pragma once

#include <agent_audit/detectors/detector.hpp>
#include <agent_audit/model/activity.hpp>
#include <agent_audit/model/context.hpp>
#include <agent_audit/model/drift.hpp>
#include <agent_audit/model/event.hpp>
#include <agent_audit/model/finding.hpp>
#include <agent_audit/model/policy.hpp>
#include <agent_audit/model/report.hpp>
#include <agent_audit/model/session_goal.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace agent_audit {

namespace detectors {
class ErrorClassifier;
}

/// What a run says of tools, over the engine's own table: class by name in snake_case.
using ToolClassOverlay = std::map<std::string, ToolClass, std::less<>>;

/// A class for calls by what their command says; the first that matches wins. Its regular expression is compiled once
/// and shared between threads.
class CommandRules;

/// What ends the evidence of a repetition.
enum class SegmentBy : std::uint8_t {
    user,     ///< a human message: what repeats after it was asked for
    session,  ///< the session only
};

/// What a run changes of the engine as a whole. The defaults are those of a run without settings.
struct EngineOptions {
    Policy policy = Policy::balanced;
    SegmentBy segment = SegmentBy::user;
    ToolClassOverlay tool_classes;
    std::shared_ptr<const CommandRules> command_rules;  ///< null = none
    std::string goal;                 ///< what the session is for; empty = its first human message says it
    std::uint32_t reflect_every = 0;  ///< turns between reflection points; 0 = none
    std::shared_ptr<const detectors::ErrorClassifier> errors;  ///< shared between threads; null = the default patterns
};

/// A rule of the run with its parameters bound.
struct BoundDetector {
    const DetectorSpec* spec = nullptr;
    DetectorFactory make;
    std::string only_tool{};  ///< its findings count when they are about this tool alone; empty = any tool
    std::vector<std::string> other_tools{};  ///< tools of which findings are left to another row of the same rule
};

/// Findings of a rule that were made and not kept.
struct UnlistedFindings {
    std::string_view rule;  ///< id out of the table of rules
    std::uint64_t count = 0;
};

/// What the engine knows of a session when it is over.
struct SessionOutcome {
    std::vector<Finding> findings;      ///< overlapping ones joined, sorted by place
    SessionCounts counts;               ///< everything but the ledger's figures
    std::vector<ToolStats> tools;       ///< most called first, bounded
    std::vector<LaneContext> contexts;  ///< lanes with recorded requests, by number; the fullest ContextReport::kLanes
    SessionGoal goal;                   ///< of the main conversation, like all that follows
    ActivityCourse activity;
    DriftSeries drift;
    std::vector<UnlistedFindings> unlisted{};  ///< beyond Detector::kMaxFindings of a lane, one entry a rule
    ProviderErrors provider_errors{};
};

/// Turns the events of one session into steps (pairing, response groups, outcome normalisation) and drives the
/// detectors, one set for each lane. Memory is bounded whatever the session: see limits in engine.cpp.
class SessionEngine {
public:
    explicit SessionEngine(std::span<const BoundDetector> detectors, EngineOptions options = {});
    ~SessionEngine();
    SessionEngine(const SessionEngine&) = delete;
    SessionEngine& operator=(const SessionEngine&) = delete;

    /// The folder in which the session began: said before its first event. A rule about src/ is about the src in there.
    void in_folder(std::string_view folder);

    /// Tokens billed so far, by the ledger's count: in the event's lane and in the whole session. They are looked at
    /// only where asks_spending() says so.
    void on_event(const Event& event, const TokenCounts& lane_spent, const TokenCounts& session_spent);
    bool asks_spending(const Event& event) const;

    /// A request was billed, told by the event that was heard last.
    void on_request(const EventHeader& head, const RequestFigures& figures);

    /// Whoever runs an agent knows when a response and all its calls are over; a recording shows it by the next
    /// response.
    void end_response(std::uint32_t lane);

    /// Ends the session. Fields of a finding that need more than the session (index, fingerprints, token source)
    /// are filled in by the caller. The object can then serve the next session.
    SessionOutcome finish();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace agent_audit
