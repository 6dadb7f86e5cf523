#pragma once

#include <agent_audit/model/event.hpp>
#include <agent_audit/model/text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

namespace agent_audit {

/// What of a prompt its tokens come from. Texts count in hundredths of the run estimate's tokens, so a weight of 1 is
/// that estimate; the last four are numbers of things.
enum class Feature : std::uint8_t {
    letters,
    digits,
    punctuation,
    newlines,
    blanks,
    cjk,
    other,
    reasoning,
    images,
    messages,
    calls
};
inline constexpr std::size_t kFeatures = 11;

/// A feature, and what is believed of it at first.
struct FeatureDoc {
    std::string_view name;
    double weight;  ///< tokens of one, before anything is known
    double spread;  ///< how far off that may be
};
inline constexpr std::array<FeatureDoc, kFeatures> kFeatureDocs{{
    {"letters", 1, 0.2},
    {"digits", 1, 0.4},
    {"punctuation", 1, 0.4},
    {"newlines", 1, 0.4},
    {"blanks", 1, 0.4},
    {"cjk", 1, 0.4},
    {"other", 1, 0.5},
    {"reasoning", 0.5, 0.5},
    {"images", 1500, 700},
    {"messages", 4, 10},
    {"calls", 20, 30},
}};

/// Features of texts in one pass over their bytes; adds up.
struct TextFeatures {
    std::array<std::uint64_t, kFeatures> hundredths{};
    std::uint64_t chars = 0;  ///< code points

    void add(RawText text);
    void count(Feature feature, std::uint64_t times = 1) {
        hundredths[static_cast<std::size_t>(feature)] += 100 * times;
    }
};

using FeatureVector = std::array<double, kFeatures>;
FeatureVector vector_of(const TextFeatures& features);

/// Learns from the billed prompts of one conversation how many tokens its texts have: prompt = S + weights · features,
/// where S is what the recording does not show (system prompt, tools). Works on differences between requests, in which
/// S cancels; recursive, so a request costs the same however many came before. Deterministic.
class Calibration {
public:
    Calibration();

    /// A request whose prompt was billed. `sent` are the features of everything sent so far, removed or not.
    void observe(const FeatureVector& sent, double prompt_tokens);
    /// What one of these weighs is known from elsewhere, in tokens: it is learnt no more.
    void fix(Feature feature, double weight);
    /// What was sent before is not what will be sent: a compaction. Weights are kept.
    void restart();
    /// Who is asked from now on, as any number: a prompt is compared with the one before to the same model. The latest
    /// kModels are remembered.
    void use_model(std::uint64_t model);
    static constexpr std::size_t kModels = 4;

    /// Expected prompt of a request. Before the first observation the estimate by the prior weights.
    double predict(const FeatureVector& sent) const;
    FeatureVector weights() const;
    /// S at the end of the last stretch without restart: agents drop texts without telling (their reasoning of earlier
    /// turns, for one), and then it is smaller.
    double unseen() const { return unseen_of(stretch_); }
    /// S as the first requests show it, before anything can have been dropped.
    double first_unseen() const { return unseen_of(first_); }

    std::size_t samples() const { return samples_; }    ///< differences learnt from
    std::size_t rejected() const { return rejected_; }  ///< differences too far off to be believed
    std::size_t restarts() const { return stretches_ > 0 ? stretches_ - 1 : 0; }
    /// Median of |difference expected - billed| / prompt over the latest requests, before learning from them.
    double median_error() const;

private:
    struct Seen {
        FeatureVector sent{};
        double prompt = 0;
    };
    struct Stretch {
        std::uint64_t model = 0;
        std::deque<Seen> requests;
    };
    double unseen_of(const std::deque<Seen>& requests) const;
    void learn(const FeatureVector& more, double tokens, double prompt);
    bool believable(double scaled_residual);

    FeatureVector weights_{};
    std::array<FeatureVector, kFeatures> covariance_{};
    double scale_tokens_ = 0, scale_estimate_ = 0;  // for the one factor while samples are few
    std::deque<Seen> stretch_;                      // the latest requests since the last restart
    std::uint64_t model_ = 0;                       // that they went to
    std::vector<Stretch> others_;                   // the latest to other models, the last one last
    std::deque<Seen> first_;                        // the first ones of the session
    std::deque<double> residuals_, errors_;         // of the latest differences
    std::size_t samples_ = 0, rejected_ = 0, stretches_ = 0;
};

/// Turns the events of one session into requests: what had been sent when, and what was billed for it.
class RequestFeatures {
public:
    struct Request {
        FeatureVector sent{};
        double chars = 0;
        std::uint64_t prompt = 0;
        std::uint64_t line = 0;
        bool restart = false;  ///< before it the context was compacted, or the model changed
    };

    void on_event(const Event& event);
    /// Of the lane with the most requests. Ends the session.
    std::vector<Request> finish();

private:
    struct Lane {
        std::uint32_t id = 0;
        TextFeatures sent;
        Request open;            // begun, not yet followed by another
        bool answering = false;  // the last event was the model's
        bool restart = false;
        std::uint32_t unbilled = 0;  // responses begun since the last usage
        IdHash response = 0;
        std::uint64_t model = 0;  // hash
        std::vector<Request> requests;
    };
    Lane& lane(std::uint32_t id);
    void begin_response(Lane& lane, const Event& event);
    void close(Lane& lane);
    void on_usage(Lane& lane, const Event& event, const Usage& usage);

    std::deque<Lane> lanes_;
    TokenCounts cumulative_;
};

}  // namespace agent_audit
