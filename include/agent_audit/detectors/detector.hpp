#pragma once

#include <agent_audit/config/params.hpp>
#include <agent_audit/config/settings.hpp>
#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/context.hpp>
#include <agent_audit/model/error_class.hpp>
#include <agent_audit/model/event.hpp>
#include <agent_audit/model/finding.hpp>
#include <agent_audit/model/signals.hpp>
#include <agent_audit/support/result.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace agent_audit {

class LaneTrack;
struct BoundDetector;

/// One model response is over, with all its calls.
struct ResponseEnd {
    std::uint64_t response = 0;  ///< ordinal in the lane, from 1
    std::uint32_t calls = 0;     ///< steps that count as evidence (cascades, denials, waits and notes left out)
    std::uint32_t failed = 0;
};

/// What the agent wrote between its calls: a message, or a piece of reasoning. Views are valid during the call only.
struct AgentText {
    RawText text;
    std::uint64_t hash = 0;      ///< of the text as recorded
    std::uint64_t response = 0;  ///< ordinal of the model response in the lane, from 1
    std::uint64_t message =
        0;                    ///< equal for the parts of one model response, where the log tells what belongs together
    std::uint64_t calls = 0;  ///< tool calls in the lane before this, those that are no evidence of anything included
    bool reasoning = false;
    Place at;
    TokenCounts spent;               ///< tokens billed in the lane so far
    std::uint32_t compactions = 0;   ///< compactions in the lane before this
    std::uint32_t notices = 0;       ///< nudges, hook messages, interrupts in the lane before this
    std::int64_t time_ms = kNoTime;  ///< recorded time, ms since 1970; may be missing or go backwards
    RawText speaker{};               ///< name of the agent or graph node that speaks, where the log names one
};

/// Whether the calls of a repetition go on from one thing to the next, none of them made twice, and whether things were
/// changed in between. `apart`: none was made twice and nothing was changed, but they do not name another thing each
/// time.
enum class Rounds : std::uint8_t { no, apart, looks, works };

/// A finding on its way: what only the end of the lane can settle is still open.
struct DraftFinding {
    Finding finding;
    std::uint64_t good_steps_at_end =
        0;                 ///< Step::good_steps of its last step: tells later whether the agent recovered
    ErrorCounts errors{};  ///< failing steps of the episode by class; settling names them in the finding
    std::array<std::uint64_t, 2> awaited{};   ///< what failed at its end, as FailedDeeds names it; 0 = nothing did
    ToolClass tool_class = ToolClass::other;  ///< of its last step, as it was called
    Rounds rounds = Rounds::no;
    bool by_command = false;  ///< its last step is a command of a shell
    bool listed = false;      ///< what it goes through stood in a list that the agent was given before
};

/// What a step must be for a rule to be called with it (Detector::wakes). Most rules care about few steps, and twenty
/// calls into twenty objects for each step is what costs.
enum Wakes : std::uint16_t {
    kEveryStep = 1,
    kOnRepeat = 2,  ///< its call and outcome are among the last 32, or were met in this epoch
    kOnFailure = 4,
    kOnMutation = 8,
    kOnCheck = 16,  ///< a test, build or lint, or any other command
    kOnPoll = 32,
    kOnLook = 64,      ///< reads and searches
    kOnPart = 128,     ///< reads a part of a file
    kOnQuery = 256,    ///< asks for documents
    kOnCommand = 512,  ///< a shell command
    kAfterCompaction = 1024,
    kOnLargeOutcome = 2048,  ///< at least kLargeOutcome bytes came back
    kOnReread = 4096,        ///< what came back is in the window already
};
inline constexpr std::uint32_t kLargeOutcome = 32'000;  ///< bytes

/// Watches one lane (or one session) and says what it saw. Detectors are independent: none sees another.
class Detector {
public:
    virtual ~Detector() = default;

    virtual void on_step(const Step& step, const LaneTrack& lane) {
        (void)step;
        (void)lane;
    }
    /// Which steps to be called with from now on: Wakes, asked for after each on_step and on_segment_end. A rule with
    /// nothing open can sleep through most of them.
    virtual std::uint16_t wakes() const { return kEveryStep; }
    /// Only for rules that ask for it (DetectorSpec::hears): texts are many and most rules do not care.
    virtual void on_text(const AgentText& text, const LaneTrack& lane) {
        (void)text;
        (void)lane;
    }
    virtual void on_response(const ResponseEnd& response, const LaneTrack& lane) {
        (void)response;
        (void)lane;
    }
    /// A human spoke: whatever repeats now was asked for. Close what is open.
    virtual void on_segment_end(const LaneTrack& lane) { (void)lane; }
    /// Every event of the session with the tokens billed so far in all lanes, for rules of Scope::session only.
    virtual void on_event(const Event& event, const TokenCounts& spent) {
        (void)event;
        (void)spent;
    }
    /// A request was billed; steps whose results it sent have been heard. Also for rules of Scope::session.
    virtual void on_request(const ContextRequest& request, const LaneTrack& lane) {
        (void)request;
        (void)lane;
    }
    /// What the rules of the lanes found, overlapping findings joined, before finish(): for rules of Scope::session
    /// that add up what was lost.
    virtual void on_findings(std::span<const Finding> findings) { (void)findings; }
    virtual void finish(const LaneTrack* lane) { (void)lane; }

    /// Findings so far; the caller takes them after finish().
    std::vector<DraftFinding> take() { return std::move(findings_); }
    /// The same, left where they are.
    std::span<const DraftFinding> so_far() const { return findings_; }

    /// A copy with all that the rule remembers, without its findings. What it would say if the lane ended here is asked
    /// of a copy: that needs no look ahead, and the rule itself goes on undisturbed. Null where it cannot be copied.
    std::unique_ptr<Detector> copy() const { return copier_ ? copier_(*this) : nullptr; }
    /// Makes copy() and renew() work; D is the type of this object.
    template <class D>
    void copied_as() {
        copier_ = [](const Detector& rule) -> std::unique_ptr<Detector> {
            return std::make_unique<D>(static_cast<const D&>(rule));
        };
        if constexpr (std::is_copy_assignable_v<D>) {
            renewer_ = [](Detector& rule, const Detector& fresh) {
                static_cast<D&>(rule) = static_cast<const D&>(fresh);
            };
        }
    }
    /// Forgets everything but its memory, for another lane: `fresh` comes from the same factory and has seen nothing.
    /// False where that is not possible.
    bool renew(const Detector& fresh) {
        if (renewer_) renewer_(*this, fresh);
        return renewer_ != nullptr;
    }

    /// The row of the run that this detector serves; it outlives the detector.
    void serves(const BoundDetector& row) { row_ = &row; }
    const BoundDetector* row() const { return row_; }
    /// Findings of its row beyond kMaxFindings: they are counted and lost.
    std::uint64_t beyond() const { return beyond_; }

    /// A hostile log could trigger a rule a million times: this many are kept per lane.
    static constexpr std::size_t kMaxFindings = 1000;

protected:
    Detector() = default;
    Detector(const Detector& other) : copier_(other.copier_), renewer_(other.renewer_) {}
    Detector& operator=(const Detector&) {
        findings_.clear();
        beyond_ = 0;
        least_ = Severity::info;
        return *this;
    }

    /// Beyond kMaxFindings the less severe make room for the more severe, so that what is kept says how bad it is.
    void report(DraftFinding draft) {
        if (findings_.size() == kMaxFindings) make_room(draft);
        if (findings_.size() < kMaxFindings) findings_.push_back(std::move(draft));
    }

private:
    bool is_of_row(const Finding& finding) const;
    void make_room(const DraftFinding& draft);

    std::vector<DraftFinding> findings_;
    std::uint64_t beyond_ = 0;
    Severity least_ = Severity::info;  // none of a full list is less severe
    const BoundDetector* row_ = nullptr;
    std::unique_ptr<Detector> (*copier_)(const Detector&) = nullptr;
    void (*renewer_)(Detector&, const Detector&) = nullptr;
};

/// Whether a rule sees one lane or the session.
enum class Scope : std::uint8_t { lane, session };
/// Which calls of Detector a rule answers to. The engine makes no others, so that a rule costs only what it uses;
/// on_segment_end and finish are always called. kFiles: it asks what calls do to files (Step::touch, LaneTrack::place),
/// which is worked out only when a rule of the run does.
enum Hears : std::uint8_t { kSteps = 1, kResponses = 2, kTexts = 4, kRequests = 8, kFiles = 32 };
/// preview: runs only when it is selected.
enum class Stage : std::uint8_t { stable, preview };

/// Makes one detector; null when the rule, as it is set, has nothing to watch for (a limit that nobody set).
using DetectorFactory = std::function<std::unique_ptr<Detector>()>;

/// Binds a rule's parameters once; each lane then gets a detector of its own made with them.
template <class D, class Table>
Result<DetectorFactory> bind_detector(std::string_view id, const Table& table, const Settings& settings) {
    auto params = bind_params(id, table, settings);
    if (!params) return params.error();
    return DetectorFactory([p = *params]() -> std::unique_ptr<Detector> {
        auto made = std::make_unique<D>(p);
        if constexpr (std::is_copy_constructible_v<D>) made->template copied_as<D>();
        return made;
    });
}

/// One row of the table of rules: help, reference pages, schemas and reports all come from here.
struct DetectorSpec {
    std::string_view id;       ///< group/slug
    std::string_view code;     ///< AA101
    std::string_view summary;  ///< half a sentence
    Severity worst;            ///< the worst severity it can give
    double confidence;         ///< of a typical finding
    Stage stage;
    Scope scope;
    std::uint8_t hears;  ///< Hears
    Signals needs;
    std::vector<ParamDoc> (*params)();
    std::string_view doc;  ///< Markdown page
    Result<DetectorFactory> (*bind)(const Settings& settings);
};

/// The one list of rules, sorted by id.
std::span<const DetectorSpec> all_detectors();
const DetectorSpec* find_detector(std::string_view id);

}  // namespace agent_audit
