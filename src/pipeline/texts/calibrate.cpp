#include <agent_audit/pipeline/calibrate.hpp>

#include "pipeline/inputs/detect.hpp"

#include <agent_audit/readers/input.hpp>
#include <agent_audit/readers/reader.hpp>
#include <agent_audit/support/unescape.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit {
namespace {

using Request = RequestFeatures::Request;

// Lists the requests of each session of an input.
class Sessions final : public EventSink {
public:
    void on_event(const Event& event) override {
        if (const auto* start = std::get_if<SessionStart>(&event.body); start && !start->resumed) {
            end();
            constexpr std::size_t kLongestId = 100;
            id_ = decode_json_string(start->session_id.bytes.substr(0, 4 * kLongestId), kLongestId);
        }
        features_.on_event(event);
    }
    void end() {
        if (auto requests = features_.finish(); !requests.empty()) sessions.emplace_back(id_, std::move(requests));
    }

    std::vector<std::pair<std::string, std::vector<Request>>> sessions;

private:
    RequestFeatures features_;
    std::string id_;
};

double dot(const FeatureVector& a, const FeatureVector& b) {
    double sum = 0;
    for (std::size_t i = 0; i < kFeatures; ++i) sum += a[i] * b[i];
    return sum;
}

bool restarts(const Request& before, const Request& next) {
    constexpr double kDrop = 0.7;
    return next.restart || static_cast<double>(next.prompt) < kDrop * static_cast<double>(before.prompt);
}

CalibratedSession judge(const std::vector<Request>& requests, double share) {
    CalibratedSession out;
    out.requests = requests.size();
    out.trained =
        std::min(requests.size(), static_cast<std::size_t>(share * static_cast<double>(requests.size()) + 0.5));
    Calibration calibration;
    const FeatureVector untaught = calibration.weights();
    double run_rest = 0, chars_rest = 0, unseen = 0;
    for (std::size_t k = 0; k < requests.size(); ++k) {
        const Request& r = requests[k];
        const auto prompt = static_cast<double>(r.prompt);
        const bool anchors = k == 0 || restarts(requests[k - 1], r);
        if (anchors) {
            run_rest = prompt - dot(untaught, r.sent);
            chars_rest = prompt - r.chars / 4;
        }
        if (k < out.trained) {
            if (anchors) calibration.restart();
            calibration.observe(r.sent, prompt);
            continue;
        }
        if (k == out.trained) {
            out.weights = calibration.weights();
            unseen = calibration.unseen();
        }
        if (anchors) {
            unseen = prompt - dot(out.weights, r.sent);
            continue;
        }
        out.held.push_back({r.line, r.prompt, unseen + dot(out.weights, r.sent), run_rest + dot(untaught, r.sent),
                            chars_rest + r.chars / 4});
    }
    if (out.trained == requests.size()) out.weights = calibration.weights();
    out.unseen = calibration.first_unseen();
    out.samples = calibration.samples();
    out.rejected = calibration.rejected();
    out.restarts = calibration.restarts();
    out.median_error = calibration.median_error();
    return out;
}

}  // namespace

Result<std::vector<CalibratedSession>> calibrate(const std::string& input, double share) {
    InputBuffers buffers;
    auto source = open_input(input, 0, {}, buffers);
    const std::string name = input == "-" ? "standard input" : input;
    if (!source) return Error{fmt::format("{}: {}", name, source.error().message)};
    const Detection found = detect_format(**source);
    if (!found.reader) return Error{fmt::format("{}: {}", name, found.problem)};
    const auto reader = found.reader->make();
    Sessions sessions;
    Record record;
    for (;;) {
        const auto next = (*source)->next(record);
        if (next == RecordSource::Next::end) break;
        if (next == RecordSource::Next::record) reader->read(record, sessions);
    }
    reader->finish(sessions);
    sessions.end();
    std::vector<CalibratedSession> out;
    for (const auto& [id, requests] : sessions.sessions) {
        CalibratedSession& session = out.emplace_back(judge(requests, share));
        session.id = id;
        session.format = found.reader->id;
    }
    return out;
}

}  // namespace agent_audit
