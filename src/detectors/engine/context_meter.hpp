#pragma once

#include "detectors/engine/tool_stats.hpp"

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/context.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace agent_audit::detectors {

/// Watches how a lane fills its window. Texts are only weighed: a handful of additions for each, names and tables only
/// for results that are large enough to matter. What the weights are in tokens is known from the recorded requests.
class ContextMeter {
public:
    static constexpr std::size_t kFiles = 64;
    static constexpr std::uint64_t kLargeResult = 2000;  ///< bytes: smaller ones are not looked for again
    static constexpr std::uint64_t kRecent = 40;         ///< requests

    /// Ready for another lane; memory that has grown stays.
    void restart(std::uint32_t lane);

    void text(ContextPart part, std::uint64_t bytes) {
        weights_[static_cast<std::size_t>(part)] += bytes;
        weight_ += bytes;
        const bool own =
            part == ContextPart::assistant || part == ContextPart::reasoning || part == ContextPart::arguments;
        if (!own) return settle_own();
        own_[static_cast<std::size_t>(part)] += bytes;
        own_weight_ += bytes;
    }
    void images(std::uint64_t count) { text(ContextPart::images, count * kImageBytes); }
    void result(ToolTable::Index tool, std::uint64_t bytes) {
        text(ContextPart::results, bytes);
        if (tools_.size() <= tool) tools_.resize(tool + 1u);
        tools_[tool].bytes += bytes;
        ++tools_[tool].results;
    }
    /// The file that the call at `seq` will read, where a step keeps only the beginning of its name.
    void long_name(std::uint64_t seq, RawText file);
    /// A large result of a call that looks at something: says whether the window holds it already, and since which
    /// line.
    std::uint64_t looked(const Step& step);
    /// Something in front of the end was changed: the cache has to begin anew from there.
    void edited() { edited_ = true; }
    void compacted(const Compaction& compaction, const ToolTable& tools);
    /// The window begins empty, for reasons that are not this session's.
    void begun_anew() {
        mark_window();
        empty_window();
        edited();
    }

    /// Valid until the next one.
    const ContextRequest& request(const EventHeader& head, const RequestFigures& figures, const ToolTable& tools);

    /// Whether any prompt is known.
    bool any() const { return report_.peak > 0; }
    /// The lane is over; restart() comes before the next one.
    LaneContext finish(const ToolTable& tools);

private:
    static constexpr std::uint64_t kImageBytes = 5600;  // about 1,500 tokens
    static constexpr std::size_t kLooks = 128;

    struct ToolWeight {
        std::uint64_t bytes = 0, old_bytes = 0;  // old: those up to the mark
        std::uint32_t results = 0, old_results = 0;
    };
    struct File {
        std::array<char, StepText::kArgument> name;  // as recorded: few of them are ever told
        std::uint8_t name_size = 0;
        TextForm form = TextForm::plain;
        std::uint64_t hash = 0;
        std::uint64_t bytes = 0, old_bytes = 0;
        std::uint64_t touched = 0;  // ordinal of the request after which it was last looked at
        std::uint32_t results = 0, old_results = 0;
    };
    struct LongName {
        std::uint64_t seq = 0, hash = 0;
        std::string end;
    };
    struct Look {
        std::uint64_t call = 0, out = 0, line = 0;
        std::uint64_t contents = 0;  // of the window at that time
    };

    // What the model wrote is history from here on.
    void settle_own() {
        if (own_weight_ == 0) return;
        own_.fill(0);
        own_weight_ = 0;
    }
    void mark_window();
    void empty_window();
    void keep_file(const Step& step);
    bool takes_effect(std::uint64_t context) const;
    void begin_window(std::uint64_t context, bool told, const ToolTable& tools);
    void weigh(std::uint64_t context);
    void keep_peak(const ToolTable& tools);
    void note_cache(const EventHeader& head, ContextRequest& request, bool compacted);
    CacheMiss reason(const ContextRequest& request, bool compacted) const;
    void note_course(std::uint64_t context);
    std::uint64_t recent_percent(std::uint64_t context);
    PartTokens parts_of(std::uint64_t context) const;

    LaneContext report_;
    ContextRequest request_;
    std::array<std::uint64_t, kContextParts> weights_{};  // bytes in the window, by part
    std::uint64_t weight_ = 0;                            // all of them
    // Of these, what the model wrote since it was last told something: mostly the answer to the prompt that is being
    // weighed.
    std::array<std::uint64_t, kContextParts> own_{};
    std::uint64_t own_weight_ = 0;
    std::array<std::uint64_t, kContextParts> marked_{};  // of the weights, what goes when the window is emptied
    std::vector<ToolWeight> tools_;                      // by index of the lane's tool table
    std::vector<File> files_;
    std::vector<LongName> long_names_;  // of the calls that were made last; round
    std::size_t next_name_ = 0;
    std::vector<Look> looks_;     // direct mapped
    std::uint64_t contents_ = 1;  // counts how often the window was emptied: what was read before is gone
    double scale_ = 0.27;         // tokens a byte
    double unseen_ = 0;           // tokens that the recording does not show
    double carried_ = 0;          // tokens that a compaction left, or what emptied the window untold
    std::array<std::uint64_t, kContextParts> peak_weights_{};  // of the fullest request, as its prompt was sent
    double peak_scale_ = 0.27, peak_carried_ = 0;              // what held then
    std::array<std::uint64_t, kRecent> weight_at_;  // of the last requests of this window: what it held at each
    std::uint64_t window_start_ = 1;                // ordinal of the first request since the window was emptied
    TokenCounts tokens_before_;
    std::uint64_t model_before_ = 0;
    std::int64_t time_before_ = kNoTime;
    std::uint64_t stride_ = 1;  // requests a point
    std::uint32_t compactions_ = 0;
    bool edited_ = false, by_hand_ = false, freed_known_ = false;
    bool compacted_ = false;  // no prompt has shown yet what a compaction did;
    bool waits_ = false;      // the window is not emptied before one does
    bool anew_ = false;       // it kept nothing at all
    bool untold_ = false;     // the window was emptied by something else
    bool at_peak_ = false;    // the fullest request is one of this window: its parts are still to be kept
};

/// Two pieces of one lane, in their order.
void join(LaneContext& first, LaneContext second);

}  // namespace agent_audit::detectors
