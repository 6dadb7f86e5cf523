#include "profiles/all.hpp"
#include "profiles/chanting.hpp"
#include "profiles/rule.hpp"

#include <array>
#include <set>

namespace agent_audit::profiles {
namespace {

constexpr std::size_t kRounds = 5;      // of a cycle
constexpr std::size_t kLongest = 5;     // calls in a cycle
constexpr std::size_t kHistory = 5000;  // characters of text looked back over
constexpr std::size_t kOccurrences = 10;
constexpr std::size_t kMeanDistance = 5 * ChunkHistory::kChunk;

class GeminiCli final : public PeerRule {
public:
    void on_call(const PeerCall& call, const Arguments&) override {
        text_.clear();
        calls_[count_++ % calls_.size()] = call.with_name(call.own);
        for (std::size_t period = 1; period <= kLongest; ++period) {
            if (cycles(period)) return react("same calls 5x", call.at);
        }
    }

    void on_text(const PeerText& text) override {
        if (chants(utf16(text.text))) react("chanting", text.at);
    }

    void on_user(const Spot&) override {
        count_ = 0;
        detections_ = 0;
        text_.clear();  // an open code fence stays open: the service forgets to close it
    }

private:
    // The first time the model is told, the second time the request ends. History is kept in between.
    void react(std::string_view rule, const Spot& at) {
        if (++detections_ == 1)
            warn(rule, at);
        else
            stop(rule, at);
    }

    bool cycles(std::size_t period) const {
        if (count_ < period * kRounds) return false;
        for (std::size_t back = period; back < period * kRounds; ++back) {
            if (calls_[(count_ - 1 - back) % calls_.size()] != calls_[(count_ - 1 - back % period) % calls_.size()])
                return false;
        }
        return true;
    }

    bool chants(std::u16string_view piece) {
        const Markdown seen = look_at_markdown(piece, {.dash_is_bullet = false, .wide_divider = true});
        if (seen.fences > 0 || seen.structure || seen.divider) text_.clear();
        const bool was_in_code = in_code_;
        if (seen.fences % 2 == 1) in_code_ = !in_code_;
        if (was_in_code || in_code_ || seen.divider) return false;
        text_.append(piece);
        text_.keep_last(kHistory);
        for (; text_.has_chunk(); text_.step()) {
            if (repeats_here()) return true;
        }
        return false;
    }

    bool repeats_here() {
        auto& places = text_.places();
        places.push_back(static_cast<std::uint32_t>(text_.here()));
        if (places.size() < kOccurrences) return false;
        const std::size_t first = places.size() - kOccurrences;
        if (places.back() - places[first] > kMeanDistance * (kOccurrences - 1)) return false;
        // Many different texts in between are a list whose items begin alike.
        std::set<std::u16string_view> between;
        for (std::size_t i = first; i + 1 < places.size(); ++i) between.insert(text_.between(places[i], places[i + 1]));
        return between.size() <= kOccurrences / 2;
    }

    std::array<std::uint64_t, kRounds * kLongest> calls_{};
    std::size_t count_ = 0;
    int detections_ = 0;
    ChunkHistory text_;
    bool in_code_ = false;
};

}  // namespace

ProfileSpec gemini_cli() {
    return {"gemini-cli",
            "gemini-cli 0.61.0",
            "the last 1 to 5 calls five times in a row (name and arguments in their own key order, results not looked "
            "at), or a 50-character chunk 10 times within 250 characters each",
            "first detection of a prompt: the stream is cut and the model is told",
            "second detection of the same prompt: the request ends",
            "the judgement by a second model from the 30th turn on; text is seen a block at a time, not as it streamed",
            []() -> std::unique_ptr<PeerRule> { return std::make_unique<GeminiCli>(); }};
}

}  // namespace agent_audit::profiles
