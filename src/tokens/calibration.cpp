#include <agent_audit/tokens/calibration.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace agent_audit {
namespace {

constexpr std::size_t kRemembered = 31;  // residuals that medians are taken of
constexpr std::size_t kLevel = 5;        // requests that S is the median of, at either end: two odd ones are outvoted
constexpr std::size_t kFewSamples = 4;   // below: one factor for all weights
constexpr std::size_t kEnoughToReject = 8;
constexpr double kRejectMads = 4, kDrop = 0.7;

double dot(const FeatureVector& a, const FeatureVector& b) {
    double sum = 0;
    for (std::size_t i = 0; i < kFeatures; ++i) sum += a[i] * b[i];
    return sum;
}

FeatureVector prior() {
    FeatureVector weights{};
    for (std::size_t i = 0; i < kFeatures; ++i) weights[i] = kFeatureDocs[i].weight;
    return weights;
}

template <class Values>
double median(const Values& values) {
    if (values.empty()) return 0;
    std::vector<double> sorted(values.begin(), values.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
}

template <class T>
void remember(std::deque<T>& ring, const T& value, std::size_t most = kRemembered) {
    ring.push_back(value);
    if (ring.size() > most) ring.pop_front();
}

}  // namespace

FeatureVector vector_of(const TextFeatures& features) {
    FeatureVector out{};
    for (std::size_t i = 0; i < kFeatures; ++i) out[i] = static_cast<double>(features.hundredths[i]) / 100;
    return out;
}

Calibration::Calibration() : weights_(prior()) {
    for (std::size_t i = 0; i < kFeatures; ++i) covariance_[i][i] = kFeatureDocs[i].spread * kFeatureDocs[i].spread;
}

void Calibration::fix(Feature feature, double weight) {
    // A step of recursive least squares by a measurement without noise: what was ascribed to it wrongly goes to the
    // others.
    const auto fixed = static_cast<std::size_t>(feature);
    const FeatureVector with = covariance_[fixed];
    if (with[fixed] <= 0) return;
    const double error = weight - weights_[fixed];
    for (std::size_t i = 0; i < kFeatures; ++i) {
        weights_[i] += with[i] / with[fixed] * error;
        for (std::size_t k = 0; k < kFeatures; ++k) covariance_[i][k] -= with[i] * with[k] / with[fixed];
    }
    weights_[fixed] = weight;
    for (std::size_t i = 0; i < kFeatures; ++i) covariance_[fixed][i] = covariance_[i][fixed] = 0;
}

void Calibration::restart() {
    stretch_.clear();
    others_.clear();
}

void Calibration::use_model(std::uint64_t model) {
    if (model == model_) return;
    Stretch next{model, {}};
    if (const auto known = std::ranges::find(others_, model, &Stretch::model); known != others_.end()) {
        next = std::move(*known);
        others_.erase(known);
    }
    if (!stretch_.empty()) others_.push_back({model_, std::move(stretch_)});
    if (others_.size() >= kModels) others_.erase(others_.begin());
    model_ = model;
    stretch_ = std::move(next.requests);
}

void Calibration::observe(const FeatureVector& sent, double prompt_tokens) {
    // A prompt that shrank this much lost something that the recording does not tell.
    if (!stretch_.empty() && prompt_tokens < kDrop * stretch_.back().prompt) restart();
    if (stretch_.empty()) {
        ++stretches_;
    } else {
        FeatureVector more{};
        for (std::size_t i = 0; i < kFeatures; ++i) more[i] = sent[i] - stretch_.back().sent[i];
        learn(more, prompt_tokens - stretch_.back().prompt, prompt_tokens);
    }
    if (stretches_ == 1 && first_.size() < kLevel) first_.push_back({sent, prompt_tokens});
    remember(stretch_, {sent, prompt_tokens}, kLevel);
}

// One step of recursive least squares. Large differences are less exact than small ones; dividing by what is to be
// expected makes them comparable.
void Calibration::learn(const FeatureVector& more, double tokens, double prompt) {
    const double expected = dot(prior(), more);
    const double noise = 30 + 0.08 * std::fabs(expected);
    const double residual = tokens - dot(weights(), more);
    if (prompt > 0) remember(errors_, std::fabs(residual) / prompt);
    if (!believable(residual / noise)) {
        ++rejected_;
        return;
    }
    scale_tokens_ += tokens;
    scale_estimate_ += expected;
    FeatureVector scaled{}, gain{};
    for (std::size_t i = 0; i < kFeatures; ++i) scaled[i] = more[i] / noise;
    for (std::size_t i = 0; i < kFeatures; ++i) gain[i] = dot(covariance_[i], scaled);
    const double total = 1 + dot(scaled, gain);
    const double error = (tokens - dot(weights_, more)) / noise;
    for (std::size_t i = 0; i < kFeatures; ++i) weights_[i] += gain[i] / total * error;
    for (std::size_t i = 0; i < kFeatures; ++i) {
        for (std::size_t k = 0; k < kFeatures; ++k) covariance_[i][k] -= gain[i] * gain[k] / total;
    }
    ++samples_;
}

bool Calibration::believable(double scaled_residual) {
    const double size = std::fabs(scaled_residual);
    const bool enough = residuals_.size() >= kEnoughToReject;
    constexpr double kLeast = 0.25;  // nearly all are within it, and then the median does not matter
    // What the median is need not be known to know that it is no smaller.
    const auto too_small = [size](double one) { return kRejectMads * one < size; };
    const bool believed =
        !enough || size <= kRejectMads * kLeast ||
        static_cast<std::size_t>(std::ranges::count_if(residuals_, too_small)) <= residuals_.size() / 2;
    remember(residuals_, size);
    return believed;
}

FeatureVector Calibration::weights() const {
    if (samples_ >= kFewSamples) return weights_;
    FeatureVector weights = prior();
    if (scale_estimate_ <= 0 || scale_tokens_ <= 0) return weights;
    const double factor = std::clamp(scale_tokens_ / scale_estimate_, 0.5, 2.0);
    for (double& weight : weights) weight *= factor;
    return weights;
}

double Calibration::unseen_of(const std::deque<Seen>& requests) const {
    const FeatureVector weights = this->weights();
    std::vector<double> rest;
    for (const Seen& seen : requests) rest.push_back(seen.prompt - dot(weights, seen.sent));
    return median(rest);
}

double Calibration::predict(const FeatureVector& sent) const { return std::max(0.0, unseen() + dot(weights(), sent)); }

double Calibration::median_error() const { return median(errors_); }

}  // namespace agent_audit
