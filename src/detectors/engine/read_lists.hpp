#pragma once

#include "detectors/engine/lane_track.hpp"

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/finding.hpp>
#include <agent_audit/model/text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// Whether what a row of calls goes through one by one stood in a list that the agent was given before: a listing, a
/// file, an answer, a message. Who goes through such a list gets to its end, whatever it was asked in, and however
/// alike the answers are; names that were made up stand nowhere.
///
/// The last texts lie in a ring and are looked at only when calls begin to differ in what they name and not in what
/// comes of them. A text with such a name in it is kept from then on, so that the end of the lane can ask.
class ReadLists {
public:
    /// A text that the agent is given; `seq` is that of its event.
    void keep(std::uint64_t seq, RawText text) {
        if (text.size() - kShortest <= kTooLong) store(seq, text);
    }

    /// The newest step of the lane.
    void follow(const Step& step, const LaneTrack& lane) {
        const bool known = step.failed || step.out == last_out_ || step.out == out_before_;
        out_before_ = last_out_;
        last_out_ = step.out;
        if (known && step.call_run == 1) [[unlikely]]
            see_row(step, lane);
    }

    bool any() const { return !lists_.empty(); }
    /// Whether the calls of a finding go through a list that was given before the first of them. Of very many findings
    /// that is asked for the first ones.
    bool hold_list_of(const Finding& f);

    /// Forgets everything but the memory.
    void clear();

private:
    static constexpr std::size_t kShortest = 32;        // bytes: four names
    static constexpr std::size_t kLongest = 3u << 10;   // of a longer text the beginning is kept
    static constexpr std::size_t kRing = 48u << 10;     // bytes
    static constexpr std::size_t kTooLong = 16u << 10;  // that is no list any more
    static constexpr std::size_t kTexts = 128;
    static constexpr std::size_t kLists = 8;  // kept for the end of the lane
    static constexpr int kMostLooks = 256;    // findings that are held against them
    static constexpr std::uint64_t kRow = 4;  // from so many such steps on one looks, and at twice as many

    struct Kept {
        std::uint64_t seq;
        std::uint64_t at;  // place in the stream of texts
        std::uint32_t size;
        TextForm form;
    };
    // Never initialised: pages nobody needs stay untouched. A text lies in one piece, behind the ring if need be.
    struct Store {
        std::array<char, kRing + kLongest> bytes;
        std::array<Kept, kTexts> texts;  // the last ones
    };
    struct List {
        std::uint64_t seq = 0;
        TextForm form = TextForm::plain;
        bool whole = true;
        std::string text;
    };

    void store(std::uint64_t seq, RawText text) {
        const std::size_t size = text.size() < kLongest ? text.size() : kLongest;
        if (!store_) store_.reset(new Store);
        std::memcpy(store_->bytes.data() + end_ % kRing, text.bytes.data(), size);
        store_->texts[kept_++ % kTexts] = {seq, end_, static_cast<std::uint32_t>(size), text.form};
        end_ += size;
        if (end_ % kRing < size) end_ += kRing - end_ % kRing;
    }
    void see_row(const Step& step, const LaneTrack& lane);
    void pin_texts_with(std::string_view name, std::uint64_t before_seq);

    std::unique_ptr<Store> store_;
    std::uint64_t end_ = 0;   // stream position behind the newest text
    std::uint64_t kept_ = 0;  // texts so far
    std::uint64_t last_out_ = 0, out_before_ = 0;
    std::uint64_t row_ = 0;  // steps that told nothing new of another thing, since one last looked for a list
    std::uint64_t last_ = 0;
    std::uint64_t wanted_ = kRow;
    std::vector<List> lists_;
    int looks_ = 0;
};

/// Whether these calls, in this order, go through a list that the text is: `calls` are their arguments, the last one of
/// a longer row included. Each names another thing; the things stand in the text in the order in which they are gone
/// through, or each in the same place of its entry. `steps` = how many there are in all; `whole` = the text was not
/// cut.
bool goes_through(const std::vector<std::string_view>& calls, std::uint64_t steps, std::string_view text, bool whole);

}  // namespace agent_audit::detectors
