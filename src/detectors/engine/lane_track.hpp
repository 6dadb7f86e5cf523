#pragma once

#include "detectors/commands/failed_deeds.hpp"
#include "detectors/engine/file_states.hpp"
#include "detectors/engine/message_track.hpp"
#include "detectors/engine/period_runs.hpp"
#include "detectors/engine/seen_table.hpp"
#include "detectors/outcomes/known_red.hpp"
#include "detectors/speech/asked_again.hpp"
#include "detectors/speech/times_order.hpp"

#include <agent_audit/detectors/step.hpp>

#include <agent_audit/model/text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace agent_audit {

/// What the detectors of one lane share: the recent steps, tail repetitions and what was met before. Computed once a
/// step by the engine; detectors only look.
class LaneTrack {
public:
    /// Steps kept for evidence and for looking back: three rounds of the longest period and some.
    static constexpr std::size_t kHistory = 128;

    explicit LaneTrack(std::uint32_t lane) : lane_(lane) {}

    std::uint32_t lane() const { return lane_; }
    std::uint64_t steps() const { return steps_; }
    std::uint64_t good_steps() const { return good_steps_; }

    /// Tail repetitions of (call, outcome) since the segment began.
    const detectors::PeriodRuns& runs() const { return runs_; }

    /// The step with this ordinal, or null when it is no longer (or not yet) kept.
    const Step* step(std::uint64_t ordinal) const {
        if (ordinal == 0 || ordinal > steps_ || ordinal + kHistory <= steps_) return nullptr;
        return &history_[(ordinal - 1) % kHistory];
    }

    /// All that was called in the current segment and what came of it, in any order, as one number; 0 = nothing.
    std::uint64_t segment_sum() const { return segment_sum_; }

    /// What the newest step called; 0 = there is none in this segment.
    std::uint64_t last_call() const { return last_call_; }

    /// Ordinal of the first step of the current segment.
    std::uint64_t segment_start() const { return segment_start_; }

    /// What failed in this lane, and what of it worked again.
    const detectors::FailedDeeds& failed_deeds() const { return failed_deeds_; }

    /// Takes the next step (its engine-made fields get filled in) and returns the kept copy.
    const Step& push(Step& step);

    /// Ready for another lane; memory that has grown stays.
    void restart(std::uint32_t lane);

    /// A human spoke.
    void end_segment();

    /// What the human said, and whether that is no more than to go on.
    void hear(RawText request, bool only_goes_on);
    bool told_to_go_on() const { return told_to_go_on_; }
    /// Does a human's message end the segment that ends now? A timer or a queue may as well.
    bool human_spoke() const { return human_spoke_; }
    /// Did the human name the number that the human had named in the message before: "It is 48213.", "48213, I said!"?
    bool told_again() const { return told_again_; }
    /// What was asked for last, as far as it begins. Whoever only says to go on asks for the same.
    RawText request() const { return {{request_.data(), request_size_}, request_form_}; }

    /// How often a human wants something done.
    struct Asked {
        std::uint32_t times = 0;  ///< 0 = no number is named
        detectors::AskedAgain again = detectors::AskedAgain::no;
        detectors::TimesOrder order{};  ///< what they are to be times of

        bool operator==(const Asked&) const = default;
    };
    /// A human said this in this record, and perhaps no more than to go on.
    void ask(std::uint64_t line, RawText request, bool only_goes_on);
    /// How often a human wanted done what was done in the records from `first` to `last`.
    Asked asked_at(std::uint64_t first, std::uint64_t last) const;
    /// How the message begins that was the last one of a human up to this record and says more than to go on. Empty
    /// where it is not kept: many were sent since.
    RawText words_at(std::uint64_t line) const;
    /// A check failed in this record. Of what may be red nobody need say so again, but of other tests.
    void red(std::uint64_t line, RawText printed);

    /// The working directory changed.
    void enter_directory(std::uint64_t hash) { directory_ = hash; }

    /// What the agent says.
    const detectors::MessageTrack& messages() const { return messages_; }
    void hear_agent(const AgentText& text) { messages_.hear(text, *this); }

    /// Working directory and what the lane's edits left in the files, as one number: equal again when they were undone.
    std::uint64_t place() const { return directory_ ^ files_.sum(); }

private:
    std::uint32_t lane_ = 0;
    std::uint64_t steps_ = 0;
    std::uint64_t good_steps_ = 0;
    std::uint64_t segment_start_ = 1;
    std::uint64_t segment_sum_ = 0;
    std::uint64_t last_call_ = 0;
    std::uint32_t call_run_ = 0;
    std::uint32_t epoch_ = 0;
    std::uint32_t revision_ = 0;
    std::uint64_t directory_ = 0;
    std::uint64_t last_symbol_ = 0;
    bool human_spoke_ = false, told_to_go_on_ = false, told_again_ = false;
    detectors::FileStates files_;
    detectors::MessageTrack messages_;
    detectors::FailedDeeds failed_deeds_;
    detectors::PeriodRuns runs_;
    detectors::SeenTable seen_;
    std::vector<Step> history_;
    // What a human said. What is wished for is read out of it where a finding asks, or it is to be forgotten: of most
    // messages nobody ever asks.
    struct Wish {
        std::uint64_t line = 0;
        std::uint32_t epoch = 0;
        std::string said;  // as it was recorded; empty once it is forgotten
        TextForm form = TextForm::plain;
        bool goes_on = false, is_read = false;
        Asked asked;
        detectors::KnownRed red;  // where that is what was asked for
    };
    static Asked wished(RawText said);
    static void read(Wish& wish);
    void forget_oldest();

    static constexpr std::size_t kMostWishes = 32, kMostSaid = 24;
    static constexpr std::size_t kSaid = 3072;    // bytes of a message: what is wanted stands in front
    std::vector<Wish> wishes_;                    // by line; the last ones
    std::size_t kept_ = 0;                        // of them, the last ones whose words are there
    static constexpr std::size_t kRequest = 256;  // bytes
    std::array<char, kRequest> request_{};        // the first ones of them
    std::size_t request_size_ = 0;
    TextForm request_form_ = TextForm::plain;
};

}  // namespace agent_audit
