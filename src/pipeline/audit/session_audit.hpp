#pragma once

#include "pipeline/audit/incomplete_output.hpp"
#include "pipeline/inputs/inputs.hpp"
#include "pipeline/watches/course_watch.hpp"
#include "pipeline/watches/request_watch.hpp"
#include "pipeline/watches/reset_watch.hpp"

#include <agent_audit/detectors/engine.hpp>
#include <agent_audit/model/event.hpp>
#include <agent_audit/model/report.hpp>
#include <agent_audit/profiles/profile.hpp>
#include <agent_audit/readers/reader.hpp>
#include <agent_audit/tokens/ledger.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit {

/// The report of a session that may still change, and is packed in between.
class KeptSession {
public:
    /// To be read and changed, until rest().
    SessionReport& open() {
        if (!open_) open_ = std::make_unique<SessionReport>(packed_.unpack());
        return *open_;
    }
    void open(SessionReport&& session) { open_ = std::make_unique<SessionReport>(std::move(session)); }
    void rest() {
        if (open_) packed_ = PackedSession::before_billing(*open_);
        open_.reset();
    }
    SessionReport look() const { return open_ ? *open_ : packed_.unpack(); }
    PackedSession take() {
        rest();
        return std::move(packed_);
    }

private:
    std::unique_ptr<SessionReport> open_;
    PackedSession packed_;
};

/// A finished session on its way into the report.
struct SessionPart {
    KeptSession session;
    std::unique_ptr<SessionUsage> usage;  ///< until it is merged
    std::uint32_t merged_as = 0;  ///< then: its number in UsageMerger, which has SessionReport::tokens until the end
    std::uint64_t recording = 0;  ///< hash: the same of copies, another where a session goes on
    std::vector<Finding> findings;
    std::vector<UnlistedFindings> unlisted;
    Signals untold;  ///< what a session like this should hold and did not, whatever its format offers; with what is
                     ///< unmeasured
    std::uint64_t unpriced = 0;    ///< requests of models without a known price
    IncompleteOutputs incomplete;  ///< this session, if it is one
    std::uint64_t windowless = 0;  ///< requests of which nobody knows what share of the window they filled
    std::size_t shared = 0;        ///< requests that it begins with and that another session of the run has, too
    bool all_shared = false;       ///< it has no others
    std::uint64_t own_from = 0;    ///< position of the first event after that history; 0 = it has none
    std::uint64_t own_from_line = 0;

    /// All of it was seen in history that another session of the run has, too.
    bool in_history(const Finding& f) const { return f.last_seq < own_from; }
};

/// What a session without an id is told from others by, in fingerprints: how it begins, wherever its file lies.
class SessionOpening {
public:
    void on_event(const Event& event);
    /// `number`: of the session in its input, from 1. Runs of one task begin alike.
    std::string name(std::size_t number) const;

private:
    static constexpr unsigned kTexts = 6;  // fewer than a repetition has: of a growing file they stay the same
    unsigned texts_ = 0;
    std::uint64_t hash_ = 0;
};

/// Listens to the events of one input and turns them into sessions: one ledger and one engine, used for one session
/// after the other.
class SessionAudit final : public EventSink {
public:
    /// `own_files` = hashes of sub-agent ids whose own files are part of the run, sorted: copies of their messages
    /// inside the parent's file are left out. `profiles` are run beside the rules. `models` gives requests their window
    /// and their price. `course_points` of each lane are kept for a picture; 0 = none.
    SessionAudit(std::span<const BoundDetector> detectors, std::span<const IdHash> own_files,
                 const EngineOptions& options = {}, std::span<const ProfileSpec* const> profiles = {},
                 const ModelTable* models = nullptr, std::size_t course_points = 0)
        : muted_(own_files),
          rules_(detectors.begin(), detectors.end()),
          engine_(listened(), options),
          models_(models),
          requests_(models) {
        if (!profiles.empty()) peers_.emplace(profiles);
        if (course_points > 0) courses_.emplace(course_points);
    }

    /// The events that follow are those of this file.
    void begin_input(std::string_view path) { muted_.read(path); }
    void on_event(const Event& event) override;

    /// Sessions of this input that are over, and requests of the one that is read.
    std::size_t ended() const { return ended_; }
    std::size_t requests() const { return ledger_.requests(); }

    /// Has a session ended that was not taken yet? All but the last of an input end before it does.
    bool any_ended() const { return !parts_.empty(); }
    std::vector<SessionPart> take_ended();
    /// The input is over. What stands in no event, SessionReport::format among it, is for the caller to fill in.
    std::vector<SessionPart> finish();

private:
    void begin_session(const Event& event, const SessionStart& start);
    void end_session();

    // The rules, and behind them the advisor's ear.
    std::span<const BoundDetector> listened() {
        rules_.push_back(resets_.listener());
        return rules_;
    }

    MutedLanes muted_;
    ResetWatch resets_;
    std::vector<BoundDetector> rules_;
    SessionEngine engine_;
    const ModelTable* models_;
    TokenLedger ledger_;
    RequestWatch requests_;
    std::optional<PeerWatch> peers_;
    std::optional<CourseWatch> courses_;
    std::vector<SessionPart> parts_;
    std::size_t ended_ = 0;  // sessions of this input
    SessionReport current_;
    SessionOpening opening_;
    bool open_ = false;
};

}  // namespace agent_audit
